//! A client that does what editors do: answers the server's own requests, collects what it is told, and notes how
//! long each answer took.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// An answer that takes longer is a hang, also on a busy machine and in a build without optimisation.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What a request was answered with: a result, or code and message of an error.
pub(crate) type Answer = Result<Value, (i64, String)>;

/// What a client says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All that the protocol knows: literals, snippets, pulled findings, lazily resolved parts.
    Rich,
    /// Nothing but what every client can do: findings are pushed, texts are plain.
    Poor,
}

pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<bool>>,
    next: i32,
    pub(crate) kind: Kind,
    pub(crate) capabilities: Value,
    /// The findings told last, by address, with the version that they are about.
    pub(crate) findings: BTreeMap<String, (Option<i64>, Value)>,
    /// What the server logged: type and message.
    pub(crate) log: Vec<(i64, String)>,
    /// The requests that the server made.
    pub(crate) asked: BTreeSet<String>,
    sent: HashMap<RequestId, (String, Instant)>,
    /// The longest time to an answer, by method.
    pub(crate) slowest: BTreeMap<String, Duration>,
    pub(crate) answered: u64,
}

/// The capabilities of a client that can do everything.
fn all_capabilities() -> Value {
    let kinds: Vec<u32> = (1..=26).collect();
    let markup = json!(["markdown", "plaintext"]);
    json!({
        "general": {"positionEncodings": ["utf-16"], "markdown": {"parser": "marked"}, "staleRequestSupport": {"cancel": true, "retryOnContentModified": []}},
        "window": {"workDoneProgress": true, "showMessage": {"messageActionItem": {"additionalPropertiesSupport": true}}, "showDocument": {"support": true}},
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"], "failureHandling": "textOnlyTransactional", "normalizesLineEndings": true, "changeAnnotationSupport": {"groupsOnLabel": true}},
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"symbolKind": {"valueSet": kinds}, "tagSupport": {"valueSet": [1]}, "resolveSupport": {"properties": ["location.range"]}},
            "executeCommand": {"dynamicRegistration": true},
            "configuration": true,
            "workspaceFolders": true,
            "codeLens": {"refreshSupport": true},
            "semanticTokens": {"refreshSupport": true},
            "inlayHint": {"refreshSupport": true},
            "diagnostics": {"refreshSupport": true},
            "fileOperations": {"dynamicRegistration": true, "didCreate": true, "willCreate": true, "didRename": true, "willRename": true, "didDelete": true, "willDelete": true},
        },
        "textDocument": {
            "synchronization": {"willSave": true, "willSaveWaitUntil": true, "didSave": true},
            "completion": {
                "contextSupport": true,
                "insertTextMode": 2,
                "completionItem": {
                    "snippetSupport": true, "commitCharactersSupport": true, "documentationFormat": markup,
                    "deprecatedSupport": true, "preselectSupport": true, "tagSupport": {"valueSet": [1]},
                    "insertReplaceSupport": true, "labelDetailsSupport": true, "insertTextModeSupport": {"valueSet": [1, 2]},
                    "resolveSupport": {"properties": ["documentation", "detail", "additionalTextEdits"]},
                },
                "completionItemKind": {"valueSet": (1..=25).collect::<Vec<u32>>()},
                "completionList": {"itemDefaults": ["commitCharacters", "editRange", "insertTextFormat", "insertTextMode", "data"]},
            },
            "hover": {"contentFormat": markup},
            "signatureHelp": {"contextSupport": true, "signatureInformation": {"documentationFormat": markup, "activeParameterSupport": true, "parameterInformation": {"labelOffsetSupport": true}}},
            "declaration": {"linkSupport": true},
            "definition": {"linkSupport": true},
            "typeDefinition": {"linkSupport": true},
            "implementation": {"linkSupport": true},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true, "labelSupport": true, "symbolKind": {"valueSet": kinds}, "tagSupport": {"valueSet": [1]}},
            "codeAction": {
                "isPreferredSupport": true, "disabledSupport": true, "dataSupport": true, "honorsChangeAnnotations": true,
                "resolveSupport": {"properties": ["edit", "command"]},
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source", "source.organizeImports", "source.fixAll"]}},
            },
            "codeLens": {},
            "documentLink": {"tooltipSupport": true},
            "rename": {"prepareSupport": true, "prepareSupportDefaultBehavior": 1, "honorsChangeAnnotations": true},
            "publishDiagnostics": {"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true, "dataSupport": true, "tagSupport": {"valueSet": [1, 2]}},
            "foldingRange": {"rangeLimit": 5000, "foldingRangeKind": {"valueSet": ["comment", "imports", "region"]}, "foldingRange": {"collapsedText": true}},
            "selectionRange": {},
            "linkedEditingRange": {},
            "callHierarchy": {},
            "typeHierarchy": {},
            "moniker": {},
            "inlayHint": {"resolveSupport": {"properties": ["tooltip", "textEdits", "label.tooltip", "label.location", "label.command"]}},
            "inlineValue": {},
            "diagnostic": {"dynamicRegistration": true, "relatedDocumentSupport": true},
            "semanticTokens": {
                "requests": {"range": true, "full": {"delta": true}},
                "tokenTypes": ["namespace", "type", "class", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property", "enumMember", "event", "function", "method", "macro", "keyword", "modifier", "comment", "string", "number", "regexp", "operator", "decorator"],
                "tokenModifiers": ["declaration", "definition", "readonly", "static", "deprecated", "abstract", "async", "modification", "documentation", "defaultLibrary"],
                "formats": ["relative"], "overlappingTokenSupport": false, "multilineTokenSupport": false, "augmentsSyntaxTokens": true,
            },
        },
        "experimental": {"ctrc": {"panels": true}},
    })
}

impl Client {
    /// A server that nobody has spoken to.
    pub(crate) fn silent(kind: Kind) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || ctr_lsp::serve(server))
            .unwrap();
        Self {
            connection,
            server: Some(server),
            next: 0,
            kind,
            capabilities: Value::Null,
            findings: BTreeMap::new(),
            log: Vec::new(),
            asked: BTreeSet::new(),
            sent: HashMap::new(),
            slowest: BTreeMap::new(),
            answered: 0,
        }
    }

    /// What `initialize` is asked with.
    pub(crate) fn greeting(kind: Kind, encoding: &str, folders: &[String]) -> Value {
        let mut capabilities = match kind {
            Kind::Rich => all_capabilities(),
            Kind::Poor => json!({"general": {}}),
        };
        capabilities["general"]["positionEncodings"] = json!([encoding]);
        let folders: Vec<Value> = folders
            .iter()
            .map(|uri| json!({"uri": uri, "name": "w"}))
            .collect();
        json!({"processId": null, "capabilities": capabilities, "workspaceFolders": folders})
    }

    /// A server that is ready, for the folders of a workspace.
    pub(crate) fn ready(kind: Kind, encoding: &str, folders: &[String]) -> Self {
        let mut client = Self::silent(kind);
        let answer = client.request("initialize", Self::greeting(kind, encoding, folders));
        client.capabilities = answer.unwrap()["capabilities"].take();
        assert_eq!(client.capabilities["positionEncoding"], encoding);
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn say(&mut self, message: impl Into<Message>) {
        self.connection.sender.send(message.into()).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.say(Notification::new(method.to_owned(), params));
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.sent
            .insert(id.clone(), (method.to_owned(), Instant::now()));
        self.say(Request::new(id.clone(), method.to_owned(), params));
        id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Answer {
        let id = self.send(method, params);
        self.wait(vec![id]).pop().unwrap()
    }

    /// Answers to requests that were sent, in their order.
    pub(crate) fn wait(&mut self, ids: Vec<RequestId>) -> Vec<Answer> {
        let mut answers: HashMap<RequestId, Answer> = HashMap::new();
        while answers.len() < ids.len() {
            let Some(message) = self.take(PATIENCE) else {
                let missing: Vec<_> = ids
                    .iter()
                    .filter(|id| !answers.contains_key(id))
                    .map(|id| self.sent.get(id).map_or("?", |(method, _)| method))
                    .collect();
                panic!("the server hangs in {missing:?}; it logged {:?}", self.log);
            };
            if let Message::Response(Response {
                id,
                response_result,
            }) = message
            {
                assert!(
                    ids.contains(&id),
                    "an answer to nothing that was asked: {id:?}"
                );
                let answer = response_result.map_err(|e| (i64::from(e.code), e.message));
                assert!(answers.insert(id, answer).is_none(), "answered twice");
            }
        }
        ids.iter().map(|id| answers.remove(id).unwrap()).collect()
    }

    /// Asks many things at once.
    pub(crate) fn ask(&mut self, all: &[(String, Value)]) -> Vec<Answer> {
        let ids = all
            .iter()
            .map(|(method, params)| self.send(method, params.clone()))
            .collect();
        self.wait(ids)
    }

    /// The next message; `None` where none comes in time.
    pub(crate) fn take(&mut self, patience: Duration) -> Option<Message> {
        let message = self.connection.receiver.recv_timeout(patience).ok()?;
        match &message {
            Message::Notification(note) => self.noted(note),
            Message::Request(request) => self.asked_for(request),
            Message::Response(response) => {
                let (method, since) = self
                    .sent
                    .remove(&response.id)
                    .expect("an answer to nothing");
                let took = since.elapsed();
                self.answered += 1;
                let slowest = self.slowest.entry(method).or_default();
                *slowest = took.max(*slowest);
            }
        }
        Some(message)
    }

    /// The next message, of which no account is kept.
    pub(crate) fn take_raw(&mut self, patience: Duration) -> Option<Message> {
        self.connection.receiver.recv_timeout(patience).ok()
    }

    fn noted(&mut self, note: &Notification) {
        match note.method.as_str() {
            "textDocument/publishDiagnostics" => {
                let uri = note.params["uri"].as_str().unwrap().to_owned();
                let version = note.params["version"].as_i64();
                self.findings
                    .insert(uri, (version, note.params["diagnostics"].clone()));
            }
            "window/logMessage" => self.log.push((
                note.params["type"].as_i64().unwrap(),
                note.params["message"].as_str().unwrap().to_owned(),
            )),
            "$/progress" | "window/showMessage" | "$/logTrace" | "telemetry/event" => {}
            other => panic!("an unknown notification `{other}`"),
        }
    }

    /// What an editor answers.
    fn asked_for(&mut self, request: &Request) {
        self.asked.insert(request.method.clone());
        let result = match request.method.as_str() {
            "workspace/configuration" => {
                let items = request.params["items"].as_array().unwrap();
                Value::Array(vec![Value::Null; items.len()])
            }
            "workspace/applyEdit" => json!({"applied": false}),
            "window/showDocument" => json!({"success": true}),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/codeLens/refresh"
            | "workspace/semanticTokens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/diagnostic/refresh"
            | "workspace/workspaceFolders" => Value::Null,
            other => panic!("an unknown request `{other}` of the server"),
        };
        assert!(
            self.kind == Kind::Rich || request.method == "workspace/workspaceFolders",
            "`{}` is asked of a client that cannot do it",
            request.method
        );
        self.say(Response::new_ok(request.id.clone(), result));
    }

    /// Takes messages until none has come for this long.
    pub(crate) fn calm(&mut self, quiet: Duration) {
        while self.take(quiet).is_some() {}
    }

    /// Waits for the findings of a version of a document.
    pub(crate) fn settle(&mut self, uri: &str, version: i64) {
        let until = Instant::now() + PATIENCE;
        while self.findings.get(uri).and_then(|(known, _)| *known) != Some(version) {
            assert!(Instant::now() < until, "no findings for {uri} at {version}");
            self.take(PATIENCE);
        }
    }

    /// Waits until the server has looked at a document.
    pub(crate) fn settle_or_pull(&mut self, uri: &str) {
        self.request(
            "textDocument/diagnostic",
            json!({"textDocument": {"uri": uri}}),
        )
        .unwrap();
    }

    pub(crate) fn open(&mut self, uri: &str, version: i64, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "ctr", "version": version, "text": text}}),
        );
    }

    /// Replaces the whole text.
    pub(crate) fn replace(&mut self, uri: &str, version: i64, text: &str) {
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}),
        );
    }

    /// What the server logged as an error, or said of itself.
    pub(crate) fn faults(&self) -> Vec<&str> {
        self.log
            .iter()
            .filter(|(kind, text)| *kind == 1 || text.contains("internal error"))
            .map(|(_, text)| text.as_str())
            .collect()
    }

    /// Says goodbye; whether the server took it well.
    pub(crate) fn close(mut self) -> bool {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join().unwrap()
    }

    /// Only `exit`; whether the server took it well.
    pub(crate) fn leave(mut self) -> bool {
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join().unwrap()
    }
}
