//! `.case` files: a policy, a trace and what `ctrc` has to say about them, in one file.
//!
//! A line `### NAME` starts a section. `recorded.json`, `gated.json` and `check.json` are
//! expectations; every other section is a file that is written to a fresh folder. `policy.ctr`
//! and `trace.jsonl` are the ones that the command names.
//!
//! * `recorded.json`: `environment`, `agent`, and for each contract its `value` and the events of
//!   its `violations`. Without `violations` there must be none that has an event, except where
//!   the value is IDLE. A contract may be left out. With `reasons` (`{"2": "undetermined"}`) the
//!   reason of a violation is compared as well, and with `malformed: true` or `ambiguous: true`
//!   the session must be reported as such in some field.
//! * `gated.json`: the list of decisions, exactly.
//! * `check.json`: `exit` of `ctrc check policy.ctr`, and `code_or_text`: texts of which at least
//!   one stands in its messages (case aside).

use crate::binary::{Run, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A case file in memory.
#[derive(Clone, Debug)]
pub struct Case {
    /// File name without its ending.
    pub name: String,
    /// The sections in their order.
    pub sections: Vec<(String, String)>,
}

impl Case {
    /// Splits the text of a case file into its sections.
    #[must_use]
    pub fn parse(name: &str, text: &str) -> Self {
        let mut sections: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(title) = line.strip_prefix("### ") {
                sections.push((title.trim().to_owned(), String::new()));
            } else if let Some((_, body)) = sections.last_mut() {
                body.push_str(line);
            }
        }
        Self {
            name: name.to_owned(),
            sections,
        }
    }

    /// The text of a section.
    #[must_use]
    pub fn section(&self, title: &str) -> Option<&str> {
        self.sections
            .iter()
            .find(|(t, _)| t == title)
            .map(|(_, body)| body.as_str())
    }

    fn expectation(&self, title: &str) -> Option<Value> {
        self.section(title).map(|body| {
            serde_json::from_str(body)
                .unwrap_or_else(|e| panic!("{}: {title} is no JSON: {e}", self.name))
        })
    }
}

/// Every `*.case` file of a folder, in the order of their names.
///
/// # Panics
/// Where the folder cannot be read or holds no case.
#[must_use]
pub fn load(folder: &Path) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "case"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} holds no case", folder.display());
    paths
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = fs::read_to_string(path).expect("a readable case");
            Case::parse(&name, &text)
        })
        .collect()
}

/// Runs every case of a folder and stops with one report of all that went wrong.
///
/// # Panics
/// Where a case fails.
pub fn run_folder(folder: &Path) {
    let cases = load(folder);
    let mut report = String::new();
    let mut failed = 0;
    for case in &cases {
        let faults = judge(case);
        if faults.is_empty() {
            continue;
        }
        failed += 1;
        let _ = writeln!(report, "\n===== {}", case.name);
        for (title, body) in &case.sections {
            let short: String = body.chars().take(3000).collect();
            let _ = writeln!(report, "--- {title}\n{}", short.trim_end());
        }
        for fault in faults {
            let _ = writeln!(report, "!!! {fault}");
        }
    }
    assert!(
        failed == 0,
        "{failed} of {} cases failed{report}",
        cases.len()
    );
}

/// The differences between what a case expects and what `ctrc` answers; none where all is well.
///
/// # Panics
/// Where the case's own files cannot be written or its expectations are not JSON.
#[must_use]
pub fn judge(case: &Case) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (title, body) in &case.sections {
        if matches!(
            title.as_str(),
            "recorded.json" | "gated.json" | "check.json"
        ) {
            continue;
        }
        let path = dir.path().join(title);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, body).expect("a written file");
    }
    let mut faults = Vec::new();
    let recorded = case.expectation("recorded.json");
    let gated = case.expectation("gated.json");
    let check = case.expectation("check.json");
    if recorded.is_none() && gated.is_none() && check.is_none() {
        faults.push("the case expects nothing".to_owned());
    }
    if let Some(want) = &check {
        judge_check(dir.path(), want, &mut faults);
    }
    if let Some(want) = &recorded {
        judge_recorded(dir.path(), want, &mut faults);
    }
    if let Some(want) = &gated {
        let clean = recorded.as_ref().is_none_or(|r| !has_findings(r));
        judge_gated(dir.path(), want, clean && recorded.is_some(), &mut faults);
    }
    faults
}

const LIMIT: Duration = Duration::from_secs(30);

fn judge_check(dir: &Path, want: &Value, faults: &mut Vec<String>) {
    let got = run(dir, &["check", "policy.ctr"], None, LIMIT);
    no_crash("check", &got, faults);
    if got.code.map(i64::from) != want["exit"].as_i64() {
        faults.push(format!(
            "check: expected exit {}, got {:?}\n{}{}",
            want["exit"], got.code, got.stdout, got.stderr
        ));
    }
    let texts: Vec<&str> = want["code_or_text"]
        .as_array()
        .map(|a| a.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let all = format!("{}{}", got.stdout, got.stderr).to_lowercase();
    if !texts.is_empty() && !texts.iter().any(|t| all.contains(&t.to_lowercase())) {
        faults.push(format!(
            "check: none of {texts:?} stands in the messages:\n{}{}",
            got.stdout, got.stderr
        ));
    }
}

fn judge_recorded(dir: &Path, want: &Value, faults: &mut Vec<String>) {
    let Some((got, line)) = replay(dir, "recorded", faults) else {
        return;
    };
    for side in ["environment", "agent"] {
        if !want[side].is_null() && want[side] != line[side] {
            faults.push(format!(
                "recorded: {side}: expected {}, got {}",
                want[side], line[side]
            ));
        }
    }
    for contract in want["contracts"].as_array().unwrap_or(&Vec::new()) {
        let name = &contract["contract"];
        let Some(found) = find_contract(&line, name.as_str().unwrap_or_default()) else {
            faults.push(format!("recorded: contract {name} is missing in {line}"));
            continue;
        };
        if contract["value"] != found["value"] {
            faults.push(format!(
                "recorded: {name}: expected {}, got {}",
                contract["value"], found["value"]
            ));
        }
        let expected: Option<BTreeSet<u64>> = contract["violations"]
            .as_array()
            .map(|a| a.iter().filter_map(Value::as_u64).collect());
        let events = violation_events(found);
        match expected {
            Some(expected) if expected != events => faults.push(format!(
                "recorded: {name}: expected violations at {expected:?}, got {}",
                found["violations"]
            )),
            None if !events.is_empty() && contract["value"] != "IDLE" => faults.push(format!(
                "recorded: {name}: expected no violation at an event, got {}",
                found["violations"]
            )),
            _ => {}
        }
        for (event, reason) in contract["reasons"].as_object().into_iter().flatten() {
            let fits = found["violations"].as_array().is_some_and(|list| {
                list.iter()
                    .any(|v| v["event"].as_u64() == event.parse().ok() && v["reason"] == *reason)
            });
            if !fits {
                faults.push(format!(
                    "recorded: {name}: expected reason {reason} at event {event}, got {}",
                    found["violations"]
                ));
            }
        }
    }
    if want["ambiguous"] == true
        && !format!("{line}{}", got.stderr)
            .to_lowercase()
            .contains("ambiguous")
    {
        faults.push(format!(
            "recorded: the result does not say that the pairing was ambiguous: {line}\n{}",
            got.stderr
        ));
    }
    if want["malformed"] == true && line["malformed"].as_array().is_none_or(Vec::is_empty) {
        faults.push(format!(
            "recorded: nothing is reported as malformed: {line}"
        ));
    }
    let code = i32::from(has_findings(want));
    // An idle contract whose guarantee is broken as well may count as a finding or not.
    let open = code == 0 && want.to_string().contains("\"IDLE\"");
    if want["malformed"] != true && !open && got.code != Some(code) {
        faults.push(format!(
            "recorded: expected exit {code}, got {:?}\n{}",
            got.code, got.stderr
        ));
    }
}

fn judge_gated(dir: &Path, want: &Value, must_be_clean: bool, faults: &mut Vec<String>) {
    let Some((got, line)) = replay(dir, "gated", faults) else {
        return;
    };
    let expected = decisions(&want["decisions"]);
    let found = decisions(&line["decisions"]);
    if expected != found {
        faults.push(format!(
            "gated: expected {expected:?}, got {}",
            line["decisions"]
        ));
    }
    let code = if !expected.is_empty() {
        Some(1)
    } else if must_be_clean {
        Some(0)
    } else {
        None
    };
    if code.is_some() && got.code != code {
        faults.push(format!(
            "gated: expected exit {code:?}, got {:?}\n{}",
            got.code, got.stderr
        ));
    }
}

fn replay(dir: &Path, view: &str, faults: &mut Vec<String>) -> Option<(Run, Value)> {
    let args = [
        "replay",
        "-l",
        "policy.ctr",
        "--format",
        "json",
        "--view",
        view,
        "trace.jsonl",
    ];
    let got = run(dir, &args, None, LIMIT);
    no_crash(view, &got, faults);
    let mut lines = got.stdout.lines().filter(|l| !l.trim().is_empty());
    let parsed = lines.next().and_then(|l| serde_json::from_str(l).ok());
    match parsed {
        Some(line) if lines.next().is_none() => Some((got, line)),
        _ => {
            faults.push(format!(
                "{view}: expected one JSON line, got exit {:?}\nstdout: {}\nstderr: {}",
                got.code, got.stdout, got.stderr
            ));
            None
        }
    }
}

/// Adds a fault where a run ended in a panic, an internal error or the time limit.
pub fn no_crash(what: &str, got: &Run, faults: &mut Vec<String>) {
    if got.timed_out {
        faults.push(format!("{what}: no answer within {:?}", got.elapsed));
    } else if got.code.is_none() || got.code == Some(3) || got.code == Some(101) {
        faults.push(format!("{what}: exit {:?}\n{}", got.code, got.stderr));
    }
    if got.stderr.contains("panicked") {
        faults.push(format!("{what}: a panic:\n{}", got.stderr));
    }
}

/// The entry of a contract in a session's line.
#[must_use]
pub fn find_contract<'a>(line: &'a Value, name: &str) -> Option<&'a Value> {
    line["contracts"]
        .as_array()?
        .iter()
        .find(|c| c["contract"] == name)
}

/// The events of a contract's violations that have one.
#[must_use]
pub fn violation_events(contract: &Value) -> BTreeSet<u64> {
    contract["violations"]
        .as_array()
        .map(|list| list.iter().filter_map(|v| v["event"].as_u64()).collect())
        .unwrap_or_default()
}

/// A decision list as (event, decision, contracts), in the order given.
#[must_use]
pub fn decisions(list: &Value) -> Vec<(u64, String, BTreeSet<String>)> {
    list.as_array()
        .map(|list| {
            list.iter()
                .map(|d| {
                    (
                        d["event"].as_u64().unwrap_or(u64::MAX),
                        d["decision"].as_str().unwrap_or_default().to_owned(),
                        d["contracts"]
                            .as_array()
                            .into_iter()
                            .flatten()
                            .filter_map(|c| c.as_str().map(str::to_owned))
                            .collect(),
                    )
                })
                .collect()
        })
        .unwrap_or_default()
}

/// Whether an expected result holds a finding: a failed contract, or a violated one.
fn has_findings(want: &Value) -> bool {
    let failed = |v: &Value| v == "FAIL";
    failed(&want["agent"])
        || failed(&want["environment"])
        || want["contracts"].as_array().is_some_and(|list| {
            list.iter().any(|c| {
                failed(&c["value"]) || c["violations"].as_array().is_some_and(|v| !v.is_empty())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_split_at_their_titles() {
        let case = Case::parse("x", "### a.ctr\none\ntwo\n### b.json\n{}\n");
        assert_eq!(case.section("a.ctr"), Some("one\ntwo\n"));
        assert_eq!(case.section("b.json"), Some("{}\n"));
        assert_eq!(case.section("c"), None);
    }

    /// The files themselves: every trace is JSON lines, every expected event exists.
    #[test]
    fn cases_are_well_formed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["conformance", "cases"] {
            for case in load(&root.join(folder)) {
                let name = &case.name;
                assert!(case.section("policy.ctr").is_some(), "{name}: no policy");
                let events = case
                    .section("trace.jsonl")
                    .unwrap_or_default()
                    .lines()
                    .map(|line| serde_json::from_str::<Value>(line).expect(name))
                    .filter(|line| line["kind"] != "context")
                    .count() as u64;
                let mut indices: Vec<u64> = Vec::new();
                if let Some(recorded) = case.expectation("recorded.json") {
                    for contract in recorded["contracts"].as_array().expect(name) {
                        for v in contract["violations"].as_array().into_iter().flatten() {
                            indices.push(v.as_u64().expect(name));
                        }
                        let value = contract["value"].as_str().expect(name);
                        assert!(
                            ["FAIL", "ACTIVE", "IDLE"].contains(&value),
                            "{name}: {value}"
                        );
                    }
                }
                if let Some(gated) = case.expectation("gated.json") {
                    indices.extend(decisions(&gated["decisions"]).iter().map(|d| d.0));
                }
                assert!(
                    indices.iter().all(|i| *i < events),
                    "{name}: {indices:?} of {events} events"
                );
                let expects = ["recorded.json", "gated.json", "check.json"];
                assert!(
                    expects.iter().any(|e| case.expectation(e).is_some()),
                    "{name} expects nothing"
                );
            }
        }
    }
}
