//! Aggregates at their limits: undefined, never wrong.

use super::*;

const VALUES: usize = 100;
const TEXT: usize = 1000;
const WINDOW: usize = 50;

/// A register over `call put`, shown by a call of `probe`.
fn shown(kind: RegisterKind, window: Option<i64>) -> Library<'static> {
    let mut b = Builder::new();
    let put = b.pat(CALL, "put", &[], None);
    let v = b.arg("v");
    let takes = !matches!(kind, RegisterKind::Count | RegisterKind::Texts);
    let register = b.register(kind, put, takes.then_some(v), window);
    let shown = match kind {
        RegisterKind::Texts => b.expr(Expr::Mentioned {
            register,
            value: v,
            earlier: false,
        }),
        RegisterKind::Values => {
            let read = b.read(register);
            b.expr(Expr::In(v, read))
        }
        _ => b.read(register),
    };
    let probe = b.pat(CALL, "probe", &[], None);
    let g = b.never(probe);
    let c = b.contract("probe", &[], Some(g));
    b.act(c, Action::Warn, "");
    b.model.contracts[c].message = vec![MessagePart::Expr(shown)];
    b.library()
}

fn tell(session: &mut Session<'_>, text: &str) -> String {
    let l = line(text);
    let Line::Event(event) = read(&l) else {
        panic!("{text}")
    };
    let report = session.record(&event, &mut ()).unwrap();
    report
        .violations
        .first()
        .map_or(String::new(), |v| v.message.clone())
}

fn put(v: &str) -> String {
    format!(r#"{{"kind":"call","tool":"put","args":{{"v":{v}}}}}"#)
}

fn probe(v: &str) -> String {
    format!(r#"{{"kind":"call","tool":"probe","args":{{"v":{v}}}}}"#)
}

#[test]
fn too_many_values_are_undefined() {
    let library = shown(RegisterKind::Values, None);
    let mut session = limited(&library, |l| l.values = VALUES);
    let list: Vec<String> = (0..VALUES).map(|n| n.to_string()).collect();
    tell(&mut session, &put(&format!("[{}]", list.join(","))));
    assert_eq!(tell(&mut session, &probe("7")), "true");
    assert_eq!(tell(&mut session, &probe("-1")), "false");
    // One that is there already changes nothing.
    tell(&mut session, &put("7"));
    assert_eq!(tell(&mut session, &probe("-1")), "false");
    tell(&mut session, &put("-2"));
    assert_eq!(tell(&mut session, &probe("-1")), "?");
}

#[test]
fn too_much_text_is_undefined_where_it_is_not_found() {
    let library = shown(RegisterKind::Texts, None);
    let mut session = limited(&library, |l| l.text = TEXT);
    tell(&mut session, &put("\"needle\""));
    let big = "x".repeat(TEXT);
    assert_eq!(tell(&mut session, &probe("\"straw\"")), "false");
    tell(&mut session, &put(&format!("\"{big}\"")));
    assert_eq!(tell(&mut session, &probe("\"straw\"")), "?");
    assert_eq!(tell(&mut session, &probe("\"NEE dle\"")), "true");
}

#[test]
fn a_full_window_is_undefined_until_the_oldest_has_left() {
    let library = shown(RegisterKind::Count, Some(100));
    let mut session = limited(&library, |l| l.window = WINDOW);
    let at = |text: &str, t: u32| text.replace("\"kind\"", &format!("\"time\":{t},\"kind\""));
    tell(&mut session, &at(&put("1"), 0));
    for _ in 0..WINDOW - 1 {
        tell(&mut session, &at(&put("1"), 50));
    }
    assert_eq!(tell(&mut session, &at(&probe("1"), 60)), WINDOW.to_string());
    tell(&mut session, &at(&put("1"), 60));
    assert_eq!(tell(&mut session, &at(&probe("1"), 100)), "?");
    assert_eq!(
        tell(&mut session, &at(&probe("1"), 101)),
        WINDOW.to_string()
    );
}

#[test]
fn sums_that_do_not_fit_are_undefined() {
    let library = shown(RegisterKind::Sum, None);
    let mut session = Session::new(&library);
    let big = "9".repeat(38);
    tell(&mut session, &put(&big));
    assert_eq!(tell(&mut session, &probe("1")), big);
    for _ in 0..3 {
        tell(&mut session, &put(&big));
    }
    assert_eq!(tell(&mut session, &probe("1")), "?");
    // A number that does not fit by itself.
    let mut session = Session::new(&library);
    tell(&mut session, &put(&"9".repeat(60)));
    assert_eq!(tell(&mut session, &probe("1")), "?");
}

/// A contract that allows `use` only if the key's register is below 3.
fn counted(kind: RegisterKind, mixed: bool) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let v = b.arg("v");
    let member = b.pat(CALL, "add", &[k], None);
    let takes = !matches!(kind, RegisterKind::Count);
    let register = b.register(kind, member, takes.then_some(v), None);
    if mixed {
        // Every key counts the calls of `all` too.
        let all = b.pat(CALL, "all", &[], None);
        let one = b.expr(Expr::Pattern(member));
        let all = b.expr(Expr::Pattern(all));
        b.model.registers[register as usize].member = b.expr(Expr::Or(vec![one, all]));
    }
    let value = b.read(register);
    let three = b.num("3");
    let low = b.cmp(CompareOp::Lt, value, three);
    let low = b.cond(low, "count < 3");
    let used = b.pat(CALL, "use", &[k], None);
    let g = b.only_while(used, low);
    b.contract("few", &["k"], Some(g));
    b.library()
}

fn add(k: usize, v: &str) -> String {
    call("", "add", &format!(r#"{{"k":{k},"v":{v}}}"#))
}

fn usage(k: usize) -> String {
    call("", "use", &format!(r#"{{"k":{k}}}"#))
}

#[test]
fn further_keys_are_undefined_not_new() {
    for mixed in [false, true] {
        let library = counted(RegisterKind::Count, mixed);
        let mut session = limited(&library, |l| l.keys = 10);
        for k in 0..10 {
            for _ in 0..3 {
                record(&mut session, &add(k, "0"));
            }
        }
        let known = propose(&mut session, &usage(4));
        assert_eq!(known.objections[0].reason, Reason::Violated);
        // Within the bound, new keys start from nothing; beyond it nobody knows what they did.
        for _ in 0..3 {
            record(&mut session, &add(77, "0"));
        }
        refuses_by_limit(&propose(&mut session, &usage(77)));
        let known = propose(&mut session, &usage(4));
        assert_eq!(known.objections[0].reason, Reason::Violated);
        let mut wide = Session::new(&library);
        for _ in 0..2 {
            record(&mut wide, &add(77, "0"));
        }
        assert_eq!(propose(&mut wide, &usage(77)).verb, Verb::Allow);
    }
}

/// Whatever a session remembers in all is bounded; what is beyond is undefined, and comes back to be
/// defined where values replace others.
#[test]
fn what_registers_remember_is_bounded_in_all() {
    let library = counted(RegisterKind::Latest, false);
    let mut session = limited(&library, |l| l.remembered = 20_000);
    let big = format!("\"{}\"", "x".repeat(3000));
    for k in 0..200 {
        record(&mut session, &add(k, &big));
        record(
            &mut session,
            r#"{"kind":"return","tool":"add","status":"success"}"#,
        );
    }
    let size = session.save().len();
    assert!(size < 40_000, "{size}");
    // The text is no number: not by a limit for those that are remembered.
    let remembered = propose(&mut session, &usage(0));
    assert!(
        !remembered.objections[0]
            .detail
            .as_deref()
            .unwrap()
            .contains("limit")
    );
    refuses_by_limit(&propose(&mut session, &usage(150)));
    // Small values in place of large ones make room, and a register that is defined again says so.
    for k in 0..5 {
        record(&mut session, &add(k, "1"));
    }
    for _ in 0..1100 {
        record(&mut session, &add(0, "1"));
    }
    assert_eq!(propose(&mut session, &usage(0)).verb, Verb::Allow);
    record(&mut session, &add(4, "5"));
    assert_eq!(
        propose(&mut session, &usage(4)).objections[0].reason,
        Reason::Violated
    );
}

/// Saving and restoring at the limit changes nothing that is decided later.
#[test]
fn the_bound_survives_saving() {
    let library = counted(RegisterKind::Latest, false);
    let limit = |l: &mut Limits| l.remembered = 5_000;
    let mut session = limited(&library, limit);
    for n in 0..400_usize {
        let text = match n % 3 {
            0 => add(n % 40, &format!("\"{}\"", "y".repeat(n))),
            1 => add(n % 40, "1"),
            _ => usage((n * 7) % 40),
        };
        let mut twin = Session::restore(&library, &session.save()).unwrap();
        twin.set_limits(*session.limits());
        let here = with(&text, |e| session.propose(e, &mut ()).unwrap());
        assert_eq!(with(&text, |e| twin.propose(e, &mut ()).unwrap()), here);
        assert_eq!(record(&mut twin, &text), record(&mut session, &text));
        assert_eq!(twin.save(), session.save(), "{n}");
    }
}
