//! Simulations of tau2-bench: `messages` with `tool_calls[{id, name, arguments, requestor}]`.

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{self, content_text, field, id, integer, list, text, timestamp};
use super::{OwnedEvent, OwnedKind, Step};

/// Whether a message has the marks of this format: calls whose `arguments` stand beside their
/// `name`, or the benchmark's own fields.
#[must_use]
pub fn looks_like(message: &Value) -> bool {
    field(message, "turn_idx").is_some()
        || field(message, "requestor").is_some()
        || list(message, "tool_calls")
            .first()
            .is_some_and(|call| field(call, "name").is_some())
}

/// The reward that the benchmark gave to a simulation.
#[must_use]
pub fn reward(session: &Value) -> Option<f64> {
    let direct = field(session, "reward");
    let nested = field(session, "reward_info").and_then(|info| field(info, "reward"));
    direct
        .or(nested)
        .and_then(Value::as_number)
        .and_then(|number| number.to_string().parse().ok())
}

/// Reads the messages of a simulation.
///
/// # Errors
///
/// The message's number, from 1, and what is wrong with it.
pub fn steps(messages: &[Value]) -> Result<Vec<Step>, (usize, String)> {
    let mut steps = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let line = index + 1;
        read(message, line, &mut steps).map_err(|what| (line, what))?;
    }
    Ok(steps)
}

fn read(message: &Value, line: usize, steps: &mut Vec<Step>) -> Result<(), String> {
    let role = access::required_text(message, "role")?;
    let turn = integer(message, "turn_idx")?;
    let time = timestamp(message, "timestamp")?;
    let mut push = |kind, agent: Option<&str>| {
        let mut event = OwnedEvent::new(kind, line);
        event.agent = agent.map(str::to_owned);
        event.turn = turn;
        event.time = time;
        steps.push(Step::Event(event));
    };
    match role {
        "assistant" | "user" => {
            let said = field(message, "content")
                .and_then(content_text)
                .filter(|text| !text.trim().is_empty());
            if let Some(text) = said {
                push(
                    if role == "assistant" {
                        OwnedKind::Output { text }
                    } else {
                        OwnedKind::Input { text }
                    },
                    Some(role),
                );
            }
            for call in list(message, "tool_calls") {
                let kind = OwnedKind::Call {
                    id: id(call, "id")?,
                    tool: access::required_text(call, "name")?.to_owned(),
                    args: access::arguments(field(call, "arguments")),
                };
                push(kind, Some(text(call, "requestor").unwrap_or(role)));
            }
        }
        "tool" => match field(message, "tool_messages").and_then(Value::as_list) {
            Some(results) => {
                for result in results {
                    let kind = answer(result)?;
                    push(kind, text(result, "requestor"));
                }
            }
            None => {
                let kind = answer(message)?;
                push(kind, text(message, "requestor"));
            }
        },
        "system" => {}
        other => {
            return Err(format!(
                "the role `{other}` is none of assistant, user, tool, system"
            ));
        }
    }
    Ok(())
}

/// The return that a tool message is. Older recordings have no `error` field; there the
/// benchmark's own prefix says that the call failed.
fn answer(message: &Value) -> Result<OwnedKind, String> {
    let content = field(message, "content")
        .and_then(content_text)
        .unwrap_or_default();
    let failed = match field(message, "error") {
        Some(Value::Bool(failed)) => *failed,
        _ => content.starts_with("Error"),
    };
    Ok(OwnedKind::Return {
        id: id(message, "id")?,
        tool: None,
        status: if failed {
            Status::Failure
        } else {
            Status::Success
        },
        error: failed.then(|| content.clone()),
        result: Some(Value::from(content)),
    })
}
