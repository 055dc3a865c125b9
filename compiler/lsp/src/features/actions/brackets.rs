//! Brackets around what is selected, or taken away where they say nothing.

use ctr_grammar::Span;
use ctr_grammar::ast::{Expr, ExprKind};
use lsp_types::CodeActionKind;

use super::edit::way;
use super::{Ask, Offer};

pub(super) fn offer(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let selected = ask.selected();
    if selected.start == selected.end {
        return;
    }
    let Some((_, contract)) = ask.contract() else {
        return;
    };
    let way = way(contract, selected);
    let Some(expr) = way.last().filter(|expr| expr.span == selected) else {
        return;
    };
    if !takes_brackets(expr) {
        return;
    }
    let outer = way.len().checked_sub(2).and_then(|outer| way.get(outer));
    if outer.is_some_and(|outer| matches!(outer.kind, ExprKind::Paren(_))) {
        return;
    }
    let edits = vec![
        (Span::new(selected.start, selected.start), "(".to_owned()),
        (Span::new(selected.end, selected.end), ")".to_owned()),
    ];
    if ask.means_the_same(&edits) {
        out.push(Offer::new(
            "put brackets around it",
            CodeActionKind::REFACTOR_REWRITE,
            edits,
        ));
    }
}

fn takes_brackets(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Form(_)
            | ExprKind::Pattern(_)
            | ExprKind::Call(..)
            | ExprKind::Quantified { .. }
    )
}
