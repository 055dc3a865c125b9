//! Bounded search: the trace unrolled step by step into one incremental SAT problem.
//!
//! Each member has a selector literal; "the trace goes on after step i" is a literal for each step,
//! so that a length is an assumption and what the solver learns at one length serves the next.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes index tables of their number, steps those that were opened"
)]

use super::encoding::{Subformulas, Surroundings, define};
use super::solver::{Lit, Solver};
use crate::formula::{Arena, Formula, Id};
use crate::limits::{Error, Limits};
use crate::ops::Letter;

/// The answer for one length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// A trace of that length that satisfies the members.
    Trace(Vec<Letter>),
    /// Members, ascending, that exclude all traces of that length.
    Excluded(Vec<usize>),
}

/// A node at a step: its variable, and which of its two readings are defined.
#[derive(Clone, Copy, Default)]
struct Slot {
    variable: Option<Lit>,
    defined: [bool; 2],
}

/// Which traces of a given length satisfy some of the members.
pub(crate) struct Bounded<'l> {
    table: Subformulas,
    unrolling: Unrolling<'l>,
    /// For each member that was asked for.
    selectors: Vec<Option<Lit>>,
    /// Formulas for every step, with the selector of the member that demands them.
    always: Vec<(Lit, Id)>,
    scratch: Vec<Lit>,
}

/// The steps so far.
struct Unrolling<'l> {
    solver: Solver<'l>,
    nodes: usize,
    /// One table of slots a step, among them that of the next step to open.
    slots: Vec<Vec<Slot>>,
    /// For each open step, that there is another after it.
    continues: Vec<Lit>,
    /// Demands to define at open steps.
    agenda: Vec<(usize, Id)>,
    /// Demands to define when the next step opens.
    ahead: Vec<Id>,
}

impl Unrolling<'_> {
    fn demand(&mut self, step: usize, f: Id) -> Lit {
        if f.positive() == Id::TT {
            return self.solver.truth() ^ f.is_negative();
        }
        let slot = &mut self.slots[step][f.index()];
        let variable = match slot.variable {
            Some(variable) => variable,
            None => {
                let variable = self.solver.fresh();
                slot.variable = Some(variable);
                variable
            }
        };
        if !std::mem::replace(&mut slot.defined[usize::from(f.is_negative())], true) {
            if step < self.continues.len() {
                self.agenda.push((step, f));
            } else {
                self.ahead.push(f);
            }
        }
        variable ^ f.is_negative()
    }

    /// Defines all that is demanded at open steps.
    fn settle(&mut self, table: &Subformulas, scratch: &mut Vec<Lit>) -> Result<(), Error> {
        loop {
            // Asked before anything is taken, so that nothing is lost by an error.
            self.solver.check()?;
            let Some((index, f)) = self.agenda.pop() else {
                return Ok(());
            };
            let demand = self.demand(index, f);
            let mut step = Step {
                unrolling: self,
                index,
            };
            define(table, f, demand, &mut step, scratch);
        }
    }
}

/// A step of the unrolling.
struct Step<'s, 'l> {
    unrolling: &'s mut Unrolling<'l>,
    index: usize,
}

impl Surroundings for Step<'_, '_> {
    fn here(&mut self, f: Id) -> Lit {
        self.unrolling.demand(self.index, f)
    }

    fn next(&mut self, f: Id) -> Lit {
        self.unrolling.demand(self.index + 1, f)
    }

    fn continues(&mut self) -> Lit {
        self.unrolling.continues[self.index]
    }

    fn before(&mut self, f: Id) -> Lit {
        match self.index.checked_sub(1) {
            Some(before) => self.unrolling.demand(before, f),
            None => !self.unrolling.solver.truth(),
        }
    }

    fn first(&mut self) -> Lit {
        self.unrolling.solver.truth() ^ (self.index > 0)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.unrolling.solver.clause(literals.iter().copied());
    }
}

impl<'l> Bounded<'l> {
    /// An engine for these members. Their formulas may have future operators under past ones.
    ///
    /// Variables, clauses and learned clauses together are bounded by [`Limits::nodes`].
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn new(
        arena: &Arena,
        members: &[Formula],
        limits: &Limits<'l>,
    ) -> Result<Self, Error> {
        limits.check_cancelled()?;
        let table = Subformulas::new(arena, members);
        let nodes = table.len();
        Ok(Self {
            table,
            unrolling: Unrolling {
                solver: Solver::new(limits),
                nodes,
                slots: vec![vec![Slot::default(); nodes]],
                continues: Vec::new(),
                agenda: Vec::new(),
                ahead: Vec::new(),
            },
            selectors: vec![None; members.len()],
            always: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// A trace of exactly `steps` steps, at least 1, that satisfies the active members, or some of
    /// them that exclude one of that length. Lengths may be asked in any order; ascending is best.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled. The engine stays usable.
    pub(crate) fn at_length(&mut self, active: &[usize], steps: usize) -> Result<Bound, Error> {
        let steps = steps.max(1);
        while self.unrolling.continues.len() < steps {
            self.open()?;
        }
        let mut assumptions = Vec::with_capacity(active.len() + 2);
        assumptions.push(!self.unrolling.continues[steps - 1]);
        if steps > 1 {
            assumptions.push(self.unrolling.continues[steps - 2]);
        }
        for &member in active {
            assumptions.push(self.selector(member));
        }
        self.unrolling.settle(&self.table, &mut self.scratch)?;
        if self.unrolling.solver.solve(&assumptions)? {
            return Ok(Bound::Trace(self.trace(active, steps)));
        }
        let mut excluded: Vec<usize> = active
            .iter()
            .copied()
            .filter(|&member| {
                self.selectors[member]
                    .is_some_and(|selector| self.unrolling.solver.failed(selector))
            })
            .collect();
        excluded.sort_unstable();
        excluded.dedup();
        Ok(Bound::Excluded(excluded))
    }

    /// Adds a step.
    fn open(&mut self) -> Result<(), Error> {
        let index = self.unrolling.continues.len();
        let continues = self.unrolling.solver.fresh();
        if let Some(&before) = self.unrolling.continues.last() {
            self.unrolling.solver.clause([!continues, before]);
        }
        self.unrolling.continues.push(continues);
        self.unrolling
            .slots
            .push(vec![Slot::default(); self.unrolling.nodes]);
        for f in std::mem::take(&mut self.unrolling.ahead) {
            self.unrolling.agenda.push((index, f));
        }
        for i in 0..self.always.len() {
            let (selector, f) = self.always[i];
            self.demand_always(selector, f, index);
        }
        self.unrolling.settle(&self.table, &mut self.scratch)
    }

    fn demand_always(&mut self, selector: Lit, f: Id, step: usize) {
        let demand = self.unrolling.demand(step, f);
        let exists = match step.checked_sub(1) {
            Some(before) => self.unrolling.continues[before],
            None => self.unrolling.solver.truth(),
        };
        self.unrolling.solver.clause([!selector, !exists, demand]);
    }

    fn selector(&mut self, member: usize) -> Lit {
        if let Some(selector) = self.selectors[member] {
            return selector;
        }
        let selector = self.unrolling.solver.fresh();
        self.selectors[member] = Some(selector);
        let demands = self.table.demands(self.table.roots()[member]);
        for f in demands.first {
            let demand = self.unrolling.demand(0, f);
            self.unrolling.solver.clause([!selector, demand]);
        }
        for f in demands.always {
            self.always.push((selector, f));
            for step in 0..self.unrolling.continues.len() {
                self.demand_always(selector, f, step);
            }
        }
        selector
    }

    /// The model as a trace: all atoms of the active members, those that nothing asks about false.
    fn trace(&self, active: &[usize], steps: usize) -> Vec<Letter> {
        let atoms = self.table.atoms(active);
        self.unrolling.slots[..steps]
            .iter()
            .map(|slots| {
                atoms
                    .iter()
                    .map(|&(atom, node)| {
                        let value = slots[node.index()]
                            .variable
                            .is_some_and(|variable| self.unrolling.solver.value(variable));
                        (atom, value)
                    })
                    .collect()
            })
            .collect()
    }
}
