//! Formatting through the editor, and findings as editors show them.
//!
//! | reported | here |
//! | --- | --- |
//! | cedar#459, #787 and others: comments lost, doubled, moved | [`a_comment_at_every_token`]; `ctr_grammar::tests::formatting` |
//! | opa#6330, taplo#741 and others: comments after openers, long lines | [`awkward_comments`] |
//! | cedar#265: empty lines between comments, the licence on top | [`awkward_comments`] |
//! | ufmt PR#300: broken input | [`a_broken_text_is_left_alone`] |
//! | biome#9095, #6420: formatted already, no final line end, CRLF, empty | [`formatting_is_what_the_command_does`] |
//! | ruff#3522 and others: fixes that undo each other or break the text | [`every_fix_in_the_editor`] |
//! | ruff#21877 and others: comments that allow a warning | [`comments_that_allow`] |
//! | harper#2251: source, code and link are fields of their own | [`a_finding_has_all_its_parts`] |

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Answer, Kind};
use crate::desk::{Desk, words};
use crate::text::Units;
use crate::typing::policies;

fn format(desk: &mut Desk) -> Answer {
    let uri = desk.uri("p.ctr");
    desk.client.request(
        "textDocument/formatting",
        json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}}),
    )
}

/// The text after formatting; `None` where that is refused or changes nothing.
fn formatted(units: Units, text: &str) -> Option<String> {
    let mut desk = Desk::new(Kind::Rich, units, &[("p.ctr", text)]);
    let answer = format(&mut desk);
    let out = match answer {
        Ok(Value::Null) | Err((crate::judge::REQUEST_FAILED, _)) => None,
        Ok(edits) => {
            let uri = desk.uri("p.ctr");
            let edits = desk.edits(&json!({"changes": {uri: edits}}));
            Some(desk.after(&edits)["p.ctr"].clone())
        }
        Err((code, why)) => panic!("{code} {why}"),
    };
    desk.close();
    out
}

fn home(folder: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    policies(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder),
        &mut out,
    );
    out
}

#[test]
fn formatting_is_what_the_command_does() {
    let mut texts: Vec<String> = home("examples")
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    texts.extend(texts.clone().iter().map(|text| text.replace('\n', "\r\n")));
    texts.extend(
        texts
            .clone()
            .iter()
            .map(|text| text.replace("  ", "\t ").replace(" {", "{")),
    );
    for text in [
        "",
        "\n",
        "\r\n",
        "// c",
        "contract   c{guarantee   never call a}",
        "\u{feff}contract c{guarantee never call a}",
        "contract c { guarantee never call a }\r\n// x\ncontract d { guarantee never call a }\r\n",
    ] {
        texts.push(text.to_owned());
    }
    for (nth, text) in texts.iter().enumerate() {
        let units = [Units::Utf8, Units::Utf16][nth % 2];
        let expected = ctr_grammar::format(text);
        let got = formatted(units, text).unwrap_or_else(|| text.clone());
        match expected {
            Ok(expected) => assert_eq!(got, expected, "{text:?}"),
            Err(_) => assert_eq!(got, *text),
        }
        // Once is enough.
        assert_eq!(formatted(units, &got).unwrap_or_else(|| got.clone()), got);
    }
}

#[test]
fn a_broken_text_is_left_alone() {
    for text in [
        "contract {",
        "contract c { guarantee never call",
        "\"",
        "}",
        "contract c{guarantee   call a} contract {",
    ] {
        assert_eq!(formatted(Units::Utf16, text), None, "{text}");
        // The reason is told.
        let mut desk = Desk::new(Kind::Poor, Units::Utf16, &[("p.ctr", text)]);
        match format(&mut desk) {
            Ok(answer) => assert!(answer.is_null() || answer == json!([]), "{answer}"),
            Err((_, why)) => assert!(!why.is_empty() && !why.contains("internal"), "{why}"),
        }
        desk.close();
    }
}

/// A comment of its own before each token: all are there afterwards, in their order, once.
#[test]
fn a_comment_at_every_token() {
    let original = fs::read_to_string(&home("examples")[0]).unwrap();
    let plain: String = original
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split(" //").next().unwrap().to_owned() + "\n")
        .collect();
    let in_text = |at: usize| {
        plain[..at]
            .rsplit('\n')
            .next()
            .unwrap()
            .matches(['"', '/'])
            .count()
            % 2
            == 1
    };
    let mut text = String::new();
    let mut last = 0;
    let mut count = 0;
    for (start, _) in words(&plain) {
        if in_text(start) || plain[..start].ends_with(['.', '@', '`', '/']) {
            continue;
        }
        text.push_str(&plain[last..start]);
        text.push_str(&format!("/*😀{count}*/"));
        last = start;
        count += 1;
    }
    text.push_str(&plain[last..]);
    assert!(ctr_grammar::parse(&text).errors.is_empty(), "{text}");
    let out = formatted(Units::Utf16, &text).expect("formatting changes it");
    let numbers = |text: &str| -> Vec<usize> {
        text.split("/*😀")
            .skip(1)
            .map(|rest| rest.split("*/").next().unwrap().parse().unwrap())
            .collect()
    };
    assert!(count > 100);
    assert_eq!(numbers(&out), (0..count).collect::<Vec<_>>());
}

#[test]
fn awkward_comments() {
    let long = format!(
        "contract c {{ guarantee never call pay(to == \"{}\") /* é */ }} // after",
        "x".repeat(300)
    );
    for text in [
        "// Licence.\n// Second line.\n\n\n\n// Of its own.\n\n/// Doc.\ncontract c { // c\n  guarantee never call pay(// c\n a == 1, // d\n)\n} // last",
        "group g = { // c\n a, // d\n b, // e\n}\n",
        "contract c {\n  guarantee never call pay(x in [// c\n 1, 2])\n}\n// end",
        "/* 😀 */\r\ncontract c {\r\n  // one\r\n\r\n\r\n  // two\r\n  guarantee never call pay\r\n}\r\n",
        long.as_str(),
    ] {
        let out = formatted(Units::Utf16, text).unwrap_or_else(|| text.to_owned());
        let comments = |text: &str| {
            text.replace("\r\n", "\n").split("//").count() + text.matches("/*").count()
        };
        assert_eq!(comments(&out), comments(text), "{out}");
        assert!(!out.replace("\r\n", "\n").contains("\n\n\n"), "{out:?}");
        assert_eq!(out.contains("\r\n"), text.contains("\r\n"));
        assert!(!out.replace("\r\n", "").contains('\r'));
        if text.starts_with("// Licence") {
            assert!(
                out.starts_with("// Licence.\n// Second line.\n\n// Of its own.\n\n/// Doc.\n"),
                "{out}"
            );
        }
        assert!(ctr_grammar::parse(&out).errors.is_empty(), "{out}");
    }
}

/// Every fix of a fixture's findings, each applied through the editor: the text is read at least as well as before, the
/// finding is gone, and no chain of fixes goes on for ever.
#[test]
fn every_fix_in_the_editor() {
    let every = if std::env::var("CTRC_MONKEY").is_ok_and(|value| value == "all") {
        1
    } else {
        12
    };
    let mut tried = 0;
    let mut faults = Vec::new();
    for path in home("tests/ui").into_iter().step_by(every) {
        let Ok(mut text) = fs::read_to_string(&path) else {
            continue;
        };
        if text.contains("import \"") || text.contains("include \"") || text.contains("tools from")
        {
            continue;
        }
        for round in 0.. {
            let mut desk = Desk::new(Kind::Rich, Units::Utf16, &[("p.ctr", &text)]);
            let before = desk.findings("p.ctr");
            let uri = desk.uri("p.ctr");
            let range = json!({"start": {"line": 0, "character": 0}, "end": desk.place("p.ctr", text.len())});
            let actions = desk
                .client
                .request("textDocument/codeAction", json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": [], "only": ["quickfix"]}}))
                .unwrap();
            let next = actions.as_array().into_iter().flatten().find_map(|action| {
                let preferred = action["isPreferred"] == true && action["disabled"].is_null();
                let edits = desk.edits(&action["edit"]);
                (preferred && edits.len() == 1)
                    .then(|| (action.clone(), desk.after(&edits)["p.ctr"].clone()))
            });
            desk.close();
            let Some((action, after)) = next else { break };
            tried += 1;
            let errors = |text: &str| ctr_grammar::parse(text).errors.len();
            if errors(&after) > errors(&text) {
                faults.push(format!(
                    "{}: {} breaks the text",
                    path.display(),
                    action["title"]
                ));
                break;
            }
            let mut desk = Desk::new(Kind::Rich, Units::Utf16, &[("p.ctr", &after)]);
            let now = desk.findings("p.ctr").len();
            desk.close();
            if now > before.len() || round > 30 {
                faults.push(format!(
                    "{}: {} and {now} of {} findings",
                    path.display(),
                    action["title"],
                    before.len()
                ));
                break;
            }
            text = after;
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(tried > 3, "{tried} fixes");
}

#[test]
fn comments_that_allow() {
    let first_step = "guarantee\n    call a\n";
    let unused = "W0803";
    for (text, expected) in [
        (format!("contract c {{\n  {first_step}}}\n"), vec!["W0407"]),
        (format!("contract c {{\n  // ctrc: allow(W0407) because so\n  {first_step}}}\n"), vec![]),
        (format!("// ctrc: allow(W0407) because so\ncontract c {{\n  {first_step}}}\n"), vec![]),
        ("contract c { guarantee call a } // ctrc: allow(W0407) because so\n".to_owned(), vec![]),
        ("contract c {\n  guarantee\n    // ctrc: allow(W0407) because so\n    call a\n}\n".to_owned(), vec![]),
        ("// ctrc: allow(W0407) because so\ncontract c { guarantee never call a }\n".to_owned(), vec![unused]),
        ("contract c {\n  otherwise block \"// ctrc: allow(W0407) because so\"\n  guarantee call a\n}\n".to_owned(), vec!["W0407"]),
    ] {
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let mut desk = Desk::new(Kind::Rich, Units::Utf16, &[("p.ctr", &text)]);
            let codes: Vec<String> = desk.findings("p.ctr")
                .iter()
                .filter(|found| found["severity"] != 1)
                .map(|found| found["code"].as_str().unwrap().to_owned())
                .filter(|code| code.starts_with("W04") || code.starts_with("W08"))
                .collect();
            assert_eq!(codes, expected, "{text}");
            desk.close();
        }
    }
}

/// The action that allows a warning writes the comment where it allows it, whatever else stands on the line.
#[test]
fn an_allowance_allows() {
    let other = "contract b { guarantee never call a }";
    let own = "contract c { guarantee call a }";
    for text in [
        format!("{own}\n"),
        format!("/* x */ {own}\n"),
        format!("{other} {own}\n"),
        format!("/* x */ {other} {own}\n"),
        format!("/* x */ /* y */ {other}  /* z */ {own}"),
        format!("@tags(\"x\") {other} {own}\n"),
        format!("@tags(\"x\")\n{other} {own}\n"),
        format!("@tags(\"x\") /* y */\n/* x */ {other} {own}\n"),
        "contract c {\n\t/* x */ guarantee\n    call a\n}\n".to_owned(),
        "contract c {\n  guarantee\n    /* x */ call a\n}\n".to_owned(),
    ] {
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let warned = |desk: &mut Desk| -> Vec<Value> {
                let wanted = ["W0407", "W0803"];
                let mut all = desk.findings("p.ctr");
                all.retain(|found| wanted.iter().any(|code| found["code"] == *code));
                all
            };
            let mut desk = Desk::new(Kind::Rich, Units::Utf16, &[("p.ctr", &text)]);
            let found = warned(&mut desk);
            assert_eq!(found.len(), 1, "{text}");
            let params = json!({
                "textDocument": {"uri": desk.uri("p.ctr")},
                "range": found[0]["range"],
                "context": {"diagnostics": []},
            });
            let actions = desk.client.request("textDocument/codeAction", params);
            let actions = actions.unwrap();
            let allowing = actions.as_array().unwrap().iter().find(|action| {
                let title = action["title"].as_str().unwrap();
                title.starts_with("allow `W0407`")
            });
            let edits = desk.edits(&allowing.unwrap_or_else(|| panic!("{text}"))["edit"]);
            let after = desk.after(&edits)["p.ctr"].replace("because ...", "because so");
            desk.close();
            let mut desk = Desk::new(Kind::Rich, Units::Utf16, &[("p.ctr", &after)]);
            assert_eq!(warned(&mut desk), [Value::Null; 0], "{after}");
            desk.close();
        }
    }
}

#[test]
fn a_finding_has_all_its_parts() {
    let mut desk = Desk::new(
        Kind::Rich,
        Units::Utf16,
        &[(
            "p.ctr",
            "tool pay()\ncontract c { guarantee call pya }\ncontract c { guarantee never cal pay }\n",
        )],
    );
    let all = desk.findings("p.ctr");
    assert!(all.len() >= 2);
    for found in all {
        assert_eq!(found["source"], "ctrc", "{found}");
        let code = found["code"].as_str().unwrap();
        assert!(
            code.len() == 5 && (code.starts_with('E') || code.starts_with('W')),
            "{found}"
        );
        // An address that leads nowhere is worse than none.
        let page = ctr_front::codes::explain(code).unwrap().absolute_url();
        assert_eq!(
            found["codeDescription"]["href"].as_str(),
            page.as_deref(),
            "{found}"
        );
        assert!(
            !found["message"].as_str().unwrap().contains(code),
            "{found}"
        );
        assert!(matches!(found["severity"].as_u64(), Some(1..=4)), "{found}");
    }
    desk.close();
}
