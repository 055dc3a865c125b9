//! Every file that the compiler takes, this parser takes, too.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{accepted, files, first_error, tree};

#[test]
fn all_policies_parse() {
    let mut taken = 0;
    let mut wrong = Vec::new();
    for (name, text) in files() {
        if !accepted(&text) {
            continue;
        }
        taken += 1;
        if let Some(error) = first_error(&tree(&text)) {
            wrong.push(format!("{name}:{error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(taken > 200, "only {taken} files are accepted");
}

/// A file with Windows line ends, and one with a byte order mark.
#[test]
fn line_ends_and_marks() {
    let text = include_str!("../../tests/fixtures/forms.ctr");
    assert_eq!(first_error(&tree(&text.replace('\n', "\r\n"))), None);
    assert_eq!(first_error(&tree(&format!("\u{feff}{text}"))), None);
    // A carriage return alone is refused, as the compiler does.
    assert!(first_error(&tree("module a\rimport b\n")).is_some());
}

/// What the compiler refuses because of its form is an error here, too.
#[test]
fn refused() {
    for text in [
        "contract a { guarantee always }",
        "contract a { guarantee call a only after }",
        "contract a { guarantee call a; }",
        "contract a guarantee call b",
        "contract { }",
        "contract a { otherwise }",
        "predicate a = call b",
        "test a { }",
        "contract a { guarantee x === y }",
        "contract a { guarantee 'x' }",
        "contract a { guarantee never call a after call b within 3s }",
        "contract a { guarantee call a and call b only after call c }",
        "contract a { otherwise block \"not closed }",
        "tool a(x: list<int)",
    ] {
        assert!(!accepted(text), "{text}");
        assert!(first_error(&tree(text)).is_some(), "{text}");
    }
}
