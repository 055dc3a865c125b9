//! The changes that findings offer.

use std::collections::BTreeMap;

use ctr_front::diagnostic::{Diagnostic, Fix};
use ctr_front::ir::SourceId;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};

use super::edit::in_line_ends_of;
use super::{Ask, workspace_edit};
use crate::diagnostics::Converter;
use crate::overlay;

/// Those of the findings in the range. Of each finding the first that is safe is preferred.
pub(super) fn all(ask: &Ask<'_>, converter: &Converter<'_>) -> Vec<CodeAction> {
    let mut out = Vec::new();
    for found in ask.findings {
        let place = found.primary.place;
        if place.source != ask.source || !ask.touches(place.span) {
            continue;
        }
        let mut preferred = false;
        for fix in &found.fixes {
            if let Some(mut action) = action(ask, converter, found, fix) {
                action.is_preferred = Some(fix.safe && !preferred);
                preferred |= fix.safe;
                out.push(action);
            }
        }
    }
    out
}

fn action(
    ask: &Ask<'_>,
    converter: &Converter<'_>,
    found: &Diagnostic,
    fix: &Fix,
) -> Option<CodeAction> {
    let mut files: BTreeMap<u32, Vec<TextEdit>> = BTreeMap::new();
    for (place, new) in &fix.edits {
        let text = ask.analysis.text(place.source)?;
        let edit = TextEdit {
            range: converter.places(place.source)?.range(place.span),
            new_text: in_line_ends_of(text, new),
        };
        files.entry(place.source.0).or_default().push(edit);
    }
    let mut changes = Vec::new();
    for (source, edits) in files {
        let path = ask.analysis.path(SourceId(source))?;
        // What comes with the compiler, and schemas, are not the author's to change.
        if !ask.analysis.is_policy(path) {
            return None;
        }
        let document = ask.snapshot.documents.get(&overlay::canonical(path));
        let version = document.map(|document| document.version);
        changes.push((ask.snapshot.uri_of(path)?, version, edits));
    }
    if changes.is_empty() {
        return None;
    }
    Some(CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: converter.convert(found).map(|d| vec![d]),
        edit: Some(workspace_edit(ask.snapshot, changes)),
        ..CodeAction::default()
    })
}
