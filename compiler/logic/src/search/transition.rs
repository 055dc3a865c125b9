//! A single step of any trace, between the state that it starts in and the state that it leaves.
//!
//! A state is a set of burdens: formulas that an earlier step demands of this one, and formulas
//! that an earlier step did not grant to have held before. Fewer burdens are never harder to
//! satisfy, so a set of burdens that cannot be satisfied condemns all states that contain it.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes index tables of their number, burdens those that were made"
)]

use super::encoding::{Subformulas, Surroundings, define};
use super::solver::{Lit, Solver};
use crate::formula::{Id, Kind};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use rustc_hash::FxHashMap;

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

/// A burden's literals: that the step has it, that the next step has it.
#[derive(Clone, Copy)]
struct Carried {
    burden: Burden,
    now: Lit,
    then: Lit,
}

/// The clauses of one step.
pub(super) struct Transition<'t, 'l> {
    table: &'t Subformulas,
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

impl<'t, 'l> Transition<'t, 'l> {
    /// A step on which nothing is demanded yet.
    pub(super) fn new(table: &'t Subformulas, limits: &Limits<'l>) -> Self {
        let mut solver = Solver::new(limits);
        let continues = solver.fresh();
        let first = solver.fresh();
        Self {
            table,
            solver,
            slots: vec![(None, [false; 2]); table.len()],
            carried: Vec::new(),
            numbers: FxHashMap::default(),
            continues,
            first,
            agenda: Vec::new(),
        }
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
        let mut scratch = Vec::new();
        loop {
            self.solver.check()?;
            let Some(f) = self.agenda.pop() else {
                return Ok(());
            };
            let demand = self.demand(f);
            define(self.table, f, demand, self, &mut scratch);
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
                // At the last step nothing needs to be granted.
                self.solver.clause([!grants, !self.continues, here]);
                (!had, !grants)
            }
        };
        self.carried.push(Carried { burden, now, then });
        index
    }

    pub(super) fn burden(&self, index: Index) -> Burden {
        self.carried[index as usize].burden
    }

    /// That this step has the burden.
    pub(super) fn now(&self, index: Index) -> Lit {
        self.carried[index as usize].now
    }

    /// That the next step has the burden.
    pub(super) fn then(&self, index: Index) -> Lit {
        self.carried[index as usize].then
    }

    /// Where `guard` is true, the next step, if there is one, must not have all these burdens.
    pub(super) fn avoid(&mut self, guard: Lit, burdens: &[Index]) {
        let (continues, carried) = (self.continues, &self.carried);
        self.solver.clause(
            [!guard, !continues]
                .into_iter()
                .chain(burdens.iter().map(|&index| !carried[index as usize].then)),
        );
    }

    /// The burdens of the next step in the model, ascending.
    pub(super) fn successor(&self) -> Vec<Index> {
        (0..self.carried.len() as Index)
            .filter(|&index| self.solver.value(self.then(index)))
            .collect()
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

impl Surroundings for Transition<'_, '_> {
    fn here(&mut self, f: Id) -> Lit {
        self.demand(f)
    }

    fn next(&mut self, f: Id) -> Lit {
        if f.positive() == Id::TT {
            return self.solver.truth() ^ f.is_negative();
        }
        let index = self.number(Burden::Owes(f));
        self.then(index)
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
        !self.now(index)
    }

    fn first(&mut self) -> Lit {
        self.first
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.clause(literals.iter().copied());
    }
}
