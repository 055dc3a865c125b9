//! A session's log as JSON, for hosts in other languages whose policy changes.

use alloc::format;
use alloc::vec::Vec;

use super::{NotAnEvent, OwnedEvent, recorded, wrong};
use crate::format::Library;
use crate::session::{LogEntry, Recorded};
use crate::value::Value;

/// An entry of a log that owns its parts: [`OwnedEntry::as_entry`] is what
/// [`Session::take_over`](crate::session::Session::take_over) takes.
///
/// ```
/// use ctr_runtime::session::LogEntry;
/// use ctr_runtime::wire::OwnedEntry;
///
/// let log = ctr_runtime::json::parse(
///     r#"[
///         {"context": {"role": "clerk"}},
///         {"happened": {"kind": "input", "text": "pay 20"}},
///         {"left_out": {"kind": "call", "id": "c1", "tool": "pay", "args": {"amount": 200}}},
///         {"forgotten": true}
///     ]"#,
/// )?;
/// let log = OwnedEntry::read_log(&log)?;
/// assert_eq!(log.len(), 4);
/// assert_eq!(log[3].as_entry(), LogEntry::Forgotten);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedEntry {
    /// [`LogEntry::Context`].
    Context(Value),
    /// [`LogEntry::Happened`].
    Happened(OwnedEvent),
    /// [`LogEntry::LeftOut`].
    LeftOut(OwnedEvent),
    /// [`LogEntry::Forgotten`].
    Forgotten,
}

impl OwnedEntry {
    /// Reads an entry: an object with one field, `context` (an object), `happened` or `left_out` (events as
    /// [`OwnedEvent::read`] takes them), or `forgotten` (`true`).
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn read(json: &Value) -> Result<Self, NotAnEvent> {
        let none = "an entry has one of `context`, `happened`, `left_out`, `forgotten`";
        let Value::Record(fields) = json else {
            return Err(wrong(none));
        };
        match fields.fields() {
            [(name, value)] => match (name.as_str(), value) {
                ("context", Value::Record(_)) => Ok(Self::Context(value.clone())),
                ("happened", event) => OwnedEvent::read(event).map(Self::Happened),
                ("left_out", event) => OwnedEvent::read(event).map(Self::LeftOut),
                ("forgotten", Value::Bool(true)) => Ok(Self::Forgotten),
                _ => Err(wrong(none)),
            },
            _ => Err(wrong(none)),
        }
    }

    /// Reads a list of entries, the oldest first.
    ///
    /// # Errors
    /// Where it is no list, or an entry is none; the entry is told, from 0.
    pub fn read_log(json: &Value) -> Result<Vec<Self>, NotAnEvent> {
        let Value::List(entries) = json else {
            return Err(wrong("a log is a list"));
        };
        let mut log = Vec::with_capacity(entries.len());
        for (n, entry) in entries.iter().enumerate() {
            let read = Self::read(entry);
            log.push(read.map_err(|e| wrong(format!("entry {n} of the log: {}", e.what)))?);
        }
        Ok(log)
    }

    /// As a session takes it.
    #[must_use]
    pub fn as_entry(&self) -> LogEntry<'_> {
        match self {
            Self::Context(fields) => LogEntry::Context(fields),
            Self::Happened(event) => LogEntry::Happened(event.as_event()),
            Self::LeftOut(event) => LogEntry::LeftOut(event.as_event()),
            Self::Forgotten => LogEntry::Forgotten,
        }
    }
}

/// What a policy that takes over finds in the past: a list of reports, each as [`recorded`] writes it.
#[must_use]
pub fn findings(library: &Library<'_>, findings: &[Recorded]) -> Value {
    Value::List(findings.iter().map(|f| recorded(library, f)).collect())
}
