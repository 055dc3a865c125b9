//! Automata as Graphviz text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ctr_runtime::format::model::{Automaton, Label, Model, NodeRef};

/// Which automaton of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The assumption's.
    Assume,
    /// The guarantee's.
    Guarantee,
}

/// So many ways from one state to another are spelt out on an edge.
const MAX_WAYS: usize = 6;
/// So many ways are looked at in a state's diagram before the picture gives up on exact labels.
const MAX_PATHS: usize = 4096;

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
    for (number, state) in automaton.states.iter().enumerate() {
        let (colour, shape, words) = match state.label {
            Label::SatisfiedForGood => ("#b7e1a1", "doublecircle", "satisfied for good"),
            Label::Satisfied => ("#e2f3d8", "doublecircle", "satisfied so far"),
            Label::Pending => ("#fbe7b2", "circle", "pending"),
            Label::ViolatedForGood => ("#f2b8b5", "circle", "violated for good"),
        };
        let _ = writeln!(
            out,
            "  s{number} [label=\"{number}\", shape={shape}, fillcolor=\"{colour}\", tooltip=\"{words}\"];"
        );
    }
    let _ = writeln!(out, "  start -> s{};", automaton.initial);
    for (number, state) in automaton.states.iter().enumerate() {
        for (target, ways) in edges(model, automaton, state.root) {
            let _ = writeln!(out, "  s{number} -> s{target} [label={}];", quote(&ways));
        }
    }
    out.push_str("}\n");
    out
}

/// For each target of a diagram, in words, when it is reached.
fn edges(model: &Model, automaton: &Automaton, root: NodeRef) -> BTreeMap<u32, String> {
    let mut ways: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut stack = vec![(root, Vec::<(u32, bool)>::new())];
    let mut paths = 0;
    while let Some((node, path)) = stack.pop() {
        match node {
            NodeRef::State(target) => {
                paths += 1;
                if paths > MAX_PATHS {
                    ways.entry(target).or_default().push("...".to_owned());
                } else {
                    ways.entry(target).or_default().push(cube(model, &path));
                }
            }
            NodeRef::Node(index) => {
                let Some(node) = automaton.nodes.get(index as usize) else {
                    continue;
                };
                let with = |value| {
                    let mut path = path.clone();
                    path.push((node.atom, value));
                    path
                };
                let (low, high) = (with(false), with(true));
                if paths > MAX_PATHS {
                    // The targets still have to appear; their conditions no longer.
                    stack.push((node.low, path.clone()));
                } else {
                    stack.push((node.low, low));
                }
                stack.push((node.high, high));
            }
        }
    }
    ways.into_iter()
        .map(|(target, mut ways)| {
            let more = ways.len().saturating_sub(MAX_WAYS);
            ways.truncate(MAX_WAYS);
            if more > 0 {
                ways.push(format!("... ({more} more)"));
            }
            (target, ways.join("\nor "))
        })
        .collect()
}

/// A conjunction of atoms in words.
fn cube(model: &Model, path: &[(u32, bool)]) -> String {
    if path.is_empty() {
        return "any step".to_owned();
    }
    path.iter()
        .map(|(atom, value)| {
            let text = model
                .atoms
                .get(*atom as usize)
                .map_or("?", |atom| atom.text.as_str());
            if *value {
                text.to_owned()
            } else {
                format!("not {text}")
            }
        })
        .collect::<Vec<_>>()
        .join(" and ")
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
    use ctr_runtime::format::model::{Atom, Node, State};

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
        assert!(
            dot.contains("s0 -> s0 [label=\"not call \\\"x\\\"\"]"),
            "{dot}"
        );
        assert!(dot.contains("s0 -> s1 [label=\"call \\\"x\\\"\"]"), "{dot}");
        assert!(dot.contains("s1 -> s1 [label=\"any step\"]"), "{dot}");
    }
}
