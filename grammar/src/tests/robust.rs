//! Hostile and broken texts: never a panic, never long.

use std::time::{Duration, Instant};

use super::FIXTURES;
use crate::lexer::lex;
use crate::{MAX_DEPTH, MAX_FILE_BYTES, MAX_NESTING, format, parse};

/// All spans lie in the text, on character boundaries.
fn check(source: &str) {
    let parse = parse(source);
    for error in &parse.errors {
        let spans = error
            .labels
            .iter()
            .map(|(s, _)| *s)
            .chain(error.fix.iter().map(|(s, _)| *s))
            .chain([error.span]);
        for span in spans {
            assert!(
                source.get(span.start as usize..span.end as usize).is_some(),
                "{span:?} of {error:?}"
            );
        }
    }
}

#[test]
fn every_prefix() {
    for (_, text) in FIXTURES {
        let step = if text.len() > 1_000 { 3 } else { 1 };
        for (at, _) in text.char_indices().step_by(step) {
            check(&text[..at]);
        }
    }
}

#[test]
fn every_token_left_out_doubled_and_swapped() {
    for (_, text) in FIXTURES {
        let tokens = lex(text, 0, text.len()).tokens;
        for (n, pair) in tokens.windows(2).enumerate() {
            let (a, b) = (pair[0].span, pair[1].span);
            let (start, end) = (a.start as usize, a.end as usize);
            check(&format!("{}{}", &text[..start], &text[end..]));
            if n % 3 != 0 {
                continue;
            }
            check(&format!("{} {}", &text[..end], &text[start..]));
            check(&format!(
                "{} {} {} {}",
                &text[..start],
                b.text(text),
                a.text(text),
                &text[b.end as usize..]
            ));
        }
    }
}

#[test]
fn ends_of_text() {
    for text in [
        "",
        " ",
        "\n",
        "// only",
        "/*",
        "/**/",
        "{",
        "(((((",
        ")",
        "contract",
        "contract c",
        "contract c {",
        "contract c { guarantee",
        "!",
        "\"",
        "\"é",
        "\"\\",
        "\"a\\u{",
        "\"a\\u{110000}\"",
        "'",
        "`",
        "`a",
        "/",
        "/[",
        "/[/",
        "/\\",
        "@",
        "@id",
        "@id(",
        "test",
        "test \"",
        "test \"x\" for",
        "test \"x\" { call",
        "test \"x\" { call a ->",
        "test \"x\" { end expect",
        "\u{feff}",
        "\u{feff}contract",
        "\0",
        "\r",
        "1",
        "1e",
        "0x",
        "00",
        "-0",
        "=",
        "==",
        "->",
        "<<<<<<<",
        "=======",
        ">>>>>>>",
        "every",
        "contract c { guarantee every x in",
        "tools",
        "tools from",
        "at most",
        "predicate p() =",
        "contract c {}}",
        "\"\u{10FFFF}",
        "contract c { guarantee call a otherwise",
    ] {
        check(text);
        let _ = format(text);
    }
    assert_eq!(parse("").errors, vec![]);
    assert_eq!(parse("// only").errors, vec![]);
    assert_eq!(parse("\u{feff}contract c {}").errors, vec![]);
}

#[test]
fn scalars_outside_ascii() {
    let all = (0x80..=0x10_ffff_u32).filter(|c| *c < 0x2100 || c % 197 == 0);
    for c in all.filter_map(char::from_u32) {
        let text = c.to_string();
        check(&text);
        let source = format!("contract c {{ guarantee call a(x == {c}) }}");
        check(&source);
        if c != '\u{feff}' {
            assert!(!parse(&source).errors.is_empty(), "{c:?}");
        }
        let quoted = format!("contract c {{ guarantee call a(x == \"{c}\") }}");
        check(&quoted);
    }
}

#[test]
fn controls_inside_comments_and_strings() {
    for bad in ["\u{202e}", "\u{2066}", "\0"] {
        for text in [
            format!("// {bad}\ncontract c {{}}"),
            format!("/* {bad} */ contract c {{}}"),
            format!("@id(\"{bad}\") contract c {{}}"),
            format!("contract `a{bad}` {{}}"),
            format!("contract c {{ guarantee call a(x matches /{bad}/) }}"),
        ] {
            assert_eq!(parse(&text).errors.len(), 1, "{text:?}");
        }
    }
    assert_eq!(parse("// a\rcontract c {}\n").errors[0].code, "E0018");
    assert_eq!(parse("// a\r\ncontract c {}\r\n").errors, vec![]);
}

#[test]
fn an_unterminated_string_ends_at_its_line() {
    let source = "contract a {\n  guarantee call x\n  otherwise block \"é\n}\ncontract b { guarantee alwys call a }\n";
    let errors = parse(source).errors;
    let codes: Vec<&str> = errors.iter().map(|e| e.code).collect();
    assert_eq!(codes, ["E0011", "E0041"]);
    assert_eq!(errors[0].span.text(source), "\"");
}

#[test]
fn numbers() {
    for (text, code) in [
        ("0x1F", "E0015"),
        ("00", "E0015"),
        ("1_000_", "E0015"),
        ("1e", "E0015"),
        ("1.5h", "E0015"),
        ("99999999999999999999d", "E0016"),
        ("5m", "E0017"),
    ] {
        let errors = parse(&format!(
            "contract c {{ guarantee call a only if x == {text} }}"
        ))
        .errors;
        assert_eq!(errors.len(), 1, "{text}");
        assert_eq!(errors[0].code, code, "{text}");
    }
    for text in [
        "-0",
        "1e400",
        "0",
        "0.5",
        "1E+3",
        "1e-3",
        "9223372036s",
        "123456789012345678901234567890",
    ] {
        let source = format!("contract c {{ guarantee call a only if x == {text} }}");
        assert_eq!(parse(&source).errors, vec![], "{text}");
    }
    let steps =
        "contract c { guarantee call a leads to call b within 99999999999999999999999 steps }";
    assert_eq!(parse(steps).errors[0].code, "E0062");
}

fn timed(source: &str) -> Vec<&'static str> {
    let start = Instant::now();
    let codes = parse(source).errors.iter().map(|e| e.code).collect();
    assert!(start.elapsed() < Duration::from_secs(20), "too slow");
    codes
}

#[test]
fn depth_is_limited() {
    let n = 100_000;
    let c = |body: String| {
        format!("contract c {{ guarantee {body} }}\ncontract d {{ guarantee call b }}")
    };
    for source in [
        "(".repeat(n),
        "{".repeat(n),
        "[".repeat(n),
        c("(".repeat(n)),
        c(format!("{}call a{}", "(".repeat(n), ")".repeat(n))),
        c(format!("{}call a", "not ".repeat(n))),
        c(format!("{}call a", "always ".repeat(n))),
        c(format!("{}call a", "call a implies ".repeat(n))),
        c(format!("call a only if x == {}1", "1 + ".repeat(n))),
        c(format!("call a only if x{} == 1", ".a".repeat(n))),
        c(format!("call a only if x{} == 1", "[0]".repeat(n))),
        c(format!(
            "call a only if {}x == 1",
            "every x in y: ".repeat(n)
        )),
        format!("context x: {}int{}", "list<".repeat(n), ">".repeat(n)),
        format!("context x: {}", "{a: ".repeat(n)),
    ] {
        assert_eq!(timed(&source), ["E0032"], "{}", &source[..60]);
    }
    // The margin: what is just not too deep is read.
    let brackets = MAX_NESTING - 1;
    let deep = c(format!(
        "{}call a{}",
        "(".repeat(brackets),
        ")".repeat(brackets)
    ));
    assert_eq!(timed(&deep), Vec::<&str>::new());
    let prefixes = MAX_DEPTH as usize - 1;
    assert_eq!(
        timed(&c(format!("{}call a", "not ".repeat(prefixes)))),
        Vec::<&str>::new()
    );
    assert_eq!(
        timed(&c(format!("{}call a", "not ".repeat(prefixes + 1)))),
        ["E0032"]
    );
}

#[test]
fn size_is_limited_and_time_is_linear() {
    assert_eq!(timed(&" ".repeat(MAX_FILE_BYTES + 1)), ["E0001"]);
    let big = 300_000;
    assert_eq!(timed(&"x".repeat(big)), ["E0042"]);
    let number = "9".repeat(big);
    assert_eq!(
        timed(&format!(
            "contract c {{ guarantee call a only if x == {number} }}"
        )),
        Vec::<&str>::new()
    );
    assert_eq!(
        timed(&"contract c { guarantee never call a } ".repeat(5_000)),
        Vec::<&str>::new()
    );
    assert_eq!(timed(&"@a ".repeat(50_000)), ["E0043"]);
    assert_eq!(timed(&"/*".repeat(big)).len(), 1);
    timed(&"\"".repeat(50_000));
    timed(&"a ".repeat(50_000));
    timed(&"} ".repeat(50_000));
    timed(&"#".repeat(big));
    timed(&"; # ' ".repeat(20_000));
    timed(&"contract ".repeat(20_000));
    timed(&"contract c { ".repeat(5_000));
    timed(&format!(
        "contract c {{ {}",
        "guarantee x y ".repeat(10_000)
    ));
    timed(&format!(
        "contract c {{ guarantee {}",
        "alwys call a ".repeat(5_000)
    ));
    // 20_000 clauses, each with a mistake: the first thousand are reported.
    timed(&format!(
        "contract c {{ {} }}",
        "guarantee call a call b ".repeat(20_000)
    ));
    let many = timed(&"contract c { guarantee call a call b } ".repeat(3_000));
    assert_eq!(many.len(), crate::MAX_REPORTED + 1);
    timed(&"<<<<<<< a\n=======\n".repeat(10_000));
}

const WORDS: &[&str] = &[
    "contract",
    "c",
    "{",
    "}",
    "guarantee",
    "assume",
    "let",
    "otherwise",
    "block",
    "\"m\"",
    "call",
    "success",
    "a",
    "|",
    "any",
    "except",
    "(",
    ")",
    "not",
    "and",
    "or",
    "implies",
    "always",
    "next",
    "weak",
    "until",
    "since",
    "never",
    "after",
    "before",
    "only",
    "if",
    "while",
    "leads",
    "to",
    "immediately",
    "at",
    "most",
    "3",
    "times",
    "within",
    "30s",
    "steps",
    "==",
    "=",
    "in",
    "[",
    "]",
    ",",
    ".",
    ":",
    "every",
    "x",
    "matches",
    "/r/",
    "test",
    "for",
    "each",
    "expect",
    "by",
    "with",
    "->",
    "failure",
    "unknown",
    "end",
    "event",
    "context",
    "input",
    "tool",
    "?",
    "-",
    "*",
    "@",
    "import",
    "as",
    "tools",
    "from",
    "where",
    "group",
    "predicate",
    "\n",
    "// c\n",
    "/* c */",
    "`q`",
    ";",
    "é",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    /// Any sequence of words is parsed; where it has no errors, it can be formatted.
    #[test]
    fn any_words(picks in proptest::collection::vec(0..WORDS.len(), 0..60), inside in proptest::bool::ANY) {
        let mut text: String = picks.iter().map(|i| format!("{} ", WORDS[*i])).collect();
        if inside {
            text = format!("contract c {{ guarantee {text} }}");
        }
        check(&text);
        if parse(&text).errors.is_empty() {
            let out = format(&text).unwrap();
            proptest::prop_assert_eq!(format(&out).unwrap(), out);
        }
    }

    /// Any text at all is parsed.
    #[test]
    fn any_text(text in "\\PC{0,80}") {
        check(&text);
    }
}
