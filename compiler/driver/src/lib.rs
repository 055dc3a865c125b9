//! The contract compiler's command line: verbs, readers of recorded sessions, renderers.
//!
//! [`run`] reads the process's arguments and answers with its exit code; nothing else here touches
//! the process. The compiler proper lives in `ctr-front`, `ctr-logic` and `ctr-emit`, the judge in
//! `ctr-runtime`.

pub mod cli;
pub mod exit;
pub mod judge;
pub mod library;
pub mod ltlf;
pub mod render;
pub mod shown;
pub mod trace;
pub mod verbs;

use std::any::Any;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _};

use cli::{Cli, Color, Verb};
use exit::{Exit, Stop, message};

/// Stack of the thread that does the work: deep trees are bounded, but debug builds use large frames.
const STACK: usize = 64 << 20;

/// Where the last panic was.
static PANICKED: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let parsed = Cli::command()
        .color(color_of(&arguments))
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return told_by_parser(&error).code(),
    };
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    // What a panic says is told once, below, in words for a user; only its place is kept here.
    panic::set_hook(Box::new(|panic| {
        if let Some(place) = panic.location() {
            *PANICKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.to_string());
        }
    }));
    let worker = std::thread::Builder::new()
        .name("ctrc".to_owned())
        .stack_size(STACK)
        .spawn(move || panic::catch_unwind(AssertUnwindSafe(|| verb(&cli.verb))));
    let outcome = match worker {
        Ok(worker) => worker.join().unwrap_or_else(Err),
        Err(error) => Ok(Err(Stop::Output(error))),
    };
    match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(Stop::Findings)) => Exit::Findings,
        Ok(Err(Stop::Usage(what))) => {
            message(&format!("error: {what}"));
            Exit::Usage
        }
        Ok(Err(Stop::Undecided(what))) => {
            message(&format!("undecided: {what}"));
            Exit::Undecided
        }
        Ok(Err(Stop::Internal(what))) => {
            message(&format!(
                "internal error: {what}\nthis is a fault of ctrc; do not rely on what it printed before"
            ));
            Exit::Internal
        }
        Ok(Err(Stop::Output(error))) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
        Ok(Err(Stop::Output(error))) => {
            message(&format!("error: writing failed: {error}"));
            Exit::Usage
        }
        Err(payload) => {
            let place = PANICKED.lock().unwrap_or_else(PoisonError::into_inner).take();
            message(&format!(
                "internal error: {} (at {})\nthis is a fault of ctrc, not of your policy; do not rely on what it printed before",
                words(&payload),
                place.as_deref().unwrap_or("an unknown place")
            ));
            Exit::Internal
        }
    }
    .code()
}

/// The colours of help and usage errors, which are told before the arguments are understood.
fn color_of(arguments: &[OsString]) -> ColorChoice {
    let given = arguments.iter().enumerate().find_map(|(index, argument)| {
        match argument.to_str()?.strip_prefix("--color")? {
            "" => arguments.get(index + 1)?.to_str(),
            value => value.strip_prefix('='),
        }
    });
    match given {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Tells what the parser of arguments has to say. Help and version are data and end with 0,
/// anything else is wrong usage.
fn told_by_parser(error: &clap::Error) -> Exit {
    let told = error.print().and_then(|()| io::stdout().flush());
    if error.use_stderr() {
        return Exit::Usage;
    }
    match told {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            message(&format!("error: writing failed: {error}"));
            Exit::Usage
        }
        _ => Exit::Clean,
    }
}

fn verb(verb: &Verb) -> Result<Exit, Stop> {
    match verb {
        Verb::Check(args) => verbs::check::run(args),
        Verb::Diff(args) => verbs::diff::run(args),
        Verb::Refine(args) => verbs::refine::run(args),
        Verb::Build(args) => verbs::build::run(args),
        Verb::Replay(args) => verbs::replay::run(args),
        Verb::Test(args) => verbs::test::run(args),
        Verb::Fmt(args) => verbs::fmt::run(args),
        Verb::Explain(args) => verbs::explain::run(args),
        Verb::Allowed(args) => verbs::allowed::run(args),
        Verb::Graph(args) => verbs::graph::run(args),
        Verb::Inspect(args) => verbs::inspect::run(args),
        Verb::Ltlf(args) => verbs::ltlf::run(args),
        Verb::Init(args) => verbs::init::run(args),
        Verb::Completions { shell } => verbs::completions::run(*shell),
    }
}

/// What a panic said.
fn words(payload: &Box<dyn Any + Send>) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
