//! Bad input of every kind: the command line answers with an exit code of its table and a message
//! that names the file, within a time limit, and never with a panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use ctr_tests::attempts::Attempts;
use ctr_tests::rng::{Rng, seed};
use std::fs;
use std::time::Duration;

const POLICY: &str = "contract c { guarantee never call drop }\n";
const TRACE: &str = "{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"x\",\"args\":{}}\n";
/// Findings, or unreadable: where a file is both in a way.
const REFUSED: &[i32] = &[1, 2];
/// Whatever the reading, no internal error.
const ANY: &[i32] = &[0, 1, 2];

fn replay<'a>(policy: &'a str, trace: &'a str) -> [&'a str; 6] {
    ["replay", "-l", policy, "--format", "json", trace]
}

#[test]
fn wrong_usage() {
    let mut t = Attempts::new();
    t.file("p.ctr", POLICY);
    t.file("t.jsonl", TRACE);
    t.run(&["--no-such-flag"], &[2], None);
    t.run(&["no-such-verb"], &[2], None);
    t.run(&["check", "--no-such-flag", "p.ctr"], &[2], None);
    t.run(&["replay", "t.jsonl"], &[2], None);
    t.run(&["replay", "-l", "p.ctr"], &[2], None);
    t.run(
        &["replay", "-l", "p.ctr", "--view", "sideways", "t.jsonl"],
        &[2],
        None,
    );
    t.run(
        &["replay", "-l", "p.ctr", "--format", "xml", "t.jsonl"],
        &[2],
        None,
    );
    t.run(&["check", "p.ctr"], &[0], None);
    t.run(&replay("p.ctr", "t.jsonl"), &[0], None);
    t.finish();
}

#[test]
fn files_that_cannot_be_read() {
    let mut t = Attempts::new();
    t.file("p.ctr", POLICY);
    t.file("t.jsonl", TRACE);
    t.run(&["check", "missing.ctr"], &[2], Some("missing.ctr"));
    t.run(&replay("missing.ctr", "t.jsonl"), &[2], Some("missing.ctr"));
    t.run(
        &replay("p.ctr", "missing.jsonl"),
        &[2],
        Some("missing.jsonl"),
    );
    t.run(&["inspect", "missing.ctrb"], &[2], Some("missing.ctrb"));
    t.run(&["inspect", "p.ctr"], ANY, Some("p.ctr"));
    // One bad file among good ones is reported and counted, and the good one is answered.
    let got = t.run(
        &[
            "replay",
            "-l",
            "p.ctr",
            "--format",
            "json",
            "t.jsonl",
            "missing.jsonl",
        ],
        &[2],
        Some("missing.jsonl"),
    );
    t.expect(got.stdout.contains("t.jsonl"), || {
        format!("the readable session has no answer: {}", got.stdout)
    });
    fs::create_dir(t.dir().join("a.ctr")).unwrap();
    t.run(&["check", "a.ctr"], ANY, Some("a.ctr"));
    t.run(&replay("a.ctr", "t.jsonl"), REFUSED, Some("a.ctr"));
    fs::create_dir(t.dir().join("empty")).unwrap();
    t.run(&replay("p.ctr", "empty"), REFUSED, Some("empty"));
    t.file("empty.ctr", "");
    t.file("empty.jsonl", "");
    t.run(&["check", "empty.ctr"], &[0, 1], Some("empty.ctr"));
    t.run(&replay("p.ctr", "empty.jsonl"), &[0], None);
    t.run(&["inspect", "empty.jsonl"], REFUSED, Some("empty.jsonl"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("nowhere.ctr", t.dir().join("dangling.ctr")).unwrap();
        symlink("loop.ctr", t.dir().join("loop.ctr")).unwrap();
        t.run(&["check", "dangling.ctr"], &[2], Some("dangling.ctr"));
        t.run(&["check", "loop.ctr"], &[2], Some("loop.ctr"));
        t.run(&replay("p.ctr", "loop.ctr"), &[2], Some("loop.ctr"));
        // A pipe without a writer inside a folder must not be waited for.
        fs::create_dir(t.dir().join("pipes")).unwrap();
        t.file("pipes/good.ctr", POLICY);
        let made = std::process::Command::new("mkfifo")
            .arg(t.dir().join("pipes/pipe.ctr"))
            .status();
        if made.is_ok_and(|s| s.success()) {
            t.run(&["check", "pipes"], ANY, Some("pipe.ctr"));
        }
    }
    t.finish();
}

#[test]
fn file_names() {
    let mut t = Attempts::new();
    t.file("p.ctr", POLICY);
    t.file("t.jsonl", TRACE);
    let long = format!("{}.ctr", "n".repeat(251));
    for name in [
        "a b.ctr",
        "a#1.ctr",
        "a%20b.ctr",
        "a\u{1F600}.ctr",
        "noext",
        "A.CTR",
        &long,
    ] {
        t.file(name, "contract c {");
        t.run(&["check", name], REFUSED, None);
        t.file(name, POLICY);
        t.run(&replay(name, "t.jsonl"), ANY, None);
    }
    t.file("-dash.ctr", POLICY);
    t.run(&["check", "--", "-dash.ctr"], &[0], None);
    t.file("sub/x.ctr", POLICY);
    t.run(&["check", "sub/../p.ctr"], &[0], None);
    let longer = "n".repeat(5000);
    t.run(&["check", &longer], &[2], None);
    t.run(&["check", ""], ANY, None);
    t.finish();
}

#[test]
fn bytes_of_traces() {
    let mut t = Attempts::new();
    t.file("p.ctr", POLICY);
    let bad: [(&str, Vec<u8>); 14] = [
        (
            "latin.jsonl",
            b"{\"kind\":\"input\",\"text\":\"caf\xe9\"}\n".to_vec(),
        ),
        (
            "noise.jsonl",
            (0..4096_u32).map(|i| (i * 7919 % 251) as u8).collect(),
        ),
        (
            "nul.jsonl",
            b"{\"kind\":\"input\",\0\"text\":\"x\"}\n".to_vec(),
        ),
        ("cut.jsonl", format!("{TRACE}{}", &TRACE[..20]).into_bytes()),
        (
            "middle.jsonl",
            format!("{TRACE}{}\n{TRACE}", &TRACE[..20]).into_bytes(),
        ),
        (
            "nocall.jsonl",
            b"{\"kind\":\"return\",\"id\":\"9\",\"status\":\"success\",\"result\":1}\n".to_vec(),
        ),
        (
            "twice.jsonl",
            format!(
                "{TRACE}{0}{0}",
                "{\"kind\":\"return\",\"id\":\"1\",\"status\":\"success\",\"result\":1}\n"
            )
            .into_bytes(),
        ),
        (
            "keys.jsonl",
            b"{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"x\",\"args\":{\"a\":1,\"a\":2}}\n"
                .to_vec(),
        ),
        (
            "kinds.jsonl",
            b"{\"kind\":\"call\",\"kind\":\"input\",\"id\":\"1\",\"tool\":\"x\",\"args\":{}}\n"
                .to_vec(),
        ),
        (
            "unknown.jsonl",
            b"{\"kind\":\"dance\",\"text\":\"x\"}\n".to_vec(),
        ),
        (
            "notool.jsonl",
            b"{\"kind\":\"call\",\"id\":\"1\",\"args\":{}}\n".to_vec(),
        ),
        (
            "status.jsonl",
            format!(
                "{TRACE}{}",
                "{\"kind\":\"return\",\"id\":\"1\",\"status\":\"maybe\"}\n"
            )
            .into_bytes(),
        ),
        (
            "nan.jsonl",
            b"{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"x\",\"args\":{\"a\":NaN}}\n".to_vec(),
        ),
        (
            "surrogate.jsonl",
            b"{\"kind\":\"input\",\"text\":\"\\ud83d\"}\n".to_vec(),
        ),
    ];
    for (name, bytes) in bad {
        t.file(name, bytes);
        let got = t.run(&replay("p.ctr", name), REFUSED, None);
        // Told by the session's own line or by a message.
        let told = got.stderr.contains(name)
            || got.stdout.contains("\"malformed\":[{")
            || got.stdout.contains("\"malformed\": [{")
            || got.stdout.contains("\"malformed\":[\"")
            || got.stdout.contains("\"malformed\": [\"");
        t.expect(told, || {
            format!(
                "{name}: neither a message nor `malformed` tells what is wrong\n{}{}",
                got.stdout, got.stderr
            )
        });
        // The other view, and a folder of sessions, answer in the same way.
        t.run(
            &["replay", "-l", "p.ctr", "--view", "gated", name],
            REFUSED,
            None,
        );
    }
    t.file(
        "crlf.jsonl",
        TRACE.replace('\n', "\r\n").replace("\"x\"", "\"drop\""),
    );
    t.run(&replay("p.ctr", "crlf.jsonl"), &[1], None);
    t.file("noend.jsonl", TRACE.replace("\"x\"", "\"drop\"").trim_end());
    t.run(&replay("p.ctr", "noend.jsonl"), &[1], None);
    t.file("blank.jsonl", format!("\n{TRACE}\n\n"));
    t.run(&replay("p.ctr", "blank.jsonl"), ANY, Some("blank.jsonl"));
    t.file("bom.jsonl", format!("\u{feff}{TRACE}"));
    t.run(&replay("p.ctr", "bom.jsonl"), ANY, Some("bom.jsonl"));
    t.finish();
}

#[test]
fn large_and_deep_traces() {
    let mut t = Attempts::new();
    t.file(
        "p.ctr",
        "contract c { guarantee never call x(text(args) matches /SECRET/) }\n\
         contract d { guarantee never output(text matches /SECRET/) }\n",
    );
    let minute = Duration::from_secs(60);
    let deep = 100_000;
    let call =
        |args: &str| format!("{{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"x\",\"args\":{args}}}\n");
    let lists = format!("{{\"a\":{}{}}}", "[".repeat(deep), "]".repeat(deep));
    let records = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
    t.file("lists.jsonl", call(&lists));
    t.run_within(&replay("p.ctr", "lists.jsonl"), ANY, None, minute);
    t.file("records.jsonl", call(&records));
    t.run_within(&replay("p.ctr", "records.jsonl"), ANY, None, minute);
    t.file("open.jsonl", "[".repeat(deep));
    t.run_within(&replay("p.ctr", "open.jsonl"), REFUSED, None, minute);
    // Depth hidden in a text that may be read as JSON.
    let hidden =
        serde_json::to_string(&format!("{}1{}", "[".repeat(deep), "]".repeat(deep))).unwrap();
    t.file(
        "q.ctr",
        "contract c { guarantee call y only after success x(ok) }\n",
    );
    t.file(
        "hidden.jsonl",
        format!(
            "{}{{\"kind\":\"return\",\"id\":\"1\",\"status\":\"success\",\"result\":{hidden}}}\n",
            call("{}")
        ),
    );
    t.run_within(&replay("q.ctr", "hidden.jsonl"), ANY, None, minute);
    let text = "a".repeat(50_000_000);
    t.file(
        "fifty.jsonl",
        format!("{{\"kind\":\"output\",\"text\":\"{text}\"}}\n"),
    );
    t.run_within(&replay("p.ctr", "fifty.jsonl"), ANY, None, minute * 2);
    let mut many = String::new();
    for i in 0..20_000 {
        many += &format!(
            "{{\"kind\":\"call\",\"id\":\"{i}\",\"tool\":\"x\",\"args\":{{\"n\":{i}}}}}\n"
        );
    }
    t.file("many.jsonl", many);
    t.run_within(&replay("p.ctr", "many.jsonl"), &[0], None, minute);
    t.finish();
}

/// Damaged artifacts: a sample, since each takes a process of its own.
#[test]
fn damaged_artifacts() {
    let mut t = Attempts::new();
    t.file("t.jsonl", TRACE);
    t.file(
        "p.ctr",
        "contract a for each o { guarantee success pay(args.order == o) at most 1 time }\n\
         contract b { guarantee call x(n <= 3, s matches /a+b/) only after success y otherwise block \"No {args.n}.\" }\n",
    );
    t.run(&["build", "p.ctr", "-o", "p.ctrb"], &[0], None);
    t.run(&["inspect", "p.ctrb"], &[0], None);
    t.run(&replay("p.ctrb", "t.jsonl"), ANY, None);
    let Ok(whole) = fs::read(t.dir().join("p.ctrb")) else {
        t.expect(false, || "`ctrc build -o p.ctrb` wrote no file".to_owned());
        t.finish();
        return;
    };
    // The same sources give the same bytes.
    t.run(&["build", "p.ctr", "-o", "q.ctrb"], &[0], None);
    let again = fs::read(t.dir().join("q.ctrb")).unwrap_or_default();
    t.expect(again == whole, || {
        "two builds of one policy differ".to_owned()
    });
    let mut mutants: Vec<(String, Vec<u8>)> = Vec::new();
    let mut ends: Vec<usize> = (0..whole.len().min(24)).collect();
    ends.extend((24..whole.len()).step_by((whole.len() / 24).max(1)));
    ends.push(whole.len() - 1);
    for end in ends {
        mutants.push((format!("prefix of {end}"), whole[..end].to_vec()));
    }
    let mut rng = Rng::new(seed(10));
    for _ in 0..40 {
        let (at, bit) = (rng.below(whole.len()), rng.below(8));
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        mutants.push((format!("bit {bit} of byte {at}"), bytes));
    }
    for at in (0..whole.len().saturating_sub(4)).step_by((whole.len() / 20).max(4)) {
        let mut bytes = whole.clone();
        if bytes[at..at + 4] == [0xff; 4] {
            continue;
        }
        bytes[at..at + 4].fill(0xff);
        mutants.push((format!("ones at {at}"), bytes));
    }
    mutants.push(("shifted".to_owned(), whole[1..].to_vec()));
    mutants.push((
        "appended".to_owned(),
        [whole.as_slice(), b"garbage"].concat(),
    ));
    mutants.push(("doubled".to_owned(), whole.repeat(2)));
    let mut reversed = whole.clone();
    reversed.reverse();
    mutants.push(("reversed".to_owned(), reversed));
    for (what, bytes) in mutants {
        t.file("m.ctrb", bytes);
        let got = t.run(&["inspect", "m.ctrb"], REFUSED, Some("m.ctrb"));
        t.expect(got.code != Some(0), || {
            format!("inspect accepted a damaged artifact: {what}")
        });
        let got = t.run(&replay("m.ctrb", "t.jsonl"), REFUSED, Some("m.ctrb"));
        t.expect(got.code != Some(0), || {
            format!("replay accepted a damaged artifact: {what}")
        });
    }
    t.finish();
}
