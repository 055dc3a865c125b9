//! Whether formulas can be satisfied together, with a shortest trace or with those that exclude
//! each other.
//!
//! Three engines decide: automata of a few conjuncts ([`Engine::Automata`]), a SAT solver on traces
//! of one length after the other ([`Engine::Bounded`]; BLACK: Geatti, Gigante, Montanari, "BLACK: a
//! fast, flexible and reliable LTL satisfiability checker", OVERLAY 2021, and its reasoning on
//! finite traces, unroll a tableau in the same way), and conflict-driven search
//! ([`Engine::Reachability`]; aaltaf: Li, Pu, Zhang, Vardi, Rozier, "SAT-based explicit LTLf
//! satisfiability checking", AIJ 2020). Each is hopeless on families that another does in
//! milliseconds, hence all of them: small attempts in turn, then a race in threads.
//!
//! Lower bounds are shared: the shortest trace of some conjuncts, found by automata, is where the
//! search by lengths goes on.

mod gate;
mod lengths;
mod problem;
mod prover;
mod refinement;
mod repair;
mod set;
mod solver;
mod word;

use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
pub(crate) use gate::gated;
pub use prover::{Effort, Prover};
pub(crate) use set::Set;
pub(crate) use solver::{Known, Solver};
use std::fmt;

/// Which traces count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Traces {
    /// Those with at least one step, as in most tools and papers.
    #[default]
    NonEmpty,
    /// The empty one too.
    Any,
}

/// What answers a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// Lazy conjunction refinement on minimal automata.
    Automata,
    /// A SAT solver on the trace unrolled to one length after the other; conjuncts that exclude a
    /// length are candidates for a core, which small automata certify. Alone it may not end on an
    /// unsatisfiable set.
    Bounded,
    /// A SAT solver that learns, for each number of further steps, what cannot be satisfied within
    /// so many: aaltaf's conflict-driven search, seen as property directed reachability.
    Reachability,
}

impl fmt::Display for Engine {
    /// Its name in one word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Automata => "automata",
            Self::Bounded => "bounded",
            Self::Reachability => "reachability",
        })
    }
}

/// How to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Satisfiability {
    /// Which traces count.
    pub traces: Traces,
    /// This engine alone; `None`: whichever answers first.
    pub engine: Option<Engine>,
}

/// Whether some trace satisfies all members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// One does.
    Satisfiable {
        /// A shortest one. Atoms that a letter leaves out are false.
        trace: Vec<Letter>,
    },
    /// None does.
    Unsatisfiable {
        /// Members that exclude each other, as ascending indices; not necessarily as few as
        /// possible, see [`crate::cores`].
        core: Vec<usize>,
    },
}

/// The verdict, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Which engine answered.
    pub engine: Engine,
    /// How many conjuncts were multiplied by the automata engine.
    pub rounds: usize,
    /// The most states of a minimal automaton of the automata engine.
    pub states: usize,
    /// The largest length that the bounded engine looked at; 0 if it was not asked.
    pub longest: usize,
}

/// Whether some trace satisfies all members.
///
/// A member that is a conjunction, or `always` of one, is taken apart first: engines work on the
/// conjuncts. The trace has been checked with [`Arena::holds`] for every member.
///
/// Verdict and length of the trace are the same on every run. So are the trace itself and the core
/// where an engine answers within its first attempts (milliseconds) or is asked for by
/// [`Satisfiability::engine`]; where engines race, they are those of the winner, and another run
/// may give another trace of the same length, or another core.
///
/// ```
/// use ctr_logic::{Arena, Limits, Satisfiability, Verdict, satisfiable};
///
/// let mut arena = Arena::new();
/// let a = arena.atom(0);
/// let not_a = arena.not(a);
/// let members = [arena.eventually(a), arena.next(a), arena.always(not_a)];
/// let answer = satisfiable(&arena, &members[..2], &Satisfiability::default(), &Limits::default())?;
/// assert_eq!(answer.verdict, Verdict::Satisfiable { trace: vec![vec![], vec![(0, true)]] });
/// let answer = satisfiable(&arena, &members, &Satisfiability::default(), &Limits::default())?;
/// assert!(matches!(answer.verdict, Verdict::Unsatisfiable { .. }));
/// # Ok::<(), ctr_logic::Error>(())
/// ```
///
/// # Errors
///
/// A limit is reached, the work is cancelled, or a member has a future operator under a past one.
pub fn satisfiable(
    arena: &Arena,
    members: &[Formula],
    options: &Satisfiability,
    limits: &Limits<'_>,
) -> Result<Answer, Error> {
    gated(limits, |limits| {
        let mut solver = Solver::new(arena, members, options, limits)?;
        let all: Vec<usize> = (0..members.len()).collect();
        let (verdict, engine) = solver.decide(&all)?;
        Ok(Answer {
            verdict,
            engine,
            rounds: solver.rounds(),
            states: solver.states(),
            longest: solver.longest(),
        })
    })
}

/// Whether all traces with a step satisfy `f`, or none does, if either is the case and can be seen
/// with an effort of some tenths of a second.
///
/// # Errors
///
/// The work is cancelled.
pub(crate) fn constant(
    arena: &mut Arena,
    f: Formula,
    limits: &Limits<'_>,
) -> Result<Option<bool>, Error> {
    let not_f = arena.not(f);
    for (formula, value) in [(f, false), (not_f, true)] {
        let satisfiable = gated(limits, |limits| {
            Solver::new(arena, &[formula], &Satisfiability::default(), limits)?.satisfiable_soon()
        })?;
        if satisfiable == Some(false) {
            return Ok(Some(value));
        }
    }
    Ok(None)
}
