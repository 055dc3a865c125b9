//! What each lexeme of a text is, for the colours of an editor.
//!
//! Whether `time` is a name or a word of a form is told as the parser tells it, item by item; a text that does
//! not parse has its lexemes all the same.

use crate::keywords::{self, Keyword, KeywordKind};
use crate::layout::{contextualise, layout};
use crate::lexer::{Comment, MAX_FILE_BYTES, lex};
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};
use crate::words::join_words;

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    /// A keyword, or one word of an operator of several.
    Keyword(KeywordKind),
    /// A name.
    Name,
    /// A number.
    Number,
    /// A number with a unit of time.
    Duration,
    /// A string.
    Str,
    /// A regular expression with its flags.
    Regex,
    /// `==`, `+`, `->`, `=` and their like.
    Operator,
    /// Brackets, commas, dots, `@`.
    Punctuation,
    /// What could not be read.
    Error,
}

/// A lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: LexemeKind,
    /// Where it stands.
    pub span: Span,
}

/// The lexemes of a file in order, comments apart; none overlap. Empty for a text of more than [`MAX_FILE_BYTES`].
/// Never fails; its time grows with the length of the text.
#[must_use]
pub fn classify(source: &str) -> Vec<Lexeme> {
    let tokens = in_context(source);
    let known = tokens.items.into_iter().flatten().collect();
    lexemes(source, &tokens.raw, known)
}

/// The tokens of a text before and after it is known what each is where it stands.
#[derive(Debug, Default)]
pub(crate) struct InContext {
    /// As the lexer reads them.
    pub(crate) raw: Vec<Token>,
    /// Operators of several words joined.
    pub(crate) joined: Vec<Token>,
    /// These item by item, told apart as the parser tells them. What balancing took for stray is in none.
    pub(crate) items: Vec<Vec<Token>>,
    pub(crate) comments: Vec<Comment>,
}

/// Reads the tokens of a text; none of one of more than [`MAX_FILE_BYTES`].
pub(crate) fn in_context(source: &str) -> InContext {
    if source.len() > MAX_FILE_BYTES {
        return InContext::default();
    }
    let lexed = lex(source, 0, source.len());
    let joined = join_words(source, &lexed.tokens);
    let (items, _) = layout(source, &joined);
    let items = items.iter();
    InContext {
        items: items
            .map(|item| contextualise(source, &item.tokens))
            .collect(),
        raw: lexed.tokens,
        joined,
        comments: lexed.comments,
    }
}

/// [`classify`] for an expression that stands in a text, as in the `{...}` of a message.
#[must_use]
pub fn classify_expr(source: &str, span: Span) -> Vec<Lexeme> {
    let lexed = lex(source, span.start as usize, span.end as usize);
    let mut known = join_words(source, &lexed.tokens);
    for token in &mut known {
        token.column = NOT_FIRST;
        if token.tok.starts_item() {
            token.tok = Tok::Ident;
        }
    }
    // As the parser reads it: after a head that is no keyword.
    known.insert(
        0,
        Token {
            tok: Tok::Assign,
            span: Span::new(span.start, span.start),
            column: NOT_FIRST,
            inserted: true,
        },
    );
    let known = contextualise(source, &known);
    lexemes(source, &lexed.tokens, known)
}

/// The kinds of raw tokens, by the tokens of the parser that cover them.
fn lexemes(source: &str, raw: &[Token], mut known: Vec<Token>) -> Vec<Lexeme> {
    known.retain(|token| !token.inserted && token.span.start < token.span.end);
    known.sort_by_key(|token| token.span.start);
    let mut known = known.into_iter().peekable();
    let mut out: Vec<Lexeme> = Vec::with_capacity(raw.len());
    for token in raw {
        let span = token.span;
        while known.peek().is_some_and(|k| k.span.end <= span.start) {
            known.next();
        }
        let covering = known.peek().filter(|k| k.span.start <= span.start);
        let kind = match covering {
            Some(covering) if covering.tok != Tok::Error => kind(source, *covering),
            // Brackets that are too deep are one error to the parser, and its parts are still what they are.
            _ => kind(source, *token),
        };
        let apart = out.last().is_none_or(|last| last.span.end <= span.start);
        if apart && span.start < span.end {
            out.push(Lexeme { kind, span });
        }
    }
    out
}

/// What a token is by itself.
pub(crate) fn kind(source: &str, token: Token) -> LexemeKind {
    match token.tok {
        Tok::Ident | Tok::WhatOf => LexemeKind::Name,
        Tok::Number => LexemeKind::Number,
        Tok::Duration => LexemeKind::Duration,
        Tok::Str => LexemeKind::Str,
        Tok::Regex => LexemeKind::Regex,
        Tok::Error => LexemeKind::Error,
        Tok::LParen
        | Tok::RParen
        | Tok::LBrace
        | Tok::RBrace
        | Tok::LBracket
        | Tok::RBracket
        | Tok::Comma
        | Tok::Dot
        | Tok::Colon
        | Tok::At => LexemeKind::Punctuation,
        tok if !tok.is_word() => LexemeKind::Operator,
        _ => {
            let kind = keyword(source, token).map_or(KeywordKind::Form, |keyword| keyword.kind);
            LexemeKind::Keyword(kind)
        }
    }
}

/// The keyword that a word is.
pub(crate) fn keyword(source: &str, token: Token) -> Option<&'static Keyword> {
    let words: Vec<&str> = token.span.text(source).split_whitespace().collect();
    // Between the words of an operator a comment may stand.
    keywords::lookup(&words.join(" ")).or_else(|| keywords::lookup(words.first().unwrap_or(&"")))
}
