//! Examples of a shape, for the session to confirm.

use alloc::string::String;
use alloc::vec::Vec;

use super::shape::{BOOL, LIST, NULL, NUMBER, RECORD, STR, Shape, and};
use crate::decimal::Decimal;
use crate::value::{Record, Value};

/// How many examples are made.
const MAX_EXAMPLES: usize = 12;

/// Values that may belong to a shape: those that certainly do not are left out. No finished answer,
/// since patterns are not looked into.
pub(crate) fn examples(shape: &Shape) -> Vec<Value> {
    let mut out = Vec::new();
    for value in guesses(shape, 0) {
        if shape.has(&value) != Some(false) && !out.contains(&value) && out.len() < MAX_EXAMPLES {
            out.push(value);
        }
    }
    out
}

fn guesses(shape: &Shape, depth: u32) -> Vec<Value> {
    if depth > 16 {
        return Vec::new();
    }
    match shape {
        Shape::Never => Vec::new(),
        Shape::Enum(values) => values.iter().take(MAX_EXAMPLES).cloned().collect(),
        Shape::Least(n, _) => number(*n, 1),
        Shape::Most(n, _) => number(*n, -1),
        Shape::Pattern(pattern) => texts(pattern),
        Shape::Length(_, least, _) => {
            let n = usize::try_from(*least).unwrap_or(0).min(4096);
            Vec::from([
                Value::from("x".repeat(n)),
                Value::List((0..n).map(|_| Value::Null).collect()),
            ])
        }
        Shape::Items(_) => Vec::from([Value::List(Vec::new())]),
        Shape::Holds(inner) => guesses(inner, depth + 1)
            .into_iter()
            .map(|v| Value::List(Vec::from([v])))
            .collect(),
        Shape::Index(n, inner) => {
            let before = usize::try_from(*n).unwrap_or(0).min(1024);
            guesses(inner, depth + 1)
                .into_iter()
                .map(|v| {
                    let mut items: Vec<Value> = (0..before).map(|_| Value::Null).collect();
                    items.push(v);
                    Value::List(items)
                })
                .collect()
        }
        Shape::Field(..) => together(core::slice::from_ref(shape), depth),
        Shape::One(parts) => parts.iter().flat_map(|p| guesses(p, depth + 1)).collect(),
        Shape::All(parts) => {
            let mut out = together(parts, depth);
            out.extend(parts.iter().flat_map(|p| {
                match p {
                    // One way of an alternative at a time, with all that else is asked.
                    Shape::One(ways) => ways
                        .iter()
                        .flat_map(|way| {
                            let mut with: Vec<Shape> =
                                parts.iter().filter(|other| *other != p).cloned().collect();
                            with.push(way.clone());
                            match and(with) {
                                whole @ Shape::All(_) if depth < 6 => guesses(&whole, depth + 4),
                                Shape::All(_) => Vec::new(),
                                whole => guesses(&whole, depth + 1),
                            }
                        })
                        .collect(),
                    other => guesses(other, depth + 1),
                }
            }));
            out
        }
        Shape::Any | Shape::Kind(_) | Shape::Not(_) => {
            let kinds = shape.kinds();
            [
                (RECORD, Value::Record(Record::new())),
                (STR, Value::from("x")),
                (STR, Value::from("")),
                (NUMBER, Value::from(0_i64)),
                (NUMBER, Value::from(1_i64)),
                (BOOL, Value::Bool(true)),
                (BOOL, Value::Bool(false)),
                (LIST, Value::List(Vec::new())),
                (NULL, Value::Null),
            ]
            .into_iter()
            .filter(|(kind, _)| kinds & kind != 0)
            .map(|(_, value)| value)
            .collect()
        }
    }
}

fn number(n: Decimal, step: i64) -> Vec<Value> {
    let mut out = Vec::from([Value::Number(n)]);
    out.extend(n.checked_add(Decimal::from(step)).map(Value::Number));
    out
}

/// Records with all the fields that are asked for.
fn together(parts: &[Shape], depth: u32) -> Vec<Value> {
    let mut out = Vec::new();
    for round in 0..3 {
        let mut record = Record::new();
        for part in parts {
            let Shape::Field(name, inner) = part else {
                continue;
            };
            let all: Vec<Value> = guesses(inner, depth + 1)
                .into_iter()
                .filter(|v| inner.has(v) != Some(false))
                .collect();
            if let Some(value) = all.get(round).or_else(|| all.first()) {
                record.insert(name.as_str(), value.clone());
            }
        }
        out.push(Value::Record(record));
    }
    out
}

/// Texts that a simple pattern could find: its literal characters.
fn texts(pattern: &str) -> Vec<Value> {
    let mut plain = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => plain.extend(rest.next()),
            '^' | '$' => {}
            '[' => {
                // The first character of a class, unless it is negated.
                let class: String = rest.by_ref().take_while(|c| *c != ']').collect();
                let first = class.trim_start_matches('\\').chars().next();
                plain.push(match first {
                    Some('^') | None => 'x',
                    Some('s') => ' ',
                    Some(c) => c,
                });
            }
            '*' | '+' | '?' | '(' | ')' | ':' => {}
            c => plain.push(c),
        }
    }
    Vec::from([Value::from(plain), Value::from("x"), Value::from("")])
}
