//! Measuring on a machine that others use too: the fastest of several runs is reported, since
//! noise only ever adds.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The fastest of `runs` runs.
pub fn fastest<T>(runs: usize, mut run: impl FnMut() -> T) -> Duration {
    fastest_of(runs, || (), |()| run())
}

/// The fastest of `runs` runs, each of which is prepared apart from its time; what the run gives is
/// dropped apart from it too.
pub fn fastest_of<S, T>(
    runs: usize,
    mut prepare: impl FnMut() -> S,
    mut run: impl FnMut(S) -> T,
) -> Duration {
    (0..runs.max(1))
        .map(|_| {
            let state = prepare();
            let start = Instant::now();
            let result = black_box(run(black_box(state)));
            let time = start.elapsed();
            drop(result);
            time
        })
        .min()
        .unwrap_or_default()
}

/// Nanoseconds for each of `count` things.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "figures are printed with one digit"
)]
pub fn each(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / count.max(1) as f64
}

/// Whether to measure in earnest: cargo passes `--bench` from `cargo bench` and nothing from
/// `cargo test`, where one quick run shows that the benchmark works.
#[must_use]
pub fn in_earnest() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// A table that is printed and kept as CSV.
#[derive(Debug)]
pub struct Table {
    name: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(name: &'static str, columns: &[&'static str]) -> Self {
        Self {
            name,
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// As Markdown.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("\n### {}\n\n| {} |\n", self.name, self.columns.join(" | "));
        let _ = writeln!(out, "|{}", " --- |".repeat(self.columns.len()));
        for row in &self.rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        out
    }

    /// Writes `<folder of the build>/bench/<name>.csv`.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn save(&self) -> std::io::Result<PathBuf> {
        let folder = target().join("bench");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.csv", self.name.replace(' ', "-")));
        let mut out = self.columns.join(",") + "\n";
        for row in &self.rows {
            out += &(row.join(",") + "\n");
        }
        std::fs::write(&path, out)?;
        Ok(path)
    }
}

/// The build's folder: a benchmark's binary lies in `<target>/<profile>/deps`.
#[must_use]
pub fn target() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|exe| exe.ancestors().nth(3).map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from("target"))
}
