//! `ctrc graph`: a contract's automaton as a picture.

use std::path::Path;

use ctr_runtime::format::decode;
use ctr_trace::files::describe;

use crate::atomic::write_atomically;
use crate::cli::{Graph, GraphFormat, GraphSide};
use crate::exit::{Exit, Stop, data};
use crate::library;

/// Runs the verb.
///
/// # Errors
///
/// Where the library cannot be opened or has no such contract, the side is `true`, or the automaton is too large
/// to be drawn.
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
    let title = format!("{} ({side})", contract.name);
    if let Some(output) = &args.output {
        let own = args.library.library.iter().map(String::as_str);
        library::keep(output, own)?;
    }
    let picture = match format(args)? {
        GraphFormat::Dot => ctr_emit::automaton_to_dot(&model, &title, automaton),
        GraphFormat::Svg => {
            ctr_emit::automaton_to_svg(&model, &title, automaton).map_err(|error| {
                Stop::Usage(format!(
                    "`{}` is not drawn: {error}; `--format dot` writes it for other programs",
                    contract.name
                ))
            })?
        }
    };
    match args.output.as_deref() {
        None | Some("-") => data(&picture)?,
        Some(path) => write_atomically(Path::new(path), picture.as_bytes())
            .map_err(|error| Stop::Usage(format!("{path}: {}", describe(&error))))?,
    }
    Ok(Exit::Clean)
}

/// The format asked for, by the flag or by the ending of the file to write.
fn format(args: &Graph) -> Result<GraphFormat, Stop> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(path) = args.output.as_deref().filter(|path| *path != "-") else {
        return Ok(GraphFormat::Svg);
    };
    match Path::new(path)
        .extension()
        .and_then(|ending| ending.to_str())
    {
        Some("svg") => Ok(GraphFormat::Svg),
        Some("dot" | "gv") => Ok(GraphFormat::Dot),
        _ => Err(Stop::Usage(format!(
            "{path}: the ending says no format of pictures; end it in `.svg` or `.dot`, or give `--format`"
        ))),
    }
}
