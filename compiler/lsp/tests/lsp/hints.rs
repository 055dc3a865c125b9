//! Inlay hints: what is resolved later, and the settings that switch kinds off.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "untitled:hints.ctr";
const TEXT: &str = "tool pay(order: string, amount: number) -> { ok: bool }\n\
    contract c for each k {\n  guarantee success pay(args.order == k, ok) at most 1 time\n}\n";

fn hints(client: &mut Client) -> Vec<Value> {
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let params = json!({"textDocument": {"uri": URI}, "range": all});
    let answer = client.request("textDocument/inlayHint", params).unwrap();
    answer.as_array().unwrap().clone()
}

fn labels(client: &mut Client) -> Vec<String> {
    let label = |hint: &Value| hint["label"][0]["value"].as_str().unwrap().to_owned();
    hints(client).iter().map(label).collect()
}

fn client(initialize: Value) -> Client {
    let mut client = Client::silent();
    client.request("initialize", initialize).unwrap();
    client.notify("initialized", json!({}));
    client.open(URI, 1, TEXT);
    client
}

#[test]
fn what_a_hint_tells_comes_when_it_is_asked_for() {
    let mut client = client(json!({
        "processId": null,
        "capabilities": {"textDocument": {"inlayHint": {"resolveSupport": {"properties": ["tooltip", "label.location"]}}}},
    }));
    let known = hints(&mut client);
    assert_eq!(
        labels(&mut client),
        [": string", "result.", "otherwise block"]
    );
    for hint in &known {
        assert!(hint["label"][0].get("tooltip").is_none(), "{hint}");
        assert!(hint.get("textEdits").is_none(), "{hint}");
        let whole = client.request("inlayHint/resolve", hint.clone()).unwrap();
        assert_eq!(whole["position"], hint["position"]);
        assert!(
            whole["label"][0]["tooltip"]["value"]
                .as_str()
                .unwrap()
                .len()
                > 10
        );
    }
    let ty = client
        .request("inlayHint/resolve", known[0].clone())
        .unwrap();
    assert_eq!(
        ty["label"][0]["location"]["range"]["start"]["character"],
        16
    );
    let default = client
        .request("inlayHint/resolve", known[2].clone())
        .unwrap();
    assert_eq!(default["textEdits"][0]["newText"], "\n  otherwise block");
    // A hint of an older text, and one that was never given.
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": TEXT}]}),
    );
    for hint in [
        known[0].clone(),
        json!({"position": {"line": 0, "character": 0}, "label": "x"}),
    ] {
        let same = client.request("inlayHint/resolve", hint.clone()).unwrap();
        assert_eq!(same, hint);
    }
    assert!(client.close());
}

#[test]
fn kinds_are_switched_off() {
    let mut client = client(json!({
        "processId": null,
        "capabilities": {},
        "initializationOptions": {"inlayHints": {"types": false}},
    }));
    assert_eq!(labels(&mut client), ["result.", "otherwise block"]);
    let settings =
        json!({"settings": {"ctrc": {"inlayHints": {"names": false, "expansions": true}}}});
    client.notify("workspace/didChangeConfiguration", settings);
    assert_eq!(labels(&mut client), [": string", "otherwise block"]);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    assert_eq!(labels(&mut client), [": string", "otherwise block"]);
    assert!(client.close());
}
