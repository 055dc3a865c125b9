//! Helpers of the end-to-end tests.
//!
//! The crate knows two things only: the language reference and the command line of `ctrc`. It
//! shares no code with the compiler or the runtime, so that a mistake there cannot hide here.
//!
//! * [`attempts`] tries the command line with bad input.
//! * [`binary`] finds and runs `ctrc`.
//! * [`cases`] reads and judges `.case` files (policy, trace and expectation in one file).
//! * [`style`] judges messages by the style guide.
//! * [`oracle`] is a slow and plain evaluator of contracts, with a random generator of policies
//!   and sessions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "this crate is test code: a failure is meant to stop the test with a message"
)]

pub mod attempts;
pub mod binary;
pub mod cases;
pub mod oracle;
pub mod rng;
pub mod style;
