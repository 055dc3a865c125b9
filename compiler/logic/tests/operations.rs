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
use ctr_logic::{Arena, BooleanOp, Dfa, Letter, Limits, translate};

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
