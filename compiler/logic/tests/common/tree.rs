//! Formulas as plain trees: built into an arena, printed, enumerated, made smaller.

use ctr_logic::{Arena, Formula};
use std::fmt;

/// A formula as a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
}

/// Names of atoms in texts.
pub const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The text in the syntax of `.ltlf` files (`ctrc ltlf dfa`), with all parentheses; it has no `xor`.
impl fmt::Display for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, operands) = match self {
            True => return out.write_str("true"),
            False => return out.write_str("false"),
            Atom(a) => return out.write_str(NAMES[*a as usize]),
            Xor(a, b) => return write!(out, "!({a} <-> {b})"),
            Not(f) => ("!", vec![f]),
            Next(f) => ("X[!] ", vec![f]),
            WeakNext(f) => ("X ", vec![f]),
            Always(f) => ("G ", vec![f]),
            Eventually(f) => ("F ", vec![f]),
            Previously(f) => ("Y ", vec![f]),
            WeakPreviously(f) => ("Z ", vec![f]),
            Once(f) => ("O ", vec![f]),
            Historically(f) => ("H ", vec![f]),
            And(a, b) => ("&", vec![a, b]),
            Or(a, b) => ("|", vec![a, b]),
            Implies(a, b) => ("->", vec![a, b]),
            Iff(a, b) => ("<->", vec![a, b]),
            Until(a, b) => ("U", vec![a, b]),
            Release(a, b) => ("R", vec![a, b]),
            Unless(a, b) => ("W", vec![a, b]),
            StrongRelease(a, b) => ("M", vec![a, b]),
            Since(a, b) => ("S", vec![a, b]),
            Triggered(a, b) => ("T", vec![a, b]),
        };
        match operands.as_slice() {
            [f] => write!(out, "{word}{f}"),
            [a, b] => write!(out, "({a} {word} {b})"),
            _ => Err(fmt::Error),
        }
    }
}

type One = fn(Box<Tree>) -> Tree;
type Two = fn(Box<Tree>, Box<Tree>) -> Tree;

const FUTURE_ONE: [One; 4] = [Next, WeakNext, Always, Eventually];
const FUTURE_TWO: [Two; 4] = [Until, Release, Unless, StrongRelease];
const PAST_ONE: [One; 4] = [Previously, WeakPreviously, Once, Historically];
const PAST_TWO: [Two; 2] = [Since, Triggered];
const CONNECTIVES: [Two; 5] = [And, Or, Implies, Iff, Xor];

impl Tree {
    /// The operands.
    pub fn operands(&self) -> Vec<&Tree> {
        match self {
            True | False | Atom(_) => Vec::new(),
            Not(f) | Next(f) | WeakNext(f) | Always(f) | Eventually(f) | Previously(f)
            | WeakPreviously(f) | Once(f) | Historically(f) => vec![f],
            And(a, b)
            | Or(a, b)
            | Implies(a, b)
            | Iff(a, b)
            | Xor(a, b)
            | Until(a, b)
            | Release(a, b)
            | Unless(a, b)
            | StrongRelease(a, b)
            | Since(a, b)
            | Triggered(a, b) => vec![a, b],
        }
    }

    /// The number of operators and leaves.
    pub fn size(&self) -> usize {
        1 + self.operands().iter().map(|f| f.size()).sum::<usize>()
    }

    /// Whether the main operator speaks of later steps.
    pub fn is_future(&self) -> bool {
        matches!(
            self,
            Next(_)
                | WeakNext(_)
                | Always(_)
                | Eventually(_)
                | Until(..)
                | Release(..)
                | Unless(..)
                | StrongRelease(..)
        )
    }

    /// Whether a future operator stands in it.
    pub fn has_future(&self) -> bool {
        self.is_future() || self.operands().iter().any(|f| f.has_future())
    }

    /// Whether a past operator stands in it.
    pub fn has_past(&self) -> bool {
        let own = matches!(
            self,
            Previously(_)
                | WeakPreviously(_)
                | Once(_)
                | Historically(_)
                | Since(..)
                | Triggered(..)
        );
        own || self.operands().iter().any(|f| f.has_past())
    }

    /// A pure past formula with each operator replaced by its mirror image of the future.
    pub fn mirrored(&self) -> Tree {
        let one = |f: &Tree| Box::new(f.mirrored());
        let mut copy = match self {
            Previously(f) => return Next(one(f)),
            WeakPreviously(f) => return WeakNext(one(f)),
            Once(f) => return Eventually(one(f)),
            Historically(f) => return Always(one(f)),
            Since(f, g) => return Until(one(f), one(g)),
            Triggered(f, g) => return Release(one(f), one(g)),
            other => other.clone(),
        };
        for (i, f) in self.operands().into_iter().enumerate() {
            copy = copy.with_operand(i, f.mirrored());
        }
        copy
    }

    /// The same main operator over other operands.
    fn with_operand(&self, index: usize, operand: Tree) -> Tree {
        let mut copy = self.clone();
        let slot = match &mut copy {
            True | False | Atom(_) => return copy,
            Not(f) | Next(f) | WeakNext(f) | Always(f) | Eventually(f) | Previously(f)
            | WeakPreviously(f) | Once(f) | Historically(f) => f,
            And(a, b)
            | Or(a, b)
            | Implies(a, b)
            | Iff(a, b)
            | Xor(a, b)
            | Until(a, b)
            | Release(a, b)
            | Unless(a, b)
            | StrongRelease(a, b)
            | Since(a, b)
            | Triggered(a, b) => [a, b][index],
        };
        **slot = operand;
        copy
    }

    /// Every formula in which one part is replaced by an operand of it or by a constant.
    pub fn smaller(&self) -> Vec<Tree> {
        let operands = self.operands();
        let mut all: Vec<Tree> = operands.iter().map(|&f| f.clone()).collect();
        if !matches!(self, True | False) {
            all.extend([True, False]);
        }
        for (i, f) in operands.iter().enumerate() {
            all.extend(
                f.smaller()
                    .into_iter()
                    .map(|less| self.with_operand(i, less)),
            );
        }
        all
    }

    /// A smallest formula reached by replacing parts that still fails, for reports.
    pub fn shrunk(&self, fails: impl Fn(&Tree) -> bool) -> Tree {
        let mut least = self.clone();
        while let Some(less) = least.smaller().into_iter().find(|less| fails(less)) {
            least = less;
        }
        least
    }
}

/// All formulas of 1, 2, .. `most` nodes over `atoms` atoms, by their number of nodes, without future
/// operators under past ones.
pub fn all_trees(atoms: u32, most: usize) -> Vec<Vec<Tree>> {
    // A formula and whether it has future operators.
    let mut by_size: Vec<Vec<(Tree, bool)>> = vec![
        [True, False]
            .into_iter()
            .chain((0..atoms).map(Atom))
            .map(|leaf| (leaf, false))
            .collect(),
    ];
    for size in 2..=most {
        let mut all = Vec::new();
        for (f, future) in &by_size[size - 2] {
            all.push((Not(Box::new(f.clone())), *future));
            let new = |op: &One, future| (op(Box::new(f.clone())), future);
            all.extend(FUTURE_ONE.iter().map(|op| new(op, true)));
            if !future {
                all.extend(PAST_ONE.iter().map(|op| new(op, false)));
            }
        }
        for left in 1..size - 1 {
            for (f, in_f) in &by_size[left - 1] {
                for (g, in_g) in &by_size[size - 2 - left] {
                    let future = *in_f || *in_g;
                    let new =
                        |op: &Two, future| (op(Box::new(f.clone()), Box::new(g.clone())), future);
                    all.extend(CONNECTIVES.iter().map(|op| new(op, future)));
                    all.extend(FUTURE_TWO.iter().map(|op| new(op, true)));
                    if !future {
                        all.extend(PAST_TWO.iter().map(|op| new(op, false)));
                    }
                }
            }
        }
        by_size.push(all);
    }
    by_size
        .into_iter()
        .map(|all| all.into_iter().map(|(f, _)| f).collect())
        .collect()
}
