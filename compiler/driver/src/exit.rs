//! Exit codes and output, the documented contract of every verb (`docs/cli.md`).

use std::any::Any;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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
        ExitCode::from(self.number())
    }

    /// The same as a number.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Internal => 3,
            Self::Undecided => 4,
        }
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

impl From<ctr_project::Error> for Stop {
    fn from(error: ctr_project::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<ctr_project::Fault> for Stop {
    fn from(fault: ctr_project::Fault) -> Self {
        Self::Internal(fault.to_string())
    }
}

/// How a process ends: its code, and the last message of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The code.
    pub exit: Exit,
    /// What is told on standard error, if anything.
    pub told: Option<String>,
    /// Whether standard output takes nothing more.
    pub is_closed: bool,
}

/// The end that an outcome stands for.
#[must_use]
pub fn end(outcome: Result<Exit, Stop>) -> End {
    let (exit, told) = match outcome {
        Ok(exit) => (exit, None),
        Err(Stop::Findings) => (Exit::Findings, None),
        Err(Stop::Usage(what)) => (Exit::Usage, Some(format!("error: {what}"))),
        Err(Stop::Undecided(what)) => (Exit::Undecided, Some(format!("undecided: {what}"))),
        Err(Stop::Internal(what)) => (
            Exit::Internal,
            Some(format!(
                "internal error: {what}\nthis is a fault of ctrc, not of your policy; do not rely on what it printed before"
            )),
        ),
        Err(Stop::Output(error)) => {
            let (exit, told) = match error.kind() {
                io::ErrorKind::BrokenPipe => (Exit::Clean, None),
                _ => (Exit::Usage, Some(format!("error: writing failed: {error}"))),
            };
            return End {
                exit,
                told,
                is_closed: true,
            };
        }
    };
    End {
        exit,
        told,
        is_closed: false,
    }
}

/// Where the last panic was.
static PANICKED: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from being told as they happen: [`caught`] tells of them in words for a user.
pub fn quiet_panics() {
    panic::set_hook(Box::new(|panic| {
        if let Some(place) = panic.location() {
            *PANICKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.to_string());
        }
    }));
}

/// Does the work of a verb; a panic is an internal error.
///
/// # Errors
///
/// As the work itself, and for a panic.
pub fn caught(work: impl FnOnce() -> Result<Exit, Stop>) -> Result<Exit, Stop> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// The internal error that a panic is.
#[must_use]
pub fn panicked(payload: &(dyn Any + Send)) -> Stop {
    let place = PANICKED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let words = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    let place = place.as_deref().unwrap_or("an unknown place");
    Stop::Internal(format!("{words} (at {place})"))
}

/// Whether something was written to standard output.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Whether anything was written to standard output since this was asked last.
#[must_use]
pub fn take_written() -> bool {
    WRITTEN.swap(false, Ordering::Relaxed)
}

/// Writes data to standard output.
///
/// # Errors
///
/// Where standard output cannot take it.
pub fn data(text: &str) -> Result<(), Stop> {
    bytes(text.as_bytes())
}

/// Writes data that is no text to standard output.
///
/// # Errors
///
/// Where standard output cannot take it.
pub fn bytes(bytes: &[u8]) -> Result<(), Stop> {
    WRITTEN.store(true, Ordering::Relaxed);
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes a message to standard error. Names and texts of others in it do nothing to a terminal. A message
/// that cannot be written is lost: there is nowhere left to say so.
pub fn message(text: &str) {
    drawn(&crate::plain::spelt(text));
}

/// [`message`], for one that is coloured and holds nothing of others as it stands.
pub fn drawn(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "tests")]

    use super::*;

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

    #[test]
    fn ends_and_their_codes() {
        let of = |outcome| {
            let End { exit, told, .. } = end(outcome);
            (exit.number(), told)
        };
        assert_eq!(of(Ok(Exit::Clean)), (0, None));
        assert_eq!(of(Err(Stop::Findings)), (1, None));
        let usage = of(Err(Stop::Usage("x".to_owned())));
        assert_eq!(usage, (2, Some("error: x".to_owned())));
        let undecided = of(Err(Stop::Undecided("x".to_owned())));
        assert_eq!(undecided, (4, Some("undecided: x".to_owned())));
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(of(Err(Stop::Output(closed))), (0, None));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let (code, told) = of(Err(Stop::Output(full)));
        assert_eq!(code, 2);
        assert!(told.is_some_and(|told| told.starts_with("error: writing failed: ")));
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        let End { exit, told, .. } = end(caught(|| panic!("the {} is gone", "table")));
        assert_eq!(exit.number(), 3);
        let told = told.unwrap_or_default();
        assert!(
            told.starts_with("internal error: the table is gone (at ")
                && told.contains("this is a fault of ctrc"),
            "{told}"
        );
    }
}
