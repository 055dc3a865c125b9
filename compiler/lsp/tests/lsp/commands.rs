//! Commands and lenses: tests run, automata drawn, sessions found and replayed, from the texts of the editor.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::actions::{abilities, applied, policies, root};
use crate::client::Client;

/// A client that shows everything itself.
fn panels() -> Value {
    let mut able = abilities();
    able["experimental"] = json!({"ctrc": {"panels": true}});
    able
}

fn command(client: &mut Client, name: &str, argument: Value) -> Result<Value, Value> {
    client.request(
        "workspace/executeCommand",
        json!({"command": name, "arguments": [argument]}),
    )
}

fn uri_of(path: &str) -> String {
    format!("file://{}", root().join(path).display())
}

fn opened(client: &mut Client, path: &str) -> (String, String) {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let uri = uri_of(path);
    client.open(&uri, 1, &text);
    (uri, text)
}

#[test]
fn tests_are_those_of_the_command_line() {
    let mut client = Client::able("utf-16", &[], panels());
    let mut paths: Vec<PathBuf> = Vec::new();
    policies(&root().join("examples"), &mut paths);
    policies(&root().join("stdlib-contracts/std"), &mut paths);
    let mut ran = 0;
    for path in paths {
        let uri = format!("file://{}", path.display());
        let text = fs::read_to_string(&path).unwrap();
        client.open(&uri, 1, &text);
        let listed = command(&mut client, "ctrc.tests", json!({"uri": uri})).unwrap();
        let results = command(&mut client, "ctrc.runTests", json!({"uri": uri})).unwrap();
        let (listed, results) = (listed.as_array().unwrap(), results.as_array().unwrap());
        assert_eq!(listed.len(), text.matches("\ntest \"").count(), "{uri}");
        assert_eq!(listed.len(), results.len(), "{uri}");
        for (block, result) in listed.iter().zip(results) {
            for field in ["uri", "name", "index", "range", "nameRange"] {
                assert_eq!(block[field], result[field]);
            }
            assert_eq!(result["passed"], true, "{result:#}");
            assert_eq!(result["failures"], json!([]));
            assert!(result["took"].as_f64().unwrap() >= 0.0);
        }
        ran += results.len();
    }
    assert!(ran > 30, "{ran}");
    assert!(client.told.is_empty(), "{:?}", client.told);
    assert!(client.close());
}

const POLICY: &str = "tool pay(amount: number)\ncontract small {\n  guarantee call pay only if amount <= 10\n}\ntest \"a£😀\" { call pay(amount: 20) expect block by small }\ntest \"b\" for small {\n  call pay(amount: 5)\n  call pay(amount: 11) -> { ok: true }\n}\n";

#[test]
fn buffers_count_and_users_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap().join("policy.ctr");
    fs::write(&path, "contract broken {").unwrap();
    let uri = format!("file://{}", path.display());
    let mut client = Client::able("utf-16", &[], abilities());
    let refused = command(&mut client, "ctrc.runTests", json!({"uri": uri})).unwrap_err();
    assert_eq!(refused["code"], -32803);
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.starts_with("not tested: the policy has an error in line 1: "),
        "{message}"
    );
    assert_eq!(client.told.pop().unwrap().1["message"], message);

    client.open(&uri, 1, POLICY);
    let results = command(&mut client, "ctrc.runTests", json!({"uri": uri})).unwrap();
    assert_eq!(results[0]["passed"], true);
    assert_eq!(results[1]["passed"], false);
    assert_eq!(
        results[1]["failures"][0]["range"]["start"],
        json!({"line": 7, "character": 2})
    );
    assert_eq!(results[1]["message"], results[1]["failures"][0]["message"]);
    let (method, told) = client.told.pop().unwrap();
    assert_eq!(method, "window/showMessage");
    let told = told["message"].as_str().unwrap();
    assert!(
        told.starts_with("1 passed, 1 failed\nline 8 (b): expected to be allowed"),
        "{told}"
    );

    let one = command(
        &mut client,
        "ctrc.runTests",
        json!({"uri": uri, "names": ["a£😀", "c"]}),
    );
    assert_eq!(one.unwrap().as_array().unwrap().len(), 1);
    let none = command(
        &mut client,
        "ctrc.runTests",
        json!({"uri": uri, "names": []}),
    );
    assert_eq!(none.unwrap(), json!([]));
    let second = command(
        &mut client,
        "ctrc.runTests",
        json!({"uri": uri, "indices": [1]}),
    );
    assert_eq!(second.unwrap()[0]["name"], "b");

    for (name, argument, code) in [
        ("ctrc.nothing", json!({}), -32602),
        ("ctrc.runTests", json!({}), -32602),
        ("ctrc.automaton", json!({"uri": uri}), -32602),
        (
            "ctrc.automaton",
            json!({"uri": uri, "contract": "smal"}),
            -32803,
        ),
        ("ctrc.replay", json!({"uri": uri}), -32602),
        (
            "ctrc.replay",
            json!({"uri": uri, "path": "/nowhere/x.jsonl"}),
            -32803,
        ),
        (
            "ctrc.replay",
            json!({"uri": uri, "text": "not a session"}),
            -32803,
        ),
        ("ctrc.runTests", json!({"uri": "git:/a.ctr"}), -32803),
        (
            "ctrc.runTests",
            json!({"uri": "file:///nowhere/a.ctr"}),
            -32803,
        ),
    ] {
        let refused = command(&mut client, name, argument).unwrap_err();
        assert_eq!(refused["code"], code, "{name}: {refused}");
    }
    let near = command(
        &mut client,
        "ctrc.witness",
        json!({"uri": uri, "contract": "smal"}),
    );
    let near = near.unwrap_err();
    assert_eq!(
        near["message"],
        "the policy has no contract `smal`; did you mean `small`?"
    );
    assert!(client.log.is_empty());
    assert!(client.close());
}

#[test]
fn automata_are_drawn() {
    let mut client = Client::able("utf-16", &[], panels());
    let (uri, _) = opened(&mut client, "examples/deploy_gate/policy.ctr");
    let lenses = client
        .request(
            "textDocument/codeLens",
            json!({"textDocument": {"uri": uri}}),
        )
        .unwrap();
    let mut drawn = 0;
    for lens in lenses.as_array().unwrap() {
        let lens = client.request("codeLens/resolve", lens.clone()).unwrap();
        let title = lens["command"]["title"].as_str().unwrap();
        if lens["command"]["command"] != "ctrc.automaton" {
            continue;
        }
        let argument = lens["command"]["arguments"][0].clone();
        let answer = command(&mut client, "ctrc.automaton", argument).unwrap();
        assert_eq!(answer["range"], lens["range"]);
        let mut states = 0;
        for side in answer["sides"].as_array().unwrap() {
            let svg = side["svg"].as_str().unwrap();
            states += side["states"].as_array().unwrap().len();
            let initial = side["initial"].as_u64().unwrap();
            assert!(svg.contains(&format!("data-state=\"{initial}\"")), "{svg}");
            for edge in side["edges"].as_array().unwrap() {
                let from = format!("data-state=\"{}\"", edge["from"]);
                assert!(svg.contains(&from));
                if edge["from"] != edge["to"] {
                    let both = format!("data-from=\"{}\" data-to=\"{}\"", edge["from"], edge["to"]);
                    assert!(svg.contains(&both), "{both}\n{svg}");
                }
                assert!(!edge["label"].as_str().unwrap().is_empty());
            }
            drawn += 1;
        }
        assert!(
            title.contains(&format!("({states} state")),
            "{title}: {states}"
        );
    }
    assert!(drawn >= 5, "{drawn}");
    assert!(client.told.is_empty());
    assert!(client.close());
}

#[test]
fn a_picture_is_shown_where_there_are_no_panels() {
    let mut able = abilities();
    able["window"] = json!({"showDocument": {"support": true}});
    for (able, method) in [
        (able, "window/showDocument"),
        (abilities(), "window/showMessage"),
    ] {
        let mut client = Client::able("utf-16", &[], able);
        client.open("untitled:Untitled-1", 1, POLICY);
        let argument = json!({"uri": "untitled:Untitled-1", "contract": "small"});
        let answer = command(&mut client, "ctrc.automaton", argument).unwrap();
        let (told, params) = client.told.pop().unwrap();
        assert_eq!(told, method, "{params}");
        let text = params["uri"]
            .as_str()
            .or(params["message"].as_str())
            .unwrap();
        let path = text
            .rsplit_once("/tmp/")
            .map(|(_, file)| format!("/tmp/{file}"));
        let path = path.unwrap_or_else(|| text.trim_start_matches("file://").to_owned());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            answer["sides"][0]["svg"]
        );
        fs::remove_file(path).unwrap();
        assert!(client.close());
    }
}

/// Whether sessions are looked for; this crate by itself is built without the solver.
fn has_solver(client: &mut Client) -> bool {
    client.open("untitled:solver", 1, POLICY);
    let argument = json!({"uri": "untitled:solver", "contract": "small"});
    let answer = command(client, "ctrc.witness", argument).unwrap();
    let has = answer["undecided"] != "built without Z3";
    assert_eq!(has, !answer["accepting"].is_null(), "{answer:#}");
    has
}

#[test]
fn sessions_become_tests_that_pass() {
    let mut client = Client::able("utf-16", &[], panels());
    if !has_solver(&mut client) {
        return;
    }
    let mut made = 0;
    let mut unsaid = Vec::new();
    for path in [
        "examples/deploy_gate/policy.ctr",
        "examples/refund_desk/policy.ctr",
        "examples/mail_guard/policy.ctr",
    ] {
        let (uri, text) = opened(&mut client, path);
        let mut whole = text.clone();
        let contracts = ctr_grammar::parse(&text)
            .file
            .items
            .into_iter()
            .filter_map(|item| match item.kind {
                ctr_grammar::ast::ItemKind::Contract(contract) => Some(contract.name.name),
                _ => None,
            });
        for contract in contracts.collect::<Vec<_>>() {
            let argument = json!({"uri": uri, "contract": contract});
            let answer = command(&mut client, "ctrc.witness", argument).unwrap();
            for side in ["accepting", "rejecting"] {
                let found = &answer[side];
                if found.is_null() {
                    unsaid.push(format!("{contract} {side}: none"));
                    continue;
                }
                let events = found["lines"].as_array().unwrap().len();
                assert_eq!(events, found["steps"].as_array().unwrap().len());
                match found["test"].as_str() {
                    Some(test) => {
                        whole.push('\n');
                        whole.push_str(test);
                        made += 1;
                    }
                    None => unsaid.push(format!("{contract} {side}: {found:#}")),
                }
            }
        }
        client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": whole}]}),
        );
        assert!(ctr_grammar::parse(&whole).errors.is_empty());
        let results = command(&mut client, "ctrc.runTests", json!({"uri": uri})).unwrap();
        for result in results.as_array().unwrap() {
            assert_eq!(result["passed"], true, "{result:#}\n{whole}");
        }
    }
    assert!(unsaid.len() <= 3, "{}", unsaid.join("\n"));
    assert!(made >= 25, "{made}");
    assert!(client.close());
}

#[test]
fn an_action_writes_a_test() {
    let mut client = Client::able("utf-16", &[], panels());
    if !has_solver(&mut client) {
        return;
    }
    let uri = "untitled:Untitled-1";
    client.open(uri, 1, POLICY);
    let place = json!({"line": 1, "character": 10});
    let actions = client
        .request(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}),
        )
        .unwrap();
    let tests: Vec<Value> = actions
        .as_array()
        .unwrap()
        .iter()
        .filter(|action| {
            action["title"]
                .as_str()
                .unwrap()
                .starts_with("write a test")
        })
        .cloned()
        .collect();
    assert_eq!(tests.len(), 2);
    for test in tests {
        assert!(test["edit"].is_null());
        let resolved = client.request("codeAction/resolve", test.clone()).unwrap();
        let new = applied(POLICY, uri, &resolved["edit"]).unwrap();
        assert!(new.starts_with(POLICY));
        assert!(new.contains("test \"a session that "), "{new}");
        client.open(uri, 1, &new);
        let results = command(
            &mut client,
            "ctrc.runTests",
            json!({"uri": uri, "indices": [2]}),
        );
        assert_eq!(results.unwrap()[0]["passed"], true, "{new}");
        // What was offered for another text is not written.
        client.open(uri, 2, &new);
        let refused = client.request("codeAction/resolve", test).unwrap_err();
        assert_eq!(refused["code"], -32803);
        client.open(uri, 1, POLICY);
    }
    assert!(client.close());
}

#[test]
fn sessions_are_replayed_step_by_step() {
    let mut client = Client::able("utf-16", &[], panels());
    let mut steps = 0;
    for example in ["deploy_gate", "mail_guard", "refund_desk", "travel_desk"] {
        let folder = root().join("examples").join(example);
        let (uri, text) = opened(&mut client, &format!("examples/{example}/policy.ctr"));
        let names: Vec<String> = ctr_grammar::parse(&text)
            .file
            .items
            .into_iter()
            .filter_map(|item| match item.kind {
                ctr_grammar::ast::ItemKind::Contract(contract) => Some(contract.name.name),
                _ => None,
            })
            .collect();
        let mut sessions: Vec<PathBuf> = fs::read_dir(folder.join("sessions"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        sessions.sort();
        for session in sessions {
            let path = session.to_str().unwrap();
            let whole = command(
                &mut client,
                "ctrc.replay",
                json!({"uri": uri, "path": path}),
            );
            let whole = whole.unwrap();
            let mut worst = "IDLE".to_owned();
            for name in &names {
                let argument = json!({"uri": uri, "path": path, "contract": name});
                let answer = command(&mut client, "ctrc.replay", argument).unwrap();
                assert_eq!(answer["contract"], **name);
                for (told, all) in answer["sessions"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(whole["sessions"].as_array().unwrap())
                {
                    assert_eq!(
                        told["steps"].as_array().unwrap().len(),
                        all["steps"].as_array().unwrap().len()
                    );
                    follow(told);
                    steps += told["steps"].as_array().unwrap().len();
                    let verdict = told["verdict"].as_str().unwrap();
                    let fails = told["steps"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .any(|s| s["violated"] == true)
                        || !told["end"].as_array().unwrap().is_empty();
                    assert_eq!(verdict == "FAIL", fails && verdict != "IDLE", "{told:#}");
                    worst = worst.min(verdict.to_owned().replace("FAIL", "A"));
                }
            }
            if whole["sessions"].as_array().unwrap().len() == 1 {
                assert_eq!(whole["sessions"][0]["verdict"] == "FAIL", worst == "A");
            }
        }
    }
    assert!(steps > 100, "{steps}");
    assert!(client.close());
}

/// That each step begins where the one before left the instance.
fn follow(session: &Value) {
    let count = session["instances"].as_array().unwrap().len();
    let mut now: Vec<Option<Value>> = vec![None; count];
    if session["instances"] == json!([null]) {
        now[0] = Some(session["start"]["states"].clone());
    }
    let mut event = 0;
    for step in session["steps"].as_array().unwrap() {
        if let Some(number) = step["event"].as_u64() {
            assert_eq!(number, event);
            event += 1;
        }
        for change in step["changes"].as_array().into_iter().flatten() {
            let at = usize::try_from(change["instance"].as_u64().unwrap()).unwrap();
            match &now[at] {
                Some(before) => assert_eq!(change["from"], *before, "{step:#}"),
                None => assert!(change["from"].is_null(), "{step:#}"),
            }
            now[at] = Some(change["states"].clone());
        }
    }
}

#[test]
fn progress_is_told_and_work_can_be_given_up() {
    let mut client = Client::able("utf-16", &[], panels());
    let (uri, _) = opened(&mut client, "examples/refund_desk/policy.ctr");
    let argument = json!({"uri": uri});
    let params = json!({"command": "ctrc.runTests", "arguments": [argument], "workDoneToken": "t"});
    client.request("workspace/executeCommand", params).unwrap();
    let kinds: Vec<&str> = client
        .told
        .iter()
        .map(|(method, params)| {
            assert_eq!(method, "$/progress");
            assert_eq!(params["token"], "t");
            params["value"]["kind"].as_str().unwrap()
        })
        .collect();
    assert_eq!(kinds.first(), Some(&"begin"));
    assert_eq!(kinds.last(), Some(&"end"));
    assert!(kinds.len() > 2);
    let argument = json!({"uri": uri, "contract": "receipt_is_sent"});
    let id = client.send(
        "workspace/executeCommand",
        json!({"command": "ctrc.witness", "arguments": [argument]}),
    );
    client.notify(
        "$/cancelRequest",
        json!({"id": id.to_string().parse::<i32>().unwrap()}),
    );
    assert_eq!(client.wait(&id).unwrap_err()["code"], -32800);
    assert!(client.close());
}
