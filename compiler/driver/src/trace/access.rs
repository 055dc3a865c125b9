//! Reading fields of JSON values, with errors that name the field.

use ctr_runtime::time;
use ctr_runtime::value::{Record, Value};

/// A field of a record.
#[must_use]
pub fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get(name)
}

/// A value's type in a sentence: `a number`.
#[must_use]
pub fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => format!("a {}", other.type_name()),
    }
}

/// A text field.
#[must_use]
pub fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    field(value, name).and_then(Value::as_str)
}

/// A text field that must be there.
///
/// # Errors
///
/// Where it is missing or no text.
pub fn required_text<'v>(value: &'v Value, name: &str) -> Result<&'v str, String> {
    match field(value, name) {
        None => Err(format!("the field `{name}` is missing")),
        Some(found) => found
            .as_str()
            .ok_or_else(|| format!("the field `{name}` is {}, not a string", described(found))),
    }
}

/// A list field; empty where missing or no list.
#[must_use]
pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    field(value, name).and_then(Value::as_list).unwrap_or(&[])
}

/// An id, as text: strings as they are, numbers as written in canonical form; an empty one is none.
///
/// # Errors
///
/// Where it is neither text, nor a number, nor null.
pub fn id(value: &Value, name: &str) -> Result<Option<String>, String> {
    match field(value, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Str(text)) if text.is_empty() => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.to_string())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(format!(
            "the field `{name}` is {}, not a string",
            described(other)
        )),
    }
}

/// An integer field.
///
/// # Errors
///
/// Where it is there and no integer.
pub fn integer(value: &Value, name: &str) -> Result<Option<i64>, String> {
    match field(value, name) {
        None | Some(Value::Null) => Ok(None),
        Some(found) => found
            .as_number()
            .and_then(ctr_runtime::decimal::Decimal::to_i64)
            .map(Some)
            .ok_or_else(|| format!("the field `{name}` is not an integer")),
    }
}

/// A time: RFC 3339 text or seconds, to nanoseconds since the epoch.
///
/// # Errors
///
/// Where it is there and no time.
pub fn timestamp(value: &Value, name: &str) -> Result<Option<i64>, String> {
    match field(value, name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::Number(seconds)) => seconds.seconds_to_nanos().map(Some),
        Some(Value::Str(text)) => time::parse_timestamp(text).map(Some),
        Some(_) => None,
    }
    .ok_or_else(|| format!("the field `{name}` is no RFC 3339 time and no number of seconds"))
}

/// The text of a message's content: a string, or the texts of its parts joined by line ends. Parts
/// that are no text (images, references) are left out.
#[must_use]
pub fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::Str(text) => Some(text.to_string()),
        Value::List(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| text(part, "text")))
                .collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// Arguments as recorded: JSON text is read as JSON; text that is none stays a text, which has no
/// fields.
#[must_use]
pub fn arguments(value: Option<&Value>) -> Value {
    match value {
        None | Some(Value::Null) => Value::Record(Record::new()),
        Some(Value::Str(text)) if text.trim().is_empty() => Value::Record(Record::new()),
        Some(Value::Str(text)) => {
            ctr_runtime::json::parse(text).unwrap_or_else(|_| Value::Str(text.clone()))
        }
        Some(other) => other.clone(),
    }
}
