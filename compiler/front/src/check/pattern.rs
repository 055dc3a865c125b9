//! Event patterns: their tools, keys and conditions (language reference, section 3).

use std::collections::BTreeMap;
use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, PatternKind};
use rustc_hash::FxHashSet;

use super::Checker;
use super::contract::guarantee_text;
use super::expand::{Head, Source, SourceKind};
use super::names::ToolSym;
use super::scope::{EventView, LocalKind, Scope, View};
use super::tools::{SelectionForm, written};
use super::typing;
use super::walk::walk;
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{
    Const, EventKind, Expr as IrExpr, ExprId, Pattern, PatternId, Place, Side, Status, Step, Tool,
    ToolId, Tools,
};
use crate::types::Type;

/// Nothing is known of a value.
pub(super) const ANY: &Type = &Type::Any;

/// The condition of `only if`, of which a pattern wants the contrary.
pub(super) struct Extra<'a> {
    /// The condition.
    pub(super) expr: &'a Expr,
    /// Its surroundings; the fields are the pattern's.
    pub(super) scope: Scope<'a>,
}

/// One of the conditions of a pattern.
struct Conjunct<'a> {
    expr: &'a Expr,
    scope: Scope<'a>,
    negated: bool,
}

/// A pattern's keys and condition as one tool's types read them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reading {
    keys: Vec<ExprId>,
    condition: Option<ExprId>,
}

/// A way to see the events that a pattern fits.
pub(super) struct Candidate<'a> {
    /// The tools: one, or none for kinds without tools and for undeclared ones.
    pub(super) tool: Option<ToolId>,
    /// Whether its types are declared.
    pub(super) typed: bool,
    /// The fields.
    pub(super) view: Rc<View<'a>>,
}

/// The events that a pattern names.
pub(super) struct Targets<'a> {
    pub(super) kind: EventKind,
    /// `None` for kinds without tools.
    pub(super) form: Option<SelectionForm>,
    pub(super) excepted: Vec<ToolId>,
    pub(super) candidates: Vec<Candidate<'a>>,
}

/// The keyword of a kind.
pub(super) fn kind_word(kind: PatternKind) -> &'static str {
    match kind {
        PatternKind::Call => "call",
        PatternKind::Return => "return",
        PatternKind::Success => "success",
        PatternKind::Failure => "failure",
        PatternKind::Unknown => "unknown",
        PatternKind::Input => "input",
        PatternKind::Output => "output",
    }
}

fn event_kind(kind: PatternKind) -> EventKind {
    match kind {
        PatternKind::Call => EventKind::Call,
        PatternKind::Return => EventKind::Return(None),
        PatternKind::Success => EventKind::Return(Some(Status::Success)),
        PatternKind::Failure => EventKind::Return(Some(Status::Failure)),
        PatternKind::Unknown => EventKind::Return(Some(Status::Unknown)),
        PatternKind::Input => EventKind::Input,
        PatternKind::Output => EventKind::Output,
    }
}

impl<'a> Checker<'a> {
    /// The events that a pattern names, and the ways to see their fields.
    pub(super) fn targets(&mut self, source: &Source<'a>) -> Option<Targets<'a>> {
        let pattern = match source.kind {
            SourceKind::Event(id, name, fields) => {
                return Some(Targets {
                    kind: EventKind::Declared(id),
                    form: None,
                    excepted: Vec::new(),
                    candidates: vec![Candidate {
                        tool: None,
                        typed: true,
                        view: Rc::new(View::Event(EventView {
                            kind: EventKind::Declared(id),
                            title: format!("`{name}`"),
                            args: ANY,
                            result: ANY,
                            fields,
                        })),
                    }],
                });
            }
            SourceKind::Pattern(pattern) => pattern,
        };
        let kind = event_kind(pattern.kind);
        let word = kind_word(pattern.kind);
        let view = |sym: Option<&'a ToolSym>, title: String| {
            let result = match (sym, pattern.kind) {
                // What a failed or lost call gives is not what the tool declares.
                (Some(sym), PatternKind::Return | PatternKind::Success) => &sym.result,
                _ => ANY,
            };
            Rc::new(View::Event(EventView {
                kind,
                title,
                args: sym.map_or(ANY, |s| &s.args),
                result,
                fields: ANY,
            }))
        };
        let Some(tools) = &pattern.tools else {
            return Some(Targets {
                kind,
                form: None,
                excepted: Vec::new(),
                candidates: vec![Candidate {
                    tool: None,
                    typed: true,
                    view: view(None, format!("`{word}`")),
                }],
            });
        };
        let selection = self.selection(tools, &source.scope)?;
        let mut candidates = Vec::new();
        for (id, sym) in &selection.candidates {
            let name = sym.map_or_else(String::new, |s| {
                written(&Tool {
                    server: s.server.clone(),
                    name: s.name.clone(),
                })
            });
            let title = if name.is_empty() {
                format!("`{word}`")
            } else {
                format!("`{word} {name}`")
            };
            candidates.push(Candidate {
                tool: Some(*id),
                typed: sym.is_some(),
                view: view(*sym, title),
            });
        }
        if selection.form == SelectionForm::Any {
            candidates.push(Candidate {
                tool: None,
                typed: false,
                view: view(None, format!("`{word} any`")),
            });
        }
        Some(Targets {
            kind,
            form: Some(selection.form),
            excepted: selection.excepted,
            candidates,
        })
    }

    /// A pattern, or several where the declared types of its tools read its fields differently.
    pub(super) fn pattern(
        &mut self,
        source: &Source<'a>,
        extra: &[Extra<'a>],
    ) -> Option<Vec<PatternId>> {
        if self.current.side == Some(Side::Assume)
            && let SourceKind::Pattern(pattern) = source.kind
            && matches!(pattern.kind, PatternKind::Call | PatternKind::Output)
        {
            self.agent_in_assumption(pattern.kind, source);
            self.current.broken = true;
            return None;
        }
        let Some(targets) = self.targets(source) else {
            self.current.broken = true;
            return None;
        };

        let outer_use = self.key_use.take();
        let mut readings: Vec<(Option<ToolId>, bool, Reading)> = Vec::new();
        let mut findings: Vec<(bool, Vec<Diagnostic>)> = Vec::new();
        let mut bound = false;
        for candidate in &targets.candidates {
            let (reading, found) = self.apart(|this| this.reading(source, extra, &candidate.view));
            bound |= !reading.keys.is_empty();
            readings.push((candidate.tool, candidate.typed, reading));
            findings.push((candidate.typed, found));
        }
        let all_must_agree = targets.form != Some(SelectionForm::Any);
        let found = merge(findings, all_must_agree, &self.soft);
        let mut failed = found.iter().any(|d| d.severity == Severity::Error);
        let own = self.diagnostics.len();
        self.diagnostics.extend(found);

        let used = std::mem::replace(&mut self.key_use, outer_use);
        if let Some((place, what)) = used {
            if bound {
                // An aggregate around this pattern is one of its key too.
                self.key_use = self.key_use.take().or(Some((place, what)));
            } else if !failed {
                // Where the name hides the field that was meant, one finding says all.
                let hidden = self
                    .diagnostics
                    .iter()
                    .skip(own)
                    .any(|d| d.code == "W0400" && d.primary.place == place);
                if hidden {
                    let kept: Vec<Diagnostic> = self.diagnostics.drain(own..).collect();
                    self.diagnostics
                        .extend(kept.into_iter().filter(|d| d.code != "W0400"));
                }
                let diagnostic = Diagnostic::error(
                    "E0441",
                    format!("{what} is used in a pattern that does not bind it"),
                    place,
                    "has no one value here",
                )
                .with_label(
                    source.scope.place(source.span),
                    "this pattern is seen by every instance",
                )
                .with_help(if hidden {
                    "the name means the key on both sides: write `args.` or `result.` before the field"
                } else {
                    "bind every key in the pattern with a condition `field == key`, a field of the event itself on one side (no function of it, `in` or `contains`); a field of the key's own name is `args.name` or `result.name`"
                });
                self.report(diagnostic, &source.scope);
                failed = true;
            }
        }
        if failed {
            self.current.broken = true;
            return None;
        }

        let text = self.pattern_text(source, extra);
        let ids = self.by_reading(&targets, readings, &text);
        if !self.in_aggregate {
            self.current.patterns.extend(ids.iter().copied());
            self.current.bound |= bound;
        }
        Some(ids)
    }

    /// One pattern for each reading.
    fn by_reading(
        &mut self,
        targets: &Targets<'a>,
        readings: Vec<(Option<ToolId>, bool, Reading)>,
        text: &str,
    ) -> Vec<PatternId> {
        let mut patterns = Vec::new();
        let kind = targets.kind;
        let build = |tools: Tools, reading: Reading| Pattern {
            kind,
            tools,
            keys: reading.keys,
            condition: reading.condition,
            text: text.to_owned(),
        };
        let mut groups: Vec<(Reading, Vec<ToolId>)> = Vec::new();
        let mut rest: Option<Reading> = None;
        for (tool, _, reading) in readings {
            let Some(tool) = tool else {
                rest = Some(reading);
                continue;
            };
            match groups.iter_mut().find(|(r, _)| *r == reading) {
                Some((_, tools)) => tools.push(tool),
                None => groups.push((reading, vec![tool])),
            }
        }
        match targets.form {
            None => {
                if let Some(reading) = rest {
                    patterns.push(build(Tools::Any, reading));
                }
            }
            Some(SelectionForm::OneOf) => {
                for (reading, mut tools) in groups {
                    tools.sort_unstable();
                    patterns.push(build(Tools::OneOf(tools), reading));
                }
            }
            Some(SelectionForm::Any) => {
                // Tools that read as an unknown tool does need no pattern of their own.
                if let Some(rest) = &rest {
                    groups.retain(|(reading, _)| reading != rest);
                }
                let mut except = targets.excepted.clone();
                except.extend(groups.iter().flat_map(|(_, tools)| tools.iter().copied()));
                except.sort_unstable();
                except.dedup();
                if let Some(reading) = rest {
                    let tools = if except.is_empty() {
                        Tools::Any
                    } else {
                        Tools::Except(except)
                    };
                    patterns.push(build(tools, reading));
                }
                for (reading, mut tools) in groups {
                    tools.sort_unstable();
                    patterns.push(build(Tools::OneOf(tools), reading));
                }
            }
        }
        patterns
            .into_iter()
            .map(|pattern| {
                let meaning = Pattern {
                    text: String::new(),
                    ..pattern.clone()
                };
                let tables = &mut self.tables;
                *self
                    .current
                    .patterns_by_meaning
                    .entry(meaning)
                    .or_insert_with(|| tables.pattern(pattern))
            })
            .collect()
    }

    /// The pattern for people: as written, with what `only if` adds.
    fn pattern_text(&self, source: &Source<'a>, extra: &[Extra<'a>]) -> String {
        let mut text = self.folded(&source.scope, source.span);
        for extra in extra {
            let condition = self.folded(&extra.scope, extra.expr.span);
            if source.conditions.is_empty() {
                if text.ends_with("()") {
                    text.truncate(text.len() - 2);
                }
                text = format!("{text}(not ({condition}))");
            } else {
                text.pop();
                text = format!("{}, not ({condition}))", text.trim_end_matches([',', ' ']));
            }
        }
        text
    }

    /// The keys and the condition of a pattern, its fields seen in one way.
    fn reading(
        &mut self,
        source: &Source<'a>,
        extra: &[Extra<'a>],
        view: &Rc<View<'a>>,
    ) -> Reading {
        let frame = self.frame;
        let scope = source.scope.seeing(Rc::clone(view), frame);
        let mut conjuncts = Vec::new();
        for condition in source.conditions {
            self.flatten(condition, &scope, &mut conjuncts);
        }
        for extra in extra {
            conjuncts.push(Conjunct {
                expr: extra.expr,
                scope: extra.scope.seeing(Rc::clone(view), frame),
                negated: true,
            });
        }
        let mut explicit = Vec::new();
        for expr in source.conditions.iter().chain(extra.iter().map(|e| e.expr)) {
            walk(expr, &mut |e| {
                if let ExprKind::Field(base, name) = &e.kind
                    && matches!(&base.kind, ExprKind::Name(root) if root.name == "args" || root.name == "result")
                {
                    explicit.push(name.name.clone());
                }
            });
        }
        let outer_explicit = std::mem::replace(&mut self.explicit, explicit);

        // Keys first: what binds them is no condition.
        let count = self.current.keys.len();
        let mut keys: Vec<Option<ExprId>> = vec![None; count];
        let mut conditions = Vec::new();
        for conjunct in conjuncts {
            match self.binding(&conjunct) {
                Some((key, path, path_scope)) if keys.get(key).is_some_and(Option::is_none) => {
                    let value = self.value(path, &path_scope);
                    self.note_key(key, &value.ty, path.span, &path_scope);
                    if let Some(slot) = keys.get_mut(key) {
                        *slot = Some(value.id);
                    }
                }
                _ => conditions.push(conjunct),
            }
        }
        let missing: Vec<String> = self
            .current
            .keys
            .iter()
            .zip(&keys)
            .filter(|(_, k)| k.is_none())
            .map(|(k, _)| format!("`{}`", k.name))
            .collect();
        if !missing.is_empty() && missing.len() < count {
            self.error(
                "E0440",
                format!(
                    "the pattern binds some keys, but not {}",
                    missing.join(", ")
                ),
                source.span,
                "binds only some keys",
                "bind all keys of the contract in it, or none",
                &source.scope,
            );
            self.key_use = None;
        }
        let keys: Vec<ExprId> = if missing.is_empty() {
            keys.into_iter().flatten().collect()
        } else {
            Vec::new()
        };

        let guards = self.guards.len();
        for conjunct in conditions.iter().filter(|c| !c.negated) {
            self.guard(conjunct.expr, &conjunct.scope);
        }
        let mut ids = Vec::new();
        for conjunct in &conditions {
            let id = self.condition(conjunct.expr, &conjunct.scope);
            let id = if conjunct.negated {
                self.tables.expr(IrExpr::Not(id))
            } else {
                id
            };
            if !matches!(
                self.tables.get_expr(id),
                Some(IrExpr::Const(Const::Bool(true)))
            ) {
                ids.push(id);
            }
        }
        self.guards.truncate(guards);
        self.explicit = outer_explicit;
        let condition = match ids.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => Some(self.tables.expr(IrExpr::And(ids))),
        };
        Reading { keys, condition }
    }

    fn flatten(&mut self, expr: &'a Expr, scope: &Scope<'a>, out: &mut Vec<Conjunct<'a>>) {
        if !self.enter(expr.span, scope) {
            return;
        }
        match self.expand(expr, scope) {
            Head::Expr(inner, inner_scope) => match &inner.kind {
                ExprKind::Binary(BinaryOp::And, a, b) => {
                    self.flatten(a, &inner_scope, out);
                    self.flatten(b, &inner_scope, out);
                }
                ExprKind::State(inner) => self.flatten(inner, &inner_scope, out),
                ExprKind::Binary(BinaryOp::Eq, ..) => out.push(Conjunct {
                    expr: inner,
                    scope: inner_scope,
                    negated: false,
                }),
                _ => out.push(Conjunct {
                    expr,
                    scope: scope.clone(),
                    negated: false,
                }),
            },
            Head::Opaque(_) | Head::Bad => out.push(Conjunct {
                expr,
                scope: scope.clone(),
                negated: false,
            }),
        }
        self.leave();
    }

    /// The key that a condition `path == key` binds, and the path.
    fn binding(&mut self, conjunct: &Conjunct<'a>) -> Option<(usize, &'a Expr, Scope<'a>)> {
        if conjunct.negated || self.current.keys.is_empty() {
            return None;
        }
        let ExprKind::Binary(BinaryOp::Eq, a, b) = &conjunct.expr.kind else {
            return None;
        };
        for (key, path) in [(b, a), (a, b)] {
            if let Some(key) = self.key_of(key, &conjunct.scope)
                && let Some((path, scope)) = self.event_path(path, &conjunct.scope)
            {
                return Some((key, path, scope));
            }
        }
        None
    }

    fn key_of(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<usize> {
        let Head::Expr(inner, scope) = self.expand(expr, scope) else {
            return None;
        };
        let ExprKind::Name(name) = &inner.kind else {
            return None;
        };
        match scope.local(&name.name)?.kind {
            LocalKind::Key(n) => usize::try_from(n).ok(),
            _ => None,
        }
    }

    /// Whether an expression is one field of the event.
    fn event_path(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<(&'a Expr, Scope<'a>)> {
        let Head::Expr(whole, scope) = self.expand(expr, scope) else {
            return None;
        };
        let mut at = whole;
        loop {
            match &at.kind {
                ExprKind::Field(base, _) | ExprKind::Index(base, _) => at = base,
                ExprKind::Name(name) => {
                    let plain = scope.local(&name.name).is_none()
                        && name.name != "ctx"
                        && matches!(&*scope.view, View::Event(_));
                    return plain.then_some((whole, scope));
                }
                _ => return None,
            }
        }
    }

    /// Takes the type of a field that binds a key; reports one that no other can equal.
    fn note_key(&mut self, key: usize, ty: &Type, span: Span, scope: &Scope<'a>) {
        let place = scope.place(span);
        let Some(slot) = self.current.key_types.get_mut(key) else {
            return;
        };
        match slot {
            None => *slot = Some((ty.clone(), place)),
            Some((first, before)) => {
                let (a, b) = (typing::classes(first), typing::classes(ty));
                if !a.meets(b) {
                    let name = self.current.keys.get(key).map_or("", |k| k.name.as_str());
                    let diagnostic = Diagnostic::error(
                        "E0500",
                        format!(
                            "the key `{name}` is {} here and {} elsewhere, so that they are never equal",
                            typing::described(ty),
                            typing::described(first)
                        ),
                        place,
                        typing::described(ty),
                    )
                    .with_label(*before, typing::described(first));
                    self.report(diagnostic, scope);
                }
            }
        }
    }

    /// The path that a condition `has(path)` guards.
    pub(super) fn guard(&mut self, expr: &'a Expr, scope: &Scope<'a>) {
        let Head::Expr(inner, scope) = self.expand(expr, scope) else {
            return;
        };
        let ExprKind::Call(path, args) = &inner.kind else {
            return;
        };
        let ([name], [arg]) = (path.parts.as_slice(), args.as_slice()) else {
            return;
        };
        if name.name != "has" {
            return;
        }
        let used = self.key_use.clone();
        let (value, _) = self.apart(|this| {
            this.lenient += 1;
            let value = this.value(arg, &scope);
            this.lenient -= 1;
            value
        });
        self.key_use = used;
        if let Some(IrExpr::Path { base, steps, .. }) = self.tables.get_expr(value.id) {
            let guard = (*base, steps.clone());
            self.guards.push(guard);
        }
    }

    /// Whether `has` guards a path here.
    pub(super) fn guarded(&self, base: ExprId, steps: &[Step]) -> bool {
        self.lenient > 0
            || self
                .guards
                .iter()
                .any(|(b, s)| *b == base && s.starts_with(steps))
    }

    fn agent_in_assumption(&mut self, kind: PatternKind, source: &Source<'a>) {
        let contract = self.current.contract;
        let around = contract.map(|(unit, contract)| (self.scope(unit), contract));
        let assumption = around
            .as_ref()
            .zip(self.current.clause)
            .map(|((scope, _), span)| self.folded(scope, span))
            .unwrap_or_else(|| "...".to_owned());
        let guarantee = around
            .and_then(|(scope, contract)| guarantee_text(self, contract, &scope))
            .unwrap_or_else(|| "...".to_owned());
        let what = if self.in_aggregate {
            format!("an aggregate over `{}` events", kind_word(kind))
        } else {
            format!("`{}`", kind_word(kind))
        };
        let diagnostic = Diagnostic::error(
            "E0427",
            format!(
                "an assumption speaks of what the environment decides, and the agent decides {what}"
            ),
            source.scope.place(source.span),
            "the agent's",
        )
        .with_help(format!(
            "write it into the guarantee: `guarantee ({assumption}) implies ({guarantee})`"
        ));
        self.report(diagnostic, &source.scope);
    }
}

/// The findings of all candidates. Where a pattern lists its tools each must read well; for `any` a
/// finding counts where no declared tool reads well.
pub(super) fn merge(
    findings: Vec<(bool, Vec<Diagnostic>)>,
    all_must_agree: bool,
    soft: &FxHashSet<Place>,
) -> Vec<Diagnostic> {
    let typed = findings.iter().filter(|(typed, _)| *typed).count();
    let mut counts: BTreeMap<(&'static str, u32, u32, u32), usize> = BTreeMap::new();
    let key = |d: &Diagnostic| {
        let place = d.primary.place;
        (d.code, place.source.0, place.span.start, place.span.end)
    };
    for (is_typed, found) in &findings {
        let mut here: Vec<_> = found.iter().map(key).collect();
        here.sort_unstable();
        here.dedup();
        for k in here {
            if *is_typed || typed == 0 {
                *counts.entry(k).or_default() += 1;
            }
        }
    }
    let mut kept: Vec<Diagnostic> = Vec::new();
    for (_, found) in findings {
        for diagnostic in found {
            let k = key(&diagnostic);
            if kept.iter().any(|other| key(other) == k) {
                continue;
            }
            let count = counts.get(&k).copied().unwrap_or(0);
            let everywhere = count >= typed.max(1);
            let soft = soft.contains(&diagnostic.primary.place);
            if everywhere || (all_must_agree && !soft) {
                kept.push(diagnostic);
            }
        }
    }
    kept
}
