//! Which value of each key is looked at.
//!
//! A session that keeps a keyed contract keeps its instance for every value. So a key stands here for one value that
//! is nowhere said: what holds of it holds of all, and where a question is about some event, for the value which that event binds.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::ExprId;
use ctr_logic::Formula;

use crate::problem::{Leaf, Problem};
use crate::universe::fits_any_status;

impl Problem<'_> {
    /// That at every event that can bind the keys of a contract it binds this one: fewer sessions, and those that a
    /// witness is looked for in first.
    pub(crate) fn one_key(&mut self, index: usize) -> Option<Formula> {
        let contract = self.library.contracts.get(index)?;
        if contract.keys.is_empty() {
            return None;
        }
        let keys = self.keys.get(index).cloned().unwrap_or_default();
        let mut all = Vec::new();
        for id in &contract.patterns {
            let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
                continue;
            };
            let (library, tools) = (self.library, self.universe.tools.clone());
            let groups = self
                .universe
                .where_class(|class| fits_any_status(library, pattern, class, &tools));
            for (path, key) in pattern.keys.iter().zip(&keys) {
                let here = self.universe.formula(&mut self.arena, &groups);
                let bound = self.leaf(Leaf::Key(*path, *key), &groups);
                all.push(self.arena.implies(here, bound));
            }
        }
        let all = self.arena.and(&all);
        Some(self.arena.always(all))
    }

    /// That each key is the one that the first event binds which can bind it. Of a session, instances for all values are
    /// kept, so that the value can be chosen; what is undefined can be completed with it.
    pub(crate) fn first_keys(&mut self, contracts: &[usize]) -> Vec<Formula> {
        let mut paths: BTreeMap<(u32, usize), BTreeSet<ExprId>> = BTreeMap::new();
        for &index in contracts {
            let Some(contract) = self.library.contracts.get(index) else {
                continue;
            };
            let keys = self.keys.get(index).map_or(&[][..], Vec::as_slice);
            for id in &contract.patterns {
                let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
                    continue;
                };
                for group in self.universe.of_pattern(self.library, pattern) {
                    for (path, key) in pattern.keys.iter().zip(keys) {
                        paths.entry((*key, group)).or_default().insert(*path);
                    }
                }
            }
        }
        let mut binders: BTreeMap<u32, Vec<(usize, ExprId)>> = BTreeMap::new();
        for ((key, group), paths) in paths {
            // Of two fields only one can be chosen.
            if let (1, Some(path)) = (paths.len(), paths.first()) {
                binders.entry(key).or_default().push((group, *path));
            }
        }
        let mut out = Vec::new();
        for (key, binders) in binders {
            let groups: BTreeSet<usize> = binders.iter().map(|(group, _)| *group).collect();
            let can = self.universe.formula(&mut self.arena, &groups);
            let mut does = Vec::new();
            for (group, path) in binders {
                let group = BTreeSet::from([group]);
                let here = self.universe.formula(&mut self.arena, &group);
                let bound = self.leaf(Leaf::Key(path, key), &group);
                does.push(self.arena.and(&[here, bound]));
            }
            let does = self.arena.or(&does);
            let cannot = self.arena.not(can);
            out.push(self.arena.unless(cannot, does));
        }
        out
    }

    /// The keys that a call of this group binds, as one way to choose the values of all keys.
    pub(crate) fn bound_by(&mut self, contracts: &[usize], group: usize) -> Vec<Formula> {
        let mut chosen: BTreeMap<u32, ExprId> = BTreeMap::new();
        for &index in contracts {
            let Some(contract) = self.library.contracts.get(index) else {
                continue;
            };
            for id in &contract.patterns {
                let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
                    continue;
                };
                if !self.universe.is_of_pattern(self.library, pattern, group) {
                    continue;
                }
                let keys = self.keys.get(index).map_or(&[][..], Vec::as_slice);
                for (path, key) in pattern.keys.iter().zip(keys) {
                    chosen.entry(*key).or_insert(*path);
                }
            }
        }
        let groups = BTreeSet::from([group]);
        chosen
            .into_iter()
            .map(|(key, path)| self.leaf(Leaf::Key(path, key), &groups))
            .collect()
    }
}
