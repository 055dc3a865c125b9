//! Keyed contracts against one automaton for each key, and the cost of events that all see.
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

use ctr_runtime::decision::{Reason, Value3, Verb};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{CompareOp, Expr, Label, RegisterKind};
use ctr_runtime::session::{Session, gate};
use proptest::prelude::*;
use support::{Builder, CALL, Line, call, line, read};

/// An event: which tool, which key (0: none), and the value of `x` (0: none).
#[derive(Clone, Copy, Debug)]
struct Ev {
    tool: u8,
    key: u8,
    x: u8,
}

impl Ev {
    fn json(self) -> String {
        let tool = ["a", "b", "u", "w", "other"][self.tool as usize];
        let mut args = vec![];
        if self.key > 0 {
            args.push(format!("\"k\":{}", self.key));
        }
        if self.x > 0 {
            args.push(format!("\"x\":{}", self.x));
        }
        call("", tool, &format!("{{{}}}", args.join(",")))
    }
}

const VIOLATED: u32 = 3;

/// Atoms: `call a(k)`, `call b(k)`, `call u`, `call w(x > 3)`, `{count(call a(k)) <= 2}`.
fn library(table: &[u8]) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let x = b.arg("x");
    let three = b.num("3");
    let big = b.cmp(CompareOp::Gt, x, three);
    let pa = b.pat(CALL, "a", &[k], None);
    let pb = b.pat(CALL, "b", &[k], None);
    let pu = b.pat(CALL, "u", &[], None);
    let pw = b.pat(CALL, "w", &[], Some(big));
    let register = b.register(RegisterKind::Count, pa, None, None);
    let count = b.read(register);
    let two = b.num("2");
    let few = b.cmp(CompareOp::Le, count, two);
    let atoms = [
        b.atom(pa),
        b.atom(pb),
        b.atom(pu),
        b.atom(pw),
        b.cond(few, "count(call a) <= 2"),
    ];
    let table = table.to_vec();
    let g = b.dfa(
        &atoms,
        4,
        |s| {
            [
                Label::Satisfied,
                Label::Pending,
                Label::Satisfied,
                Label::ViolatedForGood,
            ][s as usize]
        },
        move |s, bits| {
            let letter = bits
                .iter()
                .enumerate()
                .fold(0, |n, (i, b)| n | usize::from(*b) << i);
            step(&table, s, letter)
        },
    );
    let c = b.contract("c", &["k"], Some(g));
    // A table that never looks at an atom would not name its pattern.
    let mut patterns = vec![pa, pb, pu, pw];
    patterns.sort_unstable();
    b.model.contracts[c].patterns = patterns;
    b.model.contracts[c].watch.calls = true;
    b.library()
}

fn step(table: &[u8], state: u32, letter: usize) -> u32 {
    if state == VIOLATED {
        return VIOLATED;
    }
    u32::from(table[state as usize * 32 + letter])
}

/// One automaton for one key.
#[derive(Clone, Debug)]
struct Plain {
    key: u8,
    state: u32,
    since: Option<u64>,
    violations: Vec<(u64, Reason)>,
}

enum Is {
    Unseen,
    To(u32),
    Violated,
    Undetermined,
}

/// What event means for an instance, given what was recorded before it.
fn judge(table: &[u8], past: &[Ev], event: Ev, key: u8, state: u32) -> Is {
    let bound = event.tool < 2 && event.key == key;
    if event.tool < 2 && !bound || event.tool == 4 {
        return Is::Unseen;
    }
    let all = || past.iter().chain([&event]);
    let count = if all().any(|e| e.tool == 0 && e.key == 0) {
        None
    } else {
        Some(all().filter(|e| e.tool == 0 && e.key == key).count() <= 2)
    };
    let w = match (event.tool, event.x) {
        (3, 0) => None,
        (3, x) => Some(x > 3),
        _ => Some(false),
    };
    let atoms = [
        Some(bound && event.tool == 0),
        Some(bound && event.tool == 1),
        Some(event.tool == 2),
        w,
        count,
    ];
    let mut letters = vec![0_usize];
    for (i, atom) in atoms.iter().enumerate() {
        letters = letters
            .into_iter()
            .flat_map(|l| match atom {
                Some(b) => vec![l | usize::from(*b) << i],
                None => vec![l, l | 1 << i],
            })
            .collect();
    }
    let next: BTreeSet<u32> = letters.iter().map(|l| step(table, state, *l)).collect();
    match next.into_iter().collect::<Vec<_>>().as_slice() {
        [VIOLATED] => Is::Violated,
        [one] => Is::To(*one),
        _ => Is::Undetermined,
    }
}

impl Plain {
    fn apply(&mut self, table: &[u8], past: &[Ev], event: Ev, seq: u64) {
        match judge(table, past, event, self.key, self.state) {
            Is::Unseen => {}
            Is::Violated => self.violations.push((seq, Reason::Violated)),
            Is::Undetermined => self.violations.push((seq, Reason::Undetermined)),
            Is::To(to) => {
                if self.state != 1 && to == 1 {
                    self.since = Some(seq);
                }
                self.state = to;
            }
        }
    }
}

fn event() -> impl Strategy<Value = Ev> {
    (0..5_u8, 1..60_u8, 0..7_u8).prop_map(|(tool, key, x)| Ev {
        tool,
        // Few events without key, since one of them spoils the counts for good.
        key: if key == 59 { 0 } else { key % 5 + 1 },
        x: x.min(6),
    })
}

fn table() -> impl Strategy<Value = Vec<u8>> {
    // Mostly quiet, so that not every step violates.
    prop::collection::vec(prop_oneof![4 => 0..3_u8, 1 => 0..4_u8], 96)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recorded_view_is_one_automaton_for_each_key(
        table in table(),
        events in prop::collection::vec(event(), 0..40),
        cut in 0..40_usize,
    ) {
        let library = library(&table);
        let mut session = Session::new(&library);
        let lines: Vec<_> = events.iter().map(|e| line(&e.json())).collect();
        for (n, l) in lines.iter().enumerate() {
            if n == cut {
                let bytes = session.save();
                session = Session::restore(&library, &bytes).unwrap();
                prop_assert_eq!(&session.save(), &bytes);
            }
            let Line::Event(event) = read(l) else { unreachable!() };
            session.record(&event, &mut ()).unwrap();
        }
        let outcome = session.finish();
        let mut keys: Vec<u8> = events.iter().filter(|e| e.tool < 2 && e.key > 0).map(|e| e.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut want: Vec<(String, Option<u64>, Reason)> = Vec::new();
        let mut fails = false;
        for key in keys {
            let mut plain = Plain { key, state: 0, since: None, violations: vec![] };
            for (n, event) in events.iter().enumerate() {
                // Undetermined for the contract as a whole: as if refused.
                if !(event.tool < 2 && event.key == 0) {
                    plain.apply(&table, &events[..n], *event, n as u64);
                }
            }
            want.extend(plain.violations.iter().map(|(e, r)| (key.to_string(), Some(*e), *r)));
            if plain.state == 1 {
                want.push((key.to_string(), plain.since, Reason::PendingAtEnd));
            }
        }
        for (n, event) in events.iter().enumerate() {
            if event.tool < 2 && event.key == 0 {
                want.push((String::new(), Some(n as u64), Reason::Undetermined));
            }
        }
        fails |= !want.is_empty();
        let mut got: Vec<(String, Option<u64>, Reason)> = outcome.contracts[0]
            .violations
            .iter()
            .map(|v| (v.key.iter().map(ToString::to_string).collect(), v.event, v.reason))
            .collect();
        let order = |v: &(String, Option<u64>, Reason)| (v.0.clone(), v.1, v.2.name());
        want.sort_by_key(order);
        got.sort_by_key(order);
        prop_assert_eq!(got, want);
        prop_assert_eq!(outcome.contracts[0].value == Value3::Fail, fails);
    }

    #[test]
    fn gate_refuses_what_some_instance_forbids(
        table in table(),
        events in prop::collection::vec(event(), 0..40),
    ) {
        let library = library(&table);
        let mut session = Session::new(&library);
        let mut past: Vec<Ev> = Vec::new();
        let mut alive: Vec<Plain> = Vec::new();
        let fresh = |past: &[Ev], key| {
            let mut plain = Plain { key, state: 0, since: None, violations: vec![] };
            for (n, event) in past.iter().enumerate() {
                plain.apply(&table, &past[..n], *event, n as u64);
            }
            plain
        };
        for event in &events {
            let text = event.json();
            let l = line(&text);
            let Line::Event(e) = read(&l) else { unreachable!() };
            let bytes = session.save();
            let mut twin = Session::restore(&library, &bytes).unwrap();
            let gated = gate(&mut session, &e, &mut ()).unwrap();
            prop_assert_eq!(&gate(&mut twin, &e, &mut ()).unwrap(), &gated);
            prop_assert_eq!(twin.save(), session.save());
            let mut all = alive.clone();
            if event.tool < 2 && event.key > 0 && !all.iter().any(|p| p.key == event.key) {
                all.push(fresh(&past, event.key));
            }
            let refused = event.tool < 2 && event.key == 0
                // A new key that starts with a violation by what all see.
                || all.get(alive.len()).is_some_and(|new| !new.violations.is_empty())
                || all.iter().any(|p| {
                    matches!(judge(&table, &past, *event, p.key, p.state), Is::Violated | Is::Undetermined)
                });
            prop_assert_eq!(gated.decision.verb == Verb::Block, refused, "{:?}", event);
            if !refused {
                for plain in &mut all {
                    plain.apply(&table, &past, *event, 0);
                }
                alive = all;
                past.push(*event);
            }
        }
    }
}

/// `call open(door) only after success unlock`, receipts owed for each door, and an unkeyed event.
fn doors() -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("door");
    let open = b.pat(CALL, "open", &[k], None);
    let close = b.pat(CALL, "close_all", &[], None);
    let g = b.leads_to(open, close);
    b.contract("closed", &["door"], Some(g));
    b.library()
}

#[test]
fn an_event_that_all_see_costs_the_same_with_any_number_of_instances() {
    let library = doors();
    let cost = |n: usize| {
        let mut session = Session::new(&library);
        for i in 0..n {
            let l = line(&call("", "open", &format!("{{\"door\":{i}}}")));
            let Line::Event(e) = read(&l) else {
                unreachable!()
            };
            session.record(&e, &mut ()).unwrap();
        }
        let l = line(&call("", "close_all", "{}"));
        let Line::Event(e) = read(&l) else {
            unreachable!()
        };
        let before = session.diagram_steps();
        session.propose(&e, &mut ()).unwrap();
        session.record(&e, &mut ()).unwrap();
        let all = session.diagram_steps() - before;
        let l = line(&call("", "open", "{\"door\":3}"));
        let Line::Event(e) = read(&l) else {
            unreachable!()
        };
        let before = session.diagram_steps();
        session.record(&e, &mut ()).unwrap();
        let one = session.diagram_steps() - before;
        let outcome = session.finish();
        assert_eq!(outcome.contracts[0].pending.len(), 1);
        assert_eq!(outcome.contracts[0].pending[0].event, Some(n as u64 + 1));
        (all, one)
    };
    assert_eq!(cost(10), cost(5000));
}

#[test]
fn a_broadcast_violation_is_told_for_each_key_and_for_later_ones() {
    let mut b = Builder::new();
    let k = b.arg("door");
    let open = b.pat(CALL, "open", &[k], None);
    let fire = b.pat(CALL, "fire", &[], None);
    let (o, f) = (b.atom(open), b.atom(fire));
    // `never call fire`, where `open` only makes the key occur.
    let g = b.dfa(&[o, f], 2, support::bad(1), |s, bits| {
        u32::from(s == 1 || bits[1])
    });
    let c = b.contract("no_fire", &["door"], Some(g));
    b.model.contracts[c].patterns = vec![open, fire];
    let library = b.library();
    let mut session = Session::new(&library);
    let events = [
        call("", "open", "{\"door\":1}"),
        call("", "open", "{\"door\":2}"),
        call("", "fire", "{}"),
        call("", "open", "{\"door\":3}"),
    ];
    for text in &events {
        let l = line(text);
        let Line::Event(e) = read(&l) else {
            unreachable!()
        };
        let report = session.record(&e, &mut ()).unwrap();
        // A key that starts with a violation is told when it comes, and counts once.
        let told = match text {
            t if t.contains("fire") => 2,
            t if t.contains(":3") => 1,
            _ => 0,
        };
        assert_eq!(report.violations.len(), told);
    }
    let outcome = session.finish();
    let got: Vec<(String, Option<u64>)> = outcome.contracts[0]
        .violations
        .iter()
        .map(|v| (v.key[0].to_string(), v.event))
        .collect();
    assert_eq!(got.len(), 3);
    for key in ["1", "2", "3"] {
        assert!(got.contains(&(key.into(), Some(2))));
    }
    let _ = Expr::Pattern(0);
}

/// `call close only while {door in ctx.closable}`: an event that all see, judged for each key.
#[test]
fn a_condition_on_the_key_is_asked_of_each_instance() {
    use ctr_runtime::format::model::{Coerce, Root};
    let mut b = Builder::new();
    let k = b.arg("door");
    let open = b.pat(CALL, "open", &[k], None);
    let close = b.pat(CALL, "close", &[], None);
    let key = b.root(Root::Key(0));
    let list = b.path(Root::Context, "closable", Coerce::None);
    let inside = b.expr(Expr::In(key, list));
    let cond = b.cond(inside, "door in ctx.closable");
    let g = b.only_while(close, cond);
    let c = b.contract("closing", &["door"], Some(g));
    b.model.contracts[c].patterns = vec![open, close];
    let library = b.library();
    let mut session = Session::new(&library);
    let step = |session: &mut Session<'_>, text: &str| {
        let l = line(text);
        match read(&l) {
            Line::Context(fields) => {
                session.set_context(fields);
                None
            }
            Line::Event(e) => Some(gate(session, &e, &mut ()).unwrap().decision),
        }
    };
    step(
        &mut session,
        r#"{"kind":"context","set":{"closable":[1,2,null]}}"#,
    );
    for door in ["1", "2", "null"] {
        // `null` is a value like others.
        step(
            &mut session,
            &call("", "open", &format!("{{\"door\":{door}}}")),
        );
    }
    assert_eq!(
        step(&mut session, &call("", "close", "{}")).unwrap().verb,
        Verb::Allow
    );
    step(&mut session, r#"{"kind":"context","set":{"closable":[2]}}"#);
    let refused = step(&mut session, &call("", "close", "{}")).unwrap();
    let keys: Vec<String> = refused
        .objections
        .iter()
        .map(|o| o.key[0].to_string())
        .collect();
    assert_eq!(keys, ["1", "null"]);
    // What the first `close` means for a key that comes only now, nobody can say.
    let late = step(&mut session, &call("", "open", "{\"door\":9}")).unwrap();
    assert_eq!(late.objections[0].reason, Reason::Undetermined);
    assert!(
        late.objections[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("depended on the key")
    );
}
