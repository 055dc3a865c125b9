#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use super::*;
use crate::compile;
use crate::world::MemoryWorld;

/// `code@line` of what is left, sorted.
fn left(text: &str) -> Vec<String> {
    let (codes, _) = judged(text);
    codes
}

fn judged(text: &str) -> (Vec<String>, Vec<Diagnostic>) {
    let world = MemoryWorld::new().with("a.ctr", text);
    let compiled = compile(&world, &["a.ctr".to_owned()]);
    let codes: Vec<&str> = crate::codes::all().map(|doc| doc.code).collect();
    let applied = read(&compiled.graph, &codes).apply(compiled.diagnostics, &|_| true);
    let mut all = applied.diagnostics;
    all.extend(applied.unused.iter().map(Unused::finding));
    let mut shown: Vec<String> = all
        .iter()
        .map(|found| {
            let at = found.primary.place.span.start as usize;
            format!("{}@{}", found.code, text[..at].matches('\n').count() + 1)
        })
        .collect();
    shown.sort();
    (shown, all)
}

/// With the fixes of the findings made, one after the other.
fn mended(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..10 {
        let (_, all) = judged(&text);
        let Some(fix) = all.iter().flat_map(|d| &d.fixes).find(|f| f.safe) else {
            return text;
        };
        for (place, new) in fix.edits.iter().rev() {
            text.replace_range(place.span.start as usize..place.span.end as usize, new);
        }
    }
    text
}

// `call a` alone is judged at the first step: W0407.
const WHY: &str = "because it is meant";

#[test]
fn where_a_comment_counts() {
    for (text, wanted) in [
        // Nothing allows it.
        ("contract c {\n  guarantee call a\n}\n", vec!["W0407@2"]),
        // Above the item, the clause, at the end of the line.
        (
            "// ctrc: allow(W0407) WHY\ncontract c {\n  guarantee call a\n}\n",
            vec![],
        ),
        (
            "contract c {\n  // ctrc: allow(W0407) WHY\n  guarantee call a\n}\n",
            vec![],
        ),
        (
            "contract c {\n  guarantee call a // ctrc: allow(W0407) WHY\n}\n",
            vec![],
        ),
        (
            "//ctrc:allow( W0407 ,)because it is\ncontract c {\n  guarantee call a\n}\n",
            vec![],
        ),
        // Through documentation, attributes and other comments.
        (
            "// ctrc: allow(W0407) WHY\n\n/// of c\n// more\n@severity(high)\ncontract c {\n  guarantee call a\n}\n",
            vec![],
        ),
        (
            "/// of c\n@severity(high)\n// ctrc: allow(W0407) WHY\ncontract c {\n  guarantee\n    call a\n}\n",
            vec![],
        ),
        // A clause of several lines; its middle.
        (
            "contract c {\n  // ctrc: allow(W0407) WHY\n  guarantee\n\n    call a\n}\n",
            vec![],
        ),
        (
            "contract c {\n  guarantee\n    // ctrc: allow(W0407) WHY\n    call a\n}\n",
            vec![],
        ),
        // Another clause, line or file part is not covered.
        (
            "contract c {\n  // ctrc: allow(W0407) WHY\n  guarantee never call b\n  guarantee call a\n}\n",
            vec!["W0407@4", "W0803@2"],
        ),
        (
            "contract c { // ctrc: allow(W0407) WHY\n  guarantee call a\n}\n",
            vec!["W0407@2", "W0803@1"],
        ),
        (
            "contract c {\n  guarantee call a\n}\n// ctrc: allow(W0407) WHY\n",
            vec!["W0407@2", "W0803@4"],
        ),
        // CRLF and the byte order mark.
        (
            "\u{feff}// ctrc: allow(W0407) WHY\r\ncontract c {\r\n  guarantee call a\r\n}\r\n",
            vec![],
        ),
        (
            "contract c {\r\n  guarantee call a // ctrc: allow(W0407) WHY\r\n}\r\n",
            vec![],
        ),
        // A string is no comment.
        (
            "contract c {\n  guarantee call a\n  otherwise block \"// ctrc: allow(W0407) WHY\"\n}\n",
            vec!["W0407@2"],
        ),
    ] {
        let text = text.replace("WHY", WHY);
        assert_eq!(left(&text), wanted, "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_comment() {
    for (comment, wanted) in [
        ("// ctrc: allow(W0407)", vec!["W0800@1"]),
        ("// ctrc: allow(W0407) because", vec!["W0800@1"]),
        ("// ctrc: allow(W0407) because ...", vec!["W0800@1"]),
        ("// ctrc: allow(W0407) it is meant", vec!["W0800@1"]),
        ("// ctrc: allow(w0407) WHY", vec!["W0407@3", "W0801@1"]),
        ("// ctrc: allow(warnings) WHY", vec!["W0407@3", "W0801@1"]),
        ("// ctrc: allow(W0407, W9999) WHY", vec!["W0801@1"]),
        ("// ctrc: allow(E0401, W0407) WHY", vec!["W0802@1"]),
        ("// ctrc: allow(W0407, W0407) WHY", vec!["W0803@1"]),
        ("// ctrc: allow(W0408, W0407) WHY", vec!["W0803@1"]),
        ("// ctrc: allow W0407 WHY", vec!["W0407@3", "W0804@1"]),
        ("// ctrc: allow(W0407 WHY", vec!["W0407@3", "W0804@1"]),
        ("// ctrc: allow() WHY", vec!["W0407@3", "W0804@1"]),
        ("// ctrc: ignore[W0407]", vec!["W0407@3", "W0804@1"]),
        ("// CTRC: allow(W0407) WHY", vec!["W0407@3", "W0804@1"]),
        ("// ctrc allow(W0407) WHY", vec!["W0407@3", "W0804@1"]),
        ("/* ctrc: allow(W0407) WHY */", vec!["W0407@3", "W0804@1"]),
        ("/// ctrc: allow(W0407) WHY", vec!["W0407@3", "W0804@1"]),
        ("// ctrc checks this, and ctrc: too", vec!["W0407@3"]),
        ("// the ctrc: allow(W0407) comment", vec!["W0407@3"]),
    ] {
        let comment = comment.replace("WHY", WHY);
        let text = format!("{comment}\ncontract c {{\n  guarantee call a\n}}\n");
        assert_eq!(left(&text), wanted, "{comment}");
    }
}

#[test]
fn the_comment_that_covers_least_allows() {
    let text = format!(
        "// ctrc: allow(W0407) {WHY}\ncontract c {{\n  // ctrc: allow(W0407) {WHY}\n  guarantee call a\n}}\n"
    );
    assert_eq!(left(&text), ["W0803@1"]);
    let twice = format!(
        "// ctrc: allow(W0407) {WHY}\n// ctrc: allow(W0407) {WHY}\ncontract c {{\n  guarantee call a\n}}\n"
    );
    assert_eq!(left(&twice), ["W0803@2"]);
}

#[test]
fn an_unused_one_is_removed_and_nothing_else() {
    let contract = "contract c {\n  guarantee never call a\n}\n";
    for (text, wanted) in [
        (
            format!("// a\n// ctrc: allow(W0407) {WHY}\n{contract}"),
            format!("// a\n{contract}"),
        ),
        (
            format!("\u{feff}// ctrc: allow(W0407) {WHY}\r\n{contract}"),
            format!("\u{feff}{contract}"),
        ),
        (
            format!("{contract}  // ctrc: allow(W0407) {WHY}"),
            contract.to_owned(),
        ),
        (
            format!(
                "contract c {{\r\n  guarantee never call a  // ctrc: allow(W0407) {WHY}\r\n}}\r\n"
            ),
            "contract c {\r\n  guarantee never call a\r\n}\r\n".to_owned(),
        ),
        (
            format!(
                "// ctrc: allow(W0408, W0407,W0407) {WHY}\ncontract c {{\n  guarantee call a\n}}\n"
            ),
            format!("// ctrc: allow(W0407) {WHY}\ncontract c {{\n  guarantee call a\n}}\n"),
        ),
    ] {
        assert_eq!(mended(&text), wanted, "{text}");
    }
}

#[test]
fn what_was_not_looked_for_is_not_called_unused() {
    let text = format!(
        "// ctrc: allow(W0706, W0407) {WHY}\ncontract c {{\n  guarantee never call a\n}}\n"
    );
    let world = MemoryWorld::new().with("a.ctr", text.as_str());
    let compiled = compile(&world, &["a.ctr".to_owned()]);
    let all = read(&compiled.graph, &["W0407", "W0706"]);
    let applied = all.apply(compiled.diagnostics.clone(), &|code| code < "W0700");
    assert_eq!(applied.unused.len(), 1);
    assert_eq!(applied.unused[0].codes, ["W0407"]);
    // Nor is anything where there are errors.
    let place = Place {
        source: SourceId(0),
        span: Span::default(),
    };
    let error = Diagnostic::error("E0401", "", place, "");
    assert!(all.apply(vec![error], &|_| true).unused.is_empty());
}

#[test]
fn only_files_that_were_named_are_asked() {
    let world = MemoryWorld::new()
        .with("a.ctr", "include \"b.ctr\"\n")
        .with("b.ctr", format!("// ctrc: allow(W0408) {WHY}\n// ctrc: allow(W0407)\ncontract c {{\n  guarantee call a\n}}\n"));
    let compiled = compile(&world, &["a.ctr".to_owned()]);
    let codes = ["W0407", "W0408"];
    let applied = read(&compiled.graph, &codes).apply(compiled.diagnostics, &|_| true);
    assert!(applied.unused.is_empty());
    let left: Vec<&str> = applied.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(left, ["W0800"]);
    assert_eq!(applied.used.len(), 1);
}
