//! An agent chooses its lists and texts: what a condition may cost is bounded all the same.

use super::*;
use std::time::{Duration, Instant};

/// `probe` is refused where the condition holds.
fn never(build: impl FnOnce(&mut Builder) -> u32) -> Library<'static> {
    let mut b = Builder::new();
    let condition = build(&mut b);
    let probe = b.pat(CALL, "probe", &[], Some(condition));
    let g = b.never(probe);
    b.contract("never", &[], Some(g));
    b.library()
}

fn numbers(count: usize) -> String {
    let list: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    call("", "probe", &format!(r#"{{"list":[{}]}}"#, list.join(",")))
}

/// `some a in list: some b in list: ... : a < 0`, so deep.
fn quantified(depth: usize) -> Library<'static> {
    never(|b| {
        let list = b.arg("list");
        let var = b.root(Root::Var(0));
        let zero = b.num("0");
        let mut body = b.cmp(CompareOp::Lt, var, zero);
        for _ in 0..depth {
            body = b.expr(Expr::Some(list, body));
        }
        body
    })
}

#[test]
fn nested_quantifiers_end() {
    let start = Instant::now();
    for depth in [1, 2, 3, 20, 100] {
        let library = quantified(depth);
        let mut session = limited(&library, |l| l.work = 100_000);
        let small = propose(&mut session, &numbers(1));
        assert_eq!(small.verb, Verb::Allow, "{depth}");
        let large = propose(&mut session, &numbers(1000));
        if depth == 1 {
            assert_eq!(large.verb, Verb::Allow);
        } else {
            refuses_by_limit(&large);
        }
    }
    // By the default, too.
    let library = quantified(40);
    refuses_by_limit(&propose(&mut Session::new(&library), &numbers(1000)));
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// The bound is one of each condition: many that are dear do not starve each other.
#[test]
fn each_condition_has_its_own() {
    let mut b = Builder::new();
    for n in 0..50 {
        let list = b.arg("list");
        let var = b.root(Root::Var(0));
        let least = b.num(&(-n).to_string());
        let low = b.cmp(CompareOp::Lt, var, least);
        let some = b.expr(Expr::Some(list, low));
        let probe = b.pat(CALL, "probe", &[], Some(some));
        let g = b.never(probe);
        b.contract(&format!("never{n}"), &[], Some(g));
    }
    let library = b.library();
    let mut session = limited(&library, |l| l.work = 20_000);
    assert_eq!(propose(&mut session, &numbers(2000)).verb, Verb::Allow);
}

/// Where the bound is reached, `has`, `??` and a projection's missing elements are not "missing".
#[test]
fn a_limit_is_not_a_missing_value() {
    let hole = |b: &mut Builder| {
        // Its evaluation needs all of the list before the field is missed.
        let list = b.arg("list");
        let var = b.root(Root::Var(0));
        let zero = b.num("0");
        let low = b.cmp(CompareOp::Lt, var, zero);
        b.expr(Expr::Some(list, low))
    };
    let has = never(|b| {
        let some = hole(b);
        let has = b.expr(Expr::Has(some));
        b.expr(Expr::Not(has))
    });
    let coalesce = never(|b| {
        let some = hole(b);
        let no = b.expr(Expr::Const(ctr_runtime::format::model::Const::Bool(false)));
        b.expr(Expr::Coalesce(some, no))
    });
    for library in [has, coalesce] {
        let mut session = limited(&library, |l| l.work = 5_000);
        assert_eq!(propose(&mut session, &numbers(100)).verb, Verb::Allow);
        refuses_by_limit(&propose(&mut session, &numbers(10_000)));
    }
    // A `values` aggregate whose member could not be worked out is incomplete.
    let mut b = Builder::new();
    let probe = b.pat(CALL, "put", &[], None);
    let some = hole(&mut b);
    let set = b.register(RegisterKind::Values, probe, Some(some), None);
    let set = b.read(set);
    let yes = b.expr(Expr::Const(ctr_runtime::format::model::Const::Bool(true)));
    let found = b.expr(Expr::In(yes, set));
    let p = b.pat(CALL, "probe", &[], Some(found));
    let g = b.never(p);
    b.contract("never", &[], Some(g));
    let library = b.library();
    let mut session = limited(&library, |l| l.work = 5_000);
    record(&mut session, &numbers(100).replace("probe", "put"));
    assert_eq!(
        propose(&mut session, &call("", "probe", "{}")).verb,
        Verb::Allow
    );
    record(&mut session, &numbers(10_000).replace("probe", "put"));
    assert_eq!(
        propose(&mut session, &call("", "probe", "{}")).verb,
        Verb::Block
    );
}

/// Searching texts and lists inside of quantifiers counts by what is searched.
#[test]
fn searches_count_by_length() {
    let text = never(|b| {
        let list = b.arg("list");
        let text = b.arg("text");
        let var = b.root(Root::Var(0));
        let found = b.expr(Expr::Contains(text, var));
        b.expr(Expr::Some(list, found))
    });
    let member = never(|b| {
        let list = b.arg("list");
        let text = b.arg("others");
        let var = b.root(Root::Var(0));
        let found = b.expr(Expr::In(var, text));
        b.expr(Expr::Some(list, found))
    });
    let probe = |count: usize, length: usize| {
        let list: Vec<String> = (0..count).map(|n| format!("\"{n}\"")).collect();
        let list = list.join(",");
        let others: Vec<String> = (0..length).map(|_| "true".to_owned()).collect();
        let args = format!(
            r#"{{"list":[{list}],"text":"{}","others":[{}]}}"#,
            "x".repeat(length),
            others.join(",")
        );
        call("", "probe", &args)
    };
    for library in [text, member] {
        let mut session = limited(&library, |l| l.work = 100_000);
        assert_eq!(propose(&mut session, &probe(100, 500)).verb, Verb::Allow);
        refuses_by_limit(&propose(&mut session, &probe(1000, 50_000)));
    }
}
