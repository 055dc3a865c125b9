//! `ctrc replay`: judges recorded sessions.

mod human;
mod json;
mod summary;

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ctr_runtime::format::Library;
use ctr_runtime::session::Plan;
use ctr_trace::judge::{Grader, Report};
use ctr_trace::{Unreadable, detect, files};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _,
};

use crate::cli::{Format, Replay, View};
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::plain::line;
use crate::report::Writer;
use crate::report::data::Told;
use summary::Summary;

/// So many files are read and judged before their results are written, so that a long run shows
/// results early and holds few texts at a time.
const BATCH: usize = 256;
/// A progress bar is shown for more sessions or files than this.
const MANY: usize = 20;

/// Runs the verb.
///
/// # Errors
///
/// Where the library cannot be opened or standard output not written.
pub fn run(args: &Replay) -> Result<Exit, Stop> {
    let library = library::open(&args.library.library)?;
    let files::Found {
        files: paths,
        errors: missing,
        skipped,
    } = files::find(&args.traces);
    for what in skipped {
        message(&format!("note: left out: {what}"));
    }
    if let Some(page) = &args.html {
        let read = paths.iter().chain(&args.library.library);
        library::keep(page, read.map(String::as_str))?;
    }
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0).into())
        .build()
        .map_err(|error| Stop::Usage(format!("threads cannot be started: {error}")))?;
    let plan = Arc::new(Plan::new(&library));
    let mut pages = match &args.html {
        Some(path) => Some(Writer::new(
            path,
            &library,
            &args.library.library,
            args.view,
        )?),
        None => None,
    };
    let start = Instant::now();
    let progress = Progress::new(paths.len());
    let mut summary = Summary::new(&library);
    let mut exit = Exit::Clean;
    for unreadable in missing {
        let result = Err(unreadable);
        exit = exit.worse(tell(&library, args, &result, &mut summary)?);
        if let Some(pages) = &mut pages {
            pages.add(&result, None);
        }
    }
    for (batch, paths) in paths.chunks(BATCH).enumerate() {
        let judged: Vec<Vec<Judged>> = threads.install(|| {
            let judging = Judging {
                library: &library,
                plan: &plan,
                view: args.view,
                pages: pages.as_ref(),
                progress: &progress,
            };
            paths
                .par_iter()
                .enumerate()
                .map(|(n, path)| judging.file(batch * BATCH + n, path))
                .collect()
        });
        for Judged { result, page } in judged.into_iter().flatten() {
            exit = exit.worse(progress.hidden(|| tell(&library, args, &result, &mut summary))?);
            if let Some(pages) = &mut pages {
                pages.add(&result, page?);
            }
        }
    }
    progress.finish();
    if args.format == Format::Human {
        data(&summary.table(args.view, start.elapsed()))?;
    }
    if let Some(pages) = pages {
        message(&pages.finish()?);
    }
    Ok(exit)
}

/// A session that was judged.
struct Judged {
    result: Result<Report, Unreadable>,
    /// The name of its page, where there is one.
    page: Result<Option<String>, Stop>,
}

impl Judged {
    fn plain(result: Result<Report, Unreadable>) -> Self {
        Self {
            result,
            page: Ok(None),
        }
    }
}

/// What all sessions are judged with.
struct Judging<'j> {
    library: &'j Library<'j>,
    plan: &'j Arc<Plan>,
    view: View,
    pages: Option<&'j Writer<'j>>,
    progress: &'j Progress,
}

impl Judging<'_> {
    /// Judges the sessions of a file, in their order.
    fn file(&self, number: usize, path: &str) -> Vec<Judged> {
        let text = match files::read(path) {
            Ok(text) => text,
            Err(unreadable) => return vec![Judged::plain(Err(unreadable))],
        };
        let pieces = match detect::split(path, &text) {
            Ok(pieces) => pieces,
            Err(unreadable) => return vec![Judged::plain(Err(unreadable))],
        };
        self.progress.more(pieces.len());
        pieces
            .par_iter()
            .enumerate()
            .map_init(
                || Grader::new(self.library, self.plan),
                |grader, (n, piece)| {
                    let judged = match (detect::read(piece), self.pages) {
                        (Err(unreadable), _) => Judged::plain(Err(unreadable)),
                        (Ok(session), None) => Judged::plain(Ok(match self.view {
                            View::Recorded => grader.recorded(&session),
                            View::Gated => grader.gated(&session),
                        })),
                        (Ok(session), Some(pages)) => {
                            let told = Told::judge(self.library, self.plan, self.view, session);
                            Judged {
                                page: pages.page(&told, number, n, pieces.len()),
                                result: Ok(told.report),
                            }
                        }
                    };
                    self.progress.done();
                    judged
                },
            )
            .collect()
    }
}

/// Writes one session's result and counts it.
fn tell(
    library: &Library<'_>,
    args: &Replay,
    result: &Result<Report, Unreadable>,
    summary: &mut Summary,
) -> Result<Exit, Stop> {
    summary.add(result);
    match args.format {
        Format::Json => data(&json::line(library, args.view, result))?,
        Format::Human => {
            if let Some(text) = human::session(library, args, result) {
                data(&text)?;
            }
        }
    }
    let exit = match result {
        Err(unreadable) => {
            message(&line(&format!("error: {unreadable}")));
            Exit::Usage
        }
        Ok(report) => {
            for malformed in &report.malformed {
                message(&line(&format!(
                    "error: {}: event {} (record {}): {}",
                    report.name, malformed.event, malformed.line, malformed.what
                )));
            }
            if !report.malformed.is_empty() {
                Exit::Usage
            } else if report.has_findings() {
                Exit::Findings
            } else {
                Exit::Clean
            }
        }
    };
    Ok(exit)
}

/// The progress bar, on standard error and only on a terminal.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(files: usize) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos}/{len} sessions, {per_sec}, {eta} left")
        {
            bar.set_style(style);
        }
        if files > MANY {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar }
    }

    fn more(&self, sessions: usize) {
        self.bar.inc_length(sessions as u64);
        if sessions > MANY {
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    fn done(&self) {
        self.bar.inc(1);
    }

    /// Does something that writes, with the bar out of the way.
    fn hidden<T>(&self, act: impl FnOnce() -> T) -> T {
        if self.bar.is_hidden() {
            act()
        } else {
            self.bar.suspend(act)
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
