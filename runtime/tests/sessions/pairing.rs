//! Pairing of calls and returns, time, deadlines.

use super::*;

#[test]
fn returns_pair_by_id_and_else_in_order() {
    let library = one_payment(SUCCESS);
    let mut session = Session::new(&library);
    let missing = with(&ret("9", "1"), |e| session.record(e, &mut ()));
    assert_eq!(
        missing,
        Err(EventError::NoSuchCall {
            id: Some("9".into())
        })
    );
    assert_eq!(session.next_event(), 0);
    // An id may be used again after its return.
    for _ in 0..3 {
        assert!(!record(&mut session, &call("x", "look", "{}")).ambiguous);
        assert!(!record(&mut session, &ret("x", "1")).ambiguous);
    }
    // Not before it.
    assert!(!record(&mut session, &call("y", "look", "{}")).ambiguous);
    assert!(record(&mut session, &call("y", "pay", "{}")).ambiguous);
    let report = record(&mut session, &ret("y", "1"));
    assert!(report.ambiguous);
    record(&mut session, &ret("y", "1"));
    // Without ids, in order of occurrence; an empty id is none.
    record(&mut session, &call("", "look", "{}"));
    record(&mut session, &call("", "pay", "{}"));
    assert!(record(&mut session, &ret("", "1")).ambiguous);
    let report = record(&mut session, &ret("", "1"));
    assert_eq!(report.violations.len(), 1, "the second payment");
    assert_eq!(session.ambiguous(), [7, 8, 12, 13]);
    let late = with(&ret("", "1"), |e| session.propose(e, &mut ()));
    assert_eq!(late, Err(EventError::NoSuchCall { id: None }));
}

#[test]
fn the_return_of_a_refused_call_is_left_out_with_it() {
    let library = one_payment(CALL);
    let mut session = Session::new(&library);
    gated(&mut session, &call("1", "pay", "{}"));
    gated(&mut session, &call("2", "pay", "{}"));
    let refused = with(&ret("2", "1"), |e| session.propose(e, &mut ()));
    assert_eq!(
        refused,
        Err(EventError::RefusedCall {
            id: Some("2".into())
        })
    );
    let g = gated(&mut session, &ret("2", "1"));
    assert!(g.left_out && !g.recorded);
    assert_eq!(g.event, 2);
    assert_eq!(gated(&mut session, &ret("1", "1")).event, 3);
}

#[test]
fn time_never_runs_backwards() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "api", &[], None);
    let count = b.register(RegisterKind::Count, p, None, Some(60));
    let count = b.read(count);
    let two = b.num("2");
    let few = b.cmp(CompareOp::Le, count, two);
    let few = b.cond(few, "count(call api within 60s) <= 2");
    let g = b.only_while(p, few);
    b.contract("rate", &[], Some(g));
    let library = b.library();
    let api = |t: f64| timed(&call("", "api", "{}"), t);
    let (v, _) = verbs(
        &library,
        &[
            api(100.0),
            api(101.0),
            api(40.0),
            api(41.0),
            api(161.0),
            api(161.5),
        ],
    );
    // Both stamps from the past count as 101 s, where the window is full.
    assert_eq!(v, [Allow, Allow, Block, Block, Allow, Allow]);
    let mut session = Session::new(&library);
    let d = propose(&mut session, &call("", "api", "{}"));
    assert_eq!(
        d.objections[0].detail.as_deref(),
        Some("the time of the event was not recorded")
    );
}

fn ack(keyed: bool, response_keyed: bool) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("p");
    let keys: &[u32] = if keyed { &[k] } else { &[] };
    let p = b.pat(CALL, "page", keys, None);
    let q = b.pat(CALL, "ack", if response_keyed { keys } else { &[] }, None);
    let d = b.deadline(p, q, 30);
    b.full("ack", if keyed { &["p"] } else { &[] }, None, None, vec![d]);
    b.library()
}

#[test]
fn deadlines_pass_at_the_first_later_event() {
    let library = ack(false, false);
    let page = |t: f64| timed(&call("", "page", "{}"), t);
    let ok = |t: f64| timed(&call("", "ack", "{}"), t);
    let other = |t: f64| timed(r#"{"kind":"input","text":"hm"}"#, t);
    let run = |lines: &[String]| {
        let mut session = Session::new(&library);
        let mut told = Vec::new();
        for text in lines {
            let bytes = session.save();
            session = Session::restore(&library, &bytes).unwrap();
            let report = record(&mut session, text);
            told.extend(report.violations.iter().map(|v| (v.event, v.reason)));
        }
        (told, session.finish())
    };
    let (told, outcome) = run(&[page(0.0), ok(30.0), other(99.0)]);
    assert_eq!((told.len(), outcome.agent), (0, Value3::Active));
    let (told, outcome) = run(&[page(0.0), other(30.0), other(30.5), ok(31.0)]);
    assert_eq!(told, [(Some(2), Reason::Deadline)]);
    assert_eq!(outcome.contracts[0].violations.len(), 1);
    let (told, outcome) = run(&[page(0.0), page(10.0), other(35.0), other(41.0)]);
    assert_eq!(
        told,
        [(Some(2), Reason::Deadline), (Some(3), Reason::Deadline)]
    );
    assert_eq!(outcome.agent, Value3::Fail);
    // Open at the end.
    let (told, outcome) = run(&[other(0.0), page(1.0), other(5.0)]);
    assert!(told.is_empty());
    let open = &outcome.contracts[0].pending[0];
    assert_eq!(
        (open.event, open.awaits.as_slice()),
        (Some(1), &["call ack#1".to_string()][..])
    );
    assert_eq!(
        outcome.contracts[0].violations[0].reason,
        Reason::PendingAtEnd
    );
    // Without a time it cannot be said when the response is due.
    let (told, _) = run(&[call("", "page", "{}")]);
    assert_eq!(told, [(Some(0), Reason::Undetermined)]);
    // A passed deadline refuses nothing.
    let mut session = Session::new(&library);
    gated(&mut session, &page(0.0));
    let g = gated(&mut session, &timed(&call("", "look", "{}"), 50.0));
    assert_eq!(g.decision.verb, Allow);
    assert_eq!(g.report.violations[0].event, Some(1));
}

#[test]
fn deadlines_are_kept_for_each_key() {
    let page = |p: &str, t: f64| timed(&call("", "page", &format!(r#"{{"p":"{p}"}}"#)), t);
    let ok = |p: &str, t: f64| timed(&call("", "ack", &format!(r#"{{"p":"{p}"}}"#)), t);
    let failed = |library: &Library<'_>, lines: &[String]| {
        let mut session = Session::new(library);
        let mut told = Vec::new();
        for text in lines {
            session = Session::restore(library, &session.save()).unwrap();
            let report = record(&mut session, text);
            told.extend(
                report
                    .violations
                    .iter()
                    .map(|v| (v.key[0].to_string(), v.event)),
            );
        }
        told
    };
    let own = ack(true, true);
    let lines = [page("a", 0.0), page("b", 1.0), ok("b", 2.0), ok("b", 50.0)];
    assert_eq!(failed(&own, &lines), [("\"a\"".into(), Some(3))]);
    // A response that all see.
    let all = ack(true, false);
    let lines = [
        page("a", 0.0),
        page("b", 1.0),
        ok("b", 2.0),
        page("a", 3.0),
        ok("z", 50.0),
    ];
    assert_eq!(failed(&all, &lines), [("\"a\"".into(), Some(4))]);

    // A trigger that all see, also keys that come later.
    let mut b = Builder::new();
    let k = b.arg("p");
    let p = b.pat(CALL, "alarm", &[], None);
    let q = b.pat(CALL, "ack", &[k], None);
    let d = b.deadline(p, q, 30);
    b.full("ack", &["p"], None, None, vec![d]);
    let library = b.library();
    let alarm = |t: f64| timed(&call("", "alarm", "{}"), t);
    let lines = [
        ok("a", 0.0),
        ok("b", 0.0),
        alarm(1.0),
        ok("a", 5.0),
        ok("c", 6.0),
        ok("z", 40.0),
        ok("d", 41.0),
    ];
    let got = failed(&library, &lines);
    assert_eq!(got, [("\"b\"".into(), Some(5))]);
    let mut session = Session::new(&library);
    for text in &lines {
        record(&mut session, text);
    }
    let outcome = session.finish();
    let mut keys: Vec<String> = outcome.contracts[0]
        .violations
        .iter()
        .map(|v| v.key[0].to_string())
        .collect();
    keys.sort();
    // Keys that came after the deadline passed have missed it as well.
    assert_eq!(keys, ["\"b\"", "\"d\"", "\"z\""]);
}
