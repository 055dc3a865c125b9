//! The events that the contracts of a policy can tell apart, one of each sort.

use ctr_tests::oracle::cond::Moment;
use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::model::{Event, Kind, Status};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What generated policies declare.
pub const HEADER: &str = "tool ta(k: string, n: int, f: bool) -> { r: int, ok: bool }
tool tb(k: string, n: int, f: bool) -> { r: int, ok: bool }
tool tc(k: string, n: int, f: bool) -> { r: int, ok: bool }
event ev(k: string, n: int)
";

/// How a call ends.
pub type Answer = (Status, Option<Value>);

/// A call, and the answers to it that differ for the contracts.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: &'static str,
    pub args: Value,
    pub answers: Vec<Answer>,
}

/// One event of each sort.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    pub calls: Vec<Call>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub declared: Vec<Value>,
}

/// The truth of all atoms of all contracts at an event, for each key.
type Row = Vec<Vec<Option<bool>>>;

const KEYS: [&str; 3] = ["A", "B", "C"];

fn event(kind: Kind) -> Event {
    Event {
        kind,
        id: String::new(),
        tool: String::new(),
        args: Value::Null,
        status: None,
        result: None,
        text: None,
        fields: json!({}),
        time: 0,
        ctx: BTreeMap::new(),
    }
}

/// What the contracts see of an event: truths, and where they remember values the values themselves.
fn row(contracts: &[Contract], event: &Event) -> (Row, Option<String>) {
    let open = Cell::new(false);
    let mut rows = Vec::new();
    for contract in contracts {
        let keys: Vec<Option<Value>> = if contract.keyed {
            KEYS.iter().map(|k| Some(json!(k))).collect()
        } else {
            vec![None]
        };
        for key in keys {
            rows.push(contract.row(Moment {
                events: std::slice::from_ref(event),
                at: 0,
                key: key.as_ref(),
                open: &open,
            }));
        }
    }
    let remembers = contracts
        .iter()
        .flat_map(|c| &c.atoms)
        .any(|atom| !matches!(atom, Atom::Pattern(_)));
    let values = remembers.then(|| format!("{} {:?}", event.args, event.result));
    (rows, values)
}

/// The alphabet of a policy.
pub fn of(contracts: &[Contract]) -> Alphabet {
    let mut alphabet = Alphabet::default();
    let aggregates = contracts
        .iter()
        .flat_map(|c| &c.atoms)
        .any(|atom| !matches!(atom, Atom::Pattern(_)));
    let keyed = contracts.iter().any(|c| c.keyed);
    let numbers: &[i64] = if aggregates {
        &[0, 2, 3, 4]
    } else {
        &[-1, 0, 1, 2, 3, 4]
    };
    let keys = if aggregates && !keyed {
        &KEYS[..2]
    } else {
        &KEYS[..]
    };
    let flags: &[bool] = if aggregates { &[true] } else { &[true, false] };
    let mut results: Vec<Answer> = vec![(Status::Failure, None), (Status::Unknown, None)];
    for r in numbers {
        for ok in flags {
            results.push((Status::Success, Some(json!({"r": r, "ok": ok}))));
        }
    }
    let mut known = BTreeSet::new();
    for tool in ["ta", "tb", "tc"] {
        for k in keys {
            for n in numbers {
                for f in flags {
                    let args = json!({"k": k, "n": n, "f": f});
                    let mut call = event(Kind::Call);
                    tool.clone_into(&mut call.tool);
                    call.args = args.clone();
                    let mut whole = vec![row(contracts, &call)];
                    let mut answers = Vec::new();
                    let mut seen = BTreeSet::new();
                    for (status, result) in &results {
                        let mut answer = call.clone();
                        answer.kind = Kind::Return;
                        answer.status = Some(*status);
                        answer.result.clone_from(result);
                        let row = row(contracts, &answer);
                        if seen.insert(row.clone()) {
                            answers.push((*status, result.clone()));
                        }
                        whole.push(row);
                    }
                    let key = keyed.then_some(k);
                    if known.insert((tool, key, whole)) {
                        alphabet.calls.push(Call {
                            tool,
                            args,
                            answers,
                        });
                    }
                }
            }
        }
    }
    for kind in [Kind::Input, Kind::Output] {
        let mut known = BTreeSet::new();
        for text in ["x", "y", "x y", "z"] {
            let mut message = event(kind.clone());
            message.text = Some(text.to_owned());
            if known.insert(row(contracts, &message)) {
                let into = if kind == Kind::Input {
                    &mut alphabet.inputs
                } else {
                    &mut alphabet.outputs
                };
                into.push(text.to_owned());
            }
        }
    }
    let mut known = BTreeSet::new();
    for k in keys {
        for n in numbers {
            let fields = json!({"k": k, "n": n});
            let mut declared = event(Kind::Declared("ev".to_owned()));
            declared.fields = fields.clone();
            if known.insert((keyed.then_some(k), row(contracts, &declared))) {
                alphabet.declared.push(fields);
            }
        }
    }
    // What no contract watches moves none.
    let watched = |kind: &Kind| contracts.iter().any(|c| c.watches(kind));
    if !watched(&Kind::Input) {
        alphabet.inputs.clear();
    }
    if !watched(&Kind::Output) {
        alphabet.outputs.clear();
    }
    if !watched(&Kind::Declared("ev".to_owned())) {
        alphabet.declared.clear();
    }
    alphabet
}
