//! Reading whole values into memory that was used before.

use alloc::string::String;
use alloc::vec::Vec;

use super::{JsonError, MAX_DEPTH, Reader, number, parse_tokens, plain_length};
use crate::recycle::{self, Recycler};
use crate::value::{Record, Value};

/// Reads many values one after another: the memory of those that are given back serves the next ones.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    recycler: Recycler,
}

impl Parser {
    /// Reads one JSON value, as [`parse`].
    ///
    /// # Errors
    ///
    /// As [`parse`].
    pub fn parse(&mut self, text: &str) -> Result<Value, JsonError> {
        parse_with(text, &mut self.recycler)
    }

    /// Takes the memory of a value that is no longer needed.
    pub fn give_back(&mut self, value: Value) {
        self.recycler.take(value);
    }
}

/// [`parse`] into memory that was used before.
pub(crate) fn parse_with(text: &str, recycler: &mut Recycler) -> Result<Value, JsonError> {
    // One reader is enough where size counts.
    if cfg!(feature = "small") {
        return parse_tokens(text);
    }
    let mut open = core::mem::take(&mut recycler.open);
    let read = Quick { text, at: 0 }.read(recycler, &mut open);
    for left in open.drain(..) {
        match left {
            recycle::Open::List(items) => recycler.take(Value::List(items)),
            recycle::Open::Record(mut fields, name) => {
                for (name, value) in fields.drain(..) {
                    recycler.take_string(name);
                    recycler.take(value);
                }
                recycler.take_fields(fields);
                recycler.take_string(name);
            }
        }
    }
    recycler.open = open;
    match read {
        Some(value) => Ok(value),
        // What is wrong, and where, the reader of tokens tells.
        None => parse_tokens(text),
    }
}

/// Reads values whole; it knows only that a text is no JSON, not why.
struct Quick<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Quick<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Skips white space and looks at the next byte.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    fn read(&mut self, recycler: &mut Recycler, stack: &mut Vec<recycle::Open>) -> Option<Value> {
        use recycle::Open;
        'value: loop {
            let mut value = match self.peek()? {
                b'"' => Value::Str(self.string(recycler)?),
                // The depth counts lists and records that are empty, too.
                b'{' | b'[' if stack.len() >= MAX_DEPTH => return None,
                b'{' => {
                    self.at += 1;
                    if self.peek()? == b'}' {
                        self.at += 1;
                        Value::Record(Record::new())
                    } else {
                        let name = self.name(recycler)?;
                        stack.push(Open::Record(recycler.fields(), name));
                        continue 'value;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if self.peek()? == b']' {
                        self.at += 1;
                        Value::List(Vec::new())
                    } else {
                        stack.push(Open::List(recycler.list()));
                        continue 'value;
                    }
                }
                b't' => self.word("true", Value::Bool(true))?,
                b'f' => self.word("false", Value::Bool(false))?,
                b'n' => self.word("null", Value::Null)?,
                b'-' | b'0'..=b'9' => {
                    let mut reader = Reader::new(self.text);
                    reader.at = self.at;
                    let digits = reader.number().ok()?;
                    self.at = reader.at;
                    number(digits)
                }
                _ => return None,
            };
            loop {
                match stack.last_mut() {
                    None => return self.peek().is_none().then_some(value),
                    Some(Open::List(items)) => {
                        items.push(value);
                        match self.peek()? {
                            b',' => {
                                self.at += 1;
                                continue 'value;
                            }
                            b']' => self.at += 1,
                            _ => return None,
                        }
                    }
                    Some(Open::Record(fields, name)) => {
                        fields.push((core::mem::take(name), value));
                        match self.peek()? {
                            b',' => {
                                self.at += 1;
                                *name = self.name(recycler)?;
                                continue 'value;
                            }
                            b'}' => self.at += 1,
                            _ => return None,
                        }
                    }
                }
                value = match stack.pop()? {
                    Open::List(items) => Value::List(items),
                    Open::Record(mut fields, _) => {
                        if !fields.is_sorted_by(|a, b| a.0 < b.0) {
                            crate::order::sort_by(&mut fields, |a, b| a.0.cmp(&b.0));
                            if !fields.is_sorted_by(|a, b| a.0 < b.0) {
                                return None;
                            }
                        }
                        Value::Record(Record::from_sorted(fields))
                    }
                };
            }
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        self.rest().starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn name(&mut self, recycler: &mut Recycler) -> Option<String> {
        if self.peek()? != b'"' {
            return None;
        }
        let name = self.string(recycler)?;
        if self.peek()? != b':' {
            return None;
        }
        self.at += 1;
        Some(name)
    }

    /// A string; it stands at the opening quote, and afterwards behind the closing one.
    fn string(&mut self, recycler: &mut Recycler) -> Option<String> {
        self.at += 1;
        let mut out = recycler.string();
        loop {
            let length = plain_length(self.rest());
            let plain = self.text.get(self.at..self.at + length)?;
            self.at += length;
            match self.text.as_bytes().get(self.at)? {
                b'"' => {
                    self.at += 1;
                    out.push_str(plain);
                    return Some(out);
                }
                b'\\' => {
                    if out.is_empty() {
                        out.reserve(plain.len() + 16);
                    }
                    out.push_str(plain);
                    let simple = match self.text.as_bytes().get(self.at + 1)? {
                        b'n' => '\n',
                        b'"' => '"',
                        b'\\' => '\\',
                        b'/' => '/',
                        b't' => '\t',
                        b'r' => '\r',
                        _ => {
                            let mut reader = Reader::new(self.text);
                            reader.at = self.at;
                            out.push(reader.escape().ok()?);
                            self.at = reader.at;
                            continue;
                        }
                    };
                    out.push(simple);
                    self.at += 2;
                }
                _ => return None,
            }
        }
    }
}
