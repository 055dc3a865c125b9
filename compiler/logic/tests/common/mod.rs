//! What the tests share: formulas as plain trees, their meaning by the definitions alone, random ones,
//! and automata with explicit letters.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub mod evaluate;
pub mod explicit;
pub mod random;
pub mod tree;

pub use evaluate::Trace;
pub use explicit::{Table, accepts, run};
pub use random::{Random, all_traces};
pub use tree::{NAMES, Tree, all_trees};
