//! Reached limits: what a session with room for everything refuses, one at a limit refuses too.

use crate::compare::{Owners, artifact, context, event, load};
use crate::saved::{library, lines};
use ctr_runtime::decision::{Reason, Value3, Verb};
use ctr_runtime::limits::Limits;
use ctr_runtime::session::Session;
use ctr_tests::oracle::check::policy;
use ctr_tests::oracle::generate::clock;
use ctr_tests::rng::{Rng, count, seed};

/// Sets one limit so low that sessions of a few events reach it.
fn lower(limits: &mut Limits, which: usize, to: usize) {
    match which {
        0 => limits.keys = to,
        1 => limits.key_bytes = 70 * to,
        2 => limits.window = to,
        3 => limits.values = to,
        4 => limits.text = 10 * to,
        5 => limits.remembered = 100 * to,
        6 => limits.open_calls = to,
        7 => limits.open_bytes = 200 * to,
        8 => limits.triggers = to,
        9 => limits.violations = to,
        10 => limits.violation_bytes = 100 * to,
        _ => limits.work = 6 * to as u64 + 3,
    }
}
const LIMITS: usize = 12;

/// Policies that remember much: for each limit on what is remembered some that reach it.
const HOARDERS: [&str; 12] = [
    "contract CC { guarantee call ta only if count(call any within 20s) <= 4 }",
    "contract CC { guarantee call ta only if (sum(earlier call any within 20s, args.n) ?? 0) <= 6 }",
    "contract CC { guarantee call ta only if (max(earlier call tb within 6s, args.n) ?? 0) <= 2 }",
    "contract CC { guarantee call tb only if not mentioned(earlier call ta, k) }",
    "contract CC { guarantee call tb only if not mentioned(earlier call ta within 9s, text(n)) }",
    "contract CC { guarantee call tb only if n not in values(earlier call ta, args.n) }",
    "contract CC { guarantee call tb only if len(values(call any within 9s, args.n)) <= 2 }",
    "contract CC { guarantee call ta leads to call tb within 2s }",
    "contract CC for each key { guarantee call ta(k == key) leads to call tb(k == key) within 2s }",
    "contract CC for each key { guarantee call ta(k == key) only if count(call ta(k == key) within 20s) <= 1 }",
    "contract CC for each key { guarantee call ta(k == key) leads to success tb within 3s\n guarantee call tb(k == key) at most 2 times }",
    "contract CC for each key { guarantee never call ta(k == key) after call tb(k == key) }",
];

#[test]
fn no_limit_lets_a_violation_pass() {
    let seed = seed(77_005);
    let mut rng = Rng::new(seed);
    // For each limit: proposals that it made stricter, and violations that both see.
    let mut stricter = [0; LIMITS];
    let mut failed = 0;
    for round in 0..count(480) as usize {
        let mut text = match rng.chance(50) {
            true => library(&mut rng),
            false => policy(&[]),
        };
        for n in 0..2 {
            text += &rng.pick(&HOARDERS).replace("CC", &format!("hoard{n}"));
            text += "\n";
        }
        let bytes = artifact(&text);
        let library = load(&bytes);
        let mut all = lines(&mut rng);
        let more = lines(&mut rng);
        all.lines.extend(more.lines);
        clock(&mut rng, &mut all);
        let which = round % LIMITS;
        let mut limits = Limits::default();
        lower(&mut limits, which, rng.below(3));
        let (mut wide, mut tight) = (Session::new(&library), Session::new(&library));
        tight.set_limits(limits);
        let about = || format!("seed {seed}, {limits:?}\n{text}{}", all.text());
        // An event that a limit makes undetermined fails the contract, which goes on as if it had not been.
        let mut apart = vec![false; library.contract_count() as usize];
        let mut refused = false;
        for (n, line) in all.lines.iter().enumerate() {
            if let Some(fields) = context(line) {
                wide.set_context(&fields);
                tight.set_context(&fields);
            }
            event(line, all.times.get(n).copied(), |event| {
                let Ok(free) = wide.propose(event, &mut Owners) else {
                    return;
                };
                let Ok(bound) = tight.propose(event, &mut Owners) else {
                    // Neither allowed nor recorded.
                    stricter[which] += 1;
                    refused = true;
                    return;
                };
                for objection in &free.objections {
                    let same = bound
                        .objections
                        .iter()
                        .any(|o| o.contract == objection.contract);
                    assert!(
                        same || apart[objection.contract as usize],
                        "step {n}: {objection:?}\n{bound:?}\n{}",
                        about()
                    );
                }
                stricter[which] += usize::from(bound.verb < free.verb && bound.verb < Verb::Warn);
                let Ok(report) = tight.record(event, &mut Owners) else {
                    refused = true;
                    return;
                };
                let seen = wide.record(event, &mut Owners).unwrap();
                for v in report
                    .violations
                    .iter()
                    .filter(|v| v.reason == Reason::Undetermined)
                {
                    apart[v.contract as usize] |= !seen.violations.contains(v);
                }
                for v in report.assumptions {
                    apart[v.contract as usize] |= v.reason == Reason::Undetermined;
                }
            });
            if refused {
                // From here on they have seen different events.
                return_to(&wide, &tight, &about, &mut failed);
                break;
            }
        }
        if !refused {
            return_to(&wide, &tight, &about, &mut failed);
        }
    }
    eprintln!("{stricter:?} {failed}");
    assert!(failed > 100);
    // Violations have no bound on what is decided, only on what is kept of them.
    let reached = (0..LIMITS).filter(|n| stricter[*n] > 0).count();
    assert!(reached >= 7, "{stricter:?}");
}

/// What has failed without a limit has failed with it.
fn return_to(
    wide: &Session<'_>,
    tight: &Session<'_>,
    about: &dyn Fn() -> String,
    failed: &mut usize,
) {
    let (free, bound) = (wide.finish(), tight.finish());
    for (n, (free, bound)) in free.contracts.iter().zip(&bound.contracts).enumerate() {
        if free.value == Value3::Fail {
            *failed += 1;
            assert_eq!(
                bound.value,
                Value3::Fail,
                "contract {n}: {free:?}\n{bound:?}\n{}",
                about()
            );
        }
    }
}
