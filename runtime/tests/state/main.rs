//! Sessions as state: saved, restored, damaged, taken over by another policy, run side by side.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

mod restarted;
mod saved;
mod side_by_side;
mod takeover;

use ctr_runtime::format::{Library, encode};
use ctr_runtime::limits::Limits;
use ctr_runtime::session::{LogEntry, Plan, RestoreError, Session, gate};
use support::random::{Dice, Made, Names, Oracle, drive, events, model, tight};

/// An arbitrary library. Models that cannot be encoded are passed over.
fn library(d: &mut Dice<'_>) -> Library<'static> {
    loop {
        if let Ok(bytes) = encode(&model(d)) {
            return Library::load(bytes).expect("what was encoded can be loaded");
        }
    }
}

/// How much is tried: the number, or with `CTRC_FAULTS=all` twenty times as much.
fn times(count: u64) -> u64 {
    match std::env::var("CTRC_FAULTS").as_deref() {
        Ok("all") => 20 * count,
        _ => count,
    }
}
