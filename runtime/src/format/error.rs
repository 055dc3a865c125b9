//! Why an artifact cannot be loaded.

use alloc::string::String;
use core::fmt;

/// Why an artifact cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The section in which the fault is; `header` for what precedes the sections.
    pub section: &'static str,
    /// What is wrong, in plain words.
    pub what: String,
    /// Where: a byte offset in the artifact.
    pub offset: usize,
}

impl LoadError {
    pub(super) fn new(section: &'static str, offset: usize, what: impl Into<String>) -> Self {
        Self {
            section,
            what: what.into(),
            offset,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot load the contract library: {} (section `{}`, byte {}); rebuild it with `ctrc build`",
            self.what, self.section, self.offset
        )
    }
}

impl core::error::Error for LoadError {}
