//! Reachability of the end of the trace: complete for satisfiable and for unsatisfiable sets.
//!
//! The states are sets of burdens (see [`super::transition`]). For each number of steps the search
//! knows sets of burdens that cannot be satisfied within so many; it walks from the first step
//! towards the end through states that contain none of them, and where it is stuck, the core of the
//! SAT query is one more such set. This is conflict-driven LTLf satisfiability (Li, Pu, Zhang, Vardi,
//! Rozier, "SAT-based explicit LTLf satisfiability checking", AIJ 2020) seen as property directed
//! reachability (Bradley, VMCAI 2011) against the direction of time: cores are generalised by
//! dropping burdens, and sets are carried over to more steps. When all sets for some number of steps
//! hold for one more, they hold for all, and no trace exists.
//!
//! Steps are granted one by one, so the first trace found is a shortest one.

#![expect(
    clippy::indexing_slicing,
    reason = "frames are indexed by the numbers of steps for which they were made"
)]

use super::encoding::Subformulas;
use super::solver::Lit;
use super::transition::{Burden, Index, Transition};
use crate::formula::{Arena, Formula, Id, Kind};
use crate::limits::{Error, Limits};
use crate::ops::Letter;

/// The answer for a set of members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// A shortest trace that satisfies the members.
    Trace(Vec<Letter>),
    /// Members, ascending, that exclude each other.
    Unsatisfiable(Vec<usize>),
}

/// Whether some trace satisfies some of the members.
pub(crate) struct Reachability<'l> {
    table: Subformulas,
    limits: Limits<'l>,
}

impl<'l> Reachability<'l> {
    /// An engine for these members. Their formulas may have future operators under past ones.
    ///
    /// Variables, clauses and learned clauses of one search are together bounded by
    /// [`Limits::nodes`].
    ///
    /// # Errors
    ///
    /// The work is cancelled.
    pub(crate) fn new(
        arena: &Arena,
        members: &[Formula],
        limits: &Limits<'l>,
    ) -> Result<Self, Error> {
        limits.check_cancelled()?;
        Ok(Self {
            table: Subformulas::new(arena, members),
            limits: *limits,
        })
    }

    /// A shortest trace with at least one step that satisfies the active members, or some of them
    /// that exclude each other.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled. The engine stays usable.
    pub(crate) fn decide(&mut self, active: &[usize]) -> Result<Reach, Error> {
        let mut step = Transition::new(&self.table, &self.limits);
        let truth = step.solver.truth();
        for &member in active {
            step.member(member, truth);
        }
        step.settle()?;
        let mut search = Search {
            step,
            atoms: atoms(&self.table, active),
            frames: Vec::new(),
            forever: Vec::new(),
            granted: Vec::new(),
            assumptions: Vec::new(),
        };
        match search.run()? {
            Outcome::Trace(trace) => Ok(Reach::Trace(trace)),
            Outcome::Hopeless(cubes) => {
                let used = certify(&self.table, &self.limits, active, &cubes)?;
                Ok(Reach::Unsatisfiable(used))
            }
        }
    }
}

/// The atoms of the active members with their nodes, ascending.
fn atoms(table: &Subformulas, active: &[usize]) -> Vec<(u32, Id)> {
    let wanted = table.atoms(active.iter().map(|&member| table.roots()[member]));
    let mut atoms: Vec<(u32, Id)> = (0..table.len())
        .map(|node| Id((node as u32) << 1))
        .filter_map(|node| match table.kind(node) {
            Kind::Atom(atom) if wanted.binary_search(&atom).is_ok() => Some((atom, node)),
            _ => None,
        })
        .collect();
    atoms.sort_unstable();
    atoms
}

/// A set of burdens, ascending.
type Cube = Vec<Index>;

enum Outcome {
    Trace(Vec<Letter>),
    /// Sets of burdens that no number of steps can satisfy, enough to show it of each other and of
    /// the first step.
    Hopeless(Vec<Vec<Burden>>),
}

/// Where a query starts.
#[derive(Clone, Copy)]
enum From<'c> {
    First,
    State(&'c [Index]),
}

enum Found {
    /// The step can be made; the model stands in the solver.
    Step,
    /// It cannot; the burdens that prevent it, and whether for any number of steps.
    Stuck { core: Cube, forever: bool },
}

struct Search<'t, 'l> {
    step: Transition<'t, 'l>,
    atoms: Vec<(u32, Id)>,
    /// `frames[k]`: cannot be satisfied by at most `k` further steps after the one that has them;
    /// each set stands in its highest frame only.
    frames: Vec<Vec<Cube>>,
    /// Cannot be satisfied at all.
    forever: Vec<Cube>,
    /// `granted[k]`: the next step must avoid the frames from `k` on.
    granted: Vec<Lit>,
    assumptions: Vec<Lit>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Outcome, Error> {
        for further in 0.. {
            if let Some(outcome) = self.within(further)? {
                return Ok(outcome);
            }
            if let Some(frame) = self.carry_over(further)? {
                let cubes = self.frames[frame..]
                    .iter()
                    .flatten()
                    .chain(&self.forever)
                    .map(|cube| self.burdens(cube))
                    .collect();
                return Ok(Outcome::Hopeless(cubes));
            }
        }
        Err(Error::Cancelled)
    }

    fn burdens(&self, cube: &[Index]) -> Vec<Burden> {
        cube.iter().map(|&index| self.step.burden(index)).collect()
    }

    /// Looks for a trace with at most `further` steps after the first. Nothing: there is none.
    fn within(&mut self, further: usize) -> Result<Option<Outcome>, Error> {
        // The states on the way, each with the letter that led to it.
        let mut path: Vec<(Cube, Letter)> = Vec::new();
        loop {
            let left = further - path.len();
            let from = match path.last() {
                Some((state, _)) => From::State(state),
                None => From::First,
            };
            match self.query(from, left)? {
                Found::Step => {
                    let letter = self.step.letter(&self.atoms);
                    if left == 0 || !self.step.solver.value(self.step.continues) {
                        let mut trace: Vec<Letter> =
                            path.into_iter().map(|(_, letter)| letter).collect();
                        trace.push(letter);
                        return Ok(Some(Outcome::Trace(trace)));
                    }
                    path.push((self.step.successor(), letter));
                }
                Found::Stuck { core, forever } => {
                    if path.pop().is_some() {
                        let (core, forever) = self.generalise(core, forever, left)?;
                        self.block(core, forever, left);
                    } else if forever {
                        let cubes = self.forever.iter().map(|cube| self.burdens(cube)).collect();
                        return Ok(Some(Outcome::Hopeless(cubes)));
                    } else {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Whether a step can be made from there, such that the rest may be possible in `further`
    /// steps.
    fn query(&mut self, from: From<'_>, further: usize) -> Result<Found, Error> {
        let limit = match further.checked_sub(1) {
            None => !self.step.continues,
            Some(frame) => self.frame(frame),
        };
        let mut assumptions = std::mem::take(&mut self.assumptions);
        assumptions.clear();
        match from {
            From::First => assumptions.push(self.step.first),
            From::State(state) => {
                assumptions.push(!self.step.first);
                assumptions.extend(state.iter().map(|&index| self.step.now(index)));
            }
        }
        assumptions.push(limit);
        let result = self.step.solver.solve(&assumptions);
        self.assumptions = assumptions;
        if result? {
            return Ok(Found::Step);
        }
        let core = match from {
            From::First => Cube::new(),
            From::State(state) => state
                .iter()
                .copied()
                .filter(|&index| self.step.solver.failed(self.step.now(index)))
                .collect(),
        };
        Ok(Found::Stuck {
            core,
            forever: !self.step.solver.failed(limit),
        })
    }

    /// The literal that makes the next step avoid the frames from this one on.
    fn frame(&mut self, frame: usize) -> Lit {
        while self.granted.len() <= frame {
            let granted = self.step.solver.fresh();
            if let Some(&before) = self.granted.last() {
                self.step.solver.clause([!before, granted]);
            }
            self.granted.push(granted);
            self.frames.push(Vec::new());
        }
        self.granted[frame]
    }

    /// Attempts to drop a burden that may fail before the set is taken as it is.
    const ATTEMPTS: usize = 8;

    /// Drops burdens that are not needed.
    fn generalise(
        &mut self,
        mut core: Cube,
        mut forever: bool,
        further: usize,
    ) -> Result<(Cube, bool), Error> {
        let mut failures = 0;
        let mut i = 0;
        while i < core.len() && core.len() > 1 && failures < Self::ATTEMPTS {
            let mut smaller = core.clone();
            smaller.remove(i);
            match self.query(From::State(&smaller), further)? {
                Found::Stuck {
                    core: found,
                    forever: always,
                } => {
                    // What stood before the dropped one and failed is still needed or gone.
                    i = found
                        .iter()
                        .take_while(|index| core[..i].contains(index))
                        .count();
                    core = found;
                    forever = always;
                }
                Found::Step => {
                    failures += 1;
                    i += 1;
                }
            }
        }
        Ok((core, forever))
    }

    /// The set cannot be satisfied within `further` steps.
    fn block(&mut self, cube: Cube, forever: bool, further: usize) {
        let guard = if forever {
            self.step.solver.truth()
        } else {
            self.frame(further)
        };
        self.step.avoid(guard, &cube);
        let weaker = |other: &Cube| !contains(other, &cube);
        if forever {
            self.forever.retain(weaker);
            self.frames
                .iter_mut()
                .for_each(|frame| frame.retain(weaker));
            self.forever.push(cube);
        } else {
            self.frames[..=further]
                .iter_mut()
                .for_each(|frame| frame.retain(weaker));
            self.frames[further].push(cube);
        }
    }

    /// Moves sets to the next frame where they hold there too. If a frame before `last` is left
    /// empty, the later ones hold for any number of steps, and the frame is given.
    fn carry_over(&mut self, last: usize) -> Result<Option<usize>, Error> {
        for frame in 0..last {
            self.frame(frame + 1);
            for cube in self.frames[frame].clone() {
                if !self.frames[frame].contains(&cube) {
                    continue;
                }
                if let Found::Stuck { core, forever } = self.query(From::State(&cube), frame + 1)? {
                    self.block(core, forever, frame + 1);
                }
            }
            if self.frames[frame].is_empty() {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }
}

/// Whether one ascending list contains another.
fn contains(large: &[Index], small: &[Index]) -> bool {
    let mut large = large.iter();
    small.iter().all(|index| large.any(|other| other == index))
}

/// Which members exclude each other, given sets of burdens that show it. Each step of the proof is
/// made again with a selector for each member and set, from the first step on, so that only what it
/// rests on is named.
fn certify(
    table: &Subformulas,
    limits: &Limits<'_>,
    active: &[usize],
    cubes: &[Vec<Burden>],
) -> Result<Vec<usize>, Error> {
    let mut step = Transition::new(table, limits);
    let mut members: Vec<(usize, Lit, bool)> = Vec::with_capacity(active.len());
    for &member in active {
        let selector = step.solver.fresh();
        step.member(member, selector);
        members.push((member, selector, false));
    }
    let mut sets: Vec<(Cube, Lit, bool)> = Vec::with_capacity(cubes.len());
    for cube in cubes {
        let cube: Cube = cube.iter().map(|&burden| step.number(burden)).collect();
        let selector = step.solver.fresh();
        step.avoid(selector, &cube);
        sets.push((cube, selector, false));
    }
    step.settle()?;
    let mut agenda: Vec<Option<usize>> = vec![None];
    while let Some(set) = agenda.pop() {
        let mut assumptions: Vec<Lit> = match set {
            None => vec![step.first],
            Some(set) => std::iter::once(!step.first)
                .chain(sets[set].0.iter().map(|&index| step.now(index)))
                .collect(),
        };
        // What is used already costs nothing: it comes first.
        for used in [true, false] {
            assumptions.extend(members.iter().filter(|m| m.2 == used).map(|m| m.1));
            assumptions.extend(sets.iter().filter(|s| s.2 == used).map(|s| s.1));
        }
        if step.solver.solve(&assumptions)? {
            // The search has shown otherwise.
            debug_assert!(false, "the proof does not hold");
            return Ok(active.to_vec());
        }
        for (_, selector, used) in &mut members {
            *used |= step.solver.failed(*selector);
        }
        for (i, (_, selector, used)) in sets.iter_mut().enumerate() {
            if !*used && step.solver.failed(*selector) {
                *used = true;
                agenda.push(Some(i));
            }
        }
    }
    let mut used: Vec<usize> = members
        .into_iter()
        .filter(|(_, _, used)| *used)
        .map(|(member, ..)| member)
        .collect();
    used.sort_unstable();
    used.dedup();
    Ok(used)
}
