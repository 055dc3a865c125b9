//! `ctrc diff` and `ctrc refine`.

use serde_json::{Value, json};

use crate::desk::Desk;

/// A comparison of two policies, both ways round: what it comes to, the contracts that are responsible in each direction, and
/// how many events the first sessions have.
struct Case {
    old: &'static str,
    new: &'static str,
    new_allows: &'static [(&'static str, usize)],
    old_allows: &'static [(&'static str, usize)],
}

fn told(found: &Value, direction: &str) -> Vec<(String, usize)> {
    found[direction]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            assert_eq!(case["shortest"], true, "{case}");
            let name = case["contracts"][0].as_str().unwrap().to_owned();
            let is_event = |e: &&Value| e["kind"] != "context" && e["kind"] != "lookup";
            (
                name,
                case["events"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(is_event)
                    .count(),
            )
        })
        .collect()
}

fn owned(cases: &[(&str, usize)]) -> Vec<(String, usize)> {
    cases.iter().map(|(c, n)| ((*c).to_owned(), *n)).collect()
}

fn check(case: &Case) {
    let desk = Desk::new();
    desk.write("old.ctr", case.old).write("new.ctr", case.new);
    let same = case.new_allows.is_empty() && case.old_allows.is_empty();
    let code = if same { 0 } else { 1 };
    for (files, first, second) in [
        (["old.ctr", "new.ctr"], "new_allows", "old_allows"),
        (["new.ctr", "old.ctr"], "old_allows", "new_allows"),
    ] {
        let run = desk
            .run(&["diff", files[0], files[1], "--format", "json"])
            .exits(code)
            .json();
        let result = if same { "equivalent" } else { "different" };
        assert_eq!(run["result"], result, "{run}");
        assert_eq!(told(&run, first), owned(case.new_allows), "{run}");
        assert_eq!(told(&run, second), owned(case.old_allows), "{run}");
        assert_eq!(run["undecided"], json!([]), "{run}");
    }
    for file in ["old.ctr", "new.ctr"] {
        let run = desk.run(&["diff", file, file]).exits(0);
        assert_eq!(run.out, "equivalent\n");
        desk.run(&["refine", file, file]).exits(0);
    }
}

#[test]
fn other_words_for_the_same() {
    for (old, new) in [
        (
            "contract a { guarantee never call x }",
            "contract b { guarantee always not call x }",
        ),
        (
            "tool x(n: int)\ncontract a { guarantee call x only if n <= 99 }",
            "tool x(n: int)\ncontract a { guarantee never call x(n >= 100) }",
        ),
        (
            "tool x(k: enum(\"a\", \"b\"))\ncontract a { guarantee never call x(k == \"a\") }",
            "tool x(k: enum(\"a\", \"b\"))\ncontract a { guarantee call x only if k == \"b\" }",
        ),
        (
            "contract a for each o { guarantee success pay(args.order == o) at most 1 time }",
            "contract a for each k {
               guarantee always (success pay(args.order == k) implies weak next always not success pay(args.order == k))
             }",
        ),
        (
            "contract a { guarantee call pay at most 3 times }",
            "contract a { guarantee always {count(call pay) <= 3} }",
        ),
        (
            "contract a { guarantee call x only after success y }",
            "contract a { guarantee (not call x) unless success y }",
        ),
        (
            "tool sh(cmd: string)\ncontract a { guarantee never call sh(cmd matches /^rm/) }",
            "tool sh(cmd: string)\ncontract a { guarantee never call sh(cmd starts with \"rm\") }",
        ),
        // Of an argument that is always there a default says nothing.
        (
            "tool x(n: int)\ncontract a { guarantee call x only if (n ?? 0) <= 99 }",
            "tool x(n: int)\ncontract a { guarantee call x only if n <= 99 }",
        ),
        (
            "tool x(n?: int)\ncontract a { guarantee call x only if (n ?? 0) <= 99 }",
            "tool x(n?: int)\ncontract a { guarantee call x only if not has(n) or (n ?? 0) <= 99 }",
        ),
        // One contract, or its parts.
        (
            "contract a { guarantee never call x guarantee call y only after call z }",
            "contract a { guarantee never call x }\ncontract b { guarantee call y only after call z }",
        ),
        (
            "contract a { guarantee call x leads to call y within 30s }",
            "contract a { guarantee call x leads to call y within 30s }
             contract b { guarantee call x leads to call y within 60s }",
        ),
        // An order that follows from another one.
        (
            "contract a { guarantee call b only after call a }\ncontract c { guarantee call c only after call b }",
            "contract a { guarantee call b only after call a }\ncontract c { guarantee call c only after call b }
             contract d { guarantee call c only after call a }",
        ),
    ] {
        check(&Case {
            old,
            new,
            new_allows: &[],
            old_allows: &[],
        });
    }
}

#[test]
fn what_is_allowed_by_one_alone() {
    check(&Case {
        old: "contract a { guarantee never call x }",
        new: "contract b { guarantee never call y }",
        new_allows: &[("a", 1)],
        old_allows: &[("b", 1)],
    });
    check(&Case {
        old: "tool x(n: number)\ncontract a { guarantee call x only if n <= 99 }",
        new: "tool x(n: number)\ncontract a { guarantee call x only if n < 100 }",
        new_allows: &[("a", 1)],
        old_allows: &[],
    });
    check(&Case {
        old: "contract a for each o { guarantee call pay(order == o) at most 1 time }",
        new: "contract a for each o { guarantee call pay(order == o) at most 2 times }",
        new_allows: &[("a", 2)],
        old_allows: &[],
    });
    // For all orders together is stricter than for each.
    check(&Case {
        old: "tool pay(order: string)\ncontract a { guarantee call pay at most 1 time }",
        new: "tool pay(order: string)\ncontract a for each o { guarantee call pay(order == o) at most 1 time }",
        new_allows: &[("a", 2)],
        old_allows: &[],
    });
    check(&Case {
        old: "contract a { guarantee call x leads to call y within 30s }",
        new: "contract a { guarantee call x leads to call y within 60s }",
        new_allows: &[("a", 2)],
        old_allows: &[],
    });
    check(&Case {
        old: "contract a { guarantee eventually call x }",
        new: "contract b { guarantee call x only after call y }",
        new_allows: &[("a", 0)],
        old_allows: &[("b", 1)],
    });
    // What the other contracts of the same policy owe is part of the session.
    check(&Case {
        old: "contract a { guarantee never call x }\ncontract l { guarantee eventually call log }",
        new: "contract l { guarantee eventually call log }",
        new_allows: &[("a", 2)],
        old_allows: &[],
    });
    check(&Case {
        old: "event ok(by: string)\ncontract a { guarantee call x only after ok(by == \"lead\") }",
        new: "event ok(by: string)\ncontract a { guarantee call x only after ok }",
        new_allows: &[("a", 2)],
        old_allows: &[],
    });
    check(&Case {
        old: "context role: string\ncontract a { guarantee call x only if ctx.role == \"admin\" }",
        new: "context role: string\ncontract a { guarantee call x only if ctx.role in [\"admin\", \"root\"] }",
        new_allows: &[("a", 1)],
        old_allows: &[],
    });
    check(&Case {
        old: "lookup f(o: string) -> string\ncontract a { guarantee call x only if f(args.o) == \"me\" }",
        new: "lookup f(o: string) -> string\ncontract a { guarantee call x only if f(args.o) != \"you\" }",
        new_allows: &[("a", 1)],
        old_allows: &[],
    });
    // Windows of time: in the narrower one there are fewer.
    check(&Case {
        old: "contract a { guarantee call x at most 2 times within 10min }",
        new: "contract a { guarantee call x at most 2 times within 5min }",
        new_allows: &[("a", 3)],
        old_allows: &[],
    });
    check(&Case {
        old: "contract a { guarantee call x only after success y within 5min }",
        new: "contract a { guarantee call x only after success y within 10min }",
        new_allows: &[("a", 3)],
        old_allows: &[],
    });
    // A missing field.
    check(&Case {
        old: "tool x(n?: int)\ncontract a { guarantee call x only if has(n) and (n ?? 0) <= 99 }",
        new: "tool x(n?: int)\ncontract a { guarantee call x only if (n ?? 0) <= 99 }",
        new_allows: &[("a", 1)],
        old_allows: &[],
    });
    // A contract whose assumption is broken forbids nothing.
    check(&Case {
        old: "contract a { assume never input(text contains \"hack\") guarantee never call x }",
        new: "contract a { guarantee never call x }",
        new_allows: &[],
        old_allows: &[("a", 2)],
    });
}

#[test]
fn people_read_sessions() {
    let desk = Desk::new();
    desk.write("old.ctr", "contract a { guarantee never call x }\n")
        .write("new.ctr", "contract b { guarantee never call y }\n");
    let run = desk.run(&["diff", "old.ctr", "new.ctr"]).exits(1);
    assert_eq!(
        run.out,
        "new allows what `a` of old forbids: 1 event
  {\"kind\":\"call\",\"id\":\"c1\",\"tool\":\"x\",\"args\":{},\"time\":\"2026-01-01T00:00:00Z\"}

old allows what `b` of new forbids: 1 event
  {\"kind\":\"call\",\"id\":\"c1\",\"tool\":\"y\",\"args\":{},\"time\":\"2026-01-01T00:00:00Z\"}

different
"
    );
    // The session is a trace.
    let session = run.out.lines().nth(1).unwrap();
    desk.run_with(&["replay", "-l", "new.ctr", "-"], session)
        .exits(0);
    desk.run_with(&["replay", "-l", "old.ctr", "-"], session)
        .exits(1);
}

#[test]
fn notes_tell_what_else_differs() {
    let desk = Desk::new();
    desk.write(
        "old.ctr",
        "tool x(n: int)\ntool y(n: int)\ncontract a { guarantee never call x\n otherwise block \"no\" }
contract m { guarantee never call y\n otherwise block \"no\" }\ncontract q { guarantee call y only after call x }",
    )
    .write(
        "new.ctr",
        "tool x(n: number)\n@severity(high)\ncontract a { guarantee never call x\n otherwise warn \"no\" }
contract m { guarantee never call y\n otherwise block \"never\" }\ncontract p { guarantee call y only after call x }\ntool y(n: int)",
    );
    let run = desk
        .run(&["diff", "old.ctr", "new.ctr", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(run["result"], "equivalent");
    let kinds: Vec<(&str, &str)> = run["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (n["kind"].as_str().unwrap(), n["about"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("tool", "x"),
            ("action", "a"),
            ("severity", "a"),
            ("message", "m"),
            ("name", "p")
        ]
    );
    // Assumptions that differ where the same sessions are allowed.
    desk.write("a.ctr", "contract a { assume never input guarantee true }")
        .write(
            "b.ctr",
            "contract b { guarantee never call z\n guarantee true }\ncontract c { guarantee true }",
        )
        .write("c.ctr", "contract c { guarantee true }");
    let run = desk
        .run(&["diff", "a.ctr", "c.ctr", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(run["notes"][0]["kind"], "assumption", "{run}");
    assert_eq!(run["notes"][0]["events"][0]["kind"], "input");
}

#[test]
fn what_cannot_be_compared() {
    let desk = Desk::new();
    desk.write("good.ctr", "contract a { guarantee never call x }\n")
        .write("bad.ctr", "contract a { guarantee never }\n")
        .write("one.ctr", "lookup f(a: string) -> string\ncontract a { guarantee call x only if f(args.a) == \"b\" }")
        .write("two.ctr", "lookup f(a: string, b: string) -> string\ncontract a { guarantee call x only if f(args.a, args.b) == \"b\" }");
    for verb in ["diff", "refine"] {
        desk.run(&[verb, "good.ctr"]).exits(2);
        desk.run(&[verb, "good.ctr", "gone.ctr"]).exits(2);
        desk.run(&[verb, "bad.ctr", "good.ctr"]).exits(2);
        let run = desk.run(&[verb, "one.ctr", "two.ctr"]).exits(2);
        assert!(run.err.contains("lookup `f`"), "{}", run.err);
    }
    desk.run(&["build", "good.ctr"]).exits(0);
    let run = desk.run(&["diff", "good.ctrb", "good.ctr"]).exits(2);
    assert!(run.err.contains("artifact"), "{}", run.err);
    desk.write(
        "other.ctr",
        "contract a { guarantee never call x(n > 1) }\n",
    );
    let run = desk
        .run(&["diff", "--solver-timeout", "0", "good.ctr", "other.ctr"])
        .exits(4);
    assert!(run.out.ends_with("undecided\n"), "{}", run.out);
}

fn refines(old: &str, new: &str, more: &[&str]) -> Value {
    let desk = Desk::new();
    desk.write("old.ctr", old).write("new.ctr", new);
    let mut args = vec!["refine", "new.ctr", "old.ctr", "--format", "json"];
    args.extend(more);
    let run = desk.run(&args);
    let code = run.code;
    let found = run.json();
    let expected = match found["result"].as_str().unwrap() {
        "refined" => 0,
        "not_refined" => 1,
        _ => 4,
    };
    assert_eq!(code, expected, "{found}");
    found
}

#[test]
fn a_refinement_assumes_less_and_guarantees_more() {
    let old = "contract a { assume never input(text contains \"hack\") guarantee call pay at most 3 times }";
    for new in [
        old,
        "contract a { assume never input(text contains \"hack\") guarantee call pay at most 2 times }",
        "contract a { guarantee call pay at most 3 times }",
        "contract a { guarantee never call pay }\ncontract more { guarantee never call wipe }",
        // The assumption may stand in the guarantee.
        "contract a { guarantee (eventually input(text contains \"hack\")) or (call pay at most 3 times) }",
    ] {
        let found = refines(old, new, &[]);
        assert_eq!(found["result"], "refined", "{found}");
        assert_eq!(found["obligations"][0]["contract"], "a");
        assert_eq!(refines(old, new, &["--whole"])["result"], "refined");
    }

    let found = refines(
        old,
        "contract a { assume never input guarantee call pay at most 3 times }",
        &[],
    );
    let of = &found["obligations"][0];
    assert_eq!(
        (&of["assumption"]["holds"], &of["guarantee"]["holds"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        of["assumption"]["session"]["events"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        of["guarantee"]["session"]["events"]
            .as_array()
            .unwrap()
            .len(),
        5
    );

    let found = refines(
        old,
        "contract a { guarantee call pay at most 4 times }",
        &[],
    );
    let of = &found["obligations"][0];
    assert_eq!(
        (&of["assumption"]["holds"], &of["guarantee"]["holds"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(of["guarantee"]["session"]["contracts"], json!(["a"]));

    let found = refines(
        old,
        "contract a { assume never input guarantee never call pay }",
        &[],
    );
    let of = &found["obligations"][0];
    assert_eq!(of["assumption"]["holds"], false);
}

#[test]
fn without_namesakes_policies_are_compared_whole() {
    let old = "contract a { guarantee call pay only if n <= 100 }\ncontract b { guarantee call pay at most 3 times }";
    let new = "contract x { guarantee call pay at most 2 times }\ncontract y { guarantee call pay only if n <= 50 }";
    let found = refines(old, new, &[]);
    assert_eq!(found["result"], "refined", "{found}");
    assert_eq!(found["obligations"][0]["contract"], Value::Null);
    let found = refines(new, old, &[]);
    assert_eq!(found["result"], "not_refined");
    assert_eq!(
        found["obligations"][0]["guarantee"]["session"]["contracts"][0],
        "x"
    );
    // By name the first half of the swap fails, as a whole it holds.
    let swapped = "contract b { guarantee call pay only if n <= 100 }\ncontract a { guarantee call pay at most 3 times }";
    assert_eq!(refines(old, swapped, &[])["result"], "not_refined");
    assert_eq!(refines(old, swapped, &["--whole"])["result"], "refined");
}

/// Whatever stays open about a policy, it allows what it allows; so does each of its contracts under another name.
#[test]
fn a_policy_is_equivalent_to_itself() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let desk = Desk::new();
    let mut seen = 0;
    for folder in ["examples", "stdlib-contracts/std"] {
        for entry in walkdir::WalkDir::new(format!("{root}/{folder}")) {
            let entry = entry.unwrap();
            let path = entry.path().to_str().unwrap();
            if entry.path().extension().is_none_or(|e| e != "ctr") {
                continue;
            }
            seen += 1;
            let run = desk.run(&["diff", path, path]).exits(0);
            assert_eq!(run.out, "equivalent\n", "{path}");
            let run = desk.run(&["refine", path, path]).exits(0);
            assert!(run.out.ends_with("refined\n"), "{path}: {}", run.out);
        }
    }
    assert!(seen >= 6, "{seen}");
}
