//! What the runtime's gate says of a session, event by event.

use std::sync::Arc;

use ctr_front::ir::Library;
use ctr_runtime::decision::{Reason, Verb};
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::session::Plan;

use crate::replay::Concrete;

/// What the gate must answer to the last event of a session, all others being let through.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    /// This contract refuses it and asks for its redirect; no other asks for something stricter.
    Asks {
        /// The contract.
        contract: usize,
        /// The contracts whose action is stricter.
        stricter: Vec<usize>,
    },
    /// The call of this contract's redirect is made instead, and let through.
    Redirects {
        /// The contract.
        contract: usize,
        /// The fields of the refused call that the redirect reads.
        reads: Vec<Vec<String>>,
    },
    /// It violates this contract, to which no other event did anything.
    Violates(usize),
    /// The same, of time that passes: a message comes later than so many nanoseconds.
    Expires {
        /// The contract.
        contract: usize,
        /// How long to wait.
        within: i64,
    },
}

impl Concrete {
    /// Whether the gate answers so.
    pub(crate) fn comes_to(
        &mut self,
        library: &Library,
        artifact: &Artifact<'_>,
        plan: &Arc<Plan>,
        gate: &Gate,
    ) -> bool {
        let contract = match gate {
            Gate::Violates(contract) => Some(*contract),
            Gate::Expires { contract, within } => {
                self.wait(within.saturating_add(1_000_000_000));
                Some(*contract)
            }
            _ => None,
        };
        if let Some(contract) = contract {
            return self.violates(library, artifact, plan, contract);
        }
        if let Gate::Redirects { reads, .. } = gate {
            self.fill_last(reads);
        }
        let last = self.len().saturating_sub(1);
        let mut fits = false;
        let all = self.play(library, artifact, plan, &mut |session, at, event, host| {
            let Ok(decision) = session.propose(event, host) else {
                return false;
            };
            if at < last {
                return decision.verb == Verb::Allow
                    && session
                        .commit(event, host)
                        .is_ok_and(|report| report.violations.is_empty());
            }
            let objects = |contract: usize| {
                decision
                    .objections
                    .iter()
                    .any(|o| usize::try_from(o.contract) == Ok(contract))
            };
            match gate {
                Gate::Asks { contract, stricter } => {
                    fits = objects(*contract) && !stricter.iter().any(|other| objects(*other));
                }
                Gate::Redirects { contract, .. } => {
                    let first = decision
                        .objections
                        .iter()
                        .find(|o| o.verb == Verb::Redirect)
                        .is_some_and(|o| usize::try_from(o.contract) == Ok(*contract));
                    if let (true, Verb::Redirect, Some(instead), EventKind::Call { id, .. }) =
                        (first, decision.verb, &decision.instead, event.kind)
                    {
                        let call = Event {
                            kind: EventKind::Call {
                                id,
                                tool: &instead.tool,
                                args: &instead.args,
                            },
                            meta: Meta {
                                server: instead.server.as_deref().or(event.meta.server),
                                ..event.meta
                            },
                        };
                        fits = session
                            .propose(&call, host)
                            .is_ok_and(|decision| decision.verb >= Verb::Warn);
                    }
                }
                Gate::Violates(_) | Gate::Expires { .. } => {}
            }
            true
        });
        all && fits
    }

    /// The first event that the gate does not let through or by which something is violated (an assumption too), with
    /// the contracts that object; `Some(None)` where all is well, so far. What is still open
    /// at the end does not matter, nor what `ignored` contracts say. `None` where the session cannot be played.
    pub(crate) fn objection(
        &mut self,
        library: &Library,
        artifact: &Artifact<'_>,
        plan: &Arc<Plan>,
        ignored: &[usize],
    ) -> Option<Option<(usize, Vec<usize>)>> {
        let last = self.len().saturating_sub(1);
        let mut objected: Option<(usize, Vec<usize>)> = None;
        let all = self.play(library, artifact, plan, &mut |session, at, event, host| {
            let Ok(decision) = session.propose(event, host) else {
                return false;
            };
            let Ok(report) = session.commit(event, host) else {
                return false;
            };
            let violations = report.violations.iter().chain(&report.assumptions);
            let mut contracts: Vec<u32> = decision.objections.iter().map(|o| o.contract).collect();
            contracts.extend(violations.map(|violation| violation.contract));
            if at == last {
                // A deadline may have passed.
                let outcome = session.finish();
                contracts.extend(
                    (0..)
                        .zip(&outcome.contracts)
                        .filter_map(|(index, contract)| {
                            let mut violations = contract.violations.iter();
                            let open = violations.all(|v| v.reason == Reason::PendingAtEnd);
                            (!open).then_some(index)
                        }),
                );
            }
            let contracts: Vec<usize> = contracts
                .into_iter()
                .filter_map(|contract| usize::try_from(contract).ok())
                .filter(|contract| !ignored.contains(contract))
                .collect();
            if contracts.is_empty() {
                return true;
            }
            objected = Some((at, contracts));
            false
        });
        (all || objected.is_some()).then_some(objected)
    }

    /// Whether the last event violates a contract that is content with all others.
    fn violates(
        &mut self,
        library: &Library,
        artifact: &Artifact<'_>,
        plan: &Arc<Plan>,
        contract: usize,
    ) -> bool {
        let last = self.len().saturating_sub(1);
        let mut fits = false;
        let all = self.play(library, artifact, plan, &mut |session, at, event, host| {
            let is_it = |other: u32| usize::try_from(other) == Ok(contract);
            let Ok(decision) = session.propose(event, host) else {
                return false;
            };
            if decision
                .objections
                .iter()
                .any(|o| is_it(o.contract) && at < last)
            {
                return false;
            }
            let Ok(report) = session.commit(event, host) else {
                return false;
            };
            let mut own = report.violations.iter().filter(|v| is_it(v.contract));
            if at == last {
                fits = own.any(|v| matches!(v.reason, Reason::Violated | Reason::Deadline));
                true
            } else {
                own.next().is_none()
            }
        });
        all && fits
    }
}
