//! Random formulas and traces, and all short traces.

use super::evaluate::Trace;
use super::tree::Tree::{self, *};

/// A small generator (xorshift), so that runs repeat.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(n)) as u32
    }

    /// A random formula over `atoms` atoms; future operators only where `future` says so.
    pub fn tree(&mut self, atoms: u32, depth: u32, future: bool) -> Tree {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(12) {
                0 => True,
                1 => False,
                _ => Atom(self.below(atoms)),
            };
        }
        let depth = depth - 1;
        let first = if future { 0 } else { 8 };
        let choice = first + self.below(20 - first);
        let inner = future && choice < 14;
        let mut one = || Box::new(self.tree(atoms, depth, inner));
        match choice {
            0 => Next(one()),
            1 => WeakNext(one()),
            2 => Always(one()),
            3 => Eventually(one()),
            4 => Until(one(), one()),
            5 => Release(one(), one()),
            6 => Unless(one(), one()),
            7 => StrongRelease(one(), one()),
            8 => Not(one()),
            9 => And(one(), one()),
            10 => Or(one(), one()),
            11 => Implies(one(), one()),
            12 => Iff(one(), one()),
            13 => Xor(one(), one()),
            14 => Previously(one()),
            15 => WeakPreviously(one()),
            16 => Once(one()),
            17 => Historically(one()),
            18 => Since(one(), one()),
            _ => Triggered(one(), one()),
        }
    }

    pub fn trace(&mut self, atoms: u32, len: usize) -> Trace {
        (0..len).map(|_| self.below(1 << atoms)).collect()
    }
}

/// All traces over `atoms` atoms with at most `longest` steps.
pub fn all_traces(atoms: u32, longest: usize) -> Vec<Trace> {
    let mut all = vec![Vec::new()];
    let mut last: Vec<Trace> = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|trace| {
                (0..1u32 << atoms).map(|letter| [trace.as_slice(), &[letter]].concat())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}
