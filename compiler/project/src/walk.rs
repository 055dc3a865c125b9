//! Finding the policies that paths name.

use std::collections::BTreeSet;
use std::path::Path;

use ctr_front::config::FILE_NAME;
use ctr_trace::files::describe;

use crate::error::Error;
use crate::settings::Settings;

/// What a search of a folder came upon.
#[derive(Debug, Default)]
pub struct Found {
    /// The policies, in order of name, folder by folder.
    pub policies: Vec<String>,
    /// Whether there are policies, or folders, that the settings leave out.
    pub left_out: bool,
    /// What could not be read, or has no name that is text.
    pub problems: Vec<Error>,
}

/// The policies that paths name, each once: files as they are, folders searched for `.ctr` in order of name.
/// The first list holds the files named, the second those found in folders, without what the settings
/// leave out. `note` is told of each path and folder before it is looked at.
///
/// # Errors
///
/// For a path that is missing, or a folder without policies.
pub fn policies(
    paths: &[String],
    settings: &Settings<'_>,
    note: &dyn Fn(&str),
) -> Result<(Vec<String>, Vec<String>), Error> {
    let mut named = Vec::new();
    let mut found = Vec::new();
    for path in paths {
        note(path);
        let is_folder = std::fs::metadata(path)
            .map_err(|error| Error::Unreadable {
                path: path.clone(),
                why: describe(&error),
                near: near(path),
            })?
            .is_dir();
        if !is_folder {
            named.push(path.clone());
            continue;
        }
        let below = folder(path, settings, note);
        if let Some(problem) = below.problems.into_iter().next() {
            return Err(problem);
        }
        if below.policies.is_empty() {
            return Err(Error::Empty {
                path: path.clone(),
                left_out: below.left_out,
            });
        }
        found.extend(below.policies);
    }
    once(&mut named);
    once(&mut found);
    Ok((named, found))
}

/// The policies of a folder and those below it. A `ctrc.toml` that counts for none of them is told to the settings.
#[must_use]
pub fn folder(path: &str, settings: &Settings<'_>, note: &dyn Fn(&str)) -> Found {
    let mut found = Found::default();
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
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                found.problems.push(Error::Below(error.to_string()));
                continue;
            }
        };
        let name = entry.path().to_string_lossy();
        if entry.file_type().is_dir() {
            note(&name);
        }
        if is_policy(&entry) {
            if entry.path().to_str().is_none() {
                let path = name.into_owned();
                found.problems.push(Error::NotUtf8 { path });
                continue;
            }
            found
                .policies
                .push(name.strip_prefix("./").unwrap_or(&name).to_owned());
        } else if entry.depth() > 1 && entry.file_name() == FILE_NAME {
            idle.push(name.strip_prefix("./").unwrap_or(&name).to_owned());
        }
    }
    found.left_out = left_out;
    if !found.policies.is_empty() {
        for config in idle {
            let folder = config.strip_suffix(FILE_NAME).unwrap_or(&config);
            if !found
                .policies
                .iter()
                .any(|policy| policy.starts_with(folder))
            {
                settings.idle(&config);
            }
        }
    }
    found
}

/// A file or folder beside a path that is not there, of nearly its name.
fn near(path: &str) -> Option<String> {
    let path = Path::new(path);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if path.exists() {
        return None;
    }
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let name = path.file_name()?.to_str()?;
    let near = ctr_front::suggest::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
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
pub fn once(paths: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
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
