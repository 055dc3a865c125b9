//! Events that do no harm.
//!
//! An event is harmless to a contract if from no state that the contract can be in it leads to a violation, or from one in which
//! it is satisfied to one in which it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ctr_logic::{NodeRef, StateId};

use super::search::Search;
use crate::problem::Leaf;
use crate::product::{Literal, Monitor, Stopped};
use crate::universe::{Class, FIRST_LEAF};

/// How much is tried for one event.
const TRIES: usize = 1_000;

/// What has to turn out well: a monitor, where its diagram is, and whether it is satisfied.
type Duty = (usize, NodeRef, bool);

impl Search<'_, '_> {
    /// An event of a group with these conditions, and more, that does no harm to any contract but those of the set; or the contracts that
    /// it would harm.
    pub(super) fn harmless(
        &mut self,
        set: &[usize],
        group: usize,
        literals: &[Literal],
    ) -> Result<Result<Vec<Literal>, Vec<usize>>, Stopped> {
        let mut monitors: Vec<Rc<Monitor>> = Vec::new();
        let mut owners: Vec<usize> = Vec::new();
        if self.subject.engine.over()() {
            return Err(Stopped::Time);
        }
        for contract in self.subject.others_of(set) {
            for side in self.sides(contract) {
                let monitor = self.monitor(side)?;
                if !monitor.ignores(group) {
                    monitors.push(monitor);
                    owners.push(contract);
                }
            }
        }
        if let Some(others) = self.leads_astray(set, group) {
            return Ok(Err(others));
        }
        if monitors.is_empty() {
            return Ok(Ok(literals.to_vec()));
        }
        let given: BTreeMap<u32, bool> = literals.iter().copied().collect();
        // What is one value of a key is another one for other instances.
        let mut keys: BTreeSet<u32> = (0..)
            .zip(&self.subject.engine.problem.leaves)
            .filter(|(_, leaf)| matches!(leaf, Leaf::Key(..)))
            .map(|(number, _)| number)
            .collect();
        // What was before decides of a key's value, and of the arguments of a call that returns.
        let mut decided: Vec<u32> = self.constants.iter().map(|(_, leaf)| *leaf).collect();
        let engine = &self.subject.engine;
        let classes = engine.problem.universe.classes(group);
        if matches!(classes.first(), Some(Class::Return(..))) {
            decided.extend(engine.arguments());
        }
        keys.extend(decided.into_iter().filter(|leaf| !given.contains_key(leaf)));
        let try_with = |which: &[usize]| -> Option<Vec<Literal>> {
            let mut duties = BTreeSet::new();
            for &at in which {
                let Some(monitor) = monitors.get(at) else {
                    continue;
                };
                for s in monitor.alive() {
                    duties.insert((at, monitor.after(s, group), monitor.dfa.accepting(s)));
                }
            }
            let mut tries = TRIES;
            let mut chosen = Vec::new();
            let fine = all_well(&monitors, &keys, &given, duties, &mut chosen, &mut tries);
            fine.then_some(chosen)
        };
        let all: Vec<usize> = (0..monitors.len()).collect();
        if let Some(chosen) = try_with(&all) {
            let mut out = literals.to_vec();
            out.extend(chosen);
            out.sort_unstable();
            return Ok(Ok(out));
        }
        let mut harmed: Vec<usize> = all
            .iter()
            .filter(|at| try_with(&[**at]).is_none())
            .filter_map(|at| owners.get(*at).copied())
            .collect();
        if harmed.is_empty() {
            harmed = owners;
        }
        harmed.dedup();
        Ok(Err(harmed))
    }
}

/// Whether values can be chosen for what is not given, so that all duties turn out well; for `keys`, whatever they are.
fn all_well(
    monitors: &[Rc<Monitor>],
    keys: &BTreeSet<u32>,
    given: &BTreeMap<u32, bool>,
    duties: BTreeSet<Duty>,
    chosen: &mut Vec<Literal>,
    tries: &mut usize,
) -> bool {
    let Some(left) = tries.checked_sub(1) else {
        return false;
    };
    *tries = left;
    let mut first: Option<u32> = None;
    for (at, node, satisfied) in &duties {
        let Some(monitor) = monitors.get(*at) else {
            continue;
        };
        match node {
            NodeRef::Leaf(to) => {
                if !well(monitor, *to, *satisfied) {
                    return false;
                }
            }
            NodeRef::Inner(index) => {
                let atom = monitor.dfa.node(*index).atom;
                first = Some(first.map_or(atom, |other| other.min(atom)));
            }
        }
    }
    let Some(atom) = first else { return true };
    let leaf = atom.saturating_sub(FIRST_LEAF);
    let next = |values: &[bool]| -> BTreeSet<Duty> {
        let mut out = BTreeSet::new();
        for (at, node, satisfied) in &duties {
            match (node, monitors.get(*at)) {
                (NodeRef::Inner(index), Some(monitor)) => {
                    let inner = monitor.dfa.node(*index);
                    if inner.atom != atom {
                        out.insert((*at, *node, *satisfied));
                        continue;
                    }
                    for value in values {
                        let to = if *value { inner.high } else { inner.low };
                        out.insert((*at, to, *satisfied));
                    }
                }
                _ => {
                    out.insert((*at, *node, *satisfied));
                }
            }
        }
        out
    };
    if keys.contains(&leaf) {
        return all_well(monitors, keys, given, next(&[false, true]), chosen, tries);
    }
    if let Some(value) = given.get(&leaf) {
        return all_well(monitors, keys, given, next(&[*value]), chosen, tries);
    }
    for value in [false, true] {
        let before = chosen.len();
        chosen.push((leaf, value));
        if all_well(monitors, keys, given, next(&[value]), chosen, tries) {
            return true;
        }
        chosen.truncate(before);
    }
    false
}

fn well(monitor: &Monitor, to: StateId, satisfied: bool) -> bool {
    !monitor.dead(to) && (!satisfied || monitor.dfa.accepting(to))
}
