//! Recorded sessions, from the formats that people have.
//!
//! [`files`] finds and unpacks files, [`detect`] splits a text into sessions and says their format,
//! and a reader a format turns each into [`Step`]s. Nothing is skipped in silence: what cannot be
//! read is an [`Unreadable`], what can be read but makes no sense stands in
//! [`Session::malformed`]. [`judge`] judges what was read by a library.

pub mod access;
pub mod anthropic;
pub mod detect;
pub mod event;
pub mod exchange;
pub mod files;
pub mod judge;
pub mod mcp;
pub mod native;
pub mod openai;
pub mod tau2;

#[cfg(test)]
mod tests;

pub use event::{OwnedEvent, OwnedKind, Step, Traced};

use std::fmt;

use ctr_runtime::value::Value;

/// A record of a session with its number: the line of the file where each stands on its own, else
/// its place in the list, from 1.
pub type Numbered<'v> = (usize, &'v Value);

/// The format of a recorded session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// One event a line (`docs/traces.md`).
    Native,
    /// tau2-bench simulations.
    Tau2,
    /// OpenAI chat or Responses messages.
    OpenAi,
    /// Anthropic messages, and transcripts that wrap them.
    Anthropic,
    /// MCP JSON-RPC messages.
    Mcp,
}

impl Format {
    /// The name in reports and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Tau2 => "tau2",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Mcp => "mcp",
        }
    }
}

/// A session that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Where it came from: a path, with `:line` for one of several in a file.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// What happened.
    pub steps: Vec<Step>,
    /// The reward that a benchmark gave, where recorded.
    pub reward: Option<f64>,
}

/// A session that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where it came from.
    pub name: String,
    /// The line within the session or file, from 1, where known.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.name, self.what),
            None => write!(f, "{}: {}", self.name, self.what),
        }
    }
}
