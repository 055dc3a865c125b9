//! The artifact: what the compiler writes and the runtime reads (`.ctrb`).
//!
//! [`model`] says what an artifact says, [`encode`](encode()) writes it, [`Library::load`] validates
//! it completely and reads it in place through the [`views`]; [`decode`](decode()) is the way back to
//! the model.

mod checksum;
mod decode;
mod encode;
mod error;
mod index;
mod layout;
mod library;
pub mod model;
mod validate;
pub mod views;

pub(crate) use checksum::xxh64;
pub use decode::decode;
pub use encode::{EncodeError, encode};
pub use error::LoadError;
pub use index::{Dispatch, KindClass};
pub use library::Library;
pub use validate::{MAX_DEPTH, MAX_SIZE};
pub use views::{
    ActionRef, AtomRef, AutomatonRef, ClauseRef, ConstRef, ContractRef, DeadlineRef, DeclaredRef,
    ExprRef, Ids, LookupRef, MessagePartRef, PatternRef, RedirectArgs, RegisterRef, SourceRef,
    StepRef, Steps, Texts, ToolRef, ToolsRef,
};
