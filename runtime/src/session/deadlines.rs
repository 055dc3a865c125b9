//! `P leads to Q within 30s`: open triggers, and when they expire.
//!
//! An event pays only for the deadlines that it passes: a heap over the session says which is next.
//! A trigger or response that every instance of a keyed contract sees is noted once for all of them.

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::codec::{Corrupt, Reader, Writer};
use crate::limits::Limits;
use crate::order::Map;

/// Stands for all instances of a contract.
pub(crate) const ALL: u32 = u32::MAX;

/// An event after which a response is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) seq: u64,
    pub(crate) time: i64,
    /// Instances that it does not concern, where it is noted for all.
    pub(crate) except: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Local {
    open: VecDeque<Trigger>,
    /// Triggers for all before this event have been answered for this instance.
    cleared: u64,
}

#[derive(Clone, Debug, Default)]
struct State {
    all: VecDeque<Trigger>,
    local: Map<u32, Local>,
}

/// A trigger that may have expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: i64,
    seq: u64,
    deadline: u32,
    instance: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Deadlines {
    states: Vec<State>,
    heap: BinaryHeap<Reverse<Due>>,
    /// How many triggers of one deadline may be open for an instance.
    limit: usize,
    /// How many entries the heap has when those are dropped that have been answered.
    tidy_at: usize,
}

/// So small a heap is left as it is.
const TIDY: usize = 256;

/// An expired trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) deadline: u32,
    /// The instance, or [`ALL`] but those that do not apply.
    pub(crate) instance: u32,
    pub(crate) seq: u64,
    pub(crate) except: Vec<u32>,
}

impl Deadlines {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            states: (0..count).map(|_| State::default()).collect(),
            heap: BinaryHeap::new(),
            limit: Limits::DEFAULT.triggers,
            tidy_at: TIDY,
        }
    }

    /// Forgets all triggers.
    pub(crate) fn restart(&mut self) {
        for state in &mut self.states {
            *state = State::default();
        }
        self.heap.clear();
        self.tidy_at = TIDY;
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit.max(1);
    }

    /// Drops entries of triggers that have been answered long before their time. Called when there are
    /// twice as many as were left the last time, so that its cost is a constant for each trigger.
    fn tidy(&mut self) {
        if self.heap.len() < self.tidy_at {
            return;
        }
        let mut open: Vec<(u32, u64)> = Vec::new();
        for (deadline, state) in (0_u32..).zip(&self.states) {
            let own = state.local.values().flat_map(|l| &l.open);
            open.extend(state.all.iter().chain(own).map(|t| (deadline, t.seq)));
        }
        crate::order::sort(&mut open);
        self.heap
            .retain(|Reverse(due)| open.binary_search(&(due.deadline, due.seq)).is_ok());
        self.tidy_at = (2 * self.heap.len()).max(TIDY);
    }

    fn state(&self, deadline: u32) -> Option<&State> {
        self.states.get(usize::try_from(deadline).ok()?)
    }

    fn state_mut(&mut self, deadline: u32) -> Option<&mut State> {
        self.states.get_mut(usize::try_from(deadline).ok()?)
    }

    /// The oldest open trigger of an instance.
    pub(crate) fn open(&self, deadline: u32, instance: u32) -> Option<u64> {
        let state = self.state(deadline)?;
        let local = state.local.get(&instance);
        let own = local.and_then(|l| l.open.front()).map(|t| t.seq);
        let cleared = local.map_or(0, |l| l.cleared);
        let all = state
            .all
            .iter()
            .find(|t| t.seq >= cleared && !t.except.contains(&instance))
            .map(|t| t.seq);
        match (own, all) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Whether any trigger is open for any instance.
    pub(crate) fn any_open(&self, deadline: u32) -> bool {
        self.state(deadline)
            .is_some_and(|s| !s.all.is_empty() || s.local.values().any(|l| !l.open.is_empty()))
    }

    /// Whether a trigger can be noted for all instances, or stand behind one that is open for all of
    /// them. For a single instance one that is open stands for it.
    pub(crate) fn has_room(&self, deadline: u32) -> bool {
        self.state(deadline).is_none_or(|state| {
            state.all.len() < self.limit
                || state.all.back().is_some_and(|last| {
                    let answered = |local: &Local| local.cleared > last.seq;
                    last.except.is_empty() && !state.local.values().any(answered)
                })
        })
    }

    /// Opens a deadline that ends at `at`, for an instance or for [`ALL`].
    pub(crate) fn trigger(&mut self, deadline: u32, instance: u32, at: i64, trigger: Trigger) {
        let seq = trigger.seq;
        let limit = self.limit;
        let Some(state) = self.state_mut(deadline) else {
            return;
        };
        let list = match instance {
            ALL => &mut state.all,
            _ => &mut state.local.entry(instance).or_default().open,
        };
        // Those that are open are answered with it, or else fail the contract before it: a trigger for
        // all is only noted where `has_room` says that this holds for every instance.
        if list.len() >= limit {
            return;
        }
        list.push_back(trigger);
        self.tidy();
        self.heap.push(Reverse(Due {
            at,
            seq,
            deadline,
            instance,
        }));
    }

    /// The response came with event `seq`; for [`ALL`], `except` keep theirs.
    pub(crate) fn respond(&mut self, deadline: u32, instance: u32, seq: u64, except: &[u32]) {
        let Some(state) = self.state_mut(deadline) else {
            return;
        };
        if instance == ALL {
            // Those that keep theirs get copies of the triggers for all.
            let kept: Vec<(u32, VecDeque<Trigger>, u64)> = except
                .iter()
                .map(|i| {
                    let local = state.local.get(i).cloned().unwrap_or_default();
                    let mut open = local.open;
                    open.extend(
                        state
                            .all
                            .iter()
                            .filter(|t| t.seq >= local.cleared && !t.except.contains(i))
                            .cloned(),
                    );
                    crate::order::sort_by_key(open.make_contiguous(), |t| t.seq);
                    (*i, open, local.cleared)
                })
                .collect();
            state.all.clear();
            state.local.clear();
            for (instance, open, cleared) in kept {
                if !open.is_empty() {
                    state.local.insert(instance, Local { open, cleared });
                }
            }
            return;
        }
        if state.all.is_empty() {
            state.local.remove(&instance);
        } else {
            let local = state.local.entry(instance).or_default();
            local.open.clear();
            local.cleared = seq + 1;
        }
    }

    /// Whether some deadline ends before `now`.
    pub(crate) fn is_due(&self, now: i64) -> bool {
        self.heap.peek().is_some_and(|Reverse(due)| due.at < now)
    }

    /// Takes out the next trigger whose time ended before `now`; answered ones are passed over.
    pub(crate) fn expire(&mut self, now: i64) -> Option<Expired> {
        while self.is_due(now) {
            let Reverse(due) = self.heap.pop()?;
            let Some(state) = self.state_mut(due.deadline) else {
                continue;
            };
            if due.instance == ALL {
                if let Some(n) = state.all.iter().position(|t| t.seq == due.seq)
                    && let Some(trigger) = state.all.remove(n)
                {
                    let mut except = trigger.except;
                    // Who answered after it, or took it along as its own.
                    except.extend(
                        state
                            .local
                            .iter()
                            .filter(|(_, l)| l.cleared > due.seq)
                            .map(|(i, _)| *i),
                    );
                    if state.all.is_empty() {
                        state.local.retain(|_, l| !l.open.is_empty());
                    }
                    return Some(Expired {
                        deadline: due.deadline,
                        instance: ALL,
                        seq: due.seq,
                        except,
                    });
                }
                // A copy kept by single instances.
                let holder = state
                    .local
                    .iter_mut()
                    .find_map(|(i, l)| take(&mut l.open, due.seq).map(|_| *i));
                if let Some(instance) = holder {
                    if state.all.is_empty()
                        && state
                            .local
                            .get(&instance)
                            .is_some_and(|l| l.open.is_empty())
                    {
                        state.local.remove(&instance);
                    }
                    self.heap.push(Reverse(due));
                    return Some(Expired {
                        deadline: due.deadline,
                        instance,
                        seq: due.seq,
                        except: Vec::new(),
                    });
                }
                continue;
            }
            let Some(local) = state.local.get_mut(&due.instance) else {
                continue;
            };
            if take(&mut local.open, due.seq).is_some() {
                if local.open.is_empty() && state.all.is_empty() {
                    state.local.remove(&due.instance);
                }
                return Some(Expired {
                    deadline: due.deadline,
                    instance: due.instance,
                    seq: due.seq,
                    except: Vec::new(),
                });
            }
        }
        None
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        let triggers = |list: &VecDeque<Trigger>, out: &mut Writer| {
            out.len(list.len());
            for t in list {
                out.u64(t.seq);
                out.i64(t.time);
                out.len(t.except.len());
                for i in &t.except {
                    out.u32(*i);
                }
            }
        };
        for state in &self.states {
            triggers(&state.all, out);
            out.len(state.local.len());
            for (instance, local) in &state.local {
                out.u32(*instance);
                out.u64(local.cleared);
                triggers(&local.open, out);
            }
        }
    }

    /// `facts(deadline)` says how long each runs, and how many instances its contract has.
    pub(crate) fn restore(
        count: u32,
        from: &mut Reader<'_>,
        facts: impl Fn(u32) -> (i64, usize),
    ) -> Result<Self, Corrupt> {
        fn triggers(from: &mut Reader<'_>) -> Result<VecDeque<Trigger>, Corrupt> {
            let mut list = VecDeque::new();
            for _ in 0..from.len()? {
                let (seq, time) = (from.count()?, from.i64()?);
                let mut except = Vec::new();
                for _ in 0..from.len()? {
                    except.push(from.u32()?);
                }
                list.push_back(Trigger { seq, time, except });
            }
            Ok(list)
        }
        let mut deadlines = Self::new(count);
        for deadline in 0..count {
            let (length, instances) = facts(deadline);
            let mut state = State {
                all: triggers(from)?,
                local: Map::new(),
            };
            for _ in 0..from.len()? {
                let instance = from.index(u32::try_from(instances).unwrap_or(u32::MAX))?;
                let cleared = from.count()?;
                let open = triggers(from)?;
                state.local.insert(instance, Local { open, cleared });
            }
            let mut due = |t: &Trigger, instance| {
                deadlines.heap.push(Reverse(Due {
                    at: t.time.saturating_add(length),
                    seq: t.seq,
                    deadline,
                    instance,
                }));
            };
            state.all.iter().for_each(|t| due(t, ALL));
            for (instance, local) in &state.local {
                local.open.iter().for_each(|t| due(t, *instance));
            }
            if let Some(slot) = deadlines.state_mut(deadline) {
                *slot = state;
            }
        }
        Ok(deadlines)
    }
}

fn take(open: &mut VecDeque<Trigger>, seq: u64) -> Option<Trigger> {
    let n = open.iter().position(|t| t.seq == seq)?;
    open.remove(n)
}
