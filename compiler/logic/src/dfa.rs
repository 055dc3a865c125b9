//! The result: a minimal, state-accepting automaton with diagrams over atoms.

#![expect(
    clippy::indexing_slicing,
    reason = "states and nodes are only named by the automaton that holds them"
)]

use crate::automaton::{Automaton, untarget};
use crate::diagram::{Inner, Ref, is_leaf};
use crate::limits::Error;
use rustc_hash::{FxHashMap, FxHashSet};

/// A state of a [`Dfa`], from 0 on.
pub type StateId = u32;

/// Where a diagram goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NodeRef {
    /// The letter is decided: the next state.
    Leaf(StateId),
    /// The index of the node that decides next.
    Inner(u32),
}

/// A decision on one atom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The atom that is asked.
    pub atom: u32,
    /// Where to go if it is false.
    pub low: NodeRef,
    /// Where to go if it is true.
    pub high: NodeRef,
}

/// What a state says of the session so far and of what may still come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// Satisfied, whatever follows.
    SatisfiedForGood,
    /// Satisfied if the session ends here, but a continuation can violate it.
    Satisfied,
    /// Not satisfied if the session ends here, but a continuation can satisfy it.
    Pending,
    /// Violated, whatever follows.
    ViolatedForGood,
}

/// A minimal deterministic automaton on finite traces, the empty one included, whose transitions
/// are shared decision diagrams over atoms. All its states are reachable. Numbering is canonical:
/// state 0 is initial, states are numbered breadth first with the low branch of a node before its
/// high branch, nodes in the same walk, children first. Two automata with the same atom order
/// accept the same traces exactly if they are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dfa {
    order: Vec<u32>,
    roots: Vec<NodeRef>,
    accepting: Vec<bool>,
    nodes: Vec<Node>,
}

impl Dfa {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.roots.len()
    }

    /// The initial state: 0.
    pub fn initial(&self) -> StateId {
        0
    }

    /// The diagram of a state.
    pub fn root(&self, s: StateId) -> NodeRef {
        self.roots[s as usize]
    }

    /// The node of a [`NodeRef::Inner`] of this automaton.
    pub fn node(&self, index: u32) -> Node {
        self.nodes[index as usize]
    }

    /// All nodes; [`NodeRef::Inner`] is an index into them, and children come before parents.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether a session that ends in this state satisfies the formula; in the initial state that may
    /// be the empty session.
    pub fn accepting(&self, s: StateId) -> bool {
        self.accepting[s as usize]
    }

    /// What the state says of the session so far and of what may still come.
    pub fn label(&self, s: StateId) -> Label {
        // In a minimal automaton a state from which all continuations agree is a sink.
        match (self.accepting(s), self.root(s) == NodeRef::Leaf(s)) {
            (true, true) => Label::SatisfiedForGood,
            (true, false) => Label::Satisfied,
            (false, false) => Label::Pending,
            (false, true) => Label::ViolatedForGood,
        }
    }

    /// The state after one more step. `letter` gives the value of each atom that the diagram asks
    /// for, each at most once.
    pub fn step(&self, s: StateId, mut letter: impl FnMut(u32) -> bool) -> StateId {
        let mut at = self.root(s);
        loop {
            match at {
                NodeRef::Leaf(state) => return state,
                NodeRef::Inner(index) => {
                    let node = self.nodes[index as usize];
                    at = if letter(node.atom) {
                        node.high
                    } else {
                        node.low
                    };
                }
            }
        }
    }

    /// Whether the automaton accepts a trace, given as the atoms that are true at each step.
    pub fn accepts<L: AsRef<[u32]>>(&self, trace: &[L]) -> bool {
        let step = |state, letter: &L| self.step(state, |atom| letter.as_ref().contains(&atom));
        self.accepting(trace.iter().fold(self.initial(), step))
    }

    /// The order in which diagrams test atoms: all atoms of the formula, also those that do not
    /// matter.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The atoms that the diagrams test, in order.
    pub fn atoms(&self) -> Vec<u32> {
        let used: FxHashSet<u32> = self.nodes.iter().map(|node| node.atom).collect();
        self.order
            .iter()
            .copied()
            .filter(|atom| used.contains(atom))
            .collect()
    }

    /// The number of states of the minimal automaton of the same non-empty traces that accepts on
    /// transitions, without its reject sink unless that is all there is or some accepted trace leads
    /// to it: how Spot counts the states of its LTLf automata. Published counts of state-accepting tools (MONA, Lydia) are larger by
    /// the reject sink and sometimes an initial state. An automaton that accepts every non-empty
    /// trace has one state here, two in Spot.
    pub fn transition_states(&self) -> usize {
        let reject = |&(s, root): &(usize, NodeRef)| {
            root != NodeRef::Leaf(s as StateId) || self.accepting[s]
        };
        let roots: FxHashSet<NodeRef> = self
            .roots
            .iter()
            .copied()
            .enumerate()
            .filter(reject)
            .map(|(_, root)| root)
            .collect();
        roots.len().max(1)
    }

    /// The state-accepting form: a state is a state of the transition-accepting automaton and the
    /// stop bit of the transition that led there. On a minimal automaton this is minimal: states
    /// differ in what they accept later or in what they accept now.
    pub(crate) fn from_automaton(
        automaton: &Automaton,
        order: &[u32],
        on_empty: bool,
    ) -> Result<Self, Error> {
        let mut work = FromAutomaton {
            automaton,
            order,
            number: vec![NONE; automaton.roots.len() * 2],
            states: Vec::with_capacity(automaton.roots.len()),
            done: vec![NONE; automaton.nodes.len()],
            nodes: Vec::with_capacity(automaton.nodes.len()),
        };
        work.state(automaton.initial, on_empty);
        let mut roots = Vec::new();
        while let Some(&(state, _)) = work.states.get(roots.len()) {
            roots.push(work.copy(automaton.roots[state as usize]));
        }
        let accepting = work.states.iter().map(|&(_, stop)| stop).collect();
        Ok(Self {
            order: order.to_vec(),
            roots,
            accepting,
            nodes: work.nodes,
        })
    }

    /// The same diagrams with another acceptance. It must keep different states different.
    pub(crate) fn with_acceptance(mut self, change: impl Fn(bool) -> bool) -> Self {
        for accepting in &mut self.accepting {
            *accepting = change(*accepting);
        }
        self
    }

    /// The transition-accepting form, with `levels` for the place of each atom.
    pub(crate) fn to_automaton(&self, levels: &FxHashMap<u32, u32>) -> Automaton {
        // States with the same root differ in the stop bit only, so one of them stands for all.
        // Sinks get their numbers.
        let mut by_root: FxHashMap<NodeRef, u32> = FxHashMap::default();
        let mut number = Vec::with_capacity(self.states());
        let mut kept = Vec::new();
        for (s, &root) in self.roots.iter().enumerate() {
            number.push(match self.label(s as StateId) {
                Label::ViolatedForGood => crate::automaton::REJECT_STATE,
                Label::SatisfiedForGood => crate::automaton::ACCEPT_STATE,
                Label::Satisfied | Label::Pending => match root {
                    // A state that differs from a sink in its own acceptance only.
                    NodeRef::Leaf(to) if self.roots[to as usize] == root => {
                        u32::from(self.accepting[to as usize])
                    }
                    _ => *by_root.entry(root).or_insert_with(|| {
                        kept.push(s);
                        kept.len() as u32 + 1
                    }),
                },
            });
        }
        let convert = |r: NodeRef| match r {
            NodeRef::Leaf(s) => {
                crate::automaton::target(number[s as usize], self.accepting[s as usize])
            }
            NodeRef::Inner(index) => index,
        };
        let level = |atom: u32| levels.get(&atom).copied().unwrap_or(0);
        let nodes = self
            .nodes
            .iter()
            .map(|node| Inner {
                level: level(node.atom),
                low: convert(node.low),
                high: convert(node.high),
            })
            .collect();
        let mut roots = vec![crate::automaton::REJECT, crate::automaton::ACCEPT];
        roots.extend(kept.iter().map(|&s| convert(self.roots[s])));
        Automaton {
            roots,
            nodes,
            initial: number[0],
        }
    }
}

/// No state or node yet.
const NONE: u32 = u32::MAX;

struct FromAutomaton<'a> {
    automaton: &'a Automaton,
    order: &'a [u32],
    /// For each leaf of the automaton the state that it became.
    number: Vec<StateId>,
    states: Vec<(u32, bool)>,
    /// For each node of the automaton the one that it became.
    done: Vec<u32>,
    nodes: Vec<Node>,
}

impl FromAutomaton<'_> {
    fn state(&mut self, state: u32, stop: bool) -> StateId {
        let known = &mut self.number[(state << 1 | u32::from(stop)) as usize];
        if *known == NONE {
            *known = self.states.len() as StateId;
            self.states.push((state, stop));
        }
        *known
    }

    fn copy(&mut self, r: Ref) -> NodeRef {
        if is_leaf(r) {
            let (state, stop) = untarget(r);
            return NodeRef::Leaf(self.state(state, stop));
        }
        let known = self.done[r as usize];
        if known != NONE {
            return NodeRef::Inner(known);
        }
        let Inner { level, low, high } = self.automaton.nodes[r as usize];
        let (low, high) = (self.copy(low), self.copy(high));
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            atom: self.order[level as usize],
            low,
            high,
        });
        self.done[r as usize] = index;
        NodeRef::Inner(index)
    }
}
