//! `source.fixAll.ctrc` in an editor makes of a text what `ctrc check --fix` makes of the file, byte for byte.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use ctr_tests::binary::{ctrc, run};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(120);

/// The server as a process.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(ctrc())
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self {
            child,
            input,
            output,
            next: 0,
        };
        server.request(
            "initialize",
            json!({"processId": null, "capabilities": {
                "general": {"positionEncodings": ["utf-8"]},
                "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
                "workspace": {"workspaceEdit": {"documentChanges": true}},
            }}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        server
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                self.output.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some(count) = line.strip_prefix("Content-Length:") {
                    length = count.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            self.output.read_exact(&mut body).unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message:#}");
                return message["result"].clone();
            }
        }
    }

    /// What the action makes of a file.
    fn fixed(&mut self, path: &Path, text: &str) -> String {
        let uri = format!("file://{}", path.display());
        let document = json!({"uri": uri, "languageId": "ctr", "version": 1, "text": text});
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
        let start = json!({"line": 0, "character": 0});
        let actions = self.request(
            "textDocument/codeAction",
            json!({
                "textDocument": {"uri": uri},
                "range": {"start": start, "end": start},
                "context": {"diagnostics": [], "only": ["source.fixAll"]},
            }),
        );
        assert_eq!(actions.as_array().unwrap().len(), 1, "{actions:#}");
        assert_eq!(actions[0]["kind"], "source.fixAll.ctrc");
        let resolved = self.request("codeAction/resolve", actions[0].clone());
        let edits = &resolved["edit"]["documentChanges"][0]["edits"];
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}));
        applied(text, edits.as_array().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Edits of whole lines, with columns in bytes.
fn applied(text: &str, edits: &[Value]) -> String {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices(['\n', '\r']).filter_map(|(at, end)| {
            let pair = end == "\r" && text[at..].starts_with("\r\n");
            (!pair).then_some(at + 1)
        }))
        .collect();
    let offset = |place: &Value| {
        let number = |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap();
        starts[number("line")] + number("character")
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

fn copied(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir_all(&target).unwrap();
            copied(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn editors_and_the_command_line_fix_alike() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let mut cases: Vec<PathBuf> = Vec::new();
    for group in ["lints", "slips", "positions", "settings", "types"] {
        fs::create_dir_all(folder.join(group)).unwrap();
        copied(&ui.join(group), &folder.join(group));
        for entry in fs::read_dir(folder.join(group)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.join("main.ctr").is_file() {
                cases.push(path.join("main.ctr"));
            } else if path.extension().is_some_and(|e| e == "ctr") {
                cases.push(path);
            }
        }
    }
    cases.sort();
    assert!(cases.len() > 80, "{}", cases.len());
    let mut server = Server::start();
    let mut changed = 0;
    for path in &cases {
        let Ok(text) = fs::read_to_string(path) else {
            continue;
        };
        let in_editor = server.fixed(path, &text);
        let file = path.to_str().unwrap();
        let ran = run(&folder, &["check", "--fix", file], None, LIMIT);
        assert!(!ran.timed_out);
        let on_disk = fs::read_to_string(path).unwrap();
        assert_eq!(in_editor, on_disk, "{file}\n{}", ran.stderr);
        changed += usize::from(on_disk != text);
    }
    assert!(changed >= 15, "{changed}");
}
