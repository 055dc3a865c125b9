//! `source.fixAll.ctrc`: what `ctrc check --fix` makes of the document.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::fix::{Changed, Judged, Outcome, fix};
use ctr_front::world::World;
use ctr_project::check::{Proofs, judge};
use ctr_project::{Fault, Settings};
use lsp_types::CodeActionKind;

use super::edit::Edits;
use crate::documents::Document;
use crate::overlay::{self, Overlay};
use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;
use crate::uri;

/// Its kind.
pub(crate) const KIND: CodeActionKind = CodeActionKind::new("source.fixAll.ctrc");

/// What it is called.
pub(super) const TITLE: &str = "make all safe fixes";

/// The changes, as edits of the lines that differ.
///
/// # Errors
///
/// Where the client no longer wants it, or for a fault of the compiler.
pub(super) fn edits(
    snapshot: &Snapshot,
    document: &Document,
    desk: &Desk,
) -> Result<Edits, Failure> {
    let Some(path) = uri::path(document.uri.as_str()) else {
        return Ok(Edits::new());
    };
    let path = overlay::canonical(&path);
    let world = Overlay::new(&snapshot.documents);
    let libraries = [vec![path.clone()]];
    let editable = BTreeSet::from([path.clone()]);
    let run = |start: BTreeMap<String, Changed>, proofs: Proofs| -> Result<Outcome, Failure> {
        fix(&world, start, &editable, false, &mut |world: &dyn World| {
            if desk.is_given_up() {
                return Err(Failure::GivenUp);
            }
            judged(world, &libraries, proofs)
        })
    };
    // First what is found without proofs is mended, then the rest: proofs take time.
    let mut outcome = run(BTreeMap::new(), Proofs::None)?;
    if !outcome.refused.is_empty() || speaks_of_proofs(&document.text) {
        outcome = run(outcome.files, Proofs::BySettings)?;
    }
    let new = outcome.files.remove(&path).map(|file| file.new);
    Ok(new
        .map(|new| super::super::formatting::differing(&document.text, &new))
        .unwrap_or_default()
        .into_iter()
        .map(|(start, end, text)| (ctr_grammar::Span::new(start, end), text))
        .collect())
}

fn judged(world: &dyn World, libraries: &[Vec<String>], proofs: Proofs) -> Result<Judged, Failure> {
    judge(world, libraries, &Settings::nearest(world), proofs)
        .map_err(|Fault(what)| Failure::Refused(format!("internal error of ctrc: {what}")))
}

/// Whether comments may allow what only proofs find: then only proofs tell which of them are of no use. No safe fix is
/// offered by a proof itself.
fn speaks_of_proofs(text: &str) -> bool {
    text.contains("ctrc:") && text.contains("W07")
}
