//! Regular expressions are searched in linear time, those from the literature on blow-ups included
//! (OWASP "Regular expression Denial of Service"; Davis et al., ESEC/FSE 2018).

use super::*;
use std::time::{Duration, Instant};
use tables::program;

/// The shortest of a few searches, which is least disturbed by what else the machine does.
fn time(regex: &Regex<'_>, text: &str) -> Duration {
    let once = || {
        let start = Instant::now();
        assert_eq!(regex.is_match(text), Some(false));
        start.elapsed()
    };
    (0..5).map(|_| once()).min().unwrap()
}

/// Sixteen times the text takes about sixteen times as long: a quadratic search would take 256 times,
/// one that backtracks would not end.
#[test]
fn the_classic_blow_ups_are_linear() {
    let cases: [(&str, &str, &str); 10] = [
        (r"(a+)+$", "a", "!"),
        (r"^(a|aa)+$", "a", "!"),
        (r"^(a|a?)+$", "a", "!"),
        (r"^([a-zA-Z]+)*$", "a", "!"),
        (r"^(.*a){12}$", "a", "\n!"),
        (r".*.*=.*;", "x", ""),
        (r"x*x*x*x*x*y", "x", ""),
        (r"(?:x{1,30}){1,20}y", "x", ""),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a", "!"),
        (r"(\w+\s*)+:$", "ab ", "!"),
    ];
    for (pattern, unit, end) in cases {
        let compiled = Regex::compile(pattern).unwrap();
        let bytes = program(pattern);
        let stored = bytes
            .as_deref()
            .map(|bytes| Regex::load(pattern, bytes).unwrap());
        for regex in std::iter::once(&compiled).chain(&stored) {
            let text = |size: usize| format!("{}{end}", unit.repeat(size / unit.len()));
            let (short, long) = (text(20_000), text(320_000));
            // A disturbed measurement is repeated; a search that is not linear fails each time.
            let mut ratio = f64::MAX;
            for _ in 0..5 {
                let (a, b) = (time(regex, &short), time(regex, &long));
                ratio = ratio.min(b.as_secs_f64() / a.as_secs_f64().max(1e-5));
                if ratio < 40.0 {
                    break;
                }
            }
            assert!(ratio < 100.0, "{pattern}: {ratio:.1} times as long");
        }
    }
}

/// An expression that would need too much memory is refused when the artifact is loaded.
#[test]
fn nested_repetitions_are_refused_when_loading() {
    for pattern in [
        r"((a{100}){100}){100}",
        r"(((\pL{50}){50}){50}){50}",
        r"(\w{1,1000}){1,1000}",
    ] {
        let start = Instant::now();
        let mut b = Builder::new();
        let bad = b.text_matches(Root::Args, pattern);
        let p = b.pat(CALL, "x", &[], Some(bad));
        let g = b.never(p);
        b.contract("never", &[], Some(g));
        let Err(error) = Library::load(encode(&b.model).unwrap()) else {
            panic!("{pattern} is loaded")
        };
        assert_eq!(error.section, "regexes");
        assert!(start.elapsed() < Duration::from_secs(20), "{pattern}");
    }
    // Deeper nesting than the parser of expressions allows.
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(Regex::compile(&deep).is_err());
}
