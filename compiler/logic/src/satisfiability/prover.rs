//! Ever new questions about formulas of one arena that grows.
//!
//! [`super::satisfiable`] begins anew with every question. A prover keeps what it made: the automata of conjuncts, an
//! evaluator of all formulas that were asked for, and the products of the last question, which serve the next one as
//! far as it has the same conjuncts. Its time is spent on the formulas that a trace violates, however many others
//! there are.
//!
//! Where the common product of many conjuncts is hopeless, each of them may be easy: [`super::repair`] mends a trace
//! for one after the other.

use super::refinement::merged;
use super::word::shortest;
use super::{Satisfiability, Traces, Verdict, satisfiable};
use crate::automaton::{Automaton, Goal, minimise, product};
use crate::diagram::Op;
use crate::evaluate::Evaluator;
use crate::formula::{Arena, Formula, Id};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use crate::translate::{self, Levels};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Nodes of the products of a question, beyond which other engines are asked.
const NODES: usize = 4_000_000;
/// States of one product, beyond which other engines are asked.
const STATES: usize = 6_000;
/// Up to so many conjuncts a shortest trace is looked for at once.
const FEW: usize = 24;
/// Conjuncts that are tried before the budget is said to be too small.
const CANDIDATES: usize = 3;

/// One conjunct.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) formula: Formula,
    size: usize,
    /// Sorted.
    atoms: Vec<u32>,
    /// Of this one alone, once it was asked for.
    pub(super) evaluator: Option<Arc<Evaluator>>,
}

/// A product of some conjuncts.
#[derive(Clone)]
struct Kept {
    automaton: Arc<Automaton>,
    /// Sorted.
    atoms: Arc<Vec<u32>>,
}

/// Decides questions about formulas of an arena, which is the same in all calls.
pub struct Prover {
    pub(super) levels: Levels,
    /// How many nodes of the arena were looked through for atoms.
    seen: usize,
    /// The conjuncts of each formula that was asked for.
    members: FxHashMap<Formula, Arc<[usize]>>,
    pub(super) parts: Vec<Part>,
    numbers: FxHashMap<Id, usize>,
    /// Of all parts.
    evaluator: Evaluator,
    rows: FxHashMap<Id, u32>,
    pieces: FxHashMap<Id, Arc<Automaton>>,
    /// The conjuncts that were multiplied last, with the product up to each.
    stack: Vec<(usize, Kept)>,
    /// Shortest traces of a conjunct in which a letter occurs.
    pub(super) around: FxHashMap<(Letter, usize), Option<Vec<Letter>>>,
    /// Traces to try first, each with the values of the first so many parts.
    remembered: Vec<(Vec<Letter>, Vec<bool>)>,
}

impl Default for Prover {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Prover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prover")
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

/// How much is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A shortest trace.
    Shortest,
    /// Any trace.
    Any,
    /// Any trace, if it takes no great effort.
    Soon,
}

/// The question at hand.
pub(super) struct Question<'q> {
    /// The conjuncts, each once.
    pub(super) active: Vec<usize>,
    pub(super) limits: &'q Limits<'q>,
    /// Nodes that products may still make.
    pub(super) nodes: usize,
    pub(super) states: usize,
}

/// What became of a question.
pub(super) enum Outcome {
    Trace(Vec<Letter>),
    Excluded(Vec<usize>),
}

impl Prover {
    /// One that knows nothing yet.
    pub fn new() -> Self {
        Self {
            levels: Levels::none(),
            seen: 0,
            members: FxHashMap::default(),
            parts: Vec::new(),
            numbers: FxHashMap::default(),
            evaluator: Evaluator::growing(),
            rows: FxHashMap::default(),
            pieces: FxHashMap::default(),
            stack: Vec::new(),
            around: FxHashMap::default(),
            remembered: Vec::new(),
        }
    }

    /// Whether some trace, the empty one included, satisfies all members. The trace is a shortest one if that is
    /// wanted; it has been checked by evaluation for every member. Else ascending indices of
    /// members that exclude each other.
    ///
    /// # Errors
    ///
    /// A limit is reached, the work is cancelled, or a member has a future operator under a past one.
    pub fn decide(
        &mut self,
        arena: &mut Arena,
        members: &[Formula],
        effort: Effort,
        limits: &Limits<'_>,
    ) -> Result<Verdict, Error> {
        limits.check_cancelled()?;
        let rejects_empty = members.iter().position(|f| !f.holds_on_empty_trace());
        if rejects_empty.is_none() {
            return Ok(Verdict::Satisfiable { trace: Vec::new() });
        }
        let mut active = Vec::new();
        let mut listed = FxHashSet::default();
        for &member in members {
            let parts = self.parts_of(arena, member)?;
            active.extend(parts.iter().copied().filter(|part| listed.insert(*part)));
        }
        self.see(arena);
        let mut question = Question {
            active,
            limits,
            nodes: NODES,
            states: STATES,
        };
        let repaired = if effort == Effort::Shortest && question.active.len() < FEW {
            None
        } else {
            self.repair(arena, &question)?
        };
        let outcome = match repaired {
            Some(Outcome::Trace(_)) | None if effort == Effort::Shortest => None,
            other => other,
        };
        let outcome = match outcome {
            Some(outcome) => outcome,
            None if effort == Effort::Soon => {
                return Err(Error::SearchTooLarge { limit: NODES });
            }
            None => match self.refine(arena, &mut question) {
                Err(error) if error.is_limit() => self.others(arena, &question)?,
                other => other?,
            },
        };
        Ok(match outcome {
            Outcome::Trace(trace) => Verdict::Satisfiable { trace },
            Outcome::Excluded(parts) => {
                let mut parts: FxHashSet<usize> = parts.into_iter().collect();
                let mut core = Vec::new();
                for (index, member) in members.iter().enumerate() {
                    let own = self.members.get(member).map_or(&[][..], |own| own);
                    // A part of several members is laid to the first.
                    if own.iter().filter(|part| parts.remove(part)).count() > 0 {
                        core.push(index);
                    }
                }
                // The empty trace is one too.
                let empty = |index: &usize| {
                    members
                        .get(*index)
                        .is_some_and(|f| f.holds_on_empty_trace())
                };
                if core.iter().all(empty)
                    && let Some(index) = rejects_empty
                {
                    core.push(index);
                    core.sort_unstable();
                }
                Verdict::Unsatisfiable { core }
            }
        })
    }

    /// Which of the members a trace satisfies.
    ///
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub fn satisfied(
        &mut self,
        arena: &mut Arena,
        members: &[Formula],
        trace: &[Letter],
    ) -> Result<Vec<bool>, Error> {
        let mut of_members = Vec::with_capacity(members.len());
        for &member in members {
            of_members.push(self.parts_of(arena, member)?);
        }
        if trace.is_empty() {
            return Ok(members.iter().map(|f| f.holds_on_empty_trace()).collect());
        }
        let values = self.evaluator.evaluate(trace);
        let holds = |part: &usize| values.get(*part).copied().unwrap_or(false);
        Ok(of_members
            .into_iter()
            .map(|parts| parts.iter().all(holds))
            .collect())
    }

    /// For each atom the numbers of the members' conjuncts that read it, for [`Prover::holds`].
    ///
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub fn readers(
        &mut self,
        arena: &mut Arena,
        members: &[Formula],
    ) -> Result<std::collections::HashMap<u32, Vec<usize>>, Error> {
        let mut readers: std::collections::HashMap<u32, Vec<usize>> = Default::default();
        let mut listed = FxHashSet::default();
        for &member in members {
            for &number in self.parts_of(arena, member)?.iter() {
                if !listed.insert(number) {
                    continue;
                }
                for atom in self.part(number).map_or(&[][..], |part| &part.atoms) {
                    readers.entry(*atom).or_default().push(number);
                }
            }
        }
        Ok(readers)
    }

    /// Keeps a trace, which [`Prover::at_hand`] then looks at. Traces are numbered as they come.
    pub fn remember(&mut self, trace: &[Letter]) {
        let values = if trace.is_empty() {
            Vec::new()
        } else {
            self.evaluator.evaluate(trace)
        };
        self.remembered.push((trace.to_vec(), values));
    }

    /// The remembered traces that satisfy all members.
    ///
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub fn at_hand(&mut self, arena: &mut Arena, members: &[Formula]) -> Result<Vec<usize>, Error> {
        let mut all = Vec::with_capacity(members.len());
        for &member in members {
            all.extend(self.parts_of(arena, member)?.iter().copied());
        }
        let on_empty = members.iter().all(|f| f.holds_on_empty_trace());
        let mut found = Vec::new();
        for (index, (trace, values)) in self.remembered.iter_mut().enumerate() {
            if trace.is_empty() {
                if on_empty {
                    found.push(index);
                }
                continue;
            }
            let known = |part: &usize| values.get(*part).copied();
            if all.iter().any(|part| known(part) == Some(false)) {
                continue;
            }
            // Only what came since is evaluated.
            if let Some(new) = self.parts.get(values.len()..)
                && !new.is_empty()
            {
                let formulas: Vec<Formula> = new.iter().map(|part| part.formula).collect();
                values.extend(Evaluator::new(arena, &formulas).evaluate(trace));
            }
            let holds = |part: &usize| values.get(*part).copied().unwrap_or(false);
            if all.iter().all(holds) {
                found.push(index);
            }
        }
        Ok(found)
    }

    pub(super) fn part(&self, at: usize) -> Option<&Part> {
        self.parts.get(at)
    }

    /// The conjuncts of a formula.
    fn parts_of(&mut self, arena: &mut Arena, f: Formula) -> Result<Arc<[usize]>, Error> {
        if let Some(known) = self.members.get(&f) {
            return Ok(Arc::clone(known));
        }
        if arena.has_past(f.id())
            && let Some((past, future)) = arena.future_under_past(f)
        {
            return Err(Error::FutureUnderPast { past, future });
        }
        let mut own = Vec::new();
        for formula in arena.conjuncts(f) {
            let number = match self.numbers.get(&formula.id()) {
                Some(number) => *number,
                None => {
                    let mut atoms = arena.atoms(formula);
                    atoms.sort_unstable();
                    self.evaluator.add(arena, formula, &mut self.rows);
                    self.numbers.insert(formula.id(), self.parts.len());
                    self.parts.push(Part {
                        formula,
                        size: arena.reachable(formula.id()).len(),
                        atoms,
                        evaluator: None,
                    });
                    self.parts.len() - 1
                }
            };
            own.push(number);
        }
        let own: Arc<[usize]> = own.into();
        self.members.insert(f, Arc::clone(&own));
        Ok(own)
    }

    /// Gives the arena's new atoms their levels.
    fn see(&mut self, arena: &Arena) {
        self.levels.extend(arena, self.seen);
        self.seen = arena.len();
    }

    /// Lazy conjunction refinement ([`super::refinement`]), with the products of the last question as far as they fit.
    pub(super) fn refine(
        &mut self,
        arena: &mut Arena,
        question: &mut Question<'_>,
    ) -> Result<Outcome, Error> {
        let active: FxHashSet<usize> = question.active.iter().copied().collect();
        let fits = self.stack.iter().take_while(|(p, _)| active.contains(p));
        let fits = fits.count();
        self.stack.truncate(fits);
        loop {
            question.limits.check_cancelled()?;
            let Some((_, kept)) = self.stack.last() else {
                // What asks for something to happen comes first.
                let asks = |part: &usize| {
                    let part = self.parts.get(*part);
                    part.is_some_and(|part| !part.formula.holds_on_empty_trace())
                };
                let mut first = question.active.clone();
                first.retain(asks);
                if first.is_empty() {
                    let trace = vec![Letter::new()];
                    first = self.violated(&question.active, &trace);
                    if first.is_empty() {
                        return Ok(Outcome::Trace(trace));
                    }
                }
                self.join(arena, question, first)?;
                continue;
            };
            let Some(trace) = shortest(&kept.automaton, &self.levels) else {
                let core = self.stack.iter().map(|(part, _)| *part).collect();
                // An empty product is no use for what follows.
                self.stack.pop();
                return Ok(Outcome::Excluded(core));
            };
            let violated = self.violated(&question.active, &trace);
            if violated.is_empty() {
                return Ok(Outcome::Trace(trace));
            }
            self.join(arena, question, violated)?;
        }
    }

    pub(super) fn violated(&self, active: &[usize], trace: &[Letter]) -> Vec<usize> {
        let values = self.evaluator.evaluate(trace);
        let violated = |part: &usize| !values.get(*part).copied().unwrap_or(false);
        active.iter().copied().filter(violated).collect()
    }

    /// Multiplies in the first of the violated conjuncts that stays within the budget.
    fn join(
        &mut self,
        arena: &mut Arena,
        question: &mut Question<'_>,
        mut violated: Vec<usize>,
    ) -> Result<(), Error> {
        let kept = self.stack.last().map(|(_, kept)| kept.clone());
        let atoms = kept.as_ref().map(|kept| Arc::clone(&kept.atoms));
        let atoms = atoms.unwrap_or_default();
        violated.sort_by_cached_key(|&part| self.cost(&atoms, part));
        let mut failed = Error::TooManyNodes {
            limit: question.nodes,
        };
        for part in violated.into_iter().take(CANDIDATES) {
            let Some(one) = self.part(part).cloned() else {
                continue;
            };
            let joined = merged(&atoms, &one.atoms);
            if joined.len() > Limits::ATOMS {
                failed = Error::TooManyAtoms {
                    limit: Limits::ATOMS,
                };
                continue;
            }
            let limits = Limits {
                nodes: question.limits.nodes.min(question.nodes),
                states: question.limits.states.min(question.states),
                ..*question.limits
            };
            match self.multiply(arena, kept.as_ref(), one.formula.id(), &limits) {
                Ok((automaton, nodes)) => {
                    question.nodes = question.nodes.saturating_sub(nodes);
                    let kept = Kept {
                        automaton,
                        atoms: Arc::new(joined),
                    };
                    self.stack.push((part, kept));
                    return Ok(());
                }
                Err(error) if error.is_limit() => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    /// What to take first: a conjunct that shares atoms with what is kept, brings few new ones, and is small.
    fn cost(&self, atoms: &[u32], part: usize) -> (bool, usize, usize, usize) {
        let Some(one) = self.part(part) else {
            return (true, usize::MAX, 0, part);
        };
        let shared = one.atoms.iter();
        let shared = shared.filter(|a| atoms.binary_search(a).is_ok()).count();
        let apart = shared == 0 && !one.atoms.is_empty();
        (apart, one.atoms.len() - shared, one.size, part)
    }

    /// The minimal product, and the nodes that it had before.
    fn multiply(
        &mut self,
        arena: &mut Arena,
        kept: Option<&Kept>,
        part: Id,
        limits: &Limits<'_>,
    ) -> Result<(Arc<Automaton>, usize), Error> {
        let piece = self.piece(arena, part, limits)?;
        let Some(kept) = kept else {
            let nodes = piece.nodes.len();
            return Ok((piece, nodes));
        };
        let (result, _) = product(&kept.automaton, &piece, Op::And, Goal::Everything, limits)?;
        Ok((Arc::new(minimise(&result, limits)?), result.nodes.len()))
    }

    /// The minimal automaton of one conjunct.
    pub(super) fn piece(
        &mut self,
        arena: &mut Arena,
        part: Id,
        limits: &Limits<'_>,
    ) -> Result<Arc<Automaton>, Error> {
        if let Some(piece) = self.pieces.get(&part) {
            return Ok(Arc::clone(piece));
        }
        let made = Arc::new(translate::automaton(arena, part, &self.levels, limits)?);
        self.pieces.insert(part, Arc::clone(&made));
        Ok(made)
    }

    /// The other engines, on what was multiplied, and on what their traces violate.
    fn others(&mut self, arena: &Arena, question: &Question<'_>) -> Result<Outcome, Error> {
        let mut chosen: Vec<usize> = self.stack.iter().map(|(part, _)| *part).collect();
        let options = Satisfiability {
            traces: Traces::NonEmpty,
            engine: None,
        };
        loop {
            let formulas: Vec<Formula> = chosen
                .iter()
                .filter_map(|part| Some(self.part(*part)?.formula))
                .collect();
            let trace = match satisfiable(arena, &formulas, &options, question.limits)?.verdict {
                Verdict::Unsatisfiable { core } => {
                    let core = core.iter().filter_map(|at| chosen.get(*at).copied());
                    return Ok(Outcome::Excluded(core.collect()));
                }
                Verdict::Satisfiable { trace } => trace,
            };
            let violated = self.violated(&question.active, &trace);
            if violated.is_empty() {
                return Ok(Outcome::Trace(trace));
            }
            chosen.extend(violated);
        }
    }
}
