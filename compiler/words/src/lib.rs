//! Contracts in English, for those who check a policy against the prose that it is to enforce.
//!
//! The words are made from the core IR, so they say what is enforced and not how it was written: a formula in bare
//! operators that means `never P after Q` is said as that. They are a language of their own, small enough that
//! [`reader`] reads them back into formulas; tests show that what it reads has the meaning of what was said, in
//! one way only. No input, no output: the command line and the editor use it.

mod contract;
mod formula;
mod logic;
pub mod reader;
mod shapes;
mod states;
mod text;
mod values;

pub use contract::{ClauseWords, ContractWords, GroupWords, contract, contract_within};
pub use logic::equivalent;
pub use states::{StateKind, StateWords, Way};
pub use text::{Item, Phrase, Piece, Style, code_span};
pub use values::duration;

use ctr_front::ir::{Formula, Library};

/// A formula as a sentence with points, said of the first step of a session. `keys` are the names of the
/// contract's keys.
#[must_use]
pub fn formula(library: &Library, keys: &[String], formula: &Formula) -> Item {
    values::Speaker { library, keys }.clause(formula)
}
