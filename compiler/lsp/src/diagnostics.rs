//! Findings as the protocol has them.

use std::any::Any;
use std::cell::OnceCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::panic::{self, AssertUnwindSafe};

use ctr_front::diagnostic::{Diagnostic, Label, Severity};
use ctr_front::ir::{Source, SourceId};
use ctr_grammar::Span;
use ctr_project::check::joined;
use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, Location, NumberOrString, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

use crate::findings::Findings;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use crate::uri;

/// What the server calls itself in findings.
pub(crate) const SOURCE: &str = "ctrc";

/// Findings of files, by canonical path.
pub(crate) type Files = BTreeMap<String, Vec<lsp_types::Diagnostic>>;

/// Has all policies read; those that the compiler fails at, with what it said.
pub(crate) fn read(snapshot: &Snapshot) -> Vec<(&str, Box<dyn Any + Send>)> {
    snapshot
        .in_order()
        .filter_map(|root| {
            let read = panic::catch_unwind(AssertUnwindSafe(|| {
                snapshot.analysis(root);
            }));
            read.err().map(|payload| (root.path.as_str(), payload))
        })
        .collect()
}

/// The findings of all policies as they are known, by the canonical path of the file that they are about: what `ctrc check`
/// tells of the folders, and each open policy by itself besides.
pub(crate) fn all(snapshot: &Snapshot) -> Files {
    // What the compiler fails at has been told; the others have their findings all the same.
    let _ = read(snapshot);
    let all: Vec<&Findings> = snapshot
        .in_order()
        .filter(|root| root.known().is_some())
        .map(|root| snapshot.findings(root))
        .collect();
    let mut files = Files::new();
    let mut known: BTreeMap<usize, Converter<'_>> = BTreeMap::new();
    let compiled: Vec<&ctr_project::Compiled> = all.iter().map(|of| &of.compiled).collect();
    for (number, found) in joined(&compiled) {
        let Some(compiled) = compiled.get(number) else {
            continue;
        };
        let converter = known
            .entry(number)
            .or_insert_with(|| Converter::new(snapshot, &compiled.sources));
        converter.add(&found, &mut files);
    }
    // One file of settings counts for many policies.
    let mut told: HashSet<(&str, &str, Span, &str)> = HashSet::new();
    let settings = all.iter().map(|of| &of.settings);
    for (sources, found) in settings.chain(std::iter::once(snapshot.idle.as_ref())) {
        if found.is_empty() {
            continue;
        }
        let converter = Converter::new(snapshot, sources);
        for found in found {
            let place = found.primary.place;
            let source = sources.get(place.source.0 as usize);
            let path = source.map_or("", |source| source.path.as_str());
            if told.insert((found.code, path, place.span, &found.message)) {
                converter.add(found, &mut files);
            }
        }
    }
    files
}

/// Converts the findings that point into some texts.
pub(crate) struct Converter<'a> {
    snapshot: &'a Snapshot,
    sources: &'a [Source],
    /// Made when they are first asked for: most texts that a policy leads to have no findings.
    places: Vec<OnceCell<Places<'a>>>,
    paths: Vec<OnceCell<String>>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, sources: &'a [Source]) -> Self {
        Self {
            snapshot,
            sources,
            places: sources.iter().map(|_| OnceCell::new()).collect(),
            paths: sources.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The places of a source.
    pub(crate) fn places(&self, source: SourceId) -> Option<&Places<'a>> {
        let index = source.0 as usize;
        let text = &self.sources.get(index)?.text;
        let cell = self.places.get(index)?;
        Some(cell.get_or_init(|| Places::new(text, self.snapshot.encoding)))
    }

    /// The canonical path of a source; `None` for one that is no file.
    fn path(&self, source: SourceId) -> Option<&str> {
        let index = source.0 as usize;
        let path = &self.sources.get(index)?.path;
        let cell = self.paths.get(index)?;
        let path = cell.get_or_init(|| overlay::canonical(path));
        overlay::is_whole(path).then_some(path)
    }

    fn add(&self, found: &Diagnostic, files: &mut Files) {
        if let (Some(path), Some(converted)) =
            (self.path(found.primary.place.source), self.convert(found))
        {
            files.entry(path.to_owned()).or_default().push(converted);
        }
    }

    pub(crate) fn convert(&self, diagnostic: &Diagnostic) -> Option<lsp_types::Diagnostic> {
        let place = diagnostic.primary.place;
        let range = self.places(place.source)?.range(place.span);
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
        let source = label.place.source;
        // A module that comes with the compiler has no address.
        let uri: Uri = self.snapshot.uri_of(self.path(source)?)?;
        Some(DiagnosticRelatedInformation {
            location: Location {
                uri,
                range: self.places(source)?.range(label.place.span),
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
    let href = ctr_project::codes::lookup(code)?.absolute_url()?;
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

/// What tells one answer from another: equal findings have equal ones.
fn result_id(items: &[lsp_types::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(items)
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The findings of one document as they are known, for a client that asks.
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
    let id = result_id(&items);
    let report = if params.previous_result_id.as_ref() == Some(&id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: id,
            },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(id),
                items,
            },
        })
    };
    Ok(DocumentDiagnosticReportResult::Report(report))
}

/// The findings of all files as they are known, for a client that asks.
///
/// # Errors
///
/// None.
pub(crate) fn of_workspace(
    snapshot: &Snapshot,
    params: &WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult, Failure> {
    let mut found = all(snapshot);
    // Files without findings are told, too, so that old ones go away.
    for path in snapshot.roots.keys() {
        found.entry(path.clone()).or_default();
    }
    let mut before: BTreeMap<String, &str> = BTreeMap::new();
    for known in &params.previous_result_ids {
        if let Some(path) = uri::path(known.uri.as_str()) {
            let path = overlay::canonical(&path);
            found.entry(path.clone()).or_default();
            before.insert(path, &known.value);
        }
    }
    let items = found
        .into_iter()
        .filter_map(|(path, items)| {
            let uri = snapshot.uri_of(&path)?;
            let version = snapshot.documents.get(&path).map(|d| i64::from(d.version));
            let id = result_id(&items);
            Some(if before.get(&path) == Some(&id.as_str()) {
                WorkspaceDocumentDiagnosticReport::Unchanged(
                    WorkspaceUnchangedDocumentDiagnosticReport {
                        uri,
                        version,
                        unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                            result_id: id,
                        },
                    },
                )
            } else {
                WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                    uri,
                    version,
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: Some(id),
                        items,
                    },
                })
            })
        })
        .collect();
    Ok(WorkspaceDiagnosticReportResult::Report(
        WorkspaceDiagnosticReport { items },
    ))
}
