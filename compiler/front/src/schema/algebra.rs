//! Unions and intersections of types.
//!
//! Both may take more values in than they should where a [`Type`] cannot say it (a type is there to
//! find mistakes in policies, not to validate events), and never fewer; only whether a record may have
//! fields that no part of it names is decided by what authors mean (see [`merge`]).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::number;
use crate::ir::Json;
use crate::types::{Field, Range, Record, Type};

/// The most alternatives of one union.
pub(super) const MAX_ALTERNATIVES: usize = 256;

/// The work that intersections may take in one file, in parts of types copied.
pub(super) const FUEL: u32 = 2_000_000;

/// What is left of [`FUEL`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Fuel(u32);

impl Default for Fuel {
    fn default() -> Self {
        Self(FUEL)
    }
}

impl Fuel {
    /// Pays for a copy of a type.
    fn copy(&mut self, ty: &Type) -> Result<Type, NoType> {
        let mut rest = vec![ty];
        while let Some(ty) = rest.pop() {
            self.0 = self.0.checked_sub(1).ok_or(NoType::TooLarge)?;
            match ty {
                Type::Union(types) => rest.extend(types),
                Type::List(item) | Type::Map(item) => rest.push(item),
                Type::Record(record) => rest.extend(record.fields.iter().map(|f| &f.ty)),
                Type::Enum(values) => {
                    let size = u32::try_from(values.len()).unwrap_or(u32::MAX);
                    self.0 = self.0.checked_sub(size).ok_or(NoType::TooLarge)?;
                }
                _ => {}
            }
        }
        Ok(ty.clone())
    }
}

/// Why an intersection has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoType {
    /// No value is in both.
    Empty,
    /// A union would pass [`MAX_ALTERNATIVES`], or [`FUEL`] is used up.
    TooLarge,
}

/// A text that equal JSON values share, whatever the order of fields and the way numbers are written.
pub(super) fn json_key(value: &Json) -> String {
    match value {
        Json::Null => "n".to_owned(),
        Json::Bool(b) => b.to_string(),
        Json::Number(text) => number::key(text),
        Json::Str(text) => format!("{text:?}"),
        Json::List(items) => {
            let items: Vec<String> = items.iter().map(json_key).collect();
            format!("[{}]", items.join(","))
        }
        Json::Record(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", json_key(value)))
                .collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
    }
}

/// The union of types: nested unions are flattened, enumerations joined, alternatives that others
/// include left out.
pub(super) fn union(types: impl IntoIterator<Item = Type>) -> Result<Type, NoType> {
    let mut flat = Vec::new();
    let mut values = Vec::new();
    let mut seen = HashSet::new();
    let mut enum_at = None;
    let mut rest: Vec<Type> = types.into_iter().collect();
    // One type alone is not copied: with schemas inside schemas that would be quadratic.
    if rest.len() == 1
        && let Some(only) = rest.pop_if(|ty| !matches!(ty, Type::Union(_) | Type::Enum(_)))
    {
        return Ok(only);
    }
    rest.reverse();
    while let Some(ty) = rest.pop() {
        match ty {
            Type::Any => return Ok(Type::Any),
            Type::Union(inner) => rest.extend(inner.into_iter().rev()),
            Type::Enum(inner) => {
                enum_at.get_or_insert(flat.len());
                values.extend(inner.into_iter().filter(|v| seen.insert(json_key(v))));
            }
            other => {
                if !flat.iter().any(|t| includes(t, &other)) {
                    if flat.len() >= MAX_ALTERNATIVES {
                        return Err(NoType::TooLarge);
                    }
                    flat.push(other);
                }
            }
        }
    }
    // `number` after `int` takes it in.
    let mut out: Vec<Type> = Vec::with_capacity(flat.len() + 1);
    let keep: Vec<bool> = flat
        .iter()
        .enumerate()
        .map(|(index, ty)| !flat.iter().skip(index + 1).any(|later| includes(later, ty)))
        .collect();
    let enumerated = enum_at.map(|at| (at, enum_part(values, &flat)));
    let count = flat.len();
    for (index, (ty, keep)) in flat.into_iter().zip(keep).enumerate() {
        if let Some((at, part)) = &enumerated
            && *at == index
        {
            out.extend(part.iter().cloned());
        }
        if keep {
            out.push(ty);
        }
    }
    if let Some((at, part)) = enumerated
        && at >= count
    {
        out.extend(part);
    }
    Ok(match out.len() {
        0 => Type::Enum(Vec::new()),
        1 => out.pop().unwrap_or(Type::Any),
        _ => Type::Union(out),
    })
}

/// The enumerated values that no other alternative takes in; `null` becomes a type of its own.
fn enum_part(values: Vec<Json>, others: &[Type]) -> Vec<Type> {
    let mut null = false;
    let kept: Vec<Json> = values
        .into_iter()
        .filter(|value| {
            if *value == Json::Null {
                null = true;
                return false;
            }
            !others.iter().any(|ty| fits(value, ty))
        })
        .collect();
    let mut out = Vec::with_capacity(2);
    if !kept.is_empty() {
        out.push(Type::Enum(kept));
    }
    if null && !others.contains(&Type::Null) {
        out.push(Type::Null);
    }
    out
}

/// Whether every value of `small` is one of `large`; `false` where that is not plain to see.
fn includes(large: &Type, small: &Type) -> bool {
    match (large, small) {
        (Type::Any, _) => true,
        (Type::Number(large), Type::Number(small) | Type::Int(small))
        | (Type::Int(large), Type::Int(small)) => {
            let low = match (&large.min, &small.min) {
                (None, _) => true,
                (Some(large), Some(small)) => number::compare(large, small).is_le(),
                (Some(_), None) => false,
            };
            let high = match (&large.max, &small.max) {
                (None, _) => true,
                (Some(large), Some(small)) => number::compare(large, small).is_ge(),
                (Some(_), None) => false,
            };
            low && high
        }
        (Type::String, Type::Timestamp) => true,
        (Type::List(large), Type::List(small)) => includes(large, small),
        (large, small) => large == small,
    }
}

/// Whether a value is of a type; of a list or object, whether it is one.
pub(super) fn fits(value: &Json, ty: &Type) -> bool {
    match (ty, value) {
        (Type::Any, _)
        | (Type::Null, Json::Null)
        | (Type::Bool, Json::Bool(_))
        | (Type::String | Type::Timestamp | Type::Duration, Json::Str(_)) => true,
        (Type::Int(range), Json::Number(text)) => number::is_integer(text) && in_range(text, range),
        (Type::Number(range), Json::Number(text)) => in_range(text, range),
        (Type::Enum(values), value) => {
            let key = json_key(value);
            values.iter().any(|v| json_key(v) == key)
        }
        // Parts are not looked at: enumerated lists and objects are rare, and the check would not be
        // linear.
        (Type::List(_), Json::List(_)) | (Type::Map(_) | Type::Record(_), Json::Record(_)) => true,
        (Type::Union(types), value) => types.iter().any(|t| fits(value, t)),
        _ => false,
    }
}

fn in_range(text: &str, range: &Range) -> bool {
    range
        .min
        .as_ref()
        .is_none_or(|min| number::compare(text, min).is_ge())
        && range
            .max
            .as_ref()
            .is_none_or(|max| number::compare(text, max).is_le())
}

/// The values that all of some types share.
pub(super) fn intersect_all(
    types: impl IntoIterator<Item = Type>,
    fuel: &mut Fuel,
) -> Result<Type, NoType> {
    let mut records = Vec::new();
    let mut whole = Type::Any;
    for ty in types {
        match ty {
            // All at once: one by one would be quadratic in the number of fields.
            Type::Record(record) => records.push(record),
            other => whole = intersect(whole, other, fuel)?,
        }
    }
    if records.len() <= 1 {
        return match records.pop() {
            Some(record) => intersect(Type::Record(record), whole, fuel),
            None => Ok(whole),
        };
    }
    let record = Type::Record(merge(records, true, fuel)?);
    intersect(record, whole, fuel)
}

/// The values that two types share.
pub(super) fn intersect(a: Type, b: Type, fuel: &mut Fuel) -> Result<Type, NoType> {
    Ok(match (a, b) {
        (Type::Any, other) | (other, Type::Any) => other,
        (Type::Union(left), Type::Union(right)) => {
            let mut out = Vec::new();
            for a in &left {
                for b in &right {
                    let (a, b) = (fuel.copy(a)?, fuel.copy(b)?);
                    keep(&mut out, intersect(a, b, fuel))?;
                }
            }
            non_empty(out)?
        }
        // The sides keep their order: fields are listed as the schema lists them.
        (Type::Union(types), other) => {
            let mut out = Vec::new();
            for ty in types {
                let other = fuel.copy(&other)?;
                keep(&mut out, intersect(ty, other, fuel))?;
            }
            non_empty(out)?
        }
        (other, Type::Union(types)) => {
            let mut out = Vec::new();
            for ty in types {
                let other = fuel.copy(&other)?;
                keep(&mut out, intersect(other, ty, fuel))?;
            }
            non_empty(out)?
        }
        (Type::Enum(left), Type::Enum(right)) => {
            let keys: HashSet<String> = right.iter().map(json_key).collect();
            enumeration(left.into_iter().filter(|v| keys.contains(&json_key(v))))?
        }
        (Type::Enum(values), ty) | (ty, Type::Enum(values)) => {
            enumeration(values.into_iter().filter(|v| fits(v, &ty)))?
        }
        (Type::Int(a), Type::Int(b) | Type::Number(b)) | (Type::Number(a), Type::Int(b)) => {
            // A fractional bound of `number` is met by the integer inside it.
            let range = narrow(a, b)?;
            let range = Range {
                min: range.min.map(|m| number::round(&m, number::Round::Up)),
                max: range.max.map(|m| number::round(&m, number::Round::Down)),
            };
            Type::Int(narrow(range, Range::default())?)
        }
        (Type::Number(a), Type::Number(b)) => Type::Number(narrow(a, b)?),
        (Type::String, ty @ (Type::Timestamp | Type::Duration))
        | (ty @ (Type::Timestamp | Type::Duration), Type::String) => ty,
        (Type::List(a), Type::List(b)) => {
            Type::List(Box::new(or_nothing(intersect(*a, *b, fuel))?))
        }
        (Type::Map(a), Type::Map(b)) => Type::Map(Box::new(or_nothing(intersect(*a, *b, fuel))?)),
        (Type::Map(item), Type::Record(record)) | (Type::Record(record), Type::Map(item)) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for field in record.fields {
                let item = fuel.copy(&item)?;
                let ty = intersect(field.ty, item, fuel);
                fields.push(Field {
                    ty: if field.optional { or_nothing(ty)? } else { ty? },
                    ..field
                });
            }
            if fields.is_empty() && record.open {
                Type::Map(item)
            } else {
                Type::Record(Record {
                    fields,
                    open: record.open,
                })
            }
        }
        (Type::Record(a), Type::Record(b)) => Type::Record(merge(vec![a, b], true, fuel)?),
        (a, b) if a == b => a,
        _ => return Err(NoType::Empty),
    })
}

/// The type of what may be absent: a list of nothing is an empty list.
fn or_nothing(ty: Result<Type, NoType>) -> Result<Type, NoType> {
    match ty {
        Err(NoType::Empty) => Ok(Type::Enum(Vec::new())),
        other => other,
    }
}

fn keep(out: &mut Vec<Type>, ty: Result<Type, NoType>) -> Result<(), NoType> {
    match ty {
        Ok(ty) => out.push(ty),
        Err(NoType::Empty) => {}
        Err(NoType::TooLarge) => return Err(NoType::TooLarge),
    }
    Ok(())
}

fn non_empty(types: Vec<Type>) -> Result<Type, NoType> {
    if types.is_empty() {
        return Err(NoType::Empty);
    }
    union(types)
}

fn enumeration(values: impl Iterator<Item = Json>) -> Result<Type, NoType> {
    let values: Vec<Json> = values.collect();
    if values.is_empty() {
        return Err(NoType::Empty);
    }
    union([Type::Enum(values)])
}

fn narrow(a: Range, b: Range) -> Result<Range, NoType> {
    let pick = |a: Option<String>, b: Option<String>, wanted: Ordering| match (a, b) {
        (Some(a), Some(b)) => Some(if number::compare(&a, &b) == wanted {
            a
        } else {
            b
        }),
        (a, b) => a.or(b),
    };
    let range = Range {
        min: pick(a.min, b.min, Ordering::Greater),
        max: pick(a.max, b.max, Ordering::Less),
    };
    match (&range.min, &range.max) {
        (Some(min), Some(max)) if number::compare(min, max).is_gt() => Err(NoType::Empty),
        _ => Ok(range),
    }
}

/// The range between two bounds.
pub(super) fn range(min: Option<String>, max: Option<String>) -> Result<Range, NoType> {
    narrow(Range { min, max }, Range::default())
}

/// Several records as one. `both`: of an object that is of all of them; otherwise of one that is of any.
///
/// Fields come from every part: a schema lists the fields that its author knows of, and one part of a
/// composition seldom lists those of the others. For the same reason the whole is closed where one
/// part that names fields is.
fn merge(records: Vec<Record>, both: bool, fuel: &mut Fuel) -> Result<Record, NoType> {
    let parts = records.len();
    let bare = |r: &Record| r.fields.is_empty();
    let open = match (both, records.iter().all(bare)) {
        (true, true) => records.iter().all(|r| r.open),
        (true, false) => records.iter().all(|r| bare(r) || r.open),
        (false, _) => records.iter().any(|r| r.open),
    };
    let mut index: HashMap<String, usize> = HashMap::new();
    // Each field with the number of parts that have it.
    let mut fields: Vec<(Field, usize)> = Vec::new();
    for field in records.into_iter().flat_map(|r| r.fields) {
        let Some((mine, met)) = index.get(&field.name).and_then(|at| fields.get_mut(*at)) else {
            index.insert(field.name.clone(), fields.len());
            fields.push((field, 1));
            continue;
        };
        *met += 1;
        let ty = std::mem::replace(&mut mine.ty, Type::Any);
        if both {
            mine.optional &= field.optional;
            let ty = intersect(ty, field.ty, fuel);
            mine.ty = if mine.optional { or_nothing(ty)? } else { ty? };
        } else {
            mine.optional |= field.optional;
            mine.ty = union([ty, field.ty])?;
        }
        if mine.description.is_none() {
            mine.description = field.description;
        }
    }
    let fields = fields
        .into_iter()
        .map(|(mut field, met)| {
            field.optional |= !both && met < parts;
            field
        })
        .collect();
    Ok(Record { fields, open })
}

/// The record of a tool's arguments, where a type is one; several alternatives become one record with
/// the fields of all.
pub(super) fn as_record(ty: Type) -> Result<Record, Type> {
    let alternatives = match ty {
        Type::Union(types) => types,
        other => vec![other],
    };
    let mut records = Vec::new();
    for ty in &alternatives {
        match ty {
            Type::Null if alternatives.len() > 1 => {}
            Type::Any | Type::Map(_) => records.push(Record {
                fields: Vec::new(),
                open: true,
            }),
            Type::Record(record) => records.push(record.clone()),
            _ => return Err(rejoin(alternatives)),
        }
    }
    if records.is_empty() {
        return Err(rejoin(alternatives));
    }
    merge(records, false, &mut Fuel::default()).map_err(|_| rejoin(alternatives))
}

fn rejoin(mut types: Vec<Type>) -> Type {
    match types.len() {
        1 => types.pop().unwrap_or(Type::Any),
        _ => Type::Union(types),
    }
}

/// A text that types with the same values share, whatever the order of fields and alternatives.
pub(super) fn type_key(ty: &Type) -> String {
    let range = |r: &Range| {
        let bound = |b: &Option<String>| b.as_deref().map(number::key).unwrap_or_default();
        format!("({}..{})", bound(&r.min), bound(&r.max))
    };
    match ty {
        Type::Any => "any".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int(r) => format!("int{}", range(r)),
        Type::Number(r) => format!("number{}", range(r)),
        Type::String => "string".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::Duration => "duration".to_owned(),
        Type::Enum(values) => {
            let mut keys: Vec<String> = values.iter().map(json_key).collect();
            keys.sort();
            format!("enum({})", keys.join(","))
        }
        Type::List(item) => format!("list<{}>", type_key(item)),
        Type::Map(item) => format!("map<{}>", type_key(item)),
        Type::Record(record) => record_key(record),
        Type::Union(types) => {
            let mut keys: Vec<String> = types.iter().map(type_key).collect();
            keys.sort();
            keys.join("|")
        }
    }
}

/// [`type_key`] of a record.
pub(super) fn record_key(record: &Record) -> String {
    let mut fields: Vec<String> = record
        .fields
        .iter()
        .map(|f| {
            let mark = if f.optional { "?" } else { "" };
            format!("{:?}{mark}:{}", f.name, type_key(&f.ty))
        })
        .collect();
    fields.sort();
    let open = if record.open { ",.." } else { "" };
    format!("{{{}{open}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use super::*;

    fn int(min: Option<&str>, max: Option<&str>) -> Type {
        Type::Int(Range {
            min: min.map(str::to_owned),
            max: max.map(str::to_owned),
        })
    }

    fn number(min: Option<&str>, max: Option<&str>) -> Type {
        Type::Number(Range {
            min: min.map(str::to_owned),
            max: max.map(str::to_owned),
        })
    }

    fn num(text: &str) -> Json {
        Json::Number(text.to_owned())
    }

    fn text(text: &str) -> Json {
        Json::Str(text.to_owned())
    }

    fn field(name: &str, ty: Type, optional: bool) -> Type {
        Type::Record(Record {
            fields: vec![Field {
                name: name.to_owned(),
                ty,
                optional,
                description: None,
            }],
            open: true,
        })
    }

    fn types() -> Vec<Type> {
        let list = |t| Type::List(Box::new(t));
        vec![
            Type::Any,
            Type::Null,
            Type::Bool,
            int(None, None),
            int(Some("1"), None),
            int(Some("-2"), Some("3")),
            number(None, None),
            number(Some("0.5"), Some("2.5")),
            number(None, Some("1")),
            Type::String,
            Type::Timestamp,
            Type::Enum(vec![num("1"), text("a"), Json::Bool(true)]),
            Type::Enum(vec![text("a"), text("b"), num("1.0")]),
            Type::Enum(vec![Json::Null, num("2.5")]),
            list(int(None, None)),
            list(Type::Union(vec![Type::String, Type::Null])),
            Type::Map(Box::new(int(Some("0"), None))),
            field("x", int(None, None), true),
            field("x", number(Some("1"), None), false),
            field("y", Type::String, true),
            Type::Union(vec![Type::String, int(None, None)]),
            Type::Union(vec![
                Type::Null,
                number(Some("2"), None),
                field("y", Type::Any, false),
            ]),
        ]
    }

    fn values() -> Vec<Json> {
        let record = |fields: &[(&str, Json)]| {
            Json::Record(
                fields
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.clone()))
                    .collect(),
            )
        };
        let mut out = vec![
            Json::Null,
            Json::Bool(true),
            Json::Bool(false),
            text("a"),
            text("c"),
        ];
        for n in [
            "-3", "-2", "0", "0.5", "0.75", "1", "1.0", "2", "2.5", "3", "1e3",
        ] {
            out.push(num(n));
        }
        out.extend([
            Json::List(vec![]),
            Json::List(vec![num("1")]),
            Json::List(vec![Json::Null, text("a")]),
            record(&[]),
            record(&[("x", num("1"))]),
            record(&[("x", num("0.5"))]),
            record(&[("y", text("a")), ("x", num("2"))]),
            record(&[("y", num("7"))]),
        ]);
        out
    }

    /// The definition, parts included.
    fn is(value: &Json, ty: &Type) -> bool {
        match (ty, value) {
            (Type::List(item), Json::List(items)) => items.iter().all(|v| is(v, item)),
            (Type::Map(item), Json::Record(fields)) => fields.iter().all(|(_, v)| is(v, item)),
            (Type::Record(record), Json::Record(fields)) => {
                record.fields.iter().all(|f| {
                    match fields.iter().find(|(name, _)| *name == f.name) {
                        Some((_, value)) => is(value, &f.ty),
                        None => f.optional,
                    }
                }) && (record.open
                    || fields
                        .iter()
                        .all(|(name, _)| record.fields.iter().any(|f| f.name == *name)))
            }
            (Type::Union(types), value) => types.iter().any(|t| is(value, t)),
            _ => fits(value, ty),
        }
    }

    /// An intersection that is a type has the values of both and, records aside, no others.
    #[test]
    fn intersections() {
        for a in types() {
            for b in types() {
                let both = intersect(a.clone(), b.clone(), &mut Fuel::default());
                for value in values() {
                    let want = is(&value, &a) && is(&value, &b);
                    let got = both.as_ref().is_ok_and(|ty| is(&value, ty));
                    // A record of named fields cannot say what its other fields are.
                    let loose = matches!(value, Json::Record(_)) && got;
                    assert!(
                        got == want || loose,
                        "{value:?} in {a:?} and {b:?}: {both:?}"
                    );
                }
                assert_ne!(both, Err(NoType::TooLarge));
            }
        }
    }

    #[test]
    fn unions() {
        for a in types() {
            for b in types() {
                let either = union([a.clone(), b.clone()]).unwrap();
                for value in values() {
                    let want = is(&value, &a) || is(&value, &b);
                    assert_eq!(
                        is(&value, &either),
                        want,
                        "{value:?} in {a:?} or {b:?}: {either:?}"
                    );
                }
                assert_eq!(
                    type_key(&either),
                    type_key(&union([b.clone(), a.clone()]).unwrap()),
                    "{a:?} {b:?}"
                );
            }
        }
    }
}
