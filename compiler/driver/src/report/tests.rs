//! What pages say, and that looking on changes nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::path::PathBuf;
use std::sync::Arc;

use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Standing};
use ctr_trace::judge::Grader;
use ctr_trace::{detect, files};

use super::data::{MAX_FOLLOWED, Told};
use super::findings;
use super::page::{Setting, session};
use super::pictures::Pictures;
use super::shell::STYLE;
use super::sources::Sources;
use crate::cli::View;
use crate::library;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The examples: a library and a session.
fn examples() -> Vec<(Library<'static>, Vec<String>, ctr_trace::Session)> {
    let mut found = Vec::new();
    for example in ["refund_desk", "deploy_gate", "mail_guard", "travel_desk"] {
        let folder = root().join("examples").join(example);
        let policy = vec![folder.join("policy.ctr").display().to_string()];
        let sessions = folder.join("sessions").display().to_string();
        for path in files::find(&[sessions]).files {
            let text = files::read(&path).unwrap();
            for piece in detect::split(&path, &text).unwrap() {
                let library = library::open(&policy).unwrap();
                found.push((library, policy.clone(), detect::read(&piece).unwrap()));
            }
        }
    }
    assert!(found.len() >= 5, "{}", found.len());
    found
}

fn compiled(policy: &str) -> Library<'static> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.ctr");
    std::fs::write(&path, policy).unwrap();
    library::open(&[path.display().to_string()]).unwrap()
}

fn told(library: &Library<'_>, view: View, trace: &str) -> Told {
    let pieces = detect::split("s.jsonl", trace).unwrap();
    let plan = Arc::new(Plan::new(library));
    Told::judge(library, &plan, view, detect::read(&pieces[0]).unwrap())
}

#[test]
fn looking_on_changes_nothing() {
    for (library, _, recording) in examples() {
        let plan = Arc::new(Plan::new(&library));
        for view in [View::Recorded, View::Gated] {
            let mut grader = Grader::new(&library, &plan);
            let plain = match view {
                View::Recorded => grader.recorded(&recording),
                View::Gated => grader.gated(&recording),
            };
            let told = Told::judge(&library, &plan, view, recording.clone());
            assert_eq!(plain.outcome, told.report.outcome, "{}", recording.name);
            assert_eq!(plain.malformed, told.report.malformed);
            assert_eq!(
                format!("{:?}", plain.decisions),
                format!("{:?}", told.report.decisions)
            );
        }
    }
}

#[test]
fn how_contracts_stand_at_the_end_is_their_verdict() {
    let mut seen = Vec::new();
    for (library, _, recording) in examples() {
        let plan = Arc::new(Plan::new(&library));
        for view in [View::Recorded, View::Gated] {
            let told = Told::judge(&library, &plan, view, recording.clone());
            for (outcome, track) in told.report.outcome.contracts.iter().zip(&told.story.tracks) {
                let value = match track.end() {
                    Some(Standing::Violated | Standing::Pending) => Value3::Fail,
                    Some(Standing::Broken | Standing::Unmet) => Value3::Idle,
                    Some(Standing::Satisfied | Standing::SatisfiedForGood) | None => Value3::Active,
                };
                assert_eq!(value, outcome.value, "{}", recording.name);
                seen.push(track.end());
            }
        }
    }
    assert!(seen.contains(&Some(Standing::Violated)) && seen.contains(&Some(Standing::Pending)));
}

const ALL_STATES: &str = "\
contract once { guarantee call a at most 1 time }
contract owed { guarantee call a leads to call b }
contract reached { guarantee eventually call a }
contract calm { assume never return a(bad) guarantee never call z }
contract each for each o { guarantee call a(order == o) at most 1 time }
";

#[test]
fn every_standing_is_followed() {
    let library = compiled(ALL_STATES);
    let trace = "\
{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"a\",\"args\":{\"order\":1}}
{\"kind\":\"return\",\"id\":\"1\",\"status\":\"success\",\"result\":{\"bad\":true}}
{\"kind\":\"call\",\"id\":\"2\",\"tool\":\"b\"}
{\"kind\":\"call\",\"id\":\"3\",\"tool\":\"a\",\"args\":{\"order\":1}}
{\"kind\":\"call\",\"id\":\"4\",\"tool\":\"a\",\"args\":{\"order\":2}}
";
    let told = told(&library, View::Recorded, trace);
    let runs = |contract: usize| {
        let track = &told.story.tracks[contract];
        let mut runs = vec![(None, track.start)];
        runs.extend(
            track
                .whole
                .iter()
                .map(|(at, standing)| (Some(*at), *standing)),
        );
        runs
    };
    let some = Some::<u64>;
    assert_eq!(
        runs(0),
        [
            (None, Some(Standing::Satisfied)),
            (some(3), Some(Standing::Violated))
        ]
    );
    assert_eq!(
        runs(1),
        [
            (None, Some(Standing::Satisfied)),
            (some(0), Some(Standing::Pending)),
            (some(2), Some(Standing::Satisfied)),
            (some(3), Some(Standing::Pending))
        ]
    );
    assert_eq!(
        runs(2),
        [
            (None, Some(Standing::Pending)),
            (some(0), Some(Standing::SatisfiedForGood))
        ]
    );
    assert_eq!(
        runs(3),
        [
            (None, Some(Standing::Satisfied)),
            (some(1), Some(Standing::Broken))
        ]
    );
    assert_eq!(
        runs(4),
        [
            (None, None),
            (some(0), Some(Standing::Satisfied)),
            (some(3), Some(Standing::Violated))
        ]
    );
    let instances: Vec<_> = told.story.tracks[4]
        .instances
        .iter()
        .map(|i| (i.key[0].to_string(), i.runs.clone()))
        .collect();
    assert_eq!(
        instances,
        [
            (
                "1".to_owned(),
                vec![
                    (0, Some(Standing::Satisfied)),
                    (3, Some(Standing::Violated))
                ]
            ),
            ("2".to_owned(), vec![(4, Some(Standing::Satisfied))])
        ]
    );
}

/// Of many keys the first are followed one by one, and the contract as a whole counts all.
#[test]
fn many_keys() {
    let library =
        compiled("contract once for each k { guarantee call pay(args.k == k) at most 1 time }");
    let call = |n: u32, k: u32| {
        format!("{{\"kind\":\"call\",\"id\":\"c{n}\",\"tool\":\"pay\",\"args\":{{\"k\":{k}}}}}\n")
    };
    let last = MAX_FOLLOWED as u32 + 20;
    let trace: String = (0..=last)
        .chain([last])
        .zip(0..)
        .map(|(k, n)| call(n, k))
        .collect();
    let told = told(&library, View::Recorded, &trace);
    let track = &told.story.tracks[0];
    assert_eq!(track.instances.len(), MAX_FOLLOWED);
    assert_eq!(track.occurred, last as usize + 1);
    assert_eq!(track.end(), Some(Standing::Violated));
}

#[test]
fn findings_say_what_was_seen_and_what_would_be_accepted() {
    let library = compiled(
        "contract limit { guarantee call pay only if amount <= 50 otherwise block \"Too much: {args.amount}.\" }\n\
         contract told { guarantee call pay leads to call receipt }\n",
    );
    let trace = "{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"pay\",\"args\":{\"amount\":80}}\n{\"kind\":\"return\",\"id\":\"9\",\"status\":\"success\"}\n";
    for view in [View::Recorded, View::Gated] {
        let told = told(&library, view, trace);
        let found = findings::all(&told);
        let first = &found[0];
        assert_eq!((first.event, first.message), (Some(0), "Too much: 80."));
        assert_eq!(first.accepted, ["amount <= 50"]);
        let values: Vec<String> = first.seen[0]
            .values
            .iter()
            .map(|(name, value)| format!("{name}={}", value.as_ref().unwrap()))
            .collect();
        assert_eq!(values, ["args.amount=80"]);
        assert_eq!(found[1].kind, findings::Kind::Malformed);
        // What was refused owes nothing.
        assert_eq!(found.len(), if view == View::Recorded { 3 } else { 2 });
        if view == View::Recorded {
            assert_eq!(found[2].kind, findings::Kind::Pending);
            assert_eq!(found[2].accepted, ["call receipt"]);
        }
    }
}

#[test]
fn what_a_call_foretold_explains_its_return() {
    let library = compiled(
        "contract once { guarantee success pay(amount > 0) at most 0 times otherwise block \"no\" }\n\
         contract twice { guarantee success pay at most 1 time }\n",
    );
    let trace = "\
{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"pay\",\"args\":{}}
{\"kind\":\"return\",\"id\":\"1\",\"status\":\"success\",\"result\":{\"amount\":0}}
{\"kind\":\"call\",\"id\":\"2\",\"tool\":\"pay\",\"args\":{}}
{\"kind\":\"call\",\"id\":\"3\",\"tool\":\"pay\",\"args\":{}}
{\"kind\":\"return\",\"id\":\"3\",\"status\":\"failure\",\"error\":\"closed\"}
{\"kind\":\"return\",\"id\":\"2\",\"status\":\"success\",\"result\":{\"amount\":5}}
";
    let told = told(&library, View::Recorded, trace);
    let found: Vec<_> = findings::all(&told)
        .iter()
        .map(|f| (f.contract, f.event, f.foreseen, f.seen.is_empty()))
        .collect();
    // The amount is known only when the call returns.
    assert_eq!(
        found,
        [
            (Some(0), Some(5), None, true),
            (Some(1), Some(5), Some(2), false)
        ]
    );
}

#[test]
fn an_event_that_breaks_an_assumption_is_told_with_the_assumption() {
    let library =
        compiled("contract honest { assume never failure pay guarantee never call drop_table }\n");
    let trace = "\
{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"pay\",\"args\":{}}
{\"kind\":\"return\",\"id\":\"1\",\"status\":\"failure\"}
";
    for view in [View::Recorded, View::Gated] {
        let text = page(&library, &[], view, &told(&library, view, trace));
        let (_, card) = text.split_once(" id=f0 ").unwrap();
        let (card, _) = card.split_once("<section").unwrap();
        assert!(card.contains("<dt>Rule</dt>"), "{card}");
        assert!(card.contains("assume never failure pay</pre>"), "{card}");
        assert!(!card.contains("drop_table"), "{card}");
    }
}

#[test]
fn lines_at_findings_do_not_hide_a_strip() {
    let library = compiled("contract never_pay { guarantee never call pay }\n");
    let lines = |events: usize| {
        let trace: String = (0..events)
            .map(|n| {
                format!("{{\"kind\":\"call\",\"id\":\"{n}\",\"tool\":\"pay\",\"args\":{{}}}}\n")
            })
            .collect();
        let text = page(
            &library,
            &[],
            View::Recorded,
            &told(&library, View::Recorded, &trace),
        );
        let (_, path) = text.split_once("<path class=mark d=\"").unwrap();
        path.split('"').next().unwrap().matches('M').count()
    };
    assert_eq!(lines(40), 40);
    assert_eq!(lines(600), 60);
}

fn page(library: &Library<'_>, paths: &[String], view: View, told: &Told) -> String {
    session(
        &Setting {
            library,
            sources: &Sources::read(library, paths),
            pictures: &Pictures::draw(library),
            view,
            index: None,
        },
        told,
    )
}

#[test]
fn pages_are_whole_and_the_same_each_time() {
    for (library, paths, recording) in examples() {
        let plan = Arc::new(Plan::new(&library));
        for view in [View::Recorded, View::Gated] {
            let told = Told::judge(&library, &plan, view, recording.clone());
            let text = page(&library, &paths, view, &told);
            let again = Told::judge(&library, &plan, view, recording.clone());
            assert_eq!(text, page(&library, &paths, view, &again));
            balanced(&text);
            for number in 0..told.report.events {
                assert_eq!(text.matches(&format!(" id=e{number} ")).count(), 1);
            }
            for contract in library.contracts() {
                assert!(text.contains(&format!("<article class=contract id=c{} ", contract.id())));
            }
            for finding in findings::all(&told) {
                let shown = super::escape::Text(finding.message).to_string();
                assert!(text.contains(&shown), "{shown}");
            }
            // Links within the page lead somewhere, and nothing leads out of it.
            for link in text.split("href=\"").skip(1) {
                let target = link.split('"').next().unwrap();
                let id = target
                    .strip_prefix('#')
                    .unwrap_or_else(|| panic!("{target}"));
                assert!(
                    text.contains(&format!(" id={id} ")) || text.contains(&format!(" id={id}>")),
                    "{target}"
                );
            }
        }
    }
}

/// Elements are closed in the order in which they were opened.
fn balanced(text: &str) {
    const VOID: [&str; 7] = ["meta", "input", "br", "img", "path", "rect", "wbr"];
    let (head, rest) = text.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (body, tail) = rest.split_once("<script>").unwrap();
    let (_, tail) = tail.split_once("</script>").unwrap();
    let text = format!("{}{body}{tail}", head.replacen("<!doctype html>", "", 1));
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1) {
        let name = tag
            .trim_start_matches('/')
            .split([' ', '>', '/', '\n'])
            .next()
            .unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "<{tag}");
        } else if !VOID.contains(&name) && name != "option" {
            open.push(name);
        } else if name == "option" {
            open.push("option");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// WCAG 2.2: relative luminance of `#rrggbb`.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn colours_have_contrast() {
    // `--name: light-dark(#light, #dark);`
    let colour = |name: &str, dark: bool| {
        let (_, rest) = STYLE
            .split_once(&format!("  --{name}: light-dark("))
            .unwrap_or_else(|| panic!("{name}"));
        let (light, rest) = rest.split_once(", ").unwrap();
        let (other, _) = rest.split_once(')').unwrap();
        if dark {
            other.to_owned()
        } else {
            light.to_owned()
        }
    };
    let check = |front: &str, back: &str, least: f64| {
        for dark in [false, true] {
            let (a, b) = (
                luminance(&colour(front, dark)),
                luminance(&colour(back, dark)),
            );
            let ratio = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(ratio >= least, "{front} on {back}, dark {dark}: {ratio:.2}");
        }
    };
    for text in ["ink", "soft", "link", "v", "p", "g", "s", "i", "d", "m"] {
        for back in ["bg", "card", "on"] {
            check(text, back, 4.5);
        }
    }
    for (text, back) in [
        ("v", "v-bg"),
        ("ink", "v-bg"),
        ("d", "d-bg"),
        ("ink", "d-bg"),
        ("i", "i-bg"),
        ("ink", "i-bg"),
        ("m", "m-bg"),
        ("ink", "m-bg"),
        ("ink", "code"),
        ("soft", "code"),
        ("soft", "v-bg"),
        ("soft", "d-bg"),
        ("soft", "i-bg"),
        ("soft", "m-bg"),
    ] {
        check(text, back, 4.5);
    }
    for drawn in ["r-v", "r-p", "r-g", "r-s", "r-i", "link"] {
        check(drawn, "bg", 3.0);
    }
    // Findings are marked within what is violated.
    check("ink", "r-v", 2.0);
}
