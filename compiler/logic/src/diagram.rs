//! Multi-terminal binary decision diagrams: all nodes in one vector, reduced and shared by a unique
//! table.
//!
//! A reference is a `u32`: with the top bit set it is a leaf whose payload (31 bits) the user of
//! the table chooses, else the index of a node. Children have smaller indices than their parents.
//! Variables are levels `0, 1, ...` from the root down. There is no garbage collection: a table
//! lives as long as one piece of work.

#![expect(
    clippy::indexing_slicing,
    reason = "node references index the table that made them; masks bound the probes"
)]

use crate::limits::{Error, Limits};
use rustc_hash::FxHashSet;
use std::hash::Hash;

/// A leaf or the index of a node.
pub(crate) type Ref = u32;

const LEAF: u32 = 1 << 31;
const NONE: u32 = u32::MAX;
/// The level of a leaf: below all variables.
pub(crate) const BOTTOM: u32 = u32::MAX;

/// The leaf with this payload.
pub(crate) fn leaf(payload: u32) -> Ref {
    debug_assert!(payload < LEAF);
    payload | LEAF
}

pub(crate) fn is_leaf(r: Ref) -> bool {
    r & LEAF != 0
}

/// The payload of a leaf.
pub(crate) fn payload(r: Ref) -> u32 {
    debug_assert!(is_leaf(r));
    r & !LEAF
}

/// A Boolean operation of two diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    And,
    Or,
    Iff,
}

impl Op {
    /// The operation on truth values.
    #[inline]
    pub(crate) fn of(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a && b,
            Self::Or => a || b,
            Self::Iff => a == b,
        }
    }

    /// The result where it can be seen without a walk, given the leaves for false and true. Other
    /// leaves may stand for anything.
    #[inline]
    pub(crate) fn at_once(self, a: Ref, b: Ref, falsity: Ref, truth: Ref) -> Option<Ref> {
        match self {
            Self::And if a == falsity || b == falsity => Some(falsity),
            Self::Or if a == truth || b == truth => Some(truth),
            Self::And | Self::Iff if a == truth => Some(b),
            Self::And | Self::Iff if b == truth => Some(a),
            Self::Or if a == falsity => Some(b),
            Self::Or if b == falsity => Some(a),
            Self::And | Self::Or if a == b => Some(a),
            Self::Iff if a == b => Some(truth),
            _ => None,
        }
    }
}

/// A decision on one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Inner {
    pub(crate) level: u32,
    pub(crate) low: Ref,
    pub(crate) high: Ref,
}

/// The decisions that lead from a root to a leaf that is wanted, low branches first; `None` if none is.
/// `branches` gives those of a node, nothing for a leaf.
pub(crate) fn path<R: Copy + Eq + Hash>(
    root: R,
    branches: impl Fn(R) -> Option<(R, R)>,
    wanted: impl Fn(R) -> bool,
) -> Option<Vec<(R, bool)>> {
    let mut seen = FxHashSet::default();
    // Depth first; a decision for the high branch says that the low one leads nowhere.
    let mut path: Vec<(R, bool)> = Vec::new();
    let mut at = root;
    loop {
        match branches(at) {
            None if wanted(at) => return Some(path),
            Some((low, _)) if seen.insert(at) => {
                path.push((at, false));
                at = low;
                continue;
            }
            _ => {}
        }
        while let Some(&(_, true)) = path.last() {
            path.pop();
        }
        let last = path.last_mut()?;
        last.1 = true;
        at = branches(last.0)?.1;
    }
}

/// A table of shared nodes.
#[derive(Clone, Debug)]
pub(crate) struct Diagrams {
    pub(crate) nodes: Vec<Inner>,
    table: Vec<u32>,
    limit: usize,
}

fn mix(a: u32, b: u32, c: u32) -> u64 {
    let h = (u64::from(a) | u64::from(b) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let h = (h ^ (h >> 29) ^ u64::from(c)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

impl Diagrams {
    /// A table that holds at most `limits.nodes` nodes.
    pub(crate) fn new(limits: &Limits<'_>) -> Self {
        Self {
            nodes: Vec::new(),
            table: vec![NONE; 64],
            limit: limits.nodes.min(LEAF as usize - 1),
        }
    }

    /// The same, with room for so many nodes from the start.
    pub(crate) fn with_room(limits: &Limits<'_>, nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            table: vec![NONE; (nodes * 2).next_power_of_two().max(64)],
            ..Self::new(limits)
        }
    }

    pub(crate) fn level(&self, r: Ref) -> u32 {
        if is_leaf(r) {
            BOTTOM
        } else {
            self.nodes[r as usize].level
        }
    }

    pub(crate) fn inner(&self, r: Ref) -> Inner {
        self.nodes[r as usize]
    }

    /// The two branches of `r` on the variable `level`, which is not below the root of `r`.
    pub(crate) fn branches(&self, r: Ref, level: u32) -> (Ref, Ref) {
        if is_leaf(r) {
            return (r, r);
        }
        let node = self.nodes[r as usize];
        if node.level == level {
            (node.low, node.high)
        } else {
            (r, r)
        }
    }

    /// The node, made if it is new.
    pub(crate) fn mk(&mut self, level: u32, low: Ref, high: Ref) -> Result<Ref, Error> {
        if low == high {
            return Ok(low);
        }
        let mask = self.table.len() - 1;
        let mut slot = mix(level, low, high) as usize & mask;
        loop {
            let index = self.table[slot];
            if index == NONE {
                break;
            }
            if self.nodes[index as usize] == (Inner { level, low, high }) {
                return Ok(index);
            }
            slot = (slot + 1) & mask;
        }
        if self.nodes.len() >= self.limit {
            return Err(Error::TooManyNodes { limit: self.limit });
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(Inner { level, low, high });
        self.table[slot] = index;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        Ok(index)
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.table.len() * 4;
        let mask = size - 1;
        let mut table = vec![NONE; size];
        for (index, node) in self.nodes.iter().enumerate() {
            let mut slot = mix(node.level, node.low, node.high) as usize & mask;
            while table[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            table[slot] = index as u32;
        }
        self.table = table;
    }
}

/// A direct-mapped, forgetful cache from (operation, operand, operand) to a result.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    entries: Vec<(u32, u32, u32, u32)>,
    stores: usize,
}

impl Cache {
    const LARGEST: usize = 1 << 22;

    pub(crate) fn new() -> Self {
        Self {
            entries: vec![(NONE, NONE, NONE, NONE); 64],
            stores: 0,
        }
    }

    pub(crate) fn get(&self, op: u32, a: Ref, b: Ref) -> Option<Ref> {
        let entry = self.entries[mix(a, b, op) as usize & (self.entries.len() - 1)];
        (entry.0 == op && entry.1 == a && entry.2 == b).then_some(entry.3)
    }

    pub(crate) fn put(&mut self, op: u32, a: Ref, b: Ref, result: Ref) {
        self.stores += 1;
        if self.stores > self.entries.len() && self.entries.len() < Self::LARGEST {
            let size = self.entries.len() * 4;
            let old = std::mem::replace(&mut self.entries, vec![(NONE, NONE, NONE, NONE); size]);
            for entry in old.into_iter().filter(|entry| entry.0 != NONE) {
                self.entries[mix(entry.1, entry.2, entry.0) as usize & (size - 1)] = entry;
            }
        }
        let slot = mix(a, b, op) as usize & (self.entries.len() - 1);
        self.entries[slot] = (op, a, b, result);
    }
}
