//! `ctrc graph`: a contract's automaton as a picture.

use ctr_runtime::format::decode;

use crate::cli::{Graph, GraphFormat, GraphSide};
use crate::exit::{Exit, Stop, data};
use crate::library;

/// Runs the verb.
///
/// # Errors
///
/// Where the library cannot be opened or has no such contract, or the side is `true`.
pub fn run(args: &Graph) -> Result<Exit, Stop> {
    let library = library::open(&args.library.library)?;
    let model = decode(&library);
    let Some(contract) = model.contracts.iter().find(|c| c.name == args.contract) else {
        return Err(library::no_contract(&model, &args.contract));
    };
    let (side, id) = match args.side {
        GraphSide::Assume => ("assume", contract.assume),
        GraphSide::Guarantee => ("guarantee", contract.guarantee),
    };
    let Some(automaton) = id.and_then(|id| model.automata.get(id as usize)) else {
        return Err(Stop::Usage(format!(
            "the contract `{}` has no `{side}` that an automaton decides",
            contract.name
        )));
    };
    match args.format {
        GraphFormat::Dot => data(&ctr_emit::automaton_to_dot(
            &model,
            &format!("{} ({side})", contract.name),
            automaton,
        ))?,
    }
    Ok(Exit::Clean)
}
