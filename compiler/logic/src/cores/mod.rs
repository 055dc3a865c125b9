//! Minimal unsatisfiable cores: which members exclude each other, none of them to spare.
//!
//! One core: the members that an engine names, shrunk by deletion, by halves first where they are
//! many (QuickXplain: Junker, AAAI 2004). All of them: MARCO (Liffiton, Previti, Malik,
//! Marques-Silva, "Fast, flexible MUS enumeration", Constraints 2016), a map of the subsets that
//! are not known to be satisfiable nor to contain a core, with seeds of minimal cardinality from it
//! (as in Ignatiev, Previti, Liffiton, Marques-Silva, "Smallest MUS extraction with minimal hitting
//! set dualization", CP 2015). A seed that is unsatisfiable is then a smallest core that is left; a
//! seed that is satisfiable grows by what its trace satisfies.
//!
//! Other tools for minimal cores of formulas on finite traces stop earlier: the cores that Roveri,
//! Di Ciccio, Di Francescomarino, Ghidini ("Computing unsatisfiable cores for LTLf specifications",
//! JAIR 2024) extract with aaltaf, NuSMV and BLACK are not minimal in general.

mod enumerate;
mod map;
mod shrink;

use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use crate::satisfiability::{Satisfiability, Solver, Verdict, gated};

/// Which cores to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoreOptions {
    /// At most this many. One is found the fastest way and need not be smallest; of several the
    /// smallest come first.
    pub limit: usize,
    /// How subsets are decided, and which traces count.
    pub satisfiability: Satisfiability,
}

impl Default for CoreOptions {
    fn default() -> Self {
        Self {
            limit: 1,
            satisfiability: Satisfiability::default(),
        }
    }
}

/// A minimal core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    /// The members that exclude each other, as ascending indices. Without any one of them the
    /// others are satisfiable.
    pub members: Vec<usize>,
    /// For each of them a shortest trace that satisfies the others; it has been checked with
    /// [`Arena::holds`].
    pub without: Vec<Vec<Letter>>,
}

/// The cores that were found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cores {
    /// The cores, smaller ones first, then by their members.
    pub cores: Vec<Core>,
    /// Members that exclude each other, as ascending indices, but not necessarily as few as
    /// possible: what is known even where the search ended before the first core. None if all
    /// members are satisfiable together.
    pub conflict: Vec<usize>,
    /// Whether there is no other core.
    pub complete: bool,
    /// If there may be others: each has at least this many members.
    pub others_have: usize,
    /// Why the search ended before the limit on cores, where it did: a limit on the work, or
    /// cancellation.
    pub stopped: Option<Error>,
    /// How many subsets of the members the engines decided.
    pub checks: usize,
}

impl Cores {
    /// Some cores of members that exclude each other.
    fn some(cores: Vec<Core>) -> Self {
        Self {
            cores,
            conflict: Vec::new(),
            complete: false,
            others_have: 1,
            stopped: None,
            checks: 0,
        }
    }

    /// Whether all members are satisfiable together.
    pub fn satisfiable(&self) -> bool {
        self.conflict.is_empty()
    }
}

/// Minimal unsatisfiable cores of the members. Each is shown to be one: an engine has found it
/// unsatisfiable, and for each member there is a trace, accepted by the evaluator, that satisfies
/// the others.
///
/// With a limit of more than one, cores come in the order of their size: whenever the search ends,
/// all cores with fewer than [`Cores::others_have`] members are among those given. Only where it is
/// stopped ([`Cores::stopped`]) may one larger core stand beside them, found before the search.
/// Which of several cores of the same size come within the limit is not laid down.
///
/// ```
/// use ctr_logic::{Arena, CoreOptions, Limits, cores};
///
/// let mut arena = Arena::new();
/// let (a, b) = (arena.atom(0), arena.atom(1));
/// let not_a = arena.not(a);
/// let members = [arena.eventually(a), arena.eventually(b), arena.always(not_a)];
/// let found = cores(&arena, &members, &CoreOptions::default(), &Limits::default())?;
/// assert_eq!(found.cores[0].members, [0, 2]);
/// // Without `eventually a` one step without `a` is allowed, without `always not a` one with it.
/// assert_eq!(found.cores[0].without, [vec![vec![]], vec![vec![(0, true)]]]);
/// # Ok::<(), ctr_logic::Error>(())
/// ```
///
/// # Errors
///
/// A limit is reached or the work is cancelled before it is known whether the members are
/// satisfiable together (later it is told in [`Cores::stopped`]), or a member has a future operator
/// under a past one.
pub fn cores(
    arena: &Arena,
    members: &[Formula],
    options: &CoreOptions,
    limits: &Limits<'_>,
) -> Result<Cores, Error> {
    gated(limits, |limits| {
        let mut solver = Solver::new(arena, members, &options.satisfiability, limits)?;
        let all: Vec<usize> = (0..members.len()).collect();
        let mut found = match solver.decide(&all)?.0 {
            Verdict::Satisfiable { .. } => Cores {
                cores: Vec::new(),
                conflict: Vec::new(),
                complete: true,
                others_have: 0,
                stopped: None,
                checks: 0,
            },
            Verdict::Unsatisfiable { core: mut conflict } => {
                let first = shrink::shrink(&mut solver, &mut conflict)
                    .and_then(|()| explained(&mut solver, conflict.clone()));
                let mut found = match first {
                    Ok(first) if options.limit > 1 => {
                        enumerate::enumerate(&mut solver, first, options.limit, &limits.caller)?
                    }
                    Ok(first) => Cores::some(Vec::from_iter((options.limit == 1).then_some(first))),
                    Err(error) if ends_search(error) => Cores {
                        stopped: Some(error),
                        ..Cores::some(Vec::new())
                    },
                    Err(error) => return Err(error),
                };
                found.conflict = conflict;
                found
            }
        };
        found.checks = solver.checks;
        Ok(found)
    })
}

/// Whether an error ends a search that keeps what it has found; others say that something is wrong.
fn ends_search(error: Error) -> bool {
    error.is_limit() || error == Error::Cancelled
}

/// The core with a shortest trace for each member, which shows that it is minimal.
fn explained(solver: &mut Solver<'_>, members: Vec<usize>) -> Result<Core, Error> {
    if !solver.is_excluded(&members)? {
        return Err(Error::Contradiction("a core is satisfiable"));
    }
    let mut without = Vec::with_capacity(members.len());
    for &member in &members {
        let rest: Vec<usize> = members.iter().copied().filter(|&m| m != member).collect();
        match solver.decide(&rest)?.0 {
            Verdict::Satisfiable { trace } => without.push(trace),
            Verdict::Unsatisfiable { .. } => {
                return Err(Error::Contradiction("a core is not minimal"));
            }
        }
    }
    Ok(Core { members, without })
}
