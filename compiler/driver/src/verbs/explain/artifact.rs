//! Contracts of an artifact: it holds no formulas, so their clauses are told as they were written.

use std::fmt::Write as _;

use ctr_runtime::format::model::{Action, Contract, MessagePart, Model, Side};

use crate::exit::Stop;
use crate::library;

/// The contracts of an artifact, or one, as text.
///
/// # Errors
///
/// Where there is no contract of that name.
pub fn contracts(model: &Model, name: Option<&str>) -> Result<String, Stop> {
    let chosen: Vec<&Contract> = model
        .contracts
        .iter()
        .filter(|contract| name.is_none_or(|name| contract.name == name))
        .collect();
    if let (Some(name), true) = (name, chosen.is_empty()) {
        return Err(library::no_contract(model, name));
    }
    let texts: Vec<String> = chosen
        .iter()
        .map(|contract| contract_text(model, contract))
        .collect();
    Ok(texts.join("\n"))
}

fn contract_text(model: &Model, contract: &Contract) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", contract.name);
    for line in contract.doc.lines() {
        let _ = writeln!(out, "  {}", line.trim());
    }
    let labels = crate::verbs::inspect::labels(contract);
    if !labels.is_empty() {
        let _ = writeln!(out, "  {labels}");
    }
    if !contract.keys.is_empty() {
        let _ = writeln!(
            out,
            "  judged apart for each value of: {}",
            contract.keys.join(", ")
        );
    }
    let _ = writeln!(out, "  its steps are: {}", watched(model, contract));
    for clause in &contract.clauses {
        let who = match clause.side {
            Side::Assume => "the environment owes",
            Side::Guarantee => "the agent owes",
        };
        let _ = writeln!(out, "  {who}: {}", clause.text);
    }
    let action = match &contract.action {
        Action::Block => "the event is refused".to_owned(),
        Action::Warn => "the event is let through with a warning".to_owned(),
        Action::Escalate => "the event is held until the host approves or denies it".to_owned(),
        Action::Redirect { tool, .. } => format!(
            "`{}` is called instead",
            model
                .tools
                .get(*tool as usize)
                .map_or("?", |tool| tool.name.as_str())
        ),
        Action::Repair => {
            "the call's arguments are changed where exactly one change complies, else it is refused"
                .to_owned()
        }
    };
    let _ = writeln!(
        out,
        "  where the guarantee would be violated for good, {action}"
    );
    if !contract.message.is_empty() {
        let message: String = contract
            .message
            .iter()
            .map(|part| match part {
                MessagePart::Text(text) => text.clone(),
                MessagePart::Expr(_) => "{…}".to_owned(),
            })
            .collect();
        let _ = writeln!(out, "  and the agent is told: {message}");
    }
    out
}

fn watched(model: &Model, contract: &Contract) -> String {
    let watch = &contract.watch;
    let mut kinds: Vec<&str> = [
        (watch.calls, "calls"),
        (watch.returns, "returns"),
        (watch.inputs, "inputs"),
        (watch.outputs, "outputs"),
    ]
    .into_iter()
    .filter_map(|(watched, name)| watched.then_some(name))
    .collect();
    kinds.extend(
        watch
            .events
            .iter()
            .filter_map(|event| model.events.get(*event as usize).map(String::as_str)),
    );
    kinds.join(", ")
}
