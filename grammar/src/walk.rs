//! Walks over the syntax tree.

use crate::ast::{Action, ClauseKind, Expr, ExprKind, File, Form, ItemKind, Outcome, TestStepKind};
use crate::span::Span;

/// The expressions that an expression is made of, in order of the text.
#[must_use]
pub fn children(expr: &Expr) -> Vec<&Expr> {
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
pub fn walk<'a>(expr: &'a Expr, see: &mut impl FnMut(&'a Expr)) {
    see(expr);
    for child in children(expr) {
        walk(child, see);
    }
}

/// The expressions of a file's items that stand in no other, in order of the items.
#[must_use]
pub fn expressions(file: &File) -> Vec<&Expr> {
    let mut out = Vec::new();
    for item in &file.items {
        out.extend(item.attributes.iter().flat_map(|a| &a.args));
        match &item.kind {
            ItemKind::Predicate(predicate) => out.push(&predicate.body),
            ItemKind::Contract(contract) => {
                for clause in &contract.clauses {
                    match &clause.kind {
                        ClauseKind::Let(_, e)
                        | ClauseKind::Assume(e)
                        | ClauseKind::Guarantee(e) => {
                            out.push(e);
                        }
                        ClauseKind::Otherwise(Action::Redirect { args, .. }) => {
                            out.extend(args.iter().map(|(_, e)| e));
                        }
                        ClauseKind::Otherwise(_) | ClauseKind::Error => {}
                    }
                }
            }
            ItemKind::Test(test) => {
                for step in &test.steps {
                    out.extend(step.meta.iter().map(|(_, e)| e));
                    match &step.kind {
                        TestStepKind::Context(_, e)
                        | TestStepKind::Return(_, Outcome::Success(e)) => {
                            out.push(e);
                        }
                        TestStepKind::Lookup { args, value, .. } => {
                            out.extend(args);
                            out.push(value);
                        }
                        TestStepKind::Event(_, args) => out.extend(args.iter().map(|(_, e)| e)),
                        TestStepKind::Call { args, outcome, .. } => {
                            out.extend(args.iter().map(|(_, e)| e));
                            if let Some(Outcome::Success(e)) = outcome {
                                out.push(e);
                            }
                        }
                        TestStepKind::After(_)
                        | TestStepKind::Input(_)
                        | TestStepKind::Output(_)
                        | TestStepKind::Return(..)
                        | TestStepKind::End
                        | TestStepKind::Error => {}
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// The nodes around a place, the outermost first: an item, a clause or step, then expressions. A place at the
/// end of a node is in it.
#[must_use]
pub fn around(file: &File, offset: u32) -> Vec<Span> {
    let has = |span: Span| span.start <= offset && offset <= span.end;
    let mut out = Vec::new();
    for item in file.items.iter().filter(|item| has(item.span)) {
        out.push(item.span);
        match &item.kind {
            ItemKind::Contract(contract) => {
                out.extend(contract.clauses.iter().map(|c| c.span).filter(|s| has(*s)));
            }
            ItemKind::Test(test) => {
                out.extend(test.steps.iter().map(|s| s.span).filter(|s| has(*s)));
            }
            _ => {}
        }
    }
    for expr in expressions(file) {
        let mut at = has(expr.span).then_some(expr);
        while let Some(expr) = at {
            out.push(expr.span);
            at = children(expr).into_iter().find(|child| has(child.span));
        }
    }
    out
}
