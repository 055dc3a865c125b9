//! The table at the end of a replay.

use std::fmt::Write as _;
use std::time::Duration;

use ctr_runtime::decision::{Value3, Verb};
use ctr_runtime::format::Library;
use ctr_trace::judge::Report;
use ctr_trace::{Format, Unreadable};

use crate::cli::View;
use crate::plain::counted;

/// So many of the contracts that failed most are listed.
const MAX_CONTRACTS: usize = 20;

/// What was counted.
pub(super) struct Summary {
    sessions: u64,
    unreadable: u64,
    malformed: u64,
    events: u64,
    undetermined: u64,
    ambiguous: u64,
    /// Sessions by the agent's value: FAIL, ACTIVE, IDLE.
    agent: [u64; 3],
    environment: [u64; 3],
    decisions: [(Verb, u64); 6],
    formats: Vec<(Format, u64)>,
    contracts: Vec<Counted>,
}

/// A contract's figures.
struct Counted {
    name: String,
    failed: u64,
    idle: u64,
    violations: u64,
    /// Of the sessions that failed it, those with full reward.
    rewarded: u64,
}

impl Summary {
    pub(super) fn new(library: &Library<'_>) -> Self {
        Self {
            sessions: 0,
            unreadable: 0,
            malformed: 0,
            events: 0,
            undetermined: 0,
            ambiguous: 0,
            agent: [0; 3],
            environment: [0; 3],
            decisions: [
                Verb::Suppress,
                Verb::Block,
                Verb::Escalate,
                Verb::Redirect,
                Verb::Repair,
                Verb::Warn,
            ]
            .map(|verb| (verb, 0)),
            formats: Vec::new(),
            contracts: library
                .contracts()
                .map(|contract| Counted {
                    name: contract.name().to_owned(),
                    failed: 0,
                    idle: 0,
                    violations: 0,
                    rewarded: 0,
                })
                .collect(),
        }
    }

    pub(super) fn add(&mut self, result: &Result<Report, Unreadable>) {
        let Ok(report) = result else {
            self.unreadable += 1;
            return;
        };
        self.sessions += 1;
        self.malformed += report.malformed.len() as u64;
        self.events += report.events;
        self.undetermined += report.outcome.undetermined;
        self.ambiguous += report.ambiguous;
        count(&mut self.agent, report.outcome.agent);
        count(&mut self.environment, report.outcome.environment);
        for decided in &report.decisions {
            for (verb, n) in &mut self.decisions {
                if *verb == decided.decision.verb {
                    *n += 1;
                }
            }
        }
        match self.formats.iter_mut().find(|(f, _)| *f == report.format) {
            Some((_, n)) => *n += 1,
            None => self.formats.push((report.format, 1)),
        }
        for (counted, outcome) in self.contracts.iter_mut().zip(&report.outcome.contracts) {
            counted.violations += outcome.violations.len() as u64;
            match outcome.value {
                Value3::Fail => {
                    counted.failed += 1;
                    if report.reward.is_some_and(|reward| reward >= 1.0) {
                        counted.rewarded += 1;
                    }
                }
                Value3::Idle => counted.idle += 1,
                Value3::Active => {}
            }
        }
    }

    /// The table.
    pub(super) fn table(&self, view: View, took: Duration) -> String {
        let mut out = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<14}{value}");
        };
        row("sessions", self.sessions.to_string());
        if self.unreadable > 0 {
            row("unreadable", self.unreadable.to_string());
        }
        if self.sessions == 0 {
            // Nothing was judged: zeros would look like a verdict.
            return out;
        }
        let formats: Vec<String> = self
            .formats
            .iter()
            .map(|(format, n)| format!("{} {n}", format.name()))
            .collect();
        if !formats.is_empty() {
            row("formats", formats.join(", "));
        }
        row("agent", verdicts(self.agent));
        row("environment", verdicts(self.environment));
        row("events", self.events.to_string());
        if self.undetermined > 0 {
            row("undetermined", counted(self.undetermined, "event"));
        }
        if self.malformed > 0 {
            row("malformed", counted(self.malformed, "event"));
        }
        if self.ambiguous > 0 {
            row(
                "ambiguous",
                format!("{} paired by order", counted(self.ambiguous, "return")),
            );
        }
        if view == View::Gated {
            let decisions: Vec<String> = self
                .decisions
                .iter()
                .filter(|(_, n)| *n > 0)
                .map(|(verb, n)| format!("{} {n}", verb.name()))
                .collect();
            row(
                "decisions",
                if decisions.is_empty() {
                    "all allowed".to_owned()
                } else {
                    decisions.join(", ")
                },
            );
        }
        let seconds = took.as_secs_f64().max(1e-9);
        row(
            "speed",
            format!(
                "{:.0} sessions and {:.0} events a second, reading included",
                self.sessions as f64 / seconds,
                self.events as f64 / seconds
            ),
        );
        self.contracts_table(&mut out);
        out
    }

    fn contracts_table(&self, out: &mut String) {
        let mut worst: Vec<&Counted> = self
            .contracts
            .iter()
            .filter(|counted| counted.failed > 0 || counted.idle > 0)
            .collect();
        worst.sort_by(|a, b| b.failed.cmp(&a.failed).then(b.idle.cmp(&a.idle)));
        if worst.is_empty() {
            return;
        }
        let width = worst
            .iter()
            .take(MAX_CONTRACTS)
            .map(|counted| counted.name.chars().count())
            .max()
            .unwrap_or(0)
            .max("contract".len());
        let rewarded = worst.iter().any(|counted| counted.rewarded > 0);
        let _ = write!(
            out,
            "\n{:<width$}  {:>8}  {:>8}  {:>10}",
            "contract", "failed", "idle", "violations"
        );
        if rewarded {
            let _ = write!(out, "  {:>20}", "failed, full reward");
        }
        out.push('\n');
        for counted in worst.iter().take(MAX_CONTRACTS) {
            let _ = write!(
                out,
                "{:<width$}  {:>8}  {:>8}  {:>10}",
                counted.name, counted.failed, counted.idle, counted.violations
            );
            if rewarded {
                let _ = write!(out, "  {:>20}", counted.rewarded);
            }
            out.push('\n');
        }
        let more = worst.len().saturating_sub(MAX_CONTRACTS);
        if more > 0 {
            let _ = writeln!(out, "and {more} more");
        }
    }
}

fn count(into: &mut [u64; 3], value: Value3) {
    let [fail, active, idle] = into;
    match value {
        Value3::Fail => *fail += 1,
        Value3::Active => *active += 1,
        Value3::Idle => *idle += 1,
    }
}

fn verdicts([fail, active, idle]: [u64; 3]) -> String {
    format!("FAIL {fail}, ACTIVE {active}, IDLE {idle}")
}
