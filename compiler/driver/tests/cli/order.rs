//! The same bytes on every run: whatever the order of a folder, the seeds of hash tables (each process has
//! its own), the number of threads.

use std::path::Path;

use crate::desk::{Desk, GOOD, LARGE};

/// What takes time says how much; that may differ.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        let end = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let is_time = ["s", " s", " ms", " µs"].iter().any(|unit| {
            after
                .strip_prefix(unit)
                .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        out.push_str(if number.contains('.') || is_time {
            "T"
        } else {
            number
        });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Policies with many names, so that tables are large enough to come in another order.
fn fill(desk: &Desk, order: &[usize]) {
    let policy = |n: usize| {
        let mut text = String::new();
        for i in 0..4 {
            text.push_str(&format!(
                "contract c{n}_{i} {{\n  guarantee call t{i} only after success u{i}\n}}\n"
            ));
        }
        text.push_str(&format!(
            "contract w{n} {{\n}}\ncontract v{n} for each k {{\n  guarantee call x(kk == k) at most 1 time\n}}\n"
        ));
        text.push_str(&format!(
            "test \"t{n}\" {{\n  call t1()\n    expect allow\n  call t2()\n    expect block by c{n}_2\n}}\n"
        ));
        text
    };
    for n in order {
        desk.write(&format!("p/{n}.ctr"), policy(*n))
            .write(&format!("s/{n}.jsonl"), LARGE)
            .write(&format!("m/{n}.ctr"), GOOD.replace("  g", "      g"));
    }
    desk.write("good.ctr", GOOD)
        .write("other.ctr", GOOD.replace("500", "600"))
        .write(
            "rules.conj",
            "a := G p\nb := F !p\nc := G q\nd := F !q\ne := F (p & q)\n",
        );
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let desk_policy = repository.join("examples/refund_desk");
    for name in ["policy.ctr", "refund_desk.tools.json"] {
        let text = std::fs::read_to_string(desk_policy.join(name)).unwrap();
        desk.write(&format!("desk/{name}"), text);
    }
    desk.run(&["build", "desk/policy.ctr", "-o", "desk.ctrb"])
        .exits(0);
}

#[test]
fn twice_the_same() {
    let (one, two) = (Desk::new(), Desk::new());
    let order: Vec<usize> = (0..5).collect();
    let reversed: Vec<usize> = (0..5).rev().collect();
    fill(&one, &order);
    fill(&two, &reversed);
    for args in [
        &["check", "--solver-timeout", "300", "p"][..],
        &["check", "--solver-timeout", "300", "--format", "json", "p"],
        &["check", "--solver-timeout", "300", "--format", "sarif", "p"],
        &[
            "check",
            "--solver-timeout",
            "300",
            "--format",
            "github",
            "p",
        ],
        &[
            "check",
            "--solver-timeout",
            "300",
            "--format",
            "json",
            "p/1.ctr",
            "p/2.ctr",
        ],
        &[
            "check",
            "--solver-timeout",
            "300",
            "--witness",
            "--format",
            "json",
            "p/1.ctr",
        ],
        &[
            "check",
            "--solver-timeout",
            "300",
            "--format",
            "json",
            "desk/policy.ctr",
        ],
        &[
            "check",
            "--solver-timeout",
            "300",
            "--witness",
            "desk/policy.ctr",
        ],
        &["test", "p"],
        &["test", "--format", "json", "p"],
        &["test", "--format", "junit", "p"],
        &["fmt", "--check", "m"],
        &["diff", "--format", "json", "good.ctr", "other.ctr"],
        &["refine", "--format", "json", "other.ctr", "good.ctr"],
        &["build", "desk/policy.ctr", "-o", "-"],
        &["build", "--emit", "json", "desk/policy.ctr"],
        &["build", "--emit", "dot", "desk/policy.ctr"],
        &["inspect", "desk.ctrb"],
        &["inspect", "--format", "json", "desk.ctrb"],
        &["replay", "-l", "good.ctr", "--all", "s"],
        &["replay", "-l", "good.ctr", "--format", "json", "s"],
        &[
            "replay", "-l", "good.ctr", "--view", "gated", "--format", "json", "s",
        ],
        &["allowed", "-l", "desk.ctrb", "--format", "json"],
        &["allowed", "-l", "desk.ctrb"],
        &[
            "explain",
            "-l",
            "desk/policy.ctr",
            "--solver-timeout",
            "300",
        ],
        &[
            "explain",
            "-l",
            "desk/policy.ctr",
            "--solver-timeout",
            "300",
            "--format",
            "json",
        ],
        &[
            "explain",
            "-l",
            "desk/policy.ctr",
            "--no-sessions",
            "--format",
            "markdown",
        ],
        &["explain", "--all"],
        &["graph", "-l", "good.ctr", "limit"],
        &["ltlf", "cores", "--all", "rules.conj"],
        &["ltlf", "dfa", "rules.conj"],
        &["ltlf", "mona", "rules.conj"],
        &["man", "check"],
        &["completions", "zsh"],
        &["--help"],
    ] {
        let first = one.run(args);
        let second = two.run(args);
        assert_eq!(first.code, second.code, "{args:?}");
        assert!(first.code < 2, "{args:?}: {}", first.err);
        let same = |a: &str, b: &str| {
            let kept = |text: &str| -> String {
                let lines = text.lines().filter(|line| !line.starts_with("speed"));
                without_times(&lines.collect::<Vec<_>>().join("\n"))
            };
            assert_eq!(kept(a), kept(b), "{args:?}");
        };
        same(&first.out, &second.out);
        same(&first.err, &second.err);
    }
    // Threads.
    let json = ["replay", "-l", "good.ctr", "--format", "json", "s"];
    let alone = one.run(&[&json[..], &["--jobs", "1"]].concat()).out;
    for jobs in ["2", "8"] {
        assert_eq!(one.run(&[&json[..], &["--jobs", jobs]].concat()).out, alone);
    }
}

/// A name is looked up, and told, in an order that does not depend on how files are named on the command line.
#[test]
fn files_in_either_order() {
    let desk = Desk::new();
    fill(&desk, &[1, 2]);
    let found = |args: [&str; 7]| {
        let mut lines: Vec<String> = desk
            .run(&args)
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding.to_string())
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(
        found([
            "check",
            "--solver-timeout",
            "300",
            "--format",
            "json",
            "p/1.ctr",
            "p/2.ctr"
        ]),
        found([
            "check",
            "--solver-timeout",
            "300",
            "--format",
            "json",
            "p/2.ctr",
            "p/1.ctr"
        ])
    );
}
