//! `textDocument/inlayHint` and `inlayHint/resolve`.
//!
//! A hint says what the text does not: the type of a key, which field a bare name is, what happens where a contract
//! is silent, the parameter that an argument is for, the formula that a readable form stands for.

mod expansion;
mod walk;

pub(crate) use walk::declaration;

use ctr_front::ir::Place;
use lsp_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintLabelPart, InlayHintLabelPartTooltip,
    InlayHintOptions, InlayHintParams, InlayHintServerCapabilities, Location, MarkupContent,
    MarkupKind, OneOf, TextEdit, Uri, WorkDoneProgressOptions,
};
use serde::{Deserialize, Serialize};

use super::navigation::Locations;
use crate::documents::Document;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// What the server says of its hints.
pub(crate) fn capability() -> OneOf<bool, InlayHintServerCapabilities> {
    OneOf::Right(InlayHintServerCapabilities::Options(InlayHintOptions {
        resolve_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }))
}

/// A hint before it is in the client's terms.
struct Hint {
    /// The byte before which it stands.
    at: u32,
    label: String,
    kind: Option<InlayHintKind>,
    /// In Markdown.
    tooltip: String,
    /// What its label names.
    target: Option<Place>,
    /// The text that says the same; it goes where the hint stands.
    text: Option<String>,
    /// Whether it stands apart from what is before it, and from what is after it.
    apart: (bool, bool),
}

/// What a client hands back to have the rest of a hint.
#[derive(Debug, Deserialize, Serialize)]
struct Data {
    uri: Uri,
    version: i32,
    at: u32,
}

/// The hints of a part of a document.
///
/// # Errors
///
/// None.
pub(crate) fn hints(
    snapshot: &Snapshot,
    params: &InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let Some(analysis) = snapshot.of_document(document) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let (start, end) = (
        places.offset(params.range.start),
        places.offset(params.range.end),
    );
    // What a client cannot ask for later it gets now.
    let whole = snapshot
        .client
        .text_document
        .as_ref()
        .and_then(|text| text.inlay_hint.as_ref())
        .is_none_or(|hint| hint.resolve_support.is_none());
    let mut locations = Locations::new(snapshot, analysis);
    let mut out = Vec::new();
    for hint in walk::of_document(snapshot, document, analysis) {
        if hint.at < start || end < hint.at {
            continue;
        }
        if whole {
            out.push(complete(&mut locations, &places, hint));
        } else {
            let data = Data {
                uri: params.text_document.uri.clone(),
                version: document.version,
                at: hint.at,
            };
            out.push(InlayHint {
                data: serde_json::to_value(data).ok(),
                ..bare(&places, &hint)
            });
        }
    }
    Ok(Some(out))
}

/// A hint with what is told of it when somebody looks.
///
/// # Errors
///
/// None: a hint of an older text comes back as it is.
pub(crate) fn resolve(snapshot: &Snapshot, hint: &InlayHint) -> Result<InlayHint, Failure> {
    Ok(found(snapshot, hint).unwrap_or_else(|| hint.clone()))
}

fn found(snapshot: &Snapshot, hint: &InlayHint) -> Option<InlayHint> {
    let data: Data = serde_json::from_value(hint.data.clone()?).ok()?;
    let document: &Document = snapshot.document(&data.uri)?;
    if document.version != data.version {
        return None;
    }
    let analysis = snapshot.of_document(document)?;
    let places = Places::new(&document.text, snapshot.encoding);
    let label = match &hint.label {
        InlayHintLabel::String(label) => label,
        InlayHintLabel::LabelParts(parts) => &parts.first()?.value,
    };
    let same = walk::of_document(snapshot, document, analysis)
        .into_iter()
        .find(|known| known.at == data.at && known.label == *label)?;
    Some(InlayHint {
        data: hint.data.clone(),
        ..complete(&mut Locations::new(snapshot, analysis), &places, same)
    })
}

fn bare(places: &Places<'_>, hint: &Hint) -> InlayHint {
    InlayHint {
        position: places.position(hint.at),
        label: InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
            value: hint.label.clone(),
            ..InlayHintLabelPart::default()
        }]),
        kind: hint.kind,
        text_edits: None,
        tooltip: None,
        padding_left: Some(hint.apart.0),
        padding_right: Some(hint.apart.1),
        data: None,
    }
}

fn complete(locations: &mut Locations<'_>, places: &Places<'_>, hint: Hint) -> InlayHint {
    let plain = bare(places, &hint);
    let location: Option<Location> = hint.target.and_then(|place| locations.at(place));
    let at = plain.position;
    InlayHint {
        label: InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
            value: hint.label,
            tooltip: Some(InlayHintLabelPartTooltip::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hint.tooltip,
            })),
            location,
            command: None,
        }]),
        text_edits: hint.text.map(|new_text| {
            vec![TextEdit {
                range: lsp_types::Range { start: at, end: at },
                new_text,
            }]
        }),
        ..plain
    }
}
