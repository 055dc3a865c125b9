//! Texts, trees and changes.

use ctr_grammar::Span;
use ctr_grammar::ast::{Clause, ClauseKind, Contract, Expr};
use ctr_grammar::walk;

/// Changes of one text: they do not overlap, in whatever order.
pub(super) type Edits = Vec<(Span, String)>;

/// A text with changes made; `None` where they do not fit it or each other.
pub(crate) fn applied(text: &str, edits: &[(Span, String)]) -> Option<String> {
    let mut ordered: Vec<&(Span, String)> = edits.iter().collect();
    ordered.sort_by_key(|(span, _)| *span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in ordered {
        out.push_str(text.get(at..span.start as usize)?);
        out.push_str(&in_line_ends_of(text, new));
        at = span.end as usize;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// A new text with the line ends of the text that it goes into: those of its first line.
pub(crate) fn in_line_ends_of(text: &str, new: &str) -> String {
    let line = text.find('\n').and_then(|at| text.get(..at));
    if line.is_some_and(|line| line.ends_with('\r')) && new.contains('\n') {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    }
}

/// Where the line of a place begins.
pub(super) fn line_start(text: &str, at: u32) -> u32 {
    let before = text.get(..at as usize).unwrap_or_default();
    before
        .rfind(['\n', '\r'])
        .and_then(|end| u32::try_from(end + 1).ok())
        .unwrap_or(0)
}

/// Where the line of a place ends, before its line end.
pub(super) fn line_end(text: &str, at: u32) -> u32 {
    let after = text.get(at as usize..).unwrap_or_default();
    at + super::length(after.split(['\n', '\r']).next().unwrap_or_default())
}

/// The white space at the head of the line of a place.
pub(super) fn indent(text: &str, at: u32) -> &str {
    let line = Span::new(line_start(text, at), at).text(text);
    let white = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..white).unwrap_or_default()
}

/// Whether only white space stands before a place in its line.
pub(super) fn is_first(text: &str, at: u32) -> bool {
    Span::new(line_start(text, at), at)
        .text(text)
        .trim()
        .is_empty()
}

/// What goes where a node goes: its whole lines if nothing else stands there, else the node with the space before it.
pub(super) fn removal(text: &str, span: Span) -> Span {
    let end = line_end(text, span.end);
    let rest = Span::new(span.end, end).text(text);
    if is_first(text, span.start) && rest.trim().is_empty() {
        let tail = text.get(end as usize..).unwrap_or_default();
        let line_end = if tail.starts_with("\r\n") {
            2
        } else {
            u32::from(tail.starts_with(['\n', '\r']))
        };
        return Span::new(line_start(text, span.start), end + line_end);
    }
    let before = text.get(..span.start as usize).unwrap_or_default();
    let white = before.len() - before.trim_end_matches([' ', '\t']).len();
    Span::new(
        span.start - u32::try_from(white).unwrap_or(0).min(span.start),
        span.end,
    )
}

/// The expression of a clause, if it has one.
pub(super) fn expression(clause: &Clause) -> Option<&Expr> {
    match &clause.kind {
        ClauseKind::Let(_, e) | ClauseKind::Assume(e) | ClauseKind::Guarantee(e) => Some(e),
        ClauseKind::Otherwise(_) | ClauseKind::Error => None,
    }
}

/// The expressions around a range, the outermost first.
pub(super) fn way(contract: &Contract, range: Span) -> Vec<&Expr> {
    let has = |expr: &Expr| expr.span.start <= range.start && range.end <= expr.span.end;
    let mut out = Vec::new();
    let mut at = contract
        .clauses
        .iter()
        .filter_map(expression)
        .find(|expr| has(expr));
    while let Some(expr) = at {
        out.push(expr);
        at = walk::children(expr).into_iter().find(|child| has(child));
    }
    out
}

/// The words of a text, comments and white space apart.
pub(super) fn words(text: &str) -> Vec<&str> {
    ctr_grammar::lexemes(text)
        .tokens
        .iter()
        .map(|span| span.text(text))
        .collect()
}

/// `name`, or `name_2` and so on where it is taken.
pub(super) fn fresh(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    std::iter::once(name.to_owned())
        .chain((2..).map(|n| format!("{name}_{n}")))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn changes_in_any_order() {
        let edits = vec![
            (Span::new(4, 5), "C".to_owned()),
            (Span::new(0, 1), String::new()),
            (Span::new(2, 2), "x\n".to_owned()),
        ];
        assert_eq!(applied("a b", &edits), None, "past the end");
        assert_eq!(applied("a b c\r\n", &edits).unwrap(), " x\r\nb C\r\n");
        let overlapping = vec![
            (Span::new(0, 2), String::new()),
            (Span::new(1, 3), String::new()),
        ];
        assert_eq!(applied("abc", &overlapping), None);
    }

    #[test]
    fn what_goes_with_a_node() {
        let text = "a\n  let x = 1\n  b";
        assert_eq!(removal(text, Span::new(4, 13)), Span::new(2, 14));
        assert_eq!(removal("a  let x b", Span::new(3, 8)), Span::new(1, 8));
        assert_eq!(removal("let x", Span::new(0, 5)), Span::new(0, 5));
        assert_eq!(removal("let x\r\ny", Span::new(0, 5)), Span::new(0, 7));
        assert_eq!(indent("a\n\t b", 4), "\t ");
    }
}
