//! The formatter.
//!
//! It works on tokens and comments in the order in which they stand, and only chooses the white
//! space between them, so that nothing can be lost or moved. What it prints is parsed again and
//! compared with the source before it is given: a mismatch is an error, never a wrong text.

mod builder;
mod layout_ops;

use std::collections::hash_map::DefaultHasher;
use std::fmt::{self, Write as _};
use std::hash::Hasher;

use crate::error::SyntaxError;
use crate::layout::{contextualise, layout};
use crate::lexer::{Comment, CommentKind, Lexed, lex};
use crate::parse::{Parse, parse};
use crate::token::Token;
use crate::words::join_words;
use builder::Builder;
use layout_ops::print;

/// The columns that a line should keep to.
pub const WIDTH: usize = 100;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a text was not formatted.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatError {
    /// The text has syntax errors; it is left as it is.
    Syntax(Vec<SyntaxError>),
    /// The formatter's own check failed: what it printed is not the text that it read. A fault of
    /// the formatter; the text is left as it is.
    Unfaithful(&'static str),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Syntax(errors) => match errors.first() {
                Some(first) => write!(f, "the text has syntax errors: {}", first.message),
                None => f.write_str("the text has syntax errors"),
            },
            FormatError::Unfaithful(what) => {
                write!(
                    f,
                    "the formatted text would differ from the source in its {what}"
                )
            }
        }
    }
}

impl std::error::Error for FormatError {}

/// Formats a file: two spaces of indentation, [`WIDTH`] columns, at most one empty line between
/// items, clauses and comments, one line end at the end, LF or CRLF as most lines of the source
/// have it (LF where as many have the one as the other). A byte order mark stays.
///
/// # Errors
///
/// [`FormatError::Syntax`] where the source does not parse.
pub fn format(source: &str) -> Result<String, FormatError> {
    format_within(source, WIDTH)
}

/// [`format`] with lines of at most `width` columns (characters), where they can be broken.
///
/// What is given depends on the tokens and comments, on which of them comments share a line with,
/// and on empty lines; no other white space of the source matters. Formatted again within the same
/// width it stays as it is.
///
/// # Errors
///
/// As [`format`].
pub fn format_within(source: &str, width: usize) -> Result<String, FormatError> {
    let before = parse(source);
    if !before.errors.is_empty() {
        return Err(FormatError::Syntax(before.errors));
    }
    let lexed = lex(source, 0, source.len());
    let tokens = split_items(source, &lexed);
    let mut builder = Builder::new(source, &lexed);
    for item in &tokens {
        builder.item(item);
    }
    let mut out = print(&builder.finish(), width);
    while out.ends_with('\n') {
        out.pop();
    }
    if !out.is_empty() {
        out.push('\n');
    }
    if crlf(source) {
        out = out.replace('\n', "\r\n");
    }
    if source.starts_with(BYTE_ORDER_MARK) {
        out.insert(0, BYTE_ORDER_MARK);
    }
    faithful(source, &before, &lexed, &out)?;
    Ok(out)
}

fn split_items(source: &str, lexed: &Lexed) -> Vec<Vec<Token>> {
    let joined = join_words(source, &lexed.tokens);
    let (items, _) = layout(source, &joined);
    items
        .into_iter()
        .map(|item| contextualise(source, &item.tokens))
        .collect()
}

/// Whether most lines end in CRLF.
fn crlf(source: &str) -> bool {
    let both = source.matches("\r\n").count();
    let all = source.matches('\n').count();
    both * 2 > all
}

// ---------------------------------------------------------------------------------- the check

fn faithful(source: &str, before: &Parse, lexed: &Lexed, out: &str) -> Result<(), FormatError> {
    let after = parse(out);
    if !after.errors.is_empty() {
        return Err(FormatError::Unfaithful("syntax"));
    }
    let again = lex(out, 0, out.len());
    let same_tokens = lexed.tokens.len() == again.tokens.len()
        && lexed
            .tokens
            .iter()
            .zip(&again.tokens)
            .all(|(a, b)| a.tok == b.tok && a.span.text(source) == b.span.text(out));
    if !same_tokens {
        return Err(FormatError::Unfaithful("tokens"));
    }
    let same_comments =
        before.comments.len() == after.comments.len()
            && before.comments.iter().zip(&after.comments).all(|(a, b)| {
                a.kind == b.kind && comment_text(source, *a) == comment_text(out, *b)
            });
    if !same_comments {
        return Err(FormatError::Unfaithful("comments"));
    }
    if tree_hash(before) != tree_hash(&after) {
        return Err(FormatError::Unfaithful("tree"));
    }
    Ok(())
}

/// A hash of the tree in which spans count nothing: of its debug text without their numbers.
fn tree_hash(parse: &Parse) -> u64 {
    let mut sink = TreeSink {
        hasher: DefaultHasher::new(),
        matched: 0,
    };
    // Writing into a hasher does not fail.
    let _ = write!(sink, "{:?}", parse.file);
    sink.hasher.finish()
}

struct TreeSink {
    hasher: DefaultHasher,
    /// How much of [`SPAN_PREFIX`] has just been seen; all of it inside a span.
    matched: usize,
}

const SPAN_PREFIX: &[u8] = b"Span { start: ";

impl fmt::Write for TreeSink {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for &byte in s.as_bytes() {
            if self.matched == SPAN_PREFIX.len() {
                if byte == b'}' {
                    self.matched = 0;
                }
                continue;
            }
            if SPAN_PREFIX.get(self.matched) == Some(&byte) {
                self.matched += 1;
            } else {
                self.matched = usize::from(SPAN_PREFIX.first() == Some(&byte));
            }
            self.hasher.write_u8(byte);
        }
        Ok(())
    }
}

/// A comment as it is printed.
fn comment_text(source: &str, comment: Comment) -> String {
    let text = comment.span.text(source);
    match comment.kind {
        CommentKind::Block => {
            let mut out = String::with_capacity(text.len());
            for line in text.split_inclusive('\n') {
                match line.strip_suffix('\n') {
                    Some(line) => {
                        out.push_str(line.trim_end_matches('\r'));
                        out.push('\n');
                    }
                    None => out.push_str(line),
                }
            }
            out
        }
        _ => text.trim_end().to_owned(),
    }
}

/// Whether [`format`] would leave the text as it is.
#[must_use]
pub fn is_formatted(source: &str) -> bool {
    format(source).is_ok_and(|out| out == source)
}
