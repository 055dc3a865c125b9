//! Bare LTLf formulas, for people who compare engines: readers of the syntaxes in use, and reports
//! on automata, satisfiability and unsatisfiable cores.
//!
//! | kind | one or many | next | others |
//! | --- | --- | --- | --- |
//! | [`Kind::Ltlf`] (`.ltlf`) | one formula | `X[!]` strong, `X` weak | `U R W M F G`, past `Y Z O H S T` |
//! | [`Kind::Pltl`] (`.pltl`) | one formula | `X` strong, `wX` weak | the same |
//! | [`Kind::Conj`] (`.conj`) | `name := formula`, one a line | as `.ltlf` | the same |
//! | [`Kind::AaltafUc`] (`.aaltafuc`) | `name := formula;` | `X` strong, `N` weak | `U R V W F G` |
//!
//! In all: `!` or `~`, `&` or `&&`, `|` or `||`, `->`, `<->`, `true` and `false` in three spellings
//! (`true`, `True`, `TRUE`), atoms as identifiers or in double quotes, comments from `#` to the end
//! of the line. Prefix operators bind tightest, then the binary temporal operators (right
//! associative), `&`, `|`, `->` (right associative), `<->`. Many formulas mean their conjunction.

mod cores;
mod lexer;
mod member;
mod mona;
mod notes;
mod parser;
mod report;
mod sat;
mod steps;
mod tree;

pub use cores::{CoresReport, cores};
pub use member::Member;
pub use mona::{Mona, mona};
pub use parser::{Named, Problem, SyntaxError, parse};
pub use report::{Failure, Report, dfa, dot, option_of};
pub use sat::{SatReport, sat};

use std::path::Path;

/// A syntax of bare formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One formula, `X[!]` strong and `X` weak.
    Ltlf,
    /// One formula, `X` strong and `wX` weak.
    Pltl,
    /// Named formulas, one a line, in the operators of [`Kind::Ltlf`].
    Conj,
    /// Named formulas, each ended by a semicolon, `X` strong.
    AaltafUc,
}

impl Kind {
    /// The syntax that a file's extension stands for.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "ltlf" => Some(Self::Ltlf),
            "pltl" => Some(Self::Pltl),
            "conj" => Some(Self::Conj),
            "aaltafuc" => Some(Self::AaltafUc),
            _ => None,
        }
    }

    fn is_named(self) -> bool {
        matches!(self, Self::Conj | Self::AaltafUc)
    }
}

#[cfg(test)]
mod tests;
