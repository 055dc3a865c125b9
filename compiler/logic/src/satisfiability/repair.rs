//! Mending a trace, one violated conjunct after the other.
//!
//! The trace begins with what is asked to happen. The first event at which a conjunct is violated gets what it needs
//! around it: a shortest trace of this conjunct alone in which the event occurs, merged into the trace there. That takes
//! time by the length of what is made, where a product takes it by the number of all combinations; a precondition on
//! a precondition, or hundreds of them on one event, are no more than so many insertions.
//!
//! Every event knows for which conjuncts it was put there. Where an event cannot be mended, these and the conjunct are
//! what may exclude each other: the engine on automata decides them. That they do is a proof for all conjuncts; else
//! its trace is what the search goes on with. A trace that is given has been evaluated on everything.

use super::prover::{Outcome, Prover, Question};
use super::word::shortest;
use crate::automaton::{Goal, minimise, product};
use crate::diagram::Op;
use crate::evaluate::Evaluator;
use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The longest trace that is made.
const LONGEST: usize = 4_096;
/// How often the engine on automata is asked.
const RESTARTS: usize = 12;
/// Nodes and states of its products.
const NODES: usize = 400_000;
const STATES: usize = 3_000;
/// Nodes and states of the product of a conjunct and an event.
const SMALL_NODES: usize = 20_000;
const SMALL_STATES: usize = 500;
/// No reason.
const NONE: usize = usize::MAX;

/// A trace that grows, with the reasons for its events.
#[derive(Default)]
struct Draft {
    letters: Vec<Letter>,
    /// For each letter an index into `reasons`.
    why: Vec<usize>,
    /// A conjunct, and the reason for the event that it needed something for.
    reasons: Vec<(usize, usize)>,
}

impl Draft {
    fn reason(&mut self, part: usize, parent: usize) -> usize {
        self.reasons.push((part, parent));
        self.reasons.len() - 1
    }

    /// The conjuncts behind a reason.
    fn collect(&self, mut reason: usize, into: &mut BTreeSet<usize>) {
        while let Some((part, parent)) = self.reasons.get(reason) {
            into.insert(*part);
            reason = *parent;
        }
    }

    /// The trace of some conjuncts, all of which are the reason for each event.
    fn restart(&mut self, trace: Vec<Letter>, parts: &BTreeSet<usize>) {
        self.reasons.clear();
        let mut reason = NONE;
        for part in parts {
            reason = self.reason(*part, reason);
        }
        self.why = vec![reason; trace.len()];
        self.letters = trace;
    }
}

impl Prover {
    /// A trace of all conjuncts, though not the shortest, or some that exclude each other, if that takes no great
    /// effort.
    pub(super) fn repair(
        &mut self,
        arena: &mut Arena,
        question: &Question<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let limits = Limits {
            nodes: question.limits.nodes.min(SMALL_NODES),
            states: question.limits.states.min(SMALL_STATES),
            ..*question.limits
        };
        let mut draft = Draft::default();
        for &goal in &question.active {
            let Some(formula) = self.part(goal).map(|part| part.formula) else {
                continue;
            };
            let done = !draft.letters.is_empty() && self.holds(arena, goal, &draft.letters);
            if formula.holds_on_empty_trace() || done {
                continue;
            }
            let piece = match self.piece(arena, formula.id(), &limits) {
                Err(error) if error.is_limit() => return Ok(None),
                other => other?,
            };
            let Some(trace) = shortest(&piece, &self.levels) else {
                return Ok(Some(Outcome::Excluded(vec![goal])));
            };
            let reason = draft.reason(goal, NONE);
            draft.why.resize(draft.why.len() + trace.len(), reason);
            draft.letters.extend(trace);
        }
        if draft.letters.is_empty() {
            draft.restart(vec![Letter::new()], &BTreeSet::new());
        }
        let mut left = question.active.len().saturating_mul(4).max(256);
        let mut restarts = 0;
        let mut last = BTreeSet::new();
        loop {
            question.limits.check_cancelled()?;
            let violated = self.violated(&question.active, &draft.letters);
            if violated.is_empty() {
                return Ok(Some(Outcome::Trace(draft.letters)));
            }
            for part in violated {
                if self.holds(arena, part, &draft.letters) {
                    continue;
                }
                if left == 0 || draft.letters.len() > LONGEST {
                    return Ok(None);
                }
                left -= 1;
                if left.is_multiple_of(64) {
                    question.limits.check_cancelled()?;
                }
                let stuck = match self.mend(arena, part, &mut draft, &limits) {
                    Err(error) if error.is_limit() => return Ok(None),
                    other => other?,
                };
                let Some(stuck) = stuck else { continue };
                restarts += 1;
                if restarts > RESTARTS || stuck == last {
                    return Ok(None);
                }
                let mut small = Question {
                    active: stuck.iter().copied().collect(),
                    limits: question.limits,
                    nodes: NODES,
                    states: STATES,
                };
                match self.refine(arena, &mut small) {
                    Err(error) if error.is_limit() => return Ok(None),
                    Err(error) => return Err(error),
                    Ok(Outcome::Excluded(core)) => return Ok(Some(Outcome::Excluded(core))),
                    Ok(Outcome::Trace(trace)) => draft.restart(trace, &stuck),
                }
                last = stuck;
                break;
            }
        }
    }

    /// Whether a trace satisfies one conjunct, by its number.
    pub fn holds(&mut self, arena: &Arena, part: usize, trace: &[Letter]) -> bool {
        let Some(part) = self.parts.get_mut(part) else {
            return true;
        };
        let formula = part.formula;
        if trace.is_empty() {
            return formula.holds_on_empty_trace();
        }
        let evaluator = part
            .evaluator
            .get_or_insert_with(|| Arc::new(Evaluator::new(arena, &[formula])));
        evaluator
            .evaluate(trace)
            .first()
            .is_some_and(|holds| *holds)
    }

    /// Gives the first event at which a conjunct is violated what it needs; or the conjuncts that may exclude each
    /// other.
    fn mend(
        &mut self,
        arena: &mut Arena,
        part: usize,
        draft: &mut Draft,
        limits: &Limits<'_>,
    ) -> Result<Option<BTreeSet<usize>>, Error> {
        // A conjunct that is violated once, and stays so, is violated from that event on. (For others any event does.)
        let (mut low, mut high) = (1, draft.letters.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let beginning = draft.letters.get(..middle).unwrap_or_default();
            if self.holds(arena, part, beginning) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let at = low - 1;
        let (Some(letter), Some(&why)) = (draft.letters.get(at).cloned(), draft.why.get(at)) else {
            return Ok(Some(BTreeSet::from([part])));
        };
        let mut behind = BTreeSet::from([part]);
        draft.collect(why, &mut behind);
        let Some(around) = self.around(arena, &letter, part, limits)? else {
            return Ok(Some(behind));
        };
        let Some(here) = around.iter().rposition(|other| includes(other, &letter)) else {
            return Ok(Some(behind));
        };
        let reason = draft.reason(part, why);
        let mut letters = Vec::with_capacity(draft.letters.len() + around.len());
        let mut whys = Vec::with_capacity(draft.letters.len() + around.len());
        let mut put = |merged: Vec<(Letter, Option<usize>)>, from: usize| {
            for (letter, old) in merged {
                letters.push(letter);
                whys.push(
                    old.and_then(|old| draft.why.get(from + old).copied())
                        .unwrap_or(reason),
                );
            }
        };
        let (before, after) = (around.get(..here), around.get(here + 1..));
        let old_before = draft.letters.get(..at).unwrap_or_default();
        let old_after = draft.letters.get(at + 1..).unwrap_or_default();
        put(merge(old_before, before.unwrap_or_default()), 0);
        let itself = around.get(here).cloned().unwrap_or_default();
        // Of a letter that had to say more, this conjunct is a reason too.
        let same = itself.len() == letter.len();
        put(vec![(itself, same.then_some(at))], 0);
        put(merge(old_after, after.unwrap_or_default()), at + 1);
        if !self.holds(arena, part, &letters) {
            // Nothing that is put around this event helps: the others have a part in it.
            for why in draft.why.iter().take(at + 1) {
                draft.collect(*why, &mut behind);
            }
            return Ok(Some(behind));
        }
        draft.letters = letters;
        draft.why = whys;
        Ok(None)
    }

    /// A shortest trace of a conjunct in which a letter occurs.
    fn around(
        &mut self,
        arena: &mut Arena,
        letter: &Letter,
        part: usize,
        limits: &Limits<'_>,
    ) -> Result<Option<Vec<Letter>>, Error> {
        let key = (letter.clone(), part);
        if let Some(known) = self.around.get(&key) {
            return Ok(known.clone());
        }
        let Some(formula) = self.part(part).map(|part| part.formula) else {
            return Ok(None);
        };
        let literals: Vec<Formula> = letter
            .iter()
            .map(|(atom, value)| {
                let atom = arena.atom(*atom);
                if *value { atom } else { arena.not(atom) }
            })
            .collect();
        let here = arena.and(&literals);
        let occurs = arena.eventually(here);
        let first = self.piece(arena, formula.id(), limits)?;
        let second = self.piece(arena, occurs.id(), limits)?;
        let (both, _) = product(&first, &second, Op::And, Goal::Everything, limits)?;
        let found = shortest(&minimise(&both, limits)?, &self.levels);
        self.around.insert(key, found.clone());
        Ok(found)
    }
}

/// Whether a letter has all literals of another.
fn includes(letter: &Letter, other: &Letter) -> bool {
    other.iter().all(|literal| letter.contains(literal))
}

/// Whether two letters can be one, and that one.
fn joined(a: &Letter, b: &Letter) -> Option<Letter> {
    let mut out = a.clone();
    for (atom, value) in b {
        match a.iter().find(|(other, _)| other == atom) {
            Some((_, other)) if other != value => return None,
            Some(_) => {}
            None => out.push((*atom, *value)),
        }
    }
    Some(out)
}

/// A short trace of which both are subsequences, with the places that the letters of the first had.
fn merge(a: &[Letter], b: &[Letter]) -> Vec<(Letter, Option<usize>)> {
    if b.is_empty() {
        let numbered = a.iter().cloned().enumerate();
        return numbered.map(|(at, letter)| (letter, Some(at))).collect();
    }
    let width = b.len() + 1;
    // The length of a longest common subsequence of what follows.
    let mut table = vec![0u32; (a.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let mut best = at(&table, i + 1, j).max(at(&table, i, j + 1));
            if joined(x, y).is_some() {
                best = best.max(at(&table, i + 1, j + 1) + 1);
            }
            if let Some(slot) = table.get_mut(i * width + j) {
                *slot = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::with_capacity(a.len() + b.len());
    loop {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => {
                let here = at(&table, i, j);
                let both = joined(x, y).filter(|_| here == at(&table, i + 1, j + 1) + 1);
                if let Some(both) = both {
                    out.push((both, Some(i)));
                    (i, j) = (i + 1, j + 1);
                } else if here == at(&table, i + 1, j) {
                    out.push((x.clone(), Some(i)));
                    i += 1;
                } else {
                    out.push((y.clone(), None));
                    j += 1;
                }
            }
            (Some(x), None) => {
                out.push((x.clone(), Some(i)));
                i += 1;
            }
            (None, Some(y)) => {
                out.push((y.clone(), None));
                j += 1;
            }
            (None, None) => return out,
        }
    }
}
