//! `redundant`: a contract that the others imply.

use ctr_front::diagnostic::Diagnostic;

use super::undecided::Open;
use super::{Question, Subject, VARIED, dead_end, listed, proof, with_places};
use crate::engine::{Answer, Expected};

/// The contracts that every session which keeps the others keeps too.
/// (A contract that waits for what cannot happen has been told of. One that keeps sessions out of a dead end of the others is
/// no more than they say of sessions that end, and yet of use.)
pub(crate) fn findings(
    subject: &mut Subject<'_>,
    vacuous: &[usize],
    broken: &[usize],
    undetermined: &[bool],
) -> Vec<Diagnostic> {
    let mut found: Vec<(usize, Vec<usize>, Diagnostic)> = Vec::new();
    for index in subject.contracts.clone() {
        let Some(contract) = subject.contract(index) else {
            continue;
        };
        if contract.clauses.is_empty() || vacuous.contains(&index) || broken.contains(&index) {
            continue;
        }
        let own = subject.of(index, None);
        let goal = subject.engine.problem.arena.not(own);
        let (all, expected) = question(subject, index);
        let others = subject.others(index);
        let members = subject.of_all(&others);
        let timed = contract
            .clauses
            .iter()
            .any(|clause| !clause.deadlines.is_empty());
        match subject.ask(&all, &expected) {
            Answer::Session(_) => {}
            // Its deadlines are stronger than what was asked.
            Answer::Never if timed => {
                let reason = "the contract has a deadline in time".to_owned();
                subject.open.push(
                    Open::new("redundant", "a contract follows from the others", reason)
                        .about(contract.name.clone()),
                );
            }
            // Unless another contract says the same word for word: then both are undetermined, or neither.
            Answer::Never
                if undetermined.get(index).copied().unwrap_or(true) && !members.contains(&own) =>
            {
                let reason =
                    "a condition of the contract can be undefined at a step, which fails it \
                              whatever follows"
                        .to_owned();
                subject.open.push(
                    Open::new("redundant", "a contract follows from the others", reason)
                        .about(contract.name.clone()),
                );
            }
            Answer::Open(reason) => {
                subject.open.push(
                    Open::new("redundant", "a contract follows from the others", reason)
                        .about(contract.name.clone()),
                );
            }
            Answer::Never if dead_end::guards(subject, index) => {}
            Answer::Never => {
                let none = subject.ask(
                    &[goal],
                    &Expected {
                        any: true,
                        ..Expected::default()
                    },
                );
                let core: Vec<usize> = if matches!(none, Answer::Never) {
                    Vec::new()
                } else {
                    match subject.cores(&members, &[goal], 1).into_iter().next() {
                        Some(core) => core
                            .iter()
                            .filter_map(|at| others.get(*at).copied())
                            .collect(),
                        None => others.clone(),
                    }
                };
                let names = subject.names(&core);
                let message = if core.is_empty() {
                    format!(
                        "every session keeps `{}`: it rules nothing out",
                        contract.name
                    )
                } else {
                    format!("`{}` follows from {}", contract.name, listed(&names))
                };
                let places = if core.is_empty() {
                    Vec::new()
                } else {
                    subject.clauses(&core, &[goal])
                };
                let mut what = proof("redundant", vec![contract.name.clone()]);
                what.implied_by = names;
                let finding = Diagnostic::warning(
                    "W0706",
                    message,
                    contract.name_place,
                    "this contract could be left out",
                )
                .with_proof(what);
                found.push((index, core, with_places(finding, places)));
            }
        }
    }
    let told: Vec<usize> = found.iter().map(|(index, ..)| *index).collect();
    found
        .into_iter()
        .map(|(_, core, finding)| {
            let leaning: Vec<usize> = core.into_iter().filter(|i| told.contains(i)).collect();
            // Who removed all that is told of would lose what they say together.
            finding.with_help(if leaning.is_empty() {
                "remove it, or make it say more than the others do".to_owned()
            } else {
                format!(
                    "{} could be left out, too: remove one of them, then check again",
                    listed(&subject.names(&leaning))
                )
            })
        })
        .collect()
}

/// Whether a session breaks this contract and keeps the others.
fn question(subject: &mut Subject<'_>, index: usize) -> Question {
    let own = subject.of(index, None);
    let others = subject.others(index);
    let mut all = subject.of_all(&others);
    all.push(subject.engine.problem.arena.not(own));
    let expected = Expected {
        kept: others,
        broken: Some(index),
        any: true,
        ..Expected::default()
    };
    (all, expected)
}

/// The questions that [`findings`] asks first.
pub(super) fn questions(subject: &mut Subject<'_>, broken: &[usize]) -> Vec<Question> {
    let contracts = subject.contracts.clone();
    let open = contracts.iter().filter(|index| !broken.contains(index));
    open.map(|index| question(subject, *index)).collect()
}

/// The contracts of which a session is close at hand that breaks them alone.
pub(super) fn broken(subject: &mut Subject<'_>) -> Vec<usize> {
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let mut out = Vec::new();
    for (at, trace) in subject.engine.variations(&members, &[], VARIED) {
        let Some(index) = contracts.get(at).copied() else {
            continue;
        };
        let (all, expected) = question(subject, index);
        if subject.engine.tried(&trace, &all, &expected) {
            out.push(index);
        }
    }
    out
}
