//! The documentation of the codes E0400 to E0599 and W0400 to W0599: names, types, formulas.
//!
//! Each has an example that is wrong in this way alone and one that is right; the tests check both.

mod aggregates;
mod contracts;
mod formulas;
mod lints;
mod lints_conditions;
mod lints_names;
mod lints_regex;
mod names;
mod types;

use crate::diagnostic::CodeDoc;

/// All of them, errors before warnings.
pub fn all() -> impl Iterator<Item = &'static CodeDoc> {
    [
        names::CODES,
        formulas::CODES,
        aggregates::CODES,
        types::CODES,
        contracts::CODES,
        lints::CODES,
        lints_names::CODES,
        lints_regex::CODES,
        lints_conditions::CODES,
    ]
    .into_iter()
    .flatten()
}
