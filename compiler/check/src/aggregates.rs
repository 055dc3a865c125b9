//! Aggregates as past formulas, as far as these can say them.
//!
//! A comparison of an aggregate with a constant is often a regular property of the past: `count(P) >= 2` is
//! `once (P and previously once P)`. What no formula says (sums, windows, times, sets) stays a leaf
//! that may have any value, with what surely follows from it: nothing is a member before the first member.

use ctr_front::ir::{CompareOp, Const, Expr, ExprId, Register, RegisterId, RegisterKind};
use ctr_logic::Formula;

use crate::problem::{Leaf, Problem, Rail, Scope, number_of};
use crate::universe::Class;
use crate::walk;

/// The largest number that counts are compared with as formulas.
const COUNTED: i64 = 12;

impl Problem<'_> {
    fn register(&self, id: RegisterId) -> Option<&Register> {
        self.library.registers.get(id.0 as usize)
    }

    /// That this event is a member.
    pub(crate) fn member(&mut self, id: RegisterId, keys: &[u32]) -> Formula {
        let Some(member) = self.register(id).map(|register| register.member) else {
            return self.arena.ff();
        };
        let scope = Scope {
            keys: keys.to_vec(),
            groups: self.all_groups(),
            complete: true,
        };
        self.condition(member, &scope).t
    }

    /// That there has been a member, this event counted in unless `earlier`.
    fn has_member(&mut self, id: RegisterId, earlier: bool, scope: &Scope) -> Formula {
        let member = self.member(id, &scope.keys);
        let once = self.arena.once(member);
        self.up_to(once, earlier)
    }

    fn up_to(&mut self, f: Formula, earlier: bool) -> Formula {
        if earlier { self.arena.previously(f) } else { f }
    }

    /// What must have happened for an expression to be defined.
    pub(crate) fn needed(&mut self, expr: ExprId, scope: &Scope, into: &mut Vec<Formula>) {
        let library = self.library;
        let Some(node) = library.exprs.get(expr.0 as usize) else {
            return;
        };
        match node {
            // Defined whatever is inside.
            Expr::Has(_)
            | Expr::Coalesce(..)
            | Expr::Pattern(_)
            | Expr::Every(..)
            | Expr::Some(..) => {}
            Expr::And(_) | Expr::Or(_) => {}
            Expr::Read { register, earlier } => {
                let kind = self.register(*register).map(|r| r.kind);
                if matches!(
                    kind,
                    Some(
                        RegisterKind::Latest
                            | RegisterKind::First
                            | RegisterKind::Min
                            | RegisterKind::Max
                            | RegisterKind::Elapsed
                    )
                ) {
                    let some = self.has_member(*register, *earlier, scope);
                    into.push(some);
                }
            }
            other => {
                for child in other.children() {
                    self.needed(child, scope, into);
                }
            }
        }
    }

    /// A condition that is false unless the aggregate has a member.
    pub(crate) fn needs_member(
        &mut self,
        expr: ExprId,
        register: RegisterId,
        earlier: bool,
        scope: &Scope,
    ) -> Rail {
        let Rail { t, f } = self.plain(expr, scope);
        let some = self.has_member(register, earlier, scope);
        let none = self.arena.not(some);
        Rail {
            t: self.arena.and(&[t, some]),
            f: self.arena.or(&[f, none]),
        }
    }

    /// A comparison.
    pub(crate) fn compare(
        &mut self,
        expr: ExprId,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
        scope: &Scope,
    ) -> Rail {
        let library = self.library;
        let side = |id: ExprId| library.exprs.get(id.0 as usize);
        let found = match (side(a), side(b)) {
            (Some(Expr::Read { register, earlier }), Some(Expr::Const(value))) => {
                Some((*register, *earlier, op, value, b))
            }
            (Some(Expr::Const(value)), Some(Expr::Read { register, earlier })) => {
                Some((*register, *earlier, mirrored(op), value, a))
            }
            _ => None,
        };
        let Some((register, earlier, op, value, constant)) = found else {
            return self.plain(expr, scope);
        };
        let Some(entry) = self.register(register).cloned() else {
            return self.plain(expr, scope);
        };
        match (entry.kind, entry.window, entry.value) {
            (RegisterKind::Count, window, _) => {
                let Some(n) = small(value) else {
                    return self.plain(expr, scope);
                };
                match window {
                    None => {
                        let t = self
                            .counted(op, n, earlier, |this, n| this.at_least(register, n, scope));
                        self.exact(t)
                    }
                    Some(_) => self.in_window(expr, op, n, register, earlier, scope),
                }
            }
            (RegisterKind::Streak, None, _) if entry.keys == 0 => {
                let Some(n) = small(value) else {
                    return self.plain(expr, scope);
                };
                let t = self.counted(op, n, earlier, |this, n| this.run_of(register, n, scope));
                self.exact(t)
            }
            (RegisterKind::Latest | RegisterKind::First, None, Some(read)) => {
                let member = self.member(register, &scope.keys);
                let holds = self.of_member(op, read, constant, scope);
                let here = self.arena.and(&[member, holds]);
                let t = if entry.kind == RegisterKind::Latest {
                    let none_since = self.arena.not(member);
                    self.arena.since(none_since, here)
                } else {
                    let before = self.arena.once(member);
                    let before = self.arena.previously(before);
                    let first = self.arena.not(before);
                    let here = self.arena.and(&[here, first]);
                    self.arena.once(here)
                };
                let t = self.up_to(t, earlier);
                let some = self.has_member(register, earlier, scope);
                self.defined_if(t, some, scope)
            }
            (RegisterKind::Min | RegisterKind::Max, None, Some(read))
                if !matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                // The extreme meets a bound on its own side where some member does, one on the other side where all do.
                let grows = matches!(op, CompareOp::Gt | CompareOp::Ge);
                let some_does = (entry.kind == RegisterKind::Max) == grows;
                let member = self.member(register, &scope.keys);
                let holds = self.of_member(op, read, constant, scope);
                let t = if some_does {
                    let here = self.arena.and(&[member, holds]);
                    self.arena.once(here)
                } else {
                    let fine = self.arena.implies(member, holds);
                    self.arena.historically(fine)
                };
                // Of nothing, all holds.
                let t = if earlier && !some_does {
                    self.arena.weak_previously(t)
                } else {
                    self.up_to(t, earlier)
                };
                let some = self.has_member(register, earlier, scope);
                self.defined_if(t, some, scope)
            }
            _ => self.plain(expr, scope),
        }
    }

    /// A comparison of a member's value with a constant, at the member.
    fn of_member(
        &mut self,
        op: CompareOp,
        read: ExprId,
        constant: ExprId,
        scope: &Scope,
    ) -> Formula {
        let mut reads = walk::Reads::default();
        walk::reads(self.library, read, &mut reads);
        let keys = if reads.keys {
            scope.keys.clone()
        } else {
            Vec::new()
        };
        let groups = self.all_groups();
        self.leaf(Leaf::Compare(number_of(op), read, constant, keys), &groups)
    }

    /// `value op n`, from `value >= n`.
    fn counted(
        &mut self,
        op: CompareOp,
        n: i64,
        earlier: bool,
        mut at_least: impl FnMut(&mut Self, i64) -> Formula,
    ) -> Formula {
        let mut ge = |this: &mut Self, n: i64| {
            if n <= 0 {
                return this.arena.tt();
            }
            let f = at_least(this, n);
            this.up_to(f, earlier)
        };
        match op {
            CompareOp::Ge => ge(self, n),
            CompareOp::Gt => ge(self, n + 1),
            CompareOp::Lt => {
                let f = ge(self, n);
                self.arena.not(f)
            }
            CompareOp::Le => {
                let f = ge(self, n + 1);
                self.arena.not(f)
            }
            CompareOp::Eq | CompareOp::Ne => {
                let (low, high) = (ge(self, n), ge(self, n + 1));
                let not_more = self.arena.not(high);
                let equal = self.arena.and(&[low, not_more]);
                if op == CompareOp::Eq {
                    equal
                } else {
                    self.arena.not(equal)
                }
            }
        }
    }

    /// At least `n` members.
    pub(crate) fn at_least(&mut self, register: RegisterId, n: i64, scope: &Scope) -> Formula {
        let member = self.member(register, &scope.keys);
        self.times(member, n)
    }

    /// `f` at `n` steps up to here, at least.
    pub(crate) fn times(&mut self, f: Formula, n: i64) -> Formula {
        let mut times = self.arena.once(f);
        for _ in 1..n {
            let before = self.arena.previously(times);
            let here = self.arena.and(&[f, before]);
            times = self.arena.once(here);
        }
        times
    }

    /// The last `n` events of the kinds of the members were members.
    fn run_of(&mut self, register: RegisterId, n: i64, scope: &Scope) -> Formula {
        let member = self.member(register, &scope.keys);
        let mut read = walk::Reads::default();
        if let Some(entry) = self.register(register) {
            walk::reads(self.library, entry.member, &mut read);
        }
        let kinds: Vec<_> = read
            .patterns
            .iter()
            .filter_map(|id| self.library.patterns.get(id.0 as usize))
            .map(|pattern| pattern.kind)
            .collect();
        let same_kind = |class: Class| {
            use ctr_front::ir::EventKind as K;
            kinds.iter().any(|kind| match (kind, class) {
                (K::Call, Class::Call(_))
                | (K::Return(_), Class::Return(..))
                | (K::Input, Class::Input)
                | (K::Output, Class::Output) => true,
                (K::Declared(a), Class::Declared(b)) => *a == b,
                _ => false,
            })
        };
        let groups = self.universe.where_class(same_kind);
        let counts = self.universe.formula(&mut self.arena, &groups);
        let passes = self.arena.not(counts);
        let here = self.arena.and(&[counts, member]);
        let mut run = self.arena.since(passes, here);
        for _ in 1..n {
            let before = self.arena.previously(run);
            let here = self.arena.and(&[counts, member, before]);
            run = self.arena.since(passes, here);
        }
        run
    }

    /// `count(P within d) op n`: at most as many as without the window.
    fn in_window(
        &mut self,
        expr: ExprId,
        op: CompareOp,
        n: i64,
        register: RegisterId,
        earlier: bool,
        scope: &Scope,
    ) -> Rail {
        let Rail { t: free, .. } = self.plain(
            expr,
            &Scope {
                complete: true,
                ..scope.clone()
            },
        );
        let mut ge = |n: i64| {
            if n <= 0 {
                return self.arena.tt();
            }
            let f = self.at_least(register, n, scope);
            self.up_to(f, earlier)
        };
        let t = match op {
            CompareOp::Ge => {
                let bound = ge(n);
                self.arena.and(&[free, bound])
            }
            CompareOp::Gt => {
                let bound = ge(n + 1);
                self.arena.and(&[free, bound])
            }
            CompareOp::Lt => {
                let bound = ge(n);
                let fewer = self.arena.not(bound);
                self.arena.or(&[free, fewer])
            }
            CompareOp::Le => {
                let bound = ge(n + 1);
                let fewer = self.arena.not(bound);
                self.arena.or(&[free, fewer])
            }
            CompareOp::Eq | CompareOp::Ne => free,
        };
        self.exact(t)
    }
}

/// The operator with its sides changed.
fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Eq,
        CompareOp::Ne => CompareOp::Ne,
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
    }
}

/// A small whole number.
fn small(value: &Const) -> Option<i64> {
    match value {
        Const::Number(text) => text.parse().ok().filter(|n| (0..=COUNTED).contains(n)),
        _ => None,
    }
}
