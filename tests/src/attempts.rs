//! Tries of the command line with bad input: many small runs, one report.

use crate::binary::{Run, run};
use crate::cases::no_crash;
use crate::style::faults_of_output;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Faults of many runs in one temporary folder.
pub struct Attempts {
    dir: tempfile::TempDir,
    faults: Vec<String>,
    runs: usize,
}

impl Default for Attempts {
    fn default() -> Self {
        Self::new()
    }
}

impl Attempts {
    /// A fresh folder and no faults.
    ///
    /// # Panics
    /// Where no temporary folder can be made.
    #[must_use]
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
            faults: Vec::new(),
            runs: 0,
        }
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file (and the folders above it).
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, bytes).expect("a written file");
        path
    }

    /// Runs `ctrc ARGS` within 20 seconds; the exit code must be one of `codes`, and a message
    /// must name `file` where there is one and the code is not 0.
    pub fn run<S: AsRef<OsStr>>(&mut self, args: &[S], codes: &[i32], file: Option<&str>) -> Run {
        self.run_within(args, codes, file, Duration::from_secs(20))
    }

    /// As [`Attempts::run`], with another time limit.
    pub fn run_within<S: AsRef<OsStr>>(
        &mut self,
        args: &[S],
        codes: &[i32],
        file: Option<&str>,
        limit: Duration,
    ) -> Run {
        self.runs += 1;
        let got = run(self.dir.path(), args, None, limit);
        let shown: Vec<String> = args
            .iter()
            .map(|a| a.as_ref().to_string_lossy().chars().take(120).collect())
            .collect();
        let what = format!("ctrc {}", shown.join(" "));
        let before = self.faults.len();
        no_crash(&what, &got, &mut self.faults);
        if self.faults.len() > before {
            return got;
        }
        // Whatever is wrong with a policy, it is told in the style of `docs/messages.md`.
        for fault in faults_of_output(&got.stderr) {
            self.faults.push(format!("{what}: {fault}"));
        }
        let short = |text: &str| text.chars().take(1500).collect::<String>();
        if !got.code.is_some_and(|code| codes.contains(&code)) {
            self.faults.push(format!(
                "{what}: expected exit {codes:?}, got {:?}\n{}{}",
                got.code,
                short(&got.stdout),
                short(&got.stderr)
            ));
        } else if let Some(file) = file.filter(|_| got.code != Some(0)) {
            // A finding may be data of the verb; that a file is unreadable is a message.
            let told =
                got.stderr.contains(file) || (got.code == Some(1) && got.stdout.contains(file));
            if !told {
                self.faults.push(format!(
                    "{what}: exit {:?}, but no message names `{file}`\n{}{}",
                    got.code,
                    short(&got.stdout),
                    short(&got.stderr)
                ));
            }
        }
        got
    }

    /// Adds a fault where a condition does not hold.
    pub fn expect(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    /// Ends the test with one report.
    ///
    /// # Panics
    /// Where there are faults.
    pub fn finish(self) {
        assert!(
            self.faults.is_empty(),
            "{} faults in {} runs:\n\n{}",
            self.faults.len(),
            self.runs,
            self.faults.join("\n\n")
        );
    }
}

/// The `error` lines of a run with `--format github`, as (file, line, message).
#[must_use]
pub fn github_errors(got: &Run) -> Vec<(String, u64, String)> {
    let mut all = Vec::new();
    for line in got.stdout.lines().chain(got.stderr.lines()) {
        let Some(rest) = line.trim_start().strip_prefix("::error") else {
            continue;
        };
        let (head, message) = rest.split_once("::").unwrap_or((rest, ""));
        let property = |name: &str| {
            head.split(',')
                .find_map(|p| p.trim().strip_prefix(name)?.strip_prefix('='))
                .unwrap_or_default()
        };
        all.push((
            property("file").to_owned(),
            property("line").parse().unwrap_or(0),
            message.to_owned(),
        ));
    }
    all
}
