//! Five rules, written by hand in Rust and as a policy: the same run, the same events.

use std::hint::black_box;
use std::sync::Arc;

use ctr_bench::five::{Checker, POLICY, sessions};
use ctr_bench::measure::{Table, each, fastest, in_earnest};
use ctr_bench::sessions::events;
use ctr_bench::{Failure, library};
use ctr_runtime::decision::Verb;
use ctr_runtime::event::Event;
use ctr_runtime::session::{Plan, Session, gate};

/// How many sessions there are.
const SESSIONS: usize = 400;
/// What they are made from.
const SEED: u64 = 20_261_130;

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn main() -> Result<(), Failure> {
    let runs = if in_earnest() { 60 } else { 1 };
    let recordings = sessions(SESSIONS, SEED);
    let parsed: Vec<Vec<Event<'_>>> = recordings
        .iter()
        .map(|recording| events(recording).map(|event| event.as_event()).collect())
        .collect();
    let count = parsed.iter().map(Vec::len).sum();
    let library = library(POLICY)?;
    let plan = Arc::new(Plan::new(&library));

    let by_hand = || {
        let mut refused = 0_usize;
        for events in &parsed {
            let mut checker = Checker::default();
            for event in events {
                refused += usize::from(checker.gate(black_box(event)).is_err());
            }
            refused += usize::from(checker.finish().is_err());
        }
        refused
    };
    let by_policy = || {
        let mut refused = 0_usize;
        for events in &parsed {
            let mut session = Session::with_plan(&library, Arc::clone(&plan));
            for event in events {
                let gated = gate(&mut session, black_box(event), &mut ());
                refused += usize::from(gated.is_ok_and(|g| g.decision.verb != Verb::Allow));
            }
        }
        refused
    };
    // One after the other in each round, so that both meet the same noise.
    let (mut hand, mut policy) = (std::time::Duration::MAX, std::time::Duration::MAX);
    for _ in 0..runs {
        hand = hand.min(fastest(1, by_hand));
        policy = policy.min(fastest(1, by_policy));
    }
    let mut recorded = std::time::Duration::MAX;
    let mut replay = || {
        for events in &parsed {
            let mut session = Session::with_plan(&library, Arc::clone(&plan));
            for event in events {
                black_box(session.record(black_box(event), &mut ()).is_ok());
            }
        }
    };
    for _ in 0..runs {
        recorded = recorded.min(fastest(1, &mut replay));
    }

    // The same without what a session costs once, on one endless session that breaks no rule.
    let mut table = Table::new("five rules", &["what", "ns an event", "times by hand"]);
    for (what, time) in [
        ("by hand", hand),
        ("gated by the policy", policy),
        ("recorded against the policy", recorded),
    ] {
        table.row(vec![
            what.to_owned(),
            format!("{:.1}", each(time, count)),
            format!("{:.2}", time.as_secs_f64() / hand.as_secs_f64()),
        ]);
    }
    println!("{SESSIONS} sessions, {count} events");
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    Ok(())
}
