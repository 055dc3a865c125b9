//! A field that may be missing: what holds then, said with `has(...)` or `??`.

use ctr_front::ir::Json;
use ctr_front::symbols::SymbolKind;
use ctr_front::types::Type;
use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use ctr_grammar::walk;
use lsp_types::CodeActionKind;

use super::{Ask, Offer};
use crate::diagnostics::Converter;

/// The finding that a field may be missing.
const CODE: &str = "W0401";

pub(super) fn offer(ask: &Ask<'_>, converter: &Converter<'_>, out: &mut Vec<Offer>) {
    for found in ask.findings {
        let place = found.primary.place;
        if found.code != CODE || place.source != ask.source || !ask.touches(place.span) {
            continue;
        }
        let Some(way) = way(ask, place.span) else {
            continue;
        };
        let finding = converter.convert(found);
        let path = place.span.text(ask.text());
        let title = format!("ask first whether it is there: `has({path}) and ...`");
        if let Some((span, in_brackets)) = comparison(&way) {
            let condition = span.text(ask.text());
            let asked = match in_brackets {
                true => format!("(has({path}) and {condition})"),
                false => format!("has({path}) and {condition}"),
            };
            let edits = vec![(span, asked)];
            if ask.is_sound(&edits, None) {
                out.push(Offer::new(title, CodeActionKind::QUICKFIX, edits).about(finding.clone()));
            }
        }
        let value = default(ask, place.span.end);
        let edits = vec![(place.span, format!("({path} ?? {value})"))];
        if ask.is_sound(&edits, None) {
            let title = format!("say what holds where it is missing: `({path} ?? {value})`");
            out.push(Offer::new(title, CodeActionKind::QUICKFIX, edits).about(finding));
        }
    }
}

/// The expressions around a place, the outermost first.
fn way<'a>(ask: &Ask<'a>, at: Span) -> Option<Vec<&'a Expr>> {
    let has = |expr: &&Expr| expr.span.start <= at.start && at.end <= expr.span.end;
    let mut out = Vec::new();
    let mut next = walk::expressions(&ask.parse().file).into_iter().find(has);
    while let Some(expr) = next {
        out.push(expr);
        next = walk::children(expr).into_iter().find(has);
    }
    (!out.is_empty()).then_some(out)
}

/// The smallest condition around a field that is true or false by itself, and whether it needs brackets where it stands
/// once more stands beside it.
fn comparison(way: &[&Expr]) -> Option<(Span, bool)> {
    let index = way.iter().rposition(|expr| is_truth(expr)).or({
        // A Boolean field that stands alone.
        way.len().checked_sub(1)
    })?;
    // What is denied is asked about before: `not (has(x) and x == 3)` would hold of what is missing.
    let mut index = index;
    while let Some(outer) = index.checked_sub(1) {
        let kind = |at: usize| way.get(at).map(|expr| &expr.kind);
        let denied = |at| matches!(kind(at), Some(ExprKind::Unary(UnaryOp::Not, _)));
        let in_parens = matches!(kind(outer), Some(ExprKind::Paren(_)));
        match outer.checked_sub(1) {
            _ if denied(outer) => index = outer,
            Some(further) if in_parens && denied(further) => index = further,
            _ => break,
        }
    }
    let expr = way.get(index)?;
    let outer = index.checked_sub(1).and_then(|outer| way.get(outer));
    let in_brackets = match outer.map(|outer| &outer.kind) {
        None | Some(ExprKind::Pattern(_) | ExprKind::Paren(_) | ExprKind::State(_)) => false,
        Some(ExprKind::Binary(BinaryOp::And, ..)) => false,
        Some(_) => true,
    };
    Some((expr.span, in_brackets))
}

fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(op, ..) => op.is_comparison(),
        ExprKind::Quantified { .. } => true,
        ExprKind::Unary(op, inner) => *op == UnaryOp::Not && is_truth(inner),
        _ => false,
    }
}

/// A value of the type of the field that ends at a place, to be replaced by the author.
fn default(ask: &Ask<'_>, end: u32) -> String {
    let ty = || {
        let symbols = ask.analysis.symbols();
        let symbol = symbols.symbol(symbols.at(ask.source, end)?)?;
        let owner = symbol.owner.as_ref()?;
        let library = ask.analysis.library()?;
        let tool = library.declared.iter().find(|tool| match &tool.server {
            Some(server) => *owner == format!("{server}.{}", tool.name),
            None => *owner == tool.name,
        })?;
        if symbol.kind != SymbolKind::Argument {
            return None;
        }
        symbol
            .path
            .iter()
            .try_fold(&tool.args, |ty, name| match ty {
                Type::Record(record) => {
                    let field = record.fields.iter().find(|field| field.name == *name)?;
                    Some(&field.ty)
                }
                _ => None,
            })
    };
    ty().map_or_else(|| "null".to_owned(), of_type)
}

fn of_type(ty: &Type) -> String {
    match ty {
        Type::String => "\"\"".to_owned(),
        Type::Bool => "false".to_owned(),
        Type::Int(_) | Type::Number(_) => "0".to_owned(),
        Type::Duration => "0s".to_owned(),
        Type::List(_) => "[]".to_owned(),
        Type::Enum(values) => match values.first() {
            Some(Json::Str(value)) if !value.contains(['"', '\\']) => format!("\"{value}\""),
            _ => "null".to_owned(),
        },
        Type::Union(types) => types
            .iter()
            .find(|ty| **ty != Type::Null)
            .map_or_else(|| "null".to_owned(), of_type),
        _ => "null".to_owned(),
    }
}
