//! A C program against the static library: `session.c`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library beside this test.
fn built() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let deps = exe.parent().unwrap();
    let own = deps.parent().unwrap().join("libctr_runtime_c.a");
    if own.is_file() {
        return own;
    }
    // Cargo leaves it among the dependencies where it builds tests alone.
    let mut found: Vec<PathBuf> = std::fs::read_dir(deps)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libctr_runtime_c") && name.ends_with(".a")
        })
        .collect();
    found.sort_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
    found
        .pop()
        .expect("the static library is built with the tests")
}

#[test]
fn a_session_from_c() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if Command::new(&compiler).arg("--version").output().is_err() {
        // Without a C compiler there is nothing to test; CI has one.
        assert!(
            std::env::var_os("CI").is_none(),
            "`{compiler}` cannot be run"
        );
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("session");
    let policy = folder.path().join("pay.ctrb");
    std::fs::write(&policy, ctr_runtime::doc::artifact()).unwrap();
    let compiled = Command::new(&compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root.join("include"))
        .arg(root.join("tests/session.c"))
        .arg(built())
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let run = Command::new(&program).arg(&policy).output().unwrap();
    assert!(
        run.status.success(),
        "{:?}\n{}",
        run.status,
        String::from_utf8_lossy(&run.stderr)
    );
}
