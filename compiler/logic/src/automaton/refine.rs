//! Partition refinement from what changed.
//!
//! Every node has the fingerprint of its diagram under the present classes. When a class splits,
//! its largest part keeps the class number (the smaller-half rule of Hopcroft, 1971), so only the
//! smaller parts change leaves; the change climbs through the parents of what changed and stops
//! where a fingerprint stays as it was. Only states whose root changed are grouped anew. Work
//! follows the edges of the shared diagrams, not states times letters.

#![expect(
    clippy::indexing_slicing,
    reason = "states, nodes and classes index vectors made for them"
)]

use super::minimise::{Partition, Prints};
use super::{Automaton, untarget};
use crate::diagram::{Inner, Ref, is_leaf};
use crate::limits::{Error, Limits};
use std::cmp::Reverse;

/// The coarsest stable refinement of a partition, as far as fingerprints tell. `nodes` is room for
/// one for each node.
pub(super) fn refine(
    automaton: &Automaton,
    partition: Partition,
    prints: Prints,
    nodes: Vec<u64>,
    limits: &Limits<'_>,
) -> Result<Partition, Error> {
    Refinement::new(automaton, partition, prints, nodes).run(limits)
}

/// The classes of the states in progress.
struct Refinement<'a> {
    automaton: &'a Automaton,
    prints: Prints,
    /// The class of each state.
    class: Vec<u32>,
    /// States, those of one class next to each other.
    order: Vec<u32>,
    /// Where a state stands in `order`.
    place: Vec<u32>,
    /// For each class: where it starts in `order` and how many it has.
    span: Vec<(u32, u32)>,
    /// The fingerprint of each class, node and root.
    of_class: Vec<u64>,
    of_node: Vec<u64>,
    of_root: Vec<u64>,
    parents: Parents,
}

impl<'a> Refinement<'a> {
    fn new(
        automaton: &'a Automaton,
        partition: Partition,
        prints: Prints,
        nodes: Vec<u64>,
    ) -> Self {
        let Partition { class, classes } = partition;
        let mut span = vec![(0, 0); classes];
        for &class in &class {
            span[class as usize].1 += 1;
        }
        let mut start = 0;
        for (from, count) in &mut span {
            *from = start;
            start += *count;
        }
        let mut free: Vec<u32> = span.iter().map(|&(from, _)| from).collect();
        let mut order = vec![0; class.len()];
        let mut place = vec![0; class.len()];
        for (state, &class) in class.iter().enumerate() {
            let free = &mut free[class as usize];
            order[*free as usize] = state as u32;
            place[state] = *free;
            *free += 1;
        }
        let mut this = Self {
            automaton,
            prints,
            class,
            order,
            place,
            span,
            of_class: (0..classes as u32).map(|c| prints.class(c)).collect(),
            of_node: nodes,
            of_root: Vec::with_capacity(automaton.roots.len()),
            parents: Parents::new(automaton),
        };
        for index in 0..automaton.nodes.len() {
            this.of_node[index] = this.node(index);
        }
        for &root in &automaton.roots {
            this.of_root.push(this.print(root));
        }
        this
    }

    fn print(&self, r: Ref) -> u64 {
        if is_leaf(r) {
            let (state, stop) = untarget(r);
            let class = self.class[state as usize];
            self.prints.leaf(self.of_class[class as usize], stop)
        } else {
            self.of_node[r as usize]
        }
    }

    fn node(&self, index: usize) -> u64 {
        let Inner { level, low, high } = self.automaton.nodes[index];
        self.prints.node(level, self.print(low), self.print(high))
    }

    fn run(mut self, limits: &Limits<'_>) -> Result<Partition, Error> {
        let mut dirty: Vec<u32> = (0..self.class.len() as u32).collect();
        let mut moved: Vec<u32> = Vec::new();
        let mut groups: Vec<(u32, u32)> = Vec::new();
        let mut queue = Queue::new(self.automaton.nodes.len());
        let mut round = 0u32;
        while !dirty.is_empty() {
            round = round.wrapping_add(1);
            if round.is_multiple_of(16) {
                limits.check_cancelled()?;
            }
            moved.clear();
            self.split(&mut dirty, &mut groups, &mut moved);
            dirty.clear();
            // The leaves of the states that moved have new fingerprints; climb. Parents come after
            // children, so one pass through the queue is enough.
            for &state in &moved {
                touch(self.parents.of_state(state), &mut queue, &mut dirty);
            }
            while let Some(index) = queue.pop() {
                let print = self.node(index as usize);
                if print != self.of_node[index as usize] {
                    self.of_node[index as usize] = print;
                    touch(self.parents.of_node(index), &mut queue, &mut dirty);
                }
            }
            dirty.sort_unstable();
            dirty.dedup();
            dirty.retain(|&state| {
                let print = self.print(self.automaton.roots[state as usize]);
                std::mem::replace(&mut self.of_root[state as usize], print) != print
            });
        }
        Ok(Partition {
            class: self.class,
            classes: self.span.len(),
        })
    }

    /// Splits classes by the roots of the dirty states (the others of a class still agree among
    /// themselves). `moved` gets the states that are in another class now.
    fn split(&mut self, dirty: &mut [u32], groups: &mut Vec<(u32, u32)>, moved: &mut Vec<u32>) {
        dirty.sort_unstable_by_key(|&state| {
            (
                self.class[state as usize],
                self.of_root[state as usize],
                state,
            )
        });
        let mut rest = &dirty[..];
        while let Some(&first) = rest.first() {
            let class = self.class[first as usize];
            let count = rest
                .iter()
                .take_while(|&&state| self.class[state as usize] == class)
                .count();
            let (members, others) = rest.split_at(count);
            rest = others;
            self.split_class(class, members, groups, moved);
        }
    }

    fn split_class(
        &mut self,
        class: u32,
        dirty: &[u32],
        parts: &mut Vec<(u32, u32)>,
        moved: &mut Vec<u32>,
    ) {
        let (start, len) = self.span[class as usize];
        let clean = len - dirty.len() as u32;
        if len == 1 {
            return;
        }
        // The parts, as they will stand in the order: clean members, then dirty ones by root.
        parts.clear();
        if clean > 0 {
            parts.push((start, clean));
        }
        let base = start + clean;
        let mut from = 0;
        for (i, pair) in dirty.windows(2).enumerate() {
            if self.of_root[pair[0] as usize] != self.of_root[pair[1] as usize] {
                parts.push((base + from, i as u32 + 1 - from));
                from = i as u32 + 1;
            }
        }
        parts.push((base + from, dirty.len() as u32 - from));
        if parts.len() == 1 {
            return;
        }
        let mut slot = start + len;
        for &state in dirty.iter().rev() {
            slot -= 1;
            let at = self.place[state as usize];
            let other = self.order[slot as usize];
            self.order[at as usize] = other;
            self.place[other as usize] = at;
            self.order[slot as usize] = state;
            self.place[state as usize] = slot;
        }
        let largest = parts
            .iter()
            .enumerate()
            .max_by_key(|(i, part)| (part.1, Reverse(*i)))
            .map_or(0, |(i, _)| i);
        for (i, &(from, count)) in parts.iter().enumerate() {
            if i == largest {
                self.span[class as usize] = (from, count);
                continue;
            }
            let new = self.span.len() as u32;
            self.span.push((from, count));
            self.of_class.push(self.prints.class(new));
            for &state in &self.order[from as usize..(from + count) as usize] {
                self.class[state as usize] = new;
                moved.push(state);
            }
        }
    }
}

/// Queues parents: nodes to look at anew, states whose root changed.
fn touch(parents: &[u32], queue: &mut Queue, dirty: &mut Vec<u32>) {
    for &parent in parents {
        if parent & 1 == 1 {
            dirty.push(parent >> 1);
        } else {
            queue.push(parent >> 1);
        }
    }
}

/// A set of node indices that gives its smallest first, while only larger ones than the last one
/// given are put in: a bit set, with a second one of its words that are not empty.
struct Queue {
    words: Vec<u64>,
    summary: Vec<u64>,
    /// Where the search in `summary` goes on.
    from: usize,
}

impl Queue {
    fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
            from: 0,
        }
    }

    fn push(&mut self, index: u32) {
        let word = (index >> 6) as usize;
        self.words[word] |= 1 << (index & 63);
        self.summary[word >> 6] |= 1 << (word & 63);
    }

    /// The smallest. When there is none, the search starts over at the next call.
    fn pop(&mut self) -> Option<u32> {
        while let Some(&summary) = self.summary.get(self.from) {
            if summary == 0 {
                self.from += 1;
                continue;
            }
            let word = self.from << 6 | summary.trailing_zeros() as usize;
            let bits = self.words[word];
            let rest = bits & (bits - 1);
            self.words[word] = rest;
            if rest == 0 {
                self.summary[self.from] &= summary - 1;
            }
            return Some((word as u32) << 6 | bits.trailing_zeros());
        }
        self.from = 0;
        None
    }
}

/// Who refers to a node, and to a state as a leaf. A parent is a node index or a state, told apart
/// by the lowest bit.
struct Parents {
    starts: Vec<u32>,
    list: Vec<u32>,
    nodes: usize,
}

impl Parents {
    fn new(automaton: &Automaton) -> Self {
        let nodes = automaton.nodes.len();
        let slots = nodes + automaton.roots.len();
        let slot = |r: Ref| {
            if is_leaf(r) {
                nodes + untarget(r).0 as usize
            } else {
                r as usize
            }
        };
        let mut starts = vec![0u32; slots + 1];
        let edges = || {
            let inner =
                automaton.nodes.iter().enumerate().flat_map(|(i, node)| {
                    [(node.low, (i as u32) << 1), (node.high, (i as u32) << 1)]
                });
            let roots = automaton
                .roots
                .iter()
                .enumerate()
                .map(|(state, &root)| (root, (state as u32) << 1 | 1));
            inner.chain(roots)
        };
        for (child, _) in edges() {
            starts[slot(child) + 1] += 1;
        }
        for i in 0..slots {
            starts[i + 1] += starts[i];
        }
        let mut list = vec![0u32; starts[slots] as usize];
        let mut next = starts.clone();
        for (child, parent) in edges() {
            let at = &mut next[slot(child)];
            list[*at as usize] = parent;
            *at += 1;
        }
        Self {
            starts,
            list,
            nodes,
        }
    }

    fn of_node(&self, index: u32) -> &[u32] {
        self.slot(index as usize)
    }

    fn of_state(&self, state: u32) -> &[u32] {
        self.slot(self.nodes + state as usize)
    }

    fn slot(&self, slot: usize) -> &[u32] {
        &self.list[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_gives_the_smallest_first() {
        let mut queue = Queue::new(10_000);
        for index in [9_999, 0, 63, 64, 4_096, 4_095, 63] {
            queue.push(index);
        }
        let mut seen = Vec::new();
        while let Some(index) = queue.pop() {
            seen.push(index);
            if index == 64 {
                queue.push(65);
                queue.push(8_000);
            }
        }
        assert_eq!(seen, [0, 63, 64, 65, 4_095, 4_096, 8_000, 9_999]);
        queue.push(5);
        assert_eq!((queue.pop(), queue.pop()), (Some(5), None));
    }
}
