//! The product of two transition-accepting automata under a Boolean operation.

#![expect(
    clippy::indexing_slicing,
    reason = "references index the automata that hold them"
)]

use super::{ACCEPT, ACCEPT_STATE, Automaton, REJECT, REJECT_STATE, target, untarget};
use crate::diagram::{Cache, Diagrams, Inner, Ref, is_leaf};
use crate::limits::{Error, Limits, Meter};
use rustc_hash::FxHashMap;

/// A Boolean operation on acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    And,
    Or,
    Iff,
}

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// All reachable states.
    Everything,
    /// Stop as soon as some accepted non-empty trace is known to exist; the automaton is then
    /// incomplete.
    FirstAccepted,
}

struct Product<'a> {
    a: &'a Automaton,
    b: &'a Automaton,
    op: Op,
    out: Diagrams,
    cache: Cache,
    index: FxHashMap<u64, u32>,
    /// The pair of each state from 2 on.
    pairs: Vec<(u32, u32)>,
    limits: &'a Limits<'a>,
    meter: Meter<'a>,
    accepted: bool,
}

/// The reachable product, not minimised, and whether some accepted trace was met. Both automata use
/// the same levels for the same atoms.
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
        out: Diagrams::new(limits),
        cache: Cache::new(),
        index: FxHashMap::default(),
        pairs: Vec::new(),
        limits,
        meter: Meter::new(limits),
        accepted: false,
    };
    let initial = work.state(a.initial, b.initial)?;
    work.accepted = initial == ACCEPT_STATE;
    let mut roots = vec![REJECT, ACCEPT];
    while let Some(&(x, y)) = work.pairs.get(roots.len() - 2) {
        work.meter.step()?;
        let root = work.apply(a.roots[x as usize], b.roots[y as usize])?;
        roots.push(root);
        if goal == Goal::FirstAccepted && work.accepted {
            break;
        }
    }
    let accepted = work.accepted;
    Ok((Automaton::new(roots, work.out, initial), accepted))
}

impl Product<'_> {
    /// The number of a pair of states.
    fn state(&mut self, x: u32, y: u32) -> Result<u32, Error> {
        match (self.op, x, y) {
            (Op::And, REJECT_STATE, _)
            | (Op::And, _, REJECT_STATE)
            | (Op::Or, REJECT_STATE, REJECT_STATE) => {
                return Ok(REJECT_STATE);
            }
            (Op::Or, ACCEPT_STATE, _)
            | (Op::Or, _, ACCEPT_STATE)
            | (Op::And, ACCEPT_STATE, ACCEPT_STATE) => {
                return Ok(ACCEPT_STATE);
            }
            (Op::Iff, REJECT_STATE | ACCEPT_STATE, REJECT_STATE | ACCEPT_STATE) => {
                return Ok(if x == y { ACCEPT_STATE } else { REJECT_STATE });
            }
            _ => {}
        }
        let next = self.pairs.len() as u32 + 2;
        let state = *self
            .index
            .entry(u64::from(x) << 32 | u64::from(y))
            .or_insert(next);
        if state == next {
            if self.pairs.len() >= self.limits.states {
                return Err(Error::TooManyStates {
                    limit: self.limits.states,
                });
            }
            self.pairs.push((x, y));
        }
        Ok(state)
    }

    fn leaf(&mut self, a: Ref, b: Ref) -> Result<Ref, Error> {
        let ((x, p), (y, q)) = (untarget(a), untarget(b));
        let stop = match self.op {
            Op::And => p && q,
            Op::Or => p || q,
            Op::Iff => p == q,
        };
        let state = self.state(x, y)?;
        self.accepted |= stop || state == ACCEPT_STATE;
        Ok(target(state, stop))
    }

    fn apply(&mut self, a: Ref, b: Ref) -> Result<Ref, Error> {
        match self.op {
            Op::And if a == REJECT || b == REJECT => return Ok(REJECT),
            Op::Or if a == ACCEPT || b == ACCEPT => {
                self.accepted = true;
                return Ok(ACCEPT);
            }
            _ => {}
        }
        if is_leaf(a) && is_leaf(b) {
            return self.leaf(a, b);
        }
        if let Some(known) = self.cache.get(0, a, b) {
            return Ok(known);
        }
        self.meter.step()?;
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
        let result = self.out.mk(level, low, high)?;
        self.cache.put(0, a, b, result);
        Ok(result)
    }
}

/// The node of a reference; for a leaf one below all levels.
fn node(automaton: &Automaton, r: Ref) -> Inner {
    if is_leaf(r) {
        Inner {
            level: u32::MAX,
            low: r,
            high: r,
        }
    } else {
        automaton.nodes[r as usize]
    }
}
