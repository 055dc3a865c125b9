//! A session that has warmed up allocates nothing for an event that nothing objects to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::alloc::System;

use ctr_bench::{five, library, retail, sessions};
use ctr_runtime::decision::Verb;
use ctr_runtime::event::Event;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Session, gate};
use ctr_trace::OwnedKind;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations are counted for the whole process: one test at a time.
static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn allocations(act: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    act();
    let change = region.change();
    change.allocations + change.reallocations
}

/// Proposes and commits, gates, and records each event; the allocations of each way.
fn count(library: &Library<'_>, events: &[Event<'_>], rounds: usize) -> [usize; 4] {
    let mut online = Session::new(library);
    let mut gated = Session::new(library);
    let mut recorded = Session::new(library);
    let mut sums = [0; 4];
    for round in 0..2 * rounds {
        for event in events {
            let mut made = [0; 4];
            made[0] = allocations(|| {
                let decision = online.propose(event, &mut ()).unwrap();
                assert_eq!(decision.verb, Verb::Allow, "{event:?}");
            });
            made[1] = allocations(|| drop(online.commit(event, &mut ())));
            made[2] = allocations(|| drop(gate(&mut gated, event, &mut ())));
            made[3] = allocations(|| drop(recorded.record(event, &mut ())));
            if round >= rounds {
                for (sum, made) in sums.iter_mut().zip(made) {
                    *sum += made;
                }
            }
        }
    }
    sums
}

#[test]
fn five_rules_allocate_nothing() {
    let _one = ONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let library = library(five::POLICY).unwrap();
    // Of a session, the part before it searches too often or reads files, so that it can go on for ever.
    let recordings = five::sessions(40, 3);
    let mut kept = Vec::new();
    for recording in &recordings {
        let mut probe = Session::new(&library);
        let mut clean = Vec::new();
        for event in sessions::events(recording) {
            let endless = !matches!(&event.kind, OwnedKind::Call { tool, .. }
                if tool == "search" || tool == "read_file");
            let event = event.as_event();
            let gated = gate(&mut probe, &event, &mut ());
            if !endless || gated.is_ok_and(|g| g.decision.verb != Verb::Allow) {
                break;
            }
            clean.push(event);
        }
        // What is open at its end would be open for ever.
        if clean.len() > 8 {
            kept.push(clean);
        }
    }
    assert!(kept.len() > 2, "{}", kept.len());
    for events in &kept {
        let closed: Vec<Event<'_>> = closed(events);
        assert_eq!(count(&library, &closed, 30), [0; 4], "{closed:?}");
    }
}

/// The events without calls that do not return among them.
fn closed<'e>(events: &[Event<'e>]) -> Vec<Event<'e>> {
    use ctr_runtime::event::EventKind;
    let returned = |wanted: Option<&str>| {
        events
            .iter()
            .any(|e| matches!(e.kind, EventKind::Return { id, .. } if id == wanted))
    };
    events
        .iter()
        .filter(|event| match event.kind {
            EventKind::Call { id, .. } => returned(id),
            _ => true,
        })
        .copied()
        .collect()
}

/// The retail library remembers: the texts of messages (for `mentioned`) lie in one piece of memory that grows by
/// doubling, so that an event of a session of any length costs no allocation but now and then. What is left for
/// proposals is the imagining of returns. The figures only go down.
#[test]
fn retail_allocates_little() {
    let _one = ONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let library = Library::load(retail().unwrap()).unwrap();
    let recordings = sessions::generated(6);
    let mut sums = [0; 4];
    let mut events = 0;
    for recording in &recordings {
        let recording: Vec<Event<'_>> = sessions::events(recording).map(|e| e.as_event()).collect();
        let before_cancelling = recording.iter().take(18).copied().collect::<Vec<_>>();
        let before_cancelling = closed(&before_cancelling);
        events += before_cancelling.len() * 10;
        for (sum, made) in sums.iter_mut().zip(count(&library, &before_cancelling, 10)) {
            *sum += made;
        }
    }
    let each = sums.map(|sum| (sum * 10).div_ceil(events));
    assert!(
        each.iter().zip(RETAIL).all(|(made, limit)| *made <= limit),
        "tenths of an allocation an event: {each:?}"
    );
}

/// Tenths of an allocation an event: propose, commit, gate, record.
const RETAIL: [usize; 4] = [14, 1, 14, 1];
