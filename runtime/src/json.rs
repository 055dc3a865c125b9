//! A strict JSON reader and a canonical writer (RFC 8259).
//!
//! Strict: one value and nothing after it, no duplicate keys, no lone surrogates, no control
//! characters in strings, numbers kept exactly. A recorded event whose JSON two readers could take
//! in two ways is malformed, since the tool may read it otherwise than the contracts did.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::decimal::Decimal;
use crate::recycle::Recycler;
use crate::value::{Record, Value};

mod quick;
mod selected;

pub use quick::Parser;
pub(crate) use quick::parse_with;
pub(crate) use selected::{Memory, parse_selected};
pub use selected::{Selection, Step};

/// How deep lists and records may be nested.
pub const MAX_DEPTH: usize = 512;

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What is wrong with a text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// A record has the key twice.
    DuplicateKey(String),
    /// Lists and records are nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// The text ends too early.
    End,
    /// Something else was expected here.
    Expected(&'static str),
    /// Something follows the value.
    Trailing,
    /// A control character stands in a string.
    ControlCharacter,
    /// An escape that does not exist.
    Escape,
    /// Half of a surrogate pair, which is no character.
    LoneSurrogate,
    /// A number that is not written as JSON has it.
    Number,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            JsonErrorKind::DuplicateKey(key) => write!(f, "the key `{key}` occurs twice")?,
            JsonErrorKind::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels")?,
            JsonErrorKind::End => f.write_str("the text ends too early")?,
            JsonErrorKind::Expected(what) => write!(f, "expected {what}")?,
            JsonErrorKind::Trailing => f.write_str("something follows the value")?,
            JsonErrorKind::ControlCharacter => {
                f.write_str("a control character in a string (write it as an escape)")?;
            }
            JsonErrorKind::Escape => f.write_str("an escape that JSON does not have")?,
            JsonErrorKind::LoneSurrogate => {
                f.write_str("half of a surrogate pair, which is no character")?;
            }
            JsonErrorKind::Number => f.write_str("a number that is not written as JSON has it")?,
        }
        write!(f, ", at byte {}", self.offset)
    }
}

impl core::error::Error for JsonError {}

/// A piece of a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number, as it is written.
    Number(&'a str),
    /// A string, its escapes resolved.
    Str(Cow<'a, str>),
    /// A key of a record; its value follows.
    Key(Cow<'a, str>),
    /// `[`
    BeginList,
    /// `]`
    EndList,
    /// `{`
    BeginRecord,
    /// `}`
    EndRecord,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// After `[`.
    FirstItem,
    /// After `{`.
    FirstKey,
    /// After a value inside a list or record.
    Separator,
    /// After the outermost value.
    Done,
}

/// Reads a JSON text piece by piece, without recursion. It checks everything but duplicate keys.
#[derive(Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    expect: Expect,
    /// One bit a level: set for records.
    records: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader of one value.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            expect: Expect::Value,
            records: [0; MAX_DEPTH / 64],
            depth: 0,
        }
    }

    /// The byte offset of what comes next (white space included).
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next piece; `None` after the value and nothing else.
    ///
    /// # Errors
    ///
    /// Where the text is not JSON; the reader must not be used any more then.
    pub fn next_token(&mut self) -> Result<Option<Token<'a>>, JsonError> {
        let byte = self.peek();
        match self.expect {
            Expect::Value => self.value(byte).map(Some),
            Expect::FirstItem if byte == Some(b']') => Ok(Some(self.close(Token::EndList))),
            Expect::FirstItem => self.value(byte).map(Some),
            Expect::FirstKey if byte == Some(b'}') => Ok(Some(self.close(Token::EndRecord))),
            Expect::FirstKey => self.key(byte).map(Some),
            Expect::Separator => match (byte, self.in_record()) {
                (Some(b','), true) => {
                    self.at += 1;
                    let byte = self.peek();
                    self.key(byte).map(Some)
                }
                (Some(b','), false) => {
                    self.at += 1;
                    let byte = self.peek();
                    self.value(byte).map(Some)
                }
                (Some(b'}'), true) => Ok(Some(self.close(Token::EndRecord))),
                (Some(b']'), false) => Ok(Some(self.close(Token::EndList))),
                (None, _) => Err(self.error(JsonErrorKind::End)),
                (Some(_), true) => Err(self.error(JsonErrorKind::Expected("`,` or `}`"))),
                (Some(_), false) => Err(self.error(JsonErrorKind::Expected("`,` or `]`"))),
            },
            Expect::Done if byte.is_none() => Ok(None),
            Expect::Done => Err(self.error(JsonErrorKind::Trailing)),
        }
    }

    fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError {
            offset: self.at,
            kind,
        }
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

    fn in_record(&self) -> bool {
        let level = self.depth.wrapping_sub(1);
        self.records
            .get(level / 64)
            .is_some_and(|word| word >> (level % 64) & 1 == 1)
    }

    fn open(&mut self, record: bool) -> Result<(), JsonError> {
        let Some(word) = self.records.get_mut(self.depth / 64) else {
            return Err(self.error(JsonErrorKind::TooDeep));
        };
        let bit = 1_u64 << (self.depth % 64);
        *word = if record { *word | bit } else { *word & !bit };
        self.depth += 1;
        self.at += 1;
        self.expect = if record {
            Expect::FirstKey
        } else {
            Expect::FirstItem
        };
        Ok(())
    }

    fn close(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
        self.value_done();
        token
    }

    fn value_done(&mut self) {
        self.expect = if self.depth == 0 {
            Expect::Done
        } else {
            Expect::Separator
        };
    }

    fn key(&mut self, byte: Option<u8>) -> Result<Token<'a>, JsonError> {
        match byte {
            Some(b'"') => {}
            None => return Err(self.error(JsonErrorKind::End)),
            Some(_) => return Err(self.error(JsonErrorKind::Expected("a key in double quotes"))),
        }
        let key = self.string()?;
        match self.peek() {
            Some(b':') => self.at += 1,
            None => return Err(self.error(JsonErrorKind::End)),
            Some(_) => return Err(self.error(JsonErrorKind::Expected("`:`"))),
        }
        self.expect = Expect::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: Option<u8>) -> Result<Token<'a>, JsonError> {
        let token = match byte {
            Some(b'"') => Token::Str(self.string()?),
            Some(b'{') => {
                self.open(true)?;
                return Ok(Token::BeginRecord);
            }
            Some(b'[') => {
                self.open(false)?;
                return Ok(Token::BeginList);
            }
            Some(b'-' | b'0'..=b'9') => Token::Number(self.number()?),
            Some(b't') => self.word("true", Token::Bool(true))?,
            Some(b'f') => self.word("false", Token::Bool(false))?,
            Some(b'n') => self.word("null", Token::Null)?,
            None => return Err(self.error(JsonErrorKind::End)),
            Some(_) => return Err(self.error(JsonErrorKind::Expected("a value"))),
        };
        self.value_done();
        Ok(token)
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, JsonError> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.error(JsonErrorKind::Expected("a value")));
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Result<&'a str, JsonError> {
        let text = number_length(self.rest())
            .ok()
            .and_then(|length| self.text.get(self.at..self.at + length));
        let Some(text) = text else {
            return Err(self.error(JsonErrorKind::Number));
        };
        self.at += text.len();
        Ok(text)
    }

    /// A string; the reader stands at its opening quote, and afterwards behind its closing one.
    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let mut start = self.at;
        // Only strings with escapes are copied.
        let mut out: Option<String> = None;
        loop {
            self.at += plain_length(self.rest());
            let plain = self.text.get(start..self.at).unwrap_or_default();
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match out {
                        None => Cow::Borrowed(plain),
                        Some(mut out) => {
                            out.push_str(plain);
                            Cow::Owned(out)
                        }
                    });
                }
                Some(b'\\') => {
                    let out = out.get_or_insert_default();
                    out.push_str(plain);
                    out.push(self.escape()?);
                    start = self.at;
                }
                Some(_) => return Err(self.error(JsonErrorKind::ControlCharacter)),
                None => return Err(self.error(JsonErrorKind::End)),
            }
        }
    }

    /// An escape; the reader stands at its backslash.
    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(self.error(JsonErrorKind::Escape)),
            None => return Err(self.error(JsonErrorKind::End)),
        };
        self.at += 2;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let unit = |at: usize| -> Option<u32> {
            let digits = self.text.as_bytes().get(at..at + 6)?;
            let hex = digits.strip_prefix(b"\\u")?;
            hex.iter().try_fold(0, |value, digit| {
                Some(value * 16 + char::from(*digit).to_digit(16)?)
            })
        };
        let Some(first) = unit(self.at) else {
            return Err(self.error(JsonErrorKind::Escape));
        };
        if let Some(character) = char::from_u32(first) {
            self.at += 6;
            return Ok(character);
        }
        let second = unit(self.at + 6).filter(|second| (0xdc00..0xe000).contains(second));
        let pair = match second {
            Some(second) if first < 0xdc00 => {
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            }
            _ => None,
        };
        let Some(character) = pair else {
            return Err(self.error(JsonErrorKind::LoneSurrogate));
        };
        self.at += 12;
        Ok(character)
    }
}

/// The length of the number that the bytes begin with, as JSON writes numbers.
fn number_length(bytes: &[u8]) -> Result<usize, ()> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(start);
    let leading_zero = bytes.get(start) == Some(&b'0') && end > start + 1;
    let mut good = end > start && !leading_zero;
    if bytes.get(end) == Some(&b'.') {
        let from = end + 1;
        end = digits(from);
        good &= end > from;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(from);
        good &= end > from;
    }
    if good { Ok(end) } else { Err(()) }
}

/// How many of the bytes, from the first on, are neither quotes nor backslashes nor control characters.
fn plain_bytes(bytes: [u8; 8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    /// A high bit for each byte that is zero; bytes above the lowest such one may be wrong.
    const fn zero_bytes(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word
    }
    let word = u64::from_le_bytes(bytes);
    let quotes = zero_bytes(word ^ (ONES * b'"' as u64));
    let backslashes = zero_bytes(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    let special = (quotes | backslashes | controls) & HIGHS;
    special.trailing_zeros() as usize / 8
}

/// How many bytes from the front are neither quotes nor backslashes nor control characters.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    // Most keys and many texts end within the first words.
    let mut length = 0;
    for _ in 0..2 {
        let Some(word) = bytes.get(length..).and_then(|rest| rest.first_chunk()) else {
            break;
        };
        let plain = plain_bytes(*word);
        length += plain;
        if plain < 8 {
            return length;
        }
    }
    length + long_plain_length(bytes.get(length..).unwrap_or_default())
}

/// The same for what is long: it is looked at in blocks.
#[inline(never)]
fn long_plain_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(block) = bytes.get(length..).and_then(|rest| rest.first_chunk())
        && is_plain(block)
    {
        length += BLOCK;
    }
    while let Some(word) = bytes.get(length..).and_then(|rest| rest.first_chunk()) {
        let plain = plain_bytes(*word);
        length += plain;
        if plain < 8 {
            return length;
        }
    }
    let tail = bytes.get(length..).unwrap_or_default();
    length
        + tail
            .iter()
            .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20))
            .count()
}

/// How many bytes are looked at together.
const BLOCK: usize = 32;

/// Whether none of the bytes is a quote, a backslash or a control character.
fn is_plain(block: &[u8; BLOCK]) -> bool {
    !block.iter().fold(false, |special, byte| {
        special | (*byte == b'"') | (*byte == b'\\') | (*byte < 0x20)
    })
}

/// A list or record that is being read.
enum Open {
    List(Vec<Value>),
    Record {
        start: usize,
        fields: Vec<(String, Value)>,
        key: String,
    },
}

/// Reads one JSON value.
///
/// # Errors
///
/// Where the text is not exactly one JSON value, a record has a key twice, or the value is nested
/// deeper than [`MAX_DEPTH`].
pub fn parse(text: &str) -> Result<Value, JsonError> {
    parse_with(text, &mut Recycler::default())
}

/// Reads one JSON value token by token.
fn parse_tokens(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader::new(text);
    let mut stack: Vec<Open> = Vec::new();
    let mut outermost = Value::Null;
    while let Some(token) = reader.next_token()? {
        let value = match token {
            Token::Null => Value::Null,
            Token::Bool(value) => Value::Bool(value),
            Token::Number(text) => number(text),
            Token::Str(text) => Value::Str(text.into_owned()),
            Token::Key(text) => {
                if let Some(Open::Record { key, .. }) = stack.last_mut() {
                    *key = text.into_owned();
                }
                continue;
            }
            Token::BeginList => {
                stack.push(Open::List(Vec::new()));
                continue;
            }
            Token::BeginRecord => {
                stack.push(Open::Record {
                    start: reader.offset() - 1,
                    fields: Vec::new(),
                    key: String::new(),
                });
                continue;
            }
            Token::EndList | Token::EndRecord => match stack.pop() {
                Some(Open::List(items)) => Value::List(items),
                Some(Open::Record { start, fields, .. }) => Record::from_fields(fields)
                    .map(Value::Record)
                    .map_err(|key| duplicate(text, start, key))?,
                None => Value::Null,
            },
        };
        match stack.last_mut() {
            Some(Open::List(items)) => items.push(value),
            Some(Open::Record { fields, key, .. }) => fields.push((core::mem::take(key), value)),
            None => outermost = value,
        }
    }
    Ok(outermost)
}

/// The value of a number's text.
fn number(text: &str) -> Value {
    // Up to 18 digits fit 64 bits, whatever they are.
    if text.len() <= 18
        && let Ok(integer) = text.parse::<i64>()
    {
        return Value::Number(Decimal::from(integer));
    }
    Decimal::parse(text).map_or_else(|| Value::Huge(Box::from(text)), Value::Number)
}

/// The error for a record that has a key twice. The place is looked for only now, so that good
/// records do not carry the offsets of their keys.
fn duplicate(text: &str, start: usize, key: String) -> JsonError {
    let mut offset = start;
    let mut reader = Reader::new(text.get(start..).unwrap_or_default());
    let mut keys: Vec<(Cow<'_, str>, usize)> = Vec::new();
    loop {
        let _ = reader.peek();
        if reader.expect == Expect::Separator && reader.depth == 1 {
            // The comma, and what precedes the key.
            let after = reader.rest().get(1..).unwrap_or_default();
            let blank = after.iter().take_while(|b| b.is_ascii_whitespace()).count();
            offset = start + reader.at + 1 + blank;
        }
        match reader.next_token() {
            Ok(Some(Token::Key(found))) if reader.depth == 1 => keys.push((found, offset)),
            Ok(Some(_)) if reader.depth > 0 => {}
            _ => break,
        }
    }
    // Equal keys keep their order; what is told is the first that has been there before.
    crate::order::sort_by(&mut keys, |a, b| a.0.cmp(&b.0));
    let twice = keys.windows(2).filter_map(|pair| match pair {
        [a, b] if a.0 == b.0 => Some(b),
        _ => None,
    });
    let (offset, key) = twice
        .min_by_key(|(_, offset)| *offset)
        .map_or((start, key), |(found, offset)| {
            (*offset, String::from(&**found))
        });
    JsonError {
        offset,
        kind: JsonErrorKind::DuplicateKey(key),
    }
}

/// Appends a value's canonical JSON: keys sorted by code point, no white space, numbers as
/// [`Decimal::write`] has them (those that do not fit as they came), and only those characters
/// escaped that must be.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number.write(out),
        Value::Huge(text) => out.push_str(text),
        Value::Str(text) => write_str(text, out),
        Value::List(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Record(record) => {
            out.push('{');
            for (n, (key, value)) in record.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write_str(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

/// A value's canonical JSON, as [`write`](write()) has it.
#[must_use]
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends a string in quotes, with those characters escaped that must be.
pub fn write_str(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let plain = plain_length(rest.as_bytes());
        let Some((before, after)) = rest.split_at_checked(plain) else {
            break;
        };
        out.push_str(before);
        let mut characters = after.chars();
        let Some(special) = characters.next() else {
            break;
        };
        match special {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(other));
            }
        }
        rest = characters.as_str();
    }
    out.push('"');
}
