//! Using a session again for another run.

use super::Session;
use super::assess::Monitor;
use super::groups::Label;
use crate::format::ContractRef;
use crate::format::Library;
use crate::value::Record;

/// The states of a contract's automata before the first event.
fn initial(library: &Library<'_>, contract: ContractRef<'_>) -> Label {
    let of = |automaton: Option<u32>| automaton.map_or(0, |a| library.automaton(a).initial());
    Label {
        assume: of(contract.assume()),
        guarantee: of(contract.guarantee()),
        broken: false,
    }
}

impl Session<'_> {
    /// Goes back to before the first event: what happens from now on is another run, which shares nothing
    /// with the one before but memory, so that many short runs cost less than as many sessions. The limits
    /// stay; the context is that of a new session.
    pub fn restart(&mut self) {
        // All fields stand here, so that none is forgotten.
        let Self {
            library,
            plan: _,
            limits: _,
            context,
            registers,
            calls,
            contracts,
            deadlines,
            restless,
            clock,
            next,
            undetermined,
            ambiguous,
            expired,
            work,
            lookups_for,
            memo,
            steps,
            scratch: _,
        } = self;
        let library: &Library<'_> = library;
        *context = Record::new();
        registers.restart(library, &mut work.recycler);
        calls.restart();
        for (state, contract) in contracts.iter_mut().zip(library.contracts()) {
            let initial = initial(library, contract);
            match &mut state.monitor {
                Monitor::One {
                    label,
                    since,
                    failed,
                } => (*label, *since, *failed) = (initial, None, false),
                Monitor::Many(groups) => groups.restart(initial),
            }
            state.failed = false;
            state.violations.clear();
            state.bytes = 0;
            state.untold = 0;
            state.assumption = None;
        }
        deadlines.restart();
        restless.clear();
        *clock = None;
        *next = 0;
        *undetermined = 0;
        ambiguous.clear();
        expired.clear();
        work.restart();
        *lookups_for = None;
        memo.next();
        *steps = 0;
        for contract in 0..self.library.contract_count() {
            self.update_restless(contract);
        }
    }
}
