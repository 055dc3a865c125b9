//! Reading aggregates: the remembered state with the present event, and imagined ones, on top.

use alloc::vec::Vec;

use super::datum::{
    Datum, Gap, Key, Remembered, Truth, TypeName, View, WhyKind, has_huge, order_views,
};
use super::{Evaluator, KeyView, not_a, operators};
use crate::format::model::{Function, RegisterKind};
use crate::format::{ExprRef, StepRef};
use crate::recycle::Recycler;
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
            _ => match self.borrowed(expr, register, earlier) {
                Some(value) => {
                    if value.has_huge() {
                        return Err(Gap::new(expr, WhyKind::TooLarge));
                    }
                    Ok(match value {
                        Remembered::Value(value) => Datum::Ref(value),
                        other => other.datum(),
                    })
                }
                None => self.read_owned(expr, register, earlier),
            },
        }
    }

    /// The value of an aggregate that the present events may change.
    fn read_owned(&mut self, expr: u32, register: u32, earlier: bool) -> Result<Datum<'a>, Gap> {
        match self.reading(expr, register, earlier)? {
            Some(value) => {
                if value.has_huge() {
                    return Err(Gap::new(expr, WhyKind::TooLarge));
                }
                Ok(match value {
                    Remembered::Value(value) => Datum::Own(value),
                    other => other.datum(),
                })
            }
            None => Err(Gap::new(expr, WhyKind::NothingYet)),
        }
    }

    /// The value of an aggregate of all events where it is what a register holds: no event lies on top.
    fn borrowed(&mut self, expr: u32, register: u32, earlier: bool) -> Option<&'a Remembered> {
        let r = self.library.register(register);
        let key = self.register_key(r.keys);
        let registers = self.registers;
        let value = registers.borrowed(register, key.as_ref())?;
        debug_assert!(r.window.is_none(), "of all events: {expr}");
        self.layers(earlier)
            .all(|at| self.delta(register, at, key.as_ref()).is_none())
            .then_some(value)
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
        crate::order::sort_by(&mut items, Ord::cmp);
        items.dedup();
        Ok(items)
    }

    /// Whether a value is a member of a `values` register, without listing it.
    pub(super) fn in_set(
        &mut self,
        expr: u32,
        register: u32,
        earlier: bool,
        item: View<'_>,
    ) -> Result<bool, Gap> {
        let r = self.library.register(register);
        let now = self.now(expr, r.window)?;
        let key = self.register_key(r.keys);
        self.registers.gap(r, register, key.as_ref(), now)?;
        let mut found = self
            .registers
            .holds(register, key.as_ref(), now, r.window, item);
        for at in self.layers(earlier) {
            if let Some(delta) = self.delta(register, at, key.as_ref()) {
                match delta.membership {
                    Truth::True => {
                        found |= delta
                            .items
                            .iter()
                            .any(|kept| order_views(kept.view(), item).is_eq());
                    }
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
        let mut needle = core::mem::take(&mut self.space.needle);
        needle.clear();
        crate::text::normalise_into(&operators::text_of(&datum), &mut needle);
        let found = self.mentions(register, value, earlier, &needle);
        self.space.needle = needle;
        found
    }

    fn mentions(
        &mut self,
        register: u32,
        value: u32,
        earlier: bool,
        needle: &str,
    ) -> Result<bool, Gap> {
        let r = self.library.register(register);
        let now = self.now(value, r.window)?;
        let key = self.register_key(r.keys);
        self.spend_text(needle.len() + self.registers.text_bytes(register, key.as_ref()));
        let mentioned = match (&key, r.window) {
            // Texts are only added, so that each is searched once for the same words.
            (None, None) => {
                let (seen, known) = self.space.mentions.of(register, needle);
                let registers = self.registers;
                let found = known || registers.mentions_from(register, seen, needle);
                let all = registers.text_count(register);
                self.space.mentions.note(all, found);
                found
            }
            _ => self
                .registers
                .mentions(register, key.as_ref(), now, r.window, needle),
        };
        if mentioned {
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
            let found = match frame.normal_text(self.library.wanted(), self.space) {
                Ok(text) => text.contains(needle),
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
            items: self.space.items(),
            time: frame.time,
        };
        if membership == Truth::False {
            return Some(delta);
        }
        if let Some(value) = r.value {
            match r.kind {
                RegisterKind::Values => {
                    if let Err(gap) = self.take_all(value, &mut delta.items) {
                        for item in delta.items.drain(..) {
                            item.recycle(&mut self.space.recycler);
                        }
                        match gap {
                            Gap::Unknown | Gap::Partly { .. } => {
                                delta.membership = Truth::Open(Gap::Unknown);
                            }
                            gap if gap.is_limit() => delta.membership = Truth::Open(gap),
                            Gap::Undefined(_) => {}
                        }
                    }
                }
                RegisterKind::Sum | RegisterKind::Min | RegisterKind::Max => {
                    delta.value = self.value(value).and_then(|datum| match datum.view() {
                        View::Number(n) => Ok(Remembered::Value(Value::Number(n))),
                        View::Huge => Err(Gap::new(value, WhyKind::TooLarge)),
                        other => Err(not_a(value, TypeName::Number, other.type_name())),
                    });
                }
                _ => {
                    let value = self.value(value);
                    delta.value = value.map(|value| value.keep(&mut self.space.recycler));
                }
            }
        }
        Some(delta)
    }

    /// The values that a `values` register takes: the elements of a list, or the one value. Numbers that do not
    /// fit are left out. After an error the list means nothing.
    fn take_all(&mut self, expr: u32, out: &mut Vec<Remembered>) -> Result<(), Gap> {
        match self.library.expr(expr) {
            // Keys and projections are taken one by one, without a list of them.
            ExprRef::Call(Function::Keys, args) if args.len() == 1 => self.enter(expr, |eval| {
                eval.take_keys(args.get(0).unwrap_or(expr), out)
            }),
            ExprRef::Path {
                base,
                steps,
                coerce,
            } if !self.symbolic && steps.iter().any(|step| matches!(step, StepRef::All)) => self
                .enter(expr, |eval| {
                    let (start, from) = eval.start(expr, base, steps)?;
                    eval.branches(expr, start, steps, from, coerce, &mut |eval, datum| {
                        keep(datum, &mut eval.space.recycler, out);
                    })
                }),
            _ => {
                let recycler = |eval: &mut Self| core::mem::take(&mut eval.space.recycler);
                let datum = self.value(expr)?;
                let mut memory = recycler(self);
                match datum {
                    Datum::List(items) => {
                        for item in items {
                            keep(item, &mut memory, out);
                        }
                    }
                    Datum::Ref(Value::List(items)) => {
                        for item in items {
                            keep(Datum::Ref(item), &mut memory, out);
                        }
                    }
                    datum => match datum.keep(&mut memory) {
                        Remembered::Value(Value::List(items)) => {
                            let items = items.into_iter().map(Remembered::Value);
                            out.extend(items.filter(|v| !v.has_huge()));
                        }
                        one if !one.has_huge() => out.push(one),
                        _ => {}
                    },
                }
                self.space.recycler = memory;
                Ok(())
            }
        }
    }

    /// `keys(record)`, one by one.
    fn take_keys(&mut self, record: u32, out: &mut Vec<Remembered>) -> Result<(), Gap> {
        let value = self.value(record)?;
        self.spend(operators::length(value.view()));
        match value.view() {
            View::Record(fields) => {
                let recycler = &mut self.space.recycler;
                let names = fields.iter().map(|(name, _)| recycler.text(name));
                out.extend(names.map(|name| Remembered::Value(Value::Str(name))));
                Ok(())
            }
            other => Err(not_a(record, TypeName::Record, other.type_name())),
        }
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

/// Keeps a value unless a number that does not fit stands in it.
fn keep(datum: Datum<'_>, recycler: &mut Recycler, out: &mut Vec<Remembered>) {
    if has_huge(datum.view()) {
        return;
    }
    out.push(datum.keep(recycler));
}
