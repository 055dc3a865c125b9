//! Where a limit is reached, the answer is "undefined", an error, or a refusal that says so: never a
//! wrong one, never a crash, and never more memory or time than the limit allows.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;
#[path = "../support/tables.rs"]
mod tables;

mod aggregates;
mod memory;
mod nesting;
mod regexes;
mod work;

use ctr_runtime::decision::{Decision, Reason, Value3, Verb};
use ctr_runtime::eval::MAX_DEPTH;
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::model::{Action, CompareOp, Expr, MessagePart, RegisterKind, Root};
use ctr_runtime::format::{Library, encode};
use ctr_runtime::json;
use ctr_runtime::limits::Limits;
use ctr_runtime::regex::Regex;
use ctr_runtime::session::{EventError, Recorded, Session};
use ctr_runtime::value::Value;
use support::{Builder, CALL, INPUT, Line, SUCCESS, call, line, read, ret};

/// A session with limits.
fn limited<'l>(library: &'l Library<'l>, set: impl FnOnce(&mut Limits)) -> Session<'l> {
    let mut limits = Limits::default();
    set(&mut limits);
    let mut session = Session::new(library);
    session.set_limits(limits);
    session
}

fn with<T>(text: &str, run: impl FnOnce(&Event<'_>) -> T) -> T {
    let l = line(text);
    let Line::Event(event) = read(&l) else {
        panic!("{text}")
    };
    run(&event)
}

fn record(session: &mut Session<'_>, text: &str) -> Recorded {
    with(text, |event| session.record(event, &mut ()).unwrap())
}

fn propose(session: &mut Session<'_>, text: &str) -> Decision {
    with(text, |event| session.propose(event, &mut ()).unwrap())
}

/// The only objection's detail names the limit.
fn refuses_by_limit(decision: &Decision) {
    assert_eq!(decision.verb, Verb::Block, "{decision:?}");
    let detail = decision.objections[0].detail.as_deref().unwrap_or_default();
    assert_eq!(decision.objections[0].reason, Reason::Undetermined);
    assert!(detail.contains("limit"), "{detail}");
}
