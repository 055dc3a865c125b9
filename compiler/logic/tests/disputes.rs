//! The points on which published tools differ or have been wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::Tree::{self, *};
use common::{accepts, all_traces};
use ctr_logic::{Arena, CoreOptions, Dfa, Error, Formula, Label, Limits, cores, translate};

fn build(make: impl Fn(&mut Arena, Formula, Formula) -> Formula) -> Dfa {
    let mut arena = Arena::new();
    let (a, b) = (arena.atom(0), arena.atom(1));
    let formula = make(&mut arena, a, b);
    translate(&mut arena, formula, &[], &Limits::default()).unwrap()
}

const A: u32 = 1;
const B: u32 = 2;

#[test]
fn strong_and_weak_next_differ_at_the_last_step() {
    let strong = build(|f, a, _| f.next(a));
    let weak = build(|f, a, _| f.weak_next(a));
    assert!(!accepts(&strong, &[0]) && accepts(&weak, &[0]));
    assert!(accepts(&strong, &[0, A]) && accepts(&weak, &[0, A]));
    assert!(!accepts(&strong, &[0, 0]) && !accepts(&weak, &[0, 0]));
    // not next a = weak next not a; next a implies weak next a.
    let dual = build(|f, a, _| {
        let (not_a, next) = (f.not(a), f.next(a));
        let (left, right) = (f.not(next), f.weak_next(not_a));
        f.iff(left, right)
    });
    assert!(dual.is_universal());
}

#[test]
fn the_last_step() {
    // "weak next false" says: this is the last step.
    let last = build(|f, _, _| {
        let ff = f.ff();
        f.weak_next(ff)
    });
    assert!(accepts(&last, &[0]) && !accepts(&last, &[0, 0]));
    assert_eq!(last.states(), 3);
    // On finite traces, always eventually a = eventually always a = a at the last step.
    let both = build(|f, a, _| {
        let (e, g) = (f.eventually(a), f.always(a));
        let (ge, eg) = (f.always(e), f.eventually(g));
        f.iff(ge, eg)
    });
    // They differ on the empty trace alone: always holds there, eventually does not.
    assert_eq!(both.shortest_accepted().map(|trace| trace.len()), Some(1));
    assert!(!accepts(&both, &[]) && accepts(&both, &[0]) && accepts(&both, &[A, 0]));
    assert_eq!(both.states(), 2);
}

#[test]
fn the_empty_trace() {
    let expect = |make: &dyn Fn(&mut Arena, Formula, Formula) -> Formula, holds: bool| {
        let dfa = build(make);
        assert_eq!(dfa.accepting(dfa.initial()), holds);
    };
    expect(&|f, a, _| f.always(a), true);
    expect(&|f, a, _| f.weak_next(a), true);
    expect(&|f, a, _| f.weak_previously(a), true);
    expect(&|f, a, b| f.release(a, b), true);
    expect(&|f, a, b| f.unless(a, b), true);
    expect(&|f, a, _| f.historically(a), true);
    expect(&|f, a, b| f.triggered(a, b), true);
    expect(&|_, a, _| a, false);
    expect(&|f, a, _| f.not(a), true);
    expect(&|f, a, _| f.eventually(a), false);
    expect(&|f, a, _| f.next(a), false);
    expect(&|f, a, b| f.until(a, b), false);
    expect(&|f, a, b| f.strong_release(a, b), false);
    expect(&|f, a, _| f.once(a), false);
    expect(&|f, a, _| f.previously(a), false);
    expect(&|f, a, b| f.since(a, b), false);
    // Folding must not lose it: "eventually true" holds on all traces but the empty one, "always
    // false" on it alone.
    let some_step = build(|f, _, _| {
        let tt = f.tt();
        f.eventually(tt)
    });
    assert_eq!(
        (some_step.states(), some_step.label(0), some_step.label(1)),
        (2, Label::Pending, Label::SatisfiedForGood)
    );
    let no_step = build(|f, _, _| {
        let ff = f.ff();
        f.always(ff)
    });
    assert_eq!(
        (no_step.states(), no_step.label(0), no_step.label(1)),
        (2, Label::Satisfied, Label::ViolatedForGood)
    );
    // Dropping what is implied on steps must not lose it either: always a implies a, but not on the
    // empty trace.
    let both = build(|f, a, _| {
        let always = f.always(a);
        f.and(&[always, a])
    });
    assert!(!accepts(&both, &[]) && accepts(&both, &[A]));
}

#[test]
fn past_under_implication() {
    // At the first step "once" sees this step only.
    let initial = build(|f, a, b| {
        let (once_a, once_b) = (f.once(a), f.once(b));
        f.implies(once_a, once_b)
    });
    for trace in all_traces(2, 3) {
        let expected = trace
            .first()
            .is_none_or(|&first| first & A == 0 || first & B != 0);
        assert_eq!(accepts(&initial, &trace), expected, "{trace:?}");
    }
    // Under always it speaks of every step: at each, a so far implies b so far.
    let always = build(|f, a, b| {
        let (once_a, once_b) = (f.once(a), f.once(b));
        let implies = f.implies(once_a, once_b);
        f.always(implies)
    });
    for trace in all_traces(2, 4) {
        let expected = (0..trace.len()).all(|i| {
            let so_far = trace[..=i].iter().fold(0, |all, letter| all | letter);
            so_far & A == 0 || so_far & B != 0
        });
        assert_eq!(accepts(&always, &trace), expected, "{trace:?}");
    }
    assert_eq!(always.states(), 3);
    // The same as "not a unless b".
    let unless = build(|f, a, b| {
        let free = f.not(a);
        f.unless(free, b)
    });
    assert_eq!(always, unless);
}

#[test]
fn previously_at_the_first_step() {
    let strong = build(|f, a, _| f.previously(a));
    let weak = build(|f, a, _| f.weak_previously(a));
    assert!(strong.is_empty());
    assert!(weak.is_universal());
    let at_each = build(|f, a, b| {
        let before = f.previously(a);
        let implies = f.implies(b, before);
        f.always(implies)
    });
    assert!(!accepts(&at_each, &[B]) && accepts(&at_each, &[A, B]) && !accepts(&at_each, &[0, B]));
    assert!(accepts(&at_each, &[A, A | B, B]) && !accepts(&at_each, &[A, B, B]));
}

#[test]
fn nested_next() {
    for depth in 1..40 {
        let dfa = build(|f, a, _| (0..depth).fold(a, |inner, _| f.next(inner)));
        // A step each, the two sinks, and the initial state that also counts.
        assert_eq!(dfa.states(), depth + 3);
        assert_eq!(dfa.transition_states(), depth + 2);
        let mut trace = vec![0; depth];
        assert!(!accepts(&dfa, &trace));
        trace.push(A);
        assert!(accepts(&dfa, &trace));
    }
    // Eventually a and, k steps later, b: 2^k states and the accepting one.
    let dfa = build(|f, a, b| {
        let later = (0..6).fold(b, |inner, _| f.next(inner));
        let both = f.and(&[a, later]);
        f.eventually(both)
    });
    assert_eq!(dfa.transition_states(), 65);
}

#[test]
fn future_under_past_is_an_error() {
    let mut arena = Arena::new();
    let (a, b) = (arena.atom(0), arena.atom(1));
    let next = arena.next(a);
    let either = arena.or(&[next, b]);
    let once = arena.once(either);
    let not_once = arena.not(once);
    let whole = arena.always(not_once);
    let error = translate(&mut arena, whole, &[], &Limits::default()).unwrap_err();
    let Error::FutureUnderPast { past, future } = error else {
        panic!("{error}")
    };
    assert!(past.same_up_to_negation(once) && future.same_up_to_negation(next));
    // Past under future under no past is fine, also beside the same future formula.
    let once_b = arena.once(b);
    let fine = arena.and(&[next, once_b]);
    assert!(translate(&mut arena, fine, &[], &Limits::default()).is_ok());
}

/// A formula, and what it says of some traces.
struct Shape {
    formula: Tree,
    holds: &'static [&'static [u32]],
    fails: &'static [&'static [u32]],
}

/// Each shape holds and fails where it is said to, by the automaton and by the definitions, and both agree
/// on all traces of up to five steps.
fn shapes(all: &[Shape]) {
    for shape in all {
        let mut arena = Arena::new();
        let formula = shape.formula.build(&mut arena);
        let dfa = translate(&mut arena, formula, &[], &Limits::default()).unwrap();
        let said = |traces: &[&[u32]], holds: bool| {
            for trace in traces {
                let told = format!("{} on {trace:?}", shape.formula);
                assert_eq!(shape.formula.holds(trace), holds, "{told}");
                assert_eq!(accepts(&dfa, trace), holds, "{told}");
            }
        };
        said(shape.holds, true);
        said(shape.fails, false);
        for trace in all_traces(2, 5) {
            assert_eq!(
                accepts(&dfa, &trace),
                shape.formula.holds(&trace),
                "{} on {trace:?}",
                shape.formula
            );
        }
    }
}

fn bx(f: Tree) -> Box<Tree> {
    Box::new(f)
}
fn a() -> Tree {
    Atom(0)
}
fn b() -> Tree {
    Atom(1)
}
fn not(f: Tree) -> Tree {
    Not(bx(f))
}
fn next(f: Tree) -> Tree {
    Next(bx(f))
}
fn weak_next(f: Tree) -> Tree {
    WeakNext(bx(f))
}
fn always(f: Tree) -> Tree {
    Always(bx(f))
}
fn eventually(f: Tree) -> Tree {
    Eventually(bx(f))
}
fn implies(f: Tree, g: Tree) -> Tree {
    Implies(bx(f), bx(g))
}

const AB: u32 = A | B;

#[test]
fn negation_and_next() {
    // "not next a" is no promise of a next step, "next not a" is; they differ at the last step alone.
    // Negating by the rules of infinite traces, where both are the same, is the classic mistake.
    shapes(&[
        Shape {
            formula: not(next(a())),
            holds: &[&[], &[0], &[A], &[A, 0], &[0, B, A]],
            fails: &[&[0, A], &[A, AB, 0]],
        },
        Shape {
            formula: next(not(a())),
            holds: &[&[A, 0], &[0, B]],
            fails: &[&[], &[0], &[A], &[0, A]],
        },
        Shape {
            formula: not(next(next(a()))),
            holds: &[&[], &[A], &[A, A], &[A, A, 0]],
            fails: &[&[0, 0, A]],
        },
        // The dual of always next is eventually weak next, which every trace with a step satisfies.
        Shape {
            formula: not(always(next(a()))),
            holds: &[&[0], &[A], &[A, A, A]],
            fails: &[&[]],
        },
    ]);
    let universal = build(|f, a, _| {
        let next = f.next(a);
        let always = f.always(next);
        let not_a = f.not(a);
        let weak = f.weak_next(not_a);
        let eventually = f.eventually(weak);
        let (left, right) = (f.not(always), eventually);
        f.iff(left, right)
    });
    assert!(universal.is_universal());
}

#[test]
fn next_under_always() {
    shapes(&[
        // At the last step there is no next one: no trace with a step satisfies it.
        Shape {
            formula: always(next(a())),
            holds: &[&[]],
            fails: &[&[0], &[A], &[A, A], &[0, A, A, A]],
        },
        // All steps but the first.
        Shape {
            formula: always(weak_next(a())),
            holds: &[&[], &[0], &[A], &[0, A], &[0, A, A]],
            fails: &[&[A, 0], &[0, A, 0]],
        },
        // An obligation that the last step opens cannot be met.
        Shape {
            formula: always(implies(a(), next(b()))),
            holds: &[&[], &[0], &[B], &[A, B], &[A, AB, B]],
            fails: &[&[A], &[A, AB], &[A, 0], &[0, A]],
        },
        Shape {
            formula: always(implies(a(), weak_next(b()))),
            holds: &[&[], &[A], &[A, AB], &[0, A]],
            fails: &[&[A, 0], &[A, A]],
        },
    ]);
}

#[test]
fn eventually_at_the_last_step() {
    shapes(&[
        Shape {
            formula: eventually(a()),
            holds: &[&[A], &[0, 0, A]],
            fails: &[&[], &[0], &[0, B, B]],
        },
        // Always eventually a, and always eventually not a: the last step would have to be both.
        Shape {
            formula: always(And(bx(eventually(a())), bx(eventually(not(a()))))),
            holds: &[&[]],
            fails: &[&[0], &[A], &[0, A], &[A, 0, A, 0, A]],
        },
        // A response may be met by the last step, and by the step itself.
        Shape {
            formula: not(always(Or(bx(not(a())), bx(eventually(b()))))),
            holds: &[&[A], &[B, A], &[A, B, A]],
            fails: &[&[], &[0], &[AB], &[A, 0, B]],
        },
        // Weak next false: this is the last step. Next true: it is not.
        Shape {
            formula: eventually(And(bx(a()), bx(weak_next(False)))),
            holds: &[&[A], &[0, A]],
            fails: &[&[], &[A, 0]],
        },
        Shape {
            formula: next(True),
            holds: &[&[0, 0], &[A, B, 0]],
            fails: &[&[], &[0], &[A]],
        },
        Shape {
            formula: Iff(bx(weak_next(a())), bx(b())),
            holds: &[&[B], &[B, A], &[0, 0]],
            fails: &[&[], &[0], &[A], &[B, 0], &[0, A]],
        },
    ]);
}

#[test]
fn untils_and_releases_at_the_end() {
    shapes(&[
        Shape {
            formula: Until(bx(a()), bx(b())),
            holds: &[&[B], &[A, A, B]],
            fails: &[&[], &[A], &[A, A, A], &[A, 0, B]],
        },
        Shape {
            formula: Unless(bx(a()), bx(b())),
            holds: &[&[], &[B], &[A], &[A, A, A], &[A, A, B]],
            fails: &[&[0], &[A, 0, B]],
        },
        // What is never released holds to the end, which is enough.
        Shape {
            formula: Release(bx(a()), bx(b())),
            holds: &[&[], &[B], &[B, B, B], &[B, AB], &[B, AB, 0]],
            fails: &[&[0], &[A], &[B, A], &[B, B, 0]],
        },
        // Strongly: it must be released, at the last step at the latest.
        Shape {
            formula: StrongRelease(bx(a()), bx(b())),
            holds: &[&[AB], &[B, B, AB], &[B, AB, 0]],
            fails: &[&[], &[B], &[B, B, B], &[B, A]],
        },
    ]);
}

#[test]
fn since_and_triggered_at_the_start() {
    shapes(&[
        // At the first step nothing came before: both are their second operand.
        Shape {
            formula: Since(bx(a()), bx(b())),
            holds: &[&[B], &[AB, 0]],
            fails: &[&[], &[0], &[A], &[A, B]],
        },
        Shape {
            formula: Triggered(bx(a()), bx(b())),
            holds: &[&[], &[B], &[AB, 0]],
            fails: &[&[0], &[A], &[A, B]],
        },
        Shape {
            formula: always(Since(bx(a()), bx(b()))),
            holds: &[&[], &[B], &[B, A, A], &[B, A, B, A]],
            fails: &[&[A, B], &[B, 0], &[B, 0, B]],
        },
        Shape {
            formula: always(Triggered(bx(a()), bx(b()))),
            holds: &[&[], &[B], &[AB, B], &[B, B, B]],
            fails: &[&[B, A], &[AB, 0], &[0, B]],
        },
        // Historically a, at the first step alone, is a; at every step it is always a.
        Shape {
            formula: Historically(bx(a())),
            holds: &[&[], &[A], &[A, 0]],
            fails: &[&[0], &[0, A]],
        },
        Shape {
            formula: eventually(Historically(bx(a()))),
            holds: &[&[A], &[A, 0], &[A, A]],
            fails: &[&[], &[0], &[0, A, A]],
        },
        Shape {
            formula: implies(Once(bx(a())), Once(bx(b()))),
            holds: &[&[], &[0], &[0, A], &[AB, A], &[B]],
            fails: &[&[A], &[A, B]],
        },
        // Under always the same implication is about every step.
        Shape {
            formula: always(implies(Once(bx(a())), Once(bx(b())))),
            holds: &[&[], &[0], &[AB, A], &[B, A]],
            fails: &[&[A], &[0, A], &[A, B]],
        },
        Shape {
            formula: always(implies(b(), Previously(bx(a())))),
            holds: &[&[], &[0], &[A, B], &[A, AB, B]],
            fails: &[&[B], &[0, B], &[A, B, B]],
        },
        Shape {
            formula: always(implies(b(), WeakPreviously(bx(a())))),
            holds: &[&[], &[B], &[A, B], &[B, 0, A, B]],
            fails: &[&[B, B], &[0, B]],
        },
    ]);
}

#[test]
fn bounded_responses_and_many_atoms() {
    // b within k steps of a: one state for each step that is left, not a subset of them.
    for k in [1, 10, 200] {
        let dfa = build(|f, a, b| {
            let within = (1..k).fold(b, |inner, _| {
                let next = f.next(inner);
                f.or(&[b, next])
            });
            let soon = f.next(within);
            let implies = f.implies(a, soon);
            f.always(implies)
        });
        assert_eq!(dfa.transition_states(), k + 1);
    }
    // A letter is never written out: 2^100 of them.
    let mut arena = Arena::new();
    let pairs: Vec<Formula> = (0..50)
        .map(|i| {
            let (request, answer) = (arena.atom(2 * i), arena.atom(2 * i + 1));
            let no = arena.not(request);
            arena.or(&[no, answer])
        })
        .collect();
    let all = arena.and(&pairs);
    let formula = arena.always(all);
    let dfa = translate(&mut arena, formula, &[], &Limits::default()).unwrap();
    assert_eq!((dfa.transition_states(), dfa.atoms().len()), (1, 100));
    assert!(dfa.nodes().len() < 400);
}

/// The cores of some formulas are these: all of them where the search says that it is complete, and
/// otherwise some of them and no other.
fn cores_are(members: &[Tree], expected: &[&[usize]]) {
    let mut arena = Arena::new();
    let formulas: Vec<Formula> = members.iter().map(|f| f.build(&mut arena)).collect();
    let found = cores(
        &arena,
        &formulas,
        &CoreOptions {
            limit: 100,
            ..CoreOptions::default()
        },
        &Limits::default(),
    )
    .unwrap();
    let mut all = Vec::new();
    for core in &found.cores {
        // A core is one: no trace of up to four steps satisfies it, and each witness satisfies the others,
        // by the definitions.
        for trace in all_traces(2, 4).iter().skip(1) {
            assert!(!core.members.iter().all(|&m| members[m].holds(trace)));
        }
        for (i, witness) in core.without.iter().enumerate() {
            let trace: Vec<u32> = witness
                .iter()
                .map(|letter| {
                    letter
                        .iter()
                        .fold(0, |bits, &(atom, value)| bits | u32::from(value) << atom)
                })
                .collect();
            for (j, &m) in core.members.iter().enumerate() {
                assert!(
                    i == j || members[m].holds(&trace),
                    "{} on {trace:?}",
                    members[m]
                );
            }
        }
        all.push(core.members.clone());
    }
    all.sort();
    assert_eq!(all.is_empty(), expected.is_empty());
    for core in &all {
        assert!(expected.contains(&core.as_slice()), "{core:?}");
    }
    if found.complete {
        assert_eq!(all, expected);
    }
}

#[test]
fn cores_are_minimal_whatever_the_order() {
    let (ga, fna, fb) = (always(a()), eventually(not(a())), eventually(b()));
    // Two of three exclude each other; the core is those two, in any order.
    cores_are(&[ga.clone(), fb.clone(), fna.clone()], &[&[0, 2]]);
    cores_are(&[fb.clone(), fna.clone(), ga.clone()], &[&[1, 2]]);
    cores_are(&[fna.clone(), ga.clone(), fb.clone()], &[&[0, 1]]);
    // Two conflicts that share nothing are both told.
    let gnb = always(not(b()));
    cores_are(
        &[ga.clone(), fb.clone(), fna.clone(), gnb],
        &[&[0, 2], &[1, 3]],
    );
    // A clause that is written twice is in a core each time, never twice in one.
    cores_are(&[ga.clone(), ga.clone(), fna.clone()], &[&[0, 2], &[1, 2]]);
    // A member that no trace satisfies is a core alone.
    cores_are(
        &[fb.clone(), And(bx(a()), bx(not(a()))), ga.clone()],
        &[&[1]],
    );
    // Nothing in conflict: no core, and not an empty one.
    cores_are(&[ga, fb], &[]);
    cores_are(&[], &[]);
    // Three that exclude each other and no two of them.
    let three = [
        Or(bx(always(a())), bx(always(b()))),
        eventually(not(a())),
        eventually(not(b())),
    ];
    cores_are(&three, &[&[0, 1, 2]]);
    cores_are(&[always(next(a())), eventually(b())], &[&[0]]);
}
