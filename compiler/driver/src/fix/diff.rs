//! What would change in a file, as a unified diff.

use similar::TextDiff;

/// Lines around a change that are shown.
const CONTEXT: usize = 3;

/// The difference between two texts of a file as `diff -u` writes it; empty where there is none.
#[must_use]
pub fn unified(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(path, path)
        .to_string()
}
