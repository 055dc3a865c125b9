//! Every kind of register, keyed and not, with and without a window, against a recomputation from
//! the list of events.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod support;

use ctr_runtime::format::Library;
use ctr_runtime::format::model::{CompareOp, Expr, MessagePart, RegisterKind};
use ctr_runtime::session::Session;
use proptest::prelude::*;
use support::{Builder, CALL, Line, line, read};

const WINDOW: i64 = 10;

#[derive(Clone, Debug)]
struct Ev {
    /// `put` or `probe`.
    probe: bool,
    /// 0: none.
    key: u8,
    /// Whether the event belongs; `None`: undefined.
    member: Option<bool>,
    /// `None`: missing; negative: a string.
    value: Option<i8>,
    /// Seconds since the last event; `None`: not recorded.
    after: Option<u8>,
}

fn library(kind: RegisterKind, keyed: bool, windowed: bool) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let m = b.arg("m");
    let one = b.num("1");
    let member = b.cmp(CompareOp::Ge, m, one);
    let keys: Vec<u32> = if keyed { vec![k] } else { vec![] };
    let put = b.pat(CALL, "put", &keys, Some(member));
    let v = b.arg("v");
    let takes = !matches!(
        kind,
        RegisterKind::Count | RegisterKind::Streak | RegisterKind::Elapsed | RegisterKind::Texts
    );
    let register = b.register(kind, put, takes.then_some(v), windowed.then_some(WINDOW));
    let reads: Vec<u32> = [false, true]
        .into_iter()
        .map(|earlier| match kind {
            RegisterKind::Texts => b.expr(Expr::Mentioned {
                register,
                value: v,
                earlier,
            }),
            _ => b.expr(Expr::Read { register, earlier }),
        })
        .collect();
    let probe = b.pat(CALL, "probe", &keys, None);
    let g = b.never(probe);
    let names: &[&str] = if keyed { &["k"] } else { &[] };
    let c = b.contract("probe", names, Some(g));
    b.model.contracts[c].message = vec![
        MessagePart::Expr(reads[0]),
        MessagePart::Text(" ".into()),
        MessagePart::Expr(reads[1]),
    ];
    b.library()
}

impl Ev {
    fn json(&self, time: Option<i64>) -> String {
        let mut args = vec![];
        if self.key > 0 {
            args.push(format!("\"k\":{}", self.key));
        }
        if let Some(m) = self.member {
            args.push(format!("\"m\":{}", u8::from(m)));
        }
        match self.value {
            Some(v) if v >= 0 => args.push(format!("\"v\":{v}")),
            Some(v) => args.push(format!("\"v\":\"s{v}\"")),
            None => {}
        }
        let time = time.map_or(String::new(), |t| format!(",\"time\":{t}"));
        let tool = if self.probe { "probe" } else { "put" };
        format!(
            "{{\"kind\":\"call\",\"tool\":\"{tool}\",\"args\":{{{}}}{time}}}",
            args.join(",")
        )
    }
}

/// What an event means for a register with a given key.
#[derive(Clone, Debug)]
struct Entry {
    member: Option<bool>,
    value: Option<i8>,
    time: Option<i64>,
    text: String,
}

/// The value, or `?`, straight from the language reference and its decisions.
fn expected(
    kind: RegisterKind,
    windowed: bool,
    entries: &[Entry],
    now: Option<i64>,
    probe: &Ev,
) -> String {
    let unknown = "?".to_string();
    if windowed && now.is_none() {
        return unknown;
    }
    // Outside the window for certain.
    let left = |e: &Entry| windowed && e.time.is_some_and(|t| t < now.unwrap() - WINDOW);
    let live: Vec<&Entry> = entries
        .iter()
        .filter(|e| !left(e) || kind == RegisterKind::Streak)
        .collect();
    let placed = |e: &Entry| !windowed || e.time.is_some();
    let number = |e: &&Entry| e.value.filter(|v| *v >= 0);
    let shown = |e: &Entry| match e.value {
        Some(v) if v >= 0 => v.to_string(),
        Some(v) => format!("s{v}"),
        None => "?".into(),
    };
    match kind {
        RegisterKind::Streak => {
            let start = live
                .iter()
                .rposition(|e| e.member == Some(false))
                .map_or(0, |n| n + 1);
            let run: Vec<&&Entry> = live[start..].iter().filter(|e| !left(e)).collect();
            if run.iter().any(|e| e.member.is_none() || !placed(e)) {
                return unknown;
            }
            run.len().to_string()
        }
        RegisterKind::Latest | RegisterKind::Elapsed => {
            let last = entries.iter().rev().find(|e| e.member != Some(false));
            match last {
                Some(e) if left(e) => unknown,
                Some(e) if e.member == Some(true) && placed(e) => match kind {
                    RegisterKind::Latest => shown(e),
                    _ => match (now, e.time) {
                        (Some(now), Some(t)) => {
                            ctr_runtime::time::format_duration((now - t) * 1_000_000_000)
                        }
                        _ => unknown,
                    },
                },
                _ => unknown,
            }
        }
        RegisterKind::First => {
            let members = || live.iter().filter(|e| e.member != Some(false));
            if members().any(|e| !placed(e)) {
                return unknown;
            }
            match members().next() {
                Some(e) if e.member == Some(true) => shown(e),
                _ => unknown,
            }
        }
        _ => {
            let members: Vec<&Entry> = live
                .iter()
                .copied()
                .filter(|e| e.member == Some(true))
                .collect();
            let gap = live
                .iter()
                .any(|e| e.member.is_none() || e.member == Some(true) && !placed(e));
            if kind == RegisterKind::Texts {
                let Some(v) = probe.value else { return unknown };
                let needle = if v >= 0 {
                    v.to_string()
                } else {
                    format!("s{v}")
                };
                if members
                    .iter()
                    .any(|e| placed(e) && e.text.contains(&needle))
                {
                    return "true".into();
                }
                return if gap { unknown } else { "false".into() };
            }
            if gap {
                return unknown;
            }
            let values: Option<Vec<i64>> =
                members.iter().map(|e| number(e).map(i64::from)).collect();
            match kind {
                RegisterKind::Count => members.len().to_string(),
                RegisterKind::Sum => values.map_or(unknown, |v| v.iter().sum::<i64>().to_string()),
                RegisterKind::Min => values
                    .and_then(|v| v.into_iter().min())
                    .map_or(unknown, |n| n.to_string()),
                RegisterKind::Max => values
                    .and_then(|v| v.into_iter().max())
                    .map_or(unknown, |n| n.to_string()),
                _ => {
                    let mut numbers: Vec<i64> =
                        members.iter().filter_map(number).map(i64::from).collect();
                    numbers.sort_unstable();
                    numbers.dedup();
                    let mut texts: Vec<String> = members
                        .iter()
                        .filter_map(|e| e.value.filter(|v| *v < 0))
                        .map(|v| format!("\"s{v}\""))
                        .collect();
                    texts.sort();
                    texts.dedup();
                    let all: Vec<String> = numbers
                        .iter()
                        .map(ToString::to_string)
                        .chain(texts)
                        .collect();
                    format!("[{}]", all.join(","))
                }
            }
        }
    }
}

fn kind() -> impl Strategy<Value = RegisterKind> {
    prop_oneof![
        Just(RegisterKind::Count),
        Just(RegisterKind::Streak),
        Just(RegisterKind::Sum),
        Just(RegisterKind::Min),
        Just(RegisterKind::Max),
        Just(RegisterKind::Latest),
        Just(RegisterKind::First),
        Just(RegisterKind::Values),
        Just(RegisterKind::Elapsed),
        Just(RegisterKind::Texts),
    ]
}

fn event() -> impl Strategy<Value = Ev> {
    (
        prop::bool::weighted(0.3),
        1..40_u8,
        prop_oneof![6 => Just(Some(true)), 3 => Just(Some(false)), 1 => Just(None)],
        prop_oneof![8 => (0..30_i8).prop_map(Some), 1 => (-3..0_i8).prop_map(Some), 1 => Just(None)],
        prop_oneof![12 => (0..8_u8).prop_map(Some), 1 => Just(None)],
    )
        .prop_map(|(probe, key, member, value, after)| Ev {
            probe,
            key: if key == 39 { 0 } else { key % 3 + 1 },
            member,
            value,
            after,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn registers_are_what_the_events_say(
        kind in kind(),
        keyed in any::<bool>(),
        windowed in any::<bool>(),
        events in prop::collection::vec(event(), 1..40),
        cut in 0..40_usize,
    ) {
        let library = library(kind, keyed, windowed);
        let mut session = Session::new(&library);
        let mut clock = 100_i64;
        let mut past: Vec<(Ev, Option<i64>, String)> = Vec::new();
        for (n, ev) in events.iter().enumerate() {
            let time = ev.after.map(|s| { clock += i64::from(s); clock });
            let text = ev.json(time);
            let l = line(&text);
            if n == cut {
                session = Session::restore(&library, &session.save()).unwrap();
            }
            let Line::Event(event) = read(&l) else { unreachable!() };
            let report = session.record(&event, &mut ()).unwrap();
            let args = l.get("args").unwrap().to_string();
            past.push((ev.clone(), time, args));
            if !ev.probe || (keyed && ev.key == 0) {
                continue;
            }
            // All events, as the register with the probe's key sees them.
            let entries = |upto: usize| -> Vec<Entry> {
                past[..upto].iter().filter_map(|(e, time, args)| {
                    let mut member = e.member;
                    if e.probe {
                        // Only a streak over all calls is ended by another tool.
                        if kind != RegisterKind::Streak || keyed { return None; }
                        member = Some(false);
                    } else if keyed {
                        if e.key == 0 {
                            member = None;
                        } else if e.key != ev.key {
                            return None;
                        }
                    }
                    Some(Entry { member, value: e.value, time: *time, text: args.clone() })
                }).collect()
            };
            let want = format!(
                "{} {}",
                expected(kind, windowed, &entries(past.len()), time, ev),
                expected(kind, windowed, &entries(past.len() - 1), time, ev),
            );
            prop_assert_eq!(&report.violations[0].message, &want, "{:?}", past);
        }
    }
}

/// What `mentioned` searches in results that hold JSON are the texts in them, also where returns belong because
/// they are no calls.
#[test]
fn texts_of_whatever_is_no_call_are_all_searched() {
    let mut b = Builder::new();
    let v = b.arg("v");
    let put = b.pat(CALL, "put", &[], None);
    let register = b.register(RegisterKind::Texts, put, None, None);
    let member = b.model.registers[register as usize].member;
    b.model.registers[register as usize].member = b.expr(Expr::Not(member));
    let told = b.expr(Expr::Mentioned {
        register,
        value: v,
        earlier: true,
    });
    let probe = b.pat(CALL, "probe", &[], Some(told));
    let g = b.never(probe);
    b.contract("never_told", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    for (text, refused) in [
        (support::call("1", "put", "{\"v\": \"q\"}"), false),
        (
            support::ret("1", r#""{\"a\": \"the \\\"word\\\"\"}""#),
            false,
        ),
        (
            support::call("2", "probe", "{\"v\": \"\\\"other\\\"\"}"),
            false,
        ),
        (
            support::call("3", "probe", "{\"v\": \"\\\"word\\\"\"}"),
            true,
        ),
    ] {
        let line = line(&text);
        let Line::Event(event) = read(&line) else {
            panic!("no event");
        };
        let decision = session.propose(&event, &mut ()).unwrap();
        let allowed = decision.verb == ctr_runtime::decision::Verb::Allow;
        assert_eq!(allowed, !refused, "{text}");
        if !refused {
            session.record(&event, &mut ()).unwrap();
        }
    }
}
