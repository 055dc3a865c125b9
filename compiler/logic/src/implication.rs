//! Syntactic implication: a sound, incomplete, cheap test that one formula implies another.
//!
//! It looks through Boolean and temporal operators on both sides (not one level only), and
//! remembers every answer. Used while conjunctions and disjunctions are built, it keeps the
//! residuals of nested untils, releases and bounded responses linear, where absorption by equality
//! alone would make exponentially many.

use crate::formula::{Arena, Id, View};
use rustc_hash::FxHashMap;

/// Answers so far, by the pair of formulas.
#[derive(Debug, Default)]
pub(crate) struct Implications {
    known: FxHashMap<(Id, Id), bool>,
}

/// Nesting beyond which the test says no rather than look deeper. Only completeness depends on it: a
/// response bound to `n` steps needs four levels a step, and beyond that has exponentially many
/// residuals. A stack of 2 MiB takes about four times as many without optimisation.
const DEPTH: u32 = 1024;

impl Arena {
    /// Whether `a` implies `b` at every step of every trace, by syntax. `false` means "not seen".
    pub(crate) fn implied(&mut self, a: Id, b: Id) -> bool {
        self.implied_within(a, b, DEPTH)
    }

    fn implied_within(&mut self, a: Id, b: Id, depth: u32) -> bool {
        if a == b || a == Id::FF || b == Id::TT {
            return true;
        }
        if a == Id::TT || b == Id::FF || a == b.negated() || depth == 0 {
            return false;
        }
        if self.atom_filter(a) & self.atom_filter(b) == 0 {
            return false;
        }
        // a implies b exactly if not b implies not a: one entry for both.
        let key = if a <= b.negated() {
            (a, b)
        } else {
            (b.negated(), a.negated())
        };
        if let Some(&known) = self.implications.known.get(&key) {
            return known;
        }
        let answer = self.implied_by_rules(a, b, depth - 1);
        self.implications.known.insert(key, answer);
        answer
    }

    fn implied_by_rules(&mut self, a: Id, b: Id, depth: u32) -> bool {
        let (left, right) = (self.view(a), self.view(b));
        match (left, right) {
            // These two lose nothing: all parts must.
            (View::Or(args), _) => {
                return (0..args.len()).all(|i| {
                    let part = self.arg(args, i);
                    self.implied_within(part, b, depth)
                });
            }
            (_, View::And(args)) => {
                return (0..args.len()).all(|i| {
                    let part = self.arg(args, i);
                    self.implied_within(a, part, depth)
                });
            }
            _ => {}
        }
        if let View::And(args) = left
            && (0..args.len()).any(|i| {
                let part = self.arg(args, i);
                self.implied_within(part, b, depth)
            })
        {
            return true;
        }
        if let View::Or(args) = right
            && (0..args.len()).any(|i| {
                let part = self.arg(args, i);
                self.implied_within(a, part, depth)
            })
        {
            return true;
        }
        self.implied_by_unfolding(a, left, b, right, depth)
            || self.implied_by_pairs(a, left, b, right, depth)
    }

    /// Rules that use one side's unfolding at the present step, whatever the other side is.
    fn implied_by_unfolding(&mut self, a: Id, left: View, b: Id, right: View, depth: u32) -> bool {
        match left {
            // p U q gives p or q now.
            View::Until(_, p, q)
                if self.implied_within(q, b, depth) && self.implied_within(p, b, depth) =>
            {
                return true;
            }
            // p R q gives q now.
            View::Release(_, _, q) if self.implied_within(q, b, depth) => return true,
            _ => {}
        }
        match right {
            // d now gives c U d.
            View::Until(_, _, d) => self.implied_within(a, d, depth),
            // c and d now give c R d.
            View::Release(_, c, d) => {
                self.implied_within(a, c, depth) && self.implied_within(a, d, depth)
            }
            _ => false,
        }
    }

    /// Rules for two temporal operators that look the same way.
    fn implied_by_pairs(&mut self, a: Id, left: View, b: Id, right: View, depth: u32) -> bool {
        match (left, right) {
            (View::Step(s, x), View::Step(t, y) | View::WeakStep(t, y))
            | (View::WeakStep(s, x), View::WeakStep(t, y)) => {
                s == t && self.implied_within(x, y, depth)
            }
            // next x implies eventually d where x does.
            (View::Step(s, x), View::Until(t, Id::TT, _)) => {
                s == t && self.implied_within(x, b, depth)
            }
            // always q implies weak next y where always q implies y.
            (View::Release(s, Id::FF, _), View::WeakStep(t, y)) => {
                s == t && self.implied_within(a, y, depth)
            }
            (View::Until(s, p, q), View::Until(t, c, _)) => {
                s == t
                    && self.implied_within(q, b, depth)
                    && (self.implied_within(p, c, depth) || self.implied_within(p, b, depth))
            }
            (View::Release(s, p, q), View::Release(t, c, d)) => {
                if s != t {
                    return false;
                }
                // always q implies always d where always q implies d.
                if p == Id::FF && self.implied_within(a, d, depth) {
                    return true;
                }
                self.implied_within(q, d, depth)
                    && (self.implied_within(p, c, depth) || self.implied_within(p, b, depth))
            }
            // p U q implies c R d where d lasts as long as p, and q releases.
            (View::Until(s, p, q), View::Release(t, _, d)) => {
                s == t && self.implied_within(p, d, depth) && self.implied_within(q, b, depth)
            }
            _ => false,
        }
    }
}
