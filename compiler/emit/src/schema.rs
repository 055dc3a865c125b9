//! The declared tools with JSON Schemas of their arguments, by their declared types.

use ctr_front::ir::{self, Json};
use ctr_front::types::{Range, Record, Type};
use ctr_runtime::format::model;
use serde_json::{Map, Value, json};

/// The longest schema that is put into an artifact, in bytes.
const MAX_INPUT: usize = 64 << 10;
/// How deep types are followed.
const MAX_DEPTH: u32 = 32;

/// A declared tool in the artifact's terms.
pub(crate) fn declared(tool: &ir::DeclaredTool) -> model::Declared {
    let input = schema(&tool.args, 0).to_string();
    model::Declared {
        server: tool.server.clone(),
        name: tool.name.clone(),
        input: (input.len() <= MAX_INPUT).then_some(input),
    }
}

fn schema(ty: &Type, depth: u32) -> Value {
    if depth > MAX_DEPTH {
        return json!({});
    }
    let inner = |ty: &Type| schema(ty, depth + 1);
    match ty {
        Type::Any => json!({}),
        Type::Null => json!({"type": "null"}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Int(range) => number("integer", range),
        Type::Number(range) => number("number", range),
        Type::String | Type::Duration => json!({"type": "string"}),
        Type::Timestamp => json!({"type": "string", "format": "date-time"}),
        Type::Enum(values) => json!({"enum": values.iter().map(value).collect::<Vec<_>>()}),
        Type::List(item) => json!({"type": "array", "items": inner(item)}),
        Type::Map(item) => json!({"type": "object", "additionalProperties": inner(item)}),
        Type::Record(fields) => record(fields, depth),
        Type::Union(parts) => json!({"anyOf": parts.iter().map(inner).collect::<Vec<_>>()}),
    }
}

fn record(record: &Record, depth: u32) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in &record.fields {
        properties.insert(field.name.clone(), schema(&field.ty, depth + 1));
        if !field.optional {
            required.push(Value::from(field.name.as_str()));
        }
    }
    let mut out = json!({"type": "object", "properties": properties});
    if let Value::Object(map) = &mut out {
        if !required.is_empty() {
            map.insert("required".to_owned(), Value::Array(required));
        }
        if !record.open {
            map.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    }
    out
}

fn number(name: &str, range: &Range) -> Value {
    let mut out = Map::new();
    out.insert("type".to_owned(), name.into());
    for (key, bound) in [("minimum", &range.min), ("maximum", &range.max)] {
        if let Some(bound) = bound
            && let Ok(bound) = serde_json::from_str::<Value>(bound)
        {
            out.insert(key.to_owned(), bound);
        }
    }
    Value::Object(out)
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        Json::Str(text) => Value::from(text.as_str()),
        Json::List(items) => items.iter().map(value).collect(),
        Json::Record(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), value(field)))
            .collect::<Map<_, _>>()
            .into(),
    }
}
