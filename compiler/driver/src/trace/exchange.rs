//! Logs of API exchanges: `{"request": {"messages": [...]}, "response": {...}}`, or a list of them.
//!
//! Each request repeats the conversation so far, so the last exchange holds it all.

use ctr_runtime::value::{Record, Value};

use super::access::{field, list};

/// Whether a record is an exchange, or holds a list of them.
#[must_use]
pub fn looks_like(record: &Value) -> bool {
    field(record, "exchanges").is_some()
        || field(record, "request").is_some_and(|request| {
            field(request, "messages").is_some() || field(request, "input").is_some()
        })
}

/// The messages of the conversation that the exchanges make up: those of the last request, and what
/// the model answered to it.
#[must_use]
pub fn messages(exchanges: &[Value]) -> Option<Vec<Value>> {
    let last = exchanges.iter().rev().find(|exchange| looks_like(exchange))?;
    let inner = list(last, "exchanges");
    if !inner.is_empty() {
        return messages(inner);
    }
    let request = field(last, "request")?;
    let mut messages = match (field(request, "messages"), field(request, "input")) {
        (Some(Value::List(messages)), _) | (None, Some(Value::List(messages))) => messages.to_vec(),
        (None, Some(text @ Value::Str(_))) => vec![message("user", text.clone())],
        _ => return None,
    };
    if let Some(response) = field(last, "response") {
        if let Some(choice) = list(response, "choices").first() {
            messages.extend(field(choice, "message").cloned());
        } else if field(response, "role").is_some() {
            messages.push(response.clone());
        } else {
            messages.extend(list(response, "output").iter().cloned());
        }
    }
    Some(messages)
}

fn message(role: &str, content: Value) -> Value {
    let mut fields = Record::new();
    fields.insert("role", Value::from(role));
    fields.insert("content", content);
    Value::Record(fields)
}
