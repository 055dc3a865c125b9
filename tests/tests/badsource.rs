//! Bad policies: text and bytes, recovery, names and files. The command line answers with an exit code of its table and a message
//! that names the file, within a time limit, and never with a panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use ctr_tests::attempts::{Attempts, github_errors};
use ctr_tests::rng::{Rng, seed};
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
fn bytes_of_policies() {
    let mut t = Attempts::new();
    t.file("t.jsonl", TRACE);
    let mut noise = Vec::new();
    let mut rng = Rng::new(seed(7));
    for _ in 0..20_000 {
        noise.extend(rng.bits().to_le_bytes());
    }
    let utf16: Vec<u8> = POLICY.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bad: [(&str, Vec<u8>); 6] = [
        (
            "latin.ctr",
            b"contract c { guarantee never call caf\xe9 }".to_vec(),
        ),
        ("cut.ctr", b"// \xf0\x9f\x98".to_vec()),
        ("noise.ctr", noise),
        ("utf16.ctr", utf16),
        (
            "nul.ctr",
            b"contract c { guarantee never call a\0b }".to_vec(),
        ),
        ("onlynul.ctr", vec![0; 4096]),
    ];
    for (name, bytes) in bad {
        t.file(name, bytes);
        t.run(&["check", name], REFUSED, Some(name));
        t.run(&replay(name, "t.jsonl"), REFUSED, Some(name));
        t.run(&["build", name, "-o", "x.ctrb"], REFUSED, Some(name));
        let written = t.dir().join("x.ctrb").exists();
        t.expect(!written, || {
            format!("{name}: an artifact was written in spite of errors")
        });
    }
    // A byte order mark may be taken or refused, but never changes what is said.
    t.file("bom.ctr", format!("\u{feff}{POLICY}"));
    t.run(&["check", "bom.ctr"], ANY, Some("bom.ctr"));
    // Line ends of another system change nothing; a lone CR would hide what follows a comment.
    t.file(
        "crlf.ctr",
        "// c\r\ncontract c {\r\n  guarantee never call drop // d\r\n}\r\n",
    );
    t.run(&["check", "crlf.ctr"], &[0], None);
    t.file(
        "mixed.ctr",
        "// c\r\ncontract c {\n  guarantee never call drop // d\r\n}\n",
    );
    t.run(&["check", "mixed.ctr"], &[0], None);
    t.file("drop.jsonl", TRACE.replace("\"x\"", "\"drop\""));
    t.run(&replay("crlf.ctr", "drop.jsonl"), &[1], None);
    t.file(
        "cr.ctr",
        "// harmless\rcontract c { guarantee never call x }\n",
    );
    t.run(&["check", "cr.ctr"], REFUSED, Some("cr.ctr"));
    t.finish();
}

/// Each scalar of a sample as the only content of a file, and inside a string and a comment.
#[test]
fn scalars() {
    let mut t = Attempts::new();
    let mut scalars: Vec<char> = (0x80_u32..0x400)
        .step_by(7)
        .filter_map(char::from_u32)
        .collect();
    scalars.extend(
        (0x400_u32..0x11_0000)
            .step_by(13_331)
            .filter_map(char::from_u32),
    );
    scalars.extend([
        '\u{a0}',
        '\u{feff}',
        '\u{200b}',
        '\u{202e}',
        '\u{2028}',
        '\u{e000}',
        '\u{fffd}',
        '\u{ffff}',
        '\u{10ffff}',
        '\u{1d44e}',
    ]);
    for (i, c) in scalars.iter().enumerate() {
        t.file(&format!("alone/{i}.ctr"), c.to_string());
        t.file(&format!("open/{i}.ctr"), format!("\"{c}"));
        t.file(
            &format!("before/{i}.ctr"),
            format!("// {c}\ncontract {c} {{"),
        );
    }
    for folder in ["alone", "open", "before"] {
        t.run_within(&["check", folder], REFUSED, None, Duration::from_secs(60));
    }
    t.finish();
}

#[test]
fn lexer_and_parser_recovery() {
    let mut t = Attempts::new();
    let small = [
        "{",
        "(((((",
        "contract",
        "!",
        "}",
        "contract c {",
        "\"",
        "\"\\",
        "\"a\\u{",
        "/",
        "`",
        "@",
        "contract c { guarantee",
        "contract c { guarantee call a(",
        "predicate p(",
        "test \"x\" {",
        "/*",
        "import",
        "tools from",
        "contract c for each",
        "contract c { guarantee call a(x matches /",
        "é",
        "contract c { guarantee never call a } }",
        "<<<<<<< HEAD\n=======\n>>>>>>> x\n",
        "contract c { guarantee call a && call b }",
        "contract c { guarantee call a || call b }",
        "contract c { guarantee call a(x = 3) }",
        "contract c { guarantee never call a; }",
        "deny everything;",
        "contract c { guarantee !call a }",
        "contract c { guarantee call a at most 0x times }",
        "contract c { guarantee call a at most -1 times }",
        "contract c { guarantee call a at most 1.5 times }",
        "contract c { otherwise otherwise block }",
        "contract contract { contract contract }",
    ];
    for (i, text) in small.iter().enumerate() {
        let name = format!("s{i}.ctr");
        t.file(&name, text);
        t.run_within(
            &["check", &name],
            REFUSED,
            Some(&name),
            Duration::from_secs(5),
        );
    }
    for (i, text) in ["// only a comment", " \n\t\n", "", "//! doc\n", "/// doc\n"]
        .iter()
        .enumerate()
    {
        let name = format!("n{i}.ctr");
        t.file(&name, text);
        t.run_within(
            &["check", &name],
            &[0, 1],
            Some(&name),
            Duration::from_secs(5),
        );
    }
    for (i, number) in ["99999999999999999999999", "1e400", "-0", "00", "1e-400"]
        .iter()
        .enumerate()
    {
        let name = format!("m{i}.ctr");
        t.file(
            &name,
            format!(
                "contract a {{ guarantee call x only if n <= {number} }}\n\
                 contract b {{ guarantee call x at most {number} times }}\n\
                 contract d {{ guarantee call x leads to call y within {number} steps }}\n"
            ),
        );
        t.run(&["check", &name], ANY, Some(&name));
    }
    t.finish();
}

/// Every prefix of a file, and the file without each single token.
#[test]
fn prefixes_and_deletions() {
    let text = "//! A desk.\nmodule desk\ncontext customer: string\nevent ok(by: string)\n\
        tool pay(order: string, amount?: number) -> { done: bool }\n\
        group money = { pay }\n/// One.\n@id(\"R-1\") @severity(high)\n\
        contract one for each o {\n  let limit = latest(success pay(args.order == o), result.done)\n\
        \x20 assume never input(text matches /ign(ore)?/i)\n\
        \x20 guarantee success pay(args.order == o) at most 1 time within 10min\n\
        \x20 otherwise block \"No {args.amount} é.\"\n}\n\
        predicate p(a: event, b: event) = always (a implies eventually b)\n\
        contract two { guarantee p(call pay, ok(by == \"x\")) }\n\
        test \"t\" for two { call pay(order: \"o\") -> { done: true } expect block by two }\n";
    let mut t = Attempts::new();
    let mut n = 0;
    for (end, _) in text.char_indices() {
        t.file(&format!("prefixes/{n}.ctr"), &text[..end]);
        n += 1;
    }
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let width = rest.chars().next().map_or(1, char::len_utf8);
        let (token, tail) = rest.split_at(word.max(width));
        tokens.push(token);
        rest = tail;
    }
    for skip in 0..tokens.len() {
        let less: String = tokens
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != skip)
            .map(|(_, token)| *token)
            .collect();
        t.file(&format!("deletions/{skip}.ctr"), less);
    }
    for folder in ["prefixes", "deletions"] {
        t.run_within(&["check", folder], REFUSED, None, Duration::from_secs(90));
    }
    // A few of them alone, since one folder may be judged as one library.
    for i in (0..n).step_by(n / 12) {
        let name = format!("prefixes/{i}.ctr");
        t.run(&["check", &name], ANY, None);
    }
    t.finish();
}

/// One mistake is one error, at its place, and the rest of the file is still checked.
#[test]
fn one_mistake_is_one_error() {
    let mut t = Attempts::new();
    let check = |t: &mut Attempts, name: &str, text: &str| {
        t.file(name, text);
        let got = t.run(&["check", "--format", "github", name], &[1], Some(name));
        github_errors(&got)
    };
    let mut slip = "contract c {\n  guarantee alwys (call a implies next call b)\n".to_owned();
    for i in 0..10 {
        slip += &format!("  guarantee never call x{i}\n");
    }
    slip += "}\n";
    let errors = check(&mut t, "slip.ctr", &slip);
    t.expect(errors.len() == 1 && errors[0].1 == 2, || {
        format!("slip.ctr: {errors:?}")
    });
    let three = "tool pay(amount: number)\n\
        contract a { guarantee never call pay(amount > \u{a7}) }\n\
        contract b { guarantee never never }\n\
        contract d { guarantee never call payy }\n";
    let errors = check(&mut t, "three.ctr", three);
    let lines: Vec<u64> = errors.iter().map(|e| e.1).collect();
    t.expect(lines == [2, 3, 4], || format!("three.ctr: {errors:?}"));
    for (i, open) in ["\"abc", "\"\u{e9}\u{1F600}"].iter().enumerate() {
        let name = format!("string{i}.ctr");
        let text = format!(
            "tool pay(to: string)\ncontract a {{ guarantee never call pay(to == {open}) }}\n\
             contract b {{ guarantee never call payy }}\n"
        );
        let errors = check(&mut t, &name, &text);
        let lines: Vec<u64> = errors.iter().map(|e| e.1).collect();
        t.expect(
            lines.first() == Some(&2) && lines.last() == Some(&3),
            || {
                format!(
                    "{name}: the open string on line 2 and the unknown tool on line 3: {errors:?}"
                )
            },
        );
    }
    for (i, before) in [
        "",
        "// \u{1F600}\u{1F600}\u{1F600}\n",
        "/* \u{915}\u{94d}\u{937}\u{93f} */ ",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("end{i}.ctr");
        let errors = check(&mut t, &name, &format!("{before}contract c {{"));
        let line = 1 + before.matches('\n').count() as u64;
        t.expect(
            !errors.is_empty() && errors.iter().all(|e| e.1 == line),
            || format!("{name}: expected line {line}: {errors:?}"),
        );
    }
    let mut many = "tool pay(to: string)\n".to_owned();
    for i in 0..20 {
        let close = if i == 1 { "" } else { "}" };
        let tool = if i == 15 { "payy" } else { "pay" };
        many += &format!("contract c{i} {{\n  guarantee never call {tool}\n{close}\n");
    }
    let errors = check(&mut t, "closer.ctr", &many);
    t.expect(
        errors.len() <= 3 && errors.iter().any(|e| e.2.contains("payy")),
        || format!("closer.ctr: the missing `}}` and the unknown tool `payy`: {errors:?}"),
    );
    t.finish();
}

#[test]
fn large_and_deep_policies() {
    let mut t = Attempts::new();
    let minute = Duration::from_secs(60);
    let deep = 100_000;
    let shapes: [(&str, String); 9] = [
        (
            "parens.ctr",
            format!(
                "contract c {{ guarantee {}call a{} }}",
                "(".repeat(deep),
                ")".repeat(deep)
            ),
        ),
        (
            "nots.ctr",
            format!("contract c {{ guarantee {}call a }}", "not ".repeat(deep)),
        ),
        (
            "nexts.ctr",
            format!("contract c {{ guarantee {}call a }}", "next ".repeat(deep)),
        ),
        ("braces.ctr", "{".repeat(deep)),
        (
            "open.ctr",
            format!("contract c {{ guarantee {}", "(".repeat(deep)),
        ),
        (
            "lists.ctr",
            format!(
                "contract c {{ guarantee never call a(x in {}{}) }}",
                "[".repeat(deep),
                "]".repeat(deep)
            ),
        ),
        (
            "types.ctr",
            format!("tool a(x: {}int{})", "list<".repeat(deep), ">".repeat(deep)),
        ),
        (
            "implies.ctr",
            format!(
                "contract c {{ guarantee {}call a }}",
                "call a implies ".repeat(deep)
            ),
        ),
        (
            "minus.ctr",
            format!(
                "contract c {{ guarantee never call a(x < {}1) }}",
                "-".repeat(deep)
            ),
        ),
    ];
    for (name, text) in shapes {
        t.file(name, text);
        t.run_within(&["check", name], ANY, Some(name), minute);
    }
    t.file("closers.ctr", "}".repeat(deep));
    t.run_within(
        &["check", "closers.ctr"],
        REFUSED,
        Some("closers.ctr"),
        minute,
    );
    let name = "x".repeat(100_000);
    t.file(
        "name.ctr",
        format!("contract {name} {{ guarantee never call {name} }}"),
    );
    t.run_within(&["check", "name.ctr"], ANY, Some("name.ctr"), minute);
    t.file(
        "digits.ctr",
        format!(
            "contract c {{ guarantee call a only if n < {} }}",
            "9".repeat(1_000_000)
        ),
    );
    t.run_within(&["check", "digits.ctr"], ANY, Some("digits.ctr"), minute);
    t.file(
        "line.ctr",
        format!("// {}\n{POLICY}contract d {{", "é".repeat(2_500_000)),
    );
    t.run_within(&["check", "line.ctr"], REFUSED, Some("line.ctr"), minute);
    let mut text =
        "// a comment that fills the file up to its size, line by line\n".repeat(830_000);
    text.push_str(POLICY);
    t.file("fifty.ctr", text);
    t.run_within(&["check", "fifty.ctr"], ANY, Some("fifty.ctr"), minute * 2);
    t.finish();
}

#[test]
fn names_imports_and_files() {
    let mut t = Attempts::new();
    t.file(
        "self.ctr",
        "import \"self.ctr\" as me\ncontract c { guarantee never call x }\n",
    );
    t.run(&["check", "self.ctr"], &[1], Some("self.ctr"));
    for n in [2, 3, 5] {
        for i in 0..n {
            t.file(
                &format!("cycle{n}/m{i}.ctr"),
                format!(
                    "include \"m{}.ctr\"\ncontract c{i} {{ guarantee never call x }}\n",
                    (i + 1) % n
                ),
            );
        }
        let start = format!("cycle{n}/m0.ctr");
        let got = t.run(&["check", &start], &[1], Some("m0.ctr"));
        for i in 0..n {
            let file = format!("m{i}.ctr");
            t.expect(
                got.stderr.contains(&file) || got.stdout.contains(&file),
                || {
                    format!(
                        "cycle of {n}: `{file}` is not shown\n{}{}",
                        got.stdout, got.stderr
                    )
                },
            );
        }
    }
    // Two ways to one file load it once.
    t.file(
        "diamond/top.ctr",
        "include \"left.ctr\"\ninclude \"right.ctr\"\n",
    );
    t.file("diamond/left.ctr", "include \"base.ctr\"\n");
    t.file("diamond/right.ctr", "include \"./sub/../base.ctr\"\n");
    t.file("diamond/base.ctr", POLICY);
    t.file("diamond/sub/.keep", "");
    t.run(&["check", "diamond/top.ctr"], &[0], None);
    t.file("drop.jsonl", TRACE.replace("\"x\"", "\"drop\""));
    let got = t.run(&replay("diamond/top.ctr", "drop.jsonl"), &[1], None);
    t.expect(got.stdout.matches("\"FAIL\"").count() == 3, || {
        format!(
            "one contract fails once (environment, agent, contract): {}",
            got.stdout
        )
    });
    t.file("missing.ctr", "import \"nowhere.ctr\" as n\n");
    t.run(&["check", "missing.ctr"], REFUSED, Some("nowhere.ctr"));
    t.file("std.ctr", "import std.no_such_module\n");
    t.run(&["check", "std.ctr"], REFUSED, Some("std.ctr"));
    t.file("schema.ctr", "tools from \"nowhere.json\"\n");
    t.run(&["check", "schema.ctr"], REFUSED, Some("nowhere.json"));
    for (i, json) in ["", "{", "[1,2]", "{\"tools\": 5}", "\"x\"", "null"]
        .iter()
        .enumerate()
    {
        let name = format!("bad{i}.json");
        t.file(&name, json);
        t.file("uses.ctr", format!("tools from \"{name}\"\n{POLICY}"));
        t.run(&["check", "uses.ctr"], REFUSED, Some(&name));
    }
    t.file("twice.ctr", format!("{POLICY}{POLICY}"));
    t.run(&["check", "twice.ctr"], &[1], Some("twice.ctr"));
    t.file("predicates.ctr", "predicate p(a: event) = p2(a)\npredicate p2(a: event) = p(a)\ncontract c { guarantee p(call x) }\n");
    t.run(&["check", "predicates.ctr"], &[1], Some("predicates.ctr"));
    // Near names are suggested, whatever their case; far ones are errors as well.
    for near in ["Send_Email", "send_emial", "send_emai"] {
        t.file(
            "near.ctr",
            format!("tool send_email(to: string)\ncontract c {{ guarantee never call {near} }}\n"),
        );
        let got = t.run(&["check", "near.ctr"], &[1], Some("near.ctr"));
        let all = format!("{}{}", got.stdout, got.stderr);
        // The declaration itself stands in line 1, which the message may show as well.
        t.expect(all.contains("send_email"), || {
            format!("`{near}`: no suggestion\n{all}")
        });
    }
    t.file(
        "far.ctr",
        "tool send_email(to: string)\ncontract c { guarantee never call x }\n",
    );
    t.run(&["check", "far.ctr"], &[1], Some("far.ctr"));
    // One bad file among many is named.
    for i in 0..300 {
        let text = if i == 217 {
            "contract broken {".to_owned()
        } else {
            format!("contract c{i} {{ guarantee never call x }}\n")
        };
        t.file(&format!("many/f{i}.ctr"), text);
    }
    t.run_within(
        &["check", "many"],
        &[1],
        Some("f217.ctr"),
        Duration::from_secs(60),
    );
    // Tool names that differ in one character stay apart.
    t.file(
        "odd.ctr",
        "contract a { guarantee never call `a-b` }\ncontract b { guarantee never call a_b }\n\
         contract d { guarantee never call `a.b/c:d é` }\n",
    );
    t.file(
        "odd.jsonl",
        "{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"a-b\",\"args\":{}}\n{\"kind\":\"call\",\"id\":\"2\",\"tool\":\"a.b/c:d é\",\"args\":{}}\n",
    );
    let got = t.run(&replay("odd.ctr", "odd.jsonl"), &[1], None);
    let line: serde_json::Value = serde_json::from_str(got.stdout.trim()).unwrap_or_default();
    let value =
        |name: &str| ctr_tests::cases::find_contract(&line, name).map(|c| c["value"].clone());
    t.expect(
        value("a") == Some("FAIL".into())
            && value("b") == Some("ACTIVE".into())
            && value("d") == Some("FAIL".into()),
        || format!("odd names: {}", got.stdout),
    );
    t.finish();
}
