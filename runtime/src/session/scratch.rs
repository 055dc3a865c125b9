//! Memory that judging an event needs and the next event can use again.

use alloc::vec::Vec;

use super::assess::Assessment;
use super::groups::{GroupMove, Label};
use super::record::Changes;
use crate::registers::Update;

/// Lists without content, but for the time of an event.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Contracts that an event concerns.
    pub(super) concerned: Vec<u32>,
    /// Contracts that are asked what calls in flight would do.
    pub(super) asked: Vec<u32>,
    pub(super) bystanders: Vec<u32>,
    /// What the event does to contracts whose steps are in tables: they move, or stay. Ascending.
    pub(super) leaps: Vec<Leap>,
    pub(super) assessments: Vec<Assessment>,
    pub(super) spare: Vec<Assessment>,
    pub(super) updates: Vec<Update>,
    pub(super) changed: Vec<(u32, Changes)>,
    pub(super) moves: Moves,
}

/// A contract's move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leap {
    pub(super) contract: u32,
    pub(super) from: Label,
    pub(super) to: Label,
}

/// What becomes of the instances of a keyed contract.
#[derive(Debug, Default)]
pub(super) struct Moves {
    pub(super) moved: Vec<(u32, Label, Label, Option<u64>)>,
    pub(super) apart: Vec<u32>,
    pub(super) except: Vec<u32>,
    pub(super) groups: Vec<GroupMove>,
}

/// A copy starts with nothing of its own.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Scratch {
    /// An assessment of a contract, of memory that was used before.
    pub(super) fn assessment(&mut self, contract: u32) -> Assessment {
        let mut found = self.spare.pop().unwrap_or_default();
        found.reset(contract);
        found
    }

    /// Takes assessments back.
    pub(super) fn take(&mut self, mut assessments: Vec<Assessment>) {
        self.spare.append(&mut assessments);
        self.assessments = assessments;
    }
}
