//! Judges agent sessions against a compiled contract library.
//!
//! The crate reads the artifact that `ctrc build` writes ([`format`]) and knows nothing of the
//! contract language: names, types and formulas have become tables by then. It is `no_std` with
//! `alloc`, has no `unsafe`, and does no input or output: time, lookups and events come from the host.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

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
pub mod path;
pub mod regex;
pub mod registers;
pub mod session;
pub mod text;
pub mod time;
pub mod value;
pub mod wire;
