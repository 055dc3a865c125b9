//! Habits of other languages: the change that a message offers mends the file.

use std::fs;

use ctr_front::diagnostic::Diagnostic;

use crate::mistakes::{errors, root};

/// Applies each fix of each error of the fixtures of slips: the error goes, and no new one comes.
#[test]
fn fixes_mend_and_bring_nothing_new() {
    let mut faults = Vec::new();
    let mut tried = 0;
    for entry in fs::read_dir(root().join("tests/ui/slips")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "ctr") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let path = path.to_string_lossy().into_owned();
        let before = errors(&path, &text);
        for error in &before {
            for fix in &error.fixes {
                let mut fixed = text.clone();
                for (place, new) in fix.edits.iter().rev() {
                    let span = place.span;
                    fixed.replace_range(span.start as usize..span.end as usize, new);
                }
                tried += 1;
                let after = errors(&path, &fixed);
                let known = |e: &&Diagnostic| {
                    before
                        .iter()
                        .any(|b| b.code == e.code && b.message == e.message)
                };
                let new: Vec<&Diagnostic> = after.iter().filter(|e| !known(e)).collect();
                // What the syntax hid may come to light: names and types of the mended clause.
                let new_syntax: Vec<_> = new.iter().filter(|e| e.code < "E0200").collect();
                if after.len() > before.len()
                    || !new_syntax.is_empty()
                    || after
                        .iter()
                        .filter(|e| e.code == error.code && e.message == error.message)
                        .count()
                        >= before
                            .iter()
                            .filter(|e| e.code == error.code && e.message == error.message)
                            .count()
                {
                    let told = |all: &[Diagnostic]| -> Vec<String> {
                        all.iter()
                            .map(|e| format!("{} {}", e.code, e.message))
                            .collect()
                    };
                    faults.push(format!(
                        "{path}: `{}` of {} {}\n  before {:?}\n  after {:?}\n{fixed}",
                        fix.title,
                        error.code,
                        error.message,
                        told(&before),
                        told(&after)
                    ));
                }
            }
        }
    }
    assert!(tried >= 60, "only {tried} fixes");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
