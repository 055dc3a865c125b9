//! Contracts in words, for programs.

use ctr_front::ir::Side;
use ctr_words::{Item, Phrase, StateWords, Style, Way};
use serde_json::{Map, Value, json};

use super::review::{Entry, Review, Spot, by_tool};
use ctr_project::examples::Example;

/// One object. Events stand as in the native format, so that no digit is lost.
pub fn write(review: &Review) -> String {
    let mut events: Vec<String> = Vec::new();
    let contracts: Vec<Value> = review
        .entries
        .iter()
        .map(|entry| contract(entry, &mut events))
        .collect();
    let tools: Map<String, Value> = by_tool(review)
        .into_iter()
        .map(|(tool, names)| (tool.to_owned(), json!(names)))
        .collect();
    let all = json!({
        "library": review.path,
        "doc": review.doc,
        "contracts": contracts,
        "tools": tools,
    });
    let mut text = format!("{all:#}\n");
    for (at, events) in events.iter().enumerate() {
        text = text.replacen(&format!("\"{}\"", mark(at)), events, 1);
    }
    text
}

/// What stands for a list of events until they are put in; no text of a policy has such characters unescaped.
fn mark(at: usize) -> String {
    format!("\u{f8ff}events {at}\u{f8ff}")
}

fn said(phrase: &Phrase) -> String {
    phrase.sentence(Style::Plain)
}

fn item(item: &Item) -> Value {
    json!({
        "number": item.number,
        "text": item.phrase.write(Style::Plain),
        "points": item.points.iter().map(self::item).collect::<Vec<_>>(),
    })
}

fn spot(spot: &Spot) -> Value {
    json!({"path": spot.path, "line": spot.line})
}

fn states(states: &[StateWords]) -> Value {
    let steps = |steps: &[Phrase]| -> Vec<String> {
        steps.iter().map(|step| step.write(Style::Plain)).collect()
    };
    states
        .iter()
        .map(|state| {
            let (reached, by) = match &state.way {
                Way::Start => ("start", Vec::new()),
                Way::After(way) => ("steps", steps(way)),
                Way::Never => ("never", Vec::new()),
            };
            json!({
                "state": state.kind.name(),
                "meaning": state.kind.meaning(),
                "reached": reached,
                "steps": by,
                "done_by": state.done_by.as_deref().map(steps),
            })
        })
        .collect()
}

fn example(example: &Example, events: &mut Vec<String>) -> Value {
    let (result, reason, shortest, end, lines) = match example {
        Example::Session {
            lines,
            shortest,
            end,
            rows: _,
        } => (
            "session",
            None,
            json!(shortest),
            end.as_ref(),
            lines.as_slice(),
        ),
        Example::Never => ("none", None, Value::Null, None, &[][..]),
        Example::Open(reason) => ("undecided", Some(reason), Value::Null, None, &[][..]),
    };
    let violations: Vec<Value> = match example {
        Example::Session { rows, .. } => rows
            .iter()
            .filter_map(|row| Some(json!({"event": row.number?, "said": row.said.as_ref()?})))
            .collect(),
        _ => Vec::new(),
    };
    events.push(format!("[{}]", lines.join(",")));
    json!({
        "result": result,
        "reason": reason,
        "shortest": shortest,
        "violations": violations,
        "end": end,
        "events": mark(events.len() - 1),
    })
}

fn contract(entry: &Entry, events: &mut Vec<String>) -> Value {
    let words = &entry.words;
    let contract = &entry.contract;
    let clauses: Vec<Value> = words
        .clauses
        .iter()
        .map(|clause| {
            json!({
                "side": match clause.side {
                    Side::Assume => "assume",
                    Side::Guarantee => "guarantee",
                },
                "source": clause.source,
                "words": clause.item.as_ref().map(item),
                "deadlines": clause.deadlines.iter().map(item).collect::<Vec<_>>(),
            })
        })
        .collect();
    let groups: Map<String, Value> = words
        .groups
        .iter()
        .map(|group| (group.name.clone(), json!(group.tools)))
        .collect();
    let sessions = entry.examples.as_ref().map(|(accepted, rejected)| {
        json!({
            "accepted": example(accepted, events),
            "rejected": example(rejected, events),
        })
    });
    json!({
        "contract": words.name,
        "module": contract.module,
        "doc": words.doc,
        "place": spot(&entry.at),
        "id": contract.id,
        "severity": contract.severity,
        "source": entry.source.as_ref().map(|link| json!({
            "document": link.document,
            "section": link.section,
            "place": link.at.as_ref().map(spot),
        })),
        "tags": contract.tags,
        "agents": contract.agents,
        "keys": contract.keys,
        "judged": words.keys.as_ref().map(said),
        "steps": said(&words.steps),
        "clauses": clauses,
        "groups": groups,
        "consequences": words.consequences.iter().map(said).collect::<Vec<_>>(),
        "undefined": words.undefined.as_ref().map(said),
        "message": words.message,
        "states": {
            "assume": states(&words.assumed),
            "guarantee": states(&words.guaranteed),
        },
        "sessions": sessions,
        "tools": words.tools,
    })
}
