//! Texts of agents, tools and files where people read them: nothing in them moves the cursor, colours what
//! follows, turns the direction of writing, or begins a line that looks like one of ours.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character changes how the rest is read instead of standing for itself: control characters,
/// marks, embeddings, overrides and isolates of direction, line ends that only some programs take for such,
/// a byte order mark. Line feeds and tabs are not among them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{feff}' => true,
        other => other.is_control(),
    }
}

/// A text with such characters spelt out, as in `\u{27e8}U+001B\u{27e9}`.
#[must_use]
pub fn spelt(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, |out, c| {
        let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
    })
}

/// [`spelt`], on one line: a line feed or a tab is a space.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(
        text,
        |c| c == '\n' || c == '\t' || is_hidden(c),
        |out, c| match c {
            '\n' | '\t' => out.push(' '),
            c => {
                let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
            }
        },
    )
}

/// JSON that means the same, with such characters as JSON escapes them.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, |out, c| {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// `3 events`, `1 event`.
#[must_use]
pub fn counted(count: u64, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    }
}

fn replaced(
    text: &str,
    is_wanted: impl Fn(char) -> bool,
    write: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&is_wanted) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_wanted(c) {
            write(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        let text = "a\u{1b}[31mb\r\u{9b}c\u{202e}d\ne\tf \u{e9}";
        assert_eq!(
            spelt(text),
            "a\u{27e8}U+001B\u{27e9}[31mb\u{27e8}U+000D\u{27e9}\u{27e8}U+009B\u{27e9}c\u{27e8}U+202E\u{27e9}d\ne\tf \u{e9}"
        );
        assert_eq!(line("a\nb\tc\u{7f}"), "a b c\u{27e8}U+007F\u{27e9}");
        assert_eq!(json("\"\u{9b}\u{202e}\""), r#""\u009b\u202e""#);
        assert!(matches!(spelt("plain\ntext"), Cow::Borrowed(_)));
    }
}
