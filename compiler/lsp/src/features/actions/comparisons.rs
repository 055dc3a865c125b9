//! A comparison the other way round, and a denied one without `not`.

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use lsp_types::CodeActionKind;

use super::edit::{Edits, way};
use super::{Ask, Offer};

pub(super) fn offer(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let Some((_, contract)) = ask.contract() else {
        return;
    };
    let way = way(contract, ask.range);
    for expr in way.iter().rev() {
        if let Some((title, edits)) = turned(ask, expr) {
            push(ask, title, edits, out);
            break;
        }
    }
    for expr in way.iter().rev() {
        if let Some((title, edits)) = without_not(ask, expr) {
            push(ask, title, edits, out);
            break;
        }
    }
}

fn push(ask: &Ask<'_>, title: String, edits: Edits, out: &mut Vec<Offer>) {
    if ask.is_sound(&edits, None) {
        out.push(Offer::new(title, CodeActionKind::REFACTOR_REWRITE, edits));
    }
}

/// `a < b` as `b > a`.
fn turned(ask: &Ask<'_>, expr: &Expr) -> Option<(String, Edits)> {
    let ExprKind::Binary(op, a, b) = &expr.kind else {
        return None;
    };
    let (old, new) = match op {
        BinaryOp::Eq => ("==", "=="),
        BinaryOp::Ne => ("!=", "!="),
        BinaryOp::Lt => ("<", ">"),
        BinaryOp::Le => ("<=", ">="),
        BinaryOp::Gt => (">", "<"),
        BinaryOp::Ge => (">=", "<="),
        _ => return None,
    };
    let at = operator(ask, a, b, old)?;
    let text = ask.text();
    let (left, right) = (a.span.text(text), b.span.text(text));
    let edits = vec![
        (a.span, right.to_owned()),
        (at, new.to_owned()),
        (b.span, left.to_owned()),
    ];
    Some((format!("turn the comparison round: `... {new} ...`"), edits))
}

/// `not (a < b)` as `a >= b`.
fn without_not(ask: &Ask<'_>, expr: &Expr) -> Option<(String, Edits)> {
    let ExprKind::Unary(UnaryOp::Not, inner) = &expr.kind else {
        return None;
    };
    let ExprKind::Paren(inner) = &inner.kind else {
        return None;
    };
    let ExprKind::Binary(op, a, b) = &inner.kind else {
        return None;
    };
    let (old, new) = match op {
        BinaryOp::Eq => ("==", "!="),
        BinaryOp::Ne => ("!=", "=="),
        BinaryOp::Lt => ("<", ">="),
        BinaryOp::Le => ("<=", ">"),
        BinaryOp::Gt => (">", "<="),
        BinaryOp::Ge => (">=", "<"),
        BinaryOp::In => ("in", "not in"),
        _ => return None,
    };
    let at = operator(ask, a, b, old)?;
    // A comment between the brackets and what they hold would go.
    let (before, after) = (
        Span::new(expr.span.start, a.span.start),
        Span::new(b.span.end, expr.span.end),
    );
    if ask.has_comment(before) || ask.has_comment(after) {
        return None;
    }
    let edits = vec![
        (before, String::new()),
        (at, new.to_owned()),
        (after, String::new()),
    ];
    Some((format!("write it without `not`: `... {new} ...`"), edits))
}

/// Where an operator stands between its operands.
fn operator(ask: &Ask<'_>, a: &Expr, b: &Expr, written: &str) -> Option<Span> {
    let gap = Span::new(a.span.end, b.span.start);
    let text = gap.text(ask.text());
    let found = ctr_grammar::lexemes(text)
        .tokens
        .into_iter()
        .find(|span| span.text(text) == written)?;
    Some(Span::new(gap.start + found.start, gap.start + found.end))
}
