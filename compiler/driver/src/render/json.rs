//! Findings as JSON.

use ctr_front::diagnostic::{Diagnostic, Fix, Label};
use ctr_front::ir::{Place, Source};
use serde_json::{Value, json};

use ctr_front::lines::Lines;
use ctr_project::codes::lookup;

/// One JSON array of findings and a line end; an empty array where there are none.
#[must_use]
pub fn diagnostics(sources: &[Source], diagnostics: &[Diagnostic]) -> String {
    let index: Vec<Lines<'_>> = sources.iter().map(|s| Lines::new(&s.text)).collect();
    let all: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| finding(sources, &index, diagnostic))
        .collect();
    format!("{:#}\n", Value::Array(all))
}

fn finding(sources: &[Source], lines: &[Lines<'_>], diagnostic: &Diagnostic) -> Value {
    let spans: Vec<Value> = std::iter::once((&diagnostic.primary, true))
        .chain(diagnostic.secondary.iter().map(|label| (label, false)))
        .map(|(label, primary)| span(sources, lines, label, primary))
        .collect();
    let mut value = json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.name(),
        "message": diagnostic.message,
        "spans": spans,
        "help": diagnostic.help,
        "fixes": diagnostic.fixes.iter().map(|f| fix(sources, lines, f)).collect::<Vec<_>>(),
    });
    if let (Some(doc), Value::Object(fields)) = (lookup(diagnostic.code), &mut value) {
        fields.insert("url".to_owned(), json!(doc.url()));
    }
    if let (Some(proof), Value::Object(fields)) = (&diagnostic.proof, &mut value) {
        let witness: Vec<Value> = proof
            .witness
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let what = [
            ("kind", json!(proof.kind)),
            ("contracts", json!(proof.contracts)),
            ("implied_by", json!(proof.implied_by)),
            ("tool", json!(proof.tool)),
            ("witness", json!(witness)),
            ("reason", json!(proof.reason)),
            ("question", json!(proof.question)),
        ];
        fields.extend(what.map(|(name, value)| (name.to_owned(), value)));
    }
    value
}

fn span(sources: &[Source], lines: &[Lines<'_>], label: &Label, primary: bool) -> Value {
    let mut value = place(sources, lines, label.place);
    if let Value::Object(fields) = &mut value {
        fields.insert("label".to_owned(), json!(label.text));
        fields.insert("primary".to_owned(), json!(primary));
    }
    value
}

/// A place: bytes from 0; lines and columns (characters) from 1, the end after the last character.
fn place(sources: &[Source], lines: &[Lines<'_>], place: Place) -> Value {
    let index = place.source.0 as usize;
    let path = sources.get(index).map(|source| source.path.as_str());
    let start = lines
        .get(index)
        .map(|l| l.locate(place.span.start as usize));
    let end = lines.get(index).map(|l| l.locate(place.span.end as usize));
    json!({
        "path": path,
        "start": place.span.start,
        "end": place.span.end,
        "line": start.map(|p| p.line),
        "column": start.map(|p| p.column),
        "end_line": end.map(|p| p.line),
        "end_column": end.map(|p| p.column),
    })
}

fn fix(sources: &[Source], lines: &[Lines<'_>], fix: &Fix) -> Value {
    json!({
        "title": fix.title,
        "safe": fix.safe,
        "edits": fix.edits.iter().map(|(at, text)| {
            let mut value = place(sources, lines, *at);
            if let Value::Object(fields) = &mut value {
                fields.insert("text".to_owned(), json!(text));
            }
            value
        }).collect::<Vec<_>>(),
    })
}
