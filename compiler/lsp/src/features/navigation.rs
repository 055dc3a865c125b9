//! Where a name leads: definition, references, highlights, rename.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::Place;
use ctr_front::symbols::{Mention, Symbol, SymbolKind, Symbols};
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, DocumentHighlight, DocumentHighlightKind,
    DocumentHighlightParams, GotoDefinitionParams, GotoDefinitionResponse, Location, OneOf,
    OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse, Range, ReferenceParams,
    RenameParams, TextDocumentEdit, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};

/// A name of a document, with what is known of it.
pub(crate) struct Named<'s> {
    pub(crate) analysis: &'s Analysis,
    pub(crate) symbols: &'s Symbols,
    pub(crate) mention: &'s Mention,
    pub(crate) symbol: &'s Symbol,
}

/// The name at a position.
pub(crate) fn named<'s>(
    snapshot: &'s Snapshot,
    at: &TextDocumentPositionParams,
) -> Option<Named<'s>> {
    let document = snapshot.document(&at.text_document.uri)?;
    let analysis = snapshot.of_document(document)?;
    let source = analysis.source_of(document)?;
    let offset = Places::new(&document.text, snapshot.encoding).offset(at.position);
    let symbols = analysis.symbols();
    let mention = symbols.at(source, offset)?;
    Some(Named {
        analysis,
        symbols,
        mention,
        symbol: symbols.symbol(mention)?,
    })
}

/// Where a name is declared.
///
/// # Errors
///
/// None.
pub(crate) fn definition(
    snapshot: &Snapshot,
    params: &GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, Failure> {
    let Some(named) = named(snapshot, &params.text_document_position_params) else {
        return Ok(None);
    };
    let locations: Vec<Location> = named
        .symbol
        .definitions
        .iter()
        .filter_map(|place| location(snapshot, named.analysis, *place))
        .collect();
    Ok((!locations.is_empty()).then_some(GotoDefinitionResponse::Array(locations)))
}

/// Where a name stands, in all policies of the workspace.
///
/// # Errors
///
/// None.
pub(crate) fn references(
    snapshot: &Snapshot,
    params: &ReferenceParams,
) -> Result<Option<Vec<Location>>, Failure> {
    let Some(named) = named(snapshot, &params.text_document_position) else {
        return Ok(None);
    };
    let all = everywhere(snapshot, &named);
    let mut out = Vec::new();
    for (path, found) in all {
        let Some(uri) = snapshot.uri_of(&path) else {
            continue;
        };
        let places = Places::new(&found.text, snapshot.encoding);
        for (span, definition) in found.spans {
            if definition && !params.context.include_declaration {
                continue;
            }
            out.push(Location {
                uri: uri.clone(),
                range: places.range(span),
            });
        }
    }
    Ok(Some(out))
}

/// The places in this document where the name at a position stands.
///
/// # Errors
///
/// None.
pub(crate) fn highlights(
    snapshot: &Snapshot,
    params: &DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, Failure> {
    let Some(named) = named(snapshot, &params.text_document_position_params) else {
        return Ok(None);
    };
    let source = named.mention.place.source;
    let Some(text) = named.analysis.text(source) else {
        return Ok(None);
    };
    let places = Places::new(text, snapshot.encoding);
    Ok(Some(
        named
            .symbols
            .mentions_of(named.mention.symbol)
            .filter(|mention| mention.place.source == source)
            .map(|mention| DocumentHighlight {
                range: places.range(mention.place.span),
                kind: Some(if mention.definition {
                    DocumentHighlightKind::WRITE
                } else {
                    DocumentHighlightKind::READ
                }),
            })
            .collect(),
    ))
}

/// Whether the name at a position can be renamed, and what would be.
///
/// # Errors
///
/// Where it cannot, with the reason.
pub(crate) fn prepare_rename(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, Failure> {
    let Some(named) = named(snapshot, params) else {
        return Err(Failure::Refused("no name stands here".to_owned()));
    };
    renamable(&named)?;
    let Some(text) = named.analysis.text(named.mention.place.source) else {
        return Ok(None);
    };
    let places = Places::new(text, snapshot.encoding);
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: places.range(named.mention.place.span),
        placeholder: named.symbol.name.clone(),
    }))
}

/// The edits that rename a name in all policies of the workspace.
///
/// # Errors
///
/// Where it cannot be renamed, or not to this name.
pub(crate) fn rename(
    snapshot: &Snapshot,
    params: &RenameParams,
) -> Result<Option<WorkspaceEdit>, Failure> {
    let Some(named) = named(snapshot, &params.text_document_position) else {
        return Err(Failure::Refused("no name stands here".to_owned()));
    };
    renamable(&named)?;
    let new = params.new_name.trim();
    let written = spelt(named.symbol, new)?;
    if new != named.symbol.name {
        free(&named, new)?;
    }
    let mut edits: Vec<DocumentChangeOperation> = Vec::new();
    for (path, found) in everywhere(snapshot, &named) {
        let Some(uri) = snapshot.uri_of(&path) else {
            continue;
        };
        let places = Places::new(&found.text, snapshot.encoding);
        let version = snapshot.documents.get(&path).map(|d| d.version);
        let changes = found
            .spans
            .into_keys()
            .map(|span| {
                OneOf::Left(TextEdit {
                    range: places.range(span),
                    new_text: written.clone(),
                })
            })
            .collect();
        edits.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: changes,
        }));
    }
    Ok(Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(edits)),
        ..WorkspaceEdit::default()
    }))
}

/// Refuses what is not the user's to rename.
fn renamable(named: &Named<'_>) -> Result<(), Failure> {
    let symbol = named.symbol;
    let refuse = |why: &str| Err(Failure::Refused(format!("`{}` {why}", symbol.name)));
    if symbol.library {
        return refuse("comes with the compiler");
    }
    if symbol.definitions.is_empty() {
        return refuse("is declared nowhere here: the name is the agent's, or the host's");
    }
    let outside = symbol.definitions.iter().any(|place| {
        named
            .analysis
            .path(place.source)
            .is_none_or(|path| !named.analysis.is_policy(path))
    });
    if outside {
        return refuse("is declared by a tool schema, and what runs calls it so");
    }
    Ok(())
}

/// A name as it is written: in back-ticks where it would not be a name without.
fn spelt(symbol: &Symbol, new: &str) -> Result<String, Failure> {
    if new.is_empty() || new.contains(['`', '\n', '\r']) || new.chars().any(char::is_control) {
        return Err(Failure::Refused(format!("`{new}` is no name")));
    }
    let plain = new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !new.starts_with(|c: char| c.is_ascii_digit());
    let keyword = ctr_grammar::keywords::lookup(new).is_some_and(|keyword| keyword.reserved);
    if plain && !keyword {
        return Ok(new.to_owned());
    }
    let quotable = matches!(
        symbol.kind,
        SymbolKind::Tool
            | SymbolKind::Argument
            | SymbolKind::ResultField
            | SymbolKind::EventField
            | SymbolKind::Context
    );
    if quotable {
        return Ok(format!("`{new}`"));
    }
    let why = if keyword { "a keyword" } else { "no name" };
    Err(Failure::Refused(format!("`{new}` is {why}")))
}

/// Refuses a name that something of the kind has already.
fn free(named: &Named<'_>, new: &str) -> Result<(), Failure> {
    let symbol = named.symbol;
    let local = |kind| {
        matches!(
            kind,
            SymbolKind::Key | SymbolKind::Let | SymbolKind::Parameter | SymbolKind::Variable
        )
    };
    let sources: BTreeSet<_> = symbol
        .definitions
        .iter()
        .map(|place| place.source)
        .collect();
    let taken = named.symbols.symbols.iter().find(|other| {
        other.name == new
            && other.owner == symbol.owner
            && (other.kind == symbol.kind || local(other.kind) && local(symbol.kind))
            && other
                .definitions
                .iter()
                .any(|place| sources.contains(&place.source))
    });
    match taken {
        Some(_) => Err(Failure::Refused(format!("the name `{new}` is taken"))),
        None => Ok(()),
    }
}

fn location(snapshot: &Snapshot, analysis: &Analysis, place: Place) -> Option<Location> {
    let path = analysis.path(place.source)?;
    let text = analysis.text(place.source)?;
    let range: Range = Places::new(text, snapshot.encoding).range(place.span);
    Some(Location {
        uri: snapshot.uri_of(path)?,
        range,
    })
}

/// Where a name stands in a file.
struct Found {
    text: String,
    spans: BTreeMap<ctr_grammar::Span, bool>,
}

impl Found {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            spans: BTreeMap::new(),
        }
    }
}

/// All places of a name, in every policy that knows what it names, by canonical path.
fn everywhere(snapshot: &Snapshot, named: &Named<'_>) -> BTreeMap<String, Found> {
    let here: BTreeSet<(String, ctr_grammar::Span)> = named
        .symbol
        .definitions
        .iter()
        .filter_map(|place| {
            let path = named.analysis.path(place.source)?;
            Some((overlay::canonical(path), place.span))
        })
        .collect();
    let mut out: BTreeMap<String, Found> = BTreeMap::new();
    for root in snapshot.roots.values() {
        let analysis = snapshot.analysis(root);
        let symbols = analysis.symbols();
        let paths: Vec<String> = analysis
            .compiled
            .graph
            .sources
            .iter()
            .map(|source| overlay::canonical(&source.path))
            .collect();
        let path = |place: Place| paths.get(place.source.0 as usize);
        for (index, symbol) in symbols.symbols.iter().enumerate() {
            if symbol.kind != named.symbol.kind || symbol.name != named.symbol.name {
                continue;
            }
            let same = if here.is_empty() {
                symbol.definitions.is_empty() && symbol.owner == named.symbol.owner
            } else {
                symbol.definitions.iter().any(|place| {
                    path(*place).is_some_and(|path| here.contains(&(path.clone(), place.span)))
                })
            };
            if !same {
                continue;
            }
            for mention in symbols.mentions_of(index) {
                let (Some(path), Some(text)) =
                    (path(mention.place), analysis.text(mention.place.source))
                else {
                    continue;
                };
                out.entry(path.clone())
                    .or_insert_with(|| Found::new(text))
                    .spans
                    .insert(mention.place.span, mention.definition);
            }
        }
    }
    out
}
