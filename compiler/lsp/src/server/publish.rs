//! What the client is told without being asked: findings, and that they are being looked for.

use std::time::{Duration, Instant};

use lsp_server::{Request, RequestId};
use lsp_types::notification;
use lsp_types::request;
use lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams,
    WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use serde_json::json;

use super::{Published, Server};
use crate::diagnostics::Files;

/// Progress is told of what takes longer.
const SOON: Duration = Duration::from_secs(1);

/// Whether the client is told how proofs get on.
#[derive(Debug, Default)]
pub(super) enum Proving {
    /// Nothing is left to prove.
    #[default]
    Idle,
    /// Since then there is.
    Working(Instant),
    /// It is asked whether it wants to know.
    Asked(RequestId),
    /// It knows; so many policies were left at first.
    Told { first: usize },
    /// It does not want to know.
    Unwanted,
}

impl Server {
    /// When the client is to be told that proofs take their time.
    pub(super) fn progress_due(&self) -> Option<Instant> {
        match &self.progress {
            Proving::Working(since) if self.client.progress => since.checked_add(SOON),
            _ => None,
        }
    }

    /// It is time to tell.
    pub(super) fn begin_progress(&mut self) {
        let id = self.ask::<request::WorkDoneProgressCreate>(WorkDoneProgressCreateParams {
            token: self.token(),
        });
        self.progress = Proving::Asked(id);
    }

    /// The client has said whether it wants to know.
    pub(super) fn progress_answered(&mut self, id: &RequestId, is_wanted: bool) {
        let Proving::Asked(asked) = &self.progress else {
            return;
        };
        if asked != id {
            return;
        }
        if !is_wanted {
            self.progress = Proving::Unwanted;
            return;
        }
        self.progress = Proving::Told { first: self.left };
        self.tell_progress(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: "proving policies".to_owned(),
            cancellable: Some(false),
            message: Some(left_in_words(self.left)),
            percentage: Some(0),
        }));
        if self.left == 0 {
            self.end_progress();
        }
    }

    fn end_progress(&mut self) {
        if let Proving::Told { .. } = self.progress {
            let end = WorkDoneProgressEnd { message: None };
            self.tell_progress(WorkDoneProgress::End(end));
            self.tokens += 1;
        }
        self.progress = Proving::Idle;
    }

    fn token(&self) -> NumberOrString {
        NumberOrString::String(format!("ctrc/proofs/{}", self.tokens))
    }

    fn tell_progress(&self, progress: WorkDoneProgress) {
        self.notify::<notification::Progress>(ProgressParams {
            token: self.token(),
            value: ProgressParamsValue::WorkDone(progress),
        });
    }

    /// So many policies are left to prove.
    pub(super) fn set_left(&mut self, left: usize) {
        let before = std::mem::replace(&mut self.left, left);
        match (&self.progress, left) {
            // One who is asked must be answered first.
            (Proving::Asked(_), _) | (Proving::Idle, 0) => {}
            (_, 0) => self.end_progress(),
            (Proving::Idle, _) => self.progress = Proving::Working(Instant::now()),
            (Proving::Told { first }, _) if left != before => {
                let first = (*first).max(left);
                let done = 100 * (first - left) / first.max(1);
                self.tell_progress(WorkDoneProgress::Report(WorkDoneProgressReport {
                    cancellable: Some(false),
                    message: Some(left_in_words(left)),
                    percentage: u32::try_from(done).ok(),
                }));
            }
            _ => {}
        }
    }

    /// Tells the client how far findings are known, where it wants to hear of it.
    pub(super) fn tell_status(&mut self) {
        let status = (self.snapshot.generation, self.left);
        if self.client.status && self.status.replace(status) != Some(status) {
            self.send(lsp_server::Notification::new(
                "ctrc/status".to_owned(),
                json!({"left": self.left}),
            ));
        }
    }

    /// Tells the client what it does not know yet; whether there was something.
    pub(super) fn publish(&mut self, mut files: Files) -> bool {
        let mut is_news = false;
        // What had findings and has none any more, and what is open, is told, too.
        for path in self.published.keys().chain(self.snapshot.documents.keys()) {
            files.entry(path.clone()).or_default();
        }
        for (path, findings) in files {
            let Some(uri) = self.snapshot.uri_of(&path) else {
                continue;
            };
            let version = self.snapshot.documents.get(&path).map(|d| d.version);
            let known = self.published.get(&path);
            let is_known = known.map_or(findings.is_empty(), |known| known.findings == findings);
            is_news |= !is_known;
            if known.is_some_and(|known| is_known && known.version == version && known.uri == uri) {
                continue;
            }
            if findings.is_empty() && version.is_none() {
                self.published.remove(&path);
            } else {
                let published = Published {
                    uri: uri.clone(),
                    version,
                    findings: findings.clone(),
                };
                self.published.insert(path, published);
            }
            if !self.client.pulls {
                self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams {
                    uri,
                    diagnostics: findings,
                    version,
                });
            }
        }
        is_news
    }

    /// Asks the client to ask for findings again.
    pub(super) fn refresh_diagnostics(&mut self) {
        if self.client.pulls && self.client.refreshes {
            self.ask::<request::WorkspaceDiagnosticRefresh>(());
        }
    }

    /// Asks the client something.
    pub(super) fn ask<R: request::Request>(&mut self, params: R::Params) -> RequestId
    where
        R::Params: serde::Serialize,
    {
        self.next_id += 1;
        let id = RequestId::from(self.next_id);
        self.send(Request::new(id.clone(), R::METHOD.to_owned(), params));
        id
    }
}

fn left_in_words(left: usize) -> String {
    match left {
        1 => "1 policy left".to_owned(),
        n => format!("{n} policies left"),
    }
}
