//! Simulations of tau2-bench: `messages` with `tool_calls[{id, name, arguments, requestor}]`.

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{
    self, content_text, entries, field, id, integer, list, optional_text, required_text, timestamp,
};
use super::{Numbered, OwnedKind, Step, Traced};

/// Whether a message has the marks of this format: calls whose `arguments` stand beside their
/// `name`, or the benchmark's own fields.
#[must_use]
pub fn looks_like(message: &Value) -> bool {
    field(message, "turn_idx").is_some()
        || field(message, "requestor").is_some()
        || list(message, "tool_calls")
            .first()
            .is_some_and(|call| field(call, "name").is_some() && field(call, "arguments").is_some())
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
/// The message's number and what is wrong with it.
pub fn steps(messages: &[Numbered<'_>]) -> Result<Vec<Step>, (usize, String)> {
    let mut steps = Vec::new();
    for (number, message) in messages {
        read(message, *number, &mut steps).map_err(|what| (*number, what))?;
    }
    Ok(steps)
}

fn read(message: &Value, line: usize, steps: &mut Vec<Step>) -> Result<(), String> {
    let role = required_text(message, "role")?;
    let turn = integer(message, "turn_idx")?;
    let time = timestamp(message, "timestamp")?;
    let mut push = |kind, agent: Option<&str>| {
        let mut event = Traced::new(kind, line);
        event.agent = agent.map(str::to_owned);
        event.turn = turn;
        event.time = time;
        steps.push(Step::Event(event));
    };
    match role {
        "assistant" | "user" => {
            if let Some(text) = access::said(message)?.filter(|text| !text.trim().is_empty()) {
                push(
                    if role == "assistant" {
                        OwnedKind::Output { text }
                    } else {
                        OwnedKind::Input { text }
                    },
                    Some(role),
                );
            }
            for call in entries(message, "tool_calls")? {
                let kind = OwnedKind::Call {
                    id: id(call, "id")?,
                    tool: required_text(call, "name")?.to_owned(),
                    args: access::arguments(field(call, "arguments")),
                };
                push(
                    kind,
                    Some(optional_text(call, "requestor")?.unwrap_or(role)),
                );
            }
        }
        "tool" => match field(message, "tool_messages") {
            Some(Value::List(results)) => {
                for result in results {
                    let kind = answer(result)?;
                    push(kind, optional_text(result, "requestor")?);
                }
            }
            None | Some(Value::Null) => {
                let kind = answer(message)?;
                push(kind, optional_text(message, "requestor")?);
            }
            Some(other) => {
                return Err(format!(
                    "the field `tool_messages` is {}, not a list",
                    access::described(other)
                ));
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
    let content = match field(message, "content") {
        None | Some(Value::Null) => String::new(),
        Some(content) => {
            content_text(content).unwrap_or_else(|| ctr_runtime::text::text(content).into_owned())
        }
    };
    let failed = match field(message, "error") {
        None | Some(Value::Null) => content.starts_with("Error"),
        Some(Value::Bool(failed)) => *failed,
        Some(other) => {
            return Err(format!(
                "the field `error` is {}, not a Boolean",
                access::described(other)
            ));
        }
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

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use super::super::tests::{events, session};
    use super::*;

    /// As the benchmark records it, shortened; ids replaced.
    const AIRLINE: &str = r#"{"domain":"airline","task_id":"7","reward":1.0,"messages":[
        {"role":"assistant","content":"Hi! How can I help you today?","tool_calls":null,"turn_idx":0,"timestamp":"2025-06-09T11:08:17.520345"},
        {"role":"user","content":"Please cancel my trip.","tool_calls":null,"turn_idx":1,"timestamp":"2025-06-09T11:08:18.000000"},
        {"role":"assistant","content":"","tool_calls":[{"id":"","name":"get_user_details","arguments":{"user_id":"u1"},"requestor":"assistant"},{"id":"k2","name":"get_reservation_details","arguments":{"reservation_id":"R1"},"requestor":"assistant"}],"turn_idx":2},
        {"role":"tool","tool_messages":[{"id":"","role":"tool","content":"{\"user_id\": \"u1\"}","requestor":"assistant","error":false},{"id":"k2","role":"tool","content":"Error: Reservation not found","requestor":"assistant","error":true}],"turn_idx":3},
        {"role":"user","content":null,"tool_calls":[{"id":"k3","name":"toggle_data","arguments":"{}","requestor":"user"}],"turn_idx":4},
        {"role":"tool","id":"k3","content":"Error: old recording","requestor":"user","turn_idx":5}
    ]}"#;

    #[test]
    fn reads_a_simulation() {
        let session = session(AIRLINE);
        assert_eq!(session.format, super::super::Format::Tau2);
        assert_eq!(session.reward, Some(1.0));
        let events = events(&session);
        assert_eq!(events.len(), 8);
        assert_eq!(events[0].agent.as_deref(), Some("assistant"));
        assert_eq!(events[0].turn, Some(0));
        // A time without a zone is UTC.
        assert_eq!(events[1].time, Some(1_749_467_298_000_000_000));
        assert_eq!(events[2].id(), None);
        let OwnedKind::Return { status, error, .. } = &events[5].kind else {
            panic!("{:?}", events[5]);
        };
        assert_eq!(*status, Status::Failure);
        assert_eq!(error.as_deref(), Some("Error: Reservation not found"));
        assert_eq!(events[6].agent.as_deref(), Some("user"));
        let OwnedKind::Return { status, .. } = &events[7].kind else {
            panic!("{:?}", events[7]);
        };
        assert_eq!(
            *status,
            Status::Failure,
            "no `error` field: told by the text"
        );
    }

    #[test]
    fn nothing_is_passed_over() {
        let read = |text: &str| {
            let value = ctr_runtime::json::parse(text).unwrap();
            steps(&[(1, &value)])
        };
        assert!(read(r#"{"role":"robot","turn_idx":0}"#).is_err());
        assert!(read(r#"{"role":"assistant","turn_idx":0,"tool_calls":{}}"#).is_err());
        assert!(read(r#"{"role":"tool","turn_idx":0,"error":"yes","content":""}"#).is_err());
        assert!(read(r#"{"role":"assistant","turn_idx":0,"tool_calls":[{"id":"a"}]}"#).is_err());
    }
}
