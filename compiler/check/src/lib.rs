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
mod memory;
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
use memory::{Part, Remembered};
use replay::Concrete;

pub use codes::CODES;
pub use deadline::Cancel;
pub use examples::{Examples, example, examples};
pub use memory::Memory;
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
    interruptible(&options.cancel, || {
        analysed(library, model, bytes, options, None)
    })
}

/// [`check`], in less time where `memory` is that of the last analysis of the same policies: components of contracts are not
/// looked at again whose texts and declarations are as they were. What was done before it is cancelled is remembered.
///
/// # Errors
///
/// As [`check`].
pub fn check_again(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    memory: &mut Memory,
) -> Result<Report, String> {
    let memory = memory.of(library, options);
    interruptible(&options.cancel, || {
        analysed(library, model, bytes, options, memory)
    })
}

fn analysed(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    mut memory: Option<Remembered<'_, '_>>,
) -> Result<Report, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let plan = Arc::new(Plan::new(&artifact));
    let keys = component::keys(library);
    let neutral = component::neutral(library, model);
    let undetermined = undefined::contracts(library);
    let until = Deadline::new(options.timeout, &options.cancel);
    let mut report = Report::default();
    let components = component::components(library, &neutral);
    let mut parts: Vec<Part> = Vec::new();
    // Components of which nothing is known yet.
    let mut subjects: Vec<(usize, kinds::Subject<'_>)> = Vec::new();
    for (number, contracts) in components.iter().enumerate() {
        let known = memory.as_mut().and_then(|memory| memory.known(contracts));
        if known.is_none() {
            let subject = kinds::Subject::new(
                library,
                &keys,
                &neutral,
                contracts,
                &artifact,
                Arc::clone(&plan),
                until.clone(),
            );
            subjects.push((number, subject));
        }
        parts.push(known.unwrap_or_default());
    }
    // What matters most comes first, should the time not do for all.
    for (number, subject) in &mut subjects {
        if let Some(part) = parts.get_mut(*number) {
            part.first = kinds::first(subject, options);
            part.hopeless = subject.hopeless;
        }
    }
    let given = kinds::Given {
        library,
        model,
        keys: &keys,
        neutral: &neutral,
        artifact: &artifact,
        plan: &plan,
        until: until.clone(),
    };
    for (number, subject) in &subjects {
        if let Some(part) = parts.get_mut(*number)
            && !part.hopeless
        {
            let contracts = &subject.contracts;
            let (found, asked) =
                kinds::unenforceable::findings(&given, contracts, &mut part.open[0]);
            part.unenforceable = found;
            report.asked += asked;
        }
    }
    // A redirect leads to contracts that its own shares no events with.
    let broken = (components.iter().zip(&parts))
        .filter(|(_, part)| part.hopeless)
        .flat_map(|(contracts, _)| contracts.iter().copied())
        .collect();
    let mut redirects_open = Vec::new();
    let (redirects, asked) = kinds::loop_redirect::findings(&given, &broken, &mut redirects_open);
    report.asked += asked;
    let mut left = subjects.len();
    for (number, mut subject) in subjects {
        // Components that need little leave more to those that come later.
        let time = until.left();
        let share = u32::try_from(left).map_or(time, |left| time / left.max(1));
        left -= 1;
        let share = share.max(time / 8);
        let Some(part) = parts.get_mut(number) else {
            continue;
        };
        part.rest = kinds::rest(&mut subject, &undetermined, share);
        part.sessions = subject.sessions.iter().map(Concrete::lines).collect();
        report.asked += subject.engine.asked();
        part.open[1] = subject.open;
        if let Some(memory) = &mut memory
            && !options.cancel.is_cancelled()
        {
            memory.remember(&subject.contracts, part);
        }
    }
    if let Some(memory) = memory {
        memory.finish(components.len());
    }
    let mut unenforceable = Vec::new();
    let mut rest = Vec::new();
    let mut open = [Vec::new(), Vec::new()];
    for (contracts, part) in components.iter().zip(parts) {
        report.findings.extend(part.first);
        unenforceable.extend(part.unenforceable);
        rest.extend(part.rest);
        for (all, own) in open.iter_mut().zip(part.open) {
            all.extend(own);
        }
        let sessions = part.sessions.into_iter();
        (report.sessions).extend(sessions.map(|lines| (contracts.clone(), lines)));
    }
    unenforceable.sort_by_key(|(contract, _)| *contract);
    (report.findings).extend(unenforceable.into_iter().map(|(_, found)| found));
    report.findings.extend(redirects);
    report.findings.extend(rest);
    let [mut all, others] = open;
    all.extend(redirects_open);
    all.extend(others);
    report.findings.extend(kinds::undecided(library, all));
    Ok(report)
}
