//! What is known at one moment: the texts, and for each policy what the compiler says of it.
//!
//! A snapshot never changes. A change of a text gives the next one, which takes over what the change
//! cannot concern.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use ctr_front::Compiled;
use ctr_front::ir::{Source, SourceId};
use ctr_front::lines::{Encoding, Lines, Position};
use ctr_front::symbols::Symbols;
use lsp_types::{ClientCapabilities, Range, Uri};

use crate::documents::{Document, Documents};
use crate::features::tokens::Told;
use crate::findings;
use crate::overlay::{self, Overlay};
use crate::uri;

/// Of policies with larger automata the states are not counted for a lens.
const MAX_COUNTED: usize = 2_000;

/// What the compiler says of one policy with all that it leads to.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// Trees, names, types, findings.
    pub(crate) compiled: Compiled,
    /// The files and folders that it looked at.
    uses: BTreeSet<String>,
    symbols: OnceLock<Symbols>,
    /// How many states the automata of each contract have.
    sizes: OnceLock<BTreeMap<String, usize>>,
}

impl Analysis {
    /// How many states the automata of a contract have together; `None` where the policy has errors. Worked out when it is
    /// first asked for.
    pub(crate) fn states(&self, contract: &str) -> Option<usize> {
        let sizes = self.sizes.get_or_init(|| self.sizes().unwrap_or_default());
        sizes.get(contract).copied()
    }

    fn sizes(&self) -> Option<BTreeMap<String, usize>> {
        let library = self.compiled.library.as_ref()?;
        let limits = ctr_project::compiled::limits(MAX_COUNTED);
        let model = ctr_emit::model(library, ctr_project::COMPILER, &limits).ok()?;
        let size = |id: Option<u32>| {
            let automaton = id.and_then(|id| model.automata.get(id as usize));
            automaton.map_or(0, |automaton| automaton.states.len())
        };
        let of = |contract: &ctr_runtime::format::model::Contract| {
            let states = size(contract.assume) + size(contract.guarantee);
            (contract.name.clone(), states)
        };
        Some(model.contracts.iter().map(of).collect())
    }

    /// The index of names, made when it is first asked for.
    pub(crate) fn symbols(&self) -> &Symbols {
        self.symbols
            .get_or_init(|| ctr_front::check::index(&self.compiled.graph))
    }

    /// The places of all its texts.
    pub(crate) fn places(&self, encoding: Encoding) -> Vec<Places<'_>> {
        let sources = &self.compiled.graph.sources;
        sources
            .iter()
            .map(|source| Places::new(&source.text, encoding))
            .collect()
    }

    fn source(&self, id: SourceId) -> Option<&Source> {
        self.compiled.graph.sources.get(id.0 as usize)
    }

    /// The text of a source.
    pub(crate) fn text(&self, id: SourceId) -> Option<&str> {
        self.source(id).map(|source| source.text.as_str())
    }

    /// The path of a source.
    pub(crate) fn path(&self, id: SourceId) -> Option<&str> {
        self.source(id).map(|source| source.path.as_str())
    }

    /// Whether a path of a source is that of a policy of the user's.
    pub(crate) fn is_policy(&self, path: &str) -> bool {
        let units = &self.compiled.graph.units;
        units.iter().any(|unit| unit.path == path && !unit.library)
    }

    /// The source that a document is.
    pub(crate) fn source_of(&self, document: &Document) -> Option<SourceId> {
        let path = overlay::canonical(&uri::path(document.uri.as_str())?);
        let sources = &self.compiled.graph.sources;
        let index = sources
            .iter()
            .position(|source| overlay::canonical(&source.path) == path)?;
        u32::try_from(index).ok().map(SourceId)
    }
}

/// A policy that is checked by itself, as each file that `ctrc check` finds in a folder is.
#[derive(Debug)]
pub(crate) struct Root {
    /// Its canonical path.
    pub(crate) path: String,
    analysis: OnceLock<Analysis>,
}

impl Root {
    fn new(path: String) -> Arc<Self> {
        Arc::new(Self {
            path,
            analysis: OnceLock::new(),
        })
    }

    /// Whether nothing of what it read is among these.
    fn is_apart_from(&self, changed: &BTreeSet<String>) -> bool {
        self.analysis
            .get()
            .is_some_and(|known| known.uses.is_disjoint(changed))
    }
}

/// What is known at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// Counts the changes.
    pub(crate) generation: u64,
    /// In what the client counts columns.
    pub(crate) encoding: Encoding,
    /// What the client can show.
    pub(crate) client: Arc<ClientCapabilities>,
    /// The open documents.
    pub(crate) documents: Documents,
    /// The policies by path.
    pub(crate) roots: BTreeMap<String, Arc<Root>>,
    /// The semantic tokens that the client knows.
    pub(crate) told: Arc<Told>,
}

impl Snapshot {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self {
            generation: 0,
            encoding,
            client: Arc::default(),
            documents: Documents::new(),
            roots: BTreeMap::new(),
            told: Arc::default(),
        }
    }

    /// For a client that can show this.
    pub(crate) fn for_client(mut self, client: ClientCapabilities) -> Self {
        self.client = Arc::new(client);
        self
    }

    /// The next snapshot: with these policies, and what `changed` names read anew.
    pub(crate) fn next(
        &self,
        documents: Documents,
        roots: BTreeSet<String>,
        changed: &BTreeSet<String>,
    ) -> Self {
        let roots = roots
            .into_iter()
            .map(|path| {
                let root = match self.roots.get(&path) {
                    Some(root) if root.is_apart_from(changed) => Arc::clone(root),
                    _ => Root::new(path.clone()),
                };
                (path, root)
            })
            .collect();
        Self {
            generation: self.generation + 1,
            encoding: self.encoding,
            client: Arc::clone(&self.client),
            documents,
            roots,
            told: Arc::clone(&self.told),
        }
    }

    /// The open document of an address.
    pub(crate) fn document(&self, uri: &Uri) -> Option<&Arc<Document>> {
        let path = uri::path(uri.as_str())?;
        self.documents.get(&overlay::canonical(&path))
    }

    /// What the compiler says of a policy, found out when it is first asked for.
    pub(crate) fn analysis<'r>(&self, root: &'r Root) -> &'r Analysis {
        root.analysis.get_or_init(|| {
            let world = Overlay::new(&self.documents);
            let mut compiled = ctr_front::compile(&world, std::slice::from_ref(&root.path));
            findings::lay_over(&world, &mut compiled, &root.path);
            Analysis {
                compiled,
                uses: world.asked(),
                symbols: OnceLock::new(),
                sizes: OnceLock::new(),
            }
        })
    }

    /// What the compiler says of an open policy.
    pub(crate) fn of_document(&self, document: &Document) -> Option<&Analysis> {
        let path = overlay::canonical(&uri::path(document.uri.as_str())?);
        self.roots.get(&path).map(|root| self.analysis(root))
    }

    /// The client's spelling of a path's address where the document is open, else the plain one.
    pub(crate) fn uri_of(&self, path: &str) -> Option<Uri> {
        match self.documents.get(&overlay::canonical(path)) {
            Some(document) => Some(document.uri.clone()),
            None => uri::of_path(path).parse().ok(),
        }
    }
}

/// Byte offsets of a text as the client counts.
pub(crate) struct Places<'t> {
    lines: Lines<'t>,
    encoding: Encoding,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str, encoding: Encoding) -> Self {
        Self {
            lines: Lines::of_editor(text),
            encoding,
        }
    }

    pub(crate) fn position(&self, offset: u32) -> lsp_types::Position {
        let position = self.lines.position(offset as usize, self.encoding);
        lsp_types::Position {
            line: position.line,
            character: position.character,
        }
    }

    pub(crate) fn range(&self, span: ctr_grammar::Span) -> Range {
        Range {
            start: self.position(span.start),
            end: self.position(span.end),
        }
    }

    pub(crate) fn offset(&self, position: lsp_types::Position) -> u32 {
        let position = Position {
            line: position.line,
            character: position.character,
        };
        let offset = self.lines.offset(position, self.encoding);
        u32::try_from(offset).unwrap_or(u32::MAX)
    }
}
