//! Calls that have not returned, and which of them a return answers (language reference, section 2).
//!
//! Calls lie in a list with free places, linked in order of occurrence; calls of one id are a ring, and
//! a hash table finds it. The memory of a call that has returned stays in its place for the next one.

#![expect(
    clippy::indexing_slicing,
    reason = "places are made here and never removed, only freed: an index that is linked is in bounds"
)]

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::steps::{Fit, Steps, UNFIT, UNNAMED};
use crate::limits::{ENTRY, Limits};
use crate::table::{Table, hash};
use crate::value::Value;

/// So many calls are searched one by one.
const FEW: usize = 6;
/// In how many free places the memory of calls is kept.
const MAX_SPARE: usize = 64;

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallState {
    /// It was recorded and has not returned.
    Running,
    /// Its return says that nobody knows how it ended: it counts as in flight for ever.
    Unknown,
    /// Its return was withheld from the agent.
    Suppressed,
    /// It was refused; its return, if one comes, is left out with it.
    Skipped,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    /// Empty where it has none.
    pub(crate) id: String,
    /// The number of its tool's name; [`UNNAMED`] where only `text` says it.
    pub(crate) name: u32,
    pub(crate) text: String,
    pub(crate) server: Option<String>,
    pub(crate) agent: Option<String>,
    /// Null where no return may ask for them.
    pub(crate) args: Value,
    /// How much the arguments count for, kept or not.
    pub(crate) args_weight: usize,
    /// The number of what its tool's name stands for.
    pub(crate) fit: u32,
    /// Whether its return could violate a contract without keys.
    pub(crate) endangers: bool,
}

impl Default for OpenCall {
    fn default() -> Self {
        Self {
            id: String::new(),
            name: UNNAMED,
            text: String::new(),
            server: None,
            agent: None,
            args: Value::Null,
            args_weight: 0,
            fit: UNFIT,
            endangers: false,
        }
    }
}

impl OpenCall {
    /// The tool's name.
    #[inline]
    pub(crate) fn tool<'s>(&'s self, steps: &'s Steps) -> &'s str {
        match self.name {
            UNNAMED => &self.text,
            name => steps.name(name).unwrap_or_default(),
        }
    }

    /// Its id; an empty one is none.
    pub(crate) fn id(&self) -> Option<&str> {
        (!self.id.is_empty()).then_some(&*self.id)
    }
}

/// A return's call.
#[derive(Clone, Debug)]
pub(crate) struct Paired {
    /// Where it lies in [`Calls`].
    pub(crate) place: u32,
    pub(crate) call: Arc<OpenCall>,
    pub(crate) state: CallState,
    /// Whether another call could have been meant.
    pub(crate) ambiguous: bool,
}

impl OpenCall {
    /// How much it counts for.
    fn weight(&self, steps: &Steps) -> usize {
        self.weight_with(self.tool(steps).len())
    }

    /// The same, where the length of its tool's name is at hand.
    #[inline]
    pub(crate) fn weight_with(&self, tool: usize) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let texts = self.id.len() + tool + length(&self.server) + length(&self.agent);
        self.args_weight.saturating_add(texts + ENTRY)
    }
}

/// No place.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Place {
    seq: u64,
    /// Where the place is free, memory that nobody reads, if any.
    call: Option<Arc<OpenCall>>,
    /// Whether a call is here; `next` is the next free place where not.
    live: bool,
    state: CallState,
    /// The hash of its id.
    hash: u64,
    /// How much it counts for.
    weight: usize,
    prev: u32,
    next: u32,
    /// The ring of calls of its id, in order of occurrence from the one that the table knows.
    before: u32,
    after: u32,
}

/// All open calls, in order of occurrence.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    bytes: usize,
    places: Vec<Place>,
    free: u32,
    first: u32,
    last: u32,
    len: usize,
    /// Where there are more than a few.
    by_id: Table,
    /// Whether they are in the table: from when there were more than [`FEW`] until there are none.
    indexed: bool,
    /// Refused ones with their numbers; some may have gone since.
    skipped: Vec<(u32, u64)>,
    skipped_count: usize,
    /// How many free places hold memory.
    spare: usize,
    /// How many may have happened or not.
    uncertain: usize,
    /// How many calls in flight there are of each fit whose return could violate a contract without keys.
    fits: Vec<(u32, usize)>,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            bytes: 0,
            places: Vec::new(),
            free: NONE,
            first: NONE,
            last: NONE,
            len: 0,
            by_id: Table::default(),
            indexed: false,
            skipped: Vec::new(),
            skipped_count: 0,
            spare: 0,
            uncertain: 0,
            fits: Vec::new(),
        }
    }
}

fn at(place: u32) -> usize {
    place as usize
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn places(&self) -> impl Iterator<Item = (u32, &Place)> {
        let mut next = self.first;
        core::iter::from_fn(move || {
            let place = self.places.get(at(next))?;
            let found = (next, place);
            next = place.next;
            Some(found)
        })
    }

    /// Whether another call may be open.
    pub(crate) fn has_room(&self, limits: &Limits) -> bool {
        self.len < limits.open_calls && self.bytes < limits.open_bytes
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Arc<OpenCall>, CallState)> {
        self.places()
            .filter_map(|(_, p)| Some((p.seq, p.call.as_ref()?, p.state)))
    }

    /// Calls that may still turn out to have succeeded, in order.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = (u64, &Arc<OpenCall>, CallState)> {
        self.iter().filter(|(_, _, s)| *s != CallState::Skipped)
    }

    /// What the tools of calls in flight stand for whose returns could violate a contract without keys, each
    /// once.
    pub(crate) fn endangering<'s>(&'s self, steps: &'s Steps) -> impl Iterator<Item = &'s Fit> {
        self.fits.iter().map(|(fit, _)| &**steps.fit(*fit))
    }

    /// Whether the return of a call in flight could violate a contract without keys.
    pub(crate) fn endangers(&self) -> bool {
        !self.fits.is_empty()
    }

    /// What the tools of calls in flight stand for.
    pub(crate) fn fits_in_flight<'s>(&'s self, steps: &'s Steps) -> impl Iterator<Item = &'s Fit> {
        self.in_flight().map(|(_, call, _)| &**steps.fit(call.fit))
    }

    /// How many calls in flight may have happened or not: nobody knows, or the agent does not.
    pub(crate) fn uncertain(&self) -> usize {
        self.uncertain
    }

    fn count(&mut self, fit: u32, one_more: bool) {
        let at = self.fits.iter().position(|(f, _)| *f == fit);
        match (at, one_more) {
            (Some(at), true) => self.fits[at].1 += 1,
            (Some(at), false) => {
                self.fits[at].1 -= 1;
                if self.fits[at].1 == 0 {
                    self.fits.swap_remove(at);
                }
            }
            (None, true) => self.fits.push((fit, 1)),
            (None, false) => {}
        }
    }

    /// The first call of an id.
    #[inline]
    fn first_of(&self, id: &str) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.first_under(id, hash(id.as_bytes()))
    }

    #[inline(always)]
    fn first_under(&self, id: &str, hashed: u64) -> Option<u32> {
        if self.indexed {
            return self.first_indexed(id, hashed);
        }
        let mut here = self.first;
        loop {
            let place = self.places.get(at(here))?;
            if place.hash == hashed && place.call.as_ref().is_some_and(|call| call.id == id) {
                return Some(here);
            }
            here = place.next;
        }
    }

    fn first_indexed(&self, id: &str, hashed: u64) -> Option<u32> {
        self.by_id.find(hashed, |place| {
            let call = self.places.get(at(place)).and_then(|p| p.call.as_ref());
            call.is_some_and(|call| call.id == id)
        })
    }

    /// The calls of an id, in order, from the first.
    fn ring(&self, first: u32) -> impl Iterator<Item = (u32, &Place)> {
        let mut next = Some(first);
        core::iter::from_fn(move || {
            let here = next?;
            let place = self.places.get(at(here))?;
            next = (place.after != first).then_some(place.after);
            Some((here, place))
        })
    }

    /// Whether a call with that id has not returned.
    pub(crate) fn is_live(&self, id: &str) -> bool {
        self.first_of(id)
            .is_some_and(|first| self.ring(first).any(|(_, place)| waits(place)))
    }

    /// Whether a call that has not returned, or was refused, has that id; and what it is looked up by.
    #[inline(always)]
    pub(crate) fn look_up(&self, id: &str) -> (bool, u64) {
        let hashed = hash(id.as_bytes());
        (self.first_under(id, hashed).is_some(), hashed)
    }

    /// The call that a return of an id answers, where it is the only one of the id and runs.
    #[inline(always)]
    pub(crate) fn running(&self, id: &str) -> Option<(u32, &OpenCall)> {
        let here = self.first_of(id)?;
        let place = self.places.get(at(here))?;
        let call = place.call.as_deref()?;
        (place.state == CallState::Running && place.after == here).then_some((here, call))
    }

    /// Adds a call that `fill` writes, into the memory of one that has gone where nobody holds it any more.
    pub(crate) fn insert(
        &mut self,
        steps: &Steps,
        seq: u64,
        state: CallState,
        fill: impl FnOnce(&mut OpenCall),
    ) {
        let here = self.put(seq, state, |call| {
            fill(call);
            call.weight(steps)
        });
        let id = self.places[at(here)].call.as_ref().and_then(|c| c.id());
        if let Some(id) = id {
            let hash = hash(id.as_bytes());
            // It is the last, so that earlier ones are found before it.
            let first = self.first_under(id, hash).filter(|first| *first != here);
            self.ring_in(here, hash, first);
        }
        self.index();
    }

    /// The same for a call whose id no other one has; `hash` is what [`Calls::look_up`] said of it. `fill`
    /// gives its weight.
    #[inline(always)]
    pub(crate) fn insert_new(
        &mut self,
        seq: u64,
        hash: u64,
        fill: impl FnOnce(&mut OpenCall) -> usize,
    ) {
        let here = self.put(seq, CallState::Running, fill);
        self.ring_in(here, hash, None);
        self.index();
    }

    /// Makes a call known by its id.
    #[inline(always)]
    fn ring_in(&mut self, here: u32, hash: u64, first: Option<u32>) {
        let place = &mut self.places[at(here)];
        place.hash = hash;
        match first {
            None => {
                (place.before, place.after) = (here, here);
                if self.indexed {
                    self.by_id.insert(hash, here);
                }
            }
            Some(first) => {
                let last = self.places[at(first)].before;
                (self.places[at(here)].before, self.places[at(here)].after) = (last, first);
                self.places[at(last)].after = here;
                self.places[at(first)].before = here;
            }
        }
    }

    /// Puts the first calls of all ids into the table, where there are more than a few.
    #[inline(always)]
    fn index(&mut self) {
        if self.len > FEW && !self.indexed {
            self.index_all();
        }
    }

    #[cold]
    fn index_all(&mut self) {
        self.indexed = true;
        let mut here = self.first;
        while let Some(place) = self.places.get(at(here)) {
            // The first of a ring stands behind a later one, or behind itself.
            let before = self.places.get(at(place.before));
            if before.is_some_and(|before| before.seq >= place.seq) {
                self.by_id.insert(place.hash, here);
            }
            here = place.next;
        }
    }

    /// Puts a call in a free place; `fill` gives its weight.
    #[inline(always)]
    fn put(
        &mut self,
        seq: u64,
        state: CallState,
        fill: impl FnOnce(&mut OpenCall) -> usize,
    ) -> u32 {
        let here = match self.places.get(at(self.free)) {
            Some(free) => {
                self.spare -= usize::from(free.call.is_some());
                core::mem::replace(&mut self.free, free.next)
            }
            None => {
                // At most `MAX_OPEN_CALLS` are open.
                self.places.push(Place {
                    seq,
                    call: None,
                    live: true,
                    state,
                    hash: 0,
                    weight: 0,
                    prev: NONE,
                    next: NONE,
                    before: NONE,
                    after: NONE,
                });
                (self.places.len() - 1) as u32
            }
        };
        let place = &mut self.places[at(here)];
        (place.seq, place.state, place.live) = (seq, state, true);
        (place.prev, place.next) = (self.last, NONE);
        (place.before, place.after) = (NONE, NONE);
        let call = Arc::make_mut(place.call.get_or_insert_with(Arc::default));
        place.weight = fill(call);
        self.bytes = self.bytes.saturating_add(place.weight);
        let (fit, endangers) = (call.fit, call.endangers);
        if endangers && state != CallState::Skipped {
            self.count(fit, true);
        }
        self.uncertain += usize::from(is_uncertain(state));
        match self.places.get_mut(at(self.last)) {
            Some(last) => last.next = here,
            None => self.first = here,
        }
        self.last = here;
        self.len += 1;
        if state == CallState::Skipped {
            self.skipped_count += 1;
            if self.skipped.len() >= 2 * self.skipped_count + 16 {
                let places = &self.places;
                self.skipped
                    .retain(|(place, seq)| is_skipped(places, *place, *seq));
            }
            self.skipped.push((here, seq));
        }
        here
    }

    /// The call that a return answers: by its id, or else in order of occurrence. A call whose
    /// outcome is unknown is answered only where no other fits, one whose return was withheld not at all.
    pub(crate) fn pair(
        &self,
        steps: &Steps,
        id: Option<&str>,
        tool: Option<&str>,
    ) -> Option<Paired> {
        if let Some(id) = id
            && let Some(first) = self.first_of(id)
        {
            let mut waiting = self.ring(first).filter(|(_, place)| waits(place));
            if let Some((place, _)) = waiting.next() {
                return self.paired(place, waiting.next().is_some());
            }
            // A call whose return was withheld has returned.
            let mut unknown = self
                .ring(first)
                .filter(|(_, place)| place.state == CallState::Unknown);
            let (place, _) = unknown.next()?;
            return self.paired(place, unknown.next().is_some());
        }
        // Without an id, or with one that no call bore: the oldest call without id, or, for a
        // return without id, the oldest call at all; of the return's tool where it names one.
        let tool = tool.map(str::trim);
        let fits = |call: &OpenCall| {
            (id.is_none() || call.id.is_empty()) && tool.is_none_or(|t| call.tool(steps) == t)
        };
        let mut oldest = None;
        for (here, place) in self.places() {
            let Some(call) = place.call.as_ref().filter(|call| fits(call)) else {
                continue;
            };
            if waits(place) {
                if call.id.is_empty() {
                    return self.paired(here, true);
                }
                oldest = oldest.or(Some(here));
            }
        }
        self.paired(oldest?, true)
    }

    fn paired(&self, place: u32, ambiguous: bool) -> Option<Paired> {
        let found = self.places.get(at(place))?;
        Some(Paired {
            place,
            call: found.call.clone()?,
            state: found.state,
            ambiguous,
        })
    }

    /// Forgets refused calls.
    pub(crate) fn forget_skipped(&mut self) {
        let mut skipped = core::mem::take(&mut self.skipped);
        for (place, seq) in skipped.drain(..) {
            if is_skipped(&self.places, place, seq) {
                self.remove(place);
            }
        }
        self.skipped = skipped;
    }

    /// Forgets all calls.
    pub(crate) fn restart(&mut self) {
        while self.first != NONE {
            self.remove(self.first);
        }
        self.skipped.clear();
    }

    /// A call that was not refused has come further.
    pub(crate) fn set(&mut self, place: u32, state: CallState) {
        if let Some(place) = self.places.get_mut(at(place)) {
            self.uncertain -= usize::from(is_uncertain(place.state));
            self.uncertain += usize::from(is_uncertain(state));
            place.state = state;
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, here: u32) {
        let Some(place) = self.places.get_mut(at(here)) else {
            return;
        };
        let Some(call) = place.call.as_deref().filter(|_| place.live) else {
            return;
        };
        let (fit, endangers) = (call.fit, call.endangers);
        let (prev, next, hash, weight) = (place.prev, place.next, place.hash, place.weight);
        let (before, after) = (place.before, place.after);
        let skipped = place.state == CallState::Skipped;
        self.uncertain -= usize::from(is_uncertain(place.state));
        place.live = false;
        if self.spare < MAX_SPARE {
            self.spare += 1;
        } else {
            place.call = None;
        }
        place.next = self.free;
        self.free = here;
        match self.places.get_mut(at(prev)) {
            Some(prev) => prev.next = next,
            None => self.first = next,
        }
        match self.places.get_mut(at(next)) {
            Some(next) => next.prev = prev,
            None => self.last = prev,
        }
        self.bytes = self.bytes.saturating_sub(weight);
        self.len -= 1;
        if skipped {
            self.skipped_count -= 1;
        } else if endangers {
            self.count(fit, false);
        }
        if after == here {
            if self.indexed {
                self.by_id.remove(hash, here);
            }
        } else if after != NONE {
            self.places[at(before)].after = after;
            self.places[at(after)].before = before;
            // Only the first is in the table.
            self.by_id.replace(hash, here, after);
        }
        self.indexed &= self.len > 0;
    }
}

fn is_skipped(places: &[Place], place: u32, seq: u64) -> bool {
    places
        .get(at(place))
        .is_some_and(|p| p.live && p.seq == seq && p.state == CallState::Skipped)
}

fn is_uncertain(state: CallState) -> bool {
    matches!(state, CallState::Unknown | CallState::Suppressed)
}

fn waits(place: &Place) -> bool {
    matches!(place.state, CallState::Running | CallState::Skipped)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use alloc::string::ToString;

    /// Against a list that is searched from its start: few calls and many, ids that are used again.
    #[test]
    fn agrees_with_a_list() {
        let mut random = crate::chance::numbers(5);
        let steps = Steps::default();
        let mut calls = Calls::default();
        let mut list: Vec<(u64, String)> = Vec::new();
        let mut most = 2;
        for seq in 0..if cfg!(miri) { 300 } else { 60_000 } {
            // Now few at once, now many.
            if seq % 500 == 0 {
                most = [2, 5, 8, 40][random(4) as usize];
            }
            let id = match random(12) {
                0 => String::new(),
                _ => random(most * 2).to_string(),
            };
            if random(2) == 0 && list.len() < most as usize {
                let fill = |call: &mut OpenCall| call.id.clone_from(&id);
                let is_new = !id.is_empty() && list.iter().all(|(_, i)| *i != id);
                if is_new {
                    let (known, hash) = calls.look_up(&id);
                    assert!(!known);
                    calls.insert_new(seq, hash, |call| {
                        fill(call);
                        1
                    });
                } else {
                    calls.insert(&steps, seq, CallState::Running, fill);
                }
                list.push((seq, id));
            } else {
                let asked = (!id.is_empty()).then_some(&*id);
                let first = list.iter().position(|(_, i)| *i == id);
                // Without one of its id: the oldest without id, or, without an id, the oldest at all.
                let nameless = list.iter().position(|(_, i)| i.is_empty());
                let any = asked.is_none().then_some(0).filter(|_| !list.is_empty());
                let wanted = first.or(nameless).or(any);
                let found = calls.pair(&steps, asked, None);
                assert_eq!(found.is_some(), wanted.is_some());
                if let (Some(found), Some(wanted)) = (found, wanted) {
                    let (_, id) = list.remove(wanted);
                    assert_eq!(found.call.id, id);
                    let alone = !id.is_empty() && list.iter().all(|(_, i)| *i != id);
                    let running = calls.running(&id).map(|(place, _)| place);
                    assert_eq!(running == Some(found.place), alone);
                    calls.remove(found.place);
                }
            }
            let all: Vec<u64> = calls.iter().map(|(seq, _, _)| seq).collect();
            let expected: Vec<u64> = list.iter().map(|(seq, _)| *seq).collect();
            assert_eq!(all, expected);
            assert_eq!(calls.len(), list.len());
        }
    }
}
