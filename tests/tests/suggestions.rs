//! "Did you mean": a misspelling of a name of every kind gives the name, a far name gives none, and among
//! equally near names the answer does not depend on the order of the declarations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use ctr_front::compile;
use ctr_front::world::MemoryWorld;
use ctr_tests::binary::run;

/// A kind of name: the policy with `%%` for the name, other files, a misspelling, the name meant.
struct Case {
    kind: &'static str,
    policy: &'static str,
    files: &'static [(&'static str, &'static str)],
    near: &'static str,
    meant: &'static str,
}

const fn case(
    kind: &'static str,
    policy: &'static str,
    near: &'static str,
    meant: &'static str,
) -> Case {
    Case {
        kind,
        policy,
        files: &[],
        near,
        meant,
    }
}

const COMMON: &str = "predicate quiet(a: event) = never a\nevent approval(by: string)\nlookup owner_of(id: string) -> string\ncontract shared { guarantee never call zap }\n";

const TOOLS: &str = r#"{"tools": [{"name": "refund", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}}}]}"#;

const CASES: &[Case] = &[
    case(
        "tool",
        "tool refund(amount: number)\ncontract c { guarantee never call %% }",
        "refnud",
        "refund",
    ),
    case(
        "tool, in another case",
        "tool send_email(to: string)\ncontract c { guarantee never call %% }",
        "sendEmail",
        "send_email",
    ),
    case(
        "tool in a group",
        "tool refund(amount: number)\ngroup g = { %% }\ncontract c { guarantee never call g }",
        "refun",
        "refund",
    ),
    case(
        "tool in an exception",
        "tool refund(amount: number)\ntool look(id: string)\ncontract c { guarantee never call any except %% }",
        "refudn",
        "refund",
    ),
    case(
        "tool of a redirect",
        "tool pay(amount: number)\ntool refund(amount: number)\ncontract c { guarantee never call pay otherwise redirect %%(amount: 1) \"x\" }",
        "refnd",
        "refund",
    ),
    case(
        "tool in a test",
        "tool refund(amount: number)\ncontract c { guarantee never call refund }\ntest \"t\" { call refund(amount: 1) expect block call %%(amount: 1) }",
        "refnd",
        "refund",
    ),
    case(
        "group",
        "tool pay(amount: number)\ngroup payments = { pay }\ncontract c { guarantee never call %% }",
        "paymnets",
        "payments",
    ),
    case(
        "server",
        "tool shop.pay(amount: number)\ntool bank.pay(amount: number)\ncontract c { guarantee never call %%.pay }",
        "bnak",
        "bank",
    ),
    case(
        "argument",
        "tool pay(amount: number)\ncontract c { guarantee never call pay(%% > 5) }",
        "amuont",
        "amount",
    ),
    case(
        "argument after args",
        "tool pay(amount: number)\ncontract c { guarantee never call pay(args.%% > 5) }",
        "amuont",
        "amount",
    ),
    case(
        "argument in a message",
        "tool pay(amount: number)\ncontract c { guarantee never call pay otherwise block \"no {args.%%}\" }",
        "amuont",
        "amount",
    ),
    case(
        "argument of a redirect",
        "tool pay(amount: number)\ntool ask(question?: string)\ncontract c { guarantee never call pay otherwise redirect ask(%%: \"?\") \"x\" }",
        "qestion",
        "question",
    ),
    case(
        "argument in a test",
        "tool pay(amount?: number)\ncontract c { guarantee never call pay }\ntest \"t\" { call pay(%%: 1) expect block }",
        "amuont",
        "amount",
    ),
    case(
        "result field",
        "tool look(id: string) -> { status: string }\ncontract c { guarantee never success look(%% == \"x\") }",
        "staus",
        "status",
    ),
    case(
        "field of a record",
        "tool pay(to: { address: string })\ncontract c { guarantee never call pay(to.%% == \"x\") }",
        "adress",
        "address",
    ),
    case(
        "enum value",
        "tool pay(mode: enum(\"card\", \"voucher\"))\ncontract c { guarantee never call pay(mode == \"%%\") }",
        "vuocher",
        "voucher",
    ),
    case(
        "enum value in a list",
        "tool pay(mode: enum(\"card\", \"voucher\"))\ncontract c { guarantee never call pay(mode in [\"card\", \"%%\"]) }",
        "vuocher",
        "voucher",
    ),
    case(
        "contract in a test",
        "contract no_refunds { guarantee never call refund }\ntest \"t\" { call refund expect block by %% }",
        "no_refnuds",
        "no_refunds",
    ),
    case(
        "contract of an include",
        "include \"common.ctr\" { %% }\ncontract c { guarantee never call a }",
        "shraed",
        "shared",
    ),
    case(
        "template",
        "predicate answered(a: event) = eventually a\ncontract c { guarantee %%(call pay) }",
        "anwsered",
        "answered",
    ),
    case(
        "template parameter",
        "predicate answered(question: event) = eventually %%\ncontract c { guarantee answered(call pay) }",
        "qestion",
        "question",
    ),
    case(
        "key",
        "tool pay(order_id: string)\ntool look(order_id: string, owner: string)\ncontract c for each order { guarantee call pay(order_id == order) at most 1 time guarantee never call look(order_id == order, owner != %%) }",
        "ordre",
        "order",
    ),
    case(
        "let",
        "tool pay(amount: number)\ntool log(amount: number)\ncontract c { let maximum = 5 guarantee call pay only if amount <= %% guarantee call log only if amount <= maximum }",
        "maximun",
        "maximum",
    ),
    case(
        "let in a message",
        "tool pay(amount: number)\ntool log(amount: number)\ncontract c { let maximum = 5 guarantee call pay only if amount <= maximum otherwise block \"{%%}\" }",
        "maximun",
        "maximum",
    ),
    case(
        "variable of a quantifier",
        "tool pay(to: list<string>)\ncontract c { guarantee never call pay(some person in to: %% == \"x\") }",
        "persno",
        "person",
    ),
    case(
        "aggregate function",
        "contract c { guarantee call pay only if %%(call log, x) == 3 }",
        "latets",
        "latest",
    ),
    case(
        "function",
        "contract c { guarantee never call pay(%%(to) == \"x\") }",
        "lowre",
        "lower",
    ),
    case(
        "context field",
        "tool pay(amount: number)\ncontext customer: string\ncontract c { guarantee call pay only while {ctx.%% == \"x\"} }",
        "custmer",
        "customer",
    ),
    case(
        "context field without tools",
        "context customer: string\ncontract c { guarantee call pay only while {ctx.%% == \"x\"} }",
        "custmer",
        "customer",
    ),
    case(
        "field of a context record",
        "context customer: { name: string }\ncontract c { guarantee call pay only while {ctx.customer.%% == \"x\"} }",
        "naem",
        "name",
    ),
    case(
        "context field in a test",
        "tool pay(amount: number)\ncontext customer: string\ncontract c { guarantee call pay only while {ctx.customer == \"x\"} }\ntest \"t\" { context %% = \"y\" call pay(amount: 1) expect block }",
        "custmer",
        "customer",
    ),
    case(
        "lookup",
        "lookup owner_of(id: string) -> string\ncontract c { guarantee call pay only if %%(order) == user }",
        "owner_off",
        "owner_of",
    ),
    case(
        "lookup in a test",
        "lookup owner_of(id: string) -> string\ncontract c { guarantee call pay only if owner_of(order) == user }\ntest \"t\" { lookup %%(\"a\") = \"b\" call pay(order: \"a\", user: \"c\") expect block }",
        "owner_off",
        "owner_of",
    ),
    case(
        "event",
        "event approval(by: string)\ncontract c { guarantee call pay only after %% }",
        "aproval",
        "approval",
    ),
    case(
        "event with conditions",
        "event approval(by: string)\ncontract c { guarantee call pay only after %%(by == \"x\") }",
        "aproval",
        "approval",
    ),
    case(
        "field of an event",
        "event approval(reviewer: string)\ncontract c { guarantee call pay only after approval(%% == \"x\") }",
        "reviwer",
        "reviewer",
    ),
    case(
        "event in a test",
        "event approval(by: string)\ncontract c { guarantee call pay only after approval }\ntest \"t\" { call pay expect block event %%(by: \"x\") }",
        "aproval",
        "approval",
    ),
    case(
        "field of an event in a test",
        "event approval(reviewer: string)\ncontract c { guarantee call pay only after approval }\ntest \"t\" { call pay expect block event approval(%%: \"x\") }",
        "reviwer",
        "reviewer",
    ),
    case(
        "module of the compiler",
        "import std.%%\ncontract c { guarantee never call a }",
        "declar",
        "declare",
    ),
    case(
        "alias of a module",
        "import \"common.ctr\" as common\ncontract c { guarantee %%.quiet(call a) }",
        "comon",
        "common",
    ),
    case(
        "imported predicate",
        "import \"common.ctr\" as common\ncontract c { guarantee common.%%(call a) }",
        "quite",
        "quiet",
    ),
    case(
        "imported event",
        "import \"common.ctr\" as common\ncontract c { guarantee call a only after common.%% }",
        "aproval",
        "approval",
    ),
    case(
        "imported lookup",
        "import \"common.ctr\" as common\ncontract c { guarantee call a only if common.%%(x) == \"y\" }",
        "owner_off",
        "owner_of",
    ),
    case(
        "attribute",
        "@%%(high)\ncontract c { guarantee never call pay }",
        "sevrity",
        "severity",
    ),
    case(
        "severity",
        "@severity(%%)\ncontract c { guarantee never call pay }",
        "hihg",
        "high",
    ),
    case(
        "annotation",
        "tool pay(amount: number)\ngroup g = tools where %%\ncontract c { guarantee never call g }",
        "destuctive",
        "destructive",
    ),
    case(
        "action",
        "contract c { guarantee never call pay otherwise %% \"no\" }",
        "blokc",
        "block",
    ),
    case(
        "expectation",
        "contract c { guarantee never call pay }\ntest \"t\" { call pay expect %% }",
        "blcok",
        "block",
    ),
    case(
        "recorded fact",
        "contract c { guarantee never call pay(event.%% == \"x\") }",
        "agnet",
        "agent",
    ),
    case(
        "recorded fact in a test",
        "contract c { guarantee never call pay }\ntest \"t\" { call pay with %% = \"x\" expect block }",
        "agnet",
        "agent",
    ),
    case(
        "part of a message event",
        "contract c { guarantee never input(%% contains \"x\") }",
        "txet",
        "text",
    ),
    case(
        "type",
        "tool pay(amount: %%)\ncontract c { guarantee never call pay }",
        "nubmer",
        "number",
    ),
    case(
        "form of type",
        "tool pay(to: %%<string>)\ncontract c { guarantee never call pay }",
        "lsit",
        "list",
    ),
    case(
        "keyword of an item",
        "%% c { guarantee never call pay }",
        "contarct",
        "contract",
    ),
    case(
        "keyword of a clause",
        "contract c { %% never call pay }",
        "garantee",
        "guarantee",
    ),
    case(
        "keyword of a formula",
        "contract c { guarantee %% (call a implies call b) }",
        "alwyas",
        "always",
    ),
    case(
        "included file",
        "include \"%%.ctr\"\ncontract c { guarantee never call a }",
        "comon",
        "common",
    ),
    case(
        "imported file",
        "import \"%%.ctr\" as common\ncontract c { guarantee common.quiet(call a) }",
        "comon",
        "common",
    ),
    case(
        "file of tools",
        "tools from \"%%.json\"\ncontract c { guarantee never call refund }",
        "tolls",
        "tools",
    ),
    case(
        "tool of a file",
        "tools from \"tools.json\"\ncontract c { guarantee never call %% }",
        "refnud",
        "refund",
    ),
    case(
        "argument of a tool of a file",
        "tools from \"tools.json\"\ncontract c { guarantee never call refund(%% == \"x\") }",
        "ordre_id",
        "order_id",
    ),
    Case {
        kind: "JSON Schema keyword",
        policy: "tools from \"own.json\"\ncontract c { guarantee never call pay }",
        files: &[(
            "own.json",
            r#"{"tools": [{"name": "pay", "inputSchema": {"type": "object", "%%": {"a": {"type": "string"}}}}]}"#,
        )],
        near: "propreties",
        meant: "properties",
    },
    Case {
        kind: "JSON Schema type",
        policy: "tools from \"own.json\"\ncontract c { guarantee never call pay }",
        files: &[(
            "own.json",
            r#"{"tools": [{"name": "pay", "inputSchema": {"type": "object", "properties": {"a": {"type": "%%"}}}}]}"#,
        )],
        near: "strign",
        meant: "string",
    },
    Case {
        kind: "reference in a schema",
        policy: "tools from \"own.json\"\ncontract c { guarantee never call pay }",
        files: &[(
            "own.json",
            r##"{"tools": [{"name": "pay", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/%%"}}, "$defs": {"address": {"type": "string"}}}}]}"##,
        )],
        near: "adress",
        meant: "address",
    },
];

/// All texts of the findings, one a line.
fn texts(case: &Case, name: &str) -> String {
    let mut world = MemoryWorld::new()
        .with("policy.ctr", case.policy.replace("%%", name))
        .with("common.ctr", COMMON)
        .with("tools.json", TOOLS);
    for (path, text) in case.files {
        world.insert(path, text.replace("%%", name));
    }
    let compiled = compile(&world, &["policy.ctr".to_owned()]);
    let mut out = String::new();
    for d in &compiled.diagnostics {
        for text in std::iter::once(&d.message).chain(&d.help) {
            out.push_str(&format!("{} {text}\n", d.code));
        }
    }
    out
}

#[test]
fn names_of_every_kind() {
    let mut faults = Vec::new();
    for case in CASES {
        let near = texts(case, case.near);
        let meant = near
            .split("did you mean `")
            .skip(1)
            .any(|rest| rest.split('`').next().unwrap().contains(case.meant));
        if !meant {
            faults.push(format!(
                "{}: `{}` does not suggest `{}`:\n{near}",
                case.kind, case.near, case.meant
            ));
        }
        let far = texts(case, "xylophonics");
        if far.contains("did you mean") {
            faults.push(format!(
                "{}: a far name suggests something:\n{far}",
                case.kind
            ));
        }
        // Schemas may have words of their own.
        if far.is_empty() && case.kind != "JSON Schema keyword" {
            faults.push(format!("{}: a far name is no finding", case.kind));
        }
        let right = texts(case, case.meant);
        if right.contains("did you mean") || right.lines().any(|l| l.starts_with('E')) {
            faults.push(format!(
                "{}: the right name is not accepted:\n{right}",
                case.kind
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults of {} kinds:\n\n{}",
        faults.len(),
        CASES.len(),
        faults.join("\n")
    );
}

/// Names that differ in case or separators are nearest; one letter or something else suggests nothing.
#[test]
fn near_and_far_spellings() {
    let case = case(
        "tool",
        "tool send_email(to: string)\ncontract c { guarantee never call %% }",
        "",
        "",
    );
    for near in [
        "Send_Email",
        "sendEmail",
        "send_emial",
        "send_emails",
        "sendemail",
    ] {
        assert!(
            texts(&case, near).contains("did you mean `send_email`?"),
            "{near}"
        );
    }
    for far in ["x", "send", "delete_all", "emails"] {
        assert!(!texts(&case, far).contains("did you mean"), "{far}");
    }
}

/// Equally near names: the same suggestion in every order of declarations and of files.
#[test]
fn ties_are_stable() {
    let tools = [
        "tool item_a(x: int)",
        "tool item_b(x: int)",
        "tool item_d(x: int)",
    ];
    let contract = "contract c { guarantee never call item_c }";
    let mut seen = std::collections::BTreeSet::new();
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let lines: Vec<&str> = order.iter().map(|i| tools[*i]).collect();
        for policy in [
            format!("{}\n{contract}", lines.join("\n")),
            format!("{contract}\n{}", lines.join("\n")),
        ] {
            let world = MemoryWorld::new().with("policy.ctr", policy);
            let compiled = compile(&world, &["policy.ctr".to_owned()]);
            assert_eq!(compiled.diagnostics.len(), 1);
            seen.insert(compiled.diagnostics[0].help.clone());
        }
        // The same from files, in the order of their lines.
        let mut world = MemoryWorld::new();
        let mut policy = String::new();
        for (position, index) in order.iter().enumerate() {
            let name = ["a", "b", "d"][*index];
            world.insert(
                &format!("f{position}.json"),
                format!(r#"[{{"name": "item_{name}", "input_schema": {{"type": "object", "properties": {{"x": {{"type": "integer"}}}}}}}}]"#),
            );
            policy.push_str(&format!("tools from \"f{position}.json\"\n"));
        }
        world.insert("policy.ctr", policy + contract);
        let compiled = compile(&world, &["policy.ctr".to_owned()]);
        let help: Vec<Vec<String>> = compiled
            .diagnostics
            .iter()
            .filter(|d| d.code == "E0401")
            .map(|d| d.help.clone())
            .collect();
        assert_eq!(help.len(), 1);
        seen.extend(help);
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen.into_iter().next().unwrap(), ["did you mean `item_a`?"]);
}

/// Names on the command line: verbs, flags, values of flags, codes, contracts, tools.
#[test]
fn names_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let policy = "tool refund(amount: number)\ncontract no_refunds { guarantee call refund only if amount < 5 }\n";
    fs::write(folder.path().join("policy.ctr"), policy).unwrap();
    for (name, code) in [("near.ctr", "W4008"), ("far.ctr", "W9999999")] {
        let policy = format!(
            "// ctrc: allow({code}) because it is tested\ncontract c {{ let a = 5 guarantee never call pay }}\n"
        );
        fs::write(folder.path().join(name), policy).unwrap();
    }
    let mut faults = Vec::new();
    for (args, meant, far) in [
        (vec!["check", "near.ctr"], "W0408", vec!["check", "far.ctr"]),
        (
            vec!["chekc", "policy.ctr"],
            "check",
            vec!["xylophonics", "policy.ctr"],
        ),
        (
            vec!["check", "--formt", "json", "policy.ctr"],
            "--format",
            vec!["check", "--xylophonics", "policy.ctr"],
        ),
        (
            vec!["check", "--format", "jsn", "policy.ctr"],
            "json",
            vec!["check", "--format", "xylophonics", "policy.ctr"],
        ),
        (
            vec!["explain", "EO401"],
            "E0401",
            vec!["explain", "xylophonics"],
        ),
        (
            vec!["explain", "-l", "policy.ctr", "no_refnuds"],
            "no_refunds",
            vec!["explain", "-l", "policy.ctr", "xylophonics"],
        ),
        (
            vec!["graph", "-l", "policy.ctr", "no_refnuds"],
            "no_refunds",
            vec!["graph", "-l", "policy.ctr", "xylophonics"],
        ),
        (
            vec![
                "check",
                "--witness",
                "--contract",
                "no_refnuds",
                "policy.ctr",
            ],
            "no_refunds",
            vec![
                "check",
                "--witness",
                "--contract",
                "xylophonics",
                "policy.ctr",
            ],
        ),
        (
            vec!["check", "--witness", "--tool", "refnud", "policy.ctr"],
            "refund",
            vec!["check", "--witness", "--tool", "xylophonics", "policy.ctr"],
        ),
        (
            vec!["check", "polciy.ctr"],
            "policy.ctr",
            vec!["check", "xylophonics.ctr"],
        ),
    ] {
        let hint = |args: &[&str]| {
            run(
                Path::new(folder.path()),
                args,
                None,
                Duration::from_secs(30),
            )
            .stderr
        };
        let near = hint(&args);
        let suggested = |text: &str| ["did you mean", "similar"].iter().any(|w| text.contains(w));
        if !(suggested(&near) && near.contains(meant)) {
            faults.push(format!("{args:?} does not suggest `{meant}`:\n{near}"));
        }
        let none = hint(&far);
        if suggested(&none) {
            faults.push(format!("{far:?} suggests something:\n{none}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
