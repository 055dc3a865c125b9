//! A redirected call, judged at the event that it stands in for.
//!
//! The call that a redirect makes has arguments that are expressions of the refused one. So conditions on the
//! one become conditions on the other: a field is replaced by the expression that the redirect gives it. They are added to a copy of the
//! library, so that the theory sees ordinary conditions of one event. What has no counterpart is free.

use std::collections::BTreeMap;

use ctr_front::ir::{
    ActionKind, Coerce, CompareOp, Const, EventKind, Expr, ExprId, Library, Pattern, PatternId,
    RegisterId, RegisterKind, Root, Step,
};
use ctr_logic::Formula;

use crate::machine::FIRST_BIT;
use crate::problem::{Leaf, Problem, Rail, Scope};
use crate::texts::{Language, Text, Texts};
use crate::universe::{Class, ToolName, fits, fits_any_status, watches};
use crate::walk;

/// What an expression of the redirected call is at the refused one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    /// This expression.
    Is(ExprId),
    /// It is missing.
    Missing,
    /// Nothing is known of it.
    Free,
}

/// A redirect.
pub(crate) struct Target {
    /// The contract that asks for it.
    pub(crate) contract: usize,
    /// The tool that is called instead.
    pub(crate) tool: ToolName,
    args: Vec<(String, ExprId)>,
    /// For each contract and expression of it: what it is at the refused call.
    there: BTreeMap<(usize, ExprId), There>,
    /// For each contract and path of a key of it: that they are equal.
    keys: BTreeMap<(usize, ExprId, usize), ExprId>,
    free: u32,
}

const CALL: Class = Class::Call(0);

impl Target {
    /// The redirect of a contract, where it has one.
    pub(crate) fn new(library: &Library, contract: usize) -> Option<Self> {
        let ActionKind::Redirect { tool, args } = &library.contracts.get(contract)?.action.kind
        else {
            return None;
        };
        let tool = library.tools.get(tool.0 as usize)?;
        Some(Self {
            contract,
            tool: ToolName {
                server: tool.server.clone(),
                name: Some(tool.name.clone()),
            },
            args: args.clone(),
            there: BTreeMap::new(),
            keys: BTreeMap::new(),
            free: 0,
        })
    }

    /// The fields of the refused call that the redirect reads.
    pub(crate) fn reads(&self, library: &Library) -> Vec<Vec<String>> {
        let mut out = Vec::new();
        let mut open: Vec<ExprId> = self.args.iter().map(|(_, expr)| *expr).collect();
        while let Some(expr) = open.pop() {
            let Some(node) = library.exprs.get(expr.0 as usize) else {
                continue;
            };
            if let Expr::Path { base, steps, .. } = node
                && let Some(Expr::Root(Root::Args)) = library.exprs.get(base.0 as usize)
            {
                let fields: Option<Vec<String>> = walk::fields(steps);
                out.extend(fields);
            }
            open.extend(node.children());
        }
        out
    }

    /// Adds the counterparts of all that a contract reads of a call.
    pub(crate) fn prepare(&mut self, library: &mut Library, about: usize) {
        let Some(contract) = library.contracts.get(about).cloned() else {
            return;
        };
        let shift = u32::try_from(contract.keys.len()).unwrap_or(0);
        let reads = walk::contract(library, &contract);
        for id in &reads.patterns {
            let Some(pattern) = library.patterns.get(id.0 as usize).cloned() else {
                continue;
            };
            if !fits_any_status(library, &pattern, CALL, std::slice::from_ref(&self.tool)) {
                continue;
            }
            for (n, path) in pattern.keys.iter().enumerate() {
                if let There::Is(there) = self.there(library, about, *path, shift)
                    && let Ok(key) = u32::try_from(n)
                {
                    let key = intern(library, Expr::Root(Root::Key(key)));
                    let same = intern(library, Expr::Compare(CompareOp::Eq, there, key));
                    self.keys.insert((about, *path, n), same);
                }
            }
            if let Some(condition) = pattern.condition {
                self.conditions(library, about, condition, shift);
            }
        }
        for clause in &contract.clauses {
            let (mut even, mut odd) = Default::default();
            walk::polarities(&clause.formula, true, &mut even, &mut odd);
            for atom in even.union(&odd) {
                if let Some(expr) = library.atoms.get(atom.0 as usize).map(|atom| atom.expr) {
                    self.conditions(library, about, expr, shift);
                }
            }
        }
    }

    /// The conditions that a Boolean expression is made of.
    fn conditions(&mut self, library: &mut Library, about: usize, expr: ExprId, shift: u32) {
        match library.exprs.get(expr.0 as usize).cloned() {
            Some(Expr::And(parts) | Expr::Or(parts)) => {
                for part in parts {
                    self.conditions(library, about, part, shift);
                }
            }
            Some(Expr::Not(a)) => self.conditions(library, about, a, shift),
            Some(Expr::Iff(a, b)) => {
                self.conditions(library, about, a, shift);
                self.conditions(library, about, b, shift);
            }
            Some(Expr::Pattern(_) | Expr::Const(_)) | None => {}
            Some(_) => {
                self.there(library, about, expr, shift);
            }
        }
    }

    fn there(&mut self, library: &mut Library, about: usize, expr: ExprId, shift: u32) -> There {
        if let Some(found) = self.there.get(&(about, expr)) {
            return *found;
        }
        let found = self.find(library, about, expr, shift);
        self.there.insert((about, expr), found);
        found
    }

    fn find(&mut self, library: &mut Library, about: usize, expr: ExprId, shift: u32) -> There {
        let Some(node) = library.exprs.get(expr.0 as usize).cloned() else {
            return There::Free;
        };
        match &node {
            Expr::Root(Root::Args | Root::Server) => There::Free,
            Expr::Root(Root::Result | Root::Text | Root::Fields) => There::Missing,
            Expr::Root(_) | Expr::Const(_) => There::Is(expr),
            Expr::Path {
                base,
                steps,
                coerce,
            } if matches!(
                library.exprs.get(base.0 as usize),
                Some(Expr::Root(Root::Args))
            ) =>
            {
                self.field(library, steps, *coerce, shift)
            }
            Expr::Has(path) => match self.there(library, about, *path, shift) {
                There::Missing => There::Is(intern(library, Expr::Const(Const::Bool(false)))),
                There::Is(there) => match library.exprs.get(there.0 as usize) {
                    Some(Expr::Path { .. }) => There::Is(intern(library, Expr::Has(there))),
                    Some(Expr::Const(_)) => {
                        There::Is(intern(library, Expr::Const(Const::Bool(true))))
                    }
                    _ => There::Free,
                },
                There::Free => There::Free,
            },
            Expr::Coalesce(a, b) => match self.there(library, about, *a, shift) {
                There::Missing => self.there(library, about, *b, shift),
                There::Free => There::Free,
                There::Is(a) if matches!(library.exprs.get(a.0 as usize), Some(Expr::Const(_))) => {
                    There::Is(a)
                }
                There::Is(a) => match self.there(library, about, *b, shift) {
                    There::Is(b) => There::Is(intern(library, Expr::Coalesce(a, b))),
                    _ => There::Free,
                },
            },
            Expr::Read { register, earlier } => {
                if !earlier && self.can_be_member(library, *register, &self.tool) {
                    return There::Free;
                }
                // The refused call is no member.
                There::Is(intern(
                    library,
                    Expr::Read {
                        register: *register,
                        earlier: true,
                    },
                ))
            }
            Expr::Pattern(_) => There::Free,
            Expr::Mentioned {
                register, earlier, ..
            } if !earlier && self.can_be_member(library, *register, &self.tool) => There::Free,
            _ => {
                let mut children = Vec::new();
                for child in node.children() {
                    match self.there(library, about, child, shift) {
                        There::Is(child) => children.push(child),
                        // Of an empty list all is defined.
                        _ if matches!(node, Expr::Every(..) | Expr::Some(..)) => {
                            return There::Free;
                        }
                        other => return other,
                    }
                }
                let mut new = node.clone();
                if let Expr::Mentioned { earlier, .. } = &mut new {
                    *earlier = true;
                }
                walk::set_children(&mut new, &children);
                There::Is(intern(library, new))
            }
        }
    }

    /// A field of the arguments.
    fn field(&self, library: &mut Library, steps: &[Step], coerce: Coerce, shift: u32) -> There {
        let Some((Step::Field(name), rest)) = steps.split_first() else {
            return There::Free;
        };
        let Some((_, given)) = self.args.iter().find(|(other, _)| other == name) else {
            return There::Missing;
        };
        let Some(node) = library.exprs.get(given.0 as usize).cloned() else {
            return There::Free;
        };
        match node {
            Expr::Path {
                base,
                steps: first,
                coerce: before,
            } if matches!(
                library.exprs.get(base.0 as usize),
                Some(Expr::Root(root)) if !matches!(root, Root::Key(_) | Root::Var(_))
            ) =>
            {
                let mut steps = first;
                steps.extend(rest.iter().cloned());
                let coerce = if coerce == Coerce::None && rest.is_empty() {
                    before
                } else {
                    coerce
                };
                There::Is(intern(
                    library,
                    Expr::Path {
                        base,
                        steps,
                        coerce,
                    },
                ))
            }
            Expr::Const(value) if rest.is_empty() => match (coerce, &value) {
                (Coerce::None, _)
                | (Coerce::Number, Const::Number(_))
                | (Coerce::Timestamp, Const::Timestamp(_))
                | (Coerce::Duration, Const::Duration(_)) => There::Is(*given),
                _ => There::Free,
            },
            Expr::Root(Root::Key(n)) if rest.is_empty() => {
                There::Is(intern(library, Expr::Root(Root::Key(n + shift))))
            }
            _ if rest.is_empty() => {
                let mut reads = walk::Reads::default();
                walk::reads(library, *given, &mut reads);
                if reads.keys {
                    There::Free
                } else {
                    There::Is(*given)
                }
            }
            _ => There::Free,
        }
    }

    /// Whether a call of a tool can be a member of an aggregate.
    fn can_be_member(&self, library: &Library, register: RegisterId, tool: &ToolName) -> bool {
        let Some(register) = library.registers.get(register.0 as usize) else {
            return true;
        };
        let mut reads = walk::Reads::default();
        walk::reads(library, register.member, &mut reads);
        let by_pattern = reads
            .patterns
            .iter()
            .filter_map(|id| library.patterns.get(id.0 as usize))
            .any(|pattern| fits(library, pattern, CALL, std::slice::from_ref(tool)));
        // `not P` has other members too.
        by_pattern
            || !is_positive(library, register.member)
            || register.kind == RegisterKind::Streak
    }

    /// The value of a condition of a contract at the redirected call.
    pub(crate) fn rail(
        &mut self,
        problem: &mut Problem<'_>,
        texts: &mut Texts,
        about: usize,
        expr: ExprId,
        scope: &Scope,
    ) -> Rail {
        let library = problem.library;
        match library.exprs.get(expr.0 as usize) {
            Some(Expr::Const(Const::Bool(_))) => problem.condition(expr, scope),
            Some(Expr::Not(a)) => self.rail(problem, texts, about, *a, scope).turned(),
            Some(Expr::And(parts)) => {
                let parts: Vec<Rail> = parts
                    .iter()
                    .map(|part| self.rail(problem, texts, about, *part, scope))
                    .collect();
                problem.all_of(&parts)
            }
            Some(Expr::Or(parts)) => {
                let parts: Vec<Rail> = parts
                    .iter()
                    .map(|part| self.rail(problem, texts, about, *part, scope).turned())
                    .collect();
                problem.all_of(&parts).turned()
            }
            Some(Expr::Pattern(id)) => self.pattern(problem, texts, about, *id, scope),
            Some(Expr::Compare(op, a, b)) => self
                .counted(problem, texts, about, (*op, *a, *b), scope)
                .unwrap_or_else(|| self.condition(problem, texts, about, expr, scope)),
            _ => self.condition(problem, texts, about, expr, scope),
        }
    }

    fn condition(
        &mut self,
        problem: &mut Problem<'_>,
        texts: &mut Texts,
        about: usize,
        expr: ExprId,
        scope: &Scope,
    ) -> Rail {
        match self.there.get(&(about, expr)).copied() {
            Some(There::Is(there)) => match constant(problem.library, texts, there) {
                Some(known) => known_rail(problem, Some(known)),
                None => problem.condition(there, scope),
            },
            Some(There::Missing) => known_rail(problem, None),
            Some(There::Free) | None => self.free(problem),
        }
    }

    /// A value of which nothing is known.
    fn free(&mut self, problem: &mut Problem<'_>) -> Rail {
        self.free += 1;
        let atom = problem.arena.atom(FIRST_BIT * 2 + self.free);
        problem.exact(atom)
    }

    /// `count(P) op n` where the redirected call may be one of those that are counted.
    fn counted(
        &mut self,
        problem: &mut Problem<'_>,
        texts: &mut Texts,
        about: usize,
        (op, a, b): (CompareOp, ExprId, ExprId),
        scope: &Scope,
    ) -> Option<Rail> {
        let library = problem.library;
        let Expr::Read { register, earlier } = library.exprs.get(a.0 as usize)? else {
            return None;
        };
        let Expr::Const(Const::Number(text)) = library.exprs.get(b.0 as usize)? else {
            return None;
        };
        let entry = library.registers.get(register.0 as usize)?;
        let n: i64 = text.parse().ok().filter(|n| (0..=12).contains(n))?;
        if entry.kind != RegisterKind::Count || entry.window.is_some() {
            return None;
        }
        let member = if *earlier {
            problem.arena.ff()
        } else if self.can_be_member(library, *register, &self.tool) {
            let rail = self.rail(problem, texts, about, entry.member, scope);
            // What is undefined leaves the number open.
            let defined = problem.arena.or(&[rail.t, rail.f]);
            let free = self.free(problem).t;
            let undefined = problem.arena.not(defined);
            let perhaps = problem.arena.and(&[undefined, free]);
            problem.arena.or(&[rail.t, perhaps])
        } else {
            problem.arena.ff()
        };
        let at_least = |problem: &mut Problem<'_>, n: i64| {
            if n <= 0 {
                return problem.arena.tt();
            }
            let before = problem.at_least(*register, n, scope);
            let before = problem.arena.previously(before);
            let one_less = if n == 1 {
                problem.arena.tt()
            } else {
                let before = problem.at_least(*register, n - 1, scope);
                problem.arena.previously(before)
            };
            let with = problem.arena.and(&[member, one_less]);
            problem.arena.or(&[before, with])
        };
        let (low, high) = (at_least(problem, n), at_least(problem, n + 1));
        let arena = &mut problem.arena;
        let t = match op {
            CompareOp::Ge => low,
            CompareOp::Gt => high,
            CompareOp::Lt => arena.not(low),
            CompareOp::Le => arena.not(high),
            CompareOp::Eq | CompareOp::Ne => {
                let not_more = arena.not(high);
                let equal = arena.and(&[low, not_more]);
                if op == CompareOp::Eq {
                    equal
                } else {
                    arena.not(equal)
                }
            }
        };
        Some(problem.exact(t))
    }

    fn pattern(
        &mut self,
        problem: &mut Problem<'_>,
        texts: &mut Texts,
        about: usize,
        id: PatternId,
        scope: &Scope,
    ) -> Rail {
        let library = problem.library;
        let Some(pattern) = library.patterns.get(id.0 as usize) else {
            return known_rail(problem, None);
        };
        if !fits(library, pattern, CALL, std::slice::from_ref(&self.tool)) {
            return known_rail(problem, Some(false));
        }
        let mut parts = self.bound(problem, about, pattern, scope);
        if let Some(condition) = pattern.condition {
            parts.push(self.rail(problem, texts, about, condition, scope));
        }
        problem.all_of(&parts)
    }

    /// That the redirected call binds the keys of a pattern, one by one.
    fn bound(
        &mut self,
        problem: &mut Problem<'_>,
        about: usize,
        pattern: &Pattern,
        scope: &Scope,
    ) -> Vec<Rail> {
        let library = problem.library;
        let mut out = Vec::new();
        for (n, path) in pattern.keys.iter().enumerate() {
            let there = self.there.get(&(about, *path)).copied();
            out.push(match there {
                Some(There::Is(there)) => {
                    let key = scope.keys.get(n).copied().unwrap_or_default();
                    match library.exprs.get(there.0 as usize) {
                        Some(Expr::Path { .. }) => {
                            let bound = problem.leaf(Leaf::Key(there, key), &scope.groups);
                            problem.exact(bound)
                        }
                        Some(Expr::Root(Root::Key(other)))
                            if scope.keys.get(*other as usize) == Some(&key) =>
                        {
                            known_rail(problem, Some(true))
                        }
                        _ => match self.keys.get(&(about, *path, n)) {
                            Some(same) => {
                                let leaf = Leaf::Condition(*same, scope.keys.clone());
                                let bound = problem.leaf(leaf, &scope.groups);
                                problem.exact(bound)
                            }
                            None => self.free(problem),
                        },
                    }
                }
                Some(There::Missing) => known_rail(problem, None),
                Some(There::Free) | None => self.free(problem),
            });
        }
        out
    }

    /// That the redirected call can be a step of a contract, and that it surely is one.
    pub(crate) fn step(
        &mut self,
        problem: &mut Problem<'_>,
        about: usize,
        scope: &Scope,
    ) -> (Formula, Formula) {
        let library = problem.library;
        let (tt, ff) = (problem.arena.tt(), problem.arena.ff());
        let Some(contract) = library.contracts.get(about) else {
            return (ff, ff);
        };
        if !watches(contract, CALL) {
            return (ff, ff);
        }
        let (mut can, mut does) = if contract.keys.is_empty() {
            (tt, tt)
        } else {
            let (mut can, mut does) = (Vec::new(), Vec::new());
            for id in &contract.patterns {
                let Some(pattern) = library.patterns.get(id.0 as usize) else {
                    continue;
                };
                if !fits(library, pattern, CALL, std::slice::from_ref(&self.tool)) {
                    continue;
                }
                let parts = self.bound(problem, about, pattern, scope);
                let all = problem.all_of(&parts);
                can.push(problem.arena.not(all.f));
                does.push(all.t);
            }
            (problem.arena.or(&can), problem.arena.or(&does))
        };
        if !contract.agents.is_empty() {
            let mine = problem.leaf(Leaf::Agents(contract.agents.clone()), &scope.groups);
            can = problem.arena.and(&[can, mine]);
            does = problem.arena.and(&[does, mine]);
        }
        (can, does)
    }

    /// The keys of the instance of a contract that the redirected call concerns: those of the contract that asks for
    /// it where they are surely the same, else new ones from `fresh` on. Whether the call binds them.
    pub(crate) fn keys_of(
        &self,
        problem: &Problem<'_>,
        about: usize,
        fresh: &mut u32,
    ) -> (Vec<u32>, bool) {
        let library = problem.library;
        let theirs: Vec<u32> = problem.keys.get(about).cloned().unwrap_or_default();
        let own: Vec<u32> = problem.keys.get(self.contract).cloned().unwrap_or_default();
        let Some(pattern) = self.keyed(library, about) else {
            return (theirs, false);
        };
        let shift = theirs.len();
        // The fields by which the contract binds its keys at calls.
        let bound_by = |path: ExprId| {
            let contract = library.contracts.get(self.contract)?;
            let mut calls = contract
                .patterns
                .iter()
                .filter_map(|id| library.patterns.get(id.0 as usize))
                .filter(|pattern| pattern.kind == EventKind::Call && !pattern.keys.is_empty());
            let at = calls.next()?.keys.iter().position(|key| *key == path)?;
            calls
                .all(|pattern| pattern.keys.get(at) == Some(&path))
                .then_some(at)
        };
        let keys = pattern
            .keys
            .iter()
            .map(|path| {
                let same = match self.there.get(&(about, *path)) {
                    Some(There::Is(there)) => match library.exprs.get(there.0 as usize) {
                        Some(Expr::Root(Root::Key(n))) => (*n as usize).checked_sub(shift),
                        _ => bound_by(*there),
                    },
                    _ => None,
                };
                same.and_then(|n| own.get(n).copied()).unwrap_or_else(|| {
                    *fresh += 1;
                    *fresh
                })
            })
            .collect();
        (keys, true)
    }

    /// The pattern of a contract that the redirected call can fit and that binds its keys.
    fn keyed<'l>(&self, library: &'l Library, about: usize) -> Option<&'l Pattern> {
        let contract = library.contracts.get(about)?;
        contract
            .patterns
            .iter()
            .filter_map(|id| library.patterns.get(id.0 as usize))
            .find(|pattern| {
                !pattern.keys.is_empty()
                    && fits(library, pattern, CALL, std::slice::from_ref(&self.tool))
            })
    }

    /// That the redirected call binds the keys of a contract.
    pub(crate) fn binds(
        &mut self,
        problem: &mut Problem<'_>,
        about: usize,
        scope: &Scope,
    ) -> Vec<Formula> {
        let Some(pattern) = self.keyed(problem.library, about) else {
            return Vec::new();
        };
        self.bound(problem, about, pattern, scope)
            .into_iter()
            .map(|rail| problem.arena.not(rail.f))
            .collect()
    }
}

/// A condition with a known value; `None`: undefined.
fn known_rail(problem: &mut Problem<'_>, value: Option<bool>) -> Rail {
    let (tt, ff) = (problem.arena.tt(), problem.arena.ff());
    match value {
        Some(true) => Rail { t: tt, f: ff },
        Some(false) => Rail { t: ff, f: tt },
        None => Rail { t: ff, f: ff },
    }
}

/// Whether an expression is made of patterns without negation.
fn is_positive(library: &Library, expr: ExprId) -> bool {
    match library.exprs.get(expr.0 as usize) {
        Some(Expr::Pattern(_)) => true,
        Some(Expr::And(parts) | Expr::Or(parts)) => {
            parts.iter().all(|part| is_positive(library, *part))
        }
        _ => false,
    }
}

fn intern(library: &mut Library, expr: Expr) -> ExprId {
    let found = library.exprs.iter().position(|other| *other == expr);
    let at = found.unwrap_or_else(|| {
        library.exprs.push(expr);
        library.exprs.len() - 1
    });
    ExprId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The value of a condition on constants, where it is one.
fn constant(library: &Library, texts: &mut Texts, expr: ExprId) -> Option<bool> {
    let value = |id: ExprId| match library.exprs.get(id.0 as usize) {
        Some(Expr::Const(value)) => Some(value),
        _ => None,
    };
    let mut in_language = |text: ExprId| {
        let Some(Const::Str(text)) = value(text) else {
            return None;
        };
        // The condition as it would be on a field.
        let (_, language, positive) = crate::texts::of_constant(library, expr)?;
        let is = Language::Equal(regex_syntax::escape(text));
        match texts.find(&[(is, true), (language, positive)]) {
            Text::Some(_) => Some(true),
            Text::None => Some(false),
            Text::TooLarge => None,
        }
    };
    match library.exprs.get(expr.0 as usize)? {
        Expr::Const(Const::Bool(value)) => Some(*value),
        Expr::Compare(op, a, b) => {
            let (a, b) = (value(*a)?, value(*b)?);
            let order = match (a, b) {
                (Const::Number(a), Const::Number(b)) => {
                    let parse = ctr_runtime::decimal::Decimal::parse;
                    Some(parse(a)?.cmp(&parse(b)?))
                }
                (Const::Str(a), Const::Str(b)) => Some(a.cmp(b)),
                (Const::Bool(a), Const::Bool(b)) if a == b => Some(std::cmp::Ordering::Equal),
                (Const::Null, Const::Null) => Some(std::cmp::Ordering::Equal),
                (Const::Duration(a), Const::Duration(b))
                | (Const::Timestamp(a), Const::Timestamp(b)) => Some(a.cmp(b)),
                _ => None,
            };
            match (op, order) {
                (CompareOp::Eq, order) => Some(order.is_some_and(std::cmp::Ordering::is_eq)),
                (CompareOp::Ne, order) => Some(!order.is_some_and(std::cmp::Ordering::is_eq)),
                (CompareOp::Lt, Some(order)) => Some(order.is_lt()),
                (CompareOp::Le, Some(order)) => Some(order.is_le()),
                (CompareOp::Gt, Some(order)) => Some(order.is_gt()),
                (CompareOp::Ge, Some(order)) => Some(order.is_ge()),
                (_, None) => None,
            }
        }
        Expr::In(a, list) => {
            let Some(Expr::List(items)) = library.exprs.get(list.0 as usize) else {
                return None;
            };
            let a = value(*a)?;
            let items: Option<Vec<&Const>> = items.iter().map(|item| value(*item)).collect();
            // Numbers may be written in several ways.
            if matches!(a, Const::Number(_)) {
                let parse = ctr_runtime::decimal::Decimal::parse;
                let Const::Number(a) = a else { return None };
                let a = parse(a)?;
                return Some(
                    items?
                        .iter()
                        .any(|item| matches!(item, Const::Number(text) if parse(text) == Some(a))),
                );
            }
            Some(items?.contains(&a))
        }
        Expr::Matches(a, _)
        | Expr::Like(a, _)
        | Expr::StartsWith(a, _)
        | Expr::EndsWith(a, _)
        | Expr::Contains(a, _) => in_language(*a),
        _ => None,
    }
}
