//! `textDocument/hover`.

use std::fmt::Write as _;

use ctr_front::symbols::{Symbol, SymbolKind};
use ctr_grammar::keywords;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::navigation::named;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// What stands at a position: what a name names, or what a keyword means.
///
/// # Errors
///
/// None.
pub(crate) fn hover(snapshot: &Snapshot, params: &HoverParams) -> Result<Option<Hover>, Failure> {
    let at = &params.text_document_position_params;
    let Some(document) = snapshot.document(&at.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    if let Some(named) = named(snapshot, at) {
        return Ok(Some(Hover {
            contents: markdown(of_symbol(named.symbol)),
            range: Some(places.range(named.mention.place.span)),
        }));
    }
    let offset = places.offset(at.position);
    let in_comment = document
        .parse()
        .comments
        .iter()
        .any(|comment| comment.span.start <= offset && offset < comment.span.end);
    if in_comment {
        return Ok(None);
    }
    let Some((start, end, keyword)) = keyword_at(&document.text, offset) else {
        return Ok(None);
    };
    Ok(Some(Hover {
        contents: markdown(format!("`{}`: {}", keyword.name, keyword.doc)),
        range: Some(places.range(ctr_grammar::Span::new(start, end))),
    }))
}

fn markdown(value: String) -> HoverContents {
    HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    })
}

/// A line that says what it is, then what is written about it.
fn of_symbol(symbol: &Symbol) -> String {
    let kind = match symbol.kind {
        SymbolKind::Contract => "contract",
        SymbolKind::Predicate => "predicate",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Let => "let",
        SymbolKind::Key => "key",
        SymbolKind::Variable => "variable",
        SymbolKind::Event => "event",
        SymbolKind::EventField => "field",
        SymbolKind::Lookup => "lookup",
        SymbolKind::Context => "context",
        SymbolKind::Tool => "tool",
        SymbolKind::Argument => "argument",
        SymbolKind::ResultField => "result field",
        SymbolKind::Group => "group",
        SymbolKind::Module => "imported file",
    };
    let mut out = format!("{kind} `{}`", symbol.name);
    if let Some(ty) = &symbol.ty {
        let _ = write!(out, ": `{}`", ctr_front::check::type_name(ty));
    }
    if let Some(owner) = &symbol.owner {
        let _ = write!(out, " of `{owner}`");
    }
    if symbol.kind == SymbolKind::Tool && symbol.definitions.is_empty() {
        out.push_str(", not declared");
    }
    if let Some(doc) = &symbol.doc {
        let _ = write!(out, "\n\n{}", doc.trim());
    }
    out
}

/// The keyword at a place, the longest one: `only after` rather than `after`.
fn keyword_at(text: &str, offset: u32) -> Option<(u32, u32, &'static keywords::Keyword)> {
    let at = text.floor_char_boundary(offset as usize);
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '_';
    // The words of the line, with where they stand.
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(line_start..)?.split('\n').next()?;
    let mut words: Vec<(usize, &str)> = Vec::new();
    for word in line
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
    {
        // Slices of one text: their distance is where the word stands.
        let from = (word.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        words.push((line_start + from, word));
    }
    let here = words
        .iter()
        .position(|(start, word)| *start <= at && at <= start + word.len())?;
    for length in (1..=3).rev() {
        for first in (0..=here).rev() {
            let Some(run) = words.get(first..first + length) else {
                continue;
            };
            if first + length <= here {
                break;
            }
            let (start, end) = match (run.first(), run.last()) {
                (Some(a), Some(b)) => (a.0, b.0 + b.1.len()),
                _ => continue,
            };
            let name = run
                .iter()
                .map(|(_, word)| *word)
                .collect::<Vec<_>>()
                .join(" ");
            // Only white space may stand between the words.
            let apart = text
                .get(start..end)?
                .split(is_word)
                .any(|gap| !gap.trim().is_empty());
            if !apart && let Some(keyword) = keywords::lookup(&name) {
                let to = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                return Some((to(start), to(end), keyword));
            }
        }
    }
    None
}
