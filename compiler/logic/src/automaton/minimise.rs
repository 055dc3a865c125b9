//! Minimisation by signature refinement.
//!
//! Two states are equivalent if their diagrams are equal once each leaf's state is replaced by its
//! class. Every node has a signature: a number that stands for its diagram under the present
//! classes. When a class splits, its largest part keeps the number (the smaller-half rule of
//! Hopcroft, 1971), so only the smaller parts change leaves; the change climbs through the parents
//! of what changed and stops where a signature stays as it was. Only states whose root changed are
//! grouped anew. Work follows the edges of the shared diagrams, not states times letters.

#![expect(
    clippy::indexing_slicing,
    reason = "states, nodes and classes index vectors made for them"
)]

use super::{ACCEPT, ACCEPT_STATE, Automaton, REJECT, REJECT_STATE, target, untarget};
use crate::diagram::{Diagrams, Inner, Ref, is_leaf};
use crate::limits::{Error, Limits};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The minimal automaton of the states that are reachable from the initial one, numbered breadth
/// first.
pub(crate) fn minimise(automaton: &Automaton, limits: &Limits<'_>) -> Result<Automaton, Error> {
    if automaton.initial <= ACCEPT_STATE {
        return Ok(Automaton::constant(automaton.accepts_all()));
    }
    let classes = Refinement::new(automaton, limits)?.run(limits)?;
    rebuild(automaton, &classes, limits)
}

/// The classes of the states in progress.
struct Refinement<'a> {
    automaton: &'a Automaton,
    /// The class of each state.
    class: Vec<u32>,
    /// States, those of one class next to each other.
    order: Vec<u32>,
    /// Where a state stands in `order`.
    place: Vec<u32>,
    /// For each class: where it starts in `order` and how many it has.
    span: Vec<(u32, u32)>,
    /// Signatures: nodes over leaves that name classes. They may outnumber the automaton's nodes.
    table: Diagrams,
    signature: Vec<Ref>,
    root_signature: Vec<Ref>,
    parents: Parents,
}

impl<'a> Refinement<'a> {
    fn new(automaton: &'a Automaton, limits: &Limits<'_>) -> Result<Self, Error> {
        let states = automaton.roots.len();
        // Signatures of earlier rounds stay in the table, so it gets more room than one automaton.
        let room = Limits {
            nodes: limits.nodes.saturating_mul(4),
            ..*limits
        };
        let mut this = Self {
            automaton,
            class: vec![0; states],
            order: (0..states as u32).collect(),
            place: (0..states as u32).collect(),
            span: vec![(0, states as u32)],
            table: Diagrams::new(&room),
            signature: Vec::with_capacity(automaton.nodes.len()),
            root_signature: Vec::with_capacity(states),
            parents: Parents::new(automaton),
        };
        for &Inner { level, low, high } in &automaton.nodes {
            let signature = this.table.mk(level, this.sign(low), this.sign(high))?;
            this.signature.push(signature);
        }
        for &root in &automaton.roots {
            this.root_signature.push(this.sign(root));
        }
        Ok(this)
    }

    fn sign(&self, r: Ref) -> Ref {
        if is_leaf(r) {
            let (state, stop) = untarget(r);
            target(self.class[state as usize], stop)
        } else {
            self.signature[r as usize]
        }
    }

    fn run(mut self, limits: &Limits<'_>) -> Result<Vec<u32>, Error> {
        let mut dirty: Vec<u32> = (0..self.class.len() as u32).collect();
        let mut queue: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut queued = vec![false; self.automaton.nodes.len()];
        let mut round = 0u32;
        while !dirty.is_empty() {
            round = round.wrapping_add(1);
            if round.is_multiple_of(16) {
                limits.check_cancelled()?;
            }
            let moved = self.split(&mut dirty);
            dirty.clear();
            // The leaves of the states that moved have new signatures; climb.
            for &state in &moved {
                for &parent in self.parents.of_state(state) {
                    touch(parent, &mut queue, &mut queued, &mut dirty);
                }
            }
            while let Some(Reverse(index)) = queue.pop() {
                queued[index as usize] = false;
                let node = self.automaton.nodes[index as usize];
                let signature =
                    self.table
                        .mk(node.level, self.sign(node.low), self.sign(node.high))?;
                if signature != self.signature[index as usize] {
                    self.signature[index as usize] = signature;
                    for &parent in self.parents.of_node(index) {
                        touch(parent, &mut queue, &mut queued, &mut dirty);
                    }
                }
            }
            dirty.sort_unstable();
            dirty.dedup();
            dirty.retain(|&state| {
                let signature = self.sign(self.automaton.roots[state as usize]);
                std::mem::replace(&mut self.root_signature[state as usize], signature) != signature
            });
        }
        Ok(self.class)
    }

    /// Splits classes by the signatures of the dirty states (the others of a class still agree
    /// among themselves). Returns the states that are in another class now.
    fn split(&mut self, dirty: &mut [u32]) -> Vec<u32> {
        let mut moved = Vec::new();
        dirty.sort_unstable_by_key(|&state| {
            (
                self.class[state as usize],
                self.root_signature[state as usize],
                state,
            )
        });
        let mut rest = &dirty[..];
        while let Some(&first) = rest.first() {
            let class = self.class[first as usize];
            let count = rest
                .iter()
                .take_while(|&&state| self.class[state as usize] == class)
                .count();
            let (members, others) = rest.split_at(count);
            rest = others;
            self.split_class(class, members, &mut moved);
        }
        moved
    }

    fn split_class(&mut self, class: u32, dirty: &[u32], moved: &mut Vec<u32>) {
        let (start, len) = self.span[class as usize];
        let clean = len - dirty.len() as u32;
        // Groups of equal signature, as ranges of `dirty`.
        let mut groups: Vec<(u32, u32)> = Vec::new();
        let mut from = 0;
        for (i, pair) in dirty.windows(2).enumerate() {
            if self.root_signature[pair[0] as usize] != self.root_signature[pair[1] as usize] {
                groups.push((from, i as u32 + 1));
                from = i as u32 + 1;
            }
        }
        groups.push((from, dirty.len() as u32));
        if groups.len() == 1 && clean == 0 {
            return;
        }
        // Arrange the class as: clean members, then the groups in order.
        let mut slot = start + len;
        for &state in dirty.iter().rev() {
            slot -= 1;
            let at = self.place[state as usize];
            let other = self.order[slot as usize];
            self.order[at as usize] = other;
            self.place[other as usize] = at;
            self.order[slot as usize] = state;
            self.place[state as usize] = slot;
        }
        let base = start + clean;
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(groups.len() + 1);
        if clean > 0 {
            parts.push((start, clean));
        }
        parts.extend(groups.iter().map(|&(from, to)| (base + from, to - from)));
        let largest = parts
            .iter()
            .enumerate()
            .max_by_key(|(i, part)| (part.1, Reverse(*i)))
            .map_or(0, |(i, _)| i);
        for (i, &(from, count)) in parts.iter().enumerate() {
            if i == largest {
                self.span[class as usize] = (from, count);
                continue;
            }
            let new = self.span.len() as u32;
            self.span.push((from, count));
            for &state in &self.order[from as usize..(from + count) as usize] {
                self.class[state as usize] = new;
                moved.push(state);
            }
        }
    }
}

/// Queues a parent: a node to sign anew, or a state whose root changed.
fn touch(
    parent: u32,
    queue: &mut BinaryHeap<Reverse<u32>>,
    queued: &mut [bool],
    dirty: &mut Vec<u32>,
) {
    let index = parent >> 1;
    if parent & 1 == 1 {
        dirty.push(index);
    } else if !std::mem::replace(&mut queued[index as usize], true) {
        queue.push(Reverse(index));
    }
}

/// Who refers to a node, and to a state as a leaf. A parent is a node index or a state, told apart
/// by the lowest bit.
struct Parents {
    starts: Vec<u32>,
    list: Vec<u32>,
    nodes: usize,
}

impl Parents {
    fn new(automaton: &Automaton) -> Self {
        let nodes = automaton.nodes.len();
        let slots = nodes + automaton.roots.len();
        let slot = |r: Ref| {
            if is_leaf(r) {
                nodes + untarget(r).0 as usize
            } else {
                r as usize
            }
        };
        let mut starts = vec![0u32; slots + 1];
        let edges = || {
            let inner =
                automaton.nodes.iter().enumerate().flat_map(|(i, node)| {
                    [(node.low, (i as u32) << 1), (node.high, (i as u32) << 1)]
                });
            let roots = automaton
                .roots
                .iter()
                .enumerate()
                .map(|(state, &root)| (root, (state as u32) << 1 | 1));
            inner.chain(roots)
        };
        for (child, _) in edges() {
            starts[slot(child) + 1] += 1;
        }
        for i in 0..slots {
            starts[i + 1] += starts[i];
        }
        let mut list = vec![0u32; starts[slots] as usize];
        let mut next = starts.clone();
        for (child, parent) in edges() {
            let at = &mut next[slot(child)];
            list[*at as usize] = parent;
            *at += 1;
        }
        Self {
            starts,
            list,
            nodes,
        }
    }

    fn of_node(&self, index: u32) -> &[u32] {
        self.slot(index as usize)
    }

    fn of_state(&self, state: u32) -> &[u32] {
        self.slot(self.nodes + state as usize)
    }

    fn slot(&self, slot: usize) -> &[u32] {
        &self.list[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// The quotient, from the initial state on, breadth first with low before high; sinks keep their
/// numbers.
fn rebuild(automaton: &Automaton, class: &[u32], limits: &Limits<'_>) -> Result<Automaton, Error> {
    let classes = class.iter().copied().max().unwrap_or(0) as usize + 1;
    let mut number = vec![u32::MAX; classes];
    number[class[ACCEPT_STATE as usize] as usize] = ACCEPT_STATE;
    number[class[REJECT_STATE as usize] as usize] = REJECT_STATE;
    let initial_class = class[automaton.initial as usize] as usize;
    if number[initial_class] != u32::MAX {
        return Ok(Automaton::constant(number[initial_class] == ACCEPT_STATE));
    }
    number[initial_class] = 2;
    let mut work = Rebuild {
        automaton,
        class,
        number,
        representatives: vec![automaton.initial],
        done: FxHashMap::default(),
        out: Diagrams::new(limits),
    };
    let mut roots = vec![REJECT, ACCEPT];
    while let Some(&state) = work.representatives.get(roots.len() - 2) {
        let root = work.copy(automaton.roots[state as usize])?;
        roots.push(root);
    }
    Ok(Automaton::new(roots, work.out, 2))
}

struct Rebuild<'a> {
    automaton: &'a Automaton,
    class: &'a [u32],
    number: Vec<u32>,
    representatives: Vec<u32>,
    done: FxHashMap<u32, Ref>,
    out: Diagrams,
}

impl Rebuild<'_> {
    fn copy(&mut self, r: Ref) -> Result<Ref, Error> {
        if is_leaf(r) {
            let (state, stop) = untarget(r);
            let number = &mut self.number[self.class[state as usize] as usize];
            if *number == u32::MAX {
                *number = self.representatives.len() as u32 + 2;
                self.representatives.push(state);
            }
            return Ok(target(*number, stop));
        }
        if let Some(&known) = self.done.get(&r) {
            return Ok(known);
        }
        let node = self.automaton.nodes[r as usize];
        let low = self.copy(node.low)?;
        let high = self.copy(node.high)?;
        let result = self.out.mk(node.level, low, high)?;
        self.done.insert(r, result);
        Ok(result)
    }
}
