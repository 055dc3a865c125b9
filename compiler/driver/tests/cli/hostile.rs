//! What others wrote, and paths that are not what they should be: nothing moves a terminal's cursor, nothing that
//! was read is written over, nothing is waited for without end.

use std::fs;

use crate::desk::{CALM, Desk, GOOD, finish};

/// Sets a title, colours, clears a line, turns the direction of writing, and looks like the end of a session.
const BYTES: &str = "\u{1b}]0;x\u{7}\u{1b}[31m\u{9b}2K\u{202e}\r\nsessions      0\u{0}";

fn is_harmless(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)))
}

#[test]
fn sessions_do_nothing_to_a_terminal() {
    let desk = Desk::new();
    let text = serde_json::Value::from(BYTES);
    let mut trace = String::new();
    for event in [
        format!(
            r#"{{"kind":"call","id":{text},"tool":"pay","args":{{"amount":900,"to":{text}}}}}"#
        ),
        format!(r#"{{"kind":"call","id":"2","tool":{text},"args":{{{text}:{text}}}}}"#),
        format!(r#"{{"kind":"return","id":[{text}],"status":{text}}}"#),
    ] {
        trace.push_str(&event);
        trace.push('\n');
    }
    // The last line cannot be read: without it the session can.
    let readable: String = trace
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let unanswered = format!(
        "{readable}{{\"kind\":\"return\",\"id\":{text},\"status\":\"success\"}}\n{{\"kind\":\"return\",\"id\":{text},\"status\":\"success\"}}\n"
    );
    desk.write(
        "p.ctr",
        "contract limit for each to { guarantee call pay(args.to == to) only if amount <= 50 otherwise block \"{args.to} {args.amount}\" }\n",
    )
    .write("a.jsonl", &unanswered)
    .write("b.jsonl", &trace);
    let named = format!("c{}.jsonl", "\u{1b}[31m");
    desk.write(&named, &unanswered);
    for args in [
        &["replay", "-l", "p.ctr", "--all", "a.jsonl"][..],
        &["replay", "-l", "p.ctr", "--view", "gated", "a.jsonl"],
        &["replay", "-l", "p.ctr", "b.jsonl"],
        &["replay", "-l", "p.ctr", &named],
        &["allowed", "-l", "p.ctr", "a.jsonl"],
        &["allowed", "-l", "p.ctr", "--tool", "\u{1b}[31m"],
        &["check", "\u{1b}[31m\u{202e}"],
        &["fmt", "\u{1b}[31m\u{202e}"],
        &["build", "\u{1b}[31m\u{202e}"],
        &["explain", "\u{1b}[31m\u{202e}"],
        &["graph", "-l", "p.ctr", "\u{1b}[31m\u{202e}"],
    ] {
        // On a terminal nothing takes escape sequences out.
        let mut command = desk.command(args);
        command.env("CLICOLOR_FORCE", "1");
        let run = finish(command, b"");
        let plain = strip(&run.err);
        assert!(is_harmless(&run.out), "{args:?}: {:?}", run.out);
        assert!(is_harmless(&plain), "{args:?}: {plain:?}");
    }
    let run = desk.run(&["replay", "-l", "p.ctr", "a.jsonl"]);
    assert_eq!(run.out.matches("\nsessions ").count(), 1, "{}", run.out);
    assert!(run.out.contains("\u{27e8}U+001B\u{27e9}"), "{}", run.out);
}

/// Without the colours that diagnostics have.
fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        match end.and_then(|end| after.get(end..)) {
            Some(after) if after.starts_with('m') => rest = &after[1..],
            _ => panic!("{text:?}"),
        }
    }
    out + rest
}

#[test]
fn what_was_read_is_not_written_over() {
    let desk = Desk::started();
    desk.run(&["build", "policy.ctr", "-o", "a.ctrb"]).exits(0);
    fs::copy(desk.path("session.jsonl"), desk.path("s.html")).unwrap();
    fs::hard_link(desk.path("policy.ctr"), desk.path("twin.svg")).unwrap();
    for (file, args) in [
        (
            "policy.ctr",
            &[
                "graph",
                "-l",
                "policy.ctr",
                "refund_limit",
                "-o",
                "twin.svg",
            ][..],
        ),
        ("tools.json", &["build", "policy.ctr", "-o", "tools.json"]),
        ("tools.json", &["build", "policy.ctr", "-o", "./tools.json"]),
        (
            "policy.ctr",
            &[
                "graph",
                "-l",
                "policy.ctr",
                "refund_limit",
                "--format",
                "svg",
                "-o",
                "policy.ctr",
            ],
        ),
        (
            "a.ctrb",
            &[
                "graph",
                "-l",
                "a.ctrb",
                "refund_limit",
                "--format",
                "svg",
                "-o",
                "a.ctrb",
            ],
        ),
        (
            "s.html",
            &["replay", "-l", "a.ctrb", "s.html", "--html", "s.html"],
        ),
    ] {
        let before = fs::read(desk.path(file)).unwrap();
        let run = desk.run(args).exits(2);
        assert!(
            run.err.contains("would be overwritten"),
            "{args:?}: {}",
            run.err
        );
        assert_eq!(fs::read(desk.path(file)).unwrap(), before, "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn paths_of_other_kinds() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD)
        .write("calm.jsonl", CALM)
        .write("d/x", "")
        .write("f", "");
    for name in ["pipe", "pipe.ctrb"] {
        let made = std::process::Command::new("mkfifo")
            .arg(desk.path(name))
            .status()
            .unwrap();
        assert!(made.success());
    }
    // Each ends, and says what is wrong in words.
    for (args, words) in [
        (&["inspect", "pipe"][..], "is no regular file"),
        (&["inspect", "d"], "is a folder"),
        (&["inspect", "/dev/zero"], "is no regular file"),
        (
            &["replay", "-l", "pipe.ctrb", "calm.jsonl"],
            "is no regular file",
        ),
        (
            &["replay", "-l", "pipe", "calm.jsonl"],
            "not a regular file",
        ),
        (&["graph", "-l", "pipe", "limit"], "not a regular file"),
        (&["explain", "-l", "pipe"], "not a regular file"),
        (&["diff", "p.ctr", "pipe"], "not a regular file"),
        (&["build", "p.ctr", "-o", "d"], "d: it is a folder"),
        (
            &["build", "p.ctr", "-o", "no/a.ctrb"],
            "no/a.ctrb: no such file or folder",
        ),
        (
            &["build", "p.ctr", "-o", "f/a.ctrb"],
            "is a file and no folder",
        ),
        (&["man", "-o", "f"], "is a file and no folder"),
        (&["init", "f"], "is a file and no folder"),
        (
            &["replay", "-l", "p.ctr", "-j", "9999999", "calm.jsonl"],
            "1..=1024",
        ),
    ] {
        let run = desk.run(args).exits(2);
        assert!(run.err.contains(words), "{args:?}: {}", run.err);
        assert!(!run.err.contains("os error"), "{args:?}: {}", run.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt as _;

    let desk = Desk::new();
    desk.write("p.ctr", GOOD)
        .write("in/calm.jsonl", CALM)
        .write("d/p.ctr", GOOD);
    for (folder, name) in [("d", &b"p\xff.ctr"[..]), ("in", b"s\xff.jsonl")] {
        let path = desk.path(folder).join(std::ffi::OsStr::from_bytes(name));
        fs::write(path, "x").unwrap();
    }
    for args in [
        &["check", "d"][..],
        &["fmt", "--check", "d"],
        &["replay", "-l", "p.ctr", "in"],
    ] {
        let run = desk.run(args).exits(2);
        assert!(
            run.err.contains("the name is not UTF-8; rename the file"),
            "{args:?}: {}",
            run.err
        );
    }
}
