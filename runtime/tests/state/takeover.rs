//! Another policy takes over.

use super::*;

/// Runs events under one policy as a host does that enforces it, and keeps the log.
fn run<'m>(
    library: &Library<'_>,
    d: &mut Dice<'_>,
    list: &'m [Made],
    kept: &mut Vec<(&'m Made, Option<bool>)>,
) {
    let mut session = Session::new(library);
    for made in list {
        if let Some(fields) = made.context() {
            session.set_context(fields);
            kept.push((made, None));
            continue;
        }
        let enforced = d.chance(70);
        let happened = made
            .with(|event| match enforced {
                true => gate(&mut session, event, &mut Oracle).ok().and_then(|g| {
                    // A repaired call happens with other arguments; here the host refuses it instead.
                    (g.decision.instead.is_none() || !g.recorded).then_some(g.recorded)
                }),
                false => session.record(event, &mut Oracle).ok().map(|_| true),
            })
            .flatten();
        match happened {
            Some(happened) => kept.push((made, Some(happened))),
            // What the old session could not take, or took otherwise, is no part of the log; start again from
            // here, since the session has gone on with it.
            None => return,
        }
    }
}

#[test]
fn decisions_are_those_of_a_session_under_the_new_policy() {
    let (mut compared, mut findings) = (0, 0);
    for seed in 0..times(150) {
        let mut d = Dice::seed(50_000 + seed);
        let (old, new) = (library(&mut d), library(&mut d));
        let names = Names::of(&new);
        let list = events(&mut d, &names, 24, seed % 2 == 0);
        let mut kept = Vec::new();
        run(&old, &mut d, &list, &mut kept);

        // From the start, in the recorded view.
        let mut wanted = Session::new(&new);
        let mut possible = true;
        for (made, happened) in &kept {
            match happened {
                None => wanted.set_context(made.context().unwrap()),
                Some(happened) => {
                    possible &= made
                        .with(|event| match happened {
                            true => wanted.record(event, &mut Oracle).is_ok(),
                            false => wanted.skip(event, &mut Oracle).is_ok(),
                        })
                        .unwrap();
                }
            }
        }

        let plan = std::sync::Arc::new(Plan::new(&new));
        let lines: Vec<_> = kept.iter().map(|(made, _)| made.owned()).collect();
        let log =
            kept.iter()
                .zip(&lines)
                .map(|((_, happened), line)| match (happened, line.event()) {
                    (Some(true), Some(event)) => LogEntry::Happened(event),
                    (Some(false), Some(event)) => LogEntry::LeftOut(event),
                    _ => LogEntry::Context(line.context().unwrap()),
                });
        let taken = Session::take_over(&new, plan, Limits::default(), log, &mut Oracle);
        if !possible {
            assert!(taken.is_err(), "seed {seed}");
            continue;
        }
        let taken = taken.unwrap();
        findings += taken.findings.len();
        let mut session = taken.session;
        assert_eq!(session.save(), wanted.save(), "seed {seed}");
        for made in events(&mut d, &names, 12, true) {
            if let Some(fields) = made.context() {
                session.set_context(fields);
                wanted.set_context(fields);
            }
            made.with(|event| {
                let decided = gate(&mut session, event, &mut Oracle);
                assert_eq!(
                    decided,
                    gate(&mut wanted, event, &mut Oracle),
                    "seed {seed}"
                );
                compared += 1;
            });
        }
        assert_eq!(session.finish(), wanted.finish());
    }
    assert!(compared > 1000 && findings > 100, "{compared}, {findings}");
}

/// What a log lacks is an error that names the entry, not a session that half knows its past.
#[test]
fn an_incomplete_log_is_an_error() {
    let mut d = Dice::seed(1);
    let library = library(&mut d);
    let plan = || std::sync::Arc::new(Plan::new(&library));
    let call = support::line(&support::call("1", "ta", "{}"));
    let ret = support::line(&support::ret("1", "1"));
    let event = |line| match support::read(line) {
        support::Line::Event(event) => event,
        support::Line::Context(_) => unreachable!(),
    };
    let whole = [
        LogEntry::LeftOut(event(&call)),
        LogEntry::Forgotten,
        LogEntry::Happened(event(&call)),
        LogEntry::Happened(event(&ret)),
    ];
    let take = |log: &[LogEntry<'_>], limits| {
        Session::take_over(&library, plan(), limits, log.iter().copied(), &mut ())
            .map(|taken| taken.session.next_event())
    };
    assert_eq!(take(&whole, Limits::default()), Ok(3));
    let error = take(&whole[3..], Limits::default()).unwrap_err();
    assert_eq!(error.entry, 0);
    assert!(
        error.to_string().contains("answers no open call"),
        "{error}"
    );
    let mut none = Limits::default();
    none.open_calls = 0;
    assert_eq!(take(&whole[2..], none).unwrap_err().entry, 0);
}

/// A plan that belongs to another library switches nothing off.
#[test]
fn plans_of_other_libraries_are_not_used() {
    let mut refused = 0;
    for seed in 0..times(40) {
        let mut d = Dice::seed(90_000 + seed);
        let (old, new) = (library(&mut d), library(&mut d));
        let names = Names::of(&new);
        let list = events(&mut d, &names, 24, seed % 2 == 0);
        let mut wanted = Session::new(&new);
        let mut mixed = Session::with_plan(&new, Plan::new(&old).into());
        for made in &list {
            made.with(|event| {
                let right = gate(&mut wanted, event, &mut Oracle);
                refused += u32::from(right.as_ref().is_ok_and(|gated| !gated.recorded));
                let found = gate(&mut mixed, event, &mut Oracle);
                assert_eq!(format!("{found:?}"), format!("{right:?}"), "{seed}");
            });
        }
        assert_eq!(
            format!("{:?}", mixed.finish()),
            format!("{:?}", wanted.finish())
        );
    }
    assert!(refused > 0);
}
