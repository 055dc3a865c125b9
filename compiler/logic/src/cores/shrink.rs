//! From members that exclude each other to a minimal core among them.
//!
//! A trace that satisfies all of them but one shows that this one is needed, whoever found the
//! trace; so every trace is remembered, and what it is worth is read off before an engine is asked.

use crate::limits::Error;
use crate::ops::Letter;
use crate::satisfiability::{Known, Set, Solver, Verdict};

/// Above this many members, whole halves are tried first.
const HALVES: usize = 32;
/// Steps of traces that may be evaluated to learn more from one trace.
const ROTATION: usize = 20_000;

/// A minimal core within `core`, ascending.
///
/// # Errors
///
/// A limit is reached, or the work is cancelled.
pub(super) fn shrink(solver: &mut Solver<'_>, core: Vec<usize>) -> Result<Vec<usize>, Error> {
    let mut work = Shrink {
        core: Set::of(solver.len(), core),
        needed: Set::of(solver.len(), []),
        seen: 0,
        solver,
    };
    work.read();
    if work.core.len() > HALVES {
        work.halve()?;
    }
    work.delete()?;
    Ok(work.core.to_vec())
}

struct Shrink<'s, 'l> {
    solver: &'s mut Solver<'l>,
    core: Set,
    /// Members without which the rest of `core` is satisfiable. That stays so when `core` shrinks.
    needed: Set,
    /// How many of the solver's traces were read.
    seen: usize,
}

impl Shrink<'_, '_> {
    /// Notes which members are needed by the traces known so far.
    fn read(&mut self) {
        for satisfied in self.solver.satisfied().iter().skip(self.seen) {
            if let Some(member) = self.core.only_one_outside(satisfied) {
                self.needed.insert(member);
            }
        }
        self.seen = self.solver.satisfied().len();
    }

    /// Whether these members exclude each other; if so, a core of them.
    fn excluded(&mut self, members: &Set) -> Result<Option<Vec<usize>>, Error> {
        match self.solver.at_hand(members) {
            Some(Known::Satisfied(_)) => return Ok(None),
            Some(Known::Excluded(core)) => return Ok(Some(core)),
            None => {}
        }
        match self.solver.decide(&members.to_vec())?.0 {
            Verdict::Unsatisfiable { core } => Ok(Some(core)),
            Verdict::Satisfiable { trace } => {
                self.rotate(&trace);
                self.read();
                Ok(None)
            }
        }
    }

    /// What a trace violates, a trace close to it often violates elsewhere: its beginnings. (Model
    /// rotation, Belov and Marques-Silva 2011, for traces.)
    fn rotate(&mut self, trace: &[Letter]) {
        if self.core.len() <= 4 || trace.len() * trace.len() > ROTATION {
            return;
        }
        for length in 1..trace.len() {
            if let Some(beginning) = trace.get(..length) {
                self.solver.remember(beginning);
            }
        }
    }

    /// Tries to do without each member in turn.
    fn delete(&mut self) -> Result<(), Error> {
        // Of a chain written from its start, the last link gives the longest trace, whose beginnings
        // speak for the others.
        for member in self.core.to_vec().into_iter().rev() {
            if !self.core.contains(member) || self.needed.contains(member) {
                continue;
            }
            let mut rest = self.core.clone();
            rest.remove(member);
            match self.excluded(&rest)? {
                Some(smaller) => {
                    self.core = Set::of(self.solver.len(), smaller);
                    // Of a smaller core, more traces may miss only one.
                    self.seen = 0;
                    self.read();
                }
                None => self.needed.insert(member),
            }
        }
        Ok(())
    }

    /// QuickXplain (Junker, "QUICKXPLAIN: preferred explanations and relaxations for
    /// over-constrained problems", AAAI 2004) over the members that are not known to be needed.
    fn halve(&mut self) -> Result<(), Error> {
        let open = |work: &Self| -> Vec<usize> {
            let open = work.core.iter().filter(|&m| !work.needed.contains(m));
            open.collect()
        };
        let mut background = self.needed.clone();
        let candidates = open(self);
        let kept = self.explain(&mut background, false, &candidates)?;
        let mut core = background;
        core.union_with(&Set::of(self.solver.len(), kept));
        self.core = core;
        self.seen = 0;
        self.read();
        Ok(())
    }

    /// A minimal set of candidates that excludes all traces together with the background, which may
    /// grow by candidates that turn out to be needed.
    fn explain(
        &mut self,
        background: &mut Set,
        grown: bool,
        candidates: &[usize],
    ) -> Result<Vec<usize>, Error> {
        if grown && self.excluded(background)?.is_some() {
            return Ok(Vec::new());
        }
        // What was found to be needed meanwhile needs no questions.
        let (sure, open): (Vec<usize>, Vec<usize>) =
            candidates.iter().partition(|&&m| self.needed.contains(m));
        if open.is_empty() || candidates.len() == 1 {
            return Ok(candidates.to_vec());
        }
        if !sure.is_empty() {
            let mut with = background.clone();
            with.union_with(&Set::of(self.solver.len(), sure.iter().copied()));
            // Whether these alone exclude all is seen at the end, one by one.
            let mut kept = self.explain(&mut with, false, &open)?;
            kept.extend(sure);
            return Ok(kept);
        }
        let (left, right) = open.split_at(open.len() / 2);
        let with = |set: &Set, more: &[usize], n: usize| {
            let mut with = set.clone();
            with.union_with(&Set::of(n, more.iter().copied()));
            with
        };
        let n = self.solver.len();
        let mut both = with(background, left, n);
        let right = self.explain(&mut both, true, right)?;
        let mut both = with(background, &right, n);
        let left = self.explain(&mut both, !right.is_empty(), left)?;
        Ok([left, right].concat())
    }
}
