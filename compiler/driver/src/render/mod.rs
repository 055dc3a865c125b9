//! Findings as text for people or programs.

pub mod github;
pub mod human;
pub mod json;
pub mod sarif;

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::Source;

use crate::cli::FindingFormat;
use crate::exit::{Stop, data, drawn, message};
use crate::plain::counted;

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes: questions that stayed open.
    pub notes: usize,
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
        notes: of(Severity::Note),
    }
}

/// `2 errors and 1 warning`; empty where there is nothing.
#[must_use]
pub fn in_words(counts: Counts) -> String {
    let part = |n: usize, what: &str| match n {
        0 => None,
        n => Some(counted(n as u64, what)),
    };
    let parts: Vec<String> = [
        part(counts.errors, "error"),
        part(counts.warnings, "warning"),
        part(counts.notes, "note"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match parts.as_slice() {
        [first, second, third] => format!("{first}, {second} and {third}"),
        _ => parts.join(" and "),
    }
}

/// Tells findings: for people on standard error, for programs on standard output.
///
/// # Errors
///
/// Where standard output cannot take it.
pub fn tell(
    sources: &[Source],
    diagnostics: &[Diagnostic],
    format: FindingFormat,
) -> Result<(), Stop> {
    match format {
        FindingFormat::Human => {
            tell_human(sources, diagnostics);
            Ok(())
        }
        FindingFormat::Json => data(&json::diagnostics(sources, diagnostics)),
        FindingFormat::Github => data(&github::diagnostics(sources, diagnostics)),
        FindingFormat::Sarif => data(&sarif::diagnostics(sources, diagnostics)),
    }
}

/// So many findings are drawn with their lines: nobody reads more, and those that follow are told in a line each.
const MOST_DRAWN: usize = 500;

/// Tells findings for people on standard error, an empty line after each.
pub fn tell_human(sources: &[Source], diagnostics: &[Diagnostic]) {
    let (first, rest) = diagnostics.split_at(diagnostics.len().min(MOST_DRAWN));
    for diagnostic in first {
        drawn(&human::diagnostic(sources, diagnostic));
        message("");
    }
    if !rest.is_empty() {
        message(&github::plain(sources, rest));
        message("");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    //! Findings that the renderers' tests share.

    use ctr_front::diagnostic::{Diagnostic, Fix, Label, Severity};
    use ctr_front::ir::{Place, Source, SourceId};
    use ctr_grammar::Span;

    /// A source of this path and text.
    pub(crate) fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The place of a part of the first source; at the end where it does not occur.
    pub(crate) fn place(text: &str, part: &str) -> Place {
        let start = text.find(part).unwrap_or(text.len());
        let end = start + if text.contains(part) { part.len() } else { 0 };
        Place {
            source: SourceId(0),
            span: Span::new(
                u32::try_from(start).unwrap_or(0),
                u32::try_from(end).unwrap_or(0),
            ),
        }
    }

    /// An error at a part of the first source.
    pub(crate) fn error(text: &str, part: &str, label: &str) -> Diagnostic {
        Diagnostic {
            code: "E0401",
            severity: Severity::Error,
            message: "no tool is called `x`".to_owned(),
            primary: Label {
                place: place(text, part),
                text: label.to_owned(),
            },
            secondary: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            proof: None,
        }
    }

    /// The same with a second label, help and a fix.
    pub(crate) fn full(text: &str, part: &str, other: &str) -> Diagnostic {
        let mut full = error(text, part, "unknown tool");
        full.secondary.push(Label {
            place: place(text, other),
            text: "declared here".to_owned(),
        });
        full.help.push("declare it".to_owned());
        full.fixes.push(Fix {
            title: "write `y`".to_owned(),
            edits: vec![(place(text, part), "y".to_owned())],
            safe: true,
        });
        full
    }
}
