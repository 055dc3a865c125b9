//! Every action that is offered leaves a text that parses as well as before and has no new error.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use ctr_front::lines::{Encoding, Lines, Position};
use ctr_front::world::{DiskWorld, ReadError, World};
use ctr_grammar::Span;
use serde_json::{Value, json};

use crate::client::Client;

/// What a client of today can do.
pub(crate) fn abilities() -> Value {
    json!({
        "textDocument": {"codeAction": {
            "disabledSupport": true,
            "dataSupport": true,
            "resolveSupport": {"properties": ["edit"]},
        }},
        "workspace": {"workspaceEdit": {"documentChanges": true}},
    })
}

/// The disk with one text in place of its file.
struct With<'t> {
    path: &'t str,
    text: &'t str,
}

impl World for With<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        if DiskWorld.canonical(path) == self.path {
            return Ok(self.text.as_bytes().to_vec());
        }
        DiskWorld.read(path)
    }

    fn canonical(&self, path: &str) -> String {
        DiskWorld.canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        DiskWorld.names(folder)
    }
}

/// How many errors of each code there are.
fn errors(path: &str, text: &str) -> BTreeMap<&'static str, usize> {
    let compiled = ctr_front::compile(&With { path, text }, &[path.to_owned()]);
    let mut out = BTreeMap::new();
    for found in &compiled.diagnostics {
        if found.code.starts_with('E') {
            *out.entry(found.code).or_default() += 1;
        }
    }
    out
}

pub(crate) fn policies(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "ctr") {
            out.push(path);
        }
    }
}

pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::canonicalize(root).unwrap()
}

/// A text with the edits of an action made; `None` where it is about other files too.
pub(crate) fn applied(text: &str, uri: &str, edit: &Value) -> Option<String> {
    let changes = edit["documentChanges"].as_array().unwrap();
    let [change] = changes.as_slice() else {
        return None;
    };
    if change["textDocument"]["uri"] != uri {
        return None;
    }
    assert_eq!(change["textDocument"]["version"], 1);
    let lines = Lines::of_editor(text);
    let offset = |place: &Value| {
        let number = |name: &str| u32::try_from(place[name].as_u64().unwrap()).unwrap();
        let position = Position {
            line: number("line"),
            character: number("character"),
        };
        let offset = lines.offset(position, Encoding::Utf16);
        assert_eq!(lines.position(offset, Encoding::Utf16), position);
        offset
    };
    let mut edits: Vec<(usize, usize, &str)> = change["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    edits.sort();
    let mut out = String::new();
    let mut at = 0;
    for (start, end, new) in edits {
        assert!(at <= start, "edits overlap");
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// Places to ask at: each word, and each expression as a selection.
fn ranges(text: &str, step: usize) -> Vec<Span> {
    let parse = ctr_grammar::parse(text);
    let mut out: Vec<Span> = ctr_grammar::lexemes(text)
        .tokens
        .iter()
        .step_by(step)
        .map(|span| Span::new(span.start, span.start))
        .collect();
    let mut nodes = BTreeSet::new();
    for expr in ctr_grammar::walk::expressions(&parse.file) {
        ctr_grammar::walk::walk(expr, &mut |expr| {
            nodes.insert(expr.span);
        });
    }
    out.extend(nodes.into_iter().step_by(step));
    out
}

#[test]
fn every_action_is_sound() {
    let all = std::env::var("CTRC_ACTIONS").is_ok_and(|v| v == "all");
    let mut paths = Vec::new();
    for folder in ["examples", "tests/ui", "stdlib-contracts"] {
        policies(&root().join(folder), &mut paths);
    }
    assert!(paths.len() > 300);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut client = Client::able("utf-16", &[], abilities());
    for (number, path) in paths.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        // Large ones are looked at in a few places; some files of each folder are enough for every run.
        let chosen = text.len() < 60_000 && (all || number % 4 == 0);
        if !chosen {
            continue;
        }
        let path = DiskWorld.canonical(path.to_str().unwrap());
        let uri = format!("file://{path}");
        client.open(&uri, 1, &text);
        let before = errors(&path, &text);
        let syntax = ctr_grammar::parse(&text).errors.len();
        let lines = Lines::of_editor(&text);
        let mut tried = HashSet::new();
        let step = if all { 1 } else { 1 + text.len() / 400 };
        for range in ranges(&text, step) {
            let place = |at: u32| {
                let Position { line, character } = lines.position(at as usize, Encoding::Utf16);
                json!({"line": line, "character": character})
            };
            let actions = client
                .request(
                    "textDocument/codeAction",
                    json!({
                        "textDocument": {"uri": uri},
                        "range": {"start": place(range.start), "end": place(range.end)},
                        "context": {"diagnostics": [], "only": ["quickfix", "refactor", "source.organizeImports"]},
                    }),
                )
                .unwrap();
            for action in actions.as_array().unwrap() {
                let title = action["title"].as_str().unwrap();
                let kind = action["kind"].as_str().unwrap();
                assert!(title.chars().count() <= 320, "{title}");
                assert_eq!(title.lines().count(), 1, "{title}");
                // What is worked out later is tried with the commands.
                if !action["data"].is_null() {
                    continue;
                }
                let Some(new) = applied(&text, &uri, &action["edit"]) else {
                    continue;
                };
                if !tried.insert(new.clone()) {
                    continue;
                }
                assert_ne!(new, text, "{path}: {title}: changes nothing");
                *seen.entry(general(kind, title)).or_default() += 1;
                // What findings offer is tried with the fixtures of messages; some mend one mistake of two.
                let mut fault = |what: String| {
                    faults.push(format!("{path}:{range:?}: {title}: {what}\n{new}"));
                };
                if ctr_grammar::parse(&new).errors.len() > syntax {
                    fault("more syntax errors".to_owned());
                }
                let is_fix = kind == "quickfix" && !is_own(title);
                for (code, count) in errors(&path, &new) {
                    let known = before.get(code).copied().unwrap_or(0);
                    if count > known && !is_fix {
                        fault(format!("{code} is new"));
                    }
                }
            }
        }
        client.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    assert!(client.close());
    assert!(faults.is_empty(), "{}", faults.join("\n----\n"));
    for wanted in ["allow", "add ", "brackets", "turn", "make a"] {
        let found = seen.keys().any(|title| title.contains(wanted));
        assert!(found, "no {wanted} among {seen:#?}");
    }
}

/// Whether an action is one of the server's own, not one that a finding brings.
fn is_own(title: &str) -> bool {
    [
        "allow `W",
        "ask first",
        "say what holds",
        "move it into",
        "make it a guarantee",
    ]
    .iter()
    .any(|own| title.starts_with(own))
}

fn general(kind: &str, title: &str) -> String {
    let words: Vec<&str> = title.split(['`', ':']).step_by(2).collect();
    format!("{kind} {}", words.join("…"))
}
