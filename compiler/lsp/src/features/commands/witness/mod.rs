//! `ctrc.witness`: sessions that a contract accepts and rejects, also as `test` blocks.

mod block;

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use ctr_check::{Cancel, Options, Shown};
use ctr_project::examples::{Example, Row, example};
use ctr_project::settings::Settings;
use ctr_runtime::decision::Value3;
use lsp_types::Uri;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::policy::Policy;
use super::tests::json;
use super::{OfContract, telling};
use crate::overlay::Overlay;
use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;

/// Of a solver's thread: formulas may be deep.
const STACK: usize = 64 << 20;

/// So often is looked whether the client still waits, while there is work.
const PATIENCE: Duration = Duration::from_millis(50);

/// Which session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    /// One that keeps the contract.
    Accepting,
    /// One that breaks it.
    Rejecting,
}

#[derive(Debug, Serialize)]
struct Answer {
    contract: String,
    accepting: Option<Session>,
    rejecting: Option<Session>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<String>,
}

#[derive(Debug, Serialize)]
struct Session {
    steps: Vec<String>,
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    shortest: bool,
    test: Option<String>,
}

pub(super) fn run(snapshot: &Snapshot, args: &OfContract, desk: &Desk) -> Result<Value, Failure> {
    let tell = |failure: &Failure| telling::failure(snapshot, desk, failure);
    let policy = Policy::open(snapshot, &args.uri, "not looked for").inspect_err(tell)?;
    let index = policy.contract(&args.contract).inspect_err(tell)?;
    let found = examples(snapshot, &policy, index, args.show, desk).inspect_err(tell)?;
    let mut answer = Answer {
        contract: args.contract.clone(),
        accepting: None,
        rejecting: None,
        undecided: None,
    };
    for (kind, found) in found {
        let does = match kind {
            Kind::Accepting => "keeps",
            Kind::Rejecting => "breaks",
        };
        match found {
            Example::Session {
                rows,
                end,
                lines,
                shortest,
            } => {
                let steps: Vec<String> = rows.iter().map(line).collect();
                let mut told = format!("a session that {does} `{}`:", args.contract);
                for step in steps.iter().chain(&end) {
                    told.push('\n');
                    told.push_str(step);
                }
                if steps.is_empty() && end.is_none() {
                    told.push_str(" the one without events");
                }
                telling::info(snapshot, desk, &told);
                let test = block::of(snapshot, &policy, index, &lines, kind);
                let session = Session {
                    steps,
                    lines,
                    end,
                    shortest,
                    test,
                };
                match kind {
                    Kind::Accepting => answer.accepting = Some(session),
                    Kind::Rejecting => answer.rejecting = Some(session),
                }
            }
            Example::Never => {
                let told = format!("there is no session that {does} `{}`", args.contract);
                telling::info(snapshot, desk, &told);
            }
            Example::Open(why) => {
                let told = format!(
                    "no session that {does} `{}` was found: {why}",
                    args.contract
                );
                telling::info(snapshot, desk, &told);
                answer.undecided.get_or_insert(why);
            }
        }
    }
    json(&answer)
}

/// A `test` block made of a session for a contract, which passes.
///
/// # Errors
///
/// Where there is none, with the reason.
pub(crate) fn test_of(
    snapshot: &Snapshot,
    uri: &Uri,
    contract: &str,
    kind: Kind,
    desk: &Desk,
) -> Result<String, Failure> {
    let policy = Policy::open(snapshot, uri, "no test is made")?;
    let index = policy.contract(contract)?;
    let found = examples(snapshot, &policy, index, Some(kind), desk)?;
    let does = match kind {
        Kind::Accepting => "keeps",
        Kind::Rejecting => "breaks",
    };
    let Some((_, found)) = found.into_iter().next() else {
        return Err(Failure::Refused("nothing was found".to_owned()));
    };
    let why = match found {
        Example::Session { lines, .. } => match block::of(snapshot, &policy, index, &lines, kind) {
            Some(block) => return Ok(block),
            None => format!("the session that {does} `{contract}` cannot be said by a test"),
        },
        Example::Never => format!("there is no session that {does} `{contract}`"),
        Example::Open(why) => format!("no session that {does} `{contract}` was found: {why}"),
    };
    Err(Failure::Refused(why))
}

/// What the contract accepts and what it rejects, or one of these.
fn examples(
    snapshot: &Snapshot,
    policy: &Policy,
    index: usize,
    show: Option<Kind>,
    desk: &Desk,
) -> Result<Vec<(Kind, Example)>, Failure> {
    let world = Overlay::new(&snapshot.documents);
    let timeout =
        Settings::nearest(&world).solver_timeout(std::slice::from_ref(&policy.path), None);
    let options = Options {
        timeout,
        cancel: Cancel::new(),
        ..Options::default()
    };
    let found = solved(policy, index, show, &options, desk)?;
    let contract = policy
        .library
        .contracts
        .get(index)
        .ok_or_else(|| Failure::Refused("the contract is gone".to_owned()))?;
    let loaded = policy.loaded()?;
    let timed = ctr_words::contract(&policy.library, contract).timed;
    let told = |(kind, shown)| {
        let value = match kind {
            Kind::Accepting => Value3::Active,
            Kind::Rejecting => Value3::Fail,
        };
        example(&loaded, index, &contract.name, &shown, value, timed)
            .map(|found| (kind, found))
            .map_err(|fault| Failure::Refused(format!("internal error of ctrc: {fault}")))
    };
    found.into_iter().map(told).collect()
}

/// Asks the solver, in a thread of its own: one that was interrupted is of no more use to it.
fn solved(
    policy: &Policy,
    index: usize,
    show: Option<Kind>,
    options: &Options,
    desk: &Desk,
) -> Result<Vec<(Kind, Shown)>, Failure> {
    let Policy {
        library, artifact, ..
    } = policy;
    let ask = || -> Result<Vec<(Kind, Shown)>, String> {
        let (model, bytes) = (&artifact.model, &artifact.bytes);
        if let Some(kind) = show {
            let kept = kind == Kind::Accepting;
            let shown = ctr_check::example(library, model, bytes, options, index, kept)?;
            return Ok(vec![(kind, shown)]);
        }
        let found = ctr_check::examples(library, model, bytes, options, &[index])?;
        let both = found.into_iter().flat_map(|found| {
            [
                (Kind::Accepting, found.accepted),
                (Kind::Rejecting, found.rejected),
            ]
        });
        Ok(both.collect())
    };
    let (sender, found) = crossbeam_channel::bounded(1);
    let found = std::thread::scope(|scope| {
        let started = std::thread::Builder::new()
            .name("sessions".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                let found = panic::catch_unwind(AssertUnwindSafe(ask));
                let fault = |_| Err("the search ended in a fault".to_owned());
                let _ = sender.send(found.unwrap_or_else(fault));
            });
        started.map_err(|why| why.to_string())?;
        loop {
            match found.recv_timeout(PATIENCE) {
                Ok(found) => return found,
                Err(RecvTimeoutError::Timeout) if desk.is_given_up() => options.cancel.cancel(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("the search ended in a fault".to_owned());
                }
            }
        }
    });
    if desk.is_given_up() {
        return Err(Failure::GivenUp);
    }
    found.map_err(|why| Failure::Refused(format!("internal error of ctrc: {why}")))
}

/// A line of a session for people.
fn line(row: &Row) -> String {
    let number = row.number.map(|n| n.to_string()).unwrap_or_default();
    let mut out = format!("{number:>2}  {}", row.what);
    for part in [&row.of, &row.values] {
        if !part.is_empty() {
            out.push(' ');
            out.push_str(part);
        }
    }
    if let Some(said) = &row.said {
        out.push_str(" \u{2014} ");
        out.push_str(said);
    }
    out
}
