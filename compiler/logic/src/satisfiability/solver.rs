//! The engines behind one question: is this subset of the members satisfiable?

use super::problem::Problem;
use super::refinement::{Budget, Outcome, Refinement};
use super::{Engine, Satisfiability, Traces, Verdict};
use crate::evaluate::Evaluator;
use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;

/// Products of one question may make this many times the nodes of the limit.
const TOTAL_NODES: usize = 8;

/// Answers for subsets of fixed members. What one question builds, the next ones use.
pub(crate) struct Solver {
    problem: Problem,
    on_empty: Vec<bool>,
    options: Satisfiability,
    refinement: Refinement,
    /// Of the members as they were given.
    evaluator: Evaluator,
}

impl Solver {
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub(crate) fn new(
        arena: &Arena,
        members: &[Formula],
        options: &Satisfiability,
    ) -> Result<Self, Error> {
        let evaluator = Evaluator::new(arena, members);
        let mut arena = arena.clone();
        let problem = Problem::new(&mut arena, members)?;
        let refinement = Refinement::new(arena, &problem);
        Ok(Self {
            problem,
            on_empty: members.iter().map(|f| f.holds_on_empty_trace()).collect(),
            options: *options,
            refinement,
            evaluator,
        })
    }

    /// Whether some trace satisfies these members (ascending indices).
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn decide(
        &mut self,
        active: &[usize],
        limits: &Limits<'_>,
    ) -> Result<(Verdict, Engine), Error> {
        limits.check_cancelled()?;
        if self.options.traces == Traces::Any && self.rejects_empty(active).is_none() {
            let trace = Vec::new();
            return Ok((Verdict::Satisfiable { trace }, Engine::Automata));
        }
        let parts = self.problem.parts_of(active);
        let budget = Budget {
            limits: *limits,
            total_nodes: limits.nodes.saturating_mul(TOTAL_NODES),
        };
        let outcome = self.refinement.decide(&self.problem, &parts, &budget)?;
        let verdict = match outcome {
            Outcome::Trace(trace) => {
                self.check(active, &trace)?;
                Verdict::Satisfiable { trace }
            }
            Outcome::Excluded(parts) => Verdict::Unsatisfiable {
                core: self.core(active, &parts),
            },
        };
        Ok((verdict, Engine::Automata))
    }

    /// The members that the trace satisfies.
    pub(crate) fn satisfied(&self, trace: &[Letter]) -> Vec<bool> {
        self.evaluator.evaluate(trace)
    }

    pub(crate) fn rounds(&self) -> usize {
        self.refinement.rounds
    }

    pub(crate) fn states(&self) -> usize {
        self.refinement.states
    }

    /// The first member that the empty trace violates.
    fn rejects_empty(&self, members: &[usize]) -> Option<usize> {
        let rejects = |&m: &usize| self.on_empty.get(m) == Some(&false);
        members.iter().copied().find(rejects)
    }

    /// The members of conjuncts that exclude each other, and one that excludes the empty trace
    /// where it counts.
    fn core(&self, active: &[usize], parts: &[usize]) -> Vec<usize> {
        let mut core = self.problem.members_of(parts);
        if self.options.traces == Traces::Any
            && self.rejects_empty(&core).is_none()
            && let Some(member) = self.rejects_empty(active)
        {
            core.push(member);
            core.sort_unstable();
        }
        core
    }

    /// No trace is given that the evaluator does not accept.
    fn check(&self, active: &[usize], trace: &[Letter]) -> Result<(), Error> {
        let holds = self.satisfied(trace);
        if active.iter().all(|&m| holds.get(m) == Some(&true)) && !trace.is_empty() {
            Ok(())
        } else {
            Err(Error::Contradiction(
                "an engine gave a trace that violates a formula",
            ))
        }
    }
}
