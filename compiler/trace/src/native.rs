//! The native format: JSON lines, one event a line (`docs/traces.md`).

use ctr_runtime::event::Status;
use ctr_runtime::value::{Record, Value};

use super::access::{self, entries, field, id, integer, optional_text, required_text, timestamp};
use super::{OwnedKind, Step, Traced};

/// What a line may hold beside `kind`.
const META: [&str; 6] = ["agent", "server", "time", "turn", "depth", "tokens"];

/// What a line can be.
#[derive(Clone, Copy)]
enum Kind {
    Context,
    Lookup,
    Input,
    Output,
    Call,
    Return,
    Event,
}

impl Kind {
    fn of(name: &str) -> Result<Self, String> {
        Ok(match name {
            "context" => Self::Context,
            "lookup" => Self::Lookup,
            "input" => Self::Input,
            "output" => Self::Output,
            "call" => Self::Call,
            "return" => Self::Return,
            "event" => Self::Event,
            other => {
                return Err(format!(
                    "the kind `{other}` is none of call, return, input, output, event, context, lookup"
                ));
            }
        })
    }
}

/// A field's value, moved out of the record.
fn taken(value: &mut Value, name: &str) -> Option<Value> {
    match value {
        Value::Record(record) => record.get_mut(name).map(std::mem::take),
        _ => None,
    }
}

/// A text field that must be there, moved out of the record.
fn taken_text(value: &mut Value, name: &str) -> Result<String, String> {
    required_text(value, name)?;
    match taken(value, name) {
        Some(Value::Str(text)) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// The id, moved out of the record where it is a text.
fn taken_id(value: &mut Value) -> Result<Option<String>, String> {
    match field(value, "id") {
        Some(Value::Str(text)) if !text.is_empty() => taken_text(value, "id").map(Some),
        _ => id(value, "id"),
    }
}

/// Reads one record of a native session; what the event holds is moved out of it.
///
/// # Errors
///
/// What is wrong with it, in plain words.
pub fn step(value: &mut Value, line: usize) -> Result<Step, String> {
    let what = Kind::of(required_text(value, "kind")?)?;
    let (kind, known): (OwnedKind, &[&str]) = match what {
        Kind::Context => {
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
        Kind::Lookup => {
            only_known(value, &["name", "args", "value"])?;
            return Ok(Step::Lookup {
                name: taken_text(value, "name")?,
                args: entries(value, "args")?.to_vec(),
                value: field(value, "value")
                    .ok_or("the field `value` is missing")?
                    .clone(),
            });
        }
        Kind::Input => (
            OwnedKind::Input {
                text: taken_text(value, "text")?,
            },
            &["text"],
        ),
        Kind::Output => (
            OwnedKind::Output {
                text: taken_text(value, "text")?,
            },
            &["text"],
        ),
        Kind::Call => (
            OwnedKind::Call {
                id: taken_id(value)?,
                tool: taken_text(value, "tool")?,
                args: taken(value, "args").unwrap_or_else(|| Value::Record(Record::new())),
            },
            &["id", "tool", "args"],
        ),
        Kind::Return => (
            OwnedKind::Return {
                id: taken_id(value)?,
                tool: optional_text(value, "tool")?.map(str::to_owned),
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
                result: taken(value, "result"),
                error: match field(value, "error") {
                    None | Some(Value::Null) => None,
                    Some(Value::Str(text)) => Some(text.clone()),
                    Some(other) => Some(ctr_runtime::text::text(other).into_owned()),
                },
            },
            &["id", "tool", "status", "result", "error"],
        ),
        Kind::Event => (
            OwnedKind::Declared {
                name: taken_text(value, "name")?,
                fields: match field(value, "fields") {
                    None => Value::Record(Record::new()),
                    Some(Value::Record(_)) => taken(value, "fields").unwrap_or_default(),
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
    };
    only_known(value, known)?;
    let mut event = Traced::new(kind, line);
    event.agent = optional_text(value, "agent")?.map(str::to_owned);
    event.server = optional_text(value, "server")?.map(str::to_owned);
    event.time = timestamp(value, "time")?;
    event.turn = integer(value, "turn")?;
    event.depth = integer(value, "depth")?;
    event.tokens = integer(value, "tokens")?;
    Ok(Step::Event(event))
}

/// Names that other formats give to what a field here holds.
const ALIASES: [(&str, &str); 6] = [
    ("arguments", "args"),
    ("input", "args"),
    ("timestamp", "time"),
    ("ts", "time"),
    ("output", "result"),
    ("message", "text"),
];

/// A misspelt field must not pass for a missing one: a field that the format does not know is an
/// error where its name is near that of a field that is not there, or is another format's name for it.
/// Other fields are free for other tools.
fn only_known(value: &Value, known: &[&str]) -> Result<(), String> {
    let Value::Record(fields) = value else {
        return Ok(());
    };
    let missing: Vec<&str> = known
        .iter()
        .chain(&META)
        .copied()
        .filter(|name| fields.get(name).is_none())
        .collect();
    for (name, _) in fields.iter() {
        if name == "kind" || known.contains(&name) || META.contains(&name) {
            continue;
        }
        let alias = ALIASES
            .iter()
            .find(|(alias, of)| *alias == name && missing.contains(of))
            .map(|(_, of)| *of);
        let meant = alias.or_else(|| ctr_front::suggest::nearest(name, missing.iter().copied()));
        if let Some(meant) = meant {
            return Err(format!(
                "the field `{name}` is unknown here; did you mean `{meant}`?"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn read(text: &str) -> Result<Step, String> {
        step(&mut ctr_runtime::json::parse(text).unwrap(), 1)
    }

    #[test]
    fn reads_every_kind() {
        for line in [
            r#"{"kind":"context","set":{"customer_id":"c1"}}"#,
            r#"{"kind":"input","text":"please"}"#,
            r#"{"kind":"call","id":"c1","tool":"t","args":{},"agent":"a","server":"s","time":"2026-11-30T10:00:00Z"}"#,
            r#"{"kind":"call","tool":"t","time":12.5,"turn":1,"depth":0,"tokens":9,"x_mine":[1]}"#,
            r#"{"kind":"return","id":7,"status":"failure","error":"no"}"#,
            r#"{"kind":"output","text":"done","tokens":12}"#,
            r#"{"kind":"event","name":"approval","fields":{"by":"lead"}}"#,
            r#"{"kind":"lookup","name":"owner","args":["o1"],"value":null}"#,
        ] {
            assert!(read(line).is_ok(), "{line}: {:?}", read(line));
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (line, wanted) in [
            (r#"{"kind":"cal","tool":"t"}"#, "`cal` is none of"),
            (r#"{"kind":"call"}"#, "`tool` is missing"),
            (
                r#"{"kind":"call","tool":7}"#,
                "`tool` is a number, not a string",
            ),
            (
                r#"{"kind":"call","tool":"t","agnet":"a"}"#,
                "`agnet` is unknown",
            ),
            (r#"{"kind":"return","status":"ok"}"#, "`ok` is none of"),
            (
                r#"{"kind":"return","status":"success","tool":[]}"#,
                "`tool` is a list",
            ),
            (
                r#"{"kind":"output","text":"a","turn":1.5}"#,
                "`turn` is not an integer",
            ),
            (
                r#"{"kind":"output","text":"a","time":"noon"}"#,
                "`time` is no RFC 3339",
            ),
            (r#"{"kind":"context","set":[]}"#, "`set` is a list"),
            (
                r#"{"kind":"lookup","name":"n","args":{},"value":1}"#,
                "`args` is",
            ),
            (
                r#"{"kind":"event","name":"n","fields":3}"#,
                "`fields` is a number",
            ),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(wanted), "{line}: {error}");
        }
    }

    #[test]
    fn fields_of_others_are_free_and_slips_are_told() {
        for line in [
            r#"{"kind":"call","tool":"t","args":{},"trace_id":"7","cost":{"usd":1}}"#,
            r#"{"kind":"input","text":"t","language":"en"}"#,
        ] {
            assert!(read(line).is_ok(), "{line}");
        }
        for (line, meant) in [
            (r#"{"kind":"call","tool":"t","argz":{}}"#, "`args`"),
            (r#"{"kind":"call","tool":"t","arguments":{}}"#, "`args`"),
            (
                r#"{"kind":"call","tool":"t","args":{},"timestamp":3}"#,
                "`time`",
            ),
            (
                r#"{"kind":"call","tool":"t","args":{},"agnet":"a"}"#,
                "`agent`",
            ),
        ] {
            let what = read(line).unwrap_err();
            assert!(what.contains(meant), "{line}: {what}");
        }
        // Beside the field itself a like name is another's.
        assert!(read(r#"{"kind":"call","tool":"t","args":{},"time":1,"timestamp":2}"#).is_ok());
    }
}
