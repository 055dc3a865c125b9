//! What holds for all verbs: help, wrong usage, colours, pipes that close, disks that are full.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use crate::desk::{BAD, Desk, GOOD, Run, finish};

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
