//! What an analysis leaves for the next one of the same policies: what was proven of each component.
//!
//! What can be proven of contracts that share events depends on their texts and on what is declared around them, both of
//! which are compared whole. Findings are kept with places relative to the contracts, which may have moved since.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{Contract, Library, Place, SourceId};
use ctr_grammar::Span;

use crate::Options;
use crate::kinds::Open;

/// So many surroundings are remembered.
const SURROUNDINGS: usize = 2;

/// Components that are no longer there are forgotten when there are so many more than there are components.
const SPARE: usize = 64;

/// What was proven of components.
#[derive(Debug, Default)]
pub struct Memory {
    /// Those of the last analysis first.
    known: Vec<(Surroundings, Parts)>,
    /// Counts the analyses.
    now: u64,
}

/// What counts besides the texts of a component's contracts.
#[derive(Debug, PartialEq)]
struct Surroundings {
    /// Paths, and the texts without contracts, tests and comments.
    texts: Vec<(String, String)>,
    /// The tools that contracts name.
    tools: BTreeSet<(Option<String>, String)>,
    timeout: Duration,
    cores: usize,
}

/// By the texts of the contracts of a component, in order of the library.
type Parts = HashMap<Vec<String>, (u64, Part)>;

/// What was found in a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// Whether the contracts can be kept.
    pub(crate) first: Vec<Diagnostic>,
    /// What the environment can violate, with the contract's index.
    pub(crate) unenforceable: Vec<(usize, Diagnostic)>,
    /// The rest.
    pub(crate) rest: Vec<Diagnostic>,
    /// What stayed open: of `unenforceable`, then of the others.
    pub(crate) open: [Vec<Open>; 2],
    /// Sessions that keep all contracts, as lines.
    pub(crate) sessions: Vec<Vec<String>>,
    /// No session keeps all contracts.
    pub(crate) hopeless: bool,
}

impl Surroundings {
    fn of(library: &Library, options: &Options) -> Self {
        let mut holes: Vec<Vec<Span>> = vec![Vec::new(); library.sources.len()];
        let contracts = library.contracts.iter().map(|contract| contract.place);
        for place in contracts.chain(library.tests.iter().map(|test| test.place)) {
            if let Some(holes) = holes.get_mut(place.source.0 as usize) {
                holes.push(place.span);
            }
        }
        let texts = library.sources.iter().zip(holes);
        Self {
            texts: texts
                .map(|(source, holes)| (source.path.clone(), rest(&source.text, holes)))
                .collect(),
            tools: (library.tools.iter())
                .map(|tool| (tool.server.clone(), tool.name.clone()))
                .collect(),
            timeout: options.timeout,
            cores: options.cores,
        }
    }
}

/// A text without some stretches, empty lines and lines that are comments. No literal goes over a line's end.
fn rest(text: &str, mut holes: Vec<Span>) -> String {
    holes.sort_unstable();
    let mut kept = String::new();
    let mut from = 0;
    for hole in holes {
        kept.push_str(text.get(from..hole.start as usize).unwrap_or_default());
        from = from.max(hole.end as usize);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    // A line that looks like a comment may end a longer one.
    if kept.contains("/*") {
        return kept;
    }
    let lines = kept.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect();
    lines.join("\n")
}

/// The memory for the analysis of one library.
pub(crate) struct Remembered<'m, 'l> {
    library: &'l Library,
    parts: &'m mut Parts,
    now: u64,
}

impl Memory {
    /// What is remembered for a library.
    pub(crate) fn of<'m, 'l>(
        &'m mut self,
        library: &'l Library,
        options: &Options,
    ) -> Option<Remembered<'m, 'l>> {
        self.now += 1;
        let now = self.now;
        let surroundings = Surroundings::of(library, options);
        let entry = match self.known.iter().position(|(s, _)| *s == surroundings) {
            Some(at) => self.known.remove(at),
            None => (surroundings, Parts::new()),
        };
        self.known.insert(0, entry);
        self.known.truncate(SURROUNDINGS);
        let (_, parts) = self.known.first_mut()?;
        Some(Remembered {
            library,
            parts,
            now,
        })
    }
}

impl Remembered<'_, '_> {
    fn contracts(&self, component: &[usize]) -> Option<Vec<&Contract>> {
        let contracts = component.iter().map(|at| self.library.contracts.get(*at));
        contracts.collect()
    }

    fn key(&self, component: &[usize]) -> Option<Vec<String>> {
        let text = |contract: &Contract| {
            let source = self.library.sources.get(contract.place.source.0 as usize)?;
            Some(contract.place.span.text(&source.text).to_owned())
        };
        let contracts = self.contracts(component)?;
        contracts.into_iter().map(text).collect()
    }

    /// What is known of a component.
    pub(crate) fn known(&mut self, component: &[usize]) -> Option<Part> {
        let key = self.key(component)?;
        let (met, part) = self.parts.get_mut(&key)?;
        *met = self.now;
        let part = part.clone();
        let contracts = self.contracts(component)?;
        part.moved(
            &|place| {
                let contract = contracts.get(place.source.0 as usize)?.place;
                let by = contract.span.start;
                Some(Place {
                    source: contract.source,
                    span: Span::new(place.span.start + by, place.span.end + by),
                })
            },
            &|number| component.get(number).copied(),
        )
    }

    /// Remembers what was found in a component, if all of it is about its own contracts.
    pub(crate) fn remember(&mut self, component: &[usize], part: &Part) {
        let Some((key, contracts)) = self.key(component).zip(self.contracts(component)) else {
            return;
        };
        let moved = part.clone().moved(
            &|place| {
                let holds = |contract: &&Contract| {
                    let own = contract.place;
                    own.source == place.source
                        && own.span.start <= place.span.start
                        && place.span.end <= own.span.end
                };
                let number = contracts.iter().position(holds)?;
                let by = contracts.get(number)?.place.span.start;
                Some(Place {
                    source: SourceId(u32::try_from(number).ok()?),
                    span: Span::new(place.span.start - by, place.span.end - by),
                })
            },
            &|index| component.iter().position(|at| *at == index),
        );
        if let Some(part) = moved {
            self.parts.insert(key, (self.now, part));
        }
    }

    /// Forgets components that are no longer there, once there are many.
    pub(crate) fn finish(self, components: usize) {
        if self.parts.len() > components + SPARE {
            self.parts.retain(|_, (met, _)| *met == self.now);
        }
    }
}

impl Part {
    /// With other places and other numbers of contracts; `None` where one has no counterpart.
    fn moved(
        mut self,
        place: &dyn Fn(Place) -> Option<Place>,
        contract: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<Self> {
        for (number, _) in &mut self.unenforceable {
            *number = contract(*number)?;
        }
        let unenforceable = self.unenforceable.iter_mut().map(|(_, found)| found);
        for found in (self.first.iter_mut())
            .chain(unenforceable)
            .chain(&mut self.rest)
        {
            let labels = found.secondary.iter_mut().map(|label| &mut label.place);
            let edits = found.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
            for at in std::iter::once(&mut found.primary.place)
                .chain(labels)
                .chain(edits.map(|(at, _)| at))
            {
                *at = place(*at)?;
            }
        }
        Some(self)
    }
}
