//! `ctrc ltlf`: bare LTLf formulas, for people who compare engines.

use std::path::Path;

use crate::cli::{Ltlf, LtlfFormat, LtlfVerb};
use crate::exit::{Exit, Stop, data};
use crate::library;
use crate::ltlf::{Failure, Kind, dfa};
use crate::trace::files;

/// Runs the verb.
///
/// # Errors
///
/// Where the file cannot be read, is no formula, or a limit is reached.
pub fn run(args: &Ltlf) -> Result<Exit, Stop> {
    let LtlfVerb::Dfa {
        file,
        format,
        max_states,
    } = &args.verb;
    let text = files::read(file).map_err(|error| Stop::Usage(error.to_string()))?;
    let kind = Kind::of_path(Path::new(file)).unwrap_or(Kind::Ltlf);
    let report = dfa(&text, kind, &library::limits(*max_states)).map_err(|failure| {
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
