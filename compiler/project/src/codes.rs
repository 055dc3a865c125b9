//! All codes of all crates of the compiler.

use ctr_front::diagnostic::CodeDoc;

/// The documentation of all codes, in order.
#[must_use]
pub fn all() -> Vec<&'static CodeDoc> {
    let mut all: Vec<&CodeDoc> = docs().collect();
    all.sort_by_key(|doc| doc.code);
    all
}

/// All codes, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    all().iter().map(|doc| doc.code).collect()
}

/// The documentation of a code, written as it is given to findings.
#[must_use]
pub fn lookup(code: &str) -> Option<&'static CodeDoc> {
    docs().find(|doc| doc.code == code)
}

fn docs() -> impl Iterator<Item = &'static CodeDoc> {
    ctr_front::codes::all()
        .chain(ctr_emit::CODES)
        .chain(ctr_check::CODES)
}
