//! Anthropic messages: `tool_use` and `tool_result` blocks; also transcripts whose lines wrap such
//! messages (`{"type": "assistant", "message": {...}, "timestamp": ...}`).

use ctr_runtime::event::Status;
use ctr_runtime::value::Value;

use super::access::{
    self, described, field, id, optional_text, recorded_time, required_text, text,
};
use super::{Numbered, OwnedKind, Step, Traced};

/// Whether a message has blocks of this format.
#[must_use]
pub fn looks_like(message: &Value) -> bool {
    access::list(unwrap(message), "content")
        .iter()
        .any(|block| {
            text(block, "type").is_some_and(|kind| {
                is_call(kind) || is_result(kind) || matches!(kind, "thinking" | "redacted_thinking")
            })
        })
}

/// `tool_use`, `server_tool_use`, `mcp_tool_use`.
fn is_call(kind: &str) -> bool {
    kind == "tool_use" || kind.ends_with("_tool_use")
}

/// `tool_result`, `mcp_tool_result`, `web_search_tool_result`.
fn is_result(kind: &str) -> bool {
    kind == "tool_result" || kind.ends_with("_tool_result")
}

/// Whether a record is a transcript's line around a message.
#[must_use]
pub fn is_wrapped(record: &Value) -> bool {
    field(record, "message").is_some_and(|message| field(message, "role").is_some())
}

/// Whether a record can be a line of a transcript that is no message: a summary, a snapshot, a note
/// of the system.
#[must_use]
pub fn is_side_line(record: &Value) -> bool {
    field(record, "role").is_none()
        && text(record, "type").is_some_and(|kind| !matches!(kind, "user" | "assistant"))
        && !is_wrapped(record)
}

fn unwrap(record: &Value) -> &Value {
    if is_wrapped(record) {
        field(record, "message").unwrap_or(record)
    } else {
        record
    }
}

/// Reads a list of messages or transcript lines.
///
/// # Errors
///
/// The message's number and what is wrong with it.
pub fn steps(messages: &[Numbered<'_>]) -> Result<Vec<Step>, (usize, String)> {
    let mut reader = Reader::default();
    for (number, message) in messages {
        reader
            .read(message, *number)
            .map_err(|what| (*number, what))?;
    }
    Ok(reader.steps)
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    turn: i64,
    /// The id of the model's last message: a transcript writes its blocks on several lines.
    message: Option<String>,
}

impl Reader {
    fn read(&mut self, record: &Value, line: usize) -> Result<(), String> {
        if is_side_line(record) {
            return Ok(());
        }
        let message = unwrap(record);
        if field(message, "role").is_none() && field(record, "message").is_some() {
            return Err("the line's `message` is no message with a `role`".to_owned());
        }
        let from_model = match required_text(message, "role")? {
            "assistant" => true,
            "user" => false,
            "system" => return Ok(()),
            other => return Err(format!("the role `{other}` is neither user nor assistant")),
        };
        if from_model {
            let id = text(message, "id").map(str::to_owned);
            if id.is_none() || id != self.message {
                self.turn += 1;
            }
            self.message = id;
        } else {
            self.message = None;
        }
        // A transcript marks the lines of a sub-agent.
        let sidechain = matches!(field(record, "isSidechain"), Some(Value::Bool(true)));
        let agent = optional_text(record, "agentId")?.or(sidechain.then_some("sidechain"));
        let mut place = Traced::new(
            OwnedKind::Input {
                text: String::new(),
            },
            line,
        );
        place.turn = Some(self.turn);
        place.time = recorded_time(record, &["timestamp"])?;
        place.agent = agent.map(str::to_owned);

        let said = |text: String| {
            if from_model {
                OwnedKind::Output { text }
            } else {
                OwnedKind::Input { text }
            }
        };
        let blocks = match field(message, "content") {
            Some(Value::Str(text)) => {
                if !text.is_empty() {
                    self.push(&place, said(text.clone()), None);
                }
                return Ok(());
            }
            Some(Value::List(blocks)) => blocks,
            None => return Err("the field `content` is missing".to_owned()),
            Some(other) => {
                return Err(format!(
                    "the field `content` is {}, neither a string nor a list",
                    described(other)
                ));
            }
        };
        for block in blocks {
            if !matches!(block, Value::Record(_)) {
                return Err(format!("a block of the content is {}", described(block)));
            }
            match required_text(block, "type")? {
                "text" => {
                    let text = required_text(block, "text")?;
                    if !text.is_empty() {
                        self.push(&place, said(text.to_owned()), None);
                    }
                }
                kind if is_call(kind) => {
                    let kind = OwnedKind::Call {
                        id: id(block, "id")?,
                        tool: required_text(block, "name")?.to_owned(),
                        args: access::arguments(field(block, "input")),
                    };
                    self.push(&place, kind, optional_text(block, "server_name")?);
                }
                kind if is_result(kind) => {
                    let kind = returned(block)?;
                    self.push(&place, kind, None);
                }
                // Thinking, images and documents are no events.
                _ => {}
            }
        }
        Ok(())
    }

    fn push(&mut self, place: &Traced, kind: OwnedKind, server: Option<&str>) {
        let mut event = place.clone();
        event.kind = kind;
        event.server = server.map(str::to_owned);
        self.steps.push(Step::Event(event));
    }
}

fn returned(block: &Value) -> Result<OwnedKind, String> {
    let content = field(block, "content");
    let failed = match field(block, "is_error") {
        Some(Value::Bool(failed)) => *failed,
        // Tools of the service report an error in place of their content.
        None | Some(Value::Null) => content
            .and_then(|content| text(content, "type"))
            .is_some_and(|kind| kind.ends_with("_error")),
        Some(other) => {
            return Err(format!(
                "the field `is_error` is {}, not a Boolean",
                described(other)
            ));
        }
    };
    let result = access::result(content);
    Ok(OwnedKind::Return {
        id: id(block, "tool_use_id")?,
        tool: None,
        status: if failed {
            Status::Failure
        } else {
            Status::Success
        },
        error: failed.then(|| ctr_runtime::text::text(&result).into_owned()),
        result: Some(result),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::super::tests::{events, session, summary, unreadable};
    use super::super::{Format, detect};

    /// Lines as Claude Code writes them, shortened; ids replaced.
    const TRANSCRIPT: &str = r#"
{"type":"summary","summary":"Earlier work","leafUuid":"u0"}
{"type":"user","timestamp":"2025-06-14T10:00:00Z","isSidechain":false,"sessionId":"s","uuid":"u1","message":{"role":"user","content":"Run it"}}
{"type":"assistant","timestamp":"2025-06-14T10:00:30Z","isSidechain":false,"uuid":"u2","message":{"id":"m1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"..."},{"type":"text","text":"Running."}]}}
{"type":"assistant","timestamp":"2025-06-14T10:00:31Z","isSidechain":false,"uuid":"u3","message":{"id":"m1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"k1","name":"Bash","input":{"command":"make"}}]}}

{"type":"user","timestamp":"2025-06-14T10:00:32Z","isSidechain":false,"uuid":"u4","toolUseResult":"Error: no","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"k1","content":"no such target","is_error":true}]}}
{"type":"assistant","timestamp":"2025-06-14T10:00:33Z","isSidechain":true,"uuid":"u5","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Hm."}]}}
"#;

    #[test]
    fn reads_a_transcript() {
        let session = session(TRANSCRIPT);
        assert_eq!(session.format, Format::Anthropic);
        assert_eq!(
            summary(&session),
            [
                "0 input Run it",
                "1 output Running.",
                "1 call k1 Bash {\"command\":\"make\"}",
                "1 return k1 failure \"no such target\"",
                "2 output Hm.",
            ]
        );
        let events = events(&session);
        assert_eq!(events[0].time, Some(1_749_895_200_000_000_000));
        assert_eq!(
            events[3].line, 7,
            "lines of the file, the blank ones counted"
        );
        assert_eq!(events[3].agent, None);
        assert_eq!(events[4].agent.as_deref(), Some("sidechain"));
    }

    #[test]
    fn a_transcript_may_be_one_document() {
        let lines: Vec<&str> = TRANSCRIPT.lines().filter(|l| !l.is_empty()).collect();
        let document = format!("{{\"loglines\": [\n{}\n]}}", lines.join(",\n"));
        assert_eq!(summary(&session(&document)), summary(&session(TRANSCRIPT)));
    }

    #[test]
    fn reads_blocks_of_services() {
        let session = session(
            r#"[{"role":"assistant","content":[
            {"type":"mcp_tool_use","id":"m1","name":"buy","server_name":"shop","input":{}},
            {"type":"mcp_tool_result","tool_use_id":"m1","is_error":false,"content":[{"type":"text","text":"ok"}]},
            {"type":"server_tool_use","id":"w1","name":"web_search","input":{"query":"x"}},
            {"type":"web_search_tool_result","tool_use_id":"w1","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}]}]"#,
        );
        assert_eq!(
            summary(&session),
            [
                "1 call m1 buy {}",
                "1 return m1 success \"ok\"",
                "1 call w1 web_search {\"query\":\"x\"}",
                "1 return w1 failure {\"error_code\":\"unavailable\",\"type\":\"web_search_tool_result_error\"}",
            ]
        );
        assert_eq!(events(&session)[0].server.as_deref(), Some("shop"));
    }

    #[test]
    fn broken_lines_are_told() {
        let good = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
        for (line, wanted) in [
            (r#"{"type":"user","message":"error"}"#, "no message"),
            (
                r#"{"type":"user","message":{"role":"user","contenst":[]}}"#,
                "`content` is missing",
            ),
            (
                r#"{"type":"user","message":{"role":"user","content":["wow"]}}"#,
                "is a string",
            ),
            (
                r#"{"type":"user","message":{"role":"user","content":[{"text":"a"}]}}"#,
                "`type`",
            ),
            (r#"{"silly":"this"}"#, "`role` is missing"),
            ("42", "`role` is missing"),
        ] {
            let error = unreadable(&format!("{good}\n\n{line}\n"));
            assert_eq!(error.line, Some(3), "{line}: {error}");
            assert!(error.what.contains(wanted), "{line}: {error}");
        }
        assert!(
            detect::split("t", "{\"type\":\"summary\"}\n{\"type\":\"summary\"}")
                .and_then(|pieces| detect::read(&pieces[0]))
                .is_err()
        );
    }
}
