//! What can be written at a place, for completion in an editor.
//!
//! The parser itself is asked: the text up to the place is parsed, and what it would take next is what can
//! stand there. So a keyword that is offered is one that goes on.

use std::collections::BTreeSet;

use crate::actions::Cx;

use crate::keywords::{self, Keyword, KeywordKind};
use crate::layout::{contextualise, head_index, layout};
use crate::lexer::lex;
use crate::parse::grammar;
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};
use crate::words::join_words;

/// What can be written at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The letters of a word before the place; empty where none stand there.
    pub word: Span,
    /// The keywords that can stand here, in order of their names.
    pub keywords: Vec<&'static Keyword>,
    /// What a name here would name; `None` where no name can stand here.
    pub name: Option<Wanted>,
    /// The patterns around the place, the innermost first.
    pub patterns: Vec<PatternHead>,
    /// Whether the place is in a test.
    pub test: bool,
}

/// What a name would name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A tool or a group.
    Tool,
    /// A part of what these names lead to: `ctx.`, `args.to.`, an imported file.
    Part(Vec<String>),
    /// A type.
    Type,
    /// An attribute of a contract.
    Attribute,
    /// A contract.
    Contract,
    /// What a step of a test expects.
    Outcome,
    /// An argument of the call of a test step or redirect: the tool.
    Argument(Vec<String>),
    /// A new name.
    New,
    /// A field, key, `let`, parameter, function, aggregate, predicate, lookup or event.
    Value,
}

/// The beginning of a pattern whose parentheses are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternHead {
    /// `call`, `success`, ...; empty for a declared event, function or predicate.
    pub kind: &'static str,
    /// The names before the parenthesis, each with its parts.
    pub names: Vec<Vec<String>>,
}

/// What can be written at a byte offset of a text; nothing within comments, strings and regular
/// expressions.
#[must_use]
pub fn complete(source: &str, offset: u32) -> Completion {
    let at = source.floor_char_boundary(offset as usize);
    let before = source.get(..at).unwrap_or_default();
    let word: usize = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .map(char::len_utf8)
        .sum();
    let to = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let prefix = before.get(..at - word).unwrap_or_default();
    let mut out = Completion {
        word: Span::new(to(prefix.len()), to(at)),
        ..Completion::default()
    };
    let lexed = lex(prefix, 0, prefix.len());
    // In a comment or an open string nothing is offered.
    let end = to(prefix.len());
    let open = lexed
        .errors
        .iter()
        .any(|e| matches!(e.code, "E0011" | "E0012" | "E0013"))
        || lexed.comments.iter().any(|c| {
            let text = c.span.text(prefix);
            c.span.end == end && !(text.starts_with("/*") && text.ends_with("*/"))
        });
    if open {
        return out;
    }
    let tokens = join_words(prefix, &lexed.tokens);
    let (mut items, _) = layout(prefix, &tokens);
    let mut item = items.pop().map(|item| item.tokens).unwrap_or_default();
    let mut closers = Vec::new();
    while let Some(closer) = item.pop_if(|token| token.inserted) {
        closers.insert(0, closer);
    }
    // Where nothing is open an item could begin, too.
    let closed = balanced(&item);
    // A word is told from a name by what follows it: here the word that is being written.
    item.push(Token {
        tok: Tok::Ident,
        span: Span::new(end, end),
        column: NOT_FIRST,
        inserted: false,
    });
    let mut tokens = contextualise(prefix, &item);
    tokens.pop();
    let mut terminals = next(prefix, &lexed.names, &tokens, &closers);
    if closed {
        terminals.extend(next(prefix, &lexed.names, &[], &[]));
    }
    let first_on_line = prefix
        .rsplit('\n')
        .next()
        .is_some_and(|line| line.trim().is_empty());
    let head = tokens.get(head_index(&tokens)).map(|t| t.tok);
    out.test = head == Some(Tok::Test) && !closed;
    out.keywords = terminals
        .iter()
        // Classes of tokens, which have the names of types.
        .filter(|name| {
            !matches!(
                name.as_str(),
                "string" | "number" | "duration" | "regex" | "name"
            )
        })
        .filter_map(|name| keywords::lookup(name.strip_suffix(" (step)").unwrap_or(name)))
        .filter(|keyword| keyword.kind != KeywordKind::Item || first_on_line)
        .collect();
    out.keywords.sort_by_key(|keyword| keyword.name);
    out.keywords.dedup_by_key(|keyword| keyword.name);
    out.patterns = patterns(prefix, &tokens);
    let names = ["name", "outcome"].iter().any(|n| terminals.contains(*n));
    if names && !tokens.is_empty() {
        out.name = Some(wanted(prefix, &tokens, &out));
    }
    out
}

/// A word that no rule of the grammar takes.
const PROBE: Tok = Tok::Tools;

/// The terminals that can follow some tokens of an item: what the parser expects in place of a word that
/// nothing takes. Where brackets are open they are closed after it, so that the parser finds its way and tells.
fn next(
    source: &str,
    names: &std::collections::HashMap<u32, String>,
    tokens: &[Token],
    closers: &[Token],
) -> BTreeSet<String> {
    let mut cx = Cx::new(source, names);
    let end = u32::try_from(source.len()).unwrap_or(u32::MAX);
    let before = tokens.iter().map(|t| (t.span.start, t.tok, t.span.end));
    let after = closers.iter().map(|t| (end, t.tok, end));
    let stream = before
        .chain(std::iter::once((end, PROBE, end)))
        .chain(after)
        .map(Ok);
    if let Err(error) = grammar::ItemParser::new().parse(&mut cx, stream) {
        cx.unexpected(error);
    }
    cx.unexpected
        .iter()
        .filter(|unexpected| unexpected.tok == Some(PROBE))
        .flat_map(|unexpected| &unexpected.expected)
        .map(|name| name.trim_matches('"').to_owned())
        .collect()
}

fn balanced(tokens: &[Token]) -> bool {
    let mut depth = 0_i64;
    for token in tokens {
        if token.tok.opens() {
            depth += 1;
        } else if token.tok.closes() {
            depth -= 1;
        }
    }
    depth <= 0
}

/// What stands before the parentheses that are open at the end, the innermost first.
fn patterns(source: &str, tokens: &[Token]) -> Vec<PatternHead> {
    let mut out = Vec::new();
    let mut closed = 0;
    for (index, token) in tokens.iter().enumerate().rev() {
        if token.tok.closes() {
            closed += 1;
        } else if token.tok.opens() {
            if closed > 0 {
                closed -= 1;
            } else if token.tok == Tok::LParen
                && let Some(head) = head_before(source, tokens, index)
            {
                out.push(head);
            }
        }
    }
    out
}

/// `call a.b | c` before an index.
fn head_before(source: &str, tokens: &[Token], index: usize) -> Option<PatternHead> {
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut at = index;
    loop {
        let (path, start) = path_before(source, tokens, at)?;
        names.insert(0, path);
        at = start;
        match at.checked_sub(1).and_then(|i| tokens.get(i)).map(|t| t.tok) {
            Some(Tok::Pipe) => at -= 1,
            before => {
                let kind = match before {
                    Some(Tok::Call) => "call",
                    Some(Tok::Return) => "return",
                    Some(Tok::Success) => "success",
                    Some(Tok::Failure) => "failure",
                    Some(Tok::Unknown) => "unknown",
                    Some(Tok::Redirect) => "redirect",
                    _ => "",
                };
                return Some(PatternHead { kind, names });
            }
        }
    }
}

/// The dotted name that ends before an index, and the index of its first token.
fn path_before(source: &str, tokens: &[Token], end: usize) -> Option<(Vec<String>, usize)> {
    let mut parts = Vec::new();
    let mut at = end;
    loop {
        at = at.checked_sub(1)?;
        let token = tokens.get(at)?;
        let text = token.span.text(source);
        let is_name = token.tok == Tok::Ident || text.starts_with('`') || token.tok.is_word();
        if !is_name {
            return None;
        }
        parts.insert(0, text.trim_matches('`').to_owned());
        match at.checked_sub(1).and_then(|i| tokens.get(i)) {
            Some(dot) if dot.tok == Tok::Dot => at -= 1,
            _ => return Some((parts, at)),
        }
    }
}

fn wanted(source: &str, tokens: &[Token], completion: &Completion) -> Wanted {
    let last = tokens.last().map(|t| t.tok);
    let head = tokens.get(head_index(tokens)).map(|t| t.tok);
    let inner = completion.patterns.first();
    match last {
        Some(Tok::Dot) => {
            let path = path_before(source, tokens, tokens.len() - 1);
            return Wanted::Part(path.map(|(path, _)| path).unwrap_or_default());
        }
        Some(Tok::At) => return Wanted::Attribute,
        Some(Tok::For | Tok::By) => return Wanted::Contract,
        Some(Tok::Expect) => return Wanted::Outcome,
        Some(Tok::ForEach | Tok::Let | Tok::As | Tok::Every | Tok::Some) => return Wanted::New,
        Some(tok) if tok.takes_tool() => return Wanted::Tool,
        Some(Tok::Redirect | Tok::AnyExcept) => return Wanted::Tool,
        Some(Tok::Pipe)
            if !matches!(
                head,
                Some(Tok::Tool | Tok::Event | Tok::Lookup | Tok::Context)
            ) =>
        {
            return Wanted::Tool;
        }
        _ => {}
    }
    match head {
        Some(Tok::Group) if last != Some(Tok::Group) => Wanted::Tool,
        Some(Tok::Tool | Tok::Event | Tok::Lookup | Tok::Context) => match last {
            Some(Tok::Colon | Tok::Arrow | Tok::Pipe | Tok::Lt) => Wanted::Type,
            _ => Wanted::New,
        },
        Some(Tok::Predicate) => match (last, inner) {
            (Some(Tok::Colon), Some(_)) if !tokens.iter().any(|t| t.tok == Tok::Assign) => {
                Wanted::Type
            }
            (Some(Tok::Predicate | Tok::LParen | Tok::Comma), _)
                if !tokens.iter().any(|t| t.tok == Tok::Assign) =>
            {
                Wanted::New
            }
            _ => Wanted::Value,
        },
        Some(Tok::Contract | Tok::Module | Tok::Import | Tok::Include | Tok::Test)
            if tokens.len() == head_index(tokens) + 1 =>
        {
            Wanted::New
        }
        Some(Tok::Test) => match (last, inner) {
            (Some(Tok::LParen | Tok::Comma), Some(head)) if head.kind == "call" => {
                Wanted::Argument(head.names.first().cloned().unwrap_or_default())
            }
            _ => Wanted::Value,
        },
        _ => match (last, inner) {
            (Some(Tok::LParen | Tok::Comma), Some(head)) if head.kind == "redirect" => {
                Wanted::Argument(head.names.first().cloned().unwrap_or_default())
            }
            _ => Wanted::Value,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Completion {
        let offset = text.find('|').unwrap_or(text.len());
        let text = text.replacen('|', "", 1);
        complete(&text, u32::try_from(offset).unwrap_or(0))
    }

    fn keywords(text: &str) -> Vec<&'static str> {
        at(text).keywords.iter().map(|k| k.name).collect()
    }

    #[test]
    fn keywords_fit() {
        assert!(keywords("|").contains(&"contract"));
        assert_eq!(
            keywords("contract c { | }"),
            ["assume", "guarantee", "let", "otherwise"]
        );
        let formula = keywords("contract c { guarantee | }");
        assert!(
            formula.contains(&"never") && formula.contains(&"call"),
            "{formula:?}"
        );
        assert!(!formula.contains(&"and"), "{formula:?}");
        let after = keywords("contract c { guarantee call t on| }");
        assert!(
            after.contains(&"only after") && after.contains(&"at most"),
            "{after:?}"
        );
        assert!(!after.contains(&"call"), "{after:?}");
        assert!(keywords("contract c { otherwise | }").contains(&"block"));
        assert!(keywords("test \"t\" { | }").contains(&"call"));
        assert!(keywords("contract c { guarantee never call t }\n\n|").contains(&"test"));
    }

    #[test]
    fn nothing_in_texts() {
        for text in [
            "contract c { otherwise block \"a | b",
            "// a |\ncontract c {",
            "/* a |",
            "contract c { guarantee call t(a matches /x|",
        ] {
            let found = at(text);
            assert!(found.keywords.is_empty() && found.name.is_none(), "{text}");
        }
    }

    #[test]
    fn names_fit() {
        let part = |parts: &[&str]| {
            Some(Wanted::Part(
                parts.iter().map(|p| (*p).to_owned()).collect(),
            ))
        };
        for (text, expected) in [
            ("contract c { guarantee never call | }", Some(Wanted::Tool)),
            ("contract c { guarantee never call a | | }", None),
            ("contract c { guarantee never call a(|", Some(Wanted::Value)),
            (
                "contract c { guarantee never call a(args.|",
                part(&["args"]),
            ),
            (
                "contract c { guarantee never call a(args.to.n|",
                part(&["args", "to"]),
            ),
            ("contract c { guarantee {ctx.|} }", part(&["ctx"])),
            ("group g = { a, |", Some(Wanted::Tool)),
            ("tool t(a: |", Some(Wanted::Type)),
            ("tool |", Some(Wanted::New)),
            ("@|", Some(Wanted::Attribute)),
            ("test \"t\" for |", Some(Wanted::Contract)),
            (
                "test \"t\" { call pay(|",
                Some(Wanted::Argument(vec!["pay".to_owned()])),
            ),
            (
                "contract c { guarantee never call a otherwise redirect b(|",
                Some(Wanted::Argument(vec!["b".to_owned()])),
            ),
            ("contract |", Some(Wanted::New)),
        ] {
            assert_eq!(at(text).name, expected, "{text}");
        }
    }

    #[test]
    fn patterns_around() {
        let found = at("contract c { guarantee {count(call a.b | c(x == len(|").patterns;
        let names = |n: usize| found.get(n).map(|p| (p.kind, p.names.len()));
        // The bar of the test text is the first one: the alternatives are spelt with a second.
        assert_eq!(names(0), Some(("", 1)));
        let found = complete("contract c { guarantee {count(call a.b | c(x == len(", 52).patterns;
        let names: Vec<(&str, usize)> = found.iter().map(|p| (p.kind, p.names.len())).collect();
        assert_eq!(names, [("", 1), ("call", 2), ("", 1)]);
    }

    #[test]
    fn every_place_has_an_answer() {
        let text = "module m\ntool t(a: int) -> { b: string }\n@id(\"x\")\ncontract c for each k {\n  let l = call t(a == k)\n  guarantee l only after success t(args.a == k)\n  otherwise block \"no {a}\"\n}\ntest \"x\" for c { call t(a: 1) -> { b: \"\" } expect allow }\n";
        for offset in 0..=text.len() {
            let found = complete(text, u32::try_from(offset).unwrap_or(0));
            assert!(found.word.end as usize <= text.len());
        }
    }
}
