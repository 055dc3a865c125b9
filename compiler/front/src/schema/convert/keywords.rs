//! The keywords of one schema alone, references and compositions apart.

use std::collections::HashSet;

use super::super::algebra;
use super::super::json::{Kind, Member, Value};
use super::super::number::{self, Round};
use super::{At, Converter, description};
use crate::ir::Json;
use crate::suggest::nearest;
use crate::types::{Field, Range, Record, Type};

/// The types of JSON Schema.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// What people write in their place.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("str", "string"),
    ("text", "string"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("bool", "boolean"),
    ("dict", "object"),
    ("map", "object"),
    ("list", "array"),
    ("none", "null"),
];

impl<'a> Converter<'a> {
    /// What a schema says apart from references and compositions.
    pub(super) fn base(&mut self, schema: &'a Value, at: At) -> Type {
        let mut types = Vec::new();
        let mut known = true;
        match schema.member("type") {
            None => {
                let has = |keys: &[&str]| keys.iter().any(|key| schema.get(key).is_some());
                if has(&[
                    "properties",
                    "required",
                    "additionalProperties",
                    "patternProperties",
                ]) {
                    types.push("object");
                }
                if has(&["items", "prefixItems"]) {
                    types.push("array");
                }
                // In a composition `type` stands in another part, and may be wider than these.
                if !at.composed && schema.get("enum").is_none() && schema.get("const").is_none() {
                    if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) {
                        types.push("number");
                    }
                    if has(&["pattern", "minLength", "maxLength", "format"]) {
                        types.push("string");
                    }
                }
                known = !types.is_empty();
            }
            Some(member) => match &member.value.kind {
                Kind::Str(_) => self.type_name(&member.value, &mut types),
                Kind::List(names) if !names.is_empty() => {
                    for name in names {
                        self.type_name(name, &mut types);
                    }
                }
                _ => self.malformed(member, "a type or a list of types", ""),
            },
        }
        // Keywords of types that are not meant are checked all the same: `required: false` is a
        // mistake wherever it stands.
        let mut record = Some(self.record(schema, at));
        let mut list = Some(self.list(schema, at));
        let number = self.number(schema, false, types.contains(&"number"));
        let integer = self.number(schema, true, types.contains(&"integer"));
        let string = self.string(schema);
        let mut alternatives = Vec::with_capacity(types.len());
        for name in types {
            alternatives.push(match name {
                "string" => string.clone(),
                "integer" => integer.clone(),
                "number" => number.clone(),
                "boolean" => Type::Bool,
                // `types` has each name once.
                "object" => record.take().unwrap_or(Type::Any),
                "array" => list.take().unwrap_or(Type::Any),
                _ => Type::Null,
            });
        }
        let mut ty = if alternatives.is_empty() || !known {
            Type::Any
        } else {
            self.join(alternatives, schema.span)
        };
        if let Some(member) = schema.member("enum") {
            ty = match &member.value.kind {
                Kind::List(values) if !values.is_empty() => {
                    let values: Vec<Json> = values.iter().map(Value::to_json).collect();
                    self.values(values, ty, member)
                }
                _ => {
                    self.malformed(member, "a list of at least one value", "");
                    ty
                }
            };
        }
        if let Some(member) = schema.member("const") {
            ty = self.values(vec![member.value.to_json()], ty, member);
        }
        ty
    }

    /// Enumerated values, of which each should be of the type that stands beside them.
    fn values(&mut self, values: Vec<Json>, ty: Type, member: &Member) -> Type {
        if values.iter().any(|value| !algebra::fits(value, &ty)) {
            self.report(
                "W0303",
                member.value.span,
                format!(
                    "a value of `{}` is not of the schema's own type",
                    member.key
                ),
                "can never occur",
                "",
            );
        }
        let values = self.join(vec![Type::Enum(values)], member.value.span);
        self.meet(vec![ty, values], member.value.span)
    }

    fn type_name(&mut self, value: &Value, types: &mut Vec<&'static str>) {
        let Some(name) = value.as_str() else {
            self.report(
                "E0306",
                value.span,
                format!(
                    "`type` is the name of a type, and here it is {}",
                    value.describe()
                ),
                "not a name",
                "use `anyOf` for several schemas",
            );
            return;
        };
        if let Some(known) = TYPES.iter().find(|t| **t == name) {
            if !types.contains(known) {
                types.push(known);
            }
            return;
        }
        let lower = name.to_ascii_lowercase();
        let near = OTHER_NAMES
            .iter()
            .find(|(other, _)| *other == lower)
            .map(|(_, near)| *near)
            .or_else(|| nearest(name, TYPES));
        let help = near.map_or_else(
            || {
                format!(
                    "the types are {}",
                    TYPES.map(|t| format!("`{t}`")).join(", ")
                )
            },
            |near| format!("did you mean `{near}`?"),
        );
        self.report(
            "E0307",
            value.span,
            format!("there is no JSON Schema type `{name}`"),
            "unknown type",
            &help,
        );
    }

    fn record(&mut self, schema: &'a Value, at: At) -> Type {
        let required = self.required(schema);
        let mut fields: Vec<Field> = Vec::new();
        let properties = schema.member("properties");
        if let Some(member) = properties {
            match &member.value.kind {
                Kind::Record(members) => {
                    let names: HashSet<&str> = required.iter().copied().collect();
                    for property in members {
                        fields.push(Field {
                            name: property.key.clone(),
                            ty: self.schema(&property.value, at.inside()),
                            optional: !names.contains(property.key.as_str()),
                            description: description(&property.value),
                        });
                    }
                }
                _ => self.malformed(member, "an object of schemas", ""),
            }
        }
        let mut known: HashSet<String> = fields.iter().map(|f| f.name.clone()).collect();
        for name in required {
            if known.insert(name.to_owned()) {
                fields.push(Field {
                    name: name.to_owned(),
                    ty: Type::Any,
                    optional: false,
                    description: None,
                });
            }
        }
        let mut others = Vec::new();
        let mut open = None;
        if let Some(member) = schema.member("patternProperties") {
            match &member.value.kind {
                Kind::Record(members) => {
                    open = Some(true);
                    for pattern in members {
                        others.push(self.schema(&pattern.value, at.inside()));
                    }
                }
                _ => self.malformed(member, "an object of schemas", ""),
            }
        }
        if let Some(member) = schema.member("additionalProperties") {
            match &member.value.kind {
                Kind::Bool(false) => open = open.or(Some(false)),
                Kind::Bool(true) => {
                    open = Some(true);
                    others.push(Type::Any);
                }
                Kind::Record(_) => {
                    open = Some(true);
                    others.push(self.schema(&member.value, at.inside()));
                }
                _ => self.malformed(member, "a schema, `true` or `false`", ""),
            }
        }
        let open = open.unwrap_or(properties.is_none());
        if fields.is_empty() && open && !others.is_empty() {
            let item = self.join(others, schema.span);
            if item != Type::Any {
                return Type::Map(Box::new(item));
            }
        }
        Type::Record(Record { fields, open })
    }

    /// The names in `required`.
    fn required(&mut self, schema: &'a Value) -> Vec<&'a str> {
        let Some(member) = schema.member("required") else {
            return Vec::new();
        };
        let help = "list the names of the required properties in the object that has them";
        let Kind::List(items) = &member.value.kind else {
            self.malformed(member, "a list of names", help);
            return Vec::new();
        };
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            match item.as_str() {
                Some(name) => names.push(name),
                None => self.report(
                    "E0306",
                    item.span,
                    format!(
                        "`required` is a list of names, and this is {}",
                        item.describe()
                    ),
                    "not a name",
                    help,
                ),
            }
        }
        names
    }

    fn list(&mut self, schema: &'a Value, at: At) -> Type {
        let mut items = Vec::new();
        let mut rest = schema.member("items");
        let tuple = match rest {
            // Until draft 2019-09 a list under `items` was what `prefixItems` is now.
            Some(member) if matches!(member.value.kind, Kind::List(_)) => {
                rest = schema.member("additionalItems");
                Some(member)
            }
            _ => schema.member("prefixItems"),
        };
        if let Some(member) = tuple {
            match &member.value.kind {
                Kind::List(parts) => {
                    for part in parts {
                        items.push(self.schema(part, at.inside()));
                    }
                }
                _ => self.malformed(member, "a list of schemas", ""),
            }
        }
        if let Some(member) = rest {
            match member.value.kind {
                Kind::Bool(false) => {}
                Kind::Bool(true) | Kind::Record(_) => {
                    items.push(self.schema(&member.value, at.inside()));
                }
                _ => self.malformed(member, "a schema", ""),
            }
        }
        let item = if items.is_empty() {
            Type::Any
        } else {
            self.join(items, schema.span)
        };
        Type::List(Box::new(item))
    }

    fn string(&mut self, schema: &Value) -> Type {
        let Some(member) = schema.member("format") else {
            return Type::String;
        };
        match member.value.as_str() {
            Some("date-time") => Type::Timestamp,
            Some(_) => Type::String,
            None => {
                self.malformed(member, "a name", "");
                Type::String
            }
        }
    }

    /// `meant`: whether the schema is of this type, so that its bounds should leave something.
    fn number(&mut self, schema: &Value, integer: bool, meant: bool) -> Type {
        let mut min = self.bound(schema, "minimum");
        let mut max = self.bound(schema, "maximum");
        let above = self.exclusive(schema, "exclusiveMinimum", &min);
        let below = self.exclusive(schema, "exclusiveMaximum", &max);
        if integer {
            min = min.map(|m| number::round(&m, Round::Up));
            max = max.map(|m| number::round(&m, Round::Down));
        }
        let tighter = |a: Option<String>, b: Option<String>, greater: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if number::compare(&a, &b).is_gt() == greater {
                a
            } else {
                b
            }),
            (a, b) => a.or(b),
        };
        let to_bound = |text: Option<String>, how: Round| {
            text.map(|t| if integer { number::round(&t, how) } else { t })
        };
        min = tighter(min, to_bound(above, Round::Above), true);
        max = tighter(max, to_bound(below, Round::Below), false);
        let range = algebra::range(min, max).unwrap_or_else(|_| {
            let span = schema
                .member("minimum")
                .or_else(|| schema.member("exclusiveMinimum"))
                .map_or(schema.span, |m| m.value.span);
            if meant {
                self.report(
                    "W0303",
                    span,
                    "no number is between these bounds",
                    "the bounds are left out",
                    "",
                );
            }
            Range::default()
        });
        if integer {
            Type::Int(range)
        } else {
            Type::Number(range)
        }
    }

    fn bound(&mut self, schema: &Value, key: &str) -> Option<String> {
        let member = schema.member(key)?;
        match &member.value.kind {
            Kind::Number(text) => Some(text.clone()),
            _ => {
                self.malformed(member, "a number", "");
                None
            }
        }
    }

    /// An exclusive bound; in draft 4 it is a boolean that speaks of the inclusive one.
    fn exclusive(
        &mut self,
        schema: &Value,
        key: &str,
        inclusive: &Option<String>,
    ) -> Option<String> {
        match schema.get(key).map(|v| &v.kind) {
            Some(Kind::Bool(true)) => inclusive.clone(),
            Some(Kind::Bool(false)) => None,
            _ => self.bound(schema, key),
        }
    }
}
