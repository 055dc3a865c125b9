//! Policies of the repository, compiled.

use std::fs;
use std::path::{Path, PathBuf};

use ctr_front::ir::Library;
use ctr_front::world::{DiskWorld, MemoryWorld};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A policy that must be without errors.
#[allow(dead_code, reason = "not every test needs it")]
pub fn compiled(path: &Path) -> Library {
    let compiled = ctr_front::compile(&DiskWorld, &[path.to_string_lossy().into_owned()]);
    let errors: Vec<String> = compiled
        .diagnostics
        .iter()
        .filter(|d| d.severity == ctr_front::diagnostic::Severity::Error)
        .map(|d| d.message.clone())
        .collect();
    compiled
        .library
        .unwrap_or_else(|| panic!("{}: {errors:?}", path.display()))
}

/// A policy that is written in a test.
#[allow(dead_code, reason = "not every test needs it")]
pub fn policy(text: &str) -> Library {
    let world = MemoryWorld::new().with("p.ctr", text.as_bytes());
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let messages: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|d| d.message.clone())
        .collect();
    compiled
        .library
        .unwrap_or_else(|| panic!("{messages:?} in\n{text}"))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// Every policy of the repository that has no errors, with its name.
#[allow(dead_code, reason = "not every test needs it")]
pub fn all() -> Vec<(String, Library)> {
    let mut out = Vec::new();
    for folder in [
        "examples",
        "stdlib-contracts",
        "tests/ui",
        "compiler/words/tests",
    ] {
        for path in files(folder, ".ctr") {
            let name = path.to_string_lossy().into_owned();
            let compiled = ctr_front::compile(&DiskWorld, std::slice::from_ref(&name));
            if let Some(library) = compiled.library {
                out.push((name, library));
            }
        }
    }
    for folder in ["tests/conformance", "tests/cases"] {
        for path in files(folder, ".case") {
            let text = fs::read_to_string(&path).unwrap();
            let mut world = MemoryWorld::new();
            for section in text
                .split("\n### ")
                .flat_map(|s| s.strip_prefix("### ").or(Some(s)))
            {
                let (name, body) = section.split_once('\n').unwrap_or((section, ""));
                world.insert(name.trim(), body.as_bytes());
            }
            let compiled = ctr_front::compile(&world, &["policy.ctr".to_owned()]);
            if let Some(library) = compiled.library {
                out.push((path.to_string_lossy().into_owned(), library));
            }
        }
    }
    out
}
