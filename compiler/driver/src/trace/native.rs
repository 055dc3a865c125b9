//! The native format: JSON lines, one event a line (`docs/traces.md`).

use ctr_runtime::event::Status;
use ctr_runtime::value::{Record, Value};

use super::access::{self, field, id, integer, list, required_text, text, timestamp};
use super::{OwnedEvent, OwnedKind, Step};

/// What a line may hold beside `kind`.
const META: [&str; 6] = ["agent", "server", "time", "turn", "depth", "tokens"];

/// Reads one record of a native session.
///
/// # Errors
///
/// What is wrong with it, in plain words.
pub fn step(value: &Value, line: usize) -> Result<Step, String> {
    let kind = required_text(value, "kind")?;
    let (kind, known): (OwnedKind, &[&str]) = match kind {
        "context" => {
            only_known(value, &["set"])?;
            return match field(value, "set") {
                Some(set @ Value::Record(_)) => Ok(Step::Context(set.clone())),
                Some(other) => Err(format!(
                    "the field `set` is {}, not an object",
                    access::described(other)
                )),
                None => Err("the field `set` is missing".to_owned()),
            };
        }
        "lookup" => {
            only_known(value, &["name", "args", "value"])?;
            return Ok(Step::Lookup {
                name: required_text(value, "name")?.to_owned(),
                args: list(value, "args").to_vec(),
                value: field(value, "value")
                    .ok_or("the field `value` is missing")?
                    .clone(),
            });
        }
        "input" => (
            OwnedKind::Input {
                text: required_text(value, "text")?.to_owned(),
            },
            &["text"],
        ),
        "output" => (
            OwnedKind::Output {
                text: required_text(value, "text")?.to_owned(),
            },
            &["text"],
        ),
        "call" => (
            OwnedKind::Call {
                id: id(value, "id")?,
                tool: required_text(value, "tool")?.to_owned(),
                args: match field(value, "args") {
                    None => Value::Record(Record::new()),
                    Some(args) => args.clone(),
                },
            },
            &["id", "tool", "args"],
        ),
        "return" => (
            OwnedKind::Return {
                id: id(value, "id")?,
                tool: text(value, "tool").map(str::to_owned),
                status: match required_text(value, "status")? {
                    "success" => Status::Success,
                    "failure" => Status::Failure,
                    "unknown" => Status::Unknown,
                    other => {
                        return Err(format!(
                            "the status `{other}` is none of success, failure, unknown"
                        ));
                    }
                },
                result: field(value, "result").cloned(),
                error: match field(value, "error") {
                    None | Some(Value::Null) => None,
                    Some(Value::Str(text)) => Some(text.clone()),
                    Some(other) => Some(ctr_runtime::text::text(other).into_owned()),
                },
            },
            &["id", "tool", "status", "result", "error"],
        ),
        "event" => (
            OwnedKind::Declared {
                name: required_text(value, "name")?.to_owned(),
                fields: match field(value, "fields") {
                    None => Value::Record(Record::new()),
                    Some(fields @ Value::Record(_)) => fields.clone(),
                    Some(other) => {
                        return Err(format!(
                            "the field `fields` is {}, not an object",
                            access::described(other)
                        ));
                    }
                },
            },
            &["name", "fields"],
        ),
        other => {
            return Err(format!(
                "the kind `{other}` is none of call, return, input, output, event, context, lookup"
            ));
        }
    };
    only_known(value, known)?;
    let mut event = OwnedEvent::new(kind, line);
    event.agent = optional_text(value, "agent")?;
    event.server = optional_text(value, "server")?;
    event.time = timestamp(value, "time")?;
    event.turn = integer(value, "turn")?;
    event.depth = integer(value, "depth")?;
    event.tokens = integer(value, "tokens")?;
    Ok(Step::Event(event))
}

/// A text field that may be missing or null.
fn optional_text(value: &Value, name: &str) -> Result<Option<String>, String> {
    match access::field(value, name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => required_text(value, name).map(|text| Some(text.to_owned())),
    }
}

/// A misspelt field must not pass for a missing one: fields that the format does not know are
/// errors, but for those that begin with `x_`, which are free for other tools.
fn only_known(value: &Value, known: &[&str]) -> Result<(), String> {
    let Value::Record(fields) = value else {
        return Ok(());
    };
    for (name, _) in fields.iter() {
        if name != "kind"
            && !known.contains(&name)
            && !META.contains(&name)
            && !name.starts_with("x_")
        {
            return Err(format!("the field `{name}` is unknown here"));
        }
    }
    Ok(())
}
