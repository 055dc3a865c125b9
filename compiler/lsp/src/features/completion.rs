//! `textDocument/completion`.
//!
//! Which kind of word fits is the parser's answer ([`ctr_grammar::complete`]); which words there are is the index's.

use std::collections::BTreeSet;

use ctr_front::check::{BUILTINS, type_name};
use ctr_front::symbols::{Symbol, SymbolKind, Symbols};
use ctr_grammar::{Completion, PatternHead, Span, Wanted, keywords};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, CompletionTextEdit,
    Documentation, InsertTextFormat, MarkupContent, MarkupKind, Range, TextEdit,
};

use crate::documents::Document;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};

/// Types of fields.
const TYPES: [&str; 12] = [
    "string",
    "int",
    "number",
    "bool",
    "enum",
    "list",
    "map",
    "timestamp",
    "duration",
    "null",
    "any",
    "event",
];

/// Attributes of contracts.
const ATTRIBUTES: [&str; 5] = ["id", "severity", "description", "source", "tags"];

/// What a step of a test can be expected to lead to.
const OUTCOMES: [&str; 10] = [
    "allow",
    "block",
    "warn",
    "escalate",
    "redirect",
    "repair",
    "suppress",
    "violation",
    "pending",
    "satisfied",
];

/// What hosts record with every event.
const FACTS: [&str; 6] = ["agent", "server", "time", "turn", "depth", "tokens"];

/// Items to start from: what is typed, what it is, the text with places to fill in.
const SNIPPETS: [(&str, &str, &str); 4] = [
    (
        "contract",
        "one after another",
        "contract ${1:name} {\n  guarantee call ${2:tool} only after success ${3:other}\n  otherwise block \"${4:Do that first.}\"\n}",
    ),
    (
        "contract for each",
        "a contract for each value of a key",
        "contract ${1:name} for each ${2:key} {\n  guarantee success ${3:tool}(args.${2:key} == ${2:key}) at most ${4:1} time\n  otherwise block \"${5:Once only.}\"\n}",
    ),
    (
        "predicate",
        "a template",
        "predicate ${1:name}(${2:e}: event) = ${3:never ${2:e}}",
    ),
    (
        "test",
        "a test",
        "test \"${1:what is shown}\" for ${2:contract} {\n  call ${3:tool}(${4}) expect ${5:block}\n}",
    ),
];

/// What can be written at a position.
///
/// # Errors
///
/// None.
pub(crate) fn completion(
    snapshot: &Snapshot,
    params: &CompletionParams,
) -> Result<Option<CompletionResponse>, Failure> {
    let at = &params.text_document_position;
    let Some(document) = snapshot.document(&at.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let offset = places.offset(at.position);
    let found = ctr_grammar::complete(&document.text, offset);
    let mut list = List {
        range: places.range(found.word),
        items: Vec::new(),
        seen: BTreeSet::new(),
    };
    if let (Some(wanted), Some(analysis)) = (&found.name, snapshot.of_document(document)) {
        let names = Names {
            document,
            analysis,
            symbols: analysis.symbols(),
            offset,
            found: &found,
        };
        names.fill(wanted, &mut list);
    }
    for keyword in &found.keywords {
        list.add(
            keyword.name,
            CompletionItemKind::KEYWORD,
            None,
            Some(keyword.doc.to_owned()),
        );
    }
    if found.keywords.iter().any(|k| k.name == "contract") {
        for (label, detail, text) in SNIPPETS {
            list.snippet(label, detail, text);
        }
    }
    Ok(Some(CompletionResponse::Array(list.items)))
}

struct List {
    range: Range,
    items: Vec<CompletionItem>,
    seen: BTreeSet<String>,
}

impl List {
    fn add(
        &mut self,
        name: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        doc: Option<String>,
    ) {
        self.add_as(name, &written(name), kind, detail, doc);
    }

    fn add_as(
        &mut self,
        name: &str,
        text: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        doc: Option<String>,
    ) {
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        self.items.push(CompletionItem {
            label: name.to_owned(),
            kind: Some(kind),
            detail,
            documentation: doc.map(|value| {
                Documentation::MarkupContent(MarkupContent {
                    kind: MarkupKind::Markdown,
                    value,
                })
            }),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: self.range,
                new_text: text.to_owned(),
            })),
            // In the order of this list: what is nearer comes first.
            sort_text: Some(format!("{:04}", self.items.len())),
            ..CompletionItem::default()
        });
    }

    fn snippet(&mut self, label: &str, detail: &str, text: &str) {
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(CompletionItemKind::SNIPPET),
            detail: Some(detail.to_owned()),
            insert_text_format: Some(InsertTextFormat::SNIPPET),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: self.range,
                new_text: text.to_owned(),
            })),
            sort_text: Some(format!("{:04}", self.items.len())),
            ..CompletionItem::default()
        });
    }

    fn symbol(&mut self, symbol: &Symbol) {
        self.symbol_as(symbol, &written(&symbol.name));
    }

    fn symbol_as(&mut self, symbol: &Symbol, text: &str) {
        let kind = match symbol.kind {
            SymbolKind::Contract => CompletionItemKind::CLASS,
            SymbolKind::Predicate | SymbolKind::Lookup => CompletionItemKind::FUNCTION,
            SymbolKind::Event => CompletionItemKind::EVENT,
            SymbolKind::Tool => CompletionItemKind::INTERFACE,
            SymbolKind::Group => CompletionItemKind::ENUM,
            SymbolKind::Module => CompletionItemKind::MODULE,
            SymbolKind::Argument | SymbolKind::ResultField | SymbolKind::EventField => {
                CompletionItemKind::FIELD
            }
            SymbolKind::Context
            | SymbolKind::Parameter
            | SymbolKind::Let
            | SymbolKind::Key
            | SymbolKind::Variable => CompletionItemKind::VARIABLE,
        };
        let detail = symbol.ty.as_ref().map(type_name);
        self.add_as(&symbol.name, text, kind, detail, symbol.doc.clone());
    }
}

/// A name as it is written: in back-ticks where it would not be one without.
fn written(name: &str) -> String {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ' ')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

struct Names<'a> {
    document: &'a Document,
    analysis: &'a Analysis,
    symbols: &'a Symbols,
    offset: u32,
    found: &'a Completion,
}

impl Names<'_> {
    fn fill(&self, wanted: &Wanted, list: &mut List) {
        match wanted {
            Wanted::New => {}
            Wanted::Tool => {
                self.of(SymbolKind::Tool, list);
                self.of(SymbolKind::Group, list);
            }
            Wanted::Type => {
                for name in TYPES {
                    list.add(name, CompletionItemKind::TYPE_PARAMETER, None, None);
                }
            }
            Wanted::Attribute => {
                for name in ATTRIBUTES {
                    list.add(name, CompletionItemKind::PROPERTY, None, None);
                }
            }
            Wanted::Contract => self.of(SymbolKind::Contract, list),
            Wanted::Outcome => {
                for name in OUTCOMES {
                    list.add(name, CompletionItemKind::ENUM_MEMBER, None, None);
                }
            }
            Wanted::Argument(tool) => {
                let owners = self.owners(std::slice::from_ref(tool));
                for symbol in self.fields(SymbolKind::Argument, &owners, &[]) {
                    list.symbol_as(symbol, &format!("{}: ", written(&symbol.name)));
                }
            }
            Wanted::Part(way) => self.part(way, list),
            Wanted::Value => self.value(list),
        }
    }

    fn of(&self, kind: SymbolKind, list: &mut List) {
        for symbol in self.symbols.symbols.iter().filter(|s| s.kind == kind) {
            list.symbol(symbol);
        }
    }

    /// What `way.` leads to.
    fn part(&self, way: &[String], list: &mut List) {
        match way {
            [ctx] if ctx == "ctx" => self.of(SymbolKind::Context, list),
            [event] if event == "event" => {
                for name in FACTS {
                    list.add(name, CompletionItemKind::FIELD, None, None);
                }
            }
            [root, rest @ ..] if root == "args" || root == "result" => {
                let kind = if root == "args" {
                    SymbolKind::Argument
                } else {
                    SymbolKind::ResultField
                };
                self.parts(kind, rest, list);
            }
            [alias, ..] if self.is_module(alias) => self.module(alias, list),
            way => {
                if let Some((kind, _)) = self.bare() {
                    self.parts(kind, way, list);
                }
            }
        }
    }

    fn is_module(&self, alias: &str) -> bool {
        self.symbols
            .symbols
            .iter()
            .any(|s| s.kind == SymbolKind::Module && s.name == alias)
    }

    /// What an imported file declares.
    fn module(&self, alias: &str, list: &mut List) {
        let graph = &self.analysis.compiled.graph;
        let here = self.analysis.source_of(self.document);
        let target = graph
            .units
            .iter()
            .filter(|unit| Some(unit.source) == here)
            .flat_map(|unit| &unit.imports)
            .find(|import| import.alias == alias)
            .and_then(|import| graph.unit(import.unit));
        let Some(target) = target else { return };
        for symbol in &self.symbols.symbols {
            let wanted = matches!(
                symbol.kind,
                SymbolKind::Predicate
                    | SymbolKind::Event
                    | SymbolKind::Lookup
                    | SymbolKind::Group
                    | SymbolKind::Tool
                    | SymbolKind::Contract
            );
            if wanted && symbol.definitions.iter().any(|p| p.source == target.source) {
                list.symbol(symbol);
            }
        }
    }

    fn parts(&self, kind: SymbolKind, way: &[String], list: &mut List) {
        for head in &self.found.patterns {
            if head.kind.is_empty() && kind != SymbolKind::EventField {
                continue;
            }
            let owners = self.owners(&head.names);
            for symbol in self.fields(kind, &owners, way) {
                list.symbol(symbol);
            }
        }
    }

    /// The kinds of field that a bare name is, by the innermost pattern.
    fn bare(&self) -> Option<(SymbolKind, &PatternHead)> {
        self.found.patterns.iter().find_map(|head| match head.kind {
            "call" | "redirect" => Some((SymbolKind::Argument, head)),
            "return" | "success" | "failure" | "unknown" => Some((SymbolKind::ResultField, head)),
            _ => {
                let name = head.names.first()?.last()?;
                let event = self
                    .symbols
                    .symbols
                    .iter()
                    .any(|s| s.kind == SymbolKind::Event && s.name == *name);
                event.then_some((SymbolKind::EventField, head))
            }
        })
    }

    fn value(&self, list: &mut List) {
        for symbol in self.locals() {
            list.symbol(symbol);
        }
        if let Some((kind, head)) = self.bare() {
            let owners = self.owners(&head.names);
            for symbol in self.fields(kind, &owners, &[]) {
                list.symbol(symbol);
            }
            let roots: &[&str] = match kind {
                SymbolKind::Argument => &["args", "event"],
                SymbolKind::ResultField => &["args", "result", "event"],
                _ => &["event"],
            };
            for root in roots {
                list.add(root, CompletionItemKind::VARIABLE, None, None);
            }
        }
        for kind in [SymbolKind::Predicate, SymbolKind::Event, SymbolKind::Lookup] {
            let here = self.analysis.source_of(self.document);
            for symbol in self.symbols.symbols.iter().filter(|s| s.kind == kind) {
                if symbol.definitions.iter().any(|p| Some(p.source) == here) {
                    list.symbol(symbol);
                }
            }
        }
        self.of(SymbolKind::Module, list);
        if self
            .symbols
            .symbols
            .iter()
            .any(|s| s.kind == SymbolKind::Context)
        {
            list.add("ctx", CompletionItemKind::VARIABLE, None, None);
        }
        for name in BUILTINS {
            let doc = keywords::lookup(name).map(|k| k.doc.to_owned());
            list.add(name, CompletionItemKind::FUNCTION, None, doc);
        }
    }

    /// The keys, `let`s, parameters and variables that are declared before the place in its item.
    fn locals(&self) -> Vec<&Symbol> {
        let Some(source) = self.analysis.source_of(self.document) else {
            return Vec::new();
        };
        let item: Option<Span> = self
            .document
            .parse()
            .file
            .items
            .iter()
            .map(|item| item.span)
            .rfind(|span| span.start <= self.offset);
        let start = item.map_or(0, |span| span.start);
        self.symbols
            .symbols
            .iter()
            .filter(|symbol| {
                matches!(
                    symbol.kind,
                    SymbolKind::Key
                        | SymbolKind::Let
                        | SymbolKind::Parameter
                        | SymbolKind::Variable
                ) && symbol.definitions.iter().any(|place| {
                    place.source == source
                        && start <= place.span.start
                        && place.span.end <= self.offset
                })
            })
            .collect()
    }

    /// Tools and events as owners of fields, by the names of a pattern; those of a group's tools are not looked up.
    fn owners(&self, names: &[Vec<String>]) -> Vec<String> {
        let mut out = Vec::new();
        for path in names {
            let Some(name) = path.last() else { continue };
            let whole = path.join(".");
            for symbol in &self.symbols.symbols {
                let owner = symbol.owner.as_deref();
                if let Some(owner) = owner
                    && (owner == whole || owner.rsplit('.').next() == Some(name.as_str()))
                    && !out.iter().any(|known| known == owner)
                {
                    out.push(owner.to_owned());
                }
            }
        }
        out
    }

    fn fields(&self, kind: SymbolKind, owners: &[String], way: &[String]) -> Vec<&Symbol> {
        self.symbols
            .symbols
            .iter()
            .filter(|symbol| {
                symbol.kind == kind
                    && symbol.path.len() == way.len() + 1
                    && symbol.path.starts_with(way)
                    && symbol
                        .owner
                        .as_ref()
                        .is_some_and(|owner| owners.contains(owner))
            })
            .collect()
    }
}
