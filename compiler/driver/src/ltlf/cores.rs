//! Minimal sets of a text's formulas that exclude each other.

use super::member::{self, Member, ask, chosen};
use super::{Failure, Kind, option_of, steps};
use ctr_logic::{Core, CoreOptions, Cores, Error, Limits, cores as find};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// The cores of a text.
#[derive(Debug)]
pub struct CoresReport {
    /// The formulas, or the conjuncts of the one formula.
    pub members: Vec<Member>,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    /// What may be meant otherwise than it is read: atoms that look like operators.
    pub notes: Vec<String>,
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
/// A syntax error, or a limit of the engine before it is known whether there is a core; a limit that
/// is reached later is told in the report.
pub fn cores(
    text: &str,
    kind: Kind,
    options: &CoreOptions,
    limits: &Limits<'_>,
) -> Result<CoresReport, Failure> {
    let asked = ask(text, kind, |arena, members| {
        find(arena, members, options, limits)
    })?;
    Ok(CoresReport {
        members: asked.members,
        atoms: asked.atoms,
        notes: asked.notes,
        found: asked.answer,
        read: asked.read,
        searched: asked.answered,
    })
}

impl CoresReport {
    /// Whether one trace satisfies all members, so that there is no core.
    pub fn satisfiable(&self) -> bool {
        self.found.satisfiable()
    }

    /// How many cores there are, and what is known of others.
    fn count(&self) -> String {
        let found = &self.found;
        let count = found.cores.len();
        let others = match found.others_have {
            0 | 1 => "there may be others".to_owned(),
            least => format!("others have at least {least} members"),
        };
        match found.stopped {
            _ if self.satisfiable() => "none: one trace satisfies all members".to_owned(),
            _ if found.complete => format!("{count} (there is no other)"),
            None => format!("{count} ({others}: --limit N, --all)"),
            Some(_) if count == 0 => "none so far".to_owned(),
            Some(_) => format!("{count} so far ({others})"),
        }
    }

    /// For people: figures, then each core with its members and, for each of them, a shortest trace
    /// of the others.
    pub fn human(&self) -> String {
        let mut out = String::new();
        let cores = &self.found.cores;
        steps::line(&mut out, "result", steps::result(self.satisfiable()));
        steps::line(&mut out, "members", self.members.len());
        steps::line(&mut out, "atoms", self.atoms.len());
        steps::line(&mut out, "cores", self.count());
        if let Some(error) = self.found.stopped {
            let option = option_of(error).map_or(String::new(), |option| format!(" ({option})"));
            let what = match error {
                Error::Cancelled => "the time is over".to_owned(),
                error => error.to_string(),
            };
            steps::line(&mut out, "stopped", format_args!("{what}{option}"));
        }
        steps::line(&mut out, "subsets decided", self.found.checks);
        steps::time(&mut out, "read in", self.read);
        steps::time(&mut out, "found in", self.searched);
        if cores.iter().any(|core| core.members.len() > 1) {
            steps::line(&mut out, "traces", "atoms that are not named are false");
        }
        if cores.is_empty() && !self.satisfiable() {
            let members = steps::count(self.found.conflict.len(), "member");
            steps::line(
                &mut out,
                "conflict",
                format_args!("{members}, perhaps more than needed"),
            );
            member::human(&mut out, &self.members, &self.found.conflict);
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
            member::human(&mut out, &self.members, &core.members);
            if core.members.len() == 1 {
                continue;
            }
            for (member, trace) in chosen(&self.members, &core.members).zip(&core.without) {
                let length = steps::count(trace.len(), "step");
                let name = steps::shown(&member.name);
                let _ = writeln!(out, "  without {name}, the others allow {length}:");
                steps::human(&mut out, "    ", trace, &self.atoms);
            }
        }
        out
    }

    /// The same as JSON. A core is an array of members; a member's `without` is a shortest trace of
    /// the others, for each step the atoms that are true. `stopped` names the option whose bound
    /// ended the search, `conflict` what is known to be unsatisfiable where no core was found.
    pub fn json(&self) -> Value {
        let core = |core: &Core| -> Value {
            let members = chosen(&self.members, &core.members).zip(&core.without);
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
        let found = &self.found;
        let bound = |error| option_of(error).map_or("atoms", |o| o.trim_start_matches('-'));
        let members = chosen(&self.members, &found.conflict).map(Member::json);
        let conflict = found.cores.is_empty() && !self.satisfiable();
        json!({
            "result": steps::result(self.satisfiable()),
            "members": self.members.len(),
            "atoms": self.atoms,
            "notes": self.notes,
            "cores": found.cores.iter().map(core).collect::<Vec<_>>(),
            "conflict": conflict.then(|| members.collect::<Vec<_>>()),
            "complete": found.complete,
            "others_have": (!found.complete).then_some(found.others_have),
            "stopped": found.stopped.map(bound),
            "counts": {"checks": found.checks},
            "seconds": {"read": self.read.as_secs_f64(), "find": self.searched.as_secs_f64()},
        })
    }
}
