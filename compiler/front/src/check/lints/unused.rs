//! Names that nothing reads.
//!
//! What a file declares others may use, so that only a file of the command line is told of declarations
//! that no loaded file uses, and only where it has contracts and no `module` line: a file without contracts is
//! there to be imported, and one with a `module` line may be. Uses are compared by name alone: where two
//! things share one, neither is told.

use ctr_grammar::ast::{
    Action, ClauseKind, Expr, ExprKind, GroupMembers, Ident, ItemKind, Outcome, Path, TestStepKind,
    ToolSelKind,
};
use ctr_grammar::{MessagePart, Span};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

use super::super::names::normal_tool;
use super::super::scope::{Scope, Src};
use super::super::walk::walk;
use super::super::{At, Checker, Loaded, message};
use super::{removal, warning};
use crate::diagnostic::Diagnostic;

/// The names that a file uses.
#[derive(Default)]
struct Uses<'a> {
    /// Names in expressions, and the parts of dotted ones.
    names: FxHashSet<&'a str>,
    /// What stands before a dot.
    heads: FxHashSet<&'a str>,
    /// The fields after `ctx.`.
    context: FxHashSet<&'a str>,
    /// Tools and groups, by their own name.
    tools: FxHashSet<Cow<'a, str>>,
    /// Whether a selection names no tool: `any`, a group by annotations.
    any: bool,
}

impl<'a> Uses<'a> {
    fn path(&mut self, path: &'a Path) {
        let mut rest = path.parts.as_slice();
        while let [head, tail @ ..] = rest {
            self.names.insert(&head.name);
            if !tail.is_empty() {
                self.heads.insert(&head.name);
            }
            rest = tail;
        }
    }

    fn tool(&mut self, path: &'a Path) {
        if let Some(head) = path.parts.first().filter(|_| path.parts.len() > 1) {
            self.heads.insert(&head.name);
        }
        let Some(last) = path.parts.last() else {
            return;
        };
        let name = last.name.trim();
        self.tools.insert(Cow::Borrowed(name));
        if name.starts_with("mcp__") {
            self.tools.insert(Cow::Owned(normal_tool(None, name).1));
            // A server's name may hold the separator.
            for (at, _) in name.match_indices("__") {
                let rest = name.get(at + 2..).unwrap_or("");
                self.tools.insert(Cow::Borrowed(rest));
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        walk(expr, &mut |e| match &e.kind {
            ExprKind::Name(name) => {
                self.names.insert(&name.name);
            }
            ExprKind::Call(path, _) => self.path(path),
            ExprKind::Field(base, field) => {
                if let ExprKind::Name(head) = &base.kind {
                    self.heads.insert(&head.name);
                    self.names.insert(&field.name);
                    if head.name == "ctx" {
                        self.context.insert(&field.name);
                    }
                }
            }
            ExprKind::Pattern(pattern) => match pattern.tools.as_ref().map(|t| &t.kind) {
                Some(ToolSelKind::OneOf(paths)) => {
                    for path in paths {
                        self.tool(path);
                    }
                }
                Some(ToolSelKind::Except(paths)) => {
                    self.any = true;
                    for path in paths {
                        self.tool(path);
                    }
                }
                Some(ToolSelKind::Any) => self.any = true,
                Some(ToolSelKind::Error) | None => {}
            },
            _ => {}
        });
    }
}

impl<'a> Checker<'a> {
    /// Declarations, parameters and imports that nothing uses; `found` is what was found before.
    pub(super) fn unused_names(&mut self, found: &[Diagnostic]) {
        let graph = self.graph;
        let uses: Vec<Uses<'a>> = (0..graph.units.len()).map(|unit| self.uses(unit)).collect();
        for (index, unit) in graph.units.iter().enumerate() {
            if unit.library {
                continue;
            }
            let src = self.src(index);
            for item in &unit.file.items {
                if let ItemKind::Predicate(predicate) = &item.kind {
                    let params = predicate.params.iter().map(|p| &p.name);
                    self.unused_params(params, &predicate.body, src);
                }
            }
            if let Some(own) = uses.get(index) {
                self.unused_imports(index, own, src);
            }
            self.empty_includes(index, src);
        }
        // What is reported as missing may be what uses a name.
        let whole = graph
            .units
            .iter()
            .all(|unit| !unit.has_errors && unit.missing.is_empty() && !unit.includes_incomplete);
        if !whole {
            return;
        }
        for root in &graph.roots {
            self.unused_declarations(root.0 as usize, &uses, found);
        }
    }

    /// The names that a file uses.
    fn uses(&self, index: usize) -> Uses<'a> {
        let mut uses = Uses::default();
        let Some(unit) = self.graph.units.get(index).filter(|u| !u.library) else {
            return uses;
        };
        let messages = self.messages;
        for item in &unit.file.items {
            match &item.kind {
                ItemKind::Contract(contract) => {
                    for clause in &contract.clauses {
                        match &clause.kind {
                            ClauseKind::Let(_, expr)
                            | ClauseKind::Assume(expr)
                            | ClauseKind::Guarantee(expr) => uses.expr(expr),
                            ClauseKind::Otherwise(action) => {
                                if let Action::Redirect { tool, args, .. } = action {
                                    uses.tool(tool);
                                    for (_, arg) in args {
                                        uses.expr(arg);
                                    }
                                }
                                if let Some(literal) = message::of(action) {
                                    for part in messages.parts(index, literal) {
                                        if let MessagePart::Expr(expr) = part {
                                            uses.expr(expr);
                                        }
                                    }
                                }
                            }
                            ClauseKind::Error => {}
                        }
                    }
                }
                ItemKind::Predicate(predicate) => uses.expr(&predicate.body),
                ItemKind::Group(group) => match &group.members {
                    GroupMembers::List(paths) => {
                        for path in paths {
                            uses.tool(path);
                        }
                    }
                    GroupMembers::Where(_) => uses.any = true,
                },
                ItemKind::Test(test) => {
                    let by = test.steps.iter().flat_map(|s| &s.expect);
                    for path in test.contracts.iter().chain(by.flat_map(|e| &e.by)) {
                        uses.path(path);
                    }
                    for step in &test.steps {
                        match &step.kind {
                            TestStepKind::Call { tool, outcome, .. } => {
                                uses.tool(tool);
                                if let Some(Outcome::Success(value)) = outcome {
                                    uses.expr(value);
                                }
                            }
                            TestStepKind::Return(tool, _) => uses.tool(tool),
                            TestStepKind::Event(name, _) => {
                                uses.names.insert(&name.name);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        uses
    }

    fn unused_declarations(&mut self, index: usize, uses: &[Uses<'a>], found: &[Diagnostic]) {
        let graph = self.graph;
        let Some(unit) = graph.units.get(index) else {
            return;
        };
        let has_contract =
            |item: &ctr_grammar::ast::Item| matches!(item.kind, ItemKind::Contract(_));
        if unit.module.is_some() || !unit.file.items.iter().any(has_contract) {
            return;
        }
        let src = self.src(index);
        let named = |name: &str| uses.iter().any(|u| u.names.contains(name));
        let read = |name: &str| uses.iter().any(|u| u.context.contains(name));
        let tool = |name: &str| uses.iter().any(|u| u.tools.contains(name));
        let any = uses.iter().any(|u| u.any);
        let imported = !unit.tools.is_empty();
        for item in &unit.file.items {
            let (name, used, what, verb): (&Ident, bool, &str, &str) = match &item.kind {
                ItemKind::Event(e) => (&e.name, named(&e.name.name), "event", "no pattern names"),
                ItemKind::Lookup(l) => (&l.name, named(&l.name.name), "lookup", "nothing asks"),
                ItemKind::Predicate(p) => {
                    (&p.name, named(&p.name.name), "predicate", "nothing uses")
                }
                ItemKind::Context(c) => (
                    &c.name,
                    read(&c.name.name),
                    "context field",
                    "nothing reads",
                ),
                ItemKind::Group(g) => (&g.name, tool(&g.name.name), "group", "no pattern names"),
                // Where a schema lists the tools, one that is written by hand is there for its types; where
                // none does, the list says which tools there are.
                ItemKind::Tool(t) => match t.name.parts.last().filter(|_| imported) {
                    Some(name) => (
                        name,
                        any || tool(name.name.trim()) || tool(&normal_tool(None, &name.name).1),
                        "tool",
                        "no pattern names",
                    ),
                    None => continue,
                },
                _ => continue,
            };
            // A slip where it was meant is told there.
            let told = found.iter().any(|d| {
                d.primary.place == src.place(name.span)
                    || (d.code == "W0405" && what == "context field")
            });
            if used || told || name.name.starts_with('_') {
                continue;
            }
            let diagnostic = warning(
                "W0412",
                format!("{verb} the {what} `{}`", name.name),
                name.span,
                "unused",
                src,
            )
            .with_help("use it or leave it out")
            .with_help(
                "a file with a `module` line, or without contracts, may declare names for others",
            );
            self.diagnostics.push(diagnostic);
        }
    }

    fn unused_params(
        &mut self,
        params: impl Iterator<Item = &'a Ident>,
        body: &'a Expr,
        src: Src<'a>,
    ) {
        let mut uses = Uses::default();
        uses.expr(body);
        for param in params {
            let name = param.name.as_str();
            if name.starts_with('_') || uses.names.contains(name) || uses.heads.contains(name) {
                continue;
            }
            let diagnostic = warning(
                "W0413",
                format!("the predicate does not use its parameter `{name}`"),
                param.span,
                "unused",
                src,
            )
            .with_help("use it or leave it out, or begin its name with `_`");
            self.diagnostics.push(diagnostic);
        }
    }

    fn unused_imports(&mut self, index: usize, uses: &Uses<'a>, src: Src<'a>) {
        let graph = self.graph;
        let names = self.names;
        let Some(unit) = graph.units.get(index) else {
            return;
        };
        for import in &unit.imports {
            let alias = import.alias.as_str();
            let target = import.unit.0 as usize;
            let broken = graph.units.get(target).is_none_or(|u| u.has_errors);
            // Tools and context fields of an imported file are named without its name.
            let silent = names.units.get(target).is_none_or(|module| {
                module.incomplete
                    || !module.tools.is_empty()
                    || module.tools_incomplete
                    || module.contexts.keys().any(|c| uses.context.contains(c))
            });
            if broken || silent || uses.heads.contains(alias) {
                continue;
            }
            let diagnostic = warning(
                "W0414",
                format!("nothing of the import `{alias}` is used"),
                import.span,
                "unused",
                src,
            )
            .with_help("leave it out")
            .with_help("contracts of another file are loaded by `include`, not by `import`")
            .with_fix(removal("leave the import out", import.span, src, true));
            self.diagnostics.push(diagnostic);
        }
    }

    /// Includes that load no contract.
    fn empty_includes(&mut self, index: usize, src: Src<'a>) {
        let graph = self.graph;
        let Some(unit) = graph.units.get(index) else {
            return;
        };
        for include in &unit.includes {
            let target = include.unit.0 as usize;
            let broken = |at: &At| graph.units.get(at.unit).is_none_or(|u| u.has_errors);
            let sound = graph
                .units
                .get(target)
                .is_some_and(|u| !u.has_errors && !u.includes_incomplete);
            let mut all = Loaded::default();
            self.load_unit(target, None, &mut all, 0);
            let all = all.order;
            let named = include.only.as_ref().is_some_and(|only| !only.is_empty());
            if !sound || named || all.iter().any(broken) {
                continue;
            }
            if !all.is_empty() && include.only.is_none() {
                continue;
            }
            let diagnostic = warning(
                "W0414",
                "the include loads no contract",
                include.span,
                "loads nothing",
                src,
            )
            .with_help("names of another file are made usable by `import`");
            self.diagnostics.push(diagnostic);
        }
    }

    /// `let`s that nothing reads.
    pub(in super::super) fn idle_lets(&mut self, lets: &[(&'a Ident, &'a Expr, Scope<'a>)]) {
        for (name, value, scope) in lets {
            if self.misread(scope) || self.current.used_lets.contains(&scope.place(value.span)) {
                continue;
            }
            let diagnostic = warning(
                "W0408",
                format!("nothing reads `{}`", name.name),
                name.span,
                "unused",
                scope.src,
            )
            .with_help("use it or leave it out");
            let before = scope.src.text.get(..name.span.start as usize);
            let diagnostic = match before.and_then(|b| b.rfind("let")) {
                Some(start) => diagnostic.with_fix(removal(
                    "leave it out",
                    Span::new(u32::try_from(start).unwrap_or(0), value.span.end),
                    scope.src,
                    true,
                )),
                None => diagnostic,
            };
            self.report(diagnostic, scope);
        }
    }
}
