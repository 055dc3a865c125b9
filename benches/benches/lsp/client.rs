//! An editor: the server on a thread, messages through memory.

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ctr_bench::Failure;
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// The stack of the server's main thread, as the program has it.
const STACK: usize = 64 << 20;

pub(crate) struct Client {
    connection: Connection,
    server: JoinHandle<bool>,
    next: i32,
    /// The findings told last, by address: version and codes.
    told: BTreeMap<String, (Option<i64>, Vec<String>)>,
}

impl Client {
    /// A server that is ready, for a folder.
    pub(crate) fn ready(folder: &str) -> Result<Self, Failure> {
        let (server, connection) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || ctr_lsp::serve(server))?;
        let mut client = Self {
            connection,
            server,
            next: 0,
            told: BTreeMap::new(),
        };
        client.request(
            "initialize",
            &json!({
                "processId": null,
                "capabilities": {"general": {"positionEncodings": ["utf-16"]}},
                "workspaceFolders": [{"uri": folder, "name": "w"}],
            }),
        )?;
        client.notify("initialized", json!({}))?;
        Ok(client)
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        let note = Notification::new(method.to_owned(), params);
        Ok(self.connection.sender.send(note.into())?)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(request.into())?;
        let until = Instant::now() + PATIENCE;
        loop {
            let Some(message) = self.take(until)? else {
                return Err(format!("no answer to {method}").into());
            };
            if let Message::Response(Response {
                id: answered,
                response_result,
            }) = message
                && answered == id
            {
                return response_result.map_err(|error| error.message.into());
            }
        }
    }

    /// The next message; `None` where there is none in time.
    fn take(&mut self, until: Instant) -> Result<Option<Message>, Failure> {
        let left = until.saturating_duration_since(Instant::now());
        let message = match self.connection.receiver.recv_timeout(left) {
            Ok(message) => message,
            Err(error) if error.is_timeout() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match &message {
            Message::Notification(note) if note.method == "textDocument/publishDiagnostics" => {
                let uri = note
                    .params
                    .get("uri")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                let version = note.params.get("version").and_then(Value::as_i64);
                let all = note.params.get("diagnostics").and_then(Value::as_array);
                let codes = all
                    .into_iter()
                    .flatten()
                    .filter_map(|found| Some(found.get("code")?.as_str()?.to_owned()))
                    .collect();
                self.told.insert(uri, (version, codes));
            }
            Message::Notification(note) if note.method == "window/logMessage" => {
                return Err(note.params.to_string().into());
            }
            // What the server asks is granted.
            Message::Request(request) => {
                let response = Response::new_ok(request.id.clone(), Value::Null);
                self.connection.sender.send(response.into())?;
            }
            _ => {}
        }
        Ok(Some(message))
    }

    /// Waits until the findings of a version of a document are as they should be; whether they came to be so.
    pub(crate) fn wait(
        &mut self,
        uri: &str,
        version: i64,
        patience: Duration,
        fits: impl Fn(&[String]) -> bool,
    ) -> Result<bool, Failure> {
        let until = Instant::now() + patience;
        loop {
            if let Some((known, codes)) = self.told.get(uri)
                && *known == Some(version)
                && fits(codes)
            {
                return Ok(true);
            }
            if self.take(until)?.is_none() {
                return Ok(false);
            }
        }
    }

    /// Waits for the findings of a version of a document.
    pub(crate) fn settle(&mut self, uri: &str, version: i64) -> Result<(), Failure> {
        if self.wait(uri, version, PATIENCE, |_| true)? {
            return Ok(());
        }
        Err(format!("no findings of {uri} at {version}").into())
    }

    /// Waits until the server has said nothing for so long.
    pub(crate) fn quiet(&mut self, silence: Duration) -> Result<(), Failure> {
        while self.take(Instant::now() + silence)?.is_some() {}
        Ok(())
    }

    /// Says goodbye.
    pub(crate) fn close(mut self) -> Result<(), Failure> {
        self.request("shutdown", &Value::Null)?;
        self.notify("exit", Value::Null)?;
        match self.server.join() {
            Ok(true) => Ok(()),
            _ => Err("the server did not end well".into()),
        }
    }
}
