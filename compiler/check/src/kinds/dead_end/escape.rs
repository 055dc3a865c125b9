//! That what is owed can be met.
//!
//! From every point that was reached there must be a way on which at the end all contracts of the set are satisfied, over events that
//! surely exist: their conditions speak of the event alone and the theory has values for them, returns answer a call in flight. And they do no
//! harm to other contracts, so that one contract after the other can be satisfied.

use std::collections::{BTreeMap, VecDeque};

use ctr_front::ir::{CompareOp, Const, Expr, RegisterKind};
use ctr_logic::Label;

use super::search::{Region, Search};
use super::watch::Watch;
use crate::engine::NO_VALUES;
use crate::problem::Leaf;
use crate::product::{Edge, Literal, Stopped};
use crate::theory::Letter;
use crate::universe::Class;
use crate::walk;

const NO_CALL: &str = "whether a return can still come depends on how many calls are in flight";

/// Whether what is owed can be met.
pub(super) enum Escape {
    /// It can.
    Yes,
    /// Something was learned: look again.
    Learned,
    /// Not without regard to this contract.
    Harms(usize),
    /// It is not known.
    Open(String),
}

/// What is known of an event.
#[derive(Clone, Debug)]
enum Verdict {
    /// It exists and does no harm.
    Sure,
    /// It exists and would harm these.
    Harms(Vec<usize>),
    /// Whether it exists depends on what was before.
    Unsure(String),
    /// No event is like this.
    Learned,
}

impl Search<'_, '_> {
    /// Whether from every point of a region its contracts can be satisfied.
    pub(super) fn escapes(&mut self, set: &[usize], region: &Region) -> Result<Escape, Stopped> {
        let mut verdicts: BTreeMap<(usize, Vec<Literal>), Verdict> = BTreeMap::new();
        let mut why = None;
        let Some((safe, _)) = self.spread(set, region, &mut verdicts, false, &mut why)? else {
            return Ok(Escape::Learned);
        };
        let stuck = region
            .reached
            .iter()
            .find(|s| safe.get(**s as usize) != Some(&true));
        let Some(stuck) = stuck.copied() else {
            return Ok(Escape::Yes);
        };
        // Which other contract is in the way?
        let Some((_, next)) = self.spread(set, region, &mut verdicts, true, &mut why)? else {
            return Ok(Escape::Learned);
        };
        let mut at = stuck;
        while let Some(ways) = next.get(&at) {
            for edge in ways {
                let verdict = verdicts.get(&(edge.group, edge.literals.clone()));
                if let Some(Verdict::Harms(others)) = verdict
                    && let Some(first) = others.first()
                {
                    return Ok(Escape::Harms(*first));
                }
            }
            match ways.last() {
                Some(edge) => at = edge.to,
                None => break,
            }
        }
        Ok(Escape::Open(why.unwrap_or_else(|| NO_VALUES.to_owned())))
    }

    /// The states from which one that satisfies all can be reached, with the next events on the way; `None` if something was
    /// learned. With `harming` also by events that harm others.
    #[expect(clippy::type_complexity, reason = "one caller takes it apart at once")]
    fn spread(
        &mut self,
        set: &[usize],
        region: &Region,
        verdicts: &mut BTreeMap<(usize, Vec<Literal>), Verdict>,
        harming: bool,
        why: &mut Option<String>,
    ) -> Result<Option<(Vec<bool>, BTreeMap<u32, Vec<Edge>>)>, Stopped> {
        let product = &region.product;
        let back = product.backwards();
        let mut safe: Vec<bool> = product
            .states
            .iter()
            .map(|state| Self::satisfied(&region.watches, &product.monitors, state))
            .collect();
        let mut next: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        let mut queue: VecDeque<u32> = (0..)
            .zip(&safe)
            .filter(|(_, safe)| **safe)
            .map(|(at, _)| at)
            .collect();
        let edge_at = |from: u32, slot: usize| -> Option<&Edge> {
            product.edges.get(from as usize)?.get(slot)
        };
        while let Some(at) = queue.pop_front() {
            if self.subject.engine.over()() {
                return Err(Stopped::Time);
            }
            for (from, slot) in back.get(at as usize).into_iter().flatten() {
                if safe.get(*from as usize) == Some(&true) {
                    continue;
                }
                let Some(edge) = edge_at(*from, *slot) else {
                    continue;
                };
                if !self.goes(set, edge, verdicts, harming, why)? {
                    if self.has_learned(edge, verdicts) {
                        return Ok(None);
                    }
                    continue;
                }
                if self.answers_surely(region, *from, edge) {
                    if let Some(slot) = safe.get_mut(*from as usize) {
                        *slot = true;
                    }
                    next.insert(*from, vec![edge.clone()]);
                    queue.push_back(*from);
                    continue;
                }
                why.get_or_insert_with(|| NO_CALL.to_owned());
                // A return of a call that is made for it.
                let mut calls: Vec<(u32, Edge)> = back
                    .get(*from as usize)
                    .into_iter()
                    .flatten()
                    .filter_map(|(before, slot)| Some((*before, edge_at(*before, *slot)?.clone())))
                    .collect();
                calls.extend(self.calls_in_place(region, *from, edge));
                for (before, call) in &calls {
                    if safe.get(*before as usize) == Some(&true) || !self.answers_this(call, edge) {
                        continue;
                    }
                    if !self.goes(set, call, verdicts, harming, why)? {
                        if self.has_learned(call, verdicts) {
                            return Ok(None);
                        }
                        continue;
                    }
                    if let Some(slot) = safe.get_mut(*before as usize) {
                        *slot = true;
                    }
                    next.insert(*before, vec![call.clone(), edge.clone()]);
                    queue.push_back(*before);
                }
            }
        }
        Ok(Some((safe, next)))
    }

    #[expect(clippy::unused_self, reason = "reads better beside its like")]
    fn has_learned(
        &self,
        edge: &Edge,
        verdicts: &BTreeMap<(usize, Vec<Literal>), Verdict>,
    ) -> bool {
        let verdict = verdicts.get(&(edge.group, edge.literals.clone()));
        matches!(verdict, Some(Verdict::Learned))
    }

    /// Whether an event can be counted on.
    fn goes(
        &mut self,
        set: &[usize],
        edge: &Edge,
        verdicts: &mut BTreeMap<(usize, Vec<Literal>), Verdict>,
        harming: bool,
        why: &mut Option<String>,
    ) -> Result<bool, Stopped> {
        let key = (edge.group, edge.literals.clone());
        if !verdicts.contains_key(&key) {
            let verdict = self.verdict(set, edge)?;
            verdicts.insert(key.clone(), verdict);
        }
        Ok(match verdicts.get(&key) {
            Some(Verdict::Sure) => true,
            Some(Verdict::Harms(_)) => harming,
            Some(Verdict::Unsure(reason)) => {
                why.get_or_insert_with(|| reason.clone());
                false
            }
            Some(Verdict::Learned) | None => false,
        })
    }

    fn verdict(&mut self, set: &[usize], edge: &Edge) -> Result<Verdict, Stopped> {
        if !self.stand(&edge.literals) {
            return Ok(Verdict::Unsure(NO_VALUES.to_owned()));
        }
        if let Some(other) = self.can_be(edge.group, &edge.literals) {
            return Ok(other);
        }
        if !self.fresh_keys(edge)? {
            return Ok(Verdict::Unsure(
                "what an event with another value of a key leads to depends on that value"
                    .to_owned(),
            ));
        }
        match self.harmless(set, edge.group, &edge.literals)? {
            Err(harmed) => Ok(Verdict::Harms(harmed)),
            Ok(more) if more == edge.literals => Ok(Verdict::Sure),
            Ok(more) => {
                if !self.stand(&more) {
                    return Ok(Verdict::Unsure(NO_VALUES.to_owned()));
                }
                match self.can_be(edge.group, &more) {
                    None => Ok(Verdict::Sure),
                    // The harm is then avoided in another way, or not at all.
                    Some(other) => Ok(other),
                }
            }
        }
    }

    /// Why there is, or may be, no such event.
    fn can_be(&mut self, group: usize, literals: &[Literal]) -> Option<Verdict> {
        if literals.is_empty() {
            return None;
        }
        let step = self.subject.engine.step(group, literals)?;
        match self.subject.engine.letter(&step) {
            Letter::Possible => None,
            Letter::Unknown(reason) => Some(Verdict::Unsure(reason)),
            Letter::Impossible(core) => {
                self.subject.engine.forbid(&step, &core);
                Some(Verdict::Learned)
            }
        }
    }

    /// Whether conditions have their values whatever was before.
    fn stand(&self, literals: &[Literal]) -> bool {
        literals
            .iter()
            .all(|(leaf, value)| self.of_the_event(*leaf) || self.after_a_while(*leaf, *value))
    }

    /// Whether a condition reads the event alone: no event before decides it.
    fn of_the_event(&self, leaf: u32) -> bool {
        let problem = &self.subject.engine.problem;
        let exprs = match problem.leaves.get(leaf as usize) {
            Some(Leaf::Condition(expr, _)) => vec![*expr],
            Some(Leaf::Compare(_, a, b, _)) => vec![*a, *b],
            _ => return true,
        };
        let mut read = walk::Reads::default();
        for expr in exprs {
            walk::reads(problem.library, expr, &mut read);
        }
        read.registers.is_empty()
    }

    /// Whether a condition has this value some time later, however long that takes: a window of time has run empty by then.
    fn after_a_while(&self, leaf: u32, value: bool) -> bool {
        let library = self.subject.library;
        let hurry = self.subject.contracts.iter().any(|contract| {
            let contract = self.subject.contract(*contract);
            contract.is_some_and(|c| c.clauses.iter().any(|clause| !clause.deadlines.is_empty()))
        });
        let Some(Leaf::Condition(expr, _)) = self.subject.engine.problem.leaves.get(leaf as usize)
        else {
            return false;
        };
        let Some(Expr::Compare(op, a, b)) = library.exprs.get(expr.0 as usize) else {
            return false;
        };
        let (Some(Expr::Read { register, .. }), Some(Expr::Const(Const::Number(bound)))) = (
            library.exprs.get(a.0 as usize),
            library.exprs.get(b.0 as usize),
        ) else {
            return false;
        };
        let windowed = library
            .registers
            .get(register.0 as usize)
            .is_some_and(|r| r.kind == RegisterKind::Count && r.window.is_some());
        let Ok(bound) = bound.parse::<i64>() else {
            return false;
        };
        let holds = |count: i64| match op {
            CompareOp::Eq => count == bound,
            CompareOp::Ne => count != bound,
            CompareOp::Lt => count < bound,
            CompareOp::Le => count <= bound,
            CompareOp::Gt => count > bound,
            CompareOp::Ge => count >= bound,
        };
        // The event itself may be a member.
        windowed && !hurry && holds(0) == value && holds(1) == value
    }

    /// Whether contracts that would see a new value of their key in an event are satisfied by it.
    fn fresh_keys(&mut self, edge: &Edge) -> Result<bool, Stopped> {
        let mut others = Vec::new();
        let mut literals = edge.literals.clone();
        for (leaf, value) in &mut literals {
            if let (Some(Leaf::Key(_, key)), false) = (
                self.subject.engine.problem.leaves.get(*leaf as usize),
                *value,
            ) {
                others.push(*key);
                *value = true;
            }
        }
        if others.is_empty() {
            return Ok(true);
        }
        for contract in self.subject.contracts.clone() {
            let keys = self.subject.engine.problem.keys.get(contract);
            if !keys.is_some_and(|keys| keys.iter().any(|key| others.contains(key))) {
                continue;
            }
            for side in self.sides(contract) {
                let monitor = self.monitor(side)?;
                let to = monitor.step(monitor.dfa.initial(), edge.group, &literals);
                if !monitor.dfa.accepting(to) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether an event is no return, or one of which it is certain that it has a call to answer.
    fn answers_surely(&self, region: &Region, from: u32, edge: &Edge) -> bool {
        let engine = &self.subject.engine;
        let classes = engine.problem.universe.classes(edge.group);
        let Some(Class::Return(tool, _)) = classes.first() else {
            return true;
        };
        let Some(state) = region.product.states.get(from as usize) else {
            return false;
        };
        let at = |wanted: Watch| {
            let place = region.watches.iter().position(|w| *w == wanted)?;
            Some((region.product.monitors.get(place)?, *state.get(place)?))
        };
        let open = at(Watch::InFlight(*tool)).is_some_and(|(monitor, s)| monitor.dfa.accepting(s));
        let arguments = engine.arguments();
        open && edge
            .literals
            .iter()
            .filter(|(leaf, _)| arguments.contains(leaf))
            .all(|(leaf, _)| {
                at(Watch::Carried(*tool, *leaf))
                    .is_some_and(|(monitor, s)| monitor.dfa.label(s) != Label::SatisfiedForGood)
            })
    }

    /// Calls that leave a state as it is and that a return can answer.
    fn calls_in_place(&self, region: &Region, at: u32, back: &Edge) -> Vec<(u32, Edge)> {
        let engine = &self.subject.engine;
        let classes = engine.problem.universe.classes(back.group);
        let (Some(Class::Return(tool, _)), Some(state)) =
            (classes.first(), region.product.states.get(at as usize))
        else {
            return Vec::new();
        };
        let arguments = engine.arguments();
        let mut literals = back.literals.clone();
        literals.retain(|(leaf, _)| arguments.contains(leaf));
        let (calls, _) = engine.calls_and_returns(*tool);
        calls
            .into_iter()
            .filter(|group| {
                let mut monitors = region.product.monitors.iter().zip(state.iter());
                monitors.all(|(monitor, s)| monitor.step(*s, *group, &literals) == *s)
            })
            .map(|group| {
                let literals = literals.clone();
                (
                    at,
                    Edge {
                        group,
                        literals,
                        to: at,
                    },
                )
            })
            .collect()
    }

    /// Whether a return can be the answer to a call: the same tool, and no argument otherwise.
    fn answers_this(&self, call: &Edge, back: &Edge) -> bool {
        let universe = &self.subject.engine.problem.universe;
        let first = |group: usize| universe.groups.get(group).and_then(|g| g.classes.first());
        let (Some(Class::Call(tool)), Some(Class::Return(other, _))) =
            (first(call.group), first(back.group))
        else {
            return false;
        };
        let arguments = self.subject.engine.arguments();
        tool == other
            && back.literals.iter().all(|(leaf, value)| {
                !arguments.contains(leaf) || !call.literals.contains(&(*leaf, !*value))
            })
    }
}
