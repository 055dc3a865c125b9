//! What the parser makes of broken texts.
//!
//! | case | where it is held |
//! | --- | --- |
//! | unclosed strings | `ui/slips/unclosed_string`, `badsource::one_mistake_is_one_error`; here in all shapes |
//! | a missing brace | `ctr_grammar::tests::errors::a_missing_brace_is_found_and_later_items_are_read`, `ui/slips/missing_brace`; here with findings behind it |
//! | one slip, one error | `slips` (each fixture and its change); here every token of the examples |
//! | errors of several contracts | here |
//! | recovery at the end | `badsource::lexer_and_parser_recovery`, `ctr_grammar::tests::robust::ends_of_text`; here every prefix |
//! | large files | `badsource::large_and_deep_policies`; here that time is linear |
//! | odd numbers | `ctr_grammar::tests::robust::numbers`, `badsource::lexer_and_parser_recovery` |
//! | merge conflicts, operators of other languages | `ui/slips` |
//! | an operator of time in a condition | `ui/scope`; here its place |
//!
//! `CTRC_MISTAKES=examples` tries every token and every prefix of the examples, `CTRC_MISTAKES=all` of
//! all policies that are shipped.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::mistakes::{MISTAKES, Mistake, clean_files, errors, make, tokens};

/// One mistake gives one error, almost always.
#[test]
fn one_mistake_is_one_error() {
    let wanted = std::env::var("CTRC_MISTAKES").unwrap_or_default();
    let all = !wanted.is_empty();
    let mut counts: BTreeMap<Mistake, [usize; 5]> = BTreeMap::new();
    let mut worst: Vec<(usize, String)> = Vec::new();
    let mut slowest = Duration::ZERO;
    let stride = if all { 1 } else { 17 };
    for (path, text) in clean_files(wanted == "all") {
        let tokens = tokens(&text);
        for mistake in MISTAKES {
            for at in (0..tokens.len()).step_by(stride) {
                let Some(broken) = make(&text, &tokens, at, mistake) else {
                    continue;
                };
                let start = Instant::now();
                let found = errors(&path, &broken);
                slowest = slowest.max(start.elapsed());
                counts.entry(mistake).or_default()[found.len().min(4)] += 1;
                if found.len() > 1 {
                    let (from, to) = tokens[at];
                    let line = text[..from].matches('\n').count() + 1;
                    let name = path.rsplit('/').take(2).collect::<Vec<_>>().join("<");
                    let mut told = format!("{name}:{line} {mistake:?} `{}`", &text[from..to]);
                    for error in &found {
                        let at = error.primary.place.span.start as usize;
                        let line = broken
                            .get(..at)
                            .map_or(0, |before| before.matches('\n').count() + 1);
                        told += &format!("\n    {line}: {} {}", error.code, error.message);
                    }
                    worst.push((found.len(), told));
                }
            }
        }
    }
    let total = |n: usize| counts.values().map(|c| c[n]).sum::<usize>();
    let faulty: usize = (1..5).map(total).sum();
    let share = total(1) as f64 / faulty as f64;
    worst.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    if all {
        for (_, told) in &worst {
            eprintln!("{told}");
        }
    }
    eprintln!(
        "errors for one mistake (0, 1, 2, 3, more): {counts:?}; one: {share:.4}; slowest {slowest:?}"
    );
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    assert!(total(4) == 0 || all, "more than three: {worst:#?}");
    assert!(share >= 0.95 || all, "only {share:.3}: {worst:#?}");
}

/// Every prefix of a file gives findings in time.
#[test]
fn every_prefix() {
    let wanted = std::env::var("CTRC_MISTAKES").unwrap_or_default();
    let stride = if wanted.is_empty() { 61 } else { 1 };
    let mut count = 0;
    let mut slowest = Duration::ZERO;
    for (path, text) in clean_files(wanted == "all") {
        for (end, _) in text.char_indices().step_by(stride) {
            let start = Instant::now();
            let found = errors(&path, &text[..end]);
            slowest = slowest.max(start.elapsed());
            // What is missing is one thing: the end.
            assert!(found.len() <= 4, "{path}, {end}: {found:#?}");
            count += 1;
        }
    }
    eprintln!("{count} prefixes, the slowest took {slowest:?}");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

/// Where an error begins, and its code.
fn places(text: &str) -> Vec<(usize, &'static str)> {
    let mut all: Vec<(usize, &'static str)> = errors("a.ctr", text)
        .iter()
        .map(|d| {
            let at = d.primary.place.span.start as usize;
            (text[..at].matches('\n').count() + 1, d.code)
        })
        .collect();
    all.sort_unstable();
    all
}

/// A string that is not closed is one error at its quote, and what comes after its line is still checked.
#[test]
fn unclosed_strings() {
    let after = "\n  guarantee never call payy\n}\ncontract d { guarantee never call payyy }\n";
    for open in ["\"abc", "\"é", "\"\\", "\"a\\u{", "\"“", "\"'", "\"a // b"] {
        let text = format!(
            "tool pay(to: string)\ncontract c {{\n  guarantee never call pay(to == {open}{after}"
        );
        let found = places(&text);
        assert_eq!(found, [(3, "E0011"), (4, "E0401"), (6, "E0401")], "{open}");
        let at = text.find(open).unwrap();
        let first = errors("a.ctr", &text);
        assert_eq!(first[0].primary.place.span.start as usize, at, "{open}");
        // The same at the end of the file.
        let text = format!("contract c {{\n  guarantee never call pay\n  otherwise block {open}");
        assert_eq!(places(&text), [(3, "E0011")], "{open}");
    }
}

/// The brace of one contract of twenty is missing: one error that shows where it was opened, and what is
/// wrong in the others is told.
#[test]
fn a_missing_brace_hides_nothing() {
    for missing in [0, 1, 10, 19] {
        let mut text = "tool pay(to: string)\n".to_owned();
        for i in 0..20 {
            let close = if i == missing { "" } else { "}\n" };
            let tool = if i % 6 == 5 {
                format!("unknown{i}")
            } else {
                "pay".to_owned()
            };
            text += &format!("contract c{i} {{\n  guarantee never call {tool}\n{close}");
        }
        let found = errors("a.ctr", &text);
        let brace: Vec<_> = found.iter().filter(|d| d.code == "E0030").collect();
        assert_eq!(brace.len(), 1, "{missing}: {found:#?}");
        let opened = brace[0].secondary[0].place.span.start as usize;
        assert!(
            text[..opened].ends_with(&format!("contract c{missing} ")),
            "{missing}"
        );
        let unknown = found.iter().filter(|d| d.code == "E0401").count();
        assert_eq!(unknown, 3, "{missing}: {found:#?}");
    }
}

/// Errors of the lexer, the parser and the checker in three contracts: each is told, in order.
#[test]
fn each_contract_has_its_error() {
    let text = "tool pay(amount: number)\n\
        contract a { guarantee never call pay(amount > \u{a7}) }\n\
        contract b { guarantee never never }\n\
        contract d { guarantee never call payy }\n\
        contract e { guarantee call pay only if always amount > 3 }\n";
    let found = places(text);
    assert_eq!(
        found,
        [(2, "E0010"), (3, "E0040"), (4, "E0401"), (5, "E0421")]
    );
}

/// A broken declaration does not make its name unknown, nor does a broken import.
#[test]
fn a_broken_declaration_hides_nothing_else() {
    for declaration in [
        "tool pay(amount number, to: string)",
        "tool pay amount: number)",
        "tool pay(amount: number",
        "tools form \"tools.json\"",
        "group pay = { x, }, y",
    ] {
        let text = format!(
            "{declaration}\n\ncontract a {{\n  guarantee never call pay(amount > 3)\n}}\n\
             contract b {{ guarantee never call pay }}\n"
        );
        let found = places(&text);
        assert_eq!(found.len(), 1, "{declaration}: {found:?}");
        assert_eq!(found[0].0, 1, "{declaration}");
    }
}

/// Twice the text takes about twice the time, whatever is wrong with it.
#[test]
fn time_is_linear() {
    type Shape = (&'static str, fn(usize) -> String);
    let shapes: [Shape; 5] = [
        ("contracts", |n| {
            "contract c { guarantee never call a call b }\n".repeat(n)
        }),
        ("one line", |n| {
            format!("contract c {{ {} }}", "guarantee call a = b ".repeat(n))
        }),
        ("open braces", |n| {
            "contract c { guarantee call a(\n".repeat(n)
        }),
        ("names", |n| {
            format!(
                "contract {} {{ guarantee alwys call a }}",
                "x".repeat(n * 50)
            )
        }),
        ("digits", |n| {
            format!(
                "contract c {{ guarantee call a only if n < {} and }}",
                "9".repeat(n * 50)
            )
        }),
    ];
    for (name, shape) in shapes {
        let time = |n: usize| {
            let text = shape(n);
            let start = Instant::now();
            let found = errors("a.ctr", &text);
            assert!(!found.is_empty(), "{name}");
            start.elapsed()
        };
        time(200);
        let (small, large) = (time(1_000), time(4_000));
        // Other work on the machine counts too: sixteen times would be a square.
        assert!(
            large < small * 11 + Duration::from_millis(200),
            "{name}: {small:?}, then {large:?}"
        );
    }
}
