//! Tables of expressions, made more simply than the compiler makes them.

use ctr_runtime::regex::program::{DEAD, Exact, MATCH, Program, Stage};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::{Input, dfa};

/// The program of an expression as bytes; `None` where its automaton is large.
pub fn program(pattern: &str) -> Option<Vec<u8>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .determinize_size_limit(Some(4 << 20))
        .dfa_size_limit(Some(4 << 20));
    let dfa: dfa::dense::DFA<Vec<u32>> = dense::Builder::new()
        .configure(config)
        .build(pattern)
        .ok()?;
    let columns = 257;
    let mut states: Vec<StateID> = vec![dfa.start_state_forward(&Input::new("")).unwrap()];
    let mut next = Vec::new();
    let mut at = 0;
    while let Some(state) = states.get(at).copied() {
        at += 1;
        for byte in 0..=255 {
            let to = dfa.next_state(state, byte);
            next.push(if dfa.is_match_state(to) {
                MATCH
            } else if dfa.is_dead_state(to) {
                DEAD
            } else {
                let known = states.iter().position(|s| *s == to);
                let row = known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                });
                u16::try_from(row * columns).ok()?
            });
        }
        let end = dfa.is_match_state(dfa.next_eoi_state(state));
        next.push(if end { MATCH } else { DEAD });
    }
    let rows = states.len() as u16;
    (next.len() < usize::from(DEAD)).then(|| {
        Program {
            exact: Exact::Always,
            chains: vec![vec![Stage {
                gap: None,
                classes: core::array::from_fn(|n| n as u8),
                columns: columns as u16,
                rows,
                start: 0,
                idle: 0,
                ends: rows,
                next,
            }]],
        }
        .to_bytes()
    })
}
