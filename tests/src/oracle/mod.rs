//! A plain evaluator of contracts, written from the definitions of the language reference alone.
//!
//! Nothing here builds an automaton of a formula. A finished session is judged by walking its
//! positions ([`eval`]); whether a prefix is violated for good is decided by trying every
//! extension, as sets of truth vectors ([`residual`]). [`generate`] writes random policies and
//! sessions as text, and [`check`] compares the answers of `ctrc` with these.

pub mod check;
pub mod cond;
pub mod contract;
pub mod eval;
pub mod formula;
pub mod gated;
pub mod generate;
pub mod model;
pub mod residual;
pub mod shrink;
pub mod timed;
