//! The members of a set as they are told: name, line, text.

use super::{Named, steps};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A formula of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; `c1`, `c2` and so on for the conjuncts of a single formula.
    pub name: String,
    /// The line where the formula begins, from 1.
    pub line: usize,
    /// The formula as it is written.
    pub text: String,
}

impl Member {
    pub(super) fn new(named: &Named, text: &str) -> Self {
        Self {
            name: named.name.clone(),
            line: named.line,
            text: text.get(named.span.clone()).unwrap_or("").to_owned(),
        }
    }

    /// A line with name, place and a text that is not too long.
    pub(super) fn human(&self, out: &mut String, width: usize) {
        let _ = writeln!(
            out,
            "  {:<width$}  line {}: {}",
            self.name,
            self.line,
            steps::shortened(&self.text)
        );
    }

    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "line": self.line, "formula": self.text})
    }
}

/// What the names take, for a column of them.
pub(super) fn width<'a>(members: impl IntoIterator<Item = &'a Member>) -> usize {
    let longest = members
        .into_iter()
        .map(|member| member.name.chars().count());
    longest.max().unwrap_or(0).min(40)
}
