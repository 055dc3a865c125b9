//! Walks over expressions of the syntax tree.

use ctr_grammar::ast::{Expr, ExprKind, Form};

/// The expressions that an expression is made of, in order of the text.
pub(super) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Error
        | ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Regex { .. }
        | ExprKind::Name(_) => Vec::new(),
        ExprKind::List(items) | ExprKind::Call(_, items) => items.iter().collect(),
        ExprKind::Record(fields) => fields.iter().map(|(_, e)| e).collect(),
        ExprKind::Field(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::All(base)
        | ExprKind::State(base)
        | ExprKind::Paren(base)
        | ExprKind::Unary(_, base)
        | ExprKind::Earlier(base)
        | ExprKind::Within(base, _) => vec![base],
        ExprKind::Pattern(pattern) => pattern.conditions.iter().collect(),
        ExprKind::Binary(_, a, b) => vec![a, b],
        ExprKind::Quantified { list, body, .. } => vec![list, body],
        ExprKind::Form(form) => match &**form {
            Form::Never(p) | Form::Times { p, .. } => vec![p],
            Form::NeverAfter { p, q, .. }
            | Form::OnlyAfter { p, q, .. }
            | Form::LeadsTo { p, q, .. }
            | Form::ImmediatelyLeadsTo { p, q } => vec![p, q],
            Form::OnlyIf { p, cond } => vec![p, cond],
            Form::OnlyWhile { p, f } => vec![p, f],
        },
    }
}

/// Calls `see` with an expression and all that it is made of.
pub(super) fn walk<'a>(expr: &'a Expr, see: &mut impl FnMut(&'a Expr)) {
    see(expr);
    for child in children(expr) {
        walk(child, see);
    }
}
