//! Addresses of documents in all spellings (regal#629, #627, PR#569, PR#631; lambdapi#343, #1169), and documents that
//! are no files (ruff#11674, #11510; harper#382/PR#927).

use std::cell::OnceCell;
use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::capabilities::{self, Shape, Site};
use crate::client::{Client, Kind};
use crate::text::Units;

const WRONG: &str = "contract c { guarantee never cal pay }\n";

/// Asks everything about an address.
fn all_of(client: &mut Client, uri: &str) {
    some_of(client, uri, usize::MAX);
}

/// Asks everything about an address, so many times each.
fn some_of(client: &mut Client, uri: &str, times: usize) {
    let capabilities = client.capabilities.clone();
    let site = Site {
        uri,
        text: WRONG,
        units: Units::Utf16,
        touched: 9,
        capabilities: &capabilities,
        tokens: None,
        findings: json!([]),
        positions: OnceCell::new(),
    };
    for (method, shape) in capabilities::requests(&capabilities).unwrap() {
        if matches!(shape, Shape::Resolve(_)) {
            continue;
        }
        for params in site.params(method, shape).into_iter().take(times) {
            if let Err((code, why)) = client.request(method, params.clone()) {
                assert!(
                    matches!(code, -32602 | -32803),
                    "{method} {params}: {code} {why}"
                );
            }
        }
    }
    assert!(client.faults().is_empty(), "{uri}: {:?}", client.faults());
}

#[test]
fn every_spelling_is_answered_in_its_own() {
    for uri in [
        "file:///c%3A/a%20b/x%23.ctr",
        "file:///C:/a%20b/x%23.ctr",
        "file:///c:/a/../b/./x.ctr",
        "file:///a+b/x%2B.ctr",
        "file:///%F0%9F%98%80/%25.ctr",
        "file:///gone/x.ctr",
        "file:///gone//x.ctr",
        "file://localhost/gone/x.ctr",
        "FILE:///gone/x.ctr",
        "file:///gone/no-ending",
        "file:///gone/x.CTR",
        "untitled:Untitled-1",
        "untitled:/gone/x.ctr",
        "untitled:C:%5Cx.ctr",
    ] {
        let mut client = Client::ready(Kind::Poor, "utf-16", &[]);
        client.open(uri, 4, WRONG);
        client.settle(uri, 4);
        assert_eq!(client.findings[uri].1[0]["code"], "E0041", "{uri}");
        assert_eq!(client.findings.len(), 1, "{uri}: {:?}", client.findings);
        all_of(&mut client, uri);
        assert!(client.close());
    }
}

#[test]
fn views_of_files_are_left_alone() {
    let mut client = Client::ready(Kind::Poor, "utf-16", &["file:///gone".to_owned()]);
    let uris = [
        "git:/gone/x.ctr?%7B%22ref%22%3A%22HEAD%22%7D",
        "vscode-notebook-cell:/gone/n.ipynb#W0sZmlsZQ%3D%3D",
        "gitfs:/x.ctr",
        "vscode-remote://ssh-remote/gone/x.ctr",
        "file://server/share/x.ctr",
        "http://example.org/x.ctr",
        "output:tasks",
        "x:y",
    ];
    for uri in uris {
        client.open(uri, 1, WRONG);
        all_of(&mut client, uri);
        client.replace(uri, 2, "contract {");
        all_of(&mut client, uri);
    }
    client.open("untitled:1", 1, WRONG);
    client.settle("untitled:1", 1);
    assert_eq!(client.findings.len(), 1, "{:?}", client.findings);
    for uri in uris {
        client.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    assert!(client.close());
}

#[test]
fn addresses_without_end() {
    let mut client = Client::ready(Kind::Poor, "utf-16", &[]);
    for uri in [
        format!("file://{}/x.ctr", "/a".repeat(20_000)),
        format!("file:///{}.ctr", "a".repeat(100_000)),
        format!("file:///{}x.ctr", "../".repeat(10_000)),
        format!("file:///{}x.ctr", "%2E%2E/".repeat(5_000)),
        format!("untitled:{}", "%41".repeat(30_000)),
    ] {
        client.open(&uri, 1, WRONG);
        some_of(&mut client, &uri, 1);
        client.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    assert!(client.close());
}

/// One file is one document, however it is spelt, and is told of as it was opened.
#[test]
fn one_file_in_two_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(home.join("a b")).unwrap();
    fs::write(home.join("a b/x.ctr"), WRONG).unwrap();
    let root = format!("file://{}", home.display());
    let opened = format!("{root}/a%20b/x%2Ectr");
    let other = format!("{root}/a%20b/../a%20b/x.ctr");
    let mut client = Client::ready(Kind::Poor, "utf-16", &[root]);
    client.open(&opened, 1, "contract mended { guarantee never call pay }\n");
    client.settle(&opened, 1);
    client.calm(Duration::from_millis(200));
    let told: Vec<&Value> = client
        .findings
        .values()
        .map(|(_, all)| all)
        .filter(|all| **all != json!([]))
        .collect();
    assert!(
        told.is_empty(),
        "the file on disk counts beside the buffer: {told:?}"
    );
    let symbols = client
        .request(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": other}}),
        )
        .unwrap();
    assert!(symbols.to_string().contains("mended"), "{symbols}");
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": other}}),
    );
    let until = std::time::Instant::now() + Duration::from_secs(60);
    let has_findings = |client: &Client| {
        client
            .findings
            .values()
            .any(|(_, all)| all.to_string().contains("E0041"))
    };
    while !has_findings(&client) {
        assert!(
            std::time::Instant::now() < until,
            "the file on disk counts again"
        );
        client.take(Duration::from_millis(100));
    }
    assert!(client.close());
}

/// A file that is no UTF-8 is reported, and nothing of it hangs or fails; neither do a folder or a pipe by a policy's name.
#[test]
fn files_that_are_no_texts() {
    let folder = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(folder.path()).unwrap();
    fs::write(home.join("bytes.ctr"), b"contract \xff\xfe").unwrap();
    fs::write(home.join("wide.ctr"), b"\xff\xfec\0o\0").unwrap();
    fs::create_dir(home.join("folder.ctr")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.join("nowhere"), home.join("link.ctr")).unwrap();
    let root = format!("file://{}", home.display());
    let mut client = Client::ready(Kind::Poor, "utf-16", std::slice::from_ref(&root));
    let main = format!("{root}/main.ctr");
    client.open(
        &main,
        1,
        "include \"bytes.ctr\"\ninclude \"folder.ctr\"\ninclude \"link.ctr\"\n",
    );
    client.settle(&main, 1);
    assert_ne!(client.findings[&main].1, json!([]));
    for name in ["bytes", "wide", "folder", "link"] {
        let uri = format!("{root}/{name}.ctr");
        all_of(&mut client, &uri);
    }
    assert!(client.close());
}
