//! Sets of JSON values, as JSON Schema can describe them: what a condition asks of the arguments of a call.
//!
//! A [`Shape`] is exact for every JSON value, its complement included; simplification keeps it so.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::decimal::Decimal;
use crate::value::Value;

/// A set of JSON types, as bits.
pub(crate) type Kinds = u8;

pub(crate) const NULL: Kinds = 1;
pub(crate) const BOOL: Kinds = 2;
pub(crate) const NUMBER: Kinds = 4;
pub(crate) const STR: Kinds = 8;
pub(crate) const LIST: Kinds = 16;
pub(crate) const RECORD: Kinds = 32;
pub(crate) const ALL_KINDS: Kinds = 63;

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Everything.
    Any,
    /// Nothing.
    Never,
    /// Values of these types.
    Kind(Kinds),
    /// These values.
    Enum(Vec<Value>),
    /// Numbers from this one on; without it where strict.
    Least(Decimal, bool),
    /// Numbers up to this one; without it where strict.
    Most(Decimal, bool),
    /// Strings in which an ECMA 262 expression finds something.
    Pattern(String),
    /// Strings (in characters), lists or records of at least and at most so many parts.
    Length(Kinds, u64, Option<u64>),
    /// Lists with nothing but these.
    Items(Box<Shape>),
    /// Lists with some of these.
    Holds(Box<Shape>),
    /// Records that have the field with such a value.
    Field(String, Box<Shape>),
    /// Lists that have the element with such a value.
    Index(u32, Box<Shape>),
    /// All others.
    Not(Box<Shape>),
    /// In all of these.
    All(Vec<Shape>),
    /// In one of these at least.
    One(Vec<Shape>),
}

/// The type of a value.
pub(crate) fn kind_of(value: &Value) -> Kinds {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOL,
        Value::Number(_) | Value::Huge(_) => NUMBER,
        Value::Str(_) => STR,
        Value::List(_) => LIST,
        Value::Record(_) => RECORD,
    }
}

impl Shape {
    pub(crate) fn one(value: Value) -> Self {
        Self::Enum(Vec::from([value]))
    }

    /// Types outside of which there is no value of the shape.
    pub(crate) fn kinds(&self) -> Kinds {
        match self {
            Self::Any | Self::Not(_) => match self {
                Self::Not(inner) => match &**inner {
                    Self::Kind(kinds) => ALL_KINDS & !kinds,
                    _ => ALL_KINDS,
                },
                _ => ALL_KINDS,
            },
            Self::Never => 0,
            Self::Kind(kinds) | Self::Length(kinds, ..) => *kinds,
            Self::Enum(values) => values.iter().fold(0, |kinds, v| kinds | kind_of(v)),
            Self::Least(..) | Self::Most(..) => NUMBER,
            Self::Pattern(_) => STR,
            Self::Items(_) | Self::Holds(_) | Self::Index(..) => LIST,
            Self::Field(..) => RECORD,
            Self::All(parts) => parts.iter().fold(ALL_KINDS, |k, p| k & p.kinds()),
            Self::One(parts) => parts.iter().fold(0, |k, p| k | p.kinds()),
        }
    }

    /// Whether a value belongs to it; `None` where that takes a regular expression.
    pub(crate) fn has(&self, value: &Value) -> Option<bool> {
        let kind = kind_of(value);
        Some(match self {
            Self::Any => true,
            Self::Never => false,
            Self::Kind(kinds) => kinds & kind != 0,
            Self::Enum(values) => values.contains(value),
            Self::Least(least, strict) => match value {
                Value::Number(n) => n > least || (!strict && n == least),
                _ => false,
            },
            Self::Most(most, strict) => match value {
                Value::Number(n) => n < most || (!strict && n == most),
                _ => false,
            },
            Self::Pattern(_) if kind != STR => false,
            Self::Pattern(_) => return None,
            Self::Length(kinds, least, most) => {
                let count = match value {
                    Value::Str(text) => text.chars().count(),
                    Value::List(items) => items.len(),
                    Value::Record(record) => record.len(),
                    _ => return Some(false),
                };
                let count = u64::try_from(count).unwrap_or(u64::MAX);
                kinds & kind != 0 && count >= *least && most.is_none_or(|most| count <= most)
            }
            Self::Items(inner) => match value {
                Value::List(items) => return every(items.iter().map(|item| inner.has(item))),
                _ => false,
            },
            Self::Holds(inner) => match value {
                Value::List(items) => return some(items.iter().map(|item| inner.has(item))),
                _ => false,
            },
            Self::Field(name, inner) => match value.get(name) {
                Some(field) => return inner.has(field),
                None => false,
            },
            Self::Index(n, inner) => match value.at(usize::try_from(*n).unwrap_or(usize::MAX)) {
                Some(item) => return inner.has(item),
                None => false,
            },
            Self::Not(inner) => return inner.has(value).map(|has| !has),
            Self::All(parts) => return every(parts.iter().map(|part| part.has(value))),
            Self::One(parts) => return some(parts.iter().map(|part| part.has(value))),
        })
    }

    /// The complement.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Any => Self::Never,
            Self::Never => Self::Any,
            Self::Kind(kinds) => kind(ALL_KINDS & !kinds),
            Self::Not(inner) => *inner,
            Self::All(parts) => or(parts.into_iter().map(Self::not).collect()),
            Self::One(parts) => and(parts.into_iter().map(Self::not).collect()),
            other => Self::Not(Box::new(other)),
        }
    }

    /// Records that have such a value at the end of a path.
    pub(crate) fn at(steps: &[Step], inner: Self) -> Self {
        steps.iter().rev().fold(inner, |inner, step| match inner {
            Self::Never => Self::Never,
            inner => match step {
                Step::Field(name) => Self::Field(name.clone(), Box::new(inner)),
                Step::Index(n) => Self::Index(*n, Box::new(inner)),
            },
        })
    }

    /// How many parts it has: what bounds the size of a schema.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Enum(values) => 1 + values.len(),
            Self::Items(inner)
            | Self::Holds(inner)
            | Self::Field(_, inner)
            | Self::Index(_, inner)
            | Self::Not(inner) => 1 + inner.size(),
            Self::All(parts) | Self::One(parts) => 1 + parts.iter().map(Self::size).sum::<usize>(),
            _ => 1,
        }
    }
}

/// A step of an argument's path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Field(String),
    Index(u32),
}

fn every(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut whole = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => whole = None,
        }
    }
    whole
}

fn some(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    every(parts.map(|part| part.map(|p| !p))).map(|p| !p)
}

/// Values of these types.
pub(crate) fn kind(kinds: Kinds) -> Shape {
    match kinds & ALL_KINDS {
        0 => Shape::Never,
        ALL_KINDS => Shape::Any,
        kinds => Shape::Kind(kinds),
    }
}

/// The intersection.
pub(crate) fn and(parts: Vec<Shape>) -> Shape {
    let mut flat: Vec<Shape> = Vec::new();
    let mut kinds = ALL_KINDS;
    let mut open = parts;
    open.reverse();
    while let Some(part) = open.pop() {
        match part {
            Shape::Any => {}
            Shape::Never => return Shape::Never,
            Shape::Kind(some) => kinds &= some,
            Shape::All(inner) => open.extend(inner.into_iter().rev()),
            other => {
                if !flat.contains(&other) {
                    flat.push(other);
                }
            }
        }
    }
    kinds = flat.iter().fold(kinds, |k, part| k & part.kinds());
    if kinds == 0 {
        return Shape::Never;
    }
    if kinds == NUMBER {
        for part in &mut flat {
            if let Shape::Not(inner) = part {
                let turned = match &**inner {
                    Shape::Least(n, strict) => Shape::Most(*n, !strict),
                    Shape::Most(n, strict) => Shape::Least(*n, !strict),
                    _ => continue,
                };
                *part = turned;
            }
        }
    }
    // What excludes a type that is out of question anyway says nothing.
    flat.retain(|part| match part {
        Shape::Not(inner) => inner.kinds() & kinds != 0,
        _ => true,
    });
    let mut out: Vec<Shape> = Vec::new();
    for part in flat {
        if !meet(&mut out, part) {
            return Shape::Never;
        }
    }
    // An enumeration says all that the others could.
    let listed = out.iter().position(|p| matches!(p, Shape::Enum(_)));
    if let Some(at) = listed
        && let Shape::Enum(mut values) = out.remove(at)
    {
        values.retain(|v| kind_of(v) & kinds != 0);
        for part in &out {
            values.retain(|v| part.has(v) != Some(false));
        }
        if values.is_empty() {
            return Shape::Never;
        }
        out.retain(|part| !values.iter().all(|v| part.has(v) == Some(true)));
        out.insert(0, Shape::Enum(values));
    }
    let covered = out.iter().fold(ALL_KINDS, |k, part| k & part.kinds());
    if covered & !kinds != 0 {
        out.insert(0, kind(kinds));
    }
    match out.len() {
        0 => Shape::Any,
        1 => out.pop().unwrap_or(Shape::Any),
        _ => Shape::All(out),
    }
}

/// Adds a part to an intersection; false where nothing is left.
fn meet(out: &mut Vec<Shape>, part: Shape) -> bool {
    let opposite = |other: &Shape| match (other, &part) {
        (Shape::Not(inner), part) if **inner == *part => true,
        (other, Shape::Not(inner)) if **inner == *other => true,
        _ => false,
    };
    if out.iter().any(opposite) {
        return false;
    }
    let mut part = part;
    let mut n = 0;
    while let Some(other) = out.get(n) {
        let merged = match (other, &part) {
            (Shape::Field(a, x), Shape::Field(b, y)) if a == b => {
                let inner = and(Vec::from([(**x).clone(), (**y).clone()]));
                Some(Shape::at(&[Step::Field(a.clone())], inner))
            }
            (Shape::Field(a, x), Shape::Not(not)) | (Shape::Not(not), Shape::Field(a, x)) => {
                match &**not {
                    Shape::Field(b, y) if a == b => {
                        let inner = and(Vec::from([(**x).clone(), (**y).clone().not()]));
                        Some(Shape::at(&[Step::Field(a.clone())], inner))
                    }
                    _ => None,
                }
            }
            (Shape::Not(x), Shape::Not(y)) => match (&**x, &**y) {
                (Shape::Field(a, x), Shape::Field(b, y)) if a == b => {
                    let inner = or(Vec::from([(**x).clone(), (**y).clone()]));
                    Some(Shape::at(&[Step::Field(a.clone())], inner).not())
                }
                (Shape::Enum(x), Shape::Enum(y)) => {
                    let mut all = x.clone();
                    all.extend(y.iter().filter(|v| !x.contains(v)).cloned());
                    Some(Shape::Enum(all).not())
                }
                _ => None,
            },
            (Shape::Enum(x), Shape::Enum(y)) => {
                let both: Vec<Value> = x.iter().filter(|v| y.contains(v)).cloned().collect();
                Some(match both.is_empty() {
                    true => Shape::Never,
                    false => Shape::Enum(both),
                })
            }
            (Shape::Least(a, s), Shape::Least(b, t)) => Some(match a.cmp(b) {
                core::cmp::Ordering::Greater => Shape::Least(*a, *s),
                core::cmp::Ordering::Less => Shape::Least(*b, *t),
                core::cmp::Ordering::Equal => Shape::Least(*a, *s || *t),
            }),
            (Shape::Most(a, s), Shape::Most(b, t)) => Some(match a.cmp(b) {
                core::cmp::Ordering::Less => Shape::Most(*a, *s),
                core::cmp::Ordering::Greater => Shape::Most(*b, *t),
                core::cmp::Ordering::Equal => Shape::Most(*a, *s || *t),
            }),
            (Shape::Least(a, s), Shape::Most(b, t)) | (Shape::Most(b, t), Shape::Least(a, s)) => {
                match a.cmp(b) {
                    core::cmp::Ordering::Greater => Some(Shape::Never),
                    core::cmp::Ordering::Equal if *s || *t => Some(Shape::Never),
                    core::cmp::Ordering::Equal => Some(Shape::one(Value::Number(*a))),
                    core::cmp::Ordering::Less => None,
                }
            }
            _ => None,
        };
        match merged {
            Some(Shape::Never) => return false,
            Some(merged) => {
                out.remove(n);
                part = merged;
                n = 0;
            }
            None => n += 1,
        }
    }
    if part != Shape::Any {
        out.push(part);
    }
    true
}

/// The union.
pub(crate) fn or(parts: Vec<Shape>) -> Shape {
    let mut out: Vec<Shape> = Vec::new();
    let mut open = parts;
    open.reverse();
    while let Some(part) = open.pop() {
        match part {
            Shape::Never => {}
            Shape::Any => return Shape::Any,
            Shape::One(inner) => open.extend(inner.into_iter().rev()),
            part => {
                if !join(&mut out, part) {
                    return Shape::Any;
                }
            }
        }
    }
    match out.len() {
        0 => Shape::Never,
        1 => out.pop().unwrap_or(Shape::Never),
        _ => Shape::One(out),
    }
}

/// Adds a part to a union; false where it has become everything.
fn join(out: &mut Vec<Shape>, part: Shape) -> bool {
    let mut part = part;
    let mut n = 0;
    while let Some(other) = out.get(n) {
        let merged = match (other, &part) {
            (a, b) if a == b => return true,
            (Shape::Not(inner), part) if **inner == *part => return false,
            (other, Shape::Not(inner)) if **inner == *other => return false,
            (Shape::Kind(a), Shape::Kind(b)) => Some(kind(a | b)),
            (Shape::Enum(x), Shape::Enum(y)) => {
                let mut all = x.clone();
                all.extend(y.iter().filter(|v| !x.contains(v)).cloned());
                Some(Shape::Enum(all))
            }
            (Shape::Field(a, x), Shape::Field(b, y)) if a == b => {
                let inner = or(Vec::from([(**x).clone(), (**y).clone()]));
                Some(Shape::at(&[Step::Field(a.clone())], inner))
            }
            (Shape::Field(a, y), Shape::Not(not)) | (Shape::Not(not), Shape::Field(a, y)) => {
                match &**not {
                    Shape::Field(b, x) if a == b => {
                        let inner = and(Vec::from([(**x).clone(), (**y).clone().not()]));
                        Some(Shape::at(&[Step::Field(a.clone())], inner).not())
                    }
                    _ => None,
                }
            }
            (Shape::Not(x), Shape::Not(y)) => match (&**x, &**y) {
                (Shape::Field(a, x), Shape::Field(b, y)) if a == b => {
                    let inner = and(Vec::from([(**x).clone(), (**y).clone()]));
                    Some(Shape::at(&[Step::Field(a.clone())], inner).not())
                }
                _ => None,
            },
            (Shape::Enum(some), Shape::Not(not)) | (Shape::Not(not), Shape::Enum(some)) => {
                match &**not {
                    Shape::Enum(all) => {
                        let left: Vec<Value> =
                            all.iter().filter(|v| !some.contains(v)).cloned().collect();
                        Some(match left.is_empty() {
                            true => Shape::Any,
                            false => Shape::Enum(left).not(),
                        })
                    }
                    _ => None,
                }
            }
            (Shape::Least(a, s), Shape::Least(b, t)) => Some(match a.cmp(b) {
                core::cmp::Ordering::Less => Shape::Least(*a, *s),
                core::cmp::Ordering::Greater => Shape::Least(*b, *t),
                core::cmp::Ordering::Equal => Shape::Least(*a, *s && *t),
            }),
            (Shape::Most(a, s), Shape::Most(b, t)) => Some(match a.cmp(b) {
                core::cmp::Ordering::Greater => Shape::Most(*a, *s),
                core::cmp::Ordering::Less => Shape::Most(*b, *t),
                core::cmp::Ordering::Equal => Shape::Most(*a, *s && *t),
            }),
            (Shape::Least(a, s), Shape::Most(b, t)) | (Shape::Most(b, t), Shape::Least(a, s)) => {
                (a < b || (a == b && !(*s && *t))).then_some(Shape::Kind(NUMBER))
            }
            _ => None,
        };
        match merged {
            Some(Shape::Any) => return false,
            Some(merged) => {
                out.remove(n);
                part = merged;
                n = 0;
            }
            None => n += 1,
        }
    }
    if part != Shape::Never {
        out.push(part);
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::vec;

    fn field(name: &str, inner: Shape) -> Shape {
        Shape::Field(name.into(), Box::new(inner))
    }

    fn random(seed: &mut u64, n: u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed % n
    }

    fn leaf(seed: &mut u64) -> Shape {
        let n = Decimal::from(random(seed, 4) as i64);
        match random(seed, 9) {
            0 => Shape::one(Value::Number(n)),
            1 => Shape::Enum(vec![Value::from("a"), Value::Number(n)]),
            2 => Shape::Least(n, random(seed, 2) == 0),
            3 => Shape::Most(n, random(seed, 2) == 0),
            4 => Shape::Kind(1 + random(seed, 62) as u8),
            5 => Shape::Length(STR, 1, Some(2)),
            6 => Shape::Any,
            7 => Shape::Holds(Box::new(Shape::Least(n, false))),
            _ => Shape::Items(Box::new(Shape::Least(n, false))),
        }
    }

    /// A shape as it is and after simplification.
    fn pair(seed: &mut u64, depth: u32) -> (Shape, Shape) {
        if depth == 0 {
            let leaf = match random(seed, 3) {
                0 => field("x", leaf(seed)),
                1 => field("y", leaf(seed)),
                _ => leaf(seed),
            };
            return (leaf.clone(), leaf);
        }
        let (a, sa) = pair(seed, depth - 1);
        let (b, sb) = pair(seed, depth - 1);
        match random(seed, 3) {
            0 => (Shape::All(vec![a, b]), and(vec![sa, sb])),
            1 => (Shape::One(vec![a, b]), or(vec![sa, sb])),
            _ => (Shape::Not(Box::new(a)), sa.not()),
        }
    }

    #[test]
    fn simplifying_changes_no_member() {
        let mut values: Vec<Value> = [
            "null", "true", "0", "1", "2", "3", "0.5", "\"a\"", "\"\"", "\"abc\"", "[]", "[1]",
            "[0,3]",
        ]
        .iter()
        .map(|t| crate::json::parse(t).unwrap())
        .collect();
        for text in [
            "{}",
            "{\"x\":1}",
            "{\"x\":\"a\",\"y\":2}",
            "{\"y\":3}",
            "{\"x\":0,\"y\":0}",
        ] {
            values.push(crate::json::parse(text).unwrap());
        }
        let mut seed = 99;
        for _ in 0..if cfg!(miri) { 100 } else { 20_000 } {
            let depth = 1 + random(&mut seed, 3) as u32;
            let (plain, simple) = pair(&mut seed, depth);
            for value in &values {
                assert_eq!(
                    plain.has(value),
                    simple.has(value),
                    "{plain:?} {simple:?} {value:?}"
                );
            }
        }
    }
}
