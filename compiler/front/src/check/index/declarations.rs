//! What a file declares.

use std::collections::HashMap;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, ItemKind, TypeKind};

use super::super::names::normal_tool;
use super::{Builder, ELEMENT, Identity, full_name};
use crate::ir::{Json, Place, SourceId};
use crate::load::Unit;
use crate::schema::places::{Node, ToolOutline};
use crate::symbols::SymbolKind;
use crate::types::{Record, Type};

impl<'a> Builder<'a> {
    pub(super) fn declarations(
        &mut self,
        unit: &'a Unit,
        outlines: &HashMap<Place, ToolOutline<'_>>,
    ) {
        for tool in &unit.tools {
            let symbol = self.tool(tool.server.as_deref(), &tool.name);
            self.define(tool.place, symbol);
            self.edit(symbol, |symbol| {
                symbol.doc.clone_from(&tool.description);
                symbol.ty = Some(tool.result.clone());
            });
            let owner = full_name(tool.server.as_deref(), &tool.name);
            let outline = outlines.get(&tool.place);
            let source = tool.place.source;
            self.fields(
                SymbolKind::Argument,
                &owner,
                &mut Vec::new(),
                &tool.params,
                &Schema::new(source, outline.map(ToolOutline::arguments)),
            );
            self.inner(
                SymbolKind::ResultField,
                &owner,
                &mut Vec::new(),
                &tool.result,
                &Schema::new(source, outline.map(ToolOutline::result)),
            );
        }
        for item in &unit.file.items {
            let doc = item.doc.as_ref();
            match &item.kind {
                ItemKind::Import(import) => {
                    let alias = import.alias.as_ref().or(match &import.target {
                        ast::ModuleRef::Name(path) => path.parts.last(),
                        ast::ModuleRef::File(_) => None,
                    });
                    if let Some(alias) = alias {
                        self.declare(SymbolKind::Module, alias, None);
                    }
                }
                ItemKind::Tool(tool) => {
                    let (server, name) = match tool.name.parts.as_slice() {
                        [name] => (None, name),
                        [server, name] => (Some(server.name.trim()), name),
                        _ => continue,
                    };
                    let (server, name) = normal_tool(server, &name.name);
                    // A tool written without a server refines that of a file.
                    let known = self.names.units.get(self.unit).and_then(|unit| {
                        unit.tools
                            .iter()
                            .find(|t| t.name == name && (server.is_none() || t.server == server))
                    });
                    let server = known.map_or(server, |t| t.server.clone());
                    let symbol = self.tool(server.as_deref(), &name);
                    self.define(self.place(tool.name.span), symbol);
                    self.edit(symbol, |symbol| {
                        if symbol.doc.is_none() {
                            symbol.doc = doc.cloned();
                        }
                    });
                    let owner = full_name(server.as_deref(), &name);
                    self.field_decls(SymbolKind::Argument, &owner, &mut Vec::new(), &tool.params);
                    if let Some(result) = &tool.result {
                        self.inner_decls(SymbolKind::ResultField, &owner, &mut Vec::new(), result);
                    }
                    self.refined(symbol, server.as_deref(), &name, &owner);
                }
                ItemKind::Group(group) => {
                    self.declare(SymbolKind::Group, &group.name, doc);
                }
                ItemKind::Event(event) => {
                    self.declare(SymbolKind::Event, &event.name, doc);
                    let owner = event.name.name.clone();
                    self.field_decls(
                        SymbolKind::EventField,
                        &owner,
                        &mut Vec::new(),
                        &event.fields,
                    );
                    if let Some(sym) = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.events.get(event.name.name.as_str()))
                        && let Type::Record(record) = &sym.fields
                    {
                        let nowhere = Schema::new(self.source, None);
                        self.fields(
                            SymbolKind::EventField,
                            &owner,
                            &mut Vec::new(),
                            record,
                            &nowhere,
                        );
                    }
                }
                ItemKind::Context(context) => {
                    let symbol = self.declare(SymbolKind::Context, &context.name, doc);
                    let ty = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.contexts.get(context.name.name.as_str()))
                        .cloned();
                    self.edit(symbol, |symbol| symbol.ty = ty);
                    self.written(symbol, &context.ty);
                }
                ItemKind::Lookup(lookup) => {
                    let symbol = self.declare(SymbolKind::Lookup, &lookup.name, doc);
                    let ty = self
                        .names
                        .units
                        .get(self.unit)
                        .and_then(|u| u.lookups.get(lookup.name.name.as_str()))
                        .map(|l| l.result.clone());
                    self.edit(symbol, |symbol| symbol.ty = ty);
                    self.written(symbol, &lookup.result);
                }
                ItemKind::Predicate(predicate) => {
                    self.declare(SymbolKind::Predicate, &predicate.name, doc);
                }
                ItemKind::Contract(contract) => {
                    self.declare(SymbolKind::Contract, &contract.name, doc);
                }
                ItemKind::Module(_)
                | ItemKind::Include(_)
                | ItemKind::ToolsFrom(_)
                | ItemKind::Test(_)
                | ItemKind::Error => {}
            }
        }
    }

    pub(super) fn tool(&mut self, server: Option<&str>, name: &str) -> usize {
        let identity = Identity::Tool(server.map(str::to_owned), name.to_owned());
        self.symbol(identity, SymbolKind::Tool, name)
    }

    /// The types of the fields of a tool that is declared by hand, with what a file says of it.
    fn refined(&mut self, symbol: usize, server: Option<&str>, name: &str, owner: &str) {
        let names = self.names;
        let known = names.units.get(self.unit).and_then(|unit| {
            unit.tools
                .iter()
                .find(|tool| tool.name == name && tool.server.as_deref() == server)
        });
        let Some(tool) = known else { return };
        let result = tool.result.clone();
        self.edit(symbol, |symbol| symbol.ty = Some(result));
        let nowhere = Schema::new(self.source, None);
        for (kind, ty) in [
            (SymbolKind::Argument, &tool.args),
            (SymbolKind::ResultField, &tool.result),
        ] {
            self.inner(kind, owner, &mut Vec::new(), ty, &nowhere);
        }
    }

    /// Declared types of fields, and where a schema says them.
    fn fields(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        record: &Record,
        schema: &Schema<'_>,
    ) {
        for field in &record.fields {
            way.push(field.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), way.clone());
            let symbol = self.symbol(identity, kind, &field.name);
            let (keys, node) = schema.node.property(&field.name);
            for place in schema.places(keys) {
                self.define(place, symbol);
            }
            let types = schema.places(node.types());
            let deprecated = node.is_deprecated();
            self.edit(symbol, |symbol| {
                symbol.ty = Some(field.ty.clone());
                symbol.optional = field.optional;
                if symbol.doc.is_none() {
                    symbol.doc.clone_from(&field.description);
                }
                for place in types {
                    if !symbol.type_places.contains(&place) {
                        symbol.type_places.push(place);
                    }
                }
                symbol.deprecated |= deprecated;
            });
            let schema = Schema {
                source: schema.source,
                node,
            };
            self.allowed(symbol, &field.ty, &schema);
            self.inner(kind, owner, way, &field.ty, &schema);
            way.pop();
        }
    }

    /// The fields of a field's type, also where it is a list or may be null.
    fn inner(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        ty: &Type,
        schema: &Schema<'_>,
    ) {
        match ty {
            Type::Record(record) => self.fields(kind, owner, way, record, schema),
            Type::List(inner) => {
                way.push(ELEMENT.to_owned());
                let schema = Schema {
                    source: schema.source,
                    node: schema.node.elements(),
                };
                self.inner(kind, owner, way, inner, &schema);
                way.pop();
            }
            Type::Union(types) => {
                for ty in types {
                    self.inner(kind, owner, way, ty, schema);
                }
            }
            _ => {}
        }
    }

    /// The values of an enumeration, and where a schema says them.
    fn allowed(&mut self, symbol: usize, ty: &Type, schema: &Schema<'_>) {
        match ty {
            Type::Enum(values) => {
                for value in values {
                    let Json::Str(text) = value else { continue };
                    let known = self.value(symbol, text);
                    for place in schema.places(schema.node.allowed(text)) {
                        self.define(place, known);
                    }
                }
            }
            Type::List(inner) => {
                let schema = Schema {
                    source: schema.source,
                    node: schema.node.elements(),
                };
                self.allowed(symbol, inner, &schema);
            }
            Type::Union(types) => {
                for ty in types {
                    self.allowed(symbol, ty, schema);
                }
            }
            _ => {}
        }
    }

    /// A value of the enumeration of a field.
    fn value(&mut self, field: usize, text: &str) -> usize {
        let identity = Identity::Value(field, text.to_owned());
        self.symbol(identity, SymbolKind::EnumValue, text)
    }

    /// The places of fields that are declared in a policy.
    fn field_decls(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        fields: &[ast::FieldDecl],
    ) {
        for field in fields {
            way.push(field.name.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), way.clone());
            let symbol = self.symbol(identity, kind, &field.name.name);
            self.define(self.place(field.name.span), symbol);
            self.written(symbol, &field.ty);
            self.inner_decls(kind, owner, way, &field.ty);
            way.pop();
        }
    }

    fn inner_decls(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        ty: &ast::Type,
    ) {
        match &ty.kind {
            TypeKind::Record(fields) => self.field_decls(kind, owner, way, fields),
            TypeKind::List(inner) => {
                way.push(ELEMENT.to_owned());
                self.inner_decls(kind, owner, way, inner);
                way.pop();
            }
            TypeKind::Union(types) => {
                for ty in types {
                    self.inner_decls(kind, owner, way, ty);
                }
            }
            _ => {}
        }
    }

    /// Where the type of a symbol is written in a policy, and the values of its enumeration.
    fn written(&mut self, symbol: usize, ty: &ast::Type) {
        let place = self.place(ty.span);
        self.edit(symbol, |symbol| {
            if !symbol.type_places.contains(&place) {
                symbol.type_places.push(place);
            }
        });
        let mut rest = vec![ty];
        while let Some(ty) = rest.pop() {
            match &ty.kind {
                TypeKind::Enum(values) => {
                    for value in values {
                        let known = self.value(symbol, &value.value);
                        self.define(self.place(value.span), known);
                    }
                }
                TypeKind::List(inner) => rest.push(inner),
                TypeKind::Union(types) => rest.extend(types),
                _ => {}
            }
        }
    }
}

/// The schemas of a field in a file of tools.
struct Schema<'s> {
    source: SourceId,
    node: Node<'s>,
}

impl<'s> Schema<'s> {
    fn new(source: SourceId, node: Option<Node<'s>>) -> Self {
        Self {
            source,
            node: node.unwrap_or_default(),
        }
    }

    fn places(&self, spans: Vec<Span>) -> Vec<Place> {
        let source = self.source;
        spans
            .into_iter()
            .map(|span| Place { source, span })
            .collect()
    }
}
