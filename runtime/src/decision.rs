//! What the runtime answers: decisions about proposed events, reports about recorded ones, and the
//! outcome of a session.

use alloc::string::String;
use alloc::vec::Vec;

use crate::value::Value;

/// What happens with a proposed event; ordered by strictness, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Withheld from the agent: it breaks an assumption.
    Suppress,
    /// Refused.
    Block,
    /// Held until the host approves or denies.
    Escalate,
    /// Another call is made instead.
    Redirect,
    /// Made with changed arguments.
    Repair,
    /// Let through, and told.
    Warn,
    /// Let through.
    Allow,
}

impl Verb {
    /// The name in reports: `block`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Suppress => "suppress",
            Self::Block => "block",
            Self::Escalate => "escalate",
            Self::Redirect => "redirect",
            Self::Repair => "repair",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }
}

/// Why a contract objects, or has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The event violates the guarantee (or assumption) for good.
    Violated,
    /// The guarantee would be violated if the call, and those in flight, succeed.
    Anticipated,
    /// A condition that matters is undefined.
    Undetermined,
    /// A deadline has passed.
    Deadline,
    /// An obligation was open when the session ended.
    PendingAtEnd,
}

impl Reason {
    /// The name in reports: `violated`, `undetermined` or `pending_at_end`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Violated | Self::Anticipated | Self::Deadline => "violated",
            Self::Undetermined => "undetermined",
            Self::PendingAtEnd => "pending_at_end",
        }
    }
}

/// A contract's objection to a proposed event.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    /// Index of the contract in the library.
    pub contract: u32,
    /// The instance's key values; empty for a contract without keys, where the key itself is what is
    /// missing, and where too many instances object to name them.
    pub key: Vec<Value>,
    /// What the contract asks for.
    pub verb: Verb,
    /// Why.
    pub reason: Reason,
    /// The contract's message, interpolated; a message of our own where it has none, and for
    /// [`Verb::Suppress`].
    pub message: String,
    /// For [`Reason::Undetermined`]: which field or value was missing or unreadable, in plain words.
    pub detail: Option<String>,
    /// Which events or changed conditions would let this event be accepted, as texts of the policy.
    pub accepted: Vec<String>,
    /// What the contract looked at: its conditions on this event, with the values that they saw.
    pub seen: Vec<Seen>,
    /// Calls in flight whose success would let this event be accepted: the tool, and the call's id in
    /// parentheses where it has one: `run_tests (c7)`.
    pub waiting_for: Vec<String>,
}

/// A condition as a contract saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The condition as the policy has it: a pattern, or a condition in braces.
    pub condition: String,
    /// Whether it holds; `None` where it is undefined or depends on what is still to come.
    pub holds: Option<bool>,
    /// What it compares and what that came to: arguments, facts, aggregates, lookups; `None` where there
    /// is no value. Times are texts.
    pub values: Vec<(String, Option<Value>)>,
}

/// The answer to a proposed event.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What happens: the strictest of what the objections ask for.
    pub verb: Verb,
    /// The objections in order of the library.
    pub objections: Vec<Objection>,
    /// For [`Verb::Redirect`]: the tool (server, name) and the arguments to call it with. For
    /// [`Verb::Repair`]: the same tool with the changed arguments.
    pub instead: Option<Instead>,
    /// For a refused event: a time from which on it would be accepted if nothing else happened (nanoseconds
    /// since the epoch), where waiting helps: a window frees, or a delay is over.
    pub free_at: Option<i64>,
    /// Where a repair was asked for: how many there are.
    pub repairs: Option<Repairs>,
}

/// How many changes of one argument's value would make a call compliant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repairs {
    /// How many were found, each confirmed by the session.
    pub found: u32,
    /// Whether there are more than can be listed: all numbers up to a bound.
    pub unbounded: bool,
    /// Whether none can have been overlooked.
    pub complete: bool,
}

impl Repairs {
    /// Whether there is exactly one, and that is proven.
    #[must_use]
    pub fn is_unique(self) -> bool {
        self.found == 1 && !self.unbounded && self.complete
    }
}

impl Decision {
    /// Nothing objects.
    pub(crate) fn allow() -> Self {
        Self {
            verb: Verb::Allow,
            objections: Vec::new(),
            instead: None,
            free_at: None,
            repairs: None,
        }
    }
}

/// The call to make instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Instead {
    /// The server, where known.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Value,
}

/// A violation of a contract by a recorded event, or at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Index of the contract in the library.
    pub contract: u32,
    /// The instance's key values.
    pub key: Vec<Value>,
    /// The event's number, from 0; `None` for an obligation that was pending from the start.
    pub event: Option<u64>,
    /// The id of the event's call, where it has one.
    pub id: Option<String>,
    /// Why.
    pub reason: Reason,
    /// The message.
    pub message: String,
    /// What was missing or unreadable, for [`Reason::Undetermined`].
    pub detail: Option<String>,
}

/// A contract's value on a finished session; ordered as in the paper (ContrAgent, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value3 {
    /// The assumption holds and the guarantee does not.
    Fail,
    /// Both hold.
    Active,
    /// The assumption does not hold.
    Idle,
}

impl Value3 {
    /// `FAIL`, `ACTIVE`, `IDLE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "FAIL",
            Self::Active => "ACTIVE",
            Self::Idle => "IDLE",
        }
    }
}

/// What a finished session comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The maximum over the contracts.
    pub environment: Value3,
    /// The minimum over the contracts.
    pub agent: Value3,
    /// One entry a contract, in order of the library.
    pub contracts: Vec<ContractOutcome>,
    /// How many events there were, those included that were left out (context updates are none).
    pub events: u64,
    /// How many recorded events were undetermined for some contract.
    pub undetermined: u64,
    /// The events at which the pairing of calls and returns was ambiguous.
    pub ambiguous: Vec<u64>,
}

/// What a contract comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct ContractOutcome {
    /// Its value.
    pub value: Value3,
    /// Its violations in order of the events, those at the end last; none where it is idle.
    pub violations: Vec<Violation>,
    /// How many violations there were beyond those listed, because of a limit
    /// ([`Limits::violations`](crate::limits::Limits)).
    pub untold: u64,
    /// Obligations open at the end (each also stands in `violations`).
    pub pending: Vec<Pending>,
    /// The event that broke the assumption, where one did.
    pub assumption: Option<Violation>,
}

/// An open obligation.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The instance's key values.
    pub key: Vec<Value>,
    /// The event at which it opened; `None`: from the start.
    pub event: Option<u64>,
    /// Which events would meet it, as texts of the policy.
    pub awaits: Vec<String>,
}
