//! The contract compiler's command line: verbs, and renderers of what they tell.
//!
//! [`run`] reads the process's arguments and answers with its exit code; nothing else here touches
//! the process. The compiler proper lives in `ctr-front`, `ctr-logic` and `ctr-emit`, the judge in
//! `ctr-runtime`.

pub mod atomic;
pub mod cli;
pub mod document;
pub mod examples;
pub mod exit;
pub mod fix;
pub mod flags;
pub mod library;
pub mod ltlf;
pub mod plain;
pub mod render;
pub mod report;
pub mod shown;
pub mod variables;
pub mod verbs;
pub mod watch;
pub mod world;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ColorChoice, Command, CommandFactory as _, FromArgMatches as _};

use cli::{Cli, Color, Verb};
use exit::{End, Exit, Stop, data, message};

/// Stack of the thread that does the work: deep trees are bounded, but debug builds use large frames.
const STACK: usize = 64 << 20;

/// The command line with all that is worked out for it: examples and variables. `get` reads the
/// environment.
#[must_use]
pub fn command(get: &dyn Fn(&str) -> Option<OsString>) -> Command {
    variables::attach(examples::attach(Cli::command()), get)
}

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let get = |name: &str| std::env::var_os(name);
    let mut command = command(&get).color(color_of(&arguments, &get));
    let parsed = command
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let exit = told_by_parser(&error);
            if exit == Exit::Usage {
                for (variable, flag) in variables::blamed(&command, &arguments, &error, &get) {
                    message(&format!(
                        "note: `{flag}` is set by the variable `{variable}`"
                    ));
                }
            }
            return exit.code();
        }
    };
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    exit::quiet_panics();
    let verb = Arc::new(cli.verb);
    if !verb.is_watching() {
        return round(&verb).exit.code();
    }
    let mut changed = Vec::new();
    loop {
        watch::begin(&changed);
        let end = round(&verb);
        if end.is_closed {
            return end.exit.code();
        }
        changed = watch::wait();
    }
}

/// Runs a verb once, on a thread with a stack that is large enough, and tells how it ended.
fn round(verb: &Arc<Verb>) -> End {
    let worker = std::thread::Builder::new()
        .name("ctrc".to_owned())
        .stack_size(STACK)
        .spawn({
            let verb = Arc::clone(verb);
            move || exit::caught(|| self::verb(&verb))
        });
    let outcome = match worker {
        Ok(worker) => worker
            .join()
            .unwrap_or_else(|payload| Err(exit::panicked(&*payload))),
        Err(error) => Err(Stop::Internal(format!(
            "no thread could be started: {error}"
        ))),
    };
    let mut end = exit::end(outcome);
    // What a program reads is complete also where nothing could be done.
    if !exit::take_written()
        && end.exit != Exit::Clean
        && let Some(document) = document::of_failure(verb, end.exit, end.told.as_deref())
        && let Err(stop) = data(&document)
    {
        let told = end.told.take();
        end = exit::end(Err(stop));
        end.told = told.or(end.told);
        let _ = exit::take_written();
    }
    if let Some(told) = &end.told {
        message(told);
    }
    end
}

/// The colours of help and usage errors, which are told before the arguments are understood.
fn color_of(arguments: &[OsString], get: &dyn Fn(&str) -> Option<OsString>) -> ColorChoice {
    let given = arguments.iter().enumerate().find_map(|(index, argument)| {
        match argument.to_str()?.strip_prefix("--color")? {
            "" => arguments.get(index + 1)?.to_str(),
            value => value.strip_prefix('='),
        }
    });
    let variable = get("CTRC_COLOR");
    match given.or_else(|| variable.as_deref()?.to_str()) {
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
        Verb::Lsp(_) => verbs::lsp::run(),
        Verb::Init(args) => verbs::init::run(args),
        Verb::Completions(args) => verbs::completions::run(args.shell),
        Verb::Man(args) => verbs::man::run(args),
    }
}
