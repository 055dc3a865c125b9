//! The truth of a formula on a finite trace, position by position (language reference,
//! section 4): each operator is its definition and nothing more.

use super::formula::{Binary, Counted, F, Unary};

/// A finite trace as the truth of each atom at each step.
pub struct Steps<'a> {
    /// `table[step][atom]`
    pub table: &'a [Vec<bool>],
    /// What an atom is worth on a session without steps: false, as the reference says of
    /// patterns.
    pub on_nothing: bool,
}

impl Steps<'_> {
    /// The truth of a formula at the first step, or on a session without steps.
    #[must_use]
    pub fn judge(&self, f: &F) -> bool {
        if self.table.is_empty() {
            self.nothing(f)
        } else {
            self.at(f, 0)
        }
    }

    /// The truth at a step.
    fn at(&self, f: &F, i: usize) -> bool {
        let n = self.table.len();
        match f {
            F::True => true,
            F::False => false,
            F::Leaf(a) => self.table[i][*a],
            F::OnlyIf(a) => (i..n).all(|j| !self.table[j][*a]),
            F::Un(u, a) => match u {
                Unary::Not => !self.at(a, i),
                Unary::Next => i + 1 < n && self.at(a, i + 1),
                Unary::WeakNext => i + 1 >= n || self.at(a, i + 1),
                Unary::Always => (i..n).all(|j| self.at(a, j)),
                Unary::Eventually => (i..n).any(|j| self.at(a, j)),
                Unary::Previously => i > 0 && self.at(a, i - 1),
                Unary::WeakPreviously => i == 0 || self.at(a, i - 1),
                Unary::Once => (0..=i).any(|j| self.at(a, j)),
                Unary::Historically => (0..=i).all(|j| self.at(a, j)),
                Unary::Never => (i..n).all(|j| !self.at(a, j)),
            },
            F::Bin(b, x, y) => self.binary(*b, x, y, i),
            F::Count(c, a, m) => {
                let held: Vec<bool> = (i..n).map(|j| self.at(a, j)).collect();
                let times = held.iter().filter(|h| **h).count();
                match c {
                    Counted::AtMost => times <= *m,
                    Counted::AtLeast => times >= *m,
                    Counted::Exactly => times == *m,
                    Counted::Consecutive => !held.windows(m + 1).any(|w| w.iter().all(|h| *h)),
                }
            }
            F::LeadsSteps(a, b, m) => {
                (i..n).all(|j| !self.at(a, j) || (j + 1..=j + m).any(|k| k < n && self.at(b, k)))
            }
        }
    }

    fn binary(&self, op: Binary, x: &F, y: &F, i: usize) -> bool {
        let n = self.table.len();
        let until = || (i..n).any(|j| self.at(y, j) && (i..j).all(|k| self.at(x, k)));
        let precedes = || {
            (i..n).any(|j| self.at(y, j) && (i..j).all(|k| !self.at(x, k)))
                || (i..n).all(|k| !self.at(x, k))
        };
        let not_after = || (i..n).all(|j| !self.at(y, j) || (j + 1..n).all(|k| !self.at(x, k)));
        match op {
            Binary::And => self.at(x, i) && self.at(y, i),
            Binary::Or => self.at(x, i) || self.at(y, i),
            Binary::Implies => !self.at(x, i) || self.at(y, i),
            Binary::Iff => self.at(x, i) == self.at(y, i),
            Binary::Until => until(),
            Binary::Unless => until() || (i..n).all(|k| self.at(x, k)),
            Binary::Release => (i..n).all(|j| self.at(y, j) || (i..j).any(|k| self.at(x, k))),
            Binary::Since => (0..=i).any(|j| self.at(y, j) && (j + 1..=i).all(|k| self.at(x, k))),
            Binary::NeverAfter | Binary::OnlyBefore => not_after(),
            Binary::OnlyAfter | Binary::NeverBefore => precedes(),
            Binary::OnlyWhile => (i..n).all(|j| !self.at(x, j) || self.at(y, j)),
            Binary::LeadsTo => (i..n).all(|j| !self.at(x, j) || (j..n).any(|k| self.at(y, k))),
            Binary::LeadsNow => (i..n).all(|j| !self.at(x, j) || (j + 1 < n && self.at(y, j + 1))),
        }
    }

    /// The truth on a session without steps: `always` and weak forms hold; `eventually`, `next`,
    /// strong forms and patterns do not.
    fn nothing(&self, f: &F) -> bool {
        match f {
            F::True => true,
            F::False => false,
            F::Leaf(_) => self.on_nothing,
            F::OnlyIf(_) | F::LeadsSteps(..) => true,
            F::Un(u, a) => match u {
                Unary::Not => !self.nothing(a),
                Unary::Next | Unary::Eventually | Unary::Previously | Unary::Once => false,
                Unary::WeakNext
                | Unary::Always
                | Unary::WeakPreviously
                | Unary::Historically
                | Unary::Never => true,
            },
            F::Bin(b, x, y) => match b {
                Binary::And => self.nothing(x) && self.nothing(y),
                Binary::Or => self.nothing(x) || self.nothing(y),
                Binary::Implies => !self.nothing(x) || self.nothing(y),
                Binary::Iff => self.nothing(x) == self.nothing(y),
                Binary::Until | Binary::Since => false,
                _ => true,
            },
            F::Count(c, _, n) => match c {
                Counted::AtMost | Counted::Consecutive => true,
                Counted::AtLeast | Counted::Exactly => *n == 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]
    use super::*;

    fn a() -> Box<F> {
        Box::new(F::Leaf(0))
    }

    fn b() -> Box<F> {
        Box::new(F::Leaf(1))
    }

    fn judge(f: &F, steps: &[(bool, bool)]) -> bool {
        let table: Vec<Vec<bool>> = steps.iter().map(|(a, b)| vec![*a, *b]).collect();
        Steps {
            table: &table,
            on_nothing: false,
        }
        .judge(f)
    }

    #[test]
    fn precedence_holds_where_nothing_happens() {
        let f = F::Bin(Binary::OnlyAfter, a(), b());
        assert!(judge(&f, &[]));
        assert!(judge(&f, &[(false, false)]));
        assert!(judge(&f, &[(false, true), (true, false)]));
        assert!(!judge(&f, &[(true, false), (false, true)]));
    }

    #[test]
    fn next_needs_a_step_and_weak_next_does_not() {
        let next = F::Un(Unary::Next, a());
        let weak = F::Un(Unary::WeakNext, a());
        assert!(!judge(&next, &[(true, true)]));
        assert!(judge(&weak, &[(true, true)]));
        assert!(!judge(&weak, &[(true, true), (false, false)]));
    }

    #[test]
    fn consecutive_and_steps() {
        let f = F::Count(Counted::Consecutive, a(), 1);
        assert!(judge(&f, &[(true, false), (false, false), (true, false)]));
        assert!(!judge(&f, &[(true, false), (true, false)]));
        let g = F::LeadsSteps(a(), b(), 2);
        assert!(judge(&g, &[(true, false), (false, false), (false, true)]));
        assert!(!judge(&g, &[(true, true), (false, false), (false, false)]));
    }
}
