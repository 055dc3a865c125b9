//! The compositional translation: the parts of a Boolean formula on their own, then their products,
//! minimal after each.
//!
//! The order of the products decides what it costs: the smallest automaton first, with the smallest
//! that shares an atom with it (automata without common atoms only multiply), unless that one is so
//! much larger than another that it had better be multiplied once than twice.

use super::direct::direct;
use super::{Levels, Strategy};
use crate::automaton::{Automaton, Goal, minimise, product};
use crate::diagram::Op;
use crate::formula::{Arena, Id, Time, View};
use crate::limits::{Error, Limits};

/// What a first direct attempt may use before the formula is taken apart.
const ATTEMPT_STATES: usize = 512;
const ATTEMPT_NODES: usize = 20_000;
/// All products of one translation together may make this many times the nodes of the limit.
const TOTAL_NODES: usize = 4;

/// Two operands are multiplied first if their product is, at the worst, this many times smaller than
/// the one that shares an atom with the first.
const MUCH_LARGER: usize = 4;

/// One translation.
pub(crate) struct Composer<'a> {
    arena: &'a mut Arena,
    levels: &'a Levels,
    limits: &'a Limits<'a>,
    strategy: Strategy,
    /// Nodes made by products so far.
    spent: usize,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(
        arena: &'a mut Arena,
        levels: &'a Levels,
        limits: &'a Limits<'a>,
        strategy: Strategy,
    ) -> Self {
        Self {
            arena,
            levels,
            limits,
            strategy,
            spent: 0,
        }
    }

    /// The minimal automaton of a formula.
    pub(crate) fn translate(&mut self, f: Id) -> Result<Automaton, Error> {
        if self.strategy == Strategy::Direct {
            return self.whole(f, self.limits);
        }
        if self.strategy == Strategy::Portfolio {
            let limits = *self.limits;
            let attempt = Limits {
                states: limits.states.min(ATTEMPT_STATES),
                nodes: limits.nodes.min(ATTEMPT_NODES),
                ..limits
            };
            match self.whole(f, &attempt) {
                Err(error) if error.is_limit() => {}
                done => return done,
            }
        }
        let Some((members, op)) = self.taken_apart(f) else {
            return self.whole(f, self.limits);
        };
        match self.parts(&members, op) {
            Err(error) if error.is_limit() && self.strategy == Strategy::Portfolio => {
                self.whole(f, self.limits)
            }
            done => done,
        }
    }

    fn whole(&mut self, f: Id, limits: &Limits<'_>) -> Result<Automaton, Error> {
        minimise(&direct(self.arena, f, self.levels, limits)?, limits)
    }

    /// The parts of a Boolean formula and how they are joined; nothing for one without future
    /// operators. `always` of a conjunction is a conjunction, `eventually` of a disjunction a
    /// disjunction.
    fn taken_apart(&mut self, f: Id) -> Option<(Vec<Id>, Op)> {
        let arena = &mut *self.arena;
        if !arena.has_future(f) {
            return None;
        }
        match arena.view(f) {
            View::And(args) => Some((arena.members(args), Op::And)),
            View::Or(args) => Some((arena.members(args), Op::Or)),
            View::Iff(a, b) => Some((vec![a, b], Op::Iff)),
            View::Release(Time::Future, Id::FF, body) => {
                let View::And(args) = arena.view(body) else {
                    return None;
                };
                let members = arena.members(args);
                let each = members
                    .into_iter()
                    .map(|member| arena.release2(Time::Future, Id::FF, member));
                Some((each.collect(), Op::And))
            }
            View::Until(Time::Future, Id::TT, body) => {
                let View::Or(args) = arena.view(body) else {
                    return None;
                };
                let members = arena.members(args);
                let each = members
                    .into_iter()
                    .map(|member| arena.until2(Time::Future, Id::TT, member));
                Some((each.collect(), Op::Or))
            }
            _ => None,
        }
    }

    /// Members without future operators speak of the first step only: they are one part.
    fn join_steps(&mut self, members: &[Id], op: Op) -> Vec<Id> {
        let arena = &mut *self.arena;
        let (mut parts, steps): (Vec<Id>, Vec<Id>) = members
            .iter()
            .partition(|&&member| arena.has_future(member));
        let mut steps = steps.into_iter();
        if let Some(first) = steps.next() {
            parts.push(steps.fold(first, |all, step| match op {
                Op::And => arena.and2(all, step),
                Op::Or => arena.or2(all, step),
                Op::Iff => arena.iff2(all, step),
            }));
        }
        parts
    }

    fn parts(&mut self, members: &[Id], op: Op) -> Result<Automaton, Error> {
        let members = self.join_steps(members, op);
        let mut operands = Vec::with_capacity(members.len());
        for member in members {
            let automaton = self.translate(member)?;
            if decides(&automaton, op) {
                return Ok(automaton);
            }
            operands.push(Operand::new(automaton));
        }
        loop {
            let Some(first) = smallest(&operands, |_| true) else {
                return Ok(Automaton::constant(op != Op::Or));
            };
            let first = operands.swap_remove(first);
            let Some(second) = partner(&operands, &first) else {
                return Ok(first.automaton);
            };
            let second = operands.swap_remove(second);
            let automaton = self.multiply(&first.automaton, &second.automaton, op)?;
            if decides(&automaton, op) {
                return Ok(automaton);
            }
            operands.push(Operand::new(automaton));
        }
    }

    fn multiply(&mut self, a: &Automaton, b: &Automaton, op: Op) -> Result<Automaton, Error> {
        let limit = self.limits.nodes;
        let (result, _) = product(a, b, op, Goal::Everything, self.limits)?;
        self.spent = self.spent.saturating_add(result.nodes.len());
        if self.spent > limit.saturating_mul(TOTAL_NODES) {
            return Err(Error::TooManyNodes { limit });
        }
        minimise(&result, self.limits)
    }
}

/// Whether the automaton alone decides the result of the operation.
fn decides(automaton: &Automaton, op: Op) -> bool {
    match op {
        Op::And => automaton.rejects_all(),
        Op::Or => automaton.accepts_all(),
        Op::Iff => false,
    }
}

struct Operand {
    automaton: Automaton,
    /// The levels its diagrams test, sorted.
    levels: Vec<u32>,
}

impl Operand {
    fn new(automaton: Automaton) -> Self {
        let mut levels: Vec<u32> = automaton.nodes.iter().map(|node| node.level).collect();
        levels.sort_unstable();
        levels.dedup();
        Self { automaton, levels }
    }

    fn size(&self) -> (usize, usize) {
        (self.automaton.roots.len(), self.automaton.nodes.len())
    }

    fn shares_atoms(&self, other: &Self) -> bool {
        let (few, many) = if self.levels.len() < other.levels.len() {
            (self, other)
        } else {
            (other, self)
        };
        few.levels
            .iter()
            .any(|level| many.levels.binary_search(level).is_ok())
    }
}

/// What to multiply an operand with.
fn partner(operands: &[Operand], first: &Operand) -> Option<usize> {
    let states = |i: usize| operands.get(i).map_or(0, |operand| operand.size().0);
    let any = smallest(operands, |_| true)?;
    let sharing = smallest(operands, |other| first.shares_atoms(other));
    sharing
        .filter(|&sharing| {
            let together = first.size().0.saturating_mul(states(any));
            together.saturating_mul(MUCH_LARGER) > states(sharing)
        })
        .or(Some(any))
}

fn smallest(operands: &[Operand], wanted: impl Fn(&Operand) -> bool) -> Option<usize> {
    let candidates = operands
        .iter()
        .enumerate()
        .filter(|(_, operand)| wanted(operand));
    candidates
        .min_by_key(|(_, operand)| operand.size())
        .map(|(i, _)| i)
}
