//! Numbers and strings as they are written, and where they end.

use crate::error::{SyntaxError, quote};
use crate::lexer::span_of;
use crate::span::Span;

/// Length up to and with the closing delimiter, and whether there is one on the line. A backslash
/// takes the next character with it; in a regular expression a class may hold the delimiter.
pub(crate) fn scan_delimited(text: &str, close: char, classes: bool) -> (usize, bool) {
    let mut chars = text.char_indices();
    let mut in_class = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' | '\r' => return (at, false),
            '\\' => {
                let mut ahead = chars.clone();
                match ahead.next() {
                    Some((_, '\n' | '\r')) | None => {}
                    Some(_) => chars = ahead,
                }
            }
            '[' if classes => in_class = true,
            ']' if classes => in_class = false,
            c if c == close && !in_class => return (at + c.len_utf8(), true),
            _ => {}
        }
    }
    if in_class {
        // `/[/` is a class that never ends: the delimiter inside it was meant to close.
        return scan_delimited(text, close, false);
    }
    (text.len(), false)
}

/// What a numeral is.
pub(crate) enum Numeral {
    /// A plain number.
    Number,
    /// A duration in nanoseconds.
    Duration(i64),
}

pub(crate) enum NumeralError {
    Number(&'static str),
    Unit,
    Fraction,
    Overflow,
}

impl NumeralError {
    pub(crate) fn describe(&self, text: &str, at: Span) -> SyntaxError {
        const UNITS: &str = "the units are `ms`, `s`, `min`, `h` and `d`";
        match self {
            NumeralError::Number(why) => {
                SyntaxError::new("E0015", at, format!("{} is no number", quote(text))).help(*why)
            }
            NumeralError::Unit => {
                let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '_');
                let meant = match text.get(digits.len()..).unwrap_or("") {
                    "m" | "mins" | "minute" | "minutes" | "M" => Some("min"),
                    "sec" | "secs" | "second" | "seconds" | "S" => Some("s"),
                    "hr" | "hrs" | "hour" | "hours" | "H" => Some("h"),
                    "day" | "days" | "D" => Some("d"),
                    "msec" | "millis" | "MS" => Some("ms"),
                    _ => None,
                };
                let error = SyntaxError::new(
                    "E0017",
                    at,
                    format!("{} has a unit that is not known", quote(text)),
                );
                match meant {
                    Some(unit) => error
                        .help(format!("write `{digits}{unit}`"))
                        .fix(at, format!("{digits}{unit}")),
                    None => error.help(UNITS),
                }
            }
            NumeralError::Fraction => SyntaxError::new(
                "E0015",
                at,
                format!("{} is no whole number of its unit", quote(text)),
            )
            .help("write it in a smaller unit, `1500ms` for 1.5 s"),
            NumeralError::Overflow => SyntaxError::new(
                "E0016",
                at,
                format!("{} is longer than a duration can be", quote(text)),
            )
            .help("the longest duration is about 292 years"),
        }
    }
}

/// Reads a numeral as the lexer cut it.
pub(crate) fn classify_number(text: &str) -> Result<Numeral, NumeralError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(digits);
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(NumeralError::Number("a number does not start with a zero"));
    }
    let after_fraction = match rest.strip_prefix('.') {
        Some(r) => r.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let fraction = after_fraction.len() != rest.len();
    let after_exponent = match after_fraction.strip_prefix(['e', 'E']) {
        Some(r) => {
            let signed = r.strip_prefix(['+', '-']).unwrap_or(r);
            let tail = signed.trim_start_matches(|c: char| c.is_ascii_digit());
            if tail.len() == signed.len() {
                after_fraction
            } else {
                tail
            }
        }
        None => after_fraction,
    };
    let exponent = after_exponent.len() != after_fraction.len();
    let unit = match after_exponent {
        "" => return Ok(Numeral::Number),
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000_i64,
        unit if unit.chars().all(char::is_alphabetic)
            && !(whole == "0" && matches!(unit.chars().next(), Some('x' | 'X' | 'b' | 'o')))
            && !unit.starts_with(['e', 'E']) =>
        {
            return Err(NumeralError::Unit);
        }
        unit if unit.starts_with('_') => {
            return Err(NumeralError::Number("digits are not grouped"));
        }
        _ => return Err(NumeralError::Number("numbers are decimal, as in JSON")),
    };
    if fraction || exponent {
        return Err(NumeralError::Fraction);
    }
    whole
        .parse::<i64>()
        .ok()
        .and_then(|n| n.checked_mul(unit))
        .map(Numeral::Duration)
        .ok_or(NumeralError::Overflow)
}

/// The value of a string literal as written (quotes included), `{` and `}` of messages kept.
///
/// Escapes: `\n \t \r \\ \" \' \/ \{ \} \u{..}`. What is wrong is pushed to `errors`, spans
/// counted from `start`.
pub(crate) fn decode_string(
    text: &str,
    start: usize,
    mut errors: Option<&mut Vec<SyntaxError>>,
) -> String {
    let (inner, skipped) = strip_quotes(text);
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let base = start + skipped;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let next = chars.next();
        let plain = match next {
            Some((_, 'n')) => Some('\n'),
            Some((_, 't')) => Some('\t'),
            Some((_, 'r')) => Some('\r'),
            Some((_, c @ ('\\' | '"' | '\'' | '/' | '{' | '}'))) => Some(c),
            _ => None,
        };
        if let Some(c) = plain {
            out.push(c);
            continue;
        }
        let mut end = next.map_or(at + 1, |(i, c)| i + c.len_utf8());
        if let Some((_, 'u')) = next {
            let rest = inner.get(end..).unwrap_or("");
            let digits = rest.strip_prefix('{').and_then(|r| r.split_once('}'));
            if let Some((digits, _)) = digits
                && digits.len() <= 8
            {
                end += digits.len() + 2;
                while chars.clone().next().is_some_and(|(i, _)| i < end) {
                    chars.next();
                }
                let value = u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                if let Some(c) = value {
                    out.push(c);
                    continue;
                }
            }
        }
        let here = span_of(base + at, base + end);
        let written = inner.get(at..end).unwrap_or("");
        if let Some(errors) = errors.as_deref_mut() {
            errors.push(
                SyntaxError::new(
                    "E0014",
                    here,
                    format!("{} is no escape", quote(written)),
                )
                .help("the escapes are `\\n`, `\\t`, `\\r`, `\\\\`, `\\\"`, `\\{`, `\\}` and `\\u{1f600}`"),
            );
        }
        out.push_str(written);
    }
    out
}

/// The text between the quotes, and the number of bytes before it.
pub(crate) fn strip_quotes(text: &str) -> (&str, usize) {
    let mut chars = text.chars();
    let Some(open) = chars.next() else {
        return ("", 0);
    };
    let inner = chars.as_str();
    let closes: &[char] = match open {
        '"' => &['"'],
        '\'' => &['\''],
        _ => &['“', '”', '„', '"', '«', '»'],
    };
    let stripped = inner.strip_suffix(|c| closes.contains(&c)).unwrap_or(inner);
    // `"abc\"` is not closed: its last quote is escaped.
    let escaped = stripped.len() < inner.len()
        && stripped.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
    (if escaped { inner } else { stripped }, open.len_utf8())
}
