//! The command line as it is documented in `docs/cli.md`: verbs, exit codes, where output goes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run came to.
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }

    /// One object a line.
    fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }
}

/// A folder to work in.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With what `ctrc init` writes.
    fn started() -> Self {
        let desk = Self::new();
        desk.run(&["init"]).exits(0);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctrc"));
        command.args(args).current_dir(self.0.path());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    fn run_with(&self, args: &[&str], input: &str) -> Run {
        finish(self.command(args), input.as_bytes())
    }
}

fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may close it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const GOOD: &str = "\
contract limit {
  guarantee call refund only if amount <= 500
}
";
const BAD: &str = "contract limit { guarantee call refund only if amount <= }\n";
/// A contract that promises nothing is warned about.
const WARNS: &str = "contract empty {\n}\n";

const CALM: &str = r#"{"kind":"call","id":"1","tool":"refund","args":{"amount":20}}
{"kind":"return","id":"1","status":"success","result":null}
"#;
const LARGE: &str = r#"{"kind":"call","id":"1","tool":"refund","args":{"amount":900}}
{"kind":"return","id":"1","status":"success","result":null}
"#;

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
fn fmt_formats() {
    let desk = Desk::new();
    let ugly = "contract   limit{guarantee   call refund only if amount<=500}";
    let formatted = {
        let run = desk.run_with(&["fmt", "-"], ugly).exits(0);
        assert_eq!(run.err, "");
        run.out
    };
    assert_ne!(formatted, ugly);
    assert_eq!(
        desk.run_with(&["fmt", "-"], &formatted).exits(0).out,
        formatted
    );
    assert_eq!(
        desk.run_with(&["fmt", "--check", "-"], ugly).exits(1).out,
        ""
    );
    desk.run_with(&["fmt", "--check", "-"], &formatted).exits(0);
    let run = desk.run_with(&["fmt", "-"], "contract {").exits(2);
    assert_eq!(
        run.out, "",
        "a careless pipe must not take a broken text for a formatted one"
    );
    desk.run_with(&["fmt", "-", "a.ctr"], ugly).exits(2);

    desk.write("a.ctr", ugly)
        .write("b.ctr", &formatted)
        .write("bad/bad.ctr", BAD);
    let run = desk.run(&["fmt", "--check", "a.ctr", "b.ctr"]).exits(1);
    assert!(
        run.err
            .contains("a.ctr: is not formatted\n1 would change, 1 are"),
        "{}",
        run.err
    );
    assert_eq!(desk.read("a.ctr"), ugly);
    let before = fs::metadata(desk.path("b.ctr"))
        .unwrap()
        .modified()
        .unwrap();
    let run = desk.run(&["fmt", "a.ctr", "b.ctr"]).exits(0);
    assert_eq!(run.err, "1 changed, 1 left as they were\n");
    assert_eq!(desk.read("a.ctr"), formatted);
    let after = fs::metadata(desk.path("b.ctr"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after, "a formatted file is not written");

    desk.run(&["fmt", "bad"]).exits(2);
    assert_eq!(desk.read("bad/bad.ctr"), BAD);
    desk.run(&["fmt", "missing.ctr"]).exits(2);
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_modes() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let desk = Desk::new();
    desk.write("real.ctr", "contract   c{}\n");
    fs::set_permissions(desk.path("real.ctr"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.ctr", desk.path("link.ctr")).unwrap();
    desk.run(&["fmt", "link.ctr"]).exits(0);
    assert!(
        fs::symlink_metadata(desk.path("link.ctr"))
            .unwrap()
            .is_symlink()
    );
    assert_ne!(desk.read("real.ctr"), "contract   c{}\n");
    let mode = fs::metadata(desk.path("real.ctr"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
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
        assert!(run.out.starts_with("digraph"), "{}", run.out);
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

#[test]
fn ltlf_automata() {
    let desk = Desk::new();
    desk.write("f.ltlf", "G(a -> F b)\n")
        .write("bad.ltlf", "G(a ->");
    desk.run(&["ltlf", "dfa", "f.ltlf"]).exits(0);
    assert!(
        desk.run(&["ltlf", "dfa", "--format", "json", "f.ltlf"])
            .exits(0)
            .json()
            .is_object()
    );
    let run = desk
        .run(&["ltlf", "dfa", "--format", "dot", "f.ltlf"])
        .exits(0);
    assert!(run.out.starts_with("digraph"), "{}", run.out);
    desk.run_with(&["ltlf", "dfa", "-"], "a U b").exits(0);
    desk.run(&["ltlf", "dfa", "bad.ltlf"]).exits(2);
    desk.run(&["ltlf", "dfa", "missing.ltlf"]).exits(2);
    let run = desk
        .run(&["ltlf", "dfa", "--max-states", "1", "f.ltlf"])
        .exits(4);
    assert!(
        run.err.contains("undecided") && run.out.is_empty(),
        "{}",
        run.err
    );
}

#[test]
fn completions_for_shells() {
    let desk = Desk::new();
    for (shell, sign) in [
        ("bash", "complete"),
        ("zsh", "#compdef ctrc"),
        ("fish", "complete -c ctrc"),
    ] {
        let run = desk.run(&["completions", shell]).exits(0);
        assert!(
            run.out.contains(sign) && run.out.contains("replay"),
            "{shell}"
        );
        assert_eq!(run.err, "");
    }
    desk.run(&["completions", "dos"]).exits(2);
}

#[test]
fn help_and_wrong_usage() {
    let desk = Desk::new();
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["help", "replay"],
        &["fmt", "--help"],
    ] {
        let run = desk.run(args).exits(0);
        assert!(!run.out.is_empty() && run.err.is_empty(), "{args:?}");
        assert!(!run.out.contains('\u{1b}'), "{}", run.out);
    }
    let help = desk.run(&["--help"]).out;
    for verb in [
        "check",
        "build",
        "replay",
        "test",
        "fmt",
        "explain",
        "graph",
        "inspect",
        "ltlf",
        "init",
        "completions",
    ] {
        assert!(help.contains(verb), "{verb}: {help}");
    }
    for args in [
        &[][..],
        &["chek"],
        &["check", "--nope"],
        &["replay", "-l"],
        &["check", "--format", "xml"],
        &["check", "--color", "sometimes"],
    ] {
        let run = desk.run(args).exits(2);
        assert!(
            run.out.is_empty() && !run.err.is_empty(),
            "{args:?}: {}",
            run.out
        );
    }
}

#[test]
fn colours() {
    let desk = Desk::new();
    desk.write("bad.ctr", BAD);
    let coloured = |run: &Run| run.err.contains('\u{1b}');
    assert!(
        !coloured(&desk.run(&["check", "bad.ctr"])),
        "standard error is no terminal"
    );
    assert!(coloured(
        &desk.run(&["check", "--color", "always", "bad.ctr"])
    ));
    assert!(!coloured(&desk.run(&["--color=never", "check", "bad.ctr"])));
    assert!(
        coloured(&desk.run(&["chek", "--color=always"])),
        "usage errors too"
    );
    let with = |name: &str, value: &str, args: &[&str]| {
        let mut command = desk.command(args);
        command.env(name, value);
        finish(command, b"")
    };
    assert!(coloured(&with(
        "CLICOLOR_FORCE",
        "1",
        &["check", "bad.ctr"]
    )));
    assert!(!coloured(&with("NO_COLOR", "1", &["check", "bad.ctr"])));
    assert!(!coloured(&with("NO_COLOR", "1", &["chek"])));
    // Data is never coloured.
    let run = desk
        .run(&["--color", "always", "check", "--format", "json", "bad.ctr"])
        .exits(1);
    assert!(!run.out.contains('\u{1b}'));
}

/// Many sessions, more than a pipe holds of their results.
fn many(desk: &Desk) {
    let line = r#"{"messages":[{"role":"user","content":"hello"}]}"#;
    desk.write("p.ctr", GOOD)
        .write("many.jsonl", format!("{line}\n").repeat(3000));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let desk = Desk::new();
    many(&desk);
    let mut child = desk
        .command(&["replay", "-l", "p.ctr", "--format", "json", "many.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The reader is gone now.
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let desk = Desk::started();
    for args in [
        &["replay", "-l", "policy.ctr", "session.jsonl"][..],
        &["check", "--format", "json"],
        &["check", "--format", "sarif"],
        &["test", "--format", "json"],
        &["explain", "E0401"],
        &["build", "policy.ctr", "-o", "-"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = desk
            .command(args)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
        assert!(err.contains("writing failed"), "{args:?}: {err}");
    }
}

#[test]
fn paths_are_told_as_they_were_given() {
    let desk = Desk::new();
    desk.write("d/p.ctr", BAD);
    let told = |path: &str| {
        let run = desk.run(&["check", "--format", "json", path]).exits(1);
        run.json()[0]["spans"][0]["path"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(told("d/p.ctr"), "d/p.ctr");
    assert_eq!(told("d"), "d/p.ctr");
    assert_eq!(told("."), "d/p.ctr");
    let absolute = desk.path("d/p.ctr");
    assert_eq!(Path::new(&told(&absolute.to_string_lossy())), absolute);
}
