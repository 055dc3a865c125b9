//! The SAT solver with our limits: batsat, whose stop callback asks for cancellation and counts
//! what is learned.

use crate::limits::{Error, Limits};
use batsat::{Callbacks, ClauseKind, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;

pub(super) use batsat::Lit;

/// What the solver asks while it works.
struct Watch<'l> {
    limits: Limits<'l>,
    /// Calls until cancellation is asked for again.
    patience: Cell<u32>,
    /// Why the work stopped. Sticky: the solver asks twice.
    stopped: Cell<Option<Error>>,
    /// Clauses learned so far.
    learned: u64,
    /// Variables and clauses that were put in.
    size: u64,
}

impl Watch<'_> {
    /// Calls of the callback (one a decision) between two questions for cancellation.
    const PATIENCE: u32 = 1 << 10;

    fn too_many(&self) -> bool {
        self.size + self.learned > self.limits.nodes as u64
    }

    fn ask(&self) -> Option<Error> {
        if self.too_many() {
            let limit = self.limits.nodes;
            return Some(Error::SearchTooLarge { limit });
        }
        let patience = self.patience.get();
        if patience > 0 {
            self.patience.set(patience - 1);
            return None;
        }
        self.patience.set(Self::PATIENCE);
        self.limits.check_cancelled().err()
    }
}

impl Callbacks for Watch<'_> {
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
        self.learned += 1;
    }

    fn stop(&self) -> bool {
        if self.stopped.get().is_none() {
            self.stopped.set(self.ask());
        }
        self.stopped.get().is_some()
    }
}

/// An incremental solver. Variables, clauses and learned clauses together may not be more than
/// [`Limits::nodes`].
pub(super) struct Solver<'l> {
    sat: batsat::Solver<Watch<'l>>,
    truth: Lit,
    buffer: Vec<Lit>,
}

impl<'l> Solver<'l> {
    pub(super) fn new(limits: &Limits<'l>) -> Self {
        let options = SolverOpts {
            // By default a third of the clauses, which is next to nothing for a small formula.
            min_learnts_lim: 2_000,
            ..SolverOpts::default()
        };
        let watch = Watch {
            limits: *limits,
            patience: Cell::new(0),
            stopped: Cell::new(None),
            learned: 0,
            size: 0,
        };
        let mut sat = batsat::Solver::new(options, watch);
        let truth = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![truth]);
        Self {
            sat,
            truth,
            buffer: Vec::new(),
        }
    }

    /// The literal that is true.
    pub(super) fn truth(&self) -> Lit {
        self.truth
    }

    /// A new variable, which the solver makes false while nothing speaks against it.
    pub(super) fn fresh(&mut self) -> Lit {
        self.sat.cb_mut().size += 1;
        Lit::new(self.sat.new_var_default(), true)
    }

    /// A new variable to which the solver always gives this value when it has the choice.
    pub(super) fn fresh_preferring(&mut self, value: bool) -> Lit {
        self.sat.cb_mut().size += 1;
        Lit::new(self.sat.new_var(lbool::new(value), true), true)
    }

    /// Adds a clause.
    pub(super) fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.sat.cb_mut().size += 1;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(literals);
        self.sat.add_clause_reuse(&mut buffer);
        self.buffer = buffer;
    }

    /// Whether the limits still allow to go on.
    ///
    /// # Errors
    ///
    /// They do not.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.sat.cb().ask() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Whether there is a model in which the assumptions hold.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled; the solver stays usable.
    pub(super) fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Error> {
        self.check()?;
        self.sat.cb_mut().stopped.set(None);
        let result = self.sat.solve_limited(assumptions);
        if result == lbool::TRUE {
            Ok(true)
        } else if result == lbool::FALSE {
            Ok(false)
        } else {
            Err(self.sat.cb().stopped.get().unwrap_or(Error::Cancelled))
        }
    }

    /// How many literals it has propagated so far.
    pub(super) fn propagations(&self) -> u64 {
        self.sat.num_propagations()
    }

    /// The literal's value in the model that was found.
    pub(super) fn value(&self, literal: Lit) -> bool {
        self.sat.value_lit(literal) == lbool::TRUE
    }

    /// Whether this assumption was used to show that there is no model.
    pub(super) fn failed(&self, assumption: Lit) -> bool {
        self.sat.unsat_core_contains_lit(!assumption)
    }
}
