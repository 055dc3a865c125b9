//! Which clause of a contract was broken: the runtime judges a contract as a whole, so contracts of several clauses are taken
//! apart and their clauses judged each by itself.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ctr_front::ir::{Clause, Place, Side};
use ctr_project::Compiled;
use ctr_project::compiled::{default_max_states, limits};
use ctr_runtime::format::Library;
use ctr_runtime::session::Plan;
use ctr_runtime::value::Value;
use ctr_trace::judge::{Grader, Report};

use super::policy::Policy;

/// When what was broken: the contract, the event, the key.
type Moment = (u32, Option<u64>, String);

/// The places of broken clauses.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    /// Of contracts with one clause on a side.
    alone: HashMap<(u32, Side), Place>,
    /// Of contracts of several guarantees.
    broken: HashMap<Moment, Place>,
}

impl Clauses {
    /// Of what `report` says of a session. `judge` judges the session by another library in the same way.
    pub(super) fn of(
        policy: &Policy,
        report: &Report,
        judge: &mut dyn FnMut(&mut Grader<'_>) -> Report,
    ) -> Self {
        let mut out = Self::default();
        for (number, contract) in (0..).zip(&policy.library.contracts) {
            for side in [Side::Assume, Side::Guarantee] {
                let mut clauses = contract.clauses.iter().filter(|c| c.side == side);
                if let (Some(clause), None) = (clauses.next(), clauses.next()) {
                    out.alone.insert((number, side), clause.place);
                }
            }
        }
        let mut told: BTreeSet<u32> = BTreeSet::new();
        each(report, &mut |contract, _, _| {
            told.insert(contract);
        });
        told.retain(|contract| !out.alone.contains_key(&(*contract, Side::Guarantee)));
        out.take_apart(policy, &told, judge);
        out
    }

    fn take_apart(
        &mut self,
        policy: &Policy,
        contracts: &BTreeSet<u32>,
        judge: &mut dyn FnMut(&mut Grader<'_>) -> Report,
    ) {
        let mut library = policy.library.clone();
        library.tests.clear();
        let mut of: Vec<(u32, Place)> = Vec::new();
        let mut apart = Vec::new();
        for &number in contracts {
            let Some(contract) = policy.library.contracts.get(number as usize) else {
                continue;
            };
            let is_owed = |clause: &&Clause| clause.side == Side::Guarantee;
            for clause in contract.clauses.iter().filter(is_owed) {
                let mut one = contract.clone();
                one.name = format!("{} {}", contract.name, apart.len());
                one.clauses
                    .retain(|other| other.side == Side::Assume || other.place == clause.place);
                of.push((number, clause.place));
                apart.push(one);
            }
        }
        if apart.is_empty() {
            return;
        }
        library.contracts = apart;
        let built = Compiled::default().build(&library, &limits(default_max_states()));
        let Some(Ok(loaded)) = built.map(|artifact| Library::load(artifact.bytes)) else {
            return;
        };
        let plan = Arc::new(Plan::new(&loaded));
        let report = judge(&mut Grader::new(&loaded, &plan));
        each(&report, &mut |part, event, key| {
            if let Some((contract, place)) = of.get(part as usize) {
                let moment = (*contract, event, text(key));
                // Of several that broke at once the first is shown.
                self.broken.entry(moment).or_insert(*place);
            }
        });
    }

    /// The clause that was broken at an event, or is open at the end; `None` where it is not known.
    pub(super) fn get(
        &self,
        contract: u32,
        side: Side,
        event: Option<u64>,
        key: &[Value],
    ) -> Option<Place> {
        let alone = self.alone.get(&(contract, side));
        let broken = || match side {
            Side::Guarantee => self.broken.get(&(contract, event, text(key))),
            Side::Assume => None,
        };
        alone.or_else(broken).copied()
    }
}

/// All that a report says of broken guarantees.
fn each(report: &Report, tell: &mut impl FnMut(u32, Option<u64>, &[Value])) {
    for outcome in &report.outcome.contracts {
        for violation in &outcome.violations {
            tell(violation.contract, violation.event, &violation.key);
        }
    }
    for decided in &report.decisions {
        for objection in &decided.decision.objections {
            tell(objection.contract, Some(decided.event), &objection.key);
        }
    }
}

fn text(key: &[Value]) -> String {
    let parts: Vec<String> = key.iter().map(ToString::to_string).collect();
    parts.join(", ")
}
