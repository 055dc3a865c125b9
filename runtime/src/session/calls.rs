//! Calls that have not returned, and which of them a return answers (language reference, section 2).
//!
//! Calls lie in a list with free places, linked in order of occurrence; calls of one id are a ring, and
//! a hash table finds it. The memory of a call that has returned serves the next one.

#![expect(
    clippy::indexing_slicing,
    reason = "places are made here and never removed, only freed: an index that is linked is in bounds"
)]

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::steps::Fit;
use crate::limits::{ENTRY, Limits};
use crate::table::{Table, hash};
use crate::value::Value;

/// How many calls' memory is kept.
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
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCall {
    /// Empty where it has none.
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) server: Option<String>,
    pub(crate) agent: Option<String>,
    /// Null where no return may ask for them.
    pub(crate) args: Value,
    /// How much the arguments count for, kept or not.
    pub(crate) args_weight: usize,
    pub(crate) fit: Arc<Fit>,
}

impl OpenCall {
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
    fn weight(&self) -> usize {
        [&self.server, &self.agent]
            .into_iter()
            .flatten()
            .map(String::len)
            .fold(self.args_weight, usize::saturating_add)
            .saturating_add(self.id.len())
            .saturating_add(self.tool.len())
            .saturating_add(ENTRY)
    }
}

/// No place.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Place {
    seq: u64,
    /// `None` where it is free; `next` is then the next free one.
    call: Option<Arc<OpenCall>>,
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
    by_id: Table,
    /// Refused ones with their numbers; some may have gone since.
    skipped: Vec<(u32, u64)>,
    skipped_count: usize,
    spare: Vec<Arc<OpenCall>>,
    /// How many may have happened or not.
    uncertain: usize,
    /// How many calls in flight there are of each fit whose return could violate a contract without keys.
    fits: Vec<(Arc<Fit>, usize)>,
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
            skipped: Vec::new(),
            skipped_count: 0,
            spare: Vec::new(),
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
    pub(crate) fn endangering(&self) -> impl Iterator<Item = &Fit> {
        self.fits.iter().map(|(fit, _)| &**fit)
    }

    /// What the tools of calls in flight stand for.
    pub(crate) fn fits_in_flight(&self) -> impl Iterator<Item = &Fit> {
        self.in_flight().map(|(_, call, _)| &*call.fit)
    }

    /// How many calls in flight may have happened or not: nobody knows, or the agent does not.
    pub(crate) fn uncertain(&self) -> usize {
        self.uncertain
    }

    fn count(&mut self, fit: &Arc<Fit>, one_more: bool) {
        if fit.endangered.is_empty() {
            return;
        }
        let at = self.fits.iter().position(|(f, _)| Arc::ptr_eq(f, fit));
        match (at, one_more) {
            (Some(at), true) => self.fits[at].1 += 1,
            (Some(at), false) => {
                self.fits[at].1 -= 1;
                if self.fits[at].1 == 0 {
                    self.fits.swap_remove(at);
                }
            }
            (None, true) => self.fits.push((fit.clone(), 1)),
            (None, false) => {}
        }
    }

    /// The first call of an id.
    fn first_of(&self, id: &str) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.first_under(id, hash(id.as_bytes()))
    }

    fn first_under(&self, id: &str, hashed: u64) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
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

    /// Adds a call that `fill` writes, into the memory of one that has gone where nobody holds it any more.
    pub(crate) fn insert(&mut self, seq: u64, state: CallState, fill: impl FnOnce(&mut OpenCall)) {
        let mut spare = self.spare.pop();
        let call = match spare.as_mut().and_then(Arc::get_mut) {
            Some(call) => {
                fill(call);
                spare.unwrap_or_default()
            }
            None => {
                let mut call = OpenCall::default();
                fill(&mut call);
                Arc::new(call)
            }
        };
        self.uncertain += usize::from(is_uncertain(state));
        if state != CallState::Skipped {
            self.count(&call.fit, true);
        }
        let hashed = call.id().map(|id| hash(id.as_bytes()));
        let first = call
            .id()
            .zip(hashed)
            .and_then(|(id, hashed)| self.first_under(id, hashed));
        let weight = call.weight();
        self.bytes = self.bytes.saturating_add(weight);
        let place = Place {
            seq,
            call: Some(call),
            state,
            hash: hashed.unwrap_or(0),
            weight,
            prev: self.last,
            next: NONE,
            before: NONE,
            after: NONE,
        };
        let here = match self.places.get_mut(at(self.free)) {
            Some(free) => {
                let here = self.free;
                self.free = free.next;
                *free = place;
                here
            }
            None => {
                // At most `MAX_OPEN_CALLS` are open.
                self.places.push(place);
                (self.places.len() - 1) as u32
            }
        };
        match self.places.get_mut(at(self.last)) {
            Some(last) => last.next = here,
            None => self.first = here,
        }
        self.last = here;
        self.len += 1;
        match (hashed, first) {
            (None, _) => {}
            (Some(hash), None) => {
                (self.places[at(here)].before, self.places[at(here)].after) = (here, here);
                self.by_id.insert(hash, here);
            }
            (Some(_), Some(first)) => {
                let last = self.places[at(first)].before;
                (self.places[at(here)].before, self.places[at(here)].after) = (last, first);
                self.places[at(last)].after = here;
                self.places[at(first)].before = here;
            }
        }
        if state == CallState::Skipped {
            self.skipped_count += 1;
            if self.skipped.len() >= 2 * self.skipped_count + 16 {
                let places = &self.places;
                self.skipped
                    .retain(|(place, seq)| is_skipped(places, *place, *seq));
            }
            self.skipped.push((here, seq));
        }
    }

    /// The call that a return answers: by its id, or else in order of occurrence. A call whose
    /// outcome is unknown is answered only where no other fits, one whose return was withheld not at all.
    pub(crate) fn pair(&self, id: Option<&str>, tool: Option<&str>) -> Option<Paired> {
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
            (id.is_none() || call.id.is_empty()) && tool.is_none_or(|t| call.tool == t)
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

    pub(crate) fn remove(&mut self, here: u32) {
        let Some(place) = self.places.get_mut(at(here)) else {
            return;
        };
        let Some(call) = place.call.take() else {
            return;
        };
        let (prev, next, hash, weight) = (place.prev, place.next, place.hash, place.weight);
        let (before, after) = (place.before, place.after);
        let skipped = place.state == CallState::Skipped;
        self.uncertain -= usize::from(is_uncertain(place.state));
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
        } else {
            self.count(&call.fit, false);
        }
        if after == here {
            self.by_id.remove(hash, here);
        } else if after != NONE {
            self.places[at(before)].after = after;
            self.places[at(after)].before = before;
            let is_first = self.by_id.find(hash, |place| place == here).is_some();
            if is_first {
                self.by_id.replace(hash, here, after);
            }
        }
        if self.spare.len() < MAX_SPARE {
            self.spare.push(call);
        }
    }
}

fn is_skipped(places: &[Place], place: u32, seq: u64) -> bool {
    places
        .get(at(place))
        .is_some_and(|p| p.call.is_some() && p.seq == seq && p.state == CallState::Skipped)
}

fn is_uncertain(state: CallState) -> bool {
    matches!(state, CallState::Unknown | CallState::Suppressed)
}

fn waits(place: &Place) -> bool {
    matches!(place.state, CallState::Running | CallState::Skipped)
}
