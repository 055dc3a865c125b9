//! Contracts: clauses, what they watch, actions, attributes (language reference, section 5).

use std::rc::Rc;

use ctr_grammar::MessagePart as AstPart;
use ctr_grammar::ast::{
    self, Action as AstAction, Attribute, ClauseKind, Expr, ExprKind, ItemKind, StrLit, UnaryOp,
};

use super::names::{ROOTS, reserved};
use super::scope::{LocalKind, Scope, View};
use super::{At, Checker, Current, message, suggest};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::ir::{
    Action, ActionKind, Clause, Contract, EventId, EventKind, MessagePart, Place, Side, Tools,
    Watch,
};
use crate::suggest::nearest;
use crate::types::Type;

/// The attributes of contracts.
pub(super) const ATTRIBUTES: [&str; 5] = ["id", "severity", "source", "tags", "agents"];

/// The severities of contracts.
pub(super) const SEVERITIES: [&str; 5] = ["info", "low", "medium", "high", "critical"];

/// What attributes say.
#[derive(Default)]
struct Attributes {
    id: Option<String>,
    severity: Option<String>,
    source: Option<(String, Option<String>)>,
    tags: Vec<String>,
    agents: Vec<String>,
}

impl<'a> Checker<'a> {
    /// Reads a contract.
    pub(super) fn contract(&mut self, at: At) -> Option<Contract> {
        let unit = self.graph.units.get(at.unit)?;
        let item = unit.file.items.get(at.item)?;
        let ItemKind::Contract(contract) = &item.kind else {
            return None;
        };
        self.current = Current {
            keys: contract.keys.iter().collect(),
            key_types: vec![None; contract.keys.len()],
            ..Current::default()
        };
        self.nodes = 0;
        self.depth = 0;
        self.key_use = None;
        self.soft.clear();
        let before = self.diagnostics.len();

        let outer = self.scope(at.unit);
        let mut scope = outer.clone();
        let mut declared: Vec<&'a ast::Ident> = Vec::new();
        for (index, key) in contract.keys.iter().enumerate() {
            if self.declare(key, "key", &mut declared, &outer) {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                scope = scope.with(&key.name, LocalKind::Key(index));
            }
        }
        self.current.contract = Some((at.unit, contract));

        let mut clauses = Vec::new();
        let mut action: Option<&'a AstAction> = None;
        let mut action_span = None;
        let mut lets: Vec<(&'a ast::Ident, &'a Expr, Scope<'a>)> = Vec::new();
        let mut complete = true;
        let mut promises = false;
        // A message is read with all `let`s, wherever it stands.
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Error => {
                    complete = false;
                    promises = true;
                }
                ClauseKind::Let(name, value) => {
                    if self.declare(name, "`let`", &mut declared, &outer) {
                        lets.push((name, value, scope.clone()));
                        scope = scope.with(&name.name, LocalKind::Let(value, outer.src));
                    }
                }
                ClauseKind::Assume(formula) | ClauseKind::Guarantee(formula) => {
                    promises = true;
                    let side = if matches!(clause.kind, ClauseKind::Assume(_)) {
                        Side::Assume
                    } else {
                        Side::Guarantee
                    };
                    self.current.side = Some(side);
                    self.current.clause = Some(formula.span);
                    let found = self.diagnostics.len();
                    match self.clause(formula, &scope) {
                        Some((read, deadlines)) => {
                            if deadlines.is_empty() && self.sound_since(found) {
                                self.first_step_only(formula, &read, &scope);
                            }
                            clauses.push(Clause {
                                side,
                                formula: read,
                                deadlines,
                                text: self.folded(&outer, clause.span),
                                place: outer.place(clause.span),
                            });
                        }
                        None => complete = false,
                    }
                    self.current.side = None;
                }
                ClauseKind::Otherwise(given) => {
                    if let Some(first) = action_span {
                        let diagnostic = Diagnostic::error(
                            "E0447",
                            "a contract has one action, and this is the second",
                            outer.place(clause.span),
                            "second `otherwise`",
                        )
                        .with_label(first, "the first")
                        .with_help("split the contract in two");
                        self.report(diagnostic, &outer);
                        continue;
                    }
                    action_span = Some(outer.place(clause.span));
                    action = Some(given);
                }
            }
        }
        self.unused_lets(&lets);
        if !promises {
            let diagnostic = Diagnostic::warning(
                "W0404",
                format!("the contract `{}` promises nothing", contract.name.name),
                outer.place(contract.name.span),
                "no `guarantee`",
            )
            .with_help("it is kept by every session");
            self.report(diagnostic, &outer);
        }
        if let Some(key) = contract.keys.first()
            && complete
            && promises
            && !self.current.bound
            && !self.current.broken
        {
            self.error(
                "E0442",
                format!(
                    "no pattern binds the key `{}`, so that the contract has no instances",
                    key.name
                ),
                key.span,
                "never bound",
                format!("bind it in the patterns: `call t(field == {})`", key.name),
                &outer,
            );
        }
        if complete && let Some(AstAction::Redirect { tool, .. }) = action {
            self.idle_redirect(tool, &scope);
        }
        let action = self.action(action, at.unit, &scope);
        if complete && self.sound_since(before) {
            self.repeated_clauses(&clauses, &outer);
            self.idle_lets(&lets);
        }
        let attributes = self.attributes(&item.attributes, &outer);
        if !complete {
            return None;
        }
        Some(Contract {
            name: contract.name.name.clone(),
            module: unit.module.clone().unwrap_or_default(),
            doc: item.doc.clone().unwrap_or_default(),
            place: outer.place(item.span),
            name_place: outer.place(contract.name.span),
            keys: contract.keys.iter().map(|k| k.name.clone()).collect(),
            watch: self.watch(),
            patterns: self.current.patterns.iter().copied().collect(),
            clauses,
            action,
            id: attributes.id,
            severity: attributes.severity,
            source: attributes.source,
            tags: attributes.tags,
            agents: attributes.agents,
        })
    }

    /// Whether no error was found since there were so many findings.
    fn sound_since(&self, findings: usize) -> bool {
        let mut since = self.diagnostics.iter().skip(findings);
        since.all(|d| d.severity != Severity::Error)
    }

    /// Takes the name of a key or `let`; whether it is free.
    fn declare(
        &mut self,
        name: &'a ast::Ident,
        what: &str,
        declared: &mut Vec<&'a ast::Ident>,
        scope: &Scope<'a>,
    ) -> bool {
        let place = scope.place(name.span);
        if ROOTS.contains(&name.name.as_str()) {
            let diagnostic = reserved(&name.name, what, place);
            self.report(diagnostic, scope);
            return false;
        }
        if let Some(first) = declared.iter().find(|d| d.name == name.name) {
            let diagnostic = Diagnostic::error(
                "E0404",
                format!(
                    "the name `{}` is declared twice in this contract",
                    name.name
                ),
                place,
                format!("this {what}"),
            )
            .with_label(scope.place(first.span), "the first")
            .with_help("give one of them another name");
            self.report(diagnostic, scope);
            return false;
        }
        declared.push(name);
        true
    }

    /// Reads `let`s that nothing used, so that their mistakes show.
    fn unused_lets(&mut self, lets: &[(&'a ast::Ident, &'a Expr, Scope<'a>)]) {
        for (_, value, scope) in lets {
            let place = scope.place(value.span);
            // A message may still use it; reading it twice reports the same finding once.
            if self.current.used_lets.contains(&place) {
                continue;
            }
            let patterns = self.current.patterns.clone();
            let bound = self.current.bound;
            if self.is_formula(value, scope) {
                self.formula(value, scope);
            } else {
                let inner = scope.seeing(Rc::new(View::Opaque), self.frame);
                self.value(value, &inner);
            }
            self.current.patterns = patterns;
            self.current.bound = bound;
        }
    }

    /// The events that are steps: the kinds that the patterns name, or all.
    fn watch(&self) -> Watch {
        let mut watch = Watch::default();
        if self.current.patterns.is_empty() {
            let events = u32::try_from(self.names.events.len()).unwrap_or(u32::MAX);
            return Watch {
                calls: true,
                returns: true,
                inputs: true,
                outputs: true,
                events: (0..events).map(EventId).collect(),
            };
        }
        for id in &self.current.patterns {
            match self.tables.get_pattern(*id).map(|p| p.kind) {
                Some(EventKind::Call) => watch.calls = true,
                Some(EventKind::Return(_)) => watch.returns = true,
                Some(EventKind::Input) => watch.inputs = true,
                Some(EventKind::Output) => watch.outputs = true,
                Some(EventKind::Declared(event)) => watch.events.push(event),
                None => {}
            }
        }
        watch.events.sort_unstable();
        watch.events.dedup();
        watch
    }

    fn action(&mut self, action: Option<&'a AstAction>, unit: usize, scope: &Scope<'a>) -> Action {
        let Some(action) = action else {
            return Action {
                kind: ActionKind::Block,
                message: Vec::new(),
            };
        };
        let scope = scope.seeing(Rc::new(self.message_view(unit)), self.frame);
        let message = message::of(action)
            .map(|literal| self.message(literal, unit, &scope))
            .unwrap_or_default();
        let kind = match action {
            AstAction::Block(_) => ActionKind::Block,
            AstAction::Warn(_) => ActionKind::Warn,
            AstAction::Escalate(_) => ActionKind::Escalate,
            AstAction::Repair(_) => ActionKind::Repair,
            AstAction::Redirect { tool, args, .. } => self
                .redirect(tool, args, &scope)
                .unwrap_or(ActionKind::Block),
        };
        Action { kind, message }
    }

    /// The fields that a message can read: those of the tools that the contract's patterns name.
    fn message_view(&self, unit: usize) -> View<'a> {
        let names = self.names;
        let mut tools = Vec::new();
        let mut texts = false;
        let mut open = self.current.broken;
        for id in &self.current.patterns {
            let Some(pattern) = self.tables.get_pattern(*id) else {
                continue;
            };
            match pattern.kind {
                EventKind::Input | EventKind::Output => texts = true,
                EventKind::Declared(_) => open = true,
                EventKind::Call | EventKind::Return(_) => {}
            }
            match &pattern.tools {
                Tools::OneOf(ids) => {
                    for id in ids {
                        let sym = self.tables.get_tool(*id).and_then(|tool| {
                            let named = names.tools_named(unit, &tool.name);
                            named
                                .into_iter()
                                .find(|s| s.server == tool.server || s.server.is_none())
                        });
                        match sym {
                            Some(sym) => tools.push(sym),
                            None => open = true,
                        }
                    }
                }
                Tools::Any | Tools::Except(_) => open = true,
            }
        }
        if open {
            tools.clear();
        }
        View::Message { tools, texts }
    }

    fn message(&mut self, literal: &'a StrLit, unit: usize, scope: &Scope<'a>) -> Vec<MessagePart> {
        let messages = self.messages;
        let mut parts = Vec::new();
        for part in messages.parts(unit, literal) {
            match part {
                AstPart::Text(text) => parts.push(MessagePart::Text(text.clone())),
                AstPart::Expr(expr) => {
                    // What is missing shows as `?`.
                    self.lenient += 1;
                    let value = self.value(expr, scope);
                    self.lenient -= 1;
                    parts.push(MessagePart::Expr(value.id));
                }
            }
        }
        parts
    }

    fn redirect(
        &mut self,
        tool: &'a ast::Path,
        args: &'a [(ast::Ident, Expr)],
        scope: &Scope<'a>,
    ) -> Option<ActionKind> {
        let (named, sym) = self.one_tool(tool, scope)?;
        let mut values: Vec<(String, crate::ir::ExprId)> = Vec::new();
        for (name, expr) in args {
            let value = self.value(expr, scope);
            if value.set {
                self.set_misused(expr.span, scope);
            }
            if values.iter().any(|(n, _)| *n == name.name) {
                self.error(
                    "E0404",
                    format!("the argument `{}` is given twice", name.name),
                    name.span,
                    "again here",
                    "",
                    scope,
                );
                continue;
            }
            values.push((name.name.clone(), value.id));
            let Some(Type::Record(record)) = sym.map(|s| &s.args) else {
                continue;
            };
            match record.fields.iter().find(|f| f.name == name.name) {
                Some(field) => {
                    let (given, wanted) = (
                        super::typing::classes(&value.ty),
                        super::typing::classes(&field.ty),
                    );
                    if !value.bad && !given.meets(wanted) {
                        self.error(
                            "E0541",
                            format!(
                                "`{}` is {}, and {} is given",
                                name.name,
                                super::typing::described(&field.ty),
                                super::typing::described(&value.ty)
                            ),
                            expr.span,
                            super::typing::described(&value.ty),
                            "",
                            scope,
                        );
                    }
                }
                None if record.open => {}
                None => {
                    let place = scope.place(name.span);
                    let diagnostic = Diagnostic::error(
                        "E0541",
                        format!("`{}` has no argument `{}`", named.name, name.name),
                        place,
                        "unknown argument",
                    );
                    let guess = nearest(&name.name, record.fields.iter().map(|f| f.name.as_str()));
                    self.report(suggest(diagnostic, guess, place), scope);
                }
            }
        }
        if let Some(Type::Record(record)) = sym.map(|s| &s.args) {
            let field_names = || record.fields.iter().map(|f| f.name.as_str());
            // A misspelt argument was reported as such, and is not missing as well.
            let is_given = |field: &str| {
                args.iter().any(|(name, _)| {
                    name.name == field
                        || (!field_names().any(|f| f == name.name)
                            && nearest(&name.name, field_names()) == Some(field))
                })
            };
            let missing: Vec<String> = record
                .fields
                .iter()
                .filter(|f| !f.optional && !is_given(&f.name))
                .map(|f| format!("`{}`", f.name))
                .collect();
            if !missing.is_empty() {
                self.error(
                    "E0541",
                    format!("`{}` needs {}", named.name, missing.join(", ")),
                    tool.span,
                    "arguments are missing",
                    "the call that is made instead is made with these arguments alone",
                    scope,
                );
            }
        }
        let tool = self.tables.tool(named);
        Some(ActionKind::Redirect { tool, args: values })
    }

    fn attributes(&mut self, attributes: &'a [Attribute], scope: &Scope<'a>) -> Attributes {
        let mut all = Attributes::default();
        let mut seen: Vec<(&str, Place)> = Vec::new();
        for attribute in attributes {
            let name = attribute.name.name.as_str();
            let place = scope.place(attribute.name.span);
            if !ATTRIBUTES.contains(&name) {
                let diagnostic = Diagnostic::error(
                    "E0411",
                    format!("there is no attribute `@{name}`"),
                    place,
                    "unknown attribute",
                );
                let guess = nearest(name, ATTRIBUTES);
                let diagnostic = match guess {
                    Some(_) => suggest(diagnostic, guess, place),
                    None => diagnostic.with_help(format!(
                        "attributes are {}",
                        ATTRIBUTES.map(|a| format!("@{a}")).join(", ")
                    )),
                };
                self.report(diagnostic, scope);
                continue;
            }
            if let Some((_, first)) = seen.iter().find(|(n, _)| *n == name) {
                let diagnostic = Diagnostic::error(
                    "E0404",
                    format!("`@{name}` stands twice"),
                    scope.place(attribute.span),
                    "again here",
                )
                .with_label(*first, "first here");
                self.report(diagnostic, scope);
                continue;
            }
            seen.push((name, scope.place(attribute.span)));
            let Some(texts) = self.attribute_texts(attribute, scope) else {
                continue;
            };
            let shape = match (name, texts.as_slice()) {
                ("id", [id]) => {
                    all.id = Some(id.clone());
                    continue;
                }
                ("severity", [severity]) => {
                    self.severity(severity, attribute, scope, &mut all);
                    continue;
                }
                ("source", [document]) => {
                    all.source = Some((document.clone(), None));
                    continue;
                }
                ("source", [document, section]) => {
                    all.source = Some((document.clone(), Some(section.clone())));
                    continue;
                }
                ("tags", [_, ..]) => {
                    all.tags = texts;
                    continue;
                }
                ("agents", [_, ..]) => {
                    all.agents = texts;
                    continue;
                }
                ("id", _) => "@id(\"R-12\")",
                ("severity", _) => "@severity(high)",
                ("source", _) => "@source(\"policy.md\", \"Refunds\")",
                ("tags", _) => "@tags(\"owasp:asi02\")",
                _ => "@agents(\"billing-*\")",
            };
            self.error(
                "E0412",
                format!("`@{name}` has the wrong number of arguments"),
                attribute.span,
                "here",
                format!("write it as in `{shape}`"),
                scope,
            );
        }
        all
    }

    fn severity(
        &mut self,
        severity: &str,
        attribute: &'a Attribute,
        scope: &Scope<'a>,
        all: &mut Attributes,
    ) {
        if SEVERITIES.contains(&severity) {
            all.severity = Some(severity.to_owned());
            return;
        }
        let span = attribute.args.first().map_or(attribute.span, |a| a.span);
        let place = scope.place(span);
        let diagnostic = Diagnostic::error(
            "E0412",
            format!("there is no severity `{severity}`"),
            place,
            "unknown severity",
        );
        let lower = severity.to_lowercase();
        let guess = SEVERITIES
            .iter()
            .find(|s| **s == lower)
            .copied()
            .or_else(|| nearest(severity, SEVERITIES));
        let diagnostic = match guess {
            Some(guess) => diagnostic
                .with_help(format!("did you mean `{guess}`?"))
                .with_fix(Fix {
                    title: format!("write `{guess}`"),
                    edits: vec![(place, guess.to_owned())],
                    safe: false,
                }),
            None => diagnostic.with_help(format!("severities are `{}`", SEVERITIES.join("`, `"))),
        };
        self.report(diagnostic, scope);
    }

    /// The arguments of an attribute: strings, numbers or bare names.
    fn attribute_texts(
        &mut self,
        attribute: &'a Attribute,
        scope: &Scope<'a>,
    ) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for arg in &attribute.args {
            match &arg.kind {
                ExprKind::Str(text) | ExprKind::Number(text) => texts.push(text.clone()),
                ExprKind::Name(name) => texts.push(name.name.clone()),
                ExprKind::Error => return None,
                ExprKind::Unary(UnaryOp::Neg, inner) => match &inner.kind {
                    ExprKind::Number(text) => texts.push(format!("-{text}")),
                    _ => return self.bad_attribute(arg, scope),
                },
                _ => return self.bad_attribute(arg, scope),
            }
        }
        Some(texts)
    }

    fn bad_attribute(&mut self, arg: &'a Expr, scope: &Scope<'a>) -> Option<Vec<String>> {
        self.error(
            "E0412",
            "attributes take texts, numbers or bare names",
            arg.span,
            "not a text",
            "put it into quotes",
            scope,
        );
        None
    }
}

/// The guarantee of a contract as one text, for advice.
pub(super) fn guarantee_text<'a>(
    checker: &Checker<'a>,
    contract: &'a ast::Contract,
    scope: &Scope<'a>,
) -> Option<String> {
    let texts: Vec<String> = contract
        .clauses
        .iter()
        .filter_map(|clause| match &clause.kind {
            ClauseKind::Guarantee(formula) => Some(checker.folded(scope, formula.span)),
            _ => None,
        })
        .collect();
    match texts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        _ => Some(
            texts
                .iter()
                .map(|t| format!("({t})"))
                .collect::<Vec<_>>()
                .join(" and "),
        ),
    }
}
