//! What the library knows of a tool's own schema.

use alloc::string::String;
use alloc::vec::Vec;

use super::shape::{Shape, Step, and, or};
use crate::eval::frame::wire_name;
use crate::format::Library;
use crate::order::Set;
use crate::value::{Record, Value};

/// How deep records are followed.
const MAX_DEPTH: usize = 16;

/// The schema of a tool's arguments, where exactly one declared tool is meant.
pub(crate) fn input(library: &Library<'_>, server: Option<&str>, tool: &str) -> Option<Value> {
    let (server, name) = wire_name(library, server, tool.trim());
    let mut fitting = (0..library.declared_count())
        .map(|id| library.declared(id))
        .filter(|declared| {
            let same = match (declared.server, server) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            declared.name == name && same
        });
    let only = fitting.next()?;
    if fitting.next().is_some() {
        return None;
    }
    // What the compiler wrote is JSON; other texts are no schemas.
    let schema = crate::json::parse(only.input?).ok()?;
    matches!(schema, Value::Record(_)).then_some(schema)
}

/// The arguments for which a schema allows no texts.
pub(crate) fn textless(schema: &Value) -> Set<Vec<Step>> {
    let mut out = Vec::new();
    collect(schema, &mut Vec::new(), &mut out);
    out.into_iter().collect()
}

fn collect(schema: &Value, path: &mut Vec<Step>, out: &mut Vec<Vec<Step>>) {
    if path.len() > MAX_DEPTH {
        return;
    }
    if !allows_texts(schema) {
        out.push(path.clone());
    }
    if let Some(Value::Record(fields)) = schema.get("properties") {
        for (name, field) in fields.iter() {
            path.push(Step::Field(String::from(name)));
            collect(field, path, out);
            path.pop();
        }
    }
}

fn allows_texts(schema: &Value) -> bool {
    let named = |name: &Value| name.as_str() == Some("string");
    let typed = match schema.get("type") {
        Some(Value::List(names)) => names.iter().any(named),
        Some(name) => named(name),
        None => true,
    };
    let listed = match schema.get("enum") {
        Some(Value::List(values)) => values.iter().any(|v| v.as_str().is_some()),
        _ => true,
    };
    let either = match schema.get("anyOf") {
        Some(Value::List(parts)) => parts.iter().any(allows_texts),
        _ => true,
    };
    typed && listed && either
}

/// Whether a schema allows nothing but whole numbers at a place.
pub(crate) fn is_whole(schema: &Value, steps: &[Step]) -> bool {
    let end = steps.iter().try_fold(schema, |schema, step| match step {
        Step::Field(name) => schema.get("properties")?.get(name),
        Step::Index(_) => schema.get("items"),
    });
    end.and_then(|s| s.get("type")).and_then(Value::as_str) == Some("integer")
}

/// A tool's own schema with what contracts accept, in one object where that can be said.
pub(crate) fn merged(own: Value, narrow: Value) -> Value {
    let (Value::Record(own), Value::Record(narrow)) = (&own, &narrow) else {
        return both(own, narrow);
    };
    let plain = narrow.iter().all(|(name, value)| match name {
        "type" => value.as_str() == Some("object"),
        "properties" | "required" => true,
        _ => false,
    });
    let object = own.get("type").and_then(Value::as_str) == Some("object");
    if !plain || !object {
        return both(Value::Record(own.clone()), Value::Record(narrow.clone()));
    }
    let mut out = own.clone();
    if let Some(Value::Record(fields)) = narrow.get("properties") {
        let mut all = match own.get("properties") {
            Some(Value::Record(all)) => all.clone(),
            _ => Record::new(),
        };
        for (name, field) in fields.iter() {
            let field = match (all.get(name), own.get("additionalProperties")) {
                (Some(before), _) => meet(before.clone(), field.clone()),
                // A field that the tool does not have stays excluded.
                (None, Some(others)) => meet(others.clone(), field.clone()),
                (None, None) => field.clone(),
            };
            all.insert(name, field);
        }
        out.insert("properties", Value::Record(all));
    }
    if let Some(Value::List(names)) = narrow.get("required") {
        let mut all = match own.get("required") {
            Some(Value::List(all)) => all.clone(),
            _ => Vec::new(),
        };
        all.extend(
            names
                .iter()
                .filter(
                    |n| !matches!(own.get("required"), Some(Value::List(all)) if all.contains(n)),
                )
                .cloned(),
        );
        out.insert("required", Value::List(all));
    }
    Value::Record(out)
}

/// Two schemas of one value, side by side where their keywords do not meet.
fn meet(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Bool(true), other) | (other, Value::Bool(true)) => other,
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
        (Value::Record(a), Value::Record(b)) => {
            let fits = b.iter().all(|(name, value)| match (name, a.get(name)) {
                (_, None) => !matches!(
                    name,
                    "properties" | "additionalProperties" | "items" | "prefixItems"
                ),
                ("type", Some(old)) => old == value || is_number(old, value),
                _ => false,
            });
            if !fits {
                return both(Value::Record(a), Value::Record(b));
            }
            let mut out = a;
            for (name, value) in b.iter() {
                if out.get(name).is_none() {
                    out.insert(name, value.clone());
                }
            }
            Value::Record(out)
        }
        (a, b) => both(a, b),
    }
}

/// Whole numbers are numbers.
fn is_number(narrower: &Value, wider: &Value) -> bool {
    narrower.as_str() == Some("integer") && wider.as_str() == Some("number")
}

fn both(a: Value, b: Value) -> Value {
    let mut out = Record::new();
    out.insert("allOf", Value::List(Vec::from([a, b])));
    Value::Record(out)
}

/// What a schema asks of the value at a path, at least: its types, and an enumeration.
pub(crate) fn shape(schema: &Value, steps: &[Step]) -> Shape {
    let end = steps.iter().try_fold(schema, |schema, step| match step {
        Step::Field(name) => schema.get("properties")?.get(name),
        Step::Index(_) => schema.get("items"),
    });
    let Some(end) = end else { return Shape::Any };
    let mut parts = Vec::new();
    match end.get("type") {
        Some(Value::List(names)) => parts.push(or(names
            .iter()
            .filter_map(Value::as_str)
            .map(Shape::named)
            .collect())),
        Some(Value::Str(name)) => parts.push(Shape::named(name)),
        _ => {}
    }
    if let Some(Value::List(values)) = end.get("enum") {
        parts.push(Shape::Enum(values.clone()));
    }
    for (name, least) in [("minimum", true), ("maximum", false)] {
        if let Some(n) = end.get(name).and_then(Value::as_number) {
            parts.push(match least {
                true => Shape::Least(n, false),
                false => Shape::Most(n, false),
            });
        }
    }
    and(parts)
}

/// What a schema asks of a whole value, at least: as [`shape`], and what the fields of a record hold.
pub(crate) fn asked(schema: &Value) -> Shape {
    asked_within(schema, MAX_DEPTH)
}

fn asked_within(schema: &Value, depth: usize) -> Shape {
    let mut parts = Vec::from([shape(schema, &[])]);
    let is_record = schema.get("type").and_then(Value::as_str) == Some("object");
    if let (true, Some(depth), Some(Value::Record(fields))) =
        (is_record, depth.checked_sub(1), schema.get("properties"))
    {
        let required = |name: &str| match schema.get("required") {
            Some(Value::List(names)) => names.iter().any(|n| n.as_str() == Some(name)),
            _ => false,
        };
        for (name, field) in fields.iter() {
            let inner = asked_within(field, depth);
            let step = [Step::Field(String::from(name))];
            parts.push(match required(name) {
                true => Shape::at(&step, inner),
                false => Shape::at(&step, inner.not()).not(),
            });
        }
    }
    and(parts)
}
