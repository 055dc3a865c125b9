//! The remembered state of one register, for one key.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::delta::number;
use super::texts::Texts;
use super::{Delta, Mark, Marks, Reading};
use crate::decimal::Decimal;
use crate::eval::datum::{Gap, Remembered, Sought, Truth, View, WhyKind};
use crate::eval::frame::Slot;
use crate::format::RegisterRef;
use crate::format::model::RegisterKind;
use crate::limits::{ENTRY, Limits};
use crate::order::Map;
use crate::recycle::Recycler;
use crate::session::codec::{Corrupt, Reader, Writer};
use crate::value::Value;

/// The state, and up to which undefined membership of all keys it has been brought.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) synced: u64,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// Without a window, a scalar kind is its own reading.
    Scalar(Reading),
    Window(Window),
    /// `values`: each with the time of its latest member.
    Set {
        items: Map<Remembered, i64>,
        gap: Option<Mark>,
    },
    /// `mentioned`: normalised texts with their times.
    Texts {
        texts: Texts,
        gap: Option<Mark>,
    },
}

/// Members of the recent past, their times ascending.
#[derive(Clone, Debug, Default)]
struct Window {
    entries: VecDeque<Entry>,
    /// For sums: of all that is no longer in `entries`.
    before: Decimal,
    gap: Option<Mark>,
}

#[derive(Clone, Debug)]
struct Entry {
    time: i64,
    /// For sums: of all up to this one. `None`: the value, or the membership, is undefined.
    value: Option<Remembered>,
}

impl Window {
    /// The index of the first member in the window.
    fn first(&self, cutoff: i64) -> usize {
        self.entries.partition_point(|e| e.time < cutoff)
    }

    fn sum_before(&self, index: usize) -> Decimal {
        index
            .checked_sub(1)
            .and_then(|i| self.entries.get(i))
            .and_then(sum_of)
            .unwrap_or(self.before)
    }

    fn sum(&self) -> Decimal {
        self.sum_before(self.entries.len())
    }

    /// Drops what has left the window for good, and the oldest where there are too many.
    /// Whether none had to be dropped.
    fn trim(&mut self, cutoff: i64, limit: usize) -> bool {
        while self.entries.front().is_some_and(|e| e.time < cutoff) {
            self.pop();
        }
        let fits = self.entries.len() < limit;
        while self.entries.len() >= limit {
            let Some(entry) = self.pop() else { break };
            self.mark(Some(entry.time));
        }
        if let Some(mark) = self.gap
            && mark.time.is_some_and(|t| t < cutoff)
        {
            self.gap = None;
        }
        fits
    }

    fn pop(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        if let Some(sum) = sum_of(&entry) {
            self.before = sum;
        }
        Some(entry)
    }

    fn mark(&mut self, time: Option<i64>) {
        later(&mut self.gap, time);
    }
}

fn sum_of(entry: &Entry) -> Option<Decimal> {
    match entry.value {
        Some(Remembered::Value(Value::Number(n))) => Some(n),
        _ => None,
    }
}

/// Keeps the mark that leaves the window last.
fn later(gap: &mut Option<Mark>, time: Option<i64>) {
    *gap = Some(Mark {
        time: match (*gap, time) {
            (Some(Mark { time: Some(a) }), Some(b)) => Some(a.max(b)),
            (Some(Mark { time: None }), _) | (_, None) => None,
            (None, Some(b)) => Some(b),
        },
    });
}

fn uncertain() -> Gap {
    Gap::new(u32::MAX, WhyKind::UncertainMember)
}

impl Cell {
    pub(super) fn new(r: RegisterRef) -> Self {
        let store = match (r.kind, r.window) {
            (RegisterKind::Values, _) => Store::Set {
                items: Map::new(),
                gap: None,
            },
            (RegisterKind::Texts, _) => Store::Texts {
                texts: Texts::default(),
                gap: None,
            },
            (_, Some(_)) => Store::Window(Window::default()),
            (RegisterKind::Count | RegisterKind::Streak | RegisterKind::Sum, None) => {
                Store::Scalar(Ok(Some(number(Decimal::ZERO))))
            }
            (_, None) => Store::Scalar(Ok(None)),
        };
        Self { synced: 0, store }
    }

    /// Forgets everything.
    pub(super) fn restart(&mut self, r: RegisterRef, recycler: &mut Recycler) {
        // Texts are what grows in every session.
        if let Store::Texts { texts, gap } = &mut self.store {
            texts.clear();
            (*gap, self.synced) = (None, 0);
            return;
        }
        core::mem::replace(self, Self::new(r)).recycle(recycler);
    }

    /// Gives its memory back.
    #[cfg(feature = "small")]
    pub(super) fn recycle(self, _: &mut Recycler) {}

    /// Gives its memory back.
    #[cfg(not(feature = "small"))]
    pub(super) fn recycle(self, recycler: &mut Recycler) {
        match self.store {
            Store::Scalar(Ok(Some(value))) => value.recycle(recycler),
            Store::Scalar(_) => {}
            Store::Window(window) => {
                let values = window.entries.into_iter().filter_map(|entry| entry.value);
                values.for_each(|value| value.recycle(recycler));
            }
            Store::Set { items, .. } => {
                items.into_keys().for_each(|item| item.recycle(recycler));
            }
            Store::Texts { .. } => {}
        }
    }

    pub(super) fn reading(&self, r: RegisterRef, now: Option<i64>) -> Reading {
        match &self.store {
            Store::Scalar(reading) => reading.clone(),
            Store::Window(window) => read_window(window, r, now),
            Store::Set { .. } | Store::Texts { .. } => Err(Gap::new(u32::MAX, WhyKind::Limit)),
        }
    }

    /// The reading after an undefined membership that the cell has not seen yet.
    pub(super) fn reading_marked(&self, r: RegisterRef, now: Option<i64>, mark: Mark) -> Reading {
        let mut copy = self.clone();
        copy.undefined(r, mark.time);
        copy.reading(r, now)
    }

    /// Brings the cell up to date with events whose membership is undefined for every key.
    pub(super) fn sync(&mut self, r: RegisterRef, marks: Marks) {
        if let Some(mark) = marks.since(self.synced) {
            self.undefined(r, mark.time);
        }
        self.synced = marks.count;
    }

    fn undefined(&mut self, r: RegisterRef, time: Option<i64>) {
        self.apply(
            r,
            &Delta {
                membership: Truth::Open(uncertain()),
                value: Err(uncertain()),
                items: Vec::new(),
                time: time.into(),
            },
            // Nothing is added that a limit could be for.
            &Limits::DEFAULT,
        );
    }

    /// How much an event can add to a cell, as [`Limits`] count; `None` where it is nested too deeply to
    /// be saved.
    pub(super) fn growth(r: RegisterRef, delta: &Delta) -> Option<usize> {
        if delta.membership != Truth::True {
            return Some(0);
        }
        let value = || delta.value.as_ref().map_or(Some(0), weight);
        match (r.kind, r.window) {
            (RegisterKind::Values, _) => delta
                .items
                .iter()
                .try_fold(0, |sum: usize, item| sum.checked_add(weight(item)?)),
            (RegisterKind::Texts | RegisterKind::Latest | RegisterKind::First, _) => value(),
            // Numbers and times in place of others.
            (_, None) => Some(0),
            (_, Some(_)) => Some(ENTRY),
        }
    }

    /// How much it remembers.
    pub(super) fn weight(&self) -> usize {
        let of = |value: Option<&Remembered>| {
            value.map_or(0, |value| weight(value).unwrap_or(usize::MAX))
        };
        let sum = |a: usize, b: usize| a.saturating_add(b);
        match &self.store {
            Store::Scalar(reading) => of(reading.as_ref().ok().and_then(Option::as_ref)),
            Store::Window(window) => window
                .entries
                .iter()
                .map(|entry| of(entry.value.as_ref()).max(ENTRY))
                .fold(0, sum),
            Store::Set { items, .. } => items.keys().map(|item| of(Some(item))).fold(0, sum),
            Store::Texts { texts, .. } => {
                let entries = texts.len().saturating_mul(ENTRY);
                texts.bytes().saturating_add(entries)
            }
        }
    }

    /// How many bytes of text it holds.
    pub(super) fn text_bytes(&self) -> usize {
        match &self.store {
            Store::Texts { texts, .. } => texts.bytes(),
            _ => 0,
        }
    }

    /// The value, where it is held as such.
    pub(super) fn borrowed(&self) -> Option<&Remembered> {
        match &self.store {
            Store::Scalar(Ok(value)) => value.as_ref(),
            _ => None,
        }
    }

    pub(super) fn text_count(&self) -> usize {
        match &self.store {
            Store::Texts { texts, .. } => texts.len(),
            _ => 0,
        }
    }

    /// Whether one of the texts has the needle, the first so many aside.
    pub(super) fn mentions_from(&self, first: usize, needle: &str) -> bool {
        match &self.store {
            Store::Texts { texts, .. } => texts.from(first).any(|(_, text)| text.contains(needle)),
            _ => false,
        }
    }

    /// [`Cell::apply`] for the only cell that the event changes; what it replaces, or has no use for, is left in
    /// `delta`.
    pub(super) fn apply_last(
        &mut self,
        r: RegisterRef,
        delta: &mut Delta,
        limits: &Limits,
    ) -> bool {
        if let (Store::Scalar(reading), Truth::True) = (&mut self.store, delta.membership) {
            let takes = match r.kind {
                RegisterKind::Latest => true,
                RegisterKind::First => matches!(reading, Ok(None)),
                _ => false,
            };
            if takes && delta.value.is_ok() {
                let value = core::mem::replace(&mut delta.value, Err(uncertain()));
                let old = core::mem::replace(reading, value.map(Some));
                if let Ok(Some(old)) = old {
                    delta.value = Ok(old);
                }
                return true;
            }
        }
        let Some(time) = owned_time(r, delta) else {
            return self.apply(r, delta, limits);
        };
        match &mut self.store {
            // Where all find room, their order is the same.
            Store::Set { items, gap: None }
                if items.len().saturating_add(delta.items.len()) <= limits.values =>
            {
                let mut at = 0;
                while let Some(item) = delta.items.get(at) {
                    match items.get_mut(item) {
                        Some(known) => {
                            *known = time;
                            at += 1;
                        }
                        None => drop(items.insert(delta.items.swap_remove(at), time)),
                    }
                }
                true
            }
            _ => self.apply(r, delta, limits),
        }
    }

    /// Records an event; whether no limit was reached.
    pub(super) fn apply(&mut self, r: RegisterRef, delta: &Delta, limits: &Limits) -> bool {
        let time = match delta.time {
            Slot::Known(time) => Some(time),
            _ => None,
        };
        let cutoff = match (r.window, time) {
            (Some(window), Some(time)) => time.saturating_sub(window),
            _ => i64::MIN,
        };
        let mut fits = true;
        match &mut self.store {
            Store::Scalar(reading) => {
                delta.apply(r.kind, u32::MAX, reading);
                if reading.is_err() {
                    *reading = Err(uncertain());
                }
            }
            Store::Window(window) => {
                fits = window.trim(cutoff, limits.window.max(1));
                apply_window(window, r.kind, delta, time);
            }
            Store::Set { items, gap } => {
                match delta.membership {
                    Truth::False => return true,
                    Truth::Open(_) => {
                        later(gap, time);
                        return true;
                    }
                    Truth::True => {}
                }
                if r.window.is_some() && time.is_none() {
                    later(gap, None);
                    return true;
                }
                let stamp = time.unwrap_or(i64::MAX);
                for item in &delta.items {
                    if let Some(known) = items.get_mut(item) {
                        *known = stamp;
                        continue;
                    }
                    if items.len() >= limits.values && !items.contains_key(item) {
                        if r.window.is_some() {
                            items.retain(|_, t| *t >= cutoff);
                        }
                        if items.len() >= limits.values {
                            later(gap, time);
                            fits = false;
                            continue;
                        }
                    }
                    items.insert(item.clone(), stamp);
                }
                if r.window.is_none() && gap.is_some() {
                    later(gap, None);
                }
            }
            Store::Texts { texts, gap } => {
                if r.window.is_some() {
                    texts.drop_before(cutoff);
                }
                match (delta.membership, &delta.value) {
                    (Truth::False, _) => {}
                    (Truth::True, Ok(Remembered::Value(Value::Str(text))))
                        if r.window.is_none() || time.is_some() =>
                    {
                        if texts.bytes().saturating_add(text.len()) > limits.text {
                            later(gap, time);
                            return false;
                        }
                        texts.push(time.unwrap_or(i64::MAX), text);
                    }
                    _ => later(gap, time),
                }
            }
        }
        fits
    }

    pub(super) fn gap(&self, window: Option<i64>, now: Option<i64>) -> Result<(), Gap> {
        match &self.store {
            Store::Set {
                gap: Some(mark), ..
            }
            | Store::Texts {
                gap: Some(mark), ..
            } if mark.in_window(window, now) => Err(uncertain()),
            _ => Ok(()),
        }
    }

    pub(super) fn items(&self, now: Option<i64>, window: Option<i64>) -> Vec<Remembered> {
        let Store::Set { items, .. } = &self.store else {
            return Vec::new();
        };
        items
            .iter()
            .filter(|(_, time)| young(**time, now, window))
            .map(|(item, _)| item.clone())
            .collect()
    }

    pub(super) fn holds(&self, now: Option<i64>, window: Option<i64>, item: View<'_>) -> bool {
        match &self.store {
            Store::Set { items, .. } => items
                .get(&item as &dyn Sought)
                .is_some_and(|t| young(*t, now, window)),
            _ => false,
        }
    }

    pub(super) fn mentions(&self, now: Option<i64>, window: Option<i64>, needle: &str) -> bool {
        match &self.store {
            Store::Texts { texts, .. } => texts
                .from(0)
                .rev()
                .take_while(|(time, _)| young(*time, now, window))
                .any(|(_, text)| text.contains(needle)),
            _ => false,
        }
    }
}

/// The time under which the members of a register without a window are kept; `None` where an event is none.
fn owned_time(r: RegisterRef, delta: &Delta) -> Option<i64> {
    if r.window.is_some() || delta.membership != Truth::True {
        return None;
    }
    Some(match delta.time {
        Slot::Known(time) => time,
        _ => i64::MAX,
    })
}

fn young(time: i64, now: Option<i64>, window: Option<i64>) -> bool {
    match (now, window) {
        (Some(now), Some(window)) => time >= now.saturating_sub(window),
        _ => true,
    }
}

/// What a value counts for; `None` where it is nested too deeply to be saved.
fn weight(value: &Remembered) -> Option<usize> {
    match value {
        Remembered::Value(value) => value.weight(),
        Remembered::Duration(_) | Remembered::Timestamp(_) => Some(ENTRY),
    }
}

/// Records an event in a window from which everything has been dropped that has left it.
fn apply_window(window: &mut Window, kind: RegisterKind, delta: &Delta, time: Option<i64>) {
    match delta.membership {
        Truth::False => {
            // Only for streaks: the run is over, whatever came before.
            window.entries.clear();
            window.gap = None;
            return;
        }
        Truth::Open(_) => {
            match (kind, time) {
                // What comes before the first member has a place in the order.
                (RegisterKind::First, Some(time)) => {
                    window.entries.push_back(Entry { time, value: None });
                }
                _ => window.mark(time),
            }
            return;
        }
        Truth::True => {}
    }
    // A member without time may be in the window or not, for ever.
    let Some(time) = time else {
        return window.mark(None);
    };
    match kind {
        RegisterKind::Count | RegisterKind::Streak => {
            window.entries.push_back(Entry { time, value: None });
        }
        RegisterKind::Sum => match &delta.value {
            Ok(Remembered::Value(Value::Number(n))) => match window.sum().checked_add(*n) {
                Some(sum) => window.entries.push_back(Entry {
                    time,
                    value: Some(number(sum)),
                }),
                None => {
                    // Start again; the mark outlives all that is dropped.
                    window.entries.clear();
                    window.before = Decimal::ZERO;
                    window.mark(Some(time));
                }
            },
            _ => window.mark(Some(time)),
        },
        RegisterKind::Min | RegisterKind::Max => match &delta.value {
            Ok(Remembered::Value(Value::Number(n))) => {
                while window.entries.back().and_then(sum_of).is_some_and(|last| {
                    if kind == RegisterKind::Min {
                        last >= *n
                    } else {
                        last <= *n
                    }
                }) {
                    window.entries.pop_back();
                }
                window.entries.push_back(Entry {
                    time,
                    value: Some(number(*n)),
                });
            }
            _ => window.mark(Some(time)),
        },
        RegisterKind::Latest | RegisterKind::Elapsed => {
            window.gap = None;
            window.entries.clear();
            window.entries.push_back(Entry {
                time,
                value: match kind {
                    RegisterKind::Elapsed => Some(Remembered::Timestamp(time)),
                    _ => delta.value.clone().ok(),
                },
            });
        }
        RegisterKind::First => window.entries.push_back(Entry {
            time,
            value: delta.value.clone().ok(),
        }),
        RegisterKind::Values | RegisterKind::Texts => {}
    }
}

fn read_window(window: &Window, r: RegisterRef, now: Option<i64>) -> Reading {
    let (Some(width), Some(now)) = (r.window, now) else {
        return Err(Gap::new(u32::MAX, WhyKind::NoTime));
    };
    let cutoff = now.saturating_sub(width);
    if window
        .gap
        .is_some_and(|mark| mark.in_window(Some(width), Some(now)))
    {
        return Err(uncertain());
    }
    let first = window.first(cutoff);
    let value = |entry: Option<&Entry>| match entry {
        None => Ok(None),
        Some(entry) => entry.value.clone().map(Some).ok_or(uncertain()),
    };
    match r.kind {
        RegisterKind::Count | RegisterKind::Streak => {
            let n = u64::try_from(window.entries.len() - first).unwrap_or(u64::MAX);
            Ok(Some(number(Decimal::from(n))))
        }
        RegisterKind::Sum => window
            .sum()
            .checked_sub(window.sum_before(first))
            .map(|n| Some(number(n)))
            .ok_or(Gap::new(u32::MAX, WhyKind::TooLarge)),
        RegisterKind::Latest | RegisterKind::Elapsed => {
            value(window.entries.back().filter(|e| e.time >= cutoff))
        }
        _ => value(window.entries.get(first)),
    }
}

impl Cell {
    pub(super) fn save(&self, out: &mut Writer) {
        out.u64(self.synced);
        match &self.store {
            Store::Scalar(reading) => match reading {
                Ok(value) => {
                    out.bool(true);
                    out.option(value.as_ref(), Writer::remembered);
                }
                Err(_) => out.bool(false),
            },
            Store::Window(window) => {
                out.len(window.entries.len());
                for entry in &window.entries {
                    out.i64(entry.time);
                    out.option(entry.value.as_ref(), Writer::remembered);
                }
                out.remembered(&number(window.before));
                out.mark(window.gap);
            }
            Store::Set { items, gap } => {
                out.len(items.len());
                for (item, time) in items {
                    out.remembered(item);
                    out.i64(*time);
                }
                out.mark(*gap);
            }
            Store::Texts { texts, gap, .. } => {
                out.len(texts.len());
                for (time, text) in texts.from(0) {
                    out.i64(time);
                    out.str(text);
                }
                out.mark(*gap);
            }
        }
    }

    pub(super) fn restore(r: RegisterRef, from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let mut cell = Self::new(r);
        cell.synced = from.count()?;
        match &mut cell.store {
            Store::Scalar(reading) => {
                *reading = if from.bool()? {
                    let value = from.option(Reader::remembered)?;
                    let counts = matches!(
                        r.kind,
                        RegisterKind::Count | RegisterKind::Streak | RegisterKind::Sum
                    );
                    if counts && !matches!(value, Some(Remembered::Value(Value::Number(_)))) {
                        return Err(Corrupt);
                    }
                    Ok(value)
                } else {
                    Err(uncertain())
                };
            }
            Store::Window(window) => {
                let mut last = i64::MIN;
                for _ in 0..from.len()? {
                    let time = from.i64()?;
                    if time < last {
                        return Err(Corrupt);
                    }
                    last = time;
                    let value = from.option(Reader::remembered)?;
                    window.entries.push_back(Entry { time, value });
                }
                let Remembered::Value(Value::Number(before)) = from.remembered()? else {
                    return Err(Corrupt);
                };
                window.before = before;
                window.gap = from.mark()?;
            }
            Store::Set { items, gap } => {
                for _ in 0..from.len()? {
                    let item = from.remembered()?;
                    items.insert(item, from.i64()?);
                }
                *gap = from.mark()?;
            }
            Store::Texts { texts, gap } => {
                for _ in 0..from.len()? {
                    let time = from.i64()?;
                    texts.push(time, from.str()?);
                }
                *gap = from.mark()?;
            }
        }
        Ok(cell)
    }
}
