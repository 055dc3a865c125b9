//! Which sessions a text holds, and in which format.

use ctr_runtime::json;
use ctr_runtime::value::Value;

use super::access::field;
use super::{Format, Session, Step, Unreadable, anthropic, exchange, mcp, native, openai, tau2};

/// A session's text, not yet read, so that many can be read at once.
#[derive(Clone, Debug)]
pub struct Piece<'t> {
    /// The session's name.
    pub name: String,
    body: Body<'t>,
}

#[derive(Clone, Debug)]
enum Body<'t> {
    /// Records, a line each: line number, text.
    Lines(Vec<(usize, &'t str)>),
    /// A session in one record, with its line.
    Record(usize, &'t str),
    /// Already parsed.
    Value(Box<Value>),
}

/// Splits a text into sessions.
///
/// # Errors
///
/// Where it is neither JSON nor JSON lines, or nothing that a reader knows.
pub fn split<'t>(name: &str, text: &'t str) -> Result<Vec<Piece<'t>>, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim().is_empty());
    let Some((first_line, first)) = lines.next() else {
        // No line: a session in which nothing happened.
        return Ok(vec![Piece {
            name: name.to_owned(),
            body: Body::Lines(Vec::new()),
        }]);
    };
    match json::parse(first) {
        Ok(record @ Value::Record(_)) => {
            let rest: Vec<(usize, &str)> = lines.collect();
            let sessions = is_session(&record);
            if sessions && rest.is_empty() {
                return whole(name, record, first_line);
            }
            let all = std::iter::once((first_line, first)).chain(rest);
            if sessions {
                return Ok(all
                    .map(|(line, text)| Piece {
                        name: format!("{name}:{line}"),
                        body: Body::Record(line, text),
                    })
                    .collect());
            }
            if shape(&record).is_none() {
                return Err(unknown(name, Some(first_line)));
            }
            Ok(vec![Piece {
                name: name.to_owned(),
                body: Body::Lines(all.collect()),
            }])
        }
        Ok(other) if lines.next().is_none() => whole(name, other, first_line),
        _ => match json::parse(text) {
            Ok(value) => whole(name, value, first_line),
            Err(error) => {
                // A text that begins like a record a line is told of its first line, any other of
                // the place where it stops being JSON.
                let (line, what) = match json::parse(first) {
                    Err(error) if looks_like_lines(first) => (first_line, error.to_string()),
                    _ => (line_of(text, error.offset), error.to_string()),
                };
                Err(Unreadable {
                    name: name.to_owned(),
                    line: Some(line),
                    what,
                })
            }
        },
    }
}

/// Reads a session.
///
/// # Errors
///
/// What could not be read; nothing is left out.
pub fn read(piece: &Piece<'_>) -> Result<Session, Unreadable> {
    let unreadable = |line, what| Unreadable {
        name: piece.name.clone(),
        line,
        what,
    };
    match &piece.body {
        Body::Lines(lines) => {
            let mut records = Vec::with_capacity(lines.len());
            for (line, text) in lines {
                let record = json::parse(text)
                    .map_err(|error| unreadable(Some(*line), error.to_string()))?;
                records.push((*line, record));
            }
            records_session(&piece.name, &records)
        }
        Body::Record(line, text) => {
            let value =
                json::parse(text).map_err(|error| unreadable(Some(*line), error.to_string()))?;
            document_session(&piece.name, &value)
        }
        Body::Value(value) => document_session(&piece.name, value),
    }
}

/// Whether a record is a session of its own rather than an event or message of one.
fn is_session(record: &Value) -> bool {
    field(record, "messages").is_some()
        || field(record, "simulations").is_some()
        || exchange::looks_like(record)
}

/// What a record of a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Native,
    Mcp,
    Message,
}

fn shape(record: &Value) -> Option<Shape> {
    if field(record, "kind").is_some() {
        Some(Shape::Native)
    } else if mcp::looks_like(record) {
        Some(Shape::Mcp)
    } else if field(record, "role").is_some()
        || anthropic::is_wrapped(record)
        || field(record, "type").is_some()
    {
        Some(Shape::Message)
    } else {
        None
    }
}

/// The sessions of a document that is parsed already.
fn whole<'t>(name: &str, value: Value, line: usize) -> Result<Vec<Piece<'t>>, Unreadable> {
    let one = |name: String, value: Value| Piece {
        name,
        body: Body::Value(Box::new(value)),
    };
    if let Some(Value::List(simulations)) = field(&value, "simulations") {
        return Ok(simulations
            .iter()
            .enumerate()
            .map(|(index, simulation)| one(format!("{name}:{}", index + 1), simulation.clone()))
            .collect());
    }
    match &value {
        Value::Record(_) if is_session(&value) => Ok(vec![one(name.to_owned(), value)]),
        Value::Record(_) if shape(&value).is_some() => Ok(vec![one(
            name.to_owned(),
            Value::List(vec![value]),
        )]),
        Value::List(items) => match items.first() {
            None => Ok(vec![one(name.to_owned(), value)]),
            Some(first) if field(first, "exchanges").is_none() && exchange::looks_like(first) => {
                Ok(vec![one(name.to_owned(), value)])
            }
            Some(first) if is_session(first) => Ok(items
                .iter()
                .enumerate()
                .map(|(index, item)| one(format!("{name}:{}", index + 1), item.clone()))
                .collect()),
            Some(first) if shape(first).is_some() => Ok(vec![one(name.to_owned(), value)]),
            Some(_) => Err(unknown(name, Some(line))),
        },
        _ => Err(unknown(name, Some(line))),
    }
}

/// A session of which the whole is one document.
fn document_session(name: &str, value: &Value) -> Result<Session, Unreadable> {
    let unreadable = |what: String| Unreadable {
        name: name.to_owned(),
        line: None,
        what,
    };
    if exchange::looks_like(value) {
        let messages = exchange::messages(std::slice::from_ref(value))
            .ok_or_else(|| unreadable("the last request has no list of messages".to_owned()))?;
        return messages_session(name, &messages);
    }
    if let Some(messages) = field(value, "messages") {
        let Some(messages) = messages.as_list() else {
            return Err(unreadable("the field `messages` is no list".to_owned()));
        };
        let mut session = messages_session(name, messages)?;
        session.reward = tau2::reward(value);
        return Ok(session);
    }
    let Some(items) = value.as_list() else {
        return Err(unknown(name, None));
    };
    if items.first().is_some_and(exchange::looks_like) {
        let messages = exchange::messages(items)
            .ok_or_else(|| unreadable("the last request has no list of messages".to_owned()))?;
        return messages_session(name, &messages);
    }
    let records: Vec<(usize, Value)> = items
        .iter()
        .enumerate()
        .map(|(index, item)| (index + 1, item.clone()))
        .collect();
    records_session(name, &records)
}

/// A session of records: events, JSON-RPC messages, or chat messages.
fn records_session(name: &str, records: &[(usize, Value)]) -> Result<Session, Unreadable> {
    let unreadable = |line: usize, what: String| Unreadable {
        name: name.to_owned(),
        line: Some(line),
        what,
    };
    let session = |format, steps| Session {
        name: name.to_owned(),
        format,
        steps,
        reward: None,
    };
    let shape = records.first().map_or(Some(Shape::Native), |(_, r)| shape(r));
    let line_of = |index: usize| {
        index
            .checked_sub(1)
            .and_then(|index| records.get(index))
            .map_or(index, |(line, _)| *line)
    };
    match shape {
        None => Err(unknown(name, records.first().map(|(line, _)| *line))),
        Some(Shape::Native) => {
            let steps = records
                .iter()
                .map(|(line, record)| {
                    native::step(record, *line).map_err(|what| unreadable(*line, what))
                })
                .collect::<Result<Vec<Step>, Unreadable>>()?;
            Ok(session(Format::Native, steps))
        }
        Some(Shape::Mcp) => {
            let values: Vec<Value> = records.iter().map(|(_, r)| r.clone()).collect();
            let steps = mcp::steps(&values)
                .map_err(|(index, what)| unreadable(line_of(index), what))?;
            Ok(session(Format::Mcp, steps))
        }
        Some(Shape::Message) => {
            let values: Vec<Value> = records.iter().map(|(_, r)| r.clone()).collect();
            messages_session(name, &values).map_err(|error| Unreadable {
                line: error.line.map(line_of),
                ..error
            })
        }
    }
}

/// A session of chat messages; `line` of an error is the message's number, from 1.
fn messages_session(name: &str, messages: &[Value]) -> Result<Session, Unreadable> {
    let format = if messages.iter().any(tau2::looks_like) {
        Format::Tau2
    } else if messages
        .iter()
        .any(|m| anthropic::looks_like(m) || anthropic::is_wrapped(m))
    {
        Format::Anthropic
    } else {
        Format::OpenAi
    };
    let steps = match format {
        Format::Tau2 => tau2::steps(messages),
        Format::Anthropic => anthropic::steps(messages),
        _ => openai::steps(messages),
    };
    let steps = steps.map_err(|(line, what)| Unreadable {
        name: name.to_owned(),
        line: Some(line),
        what: format!("message {line}: {what}"),
    })?;
    Ok(Session {
        name: name.to_owned(),
        format,
        steps,
        reward: None,
    })
}

/// Whether a line begins like a record of JSON lines rather than a document over several lines.
fn looks_like_lines(line: &str) -> bool {
    let line = line.trim();
    line.len() > 2 && line.starts_with('{')
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

fn unknown(name: &str, line: Option<usize>) -> Unreadable {
    Unreadable {
        name: name.to_owned(),
        line,
        what: "this is no session in a format that is known (native events with `kind`, `messages` \
               of OpenAI, Anthropic or tau2-bench, or MCP JSON-RPC messages)"
            .to_owned(),
    }
}
