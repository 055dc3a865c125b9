//! `ctrc check --witness`: sessions that keep a library and exercise its tools and contracts.

use std::collections::BTreeSet;
use std::path::Path;

use ctr_check::{Exercise, Options, Shown, Witness};
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{self, Source};
use ctr_project::compiled::moved;
use ctr_project::{Looked, Settings};
use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library;
use ctr_trace::files::describe;
use serde_json::{Value, json};

use crate::cli::{Check, FindingFormat};
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::render;
use crate::shown::{self, events, listed};

/// Runs the verb for some libraries, each a list of files.
///
/// # Errors
///
/// Where a file cannot be read, the tool or contract is not there, a session is not what it was made for, or the output cannot be
/// written.
pub fn run(args: &Check, libraries: &[Vec<String>], settings: &Settings<'_>) -> Result<Exit, Stop> {
    if !matches!(args.format, FindingFormat::Human | FindingFormat::Json) {
        return Err(Stop::Usage(
            "`--witness` has the formats `human` and `json`".to_owned(),
        ));
    }
    let only = match (&args.tool, &args.contract) {
        (Some(tool), _) => Some(Exercise::Tool(tool.clone())),
        (None, Some(contract)) => Some(Exercise::Contract(contract.clone())),
        (None, None) => None,
    };
    if only.is_some() && libraries.len() > 1 {
        return Err(Stop::Usage(
            "`--tool` and `--contract` ask about one library".to_owned(),
        ));
    }
    let mut exit = Exit::Clean;
    let mut sources: Vec<Source> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut told = Vec::new();
    for paths in libraries {
        let options = Options {
            timeout: settings.solver_timeout(paths, args.solver_timeout),
            ..Options::default()
        };
        let mut compiled = library::compile(paths, settings.max_states(paths, None));
        settings.judge(&mut compiled, paths, Looked::Compiled);
        exit = exit.worse(library::exit(
            &compiled.sources,
            &compiled.diagnostics,
            paths,
        ));
        if let Some((library, artifact)) = &compiled.built {
            if let Some(only) = &only {
                is_there(library, only)?;
            }
            let found = ctr_check::witnesses(
                library,
                &artifact.model,
                &artifact.bytes,
                &options,
                only.as_ref(),
            )
            .map_err(Stop::Internal)?;
            let loaded = library::load("the library", artifact.bytes.clone())?;
            for witness in &found.sessions {
                exit = exit.worse(of_one(witness, only.is_some()));
                replayed(&loaded, witness)?;
            }
            let counts = render::count(&found.findings);
            if counts.errors > 0 {
                exit = exit.worse(Exit::Findings);
            } else if counts.notes > 0 {
                exit = exit.worse(Exit::Undecided);
            }
            compiled.diagnostics.extend(found.findings);
            told.push((paths, found.sessions));
        }
        let offset = u32::try_from(sources.len()).unwrap_or(u32::MAX);
        sources.extend(compiled.sources);
        diagnostics.extend(compiled.diagnostics.into_iter().map(|d| moved(d, offset)));
    }
    let (found, added) = settings.findings();
    let offset = u32::try_from(sources.len()).unwrap_or(u32::MAX);
    sources.extend(found);
    diagnostics.extend(added.into_iter().map(|d| moved(d, offset)));
    if render::count(&diagnostics).errors > 0 {
        exit = exit.worse(Exit::Findings);
    }
    if args.format == FindingFormat::Json {
        let findings = render::json::diagnostics(&sources, &diagnostics);
        let objects: Vec<String> = told
            .iter()
            .flat_map(|(paths, witnesses)| witnesses.iter().map(|w| object(paths, w)))
            .collect();
        data(&format!(
            "{{\"findings\":{},\n\"witnesses\":[\n{}\n]}}\n",
            findings.trim_end(),
            objects.join(",\n")
        ))?;
    } else {
        render::tell_human(&sources, &diagnostics);
    }
    let mut written = BTreeSet::new();
    for (paths, witnesses) in &told {
        let name = (libraries.len() > 1).then(|| paths.join(", "));
        for witness in witnesses {
            match &args.output {
                Some(folder) => write(folder, name.as_deref(), witness, &mut written)?,
                None if args.format == FindingFormat::Human => {
                    human(name.as_deref(), witness, only.is_some())?;
                }
                None => {}
            }
        }
    }
    if args.deny_warnings && render::count(&diagnostics).warnings > 0 {
        exit = exit.worse(Exit::Findings);
    }
    Ok(exit)
}

/// That the library has what was asked for.
fn is_there(library: &ir::Library, only: &Exercise) -> Result<(), Stop> {
    let (what, name, names): (&str, &str, Vec<String>) = match only {
        Exercise::Contract(name) => {
            let names = library.contracts.iter().map(|c| c.name.clone());
            ("contract", name, names.collect())
        }
        Exercise::Tool(name) => {
            let declared = library.declared.iter().map(|t| (&t.server, &t.name));
            let named = library.tools.iter().map(|t| (&t.server, &t.name));
            let names = declared.chain(named).flat_map(|(server, name)| {
                let long = server.as_ref().map(|server| format!("{server}.{name}"));
                std::iter::once(name.clone()).chain(long)
            });
            ("tool", name, names.collect())
        }
    };
    if names.iter().any(|other| other == name) {
        return Ok(());
    }
    let hint = ctr_front::suggest::nearest(name, names.iter().map(String::as_str))
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default();
    Err(Stop::Usage(format!(
        "the library has no {what} `{name}`{hint}"
    )))
}

/// How one answer ends the program. What a library forbids in so many words is a finding only where it was asked for.
fn of_one(witness: &Witness, asked: bool) -> Exit {
    match &witness.shown {
        Shown::Session { .. } => Exit::Clean,
        Shown::Never { forbidden, .. } if *forbidden && !asked => Exit::Clean,
        Shown::Never { .. } => Exit::Findings,
        Shown::Open(_) => Exit::Undecided,
    }
}

/// That a session is what it was made for: every contract is kept.
fn replayed(library: &Library<'_>, witness: &Witness) -> Result<(), Stop> {
    let Shown::Session { lines, .. } = &witness.shown else {
        return Ok(());
    };
    let (kind, name) = parts(&witness.of);
    let what = format!("the {kind} `{name}`");
    let report = shown::replay(library, &what, lines)?;
    let broken = report
        .outcome
        .contracts
        .iter()
        .position(|contract| contract.value != Value3::Active);
    match broken {
        None => Ok(()),
        Some(index) => {
            let id = u32::try_from(index).unwrap_or(u32::MAX);
            Err(Stop::Internal(format!(
                "the session for {what} does not keep `{}`",
                library.contract(id).name()
            )))
        }
    }
}

fn parts(of: &Exercise) -> (&'static str, &str) {
    match of {
        Exercise::Tool(name) => ("tool", name),
        Exercise::Contract(name) => ("contract", name),
    }
}

fn object(paths: &[String], witness: &Witness) -> String {
    let (kind, name) = parts(&witness.of);
    let of = |wanted: &str| {
        if kind == wanted {
            json!(name)
        } else {
            Value::Null
        }
    };
    let (result, shortest, contracts, reason) = match &witness.shown {
        Shown::Session { shortest, .. } => ("session", json!(shortest), Vec::new(), None),
        Shown::Never {
            contracts,
            forbidden,
        } => {
            let result = if *forbidden { "forbidden" } else { "none" };
            (result, Value::Null, contracts.clone(), None)
        }
        Shown::Open(reason) => ("undecided", Value::Null, Vec::new(), Some(reason)),
    };
    let lines = match &witness.shown {
        Shown::Session { lines, .. } => lines.as_slice(),
        _ => &[],
    };
    shown::object(
        &[
            ("library", json!(paths)),
            ("tool", of("tool")),
            ("contract", of("contract")),
            ("result", json!(result)),
            ("shortest", shortest),
            ("contracts", json!(contracts)),
            ("reason", json!(reason)),
        ],
        lines,
    )
}

/// What is to be said of a witness, in a line.
fn heading(library: Option<&str>, witness: &Witness) -> String {
    let (kind, name) = parts(&witness.of);
    let of = match library {
        Some(library) => format!("{kind} {name} of {library}"),
        None => format!("{kind} {name}"),
    };
    match &witness.shown {
        Shown::Session {
            events: count,
            shortest,
            ..
        } => {
            let how = if *shortest {
                ""
            } else {
                " (there may be shorter sessions)"
            };
            format!("{of}: {}{how}", events(*count))
        }
        Shown::Never { contracts, .. } if contracts.is_empty() => {
            format!("{of}: no session, no event fits it")
        }
        Shown::Never {
            contracts,
            forbidden,
        } => {
            let does = match (kind, forbidden) {
                ("tool", true) => "calls it: it is forbidden",
                ("tool", false) => "calls it",
                (_, true) => "has an event of it: that is what it forbids",
                _ => "exercises it",
            };
            format!("{of}: no session that keeps {} {does}", listed(contracts))
        }
        Shown::Open(reason) => format!("{of}: undecided: {reason}"),
    }
}

/// One session alone is data that `ctrc replay` reads; several have headings.
fn human(library: Option<&str>, witness: &Witness, alone: bool) -> Result<(), Stop> {
    let heading = heading(library, witness);
    let lines = match &witness.shown {
        Shown::Session { lines, .. } => lines.as_slice(),
        _ => &[],
    };
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if alone {
        message(&heading);
    } else {
        text = format!("# {heading}\n{text}\n");
    }
    data(&text)
}

/// Writes a session to a file of its own.
fn write(
    folder: &str,
    library: Option<&str>,
    witness: &Witness,
    written: &mut BTreeSet<String>,
) -> Result<(), Stop> {
    message(&heading(library, witness));
    let Shown::Session { lines, .. } = &witness.shown else {
        return Ok(());
    };
    let fault = |path: &Path, error: &std::io::Error| {
        Stop::Usage(format!("{}: {}", path.display(), describe(error)))
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
    let (kind, name) = parts(&witness.of);
    let of = library
        .map(|library| format!("{library}."))
        .unwrap_or_default();
    let base: String = format!("{of}{kind}.{name}")
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    // Names that differ only in what a file name cannot have, or in case, must not overwrite each other.
    let file = std::iter::once(base.clone())
        .chain((2..).map(|n| format!("{base}.{n}")))
        .find(|file| written.insert(file.to_lowercase()))
        .unwrap_or(base);
    let path = folder.join(format!("{file}.jsonl"));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).map_err(|error| fault(&path, &error))
}
