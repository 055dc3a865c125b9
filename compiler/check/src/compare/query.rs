//! Sessions that some contracts of a joint library allow and another one does not.

use ctr_front::ir::{Deadline, Side};
use ctr_front::types::Type;
use ctr_logic::Formula;
use ctr_runtime::decision::{ContractOutcome, Value3};

use crate::engine::{Answer, Expected, Verdict3};
use crate::kinds::Subject;
use crate::replay::Concrete;
use crate::undefined;
use crate::witness::{Found, House};

/// What is asked of the contracts of a joint library, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sides {
    /// Whether a contract must not fail.
    pub(crate) allowed: Vec<bool>,
    /// Whether a contract's assumption must hold.
    pub(crate) assumed: Vec<bool>,
}

/// What a session must come to besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This contract fails.
    Fails(usize),
    /// The assumption of this contract does not hold.
    Idle(usize),
}

/// Whether there is such a session.
pub(crate) enum Outcome {
    /// This; whether none is shorter.
    Session(Concrete, bool),
    /// There is none; `undefined`: but for sessions in which a condition of the contract has no value, of which it is not known.
    None { undefined: bool },
    /// It is not known.
    Open(String),
}

impl Sides {
    fn is(list: &[bool], contract: usize) -> bool {
        list.get(contract).copied().unwrap_or(false)
    }

    /// What the runtime must say of a contract.
    fn content(&self, said: &ContractOutcome, contract: usize) -> bool {
        let allowed = said.value != Value3::Fail || !Self::is(&self.allowed, contract);
        let assumed = (said.value != Value3::Idle && said.assumption.is_none())
            || !Self::is(&self.assumed, contract);
        allowed && assumed
    }

    /// The same as formulas; allows more sessions where an assumption has a deadline.
    fn members(&self, subject: &mut Subject<'_>) -> Vec<Formula> {
        let mut out = Vec::new();
        for contract in subject.contracts.clone() {
            if Self::is(&self.assumed, contract) {
                out.push(subject.of(contract, Some(Side::Assume)));
            }
            if Self::is(&self.allowed, contract)
                && deadlines(subject, contract, Side::Assume).is_empty()
            {
                let assume = subject.of(contract, Some(Side::Assume));
                let guarantee = subject.of(contract, Some(Side::Guarantee));
                let arena = &mut subject.engine.problem.arena;
                out.push(arena.implies(assume, guarantee));
            }
        }
        out
    }

    fn expected(&self, subject: &Subject<'_>) -> Expected {
        let mut verdicts = Vec::new();
        for &contract in &subject.contracts {
            if Self::is(&self.allowed, contract) {
                verdicts.push((contract, Verdict3::Allowed));
            }
            if Self::is(&self.assumed, contract) {
                verdicts.push((contract, Verdict3::Assumed));
            }
        }
        Expected {
            verdicts,
            ..Expected::default()
        }
    }
}

fn deadlines(subject: &Subject<'_>, contract: usize, side: Side) -> Vec<Deadline> {
    let clauses = subject.contract(contract).map(|c| c.clauses.as_slice());
    clauses
        .unwrap_or_default()
        .iter()
        .filter(|clause| clause.side == side)
        .flat_map(|clause| clause.deadlines.clone())
        .collect()
}

/// A shortest session that the sides allow and that comes to the target.
pub(crate) fn find(house: &mut House<'_>, sides: &Sides, target: Target) -> Outcome {
    let (Target::Fails(contract) | Target::Idle(contract)) = target;
    let content = |said: &ContractOutcome, contract: usize| sides.content(said, contract);
    let mut undefined = false;
    let first = [&[contract][..], &namesakes(house, sides, contract)].concat();
    let (found, _) = house.ask(&first, &content, &mut |house, subject| {
        undefined = false;
        find_in(house, subject, sides, target, &mut undefined)
    });
    match found {
        Found::Session(session, shortest) => Outcome::Session(session, shortest),
        Found::Never => Outcome::None { undefined },
        Found::Open(reason) => Outcome::Open(reason),
    }
}

/// The contracts that must not fail and have the same patterns as one, at least in part: what is most likely near it.
fn namesakes(house: &House<'_>, sides: &Sides, contract: usize) -> Vec<usize> {
    let contracts = &house.library.contracts;
    let Some(own) = contracts.get(contract) else {
        return Vec::new();
    };
    let name = own.name.split_once('.').map(|(_, name)| name);
    (0..contracts.len())
        .filter(|other| {
            *other != contract
                && Sides::is(&sides.allowed, *other)
                && contracts
                    .get(*other)
                    .is_some_and(|other| other.name.split_once('.').map(|(_, name)| name) == name)
        })
        .collect()
}

/// The same among the contracts of a component alone.
fn find_in(
    house: &House<'_>,
    subject: &mut Subject<'_>,
    sides: &Sides,
    target: Target,
    undefined: &mut bool,
) -> Found {
    let (contract, side, verdict) = match target {
        Target::Fails(contract) => (contract, Side::Guarantee, Verdict3::Failed),
        Target::Idle(contract) => (contract, Side::Assume, Verdict3::Idle),
    };
    let members = sides.members(subject);
    let mut expected = sides.expected(subject);
    expected.verdicts.push((contract, verdict));
    let mut all = members.clone();
    if verdict == Verdict3::Failed {
        all.push(subject.of(contract, Some(Side::Assume)));
    }
    let holds = subject.of(contract, Some(side));
    all.push(subject.engine.problem.arena.not(holds));
    all.extend(chosen_keys(subject, contract));
    match subject.shortest(&all, &expected) {
        Found::Session(session, shortest) => Found::Session(session, shortest),
        Found::Open(reason) => match without_a_field(house, subject, &members, &expected, contract)
        {
            Some(found) => Found::Session(found, false),
            None => Found::Open(reason),
        },
        Found::Never => {
            let timed = deadlines(subject, contract, side)
                .iter()
                .any(|deadline| !is_kept_by_others(house, sides, contract, deadline));
            if timed {
                return match late(house, subject, sides, &members, &expected, contract, side) {
                    Some((session, shortest)) => Found::Session(session, shortest),
                    None => Found::Open("the contract has a deadline in time".to_owned()),
                };
            }
            if can_be_undefined(subject, contract) {
                if let Some(found) = without_a_field(house, subject, &members, &expected, contract)
                {
                    return Found::Session(found, false);
                }
                *undefined = true;
            }
            Found::Never
        }
    }
}

/// The key's value that is looked at is the one that fails; of other keys the one that the first event binds.
fn chosen_keys(subject: &mut Subject<'_>, contract: usize) -> Vec<Formula> {
    let problem = &mut subject.engine.problem;
    let own = problem.keys.get(contract).cloned().unwrap_or_default();
    let others: Vec<usize> = subject
        .contracts
        .iter()
        .copied()
        .filter(|other| {
            let theirs = problem.keys.get(*other).map_or(&[][..], Vec::as_slice);
            !theirs.iter().any(|key| own.contains(key))
        })
        .collect();
    problem.first_keys(&others)
}

/// Whether another contract that must not fail has a deadline that is at least as strict.
fn is_kept_by_others(
    house: &House<'_>,
    sides: &Sides,
    contract: usize,
    deadline: &Deadline,
) -> bool {
    let contracts = &house.library.contracts;
    let Some(own) = contracts.get(contract) else {
        return false;
    };
    contracts.iter().enumerate().any(|(number, other)| {
        Sides::is(&sides.allowed, number)
            && number != contract
            && other.agents == own.agents
            && house.keys.get(number) == house.keys.get(contract)
            && other.clauses.iter().all(|clause| {
                // An assumption that does not hold excuses from the deadline.
                clause.side == Side::Guarantee
            })
            && other
                .clauses
                .iter()
                .flat_map(|clause| &clause.deadlines)
                .any(|their| {
                    (their.trigger, their.response) == (deadline.trigger, deadline.response)
                        && their.within <= deadline.within
                })
    })
}

/// A session in which only a deadline of a contract is missed: one in which it begins, with time passing.
fn late(
    house: &House<'_>,
    subject: &mut Subject<'_>,
    sides: &Sides,
    members: &[Formula],
    expected: &Expected,
    contract: usize,
    side: Side,
) -> Option<(Concrete, bool)> {
    let mut within: Vec<i64> = deadlines(subject, contract, side)
        .iter()
        .map(|deadline| deadline.within)
        .collect();
    within.sort_unstable();
    within.dedup();
    let goal = subject.exercised(contract);
    let mut all = members.to_vec();
    all.push(goal);
    all.extend(chosen_keys(subject, contract));
    let Found::Session(session, shortest) = subject.shortest(&all, &sides.expected(subject)) else {
        return None;
    };
    for within in within {
        for more in [1_000_000_000, 1_000_000, 1] {
            for step in 1..session.len() {
                let late = session.delayed(step, within.saturating_add(more));
                if let Some(found) = house.said(late, expected) {
                    return Some((found, shortest));
                }
            }
        }
    }
    None
}

/// Whether a condition of a contract can be without a value.
fn can_be_undefined(subject: &Subject<'_>, contract: usize) -> bool {
    undefined::contracts(subject.library)
        .get(contract)
        .copied()
        .unwrap_or(true)
}

/// A session that a contract fails because a field is missing.
fn without_a_field(
    house: &House<'_>,
    subject: &mut Subject<'_>,
    members: &[Formula],
    expected: &Expected,
    contract: usize,
) -> Option<Concrete> {
    let goal = subject.exercised(contract);
    let library = subject.library;
    let mut all = members.to_vec();
    all.push(goal);
    all.extend(chosen_keys(subject, contract));
    let plain = Expected {
        verdicts: expected
            .verdicts
            .iter()
            .filter(|(_, verdict)| matches!(verdict, Verdict3::Allowed | Verdict3::Assumed))
            .copied()
            .collect(),
        ..Expected::default()
    };
    let Answer::Session(session) = subject.ask(&all, &plain) else {
        return None;
    };
    let required = |tool: &str, field: &str| {
        library
            .declared
            .iter()
            .filter(|declared| declared.name == tool)
            .any(|declared| match &declared.args {
                Type::Record(record) => record
                    .fields
                    .iter()
                    .any(|known| known.name == field && !known.optional),
                _ => false,
            })
    };
    let others = session.without_fields(&required);
    for other in std::iter::once(session).chain(others) {
        if let Some(found) = house.said(other, expected) {
            return Some(found);
        }
    }
    None
}
