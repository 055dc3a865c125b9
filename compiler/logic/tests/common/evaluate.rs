//! What a formula means on a trace, by the definitions over positions alone. Nothing here knows
//! automata, expansion laws or dualities.

use super::tree::Tree::{self, *};

/// A trace: at each step the set of true atoms, as bits; at most 64 steps.
pub type Trace = Vec<u32>;

impl Tree {
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
