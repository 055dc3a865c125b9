//! The formatter: nothing is lost, and what it prints it leaves alone.

use super::FIXTURES;
use crate::lexer::lex;
use crate::{FormatError, format, is_formatted, parse};

fn comments(source: &str) -> Vec<String> {
    parse(source)
        .comments
        .iter()
        .map(|c| c.span.text(source).trim_end().to_owned())
        .collect()
}

/// Formats, and checks what is promised of the result.
fn formatted(source: &str) -> String {
    let out = format(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    assert_eq!(comments(source), comments(&out), "{source}\n---\n{out}");
    let again = format(&out).unwrap_or_else(|e| panic!("{e}\n{out}"));
    assert_eq!(out, again, "no fixed point\n{source}");
    assert!(is_formatted(&out));
    assert!(out.is_empty() || out.ends_with('\n') && !out.ends_with("\n\n"));
    assert!(!out.contains("\n\n\n"));
    for line in out.lines() {
        assert_eq!(line.trim_end(), line);
    }
    out
}

#[test]
fn fixtures() {
    let mut all = String::new();
    for (name, text) in FIXTURES {
        all.push_str(&format!("==== {name}\n{}", formatted(text)));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_comment_between_every_two_tokens() {
    for (name, text) in FIXTURES {
        let tokens = lex(text, 0, text.len()).tokens;
        for style in 0..3 {
            let mut source = String::new();
            let mut end = 0usize;
            for (n, token) in tokens.iter().enumerate() {
                source.push_str(&text[end..token.span.start as usize]);
                match style {
                    0 => source.push_str(&format!("/*{n}*/")),
                    1 => source.push_str(&format!("// {n}\n")),
                    _ => source.push_str(&format!("\n// {n}\n\n/* b{n} */ ")),
                }
                source.push_str(token.span.text(text));
                end = token.span.end as usize;
            }
            source.push_str(&text[end..]);
            source.push_str("// last");
            assert_eq!(parse(&source).errors, vec![], "{name}");
            formatted(&source);
        }
    }
}

#[test]
fn one_comment_at_every_place() {
    for (_, text) in FIXTURES.iter().filter(|(n, _)| n.starts_with("refund")) {
        for token in lex(text, 0, text.len()).tokens {
            let (before, after) = text.split_at(token.span.end as usize);
            for comment in [" // c\n", "\n// c\n", " /* c\n  d */ ", "\n\n/* c */\n\n"] {
                formatted(&format!("{before}{comment}{after}"));
            }
        }
    }
}

#[test]
fn openers_closers_and_long_lines() {
    let long = "x".repeat(300);
    for source in [
        "contract c { // c\n}".to_owned(),
        "contract c { guarantee ( // c\n call a) }".to_owned(),
        "contract c { guarantee call a(x in [// c\n 1]) }".to_owned(),
        "group g = { a, // c\n}".to_owned(),
        "group g = { a, b, }".to_owned(),
        "contract c {} // last".to_owned(),
        format!("contract c {{ guarantee call {long} only after call {long} // trailing\n}}"),
        format!(
            "contract c {{ guarantee call a(x == \"{long}\", y == 2) otherwise block \"{long}\" }}"
        ),
        "// head\n\n\n\n// licence\n\ncontract c {}".to_owned(),
        "/* a */ /* b */ contract c {}".to_owned(),
        "contract a {} contract b {}".to_owned(),
        "tool a() /* x */ // y\n// z\ntool b()".to_owned(),
        "context a : { } context b:list< map<int > > lookup f ( ) -> int|null".to_owned(),
        "contract c { guarantee call a only if x == - 1 and - y < 2 - - 3 }".to_owned(),
    ] {
        formatted(&source);
    }
}

#[test]
fn style() {
    let messy = "contract   c for   each  order{let limit=latest( success check( args . order_id==order ),result . limit )\n\n\n\n\
                 guarantee call refund( order_id==order )only if amount<=limit and x  in[1,2]\n   otherwise block \"no\"}";
    assert_eq!(
        formatted(messy),
        "contract c for each order {\n  let limit = latest(success check(args.order_id == order), result.limit)\n\n  \
         guarantee call refund(order_id == order) only if amount <= limit and x in [1, 2]\n  otherwise block \"no\"\n}\n"
    );
    assert_eq!(
        formatted(
            "context b:list< map<int > >\ntool t(a?:string|null)->{ok:bool}\ncontract c{guarantee{ ctx.a==-1 }}"
        ),
        "context b: list<map<int>>\ntool t(a?: string | null) -> { ok: bool }\ncontract c {\n  guarantee {ctx.a == -1}\n}\n"
    );
}

#[test]
fn line_ends_and_edges() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n"), "");
    assert_eq!(formatted("// c"), "// c\n");
    let crlf = formatted("// a\r\ncontract c {}\r\n/* x\r\n y */\r\n");
    assert_eq!(crlf.matches('\n').count(), crlf.matches("\r\n").count());
    assert!(!formatted("// a\r\ncontract c {}\n// b\n").contains('\r'));
    assert!(matches!(format("contract {"), Err(FormatError::Syntax(_))));
}
