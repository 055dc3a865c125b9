//! The direct translation: a state is what is left to satisfy, with the bits of the past that it
//! needs.
//!
//! The successors of a formula are one diagram over the letters, whose leaves are pairs (formula
//! that the rest of the trace must satisfy if there is a rest, whether the trace may stop here):
//!
//! ```text
//! next f       leaf(f, no)                        weak next f  leaf(f, yes)
//! f until g    g or (f and leaf(f until g, no))   f release g  g and (f or leaf(f release g, yes))
//! f since g    g or (f and its bit)               previously f its bit
//! ```
//!
//! Boolean operators combine diagrams, and on leaves formulas and bits. After Duret-Lutz, Zhu,
//! Piterman, De Giacomo, Vardi, "Engineering an LTLf Synthesis Tool" (CIAA 2025), with the memory
//! of the past added.

use super::Levels;
use super::memory::{Bits, Memory, NO_BITS};
use super::propositional::Representatives;
use crate::automaton::{ACCEPT, ACCEPT_STATE, Automaton, REJECT, REJECT_STATE, target};
use crate::diagram::{self, Cache, Diagrams, Op, Ref, is_leaf, payload};
use crate::formula::{Arena, Args, Id, Time, View};
use crate::limits::{Error, Limits, Meter};
use rustc_hash::FxHashMap;

/// The leaves (true, may stop) and (false, may not).
const TRUE: Ref = leaf_const(Id::TT, true);
const FALSE: Ref = leaf_const(Id::FF, false);

const fn leaf_const(f: Id, stop: bool) -> Ref {
    1 << 31 | f.0 << 1 | stop as u32
}

fn leaf(f: Id, stop: bool) -> Ref {
    diagram::leaf(f.0 << 1 | u32::from(stop))
}

fn unleaf(r: Ref) -> (Id, bool) {
    let code = payload(r);
    (Id(code >> 1), code & 1 == 1)
}

/// The automaton of `f` before minimisation.
pub(crate) fn direct(
    arena: &mut Arena,
    f: Id,
    levels: &Levels,
    limits: &Limits<'_>,
) -> Result<Automaton, Error> {
    let memory = Memory::new(arena, f);
    let new_formulas = limits.states.saturating_mul(8).saturating_add(4096);
    let formulas_limit = arena.len().saturating_add(new_formulas);
    let weight_limit = arena
        .weight()
        .saturating_add(new_formulas.saturating_mul(32));
    let mut work = Direct {
        arena,
        levels,
        limits,
        memory,
        diagrams: Diagrams::new(limits),
        cache: Cache::new(),
        memo: FxHashMap::default(),
        representatives: Representatives::new(),
        states: Vec::new(),
        index: FxHashMap::default(),
        out: Diagrams::new(limits),
        finished: FxHashMap::default(),
        finished_with_past: FxHashMap::default(),
        meter: Meter::new(limits),
        formulas_limit,
        weight_limit,
    };
    let initial = work.state(f, NO_BITS)?;
    let mut roots = vec![REJECT, ACCEPT];
    while let Some(&(f, bits)) = work.states.get(roots.len() - 2) {
        if roots.len() % 64 == 0 {
            limits.check_cancelled()?;
        }
        let root = work.root(f, bits)?;
        roots.push(root);
    }
    Ok(Automaton::new(roots, work.out, initial))
}

/// For bits of the past the diagram of the next value.
type Updates = Vec<(u32, Ref)>;

struct Direct<'a> {
    arena: &'a mut Arena,
    levels: &'a Levels,
    limits: &'a Limits<'a>,
    memory: Memory,
    /// Diagrams over formulas.
    diagrams: Diagrams,
    cache: Cache,
    memo: FxHashMap<(Id, Bits), Ref>,
    representatives: Representatives,
    /// The states from 2 on.
    states: Vec<(Id, Bits)>,
    index: FxHashMap<(Id, Bits), u32>,
    /// Diagrams over states.
    out: Diagrams,
    finished: FxHashMap<Ref, Ref>,
    finished_with_past: FxHashMap<(Ref, Updates), Ref>,
    meter: Meter<'a>,
    /// How far the arena may grow: each new formula may become a state.
    formulas_limit: usize,
    weight_limit: usize,
}

impl Direct<'_> {
    /// The state of a residual formula with these bits.
    fn state(&mut self, f: Id, bits: Bits) -> Result<u32, Error> {
        let f = self.representatives.of(self.arena, f);
        match f {
            Id::TT => return Ok(ACCEPT_STATE),
            Id::FF => return Ok(REJECT_STATE),
            _ => {}
        }
        let mask = self.memory.mask(self.arena, f);
        let bits = self.memory.intersect(bits, mask);
        let next = self.states.len() as u32 + 2;
        let state = *self.index.entry((f, bits)).or_insert(next);
        if state == next {
            if self.states.len() >= self.limits.states {
                return Err(Error::TooManyStates {
                    limit: self.limits.states,
                });
            }
            self.states.push((f, bits));
        }
        Ok(state)
    }

    /// The diagram of a state, over states.
    fn root(&mut self, f: Id, bits: Bits) -> Result<Ref, Error> {
        let diagram = self.successors(f, bits)?;
        if self.memory.is_empty() {
            return self.finish(diagram);
        }
        let mask = self.memory.mask(self.arena, f);
        let mut updates = Vec::new();
        for bit in self.memory.members(mask) {
            let Some(operator) = self.memory.operator(bit) else {
                continue;
            };
            let remembered = match self.arena.view(operator) {
                View::Step(Time::Past, a) => a,
                _ => operator,
            };
            updates.push((bit, self.successors(remembered, bits)?));
        }
        self.finish_with_past(diagram, updates)
    }

    /// Formulas at leaves become states.
    fn finish(&mut self, r: Ref) -> Result<Ref, Error> {
        if is_leaf(r) {
            let (f, stop) = unleaf(r);
            return Ok(target(self.state(f, NO_BITS)?, stop));
        }
        if let Some(&known) = self.finished.get(&r) {
            return Ok(known);
        }
        let node = self.diagrams.inner(r);
        let low = self.finish(node.low)?;
        let high = self.finish(node.high)?;
        let result = self.out.mk(node.level, low, high)?;
        self.finished.insert(r, result);
        Ok(result)
    }

    /// The same with the past: `updates` gives for each bit the diagram of its next value. A bit
    /// that the formula at a leaf no longer needs is dropped before its diagram is looked at.
    fn finish_with_past(&mut self, r: Ref, mut updates: Updates) -> Result<Ref, Error> {
        if is_leaf(r)
            && let Some(done) = self.finish_leaf_with_past(r, &mut updates)?
        {
            return Ok(done);
        }
        let key = (r, updates);
        if let Some(&known) = self.finished_with_past.get(&key) {
            return Ok(known);
        }
        self.meter.step()?;
        let (level, low, high) = self.branches_with_past(&key);
        let low = self.finish_with_past(low.0, low.1)?;
        let high = self.finish_with_past(high.0, high.1)?;
        let result = self.out.mk(level, low, high)?;
        self.finished_with_past.insert(key, result);
        Ok(result)
    }

    /// The target of a leaf whose bits are all decided; else the updates that are still to be
    /// looked at.
    fn finish_leaf_with_past(
        &mut self,
        r: Ref,
        updates: &mut Updates,
    ) -> Result<Option<Ref>, Error> {
        let (f, stop) = unleaf(r);
        let f = self.representatives.of(self.arena, f);
        let mask = self.memory.mask(self.arena, f);
        if mask == NO_BITS {
            return Ok(Some(target(self.state(f, NO_BITS)?, stop)));
        }
        let needed = self.memory.members(mask);
        updates.retain(|(bit, _)| needed.binary_search(bit).is_ok());
        if !updates.iter().all(|&(_, value)| is_leaf(value)) {
            return Ok(None);
        }
        let set = updates.iter().filter(|&&(_, value)| value == TRUE);
        let bits = set.fold(NO_BITS, |bits, &(bit, _)| self.memory.with(bits, bit));
        Ok(Some(target(self.state(f, bits)?, stop)))
    }

    /// The topmost variable of a diagram and its updates, and both on its two branches.
    fn branches_with_past(
        &self,
        (r, updates): &(Ref, Updates),
    ) -> (u32, (Ref, Updates), (Ref, Updates)) {
        let levels = updates.iter().map(|&(_, value)| self.diagrams.level(value));
        let level = levels.fold(self.diagrams.level(*r), u32::min);
        let (low, high) = self.diagrams.branches(*r, level);
        let mut lows = Vec::with_capacity(updates.len());
        let mut highs = Vec::with_capacity(updates.len());
        for &(bit, value) in updates {
            let (low, high) = self.diagrams.branches(value, level);
            lows.push((bit, low));
            highs.push((bit, high));
        }
        (level, (low, lows), (high, highs))
    }

    /// The successors of a formula, given the bits of the past: a diagram over formulas. Bottom up
    /// with a stack of its own, since formulas may be nested deeply.
    fn successors(&mut self, f: Id, bits: Bits) -> Result<Ref, Error> {
        let mut stack = vec![f];
        let mut missing = Vec::new();
        while let Some(&f) = stack.last() {
            missing.clear();
            if self.known(f, bits).is_none() {
                self.missing(f, bits, &mut missing);
                if missing.is_empty() {
                    let result = self.combine(f, bits)?;
                    let key = self.key(f, bits);
                    self.memo.insert(key, result);
                } else {
                    stack.append(&mut missing);
                    continue;
                }
            }
            stack.pop();
        }
        Ok(self.known(f, bits).unwrap_or(FALSE))
    }

    fn key(&mut self, f: Id, bits: Bits) -> (Id, Bits) {
        let mask = self.memory.mask(self.arena, f);
        (f, self.memory.intersect(bits, mask))
    }

    fn known(&mut self, f: Id, bits: Bits) -> Option<Ref> {
        match self.arena.view(f) {
            View::True => Some(TRUE),
            View::False => Some(FALSE),
            View::Step(Time::Future, a) => Some(leaf(a, false)),
            View::WeakStep(Time::Future, a) => Some(leaf(a, true)),
            View::Step(Time::Past, _) => Some(constant(self.memory.get(bits, f))),
            View::WeakStep(Time::Past, _) => Some(constant(!self.memory.get(bits, f.positive()))),
            _ => {
                let key = self.key(f, bits);
                self.memo.get(&key).copied()
            }
        }
    }

    fn missing(&mut self, f: Id, bits: Bits, missing: &mut Vec<Id>) {
        match self.arena.view(f) {
            View::And(args) | View::Or(args) => {
                for i in 0..args.len() {
                    let member = self.arena.arg(args, i);
                    if self.known(member, bits).is_none() {
                        missing.push(member);
                    }
                }
            }
            View::Iff(a, b) | View::Until(_, a, b) | View::Release(_, a, b) => {
                for side in [a, b] {
                    if self.known(side, bits).is_none() {
                        missing.push(side);
                    }
                }
            }
            _ => {}
        }
    }

    /// The successors of a formula whose operands' successors are known.
    fn combine(&mut self, f: Id, bits: Bits) -> Result<Ref, Error> {
        match self.arena.view(f) {
            View::Atom(atom, positive) => {
                let (low, high) = if positive {
                    (FALSE, TRUE)
                } else {
                    (TRUE, FALSE)
                };
                self.diagrams.mk(self.levels.of(atom), low, high)
            }
            View::And(args) => self.fold(args, bits, Op::And),
            View::Or(args) => self.fold(args, bits, Op::Or),
            View::Iff(a, b) => {
                let (a, b) = (self.operand(a, bits), self.operand(b, bits));
                self.apply(Op::Iff, a, b)
            }
            View::Until(time, a, b) => {
                let again = match time {
                    Time::Future => leaf(f, false),
                    Time::Past => constant(self.memory.get(bits, f)),
                };
                let (a, b) = (self.operand(a, bits), self.operand(b, bits));
                let on = self.apply(Op::And, a, again)?;
                self.apply(Op::Or, b, on)
            }
            View::Release(time, a, b) => {
                let again = match time {
                    Time::Future => leaf(f, true),
                    Time::Past => constant(!self.memory.get(bits, f.positive())),
                };
                let (a, b) = (self.operand(a, bits), self.operand(b, bits));
                let on = self.apply(Op::Or, a, again)?;
                self.apply(Op::And, b, on)
            }
            View::True | View::False | View::Step(..) | View::WeakStep(..) => {
                Ok(self.operand(f, bits))
            }
        }
    }

    fn operand(&mut self, f: Id, bits: Bits) -> Ref {
        self.known(f, bits).unwrap_or(FALSE)
    }

    fn fold(&mut self, args: Args, bits: Bits, op: Op) -> Result<Ref, Error> {
        let mut members: Vec<Ref> = Vec::with_capacity(args.len());
        for i in 0..args.len() {
            let member = self.arena.arg(args, i);
            members.push(self.operand(member, bits));
        }
        // Those that decide low in the order first: the diagram then grows upwards from its leaves.
        members.sort_by_key(|&r| (std::cmp::Reverse(self.diagrams.level(r)), r));
        let mut result = if op == Op::And { TRUE } else { FALSE };
        for member in members {
            result = self.apply(op, member, result)?;
        }
        Ok(result)
    }

    fn apply(&mut self, op: Op, a: Ref, b: Ref) -> Result<Ref, Error> {
        if let Some(result) = op.at_once(a, b, FALSE, TRUE) {
            return Ok(result);
        }
        if is_leaf(a) && is_leaf(b) {
            let ((f, p), (g, q)) = (unleaf(a), unleaf(b));
            let rest = match op {
                Op::And => self.arena.and2(f, g),
                Op::Or => self.arena.or2(f, g),
                Op::Iff => self.arena.iff2(f, g),
            };
            if self.arena.len() > self.formulas_limit || self.arena.weight() > self.weight_limit {
                return Err(Error::TooManyStates {
                    limit: self.limits.states,
                });
            }
            return Ok(leaf(rest, op.of(p, q)));
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(known) = self.cache.get(op as u32, a, b) {
            return Ok(known);
        }
        self.meter.step()?;
        let level = self.diagrams.level(a).min(self.diagrams.level(b));
        let (low_a, high_a) = self.diagrams.branches(a, level);
        let (low_b, high_b) = self.diagrams.branches(b, level);
        let low = self.apply(op, low_a, low_b)?;
        let high = self.apply(op, high_a, high_b)?;
        let result = self.diagrams.mk(level, low, high)?;
        self.cache.put(op as u32, a, b, result);
        Ok(result)
    }
}

fn constant(value: bool) -> Ref {
    if value { TRUE } else { FALSE }
}
