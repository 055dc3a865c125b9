//! Sessions that `ctr-check` shows: replayed once more as a user would, and written.

use std::sync::Arc;

use ctr_runtime::format::Library;
use ctr_runtime::session::Plan;
use serde_json::Value;

use crate::exit::Stop;
use crate::judge::{self, Report};
use crate::plain::counted;
use crate::trace::detect;

/// Replays lines of the native trace format as `ctrc replay` does.
///
/// # Errors
///
/// Where they cannot be read, or an event makes no sense: a fault of this program.
pub fn replay(library: &Library<'_>, name: &str, lines: &[String]) -> Result<Report, Stop> {
    let fault = |what: &str| Stop::Internal(format!("the session for {name} {what}"));
    let text = lines.join("\n");
    let pieces = detect::split("session.jsonl", &text)
        .map_err(|error| fault(&format!("cannot be read: {error}")))?;
    let [piece] = pieces.as_slice() else {
        return Err(fault("is not one session"));
    };
    let session =
        detect::read(piece).map_err(|error| fault(&format!("cannot be read: {error}")))?;
    let plan = Arc::new(Plan::new(library));
    let report = judge::recorded(library, &plan, &session);
    match report.malformed.first() {
        Some(malformed) => Err(fault(&format!("makes no sense: {}", malformed.what))),
        None => Ok(report),
    }
}

/// One JSON object of some fields, and `events`: lines of the native trace format as they stand, so that no digit is lost.
#[must_use]
pub fn object(fields: &[(&str, Value)], events: &[String]) -> String {
    let mut parts: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}:{value}", Value::from(*name)))
        .collect();
    parts.push(format!("\"events\":[{}]", events.join(",")));
    format!("{{{}}}", parts.join(","))
}

/// `3 events`.
#[must_use]
pub fn events(count: usize) -> String {
    match count {
        0 => "no event".to_owned(),
        n => counted(n as u64, "event"),
    }
}

/// Names in back-ticks.
#[must_use]
pub fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
