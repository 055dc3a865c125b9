//! What the engines are given: the members taken apart into conjuncts.

use crate::formula::{Arena, Formula, Id, Time, View};
use crate::limits::Error;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// One conjunct of one member.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) formula: Formula,
    pub(crate) member: usize,
    /// The number of its subformulas.
    pub(crate) size: usize,
    /// Its atoms, sorted.
    pub(crate) atoms: Vec<u32>,
}

/// The conjuncts of the members, those of one member next to each other. A member that is true has
/// none.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) parts: Vec<Part>,
    of_member: Vec<Range<usize>>,
}

impl Problem {
    /// Takes the members apart; new formulas go to `arena`.
    ///
    /// # Errors
    ///
    /// A member has a future operator under a past one.
    pub(crate) fn new(arena: &mut Arena, members: &[Formula]) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut of_member = Vec::with_capacity(members.len());
        for (member, &f) in members.iter().enumerate() {
            if arena.has_past(f.id())
                && let Some((past, future)) = arena.future_under_past(f)
            {
                return Err(Error::FutureUnderPast { past, future });
            }
            let from = parts.len();
            for formula in arena.conjuncts(f) {
                let mut atoms = arena.atoms(formula);
                atoms.sort_unstable();
                parts.push(Part {
                    formula,
                    member,
                    size: arena.reachable(formula.id()).len(),
                    atoms,
                });
            }
            of_member.push(from..parts.len());
        }
        Ok(Self { parts, of_member })
    }

    /// The conjuncts of these members.
    pub(crate) fn parts_of(&self, members: &[usize]) -> Vec<usize> {
        let ranges = members.iter().filter_map(|&m| self.of_member.get(m));
        ranges.flat_map(Range::clone).collect()
    }

    /// The members of these conjuncts, each once, ascending.
    pub(crate) fn members_of(&self, parts: &[usize]) -> Vec<usize> {
        let members = parts.iter().filter_map(|&part| self.parts.get(part));
        let mut members: Vec<usize> = members.map(|part| part.member).collect();
        members.sort_unstable();
        members.dedup();
        members
    }
}

impl Arena {
    /// The conjuncts of a formula: the members of a conjunction, and of `always` of a conjunction;
    /// none where all traces with a step satisfy it. What the arena folded away is not among them.
    /// Together they are `f` on traces with a step; on the empty trace each has the value of `f`.
    pub fn conjuncts(&mut self, f: Formula) -> Vec<Formula> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![f.id()];
        while let Some(id) = stack.pop() {
            match self.view(id) {
                View::True => {}
                View::And(args) => stack.extend(self.members(args).into_iter().rev()),
                View::Release(Time::Future, Id::FF, body)
                    if let View::And(args) = self.view(body) =>
                {
                    for member in self.members(args).into_iter().rev() {
                        let each = self.release2(Time::Future, Id::FF, member);
                        stack.push(each);
                    }
                }
                _ => {
                    if seen.insert(id) {
                        found.push(Formula::new(id, f.holds_on_empty_trace()));
                    }
                }
            }
        }
        found
    }
}
