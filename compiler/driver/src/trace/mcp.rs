//! Logs of MCP: JSON-RPC messages in both directions, bare or wrapped by a logger.

use std::collections::HashMap;

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{self, content_text, field, id, required_text, text, timestamp};
use super::{OwnedEvent, OwnedKind, Step};

/// The fields under which loggers put the message.
const WRAPPERS: [&str; 5] = ["message", "msg", "payload", "data", "jsonrpc_message"];

/// Whether a record is, or wraps, a JSON-RPC message.
#[must_use]
pub fn looks_like(record: &Value) -> bool {
    field(unwrap(record), "jsonrpc").is_some()
}

fn unwrap(record: &Value) -> &Value {
    if field(record, "jsonrpc").is_some() {
        return record;
    }
    WRAPPERS
        .iter()
        .filter_map(|name| field(record, name))
        .find(|inner| field(inner, "jsonrpc").is_some())
        .unwrap_or(record)
}

/// Reads the messages of a log. Only `tools/call` requests, their answers and cancellations are
/// events; a request of the server with the same id as a call in flight is not mistaken for it.
///
/// # Errors
///
/// The record's number, from 1, and what is wrong with it.
pub fn steps(records: &[Value]) -> Result<Vec<Step>, (usize, String)> {
    let mut reader = Reader::default();
    for (index, record) in records.iter().enumerate() {
        let line = index + 1;
        reader.read(record, line).map_err(|what| (line, what))?;
    }
    Ok(reader.steps)
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    /// Calls in flight, by request id.
    calls: HashMap<String, String>,
    /// Other requests in flight, of either side.
    others: HashMap<String, usize>,
}

impl Reader {
    fn read(&mut self, record: &Value, line: usize) -> Result<(), String> {
        let message = unwrap(record);
        let time = timestamp(record, "timestamp")
            .or_else(|_| timestamp(record, "time"))?
            .or(timestamp(record, "ts")?);
        let server = text(record, "server").map(str::to_owned);
        let mut push = |kind| {
            let mut event = OwnedEvent::new(kind, line);
            event.time = time;
            event.server.clone_from(&server);
            self.steps.push(Step::Event(event));
        };
        let id = id(message, "id")?;
        match text(message, "method") {
            Some("tools/call") => {
                let params = field(message, "params").ok_or("`tools/call` has no `params`")?;
                let tool = required_text(params, "name")?.to_owned();
                if let Some(id) = &id {
                    self.calls.insert(id.clone(), tool.clone());
                }
                push(OwnedKind::Call {
                    id,
                    tool,
                    args: access::arguments(field(params, "arguments")),
                });
            }
            Some("notifications/cancelled") => {
                let request = field(message, "params")
                    .map(|params| access::id(params, "requestId"))
                    .transpose()?
                    .flatten();
                if let Some(request) = request
                    && self.calls.remove(&request).is_some()
                {
                    // The server will not answer: the call may or may not have happened.
                    push(OwnedKind::Return {
                        id: Some(request),
                        tool: None,
                        status: Status::Unknown,
                        result: None,
                        error: None,
                    });
                }
            }
            Some(_) => {
                if let Some(id) = id {
                    *self.others.entry(id).or_default() += 1;
                }
            }
            None => {
                let Some(id) = id else {
                    return Ok(());
                };
                let result = field(message, "result");
                let error = field(message, "error");
                if !self.calls.contains_key(&id) {
                    return match self.others.remove(&id) {
                        Some(_) => Ok(()),
                        None if result.is_some_and(is_tool_result) => Err(format!(
                            "the response with id `{id}` answers no request of this log"
                        )),
                        None => Ok(()),
                    };
                }
                if self.others.contains_key(&id) && !result.is_some_and(is_tool_result) {
                    self.others.remove(&id);
                    return Ok(());
                }
                // An answer that asks for more input is no completion.
                if result.and_then(|result| text(result, "resultType")) == Some("input_required") {
                    return Ok(());
                }
                self.calls.remove(&id);
                push(returned(id, result, error));
            }
        }
        Ok(())
    }
}

/// Whether a result has the shape of a tool's.
fn is_tool_result(result: &Value) -> bool {
    ["content", "structuredContent", "isError"]
        .iter()
        .any(|name| field(result, name).is_some())
}

fn returned(id: String, result: Option<&Value>, error: Option<&Value>) -> OwnedKind {
    if let Some(error) = error {
        return OwnedKind::Return {
            id: Some(id),
            tool: None,
            status: Status::Failure,
            result: None,
            error: Some(text(error, "message").unwrap_or("error").to_owned()),
        };
    }
    let result = result.unwrap_or(&Value::Null);
    let failed = matches!(field(result, "isError"), Some(Value::Bool(true)));
    let content = field(result, "structuredContent")
        .cloned()
        .or_else(|| {
            field(result, "content")
                .map(|content| content_text(content).map_or_else(|| content.clone(), Value::from))
        })
        .unwrap_or_else(|| result.clone());
    OwnedKind::Return {
        id: Some(id),
        tool: None,
        status: if failed {
            Status::Failure
        } else {
            Status::Success
        },
        error: failed.then(|| ctr_runtime::text::text(&content).into_owned()),
        result: Some(content),
    }
}
