//! `undecided`: questions that stayed open.

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::Library;

use super::{listed, proof};

/// A question that stayed open.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// The kind of finding that it could have become.
    kind: &'static str,
    /// The question.
    what: &'static str,
    reason: String,
    contracts: Vec<String>,
    tool: Option<String>,
}

impl Open {
    pub(crate) fn new(kind: &'static str, what: &'static str, reason: String) -> Self {
        Self {
            kind,
            what,
            reason,
            contracts: Vec::new(),
            tool: None,
        }
    }

    pub(crate) fn about(mut self, contract: String) -> Self {
        self.contracts.push(contract);
        self
    }

    pub(crate) fn all(mut self, contracts: Vec<String>) -> Self {
        self.contracts.extend(contracts);
        self
    }

    pub(crate) fn tool(mut self, tool: String) -> Self {
        self.tool = Some(tool);
        self
    }
}

/// One note for each kind of question and reason.
pub(crate) fn findings(library: &Library, all: Vec<Open>) -> Vec<Diagnostic> {
    let mut groups: Vec<(Open, Vec<String>)> = Vec::new();
    for open in all {
        let same = groups
            .iter_mut()
            .find(|(other, _)| other.kind == open.kind && other.reason == open.reason);
        match same {
            Some((other, tools)) => {
                other.contracts.extend(open.contracts);
                tools.extend(open.tool);
            }
            None => {
                let tools = open.tool.clone().into_iter().collect();
                groups.push((open, tools));
            }
        }
    }
    let mut out = Vec::new();
    for (open, tools) in groups {
        let first = open
            .contracts
            .first()
            .and_then(|name| library.contracts.iter().find(|c| &c.name == name))
            .or_else(|| library.contracts.first());
        let Some(first) = first else { continue };
        // A few names say where to look.
        let mut about = if tools.is_empty() {
            open.contracts.clone()
        } else {
            tools.clone()
        };
        let more = about.len().saturating_sub(8);
        about.truncate(8);
        let more = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        let mut what = proof("undecided", open.contracts.clone());
        what.tool = tools.first().cloned();
        what.reason = Some(open.reason.clone());
        what.question = Some(open.kind);
        out.push(
            Diagnostic::new(
                "W0700",
                Severity::Note,
                format!(
                    "it is undecided whether {} ({}{more})",
                    open.what,
                    listed(&about)
                ),
                first.name_place,
                "about this",
            )
            .with_help(&open.reason)
            .with_proof(what),
        );
    }
    out
}
