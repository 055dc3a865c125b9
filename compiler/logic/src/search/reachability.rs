//! Reachability of the end of the trace: complete for satisfiable and for unsatisfiable sets.
//!
//! States are sets of burdens (see [`super::transition`]). For each number of steps the search knows
//! cubes, sets of states from which the end cannot be reached in so many; it walks from the first
//! step towards the end through states in none of them, and where it is stuck, the core of the SAT
//! query is one more cube. This is conflict-driven LTLf satisfiability (Li, Pu, Zhang, Vardi, Rozier,
//! "SAT-based explicit LTLf satisfiability checking", AIJ 2020) with what property directed
//! reachability (Bradley, VMCAI 2011) adds to it: cores are generalised by dropping burdens, and
//! cubes are carried over to more steps. When all cubes for some number of steps hold for one more,
//! they hold for all, and no trace exists.
//!
//! Against time the same search walks from the last step towards the first, which is property
//! directed reachability itself. Each direction has sets for which it needs few cubes and the other
//! very many: what cannot go on to the end is a union of cubes onward, what has been reached an
//! intersection of their complements back. So they take turns.
//!
//! Steps are granted one by one, so the first trace found is a shortest one.

#![expect(
    clippy::indexing_slicing,
    reason = "frames are indexed by the numbers of steps for which they were made"
)]

use super::encoding::Subformulas;
use super::solver::Lit;
use super::transition::{Burden, Index, Transition, Way};
use crate::formula::{Arena, Formula, Id};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use std::sync::Arc;

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
    table: Arc<Subformulas>,
    limits: Limits<'l>,
    /// What was broken off last.
    paused: Option<Turns<'l>>,
}

/// Searches that take turns, for the same members.
struct Turns<'l> {
    active: Vec<usize>,
    ways: Vec<Way>,
    searches: Vec<Search<'l>>,
    effort: u64,
    /// What one of them found.
    outcome: Option<(Way, Outcome)>,
}

impl<'l> Reachability<'l> {
    /// An engine for these members. Their formulas may have future operators under past ones.
    ///
    /// Variables, clauses and learned clauses of one direction are together bounded by
    /// [`Limits::nodes`], and the literals that it propagates by a thousand times as many.
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
            table: Arc::new(Subformulas::new(arena, members)),
            limits: *limits,
            paused: None,
        })
    }

    /// A shortest trace with at least one step that satisfies the active members, or some of them
    /// that exclude each other.
    ///
    /// # Errors
    ///
    /// A limit is reached, or the work is cancelled. The engine stays usable; asked for the same
    /// members again, it goes on where it was cancelled.
    pub(crate) fn decide(&mut self, active: &[usize]) -> Result<Reach, Error> {
        self.decide_by(&[Way::Onward, Way::Back], active)
    }

    /// The same by searches in these directions alone.
    pub(super) fn decide_by(&mut self, ways: &[Way], active: &[usize]) -> Result<Reach, Error> {
        let mut turns = match self.paused.take() {
            Some(turns) if turns.active == active && turns.ways == ways => turns,
            _ => Turns {
                active: active.to_vec(),
                ways: ways.to_vec(),
                searches: Vec::with_capacity(ways.len()),
                effort: EFFORT,
                outcome: None,
            },
        };
        let decided = turns.decide(&self.table, &self.limits);
        if decided == Err(Error::Cancelled) {
            self.paused = Some(turns);
        }
        decided
    }
}

impl<'l> Turns<'l> {
    fn decide(&mut self, table: &Arc<Subformulas>, limits: &Limits<'l>) -> Result<Reach, Error> {
        while self.outcome.is_none() {
            for (turn, &way) in self.ways.iter().enumerate() {
                if turn == self.searches.len() {
                    // Most sets are decided before the second is needed.
                    let search = Search::new(table, limits, way, &self.active)?;
                    self.searches.push(search);
                }
                if let Some(outcome) = self.searches[turn].run(self.effort)? {
                    self.outcome = Some((way, outcome));
                    break;
                }
            }
            self.effort = self.effort.saturating_mul(2);
        }
        match &self.outcome {
            Some((way, Outcome::Hopeless(cubes))) => {
                let used = certify(table, limits, *way, &self.active, cubes)?;
                Ok(Reach::Unsatisfiable(used))
            }
            Some((_, Outcome::Trace(trace))) => Ok(Reach::Trace(trace.clone())),
            None => Err(Error::Cancelled),
        }
    }
}

/// Work of the first turn of a search, in propagated literals.
const EFFORT: u64 = 200_000;

/// Work allowed for each node of the limit.
const WORK_PER_NODE: u64 = 1_000;

/// Work of a query beside what it propagates, in propagated literals.
const QUERY: u64 = 100;

/// A list of burdens, ascending; see [`Way`].
type Cube = Vec<Index>;

enum Outcome {
    Trace(Vec<Letter>),
    /// Cubes in which no trace passes, enough to show it of each other and of the step where the
    /// search starts.
    Hopeless(Vec<Vec<Burden>>),
}

enum Found {
    /// The step can be made; the model stands in the solver.
    Step,
    /// It cannot; a larger cube of which that is true, and whether for any number of steps.
    Stuck { core: Cube, forever: bool },
}

/// A search in one direction.
struct Search<'l> {
    table: Arc<Subformulas>,
    limits: Limits<'l>,
    active: Vec<usize>,
    step: Transition<'l>,
    way: Way,
    atoms: Vec<(u32, Id)>,
    /// `frames[k]`: from there the other end is not reached in at most `k` further steps; each cube
    /// stands in its last frame only.
    frames: Vec<Vec<Cube>>,
    /// From there the other end is not reached at all.
    forever: Vec<Cube>,
    /// `granted[k]`: the neighbour must avoid the frames from `k` on.
    granted: Vec<Lit>,
    /// Clauses for cubes in the solver, among them those of cubes that have moved on.
    clauses: usize,
    /// How many steps the present round grants after the one where the search starts.
    further: usize,
    /// Work done, and when to pause.
    work: u64,
    pause: u64,
    assumptions: Vec<Lit>,
}

/// The end of a round that was not broken off.
enum Round {
    Done(Outcome),
    /// There is no trace of that length.
    Longer,
    /// The work is used up. What was learned stays, so the round can be begun again.
    Pause,
}

impl<'l> Search<'l> {
    fn new(
        table: &Arc<Subformulas>,
        limits: &Limits<'l>,
        way: Way,
        active: &[usize],
    ) -> Result<Self, Error> {
        Ok(Self {
            step: Transition::of(table, limits, active)?,
            table: Arc::clone(table),
            limits: *limits,
            active: active.to_vec(),
            way,
            atoms: table.atoms(active),
            frames: Vec::new(),
            forever: Vec::new(),
            granted: Vec::new(),
            clauses: 0,
            further: 0,
            work: 0,
            pause: 0,
            assumptions: Vec::new(),
        })
    }

    /// Goes on for about so much work. Nothing: it is not decided yet.
    fn run(&mut self, effort: u64) -> Result<Option<Outcome>, Error> {
        self.pause = self.work.saturating_add(effort);
        loop {
            self.tidy()?;
            match self.round()? {
                Round::Done(outcome) => return Ok(Some(outcome)),
                Round::Pause => return Ok(None),
                Round::Longer => {}
            }
            if let Some(frame) = self.carry_over()? {
                let later = self.frames[frame..].iter().flatten();
                let cubes = later.chain(&self.forever);
                let cubes = cubes.map(|cube| self.burdens(cube)).collect();
                return Ok(Some(Outcome::Hopeless(cubes)));
            }
            self.further += 1;
        }
    }

    fn burdens(&self, cube: &[Index]) -> Vec<Burden> {
        cube.iter().map(|&index| self.step.burden(index)).collect()
    }

    /// Looks for a trace with at most `further` steps beside the one where the search starts.
    fn round(&mut self) -> Result<Round, Error> {
        // The cubes on the way, each with the letter of the step that led to it.
        let mut path: Vec<(Cube, Letter)> = Vec::new();
        loop {
            if self.work > self.pause {
                return Ok(Round::Pause);
            }
            let left = self.further - path.len();
            let cube = path.last().map(|(cube, _)| cube.as_slice());
            match self.query(cube, left)? {
                Found::Step => {
                    let letter = self.step.letter(&self.atoms);
                    if left == 0 || self.step.solver.value(self.step.edge(self.way)) {
                        let letters = path.into_iter().map(|(_, letter)| letter);
                        let mut trace: Vec<Letter> = letters.collect();
                        trace.push(letter);
                        if self.way == Way::Back {
                            trace.reverse();
                        }
                        return Ok(Round::Done(Outcome::Trace(trace)));
                    }
                    let neighbour = self.step.neighbour(self.way, cube);
                    path.push((neighbour, letter));
                }
                Found::Stuck { core, forever } => {
                    if path.pop().is_some() {
                        let (core, forever) = self.generalise(core, forever, left)?;
                        self.block(core, forever, left);
                    } else if forever {
                        let cubes = self.forever.iter().map(|cube| self.burdens(cube)).collect();
                        return Ok(Round::Done(Outcome::Hopeless(cubes)));
                    } else {
                        return Ok(Round::Longer);
                    }
                }
            }
        }
    }

    /// Whether a step can be made from a cube, or from the start, such that the rest may be
    /// possible in `further` steps.
    fn query(&mut self, cube: Option<&[Index]>, further: usize) -> Result<Found, Error> {
        let limit = match further.checked_sub(1) {
            None => self.step.edge(self.way),
            Some(frame) => self.frame(frame),
        };
        let mut assumptions = std::mem::take(&mut self.assumptions);
        assumptions.clear();
        self.step.stand(self.way, cube, &mut assumptions);
        assumptions.push(limit);
        let before = self.step.solver.propagations();
        let result = self.step.solver.solve(&assumptions);
        self.work += QUERY + self.step.solver.propagations() - before;
        self.assumptions = assumptions;
        if self.work > (self.limits.nodes as u64).saturating_mul(WORK_PER_NODE) {
            let limit = self.limits.nodes;
            return Err(Error::SearchTooLarge { limit });
        }
        if result? {
            return Ok(Found::Step);
        }
        let failed = |&index: &Index| self.step.solver.failed(self.step.inside(self.way, index));
        Ok(Found::Stuck {
            core: cube
                .unwrap_or_default()
                .iter()
                .copied()
                .filter(failed)
                .collect(),
            forever: !self.step.solver.failed(limit),
        })
    }

    /// The literal that makes the neighbour avoid the frames from this one on.
    fn frame(&mut self, frame: usize) -> Lit {
        while self.granted.len() <= frame {
            let granted = self.step.solver.fresh();
            if let Some(&before) = self.granted.last() {
                self.step.solver.clause([!before, granted]);
            }
            self.granted.push(granted);
            if self.frames.len() < self.granted.len() {
                self.frames.push(Vec::new());
            }
        }
        self.granted[frame]
    }

    /// Makes the solver anew when most of its clauses are of cubes that have moved on: every query
    /// would propagate through them.
    fn tidy(&mut self) -> Result<(), Error> {
        let live = self.forever.len() + self.frames.iter().map(Vec::len).sum::<usize>();
        if self.clauses < 2 * live + Self::STALE {
            return Ok(());
        }
        // The members are the same, so the burdens have the same numbers.
        self.step = Transition::of(&self.table, &self.limits, &self.active)?;
        self.granted.clear();
        for frame in 0..self.frames.len() {
            let guard = self.frame(frame);
            for cube in &self.frames[frame] {
                self.step.avoid(self.way, guard, cube);
            }
        }
        let truth = self.step.solver.truth();
        for cube in &self.forever {
            self.step.avoid(self.way, truth, cube);
        }
        self.clauses = live;
        Ok(())
    }

    /// Clauses of cubes that have moved on which are not worth a new solver.
    const STALE: usize = 100;

    /// Attempts to drop a burden that may fail before the cube is taken as it is.
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
            match self.query(Some(&smaller), further)? {
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

    /// From the cube the other end is not reached within `further` steps.
    fn block(&mut self, cube: Cube, forever: bool, further: usize) {
        let guard = if forever {
            self.step.solver.truth()
        } else {
            self.frame(further)
        };
        self.step.avoid(self.way, guard, &cube);
        self.clauses += 1;
        let keep = |other: &Cube| !contains(other, &cube);
        if forever {
            self.forever.retain(keep);
            self.frames.iter_mut().for_each(|frame| frame.retain(keep));
            self.forever.push(cube);
        } else {
            let frames = &mut self.frames[..=further];
            frames.iter_mut().for_each(|frame| frame.retain(keep));
            self.frames[further].push(cube);
        }
    }

    /// Moves cubes to the next frame where they hold there too. If a frame of this round is left
    /// empty, the later ones hold for any number of steps, and the frame is given.
    fn carry_over(&mut self) -> Result<Option<usize>, Error> {
        for frame in 0..self.further {
            self.frame(frame + 1);
            for cube in self.frames[frame].clone() {
                if !self.frames[frame].contains(&cube) {
                    continue;
                }
                if let Found::Stuck { core, forever } = self.query(Some(&cube), frame + 1)? {
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

/// Which members exclude each other, given cubes that show it. Each step of the proof is made
/// again with a selector for each member and cube, from the start of the search on, so that only what it
/// rests on is named.
fn certify(
    table: &Arc<Subformulas>,
    limits: &Limits<'_>,
    way: Way,
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
        step.avoid(way, selector, &cube);
        sets.push((cube, selector, false));
    }
    step.settle()?;
    let mut assumptions = Vec::new();
    let mut agenda: Vec<Option<usize>> = vec![None];
    while let Some(set) = agenda.pop() {
        assumptions.clear();
        let cube = set.map(|set| sets[set].0.as_slice());
        step.stand(way, cube, &mut assumptions);
        // What is used already costs nothing: it comes first.
        for used in [true, false] {
            assumptions.extend(members.iter().filter(|m| m.2 == used).map(|m| m.1));
            assumptions.extend(sets.iter().filter(|s| s.2 == used).map(|s| s.1));
        }
        if step.solver.solve(&assumptions)? {
            return Err(Error::Contradiction(
                "a proof of unsatisfiability does not hold when it is made again",
            ));
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
