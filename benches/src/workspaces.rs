//! Workspaces of many contracts, for measuring the language server.

use std::fmt::Write as _;

use crate::policies;

/// The files of a workspace.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// What it is called.
    pub name: &'static str,
    /// Paths (relative to its folder) and texts.
    pub files: Vec<(String, String)>,
    /// The file that is edited, an index into `files`.
    pub edited: usize,
    /// A file that all others include, if there is one, an index into `files`.
    pub shared: Option<usize>,
    /// A tool that a contract in the middle of the edited file speaks of.
    pub tool: String,
}

/// One file of `count` preconditions.
#[must_use]
pub fn one_file(count: usize) -> Workspace {
    Workspace {
        name: "one file",
        files: vec![("policy.ctr".to_owned(), policies::preconditions(count))],
        edited: 0,
        shared: None,
        tool: format!("act{:03}", count / 8),
    }
}

/// Files of ten contracts each that include one file.
#[must_use]
pub fn sharing(files: usize) -> Workspace {
    let mut shared =
        String::from("//! What all policies of this folder share.\nmodule bench.shared\n\n");
    for tool in 0..10 {
        let _ = writeln!(
            shared,
            "tool read{tool}(order_id: string) -> {{ ok: bool, owner: string }}\n\
             tool change{tool}(order_id: string, amount: number) -> {{ ok: bool }}"
        );
    }
    shared.push_str(
        "\npredicate responds(a: event, b: event) = always (a implies eventually b)\n\n\
         /// Nothing is changed before it was read.\ncontract read_first {\n  \
         guarantee call change0 only after success read0\n  otherwise block \"Read it first.\"\n}\n",
    );
    let mut all = vec![("shared.ctr".to_owned(), shared)];
    for file in 0..files {
        let mut text = format!(
            "//! Policy {file}.\nmodule bench.f{file}\n\nimport \"shared.ctr\" as common\ninclude \"shared.ctr\"\n"
        );
        for n in 0..10 {
            let _ = match n % 3 {
                0 => writeln!(
                    text,
                    "\n/// Rule {n} of file {file}.\n@id(\"B-{file}-{n}\")\ncontract c{file}_{n} for each order {{\n  \
                     guarantee call change{n}(order_id == order) only after success read{n}(args.order_id == order)\n  \
                     otherwise block \"Read order {{order}} first.\"\n}}"
                ),
                1 => writeln!(
                    text,
                    "\n/// Rule {n} of file {file}.\n@id(\"B-{file}-{n}\")\ncontract c{file}_{n} {{\n  \
                     guarantee call change{n} only if amount <= {file}00\n  \
                     otherwise block \"{{args.amount}} is too much.\"\n}}"
                ),
                _ => writeln!(
                    text,
                    "\n/// Rule {n} of file {file}.\n@id(\"B-{file}-{n}\")\ncontract c{file}_{n} {{\n  \
                     guarantee common.responds(call change{n}, call read{n})\n}}"
                ),
            };
        }
        all.push((format!("policy{file:03}.ctr"), text));
    }
    Workspace {
        name: "sharing files",
        edited: files / 2,
        files: all,
        shared: Some(0),
        tool: "change5".to_owned(),
    }
}

/// How many tools the realistic files have: ten things, each read, changed and removed.
const THINGS: [&str; 10] = [
    "order", "invoice", "ticket", "account", "booking", "refund", "contract", "shipment", "report",
    "device",
];

/// The schemas of thirty tools as MCP servers list them.
#[must_use]
pub fn tools() -> String {
    let mut out = String::from("{\"tools\": [\n");
    for (index, thing) in THINGS.iter().enumerate() {
        let id = format!(
            "\"{thing}_id\": {{\"type\": \"string\", \"description\": \"The {thing}'s number.\"}}"
        );
        let result = format!(
            "{{\"type\": \"object\", \"properties\": {{{id}, \"owner\": {{\"type\": \"string\"}}, \
             \"status\": {{\"enum\": [\"open\", \"held\", \"closed\"]}}, \"total\": {{\"type\": \"number\"}}, \
             \"items\": {{\"type\": \"array\", \"items\": {{\"type\": \"object\", \"properties\": {{\"id\": {{\"type\": \"string\"}}}}, \
             \"required\": [\"id\"]}}}}}}, \"required\": [\"{thing}_id\", \"owner\", \"status\", \"total\", \"items\"]}}"
        );
        for (verb, more, required, hint) in [
            ("read", String::new(), String::new(), "\"readOnlyHint\": true"),
            (
                "change",
                ", \"amount\": {\"type\": \"number\", \"minimum\": 0}, \"reason\": {\"type\": \"string\"}, \
                 \"email\": {\"type\": \"string\", \"format\": \"email\"}"
                    .to_owned(),
                ", \"amount\", \"reason\", \"email\"".to_owned(),
                "\"idempotentHint\": true",
            ),
            (
                "remove",
                ", \"mode\": {\"enum\": [\"soft\", \"hard\"]}".to_owned(),
                ", \"mode\"".to_owned(),
                "\"destructiveHint\": true",
            ),
        ] {
            let last = index + 1 == THINGS.len() && verb == "remove";
            let _ = writeln!(
                out,
                "  {{\"name\": \"{verb}_{thing}\", \"description\": \"{verb} a {thing} of the shop.\", \
                 \"inputSchema\": {{\"type\": \"object\", \"properties\": {{{id}{more}}}, \"required\": [\"{thing}_id\"{required}]}}, \
                 \"outputSchema\": {result}, \"annotations\": {{{hint}}}}}{}",
                if last { "" } else { "," }
            );
        }
    }
    out + "]}\n"
}

/// Files of fifty contracts each in the shapes of the examples, the ready libraries and the templates.
#[must_use]
pub fn realistic(files: usize) -> Workspace {
    let mut all = vec![("tools.json".to_owned(), tools())];
    for file in 0..files {
        let mut text = format!(
            "//! The rules of department {file}.\nmodule shop.d{file}\n\nimport std.declare\n\ntools from \"tools.json\"\n\n\
             context role: string\nevent approved(who: string)\nlookup owner_of(id: string) -> string\n\n\
             group removals = tools where destructive\n\n\
             predicate guarded(a: event, b: event) = (not a) unless b\n"
        );
        for (index, thing) in THINGS.iter().enumerate() {
            for shape in 0..5 {
                shaped(&mut text, file + 1, thing, (index + shape * 5) % 12);
            }
        }
        all.push((format!("department{file:02}.ctr"), text));
    }
    Workspace {
        name: "realistic",
        edited: 1 + files / 2,
        files: all,
        shared: None,
        tool: "change_booking".to_owned(),
    }
}

/// A contract on a thing in one of twelve shapes.
fn shaped(text: &mut String, file: usize, thing: &str, shape: usize) {
    let mut write = |keys: &str, name: &str, body: &str| {
        let _ = writeln!(
            text,
            "\n/// The {name} of a {thing} in department {file}.\n@id(\"D{file:02}-{thing}-{shape}\")\n@severity(high)\n\
             @source(\"policy.md\", \"{thing}\")\n@tags(\"{name}\")\ncontract {thing}_{name}{keys} {{\n{body}\n}}"
        );
    };
    let each = format!(" for each {thing}");
    match shape {
        0 => write(
            &each,
            "read_before_change",
            &format!(
                "  guarantee call change_{thing}({thing}_id == {thing})\n    only after success read_{thing}(args.{thing}_id == {thing})\n  \
                 otherwise block \"Read {thing} {{{thing}}} before you change it.\""
            ),
        ),
        1 => write(
            "",
            "provenance",
            &format!(
                "  guarantee call change_{thing} only if mentioned(input, email)\n  \
                 otherwise block \"Ask for the address; {{args.email}} did not come from the customer.\""
            ),
        ),
        2 => write(
            "",
            "budget",
            &format!(
                "  guarantee call change_{thing} only if sum(success change_{thing}, args.amount) + amount <= {file}000\n  \
                 otherwise escalate \"More than {file}000 would be spent.\""
            ),
        ),
        3 => write(
            &each,
            "removed_once",
            &format!(
                "  guarantee success remove_{thing}(args.{thing}_id == {thing}) at most 1 time\n  \
                 otherwise block \"The {thing} {{{thing}}} is removed already.\""
            ),
        ),
        4 => write(
            "",
            "response",
            &format!(
                "  guarantee declare.response(call change_{thing}, call read_{thing})\n  otherwise warn \"Look at it afterwards.\""
            ),
        ),
        5 => write(
            &each,
            "only_open",
            &format!(
                "  let status = latest(success read_{thing}(args.{thing}_id == {thing}), result.status)\n  \
                 guarantee call change_{thing}({thing}_id == {thing}) only if status == \"open\"\n  \
                 otherwise block \"The {thing} {{{thing}}} is {{status}}.\""
            ),
        ),
        6 => write(
            "",
            "known_id",
            &format!(
                "  guarantee call remove_{thing} only if {thing}_id in values(success read_{thing}, result.{thing}_id)\n  \
                 otherwise block \"{{args.{thing}_id}} was not read in this session.\""
            ),
        ),
        7 => write(
            "",
            "reason",
            &format!(
                "  guarantee call change_{thing} only if reason in [\"wanted\", \"mistake\", \"law\"]\n  \
                 otherwise block \"{{args.reason}} is no reason.\""
            ),
        ),
        8 => write(
            "",
            "role",
            &format!(
                "  guarantee call remove_{thing}(mode == \"hard\") only if ctx.role == \"admin\"\n  \
                 otherwise block \"Only admins remove for good.\""
            ),
        ),
        9 => write(
            "",
            "approval",
            &format!(
                "  guarantee call remove_{thing}(mode == \"hard\") only after approved(who != \"\")\n  \
                 otherwise escalate \"Somebody has to approve.\""
            ),
        ),
        10 => write(
            "",
            "guarded",
            &format!(
                "  guarantee guarded(call remove_{thing}, success read_{thing})\n  otherwise block \"Read it first.\""
            ),
        ),
        _ => write(
            "",
            "rate",
            &format!(
                "  guarantee call change_{thing} at most 5 times within 10min\n  \
                 otherwise block \"Not so fast.\""
            ),
        ),
    }
}
