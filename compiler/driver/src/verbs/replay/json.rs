//! A session's result as one line of JSON (`docs/cli.md`).

use ctr_runtime::decision::{Decision, Pending, Violation};
use ctr_runtime::format::{ContractRef, Library};
use ctr_runtime::value::Value;
use serde_json::{Map, Value as Json, json};

use crate::cli::View;
use crate::judge::{Decided, Report, objecting};
use crate::trace::Unreadable;

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
    let contracts: Vec<Json> = library
        .contracts()
        .zip(&report.outcome.contracts)
        .map(|(contract, outcome)| {
            let mut fields = Map::new();
            fields.insert("contract".to_owned(), json!(contract.name()));
            fields.insert("value".to_owned(), json!(outcome.value.name()));
            fields.insert("key".to_owned(), Json::Null);
            fields.insert(
                "violations".to_owned(),
                outcome
                    .violations
                    .iter()
                    .map(|v| violation(contract, v))
                    .collect(),
            );
            fields.insert(
                "pending".to_owned(),
                outcome
                    .pending
                    .iter()
                    .map(|p| pending(contract, p))
                    .collect(),
            );
            if let Some(broken) = &outcome.assumption {
                fields.insert("assumption".to_owned(), violation(contract, broken));
            }
            Json::Object(fields)
        })
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

fn violation(contract: ContractRef<'_>, violation: &Violation) -> Json {
    let mut value = json!({
        "event": violation.event,
        "id": violation.id,
        "key": key(contract, &violation.key),
        "reason": violation.reason.name(),
        "message": violation.message,
    });
    if let (Json::Object(fields), Some(detail)) = (&mut value, &violation.detail) {
        fields.insert("detail".to_owned(), json!(detail));
    }
    value
}

fn pending(contract: ContractRef<'_>, pending: &Pending) -> Json {
    json!({
        "event": pending.event,
        "key": key(contract, &pending.key),
        "awaits": pending.awaits,
    })
}

/// Key values by the names of the keys; `null` where the contract has none, or none is known.
fn key(contract: ContractRef<'_>, values: &[Value]) -> Json {
    if values.is_empty() {
        return Json::Null;
    }
    contract
        .keys()
        .iter()
        .zip(values)
        .map(|(name, value)| (name.to_owned(), to_json(value)))
        .collect::<Map<String, Json>>()
        .into()
}

/// A value in serde's terms. Numbers that a double cannot hold are kept as text.
fn to_json(value: &Value) -> Json {
    let text = ctr_runtime::json::to_string(value);
    match serde_json::from_str::<Json>(&text) {
        Ok(json) if serde_json::to_string(&json).is_ok_and(|again| again == text) => json,
        _ => Json::String(text),
    }
}

fn decided(library: &Library<'_>, decided: &Decided) -> Json {
    let Decision {
        verb,
        objections,
        instead,
        free_at,
        repairs,
    } = &decided.decision;
    let contracts = objecting(library, &decided.decision);
    let strictest = objections
        .iter()
        .find(|objection| objection.verb == *verb)
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
        "decision": verb.name(),
        "contracts": contracts,
        "message": strictest.map_or("", |o| o.message.as_str()),
        "accepted": accepted,
        "objections": objections.iter().map(|o| {
            let contract = library.contract(o.contract);
            let (line, _) = library.source(contract.place().source).line_col(contract.place().start);
            json!({
                "contract": contract.name(),
                "rule": contract.rule_id(),
                "severity": contract.severity(),
                "key": key(contract, &o.key),
                "decision": o.verb.name(),
                "reason": match o.reason {
                    ctr_runtime::decision::Reason::Anticipated => "anticipated",
                    reason => reason.name(),
                },
                "message": o.message,
                "detail": o.detail,
                "accepted": o.accepted,
                "clauses": contract.clauses().map(|c| c.text).collect::<Vec<_>>(),
                "seen": o.seen.iter().map(|s| json!({
                    "condition": s.condition,
                    "holds": s.holds,
                    "values": s.values.iter().map(|(name, value)| {
                        (name.clone(), value.as_ref().map_or(Json::Null, to_json))
                    }).collect::<Map<String, Json>>(),
                })).collect::<Vec<_>>(),
                "waiting_for": o.waiting_for,
                "source": library.source(contract.place().source).path,
                "line": line,
            })
        }).collect::<Vec<_>>(),
    });
    if let (Json::Object(fields), Some(time)) = (&mut value, free_at) {
        let time = ctr_runtime::time::format_rfc3339(*time);
        fields.insert("free_at".to_owned(), time.into());
    }
    if let (Json::Object(fields), Some(repairs)) = (&mut value, repairs) {
        fields.insert(
            "repairs".to_owned(),
            json!({
                "found": repairs.found,
                "unbounded": repairs.unbounded,
                "complete": repairs.complete,
            }),
        );
    }
    if let (Json::Object(fields), Some(instead)) = (&mut value, instead) {
        fields.insert(
            "instead".to_owned(),
            json!({
                "server": instead.server,
                "tool": instead.tool,
                "args": to_json(&instead.args),
            }),
        );
    }
    value
}
