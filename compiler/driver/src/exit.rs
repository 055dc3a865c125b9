//! Exit codes and output, the documented contract of every verb (`docs/cli.md`).

use std::io::{self, Write};
use std::process::ExitCode;

/// How a verb ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing found.
    Clean,
    /// Findings: errors, violations, differences, failed tests.
    Findings,
    /// Wrong usage or unreadable input.
    Usage,
    /// An internal error.
    Internal,
    /// A limit was reached and nothing worse was found.
    Undecided,
}

impl Exit {
    /// The code that the process ends with.
    #[must_use]
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Internal => 3,
            Self::Undecided => 4,
        })
    }

    /// The worse of two ends: internal errors, then unreadable input, findings, reached limits.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let rank = |exit| match exit {
            Self::Clean => 0,
            Self::Undecided => 1,
            Self::Findings => 2,
            Self::Usage => 3,
            Self::Internal => 4,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

/// Why a verb stops early.
#[derive(Debug)]
pub enum Stop {
    /// Wrong usage or unreadable input, with what to tell.
    Usage(String),
    /// The findings have been told; nothing more can be done.
    Findings,
    /// A limit was reached, with what to tell.
    Undecided(String),
    /// A fault of this program, with what to tell.
    Internal(String),
    /// Writing failed; a closed pipe ends quietly.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes data to standard output.
///
/// # Errors
///
/// Where standard output cannot take it.
pub fn data(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a message to standard error. A message that cannot be written is lost: there is nowhere
/// left to say so.
pub fn message(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_worst_end_counts() {
        let order = [
            Exit::Clean,
            Exit::Undecided,
            Exit::Findings,
            Exit::Usage,
            Exit::Internal,
        ];
        for (i, a) in order.into_iter().enumerate() {
            for (j, b) in order.into_iter().enumerate() {
                assert_eq!(a.worse(b), if i > j { a } else { b });
            }
        }
    }
}
