//! What services run: the GitHub action, the pre-commit hooks and the examples of `docs/ci.md`, each by running what they
//! run against the built program. Nothing needs a network.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use saphyr::{LoadableYamlNode, Yaml};
use serde_json::{Value, json};

const GOOD: &str = "contract c {\n  guarantee never call pay\n}\n\ntest \"pays nothing\" {\n  call pay() expect block by c\n}\n";
const BAD: &str = "contract c {\n  guarantee never cal pay\n}\n";
const FAILS: &str = "contract c {\n  guarantee never call pay\n}\n\ntest \"pays\" {\n  call pay() expect allow\n}\n";

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

fn ctrc() -> PathBuf {
    ctr_tests::binary::ctrc()
}

fn json_of(yaml: &Yaml<'_>) -> Value {
    if let Some(fields) = yaml.as_mapping() {
        return fields
            .iter()
            .map(|(name, value)| (name.as_str().unwrap_or_default().to_owned(), json_of(value)))
            .collect();
    }
    if let Some(items) = yaml.as_sequence() {
        return items.iter().map(json_of).collect();
    }
    match (yaml.as_str(), yaml.as_bool(), yaml.as_integer()) {
        (Some(text), _, _) => json!(text),
        (_, Some(truth), _) => json!(truth),
        (_, _, Some(number)) => json!(number),
        _ => Value::Null,
    }
}

fn yaml(text: &str) -> Value {
    let all = Yaml::load_from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    json_of(&all[0])
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// A workspace as a service has it: files, and a folder of programs before all others on the path.
struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("work").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(folder.path().join("bin")).unwrap();
        fs::create_dir_all(folder.path().join("temp")).unwrap();
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn with_ctrc(self) -> Self {
        std::os::unix::fs::symlink(ctrc(), self.folder.path().join("bin/ctrc")).unwrap();
        self
    }

    /// In place of cargo: notes what it was asked, and "builds" the program that there is.
    fn with_cargo(self) -> Self {
        let script = format!(
            "#!/bin/sh\necho \"$PWD: $*\" >> '{0}/cargo.log'\nwhile [ $# -gt 0 ]; do\n  if [ \"$1\" = --root ]; then mkdir -p \"$2/bin\" && ln -s '{1}' \"$2/bin/ctrc\"; fi\n  shift\ndone\n",
            self.folder.path().display(),
            ctrc().display()
        );
        let path = self.folder.path().join("bin/cargo");
        fs::write(&path, script).unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// The folders of the path without those that hold a `ctrc` or `cargo` of the machine.
    fn path(&self) -> String {
        let machine = std::env::var("PATH").unwrap_or_default();
        let others = machine.split(':').filter(|folder| {
            !["ctrc", "cargo"]
                .iter()
                .any(|name| Path::new(folder).join(name).exists())
        });
        let mine = self.folder.path().join("bin").display().to_string();
        [mine.as_str()]
            .into_iter()
            .chain(others)
            .collect::<Vec<_>>()
            .join(":")
    }

    fn shell(&self, script: &str, env: &BTreeMap<String, String>) -> Output {
        let file = self.folder.path().join("script.sh");
        fs::write(&file, script).unwrap();
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(file)
            .current_dir(self.work())
            .env("PATH", self.path())
            .env("RUNNER_TEMP", self.folder.path().join("temp"))
            .env("GITHUB_OUTPUT", self.folder.path().join("output"))
            .envs(env)
            .output()
            .unwrap()
    }

    /// What a step wrote for others.
    fn outputs(&self) -> BTreeMap<String, String> {
        let path = self.folder.path().join("output");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        text.lines()
            .map(|line| line.split_once('=').unwrap_or_else(|| panic!("{text}")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}

/// How an action went.
#[derive(Default)]
struct Went {
    failed: bool,
    /// The steps that ran, with what they printed.
    steps: Vec<(String, String)>,
    outputs: BTreeMap<String, String>,
    /// The action that was used by a step, with what it was given.
    used: Vec<(String, Value)>,
}

impl Went {
    fn ran(&self, name: &str) -> Option<&str> {
        self.steps
            .iter()
            .find(|(step, _)| step == name)
            .map(|(_, text)| text.as_str())
    }
}

/// Runs the steps of the action as a runner does.
fn action(workspace: &Workspace, with: &[(&str, &str)]) -> Went {
    let action = yaml(&read("action.yml"));
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(
            input["description"]
                .as_str()
                .is_some_and(|text| text.len() > 10),
            "{name}"
        );
        known.insert(
            format!("inputs.{name}"),
            input["default"].as_str().unwrap().to_owned(),
        );
    }
    for (name, value) in with {
        let old = known.insert(format!("inputs.{name}"), (*value).to_owned());
        assert!(old.is_some(), "there is no input `{name}`");
    }
    known.insert(
        "github.action_path".to_owned(),
        root().display().to_string(),
    );
    let mut went = Went::default();
    for step in action["runs"]["steps"].as_array().unwrap() {
        let name = step["name"].as_str().unwrap().to_owned();
        let runs = match step["if"].as_str() {
            Some(condition) => holds(condition, &known, went.failed),
            None => !went.failed,
        };
        if !runs {
            continue;
        }
        if let Some(uses) = step["uses"].as_str() {
            let given = step["with"].as_object().unwrap().iter();
            let given = given
                .map(|(name, value)| (name.clone(), json!(filled(value.as_str().unwrap(), &known))))
                .collect();
            went.used.push((uses.to_owned(), given));
            continue;
        }
        assert_eq!(step["shell"], "bash", "{name}");
        let script = step["run"].as_str().unwrap();
        // What a user writes never becomes part of a script.
        assert!(!script.contains("${{"), "{name}");
        let env = step["env"].as_object().unwrap().iter();
        let env = env
            .map(|(name, value)| (name.clone(), filled(value.as_str().unwrap(), &known)))
            .collect();
        let output = workspace.shell(script, &env);
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        if let Some(id) = step["id"].as_str() {
            let outcome = if output.status.success() {
                "success"
            } else {
                "failure"
            };
            known.insert(format!("steps.{id}.outcome"), outcome.to_owned());
            for (name, value) in workspace.outputs() {
                known.insert(format!("steps.{id}.outputs.{name}"), value);
            }
        }
        went.failed |= !output.status.success();
        went.steps.push((name, text));
    }
    for (name, output) in action["outputs"].as_object().unwrap() {
        went.outputs.insert(
            name.clone(),
            filled(output["value"].as_str().unwrap(), &known),
        );
    }
    went
}

/// A text with `${{ name }}` filled in; what nothing has set is empty, as for a runner.
fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (name, after) = after.split_once("}}").unwrap();
        out.push_str(before);
        out.push_str(known.get(name.trim()).map_or("", String::as_str));
        rest = after;
    }
    out + rest
}

/// Conditions joined by `&&`: comparisons of a name with a text, `always()`, `!cancelled()`.
fn holds(condition: &str, known: &BTreeMap<String, String>, failed: bool) -> bool {
    let inner = condition
        .trim()
        .trim_start_matches("${{")
        .trim_end_matches("}}");
    let mut anyway = false;
    let mut all = true;
    for term in inner.split("&&").map(str::trim) {
        if matches!(term, "always()" | "!cancelled()") {
            anyway = true;
            continue;
        }
        let words: Vec<&str> = term.split_whitespace().collect();
        let [name, operator, value] = words.as_slice() else {
            panic!("`{term}`")
        };
        let equal = known.get(*name).map_or("", String::as_str) == value.trim_matches('\'');
        all &= match *operator {
            "==" => equal,
            "!=" => !equal,
            _ => panic!("`{term}`"),
        };
    }
    all && (anyway || !failed)
}

#[test]
fn the_action_finds_what_there_is() {
    let workspace =
        Workspace::new(&[("p/good.ctr", GOOD), ("with space/bad.ctr", BAD)]).with_ctrc();
    let went = action(&workspace, &[]);
    assert!(went.failed);
    assert_eq!(went.outputs["exit-code"], "1");
    assert_eq!(went.outputs["sarif"], "");
    let check = went.ran("Check").unwrap();
    assert!(
        check.contains("::error file=with space/bad.ctr,line=2"),
        "{check}"
    );
    // Tests run though the check has failed; formatting is not asked for.
    assert!(went.ran("Test").is_some() && went.ran("Formatting").is_none());
    assert!(went.used.is_empty());

    let went = action(
        &workspace,
        &[
            ("paths", "p\n"),
            ("annotations", "false"),
            ("format", "true"),
        ],
    );
    assert!(!went.failed, "{:?}", went.steps);
    assert_eq!(went.outputs["exit-code"], "0");
    assert_eq!(went.steps.len(), 4, "{:?}", went.steps);
    assert!(
        went.ran("Test").unwrap().contains("1 passed"),
        "{:?}",
        went.steps
    );
}

#[test]
fn the_action_fails_where_tests_and_formatting_do() {
    let workspace = Workspace::new(&[("fails.ctr", FAILS)]).with_ctrc();
    let went = action(&workspace, &[]);
    assert!(went.failed && went.outputs["exit-code"] == "0");
    let test = went.ran("Test").unwrap();
    assert!(test.contains("::error file=fails.ctr,line=6"), "{test}");
    assert!(!action(&workspace, &[("test", "false")]).failed);

    let workspace =
        Workspace::new(&[("ugly.ctr", "contract   c{guarantee never call a}")]).with_ctrc();
    assert!(!action(&workspace, &[("test", "false")]).failed);
    let went = action(&workspace, &[("test", "false"), ("format", "true")]);
    assert!(
        went.failed && went.ran("Formatting").unwrap().contains("ugly.ctr"),
        "{:?}",
        went.steps
    );
}

#[test]
fn the_action_writes_sarif() {
    let workspace = Workspace::new(&[("a b#.ctr", BAD)]).with_ctrc();
    let went = action(
        &workspace,
        &[("upload", "true"), ("category", "x"), ("test", "false")],
    );
    assert!(went.failed);
    assert_eq!(went.outputs["sarif"], "ctrc.sarif");
    assert_eq!(went.used.len(), 1);
    assert!(
        went.used[0]
            .0
            .starts_with("github/codeql-action/upload-sarif@")
    );
    assert_eq!(
        went.used[0].1,
        json!({"sarif_file": "ctrc.sarif", "category": "x"})
    );
    let log: Value =
        serde_json::from_slice(&fs::read(workspace.work().join("ctrc.sarif")).unwrap()).unwrap();
    let uri = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        ["uri"];
    assert_eq!(uri, "a%20b%23.ctr");
    // Without findings there is a log, too: it closes those that were told before.
    let workspace = Workspace::new(&[("good.ctr", GOOD)]).with_ctrc();
    let went = action(&workspace, &[("sarif", "out put.sarif")]);
    assert!(!went.failed && went.used.is_empty(), "{:?}", went.steps);
    let log: Value =
        serde_json::from_slice(&fs::read(workspace.work().join("out put.sarif")).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn arguments_of_the_action_are_no_script() {
    let workspace = Workspace::new(&[
        ("good.ctr", GOOD),
        ("$(touch x).ctr", GOOD),
        ("-D.ctr", GOOD),
    ])
    .with_ctrc();
    let went = action(
        &workspace,
        &[("paths", "good.ctr"), ("arguments", "$(touch y)\n")],
    );
    assert_eq!(went.outputs["exit-code"], "2", "{:?}", went.steps);
    let went = action(
        &workspace,
        &[("paths", "$(touch x).ctr"), ("sarif", "`touch z`")],
    );
    assert!(!went.failed, "{:?}", went.steps);
    let went = action(&workspace, &[("paths", "-D.ctr")]);
    assert!(!went.failed, "{:?}", went.steps);
    for name in ["x", "y", "z"] {
        assert!(!workspace.work().join(name).exists(), "{name}");
    }
    let went = action(&workspace, &[("ctrc", "/nowhere/ctrc")]);
    assert!(went.failed && went.steps.len() == 1, "{:?}", went.steps);
}

/// What nobody can decide fails unless that is accepted.
#[test]
fn the_action_and_open_questions() {
    let workspace = Workspace::new(&[("good.ctr", GOOD)]);
    let script = "#!/bin/sh\ncase $1 in check) exit 4;; esac\n";
    let path = workspace.folder.path().join("bin/ctrc");
    fs::write(&path, script).unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let went = action(&workspace, &[]);
    assert!(went.failed && went.outputs["exit-code"] == "4");
    let went = action(&workspace, &[("accept-undecided", "true")]);
    assert!(!went.failed && went.outputs["exit-code"] == "4");
}

#[test]
fn the_action_builds_what_is_not_there() {
    let workspace = Workspace::new(&[("good.ctr", GOOD)]).with_cargo();
    let went = action(&workspace, &[]);
    assert!(!went.failed, "{:?}", went.steps);
    let log = fs::read_to_string(workspace.folder.path().join("cargo.log")).unwrap();
    let folder = workspace.folder.path().join("temp/ctrc");
    let expected = format!(
        "{}: install --locked --path compiler/driver --root {}\n",
        root().display(),
        folder.display()
    );
    assert_eq!(log, expected);
    assert!(
        root().join("compiler/driver/Cargo.toml").exists() && root().join("Cargo.lock").exists()
    );
    assert_eq!(
        went.outputs["ctrc"],
        folder.join("bin/ctrc").display().to_string()
    );
}

#[test]
fn scripts_pass_shellcheck() {
    if Command::new("shellcheck")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("SKIPPED: there is no shellcheck");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let action = yaml(&read("action.yml"));
    let mut scripts = vec![root().join("tools/hook.sh")];
    for (nth, step) in action["runs"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        if let Some(script) = step["run"].as_str() {
            let path = folder.path().join(format!("{nth}.sh"));
            // The scripts that are sourced lie beside the action.
            let script = format!(
                "#!/usr/bin/env bash\nset -eo pipefail\n# shellcheck disable=SC1091\n{{\n{script}}}\n"
            );
            fs::write(&path, script).unwrap();
            scripts.push(path);
        }
    }
    let output = Command::new("shellcheck").args(scripts).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// Runs a hook as pre-commit does: entry, arguments, and the files that match where it takes them.
fn hook(workspace: &Workspace, id: &str, args: Option<&[&str]>, changed: &[&str]) -> Output {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let hook = hooks
        .as_array()
        .unwrap()
        .iter()
        .find(|hook| hook["id"] == id)
        .unwrap();
    assert_eq!(hook["language"], "script");
    assert_eq!(hook["require_serial"], true);
    let mut words: Vec<String> = hook["entry"]
        .as_str()
        .unwrap()
        .split(' ')
        .map(str::to_owned)
        .collect();
    let given = hook["args"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|arg| arg.as_str().unwrap().to_owned());
    match args {
        Some(args) => words.extend(args.iter().map(|arg| (*arg).to_owned())),
        None => words.extend(given),
    }
    if hook["pass_filenames"] != false {
        words.extend(changed.iter().map(|name| (*name).to_owned()));
    }
    Command::new(root().join(&words[0]))
        .args(&words[1..])
        .current_dir(workspace.work())
        .env("PATH", workspace.path())
        .output()
        .unwrap()
}

#[test]
fn hooks_of_pre_commit() {
    let workspace = Workspace::new(&[
        ("p/good.ctr", GOOD),
        ("p/other.ctr", GOOD),
        ("q/bad.ctr", BAD),
        ("q/ugly.ctr", "contract   c{guarantee never call a}"),
    ])
    .with_ctrc();
    let code = |output: &Output| output.status.code().unwrap();
    assert_eq!(
        code(&hook(&workspace, "ctrc-check", None, &["p/good.ctr"])),
        1
    );
    // Two policies with a contract of one name are two, and no library.
    assert_eq!(
        code(&hook(
            &workspace,
            "ctrc-check",
            Some(&["--deny-warnings", "p"]),
            &["p/good.ctr", "p/other.ctr"]
        )),
        0
    );
    let output = hook(&workspace, "ctrc-test", Some(&["p"]), &["p/good.ctr"]);
    assert_eq!(code(&output), 0);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("2 passed"),
        "{output:?}"
    );
    assert_eq!(
        code(&hook(
            &workspace,
            "ctrc-fmt",
            Some(&["--check"]),
            &["q/ugly.ctr"]
        )),
        1
    );
    assert_eq!(
        code(&hook(
            &workspace,
            "ctrc-fmt",
            None,
            &["q/ugly.ctr", "p/good.ctr"]
        )),
        0
    );
    assert_eq!(
        fs::read_to_string(workspace.work().join("q/ugly.ctr")).unwrap(),
        "contract c {\n  guarantee never call a\n}\n"
    );
    assert_ne!(code(&hook(&workspace, "ctrc-fmt", None, &["q/bad.ctr"])), 0);
    assert_eq!(
        fs::read_to_string(workspace.work().join("q/bad.ctr")).unwrap(),
        BAD
    );
    // Without either program it says what is missing.
    let workspace = Workspace::new(&[("p/good.ctr", GOOD)]);
    let output = hook(&workspace, "ctrc-check", None, &["p/good.ctr"]);
    assert_eq!(code(&output), 2);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("not on the path"),
        "{output:?}"
    );
}

#[test]
fn files_that_hooks_look_at() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    for hook in hooks.as_array().unwrap() {
        let files = hook["files"].as_str().unwrap();
        let files = fancy_regex::Regex::new(files).unwrap();
        let whole = hook["pass_filenames"] == false;
        let takes = |name: &str| files.is_match(name).unwrap();
        assert!(takes("a.ctr") && takes("a/b c.ctr"));
        for name in ["tools.json", "demo/tools.json", "a.tools.json"] {
            assert_eq!(takes(name), whole, "{hook} {name}");
        }
        assert_eq!(takes("a/ctrc.toml"), whole, "{hook}");
        for name in ["a.ctrb", "ctr", "actrc.toml", "ctrc.toml.bak", "a.json.md"] {
            assert!(!takes(name), "{hook} {name}");
        }
        for field in ["id", "name", "description", "entry"] {
            assert!(
                hook[field].as_str().is_some_and(|text| !text.is_empty()),
                "{hook}"
            );
        }
    }
}

/// The blocks of a language in a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    page.split(&format!("\n```{language}\n"))
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap().to_owned() + "\n")
        .collect()
}

#[test]
fn examples_of_the_page() {
    let page = read("docs/ci.md");
    let action = yaml(&read("action.yml"));
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let workspace = Workspace::new(&[("policies/good.ctr", GOOD)]).with_ctrc();
    for script in blocks(&page, "sh") {
        let output = workspace.shell(&script, &BTreeMap::new());
        assert!(output.status.success(), "{script}{output:?}");
    }
    let (mut uses, mut scripts, mut ids) = (0, 0, 0);
    for text in blocks(&page, "yaml") {
        let block = yaml(&text);
        for step in block["jobs"]["contracts"]["steps"]
            .as_array()
            .into_iter()
            .flatten()
        {
            for name in step["with"]
                .as_object()
                .into_iter()
                .flat_map(|with| with.keys())
            {
                assert!(action["inputs"].get(name).is_some(), "no input `{name}`");
                uses += 1;
            }
        }
        for repository in block["repos"].as_array().into_iter().flatten() {
            for used in repository["hooks"].as_array().unwrap() {
                assert!(
                    hooks
                        .as_array()
                        .unwrap()
                        .iter()
                        .any(|hook| hook["id"] == used["id"]),
                    "{used}"
                );
                let args: Option<Vec<&str>> = used["args"]
                    .as_array()
                    .map(|args| args.iter().map(|arg| arg.as_str().unwrap()).collect());
                let output = hook(
                    &workspace,
                    used["id"].as_str().unwrap(),
                    args.as_deref(),
                    &["policies/good.ctr"],
                );
                assert!(output.status.success(), "{output:?}");
                ids += 1;
            }
        }
        let lines = block["contracts"]["script"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if lines.is_empty() {
            continue;
        }
        scripts += 1;
        if Command::new("jq").arg("--version").output().is_err() {
            eprintln!("SKIPPED: there is no jq");
            continue;
        }
        let script: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
        let script = script.join("\n");
        let output = workspace.shell(&script, &BTreeMap::new());
        assert!(output.status.success(), "{output:?}");
        // With findings the job fails, and the report is there.
        fs::write(workspace.work().join("policies/bad é.ctr"), BAD).unwrap();
        let output = workspace.shell(&script, &BTreeMap::new());
        assert!(!output.status.success(), "{output:?}");
        let report = fs::read(workspace.work().join("gl-code-quality-report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let first = &report[0];
        assert_eq!(
            first["location"],
            json!({"path": "policies/bad é.ctr", "lines": {"begin": 2}})
        );
        assert!(
            ["info", "minor", "major", "critical", "blocker"]
                .iter()
                .any(|severity| first["severity"] == *severity)
        );
        assert!(
            first["fingerprint"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
                && first["check_name"] == "E0041",
            "{first}"
        );
        fs::remove_file(workspace.work().join("policies/bad é.ctr")).unwrap();
    }
    assert!(uses >= 3 && scripts == 1 && ids == 3);
    // The table of inputs is the action's.
    for (name, input) in action["inputs"].as_object().unwrap() {
        let default = input["default"].as_str().unwrap();
        let shown = if default.is_empty() {
            String::new()
        } else {
            format!("`{default}` ")
        };
        assert!(page.contains(&format!("| `{name}` | {shown}| ")), "{name}");
    }
}
