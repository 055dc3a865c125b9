//! Formulas (language reference, section 4).

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Bound, Expr, ExprKind, Form, Ident, UnaryOp};

use super::expand::{AsPattern, Head, Source, logical_binary, temporal_binary, temporal_unary};
use super::names::{BUILTINS, Callee};
use super::scope::{LocalKind, Scope, View};
use super::{Checker, Looking, suggest, text};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Atom, Const, Deadline, Expr as IrExpr, ExprId, Formula, PatternId};
use crate::suggest::nearest;

/// Whether an expression can only be a value or a condition.
fn value_like(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null
        | ExprKind::Number(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Regex { .. }
        | ExprKind::List(_)
        | ExprKind::Record(_)
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::All(_)
        | ExprKind::Quantified { .. } => true,
        ExprKind::Unary(op, _) => *op == UnaryOp::Neg,
        ExprKind::Binary(op, ..) => !temporal_binary(*op) && !logical_binary(*op),
        _ => false,
    }
}

/// Operators that stand before a formula, and so before a parenthesis.
const OPERATORS: [&str; 8] = [
    "always",
    "eventually",
    "historically",
    "never",
    "next",
    "not",
    "once",
    "previously",
];

impl<'a> Checker<'a> {
    /// A clause's formula and deadlines. Deadlines stand at the top, or in a conjunction there.
    pub(super) fn clause(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<(Formula, Vec<Deadline>)> {
        if !self.enter(expr.span, scope) {
            return None;
        }
        let result = self.clause_inner(expr, scope);
        self.leave();
        result
    }

    fn clause_inner(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<(Formula, Vec<Deadline>)> {
        if let Head::Expr(inner, inner_scope) = self.expand(expr, scope) {
            match &inner.kind {
                ExprKind::Binary(BinaryOp::And, a, b) => {
                    let a = self.clause(a, &inner_scope);
                    let b = self.clause(b, &inner_scope);
                    let ((a, mut deadlines), (b, more)) = (a?, b?);
                    deadlines.extend(more);
                    return Some((and(a, b), deadlines));
                }
                ExprKind::Form(form) => {
                    if let Form::LeadsTo {
                        p,
                        q,
                        within: Some(Bound::Time { nanos, .. }),
                    } = &**form
                    {
                        let deadline = self.deadline(inner, p, q, *nanos, &inner_scope)?;
                        return Some((Formula::True, vec![deadline]));
                    }
                }
                _ => {}
            }
        }
        self.formula(expr, scope).map(|f| (f, Vec::new()))
    }

    fn deadline(
        &mut self,
        form: &'a Expr,
        p: &'a Expr,
        q: &'a Expr,
        within: i64,
        scope: &Scope<'a>,
    ) -> Option<Deadline> {
        let trigger = self.member(p, scope, true);
        let response = self.member(q, scope, true);
        Some(Deadline {
            trigger: trigger?.expr,
            response: response?.expr,
            within,
            text: self.folded(scope, form.span),
        })
    }

    /// An expression read as a formula; `None` where that was reported, or where it stands for a
    /// parameter of a predicate that is read by itself.
    pub(super) fn formula(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<Formula> {
        if !self.enter(expr.span, scope) {
            return None;
        }
        let formula = self.formula_inner(expr, scope);
        self.leave();
        formula
    }

    fn formula_inner(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<Formula> {
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Bool(true) => Some(Formula::True),
            ExprKind::Bool(false) => Some(Formula::False),
            ExprKind::Paren(inner) => self.formula(inner, scope),
            ExprKind::Pattern(_) | ExprKind::Name(_) | ExprKind::Call(..) | ExprKind::Field(..) => {
                match self.as_pattern(expr, scope) {
                    AsPattern::Yes(source) => self.pattern_formula(&source),
                    AsPattern::Opaque | AsPattern::Bad => None,
                    AsPattern::No(inner, inner_scope) => {
                        if std::ptr::eq(inner, expr) {
                            self.no_formula(expr, scope);
                            None
                        } else if value_like(inner) {
                            self.needs_braces(expr, scope);
                            None
                        } else {
                            self.formula(inner, &inner_scope)
                        }
                    }
                }
            }
            ExprKind::State(condition) => self.state(expr, condition, scope),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                Some(Formula::Not(Box::new(self.formula(inner, scope)?)))
            }
            ExprKind::Unary(op, inner) if temporal_unary(*op) => {
                self.unary(expr, *op, inner, scope)
            }
            ExprKind::Binary(op, a, b) if logical_binary(*op) => {
                let a = self.formula(a, scope);
                let b = self.formula(b, scope);
                let (a, b) = (a?, b?);
                Some(match op {
                    BinaryOp::And => and(a, b),
                    BinaryOp::Or => or(a, b),
                    BinaryOp::Implies => implies(a, b),
                    _ => Formula::Iff(Box::new(a), Box::new(b)),
                })
            }
            ExprKind::Binary(op, a, b) if temporal_binary(*op) => {
                self.binary(expr, *op, a, b, scope)
            }
            ExprKind::Form(form) => self.form(expr, form, scope),
            ExprKind::Quantified { .. } | ExprKind::Binary(..) => {
                self.needs_braces(expr, scope);
                None
            }
            ExprKind::Earlier(_) | ExprKind::Within(..) => {
                self.misplaced(expr, scope);
                None
            }
            _ => {
                self.error(
                    "E0433",
                    "a formula is needed here, and this is a value",
                    expr.span,
                    "a value",
                    "formulas are made of patterns (`call t`), conditions in braces (`{ctx.x == 1}`) and operators",
                    scope,
                );
                None
            }
        }
    }

    fn unary(
        &mut self,
        expr: &'a Expr,
        op: UnaryOp,
        inner: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        let place = Span::new(expr.span.start, inner.span.start.max(expr.span.start));
        let place = text::core(scope.src.text, place);
        let past = matches!(
            op,
            UnaryOp::Previously | UnaryOp::WeakPreviously | UnaryOp::Once | UnaryOp::Historically
        );
        if past {
            self.past.push(Looking::Back(scope.place(place)));
        } else if !self.future_allowed(place, scope) {
            self.formula(inner, scope);
            return None;
        }
        let inner = self.formula(inner, scope);
        if past {
            self.past.pop();
        }
        let inner = Box::new(inner?);
        Some(match op {
            UnaryOp::Next => Formula::Next(inner),
            UnaryOp::WeakNext => Formula::WeakNext(inner),
            UnaryOp::Always => Formula::Always(inner),
            UnaryOp::Eventually => Formula::Eventually(inner),
            UnaryOp::Previously => Formula::Previously(inner),
            UnaryOp::WeakPreviously => Formula::WeakPreviously(inner),
            UnaryOp::Once => Formula::Once(inner),
            UnaryOp::Historically => Formula::Historically(inner),
            UnaryOp::Not | UnaryOp::Neg => Formula::Not(inner),
        })
    }

    fn binary(
        &mut self,
        _expr: &'a Expr,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        scope: &Scope<'a>,
    ) -> Option<Formula> {
        let place = text::core(scope.src.text, Span::new(a.span.end, b.span.start));
        let past = op == BinaryOp::Since;
        if past {
            self.past.push(Looking::Back(scope.place(place)));
        }
        let allowed = past || self.future_allowed(place, scope);
        let a = self.formula(a, scope);
        let b = self.formula(b, scope);
        if past {
            self.past.pop();
        }
        if !allowed {
            return None;
        }
        let (a, b) = (Box::new(a?), Box::new(b?));
        Some(match op {
            BinaryOp::Unless => Formula::Unless(a, b),
            BinaryOp::Release => Formula::Release(a, b),
            BinaryOp::Since => Formula::Since(a, b),
            _ => Formula::Until(a, b),
        })
    }

    /// Whether an operator that looks ahead may stand here; reports where not.
    pub(super) fn future_allowed(&mut self, span: Span, scope: &Scope<'a>) -> bool {
        let Some(past) = self.past.last().copied() else {
            return true;
        };
        let word = self.folded(scope, span);
        let diagnostic = match past {
            Looking::Back(past) => Diagnostic::error(
                "E0426",
                format!("`{word}` looks ahead, and stands under an operator that looks back"),
                scope.place(span),
                "looks ahead",
            )
            .with_label(past, "looks back")
            .with_help(
                "turn it round: state what must have happened before with past operators alone, or put the past operator inside the future one",
            ),
            Looking::While(form) => Diagnostic::error(
                "E0426",
                format!("`{word}` looks ahead, and what stands after `only while` is known when the event happens"),
                scope.place(span),
                "looks ahead",
            )
            .with_label(form, "this form")
            .with_help("what must follow an event is said with `leads to`, or `always (P implies ...)`"),
        };
        self.report(diagnostic, scope);
        false
    }

    /// A condition in braces.
    fn state(&mut self, expr: &'a Expr, condition: &'a Expr, scope: &Scope<'a>) -> Option<Formula> {
        let inner = scope.seeing(std::rc::Rc::new(View::State), self.frame);
        let id = self.condition(condition, &inner);
        if let Some(IrExpr::Const(Const::Bool(value))) = self.tables.get_expr(id) {
            return Some(if *value {
                Formula::True
            } else {
                Formula::False
            });
        }
        let text = self.folded(scope, expr.span);
        Some(self.atom(id, text, None))
    }

    /// The atom of a condition or of a pattern.
    pub(super) fn atom(&mut self, expr: ExprId, text: String, remedy: Option<String>) -> Formula {
        let tables = &mut self.tables;
        let id = self
            .current
            .atoms_by_meaning
            .entry(expr)
            .or_insert_with(|| tables.atom(Atom { expr, text, remedy }));
        Formula::Atom(*id)
    }

    /// A pattern as a formula: one atom, or one for each way to read its fields.
    fn pattern_formula(&mut self, source: &Source<'a>) -> Option<Formula> {
        let patterns = self.pattern(source, &[])?;
        Some(self.pattern_atoms(&patterns, None))
    }

    /// Some pattern fits; `remedy` says what has to hold where none is to.
    pub(super) fn pattern_atoms(
        &mut self,
        patterns: &[PatternId],
        remedy: Option<&str>,
    ) -> Formula {
        let mut atoms: Vec<Formula> = Vec::new();
        for id in patterns {
            let text = self
                .tables
                .get_pattern(*id)
                .map(|p| p.text.clone())
                .unwrap_or_default();
            let expr = self.tables.expr(IrExpr::Pattern(*id));
            atoms.push(self.atom(expr, text, remedy.map(str::to_owned)));
        }
        match atoms.len() {
            0 => Formula::False,
            1 => atoms.pop().unwrap_or(Formula::False),
            _ => Formula::Or(atoms),
        }
    }

    /// Reports a condition without braces.
    fn needs_braces(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        // What would be wrong in braces too is the mistake to tell: a field outside its pattern.
        let before = self.diagnostics.len();
        let inner = scope.seeing(std::rc::Rc::new(View::State), self.frame);
        self.condition(expr, &inner);
        let misplaced = |d: &Diagnostic| matches!(d.code, "E0423" | "E0424" | "E0425");
        let found = self.diagnostics.split_off(before);
        if found.iter().any(misplaced) {
            self.diagnostics.extend(found.into_iter().filter(misplaced));
            return;
        }
        let text = self.folded(scope, expr.span);
        let place = scope.place(expr.span);
        let diagnostic = Diagnostic::error(
            "E0420",
            "a condition that stands as a formula goes into braces",
            place,
            "a condition",
        )
        .with_help(format!("write `{{{text}}}`"));
        let diagnostic = diagnostic.with_fix(Fix {
            title: "put it into braces".to_owned(),
            edits: vec![(place, format!("{{{}}}", expr.span.text(scope.src.text)))],
            safe: false,
        });
        self.report(diagnostic, scope);
    }

    /// Reports `earlier` or `within` outside an aggregate.
    pub(super) fn misplaced(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        let word = if matches!(expr.kind, ExprKind::Earlier(_)) {
            "earlier"
        } else {
            "within"
        };
        let help = if word == "within" {
            "a window belongs to an aggregate (`count(call t within 10min)`) or to a readable form (`call t at most 3 times within 10min`)"
        } else {
            "write it before an aggregate's pattern: `count(earlier call t)`; for steps there is `previously`"
        };
        self.error(
            "E0437",
            format!("`{word}` cannot stand here"),
            expr.span,
            "not in an aggregate",
            help,
            scope,
        );
    }

    /// Reports a name, call or field that is no formula.
    fn no_formula(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        let names = self.names;
        let unit = scope.src.unit;
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(local) = scope.local(&name.name) {
                    let what = match &local.kind {
                        LocalKind::Key(_) => "a key",
                        LocalKind::Var { .. } => "a variable",
                        _ => "a value",
                    };
                    self.error(
                        "E0433",
                        format!("a formula is needed here, and `{}` is {what}", name.name),
                        expr.span,
                        what,
                        "",
                        scope,
                    );
                    return;
                }
                match names.callee(unit, std::slice::from_ref(name)) {
                    Callee::Predicate(_) => {
                        self.error(
                            "E0407",
                            format!("the predicate `{}` is used without parentheses", name.name),
                            expr.span,
                            "here",
                            format!("write `{}(...)`", name.name),
                            scope,
                        );
                    }
                    Callee::Lookup(_) => self.needs_braces(expr, scope),
                    Callee::Silent => {}
                    _ => self.unknown_name(name, expr.span, scope),
                }
            }
            ExprKind::Call(path, _) => match names.callee(unit, &path.parts) {
                Callee::Lookup(_) => self.needs_braces(expr, scope),
                Callee::Silent => {}
                Callee::NotInModule(target) => self.not_in_module(&path.parts, target, scope),
                _ => {
                    if let [name] = path.parts.as_slice()
                        && BUILTINS.contains(&name.name.as_str())
                    {
                        self.needs_braces(expr, scope);
                    } else {
                        self.unknown_callee(&path.parts, path.span, scope);
                    }
                }
            },
            ExprKind::Field(base, name) => {
                if let ExprKind::Name(alias) = &base.kind
                    && scope.local(&alias.name).is_none()
                {
                    match names.callee(unit, &[alias.clone(), name.clone()]) {
                        Callee::Silent => return,
                        Callee::NotInModule(target) => {
                            self.not_in_module(&[alias.clone(), name.clone()], target, scope);
                            return;
                        }
                        Callee::Predicate(_) => {
                            self.error(
                                "E0407",
                                format!(
                                    "the predicate `{}` is used without parentheses",
                                    name.name
                                ),
                                expr.span,
                                "here",
                                format!("write `{}.{}(...)`", alias.name, name.name),
                                scope,
                            );
                            return;
                        }
                        _ => {}
                    }
                }
                self.needs_braces(expr, scope);
            }
            _ => self.needs_braces(expr, scope),
        }
    }

    /// Reports a name that an imported file does not have.
    pub(super) fn not_in_module(&mut self, parts: &[Ident], target: usize, scope: &Scope<'a>) {
        let (Some(alias), Some(name)) = (parts.first(), parts.last()) else {
            return;
        };
        let names = self.names;
        let known = names
            .units
            .get(target)
            .map(super::names::UnitNames::callables)
            .unwrap_or_default();
        let path = self.graph.units.get(target).map_or("", |u| u.path.as_str());
        let place = scope.place(name.span);
        let diagnostic = Diagnostic::error(
            "E0403",
            format!("`{}` (`{path}`) has no `{}`", alias.name, name.name),
            place,
            "unknown name",
        );
        let diagnostic = suggest(diagnostic, nearest(&name.name, known), place);
        self.report(diagnostic, scope);
    }

    /// Reports a name that means nothing.
    pub(super) fn unknown_name(&mut self, name: &Ident, span: Span, scope: &Scope<'a>) {
        let names = self.names;
        let mut known: Vec<&str> = scope.local_names();
        if let Some(unit) = names.units.get(scope.src.unit) {
            known.extend(unit.callables());
        }
        let place = scope.place(span);
        let diagnostic = Diagnostic::error(
            "E0400",
            format!("nothing is called `{}` here", name.name),
            place,
            "unknown name",
        );
        let is_tool = !names.tools_named(scope.src.unit, &name.name).is_empty();
        let diagnostic = if is_tool {
            diagnostic.with_help(format!(
                "`{0}` is a tool: write `call {0}`, `success {0}` or another event of it",
                name.name
            ))
        } else {
            match nearest(&name.name, known) {
                Some(guess) => suggest(diagnostic, Some(guess), place),
                None => diagnostic.with_help(format!(
                    "an event of the environment is declared, `event {0}`; a call of a tool is `call {0}`",
                    name.name
                )),
            }
        };
        self.report(diagnostic, scope);
    }

    /// Reports a call of something unknown.
    pub(super) fn unknown_callee(&mut self, parts: &[Ident], span: Span, scope: &Scope<'a>) {
        let Some(name) = parts.last() else { return };
        let names = self.names;
        if parts.len() == 1 && scope.local(&name.name).is_some() {
            self.error(
                "E0400",
                format!("`{}` takes no arguments", name.name),
                span,
                "not a function",
                "",
                scope,
            );
            return;
        }
        let mut known: Vec<&str> = BUILTINS.to_vec();
        if let Some(unit) = names.units.get(scope.src.unit) {
            known.extend(unit.callables());
        }
        let place = scope.place(span);
        let shown: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
        let diagnostic = Diagnostic::error(
            "E0400",
            format!(
                "no function, predicate, lookup or event is called `{}`",
                shown.join(".")
            ),
            place,
            "unknown name",
        );
        let is_tool = !names.tools_named(scope.src.unit, &name.name).is_empty();
        let diagnostic = if is_tool {
            diagnostic.with_help(format!(
                "`{0}` is a tool: write `call {0}(...)`, `success {0}(...)` or another event of it",
                name.name
            ))
        } else if parts.len() == 1 {
            let unit = names.units.get(scope.src.unit);
            let elsewhere = unit.and_then(|unit| {
                unit.imports.iter().find_map(|(alias, target)| {
                    let callables = names.units.get(*target)?.callables();
                    let has = callables.contains(&name.name.as_str());
                    has.then(|| format!("{alias}.{}", name.name))
                })
            });
            let guess = elsewhere
                .as_deref()
                .or_else(|| foreign_function(&name.name))
                .or_else(|| nearest(&name.name, known))
                // An operator with its operand in parentheses reads like a function.
                .or_else(|| nearest(&name.name, OPERATORS));
            suggest(diagnostic, guess, place)
        } else {
            let unit = names.units.get(scope.src.unit);
            let first = parts.first().map_or("", |part| part.name.as_str());
            let alias = unit.and_then(|unit| nearest(first, unit.imports.keys().copied()));
            // `std.declare.response`: a module is known by the last part of its name.
            let module = parts
                .iter()
                .rev()
                .nth(1)
                .filter(|part| {
                    parts.len() > 2
                        && unit.is_some_and(|u| u.imports.contains_key(part.name.as_str()))
                })
                .zip(parts.first());
            if let Some((module, first)) = module {
                let whole = scope.place(first.span.to(module.span));
                let diagnostic = suggest(diagnostic, Some(&module.name), whole).with_help(
                    "an imported module is named by the last part of its path, or as `as` says",
                );
                self.report(diagnostic, scope);
                return;
            }
            match (alias, parts.first()) {
                (Some(alias), Some(part)) => {
                    suggest(diagnostic, Some(alias), scope.place(part.span))
                }
                _ => diagnostic.with_help("the part before the dot is the name of an import"),
            }
        };
        self.report(diagnostic, scope);
    }
}

/// The function that other languages call by this name.
fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "length" | "size" | "strlen" => "len",
        "lowercase" | "to_lower" | "toLowerCase" | "tolower" => "lower",
        "uppercase" | "to_upper" | "toUpperCase" | "toupper" => "upper",
        "strip" => "trim",
        "int" | "float" | "to_number" | "parse_number" => "number",
        "str" | "string" | "to_string" | "toString" => "text",
        "domain" | "hostname" => "host",
        "last" => "latest",
        "exists" => "has",
        "G" | "globally" => "always",
        "F" | "finally" => "eventually",
        "X" => "next",
        "H" => "historically",
        "O" | "P" => "once",
        "Y" => "previously",
        _ => return None,
    })
}

/// The conjunction; `true` is left out.
pub(super) fn and(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (Formula::True, other) | (other, Formula::True) => other,
        (Formula::And(mut a), Formula::And(b)) => {
            a.extend(b);
            Formula::And(a)
        }
        (Formula::And(mut a), b) => {
            a.push(b);
            Formula::And(a)
        }
        (a, b) => Formula::And(vec![a, b]),
    }
}

/// The disjunction.
pub(super) fn or(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (Formula::Or(mut a), Formula::Or(b)) => {
            a.extend(b);
            Formula::Or(a)
        }
        (Formula::Or(mut a), b) => {
            a.push(b);
            Formula::Or(a)
        }
        (a, b) => Formula::Or(vec![a, b]),
    }
}

/// The implication.
pub(super) fn implies(a: Formula, b: Formula) -> Formula {
    Formula::Implies(Box::new(a), Box::new(b))
}
