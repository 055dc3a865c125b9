//! A changed policy takes over a running session: the session's log is replayed to it.
//!
//! A saved session belongs to one artifact, since its states mean nothing in another. Where the policy
//! changes in the middle of a session, the new one must know what has happened, so the host replays the log
//! that it keeps. It is said explicitly and never done behind a host's back: the new policy may find
//! violations in the past, for which nothing can be refused any more.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{EventError, Plan, Recorded, Session};
use crate::eval::Host;
use crate::event::Event;
use crate::format::Library;
use crate::limits::Limits;
use crate::value::Value;

/// An entry of a session's log: what the host has told the session, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LogEntry<'a> {
    /// [`Session::set_context`].
    Context(&'a Value),
    /// An event that has happened: allowed, warned about, approved, repaired (with its changed arguments),
    /// or the call that a redirection made instead.
    Happened(Event<'a>),
    /// An event that was left out ([`Session::skip`]): a refused call, its return, a suppressed event.
    LeftOut(Event<'a>),
    /// [`Session::forget_refused`].
    Forgotten,
}

/// A session that has taken over.
#[derive(Debug)]
pub struct Takeover<'l> {
    /// The session under the new policy, at the end of the log.
    pub session: Session<'l>,
    /// What the new policy finds in the past: the reports that have violations or broken assumptions.
    pub findings: Vec<Recorded>,
}

/// The new policy could not take an entry of the log, so that it does not know the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeoverError {
    /// The entry, from 0.
    pub entry: usize,
    /// What is wrong with it.
    pub error: EventError,
}

impl fmt::Display for TakeoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} of the log: {}", self.entry, self.error)
    }
}

impl core::error::Error for TakeoverError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<'l> Session<'l> {
    /// Brings a new session under `library` to where the log ends. Its later decisions are those of a session
    /// that has had this policy from the start in the recorded view: what has happened has happened, whatever the
    /// new policy would have said of it, and what was left out has not.
    ///
    /// The host answers lookups as it did when the events occurred; where it no longer can, it answers
    /// nothing, and the conditions that need them are undetermined. Events keep their times: deadlines that
    /// the new policy knows have passed where the log says so.
    ///
    /// `plan` should have been made from `library`; that of another one is not used.
    ///
    /// # Errors
    /// The first entry that the session cannot take: the log is not complete, or a limit was reached. The
    /// host goes on under the old policy, or ends the session; there is none that half knows its past.
    ///
    /// ```
    /// use ctr_runtime::event::{Event, EventKind, Meta};
    /// use ctr_runtime::format::{Library, encode, model::Model};
    /// use ctr_runtime::limits::Limits;
    /// use ctr_runtime::session::{LogEntry, Plan, Session};
    ///
    /// let changed = Library::load(encode(&Model::default()).unwrap()).unwrap();
    /// let hello = Event { kind: EventKind::Input { text: "hello" }, meta: Meta::default() };
    /// let log = [LogEntry::Happened(hello)];
    /// let plan = Plan::new(&changed).into();
    /// let taken = Session::take_over(&changed, plan, Limits::DEFAULT, log, &mut ()).unwrap();
    /// assert_eq!(taken.session.next_event(), 1);
    /// assert!(taken.findings.is_empty());
    /// ```
    pub fn take_over<'e>(
        library: &'l Library<'l>,
        plan: Arc<Plan>,
        limits: Limits,
        log: impl IntoIterator<Item = LogEntry<'e>>,
        host: &mut dyn Host,
    ) -> Result<Takeover<'l>, TakeoverError> {
        let mut session = Self::with_plan(library, plan);
        session.set_limits(limits);
        let mut findings = Vec::new();
        for (entry, step) in log.into_iter().enumerate() {
            let done = match step {
                LogEntry::Context(fields) => {
                    session.set_context(fields);
                    continue;
                }
                LogEntry::Forgotten => {
                    session.forget_refused();
                    continue;
                }
                LogEntry::Happened(event) => session.record(&event, host),
                LogEntry::LeftOut(event) => session.skip(&event, host),
            };
            let report = done.map_err(|error| TakeoverError { entry, error })?;
            if !report.violations.is_empty() || !report.assumptions.is_empty() {
                findings.push(report);
            }
        }
        Ok(Takeover { session, findings })
    }
}
