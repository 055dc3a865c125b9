//! Sessions under random policies of all kinds, saved and restored at every step, and taken over by another
//! policy: no later decision changes.

use std::sync::Arc;

use crate::compare::{Owners, artifact, context, event, load};
use crate::oracle::real;
use ctr_runtime::decision::Verb;
use ctr_runtime::event::Meta;
use ctr_runtime::limits::Limits;
use ctr_runtime::session::{LogEntry, Plan, Session, gate};
use ctr_runtime::wire::OwnedEvent;
use ctr_tests::oracle::check::policy;
use ctr_tests::oracle::contract::Contract;
use ctr_tests::oracle::generate::{
    Shape, Style, aggregated, clock, contract, pair, session, timed,
};
use ctr_tests::oracle::model::{Line, Session as Lines};
use ctr_tests::rng::{Rng, count, seed};

/// A policy with keys, aggregates, assumptions, deadlines and all actions.
pub fn library(rng: &mut Rng) -> String {
    let style = |keyed| Style {
        keyed,
        states: true,
        undefined: keyed == 1,
        ..Style::default()
    };
    let mut contracts: Vec<Contract> = Vec::new();
    for n in 0..2 + rng.below(4) {
        let name = format!("c{n}");
        let keyed = rng.chance(50);
        contracts.push(match rng.below(6) {
            0 => real(rng, &mut |rng| contract(rng, &name, style(0), 3, 2), false),
            1 => real(rng, &mut |rng| contract(rng, &name, style(2), 3, 2), true),
            2 => real(rng, &mut |rng| contract(rng, &name, style(1), 3, 2), true),
            3 => real(rng, &mut |rng| pair(rng, &name, style(0)), false),
            4 => aggregated(rng, &name, keyed, true),
            _ => timed(rng, &name, keyed),
        });
    }
    let mut text = policy(&[]);
    for contract in &contracts {
        let whole = contract.text();
        let open = whole.trim_end().trim_end_matches('}');
        let action = *rng.pick(&[
            "",
            "",
            "otherwise warn \"w\"",
            "otherwise escalate \"e\"",
            "otherwise repair",
            "otherwise redirect tb(n: 1) \"r\"",
        ]);
        text += &format!("{open}  {action}\n}}\n");
    }
    text
}

pub fn lines(rng: &mut Rng) -> Lines {
    let shape = Shape {
        length: 14,
        holes: *rng.pick(&[0, 15]),
        keys: true,
    };
    let mut lines = session(rng, shape);
    if rng.chance(60) {
        clock(rng, &mut lines);
    }
    lines
}

/// Few of everything.
fn tight() -> Limits {
    let mut limits = Limits::default();
    limits.keys = 2;
    limits.window = 2;
    limits.values = 2;
    limits.text = 20;
    limits.triggers = 1;
    limits.open_calls = 3;
    limits.violations = 2;
    limits
}

/// One step of two hosts; they are told the same. `way` says how the host goes about it.
fn step(a: &mut Session<'_>, b: &mut Session<'_>, line: &Line, time: Option<i64>, way: usize) {
    if let Some(fields) = context(line) {
        a.set_context(&fields);
        b.set_context(&fields);
    }
    event(line, time, |event| match way {
        0 => assert_eq!(a.record(event, &mut Owners), b.record(event, &mut Owners)),
        1 => assert_eq!(a.skip(event, &mut Owners), b.skip(event, &mut Owners)),
        2 => {
            assert_eq!(a.propose(event, &mut Owners), b.propose(event, &mut Owners));
            assert_eq!(a.commit(event, &mut Owners), b.commit(event, &mut Owners));
        }
        _ => assert_eq!(gate(a, event, &mut Owners), gate(b, event, &mut Owners)),
    });
}

#[test]
fn a_restored_session_goes_on_as_before() {
    let seed = seed(77_003);
    let mut rng = Rng::new(seed);
    let (mut refused, mut steps) = (0, 0);
    for round in 0..count(60) {
        let text = library(&mut rng);
        let bytes = artifact(&text);
        let library = load(&bytes);
        let plan = Arc::new(Plan::new(&library));
        let limits = match round % 3 {
            0 => tight(),
            _ => Limits::default(),
        };
        let all = lines(&mut rng);
        let ways: Vec<usize> = all.lines.iter().map(|_| rng.below(9)).collect();
        let mut live = Session::with_plan(&library, plan.clone());
        live.set_limits(limits);
        let again = |live: &Session<'_>| {
            let saved = live.save();
            let mut twin = Session::restore_with_plan(&library, plan.clone(), &saved).expect(&text);
            twin.set_limits(limits);
            assert_eq!(twin.save(), saved, "seed {seed}\n{text}{}", all.text());
            twin
        };
        for (n, line) in all.lines.iter().enumerate() {
            let time = all.times.get(n).copied();
            // Also between the proposal and what becomes of it.
            let mut twin = again(&live);
            event(line, time, |event| {
                let mut proposed = live.clone();
                let decision = proposed.propose(event, &mut Owners);
                assert_eq!(
                    twin.propose(event, &mut Owners),
                    decision,
                    "seed {seed}, step {n}\n{text}{}",
                    all.text()
                );
                let mut between = again(&proposed);
                assert_eq!(
                    between.commit(event, &mut Owners),
                    proposed.commit(event, &mut Owners)
                );
                assert_eq!(between.finish(), proposed.finish());
                refused += usize::from(decision.is_ok_and(|d| d.verb < Verb::Warn));
            });
            let mut twin = again(&live);
            let meta = Meta {
                time: time.map(|t| t * 1_000_000),
                ..Meta::default()
            };
            assert_eq!(
                twin.schema("ta", &meta, &mut Owners),
                live.clone().schema("ta", &meta, &mut Owners)
            );
            // To the end from here.
            let mut twin = again(&live);
            let mut rest = live.clone();
            for (m, line) in all.lines.iter().enumerate().skip(n) {
                step(
                    &mut rest,
                    &mut twin,
                    line,
                    all.times.get(m).copied(),
                    ways[m],
                );
                steps += 1;
            }
            assert_eq!(
                twin.finish(),
                rest.finish(),
                "seed {seed}, from {n}\n{text}"
            );
            assert_eq!(twin.save(), rest.save(), "seed {seed}, from {n}\n{text}");
            let mut same = live.clone();
            step(&mut live, &mut same, line, time, ways[n]);
        }
    }
    assert!(refused > 50 && steps > 1000, "{refused}, {steps}");
}

/// What a host keeps of a session: facts, and events with whether they happened.
enum Told {
    Context(ctr_runtime::value::Value),
    Event(bool, OwnedEvent),
}

/// The log of a session that one policy gated, given to another: what it decides from then on is what it would have
/// decided had it seen all that happened, and nothing that did not.
#[test]
fn a_changed_policy_takes_over() {
    let seed = seed(77_004);
    let mut rng = Rng::new(seed);
    let (mut compared, mut findings) = (0, 0);
    for _ in 0..count(60) {
        let (old, new) = (library(&mut rng), library(&mut rng));
        let (old_bytes, new_bytes) = (artifact(&old), artifact(&new));
        let (before, after) = (load(&old_bytes), load(&new_bytes));
        let mut running = Session::new(&before);
        let mut wanted = Session::new(&after);
        let all = lines(&mut rng);
        let turn = rng.below(all.lines.len() + 1);
        let mut log: Vec<Told> = Vec::new();
        for (n, line) in all.lines.iter().take(turn).enumerate() {
            if let Some(fields) = context(line) {
                running.set_context(&fields);
                wanted.set_context(&fields);
                log.push(Told::Context(fields));
            }
            event(line, all.times.get(n).copied(), |event| {
                // What the old policy could not take did not happen.
                let Ok(decision) = running.propose(event, &mut Owners) else {
                    return;
                };
                let happens = decision.verb >= Verb::Warn;
                let (a, b) = match happens {
                    true => (
                        running.commit(event, &mut Owners),
                        wanted.record(event, &mut Owners),
                    ),
                    false => (
                        running.skip(event, &mut Owners),
                        wanted.skip(event, &mut Owners),
                    ),
                };
                if a.is_ok() && b.is_ok() {
                    log.push(Told::Event(happens, OwnedEvent::from(event)));
                }
            });
        }
        let entries = log.iter().map(|told| match told {
            Told::Context(fields) => LogEntry::Context(fields),
            Told::Event(true, event) => LogEntry::Happened(event.as_event()),
            Told::Event(false, event) => LogEntry::LeftOut(event.as_event()),
        });
        let plan = Arc::new(Plan::new(&after));
        let taken = Session::take_over(&after, plan, Limits::default(), entries, &mut Owners);
        let taken = taken.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{old}{new}"));
        findings += taken.findings.len();
        let mut session = taken.session;
        let about = || {
            format!(
                "seed {seed}, taken over at {turn}\n{old}{new}{}",
                all.text()
            )
        };
        assert_eq!(session.save(), wanted.save(), "{}", about());
        for (n, line) in all.lines.iter().enumerate().skip(turn) {
            step(
                &mut session,
                &mut wanted,
                line,
                all.times.get(n).copied(),
                3,
            );
            compared += 1;
        }
        assert_eq!(session.finish(), wanted.finish(), "{}", about());
    }
    assert!(compared > 100 && findings > 5, "{compared}, {findings}");
}
