//! Calls that have not returned, and which of them a return answers (language reference, section 2).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::eval::frame::ToolFit;
use crate::limits::{ENTRY, Limits};
use crate::value::Value;

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallState {
    /// It was recorded and has not returned.
    Running,
    /// Its return says that nobody knows how it ended: it counts as in flight for ever.
    Unknown,
    /// Its return was withheld from the agent.
    Suppressed,
    /// It was refused; its return, if one comes, is left out with it.
    Skipped,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    pub(crate) id: Option<String>,
    pub(crate) tool: String,
    pub(crate) server: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) args: Value,
    pub(crate) fit: Arc<ToolFit>,
}

/// A return's call.
#[derive(Clone, Debug)]
pub(crate) struct Paired {
    /// The number of the call's event.
    pub(crate) seq: u64,
    pub(crate) call: Arc<OpenCall>,
    pub(crate) state: CallState,
    /// Whether another call could have been meant.
    pub(crate) ambiguous: bool,
}

impl OpenCall {
    /// How much it counts for.
    fn weight(&self) -> usize {
        [&self.id, &self.server, &self.agent]
            .into_iter()
            .flatten()
            .map(String::len)
            .fold(self.args.weight().unwrap_or(usize::MAX), |sum, len| {
                sum.saturating_add(len)
            })
            .saturating_add(self.tool.len())
            .saturating_add(ENTRY)
    }
}

/// All open calls, in order of occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    bytes: usize,
    open: BTreeMap<u64, (Arc<OpenCall>, CallState)>,
    by_id: BTreeMap<String, Vec<u64>>,
    skipped: BTreeSet<u64>,
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether another call may be open.
    pub(crate) fn has_room(&self, limits: &Limits) -> bool {
        self.open.len() < limits.open_calls && self.bytes < limits.open_bytes
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Arc<OpenCall>, CallState)> {
        self.open.iter().map(|(seq, (call, s))| (*seq, call, *s))
    }

    /// Calls that may still turn out to have succeeded, in order.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = (u64, &Arc<OpenCall>, CallState)> {
        self.iter().filter(|(_, _, s)| *s != CallState::Skipped)
    }

    /// Whether a call with that id has not returned.
    pub(crate) fn is_live(&self, id: &str) -> bool {
        self.by_id
            .get(id)
            .is_some_and(|seqs| seqs.iter().any(|seq| self.waits(*seq)))
    }

    fn waits(&self, seq: u64) -> bool {
        self.open
            .get(&seq)
            .is_some_and(|(_, s)| matches!(s, CallState::Running | CallState::Skipped))
    }

    pub(crate) fn insert(&mut self, seq: u64, call: Arc<OpenCall>, state: CallState) {
        if let Some(id) = &call.id {
            self.by_id.entry(id.clone()).or_default().push(seq);
        }
        if state == CallState::Skipped {
            self.skipped.insert(seq);
        }
        self.bytes = self.bytes.saturating_add(call.weight());
        self.open.insert(seq, (call, state));
    }

    /// The call that a return answers: by its id, or else in order of occurrence. A call whose
    /// outcome is unknown is answered only where no other fits, one whose return was withheld not at all.
    pub(crate) fn pair(&self, id: Option<&str>, tool: Option<&str>) -> Option<Paired> {
        if let Some(id) = id
            && let Some(seqs) = self.by_id.get(id)
        {
            let mut waiting = seqs.iter().filter(|seq| self.waits(**seq));
            if let Some(seq) = waiting.next() {
                return self.paired(*seq, waiting.next().is_some());
            }
            // A call whose return was withheld has returned.
            let mut unknown = seqs.iter().filter(|seq| {
                let call = self.open.get(seq);
                call.is_some_and(|(_, state)| *state == CallState::Unknown)
            });
            let seq = unknown.next()?;
            return self.paired(*seq, unknown.next().is_some());
        }
        // Without an id, or with one that no call bore: the oldest call without id, or, for a
        // return without id, the oldest call at all; of the return's tool where it names one.
        let tool = tool.map(str::trim);
        let fits = |call: &OpenCall| {
            (id.is_none() || call.id.is_none()) && tool.is_none_or(|t| call.tool == t)
        };
        let waiting = || {
            self.open
                .iter()
                .filter(|(seq, (call, _))| fits(call) && self.waits(**seq))
        };
        let seq = waiting()
            .find(|(_, (call, _))| call.id.is_none())
            .or_else(|| waiting().next())
            .map(|(seq, _)| *seq)?;
        self.paired(seq, true)
    }

    fn paired(&self, seq: u64, ambiguous: bool) -> Option<Paired> {
        let (call, state) = self.open.get(&seq)?;
        Some(Paired {
            seq,
            call: call.clone(),
            state: *state,
            ambiguous,
        })
    }

    /// Forgets refused calls.
    pub(crate) fn forget_skipped(&mut self) {
        while let Some(seq) = self.skipped.first().copied() {
            self.remove(seq);
        }
    }

    pub(crate) fn set(&mut self, seq: u64, state: CallState) {
        if let Some((_, s)) = self.open.get_mut(&seq) {
            *s = state;
        }
    }

    pub(crate) fn remove(&mut self, seq: u64) {
        self.skipped.remove(&seq);
        let Some((call, _)) = self.open.remove(&seq) else {
            return;
        };
        self.bytes = self.bytes.saturating_sub(call.weight());
        let Some(id) = &call.id else { return };
        if let Some(seqs) = self.by_id.get_mut(id) {
            seqs.retain(|s| *s != seq);
            if seqs.is_empty() {
                self.by_id.remove(id);
            }
        }
    }
}
