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

/// How long a check goes on that is ended from another thread after a moment; `None` where it was over by then.
fn cancelled_after(policy: &str, moment: Duration) -> Option<Duration> {
    let world = ctr_front::world::MemoryWorld::new().with("p.ctr", policy);
    let compiled = ctr_project::compiled::compile(&world, &["p.ctr".to_owned()], 20_000);
    let (library, artifact) = compiled.built.expect("a policy without errors");
    let cancel = ctr_check::Cancel::new();
    let options = ctr_check::Options {
        timeout: Duration::from_secs(60),
        cancel: cancel.clone(),
        ..ctr_check::Options::default()
    };
    std::thread::scope(|scope| {
        let work = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, || {
                let report = ctr_check::check(&library, &artifact.model, &artifact.bytes, &options);
                (report.is_ok(), Instant::now())
            })
            .unwrap();
        std::thread::sleep(moment);
        let is_over = work.is_finished();
        let start = Instant::now();
        cancel.cancel();
        let (is_ok, end) = work.join().unwrap();
        assert!(is_ok);
        (!is_over).then(|| end.saturating_duration_since(start))
    })
}

/// Three sums of as many zeros and ones that each come to a half: a question that solvers of linear arithmetic find hard
/// (Cornuejols and Dawande, A class of hard small 0-1 programs).
fn market_split(unknowns: u64) -> String {
    let each = |what: &dyn Fn(u64) -> String, between: &str| {
        let all: Vec<String> = (0..unknowns).map(what).collect();
        all.join(between)
    };
    let weight = |row: u64, i: u64| (row * 7 + 13) * (i * i + 3 * i + row + 1) % 97 + 1;
    let mut conditions = vec![each(&|i| format!("x{i} >= 0 and x{i} <= 1"), " and ")];
    for row in 0..3 {
        let sum: u64 = (0..unknowns).map(|i| weight(row, i)).sum();
        let terms = each(&|i| format!("{} * x{i}", weight(row, i)), " + ");
        conditions.push(format!("{terms} == {}", sum / 2));
    }
    format!(
        "tool t({})\ncontract c {{ guarantee eventually call t({}) }}\n",
        each(&|i| format!("x{i}: int"), ", "),
        conditions.join(" and ")
    )
}

#[test]
fn a_check_that_is_ended_ends_at_once() {
    // One that is at work on automata, and one on a question that Z3 has no answer to.
    let mut automata = chain(600);
    automata.push_str("contract p1 { guarantee eventually call t0 }\n");
    automata.push_str("contract p2 { guarantee never call t3 }\n");
    let solver = market_split(24);
    for policy in [automata, solver] {
        // What a machine is done with in the first moment it is at work on in a shorter one.
        let took = [700, 300, 100, 30]
            .into_iter()
            .find_map(|moment| cancelled_after(&policy, Duration::from_millis(moment)));
        let took = took.expect("nothing was left to end");
        assert!(took < Duration::from_secs(5), "{took:?}: {policy}");
    }
}
