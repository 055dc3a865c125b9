//! A text and its twin, which differs from it in white space and comments alone: letters of several units before every
//! line, tabs, other line ends, all that moves a column. Whatever the server says of the one, it says of the other, at the
//! places that correspond.
//!
//! | reported | here |
//! | --- | --- |
//! | gleam#4543, #4585, #4583, #3628: places slide after `…`, `£`, emoji, Devanagari | [`wide_letters_before_every_line`], [`ranges_are_exactly_the_names`] |
//! | cedar `to_range`, slang-server#509/PR#511, LazyVerilog#113, solidity-language-server#234: columns in characters or bytes, some features right and some not | every request in both encodings |
//! | ruff#12167 and others: places inside characters, at the end of the text | [`findings_at_the_end`]; `typing` |
//! | rust-analyzer#12293, #4067, #12540, gleam#801: CRLF | [`other_line_ends`], [`fixes_keep_line_ends`] |
//! | alejandra#411: a lone carriage return hides code | [`a_lone_carriage_return`] |
//! | opa#1129: tabs | [`tabs_before_every_line`] |

use serde_json::{Value, json};

use crate::client::Kind;
use crate::desk::{Desk, words};
use crate::judge;
use crate::text::{self, Units};

/// What was put into a text: at which byte of the original, how long.
struct Twin {
    text: String,
    added: Vec<(usize, usize)>,
}

impl Twin {
    /// Puts something before the first word of each line, unless the line is a comment.
    fn before_lines(original: &str, added: &str) -> Self {
        let mut twin = Self {
            text: String::new(),
            added: Vec::new(),
        };
        let mut at = 0;
        for line in original.split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let first = line[indent..].chars().next().unwrap_or('\n');
            twin.text.push_str(&line[..indent]);
            if first.is_alphabetic() {
                twin.added.push((at + indent, added.len()));
                twin.text.push_str(added);
            }
            twin.text.push_str(&line[indent..]);
            at += line.len();
        }
        twin
    }

    fn with_crlf(original: &str) -> Self {
        let added = original
            .match_indices('\n')
            .map(|(at, _)| (at, 1))
            .collect();
        Self {
            text: original.replace('\n', "\r\n"),
            added,
        }
    }

    /// The byte of the twin for one of the original.
    fn there(&self, offset: usize) -> usize {
        let before = self.added.iter().filter(|(at, _)| *at <= offset);
        offset + before.map(|(_, length)| length).sum::<usize>()
    }

    /// The byte of the original for one of the twin.
    fn back(&self, offset: usize) -> usize {
        let mut sum = 0;
        for (at, length) in &self.added {
            let start = at + sum;
            if offset <= start {
                break;
            }
            if offset < start + length {
                return *at;
            }
            sum += length;
        }
        offset - sum
    }
}

/// An answer with bytes of the original in place of positions, and without what was put in.
fn plain(
    value: &Value,
    text: &str,
    units: Units,
    back: &dyn Fn(usize) -> usize,
    drop: &str,
) -> Value {
    if let Some(place) = judge::position(value) {
        let offset = text::offset(text, place, units);
        return offset.map_or_else(|| json!(format!("no {place:?}")), |at| json!(back(at)));
    }
    let inner = |value: &Value| plain(value, text, units, back, drop);
    match value {
        // Places in another file.
        Value::Object(fields)
            if fields
                .get("uri")
                .or(fields.get("targetUri"))
                .is_some_and(|uri| uri != "p.ctr") =>
        {
            value.clone()
        }
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "resultId" | "data"))
            .map(|(name, value)| (name.clone(), inner(value)))
            .collect(),
        Value::Array(items) => items.iter().map(inner).collect(),
        Value::String(words) => {
            let words = words.replace("\r\n", "\n");
            Value::String(if drop.is_empty() {
                words
            } else {
                words.replace(drop, "")
            })
        }
        other => other.clone(),
    }
}

/// The tokens with bytes of the original, apart from those of comments.
fn tokens(data: &Value, text: &str, units: Units, back: &dyn Fn(usize) -> usize) -> Vec<Value> {
    let numbers: Vec<u32> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap() as u32)
        .collect();
    let (mut line, mut character) = (0, 0);
    let mut out = Vec::new();
    for token in numbers.chunks(5) {
        if token[0] > 0 {
            character = 0;
        }
        line += token[0];
        character += token[1];
        let at = |character| back(text::offset(text, (line, character), units).unwrap());
        let (start, end) = (at(character), at(character + token[2]));
        if start < end {
            out.push(json!([start, end, token[3], token[4]]));
        }
    }
    out
}

const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/documentHighlight",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/rename",
];

const MOVED: &str =
    "move it into the guarantee, as its condition: nothing is owed where it does not hold";

/// Actions that take away what stands on a line of its own.
const GONE: &[&str] = &[MOVED, "leave it out"];

/// All that is said of a text at these bytes of the original.
fn said(
    kind: Kind,
    units: Units,
    text: &str,
    places: &[usize],
    twin: Option<&Twin>,
    drop: &str,
) -> Vec<(String, Value)> {
    let schema = r#"{"tools": [{"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}]}"#;
    let mut desk = Desk::new(kind, units, &[("p.ctr", text), ("tools.json", schema)]);
    let uri = desk.uri("p.ctr");
    let root = uri.replace("p.ctr", "");
    let back = |offset: usize| twin.map_or(offset, |twin| twin.back(offset));
    let there = |offset: usize| twin.map_or(offset, |twin| twin.there(offset));
    let announced = |desk: &Desk, name: &str| {
        !matches!(
            desk.client.capabilities[name],
            Value::Null | Value::Bool(false)
        )
    };
    let mut asked = Vec::new();
    let document = json!({"uri": uri});
    for place in places {
        for method in AT {
            let name = format!("{}Provider", method.split('/').nth(1).unwrap());
            if *method == "textDocument/prepareRename" || announced(&desk, &name) {
                let more = json!({"newName": "zz", "context": {"includeDeclaration": true}});
                asked.push((
                    format!("{method} {place}"),
                    (*method).to_owned(),
                    desk.at("p.ctr", there(*place), &more),
                ));
            }
        }
    }
    let end = desk.place("p.ctr", text.len());
    let all = json!({"start": {"line": 0, "character": 0}, "end": end});
    for (method, more) in [
        ("textDocument/documentSymbol", json!({})),
        ("textDocument/foldingRange", json!({})),
        ("textDocument/documentLink", json!({})),
        ("textDocument/codeLens", json!({})),
        ("textDocument/inlayHint", json!({"range": all})),
        (
            "textDocument/codeAction",
            json!({"range": all, "context": {"diagnostics": [], "only": ["quickfix"]}}),
        ),
        ("textDocument/diagnostic", json!({})),
    ] {
        let name = format!("{}Provider", method.split('/').nth(1).unwrap());
        if announced(&desk, &name) {
            let mut params = json!({"textDocument": document});
            for (key, value) in more.as_object().unwrap() {
                params[key] = value.clone();
            }
            asked.push((method.to_owned(), method.to_owned(), params));
        }
    }
    let questions: Vec<_> = asked
        .iter()
        .map(|(_, method, params)| (method.clone(), params.clone()))
        .collect();
    let answers = desk.client.ask(&questions);
    let mut out = Vec::new();
    for ((title, _, _), answer) in asked.into_iter().zip(answers) {
        let answer = answer.unwrap_or_else(|(code, why)| json!([code, why]));
        // A clause that goes takes its line with it, unless a comment stands there: that stays.
        let answer = match answer {
            Value::Array(all) if drop.contains("/*") => all
                .into_iter()
                .filter(|action| !GONE.iter().any(|title| action["title"] == *title))
                .collect(),
            answer => answer,
        };
        // The folder is each desk's own.
        let answer: Value = serde_json::from_str(&answer.to_string().replace(&root, "")).unwrap();
        out.push((title, plain(&answer, text, units, &back, drop)));
    }
    if announced(&desk, "semanticTokensProvider") {
        let answer = desk
            .client
            .request(
                "textDocument/semanticTokens/full",
                json!({"textDocument": document}),
            )
            .unwrap();
        out.push((
            "tokens".to_owned(),
            Value::Array(tokens(&answer["data"], text, units, &back)),
        ));
    }
    desk.close();
    out
}

const GOOD: &str = r#"//! A desk.
module desk
tools from "tools.json"
tool refund(order: string, amount: number, why?: enum("late", "broken")) -> { id: string, ok: bool }
context role: string
group money = { pay, refund }
predicate quiet(a: event) = never a after a

/// Refunds are few.
@id("R-1")
contract few for each o {
  let limit = 3
  assume never return refund(text(result) matches /BEGIN/)
  guarantee success refund(args.order == o) at most 2 times
  guarantee call refund(order == o and has(why)) only if amount <= limit or ctx.role == "admin"
  otherwise block "no {args.amount} above {limit}"
}
contract calm {
  // A remark.
  guarantee quiet(call money)
    and quiet(call pay(to == "x"))
}
test "one" for few {
  context role = "admin"
  call refund(order: "a", amount: 1) -> { id: "1", ok: true }
  call refund(order: "a", amount: 9) expect block by few
}
"#;

const BAD: &str = r#"tools from "tools.json"
tool refund(order: string, amount: number)
contract a { guarantee never call refnd }
contract b {
  guarantee never cal pay(to == "x")
  guarantee call refund(amnt > 1) only after call pay
  assume never call pay
}
contract c {
  guarantee always call pay implies call refund
  guarantee call refund(amount == "x") && call pay
  // ctrc: allow(W0407)
  guarantee call pay
}
contract a { guarantee call pay at most 1 tims }
contract d { guarantee call pay(to == "
"#;

const WARNED: &str = r#"tool pay(to: string, note?: string)
tool look(to: string)
contract a { guarantee never call pay(note == "x") } contract b {
  guarantee
    call pay(to == "b")
  otherwise block "no"
}
contract c {
  let unused = 1
  // ctrc: allow(W0401) because so
  guarantee (never call pay(note == "y")) and call pay(to != "c")
}
contract d { guarantee never call look } contract e { guarantee call pay(note == "z") }
"#;

fn same(original: &str, twin: &Twin, drop: &str) {
    let mut places = Vec::new();
    for (start, end) in words(original) {
        places.extend([start, end]);
    }
    // Every third keeps the test quick; the encodings see other ones.
    for (nth, (kind, units)) in [(Kind::Rich, Units::Utf16), (Kind::Poor, Units::Utf8)]
        .into_iter()
        .enumerate()
    {
        let places: Vec<usize> = places.iter().copied().skip(nth).step_by(3).collect();
        let one = said(kind, units, original, &places, None, drop);
        let other = said(kind, units, &twin.text, &places, Some(twin), drop);
        assert!(one.len() > places.len() * 6);
        // Comments that allow a warning, and what the agent decides moved to the guarantee, are among it.
        let told = format!("{one:?}");
        let wanted = |text: &str, what: &str| original != text || told.contains(what);
        assert!(kind == Kind::Poor || wanted(WARNED, "ctrc: allow("));
        assert!(kind == Kind::Poor || drop.contains("/*") || wanted(BAD, MOVED));
        for ((title, a), (_, b)) in one.iter().zip(&other) {
            let about = title
                .split(' ')
                .nth(1)
                .and_then(|at| at.parse::<usize>().ok());
            let about = about.map(|at| {
                original[at.saturating_sub(12)..]
                    .chars()
                    .take(30)
                    .collect::<String>()
            });
            // Words, too, that lists of differences could hide.
            let (a, b) = (format!("{a:#}"), format!("{b:#}"));
            let at = a
                .lines()
                .zip(b.lines())
                .position(|(a, b)| a != b)
                .unwrap_or(0);
            let near = |all: &str| {
                all.lines()
                    .skip(at.saturating_sub(18))
                    .take(20)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            let differs = (near(&a), near(&b));
            assert!(
                a == b,
                "{units:?} {title} {about:?} {differs:?}\n{}",
                twin.text
            );
        }
        assert_eq!(one.len(), other.len());
    }
}

#[test]
fn wide_letters_before_every_line() {
    for text in [GOOD, BAD, WARNED] {
        let added = "/* …£😀क्षि e\u{301}𐐰👩‍👩‍👧 */ ";
        same(text, &Twin::before_lines(text, added), added);
    }
}

#[test]
fn tabs_before_every_line() {
    for text in [GOOD, BAD, WARNED] {
        same(text, &Twin::before_lines(text, "\t\t"), "\t\t");
    }
}

#[test]
fn other_line_ends() {
    for text in [GOOD, BAD, WARNED] {
        same(text, &Twin::with_crlf(text), "");
    }
}

/// The range of a name is the name, with whatever before it on its line.
#[test]
fn ranges_are_exactly_the_names() {
    for units in [Units::Utf8, Units::Utf16] {
        for before in [
            "…£😀क्षि",
            "𐐰",
            "e\u{301}",
            "\t日本",
            "👩‍👩‍👧",
            "\\u{1F600}",
            "{args.order}",
        ] {
            let text = format!(
                "tool refund(order: string)\npredicate p(a: event) = never a\ncontract c {{ otherwise block \"{before}\" guarantee p(call refund) }} contract d {{ guarantee p(call refund) }}\n"
            );
            let mut desk = Desk::new(Kind::Rich, units, &[("p.ctr", &text)]);
            for (name, nth) in [("refund", 1), ("refund", 2), ("p", 1), ("p", 2), ("d", 0)] {
                let found: Vec<(usize, usize)> = words(&text)
                    .into_iter()
                    .filter(|(a, b)| text[*a..*b] == *name)
                    .collect();
                let (start, end) = found[nth];
                for at in [start, (start + end) / 2, end] {
                    let range = desk
                        .ask("textDocument/prepareRename", "p.ctr", at, &Value::Null)
                        .unwrap();
                    let range = if range["range"].is_null() {
                        range
                    } else {
                        range["range"].clone()
                    };
                    assert_eq!(
                        desk.bytes("p.ctr", &range),
                        (start, end),
                        "{units:?} {text}"
                    );
                    let hover = desk
                        .ask("textDocument/hover", "p.ctr", at, &Value::Null)
                        .unwrap();
                    assert_eq!(
                        desk.bytes("p.ctr", &hover["range"]),
                        (start, end),
                        "{units:?} {text}"
                    );
                    let all = desk
                        .ask("textDocument/documentHighlight", "p.ctr", at, &Value::Null)
                        .unwrap();
                    let all: Vec<_> = all
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|one| desk.bytes("p.ctr", &one["range"]))
                        .collect();
                    assert!(
                        all.contains(&(start, end))
                            && all.iter().all(|(a, b)| text[*a..*b] == *name),
                        "{units:?} {text} {all:?}"
                    );
                }
            }
            desk.close();
        }
    }
}

/// A finding at the end of a text without a last line end stands there, also after letters of several units.
#[test]
fn findings_at_the_end() {
    for units in [Units::Utf8, Units::Utf16] {
        let emoji = format!("/*{}*/ contract c {{", "😀".repeat(40));
        for text in [
            "contract c {",
            emoji.as_str(),
            "contract",
            "contract c { guarantee never call pay(to == \"é",
            "{",
            "(((((",
            "!",
            "\"",
            "`",
            "contract c { otherwise block \"{",
        ] {
            let mut desk = Desk::new(Kind::Rich, units, &[("p.ctr", text)]);
            let all = desk.findings("p.ctr");
            assert!(!all.is_empty(), "{text}");
            for found in all {
                let (start, end) = desk.bytes("p.ctr", &found["range"]);
                assert!(start <= end && end <= text.len(), "{text} {found}");
            }
            desk.close();
        }
    }
}

/// `// harmless\rnever ...`: reviewers and the compiler see other texts, so it is an error. The editor's next line begins there.
#[test]
fn a_lone_carriage_return() {
    for units in [Units::Utf8, Units::Utf16] {
        let text = "// harmless 😀\rcontract c { guarantee never call pay }\n";
        let mut desk = Desk::new(Kind::Rich, units, &[("p.ctr", text)]);
        let all = desk.findings("p.ctr");
        let found = &all[0];
        assert_eq!(found["severity"], 1, "{all:?}");
        let (start, _) = desk.bytes("p.ctr", &found["range"]);
        assert_eq!(start, text.find('\r').unwrap(), "{found}");
        desk.close();
    }
}

/// What is written into a file with CRLF has CRLF, in each action and in formatting; mixed ones are made one kind.
#[test]
fn fixes_keep_line_ends() {
    for (text, crlf) in [
        (BAD.replace('\n', "\r\n"), true),
        (BAD.to_owned(), false),
        (GOOD.replace('\n', "\r\n"), true),
    ] {
        let mut desk = Desk::new(
            Kind::Rich,
            Units::Utf16,
            &[
                ("p.ctr", &text),
                ("tools.json", "{\"tools\": [{\"name\": \"pay\"}]}"),
            ],
        );
        let uri = desk.uri("p.ctr");
        let range =
            json!({"start": {"line": 0, "character": 0}, "end": desk.place("p.ctr", text.len())});
        let actions = desk
            .client
            .request("textDocument/codeAction", json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}}))
            .unwrap();
        for action in actions.as_array().into_iter().flatten() {
            let action = match &action["edit"] {
                Value::Null if !action["data"].is_null() => desk
                    .client
                    .request("codeAction/resolve", action.clone())
                    .unwrap(),
                _ => action.clone(),
            };
            for (_, edits) in desk.edits(&action["edit"]) {
                for (_, _, new) in edits {
                    let bare = new.replace("\r\n", "").contains('\n');
                    let with = new.contains("\r\n");
                    assert!(if crlf { !bare } else { !with }, "{action}");
                }
            }
        }
        desk.close();
    }
}
