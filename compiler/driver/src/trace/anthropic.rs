//! Anthropic messages: `tool_use` and `tool_result` blocks; also transcripts whose lines wrap such
//! messages (`{"type": "assistant", "message": {...}, "timestamp": ...}`).

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{self, content_text, field, id, required_text, text, timestamp};
use super::{OwnedEvent, OwnedKind, Step};

/// Whether a message has blocks of this format.
#[must_use]
pub fn looks_like(message: &Value) -> bool {
    let message = unwrap(message);
    access::list(message, "content").iter().any(|block| {
        matches!(
            text(block, "type"),
            Some("tool_use" | "tool_result" | "thinking" | "server_tool_use")
        )
    })
}

/// Whether a record is a transcript's line around a message.
#[must_use]
pub fn is_wrapped(record: &Value) -> bool {
    field(record, "message").is_some_and(|message| field(message, "role").is_some())
}

/// Reads a list of messages or transcript lines.
///
/// # Errors
///
/// The message's number, from 1, and what is wrong with it.
pub fn steps(messages: &[Value]) -> Result<Vec<Step>, (usize, String)> {
    let mut steps = Vec::new();
    let mut turn = 0;
    for (index, message) in messages.iter().enumerate() {
        let line = index + 1;
        read(message, line, &mut turn, &mut steps).map_err(|what| (line, what))?;
    }
    Ok(steps)
}

fn unwrap(record: &Value) -> &Value {
    if is_wrapped(record) {
        field(record, "message").unwrap_or(record)
    } else {
        record
    }
}

fn read(
    record: &Value,
    line: usize,
    turn: &mut i64,
    steps: &mut Vec<Step>,
) -> Result<(), String> {
    let message = unwrap(record);
    if field(message, "role").is_none() && field(record, "type").is_some() {
        // Summaries, snapshots and other lines of a transcript that are no messages.
        return Ok(());
    }
    let time = timestamp(record, "timestamp")?;
    // A transcript marks the lines of a sub-agent.
    let agent = text(record, "agentId").or_else(|| {
        matches!(field(record, "isSidechain"), Some(Value::Bool(true))).then_some("sidechain")
    });
    let mut push = |kind, turn: i64| {
        let mut event = OwnedEvent::new(kind, line);
        event.turn = Some(turn);
        event.time = time;
        event.agent = agent.map(str::to_owned);
        steps.push(Step::Event(event));
    };
    let role = required_text(message, "role")?;
    let from_model = match role {
        "assistant" => true,
        "user" => false,
        "system" => return Ok(()),
        other => return Err(format!("the role `{other}` is neither user nor assistant")),
    };
    if from_model {
        *turn += 1;
    }
    let say = |text: String| {
        if from_model {
            OwnedKind::Output { text }
        } else {
            OwnedKind::Input { text }
        }
    };
    let blocks = match field(message, "content") {
        Some(Value::Str(text)) => {
            if !text.is_empty() {
                push(say(text.clone()), *turn);
            }
            return Ok(());
        }
        Some(Value::List(blocks)) => blocks,
        _ => return Err("the field `content` is neither a string nor a list".to_owned()),
    };
    for block in blocks.iter() {
        match text(block, "type") {
            Some("text") => {
                let said = text(block, "text").unwrap_or_default();
                if !said.is_empty() {
                    push(say(said.to_owned()), *turn);
                }
            }
            Some("tool_use" | "server_tool_use") => {
                let kind = OwnedKind::Call {
                    id: id(block, "id")?,
                    tool: required_text(block, "name")?.to_owned(),
                    args: access::arguments(field(block, "input")),
                };
                push(kind, *turn);
            }
            Some(kind) if kind.ends_with("tool_result") => {
                let failed = matches!(field(block, "is_error"), Some(Value::Bool(true)));
                let content = field(block, "content");
                let result = match content {
                    None => Value::Null,
                    Some(content) => {
                        content_text(content).map_or_else(|| content.clone(), Value::from)
                    }
                };
                let kind = OwnedKind::Return {
                    id: id(block, "tool_use_id")?,
                    tool: None,
                    status: if failed {
                        Status::Failure
                    } else {
                        Status::Success
                    },
                    error: failed.then(|| ctr_runtime::text::text(&result).into_owned()),
                    result: Some(result),
                };
                push(kind, *turn);
            }
            // Thinking, images and documents are no events.
            _ => {}
        }
    }
    Ok(())
}
