//! The words of the grammar and of its queries are those of the one keyword table.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod common;

use std::collections::BTreeSet;
use std::process::Command;

use common::root;
use ctr_grammar::keywords::{FUNCTIONS, KEYWORDS};

/// The version of the command that generated the parser.
const VERSION: &str = "0.27.1";

fn folder() -> std::path::PathBuf {
    root().join("grammar/tree-sitter")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap()
}

/// The single words of the table; `event` is also a type of parameters.
fn words() -> BTreeSet<String> {
    KEYWORDS
        .iter()
        .flat_map(|k| k.name.split(' '))
        .map(str::to_owned)
        .collect()
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase())
}

/// What stands between quotes in a text, where it is a word.
fn quoted(text: &str, quote: char) -> BTreeSet<String> {
    let lines = text
        .lines()
        .filter(|l| !l.trim_start().starts_with(['/', '*', ';']));
    lines
        .flat_map(|line| {
            let parts: Vec<&str> = line.split(quote).collect();
            parts
                .into_iter()
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|s| is_word(s))
        .collect()
}

#[test]
fn of_the_parser() {
    let language = tree_sitter::Language::new(tree_sitter_ctr::LANGUAGE);
    let tokens: BTreeSet<String> = (0..u16::try_from(language.node_kind_count()).unwrap())
        .filter(|id| !language.node_kind_is_named(*id))
        .filter_map(|id| language.node_kind_for_id(id))
        .filter(|kind| is_word(kind))
        .map(str::to_owned)
        .collect();
    assert_eq!(tokens, words());
}

#[test]
fn of_the_source() {
    let text = read("grammar.js");
    let rules = text.split("module.exports").nth(1).unwrap();
    // Names of fields stand in quotes, too.
    let fields: BTreeSet<String> = rules
        .split("field('")
        .skip(1)
        .filter_map(|f| f.split('\'').next())
        .map(str::to_owned)
        .collect();
    let all: BTreeSet<String> = quoted(&text, '\'').difference(&fields).cloned().collect();
    let table = words();
    let missing: Vec<&String> = table
        .iter()
        .filter(|w| !all.contains(*w) && !fields.contains(*w))
        .collect();
    assert!(missing.is_empty(), "not in grammar.js: {missing:?}");
    let more: Vec<&String> = all
        .iter()
        .filter(|w| !table.contains(*w) && *w != "ctr")
        .collect();
    assert!(more.is_empty(), "no keywords: {more:?}");
}

/// Each word of the table is coloured, and each built-in function.
#[test]
fn of_the_highlights() {
    let query = read("queries/highlights.scm");
    let coloured = quoted(&query, '"');
    let of_types = [
        "string",
        "int",
        "number",
        "bool",
        "timestamp",
        "duration",
        "null",
        "any",
        "true",
        "false",
    ];
    let missing: Vec<String> = words()
        .into_iter()
        .filter(|w| !coloured.contains(w) && !of_types.contains(&w.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for list in query.split("any-of? @function.").skip(1) {
        let list = list.split(')').next().unwrap();
        let names: Vec<String> = list
            .split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        assert_eq!(names, FUNCTIONS);
    }
}

/// A sum that any change changes (FNV-1a).
fn sum(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in text.bytes().filter(|b| *b != b'\r') {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

const GENERATED: [&str; 3] = ["src/parser.c", "src/grammar.json", "src/node-types.json"];

/// What was made from what, when the command to generate was last at hand.
fn sums() -> String {
    let mut out = String::new();
    for file in ["grammar.js"].iter().chain(&GENERATED) {
        out.push_str(&format!("{} {file}\n", sum(&read(file))));
    }
    out
}

/// `parser.c` is what `grammar.js` says: asked of the command that generates it, where that is at hand; else neither has
/// changed since it was asked.
#[test]
fn generated() {
    let found = Command::new("tree-sitter").arg("--version").output();
    let found = found.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let node = Command::new("node").arg("--version").output().is_ok();
    if found.is_ok_and(|v| v.contains(VERSION)) && node {
        let out = std::env::temp_dir().join(format!("tree-sitter-ctr-{}", std::process::id()));
        std::fs::create_dir_all(&out).unwrap();
        let run = Command::new("tree-sitter")
            .args(["generate", "--abi", "14", "--output"])
            .arg(&out)
            .current_dir(folder())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{told}");
        for file in GENERATED {
            let name = file.strip_prefix("src/").unwrap();
            let new = std::fs::read_to_string(out.join(name)).unwrap();
            assert!(
                new == read(file),
                "{file} is stale: run `tree-sitter generate --abi 14` in grammar/tree-sitter"
            );
        }
        std::fs::remove_dir_all(&out).unwrap();
        if std::env::var_os("CTRC_BLESS").is_some() {
            std::fs::write(folder().join("tests/generated.txt"), sums()).unwrap();
        }
    } else {
        eprintln!(
            "SKIPPED: tree-sitter {VERSION} and node are not at hand: the parser is not made anew"
        );
    }
    assert!(
        read("tests/generated.txt") == sums(),
        "grammar.js or what is made from it has changed: where tree-sitter {VERSION} and node are at hand, \
         CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test words"
    );
}
