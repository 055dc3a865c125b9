//! The automata of a contract as formulas: which state a session has come to, and where an event leads.
//!
//! A formula speaks of whole sessions; whether a call is *refused* is a question about a beginning and one more
//! event. So a contract's automaton is written out over atoms of its own, which say at each event
//! in which state the contract is before it. The automaton is the one that the runtime runs.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::{AtomId, EventKind, Expr, Library, Pattern, Status};
use ctr_logic::Formula;
use ctr_runtime::format::model::{Automaton, Label, NodeRef};

use crate::problem::{Problem, Rail, Scope};
use crate::universe::{Class, ToolName, fits, fits_any_status, watches};

/// Numbers of atoms from here on are bits of states, and values of which nothing is known.
pub(crate) const FIRST_BIT: u32 = 1 << 20;
/// The most states that are written out.
const MAX_STATES: usize = 64;

/// One side of a contract.
#[derive(Clone, Debug)]
pub(crate) struct Machine<'m> {
    /// The contract's index in the library.
    pub(crate) contract: usize,
    /// The groups of keys of the instance that is meant.
    pub(crate) keys: Vec<u32>,
    automaton: &'m Automaton,
    /// The states that a session can come to without having violated the side.
    live: Vec<u32>,
    /// The atom of the lowest bit of the state's place in `live`.
    first_bit: u32,
    /// That an event is a step of the contract.
    step: Formula,
}

/// From which states a call's return leads where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlook {
    /// To a violation, by itself.
    pub(crate) alone: BTreeSet<u32>,
    /// To a violation, perhaps after returns of other calls.
    pub(crate) worse: BTreeSet<u32>,
    /// To something else.
    pub(crate) better: BTreeSet<u32>,
}

/// Whether a state is violated for good.
pub(crate) fn is_bad(automaton: &Automaton, state: u32) -> bool {
    automaton
        .states
        .get(state as usize)
        .is_none_or(|state| state.label == Label::ViolatedForGood)
}

/// The states that some letter leads to; `value` fixes what is known of an atom.
pub(crate) fn successors(
    automaton: &Automaton,
    state: u32,
    value: &dyn Fn(u32) -> Option<bool>,
) -> BTreeSet<u32> {
    let mut out = BTreeSet::new();
    let mut open: Vec<NodeRef> = automaton
        .states
        .get(state as usize)
        .map(|state| state.root)
        .into_iter()
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(node) = open.pop() {
        match node {
            NodeRef::State(state) => {
                out.insert(state);
            }
            NodeRef::Node(index) => {
                let Some(node) = automaton.nodes.get(index as usize) else {
                    continue;
                };
                if seen.insert(index) {
                    let known = value(node.atom);
                    if known != Some(true) {
                        open.push(node.low);
                    }
                    if known != Some(false) {
                        open.push(node.high);
                    }
                }
            }
        }
    }
    out
}

impl<'m> Machine<'m> {
    /// The machine of a side, with bits from the next free atom on; `None` where it has too many states.
    pub(crate) fn new(
        problem: &mut Problem<'_>,
        contract: usize,
        keys: &[u32],
        automaton: &'m Automaton,
        next_bit: &mut u32,
    ) -> Option<Self> {
        let mut live = vec![automaton.initial];
        let mut at = 0;
        while let Some(&state) = live.get(at) {
            at += 1;
            for next in successors(automaton, state, &|_| None) {
                if !is_bad(automaton, next) && !live.contains(&next) {
                    live.push(next);
                }
            }
            if live.len() > MAX_STATES {
                return None;
            }
        }
        let entry = problem.library.contracts.get(contract)?;
        let scope = Scope {
            keys: keys.to_vec(),
            groups: problem.all_groups(),
            complete: true,
        };
        let step = problem.step_of(entry, &scope);
        let first_bit = *next_bit;
        *next_bit += live.len().next_power_of_two().ilog2();
        Some(Self {
            contract,
            keys: keys.to_vec(),
            automaton,
            live,
            first_bit,
            step,
        })
    }

    /// That the contract is in a state before this event.
    fn state(&self, problem: &mut Problem<'_>, place: usize) -> Formula {
        let bits = self.live.len().next_power_of_two().ilog2();
        let parts: Vec<Formula> = (0..bits)
            .map(|bit| {
                let atom = problem.arena.atom(FIRST_BIT + self.first_bit + bit);
                if place >> bit & 1 == 1 {
                    atom
                } else {
                    problem.arena.not(atom)
                }
            })
            .collect();
        problem.arena.and(&parts)
    }

    /// That an event leads from a state to one of these, with some completion of what is undefined.
    fn leads(
        &self,
        problem: &mut Problem<'_>,
        state: u32,
        to: &dyn Fn(u32) -> bool,
        rail: &mut dyn FnMut(&mut Problem<'_>, u32) -> Rail,
    ) -> Formula {
        let Some(state) = self.automaton.states.get(state as usize) else {
            return problem.arena.ff();
        };
        self.node(problem, state.root, to, rail, &mut BTreeMap::new())
    }

    fn node(
        &self,
        problem: &mut Problem<'_>,
        node: NodeRef,
        to: &dyn Fn(u32) -> bool,
        rail: &mut dyn FnMut(&mut Problem<'_>, u32) -> Rail,
        known: &mut BTreeMap<u32, Formula>,
    ) -> Formula {
        let index = match node {
            NodeRef::State(state) if to(state) => return problem.arena.tt(),
            NodeRef::State(_) => return problem.arena.ff(),
            NodeRef::Node(index) => index,
        };
        if let Some(found) = known.get(&index) {
            return *found;
        }
        let Some(entry) = self.automaton.nodes.get(index as usize) else {
            return problem.arena.ff();
        };
        let high = self.node(problem, entry.high, to, rail, known);
        let low = self.node(problem, entry.low, to, rail, known);
        let Rail { t, f } = rail(problem, entry.atom);
        let arena = &mut problem.arena;
        let (can_hold, can_fail) = (arena.not(f), arena.not(t));
        let high = arena.and(&[can_hold, high]);
        let low = arena.and(&[can_fail, low]);
        let out = arena.or(&[high, low]);
        known.insert(index, out);
        out
    }

    /// The values of the atoms at the events of a session; what is undefined is completed in any way.
    pub(crate) fn rail(&self, problem: &mut Problem<'_>, atom: u32) -> Rail {
        let scope = Scope {
            keys: self.keys.clone(),
            groups: problem.all_groups(),
            complete: true,
        };
        match problem.library.atoms.get(atom as usize) {
            Some(entry) => problem.condition(entry.expr, &scope),
            None => {
                let ff = problem.arena.ff();
                Rail { t: ff, f: ff }
            }
        }
    }

    /// That the states follow from each other along the session, and no event but perhaps the last one violates the side.
    pub(crate) fn runs(&self, problem: &mut Problem<'_>) -> Formula {
        let not_last = problem.arena.tt();
        let not_last = problem.arena.next(not_last);
        let mut valid = Vec::new();
        let mut moves = Vec::new();
        let not_step = problem.arena.not(self.step);
        for (place, &state) in self.live.iter().enumerate() {
            let here = self.state(problem, place);
            valid.push(here);
            let mut ways = Vec::new();
            for (other, &next) in self.live.iter().enumerate() {
                let then = self.state(problem, other);
                let led = self.leads(problem, state, &|s| s == next, &mut |p, a| self.rail(p, a));
                let mut to = vec![problem.arena.and(&[self.step, led])];
                if next == state {
                    to.push(not_step);
                }
                let to = problem.arena.or(&to);
                let then = problem.arena.next(then);
                ways.push(problem.arena.and(&[to, then]));
            }
            let way = problem.arena.or(&ways);
            let both = problem.arena.and(&[here, not_last]);
            moves.push(problem.arena.implies(both, way));
        }
        let valid = problem.arena.or(&valid);
        let moves = problem.arena.and(&moves);
        let at_each = problem.arena.and(&[valid, moves]);
        let always = problem.arena.always(at_each);
        let first = self.state(problem, 0);
        problem.arena.and(&[first, always])
    }

    /// That this event leads to one of these states; if it is no step, that the contract is in one.
    pub(crate) fn comes_to(&self, problem: &mut Problem<'_>, to: &dyn Fn(u32) -> bool) -> Formula {
        let step = self.step;
        self.comes_to_by(problem, to, step, step, &mut |p, a| self.rail(p, a))
    }

    /// The same of another event: that it can be a step, that it surely is one, and the values of its atoms.
    pub(crate) fn comes_to_by(
        &self,
        problem: &mut Problem<'_>,
        to: &dyn Fn(u32) -> bool,
        can_step: Formula,
        does_step: Formula,
        rail: &mut dyn FnMut(&mut Problem<'_>, u32) -> Rail,
    ) -> Formula {
        let can_pass = problem.arena.not(does_step);
        let mut all = Vec::new();
        for (place, &state) in self.live.iter().enumerate() {
            let here = self.state(problem, place);
            let led = self.leads(problem, state, to, rail);
            let mut ways = vec![problem.arena.and(&[can_step, led])];
            if to(state) {
                ways.push(can_pass);
            }
            let ways = problem.arena.or(&ways);
            all.push(problem.arena.and(&[here, ways]));
        }
        problem.arena.or(&all)
    }

    /// Whether a state is violated for good.
    pub(crate) fn is_bad(&self, state: u32) -> bool {
        is_bad(self.automaton, state)
    }

    /// What the successful return of a call of `own` can lead to, perhaps after those of other calls in flight. `stays`: it may be no step.
    pub(crate) fn outlook(
        &self,
        library: &Library,
        tools: &[ToolName],
        own: &ToolName,
        stays: bool,
    ) -> Outlook {
        let Some(contract) = library.contracts.get(self.contract) else {
            return Outlook::default();
        };
        let all: Vec<u32> = (0..).take(self.automaton.states.len()).collect();
        let keyed = !contract.keys.is_empty();
        let after = |tool: &ToolName, state: u32, stays: bool| -> BTreeSet<u32> {
            let class = Class::Return(0, Status::Success);
            let mut out = if watches(contract, class) {
                successors(self.automaton, state, &|atom| {
                    at_class(library, AtomId(atom), class, tool, !stays)
                })
            } else {
                BTreeSet::from([state])
            };
            if stays || (keyed && !names(library, contract, class, tool)) {
                out.insert(state);
            }
            out
        };
        let (mut worse, mut better) = (BTreeSet::new(), BTreeSet::new());
        for &state in &all {
            for next in after(own, state, stays) {
                if self.is_bad(next) {
                    worse.insert(state);
                } else {
                    better.insert(state);
                }
            }
        }
        let alone = worse.clone();
        loop {
            let before = (worse.len(), better.len());
            for &state in &all {
                for tool in tools {
                    for next in after(tool, state, true) {
                        if worse.contains(&next) || self.is_bad(next) {
                            worse.insert(state);
                        }
                        if better.contains(&next) && !self.is_bad(next) {
                            better.insert(state);
                        }
                    }
                }
            }
            if before == (worse.len(), better.len()) {
                return Outlook {
                    alone,
                    worse,
                    better,
                };
            }
        }
    }
}

/// Whether some pattern of a contract names kind and tool of an event.
pub(crate) fn names(
    library: &Library,
    contract: &ctr_front::ir::Contract,
    class: Class,
    tool: &ToolName,
) -> bool {
    contract
        .patterns
        .iter()
        .filter_map(|id| library.patterns.get(id.0 as usize))
        .any(|pattern| fits_any_status(library, pattern, class, std::slice::from_ref(tool)))
}

/// What kind and tool of an event (tool 0 of its class) say of an atom; `bound`: it binds the keys.
fn at_class(
    library: &Library,
    atom: AtomId,
    class: Class,
    tool: &ToolName,
    bound: bool,
) -> Option<bool> {
    let atom = library.atoms.get(atom.0 as usize)?;
    let Some(Expr::Pattern(id)) = library.exprs.get(atom.expr.0 as usize) else {
        return None;
    };
    let pattern: &Pattern = library.patterns.get(id.0 as usize)?;
    if !fits(library, pattern, class, std::slice::from_ref(tool)) {
        return Some(false);
    }
    let open = pattern.condition.is_some() || !(pattern.keys.is_empty() || bound);
    (!open).then_some(true)
}

/// Whether a contract has something to say of calls of a tool, or of what they achieve.
pub(crate) fn is_about(
    library: &Library,
    contract: &ctr_front::ir::Contract,
    neutral: bool,
    tool: &ToolName,
) -> bool {
    let call = Class::Call(0);
    let success = Class::Return(0, Status::Success);
    let named = contract
        .patterns
        .iter()
        .filter_map(|id| library.patterns.get(id.0 as usize))
        .any(|pattern| {
            let one = std::slice::from_ref(tool);
            fits(library, pattern, call, one)
                || (matches!(pattern.kind, EventKind::Return(_))
                    && fits(library, pattern, success, one))
        });
    named || (!neutral && (watches(contract, call) || watches(contract, success)))
}
