//! Shapes as JSON Schema (draft 2020-12).

use alloc::string::String;
use alloc::vec::Vec;

use super::shape::{BOOL, LIST, NULL, NUMBER, RECORD, STR, Shape};
use crate::decimal::Decimal;
use crate::value::{Record, Value};

/// The names of types.
pub(crate) const NAMES: [(u8, &str); 6] = [
    (NULL, "null"),
    (BOOL, "boolean"),
    (NUMBER, "number"),
    (STR, "string"),
    (LIST, "array"),
    (RECORD, "object"),
];

/// The schema of a shape.
pub(crate) fn schema(shape: &Shape) -> Value {
    match shape {
        Shape::Any => Value::Bool(true),
        Shape::Never => Value::Bool(false),
        Shape::All(parts) => all(parts),
        Shape::One(parts) => keyword("anyOf", list(parts)),
        other => Value::Record(record(other)),
    }
}

fn list(parts: &[Shape]) -> Value {
    Value::List(parts.iter().map(schema).collect())
}

fn keyword(name: &str, value: Value) -> Value {
    let mut out = Record::new();
    out.insert(name, value);
    Value::Record(out)
}

/// An intersection in one object, as far as its keywords do not meet.
fn all(parts: &[Shape]) -> Value {
    let mut out = Record::new();
    let mut rest: Vec<Value> = Vec::new();
    let excluded: Vec<Shape> = parts.iter().filter_map(excluded).collect();
    if excluded.len() > 1 {
        out.insert("not", keyword("anyOf", list(&excluded)));
    }
    for part in parts {
        if excluded.len() > 1 && self::excluded(part).is_some() {
            continue;
        }
        let Value::Record(part) = schema(part) else {
            rest.push(schema(part));
            continue;
        };
        if part.iter().all(|(name, value)| fits(&out, name, value)) {
            for (name, value) in part.iter() {
                add(&mut out, name, value);
            }
        } else {
            rest.push(Value::Record(part));
        }
    }
    if !rest.is_empty() {
        out.insert("allOf", Value::List(rest));
    }
    Value::Record(out)
}

/// What a part excludes, where that is all it says.
fn excluded(part: &Shape) -> Option<Shape> {
    match part {
        Shape::Not(inner) if !matches!(**inner, Shape::Field(..)) => Some((**inner).clone()),
        _ => None,
    }
}

fn fits(out: &Record, name: &str, value: &Value) -> bool {
    match (out.get(name), value) {
        (None, _) => true,
        (Some(Value::Record(old)), Value::Record(new)) if name == "properties" => {
            new.iter().all(|(field, _)| old.get(field).is_none())
        }
        (Some(_), _) if name == "required" => true,
        (Some(old), new) => name == "type" && old == new,
    }
}

fn add(out: &mut Record, name: &str, value: &Value) {
    match (out.get_mut(name), value) {
        (Some(Value::Record(old)), Value::Record(new)) => {
            for (field, value) in new.iter() {
                old.insert(field, value.clone());
            }
        }
        (Some(Value::List(old)), Value::List(new)) if name == "required" => {
            for field in new {
                if !old.contains(field) {
                    old.push(field.clone());
                }
            }
        }
        _ => {
            out.insert(name, value.clone());
        }
    }
}

fn types(kinds: u8) -> Value {
    let names: Vec<Value> = NAMES
        .iter()
        .filter(|(bit, _)| kinds & bit != 0)
        .map(|(_, name)| Value::from(*name))
        .collect();
    match names.as_slice() {
        [one] => one.clone(),
        _ => Value::List(names),
    }
}

fn bound(strict: bool, plain: &str, exclusive: &str, n: Decimal) -> Record {
    let mut out = Record::new();
    out.insert("type", Value::from("number"));
    out.insert(if strict { exclusive } else { plain }, Value::Number(n));
    out
}

fn record(shape: &Shape) -> Record {
    let mut out = Record::new();
    match shape {
        Shape::Kind(kinds) => {
            out.insert("type", types(*kinds));
        }
        Shape::Enum(values) => {
            match values.as_slice() {
                [one] => out.insert("const", one.clone()),
                _ => out.insert("enum", Value::List(values.clone())),
            };
        }
        Shape::Least(n, strict) => return bound(*strict, "minimum", "exclusiveMinimum", *n),
        Shape::Most(n, strict) => return bound(*strict, "maximum", "exclusiveMaximum", *n),
        Shape::Pattern(pattern) => {
            out.insert("type", Value::from("string"));
            out.insert("pattern", Value::from(pattern.as_str()));
        }
        Shape::Length(kinds, least, most) => {
            out.insert("type", types(*kinds));
            for (bit, min, max) in [
                (STR, "minLength", "maxLength"),
                (LIST, "minItems", "maxItems"),
                (RECORD, "minProperties", "maxProperties"),
            ] {
                if kinds & bit == 0 {
                    continue;
                }
                if *least > 0 {
                    out.insert(min, Value::Number(Decimal::from(*least)));
                }
                if let Some(most) = most {
                    out.insert(max, Value::Number(Decimal::from(*most)));
                }
            }
        }
        Shape::Items(inner) => {
            out.insert("type", Value::from("array"));
            out.insert("items", schema(inner));
        }
        Shape::Holds(inner) => {
            out.insert("type", Value::from("array"));
            out.insert("contains", schema(inner));
        }
        Shape::Field(name, inner) => {
            out.insert("type", Value::from("object"));
            out.insert("required", names(name));
            if **inner != Shape::Any {
                let mut fields = Record::new();
                fields.insert(name.as_str(), schema(inner));
                out.insert("properties", Value::Record(fields));
            }
        }
        Shape::Index(n, inner) => {
            let before = usize::try_from(*n).unwrap_or(0).min(1024);
            let mut items: Vec<Value> = (0..before).map(|_| Value::Bool(true)).collect();
            items.push(schema(inner));
            out.insert("type", Value::from("array"));
            out.insert("minItems", Value::Number(Decimal::from(u64::from(*n) + 1)));
            out.insert("prefixItems", Value::List(items));
        }
        Shape::Not(inner) => match &**inner {
            // A field that need not be there, but is of some shape if it is: what optional arguments are.
            Shape::Field(name, excluded) => {
                let mut fields = Record::new();
                fields.insert(name.as_str(), schema(&(**excluded).clone().not()));
                out.insert("properties", Value::Record(fields));
            }
            inner => {
                out.insert("not", schema(inner));
            }
        },
        // These are no objects of keywords; `schema` writes them.
        Shape::Any | Shape::Never | Shape::All(_) | Shape::One(_) => {}
    }
    out
}

fn names(name: &str) -> Value {
    Value::List(Vec::from([Value::from(name)]))
}

/// A text that stands for itself in a pattern.
pub(crate) fn literal(text: &str, out: &mut String) {
    for c in text.chars() {
        character(c, out);
    }
}

fn character(c: char, out: &mut String) {
    match c {
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
        | '/' => {
            out.push('\\');
            out.push(c);
        }
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x1f' | '\x7f' => {
            let code = u32::from(c);
            out.push_str("\\x");
            for digit in [code >> 4, code & 15] {
                out.push(char::from_digit(digit, 16).unwrap_or('0'));
            }
        }
        _ => out.push(c),
    }
}

/// The same in either case, for the letters of ASCII.
pub(crate) fn either_case(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            out.push('[');
            out.push(c.to_ascii_uppercase());
            out.push(c.to_ascii_lowercase());
            out.push(']');
        } else {
            character(c, out);
        }
    }
}
