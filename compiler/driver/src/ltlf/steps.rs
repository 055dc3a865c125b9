//! Traces as text and JSON, and the lines of figures around them.

use super::lexer::is_plain;
use ctr_logic::Letter;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

/// What a name takes in a line of figures.
const NAME: usize = 20;

/// A line of figures.
pub(super) fn line(out: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{name:<NAME$}{value}");
}

/// A line with the time of a phase.
pub(super) fn time(out: &mut String, name: &str, time: Duration) {
    line(out, name, format_args!("{:.6} s", time.as_secs_f64()));
}

/// The result in a word.
pub(super) fn result(satisfiable: bool) -> &'static str {
    if satisfiable {
        "satisfiable"
    } else {
        "unsatisfiable"
    }
}

/// A name as people are shown it: in quotes where it holds spaces, control characters or nothing.
pub(super) fn shown(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", visible(name)))
    }
}

/// The text with control characters told by their codes.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_debug());
        } else {
            out.push(c);
        }
    }
    out
}

/// A formula's text on one line, its middle left out where it is long.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = visible(&words.join(" "));
    let length = line.chars().count();
    if length <= MOST {
        return line;
    }
    let part = MOST / 2 - 2;
    let from = |skip: usize| line.chars().skip(skip);
    let start: String = from(0).take(part).collect();
    let end: String = from(length - part).collect();
    format!("{start} ... {end}")
}

/// `1 step`, `2 steps`.
pub(super) fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// The length of a trace, and how it is to be read.
pub(super) fn length(trace: &[Letter]) -> String {
    format!(
        "{} (atoms that are not named are false)",
        count(trace.len(), "step")
    )
}

/// A line for each step with the atoms that are true; all others may be false.
pub(super) fn human(out: &mut String, indent: &str, trace: &[Letter], atoms: &[String]) {
    let width = trace.len().to_string().len();
    for (index, letter) in trace.iter().enumerate() {
        let named: Vec<Cow<'_, str>> = true_atoms(letter, atoms).into_iter().map(shown).collect();
        let named = if named.is_empty() {
            "-".to_owned()
        } else {
            named.join(" ")
        };
        let step = index + 1;
        let _ = writeln!(out, "{indent}{step:>width$}  {named}");
    }
}

/// The trace as an array: for each step the atoms that are true and those that are false. Atoms in
/// neither list are free.
pub(super) fn free(trace: &[Letter], atoms: &[String]) -> Value {
    let steps: Vec<Value> = trace
        .iter()
        .map(|letter| {
            json!({"true": true_atoms(letter, atoms), "false": with_value(letter, false, atoms)})
        })
        .collect();
    steps.into()
}

/// The trace as an array: for each step the atoms that are true. All others are false.
pub(super) fn closed(trace: &[Letter], atoms: &[String]) -> Value {
    let steps: Vec<Value> = trace
        .iter()
        .map(|letter| true_atoms(letter, atoms).into())
        .collect();
    steps.into()
}

/// By number: as the text mentions them first.
fn true_atoms<'a>(letter: &Letter, atoms: &'a [String]) -> Vec<&'a str> {
    with_value(letter, true, atoms)
}

fn with_value<'a>(letter: &Letter, value: bool, atoms: &'a [String]) -> Vec<&'a str> {
    let mut numbers: Vec<u32> = letter
        .iter()
        .filter(|(_, has)| *has == value)
        .map(|&(atom, _)| atom)
        .collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|atom| name(atom, atoms)).collect()
}

fn name(atom: u32, atoms: &[String]) -> &str {
    atoms.get(atom as usize).map_or("?", String::as_str)
}
