//! What all readers must keep, and helpers for their tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use ctr_runtime::event::Status;
use ctr_runtime::json;

use super::{Format, OwnedKind, Session, Step, Traced, Unreadable, detect};

fn read_all(text: &str) -> Result<Vec<Session>, Unreadable> {
    detect::split("t", text)?.iter().map(detect::read).collect()
}

/// The one session of a text.
pub(super) fn session(text: &str) -> Session {
    let mut all = read_all(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

/// Why a text cannot be read.
pub(super) fn unreadable(text: &str) -> Unreadable {
    read_all(text).expect_err(text)
}

/// The events of a session.
pub(super) fn events(session: &Session) -> Vec<Traced> {
    session
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Event(event) => Some(event.clone()),
            _ => None,
        })
        .collect()
}

/// The events, a line each.
pub(super) fn summary(session: &Session) -> Vec<String> {
    events(session)
        .iter()
        .map(|event| {
            let turn = event.turn.map_or("-".to_owned(), |turn| turn.to_string());
            let id = event.id().unwrap_or("-");
            match &event.kind {
                OwnedKind::Call { tool, args, .. } => {
                    format!("{turn} call {id} {tool} {}", json::to_string(args))
                }
                OwnedKind::Return { status, result, .. } => {
                    let status = match status {
                        Status::Success => "success",
                        Status::Failure => "failure",
                        Status::Unknown => "unknown",
                    };
                    let result = result.as_ref().map_or("-".to_owned(), json::to_string);
                    format!("{turn} return {id} {status} {result}")
                }
                OwnedKind::Input { text } => format!("{turn} input {text}"),
                OwnedKind::Output { text } => format!("{turn} output {text}"),
                OwnedKind::Declared { name, .. } => format!("{turn} event {name}"),
            }
        })
        .collect()
}

/// One run in every format, and what it must come to in all of them.
#[test]
fn one_run_is_the_same_in_every_format() {
    let native = r#"
{"kind":"input","text":"Refund o1 and o2.","turn":0}
{"kind":"output","text":"Looking.","turn":1}
{"kind":"call","id":"k1","tool":"get_order","args":{"id":"o1","n":1.50},"turn":1}
{"kind":"call","id":"k2","tool":"get_order","args":{"id":"o2"},"turn":1}
{"kind":"return","id":"k2","status":"success","result":"{\"paid\":true}","turn":1}
{"kind":"return","id":"k1","status":"success","result":"none","turn":1}
{"kind":"output","text":"Done.","turn":2}"#;
    let openai = r#"{"messages":[
{"role":"system","content":"s"},
{"role":"user","content":"Refund o1 and o2."},
{"role":"assistant","content":"Looking.","tool_calls":[
  {"id":"k1","type":"function","function":{"name":"get_order","arguments":"{\"n\":1.5, \"id\":\"o1\"}"}},
  {"id":"k2","type":"function","function":{"name":"get_order","arguments":"{\"id\":\"o2\"}"}}]},
{"role":"tool","tool_call_id":"k2","content":"{\"paid\":true}"},
{"role":"tool","tool_call_id":"k1","content":"none"},
{"role":"assistant","content":"Done."}]}"#;
    let responses = r#"[
{"role":"user","content":[{"type":"input_text","text":"Refund o1 and o2."}]},
{"type":"reasoning","summary":[]},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking."}]},
{"type":"function_call","id":"f1","call_id":"k1","name":"get_order","arguments":"{\"id\":\"o1\",\"n\":1.5}"},
{"type":"function_call","id":"f2","call_id":"k2","name":"get_order","arguments":"{\"id\":\"o2\"}"},
{"type":"function_call_output","call_id":"k2","output":"{\"paid\":true}"},
{"type":"function_call_output","call_id":"k1","output":"none"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}]"#;
    let anthropic = r#"{"system":"s","messages":[
{"role":"user","content":"Refund o1 and o2."},
{"role":"assistant","content":[{"type":"text","text":"Looking."},
  {"type":"tool_use","id":"k1","name":"get_order","input":{"id":"o1","n":1.5}},
  {"type":"tool_use","id":"k2","name":"get_order","input":{"id":"o2"}}]},
{"role":"user","content":[
  {"type":"tool_result","tool_use_id":"k2","content":"{\"paid\":true}"},
  {"type":"tool_result","tool_use_id":"k1","content":[{"type":"text","text":"none"}],"is_error":false}]},
{"role":"assistant","content":[{"type":"text","text":"Done."}]}]}"#;
    let of = |text: &str| {
        let mut events = events(&session(text));
        for event in &mut events {
            event.line = 0;
        }
        events
    };
    let wanted = of(native);
    assert_eq!(wanted.len(), 7);
    for (format, text) in [
        (Format::OpenAi, openai),
        (Format::OpenAi, responses),
        (Format::Anthropic, anthropic),
    ] {
        assert_eq!(session(text).format, format);
        assert_eq!(of(text), wanted, "{text}");
    }
    // A list of messages, one a line, with a byte order mark and the line ends of Windows.
    let lines: String = json::parse(openai)
        .unwrap()
        .get("messages")
        .and_then(|messages| messages.as_list().map(<[_]>::to_vec))
        .unwrap()
        .iter()
        .map(|message| json::to_string(message) + "\r\n\r\n")
        .collect();
    assert_eq!(of(&format!("\u{feff}{lines}")), wanted);
}

#[test]
fn names_of_sessions() {
    let names = |text: &str| -> Vec<String> {
        detect::split("t", text)
            .unwrap()
            .into_iter()
            .map(|piece| piece.name)
            .collect()
    };
    let one = r#"{"messages":[]}"#;
    let message = r#"{"role":"user","content":"a"}"#;
    assert_eq!(names(""), ["t"]);
    assert_eq!(names("\n \n"), ["t"]);
    assert_eq!(names("[]"), ["t"]);
    assert_eq!(names(one), ["t"]);
    assert_eq!(names(&format!("{one}\n\n{one}\n")), ["t:1", "t:3"]);
    assert_eq!(names(&format!("[{one},\n{one}]")), ["t:1", "t:2"]);
    assert_eq!(
        names(&format!("{{\"simulations\":[{one},{one}]}}")),
        ["t:1", "t:2"]
    );
    assert_eq!(names(&format!("[{message}]\n[{message}]")), ["t:1", "t:2"]);
    assert_eq!(names(&format!("{message}\n{message}")), ["t"]);
}

#[test]
fn what_is_no_session_is_said_to_be_none() {
    for text in [
        "42",
        "\"text\"",
        "{}",
        "[1]",
        "[{}]",
        r#"{"silly":"this"}"#,
        // A JSON Schema, a tool list, a run of LangSmith, a span, hook payloads, parameters.
        r#"{"$defs":{},"type":"array","items":{}}"#,
        r#"{"tools":[{"name":"a","inputSchema":{}}]}"#,
        r#"{"post":[{"id":"d","extra":{}}]}"#,
        r#"{"gen_ai.operation.name":"execute_tool","input":"{}"}"#,
        r#"{"PreToolUse":{"tool_name":"Bash","tool_input":{}}}"#,
        r#"{"name":"get_weather","arguments":{}}"#,
        r#"{"exchanges":[{"request":{"contents":[]}}]}"#,
        "{\"type\":\"summary\"}\n{\"type\":\"summary\"}",
    ] {
        let error = unreadable(text);
        assert!(error.what.contains("no session"), "{text}: {error}");
    }
}

#[test]
fn text_that_is_not_json_is_told_by_its_line() {
    for (text, line) in [
        ("{\"kind\":\"input\",\"text\":\"a\"}\n\n{\"kind\":", Some(3)),
        (
            "{\"kind\":\"input\"\n{\"kind\":\"input\",\"text\":\"a\"}",
            Some(1),
        ),
        (
            "{\n  \"messages\": [\n    {\"role\" \"user\"}\n  ]\n}",
            Some(3),
        ),
        (
            "{\"kind\":\"input\",\"text\":\"a\",\"text\":\"b\"}",
            Some(1),
        ),
        ("hello\nworld", Some(1)),
        ("[{\"role\":\"user\",\"content\":\"a\"},", Some(1)),
    ] {
        assert_eq!(unreadable(text).line, line, "{text}");
    }
}
