//! `ctrc explain -l`: what is said of contracts, and that the sessions are what is said of them.

use std::path::Path;

use serde_json::Value;

use crate::desk::Desk;

const POLICY: &str = r#"//! A desk.
module desk
tool refund(order_id: string, amount: number)
tool receipt(order_id: string)
tool `odd|name`(x: string)
context limit: number
group money = { refund, receipt }

/// One refund an order.
@id("D-1")
@severity(high)
@source("handbook.md", "Refunds")
contract once for each order {
  guarantee success refund(args.order_id == order) at most 1 time
  otherwise block "Order {order} of {args.amount} was `refunded`."
}

/// A receipt follows.
@source("nowhere.md")
contract receipt_is_owed {
  guarantee success refund leads to call receipt
}

contract limited {
  assume never success receipt(text(result) matches /no/)
  guarantee call refund only if amount <= ctx.limit
}

contract in_time {
  guarantee success refund leads to call receipt within 30s
}

contract nothing_to_keep {
  guarantee call money only if true
}

contract odd {
  guarantee never call `odd|name`(x == "a|b")
}

contract cannot_be_kept {
  guarantee eventually call refund
  guarantee never call refund
}
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("desk.ctr", POLICY);
    desk.write(
        "handbook.md",
        "# Desk\n\nAll of it.\n\n## Refunds\n\nOnce.\n",
    );
    desk
}

#[test]
fn a_contract_is_said() {
    let desk = desk();
    let run = desk.run(&["explain", "-l", "desk.ctr", "once"]).exits(0);
    for wanted in [
        "once\n  One refund an order.\n",
        "desk.ctr:13, id D-1, severity high, source handbook.md:5 (Refunds)",
        "This is judged apart for each order.",
        "There is a successful return of `refund` for this order (`args.order_id`) at most 1 time.",
        "A call whose success would break this for good, whatever its result, is refused.",
        "The agent is told: Order {order} of {amount} was `refunded`.",
        "violated for good: for example after a successful return of `refund`",
        "It accepts, for example:\n    0 call of `refund`",
        "  <- violated\n",
    ] {
        assert!(run.out.contains(wanted), "{wanted}\n{}", run.out);
    }
    let run = desk
        .run(&["explain", "-l", "desk.ctr", "--no-sessions"])
        .exits(0);
    assert!(!run.out.contains("for example:"), "{}", run.out);
    let run = desk.run(&["explain", "-l", "desk.ctr"]).exits(0);
    for wanted in [
        "end: what event 1 began is still owed: violated",
        "There is no session that it rejects.",
        "There is no session that it accepts.",
        "there is a call of `receipt` at most 30 seconds later",
    ] {
        assert!(run.out.contains(wanted), "{wanted}\n{}", run.out);
    }
}

#[test]
fn a_library_is_a_document() {
    let desk = desk();
    let run = desk
        .run(&["explain", "-l", "desk.ctr", "--format", "markdown"])
        .exits(0);
    for wanted in [
        "# Contracts of `desk.ctr`\n\nA desk.\n",
        "| [once](#once) | D-1 | high | [handbook.md:5](handbook.md#L5), Refunds |",
        "| [receipt_is_owed](#receipt_is_owed) |  |  | nowhere.md |",
        "\n## once\n\n> One refund an order.\n\n[desk.ctr:13](desk.ctr#L13) · id D-1 · severity high · source [handbook.md:5](handbook.md#L5), Refunds\n",
        "for this *order* (`args.order_id`)",
        "- The agent is told: “Order {order} of {amount} was \\`refunded\\`.”",
        "| 0 | call `refund` |",
        "| | the session ends | | what event 1 began is still owed: violated |",
        "`\"a\\|b\"`",
        "| `odd\\|name` | [odd](#odd) |",
        "**The environment owes:**",
    ] {
        assert!(run.out.contains(wanted), "{wanted}\n{}", run.out);
    }
    // Every table has as many cells in each line as in its head.
    let mut cells = None;
    for line in run.out.lines() {
        if !line.starts_with('|') {
            cells = None;
            continue;
        }
        let here = line.replace("\\|", "").matches('|').count();
        assert_eq!(*cells.get_or_insert(here), here, "{line}");
    }
}

#[test]
fn sessions_are_what_is_said_of_them() {
    let desk = desk();
    let run = desk
        .run(&["explain", "-l", "desk.ctr", "--format", "json"])
        .exits(0);
    let all = run.json();
    let contracts = all["contracts"].as_array().unwrap();
    assert_eq!(contracts.len(), 7);
    let mut shown = 0;
    for (at, contract) in contracts.iter().enumerate() {
        for (which, value) in [("accepted", "ACTIVE"), ("rejected", "FAIL")] {
            let session = &contract["sessions"][which];
            if session["result"] != "session" {
                continue;
            }
            shown += 1;
            let lines: Vec<String> = session["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string)
                .collect();
            desk.write("session.jsonl", format!("{}\n", lines.join("\n")));
            let run = desk.run(&[
                "replay",
                "-l",
                "desk.ctr",
                "--format",
                "json",
                "session.jsonl",
            ]);
            let judged = &run.lines()[0]["contracts"][at];
            assert_eq!(judged["value"], value, "{which} {contract} {judged}");
            for violation in session["violations"].as_array().unwrap() {
                let found = judged["violations"].as_array().unwrap().iter();
                let mut found = found.filter(|other| other["event"] == violation["event"]);
                assert!(found.next().is_some(), "{violation} {judged}");
            }
        }
    }
    assert!(shown >= 10, "{shown} sessions");
    let none = |name: &str, which: &str| {
        let contract = contracts.iter().find(|c| c["contract"] == name).unwrap();
        contract["sessions"][which]["result"] == "none"
    };
    assert!(none("cannot_be_kept", "accepted"));
    assert!(none("nothing_to_keep", "rejected"));
    assert_eq!(
        all["tools"]["receipt"].as_array().unwrap().len(),
        4,
        "{}",
        all["tools"]
    );
}

#[test]
fn the_document_of_the_repository_says_what_is_enforced() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tau2");
    let old = std::fs::read_to_string(docs.join("retail.md")).unwrap();
    let desk = Desk::new();
    let policy = docs.join("../../stdlib-contracts/tau2/retail.ctr");
    let run = desk
        .run(&[
            "explain",
            "-l",
            &policy.to_string_lossy(),
            "--format",
            "markdown",
            "--no-sessions",
        ])
        .exits(0);
    // Sessions and paths apart, in the same order.
    let mut left = old.lines();
    for line in run.out.lines().filter(|line| !line.contains("retail.ctr")) {
        assert!(
            left.any(|other| other == line),
            "docs/tau2/retail.md has not, in its place: {line}\n(in docs/tau2: ctrc explain -l ../../stdlib-contracts/tau2/retail.ctr --format markdown --solver-timeout 200 > retail.md)"
        );
    }
}
