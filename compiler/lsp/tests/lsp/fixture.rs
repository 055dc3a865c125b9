//! Fixtures: the files of a workspace, requests, and the answers that are expected.
//!
//! ```text
//! === policy.ctr
//! contract c { guarantee never call |a|t }
//! === textDocument/hover |a|
//! the answer
//! ```
//!
//! A section whose head has no `/` before its first space is a file; `|a|` in it marks a place and is taken out. Other
//! sections are requests about a file, a place, or a range `|a|..|b|`; further parameters may follow as JSON. A section
//! `diagnostics` shows all findings. Answers are compared with what stands there; `CTRC_BLESS=1` writes them anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ctr_front::lines::{Encoding, Lines, Position};
use serde_json::{Value, json};

use crate::client::{self, Client};

struct Section {
    head: String,
    body: String,
}

fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("=== ") {
            Some(head) => out.push(Section {
                head: head.trim_end().to_owned(),
                body: String::new(),
            }),
            None => out
                .last_mut()
                .expect("a fixture begins with a section")
                .body
                .push_str(line),
        }
    }
    out
}

/// A file without its marks, and where they stood.
struct Marked {
    text: String,
    marks: BTreeMap<String, usize>,
}

fn marked(body: &str) -> Marked {
    let mut text = String::new();
    let mut marks = BTreeMap::new();
    // Bytes that an editor would not keep in a fixture.
    let body = body.replace("<CR>", "\r");
    let mut rest = body.as_str();
    while let Some(at) = rest.find('|') {
        let after = &rest[at + 1..];
        let name: String = after
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        text.push_str(&rest[..at]);
        if !name.is_empty() && after[name.len()..].starts_with('|') {
            marks.insert(name.clone(), text.len());
            rest = &after[name.len() + 1..];
        } else {
            text.push('|');
            rest = after;
        }
    }
    text.push_str(rest);
    Marked { text, marks }
}

/// Runs a fixture in an encoding: the answers in order of the sections.
struct Run {
    encoding: Encoding,
    folder: String,
    files: BTreeMap<String, Marked>,
}

impl Run {
    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.folder)
    }

    fn position(&self, file: &str, offset: usize) -> Value {
        let lines = Lines::of_editor(&self.files[file].text);
        let Position { line, character } = lines.position(offset, self.encoding);
        json!({"line": line, "character": character})
    }

    fn mark(&self, name: &str) -> (String, Value) {
        let name = name.trim_matches('|');
        let (file, offset) = self
            .files
            .iter()
            .find_map(|(file, marked)| Some((file, *marked.marks.get(name)?)))
            .unwrap_or_else(|| panic!("there is no mark `{name}`"));
        (file.clone(), self.position(file, offset))
    }

    fn params(&self, head: &str) -> (String, Value) {
        let mut words = head.splitn(3, ' ');
        let method = words.next().unwrap().to_owned();
        let about = words.next().unwrap_or_default();
        let mut params = match about.split_once("..") {
            Some((a, b)) => {
                let ((file, start), (_, end)) = (self.mark(a), self.mark(b));
                json!({"textDocument": {"uri": self.uri(&file)}, "range": {"start": start, "end": end}})
            }
            None if about.starts_with('|') => {
                let (file, position) = self.mark(about);
                json!({"textDocument": {"uri": self.uri(&file)}, "position": position, "positions": [position]})
            }
            None if about.is_empty() => json!({}),
            None => json!({"textDocument": {"uri": self.uri(about)}}),
        };
        if method.contains("ormatting") {
            params["options"] = json!({"tabSize": 4, "insertSpaces": true});
        }
        if let Some(more) = words.next() {
            let more: Value = serde_json::from_str(more).unwrap();
            for (name, value) in more.as_object().unwrap() {
                params[name] = value.clone();
            }
        }
        (method, params)
    }

    /// Ranges as `2:3-2:8` (from 1), addresses as names of files, in bytes whatever the encoding.
    fn shown(&self, value: &Value, file: &str) -> Value {
        match value {
            Value::Object(fields) if fields.contains_key("line") && fields.len() == 2 => {
                Value::String(self.place(value, file))
            }
            Value::Object(fields) if fields.contains_key("start") && fields.len() == 2 => {
                let (a, b) = (
                    self.place(&value["start"], file),
                    self.place(&value["end"], file),
                );
                Value::String(format!("{a}-{b}"))
            }
            Value::Object(fields) => {
                let file = fields
                    .get("uri")
                    .or_else(|| fields.get("targetUri"))
                    .and_then(Value::as_str)
                    .map(|uri| self.name(uri).unwrap_or_else(|| uri.to_owned()))
                    .unwrap_or_else(|| file.to_owned());
                fields
                    .iter()
                    .map(|(name, value)| (name.clone(), self.shown(value, &file)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(|item| self.shown(item, file)).collect(),
            Value::String(text) => match self.name(text) {
                Some(name) => Value::String(name),
                None => Value::String(text.replace(&self.folder, "FOLDER")),
            },
            other => other.clone(),
        }
    }

    /// An item of a completion in a line: `$` marks a text with places to fill in, and what is replaced with what follows
    /// the place stands behind a bar where it is more.
    fn item(&self, item: &Value, file: &str) -> String {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let edit = &item["textEdit"];
        let range = |name: &str| self.shown(&edit[name], file).as_str().map(str::to_owned);
        let insert = range("insert").or_else(|| range("range")).unwrap();
        let replace = range("replace").filter(|replace| *replace != insert);
        format!(
            "{} [{}] {}{:?} at {insert}{} {} {}",
            text("label"),
            item["kind"],
            if item["insertTextFormat"] == 2 {
                "$"
            } else {
                ""
            },
            edit["newText"].as_str().unwrap(),
            replace.map(|r| format!(" | {r}")).unwrap_or_default(),
            text("detail"),
            item["documentation"]["value"].as_str().unwrap_or_default()
        )
        .trim_end()
        .to_owned()
    }

    /// Help with signatures: each in a line, the active parameter in `<>`, what is told of it after it.
    fn signatures(answer: &Value) -> String {
        let mut out = String::new();
        for (n, signature) in answer["signatures"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let label = signature["label"].as_str().unwrap();
            let mut shown = label.to_owned();
            let active = signature["activeParameter"].as_u64().unwrap_or(u64::MAX);
            let active = usize::try_from(active).unwrap();
            let parameter = &signature["parameters"][active];
            if let Some(name) = parameter["label"].as_str() {
                let from = label.find('(').unwrap_or(0);
                let at = from
                    + label[from..]
                        .find(name)
                        .expect("a parameter is a part of its label");
                shown = format!("{}<{name}>{}", &label[..at], &label[at + name.len()..]);
            }
            let sign = if answer["activeSignature"] == json!(n) {
                '*'
            } else {
                ' '
            };
            let _ = writeln!(out, "{sign} {shown}");
            for doc in [signature, parameter] {
                if let Some(text) = doc["documentation"]["value"].as_str() {
                    let _ = writeln!(out, "    {}", text.replace('\n', "\n    "));
                }
            }
        }
        if out.is_empty() {
            out.push_str("nothing\n");
        }
        out
    }

    /// Semantic tokens, one a line: where it stands, its text, its type, its modifiers.
    fn tokens(&self, answer: &Value, capabilities: &Value, file: &str) -> String {
        let legend = &capabilities["semanticTokensProvider"]["legend"];
        let numbers: Vec<u32> = serde_json::from_value(answer["data"].clone()).unwrap();
        let text = &self.files[file].text;
        let lines = Lines::of_editor(text);
        let (mut line, mut character) = (0, 0);
        let mut out = String::new();
        for token in numbers.chunks(5) {
            let [down, right, length, kind, modifiers] = *token else {
                panic!("a token has five numbers")
            };
            character = if down == 0 { character + right } else { right };
            line += down;
            let at = |character| lines.offset(Position { line, character }, self.encoding);
            let (start, end) = (at(character), at(character + length));
            let Position { line, character } = lines.position(start, Encoding::Utf8);
            let kind = legend["tokenTypes"][kind as usize].as_str().unwrap();
            let _ = write!(
                out,
                "{}:{} `{}` {kind}",
                line + 1,
                character + 1,
                &text[start..end]
            );
            for (n, name) in legend["tokenModifiers"]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
            {
                if modifiers & (1 << n) != 0 {
                    let _ = write!(out, " {}", name.as_str().unwrap());
                }
            }
            out.push('\n');
        }
        out
    }

    fn name(&self, uri: &str) -> Option<String> {
        let folder = self.uri("");
        uri.strip_prefix(&folder).map(str::to_owned)
    }

    fn place(&self, position: &Value, file: &str) -> String {
        let number = |name: &str| u32::try_from(position[name].as_u64().unwrap()).unwrap();
        let (line, character) = (number("line"), number("character"));
        match self.files.get(file) {
            Some(marked) => {
                let lines = Lines::of_editor(&marked.text);
                let offset = lines.offset(Position { line, character }, self.encoding);
                let Position { line, character } = lines.position(offset, Encoding::Utf8);
                format!("{}:{}", line + 1, character + 1)
            }
            None => format!("{}:{}", line + 1, character + 1),
        }
    }
}

fn is_file(head: &str) -> bool {
    head != "diagnostics" && !head.split(' ').next().unwrap_or_default().contains('/')
}

fn run(all: &[Section], encoding: Encoding) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    let mut run = Run {
        encoding,
        folder: path.to_str().unwrap().to_owned(),
        files: BTreeMap::new(),
    };
    for section in all.iter().filter(|s| is_file(&s.head)) {
        let marked = marked(&section.body);
        fs::write(path.join(&section.head), &marked.text).unwrap();
        run.files.insert(section.head.clone(), marked);
    }
    let name = match encoding {
        Encoding::Utf8 => "utf-8",
        _ => "utf-16",
    };
    let folders = [run.uri("").trim_end_matches('/').to_owned()];
    // Changes by the versions of documents, which name the files that they are of.
    let mut able = client::shows();
    able["workspace"] = json!({"workspaceEdit": {"documentChanges": true}});
    let mut client = Client::able(name, &folders, able);
    for (file, marked) in &run.files {
        if file.ends_with(".ctr") {
            client.open(&run.uri(file), 1, &marked.text);
        }
    }
    for file in run.files.keys().filter(|file| file.ends_with(".ctr")) {
        client.settle(&run.uri(file), 1);
    }
    let mut answers = Vec::new();
    for section in all.iter().filter(|s| !is_file(&s.head)) {
        let mut out = String::new();
        if section.head == "diagnostics" {
            for (uri, (_, findings)) in &client.findings {
                let file = run.name(uri).unwrap();
                let _ = writeln!(out, "{file} {:#}", run.shown(findings, &file));
            }
        } else {
            let (method, params) = run.params(&section.head);
            let file = params["textDocument"]["uri"]
                .as_str()
                .and_then(|uri| run.name(uri))
                .unwrap_or_default();
            match client.request(&method, params) {
                Ok(answer) if method == "textDocument/completion" => {
                    for item in answer.as_array().unwrap() {
                        let _ = writeln!(out, "{}", run.item(item, &file));
                    }
                }
                Ok(answer) if method == "textDocument/signatureHelp" => {
                    out.push_str(&Run::signatures(&answer));
                }
                Ok(answer) if method.starts_with("textDocument/semanticTokens") => {
                    out.push_str(&run.tokens(&answer, &client.capabilities, &file));
                }
                Ok(answer) => {
                    let _ = writeln!(out, "{:#}", run.shown(&answer, &file));
                }
                Err(error) => {
                    let _ = writeln!(out, "error {:#}", error);
                }
            }
        }
        answers.push(out);
    }
    assert!(client.log.is_empty(), "{:?}", client.log);
    assert!(client.close());
    answers
}

/// Runs a fixture in both encodings and compares the answers with what it expects.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let all = sections(&text);
    let answers = run(&all, Encoding::Utf16);
    if run(&all, Encoding::Utf8) != answers {
        return Err(format!("{}: the encodings differ", path.display()));
    }
    let mut answers = answers.into_iter();
    let mut out = String::new();
    for section in &all {
        let _ = writeln!(out, "=== {}", section.head);
        if is_file(&section.head) {
            out.push_str(&section.body);
        } else {
            out.push_str(&answers.next().unwrap());
        }
    }
    if out == text {
        return Ok(());
    }
    if std::env::var_os("CTRC_BLESS").is_some() {
        fs::write(path, out).unwrap();
        return Ok(());
    }
    Err(format!("{}: the answers are\n{out}", path.display()))
}
