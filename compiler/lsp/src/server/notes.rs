//! What the client tells without asking.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::notification::{self, Notification as _};
use lsp_types::{FileChangeType, FileEvent, Uri};
use serde::de::DeserializeOwned;

use super::watch::Walked;
use super::{Job, Phase, Server, faults};
use crate::documents::{Document, Documents};
use crate::overlay;
use crate::snapshot::Changes;
use crate::uri;

impl Server {
    pub(super) fn notification(&mut self, note: Notification) {
        if self.phase != Phase::Running {
            return;
        }
        match note.method.as_str() {
            notification::Initialized::METHOD => {
                if self.client.watches {
                    self.watch_files();
                }
                self.ask_settings(true);
                self.search(&Changes::default());
            }
            notification::Cancel::METHOD => {
                if let Some(params) = self.params::<notification::Cancel>(note) {
                    let id = match params.id {
                        lsp_types::NumberOrString::Number(id) => RequestId::from(id),
                        lsp_types::NumberOrString::String(id) => RequestId::from(id),
                    };
                    // What is at work on it stops when it can; the client need not wait for that.
                    if let Some(flag) = self.open.remove(&id) {
                        flag.store(true, Ordering::Relaxed);
                        self.refuse(id, ErrorCode::RequestCanceled, "cancelled");
                    }
                }
            }
            notification::DidOpenTextDocument::METHOD => {
                if let Some(params) = self.params::<notification::DidOpenTextDocument>(note) {
                    let item = params.text_document;
                    self.set(Document::new(item.uri, item.version, item.text));
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeTextDocument>(note) {
                    let Some(old) = self.snapshot.document(&params.text_document.uri) else {
                        return;
                    };
                    let new = old.changed(
                        params.text_document.version,
                        params.content_changes,
                        self.snapshot.encoding,
                    );
                    self.set(new);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(params) = self.params::<notification::DidCloseTextDocument>(note)
                    && let Some(path) = uri::path(params.text_document.uri.as_str())
                {
                    let path = overlay::canonical(&path);
                    let mut documents = self.snapshot.documents.clone();
                    if documents.remove(&path).is_some() {
                        self.texts_changed(documents, &path);
                    }
                }
            }
            // The buffer was what counted before, and still is; but a client that watches no files has no other word for a
            // file that is new.
            notification::DidSaveTextDocument::METHOD => {
                if !self.client.watches
                    && let Some(params) = self.params::<notification::DidSaveTextDocument>(note)
                {
                    self.files_changed(std::iter::once(params.text_document.uri.as_str()), true);
                }
            }
            notification::DidChangeWatchedFiles::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeWatchedFiles>(note) {
                    let walks = !params.changes.iter().all(|change| self.is_text(change));
                    let uris = params.changes.iter().map(|change| change.uri.as_str());
                    self.files_changed(uris, walks);
                }
            }
            notification::DidCreateFiles::METHOD => {
                if let Some(params) = self.params::<notification::DidCreateFiles>(note) {
                    self.files_changed(params.files.iter().map(|file| file.uri.as_str()), true);
                }
            }
            notification::DidDeleteFiles::METHOD => {
                if let Some(params) = self.params::<notification::DidDeleteFiles>(note) {
                    self.files_changed(params.files.iter().map(|file| file.uri.as_str()), true);
                }
            }
            notification::DidRenameFiles::METHOD => {
                if let Some(params) = self.params::<notification::DidRenameFiles>(note) {
                    let both = params.files.iter();
                    self.files_changed(
                        both.flat_map(|file| [file.old_uri.as_str(), file.new_uri.as_str()]),
                        true,
                    );
                }
            }
            // A client that says so may also mean those of `ctrc.toml`.
            notification::DidChangeConfiguration::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeConfiguration>(note) {
                    self.settings_changed(&params.settings);
                }
                self.search(&Changes::default());
            }
            notification::DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeWorkspaceFolders>(note) {
                    let path = |uri: &Uri| uri::path(uri.as_str());
                    let removed: BTreeSet<String> = params
                        .event
                        .removed
                        .iter()
                        .filter_map(|f| path(&f.uri))
                        .collect();
                    self.folders.retain(|folder| !removed.contains(folder));
                    let added = params.event.added.iter().filter_map(|f| path(&f.uri));
                    for folder in added {
                        if !self.folders.contains(&folder) {
                            self.folders.push(folder);
                        }
                    }
                    self.search(&Changes::default());
                }
            }
            faults::METHOD if faults::are_on() => faults::here(),
            // What the protocol allows to be ignored.
            _ => {}
        }
    }

    fn params<N>(&self, note: Notification) -> Option<N::Params>
    where
        N: notification::Notification,
        N::Params: DeserializeOwned,
    {
        match serde_json::from_value(note.params) {
            Ok(params) => Some(params),
            Err(error) => {
                self.notify::<notification::LogMessage>(lsp_types::LogMessageParams {
                    typ: lsp_types::MessageType::WARNING,
                    message: format!("the parameters of `{}` are wrong: {error}", N::METHOD),
                });
                None
            }
        }
    }

    /// Takes a text of the editor.
    fn set(&mut self, document: Document) {
        let Some(path) = uri::path(document.uri.as_str()) else {
            return;
        };
        let path = overlay::canonical(&path);
        let mut documents = self.snapshot.documents.clone();
        documents.insert(path.clone(), Arc::new(document));
        self.texts_changed(documents, &path);
    }

    /// The text of a file is another for the editor.
    fn texts_changed(&mut self, documents: Documents, path: &str) {
        // Settings say which files of a folder count.
        if path.ends_with("/ctrc.toml") {
            self.walked = Walked::new(&self.folders, &documents);
        }
        self.is_typing = true;
        let known = &self.snapshot.documents;
        let comes_or_goes = known.contains_key(path) != documents.contains_key(path)
            && !std::fs::exists(path).unwrap_or(true);
        let changes = if comes_or_goes {
            // A file that only the editor has is one of the names in its folder.
            let mut changes = Changes::default();
            changes.add(path);
            changes
        } else {
            Changes::text(path)
        };
        self.refresh(documents, &changes);
    }

    /// Whether a change is one of the text of a file alone, for which no folder need be searched. Clients tell of new files as
    /// changed ones, too.
    fn is_text(&self, change: &FileEvent) -> bool {
        let path = change.uri.as_str();
        change.typ == FileChangeType::CHANGED
            && (path.ends_with(".json")
                || (path.ends_with(".ctr")
                    && uri::path(path).is_some_and(|path| {
                        self.snapshot.roots.contains_key(&overlay::canonical(&path))
                            && std::fs::exists(&path).unwrap_or(false)
                    })))
    }

    /// Files changed behind the editor's back; `walks` where some may have come or gone.
    fn files_changed<'u>(&mut self, uris: impl Iterator<Item = &'u str>, walks: bool) {
        let mut changes = Changes::default();
        for path in uris.filter_map(uri::path) {
            changes.add(&overlay::canonical(&path));
        }
        if walks {
            self.search(&changes);
        } else {
            self.is_typing = false;
            self.refresh(self.snapshot.documents.clone(), &changes);
        }
    }

    /// Searches the folders anew.
    fn search(&mut self, changes: &Changes) {
        self.walked = Walked::new(&self.folders, &self.snapshot.documents);
        self.is_typing = false;
        self.refresh(self.snapshot.documents.clone(), changes);
    }

    /// The next snapshot, and the search for its findings.
    fn refresh(&mut self, documents: Documents, changes: &Changes) {
        let policies = self.walked.with_open(&documents);
        let mut next = self.snapshot.next(documents, &policies, changes);
        if *next.idle != self.walked.idle {
            next.idle = Arc::new(self.walked.idle.clone());
        }
        self.snapshot = Arc::new(next);
        self.prover.outdated(&self.snapshot);
        let _ = self.jobs.send(Job::Find(Arc::clone(&self.snapshot)));
    }

    fn watch_files(&mut self) {
        self.next_id += 1;
        let request = super::watch::registration(RequestId::from(self.next_id));
        self.send(request);
    }
}
