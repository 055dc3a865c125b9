//! The queries are valid, and colour as they should.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use std::collections::BTreeMap;

use common::{accepted, files, root, tree};
use tree_sitter::{Language, Query, QueryCursor, StreamingIterator, Tree};

fn language() -> Language {
    tree_sitter_ctr::LANGUAGE.into()
}

fn query(text: &str) -> Query {
    Query::new(&language(), text).unwrap_or_else(|e| panic!("{e}"))
}

/// The captures of a query: bytes, depth of the node, name.
fn captures(
    query: &Query,
    tree: &Tree,
    text: &str,
) -> Vec<(std::ops::Range<usize>, usize, String)> {
    let mut cursor = QueryCursor::new();
    let mut found = cursor.captures(query, tree.root_node(), text.as_bytes());
    let mut out = Vec::new();
    while let Some((of, index)) = found.next() {
        let capture = of.captures()[*index];
        let name = query.capture_names()[capture.index as usize].to_owned();
        let mut depth = 0;
        let mut at = capture.node;
        while let Some(parent) = at.parent() {
            depth += 1;
            at = parent;
        }
        out.push((capture.node.byte_range(), depth, name));
    }
    out.sort_by_key(|(range, depth, name)| (range.start, range.end, *depth, name.clone()));
    out.dedup();
    out
}

#[test]
fn all_are_valid() {
    for text in [
        tree_sitter_ctr::HIGHLIGHTS_QUERY,
        tree_sitter_ctr::INJECTIONS_QUERY,
        tree_sitter_ctr::LOCALS_QUERY,
        tree_sitter_ctr::TAGS_QUERY,
        tree_sitter_ctr::FOLDS_QUERY,
        tree_sitter_ctr::INDENTS_QUERY,
        tree_sitter_ctr::TEXTOBJECTS_QUERY,
    ] {
        query(text);
    }
}

/// Editors differ in which of two patterns wins: no node may be captured by two.
#[test]
fn no_node_has_two_colours() {
    let query = query(tree_sitter_ctr::HIGHLIGHTS_QUERY);
    for (name, text) in files() {
        if !accepted(&text) {
            continue;
        }
        let mut seen = BTreeMap::new();
        for (range, depth, capture) in captures(&query, &tree(&text), &text) {
            if let Some(other) = seen.insert((range.start, range.end, depth), capture.clone()) {
                panic!("{name}: `{}` is {other} and {capture}", &text[range]);
            }
        }
    }
}

/// Every token of an accepted file but white space has a colour.
#[test]
fn every_token_has_a_colour() {
    let query = query(tree_sitter_ctr::HIGHLIGHTS_QUERY);
    for (name, text) in files() {
        if !accepted(&text) {
            continue;
        }
        let mut coloured = vec![false; text.len()];
        for (range, _, _) in captures(&query, &tree(&text), &text) {
            coloured[range].fill(true);
        }
        for (at, c) in text.char_indices() {
            if !c.is_whitespace() && c != '\u{feff}' && !coloured[at] {
                let line = text[..at].lines().count();
                panic!("{name}:{line}: `{c}` has no colour");
            }
        }
    }
}

/// The text with the colour of each token below its line.
fn shown(text: &str) -> String {
    let query = query(tree_sitter_ctr::HIGHLIGHTS_QUERY);
    let mut colour: Vec<Option<(usize, String, usize)>> = vec![None; text.len()];
    for (n, (range, depth, capture)) in captures(&query, &tree(text), text).into_iter().enumerate()
    {
        for slot in &mut colour[range] {
            if slot.as_ref().is_none_or(|(d, ..)| *d < depth) {
                *slot = Some((depth, capture.clone(), n));
            }
        }
    }
    let mut out = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        let mut runs: Vec<(String, usize, usize, usize)> = Vec::new();
        for (i, byte) in line.bytes().enumerate() {
            let Some((_, name, n)) = &colour[at + i] else {
                continue;
            };
            if byte == b'\n' {
                continue;
            }
            match runs.last_mut() {
                Some((_, end, last, _)) if *last == *n && *end == i => *end = i + 1,
                _ => runs.push((name.clone(), i + 1, *n, i)),
            }
        }
        for (name, end, _, start) in runs {
            out.push_str(&format!(
                "    {:<24}{}\n",
                name,
                &line[start..end].trim_end()
            ));
        }
        at += line.len();
    }
    out
}

#[test]
fn colours() {
    let bless = std::env::var_os("CTRC_BLESS").is_some();
    for (name, file) in [
        ("forms", "grammar/tests/fixtures/forms.ctr"),
        ("conditions", "grammar/tests/fixtures/conditions.ctr"),
        ("tests", "grammar/tests/fixtures/tests.ctr"),
        ("deploy_gate", "examples/deploy_gate/policy.ctr"),
    ] {
        let text =
            std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        let now = shown(&text);
        let path = root().join(format!("grammar/tree-sitter/tests/colours/{name}.txt"));
        if bless {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &now).unwrap();
        }
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            now == before,
            "{}: the colours have changed; `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test queries` and read the difference",
            path.display()
        );
    }
}

/// What folds: contracts, tests and runs of documentation.
#[test]
fn folds() {
    let text = "//! a\n//! b\nmodule m\n/// d\n/// e\ncontract c {\n  guarantee call a\n}\ntest \"t\" {\n  call a(x: {\n    y: 1\n  })\n}\n";
    let query = query(tree_sitter_ctr::FOLDS_QUERY);
    let tree = tree(text);
    let mut cursor = QueryCursor::new();
    let mut found = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut lines = Vec::new();
    while let Some(of) = found.next() {
        let first = of.captures().first().unwrap().node.start_position().row;
        let last = of.captures().last().unwrap().node.end_position().row;
        if first < last {
            lines.push((first + 1, last + 1));
        }
    }
    lines.sort();
    lines.dedup();
    for wanted in [(1, 2), (4, 5), (6, 8), (9, 13), (10, 12)] {
        assert!(lines.contains(&wanted), "{wanted:?} of {lines:?}");
    }
}

/// Definitions that a list of symbols shows.
#[test]
fn tags() {
    let text = "module a.b\ntool s.pay(x: int)\npredicate p(a: event) = always a\ncontract c {\n  guarantee p(call pay)\n}\n";
    let query = query(tree_sitter_ctr::TAGS_QUERY);
    let mut found: Vec<String> = captures(&query, &tree(text), text)
        .into_iter()
        .map(|(range, _, name)| {
            format!("{name} {}", text[range].split_whitespace().next().unwrap())
        })
        .collect();
    found.sort();
    for wanted in [
        "name a.b",
        "name pay",
        "name p",
        "name c",
        "definition.class contract",
        "reference.call p(call",
    ] {
        assert!(found.iter().any(|f| f == wanted), "{wanted}: {found:?}");
    }
}
