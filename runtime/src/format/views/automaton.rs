//! Automata.

use core::fmt;

use super::{low_byte, second_byte};
use crate::format::layout::{self, NODE_BIT, Section};
use crate::format::library::Library;
use crate::format::model::{Label, Node, NodeRef, State};

/// An automaton.
#[derive(Clone, Copy)]
pub struct AutomatonRef<'l> {
    library: &'l Library<'l>,
    states: u32,
    state_count: u32,
    initial: u32,
    nodes: u32,
    node_count: u32,
}

const fn node_ref(word: u32) -> NodeRef {
    if word & NODE_BIT == 0 {
        NodeRef::State(word)
    } else {
        NodeRef::Node(word & !NODE_BIT)
    }
}

impl<'l> AutomatonRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [states, state_count, initial, nodes, node_count] =
            library.tables().record(Section::Automata, id, 0);
        Self {
            library,
            states,
            state_count,
            initial,
            nodes,
            node_count,
        }
    }

    /// The number of states, at least 1.
    #[must_use]
    pub const fn state_count(self) -> u32 {
        self.state_count
    }

    /// The number of decision nodes.
    #[must_use]
    pub const fn node_count(self) -> u32 {
        self.node_count
    }

    /// The first state.
    #[must_use]
    pub const fn initial(self) -> u32 {
        self.initial
    }

    /// A state.
    #[must_use]
    pub fn state(self, state: u32) -> State {
        let [first, root] = if state < self.state_count {
            self.library
                .tables()
                .record(Section::States, self.states.wrapping_add(state), 0)
        } else {
            [0, 0]
        };
        State {
            label: layout::value(&layout::LABEL, u32::from(low_byte(first)))
                .unwrap_or(Label::Pending),
            idle: second_byte(first) != 0,
            root: node_ref(root),
        }
    }

    /// A decision node; its children are states or nodes of lower number.
    #[must_use]
    pub fn node(self, node: u32) -> Node {
        let [atom, low, high] = if node < self.node_count {
            self.library
                .tables()
                .record(Section::Nodes, self.nodes.wrapping_add(node), 0)
        } else {
            [0, 0, 0]
        };
        Node {
            atom,
            low: node_ref(low),
            high: node_ref(high),
        }
    }

    /// The states, in order.
    pub fn states(self) -> impl ExactSizeIterator<Item = State> + 'l {
        (0..self.state_count).map(move |state| self.state(state))
    }

    /// The nodes, in order.
    pub fn nodes(self) -> impl ExactSizeIterator<Item = Node> + 'l {
        (0..self.node_count).map(move |node| self.node(node))
    }
}

impl fmt::Debug for AutomatonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutomatonRef")
            .field("states", &self.state_count)
            .field("nodes", &self.node_count)
            .finish_non_exhaustive()
    }
}
