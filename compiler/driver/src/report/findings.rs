//! What is wrong with a session, one by one, in the order in which it happened.

use ctr_runtime::decision::{Decision, Objection, Reason, Seen, Value3, Verb, Violation};
use ctr_runtime::format::ContractRef;
use ctr_runtime::value::Value;

use super::data::{Told, concerns, event_at};

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A guarantee is violated.
    Violated,
    /// It could not be judged.
    Undetermined,
    /// A deadline passed.
    Deadline,
    /// An obligation was open at the end.
    Pending,
    /// An assumption was broken: the contract is idle.
    Broken,
    /// Enforcement decided otherwise than to allow.
    Decided(Verb),
    /// The event makes no sense where it stands.
    Malformed,
}

impl Kind {
    /// The letter of its style, a sign, and words.
    #[must_use]
    pub fn shown(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Violated => ("v", "\u{2715}", "violated"),
            Self::Undetermined => ("v", "?", "undetermined"),
            Self::Deadline => ("v", "\u{2715}", "deadline passed"),
            Self::Pending => ("v", "\u{25d0}", "still owed at the end"),
            Self::Broken => ("i", "\u{2013}", "idle: assumption broken"),
            Self::Decided(verb) => ("d", "\u{25a0}", verb.name()),
            Self::Malformed => ("m", "!", "malformed event, left out"),
        }
    }

    /// Whether it is about the contract's assumption and not about its guarantee.
    #[must_use]
    pub fn is_assumption(self) -> bool {
        matches!(self, Self::Broken | Self::Decided(Verb::Suppress))
    }

    /// The word that a filter knows it by.
    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Self::Decided(_) => "decision",
            Self::Broken => "idle",
            Self::Malformed => "malformed",
            _ => "violation",
        }
    }
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding<'t> {
    /// What it is.
    pub kind: Kind,
    /// The contract; none for a malformed event.
    pub contract: Option<u32>,
    /// The instance's key.
    pub key: &'t [Value],
    /// The event; none where it was so from the start.
    pub event: Option<u64>,
    /// For a violation by a return: the call at which it was certain already, should it succeed.
    pub foreseen: Option<u64>,
    /// The contract's message, or what is malformed.
    pub message: &'t str,
    /// Which value was missing or unreadable.
    pub detail: Option<&'t str>,
    /// The conditions with the values that they saw.
    pub seen: &'t [Seen],
    /// What would have been accepted; for an obligation, what would have met it.
    pub accepted: &'t [String],
    /// Calls in flight that would have helped.
    pub waiting_for: &'t [String],
    /// For a decision, the whole of it.
    pub decision: Option<&'t Decision>,
}

impl Finding<'_> {
    /// The event where it belongs in the timeline; none: at the end.
    #[must_use]
    pub fn shown_at(&self) -> Option<u64> {
        match self.kind {
            Kind::Pending => None,
            _ => self.event,
        }
    }
}

/// All findings: events in their order, the end last.
#[must_use]
pub fn all(told: &Told) -> Vec<Finding<'_>> {
    let report = &told.report;
    let mut found: Vec<Finding<'_>> = Vec::new();
    for decided in &report.decisions {
        for objection in &decided.decision.objections {
            found.push(Finding {
                decision: Some(&decided.decision),
                ..objected(
                    Kind::Decided(objection.verb),
                    Some(decided.event),
                    objection,
                )
            });
        }
    }
    for outcome in &report.outcome.contracts {
        if let (Value3::Idle, Some(broken)) = (outcome.value, &outcome.assumption) {
            found.push(violation(told, Kind::Broken, broken));
        }
        let mut pending = outcome.pending.iter();
        for violated in &outcome.violations {
            let kind = match violated.reason {
                Reason::Undetermined => Kind::Undetermined,
                Reason::Deadline => Kind::Deadline,
                Reason::PendingAtEnd => Kind::Pending,
                Reason::Violated | Reason::Anticipated => Kind::Violated,
            };
            let mut finding = violation(told, kind, violated);
            // Each open obligation stands in both lists, in the same order.
            if kind == Kind::Pending
                && let Some(open) = pending.next()
            {
                finding.accepted = &open.awaits;
            }
            found.push(finding);
        }
    }
    for malformed in &report.malformed {
        found.push(Finding {
            kind: Kind::Malformed,
            contract: None,
            key: &[],
            event: Some(malformed.event),
            foreseen: None,
            message: &malformed.what,
            detail: None,
            seen: &[],
            accepted: &[],
            waiting_for: &[],
            decision: None,
        });
    }
    found.sort_by_key(|finding| match (finding.kind, finding.event) {
        (Kind::Pending, _) => u64::MAX,
        (_, event) => event.map_or(0, |event| event + 1),
    });
    found
}

fn objected(kind: Kind, event: Option<u64>, objection: &Objection) -> Finding<'_> {
    Finding {
        kind,
        contract: Some(objection.contract),
        key: &objection.key,
        event,
        foreseen: None,
        message: &objection.message,
        detail: objection.detail.as_deref(),
        seen: &objection.seen,
        accepted: &objection.accepted,
        waiting_for: &objection.waiting_for,
        decision: None,
    }
}

fn violation<'t>(told: &'t Told, kind: Kind, violation: &'t Violation) -> Finding<'t> {
    let moments = &told.story.moments;
    let said = |event: Option<u64>| {
        let objections = &event_at(moments, event)?.objections;
        objections.iter().find(|o| concerns(o, violation))
    };
    // An obligation is no fault of the event at which it began.
    let event = violation
        .event
        .filter(|_| !matches!(kind, Kind::Pending | Kind::Deadline));
    let call = event_at(moments, event).and_then(|moment| moment.call);
    let own = said(event);
    let foreseen = match own {
        None => call.filter(|call| said(Some(*call)).is_some()),
        Some(_) => None,
    };
    let why = own.or_else(|| said(foreseen));
    Finding {
        kind,
        contract: Some(violation.contract),
        key: &violation.key,
        event: violation.event,
        foreseen,
        message: &violation.message,
        detail: violation.detail.as_deref(),
        seen: why.map_or(&[], |o| &o.seen),
        accepted: why.map_or(&[], |o| &o.accepted),
        waiting_for: why.map_or(&[], |o| &o.waiting_for),
        decision: None,
    }
}

/// A contract's key as `order = "o1", line = 2`.
#[must_use]
pub fn key_in_words(contract: ContractRef<'_>, key: &[Value]) -> String {
    let parts: Vec<String> = contract
        .keys()
        .iter()
        .zip(key)
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    parts.join(", ")
}
