//! Automata with explicit letters: tables, textbook algorithms.

use ctr_logic::Dfa;
use std::collections::{HashMap, VecDeque};

/// The state that a trace leads to.
pub fn run(dfa: &Dfa, trace: &[u32]) -> u32 {
    trace.iter().fold(dfa.initial(), |state, letter| {
        dfa.step(state, |atom| letter >> atom & 1 == 1)
    })
}

/// Whether the automaton accepts the trace.
pub fn accepts(dfa: &Dfa, trace: &[u32]) -> bool {
    dfa.accepting(run(dfa, trace))
}

/// A deterministic automaton with a successor for each state and letter; a letter is the set of true
/// atoms among the first few, as bits.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether a trace that ends in a state is accepted. State 0 is initial.
    pub accepting: Vec<bool>,
    /// The successors of a state, by letter.
    pub next: Vec<Vec<usize>>,
}

impl Table {
    /// The table of an automaton over the atoms `0..atoms`.
    pub fn of(dfa: &Dfa, atoms: u32) -> Self {
        let states = 0..dfa.states() as u32;
        Self {
            accepting: states.clone().map(|s| dfa.accepting(s)).collect(),
            next: states
                .map(|s| {
                    (0..1u32 << atoms)
                        .map(|letter| dfa.step(s, |atom| letter >> atom & 1 == 1) as usize)
                        .collect()
                })
                .collect(),
        }
    }

    /// All pairs of states of two automata over the same letters, reachable or not.
    pub fn product(&self, other: &Self, accept: impl Fn(bool, bool) -> bool) -> Self {
        let width = other.next.len();
        let mut table = Self {
            accepting: Vec::new(),
            next: Vec::new(),
        };
        for s in 0..self.next.len() {
            for t in 0..width {
                table
                    .accepting
                    .push(accept(self.accepting[s], other.accepting[t]));
                let pairs = self.next[s].iter().zip(&other.next[t]);
                table.next.push(pairs.map(|(s, t)| s * width + t).collect());
            }
        }
        table
    }

    /// Which states some trace from `from` leads to, with the length of a shortest one.
    pub fn distances(&self, from: usize) -> Vec<Option<usize>> {
        let mut distance = vec![None; self.next.len()];
        distance[from] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(s) = queue.pop_front() {
            for &t in &self.next[s] {
                if distance[t].is_none() {
                    distance[t] = distance[s].map(|d| d + 1);
                    queue.push_back(t);
                }
            }
        }
        distance
    }

    /// The length of a shortest accepted trace from a state.
    pub fn shortest(&self, from: usize) -> Option<usize> {
        let distances = self.distances(from).into_iter().zip(&self.accepting);
        distances
            .filter_map(|(d, accepting)| d.filter(|_| *accepting))
            .min()
    }

    /// The same with at least one step.
    pub fn shortest_with_a_step(&self, from: usize) -> Option<usize> {
        let after = self.next[from].iter();
        after.filter_map(|&t| self.shortest(t)).min().map(|d| d + 1)
    }

    /// How many states are reachable from the initial one.
    pub fn reachable(&self) -> usize {
        self.distances(0).iter().flatten().count()
    }

    /// The number of classes of reachable states that no trace tells apart, by Moore's partition
    /// refinement.
    pub fn classes(&self) -> usize {
        let reached: Vec<usize> = self
            .distances(0)
            .iter()
            .enumerate()
            .filter_map(|(s, d)| d.map(|_| s))
            .collect();
        let mut class: Vec<usize> = self.accepting.iter().map(|&a| usize::from(a)).collect();
        let mut count = 0;
        loop {
            let mut numbers = HashMap::new();
            let mut refined = class.clone();
            for &s in &reached {
                let key: Vec<usize> = std::iter::once(class[s])
                    .chain(self.next[s].iter().map(|&t| class[t]))
                    .collect();
                let fresh = numbers.len();
                refined[s] = *numbers.entry(key).or_insert(fresh);
            }
            if numbers.len() == count {
                return count;
            }
            count = numbers.len();
            class = refined;
        }
    }
}
