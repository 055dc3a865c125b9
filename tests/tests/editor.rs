//! The language server finds what `ctrc check` finds: for every policy of the fixtures, the cases, the examples and the shipped
//! libraries, and for folders with settings, the findings that it publishes, those that it gives when asked and the fixes that it
//! offers are those of `ctrc check --format json`.
//!
//! Of the shipped libraries the templates; the policies, whose proofs take a minute, with `CTRC_EDITOR=all`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use ctr_front::lines::{Encoding, Lines};
use ctr_front::world::DiskWorld;
use ctr_project::check::{Proofs, judge};
use ctr_project::{Settings, walk};
use ctr_tests::cases::Case;
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// Longer than all proofs of a folder take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// A finding as an editor shows it: file, range, severity, code, message, related places.
type Shown = (
    String,
    String,
    u64,
    String,
    String,
    BTreeSet<(String, String, String)>,
);

/// A change: title, and for each file ranges with texts.
type Offer = (String, BTreeSet<(String, String, String)>);

fn place(text: &str, start: u64, end: u64, encoding: Encoding) -> String {
    let lines = Lines::of_editor(text);
    let at = |offset: u64| {
        let position = lines.position(usize::try_from(offset).unwrap(), encoding);
        format!("{}:{}", position.line, position.character)
    };
    format!("{}-{}", at(start), at(end))
}

fn range(value: &Value) -> String {
    let at = |value: &Value| format!("{}:{}", value["line"], value["character"]);
    format!("{}-{}", at(&value["start"]), at(&value["end"]))
}

fn real(path: &str) -> String {
    fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

/// What `ctrc check --format json FOLDER` tells, and the fixes.
fn checked(folder: &str, encoding: Encoding) -> (BTreeSet<Shown>, BTreeSet<Offer>) {
    let settings = Settings::nearest(&DiskWorld);
    let (_, found) = walk::policies(&[folder.to_owned()], &settings, &|_| {}).unwrap();
    let libraries: Vec<Vec<String>> = found.into_iter().map(|path| vec![path]).collect();
    let judged = judge(&DiskWorld, &libraries, &settings, Proofs::BySettings).unwrap();
    let text: BTreeMap<&str, &str> = judged
        .sources
        .iter()
        .map(|source| (source.path.as_str(), source.text.as_str()))
        .collect();
    let told = ctrc::render::json::diagnostics(&judged.sources, &judged.diagnostics);
    let told: Vec<Value> = serde_json::from_str(&told).unwrap();
    let at = |span: &Value| {
        let path = span["path"].as_str().unwrap();
        let text = text.get(path).copied().unwrap_or_default();
        let (start, end) = (
            span["start"].as_u64().unwrap(),
            span["end"].as_u64().unwrap(),
        );
        (real(path), place(text, start, end, encoding))
    };
    let mut shown = BTreeSet::new();
    let mut offers = BTreeSet::new();
    for finding in &told {
        let spans = finding["spans"].as_array().unwrap();
        let primary = spans.iter().find(|span| span["primary"] == true).unwrap();
        let (path, range) = at(primary);
        let mut message = finding["message"].as_str().unwrap().to_owned();
        if let Some(label) = primary["label"].as_str().filter(|label| !label.is_empty()) {
            message.push('\n');
            message.push_str(label);
        }
        for help in finding["help"].as_array().unwrap() {
            message.push_str("\nhelp: ");
            message.push_str(help.as_str().unwrap());
        }
        let related = spans
            .iter()
            .filter(|span| span["primary"] != true)
            .map(|span| {
                let (path, range) = at(span);
                (path, range, span["label"].as_str().unwrap().to_owned())
            })
            // Modules that come with the compiler have no address.
            .filter(|(path, _, _)| path.starts_with('/'));
        let severity = match finding["severity"].as_str().unwrap() {
            "error" => 1,
            "warning" => 2,
            _ => 3,
        };
        let code = finding["code"].as_str().unwrap().to_owned();
        for fix in finding["fixes"].as_array().unwrap() {
            let edits: BTreeSet<(String, String, String)> = fix["edits"]
                .as_array()
                .unwrap()
                .iter()
                .map(|edit| {
                    let (path, range) = at(edit);
                    let text = edit["text"].as_str().unwrap().replace("\r\n", "\n");
                    (path, range, text)
                })
                .collect();
            // What is offered is for policies.
            if edits.iter().all(|(path, _, _)| path.ends_with(".ctr")) {
                offers.insert((fix["title"].as_str().unwrap().to_owned(), edits));
            }
        }
        shown.insert((path, range, severity, code, message, related.collect()));
    }
    (shown, offers)
}

struct Editor {
    connection: Connection,
    server: std::thread::JoinHandle<bool>,
    next: i32,
    findings: BTreeMap<String, Value>,
    left: Option<u64>,
}

impl Editor {
    fn new(folder: &str, encoding: Encoding) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || ctr_lsp::serve(server))
            .unwrap();
        let mut editor = Self {
            connection,
            server,
            next: 0,
            findings: BTreeMap::new(),
            left: None,
        };
        let name = match encoding {
            Encoding::Utf8 => "utf-8",
            _ => "utf-16",
        };
        editor.request(
            "initialize",
            json!({
                "capabilities": {
                    "general": {"positionEncodings": [name]},
                    "workspace": {"workspaceEdit": {"documentChanges": true}},
                    "experimental": {"ctrc": {"status": true}},
                },
                "workspaceFolders": [{"uri": format!("file://{folder}"), "name": "w"}],
            }),
        );
        editor.notify("initialized", json!({}));
        editor
    }

    fn notify(&mut self, method: &str, params: Value) {
        let note = Notification::new(method.to_owned(), params);
        self.connection.sender.send(note.into()).unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(request.into()).unwrap();
        loop {
            if let Message::Response(response) = self.take()
                && response.id == id
            {
                return response.response_result.unwrap();
            }
        }
    }

    fn take(&mut self) -> Message {
        let message = match self.connection.receiver.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server is gone"),
        };
        if let Message::Notification(note) = &message {
            match note.method.as_str() {
                "textDocument/publishDiagnostics" => {
                    let uri = note.params["uri"].as_str().unwrap().to_owned();
                    self.findings
                        .insert(uri, note.params["diagnostics"].clone());
                }
                "ctrc/status" => self.left = note.params["left"].as_u64(),
                "window/logMessage" => panic!("{}", note.params["message"]),
                _ => {}
            }
        }
        message
    }

    /// Waits until all is known of the texts as they are.
    fn settle(&mut self) {
        let until = Instant::now() + PATIENCE;
        self.left = None;
        while self.left != Some(0) {
            assert!(Instant::now() < until, "proofs take too long");
            self.take();
        }
    }

    fn close(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        assert!(self.server.join().unwrap());
    }
}

fn path(uri: &Value) -> String {
    let uri = uri.as_str().unwrap().strip_prefix("file://").unwrap();
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn shown(uri: &Value, finding: &Value) -> Shown {
    let related = finding["relatedInformation"].as_array();
    let related = related.into_iter().flatten().map(|related| {
        let location = &related["location"];
        (
            path(&location["uri"]),
            range(&location["range"]),
            related["message"].as_str().unwrap().to_owned(),
        )
    });
    (
        path(uri),
        range(&finding["range"]),
        finding["severity"].as_u64().unwrap(),
        finding["code"].as_str().unwrap().to_owned(),
        finding["message"].as_str().unwrap().to_owned(),
        related.collect(),
    )
}

/// What two sets do not share, in lines. Where the time did not do for a question, what is proven of that file depends on how busy
/// the machine is.
fn difference(check: &BTreeSet<Shown>, editor: &BTreeSet<Shown>) -> String {
    let late: BTreeSet<&str> = check
        .iter()
        .chain(editor)
        .filter(|(.., message, _)| message.contains("the time limit"))
        .map(|(path, ..)| path.as_str())
        .collect();
    assert!(late.len() < 12, "most of the time is up: {late:?}");
    let counts = |(path, _, _, code, _, _): &&Shown| {
        !late.contains(path.as_str()) || !(code.starts_with("W07") || code.starts_with("E07"))
    };
    let of =
        |all: &BTreeSet<Shown>| -> BTreeSet<Shown> { all.iter().filter(counts).cloned().collect() };
    let (check, editor) = (of(check), of(editor));
    let only = |a: &BTreeSet<Shown>, b: &BTreeSet<Shown>, who: &str| -> Vec<String> {
        a.difference(b)
            .map(|one| format!("only {who}: {one:?}"))
            .collect()
    };
    let mut all = only(&check, &editor, "ctrc check");
    all.extend(only(&editor, &check, "the server"));
    all.join("\n")
}

/// Compares a folder; how many findings it has.
fn same(folder: &Path, encoding: Encoding) -> usize {
    // One at a time: what is proven in a time depends on what else goes on.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = real(&folder.display().to_string());
    let (expected, offers) = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, || checked(&folder, encoding))
            .unwrap()
            .join()
            .unwrap()
    });
    let mut editor = Editor::new(&folder, encoding);
    editor.settle();
    let published = |editor: &Editor| -> BTreeSet<Shown> {
        let all = editor.findings.iter();
        all.flat_map(|(uri, findings)| {
            let uri = Value::from(uri.clone());
            let findings = findings.as_array().unwrap().iter();
            findings
                .map(|finding| shown(&uri, finding))
                .collect::<Vec<_>>()
        })
        .collect()
    };
    let wrong = difference(&expected, &published(&editor));
    assert!(wrong.is_empty(), "{folder}: published\n{wrong}");

    // Asked, all at once, and again for what has changed since.
    let answer = editor.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let mut asked = BTreeSet::new();
    let mut ids = Vec::new();
    for report in answer["items"].as_array().unwrap() {
        ids.push(json!({"uri": report["uri"], "value": report["resultId"]}));
        for finding in report["items"].as_array().unwrap() {
            asked.insert(shown(&report["uri"], finding));
        }
    }
    let wrong = difference(&expected, &asked);
    assert!(wrong.is_empty(), "{folder}: asked\n{wrong}");
    let again = editor.request("workspace/diagnostic", json!({"previousResultIds": ids}));
    for report in again["items"].as_array().unwrap() {
        assert_eq!(report["kind"], "unchanged", "{report}");
    }

    // The same with all files open, one by one, and their fixes.
    let files: BTreeSet<String> = expected
        .iter()
        .map(|(path, ..)| path.clone())
        .filter(|path| path.ends_with(".ctr"))
        .collect();
    let uri = |path: &str| {
        let known = editor_uri(&editor.findings, path);
        known.unwrap_or_else(|| format!("file://{path}"))
    };
    let mut open = Vec::new();
    for file in &files {
        if let Ok(text) = fs::read_to_string(file) {
            open.push((uri(file), text));
        }
    }
    for (uri, text) in &open {
        editor.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "ctr", "version": 1, "text": text}}),
        );
    }
    if !open.is_empty() {
        // What was known of the texts before they were opened does not count.
        editor.request("workspace/symbol", json!({"query": "no such name"}));
        editor.settle();
    }
    let wrong = difference(&expected, &published(&editor));
    assert!(wrong.is_empty(), "{folder}: open\n{wrong}");
    let mut offered: BTreeSet<Offer> = BTreeSet::new();
    for (uri, text) in &open {
        let end = u32::try_from(text.lines().count()).unwrap() + 1;
        let answer = editor.request(
            "textDocument/codeAction",
            json!({
                "textDocument": {"uri": uri},
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": end, "character": 0}},
                "context": {"diagnostics": [], "only": ["quickfix"]},
            }),
        );
        for action in answer.as_array().into_iter().flatten() {
            let changes = action["edit"]["documentChanges"].as_array();
            let edits = changes.into_iter().flatten().flat_map(|change| {
                let path = path(&change["textDocument"]["uri"]);
                change["edits"].as_array().unwrap().iter().map(move |edit| {
                    let text = edit["newText"].as_str().unwrap().replace("\r\n", "\n");
                    (path.clone(), range(&edit["range"]), text)
                })
            });
            offered.insert((
                action["title"].as_str().unwrap().to_owned(),
                edits.collect(),
            ));
        }
    }
    let missing: Vec<&Offer> = offers.difference(&offered).collect();
    assert!(missing.is_empty(), "{folder}: not offered\n{missing:#?}");
    editor.close();
    expected.len()
}

fn editor_uri(findings: &BTreeMap<String, Value>, wanted: &str) -> Option<String> {
    findings
        .keys()
        .find(|uri| path(&Value::from((*uri).clone())) == wanted)
        .cloned()
}

fn home(below: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(below)
}

#[test]
fn fixtures() {
    assert!(same(&home("tests/ui"), Encoding::Utf16) > 400);
}

#[test]
fn examples() {
    same(&home("examples"), Encoding::Utf8);
}

#[test]
fn shipped_libraries() {
    if std::env::var("CTRC_EDITOR").is_ok_and(|value| value == "all") {
        assert!(same(&home("stdlib-contracts"), Encoding::Utf16) > 10);
    } else {
        same(&home("stdlib-contracts/std"), Encoding::Utf16);
    }
}

#[test]
fn cases() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["cases", "conformance"] {
        for entry in fs::read_dir(home("tests").join(kind)).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_none_or(|ending| ending != "case") {
                continue;
            }
            let name = file.file_stem().unwrap().to_str().unwrap();
            let case = Case::parse(name, &fs::read_to_string(&file).unwrap());
            let home = folder.path().join(kind).join(name);
            for (title, body) in &case.sections {
                let path = home.join(title);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, body).unwrap();
            }
        }
    }
    same(folder.path(), Encoding::Utf8);
}

#[test]
fn folders_with_settings() {
    const WARNS: &str = "contract c {\n  guarantee call a\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "ctrc.toml",
            "[lints]\nW0407 = \"deny\"\nW9999 = \"warn\"\n[files]\nexclude = [\"gen/\", \"*.tmp.ctr\"]\n[check]\nsolver-timeout = 9\n",
        ),
        ("deny.ctr", WARNS),
        ("left.tmp.ctr", "contract {"),
        ("gen/x.ctr", "contract {"),
        (
            "allowed.ctr",
            "contract c {\n  // ctrc: allow(W0407) because it is meant\n  guarantee call a\n}\n",
        ),
        (
            "unused.ctr",
            "contract c {\n  // ctrc: allow(W0407, W0706) because it was meant\n  guarantee never call a\n}\n",
        ),
        (
            "one.ctr",
            "include \"shared.ctr\"\ncontract one { guarantee never call a }\n",
        ),
        (
            "two.ctr",
            "include \"shared.ctr\"\ncontract two { guarantee eventually call a }\n",
        ),
        (
            "shared.ctr",
            "// ctrc: allow(W0706) because both say so\ncontract shared { guarantee never call a }\n",
        ),
        ("sub/ctrc.toml", "[lints]\nW0407 = \"allow\"\n"),
        ("sub/allow.ctr", WARNS),
        ("sub/up.ctr", "include \"../deny.ctr\"\n"),
        ("broken/ctrc.toml", "lints = 3\n"),
        ("broken/p.ctr", WARNS),
        ("misnamed/ctrc.yaml", ""),
        ("misnamed/p.ctr", WARNS),
        ("idle/below/ctrc.toml", "[lints]\n"),
        ("limited/ctrc.toml", "[check]\nmax-states = 3\n"),
        (
            "limited/p.ctr",
            "contract c { guarantee call a at most 9 times }\n",
        ),
        (
            "conflict.ctr",
            "contract a { guarantee eventually call t }\ncontract b { guarantee never call t }\n",
        ),
        (
            "tools.json",
            "[{\"name\": \"t\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"strin\"}}}}]",
        ),
        (
            "tools.ctr",
            "tools from \"tools.json\"\ncontract c { guarantee never call u }\n",
        ),
        (
            "umlaut \u{e9}\u{1f600}.ctr",
            "// \u{1f600}\ncontract \u{e9}\u{1f600} { guarantee never call t(x == \"\u{1f600}\") implies call refnd }\n",
        ),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for encoding in [Encoding::Utf8, Encoding::Utf16] {
        assert!(same(folder.path(), encoding) >= 12);
    }
}
