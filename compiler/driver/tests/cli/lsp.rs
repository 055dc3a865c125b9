//! `ctrc lsp` outlives its own faults, which `CTRC_LSP_FAULTS=1` makes on purpose.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::Desk;

#[test]
fn a_fault_is_told_and_the_server_goes_on() {
    let desk = Desk::new();
    let mut child = desk
        .command(&["lsp"])
        .env("CTRC_LSP_FAULTS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut send = |message: Value| {
        let text = message.to_string();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    };
    let mut next = || -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                output.read_line(&mut line).unwrap() > 0,
                "the server is gone"
            );
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(text) => length = text.parse().unwrap(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    };
    let open = |name: &str, text: &str| {
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": format!("untitled:{name}"), "languageId": "ctr", "version": 1, "text": text}}})
    };
    send(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}),
    );
    assert_eq!(next()["id"], 1);
    send(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let told = |message: &Value| {
        message["method"] == "window/logMessage"
            && message["params"]["message"]
                .as_str()
                .is_some_and(|text| text.contains("a fault on purpose"))
    };

    // Where requests are answered.
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "ctrc/fault"}));
    let (mut is_answered, mut is_told) = (false, false);
    while !(is_answered && is_told) {
        let message = next();
        is_told |= told(&message);
        if message["id"] == 2 {
            assert_eq!(message["error"]["code"], -32603);
            is_answered = true;
        }
    }
    // Where messages are read.
    send(json!({"jsonrpc": "2.0", "method": "ctrc/fault"}));
    while !told(&next()) {}
    // In proofs, after which others are still proven.
    send(open(
        "a",
        "// ctrc: fault\ncontract c { guarantee never call t }\n",
    ));
    while !told(&next()) {}
    let conflict =
        "contract a { guarantee eventually call t }\ncontract b { guarantee never call t }\n";
    send(open("b", conflict));
    loop {
        let message = next();
        let found = message["params"]["diagnostics"].as_array();
        if found.is_some_and(|found| found.iter().any(|found| found["code"] == "E0703")) {
            break;
        }
    }
    send(json!({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}));
    while next()["id"] != 3 {}
    send(json!({"jsonrpc": "2.0", "method": "exit"}));
    assert!(child.wait().unwrap().success());
}
