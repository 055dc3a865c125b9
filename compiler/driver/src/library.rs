//! Policies and artifacts from paths.

use std::collections::BTreeSet;
use std::path::Path;

use ctr_emit::Artifact;
use ctr_front::config::FILE_NAME;
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{self, Place, Source, SourceId};
use ctr_front::suppress::{self, Suppressions, Unused};
use ctr_front::world::World;
use ctr_logic::Limits;
use ctr_runtime::format::Library;
use ctr_runtime::format::model::Model;

use crate::config::{Looked, Settings, is_undecided};
use crate::exit::{Exit, Stop};
use crate::render;
use crate::trace::files::describe;
use crate::verbs::explain::codes::all_codes;
use crate::watch;
use crate::world::Disk;

/// What this program calls itself in artifacts.
pub const COMPILER: &str = concat!("ctrc ", env!("CARGO_PKG_VERSION"));

/// What compiling some policies gave.
#[derive(Debug)]
pub struct Compiled {
    /// The artifact and the library that it was made from; `None` where there are errors.
    pub built: Option<(ir::Library, Artifact)>,
    /// The findings, in order of file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: Vec<Source>,
    /// Those that come with the compiler.
    pub shipped: BTreeSet<SourceId>,
    /// The comments that allow warnings.
    pub suppressions: Suppressions,
    /// Of these, once the findings were judged: those that allowed nothing.
    pub unused: Vec<Unused>,
    /// And those that allowed something, each with a code.
    pub used: Vec<(Place, String)>,
}

/// Codes of files that cannot be read.
const UNREADABLE: [&str; 5] = ["E0200", "E0201", "E0202", "E0203", "E0204"];

impl Compiled {
    /// Only what [`Settings::unused`] needs.
    pub(crate) fn clone_for_unused(&self) -> Self {
        Self {
            built: None,
            diagnostics: Vec::new(),
            sources: self.sources.clone(),
            shipped: self.shipped.clone(),
            suppressions: Suppressions::default(),
            unused: self.unused.clone(),
            used: Vec::new(),
        }
    }

    /// How a verb about policies ends ([`exit`]).
    #[must_use]
    pub fn exit(&self, paths: &[String]) -> Exit {
        exit(&self.sources, &self.diagnostics, paths)
    }
}

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
    compile_in(&Disk, paths, max_states)
}

/// [`compile`], with files from elsewhere.
#[must_use]
pub fn compile_in(world: &dyn World, paths: &[String], max_states: usize) -> Compiled {
    let compiled = ctr_front::compile(world, paths);
    let codes: Vec<&str> = all_codes().iter().map(|doc| doc.code).collect();
    let suppressions = suppress::read(&compiled.graph, &codes);
    let units = compiled.graph.units.iter();
    let shipped = units.filter(|unit| unit.library).map(|unit| unit.source);
    let shipped = shipped.collect();
    let sources = compiled.graph.sources;
    let mut diagnostics = compiled.diagnostics;
    let built = compiled.library.and_then(|library| {
        match ctr_emit::build(&library, COMPILER, &limits(max_states)) {
            Ok(mut artifact) => {
                diagnostics.append(&mut artifact.warnings);
                diagnostics.sort_by_key(|found| {
                    let place = found.primary.place;
                    (place.source, place.span.start)
                });
                Some((library, artifact))
            }
            Err(mut found) => {
                diagnostics.append(&mut found);
                None
            }
        }
    });
    Compiled {
        built,
        diagnostics,
        sources,
        shipped,
        suppressions,
        unused: Vec::new(),
        used: Vec::new(),
    }
}

/// Limits of an automaton.
#[must_use]
pub fn limits(max_states: usize) -> Limits<'static> {
    Limits {
        states: max_states,
        ..Limits::default()
    }
}

/// The most states of an automaton where no flag says otherwise.
#[must_use]
pub fn default_max_states() -> usize {
    Limits::default().states
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
    let settings = Settings::means();
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

/// A file or folder beside a path that is not there, of nearly its name, as the end of a message.
fn near(path: &str) -> String {
    let path = Path::new(path);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if path.exists() {
        return String::new();
    }
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    path.file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| ctr_front::suggest::nearest(name, names.iter().map(String::as_str)))
        .map(|name| {
            let meant = path.with_file_name(name);
            format!("; did you mean `{}`?", meant.display())
        })
        .unwrap_or_default()
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

/// The policies that paths name, each once: files as they are, folders searched for `.ctr` in order of name.
/// The first list holds the files named, the second those found in folders, without what the settings
/// leave out.
///
/// # Errors
///
/// For a path that is missing, or a folder without policies.
pub fn policies(paths: &[String], settings: &Settings) -> Result<(Vec<String>, Vec<String>), Stop> {
    let mut named = Vec::new();
    let mut found = Vec::new();
    for path in paths {
        watch::note(path);
        let is_folder = std::fs::metadata(path)
            .map_err(|error| Stop::Usage(format!("{path}: {}{}", describe(&error), near(path))))?
            .is_dir();
        if !is_folder {
            named.push(path.clone());
            continue;
        }
        let before = found.len();
        let mut left_out = false;
        let mut idle: Vec<String> = Vec::new();
        for entry in walkdir::WalkDir::new(path)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| {
                if is_hidden(entry) {
                    return false;
                }
                let name = entry.path().to_string_lossy();
                // What was named is searched, whatever the settings say.
                let excluded =
                    entry.depth() > 0 && settings.excludes(&name, entry.file_type().is_dir());
                left_out |= excluded && (entry.file_type().is_dir() || name.ends_with(".ctr"));
                !excluded
            })
        {
            let entry = entry.map_err(|error| Stop::Usage(error.to_string()))?;
            if entry.file_type().is_dir() {
                watch::note(&entry.path().to_string_lossy());
            }
            if is_policy(&entry) {
                let name = entry.path().to_string_lossy();
                if entry.path().to_str().is_none() {
                    return Err(Stop::Usage(format!(
                        "{name}: the name is not UTF-8; rename the file"
                    )));
                }
                found.push(name.strip_prefix("./").unwrap_or(&name).to_owned());
            } else if entry.depth() > 1 && entry.file_name() == FILE_NAME {
                let name = entry.path().to_string_lossy();
                idle.push(name.strip_prefix("./").unwrap_or(&name).to_owned());
            }
        }
        if found.len() == before {
            let why = if left_out {
                "all policies of the folder are left out by the settings (`exclude`)"
            } else {
                "the folder holds no policies (files ending in `.ctr`)"
            };
            return Err(Stop::Usage(format!("{path}: {why}")));
        }
        for config in idle {
            let folder = config.strip_suffix(FILE_NAME).unwrap_or(&config);
            if !found.iter().any(|policy| policy.starts_with(folder)) {
                settings.idle(&config);
            }
        }
    }
    once(&mut named);
    once(&mut found);
    Ok((named, found))
}

/// Whether an entry of a folder is a policy: a file, or a link to one, whose name ends so. What has the name
/// and is neither (a link to nothing, a pipe) is taken too, so that it is told of and not passed over.
fn is_policy(entry: &walkdir::DirEntry) -> bool {
    let has_name = entry
        .path()
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("ctr"));
    // Emacs marks a file that is being edited by a link to nothing beside it.
    let is_lock = entry.file_name().to_string_lossy().starts_with(".#");
    has_name && !is_lock && !entry.path().is_dir()
}

/// Each path once: the first of those that name one file.
fn once(paths: &mut Vec<String>) {
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(std::fs::canonicalize(path).unwrap_or_else(|_| path.into())));
}

/// Hidden folders and build outputs hold no policies of the user's.
fn is_hidden(entry: &walkdir::DirEntry) -> bool {
    entry.depth() > 0
        && entry.file_type().is_dir()
        && entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with('.') || name == "target" || name == "node_modules")
}
