//! All that is found in the policies of a project: what `ctrc check` tells, and an editor shows.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::fix::Judged;
use ctr_front::ir::Source;
use ctr_front::world::World;
use ctr_grammar::Span;

use crate::compiled::{self, Compiled, moved};
use crate::error::Fault;
use crate::settings::{Looked, Settings};

/// Whether to prove what can be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proofs {
    /// Not at all.
    None,
    /// As long as the settings say.
    BySettings,
    /// At most so long for each library.
    Within(Duration),
}

/// All that is found in libraries, and what is wrong with the settings.
///
/// # Errors
///
/// For a fault of the compiler.
pub fn judge(
    world: &dyn World,
    libraries: &[Vec<String>],
    settings: &Settings<'_>,
    proofs: Proofs,
) -> Result<Judged, Fault> {
    let mut all = Vec::new();
    for paths in libraries {
        let mut compiled = compiled::compile(world, paths, settings.max_states(paths, None));
        let timeout = match proofs {
            Proofs::None => None,
            Proofs::BySettings => Some(None),
            Proofs::Within(timeout) => Some(Some(timeout)),
        };
        let looked = match timeout {
            Some(timeout) => {
                compiled.prove_built(&ctr_check::Options {
                    timeout: settings.solver_timeout(paths, timeout),
                    ..ctr_check::Options::default()
                })?;
                Looked::Proven
            }
            None => Looked::Compiled,
        };
        settings.judge(&mut compiled, paths, looked);
        // Only its findings are of use from here on.
        compiled.built = None;
        all.push(compiled);
    }
    let mut judged = Judged::default();
    let told = joined(&all);
    let mut offsets = Vec::new();
    let mut offset = 0;
    for compiled in &all {
        offsets.push(offset);
        offset += count(&compiled.sources);
    }
    judged.diagnostics = told
        .into_iter()
        .map(|(library, found)| {
            let offset = offsets.get(library).copied().unwrap_or_default();
            moved(found.into_owned(), offset)
        })
        .collect();
    judged
        .sources
        .extend(all.into_iter().flat_map(|compiled| compiled.sources));
    let (sources, found) = settings.findings();
    judged.sources.extend(sources);
    judged
        .diagnostics
        .extend(found.into_iter().map(|found| moved(found, offset)));
    Ok(judged)
}

fn count(sources: &[Source]) -> u32 {
    u32::try_from(sources.len()).unwrap_or(u32::MAX)
}

/// The findings of libraries that were judged, in their order, each with its library's number: one that several have, as
/// they include the same file, is told once, and a comment that is of use in one of them is of use.
#[must_use]
pub fn joined(libraries: &[impl AsRef<Compiled>]) -> Vec<(usize, Cow<'_, Diagnostic>)> {
    let mut used: BTreeSet<(&str, Span, &str)> = BTreeSet::new();
    for compiled in libraries.iter().map(AsRef::as_ref) {
        for (place, code) in &compiled.used {
            used.insert((compiled.path(place.source), place.span, code));
        }
    }
    let unused = libraries.iter().map(AsRef::as_ref).enumerate();
    let unused: Vec<(usize, Diagnostic)> = unused
        .flat_map(|(number, compiled)| {
            let used = &used;
            compiled.unused.iter().filter_map(move |(one, levels)| {
                let place = one.suppression.place;
                let path = compiled.path(place.source);
                let mut one = one.clone();
                one.codes
                    .retain(|code| !used.contains(&(path, place.span, code.as_str())));
                let found = (!one.codes.is_empty()).then(|| one.finding())?;
                Some((number, levels.apply(found)?))
            })
        })
        .collect();
    let mut told: HashSet<Told<'_>> = HashSet::new();
    let mut keep: Vec<(usize, Cow<'_, Diagnostic>)> = Vec::new();
    let own = libraries.iter().map(AsRef::as_ref).enumerate();
    let own = own.flat_map(|(number, compiled)| {
        let found = compiled.diagnostics.iter();
        found.map(move |found| (number, found))
    });
    let path = |number: usize, found: &Diagnostic| {
        libraries.get(number).map_or("", |compiled| {
            compiled.as_ref().path(found.primary.place.source)
        })
    };
    for (number, found) in own {
        if told.insert(Told::of(found, path(number, found))) {
            keep.push((number, Cow::Borrowed(found)));
        }
    }
    for (number, found) in &unused {
        if told.insert(Told::of(found, path(*number, found))) {
            keep.push((*number, Cow::Owned(found.clone())));
        }
    }
    keep.sort_by_key(|(number, found)| {
        let place = found.primary.place;
        (*number, place.source, place.span.start)
    });
    keep
}

/// What makes two findings one.
#[derive(PartialEq, Eq, Hash)]
struct Told<'d> {
    code: &'static str,
    path: &'d str,
    span: Span,
    message: &'d str,
}

impl<'d> Told<'d> {
    fn of(found: &'d Diagnostic, path: &'d str) -> Self {
        Self {
            code: found.code,
            path,
            span: found.primary.place.span,
            message: &found.message,
        }
    }
}

impl AsRef<Self> for Compiled {
    fn as_ref(&self) -> &Self {
        self
    }
}
