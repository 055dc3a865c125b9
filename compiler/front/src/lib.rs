//! The front end of the contract compiler: loading, names, types, and the core IR.

pub mod check;
pub mod codes;
pub mod codes_check;
pub mod config;
mod consequences;
pub mod diagnostic;
pub mod fix;
mod habits;
pub mod ir;
pub mod levels;
pub mod lines;
pub mod load;
pub mod schema;
pub mod suggest;
pub mod suppress;
pub mod symbols;
pub mod types;
pub mod world;

use std::sync::Arc;

use diagnostic::Diagnostic;
use load::Graph;
use world::World;

/// What a compilation gives.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The library; `None` where there are errors.
    pub library: Option<ir::Library>,
    /// The findings, in order of file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The files and their trees.
    pub graph: Graph,
}

/// Loads `roots` with all that they lead to, checks them and lowers their contracts and tests.
///
/// Never fails: whatever is wrong is a finding, and an error in one contract does not hide those of
/// another. Equal inputs give equal answers.
#[must_use]
pub fn compile(world: &dyn World, roots: &[String]) -> Compiled {
    let (graph, diagnostics) = load::load(world, roots);
    let (library, found) = check::check(&graph);
    let library = library.filter(|_| !graph.has_errors);
    finish(graph, library, diagnostics, found)
}

/// [`compile`] without the library, in less time where `memory` is that of the last compilation of the same roots:
/// the trees and the findings are the same.
#[must_use]
pub fn look(world: &dyn World, roots: &[String], memory: &mut Memory) -> Compiled {
    let (graph, diagnostics) = load::load_again(world, roots, &memory.parses);
    let found = check::findings(&graph, &mut memory.check);
    finish(graph, None, diagnostics, found)
}

/// The library of what was looked at; `None` where there are errors.
#[must_use]
pub fn library(compiled: &Compiled) -> Option<ir::Library> {
    if compiled.graph.has_errors {
        return None;
    }
    check::check(&compiled.graph).0
}

/// What a compilation leaves for the next one of the same roots.
#[derive(Debug, Default)]
pub struct Memory {
    check: check::Memory,
    parses: Arc<load::Parses>,
}

impl Memory {
    /// Knows nothing of the policies yet, and shares trees of texts with others.
    #[must_use]
    pub fn sharing(parses: &Arc<load::Parses>) -> Self {
        Self {
            check: check::Memory::default(),
            parses: Arc::clone(parses),
        }
    }
}

fn finish(
    graph: Graph,
    library: Option<ir::Library>,
    mut diagnostics: Vec<Diagnostic>,
    found: Vec<Diagnostic>,
) -> Compiled {
    diagnostics.extend(found);
    consequences::remove(&graph, &mut diagnostics);
    habits::explain(&graph.sources, &mut diagnostics);
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| {
            let place = d.primary.place;
            (place.source, place.span, d.code)
        };
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    consequences::join(&graph.sources, &mut diagnostics);
    Compiled {
        library,
        diagnostics,
        graph,
    }
}
