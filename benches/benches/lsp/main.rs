//! A keystroke in a workspace of a thousand contracts: from a change to the findings of its text, from a change to
//! what proofs find, processor time of an idle server, and memory.
//!
//! The real server runs in this process, and an editor of a few lines types: words, clauses, contracts, line ends,
//! brackets that break the text and mend it. Each workspace has a process of its own. `CTRC_BENCH_LSP=one,sharing,realistic`
//! chooses workspaces.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod editor;
#[cfg(unix)]
mod measures;

use ctr_bench::Failure;

#[cfg(not(unix))]
fn main() -> Result<(), Failure> {
    Err("processor time is measured on Unix only".into())
}

#[cfg(unix)]
fn main() -> Result<(), Failure> {
    measures::run()
}
