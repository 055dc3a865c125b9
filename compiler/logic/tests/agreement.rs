//! The automaton of every strategy and the definitions agree: on all small formulas, and on random
//! ones, with labels and minimality.
//!
//! `CTRC_LOGIC_NODES=5` tries all formulas of up to five nodes instead of four, and
//! `CTRC_LOGIC_PAIRS=1000000` so many pairs of a random formula and a trace; with `--nocapture` the
//! figures are printed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{Random, Table, Trace, Tree, accepts, all_traces, all_trees, run};
use ctr_logic::{Arena, Dfa, Label, Letter, Limits, Strategy, translate_with};
use std::time::Instant;

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| {
        text.parse().unwrap_or_else(|_| panic!("{variable}={text}"))
    })
}

/// The automaton, the same by every strategy.
fn dfa(tree: &Tree) -> Result<Dfa, String> {
    let limits = Limits::default();
    let mut all = Vec::new();
    for strategy in [
        Strategy::Direct,
        Strategy::Compositional,
        Strategy::Portfolio,
    ] {
        let mut arena = Arena::new();
        let formula = tree.build(&mut arena);
        // The order is given, so that automata of one language are equal.
        let order = [0, 1, 2, 3];
        let dfa = translate_with(&mut arena, formula, &order, &limits, strategy)
            .map_err(|error| format!("{strategy:?}: {error}"))?;
        all.push((strategy, dfa));
    }
    let (_, first) = all.swap_remove(0);
    for (strategy, other) in all {
        if other != first {
            return Err(format!("{strategy:?} and direct differ"));
        }
    }
    Ok(first)
}

fn bits(trace: &[Letter]) -> Trace {
    let step = |letter: &Letter| {
        letter
            .iter()
            .fold(0, |bits, &(atom, value)| bits | u32::from(value) << atom)
    };
    trace.iter().map(step).collect()
}

/// Whether the labels of the states say exactly what continuations can do. That a label is for good is
/// tried on all continuations of up to `ahead` steps; that one is not, by a witness which the
/// definitions confirm.
fn labels(tree: &Tree, dfa: &Dfa, atoms: u32, ahead: usize) -> Result<(), String> {
    let continuations = all_traces(atoms, ahead);
    for s in 0..dfa.states() as u32 {
        let prefix = bits(&dfa.shortest_from(dfa.initial(), |t| t == s).unwrap());
        let now = tree.holds(&prefix);
        let extended = |more: &[u32]| tree.holds(&[prefix.as_slice(), more].concat());
        let (satisfied, for_good) = match dfa.label(s) {
            Label::SatisfiedForGood => (true, true),
            Label::Satisfied => (true, false),
            Label::Pending => (false, false),
            Label::ViolatedForGood => (false, true),
        };
        let told = format!("{:?} after {prefix:?}", dfa.label(s));
        if satisfied != now {
            return Err(told);
        }
        if for_good {
            if let Some(other) = continuations.iter().find(|more| extended(more) != now) {
                return Err(format!("{told}, but not with {other:?}"));
            }
        } else {
            let witness = dfa
                .shortest_from(s, |t| dfa.accepting(t) != now)
                .ok_or_else(|| format!("{told} without a witness"))?;
            if extended(&bits(&witness)) == now {
                return Err(format!("{told} has the wrong witness {witness:?}"));
            }
        }
    }
    Ok(())
}

/// What is wrong with the automaton of a formula.
fn fault(tree: &Tree, atoms: u32, traces: &[Trace]) -> Result<(), String> {
    let dfa = dfa(tree)?;
    for trace in traces {
        if accepts(&dfa, trace) != tree.holds(trace) {
            return Err(format!(
                "on {trace:?} the definitions say {}",
                tree.holds(trace)
            ));
        }
    }
    labels(tree, &dfa, atoms, if atoms > 2 { 2 } else { 3 })?;
    let table = Table::of(&dfa, atoms);
    if (table.reachable(), table.classes()) != (dfa.states(), dfa.states()) {
        return Err(format!(
            "{} states, {} reachable, {} different",
            dfa.states(),
            table.reachable(),
            table.classes()
        ));
    }
    Ok(())
}

/// Fails with a smallest formula that is wrong.
fn check(tree: &Tree, atoms: u32, traces: &[Trace]) {
    if fault(tree, atoms, traces).is_err() {
        let least = tree.shrunk(|less| fault(less, atoms, traces).is_err());
        panic!("{least}: {}", fault(&least, atoms, traces).unwrap_err());
    }
}

#[test]
fn all_small_formulas_on_all_short_traces() {
    let most = number("CTRC_LOGIC_NODES", 4);
    let traces = all_traces(2, 5);
    assert_eq!(traces.len(), 1 + 4 + 16 + 64 + 256 + 1024);
    let start = Instant::now();
    let mut formulas = 0;
    for trees in all_trees(2, most) {
        for tree in &trees {
            check(tree, 2, &traces);
        }
        formulas += trees.len();
    }
    println!(
        "all {formulas} formulas of up to {most} nodes over two atoms on all {} traces of up to five \
         steps: {} pairs agree, {:.1} s",
        traces.len(),
        formulas * traces.len(),
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn random_formulas() {
    let pairs = number("CTRC_LOGIC_PAIRS", 150_000);
    let short = all_traces(2, 5);
    let mut random = Random::new(2_026);
    let start = Instant::now();
    let (mut done, mut formulas, mut largest, mut past) = (0, 0, 0, 0);
    while done < pairs {
        // Two atoms on all short traces, then four on random longer ones.
        let tree = random.tree(2, 3 + formulas % 4, true);
        check(&tree, 2, &short);
        let wide = random.tree(4, 3 + formulas % 4, true);
        let long: Vec<Trace> = (0..200)
            .map(|_| {
                let len = random.below(24) as usize;
                random.trace(4, len)
            })
            .collect();
        check(&wide, 4, &long);
        done += short.len() + long.len();
        formulas += 1;
        largest = largest.max(dfa(&wide).unwrap().states());
        past += u32::from(tree.has_past()) + u32::from(wide.has_past());
    }
    println!(
        "{} random formulas ({past} with past operators, up to {largest} states): {done} pairs agree, \
         {:.1} s",
        2 * formulas,
        start.elapsed().as_secs_f64()
    );
    assert!(past > formulas / 3 && largest > 20);
}

/// The evaluator is the measure of everything here, so it is measured itself: by laws of the logic
/// that are not in it (expansions, dualities, what is defined by something else), and by mirroring.
#[test]
fn the_definitions_obey_the_laws() {
    use Tree::*;
    let b = |f: &Tree| Box::new(f.clone());
    let mut random = Random::new(77);
    for round in 0..400u32 {
        let (f, g) = (
            random.tree(2, round % 3, true),
            random.tree(2, round % 3, true),
        );
        let (p, q) = (
            random.tree(2, round % 3, false),
            random.tree(2, round % 3, false),
        );
        let not = |f: &Tree| Not(b(f));
        let laws = [
            // Expansions.
            (
                Until(b(&f), b(&g)),
                Or(
                    b(&g),
                    Box::new(And(b(&f), Box::new(Next(Box::new(Until(b(&f), b(&g))))))),
                ),
            ),
            (
                Unless(b(&f), b(&g)),
                Or(
                    b(&g),
                    Box::new(And(
                        b(&f),
                        Box::new(WeakNext(Box::new(Unless(b(&f), b(&g))))),
                    )),
                ),
            ),
            (
                Release(b(&f), b(&g)),
                And(
                    b(&g),
                    Box::new(Or(
                        b(&f),
                        Box::new(WeakNext(Box::new(Release(b(&f), b(&g))))),
                    )),
                ),
            ),
            (
                StrongRelease(b(&f), b(&g)),
                And(
                    b(&g),
                    Box::new(Or(
                        b(&f),
                        Box::new(Next(Box::new(StrongRelease(b(&f), b(&g))))),
                    )),
                ),
            ),
            (
                Since(b(&p), b(&q)),
                Or(
                    b(&q),
                    Box::new(And(
                        b(&p),
                        Box::new(Previously(Box::new(Since(b(&p), b(&q))))),
                    )),
                ),
            ),
            (
                Triggered(b(&p), b(&q)),
                And(
                    b(&q),
                    Box::new(Or(
                        b(&p),
                        Box::new(WeakPreviously(Box::new(Triggered(b(&p), b(&q))))),
                    )),
                ),
            ),
            // What is defined by something else.
            (Eventually(b(&f)), Until(Box::new(True), b(&f))),
            (Always(b(&f)), Release(Box::new(False), b(&f))),
            (Once(b(&p)), Since(Box::new(True), b(&p))),
            (Historically(b(&p)), Triggered(Box::new(False), b(&p))),
            (
                Unless(b(&f), b(&g)),
                Or(Box::new(Until(b(&f), b(&g))), Box::new(Always(b(&f)))),
            ),
            (
                StrongRelease(b(&f), b(&g)),
                And(Box::new(Release(b(&f), b(&g))), Box::new(Eventually(b(&f)))),
            ),
            (Xor(b(&f), b(&g)), Not(Box::new(Iff(b(&f), b(&g))))),
            (Implies(b(&f), b(&g)), Or(Box::new(not(&f)), b(&g))),
            // Dualities.
            (not(&Next(b(&f))), WeakNext(Box::new(not(&f)))),
            (
                not(&Until(b(&f), b(&g))),
                Release(Box::new(not(&f)), Box::new(not(&g))),
            ),
            (
                not(&Unless(b(&f), b(&g))),
                StrongRelease(Box::new(not(&f)), Box::new(not(&g))),
            ),
            (not(&Eventually(b(&f))), Always(Box::new(not(&f)))),
            (not(&Previously(b(&p))), WeakPreviously(Box::new(not(&p)))),
            (
                not(&Since(b(&p), b(&q))),
                Triggered(Box::new(not(&p)), Box::new(not(&q))),
            ),
            (not(&Once(b(&p))), Historically(Box::new(not(&p)))),
        ];
        for _ in 0..8 {
            let len = 1 + random.below(9) as usize;
            let trace = random.trace(2, len);
            for (i, (left, right)) in laws.iter().enumerate() {
                assert_eq!(
                    left.positions(&trace),
                    right.positions(&trace),
                    "law {i}: {left} and {right} on {trace:?}"
                );
            }
            // A past formula on a trace is its mirror image on the trace read backwards.
            let backwards: Trace = trace.iter().rev().copied().collect();
            let mirrored = p.mirrored().positions(&backwards);
            let expected = (0..len).fold(0, |set, i| {
                set | (p.positions(&trace) >> i & 1) << (len - 1 - i)
            });
            assert_eq!(mirrored, expected, "{p} on {trace:?}");
        }
        // Dualities hold on the empty trace too.
        for (left, right) in &laws[14..] {
            assert_eq!(left.holds(&[]), right.holds(&[]), "{left} and {right}");
        }
    }
}

/// The evaluator of the crate, which its engines check their traces with, says the same; of formulas with
/// a future operator under a past one too, which have no automaton here but a meaning.
#[test]
fn the_evaluator_of_the_crate() {
    let mut random = Random::new(79);
    let mut mixed = 0;
    for round in 0..600u32 {
        let mut tree = random.tree(3, 1 + round % 4, true);
        if round % 2 == 0 {
            tree = Tree::Since(Box::new(tree), Box::new(random.tree(3, 2, true)));
            tree = Tree::Until(Box::new(random.tree(3, 1, true)), Box::new(tree));
        }
        let mut arena = Arena::new();
        let formula = tree.build(&mut arena);
        mixed += u32::from(arena.future_under_past(formula).is_some());
        assert_eq!(formula.holds_on_empty_trace(), tree.holds(&[]), "{tree}");
        for _ in 0..20 {
            let len = random.below(9) as usize;
            let trace = random.trace(3, len);
            // False atoms are said or left out.
            let letters: Vec<Letter> = trace
                .iter()
                .map(|step| {
                    let atoms = (0..3).map(|atom| (atom, step >> atom & 1 == 1));
                    atoms
                        .filter(|&(_, value)| value || round % 3 == 0)
                        .collect()
                })
                .collect();
            assert_eq!(
                arena.holds(formula, &letters),
                tree.holds(&trace),
                "{tree} on {trace:?}"
            );
        }
    }
    assert!(mixed > 100, "{mixed}");
}

#[test]
fn states_are_what_prefixes_lead_to() {
    // Two prefixes lead to one state exactly if no continuation tells them apart (Myhill and Nerode),
    // by the definitions: for small automata continuations of up to four steps are enough.
    let prefixes = all_traces(2, 3);
    let continuations = all_traces(2, 4);
    let mut random = Random::new(78);
    let mut tried = 0;
    while tried < 12 {
        let tree = random.tree(2, 3, true);
        let dfa = dfa(&tree).unwrap();
        if !(4..=6).contains(&dfa.states()) {
            continue;
        }
        tried += 1;
        let mut by_future: std::collections::HashMap<Vec<bool>, u32> =
            std::collections::HashMap::new();
        let mut by_state: std::collections::HashMap<u32, Vec<bool>> =
            std::collections::HashMap::new();
        for prefix in &prefixes {
            let future: Vec<bool> = continuations
                .iter()
                .map(|more| tree.holds(&[prefix.as_slice(), more].concat()))
                .collect();
            let state = run(&dfa, prefix);
            assert_eq!(
                *by_future.entry(future.clone()).or_insert(state),
                state,
                "{tree}"
            );
            assert_eq!(
                *by_state.entry(state).or_insert(future.clone()),
                future,
                "{tree}"
            );
        }
    }
}
