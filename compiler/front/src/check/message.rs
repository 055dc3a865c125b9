//! Messages of actions, read before everything else so that their trees live as long as the files'.

use ctr_grammar::ast::{Action, ClauseKind, ItemKind, StrLit};
use ctr_grammar::{MessagePart, Span, message_parts};
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::Place;
use crate::load::Graph;

/// The parts of all messages.
#[derive(Default)]
pub(super) struct Messages {
    parts: FxHashMap<(usize, Span), Vec<MessagePart>>,
}

/// The message of an action.
pub(super) fn of(action: &Action) -> Option<&StrLit> {
    match action {
        Action::Block(message)
        | Action::Warn(message)
        | Action::Escalate(message)
        | Action::Repair(message)
        | Action::Redirect { message, .. } => message.as_ref(),
    }
}

impl Messages {
    /// Reads the messages of all contracts.
    pub(super) fn new(graph: &Graph, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut messages = Self::default();
        for (index, unit) in graph.units.iter().enumerate() {
            let source = graph.text(unit.source);
            for item in &unit.file.items {
                let ItemKind::Contract(contract) = &item.kind else {
                    continue;
                };
                for clause in &contract.clauses {
                    let ClauseKind::Otherwise(action) = &clause.kind else {
                        continue;
                    };
                    let Some(literal) = of(action) else { continue };
                    let (parts, errors) = message_parts(source, literal);
                    if errors.is_empty() {
                        messages.parts.insert((index, literal.span), parts);
                    }
                    for error in errors {
                        let at = |span| Place {
                            source: unit.source,
                            span,
                        };
                        let mut diagnostic = Diagnostic::new(
                            error.code,
                            Severity::Error,
                            error.message,
                            at(error.span),
                            "",
                        );
                        if let Some(help) = error.help {
                            diagnostic = diagnostic.with_help(help);
                        }
                        diagnostics.push(diagnostic);
                    }
                }
            }
        }
        messages
    }

    /// The parts of a message.
    pub(super) fn parts(&self, unit: usize, literal: &StrLit) -> &[MessagePart] {
        self.parts
            .get(&(unit, literal.span))
            .map_or(&[], Vec::as_slice)
    }
}
