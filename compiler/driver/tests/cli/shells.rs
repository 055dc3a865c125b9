//! Completions and manual pages: generated, the same every time, and tried in the programs that read them.

use std::fs;
use std::process::{Command, Stdio};

use crate::desk::{Desk, finish};

const SHELLS: [&str; 6] = ["bash", "elvish", "fish", "nushell", "powershell", "zsh"];

#[test]
fn scripts_are_stable_and_whole() {
    let desk = Desk::new();
    for shell in SHELLS {
        let first = desk.run(&["completions", shell]).exits(0).out;
        // Nothing of the environment gets in.
        let mut command = desk.command(&["completions", shell]);
        command
            .env("CTRC_FORMAT", "json")
            .env("CTRC_COLOR", "always");
        assert_eq!(finish(command, b"").out, first, "{shell}");
        for word in ["replay", "cores", "solver-timeout", "watch", "completions"] {
            assert!(first.contains(word), "{shell}: {word}");
        }
    }
}

/// The words that Bash offers for a line whose last word is begun.
fn offered(desk: &Desk, line: &[&str]) -> Vec<String> {
    let words = line
        .iter()
        .map(|word| format!("'{word}'"))
        .collect::<Vec<_>>()
        .join(" ");
    let script = format!(
        "source ./ctrc.bash\nCOMP_WORDS=({words})\nCOMP_CWORD={at}\n\
         _ctrc ctrc '{current}' '{before}' 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        at = line.len() - 1,
        current = line[line.len() - 1],
        before = line[line.len() - 2],
    );
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .current_dir(desk.path("."))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[cfg(unix)]
#[test]
fn bash_completes() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("SKIPPED: there is no bash");
        return;
    }
    let desk = Desk::new();
    desk.write("ctrc.bash", desk.run(&["completions", "bash"]).out);
    assert_eq!(offered(&desk, &["ctrc", "rep"]), ["replay"]);
    assert_eq!(
        offered(&desk, &["ctrc", "check", "--solv"]),
        ["--solver-timeout"]
    );
    assert_eq!(
        offered(&desk, &["ctrc", "check", "--format", "s"]),
        ["sarif"]
    );
    assert_eq!(offered(&desk, &["ctrc", "ltlf", "co"]), ["cores"]);
    assert_eq!(offered(&desk, &["ctrc", "completions", "n"]), ["nushell"]);
    let verbs = offered(&desk, &["ctrc", ""]);
    for verb in ["check", "man", "init", "help"] {
        assert!(verbs.iter().any(|word| word == verb), "{verb}: {verbs:?}");
    }
}

/// Shells that read a script without running it say whether it is one.
#[test]
fn other_shells_read_their_scripts() {
    let desk = Desk::new();
    for (shell, check) in [("zsh", "-n"), ("fish", "--no-execute"), ("bash", "-n")] {
        let file = format!("script.{shell}");
        desk.write(&file, desk.run(&["completions", shell]).out);
        match Command::new(shell)
            .arg(check)
            .arg(desk.path(&file))
            .output()
        {
            Err(_) => println!("SKIPPED: there is no {shell}"),
            Ok(output) => assert!(
                output.status.success(),
                "{shell}: {}",
                String::from_utf8_lossy(&output.stderr)
            ),
        }
    }
}

#[test]
fn manual_pages() {
    let desk = Desk::new();
    let run = desk.run(&["man", "-o", "pages"]).exits(0);
    let mut names: Vec<String> = fs::read_dir(desk.path("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(
        run.err.contains(&format!("{} pages", names.len())),
        "{}",
        run.err
    );
    for name in ["ctrc.1", "ctrc-check.1", "ctrc-ltlf-cores.1", "ctrc-man.1"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    // One alone is the same, whatever the environment says.
    let mut command = desk.command(&["man", "ltlf", "cores"]);
    command
        .env("CTRC_FORMAT", "json")
        .env("CTRC_COLOR", "always");
    let alone = finish(command, b"").exits(0).out;
    assert_eq!(alone, desk.read("pages/ctrc-ltlf-cores.1"));
    for name in &names {
        let page = desk.read(&format!("pages/{name}"));
        assert!(
            page.contains(".SH NAME") && page.contains("EXIT STATUS"),
            "{name}"
        );
        assert!(page.contains("CTRC_COLOR"), "{name}: variables are told of");
        // What groff warns of would be shown wrong.
        let output = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww", "-z"])
            .arg(desk.path(&format!("pages/{name}")))
            .output();
        match output {
            Err(_) => println!("SKIPPED: there is no groff"),
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}"),
        }
    }
    desk.run(&["man", "check", "-o", "pages"]).exits(2);
}
