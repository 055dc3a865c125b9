//! Types as the language writes them, whole.

use ctr_front::ir::Json;
use ctr_front::types::{Range, Record, Type};

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
        Json::Str(text) => quoted(text),
        Json::List(_) => "[...]".to_owned(),
        Json::Record(_) => "{...}".to_owned(),
    }
}

/// A string literal of the language.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", inside_quotes(text))
}

/// A text as it stands between quotes.
pub(crate) fn inside_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
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

/// A name as it is written: in back-ticks where it would not be one without.
pub(crate) fn name(name: &str) -> String {
    let word = |part: &str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && !part.is_empty()
    };
    match name.split_once('.') {
        _ if word(name) => name.to_owned(),
        Some((server, tool)) if word(server) && word(tool) => name.to_owned(),
        _ => format!("`{name}`"),
    }
}
