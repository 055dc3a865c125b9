//! A client for tests: the server on a thread, messages through memory.

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<bool>>,
    next: i32,
    /// The findings told last, by address, with the version that they are about.
    pub(crate) findings: BTreeMap<String, (Option<i64>, Value)>,
    /// What the server logged.
    pub(crate) log: Vec<String>,
    /// What the server told the user, and asked of the client.
    pub(crate) told: Vec<(String, Value)>,
    /// What the server said that it can do.
    pub(crate) capabilities: Value,
}

/// What a client can show that knows all that hovers and completions may have.
pub(crate) fn shows() -> Value {
    json!({"textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {
            "snippetSupport": true,
            "insertReplaceSupport": true,
            "labelDetailsSupport": true,
            "documentationFormat": ["markdown", "plaintext"],
        }},
    }})
}

impl Client {
    /// A server that nobody has spoken to.
    pub(crate) fn silent() -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || ctr_lsp::serve(server))
            .unwrap();
        Self {
            connection,
            server: Some(server),
            next: 0,
            findings: BTreeMap::new(),
            log: Vec::new(),
            told: Vec::new(),
            capabilities: Value::Null,
        }
    }

    /// A server that is ready, for the folders of a workspace.
    pub(crate) fn ready(encoding: &str, folders: &[String]) -> Self {
        Self::able(encoding, folders, shows())
    }

    /// The same, for a client that can do more.
    pub(crate) fn able(encoding: &str, folders: &[String], mut capabilities: Value) -> Self {
        capabilities["general"] = json!({"positionEncodings": [encoding]});
        // So that nothing is written to the folders of whoever runs the tests.
        capabilities["workspace"]["textDocumentContent"] = json!({});
        let mut client = Self::silent();
        let folders: Vec<Value> = folders
            .iter()
            .map(|uri| json!({"uri": uri, "name": "w"}))
            .collect();
        let answer = client.request(
            "initialize",
            json!({
                "processId": null,
                "capabilities": capabilities,
                "workspaceFolders": folders,
            }),
        );
        client.capabilities = answer.unwrap()["capabilities"].clone();
        assert_eq!(client.capabilities["positionEncoding"], encoding);
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let note = Notification::new(method.to_owned(), params);
        self.connection.sender.send(note.into()).unwrap();
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(request.into()).unwrap();
        id
    }

    /// What the server answers.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.wait(&id)
    }

    pub(crate) fn wait(&mut self, id: &RequestId) -> Result<Value, Value> {
        loop {
            if let Message::Response(Response {
                id: answered,
                response_result,
            }) = self.take()
                && answered == *id
            {
                return response_result
                    .map_err(|error| json!({"code": error.code, "message": error.message}));
            }
        }
    }

    fn take(&mut self) -> Message {
        let message = self
            .connection
            .receiver
            .recv_timeout(PATIENCE)
            .expect("the server says nothing");
        if let Message::Notification(note) = &message {
            match note.method.as_str() {
                "textDocument/publishDiagnostics" => {
                    let uri = note.params["uri"].as_str().unwrap().to_owned();
                    let version = note.params["version"].as_i64();
                    self.findings
                        .insert(uri, (version, note.params["diagnostics"].clone()));
                }
                "window/logMessage" => self.log.push(note.params["message"].to_string()),
                "window/showMessage" | "$/progress" => {
                    self.told.push((note.method.clone(), note.params.clone()));
                }
                _ => {}
            }
        }
        if let Message::Request(request) = &message {
            self.told
                .push((request.method.clone(), request.params.clone()));
        }
        message
    }

    /// Waits for the findings of a version of a document.
    pub(crate) fn settle(&mut self, uri: &str, version: i64) {
        let until = Instant::now() + PATIENCE;
        while self.findings.get(uri).and_then(|(known, _)| *known) != Some(version) {
            assert!(Instant::now() < until, "no findings for {uri} at {version}");
            self.take();
        }
    }

    pub(crate) fn open(&mut self, uri: &str, version: i64, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "ctr", "version": version, "text": text}}),
        );
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
