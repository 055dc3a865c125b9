//! Texts that are being written: every beginning of the examples, and edits of them, are parsed in bounded time, and a
//! mistake does not take the file with it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use std::time::{Duration, Instant};

use common::{files, first_error, parser, tree, visit};
use tree_sitter::{InputEdit, Point};

fn point(text: &str, at: usize) -> Point {
    let before = &text[..at];
    let row = before.matches('\n').count();
    let column = at - before.rfind('\n').map_or(0, |n| n + 1);
    Point { row, column }
}

/// As an editor does it: typed character by character, each time with the tree before.
#[test]
fn typed() {
    let mut parser = parser();
    let mut slowest = (Duration::ZERO, String::new());
    for (name, text) in files() {
        if !name.starts_with("examples/") {
            continue;
        }
        let mut old = parser.parse("", None).unwrap();
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            old.edit(&InputEdit {
                start_byte: at,
                old_end_byte: at,
                new_end_byte: end,
                start_position: point(&text, at),
                old_end_position: point(&text, at),
                new_end_position: point(&text, end),
            });
            let start = Instant::now();
            old = parser.parse(&text[..end], Some(&old)).unwrap();
            let took = start.elapsed();
            if took > slowest.0 {
                slowest = (took, format!("{name} {at}"));
            }
        }
        assert_eq!(first_error(&old), None, "{name}");
        assert_eq!(
            old.root_node().to_sexp(),
            tree(&text).root_node().to_sexp(),
            "{name}"
        );
    }
    assert!(slowest.0 < Duration::from_secs(5), "{slowest:?}");
}

/// One broken line: what stands in the other contracts and tests is still found.
#[test]
fn a_mistake_stays_where_it_is() {
    for (name, text) in files() {
        if !name.starts_with("examples/") {
            continue;
        }
        let count = |text: &str| {
            let mut n = 0usize;
            visit(tree(text).root_node(), &mut |node| {
                n += usize::from(matches!(
                    node.kind(),
                    "contract_declaration" | "test_declaration"
                ));
            });
            n
        };
        let whole = count(&text);
        let lines: Vec<&str> = text.lines().collect();
        let (mut kept, mut broken) = (0, 0);
        let mut hurt = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if !line.starts_with("  ") || words.len() < 2 || words[0].starts_with("//") {
                continue;
            }
            let mut copy = lines.clone();
            let half = format!("  {}", words[..words.len() / 2].join(" "));
            copy[n] = &half;
            broken += 1;
            let well = count(&copy.join("\n")) + 1 >= whole;
            kept += usize::from(well);
            if !well {
                hurt.push(format!("{}: {half}", n + 1));
            }
        }
        assert!(
            kept * 10 >= broken * 8,
            "{name}: of {broken} mistakes these hurt more than one contract:\n{}",
            hurt.join("\n")
        );
    }
}

/// Text that is no policy at all.
#[test]
fn nonsense() {
    let mut texts = vec![
        "(".repeat(20_000),
        "{[(".repeat(5_000),
        "not ".repeat(20_000),
        "always a and ".repeat(5_000),
        "contract ".repeat(5_000),
        "\"".repeat(9_999),
        "/".repeat(9_999),
        "a.".repeat(20_000),
        "\u{0}\u{feff}é".repeat(5_000),
        "contract c { guarantee call a(".repeat(2_000),
        "@a(".repeat(5_000),
        "} ".repeat(10_000),
    ];
    texts.extend(
        files()
            .into_iter()
            .map(|(_, text)| text)
            .filter(|t| t.len() < 20_000),
    );
    let mut parser = parser();
    for text in texts {
        let start = Instant::now();
        parser.parse(&text, None).unwrap();
        let took = start.elapsed();
        let head: String = text.chars().take(20).collect();
        assert!(took < Duration::from_secs(10), "{head}: {took:?}");
    }
}
