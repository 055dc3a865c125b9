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

/// Makes of `core`, ascending members that exclude each other, a minimal one.
///
/// # Errors
///
/// A limit is reached, or the work is cancelled; `core` is then as small as it had become.
pub(super) fn shrink(solver: &mut Solver<'_>, core: &mut Vec<usize>) -> Result<(), Error> {
    let mut work = Shrink {
        core: Set::of(solver.len(), core.iter().copied()),
        needed: Set::of(solver.len(), []),
        seen: 0,
        solver,
    };
    let done = work.run();
    *core = work.core.to_vec();
    done
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
    fn run(&mut self) -> Result<(), Error> {
        self.read();
        if self.core.len() > HALVES {
            self.halve()?;
        }
        self.delete()
    }

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
        let open = self.core.iter().filter(|&m| !self.needed.contains(m));
        let candidates: Vec<usize> = open.collect();
        let background = self.needed.clone();
        let kept = self.explain(&background, false, &candidates)?;
        let core = self.with(&background, &kept);
        self.core = core;
        self.seen = 0;
        self.read();
        Ok(())
    }

    /// Candidates that exclude all traces together with the background, as all of them do. `grown`:
    /// the background was added to since that was last asked, and may do without any.
    fn explain(
        &mut self,
        background: &Set,
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
            // Whether these alone exclude all is seen at the end, one by one.
            let mut kept = self.explain(&self.with(background, &sure), false, &open)?;
            kept.extend(sure);
            return Ok(kept);
        }
        let (left, right) = open.split_at(open.len() / 2);
        let right = self.explain(&self.with(background, left), true, right)?;
        let left = self.explain(&self.with(background, &right), !right.is_empty(), left)?;
        Ok([left, right].concat())
    }

    fn with(&self, set: &Set, more: &[usize]) -> Set {
        let mut with = set.clone();
        for &member in more {
            with.insert(member);
        }
        with
    }
}
