//! The files of `test/corpus`, which `tree-sitter test` runs, too.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{root, tree};

/// A printed tree on one line, names of fields left out.
fn plain(tree: &str) -> String {
    let spaced = tree.replace('(', " (");
    let words: Vec<&str> = spaced
        .split_whitespace()
        .filter(|w| !w.ends_with(':'))
        .collect();
    words.join(" ")
}

#[test]
fn corpus() {
    let folder = root().join("grammar/tree-sitter/test/corpus");
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let rule = "=".repeat(80);
        let parts: Vec<&str> = text.split(&format!("{rule}\n")).collect();
        for pair in parts[1..].chunks(2) {
            let (title, body) = (pair[0].trim(), pair[1]);
            let (source, wanted) = body.split_once(&format!("\n{}\n", "-".repeat(80))).unwrap();
            let found = tree(source).root_node().to_sexp();
            assert_eq!(plain(&found), plain(wanted), "{}: {title}", path.display());
            cases += 1;
        }
    }
    assert!(cases >= 10, "{cases}");
}
