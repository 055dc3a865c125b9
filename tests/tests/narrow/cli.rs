//! `ctrc allowed`.

use ctr_tests::binary::run;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const POLICY: &str = "tool check(order: string) -> { limit: number }
tool refund(order: string, amount: number) -> any
contract limit for each o {
  let limit = latest(success check(args.order == o), result.limit)
  guarantee call refund(order == o) only if amount <= limit
}
";
const SESSION: &str = r#"{"kind":"call","id":"1","tool":"check","args":{"order":"o1"}}
{"kind":"return","id":"1","status":"success","result":{"limit":50}}
"#;

fn allowed(args: &[&str]) -> (Option<i32>, String) {
    let (code, out, err) = told(args);
    assert!(err.is_empty(), "{err}");
    (code, out)
}

fn told(args: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.ctr"), POLICY).unwrap();
    fs::write(folder.path().join("s.jsonl"), SESSION).unwrap();
    let mut all = vec!["allowed", "-l", "p.ctr"];
    all.extend(args);
    let done = run(folder.path(), &all, None, Duration::from_secs(20));
    (done.code, done.stdout, done.stderr)
}

#[test]
fn tools_that_nothing_names() {
    let (code, _, err) = told(&["--tool", "refnud"]);
    assert_eq!(code, Some(0));
    assert!(err.contains("names a tool `refnud`"), "{err}");
}

#[test]
fn at_the_start_and_after_a_session() {
    let (code, text) = allowed(&[]);
    assert_eq!(code, Some(0));
    assert_eq!(
        text,
        "check: with any arguments\nrefund: not now\n  forbidden by limit\n"
    );
    let (_, text) = allowed(&["s.jsonl"]);
    assert!(text.contains("refund: with some arguments"), "{text}");
}

#[test]
fn as_json() {
    let (_, text) = allowed(&["s.jsonl", "--format", "json", "--tool", "refund"]);
    let tool: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(tool["allowed"], "some");
    assert_eq!(tool["incomplete"], json!([]));
    assert_eq!(
        tool["schema"],
        json!({
            "type": "object",
            "properties": {
                "order": {"type": "string", "const": "o1"},
                "amount": {"type": "number", "maximum": 50},
            },
            "required": ["order", "amount"],
            "additionalProperties": false,
        })
    );
}
