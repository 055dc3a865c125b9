//! Minimisation: partition refinement by fingerprints, checked exactly in the end.
//!
//! Two states are equivalent if their diagrams are equal once each leaf's state is replaced by its
//! class. Here a diagram under the present classes is stood for by a fingerprint of 64 bits that
//! depends on its function alone, so different fingerprints prove states different, and the
//! partitions below are never too fine. Equal ones prove nothing, but that is made good by
//! [`quotient`]: it builds the reduced diagrams over the classes, and only if all states of each
//! class have the very same one (the partition is then a bisimulation, so it is not too coarse
//! either) is the result taken. A clash of fingerprints costs another run with other fingerprints.
//!
//! Refinement is first done in rounds over all nodes (Moore, 1956): a round is one sweep through
//! the nodes, children before parents, with no table. Products of unrelated formulas need a handful
//! of rounds. Where rounds stop paying (a counter to `n` needs `n` of them), refinement goes on from
//! what changed ([`refine`]), with the smaller-half rule of Hopcroft (1971).

#![expect(
    clippy::indexing_slicing,
    reason = "states, nodes and classes index vectors made for them"
)]

use super::refine::refine;
use super::{ACCEPT_STATE, Automaton, REJECT_STATE, target, untarget};
use crate::diagram::{Diagrams, Inner, Ref, is_leaf, payload};
use crate::limits::{Error, Limits};

/// The minimal automaton of the states that are reachable from the initial one, numbered breadth
/// first. The given one is numbered in the order of a walk (see [`Automaton`]).
pub(crate) fn minimise(automaton: &Automaton, limits: &Limits<'_>) -> Result<Automaton, Error> {
    if automaton.initial <= ACCEPT_STATE {
        return Ok(Automaton::constant(automaton.accepts_all()));
    }
    let mut prints = Prints::default();
    loop {
        let partition = partition(automaton, &prints, limits)?;
        if let Some(result) = quotient(automaton, &partition, limits)? {
            return Ok(result);
        }
        prints = prints.other();
    }
}

/// Classes of states, numbered in the order of their first members.
pub(super) struct Partition {
    pub(super) class: Vec<u32>,
    pub(super) classes: usize,
}

/// How diagrams are fingerprinted.
#[derive(Clone, Copy)]
pub(super) struct Prints {
    seed: u64,
}

impl Default for Prints {
    fn default() -> Self {
        Self {
            seed: 0x9e37_79b9_7f4a_7c15,
        }
    }
}

impl Prints {
    /// A different function.
    fn other(self) -> Self {
        Self {
            seed: mix(self.seed, 0xd6e8_feb8_6659_fd93),
        }
    }

    /// A number to stand for a class.
    pub(super) fn class(self, class: u32) -> u64 {
        mix(self.seed ^ u64::from(class), 0x8ebc_6af0_9c88_c6e3)
    }

    /// A state whose root has this fingerprint. Not the same one: a state is no leaf.
    fn state(self, root: u64) -> u64 {
        mix(root ^ self.seed, 0x5896_36e7_89ee_b3a7)
    }

    /// A leaf whose state has this fingerprint.
    #[inline]
    pub(super) fn leaf(self, state: u64, stop: bool) -> u64 {
        if stop {
            state.rotate_left(29) ^ 0xa076_1d64_78bd_642f
        } else {
            state
        }
    }

    /// A decision on a variable. It is that of the branches where both are the same, so that a
    /// diagram need not be reduced.
    #[inline]
    pub(super) fn node(self, level: u32, low: u64, high: u64) -> u64 {
        if low == high {
            low
        } else {
            mix(
                low ^ self.seed.rotate_left(level & 63) ^ u64::from(level),
                high ^ 0xe703_7ed1_a0b4_28db,
            )
        }
    }
}

/// Both halves of the product, folded (after Wang Yi's wyhash).
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// Rounds that are always worth their while.
const ROUNDS: usize = 6;
/// A further round must make at least this part of the classes anew.
const GROWTH: usize = 8;

/// The coarsest partition that fingerprints cannot refute.
fn partition(
    automaton: &Automaton,
    prints: &Prints,
    limits: &Limits<'_>,
) -> Result<Partition, Error> {
    let states = automaton.roots.len();
    let mut rounds = Rounds::new(automaton, *prints);
    let mut classes = 1;
    for round in 1.. {
        limits.check_cancelled()?;
        let before = std::mem::replace(&mut classes, rounds.next());
        if classes == states || classes == before {
            break;
        }
        if round >= ROUNDS && classes < before + before / GROWTH {
            let partition = rounds.partition();
            return Ok(refine(automaton, partition, *prints, rounds.nodes, limits)?.in_order());
        }
    }
    Ok(rounds.partition().in_order())
}

/// Fingerprints of all states and nodes, better with each round.
struct Rounds<'a> {
    automaton: &'a Automaton,
    prints: Prints,
    states: Vec<u64>,
    nodes: Vec<u64>,
    /// Those of the states, each once, in ascending order.
    classes: Vec<u64>,
    /// Room for the next ones.
    spare: Vec<u64>,
}

impl<'a> Rounds<'a> {
    fn new(automaton: &'a Automaton, prints: Prints) -> Self {
        let states = automaton.roots.len();
        Self {
            automaton,
            prints,
            states: vec![prints.class(0); states],
            nodes: vec![0; automaton.nodes.len()],
            classes: Vec::with_capacity(states),
            spare: vec![0; states],
        }
    }

    /// One round. Returns how many classes there are.
    fn next(&mut self) -> usize {
        for (i, &Inner { level, low, high }) in self.automaton.nodes.iter().enumerate() {
            let low = print(self.prints, &self.states, &self.nodes, low);
            let high = print(self.prints, &self.states, &self.nodes, high);
            self.nodes[i] = self.prints.node(level, low, high);
        }
        for (next, &root) in self.spare.iter_mut().zip(&self.automaton.roots) {
            let root = print(self.prints, &self.states, &self.nodes, root);
            *next = self.prints.state(root);
        }
        std::mem::swap(&mut self.states, &mut self.spare);
        self.classes.clear();
        self.classes.extend_from_slice(&self.states);
        self.classes.sort_unstable();
        self.classes.dedup();
        self.classes.len()
    }

    /// The states by their fingerprints.
    fn partition(&self) -> Partition {
        let states = self.states.len();
        let class = if self.classes.len() == states {
            (0..states as u32).collect()
        } else {
            let place = |print| self.classes.binary_search(print).unwrap_or(0) as u32;
            self.states.iter().map(place).collect()
        };
        Partition {
            class,
            classes: self.classes.len(),
        }
    }
}

/// The fingerprint of a reference, given those of states and nodes.
#[inline]
fn print(prints: Prints, states: &[u64], nodes: &[u64], r: Ref) -> u64 {
    if is_leaf(r) {
        let code = payload(r);
        prints.leaf(states[(code >> 1) as usize], code & 1 == 1)
    } else {
        nodes[r as usize]
    }
}

impl Partition {
    /// The same, with classes numbered by their first members.
    fn in_order(mut self) -> Self {
        let mut number = vec![u32::MAX; self.classes];
        let mut next = 0;
        for class in &mut self.class {
            let number = &mut number[*class as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            *class = *number;
        }
        self
    }
}

/// The automaton of the classes, with reduced diagrams; nothing if two states of one class differ.
///
/// A walk through the result would meet classes and nodes in the order in which the walk through
/// the given automaton first met a member: what a later member leads to is met already. So nodes
/// are made in the order in which they stand, and their numbers are final.
fn quotient(
    automaton: &Automaton,
    partition: &Partition,
    limits: &Limits<'_>,
) -> Result<Option<Automaton>, Error> {
    let Partition { class, classes } = partition;
    let mut out = Diagrams::with_room(limits, automaton.nodes.len());
    let mut reduced: Vec<Ref> = Vec::with_capacity(automaton.nodes.len());
    let reduce = |r: Ref, reduced: &[Ref]| {
        if is_leaf(r) {
            let (state, stop) = untarget(r);
            target(class[state as usize], stop)
        } else {
            reduced[r as usize]
        }
    };
    for &Inner { level, low, high } in &automaton.nodes {
        let (low, high) = (reduce(low, &reduced), reduce(high, &reduced));
        reduced.push(out.mk(level, low, high)?);
    }
    let mut roots: Vec<Ref> = Vec::with_capacity(*classes);
    for (&class, &root) in class.iter().zip(&automaton.roots) {
        let root = reduce(root, &reduced);
        match roots.get(class as usize) {
            Some(&first) if first != root => return Ok(None),
            Some(_) => {}
            None => roots.push(root),
        }
    }
    Ok(Some(match class[automaton.initial as usize] {
        sink @ (REJECT_STATE | ACCEPT_STATE) => Automaton::constant(sink == ACCEPT_STATE),
        initial => Automaton::new(roots, out, initial),
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::automaton::{ACCEPT, REJECT};

    /// Fingerprints that say too little are found out.
    #[test]
    fn the_quotient_refuses_classes_that_differ() {
        // State 2 is the accept sink by another name, state 3 is not.
        let automaton = Automaton {
            roots: vec![REJECT, ACCEPT, target(2, true), 0],
            nodes: vec![Inner {
                level: 0,
                low: target(2, true),
                high: target(3, false),
            }],
            initial: 3,
        };
        let quotient = |class: [u32; 4], classes| {
            let partition = Partition {
                class: class.to_vec(),
                classes,
            };
            quotient(&automaton, &partition, &Limits::default()).unwrap()
        };
        assert!(quotient([0, 1, 1, 1], 2).is_none());
        assert!(quotient([0, 1, 2, 2], 3).is_none());
        assert_eq!(quotient([0, 1, 1, 2], 3).unwrap().roots.len(), 3);
        let minimal = minimise(&automaton, &Limits::default()).unwrap();
        assert_eq!(minimal.roots.len(), 3);
        assert_eq!(minimal.initial, 2);
    }
}
