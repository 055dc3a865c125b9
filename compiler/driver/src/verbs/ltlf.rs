//! `ctrc ltlf`: bare LTLf formulas, for people who compare engines.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ctr_logic::{CoreOptions, Engine, Error, Limits, Satisfiability};
use ctr_trace::files;
use serde_json::Value;

use crate::cli::{Format, Formulas, Ltlf, LtlfEngine, LtlfFormat, LtlfSyntax, LtlfVerb};
use crate::exit::{Exit, Stop, data, message};
use crate::ltlf::{Failure, Kind, cores, dfa, mona, option_of, sat};

/// Runs the verb.
///
/// # Errors
///
/// Where the file cannot be read, is no formula, or a limit is reached.
pub fn run(args: &Ltlf) -> Result<Exit, Stop> {
    match &args.verb {
        LtlfVerb::Dfa { formulas, format } => {
            let report = work(formulas, dfa)?;
            if *format != LtlfFormat::Json {
                notes(&formulas.file, &report.notes);
            }
            data(&match format {
                LtlfFormat::Human => report.human(),
                LtlfFormat::Json => format!("{}\n", report.json()),
                LtlfFormat::Dot => report.dot(),
            })?;
            Ok(Exit::Clean)
        }
        LtlfVerb::Sat {
            formulas,
            format,
            engine,
        } => {
            let options = satisfiability(*engine);
            let report = work(formulas, move |text, kind, limits| {
                sat(text, kind, &options, limits)
            })?;
            if *format == Format::Human {
                notes(&formulas.file, &report.notes);
            }
            write(*format, || report.human(), || report.json())?;
            Ok(found(!report.satisfiable()))
        }
        LtlfVerb::Cores {
            formulas,
            format,
            limit,
            all,
            engine,
        } => {
            let options = CoreOptions {
                limit: if *all { usize::MAX } else { *limit as usize },
                satisfiability: satisfiability(*engine),
            };
            let report = work(formulas, move |text, kind, limits| {
                cores(text, kind, &options, limits)
            })?;
            if *format == Format::Human {
                notes(&formulas.file, &report.notes);
            }
            write(*format, || report.human(), || report.json())?;
            Ok(found(!report.satisfiable()))
        }
        LtlfVerb::Mona { file, syntax } => {
            let (text, kind) = read(file, *syntax)?;
            let mona = mona(&text, kind)
                .map_err(|error| Stop::Usage(format!("{}:{error}", told(file))))?;
            data(&mona.program)?;
            Ok(Exit::Clean)
        }
    }
}

fn write(
    format: Format,
    human: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
) -> Result<(), Stop> {
    data(&match format {
        Format::Human => human(),
        Format::Json => format!("{}\n", json()),
    })
}

/// Notes that people are shown; programs are given all of them.
const NOTES: usize = 5;

/// Tells people what may be meant otherwise.
fn notes(file: &str, notes: &[String]) {
    let file = told(file);
    for note in notes.iter().take(NOTES) {
        message(&format!("note: {file}: {note}"));
    }
    if let Some(more @ 1..) = notes.len().checked_sub(NOTES) {
        message(&format!("note: {file}: {more} more such atoms"));
    }
}

fn found(conflict: bool) -> Exit {
    if conflict {
        Exit::Findings
    } else {
        Exit::Clean
    }
}

fn satisfiability(engine: LtlfEngine) -> Satisfiability {
    Satisfiability {
        engine: match engine {
            LtlfEngine::Race => None,
            LtlfEngine::Automata => Some(Engine::Automata),
            LtlfEngine::Bounded => Some(Engine::Bounded),
            LtlfEngine::Reachability => Some(Engine::Reachability),
        },
        ..Satisfiability::default()
    }
}

/// The text of a file and its syntax: the one that is asked for, or that of its ending.
fn read(file: &str, syntax: Option<LtlfSyntax>) -> Result<(String, Kind), Stop> {
    let mut text = files::read(file).map_err(|error| Stop::Usage(error.to_string()))?;
    // The byte order mark that some editors write is no part of the text.
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    let kind = match syntax {
        Some(LtlfSyntax::Ltlf) => Kind::Ltlf,
        Some(LtlfSyntax::Pltl) => Kind::Pltl,
        Some(LtlfSyntax::Conj) => Kind::Conj,
        Some(LtlfSyntax::Aaltafuc) => Kind::AaltafUc,
        None => Kind::of_path(Path::new(file)).unwrap_or(Kind::Ltlf),
    };
    Ok((text, kind))
}

/// The file as messages name it.
fn told(file: &str) -> &str {
    match file {
        "-" => "<stdin>",
        file => file,
    }
}

/// How long after its time a work that does not look at the clock may go on.
const GRACE: Duration = Duration::from_millis(500);

/// Reads what the user named and does the work within the limits that they set.
fn work<T: Send + 'static>(
    formulas: &Formulas,
    work: impl FnOnce(&str, Kind, &Limits<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Stop> {
    let start = Instant::now();
    let (text, kind) = read(&formulas.file, formulas.syntax)?;
    let file = told(&formulas.file);
    let (states, nodes) = (formulas.max_states, formulas.max_nodes);
    let Some(most) = formulas.timeout else {
        let limits = Limits {
            states,
            nodes,
            cancel: None,
        };
        return work(&text, kind, &limits).map_err(|failure| stop(file, failure, None));
    };
    let (send, receive) = channel();
    let worker = std::thread::Builder::new()
        .name("ctrc-ltlf".to_owned())
        .stack_size(crate::STACK)
        .spawn(move || {
            let over = || start.elapsed() >= most;
            let limits = Limits {
                states,
                nodes,
                cancel: Some(&over),
            };
            // Nobody listens any more where it took too long.
            let _ = send.send(work(&text, kind, &limits));
        })?;
    match receive.recv_timeout(most.saturating_add(GRACE)) {
        Ok(done) => done.map_err(|failure| stop(file, failure, Some(most))),
        // The end of the process ends the worker.
        Err(RecvTimeoutError::Timeout) => {
            Err(stop(file, Failure::Engine(Error::Cancelled), Some(most)))
        }
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err(Stop::Internal(format!(
                "{file}: the work ended without a result"
            ))),
        },
    }
}

/// How the program ends where there is no answer.
fn stop(file: &str, failure: Failure, timeout: Option<Duration>) -> Stop {
    match failure {
        Failure::Syntax(error) => Stop::Usage(format!("{file}:{error}")),
        Failure::Engine(Error::Cancelled) => {
            let most = timeout.unwrap_or_default().as_secs_f64();
            Stop::Undecided(format!("{file}: no answer in {most} s (--timeout)"))
        }
        Failure::Engine(error) if let Some(option) = option_of(error) => {
            Stop::Undecided(format!("{file}: {error} ({option})"))
        }
        Failure::Engine(error) if error.is_limit() => Stop::Undecided(format!("{file}: {error}")),
        Failure::Engine(error @ Error::FutureUnderPast { .. }) => {
            Stop::Usage(format!("{file}: {error}"))
        }
        Failure::Engine(error) => Stop::Internal(format!("{file}: {error}")),
    }
}
