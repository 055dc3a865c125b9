//! Settings: `ctrc.toml` and levels given otherwise, laid over findings (`docs/configuration.md`).
//!
//! What a file says and which file counts is decided by `ctr_front::config`, what a comment allows by
//! `ctr_front::suppress`; here they meet.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use ctr_front::config::{Config, Finder};
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{Source, SourceId};
use ctr_front::levels::Levels;
use ctr_front::world::{ReadError, World};

use crate::codes;
use crate::compiled::{Compiled, default_max_states, is_undecided, moved, sort};

/// How long is looked for what can be proven where nothing says otherwise.
pub const SOLVER_TIMEOUT: Duration = Duration::from_secs(10);

/// What was looked for in a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// What its text says: neither automata nor proofs.
    Read,
    /// All but what is proven of its contracts.
    Compiled,
    /// All.
    Proven,
}

/// The settings of a run.
pub struct Settings<'w> {
    finder: RefCell<Finder<'w>>,
    flags: Levels,
    /// Whether policies are only the means: nothing is denied then.
    means: bool,
    /// The files that counted for something.
    used: RefCell<Vec<Arc<Config>>>,
    /// What is told of files beside these.
    told: RefCell<Vec<(Source, Diagnostic)>>,
}

impl<'w> Settings<'w> {
    /// Those of the nearest files alone.
    #[must_use]
    pub fn nearest(world: &'w dyn World) -> Self {
        Self {
            finder: RefCell::new(Finder::new(world, codes::names())),
            flags: Levels::default(),
            means: false,
            used: RefCell::default(),
            told: RefCell::default(),
        }
    }

    /// Those of the nearest files, for policies that are only the means.
    #[must_use]
    pub fn means(world: &'w dyn World) -> Self {
        Self {
            means: true,
            ..Self::nearest(world)
        }
    }

    /// With levels that count before those of files.
    #[must_use]
    pub fn under(mut self, flags: Levels) -> Self {
        self.flags = flags;
        self
    }

    /// With no file at all.
    #[must_use]
    pub fn without_files(mut self) -> Self {
        self.finder.get_mut().only(None);
        self
    }

    /// With this file alone.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn from_file(mut self, path: &str) -> Result<Self, ReadError> {
        let finder = self.finder.get_mut();
        let config = finder.named(path)?;
        finder.only(Some(Arc::clone(&config)));
        // What is wrong with it is told also where no policy asks.
        self.used.get_mut().push(config);
        Ok(self)
    }

    /// The file that counts for a policy.
    pub fn of(&self, path: &str) -> Option<Arc<Config>> {
        let config = self.finder.borrow_mut().nearest(path)?;
        let mut used = self.used.borrow_mut();
        if !used.iter().any(|other| Arc::ptr_eq(other, &config)) {
            used.push(Arc::clone(&config));
        }
        Some(config)
    }

    /// Whether a file or folder that a search came upon is left out.
    pub fn excludes(&self, path: &str, is_folder: bool) -> bool {
        self.finder.borrow_mut().excludes(path, is_folder)
    }

    /// Whether a file is left out, itself or with a folder above it.
    pub fn excludes_deep(&self, path: &str) -> bool {
        self.finder.borrow_mut().excludes_deep(path)
    }

    /// The `ctrc.toml` of a folder that was searched, which has no policy below it.
    pub fn idle(&self, path: &str) {
        let found = Diagnostic::warning(
            "W0806",
            "there is no policy below these settings",
            ctr_front::ir::Place {
                source: SourceId(0),
                span: ctr_grammar::Span::default(),
            },
            "counts for nothing",
        )
        .with_help("move it to the folder of the policies, or one above");
        self.tell(path.to_owned(), found);
    }

    fn tell(&self, path: String, found: Diagnostic) {
        let mut told = self.told.borrow_mut();
        if !told.iter().any(|(source, _)| source.path == path) {
            let text = String::new();
            told.push((Source { path, text }, found));
        }
    }

    /// How long to look for what can be proven of a library: what the command line says, else the file of
    /// its first policy.
    pub fn solver_timeout(&self, paths: &[String], flag: Option<Duration>) -> Duration {
        flag.or_else(|| self.of(paths.first()?)?.solver_timeout)
            .unwrap_or(SOLVER_TIMEOUT)
    }

    /// The most states that an automaton of a library may have, in the same way.
    pub fn max_states(&self, paths: &[String], flag: Option<usize>) -> usize {
        flag.or_else(|| self.of(paths.first()?)?.max_states)
            .unwrap_or_else(default_max_states)
    }

    /// The width of a formatted policy, where its file says one.
    pub fn width(&self, path: &str) -> Option<usize> {
        self.of(path)?.width
    }

    /// Lays comments and levels over the findings of a library. Of each finding the file counts that is
    /// nearest to where it stands; where there is none (and for what comes with the compiler) that of the
    /// first policy. Comments that allowed nothing are left to [`Compiled::tell_unused`].
    pub fn judge(&self, compiled: &mut Compiled, paths: &[String], looked: Looked) {
        for path in paths {
            let misnamed = self.finder.borrow_mut().misnamed(path);
            if let Some((path, found)) = misnamed {
                self.tell(path, found);
            }
        }
        let is_open = compiled.diagnostics.iter().any(is_undecided);
        let proven = looked == Looked::Proven && !is_open;
        let looked_for = |code: &str| {
            proven
                || !(code.starts_with("W07") || (looked == Looked::Read && code.starts_with("W06")))
        };
        let suppressions = std::mem::take(&mut compiled.suppressions);
        let found = std::mem::take(&mut compiled.diagnostics);
        let applied = suppressions.apply(found, &looked_for);
        let mut known: Vec<Option<Arc<Levels>>> = vec![None; compiled.sources.len()];
        compiled.diagnostics = applied
            .diagnostics
            .into_iter()
            .filter_map(|found| {
                let source = found.primary.place.source;
                self.levels(compiled, &mut known, source, paths)
                    .apply(found)
            })
            .collect();
        compiled.suppressions = suppressions;
        compiled.unused = applied
            .unused
            .into_iter()
            .map(|unused| {
                let source = unused.suppression.place.source;
                let levels = self.levels(compiled, &mut known, source, paths);
                (unused, levels)
            })
            .collect();
        compiled.used = applied.used;
        if compiled.has_errors() {
            compiled.built = None;
        }
        sort(&mut compiled.diagnostics);
    }

    /// What is wrong with the files that counted, by the levels that they give themselves.
    #[must_use]
    pub fn findings(&self) -> (Vec<Source>, Vec<Diagnostic>) {
        let mut sources = Vec::new();
        let mut diagnostics = Vec::new();
        let mut add = |source: &Source, levels: &Levels, found: &[Diagnostic]| {
            if found.is_empty() {
                return;
            }
            let offset = u32::try_from(sources.len()).unwrap_or(u32::MAX);
            sources.push(source.clone());
            let told = found.iter().filter_map(|found| levels.apply(found.clone()));
            diagnostics.extend(told.map(|found| moved(found, offset)));
        };
        for config in self.used.borrow().iter() {
            add(&config.source, &self.over(&config.levels), &config.findings);
        }
        for (source, found) in self.told.borrow().iter() {
            add(
                source,
                &self.over(&Levels::default()),
                std::slice::from_ref(found),
            );
        }
        (sources, diagnostics)
    }

    /// Of these, what is told of files that count for nothing.
    #[must_use]
    pub fn idle_findings(&self) -> (Vec<Source>, Vec<Diagnostic>) {
        let used = std::mem::take(&mut *self.used.borrow_mut());
        let told = self.findings();
        *self.used.borrow_mut() = used;
        told
    }

    /// Adds them to the findings of a library.
    pub fn add_findings(&self, compiled: &mut Compiled) {
        let (sources, diagnostics) = self.findings();
        let offset = u32::try_from(compiled.sources.len()).unwrap_or(u32::MAX);
        compiled.sources.extend(sources);
        compiled
            .diagnostics
            .extend(diagnostics.into_iter().map(|found| moved(found, offset)));
        if compiled.has_errors() {
            compiled.built = None;
        }
    }

    /// The levels of a file with what counts above them.
    fn over(&self, levels: &Levels) -> Levels {
        let all = levels.under(&self.flags);
        if self.means { all.without_deny() } else { all }
    }

    /// The levels that hold in a source of a library.
    fn levels(
        &self,
        compiled: &Compiled,
        known: &mut [Option<Arc<Levels>>],
        source: SourceId,
        paths: &[String],
    ) -> Arc<Levels> {
        let index = source.0 as usize;
        if let Some(Some(levels)) = known.get(index) {
            return Arc::clone(levels);
        }
        let own = compiled
            .sources
            .get(index)
            .filter(|_| !compiled.shipped.contains(&source))
            .and_then(|source| self.of(&source.path));
        let config = own.or_else(|| self.of(paths.first()?));
        let none = Levels::default();
        let levels = Arc::new(self.over(config.as_ref().map_or(&none, |c| &c.levels)));
        if let Some(slot) = known.get_mut(index) {
            *slot = Some(Arc::clone(&levels));
        }
        levels
    }
}
