//! From syntax trees to the core IR: names, scopes, types, expansion (language reference, sections
//! 3 to 9).
//!
//! An expression of the tree is a formula or a condition by where it stands: [`formula`] and
//! [`value`] read it as the one or the other, and each says so where it finds the other. Nothing is
//! rewritten in the tree; templates, `let`s and parameters are followed with the scope that belongs to
//! them. A pattern's conditions are read once for each tool that it names, since a field's declared
//! type decides how its value is read; equal readings are one pattern again.

mod aggregate;
mod compare;
mod contract;
mod decl;
mod expand;
mod form;
mod formula;
mod function;
mod index;
mod intern;
mod lints;
mod memory;
mod message;
mod names;
mod path;
mod pattern;
#[cfg(test)]
mod print;
mod regex;
mod scope;
mod test_block;
#[cfg(test)]
mod tests;
mod text;
mod tools;
mod typing;
mod value;
mod walk;

use std::collections::BTreeSet;
use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{self, ItemKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::ir::{
    AtomId, Contract, ExprId, Group, Library, Pattern, PatternId, Place, Side, SourceId, Step,
};
use crate::load::Graph;
use crate::types::Type;
pub use index::index;
use intern::Tables;
pub use memory::Memory;
use memory::Remembered;
use message::Messages;
pub use names::BUILTINS;
use names::Names;
use scope::{Local, LocalKind, Scope, Src, View};
pub use typing::name as type_name;

/// How deeply expressions may be nested, templates and `let`s expanded.
pub const MAX_DEPTH: u32 = 120;

/// How many expressions a contract may consist of, templates and `let`s expanded.
pub const MAX_NODES: u32 = 200_000;

/// The greatest number in `at most n times`, `within n steps` and their like.
pub const MAX_TIMES: u64 = 1024;

/// The most nodes of a formula after readable forms are written out.
pub const MAX_FORMULA: usize = 200_000;

/// Checks the files of a graph and lowers them. The library is absent where there are errors; the
/// findings are in no particular order.
pub(crate) fn check(graph: &Graph) -> (Option<Library>, Vec<Diagnostic>) {
    run(graph, None)
}

/// The findings of [`check`]. Contracts in which nothing was found before, and that are the same in the same
/// surroundings, are not read.
pub(crate) fn findings(graph: &Graph, memory: &mut Memory) -> Vec<Diagnostic> {
    run(graph, memory.of(graph)).1
}

fn run(
    graph: &Graph,
    mut memory: Option<Remembered<'_, '_>>,
) -> (Option<Library>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let names = Names::new(graph, &mut diagnostics);
    let messages = Messages::new(graph, &mut diagnostics);
    let mut checker = Checker::new(graph, &names, &messages);
    checker.files();
    let loaded = checker.loaded();
    let contracts: Vec<Read> = loaded
        .iter()
        .map(|at| checker.read(*at, memory.as_mut()))
        .collect();
    let tests = checker.tests(&loaded, &contracts);
    let used = std::mem::take(&mut checker.used_predicates);
    diagnostics.append(&mut checker.diagnostics);

    // Predicates that nothing expanded are read by themselves, into tables that are thrown away.
    let mut scratch = Checker::new(graph, &names, &messages);
    scratch.unused_predicates(&used);
    diagnostics.append(&mut scratch.diagnostics);
    checker.lints(&loaded, &contracts, &diagnostics, memory.as_mut());
    diagnostics.append(&mut checker.diagnostics);

    let mut seen = FxHashSet::default();
    diagnostics.retain(|d| {
        seen.insert((
            d.code,
            d.primary.place.source,
            d.primary.place.span,
            d.message.clone(),
        ))
    });
    if let Some(memory) = memory {
        memory.finish(contracts.len());
    }
    let incomplete = contracts.iter().any(|read| read.contract.is_none());
    if incomplete || diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return (None, diagnostics);
    }
    let mut library = Library {
        sources: graph.sources.clone(),
        declared: names.declared(),
        groups: std::mem::take(&mut checker.groups),
        events: names.events.clone(),
        lookups: names.lookups.clone(),
        contracts: contracts.into_iter().filter_map(|r| r.contract).collect(),
        tests,
        ..Library::default()
    };
    checker.tables.fill(&mut library);
    (Some(library), diagnostics)
}

/// A contract of a file: the unit, and the item in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct At {
    unit: usize,
    item: usize,
}

/// What became of a contract.
#[derive(Default)]
struct Read {
    /// `None` where it could not be lowered, and where nothing was found in it before.
    contract: Option<Contract>,
    /// Its `@id`.
    id: Option<String>,
}

/// Contracts in the order in which they are loaded, each once.
#[derive(Default)]
struct Loaded {
    order: Vec<At>,
    seen: FxHashSet<At>,
}

/// What is known of the contract that is being read.
#[derive(Default)]
struct Current<'a> {
    /// Its keys.
    keys: Vec<&'a ast::Ident>,
    /// The first place where each key is bound, and the type of the field.
    key_types: Vec<Option<(Type, Place)>>,
    /// The patterns of its formulas and deadlines.
    patterns: BTreeSet<PatternId>,
    /// Whether a formula's pattern binds the keys.
    bound: bool,
    /// The clause that is being read.
    side: Option<Side>,
    /// The contract itself, and its unit.
    contract: Option<(usize, &'a ast::Contract)>,
    /// Where the formula of the clause that is being read stands.
    clause: Option<Span>,
    /// The `let`s that were used, by their place.
    used_lets: FxHashSet<Place>,
    /// Its patterns and atoms by what they mean: one that is spelt in two ways is one, by its first
    /// text, so that its formulas speak of no more letters than there are.
    patterns_by_meaning: FxHashMap<Pattern, PatternId>,
    atoms_by_meaning: FxHashMap<ExprId, AtomId>,
    /// Whether an error was found in its patterns, so that what they bind is not known.
    broken: bool,
}

/// Something under which nothing may look ahead.
#[derive(Clone, Copy)]
enum Looking {
    /// An operator that looks back.
    Back(Place),
    /// What stands after `only while`.
    While(Place),
}

struct Checker<'a> {
    graph: &'a Graph,
    names: &'a Names<'a>,
    messages: &'a Messages,
    tables: Tables,
    diagnostics: Vec<Diagnostic>,
    current: Current<'a>,
    used_predicates: FxHashSet<(usize, &'a str)>,
    /// The event whose fields are read: aggregates have events of their own.
    frame: u32,
    frames: u32,
    /// How many quantifiers surround the expression, within its frame.
    vars: u32,
    /// What allows no operator that looks ahead: past operators around the formula, and `only while`.
    past: Vec<Looking>,
    /// Whether an aggregate's pattern or value is being read.
    in_aggregate: bool,
    depth: u32,
    nodes: u32,
    /// Where a key was used as a value since a pattern began.
    key_use: Option<(Place, String)>,
    /// The paths that `has` guards here.
    guards: Vec<(ExprId, Vec<Step>)>,
    /// The fields that the pattern reads with `args.` or `result.`: its author knows of them.
    explicit: Vec<String>,
    /// Whether reading an optional field is harmless here.
    lenient: u32,
    /// The places of unknown fields that a `has` guards: harmless where another tool has them.
    soft: FxHashSet<Place>,
    /// The groups whose tools are known.
    groups: Vec<Group>,
}

impl Read {
    fn of(contract: Option<Contract>) -> Self {
        let id = contract.as_ref().and_then(|c| c.id.clone());
        Self { contract, id }
    }
}

impl<'a> Checker<'a> {
    fn new(graph: &'a Graph, names: &'a Names<'a>, messages: &'a Messages) -> Self {
        Self {
            graph,
            names,
            messages,
            tables: Tables::default(),
            diagnostics: Vec::new(),
            current: Current::default(),
            used_predicates: FxHashSet::default(),
            frame: 0,
            frames: 0,
            vars: 0,
            past: Vec::new(),
            in_aggregate: false,
            depth: 0,
            nodes: 0,
            key_use: None,
            guards: Vec::new(),
            explicit: Vec::new(),
            lenient: 0,
            soft: FxHashSet::default(),
            groups: Vec::new(),
        }
    }

    /// Reads a contract, unless nothing was found in it before.
    fn read(&mut self, at: At, memory: Option<&mut Remembered<'_, '_>>) -> Read {
        let Some(memory) = memory else {
            return Read::of(self.contract(at));
        };
        let tested = self
            .contract_name(at)
            .is_some_and(|(name, _)| memory.is_tested(name));
        if !tested && let Some(known) = memory.known(at) {
            for (unit, name) in &known.predicates {
                let names = self.names.units.get(*unit);
                let name = names.and_then(|n| n.predicates.get_key_value(name.as_str()));
                if let Some((name, _)) = name {
                    self.used_predicates.insert((*unit, *name));
                }
            }
            return Read {
                contract: None,
                id: known.id.clone(),
            };
        }
        let before = self.diagnostics.len();
        let used = std::mem::take(&mut self.used_predicates);
        let contract = self.contract(at);
        // One that is too large was not read to its end.
        if let Some(contract) = &contract
            && self.diagnostics.len() == before
            && self.nodes <= MAX_NODES
        {
            let predicates = self.used_predicates.iter().copied();
            memory.remember(at, contract.id.as_deref(), predicates);
        }
        self.used_predicates.extend(used);
        Read::of(contract)
    }

    /// The text of a unit.
    fn src(&self, unit: usize) -> Src<'a> {
        let source = self.graph.units.get(unit).map_or(SourceId(0), |u| u.source);
        Src {
            unit,
            source,
            text: self.graph.text(source),
        }
    }

    /// A scope without local names and fields.
    fn scope(&self, unit: usize) -> Scope<'a> {
        Scope {
            src: self.src(unit),
            view: Rc::new(View::State),
            frame: self.frame,
            locals: None,
            uses: None,
        }
    }

    /// Takes a finding; where it stands in the expansion of templates it says where those were used.
    fn report(&mut self, mut diagnostic: Diagnostic, scope: &Scope<'a>) {
        let mut at = scope.uses.as_ref();
        while let Some(used) = at {
            diagnostic =
                diagnostic.with_label(used.place, format!("where `{}` is used", used.name));
            at = used.outer.as_ref();
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error at a span of a scope's text.
    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: impl Into<String>,
        scope: &Scope<'a>,
    ) {
        let mut diagnostic = Diagnostic::error(code, message, scope.place(span), label);
        let help = help.into();
        if !help.is_empty() {
            diagnostic = diagnostic.with_help(help);
        }
        self.report(diagnostic, scope);
    }

    /// Counts an expression; whether the contract may have so many. Reports once where not.
    fn spend(&mut self, span: Span, scope: &Scope<'a>) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            if self.nodes == MAX_NODES + 1 {
                self.error(
                    "E0435",
                    format!(
                        "the contract has more than {MAX_NODES} expressions when its predicates and `let`s are expanded"
                    ),
                    span,
                    "too large",
                    "split it into several contracts",
                    scope,
                );
            }
            return false;
        }
        true
    }

    /// One step deeper into an expression; whether that is allowed.
    fn enter(&mut self, span: Span, scope: &Scope<'a>) -> bool {
        if !self.spend(span, scope) {
            return false;
        }
        if self.depth >= MAX_DEPTH {
            // Said once; the rest of the contract is not read.
            self.nodes = MAX_NODES + 1;
            // The parser has a bound of its own, and one of the two is enough to say.
            let reported = self
                .graph
                .units
                .get(scope.src.unit)
                .is_some_and(|u| u.has_errors);
            if !reported {
                self.error(
                    "E0434",
                    format!("expressions are nested more than {MAX_DEPTH} deep here"),
                    span,
                    "too deep",
                    "split it into several clauses or `let`s",
                    scope,
                );
            }
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads something over an event of its own.
    fn framed<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.frames += 1;
        let frame = std::mem::replace(&mut self.frame, self.frames);
        let vars = std::mem::take(&mut self.vars);
        let guards = std::mem::take(&mut self.guards);
        let result = read(self);
        self.frame = frame;
        self.vars = vars;
        self.guards = guards;
        result
    }

    /// Reads something with its findings kept apart.
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Vec<Diagnostic>) {
        let before = std::mem::take(&mut self.diagnostics);
        let result = read(self);
        let found = std::mem::replace(&mut self.diagnostics, before);
        (result, found)
    }

    /// The text of a span, in one line.
    fn folded(&self, scope: &Scope<'a>, span: Span) -> String {
        text::fold(span.text(scope.src.text))
    }

    /// What concerns whole files: attributes in the wrong place, contracts of one name, groups.
    fn files(&mut self) {
        for (index, unit) in self.graph.units.iter().enumerate() {
            let scope = self.scope(index);
            for item in &unit.file.items {
                if !matches!(item.kind, ItemKind::Contract(_) | ItemKind::Error)
                    && let Some(attribute) = item.attributes.first()
                {
                    self.error(
                        "E0413",
                        format!(
                            "`@{}` stands before something that is no contract",
                            attribute.name.name
                        ),
                        attribute.span,
                        "attributes belong to contracts",
                        "move it before the contract that it is about",
                        &scope,
                    );
                }
                if let ItemKind::Group(group) = &item.kind {
                    self.check_group(index, group);
                }
            }
            self.unused_includes(index);
        }
    }

    /// The contracts that are loaded, in order of the text: an include stands for what it loads.
    fn loaded(&mut self) -> Vec<At> {
        let mut all = Loaded::default();
        for root in &self.graph.roots {
            self.load_unit(root.0 as usize, None, &mut all, 0);
        }
        let all = all.order;
        // Contracts of one name in two files.
        let mut first: FxHashMap<&str, (At, Place)> = FxHashMap::default();
        for at in &all {
            let Some((name, place)) = self.contract_name(*at) else {
                continue;
            };
            match first.get(name) {
                Some((old, before)) if old.unit != at.unit => {
                    let diagnostic = Diagnostic::error(
                        "E0405",
                        format!("two loaded files have a contract `{name}`"),
                        place,
                        "this one",
                    )
                    .with_label(*before, "and this one")
                    .with_help(
                        "verdicts name contracts: give one of them another name, or include only what you need: `include \"file.ctr\" { a, b }`",
                    );
                    self.diagnostics.push(diagnostic);
                }
                Some(_) => {}
                None => {
                    first.insert(name, (*at, place));
                }
            }
        }
        all
    }

    fn load_unit(&self, unit: usize, only: Option<&[ast::Ident]>, all: &mut Loaded, depth: usize) {
        let Some(found) = self.graph.units.get(unit) else {
            return;
        };
        if depth > self.graph.units.len() {
            return;
        }
        for (item, node) in found.file.items.iter().enumerate() {
            match &node.kind {
                ItemKind::Contract(contract) => {
                    let wanted =
                        only.is_none_or(|only| only.iter().any(|n| n.name == contract.name.name));
                    let at = At { unit, item };
                    if wanted && all.seen.insert(at) {
                        all.order.push(at);
                    }
                }
                ItemKind::Include(_) if only.is_none() => {
                    for include in found.includes.iter().filter(|i| i.span == node.span) {
                        self.load_unit(
                            include.unit.0 as usize,
                            include.only.as_deref(),
                            all,
                            depth + 1,
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// Names in `include "file" { a, b }` that the file does not have.
    fn unused_includes(&mut self, unit: usize) {
        let Some(found) = self.graph.units.get(unit) else {
            return;
        };
        let scope = self.scope(unit);
        for include in &found.includes {
            let target = include.unit.0 as usize;
            let Some(names) = self.names.units.get(target) else {
                continue;
            };
            if names.incomplete {
                continue;
            }
            for name in include.only.iter().flatten() {
                if !names.contracts.contains_key(name.name.as_str()) {
                    let path = self.graph.units.get(target).map_or("", |u| u.path.as_str());
                    let guess =
                        crate::suggest::nearest(&name.name, names.contracts.keys().copied());
                    let diagnostic = Diagnostic::error(
                        "E0409",
                        format!("`{path}` has no contract `{}`", name.name),
                        scope.place(name.span),
                        "unknown contract",
                    );
                    let diagnostic = suggest(diagnostic, guess, scope.place(name.span));
                    self.report(diagnostic, &scope);
                }
            }
        }
    }

    /// The name of a loaded contract, and its place.
    fn contract_name(&self, at: At) -> Option<(&'a str, Place)> {
        let unit = self.graph.units.get(at.unit)?;
        match &unit.file.items.get(at.item)?.kind {
            ItemKind::Contract(contract) => Some((
                contract.name.name.as_str(),
                Place {
                    source: unit.source,
                    span: contract.name.span,
                },
            )),
            _ => None,
        }
    }

    /// Reads the predicates of the user's files that no contract expanded.
    fn unused_predicates(&mut self, used: &FxHashSet<(usize, &'a str)>) {
        for (index, unit) in self.graph.units.iter().enumerate() {
            if unit.library {
                continue;
            }
            for item in &unit.file.items {
                let ItemKind::Predicate(predicate) = &item.kind else {
                    continue;
                };
                let Some(symbol) = self
                    .names
                    .units
                    .get(index)
                    .and_then(|u| u.predicates.get(predicate.name.name.as_str()))
                else {
                    continue;
                };
                if symbol.cyclic
                    || used.contains(&(index, predicate.name.name.as_str()))
                    || !std::ptr::eq(symbol.ast, predicate)
                {
                    continue;
                }
                let mut scope = self.scope(index);
                for (param, ty) in predicate.params.iter().zip(&symbol.params) {
                    scope.locals = Some(Rc::new(Local {
                        name: param.name.name.clone(),
                        kind: LocalKind::Opaque(ty.clone()),
                        next: scope.locals.clone(),
                    }));
                }
                self.nodes = 0;
                self.current = Current::default();
                if self.is_formula(&predicate.body, &scope) {
                    self.formula(&predicate.body, &scope);
                } else {
                    let scope = scope.seeing(Rc::new(View::Opaque), self.frame);
                    self.value(&predicate.body, &scope);
                }
            }
        }
    }
}

/// Adds the nearest name, and the change that writes it.
fn suggest(diagnostic: Diagnostic, guess: Option<&str>, place: Place) -> Diagnostic {
    match guess {
        Some(guess) => diagnostic
            .with_help(format!("did you mean `{guess}`?"))
            .with_fix(Fix {
                title: format!("write `{guess}`"),
                edits: vec![(place, guess.to_owned())],
                safe: false,
            }),
        None => diagnostic,
    }
}
