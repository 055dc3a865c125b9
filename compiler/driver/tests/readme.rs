//! What the README shows is what compiles, and it says what it does.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::path::Path;
use std::process::Command;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    text.split_once(from).unwrap().1.split_once(to).unwrap().0
}

#[test]
fn the_program_is_the_example() {
    let readme = read("../../README.md");
    let example = read("examples/gate.rs");
    assert_eq!(
        between(&readme, "```rust\n", "```"),
        between(&example, "// README begins\n", "// README ends")
    );
}

#[test]
fn the_program_prints_what_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let ctrc = |args: &[&str]| {
        let status = Command::new(env!("CARGO_BIN_EXE_ctrc"))
            .current_dir(folder.path())
            .args(args)
            .output()
            .unwrap()
            .status;
        assert!(status.success(), "{args:?}");
    };
    ctrc(&["init", "."]);
    ctrc(&["build", "policy.ctr"]);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .current_dir(folder.path())
        .args(["run", "--quiet", "--example", "gate", "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "block\nidentity_before_refund: Verify the customer's identity first.\n\
         accepted once: success verify_identity(verified)\n"
    );
}
