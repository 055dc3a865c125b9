//! Both engines against every trace up to a length, and against the automata.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

#[path = "../../tests/common/mod.rs"]
mod common;

use super::transition::Way;
use super::{Bound, Bounded, Reach, Reachability};
use crate::{Arena, Error, Formula, Letter, Limits, translate};
use common::{Random, Tree};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Which operators may stand in a random formula.
#[derive(Clone, Copy)]
struct Operators {
    future: bool,
    past: bool,
    future_under_past: bool,
}

impl Operators {
    const FUTURE: Self = Self {
        future: true,
        past: false,
        future_under_past: false,
    };
    const SEPARATE: Self = Self {
        past: true,
        ..Self::FUTURE
    };
    const ALL: Self = Self {
        future_under_past: true,
        ..Self::SEPARATE
    };
}

fn formula(random: &mut Random, size: u32, atoms: u32, operators: Operators) -> Tree {
    if size <= 1 {
        let atom = Tree::Atom(random.below(atoms));
        return match random.below(12) {
            0 => Tree::True,
            1..=5 => Tree::Not(Box::new(atom)),
            _ => atom,
        };
    }
    let left = 1 + random.below(size - 1);
    let under = if operators.future_under_past {
        operators
    } else {
        Operators {
            future: false,
            ..operators
        }
    };
    loop {
        let kind = random.below(15);
        let (future, past) = (
            (6..11).contains(&kind) || kind == 14,
            (11..14).contains(&kind),
        );
        if future && !operators.future || past && !operators.past {
            continue;
        }
        let inside = if past { under } else { operators };
        let flip = random.below(2) == 0;
        let mut part = |size: u32| Box::new(formula(random, size.max(1), atoms, inside));
        return match (kind, flip) {
            (0, _) => Tree::Not(part(size - 1)),
            (6, true) => Tree::Next(part(size - 1)),
            (6, false) => Tree::WeakNext(part(size - 1)),
            (7, _) => Tree::Always(part(size - 1)),
            (8, _) => Tree::Eventually(part(size - 1)),
            (11, true) => Tree::Previously(part(size - 1)),
            (11, false) => Tree::WeakPreviously(part(size - 1)),
            (1 | 2, _) => Tree::And(part(left), part(size - left)),
            (3 | 4, _) => Tree::Or(part(left), part(size - left)),
            (5, _) => Tree::Iff(part(left), part(size - left)),
            (12 | 13, true) => Tree::Since(part(left), part(size - left)),
            (12 | 13, false) => Tree::Triggered(part(left), part(size - left)),
            (_, true) => Tree::Until(part(left), part(size - left)),
            (_, false) => Tree::Release(part(left), part(size - left)),
        };
    }
}

fn formulas(random: &mut Random, atoms: u32, operators: Operators) -> Vec<Tree> {
    (0..1 + random.below(5))
        .map(|_| {
            let size = 1 + random.below(7);
            let f = formula(random, size, atoms, operators);
            match random.below(3) {
                0 if operators.future => Tree::Always(Box::new(f)),
                _ => f,
            }
        })
        .collect()
}

/// The first trace of this length that satisfies the members.
fn trace_by_hand(members: &[&Tree], atoms: u32, steps: usize) -> Option<Vec<u32>> {
    (0..1u64 << (atoms as usize * steps)).find_map(|code| {
        let trace: Vec<u32> = (0..steps)
            .map(|i| (code >> (atoms as usize * i)) as u32 & ((1 << atoms) - 1))
            .collect();
        members
            .iter()
            .all(|member| member.holds(&trace))
            .then_some(trace)
    })
}

fn as_masks(trace: &[Letter]) -> Vec<u32> {
    trace
        .iter()
        .map(|letter| {
            letter
                .iter()
                .map(|&(atom, value)| u32::from(value) << atom)
                .sum()
        })
        .collect()
}

/// Random subset, not empty.
fn some_of(random: &mut Random, count: usize) -> Vec<usize> {
    let chosen: Vec<usize> = (0..count).filter(|_| random.below(3) > 0).collect();
    if chosen.is_empty() {
        vec![random.below(count as u32) as usize]
    } else {
        chosen
    }
}

fn rounds(default: u64) -> u64 {
    std::env::var("CTRC_SEARCH_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn bounded_agrees_with_every_trace_of_each_length() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let (mut found, mut excluded) = (0, 0);
    for round in 0..rounds(1_500) {
        let operators =
            [Operators::FUTURE, Operators::SEPARATE, Operators::ALL][round as usize % 3];
        let trees = formulas(&mut random, 2, operators);
        let mut arena = Arena::new();
        let members: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        let mut engine = Bounded::new(&arena, &members, &Limits::default()).unwrap();
        for _ in 0..3 {
            let active = some_of(&mut random, members.len());
            let chosen: Vec<&Tree> = active.iter().map(|&i| &trees[i]).collect();
            // Not in ascending order.
            for steps in [2, 4, 1, 3] {
                let expected = trace_by_hand(&chosen, 2, steps);
                match engine.at_length(&active, steps).unwrap() {
                    Bound::Trace(trace) => {
                        assert_eq!(trace.len(), steps);
                        let masks = as_masks(&trace);
                        assert!(
                            chosen.iter().all(|tree| tree.holds(&masks)),
                            "{chosen:?} {trace:?}"
                        );
                        found += 1;
                    }
                    Bound::Excluded(core) => {
                        assert_eq!(expected, None, "{chosen:?}");
                        assert!(core.iter().all(|member| active.contains(member)));
                        let core: Vec<&Tree> = core.iter().map(|&i| &trees[i]).collect();
                        assert_eq!(trace_by_hand(&core, 2, steps), None, "{core:?}");
                        excluded += 1;
                    }
                }
            }
        }
    }
    assert!(found > 500 && excluded > 500, "{found} {excluded}");
}

#[test]
fn a_trace_names_all_atoms_of_the_active_members_and_no_other() {
    let mut arena = Arena::new();
    let (a, b, c) = (arena.atom(3), arena.atom(1), arena.atom(2));
    let either = arena.or(&[a, b]);
    let soon = arena.next(either);
    let members = [soon, c];
    let mut engine = Bounded::new(&arena, &members, &Limits::default()).unwrap();
    let Bound::Trace(trace) = engine.at_length(&[0], 2).unwrap() else {
        panic!("there is a trace");
    };
    assert_eq!(trace[0], [(1, false), (3, false)]);
    assert_eq!(trace[1].len(), 2);
    assert_eq!(
        engine.at_length(&[0, 1], 1).unwrap(),
        Bound::Excluded(vec![0])
    );
}

#[test]
fn bounded_stops_at_its_limits() {
    let mut arena = Arena::new();
    let atoms: Vec<Formula> = (0..40).map(|i| arena.atom(i)).collect();
    let any = arena.or(&atoms);
    let always = arena.always(any);
    let limits = Limits {
        nodes: 300,
        ..Limits::default()
    };
    let mut engine = Bounded::new(&arena, &[always], &limits).unwrap();
    let mut steps = 1;
    let error = loop {
        match engine.at_length(&[0], steps) {
            Ok(_) => steps += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error, Error::SearchTooLarge { limit: 300 });
    assert!(steps > 1);
}

/// No more pigeons than holes, which no resolution proof shows quickly.
fn pigeons(arena: &mut Arena, holes: u32) -> Vec<Formula> {
    let atom = |arena: &mut Arena, pigeon: u32, hole: u32| arena.atom(pigeon * holes + hole);
    let mut members = Vec::new();
    for pigeon in 0..=holes {
        let places: Vec<Formula> = (0..holes).map(|hole| atom(arena, pigeon, hole)).collect();
        members.push(arena.or(&places));
    }
    for hole in 0..holes {
        for pigeon in 0..=holes {
            for other in 0..pigeon {
                let both = [atom(arena, pigeon, hole), atom(arena, other, hole)];
                let both = arena.and(&both);
                members.push(arena.not(both));
            }
        }
    }
    members
}

#[test]
fn work_can_be_cancelled_and_taken_up_again() {
    let mut arena = Arena::new();
    let mut members = pigeons(&mut arena, 10);
    members.push(arena.tt());
    let questions = AtomicUsize::new(0);
    let patience = AtomicUsize::new(5);
    let cancel = || questions.fetch_add(1, Ordering::Relaxed) >= patience.load(Ordering::Relaxed);
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    let mut engine = Bounded::new(&arena, &members, &limits).unwrap();
    let all: Vec<usize> = (0..members.len()).collect();
    assert_eq!(engine.at_length(&all, 1), Err(Error::Cancelled));
    patience.store(usize::MAX, Ordering::Relaxed);
    assert!(matches!(
        engine.at_length(&all[1..], 1),
        Ok(Bound::Trace(_))
    ));
}

/// A shortest trace by the automata, none if there is none.
fn by_automata(arena: &mut Arena, members: &[Formula]) -> Option<Vec<Letter>> {
    let conjunction = arena.and(members);
    let dfa = translate(arena, conjunction, &[], &Limits::default()).unwrap();
    dfa.shortest_accepted_with_a_step()
}

#[test]
fn reachability_agrees_with_the_automata() {
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let (mut found, mut excluded, mut longest) = (0, 0, 0);
    for round in 0..rounds(3_000) {
        let operators = [Operators::FUTURE, Operators::SEPARATE][round as usize % 2];
        let atoms = 2 + random.below(2);
        let trees = formulas(&mut random, atoms, operators);
        let mut arena = Arena::new();
        let members: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        let mut engine = Reachability::new(&arena, &members, &Limits::default()).unwrap();
        for _ in 0..2 {
            let active = some_of(&mut random, members.len());
            let chosen: Vec<&Tree> = active.iter().map(|&i| &trees[i]).collect();
            let formulas: Vec<Formula> = active.iter().map(|&i| members[i]).collect();
            let expected = by_automata(&mut arena, &formulas);
            let way = [Way::Onward, Way::Back][random.below(2) as usize];
            match engine.decide_by(&[way], &active).unwrap() {
                Reach::Trace(trace) => {
                    let masks = as_masks(&trace);
                    assert!(
                        chosen.iter().all(|tree| tree.holds(&masks)),
                        "{chosen:?} {trace:?}"
                    );
                    let shortest = expected.expect("the automata find one too").len();
                    assert_eq!(trace.len(), shortest, "{chosen:?}");
                    longest = longest.max(shortest);
                    found += 1;
                }
                Reach::Unsatisfiable(core) => {
                    assert_eq!(expected, None, "{chosen:?}");
                    assert!(core.iter().all(|member| active.contains(member)));
                    let core: Vec<Formula> = core.iter().map(|&i| members[i]).collect();
                    assert_eq!(by_automata(&mut arena, &core), None, "{chosen:?} {core:?}");
                    excluded += 1;
                }
            }
        }
    }
    assert!(
        found > 500 && excluded > 500 && longest > 3,
        "{found} {excluded} {longest}"
    );
}

#[test]
fn reachability_agrees_with_bounded_where_the_future_stands_under_the_past() {
    let mut random = Random::new(0x6a09_e667_f3bc_c909);
    let (mut found, mut excluded) = (0, 0);
    for _ in 0..rounds(1_500) {
        let trees = formulas(&mut random, 2, Operators::ALL);
        let mut arena = Arena::new();
        let members: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        let active = some_of(&mut random, members.len());
        let chosen: Vec<&Tree> = active.iter().map(|&i| &trees[i]).collect();
        let mut bounded = Bounded::new(&arena, &members, &Limits::default()).unwrap();
        let shortest = (1..=12)
            .find(|&steps| matches!(bounded.at_length(&active, steps).unwrap(), Bound::Trace(_)));
        let mut engine = Reachability::new(&arena, &members, &Limits::default()).unwrap();
        let way = [Way::Onward, Way::Back][random.below(2) as usize];
        match engine.decide_by(&[way], &active).unwrap() {
            Reach::Trace(trace) => {
                let masks = as_masks(&trace);
                assert!(chosen.iter().all(|tree| tree.holds(&masks)), "{chosen:?}");
                assert_eq!(Some(trace.len()), shortest, "{chosen:?}");
                found += 1;
            }
            Reach::Unsatisfiable(core) => {
                assert_eq!(shortest, None, "{chosen:?}");
                let core: Vec<&Tree> = core.iter().map(|&i| &trees[i]).collect();
                for steps in 1..=4 {
                    assert_eq!(trace_by_hand(&core, 2, steps), None, "{core:?}");
                }
                excluded += 1;
            }
        }
    }
    assert!(found > 300 && excluded > 300, "{found} {excluded}");
}

/// `eventually a0`, and each of a ring of atoms promises the next: promises without end.
fn promises(arena: &mut Arena, count: u32) -> Vec<Formula> {
    let first = arena.atom(0);
    let mut members = vec![arena.eventually(first)];
    for i in 0..count {
        let (promise, kept) = (arena.atom(i), arena.atom((i + 1) % count));
        let next = arena.next(kept);
        let kept = arena.implies(promise, next);
        members.push(arena.always(kept));
    }
    members
}

#[test]
fn promises_without_end_are_unsatisfiable_in_both_directions() {
    let mut arena = Arena::new();
    let members = promises(&mut arena, 30);
    let all: Vec<usize> = (0..members.len()).collect();
    let mut engine = Reachability::new(&arena, &members, &Limits::default()).unwrap();
    for ways in [&[Way::Onward][..], &[Way::Back], &[Way::Back, Way::Onward]] {
        assert_eq!(
            engine.decide_by(ways, &all).unwrap(),
            Reach::Unsatisfiable(all.clone())
        );
    }
    let Reach::Trace(trace) = engine.decide(&all[..30]).unwrap() else {
        panic!("the last promise is not renewed");
    };
    assert_eq!(trace.len(), 30);
}

#[test]
fn reachability_goes_on_where_it_was_cancelled() {
    let mut arena = Arena::new();
    let members = promises(&mut arena, 20);
    let all: Vec<usize> = (0..members.len()).collect();
    for ways in [&[Way::Onward][..], &[Way::Back]] {
        let questions = AtomicUsize::new(0);
        let cancel = || {
            let question = questions.fetch_add(1, Ordering::Relaxed) as u64;
            question.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 == 0
        };
        let limits = Limits {
            cancel: Some(&cancel),
            ..Limits::default()
        };
        let mut engine = loop {
            if let Ok(engine) = Reachability::new(&arena, &members, &limits) {
                break engine;
            }
        };
        let mut cancelled = 0;
        let answer = loop {
            match engine.decide_by(ways, &all) {
                Err(Error::Cancelled) => cancelled += 1,
                answer => break answer,
            }
        };
        assert_eq!(answer, Ok(Reach::Unsatisfiable(all.clone())));
        assert!(cancelled > 1, "{cancelled}");
    }
}

#[test]
fn reachability_stops_at_its_limits() {
    let mut arena = Arena::new();
    let members = promises(&mut arena, 30);
    let all: Vec<usize> = (0..members.len()).collect();
    for nodes in [100, 300] {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let mut engine = Reachability::new(&arena, &members, &limits).unwrap();
        assert_eq!(
            engine.decide(&all),
            Err(Error::SearchTooLarge { limit: nodes })
        );
    }
}
