//! Values of other JSON libraries.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::decimal::Decimal;
use crate::json::MAX_DEPTH;
use crate::value::{Record, Value};

/// What a JSON-like value is.
#[derive(Debug)]
pub enum Part<'v, J: ?Sized> {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number, as JSON text, so that no digit is lost.
    Number(Cow<'v, str>),
    /// A string.
    Str(Cow<'v, str>),
    /// A list's elements.
    List(Vec<&'v J>),
    /// A record's fields, in any order.
    Record(Vec<(&'v str, &'v J)>),
}

/// A JSON value of the host's own kind. Hosts whose values are not [`Value`]s implement this once and
/// convert with [`to_value`]; `serde_json::Value` has it with the feature `serde_json`.
///
/// ```
/// use std::borrow::Cow;
/// use ctr_runtime::like::{JsonLike, Part, to_value};
///
/// enum Mine { Text(String), Many(Vec<Mine>) }
///
/// impl JsonLike for Mine {
///     fn part(&self) -> Part<'_, Self> {
///         match self {
///             Mine::Text(text) => Part::Str(Cow::Borrowed(text)),
///             Mine::Many(items) => Part::List(items.iter().collect()),
///         }
///     }
/// }
///
/// let mine = Mine::Many(vec![Mine::Text("a".into())]);
/// assert_eq!(to_value(&mine)?.to_string(), r#"["a"]"#);
/// # Ok::<(), ctr_runtime::like::NotJson>(())
/// ```
pub trait JsonLike {
    /// What the value is.
    fn part(&self) -> Part<'_, Self>;
}

/// Why a value cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotJson {
    /// A number that is no JSON number.
    Number(String),
    /// A field that occurs twice.
    Twice(String),
    /// Nesting deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(text) => write!(f, "`{text}` is no JSON number"),
            Self::Twice(name) => write!(f, "the field `{name}` occurs twice"),
            Self::TooDeep => write!(f, "it is nested more than {MAX_DEPTH} levels deep"),
        }
    }
}

impl core::error::Error for NotJson {}

/// The same value as the runtime has it.
///
/// # Errors
/// Where it is nothing that JSON text could say, or nested too deeply.
pub fn to_value<J: JsonLike + ?Sized>(value: &J) -> Result<Value, NotJson> {
    convert(value, MAX_DEPTH)
}

fn convert<J: JsonLike + ?Sized>(value: &J, depth: usize) -> Result<Value, NotJson> {
    let below = || depth.checked_sub(1).ok_or(NotJson::TooDeep);
    Ok(match value.part() {
        Part::Null => Value::Null,
        Part::Bool(b) => Value::Bool(b),
        Part::Number(text) => match Decimal::parse(&text) {
            Some(n) => Value::Number(n),
            // One that is too large stays as it is written.
            None => match crate::json::parse(&text) {
                Ok(value @ (Value::Number(_) | Value::Huge(_))) => value,
                _ => return Err(NotJson::Number(text.into_owned())),
            },
        },
        Part::Str(text) => Value::Str(text.into_owned()),
        Part::List(items) => {
            let depth = below()?;
            let items = items.into_iter().map(|item| convert(item, depth));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Part::Record(fields) => {
            let depth = below()?;
            let mut all = Vec::with_capacity(fields.len());
            for (name, field) in fields {
                all.push((String::from(name), convert(field, depth)?));
            }
            Value::Record(Record::from_fields(all).map_err(NotJson::Twice)?)
        }
    })
}

impl JsonLike for Value {
    fn part(&self) -> Part<'_, Self> {
        match self {
            Self::Null => Part::Null,
            Self::Bool(b) => Part::Bool(*b),
            Self::Number(n) => {
                let mut text = String::new();
                n.write(&mut text);
                Part::Number(Cow::Owned(text))
            }
            Self::Huge(text) => Part::Number(Cow::Borrowed(text)),
            Self::Str(text) => Part::Str(Cow::Borrowed(text)),
            Self::List(items) => Part::List(items.iter().collect()),
            Self::Record(record) => Part::Record(record.iter().collect()),
        }
    }
}

#[cfg(feature = "serde_json")]
impl JsonLike for serde_json::Value {
    fn part(&self) -> Part<'_, Self> {
        match self {
            Self::Null => Part::Null,
            Self::Bool(b) => Part::Bool(*b),
            Self::Number(n) => Part::Number(Cow::Owned(alloc::string::ToString::to_string(n))),
            Self::String(text) => Part::Str(Cow::Borrowed(text)),
            Self::Array(items) => Part::List(items.iter().collect()),
            Self::Object(map) => {
                Part::Record(map.iter().map(|(name, v)| (name.as_str(), v)).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn own_values_come_back() {
        let text = r#"{"a":[1,2.50,null,true],"b":{"c":"x"},"d":1234567890123456789012345678901234567890123}"#;
        let value = crate::json::parse(text).unwrap();
        assert_eq!(to_value(&value).unwrap(), value);
    }

    struct Nest(usize);

    impl JsonLike for Nest {
        fn part(&self) -> Part<'_, Self> {
            match self.0 {
                0 => Part::Number(Cow::Borrowed("NaN")),
                _ => Part::List(Vec::from([self])),
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert_eq!(to_value(&Nest(1)), Err(NotJson::TooDeep));
        assert_eq!(to_value(&Nest(0)), Err(NotJson::Number("NaN".into())));
    }

    #[cfg(feature = "serde_json")]
    #[test]
    fn serde_json_values_come_over() {
        let value = serde_json::json!({"a": [1, -2.5, "x", null], "b": {}});
        assert_eq!(
            to_value(&value).unwrap().to_string(),
            r#"{"a":[1,-2.5,"x",null],"b":{}}"#
        );
    }
}
