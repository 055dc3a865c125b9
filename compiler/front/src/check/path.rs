//! Fields: where a path starts, and what types say of its parts.

use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{Expr, ExprKind, Ident};

use super::expand::Head;
use super::names::Callee;
use super::scope::{LocalKind, Scope, View};
use super::typing::{self, NoPart};
use super::value::Val;
use super::{Checker, suggest};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Coerce, EventKind, Expr as IrExpr, ExprId, Root, Step};
use crate::suggest::nearest;
use crate::types::Type;

/// The facts that the host records with every event.
const EVENT_FIELDS: [(&str, Root); 6] = [
    ("agent", Root::Agent),
    ("server", Root::Server),
    ("time", Root::Time),
    ("turn", Root::Turn),
    ("depth", Root::Depth),
    ("tokens", Root::Tokens),
];

/// Where a path starts.
struct Start {
    base: ExprId,
    ty: Type,
    /// What messages call it: "`call refund`".
    title: String,
    /// A first step that the name itself is.
    first: Option<(Step, Span)>,
}

impl<'a> Checker<'a> {
    /// The value of a name, or of a part of a value.
    pub(super) fn path(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Val {
        let mut steps: Vec<(Step, Span)> = Vec::new();
        let mut at = expr;
        let root = loop {
            match &at.kind {
                ExprKind::Field(base, name) => {
                    steps.push((Step::Field(name.name.clone()), name.span));
                    at = base;
                }
                ExprKind::Index(base, index) => {
                    steps.push((Step::Index(*index), Span::new(base.span.end, at.span.end)));
                    at = base;
                }
                ExprKind::All(base) => {
                    steps.push((Step::All, Span::new(base.span.end, at.span.end)));
                    at = base;
                }
                _ => break at,
            }
        };
        steps.reverse();
        let ExprKind::Name(name) = &root.kind else {
            let base = self.value(root, scope);
            if base.bad || steps.is_empty() {
                return base;
            }
            if base.set {
                self.set_misused(root.span, scope);
                return self.bad();
            }
            let start = Start {
                base: base.id,
                title: format!("`{}`", self.folded(scope, root.span)),
                ty: base.ty,
                first: None,
            };
            return self.steps(expr, start, &steps, scope);
        };

        if scope.local(&name.name).is_some() {
            let base = self.local(name, root, scope);
            if base.bad || steps.is_empty() {
                return base;
            }
            if base.set {
                self.set_misused(root.span, scope);
                return self.bad();
            }
            let start = Start {
                base: base.id,
                ty: base.ty,
                title: format!("`{}`", name.name),
                first: None,
            };
            return self.steps(expr, start, &steps, scope);
        }
        let start = match name.name.as_str() {
            "ctx" => return self.context(expr, name, &steps, scope),
            "event" => return self.event_fact(expr, name, &steps, scope),
            "args" | "result" => self.explicit_root(name, scope),
            _ => self.bare(name, &steps, scope),
        };
        match start {
            Some(start) => self.steps(expr, start, &steps, scope),
            None => self.bad(),
        }
    }

    /// The value of a key, `let`, parameter or variable.
    fn local(&mut self, name: &'a Ident, expr: &'a Expr, scope: &Scope<'a>) -> Val {
        let Some(local) = scope.local(&name.name).cloned() else {
            return self.bad();
        };
        self.hides(name, &local.kind, scope);
        match &local.kind {
            LocalKind::Key(n) => {
                if self.key_use.is_none() {
                    self.key_use =
                        Some((scope.place(name.span), format!("the key `{}`", name.name)));
                }
                let ty = self
                    .current
                    .key_types
                    .get(*n as usize)
                    .and_then(|t| t.as_ref().map(|(ty, _)| ty.clone()))
                    .unwrap_or(Type::Any);
                let id = self.tables.expr(IrExpr::Root(Root::Key(*n)));
                Val::new(id, ty)
            }
            LocalKind::Var { level, frame, ty } => {
                if *frame != self.frame {
                    self.other_event(name, scope);
                    return self.bad();
                }
                let index = self.vars.saturating_sub(level + 1);
                let root = self.tables.expr(IrExpr::Root(Root::Var(index)));
                let coerce = typing::coerce(ty);
                let id = if coerce == Coerce::None {
                    root
                } else {
                    self.tables.expr(IrExpr::Path {
                        base: root,
                        steps: Vec::new(),
                        coerce,
                    })
                };
                Val::new(id, ty.clone())
            }
            LocalKind::Opaque(Some(ty)) => {
                let mut val = self.bad();
                val.ty = ty.clone();
                val
            }
            LocalKind::Opaque(None) | LocalKind::Param { ty: None, .. } => {
                self.error(
                    "E0422",
                    format!(
                        "`{}` is an event, and a value or condition is needed here",
                        name.name
                    ),
                    expr.span,
                    "an event",
                    "",
                    scope,
                );
                self.bad()
            }
            LocalKind::Let(..) => match self.follow(&local, scope) {
                Some(Head::Expr(inner, inner_scope)) => self.value(inner, &inner_scope),
                _ => self.bad(),
            },
            LocalKind::Param {
                arg,
                scope: outer,
                ty: Some(wanted),
            } => {
                let value = self.value(arg, outer);
                if value.bad || value.set {
                    return value;
                }
                if !typing::classes(&value.ty).meets(typing::classes(wanted)) {
                    self.error(
                        "E0511",
                        format!(
                            "`{}` is declared as {}, and {} is given",
                            name.name,
                            typing::described(wanted),
                            typing::described(&value.ty)
                        ),
                        arg.span,
                        typing::described(&value.ty),
                        "",
                        outer,
                    );
                    return self.bad();
                }
                value
            }
        }
    }

    /// Warns where a key, `let` or parameter hides a declared field.
    fn hides(&mut self, name: &Ident, kind: &LocalKind<'a>, scope: &Scope<'a>) {
        let what = match kind {
            LocalKind::Key(_) => "key",
            LocalKind::Let(..) => "`let`",
            LocalKind::Param { .. } => "parameter",
            LocalKind::Opaque(_) | LocalKind::Var { .. } => return,
        };
        let View::Event(view) = &*scope.view else {
            return;
        };
        let (fields, root) = match view.kind {
            EventKind::Call => (view.args, "args."),
            EventKind::Return(_) => (view.result, "result."),
            EventKind::Declared(_) => (view.fields, ""),
            EventKind::Input | EventKind::Output => return,
        };
        let declared =
            matches!(fields, Type::Record(r) if r.fields.iter().any(|f| f.name == name.name));
        if !declared || self.explicit.contains(&name.name) {
            return;
        }
        let help = if root.is_empty() {
            format!("give the {what} another name to read the field")
        } else {
            format!("write `{root}{}` for the field", name.name)
        };
        let diagnostic = Diagnostic::warning(
            "W0400",
            format!(
                "`{0}` is the {what} here, not the field `{0}` of {1}",
                name.name, view.title
            ),
            scope.place(name.span),
            format!("the {what}"),
        )
        .with_help(help);
        self.report(diagnostic, scope);
    }

    /// Reports that this event is read while another is remembered.
    fn other_event(&mut self, name: &Ident, scope: &Scope<'a>) {
        self.error(
            "E0436",
            format!(
                "`{}` belongs to this event, and an aggregate's pattern and value read the remembered one",
                name.name
            ),
            name.span,
            "of this event",
            "correlate the events by a key of the contract (`for each k`)",
            scope,
        );
    }

    /// `ctx.name`
    fn context(
        &mut self,
        expr: &'a Expr,
        name: &'a Ident,
        steps: &[(Step, Span)],
        scope: &Scope<'a>,
    ) -> Val {
        let Some((Step::Field(field), span)) = steps.first() else {
            self.error(
                "E0514",
                "`ctx` is read by its fields",
                name.span,
                "which field?",
                "write `ctx.name`",
                scope,
            );
            return self.bad();
        };
        let names = self.names;
        let declared = names.contexts(scope.src.unit);
        let ty = match declared.get(field.as_str()) {
            Some(ty) => (*ty).clone(),
            None => {
                let incomplete = names
                    .units
                    .get(scope.src.unit)
                    .is_some_and(|u| u.incomplete || !u.missing.is_empty());
                if !declared.is_empty() && !incomplete {
                    let place = scope.place(*span);
                    // A file without tools is checked without types: there it is only worth a look.
                    let strict = names.has_tools(scope.src.unit);
                    let message = format!("no context field is called `{field}`");
                    let diagnostic = if strict {
                        Diagnostic::error("E0514", message, place, "unknown context field")
                    } else {
                        Diagnostic::warning("W0405", message, place, "undeclared context field")
                    };
                    let guess = nearest(field, declared.keys().copied());
                    let diagnostic = match guess {
                        Some(_) => suggest(diagnostic, guess, place),
                        None => {
                            diagnostic.with_help(format!("declare it: `context {field}: string`"))
                        }
                    };
                    self.report(diagnostic, scope);
                    if strict {
                        return self.bad();
                    }
                }
                Type::Any
            }
        };
        let base = self.tables.expr(IrExpr::Root(Root::Context));
        // The context is a record with this one field, as far as this path sees.
        let start = Start {
            base,
            ty: Type::Record(crate::types::Record {
                fields: vec![crate::types::Field {
                    name: field.clone(),
                    ty,
                    optional: false,
                    description: None,
                }],
                open: true,
            }),
            title: "`ctx`".to_owned(),
            first: None,
        };
        self.steps(expr, start, steps, scope)
    }

    /// `event.agent` and its like.
    fn event_fact(
        &mut self,
        expr: &'a Expr,
        name: &'a Ident,
        steps: &[(Step, Span)],
        scope: &Scope<'a>,
    ) -> Val {
        let Some(((Step::Field(field), span), rest)) = steps.split_first() else {
            self.error(
                "E0515",
                "`event` is read by its fields",
                name.span,
                "which field?",
                "write `event.agent`, `event.server`, `event.time`, `event.turn`, `event.depth` or `event.tokens`",
                scope,
            );
            return self.bad();
        };
        let Some((_, root)) = EVENT_FIELDS.iter().find(|(n, _)| n == field) else {
            let place = scope.place(*span);
            let diagnostic = Diagnostic::error(
                "E0515",
                format!("events have no recorded fact `{field}`"),
                place,
                "unknown",
            );
            let guess = nearest(field, EVENT_FIELDS.iter().map(|(n, _)| *n));
            let diagnostic = match guess {
                Some(_) => suggest(diagnostic, guess, place),
                None => diagnostic.with_help(
                    "recorded facts are agent, server, time, turn, depth and tokens; a call's arguments are `args.`, a result is `result.`",
                ),
            };
            self.report(diagnostic, scope);
            return self.bad();
        };
        if scope.frame != self.frame {
            self.other_event(name, scope);
            return self.bad();
        }
        let ty = match root {
            Root::Agent | Root::Server => Type::String,
            Root::Time => Type::Timestamp,
            _ => typing::int(),
        };
        let id = self.tables.expr(IrExpr::Root(*root));
        if rest.is_empty() {
            return Val::new(id, ty);
        }
        let start = Start {
            base: id,
            ty,
            title: format!("`event.{field}`"),
            first: None,
        };
        self.steps(expr, start, rest, scope)
    }

    /// `args` or `result`.
    fn explicit_root(&mut self, name: &'a Ident, scope: &Scope<'a>) -> Option<Start> {
        let args = name.name == "args";
        let root = if args { Root::Args } else { Root::Result };
        let view = Rc::clone(&scope.view);
        let (ty, title) = match &*view {
            View::Opaque => (Type::Any, String::new()),
            View::Message { .. } => (Type::Any, "the refused event".to_owned()),
            View::State => {
                self.outside(name, scope);
                return None;
            }
            View::Event(view) => match (view.kind, args) {
                (EventKind::Call, true) => (view.args.clone(), view.title.clone()),
                (EventKind::Return(_), true) => (view.args.clone(), view.title.clone()),
                (EventKind::Return(_), false) => {
                    (view.result.clone(), format!("the result of {}", view.title))
                }
                (EventKind::Call, false) => {
                    self.error(
                        "E0424",
                        "a call has no result yet",
                        name.span,
                        "not known when the call is proposed",
                        "put the obligation on the return: `success t(...)` or `return t(...)`",
                        scope,
                    );
                    return None;
                }
                _ => {
                    self.error(
                        "E0425",
                        format!("{} has no `{}`", view.title, name.name),
                        name.span,
                        "no such part",
                        "inputs and outputs have `text`, declared events their fields; all have `event.`",
                        scope,
                    );
                    return None;
                }
            },
        };
        if scope.frame != self.frame {
            self.other_event(name, scope);
            return None;
        }
        let base = self.tables.expr(IrExpr::Root(root));
        Some(Start {
            base,
            ty,
            title,
            first: None,
        })
    }

    /// A bare name that is a field of the event.
    fn bare(
        &mut self,
        name: &'a Ident,
        steps: &[(Step, Span)],
        scope: &Scope<'a>,
    ) -> Option<Start> {
        let view = Rc::clone(&scope.view);
        let first = Some((Step::Field(name.name.clone()), name.span));
        let (root, ty, title) = match &*view {
            View::Opaque => (Root::Args, Type::Any, String::new()),
            View::Message { texts: true, .. } if name.name == "text" => {
                let base = self.tables.expr(IrExpr::Root(Root::Text));
                return Some(Start {
                    base,
                    ty: Type::String,
                    title: "the text".to_owned(),
                    first: None,
                });
            }
            View::Message { .. } => (Root::Args, Type::Any, "the refused call".to_owned()),
            View::State => {
                self.bare_outside(name, steps, scope);
                return None;
            }
            View::Event(view) => match view.kind {
                EventKind::Call => (Root::Args, view.args.clone(), view.title.clone()),
                EventKind::Return(_) => {
                    self.argument_as_result(name, view, scope);
                    (
                        Root::Result,
                        view.result.clone(),
                        format!("the result of {}", view.title),
                    )
                }
                EventKind::Declared(_) => (Root::Fields, view.fields.clone(), view.title.clone()),
                EventKind::Input | EventKind::Output => {
                    if name.name == "text" {
                        if scope.frame != self.frame {
                            self.other_event(name, scope);
                            return None;
                        }
                        let base = self.tables.expr(IrExpr::Root(Root::Text));
                        return Some(Start {
                            base,
                            ty: Type::String,
                            title: "the text".to_owned(),
                            first: None,
                        });
                    }
                    let place = scope.place(name.span);
                    let diagnostic = Diagnostic::error(
                        "E0501",
                        format!("{} has no field `{}`", view.title, name.name),
                        place,
                        "unknown field",
                    );
                    let guess = nearest(&name.name, ["text"]);
                    let diagnostic = match guess {
                        Some(_) => suggest(diagnostic, guess, place),
                        None => diagnostic.with_help("a message has `text`, and `event.`"),
                    };
                    self.report(diagnostic, scope);
                    return None;
                }
            },
        };
        if scope.frame != self.frame {
            self.other_event(name, scope);
            return None;
        }
        let base = self.tables.expr(IrExpr::Root(root));
        Some(Start {
            base,
            ty,
            title,
            first,
        })
    }

    /// Reports `args` or `result` outside a pattern.
    fn outside(&mut self, name: &Ident, scope: &Scope<'a>) {
        self.error(
            "E0423",
            format!("`{}` can be read only inside an event's pattern", name.name),
            name.span,
            "belongs to no event here",
            format!(
                "write the condition into the pattern, `call t({}.field == ...)`, or after `only if`",
                name.name
            ),
            scope,
        );
    }

    /// Reports a bare name outside a pattern.
    fn bare_outside(&mut self, name: &'a Ident, steps: &[(Step, Span)], scope: &Scope<'a>) {
        let names = self.names;
        let unit = scope.src.unit;
        match names.callee(unit, std::slice::from_ref(name)) {
            Callee::Silent => return,
            Callee::Predicate(_) | Callee::Lookup(_) if steps.is_empty() => {
                self.error(
                    "E0407",
                    format!("`{}` is used without parentheses", name.name),
                    name.span,
                    "here",
                    format!("write `{}(...)`", name.name),
                    scope,
                );
                return;
            }
            Callee::Event(_) if steps.is_empty() => {
                self.error(
                    "E0422",
                    format!(
                        "`{}` is an event, and a condition is needed here",
                        name.name
                    ),
                    name.span,
                    "an event",
                    "an event is a formula of its own: write it outside the braces",
                    scope,
                );
                return;
            }
            _ => {}
        }
        let place = scope.place(name.span);
        let diagnostic = Diagnostic::error(
            "E0423",
            format!(
                "`{}` is no key, `let` or parameter, and fields can be read only inside an event's pattern",
                name.name
            ),
            place,
            "belongs to no event here",
        );
        let locals = scope.local_names();
        let diagnostic = if names.contexts(unit).contains_key(name.name.as_str()) {
            let text = format!("ctx.{}", name.name);
            diagnostic
                .with_help(format!("did you mean `{text}`?"))
                .with_fix(Fix {
                    title: format!("write `{text}`"),
                    edits: vec![(place, text)],
                    safe: false,
                })
        } else if let Some(guess) = nearest(&name.name, locals) {
            suggest(diagnostic, Some(guess), place)
        } else {
            diagnostic.with_help(
                "a condition in braces reads `ctx.`, `event.`, aggregates, lookups, keys and `let`s; write conditions on fields into the pattern",
            )
        };
        self.report(diagnostic, scope);
    }

    /// A part of a value, step by step.
    fn steps(
        &mut self,
        expr: &'a Expr,
        start: Start,
        steps: &[(Step, Span)],
        scope: &Scope<'a>,
    ) -> Val {
        let mut ty = start.ty;
        let mut base = start.base;
        let mut taken: Vec<Step> = Vec::new();
        // A path on a path is one path, so that equal fields have equal expressions.
        if let Some(IrExpr::Path {
            base: inner,
            steps,
            coerce: Coerce::None,
        }) = self.tables.get_expr(base)
        {
            taken = steps.clone();
            base = *inner;
        }
        let mut projected = taken.contains(&Step::All);
        if projected {
            ty = typing::element(&ty).unwrap_or(Type::Any);
        }
        let mut title = start.title;
        self.message_field(start.base, start.first.as_ref(), steps, scope);
        for (step, span) in start.first.iter().chain(steps) {
            let (next, optional) = match typing::part(&ty, step) {
                Ok(found) => found,
                Err(why) => {
                    let mut here = taken.clone();
                    here.push(step.clone());
                    if self.guarded(base, &here) {
                        self.soft.insert(scope.place(*span));
                    }
                    self.no_part(&ty, step, *span, &title, why, scope);
                    (Type::Any, false)
                }
            };
            taken.push(step.clone());
            if optional && !self.guarded(base, &taken) && matches!(&*scope.view, View::Event(_)) {
                let until = Span::new(expr.span.start, span.end.max(expr.span.start));
                let text = self.folded(scope, until);
                let diagnostic = Diagnostic::warning(
                    "W0401",
                    format!("`{text}` may be missing from {title}, and then nothing is known of it"),
                    scope.place(until),
                    "optional",
                )
                .with_help(format!(
                    "what is undefined is refused: say what holds then, `({text} ?? value)`, or ask first, `has({text}) and ...`"
                ));
                self.report(diagnostic, scope);
            }
            projected |= *step == Step::All;
            if let Step::Field(name) = step {
                title = format!("`{name}`");
            }
            ty = next;
        }
        let coerce = typing::coerce(&ty);
        let ty = if projected {
            Type::List(Box::new(ty))
        } else {
            ty
        };
        if taken.is_empty() && coerce == Coerce::None {
            return Val::new(base, ty);
        }
        let id = self.tables.expr(IrExpr::Path {
            base,
            steps: taken,
            coerce,
        });
        Val::new(id, ty)
    }

    /// An argument in a message that no tool of the contract has.
    fn message_field(
        &mut self,
        base: ExprId,
        first: Option<&(Step, Span)>,
        steps: &[(Step, Span)],
        scope: &Scope<'a>,
    ) {
        let View::Message { tools, .. } = &*scope.view else {
            return;
        };
        if self.tables.get_expr(base) != Some(&IrExpr::Root(Root::Args)) {
            return;
        }
        let Some((step @ Step::Field(name), span)) = first.or(steps.first()) else {
            return;
        };
        // A bare name that is a context field is most likely meant as one.
        let bare = first.is_some();
        let fits = tools.iter().any(|t| typing::part(&t.args, step).is_ok());
        if bare
            && !fits
            && self
                .names
                .contexts(scope.src.unit)
                .contains_key(name.as_str())
        {
            let place = scope.place(*span);
            let text = format!("ctx.{name}");
            let diagnostic = Diagnostic::error(
                "E0423",
                format!(
                    "a bare name in a message is an argument of the refused call, and `{name}` is a context field"
                ),
                place,
                "read as an argument",
            );
            self.report(suggest(diagnostic, Some(&text), place), scope);
            return;
        }
        if tools.is_empty() || fits {
            return;
        }
        let mut known: Vec<&str> = tools
            .iter()
            .filter_map(|t| match &t.args {
                Type::Record(record) => Some(record.fields.iter().map(|f| f.name.as_str())),
                _ => None,
            })
            .flatten()
            .collect();
        let place = scope.place(*span);
        let diagnostic = Diagnostic::error(
            "E0501",
            format!("no tool that the contract speaks of has a field `{name}`"),
            place,
            "unknown field",
        );
        // A name without a prefix may also be a key or a `let`.
        let before = scope.src.text.get(..span.start as usize);
        if !before.is_some_and(|text| text.ends_with('.')) {
            known.extend(scope.local_names());
        }
        let guess = nearest(name, known);
        self.report(suggest(diagnostic, guess, place), scope);
    }

    fn no_part(
        &mut self,
        ty: &Type,
        step: &Step,
        span: Span,
        title: &str,
        why: NoPart,
        scope: &Scope<'a>,
    ) {
        let place = scope.place(span);
        let diagnostic = match (step, why) {
            (Step::Field(name), NoPart::Field(fields)) => {
                let diagnostic = Diagnostic::error(
                    "E0501",
                    format!("{title} has no field `{name}`"),
                    place,
                    "unknown field",
                );
                let mut known: Vec<&str> = fields.iter().map(String::as_str).collect();
                // A name without a prefix may also be a key, a `let` or a parameter.
                let start = span.start as usize;
                let after_dot = scope.src.text.get(..start).is_some_and(|t| t.ends_with('.'));
                if !after_dot {
                    known.extend(scope.local_names());
                }
                let guess = nearest(name, known);
                let in_context = !after_dot
                    && self
                        .names
                        .contexts(scope.src.unit)
                        .contains_key(name.as_str());
                // An argument that is looked for in the result.
                let in_arguments = !after_dot
                    && matches!(
                        &*scope.view,
                        View::Event(event) if typing::part(event.args, step).is_ok()
                            && matches!(event.args, Type::Record(_))
                    );
                match guess {
                    _ if in_arguments => diagnostic
                        .with_help(format!(
                            "`{name}` is an argument of the call: write `args.{name}`"
                        ))
                        .with_fix(Fix {
                            title: format!("write `args.{name}`"),
                            edits: vec![(place, format!("args.{name}"))],
                            safe: false,
                        }),
                    _ if in_context => diagnostic
                        .with_help(format!("`{name}` is a field of the context: write `ctx.{name}`"))
                        .with_fix(Fix {
                            title: format!("write `ctx.{name}`"),
                            edits: vec![(place, format!("ctx.{name}"))],
                            safe: false,
                        }),
                    Some(_) => suggest(diagnostic, guess, place),
                    None if fields.is_empty() => diagnostic.with_help("it has no fields"),
                    None => {
                        let shown: Vec<String> =
                            fields.iter().take(8).map(|f| format!("`{f}`")).collect();
                        diagnostic.with_help(format!("its fields are {}", shown.join(", ")))
                    }
                }
            }
            (Step::Field(name), NoPart::List) => Diagnostic::error(
                "E0501",
                format!("{title} is a list, and only its elements can have a field `{name}`"),
                place,
                "a list has no fields",
            )
            .with_help(format!(
                "write `[*].{name}` for the list of all elements' values, or `some x in list: x.{name} ...`"
            )),
            (Step::Field(name), NoPart::Scalar) => Diagnostic::error(
                "E0501",
                format!("{title} is {}, which has no field `{name}`", typing::described(ty)),
                place,
                "no fields",
            ),
            (_, _) => Diagnostic::error(
                "E0508",
                format!("{title} is {}, not a list", typing::described(ty)),
                place,
                "needs a list",
            ),
        };
        self.report(diagnostic, scope);
    }
}
