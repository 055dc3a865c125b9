//! What is found in one policy: first what its text says, then what automata and proofs add. Comments and settings are laid
//! over it as `ctrc check` does.

use std::time::Duration;

use ctr_check::{Cancel, Options};
use ctr_emit::Artifact;
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{self, Source};
use ctr_front::world::World;
use ctr_logic::Limits;
use ctr_project::compiled::{limits, sort};
use ctr_project::{Compiled, Fault, Looked, Settings};

/// The findings of one policy, as they are told.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The findings, with the texts that they point into: those of the policy's graph, in its order.
    pub(crate) compiled: Compiled,
    /// The same with what is told of comments that allow nothing, as a check of this policy alone has it.
    alone: Option<Vec<Diagnostic>>,
    /// What is wrong with its settings.
    pub(crate) settings: (Vec<Source>, Vec<Diagnostic>),
    /// Whether nothing more will be found.
    pub(crate) is_final: bool,
}

/// What the text of a policy says.
#[derive(Debug)]
pub(crate) struct Read {
    /// Before comments and settings.
    pub(crate) raw: Compiled,
    /// After.
    pub(crate) findings: Findings,
    /// How long to look for what can be proven.
    pub(crate) timeout: Duration,
    /// The most states of an automaton.
    pub(crate) max_states: usize,
}

impl Read {
    /// Of what the front end says of the policy at `path`.
    pub(crate) fn new(world: &dyn World, front: &ctr_front::Compiled, path: &str) -> Self {
        let raw = Compiled::of(front);
        let settings = Settings::nearest(world);
        let paths = [path.to_owned()];
        // Where it has errors there is nothing to build or to prove.
        let is_final = front.graph.has_errors || raw.has_errors();
        let looked = if is_final {
            Looked::Proven
        } else {
            Looked::Read
        };
        Self {
            timeout: settings.solver_timeout(&paths, None),
            max_states: settings.max_states(&paths, None),
            findings: Findings::new(raw.clone(), &settings, &paths, looked, is_final),
            raw,
        }
    }
}

impl Findings {
    fn new(
        mut compiled: Compiled,
        settings: &Settings<'_>,
        paths: &[String],
        looked: Looked,
        is_final: bool,
    ) -> Self {
        settings.judge(&mut compiled, paths, looked);
        let alone = (!compiled.unused.is_empty()).then(|| {
            let mut alone = compiled.clone();
            alone.tell_unused();
            alone.diagnostics
        });
        Self {
            compiled,
            alone,
            settings: settings.findings(),
            is_final,
        }
    }

    /// The findings of a check of this policy alone.
    pub(crate) fn alone(&self) -> &[Diagnostic] {
        self.alone.as_ref().unwrap_or(&self.compiled.diagnostics)
    }

    /// All that there is: `more` are the findings of automata and proofs.
    pub(crate) fn proven(
        world: &dyn World,
        read: &Read,
        more: Vec<Diagnostic>,
        path: &str,
    ) -> Self {
        let mut compiled = read.raw.clone();
        compiled.diagnostics.extend(more);
        sort(&mut compiled.diagnostics);
        let settings = Settings::nearest(world);
        let paths = [path.to_owned()];
        // As a check asks for them, so that the same settings count.
        let _ = settings.max_states(&paths, None);
        let _ = settings.solver_timeout(&paths, None);
        Self::new(compiled, &settings, &paths, Looked::Proven, true)
    }
}

/// What was built of a policy.
#[derive(Debug)]
pub(crate) struct Built {
    /// The artifact; `None` where an automaton is too large.
    pub(crate) artifact: Option<Artifact>,
    /// What the automata show.
    found: Vec<Diagnostic>,
}

impl Built {
    /// Builds a library; `None` where that was cancelled.
    pub(crate) fn new(library: &ir::Library, max_states: usize, cancel: &Cancel) -> Option<Self> {
        let mut compiled = Compiled::default();
        let over = || cancel.is_cancelled();
        let limits = Limits {
            cancel: Some(&over),
            ..limits(max_states)
        };
        let artifact = compiled.build(library, &limits);
        (!cancel.is_cancelled()).then_some(Self {
            artifact,
            found: compiled.diagnostics,
        })
    }

    /// What automata and proofs show; of no use where it was cancelled.
    ///
    /// # Errors
    ///
    /// For a fault of the compiler.
    pub(crate) fn findings(
        &self,
        library: &ir::Library,
        timeout: Duration,
        cancel: &Cancel,
        memory: &mut ctr_check::Memory,
    ) -> Result<Vec<Diagnostic>, Fault> {
        let mut compiled = Compiled {
            diagnostics: self.found.clone(),
            ..Compiled::default()
        };
        if let Some(artifact) = &self.artifact {
            let options = Options {
                timeout,
                cancel: cancel.clone(),
                ..Options::default()
            };
            compiled.prove_again(library, artifact, &options, memory)?;
        }
        Ok(compiled.diagnostics)
    }
}
