//! The tokens of a text with what each means where it stands, for who asks about one of them.
//!
//! What a token is says [`crate::classify`]; here words that are no keywords and mean something all the same are told from
//! names: functions, outcomes, facts of events.

use std::collections::HashSet;

use crate::classify::{self, LexemeKind, in_context};
use crate::keywords::{self, Keyword, KeywordKind};
use crate::layout::head_index;
use crate::lexer::Comment;
use crate::meanings::{WordKind, word_of};
use crate::span::Span;
use crate::token::{Tok, Token};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its bytes; of an operator of several words all of them.
    pub span: Span,
    /// What it is.
    pub kind: SpotKind,
}

/// What a token is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotKind {
    /// A keyword.
    Keyword(&'static Keyword),
    /// A word or sign with a meaning of its own (see [`crate::meanings`]), by its kind.
    Word(WordKind),
    /// A bracket, comma, dot or colon.
    Punctuation,
    /// Any other name.
    Name,
    /// A number.
    Number,
    /// A duration, in nanoseconds.
    Duration(i64),
    /// A string.
    Text,
    /// A regular expression.
    Regex,
    /// What cannot be read.
    Unreadable,
}

/// The tokens and the comments of a text, each in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spots {
    /// The tokens.
    pub tokens: Vec<Spot>,
    /// The comments.
    pub comments: Vec<Comment>,
}

/// Tells the tokens of a text. Never fails; its time grows with the length of the text.
#[must_use]
pub fn spots(source: &str) -> Spots {
    let read = in_context(source);
    let mut tokens = Vec::with_capacity(read.joined.len());
    for item in &read.items {
        item_spots(source, item, &mut tokens);
    }
    // What balancing took for stray is in no item.
    let known: HashSet<u32> = tokens.iter().map(|spot: &Spot| spot.span.start).collect();
    for token in &read.joined {
        if !known.contains(&token.span.start) {
            tokens.push(Spot {
                span: token.span,
                kind: plain(source, *token),
            });
        }
    }
    tokens.sort_by_key(|spot| spot.span);
    Spots {
        tokens,
        comments: read.comments,
    }
}

impl Spots {
    /// The index of the token at a byte offset. Where two meet, the one that is no punctuation counts, and of two such the one
    /// that begins there.
    #[must_use]
    pub fn at(&self, offset: u32) -> Option<usize> {
        let after = self
            .tokens
            .partition_point(|spot| spot.span.start <= offset);
        let touches = |index: usize| {
            self.tokens
                .get(index)
                .filter(|spot| spot.span.start <= offset && offset <= spot.span.end)
        };
        let here = after.checked_sub(1)?;
        let spot = touches(here)?;
        let before = here.checked_sub(1).filter(|i| touches(*i).is_some());
        let weak = |spot: &Spot| {
            matches!(
                spot.kind,
                SpotKind::Punctuation | SpotKind::Word(WordKind::Sign)
            )
        };
        match before {
            Some(before) if weak(spot) && !touches(before).is_some_and(weak) => Some(before),
            _ => Some(here),
        }
    }

    /// The comment at a byte offset; its end counts as in it.
    #[must_use]
    pub fn comment(&self, offset: u32) -> Option<Comment> {
        let after = self
            .comments
            .partition_point(|comment| comment.span.start <= offset);
        let comment = *self.comments.get(after.checked_sub(1)?)?;
        (offset <= comment.span.end).then_some(comment)
    }
}

/// The kind of a token whose surroundings are unknown.
fn plain(source: &str, token: Token) -> SpotKind {
    match classify::kind(source, token) {
        LexemeKind::Keyword(_) => {
            classify::keyword(source, token).map_or(SpotKind::Name, SpotKind::Keyword)
        }
        LexemeKind::Name => SpotKind::Name,
        LexemeKind::Number => SpotKind::Number,
        LexemeKind::Duration => duration(source, token),
        LexemeKind::Str => SpotKind::Text,
        LexemeKind::Regex => SpotKind::Regex,
        LexemeKind::Operator => SpotKind::Word(WordKind::Sign),
        LexemeKind::Punctuation if token.tok == Tok::At => SpotKind::Word(WordKind::Sign),
        LexemeKind::Punctuation => SpotKind::Punctuation,
        LexemeKind::Error => SpotKind::Unreadable,
    }
}

fn duration(source: &str, token: Token) -> SpotKind {
    match crate::literal::classify_number(token.span.text(source)) {
        Ok(crate::literal::Numeral::Duration(nanos)) => SpotKind::Duration(nanos),
        _ => SpotKind::Number,
    }
}

fn item_spots(source: &str, tokens: &[Token], out: &mut Vec<Spot>) {
    let head = head_index(tokens);
    let head_tok = tokens.get(head).map(|t| t.tok);
    // In the parentheses of an attribute, by its name.
    let mut attribute: Option<&str> = None;
    let mut where_clause = false;
    let mut expecting = false;
    let mut recording = false;
    let mut assigned = false;
    // The open brackets: whether each is that of `input(...)` or `output(...)`; how many are.
    let mut open: Vec<bool> = Vec::new();
    let mut messages = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        let is_message = token.tok == Tok::LParen
            && i.checked_sub(1)
                .and_then(|j| tokens.get(j))
                .is_some_and(|t| matches!(t.tok, Tok::Input | Tok::Output));
        if token.tok.opens() {
            open.push(is_message);
            messages += usize::from(is_message);
        } else if token.tok.closes() {
            messages -= usize::from(open.pop().unwrap_or(false));
        }
        if token.inserted {
            continue;
        }
        let text = token.span.text(source);
        let back = |n: usize| i.checked_sub(n).and_then(|j| tokens.get(j));
        let before = back(1).map(|t| t.tok);
        let next = tokens.get(i + 1).map(|t| t.tok);
        match token.tok {
            Tok::ToolsWhere => where_clause = true,
            Tok::Assign => assigned = true,
            Tok::Expect => expecting = true,
            Tok::With => recording = true,
            tok if tok.starts_step() => (expecting, recording) = (false, false),
            _ => {}
        }
        if i < head && before == Some(Tok::At) {
            attribute = Some(text);
        }
        let in_types = match head_tok {
            Some(Tok::Tool | Tok::Event | Tok::Lookup | Tok::Context) => true,
            Some(Tok::Predicate) => !assigned,
            _ => false,
        } && i > head;
        let known = |kind: WordKind| word_of(kind, text).map(|_| SpotKind::Word(kind));
        let typed = || {
            let keyword = keywords::lookup(text).filter(|k| k.kind == KeywordKind::Type);
            keyword
                .map(SpotKind::Keyword)
                .or_else(|| known(WordKind::Type))
        };
        let special = match token.tok {
            Tok::Lt | Tok::Gt if in_types => Some(SpotKind::Punctuation),
            Tok::WhatOf => known(WordKind::Outcome),
            Tok::Null if in_types => known(WordKind::Type),
            Tok::Ident if text.starts_with('`') => None,
            Tok::Ident if before == Some(Tok::At) => known(WordKind::Attribute),
            Tok::Ident if i < head && attribute == Some("severity") => known(WordKind::Severity),
            Tok::Ident if i < head => None,
            Tok::Ident
                if in_types
                    && matches!(before, Some(Tok::Colon | Tok::Arrow | Tok::Pipe | Tok::Lt)) =>
            {
                typed()
            }
            Tok::Ident if in_types => None,
            Tok::Ident if head_tok == Some(Tok::Group) && where_clause => {
                known(WordKind::Annotation)
            }
            Tok::Ident if before == Some(Tok::Dot) => {
                let of_event = back(2).is_some_and(|t| t.span.text(source) == "event")
                    && back(3).map(|t| t.tok) != Some(Tok::Dot);
                if of_event {
                    known(WordKind::Fact)
                } else {
                    None
                }
            }
            Tok::Ident
                if head_tok == Some(Tok::Test)
                    && (before == Some(Tok::Expect) || before == Some(Tok::And) && expecting) =>
            {
                known(WordKind::Outcome)
            }
            Tok::Ident
                if head_tok == Some(Tok::Test)
                    && recording
                    && next == Some(Tok::Assign)
                    && matches!(before, Some(Tok::With | Tok::Comma)) =>
            {
                known(WordKind::Fact)
            }
            // Names that are declared, and tools.
            Tok::Ident
                if matches!(
                    before,
                    Some(Tok::Let | Tok::As | Tok::Every | Tok::Some | Tok::ForEach | Tok::Pipe)
                ) || before.is_some_and(Tok::takes_tool)
                    || matches!(next, Some(Tok::Colon | Tok::Question))
                    || before.is_some_and(Tok::starts_item) =>
            {
                None
            }
            Tok::Ident if next == Some(Tok::LParen) && head_tok != Some(Tok::Test) => {
                known(WordKind::Function).or_else(|| known(WordKind::Aggregate))
            }
            Tok::Ident if next == Some(Tok::Dot) || matches!(text, "args" | "result") => {
                if text == "text" {
                    None
                } else {
                    known(WordKind::Root)
                }
            }
            Tok::Ident if text == "text" && head_tok == Some(Tok::Contract) => {
                (messages > 0).then_some(SpotKind::Word(WordKind::Root))
            }
            _ => None,
        };
        out.push(Spot {
            span: token.span,
            kind: special.unwrap_or_else(|| plain(source, *token)),
        });
    }
}
