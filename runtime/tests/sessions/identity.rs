//! Who a tool is, lookups, texts that hold JSON, kinds of event.

use super::*;

#[test]
fn tools_are_who_they_are() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "gh.delete", &[], None);
    let g = b.never(p);
    b.contract("gh", &[], Some(g));
    let library = b.library();
    let verb = |library: &Library<'_>, tool: &str, server: Option<&str>| {
        let server = server.map_or(String::new(), |s| format!(",\"server\":\"{s}\""));
        let text = format!(r#"{{"kind":"call","tool":"{tool}","args":{{}}{server}}}"#);
        propose(&mut Session::new(library), &text)
    };
    for (tool, server, want) in [
        ("delete", Some("gh"), Block),
        (" delete ", Some(" gh "), Block),
        ("delete", None, Block),
        ("delete", Some("evil"), Allow),
        ("mcp__gh__delete", None, Block),
        ("mcp__gh__delete", Some("gh"), Block),
        ("mcp__gh__delete", Some("evil"), Allow),
        ("gh__delete", Some("evil"), Allow),
        ("mcp__gh-beta__delete", None, Allow),
        ("deleter", None, Allow),
        ("Delete", None, Allow),
    ] {
        assert_eq!(verb(&library, tool, server).verb, want, "{tool} {server:?}");
    }
    // Two servers have it: without a recorded one nobody knows.
    let p = b.pat(CALL, "lab.delete", &[], None);
    let g = b.never(p);
    b.contract("lab", &[], Some(g));
    let ids = vec![b.tool("lab.delete")];
    let p = b.pattern_of(CALL, Tools::Except(ids), &[], None);
    let g = b.never(p);
    let c = b.contract("only_lab", &[], Some(g));
    b.model.contracts[c].agents = vec!["bot-*".into()];
    let library = b.library();
    let d = verb(&library, "delete", None);
    assert_eq!(d.objections.len(), 3);
    assert!(
        d.objections
            .iter()
            .all(|o| o.reason == Reason::Undetermined)
    );
    assert_eq!(verb(&library, "delete", Some("lab")).objections.len(), 1);
    // Events of other agents are no steps.
    let text = r#"{"kind":"call","tool":"x","args":{},"agent":"man"}"#;
    assert_eq!(propose(&mut Session::new(&library), text).verb, Allow);
    let text = r#"{"kind":"call","tool":"x","args":{},"agent":"bot-1"}"#;
    assert_eq!(propose(&mut Session::new(&library), text).verb, Block);
}

#[test]
fn servers_with_underscores_are_known_by_name() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "my__server.run", &[], None);
    let g = b.never(p);
    b.contract("c", &[], Some(g));
    let library = b.library();
    for (tool, want) in [
        ("mcp__my__server__run", Block),
        ("mcp__my__run", Allow),
        ("mcp__my__server__x__run", Allow),
    ] {
        let d = propose(&mut Session::new(&library), &call("", tool, "{}"));
        assert_eq!(d.verb, want, "{tool}");
    }
}

#[test]
fn lookups_are_asked_once_an_event_and_fail_closed() {
    let mut b = Builder::new();
    let id = b.arg("order");
    let owner = b.lookup("order_owner", &[id]);
    let me = b.path(Root::Context, "me", Coerce::None);
    let mine = b.cmp(CompareOp::Eq, owner, me);
    let p = b.pat(CALL, "get", &[], None);
    let q = b.pat(CALL, "get", &[], Some(mine));
    let g = b.only_if(p, q);
    b.contract("own", &[], Some(g));
    let not = b.expr(Expr::Not(mine));
    let q = b.pat(CALL, "get", &[], Some(not));
    let g = b.never(q);
    b.contract("again", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    session.set_context(&support::record_of(&[("me", Value::from("c1"))]));
    let mut host = Answers(vec![("order_owner", Some(Value::from("c1")))], 0);
    let text = call("1", "get", r#"{"order":"o"}"#);
    let d = with(&text, |e| session.propose(e, &mut host)).unwrap();
    assert_eq!((d.verb, host.1), (Allow, 1));
    with(&text, |e| session.commit(e, &mut host)).unwrap();
    assert_eq!(host.1, 1);
    host.0 = vec![("order_owner", None)];
    let d = with(&text, |e| session.propose(e, &mut host)).unwrap();
    assert_eq!(d.verb, Block);
    assert_eq!(
        d.objections[0].detail.as_deref(),
        Some("lookup `order_owner` gave no answer")
    );
    assert_eq!(host.1, 2);
}

#[test]
fn json_in_a_result_text_is_read_where_a_field_is_asked_for() {
    let mut b = Builder::new();
    let field = b.result("ok");
    let yes = b.expr(Expr::Const(ctr_runtime::format::model::Const::Bool(true)));
    let ok = b.cmp(CompareOp::Eq, field, yes);
    let q = b.pat(SUCCESS, "check", &[], Some(ok));
    let p = b.pat(CALL, "pay", &[], None);
    let g = b.only_after(p, q);
    b.contract("checked", &[], Some(g));
    // `text(result)` stays as it came.
    let root = b.root(Root::Result);
    let text = b.expr(Expr::Call(Function::Text, vec![root]));
    let spaced = b.str("{ \"ok\": true }");
    let same = b.cmp(CompareOp::Eq, text, spaced);
    let r = b.pat(SUCCESS, "check", &[], Some(same));
    let g = b.never(r);
    b.contract("raw", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    record(&mut session, &call("1", "check", "{}"));
    let report = record(&mut session, &ret("1", r#""{ \"ok\": true }""#));
    assert_eq!(report.violations.len(), 1);
    assert_eq!(
        library.contract(report.violations[0].contract).name(),
        "raw"
    );
    assert_eq!(propose(&mut session, &call("2", "pay", "{}")).verb, Allow);
}

#[test]
fn outputs_are_the_agents_and_inputs_are_not() {
    let mut b = Builder::new();
    let text = b.root(Root::Text);
    let regex = b.regex("secret");
    let cond = b.expr(Expr::Matches(text, regex));
    let out = b.pat(Kind::Output, "", &[], Some(cond));
    let g = b.never(out);
    let c = b.contract("quiet", &[], Some(g));
    b.act(c, Action::Repair, "Not that.");
    let inp = b.pat(INPUT, "", &[], Some(cond));
    let g = b.never(inp);
    b.contract("told", &[], Some(g));
    let library = b.library();
    let mut session = Session::new(&library);
    let d = propose(&mut session, r#"{"kind":"output","text":"the secret"}"#);
    assert_eq!(
        (d.verb, d.objections[0].message.as_str()),
        (Block, "Not that.")
    );
    let g = gated(&mut session, r#"{"kind":"input","text":"a secret"}"#);
    assert_eq!((g.decision.verb, g.report.violations.len()), (Allow, 1));
    assert_eq!(session.finish().contracts[1].value, Value3::Fail);
    // Unknown declared events are events like others.
    assert_eq!(
        record(&mut session, r#"{"kind":"event","name":"x","fields":{}}"#).event,
        1
    );
}

#[test]
fn an_assumption_may_have_a_deadline_and_an_end() {
    let mut b = Builder::new();
    let p = b.pat(CALL, "ask", &[], None);
    let q = b.pat(SUCCESS, "ask", &[], None);
    let mut d = b.deadline(p, q, 10);
    d.side = Side::Assume;
    let never = b.pat(CALL, "x", &[], None);
    let g = b.never(never);
    b.full("quick", &[], None, Some(g), vec![d]);
    let library = b.library();
    let mut session = Session::new(&library);
    record(&mut session, &timed(&call("1", "ask", "{}"), 0.0));
    assert_eq!(session.finish().contracts[0].value, Value3::Idle);
    record(&mut session, &timed(&ret("1", "1"), 9.0));
    assert_eq!(session.finish().contracts[0].value, Value3::Active);
    record(&mut session, &timed(&call("2", "ask", "{}"), 10.0));
    let report = record(&mut session, &timed(&call("3", "x", "{}"), 21.0));
    assert_eq!((report.assumptions.len(), report.violations.len()), (1, 0));
    assert_eq!(session.finish().contracts[0].value, Value3::Idle);
}
