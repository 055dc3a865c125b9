//! Text that a reader does not see as the compiler does: hidden characters and look-alikes.

use crate::error::{SyntaxError, is_bidi, is_invisible};
use crate::lexer::span_of;
use crate::span::Span;

/// Text that a reader does not see as the compiler does. Characters without shape count where the text
/// means something (`means`), but for the joiners that other scripts and emoji are written with.
pub(crate) fn hidden_text(
    text: &str,
    start: usize,
    place: &str,
    means: bool,
) -> Option<SyntaxError> {
    if text.is_ascii() && !text.bytes().any(|b| b == 0 || b == b'\r') {
        return None;
    }
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let joined = matches!(c, '\u{200c}' | '\u{200d}')
            && !before.is_ascii()
            && chars.peek().is_some_and(|(_, next)| !next.is_ascii());
        before = c;
        let here = span_of(start + at, start + at + c.len_utf8());
        if is_bidi(c) {
            return Some(bidi(here, c, place));
        }
        if means && !joined && is_invisible(c) {
            let code = u32::from(c);
            let error = SyntaxError::new(
                "E0070",
                here,
                format!("{place} holds U+{code:04X}, which cannot be seen"),
            )
            .fix(here, "");
            return Some(if place == "a string" {
                error.help(format!("leave it out, or write it as `\\u{{{code:x}}}`"))
            } else {
                error.help("leave it out")
            });
        }
        if c == '\0' {
            return Some(SyntaxError::new(
                "E0019",
                here,
                format!("{place} holds a NUL byte"),
            ));
        }
        if c == '\r' && chars.peek().is_none_or(|(_, next)| *next != '\n') {
            return Some(lone_cr(here));
        }
    }
    None
}

pub(crate) fn lone_cr(at: Span) -> SyntaxError {
    SyntaxError::new(
        "E0018",
        at,
        "a carriage return without a line feed hides what follows it",
    )
    .help("lines end in LF or CRLF")
    .fix(at, "\n")
}

pub(crate) fn bidi(at: Span, c: char, place: &str) -> SyntaxError {
    SyntaxError::new(
        "E0020",
        at,
        format!(
            "{place} holds U+{:04X}, which changes the direction in which text is shown",
            u32::from(c)
        ),
    )
    .help(format!(
        "leave it out; in a string it can be written `\\u{{{:x}}}`",
        u32::from(c)
    ))
    .fix(at, "")
}

/// What a name seems to be that mixes ASCII letters with others that look like them.
pub(crate) fn mixed(name: &str) -> Option<String> {
    if name.is_ascii() || !name.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    name.chars()
        .map(|c| if c.is_ascii() { Some(c) } else { look_alike(c) })
        .collect()
}

/// The ASCII character that a full-width one stands for.
pub(crate) fn full_width(c: char) -> Option<char> {
    let code = u32::from(c);
    (0xff01..=0xff5e)
        .contains(&code)
        .then(|| char::from_u32(code - 0xfee0))
        .flatten()
}

/// The ASCII letter or digit that a letter of another script looks like.
pub(crate) fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'ѡ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        _ => return full_width(c).filter(|a| a.is_ascii_alphanumeric()),
    })
}
