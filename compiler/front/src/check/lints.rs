//! Warnings about what is allowed and hardly meant, apart from those that fall off while something is
//! read.

use std::collections::BTreeMap;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, Expr, ExprKind};

use super::names::Callee;
use super::scope::{EventView, Scope};
use super::walk::walk;
use super::{At, Checker};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Const, Contract, EventKind, Expr as IrExpr, ExprId, Formula, Place, Status};
use crate::types::Type;

impl<'a> Checker<'a> {
    /// A clause that speaks of the session's first step alone: it has no operator that looks ahead.
    pub(super) fn first_step_only(&mut self, expr: &'a Expr, formula: &Formula, scope: &Scope<'a>) {
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
    fn misread(&self, scope: &Scope<'a>) -> bool {
        let unit = self.graph.units.get(scope.src.unit);
        unit.is_some_and(|u| u.has_errors)
    }

    /// A bare name in the pattern of a return, where the tool says nothing of its result and has an
    /// argument of that name.
    pub(super) fn argument_as_result(
        &mut self,
        name: &'a ast::Ident,
        view: &EventView<'a>,
        scope: &Scope<'a>,
    ) {
        if !matches!(view.kind, EventKind::Return(_)) {
            return;
        }
        let undeclared = match view.result {
            Type::Any => true,
            Type::Record(record) => {
                record.open && !record.fields.iter().any(|f| f.name == name.name)
            }
            _ => false,
        };
        let argument =
            matches!(view.args, Type::Record(r) if r.fields.iter().any(|f| f.name == name.name));
        if !undeclared || !argument {
            return;
        }
        let place = scope.place(name.span);
        let text = format!("args.{}", name.name);
        let diagnostic = Diagnostic::warning(
            "W0406",
            format!(
                "`{0}` means `result.{0}` here, and `{0}` is an argument of {1}",
                name.name, view.title
            ),
            place,
            "read from the result",
        )
        .with_help(format!(
            "write `{text}` for the argument, or `result.{}` if the result has such a field too",
            name.name
        ))
        .with_fix(Fix {
            title: format!("write `{text}`"),
            edits: vec![(place, text)],
            safe: false,
        });
        self.report(diagnostic, scope);
    }

    /// `path inside "relative"`: undefined for every path.
    pub(super) fn relative_directory(&mut self, directory: ExprId, span: Span, scope: &Scope<'a>) {
        let Some(IrExpr::Const(Const::Str(text))) = self.tables.get_expr(directory) else {
            return;
        };
        if text.starts_with('/') {
            return;
        }
        let message = format!("`{text}` is no absolute path, and `inside` of it is never defined");
        let diagnostic =
            Diagnostic::warning("W0410", message, scope.place(span), "a relative path")
                .with_help("write the directory from the root, as in `\"/srv/data\"`");
        self.report(diagnostic, scope);
    }

    /// `let`s that nothing reads.
    pub(super) fn idle_lets(&mut self, lets: &[(&'a ast::Ident, &'a Expr, Scope<'a>)]) {
        for (name, value, scope) in lets {
            if self.misread(scope) || self.current.used_lets.contains(&scope.place(value.span)) {
                continue;
            }
            let diagnostic = Diagnostic::warning(
                "W0408",
                format!("nothing reads `{}`", name.name),
                scope.place(name.span),
                "unused",
            )
            .with_help("use it or leave it out");
            self.report(diagnostic, scope);
        }
    }

    /// A redirect of a contract that refuses no call: there is no call to make another in place of.
    pub(super) fn idle_redirect(&mut self, tool: &'a ast::Path, scope: &Scope<'a>) {
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

    /// Contracts with the same `@id`.
    pub(super) fn equal_ids(&mut self, loaded: &[At], contracts: &[Option<Contract>]) {
        let mut first: BTreeMap<&str, Place> = BTreeMap::new();
        for (at, contract) in loaded.iter().zip(contracts) {
            let Some((contract, id)) = contract
                .as_ref()
                .and_then(|c| c.id.as_deref().map(|id| (c, id)))
            else {
                continue;
            };
            let place = self.id_place(*at).unwrap_or(contract.name_place);
            match first.get(id) {
                Some(before) => {
                    let diagnostic = Diagnostic::warning(
                        "W0409",
                        format!("two contracts have the id `{id}`"),
                        place,
                        "this one",
                    )
                    .with_label(*before, "and this one")
                    .with_help("an id names one rule: give each contract its own");
                    self.diagnostics.push(diagnostic);
                }
                None => {
                    first.insert(id, place);
                }
            }
        }
    }

    /// Where a contract's `@id` stands.
    fn id_place(&self, at: At) -> Option<Place> {
        let unit = self.graph.units.get(at.unit)?;
        let item = unit.file.items.get(at.item)?;
        let attribute = item.attributes.iter().find(|a| a.name.name == "id")?;
        Some(Place {
            source: unit.source,
            span: attribute.span,
        })
    }

    /// Whether a combination of patterns holds where none of its patterns fits: what it says happens
    /// then happens at every other event.
    pub(super) fn holds_without_event(&self, expr: ExprId) -> bool {
        match self.tables.get_expr(expr) {
            Some(IrExpr::Const(Const::Bool(value))) => *value,
            Some(IrExpr::Not(a)) => !self.holds_without_event(*a),
            Some(IrExpr::And(all)) => all.iter().all(|e| self.holds_without_event(*e)),
            Some(IrExpr::Or(all)) => all.iter().any(|e| self.holds_without_event(*e)),
            _ => false,
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
