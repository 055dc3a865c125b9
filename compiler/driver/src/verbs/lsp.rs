//! `ctrc lsp`: the language server, for an editor that started it.

use std::io::ErrorKind;

use crate::exit::{Exit, Stop};

/// Runs the verb: standard output has nothing but the protocol.
///
/// # Errors
///
/// Where standard input is no such protocol, or standard output takes nothing.
pub fn run() -> Result<Exit, Stop> {
    match ctr_lsp::stdio() {
        Ok(true) => Ok(Exit::Clean),
        // The editor is gone without a goodbye: the protocol wants an error then.
        Ok(false) => Ok(Exit::Findings),
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(Stop::Usage(format!(
            "standard input is not the Language Server Protocol ({error}); an editor starts `ctrc lsp`"
        ))),
        Err(error) => Err(Stop::Output(error)),
    }
}
