//! Text, bytes and positions.
//!
//! | case | where it is held |
//! | --- | --- |
//! | columns after wide characters | here; `ctr_front::lines`, `ctrc::render::human` (unit tests) |
//! | spans inside characters, at the end, in long lines | `ctrc::render::human::tests::every_span_of_awkward_texts_is_drawn`; here |
//! | end of a file without newline | `ui/positions/{end_of_the_text,no_newline_at_the_end}`; here after emoji |
//! | every scalar alone, and in a string | `badsource::scalars`, `ctr_grammar::tests::robust::scalars_outside_ascii` |
//! | CRLF | `ui/positions/crlf`; here against its LF twin |
//! | lone carriage return | `ui/positions/lone_carriage_return`; here |
//! | tabs | `ui/positions/tabs`; here in numbers |
//! | invalid UTF-8, NUL, UTF-16, binary | `badsource::bytes_of_policies`, `ui/positions/{nul,utf16}` |

use ctr_tests::attempts::Attempts;
use serde_json::Value;

use crate::mistakes::findings;

fn json(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

/// Every length of character before a name: bytes, UTF-16 units and characters all differ.
#[test]
fn columns_after_wide_characters() {
    let mut t = Attempts::new();
    for text in ["…£😀क्षि", "𐐰", "é\u{301}", "\t日本"] {
        let line = format!(
            "/* {text} */ contract c {{ guarantee never call pay(to == \"{text}\" and nobody) }}"
        );
        t.file("a.ctr", format!("tool pay(to: string)\n{line}\n"));
        let before = line.split("nobody").next().unwrap();
        let characters = before.chars().count() + 1;
        let units = before.encode_utf16().count() + 1;
        for (format, pointer, column) in [
            ("json", "/0/spans/0/column", characters),
            (
                "sarif",
                "/runs/0/results/0/locations/0/physicalLocation/region/startColumn",
                units,
            ),
        ] {
            let got = t.run(&["check", "--format", format, "a.ctr"], &[1], None);
            let value = json(&got.stdout);
            let found = value.pointer(pointer).and_then(Value::as_u64);
            t.expect(found == Some(column as u64), || {
                format!(
                    "{format}, {text:?}: column {found:?}, not {column}\n{}",
                    got.stdout
                )
            });
        }
    }
    t.finish();
}

/// A missing brace at the end of a file without newline, after emoji, and in a line too long to draw.
#[test]
fn the_end_after_wide_characters() {
    let mut t = Attempts::new();
    for before in [String::new(), "😀".repeat(40), "é".repeat(3_000)] {
        let line = format!("/* {before} */ contract c {{");
        t.file("a.ctr", &line);
        let got = t.run(&["check", "--format", "json", "a.ctr"], &[1], None);
        let value = json(&got.stdout);
        let primary = &value[0]["spans"][0];
        t.expect(
            value.as_array().is_some_and(|all| all.len() == 1)
                && primary["column"] == line.chars().count() + 1
                && primary["start"] == line.len(),
            || format!("{}: {}", before.len(), got.stdout),
        );
        t.run(&["check", "a.ctr"], &[1], Some("a.ctr"));
    }
    t.finish();
}

/// Findings whose spans end before, in or after characters of several bytes; each fix is cut and put in.
#[test]
fn spans_beside_wide_characters() {
    for inner in ["é", "“", "\u{a0}", "a\u{200d}b", "क्षि", "👨\u{200d}👩"] {
        for text in [
            format!("contract c {{ guarantee never call pay(to == {inner}x) }}"),
            format!("contract c {{ guarantee never call pay(to == 'x{inner}') }}"),
            format!("contract c {{ guarantee never call {inner} }}"),
            format!("contract {inner} {{ guarantee alwys call x }}"),
            format!("contract c {{ guarantee never call pay(to = \"{inner}\" }} {inner}"),
            format!(
                "// {inner}\ncontract c {{ guarantee never call pay(to matches \"{inner}\") }}"
            ),
        ] {
            for found in findings("a.ctr", &text) {
                for label in std::iter::once(&found.primary).chain(&found.secondary) {
                    let span = label.place.span;
                    assert!(
                        text.get(span.start as usize..span.end as usize).is_some(),
                        "{text:?}: {found:?}"
                    );
                }
                for (place, new) in found.fixes.iter().flat_map(|f| &f.edits) {
                    let span = place.span.start as usize..place.span.end as usize;
                    assert!(text.get(span.clone()).is_some(), "{text:?}: {found:?}");
                    let mut fixed = text.clone();
                    fixed.replace_range(span, new);
                    findings("a.ctr", &fixed);
                }
            }
        }
    }
}

/// A file with CRLF has the findings of its twin with LF, at the same lines and columns; documentation and
/// messages hold no carriage return.
#[test]
fn line_ends_change_nothing() {
    let mut t = Attempts::new();
    let text = "// c\n/// Doc.\ncontract c {\n  guarantee never call drop // d\n  guarantee alwys call x\n}\n\n\
        /* two\nlines */ contract d {\n\tguarantee call pay only if amount = 3\n  otherwise block \"open\n}\n\
        contract e {\n  guarantee never call a\n";
    let place = |t: &mut Attempts, name: &str, text: &str| {
        t.file(name, text);
        let got = t.run(&["check", "--format", "json", name], &[1], None);
        let value = json(&got.stdout);
        t.expect(!got.stdout.contains("\\r"), || got.stdout.clone());
        let all: Vec<(String, u64, u64)> = value
            .as_array()
            .unwrap()
            .iter()
            .map(|f| {
                let span = &f["spans"][0];
                let number = |key: &str| span[key].as_u64().unwrap();
                (f["message"].to_string(), number("line"), number("column"))
            })
            .collect();
        all
    };
    let unix = place(&mut t, "unix.ctr", text);
    let dos = place(&mut t, "dos.ctr", &text.replace('\n', "\r\n"));
    let mixed: String = text
        .split_inclusive('\n')
        .enumerate()
        .map(|(i, line)| {
            if i % 2 == 0 {
                line.replace('\n', "\r\n")
            } else {
                line.to_owned()
            }
        })
        .collect();
    let mixed = place(&mut t, "mixed.ctr", &mixed);
    t.expect(unix.len() >= 4, || format!("{unix:?}"));
    t.expect(unix == dos, || format!("CRLF:\n{unix:?}\n{dos:?}"));
    t.expect(unix == mixed, || format!("mixed:\n{unix:?}\n{mixed:?}"));
    t.finish();
}

/// What a reader does not see is an error: a carriage return that hides text, controls of direction, and
/// characters without shape, wherever they stand.
#[test]
fn hidden_text_is_an_error_at_its_place() {
    for (bad, code) in [
        ('\u{202e}', "E0020"),
        ('\u{2066}', "E0020"),
        ('\u{2069}', "E0020"),
        ('\u{200b}', "E0070"),
        ('\u{200e}', "E0070"),
        ('\u{2060}', "E0070"),
        ('\u{ad}', "E0070"),
        ('\u{feff}', "E0070"),
        ('\u{115f}', "E0070"),
        ('\u{3164}', "E0070"),
        ('\u{e0041}', "E0070"),
        ('\r', "E0018"),
    ] {
        for text in [
            format!("// a{bad}b\ncontract c {{ guarantee never call a }}\n"),
            format!("/// a{bad}b\ncontract c {{ guarantee never call a }}\n"),
            format!("/* a{bad}b */ contract c {{ guarantee never call a }}\n"),
            format!("@id(\"a{bad}b\") contract c {{ guarantee never call a }}\n"),
            format!("contract c {{ guarantee never call `a{bad}b` }}\n"),
            format!("contract c {{ guarantee never call a(x matches /a{bad}b/) }}\n"),
        ] {
            // A line end ends names, strings and expressions too; in a comment nothing is compared.
            let comment = text.starts_with('/');
            if bad == '\r' && (!comment || text.starts_with("/*")) || code == "E0070" && comment {
                continue;
            }
            let all = findings("a.ctr", &text);
            let [found] = all.as_slice() else {
                panic!("{text:?}: {all:#?}");
            };
            assert_eq!(found.code, code, "{text:?}");
            let at = found.primary.place.span.start as usize;
            assert_eq!(text[at..].chars().next(), Some(bad), "{text:?}");
        }
    }
}

/// A name that only looks like another; joiners of other scripts are left alone.
#[test]
fn names_that_look_like_others() {
    let codes =
        |text: &str| -> Vec<&str> { findings("a.ctr", text).iter().map(|d| d.code).collect() };
    for (name, wanted) in [
        ("p\u{430}y", &["W0001"][..]),
        ("pay\u{ff10}", &["W0001"]),
        ("оплата", &[]),
        ("支付-pay", &[]),
        ("naïve", &[]),
    ] {
        let text = format!("contract c {{ guarantee never call `{name}` }}\n");
        assert_eq!(codes(&text), wanted, "{name}");
    }
    for fine in ["👨\u{200d}👩", "می\u{200c}خواهم", "क\u{200d}ष"] {
        let text = format!("contract c {{ guarantee never call a(x == \"{fine}\") }}\n");
        assert!(codes(&text).is_empty(), "{fine}");
    }
}

/// A tab is one column in numbers, a line end is none.
#[test]
fn tabs_are_one_column() {
    let mut t = Attempts::new();
    t.file(
        "a.ctr",
        "contract c {\n\t\tguarantee /* 日\t */ alwys call x\n}\n",
    );
    let got = t.run(&["check", "--format", "json", "a.ctr"], &[1], None);
    let value = json(&got.stdout);
    let primary = &value[0]["spans"][0];
    t.expect(primary["line"] == 2 && primary["column"] == 22, || {
        got.stdout.clone()
    });
    t.finish();
}
