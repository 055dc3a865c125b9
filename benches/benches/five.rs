//! Five rules, written by hand in Rust and as a policy: the same run, the same events.
//!
//! Two ways to take them: *in cache*, each session again and again, as a host judges events that it has just
//! read; and *in memory*, all sessions one after the other, which together are larger than the caches, so that
//! most of the time goes by until memory gives an event's parts. With all events, and without those that
//! are refused: a refusal by the policy explains itself, one by hand does not.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ctr_bench::five::{Checker, POLICY, sessions};
use ctr_bench::measure::{Table, each, in_earnest};
use ctr_bench::sessions::events;
use ctr_bench::{Failure, library};
use ctr_runtime::decision::Verb;
use ctr_runtime::event::Event;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Session, gate};

/// How many sessions there are.
const SESSIONS: usize = 400;
/// What they are made from.
const SEED: u64 = 20_261_130;
/// How often a session is repeated, so that its events lie in the cache.
const AGAIN: usize = 10;

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judge {
    ByHand,
    Gated,
    Recorded,
}

const JUDGES: [Judge; 3] = [Judge::ByHand, Judge::Gated, Judge::Recorded];

impl Judge {
    fn name(self) -> &'static str {
        match self {
            Self::ByHand => "by hand",
            Self::Gated => "gated by the policy",
            Self::Recorded => "recorded against the policy",
        }
    }

    /// Judges a session from its start; how many events were refused, or were none.
    fn judge(self, library: &Library<'_>, plan: &Arc<Plan>, events: &[Event<'_>]) -> usize {
        let mut refused = 0;
        match self {
            Self::ByHand => {
                let mut checker = Checker::default();
                for event in events {
                    refused += usize::from(checker.gate(black_box(event)).is_err());
                }
                refused += usize::from(checker.finish().is_err());
            }
            Self::Gated => {
                let mut session = Session::with_plan(library, Arc::clone(plan));
                for event in events {
                    let gated = gate(&mut session, black_box(event), &mut ());
                    let allowed = gated
                        .as_ref()
                        .is_ok_and(|gated| gated.decision.verb == Verb::Allow);
                    refused += usize::from(!allowed);
                }
            }
            Self::Recorded => {
                let mut session = Session::with_plan(library, Arc::clone(plan));
                for event in events {
                    let report = session.record(black_box(event), &mut ());
                    refused += usize::from(report.is_err());
                }
            }
        }
        refused
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn main() -> Result<(), Failure> {
    // `CTRC_BENCH_FIVE=gated` judges all sessions so once and in no other way: for tools that count instructions.
    let runs = if in_earnest() { 40 } else { 1 };
    let recordings = sessions(SESSIONS, SEED);
    let all: Vec<Vec<Event<'_>>> = recordings
        .iter()
        .map(|recording| events(recording).map(|event| event.as_event()).collect())
        .collect();
    let library = library(POLICY)?;
    let plan = Arc::new(Plan::new(&library));
    let allowed: Vec<Vec<Event<'_>>> = all
        .iter()
        .map(|events| allowed(&library, &plan, events))
        .collect();
    if let Ok(only) = std::env::var("CTRC_BENCH_FIVE") {
        let (what, sessions) = match only.strip_suffix("-allowed") {
            Some(what) => (what, &allowed),
            None => (only.as_str(), &all),
        };
        let judge = match what {
            "hand" => Judge::ByHand,
            "gated" => Judge::Gated,
            "recorded" => Judge::Recorded,
            _ => return Err(format!("CTRC_BENCH_FIVE={only}").into()),
        };
        let count: usize = sessions.iter().map(Vec::len).sum();
        for events in sessions {
            black_box(judge.judge(&library, &plan, events));
        }
        println!("{only}: {count} events");
        return Ok(());
    }
    let mut table = Table::new(
        "five rules",
        &["events", "where", "what", "ns an event", "times by hand"],
    );
    for (what, sessions) in [("all", &all), ("allowed", &allowed)] {
        let count = sessions.iter().map(Vec::len).sum();
        let warm = in_cache(&library, &plan, sessions, runs);
        let cold = in_memory(&library, &plan, sessions, runs);
        for (place, times) in [("in cache", warm), ("in memory", cold)] {
            for (judge, time) in JUDGES.into_iter().zip(times) {
                let [hand, ..] = times;
                table.row(vec![
                    what.to_owned(),
                    place.to_owned(),
                    judge.name().to_owned(),
                    format!("{:.1}", each(time, count)),
                    format!("{:.2}", time.as_secs_f64() / hand.as_secs_f64()),
                ]);
            }
        }
        println!("{SESSIONS} sessions, {count} events ({what})");
    }
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    Ok(())
}

/// The events of a session that the gate lets through.
fn allowed<'e>(library: &Library<'_>, plan: &Arc<Plan>, events: &[Event<'e>]) -> Vec<Event<'e>> {
    let mut session = Session::with_plan(library, Arc::clone(plan));
    events
        .iter()
        .filter(|event| gate(&mut session, event, &mut ()).is_ok_and(|gated| gated.recorded))
        .copied()
        .collect()
}

/// Each session again and again: the sum of the fastest times, one repetition each. The times are
/// so short that other work on the machine leaves some of them alone.
fn in_cache(
    library: &Library<'_>,
    plan: &Arc<Plan>,
    sessions: &[Vec<Event<'_>>],
    runs: usize,
) -> [Duration; 3] {
    let mut sums = [Duration::ZERO; 3];
    for events in sessions {
        let mut fastest = [Duration::MAX; 3];
        for _ in 0..runs {
            // One after the other in each round, so that all meet the same noise.
            for (judge, fastest) in JUDGES.into_iter().zip(&mut fastest) {
                let start = Instant::now();
                for _ in 0..AGAIN {
                    black_box(judge.judge(library, plan, events));
                }
                *fastest = (*fastest).min(start.elapsed());
            }
        }
        for (sum, fastest) in sums.iter_mut().zip(fastest) {
            *sum += fastest;
        }
    }
    sums.map(|sum| sum / AGAIN as u32)
}

/// All sessions one after the other, so many times: the sum of the fastest times of each.
fn in_memory(
    library: &Library<'_>,
    plan: &Arc<Plan>,
    sessions: &[Vec<Event<'_>>],
    runs: usize,
) -> [Duration; 3] {
    let mut fastest = vec![[Duration::MAX; 3]; sessions.len()];
    for _ in 0..runs {
        for (n, judge) in JUDGES.into_iter().enumerate() {
            for (events, fastest) in sessions.iter().zip(&mut fastest) {
                let start = Instant::now();
                black_box(judge.judge(library, plan, events));
                let time = start.elapsed();
                if let Some(fastest) = fastest.get_mut(n) {
                    *fastest = time.min(*fastest);
                }
            }
        }
    }
    let mut sums = [Duration::ZERO; 3];
    for session in fastest {
        for (sum, fastest) in sums.iter_mut().zip(session) {
            *sum += fastest;
        }
    }
    sums
}
