//! `let`s made of what is written several times, or written out again.

use ctr_front::symbols::SymbolKind;
use ctr_grammar::Span;
use ctr_grammar::ast::{Clause, ClauseKind, Contract, Expr, ExprKind};
use ctr_grammar::walk;
use lsp_types::CodeActionKind;

use super::edit::{Edits, expression, fresh, indent, is_first, removal, way, words};
use super::{Ask, Offer};

/// A `let` for the selected expression, or for one at the cursor that the contract has several times.
pub(super) fn extract(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let Some((_, contract)) = ask.contract() else {
        return;
    };
    let selected = ask.selected();
    let is_selection = selected.start < selected.end;
    let way = way(contract, selected);
    let candidates: Vec<&Expr> = way
        .iter()
        .copied()
        .filter(|expr| is_value(expr) && (!is_selection || expr.span == selected))
        .collect();
    if is_selection && candidates.is_empty() {
        let title = "make a `let` of it";
        let why = "only a whole value or condition can be a `let`";
        out.push(Offer::impossible(
            title,
            CodeActionKind::REFACTOR_EXTRACT,
            why,
        ));
        return;
    }
    for expr in candidates {
        let Some((count, edits)) = extracted(ask, contract, expr) else {
            continue;
        };
        if (is_selection || count > 1) && ask.means_the_same(&edits) {
            let title = match count {
                1 => "make a `let` of it".to_owned(),
                n => format!("make a `let` of it, used {n} times"),
            };
            out.push(Offer::new(title, CodeActionKind::REFACTOR_EXTRACT, edits));
            return;
        }
    }
}

/// Whether a `let` of it says more than it does itself.
fn is_value(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Call(..)
            | ExprKind::Binary(..)
            | ExprKind::Quantified { .. }
            | ExprKind::Unary(..)
            | ExprKind::List(_)
            | ExprKind::Str(_)
            | ExprKind::Number(_)
            | ExprKind::Regex { .. }
    )
}

/// How often an expression stands in a contract, and the changes that put a `let` in its places.
fn extracted(ask: &Ask<'_>, contract: &Contract, expr: &Expr) -> Option<(usize, Edits)> {
    let text = ask.text();
    if ask.has_comment(expr.span) {
        return None;
    }
    let wanted = words(expr.span.text(text));
    let mut found: Vec<(usize, Span)> = Vec::new();
    for (index, clause) in contract.clauses.iter().enumerate() {
        if let Some(whole) = expression(clause) {
            equal(text, whole, &wanted, &mut |span| found.push((index, span)));
        }
    }
    let (first, _) = *found.first()?;
    let clause: &Clause = contract.clauses.get(first)?;
    let taken = words(text);
    let base = match &expr.kind {
        ExprKind::Binary(op, ..) if !is_arithmetic(*op) => "condition",
        ExprKind::Quantified { .. } | ExprKind::Unary(..) => "condition",
        _ => "value",
    };
    let name = fresh(base, |name| taken.contains(&name));
    let mut edits: Edits = found
        .iter()
        .map(|(_, span)| (*span, name.clone()))
        .collect();
    let at = clause.span.start;
    let gap = match is_first(text, at) {
        true => format!("\n{}", indent(text, at)),
        false => " ".to_owned(),
    };
    let written = expr.span.text(text);
    edits.push((Span::new(at, at), format!("let {name} = {written}{gap}")));
    Some((found.len(), edits))
}

fn is_arithmetic(op: ctr_grammar::ast::BinaryOp) -> bool {
    use ctr_grammar::ast::BinaryOp::{Add, Coalesce, Mul, Sub};
    matches!(op, Add | Sub | Mul | Coalesce)
}

/// The expressions of the same words, those within others of them left out.
fn equal(text: &str, expr: &Expr, wanted: &[&str], see: &mut impl FnMut(Span)) {
    if words(expr.span.text(text)) == wanted {
        see(expr.span);
        return;
    }
    for child in walk::children(expr) {
        equal(text, child, wanted, see);
    }
}

/// The `let` at the cursor, written out where it is used.
pub(super) fn inline(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let symbols = ask.analysis.symbols();
    let Some(mention) = symbols.at(ask.source, ask.range.start) else {
        return;
    };
    if symbols.symbol(mention).map(|symbol| symbol.kind) != Some(SymbolKind::Let) {
        return;
    }
    let Some((_, contract)) = ask.contract() else {
        return;
    };
    let mentions: Vec<Span> = symbols
        .mentions_of(mention.symbol)
        .filter(|mention| mention.place.source == ask.source)
        .map(|mention| mention.place.span)
        .collect();
    let definition = contract
        .clauses
        .iter()
        .find_map(|clause| match &clause.kind {
            ClauseKind::Let(name, expr) if mentions.contains(&name.span) => {
                Some((clause, name.span, expr))
            }
            _ => None,
        });
    let Some((clause, name, expr)) = definition else {
        return;
    };
    let title = format!("write `{}` out where it is used", name.text(ask.text()));
    let kind = CodeActionKind::REFACTOR_INLINE;
    match inlined(ask, contract, clause, name, expr, &mentions) {
        Ok(edits) if ask.means_the_same(&edits) => out.push(Offer::new(title, kind, edits)),
        Ok(_) => out.push(Offer::impossible(
            title,
            kind,
            "what it stands for cannot stand in every place where it is used, or would mean something else there",
        )),
        Err(why) => out.push(Offer::impossible(title, kind, why)),
    }
}

fn inlined(
    ask: &Ask<'_>,
    contract: &Contract,
    clause: &Clause,
    name: Span,
    expr: &Expr,
    mentions: &[Span],
) -> Result<Edits, &'static str> {
    let text = ask.text();
    let uses: Vec<Span> = mentions
        .iter()
        .copied()
        .filter(|span| *span != name)
        .collect();
    if uses.is_empty() {
        return Err("it is used nowhere");
    }
    if ask.has_comment(clause.span) {
        return Err("a comment stands in it");
    }
    let value = expr.span.text(text);
    let whole = match expr.kind {
        ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Quantified { .. }
        | ExprKind::Form(_) => format!("({value})"),
        _ => value.to_owned(),
    };
    // A use that is a whole condition needs no brackets.
    let mut alone = Vec::new();
    for clause in &contract.clauses {
        if let Some(outer) = expression(clause) {
            alone.push(outer.span);
            walk::walk(outer, &mut |expr| match &expr.kind {
                ExprKind::Paren(inner) | ExprKind::State(inner) => alone.push(inner.span),
                ExprKind::Pattern(pattern) => {
                    alone.extend(pattern.conditions.iter().map(|c| c.span));
                }
                _ => {}
            });
        }
    }
    let in_message = |span: &Span| {
        contract.clauses.iter().any(|clause| {
            matches!(clause.kind, ClauseKind::Otherwise(_))
                && clause.span.start <= span.start
                && span.end <= clause.span.end
        })
    };
    if uses.iter().any(in_message) && value.contains(['"', '\\', '{', '}', '\n', '\r']) {
        return Err("it is used in a message, where its text cannot stand");
    }
    let mut edits: Edits = uses
        .into_iter()
        .map(|span| match alone.contains(&span) {
            true => (span, value.to_owned()),
            false => (span, whole.clone()),
        })
        .collect();
    edits.push((removal(text, clause.span), String::new()));
    Ok(edits)
}
