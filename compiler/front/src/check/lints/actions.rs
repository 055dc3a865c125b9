//! What a contract does where it refuses.

use ctr_grammar::ast;

use super::super::Checker;
use super::super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::ir::{Const, EventKind, Expr as IrExpr, ExprId, Status};

impl<'a> Checker<'a> {
    /// A redirect of a contract that refuses no call: there is no call to make another in place of.
    pub(in crate::check) fn idle_redirect(&mut self, tool: &'a ast::Path, scope: &Scope<'a>) {
        if self.current.broken || self.current.patterns.is_empty() {
            return;
        }
        let refuses = self.current.patterns.iter().any(|id| {
            self.tables.get_pattern(*id).is_none_or(|p| {
                matches!(
                    p.kind,
                    EventKind::Call | EventKind::Return(None | Some(Status::Success))
                )
            })
        });
        if refuses {
            return;
        }
        let diagnostic = Diagnostic::warning(
            "W0411",
            "the contract names no call that could be redirected",
            scope.place(tool.span),
            "never made",
        )
        .with_help("a redirect makes another call in place of a refused one: write `block`, or name calls in the guarantee");
        self.report(diagnostic, scope);
    }

    /// Whether a combination of patterns holds where none of its patterns fits: what it says happens
    /// then happens at every other event.
    pub(in crate::check) fn holds_without_event(&self, expr: ExprId) -> bool {
        match self.tables.get_expr(expr) {
            Some(IrExpr::Const(Const::Bool(value))) => *value,
            Some(IrExpr::Not(a)) => !self.holds_without_event(*a),
            Some(IrExpr::And(all)) => all.iter().all(|e| self.holds_without_event(*e)),
            Some(IrExpr::Or(all)) => all.iter().any(|e| self.holds_without_event(*e)),
            _ => false,
        }
    }
}
