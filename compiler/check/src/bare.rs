//! Without Z3: events without conditions alone.

use std::time::Duration;

use crate::deadline::Cancel;
use crate::problem::Problem;
use crate::theory::{Found, Letter, Path, Step, Values};

const WHY: &str = "built without Z3";

/// Answers where nothing has to be asked.
#[derive(Debug, Default)]
pub(crate) struct Theory {
    /// How many questions were asked.
    pub(crate) asked: usize,
}

impl Theory {
    pub(crate) fn new(_: &Cancel) -> Self {
        Self::default()
    }

    #[expect(clippy::unused_self, reason = "the same interface as with Z3")]
    pub(crate) fn letter(&mut self, _: &Problem<'_>, step: &Step, _: Duration) -> Letter {
        if step.literals.is_empty() {
            Letter::Possible
        } else {
            Letter::Unknown(WHY.to_owned())
        }
    }

    #[expect(clippy::unused_self, reason = "the same interface as with Z3")]
    pub(crate) fn path(&mut self, _: &Problem<'_>, path: &Path, _: Duration) -> Found {
        if path.steps.iter().all(|step| step.literals.is_empty()) {
            Found::Values(vec![Values::default(); path.steps.len()])
        } else {
            Found::Unknown(WHY.to_owned())
        }
    }
}

/// Does the work of an analysis: there is no solver to interrupt.
pub(crate) fn interruptible<T>(_: &Cancel, work: impl FnOnce() -> T) -> T {
    work()
}
