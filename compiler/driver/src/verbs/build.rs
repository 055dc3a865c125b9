//! `ctrc build`: policies to an artifact.

use std::path::Path;

use ctr_project::Looked;
use ctr_runtime::format::model::Model;
use ctr_trace::files::describe;

use crate::atomic::write_atomically;
use crate::cli::{Build, Emit, FindingFormat};
use crate::exit::{self, Exit, Stop, message};
use crate::flags::settings;
use crate::library;
use crate::plain::counted;
use crate::render;

/// Runs the verb.
///
/// # Errors
///
/// Where a policy cannot be read or the output not written.
pub fn run(args: &Build) -> Result<Exit, Stop> {
    if let Some(folder) = args.paths.iter().find(|path| Path::new(path).is_dir()) {
        return Err(Stop::Usage(format!(
            "{folder}: is a folder; name the policies that make up the library"
        )));
    }
    let output = match (&args.output, args.emit) {
        (Some(output), _) => output.clone(),
        (None, Some(_)) => "-".to_owned(),
        (None, None) => beside(&args.paths),
    };
    if output == "-" && args.format != FindingFormat::Human {
        return Err(Stop::Usage(
            "what is built and the findings cannot both go to standard output; name a file with `-o`"
                .to_owned(),
        ));
    }
    if args
        .paths
        .iter()
        .any(|path| library::is_same_file(path, &output))
        || is_policy_name(&output)
    {
        return Err(Stop::Usage(format!(
            "{output}: would overwrite a policy; name another file with `-o`"
        )));
    }
    let settings = settings(&args.config, &args.levels)?;
    let max_states = settings.max_states(&args.paths, args.max_states);
    let mut compiled = library::compile(&args.paths, max_states);
    settings.judge(&mut compiled, &args.paths, Looked::Compiled);
    compiled.tell_unused();
    settings.add_findings(&mut compiled);
    render::tell(&compiled.sources, &compiled.diagnostics, args.format)?;
    let exit = library::exit(&compiled.sources, &compiled.diagnostics, &args.paths);
    let Some((_, artifact)) = compiled.built else {
        message(&format!(
            "nothing built: {}",
            render::in_words(render::count(&compiled.diagnostics))
        ));
        return Ok(exit.worse(Exit::Findings));
    };
    let sources = compiled.sources.iter().map(|source| source.path.as_str());
    library::keep(&output, sources)?;
    let artifact = artifact
        .portable()
        .map_err(|error| Stop::Usage(format!("{output}: {error}")))?;
    let bytes = match args.emit {
        None => artifact.bytes,
        Some(Emit::Dot) => dot(&artifact.model).into_bytes(),
        Some(Emit::Json) => {
            format!("{:#}\n", ctr_emit::model_to_json(&artifact.model)).into_bytes()
        }
    };
    if output == "-" {
        exit::bytes(&bytes)?;
    } else {
        write_atomically(Path::new(&output), &bytes)
            .map_err(|error| Stop::Usage(format!("{output}: {}", describe(&error))))?;
        if args.emit.is_none() {
            message(&format!(
                "{output}: {}, {}",
                counted(artifact.model.contracts.len() as u64, "contract"),
                counted(bytes.len() as u64, "byte")
            ));
        }
    }
    Ok(Exit::Clean)
}

fn is_policy_name(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("ctr"))
}

/// All automata, a digraph each.
fn dot(model: &Model) -> String {
    let mut out = String::new();
    for contract in &model.contracts {
        for (side, id) in [
            ("assume", contract.assume),
            ("guarantee", contract.guarantee),
        ] {
            if let Some(automaton) = id.and_then(|id| model.automata.get(id as usize)) {
                out.push_str(&ctr_emit::automaton_to_dot(
                    model,
                    &format!("{} ({side})", contract.name),
                    automaton,
                ));
            }
        }
    }
    out
}

/// The artifact's path where none is given.
fn beside(paths: &[String]) -> String {
    let first = paths.first().map_or("library.ctr", String::as_str);
    Path::new(first)
        .with_extension("ctrb")
        .to_string_lossy()
        .into_owned()
}
