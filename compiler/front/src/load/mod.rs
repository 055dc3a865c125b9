//! The module graph: which files a policy consists of (language reference, section 8).
//!
//! [`load`] reads the files named on the command line and everything that they import, include and
//! take tools from. It never fails: what could not be read is missing from the graph and reported.
//!
//! Where names lead:
//!
//! - `import "x.ctr"`, `include "x.ctr"` and `tools from "x.json"` are relative to the folder of the
//!   file that says so.
//! - `import std.declare` is a module that comes with the compiler; no file can take the place of a
//!   name that starts with `std.`.
//! - `import a.b` is the file `a/b.ctr` in the importing file's folder, or else in the nearest of that
//!   folder's parents up to the folder of the file named on the command line from which the importing
//!   file was first reached (where the importing file is not below that folder: in its own folder, then
//!   in that folder); or else a module of that name that comes with the compiler.
//! - Two paths with the same [`World::canonical`] are one file, which is loaded once.

mod cycles;
mod imports;
mod parses;
mod text;

use parses::Parsed;
pub use parses::Parses;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use ctr_grammar::ast::{self, Ident, ItemKind};
use ctr_grammar::{Span, SyntaxError};

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::ir::{Place, Source, SourceId};
use crate::suggest::nearest;
use crate::types::ToolDecl;
use crate::world::{self, ReadError, World};

/// The most files (policies and tool schemas together) that one compilation reads.
pub const MAX_FILES: usize = 10_000;

/// Index into [`Graph::units`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

/// A policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its text.
    pub source: SourceId,
    /// Its path, as in its source.
    pub path: String,
    /// The name in its first `module` line.
    pub module: Option<String>,
    /// Its tree.
    pub file: Arc<ast::File>,
    /// Its comments, in order of the text.
    pub comments: Arc<Vec<ctr_grammar::Comment>>,
    /// Whether it was named on the command line.
    pub root: bool,
    /// Whether it comes with the compiler.
    pub library: bool,
    /// Whether it has syntax errors, so that items may be missing from its tree.
    pub has_errors: bool,
    /// Where its syntax errors stand, in order.
    pub errors: Vec<Span>,
    /// What its syntax errors make unclear.
    pub doubts: ctr_grammar::Doubts,
    /// The tools of all its `tools from`, in order of the text; equal ones of one file and server once.
    pub tools: Vec<ToolDecl>,
    /// Whether some `tools from` could not be read in whole: an unknown tool or field is then no news.
    pub tools_incomplete: bool,
    /// Its imports, in order of the text.
    pub imports: Vec<ResolvedImport>,
    /// Its includes, in order of the text.
    pub includes: Vec<ResolvedInclude>,
    /// The aliases of imports that led nowhere or closed a cycle (reported already): names behind
    /// them are unknown for that reason alone.
    pub missing: Vec<String>,
    /// Whether an include led nowhere or closed a cycle (reported already).
    pub includes_incomplete: bool,
}

/// An import that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The name it has here.
    pub alias: String,
    /// The file. Never leads in a cycle.
    pub unit: UnitId,
    /// The whole line.
    pub span: Span,
}

/// An include that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedInclude {
    /// The file. Never leads in a cycle.
    pub unit: UnitId,
    /// The contracts to load; all where absent.
    pub only: Option<Vec<Ident>>,
    /// The whole line.
    pub span: Span,
}

/// All files of a compilation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The texts in load order: the roots in the order given, then what they lead to, policies and
    /// tool schemas; also a text for every root that could not be read (empty, or what could be read).
    pub sources: Vec<Source>,
    /// The policies: imported and included ones before those that name them, otherwise roots in the
    /// order given.
    pub units: Vec<Unit>,
    /// The roots that could be read, in the order given, each once.
    pub roots: Vec<UnitId>,
    /// Whether an error was found while they were read, of syntax or of files.
    pub has_errors: bool,
}

impl Graph {
    /// The unit of an id.
    #[must_use]
    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        self.units.get(id.0 as usize)
    }

    /// The text of a source; empty for an unknown id.
    #[must_use]
    pub fn text(&self, source: SourceId) -> &str {
        self.sources
            .get(source.0 as usize)
            .map_or("", |s| s.text.as_str())
    }
}

/// What the parser found, as a finding in a source.
#[must_use]
pub fn syntax_finding(error: SyntaxError, source: SourceId) -> Diagnostic {
    let at = |span| Place { source, span };
    let mut diagnostic =
        Diagnostic::error(error.code, error.message, at(error.span), String::new());
    for (span, text) in error.labels {
        if span == error.span && diagnostic.primary.text.is_empty() {
            diagnostic.primary.text = text;
        } else {
            diagnostic = diagnostic.with_label(at(span), text);
        }
    }
    if let Some((span, replacement)) = error.fix {
        let title = if replacement.is_empty() {
            "remove it".to_owned()
        } else if replacement == "\n" {
            "write a line end".to_owned()
        } else if replacement.contains('`') {
            format!("write {replacement}")
        } else {
            let shown = replacement.split_whitespace().collect::<Vec<_>>();
            format!("write `{}`", shown.join(" "))
        };
        diagnostic = diagnostic.with_fix(Fix {
            title,
            edits: vec![(at(span), replacement)],
            safe: error.safe,
        });
    }
    if let Some(help) = error.help {
        diagnostic = diagnostic.with_help(help);
    }
    diagnostic
}

/// Reads `roots` and everything that they lead to. The findings are in order of source and place.
pub fn load(world: &dyn World, roots: &[String]) -> (Graph, Vec<Diagnostic>) {
    load_with_limit(world, roots, MAX_FILES)
}

/// [`load`], with the trees of texts that are known already.
pub(crate) fn load_again(
    world: &dyn World,
    roots: &[String],
    parses: &Parses,
) -> (Graph, Vec<Diagnostic>) {
    load_from(world, roots, MAX_FILES, Some(parses))
}

/// [`load`], with at most `max_files` files.
pub fn load_with_limit(
    world: &dyn World,
    roots: &[String],
    max_files: usize,
) -> (Graph, Vec<Diagnostic>) {
    load_from(world, roots, max_files, None)
}

fn load_from(
    world: &dyn World,
    roots: &[String],
    max_files: usize,
    parses: Option<&Parses>,
) -> (Graph, Vec<Diagnostic>) {
    let mut loader = Loader {
        world,
        parses,
        max_files,
        full: false,
        sources: Vec::new(),
        units: Vec::new(),
        identities: HashMap::new(),
        tool_files: HashMap::new(),
        queue: VecDeque::new(),
        diagnostics: Vec::new(),
    };
    let mut root_units = Vec::new();
    for path in roots {
        if let Some(unit) = loader.root(path)
            && !root_units.contains(&unit)
        {
            root_units.push(unit);
        }
    }
    while let Some(unit) = loader.queue.pop_front() {
        loader.follow(unit);
    }
    let Loader {
        sources,
        units,
        mut diagnostics,
        ..
    } = loader;
    let mut graph = cycles::order(sources, units, &root_units, &mut diagnostics);
    graph.has_errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    diagnostics.sort_by_key(|d| (d.primary.place.source, d.primary.place.span));
    (graph, diagnostics)
}

/// A unit while its graph is being built: ids are in load order.
struct Draft {
    unit: Unit,
    /// What it was first reached from, as a folder.
    root_folder: String,
    /// The tool schemas whose tools it has, each with the server that they are of.
    seen: HashSet<(SourceId, Option<String>)>,
}

/// What is known of a file's identity.
#[derive(Clone, Copy)]
enum Known {
    /// It was loaded.
    Unit(usize),
    /// It is no text; reported.
    Unreadable,
}

/// A tool schema that was read.
struct ToolFile {
    source: SourceId,
    tools: Vec<ToolDecl>,
    complete: bool,
}

struct Loader<'w> {
    world: &'w dyn World,
    /// Trees of texts that other compilations read.
    parses: Option<&'w Parses>,
    max_files: usize,
    /// Whether the limit was reached and reported.
    full: bool,
    sources: Vec<Source>,
    units: Vec<Draft>,
    identities: HashMap<String, Known>,
    tool_files: HashMap<String, ToolFile>,
    queue: VecDeque<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Loader<'_> {
    /// A new source with an id of its own.
    fn add_source(&mut self, path: String, text: String) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.sources.push(Source { path, text });
        id
    }

    /// Loads a file named on the command line.
    fn root(&mut self, path: &str) -> Option<usize> {
        let path = if cfg!(windows) {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        let identity = self.world.canonical(&path);
        if let Some(known) = self.identities.get(&identity) {
            return match *known {
                Known::Unit(unit) => Some(unit),
                Known::Unreadable => None,
            };
        }
        let bytes = match self.world.read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let source = self.add_source(path.clone(), String::new());
                let place = Place {
                    source,
                    span: Span::default(),
                };
                self.identities.insert(identity, Known::Unreadable);
                self.diagnostics
                    .push(unreadable(&path, None, &error, place));
                return None;
            }
        };
        let root_folder = world::folder(&path).to_owned();
        let unit = self.add_unit(identity, path, bytes, root_folder, false, None)?;
        if let Some(draft) = self.units.get_mut(unit) {
            draft.unit.root = true;
        }
        Some(unit)
    }

    /// Takes a file that was read into the graph; `None` (reported) where it is no text or the limit
    /// is reached. `from` is the place that named it.
    fn add_unit(
        &mut self,
        identity: String,
        path: String,
        bytes: Vec<u8>,
        root_folder: String,
        library: bool,
        from: Option<Place>,
    ) -> Option<usize> {
        if !self.room(&path, from) {
            return None;
        }
        let text = match text::decode(bytes) {
            Ok(text) => text,
            Err(bad) => {
                self.bad_text(&path, bad, from);
                self.identities.insert(identity, Known::Unreadable);
                return None;
            }
        };
        let parsed = match self.parses {
            Some(parses) => parses.of(&path, &text),
            None => Parsed::of(&text),
        };
        let source = self.add_source(path.clone(), text);
        let has_errors = !parsed.errors.is_empty();
        let errors = parsed.errors.iter().map(|e| e.span).collect();
        self.diagnostics
            .extend(parsed.errors.into_iter().map(|e| syntax_finding(e, source)));
        for (span, seems) in parsed.mixed_names {
            self.diagnostics
                .push(mixed_name(Place { source, span }, &seems));
        }
        let module = self.module_name(source, &parsed.file);
        let unit = self.units.len();
        self.units.push(Draft {
            unit: Unit {
                source,
                path,
                module,
                file: parsed.file,
                comments: parsed.comments,
                root: false,
                library,
                has_errors,
                errors,
                doubts: parsed.doubts,
                tools: Vec::new(),
                tools_incomplete: false,
                imports: Vec::new(),
                includes: Vec::new(),
                missing: Vec::new(),
                includes_incomplete: false,
            },
            root_folder,
            seen: HashSet::new(),
        });
        self.identities.insert(identity, Known::Unit(unit));
        self.queue.push_back(unit);
        Some(unit)
    }

    /// The name in the first `module` line; others are errors.
    fn module_name(&mut self, source: SourceId, file: &ast::File) -> Option<String> {
        let mut first: Option<(String, Span)> = None;
        for item in &file.items {
            let ItemKind::Module(path) = &item.kind else {
                continue;
            };
            match &first {
                None => first = Some((imports::dotted(path), item.span)),
                Some((_, span)) => self.diagnostics.push(
                    Diagnostic::error(
                        "E0209",
                        "a file is one module, and this one already has a `module` line",
                        Place {
                            source,
                            span: item.span,
                        },
                        "second `module` line",
                    )
                    .with_label(
                        Place {
                            source,
                            span: *span,
                        },
                        "the first",
                    ),
                ),
            }
        }
        first.map(|(name, _)| name)
    }

    /// Whether another file may be read; reports once where not.
    fn room(&mut self, path: &str, from: Option<Place>) -> bool {
        if self.units.len() + self.tool_files.len() < self.max_files {
            return true;
        }
        if !self.full {
            self.full = true;
            let place = from.unwrap_or_else(|| Place {
                source: self.add_source(path.to_owned(), String::new()),
                span: Span::default(),
            });
            self.diagnostics.push(Diagnostic::error(
                "E0210",
                format!(
                    "more than {} files would be read; `{path}` and others are left out",
                    self.max_files
                ),
                place,
                "the first file left out",
            ));
        }
        false
    }

    /// Reports a file that is no UTF-8 text, at the byte where it stops being one.
    fn bad_text(&mut self, path: &str, bad: text::BadText, from: Option<Place>) {
        let end = u32::try_from(bad.prefix.len()).unwrap_or(u32::MAX);
        let source = self.add_source(path.to_owned(), bad.prefix);
        let place = Place {
            source,
            span: Span::new(end, end),
        };
        let mut diagnostic = Diagnostic::error(
            "E0204",
            format!("`{path}` is not UTF-8 text: {}", bad.what),
            place,
            "the text ends here",
        );
        if let Some(from) = from {
            diagnostic = diagnostic.with_label(from, "asked for here");
        }
        self.diagnostics.push(diagnostic.with_help(bad.help));
    }
}

/// The finding that a file which a text names cannot be read, with the name of one that is near.
fn unreadable_here(
    world: &dyn World,
    path: &str,
    written: &str,
    error: &ReadError,
    place: Place,
) -> Diagnostic {
    if *error == ReadError::NotFound {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let extension = |name: &str| name.rsplit_once('.').map(|(_, e)| e.to_owned());
        let mut names = world.names(if path.starts_with('/') && folder.is_empty() {
            "/"
        } else {
            folder
        });
        names.retain(|n| extension(n) == extension(name));
        if let Some(near) = nearest(name, names.iter().map(String::as_str)) {
            let start = written.rsplit_once('/').map_or("", |(folder, _)| folder);
            let near = if start.is_empty() {
                near.to_owned()
            } else {
                format!("{start}/{near}")
            };
            return unreadable(path, None, error, place)
                .with_help(format!("did you mean `{near}`?"));
        }
    }
    unreadable(path, Some(written), error, place)
}

/// The finding that a file cannot be read. `written` is how the text names it, where that differs.
fn unreadable(path: &str, written: Option<&str>, error: &ReadError, place: Place) -> Diagnostic {
    let (code, message, label) = match error {
        ReadError::NotFound => ("E0200", format!("there is no file `{path}`"), "not found"),
        ReadError::IsDirectory => (
            "E0201",
            format!("`{path}` is a directory, not a file"),
            "a directory",
        ),
        ReadError::Denied => (
            "E0202",
            format!("`{path}` cannot be read: permission denied"),
            "permission denied",
        ),
        ReadError::TooLarge { size, limit } => (
            "E0203",
            format!("`{path}` has {size} bytes; the limit is {limit}"),
            "too large",
        ),
        ReadError::Other(why) => (
            "E0202",
            format!("`{path}` cannot be read: {why}"),
            "cannot be read",
        ),
    };
    let diagnostic = Diagnostic::error(code, message, place, label);
    match (error, written) {
        (ReadError::NotFound, Some(written)) if written != path => diagnostic.with_help(format!(
            "`{written}` is looked for in the folder of the file that names it"
        )),
        _ => diagnostic,
    }
}

/// A name that a reader takes for another.
fn mixed_name(place: Place, seems: &str) -> Diagnostic {
    let plain = seems.trim_matches('`');
    Diagnostic::warning(
        "W0001",
        format!("a name that reads as `{plain}` has letters of another script"),
        place,
        "letters that only look like ASCII ones".to_owned(),
    )
    .with_help("a tool of the plain name is another tool".to_owned())
    .with_fix(Fix {
        title: format!("write `{plain}`"),
        edits: vec![(place, seems.to_owned())],
        safe: false,
    })
}
