//! The back end: core IR and automata to an artifact.
//!
//! [`build`] gives every contract its automata, translates the tables to the artifact's
//! [`Model`] and encodes it. The same library gives the same bytes on every machine: nothing here
//! depends on hash order, time or place.

mod automata;
mod codes;
mod ecma;
mod json;
mod picture;
mod regexes;
mod schema;
mod tables;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir;
use ctr_logic::Limits;
use ctr_runtime::format::model::{Label, Model};

pub use codes::CODES;
pub use json::model_to_json;
pub use picture::{
    Edge, MAX_STATES, Theme, TooManyStates, automaton_edges, automaton_to_dot, automaton_to_svg,
    label_words, svg_style,
};

/// What a build gives.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The content.
    pub model: Model,
    /// The `.ctrb` bytes.
    pub bytes: Vec<u8>,
    /// What is allowed and probably not meant.
    pub warnings: Vec<Diagnostic>,
}

impl Artifact {
    /// The same with source paths that do not depend on where the policy lay: relative to the
    /// innermost folder that holds all of its files. What does not lie in a file (the modules of
    /// the compiler) keeps its name.
    ///
    /// # Errors
    ///
    /// As the encoder.
    pub fn portable(mut self) -> Result<Self, ctr_runtime::format::EncodeError> {
        let mut paths: Vec<&mut String> = self
            .model
            .sources
            .iter_mut()
            .map(|source| &mut source.path)
            .filter(|path| !path.starts_with("std/"))
            .collect();
        let folder = paths
            .iter()
            .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder))
            .reduce(common_folder)
            .unwrap_or("")
            .to_owned();
        if !folder.is_empty() {
            for path in &mut paths {
                if let Some(rest) = path.strip_prefix(&folder) {
                    **path = rest.trim_start_matches('/').to_owned();
                }
            }
        }
        self.bytes = ctr_runtime::format::encode(&self.model)?;
        Ok(self)
    }
}

/// The innermost folder that holds both.
fn common_folder<'p>(a: &'p str, b: &'p str) -> &'p str {
    let same = a
        .split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .map(|(part, _)| part.len() + 1)
        .sum::<usize>();
    a.get(..same.saturating_sub(1)).unwrap_or("")
}

/// Builds the artifact of a library.
///
/// `compiler` is recorded in it: the name and version of the program that builds.
///
/// # Errors
///
/// Diagnostics that name the clause whose automaton exceeds `limits`, or the table that does not
/// fit the format. No contract's error hides another's.
pub fn build(
    library: &ir::Library,
    compiler: &str,
    limits: &Limits<'_>,
) -> Result<Artifact, Vec<Diagnostic>> {
    let model = model(library, compiler, limits)?;
    let fault = |what: String| vec![codes::does_not_fit(library, &what)];
    let bytes = ctr_runtime::format::encode(&model).map_err(|error| fault(error.to_string()))?;
    // What is written must be what a runtime takes.
    ctr_runtime::format::Library::load(bytes.as_slice())
        .map_err(|error| fault(error.to_string()))?;
    let warnings = library
        .contracts
        .iter()
        .zip(&model.contracts)
        .flat_map(|(contract, built)| {
            [
                (ir::Side::Assume, built.assume),
                (ir::Side::Guarantee, built.guarantee),
            ]
            .into_iter()
            .filter(|(_, automaton)| is_unsatisfiable(&model, *automaton))
            .map(|(side, _)| codes::unsatisfiable(contract, side))
        })
        .collect();
    Ok(Artifact {
        model,
        bytes,
        warnings,
    })
}

/// Whether an automaton is violated for good before anything has happened.
fn is_unsatisfiable(model: &Model, automaton: Option<u32>) -> bool {
    automaton
        .and_then(|id| model.automata.get(id as usize))
        .and_then(|automaton| automaton.states.get(automaton.initial as usize))
        .is_some_and(|state| state.label == Label::ViolatedForGood)
}

/// The artifact's content, not yet encoded.
///
/// # Errors
///
/// As [`build`], the encoder's apart.
pub fn model(
    library: &ir::Library,
    compiler: &str,
    limits: &Limits<'_>,
) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut model = tables::shared(library, compiler, &mut diagnostics);
    for contract in &library.contracts {
        let (assume, guarantee) = match automata::of_contract(library, contract, limits) {
            Ok(pair) => pair,
            Err(mut found) => {
                diagnostics.append(&mut found);
                continue;
            }
        };
        let mut add = |automaton| {
            let id = u32::try_from(model.automata.len()).unwrap_or(u32::MAX);
            model.automata.push(automaton);
            id
        };
        let assume = assume.map(&mut add);
        let guarantee = guarantee.map(&mut add);
        model
            .contracts
            .push(tables::contract(contract, assume, guarantee));
    }
    if diagnostics.is_empty() {
        Ok(model)
    } else {
        Err(diagnostics)
    }
}
