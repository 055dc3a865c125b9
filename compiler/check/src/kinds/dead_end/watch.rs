//! The automata that a search for dead ends multiplies.

use std::collections::BTreeSet;
use std::rc::Rc;

use ctr_front::ir::{EventKind, Side};
use ctr_logic::{Error, Formula, Limits, StateId};

use super::search::Search;
use crate::product::{Monitor, Stopped};
use crate::universe::{Class, FIRST_LEAF};
use crate::walk;

/// What a monitor watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Watch {
    /// That all events are possible, as far as has been learned.
    Letters,
    /// That returns of a tool answer calls in flight.
    Flight(usize),
    /// That surely one is in flight at the end: nothing that has to be so.
    InFlight(usize),
    /// That they carry the arguments of those calls: a condition on them.
    Carried(usize, u32),
    /// That what is a condition on a key's value holds at all events of that key or at none.
    Constant(u32, u32),
    /// What was learned, by its number.
    Learned(usize),
    /// That a session does not begin in a way which the runtime refuses, by its number.
    Refused(usize),
    /// That all keys have the one value that is looked at.
    OneKey,
    /// The assumption of a contract as the runtime sees it.
    AssumeRun(usize),
    /// What that is about.
    AssumeMeant(usize),
    /// The guarantee of a contract as the runtime sees it.
    GuaranteeRun(usize),
    /// What that is about.
    GuaranteeMeant(usize),
    /// The assumption of a contract.
    Assume(usize),
    /// Its guarantee.
    Guarantee(usize),
}

impl Watch {
    /// Whether it is a side of a contract, which has to be satisfied in the end.
    pub(super) fn side(self) -> Option<usize> {
        match self {
            Self::Assume(contract) | Self::Guarantee(contract) => Some(contract),
            _ => None,
        }
    }
}

impl Search<'_, '_> {
    /// The formula that a monitor watches.
    fn formula(&mut self, watch: Watch) -> Formula {
        match watch {
            Watch::Letters => {
                let impossible = self.subject.engine.impossible.clone();
                let arena = &mut self.subject.engine.problem.arena;
                let all = arena.and(&impossible);
                arena.always(all)
            }
            Watch::Flight(tool) => self.subject.engine.answers(tool, None),
            Watch::InFlight(tool) => self.subject.engine.one_in_flight(tool),
            Watch::Carried(tool, leaf) => self.subject.engine.answers(tool, Some(leaf)),
            Watch::Constant(key, leaf) => {
                let arena = &mut self.subject.engine.problem.arena;
                let bound = arena.atom(FIRST_LEAF + key);
                let holds = arena.atom(FIRST_LEAF + leaf);
                let not = arena.not(holds);
                let (yes, no) = (arena.implies(bound, holds), arena.implies(bound, not));
                let (yes, no) = (arena.always(yes), arena.always(no));
                arena.or(&[yes, no])
            }
            Watch::Learned(number) => {
                let learned = self.subject.engine.learned.get(number).copied();
                learned.unwrap_or_else(|| self.subject.engine.problem.arena.tt())
            }
            Watch::Refused(number) => {
                let refused = self.refused.get(number).copied();
                refused.unwrap_or_else(|| self.subject.engine.problem.arena.tt())
            }
            Watch::OneKey => {
                let all = self.subject.one_key.clone();
                self.subject.engine.problem.arena.and(&all)
            }
            Watch::AssumeRun(contract) => self.subject.as_run(contract, Side::Assume).0,
            Watch::AssumeMeant(contract) => self.subject.as_run(contract, Side::Assume).1,
            Watch::GuaranteeRun(contract) => self.subject.as_run(contract, Side::Guarantee).0,
            Watch::GuaranteeMeant(contract) => self.subject.as_run(contract, Side::Guarantee).1,
            Watch::Assume(contract) => self.subject.of(contract, Some(Side::Assume)),
            Watch::Guarantee(contract) => self.subject.of(contract, Some(Side::Guarantee)),
        }
    }

    /// The monitor of it.
    pub(super) fn monitor(&mut self, watch: Watch) -> Result<Rc<Monitor>, Stopped> {
        let version = match watch {
            Watch::Letters => self.subject.engine.impossible.len(),
            _ => 0,
        };
        if let Some((known, monitor)) = self.monitors.get(&watch)
            && *known == version
        {
            return Ok(Rc::clone(monitor));
        }
        let formula = self.formula(watch);
        let over = self.subject.engine.over();
        let limits = Limits {
            states: self.states,
            nodes: 200_000,
            cancel: Some(&over),
        };
        let problem = &mut self.subject.engine.problem;
        let monitor = Monitor::new(&mut problem.arena, formula, &problem.universe, &limits);
        let monitor = Rc::new(monitor.map_err(|error| match error {
            Error::Cancelled => Stopped::Time,
            _ => Stopped::Limit,
        })?);
        self.monitors.insert(watch, (version, Rc::clone(&monitor)));
        Ok(monitor)
    }

    /// The sides of a contract that say something.
    pub(super) fn sides(&self, contract: usize) -> Vec<Watch> {
        let has = |side: Side| {
            let mut parts = self.subject.parts.iter();
            parts.any(|part| part.contract == contract && part.side == side)
        };
        let mut out = Vec::new();
        if has(Side::Assume) {
            out.push(Watch::Assume(contract));
        }
        if has(Side::Guarantee) {
            out.push(Watch::Guarantee(contract));
        }
        out
    }

    /// What has to be watched to follow some contracts, in order.
    pub(super) fn watches(&mut self, contracts: &[usize]) -> Vec<Watch> {
        let mut out = BTreeSet::new();
        if !self.subject.engine.impossible.is_empty() {
            out.insert(Watch::Letters);
        }
        out.extend(self.facts.iter().map(|number| Watch::Learned(*number)));
        let mut leaves = BTreeSet::new();
        for &contract in contracts {
            for side in self.sides(contract) {
                let formula = self.formula(side);
                let atoms = self.subject.engine.problem.arena.atoms(formula);
                leaves.extend(atoms.iter().filter_map(|atom| atom.checked_sub(FIRST_LEAF)));
                out.insert(side);
            }
        }
        let tools: BTreeSet<usize> = contracts.iter().flat_map(|c| self.answered(*c)).collect();
        for tool in tools {
            out.insert(Watch::Flight(tool));
            out.insert(Watch::InFlight(tool));
            let carried = self.subject.engine.carried(tool);
            out.extend(
                carried
                    .into_iter()
                    .filter(|leaf| leaves.contains(leaf))
                    .map(|leaf| Watch::Carried(tool, leaf)),
            );
        }
        out.extend(
            self.constants
                .iter()
                .filter(|(key, leaf)| leaves.contains(key) && leaves.contains(leaf))
                .map(|(key, leaf)| Watch::Constant(*key, *leaf)),
        );
        out.into_iter().collect()
    }

    /// The tools whose returns matter to a contract.
    fn answered(&self, contract: usize) -> BTreeSet<usize> {
        let library = self.subject.library;
        let universe = &self.subject.engine.problem.universe;
        let Some(entry) = self.subject.contract(contract) else {
            return BTreeSet::new();
        };
        let mut groups = BTreeSet::new();
        for id in walk::contract(library, entry).patterns {
            if let Some(pattern) = library.patterns.get(id.0 as usize)
                && matches!(pattern.kind, EventKind::Return(_))
            {
                groups.extend(universe.of_pattern(library, pattern));
            }
        }
        groups
            .into_iter()
            .filter_map(|group| universe.groups.get(group))
            .flat_map(|group| &group.classes)
            .filter_map(|class| match class {
                Class::Return(tool, _) => Some(*tool),
                _ => None,
            })
            .collect()
    }

    /// The formulas of the facts that are watched with some contracts.
    pub(super) fn facts_of(&mut self, contracts: &[usize]) -> Vec<Formula> {
        let watches = self.watches(contracts);
        watches
            .into_iter()
            .filter(|watch| {
                matches!(
                    watch,
                    Watch::Flight(_) | Watch::Carried(..) | Watch::Constant(..)
                )
            })
            .map(|watch| self.formula(watch))
            .collect()
    }

    /// Whether all sides among the monitors are satisfied.
    pub(super) fn satisfied(
        watches: &[Watch],
        monitors: &[Rc<Monitor>],
        state: &[StateId],
    ) -> bool {
        watches
            .iter()
            .zip(monitors)
            .zip(state)
            .all(|((watch, monitor), s)| watch.side().is_none() || monitor.dfa.accepting(*s))
    }
}
