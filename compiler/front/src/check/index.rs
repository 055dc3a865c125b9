//! The index of names (see [`crate::symbols`]).

use std::collections::HashMap;
use std::rc::Rc;

use ctr_grammar::ast::{
    self, Action, ClauseKind, Expr, ExprKind, Form, GroupMembers, Ident, ItemKind, Outcome,
    PatternKind, TestStepKind, ToolSelKind, TypeKind,
};
use ctr_grammar::{MessagePart, Span, walk};

use super::message::Messages;
use super::names::{Callee, Names, ToolSym};
use crate::ir::{Place, SourceId};
use crate::load::{Graph, Unit};
use crate::symbols::{Mention, Symbol, SymbolKind, Symbols};
use crate::types::{Record, Type};

/// Indexes the names of all files of a graph.
#[must_use]
pub fn index(graph: &Graph) -> Symbols {
    // Findings about declarations are told by the check itself.
    let mut unheard = Vec::new();
    let names = Names::new(graph, &mut unheard);
    let messages = Messages::new(graph, &mut unheard);
    let mut builder = Builder {
        graph,
        names: &names,
        out: Symbols::default(),
        known: HashMap::new(),
        unit: 0,
        source: SourceId(0),
    };
    for (index, unit) in graph.units.iter().enumerate() {
        builder.unit = index;
        builder.source = unit.source;
        builder.declarations(unit);
    }
    for (index, unit) in graph.units.iter().enumerate() {
        builder.unit = index;
        builder.source = unit.source;
        builder.uses(unit, &messages);
    }
    let mut out = builder.out;
    // Where one place was read twice the first reading counts: declarations come first.
    out.mentions.sort_by_key(|mention| {
        let place = mention.place;
        (place.source, place.span, !mention.definition)
    });
    out.mentions.dedup_by_key(|mention| mention.place);
    out
}

/// What makes two names one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// By file, kind and name.
    InFile(SymbolKind, usize, String),
    /// By the place of its declaration.
    Local(Place),
    /// By server and name, in whichever file it is declared.
    Tool(Option<String>, String),
    /// By what it belongs to, and the names on the way.
    Field(SymbolKind, String, Vec<String>),
}

/// A name of a contract, predicate or quantifier.
struct Local<'a> {
    name: &'a str,
    symbol: usize,
    /// What it stands for, in a `let`.
    value: Option<&'a Expr>,
    next: Option<Rc<Local<'a>>>,
}

/// The fields that a bare name can be.
#[derive(Clone, Default)]
enum Fields<'a> {
    /// None that are known.
    #[default]
    None,
    /// Those of a call or return of one of some tools.
    Tools {
        tools: Vec<&'a ToolSym>,
        /// Whether a bare name is a field of the result.
        result: bool,
    },
    /// Those of a declared event.
    Event { name: &'a str, record: &'a Type },
}

#[derive(Clone, Default)]
struct Scope<'a> {
    locals: Option<Rc<Local<'a>>>,
    fields: Fields<'a>,
}

impl<'a> Scope<'a> {
    fn local(&self, name: &str) -> Option<&Rc<Local<'a>>> {
        let mut at = self.locals.as_ref();
        while let Some(local) = at {
            if local.name == name {
                return Some(local);
            }
            at = local.next.as_ref();
        }
        None
    }

    fn with(&self, name: &'a str, symbol: usize, value: Option<&'a Expr>) -> Self {
        Self {
            locals: Some(Rc::new(Local {
                name,
                symbol,
                value,
                next: self.locals.clone(),
            })),
            fields: self.fields.clone(),
        }
    }

    fn seeing(&self, fields: Fields<'a>) -> Self {
        Self {
            locals: self.locals.clone(),
            fields,
        }
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    names: &'a Names<'a>,
    out: Symbols,
    known: HashMap<Identity, usize>,
    /// The file that is read.
    unit: usize,
    source: SourceId,
}

impl<'a> Builder<'a> {
    fn place(&self, span: Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }

    /// The symbol of an identity, made where it is new.
    fn symbol(&mut self, identity: Identity, kind: SymbolKind, name: &str) -> usize {
        if let Some(known) = self.known.get(&identity) {
            return *known;
        }
        let library = match &identity {
            Identity::InFile(_, unit, _) => self.graph.units.get(*unit).is_some_and(|u| u.library),
            Identity::Local(_) => self
                .graph
                .units
                .get(self.unit)
                .is_some_and(|unit| unit.library),
            Identity::Tool(..) | Identity::Field(..) => false,
        };
        let made = self.out.symbols.len();
        self.out.symbols.push(Symbol {
            kind,
            name: name.to_owned(),
            owner: match &identity {
                Identity::Field(_, owner, _) => Some(owner.clone()),
                _ => None,
            },
            path: match &identity {
                Identity::Field(_, _, way) => way.clone(),
                _ => Vec::new(),
            },
            definitions: Vec::new(),
            doc: None,
            ty: None,
            library,
        });
        self.known.insert(identity, made);
        made
    }

    fn edit(&mut self, symbol: usize, with: impl FnOnce(&mut Symbol)) {
        if let Some(symbol) = self.out.symbols.get_mut(symbol) {
            with(symbol);
        }
    }

    fn mention(&mut self, span: Span, symbol: usize) {
        let place = self.place(span);
        self.out.mentions.push(Mention {
            place,
            symbol,
            definition: false,
        });
    }

    fn define(&mut self, place: Place, symbol: usize) {
        self.out.mentions.push(Mention {
            place,
            symbol,
            definition: true,
        });
        self.edit(symbol, |symbol| {
            if !symbol.definitions.contains(&place) {
                symbol.definitions.push(place);
            }
        });
    }

    /// A name of this file.
    fn declare(&mut self, kind: SymbolKind, name: &Ident, doc: Option<&String>) -> usize {
        let identity = Identity::InFile(kind, self.unit, name.name.clone());
        let symbol = self.symbol(identity, kind, &name.name);
        self.define(self.place(name.span), symbol);
        self.edit(symbol, |symbol| {
            if symbol.doc.is_none() {
                symbol.doc = doc.cloned();
            }
        });
        symbol
    }

    fn declarations(&mut self, unit: &'a Unit) {
        for tool in &unit.tools {
            let symbol = self.tool(tool.server.as_deref(), &tool.name);
            self.define(tool.place, symbol);
            self.edit(symbol, |symbol| symbol.doc.clone_from(&tool.description));
            let owner = full_name(tool.server.as_deref(), &tool.name);
            self.fields(SymbolKind::Argument, &owner, &mut Vec::new(), &tool.params);
            if let Type::Record(record) = &tool.result {
                self.fields(SymbolKind::ResultField, &owner, &mut Vec::new(), record);
            }
        }
        for item in &unit.file.items {
            let doc = item.doc.as_ref();
            match &item.kind {
                ItemKind::Import(import) => {
                    let alias = import.alias.as_ref().or(match &import.target {
                        ast::ModuleRef::Name(path) => path.parts.last(),
                        ast::ModuleRef::File(_) => None,
                    });
                    if let Some(alias) = alias {
                        self.declare(SymbolKind::Module, alias, None);
                    }
                }
                ItemKind::Tool(tool) => {
                    let (server, name) = match tool.name.parts.as_slice() {
                        [name] => (None, name),
                        [server, name] => (Some(server.name.trim()), name),
                        _ => continue,
                    };
                    let (server, name) = super::names::normal_tool(server, &name.name);
                    // A tool written without a server refines that of a file.
                    let known = self.names.units.get(self.unit).and_then(|unit| {
                        unit.tools
                            .iter()
                            .find(|t| t.name == name && (server.is_none() || t.server == server))
                    });
                    let server = known.map_or(server, |t| t.server.clone());
                    let symbol = self.tool(server.as_deref(), &name);
                    self.define(self.place(tool.name.span), symbol);
                    self.edit(symbol, |symbol| {
                        if symbol.doc.is_none() {
                            symbol.doc = doc.cloned();
                        }
                    });
                    let owner = full_name(server.as_deref(), &name);
                    self.field_decls(SymbolKind::Argument, &owner, &mut Vec::new(), &tool.params);
                    if let Some(TypeKind::Record(fields)) = tool.result.as_ref().map(|t| &t.kind) {
                        self.field_decls(SymbolKind::ResultField, &owner, &mut Vec::new(), fields);
                    }
                }
                ItemKind::Group(group) => {
                    self.declare(SymbolKind::Group, &group.name, doc);
                }
                ItemKind::Event(event) => {
                    self.declare(SymbolKind::Event, &event.name, doc);
                    let owner = event.name.name.clone();
                    self.field_decls(
                        SymbolKind::EventField,
                        &owner,
                        &mut Vec::new(),
                        &event.fields,
                    );
                    if let Some(sym) = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.events.get(event.name.name.as_str()))
                        && let Type::Record(record) = &sym.fields
                    {
                        self.fields(SymbolKind::EventField, &owner, &mut Vec::new(), record);
                    }
                }
                ItemKind::Context(context) => {
                    let symbol = self.declare(SymbolKind::Context, &context.name, doc);
                    let ty = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.contexts.get(context.name.name.as_str()))
                        .cloned();
                    self.edit(symbol, |symbol| symbol.ty = ty);
                }
                ItemKind::Lookup(lookup) => {
                    let symbol = self.declare(SymbolKind::Lookup, &lookup.name, doc);
                    let ty = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.lookups.get(lookup.name.name.as_str()))
                        .map(|l| l.result.clone());
                    self.edit(symbol, |symbol| symbol.ty = ty);
                }
                ItemKind::Predicate(predicate) => {
                    self.declare(SymbolKind::Predicate, &predicate.name, doc);
                }
                ItemKind::Contract(contract) => {
                    self.declare(SymbolKind::Contract, &contract.name, doc);
                }
                ItemKind::Module(_)
                | ItemKind::Include(_)
                | ItemKind::ToolsFrom(_)
                | ItemKind::Test(_)
                | ItemKind::Error => {}
            }
        }
    }

    fn tool(&mut self, server: Option<&str>, name: &str) -> usize {
        let identity = Identity::Tool(server.map(str::to_owned), name.to_owned());
        self.symbol(identity, SymbolKind::Tool, name)
    }

    /// Declared types of fields.
    fn fields(&mut self, kind: SymbolKind, owner: &str, way: &mut Vec<String>, record: &Record) {
        for field in &record.fields {
            way.push(field.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), way.clone());
            let symbol = self.symbol(identity, kind, &field.name);
            self.edit(symbol, |symbol| {
                symbol.ty = Some(field.ty.clone());
                if symbol.doc.is_none() {
                    symbol.doc.clone_from(&field.description);
                }
            });
            if let Type::Record(inner) = &field.ty {
                self.fields(kind, owner, way, inner);
            }
            way.pop();
        }
    }

    /// The places of fields that are declared in a policy.
    fn field_decls(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        fields: &[ast::FieldDecl],
    ) {
        for field in fields {
            way.push(field.name.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), way.clone());
            let symbol = self.symbol(identity, kind, &field.name.name);
            self.define(self.place(field.name.span), symbol);
            if let TypeKind::Record(inner) = &field.ty.kind {
                self.field_decls(kind, owner, way, inner);
            }
            way.pop();
        }
    }

    fn uses(&mut self, unit: &'a Unit, messages: &'a Messages) {
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
                        scope = scope.with(&param.name.name, symbol, None);
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
    fn bind(&mut self, kind: SymbolKind, name: &Ident, ty: Option<Type>) -> usize {
        let place = self.place(name.span);
        let symbol = self.symbol(Identity::Local(place), kind, &name.name);
        self.define(place, symbol);
        self.edit(symbol, |symbol| symbol.ty = ty);
        symbol
    }

    /// A name that another file declares, where it does.
    fn in_file(&mut self, kind: SymbolKind, unit: usize, name: &Ident) -> bool {
        let identity = Identity::InFile(kind, unit, name.name.clone());
        match self.known.get(&identity) {
            Some(symbol) => {
                self.mention(name.span, *symbol);
                true
            }
            None => false,
        }
    }

    fn contract(&mut self, contract: &'a ast::Contract, messages: &'a Messages) {
        let mut scope = Scope::default();
        for key in &contract.keys {
            let symbol = self.bind(SymbolKind::Key, key, None);
            scope = scope.with(&key.name, symbol, None);
        }
        let mut spoken: Vec<&'a ToolSym> = Vec::new();
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Let(name, value) => {
                    self.expr(value, &scope);
                    self.spoken(value, &mut spoken);
                    let symbol = self.bind(SymbolKind::Let, name, None);
                    scope = scope.with(&name.name, symbol, Some(value));
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
                    self.field(SymbolKind::Argument, &tools, &[name]);
                    self.expr(value, &scope);
                }
            }
            if let Some(literal) = super::message::of(action) {
                for part in messages.parts(self.unit, literal) {
                    if let MessagePart::Expr(expr) = part {
                        self.expr(expr, &scope);
                    }
                }
            }
        }
    }

    /// The tools that an expression's patterns name.
    fn spoken(&self, expr: &'a Expr, out: &mut Vec<&'a ToolSym>) {
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

    fn test(&mut self, test: &'a ast::Test) {
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
                TestStepKind::Context(path, _) => {
                    // `ctx.name` is as good as `name`.
                    let name = match path.parts.as_slice() {
                        [ctx, name, ..] if ctx.name == "ctx" => Some(name),
                        parts => parts.first(),
                    };
                    if let Some(name) = name {
                        self.context(name);
                    }
                }
                TestStepKind::Lookup { name, .. } => {
                    self.callee(std::slice::from_ref(name));
                }
                TestStepKind::Event(name, args) => {
                    self.callee(std::slice::from_ref(name));
                    for (field, _) in args {
                        self.event_field(&name.name, &[field]);
                    }
                }
                TestStepKind::Call {
                    tool,
                    args,
                    outcome,
                } => {
                    let tools = self.tools(tool);
                    for (field, _) in args {
                        self.field(SymbolKind::Argument, &tools, &[field]);
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
    fn outcome(&mut self, outcome: Option<&'a Outcome>, tools: &[&'a ToolSym]) {
        if let Some(Outcome::Success(Expr {
            kind: ExprKind::Record(fields),
            ..
        })) = outcome
        {
            for (field, _) in fields {
                self.field(SymbolKind::ResultField, tools, &[field]);
            }
        }
    }

    /// A contract that a test names: of this file, of one that it includes, or of an imported one.
    fn tested(&mut self, path: &'a ast::Path) {
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
    fn module(&mut self, alias: &Ident) -> Option<usize> {
        self.in_file(SymbolKind::Module, self.unit, alias);
        let unit = self.names.units.get(self.unit)?;
        unit.imports.get(alias.name.as_str()).copied()
    }

    /// The declarations that a path of a tool or group leads to.
    fn found(&self, path: &ast::Path) -> Vec<&'a ToolSym> {
        let names = self.names;
        let all = names.tools(self.unit);
        match path.parts.as_slice() {
            [name] => {
                let (server, name) = super::names::normal_tool(None, &name.name);
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
    fn tools(&mut self, path: &'a ast::Path) -> Vec<&'a ToolSym> {
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
    fn members(&self, unit: usize, name: &str, depth: usize) -> Vec<&'a ToolSym> {
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

    fn context(&mut self, name: &Ident) {
        if self.in_file(SymbolKind::Context, self.unit, name) {
            return;
        }
        let imports: Vec<usize> = self
            .names
            .units
            .get(self.unit)
            .map(|unit| unit.imports.values().copied().collect())
            .unwrap_or_default();
        for unit in imports {
            if self.in_file(SymbolKind::Context, unit, name) {
                return;
            }
        }
    }

    /// Mentions what a path before parentheses names.
    fn callee(&mut self, parts: &'a [Ident]) -> Option<Callee<'a, 'a>> {
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
    fn field(&mut self, kind: SymbolKind, tools: &[&'a ToolSym], way: &[&Ident]) {
        for tool in tools {
            let owner = full_name(tool.server.as_deref(), &tool.name);
            if self.known_field(kind, &owner, way) {
                return;
            }
        }
    }

    fn event_field(&mut self, event: &str, way: &[&Ident]) {
        self.known_field(SymbolKind::EventField, event, way);
    }

    /// Whether the owner has the first of some names; each that is known is mentioned.
    fn known_field(&mut self, kind: SymbolKind, owner: &str, way: &[&Ident]) -> bool {
        let mut names = Vec::new();
        let mut known = false;
        for part in way {
            names.push(part.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), names.clone());
            let Some(symbol) = self.known.get(&identity) else {
                break;
            };
            self.mention(part.span, *symbol);
            known = true;
        }
        known
    }

    fn expr(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
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
            ExprKind::Quantified {
                var, list, body, ..
            } => {
                self.expr(list, scope);
                let symbol = self.bind(SymbolKind::Variable, var, None);
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

    fn children(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        for child in walk::children(expr) {
            self.expr(child, scope);
        }
    }

    /// A function, aggregate, lookup, predicate or event.
    fn call(&mut self, path: &'a ast::Path, args: &'a [Expr], scope: &Scope<'a>) {
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
            if index == 0 && super::Checker::is_aggregate(path) {
                // What is taken of a remembered event is one of its own fields.
                let fields = self.fields_of(arg, &scope, 0);
                scope = scope.seeing(fields);
            }
        }
    }

    /// Mentions the tools of a pattern; the fields that its conditions read.
    fn pattern(&mut self, pattern: &'a ast::Pattern) -> Fields<'a> {
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
    fn fields_of(&self, expr: &'a Expr, scope: &Scope<'a>, depth: usize) -> Fields<'a> {
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
    fn path(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
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

/// A tool's name with its server's.
fn full_name(server: Option<&str>, name: &str) -> String {
    match server {
        Some(server) => format!("{server}.{name}"),
        None => name.to_owned(),
    }
}
