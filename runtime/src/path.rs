//! Paths, for `inside` (language reference, section 6).
//!
//! Everything is lexical: no file system is asked, so links are not followed. `/` alone separates
//! components; a backslash is an ordinary character.

use alloc::string::String;
use alloc::vec::Vec;

/// The components of an absolute path, without `.`, with `..` resolved (above the root it stays at
/// the root) and runs of `/` taken for one; `None` for a relative path.
fn components(path: &str) -> Option<Vec<&str>> {
    let mut components = Vec::new();
    for component in path.strip_prefix('/')?.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
    Some(components)
}

/// An absolute path in its shortest form; `None` (undefined) for a relative path.
#[must_use]
pub fn normalise(path: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len());
    for component in components(path)? {
        out.push('/');
        out.push_str(component);
    }
    if out.is_empty() {
        out.push('/');
    }
    Some(out)
}

/// `path inside directory`: whether the path is the directory or below it, component by component.
/// `None` (undefined) where one of them is relative.
#[must_use]
pub fn inside(path: &str, directory: &str) -> Option<bool> {
    let path = components(path)?;
    let directory = components(directory)?;
    Some(path.starts_with(&directory))
}

/// A path as seen from a base directory: the base and the path joined, unless the path is absolute.
#[must_use]
pub fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.into();
    }
    let mut out = String::with_capacity(base.len() + path.len() + 1);
    out.push_str(base);
    out.push('/');
    out.push_str(path);
    out
}
