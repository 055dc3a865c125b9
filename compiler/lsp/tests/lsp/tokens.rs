//! Semantic tokens while a text is being typed: differences lead to what all of them say, and no token overlaps
//! another or leaves its line.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "untitled:tokens.ctr";

fn numbers(data: &Value) -> Vec<u32> {
    serde_json::from_value(data.clone()).unwrap()
}

/// The tokens as `(line, column, length)`; the text is the client's, so that columns are in its units.
fn check(text: &str, data: &[u32], units: fn(&str) -> usize) -> usize {
    // A carriage return alone ends a line, too.
    let plain = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = plain.split('\n').collect();
    let (mut line, mut column, mut end) = (0, 0, 0);
    for token in data.chunks(5) {
        let [down, right, length, kind, _] = *token else {
            panic!("a token has five numbers")
        };
        if down > 0 {
            (column, end) = (0, 0);
        }
        line += down as usize;
        column += right;
        assert!(end <= column, "tokens overlap in line {line} of {text}");
        assert!(length > 0 && kind < 18);
        end = column + length;
        let whole = units(lines[line]);
        assert!(
            end as usize <= whole,
            "a token leaves line {line} of {text}"
        );
    }
    data.len() / 5
}

fn typed(encoding: &str, units: fn(&str) -> usize, text: &str, step: usize) {
    let mut client = Client::ready(encoding, &[]);
    client.open(URI, 1, "");
    let about = json!({"textDocument": {"uri": URI}});
    let all = |client: &mut Client| {
        let whole =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}});
        let params = json!({"textDocument": {"uri": URI}, "range": whole});
        let answer = client.request("textDocument/semanticTokens/range", params);
        numbers(&answer.unwrap()["data"])
    };
    let answer = client
        .request("textDocument/semanticTokens/full", about)
        .unwrap();
    let mut id = answer["resultId"].clone();
    let mut known = numbers(&answer["data"]);
    let mut ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .step_by(step)
        .collect();
    ends.push(text.len());
    // Typed, and deleted from the middle.
    let texts =
        ends.iter()
            .map(|end| text[..*end].to_owned())
            .chain(ends.iter().rev().step_by(3).map(|end| {
                let middle = text.floor_char_boundary(end / 2);
                format!("{}{}", &text[..middle], &text[*end..])
            }));
    let mut most = 0;
    for (version, text) in (2..).zip(texts) {
        client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]}),
        );
        let params = json!({"textDocument": {"uri": URI}, "previousResultId": id});
        let answer = client
            .request("textDocument/semanticTokens/full/delta", params)
            .unwrap();
        id = answer["resultId"].clone();
        for edit in answer["edits"].as_array().expect("a difference") {
            let start = usize::try_from(edit["start"].as_u64().unwrap()).unwrap();
            let gone = usize::try_from(edit["deleteCount"].as_u64().unwrap()).unwrap();
            known.splice(start..start + gone, numbers(&edit["data"]));
        }
        assert_eq!(known, all(&mut client), "{text}");
        most = most.max(check(&text, &known, units));
    }
    // All again for a client that lost count.
    let params = json!({"textDocument": {"uri": URI}, "previousResultId": "lost"});
    let answer = client
        .request("textDocument/semanticTokens/full/delta", params)
        .unwrap();
    assert_eq!(numbers(&answer["data"]), known);
    assert!(most > 20);
    assert!(client.close());
}

const STRANGE: &str = "/* \u{a3}\u{1f600}\r\n\te\u{301} */ tool `\u{1f600}`(a: enum(\"x\", \"\u{a3}\"))\r\n\
    contract c for each k {\n\tlet x = latest(success `\u{1f600}`(args.a == k), result.b[*].c)\n  \
    guarantee call `\u{1f600}`(a == \"\u{a3}\\\"\" and x matches /\\/\u{1f600}/i) at most 3 times within 10min\n  \
    otherwise block \"\u{1f600} {args.a} {upper(\\\"x\\\")} \u{a3}\"\n}\ntest \"\u{1f600}\" { after 3s }\n";

#[test]
fn strange_letters() {
    typed("utf-8", str::len, STRANGE, 2);
    typed("utf-16", |s| s.encode_utf16().count(), STRANGE, 3);
}

#[test]
fn an_example() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mail_guard/policy.ctr");
    let text = std::fs::read_to_string(path).unwrap();
    let step = text.len() / 60;
    typed("utf-16", |s| s.encode_utf16().count(), &text, step);
}
