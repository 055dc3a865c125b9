//! Pages of words, read by people before they are accepted: `CTRC_BLESS=1` writes them anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ctr_front::ir::Library;
use ctr_words::{ContractWords, StateWords, Style, Way};

fn page(library: &Library) -> String {
    let mut out = String::new();
    for contract in &library.contracts {
        let words = ctr_words::contract(library, contract);
        let _ = write!(out, "{}", of(&words));
    }
    out
}

fn of(words: &ContractWords) -> String {
    let mut out = format!("== {}\n", words.name);
    for phrase in words.keys.iter().chain([&words.steps]) {
        let _ = writeln!(out, "{}", phrase.sentence(Style::Plain));
    }
    for clause in &words.clauses {
        let _ = writeln!(out, "{}", clause.source);
        for item in clause.item.iter().chain(&clause.deadlines) {
            out.push_str(&item.write(Style::Plain, 4));
        }
    }
    for phrase in words.consequences.iter().chain(&words.undefined) {
        let _ = writeln!(out, "{}", phrase.sentence(Style::Plain));
    }
    if let Some(message) = &words.message {
        let _ = writeln!(out, "told: {message}");
    }
    for (side, states) in [
        ("assumed", &words.assumed),
        ("guaranteed", &words.guaranteed),
    ] {
        for state in states {
            state_line(&mut out, side, state);
        }
    }
    for group in &words.groups {
        let _ = writeln!(out, "{}: {}", group.name, group.tools.join(", "));
    }
    let _ = writeln!(out, "tools: {}\n", words.tools.join(", "));
    out
}

fn state_line(out: &mut String, side: &str, state: &StateWords) {
    let steps = |steps: &[ctr_words::Phrase]| {
        steps
            .iter()
            .map(|step| step.write(Style::Plain))
            .collect::<Vec<_>>()
            .join("; then ")
    };
    let way = match &state.way {
        Way::Start => "at the start".to_owned(),
        Way::Never => "never".to_owned(),
        Way::After(way) => steps(way),
    };
    let _ = write!(out, "  {side} {}: {way}", state.kind.name());
    if let Some(done) = &state.done_by {
        let _ = write!(out, "; done by: {}", steps(done));
    }
    out.push('\n');
}

#[test]
fn pages_are_as_accepted() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let root = common::root();
    let bless = std::env::var_os("CTRC_BLESS").is_some();
    let mut wrong = Vec::new();
    for (name, path) in [
        ("constructs", own.join("policies/constructs.ctr")),
        ("refund_desk", root.join("examples/refund_desk/policy.ctr")),
        ("deploy_gate", root.join("examples/deploy_gate/policy.ctr")),
        ("mail_guard", root.join("examples/mail_guard/policy.ctr")),
        ("travel_desk", root.join("examples/travel_desk/policy.ctr")),
        ("retail", root.join("stdlib-contracts/tau2/retail.ctr")),
        ("airline", root.join("stdlib-contracts/tau2/airline.ctr")),
        (
            "declare",
            root.join("stdlib-contracts/std/declare.test.ctr"),
        ),
        ("dwyer", root.join("stdlib-contracts/std/dwyer.test.ctr")),
    ] {
        let now = page(&common::compiled(&path));
        let file = own.join("expected").join(format!("{name}.txt"));
        if bless {
            fs::write(&file, now).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != now {
            wrong.push(name);
        }
    }
    assert!(
        wrong.is_empty(),
        "changed: {wrong:?} (CTRC_BLESS=1 writes them)"
    );
}
