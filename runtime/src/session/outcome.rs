//! What a session comes to (language reference, section 5, "Verdict of a finished session").

use alloc::string::String;
use alloc::vec::Vec;

use super::advice::{awaits, message, responses};
use super::assess::Monitor;
use super::groups::Label;
use super::judge::{Judge, Memo, is_satisfied};
use super::{ContractState, NO_INSTANCE, Session, Stored};
use crate::decision::{ContractOutcome, Outcome, Pending, Reason, Value3, Violation};
use crate::eval::frame::Frame;
use crate::eval::{Evaluator, KeyView, Workspace};
use crate::format::ContractRef;
use crate::format::model::Side;
use crate::value::Value;

/// What one instance comes to.
struct Instance {
    value: Value3,
    pending: Vec<Pending>,
}

impl Session<'_> {
    /// The verdicts if the session ended now. Obligations that are still open have failed; nothing
    /// is changed, so that a session may go on afterwards.
    #[must_use]
    pub fn finish(&self) -> Outcome {
        let contracts: Vec<ContractOutcome> = self
            .library
            .contracts()
            .zip(&self.contracts)
            .map(|(contract, state)| self.contract_outcome(contract, state))
            .collect();
        let values = || contracts.iter().map(|c| c.value);
        Outcome {
            environment: values().max().unwrap_or(Value3::Active),
            agent: values().min().unwrap_or(Value3::Active),
            events: self.next,
            undetermined: self.undetermined,
            ambiguous: self.ambiguous.clone(),
            contracts,
        }
    }

    fn contract_outcome(
        &self,
        contract: ContractRef<'_>,
        state: &ContractState,
    ) -> ContractOutcome {
        let mut violations: Vec<Violation> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        let mut idle = false;
        let mut failed = state.failed;
        let told = |stored: &Stored, key: &[Value]| Violation {
            key: key.to_vec(),
            ..state.violation(contract.id(), stored)
        };
        match &state.monitor {
            Monitor::One {
                label,
                since,
                failed: was,
            } => {
                let end = self.instance(contract, *label, *since, *was, 0, &[]);
                idle = end.value == Value3::Idle;
                failed = end.value == Value3::Fail;
                pending = end.pending;
                violations.extend(state.violations.iter().map(|v| told(v, &[])));
            }
            Monitor::Many(groups) => {
                let whole = state
                    .violations
                    .iter()
                    .filter(|v| v.instance == NO_INSTANCE);
                violations.extend(whole.map(|v| told(v, &[])));
                let shared: Vec<&Stored> = state
                    .violations
                    .iter()
                    .filter(|v| v.instance == 0)
                    .collect();
                let mut alive = alloc::vec![false; groups.len()];
                for i in groups.occurred() {
                    let instance = groups.get(i);
                    let (label, since) = groups.peek(i);
                    let key = &instance.key;
                    let end = self.instance(contract, label, since, instance.failed, i, key);
                    match end.value {
                        Value3::Idle => {
                            idle = true;
                            continue;
                        }
                        Value3::Fail => failed = true,
                        Value3::Active => {}
                    }
                    if let Some(slot) = usize::try_from(i).ok().and_then(|n| alive.get_mut(n)) {
                        *slot = true;
                    }
                    pending.extend(end.pending);
                    let inherited = usize::try_from(instance.inherited).unwrap_or(usize::MAX);
                    violations.extend(shared.iter().take(inherited).map(|v| told(v, key)));
                }
                violations.extend(
                    state
                        .violations
                        .iter()
                        .filter(|v| {
                            v.instance != 0
                                && usize::try_from(v.instance)
                                    .ok()
                                    .and_then(|n| alive.get(n))
                                    .is_some_and(|a| *a)
                        })
                        .map(|v| state.violation(contract.id(), v)),
                );
            }
        }
        let value = match (failed, idle) {
            (true, _) => Value3::Fail,
            (false, true) => Value3::Idle,
            (false, false) => Value3::Active,
        };
        if value == Value3::Idle {
            violations.clear();
            pending.clear();
        }
        crate::order::sort_by_key(&mut violations, |v| v.event);
        crate::order::sort_by_key(&mut pending, |p| p.event);
        for open in &pending {
            violations.push(Violation {
                contract: contract.id(),
                key: open.key.clone(),
                event: open.event,
                id: None,
                reason: Reason::PendingAtEnd,
                message: self.end_message(contract, &open.key),
                detail: None,
            });
        }
        let assumption = state
            .assumption
            .as_ref()
            .map(|stored| state.violation(contract.id(), stored));
        ContractOutcome {
            untold: state.untold,
            value,
            violations,
            pending,
            assumption,
        }
    }

    /// What an instance comes to that is in these states.
    fn instance(
        &self,
        contract: ContractRef<'_>,
        label: Label,
        since: Option<u64>,
        failed: bool,
        instance: u32,
        key: &[Value],
    ) -> Instance {
        let library = self.library;
        let mut end = Instance {
            value: Value3::Idle,
            pending: Vec::new(),
        };
        if label.broken {
            return end;
        }
        let satisfied = |automaton: Option<u32>, state: u32| {
            automaton.is_none_or(|a| is_satisfied(library.automaton(a).state(state).label))
        };
        let open = |side: Side| {
            contract.deadlines().filter_map(move |deadline| {
                let d = library.deadline(deadline);
                let event = self.deadlines.open(deadline, instance)?;
                (d.side == side).then_some((d, event))
            })
        };
        // An assumption that is not met by the end is violated.
        if !satisfied(contract.assume(), label.assume) || open(Side::Assume).next().is_some() {
            return end;
        }
        if let Some(guarantee) = contract.guarantee()
            && !satisfied(Some(guarantee), label.guarantee)
        {
            end.pending.push(Pending {
                key: key.to_vec(),
                event: since,
                awaits: awaits(library, contract, guarantee, label.guarantee),
            });
        }
        for (d, event) in open(Side::Guarantee) {
            end.pending.push(Pending {
                key: key.to_vec(),
                event: Some(event),
                awaits: responses(library, d.response),
            });
        }
        end.value = match failed || !end.pending.is_empty() {
            true => Value3::Fail,
            false => Value3::Active,
        };
        end
    }

    /// The contract's message where there is no event to speak of.
    fn end_message(&self, contract: ContractRef<'_>, key: &[Value]) -> String {
        let frames = [Frame::blank()];
        let mut work = Workspace::default();
        let mut memo = Memo::new(0);
        let mut steps = 0;
        let mut host = ();
        let mut judge = Judge {
            eval: Evaluator::new(
                self.library,
                &self.context,
                &self.registers,
                &frames,
                &mut host,
                &mut work,
            ),
            plan: &self.plan,
            memo: &mut memo,
            steps: &mut steps,
        };
        judge.eval.key = match contract.key_count() {
            0 => KeyView::None,
            _ => KeyView::Known(key.into()),
        };
        message(&mut judge, contract, Reason::PendingAtEnd, Side::Guarantee)
    }
}
