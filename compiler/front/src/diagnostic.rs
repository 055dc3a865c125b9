//! A finding about a policy, apart from how it is shown.

pub use ctr_grammar::codes::{CodeDoc, Exempt};

use crate::ir::Place;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something to know.
    Note,
    /// Probably wrong.
    Warning,
    /// Wrong: nothing is built.
    Error,
}

impl Severity {
    /// `note`, `warning`, `error`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place with what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What; may be empty for the primary label.
    pub text: String,
}

/// A change of the text that a machine can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// The replacements, in order, not overlapping.
    pub edits: Vec<(Place, String)>,
    /// Whether it keeps the policy's meaning or surely mends it.
    pub safe: bool,
}

/// What is proven, of findings about what a library means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The kind of finding: `conflict`, `dead_tool`, ..., `undecided`.
    pub kind: &'static str,
    /// For `undecided`: the kind that it could have become.
    pub question: Option<&'static str>,
    /// The contracts that it is about: the core of a conflict, or the one that is vacuous or redundant.
    pub contracts: Vec<String>,
    /// The contracts that it follows from, where it is about one.
    pub implied_by: Vec<String>,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// A session that shows it, as lines of the native trace format.
    pub witness: Vec<String>,
    /// Why it is undecided.
    pub reason: Option<String>,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its stable code: `E0201`.
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// One line in plain words: lower case, no full stop, user text in back-ticks.
    pub message: String,
    /// Where, with a short text.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Vec<String>,
    /// Changes that would mend it.
    pub fixes: Vec<Fix>,
    /// What is proven, where something is.
    pub proof: Option<Box<Proof>>,
}

impl Diagnostic {
    /// A finding at a place.
    #[must_use]
    pub fn new(
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
        place: Place,
        label: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            message: on_one_line(&message.into()),
            primary: Label {
                place,
                text: on_one_line(&label.into()),
            },
            secondary: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            proof: None,
        }
    }

    /// With what is proven.
    #[must_use]
    pub fn with_proof(mut self, proof: Proof) -> Self {
        self.proof = Some(Box::new(proof));
        self
    }

    /// An error.
    #[must_use]
    pub fn error(
        code: &'static str,
        message: impl Into<String>,
        place: Place,
        label: impl Into<String>,
    ) -> Self {
        Self::new(code, Severity::Error, message, place, label)
    }

    /// A warning.
    #[must_use]
    pub fn warning(
        code: &'static str,
        message: impl Into<String>,
        place: Place,
        label: impl Into<String>,
    ) -> Self {
        Self::new(code, Severity::Warning, message, place, label)
    }

    /// With another place.
    #[must_use]
    pub fn with_label(mut self, place: Place, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            place,
            text: on_one_line(&text.into()),
        });
        self
    }

    /// With advice.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        let lines: Vec<String> = text.into().split('\n').map(on_one_line).collect();
        self.help.push(lines.join("\n"));
        self
    }

    /// With a change that would mend it.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}

/// The longest message, in characters: what it repeats may come from a server's tool list.
const LONGEST: usize = 2_000;

/// A message without characters that steer a terminal or turn the direction of what follows, which
/// names in tool lists and files may hold: escapes stand for them.
fn on_one_line(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len().min(LONGEST));
    for (n, c) in text.chars().enumerate() {
        if n == LONGEST {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            c if steers(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::SourceId;
    use ctr_grammar::Span;

    #[test]
    fn names_of_others_do_not_steer_the_terminal() {
        let place = Place {
            source: SourceId(0),
            span: Span::new(0, 0),
        };
        let found = Diagnostic::error("E0307", "no `a\n\u{1b}[31m\u{202e}é`", place, "x\ty")
            .with_label(place, "\r")
            .with_help("one\ntwo\u{7}");
        assert_eq!(found.message, "no `a\\n\\u{1b}[31m\\u{202e}é`");
        assert_eq!(found.primary.text, "x\\ty");
        assert_eq!(
            found.secondary.first().map(|l| l.text.as_str()),
            Some("\\r")
        );
        assert_eq!(found.help, ["one\ntwo\\u{7}"]);
        let long = Diagnostic::warning("W0302", "ä".repeat(1 << 20), place, "");
        assert_eq!(long.message.chars().count(), LONGEST + 1);
    }
}
