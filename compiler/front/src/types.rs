//! Types of fields and values (language reference, section 7), and the tools that bring them.

use crate::ir::{Json, Place};

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Anything: nothing is known.
    Any,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int(Range),
    /// `number`
    Number(Range),
    /// `string`
    String,
    /// `timestamp`
    Timestamp,
    /// `duration`
    Duration,
    /// One of some values (strings in policies; JSON Schema has any).
    Enum(Vec<Json>),
    /// `list<T>`
    List(Box<Type>),
    /// `map<T>`: a record with any field names.
    Map(Box<Type>),
    /// A record.
    Record(Record),
    /// One of several.
    Union(Vec<Type>),
}

/// Bounds of a number, as JSON number texts, inclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Least.
    pub min: Option<String>,
    /// Greatest.
    pub max: Option<String>,
}

/// A record type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its declared fields, in order.
    pub fields: Vec<Field>,
    /// Whether it may have others.
    pub open: bool,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be missing.
    pub optional: bool,
    /// What the schema says of it.
    pub description: Option<String>,
}

/// What MCP annotations say of a tool (`tools where ...`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `destructiveHint`
    pub destructive: Option<bool>,
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `idempotentHint`
    pub idempotent: Option<bool>,
    /// `openWorldHint`
    pub open_world: Option<bool>,
}

/// A declared tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDecl {
    /// Its server, where declared.
    pub server: Option<String>,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The type of its arguments.
    pub params: Record,
    /// The type of its result; [`Type::Any`] where not declared.
    pub result: Type,
    /// Its annotations.
    pub annotations: Annotations,
    /// Where it is declared (in the policy or in the JSON file).
    pub place: Place,
}
