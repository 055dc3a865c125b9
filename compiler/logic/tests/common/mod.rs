//! What the tests share: formulas as plain trees, their meaning by the definitions alone, and random ones.
#![allow(dead_code, reason = "each test file uses a part")]

use ctr_logic::{Arena, Dfa, Formula};

/// A formula as a tree.
#[derive(Clone, Debug)]
pub enum Tree {
    True,
    False,
    Atom(u32),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Xor(Box<Tree>, Box<Tree>),
    Next(Box<Tree>),
    WeakNext(Box<Tree>),
    Always(Box<Tree>),
    Eventually(Box<Tree>),
    Until(Box<Tree>, Box<Tree>),
    Release(Box<Tree>, Box<Tree>),
    Unless(Box<Tree>, Box<Tree>),
    StrongRelease(Box<Tree>, Box<Tree>),
    Previously(Box<Tree>),
    WeakPreviously(Box<Tree>),
    Once(Box<Tree>),
    Historically(Box<Tree>),
    Since(Box<Tree>, Box<Tree>),
    Triggered(Box<Tree>, Box<Tree>),
}

use Tree::*;

/// A trace: at each step the set of true atoms, as bits.
pub type Trace = Vec<u32>;

impl Tree {
    /// The same formula in an arena.
    pub fn build(&self, arena: &mut Arena) -> Formula {
        let mut one = |f: &Tree| f.build(arena);
        match self {
            True => arena.tt(),
            False => arena.ff(),
            Atom(a) => arena.atom(*a),
            Not(f) => {
                let f = one(f);
                arena.not(f)
            }
            Next(f) => {
                let f = one(f);
                arena.next(f)
            }
            WeakNext(f) => {
                let f = one(f);
                arena.weak_next(f)
            }
            Always(f) => {
                let f = one(f);
                arena.always(f)
            }
            Eventually(f) => {
                let f = one(f);
                arena.eventually(f)
            }
            Previously(f) => {
                let f = one(f);
                arena.previously(f)
            }
            WeakPreviously(f) => {
                let f = one(f);
                arena.weak_previously(f)
            }
            Once(f) => {
                let f = one(f);
                arena.once(f)
            }
            Historically(f) => {
                let f = one(f);
                arena.historically(f)
            }
            And(a, b) => {
                let pair = [one(a), one(b)];
                arena.and(&pair)
            }
            Or(a, b) => {
                let pair = [one(a), one(b)];
                arena.or(&pair)
            }
            Implies(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.implies(a, b)
            }
            Iff(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.iff(a, b)
            }
            Xor(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.xor(a, b)
            }
            Until(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.until(a, b)
            }
            Release(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.release(a, b)
            }
            Unless(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.unless(a, b)
            }
            StrongRelease(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.strong_release(a, b)
            }
            Since(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.since(a, b)
            }
            Triggered(a, b) => {
                let (a, b) = (one(a), one(b));
                arena.triggered(a, b)
            }
        }
    }

    /// Whether a trace satisfies the formula: at its first step, or by the rule for the empty trace.
    pub fn holds(&self, trace: &[u32]) -> bool {
        if trace.is_empty() {
            self.holds_on_empty()
        } else {
            self.positions(trace) & 1 == 1
        }
    }

    /// The positions at which the formula holds, as bits, each by the textbook definition over positions.
    pub fn positions(&self, trace: &[u32]) -> u64 {
        let n = trace.len();
        let set = |holds: &dyn Fn(usize) -> bool| {
            (0..n)
                .filter(|&i| holds(i))
                .fold(0u64, |set, i| set | 1 << i)
        };
        let at = |set: u64, i: usize| set >> i & 1 == 1;
        match self {
            True => set(&|_| true),
            False => 0,
            Atom(a) => set(&|i| trace[i] >> a & 1 == 1),
            Not(f) => {
                let f = f.positions(trace);
                set(&|i| !at(f, i))
            }
            And(a, b) => a.positions(trace) & b.positions(trace),
            Or(a, b) => a.positions(trace) | b.positions(trace),
            Implies(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| !at(a, i) || at(b, i))
            }
            Iff(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| at(a, i) == at(b, i))
            }
            Xor(a, b) => a.positions(trace) ^ b.positions(trace),
            Next(f) => {
                let f = f.positions(trace);
                set(&|i| i + 1 < n && at(f, i + 1))
            }
            WeakNext(f) => {
                let f = f.positions(trace);
                set(&|i| i + 1 >= n || at(f, i + 1))
            }
            Always(f) => {
                let f = f.positions(trace);
                set(&|i| (i..n).all(|j| at(f, j)))
            }
            Eventually(f) => {
                let f = f.positions(trace);
                set(&|i| (i..n).any(|j| at(f, j)))
            }
            Until(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| (i..n).any(|j| at(b, j) && (i..j).all(|k| at(a, k))))
            }
            Release(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| (i..n).all(|j| at(b, j) || (i..j).any(|k| at(a, k))))
            }
            Unless(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| {
                    (i..n).all(|j| at(a, j)) || (i..n).any(|j| at(b, j) && (i..j).all(|k| at(a, k)))
                })
            }
            StrongRelease(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| (i..n).any(|j| at(a, j) && (i..=j).all(|k| at(b, k))))
            }
            Previously(f) => {
                let f = f.positions(trace);
                set(&|i| i > 0 && at(f, i - 1))
            }
            WeakPreviously(f) => {
                let f = f.positions(trace);
                set(&|i| i == 0 || at(f, i - 1))
            }
            Once(f) => {
                let f = f.positions(trace);
                set(&|i| (0..=i).any(|j| at(f, j)))
            }
            Historically(f) => {
                let f = f.positions(trace);
                set(&|i| (0..=i).all(|j| at(f, j)))
            }
            Since(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| (0..=i).any(|j| at(b, j) && (j + 1..=i).all(|k| at(a, k))))
            }
            Triggered(a, b) => {
                let (a, b) = (a.positions(trace), b.positions(trace));
                set(&|i| (0..=i).all(|j| at(b, j) || (j + 1..=i).any(|k| at(a, k))))
            }
        }
    }

    fn holds_on_empty(&self) -> bool {
        match self {
            True => true,
            False | Atom(_) => false,
            Not(f) => !f.holds_on_empty(),
            And(a, b) => a.holds_on_empty() && b.holds_on_empty(),
            Or(a, b) => a.holds_on_empty() || b.holds_on_empty(),
            Implies(a, b) => !a.holds_on_empty() || b.holds_on_empty(),
            Iff(a, b) => a.holds_on_empty() == b.holds_on_empty(),
            Xor(a, b) => a.holds_on_empty() != b.holds_on_empty(),
            Always(_) | WeakNext(_) | Release(..) | Unless(..) => true,
            WeakPreviously(_) | Historically(_) | Triggered(..) => true,
            Eventually(_) | Next(_) | Until(..) | StrongRelease(..) | Previously(_) | Once(_)
            | Since(..) => false,
        }
    }
}

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

/// The number of classes of states that no trace tells apart, by plain partition refinement on explicit letters.
pub fn classes_by_letters(dfa: &Dfa, atoms: u32) -> usize {
    let states = dfa.states();
    let next = |s: usize, letter: u32| dfa.step(s as u32, |atom| letter >> atom & 1 == 1) as usize;
    let mut class: Vec<usize> = (0..states)
        .map(|s| usize::from(dfa.accepting(s as u32)))
        .collect();
    let mut count = 0;
    loop {
        let mut numbers = std::collections::HashMap::new();
        let refined: Vec<usize> = (0..states)
            .map(|s| {
                let key: Vec<usize> = std::iter::once(class[s])
                    .chain((0..1u32 << atoms).map(|letter| class[next(s, letter)]))
                    .collect();
                let fresh = numbers.len();
                *numbers.entry(key).or_insert(fresh)
            })
            .collect();
        if numbers.len() == count {
            return count;
        }
        count = numbers.len();
        class = refined;
    }
}

/// The number of states that some trace leads to.
pub fn reachable_by_letters(dfa: &Dfa, atoms: u32) -> usize {
    let mut seen = vec![false; dfa.states()];
    let mut stack = vec![dfa.initial()];
    while let Some(s) = stack.pop() {
        if !std::mem::replace(&mut seen[s as usize], true) {
            stack.extend(
                (0..1u32 << atoms).map(|letter| dfa.step(s, |atom| letter >> atom & 1 == 1)),
            );
        }
    }
    seen.iter().filter(|seen| **seen).count()
}
