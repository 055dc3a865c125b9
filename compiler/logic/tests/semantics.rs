//! What the agreement on random formulas (`agreement.rs`) says least of: pure past formulas, folding at
//! its hardest, atom orders, canonical numbering, and labels by brute force.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{Random, Trace, Tree, accepts, all_traces};
use ctr_logic::{Arena, Dfa, Label, Limits, NodeRef, Strategy, translate, translate_with};

fn dfa(tree: &Tree) -> Dfa {
    let mut arena = Arena::new();
    let formula = tree.build(&mut arena);
    translate(&mut arena, formula, &[], &Limits::default()).unwrap()
}

fn agrees(tree: &Tree, traces: &[Trace]) {
    let dfa = dfa(tree);
    for trace in traces {
        assert_eq!(
            accepts(&dfa, trace),
            tree.holds(trace),
            "{tree:?} on {trace:?}"
        );
    }
}

#[test]
fn pure_past_and_past_only_formulas() {
    let traces = all_traces(2, 5);
    let mut random = Random::new(2);
    for round in 0..100 {
        // A pure past formula at every step.
        let tree = Tree::Always(Box::new(random.tree(2, 1 + round % 4, false)));
        agrees(&tree, &traces);
    }
}

#[test]
fn strategies_and_orders_agree() {
    let mut random = Random::new(4);
    let limits = Limits::default();
    for round in 0..300 {
        let tree = random.tree(3, 2 + round % 4, true);
        let mut arena = Arena::new();
        let formula = tree.build(&mut arena);
        let order = [2, 0, 1, 7];
        let direct =
            translate_with(&mut arena, formula, &order, &limits, Strategy::Direct).unwrap();
        let parts = translate_with(
            &mut arena,
            formula,
            &order,
            &limits,
            Strategy::Compositional,
        )
        .unwrap();
        assert_eq!(direct, parts, "{tree:?}");
        // A fresh arena, built twice, gives the same automaton number for number.
        let mut again = Arena::new();
        random.tree(3, 3, true).build(&mut again);
        let formula = tree.build(&mut again);
        assert_eq!(
            direct,
            translate(&mut again, formula, &order, &limits).unwrap(),
            "{tree:?}"
        );
        // Another order: the same language.
        let other = translate(&mut again, formula, &[1, 0, 2], &limits).unwrap();
        assert_eq!(other.states(), direct.states(), "{tree:?}");
        assert!(other.equivalent(&direct, &limits).unwrap(), "{tree:?}");
    }
}

#[test]
fn numbering_is_canonical() {
    let mut random = Random::new(6);
    for round in 0..200 {
        let dfa = dfa(&random.tree(3, 2 + round % 4, true));
        // Walk as documented and expect each state and node in turn.
        let (mut states, mut nodes) = (1, 0);
        let mut s = 0;
        while s < states {
            walk(&dfa, dfa.root(s), &mut states, &mut nodes);
            s += 1;
        }
        assert_eq!(
            (states as usize, nodes as usize),
            (dfa.states(), dfa.nodes().len())
        );
        // Ordered, reduced, shared.
        let place = |atom: u32| dfa.order().iter().position(|&a| a == atom).unwrap();
        let mut seen = std::collections::HashSet::new();
        for node in dfa.nodes() {
            assert_ne!(node.low, node.high);
            assert!(seen.insert(*node));
            for child in [node.low, node.high] {
                if let NodeRef::Inner(index) = child {
                    assert!(place(dfa.node(index).atom) > place(node.atom));
                }
            }
        }
    }
}

fn walk(dfa: &Dfa, r: NodeRef, states: &mut u32, nodes: &mut u32) {
    match r {
        NodeRef::Leaf(state) => {
            assert!(state <= *states);
            *states = (*states).max(state + 1);
        }
        NodeRef::Inner(index) => {
            if index >= *nodes {
                walk(dfa, dfa.node(index).low, states, nodes);
                walk(dfa, dfa.node(index).high, states, nodes);
                assert_eq!(index, *nodes);
                *nodes += 1;
            }
        }
    }
}

#[test]
fn labels_by_brute_force() {
    let mut random = Random::new(7);
    for round in 0..200 {
        let dfa = dfa(&random.tree(2, 2 + round % 4, true));
        for s in 0..dfa.states() as u32 {
            // All states that some continuation, the empty one included, leads to.
            let mut seen = vec![false; dfa.states()];
            let mut stack = vec![s];
            while let Some(t) = stack.pop() {
                if !std::mem::replace(&mut seen[t as usize], true) {
                    stack.extend(
                        (0..4u32).map(|letter| dfa.step(t, |atom| letter >> atom & 1 == 1)),
                    );
                }
            }
            let ends: Vec<bool> = (0..dfa.states())
                .filter(|&t| seen[t])
                .map(|t| dfa.accepting(t as u32))
                .collect();
            let expected = match (
                dfa.accepting(s),
                ends.iter().all(|&end| end == dfa.accepting(s)),
            ) {
                (true, true) => Label::SatisfiedForGood,
                (true, false) => Label::Satisfied,
                (false, false) => Label::Pending,
                (false, true) => Label::ViolatedForGood,
            };
            assert_eq!(dfa.label(s), expected);
        }
    }
}

#[test]
fn folding_keeps_the_meaning() {
    // Implication and folding are exercised hardest by formulas over one atom: nearly everything
    // implies something.
    let traces = all_traces(1, 8);
    let mut random = Random::new(8);
    for round in 0..500 {
        let tree = random.tree(1, 2 + round % 5, true);
        agrees(&tree, &traces);
    }
}
