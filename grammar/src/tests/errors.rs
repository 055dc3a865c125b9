//! What the parser says about mistakes.

use crate::codes::{Files, all};
use crate::{SyntaxError, parse};

/// Source and message together.
/// The policy of an example.
fn text(files: Files) -> &'static str {
    files.first().map_or("", |(_, text)| text)
}

fn render(source: &str) -> String {
    let mut out = String::new();
    for error in parse(source).errors {
        out.push_str(&one(source, &error));
    }
    out
}

fn line_of(source: &str, at: u32) -> (usize, &str, usize) {
    let at = at as usize;
    let start = source[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = source[at..].find('\n').map_or(source.len(), |i| at + i);
    let number = source[..at].matches('\n').count() + 1;
    (
        number,
        &source[start..end],
        source[start..at].chars().count(),
    )
}

fn one(source: &str, error: &SyntaxError) -> String {
    let (number, line, column) = line_of(source, error.span.start);
    let width = error
        .span
        .text(source)
        .lines()
        .next()
        .unwrap_or("")
        .chars()
        .count()
        .max(1);
    let mut out = format!(
        "{}: {}\n{number:>3} | {line}\n    | {}{}\n",
        error.code,
        error.message,
        " ".repeat(column),
        "^".repeat(width)
    );
    for (span, text) in &error.labels {
        let (number, line, _) = line_of(source, span.start);
        out.push_str(&format!("    = {text}, line {number}: {}\n", line.trim()));
    }
    if let Some(help) = &error.help {
        out.push_str(&format!("    = help: {help}\n"));
    }
    if let Some((span, text)) = &error.fix {
        let mut fixed = source.to_owned();
        fixed.replace_range(span.start as usize..span.end as usize, text);
        let (_, line, _) = line_of(&fixed, span.start);
        out.push_str(&format!("    = fix: {}\n", line.trim()));
    }
    out
}

fn clause(text: &str) -> String {
    format!("contract c {{\n  guarantee {text}\n  otherwise block \"x\"\n}}\n")
}

#[test]
fn common_slips() {
    let slips = [
        clause("alwys call a"),
        "contract c {\n  garantee call a only after call b\n}\n".to_owned(),
        clause("always call a implies call b"),
        clause("always call x or y"),
        clause("not always call a and call b"),
        clause("call a until call b until call c"),
        clause("call a and call b until call c"),
        clause("call a until call b or call c"),
        clause("call a only after call b and call c"),
        clause("call a and call b only after call c"),
        clause("never call a and call b"),
        clause("never call a and never call b"),
        clause("not call a at most 3 times"),
        clause("call a leads to eventually call b"),
        clause("always never call a"),
        clause("call a leads to call b leads to call d"),
        clause("amount > 5 leads to call b"),
        clause("call a after call b"),
        clause("never call a within 5min"),
        clause("call a only after call b within 3 steps"),
        clause("call a only if x matches \"a/b\""),
        clause("call a only if x && y"),
        clause("call a only if x = 3"),
        clause("call a only if x == 3;"),
        clause("call a -> call b"),
        clause("call a only if x == 'abc'"),
        clause("call a only if x == “abc”"),
        clause("cаll a"),
        clause("call a only if x == \"abc"),
        clause("call a leeds to call b"),
        clause("call a only if a < b < c"),
        clause("call create-issue only after call b"),
        clause("(call a and call b"),
        clause("call a and call b)"),
        clause("call a at most 3"),
        clause("call a at most 2.5 times"),
        clause("call a within 30sec"),
        clause("call only after call b"),
        "contract c for order {\n  guarantee call a\n}\n".to_owned(),
        "contract c {\n  guarantee call a\n  otherwise deny \"x\"\n}\n".to_owned(),
        "contract c {\n  guarantee call a\n  otherwise \"x\"\n}\n".to_owned(),
        "contract c {\n  guarantee never {ctx.a == 1\n}\n\ncontract d {\n  guarantee call b\n}\n"
            .to_owned(),
        "contrct c { guarantee call a }".to_owned(),
        "test \"x\" {\n  call a(x == 1) exspect block by c\n}\n".to_owned(),
        "tool x(a: lst<string>)".to_owned(),
        "context x string".to_owned(),
        "@id(\"x\")".to_owned(),
        "contract c {\n  guarantee call a }\n  guarantee call b\n}\n".to_owned(),
        "contract c {\n  guarantee call a\n  block \"x\"\n}\n".to_owned(),
        "contract c {\n  call a only after call b\n}\n".to_owned(),
        "contract c {\n  guarantee: call a\n}\n".to_owned(),
        clause("call a if x"),
        clause("call a only once"),
        clause("call a only if x not like \"y*\""),
        clause("call a only if x between 1 and 5"),
        clause("never call a(args[\"x\"] > 1)"),
        "contract c { forbid call a }".to_owned(),
        "tool a()\ntools \"a.json\"".to_owned(),
        "tool a(x: \"y\" | \"z\" | null)".to_owned(),
        "tool a(x: string?)".to_owned(),
        "group g = [a, b]".to_owned(),
        "group g [a, b]".to_owned(),
        "group g { a, b }".to_owned(),
        clause("call a at most once"),
        clause("call a only after call b within 5 min"),
        clause("forall x in y: x == 1"),
    ];
    let shown: Vec<String> = slips
        .iter()
        .map(|s| {
            assert!(!parse(s).errors.is_empty(), "no error: {s}");
            render(s)
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

/// What a help offers to write can be written.
#[test]
fn readings_can_be_written() {
    let operands = [
        "call a",
        "not call b",
        "never call d",
        "once call e",
        "(call f or call g)",
        "{ctx.y}",
    ];
    let words = [
        "and",
        "&&",
        "until",
        "since",
        "only after",
        "only if",
        "leads to",
        "after",
        "only before",
    ];
    let mut tried = 0;
    for first in operands {
        for word in words {
            for second in operands {
                for start in ["", "never ", "always not "] {
                    for end in ["", " at most 3 times", " or call h"] {
                        let text = clause(&format!("{start}{first} {word} {second}{end}"));
                        for error in parse(&text).errors {
                            let Some((_, list)) = error
                                .help
                                .as_deref()
                                .filter(|_| {
                                    matches!(error.code, "E0050" | "E0051" | "E0052" | "E0053")
                                })
                                .and_then(|help| help.split_once("write `"))
                            else {
                                continue;
                            };
                            for reading in list.trim_end_matches('`').split("` or `") {
                                let found = parse(&clause(reading)).errors;
                                assert!(found.is_empty(), "{text}{reading}\n{found:#?}");
                                tried += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 1000, "only {tried} readings");
}

#[test]
fn fixes_are_safe_where_the_meaning_is_sure() {
    for (text, safe) in [
        (clause("call a only if x && y"), true),
        (clause("call a only if x = 3"), true),
        (clause("call a only if x <> 3"), true),
        (clause("call a only if x == 3;"), true),
        (clause("alwys call a"), true),
        (clause("call a only if !x"), false),
        (clause("call a -> call b"), false),
        (clause("call a if x"), false),
        (clause("call create-issue only after call b"), false),
    ] {
        let errors = parse(&text).errors;
        let [error] = errors.as_slice() else {
            panic!("{text}: {errors:#?}");
        };
        assert!(error.fix.is_some(), "{text}");
        assert_eq!(error.safe, safe, "{text}");
    }
}

#[test]
fn one_mistake_one_error() {
    let ten = |bad: &str| {
        let good = "  guarantee always (call a implies eventually call b)\n".repeat(9);
        format!("contract c {{\n  guarantee {bad}\n{good}}}\n")
    };
    for bad in [
        "alwys call a",
        "alwys (call a implis call b) and",
        "call a only afer call b",
        "call a ledas to call b",
        "nevr call a",
        "call a at mots 3 times",
        "cal a",
        "(call a",
        "call a(x == [1, 2)",
        "\"abc",
        "call a and",
        "# call a",
        "call a call b call d",
        "call a foo bar baz",
        "call a foo(x) { y } [z]",
        "x { y } and z",
        "{a: 1, b} call c { {x} }",
        "call a(x == 1, , y) and call b(z)",
    ] {
        let source = ten(bad);
        let parse = parse(&source);
        assert_eq!(parse.errors.len(), 1, "{bad}: {}", render(&source));
        assert_eq!(parse.file.items.len(), 1);
        let crate::ast::ItemKind::Contract(c) = &parse.file.items[0].kind else {
            panic!("{bad}");
        };
        let read = c
            .clauses
            .iter()
            .rev()
            .take_while(|c| matches!(c.kind, crate::ast::ClauseKind::Guarantee(_)))
            .count();
        assert!(read >= 9, "{bad}: {read} clauses after it");
    }
}

#[test]
fn a_missing_brace_is_found_and_later_items_are_read() {
    for missing in 0..20 {
        let source: String = (0..20)
            .map(|i| {
                let close = if i == missing { "" } else { "}\n" };
                format!("contract c{i} {{\n  guarantee never call a{i}\n{close}")
            })
            .collect();
        let parse = parse(&source);
        assert_eq!(parse.errors.len(), 1, "{}", render(&source));
        assert_eq!(parse.errors[0].code, "E0030");
        let opened = parse.errors[0].labels[0].0;
        assert_eq!(opened.text(&source), "{");
        assert!(source[..opened.start as usize].ends_with(&format!("contract c{missing} ")));
        assert_eq!(parse.file.items.len(), 20);
    }
}

#[test]
fn each_item_reports_its_own_error_in_order() {
    let source = "contract a { guarantee ~ call x }\ncontract b { guarantee call x call }\n\
                  contract c { guarantee alwys call x }\ncontract d { guarantee call x until call y until call z }";
    let codes: Vec<&str> = parse(source).errors.iter().map(|e| e.code).collect();
    assert_eq!(codes, ["E0010", "E0040", "E0041", "E0051"]);
}

#[test]
fn each_clause_reports_its_own_error() {
    let source = "contract a {\n  let = 3\n  assume call\n  guarantee call a call b\n  guarantee call x = 1\n  otherwise deny\n}";
    assert_eq!(parse(source).errors.len(), 5, "{}", render(source));
}

#[test]
fn fixes_mend() {
    for source in [
        clause("alwys call a"),
        clause("call a only if x matches \"a/b\""),
        clause("call a only if x && y"),
        clause("call a only if x = 3"),
        clause("call a only if x == 'a\"b'"),
        clause("cаll a"),
        clause("call a leads to eventually call b"),
        clause("call create-issue only after call b"),
        clause("(call a and call b"),
        clause("call a within 30sec"),
        clause("call a only if ｘ == 1"),
        "contract c { guarantee call a otherwise \"x\" }".to_owned(),
        "contract c for order { guarantee call a }".to_owned(),
        "contract c { guarantee call a".to_owned(),
        "contract c {\n guarantee call a }\n otherwise block\n}".to_owned(),
        "contract c { call a }".to_owned(),
        "contract c { guarantee call a block }".to_owned(),
        "contract c { guarantee: call a }".to_owned(),
        clause("call a only if x is null"),
        clause("call a if x"),
        clause("call a at most once"),
        clause("call a only after call b within 5 min"),
        "test \"x\" { call a(x == 1) }".to_owned(),
        "// a\rcontract c {}".to_owned(),
    ] {
        let errors = parse(&source).errors;
        assert_eq!(errors.len(), 1, "{}", render(&source));
        let (span, text) = errors[0].fix.clone().expect(&source);
        let mut fixed = source.clone();
        fixed.replace_range(span.start as usize..span.end as usize, &text);
        assert_eq!(parse(&fixed).errors, vec![], "{fixed}");
    }
}

#[test]
fn documented_examples_are_true() {
    let mut seen = Vec::new();
    let mut untrue = Vec::new();
    for doc in all() {
        assert!(!seen.contains(&doc.code), "{} twice", doc.code);
        seen.push(doc.code);
        let shown = !matches!(
            doc.code,
            "E0001" | "E0002" | "E0018" | "E0019" | "E0020" | "E0032" | "E0067"
        );
        if shown {
            let errors = parse(text(doc.wrong)).errors;
            let codes: Vec<&str> = errors.iter().map(|e| e.code).collect();
            if codes != [doc.code] {
                untrue.push(format!("{codes:?} {}", render(text(doc.wrong))));
            }
        }
        if doc.code != "E0019" && !parse(text(doc.right)).errors.is_empty() {
            untrue.push(render(text(doc.right)));
        }
    }
    assert!(untrue.is_empty(), "{}", untrue.join("\n"));
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    assert_eq!(seen, sorted);
}

#[test]
fn every_code_is_documented() {
    for text in [
        include_str!("../lexer.rs"),
        include_str!("../literal.rs"),
        include_str!("../lookalike.rs"),
        include_str!("../forms.rs"),
        include_str!("../layout.rs"),
        include_str!("../actions.rs"),
        include_str!("../resolve.rs"),
        include_str!("../parse.rs"),
        include_str!("../message.rs"),
    ] {
        for (at, _) in text.match_indices("\"E0") {
            let code = &text[at + 1..at + 6];
            assert!(crate::codes::lookup(code).is_some(), "{code}");
        }
    }
}

#[test]
fn messages_follow_the_style() {
    for doc in all() {
        for error in parse(text(doc.wrong)).errors {
            assert!(!error.message.ends_with('.'), "{}", error.message);
            let first = error.message.chars().next().unwrap();
            assert!(
                !first.is_uppercase() || error.message.starts_with("U+"),
                "{}",
                error.message
            );
        }
    }
}
