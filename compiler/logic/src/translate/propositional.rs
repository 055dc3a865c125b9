//! One representative for formulas that are equivalent as propositions, with atoms and temporal
//! subformulas as the variables.
//!
//! Formulas that are plain conjunctions or disjunctions of literals are canonical already; decision
//! diagrams are built only once a state with a deeper Boolean structure turns up. Nor are they built
//! where they turn out large: minimisation merges equivalent states for less. Only a translation
//! that goes on and on may be one whose formulas come in ever new arrangements, so then they are
//! built at any price.

use crate::diagram::{Cache, Diagrams, Op, Ref, is_leaf, leaf};
use crate::formula::{Arena, Args, Id, View};
use crate::limits::{Error, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

const TRUE: Ref = 1 << 31 | 1;
const FALSE: Ref = 1 << 31;

/// The representatives so far.
pub(crate) struct Representatives {
    known: FxHashMap<Id, Id>,
    /// Formulas that have no diagram yet: flat ones, and those that came while diagrams were dear.
    waiting: VecDeque<Id>,
    by_diagram: FxHashMap<Ref, Id>,
    diagrams: Diagrams,
    memo: FxHashMap<Id, Ref>,
    cache: Cache,
    variables: FxHashSet<usize>,
    /// Turned off once the diagrams grow too large: then every formula represents itself.
    active: bool,
}

impl Representatives {
    /// Nodes of these diagrams; beyond, formulas are told apart by syntax only.
    const NODES: usize = 200_000;
    /// Nodes to begin with, and for each formula, that are no matter.
    const CHEAP: (usize, usize) = (1_024, 16);
    /// Formulas from which on no price is too high.
    const MANY: usize = 4_096;
    /// Variables of these diagrams, which are walked by recursion over them.
    const VARIABLES: usize = 1_000;
    /// Boolean nesting that is followed.
    const DEPTH: u32 = 500;

    pub(crate) fn new() -> Self {
        let limits = Limits {
            nodes: Self::NODES,
            ..Limits::default()
        };
        Self {
            known: FxHashMap::default(),
            waiting: VecDeque::new(),
            by_diagram: FxHashMap::default(),
            diagrams: Diagrams::new(&limits),
            memo: FxHashMap::default(),
            cache: Cache::new(),
            variables: FxHashSet::default(),
            active: true,
        }
    }

    /// The representative of `f`: equivalent to it, and the same for all formulas with the same
    /// diagram.
    pub(crate) fn of(&mut self, arena: &Arena, f: Id) -> Id {
        if !self.active || f == Id::TT || f == Id::FF {
            return f;
        }
        if let Some(&known) = self.known.get(&f) {
            return known;
        }
        let result = if is_flat(arena, f) && self.by_diagram.is_empty() {
            self.waiting.push_back(f);
            f
        } else {
            self.waiting.push_back(f);
            let mut result = f;
            while !self.are_dear()
                && let Some(next) = self.waiting.pop_front()
            {
                let representative = self.by_diagrams(arena, next);
                if next == f {
                    result = representative;
                }
            }
            result
        };
        self.known.insert(f, result);
        result
    }

    fn are_dear(&self) -> bool {
        let (first, each) = Self::CHEAP;
        let formulas = self.known.len();
        formulas < Self::MANY && self.diagrams.nodes.len() > first + each * formulas
    }

    fn by_diagrams(&mut self, arena: &Arena, f: Id) -> Id {
        match self.diagram(arena, f, Self::DEPTH) {
            Ok(TRUE) => Id::TT,
            Ok(FALSE) => Id::FF,
            Ok(diagram) => *self.by_diagram.entry(diagram).or_insert(f),
            Err(_) => {
                self.active = false;
                f
            }
        }
    }

    /// Recursion here follows Boolean nesting only.
    fn diagram(&mut self, arena: &Arena, f: Id, depth: u32) -> Result<Ref, Error> {
        let too_much = Error::TooManyNodes { limit: Self::NODES };
        let depth = depth.checked_sub(1).ok_or(too_much)?;
        if let Some(&known) = self.memo.get(&f) {
            return Ok(known);
        }
        let result = match arena.view(f) {
            View::True => TRUE,
            View::False => FALSE,
            View::And(args) => self.fold(arena, args, Op::And, TRUE, depth)?,
            View::Or(args) => self.fold(arena, args, Op::Or, FALSE, depth)?,
            View::Iff(a, b) => {
                let (a, b) = (
                    self.diagram(arena, a, depth)?,
                    self.diagram(arena, b, depth)?,
                );
                self.apply(Op::Iff, a, b)?
            }
            View::Atom(..)
            | View::Step(..)
            | View::WeakStep(..)
            | View::Until(..)
            | View::Release(..) => {
                self.variables.insert(f.index());
                if self.variables.len() > Self::VARIABLES {
                    return Err(too_much);
                }
                let (low, high) = if f.is_negative() {
                    (TRUE, FALSE)
                } else {
                    (FALSE, TRUE)
                };
                self.diagrams.mk(f.index() as u32, low, high)?
            }
        };
        self.memo.insert(f, result);
        Ok(result)
    }

    fn fold(
        &mut self,
        arena: &Arena,
        args: Args,
        op: Op,
        start: Ref,
        depth: u32,
    ) -> Result<Ref, Error> {
        let mut result = start;
        // From the last member on, so that the diagram grows at its root.
        for i in (0..args.len()).rev() {
            let member = self.diagram(arena, arena.arg(args, i), depth)?;
            result = self.apply(op, member, result)?;
        }
        Ok(result)
    }

    fn apply(&mut self, op: Op, a: Ref, b: Ref) -> Result<Ref, Error> {
        if let Some(result) = op.at_once(a, b, FALSE, TRUE) {
            return Ok(result);
        }
        if is_leaf(a) && is_leaf(b) {
            return Ok(leaf(u32::from(a == b)));
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(known) = self.cache.get(op as u32, a, b) {
            return Ok(known);
        }
        let level = self.diagrams.level(a).min(self.diagrams.level(b));
        let (low_a, high_a) = self.diagrams.branches(a, level);
        let (low_b, high_b) = self.diagrams.branches(b, level);
        let low = self.apply(op, low_a, low_b)?;
        let high = self.apply(op, high_a, high_b)?;
        let result = self.diagrams.mk(level, low, high)?;
        self.cache.put(op as u32, a, b, result);
        Ok(result)
    }
}

/// A literal or temporal formula, or one conjunction or disjunction of such.
fn is_flat(arena: &Arena, f: Id) -> bool {
    match arena.view(f) {
        View::And(args) | View::Or(args) => (0..args.len()).all(|i| {
            !matches!(
                arena.view(arena.arg(args, i)),
                View::And(_) | View::Or(_) | View::Iff(..)
            )
        }),
        View::Iff(..) => false,
        _ => true,
    }
}
