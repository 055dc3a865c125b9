//! The examples are what they say: clean, formatted, tested, and replayed to the kept results.
//!
//! `examples/NAME/expected/SESSION.VIEW.json` holds what `ctrc replay --format json` says of each session;
//! `CTRC_BLESS=1` writes these files anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ctr_tests::binary::{Run, run};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// The folders of the examples, in order.
fn folders() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    all.sort();
    assert!(all.len() >= 4, "the examples are missing: {all:?}");
    all
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn ctrc(folder: &Path, args: &[&str]) -> Run {
    run(folder, args, None, Duration::from_secs(30))
}

#[test]
fn policies_are_clean_formatted_and_tested() {
    for folder in folders() {
        for args in [
            &["check", "--deny-warnings", "policy.ctr"][..],
            &["fmt", "--check", "policy.ctr"],
            &["test", "policy.ctr"],
        ] {
            let run = ctrc(&folder, args);
            assert_eq!(
                run.code,
                Some(0),
                "{}: ctrc {args:?}\n{}{}",
                name(&folder),
                run.stdout,
                run.stderr
            );
        }
        let tests = ctrc(&folder, &["test", "--format", "json", "policy.ctr"]);
        let results: Value = serde_json::from_str(&tests.stdout).unwrap();
        assert!(
            results.as_array().is_some_and(|all| all.len() >= 3),
            "{}: too few tests",
            name(&folder)
        );
    }
}

#[test]
fn sessions_replay_to_the_kept_results() {
    let bless = std::env::var_os("CTRC_BLESS").is_some_and(|v| v != "0");
    let mut faults = Vec::new();
    for folder in folders() {
        let mut kept_files = BTreeSet::new();
        let expected = folder.join("expected");
        let mut sessions: Vec<String> = fs::read_dir(folder.join("sessions"))
            .unwrap()
            .map(|entry| name(&entry.unwrap().path()))
            .collect();
        sessions.sort();
        assert!(!sessions.is_empty(), "{}: no sessions", name(&folder));
        for session in &sessions {
            for view in ["recorded", "gated"] {
                let path = format!("sessions/{session}");
                let args = [
                    "replay",
                    "-l",
                    "policy.ctr",
                    "--view",
                    view,
                    "--format",
                    "json",
                    &path,
                ];
                let run = ctrc(&folder, &args);
                let now: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| {
                    panic!(
                        "{}/{path}: {e}\n{}{}",
                        name(&folder),
                        run.stdout,
                        run.stderr
                    )
                });
                let found = now["agent"] == "FAIL"
                    || now["environment"] == "FAIL"
                    || now["decisions"]
                        .as_array()
                        .is_some_and(|all| !all.is_empty());
                if run.code != Some(i32::from(found)) {
                    faults.push(format!("{}/{path}: exit {:?}", name(&folder), run.code));
                }
                let stem = session.split('.').next().unwrap();
                let file = format!("{stem}.{view}.json");
                let kept = fs::read_to_string(expected.join(&file))
                    .ok()
                    .and_then(|text| serde_json::from_str::<Value>(&text).ok());
                if kept.as_ref() != Some(&now) {
                    let text = format!("{now:#}\n");
                    if bless {
                        fs::create_dir_all(&expected).unwrap();
                        fs::write(expected.join(&file), text).unwrap();
                    } else {
                        faults.push(format!(
                            "{}/expected/{file} is not what replay says now:\n{text}",
                            name(&folder)
                        ));
                    }
                }
                assert!(
                    kept_files.insert(file),
                    "{}: two sessions named {stem}",
                    name(&folder)
                );
            }
        }
        for entry in fs::read_dir(&expected).into_iter().flatten() {
            let file = name(&entry.unwrap().path());
            if !kept_files.contains(&file) {
                faults.push(format!(
                    "{}/expected/{file}: no such session",
                    name(&folder)
                ));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults (CTRC_BLESS=1 writes the results anew):\n\n{}",
        faults.len(),
        faults.join("\n\n")
    );
}

#[test]
fn the_readme_names_every_example() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for folder in folders() {
        let link = format!("({}/policy.ctr)", name(&folder));
        assert!(readme.contains(&link), "{link} is missing");
    }
    for part in readme.split("](").skip(1) {
        let target = part.split(')').next().unwrap();
        assert!(root().join(target).exists(), "{target} does not exist");
    }
}
