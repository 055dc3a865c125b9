//! Tests of the whole crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod errors;
mod expected;
mod formatting;
mod robust;
mod sexpr;
mod tree;

/// The files of the language reference, and one for each of its parts.
pub(crate) const FIXTURES: &[(&str, &str)] = &[
    (
        "refund_desk",
        include_str!("../../tests/fixtures/refund_desk.ctr"),
    ),
    (
        "refund_test",
        include_str!("../../tests/fixtures/refund_test.ctr"),
    ),
    ("forms", include_str!("../../tests/fixtures/forms.ctr")),
    (
        "conditions",
        include_str!("../../tests/fixtures/conditions.ctr"),
    ),
    ("tests", include_str!("../../tests/fixtures/tests.ctr")),
    ("paper", include_str!("../../tests/fixtures/paper.ctr")),
];
