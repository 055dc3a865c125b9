//! `workspace/executeCommand`: tests run, automata drawn, sessions found and replayed, all from the texts as the
//! editor has them.
//!
//! A command takes one JSON object and answers one value (docs/editors.md, "Commands"). A client that has panels of its own
//! (`experimental.ctrc.panels`) gets only that; to the users of others it is also told.

mod automaton;
mod clauses;
mod policy;
mod replay;
mod telling;
mod tests;
mod witness;

use lsp_types::{ExecuteCommandOptions, ExecuteCommandParams, Uri, WorkDoneProgressOptions};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;

pub(crate) use policy::Policy;
pub(crate) use witness::{Kind, test_of};

pub(crate) const TESTS: &str = "ctrc.tests";
pub(crate) const RUN_TESTS: &str = "ctrc.runTests";
pub(crate) const WITNESS: &str = "ctrc.witness";
pub(crate) const AUTOMATON: &str = "ctrc.automaton";
pub(crate) const REPLAY: &str = "ctrc.replay";

/// What is announced.
pub(crate) fn options() -> ExecuteCommandOptions {
    ExecuteCommandOptions {
        commands: [TESTS, RUN_TESTS, WITNESS, AUTOMATON, REPLAY]
            .map(str::to_owned)
            .to_vec(),
        work_done_progress_options: WorkDoneProgressOptions {
            work_done_progress: Some(true),
        },
    }
}

/// Runs a command.
///
/// # Errors
///
/// Where there is no such command, its argument is another one than it takes, or what it is to do cannot be done.
pub(crate) fn execute(
    snapshot: &Snapshot,
    params: &ExecuteCommandParams,
    desk: &Desk,
) -> Result<Option<Value>, Failure> {
    let token = params.work_done_progress_params.work_done_token.as_ref();
    let answer = match params.command.as_str() {
        TESTS => tests::list(snapshot, &argument(params)?),
        RUN_TESTS => {
            let progress = desk.progress(token, "Running tests");
            tests::run(snapshot, &argument(params)?, desk, &progress)
        }
        WITNESS => {
            let _progress = desk.progress(token, "Looking for sessions");
            witness::run(snapshot, &argument(params)?, desk)
        }
        AUTOMATON => {
            let _progress = desk.progress(token, "Drawing the automaton");
            automaton::run(snapshot, &argument(params)?, desk)
        }
        REPLAY => {
            let _progress = desk.progress(token, "Replaying the session");
            replay::run(snapshot, &argument(params)?, desk)
        }
        other => {
            return Err(Failure::Parameters(format!(
                "there is no command `{other}`"
            )));
        }
    };
    if desk.is_given_up() {
        return Err(Failure::GivenUp);
    }
    answer.map(Some)
}

/// The one argument of a command; an empty object where none is given.
fn argument<T: DeserializeOwned>(params: &ExecuteCommandParams) -> Result<T, Failure> {
    let wrong = |what: String| {
        let command = &params.command;
        Failure::Parameters(format!("the arguments of `{command}` are wrong: {what}"))
    };
    match params.arguments.as_slice() {
        [] => serde_json::from_value(Value::Object(serde_json::Map::new())),
        [one] => serde_json::from_value(one.clone()),
        _ => return Err(wrong("one object is taken".to_owned())),
    }
    .map_err(|error| wrong(error.to_string()))
}

/// A contract of a policy.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object is taken")]
struct OfContract {
    uri: Uri,
    contract: String,
    /// Of a witness: the only one that is asked for.
    #[serde(default)]
    show: Option<witness::Kind>,
}
