//! The product of two transition-accepting automata under a Boolean operation.
//!
//! The diagrams of both are walked together; a pair of nodes is met once and gives at most one
//! node. The result is not reduced: two pairs may give equal diagrams, and two states accept the
//! same traces. A unique table would find some of that; minimisation finds all of it, so the
//! product keeps none.

#![expect(
    clippy::indexing_slicing,
    reason = "references index the automata that hold them"
)]

use super::pairs::Pairs;
use super::{ACCEPT, ACCEPT_STATE, Automaton, REJECT, REJECT_STATE, target, untarget};
use crate::diagram::{BOTTOM, Inner, Op, Ref, is_leaf, payload};
use crate::limits::{Error, Limits, Meter};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// All reachable states.
    Everything,
    /// Stop as soon as some accepted non-empty trace is known to exist; the automaton is then
    /// incomplete.
    FirstAccepted,
}

/// The reachable product, neither minimised nor reduced, and whether some accepted trace was met.
/// Both automata use the same levels for the same atoms.
pub(crate) fn product(
    a: &Automaton,
    b: &Automaton,
    op: Op,
    goal: Goal,
    limits: &Limits<'_>,
) -> Result<(Automaton, bool), Error> {
    let mut work = Product {
        a,
        b,
        op,
        nodes: Vec::new(),
        known: Pairs::new(references(a), references(b)),
        numbers: Pairs::new(a.roots.len(), b.roots.len()),
        pairs: Vec::new(),
        limits,
        meter: Meter::new(limits),
        accepted: false,
        failure: Error::Cancelled,
    };
    let Some(initial) = work.state(a.initial, b.initial) else {
        return Err(work.failure);
    };
    work.accepted = initial == ACCEPT_STATE;
    let mut roots = vec![REJECT, ACCEPT];
    while let Some(&(x, y)) = work.pairs.get(roots.len() - 2) {
        work.meter.step()?;
        let Some(root) = work.apply(a.roots[x as usize], b.roots[y as usize]) else {
            return Err(work.failure);
        };
        roots.push(root);
        if goal == Goal::FirstAccepted && work.accepted {
            break;
        }
    }
    let automaton = Automaton {
        roots,
        nodes: work.nodes,
        initial,
    };
    Ok((automaton, work.accepted))
}

struct Product<'a> {
    a: &'a Automaton,
    b: &'a Automaton,
    op: Op,
    nodes: Vec<Inner>,
    /// The result for each pair of references of which one is a node.
    known: Pairs,
    /// The number of each pair of states.
    numbers: Pairs,
    /// The pair of each state from 2 on.
    pairs: Vec<(u32, u32)>,
    limits: &'a Limits<'a>,
    meter: Meter<'a>,
    accepted: bool,
    /// Why the walk returned nothing: the hot functions return a word or nothing, in registers.
    failure: Error,
}

impl Product<'_> {
    /// The number of a pair of states.
    fn state(&mut self, x: u32, y: u32) -> Option<u32> {
        match (self.op, x, y) {
            (Op::And, REJECT_STATE, _)
            | (Op::And, _, REJECT_STATE)
            | (Op::Or, REJECT_STATE, REJECT_STATE) => return Some(REJECT_STATE),
            (Op::Or, ACCEPT_STATE, _)
            | (Op::Or, _, ACCEPT_STATE)
            | (Op::And, ACCEPT_STATE, ACCEPT_STATE) => return Some(ACCEPT_STATE),
            (Op::Iff, REJECT_STATE | ACCEPT_STATE, REJECT_STATE | ACCEPT_STATE) => {
                return Some(if x == y { ACCEPT_STATE } else { REJECT_STATE });
            }
            _ => {}
        }
        if let Some(known) = self.numbers.get(x, y) {
            return Some(known);
        }
        if self.pairs.len() >= self.limits.states {
            self.failure = Error::TooManyStates {
                limit: self.limits.states,
            };
            return None;
        }
        let number = self.pairs.len() as u32 + 2;
        self.numbers.insert(x, y, number);
        self.pairs.push((x, y));
        Some(number)
    }

    fn leaf(&mut self, a: Ref, b: Ref) -> Option<Ref> {
        let ((x, p), (y, q)) = (untarget(a), untarget(b));
        let stop = self.op.of(p, q);
        let state = self.state(x, y)?;
        self.accepted |= stop || state == ACCEPT_STATE;
        Some(target(state, stop))
    }

    /// The joint diagram of two diagrams; the recursion is as deep as there are atoms.
    fn apply(&mut self, a: Ref, b: Ref) -> Option<Ref> {
        match self.op {
            Op::And if a == REJECT || b == REJECT => return Some(REJECT),
            Op::Or if a == ACCEPT || b == ACCEPT => {
                self.accepted = true;
                return Some(ACCEPT);
            }
            _ => {}
        }
        if is_leaf(a) && is_leaf(b) {
            return self.leaf(a, b);
        }
        let (row, column) = (reference(self.a, a), reference(self.b, b));
        if let Some(known) = self.known.get(row, column) {
            return Some(known);
        }
        if let Err(error) = self.meter.step() {
            self.failure = error;
            return None;
        }
        let left = node(self.a, a);
        let right = node(self.b, b);
        let level = left.level.min(right.level);
        let (low_a, high_a) = if left.level == level {
            (left.low, left.high)
        } else {
            (a, a)
        };
        let (low_b, high_b) = if right.level == level {
            (right.low, right.high)
        } else {
            (b, b)
        };
        let low = self.apply(low_a, low_b)?;
        let high = self.apply(high_a, high_b)?;
        let result = if low == high {
            low
        } else {
            self.push(Inner { level, low, high })?
        };
        self.known.insert(row, column, result);
        Some(result)
    }

    fn push(&mut self, node: Inner) -> Option<Ref> {
        if self.nodes.len() >= self.limits.nodes {
            self.failure = Error::TooManyNodes {
                limit: self.limits.nodes,
            };
            return None;
        }
        let index = self.nodes.len() as Ref;
        self.nodes.push(node);
        Some(index)
    }
}

/// How many references an automaton has: its nodes, and a leaf for each state and stop bit.
fn references(automaton: &Automaton) -> usize {
    automaton.nodes.len() + automaton.roots.len() * 2
}

/// The place of a reference among those of its automaton.
#[inline]
fn reference(automaton: &Automaton, r: Ref) -> u32 {
    if is_leaf(r) {
        automaton.nodes.len() as u32 + payload(r)
    } else {
        r
    }
}

/// The node of a reference; for a leaf one below all levels.
#[inline]
fn node(automaton: &Automaton, r: Ref) -> Inner {
    if is_leaf(r) {
        Inner {
            level: BOTTOM,
            low: r,
            high: r,
        }
    } else {
        automaton.nodes[r as usize]
    }
}
