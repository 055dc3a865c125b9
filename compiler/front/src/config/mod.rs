//! A project's settings: `ctrc.toml` (docs/configuration.md).
//!
//! Of the files named `ctrc.toml` in a policy's folder and the folders above it, the nearest counts, and it
//! counts wholly: what holds for a policy is read in one file, and a policy that is copied with its folder
//! keeps its settings. Only what [`Finder::excludes`] leaves out adds up, since a folder that a project leaves
//! out must not come back because it has settings of its own.

mod find;
pub mod glob;
mod read;
mod table;

use std::time::Duration;

use crate::diagnostic::Diagnostic;
use crate::ir::{Place, Source, SourceId};
use crate::levels::Levels;
use glob::Pattern;

pub use find::Finder;
pub use read::read;
pub use table::{SETTINGS, Setting, setting_of};

/// The name of the file.
pub const FILE_NAME: &str = "ctrc.toml";

/// What a `ctrc.toml` says. A key that is not there, or whose value cannot be read, says nothing.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Its path and text; findings point into it as source 0.
    pub source: Source,
    /// The folder that it stands in, as [`crate::world::World::canonical`] has it.
    pub folder: String,
    /// `[lints]`
    pub levels: Levels,
    /// `[check] solver-timeout`
    pub solver_timeout: Option<Duration>,
    /// `[check] max-states`
    pub max_states: Option<usize>,
    /// `[fmt] width`, in characters.
    pub width: Option<usize>,
    /// `[files] exclude`
    pub exclude: Vec<Pattern>,
    /// What is wrong with it.
    pub findings: Vec<Diagnostic>,
}

impl Config {
    /// A place in the file.
    fn place(start: usize, end: usize) -> Place {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Place {
            source: SourceId(0),
            span: ctr_grammar::Span::new(offset(start), offset(end)),
        }
    }
}
