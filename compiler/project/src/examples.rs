//! Sessions that show what a contract accepts and rejects, ready to be told.

use std::collections::BTreeMap;

use ctr_check::Shown;
use ctr_runtime::decision::{Reason, Value3, Violation};
use ctr_runtime::format::Library;
use ctr_trace::judge;
use serde_json::Value;

use crate::error::Fault;

/// A line of a session.
#[derive(Clone, Debug)]
pub struct Row {
    /// The event's number as `ctrc replay` counts, from 0; `None` for what the host says.
    pub number: Option<u64>,
    /// What happens: `call`, `success`.
    pub what: String,
    /// The tool or the event, where there is one.
    pub of: String,
    /// Its values as JSON.
    pub values: String,
    /// What the contract says of it.
    pub said: Option<String>,
}

/// A session, or why there is none.
#[derive(Clone, Debug)]
pub enum Example {
    /// A session, replayed by the runtime.
    Session {
        /// Its lines in words.
        rows: Vec<Row>,
        /// What the contract says at its end, where it says something.
        end: Option<String>,
        /// The lines of the native trace format.
        lines: Vec<String>,
        /// Whether it is proven that none is shorter.
        shortest: bool,
    },
    /// There is none.
    Never,
    /// It is not known.
    Open(String),
}

/// A session that was found, replayed once more: it has to come to `value` for a contract. Times are told if `timed`.
///
/// # Errors
///
/// Where it cannot be read: a fault of the compiler.
pub fn example(
    library: &Library<'_>,
    contract: usize,
    name: &str,
    found: &Shown,
    value: Value3,
    timed: bool,
) -> Result<Example, Fault> {
    let lines = match found {
        Shown::Session { lines, .. } => lines,
        Shown::Never { .. } => return Ok(Example::Never),
        Shown::Open(reason) => return Ok(Example::Open(reason.clone())),
    };
    let report = judge::shown(library, &format!("`{name}`"), lines).map_err(Fault)?;
    let Some(outcome) = report
        .outcome
        .contracts
        .get(contract)
        .filter(|outcome| outcome.value == value)
    else {
        let reason = "the session that was found is not what was asked for";
        return Ok(Example::Open(reason.to_owned()));
    };
    let mut number = 0;
    let mut rows: Vec<Row> = Vec::new();
    let mut tools: BTreeMap<String, String> = BTreeMap::new();
    for line in lines {
        let mut row = row(line, timed, &mut tools);
        if row.number.is_some() {
            row.number = Some(number);
            row.said = outcome
                .violations
                .iter()
                .find(|violation| violation.event == Some(number))
                .and_then(said);
            number += 1;
        }
        rows.push(row);
    }
    let end = outcome
        .violations
        .iter()
        .find(|violation| violation.reason == Reason::PendingAtEnd)
        .map(|violation| match violation.event {
            Some(event) => format!("what event {event} began is still owed: violated"),
            None => "what is owed from the start has not happened: violated".to_owned(),
        });
    let shortest = matches!(found, Shown::Session { shortest: true, .. });
    Ok(Example::Session {
        rows,
        end,
        lines: lines.clone(),
        shortest,
    })
}

/// What a violation says of its event; one at the end says nothing of it.
fn said(violation: &Violation) -> Option<String> {
    let text = match violation.reason {
        Reason::Violated | Reason::Anticipated => "violated".to_owned(),
        Reason::Deadline => "violated: the deadline has passed".to_owned(),
        Reason::Undetermined => match &violation.detail {
            Some(detail) => format!("undetermined: {detail}"),
            None => "undetermined".to_owned(),
        },
        Reason::PendingAtEnd => return None,
    };
    Some(text)
}

/// A line of the native trace format in words; lines that cannot be read are told as they are. `tools` are those of the
/// calls so far, by id.
fn row(line: &str, timed: bool, tools: &mut BTreeMap<String, String>) -> Row {
    let mut out = Row {
        number: None,
        what: String::new(),
        of: String::new(),
        values: String::new(),
        said: None,
    };
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(line) else {
        line.clone_into(&mut out.what);
        return out;
    };
    let text = |name: &str| {
        fields
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let json = |name: &str| fields.get(name).map(Value::to_string).unwrap_or_default();
    match text("kind").as_str() {
        "call" => {
            out.number = Some(0);
            out.what = "call".to_owned();
            out.of = match fields.get("server").and_then(Value::as_str) {
                Some(server) => format!("{server}.{}", text("tool")),
                None => text("tool"),
            };
            tools.insert(text("id"), out.of.clone());
            out.values = json("args");
        }
        "return" => {
            out.number = Some(0);
            out.what = match text("status").as_str() {
                "success" => "successful return".to_owned(),
                "failure" => "failed return".to_owned(),
                _ => "unknown outcome".to_owned(),
            };
            out.of = tools.get(&text("id")).cloned().unwrap_or_default();
            out.values = json("result");
        }
        "input" => {
            out.number = Some(0);
            out.what = "message to the agent".to_owned();
            out.values = json("text");
        }
        "output" => {
            out.number = Some(0);
            out.what = "message by the agent".to_owned();
            out.values = json("text");
        }
        "event" => {
            out.number = Some(0);
            out.what = "event".to_owned();
            out.of = text("name");
            out.values = json("fields");
        }
        "context" => {
            out.what = "the host sets".to_owned();
            out.values = json("set");
        }
        "lookup" => {
            out.what = "the host answers".to_owned();
            out.of = text("name");
            let args = json("args");
            let args = args
                .strip_prefix('[')
                .and_then(|args| args.strip_suffix(']'))
                .unwrap_or(&args);
            out.values = format!("({args}) = {}", json("value"));
        }
        other => other.clone_into(&mut out.what),
    }
    let facts = ["agent", "turn", "depth", "tokens"];
    let meta: Vec<String> = fields
        .iter()
        .filter(|(name, _)| facts.contains(&name.as_str()) || (timed && *name == "time"))
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name} {text}"),
            value => format!("{name} {value}"),
        })
        .collect();
    if !meta.is_empty() {
        if !out.values.is_empty() {
            out.values.push(' ');
        }
        out.values.push_str(&format!("({})", meta.join(", ")));
    }
    out
}
