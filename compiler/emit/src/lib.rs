//! The back end: core IR and automata to an artifact.
//!
//! [`build`] gives every contract its automata, translates the tables to the artifact's
//! [`Model`] and encodes it. The same library gives the same bytes on every machine: nothing here
//! depends on hash order, time or place.

mod automata;
mod codes;
mod dot;
mod json;
mod regexes;
mod tables;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir;
use ctr_logic::Limits;
use ctr_runtime::format::model::Model;

pub use codes::CODES;
pub use dot::{Side, automaton_to_dot};
pub use json::model_to_json;

/// What a build gives.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The content.
    pub model: Model,
    /// The `.ctrb` bytes.
    pub bytes: Vec<u8>,
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
    let bytes = ctr_runtime::format::encode(&model)
        .map_err(|error| vec![codes::does_not_fit(library, &error.to_string())])?;
    Ok(Artifact { model, bytes })
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
