//! What a file declares.

use ctr_grammar::ast::{self, ItemKind, TypeKind};

use super::super::names::normal_tool;
use super::{Builder, Identity, full_name};
use crate::load::Unit;
use crate::symbols::SymbolKind;
use crate::types::{Record, Type};

impl<'a> Builder<'a> {
    pub(super) fn declarations(&mut self, unit: &'a Unit) {
        for tool in &unit.tools {
            let symbol = self.tool(tool.server.as_deref(), &tool.name);
            self.define(tool.place, symbol);
            self.edit(symbol, |symbol| {
                symbol.doc.clone_from(&tool.description);
                symbol.ty = Some(tool.result.clone());
            });
            let owner = full_name(tool.server.as_deref(), &tool.name);
            self.fields(SymbolKind::Argument, &owner, &mut Vec::new(), &tool.params);
            if let Type::Record(record) = &tool.result {
                self.fields(SymbolKind::ResultField, &owner, &mut Vec::new(), record);
            }
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
                    let merged = known.map(|t| (t.args.clone(), t.result.clone()));
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
                    if let Some(TypeKind::Record(fields)) = tool.result.as_ref().map(|t| &t.kind) {
                        self.field_decls(SymbolKind::ResultField, &owner, &mut Vec::new(), fields);
                    }
                    if let Some((args, result)) = merged {
                        if let Type::Record(record) = &args {
                            self.fields(SymbolKind::Argument, &owner, &mut Vec::new(), record);
                        }
                        if let Type::Record(record) = &result {
                            self.fields(SymbolKind::ResultField, &owner, &mut Vec::new(), record);
                        }
                        self.edit(symbol, |symbol| symbol.ty = Some(result));
                    }
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
                        self.fields(SymbolKind::EventField, &owner, &mut Vec::new(), record);
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

    /// Declared types of fields.
    pub(super) fn fields(
        &mut self,
        kind: SymbolKind,
        owner: &str,
        way: &mut Vec<String>,
        record: &Record,
    ) {
        for field in &record.fields {
            way.push(field.name.clone());
            let identity = Identity::Field(kind, owner.to_owned(), way.clone());
            let symbol = self.symbol(identity, kind, &field.name);
            self.edit(symbol, |symbol| {
                symbol.ty = Some(field.ty.clone());
                symbol.optional = field.optional;
                if symbol.doc.is_none() {
                    symbol.doc.clone_from(&field.description);
                }
            });
            if let Type::Record(inner) = &field.ty {
                self.fields(kind, owner, way, inner);
            }
            way.pop();
        }
    }

    /// The places of fields that are declared in a policy.
    pub(super) fn field_decls(
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
            if let TypeKind::Record(inner) = &field.ty.kind {
                self.field_decls(kind, owner, way, inner);
            }
            way.pop();
        }
    }
}
