//! One step of a trace in clauses.
//!
//! A subformula at a step is a literal; clauses say what follows where it is true (Plaisted and
//! Greenbaum: only the polarities that occur). Nothing follows where it is false, so a literal is a
//! demand, and a model may always demand less. What a step shares with its neighbours is asked of
//! its [`Surroundings`]: a search that unrolls the trace answers with the literals of the step
//! beside it, one that looks at a single step answers with variables of the state between two.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and ranges are made with the table that they index"
)]

use super::solver::Lit;
use crate::formula::{Arena, Formula, Id, Kind, Time};
use rustc_hash::FxHashMap;

/// The subformulas of some formulas, numbered for themselves, children before parents. Node 0 is
/// true. Ids are of this table.
#[derive(Debug)]
pub(super) struct Subformulas {
    kinds: Vec<Kind>,
    args: Vec<Id>,
    roots: Vec<Id>,
}

impl Subformulas {
    /// The table of these formulas.
    pub(super) fn new(arena: &Arena, formulas: &[Formula]) -> Self {
        let mut number: FxHashMap<Id, u32> = FxHashMap::default();
        number.insert(Id::TT, 0);
        let mut found = vec![Id::TT];
        let mut stack: Vec<Id> = formulas.iter().map(|f| f.id().positive()).collect();
        while let Some(id) = stack.pop() {
            if number.contains_key(&id) {
                continue;
            }
            number.insert(id, 0);
            found.push(id);
            arena.for_each_child(id, |child| stack.push(child.positive()));
        }
        // The arena makes children before parents.
        found.sort_unstable();
        for (i, id) in found.iter().enumerate() {
            number.insert(*id, i as u32);
        }
        let local = |id: Id| Id(number[&id.positive()] << 1).negated_if(id.is_negative());
        let mut args = Vec::new();
        let kinds = found
            .iter()
            .map(|&id| match arena.kind(id) {
                kind @ (Kind::True | Kind::Atom(_)) => kind,
                Kind::And(..) => {
                    let start = args.len() as u32;
                    arena.for_each_child(id, |child| args.push(local(child)));
                    Kind::And(start, args.len() as u32 - start)
                }
                Kind::Iff(a, b) => Kind::Iff(local(a), local(b)),
                Kind::Step(time, a) => Kind::Step(time, local(a)),
                Kind::Until(time, a, b) => Kind::Until(time, local(a), local(b)),
            })
            .collect();
        Self {
            kinds,
            args,
            roots: formulas.iter().map(|f| local(f.id())).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The formulas that the table was made for, in their order.
    pub(super) fn roots(&self) -> &[Id] {
        &self.roots
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.kinds[id.index()]
    }

    /// The members of a conjunction node.
    pub(super) fn conjuncts(&self, start: u32, len: u32) -> &[Id] {
        &self.args[start as usize..(start + len) as usize]
    }

    /// What a formula demands as a member of the whole: a list of formulas for the first step and
    /// one of formulas for every step. They are equivalent to it together.
    pub(super) fn demands(&self, id: Id) -> Demands {
        let mut demands = Demands::default();
        let mut stack = vec![(id, false)];
        while let Some((id, always)) = stack.pop() {
            match (self.kind(id), id.is_negative()) {
                (Kind::And(start, len), false) => stack.extend(
                    self.conjuncts(start, len)
                        .iter()
                        .map(|&member| (member, always)),
                ),
                // always f = not (true until not f)
                (Kind::Until(Time::Future, Id::TT, f), true) => stack.push((f.negated(), true)),
                _ if always => demands.always.push(id),
                _ => demands.first.push(id),
            }
        }
        demands
    }

    /// The atoms under some of the formulas that the table was made for, ascending, with their
    /// nodes.
    pub(super) fn atoms(&self, members: &[usize]) -> Vec<(u32, Id)> {
        let mut seen = vec![false; self.len()];
        let mut atoms = Vec::new();
        let mut stack: Vec<Id> = members.iter().map(|&member| self.roots[member]).collect();
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.kind(id) {
                Kind::True => {}
                Kind::Atom(atom) => atoms.push((atom, id.positive())),
                Kind::And(start, len) => stack.extend(self.conjuncts(start, len)),
                Kind::Iff(a, b) | Kind::Until(_, a, b) => stack.extend([a, b]),
                Kind::Step(_, a) => stack.push(a),
            }
        }
        atoms.sort_unstable();
        atoms
    }
}

/// See [`Subformulas::demands`].
#[derive(Debug, Default)]
pub(super) struct Demands {
    pub(super) first: Vec<Id>,
    pub(super) always: Vec<Id>,
}

/// What a step is made of, and what stands around it.
pub(super) trait Surroundings {
    /// The literal that demands a formula at this step.
    fn here(&mut self, f: Id) -> Lit;
    /// The literal that demands a formula at the next step, if there is one.
    fn next(&mut self, f: Id) -> Lit;
    /// There is a next step.
    fn continues(&mut self) -> Lit;
    /// The literal that demands that the formula held at the step before: false at the first step.
    fn before(&mut self, f: Id) -> Lit;
    /// This is the first step.
    fn first(&mut self) -> Lit;
    fn clause(&mut self, literals: &[Lit]);
}

/// Says what follows where `demand`, the literal of `f` at this step, is true. Atoms and constants
/// need no definition.
///
/// A finite trace has no next step at its last: there a strong next is false, a weak one true, and
/// so at its first step the strong and the weak previously.
pub(super) fn define(
    table: &Subformulas,
    f: Id,
    demand: Lit,
    step: &mut impl Surroundings,
    scratch: &mut Vec<Lit>,
) {
    let negative = f.is_negative();
    match table.kind(f) {
        Kind::True | Kind::Atom(_) => {}
        Kind::And(start, len) if negative => {
            scratch.clear();
            scratch.push(!demand);
            for &member in table.conjuncts(start, len) {
                scratch.push(step.here(member.negated()));
            }
            step.clause(scratch);
        }
        Kind::And(start, len) => {
            for &member in table.conjuncts(start, len) {
                let member = step.here(member);
                step.clause(&[!demand, member]);
            }
        }
        Kind::Iff(a, b) => {
            let b = b.negated_if(negative);
            // A literal and its negation demand a formula and its negation: both halves are needed.
            let (not_a, not_b) = (step.here(a.negated()), step.here(b.negated()));
            let (yes_a, yes_b) = (step.here(a), step.here(b));
            step.clause(&[!demand, not_a, yes_b]);
            step.clause(&[!demand, yes_a, not_b]);
        }
        Kind::Step(Time::Future, a) => {
            let continues = step.continues();
            let next = step.next(a.negated_if(negative));
            if negative {
                step.clause(&[!demand, !continues, next]);
            } else {
                step.clause(&[!demand, continues]);
                step.clause(&[!demand, next]);
            }
        }
        Kind::Step(Time::Past, a) => {
            let before = step.before(a.negated_if(negative));
            if negative {
                let first = step.first();
                step.clause(&[!demand, first, before]);
            } else {
                step.clause(&[!demand, before]);
            }
        }
        Kind::Until(time, a, b) => {
            // f until g = g or (f and next (f until g)); f release g = g and (f or weak next ..).
            let (a, b) = (
                step.here(a.negated_if(negative)),
                step.here(b.negated_if(negative)),
            );
            let (again, missing) = match time {
                Time::Future => (step.next(f), !step.continues()),
                Time::Past => (step.before(f), step.first()),
            };
            if negative {
                step.clause(&[!demand, b]);
                step.clause(&[!demand, a, missing, again]);
            } else {
                step.clause(&[!demand, b, a]);
                step.clause(&[!demand, b, !missing]);
                step.clause(&[!demand, b, again]);
            }
        }
    }
}
