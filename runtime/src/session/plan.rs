//! What a session needs to know of its library beyond the tables: which expressions depend on a
//! contract's key, and which patterns belong to which side. Worked out once and shared by sessions.

use alloc::vec::Vec;

use super::groups::Label;
use super::steps::Steps;
use crate::format::model::{Label as StateLabel, NodeRef, Root, Side};
use crate::format::{
    ActionRef, AutomatonRef, ContractRef, ExprRef, KindClass, Library, MessagePartRef,
};

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
    /// For each register, whether it reads arguments.
    register_args: Vec<bool>,
    /// Whether a contract that an unnamed return may move reads arguments.
    restless_args: bool,
    pub(crate) steps: Steps,
    /// The checksum of the library that it was made from.
    library: u64,
    /// By contract, the states in which its automata start.
    pub(crate) start: Vec<Label>,
    /// The contracts without keys that an event which they do not name could move at the start, ascending.
    pub(crate) restless: Vec<u32>,
}

/// Facts about a contract.
#[derive(Debug, Default)]
pub(crate) struct ContractPlan {
    assume: Option<u32>,
    guarantee: Option<u32>,
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
    /// Patterns of returns with a condition that the guarantee asks for.
    pub(crate) conditional: Vec<u32>,
    /// What returns can do to its guarantee; `None` where they are no steps of it, or it has none.
    pub(crate) foresight: Option<Foresight>,
    /// Whether its conditions, deadlines, message or registers read arguments.
    args: bool,
}

/// What returns can do to a guarantee.
#[derive(Debug)]
pub(crate) struct Foresight {
    /// For each state, whether no returns, whatever they are, lead from it to a violation.
    calm: Vec<bool>,
    /// Whether that is so for all states, the violated ones aside.
    pub(crate) all_calm: bool,
    /// Whether all its atoms are patterns.
    pub(crate) patterns_only: bool,
}

impl Foresight {
    pub(crate) fn is_calm(&self, state: u32) -> bool {
        at(&self.calm, state)
    }

    fn new(library: &Library<'_>, guarantee: AutomatonRef<'_>) -> Self {
        let pattern = |atom: u32| match library.expr(library.atom(atom).expr) {
            ExprRef::Pattern(p) => Some(library.pattern(p)),
            _ => None,
        };
        // The states before each state, by returns.
        let states = usize::try_from(guarantee.state_count()).unwrap_or(0);
        let nodes = usize::try_from(guarantee.node_count()).unwrap_or(0);
        let mut before: Vec<Vec<u32>> = alloc::vec![Vec::new(); states];
        let mut seen = alloc::vec![u32::MAX; nodes];
        let mut open = Vec::new();
        for (n, state) in (0..).zip(guarantee.states()) {
            open.push(state.root);
            while let Some(node) = open.pop() {
                let node = match node {
                    NodeRef::State(to) => {
                        if let Some(list) =
                            usize::try_from(to).ok().and_then(|to| before.get_mut(to))
                            && list.last() != Some(&n)
                        {
                            list.push(n);
                        }
                        continue;
                    }
                    NodeRef::Node(node) => {
                        let mark = usize::try_from(node).ok().and_then(|n| seen.get_mut(n));
                        match mark {
                            Some(mark) if *mark != n => *mark = n,
                            _ => continue,
                        }
                        guarantee.node(node)
                    }
                };
                open.push(node.low);
                // Patterns of other kinds do not hold of a return.
                if pattern(node.atom).is_none_or(|p| p.kind_class() == KindClass::Return) {
                    open.push(node.high);
                }
            }
        }
        let mut calm = alloc::vec![true; states];
        let violated = |state: u32| guarantee.state(state).label == StateLabel::ViolatedForGood;
        // A guarantee that no session satisfies is violated from the start; else no contract rests there.
        let mut all_calm = !violated(guarantee.initial());
        let mut bad: Vec<u32> = (0..guarantee.state_count())
            .filter(|s| violated(*s))
            .collect();
        while let Some(state) = bad.pop() {
            let Some(slot) = usize::try_from(state).ok().and_then(|n| calm.get_mut(n)) else {
                continue;
            };
            if !core::mem::replace(slot, false) {
                continue;
            }
            all_calm &= violated(state);
            let before = usize::try_from(state).ok().and_then(|n| before.get(n));
            bad.extend(before.into_iter().flatten());
        }
        Self {
            calm,
            all_calm,
            patterns_only: guarantee.nodes().all(|n| pattern(n.atom).is_some()),
        }
    }
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
            register_args: Vec::new(),
            restless_args: false,
            steps: Steps::default(),
            library: library.checksum(),
            start: Vec::new(),
            restless: Vec::new(),
        };
        let args = reads_args(library);
        plan.register_args = (0..library.register_count())
            .map(|r| register_reads(library, &args, r))
            .collect();
        plan.contracts = (0..library.contract_count())
            .map(|c| plan.contract(library, c, &args))
            .collect();
        let mut restless = library.dispatch(KindClass::Return, &[]).restless();
        plan.restless_args = restless.any(|c| plan.of(c).is_none_or(|c| c.args));
        plan.steps = Steps::new(library, &plan);
        plan.start = library
            .contracts()
            .map(|c| Label::start(library, c))
            .collect();
        let keyed = |c: &u32| library.contract(*c).key_count() > 0;
        plan.restless = (0..)
            .zip(&plan.start)
            .filter(|(c, start)| !keyed(c) && !plan.is_idle(*c, start.assume, start.guarantee))
            .map(|(c, _)| c)
            .collect();
        plan
    }

    /// Facts about a contract.
    pub(crate) fn of(&self, contract: u32) -> Option<&ContractPlan> {
        self.contracts.get(usize::try_from(contract).ok()?)
    }

    /// Whether a contract without keys stays in its states on every event that it does not name.
    pub(crate) fn is_idle(&self, contract: u32, assume: u32, guarantee: u32) -> bool {
        let facts =
            |automaton: Option<u32>, state| automaton.and_then(|a| self.steps.state(a, state));
        let idle = |automaton, state| facts(automaton, state).is_none_or(|facts| facts.idle);
        let violated =
            |c: &ContractPlan| facts(c.guarantee, guarantee).is_some_and(|facts| facts.violated);
        self.of(contract)
            .is_some_and(|c| !violated(c) && idle(c.assume, assume) && idle(c.guarantee, guarantee))
    }

    /// Whether a contract's guarantee goes from satisfied to pending.
    pub(crate) fn opens(&self, contract: u32, from: u32, to: u32) -> bool {
        let satisfied = |automaton, state| {
            self.steps
                .state(automaton, state)
                .is_some_and(|facts| facts.satisfied)
        };
        self.of(contract)
            .and_then(|c| c.guarantee)
            .is_some_and(|g| satisfied(g, from) && !satisfied(g, to))
    }

    /// Whether it was made from this library.
    pub(crate) fn is_of(&self, library: &Library<'_>) -> bool {
        self.library == library.checksum()
    }

    /// Whether a return of such a tool may ask for the arguments of its call.
    pub(crate) fn keeps_args(&self, library: &Library<'_>, tools: &[u32]) -> bool {
        let dispatch = library.dispatch(KindClass::Return, tools);
        let deadlines = dispatch.deadlines();
        self.restless_args
            || dispatch
                .contracts()
                .chain(deadlines.map(|d| library.deadline(d).contract))
                .any(|c| self.of(c).is_none_or(|c| c.args))
            || dispatch.registers().any(|r| at(&self.register_args, r))
    }

    fn contract(&self, library: &Library<'_>, contract: u32, args: &[bool]) -> ContractPlan {
        let c = library.contract(contract);
        let mut plan = ContractPlan {
            assume: c.assume(),
            guarantee: c.guarantee(),
            args: contract_reads(library, args, c),
            ..ContractPlan::default()
        };
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
            crate::order::sort(&mut atoms);
            atoms.dedup();
            for atom in atoms {
                let expr = library.atom(atom).expr;
                if let ExprRef::Pattern(pattern) = library.expr(expr) {
                    let p = library.pattern(pattern);
                    if p.condition.is_some() && p.kind_class() == KindClass::Return {
                        plan.conditional.push(pattern);
                    }
                }
                collect(library, expr, &mut Vec::new(), &mut plan.reads);
            }
            crate::order::sort(&mut plan.reads);
            plan.reads.dedup();
            plan.foresight = c
                .watches(KindClass::Return)
                .then(|| Foresight::new(library, guarantee));
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
            crate::order::sort(list);
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

/// For each expression, whether it reads the arguments of a call, in patterns and registers too.
fn reads_args(library: &Library<'_>) -> Vec<bool> {
    let count = usize::try_from(library.expr_count()).unwrap_or(0);
    let mut reads = alloc::vec![false; count];
    loop {
        let mut changed = false;
        for expr in 0..library.expr_count() {
            let now = at(&reads, expr)
                || match library.expr(expr) {
                    ExprRef::Root(Root::Args) => true,
                    ExprRef::Read { register, .. } | ExprRef::Fresh { register, .. } => {
                        register_reads(library, &reads, register)
                    }
                    ExprRef::Mentioned {
                        register, value, ..
                    } => register_reads(library, &reads, register) || at(&reads, value),
                    ExprRef::Pattern(p) => {
                        let p = library.pattern(p);
                        p.keys.iter().chain(p.condition).any(|e| at(&reads, e))
                    }
                    other => {
                        let mut any = false;
                        children(other, |child| any |= at(&reads, child));
                        any
                    }
                };
            if let Some(slot) = usize::try_from(expr).ok().and_then(|n| reads.get_mut(n))
                && now
                && !*slot
            {
                *slot = true;
                changed = true;
            }
        }
        if !changed {
            return reads;
        }
    }
}

fn register_reads(library: &Library<'_>, reads: &[bool], register: u32) -> bool {
    let r = library.register(register);
    at(reads, r.member) || r.value.is_some_and(|value| at(reads, value))
}

fn contract_reads(library: &Library<'_>, reads: &[bool], c: ContractRef<'_>) -> bool {
    let atoms = [c.assume(), c.guarantee()]
        .into_iter()
        .flatten()
        .map(|a| library.automaton(a))
        .any(|a| a.nodes().any(|n| at(reads, library.atom(n.atom).expr)));
    atoms
        || c.patterns().iter().any(|p| {
            let p = library.pattern(p);
            p.keys.iter().chain(p.condition).any(|e| at(reads, e))
        })
        || c.deadlines().any(|d| {
            let d = library.deadline(d);
            at(reads, d.trigger) || at(reads, d.response)
        })
        || c.message().any(|part| match part {
            MessagePartRef::Expr(expr) => at(reads, expr),
            MessagePartRef::Text(_) => false,
        })
        || match c.action() {
            ActionRef::Redirect { args, .. } => args.iter().any(|(_, expr)| at(reads, expr)),
            _ => false,
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

/// So many nodes are compared one by one.
const FEW: usize = 32;

/// The atoms that a state's diagram asks for, in the order of the walk; at most `limit`.
pub(crate) fn asked(
    automaton: crate::format::AutomatonRef<'_>,
    state: u32,
    limit: usize,
) -> Vec<u32> {
    let mut atoms = Vec::with_capacity(8);
    // Most diagrams are small.
    let mut few = [0; FEW];
    let mut count = 0;
    let mut many = crate::order::Seen::new();
    let mut open = Vec::with_capacity(8);
    open.push(automaton.state(state).root);
    while let Some(node) = open.pop() {
        let NodeRef::Node(n) = node else { continue };
        let seen = few.iter().take(count).any(|seen| *seen == n);
        if atoms.len() >= limit || seen {
            continue;
        }
        if let Some(place) = few.get_mut(count) {
            *place = n;
            count += 1;
        } else if many.insert(u64::from(n), ()).is_some() {
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
