//! `textDocument/hover`.

pub(crate) mod settings;
pub(crate) mod symbol;
pub(crate) mod text;
pub(crate) mod types;
pub(crate) mod words;

use ctr_front::symbols::SymbolKind;
use ctr_grammar::meanings::word_of;
use ctr_grammar::{CommentKind, Span, Spot, SpotKind, Spots, spots};
use lsp_types::{ClientCapabilities, Hover, HoverContents, HoverParams, MarkupKind};

use super::codes;
use super::completion::settings::is_settings;
use super::navigation::named;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use symbol::About;
use text::Text;

/// What stands at a position: what a name names, what a word of the language means.
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
    let offset = places.offset(at.position);
    let mut out = Text::new(kind(&snapshot.client));
    let found = if is_settings(document) {
        settings::hover(&document.text, offset, &mut out)
    } else if let Some(named) = named(snapshot, at) {
        let about = About {
            analysis: named.analysis,
            symbols: named.symbols,
            symbol: named.symbol,
            mention: Some(named.mention),
        };
        about.write(&mut out);
        Some(named.mention.place.span)
    } else {
        let spots = spots(&document.text);
        of_token(&document.text, &spots, offset, &mut out)
    };
    let contents = out.finish();
    Ok(found
        .filter(|_| !contents.value.is_empty())
        .map(|span| Hover {
            contents: HoverContents::Markup(contents),
            range: Some(places.range(span)),
        }))
}

/// In what the client shows hovers.
fn kind(client: &ClientCapabilities) -> MarkupKind {
    let formats = client
        .text_document
        .as_ref()
        .and_then(|text| text.hover.as_ref())
        .and_then(|hover| hover.content_format.as_ref());
    markup(formats)
}

/// Markdown where it is among some formats, else plain text.
pub(crate) fn markup(formats: Option<&Vec<MarkupKind>>) -> MarkupKind {
    match formats {
        Some(formats) if formats.contains(&MarkupKind::Markdown) => MarkupKind::Markdown,
        _ => MarkupKind::PlainText,
    }
}

/// What a token that is no name of the policy's means; its span.
fn of_token(text: &str, spots: &Spots, offset: u32, out: &mut Text) -> Option<Span> {
    if let Some(comment) = spots.comment(offset) {
        return match comment.kind {
            CommentKind::Line => code_at(text, comment.span, offset, out),
            _ => None,
        };
    }
    let index = spots.at(offset)?;
    let Spot { span, kind } = *spots.tokens.get(index)?;
    let written = span.text(text);
    match kind {
        SpotKind::Keyword(keyword) => words::keyword(keyword, out),
        SpotKind::Word(kind) => words::word(word_of(kind, written)?, out),
        SpotKind::Duration(nanos) => words::duration(written, nanos, out),
        SpotKind::Number => words::number(written, out),
        SpotKind::Regex => words::regex(written, out),
        SpotKind::Name => return module_at(text, spots, index, out),
        SpotKind::Text | SpotKind::Punctuation | SpotKind::Unreadable => return None,
    }
    Some(span)
}

/// The name of a module of the library, in an import.
fn module_at(text: &str, spots: &Spots, index: usize, out: &mut Text) -> Option<Span> {
    let token = |i: usize| spots.tokens.get(i);
    let part = |spot: &Spot| spot.kind == SpotKind::Name || spot.span.text(text) == ".";
    let mut first = index;
    while let Some(before) = first.checked_sub(1).filter(|i| token(*i).is_some_and(part)) {
        first = before;
    }
    let lead = first.checked_sub(1).and_then(token)?;
    if !matches!(lead.span.text(text), "import" | "include") {
        return None;
    }
    let mut last = index;
    while token(last + 1).is_some_and(part) {
        last += 1;
    }
    let span = token(first)?.span.to(token(last)?.span);
    let module = ctr_stdlib::module(span.text(text))?;
    of_module(module, out);
    Some(span)
}

/// A module of the library: what it says of itself.
pub(crate) fn of_module(module: &ctr_stdlib::Module, out: &mut Text) {
    out.code(&format!("import {}", module.name));
    if let Some(doc) = ctr_grammar::parse(module.text).file.doc {
        out.paragraph(&doc);
    }
    out.paragraph("Comes with the compiler.");
}

/// The code in a comment that allows a warning.
fn code_at(text: &str, comment: Span, offset: u32, out: &mut Text) -> Option<Span> {
    let whole = comment.text(text);
    if !whole.get(2..)?.trim_start().starts_with("ctrc:") {
        return None;
    }
    let at = (offset - comment.start) as usize;
    let at = whole.floor_char_boundary(at);
    let letters = |c: char| c.is_ascii_alphanumeric();
    let before = whole.get(..at)?;
    let start = before.len() - (before.len() - before.trim_end_matches(letters).len());
    let after = whole.get(at..)?;
    let end = at + (after.len() - after.trim_start_matches(letters).len());
    let doc = codes::find(whole.get(start..end)?)?;
    words::diagnostic(doc, out);
    let to = |n: usize| comment.start + u32::try_from(n).unwrap_or(u32::MAX);
    Some(Span::new(to(start), to(end)))
}

/// Whether a symbol is told by its declaration alone, in a list of candidates.
pub(crate) fn is_local(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Key | SymbolKind::Let | SymbolKind::Parameter | SymbolKind::Variable
    )
}
