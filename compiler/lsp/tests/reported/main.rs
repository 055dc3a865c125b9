//! Faults that people reported of other language servers, tried on this one.
//!
//! | reported | here |
//! | --- | --- |
//! | nickel PR#451, #2125; rust-analyzer#14048: requests before the first parse, past the end, before `initialized`, after `shutdown` | `protocol`; `typing` asks at 0:0, at 999:0 and past each line's end from the empty text on |
//! | regal#629, #627, PR#569, PR#631; lambdapi#343, #1169: `%20`, `%3A`, `#`, `+`, other schemes, two spellings | `addresses` |
//! | ruff#11674, #11510; harper#382: untitled buffers, `git:` twins | `addresses` |
//! | regal#1501, biome#8760, #10778, nickel PR#2357, PR#2093, PR#1397: crashes and loops on text being typed | `typing` |
//!
//! Everything that the server announces is asked at each step of `typing`, so that a new feature is tried as soon as it
//! is announced. A sample runs with the other tests; `CTRC_MONKEY=all` tries all of it (minutes), with
//! each letter of the examples as a step; with `CTRC_MONKEY=whole` each letter of all texts is one.
//! `CTRC_MONKEY_SEED` chooses another sample, `CTRC_MONKEY_ONLY` files with this in their path.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    missing_docs,
    reason = "tests"
)]

mod addresses;
mod capabilities;
mod client;
mod desk;
mod judge;
mod protocol;
mod rename;
mod session;
mod text;
mod texts;
mod twins;
mod typing;
