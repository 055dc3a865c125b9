//! `test` blocks made of sessions that a contract accepts or rejects.

use ctr_grammar::Span;
use lsp_types::{CodeAction, CodeActionKind, Uri};
use serde::{Deserialize, Serialize};

use super::edit::Edits;
use super::{Ask, fix_all};
use crate::documents::Document;
use crate::features::commands::{Kind, test_of};
use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;

/// What an action needs to know that is worked out when it is chosen.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Later {
    pub(super) uri: Uri,
    pub(super) version: i32,
    #[serde(flatten)]
    pub(super) what: What,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", tag = "make")]
pub(super) enum What {
    /// A test of a contract.
    Test { contract: String, show: Kind },
    /// All safe fixes.
    Fixes,
}

/// Both tests, at the head of a contract.
pub(super) fn offer(ask: &Ask<'_>, out: &mut Vec<CodeAction>) {
    let Some((_, contract)) = ask.contract() else {
        return;
    };
    let Some(first) = contract.clauses.first() else {
        return;
    };
    if ask.range.start >= first.span.start || ask.analysis.library().is_none() {
        return;
    }
    for (title, show) in [
        ("write a test of a session that keeps it", Kind::Accepting),
        ("write a test of a session that breaks it", Kind::Rejecting),
    ] {
        let what = What::Test {
            contract: contract.name.name.clone(),
            show,
        };
        out.extend(later(ask, title, CodeActionKind::REFACTOR_REWRITE, what));
    }
}

/// An action whose change is worked out when it is chosen; only for clients that ask for it then.
pub(super) fn later(
    ask: &Ask<'_>,
    title: &str,
    kind: CodeActionKind,
    what: What,
) -> Option<CodeAction> {
    if !resolves(ask.snapshot) {
        return None;
    }
    let later = Later {
        uri: ask.document.uri.clone(),
        version: ask.document.version,
        what,
    };
    Some(CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        data: serde_json::to_value(later).ok(),
        ..CodeAction::default()
    })
}

/// Whether the client asks for the change of an action when it is chosen.
pub(super) fn resolves(snapshot: &Snapshot) -> bool {
    let text = snapshot.client.text_document.as_ref();
    text.and_then(|text| text.code_action.as_ref())
        .and_then(|can| can.resolve_support.as_ref())
        .is_some_and(|can| can.properties.iter().any(|name| name == "edit"))
}

/// The change of an action.
pub(super) fn edits(
    snapshot: &Snapshot,
    document: &Document,
    what: &What,
    desk: &Desk,
) -> Result<Edits, Failure> {
    match what {
        What::Fixes => fix_all::edits(snapshot, document, desk),
        What::Test { contract, show } => {
            let block = test_of(snapshot, &document.uri, contract, *show, desk)?;
            let text = &document.text;
            let end = super::length(text);
            let gap = match text {
                text if text.is_empty() || text.ends_with("\n\n") => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            Ok(vec![(Span::new(end, end), format!("{gap}{block}"))])
        }
    }
}
