//! Judging by tables: contracts whose next state kind and tool of the event decide, or conditions that
//! have a value.

use alloc::vec::Vec;

use super::assess::{Assessment, Monitor, Single};
use super::calls::CallState;
use super::groups::Label;
use super::judge::{Judge, Verdict};
use super::plan::Plan;
use super::propose::MAX_UNCERTAIN;
use super::resolve::{Opening, Subject, recorded_id};
use super::scratch::{Leap, Scratch};
use super::steps::{Concern, Next, Step};
use super::{ContractState, Recorded, Session};
use crate::eval::KeyView;
use crate::eval::datum::Truth;
use crate::eval::frame::{Frame, FrameKind};
use crate::event::{Event, EventKind, Status};
use crate::format::{KindClass, Library};
use crate::json;
use crate::limits::Limits;
use crate::regex::together::Searches;

/// What is asked of an event that may be decided quickly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Haste {
    /// Whether it would be allowed.
    Propose,
    /// The same, and it is recorded then.
    Gate,
    /// It has happened, and is recorded.
    Record,
}

/// What leaps start from.
struct Ground<'s> {
    library: &'s Library<'s>,
    plan: &'s Plan,
    contracts: &'s [ContractState],
    restless: &'s [u32],
    limits: &'s Limits,
}

impl Ground<'_> {
    /// Where the event takes the contracts that it concerns, which [`Concern::plain`] says can be looked up;
    /// `None` where one of them has to be judged in full, else how many were looked at.
    #[inline(always)]
    fn leaps(
        &self,
        event: &Event<'_>,
        concern: &Concern,
        class: KindClass,
        (leaps, searches): (&mut Vec<Leap>, &mut Searches),
    ) -> Option<u64> {
        if !self.restless.is_empty() && self.is_restless(concern, class) {
            return None;
        }
        leaps.clear();
        let mut visited = 0;
        for step in &concern.moving {
            let Monitor::One { label, .. } = &self.contracts.get(step.contract as usize)?.monitor
            else {
                return None;
            };
            if label.broken {
                continue;
            }
            let to = Label {
                assume: self.walk(event, step, true, label.assume, searches)?,
                guarantee: self.walk(event, step, false, label.guarantee, searches)?,
                broken: false,
            };
            visited += 1;
            if to != *label {
                leaps.push(Leap {
                    contract: step.contract,
                    from: *label,
                    to,
                });
            }
        }
        Some(visited)
    }

    /// Whether a contract could be moved that the event does not name, or that rests on it.
    fn is_restless(&self, concern: &Concern, class: KindClass) -> bool {
        let unnamed = |c: &u32| {
            self.library.contract(*c).watches(class)
                && concern
                    .moving
                    .binary_search_by_key(c, |step| step.contract)
                    .is_err()
        };
        self.restless.iter().any(unnamed)
    }

    /// Where one side's table leads from a state; `None` where that is a violation, or open.
    #[inline(always)]
    fn walk(
        &self,
        event: &Event<'_>,
        step: &Step,
        assume: bool,
        from: u32,
        searches: &mut Searches,
    ) -> Option<u32> {
        match self.plan.steps.next(step, assume, from) {
            None => Some(from),
            Some(Next::State(state)) => Some(state),
            Some(Next::Violated) => None,
            Some(Next::Asks(node)) => self.ask(event, node, searches),
        }
    }

    /// The same from a node.
    fn ask(&self, event: &Event<'_>, mut node: u32, searches: &mut Searches) -> Option<u32> {
        // Where the work of a condition is bounded more narrowly than its text is long, it is counted.
        let text = match event.kind {
            EventKind::Input { text } | EventKind::Output { text } => text.len() as u64,
            _ => 0,
        };
        if self.limits.work <= 256 || text >= self.limits.work {
            return None;
        }
        loop {
            match self
                .plan
                .steps
                .simple(self.library, event, node, searches)?
            {
                Next::State(state) => return Some(state),
                Next::Violated => return None,
                Next::Asks(next) => node = next,
            }
        }
    }
}

impl Session<'_> {
    /// Takes an event that nothing has to be evaluated for: what it says stands as it is, kind and tool
    /// decide what it does, and it violates nothing. The event's number; `None` where it has to be
    /// [resolved](Session::resolve) and looked at closely: nothing has been changed then.
    #[inline]
    pub(super) fn hasten(&mut self, event: &Event<'_>, haste: Haste) -> Option<u64> {
        if cfg!(feature = "small") {
            return None;
        }
        match event.kind {
            EventKind::Call { .. } => self.hasten_call(event, haste),
            EventKind::Return { .. } => self.hasten_return(event, haste),
            EventKind::Input { .. } | EventKind::Output { .. } => self.hasten_message(event, haste),
            EventKind::Declared { .. } => None,
        }
    }

    /// The session's clock at the event; `None` where a deadline has passed by then.
    #[inline(always)]
    fn on_time(&self, event: &Event<'_>) -> Option<Option<i64>> {
        let now = match (event.meta.time, self.clock) {
            (Some(time), Some(clock)) => Some(clock.max(time)),
            (time, clock) => time.or(clock),
        };
        let late = || now.is_some_and(|now| self.deadlines.is_due(now));
        (self.expired.is_empty() && !late()).then_some(now)
    }

    fn hasten_call(&mut self, event: &Event<'_>, haste: Haste) -> Option<u64> {
        let EventKind::Call { id, tool, args } = event.kind else {
            return None;
        };
        let now = self.on_time(event)?;
        let Self {
            library,
            plan,
            limits,
            calls,
            contracts,
            restless,
            steps: visited,
            scratch,
            next: seq,
            work,
            ..
        } = self;
        let steps = &plan.steps;
        let id = recorded_id(id)?;
        let plain = steps.plain(event.meta.server, tool)?;
        let fit = &**steps.fit(plain.fit);
        let concern = &fit.call;
        let foresees = haste != Haste::Record
            && (concern.foresees
                || !restless.is_empty()
                || calls.endangers()
                || calls.uncertain() > MAX_UNCERTAIN);
        if !concern.plain || foresees || !calls.has_room(limits) {
            return None;
        }
        let weight = args.weight()?;
        let (known, hash) = calls.look_up(id);
        if known {
            return None;
        }
        let ground = Ground {
            library,
            plan,
            contracts,
            restless,
            limits,
        };
        let stays = concern.moving.is_empty() && restless.is_empty();
        if !stays {
            *visited += ground.leaps(
                event,
                concern,
                KindClass::Call,
                (&mut scratch.leaps, &mut work.searches),
            )?;
        }
        let seq = *seq;
        self.clock = now;
        if haste == Haste::Propose {
            return Some(seq);
        }
        let opening = Opening {
            name: plain.name,
            fit: plain.fit,
            endangers: !fit.endangered.is_empty(),
            keeps_args: fit.keeps_args,
            weight,
        };
        calls.insert_new(seq, hash, |call| {
            opening.fill(call, event, &mut work.recycler);
            call.weight_with(tool.len())
        });
        if !stays {
            self.move_leaps(seq);
        }
        self.next += 1;
        Some(seq)
    }

    fn hasten_return(&mut self, event: &Event<'_>, haste: Haste) -> Option<u64> {
        let EventKind::Return {
            id,
            tool,
            status,
            result,
            ..
        } = event.kind
        else {
            return None;
        };
        let now = self.on_time(event)?;
        let Self {
            library,
            plan,
            limits,
            calls,
            contracts,
            restless,
            steps: visited,
            scratch,
            next: seq,
            work,
            ..
        } = self;
        let steps = &plan.steps;
        let (place, call) = calls.running(recorded_id(id)?)?;
        let concern = steps.fit(call.fit).returned(status);
        if !concern.plain
            || tool.is_some_and(|tool| tool != call.tool(steps))
            || event.meta.server.is_some() && call.server.is_none()
            || result.is_some_and(|result| result.is_deeper_than(json::MAX_DEPTH))
        {
            return None;
        }
        let ground = Ground {
            library,
            plan,
            contracts,
            restless,
            limits,
        };
        let stays = concern.moving.is_empty() && restless.is_empty();
        if !stays {
            *visited += ground.leaps(
                event,
                concern,
                KindClass::Return,
                (&mut scratch.leaps, &mut work.searches),
            )?;
        }
        let seq = *seq;
        self.clock = now;
        if haste == Haste::Propose {
            return Some(seq);
        }
        match status {
            // It may still be settled.
            Status::Unknown => calls.set(place, CallState::Unknown),
            Status::Success | Status::Failure => calls.remove(place),
        }
        if !stays {
            self.move_leaps(seq);
        }
        self.next += 1;
        Some(seq)
    }

    fn hasten_message(&mut self, event: &Event<'_>, haste: Haste) -> Option<u64> {
        let now = self.on_time(event)?;
        let Self {
            library,
            plan,
            limits,
            contracts,
            restless,
            steps: visited,
            scratch,
            next: seq,
            work,
            ..
        } = self;
        let (concern, class) = match event.kind {
            EventKind::Input { .. } => (&plan.steps.input, KindClass::Input),
            EventKind::Output { .. } => (&plan.steps.output, KindClass::Output),
            _ => return None,
        };
        if !concern.plain {
            return None;
        }
        let ground = Ground {
            library,
            plan,
            contracts,
            restless,
            limits,
        };
        let stays = concern.moving.is_empty() && restless.is_empty();
        if !stays {
            *visited += ground.leaps(
                event,
                concern,
                class,
                (&mut scratch.leaps, &mut work.searches),
            )?;
        }
        let seq = *seq;
        self.clock = now;
        if haste == Haste::Propose {
            return Some(seq);
        }
        if !stays {
            self.move_leaps(seq);
        }
        self.next += 1;
        Some(seq)
    }

    /// Judges an event that its kind and tool decide: it violates nothing, and nothing but states of
    /// contracts without keys can change. Notes the moves; false where it has to be judged in full.
    /// `foresight`: whether the returns of calls in flight are looked at.
    pub(super) fn leap(&mut self, event: &Event<'_>, subject: &Subject, foresight: bool) -> bool {
        if cfg!(feature = "small") {
            return false;
        }
        let Self {
            library,
            plan,
            calls,
            contracts,
            restless,
            expired,
            limits,
            steps,
            scratch,
            work,
            ..
        } = self;
        let (Some(concern), Some(class)) = (subject.concern(plan), subject.kind().class()) else {
            return false;
        };
        if !concern.plain || !expired.is_empty() {
            return false;
        }
        if foresight
            && subject.kind() == FrameKind::Call
            && (concern.foresees
                || !restless.is_empty()
                || calls.endangers()
                || calls.uncertain() > MAX_UNCERTAIN)
        {
            return false;
        }
        let ground = Ground {
            library,
            plan,
            contracts,
            restless,
            limits,
        };
        match ground.leaps(
            event,
            concern,
            class,
            (&mut scratch.leaps, &mut work.searches),
        ) {
            None => false,
            Some(visited) => {
                *steps += visited;
                true
            }
        }
    }

    /// Records an event that [`Session::leap`] has judged.
    pub(super) fn land(&mut self, event: &Event<'_>, subject: &Subject) -> Recorded {
        self.move_leaps(subject.seq);
        let ambiguous = self.pair_up(event, subject, false);
        self.next += 1;
        Recorded::clean(subject.seq, ambiguous)
    }

    /// Moves the contracts of the scratch's leaps.
    #[inline(always)]
    pub(super) fn move_leaps(&mut self, seq: u64) {
        if cfg!(feature = "small") {
            return;
        }
        for at in 0..self.scratch.leaps.len() {
            if let Some(leap) = self.scratch.leaps.get(at).copied() {
                self.move_leap(seq, leap);
            }
        }
        self.scratch.leaps.clear();
    }

    fn move_leap(&mut self, seq: u64, leap: Leap) {
        let Leap { contract, from, to } = leap;
        let state = usize::try_from(contract)
            .ok()
            .and_then(|n| self.contracts.get_mut(n));
        let Some(Monitor::One { label, since, .. }) = state.map(|s| &mut s.monitor) else {
            return;
        };
        if self.plan.opens(contract, from.guarantee, to.guarantee) {
            *since = Some(seq);
        }
        *label = to;
        self.update_restless(contract);
    }
}

/// Where a step takes a contract without keys, by its tables and the conditions that they ask for. Where that is
/// no move, what it is, if no condition is open.
pub(super) fn follow(
    judge: &mut Judge<'_, '_>,
    plan: &Plan,
    step: &Step,
    monitor: &Monitor,
) -> Result<Leap, Option<(Label, Verdict)>> {
    let Monitor::One { label, .. } = monitor else {
        return Err(None);
    };
    let mut leap = Leap {
        contract: step.contract,
        from: *label,
        to: *label,
    };
    if label.broken {
        return Ok(leap);
    }
    judge.eval.key = KeyView::None;
    // `Some(None)`: a violation.
    let mut walk = |assume, state| {
        let mut next = plan.steps.next(step, assume, state);
        loop {
            *judge.steps += 1;
            next = match next {
                None => return Some(Some(state)),
                Some(Next::State(to)) => return Some(Some(to)),
                Some(Next::Violated) => return Some(None),
                Some(Next::Asks(node)) => {
                    let (atom, low, high) = plan.steps.node(node);
                    match judge.atom(atom) {
                        Some(Truth::True) => Some(high),
                        Some(Truth::False) => Some(low),
                        _ => return None,
                    }
                }
            }
        }
    };
    match walk(true, label.assume) {
        Some(Some(assume)) => leap.to.assume = assume,
        Some(None) => return Err(Some((*label, Verdict::Breaks))),
        None => return Err(None),
    }
    match walk(false, label.guarantee) {
        Some(Some(guarantee)) => leap.to.guarantee = guarantee,
        Some(None) => return Err(Some((*label, Verdict::Violates(leap.to)))),
        None => return Err(None),
    }
    Ok(leap)
}

/// Whether a quick look shows that a contract does not refuse a call for what returns could do: from the
/// states after the call (`None`: it objects already, or is idle) no returns lead to a violation, and what the call's own return means for it
/// depends on no condition.
pub(crate) fn is_safe(
    library: &Library<'_>,
    plan: &Plan,
    contract: u32,
    keyed: bool,
    after: Option<Label>,
    assessment: Option<&Assessment>,
    own: &Frame<'_>,
) -> bool {
    let Some(facts) = plan.of(contract) else {
        return false;
    };
    let Some(foresight) = &facts.foresight else {
        return true;
    };
    if !foresight.patterns_only || own.tools.is_some_and(|fit| !fit.maybe.is_empty()) {
        return false;
    }
    match keyed {
        false => after.is_none_or(|after| {
            foresight.is_calm(after.guarantee)
                && !facts
                    .conditional
                    .iter()
                    .any(|p| own.named_by(library.pattern(*p)))
        }),
        // Keys that a return brings have to be looked at one by one.
        true => {
            foresight.all_calm
                && assessment.is_none_or(|a| !a.broadcast)
                && !facts
                    .keyed
                    .iter()
                    .chain(&facts.unkeyed)
                    .any(|p| own.named_by(library.pattern(*p)))
        }
    }
}

impl Scratch {
    /// The move of a contract that was judged by tables.
    pub(super) fn leap_of(&self, contract: u32) -> Option<usize> {
        self.leaps
            .binary_search_by_key(&contract, |leap| leap.contract)
            .ok()
    }

    /// A contract's move in the form of all others.
    pub(super) fn assessed(&mut self, at: usize) -> Option<Assessment> {
        let leap = self.leaps.get(at).copied()?;
        self.leaps.remove(at);
        let verdict = Verdict::Move(leap.to);
        Some(self.assess_one(leap.contract, leap.from, verdict))
    }

    /// What an event does to a contract without keys and deadlines.
    pub(super) fn assess_one(
        &mut self,
        contract: u32,
        label: Label,
        verdict: Verdict,
    ) -> Assessment {
        let mut found = self.assessment(contract);
        found.singles.push(Single {
            key: None,
            bound: true,
            born_failed: false,
            instance: None,
            label,
            verdict,
            rings: Vec::new(),
        });
        found
    }
}
