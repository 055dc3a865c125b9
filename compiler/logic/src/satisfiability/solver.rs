//! The engines behind one question: is this subset of the members satisfiable?
//!
//! First each engine tries alone with a small effort that does not depend on time: what is decided
//! here, nearly everything that is not built to be hard, gives the same answer on every run. Then
//! the engines race, a thread each; the first answer wins and stops the others.

use super::gate::{Gate, Gated};
use super::lengths::{Effort, Lengths};
use super::problem::Problem;
use super::refinement::{Budget, Outcome, Refinement};
use super::set::Set;
use super::{Engine, Satisfiability, Traces, Verdict};
use crate::evaluate::Evaluator;
use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use crate::search::{Reach, Reachability};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

/// Products of one question may make this many times the nodes of the limit.
const TOTAL_NODES: usize = 8;
/// What one engine may use in a first attempt.
#[derive(Clone, Copy)]
struct Attempt {
    /// Nodes of all products together, and states of each automaton.
    nodes: usize,
    states: usize,
    /// How often a SAT engine may ask whether to go on, once in about a thousand decisions.
    asks: usize,
    bounded: Effort,
}

/// The first attempts: all engines with the first, then all with the second. Milliseconds each.
const ATTEMPTS: [Attempt; 2] = [
    Attempt {
        nodes: 8_000,
        states: 400,
        asks: 16,
        bounded: Effort {
            certify: 500,
            lengths: 16,
        },
    },
    Attempt {
        nodes: 60_000,
        states: 3_000,
        asks: 64,
        bounded: Effort {
            certify: 2_000,
            lengths: 64,
        },
    },
];
/// Some tenths of a second of one engine, where the others have given up and no race is wanted.
const LAST: Attempt = Attempt {
    asks: 4_096,
    ..ATTEMPTS[1]
};
/// What the bounded engine may use once it is not for a first attempt.
const WHOLE: Effort = Effort {
    certify: 40_000,
    lengths: usize::MAX,
};
/// The stack of a thread: diagrams are walked by recursion over at most [`Limits::ATOMS`] atoms.
const STACK: usize = 16 << 20;

/// Whether a subset can be satisfied, by any trace.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// All members that some trace satisfies, those of the subset among them.
    Satisfied(Set),
    /// Members of the subset that exclude each other, ascending.
    Excluded(Vec<usize>),
}

/// Answers for subsets of fixed members. What one question builds, the next ones use.
pub(crate) struct Solver<'l> {
    problem: Problem,
    on_empty: Vec<bool>,
    options: Satisfiability,
    limits: Gated<'l>,
    refinement: Refinement,
    lengths: Option<Lengths<'l>>,
    reachability: Option<Reachability<'l>>,
    /// Of the members as they were given.
    evaluator: Evaluator,
    /// Sets of members that some trace satisfies, with the trace, and sets that exclude each other.
    satisfied: Vec<Set>,
    traces: Vec<Vec<Letter>>,
    excluded: Vec<Set>,
    /// Which engine is asked first: the last that answered within the first attempts, if any did.
    first: Engine,
    pub(crate) checks: usize,
}

impl<'l> Solver<'l> {
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub(crate) fn new(
        arena: &Arena,
        members: &[Formula],
        options: &Satisfiability,
        limits: Gated<'l>,
    ) -> Result<Self, Error> {
        let evaluator = Evaluator::new(arena, members);
        let mut arena = arena.clone();
        let problem = Problem::new(&mut arena, members)?;
        let refinement = Refinement::new(arena, &problem);
        let on_empty: Vec<bool> = members.iter().map(|f| f.holds_on_empty_trace()).collect();
        let (satisfied, traces) = match options.traces {
            Traces::NonEmpty => (Vec::new(), Vec::new()),
            Traces::Any => (vec![set_of(&on_empty)], vec![Vec::new()]),
        };
        Ok(Self {
            problem,
            on_empty,
            options: *options,
            limits,
            refinement,
            lengths: None,
            reachability: None,
            evaluator,
            satisfied,
            traces,
            excluded: Vec::new(),
            first: Engine::Automata,
            checks: 0,
        })
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.on_empty.len()
    }

    /// Whether some trace satisfies these members (ascending indices), with a shortest one.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn decide(&mut self, active: &[usize]) -> Result<(Verdict, Engine), Error> {
        self.limits.caller.check_cancelled()?;
        if self.options.traces == Traces::Any && self.rejects_empty(active).is_none() {
            let trace = Vec::new();
            return Ok((Verdict::Satisfiable { trace }, Engine::Automata));
        }
        if let Some(trace) = self.shortest_at_hand(active) {
            return Ok((Verdict::Satisfiable { trace }, Engine::Bounded));
        }
        self.checks += 1;
        let parts = self.problem.parts_of(active);
        let (outcome, engine) = self.outcome(&parts)?;
        let verdict = match outcome {
            Outcome::Trace(trace) => {
                let satisfied = self.check(active, &trace)?;
                self.add(satisfied, &trace);
                Verdict::Satisfiable { trace }
            }
            Outcome::Excluded(parts) => {
                let core = self.core(active, &parts);
                self.excluded
                    .push(Set::of(self.len(), core.iter().copied()));
                Verdict::Unsatisfiable { core }
            }
        };
        Ok((verdict, engine))
    }

    /// Whether some trace satisfies these members; what is known already is not decided again.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn known(&mut self, active: &Set) -> Result<Known, Error> {
        if let Some(known) = self.at_hand(active) {
            return Ok(known);
        }
        match self.decide(&active.to_vec())?.0 {
            Verdict::Unsatisfiable { core } => Ok(Known::Excluded(core)),
            Verdict::Satisfiable { .. } => Ok(Known::Satisfied(
                self.witness(active).unwrap_or_else(|| active.clone()),
            )),
        }
    }

    /// The same without asking an engine.
    pub(crate) fn at_hand(&self, active: &Set) -> Option<Known> {
        let core = || self.excluded.iter().find(|core| core.is_subset(active));
        match self.witness(active) {
            Some(satisfied) => Some(Known::Satisfied(satisfied)),
            None => core().map(|core| Known::Excluded(core.to_vec())),
        }
    }

    /// Whether an engine has found, or finds, that these members exclude each other.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled.
    pub(crate) fn is_excluded(&mut self, members: &[usize]) -> Result<bool, Error> {
        let set = Set::of(self.len(), members.iter().copied());
        Ok(matches!(self.known(&set)?, Known::Excluded(_)))
    }

    /// Sets of members that some trace satisfies, in the order in which the traces were met.
    pub(crate) fn satisfied(&self) -> &[Set] {
        &self.satisfied
    }

    /// The most members that one known trace satisfies, those of `active` among them.
    fn witness(&self, active: &Set) -> Option<Set> {
        let fitting = self.satisfied.iter().filter(|set| active.is_subset(set));
        fitting.max_by_key(|set| set.len()).cloned()
    }

    /// Remembers which members a trace satisfies.
    pub(crate) fn remember(&mut self, trace: &[Letter]) {
        self.add(set_of(&self.evaluator.evaluate(trace)), trace);
    }

    fn add(&mut self, satisfied: Set, trace: &[Letter]) {
        let mut known = self.satisfied.iter().zip(&self.traces);
        if !known.any(|(set, old)| satisfied.is_subset(set) && old.len() <= trace.len()) {
            self.satisfied.push(satisfied);
            self.traces.push(trace.to_vec());
        }
    }

    /// A known trace that satisfies these members, if it is as short as the lengths allow that the
    /// bounded engine has excluded.
    fn shortest_at_hand(&self, active: &[usize]) -> Option<Vec<Letter>> {
        let lengths = self.lengths.as_ref()?;
        let set = Set::of(self.len(), active.iter().copied());
        let known = self.satisfied.iter().zip(&self.traces);
        let fitting = known.filter(|(satisfied, _)| set.is_subset(satisfied));
        let traces = fitting
            .map(|(_, trace)| trace)
            .filter(|trace| !trace.is_empty());
        let shortest = traces.min_by_key(|trace| trace.len())?;
        let open = lengths.first_open(&self.problem, &self.problem.parts_of(active));
        (shortest.len() <= open).then(|| shortest.clone())
    }

    /// The conjuncts that were multiplied, by the engine on automata.
    pub(crate) fn rounds(&self) -> usize {
        self.refinement.rounds
    }

    /// The most states of a minimal automaton.
    pub(crate) fn states(&self) -> usize {
        self.refinement.states
    }

    /// The largest length that the bounded engine looked at.
    pub(crate) fn longest(&self) -> usize {
        self.lengths.as_ref().map_or(0, |lengths| lengths.longest)
    }

    fn outcome(&mut self, parts: &[usize]) -> Result<(Outcome, Engine), Error> {
        let at_least = AtomicUsize::new(1);
        self.limits.gates.open();
        if let Some(engine) = self.options.engine {
            return Ok((self.alone(engine, parts, &at_least)?, engine));
        }
        let answer = match self.attempts(parts, &at_least)? {
            Some(answer) => answer,
            None => self.race(parts, &at_least)?,
        };
        self.first = answer.1;
        Ok(answer)
    }

    /// All engines in turn, with small efforts.
    fn attempts(
        &mut self,
        parts: &[usize],
        at_least: &AtomicUsize,
    ) -> Result<Option<(Outcome, Engine)>, Error> {
        let mut order = [Engine::Automata, Engine::Bounded, Engine::Reachability];
        order.sort_by_key(|&engine| engine != self.first);
        for attempt in &ATTEMPTS {
            for engine in order {
                if let Some(outcome) = self.attempt(engine, attempt, parts, at_least)? {
                    return Ok(Some((outcome, engine)));
                }
            }
        }
        Ok(None)
    }

    /// Whether some trace with a step satisfies all members, if that takes no great effort.
    ///
    /// # Errors
    ///
    /// The work is cancelled.
    pub(crate) fn satisfiable_soon(&mut self) -> Result<Option<bool>, Error> {
        let parts: Vec<usize> = (0..self.problem.parts.len()).collect();
        let at_least = AtomicUsize::new(1);
        let answer = match self.attempts(&parts, &at_least)? {
            Some((outcome, _)) => Some(outcome),
            None => self.attempt(Engine::Reachability, &LAST, &parts, &at_least)?,
        };
        Ok(answer.map(|outcome| matches!(outcome, Outcome::Trace(_))))
    }

    /// One engine with all that the limits allow.
    fn alone(
        &mut self,
        engine: Engine,
        parts: &[usize],
        at_least: &AtomicUsize,
    ) -> Result<Outcome, Error> {
        match engine {
            Engine::Automata => {
                let budget = whole(&self.limits.automata, at_least);
                self.refinement.decide(&self.problem, parts, &budget)
            }
            Engine::Bounded => {
                let (lengths, problem) = self.lengths()?;
                lengths.decide(problem, parts, at_least, WHOLE)
            }
            Engine::Reachability => reach(self.reachability()?, parts),
        }
    }

    /// One engine with a small effort; `None` if that is not enough.
    fn attempt(
        &mut self,
        engine: Engine,
        attempt: &Attempt,
        parts: &[usize],
        at_least: &AtomicUsize,
    ) -> Result<Option<Outcome>, Error> {
        let (gate, result): (&Gate, _) = match engine {
            Engine::Automata => {
                let limits = self.limits.automata;
                let budget = Budget {
                    limits: Limits {
                        states: limits.states.min(attempt.states),
                        nodes: limits.nodes.min(attempt.nodes),
                        ..limits
                    },
                    total_nodes: attempt.nodes,
                    candidates: 1,
                    at_least: Some(at_least),
                };
                let result = self.refinement.decide(&self.problem, parts, &budget);
                (&self.limits.gates.automata, result)
            }
            Engine::Bounded => {
                let gate = &self.limits.gates.bounded;
                gate.open_for(attempt.asks);
                let result = match self.lengths() {
                    Ok((lengths, problem)) => {
                        lengths.decide(problem, parts, at_least, attempt.bounded)
                    }
                    Err(error) => Err(error),
                };
                (gate, result)
            }
            Engine::Reachability => {
                let gate = &self.limits.gates.reachability;
                gate.open_for(attempt.asks);
                let result = match self.reachability() {
                    Ok(reachability) => reach(reachability, parts),
                    Err(error) => Err(error),
                };
                (gate, result)
            }
        };
        let stopped = gate.is_shut();
        gate.open();
        match result {
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) if error.is_limit() => Ok(None),
            Err(Error::Cancelled) if stopped => {
                self.limits.caller.check_cancelled()?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn lengths(&mut self) -> Result<(&mut Lengths<'l>, &Problem), Error> {
        let lengths = match self.lengths.take() {
            Some(lengths) => lengths,
            None => Lengths::new(self.refinement.arena(), &self.problem, &self.limits.bounded)?,
        };
        Ok((self.lengths.insert(lengths), &self.problem))
    }

    fn reachability(&mut self) -> Result<&mut Reachability<'l>, Error> {
        let reachability = match self.reachability.take() {
            Some(reachability) => reachability,
            None => {
                let parts = self.problem.parts.iter();
                let formulas: Vec<Formula> = parts.map(|part| part.formula).collect();
                let arena = self.refinement.arena();
                Reachability::new(arena, &formulas, &self.limits.reachability)?
            }
        };
        Ok(self.reachability.insert(reachability))
    }

    /// All engines at once, a thread each.
    fn race(
        &mut self,
        parts: &[usize],
        at_least: &AtomicUsize,
    ) -> Result<(Outcome, Engine), Error> {
        // An engine that is at its limits before it begins leaves the race to the others.
        for made in [self.lengths().err(), self.reachability().err()] {
            if let Some(error) = made.filter(|error| !error.is_limit()) {
                return Err(error);
            }
        }
        let gates = self.limits.gates;
        let budget = whole(&self.limits.automata, at_least);
        let (problem, refinement) = (&self.problem, &mut self.refinement);
        let (lengths, reachability) = (&mut self.lengths, &mut self.reachability);
        let results: Mutex<Vec<(Result<Outcome, Error>, Engine)>> = Mutex::default();
        let finish = |result: Result<Outcome, Error>, engine| {
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(result, Err(Error::Cancelled)) {
                // An error that more room would not mend is no reason to wait for others either.
                if !matches!(&result, Err(error) if error.is_limit()) {
                    gates.shut();
                }
                results.push((result, engine));
            }
        };
        let threads = std::thread::scope(|scope| {
            let bounded = || {
                if let Some(lengths) = lengths {
                    finish(
                        lengths.decide(problem, parts, at_least, WHOLE),
                        Engine::Bounded,
                    );
                }
            };
            let reachable = || {
                if let Some(reachability) = reachability {
                    finish(reach(reachability, parts), Engine::Reachability);
                }
            };
            // Without a thread of its own an engine does not take part.
            let thread = || std::thread::Builder::new().stack_size(STACK);
            let _ = thread().spawn_scoped(scope, bounded);
            let threads = thread().spawn_scoped(scope, reachable).is_ok();
            finish(refinement.decide(problem, parts, &budget), Engine::Automata);
            threads
        });
        gates.open();
        let mut failed = Error::Cancelled;
        for (result, engine) in results.into_inner().unwrap_or_else(PoisonError::into_inner) {
            match result {
                Ok(outcome) => return Ok((outcome, engine)),
                Err(error) => failed = error,
            }
        }
        self.limits.caller.check_cancelled()?;
        // Where there are no threads, the engines come one after the other.
        if !threads && failed.is_limit() {
            let outcome = reach(self.reachability()?, parts)?;
            return Ok((outcome, Engine::Reachability));
        }
        Err(failed)
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

    /// All members that a trace satisfies. No trace is given that the evaluator does not accept.
    fn check(&self, active: &[usize], trace: &[Letter]) -> Result<Set, Error> {
        let satisfied = set_of(&self.evaluator.evaluate(trace));
        if !trace.is_empty() && active.iter().all(|&m| satisfied.contains(m)) {
            Ok(satisfied)
        } else {
            Err(Error::Contradiction(
                "an engine gave a trace that violates a formula",
            ))
        }
    }
}

fn reach(engine: &mut Reachability<'_>, parts: &[usize]) -> Result<Outcome, Error> {
    Ok(match engine.decide(parts)? {
        Reach::Trace(trace) => Outcome::Trace(trace),
        Reach::Unsatisfiable(parts) => Outcome::Excluded(parts),
    })
}

fn set_of(values: &[bool]) -> Set {
    let members = values.iter().enumerate().filter(|(_, value)| **value);
    Set::of(values.len(), members.map(|(member, _)| member))
}

/// The automata engine's budget without a bound of our own.
fn whole<'a>(limits: &Limits<'a>, at_least: &'a AtomicUsize) -> Budget<'a> {
    Budget {
        limits: *limits,
        total_nodes: limits.nodes.saturating_mul(TOTAL_NODES),
        candidates: 3,
        at_least: Some(at_least),
    }
}
