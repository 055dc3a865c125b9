//! From `initialize` to `exit`, and what clients get wrong.

use std::fs;

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "untitled:Untitled-1";

#[test]
fn a_whole_life() {
    let mut client = Client::ready("utf-16", &[]);
    client.open(URI, 1, "contract c { guarantee never call t }\n");
    client.settle(URI, 1);
    assert_eq!(client.findings[URI].1, json!([]));
    assert!(client.close());
}

#[test]
fn exit_without_shutdown_is_an_error() {
    assert!(!Client::ready("utf-16", &[]).leave());
    assert!(!Client::silent().leave());
}

#[test]
fn requests_out_of_order() {
    let mut client = Client::silent();
    let hover = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    let error = client
        .request("textDocument/hover", hover.clone())
        .unwrap_err();
    assert_eq!(error["code"], -32002);
    client.notify("textDocument/didChange", json!({"nonsense": 1}));
    let answer = client
        .request("initialize", json!({"capabilities": {}}))
        .unwrap();
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    let error = client
        .request("initialize", json!({"capabilities": {}}))
        .unwrap_err();
    assert_eq!(error["code"], -32600);
    // Before `initialized`, about a document that is not open.
    let symbols = json!({"textDocument": {"uri": "file:///gone.ctr"}});
    assert_eq!(
        client
            .request("textDocument/documentSymbol", symbols)
            .unwrap(),
        Value::Null
    );
    let error = client
        .request("textDocument/nothing", json!({}))
        .unwrap_err();
    assert_eq!(error["code"], -32601);
    let error = client
        .request("textDocument/documentSymbol", json!([7]))
        .unwrap_err();
    assert_eq!(error["code"], -32602);
    client.request("shutdown", Value::Null).unwrap();
    let error = client.request("textDocument/hover", hover).unwrap_err();
    assert_eq!(error["code"], -32600);
    assert!(client.leave());
}

#[test]
fn findings_follow_the_text() {
    let mut client = Client::ready("utf-16", &[]);
    client.open(URI, 1, "contract c { guarantee never cal t }\n");
    client.settle(URI, 1);
    assert_eq!(client.findings[URI].1.as_array().unwrap().len(), 1);
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{
                "range": {"start": {"line": 0, "character": 32}, "end": {"line": 0, "character": 32}},
                "text": "l",
            }],
        }),
    );
    client.settle(URI, 2);
    assert_eq!(client.findings[URI].1, json!([]));
    assert!(client.close());
}

#[test]
fn findings_go_where_files_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    fs::write(path.join("b.ctr"), "predicate p(e: event) = never e\n").unwrap();
    let a = "import \"b.ctr\" as b\ncontract c { guarantee b.q(call t) }\n";
    let mut client = Client::ready("utf-16", &[uri("").trim_end_matches('/').to_owned()]);
    client.open(&uri("a.ctr"), 1, a);
    client.settle(&uri("a.ctr"), 1);
    assert_eq!(client.findings[&uri("a.ctr")].1[0]["code"], "E0403");
    // The buffer of the other file counts before it is saved, and does not when it is closed.
    client.open(&uri("b.ctr"), 1, "predicate q(e: event) = never e\n");
    client.settle(&uri("b.ctr"), 1);
    client
        .request("workspace/symbol", json!({"query": ""}))
        .unwrap();
    assert_eq!(client.findings[&uri("a.ctr")].1, json!([]));
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri("b.ctr")}}),
    );
    client.open(&uri("a.ctr"), 2, a);
    client.settle(&uri("a.ctr"), 2);
    assert_eq!(client.findings[&uri("a.ctr")].1[0]["code"], "E0403");
    // On disk it changes, goes, and comes back.
    fs::write(path.join("b.ctr"), "predicate q(e: event) = never e\n").unwrap();
    let changed = |kind: u8| json!({"changes": [{"uri": uri("b.ctr"), "type": kind}]});
    client.notify("workspace/didChangeWatchedFiles", changed(2));
    client.open(&uri("a.ctr"), 3, a);
    client.settle(&uri("a.ctr"), 3);
    assert_eq!(client.findings[&uri("a.ctr")].1, json!([]));
    fs::remove_file(path.join("b.ctr")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", changed(3));
    client.open(&uri("a.ctr"), 4, a);
    client.settle(&uri("a.ctr"), 4);
    assert_eq!(client.findings[&uri("a.ctr")].1[0]["code"], "E0200");
    assert!(client.close());
}

#[test]
fn twins_of_files_are_left_alone() {
    let mut client = Client::ready("utf-16", &[]);
    client.open("git:/a.ctr?ref", 1, "contract {");
    client.open(URI, 1, "contract c { guarantee never call t }\n");
    client.settle(URI, 1);
    assert!(!client.findings.contains_key("git:/a.ctr?ref"));
    assert!(client.log.is_empty());
    assert!(client.close());
}

#[test]
fn texts_of_the_library_open_like_others() {
    let mut client = Client::ready("utf-16", &[]);
    assert_eq!(
        client.capabilities["workspace"]["textDocumentContent"]["schemes"],
        json!(["ctrc-std"])
    );
    let uri = "ctrc-std:/std/declare.ctr";
    for method in ["workspace/textDocumentContent", "ctrc/source"] {
        let answer = client.request(method, json!({"uri": uri})).unwrap();
        let text = answer["text"].as_str().unwrap().to_owned();
        assert!(text.contains("predicate response"), "{text}");
        client.open(uri, 1, &text);
        client.settle(uri, 1);
        assert_eq!(client.findings[uri].1, json!([]));
    }
    let about = json!({"textDocument": {"uri": uri}});
    let symbols = client
        .request("textDocument/documentSymbol", about.clone())
        .unwrap();
    assert!(symbols.as_array().unwrap().len() > 10);
    let tokens = client
        .request("textDocument/semanticTokens/full", about)
        .unwrap();
    assert!(!tokens["data"].as_array().unwrap().is_empty());
    // Its names are not the user's to change.
    let name = &symbols
        .as_array()
        .unwrap()
        .iter()
        .find(|symbol| symbol["name"] == "response")
        .unwrap()["selectionRange"]["start"];
    let rename = client.request(
        "textDocument/prepareRename",
        json!({"textDocument": {"uri": uri}, "position": name}),
    );
    assert_eq!(
        rename.unwrap_err()["message"],
        "`response` comes with the compiler"
    );
    assert!(client.close());
}
