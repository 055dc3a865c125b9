//! `ctrc check` keeps its time limit where a question is large.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use ctr_tests::binary::run;

#[test]
fn a_chain_of_hundreds_in_conflict_ends_in_time() {
    let mut policy = String::new();
    for i in 0..300 {
        let next = i + 1;
        let _ = writeln!(
            policy,
            "contract a{i} {{ guarantee call t{i} only after success t{next} }}"
        );
    }
    policy.push_str("contract p1 { guarantee eventually call t0 }\n");
    policy.push_str("contract p2 { guarantee never call t3 }\n");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("chain.ctr"), policy).unwrap();
    let args = ["check", "--solver-timeout", "1", "chain.ctr"].map(str::to_owned);
    // Far above the limit: what is told of here is work that never looks at it.
    let run = run(folder.path(), &args, None, Duration::from_secs(60));
    assert!(
        matches!(run.code, Some(1 | 4)),
        "{:?}: {}",
        run.code,
        run.stderr
    );
}
