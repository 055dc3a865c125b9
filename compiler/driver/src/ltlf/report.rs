//! The automaton of a text, with figures, as text, JSON and dot.

use super::{Kind, Problem, SyntaxError, parse, steps};
use ctr_logic::{Dfa, Error, Label, Letter, Limits, NodeRef, StateId, translate};
use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

/// What became of a text.
#[derive(Debug)]
pub struct Report {
    /// Formulas in the text.
    pub formulas: usize,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    /// What may be meant otherwise than it is read: atoms that look like operators.
    pub notes: Vec<String>,
    /// The minimal automaton of their conjunction.
    pub dfa: Dfa,
    /// A shortest accepted trace with at least one step; atoms that a step leaves out are free.
    pub witness: Option<Vec<Letter>>,
    /// Reading the text and building the formulas.
    pub read: Duration,
    /// The translation, minimisation included.
    pub translated: Duration,
    /// Finding the witness.
    pub searched: Duration,
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The text is not of the syntax, or has a future operator under a past one.
    Syntax(SyntaxError),
    /// The engine has no answer.
    Engine(Error),
}

/// Reads a text for the engine. A future operator under a past one is refused as it is written:
/// whether folding leaves anything of it would depend on the question.
pub(super) fn problem(text: &str, kind: Kind) -> Result<Problem, Failure> {
    let problem = parse(text, kind).map_err(Failure::Syntax)?;
    let Some((past, future)) = problem.future_under_past() else {
        return Ok(problem);
    };
    let part = |span: std::ops::Range<usize>| steps::shortened(text.get(span).unwrap_or(""));
    let message = format!(
        "`{}` looks ahead under `{}`, which looks back; a future operator under a past one is not supported",
        part(future.clone()),
        part(past)
    );
    let error = SyntaxError::new(text, future.start, message);
    Err(Failure::Syntax(error))
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

/// The option of `ctrc ltlf` that sets the bound of which this error speaks; none for errors that are
/// no bounds, and for the bound on atoms, which is fixed.
#[must_use]
pub fn option_of(error: Error) -> Option<&'static str> {
    match error {
        Error::TooManyStates { .. } => Some("--max-states"),
        Error::TooManyNodes { .. } | Error::SearchTooLarge { .. } => Some("--max-nodes"),
        Error::Cancelled => Some("--timeout"),
        _ => None,
    }
}

/// Reads a text and translates the conjunction of its formulas.
///
/// # Errors
///
/// A syntax error, or a limit of the engine.
pub fn dfa(text: &str, kind: Kind, limits: &Limits<'_>) -> Result<Report, Failure> {
    let start = Instant::now();
    let mut problem = problem(text, kind)?;
    let formula = problem.conjunction();
    let read = start.elapsed();
    let start = Instant::now();
    let dfa = translate(&mut problem.arena, formula, &[], limits).map_err(Failure::Engine)?;
    let translated = start.elapsed();
    let start = Instant::now();
    let witness = dfa.shortest_accepted_with_a_step();
    Ok(Report {
        formulas: problem.formulas.len(),
        atoms: problem.atoms,
        notes: problem.notes,
        dfa,
        witness,
        read,
        translated,
        searched: start.elapsed(),
    })
}

impl Report {
    /// Whether some trace with at least one step satisfies the formulas.
    pub fn satisfiable(&self) -> bool {
        self.witness.is_some()
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
        steps::line(&mut out, "result", steps::result(self.satisfiable()));
        steps::line(&mut out, "formulas", self.formulas);
        steps::line(&mut out, "atoms", self.atoms.len());
        steps::line(
            &mut out,
            "states",
            format_args!(
                "{} ({} accepting)",
                self.dfa.states(),
                self.accepting_states()
            ),
        );
        steps::line(
            &mut out,
            "transition states",
            format_args!(
                "{} (accepting on transitions, no reject sink)",
                self.dfa.transition_states()
            ),
        );
        steps::line(&mut out, "diagram nodes", self.dfa.nodes().len());
        let on_empty = self.dfa.accepting(self.dfa.initial());
        steps::line(
            &mut out,
            "empty trace",
            if on_empty { "accepted" } else { "rejected" },
        );
        steps::time(&mut out, "read in", self.read);
        steps::time(&mut out, "translated in", self.translated);
        steps::time(&mut out, "witness in", self.searched);
        if let Some(witness) = &self.witness {
            steps::line(&mut out, "witness", steps::length(witness));
            steps::human(&mut out, "  ", witness, &self.atoms);
        }
        out
    }

    /// The figures and the whole automaton. `states[i]` is `{"accepting", "label", "root"}`,
    /// `diagram[i]` is `{"atom", "low", "high"}`; a reference is `{"state": n}` or `{"node": n}`.
    ///
    /// States and nodes are written one by one: as values they would take thirty times the memory
    /// of their text.
    pub fn json(&self) -> String {
        let figures = json!({
            "result": steps::result(self.satisfiable()),
            "formulas": self.formulas,
            "atoms": self.atoms,
            "notes": self.notes,
            "counts": {
                "states": self.dfa.states(),
                "accepting_states": self.accepting_states(),
                "transition_states": self.dfa.transition_states(),
                "nodes": self.dfa.nodes().len(),
            },
            "seconds": {
                "read": self.read.as_secs_f64(),
                "translate": self.translated.as_secs_f64(),
                "witness": self.searched.as_secs_f64(),
            },
            "witness": self.witness.as_ref().map(|trace| steps::free(trace, &self.atoms)),
            "initial": self.dfa.initial(),
        });
        let mut out = figures.to_string();
        // Two more fields follow.
        out.pop();
        out.push_str(",\"states\":[");
        for s in self.state_ids() {
            let _ = write!(
                out,
                r#"{}{{"accepting":{},"label":"{}","root":{}}}"#,
                if s == 0 { "" } else { "," },
                self.dfa.accepting(s),
                label_name(self.dfa.label(s)),
                Reference(self.dfa.root(s)),
            );
        }
        out.push_str("],\"diagram\":[");
        let names: Vec<String> = self
            .atoms
            .iter()
            .map(|name| Value::from(name.as_str()).to_string())
            .collect();
        for (index, node) in self.dfa.nodes().iter().enumerate() {
            let _ = write!(
                out,
                r#"{}{{"atom":{},"low":{},"high":{}}}"#,
                if index == 0 { "" } else { "," },
                names.get(node.atom as usize).map_or("null", String::as_str),
                Reference(node.low),
                Reference(node.high),
            );
        }
        out.push_str("]}");
        out
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

/// A reference as JSON.
struct Reference(NodeRef);

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            NodeRef::Leaf(state) => write!(f, r#"{{"state":{state}}}"#),
            NodeRef::Inner(index) => write!(f, r#"{{"node":{index}}}"#),
        }
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
