//! `ctrc inspect`: what an artifact holds.

use std::fmt::Write as _;

use ctr_runtime::format::decode;
use ctr_runtime::format::model::{Action, Automaton, Contract, Label, Model};

use crate::cli::{Format, Inspect};
use crate::exit::{Exit, Stop, data};
use crate::library;
use crate::plain::counted;

/// Runs the verb.
///
/// # Errors
///
/// Where the artifact cannot be read or is not valid.
pub fn run(args: &Inspect) -> Result<Exit, Stop> {
    let bytes = library::read_artifact(&args.artifact)?;
    let size = bytes.len();
    let library = library::load(&args.artifact, bytes)?;
    let model = decode(&library);
    match args.format {
        Format::Human => data(&human(&model, size))?,
        Format::Json => data(&format!("{:#}\n", ctr_emit::model_to_json(&model)))?,
    }
    Ok(Exit::Clean)
}

fn number(count: usize, one: &str) -> String {
    counted(count as u64, one)
}

fn human(model: &Model, size: usize) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "built by {}, {size} bytes", model.compiler);
    let _ = writeln!(
        out,
        "{}, {} {}, {}, {}, {}, {}, {}",
        number(model.contracts.len(), "contract"),
        model.automata.len(),
        if model.automata.len() == 1 {
            "automaton"
        } else {
            "automata"
        },
        number(model.atoms.len(), "atom"),
        number(model.patterns.len(), "pattern"),
        number(model.registers.len(), "register"),
        number(model.exprs.len(), "expression"),
        match model.regexes.len() {
            1 => "1 regex".to_owned(),
            n => format!("{n} regexes"),
        }
    );
    for source in &model.sources {
        let hash: String = source
            .sha256
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let _ = writeln!(out, "source {} (sha256 {hash}…)", source.path);
    }
    for contract in &model.contracts {
        out.push('\n');
        let place = model
            .sources
            .get(contract.place.source as usize)
            .map_or_else(String::new, |source| {
                let line = source
                    .lines
                    .partition_point(|start| *start <= contract.place.start);
                format!("{}:{line}", source.path)
            });
        let keys = if contract.keys.is_empty() {
            String::new()
        } else {
            format!(" for each ({})", contract.keys.join(", "))
        };
        let _ = writeln!(out, "contract {}{keys}  {place}", contract.name);
        let labels = labels(contract);
        if !labels.is_empty() {
            let _ = writeln!(out, "  {labels}");
        }
        for clause in &contract.clauses {
            let _ = writeln!(out, "  {}", clause.text);
        }
        for (side, id) in [
            ("assume", contract.assume),
            ("guarantee", contract.guarantee),
        ] {
            if let Some(automaton) = id.and_then(|id| model.automata.get(id as usize)) {
                let _ = writeln!(out, "  {side}: {}", automaton_in_words(automaton));
            }
        }
        for deadline in &contract.deadlines {
            let _ = writeln!(out, "  deadline: {}", deadline.text);
        }
        let action = match &contract.action {
            Action::Block => "block".to_owned(),
            Action::Warn => "warn".to_owned(),
            Action::Escalate => "escalate".to_owned(),
            Action::Redirect { tool, .. } => format!(
                "redirect to {}",
                model
                    .tools
                    .get(*tool as usize)
                    .map_or("?", |tool| tool.name.as_str())
            ),
            Action::Repair => "repair".to_owned(),
        };
        let _ = writeln!(out, "  otherwise {action}");
    }
    out
}

/// What the attributes say: `id RD-1, severity high, source handbook.md (Limits)`.
pub(super) fn labels(contract: &Contract) -> String {
    let source = contract.source.as_ref().map(|(document, section)| {
        let section = section
            .as_ref()
            .map(|section| format!(" ({section})"))
            .unwrap_or_default();
        format!("source {document}{section}")
    });
    let list = |name: &str, items: &[String]| {
        (!items.is_empty()).then(|| format!("{name} {}", items.join(" ")))
    };
    [
        contract.id.as_ref().map(|id| format!("id {id}")),
        contract
            .severity
            .as_ref()
            .map(|severity| format!("severity {severity}")),
        source,
        list("tags", &contract.tags),
        list("agents", &contract.agents),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

fn automaton_in_words(automaton: &Automaton) -> String {
    let count = |label| {
        automaton
            .states
            .iter()
            .filter(|state| state.label == label)
            .count()
    };
    format!(
        "{} ({} satisfied for good, {} satisfied so far, {} pending, {} violated for good), {}",
        number(automaton.states.len(), "state"),
        count(Label::SatisfiedForGood),
        count(Label::Satisfied),
        count(Label::Pending),
        count(Label::ViolatedForGood),
        number(automaton.nodes.len(), "node")
    )
}
