//! Whether names still mean what they meant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ctr_front::diagnostic::Severity;
use ctr_front::ir::Place;
use ctr_front::symbols::SymbolKind;

use super::{Change, Changes, Edits};
use crate::documents::Document;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Analysis, Snapshot};

impl Changes {
    fn after(&self) -> String {
        let mut text = self.text.clone();
        for Change {
            span, text: new, ..
        } in self.changes.iter().rev()
        {
            let range = span.start as usize..span.end as usize;
            if text.get(range.clone()).is_some() {
                text.replace_range(range, new);
            }
        }
        text
    }

    /// Where what begins at a byte begins afterwards.
    fn moved(&self, offset: u32) -> u32 {
        let mut to = offset as usize;
        for Change { span, text, name } in &self.changes {
            if span.start == offset {
                to += name;
            } else if span.end <= offset {
                to = (to + text.len()).saturating_sub((span.end - span.start) as usize);
            }
        }
        u32::try_from(to).unwrap_or(u32::MAX)
    }
}

/// A place by canonical path and byte.
type At = (String, u32);

/// What a name means: where that is declared, or what it is where nothing declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Declared(BTreeSet<At>),
    Undeclared(SymbolKind, String),
}

/// What each name of a policy means.
fn meanings(analysis: &Analysis, moved: &dyn Fn(At) -> At) -> BTreeMap<At, Meaning> {
    let sources = &analysis.compiled.graph.sources;
    let paths: Vec<String> = sources
        .iter()
        .map(|source| overlay::canonical(&source.path))
        .collect();
    let at = |place: Place| {
        let path = paths.get(place.source.0 as usize)?;
        Some(moved((path.clone(), place.span.start)))
    };
    let symbols = analysis.symbols();
    let mut out = BTreeMap::new();
    for mention in &symbols.mentions {
        if let (Some(symbol), Some(place)) = (symbols.symbol(mention), at(mention.place)) {
            let declared: BTreeSet<At> = symbol.definitions.iter().filter_map(|p| at(*p)).collect();
            let meaning = match declared.is_empty() {
                true => Meaning::Undeclared(symbol.kind, symbol.name.clone()),
                false => Meaning::Declared(declared),
            };
            out.insert(place, meaning);
        }
    }
    out
}

/// How often each error is found in each file.
fn errors(analysis: &Analysis) -> BTreeMap<(&str, &str), usize> {
    let mut out = BTreeMap::new();
    for found in &analysis.compiled.diagnostics {
        if found.severity == Severity::Error {
            let path = analysis
                .path(found.primary.place.source)
                .unwrap_or_default();
            *out.entry((path, found.code)).or_default() += 1;
        }
    }
    out
}

/// Refuses edits after which there are new errors, or after which a name means something else.
///
/// # Errors
///
/// What would go wrong.
pub(super) fn kept(snapshot: &Snapshot, new: &str, edits: &Edits) -> Result<(), Failure> {
    let mut documents = snapshot.documents.clone();
    for (path, changes) in edits {
        let Some(uri) = snapshot.uri_of(path) else {
            continue;
        };
        let document = Document::new(uri, 0, changes.after());
        documents.insert(path.clone(), Arc::new(document));
    }
    let moved = |(path, offset): At| {
        let offset = edits
            .get(&path)
            .map_or(offset, |changes| changes.moved(offset));
        (path, offset)
    };
    let after = snapshot.with_texts(documents, edits.keys());
    for (path, root) in &snapshot.roots {
        let Some(next) = after
            .roots
            .get(path)
            .filter(|next| !Arc::ptr_eq(next, root))
        else {
            continue;
        };
        let (before, after) = (snapshot.analysis(root), after.analysis(next));
        let known = errors(before);
        if let Some((path, code)) = errors(after)
            .into_iter()
            .find(|(key, count)| known.get(key).is_none_or(|known| known < count))
            .map(|(key, _)| key)
        {
            let found = after.compiled.diagnostics.iter().find(|found| {
                found.code == code && after.path(found.primary.place.source) == Some(path)
            });
            let message = found
                .map(|found| found.message.as_str())
                .unwrap_or_default();
            return Err(Failure::Refused(format!(
                "`{new}` would be an error: {message}"
            )));
        }
        let expected = meanings(before, &moved);
        let found = meanings(after, &|at| at);
        let other = expected
            .iter()
            .find(|(at, meaning)| found.get(*at) != Some(*meaning))
            .or_else(|| found.iter().find(|(at, _)| !expected.contains_key(*at)));
        if let Some(((path, offset), _)) = other {
            let name = path.rsplit('/').next().unwrap_or_default();
            let text = edits.get(path).map(Changes::after).unwrap_or_default();
            let line = text
                .bytes()
                .take(*offset as usize)
                .filter(|byte| *byte == b'\n')
                .count();
            return Err(Failure::Refused(format!(
                "the name `{new}` is taken: line {} of `{name}` would mean something else",
                line + 1
            )));
        }
    }
    Ok(())
}
