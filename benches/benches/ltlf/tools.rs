//! Running the tools that are here: `ctrc`, and MONA where it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use ctr_bench::Failure;
use ctr_bench::measure::target;

use crate::peers::{Instance, Task};
use crate::process::{self, End, Run};

/// What a tool made of a formula, the fastest of its runs.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) end: End,
    /// Seconds of the fastest run and of the slowest.
    pub(crate) fastest: f64,
    pub(crate) slowest: f64,
    pub(crate) runs: usize,
    pub(crate) peak_kb: u64,
    /// What the fastest run printed.
    out: String,
    solved: bool,
}

impl Measured {
    /// Whether it answered.
    pub(crate) fn solved(&self) -> bool {
        self.solved
    }

    /// A line of figures of `ctrc`: what stands after the name.
    pub(crate) fn line(&self, name: &str) -> Option<&str> {
        self.out.lines().find_map(|line| {
            let value = line.strip_prefix(name)?;
            value.starts_with(' ').then(|| value.trim())
        })
    }

    /// The number at the beginning of a line of figures.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.line(name)?.split(' ').next()?.parse().ok()
    }

    /// The sum of times of phases, in seconds.
    pub(crate) fn seconds(&self, phases: &[&str]) -> Option<f64> {
        phases
            .iter()
            .map(|name| self.line(name)?.split(' ').next()?.parse::<f64>().ok())
            .sum()
    }

    /// Members of the first core.
    pub(crate) fn core(&self) -> Option<usize> {
        let line = self.out.lines().find_map(|l| l.strip_prefix("core 1: "))?;
        line.split(' ').next()?.parse().ok()
    }

    /// States of the automaton that MONA ends with: the last pair of its statistics.
    pub(crate) fn mona_states(&self) -> Option<usize> {
        let end = self.out.rsplit("-> (").next()?;
        end.split(',').next()?.parse().ok()
    }

    /// A word for why there is no answer.
    pub(crate) fn failure(&self) -> &'static str {
        match self.end {
            End::Time => "time",
            End::Exit(4) => "limit",
            End::Signal(_) | End::Exit(_) => {
                let memory = ["memory", "alloc", "Memory"];
                if memory.iter().any(|word| self.out.contains(word)) {
                    "memory"
                } else {
                    "failed"
                }
            }
        }
    }
}

/// The tools.
#[derive(Debug)]
pub(crate) struct Tools {
    ctrc: PathBuf,
    /// Its version, where it is installed.
    pub(crate) mona: Option<String>,
    folder: PathBuf,
    quick: bool,
}

impl Tools {
    /// Builds `ctrc` and looks for MONA. With `quick` everything runs once.
    ///
    /// # Errors
    ///
    /// Where `ctrc` cannot be built.
    pub(crate) fn new(quick: bool) -> Result<Self, Failure> {
        let target = target();
        let built = Command::new(env!("CARGO"))
            .args(["build", "--release", "-q", "-p", "ctrc", "--target-dir"])
            .arg(&target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()?;
        if !built.success() {
            return Err("ctrc was not built".into());
        }
        let folder = target.join("bench").join("ltlf");
        std::fs::create_dir_all(&folder)?;
        // MONA has no flag for its version; it tells it with the usage.
        let mona = Command::new("mona").output().ok().and_then(|output| {
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told).into_owned();
            let version = told.split_whitespace().find_map(|w| w.strip_prefix('v'));
            version.map(str::to_owned)
        });
        Ok(Self {
            ctrc: target.join("release").join("ctrc"),
            mona,
            folder,
            quick,
        })
    }

    /// `ctrc` on a formula.
    ///
    /// # Errors
    ///
    /// Where it cannot be started.
    pub(crate) fn ctrc(&self, instance: &Instance) -> Result<Measured, Failure> {
        let verb = match instance.task {
            Task::Translate => "dfa",
            Task::Sat => "sat",
            Task::Core => "cores",
        };
        let command = [
            self.ctrc.to_string_lossy().into_owned(),
            "ltlf".to_owned(),
            verb.to_owned(),
            instance.path.to_string_lossy().into_owned(),
        ];
        self.measure(&command, |run| {
            let whole = !run.out.lines().any(|line| line.starts_with("stopped "));
            matches!(run.end, End::Exit(0 | 1)) && run.out.starts_with("result ") && whole
        })
    }

    /// MONA on a formula: the automaton alone, without looking for traces in it.
    ///
    /// # Errors
    ///
    /// Where it cannot be started or the formula cannot be written for it.
    pub(crate) fn mona(&self, instance: &Instance) -> Result<Measured, Failure> {
        let text = std::fs::read_to_string(&instance.path)?;
        let kind = ctrc::ltlf::Kind::of_path(&instance.path).unwrap_or(ctrc::ltlf::Kind::Ltlf);
        let written = ctrc::ltlf::mona(&text, kind)
            .map_err(|error| format!("{}: {error}", instance.path.display()))?;
        let program = self.folder.join("formula.mona");
        std::fs::write(&program, written.program)?;
        let command = ["mona", "-q", "-n", "-s"].map(str::to_owned);
        let mut command = command.to_vec();
        command.push(program.to_string_lossy().into_owned());
        self.measure(&command, |run| {
            run.end == End::Exit(0) && run.out.contains("Maximum number of automata")
        })
    }

    /// The fastest of several runs where they are quick, of one where they are not.
    fn measure(
        &self,
        command: &[String],
        solved: impl Fn(&Run) -> bool,
    ) -> Result<Measured, Failure> {
        let scratch: &Path = &self.folder.join("out.txt");
        let first = process::run(command, scratch)?;
        let more = match first.wall.as_secs_f64() {
            _ if self.quick => 0,
            seconds if seconds < 0.25 => 6,
            seconds if seconds < 2.5 => 2,
            _ => 0,
        };
        let mut runs = vec![first];
        for _ in 0..more {
            runs.push(process::run(command, scratch)?);
        }
        let walls = runs.iter().map(|run| run.wall.as_secs_f64());
        let slowest = walls.fold(0.0, f64::max);
        let peak_kb = runs.iter().map(|run| run.peak_kb).max().unwrap_or(0);
        let count = runs.len();
        let Some(fastest) = runs.into_iter().min_by_key(|run| run.wall) else {
            return Err("nothing ran".into());
        };
        Ok(Measured {
            end: fastest.end,
            fastest: fastest.wall.as_secs_f64(),
            slowest,
            runs: count,
            peak_kb,
            solved: solved(&fastest),
            out: fastest.out,
        })
    }
}
