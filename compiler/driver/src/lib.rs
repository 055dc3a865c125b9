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
pub mod trace;
pub mod verbs;

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Color, Verb};
use exit::{Exit, Stop, message};

/// Stack of the thread that does the work: deep trees are bounded, but debug builds use large frames.
const STACK: usize = 64 << 20;

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data and end with 0, anything else is wrong usage.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Clean
            };
            let _ = error.print();
            return exit.code();
        }
    };
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    // The message of a panic is told once, below, in words for a user.
    panic::set_hook(Box::new(|_| {}));
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
        Ok(Err(Stop::Output(error))) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
        Ok(Err(Stop::Output(error))) => {
            message(&format!("error: writing failed: {error}"));
            Exit::Usage
        }
        Err(payload) => {
            message(&format!(
                "internal error: {}\nthis is a fault of ctrc, not of your policy; nothing was judged or written",
                words(&payload)
            ));
            Exit::Internal
        }
    }
    .code()
}

fn verb(verb: &Verb) -> Result<Exit, Stop> {
    match verb {
        Verb::Check(args) => verbs::check::run(args),
        Verb::Build(args) => verbs::build::run(args),
        Verb::Replay(args) => verbs::replay::run(args),
        Verb::Test(args) => verbs::test::run(args),
        Verb::Fmt(args) => verbs::fmt::run(args),
        Verb::Explain(args) => verbs::explain::run(args),
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
