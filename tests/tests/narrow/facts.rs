//! What a refusal tells: values, what to wait for, when it is free, and how many repairs there are.

use crate::compare::{Owners, artifact, feed, load};
use ctr_runtime::decision::{Decision, Verb};
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::json;
use ctr_runtime::session::Session;
use ctr_tests::oracle::model::{Line, Status};
use serde_json::json;

const SECOND: i64 = 1_000_000_000;

/// The answer to a call of `t` after some lines, at a time in seconds.
fn proposed(policy: &str, lines: &[(Line, i64)], args: &str, time: Option<i64>) -> Decision {
    let bytes = artifact(policy);
    let library = load(&bytes);
    let mut session = Session::new(&library);
    for (line, time) in lines {
        feed(&mut session, line, Some(time * 1000));
    }
    let args = json::parse(args).unwrap();
    let event = Event {
        kind: EventKind::Call {
            id: None,
            tool: "t",
            args: &args,
        },
        meta: Meta {
            time: time.map(|t| t * SECOND),
            ..Meta::default()
        },
    };
    session.propose(&event, &mut Owners).unwrap()
}

fn call(id: &str, tool: &str, args: serde_json::Value) -> Line {
    Line::Call(id.to_owned(), tool.to_owned(), args)
}

fn success(id: &str, result: serde_json::Value) -> Line {
    Line::Return(id.to_owned(), Status::Success, Some(result))
}

#[test]
fn the_values_that_a_condition_saw() {
    let policy = "context role: string
contract a {
  let limit = latest(success check, result.limit)
  guarantee call t only if amount <= limit or ctx.role == \"boss\"
}";
    let lines = [
        (Line::Context("role".to_owned(), json!("clerk")), 0),
        (call("1", "check", json!({})), 0),
        (success("1", json!({"limit": 50})), 0),
    ];
    let decision = proposed(policy, &lines, r#"{"amount": 80}"#, None);
    let seen = &decision.objections[0].seen;
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen[0].holds, Some(true));
    let values: Vec<(&str, String)> = seen[0]
        .values
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_ref().unwrap().to_string()))
        .collect();
    for expected in [
        ("args.amount", "80"),
        ("latest(success check, result.limit)", "50"),
        ("ctx.role", "\"clerk\""),
    ] {
        assert!(
            values.iter().any(|(n, v)| (*n, v.as_str()) == expected),
            "{expected:?} in {values:?}"
        );
    }
    // What is missing has no value.
    let decision = proposed(policy, &lines, "{}", None);
    let seen = &decision.objections[0].seen[0];
    assert_eq!(seen.holds, None);
    assert!(
        seen.values.contains(&("args.amount".to_owned(), None)),
        "{seen:?}"
    );
}

#[test]
fn calls_in_flight_that_only_an_aggregate_names() {
    let policy = "contract a { guarantee call t only if count(success u) >= 1 }";
    let running = [
        (call("7", "u", json!({})), 0),
        (call("8", "w", json!({})), 0),
    ];
    let decision = proposed(policy, &running, "{}", None);
    assert_eq!(decision.verb, Verb::Block);
    assert_eq!(decision.objections[0].waiting_for, ["u (7)"]);
    // By what it will bring.
    let policy = "contract a { guarantee call t only if n <= latest(success u, result.n) }";
    let decision = proposed(policy, &running, r#"{"n": 1}"#, None);
    assert_eq!(decision.objections[0].waiting_for, ["u (7)"]);
    // It would not help where one is not enough, or where something else is missing.
    let policy = "contract a { guarantee call t only if count(success u) >= 3 }";
    let decision = proposed(policy, &running, "{}", None);
    assert!(decision.objections[0].waiting_for.is_empty());
    let policy = "contract a { guarantee call t only if count(success u) >= 1 and f }";
    let decision = proposed(policy, &running, r#"{"f": false}"#, None);
    assert!(decision.objections[0].waiting_for.is_empty());
}

#[test]
fn the_time_at_which_a_window_frees() {
    let policy = "contract a { guarantee call t at most 1 time within 10min }";
    let once = [(call("1", "t", json!({})), 100)];
    let decision = proposed(policy, &once, "{}", Some(160));
    assert_eq!(decision.verb, Verb::Block);
    // The edge of the window still counts.
    assert_eq!(decision.free_at, Some(700 * SECOND + 1));
    assert_eq!(proposed(policy, &once, "{}", Some(701)).verb, Verb::Allow);
    // A delay.
    let policy = "contract a { guarantee call t only if elapsed(call u) >= 30s }";
    let asked = [(call("1", "u", json!({})), 100)];
    let decision = proposed(policy, &asked, "{}", Some(110));
    assert_eq!(decision.free_at, Some(130 * SECOND));
    // Waiting does not help, or there is no time.
    let policy = "contract a { guarantee call t at most 1 time within 10min }
contract b { guarantee never call t }";
    assert_eq!(proposed(policy, &once, "{}", Some(160)).free_at, None);
    let policy = "contract a { guarantee call t at most 1 time }";
    assert_eq!(proposed(policy, &once, "{}", Some(160)).free_at, None);
}

/// The verb, the changed arguments, and how many repairs there are: found, unbounded, complete.
fn repaired(policy: &str, args: &str) -> (Verb, Option<String>, (u32, bool, bool)) {
    let decision = proposed(policy, &[], args, None);
    let repairs = decision.repairs.unwrap();
    (
        decision.verb,
        decision.instead.map(|i| i.args.to_string()),
        (repairs.found, repairs.unbounded, repairs.complete),
    )
}

fn only_if(condition: &str) -> String {
    format!("contract a {{ guarantee call t only if {condition} otherwise repair \"no\" }}")
}

#[test]
fn a_repair_is_the_only_one() {
    let block = |found, unbounded, complete| (Verb::Block, None, (found, unbounded, complete));
    let one = |args: &str| (Verb::Repair, Some(args.to_owned()), (1, false, true));
    let n = r#"{"n":9,"o":1}"#;
    assert_eq!(
        repaired(&only_if("n > 5 and n < 5"), n),
        block(0, false, true)
    );
    assert_eq!(repaired(&only_if("n == 3"), n), one(r#"{"n":3,"o":1}"#));
    assert_eq!(
        repaired(&only_if("n <= 3 and n >= 3"), n),
        one(r#"{"n":3,"o":1}"#)
    );
    assert_eq!(repaired(&only_if("n in [3, 4]"), n), block(2, false, true));
    assert_eq!(
        repaired(&only_if("n in [1, 2, 3, 4, 5, 6, 7, 8]"), n),
        block(8, false, true)
    );
    assert_eq!(repaired(&only_if("n <= 3"), n), block(0, true, true));
    // Either argument could be changed.
    assert_eq!(
        repaired(&only_if("n == 3 or o == 7"), n),
        block(2, false, true)
    );
    assert_eq!(
        repaired(&only_if("n == 3 or o <= 0"), n),
        block(1, true, true)
    );
    // Both would have to be.
    assert_eq!(
        repaired(&only_if("n == 3 and o == 7"), n),
        block(0, false, true)
    );
    assert_eq!(
        repaired(&only_if("not f"), r#"{"f":true}"#),
        one(r#"{"f":false}"#)
    );
    // What no schema can say may have other solutions.
    assert_eq!(
        repaired(&only_if("lower(s) == \"ab\""), r#"{"s":"x"}"#),
        block(0, true, false)
    );
    // The rest of a list, by another contract.
    let policy = only_if("n in [3, 4]") + "\ncontract b { guarantee never call t(n == 4) }";
    assert_eq!(repaired(&policy, n), one(r#"{"n":3,"o":1}"#));
}

#[test]
fn the_tools_types_count_for_a_repair() {
    let typed = "tool t(n: int, mode: enum(\"a\", \"b\")) -> any\n";
    let one = |args: &str| (Verb::Repair, Some(args.to_owned()), (1, false, true));
    let args = r#"{"mode":"a","n":9}"#;
    let policy = format!("{typed}{}", only_if("n > 2 and n < 4"));
    assert_eq!(repaired(&policy, args), one(r#"{"mode":"a","n":3}"#));
    let policy = format!("{typed}{}", only_if("mode != \"a\""));
    assert_eq!(repaired(&policy, args), one(r#"{"mode":"b","n":9}"#));
}

#[test]
fn keys_are_not_repaired() {
    let block = |complete| (Verb::Block, None, (0, false, complete));
    let keyed = |bind: &str, condition: &str| {
        format!(
            "contract a for each k {{ guarantee call t({bind} == k) only if {condition} otherwise repair \"no\" }}"
        )
    };
    let args = r#"{"n":9,"o":{"id":1}}"#;
    assert_eq!(repaired(&keyed("n", "n in [3]"), args), block(true));
    assert_eq!(repaired(&keyed("o.id", "o.id == 3"), args), block(true));
    // Only a part of it is the key.
    let whole = repaired(&keyed("o.id", "o in [[3]]"), args);
    assert_eq!(whole, block(false));
    // Nor is a key of another contract, or of an aggregate.
    for other in [
        "contract b for each k { guarantee success t(args.n == k) at most 1 time }",
        "contract b for each k { guarantee call u(id == k) only if count(call t(n == k)) <= 1 }",
    ] {
        let policy = only_if("n == 3") + "\n" + other;
        assert_eq!(repaired(&policy, args), block(true), "{other}");
    }
    let other = "\ncontract b for each k { guarantee success u(args.n == k) at most 1 time }";
    let repair = repaired(&(only_if("n == 3") + other), args);
    assert_eq!(repair.1.as_deref(), Some(r#"{"n":3,"o":{"id":1}}"#));
}

#[test]
fn a_blocked_repair_says_how_many_there_are() {
    let decision = proposed(&only_if("n in [3, 4]"), &[], r#"{"n": 9}"#, None);
    let detail = decision.objections[0].detail.as_deref();
    assert_eq!(
        detail,
        Some("2 changes of one argument make the call compliant")
    );
}
