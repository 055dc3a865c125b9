//! `textDocument/prepareRename` and `textDocument/rename`.
//!
//! A rename is tried on a copy of the texts first: where it would give new errors, or where some name would come to
//! mean something else (it is captured by a nearer one, or merges with another), it is refused.

mod meaning;

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::symbols::{Symbol, SymbolKind};
use ctr_grammar::ast::ItemKind;
use ctr_grammar::{Span, written};
use lsp_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use crate::features::actions;
use crate::features::navigation::{Named, everywhere, named};
use crate::library;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// What is written in place of a name.
struct Change {
    span: Span,
    text: String,
    /// At which byte of it the new name begins.
    name: usize,
}

/// What is written anew in a file, in order of the places.
struct Changes {
    text: String,
    changes: Vec<Change>,
}

/// The changed files by canonical path.
type Edits = BTreeMap<String, Changes>;

/// Whether the name at a position can be renamed, and what would be.
///
/// # Errors
///
/// Where it cannot, with the reason.
pub(crate) fn prepare(
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
    let mut edits = Edits::new();
    for (path, found) in everywhere(snapshot, &named) {
        let one = |(span, definition): (Span, bool)| {
            let bare = definition && named.symbol.kind == SymbolKind::Module;
            let old = text_of(&found.text, span);
            // A module's own name stays; the import gives it another one.
            let before = match bare && !is_alias(&found.text, span) && old != written {
                true => format!("{old} as "),
                false => String::new(),
            };
            Change {
                span,
                name: before.len(),
                text: before + &written,
            }
        };
        let changes = found.spans.into_iter().map(one).collect();
        let text = found.text;
        edits.insert(path, Changes { text, changes });
    }
    if new != named.symbol.name {
        meaning::kept(snapshot, new, &edits)?;
    }
    Ok(Some(workspace_edit(snapshot, edits)))
}

fn workspace_edit(snapshot: &Snapshot, edits: Edits) -> WorkspaceEdit {
    let mut files = Vec::new();
    for (path, Changes { text, changes }) in edits {
        let Some(uri) = snapshot.uri_of(&path) else {
            continue;
        };
        let places = Places::new(&text, snapshot.encoding);
        let version = snapshot.documents.get(&path).map(|d| d.version);
        let changes = changes.into_iter().map(|change| TextEdit {
            range: places.range(change.span),
            new_text: change.text,
        });
        files.push((uri, version, changes.collect()));
    }
    actions::workspace_edit(snapshot, files)
}

fn text_of(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// Whether an import gives its module this name by `as`, and not by the module's own name.
fn is_alias(text: &str, span: Span) -> bool {
    let parse = ctr_grammar::parse(text);
    parse.file.items.iter().any(|item| match &item.kind {
        ItemKind::Import(import) => import
            .alias
            .as_ref()
            .is_some_and(|alias| alias.span == span),
        _ => false,
    })
}

/// Refuses what is not the user's to rename.
fn renamable(named: &Named<'_>) -> Result<(), Failure> {
    let symbol = named.symbol;
    let refuse = |why: &str| Err(Failure::Refused(format!("`{}` {why}", symbol.name)));
    let shipped = symbol.definitions.iter().any(|place| {
        let path = named.analysis.path(place.source);
        path.is_some_and(|path| path.starts_with(library::SCHEME))
    });
    if symbol.library || shipped {
        return refuse("comes with the compiler");
    }
    if symbol.kind == SymbolKind::EnumValue {
        return refuse("is a value, no name: what runs sends it so");
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
    if new.is_empty() || new.contains('`') || new.chars().any(char::is_control) {
        let shown = new.escape_debug();
        return Err(Failure::Refused(format!("`{shown}` is no name")));
    }
    let written = written::name(new);
    if written == new {
        return Ok(written);
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
        return Ok(written);
    }
    let why = if written::is_identifier(new) {
        "a keyword"
    } else {
        "no name"
    };
    Err(Failure::Refused(format!("`{new}` is {why}")))
}

/// Refuses a name that something of the kind has already; names that only a contract or predicate knows are left to
/// [`meaning::kept`].
fn free(named: &Named<'_>, new: &str) -> Result<(), Failure> {
    let symbol = named.symbol;
    let local = matches!(
        symbol.kind,
        SymbolKind::Key | SymbolKind::Let | SymbolKind::Parameter | SymbolKind::Variable
    );
    let sources: BTreeSet<_> = symbol
        .definitions
        .iter()
        .map(|place| place.source)
        .collect();
    let taken = named.symbols.symbols.iter().any(|other| {
        other.name == new
            && other.owner == symbol.owner
            && other.kind == symbol.kind
            && other
                .definitions
                .iter()
                .any(|place| sources.contains(&place.source))
    });
    match taken && !local {
        true => Err(Failure::Refused(format!("the name `{new}` is taken"))),
        false => Ok(()),
    }
}
