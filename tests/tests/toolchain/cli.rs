//! The command line as a contract.
//!
//! | entry | where |
//! | --- | --- |
//! | 50 one exit code for unlike ends, skipped tests | `compiler/driver/tests/cli/contract.rs` runs the table of `docs/cli.md`; here what the codes must tell apart |
//! | 52 closed pipes, full disks | the same table has both for every verb; here a reader that leaves in the middle |
//! | 53 data and messages mixed | here; `schemas.rs` and `contract.rs` there |
//! | 54 SARIF that is refused | `compiler/driver/tests/cli/schemas.rs` (awkward files, all fixtures); here what services ask beyond the schema |
//! | 56 suppression | `suppress.rs` |
//! | 57 no network | here |

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::{Command, Stdio};

use ctr_tests::attempts::Attempts;
use ctr_tests::binary::ctrc;
use serde_json::Value;

const GOOD: &str = "contract limit {\n  guarantee call refund only if amount <= 500\n}\n";
const BAD: &str = "contract limit {\n  guarantee call refund only if amount <= \n}\n";

/// 50: whoever reads the code alone knows which of these it was.
#[test]
fn codes_tell_ends_apart() {
    let mut t = Attempts::new();
    t.file("good.ctr", GOOD);
    t.file("bad.ctr", BAD);
    t.file("warns.ctr", "contract empty {\n}\n");
    t.file(
        "tests.ctr",
        format!("{GOOD}test \"a\" {{\n  call refund(amount: 900) expect allow\n}}\n"),
    );
    let code = |t: &mut Attempts, args: &[&str]| {
        let got = t.run(args, &[0, 1, 2, 3, 4], None);
        got.code.unwrap_or(-1)
    };
    let clean = code(&mut t, &["check", "good.ctr"]);
    let warned = code(&mut t, &["check", "warns.ctr"]);
    let found = code(&mut t, &["check", "bad.ctr"]);
    let missing = code(&mut t, &["check", "none.ctr"]);
    let usage = code(&mut t, &["check", "--none"]);
    assert_eq!((clean, warned, found, missing, usage), (0, 0, 1, 2, 2));
    let failed = code(&mut t, &["test", "tests.ctr"]);
    let skipped = code(&mut t, &["test", "--only", "b", "tests.ctr"]);
    let untestable = code(&mut t, &["test", "bad.ctr"]);
    assert_eq!((failed, skipped, untestable), (1, 2, 2));
    t.finish();
}

/// 52: a reader that takes a little and goes.
#[test]
fn readers_that_leave() {
    let mut t = Attempts::new();
    let many: String = (0..2000)
        .map(|n| format!("contract c{n} {{ guarantee call x only if (a and) }}\n"))
        .collect();
    t.file("many.ctr", many);
    for args in [
        &["check", "--format", "json", "many.ctr"][..],
        &["check", "--format", "github", "many.ctr"],
        &["explain", "--all"],
        &["completions", "zsh"],
    ] {
        for bytes in [0, 1, 4096] {
            let mut child = Command::new(ctrc())
                .args(args)
                .current_dir(t.dir())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut out = child.stdout.take().unwrap();
            out.read_exact(&mut vec![0; bytes]).unwrap();
            drop(out);
            let output = child.wait_with_output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            // What fits into the pipe at once is written whole.
            let code = output.status.code();
            t.expect(err.is_empty() && matches!(code, Some(0 | 1)), || {
                format!("{args:?} after {bytes} bytes: {code:?} {err}")
            });
        }
    }
    t.finish();
}

/// 53: with standard error thrown away, what is left is data: `ctrc ... 2>/dev/null | jq .`.
#[test]
fn standard_output_is_data_alone() {
    let mut t = Attempts::new();
    t.file("good.ctr", GOOD);
    t.file("bad.ctr", BAD);
    t.file(
        "s.jsonl",
        "{\"kind\":\"call\",\"tool\":\"refund\",\"args\":{\"amount\":900}}\n",
    );
    t.file("x.ltlf", "G (a -> F b)");
    for file in ["good.ctr", "bad.ctr", "none.ctr"] {
        for args in [
            &["check", "--format", "json", file][..],
            &["check", "--format", "sarif", file],
            &["check", "--witness", "--format", "json", file],
            &["build", "--format", "json", "-o", "x.ctrb", file],
            &["build", "--emit", "json", file],
            &["test", "--format", "json", file],
            &["diff", "--format", "json", "good.ctr", file],
            &["refine", "--format", "json", file, "good.ctr"],
            &["inspect", "--format", "json", file],
            &["ltlf", "dfa", "--format", "json", file],
            &["ltlf", "sat", "--format", "json", "x.ltlf"],
        ] {
            let got = t.run(args, &[0, 1, 2], None);
            let read = serde_json::from_str::<Value>(&got.stdout);
            t.expect(read.is_ok(), || format!("{args:?}: {}", got.stdout));
        }
        for args in [
            &[
                "replay",
                "-l",
                file,
                "--format",
                "json",
                "s.jsonl",
                "none.jsonl",
            ][..],
            &["allowed", "-l", file, "--format", "json", "s.jsonl"],
        ] {
            let got = t.run(args, &[0, 1, 2], None);
            let read = got
                .stdout
                .lines()
                .all(|line| serde_json::from_str::<Value>(line).is_ok());
            t.expect(read, || format!("{args:?}: {}", got.stdout));
        }
        // For people: these have nothing to say on standard output.
        for args in [
            &["check", file][..],
            &["test", file],
            &["fmt", "--check", file],
        ] {
            let got = t.run(args, &[0, 1, 2], None);
            t.expect(got.stdout.is_empty(), || {
                format!("{args:?}: {}", got.stdout)
            });
        }
    }
    t.finish();
}

/// 54: what a code scanning service asks of a log: one rule a code with its texts, places from 1, relative
/// addresses, messages as objects.
#[test]
fn what_services_ask_of_sarif() {
    let mut t = Attempts::new();
    t.file("a b#.ctr", BAD);
    t.file("empty.ctr", "");
    t.file("open.ctr", "contract c {");
    t.file(
        "d/e.ctr",
        "contract c { guarantee never call x y }\ncontract c { guarantee never call x y }\n",
    );
    let got = t.run(&["check", "--format", "sarif", "."], &[1], None);
    let log: Value = serde_json::from_str(&got.stdout).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), rules.len(), "a rule twice");
    for rule in rules {
        assert!(rule["shortDescription"]["text"].is_string(), "{rule}");
        assert!(
            rule["help"]["markdown"]
                .as_str()
                .is_some_and(|text| text.len() > 40),
            "{rule}"
        );
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 3, "{results:?}");
    for result in results {
        assert!(ids.contains(result["ruleId"].as_str().unwrap()));
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(
            !uri.starts_with('/') && !uri.contains([' ', '#', '\\']),
            "{uri}"
        );
        for field in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(
                place["region"][field].as_u64().is_some_and(|n| n > 0),
                "{place}"
            );
        }
    }
    t.finish();
}

/// 57: without a network everything works; nothing is fetched, whatever a schema names.
#[test]
fn no_network() {
    let mut t = Attempts::new();
    t.file(
        "tools.json",
        r#"{"tools": [{"name": "pay", "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"n": {"$ref": "https://example.invalid/n.json"}}}}]}"#,
    );
    t.file(
        "p.ctr",
        "tools from \"tools.json\"\ncontract c { guarantee call pay at most 1 time }\n",
    );
    let bare = t.run(&["check", "--format", "json", "p.ctr"], &[0, 1], None);
    let output = Command::new("unshare")
        .args(["--net", "--map-root-user"])
        .arg(ctrc())
        .args(["check", "--format", "json", "p.ctr"])
        .current_dir(t.dir())
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("unshare") => {
            assert_eq!(String::from_utf8_lossy(&output.stdout), bare.stdout);
            assert_eq!(output.status.code(), bare.code);
        }
        _ => println!("SKIPPED: there is no `unshare`, or it is forbidden"),
    }
    t.finish();
}
