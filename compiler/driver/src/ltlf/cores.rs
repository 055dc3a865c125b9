//! Minimal sets of a text's formulas that exclude each other.

use super::member::{Member, width};
use super::{Failure, Kind, parse, steps};
use ctr_logic::{Core, CoreOptions, Cores, Formula, Limits, cores as find};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The cores of a text.
#[derive(Debug)]
pub struct CoresReport {
    /// The formulas, or the conjuncts of the one formula.
    pub members: Vec<Member>,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    /// What was found; cores count members.
    pub found: Cores,
    /// Reading the text and building the formulas.
    pub read: Duration,
    /// Finding the cores and the traces that show each to be minimal.
    pub searched: Duration,
}

/// Reads a text and finds minimal sets of its formulas that no trace with at least one step
/// satisfies together.
///
/// # Errors
///
/// A syntax error, or a limit of the engine.
pub fn cores(
    text: &str,
    kind: Kind,
    options: &CoreOptions,
    limits: &Limits<'_>,
) -> Result<CoresReport, Failure> {
    let start = Instant::now();
    let problem = parse(text, kind).map_err(Failure::Syntax)?;
    let formulas: Vec<Formula> = problem.members.iter().map(|m| m.formula).collect();
    let read = start.elapsed();
    let start = Instant::now();
    let found = find(&problem.arena, &formulas, options, limits)
        .map_err(|error| Failure::of(error, &problem, text))?;
    let searched = start.elapsed();
    Ok(CoresReport {
        members: problem
            .members
            .iter()
            .map(|named| Member::new(named, text))
            .collect(),
        atoms: problem.atoms,
        found,
        read,
        searched,
    })
}

impl CoresReport {
    /// Whether there is no core.
    pub fn satisfiable(&self) -> bool {
        self.found.cores.is_empty()
    }

    fn of<'a>(&'a self, core: &'a Core) -> impl Iterator<Item = &'a Member> {
        core.members
            .iter()
            .filter_map(|&index| self.members.get(index))
    }

    /// For people: figures, then each core with its members and, for each of them, a shortest trace
    /// of the others.
    pub fn human(&self) -> String {
        let mut out = String::new();
        let cores = &self.found.cores;
        steps::line(&mut out, "result", steps::result(self.satisfiable()));
        steps::line(&mut out, "members", self.members.len());
        steps::line(&mut out, "atoms", self.atoms.len());
        let more = match (cores.is_empty(), self.found.complete) {
            (true, _) => "none: one trace satisfies all members".to_owned(),
            (false, true) => format!("{} (there is no other)", cores.len()),
            (false, false) => format!("{} (there may be others: --limit N, --all)", cores.len()),
        };
        steps::line(&mut out, "cores", more);
        steps::line(&mut out, "subsets decided", self.found.checks);
        steps::time(&mut out, "read in", self.read);
        steps::time(&mut out, "found in", self.searched);
        if cores.iter().any(|core| core.members.len() > 1) {
            steps::line(&mut out, "traces", "atoms that are not named are false");
        }
        for (index, core) in cores.iter().enumerate() {
            let _ = match core.members.len() {
                1 => writeln!(
                    out,
                    "\ncore {}: 1 member that no trace satisfies",
                    index + 1
                ),
                n => writeln!(
                    out,
                    "\ncore {}: {n} members that exclude each other",
                    index + 1
                ),
            };
            let width = width(self.of(core));
            for member in self.of(core) {
                member.human(&mut out, width);
            }
            if core.members.len() == 1 {
                continue;
            }
            for (member, trace) in self.of(core).zip(&core.without) {
                let length = steps::count(trace.len(), "step");
                let _ = writeln!(out, "  without {}, the others allow {length}:", member.name);
                steps::human(&mut out, "    ", trace, &self.atoms);
            }
        }
        out
    }

    /// The same as JSON. A core is an array of members; a member's `without` is a shortest trace of
    /// the others, for each step the atoms that are true.
    pub fn json(&self) -> Value {
        let core = |core: &Core| -> Value {
            let members = self.of(core).zip(&core.without);
            let members = members.map(|(member, trace)| {
                let mut json = member.json();
                if let Value::Object(fields) = &mut json {
                    let without = steps::closed(trace, &self.atoms);
                    fields.insert("without".to_owned(), without);
                }
                json
            });
            members.collect::<Vec<_>>().into()
        };
        json!({
            "result": steps::result(self.satisfiable()),
            "members": self.members.len(),
            "atoms": self.atoms,
            "cores": self.found.cores.iter().map(core).collect::<Vec<_>>(),
            "complete": self.found.complete,
            "counts": {"checks": self.found.checks},
            "seconds": {"read": self.read.as_secs_f64(), "find": self.searched.as_secs_f64()},
        })
    }
}
