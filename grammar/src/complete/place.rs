//! What kind of expression a place of an item wants, and what of it is written already: the parser takes formulas
//! and conditions alike, and reads operators as flat sequences; here what could not become a formula is left out.

use super::PatternHead;
use super::heads::head_before;
use crate::keywords::{Keyword, KeywordKind};
use crate::meanings::{WordKind, word_of};
use crate::token::{Tok, Token};

/// What an expression at a place is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// None: a declaration, a clause, a step.
    #[default]
    None,
    /// A formula: patterns, braces, temporal operators.
    Formula,
    /// The events of an aggregate: patterns.
    Events,
    /// A condition.
    Condition,
    /// A value.
    Value,
    /// A value without names: in a test.
    Literal,
    /// A formula or a condition: a `let`, the body of a predicate, an argument of one.
    Either,
}

/// What the last operand is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Operand {
    #[default]
    None,
    /// A pattern or braces.
    Formula,
    /// A value.
    Value,
    /// A name or parentheses: either.
    Name,
}

/// What stands between a bracket and the place.
#[derive(Clone, Debug, Default)]
struct Frame {
    level: Level,
    /// The readable form that has begun.
    form: Option<Tok>,
    within: bool,
    /// `until` or its like.
    time: bool,
    connective: bool,
    /// Prefix operators before the operand that is last.
    prefixed: bool,
    negated: bool,
    operand: Operand,
    /// A comparison since the last connective.
    compared: bool,
    /// Of what a bare name is a field, where that is told by no parentheses.
    event: Option<PatternHead>,
    /// Where the last pattern begins.
    pattern: Option<usize>,
    /// In an `assume`: what the agent decides cannot stand there.
    assumes: bool,
    /// What stands here looks back: nothing here may look forward.
    past: bool,
}

impl Frame {
    fn of(level: Level) -> Self {
        Self {
            level,
            ..Self::default()
        }
    }
}

/// A place in an item.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    frame: Frame,
    /// What a bare name here is a field of, from the inside out, besides the patterns whose parentheses are open.
    pub(super) events: Vec<PatternHead>,
    last: Option<Tok>,
    /// Whether an expression begins here.
    pub(super) begins: bool,
}

/// Reads the tokens of an item up to the place. `head` is the index of the item's keyword.
pub(super) fn place(source: &str, tokens: &[Token], head: usize) -> Place {
    let head_tok = tokens.get(head).map(|t| t.tok);
    let in_test = head_tok == Some(Tok::Test);
    let mut stack: Vec<Frame> = vec![Frame::default()];
    for (i, token) in tokens.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|j| tokens.get(j)).map(|t| t.tok);
        let depth = stack.len();
        let Some(top) = stack.last_mut() else { break };
        let tok = token.tok;
        if tok.opens() {
            let inner = if i < head {
                Frame::default()
            } else {
                Frame {
                    assumes: top.assumes,
                    past: top.past,
                    ..opened(source, tokens, i, before, head_tok, depth, top)
                }
            };
            stack.push(inner);
            continue;
        }
        if tok.closes() {
            let closed = if stack.len() > 1 {
                stack.pop().unwrap_or_default()
            } else {
                Frame::default()
            };
            if let Some(top) = stack.last_mut() {
                top.operand = match (tok, top.operand) {
                    (Tok::RBrace, _) if !in_test => Operand::Formula,
                    // `call t(...)`
                    (Tok::RParen, Operand::Formula) => Operand::Formula,
                    (Tok::RParen, _) if closed.level == Level::Value => Operand::Value,
                    (Tok::RParen, _) => Operand::Name,
                    _ => Operand::Value,
                };
            }
            continue;
        }
        if depth == 2 && head_tok == Some(Tok::Contract) && tok.starts_clause() {
            *top = Frame {
                assumes: tok == Tok::Assume,
                ..Frame::of(match tok {
                    Tok::Assume | Tok::Guarantee => Level::Formula,
                    _ => Level::None,
                })
            };
            continue;
        }
        if tok == Tok::Assign && top.level == Level::None && !in_test {
            let level = match head_tok {
                Some(Tok::Contract | Tok::Predicate) => Level::Either,
                _ => Level::None,
            };
            *top = Frame::of(level);
            continue;
        }
        if tok == Tok::ToolsWhere {
            *top = Frame::of(Level::Condition);
            continue;
        }
        read(source, tokens, i, top);
    }
    let mut events = Vec::new();
    for frame in stack.iter().rev() {
        events.extend(frame.event.clone());
    }
    let frame = stack.pop().unwrap_or_default();
    let last = tokens.last().map(|t| t.tok);
    Place {
        begins: frame.operand == Operand::None
            && frame.form.is_none()
            && !frame.prefixed
            && !frame.negated
            && !frame.connective
            && !frame.time
            && frame.level != Level::None,
        events,
        last,
        frame,
    }
}

/// What a bracket opens.
fn opened(
    source: &str,
    tokens: &[Token],
    i: usize,
    before: Option<Tok>,
    head_tok: Option<Tok>,
    depth: usize,
    outer: &Frame,
) -> Frame {
    let tok = tokens.get(i).map(|t| t.tok);
    if head_tok == Some(Tok::Test) {
        return Frame::of(if depth == 1 {
            Level::None
        } else {
            Level::Literal
        });
    }
    match tok {
        Some(Tok::LBracket) => Frame::of(Level::Value),
        Some(Tok::LBrace) => match outer.level {
            Level::Formula | Level::Either | Level::Events => Frame::of(Level::Condition),
            level => Frame::of(level),
        },
        _ if matches!(before, Some(Tok::Input | Tok::Output)) => Frame::of(Level::Condition),
        _ if outer.level == Level::None => {
            let redirects = head_before(source, tokens, i).is_some_and(|h| h.kind == "redirect");
            Frame::of(if redirects { Level::Value } else { Level::None })
        }
        _ => match head_before(source, tokens, i) {
            Some(head) if !head.kind.is_empty() => Frame::of(Level::Condition),
            Some(head) => {
                let name = match head.names.as_slice() {
                    [path] if path.len() == 1 => path.first().map_or("", String::as_str),
                    _ => "",
                };
                if word_of(WordKind::Aggregate, name).is_some() {
                    Frame::of(Level::Events)
                } else if word_of(WordKind::Function, name).is_some() {
                    Frame::of(Level::Value)
                } else {
                    Frame::of(Level::Either)
                }
            }
            // Parentheses around a part.
            None => Frame {
                event: None,
                ..Frame::of(match outer.level {
                    _ if outer.form == Some(Tok::OnlyIf) => Level::Condition,
                    Level::Literal => Level::Literal,
                    level => level,
                })
            },
        },
    }
}

/// Takes a token that is no bracket into a frame.
fn read(source: &str, tokens: &[Token], i: usize, top: &mut Frame) {
    let Some(token) = tokens.get(i) else { return };
    let before = i.checked_sub(1).and_then(|j| tokens.get(j)).map(|t| t.tok);
    match token.tok {
        Tok::Comma => {
            let event = match top.level {
                // The value that an aggregate takes is one of the event that it remembers.
                Level::Events => top.pattern.and_then(|at| head_at(source, tokens, at)),
                _ => top.event.take(),
            };
            *top = Frame {
                event,
                assumes: top.assumes,
                ..Frame::of(match top.level {
                    Level::Events => Level::Value,
                    level => level,
                })
            };
        }
        // `every x in list:`
        Tok::Colon => {
            let event = top.event.take();
            *top = Frame {
                event,
                assumes: top.assumes,
                ..Frame::of(top.level)
            };
        }
        tok if tok.takes_tool() || matches!(tok, Tok::Input | Tok::Output) => {
            top.pattern = Some(i);
            top.operand = Operand::Formula;
        }
        Tok::Never => {
            top.form = Some(Tok::Never);
            top.operand = Operand::None;
        }
        Tok::OnlyIf => {
            top.event = top.pattern.and_then(|at| head_at(source, tokens, at));
            *top = Frame {
                event: top.event.take(),
                assumes: top.assumes,
                form: Some(Tok::OnlyIf),
                ..Frame::of(Level::Condition)
            };
        }
        Tok::OnlyWhile => {
            *top = Frame {
                form: Some(Tok::OnlyWhile),
                assumes: top.assumes,
                past: true,
                ..Frame::of(Level::Formula)
            };
        }
        tok @ (Tok::OnlyAfter
        | Tok::OnlyBefore
        | Tok::LeadsTo
        | Tok::ImmediatelyLeadsTo
        | Tok::After
        | Tok::Before) => {
            top.form = Some(tok);
            top.operand = Operand::None;
        }
        tok @ (Tok::AtMost | Tok::AtLeast | Tok::Exactly) => top.form = Some(tok),
        Tok::Within => top.within = true,
        Tok::Until | Tok::Unless | Tok::Release | Tok::Since => {
            top.time = true;
            top.past |= token.tok == Tok::Since;
            (top.prefixed, top.negated) = (false, false);
            top.operand = Operand::None;
        }
        Tok::And | Tok::Or | Tok::Implies | Tok::Iff => {
            top.connective = true;
            top.past = top.form == Some(Tok::OnlyWhile);
            (top.prefixed, top.negated) = (false, false);
            top.compared = false;
            top.operand = Operand::None;
        }
        Tok::Not => top.negated = true,
        Tok::Always | Tok::Eventually | Tok::Next | Tok::WeakNext => top.prefixed = true,
        Tok::Previously | Tok::WeakPreviously | Tok::Once | Tok::Historically => {
            top.prefixed = true;
            top.past = true;
        }
        tok if tok.compares() => {
            top.compared |= tok != Tok::Coalesce;
            top.operand = Operand::None;
        }
        Tok::Number | Tok::Duration if before.is_some_and(counts) => {}
        Tok::Number
        | Tok::Duration
        | Tok::Str
        | Tok::Regex
        | Tok::True
        | Tok::False
        | Tok::Null => {
            top.operand = Operand::Value;
        }
        Tok::Ident if top.operand == Operand::None => top.operand = Operand::Name,
        _ => {}
    }
}

/// Temporal operators that cannot stand under one that looks back.
fn looks_forward(name: &str) -> bool {
    matches!(
        name,
        "always" | "eventually" | "next" | "weak next" | "until" | "unless" | "release"
    )
}

fn counts(tok: Tok) -> bool {
    matches!(tok, Tok::AtMost | Tok::AtLeast | Tok::Exactly | Tok::Within)
}

/// The head of the pattern that begins at an index.
fn head_at(source: &str, tokens: &[Token], at: usize) -> Option<PatternHead> {
    let end = tokens
        .iter()
        .enumerate()
        .skip(at + 1)
        .find(|(_, t)| !(t.tok == Tok::Ident || matches!(t.tok, Tok::Dot | Tok::Pipe)))
        .map_or(tokens.len(), |(i, _)| i);
    head_before(source, tokens, end)
}

impl Place {
    /// What kind of expression an operand here is.
    pub(super) fn level(&self) -> Level {
        match self.last {
            Some(tok)
                if self.frame.level != Level::Literal
                    && (tok.compares() || matches!(tok, Tok::Plus | Tok::Minus | Tok::Star)) =>
            {
                Level::Value
            }
            _ => self.frame.level,
        }
    }

    /// Whether a keyword that the parser would take makes sense here.
    pub(super) fn takes(&self, keyword: &Keyword) -> bool {
        let level = self.level();
        match level {
            Level::None => return true,
            Level::Literal => return keyword.kind == KeywordKind::Value,
            Level::Formula | Level::Events | Level::Condition | Level::Value | Level::Either => {}
        }
        match keyword.kind {
            KeywordKind::Item
            | KeywordKind::Clause
            | KeywordKind::Action
            | KeywordKind::Declaration
            | KeywordKind::Test
            | KeywordKind::Type => true,
            _ if self.wants_operand() => self.takes_operand(level, keyword),
            _ => self.takes_operator(level, keyword),
        }
    }

    fn wants_operand(&self) -> bool {
        self.frame.operand == Operand::None
            && !matches!(
                self.frame.form,
                Some(Tok::AtMost | Tok::AtLeast | Tok::Exactly)
            )
            || self.last.is_some_and(|tok| tok.takes_tool() || counts(tok))
            || self.level() == Level::Value && self.frame.level != Level::Value
    }

    fn takes_operand(&self, level: Level, keyword: &Keyword) -> bool {
        let frame = &self.frame;
        // Before the word that `takes_tool` wants, or a number, the parser knows best.
        if self.last.is_some_and(|tok| tok.takes_tool() || counts(tok)) {
            return true;
        }
        // A part of a readable form: a pattern, or parentheses.
        let part =
            matches!(frame.form, Some(form) if !matches!(form, Tok::OnlyIf | Tok::OnlyWhile));
        let fresh = frame.form.is_none() && !frame.prefixed && !frame.negated;
        let formulas = matches!(level, Level::Formula | Level::Either);
        let conditions = matches!(level, Level::Condition | Level::Either);
        match (keyword.kind, keyword.name) {
            (KeywordKind::Pattern, "any" | "any except") => false,
            (KeywordKind::Pattern, "call" | "output") if frame.assumes => false,
            (KeywordKind::Temporal, name) if frame.past && looks_forward(name) => false,
            (KeywordKind::Form, _) if frame.past => false,
            (KeywordKind::Pattern, _) => formulas || level == Level::Events,
            (KeywordKind::Temporal, _) => formulas && !part && !frame.negated,
            (KeywordKind::Form, "never") => formulas && fresh && !frame.connective && !frame.time,
            (KeywordKind::Connective, "not") => !part && !frame.negated && level != Level::Value,
            (KeywordKind::Operator, "earlier") => level == Level::Events && fresh,
            (KeywordKind::Operator, "every" | "some") => conditions && !part,
            (KeywordKind::Value, "null") => level == Level::Value,
            (KeywordKind::Value, _) => level == Level::Value || (formulas || conditions) && !part,
            _ => false,
        }
    }

    fn takes_operator(&self, level: Level, keyword: &Keyword) -> bool {
        let frame = &self.frame;
        let value = frame.operand != Operand::Formula;
        let formula = frame.operand != Operand::Value;
        match keyword.name {
            // The words after a number.
            "time" | "times" | "consecutive" | "step" | "steps" => return true,
            "within" => {
                let form = match level {
                    Level::Events => return !frame.within && formula,
                    _ => frame.form,
                };
                return !frame.within
                    && matches!(form, Some(Tok::OnlyAfter | Tok::LeadsTo | Tok::AtMost));
            }
            "after" | "before" => return frame.form == Some(Tok::Never) && formula,
            _ => {}
        }
        let formulas = matches!(level, Level::Formula | Level::Either) && formula;
        let conditions = matches!(level, Level::Condition | Level::Either) && value;
        let part =
            matches!(frame.form, Some(form) if !matches!(form, Tok::OnlyIf | Tok::OnlyWhile));
        if frame.past && (keyword.kind == KeywordKind::Form || looks_forward(keyword.name)) {
            return false;
        }
        match keyword.kind {
            KeywordKind::Connective => {
                !part && !frame.time && !frame.prefixed && level != Level::Value
            }
            KeywordKind::Temporal => {
                formulas && !part && !frame.time && !frame.connective && !frame.prefixed
            }
            KeywordKind::Form => {
                formulas
                    && frame.form.is_none()
                    && !frame.time
                    && !frame.connective
                    && !frame.prefixed
                    && !frame.negated
            }
            KeywordKind::Operator => conditions && !frame.compared,
            _ => false,
        }
    }
}
