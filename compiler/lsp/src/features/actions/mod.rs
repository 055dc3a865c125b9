//! `textDocument/codeAction` and `codeAction/resolve`: changes of the text that an author may want.
//!
//! A file for each kind. What a finding offers, and what allows it, are quick fixes; what only says the same otherwise
//! is a refactoring. Nothing is offered that cannot be parsed as well as before; what more than words could make wrong is
//! compiled, too, before it is offered.

mod assume;
mod brackets;
mod comparisons;
mod contracts;
mod edit;
mod fix_all;
mod fixes;
mod imports;
mod lets;
mod meaning;
mod optional;
mod readings;
mod suppress;
mod tests;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::SourceId;
use ctr_grammar::ast::{Contract, Item, ItemKind};
use ctr_grammar::{Parse, Span};
use lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionParams, CodeActionProviderCapability, CodeActionTriggerKind, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    Uri, WorkspaceEdit,
};

use crate::diagnostics::Converter;
use crate::documents::Document;
use crate::overlay::{self, Overlay};
use crate::server::{Desk, Failure};
use crate::snapshot::{Analysis, Places, Snapshot};
use crate::uri;
use edit::{Edits, applied, in_line_ends_of};

/// What is announced.
pub(crate) fn options() -> CodeActionProviderCapability {
    CodeActionProviderCapability::Options(CodeActionOptions {
        code_action_kinds: Some(vec![
            CodeActionKind::QUICKFIX,
            CodeActionKind::REFACTOR_EXTRACT,
            CodeActionKind::REFACTOR_INLINE,
            CodeActionKind::REFACTOR_REWRITE,
            CodeActionKind::SOURCE_ORGANIZE_IMPORTS,
            fix_all::KIND,
        ]),
        resolve_provider: Some(true),
        ..CodeActionOptions::default()
    })
}

/// What can be done in a range.
///
/// # Errors
///
/// None.
pub(crate) fn actions(
    snapshot: &Snapshot,
    params: &CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let Some(analysis) = snapshot.of_document(document) else {
        return Ok(None);
    };
    let Some(source) = analysis.source_of(document) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let (a, b) = (
        places.offset(params.range.start),
        places.offset(params.range.end),
    );
    let ask = Ask {
        snapshot,
        document,
        analysis,
        findings: snapshot
            .findings_of(document)
            .map_or(&[], |findings| findings.alone()),
        source,
        range: Span::new(a.min(b), a.max(b)),
        only: params.context.only.as_deref(),
        invoked: params.context.trigger_kind == Some(CodeActionTriggerKind::INVOKED),
        budget: Cell::new(BUDGET),
    };
    let mut out = Vec::new();
    if ask.wants(&CodeActionKind::QUICKFIX) {
        let converter = Converter::new(snapshot, &analysis.compiled.graph.sources);
        out.extend(fixes::all(&ask, &converter));
        let mut offers = Vec::new();
        readings::offer(&ask, &converter, &mut offers);
        assume::offer(&ask, &converter, &mut offers);
        optional::offer(&ask, &converter, &mut offers);
        suppress::offer(&ask, &converter, &mut offers);
        out.extend(offers.into_iter().filter_map(|offer| ask.action(offer)));
    }
    let mut offers = Vec::new();
    if ask.wants(&CodeActionKind::REFACTOR_EXTRACT) {
        lets::extract(&ask, &mut offers);
    }
    if ask.wants(&CodeActionKind::REFACTOR_INLINE) {
        lets::inline(&ask, &mut offers);
    }
    if ask.wants(&CodeActionKind::REFACTOR_REWRITE) {
        comparisons::offer(&ask, &mut offers);
        contracts::offer(&ask, &mut offers);
        tests::offer(&ask, &mut out);
        brackets::offer(&ask, &mut offers);
    }
    if ask.wants(&fix_all::KIND) {
        let what = tests::What::Fixes;
        out.extend(tests::later(&ask, fix_all::TITLE, fix_all::KIND, what));
    }
    if ask.wants(&CodeActionKind::SOURCE_ORGANIZE_IMPORTS) {
        imports::offer(&ask, &mut offers);
    }
    out.extend(offers.into_iter().filter_map(|offer| ask.action(offer)));
    Ok(Some(
        out.into_iter()
            .map(CodeActionOrCommand::CodeAction)
            .collect(),
    ))
}

/// An action with its change.
///
/// # Errors
///
/// Where the text has changed since it was offered, the change cannot be made after all, or the client no longer wants it.
pub(crate) fn resolve(
    snapshot: &Snapshot,
    action: &CodeAction,
    desk: &Desk,
) -> Result<CodeAction, Failure> {
    let mut action = action.clone();
    let Some(data) = action.data.take() else {
        return Ok(action);
    };
    let later: tests::Later = serde_json::from_value(data)
        .map_err(|error| Failure::Parameters(format!("the data is not the server's: {error}")))?;
    let document = snapshot
        .document(&later.uri)
        .filter(|document| document.version == later.version)
        .ok_or_else(|| Failure::Refused("the text has changed".to_owned()))?;
    let edits = tests::edits(snapshot, document, &later.what, desk)?;
    action.edit = Some(edit_of(snapshot, document, &edits));
    Ok(action)
}

/// So often is a small text parsed for one request; compiling it counts for [`COMPILING`], and of a large one each
/// [`PIECE`] counts.
const BUDGET: u32 = 100;

/// Bytes of a text that count as one.
const PIECE: u32 = 100_000;

/// What compiling costs beside parsing.
const COMPILING: u32 = 8;

/// What is asked.
struct Ask<'a> {
    snapshot: &'a Snapshot,
    document: &'a Document,
    analysis: &'a Analysis,
    /// The findings as they are known.
    findings: &'a [Diagnostic],
    /// The document among the texts of its analysis.
    source: SourceId,
    /// The bytes that are selected; empty at a cursor.
    range: Span,
    only: Option<&'a [CodeActionKind]>,
    /// Whether the user asked, and not the editor by itself.
    invoked: bool,
    /// What may still be tried: of a whole text that is selected not all that could be done is offered.
    budget: Cell<u32>,
}

/// A change that is offered.
struct Offer {
    title: String,
    kind: CodeActionKind,
    edits: Edits,
    /// The findings that it is about.
    findings: Vec<lsp_types::Diagnostic>,
    /// Why it cannot be done, for clients that show that.
    disabled: Option<String>,
}

impl Offer {
    fn new(title: impl Into<String>, kind: CodeActionKind, edits: Edits) -> Self {
        Self {
            title: title.into(),
            kind,
            edits,
            findings: Vec::new(),
            disabled: None,
        }
    }

    fn about(mut self, finding: Option<lsp_types::Diagnostic>) -> Self {
        self.findings.extend(finding);
        self
    }

    /// One that cannot be done.
    fn impossible(title: impl Into<String>, kind: CodeActionKind, why: impl Into<String>) -> Self {
        Self {
            disabled: Some(why.into()),
            ..Self::new(title, kind, Edits::new())
        }
    }
}

impl<'a> Ask<'a> {
    /// Whether actions of a kind are asked for. Those about the whole text only where they are asked for by name.
    fn wants(&self, kind: &CodeActionKind) -> bool {
        let Some(only) = self.only else {
            return !kind.as_str().starts_with("source");
        };
        only.iter().any(|asked| {
            let rest = kind.as_str().strip_prefix(asked.as_str());
            asked.as_str().is_empty()
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    fn text(&self) -> &'a str {
        &self.document.text
    }

    fn parse(&self) -> &'a Parse {
        self.document.parse()
    }

    /// Whether a place is at the range.
    fn touches(&self, span: Span) -> bool {
        span.start <= self.range.end && self.range.start <= span.end
    }

    /// The range without white space at its ends.
    fn selected(&self) -> Span {
        let text = self.range.text(self.text());
        let start = self.range.start + length(text) - length(text.trim_start());
        Span::new(start, start + length(text.trim()))
    }

    /// The item around the range, if it has no syntax errors.
    fn item(&self) -> Option<&'a Item> {
        let parse = self.parse();
        let range = self.range;
        let item = parse.file.items.iter().find(|item| {
            item.span.start <= range.start
                && range.end <= item.span.end
                && item.kind != ItemKind::Error
        })?;
        let broken = parse
            .errors
            .iter()
            .any(|error| error.span.start <= item.span.end && item.span.start <= error.span.end);
        (!broken).then_some(item)
    }

    /// The contract around the range, if it has no syntax errors.
    fn contract(&self) -> Option<(&'a Item, &'a Contract)> {
        let item = self.item()?;
        match &item.kind {
            ItemKind::Contract(contract) => Some((item, contract)),
            _ => None,
        }
    }

    /// Whether a comment stands in a place.
    fn has_comment(&self, span: Span) -> bool {
        let comments = &self.parse().comments;
        let from = comments.partition_point(|comment| comment.span.end <= span.start);
        comments
            .get(from)
            .is_some_and(|comment| comment.span.start < span.end)
    }

    /// Counts something costly; false once there was enough of that.
    fn affords(&self, cost: u32) -> bool {
        let pieces = 1 + length(self.text()) / PIECE;
        match self.budget.get().checked_sub(cost.saturating_mul(pieces)) {
            Some(left) => {
                self.budget.set(left);
                true
            }
            None => false,
        }
    }

    /// Whether the text has no more syntax errors with these changes.
    fn parses(&self, edits: &Edits) -> bool {
        if !self.affords(1) {
            return false;
        }
        let Some(new) = applied(self.text(), edits) else {
            return false;
        };
        ctr_grammar::parse(&new).errors.len() <= self.parse().errors.len()
    }

    /// The findings of the policy with these changes, those of settings and comments apart.
    fn compiled(&self, edits: &Edits) -> Option<ctr_front::Compiled> {
        if !self.affords(COMPILING) {
            return None;
        }
        let new = applied(self.text(), edits)?;
        let path = overlay::canonical(&uri::path(self.document.uri.as_str())?);
        let mut documents = self.snapshot.documents.clone();
        let version = self.document.version;
        let changed = Document::new(self.document.uri.clone(), version, new);
        documents.insert(path.clone(), Arc::new(changed));
        Some(ctr_front::compile(
            &Overlay::new(&documents),
            std::slice::from_ref(&path),
        ))
    }

    /// Whether no error is there with these changes that was not there before, and one of `gone` less.
    fn is_sound(&self, edits: &Edits, gone: Option<&str>) -> bool {
        let Some(after) = self.compiled(edits) else {
            return false;
        };
        let before = errors(&self.analysis.compiled.diagnostics);
        let after = errors(&after.diagnostics);
        let no_new = after
            .iter()
            .all(|(code, count)| before.get(code).is_some_and(|known| count <= known));
        no_new && gone.is_none_or(|code| after.get(code) < before.get(code))
    }

    /// Whether the policy means the same with these changes: for what claims to be no more than another way to write it.
    /// No name in them is captured by a key, a `let` or a variable then. A policy with errors means nothing yet.
    fn means_the_same(&self, edits: &Edits) -> bool {
        let Some(before) = self.analysis.library() else {
            return false;
        };
        let after = self.compiled(edits).and_then(|after| after.library);
        after.is_some_and(|after| meaning::is_same(before, &after))
    }

    /// As the protocol has it; `None` where the client has no use for it.
    fn action(&self, offer: Offer) -> Option<CodeAction> {
        let shows_disabled = || {
            let text = self.snapshot.client.text_document.as_ref();
            let actions = text.and_then(|text| text.code_action.as_ref());
            self.invoked && actions.is_some_and(|can| can.disabled_support == Some(true))
        };
        let edit = match &offer.disabled {
            None if applied(self.text(), &offer.edits).as_deref() == Some(self.text()) => {
                return None;
            }
            None => Some(edit_of(self.snapshot, self.document, &offer.edits)),
            Some(_) if shows_disabled() => None,
            Some(_) => return None,
        };
        Some(CodeAction {
            title: offer.title,
            kind: Some(offer.kind),
            diagnostics: (!offer.findings.is_empty()).then_some(offer.findings),
            edit,
            disabled: offer.disabled.map(|reason| CodeActionDisabled { reason }),
            ..CodeAction::default()
        })
    }
}

/// How many errors of each code there are; a warning that the settings deny is none.
fn errors(found: &[ctr_front::diagnostic::Diagnostic]) -> HashMap<&'static str, usize> {
    let mut out = HashMap::new();
    for one in found.iter().filter(|one| one.code.starts_with('E')) {
        *out.entry(one.code).or_default() += 1;
    }
    out
}

fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Changes of a document as the protocol has them, in the line ends of the document.
pub(crate) fn edit_of(
    snapshot: &Snapshot,
    document: &Document,
    edits: &[(Span, String)],
) -> WorkspaceEdit {
    let places = Places::new(&document.text, snapshot.encoding);
    let edits = edits
        .iter()
        .map(|(span, new)| TextEdit {
            range: places.range(*span),
            new_text: in_line_ends_of(&document.text, new),
        })
        .collect();
    workspace_edit(
        snapshot,
        vec![(document.uri.clone(), Some(document.version), edits)],
    )
}

/// Changes of files, each with the version that they are for where it is open. Clients that cannot tell versions
/// apart get them plain.
pub(crate) fn workspace_edit(
    snapshot: &Snapshot,
    files: Vec<(Uri, Option<i32>, Vec<TextEdit>)>,
) -> WorkspaceEdit {
    let versions = snapshot
        .client
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.workspace_edit.as_ref())
        .is_some_and(|can| can.document_changes == Some(true));
    if !versions {
        #[expect(
            clippy::mutable_key_type,
            reason = "the protocol's type; the key's cell only caches how it is parsed"
        )]
        let changes: HashMap<Uri, Vec<TextEdit>> = files
            .into_iter()
            .map(|(uri, _, edits)| (uri, edits))
            .collect();
        return WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        };
    }
    let operations = files
        .into_iter()
        .map(|(uri, version, edits)| {
            DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            })
        })
        .collect();
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    }
}
