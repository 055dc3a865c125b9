//! The table of `docs/cli.md`: every line is run as it stands there.
//!
//! A command is words, then perhaps `< FILE`, `> /dev/full` or `| true` (a reader that is gone). The
//! cells of the two outputs say what must be there:
//!
//! - `nothing`: not one byte;
//! - `text`, `bytes`: something;
//! - `JSON`: one document of the schema that holds for this verb and format;
//! - `lines`: such a document a line, at least one;
//! - `SARIF`, `JUnit`: a document of that format;
//! - text in back-ticks: that text is in it, and for standard output nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::desk::{BAD, CALM, Desk, GOOD, LARGE, Run, WARNS, finish};
use crate::schemas;

/// A line of the table.
#[derive(Debug)]
struct Line {
    situation: String,
    command: String,
    code: i32,
    out: String,
    err: String,
}

impl Line {
    /// The words of the command after `ctrc`, and what stands behind them.
    fn words(&self) -> (Vec<&str>, Option<&str>, Option<&str>) {
        let words: Vec<&str> = self.command.split_whitespace().skip(1).collect();
        let at = |sign: &str| words.iter().position(|word| *word == sign);
        let end = ["<", ">", "|"].iter().filter_map(|sign| at(sign)).min();
        let input = at("<").map(|index| words[index + 1]);
        let output = match (at(">"), at("|")) {
            (Some(index), _) => Some(words[index + 1]),
            (_, Some(_)) => Some("|"),
            _ => None,
        };
        let args = words[..end.unwrap_or(words.len())].to_vec();
        (args, input, output)
    }

    /// The verb, of two words for `ltlf`.
    fn verb(&self) -> String {
        let (words, _, _) = self.words();
        let count = if words[0] == "ltlf" { 2 } else { 1 };
        words[..count.min(words.len())].join(" ")
    }
}

fn table() -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let page = fs::read_to_string(path).unwrap();
    let lines: Vec<Line> = page
        .lines()
        .filter(|line| line.contains("| `ctrc ") && line.starts_with("| "))
        // A bar inside of a cell is written with a backslash.
        .map(|line| line.replace("\\|", "\u{1}"))
        .filter_map(|line| {
            let cells: Vec<String> = line
                .split('|')
                .map(|cell| cell.trim().replace('\u{1}', "|"))
                .collect();
            let [_, situation, command, code, out, err, _] = cells.as_slice() else {
                return None;
            };
            Some(Line {
                situation: situation.clone(),
                command: command.trim_matches('`').to_owned(),
                code: code.parse().unwrap(),
                out: out.clone(),
                err: err.clone(),
            })
        })
        .collect();
    assert!(lines.len() > 100, "only {} lines", lines.len());
    lines
}

/// A passing and a failing test, in files of their own.
const TESTED: &str = "
test \"a small refund\" {
  call refund(amount: 20) -> \"ok\" expect allow
}
";
const FAILING: &str = "
test \"a large refund\" {
  call refund(amount: 900) -> \"ok\" expect allow
}
";

/// Messages as an editor sends them.
fn messages(bodies: &[&str]) -> String {
    bodies
        .iter()
        .map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len()))
        .collect()
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

/// What the commands of the table work on.
fn desk() -> Desk {
    let desk = Desk::new();
    // A question that no time is left for, see `hard.ctr`.
    let hard = "contract a { guarantee call pay only if args.x + args.y > 3 }\n\
                contract b { guarantee call pay only if args.x - args.y < 1 }\n";
    desk.write("good.ctr", format!("{GOOD}{TESTED}"))
        .write(
            "same.ctr",
            GOOD.replace(
                "call refund only if amount <= 500",
                "never call refund(amount > 500)",
            ),
        )
        .write("other.ctr", GOOD.replace("500", "600"))
        .write("bad.ctr", BAD)
        .write("warns.ctr", WARNS)
        .write("hard.ctr", hard)
        .write("fails.ctr", format!("{GOOD}{FAILING}"))
        .write("untested.ctr", GOOD)
        .write(
            "fixable.ctr",
            GOOD.replace("amount <= 500", "amount <= 500 && has(amount)"),
        )
        .write(
            "slip.ctr",
            GOOD.replace("amount <= 500", "amount <= 500 && has(amount)"),
        )
        .write("wrong.toml", "lints = 3\n")
        .write("messy.ctr", GOOD.replace("  guarantee", "      guarantee"))
        .write("binary.ctr", b"contract \xff\xfe")
        .write("calm.jsonl", CALM)
        .write("large.jsonl", LARGE)
        .write("broken.jsonl", "{\"kind\": \"nothing\"}\n")
        .write("damaged.ctrb", "CTRB and then rubbish")
        .write("yes.ltlf", "F a")
        .write("no.ltlf", "a & !a")
        .write("rules.conj", "one := G a\ntwo := F !a\n")
        .write("wrong.ltlf", "a & & b")
        .write("empty/notes.txt", "no policies here")
        .write("hello.lsp", messages(&[INITIALIZE, SHUTDOWN, EXIT]))
        .write("gone.lsp", messages(&[INITIALIZE]))
        .write("used/policy.ctr", "");
    desk.run(&["build", "good.ctr", "-o", "good.ctrb"]).exits(0);
    desk
}

fn run(desk: &Desk, line: &Line) -> Run {
    let (args, input, output) = line.words();
    let mut command: Command = desk.command(&args);
    let input = input.map(|file| fs::read(desk.path(file)).unwrap());
    match output {
        None => finish(command, &input.unwrap_or_default()),
        Some(path) => {
            if path == "|" {
                let (reader, writer) = std::io::pipe().unwrap();
                drop(reader);
                command.stdout(writer);
            } else {
                command.stdout(File::options().write(true).open(path).unwrap());
            }
            let stdin = match line.words().1 {
                Some(file) => Stdio::from(File::open(desk.path(file)).unwrap()),
                None => Stdio::null(),
            };
            let output = command
                .stdin(stdin)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
                .wait_with_output()
                .unwrap();
            Run {
                code: output.status.code().unwrap_or(-1),
                out: String::new(),
                err: String::from_utf8_lossy(&output.stderr).into_owned(),
            }
        }
    }
}

/// What is wrong with an output, if anything.
fn fault(cell: &str, text: &str, line: &Line, is_data: bool) -> Option<String> {
    let (args, _, _) = line.words();
    let is_right = match cell {
        "nothing" => text.is_empty(),
        "text" => !text.trim().is_empty() && !text.starts_with(['[', '{', '<']),
        "bytes" => !text.is_empty(),
        "JSON" => return schemas::fault(&args, text).err(),
        "lines" => {
            if text.is_empty() {
                return Some("no lines".to_owned());
            }
            return text
                .lines()
                .find_map(|document| schemas::fault(&args, document).err());
        }
        "SARIF" => return schemas::sarif(text).err(),
        "JUnit" => return schemas::junit(text).err(),
        _ => {
            let wanted = cell
                .strip_prefix('`')
                .and_then(|cell| cell.strip_suffix('`'))
                .unwrap_or_else(|| panic!("{line:?}: a cell says `{cell}`"));
            if is_data {
                text.trim_end() == wanted
            } else {
                text.contains(wanted)
            }
        }
    };
    (!is_right).then(|| format!("wanted {cell}"))
}

#[cfg(target_os = "linux")]
#[test]
fn the_table_holds() {
    let desk = desk();
    let mut faults = Vec::new();
    for line in table() {
        let run = run(&desk, &line);
        let mut wrong = Vec::new();
        if run.code != line.code {
            wrong.push(format!("exit code {} instead of {}", run.code, line.code));
        }
        let is_read = line.words().2.is_none();
        if let Some(what) = fault(&line.out, &run.out, &line, true)
            && is_read
        {
            wrong.push(format!("standard output: {what}"));
        }
        if let Some(what) = fault(&line.err, &run.err, &line, false) {
            wrong.push(format!("standard error: {what}"));
        }
        if !wrong.is_empty() {
            let short = |text: &str| text.chars().take(600).collect::<String>();
            faults.push(format!(
                "{} ({}): {}\n--- out\n{}\n--- err\n{}",
                line.command,
                line.situation,
                wrong.join("; "),
                short(&run.out),
                short(&run.err)
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} lines:\n{}",
        faults.len(),
        faults.join("\n\n")
    );
}

/// The verbs that the program has, of two words for `ltlf`.
fn verbs() -> BTreeSet<String> {
    let command = ctrc::command(&|_| None);
    command
        .get_subcommands()
        .flat_map(|verb| {
            let below: Vec<String> = verb
                .get_subcommands()
                .map(|sub| format!("{} {}", verb.get_name(), sub.get_name()))
                .collect();
            if below.is_empty() {
                vec![verb.get_name().to_owned()]
            } else {
                below
            }
        })
        .collect()
}

/// Every verb has lines, one for each exit code that its help tells of and none for others; what holds for
/// all verbs is shown for each.
#[test]
fn no_verb_is_left_out() {
    let desk = Desk::new();
    let mut codes: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
    let mut shown: BTreeMap<String, String> = BTreeMap::new();
    for line in table() {
        let verb = line.verb();
        codes.entry(verb.clone()).or_default().insert(line.code);
        let text = shown.entry(verb).or_default();
        text.push_str(&line.command);
        text.push('\n');
    }
    let verbs = verbs();
    for verb in &verbs {
        let mut args: Vec<&str> = verb.split(' ').collect();
        args.push("--help");
        let help = desk.run(&args).exits(0).out;
        let (_, told) = help.split_once("Exit codes:").unwrap();
        let told: BTreeSet<i32> = told
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split(' ').next()?.parse().ok())
            // An internal error has no command: `exit.rs` has the test.
            .filter(|code| *code != 3)
            .collect();
        let lines = codes
            .get(verb)
            .unwrap_or_else(|| panic!("`{verb}` has no line"));
        assert_eq!(*lines, told, "`{verb}`: lines, and what its help tells");
        let shown = &shown[verb];
        for (what, sign) in [
            ("a wrong flag", "--nope"),
            ("a full disk", "> /dev/full"),
            ("a closed pipe", "| true"),
        ] {
            // `init` writes files and prints nothing.
            assert!(
                shown.contains(sign) || (verb == "init" && sign != "--nope"),
                "`{verb}`: no line for {what}"
            );
        }
    }
    for (verb, codes) in &codes {
        let is_wrong_on_purpose = codes.iter().all(|code| *code == 2);
        let is_of_all = verb.starts_with('-') || verb == "help";
        assert!(
            verbs.contains(verb) || is_of_all || is_wrong_on_purpose,
            "there is no `{verb}`"
        );
    }
}
