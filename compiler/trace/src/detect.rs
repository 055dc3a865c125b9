//! Which sessions a text holds, and in which format.

use std::cell::RefCell;

use ctr_runtime::json::{self, JsonErrorKind, Selection};
use ctr_runtime::value::Value;

use super::access::{field, list};
use super::{
    Format, Numbered, Session, Step, Traced, Unreadable, anthropic, exchange, mcp, native, openai,
    tau2,
};

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

/// What the numbers of records count, and so what errors speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Lines of the file.
    Lines,
    /// Records of the session.
    Records,
}

/// Splits a text into sessions.
///
/// # Errors
///
/// Where it is neither JSON nor JSON lines, or nothing that a reader knows.
pub fn split<'t>(name: &str, text: &'t str) -> Result<Vec<Piece<'t>>, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let Some(&(first_line, first)) = lines.first() else {
        // No line: a session in which nothing happened.
        return Ok(vec![Piece {
            name: name.to_owned(),
            body: Body::Lines(Vec::new()),
        }]);
    };
    let parsed = json::parse(first);
    let record = match parsed {
        Ok(record @ (Value::Record(_) | Value::List(_))) if lines.len() > 1 => record,
        // An event or message alone is a session of one line.
        Ok(record @ Value::Record(_))
            if lines.len() == 1 && !is_session(&record) && shape(&record).is_some() =>
        {
            record
        }
        Ok(record) if lines.len() == 1 => return whole(name, record, first_line),
        other => {
            return match json::parse(text) {
                Ok(value) => whole(name, value, first_line),
                Err(error) => {
                    // A text that begins like a record a line is told of its first line, any other
                    // of the place where it stops being JSON.
                    let (line, what) = match other {
                        Err(error) if is_broken_line(first, &error.kind) => (first_line, error),
                        _ => (line_of(text, error.offset), error),
                    };
                    Err(Unreadable {
                        name: name.to_owned(),
                        line: Some(line),
                        what: what.to_string(),
                    })
                }
            };
        }
    };
    if exchange::looks_like(&record) {
        let records = parse_lines(name, &lines)?;
        return conversations(name, &numbered(&records));
    }
    let is_session = is_session(&record)
        || (!mcp::looks_like(&record)
            && record
                .as_list()
                .and_then(<[Value]>::first)
                .is_some_and(|first| shape(first).is_some()));
    if is_session {
        return Ok(lines
            .into_iter()
            .map(|(line, text)| Piece {
                name: format!("{name}:{line}"),
                body: Body::Record(line, text),
            })
            .collect());
    }
    if shape(&record).is_none() && !anthropic::is_side_line(&record) {
        return Err(unknown(name, Some(first_line)));
    }
    Ok(vec![Piece {
        name: name.to_owned(),
        body: Body::Lines(lines),
    }])
}

/// Reads a session.
///
/// # Errors
///
/// What could not be read; nothing is left out.
pub fn read(piece: &Piece<'_>) -> Result<Session, Unreadable> {
    match &piece.body {
        Body::Lines(lines) => {
            let mut records = parse_lines(&piece.name, lines)?;
            let session = lines_session(&piece.name, &mut records);
            give_back(records.into_iter().map(|(_, record)| record));
            session
        }
        Body::Record(line, text) => {
            let value = parse_document(text).map_err(|error| Unreadable {
                name: piece.name.clone(),
                // The name has the line already, which is of the file and not of the session.
                line: None,
                what: format!("line {line}: {error}"),
            })?;
            let session = document_session(&piece.name, &value);
            give_back([value]);
            session
        }
        Body::Value(value) => document_session(&piece.name, value),
    }
}

thread_local! {
    /// Reads all records of a thread, so that each uses the memory of those before it.
    static PARSER: RefCell<json::Parser> = RefCell::default();
    /// What is read of a session in one record: what [`document_session`] looks at.
    static DOCUMENT: Selection = document();
}

fn document() -> Selection {
    use ctr_runtime::json::Step::{Field, Item};
    let mut parts = Selection::default();
    parts.add([Item]);
    for name in HOLDERS.into_iter().chain(["reward"]) {
        parts.add([Field(name)]);
    }
    parts.add([Field("reward_info"), Field("reward")]);
    parts
}

fn parse(text: &str) -> Result<Value, json::JsonError> {
    PARSER.with_borrow_mut(|parser| parser.parse(text))
}

fn parse_document(text: &str) -> Result<Value, json::JsonError> {
    DOCUMENT.with(|parts| PARSER.with_borrow_mut(|parser| parser.parse_selected(text, parts)))
}

fn give_back(values: impl IntoIterator<Item = Value>) {
    PARSER.with_borrow_mut(|parser| values.into_iter().for_each(|value| parser.give_back(value)));
}

/// A session of lines. Events in the native format are moved out of their records.
fn lines_session(name: &str, records: &mut [(usize, Value)]) -> Result<Session, Unreadable> {
    if records.iter().find_map(|(_, record)| shape(record)) != Some(Shape::Native) {
        return records_session(name, &numbered(records), Numbers::Lines);
    }
    records
        .iter_mut()
        .map(|(line, record)| native::step(record, *line).map_err(|what| (*line, what)))
        .collect::<Result<Vec<Step>, _>>()
        .map(|steps| Session {
            name: name.to_owned(),
            format: Format::Native,
            steps,
            reward: None,
        })
        .map_err(|error| unreadable(name, Numbers::Lines, error))
}

fn parse_lines(name: &str, lines: &[(usize, &str)]) -> Result<Vec<(usize, Value)>, Unreadable> {
    lines
        .iter()
        .map(|(line, text)| match parse(text) {
            Ok(value) => Ok((*line, value)),
            Err(error) => Err(Unreadable {
                name: name.to_owned(),
                line: Some(*line),
                what: error.to_string(),
            }),
        })
        .collect()
}

fn numbered(records: &[(usize, Value)]) -> Vec<Numbered<'_>> {
    records.iter().map(|(line, value)| (*line, value)).collect()
}

/// The records of a list, numbered from 1.
fn counted(records: &[Value]) -> Vec<Numbered<'_>> {
    records
        .iter()
        .enumerate()
        .map(|(index, value)| (index + 1, value))
        .collect()
}

/// Whether a record is a session of its own rather than an event or message of one.
fn is_session(record: &Value) -> bool {
    field(record, "messages").is_some()
        || field(record, "simulations").is_some()
        || field(record, "loglines").is_some()
        || exchange::holds_some(record)
}

/// What a record of a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Native,
    Mcp,
    Message,
}

/// The shape of a record that tells its format; lines beside the messages of a transcript tell none.
fn shape(record: &Value) -> Option<Shape> {
    if mcp::looks_like(record) {
        Some(Shape::Mcp)
    } else if anthropic::is_wrapped(record) {
        Some(Shape::Message)
    } else if field(record, "kind").is_some() {
        Some(Shape::Native)
    } else if field(record, "role").is_some() || openai::is_item(record) {
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
    let each = |items: &[Value]| {
        items
            .iter()
            .enumerate()
            .map(|(index, item)| one(format!("{name}:{}", index + 1), item.clone()))
            .collect()
    };
    if let Some(Value::List(simulations)) = field(&value, "simulations") {
        return Ok(each(simulations));
    }
    if exchange::holds_some(&value) {
        return conversations(name, &counted(list(&value, "exchanges")));
    }
    if exchange::looks_like(&value) {
        return conversations(name, &[(1, &value)]);
    }
    match &value {
        Value::Record(_) if is_session(&value) => Ok(vec![one(name.to_owned(), value)]),
        Value::Record(_) if shape(&value).is_some() => {
            Ok(vec![one(name.to_owned(), Value::List(vec![value]))])
        }
        Value::List(items) if items.iter().any(exchange::looks_like) => {
            conversations(name, &counted(items))
        }
        Value::List(items) => match items.first() {
            None => Ok(vec![one(name.to_owned(), value)]),
            Some(first) if is_session(first) => Ok(each(items)),
            Some(_) if items.iter().any(|item| shape(item).is_some()) => {
                Ok(vec![one(name.to_owned(), value)])
            }
            Some(_) => Err(unknown(name, Some(line))),
        },
        _ => Err(unknown(name, Some(line))),
    }
}

/// The conversations of exchanges; numbered by their last exchange where there are several.
fn conversations<'t>(name: &str, exchanges: &[Numbered<'_>]) -> Result<Vec<Piece<'t>>, Unreadable> {
    let found =
        exchange::conversations(exchanges.iter().copied(), said).map_err(|(number, what)| {
            Unreadable {
                name: name.to_owned(),
                line: Some(number),
                what,
            }
        })?;
    let several = found.len() > 1;
    Ok(found
        .into_iter()
        .map(|conversation| Piece {
            name: if several {
                format!("{name}:{}", conversation.last)
            } else {
                name.to_owned()
            },
            body: Body::Value(Box::new(Value::List(conversation.messages))),
        })
        .collect())
}

/// What messages say, wherever they stand.
fn said(messages: &[Value]) -> Option<Vec<Step>> {
    let (_, mut steps) = message_steps(&counted(messages)).ok()?;
    for step in &mut steps {
        if let Step::Event(Traced { line, .. }) = step {
            *line = 0;
        }
    }
    Some(steps)
}

/// The fields of a session that hold its messages.
const HOLDERS: [&str; 2] = ["messages", "loglines"];

/// A session of which the whole is one document. What it looks at, [`document`] names.
fn document_session(name: &str, value: &Value) -> Result<Session, Unreadable> {
    for holder in HOLDERS {
        match field(value, holder) {
            None => {}
            Some(Value::List(messages)) => {
                let mut session = messages_session(name, &counted(messages), Numbers::Records)?;
                session.reward = tau2::reward(value);
                return Ok(session);
            }
            Some(_) => {
                return Err(Unreadable {
                    name: name.to_owned(),
                    line: None,
                    what: format!("the field `{holder}` is no list"),
                });
            }
        }
    }
    match value {
        Value::List(items) => records_session(name, &counted(items), Numbers::Records),
        _ => Err(unknown(name, None)),
    }
}

/// A session of records: events, JSON-RPC messages, or chat messages.
fn records_session(
    name: &str,
    records: &[Numbered<'_>],
    numbers: Numbers,
) -> Result<Session, Unreadable> {
    let session = |format, steps| Session {
        name: name.to_owned(),
        format,
        steps,
        reward: None,
    };
    let Some((first, _)) = records.first() else {
        return Ok(session(Format::Native, Vec::new()));
    };
    match records.iter().find_map(|(_, record)| shape(record)) {
        None => Err(unknown(name, (numbers == Numbers::Lines).then_some(*first))),
        Some(Shape::Native) => records
            .iter()
            .map(|(line, record)| {
                native::step(&mut (*record).clone(), *line).map_err(|what| (*line, what))
            })
            .collect::<Result<Vec<Step>, _>>()
            .map(|steps| session(Format::Native, steps))
            .map_err(|error| unreadable(name, numbers, error)),
        Some(Shape::Mcp) => mcp::steps(records)
            .map(|steps| session(Format::Mcp, steps))
            .map_err(|error| unreadable(name, numbers, error)),
        Some(Shape::Message) => messages_session(name, records, numbers),
    }
}

/// A session of chat messages.
fn messages_session(
    name: &str,
    messages: &[Numbered<'_>],
    numbers: Numbers,
) -> Result<Session, Unreadable> {
    let (format, steps) =
        message_steps(messages).map_err(|error| unreadable(name, numbers, error))?;
    Ok(Session {
        name: name.to_owned(),
        format,
        steps,
        reward: None,
    })
}

/// Which format of messages it is, and what they say.
fn message_steps(messages: &[Numbered<'_>]) -> Result<(Format, Vec<Step>), (usize, String)> {
    if messages
        .iter()
        .any(|(_, message)| tau2::looks_like(message))
    {
        tau2::steps(messages).map(|steps| (Format::Tau2, steps))
    } else if messages
        .iter()
        .any(|(_, m)| anthropic::looks_like(m) || anthropic::is_wrapped(m))
    {
        anthropic::steps(messages).map(|steps| (Format::Anthropic, steps))
    } else {
        openai::steps(messages).map(|steps| (Format::OpenAi, steps))
    }
}

fn unreadable(name: &str, numbers: Numbers, (number, what): (usize, String)) -> Unreadable {
    let (line, what) = match numbers {
        Numbers::Lines => (Some(number), what),
        Numbers::Records => (None, format!("message {number}: {what}")),
    };
    Unreadable {
        name: name.to_owned(),
        line,
        what,
    }
}

/// Whether the first line looks like a broken record of JSON lines rather than the beginning of a
/// document over several lines.
fn is_broken_line(line: &str, error: &JsonErrorKind) -> bool {
    let line = line.trim();
    let goes_on = *error == JsonErrorKind::End && line.ends_with(['{', '[', ',', ':']);
    line.starts_with('{') && !goes_on
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
        what:
            "this is no session in a format that is known (native events with `kind`, `messages` \
               of OpenAI, Anthropic or tau2-bench, or MCP JSON-RPC messages)"
                .to_owned(),
    }
}
