//! A single step of any trace, between the state that it starts in and the state that it leaves.
//!
//! A state is a set of burdens: formulas that an earlier step demands of this one, and formulas
//! that an earlier step did not grant to have held before. Fewer burdens are never harder to
//! satisfy, so burdens that cannot be met condemn all states that have them; and more burdens are
//! never harder to leave, so where no step can leave a state free of some burdens, no state is free
//! of them.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes index tables of their number, burdens those that were made"
)]

use super::encoding::{Subformulas, Surroundings, define};
use super::solver::{Lit, Solver};
use crate::formula::{Id, Kind, Time};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a step may inherit from the one before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Burden {
    /// The formula must hold now.
    Owes(Id),
    /// That the formula held a step ago cannot be relied on.
    Lacks(Id),
}

/// The number of a burden.
pub(super) type Index = u32;

/// Which way a search walks, and with it what it takes for a cube, the set of states that a list of
/// burdens stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// From the first step towards the last; a cube is the states with all of the burdens.
    Onward,
    /// From the last step towards the first; a cube is the states with none of the burdens.
    Back,
}

impl Way {
    fn reversed(self) -> Self {
        match self {
            Self::Onward => Self::Back,
            Self::Back => Self::Onward,
        }
    }
}

/// A burden's literals: that the step has it, that the next step has it.
#[derive(Clone, Copy)]
struct Carried {
    burden: Burden,
    now: Lit,
    then: Lit,
}

/// The clauses of one step.
pub(super) struct Transition<'l> {
    table: Arc<Subformulas>,
    pub(super) solver: Solver<'l>,
    /// For each node, its variable and which of its readings are defined.
    slots: Vec<(Option<Lit>, [bool; 2])>,
    carried: Vec<Carried>,
    numbers: FxHashMap<Burden, Index>,
    /// There is a next step.
    pub(super) continues: Lit,
    /// This is the first step: no burdens of the first kind, all of the second.
    pub(super) first: Lit,
    agenda: Vec<Id>,
}

impl<'l> Transition<'l> {
    /// A step on which nothing is demanded yet.
    pub(super) fn new(table: &Arc<Subformulas>, limits: &Limits<'l>) -> Self {
        let mut solver = Solver::new(limits);
        let continues = solver.fresh();
        let first = solver.fresh();
        Self {
            table: Arc::clone(table),
            solver,
            slots: vec![(None, [false; 2]); table.len()],
            carried: Vec::new(),
            numbers: FxHashMap::default(),
            continues,
            first,
            agenda: Vec::new(),
        }
    }

    /// A step of a trace that satisfies these members.
    pub(super) fn of(
        table: &Arc<Subformulas>,
        limits: &Limits<'l>,
        members: &[usize],
    ) -> Result<Self, Error> {
        let mut step = Self::new(table, limits);
        let truth = step.solver.truth();
        for &member in members {
            step.member(member, truth);
        }
        step.settle()?;
        Ok(step)
    }

    /// Demands a member of every trace, wherever `selector` is true.
    pub(super) fn member(&mut self, member: usize, selector: Lit) {
        let demands = self.table.demands(self.table.roots()[member]);
        for f in demands.first {
            let (first, demand) = (self.first, self.demand(f));
            self.solver.clause([!selector, !first, demand]);
        }
        for f in demands.always {
            let demand = self.demand(f);
            self.solver.clause([!selector, demand]);
        }
    }

    /// Defines all that is demanded.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        let table = Arc::clone(&self.table);
        let mut scratch = Vec::new();
        loop {
            self.solver.check()?;
            let Some(f) = self.agenda.pop() else {
                return Ok(());
            };
            let demand = self.demand(f);
            define(&table, f, demand, self, &mut scratch);
        }
    }

    /// The number of a burden, which is made if it is new; then [`Transition::settle`] is due.
    pub(super) fn number(&mut self, burden: Burden) -> Index {
        if let Some(&index) = self.numbers.get(&burden) {
            return index;
        }
        let index = self.carried.len() as Index;
        self.numbers.insert(burden, index);
        let (now, then) = match burden {
            Burden::Owes(f) => {
                let then = self.solver.fresh_preferring(false);
                (self.demand(f), then)
            }
            Burden::Lacks(f) => {
                let had = self.solver.fresh();
                self.solver.clause([!self.first, !had]);
                let grants = self.solver.fresh_preferring(true);
                let here = self.demand(f);
                self.solver.clause([!grants, here]);
                (!had, !grants)
            }
        };
        self.carried.push(Carried { burden, now, then });
        index
    }

    pub(super) fn burden(&self, index: Index) -> Burden {
        self.carried[index as usize].burden
    }

    /// What a search in this direction assumes of the step where it stands: the first step (or the
    /// last), or a step that starts with all these burdens (that leaves none of them).
    pub(super) fn stand(&self, way: Way, cube: Option<&[Index]>, assumptions: &mut Vec<Lit>) {
        let edge = self.edge(way.reversed());
        let Some(cube) = cube else {
            assumptions.push(edge);
            return;
        };
        assumptions.push(!edge);
        assumptions.extend(cube.iter().map(|&index| self.inside(way, index)));
    }

    /// That the trace goes no further in this direction: the step is the last, or the first.
    pub(super) fn edge(&self, way: Way) -> Lit {
        match way {
            Way::Onward => !self.continues,
            Way::Back => self.first,
        }
    }

    /// What a cube with this burden assumes of it; see [`Way`].
    pub(super) fn inside(&self, way: Way, index: Index) -> Lit {
        let carried = self.carried[index as usize];
        match way {
            Way::Onward => carried.now,
            Way::Back => !carried.then,
        }
    }

    /// Where `guard` is true, the neighbour in this direction, if there is one, must not be in the
    /// cube.
    pub(super) fn avoid(&mut self, way: Way, guard: Lit, cube: &[Index]) {
        let edge = self.edge(way);
        let outside = cube.iter().map(|&index| {
            let carried = self.carried[index as usize];
            match way {
                Way::Onward => !carried.then,
                Way::Back => carried.now,
            }
        });
        self.solver
            .clause([!guard, edge].into_iter().chain(outside));
    }

    /// The cube of the neighbour in this direction, in the model that was found for a step that
    /// stands at `cube`.
    pub(super) fn neighbour(&self, way: Way, cube: Option<&[Index]>) -> Vec<Index> {
        match way {
            Way::Onward => (0..self.carried.len() as Index)
                .filter(|&index| self.solver.value(self.carried[index as usize].then))
                .collect(),
            Way::Back => {
                let possible = self.possible(cube);
                (0..)
                    .zip(&self.carried)
                    .filter(|(_, carried)| match carried.burden {
                        Burden::Owes(f) => !possible[f.index()][usize::from(f.is_negative())],
                        Burden::Lacks(_) => !self.solver.value(carried.now),
                    })
                    .map(|(index, _)| index)
                    .collect()
            }
        }
    }

    /// For each node in both readings, whether the step could have been demanded to satisfy it,
    /// too, with the letter and the reliance on the past of the model, and with no burden of `left`
    /// for the next step (no cube: as the last step). Never both readings of one node, so they
    /// could be demanded all at once.
    fn possible(&self, left: Option<&[Index]>) -> Vec<[bool; 2]> {
        let number = |burden: Burden| self.numbers.get(&burden);
        let last = left.is_none();
        let leaves = |f: Id| {
            left.is_some_and(|left| match f {
                Id::TT => true,
                Id::FF => false,
                _ => {
                    number(Burden::Owes(f)).is_some_and(|index| left.binary_search(index).is_err())
                }
            })
        };
        let first = self.solver.value(self.first);
        let relies = |f: Id| match f {
            Id::TT => !first,
            Id::FF => false,
            _ => number(Burden::Lacks(f))
                .is_some_and(|&index| !self.solver.value(self.carried[index as usize].now)),
        };
        let mut possible: Vec<[bool; 2]> = Vec::with_capacity(self.table.len());
        for node in 0..self.table.len() {
            let id = Id((node as u32) << 1);
            let of = |f: Id| possible[f.index()][usize::from(f.is_negative())];
            let pair = match self.table.kind(id) {
                Kind::True => [true, false],
                Kind::Atom(_) => {
                    let value = self.slots[node]
                        .0
                        .is_some_and(|variable| self.solver.value(variable));
                    [value, !value]
                }
                Kind::And(start, len) => {
                    let members = self.table.conjuncts(start, len);
                    [
                        members.iter().all(|&member| of(member)),
                        members.iter().any(|&member| of(member.negated())),
                    ]
                }
                Kind::Iff(a, b) => {
                    let (not_a, not_b) = (of(a.negated()), of(b.negated()));
                    let (a, b) = (of(a), of(b));
                    [a && b || not_a && not_b, a && not_b || not_a && b]
                }
                Kind::Step(Time::Future, a) => [leaves(a), last || leaves(a.negated())],
                Kind::Step(Time::Past, a) => [relies(a), first || relies(a.negated())],
                Kind::Until(time, a, b) => {
                    let (again, still) = match time {
                        Time::Future => (leaves(id), last || leaves(id.negated())),
                        Time::Past => (relies(id), first || relies(id.negated())),
                    };
                    [
                        of(b) || of(a) && again,
                        of(b.negated()) && (of(a.negated()) || still),
                    ]
                }
            };
            possible.push(pair);
        }
        possible
    }

    /// The step's letter in the model: these atoms, those that nothing asks about false.
    pub(super) fn letter(&self, atoms: &[(u32, Id)]) -> Letter {
        atoms
            .iter()
            .map(|&(atom, node)| {
                let variable = self.slots[node.index()].0;
                (
                    atom,
                    variable.is_some_and(|variable| self.solver.value(variable)),
                )
            })
            .collect()
    }

    fn demand(&mut self, f: Id) -> Lit {
        if f.positive() == Id::TT {
            return self.solver.truth() ^ f.is_negative();
        }
        let (variable, defined) = &mut self.slots[f.index()];
        let variable = *variable.get_or_insert_with(|| self.solver.fresh());
        if !std::mem::replace(&mut defined[usize::from(f.is_negative())], true)
            && !matches!(self.table.kind(f), Kind::Atom(_))
        {
            self.agenda.push(f);
        }
        variable ^ f.is_negative()
    }
}

impl Surroundings for Transition<'_> {
    fn here(&mut self, f: Id) -> Lit {
        self.demand(f)
    }

    fn next(&mut self, f: Id) -> Lit {
        if f.positive() == Id::TT {
            return self.solver.truth() ^ f.is_negative();
        }
        let index = self.number(Burden::Owes(f));
        self.carried[index as usize].then
    }

    fn continues(&mut self) -> Lit {
        self.continues
    }

    fn before(&mut self, f: Id) -> Lit {
        // "true held before" is "there is a step before".
        if f.positive() == Id::TT {
            return if f.is_negative() {
                !self.solver.truth()
            } else {
                !self.first
            };
        }
        let index = self.number(Burden::Lacks(f));
        !self.carried[index as usize].now
    }

    fn first(&mut self) -> Lit {
        self.first
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.clause(literals.iter().copied());
    }
}
