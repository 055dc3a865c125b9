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

/// A list field; empty where missing or no list. For looking at a value, not for reading it.
#[must_use]
pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    field(value, name).and_then(Value::as_list).unwrap_or(&[])
}

/// A list field; empty where missing or null.
///
/// # Errors
///
/// Where it is something else: what it holds must not be passed over.
pub fn entries<'v>(value: &'v Value, name: &str) -> Result<&'v [Value], String> {
    match field(value, name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::List(items)) => Ok(items),
        Some(other) => Err(format!(
            "the field `{name}` is {}, not a list",
            described(other)
        )),
    }
}

/// A text field that may be missing or null.
///
/// # Errors
///
/// Where it is something else.
pub fn optional_text<'v>(value: &'v Value, name: &str) -> Result<Option<&'v str>, String> {
    match field(value, name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => required_text(value, name).map(Some),
    }
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

/// Seconds from here on (the year 5138) are read as milliseconds by [`recorded_time`].
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// The first of these fields that holds a time: RFC 3339 text, seconds, or milliseconds (whole
/// numbers so large that as seconds they would lie beyond the year 5000).
///
/// # Errors
///
/// Where that field holds no time.
pub fn recorded_time(value: &Value, names: &[&str]) -> Result<Option<i64>, String> {
    for name in names {
        let milliseconds = field(value, name)
            .and_then(Value::as_number)
            .and_then(ctr_runtime::decimal::Decimal::to_i64)
            .filter(|number| *number >= MILLISECONDS_FROM)
            .and_then(|number| number.checked_mul(1_000_000));
        if milliseconds.is_some() {
            return Ok(milliseconds);
        }
        if let Some(time) = timestamp(value, name)? {
            return Ok(Some(time));
        }
    }
    Ok(None)
}

/// The text of a message's content: a string, or the texts of its parts joined by line ends. Parts
/// that are no text (images, references) are left out.
#[must_use]
pub fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::Str(text) => Some(text.clone()),
        Value::List(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| {
                    part.as_str()
                        .or_else(|| text(part, "text"))
                        .or_else(|| text(part, "refusal"))
                })
                .collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// What a message says: the text of its `content`, nothing where that is missing, null or empty.
///
/// # Errors
///
/// Where `content` is neither text nor a list of parts.
pub fn said(message: &Value) -> Result<Option<String>, String> {
    let content = match field(message, "content") {
        None | Some(Value::Null) => return Ok(None),
        Some(content @ (Value::Str(_) | Value::List(_))) => content,
        Some(other) => {
            return Err(format!(
                "the field `content` is {}, neither a string nor a list",
                described(other)
            ));
        }
    };
    if let Value::List(parts) = content
        && let Some(part) = parts
            .iter()
            .find(|part| !matches!(part, Value::Str(_) | Value::Record(_)))
    {
        return Err(format!("a part of the content is {}", described(part)));
    }
    Ok(content_text(content).filter(|text| !text.is_empty()))
}

/// A tool's result: its text where the content is text, else the content as it is, null where there
/// is none.
#[must_use]
pub fn result(content: Option<&Value>) -> Value {
    content.map_or(Value::Null, |content| {
        content_text(content).map_or_else(|| content.clone(), Value::from)
    })
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn json(text: &str) -> Value {
        ctr_runtime::json::parse(text).unwrap()
    }

    #[test]
    fn times_in_seconds_milliseconds_and_text() {
        let at = |text: &str| recorded_time(&json(text), &["timestamp", "ts"]);
        assert_eq!(at("{}"), Ok(None));
        assert_eq!(at(r#"{"timestamp":null,"ts":2}"#), Ok(Some(2_000_000_000)));
        assert_eq!(
            at(r#"{"timestamp":1778700007000}"#),
            Ok(Some(1_778_700_007_000_000_000))
        );
        assert_eq!(
            at(r#"{"timestamp":"1970-01-01T00:00:01Z"}"#),
            Ok(Some(1_000_000_000))
        );
        assert!(at(r#"{"timestamp":"yesterday"}"#).is_err());
        assert!(at(r#"{"timestamp":true}"#).is_err());
    }

    #[test]
    fn contents() {
        let said = |text: &str| said(&json(text));
        assert_eq!(said(r#"{"content":null}"#), Ok(None));
        assert_eq!(said(r#"{"content":""}"#), Ok(None));
        assert_eq!(
            said(r#"{"content":["a",{"type":"text","text":"b"},{"type":"image"}]}"#),
            Ok(Some("a\nb".to_owned()))
        );
        assert!(said(r#"{"content":7}"#).is_err());
        assert!(said(r#"{"content":[7]}"#).is_err());
    }

    #[test]
    fn arguments_that_are_no_json_have_no_fields() {
        let of = |text: &str| arguments(Some(&Value::from(text)));
        assert_eq!(of(r#"{"a":1}"#), json(r#"{"a":1}"#));
        assert_eq!(of(" "), json("{}"));
        assert_eq!(of("{\"a\":1,\"a\":2}"), Value::from("{\"a\":1,\"a\":2}"));
        assert_eq!(of("ls -l"), Value::from("ls -l"));
    }

    #[test]
    fn ids() {
        let of = |text: &str| id(&json(text), "id");
        assert_eq!(of(r#"{"id":""}"#), Ok(None));
        assert_eq!(of(r#"{"id":7}"#), Ok(Some("7".to_owned())));
        assert!(of(r#"{"id":[]}"#).is_err());
    }
}
