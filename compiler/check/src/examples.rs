//! For a contract by itself: a session that keeps it and in which it matters, and one that it fails.
//!
//! Other contracts of the library do not count: the sessions say what *this* one accepts and rejects.

use ctr_front::ir::Library;
use ctr_runtime::decision::ContractOutcome;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;

use crate::compare::query::{self, Outcome, Sides, Target};
use crate::engine::Expected;
use crate::replay::{Concrete, is_kept};
use crate::witness::{Found, House, Shown};
use crate::{Options, component};

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
    house.questions = 2 * contracts.len();
    Ok(contracts
        .iter()
        .map(|&contract| Examples {
            contract,
            accepted: accepted(&mut house, contract),
            rejected: rejected(&mut house, contract),
        })
        .collect())
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
