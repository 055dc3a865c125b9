//! `ctrc check`: all diagnostics of policies.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::fix::Judged;
use ctr_front::ir::{Place, SourceId};
use ctr_front::world::World;
use ctr_grammar::Span;

use crate::cli::{Check, FindingFormat};
use crate::config::{Looked, Settings};
use crate::exit::{Exit, Stop, message};
use crate::fix;
use crate::library::{self, Compiled};
use crate::plain::counted;
use crate::render;
use crate::shown;
use crate::verbs::witness;
use crate::world::Disk;

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, or standard output cannot be written.
pub fn run(args: &Check) -> Result<Exit, Stop> {
    let settings = Settings::new(&args.config, &args.levels)?;
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
        let timeout = prove.then_some(args.solver_timeout);
        judge(world, &libraries, &settings, timeout)
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

/// All that is found in libraries, and what is wrong with the settings; proofs are made where there is a
/// time for them (`None` in it: as long as the settings say).
#[expect(
    clippy::option_option,
    reason = "no proofs, the time of the settings, a time"
)]
fn judge(
    world: &dyn World,
    libraries: &[Vec<String>],
    settings: &Settings,
    prove: Option<Option<Duration>>,
) -> Result<Judged, Stop> {
    let mut judged = Judged::default();
    let mut told = HashSet::new();
    let mut unused = Vec::new();
    // A file that several policies include is told of once, and a comment that is of use in one of them is
    // of use.
    let mut used: BTreeSet<(String, Span, String)> = BTreeSet::new();
    for paths in libraries {
        let mut compiled = library::compile_in(world, paths, settings.max_states(paths, None));
        let looked = match prove {
            Some(timeout) => {
                self::prove(&mut compiled, settings.solver_timeout(paths, timeout))?;
                Looked::Proven
            }
            None => Looked::Compiled,
        };
        settings.judge(&mut compiled, paths, looked);
        let path = |place: Place| {
            let source = compiled.sources.get(place.source.0 as usize);
            source.map_or_else(String::new, |source| source.path.clone())
        };
        for (place, code) in &compiled.used {
            used.insert((path(*place), place.span, code.clone()));
        }
        let offset = u32::try_from(judged.sources.len()).unwrap_or(u32::MAX);
        if !compiled.unused.is_empty() {
            unused.push((offset, paths, compiled.clone_for_unused()));
        }
        judged.sources.append(&mut compiled.sources);
        add(&mut judged, &mut told, compiled.diagnostics, offset);
    }
    for (offset, paths, mut compiled) in unused {
        let sources = &compiled.sources;
        for one in &mut compiled.unused {
            let place = one.suppression.place;
            let source = sources.get(place.source.0 as usize);
            let path = source.map_or_else(String::new, |source| source.path.clone());
            one.codes
                .retain(|code| !used.contains(&(path.clone(), place.span, code.clone())));
        }
        compiled.unused.retain(|one| !one.codes.is_empty());
        settings.unused(&mut compiled, paths);
        add(&mut judged, &mut told, compiled.diagnostics, offset);
    }
    judged.diagnostics.sort_by_key(|found| {
        let place = found.primary.place;
        (place.source, place.span.start)
    });
    let (sources, found) = settings.findings();
    let offset = u32::try_from(judged.sources.len()).unwrap_or(u32::MAX);
    judged.sources.extend(sources);
    add(&mut judged, &mut told, found, offset);
    Ok(judged)
}

/// Adds findings that are not there yet.
fn add(judged: &mut Judged, told: &mut HashSet<Told>, found: Vec<Diagnostic>, offset: u32) {
    for diagnostic in found {
        let moved = moved(diagnostic, offset);
        let place = moved.primary.place;
        let source = judged.sources.get(place.source.0 as usize);
        let path = source.map(|source| source.path.clone());
        if told.insert((moved.code, path, place.span, moved.message.clone())) {
            judged.diagnostics.push(moved);
        }
    }
}

/// What makes two findings one: code, path, place, message.
type Told = (&'static str, Option<String>, Span, String);

/// All that the check of one library finds, and how it ends; `timeout` is for each question to the solver.
///
/// # Errors
///
/// Where a session that shows a finding is not read as it was made: a fault of the program.
pub fn library_findings(paths: &[String], timeout: Duration) -> Result<(Compiled, Exit), Stop> {
    let settings = Settings::nearest();
    let mut compiled = library::compile(paths, settings.max_states(paths, None));
    prove(&mut compiled, timeout)?;
    settings.judge(&mut compiled, paths, Looked::Proven);
    settings.unused(&mut compiled, paths);
    settings.add_findings(&mut compiled);
    let exit = compiled.exit(paths);
    Ok((compiled, exit))
}

/// Adds what can be proven of a library without errors.
fn prove(compiled: &mut Compiled, timeout: Duration) -> Result<(), Stop> {
    let Some((library, artifact)) = &compiled.built else {
        return Ok(());
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
    compiled.diagnostics.extend(report.findings);
    compiled.diagnostics.sort_by_key(|found| {
        let place = found.primary.place;
        (place.source, place.span.start)
    });
    Ok(())
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
