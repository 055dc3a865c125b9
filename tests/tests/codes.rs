//! The examples of every diagnostic code, checked as `ctrc check` checks a policy: the wrong one gives
//! exactly its code, once, and nothing else; the right one gives nothing.
//!
//! Codes that no short example can show are marked so, and name the test that shows them.

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
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ctr_front::diagnostic::{CodeDoc, Diagnostic};
use ctr_project::codes::all as all_codes;
use ctrc::verbs::check::library_findings;

/// For each question to the solver: enough on a busy machine.
const SOLVER: Duration = Duration::from_secs(60);

/// The depth of debug builds' frames; that of the program's own thread.
const STACK: usize = 64 << 20;

type Files<'a> = &'a [(&'a str, &'a str)];

/// Writes the files of an example into a folder of their own and checks the first.
fn check(files: Files<'_>) -> Vec<Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = folder.path().join(files[0].0);
    let (compiled, _) = library_findings(&[root.to_string_lossy().into_owned()], SOLVER)
        .unwrap_or_else(|stop| panic!("{}: {stop:?}", files[0].1));
    compiled.diagnostics
}

/// Compares the findings of an example with what they should be.
fn compare(doc: &CodeDoc, what: &str, files: Files<'_>, wanted: &[&str]) -> Option<String> {
    let found = check(files);
    let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
    if codes == wanted {
        return None;
    }
    let mut out = format!("{} {what}: found {codes:?}, wanted {wanted:?}\n", doc.code);
    for (path, text) in files {
        let text: String = text.chars().take(600).collect();
        out.push_str(&format!("--- {path}\n{text}"));
    }
    for finding in &found {
        out.push_str(&format!("  {}: {}\n", finding.code, finding.message));
    }
    Some(out)
}

/// Runs a function over all items on two threads with deep stacks.
fn each<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || {
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let found = work(item);
                        faults.lock().unwrap().extend(found);
                    }
                })
                .unwrap();
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    faults
}

#[test]
fn examples_are_what_they_say() {
    let docs = all_codes();
    let faults = each(&docs, |doc| {
        let mut faults = Vec::new();
        if !doc.wrong.is_empty() && doc.exempt.is_none() {
            faults.extend(compare(doc, "wrong", doc.wrong, &[doc.code]));
        }
        if !doc.right.is_empty() {
            faults.extend(compare(doc, "right", doc.right, &[]));
        }
        faults
    });
    assert!(
        faults.is_empty(),
        "{} examples are not what they say:\n\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn every_code_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = BTreeSet::new();
    let mut exempt = 0;
    for doc in all_codes() {
        let code = doc.code;
        assert!(seen.insert(code), "{code} stands twice");
        let shape = code.len() == 5
            && code.starts_with(['E', 'W'])
            && code[1..].bytes().all(|b| b.is_ascii_digit());
        assert!(shape, "{code} is no code");
        for (name, text, least) in [
            ("title", doc.title, 5),
            ("meaning", doc.meaning, 25),
            ("why", doc.why, 20),
            ("fix", doc.fix, 10),
        ] {
            assert!(text.len() >= least, "{code}: its `{name}` says too little");
            assert_eq!(text, text.trim(), "{code}: `{name}`");
            assert_eq!(
                text.matches('`').count() % 2,
                0,
                "{code}: back-ticks of `{name}` are not closed"
            );
        }
        for text in [doc.meaning, doc.why, doc.fix] {
            assert!(
                text.ends_with(['.', ')']),
                "{code}: no whole sentence: {text}"
            );
        }
        let title = doc.title.trim_start_matches('`').chars().next().unwrap();
        assert!(
            !title.is_uppercase() || doc.title.starts_with("NUL") || doc.title.starts_with("JSON"),
            "{code}: {}",
            doc.title
        );
        assert!(!doc.title.ends_with('.'), "{code}: {}", doc.title);
        match doc.exempt {
            None => assert!(
                !doc.wrong.is_empty() && !doc.right.is_empty(),
                "{code} has no example"
            ),
            Some(exemption) => {
                exempt += 1;
                let (path, name) = exemption.test.split_once("::").unwrap();
                let text = fs::read_to_string(root.join(path))
                    .unwrap_or_else(|e| panic!("{code}: {path}: {e}"));
                let name = format!("fn {name}(");
                let at = text
                    .find(&name)
                    .unwrap_or_else(|| panic!("{code}: {path} has no `{name}`"));
                let before = &text[at.saturating_sub(40)..at];
                assert!(before.contains("#[test]"), "{code}: {name} is no test");
                assert!(
                    text[at..].contains(code),
                    "{code}: the test does not speak of it"
                );
                assert!(exemption.reason.len() > 20, "{code}");
            }
        }
    }
    assert!(seen.len() >= 171, "only {} codes", seen.len());
    assert!(
        exempt * 12 <= seen.len(),
        "{exempt} of {} are exempt",
        seen.len()
    );
}

/// Every code that the sources give to a finding is documented, and every documented one is given.
#[test]
fn codes_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut used = BTreeSet::new();
    for folder in [
        "grammar/src",
        "compiler/front/src",
        "compiler/emit/src",
        "compiler/check/src",
        "compiler/driver/src",
    ] {
        literals(&root.join(folder), &mut used);
    }
    let documented: BTreeSet<String> = all_codes().iter().map(|d| d.code.to_owned()).collect();
    let without: Vec<_> = used.difference(&documented).collect();
    assert!(without.is_empty(), "without documentation: {without:?}");
    let unused: Vec<_> = documented.difference(&used).collect();
    assert!(unused.is_empty(), "documented and never given: {unused:?}");
}

/// The codes that stand alone in string literals below a folder; tables of codes and tests aside.
fn literals(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" && !name.starts_with("codes") {
                literals(&path, out);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for (at, _) in text.match_indices('"') {
                let Some(code) = text.get(at + 1..at + 6) else {
                    continue;
                };
                let alone = text[at + 6..].starts_with('"');
                let compared = [" < ", " >= ", " == "]
                    .iter()
                    .any(|o| text[..at].ends_with(o));
                let is_code =
                    code.starts_with(['E', 'W']) && code[1..].bytes().all(|b| b.is_ascii_digit());
                if alone && is_code && !compared {
                    out.insert(code.to_owned());
                }
            }
        }
    }
}

#[test]
fn more_than_a_hundred_unreadable_words() {
    let text = format!(
        "contract c {{ guarantee never call a }}\n{}",
        "§ ".repeat(300)
    );
    let found = check(&[("policy.ctr", &text)]);
    let count = |code: &str| found.iter().filter(|d| d.code == code).count();
    assert_eq!((count("E0010"), count("E0002")), (100, 1));
    assert_eq!(found.len(), 101, "{found:?}");
}

#[test]
fn a_text_with_a_nul_byte() {
    let codes: Vec<&str> = ctr_grammar::parse("contract c { guarantee never call a\0 }")
        .errors
        .iter()
        .map(|error| error.code)
        .collect();
    assert_eq!(codes, ["E0019"]);
    // The same bytes in a file are told by the loader.
    let found = check(&[("policy.ctr", "contract c { guarantee never call a\0 }")]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "E0204");
}

#[test]
fn what_only_a_build_tells() {
    let doc = all_codes().into_iter().find(|d| d.code == "W0600").unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (files, wanted) in [(doc.wrong, vec!["W0600"]), (doc.right, vec![])] {
        let path = folder.path().join("policy.ctr");
        fs::write(&path, files[0].1).unwrap();
        let built = ctrc::library::compile(
            &[path.to_string_lossy().into_owned()],
            ctr_project::compiled::default_max_states(),
        );
        let codes: Vec<&str> = built.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, wanted);
        assert!(built.built.is_some());
    }
    assert_eq!(
        check(doc.wrong).iter().map(|d| d.code).collect::<Vec<_>>(),
        ["E0701"]
    );
}
