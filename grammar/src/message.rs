//! The parts of a message: text, and expressions in braces (language reference, section 5).

use crate::ast::{Expr, StrLit};
use crate::error::SyntaxError;
use crate::literal::{decode_string, strip_quotes};
use crate::parse::parse_expr;
use crate::span::Span;

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessagePart {
    /// Text, escapes resolved.
    Text(String),
    /// `{expr}`
    Expr(Expr),
}

/// Cuts a message into its parts. `literal` must come from `source`: the text is read again, since
/// the value of the literal does not tell `\{` from `{`.
#[must_use]
pub fn message_parts(source: &str, literal: &StrLit) -> (Vec<MessagePart>, Vec<SyntaxError>) {
    let (inner, skipped) = strip_quotes(literal.span.text(source));
    let base = literal.span.start as usize + skipped;
    let mut parts = Vec::new();
    let mut errors = Vec::new();
    let mut text_from = 0usize;
    let push_text = |parts: &mut Vec<MessagePart>, from: usize, to: usize| {
        let piece = inner.get(from..to).unwrap_or("");
        if !piece.is_empty() {
            let quoted = format!("\"{piece}\"");
            parts.push(MessagePart::Text(decode_string(&quoted, 0, None)));
        }
    };
    let place = |from: usize, to: usize| {
        let offset = |n: usize| u32::try_from(base + n).unwrap_or(u32::MAX);
        Span::new(offset(from), offset(to))
    };
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let escape = chars.next();
                // The braces of `\u{..}` are not an expression.
                if matches!(escape, Some((_, 'u'))) && chars.as_str().starts_with('{') {
                    for (_, c) in chars.by_ref() {
                        if c == '}' {
                            break;
                        }
                    }
                }
            }
            '{' => {
                let Some(length) = closing_brace(chars.as_str()) else {
                    errors.push(
                        SyntaxError::new("E0067", place(at, at + 1), "this `{` is not closed")
                            .help(
                                "an expression stands in `{...}`; a brace itself is written `\\{`",
                            )
                            .fix(place(at, at + 1), "\\{"),
                    );
                    break;
                };
                push_text(&mut parts, text_from, at);
                let (expr, found) = parse_inside(source, place(at + 1, at + 1 + length));
                errors.extend(found);
                parts.push(MessagePart::Expr(expr));
                text_from = at + 1 + length + 1;
                while chars.clone().next().is_some_and(|(i, _)| i < text_from) {
                    chars.next();
                }
            }
            _ => {}
        }
    }
    push_text(&mut parts, text_from, inner.len());
    (parts, errors)
}

/// Parses an expression of a message, in which the quotes of strings are escaped.
fn parse_inside(source: &str, span: Span) -> (Expr, Vec<SyntaxError>) {
    if !span.text(source).contains("\\\"") {
        return parse_expr(source, span);
    }
    // The backslash becomes a space outside the string, so that all spans stay as they are
    // (that of the string itself ends before its last quote).
    let mut plain = String::new();
    for (n, piece) in span.text(source).split("\\\"").enumerate() {
        plain.push_str(match n {
            0 => "",
            n if n % 2 == 1 => " \"",
            _ => "\" ",
        });
        plain.push_str(piece);
    }
    let before = source.get(..span.start as usize).unwrap_or("");
    parse_expr(&format!("{before}{plain}"), span)
}

/// The length of the text before the brace that closes an expression.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
