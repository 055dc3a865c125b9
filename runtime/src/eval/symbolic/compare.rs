//! Comparisons of an open value with a known one.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::shapes::cased;
use super::triple::{Part, Triple, rest};
use super::values::quotient;
use super::{Leaf, Place, Sought, Stuck, Sym, undefined};
use crate::decimal::Decimal;
use crate::eval::Evaluator;
use crate::eval::datum::{Datum, Gap, Truth, View, WhyKind, equal};
use crate::eval::operators::ordering;
use crate::format::model::{Coerce, CompareOp, Function};
use crate::session::narrow::Why;
use crate::session::narrow::shape::{ALL_KINDS, LIST, NUMBER, RECORD, STR, Shape, and, kind, or};
use crate::value::Value;

impl<'a> Evaluator<'a, '_> {
    pub(super) fn compare_open(
        &mut self,
        op: CompareOp,
        open: Sym<'a>,
        known: &Datum<'a>,
    ) -> Sought<Leaf> {
        let textless = |eval: &Self, place: &Place| {
            place.coerce == Coerce::None
                || eval
                    .symbols()
                    .is_some_and(|s| place.base == 0 && s.textless.contains(&place.steps))
        };
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        let negated = op == CompareOp::Ne;
        let leaf = |place: Place, triple: Triple, why: Option<Why>| {
            let triple = if negated { triple.not() } else { triple };
            Ok(Leaf::Test(place, triple, why))
        };
        let view = known.view();
        if matches!(view, View::Huge) {
            return Ok(Leaf::Known(undefined(u32::MAX)));
        }
        match open {
            Sym::Arg(place) if matches!(place.coerce, Coerce::Timestamp | Coerce::Duration) => {
                Err(Stuck::Opaque(Why::Times))
            }
            Sym::Arg(place) if equality => {
                let exact = textless(self, &place);
                if matches!(view, View::Timestamp(_) | View::Duration(_)) {
                    // Without a declared type an argument is never a time.
                    let (yes, no) = (Shape::Never, Shape::Any);
                    let triple =
                        Triple::of(&place.steps, Part::exact(yes), Part::exact(no), rest());
                    return leaf(place, triple, None);
                }
                let value = known.clone().into_value();
                if value.has_huge() {
                    return Ok(Leaf::Known(undefined(u32::MAX)));
                }
                if place.coerce == Coerce::Number
                    && let Value::Str(text) = &value
                    && Decimal::parse(text).is_some()
                {
                    // The text is read as a number, and no number equals a text.
                    let triple = Triple::of(
                        &place.steps,
                        Part::exact(Shape::Never),
                        Part::exact(Shape::Any),
                        rest(),
                    );
                    return leaf(place, triple, None);
                }
                let numeric = matches!(value, Value::Number(_));
                let yes = Shape::one(value);
                let (no, exact) = match (place.coerce, numeric) {
                    // Texts that are numbers are left out.
                    (Coerce::Number, true) => {
                        let no = and(Vec::from([yes.clone().not(), kind(ALL_KINDS & !STR)]));
                        (no, exact)
                    }
                    _ => (yes.clone().not(), true),
                };
                let why = (!exact).then_some(Why::NumbersAsText);
                let triple = Triple::of(
                    &place.steps,
                    Part::is(yes, exact),
                    Part::is(no, exact),
                    Part::is(Shape::Never, exact),
                );
                leaf(place, triple, why)
            }
            Sym::Arg(place) => match view {
                View::Number(_) => {
                    let linear = Sym::Linear(place, Decimal::from(1_i64), Decimal::ZERO);
                    self.compare_open(op, linear, known)
                }
                View::Str(_) if place.coerce == Coerce::None => Err(Stuck::Opaque(Why::TextOrder)),
                _ if place.coerce == Coerce::None => Ok(Leaf::Known(undefined(u32::MAX))),
                _ => Err(Stuck::Opaque(Why::Other)),
            },
            Sym::Linear(place, times, plus) => {
                let exact = textless(self, &place);
                let View::Number(bound) = view else {
                    return Err(Stuck::Opaque(Why::Other));
                };
                let at = bound
                    .checked_sub(plus)
                    .and_then(|n| quotient(n, times))
                    .ok_or(Stuck::Opaque(Why::Arithmetic))?;
                let op = if times < Decimal::ZERO {
                    flipped(op)
                } else {
                    op
                };
                let (yes, no) = match op {
                    CompareOp::Eq | CompareOp::Ne => {
                        let yes = Shape::one(Value::Number(at));
                        let no = and(Vec::from([kind(NUMBER), yes.clone().not()]));
                        (yes, no)
                    }
                    CompareOp::Lt => (Shape::Most(at, true), Shape::Least(at, false)),
                    CompareOp::Le => (Shape::Most(at, false), Shape::Least(at, true)),
                    CompareOp::Gt => (Shape::Least(at, true), Shape::Most(at, false)),
                    CompareOp::Ge => (Shape::Least(at, false), Shape::Most(at, true)),
                };
                let why = (!exact).then_some(Why::NumbersAsText);
                let others = Part::is(kind(ALL_KINDS & !NUMBER & !STR), exact);
                let triple = Triple::of(
                    &place.steps,
                    Part::is(yes, exact),
                    Part::is(no, exact),
                    others,
                );
                leaf(place, triple, why)
            }
            Sym::Apply(Function::Len, place) => {
                let View::Number(bound) = view else {
                    return Err(Stuck::Opaque(Why::Other));
                };
                let yes = counted(op, bound);
                let countable = kind(STR | LIST | RECORD);
                let yes = and(Vec::from([countable.clone(), yes]));
                let no = and(Vec::from([countable, yes.clone().not()]));
                let triple = Triple::of(&place.steps, Part::exact(yes), Part::exact(no), rest());
                Ok(Leaf::Test(place, triple, None))
            }
            Sym::Apply(Function::Abs, place) => {
                let View::Number(bound) = view else {
                    return Err(Stuck::Opaque(Why::Other));
                };
                let low = bound.neg();
                let within = |strict| {
                    and(Vec::from([
                        Shape::Most(bound, strict),
                        Shape::Least(low, strict),
                    ]))
                };
                let yes = match op {
                    CompareOp::Lt => within(true),
                    CompareOp::Le => within(false),
                    CompareOp::Gt => and(Vec::from([kind(NUMBER), within(false).not()])),
                    CompareOp::Ge => and(Vec::from([kind(NUMBER), within(true).not()])),
                    CompareOp::Eq | CompareOp::Ne => {
                        let either = Vec::from([Value::Number(bound), Value::Number(low)]);
                        match bound < Decimal::ZERO {
                            true => Shape::Never,
                            false => Shape::Enum(either),
                        }
                    }
                };
                let no = and(Vec::from([kind(NUMBER), yes.clone().not()]));
                let triple = Triple::of(&place.steps, Part::exact(yes), Part::exact(no), rest());
                leaf(place, triple, None)
            }
            Sym::Apply(function, place) if equality => {
                let View::Str(text) = view else {
                    return Err(Stuck::Opaque(Why::Text));
                };
                let found = cased(function, place, text, |text, put| {
                    put.raw("^");
                    put.text(text);
                    put.raw("$");
                })?;
                match found {
                    Leaf::Test(place, triple, why) => leaf(place, triple, why),
                    other => Ok(other),
                }
            }
            _ => Err(Stuck::Opaque(Why::Text)),
        }
    }
}

pub(super) fn flipped(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        other => other,
    }
}

pub(super) fn compared(op: CompareOp, a: u32, x: &Datum<'_>, b: u32, y: &Datum<'_>) -> Truth {
    match op {
        CompareOp::Eq | CompareOp::Ne => match equal(x.view(), y.view()) {
            Some(same) => Truth::from(same == (op == CompareOp::Eq)),
            None => Truth::Open(Gap::new(a, WhyKind::TooLarge)),
        },
        _ => match ordering(a, x.view(), b, y.view()) {
            Ok(order) => Truth::from(match op {
                CompareOp::Lt => order == Ordering::Less,
                CompareOp::Le => order != Ordering::Greater,
                CompareOp::Gt => order == Ordering::Greater,
                _ => order != Ordering::Less,
            }),
            Err(gap) => Truth::Open(gap),
        },
    }
}

/// Values of so many parts.
pub(super) fn counted(op: CompareOp, bound: Decimal) -> Shape {
    let kinds = STR | LIST | RECORD;
    let (never, always) = (Shape::Never, kind(kinds));
    if bound < Decimal::ZERO {
        return match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Eq => never,
            _ => always,
        };
    }
    // The greatest whole number up to the bound.
    let whole = bound.is_integer();
    let floor = match (whole, bound.to_i64()) {
        (true, Some(n)) => u64::try_from(n).unwrap_or(0),
        (true, None) => {
            return if matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Ne) {
                always
            } else {
                never
            };
        }
        (false, _) => {
            let mut n = bound.coefficient();
            for _ in bound.exponent()..0 {
                n /= 10;
            }
            u64::try_from(n).unwrap_or(u64::MAX)
        }
    };
    let most = |n: Option<u64>| n.map_or(Shape::Never, |n| Shape::Length(kinds, 0, Some(n)));
    let least = |n: u64| Shape::Length(kinds, n, None);
    match op {
        CompareOp::Lt if whole => most(floor.checked_sub(1)),
        CompareOp::Lt | CompareOp::Le => most(Some(floor)),
        CompareOp::Ge if whole => least(floor),
        CompareOp::Ge | CompareOp::Gt => least(floor.saturating_add(1)),
        CompareOp::Eq if whole => Shape::Length(kinds, floor, Some(floor)),
        CompareOp::Eq => never,
        CompareOp::Ne if whole => or(Vec::from([
            most(floor.checked_sub(1)),
            least(floor.saturating_add(1)),
        ])),
        CompareOp::Ne => always,
    }
}
