//! A session's result as one line of JSON (`docs/cli.md`).

use ctr_runtime::format::Library;
use ctr_runtime::value::Value;
use ctr_runtime::wire;
use ctr_trace::Unreadable;
use ctr_trace::judge::{Decided, Report, objecting};
use serde_json::{Map, Value as Json, json};

use crate::cli::View;

/// The line, with its end.
pub(super) fn line(
    library: &Library<'_>,
    view: View,
    result: &Result<Report, Unreadable>,
) -> String {
    let value = match result {
        Ok(report) => session(library, view, report),
        Err(unreadable) => json!({
            "session": unreadable.name,
            "environment": null,
            "agent": null,
            "contracts": [],
            "events": 0,
            "undetermined": 0,
            "malformed": [{"line": unreadable.line, "message": unreadable.what}],
            "error": unreadable.what,
            "line": unreadable.line,
        }),
    };
    format!("{value}\n")
}

fn session(library: &Library<'_>, view: View, report: &Report) -> Json {
    let contracts: Vec<Json> = (0..library.contract_count())
        .zip(&report.outcome.contracts)
        .map(|(contract, outcome)| to_json(&wire::contract(library, contract, outcome)))
        .collect();
    let mut value = json!({
        "session": report.name,
        "format": report.format.name(),
        "environment": report.outcome.environment.name(),
        "agent": report.outcome.agent.name(),
        "contracts": contracts,
        "events": report.events,
        "undetermined": report.outcome.undetermined,
        "malformed": report.malformed.iter().map(|m| json!({
            "event": m.event,
            "line": m.line,
            "message": m.what,
        })).collect::<Vec<_>>(),
        "ambiguous": report.ambiguous,
    });
    if let Json::Object(fields) = &mut value {
        if let Some(reward) = report.reward {
            fields.insert("reward".to_owned(), json!(reward));
        }
        if view == View::Gated {
            fields.insert(
                "decisions".to_owned(),
                report
                    .decisions
                    .iter()
                    .map(|d| decided(library, d))
                    .collect(),
            );
        }
    }
    value
}

/// A value in serde's terms. Numbers that a double cannot hold are kept as text.
fn to_json(value: &Value) -> Json {
    match value {
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Record(fields) => fields
            .iter()
            .map(|(name, value)| (name.to_owned(), to_json(value)))
            .collect::<Map<String, Json>>()
            .into(),
        scalar => {
            let text = ctr_runtime::json::to_string(scalar);
            match serde_json::from_str::<Json>(&text) {
                Ok(json) if serde_json::to_string(&json).is_ok_and(|again| again == text) => json,
                _ => Json::String(text),
            }
        }
    }
}

/// What the runtime writes of a decision, and what is this session's.
fn decided(library: &Library<'_>, decided: &Decided) -> Json {
    let decision = &decided.decision;
    let objections = &decision.objections;
    let strictest = objections
        .iter()
        .find(|objection| objection.verb == decision.verb)
        .or(objections.first());
    let mut accepted: Vec<&str> = Vec::new();
    for text in objections.iter().flat_map(|o| &o.accepted) {
        if !accepted.contains(&text.as_str()) {
            accepted.push(text);
        }
    }
    let mut value = json!({
        "event": decided.event,
        "id": decided.id,
        "decision": decision.verb.name(),
        "contracts": objecting(library, decision),
        "message": strictest.map_or("", |o| o.message.as_str()),
        "accepted": accepted,
    });
    let whole = to_json(&wire::decision(library, decision));
    if let (Json::Object(fields), Json::Object(whole)) = (&mut value, whole) {
        fields.extend(whole);
    }
    value
}
