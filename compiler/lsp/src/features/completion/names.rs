//! The names that fit at a place.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::SourceId;
use ctr_front::load::Unit;
use ctr_front::symbols::{Symbol, SymbolKind, Symbols};
use ctr_front::types::Type;
use ctr_grammar::ast::{GroupMembers, ItemKind};
use ctr_grammar::keywords::{KEYWORDS, KeywordKind};
use ctr_grammar::meanings::{WordKind, word_of, words_of};
use ctr_grammar::{Completion, Span, Wanted};
use lsp_types::CompletionItemKind;

use super::list::{Doc, List, plain};
use crate::documents::Document;
use crate::features::codes;
use crate::features::hover::types;
use crate::snapshot::{Analysis, Snapshot};

/// A symbol and its number.
pub(super) type Numbered<'a> = (usize, &'a Symbol);

pub(super) struct Names<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) document: &'a Document,
    pub(super) analysis: &'a Analysis,
    symbols: &'a Symbols,
    offset: u32,
    pub(super) found: &'a Completion,
    source: Option<SourceId>,
    pub(super) unit: Option<&'a Unit>,
    /// The texts whose tools, context and the like the file can name.
    near: BTreeSet<SourceId>,
    /// What is named in the file anywhere but at the place itself.
    mentioned: BTreeSet<usize>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        document: &'a Document,
        analysis: &'a Analysis,
        offset: u32,
        found: &'a Completion,
    ) -> Self {
        let graph = &analysis.compiled.graph;
        let symbols = analysis.symbols();
        let source = analysis.source_of(document);
        let unit = graph.units.iter().find(|unit| Some(unit.source) == source);
        let mut near = BTreeSet::new();
        let imported = unit
            .into_iter()
            .flat_map(|unit| &unit.imports)
            .filter_map(|import| graph.unit(import.unit));
        for unit in unit.into_iter().chain(imported) {
            near.insert(unit.source);
            near.extend(unit.tools.iter().map(|tool| tool.place.source));
        }
        let here = |span: Span| span.start <= found.whole.end && found.whole.start <= span.end;
        let mentioned = symbols
            .mentions
            .iter()
            .filter(|m| Some(m.place.source) == source && !here(m.place.span))
            .map(|m| m.symbol)
            .collect();
        Self {
            snapshot,
            document,
            analysis,
            symbols,
            offset,
            found,
            source,
            unit,
            near,
            mentioned,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Numbered<'a>> + use<'a> {
        self.symbols.symbols.iter().enumerate()
    }

    pub(super) fn of(&self, kind: SymbolKind) -> impl Iterator<Item = Numbered<'a>> + use<'a> {
        self.all().filter(move |(_, s)| s.kind == kind)
    }

    fn declared_in(&self, symbol: &Symbol, sources: &BTreeSet<SourceId>) -> bool {
        symbol
            .definitions
            .iter()
            .any(|place| sources.contains(&place.source))
    }

    pub(super) fn near(
        &self,
        kind: SymbolKind,
    ) -> impl Iterator<Item = Numbered<'a>> + use<'a, '_> {
        self.of(kind)
            .filter(|(_, symbol)| self.declared_in(symbol, &self.near))
    }

    pub(super) fn here(&self, kind: SymbolKind) -> impl Iterator<Item = Numbered<'a>> + use<'a> {
        let source = self.source;
        self.of(kind).filter(move |(_, symbol)| {
            symbol
                .definitions
                .iter()
                .any(|place| Some(place.source) == source)
        })
    }

    /// What stands right behind the word.
    pub(super) fn follows(&self, mark: char) -> bool {
        let after = self.document.text.get(self.found.whole.end as usize..);
        after.is_some_and(|text| text.trim_start_matches(' ').starts_with(mark))
    }

    pub(super) fn fill(&self, wanted: &Wanted, list: &mut List<'_>) {
        match wanted {
            Wanted::New => {}
            Wanted::Tool => {
                for (index, symbol) in self.near(SymbolKind::Group) {
                    if self.here(SymbolKind::Group).any(|(i, _)| i == index) {
                        list.symbol(index, symbol);
                    }
                }
                self.tools(list, false);
                for (index, symbol) in self.here(SymbolKind::Module) {
                    if self.has_tools(&symbol.name) {
                        list.symbol(index, symbol);
                    }
                }
            }
            Wanted::OneTool => self.tools(list, true),
            Wanted::ToolOf(way) => self.tools_of(way, list),
            Wanted::Type(event) => type_names(*event, list),
            Wanted::Attribute => list.words(WordKind::Attribute, CompletionItemKind::PROPERTY),
            Wanted::Severity => list.words(WordKind::Severity, CompletionItemKind::ENUM_MEMBER),
            Wanted::Annotation => {
                list.words(WordKind::Annotation, CompletionItemKind::ENUM_MEMBER);
            }
            Wanted::Outcome => {
                let of_end = |name: &str| matches!(name, "pending" | "satisfied");
                let kind = CompletionItemKind::ENUM_MEMBER;
                // What a session ends with is expected of no other step.
                for word in words_of(WordKind::Outcome).filter(|w| of_end(w.name)) {
                    if self.found.ends {
                        list.meaning(word, kind);
                    }
                }
                for word in words_of(WordKind::Outcome).filter(|w| !of_end(w.name)) {
                    list.meaning(word, kind);
                }
            }
            Wanted::Fact => {
                for word in words_of(WordKind::Fact) {
                    let text = if self.follows('=') {
                        word.name.to_owned()
                    } else {
                        format!("{} = ", word.name)
                    };
                    list.text(
                        word.name,
                        &text,
                        CompletionItemKind::FIELD,
                        word.gives,
                        Doc::Word(word.kind, word.name),
                    );
                }
            }
            Wanted::Contract => self.contracts(list),
            Wanted::Included => self.included(list),
            Wanted::Context => {
                for (index, symbol) in self.near(SymbolKind::Context) {
                    list.symbol(index, symbol);
                }
            }
            Wanted::Lookup => {
                for (index, symbol) in self.near(SymbolKind::Lookup) {
                    list.symbol(index, symbol);
                }
            }
            Wanted::Event => {
                for (index, symbol) in self.near(SymbolKind::Event) {
                    let name = list.name(&symbol.name);
                    if self.follows('(') {
                        list.symbol_as(index, symbol, &name);
                    } else {
                        let snippet = format!("{}($1)$0", escaped(&name));
                        list.symbol_snippet(index, symbol, &snippet, &format!("{name}()"));
                    }
                }
            }
            Wanted::Argument(tool, way) => {
                let owners = self.owners(std::slice::from_ref(tool));
                self.given(
                    &[SymbolKind::Argument, SymbolKind::EventField],
                    &owners,
                    way,
                    list,
                );
            }
            Wanted::Result(tool, way) => {
                let owners = self.owners(std::slice::from_ref(tool));
                self.given(&[SymbolKind::ResultField], &owners, way, list);
            }
            Wanted::Part(way) => self.part(way, list),
            Wanted::Module => self.library_modules(list),
            Wanted::File(schema) => self.files(*schema, list),
            Wanted::Code(given) => self.codes(given, list),
            Wanted::Allow(word) => allow(word, list),
            Wanted::Literal => {
                if let Some(ty) = self.expected() {
                    self.constants(&ty, list);
                }
            }
            Wanted::Value => self.value(list),
        }
    }

    /// The tools that the file can name; with their required arguments where a call is written out.
    fn tools(&self, list: &mut List<'_>, with_arguments: bool) {
        let mut declared: Vec<Numbered<'a>> = self.near(SymbolKind::Tool).collect();
        if declared.is_empty() {
            // Without declarations those that are named are known.
            declared = self
                .of(SymbolKind::Tool)
                .filter(|(index, _)| self.mentioned.contains(index))
                .collect();
        }
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, symbol) in &declared {
            *count.entry(symbol.name.as_str()).or_default() += 1;
        }
        for (index, symbol) in declared {
            let several = count.get(symbol.name.as_str()).is_some_and(|n| *n > 1);
            let server = self.server(symbol).filter(|_| several);
            let name = match &server {
                Some(server) => format!("{}.{}", plain(server), plain(&symbol.name)),
                None => list.name(&symbol.name),
            };
            if with_arguments && !self.follows('(') {
                let (snippet, text) = self.call(symbol, &name);
                list.symbol_snippet(index, symbol, &snippet, &text);
            } else if server.is_some() {
                list.text(
                    &name,
                    &name,
                    CompletionItemKind::INTERFACE,
                    "",
                    Doc::Symbol(index, symbol),
                );
            } else {
                list.symbol_as(index, symbol, &name);
            }
        }
    }

    /// `tool(field: value)`, as a snippet and as plain text.
    fn call(&self, tool: &Symbol, name: &str) -> (String, String) {
        let owner = match self.server(tool) {
            Some(server) => format!("{server}.{}", tool.name),
            None => tool.name.clone(),
        };
        let mut snippet = Vec::new();
        let mut text = Vec::new();
        let fields = self.fields(SymbolKind::Argument, &[owner], &[]);
        for (_, field) in fields.into_iter().filter(|(_, f)| !f.optional) {
            let value = field.ty.as_ref().map_or("null".to_owned(), example);
            let field = plain(&field.name);
            snippet.push(format!(
                "{}: ${{{}:{}}}",
                escaped(&field),
                snippet.len() + 1,
                escaped(&value)
            ));
            text.push(format!("{field}: {value}"));
        }
        (
            format!("{}({})$0", escaped(name), snippet.join(", ")),
            format!("{name}({})", text.join(", ")),
        )
    }

    /// The server of a tool, where it is declared with one.
    fn server(&self, tool: &Symbol) -> Option<String> {
        let units = &self.analysis.compiled.graph.units;
        let listed = units
            .iter()
            .flat_map(|unit| &unit.tools)
            .find(|t| tool.definitions.contains(&t.place));
        if let Some(listed) = listed {
            return listed.server.clone();
        }
        units.iter().find_map(|unit| {
            unit.file.items.iter().find_map(|item| match &item.kind {
                ItemKind::Tool(t) => match t.name.parts.as_slice() {
                    [server, _]
                        if tool
                            .definitions
                            .iter()
                            .any(|p| p.source == unit.source && p.span == t.name.span) =>
                    {
                        Some(server.name.clone())
                    }
                    _ => None,
                },
                _ => None,
            })
        })
    }

    fn tools_of(&self, way: &[String], list: &mut List<'_>) {
        let [name] = way else { return };
        if self.is_module(name) {
            return self.module(name, &[SymbolKind::Group, SymbolKind::Tool], list);
        }
        for (index, symbol) in self.near(SymbolKind::Tool) {
            if self.server(symbol).as_deref() == Some(name) {
                list.symbol(index, symbol);
            }
        }
    }

    pub(super) fn is_module(&self, alias: &str) -> bool {
        let imports = self.unit.map(|unit| unit.imports.as_slice());
        imports.is_some_and(|imports| imports.iter().any(|import| import.alias == alias))
    }

    /// Whether an imported file declares tools or groups.
    fn has_tools(&self, alias: &str) -> bool {
        let target = self
            .unit
            .into_iter()
            .flat_map(|unit| &unit.imports)
            .find(|import| import.alias == alias)
            .and_then(|import| self.analysis.compiled.graph.unit(import.unit));
        target.is_some_and(|unit| {
            !unit.tools.is_empty()
                || unit
                    .file
                    .items
                    .iter()
                    .any(|item| matches!(item.kind, ItemKind::Tool(_) | ItemKind::Group(_)))
        })
    }

    /// The names of imported files, to go on from.
    pub(super) fn modules(&self, list: &mut List<'_>) {
        for (index, symbol) in self.here(SymbolKind::Module) {
            list.symbol(index, symbol);
        }
    }

    /// What an imported file declares of some kinds.
    fn module(&self, alias: &str, kinds: &[SymbolKind], list: &mut List<'_>) {
        let graph = &self.analysis.compiled.graph;
        let target = self
            .unit
            .into_iter()
            .flat_map(|unit| &unit.imports)
            .find(|import| import.alias == alias)
            .and_then(|import| graph.unit(import.unit));
        let Some(target) = target else { return };
        for (index, symbol) in self.all() {
            let declared = symbol
                .definitions
                .iter()
                .any(|place| place.source == target.source);
            if declared && kinds.contains(&symbol.kind) {
                self.callable(index, symbol, list);
            }
        }
    }

    /// The contracts that a test can name: of this file, of those that it includes, of imported ones.
    fn contracts(&self, list: &mut List<'_>) {
        let graph = &self.analysis.compiled.graph;
        let mut sources = BTreeSet::new();
        let mut open: Vec<&Unit> = self.unit.into_iter().collect();
        while let Some(unit) = open.pop() {
            if sources.insert(unit.source) {
                open.extend(unit.includes.iter().filter_map(|i| graph.unit(i.unit)));
            }
        }
        for (index, symbol) in self.here(SymbolKind::Contract) {
            list.symbol(index, symbol);
        }
        for (index, symbol) in self.of(SymbolKind::Contract) {
            if self.declared_in(symbol, &sources) {
                list.symbol(index, symbol);
            }
        }
    }

    /// The contracts of the file that is included.
    fn included(&self, list: &mut List<'_>) {
        let graph = &self.analysis.compiled.graph;
        let target = self
            .unit
            .into_iter()
            .flat_map(|unit| &unit.includes)
            .rfind(|include| include.span.start <= self.offset)
            .and_then(|include| graph.unit(include.unit));
        let Some(target) = target else { return };
        let sources = BTreeSet::from([target.source]);
        for (index, symbol) in self.of(SymbolKind::Contract) {
            if self.declared_in(symbol, &sources) {
                list.symbol(index, symbol);
            }
        }
    }

    /// Fields that are written out with a value.
    fn given(&self, kinds: &[SymbolKind], owners: &[String], way: &[String], list: &mut List<'_>) {
        for kind in kinds {
            for (index, symbol) in self.fields(*kind, owners, way) {
                if self.found.given.contains(&symbol.name) {
                    continue;
                }
                let name = list.name(&symbol.name);
                if self.follows(':') {
                    list.symbol_as(index, symbol, &name);
                } else {
                    list.symbol_as(index, symbol, &format!("{name}: "));
                }
            }
        }
    }

    /// What `way.` leads to.
    fn part(&self, way: &[String], list: &mut List<'_>) {
        const CALLABLE: &[SymbolKind] =
            &[SymbolKind::Predicate, SymbolKind::Event, SymbolKind::Lookup];
        match way {
            [ctx] if ctx == "ctx" => {
                for (index, symbol) in self.near(SymbolKind::Context) {
                    list.symbol(index, symbol);
                }
            }
            [event] if event == "event" => list.words(WordKind::Fact, CompletionItemKind::FIELD),
            [root, rest @ ..] if root == "args" || root == "result" => {
                let kind = if root == "args" {
                    SymbolKind::Argument
                } else {
                    SymbolKind::ResultField
                };
                self.parts(kind, rest, list);
            }
            [alias] if self.is_module(alias) => {
                if self.found.test {
                    self.module(alias, &[SymbolKind::Contract], list);
                } else {
                    self.module(alias, CALLABLE, list);
                }
            }
            way => {
                if let Some((kind, _)) = self.bare() {
                    self.parts(kind, way, list);
                }
            }
        }
    }

    fn parts(&self, kind: SymbolKind, way: &[String], list: &mut List<'_>) {
        for head in &self.found.patterns {
            if head.kind.is_empty() && kind != SymbolKind::EventField {
                continue;
            }
            let owners = self.owners(&head.names);
            for (index, symbol) in self.fields(kind, &owners, way) {
                list.symbol(index, symbol);
            }
            // The innermost event is meant.
            return;
        }
    }

    /// The keys, `let`s, parameters and variables that are declared before the place in its item, the nearest first.
    pub(super) fn locals(&self) -> Vec<Numbered<'a>> {
        let Some(source) = self.source else {
            return Vec::new();
        };
        let items = &self.document.parse().file.items;
        let start = items
            .iter()
            .map(|item| item.span.start)
            .rfind(|start| *start <= self.offset)
            .unwrap_or(0);
        let before = |symbol: &Symbol| {
            symbol
                .definitions
                .iter()
                .filter(|place| {
                    place.source == source
                        && start <= place.span.start
                        && place.span.end < self.found.whole.start
                })
                .map(|place| place.span.start)
                .max()
        };
        let mut out: Vec<(u32, Numbered<'a>)> = self
            .all()
            .filter(|(_, s)| crate::features::hover::is_local(s.kind))
            .filter_map(|numbered| Some((before(numbered.1)?, numbered)))
            .collect();
        out.sort_by_key(|(start, _)| std::cmp::Reverse(*start));
        out.into_iter().map(|(_, numbered)| numbered).collect()
    }

    /// Tools and events as owners of fields, by the names of a pattern; of a group its tools.
    pub(super) fn owners(&self, names: &[Vec<String>]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut open: Vec<Vec<String>> = names.to_vec();
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let known: BTreeSet<&str> = self
            .all()
            .filter_map(|(_, symbol)| symbol.owner.as_deref())
            .collect();
        while let Some(path) = open.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let Some(name) = path.last() else { continue };
            let members = self
                .analysis
                .compiled
                .graph
                .units
                .iter()
                .filter(|unit| self.near.contains(&unit.source))
                .flat_map(|unit| &unit.file.items)
                .find_map(|item| match &item.kind {
                    ItemKind::Group(group) if group.name.name == *name => Some(&group.members),
                    _ => None,
                });
            if let Some(GroupMembers::List(paths)) = members {
                open.extend(
                    paths
                        .iter()
                        .map(|path| path.parts.iter().map(|p| p.name.clone()).collect()),
                );
                continue;
            }
            let whole = path.join(".");
            for owner in &known {
                let fits = *owner == whole || owner.rsplit('.').next() == Some(name.as_str());
                if fits && !out.iter().any(|o| o == owner) {
                    out.push((*owner).to_owned());
                }
            }
        }
        out
    }

    pub(super) fn fields(
        &self,
        kind: SymbolKind,
        owners: &[String],
        way: &[String],
    ) -> Vec<Numbered<'a>> {
        self.of(kind)
            .filter(|(_, symbol)| {
                symbol.path.len() == way.len() + 1
                    && symbol.path.starts_with(way)
                    && symbol
                        .owner
                        .as_ref()
                        .is_some_and(|owner| owners.contains(owner))
            })
            .collect()
    }

    /// The codes of warnings, those of this file first.
    fn codes(&self, given: &[String], list: &mut List<'_>) {
        let found: BTreeSet<&str> = self
            .analysis
            .compiled
            .diagnostics
            .iter()
            .filter(|d| Some(d.primary.place.source) == self.source)
            .map(|d| d.code)
            .collect();
        let all: Vec<_> = codes::all()
            .filter(|doc| doc.code.starts_with('W') && !given.iter().any(|g| g == doc.code))
            .collect();
        for near in [true, false] {
            for doc in all.iter().filter(|doc| found.contains(doc.code) == near) {
                list.word(
                    doc.code,
                    CompletionItemKind::CONSTANT,
                    doc.title,
                    Doc::Code(doc.code),
                );
            }
        }
    }
}

/// The types of the language.
fn type_names(event: bool, list: &mut List<'_>) {
    let kind = CompletionItemKind::TYPE_PARAMETER;
    if event && let Some(word) = word_of(WordKind::Type, "event") {
        list.meaning(word, kind);
    }
    for keyword in KEYWORDS.iter().filter(|k| k.kind == KeywordKind::Type) {
        let (text, snippet) = match keyword.name {
            "list" => ("list<any>", "list<${1:string}>$0"),
            "map" => ("map<any>", "map<${1:string}>$0"),
            "enum" => ("enum(\"a\")", "enum(\"${1:a}\", \"${2:b}\")$0"),
            name => {
                list.word(name, kind, "", Doc::Keyword(name));
                continue;
            }
        };
        let doc = Doc::Keyword(keyword.name);
        if list.takes_snippets() {
            list.snippet(keyword.name, snippet, kind, "", doc);
        } else {
            list.text(keyword.name, text, kind, "", doc);
        }
    }
    for name in ["any", "null"] {
        if let Some(word) = word_of(WordKind::Type, name) {
            list.meaning(word, kind);
        }
    }
}

/// The words of a comment that allows a warning.
fn allow(word: &str, list: &mut List<'_>) {
    let kind = CompletionItemKind::KEYWORD;
    if word != "allow" {
        return list.text(word, &format!("{word} "), kind, "and the reason", Doc::None);
    }
    let detail = "a warning at the next item or clause";
    if list.takes_snippets() {
        list.snippet(
            word,
            "allow(${1:W0407}) because ${2:reason}$0",
            kind,
            detail,
            Doc::None,
        );
    } else {
        list.text(word, "allow(", kind, detail, Doc::None);
    }
}

/// A value of a type, to start from.
fn example(ty: &Type) -> String {
    match ty {
        Type::Any | Type::Null => "null".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Int(range) | Type::Number(range) => range.min.clone().unwrap_or("0".to_owned()),
        Type::String => "\"\"".to_owned(),
        Type::Timestamp => "\"2026-01-31T12:00:00Z\"".to_owned(),
        Type::Duration => "\"30s\"".to_owned(),
        Type::Enum(values) => values.first().map_or("null".to_owned(), types::json),
        Type::List(_) => "[]".to_owned(),
        Type::Map(_) => "{}".to_owned(),
        Type::Record(record) => {
            let fields: Vec<String> = record
                .fields
                .iter()
                .filter(|field| !field.optional)
                .map(|field| format!("{}: {}", plain(&field.name), example(&field.ty)))
                .collect();
            if fields.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", fields.join(", "))
            }
        }
        Type::Union(types) => types.first().map_or("null".to_owned(), example),
    }
}

/// A text as a snippet that stands for itself.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
