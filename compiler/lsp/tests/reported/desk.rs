//! A workspace of a few files that are open in an editor.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Kind};
use crate::judge;
use crate::text::{self, Units};

pub(crate) struct Desk {
    _folder: tempfile::TempDir,
    root: String,
    pub(crate) client: Client,
    pub(crate) units: Units,
    /// The texts of all files by name.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Desk {
    /// With all policies open, apart from those whose name begins with `closed`.
    pub(crate) fn new(kind: Kind, units: Units, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let root = format!("file://{}", home.display());
        for (name, text) in files {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut desk = Self {
            _folder: folder,
            client: Client::ready(kind, units.name(), std::slice::from_ref(&root)),
            root,
            units,
            texts: files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect(),
        };
        for (name, text) in files {
            if name.ends_with(".ctr") && !name.starts_with("closed") {
                desk.client.open(&format!("{}/{name}", desk.root), 1, text);
            }
        }
        desk
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    pub(crate) fn name<'u>(&self, uri: &'u str) -> Option<&'u str> {
        uri.strip_prefix(&self.root)?.strip_prefix('/')
    }

    pub(crate) fn place(&self, name: &str, offset: usize) -> Value {
        let (line, character) = text::position(&self.texts[name], offset, self.units);
        json!({"line": line, "character": character})
    }

    /// The parameters of a request about a byte of a file.
    pub(crate) fn at(&self, name: &str, offset: usize, more: &Value) -> Value {
        let mut params =
            json!({"textDocument": {"uri": self.uri(name)}, "position": self.place(name, offset)});
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        params
    }

    /// Asks about the first place of a marker in a file, so many bytes into it.
    pub(crate) fn ask(&mut self, method: &str, name: &str, offset: usize, more: &Value) -> Answer {
        let params = self.at(name, offset, more);
        self.client.request(method, params)
    }

    /// Bytes of a file for a range.
    pub(crate) fn bytes(&self, name: &str, range: &Value) -> (usize, usize) {
        let (start, end) = judge::range(range).unwrap_or_else(|| panic!("no range: {range}"));
        let text = &self.texts[name];
        let at =
            |p| text::offset(text, p, self.units).unwrap_or_else(|| panic!("{name} has no {p:?}"));
        (at(start), at(end))
    }

    /// The edits of a workspace edit by file, in order of their places.
    pub(crate) fn edits(&self, edit: &Value) -> BTreeMap<String, Vec<(usize, usize, String)>> {
        let mut out: BTreeMap<String, Vec<(usize, usize, String)>> = BTreeMap::new();
        let mut add = |uri: &str, edits: &Value| {
            let name = self.name(uri).unwrap_or_else(|| panic!("an edit of {uri}"));
            for one in edits.as_array().unwrap() {
                let (start, end) = self.bytes(name, &one["range"]);
                let new = one["newText"].as_str().unwrap().to_owned();
                out.entry(name.to_owned())
                    .or_default()
                    .push((start, end, new));
            }
        };
        for change in edit["documentChanges"].as_array().into_iter().flatten() {
            add(
                change["textDocument"]["uri"].as_str().unwrap(),
                &change["edits"],
            );
        }
        for (uri, edits) in edit["changes"].as_object().into_iter().flatten() {
            add(uri, edits);
        }
        for edits in out.values_mut() {
            edits.sort();
            assert!(
                edits.windows(2).all(|two| two[0].1 <= two[1].0),
                "edits overlap: {edits:?}"
            );
        }
        out
    }

    /// All texts after edits.
    pub(crate) fn after(
        &self,
        edits: &BTreeMap<String, Vec<(usize, usize, String)>>,
    ) -> BTreeMap<String, String> {
        let mut texts = self.texts.clone();
        for (name, edits) in edits {
            let text = texts.get_mut(name).unwrap();
            for (start, end, new) in edits.iter().rev() {
                text.replace_range(start..end, new);
            }
        }
        texts
    }

    /// The findings of a file, as they are pulled.
    pub(crate) fn findings(&mut self, name: &str) -> Vec<Value> {
        let params = json!({"textDocument": {"uri": self.uri(name)}});
        let answer = self.client.request("textDocument/diagnostic", params);
        answer.unwrap()["items"].as_array().unwrap().clone()
    }

    /// The codes of all findings.
    pub(crate) fn codes(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        let open: Vec<String> = self
            .texts
            .keys()
            .filter(|name| name.ends_with(".ctr") && !name.starts_with("closed"))
            .cloned()
            .collect();
        for name in open {
            for found in self.findings(&name) {
                out.push(format!("{name} {}", found["code"].as_str().unwrap()));
            }
        }
        out.sort();
        out
    }

    pub(crate) fn close(self) {
        assert!(
            self.client.faults().is_empty(),
            "{:?}",
            self.client.faults()
        );
        assert!(self.client.close());
    }
}

/// Where the names of a text begin and end, in strings and comments, too.
pub(crate) fn words(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                out.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    out
}
