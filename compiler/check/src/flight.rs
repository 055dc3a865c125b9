//! Facts about calls in flight.
//!
//! A return answers a call that is in flight. How many are is no regular property, but as long as there are never more than two
//! of a tool, it is one that past formulas say: whether there are one or two rather than none or one follows from whether two calls in a row or
//! two returns in a row were the last such pair, and which of the two from the last of the tool's events. From a third call on, and
//! from the first return of unknown outcome on (a late return may follow), everything is allowed: more than there is.

use std::collections::BTreeSet;

use ctr_front::ir::Status;
use ctr_logic::{Formula, NodeRef, StateId};

use crate::engine::Engine;
use crate::product::Monitor;
use crate::universe::{Class, FIRST_LEAF};

impl Engine<'_> {
    fn groups_with(&self, is: impl Fn(Class) -> bool) -> BTreeSet<usize> {
        self.problem
            .universe
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.classes.iter().any(|class| is(*class)))
            .map(|(index, _)| index)
            .collect()
    }

    /// The groups of calls and of returns of a tool.
    pub(crate) fn calls_and_returns(&self, tool: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
        (
            self.groups_with(|class| class == Class::Call(tool)),
            self.groups_with(|class| matches!(class, Class::Return(other, _) if other == tool)),
        )
    }

    /// The groups of successful returns of a tool.
    pub(crate) fn successes(&self, tool: usize) -> BTreeSet<usize> {
        self.groups_with(|class| class == Class::Return(tool, Status::Success))
    }

    /// The arguments of a tool that conditions at its returns read, as leaves.
    pub(crate) fn carried(&self, tool: usize) -> Vec<u32> {
        let (_, returns) = self.calls_and_returns(tool);
        self.arguments()
            .into_iter()
            .filter(|leaf| {
                let used = self.problem.used_in.get(*leaf as usize);
                used.is_some_and(|used| !used.is_disjoint(&returns))
            })
            .collect()
    }

    /// Calls and returns of a tool as formulas.
    fn flight(&mut self, tool: usize) -> Events {
        let (calls, returns) = self.calls_and_returns(tool);
        let unknown = self.groups_with(|class| class == Class::Return(tool, Status::Unknown));
        let universe = self.problem.universe.clone();
        let arena = &mut self.problem.arena;
        let unknown = universe.formula(arena, &unknown);
        let called = universe.formula(arena, &calls);
        let returned = universe.formula(arena, &returns);
        let (no_call, no_return) = (arena.not(called), arena.not(returned));
        let after_call = arena.since(no_return, called);
        let after_return = arena.since(no_call, returned);
        let before = arena.previously(after_call);
        let two_calls = arena.and(&[called, before]);
        let before = arena.previously(after_return);
        let two_returns = arena.and(&[returned, before]);
        let not_down = arena.not(two_returns);
        // One or two rather than none or one.
        let high = arena.since(not_down, two_calls);
        let some = arena.or(&[high, after_call]);
        let high_before = arena.previously(high);
        let third = arena.and(&[two_calls, high_before]);
        Events {
            called,
            returned,
            no_return,
            some,
            second: arena.or(&[two_calls, unknown]),
            third: arena.or(&[third, unknown]),
        }
    }

    /// That every return of a tool answers a call in flight; with a leaf: whose arguments it carries (known while there
    /// is one call at a time).
    pub(crate) fn answers(&mut self, tool: usize, leaf: Option<u32>) -> Formula {
        let events = self.flight(tool);
        let arena = &mut self.problem.arena;
        let lost = if leaf.is_none() {
            events.third
        } else {
            events.second
        };
        let lost = arena.once(lost);
        let lost = arena.previously(lost);
        let variants = match leaf {
            None => vec![(events.returned, events.some)],
            Some(leaf) => {
                let yes = arena.atom(FIRST_LEAF + leaf);
                let no = arena.not(yes);
                [yes, no]
                    .into_iter()
                    .map(|value| {
                        let here = arena.and(&[events.returned, value]);
                        let call = arena.and(&[events.called, value]);
                        (here, arena.since(events.no_return, call))
                    })
                    .collect()
            }
        };
        let mut all = Vec::new();
        for (here, open) in variants {
            let open = arena.previously(open);
            let fine = arena.or(&[open, lost]);
            all.push(arena.implies(here, fine));
        }
        let all = arena.and(&all);
        arena.always(all)
    }

    /// That at the end surely a call of the tool is in flight.
    pub(crate) fn one_in_flight(&mut self, tool: usize) -> Formula {
        let events = self.flight(tool);
        let arena = &mut self.problem.arena;
        let any = arena.tt();
        let more = arena.next(any);
        let last = arena.not(more);
        let here = arena.and(&[last, events.some]);
        arena.eventually(here)
    }
}

struct Events {
    called: Formula,
    returned: Formula,
    no_return: Formula,
    /// At least one is in flight.
    some: Formula,
    /// There was a second one at some time: from here on it is open which is which.
    second: Formula,
    /// From here on it is open how many there are.
    third: Formula,
}

/// What a state of the monitor of [`Engine::answers`] (without leaf) says; `None` if it is open how many there are.
pub(crate) fn in_flight(
    monitor: &Monitor,
    mut state: StateId,
    returns: &BTreeSet<usize>,
) -> Option<usize> {
    let known = returns.iter().find(|group| {
        monitor
            .alive()
            .any(|s| matches!(monitor.after(s, **group), NodeRef::Leaf(to) if monitor.dead(to)))
    })?;
    for count in 0..4 {
        match monitor.after(state, *known) {
            NodeRef::Leaf(to) if to == state => return None,
            NodeRef::Leaf(to) if monitor.dead(to) => return Some(count),
            NodeRef::Leaf(to) => state = to,
            NodeRef::Inner(_) => return None,
        }
    }
    None
}
