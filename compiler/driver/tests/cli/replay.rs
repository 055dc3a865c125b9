//! `ctrc replay`: what it reads, what it says, and what it does not pass over.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use crate::desk::{BAD, CALM, Desk, GOOD, LARGE};

#[test]
fn replay_judges() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD)
        .write("calm.jsonl", CALM)
        .write("large.jsonl", LARGE);
    let run = desk.run(&["replay", "-l", "p.ctr", "calm.jsonl"]).exits(0);
    assert!(run.out.starts_with("sessions      1\n"), "{}", run.out);
    let run = desk
        .run(&["replay", "--all", "-l", "p.ctr", "calm.jsonl"])
        .exits(0);
    assert!(
        run.out.starts_with("calm.jsonl  agent ACTIVE"),
        "{}",
        run.out
    );
    let run = desk
        .run(&["replay", "-l", "p.ctr", "calm.jsonl", "large.jsonl"])
        .exits(1);
    assert!(run.out.contains("large.jsonl  agent FAIL"), "{}", run.out);
    assert!(
        run.out
            .contains("limit FAIL (p.ctr:1): violated at event 0 (1)"),
        "{}",
        run.out
    );
    assert_eq!(run.err, "");

    let run = desk
        .run(&[
            "replay",
            "-l",
            "p.ctr",
            "--format",
            "json",
            "calm.jsonl",
            "large.jsonl",
        ])
        .exits(1);
    let sessions = run.lines();
    assert_eq!(sessions.len(), 2, "the summary is not printed");
    assert_eq!(sessions[0]["agent"], "ACTIVE");
    assert_eq!(sessions[1]["session"], "large.jsonl");
    assert_eq!(sessions[1]["format"], "native");
    assert_eq!(sessions[1]["agent"], "FAIL");
    assert_eq!(sessions[1]["environment"], "FAIL");
    assert_eq!(sessions[1]["events"], 2);
    let contract = &sessions[1]["contracts"][0];
    assert_eq!(contract["contract"], "limit");
    assert_eq!(contract["value"], "FAIL");
    assert_eq!(contract["violations"][0]["event"], 0);
    assert_eq!(contract["violations"][0]["id"], "1");
    assert_eq!(contract["violations"][0]["reason"], "violated");

    let run = desk
        .run(&[
            "replay",
            "-l",
            "p.ctr",
            "--view",
            "gated",
            "--format",
            "json",
            "large.jsonl",
        ])
        .exits(1);
    let session = &run.lines()[0];
    assert_eq!(
        session["agent"], "ACTIVE",
        "what was refused did not happen"
    );
    assert_eq!(session["decisions"][0]["event"], 0);
    assert_eq!(session["decisions"][0]["decision"], "block");
    assert_eq!(session["decisions"][0]["contracts"][0], "limit");
    assert_eq!(
        session["malformed"],
        serde_json::json!([]),
        "the return of a refused call"
    );
    let run = desk
        .run(&["replay", "-l", "p.ctr", "--view", "gated", "large.jsonl"])
        .exits(1);
    assert!(run.out.contains("event 0 (1): block"), "{}", run.out);
    assert!(run.out.contains("decisions     block 1"), "{}", run.out);
}

#[test]
fn replay_reads_what_people_have() {
    let desk = Desk::new();
    let openai = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"refund","arguments":"{\"amount\":900}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"}]}"#;
    let anthropic = r#"[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"refund","input":{"amount":900}}]}]"#;
    let mcp = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund","arguments":{"amount":900}}}"#;
    let tau2 = r#"{"reward":0.5,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","name":"refund","arguments":{"amount":900},"requestor":"assistant"}],"turn_idx":0}]}"#;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(mcp.as_bytes()).unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(
        format!("{tau2}\n{tau2}\n").as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    desk.write("p.ctr", GOOD)
        .write("t/a.json", openai)
        .write("t/b.json", anthropic)
        .write("t/c.log.gz", gzip.finish().unwrap())
        .write("t/d.jsonl.zst", zstd)
        .write(
            "t/e.jsonl",
            format!("\u{feff}{}", LARGE.replace('\n', "\r\n")),
        )
        .write("t/notes.md", "not a session");
    let run = desk
        .run(&["replay", "-l", "p.ctr", "--format", "json", "t"])
        .exits(1);
    let read: Vec<(String, String)> = run
        .lines()
        .iter()
        .map(|session| {
            assert_eq!(session["agent"], "FAIL", "{session}");
            let text = |name: &str| session[name].as_str().unwrap().to_owned();
            (text("session"), text("format"))
        })
        .collect();
    let wanted = [
        ("t/a.json", "openai"),
        ("t/b.json", "anthropic"),
        ("t/c.log.gz", "mcp"),
        ("t/d.jsonl.zst:1", "tau2"),
        ("t/d.jsonl.zst:2", "tau2"),
        ("t/e.jsonl", "native"),
    ]
    .map(|(name, format)| (name.to_owned(), format.to_owned()));
    assert_eq!(read, wanted);
    assert_eq!(run.lines()[3]["reward"], 0.5);

    let run = desk
        .run_with(&["replay", "-l", "p.ctr", "--format", "json", "-"], LARGE)
        .exits(1);
    assert_eq!(run.lines()[0]["session"], "-");
    let run = desk
        .run_with(&["replay", "-l", "p.ctr", "--format", "json", "-"], "")
        .exits(0);
    assert_eq!(run.lines()[0]["events"], 0);
}

#[test]
fn replay_skips_nothing_in_silence() {
    let desk = Desk::new();
    let twice = r#"{"kind":"call","tool":"refund","args":{"amount":1,"amount":900}}"#;
    desk.write("p.ctr", GOOD)
        .write("large.jsonl", LARGE)
        .write("cut.jsonl", &LARGE[..100])
        .write("twice.jsonl", twice)
        .write("bytes.jsonl", b"\xff\xfe{")
        .write("odd.json", "{\"silly\":1}")
        .write("damaged.gz", [0x1f, 0x8b, 8, 0, 0]);
    fs::create_dir(desk.path("empty")).unwrap();
    for (path, line) in [
        ("cut.jsonl", Some(2)),
        ("twice.jsonl", Some(1)),
        ("bytes.jsonl", None),
        ("odd.json", Some(1)),
        ("damaged.gz", None),
        ("missing.jsonl", None),
        ("empty", None),
    ] {
        let run = desk
            .run(&[
                "replay",
                "-l",
                "p.ctr",
                "--format",
                "json",
                path,
                "large.jsonl",
            ])
            .exits(2);
        let sessions = run.lines();
        assert_eq!(sessions.len(), 2, "{path}: the other session is judged");
        let bad = sessions.iter().find(|s| s["session"] == path).unwrap();
        assert!(
            bad["agent"].is_null() && bad["environment"].is_null(),
            "{bad}"
        );
        assert!(!bad["error"].as_str().unwrap().is_empty(), "{bad}");
        assert_eq!(bad["line"], serde_json::json!(line), "{bad}");
        assert!(run.err.contains(path), "{}", run.err);
    }
    let run = desk.run(&["replay", "-l", "p.ctr", "cut.jsonl"]).exits(2);
    assert!(run.out.contains("unreadable    1"), "{}", run.out);

    // A return that answers no call is left out; the rest is judged.
    let stray = format!("{{\"kind\":\"return\",\"id\":\"9\",\"status\":\"success\"}}\n{LARGE}");
    desk.write("stray.jsonl", stray);
    let run = desk
        .run(&["replay", "-l", "p.ctr", "--format", "json", "stray.jsonl"])
        .exits(2);
    let session = &run.lines()[0];
    assert_eq!(session["agent"], "FAIL");
    assert_eq!(session["malformed"][0]["event"], 0);
    assert_eq!(session["contracts"][0]["violations"][0]["event"], 1);
    assert!(run.err.contains("stray.jsonl: event 0"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn replay_does_not_hang_in_folders() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD).write("t/a.jsonl", CALM);
    let made = Command::new("mkfifo")
        .arg(desk.path("t/pipe.jsonl"))
        .status()
        .unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("..", desk.path("t/loop")).unwrap();
    std::os::unix::fs::symlink("a.jsonl", desk.path("t/link.jsonl")).unwrap();
    let run = desk
        .run(&["replay", "-l", "p.ctr", "--format", "json", "t"])
        .exits(0);
    let names: Vec<String> = run
        .lines()
        .iter()
        .map(|s| s["session"].to_string())
        .collect();
    assert!(names.contains(&"\"t/a.jsonl\"".to_owned()), "{names:?}");
    assert!(names.contains(&"\"t/link.jsonl\"".to_owned()), "{names:?}");
    assert!(
        run.err.contains("pipe.jsonl") && run.err.contains("loop"),
        "{}",
        run.err
    );
}

#[test]
fn libraries_of_replay() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD)
        .write("bad.ctr", BAD)
        .write("large.jsonl", LARGE)
        .write("rubbish.ctrb", "CTRB and no more");
    desk.run(&["build", "p.ctr"]).exits(0);
    let json = |library: &str| {
        desk.run(&["replay", "-l", library, "--format", "json", "large.jsonl"])
            .exits(1)
            .out
    };
    assert_eq!(json("p.ctr"), json("p.ctrb"));
    for library in ["bad.ctr", "rubbish.ctrb", "missing.ctr", "missing.ctrb"] {
        let run = desk.run(&["replay", "-l", library, "large.jsonl"]).exits(2);
        assert_eq!(run.out, "");
        assert!(run.err.contains(library), "{}", run.err);
    }
    desk.run(&["replay", "-l", "p.ctr", "-l", "p.ctrb", "large.jsonl"])
        .exits(2);
    desk.run(&["replay", "large.jsonl"]).exits(2);
    desk.run(&["replay", "-l", "p.ctr"]).exits(2);
}
