//! The names in contracts, tests and groups, and what paths of tools lead to.

use ctr_grammar::MessagePart;
use ctr_grammar::ast::{
    self, Action, ClauseKind, Expr, ExprKind, GroupMembers, Ident, ItemKind, Outcome, TestStepKind,
    ToolSelKind,
};
use ctr_grammar::walk;

use super::super::message::{self, Messages};
use super::super::names::{Callee, ToolSym, normal_tool};
use super::origin::{Known, Origin};
use super::{Builder, ELEMENT, Fields, Identity, Scope, full_name};
use crate::load::Unit;
use crate::symbols::SymbolKind;
use crate::types::Type;

impl<'a> Builder<'a> {
    pub(super) fn uses(&mut self, unit: &'a Unit, messages: &'a Messages) {
        for item in &unit.file.items {
            match &item.kind {
                ItemKind::Include(include) => {
                    let target = unit
                        .includes
                        .iter()
                        .find(|found| found.span == item.span)
                        .map(|found| found.unit.0 as usize);
                    for name in include.only.iter().flatten() {
                        if let Some(target) = target {
                            self.in_file(SymbolKind::Contract, target, name);
                        }
                    }
                }
                ItemKind::Group(group) => {
                    if let GroupMembers::List(paths) = &group.members {
                        for path in paths {
                            self.tools(path);
                        }
                    }
                }
                ItemKind::Predicate(predicate) => {
                    let mut scope = Scope::default();
                    for (index, param) in predicate.params.iter().enumerate() {
                        let ty = self
                            .names
                            .units
                            .get(self.unit)
                            .and_then(|u| u.predicates.get(predicate.name.name.as_str()))
                            .and_then(|p| p.params.get(index).cloned().flatten());
                        let symbol = self.bind(SymbolKind::Parameter, &param.name, ty);
                        scope = scope.with(&param.name.name, symbol, None, Known::default());
                    }
                    self.expr(&predicate.body, &scope);
                }
                ItemKind::Contract(contract) => self.contract(contract, messages),
                ItemKind::Test(test) => self.test(test),
                _ => {}
            }
        }
    }

    /// A local name where it is bound.
    pub(super) fn bind(&mut self, kind: SymbolKind, name: &Ident, ty: Option<Type>) -> usize {
        let place = self.place(name.span);
        let symbol = self.symbol(Identity::Local(place), kind, &name.name);
        self.define(place, symbol);
        self.edit(symbol, |symbol| symbol.ty = ty);
        symbol
    }

    /// A name that another file declares, where it does.
    pub(super) fn in_file(&mut self, kind: SymbolKind, unit: usize, name: &Ident) -> bool {
        let identity = Identity::InFile(kind, unit, name.name.clone());
        match self.known.get(&identity) {
            Some(symbol) => {
                self.mention(name.span, *symbol);
                true
            }
            None => false,
        }
    }

    pub(super) fn contract(&mut self, contract: &'a ast::Contract, messages: &'a Messages) {
        let mut scope = Scope::default();
        for key in &contract.keys {
            let symbol = self.bind(SymbolKind::Key, key, None);
            scope = scope.with(&key.name, symbol, None, Known::default());
        }
        let mut spoken: Vec<&'a ToolSym> = Vec::new();
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Let(name, value) => {
                    let known = self.expr(value, &scope);
                    self.spoken(value, &mut spoken);
                    let ty = self.inferred(value, &scope, 0);
                    let symbol = self.bind(SymbolKind::Let, name, ty);
                    self.take_places(symbol, &known);
                    scope = scope.with(&name.name, symbol, Some(value), known);
                }
                ClauseKind::Assume(formula) | ClauseKind::Guarantee(formula) => {
                    self.expr(formula, &scope);
                    self.spoken(formula, &mut spoken);
                }
                ClauseKind::Otherwise(_) | ClauseKind::Error => {}
            }
        }
        // A message reads the call that is refused.
        let scope = scope.seeing(Fields::Tools {
            tools: spoken,
            result: false,
        });
        for clause in &contract.clauses {
            let ClauseKind::Otherwise(action) = &clause.kind else {
                continue;
            };
            if let Action::Redirect { tool, args, .. } = action {
                let tools = self.tools(tool);
                for (name, value) in args {
                    let known = self.field(SymbolKind::Argument, &tools, &[Some(name)]);
                    self.expr(value, &scope);
                    self.given(&known, value);
                }
            }
            if let Some(literal) = message::of(action) {
                for part in messages.parts(self.unit, literal) {
                    if let MessagePart::Expr(expr) = part {
                        self.expr(expr, &scope);
                    }
                }
            }
        }
    }

    /// The tools that an expression's patterns name.
    pub(super) fn spoken(&self, expr: &'a Expr, out: &mut Vec<&'a ToolSym>) {
        walk::walk(expr, &mut |e| {
            let ExprKind::Pattern(pattern) = &e.kind else {
                return;
            };
            if let Some(ToolSelKind::OneOf(paths)) = pattern.tools.as_ref().map(|t| &t.kind) {
                for path in paths {
                    for tool in self.found(path) {
                        if !out.iter().any(|other| std::ptr::eq(*other, tool)) {
                            out.push(tool);
                        }
                    }
                }
            }
        });
    }

    pub(super) fn test(&mut self, test: &'a ast::Test) {
        for path in &test.contracts {
            self.tested(path);
        }
        let scope = Scope::default();
        for step in &test.steps {
            for (_, value) in &step.meta {
                self.expr(value, &scope);
            }
            for path in step.expect.iter().flat_map(|expect| &expect.by) {
                self.tested(path);
            }
            match &step.kind {
                TestStepKind::Context(path, value) => {
                    // `ctx.name` is as good as `name`.
                    let name = match path.parts.as_slice() {
                        [ctx, name, ..] if ctx.name == "ctx" => Some(name),
                        parts => parts.first(),
                    };
                    if let Some(symbol) = name.and_then(|name| self.context(name)) {
                        let known = self.of_symbol(symbol);
                        self.given(&known, value);
                    }
                }
                TestStepKind::Lookup { name, .. } => {
                    self.callee(std::slice::from_ref(name));
                }
                TestStepKind::Event(name, args) => {
                    self.callee(std::slice::from_ref(name));
                    for (field, value) in args {
                        let known = self.event_field(&name.name, &[Some(field)]);
                        self.given(&known, value);
                    }
                }
                TestStepKind::Call {
                    tool,
                    args,
                    outcome,
                } => {
                    let tools = self.tools(tool);
                    for (field, value) in args {
                        let known = self.field(SymbolKind::Argument, &tools, &[Some(field)]);
                        self.given(&known, value);
                    }
                    self.outcome(outcome.as_ref(), &tools);
                }
                TestStepKind::Return(tool, outcome) => {
                    let tools = self.tools(tool);
                    self.outcome(Some(outcome), &tools);
                }
                TestStepKind::After(_)
                | TestStepKind::Input(_)
                | TestStepKind::Output(_)
                | TestStepKind::End
                | TestStepKind::Error => {}
            }
        }
    }

    /// The fields of a result that a test writes out.
    pub(super) fn outcome(&mut self, outcome: Option<&'a Outcome>, tools: &[&'a ToolSym]) {
        if let Some(Outcome::Success(Expr {
            kind: ExprKind::Record(fields),
            ..
        })) = outcome
        {
            for (field, value) in fields {
                let known = self.field(SymbolKind::ResultField, tools, &[Some(field)]);
                self.given(&known, value);
            }
        }
    }

    /// A value that is given to a field: values of its enumeration, and the fields of a record.
    fn given(&mut self, field: &Known, value: &'a Expr) {
        if let Some(symbol) = field.symbol {
            self.literals(symbol, value);
        }
        match &value.kind {
            ExprKind::Record(fields) => {
                let Some(origin) = &field.origin else { return };
                for (name, value) in fields {
                    if let Some(known) = self.known_field(origin, &[Some(name)]) {
                        self.given(&known, value);
                    }
                }
            }
            ExprKind::List(items) => {
                let element = field.clone().element();
                for item in items {
                    if matches!(item.kind, ExprKind::Record(_) | ExprKind::List(_)) {
                        self.given(&element, item);
                    }
                }
            }
            _ => {}
        }
    }

    /// A contract that a test names: of this file, of one that it includes, or of an imported one.
    pub(super) fn tested(&mut self, path: &'a ast::Path) {
        let unit = self.unit;
        match path.parts.as_slice() {
            [name] => {
                let mut seen = vec![unit];
                let mut next = 0;
                while let Some(unit) = seen.get(next).copied() {
                    if self.in_file(SymbolKind::Contract, unit, name) {
                        return;
                    }
                    let includes = self.graph.units.get(unit).map_or(&[][..], |u| &u.includes);
                    for include in includes {
                        let target = include.unit.0 as usize;
                        if !seen.contains(&target) {
                            seen.push(target);
                        }
                    }
                    next += 1;
                }
            }
            [alias, name] => {
                if let Some(target) = self.module(alias) {
                    self.in_file(SymbolKind::Contract, target, name);
                }
            }
            _ => {}
        }
    }

    /// The file behind an alias, which is mentioned.
    pub(super) fn module(&mut self, alias: &Ident) -> Option<usize> {
        self.in_file(SymbolKind::Module, self.unit, alias);
        let unit = self.names.units.get(self.unit)?;
        unit.imports.get(alias.name.as_str()).copied()
    }

    /// The declarations that a path of a tool or group leads to.
    pub(super) fn found(&self, path: &ast::Path) -> Vec<&'a ToolSym> {
        let names = self.names;
        let all = names.tools(self.unit);
        match path.parts.as_slice() {
            [name] => {
                let (server, name) = normal_tool(None, &name.name);
                all.into_iter()
                    .filter(|t| t.name == name && (server.is_none() || t.server == server))
                    .collect()
            }
            [.., server, name] => {
                let (server, name) = (server.name.trim(), name.name.trim());
                let exact: Vec<&ToolSym> = all
                    .iter()
                    .copied()
                    .filter(|t| t.name == name && t.server.as_deref() == Some(server))
                    .collect();
                if exact.is_empty() {
                    all.into_iter().filter(|t| t.name == name).collect()
                } else {
                    exact
                }
            }
            [] => Vec::new(),
        }
    }

    /// Mentions what a path of a tool or group names; the tools that it leads to.
    pub(super) fn tools(&mut self, path: &'a ast::Path) -> Vec<&'a ToolSym> {
        let Some(name) = path.parts.last() else {
            return Vec::new();
        };
        let group_of = match path.parts.as_slice() {
            [_] => Some(self.unit),
            [alias, _] => self
                .names
                .units
                .get(self.unit)
                .and_then(|u| u.imports.get(alias.name.as_str()).copied()),
            _ => None,
        };
        if let [alias, _, ..] = path.parts.as_slice() {
            self.module(alias);
        }
        if let Some(unit) = group_of
            && self.in_file(SymbolKind::Group, unit, name)
        {
            return self.members(unit, &name.name, 0);
        }
        let found = self.found(path);
        let symbol = match found.as_slice() {
            [tool] => self.tool(tool.server.as_deref(), &tool.name),
            [] => {
                let server = match path.parts.as_slice() {
                    [server, _] => Some(server.name.trim()),
                    _ => None,
                };
                self.tool(server, name.name.trim())
            }
            // Several servers have it: that is an error, and any of them a guess.
            _ => return found,
        };
        self.mention(name.span, symbol);
        found
    }

    /// The tools of a group.
    pub(super) fn members(&self, unit: usize, name: &str, depth: usize) -> Vec<&'a ToolSym> {
        const DEEPEST: usize = 32;
        let group = self.names.units.get(unit).and_then(|u| u.groups.get(name));
        let Some(GroupMembers::List(paths)) = group.map(|group| &group.members) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for path in paths {
            match path.parts.as_slice() {
                [inner] if depth < DEEPEST && inner.name != name => {
                    let nested = self.members(unit, &inner.name, depth + 1);
                    if nested.is_empty() {
                        out.extend(self.found(path));
                    } else {
                        out.extend(nested);
                    }
                }
                _ => out.extend(self.found(path)),
            }
        }
        out
    }

    /// Mentions a context field, of this file or an imported one.
    pub(super) fn context(&mut self, name: &Ident) -> Option<usize> {
        let imports: Vec<usize> = self
            .names
            .units
            .get(self.unit)
            .map(|unit| unit.imports.values().copied().collect())
            .unwrap_or_default();
        for unit in std::iter::once(self.unit).chain(imports) {
            if self.in_file(SymbolKind::Context, unit, name) {
                let identity = Identity::InFile(SymbolKind::Context, unit, name.name.clone());
                return self.known.get(&identity).copied();
            }
        }
        None
    }

    /// Mentions what a path before parentheses names.
    pub(super) fn callee(&mut self, parts: &'a [Ident]) -> Option<Callee<'a, 'a>> {
        let names = self.names;
        let (unit, name) = match parts {
            [name] => (self.unit, name),
            [alias, name] => (self.module(alias)?, name),
            _ => return None,
        };
        let callee = names.callee(self.unit, parts);
        let kind = match &callee {
            Callee::Event(_) => SymbolKind::Event,
            Callee::Lookup(_) => SymbolKind::Lookup,
            Callee::Predicate(_) => SymbolKind::Predicate,
            Callee::Silent | Callee::NotInModule(_) | Callee::Unknown => return None,
        };
        self.in_file(kind, unit, name);
        Some(callee)
    }

    /// Mentions the parts of a field of each tool that has it; the first that does counts.
    pub(super) fn field(
        &mut self,
        kind: SymbolKind,
        tools: &[&'a ToolSym],
        way: &[Option<&Ident>],
    ) -> Known {
        for tool in tools {
            let origin = Origin {
                kind,
                owner: full_name(tool.server.as_deref(), &tool.name),
                way: Vec::new(),
            };
            if let Some(known) = self.known_field(&origin, way) {
                return known;
            }
        }
        Known::default()
    }

    pub(super) fn event_field(&mut self, event: &str, way: &[Option<&Ident>]) -> Known {
        let origin = Origin {
            kind: SymbolKind::EventField,
            owner: event.to_owned(),
            way: Vec::new(),
        };
        self.known_field(&origin, way).unwrap_or_default()
    }

    /// Mentions the parts of a field that are known (`None` is an element of a list). What is known of its value; `None`
    /// where not even the first name is.
    pub(super) fn known_field(&mut self, origin: &Origin, way: &[Option<&Ident>]) -> Option<Known> {
        let mut names = origin.way.clone();
        let mut known: Option<Known> = None;
        for part in way {
            let Some(part) = part else {
                names.push(ELEMENT.to_owned());
                known = Some(known.unwrap_or_default().element());
                continue;
            };
            names.push(part.name.clone());
            let identity = Identity::Field(origin.kind, origin.owner.clone(), names.clone());
            let Some(symbol) = self.known.get(&identity).copied() else {
                return known.map(|_| Known::default());
            };
            self.mention(part.span, symbol);
            known = Some(self.of_symbol(symbol));
        }
        known
    }
}
