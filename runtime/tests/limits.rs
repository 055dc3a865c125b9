//! Where a limit is reached, the answer is "undefined", never a wrong one, and never a crash.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod support;

use ctr_runtime::eval::MAX_DEPTH;
use ctr_runtime::format::model::{Action, CompareOp, Expr, MessagePart, RegisterKind};
use ctr_runtime::format::{Library, encode};
use ctr_runtime::registers::{MAX_TEXT, MAX_VALUES, MAX_WINDOW};
use ctr_runtime::session::Session;
use support::{Builder, CALL, Line, line, read};

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
    let mut session = Session::new(&library);
    let list: Vec<String> = (0..MAX_VALUES).map(|n| n.to_string()).collect();
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
    let mut session = Session::new(&library);
    tell(&mut session, &put("\"needle\""));
    let big = "x".repeat(MAX_TEXT);
    assert_eq!(tell(&mut session, &probe("\"straw\"")), "false");
    tell(&mut session, &put(&format!("\"{big}\"")));
    assert_eq!(tell(&mut session, &probe("\"straw\"")), "?");
    assert_eq!(tell(&mut session, &probe("\"NEE dle\"")), "true");
}

#[test]
fn a_full_window_is_undefined_until_the_oldest_has_left() {
    let library = shown(RegisterKind::Count, Some(100));
    let mut session = Session::new(&library);
    let at = |text: &str, t: u32| text.replace("\"kind\"", &format!("\"time\":{t},\"kind\""));
    tell(&mut session, &at(&put("1"), 0));
    for _ in 0..MAX_WINDOW - 1 {
        tell(&mut session, &at(&put("1"), 50));
    }
    assert_eq!(
        tell(&mut session, &at(&probe("1"), 60)),
        MAX_WINDOW.to_string()
    );
    tell(&mut session, &at(&put("1"), 60));
    assert_eq!(tell(&mut session, &at(&probe("1"), 100)), "?");
    assert_eq!(
        tell(&mut session, &at(&probe("1"), 101)),
        MAX_WINDOW.to_string()
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

#[test]
fn sessions_can_be_sent_to_other_threads() {
    fn is_send<T: Send>() {}
    is_send::<Session<'static>>();
}
