//! `dead_tool`: a tool that can never be called.

use std::collections::BTreeSet;

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::{EventKind, Expr, Formula as Clause, Side, Tools};

use super::undecided::Open;
use super::{Question, Subject, listed, proof, with_places};
use ctr_logic::Formula;

use crate::engine::{Answer, Expected};
use crate::universe::Class;
use crate::walk;

/// The tools that have a name, each with the question whether a session that keeps all contracts calls it.
fn each(subject: &mut Subject<'_>) -> Vec<(usize, Formula, Question)> {
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let tools = subject.engine.problem.universe.tools.clone();
    let mut out = Vec::new();
    for (tool, entry) in tools.iter().enumerate() {
        if entry.name.is_none() {
            continue;
        }
        let Some(goal) = goal(subject, &contracts, tool) else {
            continue;
        };
        let mut all = members.clone();
        all.push(goal);
        let expected = Expected {
            kept: contracts.clone(),
            prefer: Some(Class::Call(tool)),
            any: true,
            ..Expected::default()
        };
        out.push((tool, goal, (all, expected)));
    }
    out
}

/// Looks for one session that calls all tools.
pub(super) fn sweep(subject: &mut Subject<'_>) {
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let goals: Vec<Formula> = each(subject).into_iter().map(|(_, goal, _)| goal).collect();
    let expected = Expected {
        kept: contracts,
        ..Expected::default()
    };
    subject.sweep(&members, &goals, &expected);
}

/// The questions that [`findings`] asks first.
pub(super) fn questions(subject: &mut Subject<'_>) -> Vec<Question> {
    each(subject)
        .into_iter()
        .map(|(.., question)| question)
        .collect()
}

/// The tools that no session which keeps all contracts calls.
pub(crate) fn findings(subject: &mut Subject<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let tools = subject.engine.problem.universe.tools.clone();
    let named = named_tools(subject);
    for (tool, goal, (all, expected)) in each(subject) {
        let Some(entry) = tools.get(tool) else {
            continue;
        };
        let name = entry.name.clone().unwrap_or_default();
        let shown = match &entry.server {
            Some(server) => format!("{server}.{name}"),
            None => name.clone(),
        };
        match subject.ask(&all, &expected) {
            Answer::Session(session) => {
                let class = Class::Call(tool);
                if !subject.sessions.iter().any(|known| known.has(class)) {
                    subject.sessions.push(session);
                }
            }
            Answer::Open(reason) => {
                subject
                    .open
                    .push(Open::new("dead_tool", "a tool can be called", reason).tool(shown));
            }
            Answer::Never => {
                let core = subject
                    .cores(&members, &[goal], 1)
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| (0..contracts.len()).collect());
                let core: Vec<usize> = core
                    .iter()
                    .filter_map(|at| contracts.get(*at).copied())
                    .collect();
                // Forbidding a tool in so many words is no mistake.
                if core.iter().any(|c| forbids(subject, *c, tool)) {
                    continue;
                }
                let Some(first) = core
                    .first()
                    .or(contracts.first())
                    .and_then(|c| subject.contract(*c))
                else {
                    continue;
                };
                let names = subject.names(&core);
                let severity = if named.contains(&tool) {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let code = if severity == Severity::Error {
                    "E0704"
                } else {
                    "W0704"
                };
                let places = subject.clauses(&core, &[goal]);
                let message = if core.is_empty() {
                    format!(
                        "`{shown}` can never be called: no call of it fits what is known of events"
                    )
                } else {
                    format!(
                        "`{shown}` can never be called in a session that keeps {}",
                        listed(&names)
                    )
                };
                let mut what = proof("dead_tool", names);
                what.tool = Some(shown);
                let finding = Diagnostic::new(code, severity, message, first.name_place, "this contract")
                    .with_help("if the tool must not be called, say so: `guarantee never call ...`; else mend one of the clauses")
                    .with_proof(what);
                out.push(with_places(finding, places));
            }
        }
    }
    out
}

/// That a tool is called, with keys as this call binds them.
pub(crate) fn goal(subject: &mut Subject<'_>, contracts: &[usize], tool: usize) -> Option<Formula> {
    let problem = &mut subject.engine.problem;
    let group = problem
        .universe
        .groups
        .iter()
        .position(|group| group.classes.contains(&Class::Call(tool)))?;
    let mut parts = vec![
        problem
            .universe
            .formula(&mut problem.arena, &BTreeSet::from([group])),
    ];
    parts.extend(problem.bound_by(contracts, group));
    let here = problem.arena.and(&parts);
    Some(problem.arena.eventually(here))
}

/// The tools that a contract names.
fn named_tools(subject: &Subject<'_>) -> BTreeSet<usize> {
    let tools = &subject.engine.problem.universe.tools;
    let library = subject.library;
    let mut out = BTreeSet::new();
    for contract in &subject.contracts {
        let Some(contract) = subject.contract(*contract) else {
            continue;
        };
        for pattern in walk::contract(library, contract).patterns {
            let Some(pattern) = library.patterns.get(pattern.0 as usize) else {
                continue;
            };
            let Tools::OneOf(ids) = &pattern.tools else {
                continue;
            };
            for tool in ids.iter().filter_map(|id| library.tools.get(id.0 as usize)) {
                out.extend(
                    tools.iter().position(|t| {
                        t.name.as_ref() == Some(&tool.name) && t.server == tool.server
                    }),
                );
            }
        }
    }
    out
}

/// Whether a contract has a clause `never call T`, without conditions, for this tool among others.
pub(crate) fn forbids(subject: &Subject<'_>, contract: usize, tool: usize) -> bool {
    let Some(contract) = subject.contract(contract) else {
        return false;
    };
    let problem = &subject.engine.problem;
    let group = problem
        .universe
        .groups
        .iter()
        .position(|group| group.classes.contains(&Class::Call(tool)));
    let Some(group) = group else { return false };
    let plain = |formula: &Clause| -> bool {
        let Clause::Atom(atom) = formula else {
            return false;
        };
        let expr = subject
            .library
            .atoms
            .get(atom.0 as usize)
            .and_then(|atom| subject.library.exprs.get(atom.expr.0 as usize));
        let Some(Expr::Pattern(id)) = expr else {
            return false;
        };
        subject
            .library
            .patterns
            .get(id.0 as usize)
            .is_some_and(|pattern| {
                pattern.kind == EventKind::Call
                    && pattern.condition.is_none()
                    && problem
                        .universe
                        .of_pattern(subject.library, pattern)
                        .contains(&group)
            })
    };
    contract.clauses.iter().any(|clause| {
        clause.side == Side::Guarantee
            && match &clause.formula {
                Clause::Always(inner) => match inner.as_ref() {
                    Clause::Not(inner) => match inner.as_ref() {
                        Clause::Or(parts) => parts.iter().any(plain),
                        other => plain(other),
                    },
                    _ => false,
                },
                _ => false,
            }
    })
}
