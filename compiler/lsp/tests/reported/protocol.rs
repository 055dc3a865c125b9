//! Clients that do not keep to the protocol, or keep to parts of it that few use.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use lsp_server::{Message, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::capabilities::{self, Shape, Site};
use crate::client::{Client, Kind};
use crate::text::Units;

const URI: &str = "untitled:Untitled-1";
const TEXT: &str =
    "tool pay(amount: number)\ncontract c { guarantee never call pay(amount > 1) }\n";

const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_REQUEST: i64 = -32600;
const NOT_INITIALIZED: i64 = -32002;
const CANCELLED: i64 = -32800;
const REQUEST_FAILED: i64 = -32803;

fn opened(kind: Kind) -> Client {
    let mut client = Client::ready(kind, "utf-16", &[]);
    client.open(URI, 1, TEXT);
    client
}

/// The server still works: it knows the text that it should, and has logged no fault of its own.
fn alive(client: &mut Client) {
    let symbols = client
        .request(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": URI}}),
        )
        .unwrap();
    assert!(symbols.to_string().contains("\"c\""), "{symbols}");
    assert!(client.faults().is_empty(), "{:?}", client.faults());
}

/// All requests that are announced, each with parameters that are right.
fn all_requests(client: &Client, uri: &str) -> Vec<(String, Value)> {
    let site = Site {
        uri,
        text: TEXT,
        units: Units::Utf16,
        touched: 6,
        capabilities: &client.capabilities,
        tokens: None,
        findings: json!([]),
        positions: OnceCell::new(),
    };
    capabilities::requests(&client.capabilities)
        .unwrap()
        .iter()
        .flat_map(|(method, shape)| match shape {
            Shape::Resolve(_) => vec![(
                (*method).to_owned(),
                json!({"label": "x", "title": "x", "data": {"x": 1}}),
            )],
            _ => site
                .params(method, *shape)
                .into_iter()
                .map(|params| ((*method).to_owned(), params))
                .collect(),
        })
        .collect()
}

/// Every way to make one part of a value wrong.
fn spoilt(value: &Value) -> Vec<Value> {
    let mut out = vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!([[]]),
    ];
    match value {
        Value::Object(fields) => {
            for name in fields.keys() {
                let mut without = fields.clone();
                without.remove(name);
                out.push(Value::Object(without));
                for bad in spoilt(&fields[name]) {
                    let mut with = fields.clone();
                    with.insert(name.clone(), bad);
                    out.push(Value::Object(with));
                }
            }
            let mut more = fields.clone();
            more.insert("unheardOf".to_owned(), json!({"a": [1]}));
            out.push(Value::Object(more));
        }
        Value::Array(items) => {
            for at in 0..items.len().min(2) {
                for bad in spoilt(&items[at]) {
                    let mut with = items.clone();
                    with[at] = bad;
                    out.push(Value::Array(with));
                }
            }
        }
        Value::Number(_) => out.extend([json!(u64::MAX), json!(4_294_967_296_u64), json!(1e300)]),
        Value::String(_) => out.extend([
            json!(""),
            json!("\u{0}"),
            json!("file:"),
            json!("a".repeat(70_000)),
        ]),
        _ => {}
    }
    out
}

#[test]
fn parameters_of_requests_that_are_wrong() {
    for kind in [Kind::Rich, Kind::Poor] {
        let mut client = opened(kind);
        let mut tried = Vec::new();
        for (method, params) in all_requests(&client, URI) {
            if tried.contains(&method) {
                continue;
            }
            for bad in spoilt(&params) {
                let answer = client.request(&method, bad.clone());
                if let Err((code, why)) = answer {
                    assert!(
                        matches!(code, INVALID_PARAMS | REQUEST_FAILED)
                            && !why.contains("internal"),
                        "{method} {bad}: {code} {why}"
                    );
                }
            }
            tried.push(method);
        }
        alive(&mut client);
        assert!(client.close());
    }
}

#[test]
fn parameters_of_notifications_that_are_wrong() {
    let mut client = opened(Kind::Poor);
    let change = json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "text": "x"});
    for (method, params) in [
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "untitled:other", "languageId": "ctr", "version": 1, "text": ""}}),
        ),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": "untitled:other", "version": 1}, "contentChanges": [change]}),
        ),
        (
            "textDocument/didSave",
            json!({"textDocument": {"uri": "untitled:other"}}),
        ),
        (
            "textDocument/didClose",
            json!({"textDocument": {"uri": "untitled:other"}}),
        ),
        (
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": "file:///gone", "type": 1}]}),
        ),
        (
            "workspace/didChangeWorkspaceFolders",
            json!({"event": {"added": [{"uri": "file:///gone", "name": "x"}], "removed": []}}),
        ),
        (
            "workspace/didChangeConfiguration",
            json!({"settings": {"ctrc": {"x": 1}}}),
        ),
        (
            "workspace/didCreateFiles",
            json!({"files": [{"uri": "file:///gone/a.ctr"}]}),
        ),
        (
            "workspace/didRenameFiles",
            json!({"files": [{"oldUri": "file:///gone/a.ctr", "newUri": "file:///gone/b.ctr"}]}),
        ),
        (
            "workspace/didDeleteFiles",
            json!({"files": [{"uri": "file:///gone/b.ctr"}]}),
        ),
        ("$/cancelRequest", json!({"id": 9999})),
        ("$/setTrace", json!({"value": "verbose"})),
        ("window/workDoneProgress/cancel", json!({"token": "t"})),
        (
            "notebookDocument/didOpen",
            json!({"notebookDocument": {"uri": "file:///n.ipynb"}, "cellTextDocuments": []}),
        ),
        (
            "textDocument/willSave",
            json!({"textDocument": {"uri": "untitled:other"}, "reason": 1}),
        ),
        ("initialized", json!({})),
        ("nonsense", json!({})),
        ("", json!({})),
        ("$/nonsense", json!({})),
    ] {
        for bad in spoilt(&params) {
            client.notify(method, bad);
        }
        client.notify(method, params);
    }
    // A list of 70,000 letters as an address is no reason to stop either.
    alive(&mut client);
    assert!(client.close());
}

#[test]
fn requests_that_do_not_exist() {
    let mut client = opened(Kind::Rich);
    for method in [
        "nonsense",
        "",
        "$/nonsense",
        "textDocument/nonsense",
        "textDocument/didOpen",
        "exit",
    ] {
        let (code, why) = client.request(method, json!({})).unwrap_err();
        assert_eq!(code, METHOD_NOT_FOUND, "{method}: {why}");
    }
    alive(&mut client);
    assert!(client.close());
}

#[test]
fn before_initialize_and_after_shutdown() {
    let mut client = Client::silent(Kind::Poor);
    for method in [
        "textDocument/hover",
        "shutdown",
        "nonsense",
        "workspace/symbol",
    ] {
        let (code, _) = client.request(method, json!({"query": ""})).unwrap_err();
        assert_eq!(code, NOT_INITIALIZED, "{method}");
    }
    client.open(URI, 1, TEXT);
    client.notify("initialized", json!({}));
    client.notify("nonsense", json!(7));
    let greeting = Client::greeting(Kind::Poor, "utf-16", &[]);
    // A greeting that is wrong is refused, and the next one counts.
    let (code, _) = client.request("initialize", json!([1])).unwrap_err();
    assert_eq!(code, INVALID_PARAMS);
    client.capabilities =
        client.request("initialize", greeting.clone()).unwrap()["capabilities"].take();
    let (code, _) = client.request("initialize", greeting).unwrap_err();
    assert_eq!(code, INVALID_REQUEST);
    // What was opened too early is not open.
    let all = all_requests(&client, URI);
    // Before `initialized` everything is answered.
    for ((method, params), answer) in all.iter().zip(client.ask(&all)) {
        if let Err((code, why)) = answer {
            assert!(
                matches!(code, INVALID_PARAMS | REQUEST_FAILED),
                "{method} {params}: {code} {why}"
            );
        }
    }
    client.open(URI, 1, TEXT);
    client.notify("initialized", json!({}));
    client.settle(URI, 1);
    alive(&mut client);
    client.request("shutdown", Value::Null).unwrap();
    for (method, params) in all {
        let (code, _) = client.request(&method, params).unwrap_err();
        assert_eq!(code, INVALID_REQUEST, "{method}");
    }
    let (code, _) = client.request("shutdown", Value::Null).unwrap_err();
    assert_eq!(code, INVALID_REQUEST);
    client.open("untitled:late", 1, TEXT);
    client.calm(Duration::from_millis(50));
    assert!(!client.findings.contains_key("untitled:late"));
    assert!(client.leave());
}

#[test]
fn greetings_of_all_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let uri = format!("file://{}", folder.path().display());
    for (greeting, encoding) in [
        (json!({"capabilities": {}}), "utf-16"),
        (
            json!({"capabilities": {}, "processId": 1, "rootUri": null, "rootPath": null, "workspaceFolders": null}),
            "utf-16",
        ),
        (json!({"capabilities": {}, "rootUri": uri}), "utf-16"),
        (
            json!({"capabilities": {}, "workspaceFolders": []}),
            "utf-16",
        ),
        (
            json!({"capabilities": {"general": {"positionEncodings": []}}}),
            "utf-16",
        ),
        (
            json!({"capabilities": {"general": {"positionEncodings": ["utf-32"]}}}),
            "utf-16",
        ),
        (
            json!({"capabilities": {"general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]}}}),
            "utf-8",
        ),
        (
            json!({"capabilities": {}, "initializationOptions": null, "trace": "verbose", "locale": "de"}),
            "utf-16",
        ),
        (
            json!({"capabilities": {}, "initializationOptions": [1, {"a": "b"}]}),
            "utf-16",
        ),
        (
            json!({"capabilities": {}, "initializationOptions": "nonsense"}),
            "utf-16",
        ),
        (
            json!({"capabilities": {}, "workspaceFolders": [{"uri": "vscode-remote://ssh/x", "name": "x"}, {"uri": "file:///gone", "name": ""}]}),
            "utf-16",
        ),
        (
            json!({"capabilities": {"experimental": 7, "unheardOf": {"x": []}}, "unheardOf": 1}),
            "utf-16",
        ),
    ] {
        let mut client = Client::silent(Kind::Poor);
        let answer = client.request("initialize", greeting.clone());
        let answer = answer.unwrap_or_else(|e| panic!("{greeting}: {e:?}"));
        assert_eq!(
            answer["capabilities"]["positionEncoding"], encoding,
            "{greeting}"
        );
        assert_eq!(answer["serverInfo"]["name"], "ctrc");
        client.notify("initialized", json!({}));
        client.open(URI, 1, TEXT);
        client.settle(URI, 1);
        alive(&mut client);
        assert!(client.close());
    }
}

#[test]
fn cancelled_requests_are_answered_once() {
    let mut client = opened(Kind::Rich);
    let all = all_requests(&client, URI);
    let ids: Vec<RequestId> = all
        .iter()
        .map(|(method, params)| {
            let id = client.send(method, params.clone());
            client.notify("$/cancelRequest", json!({"id": id}));
            id
        })
        .collect();
    for ((method, params), answer) in all.iter().zip(client.wait(ids.clone())) {
        match answer {
            Ok(_) | Err((INVALID_PARAMS | REQUEST_FAILED, _)) => {}
            Err((code, why)) => {
                assert_eq!(code, CANCELLED, "{method} {params}: {why}");
            }
        }
    }
    // Again, when they are answered long ago.
    for id in ids {
        client.notify("$/cancelRequest", json!({"id": id}));
    }
    client.notify("$/cancelRequest", json!({"id": "no such request"}));
    alive(&mut client);
    client.calm(Duration::from_millis(20));
    assert!(client.close());
}

#[test]
fn names_of_requests() {
    let mut client = opened(Kind::Poor);
    for id in ["", "a", "1", "é😀"] {
        let id = RequestId::from(id.to_owned());
        let params = json!({"textDocument": {"uri": URI}});
        client.say(Request::new(
            id.clone(),
            "textDocument/nothing".to_owned(),
            params,
        ));
        loop {
            // Answers to requests that the client keeps no account of.
            let message = client.take_raw(Duration::from_secs(60)).expect("no answer");
            if let Message::Response(answer) = message {
                assert_eq!(answer.id, id);
                break;
            }
        }
    }
    // Answers to questions that nobody asked.
    for id in [77, -1] {
        client.say(Response::new_ok(RequestId::from(id), json!({"x": 1})));
        client.say(Response::new_err(
            RequestId::from(id),
            -32601,
            "no".to_owned(),
        ));
    }
    alive(&mut client);
    assert!(client.close());
}

#[test]
fn documents_opened_twice_and_closed_twice() {
    let mut client = Client::ready(Kind::Poor, "utf-16", &[]);
    let wrong = "contract c { guarantee never cal pay }\n";
    // Changes and ends of what is not open.
    client.replace(URI, 3, wrong);
    client.notify(
        "textDocument/didSave",
        json!({"textDocument": {"uri": URI}, "text": wrong}),
    );
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    client.open(URI, 5, wrong);
    client.settle(URI, 5);
    assert_eq!(client.findings[URI].1[0]["code"], "E0041");
    // Opened again with another text, and with a smaller number.
    client.open(URI, 2, TEXT);
    client.settle(URI, 2);
    assert_eq!(client.findings[URI].1, json!([]));
    // Numbers that go backwards, stay, are negative: the last text is the one that counts.
    for version in [2, 1, 1, -7, i64::from(i32::MAX), 0] {
        client.replace(URI, version, wrong);
    }
    client.settle(URI, 0);
    client.calm(Duration::from_millis(300));
    assert_eq!(client.findings[URI].0, Some(0));
    assert_eq!(client.findings[URI].1[0]["code"], "E0041");
    // Nothing is left of a document without a file once it is closed.
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    let until = Instant::now() + Duration::from_secs(60);
    while client.findings[URI].1 != json!([]) {
        assert!(Instant::now() < until, "findings of a closed document stay");
        client.take(Duration::from_millis(100));
    }
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    assert!(symbols.unwrap().as_array().is_none_or(Vec::is_empty));
    client.open(URI, 1, TEXT);
    alive(&mut client);
    assert!(client.close());
}

#[test]
fn ten_thousand_quick_changes() {
    let mut client = opened(Kind::Poor);
    let since = Instant::now();
    let mut version = 1;
    for _ in 0..5000 {
        for (start, end, text) in [(0, 0, "😀"), (0, 2, "")] {
            version += 1;
            client.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": {"uri": URI, "version": version},
                    "contentChanges": [{"range": {"start": {"line": 1, "character": start}, "end": {"line": 1, "character": end}}, "text": text}],
                }),
            );
        }
    }
    client.settle(URI, version);
    assert_eq!(client.findings[URI].1, json!([]));
    alive(&mut client);
    assert!(
        since.elapsed() < Duration::from_secs(60),
        "{:?}",
        since.elapsed()
    );
    // In one message.
    let insert = json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": version + 1}, "contentChanges": vec![insert; 10_000]}),
    );
    client.settle(URI, version + 1);
    alive(&mut client);
    assert!(client.close());
}

#[test]
fn a_flood_of_requests() {
    let mut client = opened(Kind::Rich);
    let all = all_requests(&client, URI);
    let mut ids = Vec::new();
    for round in 0..20 {
        client.replace(URI, 2 + round, TEXT);
        for (method, params) in &all {
            ids.push(client.send(method, params.clone()));
        }
    }
    for answer in client.wait(ids) {
        if let Err((code, why)) = answer {
            assert!(
                matches!(code, INVALID_PARAMS | REQUEST_FAILED),
                "{code} {why}"
            );
        }
    }
    alive(&mut client);
    assert!(client.close());
}
