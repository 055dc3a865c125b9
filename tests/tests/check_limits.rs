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
use std::time::{Duration, Instant};

use ctr_tests::binary::run;

/// Checks a policy with a limit of a second, and gives the code and the seconds of the whole process.
fn limited(policy: &str) -> (Option<i32>, f64) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.ctr"), policy).unwrap();
    let args = ["check", "--solver-timeout", "1", "p.ctr"].map(str::to_owned);
    let start = Instant::now();
    // Far above the limit: what is told of here is work that never looks at it.
    let run = run(folder.path(), &args, None, Duration::from_secs(60));
    assert!(
        matches!(run.code, Some(0 | 1 | 4)),
        "{:?}: {}",
        run.code,
        run.stderr
    );
    (run.code, start.elapsed().as_secs_f64())
}

/// The most seconds of a process with a limit of one. On a quiet machine it takes 2 in this build; others build at the
/// same time where tests run.
const SLACK: f64 = 12.0;

fn chain(links: usize) -> String {
    let mut policy = String::new();
    for i in 0..links {
        let next = i + 1;
        let _ = writeln!(
            policy,
            "contract a{i} {{ guarantee call t{i} only after success t{next} }}"
        );
    }
    policy
}

#[test]
fn a_chain_of_hundreds_in_conflict_ends_in_time() {
    let mut policy = chain(300);
    policy.push_str("contract p1 { guarantee eventually call t0 }\n");
    policy.push_str("contract p2 { guarantee never call t3 }\n");
    let (_, seconds) = limited(&policy);
    assert!(seconds < SLACK, "{seconds} s");
}

#[test]
fn a_chain_of_hundreds_ends_in_time() {
    let (_, seconds) = limited(&chain(300));
    assert!(seconds < SLACK, "{seconds} s");
}

#[test]
fn hundreds_of_keyed_contracts_on_one_tool_end_in_time() {
    let mut policy = String::new();
    for i in 0..300 {
        let _ = writeln!(
            policy,
            "contract a{i} for each id {{ guarantee call ship(order == id) only after success p{i}(args.order == id) }}"
        );
    }
    policy.push_str("contract p1 { guarantee eventually call ship }\n");
    policy.push_str("contract p2 { guarantee never call p7 }\n");
    let (_, seconds) = limited(&policy);
    assert!(seconds < SLACK, "{seconds} s");
}

#[test]
fn a_conflict_among_preconditions_is_found_at_once() {
    let mut policy = String::new();
    for i in 0..100 {
        let _ = writeln!(
            policy,
            "contract a{i} {{ guarantee call t only after success p{i} }}"
        );
    }
    policy.push_str("contract q1 { guarantee eventually call t }\n");
    policy.push_str("contract q2 { guarantee never call p50 }\n");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.ctr"), policy).unwrap();
    let args = ["check", "p.ctr"].map(str::to_owned);
    let run = run(folder.path(), &args, None, Duration::from_secs(60));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("no session keeps `a50`, `q1` and `q2` together"),
        "{}",
        run.stderr
    );
}

/// What is remembered of a session does not grow with the contracts that it does not touch: 4,000 contracts
/// that share no event took 5 GB.
#[cfg(unix)]
#[test]
fn unrelated_contracts_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let policy: String = (0..4000)
        .map(|i| format!("contract c{i} {{ guarantee never call t{i} }}\n"))
        .collect();
    fs::write(folder.path().join("p.ctr"), policy).unwrap();
    let limited = "ulimit -v 2000000; exec \"$0\" check --solver-timeout 3 p.ctr";
    let run = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(ctr_tests::binary::ctrc())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(
        matches!(run.status.code(), Some(0 | 4)),
        "{:?}: {told}",
        run.status
    );
}
