//! What is written for programs, against the published schemas (`docs/schemas`), SARIF's own schema and
//! the usual shape of JUnit reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::desk::{Desk, GOOD};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The published schemas by name.
static SCHEMAS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    fs::read_dir(repository().join("docs/schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".schema.json")?;
            let validator = jsonschema::draft202012::new(&read(&path))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            Some((name.to_owned(), validator))
        })
        .collect()
});

static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let path = "compiler/driver/tests/schemas/sarif-2.1.0-rtm.5.json";
    jsonschema::draft4::options()
        .should_validate_formats(true)
        .build(&read(&repository().join(path)))
        .unwrap()
});

/// The schema for what these arguments write.
fn name(args: &[&str]) -> &'static str {
    let has = |word: &str| args.contains(&word);
    match args[0] {
        "check" if has("--witness") => "witness",
        "build" if has("--emit") => "artifact",
        "check" | "build" => "findings",
        "diff" => "diff",
        "refine" => "refine",
        "replay" => "replay",
        "allowed" => "allowed",
        "test" => "test",
        "inspect" => "artifact",
        "explain" if has("-l") => "explain",
        "explain" => "codes",
        "ltlf" => match args[1] {
            "dfa" => "ltlf-dfa",
            "sat" => "ltlf-sat",
            "cores" => "ltlf-cores",
            other => panic!("ltlf {other} writes no JSON"),
        },
        other => panic!("{other} writes no JSON"),
    }
}

/// Whether a document is what the schema of these arguments says.
pub(crate) fn fault(args: &[&str], text: &str) -> Result<(), String> {
    let document: Value = serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))?;
    let name = name(args);
    told(&SCHEMAS[name], &document).map_err(|what| format!("{name}: {what}"))
}

fn told(schema: &Validator, document: &Value) -> Result<(), String> {
    let faults: Vec<String> = schema
        .iter_errors(document)
        .take(3)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        let short: String = faults.join("; ").chars().take(1500).collect();
        Err(short)
    }
}

/// Whether a text is a SARIF log with one run.
pub(crate) fn sarif(text: &str) -> Result<(), String> {
    let log: Value = serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))?;
    told(&SARIF, &log)?;
    if log["runs"].as_array().is_none_or(|runs| runs.len() != 1) {
        return Err("one run was expected".to_owned());
    }
    // What the schema leaves open and services refuse: places from 1, rules that exist.
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        if rules[index]["id"] != result["ruleId"] {
            return Err(format!("{} is not its rule", result["ruleIndex"]));
        }
        let place = &result["locations"][0]["physicalLocation"];
        let region = &place["region"];
        for field in ["startLine", "startColumn", "endLine", "endColumn"] {
            if region[field].as_u64().is_none_or(|n| n == 0) {
                return Err(format!("{field} of {region}"));
            }
        }
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        if uri.is_empty() || uri.contains([' ', '\\', '#']) {
            return Err(format!("the address {uri}"));
        }
    }
    Ok(())
}

/// Whether a text is a JUnit report as Jenkins' schema has it (elements, their order, attributes), with counts
/// that are right.
pub(crate) fn junit(text: &str) -> Result<(), String> {
    let document = roxmltree::Document::parse(text).map_err(|e| format!("no XML: {e}"))?;
    let root = document.root_element();
    let named = |node: roxmltree::Node<'_, '_>, name: &str, needed: &[&str], free: &[&str]| {
        if node.tag_name().name() != name {
            return Err(format!("`{}` instead of `{name}`", node.tag_name().name()));
        }
        let given: BTreeSet<&str> = node.attributes().map(|a| a.name()).collect();
        let all: BTreeSet<&str> = needed.iter().chain(free).copied().collect();
        let needed: BTreeSet<&str> = needed.iter().copied().collect();
        if !needed.is_subset(&given) || !given.is_subset(&all) {
            return Err(format!("attributes of {name}: {given:?}"));
        }
        if let Some(time) = node.attribute("time")
            && !time.parse::<f64>().is_ok_and(|t| t >= 0.0)
        {
            return Err(format!("the time `{time}`"));
        }
        Ok(())
    };
    let counts = ["tests", "failures", "errors", "skipped"];
    let counted = |node: roxmltree::Node<'_, '_>| {
        counts.map(|name| {
            let count = node.attribute(name)?;
            count.parse::<usize>().ok()
        })
    };
    let suite_attributes = [&["name", "time"][..], &counts].concat();
    let all = ["name", "time", "tests", "failures", "errors"];
    named(root, "testsuites", &all, &["disabled"])?;
    let mut sum = [0; 4];
    for suite in root.children().filter(|n| n.is_element()) {
        named(suite, "testsuite", &suite_attributes, &[])?;
        let mut seen = [0; 4];
        for case in suite.children().filter(|n| n.is_element()) {
            named(
                case,
                "testcase",
                &["name", "classname", "time"],
                &["assertions", "status"],
            )?;
            seen[0] += 1;
            let inside: Vec<_> = case.children().filter(|n| n.is_element()).collect();
            if inside.len() > 1 {
                return Err("a test with two results".to_owned());
            }
            for result in inside {
                match result.tag_name().name() {
                    "failure" => {
                        named(result, "failure", &["message", "type"], &[])?;
                        seen[1] += 1;
                    }
                    "error" => {
                        named(result, "error", &["message", "type"], &[])?;
                        seen[2] += 1;
                    }
                    _ => {
                        named(result, "skipped", &[], &[])?;
                        seen[3] += 1;
                    }
                }
            }
        }
        if counted(suite) != seen.map(Some) {
            return Err(format!("{:?} counted, {seen:?} there", counted(suite)));
        }
        for (sum, seen) in sum.iter_mut().zip(seen) {
            *sum += seen;
        }
    }
    let [tests, failures, errors, _] = sum.map(Some);
    // The whole has no count of what was left out.
    if counted(root) != [tests, failures, errors, None] {
        return Err(format!("{:?} counted, {sum:?} there", counted(root)));
    }
    Ok(())
}

/// A schema that allows what is not written down would find nothing.
#[test]
fn schemas_are_closed() {
    fn closed(schema: &Value, at: &str) {
        match schema {
            Value::Object(fields) => {
                if fields.get("properties").is_some_and(Value::is_object) {
                    assert_eq!(fields["additionalProperties"], false, "{at}");
                }
                for (name, value) in fields {
                    closed(value, &format!("{at}/{name}"));
                }
            }
            Value::Array(items) => {
                for item in items {
                    closed(item, at);
                }
            }
            _ => {}
        }
    }
    let folder = repository().join("docs/schemas");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    for name in SCHEMAS.keys() {
        closed(&read(&folder.join(format!("{name}.schema.json"))), name);
        assert!(
            page.contains(&format!("({name}.schema.json)")),
            "{name} is not in the list"
        );
    }
    // They can find something.
    for (args, text) in [
        (&["check"][..], r#"[{"code": "E0401"}]"#),
        (&["diff"], r#"{"error": "x"}"#),
        (&["replay"], r#"{"session": "x", "mood": "bad"}"#),
        (
            &["test"],
            r#"[{"file": "a", "line": 0, "test": "x", "passed": true, "failures": []}]"#,
        ),
    ] {
        assert!(fault(args, text).is_err(), "{text}");
    }
    assert!(sarif(r#"{"version": "2.1.0", "runs": [{"tool": {}}]}"#).is_err());
    assert!(junit("<testsuites/>").is_err());
}

/// Policies below a folder.
fn policies(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            policies(&path, out);
        } else if path.extension().is_some_and(|e| e == "ctr") {
            out.push(path);
        }
    }
}

/// All findings of the fixtures, as JSON and SARIF.
#[test]
fn findings_of_all_fixtures() {
    let root = repository().join("tests/ui");
    let mut paths = Vec::new();
    policies(&root, &mut paths);
    assert!(paths.len() > 60);
    let mut findings = 0;
    let mut codes = BTreeSet::new();
    for path in &paths {
        // Some are parts of others and wrong by themselves; that they are read is enough.
        let compiled = ctrc::library::compile(&[path.to_string_lossy().into_owned()], 20_000);
        let json = ctrc::render::json::diagnostics(&compiled.sources, &compiled.diagnostics);
        fault(&["check"], &json).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let log = ctrc::render::sarif::diagnostics(&compiled.sources, &compiled.diagnostics);
        sarif(&log).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        findings += compiled.diagnostics.len();
        codes.extend(compiled.diagnostics.iter().map(|found| found.code));
    }
    assert!(
        findings > 200 && codes.len() > 60,
        "{findings} findings, {} codes",
        codes.len()
    );
}

/// Every recorded session of the examples, both views, and what could be called after each.
#[test]
fn sessions_of_all_examples() {
    let desk = Desk::new();
    let mut lines = 0;
    for example in fs::read_dir(repository().join("examples")).unwrap() {
        let folder = example.unwrap().path();
        if !folder.join("policy.ctr").exists() {
            continue;
        }
        let policy = folder.join("policy.ctr").to_string_lossy().into_owned();
        let sessions = folder.join("sessions").to_string_lossy().into_owned();
        for view in ["recorded", "gated"] {
            let args = [
                "replay", "-l", &policy, "--view", view, "--format", "json", &sessions,
            ];
            let run = desk.run(&args);
            assert!(run.code < 2, "{}", run.err);
            for line in run.out.lines() {
                fault(&args, line).unwrap_or_else(|e| panic!("{policy}: {e}\n{line}"));
                lines += 1;
            }
        }
        let artifact = desk.path("x.ctrb").to_string_lossy().into_owned();
        desk.run(&["build", &policy, "-o", &artifact]).exits(0);
        let session = fs::read_dir(&sessions)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        for args in [
            &["inspect", "--format", "json", &artifact][..],
            &["test", "--format", "json", &policy],
            &["check", "--format", "json", &policy],
            &["check", "--witness", "--format", "json", &policy],
            &["diff", "--format", "json", &policy, &policy],
            &["refine", "--format", "json", &policy, &policy],
        ] {
            let run = desk.run(args);
            fault(args, &run.out).unwrap_or_else(|e| panic!("{args:?}: {e}\n{}", run.err));
        }
        let args = [
            "allowed",
            "-l",
            &policy,
            "--format",
            "json",
            &session.to_string_lossy(),
        ];
        for line in desk.run(&args).out.lines() {
            fault(&args, line).unwrap_or_else(|e| panic!("{policy}: {e}\n{line}"));
            lines += 1;
        }
    }
    assert!(lines > 20, "only {lines} lines");
}

/// Findings that are proven, of every kind that small policies show.
#[test]
fn what_is_proven() {
    let desk = Desk::new();
    desk.write(
        "all.ctr",
        "tool a(n: int)\ntool b(n: int)\n\
         contract no { guarantee never call a(n > 3) }\n\
         contract must { guarantee call b leads to call a(n > 5) }\n\
         contract dead { guarantee call b only if n > 3 and n < 2 }\n\
         contract whole { guarantee never call a(n > 1) }\n",
    );
    let args = ["check", "--format", "json", "all.ctr"];
    let run = desk.run(&args);
    fault(&args, &run.out).unwrap();
    let kinds: BTreeSet<String> = run
        .json()
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|found| Some(found.get("kind")?.as_str()?.to_owned()))
        .collect();
    assert!(kinds.len() >= 2, "{kinds:?}");
}

/// What makes SARIF logs be refused: places in empty files, names with all sorts of characters.
#[cfg(unix)]
#[test]
fn sarif_of_awkward_files() {
    let desk = Desk::new();
    for (path, text) in [
        ("empty.ctr", ""),
        ("open.ctr", "contract c {"),
        ("é 😀#%20 [1].ctr", "contract é {\n  😀\n}"),
        ("d:e/f.ctr", "contract c { guarantee never call x y }"),
        ("back\\slash.ctr", "contract c {"),
        ("mark.ctr", "\u{feff}contract c {"),
        ("crlf.ctr", "contract c {\r\n  guarantee\r\n}\r\n"),
    ] {
        desk.write(path, text);
        let run = desk.run(&["check", "--format", "sarif", path]);
        sarif(&run.out).unwrap_or_else(|e| panic!("{path}: {e}\n{}", run.out));
    }
}

#[test]
fn a_junit_report() {
    let desk = Desk::new();
    let odd = "\ntest \"<odd> & \\\"quoted\\\"\" {\n  call refund(amount: 900) -> \"]]> <b>\"\n  call refund(amount: 1)\n    expect block\n}\n\
               test \"fine\" {\n  call refund(amount: 1)\n    expect allow\n}\n";
    desk.write("d/odd.ctr", format!("{GOOD}{odd}"))
        .write("d/bad.ctr", "contract {");
    let run = desk.run(&["test", "--format", "junit", "d"]).exits(2);
    junit(&run.out).unwrap();
    let document = roxmltree::Document::parse(&run.out).unwrap();
    let case = |name: &str| {
        document
            .descendants()
            .find(|node| node.attribute("name") == Some(name))
            .unwrap()
    };
    let odd = case("<odd> & \"quoted\"");
    assert_eq!(odd.attribute("classname"), Some("d/odd.ctr"));
    let failure = odd.first_element_child().unwrap();
    assert!(
        failure
            .text()
            .unwrap()
            .starts_with("d/odd.ctr:6: expected to be allowed"),
        "{failure:?}"
    );
    assert!(case("fine").first_element_child().is_none());
    let error = case("(policy)").first_element_child().unwrap();
    assert!(error.text().unwrap().contains("d/bad.ctr:1:"), "{error:?}");

    let run = desk
        .run(&["test", "--format", "junit", "--only", "fine", "d/odd.ctr"])
        .exits(0);
    junit(&run.out).unwrap();
    assert!(run.out.contains("skipped=\"1\""), "{}", run.out);

    let run = desk
        .run(&["test", "--format", "github", "d/odd.ctr"])
        .exits(1);
    assert!(
        run.out
            .starts_with("::error file=d/odd.ctr,line=6,title=test <odd> & \"quoted\"::expected"),
        "{}",
        run.out
    );
}
