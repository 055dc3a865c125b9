//! `source.organizeImports`: imports that nothing uses go, the others are sorted.

use ctr_grammar::Span;
use ctr_grammar::ast::{Item, ItemKind, ModuleRef};
use lsp_types::CodeActionKind;

use super::edit::{Edits, is_first, line_end, removal};
use super::{Ask, Offer};

/// The finding of an import that nothing uses.
const UNUSED: &str = "W0414";

pub(super) fn offer(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let text = ask.text();
    let parse = ask.parse();
    let unused: Vec<Span> = ask
        .analysis
        .compiled
        .diagnostics
        .iter()
        .filter(|found| found.code == UNUSED && found.primary.place.source == ask.source)
        .map(|found| found.primary.place.span)
        .collect();
    let mut edits = Edits::new();
    let mut run: Vec<&Item> = Vec::new();
    for item in &parse.file.items {
        if !matches!(item.kind, ItemKind::Import(_)) || !stands_alone(ask, item) {
            sort(text, &std::mem::take(&mut run), &mut edits);
            continue;
        }
        let is_unused = unused
            .iter()
            .any(|span| item.span.start <= span.start && span.end <= item.span.end);
        if is_unused {
            edits.push((removal(text, item.span), String::new()));
        }
        // Only what stands line by line is one list; an empty line or a comment ends it.
        let follows = run.last().is_none_or(|last: &&Item| {
            let gap = Span::new(last.span.end, item.span.start).text(text);
            gap.trim().is_empty() && gap.matches('\n').count() == 1
        });
        if !follows {
            sort(text, &std::mem::take(&mut run), &mut edits);
        }
        if !is_unused {
            run.push(item);
        } else {
            sort(text, &std::mem::take(&mut run), &mut edits);
        }
    }
    sort(text, &run, &mut edits);
    if !edits.is_empty() && ask.is_sound(&edits, None) {
        out.push(Offer::new(
            "sort the imports and leave unused ones out",
            CodeActionKind::SOURCE_ORGANIZE_IMPORTS,
            edits,
        ));
    }
}

/// Whether an import has its line for itself, without documentation or a comment.
fn stands_alone(ask: &Ask<'_>, item: &Item) -> bool {
    let text = ask.text();
    let line = Span::new(item.span.start, line_end(text, item.span.end));
    item.doc.is_none()
        && item.attributes.is_empty()
        && is_first(text, item.span.start)
        && line.text(text).trim_end() == item.span.text(text)
        && !ask.has_comment(line)
}

/// Puts imports in order: those of the compiler, modules by name, then files.
fn sort(text: &str, run: &[&Item], edits: &mut Edits) {
    let mut sorted = run.to_vec();
    sorted.sort_by_cached_key(|item| key(text, item));
    for (place, item) in run.iter().zip(&sorted) {
        if place.span != item.span {
            edits.push((place.span, item.span.text(text).to_owned()));
        }
    }
}

fn key(text: &str, item: &Item) -> (u8, String) {
    let ItemKind::Import(import) = &item.kind else {
        return (3, String::new());
    };
    match &import.target {
        ModuleRef::Name(path) => {
            let std = path.parts.first().is_some_and(|part| part.name == "std");
            (u8::from(!std), path.span.text(text).to_owned())
        }
        ModuleRef::File(file) => (2, file.value.clone()),
    }
}
