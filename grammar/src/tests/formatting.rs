//! The formatter: nothing is lost, and what it prints it leaves alone.

use std::path::Path;

use super::FIXTURES;
use crate::lexer::lex;
use crate::span::Span;
use crate::{FormatError, format, format_within, is_formatted, parse};

/// The widths at which everything is tried.
const WIDTHS: [usize; 7] = [20, 40, 60, 80, 100, 120, 1000];

/// Whether every file is tried in every way at every width (minutes), not each at some.
fn thorough() -> bool {
    std::env::var("CTRC_FORMAT").is_ok_and(|v| v == "all")
}

/// Every policy of the repository that has no syntax errors, with its path.
fn corpus() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> = ["examples", "stdlib-contracts", "tests", "grammar/tests"]
        .iter()
        .map(|folder| root.join(folder))
        .collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ctr")
                && let Ok(text) = std::fs::read_to_string(&path)
                && parse(&text).errors.is_empty()
            {
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 200, "only {} policies found", found.len());
    found
}

fn token_spans(text: &str) -> Vec<Span> {
    lex(text, 0, text.len())
        .tokens
        .iter()
        .map(|t| t.span)
        .collect()
}

/// The tree as text, without places.
fn tree(source: &str) -> String {
    let text = format!("{:?}", parse(source).file);
    let mut parts = text.split("Span { start: ");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}

/// Formats within a width, and checks what is promised: the same tokens, comments and tree, a fixed
/// point, one line end at the end, no two empty lines.
fn promises(name: &str, source: &str, width: usize) -> String {
    let out =
        format_within(source, width).unwrap_or_else(|e| panic!("{name} at {width}: {e}\n{source}"));
    let texts = |text: &str| -> Vec<String> {
        token_spans(text)
            .iter()
            .map(|s| s.text(text).to_owned())
            .collect()
    };
    assert_eq!(texts(source), texts(&out), "{name} at {width}");
    assert_eq!(
        comments(source),
        comments(&out),
        "{name} at {width}\n{source}\n---\n{out}"
    );
    assert_eq!(tree(source), tree(&out), "{name} at {width}");
    let again = format_within(&out, width).unwrap();
    assert!(
        out == again,
        "{name} at {width}: no fixed point\n{source}\n--- once\n{out}\n--- twice\n{again}"
    );
    assert!(out.is_empty() || out.ends_with('\n') && !out.ends_with("\n\n"));
    assert!(!out.contains("\n\n\n"), "{name} at {width}\n{out}");
    out
}

/// A comment right before and right after every token.
fn commented(text: &str, style: usize, random: &mut Random) -> String {
    let mut source = String::new();
    let mut end = 0usize;
    let mut comment = |n: usize, after: bool| {
        let name = format!("{}{n}", if after { "a" } else { "b" });
        let style = if style == 6 { random.below(8) } else { style };
        match style {
            0 => format!("/*{name}*/"),
            1 if after => format!(" // {name}\n"),
            1 => format!("// {name}\n"),
            2 => format!("\n// {name}\n"),
            3 => format!("\n\n\n// {name}\n\n\n/* block {name} */ "),
            4 => format!(" /* {name}\n   more\n\n */ "),
            5 => format!("\n/* {name} */\n"),
            7 => format!("\n\n/* {name} */ // and\n\n"),
            _ => String::new(),
        }
    };
    for (n, token) in token_spans(text).into_iter().enumerate() {
        source.push_str(&text[end..token.start as usize]);
        source.push_str(&comment(n, false));
        source.push_str(token.text(text));
        source.push_str(&comment(n, true));
        end = token.end as usize;
    }
    source.push_str(&text[end..]);
    source.push_str("// last");
    source
}

/// Numbers that repeat (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(n).unwrap()).unwrap()
    }
}

#[test]
fn a_comment_before_and_after_every_token() {
    let mut random = Random(1);
    for (file, (name, text)) in corpus().iter().enumerate() {
        for style in 0..7 {
            // Over all files every style meets every width.
            if !thorough() && !(file + style).is_multiple_of(4) {
                continue;
            }
            let source = commented(text, style, &mut random);
            assert_eq!(parse(&source).errors, vec![], "{name}, style {style}");
            for (n, width) in WIDTHS.into_iter().enumerate() {
                if thorough() || n == (file / 4 + style) % WIDTHS.len() {
                    promises(&format!("{name}, style {style}"), &source, width);
                }
            }
        }
    }
}

/// The text without comments and empty lines.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut end = 0usize;
    for token in token_spans(text) {
        let gap = &text[end..token.start as usize];
        match gap.rfind('\n') {
            Some(at) => {
                out.push('\n');
                out.push_str(gap[at + 1..].rsplit("*/").next().unwrap_or(""));
            }
            None if gap.is_empty() => {}
            None => out.push(' '),
        }
        out.push_str(token.text(text));
        end = token.end as usize;
    }
    out
}

#[test]
fn the_layout_of_the_source_does_not_matter() {
    let mut random = Random(2);
    let mut compared = 0;
    for (file, (name, text)) in corpus().iter().enumerate() {
        let bare = bare(text);
        let tokens: Vec<&str> = token_spans(&bare).iter().map(|s| s.text(&bare)).collect();
        let sources = [
            tokens.join(" "),
            tokens.join("\n"),
            tokens.join("\n      "),
            tokens.iter().fold(String::new(), |all, token| {
                let space = ["\n", " ", "\t", "\n  ", "\n        ", "  "][random.below(6)];
                all + space + token
            }),
        ];
        for (n, width) in WIDTHS.into_iter().enumerate() {
            if !thorough() && n != file % WIDTHS.len() {
                continue;
            }
            let wanted = promises(name, &bare, width);
            for source in &sources {
                assert!(
                    parse(source).errors.is_empty(),
                    "{name}\n{source}\n{:?}",
                    parse(source).errors
                );
                let out = promises(name, source, width);
                assert!(out == wanted, "{name} at {width}\n{out}\n---\n{wanted}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500);
}

#[test]
fn the_policies_of_the_repository() {
    for (name, text) in corpus() {
        for width in [20, 100] {
            promises(&name, &text, width);
        }
    }
}

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
