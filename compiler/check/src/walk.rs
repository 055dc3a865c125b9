//! What expressions are made of.

use std::collections::BTreeSet;

use ctr_front::ir::{
    AtomId, Contract, Expr, ExprId, Formula, Library, PatternId, RegisterId, Root, Step,
};

/// What an expression reads, through patterns and aggregates too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Patterns.
    pub(crate) patterns: BTreeSet<PatternId>,
    /// Aggregates.
    pub(crate) registers: BTreeSet<RegisterId>,
    /// Whether a key of the contract.
    pub(crate) keys: bool,
}

/// The names of a path's steps; `None` where one of them is no field.
pub(crate) fn fields(steps: &[Step]) -> Option<Vec<String>> {
    let names = steps.iter().map(|step| match step {
        Step::Field(name) => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// Replaces the expressions that an expression is made of, in the order of [`Expr::children`].
pub(crate) fn set_children(expr: &mut Expr, new: &[ExprId]) {
    let mut new = new.iter().copied();
    let mut set = |slot: &mut ExprId| {
        if let Some(child) = new.next() {
            *slot = child;
        }
    };
    match expr {
        Expr::Const(_)
        | Expr::Root(_)
        | Expr::Read { .. }
        | Expr::Fresh { .. }
        | Expr::Pattern(_) => {}
        Expr::List(items)
        | Expr::And(items)
        | Expr::Or(items)
        | Expr::Call(_, items)
        | Expr::Lookup(_, items) => items.iter_mut().for_each(set),
        Expr::Path { base: a, .. }
        | Expr::Not(a)
        | Expr::Has(a)
        | Expr::Neg(a)
        | Expr::Matches(a, _)
        | Expr::Mentioned { value: a, .. } => set(a),
        Expr::Iff(a, b)
        | Expr::Compare(_, a, b)
        | Expr::In(a, b)
        | Expr::Like(a, b)
        | Expr::Contains(a, b)
        | Expr::StartsWith(a, b)
        | Expr::EndsWith(a, b)
        | Expr::Inside(a, b)
        | Expr::Coalesce(a, b)
        | Expr::Every(a, b)
        | Expr::Some(a, b)
        | Expr::Add(a, b)
        | Expr::Sub(a, b)
        | Expr::Mul(a, b) => {
            set(a);
            set(b);
        }
    }
}

/// Adds what an expression reads.
pub(crate) fn reads(library: &Library, expr: ExprId, into: &mut Reads) {
    let Some(node) = library.exprs.get(expr.0 as usize) else {
        return;
    };
    match node {
        Expr::Root(Root::Key(_)) => into.keys = true,
        Expr::Read { register, .. }
        | Expr::Fresh { register, .. }
        | Expr::Mentioned { register, .. } => {
            if into.registers.insert(*register)
                && let Some(register) = library.registers.get(register.0 as usize)
            {
                into.keys |= register.keys > 0;
                reads(library, register.member, into);
                if let Some(value) = register.value {
                    reads(library, value, into);
                }
            }
        }
        Expr::Pattern(pattern) => {
            if into.patterns.insert(*pattern)
                && let Some(pattern) = library.patterns.get(pattern.0 as usize)
            {
                into.keys |= !pattern.keys.is_empty();
                for part in pattern.keys.iter().chain(&pattern.condition) {
                    reads(library, *part, into);
                }
            }
        }
        _ => {}
    }
    for child in node.children() {
        reads(library, child, into);
    }
}

/// The roots that an expression reads of this event, those inside aggregates left out.
pub(crate) fn roots(library: &Library, expr: ExprId, into: &mut Vec<Root>) {
    let Some(node) = library.exprs.get(expr.0 as usize) else {
        return;
    };
    if let Expr::Root(root) = node
        && !into.contains(root)
    {
        into.push(*root);
    }
    for child in node.children() {
        roots(library, child, into);
    }
}

/// What an expression reads of an event: a root and the name of a field under it; `None` for all else that is no constant (whole
/// records, times, aggregates, answers of the host).
pub(crate) fn values(library: &Library, expr: ExprId, tell: &mut impl FnMut(Option<(u8, String)>)) {
    let Some(node) = library.exprs.get(expr.0 as usize) else {
        return;
    };
    match node {
        Expr::Const(_) | Expr::Root(Root::Key(_) | Root::Var(_)) => {}
        Expr::Path { base, steps, .. } => {
            let root = match library.exprs.get(base.0 as usize) {
                Some(Expr::Root(Root::Args)) => Some(0),
                Some(Expr::Root(Root::Result)) => Some(1),
                Some(Expr::Root(Root::Fields)) => Some(2),
                Some(Expr::Root(Root::Context)) => Some(3),
                _ => None,
            };
            match (root, steps.first()) {
                (Some(root), Some(Step::Field(name))) => tell(Some((root, name.clone()))),
                _ => values(library, *base, tell),
            }
        }
        Expr::Root(_)
        | Expr::Read { .. }
        | Expr::Fresh { .. }
        | Expr::Mentioned { .. }
        | Expr::Lookup(..)
        | Expr::Pattern(_) => tell(None),
        _ => {}
    }
    if !matches!(node, Expr::Path { .. }) {
        for child in node.children() {
            values(library, child, tell);
        }
    }
}

/// Whether an expression reads an aggregate or asks the host.
pub(crate) fn is_local(library: &Library, expr: ExprId) -> bool {
    let Some(node) = library.exprs.get(expr.0 as usize) else {
        return false;
    };
    !matches!(
        node,
        Expr::Read { .. } | Expr::Fresh { .. } | Expr::Mentioned { .. } | Expr::Lookup(..)
    ) && node
        .children()
        .into_iter()
        .all(|child| is_local(library, child))
}

/// The atoms of a formula, each with whether it stands under an even and an odd number of negations.
pub(crate) fn polarities(
    formula: &Formula,
    positive: bool,
    even: &mut BTreeSet<AtomId>,
    odd: &mut BTreeSet<AtomId>,
) {
    match formula {
        Formula::Atom(atom) => {
            if positive {
                even.insert(*atom);
            } else {
                odd.insert(*atom);
            }
        }
        Formula::Not(f) => polarities(f, !positive, even, odd),
        Formula::Implies(a, b) => {
            polarities(a, !positive, even, odd);
            polarities(b, positive, even, odd);
        }
        Formula::Iff(a, b) => {
            for part in [a, b] {
                polarities(part, true, even, odd);
                polarities(part, false, even, odd);
            }
        }
        other => {
            for part in other.parts() {
                polarities(part, positive, even, odd);
            }
        }
    }
}

/// The atoms of a contract's formulas.
pub(crate) fn atoms(contract: &Contract) -> BTreeSet<AtomId> {
    let (mut even, mut odd) = (BTreeSet::new(), BTreeSet::new());
    for clause in &contract.clauses {
        polarities(&clause.formula, true, &mut even, &mut odd);
    }
    even.union(&odd).copied().collect()
}

/// All that a contract's formulas and deadlines read.
pub(crate) fn contract(library: &Library, contract: &Contract) -> Reads {
    let mut all = Reads::default();
    for atom in atoms(contract) {
        if let Some(atom) = library.atoms.get(atom.0 as usize) {
            reads(library, atom.expr, &mut all);
        }
    }
    for clause in &contract.clauses {
        for deadline in &clause.deadlines {
            reads(library, deadline.trigger, &mut all);
            reads(library, deadline.response, &mut all);
        }
    }
    all.patterns.extend(contract.patterns.iter().copied());
    all
}

/// The value of a formula on a session without steps (language reference, section 4).
pub(crate) fn on_empty(formula: &Formula) -> bool {
    match formula {
        Formula::True
        | Formula::WeakNext(_)
        | Formula::Always(_)
        | Formula::Unless(..)
        | Formula::Release(..)
        | Formula::WeakPreviously(_)
        | Formula::Historically(_) => true,
        Formula::False
        | Formula::Atom(_)
        | Formula::Next(_)
        | Formula::Eventually(_)
        | Formula::Until(..)
        | Formula::Previously(_)
        | Formula::Once(_)
        | Formula::Since(..) => false,
        Formula::Not(f) => !on_empty(f),
        Formula::And(parts) => parts.iter().all(on_empty),
        Formula::Or(parts) => parts.iter().any(on_empty),
        Formula::Implies(a, b) => !on_empty(a) || on_empty(b),
        Formula::Iff(a, b) => on_empty(a) == on_empty(b),
    }
}
