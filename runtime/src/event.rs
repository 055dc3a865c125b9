//! Events as the host reports them.

use crate::value::Value;

pub use crate::format::model::Status;

/// What the host records with every event; what it does not know is `None` (undefined in
/// conditions).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meta<'a> {
    /// The agent that acts.
    pub agent: Option<&'a str>,
    /// The server of the tool.
    pub server: Option<&'a str>,
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub time: Option<i64>,
    /// The turn of the model.
    pub turn: Option<i64>,
    /// Delegation depth.
    pub depth: Option<i64>,
    /// Tokens.
    pub tokens: Option<i64>,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// What happened.
    pub kind: EventKind<'a>,
    /// What was recorded with it.
    pub meta: Meta<'a>,
}

/// The kinds of event (language reference, section 2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind<'a> {
    /// A call that the agent proposes.
    Call {
        /// The call's id, where recorded (an empty id is none).
        id: Option<&'a str>,
        /// The tool's name.
        tool: &'a str,
        /// Its arguments.
        args: &'a Value,
    },
    /// The return of a call.
    Return {
        /// The call's id.
        id: Option<&'a str>,
        /// The tool's name, where recorded.
        tool: Option<&'a str>,
        /// How it ended.
        status: Status,
        /// What came back.
        result: Option<&'a Value>,
        /// The failure's text.
        error: Option<&'a str>,
    },
    /// A message that reaches the agent.
    Input {
        /// Its text.
        text: &'a str,
    },
    /// A message that the model writes.
    Output {
        /// Its text.
        text: &'a str,
    },
    /// A declared event.
    Declared {
        /// Its name.
        name: &'a str,
        /// Its fields: a record.
        fields: &'a Value,
    },
}
