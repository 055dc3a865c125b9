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

use common::{accepts, all_traces};
use ctr_logic::{Arena, Dfa, Error, Formula, Label, Limits, translate};

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
