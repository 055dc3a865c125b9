//! What is there: fields, defaults, members of windows.

use ctr_front::ir::{Expr, ExprId, RegisterKind, Root};
use z3::ast::Bool;

use super::encode::{DEFINED, Encoder, Home, Val};
use crate::walk;

impl Encoder<'_> {
    /// In a wider window there are at least as many.
    pub(super) fn wider_windows(&mut self, expr: ExprId, at: usize, keys: &[u32], count: &Val) {
        let library = self.library();
        let read = |expr: ExprId| match library.exprs.get(expr.0 as usize)? {
            Expr::Read { register, earlier } => {
                Some((library.registers.get(register.0 as usize)?, *earlier))
            }
            _ => None,
        };
        let Some((own, earlier)) = read(expr) else {
            return;
        };
        let wide = |window: Option<i64>| window.unwrap_or(i64::MAX);
        let mut facts = Vec::new();
        for ((home, ..), other) in &self.variables {
            let Home::Opaque(theirs, when, whose) = home else {
                continue;
            };
            let Some((register, before)) = read(*theirs).filter(|_| *theirs != expr) else {
                continue;
            };
            if *when == at
                && whose == keys
                && before == earlier
                && (register.kind, register.member, register.keys)
                    == (RegisterKind::Count, own.member, own.keys)
                && own.kind == RegisterKind::Count
            {
                facts.push(if wide(register.window) >= wide(own.window) {
                    other.number.ge(&count.number)
                } else {
                    other.number.le(&count.number)
                });
            }
        }
        self.facts.extend(facts);
    }

    /// Whether a field, or a fact of the event, is there; `None` for what is neither.
    pub(super) fn defined(&mut self, expr: ExprId, at: usize) -> Option<Bool> {
        let (root, path) = match self.node(expr)? {
            Expr::Root(root) => (*root, Vec::new()),
            Expr::Path { base, steps, .. } => {
                let Expr::Root(root) = self.node(*base)? else {
                    return None;
                };
                let path: Option<Vec<String>> = walk::fields(steps);
                (*root, path?)
            }
            _ => return None,
        };
        let owner = self.path.steps.get(at).map_or(at, |step| step.owner);
        let home = match root {
            Root::Args if !path.is_empty() => Home::Args(owner),
            Root::Result if !path.is_empty() => Home::Result(at),
            Root::Fields if !path.is_empty() => Home::Fields(at),
            Root::Context if !path.is_empty() => Home::Context(at),
            Root::Agent => Home::Agent(at),
            Root::Server => Home::Server(at),
            Root::Turn => Home::Turn(at),
            Root::Depth => Home::Depth(at),
            Root::Tokens => Home::Tokens(at),
            _ => return None,
        };
        let step = self.path.steps.get(at)?;
        let (Root::Args, [name]) = (root, path.as_slice()) else {
            return Some(self.variable(home, path, DEFINED).flag);
        };
        // Calls have the arguments that are required.
        if self.problem.requires(step.group, name) {
            return Some(Bool::from_bool(true));
        }
        Some(self.variable(home, path, DEFINED).flag)
    }

    /// `a ?? b`
    pub(super) fn coalesce(
        &mut self,
        a: ExprId,
        b: ExprId,
        at: usize,
        keys: &[u32],
    ) -> Option<Val> {
        if let Expr::Read { register, earlier } = self.node(a)? {
            if !self.unrolled {
                return None;
            }
            let kind = self.register(*register)?.kind;
            let some = self.members(*register, *earlier, at, keys)?;
            return match kind {
                RegisterKind::Latest | RegisterKind::First if some.is_empty() => {
                    self.value(b, at, keys)
                }
                RegisterKind::Latest | RegisterKind::First => self.value(a, at, keys),
                _ => None,
            };
        }
        let there = self.defined(a, at)?;
        let (x, y) = (self.value(a, at, keys)?, self.value(b, at, keys)?);
        Some(Val {
            kind: there.ite(&x.kind, &y.kind),
            number: there.ite(&x.number, &y.number),
            text: there.ite(&x.text, &y.text),
            code: there.ite(&x.code, &y.code),
            flag: there.ite(&x.flag, &y.flag),
            id: there.ite(&x.id, &y.id),
        })
    }
}
