//! Whether a trace satisfies a formula, from the definitions alone.
//!
//! No rule of the translation and no simplification is used here, so that what the engines claim
//! can be checked: every subformula gets its value at every step, operands before operators, the
//! future from the last step back, the past from the first step on. Linear in the length of the
//! trace times the number of subformulas; a future operator may stand under a past one.

use crate::formula::{Arena, Formula, Id, Kind, Time};
use crate::ops::Letter;
use rustc_hash::FxHashMap;

impl Arena {
    /// Whether the trace satisfies `f` (at its first step; for the empty trace see
    /// [`Formula::holds_on_empty_trace`]). An atom that a letter leaves out is false there; of an
    /// atom that a letter names twice the last value counts.
    pub fn holds(&self, f: Formula, trace: &[Letter]) -> bool {
        Evaluator::new(self, &[f])
            .evaluate(trace)
            .first()
            .is_some_and(|&holds| holds)
    }
}

/// The subformulas of some formulas, laid out to be evaluated again and again.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    /// Operands stand before operators.
    operations: Vec<Operation>,
    operands: Vec<Operand>,
    /// The operation of each atom.
    atoms: FxHashMap<u32, u32>,
    roots: Vec<(Operand, bool)>,
}

/// The index of an operation, and whether its value is turned round.
#[derive(Clone, Copy, Debug)]
struct Operand {
    index: u32,
    negate: bool,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    True,
    Atom,
    /// A range of the operands.
    And(u32, u32),
    Iff(Operand, Operand),
    Step(Time, Operand),
    Until(Time, Operand, Operand),
}

impl Evaluator {
    pub(crate) fn new(arena: &Arena, formulas: &[Formula]) -> Self {
        let mut nodes: Vec<Id> = arena.reachable_from(formulas.iter().map(|f| f.id()));
        // Operands are older than what is made of them.
        nodes.sort_unstable();
        let index: FxHashMap<Id, u32> = nodes.iter().copied().zip(0..).collect();
        let operand = |id: Id| Operand {
            // All nodes below a formula are among `nodes`.
            index: index.get(&id.positive()).copied().unwrap_or(0),
            negate: id.is_negative(),
        };
        let mut operands = Vec::new();
        let mut atoms = FxHashMap::default();
        let mut operations = Vec::with_capacity(nodes.len());
        for (&id, at) in nodes.iter().zip(0..) {
            operations.push(match arena.kind(id) {
                Kind::True => Operation::True,
                Kind::Atom(atom) => {
                    atoms.insert(atom, at);
                    Operation::Atom
                }
                Kind::And(start, len) => {
                    let from = operands.len() as u32;
                    operands.extend(arena.range(start, len).iter().map(|&id| operand(id)));
                    Operation::And(from, operands.len() as u32)
                }
                Kind::Iff(a, b) => Operation::Iff(operand(a), operand(b)),
                Kind::Step(time, a) => Operation::Step(time, operand(a)),
                Kind::Until(time, a, b) => Operation::Until(time, operand(a), operand(b)),
            });
        }
        let roots = formulas
            .iter()
            .map(|f| (operand(f.id()), f.holds_on_empty_trace()))
            .collect();
        Self {
            operations,
            operands,
            atoms,
            roots,
        }
    }

    /// Whether the trace satisfies each of the formulas.
    #[expect(
        clippy::indexing_slicing,
        reason = "a row for each operation, a column for each step; operands stand before operators"
    )]
    pub(crate) fn evaluate(&self, trace: &[Letter]) -> Vec<bool> {
        let n = trace.len();
        if n == 0 {
            return self.roots.iter().map(|&(_, on_empty)| on_empty).collect();
        }
        let mut values = vec![false; self.operations.len() * n];
        for (step, letter) in trace.iter().enumerate() {
            for (atom, value) in letter {
                if let Some(&row) = self.atoms.get(atom) {
                    values[row as usize * n + step] = *value;
                }
            }
        }
        for (row, &operation) in self.operations.iter().enumerate() {
            let (before, rest) = values.split_at_mut(row * n);
            let out = &mut rest[..n];
            let value = |operand: Operand, i: usize| {
                before[operand.index as usize * n + i] != operand.negate
            };
            match operation {
                Operation::True => out.fill(true),
                Operation::Atom => {}
                Operation::And(from, to) => {
                    let members = &self.operands[from as usize..to as usize];
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = members.iter().all(|&member| value(member, i));
                    }
                }
                Operation::Iff(a, b) => {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = value(a, i) == value(b, i);
                    }
                }
                Operation::Step(Time::Future, a) => {
                    for (i, out) in out.iter_mut().take(n - 1).enumerate() {
                        *out = value(a, i + 1);
                    }
                }
                Operation::Step(Time::Past, a) => {
                    for (i, out) in out.iter_mut().skip(1).enumerate() {
                        *out = value(a, i);
                    }
                }
                Operation::Until(Time::Future, a, b) => {
                    let mut later = false;
                    for (i, out) in out.iter_mut().enumerate().rev() {
                        later = value(b, i) || value(a, i) && later;
                        *out = later;
                    }
                }
                Operation::Until(Time::Past, a, b) => {
                    let mut earlier = false;
                    for (i, out) in out.iter_mut().enumerate() {
                        earlier = value(b, i) || value(a, i) && earlier;
                        *out = earlier;
                    }
                }
            }
        }
        self.roots
            .iter()
            .map(|&(root, _)| values[root.index as usize * n] != root.negate)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

    use super::*;

    fn letters(steps: &[&[u32]]) -> Vec<Letter> {
        steps
            .iter()
            .map(|atoms| atoms.iter().map(|&atom| (atom, true)).collect())
            .collect()
    }

    #[test]
    fn operators_at_the_borders_of_a_trace() {
        let mut arena = Arena::new();
        let (a, b) = (arena.atom(0), arena.atom(1));
        let (next, weak) = (arena.next(a), arena.weak_next(a));
        let (previously, weak_previously) = (arena.previously(a), arena.weak_previously(a));
        let one = letters(&[&[0]]);
        assert!(!arena.holds(next, &one) && arena.holds(weak, &one));
        assert!(!arena.holds(previously, &one) && arena.holds(weak_previously, &one));
        let until = arena.until(a, b);
        assert!(arena.holds(until, &letters(&[&[0], &[0], &[1]])));
        assert!(!arena.holds(until, &letters(&[&[0], &[], &[1]])));
        assert!(!arena.holds(until, &letters(&[&[0], &[0]])));
        let since = arena.since(a, b);
        let at_last = {
            let not_last = arena.tt();
            let more = arena.next(not_last);
            let last = arena.not(more);
            let both = arena.and(&[last, since]);
            arena.eventually(both)
        };
        assert!(arena.holds(at_last, &letters(&[&[1], &[0], &[0]])));
        assert!(!arena.holds(at_last, &letters(&[&[1], &[], &[0]])));
    }

    #[test]
    fn the_empty_trace_and_free_atoms() {
        let mut arena = Arena::new();
        let a = arena.atom(7);
        let (always, eventually) = (arena.always(a), arena.eventually(a));
        assert!(arena.holds(always, &[]) && !arena.holds(eventually, &[]));
        assert!(!arena.holds(a, &[Vec::new()]));
        assert!(!arena.holds(a, &[vec![(7, false)]]));
        assert!(arena.holds(a, &[vec![(7, false), (7, true)]]));
    }

    #[test]
    fn a_future_operator_under_a_past_one() {
        let mut arena = Arena::new();
        let (a, b) = (arena.atom(0), arena.atom(1));
        let next = arena.next(b);
        let both = arena.and(&[a, next]);
        let once = arena.once(both);
        let f = arena.next(once);
        let f = arena.next(f);
        assert!(arena.holds(f, &letters(&[&[0], &[1], &[]])));
        assert!(!arena.holds(f, &letters(&[&[0], &[], &[1]])));
    }
}
