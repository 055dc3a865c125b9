//! Whether a trace satisfies a formula, from the definitions alone.
//!
//! No rule of the translation and no simplification is used here, so that what the engines claim
//! can be checked: every subformula gets its value at every step, operands before operators, the
//! future from the last step back, the past from the first step on. Linear in the length of the
//! trace times the number of subformulas; a future operator may stand under a past one.
//!
//! The values of a subformula are a row, a bit for each step. A row is given up after the last
//! operator that reads it, so that a chain of operators, however long, takes two.

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
    /// Atoms first; operands stand before operators. Each with the row that takes its values.
    operations: Vec<(u32, Operation)>,
    operands: Vec<Operand>,
    /// The row of each atom.
    atoms: FxHashMap<u32, u32>,
    roots: Vec<(Operand, bool)>,
    /// How many rows there are.
    rows: usize,
}

/// A row, and whether its values are turned round.
#[derive(Clone, Copy, Debug)]
struct Operand {
    row: u32,
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
    /// One that [`Evaluator::add`] extends: every subformula keeps its row.
    pub(crate) fn growing() -> Self {
        Self {
            operations: Vec::new(),
            operands: Vec::new(),
            atoms: FxHashMap::default(),
            roots: Vec::new(),
            rows: 0,
        }
    }

    /// Adds a formula to an evaluator that grows; `row_of` holds the rows of the nodes so far. Its value is the next
    /// of those that [`Evaluator::evaluate`] gives.
    pub(crate) fn add(&mut self, arena: &Arena, f: Formula, row_of: &mut FxHashMap<Id, u32>) {
        let mut nodes = Vec::new();
        let mut stack = vec![f.id().positive()];
        while let Some(id) = stack.pop() {
            if row_of.contains_key(&id) {
                continue;
            }
            // Given again once its operands have theirs.
            row_of.insert(id, u32::MAX);
            nodes.push(id);
            arena.for_each_child(id, |child| stack.push(child.positive()));
        }
        nodes.sort_unstable_by_key(|&id| (!matches!(arena.kind(id), Kind::Atom(_)), id));
        for id in nodes {
            let row = self.rows as u32;
            self.rows += 1;
            row_of.insert(id, row);
            self.push(arena, id, row, row_of);
        }
        let row = row_of.get(&f.id().positive()).copied().unwrap_or(0);
        let negate = f.id().is_negative();
        self.roots
            .push((Operand { row, negate }, f.holds_on_empty_trace()));
    }

    /// The operation of a node whose operands have rows.
    fn push(&mut self, arena: &Arena, id: Id, row: u32, row_of: &FxHashMap<Id, u32>) {
        let operand = |id: Id| Operand {
            // All nodes below a formula stand before it.
            row: row_of.get(&id.positive()).copied().unwrap_or(0),
            negate: id.is_negative(),
        };
        let operation = match arena.kind(id) {
            Kind::True => Operation::True,
            Kind::Atom(atom) => {
                self.atoms.insert(atom, row);
                Operation::Atom
            }
            Kind::And(start, len) => {
                let from = self.operands.len() as u32;
                let members = arena.range(start, len).iter().map(|&id| operand(id));
                self.operands.extend(members);
                Operation::And(from, self.operands.len() as u32)
            }
            Kind::Iff(a, b) => Operation::Iff(operand(a), operand(b)),
            Kind::Step(time, a) => Operation::Step(time, operand(a)),
            Kind::Until(time, a, b) => Operation::Until(time, operand(a), operand(b)),
        };
        self.operations.push((row, operation));
    }

    pub(crate) fn new(arena: &Arena, formulas: &[Formula]) -> Self {
        let mut nodes: Vec<Id> = arena.reachable_from(formulas.iter().map(|f| f.id()));
        // Operands are older than what is made of them; an atom has none, and may stand before all.
        nodes.sort_unstable_by_key(|&id| (!matches!(arena.kind(id), Kind::Atom(_)), id));
        // The last node that reads each node. What nobody reads is a formula of its own, and is kept.
        let mut last: FxHashMap<Id, Id> = FxHashMap::default();
        for &id in &nodes {
            arena.for_each_child(id, |child| {
                last.insert(child.positive(), id);
            });
        }
        for f in formulas {
            last.remove(&f.id().positive());
        }
        let mut rows = Rows::default();
        let mut row_of: FxHashMap<Id, u32> = FxHashMap::default();
        let mut new = Self::growing();
        for &id in &nodes {
            // No operator writes where it reads: its operands' rows are still taken.
            let row = rows.take();
            new.push(arena, id, row, &row_of);
            row_of.insert(id, row);
            arena.for_each_child(id, |child| {
                // Once, also where both operands are one.
                if last.get(&child.positive()) == Some(&id)
                    && let Some(row) = row_of.remove(&child.positive())
                {
                    rows.free.push(row);
                }
            });
        }
        let roots = formulas.iter().map(|f| {
            let row = row_of.get(&f.id().positive()).copied().unwrap_or(0);
            let negate = f.id().is_negative();
            (Operand { row, negate }, f.holds_on_empty_trace())
        });
        new.roots = roots.collect();
        new.rows = rows.count as usize;
        new
    }

    /// Whether the trace satisfies each of the formulas.
    pub(crate) fn evaluate(&self, trace: &[Letter]) -> Vec<bool> {
        if trace.is_empty() {
            return self.roots.iter().map(|&(_, on_empty)| on_empty).collect();
        }
        let values = self.values(trace);
        let roots = self.roots.iter();
        roots.map(|&(root, _)| values.at(root, 0)).collect()
    }

    /// The values of all rows along a trace with a step.
    fn values(&self, trace: &[Letter]) -> Values {
        let mut values = Values::new(self.rows, trace.len());
        for (step, letter) in trace.iter().enumerate() {
            for (atom, value) in letter {
                if let Some(&row) = self.atoms.get(atom) {
                    values.set(row, step, *value);
                }
            }
        }
        for &(row, operation) in &self.operations {
            match operation {
                Operation::Atom => {}
                Operation::True => values.fill(row, |_, _| u64::MAX),
                Operation::And(from, to) => {
                    let members = self.operands.get(from as usize..to as usize);
                    let members = members.unwrap_or(&[]);
                    values.fill(row, |values, word| {
                        let words = members.iter().map(|&member| values.word(member, word));
                        words.fold(u64::MAX, |all, word| all & word)
                    });
                }
                Operation::Iff(a, b) => values.fill(row, |values, word| {
                    !(values.word(a, word) ^ values.word(b, word))
                }),
                Operation::Step(Time::Future, a) => {
                    // The value at the next step; the next word's first step follows the last one.
                    values.fill(row, |values, word| {
                        values.word(a, word) >> 1 | values.word(a, word + 1) << (BITS - 1)
                    });
                    values.set(row, trace.len() - 1, false);
                }
                Operation::Step(Time::Past, a) => {
                    values.fill(row, |values, word| {
                        let before = word.checked_sub(1).map_or(0, |word| values.word(a, word));
                        values.word(a, word) << 1 | before >> (BITS - 1)
                    });
                    values.set(row, 0, false);
                }
                Operation::Until(Time::Future, a, b) => {
                    // Behind the last step there is nothing: the bits there must not count.
                    let mut later = false;
                    let behind = values.behind(trace.len());
                    for word in (0..values.width).rev() {
                        let last = if word + 1 == values.width { behind } else { 0 };
                        let goal = values.word(b, word) & !last;
                        let holds = values.word(a, word) & !last;
                        let here = until(goal.reverse_bits(), holds.reverse_bits(), later);
                        values.put(row, word, here.reverse_bits());
                        later = here >> (BITS - 1) & 1 == 1;
                    }
                }
                Operation::Until(Time::Past, a, b) => {
                    let mut earlier = false;
                    for word in 0..values.width {
                        let here = until(values.word(b, word), values.word(a, word), earlier);
                        values.put(row, word, here);
                        earlier = here >> (BITS - 1) & 1 == 1;
                    }
                }
            }
        }
        values
    }
}

/// Rows as they are handed out while the operations are laid out.
#[derive(Default)]
struct Rows {
    count: u32,
    free: Vec<u32>,
}

impl Rows {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

/// For the bits of a word from the lowest on: whether `goal` has held at one and `holds` since; `before`: just before the
/// word. All bits at once, over distances that double (as carries in an adder of Kogge and Stone).
fn until(goal: u64, holds: u64, before: bool) -> u64 {
    let mut found = goal | holds & u64::from(before);
    let mut through = holds;
    for distance in [1, 2, 4, 8, 16, 32] {
        found |= through & found << distance;
        through &= through << distance;
    }
    found
}

/// Steps in a word.
const BITS: usize = u64::BITS as usize;

/// Rows of bits, one for each step of a trace. What stands behind the last step means nothing.
struct Values {
    words: Vec<u64>,
    /// Words in a row.
    width: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "rows are below their number, steps below the length of the trace"
)]
impl Values {
    fn new(rows: usize, steps: usize) -> Self {
        let width = steps.div_ceil(BITS);
        Self {
            words: vec![0; rows * width],
            width,
        }
    }

    /// The values of an operand at the steps of a word; behind the last word there are none.
    fn word(&self, operand: Operand, word: usize) -> u64 {
        if word >= self.width {
            return 0;
        }
        let word = self.words[operand.row as usize * self.width + word];
        if operand.negate { !word } else { word }
    }

    fn at(&self, operand: Operand, step: usize) -> bool {
        let word = self.words[operand.row as usize * self.width + step / BITS];
        (word >> (step % BITS) & 1 == 1) != operand.negate
    }

    fn set(&mut self, row: u32, step: usize, value: bool) {
        let word = &mut self.words[row as usize * self.width + step / BITS];
        let bit = step % BITS;
        *word = *word & !(1 << bit) | u64::from(value) << bit;
    }

    /// The bits of the last word behind the last step.
    fn behind(&self, steps: usize) -> u64 {
        let used = steps - (self.width - 1) * BITS;
        if used == BITS { 0 } else { u64::MAX << used }
    }

    fn put(&mut self, row: u32, word: usize, value: u64) {
        self.words[row as usize * self.width + word] = value;
    }

    fn fill(&mut self, row: u32, word: impl Fn(&Self, usize) -> u64) {
        for i in 0..self.width {
            self.words[row as usize * self.width + i] = word(self, i);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        missing_docs,
        reason = "tests"
    )]

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

    #[test]
    fn a_chain_takes_two_rows() {
        let mut arena = Arena::new();
        let mut f = arena.atom(0);
        for _ in 0..300 {
            f = arena.next(f);
        }
        let evaluator = Evaluator::new(&arena, &[f]);
        assert_eq!(evaluator.operations.len(), 301);
        assert_eq!(evaluator.rows, 2);
        let mut trace = vec![Vec::new(); 300];
        trace.push(vec![(0, true)]);
        assert_eq!(evaluator.evaluate(&trace), [true]);
        assert_eq!(evaluator.evaluate(&trace[..300]), [false]);
        assert_eq!(evaluator.evaluate(&trace[1..]), [false]);
        // A formula keeps its row, also where another one reads it.
        let part = arena.next(f);
        let evaluator = Evaluator::new(&arena, &[f, part, f]);
        assert_eq!(evaluator.evaluate(&trace), [true, false, true]);
    }

    /// The values at all steps, each by the definition over steps alone.
    fn by_definition(arena: &Arena, id: Id, trace: &[Letter]) -> Vec<bool> {
        let n = trace.len();
        let of = |id: Id| by_definition(arena, id, trace);
        let at = |holds: &dyn Fn(usize) -> bool| (0..n).map(holds).collect::<Vec<bool>>();
        let values = match arena.kind(id) {
            Kind::True => at(&|_| true),
            Kind::Atom(atom) => at(&|i| trace[i].contains(&(atom, true))),
            Kind::And(start, len) => {
                let members: Vec<_> = arena.range(start, len).iter().map(|&id| of(id)).collect();
                at(&|i| members.iter().all(|member| member[i]))
            }
            Kind::Iff(a, b) => {
                let (a, b) = (of(a), of(b));
                at(&|i| a[i] == b[i])
            }
            Kind::Step(time, a) => {
                let a = of(a);
                match time {
                    Time::Future => at(&|i| i + 1 < n && a[i + 1]),
                    Time::Past => at(&|i| i > 0 && a[i - 1]),
                }
            }
            Kind::Until(time, a, b) => {
                let (a, b) = (of(a), of(b));
                match time {
                    Time::Future => at(&|i| (i..n).any(|j| b[j] && (i..j).all(|k| a[k]))),
                    Time::Past => at(&|i| (0..=i).any(|j| b[j] && (j + 1..=i).all(|k| a[k]))),
                }
            }
        };
        let turned = values.into_iter().map(|value| value != id.is_negative());
        turned.collect()
    }

    #[test]
    fn random_formulas_on_traces_around_the_borders_of_words() {
        let mut seed = 88_172_645_463_325_252u64;
        let mut below = |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 33) % n
        };
        let (mut holding, mut all) = (0, 0);
        for _ in 0..200 {
            let mut arena = Arena::new();
            let mut pool: Vec<Formula> = (0..3).map(|atom| arena.atom(atom)).collect();
            // Past and future in any order.
            for _ in 0..12 {
                let pick = |i: u64| pool[i as usize];
                let len = pool.len() as u64;
                let (a, b) = (pick(below(len)), pick(below(len)));
                pool.push(match below(9) {
                    0 => arena.next(a),
                    1 => arena.previously(a),
                    2 => arena.until(a, b),
                    3 => arena.since(a, b),
                    4 => arena.and(&[a, b]),
                    5 => arena.iff(a, b),
                    6 => arena.weak_next(a),
                    7 => arena.weak_previously(a),
                    _ => arena.not(a),
                });
            }
            let evaluator = Evaluator::new(&arena, &pool);
            for n in [1, 2, 63, 64, 65, 129] {
                // Long runs of one letter, so that untils reach over words.
                let often = 1 + below(40);
                let trace: Vec<Letter> = (0..n)
                    .map(|_| {
                        (0..3)
                            .map(|a| (a, (below(often) == 0) == (a == 1)))
                            .collect()
                    })
                    .collect();
                let found = evaluator.evaluate(&trace);
                for (&f, found) in pool.iter().zip(found) {
                    assert_eq!(found, by_definition(&arena, f.id(), &trace)[0]);
                    // Alone it stands in rows that others gave up.
                    assert_eq!(found, arena.holds(f, &trace));
                    holding += u32::from(found);
                    all += 1;
                }
            }
        }
        assert!(
            holding > all / 4 && holding < all * 3 / 4,
            "{holding} of {all}"
        );
    }
}
