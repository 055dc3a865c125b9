//! Texts with one mistake, made from texts without one.

use std::path::{Path, PathBuf};

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::world::{DiskWorld, ReadError, World};
use ctr_tests::rng::Rng;

/// The words that a random keyword is taken from.
const KEYWORDS: &[&str] = &[
    "contract",
    "guarantee",
    "assume",
    "let",
    "otherwise",
    "call",
    "return",
    "success",
    "failure",
    "any",
    "and",
    "or",
    "not",
    "implies",
    "always",
    "eventually",
    "next",
    "until",
    "since",
    "never",
    "after",
    "before",
    "only after",
    "only if",
    "leads to",
    "at most",
    "within",
    "in",
    "matches",
    "every",
    "true",
    "null",
    "test",
    "tool",
    "import",
];

/// The files on disk, and one text in the place of one of them.
pub struct Replaced<'t> {
    pub path: &'t str,
    pub text: &'t str,
}

impl World for Replaced<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        if path == self.path {
            Ok(self.text.as_bytes().to_vec())
        } else {
            DiskWorld.read(path)
        }
    }

    fn canonical(&self, path: &str) -> String {
        if path == self.path {
            path.to_owned()
        } else {
            DiskWorld.canonical(path)
        }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        DiskWorld.names(folder)
    }
}

/// What the compiler says of a text that stands in the place of a file.
pub fn findings(path: &str, text: &str) -> Vec<Diagnostic> {
    ctr_front::compile(&Replaced { path, text }, &[path.to_owned()]).diagnostics
}

/// The errors among them.
pub fn errors(path: &str, text: &str) -> Vec<Diagnostic> {
    let mut all = findings(path, text);
    all.retain(|d| d.severity == Severity::Error);
    all
}

pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().to_owned()
}

/// Policies without findings: those of the examples, and what else is shipped where `all` is asked for.
pub fn clean_files(all: bool) -> Vec<(String, String)> {
    let mut folders = vec![root().join("examples")];
    if all {
        folders.push(root().join("stdlib-contracts"));
        folders.push(root().join("grammar/tests/fixtures"));
    }
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ctr") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    files.retain(|(path, text)| errors(path, text).is_empty());
    files.sort();
    assert!(files.len() >= 4, "{} files", files.len());
    files
}

/// The places of a text's tokens; comments and white space lie between them.
pub fn tokens(text: &str) -> Vec<(usize, usize)> {
    const LONG: [&str; 6] = ["->", "==", "!=", "<=", ">=", "??"];
    let mut out: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let quoted = |close: char| {
            let mut escaped = false;
            rest.char_indices()
                .skip(1)
                .find(|(_, d)| {
                    let found = *d == close && !escaped;
                    escaped = *d == '\\' && !escaped;
                    found
                })
                .map_or(rest.len(), |(i, _)| i + 1)
        };
        let length = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |i| i + 2);
            continue;
        } else if c.is_alphanumeric() || c == '_' {
            let word = |d: char| d.is_alphanumeric() || d == '_';
            rest.find(|d| !word(d)).unwrap_or(rest.len())
        } else if matches!(c, '"' | '`' | '/') {
            let body = quoted(c);
            let flags = rest[body..].find(|d: char| !d.is_alphabetic()).unwrap_or(0);
            body + if c == '/' { flags } else { 0 }
        } else if let Some(long) = LONG.iter().find(|l| rest.starts_with(**l)) {
            long.len()
        } else {
            c.len_utf8()
        };
        out.push((at, at + length));
        at += length;
    }
    out
}

/// What can be done to one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    Deleted,
    Doubled,
    Swapped,
    Replaced,
    Misspelt,
}

pub const MISTAKES: [Mistake; 5] = [
    Mistake::Deleted,
    Mistake::Doubled,
    Mistake::Swapped,
    Mistake::Replaced,
    Mistake::Misspelt,
];

/// The text with one mistake at a token; `None` where that mistake cannot be made there.
pub fn make(text: &str, tokens: &[(usize, usize)], at: usize, mistake: Mistake) -> Option<String> {
    let (start, end) = *tokens.get(at)?;
    let token = &text[start..end];
    let put = |from: usize, to: usize, new: &str| format!("{}{new}{}", &text[..from], &text[to..]);
    let mut rng = Rng::new(start as u64);
    Some(match mistake {
        Mistake::Deleted => put(start, end, " "),
        Mistake::Doubled => put(end, end, &format!(" {token}")),
        Mistake::Swapped => {
            let (next, last) = *tokens.get(at + 1)?;
            let other = &text[next..last];
            if other == token {
                return None;
            }
            put(start, last, &format!(" {other} {token} "))
        }
        Mistake::Replaced => {
            let word = rng.pick(KEYWORDS);
            if *word == token {
                return None;
            }
            put(start, end, &format!(" {word} "))
        }
        Mistake::Misspelt => {
            if token.len() < 4 || !token.bytes().all(|b| b.is_ascii_lowercase()) {
                return None;
            }
            let i = 1 + rng.below(token.len() - 2);
            let mut letters: Vec<char> = token.chars().collect();
            if letters[i] == letters[i + 1] {
                letters.remove(i);
            } else {
                letters.swap(i, i + 1);
            }
            put(start, end, &letters.iter().collect::<String>())
        }
    })
}
