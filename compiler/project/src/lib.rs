//! The policies of a project, as the command line and an editor see them.
//!
//! [`walk`] finds policies in folders, [`settings`] says what `ctrc.toml` and comments make of findings, [`compiled`] takes a
//! policy from its text to its proofs, [`check`] does so for all of a project, [`tests`] runs `test` blocks, and [`examples`] tells sessions. Files come
//! through [`ctr_front::world::World`], so that buffers of an editor count as the disk does. Nothing here prints, exits or
//! reads arguments.

pub mod check;
pub mod codes;
pub mod compiled;
pub mod examples;
pub mod settings;
pub mod tests;
pub mod walk;

mod error;
mod playing;

pub use compiled::{COMPILER, Compiled};
pub use error::{Error, Fault};
pub use settings::{Looked, Settings};
