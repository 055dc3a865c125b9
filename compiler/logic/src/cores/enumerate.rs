//! All minimal cores, smallest first.

use super::map::Map;
use super::{Core, Cores, ends_search, explained};
use crate::limits::{Error, Limits};
use crate::satisfiability::{Known, Set, Solver};

/// Subsets that engines decide for the growth of one seed.
const GROWTH: usize = 200;

/// The cores up to a limit. `first` is one of them, found another way.
///
/// # Errors
///
/// Two engines contradict each other. Limits and cancellation are told in the result.
pub(super) fn enumerate(
    solver: &mut Solver<'_>,
    first: Core,
    limit: usize,
    limits: &Limits<'_>,
) -> Result<Cores, Error> {
    let mut work = Enumeration {
        map: Map::new(solver.len(), first.members.len(), limits),
        first,
        found: Vec::new(),
        read: 0,
        solver,
    };
    let mut complete = false;
    let mut stopped = None;
    while work.found.len() < limit {
        match work.next() {
            Ok(Some(core)) => work.found.push(core),
            Ok(None) => {
                complete = true;
                break;
            }
            Err(error) if ends_search(error) => {
                stopped = Some(error);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    let mut cores = work.found;
    // A search that was cut short gives what it has.
    if stopped.is_some() && !cores.contains(&work.first) {
        cores.push(work.first);
    }
    cores.sort_by(|a, b| {
        let by_size = a.members.len().cmp(&b.members.len());
        by_size.then_with(|| a.members.cmp(&b.members))
    });
    Ok(Cores {
        complete,
        others_have: if complete { 0 } else { work.map.at_least() },
        stopped,
        ..Cores::some(cores)
    })
}

struct Enumeration<'s, 'l> {
    solver: &'s mut Solver<'l>,
    map: Map<'s>,
    first: Core,
    found: Vec<Core>,
    /// How many of the solver's satisfiable sets are in the map.
    read: usize,
}

impl Enumeration<'_, '_> {
    /// A smallest core among those that are left.
    fn next(&mut self) -> Result<Option<Core>, Error> {
        loop {
            self.read();
            let Some(seed) = self.map.smallest()? else {
                return Ok(None);
            };
            let set = Set::of(self.solver.len(), seed.iter().copied());
            match self.solver.known(&set)? {
                Known::Excluded(core) => {
                    // A core within the seed would be a smaller subset that is left.
                    if core != seed {
                        return Err(Error::Contradiction("a smallest seed is not minimal"));
                    }
                    let core = if core == self.first.members {
                        self.first.clone()
                    } else {
                        explained(self.solver, core)?
                    };
                    self.map.block(core.members.clone());
                    return Ok(Some(core));
                }
                Known::Satisfied(set) => {
                    let grown = self.grow(set)?;
                    self.hit(&grown);
                }
            }
        }
    }

    /// Takes out what the traces met meanwhile satisfy, the largest sets first: of those within
    /// another nothing is learned.
    fn read(&mut self) {
        let mut sets: Vec<Set> = self
            .solver
            .satisfied()
            .iter()
            .skip(self.read)
            .cloned()
            .collect();
        self.read = self.solver.satisfied().len();
        sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
        let mut taken: Vec<Set> = Vec::new();
        for set in sets {
            if !taken.iter().any(|larger| set.is_subset(larger)) {
                self.hit(&set);
                taken.push(set);
            }
        }
    }

    fn hit(&mut self, satisfied: &Set) {
        let outside = (0..self.solver.len()).filter(|&m| !satisfied.contains(m));
        self.map.hit(outside.collect());
    }

    /// A satisfiable set that contains this one: a maximal one, unless that takes too many
    /// questions. A smaller one teaches the map less, and nothing wrong.
    fn grow(&mut self, mut set: Set) -> Result<Set, Error> {
        let enough = self.solver.checks + GROWTH;
        for member in 0..self.solver.len() {
            if set.contains(member) {
                continue;
            }
            if self.solver.checks >= enough {
                break;
            }
            let mut more = set.clone();
            more.insert(member);
            if let Known::Satisfied(larger) = self.solver.known(&more)? {
                set = larger;
            }
        }
        Ok(set)
    }
}
