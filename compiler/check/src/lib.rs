//! What can be proven about a library before an agent runs under it.
//!
//! The front end says whether a policy is well-formed; this crate says whether it makes sense: contracts
//! that no session keeps, contracts that exclude each other, tools that can no longer be called, rules that never
//! matter. See `docs/check.md` for what is proven and how.
//!
//! Every answer is a proof or a session that the runtime has replayed; what is neither is told as
//! undecided, with the reason.

mod aggregates;
#[cfg(not(feature = "z3"))]
mod bare;
mod codes;
pub mod compare;
mod component;
mod deadline;
mod engine;
mod examples;
mod flight;
mod game;
mod gate;
mod hints;
mod keys;
mod kinds;
mod lists;
mod machine;
mod problem;
mod product;
mod realise;
mod refine;
mod replay;
#[cfg(feature = "z3")]
mod smt;
mod target;
mod texts;
mod theory;
mod types;
mod undefined;
mod universe;
mod walk;
mod witness;

#[cfg(not(feature = "z3"))]
pub(crate) use bare::{Theory, interruptible};
#[cfg(feature = "z3")]
pub(crate) use smt::{Theory, interruptible};

use std::sync::Arc;
use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Library;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;
use ctr_runtime::session::Plan;

use deadline::Deadline;

pub use codes::CODES;
pub use deadline::Cancel;
pub use examples::{Examples, examples};
pub use witness::{Exercise, Shown, Witness, Witnesses, witnesses};

/// How long to look, and how much to tell.
#[derive(Clone, Debug)]
pub struct Options {
    /// For all questions together.
    pub timeout: Duration,
    /// The most cores of a conflict that are told.
    pub cores: usize,
    /// Ends the analysis early.
    pub cancel: Cancel,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            cores: 10,
            cancel: Cancel::default(),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, in order of the library, then of their kinds.
    pub findings: Vec<Diagnostic>,
    /// For contracts that share no events with others, as indices into the library: sessions that keep them, as lines of the
    /// native trace format, each replayed by the runtime.
    pub sessions: Vec<(Vec<usize>, Vec<String>)>,
    /// How many questions the solver was asked.
    pub asked: usize,
}

/// Analyses a library without errors.
///
/// `model` and `bytes` are what `ctr_emit` built from it: sessions are replayed on them.
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn check(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
) -> Result<Report, String> {
    interruptible(&options.cancel, || analysed(library, model, bytes, options))
}

fn analysed(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
) -> Result<Report, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let plan = Arc::new(Plan::new(&artifact));
    let keys = component::keys(library);
    let neutral = component::neutral(library, model);
    let undetermined = undefined::contracts(library);
    let until = Deadline::new(options.timeout, &options.cancel);
    let mut report = Report::default();
    let mut subjects: Vec<kinds::Subject<'_>> = component::components(library, &neutral)
        .iter()
        .map(|contracts| {
            let plan = Arc::clone(&plan);
            kinds::Subject::new(
                library,
                &keys,
                &neutral,
                contracts,
                &artifact,
                plan,
                until.clone(),
            )
        })
        .collect();
    // What matters most comes first, should the time not do for all.
    for subject in &mut subjects {
        report.findings.extend(kinds::first(subject, options));
    }
    let broken = subjects
        .iter()
        .filter(|subject| subject.hopeless)
        .flat_map(|subject| subject.contracts.iter().copied())
        .collect();
    let given = kinds::Given {
        library,
        model,
        keys: &keys,
        neutral: &neutral,
        artifact: &artifact,
        plan: &plan,
        until: until.clone(),
    };
    let mut open = Vec::new();
    for of_kind in [
        kinds::unenforceable::findings,
        kinds::loop_redirect::findings,
    ] {
        let (found, asked) = of_kind(&given, &broken, &mut open);
        report.findings.extend(found);
        report.asked += asked;
    }
    let mut left = subjects.len();
    for subject in &mut subjects {
        // Components that need little leave more to those that come later.
        let time = until.left();
        let share = u32::try_from(left).map_or(time, |left| time / left.max(1));
        left -= 1;
        let share = share.max(time / 8);
        report
            .findings
            .extend(kinds::rest(subject, &undetermined, share));
    }
    for subject in subjects {
        open.extend(subject.open);
        report.asked += subject.engine.asked();
        let contracts = subject.contracts;
        let sessions = subject.sessions.iter();
        report
            .sessions
            .extend(sessions.map(|s| (contracts.clone(), s.lines())));
    }
    report.findings.extend(kinds::undecided(library, open));
    Ok(report)
}
