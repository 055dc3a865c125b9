//! Forms with a clock (language reference, section 4 and the aggregates of section 6): each is
//! judged by looking at the times of all events.

use super::check::Expect;
use super::cond::{Moment, Pattern};
use super::contract::Contract;
use super::model::{Event, Session};
use std::cell::Cell;
use std::collections::BTreeSet;

/// A form with a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `P only after Q within d`
    OnlyAfter,
    /// `P leads to Q within d`
    LeadsTo,
    /// `P at most n times within d`
    AtMost,
    /// `P only if count(Q within d) <= n`
    CountWithin,
    /// `P only if elapsed(Q) <= d`
    Elapsed,
}

/// A guarantee of such a form. P and Q have no tool in common.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The form.
    pub form: Form,
    /// P.
    pub p: Pattern,
    /// Q.
    pub q: Pattern,
    /// The number of the form.
    pub n: usize,
    /// The time of the form, in milliseconds.
    pub within: i64,
}

impl Timed {
    /// Its text, after `guarantee`.
    #[must_use]
    pub fn text(&self) -> String {
        let (p, q, n) = (self.p.text(), self.q.text(), self.n);
        let d = if self.within % 1000 == 0 {
            format!("{}s", self.within / 1000)
        } else {
            format!("{}ms", self.within)
        };
        let times = if n == 1 { "time" } else { "times" };
        match self.form {
            Form::OnlyAfter => format!("{p} only after {q} within {d}"),
            Form::LeadsTo => format!("{p} leads to {q} within {d}"),
            Form::AtMost => format!("{p} at most {n} {times} within {d}"),
            Form::CountWithin => format!("{p} only if count({q} within {d}) <= {n}"),
            Form::Elapsed => format!("{p} only if elapsed({q}) <= {d}"),
        }
    }
}

/// Value and violations of a contract of such a form.
#[must_use]
pub fn by_clock(contract: &Contract, session: &Session) -> Option<Expect> {
    let timed = contract.timed.as_ref()?;
    let events = session.events();
    let mut violations = BTreeSet::new();
    let mut failed = false;
    let mut exact = true;
    for key in contract.keys(&events) {
        let open = Cell::new(false);
        let holds = |pattern: &Pattern| -> Vec<usize> {
            (0..events.len())
                .filter(|at| {
                    let m = Moment {
                        events: &events,
                        at: *at,
                        key: key.as_ref(),
                        open: &open,
                    };
                    pattern.holds(m) == Some(true)
                })
                .collect()
        };
        let (ps, qs) = (holds(&timed.p), holds(&timed.q));
        let time = |at: usize| time_of(&events, at);
        let mut add = |at: usize, reason: &str| {
            violations.insert((at, reason.to_owned()));
        };
        for p in &ps {
            let mut before = qs.iter().filter(|q| *q < p);
            match timed.form {
                Form::OnlyAfter => {
                    let fresh = before
                        .next_back()
                        .is_some_and(|q| time(*p) - time(*q) <= timed.within);
                    if !fresh {
                        add(*p, "violated");
                    }
                }
                Form::Elapsed => match before.next_back() {
                    None => add(*p, "undetermined"),
                    Some(q) if time(*p) - time(*q) > timed.within => add(*p, "violated"),
                    Some(_) => {}
                },
                Form::CountWithin => {
                    let recent = before.filter(|q| time(*p) - time(**q) <= timed.within);
                    if recent.count() > timed.n {
                        add(*p, "violated");
                    }
                }
                Form::LeadsTo => {
                    // At which event the failure is told depends on what else is watched.
                    exact = false;
                    failed |= !qs
                        .iter()
                        .any(|q| q > p && time(*q) - time(*p) <= timed.within);
                }
                Form::AtMost => {}
            }
        }
        if timed.form == Form::AtMost {
            let all = windows(timed, &ps, &time, true);
            if all != windows(timed, &ps, &time, false) {
                // Whether calls that were violations fill the window of later ones.
                return None;
            }
            for p in all {
                add(p, "violated");
            }
        }
    }
    failed |= !violations.is_empty();
    Some(Expect {
        value: if failed { "FAIL" } else { "ACTIVE" },
        violations: exact.then_some(violations),
        pending: None,
    })
}

/// The P at which more than n of them lie in the window that ends there.
fn windows(timed: &Timed, ps: &[usize], time: &dyn Fn(usize) -> i64, all: bool) -> Vec<usize> {
    let mut counted: Vec<usize> = Vec::new();
    let mut over = Vec::new();
    for p in ps {
        counted.push(*p);
        let recent = counted
            .iter()
            .filter(|q| time(*p) - time(**q) <= timed.within);
        if recent.count() > timed.n {
            over.push(*p);
            if !all {
                counted.pop();
            }
        }
    }
    over
}

/// The time of an event: an earlier stamp counts as the latest one seen.
fn time_of(events: &[Event], at: usize) -> i64 {
    events[..=at].iter().map(|e| e.time).max().unwrap_or(0)
}
