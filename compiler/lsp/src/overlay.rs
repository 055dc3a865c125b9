//! The files as the editor has them: open buffers over the disk.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use ctr_front::world::{DiskWorld, ReadError, World, normalise};

use crate::documents::Documents;
use crate::library;
use crate::uri;

/// Buffers over the disk. Keeps note of all that was asked for, found or not: when one of those changes,
/// what was read is old.
pub(crate) struct Overlay<'d> {
    documents: &'d Documents,
    asked: Mutex<BTreeSet<String>>,
}

impl<'d> Overlay<'d> {
    pub(crate) fn new(documents: &'d Documents) -> Self {
        Self {
            documents,
            asked: Mutex::default(),
        }
    }

    /// The canonical paths of the files and folders that were asked for.
    pub(crate) fn asked(self) -> BTreeSet<String> {
        self.asked
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &str) -> String {
        let path = canonical(path);
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.clone());
        path
    }
}

/// The identity of a path, whether or not a buffer hides the file.
pub(crate) fn canonical(path: &str) -> String {
    if uri::is_no_file(path) {
        return path.to_owned();
    }
    if !is_whole(path)
        && !library::is_module(path)
        && let Ok(here) = std::env::current_dir()
    {
        // Settings are called as they are seen from here, also where only the editor has them.
        let here = here.to_string_lossy().replace('\\', "/");
        return identity(&format!("{here}/{path}"));
    }
    identity(path)
}

fn identity(path: &str) -> String {
    let real = |path: &str| {
        let real = std::fs::canonicalize(path).ok()?;
        Some(real.to_string_lossy().replace('\\', "/"))
    };
    if let Some(real) = real(path) {
        return real;
    }
    // A file that is not there yet, or no longer, has the name that it has when it is there.
    let plain = normalise(&DiskWorld.canonical(path));
    let mut above = plain.as_str();
    while let Some((folder, _)) = above
        .rsplit_once('/')
        .filter(|(folder, _)| !folder.is_empty())
    {
        if let Some(real) = real(folder) {
            let rest = plain.get(folder.len()..).unwrap_or_default();
            return format!("{}{rest}", real.trim_end_matches('/'));
        }
        above = folder;
    }
    plain
}

/// Whether a canonical path is that of a file or of a document without one: modules that come with the compiler have names that look
/// like paths.
pub(crate) fn is_whole(path: &str) -> bool {
    path.starts_with('/') || path.starts_with("untitled:") || path.get(1..2) == Some(":")
}

impl World for Overlay<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let path = self.note(path);
        match self.documents.get(&path) {
            Some(document) => Ok(document.text.clone().into_bytes()),
            None => DiskWorld.read(&path),
        }
    }

    fn canonical(&self, path: &str) -> String {
        canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let folder_path = self.note(folder);
        let mut names = DiskWorld.names(folder);
        let inside = |path: &String| {
            let name = path.strip_prefix(&folder_path)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        };
        for name in self.documents.keys().filter_map(inside) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// A server starts in the folder of the workspace, and settings are called as they are seen from there: also those that
    /// only the editor has, or that were deleted behind its back.
    #[test]
    fn files_that_are_not_there_are_seen_from_here() {
        let here = std::env::current_dir().unwrap();
        let here = std::fs::canonicalize(here).unwrap();
        let here = here.to_string_lossy().replace('\\', "/");
        assert_eq!(canonical("gone.toml"), format!("{here}/gone.toml"));
        assert_eq!(canonical("a/../b/x.ctr"), format!("{here}/b/x.ctr"));
        let above = here.rsplit_once('/').unwrap().0;
        assert_eq!(canonical("../gone.toml"), format!("{above}/gone.toml"));
        assert_eq!(canonical("src/lib.rs"), format!("{here}/src/lib.rs"));
        // What comes with the compiler is nowhere.
        assert_eq!(canonical("std/declare.ctr"), "std/declare.ctr");
        assert_eq!(canonical("untitled:a"), "untitled:a");
    }
}
