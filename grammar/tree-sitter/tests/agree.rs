//! The tree that tree-sitter makes says the same as the compiler's: kinds, nesting and places of items, clauses, steps,
//! types and expressions, on all files and on random formulas.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;
#[path = "common/shape/mod.rs"]
mod shape;

use common::{accepted, files, first_error, tree};
use shape::{of_file, of_tree};

fn compare(name: &str, text: &str) {
    let theirs = tree(text);
    if let Some(error) = first_error(&theirs) {
        panic!("{name}:{error}\n{text}");
    }
    let ours = of_file(text, &ctr_grammar::parse(text).file).print();
    let theirs = of_tree(text, theirs.root_node()).print();
    if ours != theirs {
        let at = ours
            .lines()
            .zip(theirs.lines())
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        let window = |s: &str| {
            s.lines()
                .skip(at.saturating_sub(4))
                .take(10)
                .collect::<Vec<_>>()
                .join("\n")
        };
        panic!(
            "{name}: the trees differ\ncompiler:\n{}\ntree-sitter:\n{}\n{}",
            window(&ours),
            window(&theirs),
            if text.len() < 400 { text } else { "" }
        );
    }
}

#[test]
fn all_files() {
    for (name, text) in files() {
        if accepted(&text) {
            compare(&name, &text);
        }
    }
}

// ---------------------------------------------------------------------------------- random formulas

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().unwrap())
}

/// A small generator: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const PREFIX: &[&str] = &[
    "not",
    "not",
    "-",
    "next",
    "weak next",
    "always",
    "eventually",
    "previously",
    "weak previously",
    "once",
    "historically",
    "earlier",
    "every x in l:",
    "some y in m + n:",
];
const INFIX: &[&str] = &[
    "and",
    "or",
    "implies",
    "iff",
    "until",
    "unless",
    "release",
    "since",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
    "like",
    "contains",
    "starts with",
    "ends with",
    "inside",
    "??",
    "??",
    "+",
    "+",
    "-",
    "-",
    "*",
    "*",
];
const LEAF: &[&str] = &[
    "a",
    "b.c",
    "x[0].y",
    "z[*].w",
    "12",
    "1.5e3",
    "30s",
    "\"text\"",
    "true",
    "null",
    "call p",
    "success q(v == 1)",
    "input(len(text) > 2)",
    "return any",
    "failure any except a | b.c",
    "f(a, b)",
    "{ctx.r == 1}",
    "[1, a]",
    "{}",
    "{k: 1, not: b}",
    "`a-b`",
    "weak",
    "every",
    "len",
    "time",
    "tool",
    "exactly",
    "x.call",
    "output(text matches /a[/]b\\/c/i)",
    "call c(call == 1, d)",
];

fn formula(random: &mut Random, depth: usize, out: &mut String) {
    let operand = |random: &mut Random, out: &mut String| {
        for _ in 0..[0, 0, 0, 1, 1, 2][random.below(6)] {
            out.push_str(random.of(PREFIX));
            out.push(' ');
        }
        if depth > 0 && random.below(3) == 0 {
            out.push('(');
            formula(random, depth - 1, out);
            out.push(')');
        } else {
            out.push_str(random.of(LEAF));
        }
    };
    if random.below(8) == 0 {
        form(random, depth, out);
        return;
    }
    operand(random, out);
    for _ in 0..[0, 1, 1, 2, 2, 3, 5][random.below(7)] {
        out.push(' ');
        out.push_str(random.of(INFIX));
        out.push(' ');
        operand(random, out);
    }
    if random.below(12) == 0 {
        out.push_str(random.of(&[" within 3s", " within 2 steps"]));
    }
}

fn form(random: &mut Random, depth: usize, out: &mut String) {
    let side = |random: &mut Random, out: &mut String| {
        if depth > 0 && random.below(3) == 0 {
            out.push('(');
            formula(random, depth - 1, out);
            out.push(')');
        } else {
            out.push_str(random.of(LEAF));
        }
    };
    if random.below(3) == 0 {
        out.push_str("never ");
        side(random, out);
        if random.below(2) == 0 {
            out.push_str(random.of(&[" after ", " before "]));
            side(random, out);
        }
        return;
    }
    side(random, out);
    match random.below(3) {
        0 => out.push_str(random.of(&[
            " at most 3 times",
            " exactly 1 time",
            " at least 2 consecutive times",
        ])),
        1 => {
            out.push_str(random.of(&[" only if ", " only while "]));
            formula(random, 0, out);
            return;
        }
        _ => {
            out.push_str(random.of(&[
                " only after ",
                " only before ",
                " leads to ",
                " immediately leads to ",
            ]));
            side(random, out);
        }
    }
    if random.below(3) == 0 {
        out.push_str(random.of(&[" within 10min", " within 3 steps"]));
    }
}

#[test]
fn random_formulas() {
    let mut random = Random(number("CTRC_GRAMMAR_SEED", 0x9e37_79b9_7f4a_7c15));
    let count = number("CTRC_GRAMMAR_COUNT", 1_000);
    let (mut taken, mut made) = (0, 0);
    while taken < count && made < 30 * count {
        made += 1;
        let mut text = String::from("contract c {\n  guarantee ");
        formula(&mut random, 2, &mut text);
        text.push_str("\n}\n");
        if accepted(&text) {
            taken += 1;
            compare("a random formula", &text);
        }
    }
    assert!(taken >= count, "{taken} of {made} formulas are accepted");
}

/// Each pair of operators, where the compiler takes both without parentheses.
#[test]
fn pairs_of_operators() {
    let mut taken = 0;
    for first in INFIX {
        for second in INFIX {
            for prefix in ["", "not ", "always "] {
                for text in [
                    format!("predicate p() = {prefix}a {first} b {second} c"),
                    format!("predicate p() = a {first} {prefix}b {second} c"),
                    format!("predicate p() = a {first} b {second} {prefix}c"),
                ] {
                    if accepted(&text) {
                        taken += 1;
                        compare("a pair of operators", &text);
                    }
                }
            }
        }
    }
    assert!(taken > 1_500, "{taken}");
}

/// Keywords as names, wherever the compiler takes them as such.
#[test]
fn keywords_as_names() {
    let mut taken = 0;
    let mut wrong = Vec::new();
    for keyword in ctr_grammar::keywords::KEYWORDS {
        for word in keyword.name.split(' ') {
            for text in [
                format!("contract c {{ guarantee call a(args.{word} == 1) }}"),
                format!("contract c {{ guarantee call a({word} == 1, b) }}"),
                format!("contract c {{ guarantee call a({word} in [1]) }}"),
                format!("contract c {{ guarantee call a({word} matches /a/) }}"),
                format!("contract c {{ guarantee call a({word} starts with \"a\" and b) }}"),
                format!("contract c {{ guarantee call a({word} not in [1]) }}"),
                format!("contract c {{ guarantee call {word} }}"),
                format!("contract c {{ guarantee call {word}(x == 1) or success {word} | a }}"),
                format!("contract c {{ guarantee not call {word} }}"),
                format!("contract c {{ guarantee call a(x == {word}) }}"),
                format!("contract c {{ guarantee call a({word}) }}"),
                format!("contract c {{ guarantee call a(f({word}.x)) }}"),
                format!("contract c {{ guarantee never call {word} }}"),
                format!("contract c {{ guarantee never call {word}(x == 1) }}"),
                format!("contract c {{ guarantee never call a | {word} }}"),
                format!("contract c {{ guarantee never call s.{word} }}"),
                format!("contract c for each {word} {{ guarantee call a(x == {word}) }}"),
                format!("contract c {{ let {word} = 1 guarantee call a }}"),
                format!("contract {word} {{ guarantee call a }}"),
                format!("contract c {{ guarantee call a(every {word} in l: {word} == 1) }}"),
                format!("contract c {{ guarantee call a(some x in {word}: x == 1) }}"),
                format!("contract c {{ guarantee {{x == {{ {word}: 1 }}}} }}"),
                format!("contract c {{ otherwise redirect {word}({word}: 1) }}"),
                format!("tool {word}({word}: int, {word}?: string)"),
                format!("tool a.{word}() -> {{ {word}: int }}"),
                format!("event {word}\npredicate {word}({word}: event) = {word}"),
                format!("group {word} = {{ {word}, a.{word} }}"),
                format!("context {word}: string\nimport a.{word} as {word}\nmodule {word}"),
                format!("test \"t\" for {word} {{ call {word}({word}: 1) -> {word} }}"),
                format!("test \"t\" {{ context {word} = 1 event {word} lookup {word}(1) = 2 }}"),
                format!("test \"t\" {{ {word}(a: 1) }}"),
                format!("test \"t\" {{ call a expect block by {word} with {word} = 1 }}"),
                format!("test \"t\" {{ call a expect block\n {word}(a: 1) }}"),
                format!("@{word}({word})\ncontract c {{ }}"),
            ] {
                if !accepted(&text) {
                    continue;
                }
                taken += 1;
                let run = std::panic::catch_unwind(|| compare("a keyword as a name", &text));
                if run.is_err() {
                    wrong.push(text);
                }
            }
        }
    }
    // A list with the name of a value.
    let values = ["true", "false", "null"];
    wrong.retain(|text| {
        !values
            .iter()
            .any(|w| text.contains(&format!("some x in {w}:")))
    });
    // A variable with the first word of `starts with`; a field with the name of a prefix operator before `not in`.
    let known = |text: &String| {
        ["every starts", "every ends"]
            .iter()
            .any(|w| text.contains(w))
            || PREFIX
                .iter()
                .any(|w| text.contains(&format!("a({w} not in")))
    };
    wrong.retain(|text| !known(text));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(taken > 1_500, "{taken}");
}

#[test]
fn steps_of_tests() {
    for text in [
        "test \"t\" { call a expect block pay.b, c\n approval(by: 1) }",
        "test \"t\" { call a expect block\n approval(by: 1) }",
        "test \"t\" { call a -> x\n approval(by: 1)\n end expect pending a }",
        "test \"t\" { call a -> f(1)(2) }",
        "test \"t\" { call a -> failure\n call b -> failure \"x\"\n call c -> unknown }",
        "test \"t\" { call a -> -1 at 3 expect warn by a and block by b and expect c }",
        "test \"t\" { end(a: 1) event end after 3s context a.b = {} }",
    ] {
        if accepted(text) {
            compare("a step", text);
        }
    }
}

/// White space, comments and line ends between any two tokens change nothing.
#[test]
fn comments_everywhere() {
    let mut taken = 0;
    for (name, text) in files() {
        let ours = ["examples/", "grammar/", "stdlib-contracts/std/"];
        if !ours.iter().any(|folder| name.starts_with(folder)) || !accepted(&text) {
            continue;
        }
        for between in [
            " /* c */ ",
            " /** c **/",
            "\n    ",
            " // c\n    ",
            "\r\n\t",
            " /// c\n   ",
        ] {
            let mut changed = String::new();
            let mut last = 0;
            for token in ctr_grammar::lexemes(&text).tokens {
                let start = token.start as usize;
                changed.push_str(&text[last..start]);
                // After a dot and in other tight places, too.
                changed.push_str(between);
                changed.push_str(token.text(&text));
                last = token.end as usize;
            }
            changed.push_str(&text[last..]);
            if accepted(&changed) {
                taken += 1;
                compare(&name, &changed);
            }
        }
    }
    assert!(taken >= 30, "{taken}");
}

/// Items with a token left out, doubled, swapped or replaced: what the compiler still takes means the same here.
#[test]
fn mutated() {
    let mut random = Random(number("CTRC_GRAMMAR_SEED", 0x2545_f491_4f6c_dd1d));
    let mut items = Vec::new();
    for (name, text) in files() {
        if (name.starts_with("grammar/") || name.starts_with("examples/")) && accepted(&text) {
            for item in &ctr_grammar::parse(&text).file.items {
                let item = item.span.text(&text);
                if item.len() < 500 {
                    items.push(item.to_owned());
                }
            }
        }
    }
    let count = number("CTRC_GRAMMAR_COUNT", 1_000) / 5;
    let (mut taken, mut made) = (0, 0);
    while taken < count && made < 40 * count {
        made += 1;
        let item = &items[random.below(items.len())];
        let tokens = ctr_grammar::lexemes(item).tokens;
        let mut words: Vec<&str> = tokens.iter().map(|t| t.text(item)).collect();
        for _ in 0..=random.below(2) {
            let at = random.below(words.len());
            match random.below(4) {
                0 if words.len() > 1 => {
                    words.remove(at);
                }
                1 => words.insert(at, words[at]),
                2 => {
                    let next = (at + 1) % words.len();
                    words.swap(at, next);
                }
                _ => {
                    let other = random.below(words.len());
                    words[at] = words[other];
                }
            }
        }
        let text = words.join(" ");
        // For the compiler fields in `a + input == b`; no policy has such names in a sum.
        let strange = ["+", "-", "*", "??"].iter().any(|op| {
            [
                "call", "return", "success", "failure", "unknown", "input", "output", "next",
                "once", "never",
            ]
            .iter()
            .any(|w| text.contains(&format!("{op} {w} ")))
        });
        if !strange && accepted(&text) {
            taken += 1;
            compare("a changed item", &text);
        }
    }
    assert!(taken >= count, "{taken} of {made} are accepted");
}
