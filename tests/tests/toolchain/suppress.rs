//! Comments that allow a warning. What a comment covers, and what can be wrong with one, is tried case by
//! case in `compiler/front/src/suppress/tests.rs`; here the whole program is.
//!
//! | entry | where |
//! | --- | --- |
//! | 56 unused ones not told | `an_unused_one_is_told_and_taken_away` |
//! | 56 wrong line for an item of several lines, above, at the end, in the middle, twice, CRLF, in a string, unknown code | `where_a_comment_counts` and others in the front end; `every_output_leaves_it_out` |
//! | 56 ignored by the language server but not by the command line | both call `ctr_front::suppress` |
//! | 56 removed by a fix | `fixes_and_the_formatter_keep_it` |

use std::fs;

use crate::config::{CLEAN, FIRST_STEP, ctrc, found, listed, project};

const ALLOWED: &str = "contract c {\n  // ctrc: allow(W0407) because the first step is meant\n  guarantee\n    call a\n}\n";

#[test]
fn every_output_leaves_it_out() {
    for text in [ALLOWED.to_owned(), ALLOWED.replace('\n', "\r\n")] {
        let project = project(&[("a.ctr", &text), ("s.jsonl", "")]);
        let root = project.path();
        for format in ["human", "json", "github", "sarif"] {
            let run = ctrc(root, &["check", "--format", format, "a.ctr"]);
            assert_eq!(run.code, Some(0));
            let told = run.stdout + &run.stderr;
            assert!(!told.contains("W0407"), "{format}: {told}");
        }
        for args in [
            vec!["build", "a.ctr"],
            vec!["test", "a.ctr"],
            vec!["explain", "-l", "a.ctr"],
            vec!["check", "--deny-warnings", "a.ctr"],
            // A comment counts before a level.
            vec!["check", "-D", "W0407", "a.ctr"],
        ] {
            let run = ctrc(root, &args);
            assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
            assert!(!run.stderr.contains("W0"), "{args:?}: {}", run.stderr);
        }
    }
}

#[test]
fn an_unused_one_is_told_and_taken_away() {
    let with = format!("// ctrc: allow(W0407) because it was needed\n{CLEAN}");
    let project = project(&[("a.ctr", &with)]);
    let root = project.path();
    assert_eq!(found(root, &["a.ctr"]), ["warning[W0803] a.ctr:1:1"]);
    let run = ctrc(root, &["check", "--fix", "a.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(fs::read_to_string(root.join("a.ctr")).unwrap(), CLEAN);
    assert!(
        run.stderr.contains("1 fix made in 1 file"),
        "{}",
        run.stderr
    );
    assert!(found(root, &["a.ctr"]).is_empty());
}

#[test]
fn what_is_proven_can_be_allowed() {
    // The second follows from the first: W0706.
    let policy = |comment: &str| {
        format!(
            "contract a {{\n  guarantee never call x\n}}\n{comment}contract b {{\n  guarantee call x at most 3 times\n}}\n"
        )
    };
    let comment = "// ctrc: allow(W0706) because it stays when `a` goes\n";
    let project = project(&[
        ("bare.ctr", &policy("")),
        ("a.ctr", &policy(comment)),
        ("idle.ctr", &format!("{comment}{CLEAN}")),
    ]);
    let root = project.path();
    let told = found(root, &["bare.ctr"]);
    assert!(
        told.iter()
            .any(|f| f.starts_with("warning[W0706] bare.ctr:4:")),
        "{told:?}"
    );
    let left = found(root, &["a.ctr"]);
    assert!(!left.iter().any(|f| f.contains("W0706")), "{left:?}");
    assert!(!left.iter().any(|f| f.contains("W0803")), "{left:?}");

    // It is called unused only where it was looked for.
    assert_eq!(found(root, &["idle.ctr"]), ["warning[W0803] idle.ctr:1:1"]);
    let run = ctrc(root, &["build", "--format", "json", "idle.ctr"]);
    assert!(listed(&run).is_empty(), "{}", run.stdout);
    let open = found(root, &["--solver-timeout", "0", "a.ctr"]);
    assert!(open.iter().any(|f| f.contains("W0700")), "{open:?}");
    assert!(!open.iter().any(|f| f.contains("W0803")), "{open:?}");
}

#[test]
fn one_that_is_of_use_to_another_policy_is_of_use() {
    // Alone `b.ctr` has nothing to allow; with `main.ctr` its contract follows from the other.
    let project = project(&[
        (
            "main.ctr",
            "include \"b.ctr\"\ncontract a {\n  guarantee never call x\n}\n",
        ),
        (
            "b.ctr",
            "// ctrc: allow(W0706) because it stays when `a` goes\ncontract b {\n  guarantee call x at most 3 times\n}\n",
        ),
    ]);
    let root = project.path();
    let all = found(root, &[]);
    assert!(!all.iter().any(|f| f.contains("W0803")), "{all:?}");
    assert!(!all.iter().any(|f| f.contains("W0706")), "{all:?}");
    let alone = found(root, &["b.ctr"]);
    assert_eq!(alone, ["warning[W0803] b.ctr:1:1"]);
}

#[test]
fn an_error_cannot_be_allowed() {
    let text = format!(
        "// ctrc: allow(E0022, W0407) because it is meant\n{}",
        FIRST_STEP.replace("call a", "call a && call b")
    );
    let project = project(&[("a.ctr", &text)]);
    let found = found(project.path(), &["a.ctr"]);
    assert!(
        found.contains(&"warning[W0802] a.ctr:1:16".to_owned()),
        "{found:?}"
    );
    assert!(
        found.iter().any(|f| f.starts_with("error[E0022]")),
        "{found:?}"
    );
}

#[test]
fn fixes_and_the_formatter_keep_it() {
    let text = "contract c {\n  // ctrc: allow(W0407, W0408) because the first step is meant\n  guarantee   call a // ctrc: allow(W0408) because of nothing\n}\n";
    let project = project(&[("a.ctr", text)]);
    let root = project.path();
    let run = ctrc(root, &["check", "--fix", "a.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let fixed = "contract c {\n  // ctrc: allow(W0407) because the first step is meant\n  guarantee   call a\n}\n";
    assert_eq!(fs::read_to_string(root.join("a.ctr")).unwrap(), fixed);
    assert!(found(root, &["a.ctr"]).is_empty());
    assert_eq!(ctrc(root, &["fmt", "a.ctr"]).code, Some(0));
    assert!(found(root, &["a.ctr"]).is_empty());

    // At the end of a line that the formatter breaks, or joins, it still stands with what it allows.
    for (name, text) in [
        (
            "b.ctr",
            "contract c { guarantee call a // ctrc: allow(W0407) because it is\n}\n",
        ),
        (
            "d.ctr",
            "contract c {\n  guarantee\n    call a // ctrc: allow(W0407) because it is\n}\n",
        ),
        (
            "e.ctr",
            "// ctrc: allow(W0407) because it is\n@severity(high) contract c { guarantee call a }\n",
        ),
    ] {
        fs::write(root.join(name), text).unwrap();
        assert!(found(root, &[name]).is_empty(), "{name}");
        assert_eq!(ctrc(root, &["fmt", name]).code, Some(0));
        let after = fs::read_to_string(root.join(name)).unwrap();
        assert!(found(root, &[name]).is_empty(), "{after}");
    }
}
