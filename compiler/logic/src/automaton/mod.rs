//! Transition-accepting automata, the form in between: a leaf of a diagram is a pair (next state,
//! may the trace stop here). Only non-empty traces are read.

mod minimise;
mod pairs;
mod product;
mod refine;

use crate::diagram::{Diagrams, Inner, Ref, is_leaf, leaf, payload};

pub(crate) use minimise::minimise;
pub(crate) use product::{Goal, product};

/// The leaf from which no continuation and no stop is accepted: the reject sink, and not now.
pub(crate) const REJECT: Ref = 1 << 31;
/// The leaf from which everything is accepted: the accept sink, and also now.
pub(crate) const ACCEPT: Ref = 1 << 31 | 3;
/// The state that rejects all.
pub(crate) const REJECT_STATE: u32 = 0;
/// The state that accepts all.
pub(crate) const ACCEPT_STATE: u32 = 1;

/// A leaf of a transition-accepting automaton.
pub(crate) fn target(state: u32, stop: bool) -> Ref {
    leaf(state << 1 | u32::from(stop))
}

/// The state and the stop bit of a leaf.
pub(crate) fn untarget(r: Ref) -> (u32, bool) {
    let code = payload(r);
    (code >> 1, code & 1 == 1)
}

/// An automaton: a diagram for each state. States 0 and 1 are always the two sinks, reached or not.
///
/// Translation, product and minimisation number the other states, and the nodes, in the order of a
/// walk: states breadth first from the initial one, in a diagram the low branch before the high
/// one, nodes after their branches. A node has larger indices than its branches in any case.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub(crate) roots: Vec<Ref>,
    pub(crate) nodes: Vec<Inner>,
    pub(crate) initial: u32,
}

impl Automaton {
    /// One of the two sinks.
    pub(crate) fn constant(accept: bool) -> Self {
        Self {
            roots: vec![REJECT, ACCEPT],
            nodes: Vec::new(),
            initial: u32::from(accept),
        }
    }

    pub(crate) fn new(roots: Vec<Ref>, diagrams: Diagrams, initial: u32) -> Self {
        Self {
            roots,
            nodes: diagrams.nodes,
            initial,
        }
    }

    /// Whether it rejects every non-empty trace; exact on a minimal automaton.
    pub(crate) fn rejects_all(&self) -> bool {
        self.initial == REJECT_STATE
    }

    /// Whether it accepts every non-empty trace; exact on a minimal automaton.
    pub(crate) fn accepts_all(&self) -> bool {
        self.initial == ACCEPT_STATE
    }

    /// The same automaton with acceptance turned round.
    pub(crate) fn complement(mut self) -> Self {
        let flip = |r: Ref| {
            if !is_leaf(r) {
                return r;
            }
            let (state, stop) = untarget(r);
            let state = match state {
                REJECT_STATE => ACCEPT_STATE,
                ACCEPT_STATE => REJECT_STATE,
                other => other,
            };
            target(state, !stop)
        };
        for node in &mut self.nodes {
            node.low = flip(node.low);
            node.high = flip(node.high);
        }
        for root in self.roots.iter_mut().skip(2) {
            *root = flip(*root);
        }
        self.initial = match self.initial {
            REJECT_STATE => ACCEPT_STATE,
            ACCEPT_STATE => REJECT_STATE,
            other => other,
        };
        self
    }
}
