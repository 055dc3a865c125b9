//! Which tools a name means (language reference, section 3).

use ctr_grammar::ast::{
    self, BinaryOp, Expr, ExprKind, GroupMembers, ToolSel, ToolSelKind, UnaryOp,
};
use ctr_grammar::{Span, written};

use super::names::{ToolSym, normal_tool};
use super::scope::Scope;
use super::{Checker, suggest};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Tool, ToolId};
use crate::suggest::nearest;

/// A tool, with its declaration where there is one.
pub(super) type Named<'a> = (Tool, Option<&'a ToolSym>);

/// What a pattern selects.
pub(super) struct Selection<'a> {
    /// How the tools are meant.
    pub(super) form: SelectionForm,
    /// The tools that the pattern may fit and that are known: those named, or for `any` the declared
    /// ones that are not excepted.
    pub(super) candidates: Vec<(ToolId, Option<&'a ToolSym>)>,
    /// The tools after `except`.
    pub(super) excepted: Vec<ToolId>,
}

/// The forms of a selection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectionForm {
    /// The candidates.
    OneOf,
    /// All but the excepted.
    Any,
}

/// The annotations of MCP, with the defaults of its specification.
const ANNOTATIONS: [&str; 4] = ["destructive", "read_only", "idempotent", "open_world"];

/// A tool's name as it is written in a policy.
pub(super) fn written(tool: &Tool) -> String {
    match &tool.server {
        Some(server) => format!("{}.{}", written::name(server), written::name(&tool.name)),
        None => written::name(&tool.name),
    }
}

fn sym_tool(sym: &ToolSym) -> Tool {
    Tool {
        server: sym.server.clone(),
        name: sym.name.clone(),
    }
}

impl<'a> Checker<'a> {
    /// What a pattern selects; `None` where that was reported.
    pub(super) fn selection(
        &mut self,
        sel: &'a ToolSel,
        scope: &Scope<'a>,
    ) -> Option<Selection<'a>> {
        match &sel.kind {
            ToolSelKind::Error => None,
            ToolSelKind::OneOf(paths) => {
                let named = self.tool_list(paths, scope)?;
                Some(Selection {
                    form: SelectionForm::OneOf,
                    candidates: self.ids(named),
                    excepted: Vec::new(),
                })
            }
            ToolSelKind::Any => Some(self.any(Vec::new(), scope)),
            ToolSelKind::Except(paths) => {
                let named = self.tool_list(paths, scope)?;
                let excepted = self.ids(named).into_iter().map(|(id, _)| id).collect();
                Some(self.any(excepted, scope))
            }
        }
    }

    /// Whether the tools and groups that are listed are all that are declared.
    pub(super) fn excepts_all(&mut self, paths: &'a [ast::Path], scope: &Scope<'a>) -> bool {
        let Some(named) = self.tool_list(paths, scope) else {
            return false;
        };
        let excepted = self.ids(named).into_iter().map(|(id, _)| id).collect();
        self.any(excepted, scope).candidates.is_empty()
    }

    /// All tools but some.
    pub(super) fn any(&mut self, excepted: Vec<ToolId>, scope: &Scope<'a>) -> Selection<'a> {
        let names = self.names;
        let declared = names
            .tools(scope.src.unit)
            .into_iter()
            .map(|sym| (sym_tool(sym), Some(sym)))
            .collect();
        let candidates = self
            .ids(declared)
            .into_iter()
            .filter(|(id, _)| !excepted.contains(id))
            .collect();
        Selection {
            form: SelectionForm::Any,
            candidates,
            excepted,
        }
    }

    fn ids(&mut self, named: Vec<Named<'a>>) -> Vec<(ToolId, Option<&'a ToolSym>)> {
        let mut ids: Vec<(ToolId, Option<&'a ToolSym>)> = Vec::new();
        for (tool, sym) in named {
            let id = self.tables.tool(tool);
            if !ids.iter().any(|(other, _)| *other == id) {
                ids.push((id, sym));
            }
        }
        ids
    }

    fn tool_list(&mut self, paths: &'a [ast::Path], scope: &Scope<'a>) -> Option<Vec<Named<'a>>> {
        let mut all = Vec::new();
        let mut complete = true;
        for path in paths {
            match self.named_tools(path, scope, &mut Vec::new()) {
                Some(found) => all.extend(found),
                None => complete = false,
            }
        }
        complete.then_some(all)
    }

    /// The one tool that a path names.
    pub(super) fn one_tool(&mut self, path: &'a ast::Path, scope: &Scope<'a>) -> Option<Named<'a>> {
        if let [name] = path.parts.as_slice()
            && self
                .names
                .units
                .get(scope.src.unit)
                .is_some_and(|u| u.groups.contains_key(name.name.as_str()))
        {
            self.error(
                "E0401",
                format!("`{}` is a group of tools", name.name),
                path.span,
                "one tool is needed here",
                "name a tool",
                scope,
            );
            return None;
        }
        self.named_tools(path, scope, &mut Vec::new())?.pop()
    }

    /// The tools that a path names: one, or a group's.
    fn named_tools(
        &mut self,
        path: &'a ast::Path,
        scope: &Scope<'a>,
        stack: &mut Vec<&'a str>,
    ) -> Option<Vec<Named<'a>>> {
        let names = self.names;
        let unit = scope.src.unit;
        match path.parts.as_slice() {
            [name] => {
                if let Some(group) = names.units.get(unit)?.groups.get(name.name.as_str()) {
                    return self.group(unit, group, path.span, scope, stack);
                }
                self.bare_tool(unit, &name.name, path.span, scope)
                    .map(|t| vec![t])
            }
            [first, name] => {
                let (server, tool) = (first.name.trim(), name.name.trim());
                let named = names.tools_named(unit, tool);
                if let Some(sym) = named.iter().find(|t| t.server.as_deref() == Some(server)) {
                    return Some(vec![(sym_tool(sym), Some(*sym))]);
                }
                let here = names.units.get(unit)?;
                if here.missing.contains(first.name.as_str()) {
                    return None;
                }
                if let Some(target) = here.imports.get(first.name.as_str()) {
                    let module = names.units.get(*target)?;
                    if let Some(group) = module.groups.get(name.name.as_str()) {
                        return self.group(*target, group, path.span, scope, stack);
                    }
                    if module.tools.is_empty() && !names.has_tools(unit) {
                        if !module.incomplete && !module.tools_incomplete {
                            let groups: Vec<&str> = module.groups.keys().copied().collect();
                            let place = scope.place(name.span);
                            let diagnostic = Diagnostic::error(
                                "E0403",
                                format!(
                                    "`{}` is an imported file, and has no tool or group `{}`",
                                    first.name, name.name
                                ),
                                place,
                                "unknown name",
                            );
                            let guess = nearest(&name.name, groups);
                            self.report(suggest(diagnostic, guess, place), scope);
                        }
                        return None;
                    }
                    return self
                        .bare_tool(*target, &name.name, path.span, scope)
                        .map(|t| vec![t]);
                }
                self.qualified(unit, server, tool, path.span, scope)
                    .map(|t| vec![t])
            }
            [alias, server, name] => {
                let target = *names.units.get(unit)?.imports.get(alias.name.as_str())?;
                self.qualified(
                    target,
                    server.name.trim(),
                    name.name.trim(),
                    path.span,
                    scope,
                )
                .map(|t| vec![t])
            }
            _ => {
                self.error(
                    "E0401",
                    "a tool's name is its own, or its server's and its own",
                    path.span,
                    "too many parts",
                    "write `server.tool`; a name with dots goes into back-ticks",
                    scope,
                );
                None
            }
        }
    }

    fn bare_tool(
        &mut self,
        unit: usize,
        name: &str,
        span: Span,
        scope: &Scope<'a>,
    ) -> Option<Named<'a>> {
        let names = self.names;
        let trimmed = name.trim();
        if let Some(rest) = trimmed.strip_prefix("mcp__") {
            // The longest declared server that fits.
            let in_scope = names.tools(unit);
            let wire = in_scope
                .iter()
                .filter(|t| {
                    t.server.as_deref().is_some_and(|server| {
                        rest.strip_prefix(server)
                            .and_then(|r| r.strip_prefix("__"))
                            .is_some_and(|tool| tool == t.name)
                    })
                })
                .max_by_key(|t| t.server.as_ref().map_or(0, String::len));
            if let Some(sym) = wire {
                return Some((sym_tool(sym), Some(*sym)));
            }
            if let (Some(server), tool) = normal_tool(None, trimmed) {
                return self.qualified(unit, &server, &tool, span, scope);
            }
        }
        let matches = names.nearest_named(unit, trimmed);
        match matches.as_slice() {
            [sym] => Some((sym_tool(sym), Some(*sym))),
            [] if !names.has_tools(unit) || names.tools_incomplete(unit) => Some((
                Tool {
                    server: None,
                    name: trimmed.to_owned(),
                },
                None,
            )),
            [] => {
                self.unknown_tool(unit, trimmed, span, scope);
                None
            }
            several => {
                let servers: Vec<String> = several.iter().map(|t| written(&sym_tool(t))).collect();
                let mut diagnostic = Diagnostic::error(
                    "E0402",
                    format!("several servers declare a tool `{trimmed}`"),
                    scope.place(span),
                    "its server is not said",
                )
                .with_help(format!("write {}", alternatives(&servers)));
                for sym in several {
                    diagnostic = diagnostic.with_label(sym.place, "declared here");
                }
                self.report(diagnostic, scope);
                None
            }
        }
    }

    fn qualified(
        &mut self,
        unit: usize,
        server: &str,
        tool: &str,
        span: Span,
        scope: &Scope<'a>,
    ) -> Option<Named<'a>> {
        let names = self.names;
        let so_called = names.tools_named(unit, tool);
        let named = Tool {
            server: Some(server.to_owned()),
            name: tool.to_owned(),
        };
        let of = |server| so_called.iter().find(|t| t.server.as_deref() == server);
        // A declaration that does not say its server serves for one that is named here.
        if let Some(sym) = of(Some(server)).or_else(|| of(None)) {
            return Some((named, Some(*sym)));
        }
        if !names.has_tools(unit) || names.tools_incomplete(unit) {
            return Some((named, None));
        }
        self.unknown_tool(unit, &format!("{server}.{tool}"), span, scope);
        None
    }

    fn unknown_tool(&mut self, unit: usize, name: &str, span: Span, scope: &Scope<'a>) {
        let names = self.names;
        let mut known: Vec<String> = names.tools(unit).iter().map(|t| t.name.clone()).collect();
        let with_server: Vec<String> = names
            .tools(unit)
            .iter()
            .map(|t| match &t.server {
                Some(server) => format!("{server}.{}", t.name),
                None => t.name.clone(),
            })
            .collect();
        if name.contains('.') {
            known = with_server;
        }
        if let Some(unit) = names.units.get(unit) {
            known.extend(unit.groups.keys().map(|g| (*g).to_owned()));
        }
        let place = scope.place(span);
        let diagnostic = Diagnostic::error(
            "E0401",
            format!("no declared tool or group is called `{name}`"),
            place,
            "unknown tool",
        );
        let diagnostic = match nearest(name, known.iter().map(String::as_str)) {
            Some(guess) => {
                let text = guess
                    .split('.')
                    .map(written::name)
                    .collect::<Vec<_>>()
                    .join(".");
                diagnostic
                    .with_help(format!("did you mean `{guess}`?"))
                    .with_fix(Fix {
                        title: format!("write `{guess}`"),
                        edits: vec![(place, text)],
                        safe: false,
                    })
            }
            None => diagnostic.with_help(
                "declare it with `tool name(field: type)`, or import its schema with `tools from`",
            ),
        };
        self.report(diagnostic, scope);
    }

    /// The tools of a group.
    fn group(
        &mut self,
        unit: usize,
        group: &'a ast::Group,
        span: Span,
        scope: &Scope<'a>,
        stack: &mut Vec<&'a str>,
    ) -> Option<Vec<Named<'a>>> {
        let inner = self.scope(unit);
        match &group.members {
            GroupMembers::List(paths) => {
                let name = group.name.name.as_str();
                if stack.contains(&name) {
                    self.error(
                        "E0406",
                        format!("the group `{name}` contains itself"),
                        span,
                        "leads back here",
                        "a group lists tools, or other groups that do not lead back to it",
                        scope,
                    );
                    return None;
                }
                stack.push(name);
                let mut all = Vec::new();
                let mut complete = true;
                for path in paths {
                    match self.named_tools(path, &inner, stack) {
                        Some(found) => all.extend(found),
                        None => complete = false,
                    }
                }
                stack.pop();
                complete.then_some(all)
            }
            GroupMembers::Where(condition) => {
                let names = self.names;
                let tools = names.tools(unit);
                if tools.is_empty() {
                    if !names.tools_incomplete(unit) {
                        self.error(
                            "E0414",
                            "`tools where` selects among declared tools, and there are none",
                            group.name.span,
                            "selects nothing",
                            "import the tools: `tools from \"file.json\"`",
                            &inner,
                        );
                    }
                    return None;
                }
                let mut all = Vec::new();
                for sym in tools {
                    if self.annotated(sym, condition, &inner)? {
                        all.push((sym_tool(sym), Some(sym)));
                    }
                }
                Some(all)
            }
        }
    }

    /// Checks a group where it is declared.
    pub(super) fn check_group(&mut self, unit: usize, group: &'a ast::Group) {
        let scope = self.scope(unit);
        let found = self.group(unit, group, group.name.span, &scope, &mut Vec::new());
        if let Some(found) = &found {
            self.groups.push(crate::ir::Group {
                name: group.name.name.clone(),
                tools: found.iter().map(|(tool, _)| tool.clone()).collect(),
            });
        }
        if found.is_some_and(|f| f.is_empty()) {
            let diagnostic = Diagnostic::warning(
                "W0403",
                format!("no tool belongs to the group `{}`", group.name.name),
                scope.place(group.name.span),
                "empty",
            )
            .with_help("what is forbidden to this group is forbidden to no tool");
            self.report(diagnostic, &scope);
        }
    }

    /// Whether a tool's annotations meet a condition; `None` where the condition was reported.
    fn annotated(&mut self, sym: &ToolSym, expr: &'a Expr, scope: &Scope<'a>) -> Option<bool> {
        let hints = sym.annotations;
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Paren(inner) => self.annotated(sym, inner, scope),
            ExprKind::Unary(UnaryOp::Not, inner) => self.annotated(sym, inner, scope).map(|b| !b),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.annotated(sym, a, scope);
                let b = self.annotated(sym, b, scope);
                Some(if *op == BinaryOp::And {
                    a? && b?
                } else {
                    a? || b?
                })
            }
            ExprKind::Name(name) => match name.name.as_str() {
                "read_only" => Some(hints.read_only.unwrap_or(false)),
                // Only what is not read-only can be destructive; then it is, unless it says not.
                "destructive" => Some(
                    hints
                        .destructive
                        .unwrap_or(!hints.read_only.unwrap_or(false)),
                ),
                "idempotent" => Some(hints.idempotent.unwrap_or(false)),
                "open_world" => Some(hints.open_world.unwrap_or(true)),
                other => {
                    let place = scope.place(name.span);
                    let diagnostic = Diagnostic::error(
                        "E0414",
                        format!("tools have no annotation `{other}`"),
                        place,
                        "unknown annotation",
                    );
                    let guess = nearest(other, ANNOTATIONS);
                    let diagnostic = match guess {
                        Some(_) => suggest(diagnostic, guess, place),
                        None => diagnostic
                            .with_help(format!("annotations are `{}`", ANNOTATIONS.join("`, `"))),
                    };
                    self.report(diagnostic, scope);
                    None
                }
            },
            _ => {
                self.error(
                    "E0414",
                    "`tools where` takes annotations joined by `and`, `or` and `not`",
                    expr.span,
                    "not an annotation",
                    format!("annotations are `{}`", ANNOTATIONS.join("`, `")),
                    scope,
                );
                None
            }
        }
    }
}

/// "`a` or `b`"
fn alternatives(names: &[String]) -> String {
    names
        .iter()
        .map(|n| format!("`{n}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}
