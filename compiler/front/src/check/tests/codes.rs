//! Each code's documentation: its wrong example gives exactly that code, its right one nothing.

use std::collections::BTreeSet;

use super::shown;
use crate::codes_check;
use crate::compile;
use crate::world::MemoryWorld;

fn codes_of(files: &[(&str, &str)]) -> (Vec<&'static str>, String) {
    let world = files
        .iter()
        .fold(MemoryWorld::new(), |world, (path, text)| {
            world.with(path, *text)
        });
    let root = files.first().map_or("", |(path, _)| path);
    let compiled = compile(&world, &[root.to_owned()]);
    let text: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|d| shown(&compiled, d))
        .collect();
    (
        compiled.diagnostics.iter().map(|d| d.code).collect(),
        text.join("\n"),
    )
}

#[test]
fn examples_are_what_they_say() {
    let mut wrong_ones = Vec::new();
    for doc in codes_check::all() {
        let (wrong, right) = (doc.wrong, doc.right);
        if wrong.is_empty() {
            assert!(matches!(doc.code, "E0434" | "E0435"), "{}", doc.code);
            continue;
        }
        let (codes, text) = codes_of(wrong);
        if codes != [doc.code] {
            wrong_ones.push(format!("{} wrong:\n{wrong:?}\n--\n{text}", doc.code));
        }
        let (codes, text) = codes_of(right);
        if !codes.is_empty() {
            wrong_ones.push(format!("{} right:\n{right:?}\n--\n{text}", doc.code));
        }
    }
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n\n"));
}

#[test]
fn codes_are_unique_and_in_order() {
    let codes: Vec<&str> = codes_check::all().map(|d| d.code).collect();
    let set: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(set.len(), codes.len());
    for doc in codes_check::all() {
        assert!(!doc.title.is_empty() && !doc.meaning.is_empty());
    }
}
