//! `textDocument/documentSymbol` and `workspace/symbol`.

use std::collections::BTreeSet;

use ctr_grammar::ast::{Clause, ClauseKind, FieldDecl, File, Item, ItemKind};
use ctr_grammar::{Comment, Span};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf,
    SymbolInformation, SymbolKind, Uri, WorkspaceSymbol, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

use super::navigation::Locations;
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
    let parse = document.parse();
    let of = Commented {
        text: &document.text,
        comments: &parse.comments,
    };
    let symbols = of_file(of, &parse.file);
    let trees = snapshot
        .client
        .text_document
        .as_ref()
        .and_then(|text| text.document_symbol.as_ref())
        // Who says nothing of it understands trees.
        .is_none_or(|client| client.hierarchical_document_symbol_support == Some(true));
    if trees {
        let nested = symbols.into_iter().map(|s| nested(s, &places)).collect();
        return Ok(Some(DocumentSymbolResponse::Nested(nested)));
    }
    let mut out = Vec::new();
    for symbol in symbols {
        flat(symbol, None, &document.uri, &places, &mut out);
    }
    Ok(Some(DocumentSymbolResponse::Flat(out)))
}

/// So many symbols are answered at most: an editor asks again when its user types on.
const MOST: usize = 500;

/// What all policies of the workspace declare, and the tools of their schemas, whose name has the letters of the query in their
/// order; the nearest first.
///
/// # Errors
///
/// None.
pub(crate) fn workspace(
    snapshot: &Snapshot,
    params: &WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Failure> {
    let query: Vec<char> = lower(&params.query).collect();
    let mut found: Vec<(Nearness, WorkspaceSymbol)> = Vec::new();
    let mut schemas: BTreeSet<(String, Span)> = BTreeSet::new();
    for root in snapshot.roots.values() {
        let analysis = snapshot.analysis(root);
        let graph = &analysis.compiled.graph;
        // What it leads to is a policy of its own, or in no folder of the workspace.
        let Some(unit) = graph.units.iter().find(|unit| unit.root) else {
            continue;
        };
        let Some(text) = analysis.text(unit.source) else {
            continue;
        };
        let mut places: Option<Places<'_>> = None;
        let mut locations = Locations::new(snapshot, analysis);
        let file = unit.path.rsplit('/').next().unwrap_or(&unit.path);
        let container = unit.module.as_deref().unwrap_or(file);
        let of = Commented {
            text,
            comments: &unit.comments,
        };
        for symbol in of_file(of, &unit.file) {
            let Some(nearness) = Nearness::of(&symbol.name, &query) else {
                continue;
            };
            let Some(uri) = analysis.address(snapshot, unit.source) else {
                break;
            };
            let places = places.get_or_insert_with(|| Places::new(text, snapshot.encoding));
            let range = places.range(symbol.name_span);
            let kind = symbol.kind;
            found.push((
                nearness,
                in_workspace(symbol.name, kind, container, Location { uri, range }),
            ));
        }
        for tool in &unit.tools {
            let Some(nearness) = Nearness::of(&tool.name, &query) else {
                continue;
            };
            let Some(path) = analysis.identity(tool.place.source) else {
                continue;
            };
            if !schemas.insert((path.clone(), tool.place.span)) {
                continue;
            }
            let Some(location) = locations.at(tool.place) else {
                continue;
            };
            let container = tool.server.as_deref().or(path.rsplit('/').next());
            found.push((
                nearness,
                in_workspace(
                    tool.name.clone(),
                    SymbolKind::INTERFACE,
                    container.unwrap_or_default(),
                    location,
                ),
            ));
        }
    }
    // The order of policies, and in each of the text, is kept among equals.
    found.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.name.cmp(&y.name)));
    let symbols = found.into_iter().take(MOST).map(|(_, symbol)| symbol);
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols.collect())))
}

fn in_workspace(
    name: String,
    kind: SymbolKind,
    container: &str,
    location: Location,
) -> WorkspaceSymbol {
    WorkspaceSymbol {
        name,
        kind,
        tags: None,
        container_name: Some(container.to_owned()),
        location: OneOf::Left(location),
        data: None,
    }
}

fn lower(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
}

/// How near a name is to a query: the least is the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    /// The name itself, its beginning, the beginning of a word in it, letters in a row, letters in order.
    kind: u8,
    /// How long the name is.
    length: usize,
}

impl Nearness {
    /// None where the name has not all letters of the query in their order.
    fn of(name: &str, query: &[char]) -> Option<Self> {
        let letters: Vec<char> = lower(name).collect();
        let length = letters.len();
        if query.is_empty() {
            // All, in the order in which they stand.
            return Some(Self { kind: 0, length: 0 });
        }
        let mut rest = letters.iter();
        if !query.iter().all(|wanted| rest.any(|c| c == wanted)) {
            return None;
        }
        let starts = letters
            .windows(query.len())
            .enumerate()
            .filter(|(_, part)| *part == query)
            .map(|(at, _)| at);
        let kind = starts
            .map(
                |at| match at.checked_sub(1).and_then(|before| letters.get(before)) {
                    None if length == query.len() => 0,
                    None => 1,
                    Some(before) if !before.is_alphanumeric() => 2,
                    Some(_) => 3,
                },
            )
            .min()
            .unwrap_or(4);
        Some(Self { kind, length })
    }
}

fn of_file(of: Commented<'_>, file: &File) -> Vec<Symbol> {
    file.items
        .iter()
        .filter_map(|item| of_item(of, item))
        .collect()
}

/// The fields of a tool or event.
fn fields(of: Commented<'_>, fields: &[FieldDecl]) -> Vec<Symbol> {
    fields
        .iter()
        .map(|field| Symbol {
            name: field.name.name.clone(),
            detail: Some(one_line(of, field.ty.span)),
            kind: SymbolKind::FIELD,
            span: field.name.span.to(field.ty.span),
            name_span: field.name.span,
            children: Vec::new(),
        })
        .collect()
}

/// A text with its comments.
#[derive(Clone, Copy)]
struct Commented<'t> {
    text: &'t str,
    comments: &'t [Comment],
}

/// A piece of the policy on one line, without its comments, shortened.
fn one_line(of: Commented<'_>, span: Span) -> String {
    const LONGEST: usize = 60;
    let from = of.comments.partition_point(|c| c.span.end <= span.start);
    let mut words: Vec<&str> = Vec::new();
    let mut at = span.start;
    for comment in of.comments.get(from..).unwrap_or_default() {
        if comment.span.start >= span.end {
            break;
        }
        words.extend(
            Span::new(at, comment.span.start)
                .text(of.text)
                .split_whitespace(),
        );
        at = comment.span.end;
    }
    if at < span.end {
        words.extend(Span::new(at, span.end).text(of.text).split_whitespace());
    }
    let line = words.join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
}

/// A clause without its keyword.
fn after(of: Commented<'_>, span: Span, keyword: &str) -> Option<String> {
    let line = one_line(of, span);
    let line = line.strip_prefix(keyword)?.trim_start().to_owned();
    (!line.is_empty()).then_some(line)
}

fn of_item(of: Commented<'_>, item: &Item) -> Option<Symbol> {
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
            let mut whole = symbol(
                &name.join("."),
                tool.name.span,
                SymbolKind::INTERFACE,
                Some("tool".to_owned()),
            );
            whole.children = fields(of, &tool.params);
            whole
        }
        ItemKind::Group(group) => symbol(
            &group.name.name,
            group.name.span,
            SymbolKind::ARRAY,
            Some("group".to_owned()),
        ),
        ItemKind::Event(event) => {
            let mut whole = symbol(
                &event.name.name,
                event.name.span,
                SymbolKind::EVENT,
                Some("event".to_owned()),
            );
            whole.children = fields(of, &event.fields);
            whole
        }
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
                .keys
                .iter()
                .map(|key| Symbol {
                    name: key.name.clone(),
                    detail: Some("key".to_owned()),
                    kind: SymbolKind::KEY,
                    span: key.span,
                    name_span: key.span,
                    children: Vec::new(),
                })
                .chain(contract.clauses.iter().filter_map(|c| of_clause(of, c)))
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

fn of_clause(of: Commented<'_>, clause: &Clause) -> Option<Symbol> {
    let span = clause.span;
    let keyword = |name: &'static str| {
        let length = u32::try_from(name.len()).unwrap_or(0);
        let whole = span.text(of.text).starts_with(name);
        let name_span = if whole {
            Span::new(span.start, span.start + length)
        } else {
            span
        };
        (name, name_span, SymbolKind::PROPERTY, after(of, span, name))
    };
    let (name, name_span, kind, detail) = match &clause.kind {
        ClauseKind::Let(name, value) => (
            name.name.as_str(),
            name.span,
            SymbolKind::CONSTANT,
            Some(one_line(of, value.span)),
        ),
        ClauseKind::Assume(_) => keyword("assume"),
        ClauseKind::Guarantee(_) => keyword("guarantee"),
        ClauseKind::Otherwise(_) => keyword("otherwise"),
        ClauseKind::Error => return None,
    };
    Some(Symbol {
        name: name.to_owned(),
        detail,
        kind,
        span: span.to(name_span),
        name_span,
        children: Vec::new(),
    })
}

/// For clients that know no trees.
fn flat(
    symbol: Symbol,
    container: Option<&str>,
    uri: &Uri,
    places: &Places<'_>,
    out: &mut Vec<SymbolInformation>,
) {
    #[expect(deprecated, reason = "the struct has the field that `tags` replaced")]
    out.push(SymbolInformation {
        name: symbol.name.clone(),
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        location: Location {
            uri: uri.clone(),
            range: places.range(symbol.span),
        },
        container_name: container.map(str::to_owned),
    });
    for child in symbol.children {
        flat(child, Some(&symbol.name), uri, places, out);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_first() {
        let mut names = [
            "issue_refund_twice",
            "prefund",
            "refund",
            "Refund_Limit",
            "rare_unfound_d",
            "other",
            "refunds",
        ];
        let query: Vec<char> = lower("re fund").collect();
        names.sort_by_key(|name| Nearness::of(name, &query).map_or((1, None), |n| (0, Some(n))));
        assert_eq!(
            names,
            [
                "refund",
                "refunds",
                "Refund_Limit",
                "issue_refund_twice",
                "prefund",
                "rare_unfound_d",
                "other"
            ]
        );
        assert_eq!(Nearness::of("other", &query), None);
    }
}
