//! Satisfiability of sets of formulas by SAT: no automaton is built.
//!
//! [`Bounded`] unrolls the trace and answers for one length at a time. [`Reachability`] looks at one step
//! at a time, knows for each number of steps what cannot be satisfied within so many, and is complete for
//! satisfiable and unsatisfiable sets. Both speak of steps in the clauses of `encoding`.

mod bounded;
mod encoding;
mod reachability;
mod solver;
#[cfg(test)]
mod tests;
mod transition;

pub(crate) use bounded::{Bound, Bounded};
pub(crate) use reachability::{Reach, Reachability};
