//! Running the program in a folder of its own.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }

    /// One object a line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }
}

/// A folder to work in.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With what `ctrc init` writes.
    pub(crate) fn started() -> Self {
        let desk = Self::new();
        desk.run(&["init"]).exits(0);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctrc"));
        command.args(args).current_dir(self.0.path());
        // With `CI` set every terminal counts as one that has colours.
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(name);
        }
        // What the caller of the tests has set is no part of them.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CTRC_") {
                command.env_remove(name);
            }
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Run {
        finish(self.command(args), input.as_bytes())
    }
}

pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may close it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) const GOOD: &str = "\
contract limit {
  guarantee call refund only if amount <= 500
}
";
pub(crate) const BAD: &str = "contract limit { guarantee call refund only if amount <= }\n";
/// A contract that promises nothing is warned about.
pub(crate) const WARNS: &str = "contract empty {\n}\n";

pub(crate) const CALM: &str = r#"{"kind":"call","id":"1","tool":"refund","args":{"amount":20}}
{"kind":"return","id":"1","status":"success","result":null}
"#;
pub(crate) const LARGE: &str = r#"{"kind":"call","id":"1","tool":"refund","args":{"amount":900}}
{"kind":"return","id":"1","status":"success","result":null}
"#;
