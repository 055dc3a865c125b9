//! `docs/errors.md` is what `ctrc explain --all` prints; `CTRC_BLESS=1` writes it anew.

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
use std::time::Duration;

use ctr_tests::binary::run;

#[test]
fn the_page_of_errors_is_made_from_the_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = run(folder, &["explain", "--all"], None, Duration::from_secs(30));
    assert_eq!(now.code, Some(0), "{}", now.stderr);
    let page = folder.join("../docs/errors.md");
    let kept = fs::read_to_string(&page).unwrap_or_default();
    if kept != now.stdout {
        assert!(
            std::env::var_os("CTRC_BLESS").is_some_and(|v| v != "0"),
            "docs/errors.md is not what `ctrc explain --all` prints: run this test with CTRC_BLESS=1"
        );
        fs::write(&page, &now.stdout).unwrap();
    }

    // Fences are closed, and each code of the index has its text, which `ctrc explain` shows alone.
    let mut in_code = false;
    let mut headings = Vec::new();
    for line in now.stdout.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if let Some(code) = line.strip_prefix("### ").filter(|_| !in_code) {
            headings.push(code.to_owned());
        }
    }
    assert!(!in_code, "a code block is not closed");
    let index: BTreeSet<String> = now
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("| [")?.split(']').next())
        .map(str::to_owned)
        .collect();
    assert!(headings.len() >= 140, "only {} codes", headings.len());
    assert_eq!(index, headings.iter().cloned().collect());
    assert_eq!(index.len(), headings.len(), "a code stands twice");
    let one = run(folder, &["explain", "e0401"], None, Duration::from_secs(30));
    let (title, text) = one.stdout.split_once("\n\n").unwrap();
    assert!(title.starts_with("E0401: "), "{title}");
    assert!(now.stdout.contains(text.trim()), "{text}");
}

/// Every code that a fixture of `ui/` shows is on the page; the fixtures show most of them.
#[test]
fn fixtures_show_most_codes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(folder.join("../docs/errors.md")).unwrap();
    let all: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let mut shown = BTreeSet::new();
    let mut open = vec![folder.join("ui")];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "stderr") {
                for line in fs::read_to_string(&path).unwrap().lines() {
                    let code = ["error[", "warning["]
                        .iter()
                        .find_map(|kind| line.strip_prefix(kind)?.split(']').next());
                    shown.extend(code.map(str::to_owned));
                }
            }
        }
    }
    for code in &shown {
        assert!(all.contains(code.as_str()), "{code} is not on the page");
    }
    let missing: Vec<&&str> = all.iter().filter(|code| !shown.contains(**code)).collect();
    assert!(
        shown.len() * 10 >= all.len() * 9,
        "fixtures show only {} of {} codes; without: {missing:?}",
        shown.len(),
        all.len()
    );
}
