//! `ctrc build`: policies to an artifact.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ctr_runtime::format::model::Model;

use crate::cli::{Build, Emit, Format};
use crate::exit::{Exit, Stop, message};
use crate::library;
use crate::render;
use crate::trace::files::describe;

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
    let compiled = library::compile(&args.paths, args.max_states);
    render::tell_human(&compiled.sources, &compiled.diagnostics);
    if args.format == Format::Json {
        crate::exit::data(&render::json::diagnostics(
            &compiled.sources,
            &compiled.diagnostics,
        ))?;
    }
    let Some((_, artifact)) = compiled.built else {
        message(&format!(
            "nothing built: {}",
            render::in_words(render::count(&compiled.diagnostics))
        ));
        return Ok(Exit::Findings);
    };
    let (bytes, default) = match args.emit {
        None => (artifact.bytes, None),
        Some(Emit::Dot) => (dot(&artifact.model).into_bytes(), Some("-")),
        Some(Emit::Json) => (
            format!("{:#}\n", ctr_emit::model_to_json(&artifact.model)).into_bytes(),
            Some("-"),
        ),
    };
    let output = match (&args.output, default) {
        (Some(output), _) => output.clone(),
        (None, Some(default)) => default.to_owned(),
        (None, None) => beside(&args.paths),
    };
    if output == "-" {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()?;
    } else {
        write_atomically(Path::new(&output), &bytes)
            .map_err(|error| Stop::Usage(format!("{output}: {}", describe(&error))))?;
        if args.emit.is_none() {
            message(&format!(
                "{output}: {} contracts, {} bytes",
                artifact.model.contracts.len(),
                bytes.len()
            ));
        }
    }
    Ok(Exit::Clean)
}

/// All automata, a digraph each.
fn dot(model: &Model) -> String {
    let mut out = String::new();
    for contract in &model.contracts {
        for (side, id) in [("assume", contract.assume), ("guarantee", contract.guarantee)] {
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

/// Writes a file so that a reader, or a crash, sees the old or the new content and nothing between.
///
/// # Errors
///
/// Where the folder cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Through a link, the file that it names is replaced, not the link.
    let path: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        // A device or pipe has no folder to put a new file into.
        return fs::write(&path, bytes);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(".ctrc-")
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    match fs::metadata(&path) {
        Ok(old) => fs::set_permissions(temporary.path(), old.permissions())?,
        Err(_) => make_readable(temporary.path())?,
    }
    temporary.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are private; a new artifact gets the mode that the user's mask gives to files.
#[cfg(unix)]
fn make_readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // The mask can only be read by making a file with it.
    let probe = path.with_extension("mode");
    let mode = fs::File::create(&probe)?.metadata()?.permissions().mode();
    fs::remove_file(&probe)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
