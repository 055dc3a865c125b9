#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod codes;
mod conformance;
mod errors;
mod golden;
mod robust;

use super::print::Printer;
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::Library;
use crate::world::MemoryWorld;
use crate::{Compiled, compile};

/// Compiles one file.
fn compiled(policy: &str) -> Compiled {
    let world = MemoryWorld::new().with("p.ctr", policy);
    compile(&world, &["p.ctr".to_owned()])
}

/// A finding in a line: code, the text it points at, message.
fn shown(compiled: &Compiled, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.place;
    format!(
        "{} `{}` {}",
        diagnostic.code,
        place.span.text(compiled.graph.text(place.source)),
        diagnostic.message
    )
}

fn findings(policy: &str) -> Vec<String> {
    let compiled = compiled(policy);
    compiled
        .diagnostics
        .iter()
        .map(|d| shown(&compiled, d))
        .collect()
}

/// The library of a policy without findings.
fn ok(policy: &str) -> Library {
    let compiled = compiled(policy);
    let found: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|d| shown(&compiled, d))
        .collect();
    assert!(found.is_empty(), "{policy}\n{found:#?}");
    compiled.library.expect("no errors")
}

/// The library of a policy that may have warnings.
fn built(policy: &str) -> Library {
    let compiled = compiled(policy);
    let errors: Vec<String> = compiled
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| shown(&compiled, d))
        .collect();
    assert!(errors.is_empty(), "{policy}\n{errors:#?}");
    compiled.library.expect("no errors")
}

/// The clauses of all contracts, in short.
fn clauses(library: &Library) -> Vec<String> {
    let printer = Printer(library);
    let mut all = Vec::new();
    for contract in &library.contracts {
        for clause in &contract.clauses {
            let mut text = format!(
                "{} {:?}: {}",
                contract.name,
                clause.side,
                printer.formula(&clause.formula)
            );
            for deadline in &clause.deadlines {
                text.push_str(&format!(
                    " deadline {} => {} in {}s",
                    printer.expr(deadline.trigger),
                    printer.expr(deadline.response),
                    deadline.within / 1_000_000_000
                ));
            }
            all.push(text);
        }
    }
    all
}

/// The table of meanings ([`ctr_grammar::meanings`]) has the words that the check takes, and no others.
#[test]
fn words_have_meanings() {
    use ctr_grammar::meanings::{WordKind, words_of};
    let table = |kinds: &[WordKind]| -> Vec<&str> {
        let mut all: Vec<&str> = kinds
            .iter()
            .flat_map(|kind| words_of(*kind))
            .map(|word| word.name)
            .collect();
        all.sort_unstable();
        all
    };
    let sorted = |names: &[&'static str]| {
        let mut all = names.to_vec();
        all.sort_unstable();
        all
    };
    let mut functions = table(&[WordKind::Function, WordKind::Aggregate]);
    functions.push("earlier");
    functions.sort_unstable();
    assert_eq!(functions, sorted(&super::BUILTINS));
    assert_eq!(table(&[WordKind::Fact]), sorted(&super::test_block::META));
    assert_eq!(
        table(&[WordKind::Outcome]),
        sorted(&super::test_block::EXPECTED.map(|(name, _)| name))
    );
    assert_eq!(
        table(&[WordKind::Attribute]),
        sorted(&super::contract::ATTRIBUTES)
    );
    assert_eq!(
        table(&[WordKind::Severity]),
        sorted(&super::contract::SEVERITIES)
    );
    let mut roots = super::names::ROOTS.to_vec();
    roots.push("text");
    assert_eq!(table(&[WordKind::Root]), sorted(&roots));
}
