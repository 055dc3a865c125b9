//! Pages of `ctrc replay --html` in a browser: what sessions hold does nothing, filters and keys work, no page
//! reports an error. Where no Chromium is found (`CTRC_CHROMIUM`, or the usual names) the tests say so and pass.
//!
//! `CTRC_AXE=.../axe.min.js` (the npm package `axe-core`) also has the pages checked for accessibility.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod browser;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use browser::Browser;
use ctr_tests::binary::run;
use serde_json::{Value, json};
use tempfile::TempDir;

fn browser() -> Option<Browser> {
    match browser::find() {
        Some(program) => Some(Browser::start(&program)),
        None => {
            eprintln!("SKIPPED: no Chromium was found (CTRC_CHROMIUM names one)");
            None
        }
    }
}

/// Judges `session.jsonl` by `policy.ctr`.
fn replay(folder: &Path, extra: &[&str]) -> PathBuf {
    let mut args = vec![
        "replay",
        "-l",
        "policy.ctr",
        "session.jsonl",
        "--html",
        "page.html",
    ];
    args.extend(extra);
    let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
    let ran = run(folder, &args, None, Duration::from_secs(120));
    assert!(ran.stderr.contains("wrote page.html"), "{}", ran.stderr);
    folder.join("page.html")
}

fn desk(policy: &str, session: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("policy.ctr"), policy).unwrap();
    fs::write(folder.path().join("session.jsonl"), session).unwrap();
    folder
}

/// Texts that would do something if they were taken for HTML, a script, an attribute or an address.
const HOSTILE: [&str; 9] = [
    "</script><img src=x onerror=\"window.pwned=1\">",
    "<img src=x onerror=window.pwned=1>",
    "\"><script>window.pwned=1</script>",
    "' onmouseover='window.pwned=1' autofocus onfocus='window.pwned=1",
    "</style></pre></details><svg onload=window.pwned=1>",
    "javascript:window.pwned=1",
    "]]>--><script>window.pwned=1</script>",
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "\u{202e}<iframe srcdoc='<script>parent.pwned=1</script>'>",
];

#[test]
fn what_sessions_hold_does_nothing() {
    let Some(mut browser) = browser() else { return };
    let policy = format!(
        "//! {0}\n\
         /// {0}\n\
         @source(\"{1}\", \"{1}\")\n@id(\"{1}\")\n@tags(\"{1}\")\n\
         contract hostile for each k {{\n  guarantee call `pay` (k == k_arg.k or args.k == k) at most 0 times\n}}\n",
        HOSTILE[0],
        HOSTILE[1],
    )
    .replace("(k == k_arg.k or args.k == k)", "(args.k == k)")
    .replace(
        "at most 0 times\n",
        &format!("at most 0 times\n  otherwise block \"{} {{args.k}}\"\n", HOSTILE[1]),
    );
    let mut session = String::new();
    for (n, text) in HOSTILE.iter().enumerate() {
        for event in [
            json!({"kind": "context", "set": {*text: text}}),
            json!({"kind": "lookup", "name": text, "args": [text], "value": text}),
            json!({"kind": "input", "text": text}),
            json!({"kind": "output", "text": text, "agent": text, "server": text}),
            json!({"kind": "event", "name": text, "fields": {*text: text}}),
            json!({"kind": "call", "id": format!("{n}{text}"), "tool": text, "args": {*text: text}, "agent": text}),
            json!({"kind": "return", "id": format!("{n}{text}"), "status": "failure", "error": text, "result": text}),
            json!({"kind": "call", "id": format!("p{n}"), "tool": "pay", "args": {"k": text}}),
            json!({"kind": "return", "id": format!("p{n}"), "status": "success", "result": {"x": [text]}}),
            // Answers nothing: its id is told.
            json!({"kind": "return", "id": text, "status": "success"}),
        ] {
            let _ = writeln!(session, "{event}");
        }
    }
    let folder = desk(&policy, &session);
    let named = folder.path().join("'\"><img src=x onerror=pwned=1>.jsonl");
    fs::copy(folder.path().join("session.jsonl"), &named).unwrap();
    for view in ["recorded", "gated"] {
        let args = [
            "replay",
            "-l",
            "policy.ctr",
            ".",
            "--view",
            view,
            "--html",
            "out",
        ];
        let ran = run(
            folder.path(),
            &args.map(str::to_owned),
            None,
            Duration::from_secs(60),
        );
        assert!(
            ran.stderr.contains("wrote out/index.html for 2 sessions"),
            "{}",
            ran.stderr
        );
        let pages: Vec<PathBuf> = fs::read_dir(folder.path().join("out"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(pages.len() >= 3);
        for page in pages {
            browser.open(&page, "", true);
            // Everything is opened, and focused once.
            browser.ask("for (const d of document.querySelectorAll('details')) d.open = true; for (const e of document.querySelectorAll('a, button, summary, [tabindex]')) e.focus(); 0");
            let state = browser.ask(
                "new Promise((done) => setTimeout(() => done({pwned: window.pwned ?? null, scripts: document.scripts.length, \
                 images: [...document.images].filter((i) => !i.src.startsWith('data:image/svg+xml;base64,')).length, \
                 frames: document.querySelectorAll('iframe, object, embed, base, link, style ~ style').length, \
                 handlers: [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on') || /^ *javascript:/i.test(a.value) && a.name !== 'data-tool' && a.name !== 'value')).length}), 50))",
            );
            assert_eq!(
                state,
                json!({"pwned": null, "scripts": 1, "images": 0, "frames": 0, "handlers": 0}),
                "{}",
                page.display()
            );
            assert_eq!(browser.problems, Vec::<Value>::new(), "{}", page.display());
        }
    }
    // The texts are there, as texts.
    let page = replay(folder.path(), &[]);
    browser.open(&page, "", true);
    for text in &HOSTILE[..8] {
        let found = browser.ask(&format!(
            "document.body.textContent.includes({})",
            json!(text)
        ));
        assert_eq!(found, json!(true), "{text}");
    }
    assert_eq!(
        browser
            .ask("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.textContent)"),
        json!(false),
        "nothing turns the direction of what follows"
    );
}

const POLICY: &str = "\
contract limit { guarantee call pay only if amount <= 50 otherwise block \"Too much: {args.amount}.\" }
contract receipt for each order {
  guarantee success pay(args.order == order) leads to call send_receipt(args.order == order)
}
contract calm { guarantee never call drop_table }
";

/// Three payments, the second too large; the third is owed a receipt.
fn session() -> String {
    let mut out = String::new();
    for (n, amount) in [(1, 10), (2, 80), (3, 20)] {
        let _ = writeln!(
            out,
            "{}",
            json!({"kind": "call", "id": format!("p{n}"), "tool": "pay", "args": {"order": n, "amount": amount}, "time": 1_700_000_000 + n})
        );
        let _ = writeln!(
            out,
            "{}",
            json!({"kind": "return", "id": format!("p{n}"), "status": "success", "result": {"note": format!("paid {n}")}})
        );
        if n < 3 {
            let _ = writeln!(
                out,
                "{}",
                json!({"kind": "call", "id": format!("r{n}"), "tool": "send_receipt", "args": {"order": n}})
            );
        }
    }
    out
}

const SHOWN: &str = "[...document.querySelectorAll('.event')].filter((e) => e.checkVisibility()).map((e) => e.id).join(' ')";
const FOCUS: &str = "document.activeElement.closest('.event')?.id ?? document.activeElement.id";

#[test]
fn filters_and_keys_work() {
    let Some(mut browser) = browser() else { return };
    let folder = desk(POLICY, &session());
    let page = replay(folder.path(), &[]);
    browser.open(&page, "", true);
    assert_eq!(browser.ask(SHOWN), json!("e0 e1 e2 e3 e4 e5 e6 e7 end"));
    assert_eq!(
        browser.ask("document.getElementById('shown').textContent"),
        json!("8 of 8 events shown")
    );
    for (hash, shown) in [
        ("#only=violations", "e3 end"),
        ("#only=violations&contract=limit", "e3"),
        ("#contract=receipt", "e1 e2 e4 e5 e7 end"),
        ("#tool=send_receipt", "e2 e5"),
        ("#tool=pay&q=paid+2", "e4"),
        ("#q=too+much", "e3"),
        (
            "#only=nonsense&contract=unknown",
            "e0 e1 e2 e3 e4 e5 e6 e7 end",
        ),
        ("#only=changes", "e1 e2 e3 e4 e5 e7 end"),
    ] {
        browser.open(&page, hash, true);
        assert_eq!(browser.ask(SHOWN), json!(shown), "{hash}");
        browser.follow("#%");
        browser.follow(hash);
        assert_eq!(browser.ask(SHOWN), json!(shown), "{hash}");
    }
    // A link to an event that is filtered away shows it.
    browser.open(&page, "#tool=send_receipt", true);
    browser.follow("#e3");
    assert_eq!(browser.ask(FOCUS), json!("e3"));
    assert_eq!(browser.ask(SHOWN), json!("e0 e1 e2 e3 e4 e5 e6 e7 end"));

    browser.open(&page, "", true);
    let stands = "[...document.querySelectorAll('.track')].map((t) => t.querySelector('a').textContent + ' ' + t.querySelector('.st').textContent).join('; ')";
    assert_eq!(
        browser.ask(stands),
        json!("limit \u{2715} violated; receipt \u{25d0} pending; calm \u{25cb} satisfied so far")
    );
    for (key, focus) in [
        ("n", "e3"),
        ("n", "end"),
        ("n", "end"),
        ("p", "e3"),
        ("k", "e2"),
        ("ArrowDown", "e3"),
        ("j", "e4"),
    ] {
        browser.press(key);
        assert_eq!(browser.ask(FOCUS), json!(focus), "{key}");
    }
    browser.press("k");
    browser.press("k");
    assert_eq!(
        browser.ask("document.getElementById('moment').textContent"),
        json!("After event 2")
    );
    assert_eq!(
        browser.ask(stands),
        json!(
            "limit \u{25cb} satisfied so far; receipt \u{25cb} satisfied so far; calm \u{25cb} satisfied so far"
        )
    );
    browser.press("Enter");
    browser.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    assert_eq!(
        browser.ask("document.querySelector('#e2 details').open"),
        json!(true)
    );
    assert_eq!(
        browser.ask("document.querySelectorAll('#e2 .all li').length"),
        json!(3)
    );
    browser.press("/");
    assert_eq!(browser.ask(FOCUS), json!("q"));
    // What is typed is searched for, not taken for keys.
    for key in ["2", "j"] {
        browser.press(key);
    }
    browser.ask("new Promise((done) => setTimeout(done, 300))");
    assert_eq!(
        browser.ask("document.getElementById('shown').textContent"),
        json!("0 of 8 events shown")
    );
    assert_eq!(browser.ask("location.hash"), json!("#q=2j"));
    browser.press("Escape");
    browser.press("c");
    assert_eq!(browser.ask(SHOWN), json!("e0 e1 e2 e3 e4 e5 e6 e7 end"));
    browser.press("?");
    assert_eq!(
        browser.ask("document.getElementById('help').open"),
        json!(true)
    );
    browser.press("?");
    assert_eq!(
        browser.ask("document.getElementById('help').open"),
        json!(false)
    );
    browser.press("t");
    assert_eq!(
        browser.ask("document.documentElement.dataset.theme"),
        json!("dark")
    );
    browser.press("t");
    assert_eq!(
        browser.ask("document.documentElement.dataset.theme"),
        json!("light")
    );
    assert_eq!(browser.problems, Vec::<Value>::new());

    // Decisions.
    let page = replay(folder.path(), &["--view", "gated"]);
    browser.open(&page, "#only=decisions", true);
    assert_eq!(browser.ask(SHOWN), json!("e3"));
    assert_eq!(
        browser.ask("document.querySelector('#e4 .flags').textContent"),
        json!("left out with its call")
    );
}

#[test]
fn pages_are_readable_everywhere() {
    let Some(mut browser) = browser() else { return };
    let folder = desk(POLICY, &session());
    let page = replay(folder.path(), &[]);
    // Without scripts all is there to read, and nothing that would need them.
    browser.open(&page, "", false);
    assert_eq!(browser.ask(SHOWN), json!("e0 e1 e2 e3 e4 e5 e6 e7 end"));
    assert_eq!(
        browser.ask("[...document.querySelectorAll('[data-js], dialog')].filter((e) => e.checkVisibility()).length"),
        json!(0)
    );
    for width in [320, 400, 800, 1600] {
        for scheme in ["light", "dark"] {
            browser.resize(width, 900);
            browser.prefer(scheme);
            browser.open(&page, "", true);
            let wide = browser.ask("document.documentElement.scrollWidth");
            assert!(
                wide.as_u64().unwrap() <= u64::from(width),
                "{width}: {wide}"
            );
            let back = browser.ask("getComputedStyle(document.documentElement).backgroundColor");
            let expected = if scheme == "dark" {
                "rgb(20, 23, 27)"
            } else {
                "rgb(250, 250, 248)"
            };
            assert_eq!(back, json!(expected));
        }
    }
    assert_eq!(browser.problems, Vec::<Value>::new());
}

#[test]
fn pictures_follow_the_switch_of_the_page() {
    let Some(mut browser) = browser() else { return };
    let folder = desk(POLICY, &session());
    let page = replay(folder.path(), &[]);
    browser.resize(1600, 900);
    let mut shots = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        for theme in ["light", "dark"] {
            browser.open(&page, "", true);
            browser.ask(&format!(
                "document.documentElement.dataset.theme = '{theme}'; \
                 for (const d of document.querySelectorAll('details.picture')) d.open = true; \
                 for (const i of document.images) i.loading = 'eager'; \
                 Promise.all([...document.images].map((i) => i.decode())).then(() => 0)"
            ));
            shots.push(browser.shoot("document.images[0]"));
        }
    }
    let [light, dark, light_in_dark, dark_in_dark] = shots.try_into().unwrap();
    assert!(light != dark, "the picture is the same in both themes");
    assert!(
        light == light_in_dark && dark == dark_in_dark,
        "the system decides"
    );
    // Paper is white, whatever was chosen.
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({"media": "print", "features": []}),
    );
    let printed = browser.ask("getComputedStyle(document.documentElement).backgroundColor");
    assert_eq!(printed, json!("rgb(250, 250, 248)"));
}

#[test]
fn an_index_sorts_and_filters() {
    let Some(mut browser) = browser() else { return };
    let folder = desk(POLICY, "");
    for (name, amounts) in [
        ("a", vec![10]),
        ("b", vec![90, 70]),
        ("c", vec![60]),
        ("d", vec![]),
    ] {
        let mut text = String::new();
        for (n, amount) in amounts.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}",
                json!({"kind": "call", "id": n.to_string(), "tool": "pay", "args": {"order": 1, "amount": amount}})
            );
        }
        fs::create_dir_all(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in").join(format!("{name}.jsonl")), text).unwrap();
    }
    let args = ["replay", "-l", "policy.ctr", "in", "--html", "out"].map(str::to_owned);
    run(folder.path(), &args, None, Duration::from_secs(60));
    let index = folder.path().join("out/index.html");
    let order = "[...document.querySelectorAll('.matrix tbody tr')].filter((r) => r.checkVisibility()).map((r) => r.cells[0].textContent).join(' ')";
    browser.open(&index, "", true);
    assert_eq!(
        browser.ask(order),
        json!("in/a.jsonl in/b.jsonl in/c.jsonl in/d.jsonl")
    );
    let sort = |name: &str| {
        format!(
            "[...document.querySelectorAll('.matrix th button')].find((b) => b.textContent === {}).click()",
            json!(name)
        )
    };
    for (column, sorted) in [
        ("Violations", "in/b.jsonl in/c.jsonl in/a.jsonl in/d.jsonl"),
        ("Violations", "in/a.jsonl in/d.jsonl in/c.jsonl in/b.jsonl"),
        ("Session", "in/a.jsonl in/b.jsonl in/c.jsonl in/d.jsonl"),
        ("Session", "in/d.jsonl in/c.jsonl in/b.jsonl in/a.jsonl"),
        ("limit", "in/b.jsonl in/c.jsonl in/d.jsonl in/a.jsonl"),
        ("Agent", "in/b.jsonl in/c.jsonl in/d.jsonl in/a.jsonl"),
    ] {
        browser.ask(&sort(column));
        assert_eq!(browser.ask(order), json!(sorted), "{column}");
    }
    for (hash, shown) in [
        ("#only=fail", "in/b.jsonl in/c.jsonl"),
        ("#contract=limit&q=b.json", "in/b.jsonl"),
        ("#only=active", "in/a.jsonl in/d.jsonl"),
    ] {
        browser.open(&index, hash, true);
        assert_eq!(browser.ask(order), json!(shown), "{hash}");
    }
    // A session is two keys away.
    browser.open(&index, "", true);
    for key in ["j", "j"] {
        browser.press(key);
    }
    assert_eq!(
        browser.ask("document.activeElement.textContent"),
        json!("in/b.jsonl")
    );
    assert_eq!(browser.problems, Vec::<Value>::new());
}

#[test]
fn thousands_of_events_are_filtered_at_once() {
    let Some(mut browser) = browser() else { return };
    let mut text = String::new();
    for n in 0..2500 {
        let _ = writeln!(
            text,
            "{}",
            json!({"kind": "call", "id": n.to_string(), "tool": "pay", "args": {"order": n % 50, "amount": n % 52}})
        );
        let _ = writeln!(
            text,
            "{}",
            json!({"kind": "return", "id": n.to_string(), "status": "success"})
        );
    }
    let folder = desk(POLICY, &text);
    let page = replay(folder.path(), &[]);
    browser.open(&page, "", true);
    // It was minutes while events were numbered list items.
    let start = Instant::now();
    for hash in [
        "#q=51",
        "#only=violations",
        "#tool=pay",
        "#e4000",
        "#only=changes&contract=receipt",
    ] {
        browser.follow(hash);
        browser.ask("document.body.offsetHeight");
    }
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn pages_are_accessible() {
    let Some(axe) = std::env::var_os("CTRC_AXE") else {
        eprintln!("SKIPPED: CTRC_AXE does not name axe.min.js of the npm package axe-core");
        return;
    };
    let axe = fs::read_to_string(axe).unwrap();
    let Some(mut browser) = browser() else { return };
    let folder = desk(POLICY, &session());
    let mut pages = vec![replay(folder.path(), &[])];
    let args = [
        "replay",
        "-l",
        "policy.ctr",
        "session.jsonl",
        "--view",
        "gated",
        "--html",
        "out",
    ];
    run(
        folder.path(),
        &args.map(str::to_owned),
        None,
        Duration::from_secs(60),
    );
    pages.push(folder.path().join("out/index.html"));
    pages.push(folder.path().join("out/0001-session.jsonl.html"));
    for page in pages {
        for (width, scheme) in [(400, "light"), (1600, "dark"), (1600, "light")] {
            browser.resize(width, 900);
            browser.prefer(scheme);
            browser.open(&page, "", true);
            browser.ask("for (const d of document.querySelectorAll('details')) d.open = true; 0");
            browser.ask(&format!("{axe}; 0"));
            let found = browser.ask(
                "axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target + ' ' + n.failureSummary).join(' | ')))",
            );
            assert_eq!(found, json!([]), "{} {width} {scheme}", page.display());
        }
    }
}
