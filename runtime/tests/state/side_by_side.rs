//! Libraries are shared between threads, and sessions know nothing of each other.

use super::*;
use std::thread;

const fn shared<T: Send + Sync>() {}
const fn sent<T: Send>() {}
const _: () = shared::<Library<'static>>();
const _: () = shared::<Plan>();
const _: () = sent::<Session<'static>>();

/// A thousand sessions on all cores end as they do one after the other.
#[test]
fn a_thousand_sessions_at_once() {
    let mut d = Dice::seed(424_242);
    let libraries: Vec<Library<'static>> = (0..20).map(|_| library(&mut d)).collect();
    let plans: Vec<std::sync::Arc<Plan>> = libraries
        .iter()
        .map(|library| std::sync::Arc::new(Plan::new(library)))
        .collect();
    let run = |n: usize| {
        let which = n % libraries.len();
        let mut d = Dice::seed(n as u64);
        let list = events(
            &mut d,
            &Names::of(&libraries[which]),
            20,
            n.is_multiple_of(2),
        );
        let mut session = Session::with_plan(&libraries[which], plans[which].clone());
        let decided = drive(&mut session, &mut d, &list);
        (decided, session.finish(), session.save())
    };
    let alone: Vec<_> = (0..1000).map(run).collect();
    assert!(alone.iter().map(|(decided, ..)| decided).sum::<usize>() > 500);
    let cores = thread::available_parallelism().map_or(4, |n| n.get().max(4));
    let together: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|core| {
                scope.spawn(move || (core..1000).step_by(cores).map(run).collect::<Vec<_>>())
            })
            .collect();
        let mut parts: Vec<_> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap().into_iter())
            .collect();
        (0..1000)
            .map(|n| parts[n % cores].next().unwrap())
            .collect()
    });
    for (n, (a, b)) in alone.iter().zip(&together).enumerate() {
        assert!(a == b, "session {n}");
    }
}

/// Steps of many sessions in turn: none sees another's events.
#[test]
fn interleaved_sessions() {
    let mut d = Dice::seed(7);
    let library = library(&mut d);
    let names = Names::of(&library);
    let lists: Vec<Vec<Made>> = (0..30).map(|_| events(&mut d, &names, 15, false)).collect();
    let play = |session: &mut Session<'_>, made: &Made| {
        if let Some(fields) = made.context() {
            session.set_context(fields);
        }
        made.with(|event| gate(session, event, &mut Oracle))
    };
    let mut alone = Vec::new();
    for list in &lists {
        let mut session = Session::new(&library);
        alone.push(
            list.iter()
                .map(|made| play(&mut session, made))
                .collect::<Vec<_>>(),
        );
    }
    let mut sessions: Vec<Session<'_>> = lists.iter().map(|_| Session::new(&library)).collect();
    for step in 0..15 {
        for (n, session) in sessions.iter_mut().enumerate() {
            assert_eq!(play(session, &lists[n][step]), alone[n][step]);
        }
    }
}
