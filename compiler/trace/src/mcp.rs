//! Logs of MCP: JSON-RPC messages in both directions, bare or wrapped by a logger.

use std::collections::HashMap;

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{
    self, content_text, field, id, optional_text, recorded_time, required_text, text,
};
use super::{Numbered, OwnedKind, Step, Traced};

/// The fields under which loggers put the message.
const WRAPPERS: [&str; 5] = ["message", "msg", "payload", "data", "jsonrpc_message"];

/// Whether a record is, or wraps, a JSON-RPC message or a batch of them.
#[must_use]
pub fn looks_like(record: &Value) -> bool {
    let message = unwrap(record);
    let message = message
        .as_list()
        .and_then(<[Value]>::first)
        .unwrap_or(message);
    field(message, "jsonrpc").is_some()
}

fn unwrap(record: &Value) -> &Value {
    if field(record, "jsonrpc").is_some() {
        return record;
    }
    WRAPPERS
        .iter()
        .filter_map(|name| field(record, name))
        .find(|inner| {
            let first = inner.as_list().and_then(<[Value]>::first).unwrap_or(inner);
            field(first, "jsonrpc").is_some()
        })
        .unwrap_or(record)
}

/// Reads the messages of a log. Only `tools/call` requests, their answers and cancellations are
/// events; a request of the server with the same id as a call in flight is not mistaken for it.
///
/// # Errors
///
/// The record's number and what is wrong with it.
pub fn steps(records: &[Numbered<'_>]) -> Result<Vec<Step>, (usize, String)> {
    let mut reader = Reader::default();
    for (number, record) in records {
        reader
            .record(record, *number)
            .map_err(|what| (*number, what))?;
    }
    Ok(reader.steps)
}

/// A request's id, apart for each server: each has its own ids.
type RequestId = (Option<String>, String);

/// A call in flight.
struct Open {
    /// The id that its events carry.
    id: String,
    tool: String,
    args: Value,
    /// When it was opened, among the requests of the log.
    order: usize,
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    calls: HashMap<RequestId, Open>,
    /// Other requests in flight, of either side: when the last with this id was opened, how many.
    others: HashMap<RequestId, (usize, usize)>,
    /// Calls to which the server answered that it needs more input.
    waiting: Vec<(Option<String>, Open)>,
    requests: usize,
}

impl Reader {
    fn record(&mut self, record: &Value, line: usize) -> Result<(), String> {
        let mut place = Traced::new(
            OwnedKind::Input {
                text: String::new(),
            },
            line,
        );
        place.time = recorded_time(record, &["timestamp", "time", "ts"])?;
        place.server = optional_text(record, "server")?.map(str::to_owned);
        match unwrap(record) {
            Value::List(batch) => batch.iter().try_for_each(|one| self.message(one, &place)),
            one => self.message(one, &place),
        }
    }

    fn push(&mut self, place: &Traced, kind: OwnedKind) {
        let mut event = place.clone();
        event.kind = kind;
        self.steps.push(Step::Event(event));
    }

    fn message(&mut self, message: &Value, place: &Traced) -> Result<(), String> {
        if field(message, "jsonrpc").is_none() {
            return Err("this is no JSON-RPC message, as others of this log are".to_owned());
        }
        let id = id(message, "id")?;
        match optional_text(message, "method")? {
            Some("tools/call") => self.call(message, id, place),
            Some("notifications/cancelled") => self.cancelled(message, place),
            Some(_) => {
                if let Some(id) = id {
                    self.requests += 1;
                    let other = self.others.entry((place.server.clone(), id)).or_default();
                    *other = (self.requests, other.1 + 1);
                }
                Ok(())
            }
            None => self.response(message, id, place),
        }
    }

    fn call(&mut self, message: &Value, id: Option<String>, place: &Traced) -> Result<(), String> {
        let params = field(message, "params").ok_or("`tools/call` has no `params`")?;
        let tool = required_text(params, "name")?.to_owned();
        let args = access::arguments(field(params, "arguments"));
        self.requests += 1;
        // With the input that the server asked for, a call goes on under another request id.
        let goes_on =
            field(params, "inputResponses").is_some() || field(params, "requestState").is_some();
        let waiting = self.waiting.iter().position(|(server, open)| {
            goes_on && *server == place.server && open.tool == tool && open.args == args
        });
        if let (Some(waiting), Some(request)) = (waiting, &id) {
            let (server, mut open) = self.waiting.remove(waiting);
            open.order = self.requests;
            self.calls.insert((server, request.clone()), open);
            return Ok(());
        }
        let event_id = id.as_ref().map(|id| {
            let taken = self
                .calls
                .iter()
                .any(|((server, _), open)| *server != place.server && open.id == *id);
            match (&place.server, taken) {
                // Two servers may be asked under one id at the same time.
                (Some(server), true) => format!("{server}/{id}"),
                _ => id.clone(),
            }
        });
        if let (Some(request), Some(event_id)) = (id, &event_id) {
            let open = Open {
                id: event_id.clone(),
                tool: tool.clone(),
                args: args.clone(),
                order: self.requests,
            };
            self.calls.insert((place.server.clone(), request), open);
        }
        let kind = OwnedKind::Call {
            id: event_id,
            tool,
            args,
        };
        self.push(place, kind);
        Ok(())
    }

    /// After a cancellation the server does not answer: the call may or may not have happened.
    fn cancelled(&mut self, message: &Value, place: &Traced) -> Result<(), String> {
        let request = match field(message, "params") {
            Some(params) => id(params, "requestId")?,
            None => None,
        };
        let Some(request) = request else {
            return Err("`notifications/cancelled` has no `requestId`".to_owned());
        };
        if let Some(open) = self.calls.remove(&(place.server.clone(), request)) {
            let kind = OwnedKind::Return {
                id: Some(open.id),
                tool: None,
                status: Status::Unknown,
                result: None,
                error: None,
            };
            self.push(place, kind);
        }
        Ok(())
    }

    fn response(
        &mut self,
        message: &Value,
        id: Option<String>,
        place: &Traced,
    ) -> Result<(), String> {
        let result = field(message, "result");
        let error = field(message, "error");
        if result.is_none() && error.is_none() {
            return Err("a message has neither `method`, `result` nor `error`".to_owned());
        }
        let Some(id) = id else {
            // An error about a message whose id could not be read.
            return Ok(());
        };
        let key = (place.server.clone(), id);
        let is_tool_result = result.is_some_and(is_tool_result);
        let call = self.calls.get(&key).map(|open| open.order);
        let other = self.others.get(&key).map(|(order, _)| *order);
        let answers_other = match (call, other) {
            (None, None) if is_tool_result => {
                // It answers nothing: whoever judges the session will say so.
                let kind = returned(key.1, result, error);
                self.push(place, kind);
                return Ok(());
            }
            (None, None) => return Ok(()),
            (None, Some(_)) => true,
            (Some(_), None) => false,
            // The same id on both sides: told by the shape, and errors by what was asked last.
            (Some(_), Some(_)) if result.is_some() => !is_tool_result,
            (Some(call), Some(other)) => other > call,
        };
        if answers_other {
            if let Some((_, count)) = self.others.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.others.remove(&key);
                }
            }
            return Ok(());
        }
        let kind = result.and_then(|result| text(result, "resultType"));
        if !matches!(kind, None | Some("complete" | "input_required" | "task")) {
            return Err(format!(
                "the result type `{}` is unknown",
                kind.unwrap_or_default()
            ));
        }
        let Some(open) = self.calls.remove(&key) else {
            return Ok(());
        };
        if kind == Some("input_required") {
            self.waiting.push((key.0, open));
            return Ok(());
        }
        let is_task = kind == Some("task")
            || !is_tool_result && result.is_some_and(|result| field(result, "task").is_some());
        let kind = if is_task {
            // Accepted to be done later; how it ended is not in the answer.
            OwnedKind::Return {
                id: Some(open.id),
                tool: None,
                status: Status::Unknown,
                result: result.cloned(),
                error: None,
            }
        } else {
            returned(open.id, result, error)
        };
        self.push(place, kind);
        Ok(())
    }
}

/// Whether a result has the shape of a tool's. What a client answers to a server has a `content`
/// that is no list, or a `role` beside it.
fn is_tool_result(result: &Value) -> bool {
    matches!(field(result, "content"), Some(Value::List(_))) && field(result, "role").is_none()
        || field(result, "structuredContent").is_some()
        || field(result, "isError").is_some()
        || field(result, "resultType").is_some()
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
        .filter(|content| !content.is_null())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::super::Format;
    use super::super::tests::{events, session, summary, unreadable};

    #[test]
    fn reads_calls_and_answers() {
        let session = session(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"x"}}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo"}}}
{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"22"}],"structuredContent":{"t":22},"isError":false}}
[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}]
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"bad date"}],"isError":true}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unknown tool"}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wipe"}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#,
        );
        assert_eq!(session.format, Format::Mcp);
        assert_eq!(
            summary(&session),
            [
                "- call 1 weather {\"city\":\"Oslo\"}",
                "- return 1 success {\"t\":22}",
                "- call 2 a {}",
                "- call 3 b {}",
                "- return 3 failure \"bad date\"",
                "- return 2 failure -",
                "- call 4 wipe {}",
                "- return 4 unknown -",
            ]
        );
    }

    #[test]
    fn ids_of_the_other_side_are_not_mistaken() {
        let session = session(
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}}
{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}}
{"jsonrpc":"2.0","id":5,"result":{"role":"assistant","content":{"type":"text","text":"hm"},"model":"m"}}
{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}
{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"declined"}}
{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"done"}]}}"#,
        );
        assert_eq!(
            summary(&session),
            ["- call 5 ask {}", "- return 5 success \"done\""]
        );
    }

    #[test]
    fn servers_have_ids_of_their_own() {
        let session = session(
            r#"{"ts":1,"server":"a","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}}
{"ts":2,"server":"b","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"y"}}}
{"ts":3,"server":"a","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"from":"a"}}}}
{"ts":4,"server":"b","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"from":"b"}}}}"#,
        );
        assert_eq!(
            summary(&session),
            [
                "- call 1 x {}",
                "- call b/1 y {}",
                "- return 1 success {\"from\":\"a\"}",
                "- return b/1 success {\"from\":\"b\"}",
            ]
        );
        assert_eq!(events(&session)[1].server.as_deref(), Some("b"));
        assert_eq!(events(&session)[3].time, Some(4_000_000_000));
    }

    #[test]
    fn input_that_is_required_is_no_answer() {
        let session = session(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"n":1}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"requestState":"s"}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"n":1},"inputResponses":{},"requestState":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"paid"}]}}"#,
        );
        assert_eq!(
            summary(&session),
            ["- call 1 pay {\"n\":1}", "- return 1 success \"paid\""]
        );
    }

    #[test]
    fn an_answer_to_nothing_is_kept() {
        let session = session(
            r#"{"jsonrpc":"2.0","id":"x","result":{"resultType":"complete","content":[{"type":"text","text":"72"}],"isError":false}}"#,
        );
        assert_eq!(summary(&session), ["- return x success \"72\""]);
    }

    #[test]
    fn nothing_is_passed_over() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
        for line in [
            r#"{"level":"info","text":"started"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"partial"}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        ] {
            let error = unreadable(&format!("{call}\n{line}"));
            assert_eq!(error.line, Some(2), "{line}: {error}");
        }
    }
}
