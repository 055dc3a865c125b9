//! Contracts at rest and not, refused calls forgotten, saving.

use super::*;

#[test]
fn restless_contracts_see_what_they_do_not_name() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "write", &[], None);
    let q = b.pat(CALL, "read", &[], None);
    let g = b.next(p, q);
    b.contract("read_back", &[], Some(g));
    let library = b.library();
    let (v, _) = verbs(
        &library,
        &[
            call("", "look", "{}"),
            call("", "write", "{}"),
            call("", "look", "{}"),
            call("", "read", "{}"),
            call("", "look", "{}"),
        ],
    );
    assert_eq!(v, [Allow, Allow, Block, Allow, Allow]);
    let mut session = Session::new(&library);
    let before = session.diagram_steps();
    propose(&mut session, &call("", "look", "{}"));
    assert_eq!(
        session.diagram_steps(),
        before,
        "a contract at rest is not looked at"
    );
}

#[test]
fn a_contract_without_patterns_sees_every_event() {
    let mut b = Builder::new();
    let flag = b.path(Root::Context, "ok", Coerce::None);
    let yes = b.expr(Expr::Const(ctr_runtime::format::model::Const::Bool(true)));
    let ok = b.cmp(CompareOp::Eq, flag, yes);
    let ok = b.cond(ok, "ctx.ok == true");
    let g = b.dfa(&[ok], 2, support::bad(1), |s, bits| {
        u32::from(s == 1 || !bits[0])
    });
    b.contract("always_ok", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    session.set_context(&support::record_of(&[("ok", Value::Bool(true))]));
    let events = [
        call("1", "x", "{}"),
        ret("1", "1"),
        r#"{"kind":"input","text":"a"}"#.into(),
        r#"{"kind":"output","text":"a"}"#.into(),
        r#"{"kind":"event","name":"unheard_of","fields":{}}"#.into(),
    ];
    for text in &events {
        assert!(record(&mut session, text).violations.is_empty());
    }
    session.set_context(&support::record_of(&[("ok", Value::Bool(false))]));
    for text in &events {
        assert_eq!(record(&mut session, text).violations.len(), 1, "{text}");
    }
    // Null is a value, and unequal; a field that was never set is undefined.
    session.set_context(&support::record_of(&[("ok", Value::Null)]));
    assert_eq!(
        record(&mut session, &events[2]).violations[0].reason,
        Reason::Violated
    );
    let mut fresh = Session::new(&library);
    let report = record(&mut fresh, &events[2]);
    assert_eq!(
        report.violations[0].detail.as_deref(),
        Some("`ctx.ok` is missing")
    );
}

#[test]
fn refused_calls_can_be_forgotten() {
    let library = one_payment(CALL);
    let mut session = Session::new(&library);
    gated(&mut session, &call("x", "pay", "{}"));
    gated(&mut session, &ret("x", "1"));
    // The host really refuses: no return comes, and the id is free.
    assert_eq!(
        gated(&mut session, &call("x", "pay", "{}")).decision.verb,
        Block
    );
    session.forget_refused();
    let g = gated(&mut session, &call("x", "look", "{}"));
    assert!(!g.report.ambiguous);
    let g = gated(&mut session, &ret("x", "1"));
    assert!(g.recorded && !g.report.ambiguous);
}

#[test]
fn a_saved_session_is_bound_to_its_library_and_checked() {
    let library = clean();
    let mut session = Session::new(&library);
    for text in [
        call("1", "read_mail", r#"{"a":[1,2]}"#),
        call("2", "send", "{}"),
        ret("1", "{}"),
    ] {
        record(&mut session, &text);
    }
    let bytes = session.save();
    assert!(matches!(
        Session::restore(&tests_first(), &bytes),
        Err(RestoreError::OtherLibrary)
    ));
    assert!(matches!(
        Session::restore(&library, b"hello"),
        Err(RestoreError::NotASession)
    ));
    for n in 0..bytes.len() {
        assert!(Session::restore(&library, &bytes[..n]).is_err(), "{n}");
        let mut flipped = bytes.clone();
        flipped[n] ^= 0x41;
        // Whatever it is, it is no panic.
        if let Ok(mut other) = Session::restore(&library, &flipped) {
            let _ = other.finish();
            let _ = with(&call("9", "send", "{}"), |e| gate(&mut other, e, &mut ()));
        }
    }
}

#[test]
fn a_pending_guarantee_says_since_when_and_what_would_meet_it() {
    let mut b = Builder::new();
    let k = b.arg("o");
    let p = b.pat(SUCCESS, "refund", &[k], None);
    let q = b.pat(CALL, "receipt", &[k], None);
    let g = b.leads_to(p, q);
    b.contract("receipt", &["o"], Some(g));
    let r = b.pat(CALL, "report", &[], None);
    let r = b.atom(r);
    let g = b.dfa(
        &[r],
        2,
        |s| [Label::Pending, Label::SatisfiedForGood][s as usize],
        |s, bits| u32::from(s == 1 || bits[0]),
    );
    b.contract("report", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    for text in [
        call("1", "refund", r#"{"o":1}"#),
        ret("1", "1"),
        call("2", "refund", r#"{"o":1}"#),
        ret("2", "1"),
    ] {
        record(&mut session, &text);
    }
    let outcome = session.finish();
    let p = &outcome.contracts[0].pending[0];
    assert_eq!((p.event, p.key[0].to_string()), (Some(1), "1".to_string()));
    assert_eq!(p.awaits, ["call receipt#1"]);
    let p = &outcome.contracts[1].pending[0];
    assert_eq!(
        (p.event, p.awaits.as_slice()),
        (None, &["call report#2".to_string()][..])
    );
    let _ = Status::Success;
}
