//! All input of the compiler, behind one trait: the disk, an editor's buffers, or memory.
//!
//! Paths are texts with `/`. The compiler itself is a pure function of what a [`World`] answers.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};

/// The largest file that is read, in bytes: what the parser takes.
pub const MAX_FILE_BYTES: u64 = ctr_grammar::MAX_FILE_BYTES as u64;

/// How many links [`MemoryWorld`] follows before it takes them for a loop.
const MAX_LINKS: usize = 40;

/// Where files come from.
pub trait World: Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// Says why there are none. Never blocks on what is no regular file (a pipe, a device).
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;

    /// The identity of a file: two paths with the same answer are one file. Links, `./` and
    /// `sub/..` are resolved where the world can; a path that does not exist is normalised by its
    /// text alone.
    fn canonical(&self, path: &str) -> String;

    /// The names of the files in a folder, for suggestions; none where they cannot be listed.
    fn names(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

/// So many names of a folder are looked at for a suggestion.
const MAX_NAMES: usize = 10_000;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// There is no such file.
    NotFound,
    /// It is a directory.
    IsDirectory,
    /// The system forbids it.
    Denied,
    /// It is larger than [`MAX_FILE_BYTES`].
    TooLarge {
        /// Its size in bytes, as far as it is known.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Anything else, in the system's words.
    Other(String),
}

impl ReadError {
    /// From the system's error.
    #[must_use]
    pub fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound,
            io::ErrorKind::IsADirectory => Self::IsDirectory,
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ => Self::Other(error.to_string()),
        }
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskWorld;

impl World for DiskWorld {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        // The kind is asked before the file is opened: opening a pipe for reading waits for a writer.
        let meta = fs::metadata(path).map_err(|e| ReadError::from_io(&e))?;
        if meta.is_dir() {
            return Err(ReadError::IsDirectory);
        }
        if !meta.is_file() {
            return Err(ReadError::Other(
                "not a regular file but a pipe, socket or device".to_owned(),
            ));
        }
        let too_large = |size| ReadError::TooLarge {
            size,
            limit: MAX_FILE_BYTES,
        };
        if meta.len() > MAX_FILE_BYTES {
            return Err(too_large(meta.len()));
        }
        let file = fs::File::open(path).map_err(|e| ReadError::from_io(&e))?;
        let mut bytes = Vec::new();
        // The file may grow while it is read.
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| ReadError::from_io(&e))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    fn canonical(&self, path: &str) -> String {
        match fs::canonicalize(path) {
            Ok(real) => real.to_string_lossy().replace('\\', "/"),
            Err(_) => normalise(path),
        }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let folder = if folder.is_empty() { "." } else { folder };
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .take(MAX_NAMES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        // The order of a folder is the file system's, and the suggestion must not be.
        names.sort();
        names
    }
}

/// Files in memory, for tests, editors and the browser.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    files: BTreeMap<String, Vec<u8>>,
    links: BTreeMap<String, String>,
}

impl MemoryWorld {
    /// Without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With another file; its path is normalised.
    #[must_use]
    pub fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.insert(path, bytes);
        self
    }

    /// With `link` standing for the file or directory `target`, as a symbolic link does.
    #[must_use]
    pub fn with_link(mut self, link: &str, target: &str) -> Self {
        self.links.insert(normalise(link), normalise(target));
        self
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(normalise(path), bytes.into());
    }

    /// Takes a file away; whether there was one.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(&normalise(path)).is_some()
    }

    /// The path with links followed, or `None` in a loop of links.
    fn resolve(&self, path: &str) -> Option<String> {
        let mut done = String::new();
        if path.starts_with('/') {
            done.push('/');
        }
        let mut rest: Vec<String> = parts_reversed(path);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                done = normalise(&join(&done, ".."));
                if done == "." {
                    done.clear();
                }
                continue;
            }
            let here = join(&done, &part);
            match self.links.get(&here) {
                Some(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return None;
                    }
                    // Targets are written from the world's root.
                    done = if target.starts_with('/') {
                        "/".to_owned()
                    } else {
                        String::new()
                    };
                    rest.extend(parts_reversed(target));
                }
                None => done = here,
            }
        }
        Some(if done.is_empty() {
            ".".to_owned()
        } else {
            done
        })
    }
}

/// The parts of a path but `.`, last first.
fn parts_reversed(path: &str) -> Vec<String> {
    path.split('/')
        .rev()
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect()
}

impl World for MemoryWorld {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let Some(real) = self.resolve(path) else {
            return Err(ReadError::Other("too many levels of links".to_owned()));
        };
        if let Some(bytes) = self.files.get(&real) {
            if bytes.len() as u64 > MAX_FILE_BYTES {
                return Err(ReadError::TooLarge {
                    size: bytes.len() as u64,
                    limit: MAX_FILE_BYTES,
                });
            }
            return Ok(bytes.clone());
        }
        let inside = if real == "." || real == "/" {
            String::new()
        } else {
            format!("{real}/")
        };
        if inside.is_empty() || self.files.keys().any(|f| f.starts_with(&inside)) {
            return Err(ReadError::IsDirectory);
        }
        Err(ReadError::NotFound)
    }

    fn canonical(&self, path: &str) -> String {
        self.resolve(path).unwrap_or_else(|| normalise(path))
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let inside = match normalise(folder).as_str() {
            "." => String::new(),
            folder => format!("{folder}/"),
        };
        self.files
            .keys()
            .filter_map(|path| path.strip_prefix(&inside))
            .filter(|name| !name.contains('/'))
            .take(MAX_NAMES)
            .map(str::to_owned)
            .collect()
    }
}

/// A path with `.`, `//` and `sub/..` taken out by its text alone; `.` where nothing is left.
#[must_use]
pub fn normalise(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if absolute => {}
                _ => parts.push(".."),
            },
            other => parts.push(other),
        }
    }
    let body = parts.join("/");
    match (absolute, body.is_empty()) {
        (true, _) => format!("/{body}"),
        (false, true) => ".".to_owned(),
        (false, false) => body,
    }
}

/// The folder of a path: what stands before its last `/`; empty where there is none.
#[must_use]
pub fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => path.get(..at).unwrap_or(""),
        None => "",
    }
}

/// `path` as seen from `folder`. Only `./` at its head is taken out: whether `sub/..` is the folder
/// itself depends on links, so that it is left to [`World::canonical`].
#[must_use]
pub fn join(folder: &str, path: &str) -> String {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if folder.is_empty() || is_absolute(path) {
        path.to_owned()
    } else if folder.ends_with('/') {
        format!("{folder}{path}")
    } else {
        format!("{folder}/{path}")
    }
}

/// `/x`, and on Windows `C:/x`.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
        || (cfg!(windows)
            && path
                .get(1..3)
                .is_some_and(|drive| drive == ":/" || drive == ":\\"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

    use super::*;

    #[test]
    fn paths_are_normalised() {
        for (path, want) in [
            ("a", "a"),
            ("./a", "a"),
            ("sub/../a", "a"),
            ("a//b/./c", "a/b/c"),
            ("../a", "../a"),
            ("../../a/..", "../.."),
            ("/../a", "/a"),
            ("", "."),
            ("a/..", "."),
        ] {
            assert_eq!(normalise(path), want, "{path}");
        }
        assert_eq!(join("d", "././/a"), "d/a");
        assert_eq!(join("d", "/a"), "/a");
        assert_eq!(join("", "a"), "a");
        assert_eq!(folder("/a"), "/");
        assert_eq!(folder("a"), "");
    }

    #[test]
    fn memory_links() {
        let world = MemoryWorld::new()
            .with("real/a.ctr", "x")
            .with_link("l", "real")
            .with_link("b.ctr", "l/a.ctr")
            .with_link("x", "y")
            .with_link("y", "x");
        assert_eq!(world.canonical("b.ctr"), "real/a.ctr");
        assert_eq!(world.canonical("l/../real/a.ctr"), "real/a.ctr");
        assert_eq!(world.read("l/a.ctr").unwrap(), b"x");
        assert_eq!(world.read("real"), Err(ReadError::IsDirectory));
        assert_eq!(world.read("none"), Err(ReadError::NotFound));
        assert!(matches!(world.read("x"), Err(ReadError::Other(_))));
    }
}
