//! Aggregates along a session whose members are known: a sum is the sum of the members' values.

use ctr_front::ir::{Coerce, Expr, ExprId, Register, RegisterId, RegisterKind, Step as PathStep};
use z3::ast::{Bool, Real};

use super::encode::{DURATION, Encoder, Home, NUMBER, OTHER, Val, real};
use crate::theory::ELEMENT;

impl<'e> Encoder<'e> {
    pub(super) fn register(&self, id: RegisterId) -> Option<&'e Register> {
        self.library().registers.get(id.0 as usize)
    }

    /// The steps of the members up to here.
    pub(super) fn members(
        &self,
        id: RegisterId,
        earlier: bool,
        at: usize,
        keys: &[u32],
    ) -> Option<Vec<usize>> {
        let keys = if self.register(id)?.keys == 0 {
            Vec::new()
        } else {
            keys.to_vec()
        };
        let end = if earlier { at } else { at + 1 };
        let members = self.path.members.get(&(id, keys))?;
        Some(
            members
                .iter()
                .take(end)
                .enumerate()
                .filter(|(_, is)| **is)
                .map(|(step, _)| step)
                .collect(),
        )
    }

    pub(super) fn times(
        &mut self,
        id: RegisterId,
        earlier: bool,
        at: usize,
        keys: &[u32],
    ) -> Option<Vec<Real>> {
        let members = self.members(id, earlier, at, keys)?;
        Some(
            members
                .into_iter()
                .map(|step| self.variable(Home::Time(step), Vec::new(), 0).number)
                .collect(),
        )
    }

    /// The value of an aggregate at a step.
    pub(super) fn aggregate(
        &mut self,
        id: RegisterId,
        earlier: bool,
        at: usize,
        keys: &[u32],
    ) -> Option<Val> {
        let register = self.register(id)?;
        let members = self.members(id, earlier, at, keys)?;
        let now = self.variable(Home::Time(at), Vec::new(), 0).number;
        let inside = |this: &mut Self, step: usize| -> Option<Bool> {
            let Some(window) = register.window else {
                return Some(Bool::from_bool(true));
            };
            let then = this.variable(Home::Time(step), Vec::new(), 0).number;
            Some(now.le(Real::add(&[then, real(window)?])))
        };
        match register.kind {
            RegisterKind::Count | RegisterKind::Sum => {
                let zero = real(0)?;
                let mut total = zero.clone();
                for step in members {
                    let add = match (register.kind, register.value) {
                        (RegisterKind::Sum, Some(read)) => {
                            let value = self.value(read, step, keys)?;
                            self.wishes.push(value.kind.eq(NUMBER));
                            value.number
                        }
                        _ => real(1)?,
                    };
                    let counts = inside(self, step)?;
                    total = Real::add(&[total, counts.ite(&add, &zero)]);
                }
                self.numeric(total, NUMBER)
            }
            RegisterKind::Latest | RegisterKind::First if register.window.is_none() => {
                let step = if register.kind == RegisterKind::Latest {
                    members.last()
                } else {
                    members.first()
                };
                self.value(register.value?, *step?, keys)
            }
            RegisterKind::Min | RegisterKind::Max if register.window.is_none() => {
                let mut best: Option<Real> = None;
                for step in members {
                    let value = self.value(register.value?, step, keys)?;
                    self.wishes.push(value.kind.eq(NUMBER));
                    best = Some(match best {
                        None => value.number,
                        Some(old) => {
                            let better = if register.kind == RegisterKind::Min {
                                value.number.lt(&old)
                            } else {
                                value.number.gt(&old)
                            };
                            better.ite(&value.number, &old)
                        }
                    });
                }
                self.numeric(best?, NUMBER)
            }
            RegisterKind::Elapsed => {
                let then = self
                    .variable(Home::Time(*members.last()?), Vec::new(), 0)
                    .number;
                self.numeric(Real::sub(&[now, then]), DURATION)
            }
            _ => None,
        }
    }

    /// An element of the lists that a projection goes through.
    pub(super) fn element(&mut self, expr: ExprId, at: usize) -> Option<Val> {
        let Expr::Path {
            base,
            steps,
            coerce,
        } = self.node(expr)?
        else {
            return None;
        };
        let Expr::Root(root) = self.node(*base)? else {
            return None;
        };
        if !steps.contains(&PathStep::All) || *coerce != Coerce::None {
            return None;
        }
        let path: Option<Vec<String>> = steps
            .iter()
            .map(|step| match step {
                PathStep::Field(name) => Some(name.clone()),
                PathStep::All => Some(ELEMENT.to_owned()),
                PathStep::Index(_) => None,
            })
            .collect();
        self.root(*root, expr, path?, 0, at, &[])
    }

    /// Whether a value is among those of the members. Lists are spread, so that of a list nothing is said.
    pub(super) fn in_values(
        &mut self,
        value: &Val,
        id: RegisterId,
        earlier: bool,
        at: usize,
        keys: &[u32],
    ) -> Option<Bool> {
        let register = self.register(id)?;
        if register.kind != RegisterKind::Values || register.window.is_some() {
            return None;
        }
        let mut any = Vec::new();
        for step in self.members(id, earlier, at, keys)? {
            let read = register.value?;
            // A list may hold anything besides.
            let list = self.opaque(read, step, &[u32::try_from(at).ok()?]).flag;
            self.wishes.push(list.not());
            match self.element(read, step) {
                Some(member) => {
                    any.push(self.equal(value, &member));
                    any.push(list);
                }
                None => {
                    let member = self.value(read, step, keys)?;
                    any.push(self.equal(value, &member));
                    any.push(Bool::and(&[member.kind.eq(OTHER), list]));
                    self.wishes.push(member.kind.ne(OTHER));
                }
            }
        }
        Some(Bool::or(&any))
    }
}
