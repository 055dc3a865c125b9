//! `ctrc completions`: scripts for shells.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::{Exit, Stop, data};

/// Runs the verb.
///
/// # Errors
///
/// Where standard output cannot be written.
pub fn run(shell: clap_complete::Shell) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ctrc", &mut script);
    data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Clean)
}
