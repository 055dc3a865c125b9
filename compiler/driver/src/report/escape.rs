//! Texts of users, agents and tools in HTML.
//!
//! Everything that a page shows of a session or a policy goes through [`Text`]. It escapes what HTML gives
//! a meaning, in elements and in quoted attributes alike, and spells out what could change how the
//! rest is read: control characters, and those that turn the direction of writing.

use std::fmt::{self, Write as _};

use ctr_runtime::json;
use ctr_runtime::value::Value;

use crate::plain::is_hidden;

/// So many characters of a text or a value are shown.
pub const MAX_CHARS: usize = 16_000;
/// A list or record that fits into so many characters stands on one line.
const LINE: usize = 72;

/// A text, escaped for elements and quoted attributes.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t>(pub &'t str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_special) {
            let (plain, from) = rest.split_at(at);
            f.write_str(plain)?;
            let mut chars = from.chars();
            match chars.next() {
                Some('&') => f.write_str("&amp;")?,
                Some('<') => f.write_str("&lt;")?,
                Some('>') => f.write_str("&gt;")?,
                Some('"') => f.write_str("&quot;")?,
                Some('\'') => f.write_str("&#39;")?,
                Some(other) => write!(f, "\u{27e8}U+{:04X}\u{27e9}", u32::from(other))?,
                None => {}
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'') || is_hidden(c)
}

/// The start of a text, and how many characters were cut off.
#[must_use]
pub fn cut(text: &str, chars: usize) -> (&str, usize) {
    match text.char_indices().nth(chars) {
        Some((at, _)) => {
            let (kept, left) = text.split_at(at);
            (kept, left.chars().count())
        }
        None => (text, 0),
    }
}

/// A text on one line, cut to so many characters.
#[must_use]
pub fn brief(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            out.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= chars {
                out.push('\u{2026}');
                return out;
            }
            out.push(c);
            count += 1;
        }
    }
    out
}

/// A block of text, cut to [`MAX_CHARS`].
pub fn block(out: &mut String, class: &str, text: &str) {
    let (kept, left) = cut(text, MAX_CHARS);
    let _ = write!(out, "<pre class=\"{class}\">{}</pre>", Text(kept));
    if left > 0 {
        let _ = write!(
            out,
            "<p class=cut>{left} more characters are not shown.</p>"
        );
    }
}

/// A value as an indented block. A text that holds JSON is shown as that JSON, and said to be a text.
pub fn value(out: &mut String, label: &str, value: &Value) {
    let parsed = match value {
        Value::Str(text) if text.trim_start().starts_with(['{', '[']) => json::parse(text).ok(),
        _ => None,
    };
    let note = match parsed {
        Some(_) => " <small>(a text that holds JSON)</small>",
        None => "",
    };
    let _ = write!(out, "<h3>{label}{note}</h3>");
    match (value, parsed) {
        (Value::Str(text), None) => block(out, "text", text),
        (value, parsed) => {
            let mut text = String::new();
            pretty(&mut text, parsed.as_ref().unwrap_or(value), 0);
            block(out, "json", &text);
        }
    }
}

/// JSON with line breaks where it is long.
fn pretty(out: &mut String, value: &Value, depth: usize) {
    let line = json::to_string(value);
    if line.chars().count() + 2 * depth <= LINE || out.len() > 4 * MAX_CHARS {
        return spaced(out, value, &line);
    }
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::List(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                pretty(out, item, depth + 1);
            }
            indent(out, depth);
            out.push(']');
        }
        Value::Record(fields) => {
            out.push('{');
            for (n, (name, field)) in fields.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                json::write_str(name, out);
                out.push_str(": ");
                pretty(out, field, depth + 1);
            }
            indent(out, depth);
            out.push('}');
        }
        _ => out.push_str(&line),
    }
}

/// A short value on one line, with spaces after commas and colons.
fn spaced(out: &mut String, value: &Value, line: &str) {
    match value {
        Value::List(items) if !items.is_empty() => {
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "[" } else { ", " });
                spaced(out, item, &json::to_string(item));
            }
            out.push(']');
        }
        Value::Record(fields) if !fields.is_empty() => {
            for (n, (name, field)) in fields.iter().enumerate() {
                out.push_str(if n == 0 { "{" } else { ", " });
                json::write_str(name, out);
                out.push_str(": ");
                spaced(out, field, &json::to_string(field));
            }
            out.push('}');
        }
        _ => out.push_str(line),
    }
}

/// Arguments as in a policy: `order_id: "o1", amount: 20`.
#[must_use]
pub fn arguments(value: &Value, chars: usize) -> String {
    let Value::Record(fields) = value else {
        return brief(&json::to_string(value), chars);
    };
    let mut out = String::new();
    for (n, (name, field)) in fields.iter().enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "{name}: {field}");
        if out.len() > 4 * chars {
            break;
        }
    }
    brief(&out, chars)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        let text = "</script><img src=x onerror='a'>\"&\u{202e}\0\u{1b}[31m\u{2028}z\n";
        assert_eq!(
            Text(text).to_string(),
            "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;⟨U+202E⟩⟨U+0000⟩⟨U+001B⟩[31m⟨U+2028⟩z\n"
        );
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let mut out = String::new();
        block(&mut out, "text", &"ä".repeat(MAX_CHARS + 3));
        assert!(
            out.ends_with("</pre><p class=cut>3 more characters are not shown.</p>"),
            "{}",
            out.len()
        );
        assert_eq!(brief("a  b\nc", 9), "a b c");
        assert_eq!(brief("abcdef", 3), "abc…");
    }

    #[test]
    fn values_are_readable() {
        let long = ctr_runtime::json::parse(&format!(
            r#"{{"a": [1, {{"b": true}}], "long": "{}", "none": []}}"#,
            "x".repeat(80)
        ))
        .unwrap();
        let mut out = String::new();
        pretty(&mut out, &long, 0);
        let expected = format!(
            "{{\n  \"a\": [1, {{\"b\": true}}],\n  \"long\": \"{}\",\n  \"none\": []\n}}",
            "x".repeat(80)
        );
        assert_eq!(out, expected);
        assert_eq!(arguments(&long, 20), "a: [1,{\"b\":true}], l…");
    }
}
