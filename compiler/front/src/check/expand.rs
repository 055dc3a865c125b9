//! Following names: parentheses, `let`s, parameters and templates.

use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, BinaryOp, Expr, ExprKind, Ident, UnaryOp};

use super::Checker;
use super::names::Callee;
use super::scope::{Local, LocalKind, Scope, Use};
use crate::diagnostic::Diagnostic;
use crate::ir::{EventId, Place};
use crate::types::Type;

/// What an expression is once names are followed.
pub(super) enum Head<'a> {
    /// This one, in this scope.
    Expr(&'a Expr, Scope<'a>),
    /// A parameter of a predicate that is read by itself: `None` for `event`.
    Opaque(Option<Type>),
    /// Reported.
    Bad,
}

/// An event pattern as written.
pub(super) struct Source<'a> {
    /// The kind, or the declared event.
    pub(super) kind: SourceKind<'a>,
    /// The conditions.
    pub(super) conditions: &'a [Expr],
    /// Where it stands.
    pub(super) span: Span,
    /// Its surroundings.
    pub(super) scope: Scope<'a>,
}

/// What a pattern names.
#[derive(Clone, Copy)]
pub(super) enum SourceKind<'a> {
    /// `call T` and its like.
    Pattern(&'a ast::Pattern),
    /// A declared event and the record of its fields.
    Event(EventId, &'a str, &'a Type),
}

/// Whether an expression is a pattern.
pub(super) enum AsPattern<'a> {
    /// It is.
    Yes(Source<'a>),
    /// It is this instead.
    No(&'a Expr, Scope<'a>),
    /// A parameter of a predicate that is read by itself.
    Opaque,
    /// Reported.
    Bad,
}

/// Prefix operators of time.
pub(super) fn temporal_unary(op: UnaryOp) -> bool {
    !matches!(op, UnaryOp::Not | UnaryOp::Neg)
}

/// Infix operators of time.
pub(super) fn temporal_binary(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Until | BinaryOp::Unless | BinaryOp::Release | BinaryOp::Since
    )
}

/// Infix operators between truth values.
pub(super) fn logical_binary(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff
    )
}

impl<'a> Checker<'a> {
    /// Follows parentheses, `let`s, parameters and templates.
    pub(super) fn expand(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Head<'a> {
        let mut expr = expr;
        let mut scope = scope.clone();
        // Each turn goes into a part or along an acyclic declaration.
        loop {
            match &expr.kind {
                ExprKind::Paren(inner) => expr = inner,
                ExprKind::Name(name) => match scope.local(&name.name).cloned() {
                    Some(local) => match self.follow(&local, &scope) {
                        Some(Head::Expr(e, s)) => {
                            expr = e;
                            scope = s;
                        }
                        Some(other) => return other,
                        None => return Head::Expr(expr, scope),
                    },
                    None => return Head::Expr(expr, scope),
                },
                ExprKind::Call(path, args) => match self.template(path, args, expr.span, &scope) {
                    Some(Head::Expr(e, s)) => {
                        expr = e;
                        scope = s;
                    }
                    Some(other) => return other,
                    None => return Head::Expr(expr, scope),
                },
                _ => return Head::Expr(expr, scope),
            }
            if !self.spend(expr.span, &scope) {
                return Head::Bad;
            }
        }
    }

    /// What a local name stands for; `None` where it stands for itself (keys, variables).
    pub(super) fn follow(&mut self, local: &Rc<Local<'a>>, scope: &Scope<'a>) -> Option<Head<'a>> {
        match &local.kind {
            LocalKind::Key(_) | LocalKind::Var { .. } => None,
            LocalKind::Let(expr, src) => {
                self.current.used_lets.insert(Place {
                    source: src.source,
                    span: expr.span,
                });
                let inner = Scope {
                    src: *src,
                    view: Rc::clone(&scope.view),
                    frame: scope.frame,
                    locals: local.next.clone(),
                    uses: scope.uses.clone(),
                };
                Some(Head::Expr(expr, inner))
            }
            LocalKind::Param { arg, scope, .. } => Some(Head::Expr(arg, scope.clone())),
            LocalKind::Opaque(ty) => Some(Head::Opaque(ty.clone())),
        }
    }

    /// The body of the predicate that a call names; `None` where it names none.
    fn template(
        &mut self,
        path: &'a ast::Path,
        args: &'a [Expr],
        span: Span,
        scope: &Scope<'a>,
    ) -> Option<Head<'a>> {
        let names = self.names;
        let Callee::Predicate(predicate) = names.callee(scope.src.unit, &path.parts) else {
            return None;
        };
        self.used_predicates
            .insert((predicate.unit, predicate.ast.name.name.as_str()));
        if predicate.cyclic {
            return Some(Head::Bad);
        }
        let name = &predicate.ast.name.name;
        let place = scope.place(span);
        let params = &predicate.ast.params;
        if params.len() != args.len() {
            let src = self.src(predicate.unit);
            let diagnostic = Diagnostic::error(
                "E0407",
                format!(
                    "the predicate `{name}` takes {}, and {} given",
                    count(params.len(), "argument"),
                    given(args.len())
                ),
                place,
                "here",
            )
            .with_label(src.place(predicate.ast.name.span), "declared here");
            self.report(diagnostic, scope);
            return Some(Head::Bad);
        }
        let mut inner = Scope {
            src: self.src(predicate.unit),
            view: Rc::clone(&scope.view),
            frame: scope.frame,
            locals: None,
            uses: Some(Rc::new(Use {
                name: name.clone(),
                place,
                outer: scope.uses.clone(),
            })),
        };
        for ((param, ty), arg) in params.iter().zip(&predicate.params).zip(args) {
            if ty.is_none() && !self.event_argument(arg, &param.name, name, scope) {
                return Some(Head::Bad);
            }
            inner = inner.with(
                &param.name.name,
                LocalKind::Param {
                    arg,
                    scope: scope.clone(),
                    ty: ty.clone(),
                },
            );
        }
        Some(Head::Expr(&predicate.ast.body, inner))
    }

    /// Whether something can be given for an `event` parameter; reports where not.
    fn event_argument(
        &mut self,
        arg: &'a Expr,
        param: &Ident,
        template: &str,
        scope: &Scope<'a>,
    ) -> bool {
        match &arg.kind {
            ExprKind::Error => return false,
            ExprKind::Pattern(_)
            | ExprKind::Name(_)
            | ExprKind::Call(..)
            | ExprKind::Field(..)
            | ExprKind::State(_)
            | ExprKind::Paren(_)
            | ExprKind::Bool(_) => return true,
            ExprKind::Unary(op, _) if *op != UnaryOp::Neg => {}
            ExprKind::Binary(op, ..) if temporal_binary(*op) || logical_binary(*op) => {}
            ExprKind::Form(_) => {}
            _ => {
                self.error(
                    "E0408",
                    format!(
                        "`{template}` takes an event for `{}`, not a value",
                        param.name
                    ),
                    arg.span,
                    "a value",
                    "give a pattern such as `call t`, or a formula in parentheses",
                    scope,
                );
                return false;
            }
        }
        let text = self.folded(scope, arg.span);
        let diagnostic = Diagnostic::error(
            "E0408",
            format!("a formula given for `{}` stands in parentheses", param.name),
            scope.place(arg.span),
            "not in parentheses",
        )
        .with_help(format!("write `({text})`"));
        self.report(diagnostic, scope);
        false
    }

    /// Whether an expression is an event pattern once names are followed.
    pub(super) fn as_pattern(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> AsPattern<'a> {
        let (expr, scope) = match self.expand(expr, scope) {
            Head::Expr(expr, scope) => (expr, scope),
            Head::Opaque(None) => return AsPattern::Opaque,
            Head::Opaque(Some(_)) | Head::Bad => return AsPattern::Bad,
        };
        let names = self.names;
        let unit = scope.src.unit;
        let event = match &expr.kind {
            ExprKind::Pattern(pattern) => {
                return AsPattern::Yes(Source {
                    kind: SourceKind::Pattern(pattern),
                    conditions: &pattern.conditions,
                    span: expr.span,
                    scope,
                });
            }
            ExprKind::Name(name) if scope.local(&name.name).is_none() => (
                names.callee(unit, std::slice::from_ref(name)),
                &[] as &[Expr],
            ),
            ExprKind::Field(base, name) => match &base.kind {
                ExprKind::Name(alias) if scope.local(&alias.name).is_none() => (
                    names.callee(unit, &[alias.clone(), name.clone()]),
                    &[] as &[Expr],
                ),
                _ => return AsPattern::No(expr, scope),
            },
            ExprKind::Call(path, args) => (names.callee(unit, &path.parts), args.as_slice()),
            _ => return AsPattern::No(expr, scope),
        };
        match event {
            (Callee::Event(event), conditions) => AsPattern::Yes(Source {
                kind: SourceKind::Event(event.id, &event.name, &event.fields),
                conditions,
                span: expr.span,
                scope,
            }),
            (Callee::Silent, _) => AsPattern::Bad,
            _ => AsPattern::No(expr, scope),
        }
    }

    /// Whether an expression reads as a formula rather than as a condition.
    pub(super) fn is_formula(&self, expr: &Expr, scope: &Scope<'a>) -> bool {
        self.reads_as_formula(expr, scope, 0)
    }

    /// [`Checker::is_formula`], following at most so many predicates into each other.
    fn reads_as_formula(&self, expr: &Expr, scope: &Scope<'a>, followed: u32) -> bool {
        const MOST_FOLLOWED: u32 = 8;
        match &expr.kind {
            ExprKind::Pattern(_) | ExprKind::State(_) | ExprKind::Form(_) => true,
            ExprKind::Unary(op, inner) => {
                temporal_unary(*op)
                    || (*op == UnaryOp::Not && self.reads_as_formula(inner, scope, followed))
            }
            ExprKind::Binary(op, a, b) => {
                temporal_binary(*op)
                    || (logical_binary(*op)
                        && (self.reads_as_formula(a, scope, followed)
                            || self.reads_as_formula(b, scope, followed)))
            }
            ExprKind::Paren(inner) => self.reads_as_formula(inner, scope, followed),
            ExprKind::Name(name) => match scope.local(&name.name).map(|l| &l.kind) {
                Some(LocalKind::Opaque(ty)) => ty.is_none(),
                Some(_) => false,
                None => matches!(
                    self.names
                        .callee(scope.src.unit, std::slice::from_ref(name)),
                    Callee::Event(_)
                ),
            },
            ExprKind::Call(path, _) => match self.names.callee(scope.src.unit, &path.parts) {
                Callee::Event(_) => true,
                Callee::Predicate(predicate) => {
                    predicate.params.iter().any(Option::is_none)
                        || (!predicate.cyclic && followed < MOST_FOLLOWED && {
                            let mut inner = scope.clone();
                            inner.src = self.src(predicate.unit);
                            inner.locals = None;
                            self.reads_as_formula(&predicate.ast.body, &inner, followed + 1)
                        })
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// "1 argument", "2 arguments".
pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// "1 is", "2 are".
pub(super) fn given(n: usize) -> String {
    if n == 1 {
        "1 is".to_owned()
    } else {
        format!("{n} are")
    }
}
