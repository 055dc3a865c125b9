//! Allocations of an event, by phase, on the sessions of `events`.

use std::alloc::System;
use std::collections::BTreeMap;
use std::sync::Arc;

use ctr_bench::measure::Table;
use ctr_bench::{Failure, retail, sessions};
use ctr_runtime::decision::Verb;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Session, gate};
use ctr_trace::OwnedKind;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[derive(Default)]
struct Sum {
    events: usize,
    allocations: usize,
    bytes: usize,
    none: usize,
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
#[expect(
    clippy::cast_precision_loss,
    reason = "figures are printed with one digit"
)]
fn main() -> Result<(), Failure> {
    let library = Library::load(retail()?)?;
    let plan = Arc::new(Plan::new(&library));
    let (_, sessions) = sessions::all(&library)?;
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    let mut count = |phase, kind, region: &Region<'_, System>| {
        let change = region.change();
        for kind in [kind, "all"] {
            let sum = sums.entry((phase, kind)).or_default();
            sum.events += 1;
            let made = change.allocations + change.reallocations;
            sum.allocations += made;
            sum.bytes += change.bytes_allocated;
            sum.none += usize::from(made == 0);
        }
    };
    for recording in &sessions {
        let region = Region::new(ALLOCATOR);
        let mut online = Session::with_plan(&library, Arc::clone(&plan));
        count("new session", "session", &region);
        let mut recorded = Session::with_plan(&library, Arc::clone(&plan));
        let mut gated = Session::with_plan(&library, Arc::clone(&plan));
        for event in sessions::events(recording) {
            let kind = match &event.kind {
                OwnedKind::Call { .. } => "call",
                OwnedKind::Return { .. } => "return",
                OwnedKind::Input { .. } => "input",
                OwnedKind::Output { .. } => "output",
                OwnedKind::Declared { .. } => "declared",
            };
            let event = event.as_event();
            let region = Region::new(ALLOCATOR);
            if recorded.record(&event, &mut ()).is_ok() {
                count("record", kind, &region);
            }
            let region = Region::new(ALLOCATOR);
            if gate(&mut gated, &event, &mut ()).is_ok_and(|gated| gated.recorded) {
                count("gate, allowed", kind, &region);
            }
            let region = Region::new(ALLOCATOR);
            let Ok(decision) = online.propose(&event, &mut ()) else {
                let _ = online.skip(&event, &mut ());
                continue;
            };
            if decision.verb != Verb::Allow {
                count("propose, refused", kind, &region);
                let region = Region::new(ALLOCATOR);
                if online.skip(&event, &mut ()).is_ok() {
                    count("skip", kind, &region);
                }
                continue;
            }
            count("propose", kind, &region);
            let region = Region::new(ALLOCATOR);
            if online.commit(&event, &mut ()).is_ok() {
                count("commit", kind, &region);
            }
        }
    }
    let mut table = Table::new(
        "allocations",
        &[
            "phase",
            "kind",
            "events",
            "allocations an event",
            "bytes an event",
            "events without any (%)",
        ],
    );
    for ((phase, kind), sum) in sums {
        let each = |n: usize| format!("{:.1}", n as f64 / sum.events as f64);
        table.row(vec![
            phase.to_owned(),
            kind.to_owned(),
            sum.events.to_string(),
            each(sum.allocations),
            each(sum.bytes),
            each(100 * sum.none),
        ]);
    }
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    Ok(())
}
