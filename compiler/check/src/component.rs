//! Which contracts have to do with each other.

use std::collections::BTreeMap;

use ctr_front::ir::{Contract, EventKind, Expr, ExprId, Library, Tools};
use ctr_runtime::format::model::Model;

use crate::walk;

/// Sets that grow together.
struct Union(Vec<usize>);

impl Union {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn find(&mut self, mut x: usize) -> usize {
        while let Some(&up) = self.0.get(x)
            && up != x
        {
            x = up;
        }
        x
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number stands for both, so that the order does not matter.
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

/// Whether events that fit none of its patterns leave a contract as it is: then what others call does not
/// matter to it.
pub(crate) fn neutral(library: &Library, model: &Model) -> Vec<bool> {
    (0..library.contracts.len())
        .map(|index| {
            // Events of other agents fit its patterns and are no steps of it.
            let all_agents = library
                .contracts
                .get(index)
                .is_some_and(|c| c.agents.is_empty());
            if !all_agents {
                return false;
            }
            let Some(built) = model.contracts.get(index) else {
                return false;
            };
            [built.assume, built.guarantee]
                .into_iter()
                .flatten()
                .all(|id| {
                    model
                        .automata
                        .get(id as usize)
                        .is_some_and(|automaton| automaton.states.iter().all(|state| state.idle))
                })
        })
        .collect()
}

/// What events a contract has to do with, as names; `None` stands for all tools.
fn touches(library: &Library, contract: &Contract, neutral: bool) -> Vec<String> {
    let mut out = Vec::new();
    for id in walk::contract(library, contract).patterns {
        let Some(pattern) = library.patterns.get(id.0 as usize) else {
            continue;
        };
        match (pattern.kind, &pattern.tools) {
            (EventKind::Call | EventKind::Return(_), Tools::OneOf(ids)) => {
                out.extend(ids.iter().filter_map(|id| {
                    Some(format!("tool {}", library.tools.get(id.0 as usize)?.name))
                }));
            }
            (EventKind::Call | EventKind::Return(_), _) => out.push("tools".to_owned()),
            (EventKind::Input, _) => out.push("input".to_owned()),
            (EventKind::Output, _) => out.push("output".to_owned()),
            (EventKind::Declared(id), _) => out.push(format!("event {}", id.0)),
        }
    }
    if !neutral {
        let watch = &contract.watch;
        if watch.calls || watch.returns {
            out.push("tools".to_owned());
        }
        if watch.inputs {
            out.push("input".to_owned());
        }
        if watch.outputs {
            out.push("output".to_owned());
        }
        out.extend(watch.events.iter().map(|id| format!("event {}", id.0)));
    }
    out
}

/// Groups of contracts that share no event, in order of their first contracts.
pub(crate) fn components(library: &Library, neutral: &[bool]) -> Vec<Vec<usize>> {
    let n = library.contracts.len();
    let mut union = Union::new(n);
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut all_tools: Option<usize> = None;
    let mut tools: Vec<usize> = Vec::new();
    for (index, contract) in library.contracts.iter().enumerate() {
        for name in touches(
            library,
            contract,
            neutral.get(index).copied().unwrap_or(false),
        ) {
            if name == "tools" {
                all_tools = Some(all_tools.map_or(index, |other| {
                    union.join(other, index);
                    other
                }));
                continue;
            }
            if name.starts_with("tool ") {
                tools.push(index);
            }
            let other = *first.entry(name).or_insert(index);
            union.join(other, index);
        }
    }
    if let Some(all) = all_tools {
        for index in tools {
            union.join(all, index);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in 0..n {
        groups.entry(union.find(index)).or_default().push(index);
    }
    groups.into_values().collect()
}

/// The groups of keys: keys that are bound by the same field of the same tool are the same thing.
pub(crate) fn keys(library: &Library) -> Vec<Vec<u32>> {
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    let mut count = 0;
    for contract in &library.contracts {
        numbers.push((0..contract.keys.len()).map(|n| count + n).collect());
        count += contract.keys.len();
    }
    let mut union = Union::new(count);
    let mut first: BTreeMap<(String, ExprId), usize> = BTreeMap::new();
    for (contract, own) in library.contracts.iter().zip(&numbers) {
        for id in &contract.patterns {
            let Some(pattern) = library.patterns.get(id.0 as usize) else {
                continue;
            };
            let names: Vec<String> = match &pattern.tools {
                Tools::OneOf(ids) => ids
                    .iter()
                    .filter_map(|id| Some(library.tools.get(id.0 as usize)?.name.clone()))
                    .collect(),
                _ => vec![String::new()],
            };
            for (path, number) in pattern.keys.iter().zip(own) {
                // Two keys of one contract stay apart.
                if !matches!(library.exprs.get(path.0 as usize), Some(Expr::Path { .. })) {
                    continue;
                }
                for name in &names {
                    let other = *first.entry((name.clone(), *path)).or_insert(*number);
                    let (a, b) = (union.find(other), union.find(*number));
                    let apart = own
                        .iter()
                        .filter(|n| [a, b].contains(&union.find(**n)))
                        .count()
                        <= 1;
                    if a != b && apart {
                        union.join(other, *number);
                    }
                }
            }
        }
    }
    numbers
        .into_iter()
        .map(|own| {
            own.into_iter()
                .map(|n| u32::try_from(union.find(n)).unwrap_or(u32::MAX))
                .collect()
        })
        .collect()
}
