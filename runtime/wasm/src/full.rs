//! What the feature `full` exports beside the gate: what would be accepted, saved sessions, and policies that
//! change.

use ctr_runtime::limits::Limits;
use ctr_runtime::session::{Plan, Session};
use ctr_runtime::value::{Record, Value};
use ctr_runtime::wire::{self, OwnedEntry, OwnedEvent};

use crate::{Fault, NONE, STATE, answer, input, run};

/// What is recorded with the calls that are asked about; empty input is nothing.
fn meta(json: Option<&Value>) -> Result<OwnedEvent, Fault> {
    let nothing = Value::Record(Record::new());
    Ok(OwnedEvent::read_meta(json.unwrap_or(&nothing))?)
}

/// Which tools could be called now. The input is what would be recorded with the call, an object with any of
/// `agent`, `server`, `time`, `turn`, `depth`, `tokens`, or empty; the answer is a list, as
/// [`wire::allowed`] writes it. 0, or 1 and what is wrong.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_allowed() -> u32 {
    run(|state| {
        let asked = match state.input.is_empty() {
            true => None,
            false => Some(input(state)?),
        };
        let meta = meta(asked.as_ref())?;
        let session = state.session.as_mut().ok_or(NONE)?;
        let found = session.allowed(&meta.meta(), &mut ())?;
        Ok(wire::allowed(session.library(), &found))
    })
}

/// A tool's JSON Schema narrowed to what the contracts accept now. The input is an object with `tool`, and as
/// `meta` what [`ctr_allowed`] takes; the answer has `schema`, `incomplete` and `forbidding`. 0, or 1 and what is
/// wrong.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_schema() -> u32 {
    run(|state| {
        let asked = input(state)?;
        let tool = asked.get("tool").and_then(Value::as_str);
        let tool = tool.ok_or("`tool` is no text")?;
        let meta = meta(asked.get("meta"))?;
        let session = state.session.as_mut().ok_or(NONE)?;
        let found = session.schema(tool, &meta.meta(), &mut ())?;
        Ok(wire::narrowed(session.library(), &found))
    })
}

/// The whole state of the session as bytes, bound to its artifact: the output buffer holds them and no text.
/// 0, or 1 where nothing is loaded.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_save() -> u32 {
    let state = &mut *STATE.lock();
    let saved = state.session.as_ref().map(Session::save);
    answer(state, saved.ok_or(NONE.into()))
}

/// Goes on with the session that [`ctr_save`] made the bytes in the input buffer of; its artifact has to be
/// loaded. The answer is `null`. 0, or 1 and why they are refused: the session is then as it was.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_restore() -> u32 {
    run(|state| {
        let library = state.library.ok_or(NONE)?;
        state.session = Some(Session::restore(library, &state.input)?);
        Ok(Value::Null)
    })
}

/// Brings the artifact that has been loaded last to where a log ends: a JSON list, the oldest entry first, of
/// `{"happened": EVENT}`, `{"left_out": EVENT}`, `{"context": FIELDS}` and `{"forgotten": true}`. A host whose policy
/// changes loads the new one and hands over the log of the session so far. The answer is what the policy finds
/// in the past, as [`wire::findings`] writes it. 0, or 1 and what is wrong: the session is then as it was.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_take_over() -> u32 {
    run(|state| {
        let log = OwnedEntry::read_log(&input(state)?)?;
        let library = state.library.ok_or(NONE)?;
        let log = log.iter().map(OwnedEntry::as_entry);
        let plan = Plan::new(library).into();
        let taken = Session::take_over(library, plan, Limits::DEFAULT, log, &mut ())?;
        state.session = Some(taken.session);
        Ok(wire::findings(library, &taken.findings))
    })
}
