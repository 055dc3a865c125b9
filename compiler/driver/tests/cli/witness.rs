//! `ctrc check --witness`: sessions that keep a policy and show a tool or a contract at work.

use std::fs;

use serde_json::Value;

use crate::desk::Desk;

const POLICY: &str = r#"
tool verify(customer: string) -> { ok: bool }
tool refund(order: string, amount: number, kind: enum("full", "part"))
tool look(order: string)
tool wipe(order: string)

contract verified { guarantee call refund only after success verify(ok) }
contract limit { guarantee call refund only if amount <= 500 and amount >= 120 }
contract receipt for each o { guarantee call refund(order == o) leads to call look(order == o) }
contract no_wipe { guarantee never call wipe }
"#;

fn kinds(run: &Value) -> Vec<(String, String)> {
    run["witnesses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| {
            let name = w["tool"].as_str().or(w["contract"].as_str()).unwrap();
            (name.to_owned(), w["result"].as_str().unwrap().to_owned())
        })
        .collect()
}

#[test]
fn every_tool_and_contract_has_a_session() {
    let desk = Desk::new();
    desk.write("p.ctr", POLICY);
    let run = desk
        .run(&["check", "--witness", "--format", "json", "p.ctr"])
        .exits(0)
        .json();
    let expected = [
        ("verify", "session"),
        ("refund", "session"),
        ("look", "session"),
        ("wipe", "forbidden"),
        ("verified", "session"),
        ("limit", "session"),
        ("receipt", "session"),
        ("no_wipe", "forbidden"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, result)| ((*name).to_owned(), (*result).to_owned()))
        .collect();
    assert_eq!(kinds(&run), expected);
    assert_eq!(run["findings"], serde_json::json!([]));
    let refund = &run["witnesses"][1];
    let events = refund["events"].as_array().unwrap();
    assert_eq!(events.len(), 4, "{events:?}");
    assert_eq!(refund["shortest"], true);
    let call = events.iter().find(|e| e["tool"] == "refund").unwrap();
    assert_eq!(call["args"]["amount"], 120, "the smallest that is allowed");
    assert!(["full", "part"].contains(&call["args"]["kind"].as_str().unwrap()));
    assert!(call["args"]["order"].is_string());
    // What a contract forbids is told with the contract.
    assert_eq!(
        run["witnesses"][3]["contracts"],
        serde_json::json!(["no_wipe"])
    );
}

#[test]
fn one_session_is_a_trace() {
    let desk = Desk::new();
    desk.write("p.ctr", POLICY);
    for ask in [["--tool", "refund"], ["--contract", "receipt"]] {
        let run = desk
            .run(&["check", "--witness", ask[0], ask[1], "p.ctr"])
            .exits(0);
        assert!(run.err.contains("4 events"), "{}", run.err);
        desk.run_with(&["replay", "-l", "p.ctr", "-"], &run.out)
            .exits(0);
        let gated = ["replay", "--view", "gated", "-l", "p.ctr", "-"];
        desk.run_with(&gated, &run.out).exits(0);
        assert_eq!(run.out.lines().filter(|l| l.contains("refund")).count(), 1);
    }
    // Forbidden, and asked for.
    let run = desk
        .run(&["check", "--witness", "--tool", "wipe", "p.ctr"])
        .exits(1);
    assert_eq!(run.out, "");
    assert!(run.err.contains("`no_wipe`"), "{}", run.err);
    let run = desk
        .run(&["check", "--witness", "--tool", "refnd", "p.ctr"])
        .exits(2);
    assert!(run.err.contains("did you mean `refund`"), "{}", run.err);
    desk.run(&["check", "--witness", "--contract", "refund", "p.ctr"])
        .exits(2);
    desk.run(&["check", "--tool", "refund", "p.ctr"]).exits(2);
    desk.run(&["check", "--witness", "--format", "sarif", "p.ctr"])
        .exits(2);
}

#[test]
fn sessions_go_to_files() {
    let desk = Desk::new();
    desk.write("p.ctr", POLICY);
    let run = desk
        .run(&["check", "--witness", "-o", "out/w", "p.ctr"])
        .exits(0);
    assert_eq!(run.out, "");
    let mut files: Vec<String> = fs::read_dir(desk.path("out/w"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "contract.limit.jsonl",
            "contract.receipt.jsonl",
            "contract.verified.jsonl",
            "tool.look.jsonl",
            "tool.refund.jsonl",
            "tool.verify.jsonl"
        ]
    );
    desk.run(&["replay", "-l", "p.ctr", "out/w"]).exits(0);
}

/// What contracts of other components owe in every session belongs to it too, lookups and context included.
#[test]
fn the_whole_library_is_kept() {
    let desk = Desk::new();
    desk.write(
        "p.ctr",
        r#"
context user: string
lookup owner(order: string) -> string
tool refund(order: string)
tool log(text: string)
tool free(x: int)
contract own { guarantee call refund only if owner(order) == ctx.user }
contract logged { guarantee call log at least 2 times }
"#,
    );
    let run = desk
        .run(&["check", "--witness", "--tool", "refund", "p.ctr"])
        .exits(0);
    desk.run_with(&["replay", "-l", "p.ctr", "-"], &run.out)
        .exits(0);
    assert_eq!(run.out.lines().filter(|l| l.contains("\"log\"")).count(), 2);
    assert!(run.out.contains("\"lookup\"") && run.out.contains("\"context\""));
    assert!(run.err.contains("3 events"), "{}", run.err);
    // A tool that no contract is about.
    let run = desk
        .run(&["check", "--witness", "--tool", "free", "p.ctr"])
        .exits(0);
    assert!(run.err.contains("3 events"), "{}", run.err);
    desk.run_with(&["replay", "-l", "p.ctr", "-"], &run.out)
        .exits(0);
}

#[test]
fn there_may_be_none() {
    let desk = Desk::new();
    desk.write(
        "dead.ctr",
        "contract a { guarantee call x only after call y }\n\
         contract b { guarantee call y only after call x }\n",
    );
    let run = desk
        .run(&["check", "--witness", "--format", "json", "dead.ctr"])
        .exits(1)
        .json();
    assert_eq!(run["witnesses"][0]["result"], "none");
    assert_eq!(
        run["witnesses"][0]["contracts"],
        serde_json::json!(["a", "b"])
    );
    assert_eq!(run["witnesses"][0]["events"], serde_json::json!([]));

    // Of a library that no session keeps there are findings, and no sessions.
    desk.write(
        "conflict.ctr",
        "contract a { guarantee eventually call x }\ncontract b { guarantee never call x }\n",
    );
    let run = desk
        .run(&["check", "--witness", "--format", "json", "conflict.ctr"])
        .exits(1)
        .json();
    assert_eq!(run["witnesses"], serde_json::json!([]));
    assert_eq!(run["findings"][0]["kind"], "conflict");
    assert_eq!(run["findings"][0]["witness"], serde_json::json!([]));

    let run = desk
        .run(&["check", "--witness", "--solver-timeout", "0", "dead.ctr"])
        .exits(4);
    assert_eq!(run.out.matches("undecided").count(), 4, "{}", run.out);
}
