//! Texts for people: source text with comments left out and white space folded.

use ctr_grammar::Span;

/// What stands at a place of the text.
enum Piece {
    /// White space or a comment.
    Gap,
    /// Anything else, to be kept as it is.
    Kept,
}

/// The length of the piece that starts `rest`, which is not empty, and what it is.
fn piece(rest: &str) -> (usize, Piece) {
    let bytes = rest.as_bytes();
    let first = rest.chars().next().map_or(1, char::len_utf8);
    match bytes.first() {
        Some(b'"') => (quoted(rest, b'"'), Piece::Kept),
        Some(b'`') => (quoted(rest, b'`'), Piece::Kept),
        Some(b'/') if bytes.get(1) == Some(&b'/') => {
            (rest.find('\n').unwrap_or(rest.len()), Piece::Gap)
        }
        // The language has no division: a stroke starts a regular expression.
        Some(b'/') => (quoted(rest, b'/'), Piece::Kept),
        Some(_) if rest.starts_with(char::is_whitespace) => (first, Piece::Gap),
        _ => (first, Piece::Kept),
    }
}

/// The length of a quoted text with its quotes; up to the end of the line where it is not closed.
fn quoted(rest: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Whether a byte is kept whatever stands around it.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

/// `text` in one line: comments are left out and white space between tokens is one blank.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    let mut gap = false;
    while !rest.is_empty() {
        // Words are most of the text.
        let word = rest.bytes().take_while(|b| is_word(*b)).count();
        let (length, piece) = if word > 0 {
            (word, Piece::Kept)
        } else if rest.starts_with(' ') {
            (1, Piece::Gap)
        } else {
            piece(rest)
        };
        let (head, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match piece {
            Piece::Gap => gap = true,
            Piece::Kept => {
                let tight = folded.ends_with('(') || head == ")" || head == ",";
                if gap && !folded.is_empty() && !tight {
                    folded.push(' ');
                }
                gap = false;
                folded.push_str(head);
            }
        }
        rest = tail;
    }
    folded
}

/// The part of `between` that is no white space or comment, within `text`; `between` itself where
/// there is none. Finds the operator between two operands.
pub(super) fn core(text: &str, between: Span) -> Span {
    let mut rest = between.text(text);
    let mut at = between.start;
    let mut found: Option<Span> = None;
    while !rest.is_empty() {
        let (length, piece) = piece(rest);
        let (_, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let end = at + u32::try_from(length).unwrap_or(0);
        if matches!(piece, Piece::Kept) {
            let here = Span::new(at, end);
            found = Some(found.map_or(here, |f| f.to(here)));
        }
        at = end;
        rest = tail;
    }
    found.unwrap_or(between)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::{core, fold};
    use ctr_grammar::Span;

    #[test]
    fn folding_keeps_quoted_text() {
        assert_eq!(
            fold("call  t(\n  a == \"x  // y\",  // why\n  b matches /a  b/ )"),
            "call t(a == \"x  // y\", b matches /a  b/)"
        );
        assert_eq!(
            fold("a matches /x\\/\\/  y/i  and b"),
            "a matches /x\\/\\/  y/i and b"
        );
    }

    #[test]
    fn operators_are_found() {
        let text = "a  until // until\n b";
        assert_eq!(core(text, Span::new(1, 19)).text(text), "until");
    }
}
