//! Sessions as bytes, so that a host can stop, crash or move and go on where it was.
//!
//! Layout: magic, version (4 bytes), the library's hash, XXH64 of the body, and the body, whose numbers
//! take as many bytes as they need. Restoring checks everything against the library; values are read by the
//! JSON reader.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::assess::Monitor;
use super::calls::{CallState, Calls, OpenCall};
use super::codec::{Corrupt, Reader, Writer};
use super::deadlines::Deadlines;
use super::groups::{Groups, Label};
use super::resolve::find_fit;
use super::steps::UNNAMED;
use super::{ContractState, NO_INSTANCE, Plan, Session, Stored};
use crate::decision::Reason;
use crate::format::{ContractRef, Library, xxh64};
use crate::registers::Registers;
use crate::value::Value;

const MAGIC: &[u8; 4] = b"ctrs";
/// The version of the layout.
const VERSION: u32 = 3;

/// Why bytes are no saved session of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// They are no saved session.
    NotASession,
    /// They were written in another version of the layout.
    Version(u32),
    /// They belong to another library.
    OtherLibrary,
    /// They are damaged.
    Damaged,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASession => f.write_str("these bytes are no saved session"),
            Self::Version(version) => write!(
                f,
                "the session was saved in version {version} of the layout; this runtime reads version {VERSION}"
            ),
            Self::OtherLibrary => {
                f.write_str("the session was saved with another contract library")
            }
            Self::Damaged => f.write_str("the saved session is damaged"),
        }
    }
}

impl core::error::Error for RestoreError {}

impl From<Corrupt> for RestoreError {
    fn from(_: Corrupt) -> Self {
        Self::Damaged
    }
}

impl<'l> Session<'l> {
    /// The whole state as bytes, bound to the library's hash. The same state gives the same bytes.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.bytes.extend_from_slice(MAGIC);
        out.bytes.extend_from_slice(&VERSION.to_le_bytes());
        out.bytes.extend_from_slice(&self.library.hash());
        let body = out.bytes.len() + 8;
        out.bytes.resize(body, 0);
        out.value(&Value::Record(self.context.clone()));
        out.time(self.clock);
        out.u64(self.next);
        out.u64(self.undetermined);
        out.len(self.ambiguous.len());
        for event in &self.ambiguous {
            out.u64(*event);
        }
        save_calls(&self.plan, &self.calls, &mut out);
        self.registers.save(&mut out);
        for state in &self.contracts {
            save_contract(state, &mut out);
        }
        self.deadlines.save(&mut out);
        out.len(self.expired.len());
        for (deadline, stored) in &self.expired {
            out.u32(*deadline);
            save_stored(stored, &mut out);
        }
        let mut bytes = out.bytes;
        let sum = xxh64(bytes.get(body..).unwrap_or_default());
        if let Some(slot) = bytes.get_mut(body - 8..body) {
            slot.copy_from_slice(&sum.to_le_bytes());
        }
        bytes
    }

    /// The session that [`Session::save`] made the bytes of.
    ///
    /// # Errors
    /// Where the bytes are no session of this library, or damaged.
    pub fn restore(library: &'l Library<'l>, bytes: &[u8]) -> Result<Self, RestoreError> {
        Self::restore_with_plan(library, Arc::new(Plan::new(library)), bytes)
    }

    /// The same where many sessions share a library; `plan` should have been made from it, else it is not used.
    ///
    /// # Errors
    /// Where the bytes are no session of this library, or damaged.
    pub fn restore_with_plan(
        library: &'l Library<'l>,
        plan: Arc<Plan>,
        bytes: &[u8],
    ) -> Result<Self, RestoreError> {
        let mut from = Reader::new(bytes);
        if from.take(MAGIC.len()) != Ok(MAGIC) {
            return Err(RestoreError::NotASession);
        }
        let version = from.word()?;
        if version != VERSION {
            return Err(RestoreError::Version(version));
        }
        if from.take(32)? != library.hash() {
            return Err(RestoreError::OtherLibrary);
        }
        if from.long()? != xxh64(from.rest()) {
            return Err(RestoreError::Damaged);
        }
        let mut session = Self::with_plan(library, plan);
        let Value::Record(context) = from.value()? else {
            return Err(RestoreError::Damaged);
        };
        session.context = context;
        session.clock = from.time()?;
        session.next = from.count()?;
        session.undetermined = from.count()?;
        for _ in 0..from.len()? {
            session.ambiguous.push(from.u64()?);
        }
        session.calls = restore_calls(library, &session.plan, session.next, &mut from)?;
        session.registers = Registers::restore(library, &mut from)?;
        for (contract, state) in library.contracts().zip(&mut session.contracts) {
            *state = restore_contract(library, contract, &mut from)?;
        }
        let contracts = &session.contracts;
        session.deadlines = Deadlines::restore(library.deadline_count(), &mut from, |d| {
            let d = library.deadline(d);
            let contract = usize::try_from(d.contract).ok();
            let state = contract.and_then(|n| contracts.get(n));
            (d.within, state.map_or(1, |s| instances(s).max(1)))
        })?;
        for _ in 0..from.len()? {
            let deadline = from.index(library.deadline_count())?;
            let contract = library.deadline(deadline).contract;
            let count = usize::try_from(contract)
                .ok()
                .and_then(|n| session.contracts.get(n))
                .map_or(0, instances);
            let stored = restore_stored(count, &mut from)?;
            session.expired.push((deadline, stored));
        }
        if !from.is_empty() {
            return Err(RestoreError::Damaged);
        }
        for contract in 0..library.contract_count() {
            session.update_restless(contract);
        }
        Ok(session)
    }
}

fn instances(state: &ContractState) -> usize {
    match &state.monitor {
        Monitor::One { .. } => 0,
        Monitor::Many(groups) => groups.len(),
    }
}

fn save_calls(plan: &Plan, calls: &Calls, out: &mut Writer) {
    out.len(calls.len());
    for (seq, call, state) in calls.iter() {
        out.u64(seq);
        out.u8(match state {
            CallState::Running => 0,
            CallState::Unknown => 1,
            CallState::Suppressed => 2,
            CallState::Skipped => 3,
        });
        out.option(call.id(), Writer::str);
        out.str(call.tool(&plan.steps));
        out.option(call.server.as_deref(), Writer::str);
        out.option(call.agent.as_deref(), Writer::str);
        out.value(&call.args);
        out.u64(call.args_weight as u64);
    }
}

fn restore_calls(
    library: &Library<'_>,
    plan: &Plan,
    next: u64,
    from: &mut Reader<'_>,
) -> Result<Calls, Corrupt> {
    let mut calls = Calls::default();
    let mut last = None;
    for _ in 0..from.len()? {
        let seq = from.u64()?;
        if seq >= next || last.is_some_and(|l| l >= seq) {
            return Err(Corrupt);
        }
        last = Some(seq);
        let state = match from.u8()? {
            0 => CallState::Running,
            1 => CallState::Unknown,
            2 => CallState::Suppressed,
            3 => CallState::Skipped,
            _ => return Err(Corrupt),
        };
        let id = from.option(Reader::str)?.unwrap_or_default().to_string();
        let text = from.str()?.to_string();
        let server = from.option(Reader::str)?.map(ToString::to_string);
        let agent = from.option(Reader::str)?.map(ToString::to_string);
        let args = from.value()?;
        let args_weight = usize::try_from(from.u64()?).map_err(|_| Corrupt)?;
        let fit = find_fit(library, plan, server.as_deref(), &text);
        calls.insert(&plan.steps, seq, state, |call| {
            *call = OpenCall {
                id,
                name: UNNAMED,
                text,
                server,
                agent,
                args,
                args_weight,
                fit,
                endangers: !plan.steps.fit(fit).endangered.is_empty(),
            };
        });
    }
    Ok(calls)
}

fn save_label(label: Label, out: &mut Writer) {
    out.u32(label.assume);
    out.u32(label.guarantee);
    out.bool(label.broken);
}

fn restore_label(
    library: &Library<'_>,
    contract: ContractRef<'_>,
    from: &mut Reader<'_>,
) -> Result<Label, Corrupt> {
    let states =
        |automaton: Option<u32>| automaton.map_or(1, |a| library.automaton(a).state_count());
    let label = Label {
        assume: from.index(states(contract.assume()).max(1))?,
        guarantee: from.index(states(contract.guarantee()).max(1))?,
        broken: from.bool()?,
    };
    if label.broken && label != Label::BROKEN {
        return Err(Corrupt);
    }
    Ok(label)
}

fn save_stored(stored: &Stored, out: &mut Writer) {
    out.u32(stored.instance);
    out.option(stored.event, Writer::u64);
    out.option(stored.id.as_deref(), Writer::str);
    out.u8(match stored.reason {
        Reason::Violated => 0,
        Reason::Anticipated => 1,
        Reason::Undetermined => 2,
        Reason::Deadline => 3,
        Reason::PendingAtEnd => 4,
    });
    out.str(&stored.message);
    out.option(stored.detail.as_deref(), Writer::str);
}

/// `count`: how many instances the contract has.
fn restore_stored(count: usize, from: &mut Reader<'_>) -> Result<Stored, Corrupt> {
    let instance = from.u32()?;
    if instance != NO_INSTANCE && usize::try_from(instance).map_or(true, |i| i >= count) {
        return Err(Corrupt);
    }
    Ok(Stored {
        instance,
        event: from.option(Reader::u64)?,
        id: from.option(Reader::str)?.map(ToString::to_string),
        reason: match from.u8()? {
            0 => Reason::Violated,
            1 => Reason::Anticipated,
            2 => Reason::Undetermined,
            3 => Reason::Deadline,
            4 => Reason::PendingAtEnd,
            _ => return Err(Corrupt),
        },
        message: from.str()?.to_string(),
        detail: from.option(Reader::str)?.map(ToString::to_string),
    })
}

fn save_contract(state: &ContractState, out: &mut Writer) {
    match &state.monitor {
        Monitor::One {
            label,
            since,
            failed,
        } => {
            save_label(*label, out);
            out.option(*since, Writer::u64);
            out.bool(*failed);
        }
        Monitor::Many(groups) => {
            out.len(groups.len());
            for i in 0..u32::try_from(groups.len()).unwrap_or(u32::MAX) {
                let instance = groups.get(i);
                let (label, since) = groups.peek(i);
                out.key(&instance.key);
                save_label(label, out);
                out.option(since, Writer::u64);
                out.bool(instance.failed);
                out.bool(instance.occurred);
                out.u32(instance.inherited);
            }
            out.bool(groups.lost);
            out.u32(groups.shared);
            out.bool(groups.spoilt);
        }
    }
    out.bool(state.failed);
    out.u64(state.untold);
    out.len(state.violations.len());
    for stored in &state.violations {
        save_stored(stored, out);
    }
    out.option(state.assumption.as_ref(), |out, stored| {
        save_stored(stored, out);
    });
}

fn restore_contract(
    library: &Library<'_>,
    contract: ContractRef<'_>,
    from: &mut Reader<'_>,
) -> Result<ContractState, Corrupt> {
    let monitor = if contract.key_count() == 0 {
        Monitor::One {
            label: restore_label(library, contract, from)?,
            since: from.option(Reader::u64)?,
            failed: from.bool()?,
        }
    } else {
        let mut first = None;
        let mut others = Vec::new();
        for i in 0..from.len()? {
            let key = from.key(if i == 0 { 0 } else { contract.key_count() })?;
            let label = restore_label(library, contract, from)?;
            let since = from.option(Reader::u64)?;
            let failed = from.bool()?;
            let occurred = from.bool()?;
            let inherited = from.u32()?;
            if i == 0 {
                first = Some((label, since, failed));
            } else {
                let facts = Groups::facts(key.clone(), occurred, failed, inherited);
                others.push((key, label, since, facts));
            }
        }
        let lost = from.bool()?;
        let mut groups = Groups::rebuild(first.ok_or(Corrupt)?, others, lost).ok_or(Corrupt)?;
        // At most as many as events, each of which it counts.
        groups.shared = from.index(u32::MAX >> 1)?;
        groups.spoilt = from.bool()?;
        Monitor::Many(groups)
    };
    let mut state = ContractState {
        monitor,
        failed: from.bool()?,
        violations: Vec::new(),
        bytes: 0,
        untold: from.count()?,
        assumption: None,
    };
    let count = instances(&state);
    for _ in 0..from.len()? {
        let stored = restore_stored(count, from)?;
        state.bytes = state.bytes.saturating_add(stored.weight());
        state.violations.push(stored);
    }
    state.assumption = from.option(|from| restore_stored(count, from))?;
    Ok(state)
}
