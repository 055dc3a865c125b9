//! The texts of the policies, where they are still what the library was made from.

use std::path::Path;

use ctr_runtime::format::Library;
use ctr_runtime::format::model::Place;
use sha2::{Digest as _, Sha256};

/// So many lines of a place are shown.
const MAX_LINES: usize = 60;

/// The sources of a library.
#[derive(Debug)]
pub struct Sources {
    texts: Vec<Option<String>>,
}

impl Sources {
    /// Reads them. A file that is missing or has changed since is left out: its lines would mislead. `paths`
    /// are what the user named as the library; the sources of an artifact are also looked for beside it.
    #[must_use]
    pub fn read(library: &Library<'_>, paths: &[String]) -> Self {
        let folders: Vec<&Path> = paths
            .iter()
            .filter_map(|path| Path::new(path).parent())
            .collect();
        let texts = (0..library.source_count())
            .map(|id| {
                let source = library.source(id);
                let beside = folders.iter().map(|folder| folder.join(source.path));
                std::iter::once(source.path.into())
                    .chain(beside)
                    .filter_map(|path| std::fs::read_to_string(path).ok())
                    .find(|text| Sha256::digest(text).as_slice() == source.sha256)
            })
            .collect();
        Self { texts }
    }

    /// The lines of a place with their numbers, and how many more there are.
    #[must_use]
    pub fn lines(&self, library: &Library<'_>, place: Place) -> Option<(Vec<(u32, &str)>, usize)> {
        let text = self.texts.get(place.source as usize)?.as_ref()?;
        let source = library.source(place.source);
        let (first, _) = source.line_col(place.start);
        let (last, _) = source.line_col(place.end.saturating_sub(1).max(place.start));
        let wanted = last.saturating_sub(first) as usize + 1;
        let lines: Vec<(u32, &str)> = (first..)
            .zip(text.lines().skip(first.saturating_sub(1) as usize))
            .take(wanted.min(MAX_LINES))
            .collect();
        (!lines.is_empty()).then(|| (lines, wanted.saturating_sub(MAX_LINES)))
    }
}

/// `policy.ctr:12`
#[must_use]
pub fn place_in_words(library: &Library<'_>, place: Place) -> String {
    let source = library.source(place.source);
    let (line, _) = source.line_col(place.start);
    format!("{}:{line}", source.path)
}
