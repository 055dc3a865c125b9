//! Automata as Graphviz text.

use std::fmt::Write as _;

use ctr_runtime::format::model::{Automaton, Label, Model};

use super::{Graph, label_words, ways};

/// An automaton as Graphviz `dot`: states coloured by label, edges with the conditions under which
/// they are taken, in the policy's own words.
#[must_use]
pub fn automaton_to_dot(model: &Model, title: &str, automaton: &Automaton) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quote(title));
    let _ = writeln!(out, "  rankdir=LR;");
    let _ = writeln!(out, "  label={};", quote(title));
    let _ = writeln!(
        out,
        "  node [shape=circle, style=filled, fontname=\"Helvetica\"];"
    );
    let _ = writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=10];");
    let _ = writeln!(out, "  start [shape=point, style=invis];");
    let graph = Graph::of(model, automaton);
    for number in &graph.states {
        let Some(state) = automaton.states.get(*number as usize) else {
            continue;
        };
        let (colour, shape) = match state.label {
            Label::SatisfiedForGood => ("#9fd6a8", "doublecircle"),
            Label::Satisfied => ("#dff1e2", "doublecircle"),
            Label::Pending => ("#fbe7b2", "circle"),
            Label::ViolatedForGood => ("#f5b7b1", "circle"),
        };
        let words = label_words(state.label);
        let _ = writeln!(
            out,
            "  s{number} [label=\"{number}\", shape={shape}, fillcolor=\"{colour}\", tooltip=\"{words}\"];"
        );
    }
    let _ = writeln!(out, "  start -> s{};", automaton.initial);
    for (number, guards) in graph.states.iter().zip(&graph.edges) {
        for (target, guard) in guards {
            let label = quote(&ways(model, guard).join("\nor "));
            let _ = writeln!(out, "  s{number} -> s{target} [label={label}];");
        }
    }
    out.push_str("}\n");
    out
}

/// A `dot` string literal.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use ctr_runtime::format::model::{Atom, Node, NodeRef, State};

    #[test]
    fn edges_say_when_they_are_taken() {
        let model = Model {
            atoms: vec![Atom {
                expr: 0,
                text: "call \"x\"".to_owned(),
                remedy: None,
            }],
            ..Model::default()
        };
        let automaton = Automaton {
            states: vec![
                State {
                    label: Label::Satisfied,
                    idle: true,
                    root: NodeRef::Node(0),
                },
                State {
                    label: Label::ViolatedForGood,
                    idle: true,
                    root: NodeRef::State(1),
                },
            ],
            initial: 0,
            nodes: vec![Node {
                atom: 0,
                low: NodeRef::State(0),
                high: NodeRef::State(1),
            }],
        };
        let dot = automaton_to_dot(&model, "never", &automaton);
        assert!(dot.contains("s0 -> s0 [label=\"any other step\"]"), "{dot}");
        assert!(dot.contains("s0 -> s1 [label=\"call \\\"x\\\"\"]"), "{dot}");
        assert!(dot.contains("s1 -> s1 [label=\"any step\"]"), "{dot}");
    }
}
