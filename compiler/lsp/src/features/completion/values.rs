//! The values that fit at a place: constants of the type that is expected, names, fields, functions.

use ctr_front::ir::Json;
use ctr_front::symbols::{Symbol, SymbolKind};
use ctr_front::types::Type;
use ctr_grammar::ast::ItemKind;
use ctr_grammar::meanings::{WordKind, word_of, words_of};
use ctr_grammar::{Level, PatternHead};
use lsp_types::CompletionItemKind;

use super::list::{Doc, List};
use super::names::{Names, Numbered, escaped};
use crate::features::hover::types::{self, constants};

impl<'a> Names<'a> {
    /// The kinds of field that a bare name is, by the innermost pattern.
    pub(super) fn bare(&self) -> Option<(SymbolKind, &PatternHead)> {
        self.found.patterns.iter().find_map(|head| match head.kind {
            "call" | "redirect" => Some((SymbolKind::Argument, head)),
            "return" | "success" | "failure" | "unknown" => Some((SymbolKind::ResultField, head)),
            _ => {
                let name = head.names.first()?.last()?;
                let event = self
                    .near(SymbolKind::Event)
                    .any(|(_, symbol)| symbol.name == *name);
                event.then_some((SymbolKind::EventField, head))
            }
        })
    }

    pub(super) fn value(&self, list: &mut List<'_>) {
        let level = self.found.level;
        let formulas = matches!(level, Level::Formula | Level::Events | Level::Either);
        let values = !matches!(level, Level::Formula | Level::Events);
        let expected = self.expected();
        if let Some(ty) = &expected {
            self.constants(ty, list);
        }
        let fits = |symbol: &Symbol| {
            let same = |ty: &Type| std::mem::discriminant(ty);
            match (&expected, &symbol.ty) {
                (Some(wanted), Some(ty)) => same(wanted) == same(ty),
                _ => false,
            }
        };
        let mut locals = self.locals();
        locals.retain(|(_, symbol)| {
            // What stands for a pattern or a formula has no type.
            let formula = symbol.ty.is_none()
                && matches!(symbol.kind, SymbolKind::Let | SymbolKind::Parameter);
            values || formula
        });
        let mut fields: Vec<Numbered<'a>> = Vec::new();
        let bare = self.bare().filter(|_| values);
        if let Some((kind, head)) = &bare {
            let owners = self.owners(&head.names);
            fields = self.fields(*kind, &owners, &[]);
        }
        // What is nearer comes first, and of that what fits.
        let near: Vec<Numbered<'a>> = locals.into_iter().chain(fields).collect();
        for (index, symbol) in near.iter().filter(|(_, symbol)| fits(symbol)) {
            list.symbol(*index, symbol);
        }
        for (index, symbol) in near {
            list.symbol(index, symbol);
        }
        if let Some((kind, _)) = bare {
            let roots: &[&str] = match kind {
                SymbolKind::Argument => &["args", "event"],
                SymbolKind::ResultField => &["result", "args", "event"],
                _ => &["event"],
            };
            for root in roots {
                self.root(root, list);
            }
        }
        if formulas {
            for (index, symbol) in self.here(SymbolKind::Event) {
                list.symbol(index, symbol);
            }
        }
        for (index, symbol) in self.here(SymbolKind::Predicate) {
            self.callable(index, symbol, list);
        }
        if values {
            for (index, symbol) in self.here(SymbolKind::Lookup) {
                self.callable(index, symbol, list);
            }
        }
        self.modules(list);
        if !values {
            return;
        }
        if self.near(SymbolKind::Context).next().is_some() {
            self.root("ctx", list);
        }
        if level == Level::Condition {
            self.root("event", list);
            if self.found.patterns.is_empty() || bare.is_none() {
                self.root("text", list);
            }
        }
        for word in words_of(WordKind::Aggregate).chain(words_of(WordKind::Function)) {
            if self.follows('(') {
                list.meaning(word, CompletionItemKind::FUNCTION);
            } else {
                list.function(word);
            }
        }
    }

    fn root(&self, name: &str, list: &mut List<'_>) {
        if let Some(word) = word_of(WordKind::Root, name) {
            list.meaning(word, CompletionItemKind::VARIABLE);
        }
    }

    /// A predicate or lookup with its parentheses.
    pub(super) fn callable(&self, index: usize, symbol: &Symbol, list: &mut List<'_>) {
        let params = self.parameters(symbol);
        let name = list.name(&symbol.name);
        match params {
            Some(params) if !self.follows('(') => {
                let inner: Vec<String> = params
                    .iter()
                    .enumerate()
                    .map(|(at, name)| format!("${{{}:{}}}", at + 1, escaped(name)))
                    .collect();
                let snippet = format!("{}({})$0", escaped(&name), inner.join(", "));
                list.symbol_snippet(index, symbol, &snippet, &name);
            }
            _ => list.symbol_as(index, symbol, &name),
        }
    }

    /// The names of the parameters of a predicate or lookup.
    fn parameters(&self, symbol: &Symbol) -> Option<Vec<String>> {
        let place = symbol.definitions.first()?;
        let units = &self.analysis.compiled.graph.units;
        let unit = units.iter().find(|unit| unit.source == place.source)?;
        unit.file.items.iter().find_map(|item| {
            let (name, params) = match &item.kind {
                ItemKind::Predicate(p) => (&p.name, &p.params),
                ItemKind::Lookup(l) => (&l.name, &l.params),
                _ => return None,
            };
            (name.span == place.span).then(|| params.iter().map(|p| p.name.name.clone()).collect())
        })
    }

    /// The type of what the place is compared with, or given for.
    pub(super) fn expected(&self) -> Option<Type> {
        let compared = self.found.compared.as_ref()?;
        let way = compared.way.as_slice();
        if let Some(head) = &compared.given {
            let kinds: &[SymbolKind] = match head.kind {
                "return" => &[SymbolKind::ResultField],
                _ => &[SymbolKind::Argument, SymbolKind::EventField],
            };
            return self.type_of_field(kinds, &head.names, way);
        }
        self.type_of(way)
    }

    /// The type of what a way from a name leads to at the place.
    fn type_of(&self, way: &[String]) -> Option<Type> {
        match way {
            [ctx, name] if ctx == "ctx" => self
                .near(SymbolKind::Context)
                .find(|(_, symbol)| symbol.name == *name)
                .and_then(|(_, symbol)| symbol.ty.clone()),
            [root, rest @ ..] if root == "args" || root == "result" => {
                let kind = if root == "args" {
                    SymbolKind::Argument
                } else {
                    SymbolKind::ResultField
                };
                let head = self.found.patterns.iter().find(|p| !p.kind.is_empty())?;
                self.type_of_field(&[kind], &head.names, rest)
            }
            [name] if self.locals().iter().any(|(_, s)| s.name == *name) => self
                .locals()
                .into_iter()
                .find(|(_, symbol)| symbol.name == *name)
                .and_then(|(_, symbol)| symbol.ty.clone()),
            way => {
                let (kind, head) = self.bare()?;
                self.type_of_field(&[kind], &head.names, way)
            }
        }
    }

    /// The type of a field of these tools or events, of one of these kinds.
    fn type_of_field(
        &self,
        kinds: &[SymbolKind],
        names: &[Vec<String>],
        way: &[String],
    ) -> Option<Type> {
        let (_, parents) = way.split_last()?;
        let owners = self.owners(names);
        kinds
            .iter()
            .flat_map(|kind| self.fields(*kind, &owners, parents))
            .find(|(_, symbol)| symbol.path == way)
            .and_then(|(_, symbol)| symbol.ty.clone())
    }

    /// Operators that no value of the type that stands before the place can be given to.
    pub(super) fn unfit_operators(&self) -> &'static [&'static str] {
        const OF_TEXTS: &[&str] = &[
            "matches",
            "like",
            "starts with",
            "ends with",
            "inside",
            "contains",
        ];
        let of_lists = OF_TEXTS.get(..5).unwrap_or_default();
        let way = self.found.operand.as_slice();
        if way.is_empty() {
            return &[];
        }
        match self.type_of(way) {
            Some(
                Type::Int(_)
                | Type::Number(_)
                | Type::Bool
                | Type::Null
                | Type::Timestamp
                | Type::Duration
                | Type::Record(_)
                | Type::Map(_),
            ) => OF_TEXTS,
            Some(Type::List(_)) => of_lists,
            _ => &[],
        }
    }

    /// The values of a type that has only so many.
    pub(super) fn constants(&self, ty: &Type, list: &mut List<'_>) {
        for value in constants(ty).unwrap_or_default() {
            let kind = CompletionItemKind::ENUM_MEMBER;
            match &value {
                Json::Str(text) => {
                    let written = list.string(text);
                    list.text(text, &written, kind, "", Doc::None);
                }
                Json::List(_) | Json::Record(_) => {}
                other if self.found.within == ctr_grammar::Within::Nothing => {
                    list.word(&types::json(other), kind, "", Doc::None);
                }
                _ => {}
            }
        }
    }
}
