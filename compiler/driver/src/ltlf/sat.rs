//! Whether the formulas of a text are satisfiable together.

use super::member::{self, Member, ask};
use super::{Failure, Kind, steps};
use ctr_logic::{Answer, Limits, Satisfiability, Verdict, satisfiable};
use serde_json::{Value, json};
use std::time::Duration;

/// The answer for a text.
#[derive(Debug)]
pub struct SatReport {
    /// The formulas, or the conjuncts of the one formula.
    pub members: Vec<Member>,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    /// What may be meant otherwise than it is read: atoms that look like operators.
    pub notes: Vec<String>,
    /// The answer; its core counts members.
    pub answer: Answer,
    /// Reading the text and building the formulas.
    pub read: Duration,
    /// Deciding, a shortest witness included.
    pub decided: Duration,
}

/// Reads a text and decides whether some trace with at least one step satisfies its formulas.
///
/// # Errors
///
/// A syntax error, or a limit of the engine.
pub fn sat(
    text: &str,
    kind: Kind,
    options: &Satisfiability,
    limits: &Limits<'_>,
) -> Result<SatReport, Failure> {
    let asked = ask(text, kind, |arena, members| {
        satisfiable(arena, members, options, limits)
    })?;
    Ok(SatReport {
        members: asked.members,
        atoms: asked.atoms,
        notes: asked.notes,
        answer: asked.answer,
        read: asked.read,
        decided: asked.answered,
    })
}

impl SatReport {
    /// Whether some trace satisfies the formulas.
    pub fn satisfiable(&self) -> bool {
        matches!(self.answer.verdict, Verdict::Satisfiable { .. })
    }

    /// A few lines for people.
    pub fn human(&self) -> String {
        let mut out = String::new();
        steps::line(&mut out, "result", steps::result(self.satisfiable()));
        steps::line(&mut out, "members", self.members.len());
        steps::line(&mut out, "atoms", self.atoms.len());
        steps::line(&mut out, "decided by", self.answer.engine);
        if self.answer.states > 0 {
            steps::line(
                &mut out,
                "largest automaton",
                steps::count(self.answer.states, "state"),
            );
        }
        if self.answer.longest > 0 {
            steps::line(
                &mut out,
                "lengths searched",
                format_args!("up to {}", steps::count(self.answer.longest, "step")),
            );
        }
        steps::time(&mut out, "read in", self.read);
        steps::time(&mut out, "decided in", self.decided);
        match &self.answer.verdict {
            Verdict::Satisfiable { trace } => {
                steps::line(&mut out, "witness", steps::length(trace));
                steps::human(&mut out, "  ", trace, &self.atoms);
            }
            Verdict::Unsatisfiable { core } => {
                let members = steps::count(core.len(), "member");
                steps::line(
                    &mut out,
                    "conflict",
                    format_args!("{members} (`ctrc ltlf cores` finds minimal ones)"),
                );
                member::human(&mut out, &self.members, core);
            }
        }
        out
    }

    /// The same as JSON: `result`, `witness` (for each step the atoms that are true) or `conflict`
    /// (members that exclude each other), figures.
    pub fn json(&self) -> Value {
        let (witness, conflict) = match &self.answer.verdict {
            Verdict::Satisfiable { trace } => (steps::closed(trace, &self.atoms), Value::Null),
            Verdict::Unsatisfiable { core } => (
                Value::Null,
                member::chosen(&self.members, core)
                    .map(Member::json)
                    .collect::<Vec<_>>()
                    .into(),
            ),
        };
        json!({
            "result": steps::result(self.satisfiable()),
            "members": self.members.len(),
            "atoms": self.atoms,
            "notes": self.notes,
            "witness": witness,
            "conflict": conflict,
            "engine": self.answer.engine.to_string(),
            "counts": {
                "rounds": self.answer.rounds,
                "states": self.answer.states,
                "length": self.answer.longest,
            },
            "seconds": {"read": self.read.as_secs_f64(), "decide": self.decided.as_secs_f64()},
        })
    }
}
