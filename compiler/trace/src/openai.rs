//! OpenAI messages: chat completions (`tool_calls`, `role: tool`, the older `function_call`) and
//! items of the Responses API.

use ctr_runtime::event::Status;
use ctr_runtime::value::{Record, Value};

use super::access::{self, entries, field, id, optional_text, required_text, text};
use super::{Numbered, OwnedKind, Step, Traced};

/// Tools that the service runs by itself: their items hold call and outcome.
const HOSTED: [&str; 4] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
];

/// Items that are neither said nor done.
const NO_EVENTS: [&str; 7] = [
    "reasoning",
    "item_reference",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "compaction",
    "compaction_summary",
];

/// Whether a record is an item of the Responses API that is no message.
#[must_use]
pub fn is_item(record: &Value) -> bool {
    text(record, "type").is_some_and(|kind| {
        kind.ends_with("_call") || kind.ends_with("_call_output") || NO_EVENTS.contains(&kind)
    })
}

/// Reads a list of messages or items.
///
/// # Errors
///
/// The message's number and what is wrong with it.
pub fn steps(messages: &[Numbered<'_>]) -> Result<Vec<Step>, (usize, String)> {
    let mut reader = Reader::default();
    for (number, message) in messages {
        reader.line = *number;
        reader.read(message).map_err(|what| (*number, what))?;
    }
    Ok(reader.steps)
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    line: usize,
    turn: i64,
    /// The last record was an item of the model: further items are of the same turn.
    in_turn: bool,
}

impl Reader {
    fn push(&mut self, kind: OwnedKind, server: Option<&str>) {
        let mut event = Traced::new(kind, self.line);
        event.turn = Some(self.turn);
        event.server = server.map(str::to_owned);
        self.steps.push(Step::Event(event));
    }

    /// A message of the model is a turn; of items, all that follow each other are one.
    fn model(&mut self, item: bool) {
        if !(item && self.in_turn) {
            self.turn += 1;
        }
        self.in_turn = item;
    }

    fn read(&mut self, message: &Value) -> Result<(), String> {
        match text(message, "type") {
            Some(kind) if is_item(message) => self.item(message, kind),
            _ => self.message(message),
        }
    }

    fn item(&mut self, item: &Value, kind: &str) -> Result<(), String> {
        if kind.ends_with("_call_output") {
            self.in_turn = false;
            let returned = returned(id(item, "call_id")?, None, field(item, "output"));
            self.push(returned, None);
            return Ok(());
        }
        if NO_EVENTS.contains(&kind) {
            return Ok(());
        }
        self.model(true);
        let call_id = id(item, "call_id")?.or(id(item, "id")?);
        let (tool, args) = match kind {
            "function_call" | "custom_tool_call" | "mcp_call" => (
                required_text(item, "name")?.to_owned(),
                access::arguments(field(item, "arguments").or_else(|| field(item, "input"))),
            ),
            other => (
                other.strip_suffix("_call").unwrap_or(other).to_owned(),
                hosted_arguments(item),
            ),
        };
        let server = optional_text(item, "server_label")?;
        let call = OwnedKind::Call {
            id: call_id.clone(),
            tool,
            args,
        };
        self.push(call, server);
        if kind == "mcp_call" {
            let error = field(item, "error").filter(|error| !matches!(error, Value::Null));
            let kind = match error {
                Some(error) => OwnedKind::Return {
                    id: call_id,
                    tool: None,
                    status: Status::Failure,
                    result: None,
                    error: Some(ctr_runtime::text::text(error).into_owned()),
                },
                None => returned(call_id, None, field(item, "output")),
            };
            self.push(kind, server);
        } else if HOSTED.contains(&kind) {
            let status = match text(item, "status") {
                Some("completed") => Status::Success,
                Some("failed") => Status::Failure,
                _ => Status::Unknown,
            };
            let result = ["results", "outputs", "result"]
                .iter()
                .find_map(|name| field(item, name))
                .cloned();
            let kind = OwnedKind::Return {
                id: call_id,
                tool: None,
                status,
                result,
                error: None,
            };
            self.push(kind, None);
        }
        Ok(())
    }

    fn message(&mut self, message: &Value) -> Result<(), String> {
        let role = required_text(message, "role")?;
        let said = access::said(message)?;
        match role {
            "system" | "developer" => {}
            "user" => {
                self.in_turn = false;
                if let Some(text) = said {
                    self.push(OwnedKind::Input { text }, None);
                }
            }
            "assistant" => {
                self.model(text(message, "type") == Some("message"));
                let refusal = optional_text(message, "refusal")?.map(str::to_owned);
                for text in [said, refusal].into_iter().flatten() {
                    self.push(OwnedKind::Output { text }, None);
                }
                for call in entries(message, "tool_calls")? {
                    // Custom tools carry free text as `custom.input`.
                    let function = field(call, "function")
                        .or_else(|| field(call, "custom"))
                        .ok_or("a tool call has no `function`")?;
                    let kind = called(id(call, "id")?, function)?;
                    self.push(kind, None);
                }
                match field(message, "function_call") {
                    None | Some(Value::Null) => {}
                    Some(function) => {
                        let kind = called(None, function)?;
                        self.push(kind, None);
                    }
                }
            }
            "tool" | "function" => {
                self.in_turn = false;
                let kind = returned(
                    id(message, "tool_call_id")?,
                    optional_text(message, "name")?,
                    field(message, "content"),
                );
                self.push(kind, None);
            }
            other => {
                return Err(format!(
                    "the role `{other}` is none of system, developer, user, assistant, tool, function"
                ));
            }
        }
        Ok(())
    }
}

/// The call of a function.
fn called(id: Option<String>, function: &Value) -> Result<OwnedKind, String> {
    Ok(OwnedKind::Call {
        id,
        tool: required_text(function, "name")?.to_owned(),
        args: access::arguments(field(function, "arguments").or_else(|| field(function, "input"))),
    })
}

/// What a tool of the service was asked: its `action` or `operation`, else the item's own fields.
fn hosted_arguments(item: &Value) -> Value {
    for name in ["action", "operation"] {
        if let Some(found @ Value::Record(_)) = field(item, name) {
            return found.clone();
        }
    }
    let mut args = Record::new();
    if let Value::Record(fields) = item {
        for (name, value) in fields.iter() {
            if !matches!(
                name,
                "type" | "id" | "call_id" | "status" | "results" | "outputs" | "result"
            ) {
                args.insert(name, value.clone());
            }
        }
    }
    Value::Record(args)
}

/// A tool's answer. The format has no mark for failure: every answer counts as a success.
fn returned(id: Option<String>, tool: Option<&str>, content: Option<&Value>) -> OwnedKind {
    OwnedKind::Return {
        id,
        tool: tool.map(str::to_owned),
        status: Status::Success,
        result: Some(access::result(content)),
        error: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::super::tests::{events, session, summary};
    use super::super::{Format, detect};

    #[test]
    fn reads_chat_messages() {
        let session = session(
            r#"{"messages":[
            {"role":"system","content":"be good"},
            {"role":"user","content":"What is the capital of France?"},
            {"role":"assistant","content":null,"refusal":null,"tool_calls":[{"function":{"arguments":"{\"country\":\"France\"}","name":"get_capital"},"id":"k1","type":"function"}]},
            {"role":"tool","tool_call_id":"k1","content":[{"type":"text","text":"Paris"}]},
            {"role":"assistant","content":"Paris.","function_call":{"name":"old","arguments":""}},
            {"role":"function","name":"old","content":"7"},
            {"role":"assistant","refusal":"I cannot."}]}"#,
        );
        assert_eq!(session.format, Format::OpenAi);
        assert_eq!(
            summary(&session),
            [
                "0 input What is the capital of France?",
                "1 call k1 get_capital {\"country\":\"France\"}",
                "1 return k1 success \"Paris\"",
                "2 output Paris.",
                "2 call - old {}",
                "2 return - success \"7\"",
                "3 output I cannot.",
            ]
        );
    }

    #[test]
    fn reads_items_of_responses() {
        let session = session(
            r#"[{"role":"user","content":"look"},
            {"type":"reasoning","id":"r1","summary":[]},
            {"type":"function_call","id":"i1","call_id":"k1","name":"find","arguments":"{\"q\":1}"},
            {"type":"function_call","id":"i2","call_id":"k2","name":"find","arguments":"{\"q\":2}"},
            {"type":"function_call_output","call_id":"k1","output":"one"},
            {"type":"function_call_output","call_id":"k2","output":"two"},
            {"type":"mcp_call","id":"m1","server_label":"shop","name":"buy","arguments":"{}","output":null,"error":"sold out"},
            {"type":"web_search_call","id":"w1","status":"completed","action":{"type":"search","query":"x"}},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]"#,
        );
        assert_eq!(
            summary(&session),
            [
                "0 input look",
                "1 call k1 find {\"q\":1}",
                "1 call k2 find {\"q\":2}",
                "1 return k1 success \"one\"",
                "1 return k2 success \"two\"",
                "2 call m1 buy {}",
                "2 return m1 failure -",
                "2 call w1 web_search {\"query\":\"x\",\"type\":\"search\"}",
                "2 return w1 success -",
                "2 output done",
            ]
        );
        assert_eq!(events(&session)[5].server.as_deref(), Some("shop"));
    }

    #[test]
    fn nothing_is_passed_over() {
        for text in [
            r#"{"messages":[{"role":"assistant","tool_calls":[{"name":"f","args":{}}]}]}"#,
            r#"{"messages":[{"role":"assistant","tool_calls":{"id":"k"}}]}"#,
            r#"{"messages":[{"role":"model","content":"x"}]}"#,
            r#"{"messages":[{"content":"x"}]}"#,
            r#"{"messages":[{"role":"user","content":{"x":1}}]}"#,
            r#"{"messages":"none"}"#,
        ] {
            let read = detect::split("t", text).and_then(|pieces| {
                pieces
                    .iter()
                    .map(detect::read)
                    .collect::<Result<Vec<_>, _>>()
            });
            assert!(read.is_err(), "{text}: {read:?}");
        }
    }
}
