//! Readable forms, each written out as its formula (language reference, section 4).

use ctr_grammar::Span;
use ctr_grammar::ast::{Bound, Expr, ExprKind, Form, TimesCmp};

use super::expand::{AsPattern, Source, SourceKind};
use super::formula::implies;
use super::pattern::Extra;
use super::scope::{Scope, View};
use super::{Checker, Looking, MAX_FORMULA, MAX_TIMES};
use crate::ir::{CompareOp, Const, Expr as IrExpr, Formula, Register, RegisterKind};

fn always(f: Formula) -> Formula {
    Formula::Always(Box::new(f))
}

fn not(f: Formula) -> Formula {
    Formula::Not(Box::new(f))
}

/// How many nodes a formula has.
fn size(formula: &Formula) -> usize {
    1 + formula.parts().into_iter().map(size).sum::<usize>()
}

/// P at `n` steps or more: `eventually (P and next eventually (P and ...))`.
fn at_least(p: &Formula, n: u64) -> Formula {
    let mut formula: Option<Formula> = None;
    for _ in 0..n {
        let here = match formula {
            None => p.clone(),
            Some(rest) => Formula::And(vec![p.clone(), Formula::Next(Box::new(rest))]),
        };
        formula = Some(Formula::Eventually(Box::new(here)));
    }
    formula.unwrap_or(Formula::True)
}

impl<'a> Checker<'a> {
    /// A readable form as its formula.
    pub(super) fn form(
        &mut self,
        expr: &'a Expr,
        form: &'a Form,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        if !self.future_allowed(expr.span, scope) {
            return None;
        }
        match form {
            Form::Never(p) => Some(always(not(self.formula(p, scope)?))),
            Form::NeverAfter { p, q, .. } => {
                let p = self.formula(p, scope);
                let q = self.formula(q, scope);
                let never = always(not(p?));
                Some(always(implies(q?, Formula::WeakNext(Box::new(never)))))
            }
            Form::OnlyAfter { p, q, within, .. } => self.only_after(p, q, within.as_ref(), scope),
            Form::OnlyIf { p, cond } => self.only_if(p, cond, scope),
            Form::OnlyWhile { p, f } => {
                let p = self.formula(p, scope);
                // What holds while is past or state: it looks back, or at this step alone.
                self.past.push(Looking::While(scope.place(expr.span)));
                let f = self.formula(f, scope);
                self.past.pop();
                Some(always(implies(p?, f?)))
            }
            Form::LeadsTo { p, q, within } => self.leads_to(expr, p, q, within.as_ref(), scope),
            Form::ImmediatelyLeadsTo { p, q } => {
                let p = self.formula(p, scope);
                let q = self.formula(q, scope);
                Some(always(implies(p?, Formula::Next(Box::new(q?)))))
            }
            Form::Times {
                p,
                cmp,
                count,
                consecutive,
                within,
            } => self.times(expr, p, *cmp, *count, *consecutive, within.as_ref(), scope),
        }
    }

    fn only_after(
        &mut self,
        p: &'a Expr,
        q: &'a Expr,
        within: Option<&'a Bound>,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        match within {
            None => {
                let p = self.formula(p, scope);
                let q = self.formula(q, scope);
                Some(Formula::Unless(Box::new(not(p?)), Box::new(q?)))
            }
            Some(Bound::Time { nanos, span }) => {
                let timed = self.member(p, scope, true).is_some();
                let p_formula = if timed { self.formula(p, scope) } else { None };
                let member = self.member(q, scope, true);
                let keys = member
                    .as_ref()
                    .and_then(|m| self.register_keys(m, q.span, scope));
                let (p, member, keys) = (p_formula?, member?, keys?);
                let register = self.tables.register(Register {
                    kind: RegisterKind::Elapsed,
                    member: member.expr,
                    value: None,
                    window: None,
                    keys,
                });
                let fresh = self.tables.expr(IrExpr::Fresh {
                    register,
                    within: *nanos,
                });
                let text = format!(
                    "{} within {}",
                    self.folded(scope, q.span),
                    self.folded(scope, *span)
                );
                let fresh = self.atom(fresh, text, None);
                Some(always(implies(p, fresh)))
            }
            // Reported by the parser.
            Some(Bound::Steps { .. }) => None,
        }
    }

    fn leads_to(
        &mut self,
        expr: &'a Expr,
        p: &'a Expr,
        q: &'a Expr,
        within: Option<&'a Bound>,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        if let Some(Bound::Time { .. }) = within {
            self.error(
                "E0429",
                "a deadline in time stands at the top of a clause",
                expr.span,
                "inside a formula",
                "make it a `guarantee` of its own, or join it to others with `and` at the top; a deadline in steps (`within 3 steps`) can stand anywhere",
                scope,
            );
            return None;
        }
        let p = self.formula(p, scope);
        let q = self.formula(q, scope);
        let (p, q) = (p?, q?);
        let response = match within {
            Some(Bound::Steps { count, span }) => {
                self.bounded(*count, *span, &q, scope)?;
                let mut ahead: Option<Formula> = None;
                for _ in 0..*count {
                    let here = match ahead {
                        None => q.clone(),
                        Some(rest) => Formula::Or(vec![q.clone(), rest]),
                    };
                    ahead = Some(Formula::Next(Box::new(here)));
                }
                ahead.unwrap_or(Formula::False)
            }
            _ => Formula::Eventually(Box::new(q)),
        };
        Some(always(implies(p, response)))
    }

    /// Whether a number can be written out; reports where not.
    fn bounded(
        &mut self,
        count: u64,
        span: Span,
        repeated: &Formula,
        scope: &Scope<'a>,
    ) -> Option<()> {
        if count > MAX_TIMES {
            self.error(
                "E0431",
                format!("a form can count to {MAX_TIMES} at most, and this is `{count}`"),
                span,
                "too large",
                "count with an aggregate instead: `call t only if count(call t) <= 5000`",
                scope,
            );
            return None;
        }
        let nodes = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_mul(size(repeated));
        if nodes > MAX_FORMULA {
            self.error(
                "E0431",
                format!("written out, the form has more than {MAX_FORMULA} parts"),
                span,
                "too large",
                "count with an aggregate instead: `call t only if count(call t) <= 500`",
                scope,
            );
            return None;
        }
        Some(())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one form")]
    fn times(
        &mut self,
        expr: &'a Expr,
        p: &'a Expr,
        cmp: TimesCmp,
        count: u64,
        consecutive: bool,
        within: Option<&'a Bound>,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        let undefined = |this: &mut Self, what: &str, help: &str| {
            this.error(
                "E0432",
                format!("{what} has no meaning"),
                expr.span,
                "this combination",
                help,
                scope,
            );
        };
        if consecutive && (cmp != TimesCmp::AtMost || within.is_some()) {
            undefined(
                self,
                "`consecutive` with anything but `at most`",
                "write `P at most n consecutive times`: no longer run of steps with P",
            );
            return None;
        }
        match within {
            // Reported by the parser.
            Some(Bound::Steps { .. }) => return None,
            Some(Bound::Time { nanos, .. }) => {
                if cmp != TimesCmp::AtMost {
                    undefined(
                        self,
                        "`at least` or `exactly` in a window of time",
                        "a window ends at each P, the first too: only `at most` can be kept in it",
                    );
                    return None;
                }
                return self.times_within(expr, p, count, *nanos, scope);
            }
            None => {}
        }
        let p = self.formula(p, scope)?;
        self.bounded(count, expr.span, &p, scope)?;
        if consecutive {
            // No run of n + 1 steps.
            let mut run = p.clone();
            for _ in 0..count {
                run = Formula::And(vec![p.clone(), Formula::Next(Box::new(run))]);
            }
            return Some(always(not(run)));
        }
        let at_most = |n: u64| not(at_least(&p, n + 1));
        Some(match cmp {
            TimesCmp::AtMost => at_most(count),
            TimesCmp::AtLeast => at_least(&p, count),
            TimesCmp::Exactly if count == 0 => at_most(0),
            TimesCmp::Exactly => Formula::And(vec![at_most(count), at_least(&p, count)]),
        })
    }

    /// `always (P implies count(P within d) <= n)`
    fn times_within(
        &mut self,
        expr: &'a Expr,
        p: &'a Expr,
        count: u64,
        window: i64,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        let member = self.member(p, scope, true)?;
        let keys = self.register_keys(&member, p.span, scope)?;
        let formula = self.formula(p, scope)?;
        let register = self.tables.register(Register {
            kind: RegisterKind::Count,
            member: member.expr,
            value: None,
            window: Some(window),
            keys,
        });
        let read = self.tables.expr(IrExpr::Read {
            register,
            earlier: false,
        });
        let limit = self.tables.constant(Const::Number(count.to_string()));
        let condition = self
            .tables
            .expr(IrExpr::Compare(CompareOp::Le, read, limit));
        let text = self.folded(scope, expr.span);
        let condition = self.atom(condition, text, None);
        Some(always(implies(formula, condition)))
    }

    /// `P only if cond`: no P of which `cond` is false. The condition is part of the pattern, so that
    /// both are one atom.
    fn only_if(&mut self, p: &'a Expr, cond: &'a Expr, scope: &Scope<'a>) -> Option<Formula> {
        let mut sources = Vec::new();
        match self.alternatives(p, p, scope, &mut sources) {
            Alternatives::Patterns => {}
            Alternatives::Opaque => {
                // A predicate that is read by itself: its condition may read any field.
                let inner = scope.seeing(std::rc::Rc::new(View::Opaque), self.frame);
                self.condition(cond, &inner);
                return None;
            }
            Alternatives::Bad => return None,
        }
        if let Some(first) = sources.first()
            && let Some(other) = sources.iter().find(|s| family(s) != family(first))
        {
            let diagnostic = crate::diagnostic::Diagnostic::error(
                "E0428",
                "the events before `only if` are of different kinds",
                other.scope.place(other.span),
                "another kind",
            )
            .with_label(first.scope.place(first.span), "one kind")
            .with_help("the condition reads the event's fields: write a clause for each kind");
            self.report(diagnostic, scope);
            return None;
        }
        let extra = [Extra {
            expr: cond,
            scope: scope.clone(),
        }];
        let mut patterns = Vec::new();
        let mut complete = true;
        for source in &sources {
            match self.pattern(source, &extra) {
                Some(found) => patterns.extend(found),
                None => complete = false,
            }
        }
        if !complete {
            return None;
        }
        let remedy = self.folded(scope, cond.span);
        Some(always(not(self.pattern_atoms(&patterns, Some(&remedy)))))
    }

    /// The patterns of `P` or `(P1 or P2)`.
    fn alternatives(
        &mut self,
        whole: &'a Expr,
        expr: &'a Expr,
        scope: &Scope<'a>,
        sources: &mut Vec<Source<'a>>,
    ) -> Alternatives {
        match self.as_pattern(expr, scope) {
            AsPattern::Yes(source) => {
                sources.push(source);
                Alternatives::Patterns
            }
            AsPattern::Opaque => Alternatives::Opaque,
            AsPattern::Bad => Alternatives::Bad,
            AsPattern::No(inner, inner_scope) => match &inner.kind {
                ExprKind::Binary(ctr_grammar::ast::BinaryOp::Or, a, b) => {
                    let a = self.alternatives(whole, a, &inner_scope, sources);
                    if a == Alternatives::Bad {
                        return a;
                    }
                    let b = self.alternatives(whole, b, &inner_scope, sources);
                    match (a, b) {
                        (_, Alternatives::Bad) => Alternatives::Bad,
                        (Alternatives::Patterns, Alternatives::Patterns) => Alternatives::Patterns,
                        _ => Alternatives::Opaque,
                    }
                }
                ExprKind::Error => Alternatives::Bad,
                _ => {
                    self.error(
                        "E0428",
                        "`only if` needs an event before it, since its condition reads that event's fields",
                        whole.span,
                        "no event pattern",
                        "write a pattern (`call t only if ...`) or several of one kind (`(call t or call u) only if ...`); for formulas there is `only while`",
                        scope,
                    );
                    Alternatives::Bad
                }
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternatives {
    Patterns,
    Opaque,
    Bad,
}

/// Patterns of one family have the same fields.
fn family(source: &Source<'_>) -> (u8, u32) {
    use ctr_grammar::ast::PatternKind as K;
    match source.kind {
        SourceKind::Event(id, ..) => (4, id.0),
        SourceKind::Pattern(pattern) => match pattern.kind {
            K::Call => (0, 0),
            K::Return | K::Success | K::Failure | K::Unknown => (1, 0),
            K::Input => (2, 0),
            K::Output => (3, 0),
        },
    }
}
