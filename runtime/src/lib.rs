//! Judges agent sessions against a compiled contract library.
//!
//! The crate reads the artifact that `ctrc build` writes ([`format`]) and knows nothing of the
//! contract language: names, types and formulas have become tables by then. It is `no_std` with
//! `alloc`, has no `unsafe`, and does no input or output: time, lookups and events come from the host.
//!
//! ```
//! use ctr_runtime::decision::Verb;
//! use ctr_runtime::event::{Event, EventKind, Meta, Status};
//! use ctr_runtime::format::Library;
//! use ctr_runtime::json;
//! use ctr_runtime::session::Session;
//!
//! // What `ctrc build` wrote; here: guarantee call pay only if amount <= 100
//! let bytes = ctr_runtime::doc::artifact();
//! let library = Library::load(bytes.as_slice())?;
//! let mut session = Session::new(&library);
//!
//! // Before a call runs it is proposed.
//! let args = json::parse(r#"{"amount": 20}"#)?;
//! let call = Event {
//!     kind: EventKind::Call { id: Some("c1"), tool: "pay", args: &args },
//!     meta: Meta { time: Some(1_700_000_000_000_000_000), ..Meta::default() },
//! };
//! let decision = session.propose(&call, &mut ())?;
//! assert_eq!(decision.verb, Verb::Allow);
//! session.commit(&call, &mut ())?;
//!
//! // When it has run its return is recorded.
//! let done = Event {
//!     kind: EventKind::Return {
//!         id: Some("c1"),
//!         tool: None,
//!         status: Status::Success,
//!         result: None,
//!         error: None,
//!     },
//!     meta: Meta::default(),
//! };
//! session.commit(&done, &mut ())?;
//!
//! // A refusal says why.
//! let args = json::parse(r#"{"amount": 150}"#)?;
//! let call = Event {
//!     kind: EventKind::Call { id: Some("c2"), tool: "pay", args: &args },
//!     meta: Meta::default(),
//! };
//! let decision = session.propose(&call, &mut ())?;
//! assert_eq!(decision.verb, Verb::Block);
//! let objection = &decision.objections[0];
//! assert_eq!(library.contract(objection.contract).name(), "pay_limit");
//! assert_eq!(objection.message, "Pay at most 100.");
//! assert_eq!(objection.accepted, ["amount <= 100"]);
//! session.skip(&call, &mut ())?;
//!
//! // A session can be put away, and the verdicts asked for at any time.
//! let saved = session.save();
//! let session = Session::restore(&library, &saved)?;
//! assert_eq!(session.finish().agent.name(), "ACTIVE");
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`session::Session::allowed`] and [`session::Session::schema`] tell what would be accepted before
//! anything is proposed; [`wire`] has all of it as JSON, and the crate `ctr-runtime-c` a C interface.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod address;
#[cfg(any(feature = "small", test))]
mod case;
#[cfg(test)]
mod chance;
pub mod decimal;
pub mod decision;
#[doc(hidden)]
pub mod doc;
pub mod eval;
pub mod event;
pub mod format;
pub mod json;
pub mod like;
pub mod limits;
#[cfg(any(feature = "small", test))]
mod map;
mod order;
pub mod path;
mod recycle;
pub mod regex;
pub mod registers;
pub mod session;
mod table;
pub mod text;
pub mod time;
pub mod value;
pub mod wire;
