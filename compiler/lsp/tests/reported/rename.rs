//! Renaming. What is expected was written from the language's reference and the protocol: a rename changes every place
//! that means the name, in all files, and nothing else; afterwards each name means what it meant before, and there are no
//! new findings. Where that cannot be, it is refused with a reason.
//!
//! | reported | here |
//! | --- | --- |
//! | gleam#4344, #4859: other files are missed | [`names_in_other_files`] |
//! | gleam#4605: a comma is eaten | every edit replaces exactly the name: [`Trial::rename`] |
//! | gleam#4584: what the language ships is renamed | [`what_has_no_name_to_change`] |
//! | gleam#5403, #5402: stale places, with syntax errors | [`while_the_text_is_being_typed`] |
//! | rust-analyzer#10713, #13498: captured by a local of the same name, an alias broken | [`no_name_is_captured`], [`names_in_other_files`] |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::client::{Answer, Kind};
use crate::desk::{Desk, words};
use crate::judge::REQUEST_FAILED;
use crate::text::{Random, Units};
use crate::typing::all;

const SHOP: &[(&str, &str)] = &[
    (
        "shop.ctr",
        r#"//! A shop.
module shop

import "common.ctr" as common
import std.declare

tools from "shop.tools.json"

tool note(text: string)
context role: string
lookup owner(order: string) -> string
event tick(price: number)
group money = { pay, refund }

predicate calm(a: event) = never a after a
predicate admin() = {ctx.role == "admin"}

/// The refund of an order.
@tags("x")
contract refund_once for each order {
  let limit = latest(success pay(args.order_id == order), args.amount)
  guarantee success refund(args.order_id == order) at most 1 time
  guarantee call refund(order_id == order) only if amount <= limit
  otherwise block "At most {limit} of {args.amount}."
}

contract other {
  let amount_of = count(call pay)
  guarantee calm(call note) and common.quiet(call money)
  guarantee declare.response(call pay, call note)
  guarantee always ({amount_of <= 3} or admin())
}

test "a refund" for refund_once {
  context role = "admin"
  call pay(order_id: "o1", amount: 3) -> {}
  call refund(order_id: "o1", amount: 4) expect block by refund_once
}
"#,
    ),
    (
        "common.ctr",
        "/// Calls of `a` never come twice.\npredicate quiet(a: event) = never a after a\npredicate calm(b: event) = never b\ncontract shared { guarantee quiet(call pay) }\n",
    ),
    (
        "closed.ctr",
        "import \"common.ctr\" as c\ninclude \"shop.ctr\" { refund_once }\ncontract far { guarantee c.quiet(call pay) }\n",
    ),
    (
        "shop.tools.json",
        r#"{"tools": [
  {"name": "pay", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}}, "required": ["order_id", "amount"]}},
  {"name": "refund", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}}, "required": ["order_id", "amount"]}}
]}
"#,
    ),
];

/// Where each name leads.
type Meaning = BTreeMap<(String, usize), BTreeSet<(String, usize)>>;

struct Trial {
    desk: Desk,
    codes: Vec<String>,
    meaning: Meaning,
}

/// Where a name begins whose place may begin with a back-tick.
fn without_tick(text: &str, at: usize) -> usize {
    at + usize::from(text[at..].starts_with('`'))
}

fn meaning(desk: &mut Desk) -> Meaning {
    let mut out = Meaning::new();
    let names: Vec<String> = desk
        .texts
        .keys()
        .filter(|name| name.ends_with(".ctr"))
        .cloned()
        .collect();
    let mut asked = Vec::new();
    for name in names.iter().filter(|name| !name.starts_with("closed")) {
        for (start, _) in words(&desk.texts[name]) {
            asked.push((
                name.clone(),
                start,
                (
                    "textDocument/definition".to_owned(),
                    desk.at(name, start, &Value::Null),
                ),
            ));
        }
    }
    let questions: Vec<_> = asked
        .iter()
        .map(|(_, _, question)| question.clone())
        .collect();
    for ((name, start, _), answer) in asked.iter().zip(desk.client.ask(&questions)) {
        let answer = answer.unwrap();
        let all = match answer {
            Value::Array(all) => all,
            Value::Null => Vec::new(),
            one => vec![one],
        };
        let mut targets = BTreeSet::new();
        for target in all {
            let uri = target["uri"]
                .as_str()
                .or(target["targetUri"].as_str())
                .unwrap();
            let range = match &target["range"] {
                Value::Null => &target["targetSelectionRange"],
                range => range,
            };
            if let Some(file) = desk.name(uri)
                && desk.texts.contains_key(file)
            {
                let at = desk.bytes(file, range).0;
                targets.insert((file.to_owned(), without_tick(&desk.texts[file], at)));
            }
        }
        if !targets.is_empty() {
            out.insert((name.clone(), *start), targets);
        }
    }
    out
}

impl Trial {
    fn new(files: &[(&str, &str)], units: Units) -> Self {
        let mut desk = Desk::new(Kind::Rich, units, files);
        let mut codes = desk.codes();
        codes.retain(|code| code.contains(" E"));
        let meaning = meaning(&mut desk);
        Self {
            desk,
            codes,
            meaning,
        }
    }

    /// The place of `marked` in a file: it holds one `|` where the cursor is.
    fn find(&self, name: &str, marked: &str) -> usize {
        let cursor = marked.find('|').unwrap();
        let plain = marked.replacen('|', "", 1);
        let at = self.desk.texts[name]
            .find(&plain)
            .unwrap_or_else(|| panic!("no `{plain}` in {name}"));
        at + cursor
    }

    fn prepare(&mut self, name: &str, offset: usize) -> Answer {
        self.desk
            .ask("textDocument/prepareRename", name, offset, &Value::Null)
    }

    /// Renames what stands at a place. `None` where that is refused; the texts after it where not.
    ///
    /// # Errors
    ///
    /// What the rename has broken.
    fn rename(
        &mut self,
        name: &str,
        offset: usize,
        new: &str,
    ) -> Result<Option<BTreeMap<String, String>>, String> {
        let told = |what: &str| format!("{name} at {offset}, to `{new}`: {what}");
        let edit = match self.desk.ask(
            "textDocument/rename",
            name,
            offset,
            &json!({"newName": new}),
        ) {
            Ok(Value::Null) => return Ok(None),
            Ok(edit) => edit,
            Err((REQUEST_FAILED | -32602, why)) if !why.is_empty() && !why.contains("internal") => {
                return Ok(None);
            }
            Err((code, why)) => return Err(told(&format!("error {code} {why}"))),
        };
        let edits = self.desk.edits(&edit);
        let mut old = BTreeSet::new();
        for (file, edits) in &edits {
            for (start, end, written) in edits {
                // A name that changes nothing but its own letters; what else is written qualifies it.
                if !written.contains(new) {
                    return Err(told(&format!("`{written}` is written")));
                }
                old.insert(self.desk.texts[file][*start..*end].to_owned());
            }
        }
        let plain: BTreeSet<&str> = old.iter().map(|old| old.trim_matches('`')).collect();
        if plain.len() != 1 {
            return Err(told(&format!("{old:?} are replaced")));
        }
        let texts = self.desk.after(&edits);
        let files: Vec<(&str, &str)> = texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let mut after = Desk::new(Kind::Rich, self.desk.units, &files);
        let mut codes = after.codes();
        codes.retain(|code| code.contains(" E"));
        if codes != self.codes {
            after.close();
            return Err(told(&format!(
                "findings {:?} become {codes:?}\n{:?}",
                self.codes, edits
            )));
        }
        let moved = |(file, at): &(String, usize)| {
            let mut to = *at;
            for (start, end, written) in edits.get(file).into_iter().flatten() {
                if start <= at && at < end {
                    // In back-ticks, or as another name of a module.
                    to += written.rfind(new).unwrap();
                } else if end <= at {
                    to = to + written.len() - (end - start);
                }
            }
            (file.clone(), to)
        };
        let expected: Meaning = self
            .meaning
            .iter()
            .map(|(place, targets)| (moved(place), targets.iter().map(moved).collect()))
            .collect();
        let now = meaning(&mut after);
        // Only words are looked at.
        let word = new.chars().all(|c| c.is_alphanumeric() || c == '_');
        let renamed = |(file, at): &(String, usize)| !word && texts[file][*at..].starts_with(new);
        let differs = expected.iter().find(|(place, targets)| {
            now.get(place) != Some(targets) && !renamed(place) && !targets.iter().any(renamed)
        });
        let fault = differs.map(|(place, targets)| {
            let line = texts[&place.0][place.1..]
                .lines()
                .next()
                .unwrap_or_default();
            told(&format!(
                "{place:?} `{line}` meant {targets:?} and means {:?}",
                now.get(place)
            ))
        });
        after.close();
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Some(texts)),
        }
    }
}

/// Names to try: each word once for each thing that it leads to.
fn places(trial: &Trial) -> Vec<(String, usize, usize)> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (name, text) in &trial.desk.texts {
        if !name.ends_with(".ctr") || name.starts_with("closed") {
            continue;
        }
        for (start, end) in words(text) {
            let leads = trial.meaning.get(&(name.clone(), start));
            if seen.insert((text[start..end].to_owned(), leads.cloned())) {
                out.push((name.clone(), start, end));
            }
        }
    }
    out
}

fn all_of(faults: Vec<String>) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

fn example(name: &str) -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let (Some(file), Ok(text)) = (path.file_name(), std::fs::read_to_string(&path))
            && [".ctr", ".json"]
                .iter()
                .any(|end| path.to_str().unwrap().ends_with(end))
        {
            out.push((file.to_str().unwrap().to_owned(), text));
        }
    }
    out
}

#[test]
fn every_name_there_and_back() {
    let desk = example("refund_desk");
    let desk: Vec<(&str, &str)> = desk
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let mut faults = Vec::new();
    let (mut renamed, mut refused) = (0, 0);
    for (files, units) in [(SHOP, Units::Utf16), (desk.as_slice(), Units::Utf8)] {
        let mut trial = Trial::new(files, units);
        for (name, start, end) in places(&trial) {
            let word = trial.desk.texts[&name][start..end].to_owned();
            let inside = start + word.chars().next().unwrap().len_utf8();
            let prepared = trial.prepare(&name, start);
            // At the beginning, within and at the end of a name it is the same name.
            for at in [inside, end] {
                let again = trial.prepare(&name, at);
                if again.is_ok() != prepared.is_ok()
                    || again.as_ref().ok() != prepared.as_ref().ok()
                {
                    faults.push(format!("{name} `{word}`: {prepared:?} and {again:?}"));
                }
            }
            match prepared {
                Ok(Value::Null) => continue,
                Err((code, why)) => {
                    assert!(
                        code == REQUEST_FAILED && !why.is_empty(),
                        "{word}: {code} {why}"
                    );
                    continue;
                }
                Ok(answer) => {
                    let range = match &answer["range"] {
                        Value::Null => &answer,
                        range => range,
                    };
                    if trial.desk.bytes(&name, range) != (start, end) {
                        faults.push(format!("{name} `{word}` at {start}: {answer}"));
                        continue;
                    }
                }
            }
            let files = match trial.rename(&name, end, "zz_new") {
                Ok(Some(texts)) => texts,
                Ok(None) => {
                    faults.push(format!("{name} `{word}` is offered and then refused"));
                    continue;
                }
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            renamed += 1;
            let files: Vec<(&str, &str)> = files
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str()))
                .collect();
            let back = Desk::new(Kind::Poor, units, &files);
            let at = files
                .iter()
                .find(|(file, _)| *file == name)
                .unwrap()
                .1
                .find("zz_new")
                .unwrap();
            let mut back = back;
            // A key that bears the name of a field does so no second time.
            let Ok(edit) = back.ask("textDocument/rename", &name, at, &json!({"newName": word}))
            else {
                refused += 1;
                back.close();
                continue;
            };
            let mut texts = back.after(&back.edits(&edit));
            for text in texts.values_mut() {
                *text = text.replace("std.declare as declare", "std.declare");
            }
            if texts != trial.desk.texts {
                faults.push(format!("{name} `{word}` does not come back"));
            }
            back.close();
        }
        trial.desk.close();
    }
    all_of(faults);
    assert!(refused < 4, "{refused} do not come back");
    assert!(refused < 4, "{refused} names do not come back");
    assert!(renamed > 25, "{renamed} names could be changed");
}

/// A name that is taken: the rename is refused, or every name still means what it did.
#[test]
fn no_name_is_captured() {
    let mut trial = Trial::new(SHOP, Units::Utf16);
    let mut names: Vec<String> = Vec::new();
    for text in trial.desk.texts.values() {
        names.extend(words(text).into_iter().map(|(a, b)| text[a..b].to_owned()));
    }
    names.sort();
    names.dedup();
    let mut random = Random::new(5);
    let mut faults = Vec::new();
    for (nth, (name, start, end)) in places(&trial).into_iter().enumerate() {
        if !matches!(trial.prepare(&name, start), Ok(answer) if !answer.is_null()) {
            continue;
        }
        let mut tried: Vec<String> = ["order", "limit", "calm", "a", "args", "pay"]
            .map(str::to_owned)
            .to_vec();
        tried.extend((0..3).map(|_| names[random.below(names.len())].clone()));
        // Each trial has a server of its own, which reads all files. In a sample each name takes another's turn.
        if !all() {
            tried.rotate_left(nth % 9);
            tried.truncate(2);
        }
        for new in tried {
            if new != trial.desk.texts[&name][start..end]
                && let Err(fault) = trial.rename(&name, start, &new)
            {
                faults.push(fault);
            }
        }
    }
    trial.desk.close();
    all_of(faults);
}

#[test]
fn names_that_are_none() {
    let mut trial = Trial::new(SHOP, Units::Utf16);
    let mut faults = Vec::new();
    for marked in [
        "contract refund_o|nce",
        "let lim|it",
        "for each or|der",
        "predicate ca|lm",
        "calm(|a: event)",
        "as comm|on",
        "group mon|ey",
        "context ro|le",
        "lookup own|er",
        "event ti|ck",
        "tick(pri|ce",
        "contract oth|er",
    ] {
        let at = trial.find("shop.ctr", marked);
        if !matches!(trial.prepare("shop.ctr", at), Ok(answer) if !answer.is_null()) {
            continue;
        }
        // What the host or a tool's server calls something may be any text, which stands in back-ticks then.
        let any = ["context", "tick(pri"]
            .iter()
            .any(|start| marked.starts_with(start));
        for new in [
            "",
            " ",
            "a\nb",
            "x\u{0}",
            "a`b",
            "a b",
            "1a",
            "x // y",
            "x}",
            "a.b",
            "\"x\"",
            "a-b",
            "(",
            "\u{feff}x",
            "😀",
            "never",
            "not",
            "and",
            "true",
            "null",
            "only after",
            "call",
        ] {
            if any && !new.trim().is_empty() && !new.contains(['\n', '\0', '`']) {
                if let Err(fault) = trial.rename("shop.ctr", at, new) {
                    faults.push(fault);
                }
                continue;
            }
            let answer = trial.desk.ask(
                "textDocument/rename",
                "shop.ctr",
                at,
                &json!({"newName": new}),
            );
            match answer {
                Err((REQUEST_FAILED | -32602, why)) if !why.is_empty() => {
                    if why.contains('\n') || why.ends_with('.') {
                        faults.push(format!("{marked} to {new:?}: {why:?}"));
                    }
                }
                _ => faults.push(format!("{marked} to {new:?} is done")),
            }
        }
    }
    trial.desk.close();
    all_of(faults);
}

/// Keywords, numbers, texts, what the language ships and what a schema declares cannot be renamed here; where there is
/// a name, a reason is told.
#[test]
fn what_has_no_name_to_change() {
    let mut trial = Trial::new(SHOP, Units::Utf8);
    let mut faults = Vec::new();
    for (marked, with_reason) in [
        ("contr|act other", false),
        ("guaran|tee success", false),
        ("at mo|st 1", false),
        ("at most 1| time", false),
        ("A sh|op", false),
        ("The re|fund of", false),
        ("\"adm|in\"", false),
        ("\"At mo|st {limit}", false),
        ("\"o|1\"", false),
        ("cou|nt(call", false),
        ("{ pa|y, refund }", true),
        ("args.amo|unt)", true),
        ("declare.resp|onse", true),
    ] {
        let at = trial.find("shop.ctr", marked);
        match trial.prepare("shop.ctr", at) {
            Ok(Value::Null) if !with_reason => {}
            Err((REQUEST_FAILED, why)) if !why.is_empty() => {}
            other => faults.push(format!("{marked}: {other:?}")),
        }
        match trial.desk.ask(
            "textDocument/rename",
            "shop.ctr",
            at,
            &json!({"newName": "zz"}),
        ) {
            Ok(Value::Null) if !with_reason => {}
            Err((REQUEST_FAILED, why)) if !why.is_empty() => {}
            other => faults.push(format!("{marked}: {other:?}")),
        }
    }
    trial.desk.close();
    all_of(faults);
}

#[test]
fn names_in_other_files() {
    let mut trial = Trial::new(SHOP, Units::Utf16);
    // From its use by an alias: the file that declares it, and the one that nobody has opened.
    let at = trial.find("shop.ctr", "common.qui|et");
    let texts = trial.rename("shop.ctr", at, "still").unwrap().unwrap();
    assert!(
        texts["common.ctr"].contains("predicate still(a: event)")
            && texts["common.ctr"].contains("guarantee still(call pay)")
    );
    assert!(
        texts["closed.ctr"].contains("c.still(call pay)"),
        "{}",
        texts["closed.ctr"]
    );
    assert!(texts["shop.ctr"].contains("common.still(call money)"));
    // The alias is this file's own; the other file's alias stays.
    let at = trial.find("shop.ctr", "comm|on.quiet");
    let texts = trial
        .rename("shop.ctr", at, "shared_by_all")
        .unwrap()
        .unwrap();
    assert!(
        texts["shop.ctr"].contains("as shared_by_all")
            && texts["shop.ctr"].contains("shared_by_all.quiet")
    );
    assert_eq!(texts["closed.ctr"], trial.desk.texts["closed.ctr"]);
    assert_eq!(texts["common.ctr"], trial.desk.texts["common.ctr"]);
    // Two predicates of one name in two files are two.
    let at = trial.find("shop.ctr", "predicate ca|lm");
    let texts = trial.rename("shop.ctr", at, "quietly").unwrap().unwrap();
    assert!(texts["shop.ctr"].contains("guarantee quietly(call note)"));
    assert_eq!(texts["common.ctr"], trial.desk.texts["common.ctr"]);
    // A contract: its test, what the test expects, and who includes it.
    let at = trial.find("shop.ctr", "block by refund_once|");
    let texts = trial.rename("shop.ctr", at, "one_refund").unwrap().unwrap();
    assert!(
        !texts["shop.ctr"].contains("refund_once"),
        "{}",
        texts["shop.ctr"]
    );
    assert!(
        texts["closed.ctr"].contains("{ one_refund }"),
        "{}",
        texts["closed.ctr"]
    );
    // What stands in messages.
    let at = trial.find("shop.ctr", "let limi|t");
    let texts = trial.rename("shop.ctr", at, "bound").unwrap().unwrap();
    assert!(
        texts["shop.ctr"].contains("At most {bound} of {args.amount}."),
        "{}",
        texts["shop.ctr"]
    );
    trial.desk.close();
}

/// Places are those of the text as it is now; a name that a syntax error hides is not forgotten: either all its places
/// change or the rename is refused.
#[test]
fn while_the_text_is_being_typed() {
    for units in [Units::Utf8, Units::Utf16] {
        let before = "predicate calm(a: event) = never a after a\ncontract c {\n  guarantee calm(call pay)\n}\ncontract d {\n  guarantee calm(call send)\n}\n";
        let mut desk = Desk::new(Kind::Rich, units, &[("p.ctr", before)]);
        let uri = desk.uri("p.ctr");
        desk.client.settle_or_pull(&uri);
        for (version, text) in [
            // Everything moves by a line, and by letters of several units.
            (2, format!("// £😀\n/*😀*/{before}")),
            (
                3,
                format!("contract broken {{ guarantee never cal\n{before}"),
            ),
            (
                4,
                before.replacen(
                    "guarantee calm(call pay)",
                    "guarantee never calm(call pay",
                    1,
                ),
            ),
            (5, format!("{before}contract e {{ guarantee calm(call ")),
            (6, before.replacen("contract c {", "contract c ", 1)),
            (7, format!("\"{before}")),
        ] {
            desk.client.replace(&uri, version, &text);
            desk.texts.insert("p.ctr".to_owned(), text.clone());
            let at = text.find("calm").unwrap() + 2;
            match desk.ask(
                "textDocument/rename",
                "p.ctr",
                at,
                &json!({"newName": "still"}),
            ) {
                Ok(Value::Null) | Err((REQUEST_FAILED, _)) => assert!(version > 2, "{text}"),
                Ok(edit) => {
                    let after = &desk.after(&desk.edits(&edit))["p.ctr"];
                    assert_eq!(*after, text.replace("calm", "still"), "{edit}");
                    assert_eq!(
                        edit["documentChanges"][0]["textDocument"]["version"],
                        version
                    );
                }
                Err((code, why)) => panic!("{text}: {code} {why}"),
            }
        }
        desk.close();
    }
}
