//! What completion offers can be written where it is put.
//!
//! Every candidate at many places of the policies of this repository is applied, with nothing behind it yet: no syntax
//! error may stand at or before it that was not there without it. `CTRC_COMPLETE` is how many places of each policy are
//! tried, or `all`; `CTRC_COMPLETE_SEED` takes other samples.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ctr_front::lines::{Encoding, Lines, Position};
use ctr_grammar::{SyntaxError, parse, spots};
use serde_json::{Value, json};

use crate::actions::policies;
use crate::client::{self, Client};

/// A snippet with what stands in its places.
fn filled(snippet: &str) -> String {
    let mut out = String::new();
    let mut chars = snippet.chars().peekable();
    let mut depth = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '$' => {
                let braced = chars.next_if_eq(&'{').is_some();
                while chars.next_if(char::is_ascii_digit).is_some() {}
                if braced {
                    depth += 1;
                    if chars.next_if_eq(&':').is_none() && chars.next_if_eq(&'}').is_some() {
                        depth -= 1;
                    }
                }
            }
            '}' if depth > 0 => depth -= 1,
            c => out.push(c),
        }
    }
    out
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n.max(1)).unwrap()).unwrap()
    }
}

/// Errors by code and place, as far as they begin before an offset.
fn before(errors: &[SyntaxError], end: usize) -> Vec<(&'static str, u32, String)> {
    errors
        .iter()
        .filter(|e| (e.span.start as usize) < end)
        .map(|e| (e.code, e.span.start, e.message.clone()))
        .collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures of a long run")]
fn what_is_offered_can_be_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = fs::canonicalize(root).unwrap();
    let mut files = Vec::new();
    for folder in ["examples", "stdlib-contracts", "grammar/tests"] {
        policies(&root.join(folder), &mut files);
    }
    let wanted = std::env::var("CTRC_COMPLETE").unwrap_or("12".to_owned());
    let seed = std::env::var("CTRC_COMPLETE_SEED").ok();
    let mut numbers = Numbers(seed.map_or(88_172_645, |s| s.parse::<u64>().unwrap() | 1));
    let mut client = Client::able("utf-8", &[], client::shows());
    let mut tried = 0_usize;
    let mut places = 0_usize;
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong: Vec<String> = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        if !parse(&text).errors.is_empty() {
            continue;
        }
        let uri = format!("file://{}", path.display());
        client.open(&uri, 1, &text);
        let lines = Lines::of_editor(&text);
        // Around tokens, and in the middle of them.
        let mut offsets: Vec<usize> = spots(&text)
            .tokens
            .iter()
            .flat_map(|spot| {
                let (a, b) = (spot.span.start as usize, spot.span.end as usize);
                [a, text.floor_char_boundary(usize::midpoint(a, b)), b]
            })
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        if wanted != "all" {
            let wanted: usize = wanted.parse().unwrap();
            offsets = (0..wanted)
                .map(|_| offsets[numbers.below(offsets.len())])
                .collect();
        }
        let items: Vec<usize> = parse(&text)
            .file
            .items
            .iter()
            .map(|item| item.span.start as usize)
            .collect();
        for offset in offsets {
            places += 1;
            let Position { line, character } = lines.position(offset, Encoding::Utf8);
            let position = json!({"line": line, "character": character});
            let params = json!({"textDocument": {"uri": uri}, "position": position});
            let answer = client.request("textDocument/completion", params).unwrap();
            let from = items.iter().copied().rfind(|s| *s < offset).unwrap_or(0);
            for item in answer.as_array().unwrap() {
                let label = item["label"].as_str().unwrap();
                let edit = &item["textEdit"];
                let new = edit["newText"].as_str().unwrap();
                let new = if item["insertTextFormat"] == 2 {
                    filled(new)
                } else {
                    new.to_owned()
                };
                let at = |p: &Value| {
                    let number = |n: &str| u32::try_from(p[n].as_u64().unwrap()).unwrap();
                    let position = Position {
                        line: number("line"),
                        character: number("character"),
                    };
                    lines.offset(position, Encoding::Utf8)
                };
                let (start, end) = (at(&edit["insert"]["start"]), at(&edit["insert"]["end"]));
                let replace_end = at(&edit["replace"]["end"]);
                // What the protocol asks of edits.
                assert_eq!(end, offset, "{label}: the edit ends at the place");
                assert!(start <= end && end <= replace_end, "{label}");
                assert_eq!(edit["insert"]["start"], edit["replace"]["start"], "{label}");
                assert_eq!(edit["insert"]["start"]["line"], line, "{label}: one line");
                if start < from {
                    continue;
                }
                let prefix = &text[from..start];
                let written = format!("{prefix}{new}");
                let known = before(&parse(prefix).errors, prefix.len());
                let found = before(&parse(&written).errors, written.trim_end().len());
                // What closes a bracket or a string, and the item after an attribute, are still to be typed.
                let open = ["E0030", "E0011", "E0043"];
                let fresh: Vec<_> = found
                    .into_iter()
                    .filter(|e| !known.contains(e) && !open.contains(&e.0))
                    .collect();
                tried += 1;
                *labels.entry(label.to_owned()).or_default() += 1;
                if let Some((code, at, message)) = fresh.first() {
                    let shown: String = written
                        .chars()
                        .rev()
                        .take(90)
                        .collect::<Vec<_>>()
                        .into_iter()
                        .rev()
                        .collect();
                    wrong.push(format!(
                        "{}: `{label}` gives {code} at {at}: {message}\n    ...{shown:?}",
                        path.file_name().unwrap().display()
                    ));
                }
            }
        }
    }
    println!(
        "{tried} candidates at {places} places of {} policies, {} different",
        files.len(),
        labels.len()
    );
    if !wrong.is_empty() {
        let count = wrong.len();
        wrong.sort();
        wrong.dedup_by_key(|text| {
            let mut parts = text.split(" gives ");
            let label = parts.next().unwrap().split(": ").nth(1).unwrap().to_owned();
            let code = parts
                .next()
                .unwrap_or("")
                .chars()
                .take(5)
                .collect::<String>();
            (label, code)
        });
        panic!("{count} of {tried} are wrong:\n{}", wrong.join("\n"));
    }
    assert!(places > 200 && tried > 2_000, "{tried} at {places}");
    assert!(client.close());
}
