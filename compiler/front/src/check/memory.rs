//! What a check remembers for the next one of the same policies: the contracts in which nothing was found.
//!
//! What is found in a contract depends on its own text and on what is declared around it. Contracts of which nothing was
//! found are not read again while neither changes; all others are, so that no finding is ever moved or kept. Texts are
//! compared whole.

use std::collections::HashSet;

use ctr_grammar::Span;
use ctr_grammar::ast::ItemKind;
use rustc_hash::FxHashMap;

use super::At;
use crate::load::{Graph, Unit};
use crate::types::ToolDecl;

/// So many surroundings are remembered: a text that is broken and mended has two.
const SURROUNDINGS: usize = 4;

/// Contracts that are no longer there are forgotten when there are so many more than there are contracts.
const SPARE: usize = 256;

/// The contracts in which nothing was found.
#[derive(Debug, Default)]
pub struct Memory {
    /// The surroundings of the last check first.
    known: Vec<(Surroundings, Clean)>,
    /// Counts the checks.
    now: u64,
}

/// What is declared around contracts, and whatever else decides what is found in them.
#[derive(Debug, PartialEq)]
struct Surroundings {
    units: Vec<Around>,
}

/// What one file declares.
#[derive(Debug, PartialEq)]
struct Around {
    path: String,
    module: Option<String>,
    /// Of the library, with errors, with items that are unreadable, without some tools, without some includes.
    flags: [bool; 5],
    imports: Vec<(String, u32)>,
    missing: Vec<String>,
    tools: Vec<ToolDecl>,
    /// The texts of what is no contract and no test.
    declarations: Vec<String>,
}

/// The contracts of one surroundings in which nothing was found: for each file by their texts.
type Clean = Vec<FxHashMap<Box<str>, Known>>;

/// What is known of a contract in which nothing was found.
#[derive(Debug)]
pub(super) struct Known {
    /// The predicates that it expands, with their files.
    pub(super) predicates: Vec<(usize, String)>,
    /// Its `@id`.
    pub(super) id: Option<String>,
    /// Whether the warnings that are read off its tree were looked for as well.
    pub(super) linted: bool,
    /// The check that last met it.
    met: u64,
}

fn flags(unit: &Unit) -> [bool; 5] {
    [
        unit.library,
        unit.has_errors,
        unit.file.items.iter().any(|i| i.kind == ItemKind::Error),
        unit.tools_incomplete,
        unit.includes_incomplete,
    ]
}

/// The texts of what is no contract and no test.
fn declarations<'g>(graph: &'g Graph, unit: &'g Unit) -> impl Iterator<Item = &'g str> {
    let text = graph.text(unit.source);
    unit.file.items.iter().filter_map(move |item| {
        let other = matches!(
            item.kind,
            ItemKind::Contract(_) | ItemKind::Test(_) | ItemKind::Error
        );
        (!other).then(|| item.span.text(text))
    })
}

fn imports(unit: &Unit) -> impl Iterator<Item = (&str, u32)> {
    let imports = unit.imports.iter();
    imports.map(|import| (import.alias.as_str(), import.unit.0))
}

impl Around {
    fn of(graph: &Graph, unit: &Unit) -> Self {
        Self {
            path: unit.path.clone(),
            module: unit.module.clone(),
            flags: flags(unit),
            imports: imports(unit).map(|(a, u)| (a.to_owned(), u)).collect(),
            missing: unit.missing.clone(),
            tools: unit.tools.clone(),
            declarations: declarations(graph, unit).map(str::to_owned).collect(),
        }
    }

    /// Whether it is what a file declares now.
    fn is_of(&self, graph: &Graph, unit: &Unit) -> bool {
        self.path == unit.path
            && self.module == unit.module
            && self.flags == flags(unit)
            && (self.imports.iter().map(|(a, u)| (a.as_str(), *u))).eq(imports(unit))
            && self.missing == unit.missing
            && (self.declarations.iter().map(String::as_str)).eq(declarations(graph, unit))
            && self.tools == unit.tools
    }
}

impl Surroundings {
    fn of(graph: &Graph) -> Self {
        let units = graph.units.iter();
        Self {
            units: units.map(|unit| Around::of(graph, unit)).collect(),
        }
    }

    fn are_of(&self, graph: &Graph) -> bool {
        self.units.len() == graph.units.len()
            && (self.units.iter().zip(&graph.units)).all(|(around, unit)| around.is_of(graph, unit))
    }
}

/// Whether a syntax error stands in a span or at its ends.
fn is_broken(unit: &Unit, span: Span) -> bool {
    unit.errors
        .iter()
        .any(|error| error.start <= span.end && span.start <= error.end)
}

/// The memory for the check of one graph.
pub(super) struct Remembered<'m, 'g> {
    graph: &'g Graph,
    clean: &'m mut Clean,
    now: u64,
    /// Names of contracts that tests are limited to: what these watch is asked for.
    tested: HashSet<&'g str>,
}

impl Memory {
    /// What is remembered for a graph; `None` where declarations are broken, which are then not what their text says.
    pub(super) fn of<'m, 'g>(&'m mut self, graph: &'g Graph) -> Option<Remembered<'m, 'g>> {
        let mut tested = HashSet::new();
        for unit in &graph.units {
            for item in &unit.file.items {
                match &item.kind {
                    ItemKind::Test(test) => {
                        let names = test.contracts.iter().filter_map(|path| path.parts.last());
                        tested.extend(names.map(|name| name.name.as_str()));
                    }
                    ItemKind::Contract(_) | ItemKind::Error => {}
                    _ if is_broken(unit, item.span) => return None,
                    _ => {}
                }
            }
        }
        self.now += 1;
        let at = self.known.iter().position(|(s, _)| s.are_of(graph));
        let mut entry = match at {
            Some(at) => self.known.remove(at),
            None => (Surroundings::of(graph), Clean::new()),
        };
        entry.1.resize_with(graph.units.len(), FxHashMap::default);
        self.known.insert(0, entry);
        self.known.truncate(SURROUNDINGS);
        let now = self.now;
        let (_, clean) = self.known.first_mut()?;
        Some(Remembered {
            graph,
            clean,
            now,
            tested,
        })
    }
}

impl<'g> Remembered<'_, 'g> {
    /// The text of a contract that is read as it stands there.
    fn text(&self, at: At) -> Option<&'g str> {
        let unit = self.graph.units.get(at.unit)?;
        let item = unit.file.items.get(at.item)?;
        (!is_broken(unit, item.span)).then(|| item.span.text(self.graph.text(unit.source)))
    }

    /// What is known of a contract, if nothing was found in it.
    pub(super) fn known(&mut self, at: At) -> Option<&mut Known> {
        let text = self.text(at)?;
        let known = self.clean.get_mut(at.unit)?.get_mut(text)?;
        known.met = self.now;
        Some(known)
    }

    /// Whether a test asks what a contract watches.
    pub(super) fn is_tested(&self, name: &str) -> bool {
        self.tested.contains(name)
    }

    /// Remembers that nothing was found in a contract.
    pub(super) fn remember<'p>(
        &mut self,
        at: At,
        id: Option<&str>,
        predicates: impl Iterator<Item = (usize, &'p str)>,
    ) {
        let Some(text) = self.text(at) else {
            return;
        };
        let known = Known {
            predicates: predicates.map(|(u, n)| (u, n.to_owned())).collect(),
            id: id.map(str::to_owned),
            linted: false,
            met: self.now,
        };
        if let Some(clean) = self.clean.get_mut(at.unit) {
            clean.insert(text.into(), known);
        }
    }

    /// Forgets contracts that are no longer there, once there are many.
    pub(super) fn finish(self, contracts: usize) {
        if self.clean.iter().map(FxHashMap::len).sum::<usize>() > contracts + SPARE {
            for clean in self.clean.iter_mut() {
                clean.retain(|_, known| known.met == self.now);
            }
        }
    }
}
