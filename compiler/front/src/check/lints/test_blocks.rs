//! Tests that show less than they seem to.

use ctr_grammar::ast::{self, TestStepKind as Step};

use super::super::scope::{Scope, Src};
use super::super::{Checker, Read};
use super::warning;
use crate::ir::{Contract, EventId, EventKind, Expected, Pattern, Test, TestStepKind, Tool, Tools};

/// An event of a test, as far as contracts tell events apart without their fields.
enum Happened<'t> {
    Call(&'t Tool),
    Return(&'t Tool),
    Input,
    Output,
    Event(EventId),
}

impl<'a> Checker<'a> {
    /// Tests in which nothing happens, and steps after which nothing does.
    pub(super) fn idle_steps(&mut self, test: &'a ast::Test, src: Src<'a>) {
        let unread = |step: &ast::TestStep| step.kind == Step::Error;
        if test.steps.iter().any(unread) {
            return;
        }
        let quiet = |step: &&ast::TestStep| {
            matches!(
                step.kind,
                Step::Context(..) | Step::Lookup { .. } | Step::After(_)
            )
        };
        let event = |step: &ast::TestStep| !quiet(&step) && step.kind != Step::End;
        self.expectations(test, src);
        let expects = test.steps.iter().any(|step| !step.expect.is_empty());
        if !expects && !test.steps.iter().any(event) {
            let diagnostic = warning(
                "W0420",
                "nothing happens in the test, and it expects nothing",
                test.name.span,
                "an empty test",
                src,
            )
            .with_help("write the session that it is about; what the empty session owes is said with `end expect pending` or `end expect satisfied`");
            self.diagnostics.push(diagnostic);
            return;
        }
        let idle = test.steps.iter().rev().take_while(quiet);
        // What is expected of such a step is told above.
        let Some(first) = idle.last().filter(|step| step.expect.is_empty()) else {
            return;
        };
        let diagnostic = warning(
            "W0421",
            "nothing happens after this step, so that it changes nothing",
            first.span,
            "the last of the test",
            src,
        )
        .with_help(
            "move it before the step that it is for; what is owed by then is judged at `end`",
        );
        self.diagnostics.push(diagnostic);
    }

    /// Expectations that no session meets.
    fn expectations(&mut self, test: &'a ast::Test, src: Src<'a>) {
        for step in &test.steps {
            let word = match step.kind {
                Step::Context(..) => "a context field that is set",
                Step::Lookup { .. } => "the answer of a lookup",
                Step::After(_) => "`after`",
                _ => "",
            };
            let allow = |e: &&ast::Expect| e.what.name == "allow";
            if !word.is_empty()
                && let Some(expect) = step.expect.iter().find(|e| !allow(e))
            {
                let diagnostic = warning(
                    "W0441",
                    format!("{word} is no event, so that it never leads to `{}`", expect.what.name),
                    expect.span,
                    "never met",
                    src,
                )
                .with_help("expect it of the next event: a deadline is decided by the first event after it, or at `end`");
                self.diagnostics.push(diagnostic);
                continue;
            }
            let Some(allowed) = step.expect.iter().find(|e| allow(e) && e.by.is_empty()) else {
                continue;
            };
            if let Some(other) = step.expect.iter().find(|e| !allow(e)) {
                let diagnostic = warning(
                    "W0441",
                    format!(
                        "what is allowed does not lead to `{}` as well",
                        other.what.name
                    ),
                    other.span,
                    "never both",
                    src,
                )
                .with_label(src.place(allowed.span), "and this")
                .with_help(
                    "expect one of them; what several contracts say of a step is told with `by`",
                );
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Contracts that a test is limited to and that see none of its events.
    pub(in crate::check) fn unseen_tests(
        &mut self,
        tree: &'a ast::Test,
        test: &Test,
        contracts: &[Read],
        scope: &Scope<'a>,
    ) {
        let mut events = Vec::new();
        for step in &test.steps {
            match &step.kind {
                TestStepKind::Call(tool, _, outcome) => {
                    events.push(Happened::Call(tool));
                    if outcome.is_some() {
                        events.push(Happened::Return(tool));
                    }
                }
                TestStepKind::Return(tool, _) => events.push(Happened::Return(tool)),
                TestStepKind::Input(_) => events.push(Happened::Input),
                TestStepKind::Output(_) => events.push(Happened::Output),
                TestStepKind::Event(id, _) => events.push(Happened::Event(*id)),
                TestStepKind::Context(..)
                | TestStepKind::Lookup(..)
                | TestStepKind::After(_)
                | TestStepKind::End => {}
            }
        }
        // What a session without any step of a contract owes is worth a test.
        let at_end = test
            .steps
            .iter()
            .flat_map(|s| &s.expect)
            .any(|e| matches!(e.what, Expected::Pending | Expected::Satisfied));
        if events.is_empty() || at_end || self.misread(scope) {
            return;
        }
        for path in &tree.contracts {
            let Some(name) = path.parts.last() else {
                continue;
            };
            let found = test.contracts.iter().find_map(|index| {
                let contract = contracts.get(*index as usize)?.contract.as_ref()?;
                (contract.name == name.name).then_some(contract)
            });
            let Some(contract) = found else { continue };
            if events.iter().any(|event| self.sees(contract, event)) {
                continue;
            }
            let diagnostic = warning(
                "W0422",
                format!("`{}` sees none of the events of this test", name.name),
                path.span,
                "judges none of them",
                scope.src,
            )
            .with_label(scope.place(tree.name.span), "this test")
            .with_help("name the contract that the test is about, or add an event that the contract speaks of");
            self.report(diagnostic, scope);
        }
    }

    /// Whether an event is a step of a contract, or of some instance of it.
    fn sees(&self, contract: &Contract, event: &Happened<'_>) -> bool {
        let patterns = || {
            contract
                .patterns
                .iter()
                .map(|id| self.tables.get_pattern(*id))
        };
        if contract.patterns.is_empty() {
            return true;
        }
        if contract.keys.is_empty() {
            return match event {
                Happened::Call(_) => contract.watch.calls,
                Happened::Return(_) => contract.watch.returns,
                Happened::Input => contract.watch.inputs,
                Happened::Output => contract.watch.outputs,
                Happened::Event(id) => contract.watch.events.contains(id),
            };
        }
        patterns().any(|pattern| pattern.is_none_or(|p| self.names_event(p, event)))
    }

    fn names_event(&self, pattern: &Pattern, event: &Happened<'_>) -> bool {
        let tool = match (pattern.kind, event) {
            (EventKind::Call, Happened::Call(tool))
            | (EventKind::Return(_), Happened::Return(tool)) => *tool,
            (EventKind::Input, Happened::Input) | (EventKind::Output, Happened::Output) => {
                return true;
            }
            (EventKind::Declared(a), Happened::Event(b)) => return a == *b,
            _ => return false,
        };
        let is_tool = |id: &crate::ir::ToolId| {
            self.tables.get_tool(*id).is_none_or(|t| {
                t.name == tool.name
                    && (t.server == tool.server || t.server.is_none() || tool.server.is_none())
            })
        };
        match &pattern.tools {
            Tools::Any => true,
            Tools::OneOf(ids) => ids.iter().any(is_tool),
            Tools::Except(ids) => !ids.iter().any(is_tool),
        }
    }
}
