//! What stands twice.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use ctr_grammar::Span;
use ctr_grammar::ast::{
    Attribute, Expr, ExprKind, FieldDecl, Item, ItemKind, Path, Type, TypeKind,
};

use super::super::scope::Src;
use super::super::{At, Checker, Read, text};
use super::literal::Literal;
use super::{removal, warning};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::Place;

/// The entries of a list that stand in it before: the entry's place in the list, and the first one's.
fn repeated<K: Eq + Hash>(keys: impl Iterator<Item = Option<K>>) -> Vec<(usize, usize)> {
    let mut first: HashMap<K, usize> = HashMap::new();
    let mut found = Vec::new();
    for (at, key) in keys.enumerate() {
        let Some(key) = key else { continue };
        match first.get(&key) {
            Some(before) => found.push((at, *before)),
            None => {
                first.insert(key, at);
            }
        }
    }
    found
}

impl<'a> Checker<'a> {
    /// Reports the entries of a list that stand in it before. `spans` are those of all entries; what
    /// separates them goes with the later one.
    fn repeated_entries(
        &mut self,
        code: &'static str,
        found: &[(usize, usize)],
        spans: &[Span],
        src: Src<'a>,
    ) {
        for (at, before) in found {
            let (Some(span), Some(first)) = (spans.get(*at), spans.get(*before)) else {
                continue;
            };
            let shown = text::fold(span.text(src.text));
            let mut diagnostic = warning(
                code,
                format!("`{shown}` stands twice"),
                *span,
                "again here",
                src,
            )
            .with_label(src.place(*first), "first here")
            .with_help("leave it out, or write what was meant instead");
            if let Some(previous) = at.checked_sub(1).and_then(|at| spans.get(at)) {
                diagnostic = diagnostic.with_fix(Fix {
                    title: format!("leave the second `{shown}` out"),
                    edits: vec![(src.place(Span::new(previous.end, span.end)), String::new())],
                    safe: true,
                });
            }
            self.diagnostics.push(diagnostic);
        }
    }

    /// Tools and groups that a selection or a group lists twice.
    pub(super) fn repeated_tools(&mut self, paths: &'a [Path], src: Src<'a>) {
        if paths.len() < 2 {
            return;
        }
        let key = |path: &'a Path| -> Option<Vec<&'a str>> {
            Some(path.parts.iter().map(|p| p.name.trim()).collect())
        };
        let found = repeated(paths.iter().map(key));
        let spans: Vec<Span> = paths.iter().map(|p| p.span).collect();
        self.repeated_entries("W0416", &found, &spans, src);
    }

    /// Values that a list in a condition holds twice.
    pub(super) fn repeated_values(&mut self, list: &'a Expr, src: Src<'a>) {
        let ExprKind::List(items) = &super::bare(list).kind else {
            return;
        };
        let found = repeated(items.iter().map(Literal::of));
        let spans: Vec<Span> = items.iter().map(|i| i.span).collect();
        self.repeated_entries("W0417", &found, &spans, src);
    }

    /// Values that stand twice in the arguments of an attribute.
    pub(super) fn repeated_in_attributes(&mut self, attributes: &'a [Attribute], src: Src<'a>) {
        for attribute in attributes {
            if !matches!(attribute.name.name.as_str(), "tags" | "agents") {
                continue;
            }
            let found = repeated(attribute.args.iter().map(|arg| match &arg.kind {
                ExprKind::Name(name) => Some(name.name.as_str()),
                ExprKind::Str(text) => Some(text.as_str()),
                _ => None,
            }));
            let spans: Vec<Span> = attribute.args.iter().map(|a| a.span).collect();
            self.repeated_entries("W0417", &found, &spans, src);
        }
    }

    /// Values that stand twice in the types of fields.
    pub(super) fn repeated_in_fields(&mut self, fields: &'a [FieldDecl], src: Src<'a>) {
        for field in fields {
            self.repeated_in_type(&field.ty, src);
        }
    }

    /// Values that an `enum` lists twice.
    pub(super) fn repeated_in_type(&mut self, ty: &'a Type, src: Src<'a>) {
        match &ty.kind {
            TypeKind::Enum(values) => {
                let found = repeated(values.iter().map(|v| Some(v.value.as_str())));
                let spans: Vec<Span> = values.iter().map(|v| v.span).collect();
                self.repeated_entries("W0417", &found, &spans, src);
            }
            TypeKind::List(element) | TypeKind::Map(element) => {
                self.repeated_in_type(element, src);
            }
            TypeKind::Record(fields) => self.repeated_in_fields(fields, src),
            TypeKind::Union(types) => {
                for ty in types {
                    self.repeated_in_type(ty, src);
                }
            }
            TypeKind::Name(_) | TypeKind::Error => {}
        }
    }

    /// Files that one file imports, includes or reads tools from twice.
    pub(super) fn repeated_files(&mut self, index: usize) {
        let graph = self.graph;
        let Some(unit) = graph.units.get(index) else {
            return;
        };
        let src = self.src(index);
        let mut lines: Vec<(Span, bool, &str)> = Vec::new();
        let imports = repeated(unit.imports.iter().map(|i| Some(i.unit)));
        for (at, before) in imports {
            if let (Some(second), Some(first)) = (unit.imports.get(at), unit.imports.get(before)) {
                let diagnostic = warning(
                    "W0418",
                    format!("`{}` and `{}` are the same file", first.alias, second.alias),
                    second.span,
                    "imported again",
                    src,
                )
                .with_label(src.place(first.span), "imported here")
                .with_help(format!("use `{}` for both", first.alias));
                self.diagnostics.push(diagnostic);
            }
        }
        for (at, include) in unit.includes.iter().enumerate() {
            let earlier = unit.includes.iter().take(at).find(|other| {
                other.unit == include.unit
                    && match (&other.only, &include.only) {
                        (None, _) => true,
                        (Some(had), Some(wanted)) => wanted
                            .iter()
                            .all(|name| had.iter().any(|h| h.name == name.name)),
                        (Some(_), None) => false,
                    }
            });
            if let Some(earlier) = earlier {
                let diagnostic = warning(
                    "W0418",
                    "the file is included already",
                    include.span,
                    "included again",
                    src,
                )
                .with_label(src.place(earlier.span), "included here")
                .with_help("leave it out: a file is loaded once")
                .with_fix(removal("leave the line out", include.span, src, true));
                self.diagnostics.push(diagnostic);
            }
            if let Some(only) = &include.only {
                let found = repeated(only.iter().map(|n| Some(n.name.as_str())));
                let spans: Vec<Span> = only.iter().map(|n| n.span).collect();
                self.repeated_entries("W0418", &found, &spans, src);
            }
        }
        for item in &unit.file.items {
            if let ItemKind::ToolsFrom(tools) = &item.kind {
                let server = tools.server.as_ref().map_or("", |s| s.name.as_str());
                let same = |(span, with, path): &(Span, bool, &str)| {
                    *with == tools.server.is_some()
                        && *path == tools.file.value
                        && unit.file.items.iter().any(|other| {
                            other.span == *span
                                && matches!(&other.kind, ItemKind::ToolsFrom(t)
                                    if t.server.as_ref().map_or("", |s| s.name.as_str()) == server)
                        })
                };
                if let Some((first, ..)) = lines.iter().find(|line| same(line)) {
                    let diagnostic = warning(
                        "W0418",
                        format!("the tools of `{}` are read already", tools.file.value),
                        item.span,
                        "read again",
                        src,
                    )
                    .with_label(src.place(*first), "read here")
                    .with_help("leave it out")
                    .with_fix(removal(
                        "leave the line out",
                        item.span,
                        src,
                        true,
                    ));
                    self.diagnostics.push(diagnostic);
                }
                lines.push((item.span, tools.server.is_some(), &tools.file.value));
            }
        }
    }

    /// Tests of one file with the same name and limits.
    pub(super) fn equal_tests(&mut self, items: &'a [Item], src: Src<'a>) {
        let mut first: HashMap<(&str, Vec<&str>), Span> = HashMap::new();
        for item in items {
            let ItemKind::Test(test) = &item.kind else {
                continue;
            };
            // What a test is limited to is part of its heading.
            let limits = test.contracts.iter().flat_map(|path| path.parts.last());
            let heading = (
                test.name.value.as_str(),
                limits.map(|name| name.name.as_str()).collect(),
            );
            match first.get(&heading) {
                Some(before) => {
                    let diagnostic = warning(
                        "W0419",
                        format!("two tests are called `{}`", test.name.value),
                        test.name.span,
                        "this one",
                        src,
                    )
                    .with_label(src.place(*before), "and this one")
                    .with_help("say of each what it shows: reports name tests by this text alone");
                    self.diagnostics.push(diagnostic);
                }
                None => {
                    first.insert(heading, test.name.span);
                }
            }
        }
    }

    /// Contracts with the same `@id`.
    pub(super) fn equal_ids(&mut self, loaded: &[At], contracts: &[Read]) {
        let mut first: BTreeMap<&str, Place> = BTreeMap::new();
        for (at, contract) in loaded.iter().zip(contracts) {
            let Some((id, place)) = contract.id.as_deref().zip(self.id_place(*at)) else {
                continue;
            };
            match first.get(id) {
                Some(before) => {
                    let diagnostic = Diagnostic::warning(
                        "W0409",
                        format!("two contracts have the id `{id}`"),
                        place,
                        "this one",
                    )
                    .with_label(*before, "and this one")
                    .with_help("an id names one rule: give each contract its own");
                    self.diagnostics.push(diagnostic);
                }
                None => {
                    first.insert(id, place);
                }
            }
        }
    }

    /// Where a contract's `@id` stands.
    fn id_place(&self, at: At) -> Option<Place> {
        let unit = self.graph.units.get(at.unit)?;
        let item = unit.file.items.get(at.item)?;
        let attribute = item.attributes.iter().find(|a| a.name.name == "id")?;
        Some(Place {
            source: unit.source,
            span: attribute.span,
        })
    }
}
