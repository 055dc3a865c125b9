//! The command line as it is documented in `docs/cli.md`: verbs, exit codes, where output goes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    clippy::print_stdout,
    reason = "tests"
)]

mod contract;
mod desk;
mod diff;
mod fmt;
mod graph;
mod hostile;
mod lsp;
mod ltlf;
mod order;
mod output;
mod policies;
mod replay;
mod report;
mod schemas;
mod shells;
#[cfg(unix)]
mod terminal;
mod variables;
mod watch;
mod witness;
mod words;
