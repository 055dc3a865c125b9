//! Products of automata over the events of a component, explored state by state.
//!
//! A [`Monitor`] is the minimal automaton of a formula of the component (a side of a contract, or a fact that all
//! sessions satisfy) with its diagrams prepared for each group of events. A [`Product`] walks several of them
//! together, breadth first: an edge is a group of events with the conditions that lead to its target, as few as the
//! diagrams ask for. Nothing is asked of the theory here: an edge may turn out to be no event at all. Then the caller
//! adds a fact and explores again.
//!
//! States in which a monitor is violated for good are left out, so that a product of the sides of contracts holds
//! exactly the beginnings of sessions in which each side by itself can still be satisfied.

#![expect(
    clippy::indexing_slicing,
    reason = "states, groups and edges are only named by the monitor or product that holds them"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use ctr_logic::{Arena, Dfa, Error, Formula, Label, Limits, NodeRef, StateId, translate};

use crate::problem::FIRST_FREE;
use crate::universe::{FIRST_LEAF, Universe};

/// So many edges from one state to another, of one group, are told apart.
const SAME: usize = 4;

/// A leaf of the problem with a value.
pub(crate) type Literal = (u32, bool);

/// The states of several monitors.
pub(crate) type Tuple = Box<[StateId]>;

/// The automaton of a formula.
#[derive(Debug)]
pub(crate) struct Monitor {
    /// The automaton.
    pub(crate) dfa: Dfa,
    /// For each state and group what is left of its diagram when the group is known.
    after: Vec<Vec<NodeRef>>,
    dead: Vec<bool>,
}

impl Monitor {
    /// The monitor of a formula over the atoms of a universe.
    ///
    /// # Errors
    ///
    /// Its automaton is too large, or the work is cancelled.
    pub(crate) fn new(
        arena: &mut Arena,
        formula: Formula,
        universe: &Universe,
        limits: &Limits<'_>,
    ) -> Result<Self, Error> {
        // One order for all: the code of the group, then the leaves.
        let order: Vec<u32> = arena
            .atoms(formula)
            .into_iter()
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect();
        let dfa = translate(arena, formula, &order, limits)?;
        let states = StateId::try_from(dfa.states()).unwrap_or(StateId::MAX);
        let after = (0..states)
            .map(|s| {
                universe
                    .groups
                    .iter()
                    .map(|group| {
                        let mut at = dfa.root(s);
                        while let NodeRef::Inner(index) = at {
                            let node = dfa.node(index);
                            if node.atom >= FIRST_LEAF {
                                break;
                            }
                            let high = group.code.contains(&(node.atom, true));
                            at = if high { node.high } else { node.low };
                        }
                        at
                    })
                    .collect()
            })
            .collect();
        let dead = (0..states)
            .map(|s| dfa.label(s) == Label::ViolatedForGood)
            .collect();
        Ok(Self { dfa, after, dead })
    }

    /// The same, but that it goes on after a violation for good.
    pub(crate) fn enduring(&self) -> Self {
        Self {
            dfa: self.dfa.clone(),
            after: self.after.clone(),
            dead: vec![false; self.dead.len()],
        }
    }

    /// Whether nothing can satisfy it any more.
    pub(crate) fn dead(&self, s: StateId) -> bool {
        self.dead[s as usize]
    }

    /// The states from which it can still be satisfied.
    pub(crate) fn alive(&self) -> impl Iterator<Item = StateId> {
        (0..)
            .zip(&self.dead)
            .filter(|(_, dead)| !**dead)
            .map(|(s, _)| s)
    }

    /// What is left of the diagram of a state at an event of a group.
    pub(crate) fn after(&self, s: StateId, group: usize) -> NodeRef {
        self.after[s as usize][group]
    }

    /// The state after an event; a leaf of which nothing is said is false.
    pub(crate) fn step(&self, s: StateId, group: usize, literals: &[Literal]) -> StateId {
        let mut at = self.after(s, group);
        loop {
            match at {
                NodeRef::Leaf(to) => return to,
                NodeRef::Inner(index) => {
                    let node = self.dfa.node(index);
                    let high = literals.contains(&(node.atom.saturating_sub(FIRST_LEAF), true));
                    at = if high { node.high } else { node.low };
                }
            }
        }
    }

    /// The states that events of a group can lead to.
    pub(crate) fn targets(&self, s: StateId, group: usize) -> BTreeSet<StateId> {
        let mut out = BTreeSet::new();
        let mut stack = vec![self.after(s, group)];
        let mut seen = BTreeSet::new();
        while let Some(at) = stack.pop() {
            match at {
                NodeRef::Leaf(to) => {
                    out.insert(to);
                }
                NodeRef::Inner(index) => {
                    if seen.insert(index) {
                        let node = self.dfa.node(index);
                        stack.extend([node.low, node.high]);
                    }
                }
            }
        }
        out
    }

    /// Whether every event of a group leaves every state as it is.
    pub(crate) fn ignores(&self, group: usize) -> bool {
        (0..)
            .zip(&self.after)
            .all(|(s, row)| row[group] == NodeRef::Leaf(s))
    }
}

/// An event that leads from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// Its group.
    pub(crate) group: usize,
    /// The conditions that matter, in order of the leaves.
    pub(crate) literals: Vec<Literal>,
    /// The state that it leads to.
    pub(crate) to: u32,
}

/// What to do with a state when it is first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Explore it too.
    Enter,
    /// Leave this edge out.
    Leave,
    /// It is what was looked for.
    Found,
}

/// Why a product was not explored to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It is too large.
    Limit,
    /// The time is up.
    Time,
}

/// How much may be explored yet.
pub(crate) struct Work<'a> {
    /// Events looked at, over all states of all products.
    pub(crate) left: usize,
    /// The most states of one product.
    pub(crate) states: usize,
    /// Whether the time is up.
    pub(crate) over: &'a dyn Fn() -> bool,
}

impl Work<'_> {
    fn step(&mut self) -> Result<(), Stopped> {
        self.left = self.left.checked_sub(1).ok_or(Stopped::Limit)?;
        if self.left.is_multiple_of(1 << 10) && (self.over)() {
            return Err(Stopped::Time);
        }
        Ok(())
    }
}

/// Several monitors together, as far as they have been explored.
#[derive(Debug)]
pub(crate) struct Product {
    /// The monitors.
    pub(crate) monitors: Vec<Rc<Monitor>>,
    /// The states, in the order in which they were reached; the first is the initial one.
    pub(crate) states: Vec<Tuple>,
    /// The edges of each state, those to itself left out.
    pub(crate) edges: Vec<Vec<Edge>>,
    index: HashMap<Tuple, u32>,
    /// The state before each, and which of its edges leads here.
    parents: Vec<Option<(u32, usize)>>,
}

impl Product {
    /// Explores the product over events of some groups, shortest ways first. `visit` is shown each edge that leads
    /// elsewhere, with the state that it comes from and its target; the search ends with the edge at which it says
    /// `Found`.
    ///
    /// # Errors
    ///
    /// A limit is reached.
    pub(crate) fn explore(
        monitors: Vec<Rc<Monitor>>,
        groups: &[usize],
        work: &mut Work<'_>,
        mut visit: impl FnMut(&[StateId], &Edge, &[StateId]) -> Visit,
    ) -> Result<(Self, Option<(u32, Edge)>), Stopped> {
        let first: Tuple = monitors.iter().map(|m| m.dfa.initial()).collect();
        let mut new = Self {
            monitors,
            states: Vec::new(),
            edges: Vec::new(),
            index: HashMap::new(),
            parents: Vec::new(),
        };
        if first.iter().zip(&new.monitors).any(|(s, m)| m.dead(*s)) {
            return Ok((new, None));
        }
        new.enter(first, None);
        let mut at = 0;
        while at < new.states.len() {
            let state = new.states[at].clone();
            let from = u32::try_from(at).unwrap_or(u32::MAX);
            for &group in groups {
                for (literals, tuple) in new.successors(&state, group, work)? {
                    let known = new.index.get(&tuple).copied();
                    let edge = Edge {
                        group,
                        literals,
                        to: known.unwrap_or(u32::MAX),
                    };
                    match visit(&state, &edge, &tuple) {
                        Visit::Leave => {}
                        Visit::Found => return Ok((new, Some((from, edge)))),
                        Visit::Enter => {
                            let slot = new.edges[at].len();
                            let to = match known {
                                Some(to) => to,
                                None => new.enter(tuple, Some((from, slot))),
                            };
                            new.edges[at].push(Edge { to, ..edge });
                        }
                    }
                }
            }
            if new.states.len() > work.states {
                return Err(Stopped::Limit);
            }
            at += 1;
        }
        Ok((new, None))
    }

    fn enter(&mut self, tuple: Tuple, parent: Option<(u32, usize)>) -> u32 {
        let number = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        self.index.insert(tuple.clone(), number);
        self.states.push(tuple);
        self.edges.push(Vec::new());
        self.parents.push(parent);
        number
    }

    /// The states after an event of a group, with the conditions that lead there.
    fn successors(
        &self,
        state: &[StateId],
        group: usize,
        work: &mut Work<'_>,
    ) -> Result<Vec<(Vec<Literal>, Tuple)>, Stopped> {
        let nodes: Vec<NodeRef> = self
            .monitors
            .iter()
            .zip(state)
            .map(|(monitor, s)| monitor.after(*s, group))
            .collect();
        let stays = nodes
            .iter()
            .zip(state)
            .all(|(node, s)| *node == NodeRef::Leaf(*s));
        work.step()?;
        if stays {
            return Ok(Vec::new());
        }
        let mut descent = Descent {
            monitors: &self.monitors,
            state,
            seen: BTreeSet::new(),
            met: BTreeMap::new(),
            out: Vec::new(),
        };
        descent.go(nodes, &mut Vec::new(), work)?;
        Ok(descent.out)
    }

    /// The number of a state, if it was reached.
    pub(crate) fn find(&self, tuple: &[StateId]) -> Option<u32> {
        self.index.get(tuple).copied()
    }

    /// The edges from the initial state to another, with the states that they come from.
    pub(crate) fn way_to(&self, state: u32) -> Vec<(u32, Edge)> {
        let mut out = Vec::new();
        let mut at = state;
        while let Some((from, slot)) = self.parents[at as usize] {
            out.push((from, self.edges[from as usize][slot].clone()));
            at = from;
        }
        out.reverse();
        out
    }

    /// For each state the edges that lead to it: where from, and which.
    pub(crate) fn backwards(&self) -> Vec<Vec<(u32, usize)>> {
        let mut out = vec![Vec::new(); self.states.len()];
        for (from, edges) in (0..).zip(&self.edges) {
            for (slot, edge) in edges.iter().enumerate() {
                out[edge.to as usize].push((from, slot));
            }
        }
        out
    }

    /// For each state whether one of the `goals` can be reached from it.
    pub(crate) fn leads_to(&self, goals: impl Fn(&[StateId]) -> bool) -> Vec<bool> {
        let back = self.backwards();
        let mut live: Vec<bool> = self.states.iter().map(|s| goals(s)).collect();
        let mut queue: VecDeque<usize> = (0..live.len()).filter(|at| live[*at]).collect();
        while let Some(at) = queue.pop_front() {
            for (from, _) in &back[at] {
                if !std::mem::replace(&mut live[*from as usize], true) {
                    queue.push_back(*from as usize);
                }
            }
        }
        live
    }
}

/// Goes down several diagrams at once.
struct Descent<'p> {
    monitors: &'p [Rc<Monitor>],
    state: &'p [StateId],
    seen: BTreeSet<Vec<NodeRef>>,
    /// How often each target was met.
    met: BTreeMap<Tuple, usize>,
    out: Vec<(Vec<Literal>, Tuple)>,
}

impl Descent<'_> {
    fn go(
        &mut self,
        nodes: Vec<NodeRef>,
        literals: &mut Vec<Literal>,
        work: &mut Work<'_>,
    ) -> Result<(), Stopped> {
        let mut first: Option<u32> = None;
        for (node, monitor) in nodes.iter().zip(self.monitors) {
            match node {
                NodeRef::Leaf(to) if monitor.dead(*to) => return Ok(()),
                NodeRef::Leaf(_) => {}
                NodeRef::Inner(index) => {
                    let atom = monitor.dfa.node(*index).atom;
                    first = Some(first.map_or(atom, |other| other.min(atom)));
                }
            }
        }
        let Some(atom) = first else {
            let tuple: Tuple = nodes
                .iter()
                .filter_map(|node| match node {
                    NodeRef::Leaf(to) => Some(*to),
                    NodeRef::Inner(_) => None,
                })
                .collect();
            if *tuple == *self.state {
                return Ok(());
            }
            let met = self.met.entry(tuple.clone()).or_default();
            *met += 1;
            if *met <= SAME {
                self.out.push((literals.clone(), tuple));
            }
            return Ok(());
        };
        work.step()?;
        if !self.seen.insert(nodes.clone()) {
            return Ok(());
        }
        for value in [false, true] {
            let next = nodes
                .iter()
                .zip(self.monitors)
                .map(|(node, monitor)| match node {
                    NodeRef::Inner(index) => {
                        let inner = monitor.dfa.node(*index);
                        if inner.atom != atom {
                            *node
                        } else if value {
                            inner.high
                        } else {
                            inner.low
                        }
                    }
                    NodeRef::Leaf(_) => *node,
                })
                .collect();
            // Atoms of contracts follow from the leaves.
            let leaf = atom < FIRST_FREE;
            if leaf {
                literals.push((atom.saturating_sub(FIRST_LEAF), value));
            }
            self.go(next, literals, work)?;
            if leaf {
                literals.pop();
            }
        }
        Ok(())
    }
}
