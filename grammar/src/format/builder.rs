//! From tokens and comments to what is printed: which white space stands between them.

use super::comment_text;
use super::layout_ops::Op;
use crate::layout::head_index;
use crate::lexer::{Comment, CommentKind, Lexed};
use crate::token::{Tok, Token};

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

impl Gap {
    /// Between clauses, steps or items.
    fn is_block(self) -> bool {
        matches!(self, Gap::Next | Gap::Edge)
    }

    /// What is printed for it, where the source has so many line ends.
    fn op(self, lines: usize) -> Option<Op> {
        Some(match self {
            Gap::None => return None,
            Gap::Space => Op::Space,
            Gap::Line => Op::Line,
            Gap::SoftLine => Op::SoftLine,
            Gap::Next if lines > 1 => Op::BlankLine,
            Gap::Next | Gap::Edge => Op::HardLine,
        })
    }
}

/// What stands around a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// An opening bracket or a comma before it: a comment belongs to what follows.
    Leads,
    /// A closing bracket after it.
    Closes,
    /// An opening bracket before it and a closing one after it.
    Both,
    /// A comment belongs to what is before it on its line.
    Other,
}

pub(super) struct Builder<'s> {
    source: &'s str,
    raw: &'s [Token],
    next_raw: usize,
    comments: &'s [Comment],
    next_comment: usize,
    /// Where the text that has been printed ends in the source.
    end: usize,
    ops: Vec<Op>,
}

impl<'s> Builder<'s> {
    pub(super) fn new(source: &'s str, lexed: &'s Lexed) -> Self {
        Self {
            source,
            raw: &lexed.tokens,
            next_raw: 0,
            comments: &lexed.comments,
            next_comment: 0,
            end: 0,
            ops: Vec::new(),
        }
    }

    fn lines_between(&self, from: usize, to: usize) -> usize {
        let text = self.source.get(from..to).unwrap_or("");
        text.matches('\n').count()
    }

    /// The next comment, if it stands before `to`.
    fn comment_before(&self, to: usize) -> Option<Comment> {
        let comment = self.comments.get(self.next_comment).copied()?;
        ((comment.span.start as usize) < to).then_some(comment)
    }

    /// Whether no line ends between here and `to`, other than inside comments.
    fn one_line(&self, to: usize) -> bool {
        let mut end = self.end;
        for comment in self.comments.iter().skip(self.next_comment) {
            let start = comment.span.start as usize;
            if start >= to {
                break;
            }
            if self.lines_between(end, start) > 0 {
                return false;
            }
            end = comment.span.end as usize;
        }
        self.lines_between(end, to) == 0
    }

    /// Prints the comments before `to`, and the gap.
    fn gap(&mut self, gap: Gap, to: usize, around: Around) {
        let last = self.comments(gap, to, around);
        self.ops.extend(last);
    }

    /// Prints the comments before `to`, and gives what is to be printed after them.
    ///
    /// A comment that begins a line still does so afterwards. One that stands behind something
    /// stays behind it, but a block comment after a bracket or comma goes with what follows it.
    fn comments(&mut self, gap: Gap, to: usize, around: Around) -> Option<Op> {
        let leads = matches!(around, Around::Leads | Around::Both);
        let closes = matches!(around, Around::Closes | Around::Both);
        let mut seen = false;
        let mut line_comment = false;
        // The line began with a comment.
        let mut own = false;
        while let Some(comment) = self.comment_before(to) {
            let block_comment = comment.kind == CommentKind::Block;
            let start = comment.span.start as usize;
            let lines = self.lines_between(self.end, start);
            if self.ops.is_empty() {
                own = true;
            } else if lines > 0 || line_comment {
                own = true;
                let blank = lines > 1 && (seen || gap == Gap::Next);
                self.ops
                    .push(if blank { Op::BlankLine } else { Op::HardLine });
            } else if leads && !seen && block_comment && (!gap.is_block() || self.one_line(to)) {
                own = true;
                self.ops.extend(gap.op(0));
            } else {
                self.ops.push(Op::Space);
            }
            let text = comment_text(self.source, comment);
            self.ops.push(if block_comment {
                Op::Text(text)
            } else {
                Op::Trailing(text)
            });
            self.end = comment.span.end as usize;
            line_comment = !block_comment;
            seen = true;
            self.next_comment += 1;
        }
        let lines = self.lines_between(self.end, to);
        if !seen {
            return gap.op(lines);
        }
        if line_comment {
            let blank = lines > 1 && gap == Gap::Next;
            return Some(if blank { Op::BlankLine } else { Op::HardLine });
        }
        if closes {
            let alone = gap == Gap::None && own && lines > 0;
            return if alone { Some(Op::HardLine) } else { gap.op(0) };
        }
        if own && lines == 0 {
            return Some(Op::Space);
        }
        match gap {
            Gap::Next | Gap::Edge => gap.op(lines),
            _ if own => Some(Op::HardLine),
            Gap::None | Gap::SoftLine => Some(Op::Space),
            Gap::Space | Gap::Line => gap.op(lines),
        }
    }

    /// Prints a token, word by word where it is an operator of several.
    fn token(&mut self, gap: Gap, token: &Token) {
        let mut gap = gap;
        while let Some(raw) = self.raw.get(self.next_raw).copied() {
            if raw.span.start >= token.span.end {
                break;
            }
            self.gap(gap, raw.span.start as usize, Around::Other);
            let text = raw.span.text(self.source).to_owned();
            self.ops.push(Op::Text(text));
            self.end = raw.span.end as usize;
            self.next_raw += 1;
            gap = Gap::Space;
        }
    }

    /// Prints the comments after the last item, and gives everything.
    pub(super) fn finish(mut self) -> Vec<Op> {
        let end = self.source.len();
        self.gap(Gap::Next, end, Around::Closes);
        self.ops
    }

    pub(super) fn item(&mut self, tokens: &[Token]) {
        let head = head_index(tokens);
        let head_tok = tokens.get(head).map(|t| t.tok);
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
        let mut gap = Gap::Next;
        // Each attribute on a line of its own.
        let mut starts = attribute_starts(tokens, head);
        starts.push(head);
        for pair in starts.windows(2) {
            if let [from, to] = pair {
                self.start(tokens, *from, gap, Around::Other);
                self.sequence(tokens, *from, *to, head_tok);
                gap = Gap::Edge;
            }
        }
        self.start(tokens, head, gap, Around::Other);
        self.sequence(tokens, head, header_end, head_tok);
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
        let to = closing.span.start as usize;
        if close == open + 1 && self.comment_before(to).is_none() {
            return self.token(Gap::None, closing);
        }
        self.ops.push(Op::Indent);
        let starts = part_starts(tokens, open, close, head);
        let mut gap = Gap::Edge;
        let mut around = Around::Leads;
        for (n, &start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(close);
            self.start(tokens, start, gap, around);
            if head == Some(Tok::Test) {
                self.step(tokens, start, end, head);
            } else {
                self.sequence(tokens, start, end, head);
            }
            gap = Gap::Next;
            around = Around::Other;
        }
        // Comments before the brace are indented as the clauses are.
        let around = if starts.is_empty() {
            Around::Both
        } else {
            Around::Closes
        };
        self.comments(gap, to, around);
        self.ops.push(Op::Dedent);
        self.token(Gap::Edge, closing);
    }

    /// A step of a test: what happens, then what is expected. One expectation follows on the same
    /// line where there is room; several stand all on one line with the step, or each on its own.
    fn step(&mut self, tokens: &[Token], start: usize, end: usize, head: Option<Tok>) {
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
        let alone = cuts.len() == 1;
        let core = cuts.first().copied().unwrap_or(end);
        if !alone {
            self.ops.push(Op::Open);
        }
        self.sequence(tokens, start, core, head);
        self.ops.push(Op::Indent);
        if alone {
            self.ops.push(Op::Open);
        }
        for (n, &cut) in cuts.iter().enumerate() {
            let to = cuts.get(n + 1).copied().unwrap_or(end);
            self.start(tokens, cut, Gap::Line, Around::Other);
            self.sequence(tokens, cut, to, head);
        }
        if alone {
            self.ops.push(Op::Close);
        }
        self.ops.push(Op::Dedent);
        if !alone {
            self.ops.push(Op::Close);
        }
    }

    /// The gap before the token at `at`.
    fn start(&mut self, tokens: &[Token], at: usize, gap: Gap, around: Around) {
        if let Some(first) = tokens.get(at) {
            self.gap(gap, first.span.start as usize, around);
        }
    }

    /// Tokens that stand on one line where they fit. The gap before them has been printed.
    fn sequence(&mut self, tokens: &[Token], start: usize, end: usize, head: Option<Tok>) {
        if start >= end {
            return;
        }
        self.ops.push(Op::Open);
        let mut types = matches!(
            head,
            Some(Tok::Tool | Tok::Event | Tok::Context | Tok::Lookup | Tok::Predicate)
        );
        // What stands inside each open bracket at its edges.
        let mut open: Vec<Gap> = Vec::new();
        let mut before: Option<(Tok, Tok)> = None;
        for i in start..end {
            let Some(token) = tokens.get(i) else {
                break;
            };
            if head == Some(Tok::Predicate) && open.is_empty() && token.tok == Tok::Assign {
                types = false;
            }
            let next = tokens.get(i + 1).filter(|_| i + 1 < end);
            let next_tok = next.map(|t| t.tok);
            let to = next.map_or(0, |t| t.span.start as usize);
            if token.tok.closes()
                && let Some(edge) = open.pop()
            {
                // The group of the last element.
                self.ops.push(Op::Close);
                let around = if before.is_some_and(|(prev, _)| prev.opens()) {
                    Around::Both
                } else {
                    Around::Closes
                };
                let last = self.comments(edge, token.span.start as usize, around);
                self.ops.push(Op::Dedent);
                self.ops.extend(last);
                self.token(Gap::None, token);
                self.ops.push(Op::Dedent);
                self.ops.push(Op::Close);
            } else {
                let gap = match before {
                    None => Gap::None,
                    Some((prev, prev_role)) => spacing(prev, prev_role, token.tok, types),
                };
                if token.tok == Tok::Comma && !open.is_empty() {
                    self.ops.push(Op::Close);
                }
                self.token(gap, token);
            }
            if token.tok == Tok::Comma && !open.is_empty() {
                if next_tok.is_some_and(|n| !n.closes()) {
                    self.gap(Gap::Line, to, Around::Leads);
                }
                self.ops.push(Op::Open);
            }
            if token.tok.opens() {
                self.ops.push(Op::Open);
                self.ops.push(Op::Hang);
                self.ops.push(Op::Indent);
                if next_tok.is_some_and(Tok::closes) {
                    // An empty pair; comments in it are printed before the closer.
                    open.push(Gap::None);
                } else {
                    let edge = edge_gap(tokens, i, head);
                    self.gap(edge, to, Around::Leads);
                    open.push(edge);
                }
                self.ops.push(Op::Open);
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
}

/// What stands between two tokens of a sequence.
fn spacing(prev: Tok, prev_role: Tok, tok: Tok, types: bool) -> Gap {
    // What follows an opening bracket has had its gap.
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
