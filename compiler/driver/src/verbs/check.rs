//! `ctrc check`: all diagnostics of policies.

use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{Place, Source, SourceId};

use crate::cli::{Check, FindingFormat};
use crate::exit::{Exit, Stop, message};
use crate::library::{self, Compiled};
use crate::render;
use crate::shown;
use crate::verbs::witness;

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, or standard output cannot be written.
pub fn run(args: &Check) -> Result<Exit, Stop> {
    let (named, found) = library::policies(&args.paths)?;
    let mut libraries: Vec<Vec<String>> = Vec::new();
    if !named.is_empty() {
        libraries.push(named);
    }
    libraries.extend(found.into_iter().map(|path| vec![path]));
    if args.witness {
        return witness::run(args, &libraries);
    }

    let mut sources: Vec<Source> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut exit = Exit::Clean;
    let files = libraries.iter().map(Vec::len).sum::<usize>();
    for paths in &libraries {
        let (compiled, found) = library_findings(paths, args.solver_timeout)?;
        exit = exit.worse(found);
        let offset = u32::try_from(sources.len()).unwrap_or(u32::MAX);
        sources.extend(compiled.sources);
        for diagnostic in compiled.diagnostics {
            let moved = moved(diagnostic, offset);
            // A file that several policies include is told of once.
            if !diagnostics
                .iter()
                .any(|other| same(&sources, other, &moved))
            {
                diagnostics.push(moved);
            }
        }
    }
    render::tell(&sources, &diagnostics, args.format)?;
    let counts = render::count(&diagnostics);
    if args.format == FindingFormat::Human {
        let files = if files == 1 {
            "1 file".to_owned()
        } else {
            format!("{files} files")
        };
        if counts == render::Counts::default() {
            message(&format!("{files} checked, nothing found"));
        } else {
            message(&format!("{files} checked, {}", render::in_words(counts)));
        }
    }
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
    let mut compiled = library::compile(paths, library::default_max_states());
    let exit = compiled.exit(paths);
    let proven = prove(&mut compiled, timeout)?;
    Ok((compiled, exit.worse(proven)))
}

/// Adds what can be proven of a library without errors.
fn prove(compiled: &mut Compiled, timeout: Duration) -> Result<Exit, Stop> {
    let Some((library, artifact)) = &compiled.built else {
        return Ok(Exit::Clean);
    };
    let options = ctr_check::Options {
        timeout,
        ..ctr_check::Options::default()
    };
    let report = ctr_check::check(library, &artifact.model, &artifact.bytes, &options)
        .map_err(Stop::Internal)?;
    // A session that shows a finding is read once more as a user would read it.
    for finding in &report.findings {
        if let Some(proof) = finding.proof.as_ref().filter(|p| !p.witness.is_empty()) {
            let loaded = library::load("the library", artifact.bytes.clone())?;
            let what = format!("`{}`", proof.kind);
            shown::replay(&loaded, &what, &proof.witness)?;
        }
    }
    // The automaton of such a contract says the same less exactly.
    let told: Vec<Place> = report
        .findings
        .iter()
        .filter(|found| matches!(found.code, "E0701" | "E0702"))
        .filter_map(|found| {
            let name = found.primary.place;
            library.contracts.iter().find(|c| c.name_place == name)
        })
        .flat_map(|contract| contract.clauses.iter().map(|clause| clause.place))
        .collect();
    compiled
        .diagnostics
        .retain(|found| found.code != "W0600" || !told.contains(&found.primary.place));
    let counts = render::count(&report.findings);
    compiled.diagnostics.extend(report.findings);
    compiled.diagnostics.sort_by_key(|found| {
        let place = found.primary.place;
        (place.source, place.span.start)
    });
    Ok(if counts.errors > 0 {
        Exit::Findings
    } else if counts.notes > 0 {
        Exit::Undecided
    } else {
        Exit::Clean
    })
}

/// A finding with its sources renumbered.
pub(crate) fn moved(mut diagnostic: Diagnostic, offset: u32) -> Diagnostic {
    let shift = |place: &mut Place| place.source = SourceId(place.source.0 + offset);
    shift(&mut diagnostic.primary.place);
    for label in &mut diagnostic.secondary {
        shift(&mut label.place);
    }
    for fix in &mut diagnostic.fixes {
        for (place, _) in &mut fix.edits {
            shift(place);
        }
    }
    diagnostic
}

fn same(sources: &[Source], a: &Diagnostic, b: &Diagnostic) -> bool {
    let path = |d: &Diagnostic| {
        sources
            .get(d.primary.place.source.0 as usize)
            .map(|source| source.path.as_str())
    };
    a.code == b.code
        && a.message == b.message
        && a.primary.place.span == b.primary.place.span
        && path(a) == path(b)
}
