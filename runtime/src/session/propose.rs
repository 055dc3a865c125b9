//! Judging a proposed event.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::advice::{accepted, could_help, detail, message};
use super::anticipate::{MAX_CHOICES, Outlook, after, anticipate};
use super::assess::{Assessment, Monitor, assess};
use super::calls::{CallState, OpenCall};
use super::facts::{helps, seen};
use super::groups::Label;
use super::judge::{Judge, Verdict};
use super::quick::{Haste, follow, is_safe};
use super::resolve::{Subject, imagined, imagined_own};
use super::scratch::Leap;
use super::steps::{Advice, Step, Steps};
use super::{ContractState, EventError, Session};
use crate::decision::{Decision, Objection, Reason, Verb};
use crate::eval::datum::{Gap, Key};
use crate::eval::frame::{Frame, FrameKind};
use crate::eval::{Evaluator, Host, KeyView};
use crate::event::Event;
use crate::format::model::Side;
use crate::format::{ActionRef, KindClass, Library};
use crate::order::Set;

/// How many objections a contract makes to one event.
const MAX_OBJECTIONS: usize = 16;
/// How many calls in flight are looked at for advice.
const MAX_WAITING: usize = 256;

/// With so many calls of which nobody knows whether they happened, all choices are looked through.
pub(super) const MAX_UNCERTAIN: usize = MAX_CHOICES.ilog2() as usize;

/// Who objects, for the search for a remedy.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) key: Option<Key>,
}

/// An objection before it is put into words.
struct Raw {
    contract: u32,
    key: Option<Key>,
    label: Option<Label>,
    verb: Verb,
    reason: Reason,
    gaps: Vec<Gap>,
    /// For what the call's imagined return would do: the calls in flight to wait for.
    waits: Option<Vec<usize>>,
}

impl Session<'_> {
    /// Judges an event that has not happened yet. Nothing is changed but the clock, and what
    /// follows from it: deadlines that have passed by then (reported when the event is recorded or
    /// skipped).
    ///
    /// # Errors
    /// Where the event cannot be taken; see [`EventError`].
    pub fn propose(
        &mut self,
        event: &Event<'_>,
        host: &mut dyn Host,
    ) -> Result<Decision, EventError> {
        if self.hasten(event, Haste::Propose).is_some() {
            self.work.forget_lookups();
            self.lookups_for = Some(self.next);
            return Ok(Decision::allow());
        }
        let mut subject = self.resolve(event)?;
        if let Some(paired) = &subject.paired
            && paired.state == CallState::Skipped
        {
            return Err(EventError::RefusedCall {
                id: paired.call.id().map(ToString::to_string),
            });
        }
        self.expire(event, host);
        if self.leap(event, &subject, true) {
            self.work.forget_lookups();
            self.lookups_for = Some(subject.seq);
            return Ok(Decision::allow());
        }
        subject.keep_error(event, &mut self.work.recycler);
        let frames = [subject.frame(event)];
        let (decision, assessments) = self.judge(event, &subject, &frames, host);
        self.scratch.take(assessments);
        self.release(frames);
        subject.release(&mut self.work.recycler);
        Ok(decision)
    }

    /// [`Session::propose`] once the event is resolved; `frames` is its frame alone. Also what the
    /// event does to each contract, for [`Session::write`].
    pub(super) fn judge(
        &mut self,
        event: &Event<'_>,
        subject: &Subject,
        frames: &[Frame<'_>; 1],
        host: &mut dyn Host,
    ) -> (Decision, Vec<Assessment>) {
        self.expire(event, host);
        self.work.forget_lookups();
        self.lookups_for = Some(subject.seq);
        let (found, assessments) = self.objections(event, subject, frames, host, true);
        (self.decide(event, found, host), assessments)
    }

    /// The contracts that an event could concern, ascending: those whose patterns name its kind and
    /// tool, those that it could move without naming them, and those with deadlines that name it.
    pub(super) fn concerned(&self, frame: &Frame<'_>, subject: &Subject, contracts: &mut Vec<u32>) {
        contracts.clear();
        let (Some(class), Some(concern)) = (frame.kind.class(), subject.concern(&self.plan)) else {
            contracts.extend(&self.restless);
            return;
        };
        contracts.extend(concern.steps.iter().map(|step| step.contract));
        let named = contracts.len();
        contracts.extend(
            self.restless
                .iter()
                .copied()
                .filter(|c| self.library.contract(*c).watches(class)),
        );
        contracts.extend(&concern.deadlines);
        if contracts.len() > named {
            crate::order::sort(contracts);
            contracts.dedup();
        }
    }

    /// All objections to an event, in order of the library, and what it does to each contract.
    pub(super) fn objections(
        &mut self,
        event: &Event<'_>,
        subject: &Subject,
        present: &[Frame<'_>; 1],
        host: &mut dyn Host,
        advise: bool,
    ) -> (Vec<(Objection, Cause)>, Vec<Assessment>) {
        let [frame] = present;
        let mut concerned = core::mem::take(&mut self.scratch.concerned);
        self.concerned(frame, subject, &mut concerned);
        // With open arguments contracts are asked one at a time.
        let only = |c: &u32| frame.symbols.is_none_or(|s| s.contract() == *c);
        concerned.retain(only);
        let Self {
            library,
            plan,
            context,
            registers,
            calls,
            contracts,
            deadlines,
            restless,
            work,
            memo,
            steps,
            scratch,
            ..
        } = self;
        let library: &Library<'_> = library;
        memo.next();
        scratch.leaps.clear();
        let concern = subject.concern(plan);
        let mut raw: Vec<Raw> = Vec::new();
        let mut assessments = core::mem::take(&mut scratch.assessments);
        let mut asked = core::mem::take(&mut scratch.asked);
        let mut bystanders = core::mem::take(&mut scratch.bystanders);
        {
            let mut judge = Judge {
                eval: Evaluator::new(library, context, registers, present, host, work),
                plan,
                memo,
                steps,
            };
            for contract in &concerned {
                let Some(state) = at(contracts, *contract) else {
                    continue;
                };
                let step = concern.and_then(|c| c.step(*contract));
                let followed = match step.filter(|_| frame.symbols.is_none()) {
                    Some(step) => follow(&mut judge, plan, step, &state.monitor),
                    None => Err(None),
                };
                let found = match followed {
                    Ok(leap) => {
                        let moves = leap.from.guarantee != leap.to.guarantee;
                        if frame.kind == FrameKind::Call && moves {
                            asked.push(*contract);
                        }
                        scratch.leaps.push(leap);
                        continue;
                    }
                    Err(Some((label, verdict))) => scratch.assess_one(*contract, label, verdict),
                    Err(None) => {
                        let c = library.contract(*contract);
                        let mut found = scratch.assessment(*contract);
                        let monitor = &mut state.monitor;
                        if !assess(&mut judge, c, monitor, deadlines, &mut found) {
                            scratch.spare.push(found);
                            continue;
                        }
                        found
                    }
                };
                object(&mut raw, library, frame, &found, &state.monitor);
                if frame.kind == FrameKind::Call && moves(&found) {
                    asked.push(*contract);
                }
                assessments.push(found);
            }
        }
        scratch.concerned = concerned;
        let mut frames: Vec<Frame<'_>> = Vec::new();
        let mut unknown: Vec<bool> = Vec::new();
        if frame.kind == FrameKind::Call {
            // The contracts that the call or its success names, or whose state it moves; only those
            // that watch returns have anything more to say.
            let own = imagined_own(frame);
            let judges_returns = |c: &u32| plan.of(*c).is_some_and(|c| c.foresight.is_some());
            // Most cannot be violated by returns, or not from where they are. With many calls that may have
            // happened or not, what is looked through is limited, which a quick look does not know.
            let few = calls.uncertain() <= MAX_UNCERTAIN && frame.symbols.is_none();
            // A return that no pattern names can still end a contract that is not at rest now, or will not
            // be once a call in flight has succeeded. Instances do not see it, but they see a return of
            // their tool whatever its status.
            bystanders.extend(restless.iter());
            if few {
                asked.extend(concern.map_or(&[][..], |c| &c.asked));
                let endangering = calls.endangering(&plan.steps);
                bystanders.extend(endangering.flat_map(|fit| &fit.endangered));
            } else {
                let tools = frame.tools.map_or(&[][..], |fit| &fit.all);
                asked.extend(library.dispatch(KindClass::Call, tools).contracts());
                asked.extend(
                    library
                        .dispatch(KindClass::Return, tools)
                        .contracts()
                        .filter(|c| {
                            library.contract(*c).patterns().iter().any(|p| {
                                let p = library.pattern(p);
                                own.fits_kind(p.kind) && own.named_by(p)
                            })
                        }),
                );
                for fit in calls.fits_in_flight(&plan.steps) {
                    let tools = &fit.tools.all;
                    bystanders.extend(library.dispatch(KindClass::Return, tools).contracts());
                }
            }
            asked.retain(judges_returns);
            crate::order::sort(&mut asked);
            asked.dedup();
            bystanders.retain(|c| library.contract(*c).key_count() == 0);
            match (few, frame.tools) {
                (true, _) => bystanders.extend(concern.map_or(&[][..], |c| &c.bystanders)),
                (false, tools) => {
                    let tools = tools.map_or(&[][..], |fit| &fit.all);
                    bystanders.extend(library.dispatch(KindClass::Return, tools).contracts());
                }
            }
            bystanders.retain(|c| judges_returns(c) && asked.binary_search(c).is_err());
            crate::order::sort(&mut bystanders);
            bystanders.dedup();
            asked.extend(&bystanders);
            asked.retain(only);
            asked.retain(|c| {
                let assessment = assessments.iter().find(|a| a.contract == *c);
                let leap = scratch.leap_of(*c).and_then(|at| scratch.leaps.get(at));
                at(contracts, *c).is_some_and(|state| {
                    let after = match (&state.monitor, leap) {
                        (_, Some(leap)) => leap_after(leap),
                        (Monitor::One { label, .. }, None) => {
                            after(*label, assessment.and_then(|a| a.singles.first()))
                        }
                        (Monitor::Many(_), None) => None,
                    };
                    let keyed = matches!(state.monitor, Monitor::Many(_));
                    !(few && is_safe(library, plan, *c, keyed, after, assessment, &own))
                })
            });
            for contract in &asked {
                if let Some(at) = scratch.leap_of(*contract) {
                    assessments.extend(scratch.assessed(at));
                }
            }
            if !asked.is_empty() || (advise && !raw.is_empty()) {
                frames.reserve(calls.len() + 2);
                frames.push(Frame {
                    symbols: frame.symbols,
                    ..subject.frame(event)
                });
                unknown.push(false);
                for (seq, call, state) in calls.in_flight() {
                    frames.push(imagined(plan, seq, call, frame.time));
                    unknown.push(state != CallState::Running);
                }
                frames.push(own);
            }
        }
        if !asked.is_empty() {
            let mut judge = Judge {
                eval: Evaluator::new(library, context, registers, &frames, host, work),
                plan,
                memo,
                steps,
            };
            for contract in asked.iter().copied() {
                let Some(state) = at(contracts, contract) else {
                    continue;
                };
                let c = library.contract(contract);
                let assessment = assessments.iter().find(|a| a.contract == contract);
                let bystander = bystanders.binary_search(&contract).is_ok();
                let monitor = &mut state.monitor;
                let found = anticipate(&mut judge, c, monitor, assessment, bystander, &unknown);
                for doomed in found {
                    let action = verb_of(c.action());
                    raw.push(Raw {
                        contract,
                        key: doomed.key,
                        label: doomed.label,
                        verb: match doomed.reason {
                            Reason::Undetermined => plain(action),
                            _ => action,
                        },
                        reason: doomed.reason,
                        gaps: doomed.gaps,
                        waits: Some(doomed.waits),
                    });
                }
            }
            crate::order::sort_by_key(&mut raw, |r| r.contract);
        }
        asked.clear();
        bystanders.clear();
        scratch.asked = asked;
        scratch.bystanders = bystanders;
        if cfg!(feature = "narrowing")
            && let Some(symbols) = frame.symbols
        {
            raw.drain(..).for_each(|r| symbols.object(r.verb));
        }
        if raw.is_empty() {
            return (Vec::new(), assessments);
        }
        // What is proposed after each of the calls in flight that could still succeed.
        let mut after: Vec<(usize, [Frame<'_>; 2])> = Vec::new();
        // Without aggregates what it says now is what it would say then.
        let reads = |raw: &Raw| plan.of(raw.contract).is_none_or(|c| !c.reads.is_empty());
        let helps_at_all = |raw: &Raw| {
            raw.waits.is_none()
                && raw.label.is_some()
                && (raw.reason != Reason::Violated || reads(raw))
        };
        if advise && frame.kind == FrameKind::Call && raw.iter().any(helps_at_all) {
            let running = calls.in_flight().enumerate();
            let running = running.filter(|(_, (_, _, state))| *state == CallState::Running);
            for (n, (seq, call, _)) in running.take(MAX_WAITING) {
                let earlier = imagined(plan, seq, call, frame.time);
                after.push((n + 1, [earlier, subject.frame(event)]));
            }
        }
        let mut waits: Vec<Vec<usize>> = raw.iter().map(|_| Vec::new()).collect();
        for (n, pair) in &after {
            let mut judge = Judge {
                eval: Evaluator::new(library, context, registers, pair, host, work),
                plan,
                memo,
                steps,
            };
            for (raw, waits) in raw.iter().zip(&mut waits) {
                if helps_at_all(raw)
                    && let Some(label) = raw.label
                    && helps(&mut judge, raw.contract, label, raw.key.as_ref())
                {
                    waits.push(*n);
                }
            }
        }
        // In words.
        let flight: Vec<_> = match frame.kind {
            FrameKind::Call if !frames.is_empty() => calls.in_flight().collect(),
            _ => Vec::new(),
        };
        let in_flight = |n: usize| Some(name_of(&plan.steps, *flight.get(n)?));
        let frames = if frames.is_empty() {
            &present[..]
        } else {
            &frames
        };
        let mut judge = Judge {
            eval: Evaluator::new(library, context, registers, frames, host, work),
            plan,
            memo,
            steps,
        };
        let found = raw
            .into_iter()
            .zip(waits)
            .map(|(raw, also)| {
                let waits = (flight.len(), &in_flight as &dyn Fn(usize) -> Option<String>);
                let step = concern.and_then(|c| c.step(raw.contract));
                let step = step.filter(|_| frame.symbols.is_none());
                words(&mut judge, raw, step, waits, &unknown, also, advise)
            })
            .collect();
        (found, assessments)
    }
}

fn at(contracts: &mut [ContractState], contract: u32) -> Option<&mut ContractState> {
    contracts.get_mut(usize::try_from(contract).ok()?)
}

/// The states after a leap; `None` where the contract is idle.
fn leap_after(leap: &Leap) -> Option<Label> {
    (!leap.to.broken).then_some(leap.to)
}

/// The name of a call in flight; empty where it will not return: there is nothing to wait for.
fn name_of(steps: &Steps, (_, call, state): (u64, &Arc<OpenCall>, CallState)) -> String {
    let tool = call.tool(steps);
    match (call.id(), state == CallState::Running) {
        (Some(id), true) => format!("{tool} ({id})"),
        (None, true) => tool.to_string(),
        (_, false) => String::new(),
    }
}

/// The calls in flight, from 1, whose success would let the event be accepted: those found before, and those
/// that could be one of the events that help.
fn waits_for(
    judge: &mut Judge<'_, '_>,
    flight: usize,
    also: &[usize],
    first: &[u32],
) -> Vec<usize> {
    (1..=flight.min(MAX_WAITING))
        .filter(|at| also.contains(at) || could_help(judge, *at, first))
        .collect()
}

impl Objection {
    /// Names calls in flight to wait for, each once.
    fn wait(&mut self, calls: &[usize], name: &dyn Fn(usize) -> Option<String>) {
        for at in calls {
            if let Some(name) = at.checked_sub(1).and_then(name)
                && !name.is_empty()
                && !self.waiting_for.contains(&name)
            {
                self.waiting_for.push(name);
            }
        }
    }
}

/// Whether some instance changes its guarantee's state.
fn moves(found: &Assessment) -> bool {
    let changed = |label: &Label, verdict: &Verdict| match verdict {
        Verdict::Move(to) => to.guarantee != label.guarantee,
        _ => false,
    };
    found.singles.iter().any(|s| changed(&s.label, &s.verdict))
        || found.groups.iter().any(|(l, v)| changed(l, v))
}

pub(super) fn verb_of(action: ActionRef<'_>) -> Verb {
    match action {
        ActionRef::Block => Verb::Block,
        ActionRef::Warn => Verb::Warn,
        ActionRef::Escalate => Verb::Escalate,
        ActionRef::Redirect { .. } => Verb::Redirect,
        ActionRef::Repair => Verb::Repair,
    }
}

/// Only a call has other calls to make instead; what is undefined cannot be mended.
fn plain(action: Verb) -> Verb {
    match action {
        Verb::Redirect | Verb::Repair => Verb::Block,
        other => other,
    }
}

/// Collects the objections of a contract to an event.
fn object(
    out: &mut Vec<Raw>,
    library: &Library<'_>,
    frame: &Frame<'_>,
    found: &Assessment,
    monitor: &Monitor,
) {
    let action = verb_of(library.contract(found.contract).action());
    let agents = frame.kind.is_agents();
    let is_call = frame.kind == FrameKind::Call;
    let plain = plain(action);
    let judged = |verdict: &Verdict| match (agents, verdict) {
        (true, Verdict::Violates(_)) => Some((
            if is_call { action } else { plain },
            Reason::Violated,
            Vec::new(),
        )),
        (true, Verdict::Undetermined(_, gaps)) => Some((plain, Reason::Undetermined, gaps.clone())),
        (false, Verdict::Breaks) => Some((Verb::Suppress, Reason::Violated, Vec::new())),
        (false, Verdict::Undetermined(Side::Assume, gaps)) => {
            Some((Verb::Suppress, Reason::Undetermined, gaps.clone()))
        }
        _ => None,
    };
    let start = out.len();
    if let Some((side, gaps)) = &found.whole
        && let Some((verb, reason, gaps)) = judged(&Verdict::Undetermined(*side, gaps.clone()))
    {
        out.push(Raw {
            contract: found.contract,
            key: None,
            label: None,
            verb,
            reason,
            gaps,
            waits: None,
        });
    }
    for single in &found.singles {
        if out.len() - start >= MAX_OBJECTIONS {
            return;
        }
        if !single.bound {
            let occurred = match (monitor, single.instance) {
                (Monitor::Many(groups), Some(i)) => groups.get(i).occurred,
                _ => false,
            };
            if !occurred {
                continue;
            }
        }
        let verdict = match &single.verdict {
            Verdict::Move(to) if single.born_failed && !to.broken => &Verdict::Violates(*to),
            verdict => verdict,
        };
        if let Some((verb, reason, gaps)) = judged(verdict) {
            out.push(Raw {
                contract: found.contract,
                key: single.key.clone(),
                // Nothing would help a key that starts with a violation.
                label: (!single.born_failed).then_some(single.label),
                verb,
                reason,
                gaps,
                waits: None,
            });
        }
    }
    let Monitor::Many(groups) = monitor else {
        return;
    };
    let mut set: Option<Set<u32>> = None;
    for (label, verdict) in &found.groups {
        let Some((verb, reason, gaps)) = judged(verdict) else {
            continue;
        };
        let set =
            set.get_or_insert_with(|| found.singles.iter().filter_map(|s| s.instance).collect());
        let apart = |i: u32| set.contains(&i);
        let (members, more) = groups.few(*label, MAX_OBJECTIONS, |_, i| !apart(i));
        let mut keys: Vec<Option<Key>> = members
            .iter()
            .map(|i| Some(groups.get(*i).key.clone()))
            .collect();
        // Too many to name; or none that has occurred: those speak only for an assumption, which
        // once broken would leave all later keys without protection.
        if more
            || keys.is_empty()
                && verb == Verb::Suppress
                && groups.members(*label).any(|i| i == 0 && !apart(i))
        {
            keys.push(None);
        }
        for key in keys {
            if out.len() - start >= MAX_OBJECTIONS {
                return;
            }
            out.push(Raw {
                contract: found.contract,
                key,
                label: Some(*label),
                verb,
                reason,
                gaps: gaps.clone(),
                waits: None,
            });
        }
    }
}

fn words(
    judge: &mut Judge<'_, '_>,
    raw: Raw,
    step: Option<&Step>,
    (flight, in_flight): (usize, &dyn Fn(usize) -> Option<String>),
    unknown: &[bool],
    also: Vec<usize>,
    advise: bool,
) -> (Objection, Cause) {
    let library = judge.eval.library;
    let contract = library.contract(raw.contract);
    judge.eval.at = 0;
    judge.eval.key = match &raw.key {
        Some(key) => KeyView::Known(key.clone()),
        None if contract.key_count() > 0 => KeyView::Fresh,
        None => KeyView::None,
    };
    let detail = match raw.reason {
        Reason::Undetermined => detail(library, raw.contract, &raw.gaps),
        _ => None,
    };
    let side = match raw.verb {
        Verb::Suppress => Side::Assume,
        _ => Side::Guarantee,
    };
    let mut objection = Objection {
        contract: raw.contract,
        key: raw.key.as_ref().map(|k| k.to_vec()).unwrap_or_default(),
        verb: raw.verb,
        reason: raw.reason,
        message: message(judge, contract, raw.reason, side),
        detail,
        accepted: Vec::new(),
        seen: Vec::new(),
        waiting_for: Vec::new(),
    };
    let plan = judge.plan;
    let quick = raw.waits.is_none() && !cfg!(feature = "small");
    let cell = match raw.label.filter(|_| quick) {
        Some(label) => step.and_then(|step| plan.steps.advice(step, label.guarantee)),
        None => None,
    };
    if let (Some(cell), Some(label), Side::Guarantee, true) = (cell, raw.label, side, advise) {
        let before = *judge.steps;
        let advice = cell.get_or_init(|| {
            let seen = seen(judge, contract, raw.label, side, false);
            let (accepted, first) = accepted(judge, contract, label);
            Box::new(Advice {
                seen,
                accepted,
                first,
                steps: *judge.steps - before,
            })
        });
        *judge.steps = before + advice.steps;
        objection.seen.clone_from(&advice.seen);
        objection.accepted.clone_from(&advice.accepted);
        let waits = waits_for(judge, flight, &also, &advice.first);
        objection.wait(&waits, in_flight);
        let cause = Cause { key: raw.key };
        return (objection, cause);
    }
    if advise {
        objection.seen = seen(judge, contract, raw.label, side, raw.waits.is_some());
    }
    if advise
        && raw.verb != Verb::Suppress
        && let Some(label) = raw.label
    {
        let waits = match raw.waits {
            Some(waits) => {
                if let Some(outlook) = Outlook::new(judge, contract, false, unknown) {
                    let (state, key) = (label.guarantee, raw.key.as_ref());
                    objection.accepted = outlook.accepted(judge, contract, state, key);
                }
                waits
            }
            None => {
                let (texts, first) = accepted(judge, contract, label);
                objection.accepted = texts;
                waits_for(judge, flight, &also, &first)
            }
        };
        objection.wait(&waits, in_flight);
    }
    let cause = Cause { key: raw.key };
    (objection, cause)
}
