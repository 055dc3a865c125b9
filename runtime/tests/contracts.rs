//! Assumptions and deadlines of keyed contracts against a plain evaluation for each key.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod support;

use std::collections::BTreeSet;

use ctr_runtime::decision::{Reason, Value3};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{Expr, Label, Side};
use ctr_runtime::session::Session;
use proptest::prelude::*;
use support::{Builder, CALL, INPUT, Line, RETURN, line, read};

const VIOLATED: u32 = 3;

fn labels(s: u32) -> Label {
    [
        Label::Satisfied,
        Label::Pending,
        Label::Satisfied,
        Label::ViolatedForGood,
    ][s as usize]
}

fn step(table: &[u8], state: u32, letter: usize) -> u32 {
    match state {
        VIOLATED => VIOLATED,
        _ => u32::from(table[state as usize * 4 + letter]),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ev {
    Input(bool),
    Call(u8),
    Return(u8),
    All,
}

/// A over `input(z)` and `return a(k)`; G over `call a(k)` and `call u`.
fn library(a: &[u8], g: &[u8]) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let text = b.root(ctr_runtime::format::model::Root::Text);
    let z = b.str("z");
    let bad = b.expr(Expr::Contains(text, z));
    let input = b.pat(INPUT, "", &[], Some(bad));
    let ret = b.pat(RETURN, "a", &[k], None);
    let call = b.pat(CALL, "a", &[k], None);
    let all = b.pat(CALL, "u", &[], None);
    let atoms: Vec<u32> = [input, ret, call, all].iter().map(|p| b.atom(*p)).collect();
    let (ta, tg) = (a.to_vec(), g.to_vec());
    let letter = |bits: &[bool]| usize::from(bits[0]) | usize::from(bits[1]) << 1;
    let assume = b.dfa(&atoms[..2], 4, labels, move |s, bits| {
        step(&ta, s, letter(bits))
    });
    let guarantee = b.dfa(&atoms[2..], 4, labels, move |s, bits| {
        step(&tg, s, letter(bits))
    });
    let c = b.full("c", &["k"], Some(assume), Some(guarantee), vec![]);
    let mut patterns = vec![input, ret, call, all];
    patterns.sort_unstable();
    let contract = &mut b.model.contracts[c];
    contract.patterns = patterns;
    contract.watch.calls = true;
    contract.watch.returns = true;
    contract.watch.inputs = true;
    b.library()
}

fn table() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![6 => 0..3_u8, 1 => 3..4_u8], 12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_are_those_of_each_key(
        a in table(),
        g in table(),
        events in prop::collection::vec(prop_oneof![
            1 => any::<bool>().prop_map(Ev::Input),
            3 => (1..4_u8).prop_map(Ev::Call),
            2 => (1..4_u8).prop_map(Ev::Return),
            1 => Just(Ev::All),
        ], 0..30),
        cut in 0..30_usize,
    ) {
        let library = library(&a, &g);
        let mut session = Session::new(&library);
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut events = events;
        // Returns answer an open call of their key; others become calls.
        for (n, event) in events.iter_mut().enumerate() {
            match *event {
                Ev::Call(k) => open.push((k, n)),
                Ev::Return(k) => match open.iter().position(|o| o.0 == k) {
                    Some(at) => { open.remove(at); }
                    None => { *event = Ev::Call(k); open.push((k, n)); }
                },
                _ => {}
            }
        }
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut told: Vec<(u8, u64)> = Vec::new();
        for (n, event) in events.iter().enumerate() {
            let text = match *event {
                Ev::Input(bad) => format!(r#"{{"kind":"input","text":"{}"}}"#, if bad { "z" } else { "y" }),
                Ev::Call(k) => {
                    open.push((k, n));
                    format!(r#"{{"kind":"call","id":"{n}","tool":"a","args":{{"k":{k}}}}}"#)
                }
                Ev::Return(k) => {
                    let at = open.iter().position(|o| o.0 == k).unwrap();
                    let (_, id) = open.remove(at);
                    format!(r#"{{"kind":"return","id":"{id}","status":"failure"}}"#)
                }
                Ev::All => r#"{"kind":"call","tool":"u","id":"u","args":{}}"#.to_string(),
            };
            if n == cut {
                session = Session::restore(&library, &session.save()).unwrap();
            }
            let l = line(&text);
            let Line::Event(e) = read(&l) else { unreachable!() };
            let report = session.record(&e, &mut ()).unwrap();
            told.extend(report.violations.iter().map(|v| (v.key[0].as_number().unwrap().to_i64().unwrap() as u8, v.event.unwrap())));
        }
        let outcome = session.finish();
        let keys: BTreeSet<u8> = events.iter().filter_map(|e| match e {
            Ev::Call(k) | Ev::Return(k) => Some(*k),
            _ => None,
        }).collect();
        let mut want: Vec<(u8, Option<u64>, &str)> = Vec::new();
        let (mut fail, mut idle) = (false, false);
        for key in keys {
            let (mut sa, mut sg) = (0, 0);
            let mut since = None;
            let mut broken = false;
            let mut mine: Vec<(u8, Option<u64>, &str)> = Vec::new();
            for (n, event) in events.iter().enumerate() {
                let (la, lg) = match *event {
                    Ev::Input(bad) => (usize::from(bad), 0),
                    Ev::Return(k) if k == key => (2, 0),
                    Ev::Call(k) if k == key => (0, 1),
                    Ev::All => (0, 2),
                    _ => continue,
                };
                if broken { continue; }
                let next = step(&a, sa, la);
                if next == VIOLATED { broken = true; continue; }
                sa = next;
                let next = step(&g, sg, lg);
                if next == VIOLATED {
                    mine.push((key, Some(n as u64), "violated"));
                } else {
                    if sg != 1 && next == 1 { since = Some(n as u64); }
                    sg = next;
                }
            }
            if broken || sa == 1 { idle = true; continue; }
            if sg == 1 { mine.push((key, since, "pending_at_end")); }
            fail |= !mine.is_empty();
            want.extend(mine);
        }
        let value = if fail { Value3::Fail } else if idle { Value3::Idle } else { Value3::Active };
        let contract = &outcome.contracts[0];
        prop_assert_eq!(contract.value, value);
        if value != Value3::Idle {
            let mut got: Vec<(u8, Option<u64>, &str)> = contract.violations.iter().map(|v| {
                (v.key[0].as_number().unwrap().to_i64().unwrap() as u8, v.event, v.reason.name())
            }).collect();
            got.sort_unstable();
            want.sort_unstable();
            prop_assert_eq!(&got, &want);
            // What was told at once is what stands in the verdict.
            for (k, e, r) in &got {
                let at_once = told.contains(&(*k, e.unwrap_or(u64::MAX)));
                // An inherited violation was told of the keys that had occurred by then.
                prop_assert!(at_once || *r != "violated" || events[e.unwrap() as usize] == Ev::All
                    || matches!(events[e.unwrap() as usize], Ev::Input(_)));
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Timed {
    /// 0: trigger, 1: response, 2: something else, 3: a call that only makes the key occur.
    what: u8,
    key: u8,
    after: u8,
}

fn owing(trigger_keyed: bool, response_keyed: bool) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let keys = [k];
    let p = b.pat(CALL, "p", if trigger_keyed { &keys } else { &[] }, None);
    let q = b.pat(CALL, "q", if response_keyed { &keys } else { &[] }, None);
    let here = b.pat(CALL, "here", &[k], None);
    let d = b.deadline(p, q, 10);
    assert_eq!(d.side, Side::Guarantee);
    let c = b.full("owed", &["k"], None, None, vec![d]);
    b.model.contracts[c].patterns.push(here);
    b.library()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deadlines_are_those_of_each_key(
        trigger_keyed in any::<bool>(),
        response_keyed in any::<bool>(),
        events in prop::collection::vec((0..4_u8, 1..4_u8, 0..7_u8).prop_map(|(what, key, after)| Timed { what, key, after }), 0..30),
    ) {
        let library = owing(trigger_keyed, response_keyed);
        let mut session = Session::new(&library);
        let mut time = 0_i64;
        let mut times = Vec::new();
        for e in &events {
            time += i64::from(e.after);
            times.push(time);
            let tool = ["p", "q", "x", "here"][e.what as usize];
            let text = format!(r#"{{"kind":"call","tool":"{tool}","time":{time},"args":{{"k":{}}}}}"#, e.key);
            session = Session::restore(&library, &session.save()).unwrap();
            let l = line(&text);
            let Line::Event(event) = read(&l) else { unreachable!() };
            session.record(&event, &mut ()).unwrap();
        }
        let outcome = session.finish();
        let binds = |e: &Timed| match e.what {
            0 => trigger_keyed,
            1 => response_keyed,
            3 => true,
            _ => false,
        };
        let keys: BTreeSet<u8> = events.iter().filter(|e| binds(e)).map(|e| e.key).collect();
        let mut want: Vec<(u8, Option<u64>, Reason)> = Vec::new();
        for key in keys {
            let mut open: Vec<(u64, i64)> = Vec::new();
            for (n, e) in events.iter().enumerate() {
                let late = open.iter().any(|(_, t)| t + 10 < times[n]);
                open.retain(|(_, t)| t + 10 >= times[n]);
                if late {
                    want.push((key, Some(n as u64), Reason::Deadline));
                }
                match e.what {
                    0 if !trigger_keyed || e.key == key => open.push((n as u64, times[n])),
                    1 if !response_keyed || e.key == key => open.clear(),
                    _ => {}
                }
            }
            if let Some((n, _)) = open.first() {
                want.push((key, Some(*n), Reason::PendingAtEnd));
            }
        }
        let mut got: Vec<(u8, Option<u64>, Reason)> = outcome.contracts[0].violations.iter().map(|v| {
            (v.key[0].as_number().unwrap().to_i64().unwrap() as u8, v.event, v.reason)
        }).collect();
        let order = |v: &(u8, Option<u64>, Reason)| (v.0, v.1, v.2.name());
        got.sort_by_key(order);
        want.sort_by_key(order);
        prop_assert_eq!(got, want);
    }
}
