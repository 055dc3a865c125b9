//! Policies and artifacts from paths.

use std::path::Path;

use ctr_emit::Artifact;
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{self, Source};
use ctr_project::compiled::{self, is_undecided};
use ctr_project::{Compiled, Looked, Settings, walk};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::Model;
use ctr_trace::files::describe;

use crate::exit::{Exit, Stop};
use crate::render;
use crate::watch;
use crate::world::Disk;

/// Codes of files that cannot be read.
const UNREADABLE: [&str; 5] = ["E0200", "E0201", "E0202", "E0203", "E0204"];

/// How a verb about policies ends: with 2 where one of the files that the user named cannot be read, else
/// by its findings. A file that a policy asks for and that is missing is a finding.
#[must_use]
pub fn exit(sources: &[Source], diagnostics: &[Diagnostic], paths: &[String]) -> Exit {
    let unreadable = diagnostics.iter().any(|found| {
        UNREADABLE.contains(&found.code)
            && sources
                .get(found.primary.place.source.0 as usize)
                .is_some_and(|source| {
                    paths.contains(&source.path)
                        && (found.code == "E0204" || source.text.is_empty())
                })
    });
    if unreadable {
        Exit::Usage
    } else if render::count(diagnostics).errors > 0 {
        Exit::Findings
    } else if diagnostics.iter().any(is_undecided) {
        Exit::Undecided
    } else {
        Exit::Clean
    }
}

/// Compiles policies as one library. Neither comments nor settings are laid over the findings yet.
#[must_use]
pub fn compile(paths: &[String], max_states: usize) -> Compiled {
    compiled::compile(&Disk, paths, max_states)
}

/// Opens a library to judge with: one artifact, or policies. Findings of policies are told.
///
/// # Errors
///
/// Where it cannot be read, or the policies have errors.
pub fn open(paths: &[String]) -> Result<Library<'static>, Stop> {
    let bytes = match paths {
        [artifact] if is_artifact(artifact) => read_artifact(artifact)?,
        _ => {
            if let Some(artifact) = paths.iter().find(|path| is_artifact(path)) {
                return Err(Stop::Usage(format!(
                    "{artifact}: an artifact is a whole library; it cannot be joined with others"
                )));
            }
            open_policies(paths)?.1.bytes
        }
    };
    let name = paths.first().map_or("", String::as_str);
    load(name, bytes)
}

/// Compiles policies that must be without errors.
///
/// # Errors
///
/// Where they have some; they have been told then.
pub fn open_policies(paths: &[String]) -> Result<(ir::Library, Artifact), Stop> {
    let settings = Settings::means(&Disk);
    let mut compiled = compile(paths, settings.max_states(paths, None));
    settings.judge(&mut compiled, paths, Looked::Compiled);
    settings.add_findings(&mut compiled);
    let errors = render::count(&compiled.diagnostics).errors;
    render::tell_human(&compiled.sources, &compiled.diagnostics);
    if errors == 0
        && let Some(built) = compiled.built
    {
        return Ok(built);
    }
    Err(Stop::Usage(format!(
        "the library `{}` has {}",
        paths.join("`, `"),
        render::in_words(render::count(&compiled.diagnostics))
    )))
}

/// Loads an artifact's bytes.
///
/// # Errors
///
/// Where they are no valid artifact.
pub fn load(name: &str, bytes: Vec<u8>) -> Result<Library<'static>, Stop> {
    Library::load(bytes).map_err(|error| Stop::Usage(format!("{name}: {error}")))
}

/// An artifact of more bytes than this is refused; automata have at most 20,000 states unless a flag says
/// otherwise.
const MAX_ARTIFACT: u64 = 1 << 30;

/// Reads an artifact's bytes.
///
/// # Errors
///
/// Where the file cannot be read, is no regular file or is larger than any artifact.
pub fn read_artifact(path: &str) -> Result<Vec<u8>, Stop> {
    let told = |what: &str| Stop::Usage(format!("{path}: {what}"));
    let found = std::fs::metadata(path).map_err(|error| told(&describe(&error)))?;
    if found.is_dir() {
        return Err(told("is a folder"));
    }
    // A pipe without a writer would be waited for without end.
    if !found.is_file() {
        return Err(told("is no regular file"));
    }
    if found.len() > MAX_ARTIFACT {
        return Err(told(&format!("is larger than {} GiB", MAX_ARTIFACT >> 30)));
    }
    std::fs::read(path).map_err(|error| told(&describe(&error)))
}

/// Whether two paths name one file, by links of either kind.
#[must_use]
pub fn is_same_file(a: &str, b: &str) -> bool {
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b || is_same_inode(&a, &b),
        _ => a == b,
    }
}

#[cfg(unix)]
fn is_same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let inode = |path: &Path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((inode(a), inode(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(not(unix))]
fn is_same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// Keeps what was read from being written over.
///
/// # Errors
///
/// Where `output` is one of the files that were read.
pub fn keep<'p>(output: &str, read: impl IntoIterator<Item = &'p str>) -> Result<(), Stop> {
    if output != "-" && read.into_iter().any(|path| is_same_file(path, output)) {
        return Err(Stop::Usage(format!(
            "{output}: would be overwritten, and it is what was read; name another file"
        )));
    }
    Ok(())
}

/// That a library has no contract of that name, with the nearest one that it has.
#[must_use]
pub fn no_contract(model: &Model, name: &str) -> Stop {
    let names = model.contracts.iter().map(|c| c.name.as_str());
    let hint = ctr_front::suggest::nearest(name, names)
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default();
    Stop::Usage(format!("the library has no contract `{name}`{hint}"))
}

/// Whether a path names an artifact, by its ending, or by its first bytes where it has another.
#[must_use]
pub fn is_artifact(path: &str) -> bool {
    let by_name = |ending: &str| {
        Path::new(path)
            .extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    if by_name("ctrb") {
        return true;
    }
    if by_name("ctr") {
        return false;
    }
    // What is read of a pipe is gone, and one that nobody writes to never opens.
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    std::fs::File::open(path).is_ok_and(|file| {
        use std::io::Read;
        let mut magic = Vec::new();
        file.take(4).read_to_end(&mut magic).is_ok() && magic == b"CTRB"
    })
}

/// The policies that paths name ([`walk::policies`]).
///
/// # Errors
///
/// For a path that is missing, or a folder without policies.
pub fn policies(
    paths: &[String],
    settings: &Settings<'_>,
) -> Result<(Vec<String>, Vec<String>), Stop> {
    Ok(walk::policies(paths, settings, &watch::note)?)
}
