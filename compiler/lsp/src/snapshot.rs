//! What is known at one moment: the texts, and for each policy what the compiler says of it.
//!
//! A snapshot never changes. A change of a text gives the next one, which takes over what the change
//! cannot concern.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ctr_check::Cancel;
use ctr_front::Compiled;
use ctr_front::ir::{Source, SourceId};
use ctr_front::lines::{Encoding, Lines, Position};
use ctr_front::load::Parses;
use ctr_front::symbols::Symbols;
use ctr_words::ContractWords;
use lsp_types::{ClientCapabilities, Range, Uri};

use crate::documents::{Document, Documents};
use crate::features::tokens::Told;
use crate::findings::{Built, Findings, Read};
use crate::library;
use crate::overlay::{self, Overlay};
use crate::settings::Settings;
use crate::uri;

/// What the compiler says of one policy with all that it leads to.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// Trees, names, types; the findings of the text alone, with comments and settings laid over them
    /// ([`Snapshot::findings`] has those of proofs too). Without the library ([`Analysis::library`]).
    pub(crate) compiled: Compiled,
    /// What the text says.
    pub(crate) read: Read,
    /// The files and folders that it looked at.
    uses: BTreeSet<String>,
    library: OnceLock<Option<ctr_front::ir::Library>>,
    symbols: OnceLock<Symbols>,
    /// What contracts say in words, by their numbers.
    words: Mutex<BTreeMap<usize, Arc<ContractWords>>>,
}

impl Analysis {
    /// The index of names, made when it is first asked for.
    pub(crate) fn symbols(&self) -> &Symbols {
        self.symbols
            .get_or_init(|| ctr_front::check::index(&self.compiled.graph))
    }

    /// Its contracts as the compiler lowers them, when they are first asked for; `None` where there are errors.
    pub(crate) fn library(&self) -> Option<&ctr_front::ir::Library> {
        let library = || ctr_front::library(&self.compiled);
        self.library.get_or_init(library).as_ref()
    }

    /// What a contract of the library says in words; `make` is asked the first time, and again as long as it says that it had
    /// not the time to say all.
    pub(crate) fn words(
        &self,
        contract: usize,
        make: impl FnOnce() -> (ContractWords, bool),
    ) -> Arc<ContractWords> {
        let known = || self.words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = known().get(&contract) {
            return Arc::clone(words);
        }
        let (words, is_all) = make();
        let words = Arc::new(words);
        if is_all {
            known().insert(contract, Arc::clone(&words));
        }
        words
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

    /// What makes two texts one: the canonical path, or the address of a text of the library.
    pub(crate) fn identity(&self, id: SourceId) -> Option<String> {
        let path = self.path(id)?;
        let units = &self.compiled.graph.units;
        let library =
            library::is_module(path) && units.iter().any(|unit| unit.source == id && unit.library);
        Some(if library {
            library::identity(path)
        } else {
            overlay::canonical(path)
        })
    }

    /// The address of a source as the client can open it.
    pub(crate) fn address(&self, snapshot: &Snapshot, id: SourceId) -> Option<Uri> {
        snapshot.uri_of(&self.identity(id)?)
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
    /// Its path as the compiler is told it: where a link stands, not where it leads.
    pub(crate) path: String,
    analysis: OnceLock<Analysis>,
    built: OnceLock<Arc<Built>>,
    proven: OnceLock<Arc<Findings>>,
    memories: Arc<Memories>,
}

/// What was learned of a policy's texts so far, for the next of them.
#[derive(Debug)]
struct Memories {
    text: Mutex<ctr_front::Memory>,
    proofs: Mutex<ctr_check::Memory>,
}

impl Memories {
    fn sharing(parses: &Arc<Parses>) -> Arc<Self> {
        Arc::new(Self {
            text: Mutex::new(ctr_front::Memory::sharing(parses)),
            proofs: Mutex::default(),
        })
    }
}

impl Root {
    fn new(path: String, memories: Arc<Memories>) -> Arc<Self> {
        Arc::new(Self {
            path,
            memories,
            analysis: OnceLock::new(),
            built: OnceLock::new(),
            proven: OnceLock::new(),
        })
    }

    /// Whether nothing of what it read is among these.
    fn is_apart_from(&self, changes: &Changes) -> bool {
        self.analysis
            .get()
            .is_some_and(|known| !changes.concern(&known.uses))
    }

    /// What was proven of texts of it so far.
    pub(crate) fn proofs(&self) -> MutexGuard<'_, ctr_check::Memory> {
        let proofs = self.memories.proofs.lock();
        proofs.unwrap_or_else(PoisonError::into_inner)
    }

    /// What the compiler says of it, where that is known already.
    pub(crate) fn known(&self) -> Option<&Analysis> {
        self.analysis.get()
    }

    /// Whether all is known that there is to find.
    pub(crate) fn is_final(&self) -> bool {
        self.proven.get().is_some()
            || self
                .analysis
                .get()
                .is_some_and(|known| known.read.findings.is_final)
    }

    /// Takes what was built.
    pub(crate) fn set_built(&self, built: Arc<Built>) {
        let _ = self.built.set(built);
    }

    /// Takes what was proven.
    pub(crate) fn set_proven(&self, findings: Findings) {
        let _ = self.proven.set(Arc::new(findings));
    }
}

/// What is not as it was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Files, and folders whose names changed.
    paths: BTreeSet<String>,
    /// Folders with all that is in them, each with `/` at its end.
    below: Vec<String>,
}

impl Changes {
    /// The text of a file.
    pub(crate) fn text(path: &str) -> Self {
        Self {
            paths: BTreeSet::from([path.to_owned()]),
            below: Vec::new(),
        }
    }

    /// A file or folder was changed, made or taken away.
    pub(crate) fn add(&mut self, path: &str) {
        // Lists of names in a folder are used for suggestions.
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.paths.insert(folder.to_owned());
        }
        self.paths.insert(path.to_owned());
        let is_file = [".ctr", ".json", ".toml"]
            .iter()
            .any(|ending| path.ends_with(ending));
        if !is_file {
            self.below.push(format!("{path}/"));
        }
    }

    fn concern(&self, uses: &BTreeSet<String>) -> bool {
        !uses.is_disjoint(&self.paths)
            || self.below.iter().any(|folder| {
                let mut from = uses.range(folder.clone()..);
                from.next().is_some_and(|path| path.starts_with(folder))
            })
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
    /// Whether the client asks for the texts of addresses that are no files.
    pub(crate) asks_for_texts: bool,
    /// What the user has set.
    pub(crate) settings: Settings,
    /// The open documents.
    pub(crate) documents: Documents,
    /// The policies by canonical path.
    pub(crate) roots: BTreeMap<String, Arc<Root>>,
    /// The keys of these in the order in which findings are told.
    pub(crate) order: Arc<Vec<String>>,
    /// What is wrong with settings that concern no policy.
    pub(crate) idle: Arc<(Vec<Source>, Vec<ctr_front::diagnostic::Diagnostic>)>,
    /// The semantic tokens that the client knows.
    pub(crate) told: Arc<Told>,
    /// The trees of all policies' texts.
    pub(crate) parses: Arc<Parses>,
}

impl Snapshot {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self {
            generation: 0,
            encoding,
            client: Arc::default(),
            asks_for_texts: false,
            settings: Settings::default(),
            documents: Documents::new(),
            roots: BTreeMap::new(),
            order: Arc::default(),
            idle: Arc::default(),
            told: Arc::default(),
            parses: Arc::default(),
        }
    }

    /// For a client that can show this.
    pub(crate) fn for_client(mut self, client: ClientCapabilities) -> Self {
        self.client = Arc::new(client);
        self
    }

    /// With other settings.
    pub(crate) fn with_settings(&self, settings: Settings) -> Self {
        Self {
            settings,
            ..self.clone()
        }
    }

    /// The next snapshot: with these policies, each by its canonical path and as it is called, and what `changes` names read
    /// anew.
    pub(crate) fn next(
        &self,
        documents: Documents,
        policies: &[(String, String)],
        changes: &Changes,
    ) -> Self {
        let root = |(key, path): &(String, String)| {
            let root = match self.roots.get(key) {
                Some(root) if root.path == *path && root.is_apart_from(changes) => Arc::clone(root),
                known => {
                    let memories = known.map(|root| Arc::clone(&root.memories));
                    let memories = memories.unwrap_or_else(|| Memories::sharing(&self.parses));
                    Root::new(path.clone(), memories)
                }
            };
            (key.clone(), root)
        };
        let is_same = self.order.iter().eq(policies.iter().map(|(key, _)| key));
        Self {
            generation: self.generation + 1,
            encoding: self.encoding,
            client: Arc::clone(&self.client),
            asks_for_texts: self.asks_for_texts,
            settings: self.settings,
            documents,
            roots: policies.iter().map(root).collect(),
            order: if is_same {
                Arc::clone(&self.order)
            } else {
                Arc::new(policies.iter().map(|(key, _)| key.clone()).collect())
            },
            idle: Arc::clone(&self.idle),
            told: Arc::clone(&self.told),
            parses: Arc::clone(&self.parses),
        }
    }

    /// The same policies with other texts of these files, to see what would come of a change.
    pub(crate) fn with_texts<'p>(
        &self,
        documents: Documents,
        paths: impl Iterator<Item = &'p String>,
    ) -> Self {
        let policies: Vec<(String, String)> = self
            .order
            .iter()
            .filter_map(|key| Some((key.clone(), self.roots.get(key)?.path.clone())))
            .collect();
        let changes = Changes {
            paths: paths.cloned().collect(),
            below: Vec::new(),
        };
        self.next(documents, &policies, &changes)
    }

    /// The policies in the order in which findings are told.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.order.iter().filter_map(|key| self.roots.get(key))
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
            let path = std::slice::from_ref(&root.path);
            // Another text of it may be read just now, and is not waited for.
            let mut compiled = match root.memories.text.try_lock() {
                Ok(mut memory) => ctr_front::look(&world, path, &mut memory),
                Err(_) => {
                    ctr_front::look(&world, path, &mut ctr_front::Memory::sharing(&self.parses))
                }
            };
            let read = Read::new(&world, &compiled, &root.path);
            compiled
                .diagnostics
                .clone_from(&read.findings.compiled.diagnostics);
            Analysis {
                compiled,
                read,
                uses: world.asked(),
                library: OnceLock::new(),
                symbols: OnceLock::new(),
                words: Mutex::default(),
            }
        })
    }

    /// The findings of a policy as they are known: of its text at least, and of automata and proofs where these are done. Places
    /// are in the sources of its graph.
    pub(crate) fn findings<'r>(&self, root: &'r Root) -> &'r Findings {
        match root.proven.get() {
            Some(findings) => findings,
            None => &self.analysis(root).read.findings,
        }
    }

    /// [`Snapshot::findings`] of an open policy.
    pub(crate) fn findings_of(&self, document: &Document) -> Option<&Findings> {
        let path = overlay::canonical(&uri::path(document.uri.as_str())?);
        self.roots.get(&path).map(|root| self.findings(root))
    }

    /// What is built of a policy without errors, when it is first asked for. That can take long: `cancel` ends it, and a limit of
    /// states that is lower than that of the settings bounds it.
    pub(crate) fn built(&self, root: &Root, cancel: &Cancel) -> Option<Arc<Built>> {
        if let Some(built) = root.built.get() {
            return Some(Arc::clone(built));
        }
        let analysis = self.analysis(root);
        let library = analysis.library()?;
        let built = Built::new(library, analysis.read.max_states, cancel)?;
        Some(Arc::clone(root.built.get_or_init(|| Arc::new(built))))
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
            None => match path.strip_prefix(library::SCHEME) {
                Some(rest) => library::address(self, rest.trim_start_matches([':', '/'])),
                None => Some(uri::of_path(path)),
            }
            .and_then(|address| address.parse().ok()),
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
