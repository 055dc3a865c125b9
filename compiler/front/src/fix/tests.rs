#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::convert::Infallible;

use ctr_grammar::Span;

use super::*;
use crate::diagnostic::{Fix, Severity};
use crate::ir::Place;
use crate::world::MemoryWorld;

/// A rule of a judge made for a test: each occurrence of a text is a finding, with a change of it.
#[derive(Clone, Copy)]
struct Rule {
    code: &'static str,
    text: &'static str,
    new: Option<&'static str>,
    safe: bool,
}

const fn rule(code: &'static str, text: &'static str, new: Option<&'static str>) -> Rule {
    Rule {
        code,
        text,
        new,
        safe: true,
    }
}

fn judge(rules: &[Rule], world: &dyn World) -> Judged {
    let mut judged = Judged::default();
    for (index, path) in ["a", "b"].into_iter().enumerate() {
        let text = world
            .read(path)
            .map(String::from_utf8)
            .unwrap_or(Ok(String::new()))
            .unwrap();
        for rule in rules {
            for (at, _) in text.match_indices(rule.text) {
                let place = Place {
                    source: SourceId(u32::try_from(index).unwrap()),
                    span: Span::new(
                        u32::try_from(at).unwrap(),
                        u32::try_from(at + rule.text.len()).unwrap(),
                    ),
                };
                let mut found = Diagnostic::warning(rule.code, rule.text, place, "");
                if rule.code.starts_with('E') {
                    found.severity = Severity::Error;
                }
                if let Some(new) = rule.new {
                    found = found.with_fix(Fix {
                        title: format!("write {new}"),
                        edits: vec![(place, new.to_owned())],
                        safe: rule.safe,
                    });
                }
                judged.diagnostics.push(found);
            }
        }
        judged.sources.push(Source {
            path: path.to_owned(),
            text,
        });
    }
    judged
}

/// The text of `a` afterwards, and what became of it. `b` may not be changed.
fn fixed(rules: &[Rule], text: &str, unsafe_too: bool) -> (String, Outcome) {
    let world = MemoryWorld::new().with("a", text).with("b", text);
    let editable = BTreeSet::from(["a".to_owned()]);
    let outcome = fix(
        &world,
        BTreeMap::new(),
        &editable,
        unsafe_too,
        &mut |world| Ok::<_, Infallible>(judge(rules, world)),
    )
    .unwrap();
    assert!(outcome.files.keys().all(|file| file == "a"));
    let text = outcome.files.get("a").map_or(text, |file| &file.new);
    (text.to_owned(), outcome)
}

#[test]
fn what_does_not_touch_is_made_at_once() {
    let rules = [rule("W1", "xx", Some("y"))];
    let (text, outcome) = fixed(&rules, "xx xx\nxxxx", false);
    assert_eq!(text, "y y\nyy");
    assert_eq!(outcome.ended, Ended::Done);
    assert_eq!(outcome.made.len(), 4);
    assert_eq!(outcome.refused, []);
    // What is left is what the caller tells: that of the other file.
    assert_eq!(outcome.judged.diagnostics.len(), 4);
}

#[test]
fn only_safe_ones_unless_asked() {
    let rules = [Rule {
        safe: false,
        ..rule("W1", "x", Some("y"))
    }];
    assert_eq!(fixed(&rules, "x", false).0, "x");
    assert_eq!(fixed(&rules, "x", true).0, "y");
}

#[test]
fn what_makes_an_error_is_taken_back_alone() {
    // `bc` becomes an error by one of the changes; the others are made.
    let rules = [
        rule("W1", "a", Some("b")),
        rule("W2", "q", Some("r")),
        rule("E0401", "bc", None),
        rule("E0402", "rr", None),
    ];
    let (text, outcome) = fixed(&rules, "a. q. ac. q. a", false);
    assert_eq!(text.matches("ac").count(), 1, "{text}");
    assert_eq!(text.matches('r').count(), 2, "{text}");
    assert_eq!(outcome.ended, Ended::Done);
    assert!(!outcome.refused.is_empty());
    assert!(
        outcome
            .judged
            .diagnostics
            .iter()
            .all(|d| d.severity != Severity::Error)
    );
}

#[test]
fn another_error_in_place_of_one_is_worse_but_not_behind_a_syntax_error() {
    let hides = [rule("E0040", "&&", Some("and")), rule("E0401", "and", None)];
    assert_eq!(fixed(&hides, "&&", false).0, "and");
    let swaps = [rule("E0402", "&&", Some("and")), rule("E0401", "and", None)];
    let (text, outcome) = fixed(&swaps, "&&", false);
    assert_eq!(text, "&&");
    assert_eq!(outcome.refused.len(), 1);
}

#[test]
fn warnings_may_show_only_where_errors_go() {
    let rules = [rule("E0402", "x", Some("w")), rule("W1", "w", None)];
    assert_eq!(fixed(&rules, "x", false).0, "w");
    let rules = [rule("W2", "x", Some("ww")), rule("W1", "w", None)];
    assert_eq!(fixed(&rules, "x", false).0, "x");
}

#[test]
fn changes_that_undo_each_other_end() {
    let rules = [rule("W1", "a", Some("b")), rule("W2", "b", Some("a"))];
    let (text, outcome) = fixed(&rules, "a", false);
    assert_eq!(outcome.ended, Ended::Circle);
    assert_eq!(text, "a");
    assert!(outcome.files.is_empty());
}

#[test]
fn a_change_that_mends_nothing_is_not_made_again_and_again() {
    let rules = [rule("W1", "a", Some("aa"))];
    let (text, outcome) = fixed(&rules, "a", false);
    assert_eq!(text, "a");
    assert_eq!(outcome.refused.len(), 1);
    // One that grows for ever ends.
    let grows = [rule("W1", "a", Some("cb")), rule("W2", "b", Some("da"))];
    let (_, outcome) = fixed(&grows, "a", false);
    assert_eq!(outcome.ended, Ended::Limit);
}

#[test]
fn line_ends_are_those_of_the_file() {
    let rules = [rule("W1", "x", Some("1\n2\r\n3"))];
    assert_eq!(fixed(&rules, "a\r\nx\r\n", false).0, "a\r\n1\r\n2\r\n3\r\n");
    assert_eq!(fixed(&rules, "a\nx\n", false).0, "a\n1\n2\r\n3\n");
}
