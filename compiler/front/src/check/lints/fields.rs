//! Fields that the event at hand does not have.

use ctr_grammar::MessagePart;
use ctr_grammar::ast::{self, ClauseKind, Expr, ExprKind, Ident, ItemKind, PatternKind};

use super::super::scope::{EventView, Scope, Src};
use super::super::{At, Checker, message};
use super::warning;
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Contract, EventKind};
use crate::types::Type;
use ctr_grammar::walk::children;

impl<'a> Checker<'a> {
    /// A bare name in the pattern of a return, where the tool says nothing of its result and has an
    /// argument of that name.
    pub(in crate::check) fn argument_as_result(
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

    /// The result of a call whose outcome nobody knows: there is none.
    pub(super) fn lost_result(&mut self, pattern: &'a ast::Pattern, src: Src<'a>) {
        if pattern.kind != PatternKind::Unknown {
            return;
        }
        for name in pattern.conditions.iter().filter_map(|c| root(c, "result")) {
            let diagnostic = warning(
                "W0430",
                "a call whose outcome nobody knows has no `result`",
                name.span,
                "never there",
                src,
            )
            .with_help("what is undefined is refused: ask for `args.` of the call, or name `success` or `failure`");
            self.diagnostics.push(diagnostic);
        }
    }

    /// What a message reads of the refused event and that event cannot have.
    pub(super) fn message_fields(&mut self, at: At, contract: &Contract) {
        let graph = self.graph;
        let messages = self.messages;
        let Some(unit) = graph
            .units
            .get(at.unit)
            .filter(|u| !u.library && !u.has_errors)
        else {
            return;
        };
        let Some(ItemKind::Contract(tree)) = unit.file.items.get(at.item).map(|i| &i.kind) else {
            return;
        };
        let (mut calls, mut returns) = (contract.patterns.is_empty(), contract.patterns.is_empty());
        for id in &contract.patterns {
            match self.tables.get_pattern(*id).map(|p| p.kind) {
                Some(EventKind::Call) => calls = true,
                Some(EventKind::Return(_)) | None => returns = true,
                Some(EventKind::Input | EventKind::Output | EventKind::Declared(_)) => {}
            }
        }
        let src = self.src(at.unit);
        for clause in &tree.clauses {
            let ClauseKind::Otherwise(action) = &clause.kind else {
                continue;
            };
            let Some(literal) = message::of(action) else {
                continue;
            };
            for part in messages.parts(at.unit, literal) {
                let MessagePart::Expr(expr) = part else {
                    continue;
                };
                let found = root(expr, "result")
                    .filter(|_| !returns)
                    .or_else(|| root(expr, "args").filter(|_| !returns && !calls));
                let Some(name) = found else { continue };
                let event = if calls {
                    "a call that is refused"
                } else {
                    "an event that the contract speaks of"
                };
                let diagnostic = warning(
                    "W0430",
                    format!("{event} has no `{}`: the message shows `?`", name.name),
                    name.span,
                    "never there",
                    src,
                )
                .with_help("a message reads the event that is refused; what an earlier event brought is asked for with `latest(...)`");
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

/// Where an expression reads a root such as `result` of its own event: an aggregate's is another's.
fn root<'e>(expr: &'e Expr, wanted: &str) -> Option<&'e Ident> {
    match &expr.kind {
        ExprKind::Name(name) => (name.name == wanted).then_some(name),
        ExprKind::Call(path, _) if Checker::is_aggregate(path) => None,
        _ => children(expr).into_iter().find_map(|c| root(c, wanted)),
    }
}
