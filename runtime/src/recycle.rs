//! Memory of values that are no longer needed, kept for the next ones: a session that has warmed up
//! takes no more from the allocator. With the feature `small` nothing is kept.

use alloc::string::String;
use alloc::vec::Vec;

use crate::value::{Record, Value};

/// How many strings are kept.
const MAX_STRINGS: usize = 4096;
/// How many lists, and how many records.
const MAX_LISTS: usize = 1024;
/// The largest string that is kept, in bytes, and the longest list.
const MAX_LENGTH: usize = 4096;

/// Strings, lists and records without content.
#[derive(Debug, Default)]
pub(crate) struct Recycler {
    strings: Vec<String>,
    lists: Vec<Vec<Value>>,
    records: Vec<Vec<(String, Value)>>,
    /// Lists and records that a reader has open.
    pub(crate) open: Vec<Open>,
    /// What a reader of parts needs.
    pub(crate) selected: crate::json::Memory,
}

/// A list or record that is being read.
#[derive(Debug)]
pub(crate) enum Open {
    List(Vec<Value>),
    Record(Vec<(String, Value)>, String),
}

/// A copy starts with nothing of its own.
impl Clone for Recycler {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Recycler {
    /// An empty string.
    pub(crate) fn string(&mut self) -> String {
        if cfg!(feature = "small") {
            return String::new();
        }
        self.strings.pop().unwrap_or_default()
    }

    /// A string with this content.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut out = self.string();
        out.push_str(text);
        out
    }

    /// An empty list.
    pub(crate) fn list(&mut self) -> Vec<Value> {
        self.lists.pop().unwrap_or_default()
    }

    /// An empty list of fields.
    pub(crate) fn fields(&mut self) -> Vec<(String, Value)> {
        self.records.pop().unwrap_or_default()
    }

    /// A copy of a value.
    pub(crate) fn copy(&mut self, value: &Value) -> Value {
        if cfg!(feature = "small") {
            return value.clone();
        }
        match value {
            Value::Str(text) => Value::Str(self.text(text)),
            Value::List(items) => {
                let mut out = self.list();
                out.extend(items.iter().map(|item| self.copy(item)));
                Value::List(out)
            }
            Value::Record(record) => {
                let mut out = self.fields();
                for (name, value) in record.iter() {
                    let name = self.text(name);
                    out.push((name, self.copy(value)));
                }
                Value::Record(Record::from_sorted(out))
            }
            other => other.clone(),
        }
    }

    /// Takes a string's memory back.
    pub(crate) fn take_string(&mut self, mut text: String) {
        if cfg!(feature = "small") {
            return;
        }
        if text.capacity() > 0 && text.capacity() <= MAX_LENGTH && self.strings.len() < MAX_STRINGS
        {
            text.clear();
            self.strings.push(text);
        }
    }

    /// Takes a value's memory back.
    pub(crate) fn take(&mut self, value: Value) {
        if cfg!(feature = "small") {
            return;
        }
        match value {
            Value::Str(text) => self.take_string(text),
            Value::List(mut items) => {
                for item in items.drain(..) {
                    self.take(item);
                }
                self.take_list(items);
            }
            Value::Record(record) => {
                let mut fields = record.into_fields();
                for (name, value) in fields.drain(..) {
                    self.take_string(name);
                    self.take(value);
                }
                self.take_fields(fields);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Huge(_) => {}
        }
    }

    /// Takes the memory of a list without items back.
    pub(crate) fn take_list(&mut self, items: Vec<Value>) {
        if items.is_empty() && items.capacity() <= MAX_LENGTH && self.lists.len() < MAX_LISTS {
            self.lists.push(items);
        }
    }

    /// Takes the memory of a list without fields back.
    pub(crate) fn take_fields(&mut self, fields: Vec<(String, Value)>) {
        if fields.is_empty() && fields.capacity() <= MAX_LENGTH && self.records.len() < MAX_LISTS {
            self.records.push(fields);
        }
    }
}
