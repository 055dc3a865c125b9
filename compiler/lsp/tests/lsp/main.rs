//! The language server as an editor sees it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod actions;
mod candidates;
mod client;
mod commands;
mod describe;
mod files;
mod fixture;
mod hints;
mod hostile;
mod lifecycle;
mod tokens;

use std::path::Path;

#[test]
fn fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| fixture::check(path).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
