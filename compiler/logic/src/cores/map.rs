//! The map of the subsets of the members: which of them are not known to be satisfiable, nor to
//! contain a core that was found; and a smallest one of these.

use crate::limits::{Error, Limits};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// Asks the caller whether to go on.
struct Watch<'l>(Limits<'l>);

impl Callbacks for Watch<'_> {
    fn stop(&self) -> bool {
        self.0.check_cancelled().is_err()
    }
}

/// The map: an incremental SAT problem over one selector a member, with a counter.
pub(super) struct Map<'l> {
    limits: Limits<'l>,
    members: usize,
    /// Subsets of which one member must be taken: the complements of satisfiable sets.
    hit: Vec<Vec<usize>>,
    /// Cores that may not be contained.
    blocked: Vec<Vec<usize>>,
    size: usize,
    encoding: Encoding<'l>,
}

/// The clauses so far. Only members of `hit` are counted: nothing asks for the others.
struct Encoding<'l> {
    sat: Solver<Watch<'l>>,
    selectors: Vec<Lit>,
    counted: Vec<usize>,
    is_counted: Vec<bool>,
    /// `counter[j]` holds if more than `j` of the counted members are taken (a sequential counter:
    /// Sinz 2005), up to a bound.
    counter: Vec<Lit>,
}

impl<'l> Encoding<'l> {
    fn new(members: usize, bound: usize, limits: &Limits<'l>) -> Self {
        let mut sat = Solver::new(SolverOpts::default(), Watch(*limits));
        let mut fresh = |count: usize| -> Vec<Lit> {
            (0..count)
                .map(|_| Lit::new(sat.new_var_default(), true))
                .collect()
        };
        let (selectors, counter) = (fresh(members), fresh(bound));
        Self {
            sat,
            selectors,
            counted: Vec::new(),
            is_counted: vec![false; members],
            counter,
        }
    }

    fn hit(&mut self, members: &[usize]) {
        for &member in members {
            if let Some(counted) = self.is_counted.get_mut(member)
                && !std::mem::replace(counted, true)
            {
                self.counted.push(member);
                self.count(member);
            }
        }
        let mut clause: Vec<Lit> = self.select(members).collect();
        self.sat.add_clause_reuse(&mut clause);
    }

    fn block(&mut self, members: &[usize]) {
        let mut clause: Vec<Lit> = self.select(members).map(|selector| !selector).collect();
        self.sat.add_clause_reuse(&mut clause);
    }

    fn select(&self, members: &[usize]) -> impl Iterator<Item = Lit> {
        let selectors = members.iter().filter_map(|&m| self.selectors.get(m));
        selectors.copied()
    }

    /// One more member to count.
    fn count(&mut self, member: usize) {
        let Some(&selector) = self.selectors.get(member) else {
            return;
        };
        let mut below: Option<Lit> = None;
        let before = std::mem::take(&mut self.counter);
        for was in before {
            let now = Lit::new(self.sat.new_var_default(), true);
            self.sat.add_clause_reuse(&mut vec![!was, now]);
            let mut more = vec![!selector, now];
            more.extend(below.map(|below| !below));
            self.sat.add_clause_reuse(&mut more);
            self.counter.push(now);
            below = Some(was);
        }
    }
}

impl<'l> Map<'l> {
    /// The map of all subsets of `members` members. `expected`: about how large a core is.
    pub(super) fn new(members: usize, expected: usize, limits: &Limits<'l>) -> Self {
        let bound = expected + 1;
        Self {
            limits: *limits,
            members,
            hit: Vec::new(),
            blocked: Vec::new(),
            size: 0,
            encoding: Encoding::new(members, bound, limits),
        }
    }

    /// Takes out all subsets that avoid these members: the others are satisfiable together.
    pub(super) fn hit(&mut self, members: Vec<usize>) {
        self.encoding.hit(&members);
        self.hit.push(members);
    }

    /// Takes out all subsets that contain this core.
    pub(super) fn block(&mut self, core: Vec<usize>) {
        self.encoding.block(&core);
        self.blocked.push(core);
    }

    /// How many members each subset that is left has at least.
    pub(super) fn at_least(&self) -> usize {
        self.size
    }

    /// A smallest subset that is left, ascending; `None` if none is.
    ///
    /// # Errors
    ///
    /// The work is cancelled.
    pub(super) fn smallest(&mut self) -> Result<Option<Vec<usize>>, Error> {
        loop {
            self.limits.check_cancelled()?;
            if self.encoding.counter.len() <= self.size {
                self.rebuild((self.size + 1) * 2);
            }
            let encoding = &mut self.encoding;
            let few: Vec<Lit> = encoding
                .counter
                .get(self.size)
                .map(|&more| !more)
                .into_iter()
                .collect();
            let result = encoding.sat.solve_limited(&few);
            if result == lbool::TRUE {
                let taken = |&member: &usize| {
                    let selector = encoding.selectors.get(member);
                    selector.is_some_and(|&s| encoding.sat.value_lit(s) == lbool::TRUE)
                };
                let mut subset: Vec<usize> =
                    encoding.counted.iter().copied().filter(taken).collect();
                subset.sort_unstable();
                return Ok(Some(subset));
            }
            if result != lbool::FALSE {
                return Err(Error::Cancelled);
            }
            if encoding.sat.unsat_core().is_empty() {
                return Ok(None);
            }
            self.size += 1;
        }
    }

    fn rebuild(&mut self, bound: usize) {
        self.encoding = Encoding::new(self.members, bound, &self.limits);
        for members in &self.hit {
            self.encoding.hit(members);
        }
        for core in &self.blocked {
            self.encoding.block(core);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

    use super::*;

    #[test]
    fn smallest_subsets_come_first() {
        let mut map = Map::new(6, 1, &Limits::default());
        assert_eq!(map.smallest(), Ok(Some(vec![])));
        map.hit(vec![0, 1]);
        map.hit(vec![1, 2]);
        assert_eq!(map.smallest(), Ok(Some(vec![1])));
        map.block(vec![1]);
        assert_eq!(map.smallest(), Ok(Some(vec![0, 2])));
        for member in 3..6 {
            map.hit(vec![member]);
        }
        let subset = map.smallest().unwrap().unwrap();
        assert_eq!((subset, map.at_least()), (vec![0, 2, 3, 4, 5], 5));
        map.block(vec![0, 2]);
        assert_eq!(map.smallest(), Ok(None));
    }
}
