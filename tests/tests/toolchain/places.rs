//! Every finding has a place: path, line, column (an error without one among hundreds of files helps nobody).
//!
//! | reported | here |
//! | --- | --- |
//! | open-policy-agent/opa#7543, #127; cedar-policy/cedar#435: an error without file and line among many | below |
//! | cedar-policy/cedar#166: no "did you mean", or a silly one | `tests/suggestions.rs` |

use std::fs;
use std::path::Path;
use std::time::Duration;

use ctr_tests::binary::run;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

/// The findings of `ctrc check --format json`, as (code, path, line, column).
fn found(folder: &Path, paths: &[&str]) -> Vec<(String, String, u64, u64)> {
    let args: Vec<&str> = ["check", "--format", "json"]
        .iter()
        .chain(paths)
        .copied()
        .collect();
    let got = run(folder, &args, None, LIMIT);
    let all: Vec<Value> = serde_json::from_str(&got.stdout)
        .unwrap_or_else(|e| panic!("{paths:?}: {e}\n{}{}", got.stdout, got.stderr));
    all.iter()
        .map(|finding| {
            let spans = finding["spans"].as_array().unwrap();
            assert!(!spans.is_empty(), "no place: {finding}");
            for span in spans {
                let path = span["path"].as_str().unwrap_or_default();
                assert!(!path.is_empty(), "a place without a path: {finding}");
                assert!(span["line"].as_u64().is_some_and(|n| n > 0), "{finding}");
                assert!(span["column"].as_u64().is_some_and(|n| n > 0), "{finding}");
            }
            let first = spans.iter().find(|s| s["primary"] == true).unwrap();
            (
                finding["code"].as_str().unwrap().to_owned(),
                first["path"].as_str().unwrap().to_owned(),
                first["line"].as_u64().unwrap(),
                first["column"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn one_bad_file_among_three_hundred() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("all")).unwrap();
    let mut main = String::new();
    for i in 0..300 {
        let tool = if i == 217 { "call t217(" } else { "call t" };
        let text = format!("// {i}\ncontract c{i} {{\n  guarantee never {tool}{i}\n}}\n");
        fs::write(folder.path().join(format!("all/f{i}.ctr")), text).unwrap();
        main.push_str(&format!("include \"all/f{i}.ctr\"\n"));
    }
    fs::write(folder.path().join("main.ctr"), main).unwrap();
    let got = found(folder.path(), &["main.ctr"]);
    assert!(!got.is_empty() && got.len() <= 2, "{got:?}");
    for (_, path, line, column) in &got {
        assert_eq!(path, "all/f217.ctr");
        assert!((3..=4).contains(line) && *column > 0, "{got:?}");
    }
    // For people and for services the place stands in the text.
    let human = run(folder.path(), &["check", "main.ctr"], None, LIMIT);
    assert!(human.stderr.contains("all/f217.ctr:3:"), "{}", human.stderr);
    let github = run(
        folder.path(),
        &["check", "--format", "github", "main.ctr"],
        None,
        LIMIT,
    );
    assert!(
        github.stdout.contains("file=all/f217.ctr,line=3"),
        "{}",
        github.stdout
    );
}

#[test]
fn errors_in_schemas_modules_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "a/tools.json",
        "{\"tools\": [\n  {\"name\": \"pay\", \"inputSchema\": {\"type\": \"objekt\"}}\n]}\n",
    );
    write(
        "a/main.ctr",
        "tools from \"tools.json\"\ncontract c { guarantee never call pay }\n",
    );
    let got = found(folder.path(), &["a/main.ctr"]);
    assert_eq!(got[0].1, "a/tools.json");
    assert_eq!((got[0].0.as_str(), got[0].2), ("E0307", 2));

    // A template of the compiler used wrongly: the place is in the user's file.
    write(
        "b/main.ctr",
        "import std.declare\ncontract c {\n  guarantee declare.response(call a)\n}\n",
    );
    let got = found(folder.path(), &["b/main.ctr"]);
    assert_eq!(got.len(), 1);
    assert_eq!(
        (got[0].0.as_str(), got[0].1.as_str(), got[0].2),
        ("E0407", "b/main.ctr", 3)
    );

    // A missing file: the line that names it. An empty file, an end of text, a file that is no text.
    write(
        "c/main.ctr",
        "contract c { guarantee never call pay }\ninclude \"gone.ctr\"\n",
    );
    let got = found(folder.path(), &["c/main.ctr"]);
    assert_eq!(
        (got[0].0.as_str(), got[0].1.as_str(), got[0].2),
        ("E0200", "c/main.ctr", 2)
    );
    write("d/main.ctr", "contract");
    let got = found(folder.path(), &["d/main.ctr"]);
    assert_eq!((got[0].0.as_str(), got[0].2), ("E0043", 1));

    // A project file.
    write("e/ctrc.toml", "[lints]\nW0408 = \"nonsense\"\n");
    write("e/main.ctr", "contract c { guarantee never call pay }\n");
    let args = ["check", "--color", "never", "e/main.ctr"];
    let human = run(folder.path(), &args, None, LIMIT);
    assert!(human.stderr.contains("ctrc.toml:2:"), "{}", human.stderr);
}

/// Every example of every code, as the command line tells it.
#[test]
fn every_code_has_a_place() {
    let mut policies = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    for doc in ctr_project::codes::all() {
        for (path, text) in doc.wrong {
            let path = folder.path().join(doc.code).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        if let Some((path, _)) = doc.wrong.first() {
            policies.push((doc.code, format!("{}/{path}", doc.code)));
        }
    }
    let mut seen = 0;
    for (code, policy) in &policies {
        // Findings of values need a solver's time; the others are enough here.
        if code[1..].starts_with("07") {
            continue;
        }
        for (_, path, _, _) in found(folder.path(), &[policy]) {
            assert!(path.starts_with(code), "{code}: {path}");
            seen += 1;
        }
    }
    assert!(seen >= 150, "only {seen} findings");
}
