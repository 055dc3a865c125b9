//! Reading aggregates: the remembered state with the present event, and imagined ones, on top.

use alloc::vec::Vec;

use super::datum::{Datum, Gap, Key, Remembered, Truth, TypeName, View, WhyKind};
use super::{Evaluator, KeyView, not_a, operators};
use crate::format::model::RegisterKind;
use crate::registers::{Delta, Reading};
use crate::value::Value;

impl<'a> Evaluator<'a, '_> {
    /// The value of an aggregate.
    pub(super) fn read(
        &mut self,
        expr: u32,
        register: u32,
        earlier: bool,
    ) -> Result<Datum<'a>, Gap> {
        let r = self.library.register(register);
        match r.kind {
            RegisterKind::Values => {
                let items = self.set(expr, register, earlier)?;
                Ok(Datum::List(items.iter().map(Remembered::datum).collect()))
            }
            RegisterKind::Texts => Err(Gap::new(expr, WhyKind::Limit)),
            RegisterKind::Elapsed => match self.reading(expr, register, earlier)? {
                Some(Remembered::Timestamp(then)) => {
                    let now = self.frame()?.time.get(expr, WhyKind::NoTime)?;
                    Ok(Datum::Duration(now.saturating_sub(then)))
                }
                _ => Err(Gap::new(expr, WhyKind::NothingYet)),
            },
            _ => match self.reading(expr, register, earlier)? {
                Some(value) => {
                    if value.has_huge() {
                        return Err(Gap::new(expr, WhyKind::TooLarge));
                    }
                    Ok(value.datum())
                }
                None => Err(Gap::new(expr, WhyKind::NothingYet)),
            },
        }
    }

    /// What a register of a scalar kind comes to with the events up to this one.
    fn reading(&mut self, expr: u32, register: u32, earlier: bool) -> Reading {
        let r = self.library.register(register);
        let now = self.now(expr, r.window)?;
        let key = self.register_key(r.keys);
        let mut reading = self.registers.reading(r, register, key.as_ref(), now);
        for at in self.layers(earlier) {
            if let Some(delta) = self.delta(register, at, key.as_ref()) {
                delta.apply(r.kind, expr, &mut reading);
            }
        }
        reading.map_err(|gap| match gap {
            // Told in terms of the expression that asked.
            Gap::Undefined(why) if why.expr == u32::MAX => Gap::new(expr, why.kind),
            other => other,
        })
    }

    /// The members of a `values` register.
    fn set(&mut self, expr: u32, register: u32, earlier: bool) -> Result<Vec<Remembered>, Gap> {
        let r = self.library.register(register);
        let now = self.now(expr, r.window)?;
        let key = self.register_key(r.keys);
        self.registers.gap(r, register, key.as_ref(), now)?;
        let mut items = self.registers.items(register, key.as_ref(), now, r.window);
        self.spend(items.len());
        for at in self.layers(earlier) {
            if let Some(delta) = self.delta(register, at, key.as_ref()) {
                match delta.membership {
                    Truth::True => items.extend(delta.items),
                    Truth::False => {}
                    Truth::Open(_) => return Err(delta.gap(expr)),
                }
            }
        }
        items.sort();
        items.dedup();
        Ok(items)
    }

    /// Whether a value is a member of a `values` register, without listing it.
    pub(super) fn in_set(
        &mut self,
        expr: u32,
        register: u32,
        earlier: bool,
        item: Remembered,
    ) -> Result<bool, Gap> {
        let r = self.library.register(register);
        let now = self.now(expr, r.window)?;
        let key = self.register_key(r.keys);
        self.registers.gap(r, register, key.as_ref(), now)?;
        let mut found = self
            .registers
            .holds(register, key.as_ref(), now, r.window, &item);
        for at in self.layers(earlier) {
            if let Some(delta) = self.delta(register, at, key.as_ref()) {
                match delta.membership {
                    Truth::True => found |= delta.items.contains(&item),
                    Truth::False => {}
                    Truth::Open(_) => return Err(delta.gap(expr)),
                }
            }
        }
        Ok(found)
    }

    pub(super) fn mentioned(
        &mut self,
        register: u32,
        value: u32,
        earlier: bool,
    ) -> Result<bool, Gap> {
        let datum = self.value(value)?;
        let needle = crate::text::normalise(&operators::text_of(&datum));
        let r = self.library.register(register);
        let now = self.now(value, r.window)?;
        let key = self.register_key(r.keys);
        self.spend_text(needle.len() + self.registers.text_bytes(register, key.as_ref()));
        if self
            .registers
            .mentions(register, key.as_ref(), now, r.window, &needle)
        {
            return Ok(true);
        }
        let mut gap = self.registers.gap(r, register, key.as_ref(), now).err();
        for at in self.layers(earlier) {
            let Some(delta) = self.delta(register, at, key.as_ref()) else {
                continue;
            };
            if delta.membership == Truth::False {
                continue;
            }
            let Some(frame) = self.frames.get(at) else {
                continue;
            };
            let found = match frame.normal_text() {
                Ok(text) => text.contains(needle.as_str()),
                Err(unknown) => {
                    gap = Some(unknown);
                    continue;
                }
            };
            match delta.membership {
                Truth::True if found => return Ok(true),
                Truth::Open(_) if found => gap = Some(delta.gap(value)),
                _ => {}
            }
        }
        gap.map_or(Ok(false), Err)
    }

    /// Whether the latest earlier member is young enough.
    pub(super) fn fresh(&mut self, expr: u32, register: u32, within: i64) -> Result<bool, Gap> {
        match self.reading(expr, register, true)? {
            Some(Remembered::Timestamp(then)) => {
                let now = self.frame()?.time.get(expr, WhyKind::NoTime)?;
                Ok(now.saturating_sub(then) <= within)
            }
            _ => Ok(false),
        }
    }

    /// The time at which windows end; a window on an event without time is undefined.
    pub(super) fn now(&self, expr: u32, window: Option<i64>) -> Result<Option<i64>, Gap> {
        match window {
            None => Ok(None),
            Some(_) => self.frame()?.time.get(expr, WhyKind::NoTime).map(Some),
        }
    }

    pub(super) fn register_key(&self, keys: u32) -> Option<Key> {
        match &self.key {
            KeyView::Known(key) if keys > 0 => Some(key.clone()),
            _ => None,
        }
    }

    /// The events that a reading takes on top of the remembered state.
    pub(super) fn layers(&self, earlier: bool) -> core::ops::Range<usize> {
        0..self.at + usize::from(!earlier)
    }

    /// What one of the events means for a register, for the instance of that key; `None` where it
    /// means nothing.
    pub(crate) fn delta(&mut self, register: u32, at: usize, key: Option<&Key>) -> Option<Delta> {
        if self.absent.contains(&at) {
            return None;
        }
        self.in_layer(register, at, key, |eval| eval.delta_here(register))
    }

    /// Does something in the eyes of a register, at one of the events.
    pub(super) fn in_layer<T>(
        &mut self,
        register: u32,
        at: usize,
        key: Option<&Key>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let r = self.library.register(register);
        let (at_before, key_before, vars, lenient) = (
            core::mem::replace(&mut self.at, at),
            core::mem::replace(
                &mut self.key,
                match key {
                    Some(key) => KeyView::Known(key.clone()),
                    None if r.keys > 0 => KeyView::Other,
                    None => KeyView::None,
                },
            ),
            core::mem::take(&mut self.vars),
            self.lenient,
        );
        self.lenient = r.kind == RegisterKind::Values;
        let done = work(self);
        self.at = at_before;
        self.key = key_before;
        self.vars = vars;
        self.lenient = lenient;
        done
    }

    fn delta_here(&mut self, register: u32) -> Option<Delta> {
        let r = self.library.register(register);
        let frame = self.frame().ok()?;
        let membership = self.truth(r.member);
        if membership == Truth::False
            && (r.kind != RegisterKind::Streak || !self.runs_over(register))
        {
            return None;
        }
        let mut delta = Delta {
            membership,
            value: Err(Gap::new(u32::MAX, WhyKind::NothingYet)),
            items: Vec::new(),
            time: frame.time,
        };
        if membership == Truth::False {
            return Some(delta);
        }
        if let Some(value) = r.value {
            match r.kind {
                RegisterKind::Values => match self.value(value) {
                    Ok(Datum::List(items)) => delta.items.extend(
                        items
                            .into_iter()
                            .map(Datum::into_remembered)
                            .filter(|v| !v.has_huge()),
                    ),
                    Ok(datum) => match datum.into_remembered() {
                        Remembered::Value(Value::List(items)) => delta.items.extend(
                            items
                                .into_iter()
                                .map(Remembered::Value)
                                .filter(|v| !v.has_huge()),
                        ),
                        one if !one.has_huge() => delta.items.push(one),
                        _ => {}
                    },
                    Err(Gap::Unknown | Gap::Partly { .. }) => {
                        delta.membership = Truth::Open(Gap::Unknown)
                    }
                    Err(gap) if gap.is_limit() => delta.membership = Truth::Open(gap),
                    Err(Gap::Undefined(_)) => {}
                },
                RegisterKind::Sum | RegisterKind::Min | RegisterKind::Max => {
                    delta.value = self.value(value).and_then(|datum| match datum.view() {
                        View::Number(n) => Ok(Remembered::Value(Value::Number(n))),
                        View::Huge => Err(Gap::new(value, WhyKind::TooLarge)),
                        other => Err(not_a(value, TypeName::Number, other.type_name())),
                    });
                }
                _ => delta.value = self.value(value).map(Datum::into_remembered),
            }
        }
        Some(delta)
    }

    /// Whether a streak runs over this event: it is of a kind that the member's patterns name, and
    /// for a keyed register binds its key.
    fn runs_over(&mut self, register: u32) -> bool {
        let Ok(frame) = self.frame() else {
            return false;
        };
        let registers = self.registers;
        for pattern in registers.patterns(register) {
            let p = self.library.pattern(*pattern);
            if frame.kind.class() != Some(p.kind_class()) {
                continue;
            }
            if p.keys.is_empty() {
                if matches!(self.key, KeyView::None) || frame.named_by(p) {
                    return true;
                }
                continue;
            }
            if !frame.named_by(p) {
                continue;
            }
            let KeyView::Known(key) = &self.key else {
                continue;
            };
            let key = key.clone();
            match self.bound_key(p.keys) {
                Ok(bound) => {
                    if bound == key {
                        return true;
                    }
                }
                Err(_) => continue,
            }
        }
        false
    }
}
