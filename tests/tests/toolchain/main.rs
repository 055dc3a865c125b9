//! Faults that people reported of other language tools, tried on `ctrc`: one module for each group.
//!
//! Cases that a fixture of `ui/` or another test holds already are named in a table at the top of the module.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    reason = "tests"
)]

mod cli;
mod config;
#[cfg(unix)]
mod editor;
mod fix;
mod format;
mod mistakes;
#[cfg(unix)]
mod names;
mod places;
mod recovery;
mod schemas;
mod slips;
mod suppress;
mod text;
