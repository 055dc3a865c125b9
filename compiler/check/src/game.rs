//! The game of agent and environment over one guarantee.
//!
//! The agent calls tools and writes messages, as often as it likes before the environment does anything; the gate refuses what would violate
//! the guarantee. The environment answers calls in flight with any result, sends messages and declared events, and lets time
//! pass. It wins where one of its events violates the guarantee for good and the assumption is not violated. A
//! position is the state of each automaton and the calls in flight. The positions in which the agent can go on for ever without losing are a
//! greatest fixed point.
//!
//! Of equal calls in flight one is remembered, and [`IN_FLIGHT`] in all: the environment has fewer moves than it could
//! have, never more.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use ctr_front::ir::Status;
use ctr_logic::{Dfa, Label, NodeRef};

use crate::engine::Engine;
use crate::problem::Leaf;
use crate::theory::{Letter as Answer, Step};
use crate::universe::{Class, FIRST_LEAF};

/// The most positions that are looked at.
const POSITIONS: usize = 6_000;
/// The most letters of a group in a state.
const LETTERS: usize = 1_024;
/// The most conditions on arguments that calls carry to their returns.
const CARRIED: usize = 5;
/// The most calls in flight that are remembered.
const IN_FLIGHT: usize = 3;

/// What an automaton watches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The guarantee.
    Guarantee,
    /// The assumption.
    Assume,
    /// Accepts where a deadline of the guarantee is open.
    Open,
    /// The same of the assumption.
    OpenAssume,
}

/// Who chooses the value of a condition at an event of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The environment.
    Environment,
    /// What the agent has done before.
    Agent,
    /// It depends on both.
    Both,
}

/// Literals: leaves with their values.
pub(crate) type Literals = Vec<(u32, bool)>;

/// An event of a play.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// Its group.
    pub(crate) group: usize,
    /// Its kind and tool.
    pub(crate) class: Class,
    /// What is said of it.
    pub(crate) literals: Literals,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    states: Vec<u32>,
    /// Tools with what their arguments are like.
    flight: Vec<(usize, Literals)>,
}

/// Why the environment wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// From the start.
    Always,
    /// Once this tool is called.
    Calling(usize),
}

/// A shortest play in which the agent does nothing more than it has to.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    /// The events.
    pub(crate) moves: Vec<Move>,
    /// Whether it is time that ends it, rather than the last event.
    pub(crate) by_time: bool,
}

/// Letters of a group in a state: literals, and where they lead.
type Letters = Rc<Vec<(Literals, Vec<u32>)>>;

/// A game.
pub(crate) struct Game<'g, 'l> {
    engine: &'g mut Engine<'l>,
    automata: Vec<(Role, Dfa)>,
    owners: BTreeMap<(u32, usize), Owner>,
    known: BTreeMap<(Vec<u32>, usize, Literals), Letters>,
    /// The conditions on the arguments of each tool that its returns carry.
    carried: BTreeMap<usize, Vec<u32>>,
    /// Whether conditions that depend on both sides are the environment's.
    generous: bool,
    /// Whether there was such a condition.
    pub(crate) met_both: bool,
}

/// What is known of a position.
#[derive(Default)]
struct Node {
    /// Where the agent can go, and the tool that it calls.
    agent: Vec<(usize, Move)>,
    /// Where the environment can go; `None`: it wins.
    environment: Vec<(Option<usize>, Move)>,
    by_time: bool,
}

impl<'g, 'l> Game<'g, 'l> {
    pub(crate) fn new(
        engine: &'g mut Engine<'l>,
        automata: Vec<(Role, Dfa)>,
        owner: &dyn Fn(&Engine<'l>, u32, Class) -> Owner,
    ) -> Result<Self, String> {
        let mut owners = BTreeMap::new();
        let mut carried: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let arguments: BTreeSet<u32> = engine.arguments().into_iter().collect();
        let groups = engine.problem.universe.groups.clone();
        for (leaf, used) in (0..).zip(&engine.problem.used_in) {
            for group in used {
                let Some(class) = groups.get(*group).and_then(|g| g.classes.first()) else {
                    continue;
                };
                owners.insert((leaf, *group), owner(engine, leaf, *class));
                if let (Class::Return(tool, _), true) = (*class, arguments.contains(&leaf)) {
                    let of_tool = carried.entry(tool).or_default();
                    if !of_tool.contains(&leaf) {
                        of_tool.push(leaf);
                    }
                }
            }
        }
        if carried.values().any(|leaves| leaves.len() > CARRIED) {
            return Err("too many conditions on the arguments of calls".to_owned());
        }
        Ok(Self {
            engine,
            automata,
            owners,
            known: BTreeMap::new(),
            carried,
            generous: false,
            met_both: false,
        })
    }

    /// The letters of a group in a state that extend what is fixed.
    fn letters(
        &mut self,
        states: &[u32],
        group: usize,
        class: Class,
        fixed: &Literals,
    ) -> Result<Letters, String> {
        let key = (states.to_vec(), group, fixed.clone());
        if let Some(found) = self.known.get(&key) {
            return Ok(Rc::clone(found));
        }
        let mut found = Vec::new();
        let mut to = Vec::new();
        self.walk(states, group, None, &mut fixed.clone(), &mut to, &mut found)?;
        found.sort();
        found.dedup();
        let mut possible = Vec::new();
        for (literals, to) in found {
            let mut step = Step {
                group,
                class,
                literals: literals.clone(),
                owner: 0,
                apart: Vec::new(),
            };
            step.apart = self.engine.apart(&step);
            if step.literals.is_empty()
                || !matches!(self.engine.letter(&step), Answer::Impossible(_))
            {
                possible.push((literals, to));
            }
        }
        let possible = Rc::new(possible);
        self.known.insert(key, Rc::clone(&possible));
        Ok(possible)
    }

    fn walk(
        &self,
        states: &[u32],
        group: usize,
        node: Option<NodeRef>,
        literals: &mut Literals,
        to: &mut Vec<u32>,
        out: &mut Vec<(Literals, Vec<u32>)>,
    ) -> Result<(), String> {
        let at = to.len();
        let (Some(state), Some((_, dfa))) = (states.get(at), self.automata.get(at)) else {
            if out.len() >= LETTERS {
                return Err("an event can be of too many sorts".to_owned());
            }
            let mut sorted = literals.clone();
            sorted.sort_unstable();
            out.push((sorted, to.clone()));
            return Ok(());
        };
        match node.unwrap_or_else(|| dfa.root(*state)) {
            NodeRef::Leaf(next) => {
                to.push(next);
                self.walk(states, group, None, literals, to, out)?;
                to.pop();
                Ok(())
            }
            NodeRef::Inner(index) => {
                let node = dfa.node(index);
                let known = self.value(node.atom, group, literals);
                for (value, next) in [(false, node.low), (true, node.high)] {
                    match known {
                        Some(known) if known != value => continue,
                        Some(_) => self.walk(states, group, Some(next), literals, to, out)?,
                        None => {
                            literals.push((node.atom - FIRST_LEAF, value));
                            self.walk(states, group, Some(next), literals, to, out)?;
                            literals.pop();
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// The value of an atom at an event of a group, where it is known.
    fn value(&self, atom: u32, group: usize, literals: &Literals) -> Option<bool> {
        if atom < FIRST_LEAF {
            let code = &self.engine.problem.universe.groups.get(group)?.code;
            return Some(code.iter().any(|(bit, value)| *bit == atom && *value));
        }
        let leaf = atom - FIRST_LEAF;
        if let Some((_, value)) = literals.iter().find(|(other, _)| *other == leaf) {
            return Some(*value);
        }
        let used = self.engine.problem.used_in.get(leaf as usize)?;
        (!used.contains(&group)).then_some(false)
    }

    fn violates(&self, states: &[u32], role: Role) -> bool {
        states
            .iter()
            .zip(&self.automata)
            .any(|(state, (r, dfa))| *r == role && dfa.label(*state) == Label::ViolatedForGood)
    }

    fn is_open(&self, states: &[u32], role: Role) -> bool {
        states
            .iter()
            .zip(&self.automata)
            .any(|(state, (r, dfa))| *r == role && dfa.accepting(*state))
    }

    /// The group of a class.
    fn group_of(&self, class: Class) -> Option<usize> {
        self.engine
            .problem
            .universe
            .groups
            .iter()
            .position(|group| group.classes.contains(&class))
    }

    /// What the agent can do.
    fn agent_moves(&mut self, at: &Position) -> Result<Vec<(Position, Move)>, String> {
        let mut out = Vec::new();
        let groups = self.engine.problem.universe.groups.clone();
        for (group, entry) in groups.iter().enumerate() {
            let by_agent = |class: &&Class| matches!(class, Class::Call(_) | Class::Output);
            let Some(class) = entry.classes.iter().find(by_agent).copied() else {
                continue;
            };
            let tool = match class {
                Class::Call(tool) => Some(tool),
                _ => None,
            };
            let returns = tool.is_some_and(|tool| self.has_returns(tool));
            let carried = tool
                .filter(|_| returns)
                .and_then(|tool| self.carried.get(&tool).cloned())
                .unwrap_or_default();
            let mut seen: BTreeSet<Position> = BTreeSet::new();
            let keys = self.keys_at(group);
            for carries in self.combinations(&carried) {
                let mut fixed = carries.clone();
                fixed.extend(keys.iter().filter(|key| !carries.contains(key)));
                let letters = self.letters(&at.states, group, class, &fixed)?;
                for (literals, to) in letters.iter() {
                    if self.violates(to, Role::Guarantee) {
                        continue;
                    }
                    if let Some(tool) = tool
                        && self.is_anticipated(tool, to, &carries)?
                    {
                        continue;
                    }
                    let mut flight = at.flight.clone();
                    if let Some(tool) = tool
                        && returns
                        && !flight.contains(&(tool, carries.clone()))
                        && flight.len() < IN_FLIGHT
                    {
                        flight.push((tool, carries.clone()));
                        flight.sort();
                    }
                    let next = Position {
                        states: to.clone(),
                        flight,
                    };
                    if seen.insert(next.clone()) {
                        let literals = literals.clone();
                        out.push((
                            next,
                            Move {
                                group,
                                class,
                                literals,
                            },
                        ));
                    }
                }
            }
        }
        Ok(out)
    }

    fn is_key(&self, leaf: u32) -> bool {
        matches!(
            self.engine.problem.leaves.get(leaf as usize),
            Some(Leaf::Key(..))
        )
    }

    /// That an event of the agent binds the keys: what it does with other keys other instances judge.
    fn keys_at(&self, group: usize) -> Literals {
        (0..)
            .zip(&self.engine.problem.used_in)
            .filter(|(leaf, used)| used.contains(&group) && self.is_key(*leaf))
            .map(|(leaf, _)| (leaf, true))
            .collect()
    }

    /// All values of some leaves.
    fn combinations(&self, leaves: &[u32]) -> Vec<Literals> {
        let mut out = vec![Literals::new()];
        for leaf in leaves {
            let values: &[bool] = if self.is_key(*leaf) {
                &[true]
            } else {
                &[false, true]
            };
            out = out
                .into_iter()
                .flat_map(|literals| {
                    values.iter().map(move |value| {
                        let mut literals = literals.clone();
                        literals.push((*leaf, *value));
                        literals
                    })
                })
                .collect();
        }
        for literals in &mut out {
            literals.sort_unstable();
        }
        out
    }

    /// Whether some return of a tool is an event of the game.
    fn has_returns(&self, tool: usize) -> bool {
        [Status::Success, Status::Failure, Status::Unknown]
            .into_iter()
            .any(|status| self.group_of(Class::Return(tool, status)).is_some())
    }

    /// Whether the call's success would violate the guarantee whatever it brings: then the gate refuses it.
    fn is_anticipated(
        &mut self,
        tool: usize,
        states: &[u32],
        carries: &Literals,
    ) -> Result<bool, String> {
        let class = Class::Return(tool, Status::Success);
        let Some(group) = self.group_of(class) else {
            return Ok(false);
        };
        let letters = self.letters(states, group, class, carries)?;
        Ok(!letters.is_empty()
            && letters
                .iter()
                .all(|(_, to)| self.violates(to, Role::Guarantee)))
    }

    /// What the environment can do.
    fn environment_moves(
        &mut self,
        at: &Position,
    ) -> Result<Vec<(Option<Position>, Move)>, String> {
        let mut out = Vec::new();
        let groups = self.engine.problem.universe.groups.clone();
        for (group, entry) in groups.iter().enumerate() {
            let message = |class: &&Class| matches!(class, Class::Input | Class::Declared(_));
            let answer = |class: &&Class| matches!(class, Class::Return(..));
            let message = entry.classes.iter().find(message);
            let answer = entry.classes.iter().find(answer);
            let mut ways: Vec<(Class, Option<usize>)> = Vec::new();
            ways.extend(message.map(|class| (*class, None)));
            if let Some(class) = answer {
                ways.extend((0..at.flight.len()).map(|n| (*class, Some(n))));
            }
            for (class, answer) in ways {
                let call = answer.and_then(|n| at.flight.get(n)).cloned();
                let mut class = class;
                if let Some((tool, _)) = call {
                    // The group may be of several tools.
                    let of_tool = entry
                        .classes
                        .iter()
                        .find(|class| matches!(class, Class::Return(t, _) if *t == tool));
                    match of_tool {
                        Some(found) => class = *found,
                        None => continue,
                    }
                }
                let fixed = call.map(|(_, carries)| carries).unwrap_or_default();
                let letters = self.letters(&at.states, group, class, &fixed)?;
                for (literals, to) in letters.iter() {
                    if self.violates(to, Role::Assume) || !self.may(group, literals, &fixed) {
                        continue;
                    }
                    let mut flight = at.flight.clone();
                    if let Some(n) = answer {
                        flight.remove(n);
                    }
                    let next = (!self.violates(to, Role::Guarantee)).then(|| Position {
                        states: to.clone(),
                        flight,
                    });
                    let literals = literals.clone();
                    out.push((
                        next,
                        Move {
                            group,
                            class,
                            literals,
                        },
                    ));
                }
            }
        }
        Ok(out)
    }

    /// Whether the environment can see to it that its event has these literals.
    fn may(&mut self, group: usize, literals: &Literals, fixed: &Literals) -> bool {
        for literal in literals.iter().filter(|literal| !fixed.contains(literal)) {
            match self.owners.get(&(literal.0, group)) {
                Some(Owner::Agent) => return false,
                Some(Owner::Both) => {
                    self.met_both = true;
                    if !self.generous {
                        return false;
                    }
                }
                Some(Owner::Environment) | None => {}
            }
        }
        true
    }

    /// Whether some event of the environment can violate the guarantee at all, or time.
    pub(crate) fn can_be_lost(&self) -> Result<bool, String> {
        if self.automata.iter().any(|(role, _)| *role == Role::Open) {
            return Ok(true);
        }
        for (n, (role, dfa)) in self.automata.iter().enumerate() {
            if *role != Role::Guarantee {
                continue;
            }
            let states = u32::try_from(dfa.states()).unwrap_or(0);
            for state in (0..states).filter(|s| dfa.label(*s) != Label::ViolatedForGood) {
                for (group, entry) in self.engine.problem.universe.groups.iter().enumerate() {
                    let by_agent = |class: &Class| matches!(class, Class::Call(_) | Class::Output);
                    if entry.classes.iter().all(by_agent) {
                        continue;
                    }
                    if self.reaches_bad(n, dfa.root(state), group) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn reaches_bad(&self, n: usize, root: NodeRef, group: usize) -> bool {
        let Some((_, dfa)) = self.automata.get(n) else {
            return false;
        };
        let mut open = vec![root];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            match node {
                NodeRef::Leaf(state) if dfa.label(state) == Label::ViolatedForGood => return true,
                NodeRef::Leaf(_) => {}
                NodeRef::Inner(index) => {
                    if seen.insert(index) {
                        let node = dfa.node(index);
                        let known = self.value(node.atom, group, &Vec::new());
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
        false
    }

    /// Who wins, and a shortest play that shows it where it is the environment. `generous`: conditions that depend on both sides are
    /// the environment's.
    pub(crate) fn solve(&mut self, generous: bool) -> Result<Option<(Loss, Play)>, String> {
        self.generous = generous;
        let over = self.engine.over();
        let start = Position {
            states: self.automata.iter().map(|(_, dfa)| dfa.initial()).collect(),
            flight: Vec::new(),
        };
        let mut index: BTreeMap<Position, usize> = BTreeMap::from([(start.clone(), 0)]);
        let mut all = vec![start];
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(at) = all.get(nodes.len()).cloned() {
            if over() {
                return Err("the time limit is reached".to_owned());
            }
            if all.len() > POSITIONS {
                return Err("the game has too many positions".to_owned());
            }
            let mut number = |position: Position| {
                *index.entry(position.clone()).or_insert_with(|| {
                    all.push(position);
                    all.len() - 1
                })
            };
            let mut node = Node {
                by_time: self.is_open(&at.states, Role::Open)
                    && !self.is_open(&at.states, Role::OpenAssume),
                ..Node::default()
            };
            for (next, by) in self.agent_moves(&at)? {
                node.agent.push((number(next), by));
            }
            for (next, by) in self.environment_moves(&at)? {
                node.environment.push((next.map(&mut number), by));
            }
            nodes.push(node);
        }
        let safe = safe(&nodes);
        if safe.first() == Some(&false) {
            let play = play(&nodes, |_| true, None);
            return Ok(play.map(|play| (Loss::Always, play)));
        }
        // Where the agent can come to while it is safe.
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Some(node) = nodes.get(at) else { continue };
            let agent = node.agent.iter().map(|(next, _)| *next);
            let environment = node.environment.iter().filter_map(|(next, _)| *next);
            for next in agent.chain(environment) {
                if safe.get(next) == Some(&true) && reached.insert(next) {
                    open.push(next);
                }
            }
        }
        // The tools that can be called, and whether some call of them is safe.
        let mut tools: BTreeMap<usize, bool> = BTreeMap::new();
        for at in &reached {
            for (next, by) in nodes
                .get(*at)
                .map(|n| n.agent.as_slice())
                .unwrap_or_default()
            {
                if let Class::Call(tool) = by.class {
                    *tools.entry(tool).or_default() |= safe.get(*next) == Some(&true);
                }
            }
        }
        for (tool, _) in tools.into_iter().filter(|(_, fine)| !fine) {
            let play = play(&nodes, |at| reached.contains(&at), Some(tool));
            if let Some(play) = play {
                return Ok(Some((Loss::Calling(tool), play)));
            }
        }
        Ok(None)
    }
}

/// The positions from which the agent, moving first, does not lose.
fn safe(nodes: &[Node]) -> Vec<bool> {
    // Whether the agent does not lose if the environment moves next.
    let mut waits: Vec<bool> = nodes.iter().map(|node| !node.by_time).collect();
    loop {
        // From which positions the agent can come to one where it can wait.
        let mut safe = waits.clone();
        loop {
            let mut changed = false;
            for (at, node) in nodes.iter().enumerate() {
                if safe.get(at) == Some(&false)
                    && node
                        .agent
                        .iter()
                        .any(|(next, _)| safe.get(*next) == Some(&true))
                    && let Some(slot) = safe.get_mut(at)
                {
                    *slot = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let next: Vec<bool> = nodes
            .iter()
            .map(|node| {
                !node.by_time
                    && node
                        .environment
                        .iter()
                        .all(|(next, _)| next.is_some_and(|next| safe.get(next) == Some(&true)))
            })
            .collect();
        if next == waits {
            return safe;
        }
        waits = next;
    }
}

/// A position, and whether the tool has been called.
type Place = (usize, bool);

/// A shortest play to the environment's victory: with a tool, it is called in a position that `may` allows, and nothing
/// is called after it; without, nothing is called at all.
fn play(nodes: &[Node], may: impl Fn(usize) -> bool, tool: Option<usize>) -> Option<Play> {
    let start = (0, tool.is_none());
    let mut from: BTreeMap<Place, Option<(Place, Move)>> = BTreeMap::from([(start, None)]);
    let mut open = VecDeque::from([start]);
    let back = |from: &BTreeMap<Place, Option<(Place, Move)>>, end| {
        let mut moves = Vec::new();
        let mut at = end;
        while let Some(Some((before, by))) = from.get(&at) {
            moves.push(by.clone());
            at = *before;
        }
        moves.reverse();
        moves
    };
    while let Some((at, called)) = open.pop_front() {
        let node = nodes.get(at)?;
        if called {
            if let Some((_, by)) = node.environment.iter().find(|(next, _)| next.is_none()) {
                let mut moves = back(&from, (at, called));
                moves.push(by.clone());
                return Some(Play {
                    moves,
                    by_time: false,
                });
            }
            if node.by_time {
                return Some(Play {
                    moves: back(&from, (at, called)),
                    by_time: true,
                });
            }
        }
        let mut steps: Vec<(Place, Move)> = Vec::new();
        for (next, by) in &node.environment {
            if let Some(next) = next
                && (called || may(*next))
            {
                steps.push(((*next, called), by.clone()));
            }
        }
        if !called {
            for (next, by) in &node.agent {
                let is_it = matches!(by.class, Class::Call(t) if Some(t) == tool);
                if is_it {
                    steps.push(((*next, true), by.clone()));
                } else if may(*next) {
                    steps.push(((*next, false), by.clone()));
                }
            }
        }
        for (next, by) in steps {
            if let Entry::Vacant(slot) = from.entry(next) {
                slot.insert(Some(((at, called), by)));
                open.push_back(next);
            }
        }
    }
    None
}
