//! Sessions that `ctr-check` shows: replayed once more as a user would, and written.

use ctr_runtime::format::Library;
use ctr_trace::judge::{self, Report};
use serde_json::Value;

use crate::exit::Stop;
use crate::plain::counted;

/// Replays lines of the native trace format as `ctrc replay` does.
///
/// # Errors
///
/// Where they cannot be read, or an event makes no sense: a fault of this program.
pub fn replay(library: &Library<'_>, name: &str, lines: &[String]) -> Result<Report, Stop> {
    judge::shown(library, name, lines).map_err(Stop::Internal)
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
