//! A session's result for people.

use ctr_runtime::decision::{Reason, Value3, Violation};
use ctr_runtime::format::{ContractRef, Library};
use ctr_runtime::value::Value;
use ctr_trace::Unreadable;
use ctr_trace::judge::Report;

use crate::cli::{Replay, View};
use crate::plain::{counted, line};

/// So many violations of a contract are listed.
const MAX_LISTED: usize = 5;

/// Writes a line. What a session holds stands on it as it is read, and does nothing to a terminal.
macro_rules! say {
    ($out:ident, $($text:tt)*) => {
        say(&mut $out, &format!($($text)*))
    };
}

fn say(out: &mut String, text: &str) {
    out.push_str(&line(text));
    out.push('\n');
}

/// The text, or nothing where there is nothing to say of the session.
pub(super) fn session(
    library: &Library<'_>,
    args: &Replay,
    result: &Result<Report, Unreadable>,
) -> Option<String> {
    let report = match result {
        Ok(report) => report,
        // Told on standard error; counted in the summary.
        Err(_) => return None,
    };
    if !args.all && !report.has_findings() {
        return None;
    }
    let mut out = String::new();
    say!(
        out,
        "{}  agent {}, environment {} ({}, {})",
        report.name,
        report.outcome.agent.name(),
        report.outcome.environment.name(),
        counted(report.events, "event"),
        report.format.name()
    );
    if args.view == View::Gated {
        for decided in &report.decisions {
            let id = id_in_words(decided.id.as_deref());
            say!(
                out,
                "  event {}{id}: {}",
                decided.event,
                decided.decision.verb.name()
            );
            for objection in &decided.decision.objections {
                let contract = library.contract(objection.contract);
                say!(
                    out,
                    "    {}{} ({}): {}",
                    contract.name(),
                    key_in_words(contract, &objection.key),
                    place(library, contract),
                    objection.message
                );
                if let Some(detail) = &objection.detail {
                    say!(out, "      {detail}");
                }
                if !objection.accepted.is_empty() {
                    say!(
                        out,
                        "      accepted once: {}",
                        objection.accepted.join(", or ")
                    );
                }
                if !objection.waiting_for.is_empty() {
                    say!(
                        out,
                        "      still running: {}",
                        objection.waiting_for.join(", ")
                    );
                }
            }
            if let Some(time) = decided.decision.free_at {
                let time = ctr_runtime::time::format_rfc3339(time);
                say!(out, "    accepted from {time} on, if nothing else happens");
            }
            if let Some(instead) = &decided.decision.instead {
                say!(out, "    instead: {}({})", instead.tool, instead.args);
            }
        }
    }
    for (contract, outcome) in library.contracts().zip(&report.outcome.contracts) {
        if let (Value3::Idle, Some(broken)) = (outcome.value, &outcome.assumption) {
            say!(
                out,
                "  {} IDLE ({}): its assumption was broken {}",
                contract.name(),
                place(library, contract),
                at(broken)
            );
        }
        for violation in outcome.violations.iter().take(MAX_LISTED) {
            say!(
                out,
                "  {}{} FAIL ({}): {} {}: {}",
                contract.name(),
                key_in_words(contract, &violation.key),
                place(library, contract),
                match violation.reason {
                    Reason::Undetermined => "undetermined",
                    Reason::PendingAtEnd => "still owed at the end, since",
                    Reason::Deadline => "its deadline passed",
                    Reason::Violated | Reason::Anticipated => "violated",
                },
                at(violation),
                violation.message
            );
            if let Some(detail) = &violation.detail {
                say!(out, "    {detail}");
            }
        }
        let unlisted = outcome.violations.len().saturating_sub(MAX_LISTED);
        let more = outcome.untold.saturating_add(unlisted as u64);
        if more > 0 {
            say!(out, "  {}: {more} more", contract.name());
        }
    }
    Some(out)
}

/// `at event 3 (c2)`, or `from the start`.
fn at(violation: &Violation) -> String {
    match (violation.event, violation.reason) {
        (Some(event), Reason::PendingAtEnd) => {
            format!("event {event}{}", id_in_words(violation.id.as_deref()))
        }
        (Some(event), _) => format!("at event {event}{}", id_in_words(violation.id.as_deref())),
        (None, _) => "the start".to_owned(),
    }
}

fn id_in_words(id: Option<&str>) -> String {
    id.map(|id| format!(" ({id})")).unwrap_or_default()
}

fn key_in_words(contract: ContractRef<'_>, key: &[Value]) -> String {
    if key.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = contract
        .keys()
        .iter()
        .zip(key)
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    format!(" [{}]", parts.join(", "))
}

/// `policy.ctr:12`
fn place(library: &Library<'_>, contract: ContractRef<'_>) -> String {
    let source = library.source(contract.place().source);
    let (line, _) = source.line_col(contract.place().start);
    format!("{}:{line}", source.path)
}
