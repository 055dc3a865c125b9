//! For a contract by itself: a session that keeps it and in which it matters, and one that it fails.
//!
//! Other contracts of the library do not count: the sessions say what *this* one accepts and rejects.

use std::collections::BTreeSet;

use ctr_front::ir::{Library, Side};
use ctr_logic::Formula;
use ctr_runtime::decision::{ContractOutcome, Value3};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;

use crate::compare::query::{self, Outcome, Sides, Target};
use crate::engine::{Expected, Verdict3};
use crate::kinds::Subject;
use crate::problem::Scope;
use crate::replay::{Concrete, is_kept};
use crate::witness::{Found, House, Shown};
use crate::{Options, component, walk};

/// What a contract accepts and rejects.
#[derive(Clone, Debug)]
pub struct Examples {
    /// The contract's number in the library.
    pub contract: usize,
    /// A session that keeps it, in which what it waits for happens, or where it waits for nothing an event of it.
    pub accepted: Shown,
    /// A session that it fails.
    pub rejected: Shown,
}

/// Sessions for some contracts of a library, each as short as could be shown, and replayed by the runtime.
///
/// `model` and `bytes` are what `ctr_emit` built from the library; `contracts` are numbers in it.
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn examples(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    contracts: &[usize],
) -> Result<Vec<Examples>, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let keys = component::keys(library);
    let mut house = House::new(library, model, &keys, &artifact, options);
    house.questions = 3 * contracts.len();
    Ok(contracts
        .iter()
        .map(|&contract| Examples {
            contract,
            accepted: accepted(&mut house, contract),
            rejected: rejected(&mut house, contract),
        })
        .collect())
}

/// One session for a contract of a library: that it accepts (`kept`), or that it fails. Otherwise as [`examples`].
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn example(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    contract: usize,
    kept: bool,
) -> Result<Shown, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let keys = component::keys(library);
    let mut house = House::new(library, model, &keys, &artifact, options);
    house.questions = 3;
    Ok(match kept {
        true => accepted(&mut house, contract),
        false => rejected(&mut house, contract),
    })
}

fn shown(session: &Concrete, shortest: bool) -> Shown {
    Shown::Session {
        lines: session.lines(),
        events: session.len(),
        shortest,
    }
}

fn name(house: &House<'_>, contract: usize) -> Vec<String> {
    let contract = house.library.contracts.get(contract);
    contract.map(|c| c.name.clone()).into_iter().collect()
}

/// That every atom of a contract has a value at every event.
fn defined(subject: &mut Subject<'_>, contract: usize) -> Formula {
    let problem = &mut subject.engine.problem;
    let scope = Scope {
        keys: problem.keys.get(contract).cloned().unwrap_or_default(),
        groups: problem.all_groups(),
        complete: false,
    };
    let mut atoms = BTreeSet::new();
    let mut odd = BTreeSet::new();
    let clauses = problem.library.contracts.get(contract).map(|c| &c.clauses);
    for clause in clauses.into_iter().flatten() {
        walk::polarities(&clause.formula, true, &mut atoms, &mut odd);
    }
    let mut all = Vec::new();
    for atom in atoms.union(&odd) {
        let Some(entry) = problem.library.atoms.get(atom.0 as usize) else {
            continue;
        };
        let rail = problem.condition(entry.expr, &scope);
        all.push(problem.arena.or(&[rail.t, rail.f]));
    }
    let all = problem.arena.and(&all);
    problem.arena.always(all)
}

fn accepted(house: &mut House<'_>, contract: usize) -> Shown {
    let content = |said: &ContractOutcome, other: usize| other != contract || is_kept(said);
    let (found, _) = house.ask(&[contract], &content, &mut |_, subject| {
        let goal = subject.exercised(contract);
        let mut all = subject.of_all(&[contract]);
        all.push(goal);
        let expected = Expected {
            kept: vec![contract],
            ..Expected::default()
        };
        subject.shortest(&all, &expected)
    });
    match found {
        Found::Session(session, shortest) => shown(&session, shortest),
        Found::Open(reason) => Shown::Open(reason),
        // It accepts no session in which it matters: one of no event, perhaps.
        Found::Never => {
            let (found, _) = house.ask(&[contract], &content, &mut |_, subject| {
                let all = subject.of_all(&[contract]);
                let expected = Expected {
                    kept: vec![contract],
                    ..Expected::default()
                };
                subject.shortest(&all, &expected)
            });
            match found {
                Found::Session(session, shortest) => shown(&session, shortest),
                Found::Open(reason) => Shown::Open(reason),
                Found::Never => Shown::Never {
                    contracts: name(house, contract),
                    forbidden: false,
                },
            }
        }
    }
}

fn rejected(house: &mut House<'_>, contract: usize) -> Shown {
    // One in which all is known says more than one in which something is missing.
    let content =
        |said: &ContractOutcome, other: usize| other != contract || said.value == Value3::Fail;
    let (found, _) = house.ask(&[contract], &content, &mut |_, subject| {
        let owed = subject.of(contract, Some(Side::Guarantee));
        let arena = &mut subject.engine.problem.arena;
        let all = vec![
            arena.not(owed),
            subject.of(contract, Some(Side::Assume)),
            defined(subject, contract),
        ];
        let expected = Expected {
            verdicts: vec![(contract, Verdict3::Failed)],
            ..Expected::default()
        };
        subject.shortest(&all, &expected)
    });
    if let Found::Session(session, shortest) = found {
        return shown(&session, shortest);
    }
    match query::find(house, &Sides::default(), Target::Fails(contract)) {
        Outcome::Session(session, shortest) => shown(&session, shortest),
        Outcome::None { undefined: false } => Shown::Never {
            contracts: name(house, contract),
            forbidden: false,
        },
        Outcome::None { undefined: true } => {
            Shown::Open("only a value that is missing or unreadable could break it".to_owned())
        }
        Outcome::Open(reason) => Shown::Open(reason),
    }
}
