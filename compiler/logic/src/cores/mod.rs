//! Minimal unsatisfiable cores: which members exclude each other, none of them to spare.

use crate::formula::{Arena, Formula};
use crate::limits::{Error, Limits};
use crate::ops::Letter;
use crate::satisfiability::{Satisfiability, Solver, Verdict};

/// Which cores to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoreOptions {
    /// At most this many.
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
    /// The cores; none if the members are satisfiable together.
    pub cores: Vec<Core>,
    /// Whether there is no other core.
    pub complete: bool,
    /// How many subsets of the members were decided.
    pub checks: usize,
}

/// Minimal unsatisfiable cores of the members.
///
/// # Errors
///
/// A limit is reached, the work is cancelled, or a member has a future operator under a past one.
pub fn cores(
    arena: &Arena,
    members: &[Formula],
    options: &CoreOptions,
    limits: &Limits<'_>,
) -> Result<Cores, Error> {
    let mut solver = Solver::new(arena, members, &options.satisfiability)?;
    let all: Vec<usize> = (0..members.len()).collect();
    let mut checks = 1;
    let mut core = match solver.decide(&all, limits)?.0 {
        Verdict::Satisfiable { .. } => {
            return Ok(Cores {
                cores: Vec::new(),
                complete: true,
                checks,
            });
        }
        Verdict::Unsatisfiable { core } => core,
    };
    let mut without = Vec::new();
    let mut at = 0;
    while let Some(&candidate) = core.get(at) {
        let rest: Vec<usize> = core.iter().copied().filter(|&m| m != candidate).collect();
        checks += 1;
        match solver.decide(&rest, limits)?.0 {
            Verdict::Satisfiable { .. } => at += 1,
            Verdict::Unsatisfiable { core: smaller } => {
                at = smaller.iter().take_while(|&&m| m < candidate).count();
                core = smaller;
            }
        }
    }
    for &member in &core {
        let rest: Vec<usize> = core.iter().copied().filter(|&m| m != member).collect();
        checks += 1;
        let Verdict::Satisfiable { trace } = solver.decide(&rest, limits)?.0 else {
            return Err(Error::Contradiction("a core is not minimal"));
        };
        without.push(trace);
    }
    let cores = if options.limit == 0 {
        Vec::new()
    } else {
        vec![Core {
            members: core,
            without,
        }]
    };
    Ok(Cores {
        cores,
        complete: false,
        checks,
    })
}
