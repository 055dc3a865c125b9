//! Whether the formulas of a text are satisfiable together.

use super::member::{Member, width};
use super::{Failure, Kind, parse, steps};
use ctr_logic::{Answer, Engine, Formula, Limits, Satisfiability, Verdict, satisfiable};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The answer for a text.
#[derive(Debug)]
pub struct SatReport {
    /// The formulas, or the conjuncts of the one formula.
    pub members: Vec<Member>,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
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
    let start = Instant::now();
    let problem = parse(text, kind).map_err(Failure::Syntax)?;
    let formulas: Vec<Formula> = problem.members.iter().map(|m| m.formula).collect();
    let read = start.elapsed();
    let start = Instant::now();
    let answer = satisfiable(&problem.arena, &formulas, options, limits)
        .map_err(|error| Failure::of(error, &problem, text))?;
    let decided = start.elapsed();
    Ok(SatReport {
        members: problem
            .members
            .iter()
            .map(|named| Member::new(named, text))
            .collect(),
        atoms: problem.atoms,
        answer,
        read,
        decided,
    })
}

/// What an engine is called.
#[must_use]
pub fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Automata => "automata",
        Engine::Bounded => "bounded",
        Engine::Reachability => "reachability",
        _ => "another engine",
    }
}

impl SatReport {
    /// Whether some trace satisfies the formulas.
    pub fn satisfiable(&self) -> bool {
        matches!(self.answer.verdict, Verdict::Satisfiable { .. })
    }

    fn excluding<'a>(&'a self, core: &'a [usize]) -> impl Iterator<Item = &'a Member> {
        core.iter().filter_map(|&index| self.members.get(index))
    }

    /// A few lines for people.
    pub fn human(&self) -> String {
        let mut out = String::new();
        steps::line(&mut out, "result", steps::result(self.satisfiable()));
        steps::line(&mut out, "members", self.members.len());
        steps::line(&mut out, "atoms", self.atoms.len());
        steps::line(&mut out, "decided by", engine_name(self.answer.engine));
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
                let width = width(self.excluding(core));
                for member in self.excluding(core) {
                    member.human(&mut out, width);
                }
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
                self.excluding(core)
                    .map(Member::json)
                    .collect::<Vec<_>>()
                    .into(),
            ),
        };
        json!({
            "result": steps::result(self.satisfiable()),
            "members": self.members.len(),
            "atoms": self.atoms,
            "witness": witness,
            "conflict": conflict,
            "engine": engine_name(self.answer.engine),
            "counts": {
                "rounds": self.answer.rounds,
                "states": self.answer.states,
                "length": self.answer.longest,
            },
            "seconds": {"read": self.read.as_secs_f64(), "decide": self.decided.as_secs_f64()},
        })
    }
}
