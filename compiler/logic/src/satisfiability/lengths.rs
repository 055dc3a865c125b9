//! Bounded search from one length to the next, and what makes it complete for many unsatisfiable
//! sets: the conjuncts that exclude a length are candidates for a core, which automata certify.
//!
//! A candidate that has traces after all gives the length of its shortest one, below which the
//! whole set has none either: the search goes on there. (mus2muc certifies candidates of a bounded
//! engine with an engine for unbounded traces, too.)

use super::problem::Problem;
use super::refinement::{Budget, Outcome, Refinement};
use super::set::Set;
use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::search::{Bound, Bounded};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The engine. What it learns about lengths serves later calls.
pub(crate) struct Lengths<'l> {
    bounded: Bounded<'l>,
    limits: Limits<'l>,
    certifier: Refinement,
    /// For each length from 1 on, sets of conjuncts that exclude it.
    excluded: Vec<Vec<Set>>,
    /// Candidates that were too large to certify.
    too_large: Vec<TooLarge>,
    /// The largest length that was looked at.
    pub(crate) longest: usize,
}

/// What one call may use, beside what the limits say.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Nodes of the automata that certify a candidate.
    pub(crate) certify: usize,
    /// How many lengths may be looked at.
    pub(crate) lengths: usize,
}

/// A candidate that did not fit, and what would be worth another attempt.
struct TooLarge {
    candidate: Set,
    nodes: usize,
    length: usize,
}

impl<'l> Lengths<'l> {
    pub(crate) fn new(
        arena: &Arena,
        problem: &Problem,
        limits: &Limits<'l>,
    ) -> Result<Self, Error> {
        let formulas: Vec<Formula> = problem.parts.iter().map(|part| part.formula).collect();
        Ok(Self {
            bounded: Bounded::new(arena, &formulas, limits)?,
            limits: *limits,
            certifier: Refinement::new(arena.clone(), problem),
            excluded: Vec::new(),
            too_large: Vec::new(),
            longest: 0,
        })
    }

    /// Decides the conjunction of the conjuncts `active`; for some unsatisfiable sets this never
    /// ends. No trace is shorter than `at_least`, which others may raise meanwhile.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn decide(
        &mut self,
        problem: &Problem,
        active: &[usize],
        at_least: &AtomicUsize,
        effort: Effort,
    ) -> Result<Outcome, Error> {
        let bound = problem.parts.len();
        let all = Set::of(bound, active.iter().copied());
        for _ in 0..effort.lengths {
            self.limits.check_cancelled()?;
            let steps = self.unknown(&all, at_least.load(Ordering::Relaxed));
            self.longest = self.longest.max(steps);
            let candidate = match self.bounded.at_length(active, steps)? {
                Bound::Trace(trace) => return Ok(Outcome::Trace(trace)),
                Bound::Excluded(parts) => Set::of(bound, parts),
            };
            let next = match self.certify(problem, &candidate, steps, effort.certify)? {
                Some(Outcome::Excluded(parts)) => return Ok(Outcome::Excluded(parts)),
                Some(Outcome::Trace(trace)) => trace.len().max(steps + 1),
                None => steps + 1,
            };
            self.remember(steps..next, &candidate);
            at_least.fetch_max(next, Ordering::Relaxed);
        }
        // Only a first attempt has so few lengths; it asks no more than whether this is a limit.
        Err(Error::SearchTooLarge {
            limit: effort.lengths,
        })
    }

    /// The first length that is not known to be excluded by some of the conjuncts `active`.
    pub(crate) fn first_open(&self, problem: &Problem, active: &[usize]) -> usize {
        let all = Set::of(problem.parts.len(), active.iter().copied());
        self.unknown(&all, 1)
    }

    /// The first length from `steps` on that no conjuncts of `all` are known to exclude.
    fn unknown(&self, all: &Set, steps: usize) -> usize {
        let lengths = self.excluded.iter().skip(steps);
        let known = lengths.take_while(|sets| sets.iter().any(|set| set.is_subset(all)));
        steps + known.count()
    }

    fn remember(&mut self, lengths: Range<usize>, set: &Set) {
        if self.excluded.len() < lengths.end {
            self.excluded.resize(lengths.end, Vec::new());
        }
        for sets in self
            .excluded
            .iter_mut()
            .take(lengths.end)
            .skip(lengths.start)
        {
            sets.push(set.clone());
        }
    }

    /// What automata within a small budget say of a candidate.
    fn certify(
        &mut self,
        problem: &Problem,
        candidate: &Set,
        steps: usize,
        nodes: usize,
    ) -> Result<Option<Outcome>, Error> {
        let hopeless = |old: &TooLarge| {
            old.nodes >= nodes && steps < old.length && old.candidate.is_subset(candidate)
        };
        if self.too_large.iter().any(hopeless) {
            return Ok(None);
        }
        let budget = Budget {
            limits: Limits {
                states: self.limits.states.min(nodes / 8),
                nodes: self.limits.nodes.min(nodes),
                ..self.limits
            },
            total_nodes: nodes,
            candidates: 1,
            at_least: None,
        };
        match self.certifier.decide(problem, &candidate.to_vec(), &budget) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) if error.is_limit() => {
                // Again at a much greater length only, so that it costs little in the long run.
                self.too_large.push(TooLarge {
                    candidate: candidate.clone(),
                    nodes,
                    length: steps * 4,
                });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
