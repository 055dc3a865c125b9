//! `dead_end`: a session in which nothing is violated comes to a point from which no continuation keeps all contracts.
//!
//! Such a point is a state of the product of the contracts' automata that can be reached while each side of each contract can
//! still be satisfied, and from which no state can be reached in which all are. Only a contract that can owe something
//! closes one. For each of those a small set of contracts around it is looked at ([`search`]): as long as the
//! set has no dead end, it is shown that whatever it owes can be met by events that do no harm to contracts outside
//! ([`escape`]), and those that would be harmed join the set. What is met so for each contract in turn is
//! met for all together, so that the product of all is needed only where everything depends on everything.

mod escape;
mod harm;
mod search;
mod watch;

use ctr_front::diagnostic::Diagnostic;

use super::undecided::Open;
use super::{Subject, listed, proof, with_places};
use crate::engine::{Answer, Expected};
use crate::product::Stopped;
use crate::universe::Class;
use escape::Escape;
use search::{Point, Search, Trap};

/// The most contracts that are multiplied.
const TOGETHER: usize = 12;
/// The most dead ends that are told of a component.
const TOLD: usize = 10;
/// How often something may be learned for one contract.
const ROUNDS: usize = 300;

/// The dead ends of a component.
pub(crate) fn findings(subject: &mut Subject<'_>) -> Vec<Diagnostic> {
    let mut open = Vec::new();
    let contracts = subject.contracts.clone();
    let out = among(subject, &contracts, &mut open);
    subject.open.append(&mut open);
    out
}

/// Whether a contract refuses the way into a dead end that the others have without it.
pub(crate) fn guards(subject: &mut Subject<'_>, contract: usize) -> bool {
    let others = subject.others(contract);
    let closed_by = |found: Vec<Diagnostic>| -> Vec<Vec<String>> {
        let proofs = found.into_iter().filter_map(|finding| finding.proof);
        proofs.map(|proof| proof.contracts).collect()
    };
    let without = closed_by(among(subject, &others, &mut Vec::new()));
    if without.is_empty() {
        return false;
    }
    let everything = subject.contracts.clone();
    let with = closed_by(among(subject, &everything, &mut Vec::new()));
    without.iter().any(|contracts| !with.contains(contracts))
}

/// The dead ends that there are with some contracts of a component alone.
fn among(subject: &mut Subject<'_>, contracts: &[usize], open: &mut Vec<Open>) -> Vec<Diagnostic> {
    match Search::new(subject).owing() {
        Ok(owing) if !owing.iter().any(|c| contracts.contains(c)) => return Vec::new(),
        Ok(_) => {}
        Err(stopped) => {
            open.push(undecided(why(stopped), subject.names(contracts)));
            return Vec::new();
        }
    }
    let returns = subject.engine.problem.universe.groups.iter().any(|group| {
        let mut classes = group.classes.iter();
        classes.any(|class| matches!(class, Class::Return(..)))
    });
    if !returns && contracts.len() == subject.contracts.len() {
        return all(subject, open);
    }
    let mut part = subject.part(contracts, returns);
    let out = all(&mut part, open);
    open.append(&mut part.open);
    out
}

fn undecided(reason: String, contracts: Vec<String>) -> Open {
    Open::new(
        "dead_end",
        "a session in which nothing is violated can always be ended well",
        reason,
    )
    .all(contracts)
}

fn why(stopped: Stopped) -> String {
    match stopped {
        Stopped::Limit => "the contracts together have too many states".to_owned(),
        Stopped::Time => "the time limit is reached".to_owned(),
    }
}

/// The same over the events of this component.
fn all(subject: &mut Subject<'_>, open: &mut Vec<Open>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut search = Search::new(subject);
    let owing = match search.owing() {
        Ok(owing) => owing,
        Err(stopped) => {
            let names = search.subject.names(&search.subject.contracts);
            open.push(undecided(why(stopped), names));
            return out;
        }
    };
    let mut doubts: Vec<(usize, String)> = Vec::new();
    for contract in owing {
        match of_contract(&mut search, contract, &mut out) {
            Ok(None) => {}
            Ok(Some(reason)) => doubts.push((contract, reason)),
            Err(stopped) => {
                // Dead ends are mostly closed by two.
                if stopped == Stopped::Limit {
                    let pairs = with_one_other(&mut search, contract, &mut out);
                    if pairs == Err(Stopped::Time) {
                        doubts.push((contract, why(Stopped::Time)));
                        continue;
                    }
                }
                doubts.push((contract, why(stopped)));
            }
        }
        if out.len() >= TOLD {
            break;
        }
    }
    for (contract, reason) in doubts {
        // Of a contract of which a dead end is told it is decided.
        if search.is_told(contract) {
            continue;
        }
        let names = search.subject.names(&[contract]);
        open.push(undecided(reason, names));
    }
    out
}

/// Looks for dead ends around a contract, until there are none. Why that is not known, if it is not.
fn of_contract(
    search: &mut Search<'_, '_>,
    contract: usize,
    out: &mut Vec<Diagnostic>,
) -> Result<Option<String>, Stopped> {
    let mut set = vec![contract];
    // First what the contract alone cannot be satisfied after, and the runtime lets through.
    let mut alone = true;
    for _ in 0..ROUNDS {
        let found = if alone {
            search.unseen(contract)?
        } else {
            search.trap(&set)?
        };
        let region = match found {
            Trap::None(_) if alone => {
                alone = false;
                continue;
            }
            Trap::None(region) => region,
            Trap::Hopeless => return Ok(None),
            Trap::Open(reason) => return Ok(Some(reason)),
            Trap::Point(point) => {
                if let Err(reason) = tell(search, &point, out)? {
                    return Ok(Some(reason));
                }
                if out.len() >= TOLD {
                    return Ok(None);
                }
                continue;
            }
        };
        match search.escapes(&set, &region)? {
            Escape::Yes => return Ok(None),
            Escape::Learned => {}
            Escape::Harms(other) => {
                if set.len() >= TOGETHER {
                    return Err(Stopped::Limit);
                }
                set.push(other);
                set.sort_unstable();
            }
            Escape::Open(reason) => return Ok(Some(reason)),
        }
    }
    Err(Stopped::Limit)
}

/// Looks for dead ends that a contract closes with one other.
fn with_one_other(
    search: &mut Search<'_, '_>,
    contract: usize,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    search.refill();
    for other in search.subject.others(contract) {
        let mut set = vec![contract, other];
        set.sort_unstable();
        while out.len() < TOLD {
            match search.trap(&set) {
                Ok(Trap::Point(point)) => {
                    if tell(search, &point, out)?.is_err() {
                        break;
                    }
                }
                Err(Stopped::Time) => return Err(Stopped::Time),
                _ => break,
            }
        }
    }
    Ok(())
}

/// Tells of a dead end, and sees to it that it is not found again; or says what contradicts it.
fn tell(
    search: &mut Search<'_, '_>,
    point: &Point,
    out: &mut Vec<Diagnostic>,
) -> Result<Result<(), String>, Stopped> {
    let mut core = search.closing(point)?;
    let path = search.path(&point.events);
    let not_so = search.subject.engine.block(&path);
    let arena = &mut search.subject.engine.problem.arena;
    let so = arena.not(not_so);
    // The session without events does not begin like this.
    let some = arena.tt();
    let some = arena.eventually(some);
    let begins = arena.and(&[so, some]);
    let mut always = vec![begins];
    always.extend(search.facts_of(&point.set));
    // What the product says is asked again of the engine, which knows nothing of products.
    let mut members = search.subject.of_all(&core);
    members.extend(&always);
    if let Answer::Session(_) = search.subject.engine.ask(&members, &Expected::default()) {
        return Ok(Err(
            "internal error: two engines contradict each other".to_owned()
        ));
    }
    for contract in core.clone() {
        let rest: Vec<usize> = core.iter().copied().filter(|c| *c != contract).collect();
        if rest.is_empty() {
            continue;
        }
        let mut members = search.subject.of_all(&rest);
        members.extend(&always);
        let expected = Expected {
            kept: rest.clone(),
            ..Expected::default()
        };
        if let Answer::Never = search.subject.ask(&members, &expected) {
            core = rest;
        }
    }
    search.told(&core)?;
    let places = search.subject.clauses(&core, &always);
    out.extend(finding(search.subject, &core, point, places));
    Ok(Ok(()))
}

fn finding(
    subject: &Subject<'_>,
    core: &[usize],
    point: &Point,
    places: Vec<(ctr_front::ir::Place, String)>,
) -> Option<Diagnostic> {
    let first = core.first().and_then(|c| subject.contract(*c))?;
    let names = subject.names(core);
    let label = if core.len() == 1 {
        "this contract"
    } else {
        "this contract and the others"
    };
    let mut what = proof("dead_end", names.clone());
    what.witness = point.session.lines();
    let finding = Diagnostic::warning(
        "W0707",
        format!(
            "a session in which nothing is violated can reach a dead end: no continuation keeps {}",
            listed(&names)
        ),
        first.name_place,
        label,
    )
    .with_help(format!(
        "it is reached by {}: forbid a step on the way, or let one of these clauses give way",
        in_words(&point.session.in_words())
    ))
    .with_proof(what);
    Some(with_places(finding, places))
}

/// The events of a session: all of a short one, the beginning of a long one.
fn in_words(events: &[String]) -> String {
    const SHOWN: usize = 8;
    // The same again and again is said once.
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for event in events {
        match runs.last_mut() {
            Some((last, times)) if *last == event => *times += 1,
            _ => runs.push((event, 1)),
        }
    }
    let more = runs.len().saturating_sub(SHOWN);
    let mut words: Vec<String> = runs
        .iter()
        .take(SHOWN)
        .map(|(event, times)| match times {
            1 => format!("`{event}`"),
            _ => format!("{times} times `{event}`"),
        })
        .collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}
