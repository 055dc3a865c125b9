//! The members of a set as they are told: name, line, text.

use super::report::problem;
use super::{Failure, Kind, Named, steps};
use ctr_logic::{Arena, Error, Formula};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// A question about the members of a text, with its answer.
pub(super) struct Asked<T> {
    pub(super) members: Vec<Member>,
    /// The names of the atoms, by number.
    pub(super) atoms: Vec<String>,
    /// What may be meant otherwise.
    pub(super) notes: Vec<String>,
    pub(super) answer: T,
    /// Reading the text and building the formulas.
    pub(super) read: Duration,
    /// Answering.
    pub(super) answered: Duration,
}

/// Reads a text and asks the engine about its members.
///
/// # Errors
///
/// A syntax error, or what the engine said.
pub(super) fn ask<T>(
    text: &str,
    kind: Kind,
    question: impl FnOnce(&Arena, &[Formula]) -> Result<T, Error>,
) -> Result<Asked<T>, Failure> {
    let start = Instant::now();
    let problem = problem(text, kind)?;
    let formulas: Vec<Formula> = problem.members.iter().map(|m| m.formula).collect();
    let read = start.elapsed();
    let start = Instant::now();
    let answer = question(&problem.arena, &formulas).map_err(Failure::Engine)?;
    let answered = start.elapsed();
    let members = problem.members.iter();
    Ok(Asked {
        members: members.map(|named| Member::new(named, text)).collect(),
        atoms: problem.atoms,
        notes: problem.notes,
        answer,
        read,
        answered,
    })
}

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
    fn new(named: &Named, text: &str) -> Self {
        Self {
            name: named.name.clone(),
            line: named.line,
            text: text.get(named.span.clone()).unwrap_or("").to_owned(),
        }
    }

    /// A line with name, place and a text that is not too long.
    fn human(&self, out: &mut String, width: usize) {
        let _ = writeln!(
            out,
            "  {:<width$}  line {}: {}",
            steps::shown(&self.name),
            self.line,
            steps::shortened(&self.text)
        );
    }

    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "line": self.line, "formula": self.text})
    }
}

/// Lines for the members with these indices.
pub(super) fn human(out: &mut String, members: &[Member], indices: &[usize]) {
    let width = width(chosen(members, indices));
    for member in chosen(members, indices) {
        member.human(out, width);
    }
}

/// The members with these indices.
pub(super) fn chosen<'a>(
    members: &'a [Member],
    indices: &'a [usize],
) -> impl Iterator<Item = &'a Member> {
    indices.iter().filter_map(|&index| members.get(index))
}

/// What the names take, for a column of them.
fn width<'a>(members: impl IntoIterator<Item = &'a Member>) -> usize {
    let longest = members
        .into_iter()
        .map(|member| steps::shown(&member.name).chars().count());
    longest.max().unwrap_or(0).min(40)
}
