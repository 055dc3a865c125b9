//! The names that files declare, and what a dotted name of a file leads to.

use std::collections::{BTreeMap, BTreeSet};

use ctr_grammar::Span;
use ctr_grammar::ast::{self, ExprKind, Ident, ItemKind, TypeKind};
use rustc_hash::FxHashMap;

use super::decl::Types;
use super::walk::walk;
use crate::diagnostic::Diagnostic;
use crate::ir::{DeclaredTool, EventDecl, EventId, Lookup, LookupId, Place};
use crate::load::{Graph, Unit};
use crate::types::{Annotations, Type};

/// Names that cannot be given to a key, a `let` or a parameter: they say where a field is.
pub(super) const ROOTS: [&str; 4] = ["args", "result", "ctx", "event"];

/// Built-in functions and aggregates: no event, lookup or predicate can have these names.
pub const BUILTINS: [&str; 23] = [
    "len",
    "text",
    "lower",
    "upper",
    "trim",
    "number",
    "host",
    "abs",
    "keys",
    "timestamp",
    "duration",
    "has",
    "count",
    "streak",
    "sum",
    "min",
    "max",
    "latest",
    "first",
    "values",
    "elapsed",
    "mentioned",
    "earlier",
];

/// A declared tool, imported ones refined by hand-written ones.
#[derive(Clone, Debug)]
pub(super) struct ToolSym {
    /// Its server, where declared.
    pub(super) server: Option<String>,
    /// Its name.
    pub(super) name: String,
    /// Its arguments.
    pub(super) args: Type,
    /// Its result.
    pub(super) result: Type,
    /// Its annotations.
    pub(super) annotations: Annotations,
    /// Where it is declared.
    pub(super) place: Place,
}

/// A declared event.
pub(super) struct EventSym {
    /// Its number.
    pub(super) id: EventId,
    /// Its name.
    pub(super) name: String,
    /// The record of its fields.
    pub(super) fields: Type,
}

/// A declared lookup.
pub(super) struct LookupSym {
    /// Its number.
    pub(super) id: LookupId,
    /// Its parameters.
    pub(super) params: Vec<(String, Type)>,
    /// Its answer.
    pub(super) result: Type,
}

/// A predicate.
pub(super) struct PredicateSym<'a> {
    /// The unit.
    pub(super) unit: usize,
    /// The tree.
    pub(super) ast: &'a ast::Predicate,
    /// The types of its parameters; `None` for `event`.
    pub(super) params: Vec<Option<Type>>,
    /// Whether it leads to itself (reported).
    pub(super) cyclic: bool,
}

/// The names of a file.
#[derive(Default)]
pub(super) struct UnitNames<'a> {
    pub(super) events: BTreeMap<&'a str, EventSym>,
    pub(super) lookups: BTreeMap<&'a str, LookupSym>,
    pub(super) predicates: BTreeMap<&'a str, PredicateSym<'a>>,
    pub(super) contexts: BTreeMap<&'a str, Type>,
    pub(super) groups: BTreeMap<&'a str, &'a ast::Group>,
    pub(super) contracts: BTreeMap<&'a str, Span>,
    pub(super) tools: Vec<ToolSym>,
    pub(super) imports: BTreeMap<&'a str, usize>,
    pub(super) missing: BTreeSet<&'a str>,
    /// Whether declarations may be missing for a reason that was reported: what is unknown then is
    /// no news.
    pub(super) incomplete: bool,
    /// Whether the tools are incomplete in the same sense.
    pub(super) tools_incomplete: bool,
}

/// The names of all files.
pub(super) struct Names<'a> {
    /// In the order of the units.
    pub(super) units: Vec<UnitNames<'a>>,
    /// Declared events by number; events of one name are one.
    pub(super) events: Vec<EventDecl>,
    /// Declared lookups by number.
    pub(super) lookups: Vec<Lookup>,
    /// The tools that each file can name.
    in_scope: Vec<ToolScope>,
}

/// The tools that a file can name: its own, then those of the files that it imports.
#[derive(Default)]
struct ToolScope {
    /// The file and the position among its tools.
    all: Vec<(usize, usize)>,
    /// Positions in `all` by name, in order.
    by_name: FxHashMap<String, Vec<usize>>,
}

impl ToolScope {
    fn add(&mut self, at: (usize, usize), tool: &ToolSym) {
        let number = self.all.len();
        self.all.push(at);
        match self.by_name.get_mut(tool.name.as_str()) {
            Some(named) => named.push(number),
            None => {
                self.by_name.insert(tool.name.clone(), vec![number]);
            }
        }
    }
}

/// What a dotted name before parentheses leads to.
pub(super) enum Callee<'n, 'a> {
    Event(&'n EventSym),
    Lookup(&'n LookupSym),
    Predicate(&'n PredicateSym<'a>),
    /// Unknown for a reason that was reported.
    Silent,
    /// The module has no such name.
    NotInModule(usize),
    Unknown,
}

impl<'a> Names<'a> {
    /// Reads the declarations of all files.
    pub(super) fn new(graph: &'a Graph, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut names = Names {
            units: Vec::with_capacity(graph.units.len()),
            events: Vec::new(),
            lookups: Vec::new(),
            in_scope: Vec::new(),
        };
        for (index, unit) in graph.units.iter().enumerate() {
            let mut builder = Builder {
                unit,
                index,
                out: UnitNames {
                    imports: unit
                        .imports
                        .iter()
                        .map(|i| (i.alias.as_str(), i.unit.0 as usize))
                        .collect(),
                    missing: unit.missing.iter().map(String::as_str).collect(),
                    incomplete: unit.file.items.iter().any(|i| i.kind == ItemKind::Error),
                    tools_incomplete: unit.tools_incomplete,
                    ..UnitNames::default()
                },
                taken: FxHashMap::default(),
                tools: FxHashMap::default(),
                written: FxHashMap::default(),
                diagnostics,
            };
            builder.items(&mut names.events, &mut names.lookups);
            let out = builder.out;
            names.units.push(out);
        }
        names.in_scope = (0..names.units.len())
            .map(|unit| names.tools_in_scope(unit))
            .collect();
        names.cycles(graph, diagnostics);
        names
    }

    /// What `path` before parentheses leads to, in a file.
    pub(super) fn callee(&self, unit: usize, path: &[Ident]) -> Callee<'_, 'a> {
        let Some(names) = self.units.get(unit) else {
            return Callee::Unknown;
        };
        match path {
            [name] => match names.find(&name.name) {
                Some(found) => found,
                None if names.incomplete => Callee::Silent,
                None => Callee::Unknown,
            },
            [alias, name] => {
                let alias = alias.name.as_str();
                if names.missing.contains(alias) {
                    return Callee::Silent;
                }
                let Some(target) = names.imports.get(alias) else {
                    return Callee::Unknown;
                };
                match self.units.get(*target) {
                    Some(module) => match module.find(&name.name) {
                        Some(found) => found,
                        None if module.incomplete => Callee::Silent,
                        None => Callee::NotInModule(*target),
                    },
                    None => Callee::Silent,
                }
            }
            _ => Callee::Unknown,
        }
    }

    fn tools_in_scope(&self, unit: usize) -> ToolScope {
        let mut scope = ToolScope::default();
        let Some(names) = self.units.get(unit) else {
            return scope;
        };
        for (at, tool) in names.tools.iter().enumerate() {
            scope.add((unit, at), tool);
        }
        for target in names.imports.values() {
            let tools = self.units.get(*target).map_or(&[][..], |m| &m.tools);
            for (at, tool) in tools.iter().enumerate() {
                let mut known = self.named_in(&scope, &tool.name);
                if !known.any(|t| t.server == tool.server) {
                    drop(known);
                    scope.add((*target, at), tool);
                }
            }
        }
        scope
    }

    fn tool_at(&self, (unit, at): (usize, usize)) -> Option<&ToolSym> {
        self.units.get(unit)?.tools.get(at)
    }

    fn named_in<'s>(
        &'s self,
        scope: &'s ToolScope,
        name: &str,
    ) -> impl Iterator<Item = &'s ToolSym> + use<'s, 'a> {
        let named = scope.by_name.get(name).map_or(&[][..], Vec::as_slice);
        named
            .iter()
            .filter_map(|number| self.tool_at(*scope.all.get(*number)?))
    }

    /// The tools that a file can name: its own, then those of the files that it imports.
    pub(super) fn tools(&self, unit: usize) -> Vec<&ToolSym> {
        let all = self.in_scope.get(unit).map_or(&[][..], |scope| &scope.all);
        all.iter().filter_map(|at| self.tool_at(*at)).collect()
    }

    /// Those of [`Self::tools`] that have a name, in the same order.
    pub(super) fn tools_named(&self, unit: usize, name: &str) -> Vec<&ToolSym> {
        let scope = self.in_scope.get(unit);
        scope
            .into_iter()
            .flat_map(|scope| self.named_in(scope, name))
            .collect()
    }

    /// Those of a file's own tools that have a name; where there is none, those of the files that it imports.
    pub(super) fn nearest_named(&self, unit: usize, name: &str) -> Vec<&ToolSym> {
        let Some(scope) = self.in_scope.get(unit) else {
            return Vec::new();
        };
        let named = scope.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let places = || named.iter().filter_map(|number| scope.all.get(*number));
        let has_own = places().any(|(of, _)| *of == unit);
        places()
            .filter(|(of, _)| !has_own || *of == unit)
            .filter_map(|at| self.tool_at(*at))
            .collect()
    }

    /// Whether a file can name any declared tool.
    pub(super) fn has_tools(&self, unit: usize) -> bool {
        self.in_scope
            .get(unit)
            .is_some_and(|scope| !scope.all.is_empty())
    }

    /// The tools of all files, each once.
    pub(super) fn declared(&self) -> Vec<DeclaredTool> {
        let mut all: Vec<DeclaredTool> = Vec::new();
        let mut seen: BTreeSet<(&Option<String>, &str)> = BTreeSet::new();
        for tool in self.units.iter().flat_map(|unit| &unit.tools) {
            if seen.insert((&tool.server, &tool.name)) {
                all.push(DeclaredTool {
                    server: tool.server.clone(),
                    name: tool.name.clone(),
                    args: tool.args.clone(),
                });
            }
        }
        all
    }

    /// Whether the tools of a file are incomplete for a reason that was reported.
    pub(super) fn tools_incomplete(&self, unit: usize) -> bool {
        self.units.get(unit).is_some_and(|names| {
            names.tools_incomplete
                || names.incomplete
                || !names.missing.is_empty()
                || names
                    .imports
                    .values()
                    .filter_map(|t| self.units.get(*t))
                    .any(|m| m.tools_incomplete || m.incomplete)
        })
    }

    /// The context fields that a file can name: its own, then those of the files that it imports.
    pub(super) fn contexts(&self, unit: usize) -> BTreeMap<&str, &Type> {
        let mut all = BTreeMap::new();
        let Some(names) = self.units.get(unit) else {
            return all;
        };
        for (name, ty) in &names.contexts {
            all.insert(*name, ty);
        }
        for module in names.imports.values().filter_map(|t| self.units.get(*t)) {
            for (name, ty) in &module.contexts {
                all.entry(*name).or_insert(ty);
            }
        }
        all
    }

    /// Reports templates that lead to themselves.
    fn cycles(&mut self, graph: &Graph, diagnostics: &mut Vec<Diagnostic>) {
        // The uses of a predicate by another: where it stands, and what it leads to.
        type Node<'n> = (usize, &'n str);
        let mut edges: BTreeMap<Node<'a>, Vec<(Node<'a>, Place)>> = BTreeMap::new();
        for (index, names) in self.units.iter().enumerate() {
            let Some(source) = graph.units.get(index).map(|u| u.source) else {
                continue;
            };
            for (name, predicate) in &names.predicates {
                let mut out = Vec::new();
                walk(&predicate.ast.body, &mut |e| {
                    if let ExprKind::Call(path, _) = &e.kind
                        && let Callee::Predicate(target) = self.callee(index, &path.parts)
                    {
                        let place = Place {
                            source,
                            span: path.span,
                        };
                        out.push(((target.unit, target.ast.name.name.as_str()), place));
                    }
                });
                edges.insert((index, *name), out);
            }
        }
        let mut done: BTreeSet<Node<'a>> = BTreeSet::new();
        let mut cyclic: BTreeSet<Node<'a>> = BTreeSet::new();
        for start in edges.keys().copied().collect::<Vec<_>>() {
            // Depth first with an explicit stack: the node, and the next of its edges.
            let mut stack: Vec<(Node<'a>, usize)> = vec![(start, 0)];
            if done.contains(&start) {
                continue;
            }
            while let Some((node, next)) = stack.last_mut() {
                let node = *node;
                let Some((target, _)) = edges.get(&node).and_then(|e| e.get(*next)) else {
                    done.insert(node);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if let Some(at) = stack.iter().position(|(n, _)| n == target) {
                    let cycle: Vec<(Node<'a>, Place)> = stack
                        .iter()
                        .skip(at)
                        .filter_map(|(n, next)| {
                            let edge = edges.get(n)?.get(next.checked_sub(1)?)?;
                            Some((*n, edge.1))
                        })
                        .collect();
                    if cycle.iter().any(|(n, _)| !cyclic.contains(n)) {
                        diagnostics.extend(cycle_report(&cycle));
                    }
                    cyclic.extend(cycle.iter().map(|(n, _)| *n));
                } else if !done.contains(target) {
                    stack.push((*target, 0));
                }
            }
        }
        for (unit, name) in cyclic {
            if let Some(predicate) = self
                .units
                .get_mut(unit)
                .and_then(|u| u.predicates.get_mut(name))
            {
                predicate.cyclic = true;
            }
        }
    }
}

fn cycle_report(cycle: &[((usize, &str), Place)]) -> Option<Diagnostic> {
    let ((_, first), place) = cycle.first()?;
    let message = if cycle.len() == 1 {
        format!("the predicate `{first}` uses itself")
    } else {
        let mut way: Vec<String> = cycle.iter().map(|((_, n), _)| format!("`{n}`")).collect();
        way.push(format!("`{first}`"));
        format!("predicates use each other in a cycle: {}", way.join(" -> "))
    };
    let mut diagnostic = Diagnostic::error("E0406", message, *place, format!("used by `{first}`"));
    for ((_, name), place) in cycle.iter().skip(1) {
        diagnostic = diagnostic.with_label(*place, format!("used by `{name}`"));
    }
    Some(
        diagnostic
            .with_help("a predicate is replaced by its body, so that it cannot lead to itself"),
    )
}

impl<'a> UnitNames<'a> {
    fn find(&self, name: &str) -> Option<Callee<'_, 'a>> {
        if let Some(event) = self.events.get(name) {
            Some(Callee::Event(event))
        } else if let Some(predicate) = self.predicates.get(name) {
            Some(Callee::Predicate(predicate))
        } else {
            self.lookups.get(name).map(Callee::Lookup)
        }
    }

    /// The names that can stand before parentheses.
    pub(super) fn callables(&self) -> Vec<&'a str> {
        self.events
            .keys()
            .chain(self.predicates.keys())
            .chain(self.lookups.keys())
            .copied()
            .collect()
    }
}

/// Reads the declarations of one file.
struct Builder<'a, 'd> {
    unit: &'a Unit,
    index: usize,
    out: UnitNames<'a>,
    /// Where a name of a kind was declared first.
    taken: FxHashMap<(&'static str, &'a str), (Place, &'static str)>,
    /// Positions of the tools so far by their names, in order.
    tools: FxHashMap<String, Vec<usize>>,
    /// Where tools were declared by hand first, by the parts of their names.
    written: FxHashMap<Vec<&'a str>, Span>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Builder<'a, '_> {
    fn place(&self, span: Span) -> Place {
        Place {
            source: self.unit.source,
            span,
        }
    }

    fn items(&mut self, events: &mut Vec<EventDecl>, lookups: &mut Vec<Lookup>) {
        for import in &self.unit.imports {
            let place = self.place(import.span);
            self.taken
                .insert(("name", import.alias.as_str()), (place, "import"));
        }
        // The tools of files first: a tool that is written by hand refines one of them.
        for tool in &self.unit.tools {
            let (server, name) = normal_tool(tool.server.as_deref(), &tool.name);
            let args = Type::Record(tool.params.clone());
            let named = self.tools.get(&name).map_or(&[][..], Vec::as_slice);
            let mut named = named.iter().filter_map(|at| self.out.tools.get(*at));
            let other = named
                .find(|other| other.server == server && other.place.source != tool.place.source);
            if let Some(other) = other {
                // Two lists may well name one tool; what they say of it must be the same.
                if other.args != args
                    || other.result != tool.result
                    || other.annotations != tool.annotations
                {
                    self.diagnostics.push(
                        Diagnostic::error(
                            "E0404",
                            format!("two lists declare the tool `{name}`, each in its own way"),
                            tool.place,
                            "this one",
                        )
                        .with_label(other.place, "and this one")
                        .with_help("take it out of one of them, or say of each list which server it is of: `tools from \"file.json\" as server`"),
                    );
                }
                continue;
            }
            self.add_tool(ToolSym {
                server,
                name,
                args,
                result: tool.result.clone(),
                annotations: tool.annotations,
                place: tool.place,
            });
        }
        for item in &self.unit.file.items {
            match &item.kind {
                ItemKind::Event(event) => self.event(event, events),
                ItemKind::Context(context) => self.context(context),
                ItemKind::Lookup(lookup) => self.lookup(lookup, lookups),
                ItemKind::Predicate(predicate) => self.predicate(predicate),
                ItemKind::Group(group) if self.claim("tool", &group.name, "group", false) => {
                    self.out.groups.insert(&group.name.name, group);
                }
                ItemKind::Contract(contract)
                    if self.claim("contract", &contract.name, "contract", false) =>
                {
                    self.out
                        .contracts
                        .insert(&contract.name.name, contract.name.span);
                }
                ItemKind::Tool(tool) => self.tool(tool),
                _ => {}
            }
        }
    }

    /// Takes a name; reports one that is taken. Whether it was free.
    fn claim(
        &mut self,
        space: &'static str,
        name: &'a Ident,
        what: &'static str,
        callable: bool,
    ) -> bool {
        let place = self.place(name.span);
        if callable && BUILTINS.contains(&name.name.as_str()) {
            self.diagnostics.push(
                Diagnostic::error(
                    "E0410",
                    format!("`{}` is the name of a built-in function", name.name),
                    place,
                    format!("no name for this {what}"),
                )
                .with_help("give it another name"),
            );
            return false;
        }
        if let Some((first, was)) = self.taken.get(&(space, name.name.as_str())) {
            self.diagnostics.push(
                Diagnostic::error(
                    "E0404",
                    format!("the name `{}` is declared twice", name.name),
                    place,
                    format!("this {what}"),
                )
                .with_label(*first, format!("the {was} of that name"))
                .with_help("give one of them another name"),
            );
            return false;
        }
        self.taken.insert((space, &name.name), (place, what));
        true
    }

    fn event(&mut self, event: &'a ast::EventDecl, events: &mut Vec<EventDecl>) {
        let fields = Types {
            source: self.unit.source,
            diagnostics: self.diagnostics,
        }
        .record(&event.fields);
        if !self.claim("name", &event.name, "event", true) {
            return;
        }
        let name = event.name.name.clone();
        let id = match events.iter().position(|e| e.name == name) {
            Some(at) => at,
            None => {
                events.push(EventDecl { name: name.clone() });
                events.len() - 1
            }
        };
        self.out.events.insert(
            &event.name.name,
            EventSym {
                id: EventId(u32::try_from(id).unwrap_or(u32::MAX)),
                name,
                fields: Type::Record(fields),
            },
        );
    }

    fn context(&mut self, context: &'a ast::ContextDecl) {
        let ty = Types {
            source: self.unit.source,
            diagnostics: self.diagnostics,
        }
        .ty(&context.ty);
        if self.claim("context", &context.name, "context field", false) {
            self.out.contexts.insert(&context.name.name, ty);
        }
    }

    fn lookup(&mut self, lookup: &'a ast::LookupDecl, lookups: &mut Vec<Lookup>) {
        let mut types = Types {
            source: self.unit.source,
            diagnostics: self.diagnostics,
        };
        let params = types.record(&lookup.params);
        let result = types.ty(&lookup.result);
        if !self.claim("name", &lookup.name, "lookup", true) {
            return;
        }
        let name = lookup.name.name.clone();
        let arity = u32::try_from(params.fields.len()).unwrap_or(u32::MAX);
        let id = match lookups.iter().position(|l| l.name == name) {
            Some(at) => at,
            None => {
                lookups.push(Lookup {
                    name: name.clone(),
                    arity,
                });
                lookups.len() - 1
            }
        };
        if lookups.get(id).is_some_and(|l| l.arity != arity) {
            self.diagnostics.push(
                Diagnostic::error(
                    "E0404",
                    format!(
                        "the lookup `{name}` is declared with other parameters in another file"
                    ),
                    self.place(lookup.name.span),
                    format!("{arity} here"),
                )
                .with_help("a lookup is the host's: all files that name it declare it alike"),
            );
        }
        self.out.lookups.insert(
            &lookup.name.name,
            LookupSym {
                id: LookupId(u32::try_from(id).unwrap_or(u32::MAX)),
                params: params.fields.into_iter().map(|f| (f.name, f.ty)).collect(),
                result,
            },
        );
    }

    fn predicate(&mut self, predicate: &'a ast::Predicate) {
        let mut params = Vec::new();
        let mut seen: Vec<&Ident> = Vec::new();
        for param in &predicate.params {
            let event = matches!(&param.ty.kind, TypeKind::Name(name) if name == "event");
            params.push((!event).then(|| {
                Types {
                    source: self.unit.source,
                    diagnostics: self.diagnostics,
                }
                .ty(&param.ty)
            }));
            let place = self.place(param.name.span);
            if ROOTS.contains(&param.name.name.as_str()) {
                self.diagnostics
                    .push(reserved(&param.name.name, "parameter", place));
            } else if let Some(first) = seen.iter().find(|s| s.name == param.name.name) {
                self.diagnostics.push(
                    Diagnostic::error(
                        "E0404",
                        format!("the parameter `{}` is declared twice", param.name.name),
                        place,
                        "again here",
                    )
                    .with_label(self.place(first.span), "first here"),
                );
            }
            seen.push(&param.name);
        }
        if self.claim("name", &predicate.name, "predicate", true) {
            self.out.predicates.insert(
                &predicate.name.name,
                PredicateSym {
                    unit: self.index,
                    ast: predicate,
                    params,
                    cyclic: false,
                },
            );
        }
    }

    fn tool(&mut self, tool: &'a ast::Tool) {
        let mut types = Types {
            source: self.unit.source,
            diagnostics: self.diagnostics,
        };
        let params = types.record(&tool.params);
        let result = tool.result.as_ref().map(|r| types.ty(r));
        let place = self.place(tool.name.span);
        // Those of which more is wrong count, too.
        let parts: Vec<&str> = tool.name.parts.iter().map(|p| p.name.trim()).collect();
        let earlier = self.written.get(&parts).copied();
        self.written.entry(parts).or_insert(tool.name.span);
        let (server, name) = match tool.name.parts.as_slice() {
            [name] => normal_tool(None, &name.name),
            [server, name] => normal_tool(Some(&server.name), &name.name),
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(
                        "E0401",
                        "a tool's name is its own, or its server's and its own",
                        place,
                        "too many parts",
                    )
                    .with_help("write `server.tool`; a name with dots goes into back-ticks"),
                );
                return;
            }
        };
        // A tool written by hand twice.
        if let Some(first) = earlier {
            self.diagnostics.push(
                Diagnostic::error(
                    "E0404",
                    format!("the tool `{name}` is declared twice"),
                    place,
                    "again here",
                )
                .with_label(self.place(first), "first here"),
            );
            return;
        }
        if server.is_none()
            && let Some(last) = tool.name.parts.last()
            && !self.claim_tool(last)
        {
            return;
        }
        let named = self.tools.get(&name).map_or(&[][..], Vec::as_slice);
        let fits = |at: &usize| {
            let tool = self.out.tools.get(*at);
            tool.is_some_and(|t| server.is_none() || t.server == server)
        };
        let matches: Vec<usize> = named.iter().copied().filter(fits).collect();
        if let [at] = matches.as_slice()
            && let Some(old) = self.out.tools.get_mut(*at)
        {
            // Refined: what is written by hand replaces what the file says of the same fields.
            if let Type::Record(record) = &mut old.args {
                for field in params.fields {
                    match record.fields.iter_mut().find(|f| f.name == field.name) {
                        Some(slot) => *slot = field,
                        None => record.fields.push(field),
                    }
                }
            }
            if let Some(result) = result {
                old.result = result;
            }
            old.place = place;
            return;
        }
        self.add_tool(ToolSym {
            server,
            name,
            args: Type::Record(params),
            result: result.unwrap_or(Type::Any),
            annotations: Annotations::default(),
            place,
        });
    }

    fn add_tool(&mut self, tool: ToolSym) {
        let at = self.out.tools.len();
        match self.tools.get_mut(tool.name.as_str()) {
            Some(named) => named.push(at),
            None => {
                self.tools.insert(tool.name.clone(), vec![at]);
            }
        }
        self.out.tools.push(tool);
    }

    fn claim_tool(&mut self, name: &'a Ident) -> bool {
        match self.taken.get(&("tool", name.name.as_str())) {
            Some((_, "group")) => self.claim("tool", name, "tool", false),
            _ => {
                let place = self.place(name.span);
                self.taken
                    .insert(("tool", name.name.as_str()), (place, "tool"));
                true
            }
        }
    }
}

/// The error that a key, `let` or parameter has a name that says where a field is.
pub(super) fn reserved(name: &str, what: &str, place: Place) -> Diagnostic {
    Diagnostic::error(
        "E0410",
        format!(
            "`{name}` always means the {} and cannot name a {what}",
            root_meaning(name)
        ),
        place,
        format!("no name for a {what}"),
    )
    .with_help("give it another name")
}

fn root_meaning(name: &str) -> &'static str {
    match name {
        "args" => "arguments of a call",
        "result" => "result of a call",
        "ctx" => "context of the session",
        _ => "event itself",
    }
}

/// A tool's server and name, with white space around them dropped and the wire form
/// `mcp__server__tool` taken apart at the first `__`.
pub(super) fn normal_tool(server: Option<&str>, name: &str) -> (Option<String>, String) {
    let name = name.trim();
    let server = server.map(str::trim);
    match (
        server,
        name.strip_prefix("mcp__").and_then(|r| r.split_once("__")),
    ) {
        (None, Some((server, tool))) if !server.is_empty() && !tool.is_empty() => {
            (Some(server.to_owned()), tool.to_owned())
        }
        (Some(given), Some((server, tool))) if given == server && !tool.is_empty() => {
            (Some(given.to_owned()), tool.to_owned())
        }
        _ => (server.map(str::to_owned), name.to_owned()),
    }
}
