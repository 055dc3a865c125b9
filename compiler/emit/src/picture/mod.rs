//! Automata as pictures.
//!
//! [`automaton_to_svg`] draws without any other program, [`automaton_to_dot`] leaves the drawing to
//! Graphviz. Both say when an edge is taken in the policy's own words, as briefly as [`guard`] can, and both leave
//! out what no event does.

mod dot;
mod guard;
mod layers;
mod svg;

use std::collections::BTreeMap;

use ctr_runtime::format::model::{Automaton, Label, Model};
use guard::{Guard, Product};

pub use dot::automaton_to_dot;
pub use svg::{MAX_STATES, Theme, TooManyStates, automaton_to_svg, svg_style};

/// The edges of an automaton as events take them.
struct Graph {
    /// The states that events reach, the first one first.
    states: Vec<u32>,
    /// For each of them where it goes, and when.
    edges: Vec<BTreeMap<u32, Guard>>,
}

impl Graph {
    fn of(model: &Model, automaton: &Automaton) -> Self {
        let mut states = vec![automaton.initial];
        let mut seen = vec![false; automaton.states.len()];
        if let Some(first) = seen.get_mut(automaton.initial as usize) {
            *first = true;
        }
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(state) = states.get(next).copied() {
            let guards = guard::guards(model, automaton, state);
            for target in guards.keys() {
                if let Some(seen) = seen.get_mut(*target as usize)
                    && !std::mem::replace(seen, true)
                {
                    states.push(*target);
                }
            }
            edges.push(guards);
            next += 1;
        }
        Self { states, edges }
    }
}

/// An edge as events take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins, as an index of [`Automaton::states`].
    pub from: u32,
    /// Where it leads.
    pub to: u32,
    /// The steps at which it is taken, in the policy's own words.
    pub label: String,
}

/// The edges of an automaton that a picture shows, loops included.
///
/// # Errors
///
/// Where the automaton has more than [`MAX_STATES`] states.
pub fn automaton_edges(model: &Model, automaton: &Automaton) -> Result<Vec<Edge>, TooManyStates> {
    let graph = svg::drawable(model, automaton)?;
    let mut out = Vec::new();
    for (from, guards) in graph.states.iter().zip(&graph.edges) {
        for (to, guard) in guards {
            out.push(Edge {
                from: *from,
                to: *to,
                label: ways(model, guard).join(" or "),
            });
        }
    }
    Ok(out)
}

/// So many ways from one state to another are spelt out on an edge.
const MAX_WAYS: usize = 6;

/// A guard in words, a way each: they hold if one of them does.
fn ways(model: &Model, guard: &Guard) -> Vec<String> {
    let sum = match guard {
        Guard::Otherwise => return vec!["any other step".to_owned()],
        Guard::Unsaid => return vec!["a step that is too long to tell here".to_owned()],
        Guard::Sum(sum) => sum,
    };
    let mut ways: Vec<String> = sum
        .iter()
        .take(MAX_WAYS)
        .map(|product| words(model, product))
        .collect();
    let more = sum.len().saturating_sub(MAX_WAYS);
    if more > 0 {
        ways.push(format!("... ({more} more)"));
    }
    ways
}

/// A conjunction of atoms in words, what holds before what does not.
fn words(model: &Model, product: &Product) -> String {
    if product.is_empty() {
        return "any step".to_owned();
    }
    let text = |atom: u32| {
        model
            .atoms
            .get(atom as usize)
            .map_or("?", |atom| atom.text.as_str())
    };
    let holds = product.iter().filter(|(_, value)| *value);
    let fails = product.iter().filter(|(_, value)| !*value);
    let mut parts: Vec<String> = holds.map(|(atom, _)| text(*atom).to_owned()).collect();
    parts.extend(fails.map(|(atom, _)| {
        let text = text(*atom);
        if is_one_word_group(text) {
            format!("not {text}")
        } else {
            format!("not ({text})")
        }
    }));
    parts.join(" and ")
}

/// Whether `not` before a text is surely about all of it: a pattern such as `call t(x)`, or a name.
fn is_one_word_group(text: &str) -> bool {
    const KINDS: [&str; 8] = [
        "call ", "return ", "success ", "failure ", "unknown ", "input", "output", "event ",
    ];
    let mut depth = 0_i32;
    let mut bare = String::new();
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    let pattern = KINDS.iter().any(|kind| bare.starts_with(kind));
    let joined = [" and ", " or ", " implies ", " iff ", "=", "<", ">"]
        .iter()
        .any(|operator| bare.contains(operator));
    !joined && (pattern || !bare.contains(' '))
}

/// The four labels in words.
#[must_use]
pub fn label_words(label: Label) -> &'static str {
    match label {
        Label::SatisfiedForGood => "satisfied for good",
        Label::Satisfied => "satisfied so far",
        Label::Pending => "pending",
        Label::ViolatedForGood => "violated for good",
    }
}
