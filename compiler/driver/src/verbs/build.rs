//! `ctrc build`: policies to an artifact.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ctr_runtime::format::model::Model;

use crate::cli::{Build, Emit, FindingFormat};
use crate::exit::{self, Exit, Stop, message};
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
    if args.paths.iter().any(|path| is_same_file(path, &output)) || is_policy_name(&output) {
        return Err(Stop::Usage(format!(
            "{output}: would overwrite a policy; name another file with `-o`"
        )));
    }
    let compiled = library::compile(&args.paths, args.max_states);
    render::tell(&compiled.sources, &compiled.diagnostics, args.format)?;
    let exit = compiled.exit(&args.paths);
    let Some((_, artifact)) = compiled.built else {
        message(&format!(
            "nothing built: {}",
            render::in_words(render::count(&compiled.diagnostics))
        ));
        return Ok(exit.worse(Exit::Findings));
    };
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
                "{output}: {} contracts, {} bytes",
                artifact.model.contracts.len(),
                bytes.len()
            ));
        }
    }
    Ok(Exit::Clean)
}

/// Whether two paths name one file.
fn is_same_file(a: &str, b: &str) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
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

/// Writes a file so that a reader, or a crash, sees the old or the new content and nothing between.
/// Through a link, the file that it names is replaced, not the link. The mode of an old file is
/// kept; a new one has what the user's mask leaves of 0666. A device or pipe, and a file with
/// several names (which would come apart), are written in place.
///
/// # Errors
///
/// Where the file is read-only, or the folder cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    if old
        .as_ref()
        .is_some_and(|old| !old.is_file() || has_several_names(old))
    {
        return fs::write(&path, bytes);
    }
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            "the file is read-only",
        ));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctrc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Some(old) = old {
        fs::set_permissions(temporary.path(), old.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
fn has_several_names(file: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) > 1
}

#[cfg(not(unix))]
fn has_several_names(_: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn keeps_modes_links_and_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;

        // A new file has the mode that others made at the same time have.
        fs::write(at("other"), "").unwrap();
        write_atomically(&at("new"), b"1").unwrap();
        assert_eq!(mode("new"), mode("other"));

        fs::set_permissions(at("new"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("new", at("link")).unwrap();
        write_atomically(&at("link"), b"2").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("new")).unwrap(), b"2");
        assert_eq!(mode("new"), 0o640);

        fs::hard_link(at("new"), at("twin")).unwrap();
        write_atomically(&at("twin"), b"3").unwrap();
        assert_eq!(fs::read(at("new")).unwrap(), b"3");
        assert_eq!(fs::metadata(at("new")).unwrap().nlink(), 2);

        fs::set_permissions(at("other"), fs::Permissions::from_mode(0o444)).unwrap();
        assert!(write_atomically(&at("other"), b"4").is_err());
        assert_eq!(fs::read(at("other")).unwrap(), b"");
        // Nothing is left behind.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
