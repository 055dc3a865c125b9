//! The formatter.
//!
//! It works on tokens and comments in the order in which they stand, and only chooses the white
//! space between them, so that nothing can be lost or moved. What it prints is parsed again and
//! compared with the source before it is given: a mismatch is an error, never a wrong text.

mod layout_ops;

use std::collections::hash_map::DefaultHasher;
use std::fmt::{self, Write as _};
use std::hash::Hasher;

use crate::error::SyntaxError;
use crate::layout::{contextualise, head_index, layout};
use crate::lexer::{Comment, CommentKind, Lexed, lex};
use crate::parse::{Parse, parse};
use crate::token::{NOT_FIRST, Tok, Token};
use crate::words::join_words;
use layout_ops::{Op, print};

/// The columns that a line should keep to.
pub const WIDTH: usize = 100;

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
/// items and clauses, one line end at the end, LF or CRLF as most lines of the source have it.
///
/// # Errors
///
/// [`FormatError::Syntax`] where the source does not parse.
pub fn format(source: &str) -> Result<String, FormatError> {
    let before = parse(source);
    if !before.errors.is_empty() {
        return Err(FormatError::Syntax(before.errors));
    }
    let lexed = lex(source, 0, source.len());
    let tokens = split_items(source, &lexed);
    let mut builder = Builder {
        source,
        raw: &lexed.tokens,
        next_raw: 0,
        comments: &lexed.comments,
        next_comment: 0,
        end: 0,
        ops: Vec::new(),
    };
    for item in &tokens {
        builder.item(item);
    }
    builder.finish();
    let mut out = print(&builder.ops, WIDTH);
    while out.ends_with('\n') {
        out.pop();
    }
    if !out.is_empty() {
        out.push('\n');
    }
    if crlf(source) {
        out = out.replace('\n', "\r\n");
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
        CommentKind::Block => text.replace("\r\n", "\n"),
        _ => text.trim_end().to_owned(),
    }
}

// ---------------------------------------------------------------------------------- the builder

/// What stands between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    None,
    Space,
    Line,
    SoftLine,
    /// The next clause, step or item: a line end, and an empty line where the source has one.
    Next,
    /// The first or last line of a block: a line end, never an empty line.
    Edge,
}

struct Builder<'s> {
    source: &'s str,
    raw: &'s [Token],
    next_raw: usize,
    comments: &'s [Comment],
    next_comment: usize,
    /// Where the text that has been printed ends in the source.
    end: usize,
    ops: Vec<Op>,
}

impl Builder<'_> {
    fn between(&self, from: usize, to: usize) -> &str {
        self.source.get(from..to).unwrap_or("")
    }

    fn lines_between(&self, from: usize, to: usize) -> usize {
        self.between(from, to).matches('\n').count()
    }

    fn push_gap(&mut self, gap: Gap, lines: usize) {
        self.ops.push(match gap {
            Gap::None => return,
            Gap::Space => Op::Space,
            Gap::Line => Op::Line,
            Gap::SoftLine => Op::SoftLine,
            Gap::Next if lines > 1 => Op::BlankLine,
            Gap::Next | Gap::Edge => Op::HardLine,
        });
    }

    /// Prints the comments before `to`, and the gap.
    fn gap(&mut self, gap: Gap, to: usize) {
        let block = matches!(gap, Gap::Next | Gap::Edge);
        let mut seen = false;
        let mut line_comment = false;
        while let Some(comment) = self.comments.get(self.next_comment).copied() {
            let start = comment.span.start as usize;
            if start >= to {
                break;
            }
            let lines = self.lines_between(self.end, start);
            let at_start = self.end == 0 && self.ops.is_empty();
            if at_start {
                // The first thing of the file.
            } else if lines == 0 && !line_comment {
                self.ops.push(Op::Space);
            } else if lines > 1 && block && (seen || gap == Gap::Next) {
                self.ops.push(Op::BlankLine);
            } else {
                self.ops.push(Op::HardLine);
            }
            self.ops.push(Op::Text(comment_text(self.source, comment)));
            self.end = comment.span.end as usize;
            line_comment = comment.kind != CommentKind::Block;
            seen = true;
            self.next_comment += 1;
        }
        let lines = self.lines_between(self.end, to);
        if !seen {
            return self.push_gap(gap, lines);
        }
        if line_comment {
            self.ops.push(if gap == Gap::Next && lines > 1 {
                Op::BlankLine
            } else {
                Op::HardLine
            });
        } else if block {
            if lines == 0 && gap == Gap::Next {
                self.ops.push(Op::Space);
            } else {
                self.push_gap(gap, lines);
            }
        } else if matches!(gap, Gap::None | Gap::SoftLine) {
            self.ops.push(Op::Space);
        } else {
            self.push_gap(gap, lines);
        }
    }

    /// Prints a token, word by word where it is an operator of several.
    fn token(&mut self, gap: Gap, token: &Token) {
        let mut gap = gap;
        while let Some(raw) = self.raw.get(self.next_raw).copied() {
            if raw.span.start >= token.span.end {
                break;
            }
            self.gap(gap, raw.span.start as usize);
            let text = raw.span.text(self.source).to_owned();
            self.ops.push(Op::Text(text));
            self.end = raw.span.end as usize;
            self.next_raw += 1;
            gap = Gap::Space;
        }
    }

    fn finish(&mut self) {
        let end = self.source.len();
        self.gap(Gap::Next, end);
    }

    fn item(&mut self, tokens: &[Token]) {
        let head = head_index(tokens);
        let head_tok = tokens.get(head).map(|t| t.tok);
        let first = if self.ops.is_empty() && self.next_comment == 0 {
            Gap::Next
        } else if self.ops.is_empty() {
            Gap::None
        } else {
            Gap::Next
        };
        let body = match head_tok {
            Some(Tok::Contract | Tok::Test) => tokens
                .iter()
                .enumerate()
                .skip(head)
                .find(|(_, t)| t.tok == Tok::LBrace)
                .map(|(i, _)| i),
            _ => None,
        };
        let header_end = body.unwrap_or(tokens.len());
        let mut gap = first;
        // Each attribute on a line of its own.
        let mut starts = attribute_starts(tokens, head);
        starts.push(head);
        for pair in starts.windows(2) {
            if let [from, to] = pair {
                self.sequence(tokens, *from, *to, gap, head_tok);
                gap = Gap::Edge;
            }
        }
        self.sequence(tokens, head, header_end, gap, head_tok);
        if let Some(open) = body {
            self.block(tokens, open, head_tok);
        }
    }

    /// `{ clauses }` of a contract or a test.
    fn block(&mut self, tokens: &[Token], open: usize, head: Option<Tok>) {
        let close = tokens.len().saturating_sub(1);
        if let Some(token) = tokens.get(open) {
            self.token(Gap::Space, token);
        }
        let Some(closing) = tokens.get(close).filter(|_| close > open) else {
            return;
        };
        let commented = self
            .comments
            .get(self.next_comment)
            .is_some_and(|c| c.span.start < closing.span.start);
        if close == open + 1 && !commented {
            return self.token(Gap::None, closing);
        }
        self.ops.push(Op::Indent);
        let starts = part_starts(tokens, open, close, head);
        let mut gap = Gap::Edge;
        for (n, &start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(close);
            if head == Some(Tok::Test) {
                self.step(tokens, start, end, gap, head);
            } else {
                self.sequence(tokens, start, end, gap, head);
            }
            gap = Gap::Next;
        }
        // Comments before the brace are indented as the clauses are.
        let to = closing.span.start as usize;
        let any = self
            .comments
            .get(self.next_comment)
            .is_some_and(|c| (c.span.start as usize) < to);
        if any {
            self.gap(
                if starts.is_empty() {
                    Gap::Edge
                } else {
                    Gap::Next
                },
                to,
            );
            // The gap's last line end belongs to the brace.
            if matches!(
                self.ops.last(),
                Some(Op::HardLine | Op::BlankLine | Op::Space)
            ) {
                self.ops.pop();
            }
        }
        self.ops.push(Op::Dedent);
        self.token(Gap::Edge, closing);
    }

    /// A step of a test: what happens, then each expectation.
    fn step(&mut self, tokens: &[Token], start: usize, end: usize, gap: Gap, head: Option<Tok>) {
        let mut depth = 0usize;
        let mut cuts = Vec::new();
        for (i, token) in tokens.iter().enumerate().take(end).skip(start) {
            if token.tok.opens() {
                depth += 1;
            } else if token.tok.closes() {
                depth = depth.saturating_sub(1);
            }
            let tail = matches!(token.tok, Tok::Expect | Tok::With | Tok::AtWord);
            if tail && depth == 0 && i > start {
                cuts.push(i);
            }
        }
        let core = cuts.first().copied().unwrap_or(end);
        self.sequence(tokens, start, core, gap, head);
        self.ops.push(Op::Indent);
        for (n, &cut) in cuts.iter().enumerate() {
            let to = cuts.get(n + 1).copied().unwrap_or(end);
            let own_line = tokens.get(cut).is_some_and(|t| t.column != NOT_FIRST);
            if own_line {
                self.sequence(tokens, cut, to, Gap::Edge, head);
            } else {
                self.ops.push(Op::Open);
                self.sequence(tokens, cut, to, Gap::Line, head);
                self.ops.push(Op::Close);
            }
        }
        self.ops.push(Op::Dedent);
    }

    /// Tokens that stand on one line where they fit.
    fn sequence(
        &mut self,
        tokens: &[Token],
        start: usize,
        end: usize,
        gap: Gap,
        head: Option<Tok>,
    ) {
        let Some(first) = tokens.get(start).filter(|_| start < end) else {
            return;
        };
        self.gap(gap, first.span.start as usize);
        self.ops.push(Op::Open);
        let mut types = matches!(
            head,
            Some(Tok::Tool | Tok::Event | Tok::Context | Tok::Lookup | Tok::Predicate)
        );
        // Of each open bracket, what closes it is preceded by, and whether elements are grouped.
        let mut open: Vec<Gap> = Vec::new();
        let mut before: Option<(Tok, Tok)> = None;
        for i in start..end {
            let Some(token) = tokens.get(i) else {
                break;
            };
            if head == Some(Tok::Predicate) && open.is_empty() && token.tok == Tok::Assign {
                types = false;
            }
            let next = tokens.get(i + 1).filter(|_| i + 1 < end).map(|t| t.tok);
            let gap = match before {
                None => Gap::None,
                Some((prev, prev_role)) => self.spacing(prev, prev_role, token.tok, types),
            };
            if token.tok.closes()
                && let Some(edge) = open.pop()
            {
                if before.is_some_and(|(prev, _)| prev == Tok::Comma) {
                    // The group of an element that a last comma announced.
                    self.ops.push(Op::Close);
                    self.ops.push(Op::Dedent);
                    self.token(edge, token);
                } else {
                    self.ops.push(Op::Close);
                    self.gap_inside(edge, token);
                    self.token(Gap::None, token);
                }
                self.ops.push(Op::Dedent);
                self.ops.push(Op::Close);
            } else if token.tok == Tok::Comma && !open.is_empty() {
                self.ops.push(Op::Close);
                self.token(gap, token);
            } else {
                self.token(gap, token);
            }
            if token.tok == Tok::Comma && !open.is_empty() {
                if next.is_some_and(|n| !n.closes()) {
                    let to = tokens.get(i + 1).map_or(0, |t| t.span.start as usize);
                    self.gap(Gap::Line, to);
                }
                self.ops.push(Op::Open);
            }
            if token.tok.opens() {
                let edge = edge_gap(tokens, i, head);
                self.ops.push(Op::Open);
                self.ops.push(Op::Hang);
                if next.is_some_and(Tok::closes) {
                    // An empty pair; comments in it are printed before the closer.
                    self.ops.push(Op::Indent);
                    self.ops.push(Op::Open);
                    open.push(Gap::None);
                } else {
                    self.ops.push(Op::Indent);
                    let to = tokens.get(i + 1).map_or(0, |t| t.span.start as usize);
                    self.gap(edge, to);
                    self.ops.push(Op::Open);
                    open.push(edge);
                }
            }
            if i == start {
                // What follows the first word is indented, if it does not stand on its line.
                self.ops.push(Op::Indent);
            }
            let role = role_of(before.map(|(p, _)| p), token.tok);
            before = Some((token.tok, role));
        }
        self.ops.push(Op::Dedent);
        self.ops.push(Op::Close);
    }

    /// The gap before a closing bracket, its indentation being that of what is around it.
    fn gap_inside(&mut self, edge: Gap, token: &Token) {
        let to = token.span.start as usize;
        let commented = self
            .comments
            .get(self.next_comment)
            .is_some_and(|c| (c.span.start as usize) < to);
        if commented {
            self.gap(edge, to);
            let last = self.ops.pop();
            self.ops.push(Op::Dedent);
            self.ops.extend(last);
        } else {
            self.ops.push(Op::Dedent);
            self.push_gap(edge, 0);
        }
    }

    /// What stands between two tokens of a sequence.
    fn spacing(&self, prev: Tok, prev_role: Tok, tok: Tok, types: bool) -> Gap {
        // What follows an opening bracket or a comma has had its gap.
        if prev.opens() || tok == Tok::Comma {
            return Gap::None;
        }
        if prev == Tok::Comma {
            return Gap::Line;
        }
        if prev == Tok::Dot || tok == Tok::Dot || prev == Tok::At {
            return Gap::None;
        }
        if matches!(tok, Tok::Colon | Tok::Question) {
            return Gap::None;
        }
        if types && (matches!(tok, Tok::Lt | Tok::Gt) || prev == Tok::Lt) {
            return Gap::None;
        }
        // A sign clings to what follows it.
        if prev == Tok::Minus && prev_role == Tok::At {
            return Gap::None;
        }
        if tok == Tok::LParen && matches!(prev, Tok::Ident | Tok::Any | Tok::Input | Tok::Output) {
            return Gap::None;
        }
        if tok == Tok::LBracket && matches!(prev, Tok::Ident | Tok::RParen | Tok::RBracket) {
            return Gap::None;
        }
        if tok.closes() {
            return Gap::None;
        }
        if breaks_before(tok) {
            return Gap::Line;
        }
        Gap::Space
    }
}

/// A minus that is a sign has the role of a prefix, for which `@` stands.
fn role_of(before: Option<Tok>, tok: Tok) -> Tok {
    let sign = tok == Tok::Minus && !before.is_some_and(Tok::ends_operand);
    if sign { Tok::At } else { tok }
}

/// Operators before which a long line is broken.
fn breaks_before(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::And
            | Tok::Or
            | Tok::Implies
            | Tok::Iff
            | Tok::Until
            | Tok::Unless
            | Tok::Release
            | Tok::Since
            | Tok::OnlyAfter
            | Tok::OnlyBefore
            | Tok::OnlyIf
            | Tok::OnlyWhile
            | Tok::LeadsTo
            | Tok::ImmediatelyLeadsTo
            | Tok::After
            | Tok::Before
            | Tok::Arrow
            | Tok::Pipe
    )
}

/// Where the attributes before an item begin.
fn attribute_starts(tokens: &[Token], head: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().take(head) {
        if token.tok == Tok::At && depth == 0 {
            starts.push(i);
        }
        if token.tok.opens() {
            depth += 1;
        } else if token.tok.closes() {
            depth = depth.saturating_sub(1);
        }
    }
    starts
}

/// What stands inside a bracket at its edges.
fn edge_gap(tokens: &[Token], at: usize, head: Option<Tok>) -> Gap {
    if tokens.get(at).is_none_or(|t| t.tok != Tok::LBrace) {
        return Gap::SoftLine;
    }
    let tok = |n: usize| tokens.get(at + n).map(|t| t.tok);
    let field =
        tok(2) == Some(Tok::Colon) || (tok(2) == Some(Tok::Question) && tok(3) == Some(Tok::Colon));
    let names = matches!(head, Some(Tok::Group | Tok::Include));
    if field || names {
        Gap::Line
    } else {
        Gap::SoftLine
    }
}

/// Where the clauses or steps of a block begin.
fn part_starts(tokens: &[Token], open: usize, close: usize, head: Option<Tok>) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut depth = 0usize;
    let mut before = Tok::LBrace;
    // `before` is the word of an outcome: `-> failure`.
    let mut outcome = false;
    for (i, token) in tokens.iter().enumerate().take(close).skip(open + 1) {
        if depth == 0 {
            let starts_part = if head == Some(Tok::Contract) {
                token.tok.starts_clause()
            } else {
                let free = !matches!(
                    before,
                    Tok::Arrow
                        | Tok::Expect
                        | Tok::And
                        | Tok::By
                        | Tok::WhatOf
                        | Tok::Dot
                        | Tok::Comma
                        | Tok::With
                        | Tok::AtWord
                        | Tok::Assign
                        | Tok::Event
                        | Tok::Context
                        | Tok::Lookup
                ) && (outcome || !before.takes_tool());
                let bare_event = token.tok == Tok::Ident
                    && tokens.get(i + 1).is_some_and(|t| t.tok == Tok::LParen);
                free && (token.tok.starts_step() || bare_event)
            };
            if starts_part {
                starts.push(i);
            }
        }
        if token.tok.opens() {
            depth += 1;
        } else if token.tok.closes() {
            depth = depth.saturating_sub(1);
        }
        outcome = before == Tok::Arrow;
        before = token.tok;
    }
    // Whatever stands before the first part belongs to it.
    match starts.first_mut() {
        Some(first) => *first = open + 1,
        None if close > open + 1 => starts.push(open + 1),
        None => {}
    }
    starts
}

/// Whether [`format`] would leave the text as it is.
#[must_use]
pub fn is_formatted(source: &str) -> bool {
    format(source).is_ok_and(|out| out == source)
}
