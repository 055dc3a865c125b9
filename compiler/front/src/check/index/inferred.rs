//! The types that are seen at once of keys and `let`s. The check itself knows better, but needs a file without
//! errors; where nothing is seen nothing is told.

use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};

use super::super::Checker;
use super::super::names::Callee;
use super::super::typing;
use super::{Builder, Fields, Scope};
use crate::ir::Step;
use crate::symbols::SymbolKind;
use crate::types::Type;

/// Deeper expressions are not followed.
const DEEPEST: usize = 64;

impl<'a> Builder<'a> {
    /// Takes the type of `other` for `name` where that is a key whose type is not known yet.
    pub(super) fn key_type(&mut self, name: &'a Expr, other: &'a Expr, scope: &Scope<'a>) {
        let ExprKind::Name(ident) = &name.kind else {
            return;
        };
        let Some(symbol) = scope.local(&ident.name).map(|local| local.symbol) else {
            return;
        };
        let open = self
            .out
            .symbols
            .get(symbol)
            .is_some_and(|s| s.kind == SymbolKind::Key && s.ty.is_none());
        if open && let Some(ty) = self.inferred(other, scope, 0) {
            self.edit(symbol, |symbol| symbol.ty = Some(ty));
        }
    }

    /// The type of a value; `None` where it is not seen, and for formulas.
    pub(super) fn inferred(&self, expr: &'a Expr, scope: &Scope<'a>, depth: usize) -> Option<Type> {
        if depth > DEEPEST {
            return None;
        }
        let deeper = |e: &'a Expr| self.inferred(e, scope, depth + 1);
        Some(match &expr.kind {
            ExprKind::Null => Type::Null,
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Number(text) if text.contains(['.', 'e', 'E']) => typing::number(),
            ExprKind::Number(_) => typing::int(),
            ExprKind::Duration(_) => Type::Duration,
            ExprKind::Str(_) => Type::String,
            ExprKind::List(items) => {
                let elements: Option<Vec<Type>> = items.iter().map(deeper).collect();
                Type::List(Box::new(typing::union(elements?)))
            }
            ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Neg, inner) => deeper(inner)?,
            ExprKind::Unary(UnaryOp::Not, inner) => deeper(inner).filter(|ty| *ty == Type::Bool)?,
            ExprKind::Quantified { .. } => Type::Bool,
            ExprKind::Binary(op, a, b) => self.of_operator(*op, deeper(a), deeper(b))?,
            ExprKind::Name(name) => self.of_name(name, scope, depth)?,
            ExprKind::Field(base, name) => self.of_field(base, name, scope, depth)?,
            ExprKind::Index(base, n) => typing::part(&deeper(base)?, &Step::Index(*n)).ok()?.0,
            ExprKind::All(base) => Type::List(Box::new(typing::element(&deeper(base)?)?)),
            ExprKind::Call(path, args) => self.of_call(path, args, scope, depth)?,
            _ => return None,
        })
    }

    fn of_operator(&self, op: BinaryOp, a: Option<Type>, b: Option<Type>) -> Option<Type> {
        Some(match op {
            op if op.is_comparison() => Type::Bool,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                (a? == Type::Bool && b? == Type::Bool).then_some(Type::Bool)?
            }
            BinaryOp::Coalesce => typing::union([a?, b?]),
            BinaryOp::Sub if a == Some(Type::Timestamp) && b == Some(Type::Timestamp) => {
                Type::Duration
            }
            BinaryOp::Add | BinaryOp::Sub => match a? {
                Type::Int(_) if matches!(b, Some(Type::Int(_))) => typing::int(),
                Type::Int(_) | Type::Number(_) => typing::number(),
                time @ (Type::Timestamp | Type::Duration) => time,
                _ => return None,
            },
            BinaryOp::Mul => match (a?, b?) {
                (Type::Int(_), Type::Int(_)) => typing::int(),
                (Type::Duration, _) | (_, Type::Duration) => Type::Duration,
                _ => typing::number(),
            },
            _ => return None,
        })
    }

    fn of_name(&self, name: &'a Ident, scope: &Scope<'a>, depth: usize) -> Option<Type> {
        if let Some(local) = scope.local(&name.name) {
            let known = self.out.symbols.get(local.symbol)?.ty.clone();
            // A `let` has the fields of where it is used.
            return known.or_else(|| self.inferred(local.value?, scope, depth + 1));
        }
        match &scope.fields {
            Fields::Tools { tools, result } => {
                let of = |t: &&super::ToolSym| {
                    let whole = if *result { &t.result } else { &t.args };
                    Some(typing::part(whole, &Step::Field(name.name.clone())).ok()?.0)
                };
                self.common(tools.iter().map(of))
            }
            Fields::Event { record, .. } => Some(
                typing::part(record, &Step::Field(name.name.clone()))
                    .ok()?
                    .0,
            ),
            Fields::None => None,
        }
    }

    fn of_field(
        &self,
        base: &'a Expr,
        name: &'a Ident,
        scope: &Scope<'a>,
        depth: usize,
    ) -> Option<Type> {
        let step = Step::Field(name.name.clone());
        if let ExprKind::Name(root) = &base.kind
            && scope.local(&root.name).is_none()
        {
            match (root.name.as_str(), &scope.fields) {
                ("ctx", _) => {
                    let contexts = self.names.contexts(self.unit);
                    return contexts.get(name.name.as_str()).map(|ty| (*ty).clone());
                }
                ("event", _) => {
                    return match name.name.as_str() {
                        "agent" | "server" => Some(Type::String),
                        "time" => Some(Type::Timestamp),
                        "turn" | "depth" | "tokens" => Some(typing::int()),
                        _ => None,
                    };
                }
                (root @ ("args" | "result"), Fields::Tools { tools, .. }) => {
                    return self.common(tools.iter().map(|t| {
                        let whole = if root == "args" { &t.args } else { &t.result };
                        Some(typing::part(whole, &step).ok()?.0)
                    }));
                }
                _ => {}
            }
        }
        match self.inferred(base, scope, depth + 1)? {
            // `x[*].f`
            Type::List(element) => {
                let part = typing::part(&element, &step).ok()?.0;
                Some(Type::List(Box::new(part)))
            }
            ty => Some(typing::part(&ty, &step).ok()?.0),
        }
    }

    /// The type that all have.
    fn common(&self, mut types: impl Iterator<Item = Option<Type>>) -> Option<Type> {
        let first = types.next()??;
        types
            .all(|ty| ty.as_ref() == Some(&first))
            .then_some(first)
            .filter(|ty| *ty != Type::Any)
    }

    fn of_call(
        &self,
        path: &'a ctr_grammar::ast::Path,
        args: &'a [Expr],
        scope: &Scope<'a>,
        depth: usize,
    ) -> Option<Type> {
        if let Callee::Lookup(lookup) = self.names.callee(self.unit, &path.parts) {
            return Some(lookup.result.clone());
        }
        let [name] = path.parts.as_slice() else {
            return None;
        };
        let value = |at: usize| {
            let inner = if Checker::is_aggregate(path) {
                scope.seeing(self.fields_of(args.first()?, scope, 0))
            } else {
                scope.clone()
            };
            self.inferred(args.get(at)?, &inner, depth + 1)
        };
        Some(match name.name.as_str() {
            "len" | "count" | "streak" => typing::int(),
            "text" | "lower" | "upper" | "trim" | "host" => Type::String,
            "number" => typing::number(),
            "abs" => value(0)?,
            "keys" => Type::List(Box::new(Type::String)),
            "timestamp" => Type::Timestamp,
            "duration" | "elapsed" => Type::Duration,
            "has" | "mentioned" => Type::Bool,
            "sum" => match value(1) {
                Some(Type::Int(_)) => typing::int(),
                _ => typing::number(),
            },
            "min" | "max" | "latest" | "first" => value(1)?,
            "values" => match value(1)? {
                list @ Type::List(_) => list,
                ty => Type::List(Box::new(ty)),
            },
            _ => return None,
        })
    }
}
