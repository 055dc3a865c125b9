//! The conformance cases with libraries made by hand: both views, every event.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use ctr_runtime::decision::{Outcome, Verb};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{
    Coerce, CompareOp, EventKind as Kind, Expr, Label, RegisterKind, Root, Status, Tools,
};
use ctr_runtime::session::{Session, gate};
use support::{Builder, CALL, INPUT, Line, RETURN, SUCCESS, bad, line, read};

type Make = fn(&mut Builder);

fn pay_cap(b: &mut Builder) {
    let amount = b.number_arg("amount");
    let limit = b.num("500");
    let ok = b.cmp(CompareOp::Le, amount, limit);
    let p = b.pat(CALL, "refund", &[], None);
    let q = b.pat(CALL, "refund", &[], Some(ok));
    let g = b.only_if(p, q);
    b.contract("cap", &[], Some(g));
}

fn clean_inputs(b: &mut Builder) {
    let injected = b.text_matches(Root::Result, "(?i)ignore previous");
    let bad_mail = b.pat(RETURN, "read_mail", &[], Some(injected));
    let a = b.never(bad_mail);
    let send = b.pat(CALL, "send", &[], None);
    let read = b.pat(SUCCESS, "read_mail", &[], None);
    let g = b.only_after(send, read);
    b.full("clean_inputs", &[], Some(a), Some(g), vec![]);
}

fn few(b: &mut Builder) {
    let p = b.pat(CALL, "search", &[], None);
    let g = b.at_most(p, 2);
    b.contract("few", &[], Some(g));
}

/// `call tool only if path op value`, one key or none.
fn call_only_if(b: &mut Builder, name: &str, tool: &str, cond: u32) {
    let p = b.pat(CALL, tool, &[], None);
    let q = b.pat(CALL, tool, &[], Some(cond));
    let g = b.only_if(p, q);
    b.contract(name, &[], Some(g));
}

fn after(b: &mut Builder, name: &str, p: (Kind, &str), q: (Kind, &str)) {
    let p = b.pat(p.0, p.1, &[], None);
    let q = b.pat(q.0, q.1, &[], None);
    let g = b.only_after(p, q);
    b.contract(name, &[], Some(g));
}

fn once_per(b: &mut Builder, name: &str, key: &str, kind: Kind, tool: &str, arg: &str) {
    let k = b.arg(arg);
    let p = b.pat(kind, tool, &[k], None);
    let g = b.at_most(p, 1);
    b.contract(name, &[key], Some(g));
}

fn receipt(b: &mut Builder) {
    let k = b.arg("order_id");
    let p = b.pat(SUCCESS, "refund", &[k], None);
    let q = b.pat(CALL, "send_receipt", &[k], None);
    let g = b.leads_to(p, q);
    b.contract("receipt", &["order"], Some(g));
}

fn read_back(b: &mut Builder) {
    let p = b.pat(CALL, "write", &[], None);
    let q = b.pat(CALL, "read", &[], None);
    let g = b.next(p, q);
    b.contract("read_back", &[], Some(g));
}

fn verify_first(b: &mut Builder) {
    after(b, "verify_first", (CALL, "transfer"), (CALL, "verify"));
}

fn tests_first(b: &mut Builder) {
    after(
        b,
        "tests_pass_first",
        (CALL, "deploy"),
        (SUCCESS, "run_tests"),
    );
}

fn never_call(b: &mut Builder, name: &str, tool: &str) {
    let p = b.pat(CALL, tool, &[], None);
    let g = b.never(p);
    b.contract(name, &[], Some(g));
}

fn cases() -> BTreeMap<&'static str, Make> {
    let mut all: BTreeMap<&'static str, Make> = BTreeMap::new();
    all.insert("allow_list", |b| {
        let mut ids = vec![b.tool("read"), b.tool("list")];
        ids.sort_unstable();
        let p = b.pattern_of(CALL, Tools::Except(ids), &[], None);
        let g = b.never(p);
        b.contract("only_these", &[], Some(g));
    });
    all.insert("assumption_broken_is_idle", clean_inputs);
    all.insert("assumption_kept_guarantee_broken", clean_inputs);
    all.insert("at_most_counts_this_call", few);
    for name in [
        "cap_exceeded",
        "cap_missing_argument",
        "cap_null_argument",
        "cap_ok",
        "cap_numeric_string_in_numeric_field",
    ] {
        all.insert(name, pay_cap);
    }
    all.insert("consecutive", |b| {
        let p = b.pat(CALL, "ping", &[], None);
        let g = b.consecutive(p, 2);
        b.contract("no_loop", &[], Some(g));
    });
    all.insert("context_change_reopens", |b| {
        let p = b.pat(CALL, "wipe", &[], None);
        let role = b.path(Root::Context, "role", Coerce::None);
        let admin = b.str("admin");
        let cond = b.cmp(CompareOp::Eq, role, admin);
        let cond = b.cond(cond, "ctx.role == \"admin\"");
        let g = b.only_while(p, cond);
        b.contract("admin_only", &[], Some(g));
    });
    all.insert("context_equality", |b| {
        let owner = b.arg("owner");
        let customer = b.path(Root::Context, "customer_id", Coerce::None);
        let cond = b.cmp(CompareOp::Eq, owner, customer);
        call_only_if(b, "own_orders", "get_order", cond);
    });
    all.insert("declared_event", |b| {
        b.model.events.push("approval".into());
        let by = b.path(Root::Fields, "by", Coerce::None);
        let lead = b.str("lead");
        let cond = b.cmp(CompareOp::Eq, by, lead);
        let p = b.pat(CALL, "wire", &[], None);
        let q = b.pat(Kind::Declared(0), "", &[], Some(cond));
        let g = b.only_after(p, q);
        b.contract("approved", &[], Some(g));
    });
    all.insert("default_makes_optional_defined", |b| {
        let amount = b.number_arg("amount");
        let zero = b.num("0");
        let amount = b.expr(Expr::Coalesce(amount, zero));
        let limit = b.num("500");
        let cond = b.cmp(CompareOp::Gt, amount, limit);
        let p = b.pat(CALL, "refund", &[], Some(cond));
        let g = b.never(p);
        b.contract("cap", &[], Some(g));
    });
    all.insert("duty_per_key_failed_refund_owes_nothing", receipt);
    all.insert("duty_per_key_open", receipt);
    all.insert("duty_within_steps", |b| {
        let p = b.pat(CALL, "diagnose", &[], None);
        let q = b.pat(CALL, "fix", &[], None);
        let g = b.within_steps(p, q, 2);
        b.contract("fix_soon", &[], Some(g));
    });
    all.insert("duty_within_time", |b| {
        let p = b.pat(CALL, "page", &[], None);
        let q = b.pat(CALL, "acknowledge", &[], None);
        let d = b.deadline(p, q, 30);
        b.full("ack", &[], None, None, vec![d]);
    });
    all.insert("empty_session_safety_and_duty", |b| {
        never_call(b, "safety", "drop");
        let p = b.pat(CALL, "report", &[], None);
        let p = b.atom(p);
        let g = b.dfa(
            &[p],
            2,
            |s| [Label::Pending, Label::SatisfiedForGood][s as usize],
            |s, bits| u32::from(s == 1 || bits[0]),
        );
        b.contract("duty", &[], Some(g));
    });
    all.insert("exclusive_choice", |b| {
        let invite = b.pat(CALL, "invite", &[], None);
        let remove = b.pat(CALL, "remove", &[], None);
        let (i, r) = (b.atom(invite), b.atom(remove));
        let g = b.dfa(&[i, r], 4, bad(3), |s, bits| match (s, bits[0], bits[1]) {
            (0, true, _) => 1,
            (0, _, true) => 2,
            (1, _, true) | (2, true, _) => 3,
            (s, _, _) => s,
        });
        b.contract("one_of_two", &[], Some(g));
    });
    all.insert("fresh_after", |b| {
        let q = b.pat(SUCCESS, "run_tests", &[], None);
        let register = b.register(RegisterKind::Elapsed, q, None, None);
        let fresh = b.expr(Expr::Fresh {
            register,
            within: 300_000_000_000,
        });
        call_only_if(b, "fresh", "deploy", fresh);
    });
    all.insert("integers_and_floats_are_one", |b| {
        let qty = b.arg("qty");
        let n = b.num("42");
        let cond = b.cmp(CompareOp::Eq, qty, n);
        call_only_if(b, "qty", "set_qty", cond);
    });
    all.insert("keys_are_not_folded", |b| {
        once_per(b, "once", "order", CALL, "refund", "order_id");
    });
    all.insert("latest_value_binds", |b| {
        let k = b.arg("order_id");
        let check = b.pat(SUCCESS, "check", &[k], None);
        let limit = b.result("limit");
        let register = b.register(RegisterKind::Latest, check, Some(limit), None);
        let latest = b.read(register);
        let amount = b.arg("amount");
        let cond = b.cmp(CompareOp::Le, amount, latest);
        let p = b.pat(CALL, "refund", &[k], None);
        let q = b.pat(CALL, "refund", &[k], Some(cond));
        let g = b.only_if(p, q);
        b.contract("within_limit", &["order"], Some(g));
    });
    all.insert("like_is_whole_value", |b| {
        let to = b.arg("to");
        let x = b.root(Root::Var(0));
        let glob = b.str("*@corp.com");
        let like = b.expr(Expr::Like(x, glob));
        let cond = b.expr(Expr::Every(to, like));
        call_only_if(b, "internal_only", "send_email", cond);
    });
    all.insert("logout_reopens", |b| {
        let pay = b.pat(CALL, "pay", &[], None);
        let login = b.pat(SUCCESS, "login", &[], None);
        let logout = b.pat(SUCCESS, "logout", &[], None);
        let atoms = [b.atom(pay), b.atom(login), b.atom(logout)];
        let g = b.dfa(&atoms, 3, bad(2), |s, bits| {
            let inside = bits[1] || (s == 1 && !bits[2]);
            match s {
                2 => 2,
                _ if bits[0] && !inside => 2,
                _ => u32::from(inside),
            }
        });
        b.contract("logged_in", &[], Some(g));
    });
    all.insert("names_are_exact", |b| never_call(b, "no_send", "send"));
    all.insert("negated_condition_fails_closed_too", |b| {
        let amount = b.number_arg("amount");
        let limit = b.num("500");
        let cond = b.cmp(CompareOp::Gt, amount, limit);
        let p = b.pat(CALL, "refund", &[], Some(cond));
        let g = b.never(p);
        b.contract("cap", &[], Some(g));
    });
    all.insert("nested_text_is_searched_by_text", |b| {
        let cond = b.text_matches(Root::Args, "AKIA[0-9A-Z]{16}");
        let p = b.pat(CALL, "upload", &[], Some(cond));
        let g = b.never(p);
        b.contract("no_key", &[], Some(g));
    });
    for name in [
        "next_call_ignores_returns",
        "next_call_wrong_tool",
        "next_pending_at_end",
    ] {
        all.insert(name, read_back);
    }
    all.insert("no_email_after_secret_read", |b| {
        let p = b.pat(CALL, "send_email", &[], None);
        let q = b.pat(SUCCESS, "read_secret", &[], None);
        let g = b.never_after(p, q);
        b.contract("no_exfiltration", &[], Some(g));
    });
    all.insert("numeric_keys_are_exact", |b| {
        once_per(b, "once", "price", CALL, "bid", "price");
    });
    all.insert("once_per_order", |b| {
        once_per(b, "once", "order", CALL, "refund", "order_id");
    });
    all.insert("only_after_never_needed", verify_first);
    all.insert("only_after_ok", verify_first);
    all.insert("only_after_violated", verify_first);
    all.insert("only_after_success_not_satisfied_by_failure", tests_first);
    all.insert("only_after_success_still_running", tests_first);
    all.insert("path_within", |b| {
        let path = b.arg("path");
        let dir = b.str("/srv");
        let cond = b.expr(Expr::Inside(path, dir));
        call_only_if(b, "stay", "read_file", cond);
    });
    all.insert("per_key_next", |b| {
        let k = b.arg("order");
        let p = b.pat(CALL, "stage", &[k], None);
        let q = b.pat(CALL, "commit", &[k], None);
        let g = b.next(p, q);
        b.contract("commit_follows", &["o"], Some(g));
    });
    all.insert("provenance_of_an_argument", |b| {
        let login = b.pat(SUCCESS, "login", &[], None);
        let token = b.result("access_token");
        let register = b.register(RegisterKind::Values, login, Some(token), None);
        let values = b.read(register);
        let arg = b.arg("access_token");
        let cond = b.expr(Expr::In(arg, values));
        call_only_if(b, "token_from_login", "list_files", cond);
    });
    all.insert("provenance_spreads_lists", |b| {
        let search = b.pat(SUCCESS, "search", &[], None);
        let ids = b.result("items.*.id");
        let register = b.register(RegisterKind::Values, search, Some(ids), None);
        let values = b.read(register);
        let arg = b.arg("item_id");
        let cond = b.expr(Expr::In(arg, values));
        call_only_if(b, "known_item", "buy", cond);
    });
    all.insert("refused_calls_do_not_count", |b| {
        few(b);
        let q = b.arg("q");
        let x = b.str("x");
        let cond = b.cmp(CompareOp::Ne, q, x);
        call_only_if(b, "no_x", "search", cond);
    });
    all.insert("result_content_is_not_held_against_a_call", |b| {
        let cond = b.text_matches(Root::Result, "PRIVATE KEY");
        let p = b.pat(SUCCESS, "read_file", &[], Some(cond));
        let g = b.never(p);
        b.contract("no_keys", &[], Some(g));
    });
    all.insert("returns_out_of_order", |b| {
        after(b, "order_known", (CALL, "close"), (SUCCESS, "get_order"));
    });
    all.insert("same_agent_rule", |b| {
        let k = b.root(Root::Agent);
        let p = b.pat(CALL, "transfer", &[k], None);
        let q = b.pat(CALL, "verify", &[k], None);
        let _ = q;
        let q = b.pat(SUCCESS, "verify", &[k], None);
        let g = b.only_after(p, q);
        b.contract("own_check", &["a"], Some(g));
    });
    all.insert("sliding_window", |b| {
        let p = b.pat(CALL, "api", &[], None);
        let register = b.register(RegisterKind::Count, p, None, Some(60));
        let count = b.read(register);
        let two = b.num("2");
        let cond = b.cmp(CompareOp::Le, count, two);
        let cond = b.cond(cond, "count(call api within 60s) <= 2");
        let g = b.only_while(p, cond);
        b.contract("rate", &[], Some(g));
    });
    all.insert("success_cap_is_anticipated", |b| {
        let p = b.pat(SUCCESS, "pay", &[], None);
        let g = b.at_most(p, 1);
        b.contract("one_payment", &[], Some(g));
    });
    all.insert("sum_is_exact_decimal", |b| {
        let p = b.pat(CALL, "pay", &[], None);
        let amount = b.arg("amount");
        let register = b.register(RegisterKind::Sum, p, Some(amount), None);
        let sum = b.read(register);
        let limit = b.num("0.3");
        let cond = b.cmp(CompareOp::Le, sum, limit);
        call_only_if(b, "budget", "pay", cond);
    });
    all.insert("undefined_where_it_does_not_matter", |b| {
        after(b, "cap", (CALL, "refund"), (SUCCESS, "approve"));
        let label = b.arg("label");
        let color = b.arg("color");
        let (bad, red) = (b.str("bad"), b.str("red"));
        let x = b.cmp(CompareOp::Eq, label, bad);
        let y = b.cmp(CompareOp::Eq, color, red);
        let cond = b.expr(Expr::And(vec![x, y]));
        let p = b.pat(CALL, "tag", &[], Some(cond));
        let g = b.never(p);
        b.contract("labelled", &[], Some(g));
    });
    all.insert("unkeyed_pattern_reaches_later_keys", |b| {
        let k = b.arg("door_id");
        let p = b.pat(CALL, "open", &[k], None);
        let q = b.pat(SUCCESS, "master_unlock", &[], None);
        let g = b.only_after(p, q);
        b.contract("after_unlock", &["door"], Some(g));
    });
    all.insert("unknown_outcome_uses_the_cap", |b| {
        once_per(b, "one_refund", "order", SUCCESS, "refund", "order_id");
    });
    all.insert("untrusted_recipient", |b| {
        let input = b.pat(INPUT, "", &[], None);
        let any = b.pat(RETURN, "", &[], None);
        let said = b.register(RegisterKind::Texts, input, None, None);
        let returned = b.register(RegisterKind::Texts, any, None, None);
        let value = b.arg("recipient");
        let mentioned = |b: &mut Builder, register| {
            b.expr(Expr::Mentioned {
                register,
                value,
                earlier: false,
            })
        };
        let x = mentioned(b, said);
        let y = mentioned(b, returned);
        let not_y = b.expr(Expr::Not(y));
        let cond = b.expr(Expr::Or(vec![x, not_y]));
        call_only_if(b, "named_by_user", "send_money", cond);
    });
    all.insert("verdict_pair", |b| {
        never_call(b, "a", "x");
        let text = b.root(Root::Text);
        let regex = b.regex("hack");
        let cond = b.expr(Expr::Matches(text, regex));
        let hack = b.pat(INPUT, "", &[], Some(cond));
        let a = b.never(hack);
        let y = b.pat(CALL, "y", &[], None);
        let g = b.never(y);
        b.full("b", &[], Some(a), Some(g), vec![]);
        never_call(b, "c", "z");
    });
    all.insert("wire_name_is_server_and_tool", |b| {
        never_call(b, "no_delete", "gh.delete_repo");
    });
    all
}

fn section<'t>(text: &'t str, title: &str) -> Option<&'t str> {
    // The title's own line break may be all that stands before the next title.
    let start = text.find(&format!("### {title}\n"))? + title.len() + 4;
    let rest = &text[start..];
    Some(&rest[..rest.find("\n### ").unwrap_or(rest.len())])
}

fn check_recorded(library: &Library<'_>, outcome: &Outcome, want: &serde_json::Value) -> String {
    let mut faults = String::new();
    if want["environment"] != outcome.environment.name() || want["agent"] != outcome.agent.name() {
        faults += &format!("pair {:?} {:?}\n", outcome.environment, outcome.agent);
    }
    for contract in want["contracts"].as_array().unwrap() {
        let n = library
            .contracts()
            .position(|c| contract["contract"] == c.name())
            .unwrap();
        let got = &outcome.contracts[n];
        if contract["value"] != got.value.name() {
            faults += &format!("value {:?}\n", got.value);
        }
        let events: Vec<u64> = got.violations.iter().filter_map(|v| v.event).collect();
        let wanted: Vec<u64> = contract["violations"]
            .as_array()
            .map(|l| l.iter().filter_map(serde_json::Value::as_u64).collect())
            .unwrap_or_default();
        if events != wanted {
            faults += &format!("violations {events:?}, not {wanted:?}\n");
        }
    }
    faults
}

#[test]
fn conformance_cases_in_both_views() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance");
    let mut faults = String::new();
    let mut seen = 0;
    for (name, make) in cases() {
        let text = std::fs::read_to_string(folder.join(format!("{name}.case"))).unwrap();
        let mut builder = Builder::new();
        make(&mut builder);
        let library = builder.library();
        let lines: Vec<_> = section(&text, "trace.jsonl")
            .unwrap()
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(line)
            .collect();
        if let Some(want) = section(&text, "recorded.json") {
            let want: serde_json::Value = serde_json::from_str(want).unwrap();
            let mut session = Session::new(&library);
            let mut told: Vec<(u32, Option<u64>)> = Vec::new();
            for line in &lines {
                match read(line) {
                    Line::Context(fields) => session.set_context(fields),
                    Line::Event(event) => {
                        let report = session.record(&event, &mut ()).unwrap();
                        told.extend(report.violations.iter().map(|v| (v.contract, v.event)));
                    }
                }
            }
            let outcome = session.finish();
            let fault = check_recorded(&library, &outcome, &want);
            if !fault.is_empty() {
                faults += &format!("{name}, recorded: {fault}");
            }
            for (contract, event) in told {
                let listed = &outcome.contracts[contract as usize];
                assert!(
                    listed.violations.iter().any(|v| v.event == event)
                        || listed.value == ctr_runtime::decision::Value3::Idle,
                    "{name}"
                );
            }
            seen += 1;
        }
        if let Some(want) = section(&text, "gated.json") {
            let want: serde_json::Value = serde_json::from_str(want).unwrap();
            let mut session = Session::new(&library);
            let mut got = Vec::new();
            for line in &lines {
                match read(line) {
                    Line::Context(fields) => session.set_context(fields),
                    Line::Event(event) => {
                        let gated = gate(&mut session, &event, &mut ()).unwrap();
                        if gated.decision.verb != Verb::Allow {
                            let mut names: Vec<&str> = gated
                                .decision
                                .objections
                                .iter()
                                .map(|o| library.contract(o.contract).name())
                                .collect();
                            names.dedup();
                            got.push(serde_json::json!({
                                "event": gated.event,
                                "decision": gated.decision.verb.name(),
                                "contracts": names,
                            }));
                        }
                    }
                }
            }
            let got = serde_json::Value::from(got);
            if got != want["decisions"] {
                faults += &format!("{name}, gated: {got} instead of {}\n", want["decisions"]);
            }
            seen += 1;
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(seen > 100, "{seen}");
    let _ = Status::Success;
}
