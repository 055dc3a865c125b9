//! `ctrc diff`, `ctrc refine` and `ctrc check --witness` against brute force: small random policies, and all short sessions of the events
//! that their contracts can tell apart.
//!
//! Where two policies are said to allow the same, no session may say otherwise; where a session is said to be a shortest one, none may be
//! shorter. `CTRC_ORACLE_SEED` and `CTRC_ORACLE_COUNT` change what is tried.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

#[path = "../proofs/alphabet.rs"]
mod alphabet;
#[allow(dead_code, reason = "the other test takes all of it")]
#[path = "../proofs/brute.rs"]
mod brute;
#[path = "../common/live.rs"]
mod live;

use std::time::Duration;

use alphabet::HEADER;
use brute::{Judge, sessions};
use ctr_check::compare::{self, Half, Kind};
use ctr_check::{Exercise, Options, Shown};
use ctr_emit::Artifact;
use ctr_front::ir::Library;
use ctr_front::world::MemoryWorld;
use ctr_logic::Limits;
use ctr_runtime::decision::Value3;
use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::formula::{Binary, Counted, F, Unary};
use ctr_tests::oracle::generate::{Style, aggregated, atoms, guarded};
use ctr_tests::oracle::model::Line;
use ctr_tests::rng::{Rng, count, seed};

/// A form that policies are full of.
fn form(rng: &mut Rng) -> F {
    let leaf = |n| Box::new(F::Leaf(n));
    let times = 1 + rng.below(2);
    match rng.below(12) {
        0 | 1 => F::Un(Unary::Never, leaf(rng.below(2))),
        2 | 3 => F::Bin(Binary::OnlyAfter, leaf(0), leaf(1)),
        4 => F::Bin(Binary::NeverAfter, leaf(0), leaf(1)),
        5 => F::Bin(Binary::OnlyBefore, leaf(0), leaf(1)),
        6 | 7 => F::Bin(Binary::LeadsTo, leaf(0), leaf(1)),
        8 => F::Bin(Binary::LeadsNow, leaf(0), leaf(1)),
        9 => F::Count(Counted::AtMost, leaf(0), times),
        10 => F::LeadsSteps(leaf(0), leaf(1), times),
        _ => F::Un(Unary::Eventually, leaf(0)),
    }
}

fn usual(rng: &mut Rng, name: &str, keyed: bool) -> Contract {
    loop {
        let style = Style {
            keyed: if keyed { 2 } else { 0 },
            ..Style::default()
        };
        let atoms = atoms(rng, style, 2);
        let mut contract = Contract::simple(name, atoms, form(rng));
        contract.keyed = keyed;
        let binds = contract.used().iter().any(|n| match &contract.atoms[*n] {
            Atom::Pattern(p) | Atom::Guard(p, _) => p.key.is_some(),
            Atom::State(_) => false,
        });
        if binds || !keyed {
            return contract;
        }
    }
}

/// A policy that is near another one.
fn changed(rng: &mut Rng, old: &[Contract], fresh: Contract) -> Vec<Contract> {
    let mut new = old.to_vec();
    let at = rng.below(new.len());
    match rng.below(6) {
        0 if new.len() > 1 => drop(new.remove(at)),
        1 => new.push(fresh),
        2 => {
            new[at] = Contract {
                name: new[at].name.clone(),
                ..fresh
            };
        }
        3 if !new[at].assume.is_empty() => new[at].assume.clear(),
        _ if !new[at].keyed && new[at].atoms.len() > 1 => {
            new[at].guarantee = vec![form(rng)];
        }
        _ => new.reverse(),
    }
    new
}

fn compiled(contracts: &[Contract]) -> (String, Library, Artifact) {
    let mut text = HEADER.to_owned();
    for contract in contracts {
        text += &contract.text();
    }
    let world = MemoryWorld::new().with("p.ctr", &*text);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let library = compiled
        .library
        .unwrap_or_else(|| panic!("{:#?}\n{text}", compiled.diagnostics));
    let built = ctr_emit::build(&library, "test", &Limits::default()).unwrap();
    (text, library, built)
}

/// What was tried, and what it came to.
#[derive(Debug, Default)]
struct Tally {
    sessions: usize,
    equivalent: usize,
    different: usize,
    undecided: usize,
    refined: usize,
    not_refined: usize,
    witnesses: usize,
    none: usize,
    open: usize,
    wrong: Vec<String>,
}

fn options() -> Options {
    Options {
        timeout: Duration::from_secs(4),
        ..Options::default()
    }
}

fn pair(old: &[Contract], new: &[Contract], rng: &mut Rng, tally: &mut Tally) {
    let (old_text, old_library, old_built) = compiled(old);
    let (new_text, new_library, new_built) = compiled(new);
    let merged = compare::merge(&old_library, &new_library).unwrap();
    let joint = ctr_emit::build(&merged.library, "test", &Limits::default()).unwrap();
    let found = compare::diff(&merged, &joint.model, &joint.bytes, &options()).unwrap();
    let refined = compare::refine(&merged, &joint.model, &joint.bytes, &options(), false).unwrap();

    let (old_artifact, new_artifact) = (live::load(&old_built.bytes), live::load(&new_built.bytes));
    let (old_judge, new_judge) = (Judge::new(&old_artifact), Judge::new(&new_artifact));
    let both: Vec<Contract> = old.iter().chain(new).cloned().collect();
    let all = sessions(&alphabet::of(&both), &old_judge, rng);
    tally.sessions += all.len();

    let mut wrong = |what: String, lines: &[Line]| {
        tally.wrong.push(format!(
            "----- {what}\n{lines:#?}\nOLD\n{old_text}\nNEW\n{new_text}"
        ));
    };
    let excused: Vec<&str> = found
        .notes
        .iter()
        .filter(|note| note.kind == Kind::Undefined)
        .map(|note| note.about.as_str())
        .collect();
    for session in &all {
        let there = new_judge.judge(&session.lines);
        for (theirs, others, cases, open, names) in [
            (
                &there.values,
                &session.values,
                &found.new_allows,
                &found.new_open,
                old,
            ),
            (
                &session.values,
                &there.values,
                &found.old_allows,
                &found.old_open,
                new,
            ),
        ] {
            if theirs.contains(&Value3::Fail) {
                continue;
            }
            for (contract, value) in names.iter().zip(others) {
                let name = &contract.name;
                if *value != Value3::Fail {
                    continue;
                }
                match cases.iter().find(|case| case.contracts[0] == *name) {
                    Some(case) if case.shortest && case.events > session.lines.len() => {
                        wrong(format!("shorter than that for {name}"), &session.lines);
                    }
                    Some(_) => {}
                    None if open.iter().any(|open| open.contract == *name) => {}
                    None if excused.contains(&name.as_str()) => {}
                    None => wrong(format!("no difference for {name}"), &session.lines),
                }
            }
        }
        for obligation in &refined.obligations {
            let of = |contracts: &[Contract], values: &[Value3]| -> Vec<Value3> {
                contracts
                    .iter()
                    .zip(values)
                    .filter(|(c, _)| obligation.contract.as_ref().is_none_or(|n| *n == c.name))
                    .map(|(_, value)| *value)
                    .collect()
            };
            let (was, is) = (of(old, &session.values), of(new, &there.values));
            if was.contains(&Value3::Idle) {
                continue;
            }
            if matches!(obligation.assumption, Half::Holds) && is.contains(&Value3::Idle) {
                wrong(
                    format!("{:?} assumes more", obligation.contract),
                    &session.lines,
                );
            }
            let excused = refined
                .notes
                .iter()
                .any(|note| note.kind == Kind::Undefined);
            if matches!(obligation.guarantee, Half::Holds)
                && !excused
                && was.contains(&Value3::Fail)
                && !is.contains(&Value3::Fail)
            {
                wrong(
                    format!("{:?} guarantees less", obligation.contract),
                    &session.lines,
                );
            }
        }
    }
    if !found.new_allows.is_empty() || !found.old_allows.is_empty() {
        tally.different += 1;
    } else if !found.new_open.is_empty() || !found.old_open.is_empty() {
        tally.undecided += 1;
    } else {
        tally.equivalent += 1;
    }
    let holds = |half: &Half| matches!(half, Half::Holds);
    if refined
        .obligations
        .iter()
        .all(|o| holds(&o.assumption) && holds(&o.guarantee))
    {
        tally.refined += 1;
    } else {
        tally.not_refined += 1;
    }
}

/// Sessions that call a tool: as short as can be, or there are none.
fn witness(contracts: &[Contract], rng: &mut Rng, tally: &mut Tally) {
    let (text, library, built) = compiled(contracts);
    let found =
        ctr_check::witnesses(&library, &built.model, &built.bytes, &options(), None).unwrap();
    let artifact = live::load(&built.bytes);
    let judge = Judge::new(&artifact);
    let all = sessions(&alphabet::of(contracts), &judge, rng);
    tally.sessions += all.len();
    for witness in &found.sessions {
        let Exercise::Tool(tool) = &witness.of else {
            continue;
        };
        let calls = |line: &Line| matches!(line, Line::Call(_, other, _) if other == tool);
        let shortest = all
            .iter()
            .filter(|s| s.values.iter().all(|value| *value == Value3::Active))
            .filter(|s| s.lines.iter().any(calls))
            .min_by_key(|s| s.lines.len());
        let refuted = match &witness.shown {
            Shown::Session {
                events,
                shortest: true,
                ..
            } => {
                tally.witnesses += 1;
                shortest.filter(|s| s.lines.len() < *events)
            }
            Shown::Never { .. } => {
                tally.none += 1;
                shortest
            }
            _ => {
                tally.open += 1;
                None
            }
        };
        if let Some(session) = refuted {
            let lines = &session.lines;
            tally
                .wrong
                .push(format!("----- {witness:#?}\n{lines:#?}\n{text}"));
        }
    }
}

fn run(salt: u64, policies: u64, make: &mut dyn FnMut(&mut Rng, &str) -> Contract) -> Tally {
    let mut rng = Rng::new(seed(81_117) ^ salt);
    let mut tally = Tally::default();
    for _ in 0..count(policies) {
        let old: Vec<Contract> = (0..1 + rng.below(3))
            .map(|n| make(&mut rng, &format!("c{n}")))
            .collect();
        let fresh = make(&mut rng, "fresh");
        let new = changed(&mut rng, &old, fresh);
        pair(&old, &new, &mut rng, &mut tally);
        witness(&new, &mut rng, &mut tally);
    }
    assert!(
        tally.wrong.is_empty(),
        "{} answers are refuted:\n{}",
        tally.wrong.len(),
        tally.wrong.join("\n")
    );
    eprintln!("{tally:?}");
    tally
}

#[test]
fn usual_forms() {
    let tally = run(1, 8, &mut |rng, name| usual(rng, name, false));
    assert!(
        tally.undecided * 10 <= tally.different + tally.equivalent,
        "{tally:?}"
    );
    assert!(tally.equivalent > 0 && tally.refined > 0 && tally.not_refined > 0);
    assert!(tally.open * 10 <= tally.witnesses, "{tally:?}");
}

#[test]
fn usual_forms_with_keys() {
    let tally = run(2, 5, &mut |rng, name| {
        let keyed = rng.chance(60);
        usual(rng, name, keyed)
    });
    assert!(
        tally.undecided <= tally.different + tally.equivalent,
        "{tally:?}"
    );
}

#[test]
fn assumptions_and_aggregates() {
    let tally = run(3, 5, &mut |rng, name| match rng.below(3) {
        0 => aggregated(rng, name, false, false),
        _ => guarded(rng, name),
    });
    assert!(
        tally.undecided <= tally.different + tally.equivalent,
        "{tally:?}"
    );
}
