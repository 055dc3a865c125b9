//! Keys, calls, deadlines and violations.

use super::*;

/// One payment an order.
fn once() -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("o");
    let p = b.pat(CALL, "pay", &[k], None);
    let g = b.at_most(p, 1);
    b.contract("once", &["o"], Some(g));
    b.library()
}

fn pay(order: &str) -> String {
    call("", "pay", &format!(r#"{{"o":{order}}}"#))
}

#[test]
fn a_further_key_of_a_contract_is_refused() {
    let library = once();
    let mut session = limited(&library, |l| l.keys = 3);
    for n in 0..3 {
        assert_eq!(
            propose(&mut session, &pay(&n.to_string())).verb,
            Verb::Allow
        );
        record(&mut session, &pay(&n.to_string()));
    }
    refuses_by_limit(&propose(&mut session, &pay("3")));
    let again = propose(&mut session, &pay("2"));
    assert_eq!(again.objections[0].reason, Reason::Violated);
    // Recorded all the same, the contract has failed: whether the key pays twice is not known.
    assert_eq!(
        record(&mut session, &pay("3")).violations[0].reason,
        Reason::Undetermined
    );
    assert_eq!(session.finish().agent, Value3::Fail);
}

#[test]
fn large_keys_are_bounded_in_all() {
    let library = once();
    let mut session = limited(&library, |l| l.key_bytes = 10_000);
    let key = |n: usize| format!("\"{n:04000}\"");
    record(&mut session, &pay(&key(0)));
    record(&mut session, &pay(&key(1)));
    refuses_by_limit(&propose(&mut session, &pay(&key(2))));
    assert_eq!(
        propose(&mut session, &pay(&key(1))).objections[0].reason,
        Reason::Violated
    );
    assert_eq!(propose(&mut session, &pay("7")).verb, Verb::Allow);
}

#[test]
fn calls_in_flight_are_bounded() {
    let library = once();
    let mut session = limited(&library, |l| l.open_calls = 4);
    for n in 0..4 {
        record(&mut session, &call(&n.to_string(), "look", "{}"));
    }
    let more = call("4", "look", "{}");
    let error = with(&more, |e| session.propose(e, &mut ()).unwrap_err());
    assert_eq!(error, EventError::TooManyOpenCalls);
    assert!(error.to_string().contains("limits"));
    assert!(with(&more, |e| session.record(e, &mut ()).is_err()));
    // A refused event has changed nothing, and a return makes room.
    assert_eq!(session.next_event(), 4);
    record(&mut session, &ret("2", "1"));
    assert_eq!(propose(&mut session, &more).verb, Verb::Allow);
}

#[test]
fn arguments_of_calls_in_flight_are_bounded() {
    let library = once();
    let mut session = limited(&library, |l| l.open_bytes = 5_000);
    let large = |id: &str| {
        call(
            id,
            "write",
            &format!(r#"{{"text":"{}"}}"#, "z".repeat(2000)),
        )
    };
    for round in 0..50 {
        for id in ["a", "b", "c"] {
            record(&mut session, &large(id));
        }
        let error = with(&large("d"), |e| session.propose(e, &mut ()).unwrap_err());
        assert_eq!(error, EventError::TooManyOpenCalls, "{round}");
        for id in ["a", "b", "c"] {
            record(&mut session, &ret(id, "1"));
        }
    }
    // Refused calls that may still return count as well, until they are forgotten.
    let mut session = limited(&library, |l| l.open_calls = 2);
    for id in ["a", "b"] {
        with(&call(id, "look", "{}"), |e| {
            session.skip(e, &mut ()).unwrap()
        });
    }
    let other = call("c", "look", "{}");
    assert!(with(&other, |e| session.propose(e, &mut ()).is_err()));
    session.forget_refused();
    assert_eq!(propose(&mut session, &other).verb, Verb::Allow);
}

fn at(text: &str, time: usize) -> String {
    text.replace("\"kind\"", &format!("\"time\":{time},\"kind\""))
}

/// `refund` of an order leads to a receipt within 100 s; `audit` of all.
fn receipts() -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("o");
    let refund = b.pat(CALL, "refund", &[k], None);
    let receipt = b.pat(CALL, "receipt", &[k], None);
    let audit = b.pat(CALL, "audit", &[], None);
    let signed = b.pat(CALL, "sign", &[k], None);
    let list = vec![
        b.deadline(refund, receipt, 100),
        b.deadline(audit, signed, 100),
    ];
    b.full("receipts", &["o"], None, None, list);
    b.library()
}

fn of(tool: &str, order: usize) -> String {
    call("", tool, &format!(r#"{{"o":{order}}}"#))
}

#[test]
fn open_triggers_stand_for_further_ones() {
    let library = receipts();
    let mut session = limited(&library, |l| l.triggers = 3);
    for n in 0..50 {
        let report = record(&mut session, &at(&of("refund", 1), n));
        assert!(report.violations.is_empty());
    }
    assert!(session.save().len() < 8_000);
    // An answer is one for all of them.
    let mut answered = session.clone();
    record(&mut answered, &at(&of("receipt", 1), 60));
    let report = record(&mut answered, &at(&of("look", 1), 900));
    assert!(report.violations.is_empty());
    assert_eq!(answered.finish().agent, Value3::Active);
    // Without one the contract fails, at the time of the first.
    let report = record(&mut session, &at(&of("look", 1), 101));
    assert_eq!(report.violations.len(), 1);
    assert_eq!(session.finish().agent, Value3::Fail);
}

#[test]
fn triggers_for_all_keys_beyond_the_bound_are_refused() {
    let library = receipts();
    let mut session = limited(&library, |l| l.triggers = 3);
    for n in 0..3 {
        record(&mut session, &at(&of("refund", n), n));
    }
    for n in 3..40 {
        record(&mut session, &at(&of("audit", 0), n));
    }
    // One key has signed since: the open triggers do not stand for what it would owe next.
    record(&mut session, &at(&of("sign", 2), 50));
    refuses_by_limit(&propose(&mut session, &at(&of("audit", 0), 51)));
    assert_eq!(
        record(&mut session, &at(&of("audit", 0), 51)).violations[0].reason,
        Reason::Undetermined
    );
    // And within the bound it is an obligation as before.
    let mut wide = Session::new(&library);
    record(&mut wide, &at(&of("refund", 2), 0));
    record(&mut wide, &at(&of("audit", 0), 1));
    record(&mut wide, &at(&of("sign", 2), 2));
    assert_eq!(
        propose(&mut wide, &at(&of("audit", 0), 51)).verb,
        Verb::Allow
    );
}

/// Answered triggers do not pile up until their time would have come.
#[test]
fn answered_deadlines_are_forgotten() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "ask", &[], None);
    let q = b.pat(CALL, "answer", &[], None);
    let year = b.deadline(p, q, 31_536_000);
    b.full("answers", &[], None, None, vec![year]);
    let library = b.library();
    let mut session = Session::new(&library);
    for n in 0..5_000 {
        record(&mut session, &at(&call("a", "ask", "{}"), 2 * n));
        record(&mut session, &ret("a", "1"));
        record(&mut session, &at(&call("a", "answer", "{}"), 2 * n + 1));
        record(&mut session, &ret("a", "1"));
    }
    assert!(session.save().len() < 400, "{}", session.save().len());
    let report = record(&mut session, &at(&call("", "ask", "{}"), 20_000));
    assert!(report.violations.is_empty());
    let report = record(&mut session, &at(&call("", "look", "{}"), 90_000_000));
    assert_eq!(report.violations.len(), 1);
}

#[test]
fn violations_beyond_the_bound_are_counted_and_fail() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "drop", &[], None);
    let g = b.never(p);
    b.contract("never", &[], Some(g));
    let k = b.arg("o");
    let keyed = b.pat(CALL, "use", &[k], None);
    let all = b.pat(INPUT, "", &[], None);
    let g = b.never_after(keyed, all);
    b.contract("keyed", &["o"], Some(g));
    let library = b.library();
    let mut session = limited(&library, |l| l.violations = 5);
    for n in 0..20 {
        // Each is told when it happens.
        let report = record(&mut session, &call("", "drop", "{}"));
        assert_eq!(report.violations.len(), 1, "{n}");
        let mut twin = Session::restore(&library, &session.save()).unwrap();
        twin.set_limits(*session.limits());
        assert_eq!(twin.finish(), session.finish());
    }
    let outcome = session.finish();
    assert_eq!(outcome.contracts[0].violations.len(), 5);
    assert_eq!(outcome.contracts[0].untold, 15);
    assert_eq!(outcome.contracts[0].value, Value3::Fail);
    // None is kept at all: it has failed nevertheless.
    for bytes in [true, false] {
        let mut session = limited(&library, |l| match bytes {
            true => l.violation_bytes = 1,
            false => l.violations = 0,
        });
        record(&mut session, r#"{"kind":"input","text":"x"}"#);
        record(&mut session, &call("", "use", r#"{"o":1}"#));
        let outcome = session.finish();
        assert_eq!(outcome.contracts[1].value, Value3::Fail);
        assert_eq!(outcome.contracts[1].untold, 1);
        assert!(outcome.contracts[1].violations.is_empty());
        let twin = Session::restore(&library, &session.save()).unwrap();
        assert_eq!(twin.finish(), outcome);
    }
}

#[test]
fn ambiguous_pairings_are_listed_up_to_the_bound() {
    let library = once();
    let mut session = limited(&library, |l| l.violations = 2);
    for _ in 0..5 {
        record(&mut session, &call("same", "look", "{}"));
    }
    assert_eq!(session.ambiguous(), [1, 2]);
    assert!(record(&mut session, &call("same", "look", "{}")).ambiguous);
    let _ = SUCCESS;
}
