//! `ctrc.toml`, and levels by flags.
//!
//! | entry | where |
//! | --- | --- |
//! | 32 nested project files: wrong root, ignored child, parent's rules lost | `each_file_has_its_nearest_settings_from_wherever_it_is_run`, `what_is_left_out_adds_up` |
//! | 33 project file ignored in silence | `what_would_be_ignored_in_silence_is_told`, `wrong_settings_are_errors_with_their_place` |

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use ctr_tests::binary::{Run, run};
use serde_json::Value;
use tempfile::TempDir;

/// W0407 at 2:13.
pub const FIRST_STEP: &str = "contract c {\n  guarantee call a\n}\n";
/// Nothing.
pub const CLEAN: &str = "contract c {\n  guarantee never call a\n}\n";

/// A folder with files.
pub fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Runs `ctrc`; the time for proofs does not matter, however busy the machine is.
pub fn ctrc(folder: &Path, args: &[&str]) -> Run {
    let mut args = args.to_vec();
    if args.first() == Some(&"check") && !args.contains(&"--solver-timeout") {
        args.extend(["--solver-timeout", "100"]);
    }
    plainly(folder, &args)
}

fn plainly(folder: &Path, args: &[&str]) -> Run {
    run(folder, args, None, Duration::from_secs(200))
}

/// `severity[CODE] name:line:column` of what `check` finds, sorted; names without their folders.
pub fn found(folder: &Path, args: &[&str]) -> Vec<String> {
    let run = ctrc(folder, &[&["check", "--format", "json"], args].concat());
    listed(&run)
}

pub fn listed(run: &Run) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|e| panic!("{e}\n{}\n{}", run.stdout, run.stderr));
    let mut out: Vec<String> = all
        .iter()
        .map(|finding| {
            let spans = finding["spans"].as_array().unwrap();
            let at = spans.iter().find(|s| s["primary"] == true).unwrap();
            let name = at["path"].as_str().unwrap().rsplit('/').next().unwrap();
            format!(
                "{}[{}] {name}:{}:{}",
                finding["severity"].as_str().unwrap(),
                finding["code"].as_str().unwrap(),
                at["line"],
                at["column"]
            )
        })
        .collect();
    out.sort();
    out
}

#[test]
fn each_file_has_its_nearest_settings_from_wherever_it_is_run() {
    let project = project(&[
        ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n"),
        ("a.ctr", FIRST_STEP),
        ("between/b.ctr", FIRST_STEP),
        // The nearest counts wholly: nothing of the root's is left.
        ("sub/ctrc.toml", "[lints]\nW0408 = \"deny\"\n"),
        ("sub/c.ctr", FIRST_STEP),
        ("sub/deep/d.ctr", FIRST_STEP),
        ("quiet/ctrc.toml", "[lints]\nwarnings = \"allow\"\n"),
        ("quiet/e.ctr", FIRST_STEP),
    ]);
    let root = project.path();
    let at = |name: &str| root.join(name).to_string_lossy().into_owned();
    let error = |name: &str| format!("error[W0407] {name}:2:13");
    let warning = |name: &str| format!("warning[W0407] {name}:2:13");
    let all = vec![
        error("a.ctr"),
        error("b.ctr"),
        warning("c.ctr"),
        warning("d.ctr"),
    ];

    let elsewhere = tempfile::tempdir().unwrap();
    let whole = root.to_string_lossy().into_owned();
    assert_eq!(found(root, &[]), all);
    assert_eq!(found(root, &["."]), all);
    assert_eq!(found(&root.join("sub"), &[".."]), all);
    assert_eq!(found(elsewhere.path(), &[&whole]), all);

    // One file, by every way to it.
    for (name, wanted) in [
        ("a.ctr", vec![error("a.ctr")]),
        ("between/b.ctr", vec![error("b.ctr")]),
        ("sub/c.ctr", vec![warning("c.ctr")]),
        ("sub/deep/d.ctr", vec![warning("d.ctr")]),
        ("quiet/e.ctr", vec![]),
    ] {
        let (folder, file) = name.rsplit_once('/').unwrap_or((".", name));
        let up = "../".repeat(name.matches('/').count());
        let here = root.join(folder);
        assert_eq!(found(root, &[name]), wanted, "{name}");
        assert_eq!(found(&here, &[file]), wanted, "{name}");
        assert_eq!(found(&here, &[&format!("{up}{name}")]), wanted, "{name}");
        let from_sub = found(&root.join("sub"), &[&format!("../{name}")]);
        assert_eq!(from_sub, wanted, "{name}");
        assert_eq!(found(elsewhere.path(), &[&at(name)]), wanted, "{name}");
    }

    // Files of one library each have their own.
    fs::write(
        root.join("sub/f.ctr"),
        FIRST_STEP.replace("contract c", "contract f"),
    )
    .unwrap();
    let both = found(root, &["a.ctr", "sub/f.ctr"]);
    assert!(both.contains(&error("a.ctr")), "{both:?}");
    assert!(both.contains(&warning("f.ctr")), "{both:?}");
}

#[cfg(unix)]
#[test]
fn a_link_has_the_settings_of_where_it_stands() {
    let project = project(&[
        ("one/ctrc.toml", "[lints]\nW0407 = \"deny\"\n"),
        ("one/a.ctr", FIRST_STEP),
        ("two/ctrc.toml", "[lints]\nW0407 = \"note\"\n"),
    ]);
    let root = project.path();
    std::os::unix::fs::symlink("../one/a.ctr", root.join("two/b.ctr")).unwrap();
    std::os::unix::fs::symlink("one", root.join("three")).unwrap();
    assert_eq!(found(root, &["two/b.ctr"]), ["note[W0407] b.ctr:2:13"]);
    assert_eq!(found(root, &["three/a.ctr"]), ["error[W0407] a.ctr:2:13"]);
}

#[test]
fn an_included_file_has_its_own_settings() {
    let project = project(&[
        ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n"),
        ("main.ctr", "include \"lib/a.ctr\"\n"),
        ("lib/ctrc.toml", "[lints]\nW0407 = \"note\"\n"),
        ("lib/a.ctr", FIRST_STEP),
    ]);
    let found = found(project.path(), &["main.ctr"]);
    assert_eq!(found, ["note[W0407] a.ctr:2:13"]);
}

#[test]
fn what_is_left_out_adds_up() {
    let project = project(&[
        (
            "ctrc.toml",
            "[files]\nexclude = [\"gen/\", \"*.draft.ctr\", \"sub/old.ctr\"]\n",
        ),
        ("a.ctr", FIRST_STEP),
        ("b.draft.ctr", FIRST_STEP),
        ("gen/c.ctr", FIRST_STEP),
        ("sub/ctrc.toml", "[files]\nexclude = [\"/mine.ctr\"]\n"),
        ("sub/old.ctr", FIRST_STEP),
        ("sub/mine.ctr", FIRST_STEP),
        ("sub/d.ctr", FIRST_STEP),
        ("sub/gen/e.ctr", FIRST_STEP),
    ]);
    let root = project.path();
    let names = |found: Vec<String>| -> BTreeSet<String> {
        found
            .iter()
            .map(|f| f.split([' ', ':']).nth(1).unwrap().to_owned())
            .collect()
    };
    let set =
        |names: &[&str]| -> BTreeSet<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    assert_eq!(names(found(root, &[])), set(&["a.ctr", "d.ctr"]));
    assert_eq!(names(found(root, &["sub"])), set(&["d.ctr"]));
    assert_eq!(names(found(&root.join("sub"), &[])), set(&["d.ctr"]));
    // What is named is taken, a folder too.
    assert_eq!(names(found(root, &["b.draft.ctr"])), set(&["b.draft.ctr"]));
    assert_eq!(names(found(root, &["gen"])), set(&["c.ctr"]));
    assert_eq!(
        names(found(root, &["--no-config"])),
        set(&[
            "a.ctr",
            "b.draft.ctr",
            "c.ctr",
            "old.ctr",
            "mine.ctr",
            "d.ctr",
            "e.ctr"
        ])
    );
    // `fmt` leaves out the same.
    let run = ctrc(root, &["fmt", "--check", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("2 are formatted"), "{}", run.stderr);

    fs::write(root.join("ctrc.toml"), "[files]\nexclude = [\"*.ctr\"]\n").unwrap();
    let run = ctrc(root, &["check"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("are left out by the settings"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_would_be_ignored_in_silence_is_told() {
    for (settings, wanted, help) in [
        (
            "[lint]\nW0407 = \"deny\"\n",
            "warning[W0805] ctrc.toml:1:2",
            "did you mean `lints`?",
        ),
        (
            "[check]\n\nsolver_timeout = 1\n",
            "warning[W0805] ctrc.toml:3:1",
            "did you mean `solver-timeout`?",
        ),
        (
            "  W0407 = \"deny\"\n",
            "warning[W0805] ctrc.toml:1:3",
            "`W0407` stands below `[lints]`",
        ),
        (
            "[lints]\nW0470 = \"deny\"\n",
            "warning[W0801] ctrc.toml:2:1",
            "did you mean `W0407`?",
        ),
        (
            "[lints]\nE0701 = \"allow\"\n",
            "warning[W0802] ctrc.toml:2:1",
            "levels are for warnings",
        ),
    ] {
        let project = project(&[("ctrc.toml", settings), ("sub/a.ctr", CLEAN)]);
        let root = project.path();
        assert_eq!(found(root, &["sub/a.ctr"]), [wanted], "{settings}");
        let run = ctrc(&root.join("sub"), &["check"]);
        assert_eq!(run.code, Some(0));
        assert!(run.stderr.contains(help), "{settings}\n{}", run.stderr);
        assert!(run.stderr.contains("../ctrc.toml:"), "{}", run.stderr);
        // They are warnings like others.
        let run = ctrc(root, &["check", "--deny-warnings", "sub/a.ctr"]);
        assert_eq!(run.code, Some(1));
        let code = &wanted[8..13];
        assert!(found(root, &["-A", code, "sub/a.ctr"]).is_empty());
    }
    // Under another name, or in another folder.
    for name in [".ctrc.toml", "ctrc.yaml", "ctr.toml", "Ctrc.toml"] {
        let project = project(&[(name, "[lints]\n"), ("a.ctr", CLEAN)]);
        assert_eq!(
            found(project.path(), &["a.ctr"]),
            [format!("warning[W0806] {name}:1:1")]
        );
    }
    let project = project(&[
        ("settings/ctrc.toml", "[lints]\n"),
        ("policies/a.ctr", CLEAN),
    ]);
    assert_eq!(found(project.path(), &[]), ["warning[W0806] ctrc.toml:1:1"]);
}

#[test]
fn wrong_settings_are_errors_with_their_place() {
    for (settings, wanted) in [
        ("[lints\n", "error[E0800] ctrc.toml:1:7"),
        ("[lints]\nW0407 = deny\n", "error[E0800] ctrc.toml:2:9"),
        ("[lints]\nW0407 = \"error\"\n", "error[E0801] ctrc.toml:2:9"),
        (
            "[check]\nsolver-timeout = \"1\"\n",
            "error[E0801] ctrc.toml:2:18",
        ),
        (
            "[files]\nexclude = [\n  \"a\",\n  \"b[\",\n]\n",
            "error[E0801] ctrc.toml:4:3",
        ),
    ] {
        let project = project(&[("ctrc.toml", settings), ("a.ctr", CLEAN), ("s.jsonl", "")]);
        let root = project.path();
        let code = |args: &[&str]| ctrc(root, args).code;
        let run = ctrc(root, &["check", "--format", "json", "a.ctr"]);
        assert_eq!(listed(&run), [wanted], "{settings}");
        assert_eq!(run.code, Some(1), "{settings}");
        assert_eq!(code(&["build", "a.ctr"]), Some(1));
        assert!(!root.join("a.ctrb").exists());
        assert_eq!(code(&["test"]), Some(2));
        assert_eq!(code(&["fmt", "a.ctr"]), Some(2));
        assert_eq!(code(&["replay", "-l", "a.ctr", "s.jsonl"]), Some(2));
        assert_eq!(code(&["check", "--no-config", "a.ctr"]), Some(0));
    }
}

#[test]
fn levels() {
    let project = project(&[
        (
            "ctrc.toml",
            "[lints]\nwarnings = \"deny\"\nW0407 = \"note\"\n",
        ),
        (
            "a.ctr",
            "contract c {\n  let x = 1\n  guarantee call a\n}\n",
        ),
        ("other.toml", "[lints]\nW0408 = \"note\"\n"),
    ]);
    let root = project.path();
    let of = |severity: [&str; 2]| {
        let mut all: Vec<String> = [
            ("W0407", "3:13", severity[0]),
            ("W0408", "2:7", severity[1]),
        ]
        .iter()
        .filter(|(_, _, severity)| !severity.is_empty())
        .map(|(code, at, severity)| format!("{severity}[{code}] a.ctr:{at}"))
        .collect();
        all.sort();
        all
    };
    for (args, wanted, exit) in [
        (vec![], ["note", "error"], 1),
        // Flags come after the file, and the last counts.
        (vec!["-W", "W0408"], ["note", "warning"], 0),
        (vec!["-A", "W0408", "-D", "W0407"], ["error", ""], 1),
        (vec!["-D", "W0408", "-A", "W0408"], ["note", ""], 0),
        (vec!["-A", "W0408,W0407", "-W", "W0407"], ["warning", ""], 0),
        // What is said of a code counts before what is said of all.
        (vec!["-W", "warnings"], ["note", "warning"], 0),
        (vec!["-A", "W0408", "-D", "warnings"], ["note", ""], 0),
        (vec!["--no-config"], ["warning", "warning"], 0),
        (
            vec!["--no-config", "--deny-warnings"],
            ["warning", "warning"],
            1,
        ),
        (
            vec!["--no-config", "--deny=warnings", "--warn=W0407"],
            ["warning", "error"],
            1,
        ),
        (vec!["--config", "other.toml"], ["warning", "note"], 0),
    ] {
        let args = [&["check", "--format", "json", "a.ctr"], args.as_slice()].concat();
        let run = ctrc(root, &args);
        assert_eq!(listed(&run), of(wanted), "{args:?}");
        assert_eq!(run.code, Some(exit), "{args:?}");
    }
    for (args, told) in [
        (
            vec!["-D", "w0407"],
            "there is no code `w0407`; did you mean `W0407`?",
        ),
        (vec!["-A", "W9999"], "there is no code `W9999`\n"),
        (vec!["-A", "E0401"], "`E0401` is an error and stays one"),
        (
            vec!["--config", "none.toml"],
            "none.toml: no such file or folder",
        ),
        (
            vec!["--config", "other.toml", "--no-config"],
            "cannot be used with",
        ),
    ] {
        let run = ctrc(root, &[&["check", "a.ctr"], args.as_slice()].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(told), "{args:?}\n{}", run.stderr);
    }
}

#[test]
fn what_is_denied_is_not_built_but_judges_sessions() {
    let project = project(&[
        ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n"),
        (
            "a.ctr",
            "contract c {\n  guarantee call a\n}\ntest \"t\" {\n  call a() expect allow\n}\n",
        ),
        (
            "s.jsonl",
            "{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"a\",\"args\":{}}\n",
        ),
    ]);
    let root = project.path();
    let run = ctrc(root, &["build", "a.ctr"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(!root.join("a.ctrb").exists());
    assert_eq!(ctrc(root, &["test", "a.ctr"]).code, Some(2));
    let run = ctrc(root, &["test", "-A", "W0407", "a.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = ctrc(root, &["build", "-A", "W0407", "a.ctr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = ctrc(root, &["replay", "-l", "a.ctr", "s.jsonl"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("warning[W0407]"), "{}", run.stderr);
    fs::write(root.join("ctrc.toml"), "[lints]\nW0407 = \"allow\"\n").unwrap();
    let run = ctrc(root, &["replay", "-l", "a.ctr", "s.jsonl"]);
    assert!(!run.stderr.contains("W0407"), "{}", run.stderr);
}

#[test]
fn limits_are_those_of_the_first_policy() {
    let policy = "contract c {\n  guarantee call a at most 5 times\n}\n";
    let project = project(&[
        ("ctrc.toml", "[check]\nmax-states = 2\n"),
        ("sub/a.ctr", policy),
        ("free/ctrc.toml", ""),
        ("free/a.ctr", policy),
    ]);
    let root = project.path();
    let code = |args: &[&str]| ctrc(root, args).code;
    assert_eq!(code(&["check", "sub/a.ctr"]), Some(1));
    assert_eq!(code(&["build", "sub/a.ctr"]), Some(1));
    assert_eq!(
        code(&["build", "--max-states", "100", "sub/a.ctr"]),
        Some(0)
    );
    assert_eq!(code(&["check", "free/a.ctr"]), Some(0));
    assert_eq!(code(&["check", "--no-config", "sub/a.ctr"]), Some(0));
}

#[test]
fn an_open_question_is_one_however_it_is_told() {
    let policy = "contract a {\n  guarantee call x at most 3 times\n}\ncontract b {\n  guarantee call y only after call x\n}\n";
    let project = project(&[
        (
            "ctrc.toml",
            "[check]\nsolver-timeout = 0\n[lints]\nW0407 = \"note\"\n",
        ),
        ("a.ctr", policy),
        ("first.ctr", FIRST_STEP),
    ]);
    let root = project.path();
    let code = |args: &[&str]| plainly(root, &[&["check"], args].concat()).code;
    let run = plainly(root, &["check", "--format", "json", "a.ctr"]);
    assert_eq!(run.code, Some(4), "{}", run.stdout);
    assert!(run.stdout.contains("W0700"));
    assert_eq!(code(&["--solver-timeout", "30", "a.ctr"]), Some(0));
    assert_eq!(code(&["-A", "W0700", "a.ctr"]), Some(0));
    assert_eq!(code(&["-W", "W0700", "a.ctr"]), Some(4));
    assert_eq!(code(&["-D", "W0700", "a.ctr"]), Some(1));
    // A warning that is told as a note is no open question.
    assert_eq!(code(&["--solver-timeout", "30", "first.ctr"]), Some(0));
}

#[test]
fn the_width_of_formatted_policies() {
    let long = "contract c {\n  guarantee call aaaaaaaaaaaaaaaa only after (call bbbbbbbbbbbb or call cccccccccc)\n}\n";
    let project = project(&[
        (
            "ctrc.toml",
            "[fmt]\nwidth = 40\n[files]\nexclude = [\"gen/\"]\n",
        ),
        ("a.ctr", long),
    ]);
    let root = project.path();
    let pipe = |args: &[&str]| {
        let args = [&["fmt", "--stdin-filename"], args].concat();
        let run = run(root, &args, Some(long.as_bytes()), Duration::from_secs(30));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    let narrow = pipe(&["a.ctr"]);
    assert!(narrow.lines().count() > 3, "{narrow}");
    assert_eq!(pipe(&["a.ctr", "--no-config"]), long);
    assert_eq!(pipe(&["a.ctr", "--width", "120"]), long);
    // A file that is left out passes through.
    assert_eq!(pipe(&["gen/x/a.ctr"]), long);
    assert_eq!(ctrc(root, &["fmt", "a.ctr"]).code, Some(0));
    assert_eq!(fs::read_to_string(root.join("a.ctr")).unwrap(), narrow);
}
