//! Loading is trusted by everything behind it, so it is attacked here: artifacts that are cut, flipped and
//! set to extremes, and arbitrary ones with arbitrary events. Each is an error, or an artifact that runs
//! sessions without a panic and in bounded time.
//!
//! `CTRC_FAULTS=all` tries every byte and bit; `CTRC_FUZZ_SECONDS=600` lets the
//! generators run so long. Without them a sample is tried in seconds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code, reason = "shared")]
#[path = "../artifact/sample.rs"]
mod sample;
#[path = "../support/tables.rs"]
mod tables;

mod arbitrary;
mod damage;
mod golden;
mod subjects;

use ctr_runtime::format::{Library, encode};
use ctr_runtime::limits::Limits;
use ctr_runtime::session::Session;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::random::{Dice, Made, Names, drive, events, model, tight};
use support::seal::seal;

/// Whether everything is to be tried.
fn all() -> bool {
    std::env::var("CTRC_FAULTS").is_ok_and(|what| what == "all")
}

/// A stored artifact or session.
fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Plays a few sessions to a library that damage may have made.
fn run(library: &Library<'_>, list: &[Made], seed: u64) {
    let start = Instant::now();
    let mut limits = match seed % 2 {
        0 => tight(),
        _ => Limits::default(),
    };
    limits.work = 20_000;
    let mut session = Session::new(library);
    session.set_limits(limits);
    drive(&mut session, &mut Dice::seed(seed), list);
    let bytes = session.save();
    let twin = Session::restore(library, &bytes)
        .unwrap_or_else(|error| panic!("seed {seed}: what was saved is not restored: {error}"));
    assert_eq!(twin.finish(), session.finish());
    // Some milliseconds; more only where the machine is busy with other things.
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "it took too long"
    );
}
