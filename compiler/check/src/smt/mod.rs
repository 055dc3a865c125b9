//! Questions about the values of events, by Z3.

mod encode;
mod presence;
mod regex;
mod unrolled;
mod values;

use std::collections::BTreeSet;
use std::time::Duration;

use z3::ast::Bool;
use z3::{Context, Model, Params, SatResult, Solver};

use crate::deadline::Cancel;
use crate::problem::Problem;
use crate::theory::{Found, Letter, Path, Step};
use encode::{Encoder, TEXT};

/// Memory of one question, in megabytes.
const MEGABYTES: u32 = 1024;

/// Asks Z3.
#[derive(Debug, Default)]
pub(crate) struct Theory {
    /// How many questions were asked.
    pub(crate) asked: usize,
    /// For questions without texts: to make a solver takes longer than most of them.
    plain: Option<(Solver, Duration)>,
    cancel: Cancel,
}

/// Does the work of an analysis, in which another thread can interrupt the solver of this one.
pub(crate) fn interruptible<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    if !cancel.is_some() {
        return work();
    }
    let context = Context::thread_local();
    let handle = context.handle();
    cancel.begin();
    std::thread::scope(|scope| {
        // Without a thread for it the solver is waited for.
        let _ = std::thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn_scoped(scope, || {
                let handle = handle;
                cancel.watch(|| handle.interrupt());
            });
        cancel.ending(work)
    })
}

/// A scope of a solver that is used again.
struct Scope<'s>(&'s Solver);

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.0.pop(1);
    }
}

fn limited(solver: &Solver, limit: Duration) {
    let mut params = Params::new();
    let millis = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1);
    params.set_u32("timeout", millis);
    params.set_u32("max_memory", MEGABYTES);
    params.set_u32("random_seed", 0);
    solver.set_params(&params);
}

fn solver(limit: Duration) -> Solver {
    let solver = Solver::new();
    limited(&solver, limit);
    solver
}

/// A solver of which a scope is used, with at most this time.
fn again(plain: &mut Option<(Solver, Duration)>, limit: Duration) -> &Solver {
    // Parameters are dear to set, so that times are rounded.
    let limit = Duration::from_millis((limit.as_millis() as u64 / 50 * 50).max(50));
    let (solver, last) = plain.get_or_insert_with(|| (solver(limit), limit));
    if *last != limit {
        limited(solver, limit);
        *last = limit;
    }
    solver.push();
    solver
}

fn reason(solver: &Solver) -> String {
    let why = solver.get_reason_unknown().unwrap_or_default();
    match why.as_str() {
        "canceled" | "timeout" => "the solver reached its time limit".to_owned(),
        _ => "the solver gave no answer".to_owned(),
    }
}

impl Theory {
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            ..Self::default()
        }
    }

    /// Whether an event of this group can have these literals.
    pub(crate) fn letter(&mut self, problem: &Problem<'_>, step: &Step, limit: Duration) -> Letter {
        let path = Path {
            steps: vec![Step {
                owner: 0,
                ..step.clone()
            }],
            ..Path::default()
        };
        let mut encoder = Encoder::new(problem, &path, false);
        let mut literals = Vec::new();
        for (position, (leaf, value)) in step.literals.iter().enumerate() {
            if step.apart.contains(&position) {
                continue;
            }
            if let Some(formula) = encoder.leaf(*leaf, 0) {
                literals.push((position, if *value { formula } else { formula.not() }));
            }
        }
        if literals.is_empty() {
            return Letter::Possible;
        }
        let asked = &mut self.asked;
        let cancel = &self.cancel;
        let solver = again(&mut self.plain, limit);
        let _scope = Scope(solver);
        for fact in &encoder.facts {
            solver.assert(fact);
        }
        let mut names = Vec::new();
        for (at, (_, formula)) in literals.iter().enumerate() {
            let name = Bool::new_const(format!("literal {at}"));
            solver.assert(name.implies(formula));
            names.push(name);
        }
        let mut ask = |kept: &[usize]| -> (SatResult, Vec<usize>, String) {
            *asked += 1;
            let assumed: Vec<Bool> = kept
                .iter()
                .filter_map(|at| names.get(*at).cloned())
                .collect();
            let answer = cancel.solving(|| solver.check_assumptions(&assumed));
            let core = if answer == SatResult::Unsat {
                let core: BTreeSet<String> = solver
                    .get_unsat_core()
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                let of_core = |at: &usize| {
                    let name = names.get(*at);
                    name.is_some_and(|name| core.contains(&name.to_string()))
                };
                kept.iter().copied().filter(of_core).collect()
            } else {
                Vec::new()
            };
            let why = if answer == SatResult::Unknown {
                reason(solver)
            } else {
                String::new()
            };
            (answer, core, why)
        };
        let all: Vec<usize> = (0..literals.len()).collect();
        let (answer, mut core, why) = ask(&all);
        match answer {
            SatResult::Sat => Letter::Possible,
            SatResult::Unknown => Letter::Unknown(why),
            SatResult::Unsat => {
                // The solver's core need not be minimal: try without each.
                for at in core.clone() {
                    let rest: Vec<usize> =
                        core.iter().copied().filter(|other| *other != at).collect();
                    if rest.len() < core.len() && ask(&rest).0 == SatResult::Unsat {
                        core = rest;
                    }
                }
                Letter::Impossible(
                    core.iter()
                        .filter_map(|at| literals.get(*at).map(|(position, _)| *position))
                        .collect(),
                )
            }
        }
    }

    /// Values for the events of an abstract session.
    pub(crate) fn path(&mut self, problem: &Problem<'_>, path: &Path, limit: Duration) -> Found {
        let mut undecided = None;
        let mut rough = None;
        // First with defined values of the expected kinds, close in time; the proof that there are none does without. Texts are
        // numbers until the last attempt: what has no values then has none, and texts themselves take far longer.
        for (level, coded) in [(2, true), (1, true), (0, true), (0, false)] {
            self.asked += 1;
            let limit = if coded { limit } else { limit / 2 };
            let mut encoder = Encoder::new(problem, path, true);
            encoder.approximate = level > 0;
            encoder.coded = coded;
            // People read what is natural: it does not depend on what was asked before.
            let fresh = (!encoder.coded || path.natural).then(|| solver(limit));
            let solver = match &fresh {
                Some(fresh) => fresh,
                None => again(&mut self.plain, limit),
            };
            let _scope = fresh.is_none().then(|| Scope(solver));
            for (at, step) in path.steps.iter().enumerate() {
                for (position, (leaf, value)) in step.literals.iter().enumerate() {
                    if coded && step.apart.contains(&position) {
                        continue;
                    }
                    if let Some(formula) = encoder.leaf(*leaf, at) {
                        solver.assert(if *value { formula } else { formula.not() });
                    }
                }
            }
            if level >= 1 {
                for (at, expr, is) in &path.texts {
                    if let Some(fact) = encoder.is_text(*expr, *at, is) {
                        solver.assert(fact);
                    }
                }
                for fact in &encoder.wishes {
                    solver.assert(fact);
                }
            }
            if level >= 2 {
                for fact in &encoder.soon {
                    solver.assert(fact);
                }
            }
            for fact in &encoder.facts {
                solver.assert(fact);
            }
            match self.cancel.solving(|| solver.check()) {
                SatResult::Sat => {
                    let plain = solver.get_model();
                    let best = (path.natural && level >= 1)
                        .then(|| natural(solver, &mut encoder, &self.cancel))
                        .flatten();
                    let values = best
                        .and_then(|model| encoder.values(&model))
                        .or_else(|| plain.and_then(|model| encoder.values(&model)));
                    match values {
                        // Without wishes texts were left out: with them it is worth another attempt.
                        Some(values) if level == 0 && coded => rough = Some(values),
                        Some(values) => return Found::Values(values),
                        None => {
                            undecided = Some("the solver's values do not fit a session".to_owned());
                        }
                    }
                }
                SatResult::Unknown => undecided = Some(reason(solver)),
                SatResult::Unsat if level == 0 => return Found::Impossible,
                SatResult::Unsat => {}
            }
        }
        match rough {
            Some(values) => Found::Values(values),
            None => Found::Unknown(undecided.unwrap_or_default()),
        }
    }
}

/// How often values that read best are asked for.
const NATURAL: usize = 40;

/// A model with as much as can be of what reads best: what excludes something of it is given up.
fn natural(solver: &Solver, encoder: &mut Encoder<'_>, cancel: &Cancel) -> Option<Model> {
    let constants = i64::try_from(encoder.codes.len()).ok()?;
    let mut wanted = std::mem::take(&mut encoder.natural);
    wanted.append(&mut encoder.soon);
    for value in encoder.variables.values() {
        let other = value.code.ge(constants);
        wanted.push(value.kind.eq(TEXT).implies(other));
    }
    let named: Vec<Bool> = (0..wanted.len())
        .map(|n| Bool::new_const(format!("natural {n}")))
        .collect();
    for (name, fact) in named.iter().zip(&wanted) {
        solver.assert(name.implies(fact));
    }
    let mut left = named;
    for _ in 0..NATURAL {
        match cancel.solving(|| solver.check_assumptions(&left)) {
            SatResult::Sat => return solver.get_model(),
            SatResult::Unknown => return None,
            SatResult::Unsat => {
                let core = solver.get_unsat_core();
                left.retain(|name| !core.contains(name));
            }
        }
    }
    None
}
