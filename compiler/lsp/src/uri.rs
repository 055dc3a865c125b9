//! Addresses of documents and the paths that the compiler knows them by.
//!
//! Clients spell one file in several ways (`file:///c%3A/a`, `file:///C:/a`); paths are compared by
//! their canonical form, and answers go out in the spelling that the client used.

use std::fmt::Write as _;

use crate::library::SCHEME;

/// A longer address is that of no file: no system has paths of this length.
const MAX_ADDRESS_BYTES: usize = 16 << 10;

/// The path of a `file` address, with `/` between its parts; the address itself for a document that has no file
/// (`untitled:Untitled-1`); `None` for a view of a file that an editor keeps beside it (`git:` and the like), which is no
/// part of the policy.
pub(crate) fn path(uri: &str) -> Option<String> {
    if uri.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let (scheme, rest) = uri.split_once(':')?;
    if scheme.eq_ignore_ascii_case("untitled") {
        return Some(uri.to_owned());
    }
    if scheme.eq_ignore_ascii_case(SCHEME) {
        return Some(format!("{SCHEME}:/{}", rest.trim_start_matches('/')));
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = match rest.strip_prefix("//") {
        // `file://host/path`: only this machine's files can be read.
        Some(with_host) => {
            let slash = with_host.find('/')?;
            let (host, path) = with_host.split_at(slash);
            if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
                return None;
            }
            path
        }
        None => rest,
    };
    let path = decoded(path)?;
    Some(match drive(&path) {
        Some((letter, rest)) => format!("{}:{rest}", letter.to_ascii_uppercase()),
        None => path,
    })
}

/// Whether a path is that of a document without a file: a new one, or a text of the library.
pub(crate) fn is_no_file(path: &str) -> bool {
    path.starts_with("untitled:")
        || path
            .strip_prefix(SCHEME)
            .is_some_and(|r| r.starts_with(':'))
}

/// `/c:/a` as its letter and the rest.
fn drive(path: &str) -> Option<(char, &str)> {
    let rest = path.strip_prefix('/')?;
    let mut chars = rest.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str().strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with('/')).then_some((letter, rest))
}

/// Without percent escapes; `None` where they are no UTF-8 or hide a NUL.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|path| !path.contains('\0'))
}

/// The address of a path.
pub(crate) fn of_path(path: &str) -> String {
    if is_no_file(path) {
        return path.to_owned();
    }
    let mut out = String::from("file://");
    let mut chars = path.chars();
    if chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':') {
        out.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn one_file_in_several_spellings() {
        for uri in [
            "file:///c%3A/a%20b/x%23.ctr",
            "file:///C:/a%20b/x%23.ctr",
            "file:///C%3a/a b/x%23.ctr",
            "FILE:///c:/a%20b/x%23.ctr",
            "file://localhost/c:/a%20b/x%23.ctr",
        ] {
            assert_eq!(path(uri).unwrap(), "C:/a b/x#.ctr", "{uri}");
        }
        assert_eq!(path("file:///a/b+c.ctr").unwrap(), "/a/b+c.ctr");
        assert_eq!(path("file:///%C3%A9.ctr").unwrap(), "/\u{e9}.ctr");
    }

    #[test]
    fn what_is_no_file() {
        assert_eq!(path("untitled:Untitled-1").unwrap(), "untitled:Untitled-1");
        for uri in [
            "git:/a/b.ctr?ref",
            "vscode-notebook-cell:/a#x",
            "file://server/share/a.ctr",
            "file:///a%00b",
            "file:///a%f",
            "file:///%ff",
            "nothing",
            "",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }

    #[test]
    fn there_and_back() {
        for file in [
            "/a b/c#d?.ctr",
            "/\u{1f600}%20/x.ctr",
            "C:/a/b.ctr",
            "untitled:U-1",
            "ctrc-std:/std/declare.ctr",
        ] {
            assert_eq!(path(&of_path(file)).unwrap(), file);
        }
        assert_eq!(of_path("/a b"), "file:///a%20b");
        assert_eq!(of_path("C:/a"), "file:///C%3A/a");
    }
}
