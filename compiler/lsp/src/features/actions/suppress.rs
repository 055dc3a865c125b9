//! Comments that allow a warning where it stands.

use std::collections::BTreeSet;

use ctr_front::diagnostic::Severity;
use ctr_grammar::ast::ItemKind;
use ctr_grammar::{CommentKind, Span};
use lsp_types::CodeActionKind;

use super::edit::{Edits, indent, is_first, line_end, line_start};
use super::{Ask, Offer};
use crate::diagnostics::Converter;

/// What stands for the reason until the author writes one. It is none, which is told until then.
const REASON: &str = "because ...";

pub(super) fn offer(ask: &Ask<'_>, converter: &Converter<'_>, out: &mut Vec<Offer>) {
    let mut seen = BTreeSet::new();
    for found in ask.findings {
        let place = found.primary.place;
        let is_allowable = found.code.starts_with('W')
            // What is said of such comments, and of settings, is no more allowed by one.
            && !found.code.starts_with("W08")
            && found.severity != Severity::Note;
        if !is_allowable || place.source != ask.source || !ask.touches(place.span) {
            continue;
        }
        let line = line_start(ask.text(), place.span.start);
        if !seen.insert((line, found.code)) {
            continue;
        }
        let Some(edits) = allowing(ask, found.code, place.span.start) else {
            continue;
        };
        if ask.parses(&edits) {
            let title = format!("allow `{}` here, with a reason", found.code);
            out.push(
                Offer::new(title, CodeActionKind::QUICKFIX, edits).about(converter.convert(found)),
            );
        }
    }
}

/// The change that allows a code at a place: in a comment that covers it already, on a line before it, or at the end
/// of its line.
fn allowing(ask: &Ask<'_>, code: &str, at: u32) -> Option<Edits> {
    let text = ask.text();
    let start = line_start(text, at);
    let line = Span::new(start, line_end(text, at));
    let comments = &ask.parse().comments;
    let own = comments.iter().find(|comment| {
        comment.kind == CommentKind::Line
            && line.start <= comment.span.start
            && comment.span.end <= line.end
    });
    if let Some(at) = own.and_then(|comment| list_end(text, comment.span)) {
        return Some(vec![(Span::new(at, at), format!(", {code}"))]);
    }
    let first = next(ask, line.start);
    if first <= at && covers(ask, first, at) {
        // The comment on the line before, if it is one that allows something.
        let above = comments.iter().find(|comment| {
            comment.kind == CommentKind::Line
                && is_first(text, comment.span.start)
                && Span::new(comment.span.end, start)
                    .text(text)
                    .trim_matches([' ', '\t'])
                    .chars()
                    .all(|c| matches!(c, '\r' | '\n'))
                && comment.span.end < start
                && Span::new(comment.span.end, start)
                    .text(text)
                    .matches('\n')
                    .count()
                    <= 1
        });
        if let Some(at) = above.and_then(|comment| list_end(text, comment.span)) {
            return Some(vec![(Span::new(at, at), format!(", {code}"))]);
        }
        let inside = comments
            .iter()
            .any(|comment| comment.span.start < start && start < comment.span.end);
        if inside {
            return None;
        }
        let comment = format!("{}// ctrc: allow({code}) {REASON}\n", indent(text, at));
        return Some(vec![(Span::new(start, start), comment)]);
    }
    if own.is_some() {
        return None;
    }
    let inside = comments
        .iter()
        .any(|comment| comment.span.start <= line.end && line.end < comment.span.end);
    let end = Span::new(line.end, line.end);
    (!inside).then(|| vec![(end, format!(" // ctrc: allow({code}) {REASON}"))])
}

/// Where the next word stands, past white space and comments: what a comment on a line of its own is about.
fn next(ask: &Ask<'_>, from: u32) -> u32 {
    let text = ask.text();
    let mut at = from;
    let comments = &ask.parse().comments;
    let mut comments = comments.iter().skip_while(|c| c.span.start < from);
    loop {
        let rest = text.get(at as usize..).unwrap_or_default();
        at += super::length(rest) - super::length(rest.trim_start());
        match comments.next() {
            Some(comment) if comment.span.start == at => at = comment.span.end,
            _ => return at,
        }
    }
}

/// Whether a comment before the line whose first word is at `first` covers a place of that line: it covers the
/// item, clause or step that begins there, else the line.
fn covers(ask: &Ask<'_>, first: u32, at: u32) -> bool {
    let mut begins = false;
    for item in &ask.parse().file.items {
        let parts: Vec<Span> = match &item.kind {
            ItemKind::Contract(contract) => contract.clauses.iter().map(|c| c.span).collect(),
            ItemKind::Test(test) => test.steps.iter().map(|s| s.span).collect(),
            _ => Vec::new(),
        };
        // An item also begins after each of its attributes.
        let attributes = item.attributes.iter();
        let rests =
            attributes.map(|attribute| Span::new(next(ask, attribute.span.end), item.span.end));
        for span in parts.into_iter().chain(rests).chain([item.span]) {
            if span.start == first {
                begins = true;
                if at < span.end || at == first {
                    return true;
                }
            }
        }
    }
    !begins
}

/// Where the list of a comment that allows something ends.
fn list_end(text: &str, comment: Span) -> Option<u32> {
    let written = comment.text(text);
    let rest = written.strip_prefix("//")?.trim_start();
    let list = rest
        .strip_prefix("ctrc:")?
        .trim_start()
        .strip_prefix("allow")?
        .trim_start()
        .strip_prefix('(')?;
    let (codes, _) = list.split_once(')')?;
    let inner = codes.trim_end();
    // A list that names nothing, or ends in a comma, is not gone on with.
    if inner.is_empty() || inner.ends_with(',') {
        return None;
    }
    let before = super::length(written) - super::length(list);
    Some(comment.start + before + super::length(inner))
}
