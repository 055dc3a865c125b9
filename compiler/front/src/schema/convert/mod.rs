//! From JSON Schema (drafts 4 to 2020-12) to [`Type`].
//!
//! Decisions, where the drafts leave room or a type says less than a schema:
//!
//! - An object that lists `properties` has those and no others, unless `additionalProperties` or
//!   `patternProperties` allow more: almost no tool writes `additionalProperties: false`, and an
//!   unknown field in a policy is nearly always a slip. One that lists none is open.
//! - Exclusive bounds of `number` count as inclusive; those of `integer` move to the next integer.
//! - `nullable: true` (`OpenAPI`) adds null.
//! - A schema without `type` is what its other keywords speak of, and any value where there are none.
//! - Fields of `allOf` parts join; alternatives of `anyOf` and `oneOf` are a union.
//! - A schema that contains itself is any value at that place, with a warning.

mod keywords;

use std::collections::HashSet;

use ctr_grammar::Span;

use super::algebra::{self, Fuel, NoType, intersect_all, union};
use super::json::{Kind, Member, Value};
use super::reference::{self, Target};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{Place, SourceId};
use crate::suggest::nearest;
use crate::types::{Record, Type};

/// The deepest nesting of schemas inside each other, references followed.
pub const MAX_SCHEMA_DEPTH: u32 = 100;

/// The most references on the way from a tool's schema to one of its parts.
pub const MAX_REF_HOPS: u32 = 64;

/// The most schemas in a file, those behind references counted each time that they are used.
pub const MAX_SCHEMAS: u32 = 250_000;

/// How many bytes of a schema behind a reference count as one of [`MAX_SCHEMAS`].
const BYTES_PER_SCHEMA: u32 = 64;

/// The most findings about one file of tools.
pub const MAX_FINDINGS: usize = 200;

/// Keywords that narrow the values of a schema in ways that a type cannot say. Those that narrow texts and the
/// sizes of lists (`pattern`, `maxLength`, `minItems`) are everywhere and no type was expected to say them.
const NARROWING: [&str; 8] = [
    "not",
    "if",
    "contains",
    "dependentSchemas",
    "dependencies",
    "dependentRequired",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// The other keywords of JSON Schema, and those of `OpenAPI` beside them.
const KEYWORDS: [&str; 58] = [
    "pattern",
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "discriminator",
    "else",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "id",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "uniqueItems",
];

/// Where a schema stands in its tool's schema.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// Schemas around it, references counted.
    depth: u32,
    /// References on the way to it.
    hops: u32,
    /// Objects and lists around it: a reference back to a schema with as many refers to itself
    /// without anything between.
    level: u32,
    /// Whether it is a part of `allOf`, `anyOf` or `oneOf`, so that `type` may stand in another part.
    composed: bool,
}

impl At {
    fn part(self) -> Self {
        Self {
            depth: self.depth + 1,
            composed: true,
            ..self
        }
    }

    fn inside(self) -> Self {
        Self {
            depth: self.depth + 1,
            level: self.level + 1,
            composed: false,
            ..self
        }
    }

    fn referred(self) -> Self {
        Self {
            depth: self.depth + 1,
            hops: self.hops + 1,
            ..self
        }
    }
}

/// Converts the schemas of one file.
pub(super) struct Converter<'a> {
    source: SourceId,
    /// The schema that references start from.
    root: &'a Value,
    /// Schemas being converted, with their levels.
    stack: Vec<(Span, u32)>,
    left: u32,
    fuel: Fuel,
    /// What was reported, so that a part behind several references is reported once.
    reported: HashSet<(&'static str, Span)>,
    /// The findings.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Converter<'a> {
    /// For the file `source`; `root` is the whole of it until a schema is asked for.
    pub(super) fn new(source: SourceId, root: &'a Value) -> Self {
        Self {
            source,
            root,
            stack: Vec::new(),
            left: MAX_SCHEMAS,
            fuel: Fuel::default(),
            reported: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// A place in the file.
    pub(super) fn at(&self, span: Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }

    /// Whether no more is reported.
    fn full(&self) -> bool {
        self.diagnostics.len() > MAX_FINDINGS
    }

    /// Reports something once a code and place.
    fn report(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: &str,
    ) {
        if self.full() || !self.reported.insert((code, span)) {
            return;
        }
        let severity = if code.starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        };
        let place = self.at(span);
        let mut diagnostic = Diagnostic::new(code, severity, message, place, label);
        if !help.is_empty() {
            diagnostic = diagnostic.with_help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    /// A keyword with a value that it cannot have.
    fn malformed(&mut self, member: &Member, wanted: &str, help: &str) {
        self.report(
            "E0306",
            member.value.span,
            format!(
                "`{}` is {wanted}, and here it is {}",
                member.key,
                member.value.describe()
            ),
            format!("not {wanted}"),
            help,
        );
    }

    /// The type of a whole schema, from which references start.
    pub(super) fn root_schema(&mut self, schema: &'a Value) -> Type {
        self.root = schema;
        self.stack.clear();
        self.dialect(schema);
        self.schema(schema, At::default())
    }

    /// The record of a tool's arguments.
    pub(super) fn arguments(&mut self, schema: &'a Value) -> Record {
        let ty = self.root_schema(schema);
        algebra::as_record(ty).unwrap_or_else(|ty| {
            self.report(
                "E0306",
                schema.head(),
                format!(
                    "the arguments of a tool are an object, and this schema is of {}",
                    describe(&ty)
                ),
                "not an object",
                "write `\"type\": \"object\"` with the arguments under `properties`",
            );
            Record {
                fields: Vec::new(),
                open: true,
            }
        })
    }

    fn dialect(&mut self, schema: &Value) {
        let Some(member) = schema.member("$schema") else {
            return;
        };
        let Some(dialect) = member.value.as_str() else {
            self.malformed(member, "the address of a dialect", "");
            return;
        };
        let name = dialect
            .trim_end_matches('#')
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        let known = [
            "json-schema.org/draft-04/schema",
            "json-schema.org/draft-06/schema",
            "json-schema.org/draft-07/schema",
            "json-schema.org/draft/2019-09/schema",
            "json-schema.org/draft/2020-12/schema",
            "json-schema.org/schema",
        ];
        if !known.contains(&name) {
            self.report(
                "W0302",
                member.value.span,
                format!("unknown dialect `{dialect}`: the schema is read as draft 2020-12"),
                "unknown dialect",
                "",
            );
        }
    }

    fn too_large(&mut self, span: Span, what: &str) -> Type {
        self.report(
            "E0310",
            span,
            what.to_owned(),
            "the limit is reached here",
            "a schema like this is a mistake of its generator, or hostile",
        );
        Type::Any
    }

    fn join(&mut self, types: Vec<Type>, span: Span) -> Type {
        match union(types) {
            Ok(ty) => ty,
            Err(_) => self.too_large(
                span,
                &format!("more than {} alternatives", algebra::MAX_ALTERNATIVES),
            ),
        }
    }

    fn meet(&mut self, types: Vec<Type>, span: Span) -> Type {
        match intersect_all(types, &mut self.fuel) {
            Ok(ty) => ty,
            Err(NoType::TooLarge) => self.too_large(span, "the parts of this schema multiply"),
            Err(NoType::Empty) => {
                self.report(
                    "W0303",
                    span,
                    "no value can meet all parts of this schema",
                    "read as any value",
                    "",
                );
                Type::Any
            }
        }
    }

    fn schema(&mut self, value: &'a Value, at: At) -> Type {
        if self.left == 0 {
            return self.too_large(
                self.root.head(),
                &format!("more than {MAX_SCHEMAS} schemas in one file, references followed"),
            );
        }
        self.left -= 1;
        if at.depth > MAX_SCHEMA_DEPTH {
            return self.too_large(
                value.head(),
                &format!("more than {MAX_SCHEMA_DEPTH} schemas inside each other"),
            );
        }
        match &value.kind {
            Kind::Bool(true) => Type::Any,
            Kind::Bool(false) => Type::Enum(Vec::new()),
            Kind::Record(_) => {
                self.stack.push((value.span, at.level));
                let ty = self.object_schema(value, at);
                self.stack.pop();
                ty
            }
            _ => {
                self.report(
                    "E0306",
                    value.span,
                    format!(
                        "a schema is an object or a boolean, and this is {}",
                        value.describe()
                    ),
                    "not a schema",
                    "",
                );
                Type::Any
            }
        }
    }

    /// Keywords that are nearly one of JSON Schema's: what they were to say is lost.
    fn unknown_keywords(&mut self, schema: &Value) {
        let Kind::Record(members) = &schema.kind else {
            return;
        };
        for member in members {
            let key = member.key.as_str();
            // Words of a generator's own, and what stands beside a schema (`writeOnly`, `strict`).
            if key.starts_with("x-")
                || ["writeOnly", "strict", "name", "xml"].contains(&key)
                || KEYWORDS.contains(&key)
                || NARROWING.contains(&key)
            {
                continue;
            }
            let Some(near) = nearest(key, KEYWORDS.iter().chain(&NARROWING).copied()) else {
                continue;
            };
            self.report(
                "W0306",
                member.key_span,
                format!("JSON Schema has no keyword `{key}`: what it says is left out"),
                "unknown keyword",
                &format!("did you mean `{near}`?"),
            );
        }
    }

    fn object_schema(&mut self, schema: &'a Value, at: At) -> Type {
        self.unknown_keywords(schema);
        for keyword in NARROWING {
            let Some(member) = schema.member(keyword) else {
                continue;
            };
            // `true` forbids nothing, and `dependencies` may be names alone.
            if matches!(member.value.kind, Kind::Bool(true)) {
                continue;
            }
            self.report(
                "W0301",
                member.key_span,
                format!(
                    "`{keyword}` is not understood: more values are accepted than the schema allows"
                ),
                "left out",
                "",
            );
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(member) = schema.member(keyword) {
                self.report(
                    "W0301",
                    member.key_span,
                    format!("`{keyword}` is not followed: any value is accepted here"),
                    "left out",
                    "write `$ref`",
                );
            }
        }
        let mut all = vec![self.base(schema, at)];
        if let Some(member) = schema.member("$ref") {
            all.push(self.reference(member, at));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(member) = schema.member(keyword) else {
                continue;
            };
            let Kind::List(parts) = &member.value.kind else {
                self.malformed(member, "a list of schemas", "");
                continue;
            };
            if parts.is_empty() {
                self.malformed(member, "a list of at least one schema", "");
                continue;
            }
            let mut types = Vec::with_capacity(parts.len().min(64));
            for part in parts {
                types.push(self.schema(part, at.part()));
            }
            if keyword == "allOf" {
                all.append(&mut types);
            } else {
                all.push(self.join(types, member.value.span));
            }
        }
        let ty = self.meet(all, schema.head());
        match schema.member("nullable") {
            Some(member) => match member.value.kind {
                Kind::Bool(true) => self.join(vec![ty, Type::Null], schema.span),
                Kind::Bool(false) => ty,
                _ => {
                    self.malformed(member, "`true` or `false`", "");
                    ty
                }
            },
            None => ty,
        }
    }

    fn reference(&mut self, member: &'a Member, at: At) -> Type {
        let span = member.value.span;
        let Some(text) = member.value.as_str() else {
            self.malformed(member, "a text such as `#/$defs/name`", "");
            return Type::Any;
        };
        if self.full() {
            return Type::Any;
        }
        let target = match reference::resolve(self.root, text) {
            Target::Found(target) => target,
            Target::Remote => {
                self.report(
                    "E0308",
                    span,
                    format!("`{text}` is in another document, and schemas are never fetched"),
                    "not in this document",
                    "copy the schema into `$defs` of this one and refer to it as `#/$defs/name`",
                );
                return Type::Any;
            }
            Target::Anchor => {
                self.report(
                    "E0309",
                    span,
                    format!("this schema has no anchor `{text}`"),
                    "not found",
                    "refer to the schema by its path, as in `#/$defs/name`",
                );
                return Type::Any;
            }
            Target::Missing { part, keys } => {
                let mut help = String::new();
                if let Some(near) = nearest(&part, keys.iter().copied()) {
                    help = format!("did you mean `{near}`?");
                }
                self.report(
                    "E0309",
                    span,
                    format!("`{text}` leads nowhere: there is no `{part}`"),
                    "not found",
                    &help,
                );
                return Type::Any;
            }
            Target::Malformed => {
                self.report(
                    "E0309",
                    span,
                    format!("`{text}` is no reference"),
                    "malformed",
                    "a reference is `#` or a path such as `#/$defs/name`, with `~1` for `/` and `~0` for `~`",
                );
                return Type::Any;
            }
        };
        if let Some((_, level)) = self.stack.iter().find(|(s, _)| *s == target.span) {
            if *level == at.level {
                self.report(
                    "E0309",
                    span,
                    format!("`{text}` leads back to itself"),
                    "says nothing",
                    "a schema may contain itself, in a property or as an item, but not be itself",
                );
            } else {
                self.report(
                    "W0300",
                    span,
                    format!("`{text}` contains itself: any value is accepted at this depth"),
                    "any value",
                    "",
                );
            }
            return Type::Any;
        }
        if at.hops >= MAX_REF_HOPS {
            return self.too_large(
                span,
                &format!("more than {MAX_REF_HOPS} references in a row"),
            );
        }
        // What is used often counts often, by its length: a description or an enumeration is copied.
        let size = (target.span.end - target.span.start) / BYTES_PER_SCHEMA;
        self.left = self.left.saturating_sub(size);
        self.schema(target, at.referred())
    }
}

/// The `description` of a schema.
pub(super) fn description(schema: &Value) -> Option<String> {
    schema
        .get("description")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// `a string`, for messages.
fn describe(ty: &Type) -> &'static str {
    match ty {
        Type::Any => "any type",
        Type::Null => "type null",
        Type::Bool => "type boolean",
        Type::Int(_) => "type integer",
        Type::Number(_) => "type number",
        Type::String | Type::Timestamp | Type::Duration => "type string",
        Type::Enum(_) => "an enumeration",
        Type::List(_) => "type array",
        Type::Map(_) | Type::Record(_) => "type object",
        Type::Union(_) => "several types",
    }
}
