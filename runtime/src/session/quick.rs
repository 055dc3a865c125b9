//! Judging by tables: contracts whose next state kind and tool of the event decide, or conditions that
//! have a value.

use super::assess::{Assessment, Monitor, Single};
use super::groups::Label;
use super::judge::{Judge, Verdict};
use super::plan::Plan;
use super::propose::MAX_UNCERTAIN;
use super::resolve::Subject;
use super::scratch::{Leap, Scratch};
use super::steps::{Next, Step};
use super::{Recorded, Session};
use crate::eval::KeyView;
use crate::eval::datum::Truth;
use crate::eval::frame::{Frame, FrameKind};
use crate::event::{Event, EventKind};
use crate::format::Library;

impl Session<'_> {
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
        if !concern.registers.is_empty() || !concern.deadlines.is_empty() || !expired.is_empty() {
            return false;
        }
        if foresight
            && subject.kind() == FrameKind::Call
            && !(concern.asked.is_empty()
                && concern.bystanders.is_empty()
                && restless.is_empty()
                && calls.endangering().next().is_none()
                && calls.uncertain() <= MAX_UNCERTAIN)
        {
            return false;
        }
        let unnamed = |c: &u32| {
            library.contract(*c).watches(class)
                && concern
                    .steps
                    .binary_search_by_key(c, |step| step.contract)
                    .is_err()
        };
        if restless.iter().any(unnamed) {
            return false;
        }
        // Where the work of a condition is bounded more narrowly than its text is long, it is counted.
        let text = match event.kind {
            EventKind::Input { text } | EventKind::Output { text } => text.len() as u64,
            _ => 0,
        };
        let quick = limits.work > 256 && text < limits.work;
        scratch.leaps.clear();
        for step in &concern.steps {
            let state = usize::try_from(step.contract)
                .ok()
                .and_then(|n| contracts.get(n));
            let Some(Monitor::One { label, .. }) = state.map(|s| &s.monitor) else {
                return false;
            };
            if !step.quick {
                return false;
            }
            if label.broken {
                continue;
            }
            let mut to = *label;
            let mut walk = |assume, from| {
                let mut next = plan.steps.next(step, assume, from);
                loop {
                    next = match next {
                        None => return Some(from),
                        Some(Next::State(state)) => return Some(state),
                        Some(Next::Violated) => return None,
                        Some(Next::Asks(node)) if quick => {
                            Some(
                                plan.steps
                                    .simple(library, event, node, &mut work.searches)?,
                            )
                        }
                        Some(Next::Asks(_)) => return None,
                    }
                }
            };
            match (walk(true, label.assume), walk(false, label.guarantee)) {
                (Some(assume), Some(guarantee)) => {
                    (to.assume, to.guarantee) = (assume, guarantee);
                }
                _ => return false,
            }
            *steps += 1;
            if to != *label {
                scratch.leaps.push(Leap {
                    contract: step.contract,
                    from: *label,
                    to,
                });
            }
        }
        true
    }

    /// Records an event that [`Session::leap`] has judged.
    pub(super) fn land(&mut self, event: &Event<'_>, subject: &Subject) -> Recorded {
        self.move_leaps(subject.seq);
        let ambiguous = self.pair_up(event, subject, false);
        self.next += 1;
        Recorded::clean(subject.seq, ambiguous)
    }

    /// Moves the contracts of the scratch's leaps.
    pub(super) fn move_leaps(&mut self, seq: u64) {
        if cfg!(feature = "small") {
            return;
        }
        for at in 0..self.scratch.leaps.len() {
            let Some(Leap { contract, from, to }) = self.scratch.leaps.get(at).copied() else {
                break;
            };
            let state = usize::try_from(contract)
                .ok()
                .and_then(|n| self.contracts.get_mut(n));
            let Some(Monitor::One { label, since, .. }) = state.map(|s| &mut s.monitor) else {
                continue;
            };
            if self.plan.opens(contract, from.guarantee, to.guarantee) {
                *since = Some(seq);
            }
            *label = to;
            self.update_restless(contract);
        }
        self.scratch.leaps.clear();
    }
}

/// Where a step takes a contract without keys, by its tables and the conditions that they ask for;
/// `None` where that is no move, or open.
pub(super) fn follow(
    judge: &mut Judge<'_, '_>,
    plan: &Plan,
    step: &Step,
    monitor: &Monitor,
) -> Option<Leap> {
    let Monitor::One { label, .. } = monitor else {
        return None;
    };
    let mut leap = Leap {
        contract: step.contract,
        from: *label,
        to: *label,
    };
    if label.broken {
        return Some(leap);
    }
    judge.eval.key = KeyView::None;
    let mut walk = |assume, state| {
        let mut next = plan.steps.next(step, assume, state);
        loop {
            *judge.steps += 1;
            next = match next {
                None => return Some(state),
                Some(Next::State(to)) => return Some(to),
                Some(Next::Violated) => return None,
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
    leap.to.assume = walk(true, label.assume)?;
    leap.to.guarantee = walk(false, label.guarantee)?;
    Some(leap)
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
        let mut found = self.assessment(leap.contract);
        found.singles.push(Single {
            key: None,
            bound: true,
            born_failed: false,
            instance: None,
            label: leap.from,
            verdict: Verdict::Move(leap.to),
            rings: alloc::vec::Vec::new(),
        });
        Some(found)
    }
}
