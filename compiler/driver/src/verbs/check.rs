//! `ctrc check`: all diagnostics of policies.

use std::time::Duration;

use ctr_check::Options;
use ctr_front::world::World;
use ctr_project::check::{Proofs, judge};
use ctr_project::{Compiled, Looked, Settings};

use crate::cli::{Check, FindingFormat};
use crate::exit::{Exit, Stop, message};
use crate::fix;
use crate::flags::settings;
use crate::library;
use crate::plain::counted;
use crate::render;
use crate::verbs::witness;
use crate::world::Disk;

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, or standard output cannot be written.
pub fn run(args: &Check) -> Result<Exit, Stop> {
    let settings = settings(&args.config, &args.levels)?;
    let (named, found) = library::policies(&args.paths, &settings)?;
    let mut libraries: Vec<Vec<String>> = Vec::new();
    if !named.is_empty() {
        libraries.push(named);
    }
    libraries.extend(found.into_iter().map(|path| vec![path]));
    if args.witness {
        return witness::run(args, &libraries, &settings);
    }

    let all = |world: &dyn World, prove: bool| {
        let proofs = match (prove, args.solver_timeout) {
            (false, _) => Proofs::None,
            (true, None) => Proofs::BySettings,
            (true, Some(timeout)) => Proofs::Within(timeout),
        };
        Ok(judge(world, &libraries, &settings, proofs)?)
    };
    let paths: Vec<String> = libraries.concat();
    let (judged, changed) = if args.fix {
        let options = fix::Options {
            unsafe_too: args.unsafe_fixes,
            diff: args.diff,
        };
        let outcome = fix::run(&paths, options, &all)?;
        (outcome.judged, outcome.files.len())
    } else {
        (all(&Disk, true)?, 0)
    };
    if args.diff {
        // Standard output is the difference; what would remain is not told, and only errors count.
        let remains = library::exit(&judged.sources, &judged.diagnostics, &paths);
        let differs = if changed > 0 {
            Exit::Findings
        } else {
            Exit::Clean
        };
        return Ok(differs.worse(remains));
    }
    render::tell(&judged.sources, &judged.diagnostics, args.format)?;
    let counts = render::count(&judged.diagnostics);
    if args.format == FindingFormat::Human {
        let files = counted(paths.len() as u64, "file");
        if counts == render::Counts::default() {
            message(&format!("{files} checked, nothing found"));
        } else {
            message(&format!("{files} checked, {}", render::in_words(counts)));
        }
    }
    let mut exit = library::exit(&judged.sources, &judged.diagnostics, &paths);
    if args.deny_warnings && counts.warnings > 0 {
        exit = exit.worse(Exit::Findings);
    }
    Ok(exit)
}

/// All that the check of one library finds, and how it ends; `timeout` is for each question to the solver.
///
/// # Errors
///
/// Where a session that shows a finding is not read as it was made: a fault of the program.
pub fn library_findings(paths: &[String], timeout: Duration) -> Result<(Compiled, Exit), Stop> {
    let settings = Settings::nearest(&Disk);
    let mut compiled = library::compile(paths, settings.max_states(paths, None));
    compiled.prove_built(&Options {
        timeout,
        ..Options::default()
    })?;
    settings.judge(&mut compiled, paths, Looked::Proven);
    compiled.tell_unused();
    settings.add_findings(&mut compiled);
    let exit = library::exit(&compiled.sources, &compiled.diagnostics, paths);
    Ok((compiled, exit))
}
