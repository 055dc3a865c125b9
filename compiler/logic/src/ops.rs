//! Operations on finished automata: products, complement, emptiness, equivalence, inclusion,
//! shortest traces.

#![expect(
    clippy::indexing_slicing,
    reason = "states index vectors made for the states of the automaton"
)]

use crate::automaton::{Automaton, Goal, minimise, product};
use crate::dfa::{Dfa, Label, NodeRef, StateId};
use crate::diagram::{Cache, Diagrams, Op, Ref, is_leaf, path};
use crate::limits::{Error, Limits, Meter};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// How a product accepts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BooleanOp {
    /// Both accept.
    And,
    /// One of them accepts.
    Or,
    /// Exactly one of them accepts.
    Xor,
    /// Both or neither accept.
    Iff,
    /// The first accepts and the second does not.
    Minus,
    /// The first does not accept or the second does.
    Implies,
}

impl BooleanOp {
    /// The operation on truth values.
    pub fn of(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a && b,
            Self::Or => a || b,
            Self::Xor => a != b,
            Self::Iff => a == b,
            Self::Minus => a && !b,
            Self::Implies => !a || b,
        }
    }

    /// The same by the operations of the product, with the second operand complemented first and
    /// the result last.
    fn plain(self) -> (Op, bool, bool) {
        match self {
            Self::And => (Op::And, false, false),
            Self::Or => (Op::Or, false, false),
            Self::Iff => (Op::Iff, false, false),
            Self::Xor => (Op::Iff, false, true),
            Self::Minus => (Op::And, true, false),
            Self::Implies => (Op::And, true, true),
        }
    }
}

/// One step of a trace: the atoms that were asked on the way, in order, with their values. All
/// others may have any value; where one is needed, take false.
pub type Letter = Vec<(u32, bool)>;

impl Dfa {
    /// The minimal automaton of the combination. Its atom order is that of `self`, then the atoms
    /// of `other` alone; if the two orders disagree, `other` is brought into this order first,
    /// which can be costly.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn product(&self, other: &Self, op: BooleanOp, limits: &Limits<'_>) -> Result<Self, Error> {
        let (order, a, b) = self.aligned(other, limits)?;
        let (plain, complement_second, complement_result) = op.plain();
        let b = if complement_second { b.complement() } else { b };
        let (result, _) = product(&a, &b, plain, Goal::Everything, limits)?;
        let result = minimise(&result, limits)?;
        let result = if complement_result {
            result.complement()
        } else {
            result
        };
        let on_empty = op.of(
            self.accepting(self.initial()),
            other.accepting(other.initial()),
        );
        Dfa::from_automaton(&result, &order, on_empty)
    }

    /// The automaton of the traces that both accept; see [`Dfa::product`].
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn intersection(&self, other: &Self, limits: &Limits<'_>) -> Result<Self, Error> {
        self.product(other, BooleanOp::And, limits)
    }

    /// The automaton of the traces that one of them accepts; see [`Dfa::product`].
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn union(&self, other: &Self, limits: &Limits<'_>) -> Result<Self, Error> {
        self.product(other, BooleanOp::Or, limits)
    }

    /// The automaton of the traces that this one rejects. The same states with acceptance turned
    /// round.
    #[must_use]
    pub fn complement(&self) -> Self {
        self.clone().with_acceptance(|accepting| !accepting)
    }

    /// Whether it accepts no trace at all, not even the empty one.
    pub fn is_empty(&self) -> bool {
        self.label(self.initial()) == Label::ViolatedForGood
    }

    /// Whether it accepts every trace.
    pub fn is_universal(&self) -> bool {
        self.label(self.initial()) == Label::SatisfiedForGood
    }

    /// Whether it accepts some trace with at least one step.
    pub fn accepts_some_step(&self) -> bool {
        // All states are reachable, so all but the initial one are reached by some step.
        let entered = self.nodes().iter().flat_map(|node| [node.low, node.high]);
        let roots = (0..self.states() as StateId).map(|s| self.root(s));
        entered
            .chain(roots)
            .any(|r| matches!(r, NodeRef::Leaf(s) if self.accepting(s)))
    }

    /// Whether both accept the same traces, the empty one included.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn equivalent(&self, other: &Self, limits: &Limits<'_>) -> Result<bool, Error> {
        if self.order() == other.order() {
            return Ok(self == other);
        }
        if self.states() != other.states() {
            return Ok(false);
        }
        Ok(self.product(other, BooleanOp::Xor, limits)?.is_empty())
    }

    /// Whether `other` accepts every trace that this one accepts. Stops at the first that it does
    /// not.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn included_in(&self, other: &Self, limits: &Limits<'_>) -> Result<bool, Error> {
        Ok(!self.meets_after_complement(other, true, limits)?)
    }

    /// Whether no trace is accepted by both. Stops at the first that is.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub fn disjoint_from(&self, other: &Self, limits: &Limits<'_>) -> Result<bool, Error> {
        Ok(!self.meets_after_complement(other, false, limits)?)
    }

    fn meets_after_complement(
        &self,
        other: &Self,
        complement: bool,
        limits: &Limits<'_>,
    ) -> Result<bool, Error> {
        if self.accepting(self.initial()) && other.accepting(other.initial()) != complement {
            return Ok(true);
        }
        let (_, a, b) = self.aligned(other, limits)?;
        let b = if complement { b.complement() } else { b };
        let (_, accepted) = product(&a, &b, Op::And, Goal::FirstAccepted, limits)?;
        Ok(accepted)
    }

    /// A shortest accepted trace; of those of that length, the one that prefers false atoms along
    /// the diagrams from the last state back. `None` if there is none.
    pub fn shortest_accepted(&self) -> Option<Vec<Letter>> {
        self.shortest_from(self.initial(), |s| self.accepting(s))
    }

    /// A shortest accepted trace with at least one step.
    pub fn shortest_accepted_with_a_step(&self) -> Option<Vec<Letter>> {
        self.shortest_path(self.initial(), |s| self.accepting(s))
    }

    /// A shortest trace that leads from state `from` to one that satisfies `goal`; the empty one if
    /// `from` does.
    pub fn shortest_from(
        &self,
        from: StateId,
        goal: impl Fn(StateId) -> bool,
    ) -> Option<Vec<Letter>> {
        if goal(from) {
            Some(Vec::new())
        } else {
            self.shortest_path(from, goal)
        }
    }

    /// As [`Dfa::shortest_from`], with at least one step.
    fn shortest_path(&self, from: StateId, goal: impl Fn(StateId) -> bool) -> Option<Vec<Letter>> {
        let mut parent: Vec<Option<StateId>> = vec![None; self.states()];
        let mut queue = VecDeque::from([from]);
        let mut expanded = vec![false; self.states()];
        while let Some(state) = queue.pop_front() {
            if std::mem::replace(&mut expanded[state as usize], true) {
                continue;
            }
            for next in self.successors(state) {
                if goal(next) {
                    let mut trace = vec![self.letter(state, next)];
                    let mut at = state;
                    while at != from {
                        let before = parent[at as usize]?;
                        trace.push(self.letter(before, at));
                        at = before;
                    }
                    trace.reverse();
                    return Some(trace);
                }
                if next != from && parent[next as usize].is_none() {
                    parent[next as usize] = Some(state);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The states that one step can lead to, each once, low branches first.
    pub fn successors(&self, s: StateId) -> Vec<StateId> {
        let mut found = Vec::new();
        let mut seen_nodes = FxHashSet::default();
        let mut seen_states = FxHashSet::default();
        let mut stack = vec![self.root(s)];
        while let Some(at) = stack.pop() {
            match at {
                NodeRef::Leaf(state) => {
                    if seen_states.insert(state) {
                        found.push(state);
                    }
                }
                NodeRef::Inner(index) => {
                    if seen_nodes.insert(index) {
                        let node = self.node(index);
                        stack.push(node.high);
                        stack.push(node.low);
                    }
                }
            }
        }
        found
    }

    /// A letter that leads from `from` to `to` in one step, with low branches where possible; empty
    /// if there is none or any letter does.
    pub fn letter(&self, from: StateId, to: StateId) -> Letter {
        let branches = |r: NodeRef| match r {
            NodeRef::Leaf(_) => None,
            NodeRef::Inner(index) => {
                let node = self.node(index);
                Some((node.low, node.high))
            }
        };
        let decided = |(r, value): (NodeRef, bool)| match r {
            NodeRef::Leaf(_) => None,
            NodeRef::Inner(index) => Some((self.node(index).atom, value)),
        };
        let path = path(self.root(from), branches, |r| r == NodeRef::Leaf(to));
        path.unwrap_or_default()
            .into_iter()
            .filter_map(decided)
            .collect()
    }

    /// The same automaton with its diagrams in another atom order. Atoms that `order` leaves out
    /// follow.
    ///
    /// # Errors
    ///
    /// A limit is reached.
    pub fn reordered(&self, order: &[u32], limits: &Limits<'_>) -> Result<Self, Error> {
        let (order, levels) = joint_order(order, self.order())?;
        let automaton = self.in_order(&levels, limits)?;
        Dfa::from_automaton(&automaton, &order, self.accepting(self.initial()))
    }

    /// Both in transition-accepting form over one order.
    fn aligned(
        &self,
        other: &Self,
        limits: &Limits<'_>,
    ) -> Result<(Vec<u32>, Automaton, Automaton), Error> {
        let (order, levels) = joint_order(self.order(), other.order())?;
        Ok((
            order,
            self.to_automaton(&levels),
            other.in_order(&levels, limits)?,
        ))
    }

    /// The transition-accepting form with diagrams in the order of `levels`.
    fn in_order(
        &self,
        levels: &FxHashMap<u32, u32>,
        limits: &Limits<'_>,
    ) -> Result<Automaton, Error> {
        let mut automaton = self.to_automaton(levels);
        let level = |r: Ref, automaton: &Automaton| {
            if is_leaf(r) {
                u32::MAX
            } else {
                automaton.nodes[r as usize].level
            }
        };
        let sorted = automaton.nodes.iter().all(|node| {
            node.level < level(node.low, &automaton) && node.level < level(node.high, &automaton)
        });
        if sorted {
            return Ok(automaton);
        }
        // Bottom up, each node as "if its atom then high else low" in the new order.
        let mut work = Reorder {
            meter: Meter::new(limits),
            out: Diagrams::new(limits),
            cache: Cache::new(),
            conditions: FxHashMap::default(),
        };
        let mut moved: Vec<Ref> = Vec::with_capacity(automaton.nodes.len());
        let translate = |r: Ref, moved: &[Ref]| if is_leaf(r) { r } else { moved[r as usize] };
        for node in &automaton.nodes {
            let (low, high) = (translate(node.low, &moved), translate(node.high, &moved));
            moved.push(work.decide(node.level, low, high)?);
        }
        for root in &mut automaton.roots {
            *root = translate(*root, &moved);
        }
        automaton.nodes = work.out.nodes;
        Ok(automaton)
    }
}

/// An order of atoms and the place of each in it.
type Order = (Vec<u32>, FxHashMap<u32, u32>);

/// `first`, then what `then` has more.
fn joint_order(first: &[u32], then: &[u32]) -> Result<Order, Error> {
    let mut order = Vec::new();
    let mut levels = FxHashMap::default();
    for &atom in first.iter().chain(then) {
        let next = order.len() as u32;
        if *levels.entry(atom).or_insert(next) == next {
            order.push(atom);
        }
    }
    if order.len() > Limits::ATOMS {
        return Err(Error::TooManyAtoms {
            limit: Limits::ATOMS,
        });
    }
    Ok((order, levels))
}

struct Reorder<'a> {
    meter: Meter<'a>,
    out: Diagrams,
    cache: Cache,
    /// One operation number for each level, for the cache.
    conditions: FxHashMap<u32, u32>,
}

impl Reorder<'_> {
    /// The diagram of "if the variable `level` then `high` else `low`", neither of which tests it.
    fn decide(&mut self, level: u32, low: Ref, high: Ref) -> Result<Ref, Error> {
        if low == high {
            return Ok(low);
        }
        let top = self.out.level(low).min(self.out.level(high));
        if level < top {
            return self.out.mk(level, low, high);
        }
        let next = self.conditions.len() as u32;
        let op = *self.conditions.entry(level).or_insert(next);
        if let Some(known) = self.cache.get(op, low, high) {
            return Ok(known);
        }
        self.meter.step()?;
        let (low_0, low_1) = self.out.branches(low, top);
        let (high_0, high_1) = self.out.branches(high, top);
        let zero = self.decide(level, low_0, high_0)?;
        let one = self.decide(level, low_1, high_1)?;
        let result = self.out.mk(top, zero, one)?;
        self.cache.put(op, low, high, result);
        Ok(result)
    }
}
