//! The same faults in the editor: `ctrc lsp` as a program here, all else in `compiler/lsp/tests/reported` (its modules are
//! named below) and `compiler/lsp/tests/lsp`.
//!
//! | entry | held by |
//! | --- | --- |
//! | 1, 2, columns after wide letters, in both encodings, of every feature | `twins::{wide_letters_before_every_line, ranges_are_exactly_the_names}`, `lsp/fixtures/positions.lsp` |
//! | 4, 5, places inside letters and at the end | `twins::findings_at_the_end`, `judge` (every range of every answer) |
//! | 8, CRLF in places, fixes and formatting | `twins::{other_line_ends, fixes_keep_line_ends}`, `texts::formatting_is_what_the_command_does` |
//! | 9, a lone carriage return | `twins::a_lone_carriage_return` |
//! | 10, tabs | `twins::tabs_before_every_line` |
//! | 12, files that are no texts | `addresses::files_that_are_no_texts` |
//! | 41, 42, 44, comments when formatting | `texts::{a_comment_at_every_token, awkward_comments}` |
//! | 45, 48, broken, empty and formatted texts | `texts::{a_broken_text_is_left_alone, formatting_is_what_the_command_does}` |
//! | 46, links and modes | formatting in the editor writes no file |
//! | 49, fixes that undo each other or break the text | `texts::every_fix_in_the_editor` |
//! | 56, comments that allow a warning | `texts::comments_that_allow` |
//! | 57b, source, code and link | `texts::a_finding_has_all_its_parts` |
//! | 58, before the first parse, past the end, before `initialized`, after `shutdown` | `protocol`, `typing` |
//! | 60, addresses in all spellings | `addresses::{every_spelling_is_answered_in_its_own, one_file_in_two_spellings}` |
//! | 61, untitled buffers, `git:` twins | `addresses::views_of_files_are_left_alone`, `lsp/lifecycle.rs` |
//! | 62, stale findings after close, delete, rename | `lsp/lifecycle.rs`: `findings_go_where_files_go`; `lsp/files.rs`: `renamed_and_deleted_files_leave_nothing_behind`, `what_a_client_was_told_is_taken_back`; `protocol::documents_opened_twice_and_closed_twice` |
//! | 64, rename | `rename` |
//! | 65, typing and deleting with all requests | `typing` |
//! | 66, the same findings as the command line | here for a folder with settings; `tests/editor.rs` for all policies |

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ctr_tests::binary::{ctrc, run};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const URI: &str = "untitled:1";
const TEXT: &str = "contract c { guarantee never call a }\n";

/// The program with a client on its pipes.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    findings: BTreeMap<String, Value>,
}

impl Editor {
    fn silent() -> Self {
        let mut child = Command::new(ctrc())
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        // What is no message fails here, and the test with it: nothing else may stand in this stream.
        std::thread::spawn(move || {
            loop {
                let mut length = None;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap() == 0 {
                        assert_eq!(length, None, "the stream ends within a head");
                        return;
                    }
                    if line == "\r\n" {
                        break;
                    }
                    let (name, value) = line.split_once(": ").unwrap();
                    assert!(matches!(name, "Content-Length" | "Content-Type"), "{line}");
                    if name == "Content-Length" {
                        length = Some(value.trim_end().parse::<usize>().unwrap());
                    }
                }
                let mut body = vec![0; length.unwrap()];
                output.read_exact(&mut body).unwrap();
                let message: Value = serde_json::from_slice(&body).unwrap();
                assert_eq!(message["jsonrpc"], "2.0");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            messages,
            next: 0,
            findings: BTreeMap::new(),
        }
    }

    fn ready(folder: Option<&Path>) -> Self {
        let mut editor = Self::silent();
        let folders = folder
            .map(|folder| json!([{"uri": format!("file://{}", folder.display()), "name": "w"}]));
        editor.request(
            "initialize",
            &json!({"processId": null, "capabilities": {}, "workspaceFolders": folders}),
        );
        editor.notify("initialized", &json!({}));
        editor
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn body(&mut self, body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        self.raw(
            &[
                format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(),
                body,
            ]
            .concat(),
        );
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.body(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.body(
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        loop {
            let message = self
                .take()
                .unwrap_or_else(|| panic!("no answer to {method}"));
            if message["id"] == id && message["method"].is_null() {
                return message["result"].clone();
            }
        }
    }

    fn take(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(PATIENCE).ok()?;
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            self.findings.insert(
                params["uri"].as_str().unwrap().to_owned(),
                params["diagnostics"].clone(),
            );
        }
        Some(message)
    }

    fn open(&mut self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didOpen",
            &json!({"textDocument": {"uri": uri, "languageId": "ctr", "version": 1, "text": text}}),
        );
    }

    fn symbols(&mut self, uri: &str) -> String {
        self.request(
            "textDocument/documentSymbol",
            &json!({"textDocument": {"uri": uri}}),
        )
        .to_string()
    }

    /// Ends the program: the exit code, and what it wrote to standard error.
    fn end(mut self, politely: bool) -> (Option<i32>, String) {
        if politely {
            self.request("shutdown", &Value::Null);
            self.notify("exit", &Value::Null);
        }
        self.input.take();
        let code = self.child.wait().unwrap().code();
        let mut errors = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        (code, errors)
    }
}

#[test]
fn the_program_speaks_the_protocol_alone() {
    let mut editor = Editor::ready(None);
    editor.open(URI, TEXT);
    assert!(editor.symbols(URI).contains("\"c\""));
    assert_eq!(editor.end(true), (Some(0), String::new()));
    // The editor is gone: so is the program, which says by its code that it was not told.
    let mut editor = Editor::ready(None);
    editor.open(URI, TEXT);
    let (code, errors) = editor.end(false);
    assert_eq!((code, errors.as_str()), (Some(1), ""));
    assert_eq!(Editor::silent().end(false).1, "");
}

/// Messages that are none, or are framed as few do it: each is passed over, or refused, and the next one counts.
#[test]
fn what_is_no_message() {
    let nested = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for body in [
        &b"hello"[..],
        b"",
        b"null",
        b"[]",
        b"{}",
        br#"[{"jsonrpc":"2.0","id":5,"method":"workspace/symbol","params":{"query":""}}]"#,
        b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}",
        br#"{"jsonrpc":"2.0","id":70}"#,
        br#"{"jsonrpc":"2.0","id":7.5,"method":"workspace/symbol","params":{"query":""}}"#,
        br#"{"jsonrpc":"2.0","id":null,"method":"workspace/symbol","params":{"query":""}}"#,
        br#"{"jsonrpc":"2.0","id":99999999999,"method":"workspace/symbol","params":{"query":""}}"#,
        br#"{"jsonrpc":"1.0","method":7}"#,
        br#"{"jsonrpc":"2.0","method":"x","params":{"a":1e999}}"#,
        nested.as_bytes(),
    ] {
        let mut editor = Editor::ready(None);
        editor.open(URI, TEXT);
        editor.body(body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert!(editor.symbols(URI).contains("\"c\""), "{shown}");
        assert_eq!(editor.end(true), (Some(0), String::new()), "{shown}");
    }
    let message = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": URI, "languageId": "ctr", "version": 1, "text": TEXT}}}).to_string();
    for head in [
        "content-length: N\r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: N\r\n\r\n",
        "Content-Length:N\r\nX-More: 1\r\n\r\n",
    ] {
        let mut editor = Editor::ready(None);
        // In pieces, as a slow pipe gives it.
        for byte in head.replace('N', &message.len().to_string()).bytes() {
            editor.raw(&[byte]);
        }
        editor.raw(message.as_bytes());
        assert!(editor.symbols(URI).contains("\"c\""), "{head}");
        assert_eq!(editor.end(true).0, Some(0));
    }
}

/// Half of an emoji, which editors that count UTF-16 can send: the text stays in step.
#[test]
fn half_a_letter() {
    let mut editor = Editor::ready(None);
    editor.body(format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"{URI}","languageId":"ctr","version":1,"text":"// \ud83d and \\ud83d\ncontract c {{ guarantee never call a }}\n"}}}}}}"#
    ));
    assert!(editor.symbols(URI).contains("\"c\""));
    editor.body(format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{URI}","version":2}},"contentChanges":[{{"range":{{"start":{{"line":0,"character":3}},"end":{{"line":0,"character":4}}}},"text":"\ud83d\ude00\ude00"}},{{"range":{{"start":{{"line":1,"character":9}},"end":{{"line":1,"character":10}}}},"text":"d"}}]}}}}"#
    ));
    assert!(editor.symbols(URI).contains("\"d\""));
    assert_eq!(editor.end(true).0, Some(0));
}

/// 66: of a folder with settings, allowed warnings, an include and a schema, the editor tells what the command line tells.
#[test]
fn the_same_findings_as_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let home = std::fs::canonicalize(folder.path()).unwrap();
    for (name, text) in [
        (
            "ctrc.toml",
            "[lints]\nW0401 = \"deny\"\nW0407 = \"allow\"\n\n[files]\nexclude = [\"left_out\"]\n",
        ),
        (
            "a.ctr",
            "tools from \"tools.json\"\ninclude \"sub/b.ctr\"\ncontract first { guarantee call pay }\ncontract é { guarantee never call pay(to == \"x\") }\n",
        ),
        (
            "sub/b.ctr",
            "contract b { guarantee never cal pay }\r\ncontract b { guarantee never call pay }\r\n",
        ),
        (
            "sub/c.ctr",
            "// ctrc: allow(W0408) because so\ncontract c { guarantee never call gone_after }\n",
        ),
        ("left_out/d.ctr", "contract {"),
        (
            "tools.json",
            "{\"tools\": [{\"name\": \"pay\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"to\": {\"type\": \"string\"}}}}]}",
        ),
    ] {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let told = run(&home, &["check", "--format", "json", "."], None, PATIENCE);
    let told: Vec<Value> = serde_json::from_str(&told.stdout).unwrap();
    let mut expected: Vec<String> = told
        .iter()
        .map(|found| {
            let span = found["spans"]
                .as_array()
                .unwrap()
                .iter()
                .find(|span| span["primary"] == true)
                .unwrap();
            format!(
                "{}:{}:{} {} {}",
                span["path"].as_str().unwrap(),
                span["line"],
                span["column"],
                found["severity"].as_str().unwrap(),
                found["code"].as_str().unwrap()
            )
        })
        .collect();
    expected.sort();
    assert!(expected.len() >= 3, "{expected:?}");
    let mut editor = Editor::ready(Some(&home));
    let root = format!("file://{}/", home.display());
    let until = std::time::Instant::now() + PATIENCE;
    loop {
        let mut got: Vec<String> = Vec::new();
        for (uri, found) in &editor.findings {
            for one in found.as_array().unwrap() {
                let severity =
                    ["error", "warning", "note"][one["severity"].as_u64().unwrap() as usize - 1];
                let start = &one["range"]["start"];
                let number = |name: &str| start[name].as_u64().unwrap() + 1;
                got.push(format!(
                    "{}:{}:{} {severity} {}",
                    uri.strip_prefix(&root).unwrap(),
                    number("line"),
                    number("character"),
                    one["code"].as_str().unwrap()
                ));
            }
        }
        got.sort();
        if got == expected {
            break;
        }
        assert!(std::time::Instant::now() < until, "{got:#?}\n{expected:#?}");
        let _ = editor
            .messages
            .recv_timeout(Duration::from_millis(200))
            .map(|message| {
                if message["method"] == "textDocument/publishDiagnostics" {
                    let params = &message["params"];
                    editor.findings.insert(
                        params["uri"].as_str().unwrap().to_owned(),
                        params["diagnostics"].clone(),
                    );
                }
            });
    }
    assert_eq!(editor.end(true).0, Some(0));
}
