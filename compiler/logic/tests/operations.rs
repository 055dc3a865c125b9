//! Products, complement, inclusion and witnesses against the plain definition.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{Random, Table, Trace, Tree, accepts, all_traces};
use ctr_logic::{
    Arena, BooleanOp, Dfa, Error, Label, Letter, Limits, Strategy, translate, translate_with,
};
use std::sync::atomic::{AtomicUsize, Ordering};

fn dfa(tree: &Tree, order: &[u32]) -> Dfa {
    let mut arena = Arena::new();
    let formula = tree.build(&mut arena);
    translate(&mut arena, formula, order, &Limits::default()).unwrap()
}

fn letters(trace: &[Letter]) -> Trace {
    trace
        .iter()
        .map(|letter| {
            letter
                .iter()
                .fold(0, |bits, &(atom, value)| bits | u32::from(value) << atom)
        })
        .collect()
}

const OPS: [BooleanOp; 6] = [
    BooleanOp::And,
    BooleanOp::Or,
    BooleanOp::Xor,
    BooleanOp::Iff,
    BooleanOp::Minus,
    BooleanOp::Implies,
];

#[test]
fn products() {
    let limits = Limits::default();
    let traces = all_traces(2, 4);
    let mut random = Random::new(11);
    for round in 0..120u32 {
        let (f, g) = (
            random.tree(2, 1 + round % 4, true),
            random.tree(2, 1 + round % 3, true),
        );
        // In half of the rounds the orders disagree.
        let (a, b) = (
            dfa(&f, &[0, 1]),
            dfa(&g, if round % 2 == 0 { &[0, 1] } else { &[1, 0] }),
        );
        for op in OPS {
            let product = a.product(&b, op, &limits).unwrap();
            for trace in &traces {
                assert_eq!(
                    accepts(&product, trace),
                    op.of(f.holds(trace), g.holds(trace)),
                    "{op:?} {f:?} {g:?} {trace:?}"
                );
            }
            assert_eq!(
                Table::of(&product, 2).classes(),
                product.states(),
                "{op:?} {f:?} {g:?}"
            );
        }
        // The product is the automaton of the combined formula.
        let both = Tree::And(Box::new(f.clone()), Box::new(g.clone()));
        assert!(
            a.intersection(&b, &limits)
                .unwrap()
                .equivalent(&dfa(&both, &[0, 1]), &limits)
                .unwrap()
        );
        let complement = a.complement();
        for trace in &traces {
            assert_ne!(accepts(&complement, trace), accepts(&a, trace));
        }
        assert_eq!(
            complement,
            a.product(&a, BooleanOp::And, &limits).unwrap().complement()
        );
        assert!(a.union(&complement, &limits).unwrap().is_universal());
        assert!(a.disjoint_from(&complement, &limits).unwrap());
    }
}

#[test]
fn inclusion_and_disjointness() {
    let limits = Limits::default();
    let mut random = Random::new(12);
    let (mut included, mut disjoint) = (0, 0);
    for round in 0..300u32 {
        let (f, g) = (
            random.tree(2, 1 + round % 3, true),
            random.tree(2, 1 + round % 3, true),
        );
        let (a, b) = (dfa(&f, &[]), dfa(&g, &[]));
        let minus = a.product(&b, BooleanOp::Minus, &limits).unwrap();
        assert_eq!(
            a.included_in(&b, &limits).unwrap(),
            minus.is_empty(),
            "{f:?} in {g:?}"
        );
        let both = a.intersection(&b, &limits).unwrap();
        assert_eq!(
            a.disjoint_from(&b, &limits).unwrap(),
            both.is_empty(),
            "{f:?} and {g:?}"
        );
        let xor = a.product(&b, BooleanOp::Xor, &limits).unwrap();
        assert_eq!(a.equivalent(&b, &limits).unwrap(), xor.is_empty());
        included += u32::from(minus.is_empty());
        disjoint += u32::from(both.is_empty());
    }
    assert!(
        (20..280).contains(&included) && (20..280).contains(&disjoint),
        "{included} {disjoint}"
    );
}

#[test]
fn shortest_traces() {
    let traces = all_traces(2, 5);
    let mut random = Random::new(13);
    for round in 0..300u32 {
        let tree = random.tree(2, 1 + round % 5, true);
        let dfa = dfa(&tree, &[]);
        let by_search = traces.iter().find(|trace| tree.holds(trace)).map(Vec::len);
        match dfa.shortest_accepted() {
            None => assert!(dfa.is_empty() && by_search.is_none(), "{tree:?}"),
            Some(trace) => {
                assert!(tree.holds(&letters(&trace)), "{tree:?}");
                assert!(by_search.is_none_or(|len| len == trace.len()), "{tree:?}");
                assert!(by_search.is_some() || trace.len() > 5);
            }
        }
        let by_search = traces
            .iter()
            .skip(1)
            .find(|trace| tree.holds(trace))
            .map(Vec::len);
        assert_eq!(
            dfa.accepts_some_step(),
            dfa.shortest_accepted_with_a_step().is_some()
        );
        match dfa.shortest_accepted_with_a_step() {
            None => assert!(by_search.is_none(), "{tree:?}"),
            Some(trace) => {
                assert!(
                    tree.holds(&letters(&trace)) && !trace.is_empty(),
                    "{tree:?}"
                );
                assert!(by_search.is_none_or(|len| len == trace.len()), "{tree:?}");
            }
        }
    }
}

#[test]
fn letters_lead_where_they_say() {
    let mut random = Random::new(14);
    for round in 0..200u32 {
        let dfa = dfa(&random.tree(3, 2 + round % 4, true), &[2, 1, 0]);
        for s in 0..dfa.states() as u32 {
            for t in dfa.successors(s) {
                let letter = dfa.letter(s, t);
                let value = |atom| letter.iter().any(|&(a, value)| a == atom && value);
                assert_eq!(dfa.step(s, value), t);
            }
        }
    }
}

#[test]
fn reordering_keeps_the_language_and_is_canonical() {
    let limits = Limits::default();
    let mut random = Random::new(15);
    for round in 0..200u32 {
        let tree = random.tree(3, 2 + round % 4, true);
        let from = dfa(&tree, &[0, 1, 2]);
        let to = dfa(&tree, &[2, 0, 1]);
        assert_eq!(from.reordered(to.order(), &limits).unwrap(), to, "{tree:?}");
    }
}

/// All operations against textbook algorithms on tables of letters, which are complete: no bound on the
/// length of traces is left.
#[test]
fn operations_on_tables() {
    let limits = Limits::default();
    let mut random = Random::new(16);
    let (mut included, mut equivalent, mut dead) = (0, 0, 0);
    for round in 0..250u32 {
        let (f, g) = (
            random.tree(3, 1 + round % 4, true),
            random.tree(3, 1 + round % 4, true),
        );
        let (a, b) = (dfa(&f, &[0, 1, 2]), dfa(&g, &[1, 2, 0]));
        let (s, t) = (Table::of(&a, 3), Table::of(&b, 3));
        let told = || format!("{f} and {g}");
        for op in OPS {
            let product = a.product(&b, op, &limits).unwrap();
            let pairs = s.product(&t, |x, y| op.of(x, y));
            assert_eq!(product.states(), pairs.classes(), "{op:?} {}", told());
            let table = Table::of(&product, 3);
            // The same language: no trace leads to a difference.
            let difference = table.product(&pairs, |x, y| x != y);
            assert_eq!(difference.shortest(0), None, "{op:?} {}", told());
            let (any, with_a_step) = (
                product.shortest_accepted(),
                product.shortest_accepted_with_a_step(),
            );
            assert_eq!(any.map(|w| w.len()), pairs.shortest(0), "{op:?} {}", told());
            assert_eq!(
                with_a_step.map(|w| w.len()),
                pairs.shortest_with_a_step(0),
                "{op:?} {}",
                told()
            );
            assert_eq!(product.is_empty(), pairs.shortest(0).is_none());
            assert_eq!(
                product.is_universal(),
                s.product(&t, |x, y| !op.of(x, y)).shortest(0).is_none()
            );
        }
        let complement = Table::of(&a.complement(), 3);
        assert_eq!(complement.product(&s, |x, y| x == y).shortest(0), None);
        let minus = s.product(&t, |x, y| x && !y).shortest(0);
        let xor = s.product(&t, |x, y| x != y).shortest(0);
        let both = s.product(&t, |x, y| x && y).shortest(0);
        assert_eq!(a.included_in(&b, &limits).unwrap(), minus.is_none());
        assert_eq!(a.equivalent(&b, &limits).unwrap(), xor.is_none());
        assert_eq!(a.disjoint_from(&b, &limits).unwrap(), both.is_none());
        included += u32::from(minus.is_none());
        equivalent += u32::from(xor.is_none());
        // Dead prefixes: those after which nothing is accepted any more, and their shortest ways.
        for state in 0..a.states() as u32 {
            let from = s.shortest(state as usize);
            let is_dead = a.label(state) == Label::ViolatedForGood;
            assert_eq!(is_dead, from.is_none(), "{f}");
            dead += u32::from(is_dead);
            let way = a.shortest_from(state, |s| a.accepting(s));
            assert_eq!(way.map(|w| w.len()), from, "{f}");
            let to = a.shortest_from(a.initial(), |s| s == state).unwrap();
            assert_eq!(Some(to.len()), s.distances(0)[state as usize], "{f}");
        }
    }
    assert!(
        included > 20 && equivalent > 2 && dead > 50,
        "{included} {equivalent} {dead}"
    );
}

/// What a piece of work gives under ever larger limits: the documented error, which names the limit,
/// or what it gives without limits. Never a panic, never another answer, and what is enough stays so.
fn under_limits<T: PartialEq + std::fmt::Debug>(
    told: &str,
    work: impl Fn(&Limits<'_>) -> Result<T, Error>,
) -> (usize, usize, usize) {
    let expected = work(&Limits::default()).unwrap();
    let sweep = |limits: &dyn Fn(usize) -> Limits<'static>, error: &dyn Fn(usize) -> Error| {
        let mut failures = 0;
        let mut enough = false;
        for n in (0..40).chain((0..12).map(|i| 40 << i)) {
            match work(&limits(n)) {
                Ok(answer) => {
                    assert_eq!(answer, expected, "{told}, limit {n}");
                    enough = true;
                }
                Err(reached) => {
                    assert_eq!(reached, error(n), "{told}");
                    assert!(reached.is_limit() && reached.to_string().contains(&n.to_string()));
                    assert!(!enough, "{told}: {n} is not enough, and less was");
                    failures += 1;
                }
            }
        }
        assert!(enough, "{told}");
        failures
    };
    let states = sweep(
        &|states| Limits {
            states,
            ..Limits::default()
        },
        &|limit| Error::TooManyStates { limit },
    );
    let nodes = sweep(
        &|nodes| Limits {
            nodes,
            ..Limits::default()
        },
        &|limit| Error::TooManyNodes { limit },
    );
    // Cancelled at the first, second, .. time it asks.
    let mut cancelled = 0;
    loop {
        let asked = AtomicUsize::new(0);
        let cancel = || asked.fetch_add(1, Ordering::Relaxed) >= cancelled;
        let result = work(&Limits {
            cancel: Some(&cancel),
            ..Limits::default()
        });
        match result {
            Ok(answer) => {
                assert_eq!(answer, expected, "{told}");
                assert!(
                    asked.load(Ordering::Relaxed) <= cancelled,
                    "{told}: it was not heeded"
                );
                return (states, nodes, cancelled);
            }
            Err(error) => assert_eq!(error, Error::Cancelled, "{told}"),
        }
        cancelled += 1;
        assert!(cancelled < 100_000, "{told}");
    }
}

#[test]
fn tiny_limits_are_errors_never_wrong_answers() {
    let mut random = Random::new(17);
    let (mut states, mut nodes, mut cancelled) = (0, 0, 0);
    let mut add = |(s, n, c): (usize, usize, usize)| {
        states += s;
        nodes += n;
        cancelled += c;
    };
    for round in 0..25u32 {
        let (f, g) = (
            random.tree(3, 3 + round % 3, true),
            random.tree(3, 3 + round % 3, true),
        );
        let (a, b) = (dfa(&f, &[0, 1, 2]), dfa(&g, &[1, 0, 2]));
        let told = format!("{f} and {g}");
        for strategy in [
            Strategy::Direct,
            Strategy::Compositional,
            Strategy::Portfolio,
        ] {
            add(under_limits(&format!("{strategy:?} {f}"), |limits| {
                let mut arena = Arena::new();
                let formula = f.build(&mut arena);
                translate_with(&mut arena, formula, &[0, 1, 2], limits, strategy)
            }));
        }
        for op in OPS {
            add(under_limits(&format!("{op:?} {told}"), |limits| {
                a.product(&b, op, limits)
            }));
        }
        add(under_limits(&told, |limits| a.intersection(&b, limits)));
        add(under_limits(&told, |limits| a.union(&b, limits)));
        add(under_limits(&told, |limits| a.equivalent(&b, limits)));
        add(under_limits(&told, |limits| a.included_in(&b, limits)));
        add(under_limits(&told, |limits| a.disjoint_from(&b, limits)));
        add(under_limits(&told, |limits| {
            a.reordered(&[2, 1, 0], limits)
        }));
    }
    assert!(
        states > 100 && nodes > 100 && cancelled > 25,
        "{states} {nodes} {cancelled}"
    );
}

#[test]
fn large_operations_are_cancelled_at_once() {
    let sets = |from: u32| {
        let mut arena = Arena::new();
        let members: Vec<_> = (from..from + 6)
            .map(|atom| {
                let atom = arena.atom(atom);
                arena.eventually(atom)
            })
            .collect();
        let all = arena.and(&members);
        translate(&mut arena, all, &[], &Limits::default()).unwrap()
    };
    let (a, b) = (sets(0), sets(6));
    let cancel = || true;
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    for op in OPS {
        assert_eq!(a.product(&b, op, &limits), Err(Error::Cancelled), "{op:?}");
    }
    // Questions stop at the first trace that decides; these have none.
    let both = a.intersection(&b, &Limits::default()).unwrap();
    assert_eq!(both.included_in(&a, &limits), Err(Error::Cancelled));
    assert_eq!(
        both.disjoint_from(&a.complement(), &limits),
        Err(Error::Cancelled)
    );
    let order: Vec<u32> = (0..12).rev().collect();
    assert_eq!(both.reordered(&order, &limits), Err(Error::Cancelled));
    let reversed = both.reordered(&order, &Limits::default()).unwrap();
    assert_eq!(both.equivalent(&reversed, &limits), Err(Error::Cancelled));
}
