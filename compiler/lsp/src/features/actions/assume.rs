//! What the agent decides, moved from an assumption into the guarantee.

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Clause, ClauseKind, Contract, Expr, ExprKind, ItemKind};
use lsp_types::CodeActionKind;

use super::edit::{Edits, removal};
use super::{Ask, Offer};
use crate::diagnostics::Converter;

/// The finding that an assumption speaks of what the agent decides.
const CODE: &str = "E0427";

pub(super) fn offer(ask: &Ask<'_>, converter: &Converter<'_>, out: &mut Vec<Offer>) {
    let mut seen: Vec<Span> = Vec::new();
    for found in ask.findings {
        let place = found.primary.place;
        if found.code != CODE || place.source != ask.source {
            continue;
        }
        let Some((contract, clause, expr)) = clause_of(ask, place.span) else {
            continue;
        };
        // The whole clause moves, wherever in it the cursor is.
        if !(ask.touches(place.span) || ask.touches(clause.span)) || seen.contains(&clause.span) {
            continue;
        }
        seen.push(clause.span);
        let Some((title, edits)) = moved(ask, contract, clause, expr) else {
            continue;
        };
        if ask.is_sound(&edits, Some(CODE)) {
            out.push(
                Offer::new(title, CodeActionKind::QUICKFIX, edits).about(converter.convert(found)),
            );
        }
    }
}

fn clause_of<'a>(ask: &Ask<'a>, span: Span) -> Option<(&'a Contract, &'a Clause, &'a Expr)> {
    let items = &ask.parse().file.items;
    items.iter().find_map(|item| {
        let ItemKind::Contract(contract) = &item.kind else {
            return None;
        };
        contract
            .clauses
            .iter()
            .find_map(|clause| match &clause.kind {
                ClauseKind::Assume(expr)
                    if clause.span.start <= span.start && span.end <= clause.span.end =>
                {
                    Some((contract, clause, expr))
                }
                _ => None,
            })
    })
}

fn moved(
    ask: &Ask<'_>,
    contract: &Contract,
    clause: &Clause,
    expr: &Expr,
) -> Option<(&'static str, Edits)> {
    let text = ask.text();
    let guarantees: Vec<&Expr> = contract
        .clauses
        .iter()
        .filter_map(|clause| match &clause.kind {
            ClauseKind::Guarantee(expr) => Some(expr),
            _ => None,
        })
        .collect();
    if guarantees.is_empty() {
        let word = Span::new(clause.span.start, expr.span.start);
        let written = word.text(text).replacen("assume", "guarantee", 1);
        return Some((
            "make it a guarantee: the agent owes it, instead of owing nothing where it is broken",
            vec![(word, written)],
        ));
    }
    if ask.has_comment(clause.span) {
        return None;
    }
    // What the environment decides stays.
    let mut parts = Vec::new();
    conjuncts(expr, &mut parts);
    let is_agents = |part: &&Expr| {
        ask.findings.iter().any(|found| {
            let place = found.primary.place;
            found.code == CODE
                && place.source == ask.source
                && part.span.start <= place.span.start
                && place.span.end <= part.span.end
        })
    };
    let (agents, others): (Vec<&Expr>, Vec<&Expr>) = parts.into_iter().partition(is_agents);
    let joined = |parts: &[&Expr]| {
        let texts: Vec<&str> = parts.iter().map(|part| part.span.text(text)).collect();
        texts.join(" and ")
    };
    let condition = match agents.as_slice() {
        [] => return None,
        [one] if matches!(one.kind, ExprKind::Paren(_)) => one.span.text(text).to_owned(),
        agents => format!("({})", joined(agents)),
    };
    let mut edits: Edits = guarantees
        .iter()
        .map(|guarantee| {
            let owed = guarantee.span.text(text);
            let owed = match guarantee.kind {
                ExprKind::Paren(_) => owed.to_owned(),
                _ => format!("({owed})"),
            };
            (guarantee.span, format!("{condition} implies {owed}"))
        })
        .collect();
    edits.push(if others.is_empty() {
        (removal(text, clause.span), String::new())
    } else {
        (expr.span, joined(&others))
    });
    Some((
        "move it into the guarantee, as its condition: nothing is owed where it does not hold",
        edits,
    ))
}

/// The operands of a conjunction, in order.
fn conjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(expr),
    }
}
