//! Anticipation at its edges, and what refusals say of it.

use super::*;

#[test]
fn an_anticipated_refusal_says_what_would_help() {
    let mut b = Builder::new();
    let pay = b.pat(SUCCESS, "pay", &[], None);
    let login = b.pat(CALL, "login", &[], None);
    let g = b.only_after(pay, login);
    b.contract("order", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    let d = propose(&mut session, &call("1", "pay", "{}"));
    let o = &d.objections[0];
    assert_eq!((d.verb, o.reason), (Block, Reason::Anticipated));
    assert_eq!(o.accepted, ["call login#1"]);
    assert!(o.waiting_for.is_empty());
    gated(&mut session, &call("2", "login", "{}"));
    assert_eq!(propose(&mut session, &call("1", "pay", "{}")).verb, Allow);
}

#[test]
fn what_the_event_is_cannot_be_otherwise() {
    let mut b = Builder::new();
    let x = b.number_arg("x");
    let three = b.num("3");
    let big = b.cmp(CompareOp::Gt, x, three);
    let p = b.pat(CALL, "a", &[], Some(big));
    let g = b.never(p);
    b.contract("small", &[], Some(g));
    let library = b.library();
    let d = propose(&mut Session::new(&library), &call("", "a", r#"{"x":4}"#));
    assert_eq!(d.verb, Block);
    // Not `not (call a(...))`.
    assert!(d.objections[0].accepted.is_empty());
}

#[test]
fn undefined_and_unknown_conditions_are_told_apart() {
    // `never success get(ctx.off and result.bad)`: the result may be good, and the fact is missing.
    let mut b = Builder::new();
    let off = b.path(Root::Context, "off", Coerce::None);
    let bad = b.result("bad");
    let both = b.expr(Expr::And(vec![off, bad]));
    let p = b.pat(SUCCESS, "get", &[], Some(both));
    let g = b.never(p);
    b.contract("off", &[], Some(g));
    // Whatever the result is, the argument decides.
    let arg = b.arg("ok");
    let either = b.expr(Expr::Iff(arg, bad));
    let q = b.pat(SUCCESS, "put", &[], Some(either));
    let h = b.never(q);
    b.contract("ok", &[], Some(h));
    let library = b.library();
    let mut session = Session::new(&library);
    assert_eq!(propose(&mut session, &call("1", "get", "{}")).verb, Allow);
    let d = propose(&mut session, &call("1", "put", "{}"));
    let o = &d.objections[0];
    assert_eq!((d.verb, o.reason), (Block, Reason::Undetermined));
    assert_eq!(o.detail.as_deref(), Some("`args.ok` is missing"));
    assert_eq!(o.message, "`ok` cannot be judged");
    let d = propose(&mut session, &call("1", "put", r#"{"ok":true}"#));
    assert_eq!(d.verb, Allow);
}

#[test]
fn unknown_outcomes_are_chosen_against_the_call() {
    // `success ship only while {count(success pay) == 1}`: one that may or may not have happened is
    // neither.
    let mut b = Builder::new();
    let pay = b.pat(SUCCESS, "pay", &[], None);
    let ship = b.pat(SUCCESS, "ship", &[], None);
    let count = b.register(RegisterKind::Count, pay, None, None);
    let read = b.read(count);
    let one = b.num("1");
    let equal = b.cmp(CompareOp::Eq, read, one);
    let cond = b.cond(equal, "count(success pay) == 1");
    let g = b.only_while(ship, cond);
    b.contract("paid", &[], Some(g));
    let library = b.library();
    let ship = call("s", "ship", "{}");
    let lost = |session: &mut Session<'_>, id: &str| {
        gated(session, &call(id, "pay", "{}"));
        let text = format!(r#"{{"kind":"return","id":"{id}","status":"unknown"}}"#);
        gated(session, &text);
    };
    let mut session = Session::new(&library);
    gated(&mut session, &call("1", "pay", "{}"));
    assert_eq!(propose(&mut session, &ship).verb, Allow);
    gated(&mut session, &ret("1", "1"));
    assert_eq!(propose(&mut session, &ship).verb, Allow);
    lost(&mut session, "2");
    assert_eq!(propose(&mut session, &ship).verb, Block);
    gated(
        &mut session,
        r#"{"kind":"return","id":"2","status":"failure"}"#,
    );
    assert_eq!(propose(&mut session, &ship).verb, Allow);
    // Far more choices than are followed.
    for n in 0..40 {
        lost(&mut session, &format!("x{n}"));
    }
    assert_eq!(propose(&mut session, &ship).verb, Block);
}

#[test]
fn a_key_that_starts_with_a_violation_is_refused_once_saved() {
    let mut b = Builder::new();
    let k = b.arg("door");
    let open = b.pat(CALL, "open", &[k], None);
    let fire = b.pat(CALL, "fire", &[], None);
    let (o, f) = (b.atom(open), b.atom(fire));
    let g = b.dfa(&[o, f], 2, support::bad(1), |s, bits| {
        u32::from(s == 1 || bits[1])
    });
    let c = b.contract("no_fire", &["door"], Some(g));
    b.model.contracts[c].patterns = vec![open, fire];
    let library = b.library();
    let mut session = Session::new(&library);
    // No key has occurred, so that nobody objects.
    let fire = gated(&mut session, &call("", "fire", "{}"));
    assert_eq!(fire.decision.verb, Allow);
    let bytes = session.save();
    let mut session = Session::restore(&library, &bytes).unwrap();
    let d = propose(&mut session, &call("", "open", r#"{"door":1}"#));
    let o = &d.objections[0];
    assert_eq!((d.verb, o.reason), (Block, Reason::Violated));
    assert_eq!(o.key, [Value::from(1)]);
    assert!(o.accepted.is_empty());
    assert_eq!(session.finish().agent, Value3::Active);
}

#[test]
fn a_return_that_contradicts_its_call_is_malformed() {
    let library = one_payment(SUCCESS);
    let mut session = Session::new(&library);
    gated(&mut session, &call("1", "mcp__bank__pay", "{}"));
    let other = r#"{"kind":"return","id":"1","tool":"refund","status":"success","result":1}"#;
    let error = with(other, |e| session.propose(e, &mut ())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the return `1` is of the tool `refund`, but the call of that id is of `mcp__bank__pay`"
    );
    // The wire form is a way to write the name.
    let same = r#"{"kind":"return","id":"1","tool":"pay","status":"success","result":1}"#;
    assert_eq!(gated(&mut session, same).decision.verb, Allow);
}

#[test]
fn a_withheld_return_is_the_only_one_and_quotes_the_assumption() {
    let mut b = Builder::new();
    let secret = b.text_matches(Root::Result, "KEY");
    let p = b.pat(RETURN, "read", &[], Some(secret));
    let a = b.never(p);
    let q = b.pat(CALL, "send", &[], None);
    let r = b.pat(SUCCESS, "read", &[], None);
    let g = b.only_after(q, r);
    let c = b.full("clean", &[], Some(a), Some(g), vec![]);
    b.act(c, Action::Block, "Read first.");
    b.model.contracts[c]
        .clauses
        .push(ctr_runtime::format::model::Clause {
            side: Side::Assume,
            text: "assume no key".into(),
            place: Default::default(),
        });
    let library = b.library();
    let mut session = Session::new(&library);
    gated(&mut session, &call("1", "read", "{}"));
    let d = gated(&mut session, &ret("1", "\"KEY\"")).decision;
    assert_eq!(d.verb, Suppress);
    assert_eq!(
        d.objections[0].message,
        "`clean` would not hold: assume no key"
    );
    let again = ret("1", "\"fine\"");
    let error = with(&again, |e| gate(&mut session, e, &mut ())).unwrap_err();
    assert!(matches!(error, EventError::NoSuchCall { .. }));
    let d = propose(&mut session, &call("2", "send", "{}"));
    assert_eq!(d.objections[0].message, "Read first.");
    // Recorded, the broken assumption is quoted, too.
    let mut session = Session::new(&library);
    record(&mut session, &call("1", "read", "{}"));
    let report = record(&mut session, &ret("1", "\"KEY\""));
    assert_eq!(
        report.assumptions[0].message,
        "`clean` would not hold: assume no key"
    );
}

#[test]
fn a_deadline_awaits_what_meets_it() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "a", &[], None);
    let q = b.pat(CALL, "b", &[], None);
    let mut d = b.deadline(p, q, 10);
    let not_p = b.expr(Expr::Not(d.trigger));
    d.response = b.expr(Expr::And(vec![not_p, d.response]));
    let c = b.full("soon", &[], None, None, vec![d]);
    b.model.contracts[c].patterns = vec![p, q];
    b.model.contracts[c].watch.calls = true;
    let library = b.library();
    let mut session = Session::new(&library);
    let mut text = call("", "a", "{}");
    text.insert_str(text.len() - 1, r#","time":0"#);
    record(&mut session, &text);
    assert_eq!(
        session.finish().contracts[0].pending[0].awaits,
        ["call b#1"]
    );
}

#[test]
fn counts_in_windows_are_not_told_and_recent_events_are() {
    let mut b = Builder::new();
    let pay = b.pat(CALL, "pay", &[], None);
    let count = b.register(RegisterKind::Count, pay, None, Some(600));
    let read = b.read(count);
    let one = b.num("1");
    let few = b.cmp(CompareOp::Le, read, one);
    let cond = b.cond(few, "count(call pay within 10min) <= 1");
    let g = b.only_while(pay, cond);
    b.contract("rate", &[], Some(g));
    let ship = b.pat(CALL, "ship", &[], None);
    let check = b.pat(SUCCESS, "check", &[], None);
    let last = b.register(RegisterKind::Elapsed, check, None, None);
    let fresh = b.expr(Expr::Fresh {
        register: last,
        within: 10_000_000_000,
    });
    let cond = b.cond(fresh, "ship only after check within 10s");
    let g = b.only_while(ship, cond);
    b.contract("fresh", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    let timed = |id: &str, tool: &str| {
        let mut text = call(id, tool, "{}");
        text.insert_str(text.len() - 1, r#","time":0"#);
        text
    };
    gated(&mut session, &timed("1", "pay"));
    let d = propose(&mut session, &timed("2", "pay"));
    assert_eq!(d.verb, Block);
    assert!(d.objections[0].accepted.is_empty());
    let d = propose(&mut session, &timed("3", "ship"));
    assert_eq!(d.verb, Block);
    assert_eq!(d.objections[0].accepted, ["success check#2"]);
}
