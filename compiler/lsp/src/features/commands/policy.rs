//! A policy that commands work on: compiled, built, without errors.

use ctr_emit::Artifact;
use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::{self, Place};
use ctr_front::lines::Lines;
use ctr_project::{Looked, Settings, compiled};
use ctr_runtime::format::Library;
use lsp_types::{Range, Uri};

use crate::library;
use crate::overlay::{self, Overlay};
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use crate::uri;

/// A policy as `ctrc test` takes it.
pub(crate) struct Policy {
    /// Its path.
    pub(crate) path: String,
    pub(crate) library: ir::Library,
    pub(crate) artifact: Artifact,
}

impl Policy {
    /// Compiles a policy with all that it leads to, from the texts as the editor has them.
    ///
    /// # Errors
    ///
    /// Where it is none, cannot be read or has errors. `before` says what was not done for that.
    pub(crate) fn open(snapshot: &Snapshot, uri: &Uri, before: &str) -> Result<Self, Failure> {
        let refused = |what: String| Failure::Refused(format!("{before}: {what}"));
        let path = uri::path(uri.as_str())
            .ok_or_else(|| refused(format!("`{}` is no file", uri.as_str())))?;
        let path = overlay::canonical(&path);
        let world = Overlay::new(&snapshot.documents);
        let settings = Settings::nearest(&world);
        let paths = std::slice::from_ref(&path);
        let mut compiled = compiled::compile(&world, paths, settings.max_states(paths, None));
        settings.judge(&mut compiled, paths, Looked::Compiled);
        match compiled.built {
            Some((library, artifact)) => Ok(Self {
                path,
                library,
                artifact,
            }),
            None => Err(refused(first_error(
                &compiled.sources,
                &compiled.diagnostics,
                &path,
            ))),
        }
    }

    /// The artifact as the runtime has it.
    ///
    /// # Errors
    ///
    /// None that a user can cause.
    pub(crate) fn loaded(&self) -> Result<Library<'static>, Failure> {
        Library::load(self.artifact.bytes.clone())
            .map_err(|error| Failure::Refused(format!("internal error of ctrc: {error}")))
    }

    /// The number of a contract.
    ///
    /// # Errors
    ///
    /// Where there is none of that name.
    pub(crate) fn contract(&self, name: &str) -> Result<usize, Failure> {
        let contracts = &self.library.contracts;
        if let Some(index) = contracts.iter().position(|c| c.name == name) {
            return Ok(index);
        }
        let names = contracts.iter().map(|c| c.name.as_str());
        let hint = ctr_front::suggest::nearest(name, names)
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        Err(Failure::Refused(format!(
            "the policy has no contract `{name}`{hint}"
        )))
    }

    /// A place as the client has it.
    pub(crate) fn location(&self, snapshot: &Snapshot, place: Place) -> Option<(Uri, Range)> {
        let source = self.library.sources.get(place.source.0 as usize)?;
        let places = Places::new(&source.text, snapshot.encoding);
        let uri = match library::is_module(&source.path) {
            true => snapshot.uri_of(&library::identity(&source.path)),
            false => snapshot.uri_of(&source.path),
        };
        Some((uri?, places.range(place.span)))
    }
}

/// How many errors there are, and the first of them.
fn first_error(sources: &[ir::Source], found: &[Diagnostic], path: &str) -> String {
    let errors = || found.iter().filter(|d| d.severity == Severity::Error);
    let Some(first) = errors().next() else {
        return "the policy cannot be built".to_owned();
    };
    let count = match errors().count() {
        1 => "the policy has an error".to_owned(),
        n => format!("the policy has {n} errors, the first"),
    };
    let place = first.primary.place;
    let at = sources.get(place.source.0 as usize).map(|source| {
        let line = Lines::new(&source.text)
            .locate(place.span.start as usize)
            .line;
        match source.path == path {
            true => format!(" in line {line}"),
            false => format!(" in line {line} of {}", source.path),
        }
    });
    format!("{count}{}: {}", at.unwrap_or_default(), first.message)
}
