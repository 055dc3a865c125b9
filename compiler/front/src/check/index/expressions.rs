//! The names in expressions.

use ctr_grammar::ast::{self, Expr, ExprKind, Form, Ident, PatternKind, ToolSelKind};
use ctr_grammar::walk;

use super::super::Checker;
use super::super::names::{Callee, ToolSym};
use super::{Builder, Fields, Scope};
use crate::symbols::SymbolKind;
use crate::types::Type;

impl<'a> Builder<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Field(..) => self.path(expr, scope),
            ExprKind::Index(base, _) | ExprKind::All(base) => self.path(base, scope),
            ExprKind::Call(path, args) => self.call(path, args, scope),
            ExprKind::Pattern(pattern) => {
                let fields = self.pattern(pattern);
                let inner = scope.seeing(fields);
                for condition in &pattern.conditions {
                    self.expr(condition, &inner);
                }
            }
            ExprKind::Binary(ast::BinaryOp::Eq, a, b) => {
                self.children(expr, scope);
                self.key_type(a, b, scope);
                self.key_type(b, a, scope);
            }
            ExprKind::Quantified {
                var, list, body, ..
            } => {
                self.expr(list, scope);
                let element = self
                    .inferred(list, scope, 0)
                    .and_then(|ty| super::super::typing::element(&ty));
                let symbol = self.bind(SymbolKind::Variable, var, element);
                self.expr(body, &scope.with(&var.name, symbol, None));
            }
            ExprKind::Form(form) => {
                if let Form::OnlyIf { p, cond } = &**form {
                    self.expr(p, scope);
                    let fields = self.fields_of(p, scope, 0);
                    self.expr(cond, &scope.seeing(fields));
                } else {
                    self.children(expr, scope);
                }
            }
            _ => self.children(expr, scope),
        }
    }

    pub(super) fn children(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        for child in walk::children(expr) {
            self.expr(child, scope);
        }
    }

    /// A function, aggregate, lookup, predicate or event.
    pub(super) fn call(&mut self, path: &'a ast::Path, args: &'a [Expr], scope: &Scope<'a>) {
        if let Some(Callee::Event(event)) = self.callee(&path.parts) {
            let inner = scope.seeing(Fields::Event {
                name: &event.name,
                record: &event.fields,
            });
            for arg in args {
                self.expr(arg, &inner);
            }
            return;
        }
        let mut scope = scope.clone();
        for (index, arg) in args.iter().enumerate() {
            self.expr(arg, &scope);
            if index == 0 && Checker::is_aggregate(path) {
                // What is taken of a remembered event is one of its own fields.
                let fields = self.fields_of(arg, &scope, 0);
                scope = scope.seeing(fields);
            }
        }
    }

    /// Mentions the tools of a pattern; the fields that its conditions read.
    pub(super) fn pattern(&mut self, pattern: &'a ast::Pattern) -> Fields<'a> {
        let mut tools = Vec::new();
        if let Some(ToolSelKind::OneOf(paths) | ToolSelKind::Except(paths)) =
            pattern.tools.as_ref().map(|t| &t.kind)
        {
            for path in paths {
                tools.extend(self.tools(path));
            }
        }
        fields(pattern, tools)
    }

    /// The fields of the event that an expression's pattern is about.
    pub(super) fn fields_of(&self, expr: &'a Expr, scope: &Scope<'a>, depth: usize) -> Fields<'a> {
        const DEEPEST: usize = 64;
        if depth > DEEPEST {
            return Fields::None;
        }
        match &expr.kind {
            ExprKind::Pattern(pattern) => {
                let mut tools = Vec::new();
                if let Some(ToolSelKind::OneOf(paths)) = pattern.tools.as_ref().map(|t| &t.kind) {
                    for path in paths {
                        let group = match path.parts.as_slice() {
                            [name] => self.members(self.unit, &name.name, 0),
                            _ => Vec::new(),
                        };
                        tools.extend(if group.is_empty() {
                            self.found(path)
                        } else {
                            group
                        });
                    }
                }
                fields(pattern, tools)
            }
            ExprKind::Paren(inner) | ExprKind::Earlier(inner) | ExprKind::Within(inner, _) => {
                self.fields_of(inner, scope, depth + 1)
            }
            ExprKind::Binary(_, a, _) => self.fields_of(a, scope, depth + 1),
            ExprKind::Name(name) => match scope.local(&name.name).and_then(|local| local.value) {
                Some(value) => self.fields_of(value, scope, depth + 1),
                None => Fields::None,
            },
            ExprKind::Call(path, _) => match self.names.callee(self.unit, &path.parts) {
                Callee::Event(event) => Fields::Event {
                    name: &event.name,
                    record: &event.fields,
                },
                _ => Fields::None,
            },
            _ => Fields::None,
        }
    }

    /// A name, and the parts that are read of it.
    pub(super) fn path(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        let mut way: Vec<&'a Ident> = Vec::new();
        let mut at = expr;
        let root = loop {
            match &at.kind {
                ExprKind::Field(base, name) => {
                    way.push(name);
                    at = base;
                }
                // Elements of lists have types that are not followed here.
                ExprKind::Index(base, _) | ExprKind::All(base) => {
                    way.clear();
                    at = base;
                }
                ExprKind::Name(name) => break name,
                _ => return self.expr(at, scope),
            }
        };
        way.reverse();
        if let Some(local) = scope.local(&root.name) {
            let symbol = local.symbol;
            return self.mention(root.span, symbol);
        }
        match root.name.as_str() {
            "ctx" => {
                if let Some(name) = way.first() {
                    self.context(name);
                }
                return;
            }
            "event" => return,
            "args" | "result" => {
                if let Fields::Tools { tools, .. } = &scope.fields {
                    let kind = if root.name == "args" {
                        SymbolKind::Argument
                    } else {
                        SymbolKind::ResultField
                    };
                    self.field(kind, tools, &way);
                }
                return;
            }
            _ => {}
        }
        let mut whole = vec![root];
        whole.extend(&way);
        match &scope.fields {
            Fields::Tools { tools, result } => {
                let kind = if *result {
                    SymbolKind::ResultField
                } else {
                    SymbolKind::Argument
                };
                self.field(kind, tools, &whole);
            }
            Fields::Event {
                name,
                record: Type::Record(record),
            } if record.fields.iter().any(|f| f.name == root.name) => {
                self.event_field(name, &whole);
            }
            Fields::Event { .. } | Fields::None => {
                // An event without parentheses, of this file or an imported one.
                match (
                    self.names.callee(self.unit, std::slice::from_ref(root)),
                    way.first(),
                ) {
                    (Callee::Event(_), _) => {
                        self.in_file(SymbolKind::Event, self.unit, root);
                    }
                    (_, Some(name)) => {
                        if let Some(target) = self.module(root) {
                            self.in_file(SymbolKind::Event, target, name);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The fields of an event that fits a pattern.
fn fields<'a>(pattern: &ast::Pattern, tools: Vec<&'a ToolSym>) -> Fields<'a> {
    match pattern.kind {
        PatternKind::Input | PatternKind::Output => Fields::None,
        PatternKind::Call => Fields::Tools {
            tools,
            result: false,
        },
        PatternKind::Return
        | PatternKind::Success
        | PatternKind::Failure
        | PatternKind::Unknown => Fields::Tools {
            tools,
            result: true,
        },
    }
}
