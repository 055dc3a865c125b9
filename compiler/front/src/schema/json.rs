//! JSON (RFC 8259) with the byte span of every value and key, and with numbers as they were written.
//!
//! The reader is linear in the text, bounded in depth, and stricter than most where leniency would
//! hide something: a key that occurs twice and half of a surrogate pair are errors.

use std::collections::HashMap;

use ctr_grammar::Span;

use crate::ir::Json;

/// The deepest nesting of lists and records that is read.
pub const MAX_DEPTH: u32 = 128;

/// The most duplicate keys that are reported.
const MAX_DUPLICATES: usize = 100;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written.
    Number(String),
    /// A string, its escapes resolved.
    Str(String),
    /// A list.
    List(Vec<Value>),
    /// A record, in order of the text; keys are distinct.
    Record(Vec<Member>),
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its key, escapes resolved.
    pub key: String,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// Its value.
    pub value: Value,
}

impl Value {
    /// The member with a key, where this is a record that has it.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Record(members) => members.iter().find(|m| m.key == key),
            _ => None,
        }
    }

    /// The value of [`Value::member`].
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|m| &m.value)
    }

    /// The text, where this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Its first character, as the place of what is said of all of a list or object.
    #[must_use]
    pub fn head(&self) -> Span {
        match self.kind {
            Kind::List(_) | Kind::Record(_) => Span::new(self.span.start, self.span.start + 1),
            _ => self.span,
        }
    }

    /// The value without its spans.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match &self.kind {
            Kind::Null => Json::Null,
            Kind::Bool(value) => Json::Bool(*value),
            Kind::Number(text) => Json::Number(text.clone()),
            Kind::Str(text) => Json::Str(text.clone()),
            Kind::List(items) => Json::List(items.iter().map(Self::to_json).collect()),
            Kind::Record(members) => Json::Record(
                members
                    .iter()
                    .map(|m| (m.key.clone(), m.value.to_json()))
                    .collect(),
            ),
        }
    }

    /// `a list`, `a string`, ..., for messages.
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Str(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Record(_) => "an object",
        }
    }
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no JSON.
    Syntax,
    /// A key occurs twice in one record.
    DuplicateKey,
    /// Its nesting passes [`MAX_DEPTH`].
    TooDeep,
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Which.
    pub fault: Fault,
    /// In plain words.
    pub message: String,
    /// Where.
    pub span: Span,
    /// The first of two equal keys.
    pub other: Option<Span>,
}

/// Reads a text. The value is absent exactly where a fault other than a duplicate key was found; of
/// a duplicate key the first occurrence counts.
#[must_use]
pub fn parse(text: &str) -> (Option<Value>, Vec<JsonError>) {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        errors: Vec::new(),
    };
    let value = reader.document();
    match value {
        Ok(value) => (Some(value), reader.errors),
        Err(error) => {
            reader.errors.push(error);
            (None, reader.errors)
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    errors: Vec<JsonError>,
}

type Read<T> = Result<T, JsonError>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn span(&self, start: usize) -> Span {
        span(start, self.at)
    }

    fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A fault at the character that stands at `at`.
    fn fault_at<T>(&self, at: usize, message: impl Into<String>) -> Read<T> {
        let length = self
            .text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        Err(JsonError {
            fault: Fault::Syntax,
            message: message.into(),
            span: span(at, at + length),
            other: None,
        })
    }

    /// A fault at the present character: `wanted` is what could stand there.
    fn unexpected<T>(&self, wanted: &str) -> Read<T> {
        let Some(found) = self.text.get(self.at..).and_then(|r| r.chars().next()) else {
            return self.fault_at(self.at, format!("the text ends where {wanted} is expected"));
        };
        let hint = match found {
            '\'' => "; strings have double quotes",
            '/' | '#' => "; JSON has no comments",
            '}' | ']' => "; is there a comma before it?",
            'N' | 'I' => "; JSON has no `NaN` and no `Infinity`",
            'T' | 'F' => "; `true`, `false` and `null` are lower case",
            _ => "",
        };
        let hint = if hint.contains("comma") && !self.after_comma() {
            ""
        } else {
            hint
        };
        self.fault_at(
            self.at,
            format!("expected {wanted}, found `{}`{hint}", found.escape_debug()),
        )
    }

    /// Whether the last character that is no white space is a comma.
    fn after_comma(&self) -> bool {
        self.bytes
            .get(..self.at)
            .and_then(|before| before.iter().rev().find(|b| !b.is_ascii_whitespace()))
            == Some(&b',')
    }

    fn document(&mut self) -> Read<Value> {
        let value = self.value(0)?;
        self.white();
        if self.at < self.bytes.len() {
            return self.unexpected("the end of the text after its one value");
        }
        Ok(value)
    }

    fn value(&mut self, depth: u32) -> Read<Value> {
        self.white();
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.record(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Str(self.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.number()?),
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return self.unexpected("a value"),
        };
        Ok(Value {
            kind,
            span: self.span(start),
        })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Read<Kind> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let goes_on = rest
            .get(word.len())
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if !rest.starts_with(word.as_bytes()) || goes_on {
            return self.unexpected("a value");
        }
        self.at += word.len();
        Ok(kind)
    }

    /// Steps over an opening bracket.
    fn open(&mut self, depth: u32) -> Read<()> {
        if depth >= MAX_DEPTH {
            return Err(JsonError {
                fault: Fault::TooDeep,
                message: format!("more than {MAX_DEPTH} lists and objects inside each other"),
                span: span(self.at, self.at + 1),
                other: None,
            });
        }
        self.at += 1;
        self.white();
        Ok(())
    }

    fn record(&mut self, depth: u32) -> Read<Kind> {
        self.open(depth)?;
        let mut members: Vec<Member> = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Record(members));
        }
        loop {
            self.white();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.unexpected("a key in double quotes");
            }
            let key = self.string()?;
            let key_span = self.span(start);
            self.white();
            if self.peek() != Some(b':') {
                return self.unexpected("`:`");
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            if let Some(first) = seen.get(&key) {
                // More of them say no more.
                if self.errors.len() > MAX_DUPLICATES {
                    self.errors.pop();
                }
                self.errors.push(JsonError {
                    fault: Fault::DuplicateKey,
                    message: format!("the key `{key}` stands twice in one object"),
                    span: key_span,
                    other: Some(*first),
                });
            } else {
                seen.insert(key.clone(), key_span);
                members.push(Member {
                    key,
                    key_span,
                    value,
                });
            }
            self.white();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Kind::Record(members));
                }
                _ => return self.unexpected("`,` or `}`"),
            }
        }
    }

    fn list(&mut self, depth: u32) -> Read<Kind> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.white();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Kind::List(items));
                }
                _ => return self.unexpected("`,` or `]`"),
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Read<String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 {
            return self.unexpected("a digit");
        }
        if zero && whole > 1 {
            return self.fault_at(start, "a number has no leading zeros");
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.unexpected("a digit after the decimal point");
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.unexpected("a digit of the exponent");
            }
        }
        if self.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
            return self.unexpected("the end of the number");
        }
        Ok(self.text.get(start..self.at).unwrap_or("").to_owned())
    }

    fn string(&mut self) -> Read<String> {
        let open = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self
                .peek()
                .is_some_and(|b| b != b'"' && b != b'\\' && b >= 0x20)
            {
                self.at += 1;
            }
            out.push_str(self.text.get(start..self.at).unwrap_or(""));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(b'\n' | b'\r') => {
                    return self.fault_at(open, "this string does not end on its line");
                }
                Some(_) => {
                    return self.fault_at(
                        self.at,
                        "a control character in a string is written as an escape",
                    );
                }
                None => return self.fault_at(open, "this string does not end"),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => {
                self.at = start;
                return self.fault_at(
                    start,
                    "no such escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
                );
            }
        })
    }

    fn unicode(&mut self, start: usize) -> Read<char> {
        let first = self.hex(start)?;
        let code = match first {
            0xd800..=0xdbff => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let second = if rest.starts_with(b"\\u") {
                    self.at += 2;
                    self.hex(start)?
                } else {
                    0
                };
                if !(0xdc00..=0xdfff).contains(&second) {
                    return self.surrogate(start);
                }
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            0xdc00..=0xdfff => return self.surrogate(start),
            other => other,
        };
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => self.surrogate(start),
        }
    }

    fn surrogate<T>(&self, start: usize) -> Read<T> {
        Err(JsonError {
            fault: Fault::Syntax,
            message: "half of a surrogate pair is no character".to_owned(),
            span: span(start, start + 6),
            other: None,
        })
    }

    fn hex(&mut self, start: usize) -> Read<u32> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u32::from_str_radix(d, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.fault_at(start, "\\u needs four hexadecimal digits"),
        }
    }
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use super::*;

    fn value(text: &str) -> Value {
        let (value, errors) = parse(text);
        assert_eq!(errors, [], "{text}");
        value.unwrap()
    }

    fn error(text: &str) -> (String, &str) {
        let (value, errors) = parse(text);
        assert!(value.is_none(), "{text}");
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        (errors[0].message.clone(), errors[0].span.text(text))
    }

    #[test]
    fn values_keep_spans_and_digits() {
        let text = " {\"é\": [1.0, -0, 1e3, 9007199254740993], \"b\" : null}";
        let v = value(text);
        let m = v.member("é").unwrap();
        assert_eq!(m.key_span.text(text), "\"é\"");
        let Kind::List(items) = &m.value.kind else {
            panic!()
        };
        let texts: Vec<&str> = items.iter().map(|i| i.span.text(text)).collect();
        assert_eq!(texts, ["1.0", "-0", "1e3", "9007199254740993"]);
        assert_eq!(items[3].kind, Kind::Number("9007199254740993".into()));
        assert_eq!(v.span.text(text), text.trim());
    }

    #[test]
    fn escapes() {
        assert_eq!(
            value(r#""a\n\u0041\ud83d\ude00\/\"""#).as_str().unwrap(),
            "a\nA😀/\""
        );
        for (text, at) in [
            (r#""\ud83d""#, r"\ud83d"),
            (r#""x\ude00""#, r"\ude00"),
            (r#""\ud83d\u0041""#, r"\ud83d"),
            (r#""\ud83dx""#, r"\ud83d"),
        ] {
            let (message, place) = error(text);
            assert!(message.contains("surrogate"), "{text}: {message}");
            assert_eq!(place, at);
        }
        assert_eq!(error(r#""\x41""#).1, "\\");
        assert!(error(r#""\u12""#).0.contains("four"));
        assert!(error(r#""\u12é4""#).0.contains("four"));
    }

    #[test]
    fn faults_are_placed() {
        for (text, part, place) in [
            ("", "ends where a value", ""),
            ("{", "ends where a key", ""),
            ("[1,]", "comma before it", "]"),
            ("{\"a\":1,}", "comma before it", "}"),
            ("[1 2]", "`,` or `]`", "2"),
            ("{'a':1}", "double quotes", "'"),
            ("{a:1}", "a key", "a"),
            ("[1] x", "the end of the text", "x"),
            ("// c\n1", "no comments", "/"),
            ("NaN", "no `NaN`", "N"),
            ("True", "lower case", "T"),
            ("nul", "a value", "n"),
            ("nulls", "a value", "n"),
            ("01", "leading zeros", "0"),
            ("1.", "decimal point", ""),
            ("1e", "exponent", ""),
            ("-", "a digit", ""),
            ("0x10", "end of the number", "x"),
            ("\"abc", "does not end", "\""),
            ("\"a\nb\"", "on its line", "\""),
            ("\"a\tb\"", "control character", "\t"),
            ("[é]", "a value", "é"),
        ] {
            let (message, at) = error(text);
            assert!(message.contains(part), "{text}: {message}");
            assert_eq!(at, place, "{text}");
        }
    }

    #[test]
    fn duplicate_keys_are_reported_and_the_first_counts() {
        let text = r#"{"a":1,"b":2,"a":3}"#;
        let (value, errors) = parse(text);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].fault, Fault::DuplicateKey);
        assert_eq!(errors[0].span, Span::new(13, 16));
        assert_eq!(errors[0].other, Some(Span::new(1, 4)));
        assert_eq!(
            value.unwrap().get("a").unwrap().kind,
            Kind::Number("1".into())
        );
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        value(&nested(MAX_DEPTH as usize));
        let text = nested(MAX_DEPTH as usize + 1);
        let (value, errors) = parse(&text);
        assert!(value.is_none());
        assert_eq!(errors[0].fault, Fault::TooDeep);
        assert_eq!(errors[0].span, Span::new(MAX_DEPTH, MAX_DEPTH + 1));
        assert_eq!(parse(&"{\"a\":".repeat(100_000)).1.len(), 1);
    }

    #[test]
    fn every_prefix_of_a_text_is_an_error() {
        let text = r#"{"a": [1.5e3, "\u00e9\ud83d\ude00", {"b": null}], "c": true}"#;
        for end in 0..text.len() {
            let (value, errors) = parse(&text[..end]);
            assert!(value.is_none() && errors.len() == 1, "{end}");
        }
    }
}
