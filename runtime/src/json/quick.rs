//! Reading whole values into memory that was used before.

use alloc::string::String;
use alloc::vec::Vec;

use super::selected::{Selection, parse_selected};
use super::{JsonError, MAX_DEPTH, Reader, number, number_length, parse_tokens, plain_length};
use crate::recycle::{self, Recycler};
use crate::value::{Record, Value};

/// Reads many values one after another: the memory of those that are given back serves the next ones.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    recycler: Recycler,
}

impl Parser {
    /// Reads one JSON value, as [`parse`](super::parse).
    ///
    /// # Errors
    ///
    /// As [`parse`](super::parse).
    pub fn parse(&mut self, text: &str) -> Result<Value, JsonError> {
        parse_with(text, &mut self.recycler)
    }

    /// Reads the selected parts of one JSON value. Records hold only the fields that are asked for, lists
    /// of which no elements are asked for are empty, and so are texts that are no whole part. (Where a key is
    /// written with an escape, and with the feature `small`, it is the whole value.)
    ///
    /// # Errors
    ///
    /// As [`parse`](super::parse): what is not asked for is checked as well.
    pub fn parse_selected(
        &mut self,
        text: &str,
        selection: &Selection,
    ) -> Result<Value, JsonError> {
        parse_selected(text, selection, &mut self.recycler)
    }

    /// Takes the memory of a value that is no longer needed.
    pub fn give_back(&mut self, value: Value) {
        self.recycler.take(value);
    }

    /// Takes the memory of a text that is no longer needed.
    pub fn give_back_text(&mut self, text: String) {
        self.recycler.take_string(text);
    }
}

/// [`parse`](super::parse) into memory that was used before.
pub(crate) fn parse_with(text: &str, recycler: &mut Recycler) -> Result<Value, JsonError> {
    // One reader is enough where size counts.
    if cfg!(feature = "small") {
        return parse_tokens(text);
    }
    let mut quick = Quick::new(text);
    let read = quick.value(recycler, 0);
    match read.filter(|_| quick.peek().is_none()) {
        Some(value) => Ok(value),
        // What is wrong, and where, the reader of tokens tells.
        None => parse_tokens(text),
    }
}

/// How many bytes of a text with escapes are put together before they are appended.
const STAGE: usize = 256;

/// Reads values whole; it knows only that a text is no JSON, not why.
pub(super) struct Quick<'a> {
    pub(super) text: &'a str,
    at: usize,
}

impl<'a> Quick<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Skips white space and looks at the next byte.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Goes behind the bracket where it stands; whether the closing one follows, which it passes too.
    pub(super) fn enter(&mut self, closing: u8) -> Option<bool> {
        self.at += 1;
        let empty = self.peek()? == closing;
        self.at += usize::from(empty);
        Some(empty)
    }

    /// Goes behind the comma or the closing bracket that must follow; whether it is the bracket.
    pub(super) fn close(&mut self, closing: u8) -> Option<bool> {
        let byte = self.peek()?;
        if byte != b',' && byte != closing {
            return None;
        }
        self.at += 1;
        Some(byte == closing)
    }

    /// The value that comes next, inside of so many lists and records.
    pub(super) fn value(&mut self, recycler: &mut Recycler, depth: usize) -> Option<Value> {
        let mut open = core::mem::take(&mut recycler.open);
        let read = self.read(recycler, &mut open, depth);
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
        read
    }

    fn read(
        &mut self,
        recycler: &mut Recycler,
        stack: &mut Vec<recycle::Open>,
        depth: usize,
    ) -> Option<Value> {
        use recycle::Open;
        'value: loop {
            let mut value = match self.peek()? {
                b'"' => Value::Str(self.string(recycler)?),
                // The depth counts lists and records that are empty, too.
                b'{' | b'[' if stack.len() + depth >= MAX_DEPTH => return None,
                b'{' => {
                    if self.enter(b'}')? {
                        Value::Record(Record::new())
                    } else {
                        let name = self.name(recycler)?;
                        stack.push(Open::Record(recycler.fields(), name));
                        continue 'value;
                    }
                }
                b'[' => {
                    if self.enter(b']')? {
                        Value::List(Vec::new())
                    } else {
                        stack.push(Open::List(recycler.list()));
                        continue 'value;
                    }
                }
                b't' => self.word("true").map(|()| Value::Bool(true))?,
                b'f' => self.word("false").map(|()| Value::Bool(false))?,
                b'n' => self.word("null").map(|()| Value::Null)?,
                _ => number(self.digits()?),
            };
            loop {
                match stack.last_mut() {
                    None => return Some(value),
                    Some(Open::List(items)) => {
                        items.push(value);
                        if !self.close(b']')? {
                            continue 'value;
                        }
                    }
                    Some(Open::Record(fields, name)) => {
                        fields.push((core::mem::take(name), value));
                        if !self.close(b'}')? {
                            *name = self.name(recycler)?;
                            continue 'value;
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

    fn word(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
        })
    }

    /// A number, as it is written.
    fn digits(&mut self) -> Option<&'a str> {
        let length = number_length(self.rest()).ok()?;
        let digits = self.text.get(self.at..self.at + length)?;
        self.at += length;
        Some(digits)
    }

    /// Passes over a number, a Boolean or null.
    pub(super) fn skip_scalar(&mut self) -> Option<()> {
        match self.peek()? {
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.digits().map(drop),
        }
    }

    fn name(&mut self, recycler: &mut Recycler) -> Option<String> {
        if self.peek()? != b'"' {
            return None;
        }
        let name = self.string(recycler)?;
        self.colon()?;
        Some(name)
    }

    fn colon(&mut self) -> Option<()> {
        if self.peek()? != b':' {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// A key without escapes, and where it stands; the colon is passed.
    pub(super) fn key(&mut self) -> Option<(&'a str, (usize, usize))> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let length = plain_length(self.text.as_bytes().get(start..)?);
        let end = start + length;
        self.at = end;
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        self.colon()?;
        Some((self.text.get(start..end)?, (start, end)))
    }

    /// Checks a string and passes over it; it stands at the opening quote.
    pub(super) fn skip_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += plain_length(self.rest());
            match self.text.as_bytes().get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => match self.text.as_bytes().get(self.at + 1)? {
                    b'n' | b'"' | b'\\' | b'/' | b't' | b'r' => self.at += 2,
                    _ => drop(self.escape()?),
                },
                _ => return None,
            }
        }
    }

    /// An escape that is not among the frequent ones; it stands at the backslash.
    #[cold]
    fn escape(&mut self) -> Option<char> {
        let mut reader = Reader::new(self.text);
        reader.at = self.at;
        let character = reader.escape().ok()?;
        self.at = reader.at;
        Some(character)
    }

    /// A string; it stands at the opening quote, and afterwards behind the closing one.
    fn string(&mut self, recycler: &mut Recycler) -> Option<String> {
        let start = self.at + 1;
        let length = plain_length(self.text.as_bytes().get(start..)?);
        let plain = self.text.get(start..start + length)?;
        self.at = start + length;
        match self.text.as_bytes().get(self.at)? {
            b'"' => {
                self.at += 1;
                Some(recycler.text(plain))
            }
            b'\\' => self.escaped(plain, recycler),
            _ => None,
        }
    }

    /// A string with escapes, of which the part before the first one is read; it stands there.
    ///
    /// Texts that hold JSON have an escape every few bytes, so that the parts between them are copied a word at a
    /// time while they are searched.
    fn escaped(&mut self, plain: &str, recycler: &mut Recycler) -> Option<String> {
        let mut out = recycler.string().into_bytes();
        out.reserve(plain.len() + STAGE);
        out.extend_from_slice(plain.as_bytes());
        let bytes = self.text.as_bytes();
        let mut stage = [0_u8; STAGE];
        let mut filled = 0;
        // How many whole words have been copied since the last escape.
        let mut run = 0;
        loop {
            // Room for a word, and for any one character.
            if filled > STAGE - 8 {
                out.extend_from_slice(stage.get(..filled)?);
                filled = 0;
            }
            if let Some(word) = bytes
                .get(self.at..)
                .and_then(|rest| rest.first_chunk::<8>())
            {
                let length = super::plain_bytes(*word);
                *stage.get_mut(filled..)?.first_chunk_mut::<8>()? = *word;
                filled += length;
                self.at += length;
                if length == 8 {
                    run += 1;
                    if run < 4 {
                        continue;
                    }
                    // A long part without escapes is copied as it is.
                    run = 0;
                    let more = plain_length(bytes.get(self.at..)?);
                    out.extend_from_slice(stage.get(..filled)?);
                    out.extend_from_slice(bytes.get(self.at..self.at + more)?);
                    filled = 0;
                    self.at += more;
                    continue;
                }
                run = 0;
            }
            match *bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    out.extend_from_slice(stage.get(..filled)?);
                    // It is part of a text, cut only at ASCII characters.
                    return String::from_utf8(out).ok();
                }
                b'\\' => {
                    let byte = match *bytes.get(self.at + 1)? {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        same @ (b'"' | b'\\' | b'/') => same,
                        _ => {
                            let character = self.escape()?;
                            // Four bytes at most, for which there is room where a word has been put, too.
                            let mut four = [0; 4];
                            out.extend_from_slice(stage.get(..filled)?);
                            out.extend_from_slice(character.encode_utf8(&mut four).as_bytes());
                            filled = 0;
                            continue;
                        }
                    };
                    if filled == STAGE {
                        out.extend_from_slice(&stage);
                        filled = 0;
                    }
                    *stage.get_mut(filled)? = byte;
                    filled += 1;
                    self.at += 2;
                }
                0..0x20 => return None,
                // The last bytes of the text.
                other => {
                    if filled == STAGE {
                        out.extend_from_slice(&stage);
                        filled = 0;
                    }
                    *stage.get_mut(filled)? = other;
                    filled += 1;
                    self.at += 1;
                }
            }
        }
    }
}
