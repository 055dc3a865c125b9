//! Decimals, JSON, texts, times and paths.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ctr_runtime::decimal::Decimal;
use ctr_runtime::json::{self, JsonErrorKind};
use ctr_runtime::value::{Record, Value};
use ctr_runtime::{path, text, time};
use proptest::prelude::*;

fn d(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or_else(|| panic!("{text} does not parse"))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn decimals_are_compared_by_value() {
    for (a, b) in [
        ("1.5", "1.50"),
        ("1", "1.0"),
        ("-0", "0"),
        ("0e99999999999", "0"),
        ("100", "1e2"),
        ("1E+2", "100.000"),
        ("0.001", "1e-3"),
    ] {
        assert_eq!(d(a), d(b), "{a} {b}");
        assert_eq!(hash(&d(a)), hash(&d(b)));
    }
    assert_eq!(d("0.1").checked_add(d("0.2")), Some(d("0.3")));
    assert_ne!(d("9007199254740993"), d("9007199254740992"));
    let zeros = format!("1.{}", "0".repeat(10_000));
    assert_eq!(d(&zeros), d("1"));
    let sorted = [
        "-1e1000",
        "-2",
        "-1.5",
        "-1e-1000",
        "0",
        "1e-1000",
        "0.5",
        "1",
        "1.5",
        "9.99",
        "10",
        "170141183460469231731687303715884105727",
        "1e39",
        "1e1000",
    ];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(d(a).cmp(&d(b)), i.cmp(&j), "{a} {b}");
        }
    }
}

#[test]
fn decimals_refuse_what_is_no_number_or_does_not_fit() {
    for text in [
        "", "-", "01", "-01", "+1", "1.", ".5", "1e", "1e+", "0x1", " 1", "1 ", "1_0", "NaN",
        "Infinity", "1e5.0", "--1", "1,5", "１",
    ] {
        assert_eq!(Decimal::parse(text), None, "{text}");
    }
    assert!(Decimal::parse("170141183460469231731687303715884105727").is_some());
    assert!(Decimal::parse("170141183460469231731687303715884105728").is_none());
    assert!(Decimal::parse("1e1000000000").is_some());
    assert!(Decimal::parse("1e1000000001").is_none());
    assert!(Decimal::parse("1e99999999999999999999999999").is_none());
    let max = d("170141183460469231731687303715884105727");
    assert_eq!(max.checked_add(d("1")), None);
    assert_eq!(max.checked_mul(d("2")), None);
    assert_eq!(d("1e500").checked_add(d("1")), None);
    assert_eq!(d("1e999999999").checked_mul(d("1e999999999")), None);
    assert_eq!(max.neg().neg(), max);
}

#[test]
fn decimals_have_one_text() {
    for (from, to) in [
        ("1.50", "1.5"),
        ("-0.0", "0"),
        ("1e2", "100"),
        (
            "12345678901234567890123456789",
            "12345678901234567890123456789",
        ),
        ("1e39", &format!("1{}", "0".repeat(39))),
        ("1e40", "1e+40"),
        ("1.25e41", "1.25e+41"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-0.000000123", "-1.23e-7"),
        ("123.456", "123.456"),
    ] {
        assert_eq!(d(from).to_string(), to);
        assert_eq!(d(to), d(from));
    }
    assert_eq!(Decimal::from_f64(0.1), Some(d("0.1")));
    assert_eq!(Decimal::from_f64(1e300), Some(d("1e300")));
    assert_eq!(Decimal::from_f64(f64::NAN), None);
}

#[test]
fn decimals_convert() {
    assert_eq!(d("9223372036854775807").to_i64(), Some(i64::MAX));
    assert_eq!(d("-9223372036854775808").to_i64(), Some(i64::MIN));
    assert_eq!(d("9223372036854775808").to_i64(), None);
    assert_eq!(d("1.5").to_i64(), None);
    assert_eq!(d("1.5").seconds_to_nanos(), Some(1_500_000_000));
    assert_eq!(d("0.0000000019").seconds_to_nanos(), Some(1));
    assert_eq!(d("-0.0000000001").seconds_to_nanos(), Some(-1));
    assert_eq!(d("-1e-100").seconds_to_nanos(), Some(-1));
    assert_eq!(d("1e-100").seconds_to_nanos(), Some(0));
    assert_eq!(d("1e10").seconds_to_nanos(), None);
    assert_eq!(Decimal::from_nanos(1_500_000_000), d("1.5"));
    assert_eq!(Decimal::from(u64::MAX), d("18446744073709551615"));
}

/// A number as an integer over 10^20, in plain 256-bit-free arithmetic: small numbers only.
fn small() -> impl Strategy<Value = (i128, i32)> {
    (-1_000_000_000_i128..1_000_000_000, -9..9_i32)
}

fn brute(number: (i128, i32)) -> i128 {
    number.0 * 10_i128.pow((number.1 + 9).unsigned_abs())
}

proptest! {
    #[test]
    fn decimals_agree_with_integers(a in small(), b in small()) {
        let (x, y) = (Decimal::new(a.0, a.1).unwrap(), Decimal::new(b.0, b.1).unwrap());
        prop_assert_eq!(x.cmp(&y), brute(a).cmp(&brute(b)));
        prop_assert_eq!(x == y, brute(a) == brute(b));
        prop_assert_eq!(x.checked_add(y), Decimal::new(brute(a) + brute(b), -9));
        prop_assert_eq!(x.checked_sub(y), Decimal::new(brute(a) - brute(b), -9));
        prop_assert_eq!(x.checked_mul(y), Decimal::new(a.0 * b.0, a.1 + b.1));
        prop_assert_eq!(Decimal::parse(&x.to_string()), Some(x));
        prop_assert_eq!(d(&format!("{}e{}", a.0, a.1)), x);
    }

    #[test]
    fn wide_decimals_keep_their_digits(a in any::<i128>(), e in -200..200_i32) {
        prop_assume!(a != i128::MIN);
        let x = Decimal::new(a, e).unwrap();
        prop_assert_eq!(Decimal::parse(&x.to_string()), Some(x));
        prop_assert_eq!(Decimal::parse(&format!("{a}e{e}")), Some(x));
        prop_assert_eq!(x.checked_add(x.neg()), Some(Decimal::ZERO));
        // Order agrees with that of a float where the float can tell.
        let y = Decimal::new(a / 3, e).unwrap();
        prop_assert_eq!(x.cmp(&y), a.cmp(&(a / 3)));
    }

    #[test]
    fn order_is_total(a in any::<i128>(), b in any::<i128>(), e in -40..40_i32, f in -40..40_i32) {
        prop_assume!(a != i128::MIN && b != i128::MIN);
        let (x, y) = (Decimal::new(a, e).unwrap(), Decimal::new(b, f).unwrap());
        prop_assert_eq!(x.cmp(&y), y.cmp(&x).reverse());
        prop_assert_eq!(x.cmp(&y).is_eq(), x == y);
        let (p, q) = (a as f64 * 10_f64.powi(e), b as f64 * 10_f64.powi(f));
        if (p - q).abs() > 1e-9 * p.abs().max(q.abs()) {
            prop_assert_eq!(x.cmp(&y), p.partial_cmp(&q).unwrap());
        }
    }
}

/// Whether two readers took the same out of a text. serde_json keeps numbers as floats, so that
/// they are compared as such; that ours are exact is tested apart.
fn same(theirs: &serde_json::Value, ours: &Value) -> bool {
    match (theirs, ours) {
        (serde_json::Value::Null, Value::Null) => true,
        (serde_json::Value::Bool(a), Value::Bool(b)) => a == b,
        (serde_json::Value::String(a), Value::Str(b)) => a == b,
        (serde_json::Value::Number(a), ours @ (Value::Number(_) | Value::Huge(_))) => {
            let (a, b) = (a.as_f64().unwrap(), json::to_string(ours));
            let b: f64 = b.parse().unwrap();
            (a - b).abs() <= 1e-12 * a.abs().max(f64::MIN_POSITIVE)
        }
        (serde_json::Value::Array(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (serde_json::Value::Object(a), Value::Record(b)) => {
            a.len() == b.len()
                && b.iter()
                    .all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        _ => false,
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (any::<i64>(), -30..30_i32)
            .prop_map(|(a, e)| Value::Number(Decimal::new(a.into(), e).unwrap())),
        any::<String>().prop_map(Value::Str),
        "[\"\\\\\u{0}-\u{1f}a-cé😀]{0,20}".prop_map(Value::Str),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            proptest::collection::btree_map(any::<String>(), inner, 0..12).prop_map(|fields| {
                Value::Record(Record::from_fields(fields.into_iter().collect()).unwrap())
            }),
        ]
    })
}

fn agree(text: &str) {
    let ours = json::parse(text);
    match (serde_json::from_str::<serde_json::Value>(text), ours) {
        (Ok(theirs), Ok(ours)) => assert!(same(&theirs, &ours), "{text}"),
        (Ok(_), Err(error)) => assert!(
            matches!(
                error.kind,
                JsonErrorKind::DuplicateKey(_) | JsonErrorKind::TooDeep
            ),
            "{text}: {error}"
        ),
        (Err(error), Ok(_)) => assert!(
            error.to_string().contains("recursion limit")
                || error.to_string().contains("number out of range"),
            "{text}: {error}"
        ),
        (Err(_), Err(error)) => assert!(error.offset <= text.len()),
    }
}

proptest! {
    #[test]
    fn json_round_trips(value in any_value()) {
        let text = json::to_string(&value);
        prop_assert_eq!(json::parse(&text), Ok(value.clone()));
        let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert!(same(&theirs, &value));
    }

    #[test]
    fn json_agrees_on_damaged_texts(
        value in any_value(),
        at in any::<proptest::sample::Index>(),
        with in "[\\[\\]{},:\"\\\\0-9eE.+\\-tfnu ]{0,3}",
        cut in 0..3_usize,
    ) {
        let mut text: Vec<char> = json::to_string(&value).chars().collect();
        let at = at.index(text.len() + 1);
        let end = (at + cut).min(text.len());
        text.splice(at..end, with.chars());
        agree(&text.into_iter().collect::<String>());
    }

    #[test]
    fn json_agrees_on_noise(text in "[\\[\\]{},:\"\\\\0-9eE.+\\-truefalsn \t\n]{0,24}") {
        agree(&text);
    }
}

#[test]
fn json_is_strict() {
    let kind = |text: &str| json::parse(text).map_err(|error| (error.kind, error.offset));
    assert_eq!(kind(""), Err((JsonErrorKind::End, 0)));
    assert_eq!(kind("1 2"), Err((JsonErrorKind::Trailing, 2)));
    assert_eq!(kind("01"), Err((JsonErrorKind::Number, 0)));
    assert_eq!(
        kind(r#"{"a":1,"b":{"a":2}, "a":3}"#),
        Err((JsonErrorKind::DuplicateKey("a".into()), 20))
    );
    // The same key once escaped and once not.
    assert_eq!(
        kind("[{\"a\":1,\"\\u0061\":2}]"),
        Err((JsonErrorKind::DuplicateKey("a".into()), 8))
    );
    assert_eq!(kind(r#""\ud800""#), Err((JsonErrorKind::LoneSurrogate, 1)));
    assert_eq!(
        kind(r#""\udc00\ud800""#),
        Err((JsonErrorKind::LoneSurrogate, 1))
    );
    assert_eq!(kind(r#""\ud800A""#), Err((JsonErrorKind::LoneSurrogate, 1)));
    assert_eq!(kind(r#""\ud83d\ude00""#), Ok(Value::from("😀")));
    assert_eq!(kind(r#""\u+123""#), Err((JsonErrorKind::Escape, 1)));
    assert_eq!(
        kind("\"a\u{1}\""),
        Err((JsonErrorKind::ControlCharacter, 2))
    );
    assert_eq!(
        kind("\"\u{7f}é\u{2028}\""),
        Ok(Value::from("\u{7f}é\u{2028}"))
    );
    assert_eq!(kind("[1,]"), Err((JsonErrorKind::Expected("a value"), 3)));
    assert!(kind("{\"a\":1,}").is_err());
    assert!(kind("{a:1}").is_err());
    assert!(kind("\u{feff}1").is_err());
    assert!(kind("nul").is_err());
    assert!(kind("[1}").is_err());
    assert!(kind("{\"a\"]").is_err());
    for n in 0..40 {
        // A quote, a backslash, a control character at every offset in a word.
        let plain = "x".repeat(n);
        assert_eq!(kind(&format!("\"{plain}\"")), Ok(Value::Str(plain.clone())));
        assert_eq!(
            kind(&format!("\"{plain}\\\"é{plain}\"")),
            Ok(Value::Str(format!("{plain}\"é{plain}")))
        );
        assert_eq!(
            kind(&format!("\"{plain}\t{plain}\"")),
            Err((JsonErrorKind::ControlCharacter, n + 1))
        );
    }
}

#[test]
fn json_has_a_depth_limit() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(json::parse(&nested(json::MAX_DEPTH)).is_ok());
    let error = json::parse(&nested(json::MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.kind, JsonErrorKind::TooDeep);
    assert_eq!(error.offset, json::MAX_DEPTH);
    assert_eq!(
        json::parse(&"[".repeat(100_000)).unwrap_err().kind,
        JsonErrorKind::TooDeep
    );
    assert_eq!(
        json::parse(&"{\"a\":".repeat(100_000)).unwrap_err().kind,
        JsonErrorKind::TooDeep
    );
}

#[test]
fn json_keeps_numbers_exactly() {
    let value =
        json::parse(r#"{"big":123456789012345678901234567890123456789012,"n":1e400,"d":0.10}"#)
            .unwrap();
    assert!(matches!(value.get("big"), Some(Value::Huge(text)) if text.len() == 42));
    assert_eq!(value.get("n").unwrap().as_number(), Some(d("1e400")));
    assert_eq!(value.get("d").unwrap(), &json::parse("0.1").unwrap());
    assert!(value.has_huge());
    assert_eq!(
        json::to_string(&value),
        r#"{"big":123456789012345678901234567890123456789012,"d":0.1,"n":1e+400}"#
    );
}

#[test]
fn json_canonical_text_sorts_by_code_point() {
    // U+FF5E comes before U+1F600, though not in UTF-16.
    let value =
        json::parse("{\"😀\":1,\"～\":2,\"b\":[1.0, true , null],\"a\":\"\\/\\u0007\"}").unwrap();
    assert_eq!(
        json::to_string(&value),
        "{\"a\":\"/\\u0007\",\"b\":[1,true,null],\"～\":2,\"😀\":1}"
    );
    assert_eq!(
        json::parse("{\"a\":1,\"b\":2}"),
        json::parse("{\"b\":2.0,\"a\":1}")
    );
}

#[test]
fn values_are_small() {
    assert!(size_of::<Value>() <= 32);
}

#[test]
fn records_keep_their_order() {
    let mut record = Record::new();
    for n in (0..40).rev() {
        assert_eq!(record.insert(format!("k{n:02}"), Value::from(n)), None);
    }
    assert_eq!(record.insert("k05", Value::Null), Some(Value::from(5)));
    assert_eq!(record.get("k05"), Some(&Value::Null));
    assert_eq!(record.get("k39"), Some(&Value::from(39)));
    assert_eq!(record.get("x"), None);
    assert_eq!(record.remove("k39"), Some(Value::from(39)));
    assert!(record.fields().is_sorted_by(|a, b| a.0 < b.0));
    let twice = vec![
        ("a".to_string(), Value::Null),
        ("a".to_string(), Value::Null),
    ];
    assert_eq!(Record::from_fields(twice), Err("a".into()));
}

#[test]
fn globs_describe_the_whole_text() {
    for (text, pattern, expected) in [
        ("a@corp.com", "*@corp.com", true),
        ("a@corp.com.evil", "*@corp.com", false),
        ("abc", "abc", true),
        ("abc", "ab", false),
        ("abc", "*", true),
        ("", "*", true),
        ("", "", true),
        ("a", "", false),
        ("aba", "a*a", true),
        ("a", "a*a", false),
        ("axbxc", "a*b*c", true),
        ("axbxc", "a*c*b", false),
        ("ab", "a**b", true),
        ("über", "*ber", true),
        ("ABC", "abc", false),
        ("a?c", "a?c", true),
        ("abc", "a?c", false),
    ] {
        assert_eq!(text::like(text, pattern), expected, "{text} {pattern}");
    }
    let pattern = "a*".repeat(200) + "b";
    assert!(!text::like(&"a".repeat(20_000), &pattern));
}

/// The definition, by trying everything.
fn like_by_definition(text: &[char], pattern: &[char]) -> bool {
    match (text, pattern) {
        (_, ['*', rest @ ..]) => (0..=text.len()).any(|n| like_by_definition(&text[n..], rest)),
        ([t, text @ ..], [p, pattern @ ..]) => t == p && like_by_definition(text, pattern),
        (text, pattern) => text.is_empty() && pattern.is_empty(),
    }
}

proptest! {
    #[test]
    fn globs_agree_with_their_definition(text in "[abé]{0,8}", pattern in "[abé*]{0,6}") {
        let (t, p): (Vec<_>, Vec<_>) = (text.chars().collect(), pattern.chars().collect());
        prop_assert_eq!(text::like(&text, &pattern), like_by_definition(&t, &p));
    }

    #[test]
    fn inside_agrees_with_normal_forms(a in "/[ab./]{0,12}", b in "/[ab./]{0,8}") {
        let (x, y) = (path::normalise(&a).unwrap(), path::normalise(&b).unwrap());
        let expected = x == y || y == "/" || x.starts_with(&format!("{y}/"));
        prop_assert_eq!(path::inside(&a, &b), Some(expected));
        prop_assert_eq!(path::normalise(&x), Some(x));
    }
}

#[test]
fn hosts_are_what_every_reader_sees() {
    let host = |text: &str| text::host(text);
    for (text, expected) in [
        ("https://Example.COM/x", "example.com"),
        ("http://user:pw@example.com:8080?q#f", "example.com"),
        ("https://good.com@evil.com/", "evil.com"),
        ("ftp://example.com.", "example.com"),
        ("http://[::1]:80/", "::1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://127.0.0.1", "127.0.0.1"),
        ("bob@Corp.com", "corp.com"),
        ("https://example.com:", "example.com"),
        ("https://a_b.example/?u=x@y", "a_b.example"),
    ] {
        assert_eq!(host(text).as_deref(), Some(expected), "{text}");
    }
    for text in [
        "",
        "example.com",
        "/path",
        "https:///x",
        "https://",
        "file:///etc/passwd",
        "https://evil.com\\@good.com/",
        "https://a@b@c/",
        "https://exa mple.com",
        "https://example.com\t/",
        "https://example.com:80x/",
        "https://ex%61mple.com/",
        "https://пример.рф/",
        "ht tp://example.com",
        "//example.com",
        "1http://example.com",
        "http://[::1",
        "http://[::1]x",
        "http://[v1.x]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://127.1/",
        "http://010.0.0.1/",
        "a@b@c",
        "@b",
        "Bob <bob@corp.com>",
        "a@x.com,b@y.com",
        "a@",
    ] {
        assert_eq!(host(text), None, "{text}");
    }
}

#[test]
fn texts_are_compared_without_case_and_space() {
    assert_eq!(text::normalise(" Hello\u{a0}\n WORLD "), "helloworld");
    assert_eq!(text::normalise("ΟΔΟΣ"), text::normalise("οδος"));
    assert_eq!(text::text(&Value::from("x y")), "x y");
    let value = json::parse("{\"b\":1.0,\"a\":[]}").unwrap();
    assert_eq!(text::text(&value), "{\"a\":[],\"b\":1}");
}

#[test]
fn paths_are_lexical() {
    for (path, expected) in [
        ("/", Some("/")),
        ("/a/./b//c/", Some("/a/b/c")),
        ("/a/../../b", Some("/b")),
        ("/..", Some("/")),
        ("/a\\..\\b", Some("/a\\..\\b")),
        ("/...", Some("/...")),
        ("a/b", None),
        ("", None),
        ("./a", None),
    ] {
        assert_eq!(path::normalise(path).as_deref(), expected, "{path}");
    }
    assert_eq!(path::inside("/srv/data", "/srv/data/"), Some(true));
    assert_eq!(path::inside("/srv/data/x", "/srv/data"), Some(true));
    assert_eq!(path::inside("/srv/data-2/x", "/srv/data"), Some(false));
    assert_eq!(path::inside("/srv/data/../x", "/srv/data"), Some(false));
    assert_eq!(path::inside("x", "/srv"), None);
    assert_eq!(path::inside(&path::join("/srv", "x"), "/srv"), Some(true));
    assert_eq!(
        path::inside(&path::join("/srv", "../x"), "/srv"),
        Some(false)
    );
}

#[test]
fn timestamps_are_rfc_3339() {
    let second = time::SECOND;
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:59:59.5Z", -second / 2),
        (
            "2000-02-29t12:00:00.123456789z",
            951_825_600 * second + 123_456_789,
        ),
        ("2026-11-30T10:00:00Z", 1_796_032_800 * second),
        ("2016-12-31T23:59:60Z", 1_483_228_800 * second),
        ("2017-01-01T00:59:60+01:00", 1_483_228_800 * second),
        ("1970-01-01T00:00:00.0000000019Z", 1),
        ("1970-01-01T00:00:00-00:00", 0),
    ] {
        assert_eq!(time::parse_rfc3339(text), Some(expected), "{text}");
        assert_eq!(time::parse_timestamp(text), Some(expected), "{text}");
        let again = time::format_rfc3339(expected);
        assert_eq!(time::parse_rfc3339(&again), Some(expected), "{again}");
    }
    for text in [
        "",
        "2024-05-15",
        "2024-05-15T10:00Z",
        "2024-5-15T10:00:00Z",
        "2024-02-30T10:00:00Z",
        "2023-02-29T10:00:00Z",
        "1900-02-29T10:00:00Z",
        "2024-13-01T10:00:00Z",
        "2024-00-01T10:00:00Z",
        "2024-05-15T24:00:00Z",
        "2024-05-15T10:60:00Z",
        "2024-05-15T10:00:60Z",
        "2024-05-15T10:00:00.Z",
        "2024-05-15T10:00:00+0100",
        "2024-05-15T10:00:00+24:00",
        "2024-05-15T10:00:00Z ",
        "3000-01-01T00:00:00Z",
        "1500-01-01T00:00:00Z",
        "1715767200",
        "2024-05-15T10:00:00ZZ",
        "２024-05-15T10:00:00Z",
    ] {
        assert_eq!(time::parse_timestamp(text), None, "{text}");
    }
    assert_eq!(time::parse_rfc3339("2024-05-15 10:00:00Z"), None);
    assert_eq!(time::parse_rfc3339("2024-05-15T10:00:00"), None);
    let utc = time::parse_rfc3339("2024-05-15T10:00:00Z");
    assert_eq!(time::parse_timestamp("2024-05-15 10:00:00"), utc);
    assert_eq!(time::format_rfc3339(utc.unwrap()), "2024-05-15T10:00:00Z");
    assert_eq!(
        time::format_rfc3339(1_500_000_000),
        "1970-01-01T00:00:01.5Z"
    );
}

#[test]
fn durations_have_units() {
    let second = time::SECOND;
    for (text, expected) in [
        ("500ms", second / 2),
        ("30s", 30 * second),
        ("10min", 600 * second),
        ("2h", 7200 * second),
        ("1d", 86_400 * second),
        ("1.5h", 5400 * second),
        ("0s", 0),
    ] {
        assert_eq!(time::parse_duration(text), Some(expected), "{text}");
        assert_eq!(
            time::parse_duration(&time::format_duration(expected)),
            Some(expected)
        );
    }
    for text in [
        "",
        "30",
        "s",
        "30 s",
        "-1s",
        "1e3s",
        "1m",
        "30S",
        "1h30min",
        "999999999d",
        ".5s",
    ] {
        assert_eq!(time::parse_duration(text), None, "{text}");
    }
    assert_eq!(time::format_duration(90 * second), "90s");
    assert_eq!(time::format_duration(500), "0.0000005s");
}

proptest! {
    #[test]
    fn timestamps_round_trip(nanos in any::<i64>()) {
        prop_assert_eq!(time::parse_rfc3339(&time::format_rfc3339(nanos)), Some(nanos));
    }

    #[test]
    fn durations_round_trip(nanos in 0..i64::MAX) {
        prop_assert_eq!(time::parse_duration(&time::format_duration(nanos)), Some(nanos));
    }
}
