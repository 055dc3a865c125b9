//! The shortest trace that a transition-accepting automaton accepts.

#![expect(
    clippy::indexing_slicing,
    reason = "states and references index the automaton that holds them"
)]

use crate::automaton::{Automaton, untarget};
use crate::diagram::{Ref, is_leaf, path};
use crate::ops::Letter;
use crate::translate::Levels;
use rustc_hash::FxHashSet;

/// A shortest accepted trace with at least one step, with low branches (false atoms) where there is
/// a choice; `None` if there is none. Atoms that do not matter are left out.
pub(crate) fn shortest(automaton: &Automaton, levels: &Levels) -> Option<Vec<Letter>> {
    let none = u32::MAX;
    let mut parent = vec![none; automaton.roots.len()];
    let mut found = vec![false; automaton.roots.len()];
    found[automaton.initial as usize] = true;
    let mut queue = vec![automaton.initial];
    let mut next = 0;
    while let Some(&state) = queue.get(next) {
        next += 1;
        // Among the edges of a state, one that may stop comes first.
        if let Some(last) = letter(automaton, state, levels, |_, stop| stop) {
            let mut trace = vec![last];
            let mut at = state;
            while parent[at as usize] != none {
                let before = parent[at as usize];
                trace.push(letter(automaton, before, levels, |to, _| to == at)?);
                at = before;
            }
            trace.reverse();
            return Some(trace);
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![automaton.roots[state as usize]];
        while let Some(r) = stack.pop() {
            if is_leaf(r) {
                let (to, _) = untarget(r);
                if !std::mem::replace(&mut found[to as usize], true) {
                    parent[to as usize] = state;
                    queue.push(to);
                }
            } else if seen.insert(r) {
                let node = automaton.nodes[r as usize];
                stack.push(node.high);
                stack.push(node.low);
            }
        }
    }
    None
}

/// The first letter, low branches first, that leads from a state to a leaf that is wanted.
fn letter(
    automaton: &Automaton,
    from: u32,
    levels: &Levels,
    wanted: impl Fn(u32, bool) -> bool,
) -> Option<Letter> {
    let branches = |r: Ref| {
        let node = (!is_leaf(r)).then(|| automaton.nodes[r as usize])?;
        Some((node.low, node.high))
    };
    let wanted = |r: Ref| {
        let (to, stop) = untarget(r);
        wanted(to, stop)
    };
    let decided = |(r, value): (Ref, bool)| {
        let atom = levels.atom(automaton.nodes[r as usize].level)?;
        Some((atom, value))
    };
    let path = path(automaton.roots[from as usize], branches, wanted)?;
    path.into_iter().map(decided).collect()
}
