//! The names in expressions.

use ctr_grammar::ast::{self, BinaryOp, Expr, ExprKind, Form, Ident, PatternKind, ToolSelKind};
use ctr_grammar::walk;

use super::super::names::{Callee, ToolSym};
use super::super::{Checker, typing};
use super::origin::{self, Known, Origin};
use super::{Builder, Fields, Identity, Scope, full_name};
use crate::symbols::SymbolKind;
use crate::types::Type;

impl<'a> Builder<'a> {
    /// Mentions the names of an expression; what is known of its value.
    pub(super) fn expr(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Known {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::All(_) => {
                self.path(expr, scope)
            }
            ExprKind::Call(path, args) => self.call(path, args, scope),
            ExprKind::Pattern(pattern) => {
                let fields = self.pattern(pattern);
                let inner = scope.seeing(fields);
                for condition in &pattern.conditions {
                    self.expr(condition, &inner);
                }
                Known::default()
            }
            ExprKind::Quantified {
                var, list, body, ..
            } => {
                let known = self.expr(list, scope).element();
                let element = self
                    .inferred(list, scope, 0)
                    .and_then(|ty| typing::element(&ty));
                let symbol = self.bind(SymbolKind::Variable, var, element);
                self.take_places(symbol, &known);
                self.expr(body, &scope.with(&var.name, symbol, None, known));
                Known::default()
            }
            ExprKind::Form(form) => {
                if let Form::OnlyIf { p, cond } = &**form {
                    self.expr(p, scope);
                    let fields = self.fields_of(p, scope, 0);
                    self.expr(cond, &scope.seeing(fields));
                } else {
                    self.children(expr, scope);
                }
                Known::default()
            }
            ExprKind::Paren(inner) => self.expr(inner, scope),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(a, scope), self.expr(b, scope));
                self.compared(*op, &left, b, scope);
                self.compared(*op, &right, a, scope);
                if *op == BinaryOp::Eq {
                    self.key_type(a, b, scope);
                    self.key_type(b, a, scope);
                }
                if *op == BinaryOp::Coalesce {
                    left
                } else {
                    Known::default()
                }
            }
            _ => {
                self.children(expr, scope);
                Known::default()
            }
        }
    }

    fn children(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        for child in walk::children(expr) {
            self.expr(child, scope);
        }
    }

    /// Takes from a comparison what one side says of the other: values of an enumeration, and what a key stands for.
    fn compared(&mut self, op: BinaryOp, known: &Known, other: &'a Expr, scope: &Scope<'a>) {
        if !matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In | BinaryOp::NotIn | BinaryOp::Contains
        ) {
            return;
        }
        if let Some(field) = known.symbol {
            self.literals(field, other);
        }
        if op == BinaryOp::Eq
            && let ExprKind::Name(name) = &other.kind
            && let Some(local) = scope.local(&name.name)
            && let symbol = local.symbol
            && let Some(key) = self.out.symbols.get(symbol)
            && key.kind == SymbolKind::Key
            && key.type_places.is_empty()
        {
            self.take_places(symbol, known);
        }
    }

    /// Mentions the texts in an expression that are values of a field's enumeration.
    pub(super) fn literals(&mut self, field: usize, expr: &Expr) {
        match &expr.kind {
            ExprKind::Str(text) => {
                let identity = Identity::Value(field, text.clone());
                if let Some(symbol) = self.known.get(&identity).copied() {
                    self.mention(expr.span, symbol);
                }
            }
            ExprKind::Paren(inner) => self.literals(field, inner),
            ExprKind::List(items) => {
                for item in items {
                    self.literals(field, item);
                }
            }
            _ => {}
        }
    }

    /// The type of a value is written where that of the field is that it comes from.
    pub(super) fn take_places(&mut self, symbol: usize, known: &Known) {
        let places = known
            .symbol
            .and_then(|field| self.out.symbols.get(field))
            .map(|field| field.type_places.clone())
            .unwrap_or_default();
        self.edit(symbol, |symbol| symbol.type_places = places);
    }

    pub(super) fn of_symbol(&self, symbol: usize) -> Known {
        let Some(known) = self.out.symbols.get(symbol) else {
            return Known::default();
        };
        Known {
            origin: known.owner.as_ref().map(|owner| Origin {
                kind: known.kind,
                owner: owner.clone(),
                way: known.path.clone(),
            }),
            symbol: Some(symbol),
            spread: false,
        }
    }

    /// A function, aggregate, lookup, predicate or event.
    fn call(&mut self, path: &'a ast::Path, args: &'a [Expr], scope: &Scope<'a>) -> Known {
        let callee = self.callee(&path.parts);
        if let Some(Callee::Event(event)) = callee {
            let inner = scope.seeing(Fields::Event {
                name: &event.name,
                record: &event.fields,
            });
            for arg in args {
                self.expr(arg, &inner);
            }
            return Known::default();
        }
        let mut scope = scope.clone();
        let mut known = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            known.push(self.expr(arg, &scope));
            if index == 0 && Checker::is_aggregate(path) {
                // What is taken of a remembered event is one of its own fields.
                let fields = self.fields_of(arg, &scope, 0);
                scope = scope.seeing(fields);
            }
        }
        match (callee, path.parts.as_slice()) {
            (Some(Callee::Lookup(_)), [name]) => {
                let at = Identity::InFile(SymbolKind::Lookup, self.unit, name.name.clone());
                let symbol = self.known.get(&at).copied();
                symbol
                    .map(|symbol| self.of_symbol(symbol))
                    .unwrap_or_default()
            }
            (None, [name]) => {
                let list = name.name == "values"
                    && args
                        .get(1)
                        .and_then(|arg| self.inferred(arg, &scope, 0))
                        .is_some_and(|ty| matches!(ty, Type::List(_)));
                origin::function(&name.name, known, list)
            }
            _ => Known::default(),
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
    fn path(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Known {
        // A part is a name, or an element of a list.
        let mut way: Vec<Option<&'a Ident>> = Vec::new();
        let mut all = false;
        let mut at = expr;
        let root = loop {
            match &at.kind {
                ExprKind::Field(base, name) => {
                    way.push(Some(name));
                    at = base;
                }
                ExprKind::Index(base, _) => {
                    way.push(None);
                    at = base;
                }
                ExprKind::All(base) => {
                    way.push(None);
                    all = true;
                    at = base;
                }
                ExprKind::Name(name) => break name,
                _ => {
                    self.expr(at, scope);
                    return Known::default();
                }
            }
        };
        way.reverse();
        let mut known = self.root(root, &way, scope);
        if all {
            known.spread = true;
        }
        known
    }

    fn root(&mut self, root: &'a Ident, way: &[Option<&'a Ident>], scope: &Scope<'a>) -> Known {
        if let Some(local) = scope.local(&root.name) {
            let (symbol, known) = (local.symbol, local.known.clone());
            self.mention(root.span, symbol);
            if way.is_empty() {
                return known;
            }
            return match known.origin {
                Some(origin) => self.known_field(&origin, way).unwrap_or_default(),
                None => Known::default(),
            };
        }
        match root.name.as_str() {
            "ctx" => {
                let Some(Some(name)) = way.first() else {
                    return Known::default();
                };
                let symbol = self.context(name);
                return match (symbol, way) {
                    (Some(symbol), [_]) => self.of_symbol(symbol),
                    _ => Known::default(),
                };
            }
            "event" => return Known::default(),
            "args" | "result" => {
                let Fields::Tools { tools, .. } = &scope.fields else {
                    return Known::default();
                };
                let kind = if root.name == "args" {
                    SymbolKind::Argument
                } else {
                    SymbolKind::ResultField
                };
                if !way.is_empty() {
                    return self.field(kind, tools, way);
                }
                let origin = tools.first().map(|tool| Origin {
                    kind,
                    owner: full_name(tool.server.as_deref(), &tool.name),
                    way: Vec::new(),
                });
                return Known {
                    origin,
                    ..Known::default()
                };
            }
            _ => {}
        }
        let mut whole = vec![Some(root)];
        whole.extend(way);
        match &scope.fields {
            Fields::Tools { tools, result } => {
                let kind = if *result {
                    SymbolKind::ResultField
                } else {
                    SymbolKind::Argument
                };
                return self.field(kind, tools, &whole);
            }
            Fields::Event {
                name,
                record: Type::Record(record),
            } if record.fields.iter().any(|f| f.name == root.name) => {
                return self.event_field(name, &whole);
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
                    (_, Some(Some(name))) => {
                        if let Some(target) = self.module(root) {
                            self.in_file(SymbolKind::Event, target, name);
                        }
                    }
                    _ => {}
                }
            }
        }
        Known::default()
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
