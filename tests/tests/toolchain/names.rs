//! Names, imports and files.
//!
//! | entry | where |
//! | --- | --- |
//! | 25 imports in a cycle, through links, two ways to one file | here; `compiler/front/tests/disk.rs`, `ui/modules/cycle` |
//! | 26 a name in two files, a file given twice, a tool in two lists | here; `ui/modules/same_contract_twice`, `ui/names/declared_twice` |
//! | 30 file names of all sorts, what is no file | here; `badinput.rs::file_names` for traces |
//! | 34 names that are changed in what is generated | here |

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use ctr_tests::attempts::Attempts;
use serde_json::Value;

const POLICY: &str = "contract c { guarantee never call pay }\n";

/// Findings as JSON.
fn findings(t: &mut Attempts, args: &[&str], code: i32) -> Vec<Value> {
    let args = [&["check", "--format", "json"], args].concat();
    let got = t.run(&args, &[code], None);
    let value = serde_json::from_str::<Value>(&got.stdout).unwrap_or_default();
    value.as_array().cloned().unwrap_or_default()
}

fn places(finding: &Value) -> Vec<(String, u64)> {
    finding["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| {
            (
                span["path"].as_str().unwrap().to_owned(),
                span["line"].as_u64().unwrap(),
            )
        })
        .collect()
}

/// 25: each edge of the cycle with its line, however the files are called.
#[test]
fn cycles_of_imports() {
    let mut t = Attempts::new();
    t.file("self.ctr", "import \"self.ctr\" as me\n");
    t.file("a2.ctr", "\nimport \"b2.ctr\" as b\n");
    t.file("b2.ctr", "\n\nimport \"a2.ctr\" as a\n");
    t.file("a3.ctr", "import \"./b3.ctr\" as b\n");
    t.file("b3.ctr", "import \"sub/../c3.ctr\" as c\n");
    t.file("c3.ctr", "import \"a3.ctr\" as a\n");
    t.file("sub/note.txt", "");
    for (file, edges) in [
        ("self.ctr", vec![("self.ctr", 1)]),
        ("a2.ctr", vec![("a2.ctr", 2), ("b2.ctr", 3)]),
        ("b2.ctr", vec![("b2.ctr", 3), ("a2.ctr", 2)]),
        ("a3.ctr", vec![("a3.ctr", 1), ("b3.ctr", 1), ("c3.ctr", 1)]),
    ] {
        let found = findings(&mut t, &[file], 1);
        let told: Vec<_> = found.iter().map(places).collect();
        let base = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        let told: Vec<Vec<(String, u64)>> = told
            .iter()
            .map(|spans| spans.iter().map(|(p, l)| (base(p), *l)).collect())
            .collect();
        let edges: Vec<(String, u64)> = edges.iter().map(|(f, l)| (f.to_string(), *l)).collect();
        t.expect(told == [edges.clone()], || {
            format!("{file}: {told:?}, not {edges:?}")
        });
    }
    // Through a link, and by a folder that is one.
    t.file("real/x.ctr", "import \"../link/y.ctr\" as y\n");
    t.file("real/y.ctr", "import \"x.ctr\" as x\n");
    symlink("real", t.dir().join("link")).unwrap();
    let found = findings(&mut t, &["real/x.ctr"], 1);
    t.expect(found.len() == 1 && found[0]["code"] == "E0206", || {
        format!("{found:?}")
    });
    t.finish();
}

/// 25: two ways to one file are no cycle and no second copy.
#[test]
fn diamonds_of_imports() {
    let mut t = Attempts::new();
    t.file(
        "top.ctr",
        "import \"left.ctr\" as l\nimport \"right.ctr\" as r\ninclude \"base.ctr\"\n",
    );
    t.file("left.ctr", "import \"base.ctr\" as b\n");
    t.file("right.ctr", "import \"./other/../base.ctr\" as b\n");
    t.file("other/note.txt", "");
    t.file("base.ctr", POLICY);
    let found = findings(&mut t, &["top.ctr"], 0);
    let errors: Vec<&Value> = found.iter().filter(|f| f["severity"] == "error").collect();
    t.expect(errors.is_empty(), || format!("{errors:?}"));
    t.finish();
}

/// 26: two files with one name are told at both places; one file given twice is one file.
#[test]
fn duplicates_across_files() {
    let mut t = Attempts::new();
    t.file("x.ctr", POLICY);
    t.file("y.ctr", format!("\n{POLICY}"));
    for (args, first, second) in [
        (["x.ctr", "y.ctr"], ("y.ctr", 2), ("x.ctr", 1)),
        (["y.ctr", "x.ctr"], ("x.ctr", 1), ("y.ctr", 2)),
    ] {
        let found = findings(&mut t, &args, 1);
        let told: Vec<_> = found.iter().map(places).collect();
        let wanted = vec![vec![
            (first.0.to_owned(), first.1),
            (second.0.to_owned(), second.1),
        ]];
        t.expect(told == wanted, || format!("{args:?}: {told:?}"));
    }
    symlink("x.ctr", t.dir().join("link.ctr")).unwrap();
    for args in [
        &["check", "x.ctr", "x.ctr"][..],
        &["check", "x.ctr", "./x.ctr", "link.ctr"],
    ] {
        let got = t.run(args, &[0], None);
        t.expect(got.stderr.contains("1 file checked"), || got.stderr.clone());
    }
    t.file("f/a.ctr", "contract c {\n}\n");
    let got = t.run(&["check", "f", "f", "./f"], &[0], None);
    t.expect(got.stderr.contains("1 file checked"), || got.stderr.clone());
    t.finish();
}

/// 26: a tool in two lists: the same type is one tool, another type is told.
#[test]
fn a_tool_in_two_lists() {
    let mut t = Attempts::new();
    let list = |kind: &str| {
        format!(
            r#"{{"tools": [{{"name": "pay", "inputSchema": {{"type": "object", "properties": {{"n": {{"type": "{kind}"}}}}, "required": ["n"]}}}}]}}"#
        )
    };
    t.file("a.json", list("number"));
    t.file("b.json", list("number"));
    t.file("c.json", list("string"));
    let policy = |other: &str| {
        format!(
            "tools from \"a.json\"\ntools from \"{other}\"\ncontract c {{ guarantee never call pay(n > 3) }}\n"
        )
    };
    t.file("same.ctr", policy("b.json"));
    t.file("differs.ctr", policy("c.json"));
    let same = findings(&mut t, &["same.ctr"], 0);
    t.expect(same.iter().all(|f| f["severity"] != "error"), || {
        format!("{same:?}")
    });
    let differs = findings(&mut t, &["differs.ctr"], 1);
    let paths: Vec<String> = differs
        .iter()
        .flat_map(places)
        .map(|(path, _)| path)
        .collect();
    t.expect(
        paths.iter().any(|p| p == "c.json") && paths.iter().any(|p| p == "a.json"),
        || format!("{differs:?}"),
    );
    t.finish();
}

/// 30: names of files that are odd but right.
#[test]
fn odd_names_of_policies() {
    let mut t = Attempts::new();
    let long = format!("{}.ctr", "n".repeat(251));
    for name in [
        "with space.ctr",
        "hash#.ctr",
        "percent%20.ctr",
        "😀.ctr",
        "dots..ctr",
        ".hidden.ctr",
        "UPPER.CTR",
        "no_ending",
        "[brackets].ctr",
        "quote'\".ctr",
        &long,
        "deep/../up.ctr",
        "./here.ctr",
    ] {
        t.file("deep/note.txt", "");
        t.file(name, POLICY);
        t.run(&["check", name], &[0], None);
        t.file(name, "contract c {");
        let found = findings(&mut t, &[name], 1);
        let path = found.first().and_then(|f| f["spans"][0]["path"].as_str());
        t.expect(path == Some(name), || format!("{name}: {found:?}"));
    }
    t.file("-x.ctr", POLICY);
    t.run(&["check", "--", "-x.ctr"], &[0], None);
    t.run(&["check", "./-x.ctr"], &[0], None);
    let got = t.run(&["check", "-x.ctr"], &[2], None);
    t.expect(got.stderr.contains("-- -x"), || got.stderr.clone());
    // What is too long for the system.
    let too_long = format!("{}.ctr", "n".repeat(300));
    t.run(&["check", &too_long], &[2], None);
    t.finish();
}

/// 30: what has a policy's name and is no file: told, and without a wait.
#[test]
fn what_is_no_file() {
    let mut t = Attempts::new();
    fs::create_dir(t.dir().join("folder.ctr")).unwrap();
    symlink("nowhere", t.dir().join("dangling.ctr")).unwrap();
    symlink("two.ctr", t.dir().join("one.ctr")).unwrap();
    symlink("one.ctr", t.dir().join("two.ctr")).unwrap();
    let made = Command::new("mkfifo")
        .arg(t.dir().join("pipe.ctr"))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    for name in ["folder.ctr", "dangling.ctr", "one.ctr", "pipe.ctr"] {
        for args in [
            &["check", name][..],
            &["test", name],
            &["fmt", name],
            &["build", name],
            &["replay", "-l", name, "x.jsonl"],
            &["explain", "-l", name],
        ] {
            t.run(args, &[2], Some(name));
        }
    }
    t.finish();
}

/// 30: in a folder nothing that has a policy's name is passed over in silence.
#[test]
fn folders_hide_nothing() {
    let mut t = Attempts::new();
    t.file("real.ctr", POLICY);
    t.file("f/UPPER.CTR", POLICY);
    symlink("../real.ctr", t.dir().join("f/link.ctr")).unwrap();
    let got = t.run(&["check", "f"], &[0], None);
    t.expect(got.stderr.contains("2 files checked"), || {
        got.stderr.clone()
    });
    // The mark of an editor is no policy.
    symlink("user@host.1", t.dir().join("f/.#link.ctr")).unwrap();
    t.run(&["check", "f"], &[0], None);
    symlink("nowhere", t.dir().join("f/dangling.ctr")).unwrap();
    t.run(&["check", "f"], &[1, 2], Some("dangling.ctr"));
    t.finish();
}

/// 30: a folder that cannot be written is told of.
#[test]
fn nowhere_to_write() {
    let mut t = Attempts::new();
    t.file("p.ctr", POLICY);
    t.file("taken", "");
    t.run(
        &["build", "p.ctr", "-o", "none/p.ctrb"],
        &[2],
        Some("none/p.ctrb"),
    );
    t.run(
        &["build", "p.ctr", "-o", "taken/p.ctrb"],
        &[2],
        Some("taken/p.ctrb"),
    );
    t.run(&["build", "p.ctr", "-o", "."], &[2], Some("."));
    t.run(&["init", "taken"], &[2], Some("taken"));
    t.finish();
}

/// 34: names stay what they are in every output, and two that look alike stay two.
#[test]
fn names_round_trip() {
    let mut t = Attempts::new();
    let names = [
        "I", "i", "J", "a-b", "a_b", "a.b", "a/b", "a:b", "é", "e\u{301}", "工具", "x y",
    ];
    let tools: Vec<Value> = names
        .iter()
        .map(|name| serde_json::json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    t.file(
        "tools.json",
        serde_json::json!({ "tools": tools }).to_string(),
    );
    let mut policy = String::from("tools from \"tools.json\"\n");
    for (index, name) in names.iter().enumerate() {
        policy.push_str(&format!(
            "contract c{index} {{ guarantee call `{name}` at most 1 time }}\n"
        ));
    }
    t.file("p.ctr", policy);
    t.run(&["build", "p.ctr", "-o", "p.ctrb"], &[0], None);
    let got = t.run(&["inspect", "--format", "json", "p.ctrb"], &[0], None);
    let model: Value = serde_json::from_str(&got.stdout).unwrap();
    for table in ["tools", "declared"] {
        let mut told: Vec<&str> = model[table]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let mut wanted = names.to_vec();
        told.sort_unstable();
        wanted.sort_unstable();
        t.expect(told == wanted, || format!("{table}: {told:?}"));
    }
    // Each name is held to its own contract.
    for (index, name) in names.iter().enumerate() {
        let call = serde_json::json!({"kind": "call", "tool": name, "args": {}}).to_string();
        t.file("s.jsonl", format!("{call}\n{call}\n"));
        let got = t.run(
            &["replay", "-l", "p.ctrb", "--format", "json", "s.jsonl"],
            &[1],
            None,
        );
        let verdict: Value = serde_json::from_str(&got.stdout).unwrap_or_default();
        let failed: Vec<&Value> = verdict["contracts"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|contract| contract["value"] == "FAIL")
            .map(|contract| &contract["contract"])
            .collect();
        t.expect(failed == [&Value::from(format!("c{index}"))], || {
            format!("{name}: {failed:?}")
        });
    }
    // Files that are named after tools: one each, whatever a file name cannot have.
    let args = ["check", "--witness", "-o", "out", "p.ctr"];
    t.run_within(&args, &[0], None, std::time::Duration::from_secs(60));
    let mut called: Vec<String> = fs::read_dir(t.dir().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("/tool."))
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let call: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            call["tool"].as_str().unwrap().to_owned()
        })
        .collect();
    called.sort_unstable();
    let mut wanted = names.to_vec();
    wanted.sort_unstable();
    t.expect(called == wanted, || format!("files for {called:?}"));
    t.finish();
}
