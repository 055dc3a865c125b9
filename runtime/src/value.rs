//! JSON values, as the language sees them (language reference, section 6).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::decimal::Decimal;
use crate::json;
use crate::limits::ENTRY;

/// A JSON value. Equality and hash are those of the language: numbers by value, records whatever
/// the order of their keys was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A number that 128 bits do not hold, as it was written: undefined in conditions.
    Huge(Box<str>),
    /// A string.
    Str(String),
    /// A list.
    List(Vec<Value>),
    /// A record.
    Record(Record),
}

/// A record: its keys are unique, and sorted by code point, so that fields are found fast and the
/// canonical text needs no sorting.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Record {
    fields: Vec<(String, Value)>,
}

/// Records of at most so many fields are searched from the front: the keys' lengths tell most
/// apart, which is cheaper than ordering them.
const SEARCH_LINEARLY: usize = 8;

impl Record {
    /// A record without fields.
    #[must_use]
    pub const fn new() -> Self {
        Self { fields: Vec::new() }
    }

    /// A record of these fields, in any order.
    ///
    /// # Errors
    ///
    /// The key that occurs twice.
    pub fn from_fields(mut fields: Vec<(String, Value)>) -> Result<Self, String> {
        if !fields.is_sorted_by(|a, b| a.0 < b.0) {
            crate::order::sort_by(&mut fields, |a, b| a.0.cmp(&b.0));
            let twice = fields.windows(2).find_map(|pair| match pair {
                [a, b] if a.0 == b.0 => Some(a.0.clone()),
                _ => None,
            });
            if let Some(key) = twice {
                return Err(key);
            }
        }
        Ok(Self { fields })
    }

    /// A record of fields that are sorted already, each once.
    pub(crate) fn from_sorted(fields: Vec<(String, Value)>) -> Self {
        debug_assert!(fields.is_sorted_by(|a, b| a.0 < b.0), "sorted, each once");
        Self { fields }
    }

    /// The fields on their own.
    pub(crate) fn into_fields(self) -> Vec<(String, Value)> {
        self.fields
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.fields
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
    }

    /// A field's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        if self.fields.len() <= SEARCH_LINEARLY {
            return self
                .fields
                .iter()
                .find_map(|(key, value)| (key == name).then_some(value));
        }
        let at = self.position(name).ok()?;
        self.fields.get(at).map(|(_, value)| value)
    }

    /// A field's value, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let at = self.position(name).ok()?;
        self.fields.get_mut(at).map(|(_, value)| value)
    }

    /// Sets a field, and returns the value that it had.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) -> Option<Value> {
        let name = name.into();
        match self.position(&name) {
            Ok(at) => self
                .fields
                .get_mut(at)
                .map(|(_, old)| core::mem::replace(old, value)),
            Err(at) => {
                self.fields.insert(at, (name, value));
                None
            }
        }
    }

    /// Removes a field, and returns the value that it had.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.position(name).ok()?;
        Some(self.fields.remove(at).1)
    }

    /// The fields, by key.
    #[must_use]
    pub fn fields(&self) -> &[(String, Value)] {
        &self.fields
    }

    /// The fields, by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Value {
    /// A record's field; `None` for other values.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Record(record) => record.get(name),
            _ => None,
        }
    }

    /// A list's element, from 0; `None` for other values.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&Self> {
        match self {
            Self::List(items) => items.get(index),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The Boolean, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one that fits.
    #[must_use]
    pub fn as_number(&self) -> Option<Decimal> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The list's elements, if it is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The record, if it is one.
    #[must_use]
    pub fn as_record(&self) -> Option<&Record> {
        match self {
            Self::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// What people call it: `null`, `boolean`, `number`, `string`, `list`, `record`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) | Self::Huge(_) => "number",
            Self::Str(_) => "string",
            Self::List(_) => "list",
            Self::Record(_) => "record",
        }
    }

    /// Whether lists and records are nested deeper in it than so many levels.
    #[must_use]
    pub fn is_deeper_than(&self, levels: usize) -> bool {
        // Most values in lists and records are neither.
        let inside = |value: &Self, levels: usize| match value {
            Self::List(_) | Self::Record(_) => value.is_deeper_than(levels),
            _ => false,
        };
        match (self, levels.checked_sub(1)) {
            (Self::List(_) | Self::Record(_), None) => true,
            (Self::List(items), Some(rest)) => items.iter().any(|value| inside(value, rest)),
            (Self::Record(record), Some(rest)) => {
                record.fields.iter().any(|(_, value)| inside(value, rest))
            }
            _ => false,
        }
    }

    /// How much it holds, as [`Limits`](crate::limits::Limits) count: its texts in bytes, and a fixed
    /// amount for each value and field. `None` where it is nested deeper than JSON may be
    /// ([`MAX_DEPTH`](crate::json::MAX_DEPTH)).
    pub(crate) fn weight(&self) -> Option<usize> {
        self.weigh(json::MAX_DEPTH)
    }

    fn weigh(&self, levels: usize) -> Option<usize> {
        let mut sum = ENTRY;
        match self {
            Self::List(items) => {
                let rest = levels.checked_sub(1)?;
                for item in items {
                    sum = sum.saturating_add(item.weigh_inside(rest)?);
                }
            }
            Self::Record(record) => {
                let rest = levels.checked_sub(1)?;
                for (key, value) in &record.fields {
                    sum = sum
                        .saturating_add(key.len())
                        .saturating_add(value.weigh_inside(rest)?);
                }
            }
            plain => sum = plain.weigh_inside(levels)?,
        }
        Some(sum)
    }

    /// The same; quicker for a value that is neither list nor record, as most in these are.
    #[inline]
    fn weigh_inside(&self, levels: usize) -> Option<usize> {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => Some(ENTRY),
            Self::Huge(text) => Some(ENTRY.saturating_add(text.len())),
            Self::Str(text) => Some(ENTRY.saturating_add(text.len())),
            Self::List(_) | Self::Record(_) => self.weigh(levels),
        }
    }

    /// Whether a number that does not fit stands in it, at any depth.
    #[must_use]
    pub fn has_huge(&self) -> bool {
        match self {
            Self::Huge(_) => true,
            Self::List(items) => items.iter().any(Self::has_huge),
            Self::Record(record) => record.fields.iter().any(|(_, value)| value.has_huge()),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Str(_) => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Str(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Str(value)
    }
}

impl From<Decimal> for Value {
    fn from(value: Decimal) -> Self {
        Self::Number(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<Vec<Self>> for Value {
    fn from(value: Vec<Self>) -> Self {
        Self::List(value)
    }
}

impl From<Record> for Value {
    fn from(value: Record) -> Self {
        Self::Record(value)
    }
}

/// Canonical JSON, as [`json::write`] has it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&json::to_string(self))
    }
}
