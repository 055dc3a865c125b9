//! Judging sessions against the ready library for tau2-bench's retail domain, in both views.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ctr_bench::measure::{Table, each, fastest, in_earnest};
use ctr_bench::sessions::{self, Origin, TRACES};
use ctr_bench::{Failure, retail};
use ctr_runtime::decision::Verb;
use ctr_runtime::format::Library;
use ctr_runtime::session::{EventError, Plan, Session, gate};
use ctr_trace::judge;
use ctr_trace::{self as trace, Traced, detect, files};

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn main() -> Result<(), Failure> {
    let library = Library::load(retail()?)?;
    let plan = Arc::new(Plan::new(&library));
    let (origin, sessions) = sessions::all(&library)?;
    let events = sessions::count(&sessions);
    let runs = if in_earnest() { 15 } else { 1 };
    println!(
        "{} {} sessions, {events} events, {} contracts",
        sessions.len(),
        match origin {
            Origin::Recorded => "recorded",
            Origin::Generated => "generated",
        },
        library.contract_count()
    );
    let mut table = Table::new("events", &["what", "ns an event", "events a second"]);
    let mut row = |what: &str, time: Duration, count: usize| {
        let ns = each(time, count);
        table.row(vec![
            what.to_owned(),
            format!("{ns:.0}"),
            format!("{:.0}", 1e9 / ns),
        ]);
    };

    if origin == Origin::Recorded {
        let (time, count) = parsing(runs.min(3))?;
        row("reading the trace file, a text", time, count);
    }
    let new = fastest(runs, || {
        for _ in &sessions {
            std::hint::black_box(Session::with_plan(&library, Arc::clone(&plan)));
        }
    });
    row("a new session, by its events", new, events);
    let time = fastest(runs, || {
        play(&library, &plan, &sessions, |session, event| {
            session.record(&event.as_event(), &mut ()).map(|_| ())
        })
    });
    row("recorded view", time, events);
    let time = fastest(runs, || {
        play(&library, &plan, &sessions, |session, event| {
            gate(session, &event.as_event(), &mut ()).map(|_| ())
        })
    });
    row("gated view", time, events);
    let time = fastest(runs, || {
        sessions
            .iter()
            .map(|s| judge::recorded(&library, &plan, s))
            .filter(judge::Report::has_findings)
            .count()
    });
    row("recorded view with report", time, events);
    let time = fastest(runs, || {
        sessions
            .iter()
            .map(|s| judge::gated(&library, &plan, s))
            .filter(judge::Report::has_findings)
            .count()
    });
    row("gated view with report", time, events);

    // The clock's own cost is measured and taken off.
    let clock = fastest(runs, || {
        for _ in 0..events {
            std::hint::black_box(Instant::now().elapsed());
        }
    });
    let mut best = [Duration::MAX; 2];
    let mut allowed = 0;
    for _ in 0..runs {
        let mut phases = [Duration::ZERO; 2];
        allowed = 0;
        play(&library, &plan, &sessions, |session, event| {
            let event = event.as_event();
            let start = Instant::now();
            let decision = session.propose(&event, &mut ());
            phases[0] += start.elapsed();
            let start = Instant::now();
            match decision?.verb {
                Verb::Allow | Verb::Warn => {
                    allowed += 1;
                    session.commit(&event, &mut ())?
                }
                _ => session.skip(&event, &mut ())?,
            };
            phases[1] += start.elapsed();
            Ok(())
        });
        best = [best[0].min(phases[0]), best[1].min(phases[1])];
    }
    row("propose alone", best[0].saturating_sub(clock), events);
    row(
        "commit or skip alone",
        best[1].saturating_sub(clock),
        events,
    );
    println!("{}", table.text());
    println!(
        "allowed: {allowed} of {events}; written: {}",
        table.save()?.display()
    );
    Ok(())
}

/// Plays all sessions; events that make no sense where they stand are left out.
fn play(
    library: &Library<'_>,
    plan: &Arc<Plan>,
    sessions: &[trace::Session],
    mut act: impl FnMut(&mut Session<'_>, &Traced) -> Result<(), EventError>,
) -> u64 {
    let mut taken = 0;
    for recording in sessions {
        let mut session = Session::with_plan(library, Arc::clone(plan));
        for event in sessions::events(recording) {
            taken += u64::from(act(&mut session, event).is_ok());
        }
    }
    taken
}

/// The time of reading all sessions of the first file, unpacking apart, and how many events it holds.
fn parsing(runs: usize) -> Result<(Duration, usize), Failure> {
    let paths = std::env::var(TRACES)?;
    let path = paths.split(':').next().unwrap_or_default();
    let text = files::read(path).map_err(|error| error.to_string())?;
    let mut count = 0;
    let time = fastest(runs, || {
        let pieces = detect::split(path, &text).unwrap_or_default();
        count = pieces
            .iter()
            .filter_map(|piece| detect::read(piece).ok())
            .map(|session| sessions::events(&session).count())
            .sum();
    });
    Ok((time, count))
}
