//! A policy on its way from text to proofs.

use std::collections::BTreeSet;
use std::sync::Arc;

use ctr_check::{Memory, Options, Report};
use ctr_emit::Artifact;
use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::{self, Place, Source, SourceId};
use ctr_front::levels::Levels;
use ctr_front::suppress::{self, Suppressions, Unused};
use ctr_front::world::World;
use ctr_logic::Limits;
use ctr_runtime::format::Library;
use ctr_trace::judge;

use crate::codes;
use crate::error::Fault;

/// What this compiler calls itself in artifacts.
pub const COMPILER: &str = concat!("ctrc ", env!("CARGO_PKG_VERSION"));

/// What compiling some policies gave.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// The artifact and the library that it was made from; `None` where there are errors.
    pub built: Option<(ir::Library, Artifact)>,
    /// The findings, in order of file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: Vec<Source>,
    /// Those that come with the compiler.
    pub shipped: BTreeSet<SourceId>,
    /// The comments that allow warnings.
    pub suppressions: Suppressions,
    /// Of these, once the findings were judged: those that allowed nothing, each with the levels that hold there.
    pub unused: Vec<(Unused, Arc<Levels>)>,
    /// And those that allowed something, each with a code.
    pub used: Vec<(Place, String)>,
}

impl Compiled {
    /// What the front end says: nothing is built yet.
    #[must_use]
    pub fn of(front: &ctr_front::Compiled) -> Self {
        let units = front.graph.units.iter();
        let shipped = units.filter(|unit| unit.library).map(|unit| unit.source);
        Self {
            built: None,
            diagnostics: front.diagnostics.clone(),
            sources: front.graph.sources.clone(),
            shipped: shipped.collect(),
            suppressions: suppress::read(&front.graph, &codes::names()),
            unused: Vec::new(),
            used: Vec::new(),
        }
    }

    /// Builds the artifact of the library that the front end made; `None` where that has errors, which are added.
    pub fn build(&mut self, library: &ir::Library, limits: &Limits<'_>) -> Option<Artifact> {
        match ctr_emit::build(library, COMPILER, limits) {
            Ok(mut artifact) => {
                self.diagnostics.append(&mut artifact.warnings);
                sort(&mut self.diagnostics);
                Some(artifact)
            }
            Err(mut found) => {
                self.diagnostics.append(&mut found);
                None
            }
        }
    }

    /// Adds what can be proven of a library without errors.
    ///
    /// # Errors
    ///
    /// Where a session that shows a finding is not read as it was made.
    pub fn prove(
        &mut self,
        library: &ir::Library,
        artifact: &Artifact,
        options: &Options,
    ) -> Result<(), Fault> {
        let (model, bytes) = (&artifact.model, &artifact.bytes);
        let report = ctr_check::check(library, model, bytes, options).map_err(Fault)?;
        self.add_proofs(library, artifact, report)
    }

    /// [`Compiled::prove`], with what was proven of other texts of the same policies.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prove_again(
        &mut self,
        library: &ir::Library,
        artifact: &Artifact,
        options: &Options,
        memory: &mut Memory,
    ) -> Result<(), Fault> {
        let (model, bytes) = (&artifact.model, &artifact.bytes);
        let report =
            ctr_check::check_again(library, model, bytes, options, memory).map_err(Fault)?;
        self.add_proofs(library, artifact, report)
    }

    fn add_proofs(
        &mut self,
        library: &ir::Library,
        artifact: &Artifact,
        report: Report,
    ) -> Result<(), Fault> {
        // A session that shows a finding is read once more as a user would read it.
        for finding in &report.findings {
            if let Some(proof) = finding.proof.as_ref().filter(|p| !p.witness.is_empty()) {
                let loaded = Library::load(artifact.bytes.clone())
                    .map_err(|error| Fault(format!("the library: {error}")))?;
                let what = format!("`{}`", proof.kind);
                judge::shown(&loaded, &what, &proof.witness).map_err(Fault)?;
            }
        }
        // The automaton of such a contract says the same less exactly.
        let told: Vec<Place> = report
            .findings
            .iter()
            .filter(|found| matches!(found.code, "E0701" | "E0702"))
            .filter_map(|found| {
                let name = found.primary.place;
                library.contracts.iter().find(|c| c.name_place == name)
            })
            .flat_map(|contract| contract.clauses.iter().map(|clause| clause.place))
            .collect();
        self.diagnostics
            .retain(|found| found.code != "W0600" || !told.contains(&found.primary.place));
        self.diagnostics.extend(report.findings);
        sort(&mut self.diagnostics);
        Ok(())
    }

    /// [`Compiled::prove`], of what was built.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prove_built(&mut self, options: &Options) -> Result<(), Fault> {
        let Some((library, artifact)) = self.built.take() else {
            return Ok(());
        };
        self.prove(&library, &artifact, options)?;
        self.built = Some((library, artifact));
        Ok(())
    }

    /// Whether there is an error among the findings.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error)
    }

    /// Adds what is told of comments that allowed nothing.
    pub fn tell_unused(&mut self) {
        let unused = std::mem::take(&mut self.unused);
        let found = unused
            .iter()
            .filter_map(|(unused, levels)| levels.apply(unused.finding()));
        self.diagnostics.extend(found);
        sort(&mut self.diagnostics);
    }

    /// The path of a source; empty where there is none.
    #[must_use]
    pub fn path(&self, source: SourceId) -> &str {
        self.sources
            .get(source.0 as usize)
            .map_or("", |source| source.path.as_str())
    }
}

/// Compiles policies as one library. Neither comments nor settings are laid over the findings yet.
#[must_use]
pub fn compile(world: &dyn World, paths: &[String], max_states: usize) -> Compiled {
    let front = ctr_front::compile(world, paths);
    let mut compiled = Compiled::of(&front);
    if let Some(library) = front.library
        && let Some(artifact) = compiled.build(&library, &limits(max_states))
    {
        compiled.built = Some((library, artifact));
    }
    compiled
}

/// Limits of an automaton.
#[must_use]
pub fn limits(max_states: usize) -> Limits<'static> {
    Limits {
        states: max_states,
        ..Limits::default()
    }
}

/// The most states of an automaton where nothing says otherwise.
#[must_use]
pub fn default_max_states() -> usize {
    Limits::default().states
}

/// Whether a finding says that a question stayed open.
#[must_use]
pub fn is_undecided(found: &Diagnostic) -> bool {
    found
        .proof
        .as_ref()
        .is_some_and(|proof| proof.kind == "undecided")
}

/// In order of file and place.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|found| {
        let place = found.primary.place;
        (place.source, place.span.start)
    });
}

/// A finding with its sources renumbered.
#[must_use]
pub fn moved(mut diagnostic: Diagnostic, offset: u32) -> Diagnostic {
    let shift = |place: &mut Place| place.source = SourceId(place.source.0 + offset);
    shift(&mut diagnostic.primary.place);
    for label in &mut diagnostic.secondary {
        shift(&mut label.place);
    }
    for fix in &mut diagnostic.fixes {
        for (place, _) in &mut fix.edits {
            shift(place);
        }
    }
    diagnostic
}
