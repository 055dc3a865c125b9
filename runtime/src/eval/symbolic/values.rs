//! Values, as far as arguments leave them open.

use alloc::vec::Vec;

use super::{Place, Sought, Stuck, Sym, Symbols, place};
use crate::decimal::Decimal;
use crate::eval::Evaluator;
use crate::eval::datum::{Datum, Gap, Key, Truth, View, WhyKind};
use crate::format::model::{Coerce, Function, RegisterKind, Root};
use crate::format::{ExprRef, StepRef, Steps};
use crate::session::narrow::Why;
use crate::session::narrow::shape::Step;
use crate::value::Value;

impl<'a> Evaluator<'a, '_> {
    /// A value, as far as arguments leave it open.
    pub(super) fn sym(&mut self, expr: u32) -> Sought<Sym<'a>> {
        if !self.depends(expr) {
            let value = self.value(expr);
            return match self.symbols() {
                Some(symbols) if !symbols.is_over() => Ok(Sym::Value(value)),
                _ => Err(Stuck::Over),
            };
        }
        match self.library.expr(expr) {
            ExprRef::Root(Root::Args) => self.argument(
                expr,
                Place {
                    base: 0,
                    steps: Vec::new(),
                    coerce: Coerce::None,
                },
            ),
            ExprRef::Root(Root::Key(n)) => match self.key_place(n) {
                Some(place) => Ok(Sym::Arg(place)),
                None => Err(Stuck::Opaque(Why::Other)),
            },
            ExprRef::Root(Root::Var(n)) => match self.item(n) {
                Some(place) => Ok(Sym::Arg(place)),
                None => Err(Stuck::Opaque(Why::Other)),
            },
            ExprRef::Path {
                base,
                steps,
                coerce,
            } => {
                // The arguments as a whole are never looked at where one of them is meant.
                let from = match self.library.expr(base) {
                    ExprRef::Root(Root::Args) => Place {
                        base: 0,
                        steps: Vec::new(),
                        coerce: Coerce::None,
                    },
                    _ => match self.sym(base)? {
                        Sym::Arg(from) if from.coerce == Coerce::None => from,
                        _ => return Err(Stuck::Opaque(Why::Other)),
                    },
                };
                if let Some(at) = place(from.base, &from.steps, steps, coerce) {
                    return self.argument(expr, at);
                }
                self.each(from, steps, coerce)
            }
            ExprRef::Coalesce(a, b) => match self.sym(a)? {
                Sym::Arg(place) => match self.is_there(a, &place)? {
                    true => Ok(Sym::Arg(place)),
                    false => self.sym(b),
                },
                Sym::Value(Ok(value)) => Ok(Sym::Value(Ok(value))),
                Sym::Value(Err(Gap::Undefined(_))) => self.sym(b),
                Sym::Value(Err(gap)) => Ok(Sym::Value(Err(gap))),
                _ => Err(Stuck::Opaque(Why::Other)),
            },
            ExprRef::Add(a, b) => self.sum(a, b, false),
            ExprRef::Sub(a, b) => self.sum(a, b, true),
            ExprRef::Neg(a) => {
                let a = self.sym(a)?;
                scaled(linear(a)?, Decimal::from(-1_i64))
            }
            ExprRef::Mul(a, b) => match without(self.sym(a)?, self.sym(b)?) {
                Err(found) => found,
                Ok((Sym::Value(Ok(n)), other) | (other, Sym::Value(Ok(n)))) => match n.view() {
                    View::Number(n) => scaled(linear(other)?, n),
                    _ => Err(Stuck::Opaque(Why::Other)),
                },
                _ => Err(Stuck::Opaque(Why::Arithmetic)),
            },
            ExprRef::Call(function, args) => {
                let Some(arg) = args.get(0) else {
                    return Err(Stuck::Opaque(Why::Other));
                };
                match (function, self.sym(arg)?) {
                    (Function::Number, Sym::Arg(mut place))
                        if matches!(place.coerce, Coerce::None | Coerce::Number) =>
                    {
                        place.coerce = Coerce::Number;
                        Ok(Sym::Linear(place, Decimal::from(1_i64), Decimal::ZERO))
                    }
                    (Function::Timestamp | Function::Duration, _) => Err(Stuck::Opaque(Why::Times)),
                    (Function::Host, _) => Err(Stuck::Opaque(Why::Text)),
                    (_, Sym::Arg(place)) if place.coerce == Coerce::None => {
                        Ok(Sym::Apply(function, place))
                    }
                    _ => Err(Stuck::Opaque(Why::Text)),
                }
            }
            ExprRef::Lookup(lookup, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args.iter() {
                    match self.sym(arg)? {
                        Sym::Value(Ok(value)) => values.push(value.into_value()),
                        Sym::Value(Err(gap)) => return Ok(Sym::Value(Err(gap))),
                        Sym::Arg(place) => return Err(self.ask_value(expr, place)),
                        _ => return Err(Stuck::Opaque(Why::Lookup)),
                    }
                }
                Ok(Sym::Value(self.lookup(expr, lookup, values)))
            }
            ExprRef::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items.iter() {
                    match self.sym(item)? {
                        Sym::Value(Ok(value)) => list.push(value),
                        Sym::Value(Err(gap)) => return Ok(Sym::Value(Err(gap))),
                        _ => return Err(Stuck::Opaque(Why::TwoArguments)),
                    }
                }
                Ok(Sym::Value(Ok(Datum::List(list))))
            }
            ExprRef::Read { register, earlier } => self.read_open(expr, register, earlier),
            // A condition as a value.
            _ => {
                let truth = self.truth(expr);
                if self.symbols().is_none_or(Symbols::is_over) {
                    return Err(Stuck::Over);
                }
                Ok(Sym::Value(match truth {
                    Truth::True => Ok(Datum::Own(Value::Bool(true))),
                    Truth::False => Ok(Datum::Own(Value::Bool(false))),
                    Truth::Open(gap) => Err(gap),
                }))
            }
        }
    }

    /// A projection: one `[*]`, then fields.
    pub(super) fn each(
        &mut self,
        from: Place,
        steps: Steps<'a>,
        coerce: Coerce,
    ) -> Sought<Sym<'a>> {
        let mut before = from.steps.clone();
        let mut after: Option<Vec<Step>> = None;
        for step in steps.iter() {
            match (step, &mut after) {
                (StepRef::All, None) => after = Some(Vec::new()),
                (StepRef::All, Some(_)) => return Err(Stuck::Opaque(Why::Elements)),
                (StepRef::Field(name), Some(after)) => after.push(Step::Field(name.into())),
                (StepRef::Index(n), Some(after)) => after.push(Step::Index(n)),
                (StepRef::Field(name), None) => before.push(Step::Field(name.into())),
                (StepRef::Index(n), None) => before.push(Step::Index(n)),
            }
        }
        let list = Place {
            base: from.base,
            steps: before,
            coerce: Coerce::None,
        };
        match self.argument(u32::MAX, list)? {
            Sym::Arg(list) if coerce == Coerce::None => {
                Ok(Sym::Each(list, after.unwrap_or_default()))
            }
            _ => Err(Stuck::Opaque(Why::Elements)),
        }
    }

    pub(super) fn sum(&mut self, a: u32, b: u32, minus: bool) -> Sought<Sym<'a>> {
        let (a, b) = (self.sym(a)?, self.sym(b)?);
        let (a, b) = match without(a, b) {
            Ok(pair) => pair,
            Err(found) => return found,
        };
        let b = match minus {
            true => scaled(linear(b)?, Decimal::from(-1_i64))?,
            false => b,
        };
        plus(linear(a)?, linear(b)?)
    }

    /// A register into which the proposed call, or its success, puts open arguments.
    pub(super) fn read_open(&mut self, expr: u32, register: u32, earlier: bool) -> Sought<Sym<'a>> {
        let mut takes = false;
        let keys = self.library.register(register).keys;
        let key = self.register_key(keys);
        for at in self.layers(earlier) {
            if self.open_at(at) {
                takes |= self.is_member(register, at, key.as_ref())? != Truth::False;
            }
        }
        if !takes {
            return Ok(Sym::Value(self.read(expr, register, earlier)));
        }
        let r = self.library.register(register);
        let now = match self.now(expr, r.window) {
            Ok(now) => now,
            Err(gap) => return Ok(Sym::Value(Err(gap))),
        };
        let key = self.register_key(r.keys);
        let mut reading = self.registers.reading(r, register, key.as_ref(), now);
        let mut open: Option<Sym<'a>> = None;
        for at in self.layers(earlier) {
            if !self.open_at(at) {
                let Some(delta) = self.delta(register, at, key.as_ref()) else {
                    continue;
                };
                match (open.take(), r.kind) {
                    (None, _) => delta.apply(r.kind, expr, &mut reading),
                    // The latest one counts.
                    (Some(_), RegisterKind::Latest) if delta.membership == Truth::True => {
                        reading = delta.value.clone().map(Some);
                    }
                    _ => return Err(Stuck::Opaque(Why::Remembered)),
                }
                continue;
            }
            match self.is_member(register, at, key.as_ref())? {
                Truth::False => continue,
                Truth::Open(gap) => {
                    if reading.is_ok() {
                        reading = Err(gap);
                    }
                    continue;
                }
                Truth::True => {}
            }
            let Some(value) = r.value else {
                return Err(Stuck::Opaque(Why::Other));
            };
            let value = self.in_layer(register, at, key.as_ref(), |eval| eval.sym(value))?;
            match r.kind {
                RegisterKind::Latest => match value {
                    Sym::Value(value) => {
                        reading = value.map(|v| Some(v.into_remembered()));
                        open = None;
                    }
                    other => open = Some(other),
                },
                RegisterKind::First if matches!(reading, Ok(Some(_)) | Err(_)) => {}
                RegisterKind::First if open.is_some() => {}
                RegisterKind::First => match value {
                    Sym::Value(value) => reading = value.map(|v| Some(v.into_remembered())),
                    other => open = Some(other),
                },
                RegisterKind::Sum => {
                    if reading.is_err() {
                        continue;
                    }
                    let before = match open.take() {
                        Some(before) => before,
                        None => match &reading {
                            Ok(Some(sum)) => Sym::Value(Ok(sum.datum())),
                            Ok(None) => number(Decimal::ZERO),
                            Err(_) => continue,
                        },
                    };
                    open = Some(plus(linear(before)?, linear(value)?)?);
                }
                _ => return Err(Stuck::Opaque(Why::Remembered)),
            }
        }
        if let Some(open) = open {
            return Ok(open);
        }
        Ok(Sym::Value(match reading {
            Ok(Some(value)) if value.has_huge() => Err(Gap::new(expr, WhyKind::TooLarge)),
            Ok(Some(value)) => Ok(value.datum()),
            Ok(None) => Err(Gap::new(expr, WhyKind::NothingYet)),
            Err(gap) => Err(gap),
        }))
    }

    /// Whether an event with open arguments belongs to a register.
    pub(super) fn is_member(
        &mut self,
        register: u32,
        at: usize,
        key: Option<&Key>,
    ) -> Sought<Truth> {
        let member = self.library.register(register).member;
        let found = self.in_layer(register, at, key, |eval| match eval.absent.contains(&at) {
            true => Truth::False,
            false => eval.truth(member),
        });
        match self.symbols() {
            Some(symbols) if !symbols.is_over() => Ok(found),
            _ => Err(Stuck::Over),
        }
    }
}

pub(super) fn number<'a>(n: Decimal) -> Sym<'a> {
    Sym::Value(Ok(Datum::Own(Value::Number(n))))
}

/// Two operands, or what comes out where one of them has no value: the left one is looked at first. What
/// nobody knows yet beside an argument is undefined where that is missing, which no shape says.
pub(super) fn without<'a>(a: Sym<'a>, b: Sym<'a>) -> Result<(Sym<'a>, Sym<'a>), Sought<Sym<'a>>> {
    match (a, b) {
        (Sym::Value(Err(gap)), _) => Err(Ok(Sym::Value(Err(gap)))),
        (_, Sym::Value(Err(gap @ Gap::Undefined(_)))) | (Sym::Value(_), Sym::Value(Err(gap))) => {
            Err(Ok(Sym::Value(Err(gap))))
        }
        (_, Sym::Value(Err(_))) => Err(Err(Stuck::Opaque(Why::Arithmetic))),
        pair => Ok(pair),
    }
}

/// As a linear expression.
pub(super) fn linear(open: Sym<'_>) -> Sought<Sym<'_>> {
    match open {
        Sym::Arg(place) => match place.coerce {
            Coerce::None | Coerce::Number => {
                Ok(Sym::Linear(place, Decimal::from(1_i64), Decimal::ZERO))
            }
            _ => Err(Stuck::Opaque(Why::Times)),
        },
        Sym::Linear(..) => Ok(open),
        Sym::Value(Err(_)) => Ok(open),
        Sym::Value(Ok(value)) => match value.view() {
            View::Number(_) => Ok(Sym::Value(Ok(value))),
            View::Duration(_) | View::Timestamp(_) => Err(Stuck::Opaque(Why::Times)),
            _ => Err(Stuck::Opaque(Why::Other)),
        },
        _ => Err(Stuck::Opaque(Why::Arithmetic)),
    }
}

pub(super) fn scaled(open: Sym<'_>, by: Decimal) -> Sought<Sym<'_>> {
    let arithmetic = || Stuck::Opaque(Why::Arithmetic);
    match open {
        Sym::Linear(place, times, plus) => {
            let times = times.checked_mul(by).ok_or_else(arithmetic)?;
            let plus = plus.checked_mul(by).ok_or_else(arithmetic)?;
            if times.is_zero() {
                return Err(arithmetic());
            }
            Ok(Sym::Linear(place, times, plus))
        }
        Sym::Value(Ok(value)) => match value.view() {
            View::Number(n) => Ok(number(n.checked_mul(by).ok_or_else(arithmetic)?)),
            _ => Err(Stuck::Opaque(Why::Other)),
        },
        other => Ok(other),
    }
}

pub(super) fn plus<'a>(a: Sym<'a>, b: Sym<'a>) -> Sought<Sym<'a>> {
    let arithmetic = || Stuck::Opaque(Why::Arithmetic);
    match (a, b) {
        (Sym::Value(Err(gap)), _) | (_, Sym::Value(Err(gap))) => Ok(Sym::Value(Err(gap))),
        (Sym::Linear(place, times, plus), Sym::Value(Ok(value)))
        | (Sym::Value(Ok(value)), Sym::Linear(place, times, plus)) => match value.view() {
            View::Number(n) => {
                let plus = plus.checked_add(n).ok_or_else(arithmetic)?;
                Ok(Sym::Linear(place, times, plus))
            }
            _ => Err(Stuck::Opaque(Why::Other)),
        },
        (Sym::Linear(p, s, x), Sym::Linear(q, t, y)) if p == q => {
            let times = s.checked_add(t).ok_or_else(arithmetic)?;
            let plus = x.checked_add(y).ok_or_else(arithmetic)?;
            if times.is_zero() {
                return Err(arithmetic());
            }
            Ok(Sym::Linear(p, times, plus))
        }
        (Sym::Value(Ok(a)), Sym::Value(Ok(b))) => match (a.view(), b.view()) {
            (View::Number(a), View::Number(b)) => {
                Ok(number(a.checked_add(b).ok_or_else(arithmetic)?))
            }
            _ => Err(Stuck::Opaque(Why::Other)),
        },
        _ => Err(arithmetic()),
    }
}

/// The quotient, where it is exact.
pub(super) fn quotient(n: Decimal, by: Decimal) -> Option<Decimal> {
    let mut numerator = n.coefficient();
    for shift in 0..=12 {
        if numerator % by.coefficient() == 0 {
            let exponent = n
                .exponent()
                .checked_sub(by.exponent())?
                .checked_sub(shift)?;
            let found = Decimal::new(numerator / by.coefficient(), exponent)?;
            return (found.checked_mul(by) == Some(n)).then_some(found);
        }
        numerator = numerator.checked_mul(10)?;
    }
    None
}
