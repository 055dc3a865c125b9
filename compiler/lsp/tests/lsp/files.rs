//! Files that come, go and get other names, settings that change: findings are never those of what was.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::Client;

/// A folder that a server works on.
struct Folder {
    client: Client,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        for (name, text) in files {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let client = Client::able(
            "utf-16",
            &[format!("file://{}", path.display())],
            json!({"workspace": {"workspaceEdit": {"documentChanges": true}}}),
        );
        Self {
            client,
            path,
            _folder: folder,
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.path.display())
    }

    /// The codes found in a file.
    fn codes(&mut self, name: &str) -> Vec<String> {
        let uri = self.uri(name);
        let answer = self
            .client
            .request(
                "textDocument/diagnostic",
                json!({"textDocument": {"uri": uri}}),
            )
            .unwrap();
        let items = answer["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["code"].as_str().unwrap().to_owned())
            .collect()
    }

    fn changed(&mut self, name: &str, kind: u8) {
        let uri = self.uri(name);
        self.client.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": uri, "type": kind}]}),
        );
    }

    fn rename(&mut self, old: &str, new: &str) {
        let new_path = self.path.join(new);
        fs::create_dir_all(new_path.parent().unwrap()).unwrap();
        fs::rename(self.path.join(old), new_path).unwrap();
        let files = json!({"files": [{"oldUri": self.uri(old), "newUri": self.uri(new)}]});
        self.client.notify("workspace/didRenameFiles", files);
    }

    /// The changes that a renaming asks for: file, and its text after them.
    fn asked_for(&mut self, old: &str, new: &str) -> Vec<(String, String)> {
        let files = json!({"files": [{"oldUri": self.uri(old), "newUri": self.uri(new)}]});
        let answer = self
            .client
            .request("workspace/willRenameFiles", files)
            .unwrap();
        let prefix = self.uri("");
        let mut all = Vec::new();
        for change in answer["documentChanges"].as_array().into_iter().flatten() {
            let uri = change["textDocument"]["uri"].as_str().unwrap();
            let name = uri.strip_prefix(&prefix).unwrap().to_owned();
            let text = fs::read_to_string(self.path.join(&name)).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let mut edits = change["edits"].as_array().unwrap().clone();
            edits.reverse();
            for edit in &edits {
                let at = |end: &str| {
                    let place = &edit["range"][end];
                    let number =
                        |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap();
                    (number("line"), number("character"))
                };
                let ((line, from), (_, to)) = (at("start"), at("end"));
                lines[line].replace_range(from..to, edit["newText"].as_str().unwrap());
            }
            all.push((name, lines.join("\n")));
        }
        all
    }

    fn close(self) {
        assert!(self.client.log.is_empty(), "{:?}", self.client.log);
        assert!(self.client.close());
    }
}

const SHARED: &str = "predicate p(e: event) = never e\n";
const USER: &str = "import \"shared.ctr\" as s\ncontract c { guarantee s.p(call t) }\n";

#[test]
fn renamed_and_deleted_files_leave_nothing_behind() {
    let mut folder = Folder::new(&[
        ("shared.ctr", SHARED),
        ("user.ctr", USER),
        ("bad.ctr", "contract {"),
    ]);
    assert!(folder.codes("user.ctr").is_empty());
    assert_eq!(folder.codes("bad.ctr").len(), 1);
    folder.rename("bad.ctr", "worse.ctr");
    assert!(folder.codes("bad.ctr").is_empty());
    assert_eq!(folder.codes("worse.ctr").len(), 1);
    folder.rename("shared.ctr", "below/shared.ctr");
    assert_eq!(folder.codes("user.ctr"), ["E0200"]);
    folder.rename("below/shared.ctr", "shared.ctr");
    assert!(folder.codes("user.ctr").is_empty());
    let uri = folder.uri("worse.ctr");
    fs::remove_file(folder.path.join("worse.ctr")).unwrap();
    folder
        .client
        .notify("workspace/didDeleteFiles", json!({"files": [{"uri": uri}]}));
    assert!(folder.codes("worse.ctr").is_empty());
    fs::write(folder.path.join("new.ctr"), "contract {").unwrap();
    let uri = folder.uri("new.ctr");
    folder
        .client
        .notify("workspace/didCreateFiles", json!({"files": [{"uri": uri}]}));
    assert_eq!(folder.codes("new.ctr").len(), 1);
    folder.close();
}

#[test]
fn what_a_client_was_told_is_taken_back() {
    let mut folder = Folder::new(&[("bad.ctr", "contract {")]);
    let uri = folder.uri("bad.ctr");
    folder.client.open(&uri, 1, "contract {");
    folder.client.settle(&uri, 1);
    assert_eq!(folder.client.findings[&uri].1.as_array().unwrap().len(), 1);
    folder.client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    fs::remove_file(folder.path.join("bad.ctr")).unwrap();
    folder.changed("bad.ctr", 3);
    // Something to wait for.
    let other = folder.uri("other.ctr");
    folder.client.open(&other, 1, "");
    folder.client.settle(&other, 1);
    assert_eq!(folder.client.findings[&uri], (None, json!([])));
    folder.close();
}

#[test]
fn settings_are_read_again() {
    let warns = "contract c {\n  guarantee call a\n}\n";
    let mut folder = Folder::new(&[("a.ctr", warns), ("gen/b.ctr", "contract {")]);
    let severity = |folder: &mut Folder| {
        let uri = folder.uri("a.ctr");
        let answer = folder
            .client
            .request(
                "textDocument/diagnostic",
                json!({"textDocument": {"uri": uri}}),
            )
            .unwrap();
        answer["items"][0]["severity"].clone()
    };
    assert_eq!(severity(&mut folder), 2);
    assert_eq!(folder.codes("gen/b.ctr").len(), 1);
    let toml = "[lints]\nW0407 = \"deny\"\nnope = 3\n[files]\nexclude = [\"gen/\"]\n";
    fs::write(folder.path.join("ctrc.toml"), toml).unwrap();
    folder.changed("ctrc.toml", 1);
    assert_eq!(severity(&mut folder), 1);
    assert!(folder.codes("gen/b.ctr").is_empty());
    assert_eq!(folder.codes("ctrc.toml").len(), 1);
    // The buffer counts before it is saved, and no longer when it is closed.
    let uri = folder.uri("ctrc.toml");
    folder.client.open(&uri, 1, "[lints]\nW0407 = \"note\"\n");
    assert_eq!(severity(&mut folder), 3);
    assert_eq!(folder.codes("gen/b.ctr").len(), 1);
    assert!(folder.codes("ctrc.toml").is_empty());
    folder.client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(severity(&mut folder), 1);
    fs::remove_file(folder.path.join("ctrc.toml")).unwrap();
    folder.changed("ctrc.toml", 3);
    assert_eq!(severity(&mut folder), 2);
    folder.close();
}

#[test]
fn paths_follow_a_file() {
    let mut folder = Folder::new(&[
        ("shared.ctr", "tools from \"tools.json\"\n"),
        ("tools.json", "[]"),
        (
            "user.ctr",
            "import \"shared.ctr\" as s // and \"shared.ctr\"\ninclude \"shared.ctr\"\n",
        ),
        (
            "sub/deep.ctr",
            "import \"../shared.ctr\" as s\ninclude \"near.ctr\"\n",
        ),
        ("sub/near.ctr", ""),
        ("named.ctr", "import shared\n"),
        ("apart.ctr", "import \"user.ctr\" as u\n"),
    ]);
    let changed = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(
        folder.asked_for("shared.ctr", "lib/common.ctr"),
        [
            changed("named.ctr", "import \"lib/common.ctr\" as shared"),
            changed("shared.ctr", "tools from \"../tools.json\""),
            changed(
                "sub/deep.ctr",
                "import \"../lib/common.ctr\" as s\ninclude \"near.ctr\""
            ),
            changed(
                "user.ctr",
                "import \"lib/common.ctr\" as s // and \"shared.ctr\"\ninclude \"lib/common.ctr\""
            ),
        ]
    );
    assert_eq!(
        folder.asked_for("tools.json", "schemas/tools.json"),
        [changed("shared.ctr", "tools from \"schemas/tools.json\"")]
    );
    // A folder takes its files along: what they say of each other stays.
    assert_eq!(
        folder.asked_for("sub", "a/b"),
        [changed(
            "sub/deep.ctr",
            "import \"../../shared.ctr\" as s\ninclude \"near.ctr\""
        )]
    );
    assert_eq!(folder.asked_for("nothing.ctr", "else.ctr"), []);
    folder.close();
}

#[test]
fn answers_that_are_known_are_not_given_again() {
    let mut folder = Folder::new(&[("a.ctr", "contract {")]);
    let uri = folder.uri("a.ctr");
    let mut ask = |previous: Value| {
        folder
            .client
            .request(
                "textDocument/diagnostic",
                json!({"textDocument": {"uri": uri}, "previousResultId": previous}),
            )
            .unwrap()
    };
    let first = ask(Value::Null);
    assert_eq!(first["kind"], "full");
    let again = ask(first["resultId"].clone());
    assert_eq!(again["kind"], "unchanged");
    assert_eq!(again["resultId"], first["resultId"]);
    assert_eq!(ask(json!("other"))["kind"], "full");
    folder.close();
}
