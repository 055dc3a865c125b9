//! `ctrc.witness`: sessions that a contract accepts and rejects, also as `test` blocks.

mod block;

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use ctr_check::{Cancel, Examples, Options};
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
    let found = examples(snapshot, &policy, index, desk).inspect_err(tell)?;
    let mut answer = Answer {
        contract: args.contract.clone(),
        accepting: None,
        rejecting: None,
        undecided: None,
    };
    for (kind, found) in [(Kind::Accepting, found.0), (Kind::Rejecting, found.1)] {
        if args.show.is_some_and(|show| show != kind) {
            continue;
        }
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
    let (accepting, rejecting) = examples(snapshot, &policy, index, desk)?;
    let (found, does) = match kind {
        Kind::Accepting => (accepting, "keeps"),
        Kind::Rejecting => (rejecting, "breaks"),
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

/// What the contract accepts and what it rejects.
fn examples(
    snapshot: &Snapshot,
    policy: &Policy,
    index: usize,
    desk: &Desk,
) -> Result<(Example, Example), Failure> {
    let world = Overlay::new(&snapshot.documents);
    let timeout =
        Settings::nearest(&world).solver_timeout(std::slice::from_ref(&policy.path), None);
    let options = Options {
        timeout,
        cancel: Cancel::new(),
        ..Options::default()
    };
    let found = solved(policy, index, &options, desk)?;
    let contract = policy
        .library
        .contracts
        .get(index)
        .ok_or_else(|| Failure::Refused("the contract is gone".to_owned()))?;
    let loaded = policy.loaded()?;
    let timed = ctr_words::contract(&policy.library, contract).timed;
    let told = |shown, value| {
        example(&loaded, index, &contract.name, shown, value, timed)
            .map_err(|fault| Failure::Refused(format!("internal error of ctrc: {fault}")))
    };
    Ok((
        told(&found.accepted, Value3::Active)?,
        told(&found.rejected, Value3::Fail)?,
    ))
}

/// Asks the solver, in a thread of its own: one that was interrupted is of no more use to it.
fn solved(
    policy: &Policy,
    index: usize,
    options: &Options,
    desk: &Desk,
) -> Result<Examples, Failure> {
    let artifact = &policy.artifact;
    let (sender, found) = crossbeam_channel::bounded(1);
    let found = std::thread::scope(|scope| {
        let started = std::thread::Builder::new()
            .name("sessions".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                let found = panic::catch_unwind(AssertUnwindSafe(|| {
                    ctr_check::examples(
                        &policy.library,
                        &artifact.model,
                        &artifact.bytes,
                        options,
                        &[index],
                    )
                }));
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
    found
        .map_err(|why| Failure::Refused(format!("internal error of ctrc: {why}")))?
        .into_iter()
        .next()
        .ok_or_else(|| Failure::Refused("nothing was found".to_owned()))
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
