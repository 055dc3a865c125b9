//! Types as the language writes them, whole.

use ctr_front::ir::Json;
use ctr_front::types::{Range, Record, Type};
use ctr_grammar::written;

/// The most values and fields that are shown.
const MOST: usize = 12;

/// A type in the language's words, records with their fields, numbers with their bounds.
pub(crate) fn written(ty: &Type) -> String {
    shown(ty, 3)
}

fn shown(ty: &Type, depth: usize) -> String {
    match ty {
        Type::Int(range) => bounded("int", range),
        Type::Number(range) => bounded("number", range),
        Type::Enum(values) => {
            let mut all: Vec<String> = values.iter().take(MOST).map(json).collect();
            if values.len() > MOST {
                all.push("...".to_owned());
            }
            format!("enum({})", all.join(", "))
        }
        Type::List(element) => format!("list<{}>", shown(element, depth)),
        Type::Map(element) => format!("map<{}>", shown(element, depth)),
        Type::Record(record) if depth > 0 => fields(record, depth - 1),
        Type::Record(_) => "{ ... }".to_owned(),
        Type::Union(types) => {
            let all: Vec<String> = types.iter().map(|ty| shown(ty, depth)).collect();
            all.join(" | ")
        }
        other => ctr_front::check::type_name(other),
    }
}

fn bounded(name: &str, range: &Range) -> String {
    match (&range.min, &range.max) {
        (None, None) => name.to_owned(),
        (Some(min), None) => format!("{name} /* {min} or more */"),
        (None, Some(max)) => format!("{name} /* {max} or less */"),
        (Some(min), Some(max)) => format!("{name} /* {min} to {max} */"),
    }
}

/// The way to a field as it is written: `orders[*].id`.
pub(crate) fn dotted(path: &[String]) -> String {
    path.join(".").replace(".[*]", "[*]")
}

fn fields(record: &Record, depth: usize) -> String {
    let mut all: Vec<String> = record
        .fields
        .iter()
        .take(MOST)
        .map(|field| {
            let mark = if field.optional { "?" } else { "" };
            format!("{}{mark}: {}", name(&field.name), shown(&field.ty, depth))
        })
        .collect();
    if record.fields.len() > MOST {
        all.push("...".to_owned());
    }
    if all.is_empty() {
        "{ }".to_owned()
    } else {
        format!("{{ {} }}", all.join(", "))
    }
}

/// A constant as it is written in a policy.
pub(crate) fn json(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(b) => b.to_string(),
        Json::Number(n) => n.clone(),
        Json::Str(text) => written::string(text),
        Json::List(_) => "[...]".to_owned(),
        Json::Record(_) => "{...}".to_owned(),
    }
}

/// The values of a type that has only so many, for a reader; `None` for other types.
pub(crate) fn values(ty: &Type) -> Option<String> {
    let all = constants(ty)?;
    let mut shown: Vec<String> = all
        .iter()
        .take(40)
        .map(|value| super::text::code(&json(value)))
        .collect();
    if all.len() > shown.len() {
        shown.push("...".to_owned());
    }
    Some(shown.join(", "))
}

/// The values of a type that has only so many; of a list those of its elements.
pub(crate) fn constants(ty: &Type) -> Option<Vec<Json>> {
    match ty {
        Type::Enum(values) => Some(values.clone()),
        Type::Bool => Some(vec![Json::Bool(true), Json::Bool(false)]),
        Type::List(element) => constants(element),
        Type::Union(types) => {
            let mut all = Vec::new();
            for ty in types {
                match ty {
                    Type::Null => all.push(Json::Null),
                    other => all.extend(constants(other)?),
                }
            }
            Some(all)
        }
        _ => None,
    }
}

/// A name as it is written, of a tool with its server's before it: in back-ticks where it would be no name without.
pub(crate) fn name(name: &str) -> String {
    match name.split_once('.') {
        Some((server, tool)) if written::is_identifier(server) && written::is_identifier(tool) => {
            format!("{}.{}", written::name(server), written::name(tool))
        }
        _ => written::name(name),
    }
}
