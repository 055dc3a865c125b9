//! When an automaton goes from one state to another, in few words.
//!
//! A state's decision diagram says for every truth assignment of its atoms where to go. What a reader
//! wants is a short sum of products for each target. Two things make it short: an irredundant sum of
//! products of an interval of functions (Minato, "Fast generation of prime-irredundant covers from
//! binary decision diagrams", 1993; his algorithm after Morreale), and the assignments that no event has: one event
//! is no two calls, and not a call and a return. Those count as don't-cares.

use std::collections::BTreeMap;

use ctr_runtime::format::model::{Automaton, EventKind, Expr, Model, NodeRef, Tools};
use rustc_hash::FxHashMap;

/// A conjunction of atoms: each with whether it holds.
pub(crate) type Product = Vec<(u32, bool)>;

/// When a state goes to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// At each of these; one empty product is every step.
    Sum(Vec<Product>),
    /// At every step at which the state goes to none of its other targets.
    Otherwise,
    /// Known to happen, and too long to say when.
    Unsaid,
}

/// Larger diagrams are not put into words.
const MAX_NODES: usize = 50_000;

/// Where a state can go by some event, and when. A loop beside other ways is [`Guard::Otherwise`].
pub(crate) fn guards(model: &Model, automaton: &Automaton, state: u32) -> BTreeMap<u32, Guard> {
    let Some(root) = automaton.states.get(state as usize).map(|s| s.root) else {
        return BTreeMap::new();
    };
    let reachable = reachable(automaton, root);
    let mut guards = said(model, automaton, root, &reachable).unwrap_or_else(|| {
        reachable
            .targets
            .iter()
            .map(|target| (*target, Guard::Unsaid))
            .collect()
    });
    if guards.len() > 1
        && let Some(guard) = guards.get_mut(&state)
    {
        *guard = Guard::Otherwise;
    }
    guards
}

/// The guards in words of atoms, or `None` where the diagrams grow too large.
fn said(
    model: &Model,
    automaton: &Automaton,
    root: NodeRef,
    reachable: &Reachable,
) -> Option<BTreeMap<u32, Guard>> {
    let mut table = Table::default();
    let possible = possible(model, &mut table, &reachable.atoms)?;
    let impossible = table.not(possible)?;
    let mut guards = BTreeMap::new();
    for target in &reachable.targets {
        let mut known = FxHashMap::default();
        let reaches = table.reaches(automaton, root, *target, &mut known)?;
        let lower = table.ite(reaches, possible, FALSE)?;
        if lower == FALSE {
            continue;
        }
        let upper = table.ite(reaches, TRUE, impossible)?;
        let (_, products) = table.cover(lower, upper)?;
        guards.insert(*target, Guard::Sum(products));
    }
    Some(guards)
}

/// What a diagram mentions.
struct Reachable {
    atoms: Vec<u32>,
    targets: Vec<u32>,
}

fn reachable(automaton: &Automaton, root: NodeRef) -> Reachable {
    let mut seen = vec![false; automaton.nodes.len()];
    let mut atoms = Vec::new();
    let mut targets = Vec::new();
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        match at {
            NodeRef::State(target) => targets.push(target),
            NodeRef::Node(index) => {
                let (Some(node), Some(seen)) = (
                    automaton.nodes.get(index as usize),
                    seen.get_mut(index as usize),
                ) else {
                    continue;
                };
                if !std::mem::replace(seen, true) {
                    atoms.push(node.atom);
                    stack.extend([node.low, node.high]);
                }
            }
        }
    }
    for list in [&mut atoms, &mut targets] {
        list.sort_unstable();
        list.dedup();
    }
    Reachable { atoms, targets }
}

/// The assignments that some event can have, as far as the kinds and tools of patterns tell.
fn possible(model: &Model, table: &mut Table, atoms: &[u32]) -> Option<Ref> {
    let shapes: Vec<(u32, Option<Shapes<'_>>)> = atoms
        .iter()
        .map(|atom| {
            let shapes = model
                .atoms
                .get(*atom as usize)
                .and_then(|a| Shapes::of(model, a.expr));
            (*atom, shapes)
        })
        .collect();
    let mut possible = TRUE;
    for (index, (a, of_a)) in shapes.iter().enumerate() {
        for (b, of_b) in shapes.iter().skip(index + 1) {
            let (Some(of_a), Some(of_b)) = (of_a, of_b) else {
                continue;
            };
            let (var_a, var_b) = (table.var(*a)?, table.var(*b)?);
            let excluded = if of_a.excludes(model, of_b) {
                table.ite(var_a, var_b, FALSE)?
            } else if of_a.whole && of_b.within(of_a) {
                let not_a = table.not(var_a)?;
                table.ite(var_b, not_a, FALSE)?
            } else if of_b.whole && of_a.within(of_b) {
                let not_b = table.not(var_b)?;
                table.ite(var_a, not_b, FALSE)?
            } else {
                continue;
            };
            possible = table.ite(excluded, FALSE, possible)?;
        }
    }
    Some(possible)
}

/// The events at which an expression can hold.
struct Shapes<'m> {
    any_of: Vec<(EventKind, &'m Tools)>,
    /// Whether it holds at all of them.
    whole: bool,
}

impl<'m> Shapes<'m> {
    /// `None` where nothing is known.
    fn of(model: &'m Model, expr: u32) -> Option<Self> {
        match model.exprs.get(expr as usize)? {
            Expr::Pattern(pattern) => {
                let pattern = model.patterns.get(*pattern as usize)?;
                Some(Self {
                    any_of: vec![(pattern.kind, &pattern.tools)],
                    whole: pattern.keys.is_empty() && pattern.condition.is_none(),
                })
            }
            Expr::And(all) => {
                let known = all.iter().find_map(|part| Self::of(model, *part))?;
                Some(Self {
                    whole: false,
                    ..known
                })
            }
            Expr::Or(all) => {
                let parts = all
                    .iter()
                    .map(|part| Self::of(model, *part))
                    .collect::<Option<Vec<_>>>()?;
                Some(Self {
                    whole: parts.iter().all(|part| part.whole),
                    any_of: parts.into_iter().flat_map(|part| part.any_of).collect(),
                })
            }
            _ => None,
        }
    }

    /// Whether no event has a shape of both.
    fn excludes(&self, model: &Model, other: &Self) -> bool {
        self.any_of.iter().all(|(kind, tools)| {
            other.any_of.iter().all(|(other_kind, other_tools)| {
                !kinds_meet(*kind, *other_kind) || !tools_meet(model, tools, other_tools)
            })
        })
    }

    /// Whether each event with a shape of this one has one of the other.
    fn within(&self, other: &Self) -> bool {
        self.any_of.iter().all(|(kind, tools)| {
            other.any_of.iter().any(|(other_kind, other_tools)| {
                let kind = kind == other_kind
                    || matches!(
                        (kind, other_kind),
                        (EventKind::Return(_), EventKind::Return(None))
                    );
                let tools = match (tools, other_tools) {
                    (_, Tools::Any) => true,
                    (Tools::OneOf(some), Tools::OneOf(all)) => {
                        some.iter().all(|tool| all.contains(tool))
                    }
                    (Tools::Except(more), Tools::Except(fewer)) => {
                        fewer.iter().all(|tool| more.contains(tool))
                    }
                    _ => false,
                };
                kind && tools
            })
        })
    }
}

fn kinds_meet(a: EventKind, b: EventKind) -> bool {
    match (a, b) {
        (EventKind::Return(a), EventKind::Return(b)) => a.is_none() || b.is_none() || a == b,
        (a, b) => a == b,
    }
}

fn tools_meet(model: &Model, a: &Tools, b: &Tools) -> bool {
    let tool = |id: u32| model.tools.get(id as usize);
    match (a, b) {
        (Tools::OneOf(a), Tools::OneOf(b)) => a.iter().any(|a| {
            b.iter().any(|b| match (tool(*a), tool(*b)) {
                (Some(a), Some(b)) => {
                    a.name == b.name
                        && (a.server.is_none() || b.server.is_none() || a.server == b.server)
                }
                _ => true,
            })
        }),
        (Tools::OneOf(some), Tools::Except(not)) | (Tools::Except(not), Tools::OneOf(some)) => {
            !some.iter().all(|tool| not.contains(tool))
        }
        _ => true,
    }
}

/// A node of a table, or one of the constants.
type Ref = u32;
const FALSE: Ref = 0;
const TRUE: Ref = 1;

/// Binary decision diagrams over atoms, in the order of their numbers.
struct Table {
    /// Atom, low, high; the first two stand for the constants.
    nodes: Vec<(u32, Ref, Ref)>,
    unique: FxHashMap<(u32, Ref, Ref), Ref>,
    ites: FxHashMap<(Ref, Ref, Ref), Ref>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            nodes: vec![(u32::MAX, FALSE, FALSE), (u32::MAX, TRUE, TRUE)],
            unique: FxHashMap::default(),
            ites: FxHashMap::default(),
        }
    }
}

impl Table {
    fn mk(&mut self, atom: u32, low: Ref, high: Ref) -> Option<Ref> {
        if low == high {
            return Some(low);
        }
        if let Some(found) = self.unique.get(&(atom, low, high)) {
            return Some(*found);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        let made = u32::try_from(self.nodes.len()).ok()?;
        self.nodes.push((atom, low, high));
        self.unique.insert((atom, low, high), made);
        Some(made)
    }

    fn var(&mut self, atom: u32) -> Option<Ref> {
        self.mk(atom, FALSE, TRUE)
    }

    fn not(&mut self, a: Ref) -> Option<Ref> {
        self.ite(a, FALSE, TRUE)
    }

    /// The atom at the root, or the largest number for a constant.
    fn top(&self, a: Ref) -> u32 {
        self.nodes.get(a as usize).map_or(u32::MAX, |node| node.0)
    }

    /// What is left of a diagram where an atom at or above its root is false, and where it is true.
    fn branches(&self, a: Ref, atom: u32) -> (Ref, Ref) {
        match self.nodes.get(a as usize) {
            Some((top, low, high)) if *top == atom && a > TRUE => (*low, *high),
            _ => (a, a),
        }
    }

    /// `(a and b) or (not a and c)`; `None` where the table is full.
    fn ite(&mut self, a: Ref, b: Ref, c: Ref) -> Option<Ref> {
        match (a, b, c) {
            (TRUE, ..) => return Some(b),
            (FALSE, ..) => return Some(c),
            (_, TRUE, FALSE) => return Some(a),
            _ if b == c => return Some(b),
            _ => {}
        }
        if let Some(found) = self.ites.get(&(a, b, c)) {
            return Some(*found);
        }
        let atom = self.top(a).min(self.top(b)).min(self.top(c));
        let ((a0, a1), (b0, b1), (c0, c1)) = (
            self.branches(a, atom),
            self.branches(b, atom),
            self.branches(c, atom),
        );
        let low = self.ite(a0, b0, c0)?;
        let high = self.ite(a1, b1, c1)?;
        let made = self.mk(atom, low, high)?;
        self.ites.insert((a, b, c), made);
        Some(made)
    }

    /// The assignments with which the automaton's decision at `at` ends in `target`.
    fn reaches(
        &mut self,
        automaton: &Automaton,
        at: NodeRef,
        target: u32,
        known: &mut FxHashMap<u32, Ref>,
    ) -> Option<Ref> {
        match at {
            NodeRef::State(state) => Some(if state == target { TRUE } else { FALSE }),
            NodeRef::Node(index) => {
                if let Some(found) = known.get(&index) {
                    return Some(*found);
                }
                let node = automaton.nodes.get(index as usize)?;
                let low = self.reaches(automaton, node.low, target, known)?;
                let high = self.reaches(automaton, node.high, target, known)?;
                let var = self.var(node.atom)?;
                let made = self.ite(var, high, low)?;
                known.insert(index, made);
                Some(made)
            }
        }
    }

    /// An irredundant sum of products between two functions, `lower` within `upper`: the function
    /// of the sum, and the sum.
    fn cover(&mut self, lower: Ref, upper: Ref) -> Option<(Ref, Vec<Product>)> {
        if lower == FALSE {
            return Some((FALSE, Vec::new()));
        }
        if upper == TRUE {
            return Some((TRUE, vec![Vec::new()]));
        }
        let atom = self.top(lower).min(self.top(upper));
        let (lower0, lower1) = self.branches(lower, atom);
        let (upper0, upper1) = self.branches(upper, atom);
        // What can only be covered with the atom false, and with it true.
        let only0 = self.ite(upper1, FALSE, lower0)?;
        let only1 = self.ite(upper0, FALSE, lower1)?;
        let (f0, products0) = self.cover(only0, upper0)?;
        let (f1, products1) = self.cover(only1, upper1)?;
        let left0 = self.ite(f0, FALSE, lower0)?;
        let left1 = self.ite(f1, FALSE, lower1)?;
        let left = self.ite(left0, TRUE, left1)?;
        let both = self.ite(upper0, upper1, FALSE)?;
        let (f, products) = self.cover(left, both)?;
        let low = self.ite(f0, TRUE, f)?;
        let high = self.ite(f1, TRUE, f)?;
        let whole = self.mk(atom, low, high)?;
        let mut all = products;
        for (value, list) in [(true, products1), (false, products0)] {
            all.extend(list.into_iter().map(|mut product| {
                product.insert(0, (atom, value));
                product
            }));
        }
        Some((whole, all))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;
    use ctr_runtime::format::model::{Atom, Label, Node, Pattern, State, Tool};

    /// Atom 0: `call a`, atom 1: `call b`, atom 2: `call a` with a condition, atom 3: a condition.
    fn model() -> Model {
        let call = |tool: u32, condition: Option<u32>| Pattern {
            kind: EventKind::Call,
            tools: Tools::OneOf(vec![tool]),
            keys: Vec::new(),
            condition,
            text: String::new(),
        };
        let tool = |name: &str| Tool {
            server: None,
            name: name.to_owned(),
        };
        Model {
            tools: vec![tool("a"), tool("b")],
            patterns: vec![call(0, None), call(1, None), call(0, Some(3))],
            exprs: vec![
                Expr::Pattern(0),
                Expr::Pattern(1),
                Expr::Pattern(2),
                Expr::List(Vec::new()),
            ],
            atoms: (0..4)
                .map(|expr| Atom {
                    expr,
                    text: format!("p{expr}"),
                    remedy: None,
                })
                .collect(),
            ..Model::default()
        }
    }

    /// The states 0, 1, ... where 0 decides by these nodes, the last of them first.
    fn automaton(nodes: &[(u32, NodeRef, NodeRef)], states: u32) -> Automaton {
        let last = u32::try_from(nodes.len()).unwrap() - 1;
        Automaton {
            states: (0..states)
                .map(|state| State {
                    label: Label::Satisfied,
                    idle: false,
                    root: if state == 0 {
                        NodeRef::Node(last)
                    } else {
                        NodeRef::State(state)
                    },
                })
                .collect(),
            initial: 0,
            nodes: nodes
                .iter()
                .map(|(atom, low, high)| Node {
                    atom: *atom,
                    low: *low,
                    high: *high,
                })
                .collect(),
        }
    }

    const fn state(number: u32) -> NodeRef {
        NodeRef::State(number)
    }

    #[test]
    fn two_calls_at_once_are_left_out() {
        // a and b: 1; a and not b: 2; b alone: 3; else stay.
        let automaton = automaton(
            &[
                (1, state(0), state(3)),
                (1, state(2), state(1)),
                (0, NodeRef::Node(0), NodeRef::Node(1)),
            ],
            4,
        );
        let guards = guards(&model(), &automaton, 0);
        assert_eq!(
            guards,
            BTreeMap::from([
                (0, Guard::Otherwise),
                (2, Guard::Sum(vec![vec![(0, true)]])),
                (3, Guard::Sum(vec![vec![(1, true)]])),
            ])
        );
    }

    #[test]
    fn a_narrower_pattern_says_the_wider_one() {
        // `call a` and the condition on it: 1; the condition without `call a` cannot be.
        let automaton = automaton(
            &[(2, state(0), state(1)), (0, state(0), NodeRef::Node(0))],
            2,
        );
        let guards = guards(&model(), &automaton, 0);
        assert_eq!(guards[&1], Guard::Sum(vec![vec![(2, true)]]));
    }

    #[test]
    fn a_state_that_is_never_left_goes_on_at_any_step() {
        let automaton = automaton(&[(3, state(0), state(1))], 2);
        assert_eq!(
            guards(&model(), &automaton, 1),
            BTreeMap::from([(1, Guard::Sum(vec![Vec::new()]))])
        );
    }

    /// Random diagrams over atoms about which nothing is known: the sums hold exactly where the
    /// diagram leads to their target, and no product and no literal can be left out.
    #[test]
    fn sums_are_exact_and_irredundant() {
        const ATOMS: u32 = 5;
        let model = Model {
            exprs: vec![Expr::List(Vec::new())],
            atoms: (0..ATOMS)
                .map(|_| Atom {
                    expr: 0,
                    text: String::new(),
                    remedy: None,
                })
                .collect(),
            ..Model::default()
        };
        let mut seed = 0x9e37_79b9_u64;
        let mut draw = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..300 {
            let mut nodes: Vec<(u32, NodeRef, NodeRef)> = Vec::new();
            for atom in (0..ATOMS).rev() {
                let below = nodes.len();
                for _ in 0..3 {
                    let mut child = || match draw(below + 2) {
                        n if n < below => NodeRef::Node(u32::try_from(n).unwrap()),
                        n => NodeRef::State(u32::try_from(n - below).unwrap() + 1),
                    };
                    nodes.push((atom, child(), child()));
                }
            }
            let automaton = automaton(&nodes, 3);
            let walk = |letter: u32| {
                let mut at = automaton.states[0].root;
                while let NodeRef::Node(index) = at {
                    let node = automaton.nodes[index as usize];
                    at = if letter >> node.atom & 1 == 1 {
                        node.high
                    } else {
                        node.low
                    };
                }
                at
            };
            let covers = |product: &Product, letter: u32| {
                product
                    .iter()
                    .all(|(atom, value)| (letter >> atom & 1 == 1) == *value)
            };
            for (target, guard) in guards(&model, &automaton, 0) {
                let Guard::Sum(products) = guard else {
                    unreachable!("there is no loop");
                };
                let goes: Vec<bool> = (0..1 << ATOMS)
                    .map(|letter| walk(letter) == NodeRef::State(target))
                    .collect();
                let says = |products: &[Product]| -> Vec<bool> {
                    (0..1 << ATOMS)
                        .map(|letter| products.iter().any(|p| covers(p, letter)))
                        .collect()
                };
                assert_eq!(says(&products), goes);
                for index in 0..products.len() {
                    let mut fewer = products.clone();
                    fewer.remove(index);
                    assert_ne!(says(&fewer), goes, "a product too many");
                    for literal in 0..products[index].len() {
                        let mut shorter = products.clone();
                        shorter[index].remove(literal);
                        assert_ne!(says(&shorter), goes, "a literal too many");
                    }
                }
            }
        }
    }
}
