//! The conformance cases: each file of `conformance/` is a policy, a session and its verdict.

use std::path::Path;

#[test]
fn conformance_cases() {
    ctr_tests::cases::run_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance"));
}
