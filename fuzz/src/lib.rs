//! What must hold of any input: each function panics where it does not.
//!
//! The fuzz targets call them with what the fuzzer makes up, and the tests of the workspace
//! (`tests/tests/fuzzed.rs`, which includes these files) with seeds, kept findings and small changes
//! of both.

pub mod inputs;
pub mod layouts;
pub mod random;
pub mod texts;
