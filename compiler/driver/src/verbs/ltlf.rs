//! `ctrc ltlf`: bare LTLf formulas, for people who compare engines.

use std::path::Path;

use crate::cli::{Ltlf, LtlfFormat, LtlfVerb};
use crate::exit::{Exit, Stop, data};
use crate::library;
use crate::ltlf::{Failure, Kind, dfa, mona};
use crate::trace::files;

/// Runs the verb.
///
/// # Errors
///
/// Where the file cannot be read, is no formula, or a limit is reached.
pub fn run(args: &Ltlf) -> Result<Exit, Stop> {
    match &args.verb {
        LtlfVerb::Dfa {
            file,
            format,
            max_states,
        } => automaton(file, *format, *max_states),
        LtlfVerb::Mona { file } => {
            let (text, kind) = read(file)?;
            let mona = mona(&text, kind).map_err(|error| Stop::Usage(format!("{file}:{error}")))?;
            data(&mona.program)?;
            Ok(Exit::Clean)
        }
    }
}

/// The text of a file and its syntax.
fn read(file: &str) -> Result<(String, Kind), Stop> {
    let text = files::read(file).map_err(|error| Stop::Usage(error.to_string()))?;
    Ok((text, Kind::of_path(Path::new(file)).unwrap_or(Kind::Ltlf)))
}

fn automaton(file: &str, format: LtlfFormat, max_states: usize) -> Result<Exit, Stop> {
    let (text, kind) = read(file)?;
    let report = dfa(&text, kind, &library::limits(max_states)).map_err(|failure| {
        let what = format!("{file}: {failure}");
        match failure {
            Failure::Engine(error) if error.is_limit() => Stop::Undecided(what),
            Failure::Engine(_) | Failure::Syntax(_) => Stop::Usage(what),
        }
    })?;
    data(&match format {
        LtlfFormat::Human => report.human(),
        LtlfFormat::Json => format!("{}\n", report.json()),
        LtlfFormat::Dot => report.dot(),
    })?;
    Ok(Exit::Clean)
}
