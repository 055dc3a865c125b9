//! `textDocument/codeAction`: the changes that findings offer.

use ctr_front::diagnostic::{Diagnostic, Fix};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    WorkspaceEdit,
};
use std::collections::BTreeMap;

use crate::diagnostics::Converter;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};

/// The changes that mend the findings in a range. One that is safe is preferred.
///
/// # Errors
///
/// None.
pub(crate) fn actions(
    snapshot: &Snapshot,
    params: &CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let wanted = params.context.only.as_ref().is_none_or(|only| {
        only.iter()
            .any(|kind| CodeActionKind::QUICKFIX.as_str().starts_with(kind.as_str()))
    });
    let Some(analysis) = snapshot.of_document(document).filter(|_| wanted) else {
        return Ok(None);
    };
    let Some(source) = analysis.source_of(document) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let (from, to) = (
        places.offset(params.range.start),
        places.offset(params.range.end),
    );
    let texts = analysis.places(snapshot.encoding);
    let converter = Converter {
        snapshot,
        sources: &analysis.compiled.graph.sources,
        places: &texts,
    };
    let mut out = Vec::new();
    for diagnostic in &analysis.compiled.diagnostics {
        let place = diagnostic.primary.place;
        if place.source != source || place.span.end < from || to < place.span.start {
            continue;
        }
        for fix in &diagnostic.fixes {
            if let Some(action) = action(snapshot, analysis, &converter, diagnostic, fix) {
                out.push(CodeActionOrCommand::CodeAction(action));
            }
        }
    }
    Ok(Some(out))
}

fn action(
    snapshot: &Snapshot,
    analysis: &Analysis,
    converter: &Converter<'_>,
    diagnostic: &Diagnostic,
    fix: &Fix,
) -> Option<CodeAction> {
    let mut files: BTreeMap<u32, Vec<OneOf<TextEdit, lsp_types::AnnotatedTextEdit>>> =
        BTreeMap::new();
    for (place, text) in &fix.edits {
        let places = converter.places.get(place.source.0 as usize)?;
        files
            .entry(place.source.0)
            .or_default()
            .push(OneOf::Left(TextEdit {
                range: places.range(place.span),
                new_text: text.clone(),
            }));
    }
    let changes: Vec<DocumentChangeOperation> = files
        .into_iter()
        .filter_map(|(source, edits)| {
            let path = analysis.path(ctr_front::ir::SourceId(source))?;
            // What comes with the compiler, and schemas, are not the author's to change.
            if !analysis.is_policy(path) {
                return None;
            }
            let version = snapshot
                .documents
                .get(&overlay::canonical(path))
                .map(|document| document.version);
            Some(DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: snapshot.uri_of(path)?,
                    version,
                },
                edits,
            }))
        })
        .collect();
    if changes.is_empty() {
        return None;
    }
    Some(CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: converter.convert(diagnostic).map(|d| vec![d]),
        edit: Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(changes)),
            ..WorkspaceEdit::default()
        }),
        is_preferred: Some(fix.safe),
        ..CodeAction::default()
    })
}
