//! Where long work talks with the client while it is at it.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport, notification, request,
};
use serde::Serialize;
use tempfile::TempDir;

/// Numbers of requests to the client that are made here.
static NEXT: AtomicI32 = AtomicI32::new(1);

/// A line to the client, for one request.
pub(crate) struct Desk {
    sender: Sender<Message>,
    given_up: Arc<AtomicBool>,
    pictures: Arc<Pictures>,
}

/// A folder for what is shown in other programs, made when it is first needed, which nobody else can write to. It is gone at
/// the end of the server.
#[derive(Default)]
pub(crate) struct Pictures(Mutex<Option<TempDir>>);

impl Pictures {
    /// Writes a file, over an older one of that name; its path.
    ///
    /// # Errors
    ///
    /// Where that fails.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let mut folder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &mut *folder {
            // Systems clear such folders away while programs run.
            Some(folder) if folder.path().is_dir() => folder,
            slot => slot.insert(tempfile::Builder::new().prefix("ctrc-").tempdir()?),
        };
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

impl Desk {
    pub(super) fn new(
        sender: Sender<Message>,
        given_up: Arc<AtomicBool>,
        pictures: Arc<Pictures>,
    ) -> Self {
        Self {
            sender,
            given_up,
            pictures,
        }
    }

    /// Where pictures are written to.
    pub(crate) fn pictures(&self) -> &Pictures {
        &self.pictures
    }

    /// Whether the client no longer wants the answer.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Tells the client something.
    pub(crate) fn notify<N>(&self, params: N::Params)
    where
        N: notification::Notification,
        N::Params: Serialize,
    {
        let note = Notification::new(N::METHOD.to_owned(), params);
        // A client that is gone is noticed where messages are read.
        let _ = self.sender.send(note.into());
    }

    /// Asks the client to do something; its answer is not waited for.
    pub(crate) fn ask<R>(&self, params: R::Params)
    where
        R: request::Request,
        R::Params: Serialize,
    {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let id = RequestId::from(format!("ctrc {number}"));
        let request = Request::new(id, R::METHOD.to_owned(), params);
        let _ = self.sender.send(request.into());
    }

    /// Begins to tell how far work is, if the client gave a token for it.
    pub(crate) fn progress(&self, token: Option<&ProgressToken>, title: &str) -> Progress<'_> {
        let progress = Progress {
            desk: self,
            token: token.cloned(),
        };
        progress.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: title.to_owned(),
            cancellable: Some(true),
            message: None,
            percentage: None,
        }));
        progress
    }
}

/// How far work is; its end is told where it goes out of scope.
pub(crate) struct Progress<'d> {
    desk: &'d Desk,
    token: Option<NumberOrString>,
}

impl Progress<'_> {
    /// What is being done.
    pub(crate) fn report(&self, message: &str) {
        self.send(WorkDoneProgress::Report(WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(message.to_owned()),
            percentage: None,
        }));
    }

    fn send(&self, value: WorkDoneProgress) {
        if let Some(token) = &self.token {
            self.desk.notify::<notification::Progress>(ProgressParams {
                token: token.clone(),
                value: ProgressParamsValue::WorkDone(value),
            });
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
    }
}
