//! Recursion is bounded: JSON, values that hosts build, conditions, types.

use super::*;

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

fn built(levels: usize) -> Value {
    (0..levels).fold(Value::from(1_i64), |value, _| Value::List(vec![value]))
}

#[test]
fn json_at_the_bound_and_beyond() {
    let deep = json::parse(&nested(json::MAX_DEPTH)).unwrap();
    assert_eq!(json::to_string(&deep), nested(json::MAX_DEPTH));
    assert_eq!(deep, built(json::MAX_DEPTH));
    let error = json::parse(&nested(json::MAX_DEPTH + 1)).unwrap_err();
    assert!(error.to_string().contains("512"), "{error}");
    // No recursion: a million levels are an error like others.
    assert!(json::parse(&nested(1_000_000)).is_err());
    assert!(json::parse(&"{\"a\":".repeat(1_000_000)).is_err());
}

/// Remembers all that it can: the latest value, values, texts, keys.
fn hoarder() -> Library<'static> {
    let mut b = Builder::new();
    let v = b.arg("v");
    let result = b.root(Root::Result);
    let put = b.pat(CALL, "put", &[], None);
    let got = b.pat(SUCCESS, "put", &[], None);
    let (latest, set, texts) = (
        b.register(RegisterKind::Latest, got, Some(result), None),
        b.register(RegisterKind::Values, put, Some(v), None),
        b.register(RegisterKind::Texts, put, None, None),
    );
    let latest = b.read(latest);
    let set = b.read(set);
    let a = b.cmp(CompareOp::Eq, latest, v);
    let c = b.expr(Expr::In(v, set));
    let d = b.expr(Expr::Mentioned {
        register: texts,
        value: v,
        earlier: true,
    });
    let any = b.expr(Expr::Or(vec![a, c, d]));
    let probe = b.pat(CALL, "probe", &[], Some(any));
    let g = b.never(probe);
    b.contract("hoarder", &[], Some(g));
    let key = b.pat(CALL, "put", &[v], None);
    let g = b.at_most(key, 1);
    b.contract("keyed", &["v"], Some(g));
    b.library()
}

fn args(value: Value) -> Value {
    support::record_of(&[("v", value)])
}

fn call_of<'a>(tool: &'a str, args: &'a Value) -> Event<'a> {
    Event {
        kind: EventKind::Call {
            id: Some("1"),
            tool,
            args,
        },
        meta: Meta::default(),
    }
}

#[test]
fn events_at_the_bound_are_judged_saved_and_restored() {
    let library = hoarder();
    let mut session = Session::new(&library);
    // The record is a level of its own.
    let args = args(built(json::MAX_DEPTH - 1));
    session.record(&call_of("put", &args), &mut ()).unwrap();
    let result = built(json::MAX_DEPTH);
    let event = Event {
        kind: EventKind::Return {
            id: Some("1"),
            tool: None,
            status: ctr_runtime::event::Status::Success,
            result: Some(&result),
            error: None,
        },
        meta: Meta::default(),
    };
    session.record(&event, &mut ()).unwrap();
    let mut twin = Session::restore(&library, &session.save()).unwrap();
    let probe = call_of("probe", &args);
    let decision = session.propose(&probe, &mut ()).unwrap();
    assert_eq!(decision.verb, Verb::Block);
    assert_eq!(twin.propose(&probe, &mut ()).unwrap(), decision);
}

#[test]
fn deeper_events_are_errors() {
    let library = hoarder();
    for levels in [json::MAX_DEPTH, json::MAX_DEPTH + 1, 5_000] {
        let mut session = Session::new(&library);
        let args = args(built(levels));
        let error = session
            .propose(&call_of("put", &args), &mut ())
            .unwrap_err();
        assert_eq!(error, EventError::TooDeep);
        assert!(session.record(&call_of("put", &args), &mut ()).is_err());
        assert_eq!(session.next_event(), 0);
        let declared = Event {
            kind: EventKind::Declared {
                name: "x",
                fields: &args,
            },
            meta: Meta::default(),
        };
        assert_eq!(
            session.record(&declared, &mut ()).unwrap_err(),
            EventError::TooDeep
        );
        session.set_context(&support::record_of(&[("ctx", built(levels))]));
        assert!(Session::restore(&library, &session.save()).is_ok());
    }
}

/// A list written in the policy around the deepest value: too deep to be saved, so not remembered.
#[test]
fn deeper_values_are_not_remembered() {
    let mut b = Builder::new();
    let args_root = b.root(Root::Args);
    let list = b.expr(Expr::List(vec![args_root]));
    let put = b.pat(CALL, "put", &[], None);
    let latest = b.register(RegisterKind::Latest, put, Some(list), None);
    let latest = b.read(latest);
    let same = b.cmp(CompareOp::Ne, latest, list);
    let probe = b.pat(CALL, "probe", &[], Some(same));
    let g = b.never(probe);
    b.contract("same", &[], Some(g));
    let library = b.library();
    for (levels, remembered) in [(json::MAX_DEPTH - 2, true), (json::MAX_DEPTH - 1, false)] {
        let mut session = Session::new(&library);
        let args = args(built(levels));
        session.record(&call_of("put", &args), &mut ()).unwrap();
        let twin = Session::restore(&library, &session.save());
        let decision = twin
            .unwrap()
            .propose(&call_of("probe", &args), &mut ())
            .unwrap();
        match remembered {
            true => assert_eq!(decision.verb, Verb::Allow),
            false => refuses_by_limit(&decision),
        }
    }
}

#[test]
fn deep_expressions_are_refused_or_undefined() {
    // The deepest that loads: below it the comparison, its path and the root, above it the pattern.
    for depth in [MAX_DEPTH - 4, MAX_DEPTH - 3, MAX_DEPTH * 40] {
        let mut b = Builder::new();
        let a = b.arg("a");
        let one = b.num("1");
        let mut cond = b.cmp(CompareOp::Eq, a, one);
        for _ in 0..depth {
            b.model.exprs.push(Expr::Not(cond));
            cond = b.model.exprs.len() as u32 - 1;
        }
        let p = b.pat(CALL, "x", &[], Some(cond));
        let g = b.never(p);
        b.contract("deep", &[], Some(g));
        let Ok(library) = encode(&b.model)
            .map_err(|_| ())
            .and_then(|bytes| Library::load(bytes).map_err(|_| ()))
        else {
            assert!(depth > MAX_DEPTH - 4);
            continue;
        };
        let mut session = Session::new(&library);
        let l = line(r#"{"kind":"call","tool":"x","args":{"a":1}}"#);
        let Line::Event(event) = read(&l) else {
            unreachable!()
        };
        let d = session.propose(&event, &mut ()).unwrap();
        assert_eq!(d.objections.len(), 1);
        assert_eq!(d.objections[0].detail, None);
    }
}
