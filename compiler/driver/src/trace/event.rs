//! Events that own their data, between a reader and the runtime.

use ctr_runtime::event::{Event, EventKind, Meta, Status};
use ctr_runtime::value::Value;

/// A step of a recorded session.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Facts that the host supplied.
    Context(Value),
    /// An answer that the host gave to a lookup, valid from here on.
    Lookup {
        /// The lookup.
        name: String,
        /// Its arguments.
        args: Vec<Value>,
        /// The answer.
        value: Value,
    },
    /// An event.
    Event(OwnedEvent),
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedEvent {
    /// What happened.
    pub kind: OwnedKind,
    /// `event.agent`
    pub agent: Option<String>,
    /// `event.server`
    pub server: Option<String>,
    /// Nanoseconds since the epoch.
    pub time: Option<i64>,
    /// `event.turn`
    pub turn: Option<i64>,
    /// `event.depth`
    pub depth: Option<i64>,
    /// `event.tokens`
    pub tokens: Option<i64>,
    /// The line or message that it came from, from 1.
    pub line: usize,
}

/// The kinds of event.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "as in ctr_runtime::event::EventKind")]
pub enum OwnedKind {
    Call {
        id: Option<String>,
        tool: String,
        args: Value,
    },
    Return {
        id: Option<String>,
        tool: Option<String>,
        status: Status,
        result: Option<Value>,
        error: Option<String>,
    },
    Input {
        text: String,
    },
    Output {
        text: String,
    },
    Declared {
        name: String,
        fields: Value,
    },
}

impl OwnedEvent {
    /// An event with nothing recorded but what happened.
    #[must_use]
    pub fn new(kind: OwnedKind, line: usize) -> Self {
        Self {
            kind,
            agent: None,
            server: None,
            time: None,
            turn: None,
            depth: None,
            tokens: None,
            line,
        }
    }

    /// The id of the call that it is or answers.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match &self.kind {
            OwnedKind::Call { id, .. } | OwnedKind::Return { id, .. } => id.as_deref(),
            _ => None,
        }
    }

    /// As the runtime takes it.
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        let kind = match &self.kind {
            OwnedKind::Call { id, tool, args } => EventKind::Call {
                id: id.as_deref(),
                tool,
                args,
            },
            OwnedKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => EventKind::Return {
                id: id.as_deref(),
                tool: tool.as_deref(),
                status: *status,
                result: result.as_ref(),
                error: error.as_deref(),
            },
            OwnedKind::Input { text } => EventKind::Input { text },
            OwnedKind::Output { text } => EventKind::Output { text },
            OwnedKind::Declared { name, fields } => EventKind::Declared { name, fields },
        };
        Event {
            kind,
            meta: Meta {
                agent: self.agent.as_deref(),
                server: self.server.as_deref(),
                time: self.time,
                turn: self.turn,
                depth: self.depth,
                tokens: self.tokens,
            },
        }
    }
}
