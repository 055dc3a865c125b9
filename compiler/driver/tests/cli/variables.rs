//! Flags from the environment.

use crate::desk::{BAD, Desk, GOOD, Run, WARNS, finish};

fn with(desk: &Desk, variables: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = desk.command(args);
    command.envs(variables.iter().copied());
    finish(command, b"")
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("good.ctr", GOOD)
        .write("warns.ctr", WARNS)
        .write("bad.ctr", BAD)
        .write("yes.ltlf", "F a");
    desk
}

#[test]
fn a_flag_from_the_environment() {
    let desk = desk();
    let json = |variables: &[(&str, &str)], args: &[&str]| {
        with(&desk, variables, args).out.starts_with('[')
    };
    assert!(json(&[("CTRC_FORMAT", "json")], &["check", "good.ctr"]));
    // The verb's own name is stronger, the command line strongest.
    let both = [("CTRC_FORMAT", "json"), ("CTRC_CHECK_FORMAT", "human")];
    assert!(!json(&both, &["check", "good.ctr"]));
    assert!(json(&both, &["check", "--format", "json", "good.ctr"]));
    // Empty is as good as not there.
    assert!(!json(&[("CTRC_FORMAT", "")], &["check", "good.ctr"]));
    // Two words.
    let run = with(
        &desk,
        &[("CTRC_LTLF_DFA_FORMAT", "json")],
        &["ltlf", "dfa", "yes.ltlf"],
    );
    assert!(run.out.starts_with('{'), "{}", run.out);
}

#[test]
fn switches() {
    let desk = desk();
    for (value, code) in [
        ("1", 1),
        ("true", 1),
        ("yes", 1),
        ("on", 1),
        ("TRUE", 1),
        ("0", 0),
        ("false", 0),
        ("no", 0),
        ("off", 0),
        ("", 0),
        ("perhaps", 2),
    ] {
        let run = with(
            &desk,
            &[("CTRC_DENY_WARNINGS", value)],
            &["check", "warns.ctr"],
        );
        assert_eq!(run.code, code, "`{value}`: {}", run.err);
    }
    // A switch that is off conflicts with nothing.
    let run = with(&desk, &[("CTRC_EXPLAIN_ALL", "0")], &["explain", "E0401"]);
    assert_eq!(run.code, 0, "{}", run.err);
    // `--all` means something else in each verb that has it.
    let run = with(&desk, &[("CTRC_ALL", "1")], &["explain", "E0401"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

/// A flag that can be given several times is given once by its variable.
#[test]
fn levels() {
    let desk = desk();
    let code =
        with(&desk, &[], &["check", "--format", "json", "warns.ctr"]).json()[0]["code"].clone();
    let code = code.as_str().unwrap();
    for (variable, severity) in [("CTRC_DENY", "error"), ("CTRC_WARN", "warning")] {
        let found = with(
            &desk,
            &[(variable, code)],
            &["check", "--format", "json", "warns.ctr"],
        );
        assert_eq!(found.json()[0]["severity"], severity, "{variable}={code}");
    }
    let found = with(
        &desk,
        &[("CTRC_ALLOW", code)],
        &["check", "--format", "json", "warns.ctr"],
    );
    assert_eq!(found.out, "[]\n");
}

#[test]
fn what_is_wrong_is_told_with_its_variable() {
    let desk = desk();
    for (variables, args, told) in [
        (
            &[("CTRC_FORMAT", "xml")][..],
            &["check", "good.ctr"][..],
            "`CTRC_FORMAT`",
        ),
        (
            &[("CTRC_CHECK_SOLVER_TIMEOUT", "soon")],
            &["check", "good.ctr"],
            "`CTRC_CHECK_SOLVER_TIMEOUT`",
        ),
        (
            &[("CTRC_CHECK_TOOL", "pay")],
            &["check", "good.ctr"],
            "`CTRC_CHECK_TOOL`",
        ),
        (
            &[("CTRC_COLOR", "red")],
            &["check", "good.ctr"],
            "`CTRC_COLOR`",
        ),
        (
            &[("CTRC_EXPLAIN_ALL", "1")],
            &["explain", "E0401"],
            "`CTRC_EXPLAIN_ALL`",
        ),
        (
            &[("CTRC_LTLF_CORES_LIMIT", "0")],
            &["ltlf", "cores", "yes.ltlf"],
            "`CTRC_LTLF_CORES_LIMIT`",
        ),
    ] {
        let run = with(&desk, variables, args).exits(2);
        assert!(run.err.contains(told), "{variables:?}: {}", run.err);
        assert_eq!(run.out, "");
    }
    // A flag on the command line is told as it is, and no other variable is blamed.
    let run = with(
        &desk,
        &[("CTRC_FORMAT", "json"), ("CTRC_DENY_WARNINGS", "1")],
        &["check", "--format", "xml", "good.ctr"],
    )
    .exits(2);
    assert!(!run.err.contains("CTRC_"), "{}", run.err);
}

#[test]
fn colour_from_the_environment() {
    let desk = desk();
    let coloured = |variables: &[(&str, &str)], args: &[&str]| {
        with(&desk, variables, args).err.contains('\u{1b}')
    };
    let always = [("CTRC_COLOR", "always")];
    assert!(coloured(&always, &["check", "bad.ctr"]));
    assert!(coloured(&always, &["chek"]), "usage errors too");
    assert!(!coloured(
        &always,
        &["check", "--color", "never", "bad.ctr"]
    ));
    assert!(!coloured(&always, &["--color=never", "check", "bad.ctr"]));
    // What is asked for beats what is the custom.
    assert!(coloured(
        &[("CTRC_COLOR", "always"), ("NO_COLOR", "1")],
        &["check", "bad.ctr"]
    ));
}
