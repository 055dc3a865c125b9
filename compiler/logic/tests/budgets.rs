//! Limits are errors, and they come fast.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_logic::{Arena, BooleanOp, Error, Formula, Limits, translate};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn eventually_with_delay(arena: &mut Arena, delay: usize) -> Formula {
    let (a, b) = (arena.atom(0), arena.atom(1));
    let later = (0..delay).fold(b, |inner, _| arena.next(inner));
    let both = arena.and(&[a, later]);
    arena.eventually(both)
}

fn many_eventualities(arena: &mut Arena, count: u32) -> Formula {
    let members: Vec<Formula> = (0..count)
        .map(|i| {
            let atom = arena.atom(i);
            arena.eventually(atom)
        })
        .collect();
    arena.and(&members)
}

#[test]
fn hopeless_formulas_fail_fast() {
    let start = Instant::now();
    let mut arena = Arena::new();
    let limits = Limits {
        states: 3_000,
        nodes: 500_000,
        cancel: None,
    };
    let delayed = eventually_with_delay(&mut arena, 25);
    assert_eq!(
        translate(&mut arena, delayed, &[], &limits),
        Err(Error::TooManyStates { limit: 3_000 })
    );
    let mut arena = Arena::new();
    let many = many_eventualities(&mut arena, 25);
    assert!(
        translate(&mut arena, many, &[], &limits)
            .unwrap_err()
            .is_limit()
    );
    // In an optimised build the default limits are as fast; this is far from it on purpose.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn the_margin_of_the_state_limit() {
    // Eight eventualities: 2^8 states that differ later, one of them the accept sink, plus the
    // initial state's twin.
    let mut arena = Arena::new();
    let f = many_eventualities(&mut arena, 8);
    let enough = Limits {
        states: 256,
        ..Limits::default()
    };
    assert_eq!(
        translate(&mut arena, f, &[], &enough)
            .unwrap()
            .transition_states(),
        256
    );
    let short = Limits {
        states: 254,
        ..Limits::default()
    };
    assert_eq!(
        translate(&mut arena, f, &[], &short),
        Err(Error::TooManyStates { limit: 254 })
    );
    let few_nodes = Limits {
        nodes: 100,
        ..Limits::default()
    };
    assert_eq!(
        translate(&mut arena, f, &[], &few_nodes),
        Err(Error::TooManyNodes { limit: 100 })
    );
}

#[test]
fn too_many_atoms() {
    let mut arena = Arena::new();
    let members: Vec<Formula> = (0..=Limits::ATOMS as u32).map(|i| arena.atom(i)).collect();
    let most = arena.or(&members[..Limits::ATOMS]);
    assert_eq!(
        translate(&mut arena, most, &[], &Limits::default())
            .unwrap()
            .transition_states(),
        2
    );
    // With a past operator over all of them, whose bit is followed through the same diagrams.
    let once = arena.once(most);
    let always = arena.always(once);
    let dfa = translate(&mut arena, always, &[], &Limits::default()).unwrap();
    assert_eq!(dfa.transition_states(), 2);
    let all = arena.or(&members);
    let error = translate(&mut arena, all, &[], &Limits::default()).unwrap_err();
    assert_eq!(
        error,
        Error::TooManyAtoms {
            limit: Limits::ATOMS
        }
    );
}

#[test]
fn cancellation() {
    let mut arena = Arena::new();
    let f = eventually_with_delay(&mut arena, 25);
    let asked = AtomicUsize::new(0);
    let cancel = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    let limits = Limits {
        cancel: Some(&cancel),
        ..Limits::default()
    };
    assert_eq!(
        translate(&mut arena, f, &[], &limits),
        Err(Error::Cancelled)
    );
}

#[test]
fn products_obey_limits() {
    let mut arena = Arena::new();
    let wide = Limits::default();
    let f = many_eventualities(&mut arena, 6);
    let a = translate(&mut arena, f, &[], &wide).unwrap();
    let members: Vec<Formula> = (6..12)
        .map(|i| {
            let atom = arena.atom(i);
            arena.eventually(atom)
        })
        .collect();
    let g = arena.and(&members);
    let b = translate(&mut arena, g, &[], &wide).unwrap();
    let tight = Limits {
        states: 1_000,
        ..wide
    };
    assert_eq!(
        a.product(&b, BooleanOp::And, &tight),
        Err(Error::TooManyStates { limit: 1_000 })
    );
    assert_eq!(
        a.intersection(&b, &wide).unwrap().transition_states(),
        4_096
    );
}
