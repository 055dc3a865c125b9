//! What may be compared with what (language reference, sections 6 and 7).

use crate::ir::{Coerce, Json, Step};
use crate::types::{Range, Type};

/// A set of classes of values. Values of unlike classes are unequal, so that comparing them is a
/// mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes(u16);

impl Classes {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(2);
    pub(super) const NUMBER: Self = Self(4);
    pub(super) const STRING: Self = Self(8);
    pub(super) const TIME: Self = Self(16);
    pub(super) const DURATION: Self = Self(32);
    pub(super) const LIST: Self = Self(64);
    pub(super) const RECORD: Self = Self(128);
    /// Nothing is known.
    pub(super) const ALL: Self = Self(255);
    /// What `<` orders.
    pub(super) const ORDERED: Self =
        Self(Self::NUMBER.0 | Self::STRING.0 | Self::TIME.0 | Self::DURATION.0);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A number of unknown bounds.
pub(super) fn number() -> Type {
    Type::Number(Range::default())
}

/// An integer of unknown bounds.
pub(super) fn int() -> Type {
    Type::Int(Range::default())
}

/// The classes of a type's values.
pub(super) fn classes(ty: &Type) -> Classes {
    match ty {
        Type::Any => Classes::ALL,
        Type::Null => Classes::NULL,
        Type::Bool => Classes::BOOL,
        Type::Int(_) | Type::Number(_) => Classes::NUMBER,
        Type::String => Classes::STRING,
        Type::Timestamp => Classes::TIME,
        Type::Duration => Classes::DURATION,
        Type::Enum(values) => values.iter().map(json_class).fold(Classes(0), Classes::or),
        Type::List(_) => Classes::LIST,
        Type::Map(_) | Type::Record(_) => Classes::RECORD,
        Type::Union(types) => types.iter().map(classes).fold(Classes(0), Classes::or),
    }
}

fn json_class(value: &Json) -> Classes {
    match value {
        Json::Null => Classes::NULL,
        Json::Bool(_) => Classes::BOOL,
        Json::Number(_) => Classes::NUMBER,
        Json::Str(_) => Classes::STRING,
        Json::List(_) => Classes::LIST,
        Json::Record(_) => Classes::RECORD,
    }
}

/// How a field of that type is read. A field that may also be a text is read as it is.
pub(super) fn coerce(ty: &Type) -> Coerce {
    let classes = classes(ty);
    if classes == Classes::ALL || classes.meets(Classes::STRING) {
        return Coerce::None;
    }
    let scalar = classes.and(Classes::NUMBER.or(Classes::TIME).or(Classes::DURATION));
    if scalar == Classes::NUMBER {
        Coerce::Number
    } else if scalar == Classes::TIME {
        Coerce::Timestamp
    } else if scalar == Classes::DURATION {
        Coerce::Duration
    } else {
        Coerce::None
    }
}

/// What a value of a type is, with its article, as messages have it: `a string`.
pub(super) fn described(ty: &Type) -> String {
    match ty {
        Type::Any => "any value".to_owned(),
        Type::Null => "`null`".to_owned(),
        Type::Int(_) => "an int".to_owned(),
        Type::Bool
        | Type::Number(_)
        | Type::String
        | Type::Timestamp
        | Type::Duration
        | Type::Record(_) => format!("a {}", name(ty)),
        Type::Enum(values) => {
            let mut shown: Vec<String> = values
                .iter()
                .take(4)
                .map(|value| format!("`{}`", json(value)))
                .collect();
            if values.len() > 4 {
                shown.push("...".to_owned());
            }
            format!("one of {}", shown.join(", "))
        }
        Type::List(_) | Type::Map(_) => format!("a `{}`", name(ty)),
        Type::Union(types) => types.iter().map(described).collect::<Vec<_>>().join(" or "),
    }
}

/// The type in the words of the language.
#[must_use]
pub fn name(ty: &Type) -> String {
    match ty {
        Type::Any => "any".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int(_) => "int".to_owned(),
        Type::Number(_) => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::Duration => "duration".to_owned(),
        Type::Enum(values) => {
            let mut shown: Vec<String> = values.iter().take(4).map(json).collect();
            if values.len() > 4 {
                shown.push("...".to_owned());
            }
            format!("enum({})", shown.join(", "))
        }
        Type::List(element) => format!("list<{}>", name(element)),
        Type::Map(element) => format!("map<{}>", name(element)),
        Type::Record(_) => "record".to_owned(),
        Type::Union(types) => types.iter().map(name).collect::<Vec<_>>().join(" | "),
    }
}

/// A value as it is written.
pub(super) fn json(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(b) => b.to_string(),
        Json::Number(n) => n.clone(),
        Json::Str(s) => format!("{s:?}"),
        Json::List(_) => "[...]".to_owned(),
        Json::Record(_) => "{...}".to_owned(),
    }
}

/// One of the types; equal ones once.
pub(super) fn union(types: impl IntoIterator<Item = Type>) -> Type {
    let mut all: Vec<Type> = Vec::new();
    for ty in types {
        let parts = match ty {
            Type::Union(parts) => parts,
            other => vec![other],
        };
        for part in parts {
            if part == Type::Any {
                return Type::Any;
            }
            if !all.contains(&part) {
                all.push(part);
            }
        }
    }
    match all.pop() {
        None => Type::Any,
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            Type::Union(all)
        }
    }
}

/// The type without `null`.
pub(super) fn non_null(ty: &Type) -> Type {
    match ty {
        Type::Union(types) => union(types.iter().filter(|t| **t != Type::Null).cloned()),
        other => other.clone(),
    }
}

/// The type of the elements of a list; `None` where the type has no lists.
pub(super) fn element(ty: &Type) -> Option<Type> {
    match ty {
        Type::Any => Some(Type::Any),
        Type::List(element) => Some((**element).clone()),
        Type::Union(types) => {
            let elements: Vec<Type> = types.iter().filter_map(element).collect();
            (!elements.is_empty()).then(|| union(elements))
        }
        _ => None,
    }
}

/// Why a type has no such part.
pub(super) enum NoPart {
    /// A record without that field; its fields.
    Field(Vec<String>),
    /// The elements of a list have the field, perhaps.
    List,
    /// A value without parts of that kind.
    Scalar,
}

/// The type of a part of a value, and whether the part may be missing.
pub(super) fn part(ty: &Type, step: &Step) -> Result<(Type, bool), NoPart> {
    match (ty, step) {
        (Type::Any, _) => Ok((Type::Any, false)),
        (Type::List(element), Step::Index(_) | Step::All) => Ok(((**element).clone(), false)),
        (Type::List(_), Step::Field(_)) => Err(NoPart::List),
        (Type::Map(element), Step::Field(_)) => Ok(((**element).clone(), true)),
        (Type::Record(record), Step::Field(name)) => {
            match record.fields.iter().find(|f| f.name == *name) {
                Some(field) => Ok((field.ty.clone(), field.optional)),
                None if record.open => Ok((Type::Any, false)),
                None => Err(NoPart::Field(
                    record.fields.iter().map(|f| f.name.clone()).collect(),
                )),
            }
        }
        (Type::Union(types), _) => {
            let mut found = Vec::new();
            let mut optional = false;
            let mut worst = NoPart::Scalar;
            for ty in types {
                match part(ty, step) {
                    Ok((ty, missing)) => {
                        found.push(ty);
                        optional |= missing;
                    }
                    Err(NoPart::Field(mut names)) => {
                        if let NoPart::Field(old) = &mut worst {
                            old.append(&mut names);
                        } else {
                            worst = NoPart::Field(names);
                        }
                    }
                    Err(NoPart::List) if matches!(worst, NoPart::Scalar) => worst = NoPart::List,
                    Err(_) => {}
                }
            }
            if found.is_empty() {
                Err(worst)
            } else {
                Ok((union(found), optional))
            }
        }
        _ => Err(NoPart::Scalar),
    }
}

/// The values of a type that has only so many, where all are known.
pub(super) fn known_values(ty: &Type) -> Option<Vec<Json>> {
    match ty {
        Type::Enum(values) => Some(values.clone()),
        Type::Null => Some(vec![Json::Null]),
        Type::Union(types) => {
            let mut all = Vec::new();
            for ty in types {
                all.extend(known_values(ty)?);
            }
            Some(all)
        }
        _ => None,
    }
}
