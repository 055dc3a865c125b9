//! A session: the state of one agent's run against a library (language reference, sections 2 and 5).
//!
//! A host proposes each event before it happens ([`Session::propose`]) and then says what became of
//! it: [`Session::commit`] or [`Session::skip`]. Where events have already happened,
//! [`Session::record`] takes them as they are. [`gate()`] is one step of the gated view and does
//! both for hosts and replays alike.

mod advice;
#[cfg(feature = "narrowing")]
mod allowed;
mod anticipate;
mod apply;
mod assess;
mod calls;
pub(crate) mod codec;
mod deadlines;
mod facts;
mod gate;
mod groups;
mod judge;
#[cfg(feature = "narrowing")]
pub(crate) mod narrow;
mod outcome;
pub(crate) mod plan;
mod propose;
mod quick;
mod record;
mod remedy;
mod resolve;
mod restart;
mod save;
mod scratch;
mod standing;
mod steps;
mod takeover;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::decision::{Reason, Violation};
use crate::eval::Workspace;
use crate::format::Library;
use crate::limits::{ENTRY, Limits};
use crate::registers::Registers;
use crate::value::{Record, Value};
use assess::Monitor;
use calls::Calls;
use deadlines::Deadlines;
use judge::Memo;
use scratch::Scratch;

pub use crate::eval::Host;
#[cfg(feature = "narrowing")]
pub use allowed::{Allowed, Extent};
pub use gate::{Gated, gate};
#[cfg(feature = "narrowing")]
pub use narrow::{Incomplete, Narrowed, Why};
pub use plan::Plan;
pub use record::Recorded;
pub use save::RestoreError;
pub use standing::Standing;
pub use takeover::{LogEntry, Takeover, TakeoverError};

/// An event that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// A return that answers no open call.
    NoSuchCall {
        /// The id that it names.
        id: Option<String>,
    },
    /// A return of a call that was refused. The host let the call happen all the same.
    RefusedCall {
        /// The call's id.
        id: Option<String>,
    },
    /// A return that names another tool than the call of its id.
    OtherTool {
        /// The call's id.
        id: Option<String>,
        /// The tool that the return names.
        tool: String,
        /// The tool that was called.
        called: String,
    },
    /// More calls are open, or larger ones, than the session's [`Limits`] allow.
    TooManyOpenCalls,
    /// Lists and records are nested deeper in it than JSON may be
    /// ([`MAX_DEPTH`](crate::json::MAX_DEPTH)).
    TooDeep,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchCall { id: Some(id) } => {
                write!(f, "the return `{id}` answers no open call")
            }
            Self::NoSuchCall { id: None } => {
                f.write_str("a return without id answers no open call")
            }
            Self::RefusedCall { id: Some(id) } => {
                write!(f, "the call `{id}` was refused and returned all the same")
            }
            Self::RefusedCall { id: None } => {
                f.write_str("a call was refused and returned all the same")
            }
            Self::OtherTool { id, tool, called } => {
                let id = id.as_deref().unwrap_or_default();
                write!(
                    f,
                    "the return `{id}` is of the tool `{tool}`, but the call of that id is of `{called}`"
                )
            }
            Self::TooManyOpenCalls => f.write_str(
                "the calls that have not returned are more than the session's limits allow",
            ),
            Self::TooDeep => write!(
                f,
                "a value of the event is nested deeper than {} levels",
                crate::json::MAX_DEPTH
            ),
        }
    }
}

impl core::error::Error for EventError {}

/// A violation as a session keeps it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    /// The instance; [`NO_INSTANCE`] for the contract as a whole.
    instance: u32,
    event: Option<u64>,
    id: Option<String>,
    reason: Reason,
    message: String,
    detail: Option<String>,
}

/// No instance: the contract has no keys, or the key itself was missing.
const NO_INSTANCE: u32 = u32::MAX;

/// A contract's part of the state.
#[derive(Clone, Debug)]
pub(crate) struct ContractState {
    monitor: Monitor,
    /// An event without a value for the key was undetermined.
    failed: bool,
    violations: Vec<Stored>,
    /// How large the texts of these are.
    bytes: usize,
    /// How many further ones there were.
    untold: u64,
    assumption: Option<Stored>,
}

impl Stored {
    /// How much it counts for.
    fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        ENTRY + self.message.len() + text(&self.id) + text(&self.detail)
    }
}

impl ContractState {
    fn key(&self, instance: u32) -> Vec<Value> {
        match &self.monitor {
            Monitor::Many(groups) if instance != NO_INSTANCE => groups.get(instance).key.to_vec(),
            _ => Vec::new(),
        }
    }

    fn violation(&self, contract: u32, stored: &Stored) -> Violation {
        Violation {
            contract,
            key: self.key(stored.instance),
            event: stored.event,
            id: stored.id.clone(),
            reason: stored.reason,
            message: stored.message.clone(),
            detail: stored.detail.clone(),
        }
    }
}

/// The state of one session.
///
/// It borrows the library and holds everything else. Nothing in it depends on addresses or hash
/// seeds: the same events give the same answers everywhere.
///
/// ```
/// # use ctr_runtime::doc::library;
/// use ctr_runtime::session::{Session, gate};
/// use ctr_runtime::wire::OwnedEvent;
///
/// let library = library();
/// let mut session = Session::new(&library);
/// let call = ctr_runtime::json::parse(r#"{"kind": "call", "tool": "pay", "args": {"amount": 150}}"#)?;
/// let call = OwnedEvent::read(&call)?;
/// // One step of the gate: proposed, and recorded or left out as the decision says.
/// let gated = gate(&mut session, &call.as_event(), &mut ())?;
/// assert!(!gated.recorded);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Session<'l> {
    library: &'l Library<'l>,
    plan: Arc<Plan>,
    limits: Limits,
    context: Record,
    registers: Registers,
    calls: Calls,
    contracts: Vec<ContractState>,
    deadlines: Deadlines,
    /// Contracts without keys that an event which they do not name could move, ascending.
    restless: Vec<u32>,
    /// The latest time seen, in nanoseconds since the epoch.
    clock: Option<i64>,
    /// The number of the next event.
    next: u64,
    /// Events that were undetermined for some contract.
    undetermined: u64,
    /// Events whose pairing was ambiguous.
    ambiguous: Vec<u64>,
    /// Violations by deadlines that passed when an event was proposed and is not yet recorded.
    expired: Vec<(u32, Stored)>,
    work: Workspace,
    /// The event that `lookups` belongs to, once it is proposed.
    lookups_for: Option<u64>,
    memo: Memo,
    steps: u64,
    scratch: Scratch,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("events", &self.next)
            .field("clock", &self.clock)
            .field("open_calls", &self.calls.len())
            .finish_non_exhaustive()
    }
}

impl<'l> Session<'l> {
    /// A session before its first event.
    #[must_use]
    pub fn new(library: &'l Library<'l>) -> Self {
        Self::with_plan(library, Arc::new(Plan::new(library)))
    }

    /// The same where many sessions share a library; `plan` should have been made from it. That of another library would
    /// switch contracts off, so it is not used, and one is made as [`Session::new`] does.
    #[must_use]
    pub fn with_plan(library: &'l Library<'l>, plan: Arc<Plan>) -> Self {
        let plan = match plan.is_of(library) {
            true => plan,
            false => Arc::new(Plan::new(library)),
        };
        let contracts: Vec<ContractState> = library
            .contracts()
            .zip(&plan.start)
            .map(|(contract, start)| ContractState {
                monitor: Monitor::new(contract, *start),
                failed: false,
                violations: Vec::new(),
                bytes: 0,
                untold: 0,
                assumption: None,
            })
            .collect();
        Self {
            library,
            limits: Limits::DEFAULT,
            context: Record::new(),
            registers: Registers::new(library),
            calls: Calls::default(),
            contracts,
            deadlines: Deadlines::new(library.deadline_count()),
            restless: plan.restless.clone(),
            plan,
            clock: None,
            next: 0,
            undetermined: 0,
            ambiguous: Vec::new(),
            expired: Vec::new(),
            work: Workspace::default(),
            lookups_for: None,
            memo: Memo::new(library.atom_count()),
            steps: 0,
            scratch: Scratch::default(),
        }
    }

    /// How much the session may remember.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets how much the session may remember from now on; what it remembers already stays. Limits are
    /// not part of a saved session: a host that has its own sets them again after [`Session::restore`].
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.registers.set_limits(limits);
        self.deadlines.set_limit(limits.triggers);
        for state in &mut self.contracts {
            if let Monitor::Many(groups) = &mut state.monitor {
                groups.set_limits(&limits);
            }
        }
    }

    /// The library that the session is judged against.
    #[must_use]
    pub fn library(&self) -> &'l Library<'l> {
        self.library
    }

    /// Facts that the host supplies: each top-level field of the record replaces the one of that name;
    /// `null` is a value like others. Values that are no record change nothing. A value that is nested
    /// deeper than JSON may be is none: the field is missing then. The next event sees them.
    ///
    /// The context is the host's, so no limit applies to it.
    pub fn set_context(&mut self, fields: &Value) {
        if let Value::Record(record) = fields {
            for (name, value) in record.iter() {
                if value.is_deeper_than(crate::json::MAX_DEPTH - 1) {
                    self.context.remove(name);
                } else {
                    self.context.insert(name.to_owned(), value.clone());
                }
            }
        }
    }

    /// The number that the next event will have.
    #[must_use]
    pub fn next_event(&self) -> u64 {
        self.next
    }

    /// The events whose pairing of return and call was ambiguous: an id was missing, or used again
    /// before its call had returned.
    #[must_use]
    pub fn ambiguous(&self) -> &[u64] {
        &self.ambiguous
    }

    /// How many nodes of decision diagrams were visited so far: the measure of work that does not
    /// depend on the machine.
    #[must_use]
    pub fn diagram_steps(&self) -> u64 {
        self.steps
    }

    /// Notes whether an event that the contract does not name could move it.
    fn update_restless(&mut self, contract: u32) {
        let Some(state) = usize::try_from(contract)
            .ok()
            .and_then(|n| self.contracts.get(n))
        else {
            return;
        };
        let Monitor::One { label, .. } = &state.monitor else {
            return;
        };
        // Where a violation is what an unnamed event brings, the state is not idle either. A guarantee
        // that no session satisfies is violated from the start, and every step says so.
        let rests = label.broken || self.plan.is_idle(contract, label.assume, label.guarantee);
        match (self.restless.binary_search(&contract), rests) {
            (Ok(at), true) => {
                self.restless.remove(at);
            }
            (Err(at), false) => self.restless.insert(at, contract),
            _ => {}
        }
    }
}
