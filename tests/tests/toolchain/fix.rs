//! `ctrc check --fix`.
//!
//! | entry | where |
//! | --- | --- |
//! | 49 two fixes undo each other for ever | `changes_that_undo_each_other_end` in `compiler/front/src/fix/tests.rs`; `nothing_gets_worse` |
//! | 49 a fix makes a syntax error | `nothing_gets_worse`, `what_would_be_worse_is_not_done` |

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use ctr_front::fix::{Ended, Judged};
use ctr_front::suppress::{self, Unused};
use ctr_front::world::{DiskWorld, World};

use crate::config::{CLEAN, ctrc, found, project};

const MISSPELT: &str =
    "tool refund(amount: number)\ncontract c {\n  guarantee never call refnd\n}\n";

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn safe_ones_are_made_and_the_rest_is_told() {
    let text = "// head\r\ncontract c {\r\n  guarantee never call a /* x */ ; // tail\r\n}\r\ncontract d {\r\n  guarantee never cal b\r\n}\r\n";
    let project = project(&[("a.ctr", text), ("b.ctr", MISSPELT)]);
    let root = project.path();
    let shown = ctrc(root, &["check", "--fix", "--diff", "."]);
    assert_eq!(shown.code, Some(1), "{}", shown.stderr);
    assert!(
        shown.stdout.starts_with("--- a.ctr\n+++ a.ctr\n@@ "),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("+  guarantee never call b"),
        "{}",
        shown.stdout
    );
    assert_eq!(read(root, "a.ctr"), text, "--diff writes nothing");

    let run = ctrc(root, &["check", "--fix", "--format", "json", "."]);
    // What remains is an error, and standard output is the findings that remain.
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("E0401") && !run.stdout.contains("E0022"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("fixed a.ctr: "), "{}", run.stderr);
    assert!(run.stderr.contains("`--unsafe-fixes`"), "{}", run.stderr);
    let fixed = read(root, "a.ctr");
    assert_eq!(
        fixed.replace("\r\n", "\n"),
        "// head\ncontract c {\n  guarantee never call a /* x */  // tail\n}\ncontract d {\n  guarantee never call b\n}\n"
    );
    assert_eq!(fixed.matches('\n').count(), fixed.matches("\r\n").count());
    assert_eq!(read(root, "b.ctr"), MISSPELT);
    assert!(found(root, &["a.ctr"]).is_empty());

    let run = ctrc(root, &["check", "--fix", "--unsafe-fixes", "b.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(read(root, "b.ctr"), MISSPELT.replace("refnd", "refund"));
    let again = ctrc(root, &["check", "--fix", "--unsafe-fixes", "--diff", "."]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""));
    assert!(
        again.stderr.contains("no fixes to make"),
        "{}",
        again.stderr
    );
}

#[test]
fn what_would_be_worse_is_not_done() {
    // No event is a call of two tools: once it can be read, the contract has other errors.
    let text = "contract c {\n  guarantee never call a;\n}\ncontract d {\n  guarantee always (call a && call b && nme)\n}\n";
    let project = project(&[("a.ctr", text)]);
    let root = project.path();
    let before = found(root, &["a.ctr"]);
    let run = ctrc(root, &["check", "--fix", "a.ctr"]);
    assert_eq!(run.code, Some(1));
    let after = found(root, &["a.ctr"]);
    let errors = |all: &[String]| all.iter().filter(|f| f.starts_with("error")).count();
    assert!(errors(&after) < errors(&before), "{before:?}\n{after:?}");
    assert!(
        !read(root, "a.ctr").contains(';'),
        "{}",
        read(root, "a.ctr")
    );
}

#[test]
fn only_what_was_named_is_touched() {
    let broken = "contract lib {\n  guarantee never call b;\n}\n";
    let project = project(&[
        (
            "main.ctr",
            "include \"lib.ctr\"\ncontract c {\n  guarantee never call a;\n}\n",
        ),
        ("lib.ctr", broken),
        ("tools.json", "[]"),
    ]);
    let root = project.path();
    let run = ctrc(root, &["check", "--fix", "main.ctr"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(read(root, "lib.ctr"), broken);
    assert!(!read(root, "main.ctr").contains(';'));
    let run = ctrc(root, &["check", "--fix", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!read(root, "lib.ctr").contains(';'));
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let broken = "contract lib {\n  guarantee never call b;\n}\n";
    let project = project(&[("real/a.ctr", broken), ("b.ctr", broken)]);
    let root = project.path();
    fs::set_permissions(root.join("real/a.ctr"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real/a.ctr", root.join("link.ctr")).unwrap();
    let run = ctrc(root, &["check", "--fix", "link.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        fs::symlink_metadata(root.join("link.ctr"))
            .unwrap()
            .is_symlink()
    );
    let meta = fs::metadata(root.join("real/a.ctr")).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    assert!(!read(root, "real/a.ctr").contains(';'));
    // A file that may not be written is told, and left.
    fs::set_permissions(root.join("b.ctr"), fs::Permissions::from_mode(0o444)).unwrap();
    let run = ctrc(root, &["check", "--fix", "b.ctr"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("b.ctr: not changed: the file is read-only"),
        "{}",
        run.stderr
    );
    assert_eq!(read(root, "b.ctr"), broken);
}

#[test]
fn flags_that_ask_for_nothing() {
    let project = project(&[("a.ctr", CLEAN)]);
    for args in [
        vec!["check", "--diff", "a.ctr"],
        vec!["check", "--unsafe-fixes", "a.ctr"],
        vec!["check", "--fix", "--witness", "a.ctr"],
    ] {
        assert_eq!(ctrc(project.path(), &args).code, Some(2), "{args:?}");
    }
}

/// Every policy below these folders of the repository.
fn corpus() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![
        tests.join("ui"),
        tests.join("cases"),
        tests.join("conformance"),
        tests.join("../examples"),
    ];
    let mut out = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "ctr") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// What is found without proofs and automata, comments laid over it.
fn judge(world: &dyn World, path: &str) -> Judged {
    let compiled = ctr_front::compile(world, &[path.to_owned()]);
    let codes: Vec<&str> = ctr_front::codes::all().map(|doc| doc.code).collect();
    let applied = suppress::read(&compiled.graph, &codes).apply(compiled.diagnostics, &|code| {
        !("W0600"..="W0799").contains(&code)
    });
    let mut diagnostics = applied.diagnostics;
    diagnostics.extend(applied.unused.iter().map(Unused::finding));
    Judged {
        sources: compiled.graph.sources,
        diagnostics,
    }
}

#[test]
fn nothing_gets_worse() {
    let corpus = corpus();
    assert!(corpus.len() > 150, "only {} files", corpus.len());
    let mut changed = 0;
    for path in &corpus {
        let name = path.to_string_lossy().into_owned();
        for unsafe_too in [false, true] {
            let before = judge(&DiskWorld, &name);
            let editable = BTreeSet::from([DiskWorld.canonical(&name)]);
            let fix = |start| {
                ctr_front::fix::fix(&DiskWorld, start, &editable, unsafe_too, &mut |world| {
                    Ok::<_, Infallible>(judge(world, &name))
                })
                .unwrap()
            };
            let outcome = fix(std::collections::BTreeMap::new());
            assert_eq!(outcome.ended, Ended::Done, "{name}");
            assert!(!ctr_front::fix::worse(&before, &outcome.judged), "{name}");
            let errors = |judged: &Judged| {
                judged
                    .diagnostics
                    .iter()
                    .filter(|d| d.code.starts_with('E'))
                    .count()
            };
            let fewer = errors(&outcome.judged) < errors(&before);
            assert!(errors(&outcome.judged) <= errors(&before), "{name}");
            assert!(
                fewer || outcome.judged.diagnostics.len() <= before.diagnostics.len(),
                "{name}"
            );
            for (file, text) in &outcome.files {
                assert!(editable.contains(file), "{name}: {file}");
                assert_ne!(text.old, text.new, "{name}");
                assert_eq!(text.old, fs::read_to_string(file).unwrap(), "{name}");
                // Comments are kept, but those that allowed nothing; `#` becomes a comment.
                if !text.old.contains("ctrc: allow") && !text.old.contains("error[E0069]") {
                    let comments =
                        |text: &str| text.matches("//").count() - text.matches("://").count();
                    // Comments of other languages become some.
                    assert!(comments(&text.old) <= comments(&text.new), "{}", text.new);
                }
                changed += 1;
            }
            let again = fix(outcome.files.clone());
            assert_eq!(again.made, [], "{name}");
            assert_eq!(again.files, outcome.files, "{name}");
        }
    }
    assert!(changed > 30, "only {changed} files were changed");
}
