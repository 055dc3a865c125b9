//! Whole sessions: anticipation, actions, advice, pairing, time, deadlines, tool names, lookups.
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

mod actions;
mod foresight;
mod identity;
mod pairing;
mod refusals;
mod state;

use ctr_runtime::decision::{Decision, Outcome, Reason, Value3, Verb};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{
    Action, Coerce, CompareOp, EventKind as Kind, Expr, Function, Label, RegisterKind, Root, Side,
    Status, Tools,
};
use ctr_runtime::session::{EventError, Gated, Host, Recorded, RestoreError, Session, gate};
use ctr_runtime::value::Value;
use support::{Builder, CALL, INPUT, Line, RETURN, SUCCESS, call, line, read, ret};

struct Answers(Vec<(&'static str, Option<Value>)>, u32);

impl Host for Answers {
    fn lookup(&mut self, name: &str, _args: &[Value]) -> Option<Value> {
        self.1 += 1;
        self.0.iter().find(|(n, _)| *n == name)?.1.clone()
    }
}

fn with<T>(text: &str, run: impl FnOnce(&ctr_runtime::event::Event<'_>) -> T) -> T {
    let l = line(text);
    let Line::Event(event) = read(&l) else {
        panic!("{text}")
    };
    run(&event)
}

fn propose(session: &mut Session<'_>, text: &str) -> Decision {
    with(text, |e| session.propose(e, &mut ()).unwrap())
}

fn record(session: &mut Session<'_>, text: &str) -> Recorded {
    with(text, |e| session.record(e, &mut ()).unwrap())
}

fn gated(session: &mut Session<'_>, text: &str) -> Gated {
    with(text, |e| gate(session, e, &mut ()).unwrap())
}

fn verbs(library: &Library<'_>, lines: &[String]) -> (Vec<Verb>, Outcome) {
    let mut session = Session::new(library);
    let mut verbs = Vec::new();
    for text in lines {
        // Every step of every session is also taken by a restored copy.
        let bytes = session.save();
        let mut twin = Session::restore(library, &bytes).unwrap();
        assert_eq!(twin.save(), bytes);
        let l = line(text);
        match read(&l) {
            Line::Context(fields) => session.set_context(fields),
            Line::Event(event) => {
                let g = gate(&mut session, &event, &mut ()).unwrap();
                assert_eq!(gate(&mut twin, &event, &mut ()).unwrap(), g);
                assert_eq!(twin.finish(), session.finish());
                verbs.push(g.decision.verb);
            }
        }
    }
    let outcome = session.finish();
    (verbs, outcome)
}

use Verb::{Allow, Block, Escalate, Redirect, Repair, Suppress, Warn};

fn tests_first() -> Library<'static> {
    let mut b = Builder::new();
    let p = b.pat(CALL, "deploy", &[], None);
    let q = b.pat(SUCCESS, "run_tests", &[], None);
    let g = b.only_after(p, q);
    let c = b.contract("tests_pass_first", &[], Some(g));
    b.act(c, Action::Block, "Run the tests first.");
    b.library()
}

fn one_payment(kind: Kind) -> Library<'static> {
    let mut b = Builder::new();
    let p = b.pat(kind, "pay", &[], None);
    let g = b.at_most(p, 1);
    b.contract("one_payment", &[], Some(g));
    b.library()
}

fn clean() -> Library<'static> {
    let mut b = Builder::new();
    let bad = b.text_matches(Root::Result, "(?i)ignore previous");
    let mail = b.pat(RETURN, "read_mail", &[], Some(bad));
    let a = b.never(mail);
    let send = b.pat(CALL, "send", &[], None);
    let read = b.pat(SUCCESS, "read_mail", &[], None);
    let g = b.only_after(send, read);
    b.full("clean", &[], Some(a), Some(g), vec![]);
    b.library()
}

fn timed(text: &str, time: f64) -> String {
    text.replace("\"kind\"", &format!("\"time\":{time},\"kind\""))
}
