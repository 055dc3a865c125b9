//! `textDocument/documentLink`: the files that a policy imports, includes and takes tools from.

use ctr_front::load::UnitId;
use ctr_front::world;
use ctr_grammar::Span;
use ctr_grammar::ast::{ItemKind, ModuleRef};
use lsp_types::{
    DocumentLink, DocumentLinkOptions, DocumentLinkParams, Uri, WorkDoneProgressOptions,
};

use crate::documents::Document;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};

/// What the server says of its links.
pub(crate) fn capability() -> DocumentLinkOptions {
    DocumentLinkOptions {
        resolve_provider: None,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

/// A place that leads to a file.
pub(crate) struct Link {
    /// The words that lead there, quotes apart.
    pub(crate) span: Span,
    pub(crate) target: Uri,
    tooltip: String,
}

/// The links of a document. A file that is not there has none.
///
/// # Errors
///
/// None.
pub(crate) fn links(
    snapshot: &Snapshot,
    params: &DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let links = of_document(snapshot, document)
        .into_iter()
        .map(|link| DocumentLink {
            range: places.range(link.span),
            target: Some(link.target),
            tooltip: Some(link.tooltip),
            data: None,
        });
    Ok(Some(links.collect()))
}

/// The links of a document in order of the text.
pub(crate) fn of_document(snapshot: &Snapshot, document: &Document) -> Vec<Link> {
    let Some(analysis) = snapshot.of_document(document) else {
        return Vec::new();
    };
    let Some(source) = analysis.source_of(document) else {
        return Vec::new();
    };
    let graph = &analysis.compiled.graph;
    let Some(unit) = graph.units.iter().find(|unit| unit.source == source) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for item in &unit.file.items {
        let (span, to) = match &item.kind {
            ItemKind::Import(import) => {
                let found = unit.imports.iter().find(|found| found.span == item.span);
                (target(&import.target), found.map(|found| found.unit))
            }
            ItemKind::Include(include) => {
                let found = unit.includes.iter().find(|found| found.span == item.span);
                (target(&include.target), found.map(|found| found.unit))
            }
            ItemKind::ToolsFrom(tools) => {
                let path = tools.file.value.replace('\\', "/");
                let path = world::join(world::folder(&unit.path), &path);
                if let Some((target, tooltip)) = schema(snapshot, analysis, &path) {
                    out.push(Link {
                        span: inner(tools.file.span),
                        target,
                        tooltip,
                    });
                }
                continue;
            }
            _ => continue,
        };
        if let Some((target, tooltip)) = to.and_then(|id| policy(snapshot, analysis, id)) {
            out.push(Link {
                span,
                target,
                tooltip,
            });
        }
    }
    out
}

fn target(target: &ModuleRef) -> Span {
    match target {
        ModuleRef::Name(path) => path.span,
        ModuleRef::File(file) => inner(file.span),
    }
}

/// A string without its quotes.
fn inner(span: Span) -> Span {
    if span.end - span.start < 2 {
        return span;
    }
    Span::new(span.start + 1, span.end - 1)
}

fn policy(snapshot: &Snapshot, analysis: &Analysis, id: UnitId) -> Option<(Uri, String)> {
    let unit = analysis.compiled.graph.unit(id)?;
    let target = analysis.address(snapshot, unit.source)?;
    let tooltip = match (&unit.module, unit.library) {
        (Some(module), true) => format!("the module `{module}`, which comes with the compiler"),
        _ => format!("the policy `{}`", name(&unit.path)),
    };
    Some((target, tooltip))
}

/// A file of tools that was read.
fn schema(snapshot: &Snapshot, analysis: &Analysis, path: &str) -> Option<(Uri, String)> {
    let sources = &analysis.compiled.graph.sources;
    let as_written = sources.iter().find(|source| source.path == path);
    // A file that is named in two ways is read under the first.
    let found = as_written.or_else(|| {
        let path = overlay::canonical(path);
        let schemas = sources
            .iter()
            .filter(|source| !source.path.ends_with(".ctr"));
        schemas
            .into_iter()
            .find(|source| overlay::canonical(&source.path) == path)
    })?;
    let target = snapshot.uri_of(&found.path)?;
    Some((target, format!("the tools of `{}`", name(path))))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
