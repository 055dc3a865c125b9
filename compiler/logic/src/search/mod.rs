//! Satisfiability of sets of formulas by SAT: no automaton is built.
//!
//! [`Bounded`] unrolls the trace and answers for one length at a time.

#![allow(
    dead_code,
    unused_imports,
    reason = "the callers take up one engine after the other"
)]

mod bounded;
mod encoding;
mod solver;
#[cfg(test)]
mod tests;

pub(crate) use bounded::{Bound, Bounded};
