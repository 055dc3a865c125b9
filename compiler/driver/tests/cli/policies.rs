//! The verbs about policies and artifacts.

use std::fs;

use serde_json::Value;

use crate::desk::{BAD, Desk, GOOD, WARNS};

#[test]
fn init_writes_what_works() {
    let desk = Desk::new();
    let run = desk.run(&["init", "new/folder"]).exits(0);
    assert_eq!(run.out, "");
    assert!(
        run.err.contains("ctrc check new/folder/policy.ctr"),
        "{}",
        run.err
    );
    desk.run(&["check", "new/folder"]).exits(0);
    desk.run(&["check", "--deny-warnings", "new/folder/policy.ctr"])
        .exits(0);
    desk.run(&["test", "new/folder"]).exits(0);
    desk.run(&["fmt", "--check", "new/folder"]).exits(0);
    let replay = [
        "replay",
        "-l",
        "new/folder/policy.ctr",
        "new/folder/session.jsonl",
    ];
    let run = desk.run(&replay).exits(1);
    assert!(run.out.contains("one_refund_per_order"), "{}", run.out);

    let before = desk.read("new/folder/policy.ctr");
    desk.write("other/tools.json", "mine");
    let run = desk.run(&["init", "other"]).exits(2);
    assert!(run.err.contains("tools.json"), "{}", run.err);
    assert!(!desk.path("other/policy.ctr").exists());
    desk.run(&["init", "new/folder"]).exits(2);
    assert_eq!(desk.read("new/folder/policy.ctr"), before);
}

#[test]
fn check_finds() {
    let desk = Desk::new();
    desk.write("good.ctr", GOOD)
        .write("d/bad.ctr", BAD)
        .write("warns.ctr", WARNS);
    fs::create_dir(desk.path("none")).unwrap();

    let run = desk.run(&["check", "good.ctr"]).exits(0);
    assert_eq!(
        (run.out.as_str(), run.err.as_str()),
        ("", "1 file checked, nothing found\n")
    );
    let run = desk.run(&["check", "d/bad.ctr"]).exits(1);
    assert_eq!(run.out, "");
    assert!(
        run.err.contains("error[E") && run.err.contains("d/bad.ctr:1:"),
        "{}",
        run.err
    );
    desk.run(&["check", "warns.ctr"]).exits(0);
    desk.run(&["check", "--deny-warnings", "warns.ctr"])
        .exits(1);
    let run = desk.run(&["check"]).exits(1);
    assert!(run.err.contains("3 files checked"), "{}", run.err);
    for missing in ["nowhere.ctr", "none"] {
        let run = desk.run(&["check", missing]).exits(2);
        assert!(run.err.contains(missing), "{}", run.err);
    }
    desk.write("binary.ctr", b"contract \xff\xfe");
    let run = desk.run(&["check", "binary.ctr"]).exits(2);
    assert!(
        run.err.contains("UTF-8") && run.err.contains('9'),
        "{}",
        run.err
    );
}

#[test]
fn a_missing_import_is_a_finding() {
    let desk = Desk::new();
    desk.write("p.ctr", format!("import \"gone.ctr\" as gone\n{GOOD}"));
    desk.run(&["check", "p.ctr"]).exits(1);
    desk.run(&["build", "p.ctr"]).exits(1);
    desk.run(&["build", "gone.ctr"]).exits(2);
    desk.run(&["build", "p.ctr", "gone.ctr"]).exits(2);
}

#[test]
fn check_for_programs() {
    let desk = Desk::new();
    desk.write("good.ctr", GOOD).write("d e/bad.ctr", BAD);

    let run = desk
        .run(&["check", "--format", "json", "good.ctr"])
        .exits(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("[]\n", ""));
    let run = desk
        .run(&["check", "--format", "json", "d e/bad.ctr"])
        .exits(1);
    assert_eq!(run.err, "");
    let found = run.json();
    let span = &found[0]["spans"][0];
    assert_eq!(found[0]["severity"], "error");
    assert_eq!(span["path"], "d e/bad.ctr");
    assert_eq!(span["primary"], true);
    let start = usize::try_from(span["start"].as_u64().unwrap()).unwrap();
    assert_eq!(span["column"].as_u64().unwrap(), start as u64 + 1);
    for field in ["code", "message", "help", "fixes"] {
        assert!(!found[0][field].is_null(), "{field}: {found}");
    }

    assert_eq!(
        desk.run(&["check", "--format", "github", "good.ctr"])
            .exits(0)
            .out,
        ""
    );
    let run = desk
        .run(&["check", "--format", "github", "d e/bad.ctr"])
        .exits(1);
    assert!(
        run.out.starts_with("::error file=d e/bad.ctr,line=1,"),
        "{}",
        run.out
    );
    assert_eq!(run.err, "");

    let run = desk
        .run(&["check", "--format", "sarif", "good.ctr"])
        .exits(0);
    assert_eq!(run.json()["runs"][0]["results"], serde_json::json!([]));
    let run = desk
        .run(&["check", "--format", "sarif", "d e/bad.ctr"])
        .exits(1);
    let log = run.json();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], found[0]["code"]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "d%20e/bad.ctr");
    assert_eq!(place["region"]["startLine"], 1);
    assert_eq!(run.err, "");
}

#[test]
fn build_makes_an_artifact() {
    let desk = Desk::new();
    desk.write("good.ctr", GOOD).write("bad.ctr", BAD);
    let run = desk.run(&["build", "good.ctr"]).exits(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("good.ctrb: 1 contract"), "{}", run.err);
    let bytes = fs::read(desk.path("good.ctrb")).unwrap();
    assert_eq!(bytes.get(..4), Some(&b"CTRB"[..]));
    desk.run(&["build", "good.ctr", "-o", "again.ctrb"])
        .exits(0);
    assert_eq!(fs::read(desk.path("again.ctrb")).unwrap(), bytes);
    let output = desk
        .command(&["build", "good.ctr", "-o", "-"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, bytes);

    assert!(
        desk.run(&["build", "--emit", "dot", "good.ctr"])
            .exits(0)
            .out
            .starts_with("digraph")
    );
    assert!(
        desk.run(&["build", "--emit", "json", "good.ctr"])
            .exits(0)
            .json()
            .is_object()
    );
    desk.run(&["build", "--emit", "json", "good.ctr", "-o", "m.json"])
        .exits(0);
    assert!(serde_json::from_str::<Value>(&desk.read("m.json")).is_ok());

    desk.write("keep.ctrb", "old");
    let run = desk.run(&["build", "bad.ctr", "-o", "keep.ctrb"]).exits(1);
    assert!(run.err.contains("nothing built: 1 error"), "{}", run.err);
    assert_eq!(desk.read("keep.ctrb"), "old");
    let run = desk.run(&["build", "--format", "json", "bad.ctr"]).exits(1);
    assert_eq!(run.json().as_array().map(Vec::len), Some(1));
    assert!(
        !run.err.contains("error["),
        "findings are told once: {}",
        run.err
    );
    let run = desk
        .run(&["build", "--format", "sarif", "good.ctr"])
        .exits(0);
    assert_eq!(run.json()["version"], "2.1.0");

    for wrong in [
        &["build"][..],
        &["build", "."],
        &["build", "--format", "json", "good.ctr", "-o", "-"],
        &["build", "--format", "github", "--emit", "dot", "good.ctr"],
        &["build", "good.ctr", "-o", "no/such/folder.ctrb"],
    ] {
        let run = desk.run(wrong).exits(2);
        assert_eq!(run.out, "");
    }
}

#[test]
fn tests_are_run() {
    let desk = Desk::new();
    let test = |name: &str, expect: &str| {
        format!("test \"{name}\" {{\n  call refund(amount: 900)\n    {expect}\n}}\n")
    };
    desk.write(
        "ok.ctr",
        format!("{GOOD}{}", test("refuses", "expect block by limit")),
    )
    .write(
        "wrong.ctr",
        format!("{GOOD}{}", test("allows", "expect allow")),
    )
    .write("bad.ctr", BAD)
    .write("without.ctr", GOOD);
    let run = desk.run(&["test", "ok.ctr"]).exits(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("1 passed, 0 failed"), "{}", run.err);
    let run = desk.run(&["test", "ok.ctr", "wrong.ctr"]).exits(1);
    assert!(
        run.err.contains("FAILED  wrong.ctr:4: allows"),
        "{}",
        run.err
    );
    desk.run(&["test", "."]).exits(2);
    desk.run(&["test", "bad.ctr"]).exits(2);
    desk.run(&["test", "missing.ctr"]).exits(2);
    desk.run(&["test", "without.ctr"]).exits(0);
    let run = desk
        .run(&["test", "--only", "refus", "ok.ctr", "wrong.ctr"])
        .exits(0);
    assert!(
        run.err.contains("1 passed, 0 failed, 1 skipped"),
        "{}",
        run.err
    );

    let run = desk
        .run(&["test", "--format", "json", "ok.ctr", "wrong.ctr"])
        .exits(1);
    let results = run.json();
    assert_eq!(results[0]["passed"], true);
    assert_eq!(results[1]["passed"], false);
    assert_eq!(results[1]["file"], "wrong.ctr");
    assert_eq!(results[1]["failures"][0]["line"], 5);
    assert_eq!(
        desk.run(&["test", "--format", "json", "without.ctr"])
            .exits(0)
            .out,
        "[]\n"
    );
}

#[test]
fn explain_graph_and_inspect() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD);
    desk.run(&["build", "p.ctr"]).exits(0);

    let run = desk.run(&["explain", "e0401"]).exits(0);
    assert!(run.out.starts_with("E0401: "), "{}", run.out);
    let run = desk.run(&["explain", "E0000"]).exits(2);
    assert!(
        run.err.contains("E0000") && run.out.is_empty(),
        "{}",
        run.err
    );
    for library in ["p.ctr", "p.ctrb"] {
        let run = desk.run(&["explain", "-l", library]).exits(0);
        assert!(run.out.starts_with("limit\n"), "{}", run.out);
        assert_eq!(
            desk.run(&["explain", "-l", library, "limit"]).exits(0).out,
            run.out
        );
        let run = desk.run(&["explain", "-l", library, "limits"]).exits(2);
        assert!(run.err.contains("did you mean `limit`?"), "{}", run.err);
        let run = desk.run(&["graph", "-l", library, "limit"]).exits(0);
        assert!(run.out.starts_with("<svg "), "{}", run.out);
        desk.run(&["graph", "-l", library, "nothing"]).exits(2);
    }
    desk.run(&["explain"]).exits(2);

    let run = desk.run(&["inspect", "p.ctrb"]).exits(0);
    assert!(run.out.contains("contract limit  p.ctr:1"), "{}", run.out);
    assert!(
        desk.run(&["inspect", "--format", "json", "p.ctrb"])
            .exits(0)
            .json()
            .is_object()
    );
    desk.run(&["inspect", "p.ctr"]).exits(2);
    desk.run(&["inspect", "missing.ctrb"]).exits(2);
    let mut bytes = fs::read(desk.path("p.ctrb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    desk.write("flipped.ctrb", bytes);
    desk.run(&["inspect", "flipped.ctrb"]).exits(2);
}
