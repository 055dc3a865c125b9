//! The TextMate grammars in `grammar/textmate`: made from the keyword table, and tested against the parser's colours.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

#[path = "../common/mod.rs"]
mod common;
mod engine;
mod grammar;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{accepted, files, root, tree};
use engine::{Engine, Scopes};
use serde_json::Value;
use tree_sitter::{Query, QueryCursor, StreamingIterator};

thread_local! {
    static ENGINE: Engine = Engine::new(&grammar::grammar());
}

fn colour(text: &str) -> Vec<Scopes> {
    ENGINE.with(|engine| engine.colour(text))
}

fn path(name: &str) -> std::path::PathBuf {
    root().join("grammar/textmate").join(name)
}

fn current(name: &str, wanted: &Value) {
    if std::env::var_os("CTRC_BLESS").is_some() {
        let text = serde_json::to_string_pretty(wanted).unwrap();
        std::fs::write(path(name), text + "\n").unwrap();
    }
    let text = std::fs::read_to_string(path(name)).unwrap_or_default();
    let found: Value = serde_json::from_str(&text).unwrap_or_default();
    assert!(
        found == *wanted,
        "grammar/textmate/{name} is stale: CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test textmate"
    );
}

#[test]
fn is_current() {
    current("ctr.tmLanguage.json", &grammar::grammar());
    current("ctr.markdown.tmLanguage.json", &grammar::markdown());
    let wanted = plist(&grammar::grammar());
    if std::env::var_os("CTRC_BLESS").is_some() {
        std::fs::write(path("ctr.tmLanguage"), &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path("ctr.tmLanguage")).unwrap_or_default();
    assert!(
        found == wanted,
        "grammar/textmate/ctr.tmLanguage is stale: CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test textmate"
    );
}

/// The grammar as a property list, which Sublime Text and TextMate read.
fn plist(grammar: &Value) -> String {
    fn escaped(text: &str) -> String {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    }
    fn write(value: &Value, depth: usize, out: &mut String) {
        let pad = "\t".repeat(depth);
        match value {
            Value::Array(list) => {
                out.push_str(&format!("{pad}<array>\n"));
                for inner in list {
                    write(inner, depth + 1, out);
                }
                out.push_str(&format!("{pad}</array>\n"));
            }
            Value::Object(fields) => {
                out.push_str(&format!("{pad}<dict>\n"));
                let mut names: Vec<&String> = fields.keys().filter(|k| *k != "$schema").collect();
                names.sort();
                for name in names {
                    out.push_str(&format!("{pad}\t<key>{}</key>\n", escaped(name)));
                    write(&fields[name], depth + 1, out);
                }
                out.push_str(&format!("{pad}</dict>\n"));
            }
            other => {
                let text = escaped(other.as_str().unwrap());
                out.push_str(&format!("{pad}<string>{text}</string>\n"));
            }
        }
    }
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n");
    write(grammar, 0, &mut out);
    out.push_str("</plist>\n");
    out
}

/// What a colour is for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Comment,
    Keyword,
    Operator,
    Punctuation,
    Text,
    Regex,
    Number,
    Constant,
    Type,
    Name,
    Invalid,
}

fn of_scopes(scopes: &Scopes) -> Option<Class> {
    // What stands in the braces of a message is no text.
    let inner = scopes
        .iter()
        .rposition(|s| {
            s.starts_with("meta.embedded") || s.starts_with("punctuation.section.interpolation")
        })
        .map_or(&scopes[..], |at| &scopes[at..]);
    let any = |prefix: &str| inner.iter().any(|s| s.starts_with(prefix));
    let last = inner.last().map_or("", String::as_str);
    Some(if any("invalid") {
        Class::Invalid
    } else if any("comment") {
        Class::Comment
    } else if any("string.regexp") {
        Class::Regex
    } else if any("string") {
        Class::Text
    } else if [
        "keyword.control",
        "storage.type",
        "keyword.operator.logical",
        "keyword.operator.temporal",
        "keyword.operator.form",
        "keyword.operator.word",
    ]
    .iter()
    .any(|p| last.starts_with(p))
    {
        Class::Keyword
    } else if last.starts_with("keyword.operator") {
        Class::Operator
    } else if last.starts_with("constant.numeric") || last.starts_with("keyword.other.unit") {
        Class::Number
    } else if last.starts_with("constant.language") {
        Class::Constant
    } else if last.starts_with("support.type") {
        Class::Type
    } else if last.starts_with("punctuation") {
        Class::Punctuation
    } else if last == "source.ctr" || last.starts_with("meta") {
        return None;
    } else {
        Class::Name
    })
}

fn of_capture(name: &str) -> Class {
    match name {
        n if n.starts_with("comment") => Class::Comment,
        n if n.starts_with("keyword") => Class::Keyword,
        "operator" => Class::Operator,
        n if n.starts_with("punctuation") => Class::Punctuation,
        "string" | "string.escape" => Class::Text,
        "string.regexp" => Class::Regex,
        "number" => Class::Number,
        "boolean" | "constant.builtin" => Class::Constant,
        "type.builtin" => Class::Type,
        _ => Class::Name,
    }
}

/// The class of each byte by the parser.
fn by_tree(query: &Query, text: &str) -> Vec<Option<Class>> {
    let tree = tree(text);
    let mut cursor = QueryCursor::new();
    let mut found = cursor.captures(query, tree.root_node(), text.as_bytes());
    let mut all = Vec::new();
    while let Some((of, index)) = found.next() {
        let capture = of.captures()[*index];
        all.push((
            capture.node.byte_range(),
            of_capture(query.capture_names()[capture.index as usize]),
        ));
    }
    // Larger nodes first: the smaller ones in them win.
    all.sort_by_key(|(range, _)| std::cmp::Reverse(range.len()));
    let mut out = vec![None; text.len()];
    for (range, class) in all {
        out[range].fill(Some(class));
    }
    out
}

/// Line by line both grammars say the same of every word, number, string and sign.
#[test]
fn agrees_with_the_parser() {
    let query = Query::new(
        &tree_sitter_ctr::LANGUAGE.into(),
        tree_sitter_ctr::HIGHLIGHTS_QUERY,
    )
    .unwrap();
    let (mut tokens, mut wrong) = (0usize, Vec::new());
    for (name, text) in files() {
        if !accepted(&text) {
            continue;
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let scopes = colour(text);
        let wanted = by_tree(&query, text);
        for token in ctr_grammar::lexemes(text).tokens {
            tokens += 1;
            let at = token.start as usize;
            let found = of_scopes(&scopes[at]);
            // `@` and the `?` of optional fields are signs in one way or the other.
            let sign = ["@", "?"].contains(&token.text(text));
            if found != wanted[at] && !sign {
                let line = text[..at].matches('\n').count();
                wrong.push(format!(
                    "{name}:{}: `{}` is {found:?}, not {:?}: {}",
                    line + 1,
                    token.text(text),
                    wanted[at],
                    text.lines().nth(line).unwrap_or("")
                ));
            }
        }
    }
    assert!(tokens > 20_000, "{tokens}");
    // The second name of a list, where it is a keyword elsewhere, and the like.
    assert!(
        wrong.len() * 10_000 <= tokens,
        "{} of {tokens}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn scopes_of(text: &str, part: &str) -> Scopes {
    let at = text.find(part).unwrap();
    colour(text)[at].clone()
}

/// Each keyword of the table in the place where it is one.
#[test]
fn every_keyword() {
    use ctr_grammar::keywords::{KEYWORDS, KeywordKind};
    for keyword in KEYWORDS {
        let word = keyword.name;
        let text = match keyword.kind {
            KeywordKind::Item => match word {
                "tools from" => "tools from \"a.json\"".to_owned(),
                "test" => "test \"a\" {".to_owned(),
                "context" => "context a: int".to_owned(),
                "group" => "group a = { b }".to_owned(),
                _ => format!("{word} a(b: int)"),
            },
            KeywordKind::Declaration => match word {
                "as" => "import \"a\" as b".to_owned(),
                "tools where" => "group a = tools where destructive".to_owned(),
                "for" => "test \"a\" for b {".to_owned(),
                _ => format!("contract a {word} b {{"),
            },
            KeywordKind::Clause => format!("  {word} x = 1"),
            KeywordKind::Action => format!("  otherwise {word} \"m\""),
            KeywordKind::Pattern => match word {
                "any" | "any except" => format!("  guarantee call {word} t"),
                _ => format!("  guarantee never {word} t"),
            },
            KeywordKind::Form => match word {
                "time" | "times" => format!("  call a at most 3 {word}"),
                "consecutive" => format!("  call a at most 3 {word} times"),
                "step" | "steps" => format!("  call a leads to call b within 3 {word}"),
                "exactly" => "  call a exactly 3 times".to_owned(),
                _ => format!("  guarantee call a {word} call b"),
            },
            KeywordKind::Operator if matches!(word, "every" | "some") => {
                format!("  {word} x in l: y")
            }
            KeywordKind::Test => match word {
                "expect" | "by" => "  call a expect block by b".to_owned(),
                "with" => "  call a with x = 1".to_owned(),
                "at" => "  call a at \"2026\"".to_owned(),
                _ => "  end".to_owned(),
            },
            KeywordKind::Type => match word {
                "list" | "map" => format!("context a: {word}<int>"),
                "enum" => "context a: enum(\"b\")".to_owned(),
                _ => format!("context a: {word}"),
            },
            _ => format!("  guarantee a {word} b"),
        };
        let from = text.rfind(word).unwrap();
        let class = of_scopes(&colour(&text)[from]);
        let wanted = match keyword.kind {
            KeywordKind::Value => Class::Constant,
            KeywordKind::Type => Class::Type,
            _ => Class::Keyword,
        };
        assert_eq!(class, Some(wanted), "`{word}` in {text}");
    }
}

#[test]
fn names_that_are_keywords_elsewhere() {
    for (text, part) in [
        ("x(args.call == 1)", "call"),
        ("x(until == 1)", "until"),
        ("x(output contains \"a\")", "output"),
        ("call release", "release"),
        ("tool test(end: int)", "test"),
        ("tool a(next: int)", "next"),
        ("{ not: 1 }", "not"),
        ("let once = 1", "once"),
        ("every event in l: a", "event"),
        ("call `call`", "`call`"),
        ("contract always {", "always"),
        ("x == time", "time"),
    ] {
        let scopes = scopes_of(text, part);
        assert_eq!(
            of_scopes(&scopes),
            Some(Class::Name),
            "`{part}` in {text}: {scopes:?}"
        );
    }
}

#[test]
fn what_the_lexer_refuses() {
    for (text, part) in [
        ("a && b", "&&"),
        ("a || b", "||"),
        ("a === b", "==="),
        ("a; b", ";"),
        ("'a'", "'a'"),
        ("x == \u{201c}a\u{201d}", "\u{201c}"),
        ("a\u{200b}b", "\u{200b}"),
        ("// a\u{202e}b", "\u{202e}"),
        ("\"a\u{2066}b\"", "\u{2066}"),
        ("a\rb", "\r"),
        ("x == 007", "007"),
        ("x == 5x", "5x"),
        ("\"\\q\"", "\\q"),
        ("c\u{430}ll a", "c\u{430}ll"),
    ] {
        let scopes = scopes_of(text, part);
        assert_eq!(
            of_scopes(&scopes),
            Some(Class::Invalid),
            "`{part}` in {text}: {scopes:?}"
        );
    }
}

/// The scopes that themes know.
#[test]
fn scopes() {
    for (text, part, scope) in [
        ("//! a", "a", "comment.block.documentation.ctr"),
        ("/// a", "a", "comment.block.documentation.ctr"),
        ("//// a", "a", "comment.line.double-slash.ctr"),
        ("/* a */", "a", "comment.block.ctr"),
        ("contract pay {", "pay", "entity.name.type.contract.ctr"),
        (
            "predicate p(a: event) = a",
            "p(",
            "entity.name.function.ctr",
        ),
        ("tool s.pay(a: int)", "pay", "entity.name.function.tool.ctr"),
        (
            "call s.pay | other",
            "other",
            "entity.name.function.tool.ctr",
        ),
        ("x(len(a) == 1)", "len", "support.function.ctr"),
        ("x matches /a[b-c]+/i", "a[", "string.regexp.ctr"),
        (
            "x matches /a[b-c]+/i",
            "b-c",
            "constant.other.character-class.range.regexp",
        ),
        ("within 30min", "30", "constant.numeric.duration.ctr"),
        ("within 30min", "min", "keyword.other.unit.ctr"),
        (
            "otherwise block \"a {args.x} b\"",
            "args",
            "variable.language.ctr",
        ),
        (
            "otherwise block \"a {x ?? \\\"n\\\"} b\"",
            "n\\",
            "string.quoted.double.ctr",
        ),
        ("\"a {b}\"", "{b", "string.quoted.double.ctr"),
        (
            "@severity(high)",
            "severity",
            "entity.other.attribute-name.ctr",
        ),
        ("\"a\\n\"", "\\n", "constant.character.escape.ctr"),
    ] {
        let scopes = scopes_of(text, part);
        assert_eq!(
            scopes.last().unwrap(),
            scope,
            "`{part}` in {text}: {scopes:?}"
        );
    }
}

/// Half-written text takes no more than its line with it.
#[test]
fn unclosed() {
    for first in [
        "x == \"abc",
        "x matches /abc",
        "otherwise block \"a {b",
        "x matches /[a",
        "call `a",
    ] {
        let text = format!("  {first}\n  guarantee call a\n");
        let scopes = scopes_of(&text, "guarantee");
        assert_eq!(
            of_scopes(&scopes),
            Some(Class::Keyword),
            "{first}: {scopes:?}"
        );
    }
}

/// The engine of VS Code gives the same scopes as the one here, for every file. Where node and its packages are at hand.
#[test]
fn in_the_engine_of_an_editor() {
    let script = root().join("grammar/textmate/tokenise.mjs");
    let Some(modules) = std::env::var_os("CTRC_TEXTMATE_MODULES") else {
        eprintln!(
            "SKIPPED: set CTRC_TEXTMATE_MODULES to a folder with vscode-textmate and vscode-oniguruma"
        );
        return;
    };
    let list = files();
    let input: Vec<Value> = list
        .iter()
        .map(|(name, text)| serde_json::json!({ "name": name, "text": text }))
        .collect();
    let mut child = Command::new("node")
        .arg(script)
        .env("CTRC_TEXTMATE_MODULES", modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = serde_json::to_vec(&input).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(out.status.success());
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    let mut markdown = 0;
    for (name, text) in &list {
        let ours = colour(text);
        let mut at = 0;
        let lines = found[name].as_array().unwrap();
        assert_eq!(lines.len(), text.split('\n').count(), "{name}");
        for (line, tokens) in text.split('\n').zip(lines) {
            let units: Vec<usize> = line
                .char_indices()
                .flat_map(|(i, c)| std::iter::repeat_n(i, c.len_utf16()))
                .collect();
            for token in tokens.as_array().unwrap() {
                let start = usize::try_from(token["start"].as_u64().unwrap()).unwrap();
                let Some(byte) = units.get(start) else {
                    continue;
                };
                let theirs: Vec<&str> = token["scopes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|s| s.as_str().unwrap())
                    .collect();
                let here: Vec<&str> = ours[at + byte].iter().map(String::as_str).collect();
                assert_eq!(here, theirs, "{name}: column {start} of {line}");
                markdown += 1;
            }
            at += line.len() + 1;
        }
    }
    assert!(markdown > 20_000, "{markdown}");
    // A code block of Markdown.
    let block = found["markdown"].as_array().unwrap();
    let flat = serde_json::to_string(block).unwrap();
    assert!(
        flat.contains("meta.embedded.block.ctr") && flat.contains("keyword.control.clause.ctr"),
        "{flat}"
    );
}
