//! Texts about things: in the kind that the client shows, made when they are asked for, of settings, too.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{self, Client};

fn hover(client: &mut Client, uri: &str, line: u32, character: u32) -> Value {
    let params = json!({
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character}
    });
    client.request("textDocument/hover", params).unwrap()
}

fn complete(client: &mut Client, uri: &str, line: u32, character: u32) -> Vec<Value> {
    let params = json!({
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character}
    });
    let answer = client.request("textDocument/completion", params).unwrap();
    answer.as_array().unwrap().clone()
}

const POLICY: &str =
    "tool pay(x: int)\n/// **One**.\ncontract c { guarantee call pay at most 1 time }\n";

/// A client that does not say that it shows Markdown or takes snippets gets neither.
#[test]
fn plain_clients_get_plain_text() {
    let mut client = Client::able("utf-16", &[], json!({}));
    let uri = "file:///plain/policy.ctr";
    client.open(uri, 1, POLICY);
    let found = hover(&mut client, uri, 2, 9);
    assert_eq!(found["contents"]["kind"], "plaintext");
    let text = found["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("contract c\n\nOne.\n\n"), "{text}");
    assert!(!text.contains("**") && !text.contains("```"), "{text}");
    for item in complete(&mut client, uri, 2, 23) {
        assert_ne!(item["insertTextFormat"], 2, "{item}");
        assert!(item["textEdit"]["range"].is_object(), "{item}");
        assert!(item["labelDetails"].is_null(), "{item}");
    }
    assert!(client.close());
}

#[test]
fn documentation_is_resolved() {
    let mut client = Client::able("utf-8", &[], client::shows());
    let uri = "file:///resolve/policy.ctr";
    client.open(uri, 1, POLICY);
    let resolved = |client: &mut Client, line, character, label: &str| {
        let items = complete(client, uri, line, character);
        let item = items.iter().find(|item| item["label"] == label).unwrap();
        assert!(item["documentation"].is_null(), "{item}");
        let item = client
            .request("completionItem/resolve", item.clone())
            .unwrap();
        assert_eq!(item["documentation"]["kind"], "markdown", "{item}");
        item["documentation"]["value"].as_str().unwrap().to_owned()
    };
    let found = resolved(&mut client, 2, 28, "pay");
    assert!(found.contains("tool pay(x: int)"), "{found}");
    let found = resolved(&mut client, 2, 23, "eventually");
    assert!(found.contains("At the end of a session"), "{found}");
    // What a client makes up, or asks of a text that is gone, comes back as it is.
    for data in [
        json!(null),
        json!(3),
        json!({"Keyword": "x"}),
        json!({"Symbol": {"uri": "file:///gone", "index": 9, "kind": "Tool", "name": "x"}}),
    ] {
        let item = json!({"label": "a", "data": data});
        let found = client.request("completionItem/resolve", item).unwrap();
        assert!(found["documentation"].is_null(), "{found}");
    }
    assert!(client.close());
}

#[test]
fn settings_are_told_and_completed() {
    let mut client = Client::able("utf-16", &[], client::shows());
    let uri = "file:///settings/ctrc.toml";
    let text = "[check]\nmax-states = 300\n\n[lints]\nW0407 = \"allow\"\n# w\n";
    client.open(uri, 1, text);
    let said = |found: &Value| {
        found["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(said(&hover(&mut client, uri, 0, 2)).contains("`[check]`"));
    let found = hover(&mut client, uri, 1, 3);
    assert!(said(&found).contains("The most states"), "{found}");
    assert_eq!(found["range"]["end"]["character"], 10);
    assert!(said(&hover(&mut client, uri, 4, 2)).contains("W0407"));
    assert!(hover(&mut client, uri, 2, 0).is_null());
    assert!(hover(&mut client, uri, 99, 9).is_null());
    let labels = |items: Vec<Value>| -> Vec<String> {
        items
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let found = labels(complete(&mut client, uri, 2, 0));
    assert_eq!(
        found,
        [
            "solver-timeout",
            "max-states",
            "[lints]",
            "[check]",
            "[fmt]",
            "[files]"
        ]
    );
    let found = labels(complete(&mut client, uri, 4, 9));
    assert_eq!(found, ["allow", "note", "warn", "deny"]);
    let found = labels(complete(&mut client, uri, 4, 1));
    assert!(found.contains(&"warnings".to_owned()) && found.contains(&"W0401".to_owned()));
    assert_eq!(labels(complete(&mut client, uri, 5, 3)), [""; 0]);
    assert!(client.close());
}

/// A hover is answered soon, however large the automata of a contract would be.
#[test]
fn large_contracts_do_not_keep_a_hover() {
    let mut clauses = String::new();
    for at in 0..14 {
        clauses.push_str(&format!(
            "  guarantee call t{at} leads to call u{at} within 40 steps\n"
        ));
    }
    let text = format!("contract large {{\n{clauses}}}\n");
    let mut client = Client::able("utf-16", &[], client::shows());
    let uri = "file:///large/policy.ctr";
    client.open(uri, 1, &text);
    // The text is compiled when it is first asked about.
    hover(&mut client, uri, 0, 3);
    hover(&mut client, uri, 0, 10);
    let began = Instant::now();
    let found = hover(&mut client, uri, 0, 10);
    let took = began.elapsed();
    let text = found["contents"]["value"].as_str().unwrap();
    assert!(text.contains("not counted"), "{text}");
    // Of a slow and busy machine; the limit itself is 150 ms.
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(client.close());
}
