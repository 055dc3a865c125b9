//! `workspace/willRenameFiles`: the paths that lead to what is renamed.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::load::Unit;
use ctr_front::world::{folder, join, normalise};
use ctr_grammar::Span;
use ctr_grammar::ast::{ItemKind, ModuleRef};
use lsp_types::{
    FileOperationFilter, FileOperationPattern, FileOperationPatternKind,
    FileOperationRegistrationOptions, RenameFilesParams, TextEdit, WorkspaceEdit,
    WorkspaceFileOperationsServerCapabilities,
};

use crate::features::actions::workspace_edit;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};
use crate::uri;

/// The files that matter.
pub(crate) fn capability() -> WorkspaceFileOperationsServerCapabilities {
    let filter = |glob: &str, kind| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern {
            glob: glob.to_owned(),
            matches: Some(kind),
            options: None,
        },
    };
    let all = Some(FileOperationRegistrationOptions {
        filters: vec![
            filter("**/*.{ctr,json,toml}", FileOperationPatternKind::File),
            filter("**", FileOperationPatternKind::Folder),
        ],
    });
    WorkspaceFileOperationsServerCapabilities {
        did_create: all.clone(),
        did_rename: all.clone(),
        will_rename: all.clone(),
        did_delete: all,
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}

/// The changes that keep every `import`, `include` and `tools from` leading where it leads, once files or folders have
/// other names: those of others to what is renamed, and its own where it goes to another folder.
///
/// # Errors
///
/// None.
pub(crate) fn will_rename(
    snapshot: &Snapshot,
    params: &RenameFilesParams,
) -> Result<Option<WorkspaceEdit>, Failure> {
    let moves: Vec<(String, String)> = params
        .files
        .iter()
        .filter_map(|file| {
            let old = overlay::canonical(&uri::path(&file.old_uri)?);
            let new = overlay::canonical(&uri::path(&file.new_uri)?);
            (old != new).then_some((old, new))
        })
        .collect();
    if moves.is_empty() {
        return Ok(None);
    }
    let mut seen = BTreeSet::new();
    let mut files: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
    for root in snapshot.in_order() {
        let analysis = snapshot.analysis(root);
        for unit in &analysis.compiled.graph.units {
            let path = overlay::canonical(&unit.path);
            if unit.library || !seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = analysis.text(unit.source) else {
                continue;
            };
            let edits = edits(analysis, unit, &path, &moves);
            if edits.is_empty() {
                continue;
            }
            let places = Places::new(text, snapshot.encoding);
            let edits = edits.into_iter().map(|(span, new_text)| TextEdit {
                range: places.range(span),
                new_text,
            });
            files.insert(path, edits.collect());
        }
    }
    let changes: Vec<_> = files
        .into_iter()
        .filter_map(|(path, edits)| {
            let version = snapshot.documents.get(&path).map(|d| d.version);
            Some((snapshot.uri_of(&path)?, version, edits))
        })
        .collect();
    Ok((!changes.is_empty()).then(|| workspace_edit(snapshot, changes)))
}

/// Where a file is once all is renamed.
fn moved(path: &str, moves: &[(String, String)]) -> String {
    moves
        .iter()
        .find_map(|(old, new)| {
            let rest = path.strip_prefix(old.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{new}{rest}"))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// The changes in one policy.
fn edits(
    analysis: &Analysis,
    unit: &Unit,
    path: &str,
    moves: &[(String, String)],
) -> Vec<(Span, String)> {
    let units = &analysis.compiled.graph;
    let new_home = moved(path, moves);
    let here = folder(&unit.path);
    let mut out = Vec::new();
    // Where a written path leads after all is renamed, if it has to be written otherwise.
    let rewritten = |written: &str| -> Option<String> {
        let slashes = written.replace('\\', "/");
        let target = overlay::canonical(&join(here, &slashes));
        let new_target = moved(&target, moves);
        if new_target == target && new_home == path {
            return None;
        }
        let leads = normalise(&join(folder(&new_home), &slashes));
        (leads != new_target).then(|| literal(&relative(folder(&new_home), &new_target)))
    };
    let by_name = |span: Span| -> Option<(String, String)> {
        let imported = unit.imports.iter().find(|i| within(span, i.span));
        let included = unit.includes.iter().find(|i| within(span, i.span));
        let (id, alias) = match (imported, included) {
            (Some(import), _) => (import.unit, import.alias.clone()),
            (None, Some(include)) => (include.unit, String::new()),
            (None, None) => return None,
        };
        let target = units.unit(id).filter(|target| !target.library)?;
        let target = overlay::canonical(&target.path);
        let new_target = moved(&target, moves);
        (new_target != target).then(|| (literal(&relative(folder(&new_home), &new_target)), alias))
    };
    for item in &unit.file.items {
        match &item.kind {
            ItemKind::Import(import) => match &import.target {
                ModuleRef::File(file) => {
                    out.extend(rewritten(&file.value).map(|new| (file.span, new)));
                }
                // A name is looked for along folders; once the file has another, its path says where it is.
                ModuleRef::Name(name) => {
                    out.extend(by_name(name.span).map(|(new, alias)| match import.alias {
                        Some(_) => (name.span, new),
                        None => (name.span, format!("{new} as {alias}")),
                    }));
                }
            },
            ItemKind::Include(include) => match &include.target {
                ModuleRef::File(file) => {
                    out.extend(rewritten(&file.value).map(|new| (file.span, new)));
                }
                ModuleRef::Name(name) => {
                    out.extend(by_name(name.span).map(|(new, _)| (name.span, new)));
                }
            },
            ItemKind::ToolsFrom(tools) => {
                out.extend(rewritten(&tools.file.value).map(|new| (tools.file.span, new)));
            }
            _ => {}
        }
    }
    out
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A file as seen from a folder.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').filter(|part| !part.is_empty()).collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(same).map(|_| "..");
    let down = to.iter().skip(same).copied();
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path as a literal of the language.
fn literal(path: &str) -> String {
    let mut out = String::from("\"");
    for c in path.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_folders() {
        for (from, to, want) in [
            ("/w/a", "/w/a/x.ctr", "x.ctr"),
            ("/w/a", "/w/b/x.ctr", "../b/x.ctr"),
            ("/w/a/b", "/w/x.ctr", "../../x.ctr"),
            ("/", "/x.ctr", "x.ctr"),
        ] {
            assert_eq!(relative(from, to), want);
        }
        assert_eq!(literal("a \"b\".ctr"), "\"a \\\"b\\\".ctr\"");
    }

    #[test]
    fn folders_take_their_files_along() {
        let moves = [
            ("/w/a".to_owned(), "/w/b".to_owned()),
            ("/w/x.ctr".to_owned(), "/w/y.ctr".to_owned()),
        ];
        assert_eq!(moved("/w/a/p.ctr", &moves), "/w/b/p.ctr");
        assert_eq!(moved("/w/ab/p.ctr", &moves), "/w/ab/p.ctr");
        assert_eq!(moved("/w/x.ctr", &moves), "/w/y.ctr");
    }
}
