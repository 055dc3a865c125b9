//! `ctrc replay --html`: where pages are written, and when they are not.

use std::fs;

use crate::desk::{CALM, Desk, GOOD, LARGE};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD)
        .write("in/calm.jsonl", CALM)
        .write("in/large.jsonl", LARGE)
        .write("in/torn.jsonl", "{\"kind\":");
    desk
}

#[test]
fn one_session_is_one_page() {
    let desk = desk();
    let run = desk
        .run(&[
            "replay",
            "-l",
            "p.ctr",
            "in/large.jsonl",
            "--format",
            "json",
            "--html",
            "r.html",
        ])
        .exits(1);
    assert_eq!(run.lines().len(), 1, "standard output is what it always is");
    assert_eq!(run.err, "wrote r.html\n");
    let page = desk.read("r.html");
    assert!(
        page.contains("<title>FAIL · in/large.jsonl</title>"),
        "{page}"
    );
    // The rule's own line, from the policy.
    assert!(
        page.contains("<span class=ln>2</span>  guarantee call refund only if amount &lt;= 500"),
        "{page}"
    );
    assert!(page.contains("args.amount = <b>900</b>"));
}

#[test]
fn a_policy_that_changed_is_not_quoted() {
    let desk = desk();
    desk.run(&["build", "p.ctr", "-o", "p.ctrb"]).exits(0);
    desk.write("p.ctr", GOOD.replace("500", "100"));
    desk.run(&[
        "replay",
        "-l",
        "p.ctrb",
        "in/large.jsonl",
        "--html",
        "r.html",
    ])
    .exits(1);
    let page = desk.read("r.html");
    assert!(!page.contains("&lt;= 100"), "the artifact says 500");
    assert!(
        page.contains("<pre>guarantee call refund only if amount &lt;= 500</pre>"),
        "{page}"
    );
}

#[test]
fn many_sessions_are_a_folder_with_an_index() {
    let desk = desk();
    let run = desk
        .run(&["replay", "-l", "p.ctr", "in", "--html", "out/report/"])
        .exits(2);
    assert!(
        run.err.ends_with(
            "wrote out/report/index.html for 2 sessions; it names 1 more that could not be read\n"
        ),
        "{}",
        run.err
    );
    let mut names: Vec<String> = fs::read_dir(desk.path("out/report"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "0001-calm.jsonl.html",
            "0002-large.jsonl.html",
            "index.html"
        ]
    );
    let index = desk.read("out/report/index.html");
    for part in [
        "<a href=\"0001-calm.jsonl.html\">in/calm.jsonl</a>",
        "<a href=\"0002-large.jsonl.html\">in/large.jsonl</a>",
        "<th scope=row>in/torn.jsonl</th><td colspan=5 class=unreadable>unreadable: ",
        "<option value=fail>agent FAIL (1)</option>",
    ] {
        assert!(index.contains(part), "{part}\n{index}");
    }
    let page = desk.read("out/report/0001-calm.jsonl.html");
    assert!(page.contains("<a href=\"index.html\">"), "{page}");
}

#[test]
fn many_sessions_do_not_fit_on_one_page() {
    let desk = desk();
    let run = desk
        .run(&[
            "replay",
            "-l",
            "p.ctr",
            "in/calm.jsonl",
            "in/large.jsonl",
            "--html",
            "r.html",
        ])
        .exits(2);
    assert_eq!(
        run.err,
        "error: r.html: 2 sessions do not fit on one page; name a folder, as in `--html r/`\n"
    );
    assert!(!desk.path("r.html").exists());
    let run = desk
        .run(&["replay", "-l", "p.ctr", "in/torn.jsonl", "--html", "r.html"])
        .exits(2);
    assert!(
        run.err
            .ends_with("r.html was not written: there is no session to show\n"),
        "{}",
        run.err
    );
}

#[test]
fn where_it_cannot_be_written_is_told() {
    let desk = desk();
    desk.write("file", "");
    desk.run(&["replay", "-l", "p.ctr", "in/calm.jsonl", "--html", "-"])
        .exits(2);
    assert!(!desk.path("-").exists());
    let run = desk
        .run(&["replay", "-l", "p.ctr", "in/calm.jsonl", "--html", "file"])
        .exits(2);
    assert_eq!(
        run.err,
        "error: file: is a file; a folder is needed, or a name that ends in `.html`\n"
    );
    let run = desk
        .run(&[
            "replay",
            "-l",
            "p.ctr",
            "in/calm.jsonl",
            "--html",
            "missing/r.html",
        ])
        .exits(2);
    assert!(
        run.err.starts_with("error: missing/r.html: "),
        "{}",
        run.err
    );
}
