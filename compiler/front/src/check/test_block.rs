//! Test blocks (language reference, section 9).

use std::collections::HashSet;

use ctr_grammar::Span;
use ctr_grammar::ast::{
    self, Expr, ExprKind, Ident, ItemKind, Outcome as AstOutcome, TestStepKind as AstStep, UnaryOp,
};

use super::names::{Callee, ToolSym};
use super::scope::Scope;
use super::{At, Checker, Read, suggest};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{
    EventId, Expect, Expected, Json, LookupId, Outcome, Test, TestStep, TestStepKind, Tool,
};
use crate::suggest::nearest;
use crate::types::Type;

/// What a step can be expected to lead to.
pub(super) const EXPECTED: [(&str, Expected); 10] = [
    ("allow", Expected::Allow),
    ("block", Expected::Block),
    ("warn", Expected::Warn),
    ("escalate", Expected::Escalate),
    ("redirect", Expected::Redirect),
    ("repair", Expected::Repair),
    ("suppress", Expected::Suppress),
    ("violation", Expected::Violation),
    ("pending", Expected::Pending),
    ("satisfied", Expected::Satisfied),
];

/// What can be recorded with a step.
pub(super) const META: [&str; 6] = ["agent", "server", "time", "turn", "depth", "tokens"];

impl<'a> Checker<'a> {
    /// The test blocks of the root files.
    pub(super) fn tests(&mut self, loaded: &[At], contracts: &[Read]) -> Vec<Test> {
        let mut tests = Vec::new();
        let graph = self.graph;
        for root in &graph.roots {
            let index = root.0 as usize;
            let Some(unit) = graph.units.get(index) else {
                continue;
            };
            let scope = self.scope(index);
            let mut expects = false;
            let mut first: Option<Span> = None;
            for item in &unit.file.items {
                let ItemKind::Test(test) = &item.kind else {
                    continue;
                };
                first = first.or(Some(test.name.span));
                expects |= test
                    .steps
                    .iter()
                    .any(|s| !s.expect.is_empty() || s.kind == AstStep::Error);
                if let Some(read) = self.test(test, item.span, loaded, &scope) {
                    self.unseen_tests(test, &read, contracts, &scope);
                    tests.push(read);
                }
            }
            if let Some(first) = first
                && !expects
            {
                self.error(
                    "E0535",
                    "the tests of this file expect nothing",
                    first,
                    "no `expect` in any test",
                    "say of some step what it leads to: `expect block by name`; a step without `expect` must be allowed",
                    &scope,
                );
            }
        }
        tests
    }

    fn test(
        &mut self,
        test: &'a ast::Test,
        span: Span,
        loaded: &[At],
        scope: &Scope<'a>,
    ) -> Option<Test> {
        let mut complete = true;
        let mut contracts = Vec::new();
        for path in &test.contracts {
            match self.tested_contract(path, loaded, scope) {
                Some(index) => contracts.push(index),
                None => complete = false,
            }
        }
        let mut steps = Vec::new();
        let mut end: Option<Span> = None;
        for step in &test.steps {
            if let Some(end) = end {
                let diagnostic = Diagnostic::error(
                    "E0536",
                    "the session has ended before this step",
                    scope.place(step.span),
                    "after the end",
                )
                .with_label(scope.place(end), "the end")
                .with_help("make `end` the last step; another session is another `test`");
                self.report(diagnostic, scope);
                complete = false;
                break;
            }
            if step.kind == AstStep::End {
                end = Some(step.span);
            }
            match self.step(step, loaded, scope) {
                Some(step) => steps.push(step),
                None => complete = false,
            }
        }
        // What the test expects of a contract needs that contract, whatever `for` says.
        if !contracts.is_empty() {
            let named = steps
                .iter()
                .flat_map(|step: &TestStep| &step.expect)
                .flat_map(|expect| &expect.by);
            contracts.extend(named);
            let mut seen = HashSet::new();
            contracts.retain(|contract| seen.insert(*contract));
        }
        complete.then(|| Test {
            name: test.name.value.clone(),
            place: scope.place(span),
            contracts,
            steps,
        })
    }

    /// The index of a contract that a test names.
    fn tested_contract(
        &mut self,
        path: &'a ast::Path,
        loaded: &[At],
        scope: &Scope<'a>,
    ) -> Option<u32> {
        let name = path.parts.last()?;
        let names = self.names;
        let unit = match path.parts.as_slice() {
            [_] => None,
            [alias, _] => match names
                .units
                .get(scope.src.unit)
                .and_then(|u| u.imports.get(alias.name.as_str()))
            {
                Some(unit) => Some(*unit),
                None => {
                    self.unknown_contract(path, loaded, scope);
                    return None;
                }
            },
            _ => {
                self.unknown_contract(path, loaded, scope);
                return None;
            }
        };
        let found = loaded.iter().position(|at| {
            unit.is_none_or(|u| u == at.unit)
                && self
                    .contract_name(*at)
                    .is_some_and(|(found, _)| found == name.name)
        });
        match found {
            Some(index) => u32::try_from(index).ok(),
            None => {
                self.unknown_contract(path, loaded, scope);
                None
            }
        }
    }

    fn unknown_contract(&mut self, path: &'a ast::Path, loaded: &[At], scope: &Scope<'a>) {
        let incomplete = self
            .names
            .units
            .get(scope.src.unit)
            .is_some_and(|u| u.incomplete)
            || self
                .graph
                .units
                .get(scope.src.unit)
                .is_some_and(|u| u.includes_incomplete);
        if incomplete {
            return;
        }
        let Some(name) = path.parts.last() else {
            return;
        };
        let known: Vec<&str> = loaded
            .iter()
            .filter_map(|at| self.contract_name(*at).map(|(name, _)| name))
            .collect();
        let place = scope.place(path.span);
        let diagnostic = Diagnostic::error(
            "E0409",
            format!("no loaded contract is called `{}`", name.name),
            place,
            "unknown contract",
        );
        let guess = nearest(&name.name, known.iter().copied());
        let diagnostic = match guess {
            Some(_) => suggest(diagnostic, guess, place),
            None => {
                let names: Vec<String> = known.iter().take(8).map(|n| format!("`{n}`")).collect();
                let include =
                    "contracts of an imported file are loaded by `include`, not by `import`";
                diagnostic.with_help(if names.is_empty() {
                    include.to_owned()
                } else {
                    format!("loaded: {}; {include}", names.join(", "))
                })
            }
        };
        self.report(diagnostic, scope);
    }

    fn step(
        &mut self,
        step: &'a ast::TestStep,
        loaded: &[At],
        scope: &Scope<'a>,
    ) -> Option<TestStep> {
        let kind = self.step_kind(step, scope);
        let mut complete = true;
        let mut meta = Vec::new();
        for (name, value) in &step.meta {
            if !META.contains(&name.name.as_str()) {
                let place = scope.place(name.span);
                let diagnostic = Diagnostic::error(
                    "E0533",
                    format!("`{}` is not recorded with an event", name.name),
                    place,
                    "unknown",
                );
                let guess = nearest(&name.name, META);
                let diagnostic = match guess {
                    Some(_) => suggest(diagnostic, guess, place),
                    None => diagnostic.with_help(format!("recorded are `{}`", META.join("`, `"))),
                };
                self.report(diagnostic, scope);
                complete = false;
                continue;
            }
            match self.json(value, scope) {
                Some(value) => meta.push((name.name.clone(), value)),
                None => complete = false,
            }
        }
        let end = step.kind == AstStep::End;
        let mut expect = Vec::new();
        for expected in &step.expect {
            match self.expectation(expected, end, loaded, scope) {
                Some(expected) => expect.push(expected),
                None => complete = false,
            }
        }
        let kind = kind?;
        complete.then(|| TestStep {
            kind,
            meta,
            expect,
            place: scope.place(step.span),
        })
    }

    fn expectation(
        &mut self,
        expect: &'a ast::Expect,
        end: bool,
        loaded: &[At],
        scope: &Scope<'a>,
    ) -> Option<Expect> {
        let mut by = Vec::new();
        let mut complete = true;
        for path in &expect.by {
            match self.tested_contract(path, loaded, scope) {
                Some(index) => by.push(index),
                None => complete = false,
            }
        }
        let word = expect.what.name.as_str();
        let place = scope.place(expect.what.span);
        let Some((_, what)) = EXPECTED.iter().find(|(name, _)| *name == word) else {
            let diagnostic = Diagnostic::error(
                "E0532",
                format!("a step cannot be expected to `{word}`"),
                place,
                "unknown expectation",
            );
            let guess = nearest(word, EXPECTED.iter().map(|(name, _)| *name));
            let diagnostic = match guess {
                Some(_) => suggest(diagnostic, guess, place),
                None => diagnostic.with_help(
                    "expect allow, block, warn, escalate, redirect, repair, suppress or violation; at `end` pending or satisfied",
                ),
            };
            self.report(diagnostic, scope);
            return None;
        };
        if matches!(what, Expected::Pending | Expected::Satisfied) && !end {
            self.error(
                "E0534",
                format!("`{word}` is what a session ends with"),
                expect.span,
                "not at the end",
                format!("write `end expect {word}` as the last step"),
                scope,
            );
            return None;
        }
        complete.then(|| Expect {
            what: *what,
            by,
            place: scope.place(expect.span),
        })
    }

    fn step_kind(&mut self, step: &'a ast::TestStep, scope: &Scope<'a>) -> Option<TestStepKind> {
        Some(match &step.kind {
            AstStep::Error => return None,
            AstStep::Context(path, value) => {
                let value = self.json(value, scope);
                let path = self.context_path(path, scope)?;
                TestStepKind::Context(path, value?)
            }
            AstStep::Lookup { name, args, value } => {
                let args: Vec<Option<Json>> = args.iter().map(|a| self.json(a, scope)).collect();
                let value = self.json(value, scope);
                let id = self.tested_lookup(name, args.len(), scope)?;
                TestStepKind::Lookup(id, args.into_iter().collect::<Option<_>>()?, value?)
            }
            AstStep::After(nanos) => TestStepKind::After(*nanos),
            AstStep::Input(text) => TestStepKind::Input(text.value.clone()),
            AstStep::Output(text) => TestStepKind::Output(text.value.clone()),
            AstStep::Event(name, fields) => {
                let id = self.tested_event(name, fields, scope);
                let fields = self.record(fields, scope)?;
                TestStepKind::Event(id?, fields)
            }
            AstStep::Call {
                tool,
                args,
                outcome,
            } => {
                let named = self.one_tool(tool, scope);
                let args_json = self.record(args, scope);
                let outcome = match outcome {
                    Some(outcome) => Some(self.outcome(outcome, scope)?),
                    None => None,
                };
                let (named, sym) = named?;
                self.tested_args(args, sym, scope);
                TestStepKind::Call(named, Json::Record(args_json?), outcome)
            }
            AstStep::Return(tool, outcome) => {
                let named: Option<(Tool, Option<&'a ToolSym>)> = self.one_tool(tool, scope);
                let outcome = self.outcome(outcome, scope)?;
                TestStepKind::Return(named?.0, outcome)
            }
            AstStep::End => TestStepKind::End,
        })
    }

    /// Warns of arguments that a tool does not declare.
    fn tested_args(
        &mut self,
        args: &'a [(Ident, Expr)],
        sym: Option<&'a ToolSym>,
        scope: &Scope<'a>,
    ) {
        let Some(Type::Record(record)) = sym.map(|s| &s.args) else {
            return;
        };
        if record.open {
            return;
        }
        for (name, _) in args {
            if record.fields.iter().any(|f| f.name == name.name) {
                continue;
            }
            let place = scope.place(name.span);
            let diagnostic = Diagnostic::warning(
                "W0402",
                format!("the tool declares no argument `{}`", name.name),
                place,
                "undeclared",
            );
            let guess = nearest(&name.name, record.fields.iter().map(|f| f.name.as_str()));
            self.report(suggest(diagnostic, guess, place), scope);
        }
    }

    fn context_path(&mut self, path: &'a ast::Path, scope: &Scope<'a>) -> Option<Vec<String>> {
        let mut parts = path.parts.as_slice();
        // `ctx.name` is as good as `name`.
        if let [first, rest @ ..] = parts
            && first.name == "ctx"
            && !rest.is_empty()
        {
            parts = rest;
        }
        let first = parts.first()?;
        let names = self.names;
        let declared = names.contexts(scope.src.unit);
        let incomplete = names
            .units
            .get(scope.src.unit)
            .is_some_and(|u| u.incomplete || !u.missing.is_empty());
        // What included files read, tests set.
        let elsewhere = names
            .units
            .iter()
            .any(|u| u.contexts.contains_key(first.name.as_str()));
        if !declared.is_empty() && !elsewhere && !incomplete {
            let place = scope.place(first.span);
            let diagnostic = Diagnostic::error(
                "E0514",
                format!("no context field is called `{}`", first.name),
                place,
                "unknown context field",
            );
            let guess = nearest(&first.name, declared.keys().copied());
            self.report(suggest(diagnostic, guess, place), scope);
            return None;
        }
        Some(parts.iter().map(|p| p.name.clone()).collect())
    }

    fn tested_lookup(
        &mut self,
        name: &'a Ident,
        given: usize,
        scope: &Scope<'a>,
    ) -> Option<LookupId> {
        let names = self.names;
        let found = match names.callee(scope.src.unit, std::slice::from_ref(name)) {
            Callee::Lookup(lookup) => Some((lookup.id, lookup.params.len())),
            Callee::Silent => return None,
            // One of an included or imported file.
            _ => names.units.iter().find_map(|u| {
                u.lookups
                    .get(name.name.as_str())
                    .map(|l| (l.id, l.params.len()))
            }),
        };
        let Some((id, wanted)) = found else {
            let place = scope.place(name.span);
            let diagnostic = Diagnostic::error(
                "E0400",
                format!("no lookup is called `{}`", name.name),
                place,
                "unknown lookup",
            );
            let known: Vec<&str> = names
                .units
                .iter()
                .flat_map(|u| u.lookups.keys().copied())
                .collect();
            let guess = nearest(&name.name, known);
            self.report(suggest(diagnostic, guess, place), scope);
            return None;
        };
        if wanted != given {
            self.error(
                "E0407",
                format!(
                    "the lookup `{}` takes {}, and {} given",
                    name.name,
                    super::expand::count(wanted, "argument"),
                    super::expand::given(given)
                ),
                name.span,
                "here",
                "",
                scope,
            );
            return None;
        }
        Some(id)
    }

    fn tested_event(
        &mut self,
        name: &'a Ident,
        fields: &'a [(Ident, Expr)],
        scope: &Scope<'a>,
    ) -> Option<EventId> {
        let names = self.names;
        let found = match names.callee(scope.src.unit, std::slice::from_ref(name)) {
            Callee::Event(event) => Some((event.id, &event.fields)),
            Callee::Silent => return None,
            _ => names
                .units
                .iter()
                .find_map(|u| u.events.get(name.name.as_str()).map(|e| (e.id, &e.fields))),
        };
        let Some((id, declared)) = found else {
            let place = scope.place(name.span);
            let diagnostic = Diagnostic::error(
                "E0400",
                format!("no event is called `{}`", name.name),
                place,
                "unknown event",
            );
            let known: Vec<&str> = names
                .units
                .iter()
                .flat_map(|u| u.events.keys().copied())
                .collect();
            let is_tool = !names.tools_named(scope.src.unit, &name.name).is_empty();
            let diagnostic = if is_tool {
                let start = Span::new(name.span.start, name.span.start);
                diagnostic
                    .with_help(format!("`{0}` is a tool: write `call {0}(...)`", name.name))
                    .with_fix(Fix {
                        title: "write `call`".to_owned(),
                        edits: vec![(scope.place(start), "call ".to_owned())],
                        safe: false,
                    })
            } else {
                suggest(diagnostic, nearest(&name.name, known), place)
            };
            self.report(diagnostic, scope);
            return None;
        };
        if let Type::Record(record) = declared {
            for (field, _) in fields {
                if record.fields.iter().any(|f| f.name == field.name) {
                    continue;
                }
                let place = scope.place(field.span);
                let diagnostic = Diagnostic::error(
                    "E0501",
                    format!("the event `{}` has no field `{}`", name.name, field.name),
                    place,
                    "unknown field",
                );
                let guess = nearest(&field.name, record.fields.iter().map(|f| f.name.as_str()));
                self.report(suggest(diagnostic, guess, place), scope);
            }
        }
        Some(id)
    }

    fn outcome(&mut self, outcome: &'a AstOutcome, scope: &Scope<'a>) -> Option<Outcome> {
        Some(match outcome {
            AstOutcome::Success(value) => Outcome::Success(self.json(value, scope)?),
            AstOutcome::Failure(text) => {
                Outcome::Failure(text.as_ref().map(|t| t.value.clone()).unwrap_or_default())
            }
            AstOutcome::Unknown => Outcome::Unknown,
        })
    }

    fn record(
        &mut self,
        fields: &'a [(Ident, Expr)],
        scope: &Scope<'a>,
    ) -> Option<Vec<(String, Json)>> {
        let mut all: Vec<(String, Json)> = Vec::new();
        let mut complete = true;
        for (name, value) in fields {
            if all.iter().any(|(n, _)| *n == name.name) {
                self.error(
                    "E0404",
                    format!("the field `{}` stands twice", name.name),
                    name.span,
                    "again here",
                    "",
                    scope,
                );
                complete = false;
                continue;
            }
            match self.json(value, scope) {
                Some(value) => all.push((name.name.clone(), value)),
                None => complete = false,
            }
        }
        complete.then_some(all)
    }

    /// A value that is written out.
    fn json(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<Json> {
        Some(match &expr.kind {
            ExprKind::Error => return None,
            ExprKind::Null => Json::Null,
            ExprKind::Bool(value) => Json::Bool(*value),
            ExprKind::Number(text) => Json::Number(text.clone()),
            ExprKind::Str(text) => Json::Str(text.clone()),
            // As a recorded event has it: the text of a duration.
            ExprKind::Duration(_) => Json::Str(self.folded(scope, expr.span)),
            ExprKind::Paren(inner) => self.json(inner, scope)?,
            ExprKind::Unary(UnaryOp::Neg, inner) => match self.json(inner, scope)? {
                Json::Number(text) => Json::Number(match text.strip_prefix('-') {
                    Some(positive) => positive.to_owned(),
                    None => format!("-{text}"),
                }),
                _ => return self.no_json(expr, scope),
            },
            ExprKind::List(items) => {
                let items: Vec<Option<Json>> = items.iter().map(|i| self.json(i, scope)).collect();
                Json::List(items.into_iter().collect::<Option<_>>()?)
            }
            ExprKind::Record(fields) => Json::Record(self.record(fields, scope)?),
            // `{}` reads as a condition without anything where the parser could not tell.
            ExprKind::State(inner) if inner.kind == ExprKind::Error => return None,
            ExprKind::Call(path, args) if matches!(path.parts.as_slice(), [name] if name.name == "timestamp") => {
                match args.as_slice() {
                    [arg] => {
                        if let ExprKind::Str(text) = &arg.kind
                            && super::function::timestamp(text).is_none()
                        {
                            self.error(
                                "E0512",
                                "this is no timestamp",
                                arg.span,
                                "no timestamp",
                                "a moment is written as in `2026-11-30T10:00:00Z`",
                                scope,
                            );
                            return None;
                        }
                        self.json(arg, scope)?
                    }
                    _ => return self.no_json(expr, scope),
                }
            }
            _ => return self.no_json(expr, scope),
        })
    }

    fn no_json(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Option<Json> {
        self.error(
            "E0531",
            "a test holds values that are written out",
            expr.span,
            "no plain value",
            "write a string, a number, true, false, null, a list or a record",
            scope,
        );
        None
    }
}
