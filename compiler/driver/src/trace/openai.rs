//! OpenAI messages: chat completions (`tool_calls`, `role: tool`, the older `function_call`) and
//! items of the Responses API.

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{self, content_text, field, id, list, required_text};
use super::{OwnedEvent, OwnedKind, Step};

/// Reads a list of messages or items.
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

fn read(
    message: &Value,
    line: usize,
    turn: &mut i64,
    steps: &mut Vec<Step>,
) -> Result<(), String> {
    let mut push = |kind, turn: i64| {
        let mut event = OwnedEvent::new(kind, line);
        event.turn = Some(turn);
        steps.push(Step::Event(event));
    };
    match access::text(message, "type") {
        Some("function_call" | "custom_tool_call") => {
            let kind = OwnedKind::Call {
                id: id(message, "call_id")?.or(id(message, "id")?),
                tool: required_text(message, "name")?.to_owned(),
                args: access::arguments(
                    field(message, "arguments").or_else(|| field(message, "input")),
                ),
            };
            push(kind, *turn);
            return Ok(());
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let kind = returned(id(message, "call_id")?, None, field(message, "output"));
            push(kind, *turn);
            return Ok(());
        }
        Some("reasoning" | "item_reference") => return Ok(()),
        _ => {}
    }
    let role = required_text(message, "role")?;
    let said = field(message, "content")
        .and_then(content_text)
        .filter(|text| !text.is_empty());
    match role {
        "system" | "developer" => {}
        "user" => {
            if let Some(text) = said {
                push(OwnedKind::Input { text }, *turn);
            }
        }
        "assistant" => {
            *turn += 1;
            if let Some(text) = said {
                push(OwnedKind::Output { text }, *turn);
            }
            for call in list(message, "tool_calls") {
                // Custom tools carry free text as `custom.input`.
                let function = field(call, "function")
                    .or_else(|| field(call, "custom"))
                    .ok_or("a tool call has no `function`")?;
                let kind = OwnedKind::Call {
                    id: id(call, "id")?,
                    tool: required_text(function, "name")?.to_owned(),
                    args: access::arguments(
                        field(function, "arguments").or_else(|| field(function, "input")),
                    ),
                };
                push(kind, *turn);
            }
            if let Some(function @ Value::Record(_)) = field(message, "function_call") {
                let kind = OwnedKind::Call {
                    id: None,
                    tool: required_text(function, "name")?.to_owned(),
                    args: access::arguments(field(function, "arguments")),
                };
                push(kind, *turn);
            }
        }
        "tool" => {
            let kind = returned(
                id(message, "tool_call_id")?,
                access::text(message, "name"),
                field(message, "content"),
            );
            push(kind, *turn);
        }
        "function" => {
            let kind = returned(None, access::text(message, "name"), field(message, "content"));
            push(kind, *turn);
        }
        other => {
            return Err(format!(
                "the role `{other}` is none of system, developer, user, assistant, tool, function"
            ));
        }
    }
    Ok(())
}

/// A tool's answer. The format has no mark for failure: every answer counts as a success.
fn returned(id: Option<String>, tool: Option<&str>, content: Option<&Value>) -> OwnedKind {
    let result = match content {
        None => Value::Null,
        Some(content) => content_text(content).map_or_else(|| content.clone(), Value::from),
    };
    OwnedKind::Return {
        id,
        tool: tool.map(str::to_owned),
        status: Status::Success,
        result: Some(result),
        error: None,
    }
}
