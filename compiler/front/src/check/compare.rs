//! Comparisons and tests of values, and the types that they take (language reference, section 6).

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind};

use super::expand::Head;
use super::scope::Scope;
use super::typing::{self, Classes};
use super::value::Val;
use super::{Checker, regex};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Coerce, CompareOp, Const, Expr as IrExpr, ExprId, Json, Step};
use crate::suggest::nearest;
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn compare(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let left = self.value(a, scope);
        let right = self.value(b, scope);
        let op = match op {
            BinaryOp::Ne => CompareOp::Ne,
            BinaryOp::Lt => CompareOp::Lt,
            BinaryOp::Le => CompareOp::Le,
            BinaryOp::Gt => CompareOp::Gt,
            BinaryOp::Ge => CompareOp::Ge,
            _ => CompareOp::Eq,
        };
        let id = self.tables.expr(IrExpr::Compare(op, left.id, right.id));
        let mut value = Val::new(id, Type::Bool);
        value.bad = left.bad || right.bad;
        if value.bad {
            return value;
        }
        for (side, span) in [(&left, a.span), (&right, b.span)] {
            if side.set {
                self.set_misused(span, scope);
                return value;
            }
        }
        let (x, y) = (typing::classes(&left.ty), typing::classes(&right.ty));
        let order = !matches!(op, CompareOp::Eq | CompareOp::Ne);
        let common = if order {
            x.and(y).and(Classes::ORDERED)
        } else {
            x.and(y)
        };
        if !common.meets(Classes::ALL) {
            self.unlike(a, &left, b, &right, order, whole, scope);
            return value;
        }
        if !order {
            self.known(&left.ty, b, &right, scope);
            self.known(&right.ty, a, &left, scope);
            self.never_equal(&left.ty, right.id, b.span, scope);
            self.never_equal(&right.ty, left.id, a.span, scope);
            self.compared_with_truth(op, [(a, &left), (b, &right)], whole.span, scope);
        }
        value
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "two operands, each with its tree"
    )]
    pub(super) fn unlike(
        &mut self,
        a: &'a Expr,
        left: &Val,
        b: &'a Expr,
        right: &Val,
        order: bool,
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) {
        let (x, y) = (typing::classes(&left.ty), typing::classes(&right.ty));
        let (a_text, b_text) = (self.folded(scope, a.span), self.folded(scope, b.span));
        let message = if order && x.and(y).meets(Classes::ALL) {
            format!(
                "each of `{a_text}` and `{b_text}` is {}, which has no order",
                typing::described(&left.ty)
            )
        } else {
            format!(
                "`{a_text}` is {} and `{b_text}` is {}: they are never {}",
                typing::described(&left.ty),
                typing::described(&right.ty),
                if order { "in order" } else { "equal" }
            )
        };
        let mut diagnostic =
            Diagnostic::error("E0500", message, scope.place(whole.span), "unlike types")
                .with_label(scope.place(a.span), typing::described(&left.ty))
                .with_label(scope.place(b.span), typing::described(&right.ty));
        // The usual slips.
        for (value, other, expr, text) in [(left, y, a, &a_text), (right, x, b, &b_text)] {
            let constant = self.tables.get_expr(value.id).cloned();
            let place = scope.place(expr.span);
            let rewrite = |title: String, new: String| Fix {
                title,
                edits: vec![(place, new)],
                safe: false,
            };
            match constant {
                Some(IrExpr::Const(Const::Str(s))) if other == Classes::TIME => {
                    diagnostic = diagnostic
                        .with_help(format!("a moment is written `timestamp({s:?})`"))
                        .with_fix(rewrite(
                            "write a timestamp".to_owned(),
                            format!("timestamp({text})"),
                        ));
                }
                Some(IrExpr::Const(Const::Number(n))) if other == Classes::DURATION => {
                    diagnostic =
                        diagnostic.with_help(format!("a duration has a unit: `{n}s`, `{n}min`"));
                }
                Some(IrExpr::Const(Const::Str(s)))
                    if other == Classes::NUMBER
                        && s.parse::<f64>().is_ok()
                        && s.bytes().all(|b| b.is_ascii_digit() || b == b'.') =>
                {
                    diagnostic = diagnostic
                        .with_help(format!("write the number without quotes: `{s}`"))
                        .with_fix(rewrite("drop the quotes".to_owned(), s));
                }
                Some(IrExpr::Const(Const::Number(n))) if other == Classes::STRING => {
                    diagnostic =
                        diagnostic.with_help(format!("a string is never a number: write `\"{n}\"`, or `number(...)` on the other side"));
                }
                Some(IrExpr::Const(Const::Null)) => {
                    diagnostic = diagnostic.with_help(
                        "whether a field is there is asked with `has(field)`; one that may be null is declared `T | null`",
                    );
                }
                _ => {}
            }
        }
        self.report(diagnostic, scope);
    }

    /// Reports a constant that is none of the values that a type has.
    pub(super) fn known(&mut self, ty: &Type, expr: &'a Expr, value: &Val, scope: &Scope<'a>) {
        let Some(values) = typing::known_values(ty) else {
            return;
        };
        let found = match self.tables.get_expr(value.id) {
            Some(IrExpr::Const(Const::Str(s))) => Json::Str(s.clone()),
            Some(IrExpr::Const(Const::Number(n))) => Json::Number(n.clone()),
            Some(IrExpr::Const(Const::Bool(b))) => Json::Bool(*b),
            _ => return,
        };
        if values.contains(&found) || matches!(found, Json::Number(_)) {
            return;
        }
        let place = scope.place(expr.span);
        let diagnostic = Diagnostic::error(
            "E0502",
            format!(
                "`{}` is none of the values that the field can have",
                typing::json(&found)
            ),
            place,
            "unknown value",
        );
        let strings: Vec<&str> = values
            .iter()
            .filter_map(|v| match v {
                Json::Str(s) => Some(s.as_str()),
                _ => None,
            })
            .collect();
        let guess = match &found {
            Json::Str(s) => nearest(s, strings.iter().copied()),
            _ => None,
        };
        let diagnostic = match guess {
            Some(guess) => diagnostic
                .with_help(format!("did you mean `{guess:?}`?"))
                .with_fix(Fix {
                    title: format!("write `{guess:?}`"),
                    edits: vec![(place, format!("{guess:?}"))],
                    safe: false,
                }),
            None => {
                let shown: Vec<String> = values
                    .iter()
                    .take(8)
                    .map(|value| format!("`{}`", typing::json(value)))
                    .collect();
                diagnostic.with_help(format!("its values are {}", shown.join(", ")))
            }
        };
        self.report(diagnostic, scope);
    }

    /// A list as the list of its elements, each read as its type says.
    pub(super) fn elements(&mut self, value: &Val) -> ExprId {
        let Some(element) = typing::element(&value.ty) else {
            return value.id;
        };
        let coerce = typing::coerce(&element);
        if coerce == Coerce::None {
            return value.id;
        }
        match self.tables.get_expr(value.id).cloned() {
            Some(IrExpr::Path {
                base,
                mut steps,
                coerce: Coerce::None,
            }) if !steps.contains(&Step::All) => {
                steps.push(Step::All);
                self.tables.expr(IrExpr::Path {
                    base,
                    steps,
                    coerce,
                })
            }
            Some(IrExpr::Root(_) | IrExpr::Read { .. } | IrExpr::Lookup(..)) => {
                self.tables.expr(IrExpr::Path {
                    base: value.id,
                    steps: vec![Step::All],
                    coerce,
                })
            }
            _ => value.id,
        }
    }

    pub(super) fn membership(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let left = self.value(a, scope);
        let right = self.value(b, scope);
        let list = if right.set {
            right.id
        } else {
            self.elements(&right)
        };
        let id = self.tables.expr(IrExpr::In(left.id, list));
        let id = if op == BinaryOp::NotIn {
            self.tables.expr(IrExpr::Not(id))
        } else {
            id
        };
        let mut value = Val::new(id, Type::Bool);
        value.bad = left.bad || right.bad;
        if value.bad {
            return value;
        }
        if left.set {
            self.set_misused(a.span, scope);
            return value;
        }
        let classes = typing::classes(&right.ty);
        if !right.set && !classes.meets(Classes::LIST.or(Classes::RECORD)) {
            let help = if classes.meets(Classes::STRING) {
                let (x, y) = (self.folded(scope, a.span), self.folded(scope, b.span));
                format!("a part of a text is asked for with `contains`: `{y} contains {x}`")
            } else {
                "write a list, `[1, 2]`".to_owned()
            };
            self.error(
                "E0509",
                format!(
                    "`in` needs a list, and this is {}",
                    typing::described(&right.ty)
                ),
                b.span,
                typing::described(&right.ty),
                help,
                scope,
            );
            return value;
        }
        // A list that is written out is compared element by element.
        if let ExprKind::List(items) = &b.kind {
            let ids = match self.tables.get_expr(right.id) {
                Some(IrExpr::List(ids)) => ids.clone(),
                _ => Vec::new(),
            };
            for (item, id) in items.iter().zip(ids) {
                let (element, _) = self.apart(|this| this.value(item, scope));
                if element.bad {
                    continue;
                }
                let element = Val::new(id, element.ty);
                let (x, y) = (typing::classes(&left.ty), typing::classes(&element.ty));
                if x.meets(y) {
                    self.known(&left.ty, item, &element, scope);
                    self.never_equal(&left.ty, id, item.span, scope);
                } else {
                    self.unlike(a, &left, item, &element, false, item, scope);
                    return value;
                }
            }
            return value;
        }
        let element = if right.set {
            Some(right.ty.clone())
        } else if classes.meets(Classes::LIST) {
            typing::element(&right.ty)
        } else {
            Some(Type::String)
        };
        if let Some(element) = element {
            let other = Val::new(right.id, element);
            if typing::classes(&left.ty).meets(typing::classes(&other.ty)) {
                self.known(&other.ty, a, &left, scope);
            } else {
                let text = self.folded(scope, b.span);
                let left_text = self.folded(scope, a.span);
                self.error(
                    "E0500",
                    format!(
                        "`{left_text}` is {}, and each element of `{text}` is {}: it is never one of them",
                        typing::described(&left.ty),
                        typing::described(&other.ty)
                    ),
                    whole.span,
                    "unlike types",
                    "",
                    scope,
                );
            }
        }
        value
    }

    /// Reports an operand that is no string.
    pub(super) fn needs_string(
        &mut self,
        word: &str,
        value: &Val,
        span: Span,
        scope: &Scope<'a>,
    ) -> bool {
        if value.bad {
            return false;
        }
        if value.set {
            self.set_misused(span, scope);
            return false;
        }
        let classes = typing::classes(&value.ty);
        if classes.meets(Classes::STRING) {
            return true;
        }
        let text = self.folded(scope, span);
        let help = if classes.meets(Classes::LIST) {
            format!(
                "ask of its elements: `some x in {text}: x {word} ...` or `every x in {text}: x {word} ...`"
            )
        } else {
            format!("`text({text})` is its text")
        };
        self.error(
            "E0509",
            format!(
                "`{word}` takes a string, and `{text}` is {}",
                typing::described(&value.ty)
            ),
            span,
            typing::described(&value.ty),
            help,
            scope,
        );
        false
    }

    pub(super) fn matches(&mut self, a: &'a Expr, b: &'a Expr, scope: &Scope<'a>) -> Val {
        let left = self.value(a, scope);
        self.needs_string("matches", &left, a.span, scope);
        let (pattern, flags, span, inner) = match self.expand(b, scope) {
            Head::Expr(found, inner) => match &found.kind {
                ExprKind::Regex { pattern, flags } => (pattern, flags, found.span, inner),
                // Whatever is no regular expression was reported by the parser.
                _ => return self.bad(),
            },
            Head::Opaque(_) | Head::Bad => return self.bad(),
        };
        match regex::check(pattern, flags, span, inner.src.text) {
            Ok(regex) => {
                let regex = self.tables.regex(regex);
                let id = self.tables.expr(IrExpr::Matches(left.id, regex));
                let mut value = Val::new(id, Type::Bool);
                value.bad = left.bad;
                value
            }
            Err(problem) => {
                let mut diagnostic = Diagnostic::error(
                    problem.code,
                    problem.message,
                    inner.place(problem.span),
                    problem.label,
                );
                if !problem.help.is_empty() {
                    diagnostic = diagnostic.with_help(problem.help);
                }
                self.report(diagnostic, &inner);
                Val::new(left.id, Type::Bool)
            }
        }
    }

    pub(super) fn string_test(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let left = self.value(a, scope);
        let right = self.value(b, scope);
        let word = match op {
            BinaryOp::Like => "like",
            BinaryOp::StartsWith => "starts with",
            BinaryOp::EndsWith => "ends with",
            _ => "inside",
        };
        if self.needs_string(word, &left, a.span, scope)
            && self.needs_string(word, &right, b.span, scope)
            && op == BinaryOp::Inside
        {
            self.relative_directory(right.id, b.span, scope);
        }
        let id = self.tables.expr(match op {
            BinaryOp::Like => IrExpr::Like(left.id, right.id),
            BinaryOp::StartsWith => IrExpr::StartsWith(left.id, right.id),
            BinaryOp::EndsWith => IrExpr::EndsWith(left.id, right.id),
            _ => IrExpr::Inside(left.id, right.id),
        });
        let mut value = Val::new(id, Type::Bool);
        value.bad = left.bad || right.bad;
        value
    }

    pub(super) fn contains(&mut self, a: &'a Expr, b: &'a Expr, scope: &Scope<'a>) -> Val {
        let left = self.value(a, scope);
        let right = self.value(b, scope);
        let list = if left.set {
            left.id
        } else {
            self.elements(&left)
        };
        let id = self.tables.expr(IrExpr::Contains(list, right.id));
        let mut value = Val::new(id, Type::Bool);
        value.bad = left.bad || right.bad;
        if value.bad {
            return value;
        }
        if right.set {
            self.set_misused(b.span, scope);
            return value;
        }
        let classes = typing::classes(&left.ty);
        if !left.set && !classes.meets(Classes::STRING.or(Classes::LIST)) {
            let text = self.folded(scope, a.span);
            self.error(
                "E0509",
                format!(
                    "`contains` takes a string or a list, and `{text}` is {}",
                    typing::described(&left.ty)
                ),
                a.span,
                typing::described(&left.ty),
                "",
                scope,
            );
            return value;
        }
        let mut wanted = if left.set || classes == Classes::ALL {
            typing::classes(&left.ty)
        } else {
            typing::element(&left.ty).map_or(classes.without(Classes::ALL), |e| typing::classes(&e))
        };
        if !left.set && classes.meets(Classes::STRING) {
            wanted = wanted.or(Classes::STRING);
        }
        if !typing::classes(&right.ty).meets(wanted) {
            let (x, y) = (self.folded(scope, a.span), self.folded(scope, b.span));
            self.error(
                "E0500",
                format!(
                    "`{x}` is {} and `{y}` is {}: it is never a part",
                    typing::described(&left.ty),
                    typing::described(&right.ty)
                ),
                b.span,
                typing::described(&right.ty),
                "",
                scope,
            );
        } else if let Some(element) = typing::element(&left.ty) {
            self.known(&element, b, &right, scope);
        }
        value
    }
}
