//! What a message says was expected can be written there.

use std::collections::BTreeSet;

use super::FIXTURES;
use crate::expected::{describe, sentence};
use crate::layout::layout;
use crate::lexer::lex;
use crate::parse::attempt;
use crate::words::join_words;

/// Texts that an expectation stands for.
fn samples(expectation: &str) -> Vec<&str> {
    match expectation {
        "a name" => vec!["zz"],
        "a tool" => vec!["zz"],
        "a string" => vec!["\"s\""],
        "a number" => vec!["3"],
        "a duration" => vec!["5s"],
        "a regular expression" => vec!["/r/"],
        "a value" => vec!["3", "\"s\"", "zz"],
        "a formula or a condition" => vec!["true", "call zz", "(not true)", "zz"],
        "an operator" => vec!["and", "==", "or"],
        "an outcome such as `block`" => vec!["block zz"],
        "an action such as `block`" => vec!["block", "escalate"],
        "a clause such as `guarantee`" => vec!["guarantee", "let", "otherwise"],
        "a step such as `call`" => vec!["call", "event zz", "after 5s"],
        "an item such as `contract`" => vec!["contract", "tool"],
        other => vec![other.trim_matches('`')],
    }
}

/// The item's text read to its end, brackets left open: whether it is read without any fault but its
/// end, and what is expected there.
fn read(text: &str) -> (bool, Option<Vec<String>>) {
    let lexed = lex(text, 0, text.len());
    let tokens = join_words(text, &lexed.tokens);
    let tried = attempt(text, &lexed.names, &tokens);
    let fine = lexed.errors.is_empty()
        && tried.errors.is_empty()
        && tried.unexpected.iter().all(|u| u.tok.is_none());
    let expected = tried
        .unexpected
        .iter()
        .find(|u| u.tok.is_none())
        .map(|u| describe(&u.expected, tried.tokens.last().map(|t| t.tok)));
    (fine, expected)
}

/// Each expectation after each token of all fixtures, written there, is read.
#[test]
fn every_expectation_makes_progress() {
    let mut faults: BTreeSet<String> = BTreeSet::new();
    let mut lists: BTreeSet<String> = BTreeSet::new();
    let mut tried = 0;
    let mut texts: Vec<(String, String)> = FIXTURES
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    for folder in std::fs::read_dir(examples).unwrap() {
        let policy = folder.unwrap().path().join("policy.ctr");
        if let Ok(text) = std::fs::read_to_string(&policy) {
            texts.push((policy.display().to_string(), text));
        }
    }
    for (name, text) in &texts {
        let tokens = join_words(text, &lex(text, 0, text.len()).tokens);
        let (items, _) = layout(text, &tokens);
        for item in items {
            let Some(first) = item.tokens.first() else {
                continue;
            };
            let start = first.span.start as usize;
            for token in &item.tokens {
                let prefix = &text[start..token.span.end as usize];
                let (fine, Some(expected)) = read(prefix) else {
                    continue;
                };
                if !fine {
                    continue;
                }
                assert!(expected.len() <= 6, "{expected:?}");
                lists.insert(sentence(&expected));
                for expectation in &expected {
                    for sample in samples(expectation) {
                        tried += 1;
                        let (fine, _) = read(&format!("{prefix} {sample}"));
                        if !fine {
                            let from = prefix.len().saturating_sub(60);
                            let end = prefix.get(from..).unwrap_or(prefix);
                            faults.insert(format!(
                                "{name}: `{sample}` for {expectation} of `{}`, after ...{end}",
                                sentence(&expected)
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 5_000, "only {tried}");
    assert!(lists.len() > 20, "{lists:#?}");
    let shown: Vec<&String> = faults.iter().take(40).collect();
    assert!(faults.is_empty(), "{} of {tried}: {shown:#?}", faults.len());
}
