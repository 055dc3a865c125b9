//! The automaton of a text, with figures, as text, JSON and dot.

use super::{Kind, Problem, SyntaxError, parse};
use ctr_logic::{Dfa, Error, Label, Limits, NodeRef, StateId, translate};
use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use std::time::Instant;

/// What became of a text.
#[derive(Debug)]
pub struct Report {
    /// Formulas in the text.
    pub formulas: usize,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    /// The minimal automaton of their conjunction.
    pub dfa: Dfa,
    /// Seconds for reading the text and building the formulas.
    pub parse_seconds: f64,
    /// Seconds for the translation, minimisation included.
    pub translate_seconds: f64,
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The text is not of the syntax.
    Syntax(SyntaxError),
    /// There is no automaton.
    Engine(Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// Reads a text and translates the conjunction of its formulas.
///
/// # Errors
///
/// A syntax error, or a limit of the engine.
pub fn dfa(text: &str, kind: Kind, limits: &Limits<'_>) -> Result<Report, Failure> {
    let start = Instant::now();
    let mut problem: Problem = parse(text, kind).map_err(Failure::Syntax)?;
    let formula = problem.conjunction();
    let parsed = Instant::now();
    let dfa = translate(&mut problem.arena, formula, &[], limits).map_err(Failure::Engine)?;
    Ok(Report {
        formulas: problem.formulas.len(),
        atoms: problem.atoms,
        dfa,
        parse_seconds: parsed.duration_since(start).as_secs_f64(),
        translate_seconds: parsed.elapsed().as_secs_f64(),
    })
}

impl Report {
    /// Whether some trace with at least one step satisfies the formulas.
    pub fn satisfiable(&self) -> bool {
        self.dfa.accepts_some_step()
    }

    fn state_ids(&self) -> std::ops::Range<StateId> {
        0..self.dfa.states() as StateId
    }

    /// The number of accepting states.
    pub fn accepting_states(&self) -> usize {
        self.state_ids().filter(|&s| self.dfa.accepting(s)).count()
    }

    /// A few lines for people.
    pub fn human(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<20}{value}");
        };
        line("formulas", self.formulas.to_string());
        line("atoms", self.atoms.len().to_string());
        line(
            "states",
            format!(
                "{} ({} accepting)",
                self.dfa.states(),
                self.accepting_states()
            ),
        );
        line(
            "transition states",
            format!(
                "{} (accepting on transitions, no reject sink)",
                self.dfa.transition_states()
            ),
        );
        line("diagram nodes", self.dfa.nodes().len().to_string());
        line(
            "satisfiable",
            if self.satisfiable() { "yes" } else { "no" }.to_owned(),
        );
        line(
            "empty trace",
            if self.dfa.accepting(self.dfa.initial()) {
                "accepted"
            } else {
                "rejected"
            }
            .to_owned(),
        );
        line("read in", format!("{:.6} s", self.parse_seconds));
        line("translated in", format!("{:.6} s", self.translate_seconds));
        out
    }

    /// The figures and the whole automaton. `states[i]` is `{"accepting", "label", "root"}`,
    /// `diagram[i]` is `{"atom", "low", "high"}`; a reference is `{"state": n}` or `{"node": n}`.
    pub fn json(&self) -> Value {
        let states: Vec<Value> = self
            .state_ids()
            .map(|s| {
                json!({
                    "accepting": self.dfa.accepting(s),
                    "label": label_name(self.dfa.label(s)),
                    "root": reference(self.dfa.root(s)),
                })
            })
            .collect();
        let diagram: Vec<Value> = self
            .dfa
            .nodes()
            .iter()
            .map(|node| {
                json!({"atom": self.atom_name(node.atom), "low": reference(node.low), "high": reference(node.high)})
            })
            .collect();
        json!({
            "formulas": self.formulas,
            "atoms": self.atoms,
            "satisfiable": self.satisfiable(),
            "transition_states": self.dfa.transition_states(),
            "seconds": {"parse": self.parse_seconds, "translate": self.translate_seconds},
            "initial": self.dfa.initial(),
            "states": states,
            "diagram": diagram,
        })
    }

    fn atom_name(&self, atom: u32) -> &str {
        self.atoms.get(atom as usize).map_or("?", String::as_str)
    }

    /// The automaton as a graph for Graphviz.
    pub fn dot(&self) -> String {
        dot(&self.dfa, &|atom| self.atom_name(atom).to_owned())
    }
}

fn label_name(label: Label) -> &'static str {
    match label {
        Label::SatisfiedForGood => "satisfied_for_good",
        Label::Satisfied => "satisfied",
        Label::Pending => "pending",
        Label::ViolatedForGood => "violated_for_good",
    }
}

fn reference(r: NodeRef) -> Value {
    match r {
        NodeRef::Leaf(state) => json!({"state": state}),
        NodeRef::Inner(index) => json!({"node": index}),
    }
}

/// An automaton as a graph for Graphviz: states are circles (doubled where accepting), decisions
/// are diamonds with a dashed edge for false and a solid one for true.
pub fn dot(dfa: &Dfa, name: &dyn Fn(u32) -> String) -> String {
    let mut out = String::from("digraph {\n  rankdir=LR;\n  start [shape=point];\n");
    let target = |r: NodeRef| match r {
        NodeRef::Leaf(state) => format!("s{state}"),
        NodeRef::Inner(index) => format!("n{index}"),
    };
    let _ = writeln!(out, "  start -> s{};", dfa.initial());
    for s in 0..dfa.states() as StateId {
        let shape = if dfa.accepting(s) {
            "doublecircle"
        } else {
            "circle"
        };
        let _ = writeln!(
            out,
            "  s{s} [shape={shape}, label=\"{s}\", tooltip=\"{}\"];",
            label_name(dfa.label(s))
        );
        let _ = writeln!(out, "  s{s} -> {};", target(dfa.root(s)));
    }
    for (index, node) in dfa.nodes().iter().enumerate() {
        let text = name(node.atom).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "  n{index} [shape=diamond, label=\"{text}\"];");
        let _ = writeln!(out, "  n{index} -> {} [style=dashed];", target(node.low));
        let _ = writeln!(out, "  n{index} -> {};", target(node.high));
    }
    out.push_str("}\n");
    out
}
