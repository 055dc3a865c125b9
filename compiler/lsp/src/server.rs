//! Messages in, messages out.

mod desk;
mod pool;
mod transport;
mod watch;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use ctr_front::lines::Encoding;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    DiagnosticOptions, DiagnosticServerCapabilities, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, PositionEncodingKind,
    PublishDiagnosticsParams, RenameOptions, SelectionRangeProviderCapability, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostics;
use crate::documents::Document;
use crate::features::{
    actions, commands, completion, folding, formatting, hover, lens, navigation, rename, selection,
    symbols, tokens,
};
use crate::overlay;
use crate::snapshot::Snapshot;
use crate::uri;
use pool::Pool;

pub(crate) use desk::{Desk, Progress};

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It cannot be done, and the user is told why.
    Refused(String),
    /// The parameters are not what the request takes.
    Parameters(String),
    /// The client no longer wants it.
    GivenUp,
}

/// Serves on standard input and output until the client says `exit` or closes the pipe. Whether it said `shutdown`
/// before: a server that was not told so ends with an error.
///
/// # Errors
///
/// Where reading or writing fails.
pub fn stdio() -> std::io::Result<bool> {
    let (sender, receiver, threads) = transport::stdio()?;
    let clean = serve(Connection { sender, receiver });
    threads.join()?;
    Ok(clean)
}

/// Serves a connection until the client says `exit` or closes it. Whether it said `shutdown` before.
#[must_use]
pub fn serve(connection: Connection) -> bool {
    let Connection { sender, receiver } = connection;
    let (events, found) = unbounded();
    let mut server = Server::new(sender, events);
    loop {
        let event = select! {
            recv(receiver) -> message => match message {
                Ok(message) => Event::Message(message),
                Err(_) => return server.phase == Phase::ShutDown,
            },
            recv(found) -> event => match event {
                Ok(event) => event,
                Err(_) => return false,
            },
        };
        match event {
            Event::Message(Message::Notification(note))
                if note.method == notification::Exit::METHOD =>
            {
                return server.phase == Phase::ShutDown;
            }
            event => server.handle(event),
        }
    }
}

/// What answers a request that may take long.
type Slowly<R> = fn(
    &Snapshot,
    &<R as request::Request>::Params,
    &Desk,
) -> Result<<R as request::Request>::Result, Failure>;

/// What the main thread waits for.
enum Event {
    Message(Message),
    /// A request was answered.
    Answered(Response),
    /// The findings of a snapshot, by path.
    Found {
        generation: u64,
        files: BTreeMap<String, Vec<lsp_types::Diagnostic>>,
    },
    /// Something went wrong apart from any request.
    Fault(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    Running,
    ShutDown,
}

struct Server {
    sender: Sender<Message>,
    events: Sender<Event>,
    phase: Phase,
    snapshot: Arc<Snapshot>,
    /// The folders of the workspace.
    folders: Vec<String>,
    /// What the client can do that matters here.
    client: Client,
    /// Requests that are being answered, and whether the client has given them up.
    open: HashMap<RequestId, Arc<AtomicBool>>,
    pool: Pool,
    /// For what takes long, so that it holds up nothing else.
    slow: Pool,
    checker: Sender<Arc<Snapshot>>,
    /// What the client was told last, by path.
    published: BTreeMap<String, Published>,
    /// Of requests to the client.
    next_id: i32,
}

/// What the client knows of a file.
struct Published {
    uri: Uri,
    version: Option<i32>,
    findings: Vec<lsp_types::Diagnostic>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Client {
    /// Asks for findings itself.
    pulls: bool,
    /// Can be asked to watch files.
    watches: bool,
}

impl Server {
    fn new(sender: Sender<Message>, events: Sender<Event>) -> Self {
        let checker = checker(events.clone());
        Self {
            sender,
            events,
            phase: Phase::New,
            snapshot: Arc::new(Snapshot::new(Encoding::Utf16)),
            folders: Vec::new(),
            client: Client::default(),
            open: HashMap::new(),
            pool: Pool::new(),
            slow: Pool::new(),
            checker,
            published: BTreeMap::new(),
            next_id: 0,
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Notification(note)) => {
                let method = note.method.clone();
                let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.notification(note)));
                if let Err(payload) = outcome {
                    self.tell_fault(&format!("`{method}`: {}", words(&*payload)));
                }
            }
            // Answers of the client to what it was asked need nothing done.
            Event::Message(Message::Response(_)) => {}
            Event::Answered(response) => self.answered(response),
            Event::Found { generation, files } => {
                if generation == self.snapshot.generation {
                    self.publish(files);
                }
            }
            Event::Fault(what) => self.tell_fault(&what),
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed where messages are read.
        let _ = self.sender.send(message.into());
    }

    fn notify<N: notification::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: impl Into<String>) {
        self.send(Response::new_err(id, code as i32, message.into()));
    }

    /// A fault of this program, which goes on.
    fn tell_fault(&self, what: &str) {
        self.notify::<notification::LogMessage>(lsp_types::LogMessageParams {
            typ: lsp_types::MessageType::ERROR,
            message: format!("internal error of ctrc: {what}"),
        });
    }

    fn request(&mut self, request: Request) {
        match (self.phase, request.method.as_str()) {
            (Phase::New, request::Initialize::METHOD) => self.initialize(request),
            (Phase::New, _) => self.refuse(
                request.id,
                ErrorCode::ServerNotInitialized,
                "the server is not initialized",
            ),
            (_, request::Initialize::METHOD) => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the server is initialized already",
            ),
            (Phase::ShutDown, _) => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the server has been shut down",
            ),
            (Phase::Running, request::Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                self.send(Response::new_ok(request.id, ()));
            }
            (Phase::Running, _) => self.dispatch(request),
        }
    }

    fn dispatch(&mut self, request: Request) {
        match request.method.as_str() {
            request::Formatting::METHOD => {
                self.answer::<request::Formatting>(request, formatting::document);
            }
            request::RangeFormatting::METHOD => {
                self.answer::<request::RangeFormatting>(request, formatting::range);
            }
            request::DocumentSymbolRequest::METHOD => {
                self.answer::<request::DocumentSymbolRequest>(request, symbols::document);
            }
            request::WorkspaceSymbolRequest::METHOD => {
                self.answer::<request::WorkspaceSymbolRequest>(request, symbols::workspace);
            }
            request::HoverRequest::METHOD => {
                self.answer::<request::HoverRequest>(request, hover::hover);
            }
            request::GotoDefinition::METHOD => {
                self.answer::<request::GotoDefinition>(request, navigation::definition);
            }
            request::References::METHOD => {
                self.answer::<request::References>(request, navigation::references);
            }
            request::DocumentHighlightRequest::METHOD => {
                self.answer::<request::DocumentHighlightRequest>(request, navigation::highlights);
            }
            request::PrepareRenameRequest::METHOD => {
                self.answer::<request::PrepareRenameRequest>(request, rename::prepare);
            }
            request::Rename::METHOD => {
                self.answer::<request::Rename>(request, rename::rename);
            }
            request::Completion::METHOD => {
                self.answer::<request::Completion>(request, completion::completion);
            }
            request::ResolveCompletionItem::METHOD => {
                self.answer::<request::ResolveCompletionItem>(request, completion::resolve);
            }
            request::CodeActionRequest::METHOD => {
                self.answer::<request::CodeActionRequest>(request, actions::actions);
            }
            request::CodeActionResolveRequest::METHOD => {
                self.answer_slowly::<request::CodeActionResolveRequest>(request, actions::resolve);
            }
            request::CodeLensRequest::METHOD => {
                self.answer::<request::CodeLensRequest>(request, lens::lenses);
            }
            request::CodeLensResolve::METHOD => {
                self.answer::<request::CodeLensResolve>(request, lens::resolve);
            }
            request::ExecuteCommand::METHOD => {
                self.answer_slowly::<request::ExecuteCommand>(request, commands::execute);
            }
            request::FoldingRangeRequest::METHOD => {
                self.answer::<request::FoldingRangeRequest>(request, folding::ranges);
            }
            request::SelectionRangeRequest::METHOD => {
                self.answer::<request::SelectionRangeRequest>(request, selection::ranges);
            }
            request::SemanticTokensFullRequest::METHOD => {
                self.answer::<request::SemanticTokensFullRequest>(request, tokens::full);
            }
            request::SemanticTokensFullDeltaRequest::METHOD => {
                self.answer::<request::SemanticTokensFullDeltaRequest>(request, tokens::delta);
            }
            request::SemanticTokensRangeRequest::METHOD => {
                self.answer::<request::SemanticTokensRangeRequest>(request, tokens::range);
            }
            request::DocumentDiagnosticRequest::METHOD => {
                self.answer::<request::DocumentDiagnosticRequest>(
                    request,
                    diagnostics::of_document,
                );
            }
            request::WorkspaceDiagnosticRequest::METHOD => {
                self.answer::<request::WorkspaceDiagnosticRequest>(
                    request,
                    diagnostics::of_workspace,
                );
            }
            method => {
                let message = format!("there is no request `{method}`");
                self.refuse(request.id, ErrorCode::MethodNotFound, message);
            }
        }
    }

    /// Answers a request on another thread, from the texts as they are now.
    fn answer<R>(
        &mut self,
        request: Request,
        with: fn(&Snapshot, &R::Params) -> Result<R::Result, Failure>,
    ) where
        R: request::Request,
        R::Params: DeserializeOwned + Send + 'static,
        R::Result: Serialize,
    {
        if let Some(job) = self.job::<R>(request, move |snapshot, params, _| with(snapshot, params))
        {
            self.pool.run(job);
        }
    }

    /// The same, for what may take long and tells the client of it meanwhile.
    fn answer_slowly<R>(&mut self, request: Request, with: Slowly<R>)
    where
        R: request::Request,
        R::Params: DeserializeOwned + Send + 'static,
        R::Result: Serialize,
    {
        if let Some(job) = self.job::<R>(request, with) {
            self.slow.run(job);
        }
    }

    /// What makes the answer; `None` where the request is refused at once.
    fn job<R>(
        &mut self,
        request: Request,
        with: impl FnOnce(&Snapshot, &R::Params, &Desk) -> Result<R::Result, Failure> + Send + 'static,
    ) -> Option<pool::Job>
    where
        R: request::Request,
        R::Params: DeserializeOwned + Send + 'static,
        R::Result: Serialize,
    {
        let Request { id, params, .. } = request;
        let params: R::Params = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => {
                let message = format!("the parameters of `{}` are wrong: {error}", R::METHOD);
                self.refuse(id, ErrorCode::InvalidParams, message);
                return None;
            }
        };
        let given_up = Arc::new(AtomicBool::new(false));
        self.open.insert(id.clone(), Arc::clone(&given_up));
        let snapshot = Arc::clone(&self.snapshot);
        let events = self.events.clone();
        let desk = Desk::new(self.sender.clone(), given_up);
        Some(Box::new(move || {
            let outcome = if desk.is_given_up() {
                Ok(Err(Failure::GivenUp))
            } else {
                panic::catch_unwind(AssertUnwindSafe(|| with(&snapshot, &params, &desk)))
            };
            let (code, what) = match outcome {
                Ok(Ok(result)) => {
                    let _ = events.send(Event::Answered(Response::new_ok(id, result)));
                    return;
                }
                Ok(Err(Failure::Refused(why))) => (ErrorCode::RequestFailed, why),
                Ok(Err(Failure::Parameters(why))) => (ErrorCode::InvalidParams, why),
                Ok(Err(Failure::GivenUp)) => (ErrorCode::RequestCanceled, "cancelled".to_owned()),
                Err(payload) => (
                    ErrorCode::InternalError,
                    format!("internal error of ctrc: {}", words(&*payload)),
                ),
            };
            let response = Response::new_err(id, code as i32, what);
            let _ = events.send(Event::Answered(response));
        }))
    }

    fn answered(&mut self, response: Response) {
        if self.open.remove(&response.id).is_some() {
            self.send(response);
        }
    }

    fn initialize(&mut self, request: Request) {
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => {
                let message = format!("the parameters of `initialize` are wrong: {error}");
                self.refuse(request.id, ErrorCode::InvalidParams, message);
                return;
            }
        };
        let capabilities = &params.capabilities;
        let utf8 = capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_ref())
            .is_some_and(|all| all.contains(&PositionEncodingKind::UTF8));
        let (encoding, kind) = if utf8 {
            (Encoding::Utf8, PositionEncodingKind::UTF8)
        } else {
            (Encoding::Utf16, PositionEncodingKind::UTF16)
        };
        self.client = Client {
            pulls: capabilities
                .text_document
                .as_ref()
                .is_some_and(|text| text.diagnostic.is_some()),
            watches: capabilities
                .workspace
                .as_ref()
                .and_then(|workspace| workspace.did_change_watched_files)
                .and_then(|watched| watched.dynamic_registration)
                .unwrap_or(false),
        };
        #[expect(
            deprecated,
            reason = "older clients give the one folder that they know"
        )]
        let folders: Vec<Uri> = match params.workspace_folders {
            Some(folders) => folders.into_iter().map(|folder| folder.uri).collect(),
            None => params.root_uri.into_iter().collect(),
        };
        self.folders = folders
            .iter()
            .filter_map(|folder| uri::path(folder.as_str()))
            .collect();
        self.snapshot = Arc::new(Snapshot::new(encoding).for_client(params.capabilities));
        self.phase = Phase::Running;
        let result = InitializeResult {
            capabilities: capabilities_of(kind),
            server_info: Some(ServerInfo {
                name: diagnostics::SOURCE.to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        };
        self.send(Response::new_ok(request.id, result));
    }

    fn notification(&mut self, note: Notification) {
        if self.phase != Phase::Running && note.method != notification::Initialized::METHOD {
            return;
        }
        match note.method.as_str() {
            notification::Initialized::METHOD => {
                if self.client.watches {
                    self.watch_files();
                }
                self.refresh(self.snapshot.documents.clone(), &BTreeSet::new());
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
                    documents.remove(&path);
                    self.refresh(documents, &BTreeSet::from([path]));
                }
            }
            notification::DidSaveTextDocument::METHOD => {
                // The buffer was what counted before, and still is.
            }
            notification::DidChangeWatchedFiles::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeWatchedFiles>(note) {
                    self.files_changed(params.changes.iter().map(|change| change.uri.as_str()));
                }
            }
            notification::DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = self.params::<notification::DidChangeWorkspaceFolders>(note) {
                    let path = |uri: &Uri| uri::path(uri.as_str());
                    let removed: Vec<String> = params
                        .event
                        .removed
                        .iter()
                        .filter_map(|f| path(&f.uri))
                        .collect();
                    self.folders.retain(|folder| !removed.contains(folder));
                    self.folders
                        .extend(params.event.added.iter().filter_map(|f| path(&f.uri)));
                    self.refresh(self.snapshot.documents.clone(), &BTreeSet::new());
                }
            }
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
        self.refresh(documents, &BTreeSet::from([path]));
    }

    /// Files changed behind the editor's back.
    fn files_changed<'u>(&mut self, uris: impl Iterator<Item = &'u str>) {
        let mut changed = BTreeSet::new();
        for path in uris.filter_map(uri::path) {
            let path = overlay::canonical(&path);
            // Lists of names in a folder are used for suggestions.
            if let Some((folder, _)) = path.rsplit_once('/') {
                changed.insert(folder.to_owned());
            }
            changed.insert(path);
        }
        self.refresh(self.snapshot.documents.clone(), &changed);
    }

    /// The next snapshot, and the search for its findings.
    fn refresh(&mut self, documents: crate::documents::Documents, changed: &BTreeSet<String>) {
        let roots = watch::policies(&self.folders, &documents);
        self.snapshot = Arc::new(self.snapshot.next(documents, roots, changed));
        let _ = self.checker.send(Arc::clone(&self.snapshot));
    }

    fn watch_files(&mut self) {
        self.next_id += 1;
        let request = watch::registration(RequestId::from(self.next_id));
        self.send(request);
    }

    /// Tells the client what it does not know yet.
    fn publish(&mut self, mut files: BTreeMap<String, Vec<lsp_types::Diagnostic>>) {
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
            if known.is_some_and(|known| {
                known.findings == findings && known.version == version && known.uri == uri
            }) {
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
    }
}

/// The thread that looks for findings: always in the newest snapshot that it was sent.
fn checker(events: Sender<Event>) -> Sender<Arc<Snapshot>> {
    let (sender, receiver): (Sender<Arc<Snapshot>>, Receiver<Arc<Snapshot>>) = unbounded();
    let faults = events.clone();
    let started = pool::thread("findings", move || {
        while let Ok(first) = receiver.recv() {
            let snapshot = receiver.try_iter().last().unwrap_or(first);
            let found = panic::catch_unwind(AssertUnwindSafe(|| diagnostics::all(&snapshot)));
            let event = match found {
                Ok(files) => Event::Found {
                    generation: snapshot.generation,
                    files,
                },
                Err(payload) => Event::Fault(words(&*payload)),
            };
            if events.send(event).is_err() {
                return;
            }
        }
    });
    if let Err(error) = started {
        let _ = faults.send(Event::Fault(error.to_string()));
    }
    sender
}

/// What a panic said.
fn words(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

fn capabilities_of(encoding: PositionEncodingKind) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(completion::options()),
        code_action_provider: Some(actions::options()),
        code_lens_provider: Some(lens::options()),
        execute_command_provider: Some(commands::options()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(tokens::capability()),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some(diagnostics::SOURCE.to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            ..DiagnosticOptions::default()
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
