//! Logs of API exchanges: `{"request": {"messages": [...]}, "response": {...}}`, or a list of them.
//!
//! Each request of a conversation repeats what was said so far, so that its last exchange holds it
//! all; a request with `previous_response_id` holds only what is new.

use ctr_runtime::value::{Record, Value};

use super::access::{described, field, list, text};

/// Whether a record is an exchange.
#[must_use]
pub fn looks_like(record: &Value) -> bool {
    field(record, "request").is_some_and(|request| {
        field(request, "messages").is_some() || field(request, "input").is_some()
    })
}

/// Whether a record holds a list of exchanges, at least one of a kind that can be read.
#[must_use]
pub fn holds_some(record: &Value) -> bool {
    list(record, "exchanges").iter().any(looks_like)
}

/// A conversation of one or more exchanges; `S` is what is compared of its messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation<S> {
    /// The number of its last exchange.
    pub last: usize,
    /// Its messages, the last answer included.
    pub messages: Vec<Value>,
    /// What the messages say; nothing where they cannot be read.
    said: Option<Vec<S>>,
    /// The id of the last answer.
    response: Option<String>,
}

/// The conversations that exchanges make up, in order of their first exchanges. An exchange goes on
/// with the conversation that its request begins with, by what the messages say (`said`; nothing
/// where they cannot be read). Exchanges with services of other kinds are left out.
///
/// # Errors
///
/// The number of an exchange and what is wrong with it.
pub fn conversations<'v, S: PartialEq>(
    exchanges: impl IntoIterator<Item = (usize, &'v Value)>,
    said: impl Fn(&[Value]) -> Option<Vec<S>>,
) -> Result<Vec<Conversation<S>>, (usize, String)> {
    let mut all: Vec<Conversation<S>> = Vec::new();
    for (number, exchange) in exchanges {
        if !looks_like(exchange) {
            continue;
        }
        let fail = |what: String| (number, what);
        let request = field(exchange, "request").unwrap_or(exchange);
        let mut messages = asked(request).map_err(fail)?;
        let earlier = match text(request, "previous_response_id") {
            Some(previous) => {
                let earlier = all
                    .iter()
                    .rposition(|earlier| earlier.response.as_deref() == Some(previous))
                    .ok_or_else(|| {
                        fail(format!(
                            "the earlier response `{previous}` is not in this log"
                        ))
                    })?;
                let mut so_far = all
                    .get(earlier)
                    .map(|earlier| earlier.messages.clone())
                    .unwrap_or_default();
                so_far.append(&mut messages);
                messages = so_far;
                Some(earlier)
            }
            None => said(&messages).and_then(|now| {
                all.iter().rposition(|earlier| {
                    earlier
                        .said
                        .as_ref()
                        .is_some_and(|earlier| !earlier.is_empty() && now.starts_with(earlier))
                })
            }),
        };
        let response = field(exchange, "response");
        messages.extend(answered(response).map_err(fail)?);
        let conversation = Conversation {
            last: number,
            said: said(&messages),
            messages,
            response: response
                .and_then(|response| text(response, "id"))
                .map(str::to_owned),
        };
        match earlier.and_then(|earlier| all.get_mut(earlier)) {
            Some(earlier) => *earlier = conversation,
            None => all.push(conversation),
        }
    }
    Ok(all)
}

/// The messages of a request.
fn asked(request: &Value) -> Result<Vec<Value>, String> {
    match field(request, "messages").or_else(|| field(request, "input")) {
        Some(Value::List(messages)) => Ok(messages.clone()),
        Some(text @ Value::Str(_)) => Ok(vec![message("user", text.clone())]),
        Some(other) => Err(format!(
            "the request's messages are {}, not a list",
            described(other)
        )),
        None => Err("the request has no messages".to_owned()),
    }
}

/// The messages of an answer: none where there is no answer or an error.
fn answered(response: Option<&Value>) -> Result<Vec<Value>, String> {
    let response = match response {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(response) => response,
    };
    if let Some(Value::List(choices)) = field(response, "choices") {
        let choice = choices.first();
        let Some(message) = choice.and_then(|choice| field(choice, "message")) else {
            return Err("the response's first choice has no `message`".to_owned());
        };
        let mut message = message.clone();
        // A call that was cut short is never issued: its arguments are not what the model meant.
        let cut = choice
            .and_then(|choice| text(choice, "finish_reason"))
            .is_some_and(|reason| matches!(reason, "length" | "content_filter"));
        if cut && let Value::Record(fields) = &mut message {
            fields.remove("tool_calls");
            fields.remove("function_call");
        }
        return Ok(vec![message]);
    }
    if field(response, "role").is_some() {
        return Ok(vec![response.clone()]);
    }
    if let Some(Value::List(output)) = field(response, "output") {
        return Ok(output.clone());
    }
    if field(response, "error").is_some() || text(response, "type") == Some("error") {
        return Ok(Vec::new());
    }
    Err(format!(
        "the response is {} without `choices`, `role`, `output` or `error`",
        described(response)
    ))
}

fn message(role: &str, content: Value) -> Value {
    let mut fields = Record::new();
    fields.insert("role", Value::from(role));
    fields.insert("content", content);
    Value::Record(fields)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::super::tests::{session, summary, unreadable};
    use super::super::{Format, detect};

    const FIRST: &str = r#"{"uri":"u","request":{"messages":[{"role":"user","content":"Where am I?"}],"model":"m"},"response":{"id":"r1","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[{"id":"k1","type":"function","function":{"name":"get_country","arguments":"{}"}}]}}]}}"#;
    const SECOND: &str = r#"{"uri":"u","request":{"messages":[{"role":"user","content":"Where am I?"},{"role":"assistant","tool_calls":[{"id":"k1","type":"function","function":{"name":"get_country","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k1","content":"Mexico"}]},"response":{"choices":[{"message":{"role":"assistant","content":"In Mexico."}}]}}"#;
    const WANTED: [&str; 4] = [
        "0 input Where am I?",
        "1 call k1 get_country {}",
        "1 return k1 success \"Mexico\"",
        "2 output In Mexico.",
    ];

    #[test]
    fn the_last_exchange_of_a_conversation_holds_it_all() {
        for text in [
            format!(
                "{{\"source\":\"s\",\"exchanges\":[{{\"request\":{{\"contents\":[]}}}},{FIRST},{SECOND}]}}"
            ),
            format!("[{FIRST},{SECOND}]"),
            format!("{FIRST}\n{SECOND}\n"),
            SECOND.to_owned(),
        ] {
            let session = session(&text);
            assert_eq!(session.name, "t");
            assert_eq!(session.format, Format::OpenAi);
            assert_eq!(summary(&session), WANTED, "{text}");
        }
    }

    #[test]
    fn conversations_are_kept_apart() {
        let other = FIRST.replace("Where am I?", "Who am I?");
        let text = format!("{FIRST}\n{other}\n{SECOND}\n{other}\n");
        let pieces = detect::split("t", &text).unwrap();
        let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        assert_eq!(names, ["t:3", "t:2", "t:4"]);
        assert_eq!(summary(&detect::read(&pieces[0]).unwrap()), WANTED);
    }

    #[test]
    fn responses_that_go_on() {
        let text = r#"{"request":{"input":"add"},"response":{"id":"r1","output":[{"type":"function_call","call_id":"k1","name":"add","arguments":"{}"}]}}
{"request":{"previous_response_id":"r1","input":[{"type":"function_call_output","call_id":"k1","output":"3"}]},"response":{"id":"r2","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"3"}]}]}}"#;
        assert_eq!(
            summary(&session(text)),
            [
                "0 input add",
                "1 call k1 add {}",
                "1 return k1 success \"3\"",
                "2 output 3"
            ]
        );
    }

    #[test]
    fn nothing_is_passed_over() {
        for text in [
            FIRST.replace("\"choices\"", "\"chunks\""),
            FIRST.replace("[{\"role\":\"user\",\"content\":\"Where am I?\"}]", "7"),
            SECOND.replace(
                "\"request\":{",
                "\"request\":{\"previous_response_id\":\"r0\",",
            ),
        ] {
            let error = unreadable(&text);
            assert!(!error.what.is_empty(), "{text}");
        }
    }
}
