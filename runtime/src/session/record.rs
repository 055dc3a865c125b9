//! Recording what happened.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::advice::{detail, is_constant, message};
use super::assess::{Assessment, Monitor, Single, assess};
use super::calls::CallState;
use super::deadlines::{ALL, Deadlines, Trigger};
use super::groups::{GroupMove, Groups, Label};
use super::judge::{Judge, Ring, Verdict};
use super::resolve::{Subject, recorded_id};
use super::{ContractState, EventError, NO_INSTANCE, Session, Stored};
use crate::decision::{Reason, Violation};
use crate::eval::datum::{Gap, Key};
use crate::eval::frame::Frame;
use crate::eval::{Evaluator, Host, KeyView};
use crate::event::{Event, EventKind, Status};
use crate::format::model::Side;
use crate::format::{ContractRef, Library};
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

/// What an event has changed of one contract's verdict.
#[derive(Default)]
struct Changes {
    violations: Vec<Stored>,
    /// Violations that are kept already and are told now, where the key comes that they concern.
    told: Vec<Stored>,
    assumption: Option<Stored>,
    undetermined: bool,
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
            self.lookups.clear();
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
        self.lookups.clear();
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
        self.lookups.clear();
        self.next += 1;
        Ok(self.report(subject.seq, Vec::new(), ambiguous))
    }

    /// Forgets calls that were skipped: they will not return. For hosts whose refusals hold, so that an
    /// id of a refused call can be used again at once; a replay, where refused calls do return, leaves
    /// them to be matched with their returns.
    pub fn forget_refused(&mut self) {
        self.calls.forget_skipped();
    }

    fn take(&mut self, event: &Event<'_>, host: &mut dyn Host) -> Result<Recorded, EventError> {
        let subject = self.resolve(event)?;
        self.expire(event, host);
        let frames = [subject.frame(event)];
        Ok(self.write(event, &subject, &frames, None, host))
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
        let mut updates = Vec::new();
        let mut changed: Vec<(u32, Changes)> = Vec::new();
        let mut undetermined = false;
        {
            let [frame] = frames;
            let concerned = match &judged {
                Some(_) => Vec::new(),
                None => self.concerned(frame),
            };
            let Self {
                library,
                plan,
                context,
                registers,
                contracts,
                deadlines,
                lookups,
                memo,
                steps,
                ..
            } = self;
            let library: &Library<'_> = library;
            memo.next();
            let mut judge = Judge {
                eval: Evaluator::new(library, context, registers, frames, host, lookups),
                plan,
                memo,
                steps,
            };
            let judged = judged.unwrap_or_else(|| {
                let mut judged = Vec::with_capacity(concerned.len());
                for contract in concerned {
                    if let Some(state) = contract_at(contracts, contract) {
                        let c = library.contract(contract);
                        judged.extend(assess(&mut judge, c, &mut state.monitor, deadlines));
                    }
                }
                judged
            });
            let id = id_of(event, subject);
            for found in judged {
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
                    frame,
                    id,
                );
                undetermined |= changes.undetermined;
                changed.push((contract, changes));
            }
            judge.eval.at = 0;
            judge.eval.key = KeyView::None;
            if let Some(class) = frame.kind.class() {
                let tools = frame.tools.map_or(&[][..], |fit| &fit.all);
                for register in library.dispatch(class, tools).registers() {
                    Registers::plan(&mut judge.eval, register, &mut updates);
                }
            }
        }
        self.registers.apply(self.library, updates);
        let mut reports = Vec::new();
        for (contract, changes) in changed {
            self.update_restless(contract);
            if changes.violations.is_empty()
                && changes.told.is_empty()
                && changes.assumption.is_none()
            {
                continue;
            }
            reports.push((contract, changes));
        }
        self.undetermined += u64::from(undetermined);
        let ambiguous = self.pair_up(event, subject, false);
        self.next += 1;
        self.report(subject.seq, reports, ambiguous)
    }

    /// Keeps the changes, and puts them and the deadlines that have passed into a report.
    fn report(&mut self, event: u64, changes: Vec<(u32, Changes)>, ambiguous: bool) -> Recorded {
        let mut report = Recorded {
            event,
            violations: Vec::new(),
            assumptions: Vec::new(),
            ambiguous,
        };
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
        for (contract, changes) in changes {
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
        report.violations.sort_by_key(|v| v.contract);
        report.assumptions.sort_by_key(|v| v.contract);
        report
    }

    /// Notes calls and returns; whether the pairing was ambiguous.
    fn pair_up(&mut self, event: &Event<'_>, subject: &Subject, skipped: bool) -> bool {
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
                    self.calls.set(paired.seq, CallState::Suppressed);
                } else if *status == Status::Unknown {
                    // It may still be settled; a refused call stays refused.
                    if !refused {
                        self.calls.set(paired.seq, CallState::Unknown);
                    }
                } else {
                    self.calls.remove(paired.seq);
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
        let mut seen: BTreeSet<(u32, u32)> = BTreeSet::new();
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
                if !seen.insert((expired.deadline, instance)) {
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
                        &mut self.lookups,
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
    let paired = subject.paired.as_ref().and_then(|p| p.call.id.as_deref());
    event_id(event).or(paired)
}

/// Words for violations by one event: one text where it is the same for all instances.
struct Telling<'j, 'a, 'm> {
    judge: &'j mut Judge<'a, 'm>,
    contract: ContractRef<'a>,
    constant: bool,
    seq: u64,
    id: Option<&'j str>,
    last: Option<(Reason, Side, String)>,
}

impl Telling<'_, '_, '_> {
    fn tell(&mut self, instance: u32, key: Option<&Key>, reason: Reason, gaps: &[Gap]) -> Stored {
        self.tell_of(Side::Guarantee, instance, key, reason, gaps)
    }

    fn tell_of(
        &mut self,
        side: Side,
        instance: u32,
        key: Option<&Key>,
        reason: Reason,
        gaps: &[Gap],
    ) -> Stored {
        let detail = match reason {
            Reason::Undetermined => detail(self.judge.eval.library, self.contract.id(), gaps),
            _ => None,
        };
        let known = self
            .last
            .as_ref()
            .filter(|(r, s, _)| *r == reason && *s == side && self.constant);
        let message = match known {
            Some((_, _, message)) => message.clone(),
            None => {
                self.judge.eval.key = match key {
                    Some(key) => KeyView::Known(key.clone()),
                    None if self.contract.key_count() > 0 => KeyView::Fresh,
                    None => KeyView::None,
                };
                let text = message(self.judge, self.contract, reason, side);
                self.last = Some((reason, side, text.clone()));
                text
            }
        };
        Stored {
            instance,
            event: Some(self.seq),
            id: self.id.map(ToOwned::to_owned),
            reason,
            message,
            detail,
        }
    }
}

/// Moves a contract.
fn apply<'a>(
    judge: &mut Judge<'a, '_>,
    contract: ContractRef<'a>,
    monitor: &mut Monitor,
    deadlines: &mut Deadlines,
    found: Assessment,
    frame: &Frame<'_>,
    id: Option<&str>,
) -> Changes {
    let library = judge.eval.library;
    let mut changes = Changes::default();
    let mut telling = Telling {
        judge,
        contract,
        constant: is_constant(contract),
        seq: frame.seq,
        id,
        last: None,
    };
    if let Some((_, gaps)) = &found.whole {
        changes.undetermined = true;
        changes
            .violations
            .push(telling.tell(NO_INSTANCE, None, Reason::Undetermined, gaps));
        return changes;
    }
    match monitor {
        Monitor::One {
            label,
            since,
            failed,
        } => {
            let Some(single) = found.singles.into_iter().next() else {
                return changes;
            };
            let (to, reason) = outcome(&single, &mut telling, NO_INSTANCE, &mut changes);
            *failed |= reason;
            if Session::opened(library, contract.guarantee(), label.guarantee, to.guarantee) {
                *since = Some(frame.seq);
            }
            *label = to;
            ring(library, deadlines, 0, &single.rings, frame.seq);
        }
        Monitor::Many(groups) => {
            many(
                library,
                groups,
                deadlines,
                found,
                &mut telling,
                &mut changes,
            );
        }
    }
    changes
}

/// What a verdict changes for an instance: its states, and whether it fails.
fn outcome(
    single: &Single,
    telling: &mut Telling<'_, '_, '_>,
    instance: u32,
    changes: &mut Changes,
) -> (Label, bool) {
    match &single.verdict {
        Verdict::Move(to) => (*to, false),
        Verdict::Depends => (single.label, false),
        Verdict::Breaks => {
            let key = single.key.as_ref();
            let stored = telling.tell_of(Side::Assume, instance, key, Reason::Violated, &[]);
            changes.assumption.get_or_insert(stored);
            (Label::BROKEN, false)
        }
        Verdict::Violates(to) => {
            let stored = telling.tell(instance, single.key.as_ref(), Reason::Violated, &[]);
            changes.violations.push(stored);
            (*to, true)
        }
        Verdict::Undetermined(_, gaps) => {
            changes.undetermined = true;
            let key = single.key.as_ref();
            let stored = telling.tell(instance, key, Reason::Undetermined, gaps);
            changes.violations.push(stored);
            (single.label, true)
        }
    }
}

/// Moves the instances of a keyed contract.
fn many(
    library: &Library<'_>,
    groups: &mut Groups,
    deadlines: &mut Deadlines,
    mut found: Assessment,
    telling: &mut Telling<'_, '_, '_>,
    changes: &mut Changes,
) {
    let seq = telling.seq;
    let guarantee = telling.contract.guarantee();
    // Single instances, from the state before the event.
    let mut moved: Vec<(u32, Label, Label, Option<u64>)> = Vec::new();
    for single in &mut found.singles {
        let instance = match (&single.key, single.instance) {
            (Some(key), None) => groups.ensure(key),
            (_, Some(instance)) => instance,
            (None, None) => continue,
        };
        if single.bound {
            groups.get_mut(instance).occurred = true;
        }
        single.instance = Some(instance);
        let (label, since) = groups.state(instance);
        if instance == 0
            && let Verdict::Undetermined(_, gaps) = &single.verdict
            && gaps.iter().any(|gap| !matches!(gap, Gap::Undefined(_)))
        {
            // What becomes of keys that have not occurred depends on the key.
            groups.lost = true;
            single.verdict = Verdict::Move(label);
        }
        if single.born_failed && matches!(single.verdict, Verdict::Move(to) if !to.broken) {
            let key = single.key.as_ref();
            let stored = telling.tell(instance, key, Reason::Violated, &[]);
            changes.told.push(stored);
        }
        let (to, fails) = outcome(single, telling, instance, changes);
        if fails {
            groups.get_mut(instance).failed = true;
        }
        let opened = Session::opened(library, guarantee, label.guarantee, to.guarantee);
        let since = if opened { Some(seq) } else { since };
        moved.push((instance, label, to, since));
    }
    // All others, by groups. Those that fail are told one by one.
    let mut apart: Vec<u32> = found.singles.iter().filter_map(|s| s.instance).collect();
    apart.sort_unstable();
    let mut except = apart.clone();
    let is_apart = |i: &u32| apart.binary_search(i).is_ok();
    let mut moves: Vec<GroupMove> = Vec::new();
    for (label, verdict) in &found.groups {
        let mut to = *label;
        let mut failed: Option<(Reason, &[Gap])> = None;
        match verdict {
            Verdict::Move(next) => to = *next,
            Verdict::Depends => {}
            Verdict::Violates(next) => {
                to = *next;
                failed = Some((Reason::Violated, &[]));
            }
            Verdict::Undetermined(_, gaps) => failed = Some((Reason::Undetermined, gaps)),
            Verdict::Breaks => {
                to = Label::BROKEN;
                // Once a group; the first key that has occurred speaks for it.
                let speaker = groups
                    .members(*label)
                    .filter(|i| !is_apart(i))
                    .min_by_key(|i| (!groups.get(*i).occurred, *i));
                if let Some(instance) = speaker {
                    let key = groups.get(instance).key.clone();
                    let key = (instance != 0).then_some(&key);
                    let stored =
                        telling.tell_of(Side::Assume, instance, key, Reason::Violated, &[]);
                    changes.assumption.get_or_insert(stored);
                }
            }
        }
        if let Some((reason, gaps)) = failed {
            let mut members: Vec<u32> = groups.members(*label).filter(|i| !is_apart(i)).collect();
            members.sort_unstable();
            for instance in members {
                let key = groups.get(instance).key.clone();
                let shown = (instance != 0).then_some(&key);
                let stored = telling.tell(instance, shown, reason, gaps);
                groups.get_mut(instance).failed = true;
                changes.violations.push(stored);
                if reason == Reason::Undetermined {
                    changes.undetermined |= groups.get(instance).occurred;
                    except.push(instance);
                }
            }
        }
        moves.push(GroupMove {
            from: *label,
            to,
            opened: Session::opened(library, guarantee, label.guarantee, to.guarantee),
        });
    }
    if found.broadcast {
        groups.broadcast(&moves, seq);
    }
    for (instance, label, to, since) in moved {
        if found.broadcast || label != to {
            groups.set(instance, to, since);
        }
    }
    for single in &found.singles {
        if let Some(instance) = single.instance {
            ring(library, deadlines, instance, &single.rings, seq);
        }
    }
    for r in &found.rings {
        if r.responds {
            deadlines.respond(r.deadline, ALL, seq, &except);
        }
        if let Some(time) = r.triggers {
            let at = time.saturating_add(library.deadline(r.deadline).within);
            let except = except.clone();
            deadlines.trigger(r.deadline, ALL, at, Trigger { seq, time, except });
        }
    }
}

/// Answers and opens deadlines of one instance.
fn ring(library: &Library<'_>, deadlines: &mut Deadlines, instance: u32, rings: &[Ring], seq: u64) {
    for r in rings {
        if r.responds {
            deadlines.respond(r.deadline, instance, seq, &[]);
        }
        if let Some(time) = r.triggers {
            let at = time.saturating_add(library.deadline(r.deadline).within);
            let except = Vec::new();
            deadlines.trigger(r.deadline, instance, at, Trigger { seq, time, except });
        }
    }
}
