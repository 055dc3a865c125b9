//! `ctrc.automaton`: the automata of a contract, drawn.

use ctr_runtime::format::model::Model;
use lsp_types::{Range, Uri};
use serde::Serialize;
use serde_json::Value;

use super::policy::Policy;
use super::tests::json;
use super::{OfContract, telling};
use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;

#[derive(Debug, Serialize)]
struct Answer {
    contract: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<Uri>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    sides: Vec<Side>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Side {
    side: &'static str,
    svg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_drawn: Option<String>,
    initial: u32,
    states: Vec<State>,
    edges: Vec<Edge>,
}

#[derive(Debug, Serialize)]
struct State {
    id: usize,
    standing: &'static str,
}

#[derive(Debug, Serialize)]
struct Edge {
    from: u32,
    to: u32,
    label: String,
}

pub(super) fn run(snapshot: &Snapshot, args: &OfContract, desk: &Desk) -> Result<Value, Failure> {
    let tell = |failure: &Failure| telling::failure(snapshot, desk, failure);
    let policy = Policy::open(snapshot, &args.uri, "not drawn").inspect_err(tell)?;
    let index = policy.contract(&args.contract).inspect_err(tell)?;
    let model = &policy.artifact.model;
    let Some(contract) = model.contracts.get(index) else {
        return Err(Failure::Refused("the contract is gone".to_owned()));
    };
    let mut sides = Vec::new();
    for (name, id) in [
        ("assume", contract.assume),
        ("guarantee", contract.guarantee),
    ] {
        if desk.is_given_up() {
            return Err(Failure::GivenUp);
        }
        sides.extend(id.and_then(|id| side(model, &contract.name, name, id)));
    }
    let place = policy.library.contracts.get(index).map(|c| c.name_place);
    let location = place.and_then(|place| policy.location(snapshot, place));
    for side in &sides {
        match (&side.svg, &side.not_drawn) {
            (Some(svg), _) => {
                telling::picture(snapshot, desk, &contract.name, side.side, svg);
            }
            (None, Some(why)) => telling::info(snapshot, desk, why),
            (None, None) => {}
        }
    }
    if sides.is_empty() {
        let what = format!("`{}` has no automaton: it is all deadlines", contract.name);
        telling::info(snapshot, desk, &what);
    }
    let (uri, range) = location.unzip();
    json(&Answer {
        contract: contract.name.clone(),
        uri,
        range,
        sides,
    })
}

fn side(model: &Model, contract: &str, name: &'static str, id: u32) -> Option<Side> {
    let automaton = model.automata.get(id as usize)?;
    let title = format!("{contract} ({name})");
    let (svg, not_drawn) = match ctr_emit::automaton_to_svg(model, &title, automaton) {
        Ok(svg) => (Some(svg), None),
        Err(error) => (None, Some(format!("`{contract}` is not drawn: {error}"))),
    };
    let edges = ctr_emit::automaton_edges(model, automaton).unwrap_or_default();
    Some(Side {
        side: name,
        svg,
        not_drawn,
        initial: automaton.initial,
        states: automaton
            .states
            .iter()
            .enumerate()
            .map(|(id, state)| State {
                id,
                standing: ctr_emit::label_words(state.label),
            })
            .collect(),
        edges: edges
            .into_iter()
            .map(|edge| Edge {
                from: edge.from,
                to: edge.to,
                label: edge.label,
            })
            .collect(),
    })
}
