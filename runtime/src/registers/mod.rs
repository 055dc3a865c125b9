//! What aggregates remember (language reference, section 6).
//!
//! A register is updated once for each recorded event that it names and is never scanned over
//! past events. Reading one gives the remembered state; the evaluator lays the present event, and
//! imagined ones, on top as [`Delta`]s, so that nothing changes before an event is recorded.
//! Every limit ([`Limits`]) makes a register undefined where it is reached, never wrong.

mod cell;
mod delta;
mod texts;

use alloc::vec::Vec;

use crate::eval::datum::{Gap, Key, Ordered, Remembered, Truth, View, WhyKind};
use crate::eval::{Evaluator, Workspace};
use crate::format::{ExprRef, Library, RegisterRef};
use crate::limits::{Budget, ENTRY, Limits};
use crate::order::Map;
use crate::recycle::Recycler;
use crate::session::codec::{Corrupt, Reader, Writer};
use cell::Cell;
pub use delta::{Delta, Reading};

/// All registers of a session.
#[derive(Clone, Debug)]
pub struct Registers {
    registers: Vec<Register>,
    limits: Limits,
    budget: Budget,
}

#[derive(Clone, Debug)]
struct Register {
    /// The patterns of its member expression.
    patterns: Vec<u32>,
    /// Whether an event can belong to it for keys that the event does not bind.
    mixed: bool,
    /// Without keys: the register; with keys: what keys start from.
    fresh: Cell,
    cells: Map<Ordered, Cell>,
    marks: Marks,
    /// A key was dropped because there were too many.
    overflow: bool,
    /// Something was not remembered because of a limit.
    full: bool,
}

/// A change of one register by one event, worked out before anything is changed.
#[derive(Debug)]
pub struct Update {
    register: u32,
    target: Target,
}

#[derive(Debug)]
enum Target {
    One(Option<Key>, Delta),
    /// All keys but these.
    Others(Vec<Key>, Delta),
    /// It is undefined for every key whether the event belongs.
    All(Option<i64>),
}

impl Registers {
    /// The registers of a session at its start.
    #[must_use]
    pub fn new(library: &Library<'_>) -> Self {
        let registers = (0..library.register_count())
            .map(|id| {
                let r = library.register(id);
                let mut patterns = Vec::new();
                let keyed_only = collect(library, r.member, &mut patterns);
                crate::order::sort(&mut patterns);
                patterns.dedup();
                Register {
                    patterns,
                    mixed: r.keys > 0 && !keyed_only,
                    fresh: Cell::new(r),
                    cells: Map::new(),
                    marks: Marks::default(),
                    overflow: false,
                    full: false,
                }
            })
            .collect();
        Self {
            registers,
            limits: Limits::DEFAULT,
            budget: Budget::default(),
        }
    }

    /// Forgets everything that was recorded.
    pub(crate) fn restart(&mut self, library: &Library<'_>, recycler: &mut Recycler) {
        self.budget = Budget::default();
        for (id, register) in (0_u32..).zip(&mut self.registers) {
            let Register {
                patterns: _,
                mixed: _,
                fresh,
                cells,
                marks,
                overflow,
                full,
            } = register;
            fresh.restart(library.register(id), recycler);
            #[cfg(not(feature = "small"))]
            for (_, cell) in core::mem::take(cells) {
                cell.recycle(recycler);
            }
            #[cfg(feature = "small")]
            cells.clear();
            *marks = Marks::default();
            (*overflow, *full) = (false, false);
        }
    }

    /// The bounds that apply.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets the bounds for all that is recorded from now on.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn get(&self, register: u32) -> Option<&Register> {
        self.registers.get(usize::try_from(register).ok()?)
    }

    /// The patterns of the member expression.
    pub(crate) fn patterns(&self, register: u32) -> &[u32] {
        self.get(register).map_or(&[], |r| &r.patterns)
    }

    /// The keys that a register has an entry for.
    pub(crate) fn keys(&self, register: u32) -> impl Iterator<Item = &Key> {
        self.get(register)
            .into_iter()
            .flat_map(|r| r.cells.keys().map(|k| &k.0))
    }

    /// The cell of a key, the mark of an undefined membership that it has not seen yet, and whether
    /// the key may have been dropped.
    fn cell(&self, register: u32, key: Option<&Key>) -> Option<(&Cell, Option<Mark>, bool)> {
        let r = self.get(register)?;
        let found = key.and_then(|key| r.cells.get(&Ordered(key.clone())));
        let lost = key.is_some() && found.is_none() && r.overflow;
        let cell = found.unwrap_or(&r.fresh);
        let mark = r.marks.since(cell.synced);
        Some((cell, mark, lost))
    }

    /// What a register of a scalar kind has come to.
    pub(crate) fn reading(
        &self,
        r: RegisterRef,
        register: u32,
        key: Option<&Key>,
        now: Option<i64>,
    ) -> Reading {
        let Some((cell, mark, lost)) = self.cell(register, key) else {
            return Err(Gap::new(u32::MAX, WhyKind::Limit));
        };
        if lost {
            return Err(Gap::new(u32::MAX, WhyKind::Limit));
        }
        let reading = match mark {
            // An undefined membership for every key, laid on top; a copy of the state is only made
            // for windows, which have to place it in time.
            Some(mark) => cell.reading_marked(r, now, mark),
            None => cell.reading(r, now),
        };
        reading.map_err(|gap| self.told(register, gap))
    }

    /// What is uncertain once a limit was reached is told as that.
    fn told(&self, register: u32, gap: Gap) -> Gap {
        match gap {
            Gap::Undefined(why)
                if why.kind == WhyKind::UncertainMember
                    && self.get(register).is_some_and(|r| r.full) =>
            {
                Gap::new(why.expr, WhyKind::Limit)
            }
            gap => gap,
        }
    }

    /// What a register without a window holds, where it holds a value and nothing has to be laid over it.
    pub(crate) fn borrowed(&self, register: u32, key: Option<&Key>) -> Option<&Remembered> {
        match self.cell(register, key)? {
            (cell, None, false) => cell.borrowed(),
            _ => None,
        }
    }

    /// How many texts a `mentioned` register without keys holds.
    pub(crate) fn text_count(&self, register: u32) -> usize {
        self.get(register).map_or(0, |r| r.fresh.text_count())
    }

    /// Whether a normalised text occurs in a text of a `mentioned` register without keys and window, the
    /// first so many aside.
    pub(crate) fn mentions_from(&self, register: u32, first: usize, needle: &str) -> bool {
        self.get(register)
            .is_some_and(|r| r.fresh.mentions_from(first, needle))
    }

    /// Whether a `values` or `mentioned` register is incomplete, so that "no" cannot be said.
    pub(crate) fn gap(
        &self,
        r: RegisterRef,
        register: u32,
        key: Option<&Key>,
        now: Option<i64>,
    ) -> Result<(), Gap> {
        let limit = Gap::new(u32::MAX, WhyKind::Limit);
        let (cell, mark, lost) = self.cell(register, key).ok_or(limit)?;
        if lost {
            return Err(limit);
        }
        if let Some(mark) = mark
            && mark.in_window(r.window, now)
        {
            return Err(self.told(register, Gap::new(u32::MAX, WhyKind::UncertainMember)));
        }
        cell.gap(r.window, now)
            .map_err(|gap| self.told(register, gap))
    }

    /// How many bytes of text a `mentioned` register holds.
    pub(crate) fn text_bytes(&self, register: u32, key: Option<&Key>) -> usize {
        self.cell(register, key)
            .map_or(0, |(cell, _, _)| cell.text_bytes())
    }

    /// The members of a `values` register.
    pub(crate) fn items(
        &self,
        register: u32,
        key: Option<&Key>,
        now: Option<i64>,
        window: Option<i64>,
    ) -> Vec<Remembered> {
        self.cell(register, key)
            .map(|(cell, _, _)| cell.items(now, window))
            .unwrap_or_default()
    }

    /// Whether a value is a member of a `values` register.
    pub(crate) fn holds(
        &self,
        register: u32,
        key: Option<&Key>,
        now: Option<i64>,
        window: Option<i64>,
        item: View<'_>,
    ) -> bool {
        self.cell(register, key)
            .is_some_and(|(cell, _, _)| cell.holds(now, window, item))
    }

    /// Whether a normalised text occurs in a text of a `mentioned` register.
    pub(crate) fn mentions(
        &self,
        register: u32,
        key: Option<&Key>,
        now: Option<i64>,
        window: Option<i64>,
        needle: &str,
    ) -> bool {
        self.cell(register, key)
            .is_some_and(|(cell, _, _)| cell.mentions(now, window, needle))
    }

    /// Works out what the evaluator's present event changes in a register.
    pub(crate) fn plan(
        evaluator: &mut Evaluator<'_, '_>,
        register: u32,
        updates: &mut Vec<Update>,
    ) {
        let at = evaluator.at;
        let r = evaluator.library.register(register);
        let mut push = |target| updates.push(Update { register, target });
        if r.keys == 0 {
            if let Some(delta) = evaluator.delta(register, at, None) {
                push(Target::One(None, delta.with_text(evaluator, r.kind)));
            }
            return;
        }
        let Ok(frame) = evaluator.frame() else { return };
        let registers = evaluator.registers;
        let mut keys: Vec<Key> = core::mem::take(&mut evaluator.space.key_list);
        let mut undefined = false;
        for pattern in registers.patterns(register) {
            let p = evaluator.library.pattern(*pattern);
            if p.keys.is_empty() || !frame.named_by(p) {
                continue;
            }
            match evaluator.bound_key(p.keys) {
                Ok(key) if !keys.contains(&key) => keys.push(key),
                Ok(_) => {}
                Err(_) => undefined |= frame.fits_kind(p.kind),
            }
        }
        if undefined {
            push(Target::All(match frame.time {
                crate::eval::frame::Slot::Known(time) => Some(time),
                _ => None,
            }));
        }
        for key in &keys {
            if let Some(delta) = evaluator.delta(register, at, Some(key)) {
                let delta = delta.with_text(evaluator, r.kind);
                push(Target::One(Some(key.clone()), delta));
            }
        }
        if registers.get(register).is_some_and(|r| r.mixed)
            && let Some(delta) = evaluator.delta(register, at, None)
        {
            push(Target::Others(keys, delta.with_text(evaluator, r.kind)));
            return;
        }
        keys.clear();
        evaluator.space.key_list = keys;
    }

    /// Makes the changes that [`Registers::plan`] worked out.
    pub(crate) fn apply(
        &mut self,
        library: &Library<'_>,
        updates: &mut Vec<Update>,
        work: &mut Workspace,
    ) {
        let limits = self.limits;
        for Update {
            register,
            mut target,
        } in updates.drain(..)
        {
            let r = library.register(register);
            let fits = self.make_room(r, register, &target);
            if !fits {
                target.spoil();
            }
            let Some(state) = usize::try_from(register)
                .ok()
                .and_then(|n| self.registers.get_mut(n))
            else {
                continue;
            };
            state.full |= !fits;
            let no_room = |cells: &Map<Ordered, Cell>| !fits || cells.len() >= limits.keys;
            match target {
                Target::One(None, mut delta) => {
                    state.full |= !state.fresh.apply_last(r, &mut delta, &limits);
                    work.take_delta(delta);
                }
                Target::One(Some(key), mut delta) => {
                    let key = Ordered(key);
                    if no_room(&state.cells) && !state.cells.contains_key(&key) {
                        state.overflow = true;
                        continue;
                    }
                    let Register {
                        fresh,
                        cells,
                        marks,
                        full,
                        ..
                    } = state;
                    let cell = cells.entry(key).or_insert_with(|| fresh.clone());
                    cell.sync(r, *marks);
                    *full |= !cell.apply_last(r, &mut delta, &limits);
                    work.take_delta(delta);
                }
                Target::Others(keys, delta) => {
                    let Register {
                        fresh,
                        cells,
                        marks,
                        overflow,
                        full,
                        ..
                    } = state;
                    // Keys that the event binds start from the state before it.
                    for key in &keys {
                        let key = Ordered(key.clone());
                        if no_room(cells) && !cells.contains_key(&key) {
                            *overflow = true;
                            continue;
                        }
                        cells.entry(key).or_insert_with(|| fresh.clone());
                    }
                    let others = cells
                        .iter_mut()
                        .filter(|(key, _)| !keys.contains(&key.0))
                        .map(|(_, cell)| cell);
                    for cell in others.chain([fresh]) {
                        cell.sync(r, *marks);
                        *full |= !cell.apply(r, &delta, &limits);
                    }
                }
                Target::All(time) => {
                    state.marks.add(time);
                }
            }
        }
    }

    /// Whether what an update adds may be remembered.
    fn make_room(&mut self, r: RegisterRef, register: u32, target: &Target) -> bool {
        let Some(state) = self.get(register) else {
            return true;
        };
        let new_cell = |key: &Key| match state.cells.contains_key(&Ordered(key.clone())) {
            true => Some(0),
            false => key_weight(key)?.checked_add(state.fresh.weight()),
        };
        let bytes = match target {
            Target::One(None, delta) => Cell::growth(r, delta),
            Target::One(Some(key), delta) => {
                Cell::growth(r, delta).and_then(|bytes| bytes.checked_add(new_cell(key)?))
            }
            Target::Others(keys, delta) => {
                let cells = state.cells.len().saturating_add(1);
                let new = keys
                    .iter()
                    .try_fold(0_usize, |sum, key| sum.checked_add(new_cell(key)?));
                Cell::growth(r, delta).and_then(|bytes| bytes.checked_mul(cells)?.checked_add(new?))
            }
            Target::All(_) => Some(0),
        };
        // What is nested too deeply could not be saved.
        let Some(bytes) = bytes else { return false };
        let Self {
            registers,
            limits,
            budget,
        } = self;
        budget.add(bytes, limits.remembered, || {
            let cells = |r: &Register| {
                let keyed = r.cells.iter().map(|(key, cell)| {
                    let key = key_weight(&key.0).unwrap_or(usize::MAX) as u64;
                    key.saturating_add(cell.weight() as u64)
                });
                keyed.fold(r.fresh.weight() as u64, u64::saturating_add)
            };
            registers.iter().map(cells).fold(0, u64::saturating_add)
        })
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.u64(self.budget.used);
        out.u64(self.budget.measured);
        out.u64(self.budget.refused);
        for register in &self.registers {
            register.fresh.save(out);
            out.len(register.cells.len());
            for (key, cell) in &register.cells {
                out.key(&key.0);
                cell.save(out);
            }
            out.u64(register.marks.count);
            out.u64(register.marks.untimed);
            out.u64(register.marks.timed);
            out.i64(register.marks.time);
            out.bool(register.overflow);
            out.bool(register.full);
        }
    }

    pub(crate) fn restore(library: &Library<'_>, from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let mut registers = Self::new(library);
        registers.budget = Budget {
            used: from.u64()?,
            measured: from.u64()?,
            refused: from.u64()?,
        };
        for (id, register) in registers.registers.iter_mut().enumerate() {
            let r = library.register(u32::try_from(id).map_err(|_| Corrupt)?);
            register.fresh = Cell::restore(r, from)?;
            for _ in 0..from.len()? {
                let key = from.key(r.keys)?;
                let cell = Cell::restore(r, from)?;
                register.cells.insert(Ordered(key), cell);
            }
            register.marks = Marks {
                count: from.count()?,
                untimed: from.count()?,
                timed: from.count()?,
                time: from.i64()?,
            };
            register.overflow = from.bool()?;
            register.full = from.bool()?;
        }
        Ok(registers)
    }
}

impl Target {
    /// The event is there, and what it brings is not remembered.
    fn spoil(&mut self) {
        if let Self::One(_, delta) | Self::Others(_, delta) = self {
            if delta.membership == Truth::False {
                return;
            }
            delta.membership = Truth::Open(Gap::new(u32::MAX, WhyKind::Limit));
            delta.value = Err(Gap::new(u32::MAX, WhyKind::Limit));
            delta.items.clear();
        }
    }
}

/// How much a key counts for; `None` where it is nested too deeply.
pub(crate) fn key_weight(key: &Key) -> Option<usize> {
    key.iter().try_fold(ENTRY, |sum, value| {
        value.weight().map(|w| sum.saturating_add(w))
    })
}

/// Events whose membership was undefined for every key. Cells take them in when they are next used:
/// the latest one with a time stands for all with one, since it leaves a window last, and one without
/// a time never leaves.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    count: u64,
    /// The number of the latest without a time; 0 for none.
    untimed: u64,
    /// The number of the latest with one; 0 for none.
    timed: u64,
    time: i64,
}

impl Marks {
    fn add(&mut self, time: Option<i64>) {
        self.count += 1;
        match time {
            None => self.untimed = self.count,
            Some(time) => (self.timed, self.time) = (self.count, time),
        }
    }

    /// What a cell has not seen that has seen so many.
    fn since(self, seen: u64) -> Option<Mark> {
        if self.untimed > seen {
            Some(Mark { time: None })
        } else if self.timed > seen {
            Some(Mark {
                time: Some(self.time),
            })
        } else {
            None
        }
    }
}

/// The time of an undefined membership; none: it never leaves a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) time: Option<i64>,
}

impl Mark {
    pub(crate) fn in_window(self, window: Option<i64>, now: Option<i64>) -> bool {
        match (window, now, self.time) {
            (Some(window), Some(now), Some(time)) => time >= now.saturating_sub(window),
            _ => true,
        }
    }
}

/// Collects the patterns of a Boolean combination; whether it is false wherever all keyed patterns
/// are.
fn collect(library: &Library<'_>, member: u32, patterns: &mut Vec<u32>) -> bool {
    let mut open = Vec::from([member]);
    let mut keyed_only = true;
    while let Some(expr) = open.pop() {
        match library.expr(expr) {
            ExprRef::Pattern(p) => {
                patterns.push(p);
                keyed_only &= !library.pattern(p).keys.is_empty();
            }
            ExprRef::And(parts) => {
                keyed_only &= !parts.is_empty();
                open.extend(parts.iter());
            }
            ExprRef::Or(parts) => open.extend(parts.iter()),
            ExprRef::Not(a) => {
                keyed_only = false;
                open.push(a);
            }
            ExprRef::Iff(a, b) => {
                keyed_only = false;
                open.extend([a, b]);
            }
            _ => keyed_only = false,
        }
    }
    keyed_only
}
