//! A component of a library as formulas over atoms.
//!
//! An atom is a bit of the code of the event's group, or a condition on the event (a *leaf*).
//! Patterns are taken apart into group, keys and condition, so that what two patterns share is one
//! atom. Conditions have three values; a leaf has two, and each condition becomes two formulas: that
//! it is true, and that it is false ([`Rail`]). Where an atom of a contract stands under negations of one
//! parity only, an undefined value counts against the contract, which is exact: a session is kept only if
//! all completions of what is undefined keep it. Elsewhere a leaf is completed in any way, which
//! allows more sessions than there are. Either way what is unsatisfiable here is unsatisfiable.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::{self, AtomId, CompareOp, Contract, Expr, ExprId, Library, PatternId, Side};
use ctr_logic::{Arena, Formula};

use crate::universe::{FIRST_LEAF, Universe, fits_any_status, watches};
use crate::walk;

/// What a leaf says of an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leaf {
    /// A condition; the groups of keys that it reads.
    Condition(ExprId, Vec<u32>),
    /// A comparison that stands nowhere in the library: the value of an aggregate's members with a constant.
    Compare(u8, ExprId, ExprId, Vec<u32>),
    /// A path is the key.
    Key(ExprId, u32),
    /// The event's agent is one of those that a contract is about.
    Agents(Vec<String>),
}

/// A condition as two formulas. Neither holds where it is undefined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rail {
    /// It is true.
    pub(crate) t: Formula,
    /// It is false.
    pub(crate) f: Formula,
}

/// Where a condition stands.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The groups of the contract's keys.
    pub(crate) keys: Vec<u32>,
    /// The groups of events at which the condition matters.
    pub(crate) groups: BTreeSet<usize>,
    /// Undefined values are completed in any way.
    pub(crate) complete: bool,
}

/// A clause as a formula over all events of the component.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The contract's index in the library.
    pub(crate) contract: usize,
    /// The clause's index in the contract.
    pub(crate) clause: usize,
    /// Its side.
    pub(crate) side: Side,
    /// Its formula.
    pub(crate) formula: Formula,
    /// What sets it off, where all of it says `always (trigger implies ...)` or the like: that the trigger happens.
    /// Empty where a part of it waits for nothing.
    pub(crate) triggers: Vec<Formula>,
}

/// A component.
pub(crate) struct Problem<'l> {
    pub(crate) library: &'l Library,
    pub(crate) arena: Arena,
    pub(crate) universe: Universe,
    /// The leaves; leaf `n` is the atom `FIRST_LEAF + n`.
    pub(crate) leaves: Vec<Leaf>,
    /// The groups at which each leaf matters.
    pub(crate) used_in: Vec<BTreeSet<usize>>,
    index: BTreeMap<Leaf, u32>,
    /// The groups of keys of each contract of the library.
    pub(crate) keys: &'l [Vec<u32>],
    /// Undefined values are completed in any way, wherever they stand.
    pub(crate) complete: bool,
}

impl<'l> Problem<'l> {
    /// A component with these contracts. `neutral` says of each contract of the library whether events that fit
    /// none of its patterns leave it as it is; `all_returns` is explained at [`Universe::new`].
    pub(crate) fn new(
        library: &'l Library,
        keys: &'l [Vec<u32>],
        contracts: &[usize],
        neutral: &[bool],
        all_returns: bool,
    ) -> Self {
        let mut patterns = BTreeSet::new();
        let mut watching = Vec::new();
        for &index in contracts {
            if let Some(contract) = library.contracts.get(index) {
                patterns.extend(walk::contract(library, contract).patterns);
                if !neutral.get(index).copied().unwrap_or(false) {
                    watching.push(contract);
                }
            }
        }
        Self {
            library,
            arena: Arena::new(),
            universe: Universe::new(library, &patterns, &watching, all_returns),
            leaves: Vec::new(),
            used_in: Vec::new(),
            index: BTreeMap::new(),
            keys,
            complete: false,
        }
    }

    /// The atom of a leaf.
    pub(crate) fn leaf(&mut self, leaf: Leaf, groups: &BTreeSet<usize>) -> Formula {
        let number = match self.index.get(&leaf) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.leaves.len()).unwrap_or(u32::MAX - FIRST_LEAF);
                self.leaves.push(leaf.clone());
                self.used_in.push(BTreeSet::new());
                self.index.insert(leaf, number);
                number
            }
        };
        if let Some(used) = self.used_in.get_mut(number as usize) {
            used.extend(groups);
        }
        self.arena.atom(FIRST_LEAF + number)
    }

    /// The groups of all events.
    pub(crate) fn all_groups(&self) -> BTreeSet<usize> {
        (0..self.universe.groups.len()).collect()
    }

    /// The clauses of a contract.
    pub(crate) fn parts(&mut self, index: usize, neutral: bool) -> Vec<Part> {
        let Some(contract) = self.library.contracts.get(index) else {
            return Vec::new();
        };
        let scope = Scope {
            keys: self.keys.get(index).cloned().unwrap_or_default(),
            groups: self.all_groups(),
            complete: false,
        };
        let step = (!neutral).then(|| self.step_of(contract, &scope));
        let occurs = self.occurs(contract, &scope);
        let mut parts = Vec::new();
        for (number, clause) in contract.clauses.iter().enumerate() {
            let mixed = mixed(contract, clause.side, self.complete);
            let mut cx = Translation {
                step,
                scope: scope.clone(),
                mixed: &mixed,
                free: false,
            };
            let mut formulas = vec![self.at_first(&clause.formula, true, &mut cx)];
            for deadline in &clause.deadlines {
                formulas.push(self.deadline(deadline, &scope));
            }
            let mut formula = self.arena.and(&formulas);
            if let Some(occurs) = occurs {
                formula = self.arena.implies(occurs, formula);
            }
            let mut triggers = Vec::new();
            let waits = self.triggers(&clause.formula, &mut cx, &mut triggers);
            for deadline in &clause.deadlines {
                let trigger = self.condition(deadline.trigger, &scope).f;
                let trigger = self.arena.not(trigger);
                triggers.push(self.arena.eventually(trigger));
            }
            if !waits {
                triggers.clear();
            }
            parts.push(Part {
                contract: index,
                clause: number,
                side: clause.side,
                formula,
                triggers,
            });
        }
        parts
    }

    /// A side of a contract as the runtime sees it, whose atoms say nothing of each other; and that at every event they
    /// are what they are, and defined.
    pub(crate) fn as_run(&mut self, index: usize, neutral: bool, side: Side) -> (Formula, Formula) {
        let Some(contract) = self.library.contracts.get(index) else {
            return (self.arena.tt(), self.arena.tt());
        };
        let scope = Scope {
            keys: self.keys.get(index).cloned().unwrap_or_default(),
            groups: self.all_groups(),
            complete: false,
        };
        let step = (!neutral).then(|| self.step_of(contract, &scope));
        let occurs = self.occurs(contract, &scope);
        let mixed = mixed(contract, side, self.complete);
        let (mut all, mut meant, mut atoms) = (Vec::new(), Vec::new(), BTreeSet::new());
        for clause in contract.clauses.iter().filter(|clause| clause.side == side) {
            let mut cx = Translation {
                step,
                scope: scope.clone(),
                mixed: &mixed,
                free: true,
            };
            let formula = self.at_first(&clause.formula, true, &mut cx);
            all.push(match occurs {
                Some(occurs) => self.arena.implies(occurs, formula),
                None => formula,
            });
            let mut odd = BTreeSet::new();
            walk::polarities(&clause.formula, true, &mut atoms, &mut odd);
            atoms.append(&mut odd);
        }
        for atom in atoms {
            let Some(entry) = self.library.atoms.get(atom.0 as usize) else {
                continue;
            };
            let mut scope = scope.clone();
            scope.complete = mixed.contains(&atom);
            let rail = self.condition(entry.expr, &scope);
            let own = self.arena.atom(FIRST_FREE + atom.0);
            meant.push(self.arena.iff(own, rail.t));
            meant.push(self.arena.or(&[rail.t, rail.f]));
        }
        let meant = self.arena.and(&meant);
        (self.arena.and(&all), self.arena.always(meant))
    }

    /// `P leads to Q within d`, without the time: what follows from it.
    fn deadline(&mut self, deadline: &ir::Deadline, scope: &Scope) -> Formula {
        let trigger = self.condition(deadline.trigger, scope).t;
        let response = self.condition(deadline.response, scope).t;
        let answered = self.arena.eventually(response);
        let owed = self.arena.implies(trigger, answered);
        self.arena.always(owed)
    }

    /// That this event is a step of a contract (of the instance for its key).
    pub(crate) fn step_of(&mut self, contract: &Contract, scope: &Scope) -> Formula {
        let watched = self.universe.where_class(|class| watches(contract, class));
        let mut step = if contract.keys.is_empty() {
            self.universe.formula(&mut self.arena, &watched)
        } else {
            let mut seen = Vec::new();
            for id in &contract.patterns {
                seen.extend(self.binding(*id, &watched, scope));
            }
            self.arena.or(&seen)
        };
        if !contract.agents.is_empty() {
            let mine = self.leaf(Leaf::Agents(contract.agents.clone()), &watched);
            step = self.arena.and(&[step, mine]);
        }
        step
    }

    /// That this event is of a pattern's kind and tool, whatever its status, and binds its keys.
    fn binding(
        &mut self,
        id: PatternId,
        watched: &BTreeSet<usize>,
        scope: &Scope,
    ) -> Option<Formula> {
        let pattern = self.library.patterns.get(id.0 as usize)?;
        let (library, tools) = (self.library, self.universe.tools.clone());
        let groups: BTreeSet<usize> = self
            .universe
            .where_class(|class| fits_any_status(library, pattern, class, &tools))
            .intersection(watched)
            .copied()
            .collect();
        let mut all = vec![self.universe.formula(&mut self.arena, &groups)];
        for (path, key) in pattern.keys.iter().zip(&scope.keys) {
            all.push(self.leaf(Leaf::Key(*path, *key), &groups));
        }
        Some(self.arena.and(&all))
    }

    /// For a keyed contract: that the key's value occurs.
    fn occurs(&mut self, contract: &Contract, scope: &Scope) -> Option<Formula> {
        if contract.keys.is_empty() {
            return None;
        }
        let watched = self.universe.where_class(|class| watches(contract, class));
        let mut seen = Vec::new();
        for id in &contract.patterns {
            let keyed = self
                .library
                .patterns
                .get(id.0 as usize)
                .is_some_and(|pattern| !pattern.keys.is_empty());
            if keyed {
                seen.extend(self.binding(*id, &watched, scope));
            }
        }
        let mut seen = self.arena.or(&seen);
        if !contract.agents.is_empty() {
            let mine = self.leaf(Leaf::Agents(contract.agents.clone()), &watched);
            seen = self.arena.and(&[seen, mine]);
        }
        Some(self.arena.eventually(seen))
    }

    /// What a clause waits for: that the left side of its implications happens, or may happen (an
    /// undefined trigger makes the contract matter too). False where a part of the clause waits for nothing.
    fn triggers(
        &mut self,
        f: &ir::Formula,
        cx: &mut Translation<'_>,
        into: &mut Vec<Formula>,
    ) -> bool {
        let trigger = match f {
            ir::Formula::And(parts) => {
                return parts.iter().all(|part| self.triggers(part, cx, into));
            }
            ir::Formula::True => return true,
            ir::Formula::Always(inner) => match inner.as_ref() {
                ir::Formula::Implies(trigger, _) => trigger.as_ref(),
                _ => return false,
            },
            ir::Formula::Unless(not, _) => match not.as_ref() {
                ir::Formula::Not(trigger) => trigger.as_ref(),
                _ => return false,
            },
            _ => return false,
        };
        let all = BTreeSet::new();
        let mut here = Translation {
            step: cx.step,
            scope: cx.scope.clone(),
            mixed: &all,
            free: false,
        };
        let happens = self.formula(trigger, false, &mut here);
        let mut parts = vec![happens];
        parts.extend(cx.step);
        let here = self.arena.and(&parts);
        into.push(self.arena.eventually(here));
        true
    }

    /// A formula at the first step of its contract.
    fn at_first(&mut self, f: &ir::Formula, positive: bool, cx: &mut Translation<'_>) -> Formula {
        use ir::Formula as F;
        match f {
            F::Not(a) => {
                let a = self.at_first(a, !positive, cx);
                self.arena.not(a)
            }
            F::And(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| self.at_first(p, positive, cx))
                    .collect();
                self.arena.and(&parts)
            }
            F::Or(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| self.at_first(p, positive, cx))
                    .collect();
                self.arena.or(&parts)
            }
            F::Implies(a, b) => {
                let a = self.at_first(a, !positive, cx);
                let b = self.at_first(b, positive, cx);
                self.arena.implies(a, b)
            }
            F::True
            | F::False
            | F::Always(_)
            | F::Eventually(_)
            | F::Until(..)
            | F::Unless(..)
            | F::Release(..) => self.formula(f, positive, cx),
            _ => {
                let inner = self.formula(f, positive, cx);
                self.at_next_step(cx.step, inner, walk::on_empty(f))
            }
        }
    }

    /// That a formula holds at the first step from this event on. `weak`: or that there is none.
    fn at_next_step(&mut self, step: Option<Formula>, inner: Formula, weak: bool) -> Formula {
        let Some(step) = step else { return inner };
        let not_yet = self.arena.not(step);
        let here = self.arena.and(&[step, inner]);
        if weak {
            self.arena.unless(not_yet, here)
        } else {
            self.arena.until(not_yet, here)
        }
    }

    /// That a formula holds at the last step up to this event, and that there is one.
    fn at_last_step(&mut self, step: Option<Formula>, inner: Formula) -> Formula {
        let Some(step) = step else { return inner };
        let none_since = self.arena.not(step);
        let here = self.arena.and(&[step, inner]);
        self.arena.since(none_since, here)
    }

    /// A formula at a step of its contract, over all events.
    fn formula(&mut self, f: &ir::Formula, positive: bool, cx: &mut Translation<'_>) -> Formula {
        use ir::Formula as F;
        // What holds at steps, at events that need not be steps.
        macro_rules! at_step {
            ($f:expr) => {{
                let f = $f;
                match cx.step {
                    Some(step) => self.arena.and(&[step, f]),
                    None => f,
                }
            }};
        }
        macro_rules! if_step {
            ($f:expr) => {{
                let f = $f;
                match cx.step {
                    Some(step) => self.arena.implies(step, f),
                    None => f,
                }
            }};
        }
        match f {
            F::True => self.arena.tt(),
            F::False => self.arena.ff(),
            F::Atom(atom) if cx.free => self.arena.atom(FIRST_FREE + atom.0),
            F::Atom(atom) => {
                let Some(entry) = self.library.atoms.get(atom.0 as usize) else {
                    return self.arena.tt();
                };
                let mut scope = cx.scope.clone();
                scope.complete = cx.mixed.contains(atom);
                let rail = self.condition(entry.expr, &scope);
                if positive {
                    rail.t
                } else {
                    self.arena.not(rail.f)
                }
            }
            F::Not(a) => {
                let a = self.formula(a, !positive, cx);
                self.arena.not(a)
            }
            F::And(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| self.formula(p, positive, cx))
                    .collect();
                self.arena.and(&parts)
            }
            F::Or(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| self.formula(p, positive, cx))
                    .collect();
                self.arena.or(&parts)
            }
            F::Implies(a, b) => {
                let a = self.formula(a, !positive, cx);
                let b = self.formula(b, positive, cx);
                self.arena.implies(a, b)
            }
            F::Iff(a, b) => {
                // All atoms below are of both parities.
                let a = self.formula(a, positive, cx);
                let b = self.formula(b, positive, cx);
                self.arena.iff(a, b)
            }
            F::Next(a) => {
                let a = self.formula(a, positive, cx);
                let later = self.at_next_step(cx.step, a, false);
                self.arena.next(later)
            }
            F::WeakNext(a) => {
                let a = self.formula(a, positive, cx);
                let later = self.at_next_step(cx.step, a, true);
                self.arena.weak_next(later)
            }
            F::Always(a) => {
                let a = if_step!(self.formula(a, positive, cx));
                self.arena.always(a)
            }
            F::Eventually(a) => {
                let a = at_step!(self.formula(a, positive, cx));
                self.arena.eventually(a)
            }
            F::Until(a, b) => {
                let a = if_step!(self.formula(a, positive, cx));
                let b = at_step!(self.formula(b, positive, cx));
                self.arena.until(a, b)
            }
            F::Unless(a, b) => {
                let a = if_step!(self.formula(a, positive, cx));
                let b = at_step!(self.formula(b, positive, cx));
                self.arena.unless(a, b)
            }
            F::Release(a, b) => {
                let a = at_step!(self.formula(a, positive, cx));
                let b = if_step!(self.formula(b, positive, cx));
                self.arena.release(a, b)
            }
            F::Previously(a) => {
                let a = self.formula(a, positive, cx);
                let before = self.at_last_step(cx.step, a);
                self.arena.previously(before)
            }
            F::WeakPreviously(a) => {
                // Not: there is an earlier step, and at the last one not `a`.
                let a = self.formula(a, positive, cx);
                let not_a = self.arena.not(a);
                let before = self.at_last_step(cx.step, not_a);
                let bad = self.arena.previously(before);
                self.arena.not(bad)
            }
            F::Once(a) => {
                let a = at_step!(self.formula(a, positive, cx));
                self.arena.once(a)
            }
            F::Historically(a) => {
                let a = if_step!(self.formula(a, positive, cx));
                self.arena.historically(a)
            }
            F::Since(a, b) => {
                let a = if_step!(self.formula(a, positive, cx));
                let b = at_step!(self.formula(b, positive, cx));
                self.arena.since(a, b)
            }
        }
    }

    /// A condition.
    pub(crate) fn condition(&mut self, expr: ExprId, scope: &Scope) -> Rail {
        let library = self.library;
        let Some(node) = library.exprs.get(expr.0 as usize) else {
            return self.plain(expr, scope);
        };
        match node {
            Expr::Const(ir::Const::Bool(value)) => {
                let (t, f) = (self.arena.tt(), self.arena.ff());
                if *value {
                    Rail { t, f }
                } else {
                    Rail { t: f, f: t }
                }
            }
            Expr::Not(a) => {
                let Rail { t, f } = self.condition(*a, scope);
                Rail { t: f, f: t }
            }
            Expr::And(parts) => {
                let parts: Vec<Rail> = parts.iter().map(|p| self.condition(*p, scope)).collect();
                self.all_of(&parts)
            }
            Expr::Or(parts) => {
                let parts: Vec<Rail> = parts
                    .iter()
                    .map(|p| self.condition(*p, scope).turned())
                    .collect();
                self.all_of(&parts).turned()
            }
            Expr::Iff(a, b) => {
                let (a, b) = (self.condition(*a, scope), self.condition(*b, scope));
                let same = [self.arena.and(&[a.t, b.t]), self.arena.and(&[a.f, b.f])];
                let other = [self.arena.and(&[a.t, b.f]), self.arena.and(&[a.f, b.t])];
                Rail {
                    t: self.arena.or(&same),
                    f: self.arena.or(&other),
                }
            }
            Expr::Pattern(id) => self.pattern(*id, scope),
            Expr::Compare(op, a, b) => self.compare(expr, *op, *a, *b, scope),
            Expr::In(_, set) | Expr::Contains(set, _) => match library.exprs.get(set.0 as usize) {
                Some(Expr::Read { register, earlier }) => {
                    self.needs_member(expr, *register, *earlier, scope)
                }
                _ => self.plain(expr, scope),
            },
            Expr::Mentioned {
                register, earlier, ..
            } => self.needs_member(expr, *register, *earlier, scope),
            Expr::Fresh { register, .. } => self.needs_member(expr, *register, true, scope),
            _ => self.plain(expr, scope),
        }
    }

    fn pattern(&mut self, id: PatternId, scope: &Scope) -> Rail {
        let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
            let ff = self.arena.ff();
            return Rail { t: ff, f: ff };
        };
        let groups: BTreeSet<usize> = self
            .universe
            .of_pattern(self.library, pattern)
            .intersection(&scope.groups)
            .copied()
            .collect();
        let here = self.universe.formula(&mut self.arena, &groups);
        let mut parts = vec![self.exact(here)];
        for (path, key) in pattern.keys.iter().zip(&scope.keys) {
            let bound = self.leaf(Leaf::Key(*path, *key), &groups);
            parts.push(self.exact(bound));
        }
        if let Some(condition) = pattern.condition {
            let inner = Scope {
                groups,
                ..scope.clone()
            };
            parts.push(self.condition(condition, &inner));
        }
        self.all_of(&parts)
    }

    pub(crate) fn all_of(&mut self, parts: &[Rail]) -> Rail {
        let t: Vec<Formula> = parts.iter().map(|p| p.t).collect();
        let f: Vec<Formula> = parts.iter().map(|p| p.f).collect();
        Rail {
            t: self.arena.and(&t),
            f: self.arena.or(&f),
        }
    }

    /// What is never undefined.
    pub(crate) fn exact(&mut self, t: Formula) -> Rail {
        Rail {
            t,
            f: self.arena.not(t),
        }
    }

    /// What is undefined unless `defined`.
    pub(crate) fn defined_if(&mut self, t: Formula, defined: Formula, scope: &Scope) -> Rail {
        if scope.complete {
            return self.exact(t);
        }
        let not = self.arena.not(t);
        Rail {
            t: self.arena.and(&[t, defined]),
            f: self.arena.and(&[not, defined]),
        }
    }

    /// A condition that is one leaf. It is undefined where an aggregate in it has no member yet.
    pub(crate) fn plain(&mut self, expr: ExprId, scope: &Scope) -> Rail {
        let mut read = walk::Reads::default();
        walk::reads(self.library, expr, &mut read);
        let keys = if read.keys {
            scope.keys.clone()
        } else {
            Vec::new()
        };
        let atom = self.leaf(Leaf::Condition(expr, keys), &scope.groups);
        let mut needed = Vec::new();
        self.needed(expr, scope, &mut needed);
        let defined = self.arena.and(&needed);
        self.defined_if(atom, defined, scope)
    }
}

impl Rail {
    pub(crate) fn turned(self) -> Self {
        Self {
            t: self.f,
            f: self.t,
        }
    }
}

/// Numbers of atoms from here on are atoms of contracts as the runtime sees them.
pub(crate) const FIRST_FREE: u32 = 1 << 24;

/// How the formulas of one side of a contract are translated.
struct Translation<'m> {
    /// That an event is a step; `None` where other events change nothing.
    step: Option<Formula>,
    scope: Scope,
    /// Atoms under negations of both parities.
    mixed: &'m BTreeSet<AtomId>,
    /// Atoms stand for themselves.
    free: bool,
}

/// The atoms of a side that stand under negations of both parities, or all.
fn mixed(contract: &Contract, side: Side, all: bool) -> BTreeSet<AtomId> {
    let (mut even, mut odd) = (BTreeSet::new(), BTreeSet::new());
    for clause in contract.clauses.iter().filter(|clause| clause.side == side) {
        walk::polarities(&clause.formula, true, &mut even, &mut odd);
    }
    if all {
        return even.union(&odd).copied().collect();
    }
    even.intersection(&odd).copied().collect()
}

/// A comparison operator as a number, for ordered tables.
pub(crate) fn number_of(op: CompareOp) -> u8 {
    match op {
        CompareOp::Eq => 0,
        CompareOp::Ne => 1,
        CompareOp::Lt => 2,
        CompareOp::Le => 3,
        CompareOp::Gt => 4,
        CompareOp::Ge => 5,
    }
}

/// The operator of a number.
pub(crate) fn operator_of(number: u8) -> CompareOp {
    match number {
        0 => CompareOp::Eq,
        1 => CompareOp::Ne,
        2 => CompareOp::Lt,
        3 => CompareOp::Le,
        4 => CompareOp::Gt,
        _ => CompareOp::Ge,
    }
}
