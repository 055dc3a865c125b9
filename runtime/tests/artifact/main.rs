//! The artifact format: what is written is read, damage is an error, broken models are refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod damage;
mod reading;
mod refusal;
mod sample;
#[path = "../support/seal.rs"]
mod seal;
#[path = "../support/tables.rs"]
mod tables;
mod walk;
