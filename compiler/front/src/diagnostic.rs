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
            message: message.into(),
            primary: Label {
                place,
                text: label.into(),
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
            text: text.into(),
        });
        self
    }

    /// With advice.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// With a change that would mend it.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}
