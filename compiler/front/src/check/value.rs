//! Conditions and values (language reference, section 6).

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};

use super::expand::{Head, temporal_binary, temporal_unary};
use super::names::{BUILTINS, Callee};
use super::scope::{LocalKind, Scope};
use super::typing::{self, Classes};
use super::{Checker, text};
use crate::ir::{Const, Expr as IrExpr, ExprId};
use crate::types::Type;

/// A value that was read.
#[derive(Clone, Debug)]
pub(super) struct Val {
    /// The expression.
    pub(super) id: ExprId,
    /// Its type.
    pub(super) ty: Type,
    /// Whether it is the set of `values(...)`; the type is then its members'.
    pub(super) set: bool,
    /// Whether it is wrong in a way that was reported: nothing more is to be said of it.
    pub(super) bad: bool,
}

impl Val {
    pub(super) fn new(id: ExprId, ty: Type) -> Self {
        Self {
            id,
            ty,
            set: false,
            bad: false,
        }
    }
}

impl<'a> Checker<'a> {
    /// The value of something that was reported.
    pub(super) fn bad(&mut self) -> Val {
        Val {
            id: self.tables.constant(Const::Null),
            ty: Type::Any,
            set: false,
            bad: true,
        }
    }

    fn constant(&mut self, value: Const, ty: Type) -> Val {
        Val::new(self.tables.constant(value), ty)
    }

    /// An expression read as a condition.
    pub(super) fn condition(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> ExprId {
        let value = self.value(expr, scope);
        if value.bad {
            return value.id;
        }
        if value.set {
            self.set_misused(expr.span, scope);
        } else if !typing::classes(&value.ty).meets(Classes::BOOL) {
            let text = self.folded(scope, expr.span);
            self.error(
                "E0510",
                format!(
                    "a condition is needed here, and `{text}` is {}",
                    typing::described(&value.ty)
                ),
                expr.span,
                typing::described(&value.ty),
                "compare it with something",
                scope,
            );
        }
        value.id
    }

    /// An expression read as a value.
    pub(super) fn value(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Val {
        if !self.enter(expr.span, scope) {
            return self.bad();
        }
        let value = self.value_inner(expr, scope);
        self.leave();
        value
    }

    fn value_inner(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Val {
        match &expr.kind {
            ExprKind::Error => self.bad(),
            ExprKind::Null => self.constant(Const::Null, Type::Null),
            ExprKind::Bool(value) => self.constant(Const::Bool(*value), Type::Bool),
            ExprKind::Number(text) => self.constant(
                Const::Number(text.clone()),
                if text.bytes().all(|b| b.is_ascii_digit()) {
                    typing::int()
                } else {
                    typing::number()
                },
            ),
            ExprKind::Duration(nanos) => self.constant(Const::Duration(*nanos), Type::Duration),
            ExprKind::Str(text) => self.constant(Const::Str(text.clone()), Type::String),
            ExprKind::Regex { .. } => {
                self.error(
                    "E0505",
                    "a regular expression stands only after `matches`",
                    expr.span,
                    "no value",
                    "write `field matches /.../`",
                    scope,
                );
                self.bad()
            }
            ExprKind::List(items) => self.list(items, scope),
            ExprKind::Record(_) => {
                self.error(
                    "E0516",
                    "a record can be written only in a test",
                    expr.span,
                    "a record",
                    "compare field by field",
                    scope,
                );
                self.bad()
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::All(_) => {
                self.path(expr, scope)
            }
            ExprKind::Call(..) => self.call(expr, scope),
            ExprKind::Pattern(_) => {
                self.error(
                    "E0422",
                    "an event pattern stands in a condition",
                    expr.span,
                    "an event",
                    "a condition is about values; ask how often it happened, `count(call t) > 0`, or write a formula: `P only while once call t`",
                    scope,
                );
                self.bad()
            }
            ExprKind::State(inner) | ExprKind::Paren(inner) => self.value(inner, scope),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.condition(inner, scope);
                let id = self.tables.expr(IrExpr::Not(inner));
                Val::new(id, Type::Bool)
            }
            ExprKind::Unary(UnaryOp::Neg, inner) => self.negation(inner, scope),
            ExprKind::Unary(op, inner) if temporal_unary(*op) => {
                let span = text::core(
                    scope.src.text,
                    Span::new(expr.span.start, inner.span.start.max(expr.span.start)),
                );
                self.temporal(span, scope);
                self.bad()
            }
            ExprKind::Binary(op, a, b) if temporal_binary(*op) => {
                let span = text::core(scope.src.text, Span::new(a.span.end, b.span.start));
                self.temporal(span, scope);
                self.bad()
            }
            ExprKind::Binary(op, a, b) => self.binary_value(expr, *op, a, b, scope),
            ExprKind::Quantified {
                all,
                var,
                list,
                body,
            } => self.quantified(*all, var, list, body, scope),
            ExprKind::Earlier(_) | ExprKind::Within(..) => {
                self.misplaced(expr, scope);
                self.bad()
            }
            ExprKind::Form(_) => {
                self.temporal(expr.span, scope);
                self.bad()
            }
            ExprKind::Unary(..) => self.bad(),
        }
    }

    /// Reports an operator of time in a condition.
    fn temporal(&mut self, span: Span, scope: &Scope<'a>) {
        let word = self.folded(scope, span);
        self.error(
            "E0421",
            format!("`{word}` speaks of other steps, and a condition is about one"),
            span,
            "in a condition",
            "write it in the formula, outside braces and patterns; of the past a condition can ask aggregates such as `count(call t) > 0`",
            scope,
        );
    }

    fn list(&mut self, items: &'a [Expr], scope: &Scope<'a>) -> Val {
        let mut ids = Vec::new();
        let mut types = Vec::new();
        let mut bad = false;
        for item in items {
            let value = self.value(item, scope);
            if value.set {
                self.set_misused(item.span, scope);
            }
            bad |= value.bad || value.set;
            ids.push(value.id);
            types.push(value.ty);
        }
        let id = self.tables.expr(IrExpr::List(ids));
        let mut value = Val::new(id, Type::List(Box::new(typing::union(types))));
        value.bad = bad;
        value
    }

    fn negation(&mut self, inner: &'a Expr, scope: &Scope<'a>) -> Val {
        let value = self.value(inner, scope);
        if value.bad {
            return value;
        }
        let classes = typing::classes(&value.ty);
        if value.set || !classes.meets(Classes::NUMBER.or(Classes::DURATION)) {
            self.not_numeric("-", &value, inner.span, scope);
            return self.bad();
        }
        let folded = match self.tables.get_expr(value.id) {
            Some(IrExpr::Const(Const::Number(text))) => {
                Some(Const::Number(match text.strip_prefix('-') {
                    Some(positive) => positive.to_owned(),
                    None => format!("-{text}"),
                }))
            }
            Some(IrExpr::Const(Const::Duration(nanos))) => {
                Some(Const::Duration(nanos.saturating_neg()))
            }
            _ => None,
        };
        let id = match folded {
            Some(folded) => self.tables.constant(folded),
            None => self.tables.expr(IrExpr::Neg(value.id)),
        };
        let ty = match value.ty {
            // Bounds do not survive.
            Type::Int(_) => typing::int(),
            Type::Number(_) => typing::number(),
            other => other,
        };
        Val::new(id, ty)
    }

    fn not_numeric(&mut self, op: &str, value: &Val, span: Span, scope: &Scope<'a>) {
        if value.set {
            self.set_misused(span, scope);
            return;
        }
        let text = self.folded(scope, span);
        let mut help = String::new();
        if typing::classes(&value.ty).meets(Classes::STRING) {
            help = format!("`number({text})` is the number that a string is");
        }
        self.error(
            "E0507",
            format!(
                "`{op}` takes numbers and durations, and `{text}` is {}",
                typing::described(&value.ty)
            ),
            span,
            typing::described(&value.ty),
            help,
            scope,
        );
    }

    fn binary_value(
        &mut self,
        expr: &'a Expr,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                self.logical(op, a, b, scope)
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => self.compare(op, a, b, expr, scope),
            BinaryOp::In | BinaryOp::NotIn => self.membership(op, a, b, expr, scope),
            BinaryOp::Matches => self.matches(a, b, scope),
            BinaryOp::Contains => self.contains(a, b, scope),
            BinaryOp::Like | BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Inside => {
                self.string_test(op, a, b, scope)
            }
            BinaryOp::Coalesce => self.coalesce(a, b, expr, scope),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.arithmetic(op, a, b, expr, scope),
            BinaryOp::Until | BinaryOp::Unless | BinaryOp::Release | BinaryOp::Since => self.bad(),
        }
    }

    fn logical(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr, scope: &Scope<'a>) -> Val {
        let guards = self.guards.len();
        // `has(x) and ...`, `has(x) implies ...` and `not has(x) or ...` guard `x`.
        self.guards_of(op, a, scope);
        if op == BinaryOp::And || op == BinaryOp::Or {
            self.guards_of(op, b, scope);
        }
        let left = self.condition(a, scope);
        let right = self.condition(b, scope);
        self.guards.truncate(guards);
        let id = match op {
            BinaryOp::And => {
                let all = self.joined(left, right, true);
                self.tables.expr(IrExpr::And(all))
            }
            BinaryOp::Or => {
                let all = self.joined(left, right, false);
                self.tables.expr(IrExpr::Or(all))
            }
            BinaryOp::Implies => {
                let not = self.tables.expr(IrExpr::Not(left));
                self.tables.expr(IrExpr::Or(vec![not, right]))
            }
            _ => self.tables.expr(IrExpr::Iff(left, right)),
        };
        Val::new(id, Type::Bool)
    }

    fn joined(&self, left: ExprId, right: ExprId, and: bool) -> Vec<ExprId> {
        let mut all = Vec::new();
        for id in [left, right] {
            match self.tables.get_expr(id) {
                Some(IrExpr::And(parts)) if and => all.extend(parts.iter().copied()),
                Some(IrExpr::Or(parts)) if !and => all.extend(parts.iter().copied()),
                _ => all.push(id),
            }
        }
        all
    }

    fn guards_of(&mut self, op: BinaryOp, expr: &'a Expr, scope: &Scope<'a>) {
        let Head::Expr(inner, inner_scope) = self.expand(expr, scope) else {
            return;
        };
        match (op, &inner.kind) {
            (BinaryOp::And | BinaryOp::Implies, ExprKind::Binary(BinaryOp::And, a, b)) => {
                self.guards_of(op, a, &inner_scope);
                self.guards_of(op, b, &inner_scope);
            }
            (BinaryOp::Or, ExprKind::Binary(BinaryOp::Or, a, b)) => {
                self.guards_of(op, a, &inner_scope);
                self.guards_of(op, b, &inner_scope);
            }
            (BinaryOp::Or, ExprKind::Unary(UnaryOp::Not, not)) => self.guard(not, &inner_scope),
            (BinaryOp::And | BinaryOp::Implies, _) => self.guard(inner, &inner_scope),
            _ => {}
        }
    }

    fn coalesce(&mut self, a: &'a Expr, b: &'a Expr, whole: &'a Expr, scope: &Scope<'a>) -> Val {
        self.lenient += 1;
        let left = self.value(a, scope);
        self.lenient -= 1;
        let right = self.value(b, scope);
        let id = self.tables.expr(IrExpr::Coalesce(left.id, right.id));
        let mut value = Val::new(id, typing::union([left.ty.clone(), right.ty.clone()]));
        value.bad = left.bad || right.bad;
        if value.bad {
            return value;
        }
        for (side, span) in [(&left, a.span), (&right, b.span)] {
            if side.set {
                self.set_misused(span, scope);
                value.bad = true;
                return value;
            }
        }
        if right.ty != Type::Null
            && !typing::classes(&typing::non_null(&left.ty)).meets(typing::classes(&right.ty))
        {
            self.unlike(a, &left, b, &right, false, whole, scope);
            value.bad = true;
        }
        value
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let left = self.value(a, scope);
        let right = self.value(b, scope);
        let id = self.tables.expr(match op {
            BinaryOp::Add => IrExpr::Add(left.id, right.id),
            BinaryOp::Sub => IrExpr::Sub(left.id, right.id),
            _ => IrExpr::Mul(left.id, right.id),
        });
        if left.bad || right.bad {
            return self.bad();
        }
        let word = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            _ => "*",
        };
        let amount = Classes::NUMBER.or(Classes::DURATION);
        let allowed = if op == BinaryOp::Mul {
            amount
        } else {
            amount.or(Classes::TIME)
        };
        for (side, span) in [(&left, a.span), (&right, b.span)] {
            if side.set || !typing::classes(&side.ty).meets(allowed) {
                self.not_numeric(word, side, span, scope);
                return self.bad();
            }
        }
        let (x, y) = (
            typing::classes(&left.ty).and(allowed),
            typing::classes(&right.ty).and(allowed),
        );
        let (n, d, t) = (Classes::NUMBER, Classes::DURATION, Classes::TIME);
        let mut results: Vec<Type> = Vec::new();
        let mut rule = |left: Classes, right: Classes, result: Type| {
            if x.meets(left) && y.meets(right) {
                results.push(result);
            }
        };
        match op {
            BinaryOp::Mul => {
                rule(n, n, typing::number());
                rule(n, d, Type::Duration);
                rule(d, n, Type::Duration);
            }
            BinaryOp::Add => {
                rule(n, n, typing::number());
                rule(d, d, Type::Duration);
                rule(t, d, Type::Timestamp);
                rule(d, t, Type::Timestamp);
            }
            _ => {
                rule(n, n, typing::number());
                rule(d, d, Type::Duration);
                rule(t, d, Type::Timestamp);
                rule(t, t, Type::Duration);
            }
        }
        if results.is_empty() {
            self.error(
                "E0507",
                format!(
                    "`{word}` has no meaning between {} and {}",
                    typing::described(&left.ty),
                    typing::described(&right.ty)
                ),
                whole.span,
                "unlike types",
                "numbers go with numbers; a duration can be added to a timestamp or a duration",
                scope,
            );
            return self.bad();
        }
        if op == BinaryOp::Mul && !self.is_constant(left.id) && !self.is_constant(right.id) {
            self.error(
                "E0506",
                "one factor of `*` must be a constant",
                whole.span,
                "product of two unknowns",
                "arithmetic is linear, so that contracts can be compared with each other; let a lookup or the tool compute the product",
                scope,
            );
            return self.bad();
        }
        let unknown = left.ty == Type::Any || right.ty == Type::Any;
        let ty = if unknown && results.len() > 1 {
            Type::Any
        } else {
            typing::union(results)
        };
        Val::new(id, ty)
    }

    /// Whether an expression reads nothing.
    fn is_constant(&self, id: ExprId) -> bool {
        match self.tables.get_expr(id) {
            Some(IrExpr::Const(_)) => true,
            Some(IrExpr::Add(a, b) | IrExpr::Sub(a, b) | IrExpr::Mul(a, b)) => {
                self.is_constant(*a) && self.is_constant(*b)
            }
            Some(IrExpr::Neg(a)) => self.is_constant(*a),
            _ => false,
        }
    }

    fn quantified(
        &mut self,
        all: bool,
        var: &'a Ident,
        list: &'a Expr,
        body: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let values = self.value(list, scope);
        let element = if values.set {
            Some(values.ty.clone())
        } else {
            typing::element(&values.ty)
        };
        let element = match element {
            Some(element) => element,
            None if values.bad => Type::Any,
            None => {
                let text = self.folded(scope, list.span);
                let word = if all { "every" } else { "some" };
                self.error(
                    "E0508",
                    format!(
                        "`{word}` goes over a list, and `{text}` is {}",
                        typing::described(&values.ty)
                    ),
                    list.span,
                    typing::described(&values.ty),
                    "",
                    scope,
                );
                Type::Any
            }
        };
        let inner = scope.with(
            &var.name,
            LocalKind::Var {
                level: self.vars,
                frame: self.frame,
                ty: element,
            },
        );
        self.vars += 1;
        let body = self.condition(body, &inner);
        self.vars -= 1;
        // The variable itself is read as its type says, so that the list stays as it is.
        let id = self.tables.expr(if all {
            IrExpr::Every(values.id, body)
        } else {
            IrExpr::Some(values.id, body)
        });
        Val::new(id, Type::Bool)
    }

    /// A call in a condition: an aggregate, a function, a lookup or a predicate.
    fn call(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Val {
        let ExprKind::Call(path, args) = &expr.kind else {
            return self.bad();
        };
        if let [name] = path.parts.as_slice() {
            if Self::is_aggregate(path)
                && let Some(value) = self.aggregate(&name.name, args, expr, scope)
            {
                return value;
            }
            if BUILTINS.contains(&name.name.as_str()) {
                return self.function(&name.name, args, expr, scope);
            }
        }
        let names = self.names;
        match names.callee(scope.src.unit, &path.parts) {
            Callee::Lookup(lookup) => self.lookup(lookup, path, args, expr, scope),
            Callee::Predicate(_) => match self.expand(expr, scope) {
                Head::Expr(inner, inner_scope) => self.value(inner, &inner_scope),
                Head::Opaque(_) | Head::Bad => self.bad(),
            },
            Callee::Event(_) => {
                self.error(
                    "E0422",
                    "an event pattern stands in a condition",
                    expr.span,
                    "an event",
                    "a condition is about values; ask how often it happened, `count(P) > 0`, or write a formula",
                    scope,
                );
                self.bad()
            }
            Callee::Silent => self.bad(),
            Callee::NotInModule(target) => {
                self.not_in_module(&path.parts, target, scope);
                self.bad()
            }
            Callee::Unknown => {
                self.unknown_callee(&path.parts, path.span, scope);
                self.bad()
            }
        }
    }
}
