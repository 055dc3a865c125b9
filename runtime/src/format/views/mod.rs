//! The records of an artifact as small `Copy` values, decoded when asked for; nothing is allocated.
//!
//! They mirror the types of [`model`](super::model), with [`Ids`] and the like in place of vectors.

mod automaton;
mod contract;
mod expr;
mod lists;
mod tables;

pub use automaton::AutomatonRef;
pub use contract::{ActionRef, ClauseRef, ContractRef, DeadlineRef, MessagePartRef, RedirectArgs};
pub use expr::{ConstRef, ExprRef};
pub(super) use expr::{decode_root, number_words};
pub use lists::{Ids, StepRef, Steps, Texts};
pub use tables::{
    AtomRef, DeclaredRef, LookupRef, PatternRef, RegisterRef, SourceRef, ToolRef, ToolsRef,
};

pub(super) const fn join(low: u32, high: u32) -> i64 {
    (low as u64 | (high as u64) << 32).cast_signed()
}

pub(super) const fn low_byte(word: u32) -> u8 {
    word as u8
}

pub(super) const fn second_byte(word: u32) -> u32 {
    (word >> 8) & 0xff
}

pub(super) const fn optional(word: u32) -> Option<u32> {
    word.checked_sub(1)
}
