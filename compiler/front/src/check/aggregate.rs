//! Session aggregates (language reference, section 6).

use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, BinaryOp, Bound, Expr, ExprKind, UnaryOp};

use super::Checker;
use super::expand::{AsPattern, Source, count, given};
use super::pattern::merge;
use super::scope::Scope;
use super::typing::{self, Classes};
use super::value::Val;
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{Const, Expr as IrExpr, ExprId, PatternId, Register, RegisterKind};
use crate::types::Type;

/// The events of an aggregate, deadline or window.
pub(super) struct Member<'a> {
    /// A Boolean combination of patterns.
    pub(super) expr: ExprId,
    /// The patterns.
    pub(super) patterns: Vec<PatternId>,
    /// Those that stand positively, as written.
    pub(super) sources: Vec<Source<'a>>,
}

/// The aggregate of a name.
fn kind(name: &str) -> Option<RegisterKind> {
    Some(match name {
        "count" => RegisterKind::Count,
        "streak" => RegisterKind::Streak,
        "sum" => RegisterKind::Sum,
        "min" => RegisterKind::Min,
        "max" => RegisterKind::Max,
        "latest" => RegisterKind::Latest,
        "first" => RegisterKind::First,
        "values" => RegisterKind::Values,
        "elapsed" => RegisterKind::Elapsed,
        "mentioned" => RegisterKind::Texts,
        _ => return None,
    })
}

impl<'a> Checker<'a> {
    /// A Boolean combination of patterns; reports what else is in it. `None` where that was reported,
    /// or where it stands for a parameter of a predicate that is read by itself.
    pub(super) fn member(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
        timed: bool,
    ) -> Option<Member<'a>> {
        let mut member = Member {
            expr: ExprId(0),
            patterns: Vec::new(),
            sources: Vec::new(),
        };
        member.expr = self.member_expr(expr, scope, timed, true, &mut member)?;
        if timed && self.holds_without_event(member.expr) {
            self.timed_absence(expr, scope);
            return None;
        }
        Some(member)
    }

    /// Reports an operand of a bound in time that no event has to meet.
    fn timed_absence(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        let text = self.folded(scope, expr.span);
        let mut inner = expr;
        while let ExprKind::Paren(next) = &inner.kind {
            inner = next;
        }
        // `not call b` is said as `call any except b`.
        let instead = match &inner.kind {
            ExprKind::Unary(UnaryOp::Not, negated) => {
                let negated = self.folded(scope, negated.span);
                let mut words = negated.split(' ');
                match (words.next(), words.next(), words.next()) {
                    (
                        Some(kind @ ("call" | "return" | "success" | "failure" | "unknown")),
                        Some(tool),
                        None,
                    ) if !tool.contains('(') && tool != "any" => {
                        Some(format!("write `{kind} any except {tool}`"))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let help = instead.unwrap_or_else(|| {
            "name the events that count: `call any except b`, or `call any and not call b`"
                .to_owned()
        });
        self.error(
            "E0446",
            format!(
                "`{text}` holds at events that no pattern fits, and a bound in time counts events"
            ),
            expr.span,
            "no event is named",
            help,
            scope,
        );
    }

    fn member_expr(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
        timed: bool,
        positive: bool,
        member: &mut Member<'a>,
    ) -> Option<ExprId> {
        if !self.enter(expr.span, scope) {
            return None;
        }
        let id = self.member_inner(expr, scope, timed, positive, member);
        self.leave();
        id
    }

    fn member_inner(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
        timed: bool,
        positive: bool,
        member: &mut Member<'a>,
    ) -> Option<ExprId> {
        let (inner, inner_scope) = match self.as_pattern(expr, scope) {
            AsPattern::Yes(source) => {
                let patterns = self.pattern(&source, &[])?;
                let ids: Vec<ExprId> = patterns
                    .iter()
                    .map(|p| self.tables.expr(IrExpr::Pattern(*p)))
                    .collect();
                member.patterns.extend(patterns);
                if positive {
                    member.sources.push(source);
                }
                return Some(match ids.as_slice() {
                    [] => self.tables.constant(Const::Bool(false)),
                    [only] => *only,
                    _ => self.tables.expr(IrExpr::Or(ids)),
                });
            }
            AsPattern::Opaque | AsPattern::Bad => return None,
            AsPattern::No(inner, inner_scope) => (inner, inner_scope),
        };
        match &inner.kind {
            ExprKind::Error => None,
            ExprKind::Bool(value) => Some(self.tables.constant(Const::Bool(*value))),
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.member_expr(a, &inner_scope, timed, !positive, member)?;
                Some(self.tables.expr(IrExpr::Not(a)))
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.member_expr(a, &inner_scope, timed, positive, member);
                let b = self.member_expr(b, &inner_scope, timed, positive, member);
                let both = vec![a?, b?];
                Some(self.tables.expr(if *op == BinaryOp::And {
                    IrExpr::And(both)
                } else {
                    IrExpr::Or(both)
                }))
            }
            ExprKind::Binary(BinaryOp::Implies, a, b) => {
                let a = self.member_expr(a, &inner_scope, timed, !positive, member);
                let b = self.member_expr(b, &inner_scope, timed, positive, member);
                let (a, b) = (a?, b?);
                let a = self.tables.expr(IrExpr::Not(a));
                Some(self.tables.expr(IrExpr::Or(vec![a, b])))
            }
            ExprKind::Earlier(_) | ExprKind::Within(..) => {
                self.misplaced(inner, &inner_scope);
                None
            }
            _ if timed => {
                self.error(
                    "E0430",
                    "a bound in time needs events here: patterns joined by `and`, `or` and `not`",
                    expr.span,
                    "no event pattern",
                    "write a pattern such as `call t`; for formulas give a bound in steps",
                    scope,
                );
                None
            }
            kind => {
                // `count(pay)`: the name of a tool alone.
                let tool = match kind {
                    ExprKind::Name(name) => Some(name.name.as_str()),
                    _ => None,
                }
                .filter(|name| !self.names.tools_named(scope.src.unit, name).is_empty());
                let help = match tool {
                    Some(tool) => format!(
                        "`{tool}` is a tool: write `call {tool}`, `success {tool}` or another event of it"
                    ),
                    None => "write a pattern such as `call t(field == 1)`".to_owned(),
                };
                self.error(
                    "E0445",
                    "an aggregate is over the events that a pattern fits, and this is no pattern",
                    expr.span,
                    "no event pattern",
                    help,
                    scope,
                );
                None
            }
        }
    }

    /// How many keys a register over these events has; reports patterns that do not agree.
    pub(super) fn register_keys(
        &mut self,
        member: &Member<'a>,
        span: Span,
        scope: &Scope<'a>,
    ) -> Option<u32> {
        let keyed = |this: &Self, id: &PatternId| {
            this.tables
                .get_pattern(*id)
                .is_some_and(|p| !p.keys.is_empty())
        };
        let some = member.patterns.iter().any(|p| keyed(self, p));
        let all = member.patterns.iter().all(|p| keyed(self, p));
        if some && !all {
            self.error(
                "E0443",
                "some of these patterns bind the contract's key and some do not",
                span,
                "they are remembered together",
                "bind the key in all of them or in none",
                scope,
            );
            return None;
        }
        if some {
            return u32::try_from(self.current.keys.len()).ok();
        }
        Some(0)
    }

    /// An aggregate; `None` where the name is no aggregate's.
    pub(super) fn aggregate(
        &mut self,
        name: &str,
        args: &'a [Expr],
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<Val> {
        let kind = kind(name)?;
        Some(
            self.read_aggregate(name, kind, args, whole, scope)
                .unwrap_or_else(|| self.bad()),
        )
    }

    fn read_aggregate(
        &mut self,
        name: &str,
        kind: RegisterKind,
        args: &'a [Expr],
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<Val> {
        if self.in_aggregate {
            self.error(
                "E0438",
                "an aggregate cannot stand inside another aggregate",
                whole.span,
                "inside an aggregate",
                "an aggregate remembers events by their own fields; compare aggregates outside",
                scope,
            );
            return None;
        }
        let wanted = match kind {
            RegisterKind::Count | RegisterKind::Streak | RegisterKind::Elapsed => 1,
            _ => 2,
        };
        if args.len() != wanted {
            let shape = match (kind, wanted) {
                (RegisterKind::Texts, _) => "mentioned(P, value)".to_owned(),
                (_, 1) => format!("{name}(P)"),
                _ => format!("{name}(P, expr)"),
            };
            self.error(
                "E0407",
                format!(
                    "`{name}` takes {}, and {} given",
                    count(wanted, "argument"),
                    given(args.len())
                ),
                whole.span,
                "here",
                format!("write `{shape}`, P a pattern such as `call t`"),
                scope,
            );
            return None;
        }
        let (first, second) = (args.first()?, args.get(1));
        let (pattern, earlier, window) = self.modifiers(name, kind, first, scope)?;

        let outer_use = self.key_use.take();
        let (member, value) = self.framed(|this| {
            this.in_aggregate = true;
            let member = this.member(pattern, scope, false);
            let value = match (&member, second) {
                (Some(member), Some(expr)) if kind != RegisterKind::Texts => {
                    this.key_use = None;
                    this.member_value(name, kind, member, expr, scope)
                }
                _ => Some(None),
            };
            this.in_aggregate = false;
            (member, value)
        });
        let value_use = self.key_use.take();
        self.key_use = outer_use;
        // The value of `mentioned` is this event's: it is read even where the pattern is wrong.
        let text = match (kind, second) {
            (RegisterKind::Texts, Some(expr)) => Some(self.value(expr, scope)),
            _ => None,
        };
        let member = member?;
        let keys = self.register_keys(&member, pattern.span, scope)?;
        if keys == 0
            && let Some((place, what)) = value_use
        {
            let diagnostic = Diagnostic::error(
                "E0441",
                format!("{what} is used in an aggregate whose pattern does not bind it"),
                place,
                "has no one value here",
            )
            .with_help("bind every key in the pattern with a condition `field == key`");
            self.report(diagnostic, scope);
            return None;
        }
        if keys > 0 && self.key_use.is_none() {
            self.key_use = Some((
                scope.place(whole.span),
                "an aggregate of the contract's key".to_owned(),
            ));
        }
        let value = value?;
        let register = self.tables.register(Register {
            kind,
            member: member.expr,
            value: value.as_ref().map(|v| v.id),
            window,
            keys,
        });
        if let Some(text) = text {
            let id = self.tables.expr(IrExpr::Mentioned {
                register,
                value: text.id,
                earlier,
            });
            return Some(Val::new(id, Type::Bool));
        }
        let id = self.tables.expr(IrExpr::Read { register, earlier });
        let value_type = value.map_or(Type::Any, |v| v.ty);
        let ty = match kind {
            RegisterKind::Count | RegisterKind::Streak => typing::int(),
            RegisterKind::Sum | RegisterKind::Min | RegisterKind::Max => typing::number(),
            RegisterKind::Elapsed => Type::Duration,
            _ => value_type,
        };
        let mut val = Val::new(id, ty);
        val.set = kind == RegisterKind::Values;
        Some(val)
    }

    /// Takes `earlier` and `within` off an aggregate's pattern.
    fn modifiers(
        &mut self,
        name: &str,
        kind: RegisterKind,
        first: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<(&'a Expr, bool, Option<i64>)> {
        let mut pattern = first;
        let mut earlier = false;
        let mut window = None;
        loop {
            match &pattern.kind {
                ExprKind::Earlier(inner) => {
                    earlier = true;
                    pattern = inner;
                }
                ExprKind::Within(inner, bound) => {
                    let (nanos, span) = match bound {
                        Bound::Time { nanos, span } => (*nanos, *span),
                        Bound::Steps { span, .. } => {
                            self.error(
                                "E0437",
                                "the window of an aggregate is a time, not a number of steps",
                                *span,
                                "steps",
                                "write a time such as `within 10min`",
                                scope,
                            );
                            return None;
                        }
                    };
                    if matches!(
                        kind,
                        RegisterKind::Streak | RegisterKind::Elapsed | RegisterKind::First
                    ) {
                        let help = match kind {
                            RegisterKind::Elapsed => "compare it: `elapsed(P) <= 10min`",
                            _ => "leave the window out",
                        };
                        self.error(
                            "E0437",
                            format!("`{name}` takes no window"),
                            span,
                            "no meaning here",
                            help,
                            scope,
                        );
                        return None;
                    }
                    window = Some(nanos);
                    pattern = inner;
                }
                ExprKind::Paren(inner)
                    if matches!(inner.kind, ExprKind::Earlier(_) | ExprKind::Within(..)) =>
                {
                    pattern = inner;
                }
                _ => return Some((pattern, earlier, window)),
            }
        }
    }

    /// The value that an aggregate takes from its events.
    fn member_value(
        &mut self,
        name: &str,
        kind: RegisterKind,
        member: &Member<'a>,
        expr: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<Option<Val>> {
        let frame = self.frame;
        let mut findings = Vec::new();
        let mut typed: Vec<Val> = Vec::new();
        let mut untyped: Vec<Val> = Vec::new();
        let mut listed = true;
        for source in &member.sources {
            let targets = self.targets(source)?;
            listed &= targets.form != Some(super::tools::SelectionForm::Any);
            for candidate in targets.candidates {
                let inner = scope.seeing(Rc::clone(&candidate.view), frame);
                let (value, found) = self.apart(|this| {
                    // `values` leaves out what is missing.
                    let lenient = u32::from(kind == RegisterKind::Values);
                    this.lenient += lenient;
                    let mut value = this.value(expr, &inner);
                    this.lenient -= lenient;
                    if kind == RegisterKind::Values && !value.set {
                        value.id = this.elements(&value);
                    }
                    value
                });
                // A tool without the field gives no value and has no say in how it is read.
                if !found.iter().any(|d| d.severity == Severity::Error) {
                    if candidate.typed {
                        typed.push(value);
                    } else {
                        untyped.push(value);
                    }
                }
                findings.push((candidate.typed, found));
            }
        }
        let values = if typed.is_empty() { untyped } else { typed };
        let found = merge(findings, listed, &self.soft);
        let failed = found.iter().any(|d| d.severity == Severity::Error);
        self.diagnostics.extend(found);
        if failed {
            return None;
        }
        let Some(first) = values.first().cloned() else {
            self.error(
                "E0445",
                format!("no event is named whose value `{name}` could take"),
                expr.span,
                "belongs to no event here",
                "`not call t` only says which events it leaves out; name those that are meant, too: `call any and not call t`",
                scope,
            );
            return None;
        };
        if let Some(other) = values.iter().find(|v| v.id != first.id) {
            self.error(
                "E0444",
                format!(
                    "the tools declare this value differently: {} and {}",
                    typing::described(&first.ty),
                    typing::described(&other.ty)
                ),
                expr.span,
                "read in two ways",
                "make one aggregate for each group of tools",
                scope,
            );
            return None;
        }
        if first.set {
            self.set_misused(expr.span, scope);
            return None;
        }
        if matches!(
            kind,
            RegisterKind::Sum | RegisterKind::Min | RegisterKind::Max
        ) {
            let wrong = values
                .iter()
                .find(|v| !typing::classes(&v.ty).meets(Classes::NUMBER));
            if let Some(wrong) = wrong {
                self.error(
                    "E0507",
                    format!(
                        "`{name}` is over numbers, and this is {}",
                        typing::described(&wrong.ty)
                    ),
                    expr.span,
                    typing::described(&wrong.ty),
                    "",
                    scope,
                );
                return None;
            }
        }
        let ty = typing::union(values.iter().map(|v| v.ty.clone()));
        // Lists are spread: the members of the set are their elements.
        let ty = if kind == RegisterKind::Values {
            typing::element(&ty).unwrap_or(ty)
        } else {
            ty
        };
        Some(Some(Val { ty, ..first }))
    }

    /// Reports a set where a single value is needed.
    pub(super) fn set_misused(&mut self, span: Span, scope: &Scope<'a>) {
        self.error(
            "E0439",
            "`values(...)` is a set: ask what is `in` it, what it `contains`, its `len`, or `every`/`some` of it",
            span,
            "a set",
            "for one value there are `latest(P, expr)` and `first(P, expr)`",
            scope,
        );
    }

    /// Whether a name is an aggregate's.
    pub(super) fn is_aggregate(path: &ast::Path) -> bool {
        matches!(path.parts.as_slice(), [name] if kind(&name.name).is_some())
    }
}
