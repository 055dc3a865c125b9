//! `vacuous`: a contract whose trigger never happens.

use ctr_front::diagnostic::Diagnostic;
use ctr_logic::Formula;

use super::undecided::Open;
use super::{Question, Subject, listed, proof, with_places};
use crate::engine::{Answer, Expected};

/// The contracts that wait for something that cannot happen in a session that keeps the others.
pub(crate) fn findings(subject: &mut Subject<'_>) -> (Vec<usize>, Vec<Diagnostic>) {
    let mut vacuous = Vec::new();
    let mut out = Vec::new();
    for index in subject.contracts.clone() {
        let Some(contract) = subject.contract(index) else {
            continue;
        };
        let Some((goal, (all, expected))) = question(subject, index) else {
            continue;
        };
        let others = subject.others(index);
        let members = subject.of_all(&others);
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
                let none = subject.ask(
                    &[goal],
                    &Expected {
                        any: true,
                        ..Expected::default()
                    },
                );
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

/// That the trigger happens, and the question whether it can in a session that keeps the others.
fn question(subject: &mut Subject<'_>, index: usize) -> Option<(Formula, Question)> {
    let goal = goal(subject, index)?;
    let others = subject.others(index);
    let mut all = subject.of_all(&others);
    all.push(goal);
    let expected = Expected {
        kept: others,
        any: true,
        ..Expected::default()
    };
    Some((goal, (all, expected)))
}

/// Looks for one session in which all triggers happen.
pub(super) fn sweep(subject: &mut Subject<'_>) {
    let everything = subject.contracts.clone();
    let goals = everything.iter();
    let goals: Vec<_> = goals.filter_map(|index| goal(subject, *index)).collect();
    let members = subject.of_all(&everything);
    let expected = Expected {
        kept: everything,
        ..Expected::default()
    };
    subject.sweep(&members, &goals, &expected);
}

/// The questions that [`findings`] asks first.
pub(super) fn questions(subject: &mut Subject<'_>) -> Vec<Question> {
    let contracts = subject.contracts.clone();
    let questions = contracts.iter();
    let questions = questions.filter_map(|index| question(subject, *index));
    questions.map(|(_, question)| question).collect()
}

/// That the trigger of a contract happens. A clause without trigger always matters.
fn goal(subject: &mut Subject<'_>, index: usize) -> Option<Formula> {
    let own = subject.parts.iter().filter(|part| part.contract == index);
    let mut triggers = Vec::new();
    for part in own {
        if part.triggers.is_empty() {
            return None;
        }
        triggers.extend(&part.triggers);
    }
    (!triggers.is_empty()).then(|| subject.engine.problem.arena.or(&triggers))
}
