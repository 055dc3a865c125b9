//! Which parentheses a place is in, read from the lexemes before it: a text that is being written has no tree there.

use ctr_grammar::keywords::KeywordKind;
use ctr_grammar::{Lexeme, LexemeKind};

/// What a place is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place<'t> {
    pub(super) head: Head<'t>,
    /// How many commas stand before the place.
    pub(super) commas: u32,
    /// The names that each argument before the place begins with, the last one being written.
    pub(super) names: Vec<Option<&'t str>>,
}

/// What stands before the parenthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head<'t> {
    /// `call a | server.b`, `success a`, a step of a test, `redirect a`.
    Pattern {
        keyword: &'t str,
        tools: Vec<Vec<&'t str>>,
    },
    /// `@severity`
    Attribute(&'t str),
    /// A predicate, lookup, event, function or aggregate.
    Name(Vec<&'t str>),
    /// `input`, `output`
    Message(&'t str),
    /// A bound is written: `within`, `at most`, ...
    Bound(String),
}

/// What a byte offset is in; the innermost parentheses that something stands before.
pub(super) fn at<'t>(text: &'t str, lexemes: &[Lexeme], offset: u32) -> Option<Place<'t>> {
    let before = lexemes.partition_point(|lexeme| lexeme.span.start < offset);
    let lexemes = lexemes.get(..before)?;
    if let Some(bound) = bound(text, lexemes, offset) {
        return Some(bound);
    }
    // The brackets that are open, by where they stand.
    let mut open: Vec<usize> = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        let word = lexeme.span.text(text);
        match lexeme.kind {
            LexemeKind::Keyword(KeywordKind::Item) if begins_line(text, lexeme) => open.clear(),
            // A clause stands in no parentheses: those before it were left open.
            LexemeKind::Keyword(KeywordKind::Clause) => {
                open.retain(|at| is(text, lexemes, *at, "{"))
            }
            LexemeKind::Punctuation => match word {
                "(" | "[" | "{" => open.push(index),
                ")" | "]" | "}" => {
                    let opener = match word {
                        ")" => "(",
                        "]" => "[",
                        _ => "{",
                    };
                    // The end of the parenthesis is still in it as long as the place stands before it.
                    if let Some(at) = open.iter().rposition(|at| is(text, lexemes, *at, opener)) {
                        open.truncate(at);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    open.iter().rev().find_map(|at| {
        if !is(text, lexemes, *at, "(") {
            return None;
        }
        let head = head(text, lexemes, *at)?;
        let names = names(text, lexemes.get(at + 1..)?);
        Some(Place {
            head,
            commas: u32::try_from(names.len().saturating_sub(1)).unwrap_or(u32::MAX),
            names,
        })
    })
}

fn is(text: &str, lexemes: &[Lexeme], at: usize, word: &str) -> bool {
    lexemes
        .get(at)
        .is_some_and(|lexeme| lexeme.span.text(text) == word)
}

fn begins_line(text: &str, lexeme: &Lexeme) -> bool {
    let before = text.get(..lexeme.span.start as usize).unwrap_or_default();
    before
        .rsplit('\n')
        .next()
        .is_some_and(|line| line.trim().is_empty())
}

/// The name that each argument begins with, `args.` and its like apart.
fn names<'t>(text: &'t str, inside: &[Lexeme]) -> Vec<Option<&'t str>> {
    let mut out = vec![None];
    let mut depth = 0_usize;
    for lexeme in inside {
        let word = lexeme.span.text(text);
        match (lexeme.kind, word) {
            (LexemeKind::Punctuation, "(" | "[" | "{") => depth += 1,
            (LexemeKind::Punctuation, ")" | "]" | "}") => depth = depth.saturating_sub(1),
            (LexemeKind::Punctuation, ",") if depth == 0 => out.push(None),
            (LexemeKind::Name, "args" | "result") => {}
            (LexemeKind::Name, name) => {
                if let Some(last) = out.last_mut()
                    && last.is_none()
                {
                    *last = Some(name.trim_matches('`'));
                }
            }
            _ => {}
        }
    }
    out
}

/// A dotted name that ends before `end`, and where it begins.
fn path<'t>(text: &'t str, lexemes: &[Lexeme], end: usize) -> Option<(Vec<&'t str>, usize)> {
    let mut parts = Vec::new();
    let mut at = end;
    loop {
        at = at.checked_sub(1)?;
        let lexeme = lexemes.get(at)?;
        if lexeme.kind != LexemeKind::Name {
            return None;
        }
        parts.insert(0, lexeme.span.text(text).trim_matches('`').trim());
        match at.checked_sub(1) {
            Some(dot) if is(text, lexemes, dot, ".") => at = dot,
            _ => return Some((parts, at)),
        }
    }
}

fn head<'t>(text: &'t str, lexemes: &[Lexeme], opener: usize) -> Option<Head<'t>> {
    let last = lexemes.get(opener.checked_sub(1)?)?;
    let word = last.span.text(text);
    if matches!(last.kind, LexemeKind::Keyword(_)) {
        return matches!(word, "input" | "output").then_some(Head::Message(word));
    }
    let (mut parts, mut at) = path(text, lexemes, opener)?;
    let mut tools = vec![parts.clone()];
    while let Some(bar) = at.checked_sub(1).filter(|bar| is(text, lexemes, *bar, "|")) {
        let (more, start) = path(text, lexemes, bar)?;
        tools.insert(0, more);
        at = start;
    }
    let before = at.checked_sub(1).and_then(|before| lexemes.get(before));
    let Some(before) = before else {
        return Some(Head::Name(parts));
    };
    let keyword = before.span.text(text);
    match (before.kind, keyword) {
        (LexemeKind::Punctuation, "@") => Some(Head::Attribute(parts.pop()?)),
        (
            LexemeKind::Keyword(_),
            "call" | "return" | "success" | "failure" | "unknown" | "redirect",
        ) => Some(Head::Pattern { keyword, tools }),
        // What is declared here has its parameters in these very parentheses.
        (LexemeKind::Keyword(KeywordKind::Item), _) => None,
        _ => Some(Head::Name(parts)),
    }
}

/// Whether a bound is being written: the word that wants it, or a number that the place is at the end of.
fn bound<'t>(text: &'t str, lexemes: &[Lexeme], offset: u32) -> Option<Place<'t>> {
    let mut rest = lexemes;
    if let [before @ .., last] = rest
        && matches!(last.kind, LexemeKind::Number | LexemeKind::Duration)
        && last.span.end >= offset
    {
        rest = before;
    }
    let last = rest.last()?;
    let LexemeKind::Keyword(_) = last.kind else {
        return None;
    };
    if last.span.end >= offset {
        return None;
    }
    let second = rest
        .len()
        .checked_sub(2)
        .and_then(|at| rest.get(at))
        .map_or("", |lexeme| lexeme.span.text(text));
    let word = match (second, last.span.text(text)) {
        ("at", "most") => "at most",
        ("at", "least") => "at least",
        (_, word @ ("within" | "exactly")) => word,
        _ => return None,
    };
    Some(Place {
        head: Head::Bound(word.to_owned()),
        commas: 0,
        names: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// The place at `^`.
    fn found(text: &str) -> String {
        let at = text.find('^').unwrap();
        let whole = text.replace('^', "");
        let lexemes = ctr_grammar::classify(&whole);
        match super::at(&whole, &lexemes, u32::try_from(at).unwrap()) {
            Some(place) => {
                let head = match place.head {
                    Head::Pattern { keyword, tools } => {
                        let tools: Vec<String> = tools.iter().map(|t| t.join(".")).collect();
                        format!("{keyword} {}", tools.join("|"))
                    }
                    Head::Attribute(name) => format!("@{name}"),
                    Head::Name(parts) => parts.join("."),
                    Head::Message(word) => word.to_owned(),
                    Head::Bound(word) => format!("{word} .."),
                };
                let last = place.names.last().copied().flatten().unwrap_or("-");
                format!("{head} {} {last}", place.commas)
            }
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn the_innermost_parentheses_with_a_name() {
        for (text, wanted) in [
            ("contract c { guarantee call pay(^", "call pay 0 -"),
            ("contract c { guarantee call pay^(", "nothing"),
            (
                "contract c { guarantee call pay(a == 1, args.b^",
                "call pay 1 b",
            ),
            (
                "contract c { guarantee call pay(a == f(1, 2), (b^) or x",
                "call pay 1 b",
            ),
            (
                "contract c { guarantee call pay(a in [1, 2, ^",
                "call pay 0 a",
            ),
            ("contract c { guarantee call pay(a == 1) ^", "nothing"),
            (
                "contract c { guarantee call s.pay | `b-c`(^)",
                "call s.pay|b-c 0 -",
            ),
            (
                "contract c { let x = latest(success pay(a == 1), ^",
                "latest 1 -",
            ),
            (
                "contract c { let x = latest(success pay(a == 1, ^), 2)",
                "success pay 1 -",
            ),
            (
                "contract c { guarantee d.response(call a, \u{a3}\u{1f600} ^",
                "d.response 1 -",
            ),
            ("@severity(^", "@severity 0 -"),
            ("contract c { guarantee input(^", "input 0 -"),
            ("tool pay(^", "nothing"),
            ("predicate p(a: event^", "nothing"),
            ("test \"t\" { call pay(a: 1, ^", "call pay 1 -"),
            (
                "contract c { otherwise redirect pay(a: ^",
                "redirect pay 0 a",
            ),
            // What was left open before.
            (
                "contract c { guarantee call pay(a == (1\n  guarantee ^",
                "nothing",
            ),
            (
                "contract c { guarantee call pay(a == (1\n}\ncontract d { guarantee call x(^",
                "call x 0 -",
            ),
            (
                "contract c { guarantee call a leads to call b within ^",
                "within .. 0 -",
            ),
            (
                "contract c { guarantee call a leads to call b within 3^",
                "within .. 0 -",
            ),
            (
                "contract c { guarantee call a leads to call b within 3 ^",
                "nothing",
            ),
            ("contract c { guarantee call a at most ^", "at most .. 0 -"),
            ("contract c { guarantee call a at mos^", "nothing"),
            ("^", "nothing"),
        ] {
            assert_eq!(found(text), wanted, "{text}");
        }
    }
}
