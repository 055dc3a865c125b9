//! `textDocument/documentSymbol` and `workspace/symbol`.

use ctr_front::world::World as _;
use ctr_grammar::ast::{ClauseKind, File, Item, ItemKind};
use ctr_grammar::{Parse, Span};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf, SymbolKind,
    WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::overlay::Overlay;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// What a file declares.
struct Symbol {
    name: String,
    detail: Option<String>,
    kind: SymbolKind,
    span: Span,
    name_span: Span,
    children: Vec<Symbol>,
}

/// The outline of a document.
///
/// # Errors
///
/// None.
pub(crate) fn document(
    snapshot: &Snapshot,
    params: &DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let symbols = of_file(&document.parse().file)
        .into_iter()
        .map(|symbol| nested(symbol, &places))
        .collect();
    Ok(Some(DocumentSymbolResponse::Nested(symbols)))
}

/// So many symbols are answered at most: an editor asks again when its user types on.
const MOST: usize = 500;

/// What all policies of the workspace declare and whose name has the letters of the query in their order.
///
/// # Errors
///
/// None.
pub(crate) fn workspace(
    snapshot: &Snapshot,
    params: &WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Failure> {
    let world = Overlay::new(&snapshot.documents);
    let mut out = Vec::new();
    for path in snapshot.roots.keys() {
        let open = snapshot.documents.get(path);
        let read = match open {
            Some(_) => None,
            None => world
                .read(path)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok()),
        };
        let parsed: Parse;
        let (text, parse) = match (open, &read) {
            (Some(document), _) => (document.text.as_str(), document.parse()),
            (None, Some(text)) => {
                parsed = ctr_grammar::parse(text);
                (text.as_str(), &parsed)
            }
            (None, None) => continue,
        };
        let Some(uri) = snapshot.uri_of(path) else {
            continue;
        };
        let places = Places::new(text, snapshot.encoding);
        for symbol in of_file(&parse.file) {
            if !fits(&symbol.name, &params.query) {
                continue;
            }
            out.push(WorkspaceSymbol {
                name: symbol.name,
                kind: symbol.kind,
                tags: None,
                container_name: None,
                location: OneOf::Left(Location {
                    uri: uri.clone(),
                    range: places.range(symbol.name_span),
                }),
                data: None,
            });
            if out.len() == MOST {
                return Ok(Some(WorkspaceSymbolResponse::Nested(out)));
            }
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Nested(out)))
}

fn fits(name: &str, query: &str) -> bool {
    let mut name = name.chars().flat_map(char::to_lowercase);
    query
        .chars()
        .flat_map(char::to_lowercase)
        .all(|wanted| name.any(|c| c == wanted))
}

fn of_file(file: &File) -> Vec<Symbol> {
    file.items.iter().filter_map(of_item).collect()
}

fn of_item(item: &Item) -> Option<Symbol> {
    let symbol = |name: &str, name_span: Span, kind: SymbolKind, detail: Option<String>| Symbol {
        name: if name.is_empty() {
            "?".to_owned()
        } else {
            name.to_owned()
        },
        detail,
        kind,
        // The name is within the item in every tree, also a damaged one.
        span: item.span.to(name_span),
        name_span,
        children: Vec::new(),
    };
    Some(match &item.kind {
        ItemKind::Module(path) => {
            let name: Vec<&str> = path.parts.iter().map(|part| part.name.as_str()).collect();
            symbol(&name.join("."), path.span, SymbolKind::MODULE, None)
        }
        ItemKind::Tool(tool) => {
            let name: Vec<&str> = tool
                .name
                .parts
                .iter()
                .map(|part| part.name.as_str())
                .collect();
            symbol(
                &name.join("."),
                tool.name.span,
                SymbolKind::INTERFACE,
                Some("tool".to_owned()),
            )
        }
        ItemKind::Group(group) => symbol(
            &group.name.name,
            group.name.span,
            SymbolKind::ARRAY,
            Some("group".to_owned()),
        ),
        ItemKind::Event(event) => symbol(
            &event.name.name,
            event.name.span,
            SymbolKind::EVENT,
            Some("event".to_owned()),
        ),
        ItemKind::Context(context) => {
            let detail = Some("context".to_owned());
            symbol(
                &context.name.name,
                context.name.span,
                SymbolKind::VARIABLE,
                detail,
            )
        }
        ItemKind::Lookup(lookup) => symbol(
            &lookup.name.name,
            lookup.name.span,
            SymbolKind::FUNCTION,
            Some("lookup".to_owned()),
        ),
        ItemKind::Predicate(predicate) => {
            let detail = Some("predicate".to_owned());
            symbol(
                &predicate.name.name,
                predicate.name.span,
                SymbolKind::FUNCTION,
                detail,
            )
        }
        ItemKind::Contract(contract) => {
            let keys: Vec<&str> = contract.keys.iter().map(|key| key.name.as_str()).collect();
            let detail = match keys.as_slice() {
                [] => "contract".to_owned(),
                keys => format!("contract for each {}", keys.join(", ")),
            };
            let mut whole = symbol(
                &contract.name.name,
                contract.name.span,
                SymbolKind::CLASS,
                Some(detail),
            );
            whole.children = contract
                .clauses
                .iter()
                .filter_map(|clause| {
                    let (name, name_span, kind) = match &clause.kind {
                        ClauseKind::Let(name, _) => {
                            (name.name.as_str(), name.span, SymbolKind::CONSTANT)
                        }
                        ClauseKind::Assume(_) => ("assume", clause.span, SymbolKind::PROPERTY),
                        ClauseKind::Guarantee(_) => {
                            ("guarantee", clause.span, SymbolKind::PROPERTY)
                        }
                        ClauseKind::Otherwise(_) => {
                            ("otherwise", clause.span, SymbolKind::PROPERTY)
                        }
                        ClauseKind::Error => return None,
                    };
                    Some(Symbol {
                        name: name.to_owned(),
                        detail: None,
                        kind,
                        span: clause.span.to(name_span),
                        name_span,
                        children: Vec::new(),
                    })
                })
                .collect();
            for child in &whole.children {
                whole.span = whole.span.to(child.span);
            }
            whole
        }
        ItemKind::Test(test) => symbol(
            &test.name.value,
            test.name.span,
            SymbolKind::METHOD,
            Some("test".to_owned()),
        ),
        ItemKind::Import(_) | ItemKind::Include(_) | ItemKind::ToolsFrom(_) | ItemKind::Error => {
            return None;
        }
    })
}

fn nested(symbol: Symbol, places: &Places<'_>) -> DocumentSymbol {
    let children: Vec<DocumentSymbol> = symbol
        .children
        .into_iter()
        .map(|child| nested(child, places))
        .collect();
    #[expect(deprecated, reason = "the struct has the field that `tags` replaced")]
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        range: places.range(symbol.span),
        selection_range: places.range(symbol.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}
