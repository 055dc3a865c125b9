//! Findings as text for people or programs.

pub mod human;
pub mod json;
pub mod lines;

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::Source;

use crate::cli::Format;
use crate::exit::{Stop, data, message};

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

/// Counts findings.
#[must_use]
pub fn count(diagnostics: &[Diagnostic]) -> Counts {
    let of = |severity| {
        diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    };
    Counts {
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
    }
}

/// `2 errors and 1 warning`; empty where there is nothing.
#[must_use]
pub fn in_words(counts: Counts) -> String {
    let part = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    [
        part(counts.errors, "error"),
        part(counts.warnings, "warning"),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" and ")
}

/// Tells findings: for people on standard error, for programs as one JSON array on standard output.
///
/// # Errors
///
/// Where standard output cannot take it.
pub fn tell(sources: &[Source], diagnostics: &[Diagnostic], format: Format) -> Result<(), Stop> {
    match format {
        Format::Human => {
            tell_human(sources, diagnostics);
            Ok(())
        }
        Format::Json => data(&json::diagnostics(sources, diagnostics)),
    }
}

/// Tells findings for people on standard error.
pub fn tell_human(sources: &[Source], diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        message(&human::diagnostic(sources, diagnostic));
    }
}
