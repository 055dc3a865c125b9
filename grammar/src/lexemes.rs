//! Where the words and comments of a text stand, without a tree.

use crate::error::SyntaxError;
use crate::lexer::{Comment, lex};
use crate::span::Span;

/// The words and comments of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexemes {
    /// Where each token stands, in order; an operator of several words is several tokens.
    pub tokens: Vec<Span>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
    /// What cannot be read, in order.
    pub errors: Vec<SyntaxError>,
}

/// Cuts a text into tokens and comments. Never fails; its time grows with the length of the text.
#[must_use]
pub fn lexemes(source: &str) -> Lexemes {
    let lexed = lex(source, 0, source.len());
    Lexemes {
        tokens: lexed.tokens.iter().map(|token| token.span).collect(),
        comments: lexed.comments,
        errors: lexed.errors,
    }
}
