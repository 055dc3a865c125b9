//! Lazy conjunction refinement: the automata engine.
//!
//! Kept are some of the conjuncts and the minimal automaton of their conjunction. Its shortest
//! accepted trace (atoms that do not matter are false) is evaluated on the other conjuncts, which
//! need no automata for that. If all hold, they are satisfiable together, and the trace is shortest
//! for all: it is shortest for some. Otherwise one conjunct that the trace violates joins, its
//! automaton is multiplied in, and the product minimised. Once the product is empty, the conjuncts
//! that were taken exclude each other.

use super::problem::Problem;
use super::word::shortest;
use crate::automaton::{Automaton, Goal, minimise, product};
use crate::diagram::Op;
use crate::evaluate::Evaluator;
use crate::formula::{Arena, Formula, Id};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use crate::translate::{self, Levels};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What came out for some conjuncts.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// A shortest trace that satisfies all.
    Trace(Vec<Letter>),
    /// Conjuncts that exclude each other.
    Excluded(Vec<usize>),
}

/// What one call may use.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    pub(crate) limits: Limits<'a>,
    /// Nodes of all products together.
    pub(crate) total_nodes: usize,
    /// How many conjuncts may be tried, of those that a trace violates, before one fits the limits.
    pub(crate) candidates: usize,
    /// Where to tell others how long a trace is at least.
    pub(crate) at_least: Option<&'a AtomicUsize>,
}

/// The engine. It keeps the automata of conjuncts from one call to the next.
pub(crate) struct Refinement {
    arena: Arena,
    levels: Levels,
    pieces: FxHashMap<Id, Arc<Automaton>>,
    /// The conjuncts of the last call, for evaluation.
    evaluator: Option<(Vec<usize>, Arc<Evaluator>)>,
    /// Conjuncts that were multiplied in, in all calls.
    pub(crate) rounds: usize,
    /// The most states of a minimal automaton in between.
    pub(crate) states: usize,
}

impl Refinement {
    /// `arena` holds the conjuncts of `problem`, which is the same in all calls.
    pub(crate) fn new(arena: Arena, problem: &Problem) -> Self {
        let levels = Levels::joint(&arena, problem.parts.iter().map(|part| part.formula.id()));
        Self {
            arena,
            levels,
            pieces: FxHashMap::default(),
            evaluator: None,
            rounds: 0,
            states: 0,
        }
    }

    /// The arena of the conjuncts, and what translation added.
    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Decides the conjunction of the conjuncts `active`.
    ///
    /// # Errors
    ///
    /// The budget is reached, or the work is cancelled.
    pub(crate) fn decide(
        &mut self,
        problem: &Problem,
        active: &[usize],
        budget: &Budget<'_>,
    ) -> Result<Outcome, Error> {
        let evaluator = self.evaluator(problem, active);
        let mut kept = Kept {
            automaton: Automaton::constant(true),
            atoms: Vec::new(),
            parts: Vec::new(),
        };
        let mut spent = 0usize;
        loop {
            budget.limits.check_cancelled()?;
            let Some(trace) = shortest(&kept.automaton, &self.levels) else {
                return Ok(Outcome::Excluded(kept.parts));
            };
            if let Some(at_least) = budget.at_least {
                at_least.fetch_max(trace.len(), Ordering::Relaxed);
            }
            let holds = evaluator.evaluate(&trace);
            let violated = active.iter().zip(&holds).filter(|(_, holds)| !**holds);
            let mut violated: Vec<usize> = violated.map(|(&part, _)| part).collect();
            if violated.is_empty() {
                return Ok(Outcome::Trace(trace));
            }
            violated.sort_by_key(|&part| kept.cost(problem, part));
            self.join(problem, &mut kept, &violated, budget, &mut spent)?;
        }
    }

    /// Multiplies in the first of the candidates that stays within the budget.
    fn join(
        &mut self,
        problem: &Problem,
        kept: &mut Kept,
        candidates: &[usize],
        budget: &Budget<'_>,
        spent: &mut usize,
    ) -> Result<(), Error> {
        let mut failed = Error::TooManyNodes {
            limit: budget.total_nodes,
        };
        for &part in candidates.iter().take(budget.candidates) {
            let Some(one) = problem.parts.get(part) else {
                continue;
            };
            let joined = merged(&kept.atoms, &one.atoms);
            if joined.len() > Limits::ATOMS {
                failed = Error::TooManyAtoms {
                    limit: Limits::ATOMS,
                };
                continue;
            }
            let left = Limits {
                nodes: budget.limits.nodes.min(budget.total_nodes - *spent),
                ..budget.limits
            };
            match self.multiply(&kept.automaton, one.formula.id(), &left) {
                Ok((automaton, nodes)) => {
                    *spent = spent.saturating_add(nodes).min(budget.total_nodes);
                    self.rounds += 1;
                    self.states = self.states.max(automaton.roots.len());
                    kept.automaton = automaton;
                    kept.atoms = joined;
                    kept.parts.push(part);
                    return Ok(());
                }
                Err(error) if error.is_limit() => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    /// The minimal product, and the nodes that it had before.
    fn multiply(
        &mut self,
        kept: &Automaton,
        part: Id,
        limits: &Limits<'_>,
    ) -> Result<(Automaton, usize), Error> {
        let piece = self.piece(part, limits)?;
        if kept.accepts_all() {
            return Ok(((*piece).clone(), piece.nodes.len()));
        }
        let (result, _) = product(kept, &piece, Op::And, Goal::Everything, limits)?;
        Ok((minimise(&result, limits)?, result.nodes.len()))
    }

    /// The minimal automaton of one conjunct.
    fn piece(&mut self, part: Id, limits: &Limits<'_>) -> Result<Arc<Automaton>, Error> {
        if let Some(known) = self.pieces.get(&part) {
            return Ok(Arc::clone(known));
        }
        let made = translate::automaton(&mut self.arena, part, &self.levels, limits)?;
        let made = Arc::new(made);
        self.pieces.insert(part, Arc::clone(&made));
        Ok(made)
    }

    fn evaluator(&mut self, problem: &Problem, active: &[usize]) -> Arc<Evaluator> {
        if let Some((last, evaluator)) = &self.evaluator
            && last == active
        {
            return Arc::clone(evaluator);
        }
        let parts = active.iter().filter_map(|&part| problem.parts.get(part));
        let formulas: Vec<Formula> = parts.map(|part| part.formula).collect();
        let evaluator = Arc::new(Evaluator::new(&self.arena, &formulas));
        self.evaluator = Some((active.to_vec(), Arc::clone(&evaluator)));
        evaluator
    }
}

/// The conjuncts taken so far.
struct Kept {
    automaton: Automaton,
    /// Their atoms, sorted.
    atoms: Vec<u32>,
    parts: Vec<usize>,
}

impl Kept {
    /// What to take first: a conjunct that shares atoms with what is kept (others only multiply),
    /// brings few new ones, and is small.
    fn cost(&self, problem: &Problem, part: usize) -> (bool, usize, usize, usize) {
        let Some(one) = problem.parts.get(part) else {
            return (true, usize::MAX, 0, part);
        };
        let shared = one
            .atoms
            .iter()
            .filter(|atom| self.atoms.binary_search(atom).is_ok())
            .count();
        (
            shared == 0 && !one.atoms.is_empty(),
            one.atoms.len() - shared,
            one.size,
            part,
        )
    }
}

/// Both sorted lists in one, each entry once.
pub(crate) fn merged(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
