//! What a user does who means no harm and does harm: the same picture again and again, files told in odd ways, modules that are
//! in no file.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::actions::abilities;
use crate::client::Client;

const TWO: &str = "tool pay(amount: int)\ntool note(text: string)\n/* £😀 */ contract two {\n  guarantee call pay at most 1 time\n  guarantee call note only after call pay\n}\ncontract kept { guarantee call pay leads to call note }\n";

fn command(client: &mut Client, name: &str, argument: &Value) -> Value {
    client
        .request(
            "workspace/executeCommand",
            json!({"command": name, "arguments": [argument]}),
        )
        .unwrap()
}

fn uri_of(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[test]
fn pictures_do_not_pile_up() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri_of(&folder.path().join("p.ctr"));
    let mut client = Client::able("utf-16", &[], json!({}));
    client.open(&uri, 1, TWO);
    let mut paths = Vec::new();
    for _ in 0..3 {
        let argument = json!({"uri": uri, "contract": "two"});
        command(&mut client, "ctrc.automaton", &argument);
        for (_, params) in std::mem::take(&mut client.told) {
            let message = params["message"].as_str().unwrap().to_owned();
            let (before, path) = message.split_once(" is drawn in ").unwrap();
            assert_eq!(before, "the guarantee of `two`");
            assert!(fs::read_to_string(path).unwrap().contains("<svg"));
            paths.push(path.to_owned());
        }
    }
    assert_eq!(paths.len(), 3);
    paths.dedup();
    assert_eq!(paths.len(), 1, "{paths:?}");
    // Somebody clears the folder of temporary files.
    let own = Path::new(&paths[0]).parent().unwrap().to_owned();
    fs::remove_dir_all(&own).unwrap();
    command(
        &mut client,
        "ctrc.automaton",
        &json!({"uri": uri, "contract": "two"}),
    );
    let (_, params) = client.told.pop().unwrap();
    let path = params["message"].as_str().unwrap();
    let path = path.split_once(" is drawn in ").unwrap().1.to_owned();
    assert!(Path::new(&path).exists());
    assert!(client.close());
    // Threads that still held it may end a moment later.
    let until = Instant::now() + Duration::from_secs(10);
    while Path::new(&path).parent().unwrap().exists() {
        assert!(Instant::now() < until, "{path} stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_broken_clause_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri_of(&folder.path().join("p.ctr"));
    let mut panels = abilities();
    panels["experimental"] = json!({"ctrc": {"panels": true}});
    for encoding in ["utf-8", "utf-16"] {
        let mut client = Client::able(encoding, &[], panels.clone());
        client.open(&uri, 1, TWO);
        let pay = |id: &str| {
            format!(
                "{{\"kind\":\"call\",\"id\":\"{id}\",\"tool\":\"pay\",\"args\":{{\"amount\":1}}}}\n{{\"kind\":\"return\",\"id\":\"{id}\",\"status\":\"success\",\"result\":{{}}}}\n"
            )
        };
        let note = "{\"kind\":\"call\",\"id\":\"n\",\"tool\":\"note\",\"args\":{\"text\":\"x\"}}\n{\"kind\":\"return\",\"id\":\"n\",\"status\":\"success\",\"result\":{}}\n";
        for (view, contract, text, lines) in [
            ("recorded", json!("two"), note.to_owned(), vec![4]),
            ("recorded", json!("two"), pay("a") + &pay("b"), vec![3]),
            ("gated", json!("two"), note.to_owned(), vec![4]),
            ("gated", json!("two"), pay("a") + &pay("b"), vec![3]),
            ("recorded", json!("kept"), pay("a"), vec![6]),
            (
                "recorded",
                Value::Null,
                note.to_owned() + &pay("b"),
                vec![4, 6],
            ),
        ] {
            let answer = command(
                &mut client,
                "ctrc.replay",
                &json!({"uri": uri, "contract": contract, "text": text, "view": view}),
            );
            let session = &answer["sessions"][0];
            let steps = session["steps"].as_array().unwrap().iter();
            let all = steps
                .flat_map(|step| step["violations"].as_array().unwrap())
                .chain(session["end"].as_array().unwrap());
            let mut found: Vec<u64> = all
                .map(|told| {
                    assert_eq!(told["clause"]["uri"], uri, "{told:#}");
                    told["clause"]["range"]["start"]["line"].as_u64().unwrap()
                })
                .collect();
            found.dedup();
            assert_eq!(found, lines, "{view} {contract} {text}\n{session:#}");
        }
        assert!(client.log.is_empty(), "{:?}", client.log);
        assert!(client.close());
    }
}

/// Clients that watch folders tell of a file that was written anew as changed, whether or not it was there before.
#[test]
fn a_new_file_that_is_told_as_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let mut client = Client::ready("utf-8", &[uri_of(&folder)]);
    let path = folder.join("new.ctr");
    let mut tell = |text: Option<&str>, has: bool| {
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let uri = uri_of(&path);
        client.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": uri, "type": 2}]}),
        );
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            // An answer of the server comes with what it told before.
            client
                .request(
                    "textDocument/foldingRange",
                    json!({"textDocument": {"uri": uri}}),
                )
                .unwrap();
            let known = client.findings.get(&uri).map(|(_, found)| found.clone());
            let known = known.unwrap_or(json!([]));
            if known.as_array().unwrap().is_empty() != has {
                return;
            }
            assert!(Instant::now() < until, "{text:?}: {known:#}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    tell(Some("contract a {"), true);
    tell(
        Some("tool t()\ncontract a { guarantee call t at most 1 time }\n"),
        false,
    );
    tell(Some("contract b {"), true);
    tell(None, false);
    tell(Some("contract b {"), true);
}

/// Edits with versions are only for clients that say that they can read them.
#[test]
fn a_client_that_knows_plain_edits_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    fs::write(folder.join("tools.ctr"), "tool pay(amount: int)\n").unwrap();
    fs::write(
        folder.join("p.ctr"),
        "include \"tools.ctr\"\ncontract a { guarantee call pay at most 1 time }\n",
    )
    .unwrap();
    let uri = |name: &str| uri_of(&folder.join(name));
    for versions in [false, true] {
        let able = match versions {
            true => json!({"workspace": {"workspaceEdit": {"documentChanges": true}}}),
            false => json!({}),
        };
        let mut client = Client::able("utf-16", &[uri_of(&folder)], able);
        client.open(&uri("tools.ctr"), 7, "tool pay(amount: int)\n");
        let renamed = client
            .request(
                "textDocument/rename",
                json!({"textDocument": {"uri": uri("tools.ctr")}, "position": {"line": 0, "character": 6}, "newName": "buy"}),
            )
            .unwrap();
        let moved = client
            .request(
                "workspace/willRenameFiles",
                json!({"files": [{"oldUri": uri("tools.ctr"), "newUri": uri("t.ctr")}]}),
            )
            .unwrap();
        for (edit, file, new) in [(&renamed, "tools.ctr", "buy"), (&moved, "p.ctr", "t.ctr")] {
            assert_eq!(edit.get("documentChanges").is_some(), versions, "{edit:#}");
            assert_eq!(edit.get("changes").is_some(), !versions, "{edit:#}");
            let edits = match versions {
                true => {
                    let files = edit["documentChanges"].as_array().unwrap();
                    let of = |one: &&Value| one["textDocument"]["uri"] == uri(file);
                    files.iter().find(of).unwrap()["edits"].clone()
                }
                false => edit["changes"][uri(file)].clone(),
            };
            let text = edits[0]["newText"].as_str().unwrap();
            assert!(text.trim_matches('"') == new, "{edit:#}");
        }
        assert!(client.close());
    }
}

#[test]
fn a_file_that_only_the_editor_has_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let (policy, other) = (
        uri_of(&folder.join("p.ctr")),
        uri_of(&folder.join("common.ctr")),
    );
    let mut client = Client::ready("utf-16", &[]);
    client.open(&policy, 1, "include \"comon.ctr\"\n");
    client.settle(&policy, 1);
    let is_suggested = |client: &Client| {
        let (_, found) = &client.findings[&policy];
        assert_eq!(found.as_array().unwrap().len(), 1, "{found:#}");
        found[0]["message"]
            .as_str()
            .unwrap()
            .contains("`common.ctr`")
    };
    assert!(!is_suggested(&client));
    for has in [true, false] {
        if has {
            client.open(&other, 1, "tool t()\n");
        } else {
            client.notify(
                "textDocument/didClose",
                json!({"textDocument": {"uri": other}}),
            );
        }
        let until = Instant::now() + Duration::from_secs(30);
        while is_suggested(&client) != has {
            assert!(Instant::now() < until, "{has}: {:?}", client.findings);
            client
                .request(
                    "textDocument/foldingRange",
                    json!({"textDocument": {"uri": policy}}),
                )
                .unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert!(client.close());
}
