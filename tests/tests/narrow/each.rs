//! Each kind of condition by itself, over values of every kind.

use crate::compare::{Owners, Tally, artifact, attempt, compare, feed, load, value};
use ctr_runtime::event::Meta;
use ctr_runtime::session::Session;
use ctr_tests::oracle::model::{Line, Status};
use serde_json::{Value, json};

/// Conditions on `x` and `y`.
const CONDITIONS: &[&str] = &[
    // Bounds and equality.
    "x == 1",
    "x != 1",
    "x == 1.0",
    "x == \"1\"",
    "x == \"\"",
    "x == null",
    "x != null",
    "x == true",
    "x == []",
    "x == [1, 2]",
    "x != [1]",
    "x < 1",
    "x <= 0.1",
    "x >= -1",
    "x > 1 or x < 0",
    "x > 1 and x < 2",
    "x >= 1 and x <= 1",
    "not (x <= 1)",
    "x <= y",
    "x == y",
    "(x <= 1) == (y <= 1)",
    "x <= ctx.limit",
    "x == ctx.name",
    "x != ctx.name",
    "x == ctx.absent",
    "x <= ctx.absent or y == 1",
    // Arithmetic.
    "x + 1 <= 2",
    "2 * x <= 3",
    "-2 * x + 1 < 4",
    "0 * x == 0",
    "x - x == 0",
    "x + y <= 2",
    "abs(x) == 1",
    "abs(x - 1) < 1",
    "x * 3 == 1",
    "x * 0.5 == 0.5",
    // Membership.
    "x in [1, \"1\", true, null]",
    "x not in [1, \"1\"]",
    "x in []",
    "x not in []",
    "x in [[1], [1, 2]]",
    "x in [y, 1]",
    "1 in x",
    "\"a\" in x",
    "\"a\" not in x",
    "x in [ctx.name, 2]",
    "x in ctx.names",
    "x in ctx.absent",
    // Text.
    "x like \"*\"",
    "x like \"\"",
    "x like \"a*b\"",
    "x like \"*é*\"",
    "x like \"a.b\"",
    "x like \"[a]*\"",
    "x like \"*@corp.com\"",
    "not (x like \"*@corp.com\")",
    "x matches /^a$/",
    "x matches /a/",
    "x matches /A/i",
    "x matches /^\\d+$/",
    "x matches /^\\w+$/",
    "x matches /^.$/",
    "x matches /^.$/s",
    "x matches /^a$/m",
    "x matches /\\s/",
    "x matches /^[^a]*$/",
    "x matches /^(?:ab|cd)+$/",
    "x matches /\\p{Greek}/",
    "x matches /^.{2}$/",
    "x matches /\\//",
    "x matches /k/i",
    "x matches /a$/",
    "x matches /(?:)/",
    "not (x matches /a/)",
    "x contains \"a\"",
    "x contains \"\"",
    "x contains \".\"",
    "x contains 1",
    "x contains \"é\"",
    "x starts with \"a\"",
    "x starts with \"^\"",
    "x ends with \"b\"",
    "x ends with \"$\"",
    "x inside \"/srv\"",
    "not (x inside \"/srv\")",
    "lower(x) == \"a\"",
    "lower(x) == \"k\"",
    "upper(x) == \"SS\"",
    "upper(x) == \"A\"",
    "trim(x) == \"a\"",
    "number(x) <= 1",
    "host(x) == \"corp.com\"",
    "host(x) in [\"corp.com\"]",
    "text(x) == \"1\"",
    "text(x) contains \"a\"",
    "x < \"b\"",
    "x >= \"\"",
    // Length.
    "len(x) == 0",
    "len(x) <= 1",
    "len(x) >= 2",
    "len(x) != 1",
    "len(x) + 1 <= 2",
    "len(x) < 0",
    "len(x) <= 1.5",
    "len(keys(x)) == 1",
    "keys(x) == [\"a\"]",
    "\"a\" in keys(x)",
    // Presence.
    "has(x)",
    "not has(x)",
    "has(x.a)",
    "not has(x.a)",
    "has(x.a.b)",
    "has(x[0])",
    "has(x) and x <= 1",
    "not has(x) or x <= 1",
    "(x ?? 1) <= 1",
    "(x ?? y) == 1",
    "(x ?? y ?? 1) == 1",
    "(x.a ?? \"a\") == \"a\"",
    "(x + 1 ?? 0) <= 1",
    "(number(x) ?? 0) <= 1",
    // Nested fields and lists.
    "x.a == 1",
    "x.a != 1",
    "x.a.b <= 1",
    "x.a like \"a*\"",
    "x.`a b` == 1",
    "x[0] == 1",
    "x[1] != 1",
    "x[0].a <= 1",
    "x.a[0] == 1",
    "every e in x: e <= 1",
    "some e in x: e == 1",
    "every e in x: e.a <= 1",
    "some e in x: e.a == \"a\"",
    "every e in x: e in [1, \"a\"]",
    "every e in x: e like \"a*\"",
    "every e in x: every f in e: f == 1",
    "every e in x.a: e == y",
    "not (every e in x: e == 1)",
    "not (some e in x: e == 1)",
    "every e in x: has(e.a)",
    "every e in x: (e.a ?? 1) == 1",
    "every e in x[*].a: e <= 1",
    "x[*].a == [1]",
    "1 in x[*].a",
    "len(x[*].a) == 1",
    // Booleans.
    "x",
    "not x",
    "x == (y == 1)",
    "x or y",
    "x implies y",
    // Times.
    "timestamp(x) <= event.time",
    "duration(x) <= 5s",
    "event.time - timestamp(x) <= 1h",
    // Aggregates and lookups.
    "x <= latest(success u, result.n)",
    "x in values(success u, result.s)",
    "x not in values(success u, result.s)",
    "x in values(success u, result.l)",
    "x == latest(success u, result.s)",
    "x == first(success u, result.l)[0]",
    "x == (latest(success nothing, result.s) ?? \"a\")",
    "mentioned(success u, x)",
    "x <= count(call u)",
    "sum(call t, args.x) <= 7",
    "count(call t(x == 1)) <= 1",
    "count(call t(x == 1) within 10s) <= 1",
    "count(call t(x == 1) within 1s) <= 1",
    "(sum(earlier call t, args.x) ?? 0) + x <= 4",
    "max(call t, args.x) <= 2",
    "streak(call t(x == 1)) <= 1",
    "len(values(call t, args.x)) <= 1",
    "elapsed(success u) > 1s or x == 1",
    "elapsed(call t(x == 1)) > 1s",
    "owner(x) == \"me\"",
    "owner(x) == y",
];

/// Clauses on calls of `t`.
const CLAUSES: &[&str] = &[
    "call t(x == 1) only after success u",
    "call t(x == 1) only after success nothing",
    "call t(x == 1) only after success u within 1s",
    "call t(x == 1) only after success u within 1min",
    "call t(x != 1) only after call t(x == 1)",
    "never call t(x == 1) after success u",
    "never call t(not (x <= 1))",
    "call t(x == 1) at most 1 time",
    "call t(x == 1) at most 2 times within 10s",
    "call t(x == 1) at most 1 consecutive time",
    "success t(args.x == 1) at most 1 time",
    "success t(args.x == 1 and result.ok) at most 1 time",
    "never success t(args.x <= 1)",
    "never return t(args.x == 1)",
    "never failure t(args.x == 1)",
    "call t(x == 1) leads to call u",
    "call t(x == 1) leads to call u within 1s",
    "(never call t(x == 2)) and (always (call t(y == 1) implies {count(call t(x == 1)) == 0}))",
    "always (call t(x == 1) implies next call t(x == 2))",
    "call t(x == 1) immediately leads to call t(y == 1)",
    "success u leads to call t(x == 1) within 1 step",
    "call t only while {ctx.limit == 2} and call t(x == 1)",
];

/// The same for each key.
const KEYED: &[&str] = &[
    "call t(x == k) at most 1 time",
    "success t(args.x == k) at most 1 time",
    "call t(x == k) only after success u(args.s == k)",
    "call t(x == k) only if y <= latest(success u(args.s == k), result.n)",
    "call t(x == k) only if y <= 1",
    "never call t(x == k) after success u",
    "call t(x.a == k) at most 1 time",
    "call t(x == k, y == 1) only after success u(result.s == k)",
    "call t(x == k) only if count(call t(x == k)) <= 1",
];

/// Values of every kind.
fn pool() -> Vec<Value> {
    let mut pool: Vec<Value> = [
        "0",
        "-0",
        "1",
        "1.0",
        "10e-1",
        "2",
        "2.5",
        "-1",
        "-1.5",
        "0.1",
        "0.3",
        "3",
        "4",
        "100",
        "1e3",
        "99999999999999999",
        "true",
        "false",
        "null",
        "[]",
        "[1]",
        "[1.0]",
        "[1,2]",
        "[2,1]",
        "[\"a\"]",
        "[null]",
        "[[1]]",
        "[[1],[2]]",
        "[{\"a\":1}]",
        "[{\"a\":1},{}]",
        "[{\"a\":\"a\"},{\"a\":2}]",
        "{}",
        "{\"a\":1}",
        "{\"a\":2}",
        "{\"a\":\"1\"}",
        "{\"a\":null}",
        "{\"a\":\"ab\"}",
        "{\"a\":{\"b\":1}}",
        "{\"a\":{\"b\":2}}",
        "{\"a\":[1]}",
        "{\"a\":[1,\"a\"]}",
        "{\"a b\":1}",
        "{\"a\":1,\"b\":2}",
        "{\"1\":1}",
    ]
    .iter()
    .map(|text| serde_json::from_str(text).unwrap())
    .collect();
    let texts = [
        "",
        "a",
        "A",
        "b",
        "ab",
        "aXb",
        "a.b",
        "a b",
        " a ",
        "a\n",
        "\na",
        "a\nb",
        "a\r",
        "\u{2028}a",
        "1",
        "1.0",
        "01",
        " 1",
        "1e0",
        "2",
        "true",
        "null",
        "é",
        "e\u{301}",
        "É",
        "ß",
        "ss",
        "K",
        "k",
        "K",
        "ſ",
        "😀",
        "😀😀",
        "ά",
        "٣",
        "[a]b",
        "^a",
        "a$",
        "\\",
        "/",
        "\u{0}",
        "/srv",
        "/srv/",
        "/srv/a",
        "/srv/../etc",
        "//srv/a",
        "/srv2",
        "/srv/./a",
        "srv",
        "x@corp.com",
        "x@CORP.com",
        "x@corp.com\n",
        "@corp.com",
        "https://corp.com/a",
        "https://corp.com.evil",
        "acd",
        "abcd",
        "2026-01-01T00:00:00Z",
        "1970-01-01T00:00:01Z",
        "1970-01-01 00:00:00",
        "5s",
        "10min",
        "s1",
        "A\u{a0}",
    ];
    pool.extend(texts.iter().map(|text| json!(text)));
    pool
}

fn calls() -> Vec<(Value, ctr_runtime::value::Value)> {
    let mut calls = vec![
        json!({}),
        json!([]),
        json!(null),
        json!("x"),
        json!({"z": 1}),
    ];
    let others = [
        None,
        Some(json!(1)),
        Some(json!("a")),
        Some(json!(true)),
        Some(json!("me")),
    ];
    for (n, x) in pool().into_iter().enumerate() {
        calls.push(json!({ "x": x }));
        for y in others.iter().flatten().skip(n % 2).step_by(2) {
            calls.push(json!({"x": x, "y": y}));
        }
    }
    for y in others.into_iter().flatten() {
        calls.push(json!({ "y": y }));
    }
    calls.into_iter().map(|c| (c.clone(), value(&c))).collect()
}

/// Sessions that end where the schema is asked for; the times are in milliseconds.
fn histories() -> Vec<Vec<Line>> {
    let call = |id: &str, tool: &str, args| Line::Call(id.into(), tool.into(), args);
    let success = |id: &str, result| Line::Return(id.into(), Status::Success, Some(result));
    let context = || {
        vec![
            Line::Context("limit".into(), json!(2)),
            Line::Context("name".into(), json!("a")),
            Line::Context("names".into(), json!(["a", 1, null])),
        ]
    };
    let mut used = context();
    used.extend([
        call("1", "u", json!({"s": "a"})),
        success("1", json!({"n": 2, "s": "a", "l": [1, "b", "é"]})),
        call("2", "t", json!({"x": 1})),
        success("2", json!({"ok": true})),
    ]);
    let mut waiting = context();
    waiting.extend([
        call("1", "u", json!({"s": 1})),
        success("1", json!({"n": "2", "s": 1})),
        call("2", "t", json!({"x": "a", "y": 1})),
        call("3", "t", json!({"x": 1})),
        Line::Return("3".into(), Status::Unknown, None),
        call("4", "u", json!({"s": "b"})),
    ]);
    vec![Vec::new(), used, waiting]
}

fn check(policy: &str, calls: &[(Value, ctr_runtime::value::Value)], tally: &mut Tally) {
    let bytes = artifact(policy);
    let library = load(&bytes);
    let timed = ["within", "elapsed", "event.time"]
        .iter()
        .any(|w| policy.contains(w));
    for lines in histories() {
        for wait in [500, 5_000].into_iter().take(1 + usize::from(timed)) {
            let mut live = Session::new(&library);
            for (n, line) in (0_i64..).zip(&lines) {
                feed(&mut live, line, Some(100 * n));
            }
            let meta = Meta {
                time: Some((100 * lines.len() as i64 + wait) * 1_000_000),
                ..Meta::default()
            };
            let about = || format!("{policy}\n{lines:?}");
            compare(&mut live, "t", &meta, calls, &about, tally);
        }
    }
}

const HEAD: &str = "context limit: number
context name: string
context names: list<any>
context absent: any
lookup owner(x: any) -> string
";

#[test]
fn conditions_one_by_one() {
    let calls = calls();
    let mut tally = Tally::default();
    for condition in CONDITIONS {
        for clause in ["call t only if", "never call t("] {
            let close = if clause.ends_with('(') { ")" } else { "" };
            check(
                &format!("{HEAD}contract c {{ guarantee {clause} {condition}{close} }}\n"),
                &calls,
                &mut tally,
            );
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.accepted > 1000 && tally.refused > 1000, "{tally:?}");
}

#[test]
fn clauses_one_by_one() {
    let calls = calls();
    let mut tally = Tally::default();
    for clause in CLAUSES {
        for action in [
            "block \"no\"",
            "warn \"no\"",
            "escalate \"no\"",
            "redirect u(s: 1) \"no\"",
            "repair",
        ] {
            check(
                &format!("{HEAD}contract c {{ guarantee {clause}\n otherwise {action} }}\n"),
                &calls,
                &mut tally,
            );
        }
    }
    for clause in KEYED {
        check(
            &format!("{HEAD}contract c for each k {{ guarantee {clause} }}\n"),
            &calls,
            &mut tally,
        );
    }
    eprintln!("{tally:?}");
    assert!(tally.accepted > 1000 && tally.refused > 1000, "{tally:?}");
}

/// The same where the tool declares what it takes: its own schema is narrowed.
#[test]
fn declared_types() {
    let calls = calls();
    let mut tally = Tally::default();
    let mut tried = 0;
    for of in [
        "int",
        "number",
        "string",
        "bool",
        "enum(\"a\", \"b\", \"1\")",
        "list<any>",
        "list<{ a?: int }>",
        "map<any>",
        "{ a: any }",
        "{ a?: string, b?: any }",
        "timestamp",
        "duration",
        "string | int",
        "int | null",
    ] {
        let tool = format!("{HEAD}tool t(x?: {of}, y?: any, z?: any)\ntool u(s: any) -> any\n");
        let bytes = artifact(&tool);
        let library = load(&bytes);
        let own = Session::new(&library).schema("t", &Meta::default(), &mut Owners);
        let own = serde_json::from_str(&own.unwrap().schema.to_string()).unwrap();
        let own = jsonschema::draft202012::new(&own).unwrap();
        let calls: Vec<_> = calls
            .iter()
            .filter(|(c, _)| own.is_valid(c))
            .cloned()
            .collect();
        assert!(calls.len() > 5, "{of}");
        for condition in CONDITIONS {
            let policy = format!("{tool}contract c {{ guarantee call t only if {condition} }}\n");
            // Most conditions are wrong of most types.
            if attempt(&policy).is_ok() {
                check(&policy, &calls, &mut tally);
                tried += 1;
            }
        }
    }
    eprintln!("{tried} policies: {tally:?}");
    assert!(
        tried > 300 && tally.accepted > 1000 && tally.refused > 1000,
        "{tally:?}"
    );
}
