//! `docs/errors` holds a page for each code, made from the compiler's own texts; `CTRC_BLESS=1` writes
//! them anew and removes those of codes that are gone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ctr_project::codes::all as all_codes;
use ctr_tests::binary::run;
use ctrc::verbs::explain::codes::pages;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors")
}

#[test]
fn pages_are_made_from_the_codes() {
    let bless = std::env::var_os("CTRC_BLESS").is_some_and(|v| v != "0");
    let wanted: BTreeMap<String, String> = pages().into_iter().collect();
    fs::create_dir_all(folder()).unwrap();
    let mut kept = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        kept.insert(name, fs::read_to_string(&path).unwrap());
    }
    let mut stale = Vec::new();
    for (name, text) in &wanted {
        if kept.get(name) != Some(text) {
            stale.push(name.clone());
            if bless {
                fs::write(folder().join(name), text).unwrap();
            }
        }
    }
    for name in kept.keys().filter(|name| !wanted.contains_key(*name)) {
        stale.push(name.clone());
        if bless {
            fs::remove_file(folder().join(name)).unwrap();
        }
    }
    assert!(
        bless || stale.is_empty(),
        "pages that are not made from the codes (run this test with CTRC_BLESS=1): {stale:?}"
    );
}

/// Links lead to pages, fences are closed, and every code has its page.
#[test]
fn pages_are_whole() {
    let pages: BTreeMap<String, String> = pages().into_iter().collect();
    let index = &pages["README.md"];
    let listed: BTreeSet<&str> = index
        .lines()
        .filter_map(|line| line.strip_prefix("| [")?.split(']').next())
        .collect();
    let codes: BTreeSet<&str> = all_codes().iter().map(|doc| doc.code).collect();
    assert_eq!(listed, codes);
    assert_eq!(pages.len(), codes.len() + 1);
    for (name, text) in &pages {
        let fences = text.lines().filter(|line| line.starts_with("```")).count();
        assert_eq!(fences % 2, 0, "{name}: a code block is not closed");
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            assert!(
                pages.contains_key(target)
                    || ["../messages.md", "../configuration.md"].contains(&target),
                "{name}: a link to {target}"
            );
        }
    }
    assert!(folder().join("../messages.md").is_file());
}

#[test]
fn the_command_line_shows_the_same() {
    let limit = Duration::from_secs(30);
    let all = run(&folder(), &["explain", "--all"], None, limit);
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    for doc in all_codes() {
        assert!(
            all.stdout.contains(&doc.markdown()),
            "{} is not in `explain --all`",
            doc.code
        );
        assert!(
            pages()
                .iter()
                .any(|(_, text)| text.contains(&doc.markdown()))
        );
    }
    let doc = all_codes()
        .into_iter()
        .find(|doc| doc.code == "E0401")
        .unwrap();
    let one = run(&folder(), &["explain", "e0401"], None, limit);
    assert_eq!(
        one.stdout,
        format!("E0401: {}\n\n{}\n", doc.title, doc.markdown())
    );
}

/// Every code that a fixture of `ui/` shows is documented; the fixtures show most of them.
#[test]
fn fixtures_show_most_codes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all: BTreeSet<&str> = all_codes().iter().map(|doc| doc.code).collect();
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
        assert!(all.contains(code.as_str()), "{code} is not documented");
    }
    let missing: Vec<&&str> = all.iter().filter(|code| !shown.contains(**code)).collect();
    assert!(
        shown.len() * 10 >= all.len() * 9,
        "fixtures show only {} of {} codes; without: {missing:?}",
        shown.len(),
        all.len()
    );
}
