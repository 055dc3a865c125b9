//! Declared types.

use ctr_grammar::ast::{self, FieldDecl, TypeKind};

use super::typing;
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Json, Place, SourceId};
use crate::suggest::nearest;
use crate::types::{Field, Record, Type};

/// The names of types.
const TYPES: [&str; 8] = [
    "string",
    "int",
    "number",
    "bool",
    "timestamp",
    "duration",
    "null",
    "any",
];

/// Reads declared types; reports what is wrong with them.
pub(super) struct Types<'d> {
    /// The file.
    pub(super) source: SourceId,
    /// The findings.
    pub(super) diagnostics: &'d mut Vec<Diagnostic>,
}

impl Types<'_> {
    fn place(&self, span: ctr_grammar::Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }

    /// The type that is written.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> Type {
        match &ty.kind {
            TypeKind::Name(name) => self.named(ty, name),
            TypeKind::Enum(values) => {
                let mut all: Vec<Json> = Vec::new();
                for value in values {
                    let value = Json::Str(value.value.clone());
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
                Type::Enum(all)
            }
            TypeKind::List(element) => Type::List(Box::new(self.ty(element))),
            TypeKind::Map(element) => Type::Map(Box::new(self.ty(element))),
            TypeKind::Record(fields) => Type::Record(self.record(fields)),
            TypeKind::Union(types) => {
                let types: Vec<Type> = types.iter().map(|t| self.ty(t)).collect();
                typing::union(types)
            }
            TypeKind::Error => Type::Any,
        }
    }

    fn named(&mut self, ty: &ast::Type, name: &str) -> Type {
        match name {
            "string" => Type::String,
            "int" => typing::int(),
            "number" => typing::number(),
            "bool" => Type::Bool,
            "timestamp" => Type::Timestamp,
            "duration" => Type::Duration,
            "null" => Type::Null,
            "any" => Type::Any,
            "event" => {
                let place = self.place(ty.span);
                self.diagnostics.push(
                    Diagnostic::error(
                        "E0517",
                        "`event` is the type of a predicate's parameter alone",
                        place,
                        "no type of a value",
                    )
                    .with_help("a value's type is one of string, int, number, bool, timestamp, duration, null, any, enum(...), list<T>, map<T> and { field: T }"),
                );
                Type::Any
            }
            _ => {
                let place = self.place(ty.span);
                let mut diagnostic = Diagnostic::error(
                    "E0517",
                    format!("there is no type `{name}`"),
                    place,
                    "unknown type",
                );
                let guess = match name {
                    "str" | "text" | "String" => Some("string"),
                    "integer" | "Integer" => Some("int"),
                    "boolean" | "Boolean" => Some("bool"),
                    "float" | "double" | "decimal" => Some("number"),
                    _ => nearest(name, TYPES),
                };
                diagnostic = match guess {
                    Some(guess) => diagnostic
                        .with_help(format!("did you mean `{guess}`?"))
                        .with_fix(Fix {
                            title: format!("write `{guess}`"),
                            edits: vec![(place, guess.to_owned())],
                            safe: false,
                        }),
                    None => diagnostic.with_help(format!(
                        "types are `{}`, `enum(\"a\", \"b\")`, `list<T>`, `map<T>`, `{{ field: T }}` and `T | U`",
                        TYPES.join("`, `")
                    )),
                };
                self.diagnostics.push(diagnostic);
                Type::Any
            }
        }
    }

    /// The record of the fields; a field that stands twice is reported.
    pub(super) fn record(&mut self, fields: &[FieldDecl]) -> Record {
        let mut record = Record::default();
        for field in fields {
            let ty = self.ty(&field.ty);
            if record.fields.iter().any(|f| f.name == field.name.name) {
                let first = fields
                    .iter()
                    .find(|f| f.name.name == field.name.name)
                    .map(|f| self.place(f.name.span));
                let mut diagnostic = Diagnostic::error(
                    "E0404",
                    format!("the field `{}` is declared twice", field.name.name),
                    self.place(field.name.span),
                    "again here",
                );
                if let Some(first) = first {
                    diagnostic = diagnostic.with_label(first, "first here");
                }
                self.diagnostics.push(diagnostic);
                continue;
            }
            record.fields.push(Field {
                name: field.name.name.clone(),
                ty,
                optional: field.optional,
                description: None,
            });
        }
        record
    }
}
