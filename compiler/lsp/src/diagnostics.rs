//! Findings as the protocol has them.

use std::collections::BTreeMap;

use ctr_front::diagnostic::{Diagnostic, Label, Severity};
use ctr_front::ir::Source;
use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, Location, NumberOrString, RelatedFullDocumentDiagnosticReport,
    Uri, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
};

use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use crate::uri;

/// What the server calls itself in findings.
pub(crate) const SOURCE: &str = "ctrc";

/// The findings of all policies, by the canonical path of the file that they are about; in order of the
/// policies, then of the text. One that several policies have, as they include the same file, is told once.
pub(crate) fn all(snapshot: &Snapshot) -> BTreeMap<String, Vec<lsp_types::Diagnostic>> {
    let mut found: BTreeMap<String, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
    for root in snapshot.roots.values() {
        let analysis = snapshot.analysis(root);
        let compiled = &analysis.compiled;
        // Most policies of a workspace have none: their texts need no index, and their paths no look at the disk.
        if compiled.diagnostics.is_empty() {
            continue;
        }
        let sources = &compiled.graph.sources;
        let paths: Vec<String> = sources
            .iter()
            .map(|source| overlay::canonical(&source.path))
            .collect();
        let places = analysis.places(snapshot.encoding);
        let converter = Converter {
            snapshot,
            sources,
            places: &places,
        };
        for diagnostic in &compiled.diagnostics {
            let path = paths.get(diagnostic.primary.place.source.0 as usize);
            let (Some(path), Some(converted)) = (path, converter.convert(diagnostic)) else {
                continue;
            };
            let list = found.entry(path.clone()).or_default();
            if !list.contains(&converted) {
                list.push(converted);
            }
        }
    }
    found
}

/// Converts the findings of one analysis.
pub(crate) struct Converter<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) sources: &'a [Source],
    pub(crate) places: &'a [Places<'a>],
}

impl Converter<'_> {
    pub(crate) fn convert(&self, diagnostic: &Diagnostic) -> Option<lsp_types::Diagnostic> {
        let place = diagnostic.primary.place;
        let range = self.places.get(place.source.0 as usize)?.range(place.span);
        let related: Vec<DiagnosticRelatedInformation> = diagnostic
            .secondary
            .iter()
            .filter_map(|label| self.related(label))
            .collect();
        Some(lsp_types::Diagnostic {
            range,
            severity: Some(severity(diagnostic.severity)),
            code: Some(NumberOrString::String(diagnostic.code.to_owned())),
            code_description: page(diagnostic.code),
            source: Some(SOURCE.to_owned()),
            message: text(diagnostic),
            related_information: (!related.is_empty()).then_some(related),
            tags: is_unused(diagnostic).then(|| vec![DiagnosticTag::UNNECESSARY]),
            data: None,
        })
    }

    fn related(&self, label: &Label) -> Option<DiagnosticRelatedInformation> {
        let index = label.place.source.0 as usize;
        let uri: Uri = self.snapshot.uri_of(&self.sources.get(index)?.path)?;
        Some(DiagnosticRelatedInformation {
            location: Location {
                uri,
                range: self.places.get(index)?.range(label.place.span),
            },
            message: label.text.clone(),
        })
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    }
}

/// The page about a code, where one is published.
fn page(code: &str) -> Option<CodeDescription> {
    let href = ctr_front::codes::explain(code)?.absolute_url()?;
    Some(CodeDescription {
        href: href.parse().ok()?,
    })
}

/// The message, what is said of its place, and the advice, a line each.
fn text(diagnostic: &Diagnostic) -> String {
    let mut out = diagnostic.message.clone();
    if !diagnostic.primary.text.is_empty() {
        out.push('\n');
        out.push_str(&diagnostic.primary.text);
    }
    for help in &diagnostic.help {
        out.push_str("\nhelp: ");
        out.push_str(help);
    }
    out
}

/// Whether a finding says that its place does nothing: editors show such text faded.
fn is_unused(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == "W0408"
}

/// The findings of one document, for a client that asks.
///
/// # Errors
///
/// None.
pub(crate) fn of_document(
    snapshot: &Snapshot,
    params: &DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult, Failure> {
    let path = uri::path(params.text_document.uri.as_str()).map(|path| overlay::canonical(&path));
    let items = path
        .and_then(|path| all(snapshot).remove(&path))
        .unwrap_or_default();
    Ok(DocumentDiagnosticReportResult::Report(
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: None,
                items,
            },
        }),
    ))
}

/// The findings of all files, for a client that asks.
///
/// # Errors
///
/// None.
pub(crate) fn of_workspace(
    snapshot: &Snapshot,
    _params: &WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult, Failure> {
    let mut found = all(snapshot);
    // Files without findings are told, too, so that old ones go away.
    for path in snapshot.roots.keys() {
        found.entry(path.clone()).or_default();
    }
    let items = found
        .into_iter()
        .filter_map(|(path, items)| {
            Some(WorkspaceDocumentDiagnosticReport::Full(
                WorkspaceFullDocumentDiagnosticReport {
                    uri: snapshot.uri_of(&path)?,
                    version: snapshot.documents.get(&path).map(|d| i64::from(d.version)),
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: None,
                        items,
                    },
                },
            ))
        })
        .collect();
    Ok(WorkspaceDiagnosticReportResult::Report(
        WorkspaceDiagnosticReport { items },
    ))
}
