//! The instances of a keyed contract.
//!
//! Instances that are in the same states form a group; an event that all instances see through an
//! unkeyed pattern moves groups, not instances. Groups are the trees of a union-find structure:
//! where two meet, both hang under a new node, and "pending since" is a note on a node that
//! overrides the notes below it, so that an instance reads its own along its path. Path compression
//! keeps the notes. The members of a group are also a ring, so that they can be listed where an
//! event violates the contract for each of them.
//!
//! Instance 0 is that of all keys which have not occurred: later instances start as its copies.

#![expect(
    clippy::indexing_slicing,
    reason = "indices are made here and stay in bounds: nodes and instances are never removed \
              except by `compact`, which renumbers all of them, and restored ones are checked"
)]

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::eval::datum::{Key, Ordered};
use crate::format::{ContractRef, Library};
use crate::limits::Limits;
use crate::order::Map;
use crate::registers::key_weight;

/// The states of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Label {
    /// The assumption's state.
    pub(crate) assume: u32,
    /// The guarantee's state.
    pub(crate) guarantee: u32,
    /// The assumption is violated: the instance is idle for good, and the states are 0.
    pub(crate) broken: bool,
}

impl Label {
    pub(crate) const BROKEN: Self = Self {
        assume: 0,
        guarantee: 0,
        broken: true,
    };

    /// The states in which a contract's automata start.
    pub(crate) fn start(library: &Library<'_>, contract: ContractRef<'_>) -> Self {
        let initial =
            |automaton: Option<u32>| automaton.map_or(0, |a| library.automaton(a).initial());
        Self {
            assume: initial(contract.assume()),
            guarantee: initial(contract.guarantee()),
            broken: false,
        }
    }
}

/// An instance.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) key: Key,
    /// Whether its key has occurred; others are made only to read registers of their key.
    pub(crate) occurred: bool,
    /// Whether its guarantee was violated or undetermined.
    pub(crate) failed: bool,
    /// How many of the violations of instance 0 are also its own.
    pub(crate) inherited: u32,
    leaf: u32,
    next: u32,
    prev: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Itself for a root.
    parent: u32,
    since: Option<u64>,
    /// Meaningful for roots.
    label: Label,
}

#[derive(Clone, Copy, Debug)]
struct Root {
    node: u32,
    head: u32,
}

/// What becomes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupMove {
    pub(crate) from: Label,
    pub(crate) to: Label,
    /// Whether it has become pending.
    pub(crate) opened: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Groups {
    index: Map<Ordered, u32>,
    instances: Vec<Instance>,
    nodes: Vec<Node>,
    /// By label.
    roots: Vec<(Label, Root)>,
    path: Vec<u32>,
    limit: usize,
    /// How large the keys are, and may be.
    bytes: usize,
    byte_limit: usize,
    /// Memory for [`Groups::broadcast`] and [`Groups::compact`].
    old: Vec<(Label, Root)>,
    states: Vec<(Label, Option<u64>)>,
    /// An event moved instance 0 in a way that depends on the key.
    pub(crate) lost: bool,
    /// How many violations instance 0 has.
    pub(crate) shared: u32,
    /// Whether one of them is by an event and not by a deadline, for which nothing is refused.
    pub(crate) spoilt: bool,
}

fn index(n: u32) -> usize {
    n as usize
}

fn id(n: usize) -> u32 {
    // Bounded by the limit on keys, which `set_limits` caps, and the compaction rule.
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl Groups {
    pub(crate) fn new(label: Label) -> Self {
        let mut groups = Self {
            index: Map::new(),
            instances: Vec::new(),
            nodes: Vec::new(),
            roots: Vec::new(),
            path: Vec::new(),
            limit: Limits::DEFAULT.keys,
            bytes: 0,
            byte_limit: Limits::DEFAULT.key_bytes,
            old: Vec::new(),
            states: Vec::new(),
            lost: false,
            shared: 0,
            spoilt: false,
        };
        groups.push(Arc::new([]), label, None);
        groups
    }

    /// Forgets all instances but that of the keys which have not occurred, which begins anew.
    pub(crate) fn restart(&mut self, label: Label) {
        self.index.clear();
        self.instances.clear();
        self.nodes.clear();
        self.roots.clear();
        self.bytes = 0;
        self.lost = false;
        self.shared = 0;
        self.spoilt = false;
        self.push(Arc::new([]), label, None);
    }

    fn push(&mut self, key: Key, label: Label, since: Option<u64>) -> u32 {
        let instance = id(self.instances.len());
        let bytes = key_weight(&key).unwrap_or(usize::MAX);
        self.bytes = self.bytes.saturating_add(bytes);
        let leaf = self.node(label, since);
        self.instances.push(Instance {
            key,
            occurred: false,
            failed: false,
            inherited: 0,
            leaf,
            next: instance,
            prev: instance,
        });
        self.attach(instance, label, since);
        instance
    }

    fn node(&mut self, label: Label, since: Option<u64>) -> u32 {
        let node = id(self.nodes.len());
        self.nodes.push(Node {
            parent: node,
            since,
            label,
        });
        node
    }

    pub(crate) fn len(&self) -> usize {
        self.instances.len()
    }

    pub(crate) fn set_limits(&mut self, limits: &Limits) {
        // Nodes, at most twice as many and a few, are numbered with 32 bits.
        self.limit = limits.keys.min(1 << 28);
        self.byte_limit = limits.key_bytes;
    }

    /// Whether there is room for an instance of a key that has none. Instance 0 does not count.
    pub(crate) fn has_room(&self, key: &Key) -> bool {
        self.instances.len() <= self.limit
            && key_weight(key)
                .and_then(|bytes| bytes.checked_add(self.bytes))
                .is_some_and(|bytes| bytes <= self.byte_limit)
    }

    pub(crate) fn get(&self, instance: u32) -> &Instance {
        &self.instances[index(instance)]
    }

    pub(crate) fn get_mut(&mut self, instance: u32) -> &mut Instance {
        &mut self.instances[index(instance)]
    }

    /// The instances that a key has, instance 0 aside.
    pub(crate) fn occurred(&self) -> impl Iterator<Item = u32> + '_ {
        (1..id(self.instances.len())).filter(|i| self.get(*i).occurred)
    }

    pub(crate) fn by_key(&self, key: &Key) -> Option<u32> {
        self.index.get(&Ordered(key.clone())).copied()
    }

    /// Whether a key that has not occurred (`instance`: its own, or none yet) would start with a violation,
    /// by what unkeyed patterns have seen.
    pub(crate) fn is_born_failed(&self, instance: Option<u32>) -> bool {
        let instance = self.get(instance.unwrap_or(0));
        self.spoilt && instance.failed && !instance.occurred
    }

    /// The instance of a key, made as a copy of instance 0 where there is none.
    pub(crate) fn ensure(&mut self, key: &Key) -> u32 {
        if let Some(instance) = self.by_key(key) {
            return instance;
        }
        let (label, since) = self.state(0);
        let failed = self.get(0).failed;
        let instance = self.push(key.clone(), label, since);
        let inherited = self.shared;
        let made = self.get_mut(instance);
        made.failed = failed;
        made.inherited = inherited;
        self.index.insert(Ordered(key.clone()), instance);
        instance
    }

    /// The states of an instance, and the event since which it is pending if it is.
    pub(crate) fn state(&mut self, instance: u32) -> (Label, Option<u64>) {
        let leaf = self.instances[index(instance)].leaf;
        let mut path = core::mem::take(&mut self.path);
        path.clear();
        let mut node = leaf;
        while self.nodes[index(node)].parent != node {
            path.push(node);
            node = self.nodes[index(node)].parent;
        }
        // From the top down, the highest note wins; each node then hangs directly under the root.
        let mut note = None;
        for below in path.iter().rev() {
            let n = &mut self.nodes[index(*below)];
            note = note.or(n.since);
            n.since = note;
            n.parent = node;
        }
        self.path = path;
        let root = self.nodes[index(node)];
        let since = if node == leaf {
            root.since
        } else {
            root.since.or(note)
        };
        (root.label, since)
    }

    /// The same as [`Groups::state`] without tidying the path.
    pub(crate) fn peek(&self, instance: u32) -> (Label, Option<u64>) {
        let mut node = self.instances[index(instance)].leaf;
        let mut since = None;
        loop {
            let n = self.nodes[index(node)];
            since = n.since.or(since);
            if n.parent == node {
                return (n.label, since);
            }
            node = n.parent;
        }
    }

    fn root(&self, label: Label) -> Option<Root> {
        let at = self.roots.binary_search_by(|(l, _)| l.cmp(&label)).ok()?;
        Some(self.roots[at].1)
    }

    fn set_root(&mut self, label: Label, root: Root) {
        match self.roots.binary_search_by(|(l, _)| l.cmp(&label)) {
            Ok(at) => self.roots[at].1 = root,
            Err(at) => self.roots.insert(at, (label, root)),
        }
    }

    fn attach(&mut self, instance: u32, label: Label, since: Option<u64>) {
        let leaf = self.instances[index(instance)].leaf;
        match self.root(label) {
            None => {
                let node = self.node(label, None);
                self.nodes[index(leaf)] = Node {
                    parent: node,
                    since,
                    label,
                };
                let i = &mut self.instances[index(instance)];
                (i.next, i.prev) = (instance, instance);
                let head = instance;
                self.set_root(label, Root { node, head });
            }
            Some(Root { mut node, head }) => {
                // A note on the root must not reach those that join later.
                if self.nodes[index(node)].since.is_some() {
                    let above = self.node(label, None);
                    self.nodes[index(node)].parent = above;
                    node = above;
                    self.set_root(label, Root { node, head });
                }
                self.nodes[index(leaf)] = Node {
                    parent: node,
                    since,
                    label,
                };
                let next = self.instances[index(head)].next;
                self.instances[index(instance)].next = next;
                self.instances[index(instance)].prev = head;
                self.instances[index(head)].next = instance;
                self.instances[index(next)].prev = instance;
            }
        }
    }

    fn detach(&mut self, instance: u32, label: Label) {
        let (next, prev) = {
            let i = &self.instances[index(instance)];
            (i.next, i.prev)
        };
        if next == instance {
            self.roots.retain(|(l, _)| *l != label);
        } else {
            self.instances[index(prev)].next = next;
            self.instances[index(next)].prev = prev;
            if let Some(root) = self.root(label)
                && root.head == instance
            {
                self.set_root(label, Root { head: next, ..root });
            }
        }
        let i = &mut self.instances[index(instance)];
        (i.next, i.prev) = (instance, instance);
    }

    /// Moves one instance.
    pub(crate) fn set(&mut self, instance: u32, to: Label, since: Option<u64>) {
        let (from, _) = self.state(instance);
        self.detach(instance, from);
        self.attach(instance, to, since);
        self.compact();
    }

    /// The labels of all groups, in order.
    pub(crate) fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        self.roots.iter().map(|(label, _)| *label)
    }

    /// The members of a group, in no particular order.
    pub(crate) fn members(&self, label: Label) -> impl Iterator<Item = u32> + '_ {
        let head = self.root(label).map(|r| r.head);
        core::iter::successors(head, move |i| {
            let next = self.instances[index(*i)].next;
            (Some(next) != head).then_some(next)
        })
    }

    /// The instances of a group that have occurred and pass a filter, ascending, where they are at
    /// most `limit`; otherwise none, and whether there are more.
    pub(crate) fn few(
        &self,
        label: Label,
        limit: usize,
        mut filter: impl FnMut(&Instance, u32) -> bool,
    ) -> (Vec<u32>, bool) {
        let mut found: Vec<u32> = self
            .members(label)
            .filter(|i| self.get(*i).occurred && filter(self.get(*i), *i))
            .take(limit + 1)
            .collect();
        let more = found.len() > limit;
        if more {
            found.clear();
        }
        crate::order::sort(&mut found);
        (found, more)
    }

    /// Moves whole groups; those that meet become one.
    pub(crate) fn broadcast(&mut self, moves: &[GroupMove], seq: u64) {
        if moves.iter().all(|m| m.from == m.to && !m.opened) {
            return;
        }
        let mut old = core::mem::take(&mut self.old);
        core::mem::swap(&mut old, &mut self.roots);
        for (label, root) in old.drain(..) {
            let (to, opened) = moves
                .iter()
                .find(|m| m.from == label)
                .map_or((label, false), |m| (m.to, m.opened));
            if opened {
                self.nodes[index(root.node)].since = Some(seq);
            }
            let root = match self.root(to) {
                None => root,
                Some(other) => self.merge(root, other),
            };
            self.nodes[index(root.node)].label = to;
            self.set_root(to, root);
        }
        self.old = old;
        self.compact();
    }

    fn merge(&mut self, a: Root, b: Root) -> Root {
        let node = self.node(Label::BROKEN, None);
        self.nodes[index(a.node)].parent = node;
        self.nodes[index(b.node)].parent = node;
        let a_next = self.instances[index(a.head)].next;
        let b_next = self.instances[index(b.head)].next;
        self.instances[index(a.head)].next = b_next;
        self.instances[index(b_next)].prev = a.head;
        self.instances[index(b.head)].next = a_next;
        self.instances[index(a_next)].prev = b.head;
        Root { node, head: a.head }
    }

    /// Drops nodes that nothing needs any more. Called when there are more than twice as many as
    /// instances, so that its cost is a constant for each node made.
    fn compact(&mut self) {
        if self.nodes.len() <= 2 * self.instances.len() + 2 * self.roots.len() + 256 {
            return;
        }
        let mut states = core::mem::take(&mut self.states);
        states.extend((0..id(self.instances.len())).map(|i| self.state(i)));
        self.nodes.clear();
        for at in 0..self.roots.len() {
            let (label, _) = self.roots[at];
            self.roots[at].1.node = self.node(label, None);
        }
        for (i, (label, since)) in states.drain(..).enumerate() {
            let leaf = self.node(label, since);
            if let Some(root) = self.root(label) {
                self.nodes[index(leaf)].parent = root.node;
            }
            self.instances[i].leaf = leaf;
        }
        self.states = states;
    }

    /// Rebuilds the instances of a saved session.
    pub(crate) fn rebuild(
        first: (Label, Option<u64>, bool),
        others: Vec<(Key, Label, Option<u64>, Instance)>,
        lost: bool,
    ) -> Option<Self> {
        let mut groups = Self::new(first.0);
        groups.set(0, first.0, first.1);
        groups.get_mut(0).failed = first.2;
        groups.lost = lost;
        for (key, label, since, like) in others {
            let instance = groups.push(key.clone(), label, since);
            let made = groups.get_mut(instance);
            made.occurred = like.occurred;
            made.failed = like.failed;
            made.inherited = like.inherited;
            if groups.index.insert(Ordered(key), instance).is_some() {
                return None;
            }
        }
        Some(groups)
    }

    /// An instance's own facts, for [`Groups::rebuild`].
    pub(crate) fn facts(key: Key, occurred: bool, failed: bool, inherited: u32) -> Instance {
        Instance {
            key,
            occurred,
            failed,
            inherited,
            leaf: 0,
            next: 0,
            prev: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::value::Value;

    fn label(n: u32) -> Label {
        Label {
            assume: 0,
            guarantee: n,
            broken: false,
        }
    }

    /// Against one record an instance, over random moves of instances and groups.
    #[test]
    fn agrees_with_one_record_for_each_instance() {
        let mut random = crate::chance::numbers(7);
        let mut groups = Groups::new(label(0));
        let mut plain: Vec<(Label, Option<u64>)> = Vec::from([(label(0), None)]);
        for seq in 0..if cfg!(miri) { 200 } else { 20_000_u64 } {
            match random(4) {
                0 if plain.len() < 400 => {
                    let n = i64::try_from(plain.len()).unwrap();
                    let key: Key = Arc::new([Value::from(n)]);
                    let made = groups.ensure(&key);
                    assert_eq!(index(made), plain.len());
                    plain.push(plain[0]);
                }
                1 => {
                    let moves: Vec<GroupMove> = groups
                        .labels()
                        .map(|from| GroupMove {
                            from,
                            to: label(u32::try_from(random(5)).unwrap()),
                            opened: random(2) == 0,
                        })
                        .collect();
                    groups.broadcast(&moves, seq);
                    for state in &mut plain {
                        let m = moves.iter().find(|m| m.from == state.0).unwrap();
                        state.0 = m.to;
                        if m.opened {
                            state.1 = Some(seq);
                        }
                    }
                }
                _ => {
                    let i = random(plain.len() as u64) as usize;
                    let to = label(u32::try_from(random(5)).unwrap());
                    let since = (random(2) == 0).then_some(seq);
                    groups.set(id(i), to, since);
                    plain[i] = (to, since);
                }
            }
            if seq % 97 == 0 {
                for (i, state) in plain.iter().enumerate() {
                    assert_eq!(groups.peek(id(i)), *state);
                    assert_eq!(groups.state(id(i)), *state);
                }
                let mut listed: Vec<u32> = Vec::new();
                for l in groups.labels() {
                    for m in groups.members(l) {
                        assert_eq!(plain[index(m)].0, l);
                        listed.push(m);
                    }
                }
                listed.sort_unstable();
                assert_eq!(listed.len(), plain.len());
            }
        }
        assert!(groups.nodes.len() < 3 * plain.len() + 1024);
    }
}
