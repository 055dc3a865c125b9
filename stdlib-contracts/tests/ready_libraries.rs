//! What every contract of the ready libraries must have: an id of its own, a source, a severity, words
//! that say the rule, a message, and two tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::path::Path;

struct Contract {
    name: String,
    head: String,
    body: String,
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The contracts of a file: what stands directly above each, and what stands in its braces.
fn contracts(text: &str) -> Vec<Contract> {
    let mut found = Vec::new();
    let mut head = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("contract ") {
            let name = rest.split([' ', '{']).next().unwrap().to_owned();
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            found.push(Contract {
                name,
                head: std::mem::take(&mut head),
                body: body.join("\n"),
            });
        } else if line.starts_with("///") || line.starts_with('@') {
            head.push_str(line);
            head.push('\n');
        } else {
            head.clear();
        }
    }
    found
}

fn attribute<'t>(contract: &'t Contract, name: &str) -> Option<&'t str> {
    contract
        .head
        .lines()
        .find(|line| line.starts_with(&format!("@{name}(")))
}

fn check(library: &str, at_least: usize) {
    let found = contracts(&read(&format!("tau2/{library}.ctr")));
    let tests = read(&format!("tau2/{library}.test.ctr"));
    assert!(
        found.len() >= at_least,
        "{library}: only {} contracts",
        found.len()
    );
    let mut ids = BTreeSet::new();
    for contract in &found {
        let name = &contract.name;
        let id = attribute(contract, "id").unwrap_or_else(|| panic!("{name} has no id"));
        assert!(ids.insert(id), "{name}: {id} is given twice");
        assert!(
            attribute(contract, "source").is_some(),
            "{name} has no source"
        );
        assert!(
            attribute(contract, "severity").is_some(),
            "{name} has no severity"
        );
        assert!(contract.head.starts_with("/// "), "{name} has no words");
        let acts = ["  otherwise block \"", "  otherwise warn \""];
        assert!(
            acts.iter().any(|act| contract.body.contains(act)),
            "{name} has no message"
        );
        let own = format!("\" for {name} {{\n");
        let cases: Vec<&str> = tests
            .split("\ntest ")
            .filter(|test| test.contains(&own))
            .collect();
        assert!(
            cases.iter().any(|test| test.contains(" expect ")),
            "{name} has no test that expects something"
        );
        assert!(
            cases.iter().any(|test| !test.contains(" expect ")),
            "{name} has no test of a session that it allows"
        );
    }
}

#[test]
fn retail_is_complete() {
    check("retail", 36);
}

#[test]
fn airline_is_complete() {
    check("airline", 42);
}
