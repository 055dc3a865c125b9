//! The candidates, as the client can take them.

use std::collections::BTreeSet;

use ctr_front::symbols::{Symbol, SymbolKind};
use ctr_grammar::keywords::Keyword;
use ctr_grammar::meanings::{Word, WordKind, word_of};
use ctr_grammar::{Span, Within, written};
use lsp_types::{
    ClientCapabilities, CompletionItem, CompletionItemCapability, CompletionItemKind,
    CompletionItemLabelDetails, CompletionTextEdit, InsertReplaceEdit, InsertTextFormat, Range,
    TextEdit,
};
use serde::{Deserialize, Serialize};

use crate::features::hover::types;
use crate::snapshot::Places;

/// Of what a candidate's documentation is; it is written when it is asked for.
#[derive(Clone, Debug)]
pub(super) enum Doc<'a> {
    None,
    Keyword(&'a str),
    Word(WordKind, &'a str),
    Symbol(usize, &'a Symbol),
    Code(&'a str),
    Module(&'a str),
    Setting(&'a str, &'a str),
}

/// The same in an item, until it is resolved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Data {
    Keyword(String),
    Word(String, String),
    Symbol {
        uri: String,
        index: usize,
        kind: String,
        name: String,
    },
    Code(String),
    Module(String),
    Setting(String, String),
}

/// What the client can take of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Can {
    snippets: bool,
    insert_replace: bool,
    label_details: bool,
}

impl Can {
    fn of(client: &ClientCapabilities) -> Self {
        let item: Option<&CompletionItemCapability> = client
            .text_document
            .as_ref()
            .and_then(|text| text.completion.as_ref())
            .and_then(|completion| completion.completion_item.as_ref());
        let can = |flag: fn(&CompletionItemCapability) -> Option<bool>| {
            item.and_then(flag).unwrap_or(false)
        };
        Self {
            snippets: can(|item| item.snippet_support),
            insert_replace: can(|item| item.insert_replace_support),
            label_details: can(|item| item.label_details_support),
        }
    }
}

/// The candidates in order of likelihood.
pub(super) struct List<'a> {
    uri: &'a str,
    places: &'a Places<'a>,
    can: Can,
    insert: Range,
    replace: Range,
    within: Within,
    pub(super) items: Vec<CompletionItem>,
    seen: BTreeSet<String>,
}

impl<'a> List<'a> {
    pub(super) fn new(client: &ClientCapabilities, uri: &'a str, places: &'a Places<'a>) -> Self {
        Self {
            uri,
            places,
            can: Can::of(client),
            insert: Range::default(),
            replace: Range::default(),
            within: Within::Nothing,
            items: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    /// What the candidates stand in place of.
    pub(super) fn replace(&mut self, word: Span, whole: Span, within: Within) {
        self.insert = self.places.range(word);
        self.replace = self.places.range(whole);
        self.within = within;
    }

    pub(super) fn takes_snippets(&self) -> bool {
        self.can.snippets
    }

    fn edit(&self, text: String) -> CompletionTextEdit {
        if self.can.insert_replace {
            CompletionTextEdit::InsertAndReplace(InsertReplaceEdit {
                new_text: text,
                insert: self.insert,
                replace: self.replace,
            })
        } else {
            CompletionTextEdit::Edit(TextEdit {
                range: self.insert,
                new_text: text,
            })
        }
    }

    fn push(
        &mut self,
        label: &str,
        text: String,
        kind: CompletionItemKind,
        detail: &str,
        doc: &Doc<'_>,
        format: Option<InsertTextFormat>,
    ) {
        if !self.seen.insert(label.to_owned()) {
            return;
        }
        // What is typed in quotes or back-ticks is compared with what will stand there.
        let filter = match self.within {
            Within::Backticks => Some(text.clone()),
            _ => None,
        };
        let details =
            (self.can.label_details && !detail.is_empty()).then(|| CompletionItemLabelDetails {
                detail: None,
                description: Some(detail.to_owned()),
            });
        self.items.push(CompletionItem {
            label: label.to_owned(),
            label_details: details,
            kind: Some(kind),
            detail: (!detail.is_empty()).then(|| detail.to_owned()),
            text_edit: Some(self.edit(text)),
            insert_text_format: format,
            filter_text: filter,
            // In the order of this list: what is likelier comes first.
            sort_text: Some(format!("{:04}", self.items.len())),
            data: self
                .data(doc)
                .and_then(|data| serde_json::to_value(data).ok()),
            ..CompletionItem::default()
        });
    }

    fn data(&self, doc: &Doc<'_>) -> Option<Data> {
        Some(match doc {
            Doc::None => return None,
            Doc::Keyword(name) => Data::Keyword((*name).to_owned()),
            Doc::Word(kind, name) => Data::Word(format!("{kind:?}"), (*name).to_owned()),
            Doc::Symbol(index, symbol) => Data::Symbol {
                uri: self.uri.to_owned(),
                index: *index,
                kind: format!("{:?}", symbol.kind),
                name: symbol.name.clone(),
            },
            Doc::Code(code) => Data::Code((*code).to_owned()),
            Doc::Module(name) => Data::Module((*name).to_owned()),
            Doc::Setting(table, key) => Data::Setting((*table).to_owned(), (*key).to_owned()),
        })
    }

    /// A word that stands as it is.
    pub(super) fn word(
        &mut self,
        text: &str,
        kind: CompletionItemKind,
        detail: &str,
        doc: Doc<'_>,
    ) {
        self.push(text, text.to_owned(), kind, detail, &doc, None);
    }

    /// A candidate that is written otherwise than it is called.
    pub(super) fn text(
        &mut self,
        label: &str,
        text: &str,
        kind: CompletionItemKind,
        detail: &str,
        doc: Doc<'_>,
    ) {
        self.push(label, text.to_owned(), kind, detail, &doc, None);
    }

    /// A text with places to fill in, for a client that takes them.
    pub(super) fn snippet(
        &mut self,
        label: &str,
        snippet: &str,
        kind: CompletionItemKind,
        detail: &str,
        doc: Doc<'_>,
    ) {
        if self.can.snippets {
            let format = Some(InsertTextFormat::SNIPPET);
            self.push(label, snippet.to_owned(), kind, detail, &doc, format);
        }
    }

    pub(super) fn keyword(&mut self, keyword: &Keyword) {
        let counted = match keyword.name {
            "at most" => "at most ${1:3} times$0",
            "at least" => "at least ${1:1} times$0",
            "exactly" => "exactly ${1:1} times$0",
            _ => "",
        };
        if self.can.snippets && !counted.is_empty() {
            let doc = Doc::Keyword(keyword.name);
            return self.snippet(keyword.name, counted, CompletionItemKind::KEYWORD, "", doc);
        }
        self.word(
            keyword.name,
            CompletionItemKind::KEYWORD,
            "",
            Doc::Keyword(keyword.name),
        );
    }

    /// An operator of which the first words stand there already, from where the first begins.
    pub(super) fn phrase(&mut self, keyword: &Keyword, start: u32, word: Span, whole: Span) {
        let (insert, replace) = (self.insert, self.replace);
        self.insert = self.places.range(Span::new(start, word.end));
        self.replace = self.places.range(Span::new(start, whole.end));
        self.keyword(keyword);
        (self.insert, self.replace) = (insert, replace);
    }

    /// The words of a kind from the table of meanings.
    pub(super) fn words(&mut self, kind: WordKind, item: CompletionItemKind) {
        for word in ctr_grammar::meanings::words_of(kind) {
            self.meaning(word, item);
        }
    }

    pub(super) fn meaning(&mut self, word: &Word, item: CompletionItemKind) {
        let gives = word.gives.split(',').next().unwrap_or_default();
        self.word(word.name, item, gives, Doc::Word(word.kind, word.name));
    }

    /// A function or aggregate, with parentheses where the client takes snippets.
    pub(super) fn function(&mut self, word: &Word) {
        let gives = word.gives.split(',').next().unwrap_or_default();
        let doc = Doc::Word(word.kind, word.name);
        let kind = CompletionItemKind::FUNCTION;
        if !self.can.snippets {
            return self.word(word.name, kind, gives, doc);
        }
        let inner = match (word.kind, word.name) {
            (WordKind::Aggregate, "count" | "streak" | "elapsed") => "${1:call any}",
            (WordKind::Aggregate, _) => "${1:call any}, ${2:value}",
            (_, "timestamp") => "\"${1:2026-01-31T12:00:00Z}\"",
            (_, "duration") => "\"${1:30s}\"",
            _ => "${1:value}",
        };
        let snippet = format!("{}({inner})$0", word.name);
        self.snippet(word.name, &snippet, kind, gives, doc);
    }

    /// A name of the policy's.
    pub(super) fn symbol(&mut self, index: usize, symbol: &Symbol) {
        let text = self.name(&symbol.name);
        self.symbol_as(index, symbol, &text);
    }

    /// A name of the policy's with more behind it.
    pub(super) fn symbol_as(&mut self, index: usize, symbol: &Symbol, text: &str) {
        let detail = detail(symbol);
        let doc = Doc::Symbol(index, symbol);
        self.push(
            &symbol.name,
            text.to_owned(),
            item_kind(symbol.kind),
            &detail,
            &doc,
            None,
        );
    }

    /// The same with places to fill in; `plain` for clients that take none.
    pub(super) fn symbol_snippet(
        &mut self,
        index: usize,
        symbol: &Symbol,
        snippet: &str,
        plain: &str,
    ) {
        if !self.can.snippets {
            return self.symbol_as(index, symbol, plain);
        }
        self.push(
            &symbol.name,
            snippet.to_owned(),
            item_kind(symbol.kind),
            &detail(symbol),
            &Doc::Symbol(index, symbol),
            Some(InsertTextFormat::SNIPPET),
        );
    }

    /// A name as it is written at this place.
    pub(super) fn name(&self, name: &str) -> String {
        match self.within {
            Within::Backticks => format!("`{name}`"),
            _ => plain(name),
        }
    }

    /// A string at this place, in quotes or without, as the place has them.
    pub(super) fn string(&self, text: &str) -> String {
        match self.within {
            Within::Quotes => written::inside_quotes(text),
            _ => written::string(text),
        }
    }
}

/// A single name as it is written: in back-ticks where it would not be one without.
pub(super) fn plain(name: &str) -> String {
    if name.contains('.') {
        return format!("`{name}`");
    }
    types::name(name)
}

fn detail(symbol: &Symbol) -> String {
    match (&symbol.ty, symbol.kind) {
        // What a tool gives back says little where its arguments are not told.
        (_, SymbolKind::Tool) => String::new(),
        (Some(ty), _) => {
            let mark = if symbol.optional { "?" } else { "" };
            format!("{}{mark}", ctr_front::check::type_name(ty))
        }
        (None, kind) => crate::features::hover::symbol::kind(kind).to_owned(),
    }
}

fn item_kind(kind: SymbolKind) -> CompletionItemKind {
    match kind {
        SymbolKind::Contract => CompletionItemKind::CLASS,
        SymbolKind::Predicate | SymbolKind::Lookup => CompletionItemKind::FUNCTION,
        SymbolKind::Event => CompletionItemKind::EVENT,
        SymbolKind::Tool => CompletionItemKind::INTERFACE,
        SymbolKind::Group => CompletionItemKind::ENUM,
        SymbolKind::Module => CompletionItemKind::MODULE,
        SymbolKind::EnumValue => CompletionItemKind::ENUM_MEMBER,
        SymbolKind::Argument | SymbolKind::ResultField | SymbolKind::EventField => {
            CompletionItemKind::FIELD
        }
        SymbolKind::Context
        | SymbolKind::Parameter
        | SymbolKind::Let
        | SymbolKind::Key
        | SymbolKind::Variable => CompletionItemKind::VARIABLE,
    }
}

/// The word of a kind that is written out in an item's data.
pub(super) fn word_named(kind: &str, name: &str) -> Option<&'static Word> {
    let kind = ctr_grammar::meanings::WORDS
        .iter()
        .map(|word| word.kind)
        .find(|known| format!("{known:?}") == kind)?;
    word_of(kind, name)
}
