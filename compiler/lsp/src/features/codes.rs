//! All codes of the compiler's findings.

use ctr_front::diagnostic::CodeDoc;

/// The codes of all crates, in order of their tables.
pub(crate) fn all() -> impl Iterator<Item = &'static CodeDoc> {
    ctr_front::codes::all()
        .chain(ctr_emit::CODES)
        .chain(ctr_check::CODES)
}

/// The code of that name.
pub(crate) fn find(code: &str) -> Option<&'static CodeDoc> {
    all().find(|doc| doc.code == code)
}
