//! What can be written at a place, for completion in an editor.
//!
//! The parser itself is asked: the text up to the place is parsed, and what it would take next is what can
//! stand there. What it would take and could not make sense of (a comparison in a formula, a second readable form) is left
//! out by [`place`].

mod heads;
mod place;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::{BTreeSet, HashMap};

use crate::actions::{Cx, Unexpected};
use crate::keywords::{self, KEYWORDS, Keyword, KeywordKind};
use crate::layout::{contextualise, head_index, layout};
use crate::lexer::{CommentKind, lex};
use crate::literal::scan_delimited;
use crate::parse::grammar;
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};
use crate::words::join_words;

use heads::{
    compared, given, head_before, open_brackets, operand, owner_of_record, path_before, patterns,
    way_before,
};
pub use place::Level;
use texts::{in_comment, in_string};

/// What can be written at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// What stands before the place and is replaced: the letters of a word, the beginning of a name in back-ticks, of a
    /// string's contents. Empty where nothing does.
    pub word: Span,
    /// The same with what follows the place.
    pub whole: Span,
    /// How the word stands there.
    pub within: Within,
    /// The keywords that can stand here, in order of their names.
    pub keywords: Vec<&'static Keyword>,
    /// The operators of several words of which the first stand there already, and where the first begins.
    pub phrases: Vec<(&'static Keyword, u32)>,
    /// What a name here would name; `None` where no name can stand here.
    pub name: Option<Wanted>,
    /// What kind of expression the place wants.
    pub level: Level,
    /// Whether an expression begins here.
    pub begins: bool,
    /// Whether a contract's clause or a test's step can begin here, or an item.
    pub fresh: bool,
    /// The patterns around the place, the innermost first.
    pub patterns: Vec<PatternHead>,
    /// What a value here is compared with, or given for.
    pub compared: Option<Compared>,
    /// The names of the value that stands before the place, which an operator would go on: `args.amount`.
    pub operand: Vec<String>,
    /// Whether the step of a test whose expectation is written is its `end`.
    pub ends: bool,
    /// The fields that are given already where those of a call or record are written out.
    pub given: Vec<String>,
    /// Whether the place is in a test.
    pub test: bool,
}

/// In what the place stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    /// In no quotes.
    #[default]
    Nothing,
    /// In a name in back-ticks.
    Backticks,
    /// In a string.
    Quotes,
    /// In the braces of a message.
    Message,
    /// In a comment.
    Comment,
}

/// What a name would name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A tool or a group.
    Tool,
    /// The tool of a test's step: no group.
    OneTool,
    /// A tool of what these names lead to: a server, an imported file.
    ToolOf(Vec<String>),
    /// A part of what these names lead to: `ctx.`, `args.to.`, an imported file.
    Part(Vec<String>),
    /// A type; whether `event` is one here.
    Type(bool),
    /// An attribute of a contract.
    Attribute,
    /// What `@severity` takes.
    Severity,
    /// What MCP says of a tool.
    Annotation,
    /// A contract.
    Contract,
    /// A contract of the file that is included.
    Included,
    /// What a step of a test expects.
    Outcome,
    /// An argument of the call of a test step or redirect: the tool (or the declared event); the names of the fields around it.
    Argument(Vec<String>, Vec<String>),
    /// A field of the result that a test writes out: the tool; the names of the fields around it.
    Result(Vec<String>, Vec<String>),
    /// What is recorded with a test's step.
    Fact,
    /// A context field that a test sets.
    Context,
    /// A lookup that a test answers.
    Lookup,
    /// A declared event of a test.
    Event,
    /// A module of the library.
    Module,
    /// A file: a policy, or (`true`) a list of tools.
    File(bool),
    /// The code of a warning that a comment allows; those that stand there already.
    Code(Vec<String>),
    /// The rest of a comment that allows a warning: the word that is wanted, `allow` or `because`.
    Allow(&'static str),
    /// A new name.
    New,
    /// A value that a test writes out.
    Literal,
    /// A field, key, `let`, parameter, function, aggregate, predicate, lookup or event.
    Value,
}

/// The beginning of a pattern whose parentheses are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternHead {
    /// `call`, `success`, ...; empty for a declared event, function or predicate.
    pub kind: &'static str,
    /// The names before the parenthesis, each with its parts; none for `any`.
    pub names: Vec<Vec<String>>,
}

/// What a value stands beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The names on the other side: `args.status`, `ctx.tier`, `status`.
    pub way: Vec<String>,
    /// Where the value is given for a field of a call, a result or a declared event: whose.
    pub given: Option<PatternHead>,
}

/// What can be written at a byte offset of a text; nothing within regular expressions, and in comments only the
/// codes that they allow.
#[must_use]
pub fn complete(source: &str, offset: u32) -> Completion {
    let at = source.floor_char_boundary(offset as usize);
    let before = source.get(..at).unwrap_or_default();
    let after = source.get(at..).unwrap_or_default();
    let here = to(at);
    let mut out = Completion {
        word: Span::new(here, here),
        whole: Span::new(here, here),
        ..Completion::default()
    };
    let lexed = lex(before, 0, before.len());
    if let Some(comment) = lexed.comments.last()
        && comment.span.end == here
    {
        let text = comment.span.text(before);
        if comment.kind == CommentKind::Line {
            in_comment(text, comment.span.start, after, &mut out);
            return out;
        }
        if comment.kind != CommentKind::Block || !text.ends_with("*/") || text.len() < 4 {
            out.within = Within::Comment;
            return out;
        }
    }
    let last = lexed.tokens.last().filter(|t| t.span.end == here);
    if let Some(token) = last {
        let text = token.span.text(before);
        let inner = |n: usize| text.get(n..).unwrap_or_default();
        match token.tok {
            Tok::Str if text.starts_with('"') && !scan_delimited(inner(1), '"', false).1 => {
                in_string(before, after, token.span.start, &mut out);
                return out;
            }
            Tok::Regex if text.starts_with('/') && !scan_delimited(inner(1), '/', true).1 => {
                out.within = Within::Quotes;
                return out;
            }
            Tok::Ident if text.starts_with('`') && (text.len() == 1 || !text.ends_with('`')) => {
                // The name goes on to its closing back-tick, if one stands right behind it.
                let rest = after
                    .find(|c: char| c.is_whitespace() || "`(){}[],".contains(c))
                    .filter(|n| after.get(*n..).is_some_and(|t| t.starts_with('`')))
                    .map_or(0, |n| n + 1);
                out.within = Within::Backticks;
                out.word = Span::new(token.span.start, here);
                out.whole = Span::new(token.span.start, here + to(rest));
            }
            _ => {}
        }
    }
    if out.within == Within::Nothing {
        let letters = |c: &char| c.is_alphanumeric() || *c == '_';
        let word: usize = before
            .chars()
            .rev()
            .take_while(letters)
            .map(char::len_utf8)
            .sum();
        let rest: usize = after.chars().take_while(letters).map(char::len_utf8).sum();
        out.word = Span::new(to(at - word), here);
        out.whole = Span::new(to(at - word), here + to(rest));
        // A number is no beginning of a word.
        if out.word.text(before).starts_with(|c: char| c.is_numeric()) {
            return out;
        }
    }
    let prefix = before.get(..out.word.start as usize).unwrap_or_default();
    let prefix = Prefix::new(prefix);
    let terminals = prefix.terminals();
    prefix.fill(&terminals, &mut out);
    if out.within == Within::Nothing {
        out.phrases = phrases(before, out.word);
    }
    out
}

fn to(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Operators whose first words stand right before the word at the place.
fn phrases(before: &str, word: Span) -> Vec<(&'static Keyword, u32)> {
    let mut out = Vec::new();
    let mut end = before.get(..word.start as usize).unwrap_or_default();
    let mut lead = String::new();
    for _ in 0..2 {
        let trimmed = end.trim_end_matches([' ', '\t']);
        if trimmed.len() == end.len() {
            break;
        }
        let start = trimmed
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(0, |at| {
                at + trimmed
                    .get(at..)
                    .and_then(|t| t.chars().next())
                    .map_or(1, char::len_utf8)
            });
        let first = trimmed.get(start..).unwrap_or_default();
        if first.is_empty() || trimmed.get(..start).is_some_and(|t| t.ends_with('.')) {
            break;
        }
        lead = if lead.is_empty() {
            format!("{first} ")
        } else {
            format!("{first} {lead}")
        };
        let candidates: Vec<&'static Keyword> = KEYWORDS
            .iter()
            .filter(|k| k.name.starts_with(&lead))
            .collect();
        end = trimmed.get(..start).unwrap_or_default();
        if candidates.is_empty() {
            continue;
        }
        let prefix = Prefix::new(end);
        let terminals = prefix.terminals();
        let fits = prefix.keywords(&terminals);
        out.extend(
            candidates
                .into_iter()
                .filter(|k| fits.iter().any(|other| other.name == k.name))
                .map(|k| (k, to(start))),
        );
    }
    out
}

/// The text before a place, cut into tokens.
struct Prefix<'s> {
    text: &'s str,
    names: HashMap<u32, String>,
    /// The tokens of the item that is being written.
    tokens: Vec<Token>,
    /// The brackets that are open, closed.
    closers: Vec<Token>,
    /// Nothing is open.
    closed: bool,
    head: usize,
    place: place::Place,
}

impl<'s> Prefix<'s> {
    fn new(text: &'s str) -> Self {
        let lexed = lex(text, 0, text.len());
        let joined = join_words(text, &lexed.tokens);
        let (mut items, _) = layout(text, &joined);
        let mut item = items.pop().map(|item| item.tokens).unwrap_or_default();
        let mut closers = Vec::new();
        while let Some(closer) = item.pop_if(|token| token.inserted) {
            closers.push(closer);
        }
        closers.reverse();
        // Where nothing is open an item could begin, too.
        let closed = open_brackets(&item).is_empty();
        // A word is told from a name by what follows it: here the word that is being written.
        let end = to(text.len());
        item.push(Token {
            tok: Tok::Ident,
            span: Span::new(end, end),
            column: NOT_FIRST,
            inserted: false,
        });
        // `with` is a word only before something that is recorded.
        let records = item
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|t| t.span.text(text) == "with");
        if records {
            item.push(Token {
                tok: Tok::Assign,
                span: Span::new(end, end),
                column: NOT_FIRST,
                inserted: false,
            });
        }
        let mut tokens = contextualise(text, &item);
        tokens.truncate(tokens.len() - 1 - usize::from(records));
        // `expect block` may go on with `by`; what a session ends with names its contracts without.
        if let Some(last) = tokens.last_mut()
            && last.tok == Tok::WhatOf
            && !matches!(last.span.text(text), "pending" | "satisfied")
        {
            last.tok = Tok::Ident;
        }
        let head = head_index(&tokens);
        let place = place::place(text, &tokens, head);
        Self {
            text,
            names: lexed.names,
            tokens,
            closers,
            closed,
            head,
            place,
        }
    }

    fn head_tok(&self) -> Option<Tok> {
        self.tokens.get(self.head).map(|t| t.tok)
    }

    fn in_test(&self) -> bool {
        self.head_tok() == Some(Tok::Test)
    }

    fn ended(&self) -> bool {
        let last = self.tokens.last();
        last.is_none_or(|t| t.tok.ends_operand() || t.tok == Tok::Gt)
            && self.tokens.len() > self.head + 1
    }

    fn first_on_line(&self) -> bool {
        let line = self.text.rsplit('\n').next();
        line.is_some_and(|line| line.trim().is_empty())
    }

    /// What the parser would take next. At the margin nothing goes on that could end before.
    fn terminals(&self) -> BTreeSet<String> {
        let margin = self.text.is_empty() || self.text.ends_with('\n');
        let mut terminals = BTreeSet::new();
        if !(self.closed && margin && self.ended()) {
            terminals = next(self.text, &self.names, &self.tokens, &self.closers);
        }
        if self.closed {
            terminals.extend(next(self.text, &self.names, &[], &[]));
        }
        terminals
    }

    fn keywords(&self, terminals: &BTreeSet<String>) -> Vec<&'static Keyword> {
        // The parser takes any expression as an argument of an attribute.
        if !self.tokens.is_empty() && self.tokens.len() <= self.head && !self.closed {
            return Vec::new();
        }
        let mut out: Vec<&'static Keyword> = terminals
            .iter()
            // Classes of tokens, which have the names of types.
            .filter(|name| {
                !matches!(
                    name.as_str(),
                    "string" | "number" | "duration" | "regex" | "name"
                )
            })
            .filter_map(|name| keywords::lookup(name.strip_suffix(" (step)").unwrap_or(name)))
            .filter(|keyword| keyword.kind != KeywordKind::Item || self.takes_item(keyword))
            .filter(|keyword| self.place.takes(keyword))
            .collect();
        let last = self.tokens.last();
        for name in [("times", "time"), ("steps", "step")] {
            if out.iter().any(|k| k.name == name.0) {
                let one = last.is_some_and(|t| t.span.text(self.text) == "1");
                let consecutive = last.is_some_and(|t| t.tok == Tok::Consecutive);
                let wanted = if one { name.1 } else { name.0 };
                if !consecutive {
                    out.retain(|k| k.name != name.0);
                    out.extend(keywords::lookup(wanted));
                }
            }
        }
        out.sort_by_key(|keyword| keyword.name);
        out.dedup_by_key(|keyword| keyword.name);
        out
    }

    /// Items begin lines; in a test some of their words are steps.
    fn takes_item(&self, keyword: &Keyword) -> bool {
        let step = matches!(keyword.name, "context" | "lookup" | "event");
        self.first_on_line() || self.in_test() && step && !self.closed
    }

    fn fill(&self, terminals: &BTreeSet<String>, out: &mut Completion) {
        let in_test = self.in_test() && !self.closed;
        out.test = in_test;
        out.keywords = self.keywords(terminals);
        // A name in back-ticks is no keyword.
        if out.within == Within::Backticks {
            out.keywords.clear();
        }
        out.level = self.place.level();
        out.begins = self.place.begins;
        out.patterns = patterns(self.text, &self.tokens);
        out.patterns.extend(self.place.events.iter().cloned());
        out.given = given(self.text, &self.tokens);
        out.operand = operand(self.text, &self.tokens);
        let step = self.tokens.iter().rev().find(|t| t.tok.starts_step());
        out.ends = in_test && step.is_some_and(|t| t.tok == Tok::End);
        let begins =
            self.first_on_line() || self.tokens.last().is_none_or(|t| t.tok == Tok::LBrace);
        out.fresh = begins
            && out.keywords.iter().any(|k| {
                k.kind == KeywordKind::Clause || k.kind == KeywordKind::Item || k.name == "end"
            });
        if self.tokens.is_empty() {
            return;
        }
        let takes = |names: &[&str]| names.iter().any(|n| terminals.contains(*n));
        if takes(&["name", "outcome"]) {
            out.compared = compared(self.text, &self.tokens, in_test);
            let wanted = self.wanted(out);
            if matches!(wanted, Wanted::Argument(..) | Wanted::Result(..)) {
                out.keywords.clear();
            }
            // The values of the call that is made instead are read from the one that is refused.
            if wanted == Wanted::Value && out.patterns.first().is_some_and(|p| p.kind == "redirect")
            {
                out.patterns = vec![self.calls()];
            }
            out.name = Some(wanted);
        } else if takes(&["string"]) {
            out.compared = compared(self.text, &self.tokens, in_test);
            if self.tokens.last().is_some_and(|t| t.tok == Tok::ToolsFrom) {
                out.name = Some(Wanted::File(true));
            } else if out.compared.is_some() {
                out.name = Some(Wanted::Literal);
            }
        }
    }

    fn wanted(&self, completion: &Completion) -> Wanted {
        let (source, tokens) = (self.text, self.tokens.as_slice());
        let last = tokens.last().map(|t| t.tok);
        let head = self.head_tok();
        let before = |n: usize| {
            let at = tokens.len().checked_sub(n)?;
            tokens.get(at).map(|t| t.tok)
        };
        if last == Some(Tok::Dot) {
            let end = tokens.len() - 1;
            let path = path_before(source, tokens, end);
            // `x.` of an element, `list[*].`
            if let Some(way) = way_before(source, tokens, end)
                && way.iter().any(|part| part == ELEMENT)
            {
                return Wanted::Part(way);
            }
            let Some((way, start)) = path else {
                return Wanted::New;
            };
            let lead = start
                .checked_sub(1)
                .and_then(|i| tokens.get(i))
                .map(|t| t.tok);
            let of_tool = lead.is_some_and(Tok::takes_tool)
                || matches!(lead, Some(Tok::Redirect | Tok::AnyExcept))
                || head == Some(Tok::Group) && !tokens.iter().any(|t| t.tok == Tok::ToolsWhere)
                || lead == Some(Tok::Pipe) && !declares(head);
            return if of_tool {
                Wanted::ToolOf(way)
            } else if matches!(head, Some(Tok::Import | Tok::Include)) {
                Wanted::Module
            } else {
                Wanted::Part(way)
            };
        }
        if tokens.len() <= self.head {
            // In the attributes of an item.
            let severity = open_brackets(tokens).first().is_some_and(|open| {
                path_before(source, tokens, *open)
                    .is_some_and(|(path, _)| path.iter().any(|p| p == "severity"))
            });
            return match last {
                Some(Tok::At) => Wanted::Attribute,
                _ if severity => Wanted::Severity,
                _ => Wanted::New,
            };
        }
        match last {
            Some(Tok::For | Tok::By) => return Wanted::Contract,
            // A word that is no action is a slip, which the parser reads.
            Some(Tok::Otherwise) => return Wanted::New,
            Some(Tok::Expect) => return Wanted::Outcome,
            Some(Tok::ForEach | Tok::Let | Tok::As | Tok::Every | Tok::Some) => return Wanted::New,
            Some(tok) if tok.takes_tool() && before(2) != Some(Tok::Arrow) => {
                return if self.in_test() {
                    Wanted::OneTool
                } else {
                    Wanted::Tool
                };
            }
            Some(Tok::Redirect) => return Wanted::OneTool,
            Some(Tok::AnyExcept) => return Wanted::Tool,
            Some(Tok::Pipe) if !declares(head) => return Wanted::Tool,
            _ => {}
        }
        match head {
            Some(Tok::Group) => {
                if tokens.iter().any(|t| t.tok == Tok::ToolsWhere) {
                    Wanted::Annotation
                } else if last == Some(Tok::Group) {
                    Wanted::New
                } else {
                    Wanted::Tool
                }
            }
            Some(Tok::Tool | Tok::Event | Tok::Lookup | Tok::Context) => match last {
                Some(Tok::Colon | Tok::Arrow | Tok::Pipe | Tok::Lt) => Wanted::Type(false),
                _ => Wanted::New,
            },
            Some(Tok::Predicate) if !tokens.iter().any(|t| t.tok == Tok::Assign) => match last {
                Some(Tok::Colon | Tok::Pipe | Tok::Lt) => Wanted::Type(last == Some(Tok::Colon)),
                _ => Wanted::New,
            },
            Some(Tok::Import | Tok::Include) => match last {
                Some(Tok::LBrace | Tok::Comma) => Wanted::Included,
                Some(Tok::Import | Tok::Include) => Wanted::Module,
                _ => Wanted::New,
            },
            Some(Tok::Contract | Tok::Module | Tok::Test) if tokens.len() == self.head + 1 => {
                Wanted::New
            }
            Some(Tok::Test) => self.of_test(last, completion),
            _ => match (last, owner_of_record(source, tokens, false)) {
                (Some(Tok::LParen | Tok::Comma), Some((owner, way)))
                    if owner.kind == "redirect"
                        && completion.patterns.first() == Some(&owner)
                        && completion.level == Level::Value =>
                {
                    Wanted::Argument(owner.names.into_iter().next().unwrap_or_default(), way)
                }
                _ => Wanted::Value,
            },
        }
    }

    fn of_test(&self, last: Option<Tok>, completion: &Completion) -> Wanted {
        let tokens = self.tokens.as_slice();
        let opened = open_brackets(tokens);
        if opened.is_empty() {
            // `test "a" for a, `
            return Wanted::Contract;
        }
        if opened.len() == 1 {
            let expects = || {
                tokens
                    .iter()
                    .rev()
                    .find(|t| t.tok == Tok::Expect || t.tok == Tok::With || t.tok.starts_step())
                    .is_some_and(|t| t.tok == Tok::Expect)
            };
            return match last {
                Some(Tok::And) => Wanted::Outcome,
                Some(Tok::Comma) if expects() => Wanted::Contract,
                Some(Tok::With | Tok::Comma) => Wanted::Fact,
                Some(Tok::Context) => Wanted::Context,
                Some(Tok::Lookup) => Wanted::Lookup,
                Some(Tok::Event) => Wanted::Event,
                Some(Tok::WhatOf) => Wanted::Contract,
                Some(Tok::Assign | Tok::Arrow | Tok::AtWord) => Wanted::Literal,
                Some(tok) if tok.takes_tool() => Wanted::OneTool,
                // A step of a declared event.
                _ => Wanted::Event,
            };
        }
        if let (Some(Tok::LParen | Tok::LBrace | Tok::Comma), Some((owner, way))) =
            (last, owner_of_record(self.text, tokens, true))
        {
            let in_list = opened
                .first()
                .and_then(|i| tokens.get(*i))
                .is_some_and(|t| t.tok == Tok::LBracket);
            let name = owner.names.into_iter().next().unwrap_or_default();
            let lookup = completion
                .patterns
                .first()
                .is_some_and(|p| p.kind.is_empty())
                && self.of_lookup(&opened);
            if !in_list && !lookup {
                return if owner.kind == "return" {
                    Wanted::Result(name, way)
                } else {
                    Wanted::Argument(name, way)
                };
            }
        }
        Wanted::Literal
    }

    /// The calls that the contract speaks of: one of them is what a message or a redirection reads.
    fn calls(&self) -> PatternHead {
        let mut names = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.tok.takes_tool() {
                let end = self
                    .tokens
                    .iter()
                    .enumerate()
                    .skip(index + 1)
                    .find(|(_, t)| !matches!(t.tok, Tok::Ident | Tok::Dot | Tok::Pipe))
                    .map_or(self.tokens.len(), |(i, _)| i);
                if let Some(head) = head_before(self.text, &self.tokens, end) {
                    names.extend(head.names);
                }
            }
        }
        names.sort();
        names.dedup();
        PatternHead {
            kind: "call",
            names,
        }
    }

    /// Whether the innermost parentheses are those of `lookup f(`.
    fn of_lookup(&self, opened: &[usize]) -> bool {
        let start = opened
            .first()
            .and_then(|open| path_before(self.text, &self.tokens, *open))
            .map(|(_, start)| start);
        start
            .and_then(|start| self.tokens.get(start.checked_sub(1)?))
            .is_some_and(|t| t.tok == Tok::Lookup)
    }
}

/// How a way to a field says that it goes through the elements of a list.
pub const ELEMENT: &str = "[*]";

/// Items in which `|` stands between types.
fn declares(head: Option<Tok>) -> bool {
    matches!(
        head,
        Some(Tok::Tool | Tok::Event | Tok::Lookup | Tok::Context | Tok::Predicate)
    )
}

/// A word that no rule of the grammar takes.
const PROBE: Tok = Tok::Tools;

/// The terminals that can follow some tokens of an item: what the parser expects in place of a word that
/// nothing takes. Where brackets are open they are closed after it, so that the parser finds its way and tells.
fn next(
    source: &str,
    names: &HashMap<u32, String>,
    tokens: &[Token],
    closers: &[Token],
) -> BTreeSet<String> {
    // Right behind a slip nothing is sure: the parser would go on with whatever follows.
    let last = tokens.last().map(|t| t.span);
    let slip = |unexpected: &Unexpected| last == Some(unexpected.span);
    if unexpected(source, names, tokens, None, closers)
        .iter()
        .any(slip)
    {
        return BTreeSet::new();
    }
    unexpected(source, names, tokens, Some(PROBE), closers)
        .iter()
        .filter(|unexpected| unexpected.tok == Some(PROBE))
        .flat_map(|unexpected| &unexpected.expected)
        .map(|name| name.trim_matches('"').to_owned())
        .collect()
}

/// What the parser does not expect in some tokens, one more, and what closes their brackets.
fn unexpected(
    source: &str,
    names: &HashMap<u32, String>,
    tokens: &[Token],
    more: Option<Tok>,
    closers: &[Token],
) -> Vec<Unexpected> {
    let mut cx = Cx::new(source, names);
    let end = to(source.len());
    let before = tokens.iter().map(|t| (t.span.start, t.tok, t.span.end));
    let after = closers.iter().map(|t| (end, t.tok, end));
    let stream = before
        .chain(more.map(|tok| (end, tok, end)))
        .chain(after)
        .map(Ok);
    if let Err(error) = grammar::ItemParser::new().parse(&mut cx, stream) {
        cx.unexpected(error);
    }
    cx.unexpected
}
