//! `vacuous`: a contract whose trigger never happens.

use ctr_front::diagnostic::Diagnostic;

use super::undecided::Open;
use super::{Subject, listed, proof, with_places};
use crate::engine::{Answer, Expected};

/// The contracts that wait for something that cannot happen in a session that keeps the others.
pub(crate) fn findings(subject: &mut Subject<'_>) -> (Vec<usize>, Vec<Diagnostic>) {
    let mut vacuous = Vec::new();
    let mut out = Vec::new();
    for index in subject.contracts.clone() {
        let Some(contract) = subject.contract(index) else {
            continue;
        };
        let own: Vec<_> = subject
            .parts
            .iter()
            .filter(|part| part.contract == index)
            .cloned()
            .collect();
        // A clause without trigger always matters.
        if own.is_empty() || own.iter().any(|part| part.triggers.is_empty()) {
            continue;
        }
        let triggers: Vec<_> = own.iter().flat_map(|part| part.triggers.clone()).collect();
        let goal = subject.engine.problem.arena.or(&triggers);
        let others = subject.others(index);
        let members = subject.of_all(&others);
        let mut all = members.clone();
        all.push(goal);
        let expected = Expected {
            kept: others.clone(),
            ..Expected::default()
        };
        match subject.ask(&all, &expected) {
            Answer::Session(_) => {}
            Answer::Open(reason) => {
                subject.open.push(
                    Open::new("vacuous", "what a contract waits for can happen", reason)
                        .about(contract.name.clone()),
                );
            }
            Answer::Never => {
                let core = subject.cores(&members, &[goal], 1).into_iter().next();
                let none = subject.ask(&[goal], &Expected::default());
                let core: Vec<usize> = match (core, none) {
                    (_, Answer::Never) => Vec::new(),
                    (Some(core), _) => core
                        .iter()
                        .filter_map(|at| others.get(*at).copied())
                        .collect(),
                    (None, _) => others.clone(),
                };
                vacuous.push(index);
                let names = subject.names(&core);
                let places = if core.is_empty() {
                    Vec::new()
                } else {
                    subject.clauses(&core, &[goal])
                };
                let why = if core.is_empty() {
                    "no event fits it".to_owned()
                } else {
                    let rule = if names.len() == 1 { "rules" } else { "rule" };
                    format!("{} {rule} it out", listed(&names))
                };
                let mut what = proof("vacuous", vec![contract.name.clone()]);
                what.implied_by = names;
                let finding = Diagnostic::warning(
                    "W0705",
                    format!("what `{}` waits for can never happen: {why}", contract.name),
                    contract.name_place,
                    "this contract never matters",
                )
                .with_help("remove it, or mend what it waits for")
                .with_proof(what);
                out.push(with_places(finding, places));
            }
        }
    }
    (vacuous, out)
}
