//! Formulas that say less, or more, than their authors mean.

use std::collections::HashMap;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, BinaryOp, ClauseKind, Expr, ExprKind, UnaryOp};

use super::super::names::Callee;
use super::super::scope::{Scope, Src};
use super::super::walk::walk;
use super::super::{Checker, text};
use super::{bare, removal, text_of, warning};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Clause, ExprId, Formula, Place, Side};

impl<'a> Checker<'a> {
    /// A clause that speaks of the session's first step alone: it has no operator that looks ahead.
    pub(in crate::check) fn first_step_only(
        &mut self,
        expr: &'a Expr,
        formula: &Formula,
        scope: &Scope<'a>,
    ) {
        if looks_ahead(formula) || !has_atom(formula) || self.misread(scope) {
            return;
        }
        // A template of the standard library that speaks of the first step says so by its name.
        let mut library = false;
        walk(expr, &mut |e| {
            if let ExprKind::Call(path, _) = &e.kind
                && let Callee::Predicate(predicate) = self.names.callee(scope.src.unit, &path.parts)
            {
                library |= self
                    .graph
                    .units
                    .get(predicate.unit)
                    .is_some_and(|u| u.library);
            }
        });
        if library {
            return;
        }
        let diagnostic = Diagnostic::warning(
            "W0407",
            "this is judged at the first step of the session alone",
            scope.place(expr.span),
            "says nothing of later steps",
        )
        .with_help("write `always (...)`, or a form such as `never P` or `P only if condition`");
        self.report(diagnostic, scope);
    }

    /// Whether the file has syntax errors, so that what was read may not be all that was written.
    pub(super) fn misread(&self, scope: &Scope<'a>) -> bool {
        let unit = self.graph.units.get(scope.src.unit);
        unit.is_some_and(|u| u.has_errors)
    }

    /// `not P until Q` as a whole guarantee: it fails at the end of a session in which Q never came, also
    /// where nothing else happened.
    pub(super) fn strong_untils(&mut self, contract: &'a ast::Contract, src: Src<'a>) {
        // Who asks for Q elsewhere knows that it is owed.
        let mut owed: Vec<&str> = Vec::new();
        for clause in &contract.clauses {
            if let ClauseKind::Guarantee(formula) = &clause.kind {
                walk(formula, &mut |e| {
                    if let ExprKind::Unary(UnaryOp::Eventually, inner) = &e.kind {
                        owed.push(text_of(inner, src));
                    }
                });
            }
        }
        for clause in &contract.clauses {
            let ClauseKind::Guarantee(formula) = &clause.kind else {
                continue;
            };
            let ExprKind::Binary(BinaryOp::Until, a, b) = &bare(formula).kind else {
                continue;
            };
            let ExprKind::Unary(UnaryOp::Not, p) = &bare(a).kind else {
                continue;
            };
            if owed.contains(&text_of(b, src)) {
                continue;
            }
            let operator = text::core(src.text, Span::new(a.span.end, b.span.start));
            let fold = |e: &Expr| text::fold(e.span.text(src.text));
            let (p, q) = (fold(p), fold(b));
            let diagnostic = warning(
                "W0429",
                format!("this fails in a session that ends without `{q}`, also where `{p}` never happens"),
                operator,
                "asks for what follows",
                src,
            )
            .with_help(format!(
                "for a condition of `{p}` alone write `{p} only after {q}`"
            ))
            .with_help(format!(
                "where it is owed in every session say so in a clause of its own: `guarantee eventually {q}`"
            ))
            .with_fix(Fix {
                title: "write `unless`".to_owned(),
                edits: vec![(src.place(operator), "unless".to_owned())],
                safe: false,
            });
            self.diagnostics.push(diagnostic);
        }
    }

    /// Clauses of one contract that say the same, however they are written.
    pub(in crate::check) fn repeated_clauses(&mut self, clauses: &[Clause], scope: &Scope<'a>) {
        type Meaning<'c> = (Side, &'c Formula, Vec<(ExprId, ExprId, i64)>);
        if self.misread(scope) {
            return;
        }
        let mut first: HashMap<Meaning<'_>, Place> = HashMap::new();
        for clause in clauses {
            let deadlines = clause
                .deadlines
                .iter()
                .map(|d| (d.trigger, d.response, d.within))
                .collect();
            let meaning = (clause.side, &clause.formula, deadlines);
            match first.get(&meaning) {
                Some(before) => {
                    let diagnostic = Diagnostic::warning(
                        "W0415",
                        "the contract says this already",
                        clause.place,
                        "the same again",
                    )
                    .with_label(*before, "said here")
                    .with_help("leave it out, or say what was meant instead")
                    .with_fix(removal(
                        "leave the clause out",
                        clause.place.span,
                        scope.src,
                        true,
                    ));
                    self.report(diagnostic, scope);
                }
                None => {
                    first.insert(meaning, clause.place);
                }
            }
        }
    }
}

fn looks_ahead(formula: &Formula) -> bool {
    matches!(
        formula,
        Formula::Next(_)
            | Formula::WeakNext(_)
            | Formula::Always(_)
            | Formula::Eventually(_)
            | Formula::Until(..)
            | Formula::Unless(..)
            | Formula::Release(..)
    ) || formula.parts().into_iter().any(looks_ahead)
}

fn has_atom(formula: &Formula) -> bool {
    matches!(formula, Formula::Atom(_)) || formula.parts().into_iter().any(has_atom)
}
