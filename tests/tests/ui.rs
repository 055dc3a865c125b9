//! What the compiler says to people: every fixture of `ui/` marks its findings in its own text, and
//! the rendered message stands beside it.
//!
//! A fixture is a file `ui/GROUP/NAME.ctr`, or a folder `ui/GROUP/NAME/` with a `main.ctr` where a case
//! needs several files. Marks are comments:
//!
//! ```text
//! guarantee never call refnd        //~ error[E0401]
//! //~^ error[E0401]                 the line above (`^^`: two above)
//! //~v error[E0011]                 the line below
//! //~ error[E0300] at tools.json:3  another file of the case
//! //~ error[E0043] line 6           a line of the same file
//! ```
//!
//! The findings must be exactly the marked ones: code, severity, and the line where the primary place
//! begins. `NAME.stderr` (`NAME/main.stderr`) holds the message; `CTRC_BLESS=1` writes it anew, and
//! never where the marks do not fit.
//!
//! Every fix that a finding offers is tried: applied to a copy, it must make that finding go.

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

const LIMIT: Duration = Duration::from_secs(120);

/// A finding: path, line, `severity[CODE]`.
type Found = (String, u64, String);

#[test]
fn fixtures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let bless = std::env::var_os("CTRC_BLESS").is_some_and(|v| v != "0");
    let mut faults = Vec::new();
    let mut snapshots = BTreeSet::new();
    let cases = cases(&root);
    assert!(cases.len() >= 60, "only {} fixtures", cases.len());
    for case in &cases {
        let snapshot = case.with_extension("stderr");
        if let Err(fault) = check(&root, case, &root.join(&snapshot), bless) {
            faults.push(format!("{}: {fault}", shown(case)));
        }
        if let Err(fault) = fixes(&root, case) {
            faults.push(format!("{}: {fault}", shown(case)));
        }
        snapshots.insert(snapshot);
    }
    for file in files(&root) {
        let file = file.strip_prefix(&root).unwrap().to_owned();
        if file.extension().is_some_and(|e| e == "stderr") && !snapshots.contains(&file) {
            faults.push(format!("{}: a snapshot without a fixture", shown(&file)));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults in {} fixtures (CTRC_BLESS=1 writes the snapshots anew):\n\n{}",
        faults.len(),
        cases.len(),
        faults.join("\n\n")
    );
}

/// Findings and message of one fixture.
fn check(root: &Path, case: &Path, snapshot: &Path, bless: bool) -> Result<(), String> {
    let mut wanted = marks(root, case);
    let (mut found, json) = findings(root, case)?;
    wanted.sort();
    found.sort();
    if wanted != found {
        return Err(format!(
            "the findings are not those that are marked\n  marked: {}\n  found:  {}",
            list(&wanted),
            list(&found)
        ));
    }
    let errors = found.iter().any(|f| f.2.starts_with("error"));
    let open = found.iter().any(|f| f.2.starts_with("note"));
    let wanted = if errors { 1 } else { 4 * i32::from(open) };
    if json.code != Some(wanted) {
        return Err(format!("exit code {:?}", json.code));
    }
    let args = [
        "check",
        "--color",
        "never",
        "--solver-timeout",
        "60",
        &shown(case),
    ]
    .map(str::to_owned);
    let human = run(root, &args, None, LIMIT);
    if human.code != json.code || !human.stdout.is_empty() {
        return Err(format!(
            "for people: exit {:?}, standard output `{}`",
            human.code, human.stdout
        ));
    }
    let kept = fs::read_to_string(snapshot).unwrap_or_default();
    if human.stderr == kept {
        return Ok(());
    }
    if bless {
        fs::write(snapshot, &human.stderr).map_err(|e| e.to_string())?;
        return Ok(());
    }
    Err(format!(
        "the message is not the one that is kept\n--- kept\n{kept}\n--- now\n{}",
        human.stderr
    ))
}

/// Applies each fix alone to a copy of the case: the finding must be gone.
fn fixes(root: &Path, case: &Path) -> Result<(), String> {
    let (_, run) = findings(root, case)?;
    for finding in array(&run)? {
        let title = |v: &Value| v["title"].as_str().unwrap_or_default().to_owned();
        for fix in finding["fixes"].as_array().into_iter().flatten() {
            let copy = tempfile::tempdir().map_err(|e| e.to_string())?;
            let from = root.join(case);
            let from = from.parent().unwrap();
            for file in files(from) {
                let to = copy
                    .path()
                    .join(case.parent().unwrap())
                    .join(file.strip_prefix(from).unwrap());
                fs::create_dir_all(to.parent().unwrap()).map_err(|e| e.to_string())?;
                fs::copy(&file, &to).map_err(|e| e.to_string())?;
            }
            for edit in fix["edits"].as_array().into_iter().flatten().rev() {
                let path = copy.path().join(edit["path"].as_str().unwrap());
                let mut text = fs::read_to_string(&path).map_err(|e| e.to_string())?;
                let at = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
                text.replace_range(at("start")..at("end"), edit["text"].as_str().unwrap());
                fs::write(&path, text).map_err(|e| e.to_string())?;
            }
            let (_, after) = findings(copy.path(), case)?;
            let same = |other: &&Value| {
                other["code"] == finding["code"] && other["message"] == finding["message"]
            };
            let count = |all: &[Value]| all.iter().filter(same).count();
            if count(&array(&after)?) >= count(&array(&run)?) {
                return Err(format!(
                    "the fix `{}` does not mend {}: {}",
                    title(fix),
                    finding["code"],
                    finding["message"]
                ));
            }
        }
    }
    Ok(())
}

/// What `ctrc check --format json` finds, run in `root`.
fn findings(root: &Path, case: &Path) -> Result<(Vec<Found>, Run), String> {
    let args = [
        "check",
        "--format",
        "json",
        "--solver-timeout",
        "60",
        &shown(case),
    ]
    .map(str::to_owned);
    let run = run(root, &args, None, LIMIT);
    if run.timed_out {
        return Err("no answer in time".to_owned());
    }
    let found = array(&run)?
        .iter()
        .map(|finding| {
            let spans = finding["spans"].as_array().unwrap();
            let primary = spans.iter().find(|s| s["primary"] == true).unwrap();
            (
                primary["path"].as_str().unwrap().to_owned(),
                primary["line"].as_u64().unwrap(),
                format!(
                    "{}[{}]",
                    finding["severity"].as_str().unwrap(),
                    finding["code"].as_str().unwrap()
                ),
            )
        })
        .collect();
    Ok((found, run))
}

fn array(run: &Run) -> Result<Vec<Value>, String> {
    serde_json::from_str(&run.stdout).map_err(|e| format!("{e}\n{}\n{}", run.stdout, run.stderr))
}

/// The marks of a case.
fn marks(root: &Path, case: &Path) -> Vec<Found> {
    let path = root.join(case);
    let is_folder = path.file_name().is_some_and(|name| name == "main.ctr");
    let all = if is_folder {
        let mut all = files(path.parent().unwrap());
        all.retain(|file| file.extension().is_some_and(|e| e == "ctr"));
        all
    } else {
        vec![path]
    };
    let mut marks = Vec::new();
    for file in all {
        let name = file.strip_prefix(root).unwrap().to_owned();
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        for (index, line) in text.split('\n').enumerate() {
            for mark in line.split("//~").skip(1) {
                marks.push(marked(&name, index + 1, mark));
            }
        }
    }
    marks
}

/// Reads what stands after `//~` in a line.
fn marked(file: &Path, line: usize, mark: &str) -> Found {
    let line = i64::try_from(line).unwrap();
    let moved: i64 = mark
        .chars()
        .map_while(|c| match c {
            '^' => Some(-1),
            'v' => Some(1),
            _ => None,
        })
        .sum();
    let rest = mark.trim_start_matches(['^', 'v']).trim();
    let (what, place) = rest
        .split_once(']')
        .unwrap_or_else(|| panic!("{}: malformed mark `{mark}`", file.display()));
    let number = |text: &str| -> u64 {
        text.trim()
            .parse()
            .unwrap_or_else(|_| panic!("{}: malformed mark `{mark}`", file.display()))
    };
    let place = place.trim();
    let (path, line) = if let Some((other, line)) = place
        .strip_prefix("at ")
        .and_then(|place| place.rsplit_once(':'))
    {
        (file.with_file_name(other), number(line))
    } else if let Some(line) = place.strip_prefix("line ") {
        (file.to_owned(), number(line))
    } else {
        (file.to_owned(), u64::try_from(line + moved).unwrap())
    };
    (shown(&path), line, format!("{what}]"))
}

fn list(found: &[Found]) -> String {
    if found.is_empty() {
        return "nothing".to_owned();
    }
    let lines: Vec<String> = found
        .iter()
        .map(|(path, line, what)| format!("{path}:{line} {what}"))
        .collect();
    lines.join(", ")
}

/// The fixtures, relative to the folder, in order: a folder with a `main.ctr` is one.
fn cases(root: &Path) -> Vec<PathBuf> {
    let all = files(root);
    let folders: Vec<PathBuf> = all
        .iter()
        .filter(|file| file.file_name().is_some_and(|name| name == "main.ctr"))
        .filter_map(|file| file.parent().map(Path::to_owned))
        .collect();
    all.iter()
        .filter(|file| file.extension().is_some_and(|e| e == "ctr"))
        .filter(|file| {
            let in_folder = folders.iter().any(|folder| file.starts_with(folder));
            !in_folder
                || folders
                    .iter()
                    .any(|folder| **file == folder.join("main.ctr"))
        })
        .map(|file| file.strip_prefix(root).unwrap().to_owned())
        .collect()
}

/// All files below a folder, in order of their paths.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// A path with `/` on every system.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
