//! Messages in, messages out.

mod capabilities;
mod desk;
mod faults;
mod notes;
mod pool;
mod prover;
mod publish;
mod settings;
mod surrogates;
mod transport;
mod watch;

use std::any::Any;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use ctr_front::lines::Encoding;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{InitializeParams, InitializeResult, PositionEncodingKind, ServerInfo, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostics::{self, Files};
use crate::features::{
    actions, commands, completion, files, folding, formatting, hover, lens, navigation, rename,
    selection, symbols, tokens,
};
use crate::features::{hints, links, signature};
use crate::library;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::uri;
use capabilities::{Client, capabilities_of};
use pool::Pool;
use prover::{Prover, Remote};
use publish::Proving;
use watch::Walked;

pub(crate) use desk::{Desk, Progress};

use desk::Pictures;

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
    while !server.is_gone.get() {
        let due = server.progress_due().map_or_else(never, at);
        let event = select! {
            recv(receiver) -> message => match message {
                Ok(message) => Event::Message(message),
                Err(_) => return server.phase == Phase::ShutDown,
            },
            recv(found) -> event => match event {
                Ok(event) => event,
                Err(_) => return false,
            },
            recv(due) -> _ => {
                server.begin_progress();
                continue;
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
    false
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
    /// What is known of a snapshot.
    Found {
        generation: u64,
        files: Files,
        /// So many policies are left to prove.
        left: usize,
        /// Whether proofs brought it.
        proven: bool,
    },
    /// Something went wrong apart from any request.
    Fault(String),
}

/// What the thread that looks for findings is told.
enum Job {
    /// There is a new snapshot.
    Find(Arc<Snapshot>),
    /// Something was proven.
    Proven,
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
    /// What commands draw.
    pictures: Arc<Pictures>,
    jobs: Sender<Job>,
    prover: Prover,
    /// The policies of the folders.
    walked: Walked,
    /// Whether the last change was one of a text, after which a client that asks for findings does so by itself.
    is_typing: bool,
    /// So many policies are left to prove.
    left: usize,
    progress: Proving,
    /// Of progress that was told.
    tokens: u32,
    /// What was told of how far findings are known: for which snapshot, and what was left.
    status: Option<(u64, usize)>,
    /// Whether the client takes nothing more.
    is_gone: Cell<bool>,
    /// What the client was told last, by path.
    published: BTreeMap<String, Published>,
    /// Of requests to the client.
    next_id: i32,
    /// The question for the settings that is open.
    settings_asked: Option<RequestId>,
}

/// What the client knows of a file.
struct Published {
    uri: Uri,
    version: Option<i32>,
    findings: Vec<lsp_types::Diagnostic>,
}

impl Server {
    fn new(sender: Sender<Message>, events: Sender<Event>) -> Self {
        let (jobs, to_do) = unbounded();
        let prover = Prover::start(events.clone(), jobs.clone());
        finder(events.clone(), to_do, prover.remote());
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
            pictures: Arc::default(),
            jobs,
            prover,
            walked: Walked::default(),
            is_typing: false,
            left: 0,
            progress: Proving::Idle,
            tokens: 0,
            status: None,
            is_gone: Cell::new(false),
            published: BTreeMap::new(),
            next_id: 0,
            settings_asked: None,
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
            Event::Message(Message::Response(response)) => {
                let is_ok = response.response_result.is_ok();
                self.progress_answered(&response.id, is_ok);
                let answer = response.response_result.as_ref().ok();
                self.settings_answered(&response.id, answer);
            }
            Event::Answered(response) => self.answered(response),
            Event::Found {
                generation,
                files,
                left,
                proven,
            } => {
                if generation == self.snapshot.generation {
                    let is_news = self.publish(files);
                    if is_news && (proven || !self.is_typing) {
                        self.refresh_diagnostics();
                    }
                    self.set_left(left);
                    self.tell_status();
                }
            }
            Event::Fault(what) => self.tell_fault(&what),
        }
    }

    fn send(&self, message: impl Into<Message>) {
        if self.sender.send(message.into()).is_err() {
            self.is_gone.set(true);
        }
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
            request::GotoTypeDefinition::METHOD => {
                self.answer::<request::GotoTypeDefinition>(request, navigation::type_definition);
            }
            request::SignatureHelpRequest::METHOD => {
                self.answer::<request::SignatureHelpRequest>(request, signature::help);
            }
            request::DocumentLinkRequest::METHOD => {
                self.answer::<request::DocumentLinkRequest>(request, links::links);
            }
            library::Content::METHOD => self.answer::<library::Content>(request, library::content),
            library::Text::METHOD => self.answer::<library::Text>(request, library::content),
            request::InlayHintRequest::METHOD => {
                self.answer::<request::InlayHintRequest>(request, hints::hints);
            }
            request::InlayHintResolveRequest::METHOD => {
                self.answer::<request::InlayHintResolveRequest>(request, hints::resolve);
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
            request::WillRenameFiles::METHOD => {
                self.answer::<request::WillRenameFiles>(request, files::will_rename);
            }
            faults::METHOD if faults::are_on() => {
                self.answer::<request::Shutdown>(request, |_, ()| {
                    faults::here();
                    Ok(())
                });
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
        let desk = Desk::new(self.sender.clone(), given_up, Arc::clone(&self.pictures));
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
                Err(payload) => {
                    let what = words(&*payload);
                    let _ = events.send(Event::Fault(format!("`{}`: {what}", R::METHOD)));
                    let what = format!("internal error of ctrc: {what}");
                    (ErrorCode::InternalError, what)
                }
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
        let asks_for_texts = library::asked_for(&request.params);
        // `lsp-types` knows it by another name than the protocol.
        let refreshes = request
            .params
            .pointer("/capabilities/workspace/diagnostics/refreshSupport")
            .and_then(serde_json::Value::as_bool);
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
            refreshes: refreshes.unwrap_or(false),
            ..Client::new(capabilities)
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
        let settings = params
            .initialization_options
            .as_ref()
            .map(Settings::read)
            .unwrap_or_default();
        self.snapshot = Arc::new(Snapshot {
            asks_for_texts,
            settings,
            ..Snapshot::new(encoding).for_client(params.capabilities)
        });
        self.phase = Phase::Running;
        let result = InitializeResult {
            capabilities: capabilities_of(kind),
            server_info: Some(ServerInfo {
                name: diagnostics::SOURCE.to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        };
        self.send(Response::new_ok(request.id, library::offered(&result)));
    }
}

/// The thread that looks for findings: always in the newest snapshot that it was sent.
fn finder(events: Sender<Event>, jobs: Receiver<Job>, prover: Remote) {
    let faults = events.clone();
    let started = pool::thread("findings", move || {
        let mut snapshot: Option<Arc<Snapshot>> = None;
        while let Ok(first) = jobs.recv() {
            let mut is_new = false;
            for job in std::iter::once(first).chain(jobs.try_iter()) {
                if let Job::Find(newer) = job {
                    is_new = true;
                    snapshot = Some(newer);
                }
            }
            let Some(snapshot) = &snapshot else {
                continue;
            };
            let found = panic::catch_unwind(AssertUnwindSafe(|| {
                if is_new {
                    for (path, payload) in diagnostics::read(snapshot) {
                        let what = format!("{path}: {}", words(&*payload));
                        let _ = events.send(Event::Fault(what));
                    }
                }
                // Counted before: what is proven meanwhile is told the next time.
                let roots = snapshot.roots.values();
                let left = roots.filter(|root| root.known().is_some() && !root.is_final());
                let left = left.count();
                Event::Found {
                    generation: snapshot.generation,
                    files: diagnostics::all(snapshot),
                    left,
                    proven: !is_new,
                }
            }));
            let event = found.unwrap_or_else(|payload| Event::Fault(words(&*payload)));
            if events.send(event).is_err() {
                return;
            }
            if is_new {
                prover.prove(snapshot);
            }
        }
    });
    if let Err(error) = started {
        let _ = faults.send(Event::Fault(error.to_string()));
    }
}

/// What a panic said.
fn words(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
