//! What the lexer and the parser report.

use crate::span::Span;

/// A mistake in the text. One mistake gives one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The stable code, `E0001` to `E0199`; see [`crate::codes::all`].
    pub code: &'static str,
    /// What is wrong, in plain words: lower case, no full stop, the user's text in back-ticks.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter, each with what it shows.
    pub labels: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
    /// A change that a machine can make: the text of the span becomes the string.
    pub fix: Option<(Span, String)>,
    /// Whether the fix surely says what was meant.
    pub safe: bool,
    /// What could be meant, each in place of the text of the span; the help is made of them. Of a text that was
    /// parsed only those that can be written so, on one line.
    pub readings: Option<(Span, Vec<String>)>,
    /// A bracket that closes nothing: of no weight beside another mistake of its item.
    pub(crate) stray: bool,
}

impl SyntaxError {
    /// An error without labels, help or fix.
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            fix: None,
            safe: false,
            readings: None,
            stray: false,
        }
    }

    pub(crate) fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// A bracket that closes nothing.
    pub(crate) fn stray(mut self) -> Self {
        self.stray = true;
        self
    }

    /// With a fix that surely says what was meant.
    pub(crate) fn sure(mut self) -> Self {
        self.safe = true;
        self
    }

    pub(crate) fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some((span, text.into()));
        self
    }
}

/// The longest piece of the user's text that a message repeats, in characters.
const LONGEST_QUOTE: usize = 60;

/// The longest reading that a help text shows, in characters.
const LONGEST_READING: usize = 240;

/// The user's text for a message: on one line, shortened where it is long, in back-ticks.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", squeeze(text, LONGEST_QUOTE))
}

/// The user's text on one line, as a reading shows it.
pub(crate) fn one_line(text: &str) -> String {
    squeeze(text, LONGEST_READING)
}

fn squeeze(text: &str, longest: usize) -> String {
    let mut out = String::with_capacity(text.len().min(longest) + 4);
    let mut space = false;
    let mut count = 0usize;
    for c in text.trim().chars() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if space {
            out.push(' ');
            count += 1;
            space = false;
        }
        if count >= longest {
            out.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        count += 1;
    }
    out
}

/// Characters that have no shape of their own, or change the direction of what follows.
pub(crate) fn is_invisible(c: char) -> bool {
    is_bidi(c)
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2060}'..='\u{2064}'
                | '\u{206a}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Characters that change the direction of the text after them.
pub(crate) fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
