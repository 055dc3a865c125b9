//! What grading a file costs, as a multiple of what parsing it with `serde_json` alone costs: reading,
//! judging and reporting, in one thread, from bytes in memory.
//!
//! With `CTRC_BENCH_PHASE` (`serde`, `read`, `recorded` or `gated`) it does that one thing once, in the function
//! `counted`, so that instructions can be counted:
//! `valgrind --tool=callgrind --toggle-collect='*::counted' <the benchmark's binary> --bench`.
//!
//! The recorded sessions of `CTRC_BENCH_TRACES` against the retail library, and generated ones in the
//! native format against five rules.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use ctr_bench::measure::{Table, each, fastest, in_earnest};
use ctr_bench::sessions::{self, TRACES};
use ctr_bench::{Failure, five, library, retail};
use ctr_runtime::format::Library;
use ctr_runtime::session::Plan;
use ctr_trace::judge::Grader;
use ctr_trace::{detect, files};

/// The variable that names the one phase to run.
const PHASE: &str = "CTRC_BENCH_PHASE";

fn main() -> Result<(), Failure> {
    let mut table = Table::new(
        "grading",
        &[
            "sessions",
            "MB",
            "events",
            "serde_json (ns an event)",
            "read (ns)",
            "read and judge, recorded (ns)",
            "times serde_json",
            "read and judge, gated (ns)",
            "times serde_json",
        ],
    );
    let five = library(five::POLICY)?;
    let text = native(&five::sessions(400, 20_261_130));
    grade("five rules, generated", &five, &text, &mut table)?;
    let retail = Library::load(retail()?)?;
    let text = match std::env::var(TRACES) {
        Ok(paths) => fitting(&retail, &paths)?,
        Err(_) => native(&sessions::generated(200)),
    };
    grade("retail", &retail, &text, &mut table)?;
    show(&table)
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn show(table: &Table) -> Result<(), Failure> {
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    Ok(())
}

/// One session a line, as each stands in its file.
enum Texts {
    /// A text for each session, of several lines.
    Sessions(Vec<String>),
    /// All sessions in one text, a line each.
    Lines(String),
}

/// Sessions in the native format, each a text of its own.
fn native(sessions: &[ctr_trace::Session]) -> Texts {
    Texts::Sessions(sessions.iter().map(five::to_native).collect())
}

/// The lines of recordings whose sessions call only tools of the library.
fn fitting(library: &Library<'_>, paths: &str) -> Result<Texts, Failure> {
    let mut out = String::new();
    for path in paths.split(':').filter(|path| !path.is_empty()) {
        let text = files::read(path).map_err(|error| error.to_string())?;
        for line in text.lines() {
            let fits = detect::split(path, line)
                .ok()
                .and_then(|pieces| detect::read(pieces.first()?).ok())
                .is_some_and(|session| sessions::fits(library, &session));
            if fits {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(Texts::Lines(out))
}

fn grade(
    what: &str,
    library: &Library<'_>,
    texts: &Texts,
    table: &mut Table,
) -> Result<(), Failure> {
    let plan = Arc::new(Plan::new(library));
    let texts: Vec<&str> = match texts {
        Texts::Sessions(texts) => texts.iter().map(String::as_str).collect(),
        Texts::Lines(text) => vec![text.as_str()],
    };
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let read = |act: &mut dyn FnMut(&ctr_trace::Session)| {
        for text in &texts {
            for piece in detect::split("bench", text).unwrap_or_default() {
                if let Ok(session) = detect::read(&piece) {
                    act(&session);
                }
            }
        }
    };
    let mut events = 0;
    read(&mut |session| events += sessions::events(session).count());
    if let Ok(phase) = std::env::var(PHASE) {
        counted(&phase, &texts, &read, library, &plan);
        return Ok(());
    }
    let runs = if in_earnest() { 12 } else { 1 };
    let mut best = [Duration::MAX; 4];
    // Each round measures all, so that all meet the same noise.
    for _ in 0..runs {
        let times = [
            fastest(1, || {
                for line in texts.iter().flat_map(|text| text.lines()) {
                    black_box(serde_json::from_slice::<serde_json::Value>(line.as_bytes()).is_ok());
                }
            }),
            fastest(1, || {
                read(&mut |session| {
                    black_box(session);
                });
            }),
            fastest(1, || {
                let mut grader = Grader::new(library, &plan);
                read(&mut |session| {
                    black_box(grader.recorded(session).has_findings());
                });
            }),
            fastest(1, || {
                let mut grader = Grader::new(library, &plan);
                read(&mut |session| {
                    black_box(grader.gated(session).has_findings());
                });
            }),
        ];
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let [serde, read, recorded, gated] = best;
    let times = |time: Duration| format!("{:.2}", time.as_secs_f64() / serde.as_secs_f64());
    let ns = |time: Duration| format!("{:.0}", each(time, events));
    table.row(vec![
        what.to_owned(),
        format!("{:.1}", each(Duration::from_nanos(bytes as u64), 1_000_000)),
        events.to_string(),
        ns(serde),
        ns(read),
        ns(recorded),
        times(recorded),
        ns(gated),
        times(gated),
    ]);
    Ok(())
}

/// Reads all sessions, and does something with each.
type Reader<'r> = dyn Fn(&mut dyn FnMut(&ctr_trace::Session)) + 'r;

/// One phase once, under a name that a profiler finds.
#[inline(never)]
fn counted(
    phase: &str,
    texts: &[&str],
    read: &Reader<'_>,
    library: &Library<'_>,
    plan: &Arc<Plan>,
) {
    let mut grader = Grader::new(library, plan);
    match phase {
        "serde" => {
            for line in texts.iter().flat_map(|text| text.lines()) {
                black_box(serde_json::from_slice::<serde_json::Value>(line.as_bytes()).is_ok());
            }
        }
        "read" => read(&mut |session| {
            black_box(session);
        }),
        "recorded" => read(&mut |session| {
            black_box(grader.recorded(session).has_findings());
        }),
        _ => read(&mut |session| {
            black_box(grader.gated(session).has_findings());
        }),
    }
}
