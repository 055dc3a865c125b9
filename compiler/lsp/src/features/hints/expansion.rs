//! The formulas that readable forms stand for (language reference, section 4).

use ctr_grammar::ast::{Expr, ExprKind, Form};

/// The formula of a form in letters, and in the words of the text. None for the forms that count or have a
/// deadline: no formula says them shortly.
pub(super) fn of_form(text: &str, form: &Form) -> Option<(&'static str, String)> {
    let said = |expr: &Expr| operand(text, expr);
    Some(match form {
        Form::Never(p) => ("always not P", format!("always not {}", said(p))),
        Form::NeverAfter { p, q, .. } => (
            "always (Q implies weak next always not P)",
            format!(
                "always ({} implies weak next always not {})",
                said(q),
                said(p)
            ),
        ),
        Form::OnlyAfter {
            p, q, within: None, ..
        } => (
            "(not P) unless Q",
            format!("(not {}) unless {}", said(p), said(q)),
        ),
        Form::OnlyWhile { p, f } => (
            "always (P implies f)",
            format!("always ({} implies {})", said(p), said(f)),
        ),
        Form::LeadsTo {
            p, q, within: None, ..
        } => (
            "always (P implies eventually Q)",
            format!("always ({} implies eventually {})", said(p), said(q)),
        ),
        Form::ImmediatelyLeadsTo { p, q } => (
            "always (P implies next Q)",
            format!("always ({} implies next {})", said(p), said(q)),
        ),
        Form::OnlyAfter { .. }
        | Form::LeadsTo { .. }
        | Form::OnlyIf { .. }
        | Form::Times { .. } => {
            return None;
        }
    })
}

/// An operand as written, on one line, in parentheses where it is more than a name or a pattern.
fn operand(text: &str, expr: &Expr) -> String {
    let words: Vec<&str> = expr.span.text(text).split_whitespace().collect();
    let words = words.join(" ");
    match expr.kind {
        ExprKind::Name(_)
        | ExprKind::Field(..)
        | ExprKind::Call(..)
        | ExprKind::Pattern(_)
        | ExprKind::State(_)
        | ExprKind::Paren(_)
        | ExprKind::Bool(_) => words,
        _ => format!("({words})"),
    }
}
