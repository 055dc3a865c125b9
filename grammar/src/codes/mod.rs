//! The codes of the lexer and the parser, and the form in which every crate documents its codes.

mod doc;
mod syntax;
mod text;

pub use doc::{CodeDoc, Exempt, Files, PAGES};

/// The documentation of a code of this crate.
#[must_use]
pub fn lookup(code: &str) -> Option<&'static CodeDoc> {
    all().find(|doc| doc.code == code)
}

/// All codes of this crate, in order.
pub fn all() -> impl Iterator<Item = &'static CodeDoc> {
    text::CODES.iter().chain(syntax::CODES)
}
