//! Where a name leads: definition, references, highlights.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::{Place, SourceId};
use ctr_front::symbols::{Mention, Symbol, SymbolKind, Symbols};
use lsp_types::request::{GotoTypeDefinitionParams, GotoTypeDefinitionResponse};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, Range, ReferenceParams, TextDocumentPositionParams, Uri,
};

use super::links;
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
    let at = &params.text_document_position_params;
    // The name of a file, which is also that of an import, leads to the file.
    if let Some(file) = linked(snapshot, at) {
        return Ok(Some(file));
    }
    let Some(named) = named(snapshot, at) else {
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

/// The file that the name of a file leads to.
fn linked(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    let document = snapshot.document(&at.text_document.uri)?;
    let offset = Places::new(&document.text, snapshot.encoding).offset(at.position);
    let link = links::of_document(snapshot, document)
        .into_iter()
        .find(|link| link.span.start <= offset && offset <= link.span.end)?;
    let range = Range::default();
    Some(GotoDefinitionResponse::Array(vec![Location {
        uri: link.target,
        range,
    }]))
}

/// Where the type of what stands here is written: in the policy or in a tool's schema.
///
/// # Errors
///
/// None.
pub(crate) fn type_definition(
    snapshot: &Snapshot,
    params: &GotoTypeDefinitionParams,
) -> Result<Option<GotoTypeDefinitionResponse>, Failure> {
    let Some(named) = named(snapshot, &params.text_document_position_params) else {
        return Ok(None);
    };
    let places = match named.symbol.kind {
        // What these are is what their declarations say.
        SymbolKind::Tool | SymbolKind::Event => &named.symbol.definitions,
        _ => &named.symbol.type_places,
    };
    let locations: Vec<Location> = places
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

/// Places of one policy's texts as the client knows them, each text indexed once.
pub(crate) struct Locations<'a> {
    snapshot: &'a Snapshot,
    analysis: &'a Analysis,
    known: BTreeMap<SourceId, Option<(Uri, Places<'a>)>>,
}

impl<'a> Locations<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, analysis: &'a Analysis) -> Self {
        Self {
            snapshot,
            analysis,
            known: BTreeMap::new(),
        }
    }

    pub(crate) fn at(&mut self, place: Place) -> Option<Location> {
        let (snapshot, analysis) = (self.snapshot, self.analysis);
        let known = self.known.entry(place.source).or_insert_with(|| {
            let text = analysis.text(place.source)?;
            let uri = analysis.address(snapshot, place.source)?;
            Some((uri, Places::new(text, snapshot.encoding)))
        });
        let (uri, places) = known.as_ref()?;
        Some(Location {
            uri: uri.clone(),
            range: places.range(place.span),
        })
    }
}

/// A place as the client knows it.
fn location(snapshot: &Snapshot, analysis: &Analysis, place: Place) -> Option<Location> {
    let text = analysis.text(place.source)?;
    let range: Range = Places::new(text, snapshot.encoding).range(place.span);
    Some(Location {
        uri: analysis.address(snapshot, place.source)?,
        range,
    })
}

/// Where a name stands in a file.
pub(crate) struct Found {
    /// The file's text.
    pub(crate) text: String,
    /// The places, and whether it is declared there.
    pub(crate) spans: BTreeMap<ctr_grammar::Span, bool>,
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
pub(crate) fn everywhere(snapshot: &Snapshot, named: &Named<'_>) -> BTreeMap<String, Found> {
    let here: BTreeSet<(String, ctr_grammar::Span)> = named
        .symbol
        .definitions
        .iter()
        .filter_map(|place| Some((named.analysis.identity(place.source)?, place.span)))
        .collect();
    let mut out: BTreeMap<String, Found> = BTreeMap::new();
    for root in snapshot.roots.values() {
        let analysis = snapshot.analysis(root);
        let symbols = analysis.symbols();
        let sources = analysis.compiled.graph.sources.len();
        let paths: Vec<Option<String>> = (0..sources)
            .map(|n| analysis.identity(SourceId(u32::try_from(n).ok()?)))
            .collect();
        let path = |place: Place| paths.get(place.source.0 as usize)?.as_ref();
        for (index, symbol) in symbols.symbols.iter().enumerate() {
            if symbol.kind != named.symbol.kind || symbol.name != named.symbol.name {
                continue;
            }
            let same = if here.is_empty() {
                symbol.definitions.is_empty()
                    && symbol.owner == named.symbol.owner
                    && symbol.path == named.symbol.path
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
