//! `ctrc refine`: whether one library can stand in for another.
//!
//! A contract `(A', G')` refines `(A, G)` if it assumes no more and guarantees no less: every session that satisfies A satisfies
//! A', and every session that satisfies A and does not fail the new contract satisfies G (Benveniste and others, "Contracts for
//! System Design", 2018, on saturated guarantees).

use ctr_front::ir::Side;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;

use super::query::{Outcome, Sides, Target, find};
use super::{Case, Merged, Note, case, not_compared};
use crate::witness::House;
use crate::{Options, component};

/// Whether one half of an obligation holds.
#[derive(Clone, Debug)]
pub enum Half {
    /// It is proven.
    Holds,
    /// This session shows that it does not. `contracts` are those of the new library that are idle (first half), or those of the
    /// old one that fail (second half).
    Fails(Case),
    /// It is not known, with the reason.
    Open(String),
}

/// What a contract of the old library asks of the new one.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The contract of the old library; `None`: all of them.
    pub contract: Option<String>,
    /// Whether the new one assumes no more.
    pub assumption: Half,
    /// Whether the new one guarantees no less.
    pub guarantee: Half,
}

/// Whether one library refines another.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// Contract by contract, in order of the old library, or one for all.
    pub obligations: Vec<Obligation>,
    /// What else is to be known.
    pub notes: Vec<Note>,
}

/// Whether a contract has an assumption.
pub(crate) fn assumes(merged: &Merged, contract: usize) -> bool {
    merged
        .library
        .contracts
        .get(contract)
        .is_some_and(|c| c.clauses.iter().any(|clause| clause.side == Side::Assume))
}

/// Whether the new library refines the old one: contract by contract where each of the old one's has a namesake in the new one, else (or where
/// `whole` asks for it) all together.
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn refine(
    merged: &Merged,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    whole: bool,
) -> Result<Refinement, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let keys = component::keys(&merged.library);
    let by_name: Option<Vec<(usize, usize, String)>> = merged
        .members
        .iter()
        .enumerate()
        .flat_map(|(old, member)| member.old.iter().map(move |name| (old, name)))
        .map(|(old, name)| {
            let new = merged.members.iter().position(|m| m.new.contains(name))?;
            Some((old, new, name.clone()))
        })
        .collect();
    let mut house = House::new(&merged.library, model, &keys, &artifact, options);
    let count = merged.members.len();
    let mut notes = merged.notes.clone();
    let mut obligations = Vec::new();
    match by_name.filter(|_| !whole) {
        Some(pairs) => {
            house.questions = 2 * pairs.len();
            for (old, new, name) in pairs {
                if old == new {
                    obligations.push(Obligation {
                        contract: Some(name),
                        assumption: Half::Holds,
                        guarantee: Half::Holds,
                    });
                    continue;
                }
                let only = |contract: usize| (0..count).map(|c| c == contract).collect();
                let (olds, news): (Vec<bool>, Vec<bool>) = (only(old), only(new));
                let assumption = weaker(&mut house, merged, &olds, &[new]);
                let mut guarantee = stronger(&mut house, merged, &olds, &news, &[old], &mut notes);
                // What else the session fails is not asked here.
                if let Half::Fails(case) = &mut guarantee {
                    case.contracts = vec![name.clone()];
                }
                obligations.push(Obligation {
                    contract: Some(name),
                    assumption,
                    guarantee,
                });
            }
        }
        None => {
            let (olds, news) = (merged.of(false), merged.of(true));
            let of_new = super::differing(merged, false);
            let of_old = super::differing(merged, true);
            house.questions = of_new.len() + of_old.len();
            obligations.push(Obligation {
                contract: None,
                assumption: weaker(&mut house, merged, &olds, &of_new),
                guarantee: stronger(&mut house, merged, &olds, &news, &of_old, &mut notes),
            });
        }
    }
    Ok(Refinement { obligations, notes })
}

/// Whether every session that satisfies the old assumptions satisfies these new ones.
fn weaker(house: &mut House<'_>, merged: &Merged, old: &[bool], contracts: &[usize]) -> Half {
    let sides = Sides {
        allowed: Vec::new(),
        assumed: old.to_vec(),
    };
    let mut open = None;
    for contract in contracts {
        if !assumes(merged, *contract) {
            continue;
        }
        match find(house, &sides, Target::Idle(*contract)) {
            Outcome::Session(session, shortest) => {
                return Half::Fails(Case {
                    contracts: vec![merged.name(*contract, true)],
                    lines: session.lines(),
                    events: session.len(),
                    shortest,
                });
            }
            Outcome::Open(reason) => open = Some(reason),
            Outcome::None { .. } => {}
        }
    }
    open.map_or(Half::Holds, Half::Open)
}

/// Whether every session that satisfies the old assumptions, and that the new contracts allow, satisfies these old guarantees.
fn stronger(
    house: &mut House<'_>,
    merged: &Merged,
    old: &[bool],
    new: &[bool],
    contracts: &[usize],
    notes: &mut Vec<Note>,
) -> Half {
    let sides = Sides {
        allowed: new.to_vec(),
        assumed: old.to_vec(),
    };
    let mut open = None;
    for contract in contracts {
        match find(house, &sides, Target::Fails(*contract)) {
            Outcome::Session(session, shortest) => {
                return Half::Fails(case(house, merged, session, shortest, *contract, true));
            }
            Outcome::Open(reason) => open = Some(reason),
            Outcome::None { undefined } => {
                if undefined {
                    not_compared(&merged.name(*contract, false), notes);
                }
            }
        }
    }
    open.map_or(Half::Holds, Half::Open)
}
