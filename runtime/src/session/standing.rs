//! How contracts stand while a session runs (language reference, section 5: "satisfied for good,
//! satisfied so far, pending or violated for good").

use super::assess::Monitor;
use super::groups::Label;
use super::judge::is_satisfied;
use super::{ContractState, Session};
use crate::format::ContractRef;
use crate::format::model::{Label as StateLabel, Side};
use crate::value::Value;

/// How a contract, or one instance of it, stands after the events so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// The guarantee was violated, or an event was undetermined: the contract has failed.
    Violated,
    /// The assumption is violated for good: nothing is asked any more.
    Broken,
    /// The assumption is not met yet: nothing would be asked if the session ended now.
    Unmet,
    /// The guarantee is not satisfied, but still can be.
    Pending,
    /// The guarantee would be satisfied if the session ended now.
    Satisfied,
    /// The guarantee is satisfied, whatever follows.
    SatisfiedForGood,
}

impl Standing {
    /// The name in reports: `violated`, `idle`, `idle so far`, `pending`, `satisfied so far`,
    /// `satisfied for good`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::Broken => "idle",
            Self::Unmet => "idle so far",
            Self::Pending => "pending",
            Self::Satisfied => "satisfied so far",
            Self::SatisfiedForGood => "satisfied for good",
        }
    }
}

impl Session<'_> {
    /// How a contract stands as a whole: as the worst of its instances, in the order of
    /// [`Standing`]. `None` for a keyed contract of which no key has occurred, and for a number that no contract has.
    ///
    /// It looks at each instance, and changes nothing.
    ///
    /// ```
    /// # use ctr_runtime::doc::library;
    /// use ctr_runtime::session::{Session, Standing};
    /// use ctr_runtime::wire::OwnedEvent;
    ///
    /// let library = library();
    /// let mut session = Session::new(&library);
    /// assert_eq!(session.standing(0), Some(Standing::Satisfied));
    /// let call = ctr_runtime::json::parse(r#"{"kind": "call", "tool": "pay", "args": {"amount": 150}}"#)?;
    /// session.record(&OwnedEvent::read(&call)?.as_event(), &mut ())?;
    /// assert_eq!(session.standing(0), Some(Standing::Violated));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn standing(&self, contract: u32) -> Option<Standing> {
        let mut worst: Option<Standing> = None;
        self.standings(contract, |_, _, standing| {
            worst = Some(worst.map_or(standing, |worst| worst.min(standing)));
        });
        let state = self.contract_state(contract)?;
        match state.failed {
            // An event without a value for the key.
            true => Some(Standing::Violated),
            // A key that comes later begins anew.
            false if matches!(state.monitor, Monitor::Many(_)) => {
                worst.map(|worst| worst.min(Standing::Satisfied))
            }
            false => worst,
        }
    }

    /// Tells how each instance of a contract stands: its number, which it keeps for the session,
    /// its key and its standing; instances in order of their numbers, those whose key has occurred. A contract without keys
    /// is one instance, with number 0 and without key values.
    pub fn standings(&self, contract: u32, mut tell: impl FnMut(u32, &[Value], Standing)) {
        let Some(state) = self.contract_state(contract) else {
            return;
        };
        let contract = self.library.contract(contract);
        match &state.monitor {
            Monitor::One { label, failed, .. } => {
                tell(0, &[], self.stands(contract, *label, *failed, 0));
            }
            Monitor::Many(groups) => {
                for i in groups.occurred() {
                    let instance = groups.get(i);
                    let (label, _) = groups.peek(i);
                    tell(
                        i,
                        &instance.key,
                        self.stands(contract, label, instance.failed, i),
                    );
                }
            }
        }
    }

    /// Tells in which states each instance of a contract is, as [`Session::standings`] tells how it stands: the state of the
    /// assumption's automaton and that of the guarantee's. `None` for a side without an automaton, and for both once the
    /// assumption is broken.
    pub fn states(
        &self,
        contract: u32,
        mut tell: impl FnMut(u32, &[Value], Option<u32>, Option<u32>),
    ) {
        let Some(state) = self.contract_state(contract) else {
            return;
        };
        let contract = self.library.contract(contract);
        let of = |label: Label| {
            let known = |automaton: Option<u32>, state: u32| {
                automaton.filter(|_| !label.broken).map(|_| state)
            };
            (
                known(contract.assume(), label.assume),
                known(contract.guarantee(), label.guarantee),
            )
        };
        match &state.monitor {
            Monitor::One { label, .. } => {
                let (assume, guarantee) = of(*label);
                tell(0, &[], assume, guarantee);
            }
            Monitor::Many(groups) => {
                for i in groups.occurred() {
                    let (label, _) = groups.peek(i);
                    let (assume, guarantee) = of(label);
                    tell(i, &groups.get(i).key, assume, guarantee);
                }
            }
        }
    }

    fn contract_state(&self, contract: u32) -> Option<&ContractState> {
        self.contracts.get(usize::try_from(contract).ok()?)
    }

    fn stands(
        &self,
        contract: ContractRef<'_>,
        label: Label,
        failed: bool,
        instance: u32,
    ) -> Standing {
        if label.broken {
            return Standing::Broken;
        }
        let of = |automaton: Option<u32>, state: u32| {
            automaton.map_or(StateLabel::SatisfiedForGood, |a| {
                self.library.automaton(a).state(state).label
            })
        };
        let open = |side: Side| {
            contract.deadlines().any(|deadline| {
                self.library.deadline(deadline).side == side
                    && self.deadlines.open(deadline, instance).is_some()
            })
        };
        // As at the end of a session: an assumption that is not met is violated.
        if !is_satisfied(of(contract.assume(), label.assume)) || open(Side::Assume) {
            return Standing::Unmet;
        }
        let guarantee = of(contract.guarantee(), label.guarantee);
        if failed || guarantee == StateLabel::ViolatedForGood {
            return Standing::Violated;
        }
        if !is_satisfied(guarantee) || open(Side::Guarantee) {
            return Standing::Pending;
        }
        // A deadline may be set anew.
        match guarantee == StateLabel::SatisfiedForGood && contract.deadlines().is_empty() {
            true => Standing::SatisfiedForGood,
            false => Standing::Satisfied,
        }
    }
}
