//! Events that own their data, between a reader and the runtime.

use std::ops::{Deref, DerefMut};

use ctr_runtime::value::Value;

pub use ctr_runtime::wire::{OwnedEvent, OwnedKind};

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
    Event(Traced),
}

/// An event of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// The event.
    pub event: OwnedEvent,
    /// The line or message that it came from, from 1.
    pub line: usize,
}

impl Traced {
    /// An event with nothing recorded but what happened.
    #[must_use]
    pub fn new(kind: OwnedKind, line: usize) -> Self {
        Self {
            event: OwnedEvent::new(kind),
            line,
        }
    }
}

impl Deref for Traced {
    type Target = OwnedEvent;

    fn deref(&self) -> &OwnedEvent {
        &self.event
    }
}

impl DerefMut for Traced {
    fn deref_mut(&mut self) -> &mut OwnedEvent {
        &mut self.event
    }
}
