//! Comparisons and arithmetic.

use alloc::borrow::Cow;
use core::cmp::Ordering;

use super::datum::{Datum, Gap, TypeName, View, WhyKind, equal, has_huge};
use super::frame::FrameKind;
use super::{Evaluator, not_a};
use crate::decimal::Decimal;
use crate::format::model::{CompareOp, RegisterKind, Root};
use crate::format::{ExprRef, Ids};
use crate::value::Value;

/// The text of a value (language reference, section 6).
pub(crate) fn text_of<'v>(datum: &'v Datum<'_>) -> Cow<'v, str> {
    match datum {
        Datum::Ref(value) => crate::text::text(value),
        Datum::Text(text) => Cow::Borrowed(text),
        Datum::Own(value) => crate::text::text(value),
        Datum::Key(key, n) => key.get(*n).map_or(Cow::Borrowed("null"), crate::text::text),
        Datum::Duration(d) => Cow::Owned(crate::time::format_duration(*d)),
        Datum::Timestamp(t) => Cow::Owned(crate::time::format_rfc3339(*t)),
        Datum::List(_) => Cow::Owned(crate::json::to_string(&datum.clone().into_value())),
    }
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn compare(&mut self, op: CompareOp, a: u32, b: u32) -> Result<bool, Gap> {
        let left = self.value(a)?;
        let right = self.value(b)?;
        match op {
            CompareOp::Eq | CompareOp::Ne => {
                let same = equal(left.view(), right.view()).ok_or_else(|| {
                    let huge = if matches!(left.view(), View::Huge) {
                        a
                    } else {
                        b
                    };
                    Gap::new(huge, WhyKind::TooLarge)
                })?;
                Ok(same == (op == CompareOp::Eq))
            }
            _ => {
                let order = ordering(a, left.view(), b, right.view())?;
                Ok(match op {
                    CompareOp::Lt => order == Ordering::Less,
                    CompareOp::Le => order != Ordering::Greater,
                    CompareOp::Gt => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                })
            }
        }
    }

    pub(super) fn is_in(&mut self, expr: u32, a: u32, b: u32) -> Result<bool, Gap> {
        let item = self.value(a)?;
        if let ExprRef::Read { register, earlier } = self.library.expr(b)
            && self.library.register(register).kind == RegisterKind::Values
        {
            if has_huge(item.view()) {
                return Err(Gap::new(a, WhyKind::TooLarge));
            }
            return match item {
                // What is kept are lists of values.
                Datum::List(_) => {
                    let item = item.into_remembered();
                    self.in_set(b, register, earlier, item.view())
                }
                _ => self.in_set(b, register, earlier, item.view()),
            };
        }
        if let ExprRef::List(items) = self.library.expr(b) {
            return self.is_one_of(expr, a, item, b, items);
        }
        let list = self.value(b)?;
        self.spend(length(list.view()));
        member(expr, a, item.view(), b, list.view())
    }

    /// Membership in a list that the policy writes: without a list of its values, all of which must be there.
    fn is_one_of(
        &mut self,
        expr: u32,
        a: u32,
        item: Datum<'a>,
        list: u32,
        items: Ids<'a>,
    ) -> Result<bool, Gap> {
        let (hit, unsure) = self.enter(list, |eval| {
            let (mut hit, mut unsure) = (false, false);
            for other in items.iter() {
                match equal(item.view(), eval.value(other)?.view()) {
                    Some(same) => hit |= same,
                    None => unsure = true,
                }
            }
            Ok((hit, unsure))
        })?;
        self.spend(items.len());
        if unsure && !hit {
            let at = if matches!(item.view(), View::Huge) {
                a
            } else {
                expr
            };
            return Err(Gap::new(at, WhyKind::TooLarge));
        }
        Ok(hit)
    }

    pub(super) fn contains(&mut self, expr: u32, a: u32, b: u32) -> Result<bool, Gap> {
        if let ExprRef::Read { register, .. } = self.library.expr(a)
            && self.library.register(register).kind == RegisterKind::Values
        {
            return self.is_in(expr, b, a);
        }
        let whole = self.value(a)?;
        let part = self.value(b)?;
        self.spend(length(whole.view()));
        match (whole.view(), part.view()) {
            (View::Str(text), View::Str(part)) => Ok(text.contains(part)),
            (View::Str(_), other) => Err(not_a(b, TypeName::String, other.type_name())),
            (View::Values(_) | View::Data(_), item) => member(expr, b, item, a, whole.view()),
            (other, _) => Err(not_a(a, TypeName::String, other.type_name())),
        }
    }

    pub(super) fn matches(&mut self, expr: u32, a: u32, regex: u32) -> Result<bool, Gap> {
        let value = self.value(a)?;
        self.spend(length(value.view()));
        match value.view() {
            View::Str(text) => {
                let message = match self.library.expr(a) {
                    ExprRef::Root(Root::Text) => self.frames.get(self.at),
                    _ => None,
                };
                let found = match message.map(|frame| frame.kind) {
                    Some(kind @ (FrameKind::Input | FrameKind::Output)) => {
                        let output = kind == FrameKind::Output;
                        let searches = &mut self.space.searches;
                        searches.is_match(self.library, output, regex, text)
                    }
                    _ => self.library.regex(regex).and_then(|r| r.is_match(text)),
                };
                found.ok_or(Gap::new(expr, WhyKind::Limit))
            }
            other => Err(not_a(a, TypeName::String, other.type_name())),
        }
    }

    /// An operator on two strings; `None` of the operator is a relative path.
    pub(super) fn texts(
        &mut self,
        a: u32,
        b: u32,
        operator: impl FnOnce(&str, &str) -> Option<bool>,
    ) -> Result<bool, Gap> {
        let left = self.value(a)?;
        let right = self.value(b)?;
        self.spend(length(left.view()).saturating_add(length(right.view())));
        match (left.view(), right.view()) {
            (View::Str(x), View::Str(y)) => {
                operator(x, y).ok_or(Gap::new(a, WhyKind::RelativePath))
            }
            (View::Str(_), other) => Err(not_a(b, TypeName::String, other.type_name())),
            (other, _) => Err(not_a(a, TypeName::String, other.type_name())),
        }
    }

    /// `a + b`, or `a - b`.
    pub(super) fn add(&mut self, expr: u32, a: u32, b: u32, minus: bool) -> Result<Datum<'a>, Gap> {
        let left = self.value(a)?;
        let right = self.value(b)?;
        let too_large = Gap::new(expr, WhyKind::TooLarge);
        let time = |x: i64, y: i64| {
            if minus {
                x.checked_sub(y)
            } else {
                x.checked_add(y)
            }
            .ok_or(too_large)
        };
        Ok(match (left.view(), right.view()) {
            (View::Number(x), View::Number(y)) => {
                let sum = if minus {
                    x.checked_sub(y)
                } else {
                    x.checked_add(y)
                };
                Datum::Own(Value::Number(sum.ok_or(too_large)?))
            }
            (View::Huge, _) => return Err(Gap::new(a, WhyKind::TooLarge)),
            (_, View::Huge) => return Err(Gap::new(b, WhyKind::TooLarge)),
            (View::Duration(x), View::Duration(y)) => Datum::Duration(time(x, y)?),
            (View::Timestamp(x), View::Duration(y)) => Datum::Timestamp(time(x, y)?),
            (View::Duration(x), View::Timestamp(y)) if !minus => Datum::Timestamp(time(x, y)?),
            (View::Timestamp(x), View::Timestamp(y)) if minus => Datum::Duration(time(x, y)?),
            (View::Number(_), other) => {
                return Err(not_a(b, TypeName::Number, other.type_name()));
            }
            (View::Duration(_) | View::Timestamp(_), other) => {
                return Err(not_a(b, TypeName::Duration, other.type_name()));
            }
            (other, View::Duration(_)) => {
                return Err(not_a(a, TypeName::Duration, other.type_name()));
            }
            (other, _) => return Err(not_a(a, TypeName::Number, other.type_name())),
        })
    }

    pub(super) fn multiply(&mut self, expr: u32, a: u32, b: u32) -> Result<Datum<'a>, Gap> {
        let left = self.value(a)?;
        let right = self.value(b)?;
        let too_large = Gap::new(expr, WhyKind::TooLarge);
        let scale = |d: i64, n: Decimal| {
            Decimal::from_nanos(d)
                .checked_mul(n)
                .and_then(Decimal::seconds_to_nanos)
                .map(Datum::Duration)
                .ok_or(too_large)
        };
        match (left.view(), right.view()) {
            (View::Number(x), View::Number(y)) => x
                .checked_mul(y)
                .map(|n| Datum::Own(Value::Number(n)))
                .ok_or(too_large),
            (View::Duration(d), View::Number(n)) | (View::Number(n), View::Duration(d)) => {
                scale(d, n)
            }
            (View::Huge, _) => Err(Gap::new(a, WhyKind::TooLarge)),
            (_, View::Huge) => Err(Gap::new(b, WhyKind::TooLarge)),
            (View::Number(_) | View::Duration(_), other) => {
                Err(not_a(b, TypeName::Number, other.type_name()))
            }
            (other, _) => Err(not_a(a, TypeName::Number, other.type_name())),
        }
    }

    pub(super) fn negate(&mut self, expr: u32, a: u32) -> Result<Datum<'a>, Gap> {
        let too_large = Gap::new(expr, WhyKind::TooLarge);
        match self.value(a)?.view() {
            View::Number(n) => n
                .checked_neg()
                .map(|n| Datum::Own(Value::Number(n)))
                .ok_or(too_large),
            View::Duration(d) => d.checked_neg().map(Datum::Duration).ok_or(too_large),
            View::Huge => Err(Gap::new(a, WhyKind::TooLarge)),
            other => Err(not_a(a, TypeName::Number, other.type_name())),
        }
    }
}

/// The order of two numbers, strings (by code point), timestamps or durations.
pub(super) fn ordering(a: u32, left: View<'_>, b: u32, right: View<'_>) -> Result<Ordering, Gap> {
    match (left, right) {
        (View::Number(x), View::Number(y)) => Ok(x.cmp(&y)),
        (View::Str(x), View::Str(y)) => Ok(x.cmp(y)),
        (View::Timestamp(x), View::Timestamp(y)) | (View::Duration(x), View::Duration(y)) => {
            Ok(x.cmp(&y))
        }
        (View::Huge, _) => Err(Gap::new(a, WhyKind::TooLarge)),
        (_, View::Huge) => Err(Gap::new(b, WhyKind::TooLarge)),
        // The side that is no constant is the one to blame; without a better sign, the left.
        (x, y) if comparable(y) => Err(not_a(a, y.type_name(), x.type_name())),
        (x, y) if comparable(x) => Err(not_a(b, x.type_name(), y.type_name())),
        (x, _) => Err(not_a(a, TypeName::Comparable, x.type_name())),
    }
}

fn comparable(view: View<'_>) -> bool {
    matches!(
        view,
        View::Number(_) | View::Str(_) | View::Timestamp(_) | View::Duration(_)
    )
}

/// How much of a list or text there is to look at, in the unit of [`Evaluator::spend`].
pub(super) fn length(view: View<'_>) -> usize {
    match view {
        View::Str(text) => text.len() / 16,
        View::Values(items) => items.len(),
        View::Data(items) => items.len(),
        _ => 0,
    }
}

/// Whether `item` is an element of a list or a field's name of a record.
fn member(expr: u32, a: u32, item: View<'_>, b: u32, list: View<'_>) -> Result<bool, Gap> {
    let mut unsure = false;
    let mut found = |other: View<'_>| match equal(item, other) {
        Some(same) => same,
        None => {
            unsure = true;
            false
        }
    };
    let hit = match list {
        View::Values(items) => items.iter().any(|v| found(View::from(v))),
        View::Data(items) => items.iter().any(|v| found(v.view())),
        View::Record(record) => match item {
            View::Str(name) => record.get(name).is_some(),
            _ => false,
        },
        other => return Err(not_a(b, TypeName::List, other.type_name())),
    };
    if hit {
        Ok(true)
    } else if unsure {
        let at = if matches!(item, View::Huge) { a } else { expr };
        Err(Gap::new(at, WhyKind::TooLarge))
    } else {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::datum::Remembered;

    #[test]
    fn remembered_times_are_not_numbers() {
        assert_ne!(Remembered::Duration(1), Remembered::Timestamp(1));
        assert_eq!(equal(View::Duration(1), View::Timestamp(1)), Some(false));
    }
}
