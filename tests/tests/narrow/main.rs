//! Narrowed schemas against the gate: what a schema accepts the session accepts, and where nothing is
//! left out the reverse.
//!
//! Unlike the other tests of this crate these use the runtime's own interface, since a schema has to
//! be compared with thousands of proposals at the same point of a session.
//!
//! So do `saved` (sessions saved, restored and taken over at every step) and `tight` (sessions at their limits).
//!
//! `CTRC_ORACLE_SEED` and `CTRC_ORACLE_COUNT` change what is tried.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod cli;
mod compare;
mod each;
mod facts;
mod known;
#[path = "../common/live.rs"]
mod live;
mod oracle;
mod rich;
mod saved;
mod tight;
