//! Cases that people who guard agents have reported, as policies and sessions: each file of
//! `cases/` is a kind of fault with several inputs. The format is that of the conformance cases.

use std::path::Path;

#[test]
fn reported_cases() {
    ctr_tests::cases::run_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"));
}
