//! The table of meanings is whole, and `docs/keywords.md` is made from it; `CTRC_BLESS=1` writes the page anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ctr_grammar::keywords::{KEYWORDS, KeywordKind, lookup};
use ctr_grammar::meanings::{WORDS, WordKind, page, word_of};
use ctr_grammar::{SpotKind, spots};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_page_is_made_from_the_table() {
    let path = repository().join("docs/keywords.md");
    if std::env::var_os("CTRC_BLESS").is_some_and(|v| v != "0") {
        fs::write(&path, page()).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        page(),
        "run this test with CTRC_BLESS=1"
    );
}

/// No keyword is without a text, and none whose truth hangs on the session's end without what it means there.
#[test]
fn every_keyword_has_its_texts() {
    // Words that only count, or join.
    let parts = ["time", "times", "consecutive", "step", "steps"];
    let mut names = BTreeSet::new();
    for k in KEYWORDS {
        assert!(names.insert(k.name), "`{}` twice", k.name);
        assert!(k.doc.len() >= 4, "`{}` has no text", k.name);
        let timed = matches!(k.kind, KeywordKind::Temporal | KeywordKind::Form);
        if timed && !parts.contains(&k.name) || matches!(k.name, "assume" | "guarantee") {
            assert!(!k.ending.is_empty(), "`{}` at the end of a session", k.name);
            assert!(!k.written.is_empty(), "`{}` as it is written", k.name);
        }
        if !k.written.is_empty() {
            let found = spots(k.written).tokens.into_iter().any(|spot| {
                let text = &k.written[spot.span.start as usize..spot.span.end as usize];
                text.split_whitespace().eq(k.name.split(' '))
            });
            assert!(found, "`{}` is not in `{}`", k.name, k.written);
        }
    }
    let mut words = BTreeSet::new();
    for w in WORDS {
        assert!(words.insert((w.kind, w.name)), "`{}` twice", w.name);
        assert!(w.doc.len() > 10, "`{}` has no text", w.name);
        assert!(w.written.contains(w.name), "`{}`: {}", w.name, w.written);
        if matches!(
            w.kind,
            WordKind::Aggregate | WordKind::Fact | WordKind::Function
        ) {
            assert!(!w.gives.is_empty(), "`{}` gives what?", w.name);
        }
    }
}

/// Links to the language reference lead to its heads.
#[test]
fn sections_are_those_of_the_reference() {
    let text = fs::read_to_string(repository().join("docs/language.md")).unwrap();
    let sections = KEYWORDS
        .iter()
        .map(|k| k.section())
        .chain(WORDS.iter().map(|w| w.section()));
    for section in sections {
        let head = format!("## {}. {}", section.number, section.title);
        assert!(text.lines().any(|line| line == head), "{head}");
        let anchor: String = head[3..]
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == ' ')
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        assert_eq!(section.anchor, anchor);
    }
}

fn policies(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            policies(&path, out);
        } else if path.extension().is_some_and(|e| e == "ctr") {
            out.push(path);
        }
    }
}

/// In all policies there are, each token that is a keyword or a sign has a text, tokens do not overlap, and
/// nothing but white space and comments stands between them.
#[test]
fn every_token_of_every_policy_is_told() {
    let mut files = Vec::new();
    for folder in ["examples", "stdlib-contracts", "tests", "grammar/tests"] {
        policies(&repository().join(folder), &mut files);
    }
    assert!(files.len() > 100);
    let mut seen = BTreeSet::new();
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let all = spots(&text);
        let mut end = 0;
        for spot in &all.tokens {
            assert!(end <= spot.span.start, "{}: {spot:?}", path.display());
            end = spot.span.end;
            let here = &text[spot.span.start as usize..spot.span.end as usize];
            match spot.kind {
                SpotKind::Keyword(keyword) => {
                    seen.insert(keyword.name);
                }
                SpotKind::Word(kind) => {
                    let word = word_of(kind, here);
                    let other = matches!(here, "&&" | "||" | "!" | "=>" | "===" | ";");
                    assert!(word.is_some() || other || kind == WordKind::Sign, "{here}");
                    seen.extend(word.map(|w| w.name));
                }
                _ => {}
            }
        }
    }
    // The policies use nearly all of the language: what they do not use is listed, so that the list shrinks.
    let rare = [
        "step",
        "duration",
        "abs",
        "min",
        "max",
        "server",
        "info",
        "idempotent",
        "open_world",
    ];
    let unseen: Vec<&str> = KEYWORDS
        .iter()
        .map(|k| k.name)
        .chain(WORDS.iter().map(|w| w.name))
        .filter(|name| !seen.contains(name) && !rare.contains(name))
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn words_are_told_by_where_they_stand() {
    let kinds = |text: &str| -> Vec<String> {
        spots(text)
            .tokens
            .iter()
            .filter_map(|spot| {
                let here = &text[spot.span.start as usize..spot.span.end as usize];
                match spot.kind {
                    SpotKind::Keyword(k) => Some(format!("{}:{:?}", k.name, k.kind)),
                    SpotKind::Word(WordKind::Sign) => None,
                    SpotKind::Word(kind) => Some(format!("{here}={kind:?}")),
                    SpotKind::Duration(n) => Some(format!("{here}={n}")),
                    SpotKind::Name => Some(here.to_owned()),
                    _ => None,
                }
            })
            .collect()
    };
    for (text, expected) in [
        (
            "contract c for  each k { guarantee call end(time == event.time, count == 1) only\n after success text }",
            "contract:Item c for each:Declaration k guarantee:Clause call:Pattern end time event=Root time=Fact count \
             only after:Form success:Pattern text",
        ),
        (
            "contract c { guarantee {count(call any within 2h) <= 3} guarantee never input(text contains ctx.text) }",
            "contract:Item c guarantee:Clause count=Aggregate call:Pattern any:Pattern within:Form 2h=7200000000000 \
             guarantee:Clause never:Form input:Pattern text=Root contains:Operator ctx=Root text",
        ),
        (
            "@severity(high) @id(\"high\") contract high { otherwise block \"x\" guarantee call t at most 3 consecutive times }",
            "severity=Attribute high=Severity id=Attribute contract:Item high otherwise:Clause block:Action guarantee:Clause \
             call:Pattern t at most:Form consecutive:Form times:Form",
        ),
        (
            "test \"t\" for c { call end(time: 3) with agent = \"a\", time = 3 expect block by c end expect pending c }",
            "test:Item for:Declaration c call:Pattern end time with:Test agent=Fact time=Fact expect:Test block=Outcome by:Test c \
             end:Test expect:Test pending=Outcome c",
        ),
        (
            "predicate p(a: event, n: number | null) = always a and {number(n) > 1}",
            "predicate:Item p a event=Type n number:Type null=Type always:Temporal a and:Connective number=Function n",
        ),
        (
            "tool any(any: any, list: list<enum(\"a\")>) -> string group g = tools where not destructive",
            "tool:Item any any any=Type list list:Type enum:Type string:Type group:Item g tools where:Declaration not:Connective \
             destructive=Annotation",
        ),
    ] {
        assert_eq!(kinds(text).join(" "), expected, "{text}");
    }
    assert_eq!(lookup("only after").unwrap().section().number, 4);
}
