//! What a session needs to know of its library beyond the tables: which expressions depend on a
//! contract's key, and which patterns belong to which side. Worked out once and shared by sessions.

use alloc::vec::Vec;

use crate::format::model::{NodeRef, Root, Side};
use crate::format::{ExprRef, Library};

/// How an atom depends on the key of the instance that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomClass {
    /// Not at all: one value an event.
    Free,
    /// A keyed pattern: false for every instance whose key the event does not bind.
    Keyed,
    /// In some other way.
    Depends,
}

/// Facts about a library.
#[derive(Debug)]
pub struct Plan {
    pub(crate) atoms: Vec<AtomClass>,
    /// For each expression, whether it depends on the key other than through keyed patterns.
    depends: Vec<bool>,
    pub(crate) contracts: Vec<ContractPlan>,
}

/// Facts about a contract.
#[derive(Debug, Default)]
pub(crate) struct ContractPlan {
    /// Patterns that bind the keys.
    pub(crate) keyed: Vec<u32>,
    /// Patterns that bind none.
    pub(crate) unkeyed: Vec<u32>,
    /// Patterns that the assumption asks for.
    pub(crate) assumed: Vec<u32>,
    /// Keyed registers that atoms of class [`AtomClass::Depends`] read.
    pub(crate) registers: Vec<u32>,
    /// Registers that the guarantee reads.
    pub(crate) reads: Vec<u32>,
}

impl Plan {
    /// Looks through a library.
    #[must_use]
    pub fn new(library: &Library<'_>) -> Self {
        let depends = dependence(library);
        let on_key = |expr: u32| at(&depends, expr);
        let atoms = (0..library.atom_count())
            .map(|atom| {
                let expr = library.atom(atom).expr;
                match library.expr(expr) {
                    ExprRef::Pattern(p) if !library.pattern(p).keys.is_empty() => AtomClass::Keyed,
                    _ if on_key(expr) => AtomClass::Depends,
                    // A combination of keyed patterns is no pattern, but differs from key to key.
                    _ if mentions_keyed(library, expr) => AtomClass::Depends,
                    _ => AtomClass::Free,
                }
            })
            .collect();
        let mut plan = Self {
            atoms,
            depends,
            contracts: Vec::new(),
        };
        plan.contracts = (0..library.contract_count())
            .map(|c| plan.contract(library, c))
            .collect();
        plan
    }

    fn contract(&self, library: &Library<'_>, contract: u32) -> ContractPlan {
        let c = library.contract(contract);
        let mut plan = ContractPlan::default();
        for pattern in c.patterns().iter() {
            if library.pattern(pattern).keys.is_empty() {
                plan.unkeyed.push(pattern);
            } else {
                plan.keyed.push(pattern);
            }
        }
        if let Some(guarantee) = c.guarantee() {
            let guarantee = library.automaton(guarantee);
            let mut atoms: Vec<u32> = (0..guarantee.node_count())
                .map(|node| guarantee.node(node).atom)
                .collect();
            atoms.sort_unstable();
            atoms.dedup();
            for atom in atoms {
                let expr = library.atom(atom).expr;
                collect(library, expr, &mut Vec::new(), &mut plan.reads);
            }
            plan.reads.sort_unstable();
            plan.reads.dedup();
        }
        if c.key_count() == 0 {
            return plan;
        }
        for (automaton, assumed) in [(c.assume(), true), (c.guarantee(), false)] {
            let Some(automaton) = automaton else { continue };
            let automaton = library.automaton(automaton);
            for node in 0..automaton.node_count() {
                let atom = automaton.node(node).atom;
                let expr = library.atom(atom).expr;
                if assumed {
                    collect(library, expr, &mut plan.assumed, &mut Vec::new());
                }
                if self.class(atom) == AtomClass::Depends {
                    collect(library, expr, &mut Vec::new(), &mut plan.registers);
                }
            }
        }
        for deadline in c.deadlines() {
            let d = library.deadline(deadline);
            for expr in [d.trigger, d.response] {
                if d.side == Side::Assume {
                    collect(library, expr, &mut plan.assumed, &mut Vec::new());
                }
                if self.depends(expr) {
                    collect(library, expr, &mut Vec::new(), &mut plan.registers);
                }
            }
        }
        plan.registers
            .retain(|r| library.register(*r).keys == c.key_count());
        for list in [&mut plan.assumed, &mut plan.registers] {
            list.sort_unstable();
            list.dedup();
        }
        plan
    }

    pub(crate) fn class(&self, atom: u32) -> AtomClass {
        usize::try_from(atom)
            .ok()
            .and_then(|n| self.atoms.get(n))
            .copied()
            .unwrap_or(AtomClass::Depends)
    }

    /// Whether an expression depends on the key other than through keyed patterns.
    pub(crate) fn depends(&self, expr: u32) -> bool {
        at(&self.depends, expr)
    }
}

fn at(depends: &[bool], expr: u32) -> bool {
    usize::try_from(expr)
        .ok()
        .and_then(|n| depends.get(n))
        .copied()
        .unwrap_or(false)
}

/// For each expression, whether its value can differ between two keys that the event does not bind.
fn dependence(library: &Library<'_>) -> Vec<bool> {
    let count = usize::try_from(library.expr_count()).unwrap_or(0);
    let mut depends = alloc::vec![false; count];
    // Children stand before their parents, so that one pass is the rule; patterns and registers
    // may point onwards, so that passes go on until nothing changes.
    loop {
        let mut changed = false;
        for expr in 0..library.expr_count() {
            let now = at(&depends, expr)
                || match library.expr(expr) {
                    ExprRef::Root(Root::Key(_)) => true,
                    ExprRef::Read { register, .. } | ExprRef::Fresh { register, .. } => {
                        library.register(register).keys > 0
                    }
                    ExprRef::Mentioned {
                        register, value, ..
                    } => library.register(register).keys > 0 || at(&depends, value),
                    ExprRef::Pattern(p) => {
                        let p = library.pattern(p);
                        p.keys.is_empty() && p.condition.is_some_and(|c| at(&depends, c))
                    }
                    other => {
                        let mut any = false;
                        children(other, |child| any |= at(&depends, child));
                        any
                    }
                };
            if let Some(slot) = usize::try_from(expr).ok().and_then(|n| depends.get_mut(n))
                && now
                && !*slot
            {
                *slot = true;
                changed = true;
            }
        }
        if !changed {
            return depends;
        }
    }
}

/// Whether a keyed pattern stands in an expression.
fn mentions_keyed(library: &Library<'_>, expr: u32) -> bool {
    let mut patterns = Vec::new();
    collect(library, expr, &mut patterns, &mut Vec::new());
    patterns
        .iter()
        .any(|p| !library.pattern(*p).keys.is_empty())
}

/// Collects the patterns in an expression, and the keyed registers that it reads.
pub(crate) fn collect(
    library: &Library<'_>,
    expr: u32,
    patterns: &mut Vec<u32>,
    registers: &mut Vec<u32>,
) {
    let mut open = Vec::from([expr]);
    let mut seen = Vec::new();
    while let Some(expr) = open.pop() {
        match library.expr(expr) {
            ExprRef::Pattern(p) => {
                if !seen.contains(&p) {
                    seen.push(p);
                    patterns.push(p);
                    open.extend(library.pattern(p).condition);
                }
            }
            ExprRef::Read { register, .. } | ExprRef::Fresh { register, .. } => {
                registers.push(register);
            }
            ExprRef::Mentioned {
                register, value, ..
            } => {
                registers.push(register);
                open.push(value);
            }
            other => children(other, |child| open.push(child)),
        }
    }
}

/// The direct parts of an expression, patterns and registers aside.
pub(crate) fn children(expr: ExprRef<'_>, mut each: impl FnMut(u32)) {
    match expr {
        ExprRef::Const(_)
        | ExprRef::Root(_)
        | ExprRef::Read { .. }
        | ExprRef::Fresh { .. }
        | ExprRef::Pattern(_) => {}
        ExprRef::List(ids)
        | ExprRef::And(ids)
        | ExprRef::Or(ids)
        | ExprRef::Call(_, ids)
        | ExprRef::Lookup(_, ids) => ids.iter().for_each(each),
        ExprRef::Path { base: a, .. }
        | ExprRef::Not(a)
        | ExprRef::Has(a)
        | ExprRef::Neg(a)
        | ExprRef::Matches(a, _)
        | ExprRef::Mentioned { value: a, .. } => each(a),
        ExprRef::Iff(a, b)
        | ExprRef::Compare(_, a, b)
        | ExprRef::In(a, b)
        | ExprRef::Like(a, b)
        | ExprRef::Contains(a, b)
        | ExprRef::StartsWith(a, b)
        | ExprRef::EndsWith(a, b)
        | ExprRef::Inside(a, b)
        | ExprRef::Coalesce(a, b)
        | ExprRef::Every(a, b)
        | ExprRef::Some(a, b)
        | ExprRef::Add(a, b)
        | ExprRef::Sub(a, b)
        | ExprRef::Mul(a, b) => {
            each(a);
            each(b);
        }
    }
}

/// The atoms that a state's diagram asks for, in the order of the walk; at most `limit`.
pub(crate) fn asked(
    automaton: crate::format::AutomatonRef<'_>,
    state: u32,
    limit: usize,
) -> Vec<u32> {
    let mut atoms = Vec::new();
    let mut seen = alloc::collections::BTreeSet::new();
    let mut open = Vec::from([automaton.state(state).root]);
    while let Some(node) = open.pop() {
        let NodeRef::Node(n) = node else { continue };
        if atoms.len() >= limit || !seen.insert(n) {
            continue;
        }
        let node = automaton.node(n);
        if !atoms.contains(&node.atom) {
            atoms.push(node.atom);
        }
        open.push(node.high);
        open.push(node.low);
    }
    atoms
}
