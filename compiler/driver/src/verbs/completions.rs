//! `ctrc completions`: scripts for shells.

use clap_complete::aot::{Generator, Shell};
use clap_complete_nushell::Nushell;

use crate::cli::CompletionShell;
use crate::exit::{Exit, Stop, data};

/// Runs the verb.
///
/// # Errors
///
/// Where standard output cannot be written.
pub fn run(shell: CompletionShell) -> Result<Exit, Stop> {
    data(&script(shell))?;
    Ok(Exit::Clean)
}

/// The script; the same whatever the environment says.
#[must_use]
pub fn script(shell: CompletionShell) -> String {
    match shell {
        CompletionShell::Bash => generated(Shell::Bash),
        CompletionShell::Elvish => generated(Shell::Elvish),
        CompletionShell::Fish => generated(Shell::Fish),
        CompletionShell::Nushell => generated(Nushell),
        CompletionShell::Powershell => generated(Shell::PowerShell),
        CompletionShell::Zsh => generated(Shell::Zsh),
    }
}

fn generated(shell: impl Generator) -> String {
    let mut script = Vec::new();
    let mut command = crate::command(&|_| None);
    clap_complete::aot::generate(shell, &mut command, "ctrc", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
