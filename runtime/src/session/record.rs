//! Recording what happened.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use super::advice::message;
use super::apply::apply;
use super::assess::{Assessment, Monitor, assess};
use super::calls::CallState;
use super::deadlines::ALL;
use super::groups::Label;
use super::judge::Judge;
use super::quick::{Haste, follow};
use super::resolve::{Subject, recorded_id};
use super::{ContractState, EventError, NO_INSTANCE, Session, Stored};
use crate::decision::{Reason, Violation};
use crate::eval::frame::Frame;
use crate::eval::{Evaluator, Host, KeyView};
use crate::event::{Event, EventKind, Status};
use crate::format::Library;
use crate::format::model::Side;
use crate::limits::Limits;
use crate::registers::Registers;

/// What came of a recorded (or skipped) event.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The event's number, from 0; skipped events are counted as well.
    pub event: u64,
    /// Contracts that have failed by it, deadlines that it found passed included, in order of the
    /// library.
    pub violations: Vec<Violation>,
    /// Assumptions that it has broken: these contracts are idle from now on.
    pub assumptions: Vec<Violation>,
    /// Whether the pairing of the return with its call, or of the call's id, was ambiguous.
    pub ambiguous: bool,
}

impl Recorded {
    /// Nothing came of an event.
    pub(super) fn clean(event: u64, ambiguous: bool) -> Self {
        Self {
            event,
            violations: Vec::new(),
            assumptions: Vec::new(),
            ambiguous,
        }
    }
}

/// What an event has changed of one contract's verdict.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) violations: Vec<Stored>,
    /// Violations that are kept already and are told now, where the key comes that they concern.
    pub(super) told: Vec<Stored>,
    pub(super) assumption: Option<Stored>,
    pub(super) undetermined: bool,
}

impl Session<'_> {
    /// Records an event that was proposed and is allowed, warned about, approved, repaired (then with
    /// its changed arguments) or redirected (then the call that was made instead, in place of the
    /// proposed one).
    ///
    /// # Errors
    /// Where the event cannot be taken; see [`EventError`].
    pub fn commit(
        &mut self,
        event: &Event<'_>,
        host: &mut dyn Host,
    ) -> Result<Recorded, EventError> {
        // What was asked for the proposal is not asked again.
        if self.lookups_for != Some(self.next) {
            self.work.forget_lookups();
        }
        self.take(event, host)
    }

    /// Records an event that has happened, whatever the contracts think of it. After a violation the
    /// automaton goes on from its state before the event, so that later violations are found too.
    ///
    /// # Errors
    /// Where the event cannot be taken; see [`EventError`].
    pub fn record(
        &mut self,
        event: &Event<'_>,
        host: &mut dyn Host,
    ) -> Result<Recorded, EventError> {
        self.work.forget_lookups();
        self.take(event, host)
    }

    /// Leaves out an event: a refused call, its return, a suppressed event. It has its number and
    /// its time has passed; a suppressed return leaves its call in flight.
    ///
    /// # Errors
    /// Where the event cannot be taken; see [`EventError`].
    pub fn skip(&mut self, event: &Event<'_>, host: &mut dyn Host) -> Result<Recorded, EventError> {
        let subject = self.resolve(event)?;
        self.expire(event, host);
        let ambiguous = self.pair_up(event, &subject, true);
        self.work.forget_lookups();
        self.next += 1;
        Ok(self.report(subject.seq, &mut Vec::new(), ambiguous))
    }

    /// Forgets calls that were skipped: they will not return. For hosts whose refusals hold, so that an
    /// id of a refused call can be used again at once; a replay, where refused calls do return, leaves
    /// them to be matched with their returns.
    pub fn forget_refused(&mut self) {
        self.calls.forget_skipped();
    }

    fn take(&mut self, event: &Event<'_>, host: &mut dyn Host) -> Result<Recorded, EventError> {
        if let Some(seq) = self.hasten(event, Haste::Record) {
            return Ok(Recorded::clean(seq, false));
        }
        let mut subject = self.resolve(event)?;
        self.expire(event, host);
        if self.leap(event, &subject, false) {
            return Ok(self.land(event, &subject));
        }
        subject.keep_error(event, &mut self.work.recycler);
        let frames = [subject.frame(event)];
        let report = self.write(event, &subject, &frames, None, host);
        self.release(frames);
        subject.release(&mut self.work.recycler);
        Ok(report)
    }

    /// Takes back the memory of what a frame has worked out.
    pub(super) fn release(&mut self, frames: [Frame<'_>; 1]) {
        let [frame] = frames;
        frame.release(&mut self.work);
    }

    /// Moves everything by an event; `frames` is its frame alone. `judged` is what
    /// [`Session::judge`] found for the same event in the same state.
    pub(super) fn write(
        &mut self,
        event: &Event<'_>,
        subject: &Subject,
        frames: &[Frame<'_>; 1],
        judged: Option<Vec<Assessment>>,
        host: &mut dyn Host,
    ) -> Recorded {
        let mut updates = core::mem::take(&mut self.scratch.updates);
        let mut changed = core::mem::take(&mut self.scratch.changed);
        let mut undetermined = false;
        let mut concerned = core::mem::take(&mut self.scratch.concerned);
        let [frame] = frames;
        if judged.is_none() {
            self.concerned(frame, subject, &mut concerned);
        }
        let judged = {
            let Self {
                library,
                plan,
                context,
                registers,
                contracts,
                deadlines,
                work,
                memo,
                steps,
                scratch,
                ..
            } = self;
            let library: &Library<'_> = library;
            memo.next();
            let mut judge = Judge {
                eval: Evaluator::new(library, context, registers, frames, host, work),
                plan,
                memo,
                steps,
            };
            let mut judged = match judged {
                Some(judged) => judged,
                None => {
                    let mut judged = core::mem::take(&mut scratch.assessments);
                    scratch.leaps.clear();
                    let concern = subject.concern(plan);
                    for contract in &concerned {
                        let Some(state) = contract_at(contracts, *contract) else {
                            continue;
                        };
                        if let Some(step) = concern.and_then(|c| c.step(*contract))
                            && let Ok(leap) = follow(&mut judge, plan, step, &state.monitor)
                        {
                            scratch.leaps.push(leap);
                            continue;
                        }
                        let c = library.contract(*contract);
                        let mut found = scratch.assessment(*contract);
                        match assess(&mut judge, c, &mut state.monitor, deadlines, &mut found) {
                            true => judged.push(found),
                            false => scratch.spare.push(found),
                        }
                    }
                    judged
                }
            };
            let id = id_of(event, subject);
            for found in &mut judged {
                let contract = found.contract;
                let Some(state) = contract_at(contracts, contract) else {
                    continue;
                };
                let c = library.contract(contract);
                let changes = apply(
                    &mut judge,
                    c,
                    &mut state.monitor,
                    deadlines,
                    found,
                    (frame.seq, id),
                    &mut scratch.moves,
                );
                undetermined |= changes.undetermined;
                let told = changes.violations.is_empty()
                    && changes.told.is_empty()
                    && changes.assumption.is_none();
                if !told {
                    changed.push((contract, changes));
                }
            }
            judge.eval.at = 0;
            judge.eval.key = KeyView::None;
            for register in subject.concern(plan).map_or(&[][..], |c| &c.registers) {
                Registers::plan(&mut judge.eval, *register, &mut updates);
            }
            judged
        };
        self.registers
            .apply(self.library, &mut updates, &mut self.work);
        self.scratch.updates = updates;
        self.move_leaps(subject.seq);
        for found in &judged {
            self.update_restless(found.contract);
        }
        self.scratch.take(judged);
        self.scratch.concerned = concerned;
        self.undetermined += u64::from(undetermined);
        let ambiguous = self.pair_up(event, subject, false);
        self.next += 1;
        let report = self.report(subject.seq, &mut changed, ambiguous);
        self.scratch.changed = changed;
        report
    }

    /// Keeps the changes, and puts them and the deadlines that have passed into a report.
    fn report(
        &mut self,
        event: u64,
        changes: &mut Vec<(u32, Changes)>,
        ambiguous: bool,
    ) -> Recorded {
        let mut report = Recorded::clean(event, ambiguous);
        if changes.is_empty() && self.expired.is_empty() {
            return report;
        }
        let mut put = |state: &ContractState, contract: u32, stored: &Stored, side: Side| {
            let violation = state.violation(contract, stored);
            match side {
                Side::Assume => report.assumptions.push(violation),
                Side::Guarantee => report.violations.push(violation),
            }
        };
        for (deadline, stored) in core::mem::take(&mut self.expired) {
            let d = self.library.deadline(deadline);
            if let Some(state) = contract_at(&mut self.contracts, d.contract) {
                put(state, d.contract, &stored, d.side);
            }
        }
        for (contract, changes) in changes.drain(..) {
            let Some(state) = contract_at(&mut self.contracts, contract) else {
                continue;
            };
            if let Some(stored) = changes.assumption {
                put(state, contract, &stored, Side::Assume);
                state.assumption.get_or_insert(stored);
            }
            for stored in &changes.told {
                put(state, contract, stored, Side::Guarantee);
            }
            for stored in changes.violations {
                // That of instance 0 is told where a key comes that inherits it.
                if stored.instance != 0 {
                    put(state, contract, &stored, Side::Guarantee);
                }
                keep(state, stored, &self.limits);
            }
        }
        crate::order::sort_by_key(&mut report.violations, |v| v.contract);
        crate::order::sort_by_key(&mut report.assumptions, |v| v.contract);
        report
    }

    /// Notes calls and returns; whether the pairing was ambiguous.
    pub(super) fn pair_up(&mut self, event: &Event<'_>, subject: &Subject, skipped: bool) -> bool {
        let ambiguous = match (&event.kind, &subject.paired) {
            (EventKind::Call { .. }, _) => {
                let state = match skipped {
                    true => CallState::Skipped,
                    false => CallState::Running,
                };
                self.open_call(event, subject, state);
                subject.reused
            }
            (EventKind::Return { status, .. }, Some(paired)) => {
                let refused = paired.state == CallState::Skipped;
                if skipped && !refused {
                    self.calls.set(paired.place, CallState::Suppressed);
                } else if *status == Status::Unknown {
                    // It may still be settled; a refused call stays refused.
                    if !refused {
                        self.calls.set(paired.place, CallState::Unknown);
                    }
                } else {
                    self.calls.remove(paired.place);
                }
                paired.ambiguous
            }
            _ => false,
        };
        if ambiguous && self.ambiguous.len() < self.limits.violations {
            self.ambiguous.push(subject.seq);
        }
        ambiguous
    }

    /// Lets deadlines pass that end before the session's clock.
    pub(super) fn expire(&mut self, event: &Event<'_>, host: &mut dyn Host) {
        let Some(now) = self.clock else { return };
        if !self.deadlines.is_due(now) {
            return;
        }
        let mut seen = crate::order::Seen::new();
        while let Some(expired) = self.deadlines.expire(now) {
            let library = self.library;
            let d = library.deadline(expired.deadline);
            let contract = library.contract(d.contract);
            let mut instances: Vec<u32> = Vec::new();
            if let Some(state) = contract_at(&mut self.contracts, d.contract) {
                match &mut state.monitor {
                    Monitor::One { label, .. } => {
                        if !label.broken {
                            instances.push(NO_INSTANCE);
                        }
                    }
                    Monitor::Many(groups) => {
                        let all = match expired.instance {
                            ALL => 0..u32::try_from(groups.len()).unwrap_or(u32::MAX),
                            one => one..one.saturating_add(1),
                        };
                        instances.extend(
                            all.filter(|i| {
                                !expired.except.contains(i) && !groups.peek(*i).0.broken
                            }),
                        );
                    }
                }
            }
            for instance in instances {
                let pair = u64::from(expired.deadline) << 32 | u64::from(instance);
                if seen.insert(pair, ()).is_some() {
                    continue;
                }
                let key = contract_at(&mut self.contracts, d.contract)
                    .map(|s| s.key(instance))
                    .unwrap_or_default();
                let frames = [Frame::blank()];
                let mut judge = Judge {
                    eval: Evaluator::new(
                        library,
                        &self.context,
                        &self.registers,
                        &frames,
                        host,
                        &mut self.work,
                    ),
                    plan: &self.plan,
                    memo: &mut self.memo,
                    steps: &mut self.steps,
                };
                judge.eval.key = match contract.key_count() {
                    0 => KeyView::None,
                    _ => KeyView::Known(key.into()),
                };
                let stored = Stored {
                    instance,
                    event: Some(self.next),
                    id: event_id(event).map(ToOwned::to_owned),
                    reason: Reason::Deadline,
                    message: message(&mut judge, contract, Reason::Deadline, d.side),
                    detail: None,
                };
                let Some(state) = contract_at(&mut self.contracts, d.contract) else {
                    continue;
                };
                match (d.side, &mut state.monitor) {
                    (Side::Assume, Monitor::One { label, .. }) => *label = Label::BROKEN,
                    (Side::Assume, Monitor::Many(groups)) => {
                        groups.set(instance, Label::BROKEN, None);
                    }
                    (Side::Guarantee, _) => fail(&mut state.monitor, instance),
                }
                match d.side {
                    Side::Assume => {
                        state.assumption.get_or_insert_with(|| stored.clone());
                    }
                    Side::Guarantee => keep(state, stored.clone(), &self.limits),
                }
                if instance != 0 {
                    self.expired.push((expired.deadline, stored));
                }
                self.update_restless(d.contract);
            }
        }
    }
}

fn contract_at(contracts: &mut [ContractState], contract: u32) -> Option<&mut ContractState> {
    contracts.get_mut(usize::try_from(contract).ok()?)
}

/// Keeps a violation in the contract's list, or counts it where that is full.
fn keep(state: &mut ContractState, stored: Stored, limits: &Limits) {
    if let Monitor::Many(groups) = &mut state.monitor {
        match stored.instance {
            0 => {
                groups.shared = groups.shared.saturating_add(1);
                groups.spoilt |= stored.reason != Reason::Deadline;
            }
            NO_INSTANCE => state.failed = true,
            _ => {}
        }
    }
    let bytes = state.bytes.saturating_add(stored.weight());
    // Once one is left out so are all later ones: instances tell how many of the first they share.
    if state.untold > 0
        || state.violations.len() >= limits.violations
        || bytes > limits.violation_bytes
    {
        state.untold += 1;
        return;
    }
    state.bytes = bytes;
    state.violations.push(stored);
}

fn fail(monitor: &mut Monitor, instance: u32) {
    match monitor {
        Monitor::One { failed, .. } => *failed = true,
        Monitor::Many(groups) if instance != NO_INSTANCE => {
            groups.get_mut(instance).failed = true;
        }
        Monitor::Many(_) => {}
    }
}

/// The id of the event's call as the event records it.
fn event_id<'e>(event: &Event<'e>) -> Option<&'e str> {
    match event.kind {
        EventKind::Call { id, .. } | EventKind::Return { id, .. } => recorded_id(id),
        _ => None,
    }
}

/// The id of the event's call.
fn id_of<'e>(event: &Event<'e>, subject: &'e Subject) -> Option<&'e str> {
    let paired = subject.paired.as_ref().and_then(|p| p.call.id());
    event_id(event).or(paired)
}
