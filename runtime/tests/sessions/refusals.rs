//! Refusals: what they say, what would help, what is anticipated.

use super::*;

#[test]
fn a_refusal_says_what_would_help_and_what_to_wait_for() {
    let library = tests_first();
    let mut session = Session::new(&library);
    let d = propose(&mut session, &call("d", "deploy", "{}"));
    assert_eq!(d.verb, Block);
    let o = &d.objections[0];
    assert_eq!(
        (o.reason, o.message.as_str()),
        (Reason::Violated, "Run the tests first.")
    );
    assert_eq!(o.accepted, ["success run_tests#1"]);
    assert!(o.waiting_for.is_empty());
    gated(&mut session, &call("t", "run_tests", "{}"));
    let d = propose(&mut session, &call("d", "deploy", "{}"));
    assert_eq!(d.objections[0].waiting_for, ["run_tests (t)"]);
    // An outcome that stays unknown will not come.
    gated(
        &mut session,
        r#"{"kind":"return","id":"t","status":"unknown"}"#,
    );
    let d = propose(&mut session, &call("d", "deploy", "{}"));
    assert!(d.objections[0].waiting_for.is_empty());
    assert_eq!(d.verb, Block);
}

#[test]
fn a_longer_way_is_told_in_order() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "pay", &[], None);
    let q = b.pat(SUCCESS, "login", &[], None);
    let r = b.pat(SUCCESS, "verify", &[], None);
    let atoms = [b.atom(p), b.atom(q), b.atom(r)];
    let g = b.dfa(&atoms, 4, support::bad(3), |s, bits| {
        match (s, bits[0], bits[1], bits[2]) {
            (2, ..) => 2,
            (3, ..) | (_, true, ..) => 3,
            (0, _, true, _) => 1,
            (1, _, _, true) => 2,
            (s, ..) => s,
        }
    });
    b.contract("steps", &[], Some(g));
    let library = b.library();
    let d = propose(&mut Session::new(&library), &call("", "pay", "{}"));
    assert_eq!(
        d.objections[0].accepted,
        ["success login#1, then success verify#2"]
    );
}

#[test]
fn missing_null_and_wrong_type_are_told_apart() {
    let mut b = Builder::new();
    let amount = b.number_arg("amount");
    let limit = b.num("500");
    let ok = b.cmp(CompareOp::Le, amount, limit);
    let p = b.pat(CALL, "refund", &[], None);
    let q = b.pat(CALL, "refund", &[], Some(ok));
    let g = b.only_if(p, q);
    b.contract("cap", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    let mut detail = |args: &str| {
        let d = propose(&mut session, &call("", "refund", args));
        assert_eq!(d.verb, Block, "{args}");
        assert_eq!(d.objections[0].reason, Reason::Undetermined);
        d.objections[0].detail.clone().unwrap()
    };
    assert_eq!(detail("{}"), "`args.amount` is missing");
    assert_eq!(
        detail(r#"{"amount":null}"#),
        "`args.amount` is not a number (it is null)"
    );
    assert_eq!(
        detail(r#"{"amount":"$5"}"#),
        "`args.amount` is not a number (it is a string)"
    );
    assert_eq!(
        detail(r#"{"amount":[1]}"#),
        "`args.amount` is not a number (it is a list)"
    );
    // A call whose arguments are not an object has no fields.
    assert_eq!(detail(r#""text""#), "`args.amount` is missing");
    assert_eq!(detail("[]"), "`args.amount` is missing");
    for (args, verb) in [
        (r#"{"amount":"400"}"#, Allow),
        (r#"{"amount":"1e9"}"#, Block),
    ] {
        assert_eq!(propose(&mut session, &call("", "refund", args)).verb, verb);
    }
    // Offline an undetermined event is counted apart, and moves nothing.
    let report = record(&mut session, &call("", "refund", "{}"));
    assert_eq!(report.violations[0].reason, Reason::Undetermined);
    let outcome = session.finish();
    assert_eq!(outcome.undetermined, 1);
    assert_eq!(outcome.agent, Value3::Fail);
}

#[test]
fn a_call_in_flight_holds_its_place() {
    let library = one_payment(SUCCESS);
    let mut session = Session::new(&library);
    assert_eq!(
        gated(&mut session, &call("1", "pay", "{}")).decision.verb,
        Allow
    );
    let d = propose(&mut session, &call("2", "pay", "{}"));
    assert_eq!(
        (d.verb, d.objections[0].reason),
        (Block, Reason::Anticipated)
    );
    assert_eq!(d.objections[0].waiting_for, ["pay (1)"]);
    // Other calls are not asked.
    assert_eq!(propose(&mut session, &call("3", "look", "{}")).verb, Allow);
    gated(
        &mut session,
        r#"{"kind":"return","id":"1","status":"failure","error":"no"}"#,
    );
    assert_eq!(
        gated(&mut session, &call("4", "pay", "{}")).decision.verb,
        Allow
    );
    gated(
        &mut session,
        r#"{"kind":"return","id":"4","status":"unknown"}"#,
    );
    assert_eq!(propose(&mut session, &call("5", "pay", "{}")).verb, Block);
    // An answer that comes late all the same settles it.
    gated(
        &mut session,
        r#"{"kind":"return","id":"4","status":"failure"}"#,
    );
    assert_eq!(propose(&mut session, &call("5", "pay", "{}")).verb, Allow);
}

#[test]
fn what_a_result_will_hold_is_never_held_against_a_call() {
    let mut b = Builder::new();
    let bad = b.text_matches(Root::Result, "secret");
    let p = b.pat(SUCCESS, "read", &[], Some(bad));
    let g = b.never(p);
    b.contract("no_secret", &[], Some(g));
    // Never one with and never one without: then every result violates.
    let good = b.expr(Expr::Not(bad));
    let q = b.pat(SUCCESS, "stat", &[], Some(bad));
    let r = b.pat(SUCCESS, "stat", &[], Some(good));
    let (q, r) = (b.atom(q), b.atom(r));
    let _ = (q, r);
    // A sum over arguments is known before the return.
    let pay = b.pat(SUCCESS, "pay", &[], None);
    let amount = b.arg("amount");
    let sum = b.register(RegisterKind::Sum, pay, Some(amount), None);
    let sum = b.read(sum);
    let limit = b.num("100");
    let ok = b.cmp(CompareOp::Le, sum, limit);
    let within = b.pat(SUCCESS, "pay", &[], Some(ok));
    let g = b.only_if(pay, within);
    b.contract("budget", &[], Some(g));
    let library = b.library();
    let (v, _) = verbs(
        &library,
        &[
            call("1", "read", "{}"),
            call("2", "pay", r#"{"amount":60}"#),
            call("3", "pay", r#"{"amount":50}"#),
            call("4", "pay", r#"{"amount":40}"#),
            ret("2", "1"),
            ret("4", "1"),
            call("5", "pay", r#"{"amount":0.01}"#),
        ],
    );
    assert_eq!(v, [Allow, Allow, Block, Allow, Allow, Allow, Block]);
}

#[test]
fn outcomes_are_anticipated_for_each_key() {
    let mut b = Builder::new();
    let k = b.arg("order");
    let p = b.pat(SUCCESS, "refund", &[k], None);
    let g = b.at_most(p, 1);
    b.contract("one_refund", &["order"], Some(g));
    let library = b.library();
    let order = |id: &str, o: &str| call(id, "refund", &format!(r#"{{"order":"{o}"}}"#));
    let (v, outcome) = verbs(
        &library,
        &[
            order("1", "A"),
            order("2", "B"),
            order("3", "A"),
            ret("1", "1"),
            order("4", "A"),
            order("5", "C"),
        ],
    );
    assert_eq!(v, [Allow, Allow, Block, Allow, Block, Allow]);
    assert_eq!(outcome.agent, Value3::Active);
    let mut session = Session::new(&library);
    // Where the call has no value for the key, its return would have none.
    let d = gated(&mut session, &call("1", "refund", "{}")).decision;
    assert_eq!(d.verb, Block);
    let o = &d.objections[0];
    assert_eq!(o.reason, Reason::Undetermined);
    assert_eq!(
        o.detail.as_deref(),
        Some("`args.order` is missing, so there is no key")
    );
    assert_eq!(o.message, "`one_refund` cannot be judged");
    assert!(o.key.is_empty());
}
