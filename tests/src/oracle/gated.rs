//! The gated view by its definition (language reference, section 5): which calls and outputs are
//! refused, which messages and events are suppressed, outcomes of calls in flight anticipated.

use super::cond::Moment;
use super::contract::Contract;
use super::model::{Event, Kind, Session, Status};
use super::residual::{Judge, Letter, completions};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeSet;

/// A decision: event, `block` or `suppress`, the contracts that ask for it.
pub type Decision = (u64, String, BTreeSet<String>);

/// The decisions and the event from which on the reference leaves them open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// Every decision but allow.
    pub list: Vec<Decision>,
    /// The first event whose decision is not compared.
    pub horizon: u64,
}

/// A contract with the judges of its two formulas.
pub struct Gate {
    /// The contract.
    pub contract: Contract,
    assume: Judge,
    guarantee: Judge,
}

impl Gate {
    /// The judges of a contract; none where it is too large, or violated from the start.
    #[must_use]
    pub fn new(contract: Contract, possible: &BTreeSet<Letter>) -> Option<Self> {
        let assume = Judge::of(&contract, &contract.assume, possible)?;
        let guarantee = Judge::of(&contract, &contract.guarantee, possible)?;
        let open = |judge: &Judge| judge.bad(&[]) == Some(false);
        (open(&assume) && open(&guarantee)).then_some(Self {
            contract,
            assume,
            guarantee,
        })
    }
}

/// An instance of a contract and what was recorded for it.
struct Monitor<'a> {
    gate: &'a Gate,
    used: BTreeSet<usize>,
    key: Option<Value>,
    recorded: Vec<Letter>,
    idle: bool,
}

impl Monitor<'_> {
    /// The completions of an event's letter; none where the instance does not see it.
    fn letters(&self, event: &Event) -> Option<Vec<Letter>> {
        let contract = &self.gate.contract;
        let single = std::slice::from_ref(event);
        let key = self.key.as_ref();
        if contract.steps(single, key).is_empty() {
            return None;
        }
        let open = Cell::new(false);
        let row = contract.row(Moment {
            events: single,
            at: 0,
            key,
            open: &open,
        });
        Some(completions(&row, &self.used))
    }

    /// Whether these events, appended, violate the formula for good whatever is not known of
    /// them.
    fn doomed(&self, judge: &Judge, prefix: &[Letter], events: &[&Event]) -> Option<bool> {
        let Some((first, rest)) = events.split_first() else {
            return judge.bad(prefix);
        };
        let Some(letters) = self.letters(first) else {
            return self.doomed(judge, prefix, rest);
        };
        for letter in letters {
            let mut longer = prefix.to_vec();
            longer.push(letter);
            if !self.doomed(judge, &longer, rest)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the instance objects to an event; none where the reference leaves it open.
    fn objects(&self, event: &Event, in_flight: &[InFlight]) -> Option<bool> {
        if self.idle {
            return Some(false);
        }
        let (assume, guarantee) = (&self.gate.assume, &self.gate.guarantee);
        if self.letters(event).is_some_and(|l| l.len() != 1) {
            return None;
        }
        let breaks_assumption = self.doomed(assume, &self.recorded, &[event])?;
        let breaks_guarantee = self.doomed(guarantee, &self.recorded, &[event])?;
        if !matches!(event.kind, Kind::Call | Kind::Output) {
            // A guarantee broken by the environment is reported; what follows is left open, as
            // is what becomes of a call whose return is withheld.
            let open = breaks_guarantee || breaks_assumption && event.kind == Kind::Return;
            return if breaks_assumption && event.kind != Kind::Return {
                Some(true)
            } else if open {
                None
            } else {
                Some(false)
            };
        }
        if breaks_assumption {
            // The agent's step ends the assumption: what comes first is left open.
            return if breaks_guarantee { None } else { Some(false) };
        }
        if breaks_guarantee {
            return Some(true);
        }
        if event.kind != Kind::Call {
            return Some(false);
        }
        // A call of unknown outcome may have happened or not: whatever became of those there are.
        let own = event.success_of();
        let unknown: Vec<usize> = (0..in_flight.len())
            .filter(|n| in_flight[*n].unknown)
            .collect();
        let mut refused = false;
        let mut open = false;
        for choice in 0..1_u32 << unknown.len().min(MAX_UNKNOWN) {
            let mut ahead: Vec<&Event> = vec![event];
            ahead.extend(in_flight.iter().enumerate().filter_map(|(n, call)| {
                let happened = unknown
                    .iter()
                    .position(|u| *u == n)
                    .is_none_or(|bit| choice >> bit & 1 == 1);
                happened.then_some(&call.success)
            }));
            // Calls whose returns are doomed without this call too: whose fault it is stays open.
            if self.doomed(guarantee, &self.recorded, &ahead[1..])? {
                return None;
            }
            ahead.push(&own);
            let bad = self.doomed(guarantee, &self.recorded, &ahead)?;
            refused |= bad;
            open |= bad && self.doomed(assume, &self.recorded, &ahead)?;
        }
        if open || unknown.len() > MAX_UNKNOWN {
            return None;
        }
        Some(refused)
    }
}

/// More calls of unknown outcome at once are left open.
const MAX_UNKNOWN: usize = 6;

/// A call in flight.
struct InFlight {
    /// The return that it would have.
    success: Event,
    /// Whether its outcome stays unknown.
    unknown: bool,
}

/// Plays a session through contracts without undefined fields. In keyed ones every pattern binds
/// the key.
#[must_use]
pub fn decide(gates: &[Gate], session: &Session) -> Decisions {
    let events = session.events();
    let mut decisions = Decisions {
        list: Vec::new(),
        horizon: events.len() as u64,
    };
    // A value of the key also occurs in the return that a call is imagined to have.
    let occurring: Vec<Event> = events
        .iter()
        .filter(|event| event.kind == Kind::Call)
        .map(Event::success_of)
        .chain(events.iter().cloned())
        .collect();
    let mut monitors: Vec<Monitor<'_>> = gates
        .iter()
        .flat_map(|gate| {
            let keys = gate.contract.keys(&occurring);
            keys.into_iter().map(move |key| Monitor {
                gate,
                used: gate.contract.used(),
                key,
                recorded: Vec::new(),
                idle: false,
            })
        })
        .collect();
    let mut in_flight: Vec<InFlight> = Vec::new();
    let mut dropped: BTreeSet<String> = BTreeSet::new();
    for (at, event) in events.iter().enumerate() {
        if event.kind == Kind::Return && dropped.contains(&event.id) {
            continue;
        }
        let at = at as u64;
        let mut against = BTreeSet::new();
        for monitor in &monitors {
            match monitor.objects(event, &in_flight) {
                Some(true) => {
                    against.insert(monitor.gate.contract.name.clone());
                }
                Some(false) => {}
                None => {
                    decisions.horizon = at;
                    return decisions;
                }
            }
        }
        if !against.is_empty() {
            let agent = matches!(event.kind, Kind::Call | Kind::Output);
            let what = if agent { "block" } else { "suppress" };
            if event.kind == Kind::Call {
                dropped.insert(event.id.clone());
            }
            decisions.list.push((at, what.to_owned(), against));
            continue;
        }
        match event.kind {
            Kind::Call => in_flight.push(InFlight {
                success: event.success_of(),
                unknown: false,
            }),
            Kind::Return if event.status == Some(Status::Unknown) => {
                for call in &mut in_flight {
                    call.unknown |= call.success.id == event.id;
                }
            }
            Kind::Return => in_flight.retain(|call| call.success.id != event.id),
            _ => {}
        }
        for monitor in &mut monitors {
            if let Some(letters) = monitor.letters(event) {
                monitor.recorded.push(letters[0].clone());
                monitor.idle |= monitor.gate.assume.bad(&monitor.recorded) == Some(true);
            }
        }
    }
    decisions
}
