//! Functions and lookups (language reference, section 6).

use ctr_grammar::ast::{self, Expr};

use super::Checker;
use super::expand::{count, given};
use super::names::LookupSym;
use super::scope::Scope;
use super::typing::{self, Classes};
use super::value::Val;
use crate::ir::{Coerce, Const, Expr as IrExpr, Function};
use crate::types::Type;

const SECOND: i64 = 1_000_000_000;

/// A function: what it takes, in classes and in words, and what it gives.
fn signature(name: &str) -> Option<(Function, Classes, &'static str, Type)> {
    let (string, list, record) = (Classes::STRING, Classes::LIST, Classes::RECORD);
    Some(match name {
        "len" => (
            Function::Len,
            string.or(list).or(record),
            "a string, a list or a record",
            typing::int(),
        ),
        "text" => (Function::Text, Classes::ALL, "a value", Type::String),
        "lower" => (Function::Lower, string, "a string", Type::String),
        "upper" => (Function::Upper, string, "a string", Type::String),
        "trim" => (Function::Trim, string, "a string", Type::String),
        "number" => (
            Function::Number,
            string.or(Classes::NUMBER),
            "a string or a number",
            typing::number(),
        ),
        "host" => (Function::Host, string, "a string", Type::String),
        "abs" => (
            Function::Abs,
            Classes::NUMBER.or(Classes::DURATION),
            "a number",
            typing::number(),
        ),
        "keys" => (
            Function::Keys,
            record,
            "a record",
            Type::List(Box::new(Type::String)),
        ),
        "timestamp" => (
            Function::Timestamp,
            string.or(Classes::NUMBER).or(Classes::TIME),
            "an RFC 3339 text or a number of seconds",
            Type::Timestamp,
        ),
        "duration" => (
            Function::Duration,
            string.or(Classes::NUMBER).or(Classes::DURATION),
            "a text such as \"30s\" or a number of seconds",
            Type::Duration,
        ),
        _ => return None,
    })
}

impl<'a> Checker<'a> {
    /// A call of a built-in function.
    pub(super) fn function(
        &mut self,
        name: &str,
        args: &'a [Expr],
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let [arg] = args else {
            self.error(
                "E0407",
                format!("`{name}` takes 1 argument, and {} given", given(args.len())),
                whole.span,
                "here",
                "",
                scope,
            );
            return self.bad();
        };
        if name == "has" {
            return self.has(arg, scope);
        }
        let Some((function, takes, words, gives)) = signature(name) else {
            self.misplaced(whole, scope);
            return self.bad();
        };
        let value = self.value(arg, scope);
        if value.bad {
            return value;
        }
        if value.set && function != Function::Len {
            self.set_misused(arg.span, scope);
            return self.bad();
        }
        if !value.set && !typing::classes(&value.ty).meets(takes) {
            let text = self.folded(scope, arg.span);
            self.error(
                "E0511",
                format!(
                    "`{name}` takes {words}, and `{text}` is {}",
                    typing::described(&value.ty)
                ),
                arg.span,
                typing::described(&value.ty),
                "",
                scope,
            );
            return self.bad();
        }
        let gives = if function == Function::Abs && typing::classes(&value.ty) == Classes::DURATION
        {
            Type::Duration
        } else {
            gives
        };
        if let Some(IrExpr::Const(constant)) = self.tables.get_expr(value.id).cloned() {
            let folded = match (function, &constant) {
                (Function::Timestamp, Const::Str(text)) => {
                    Some(timestamp(text).map(Const::Timestamp))
                }
                (Function::Timestamp, Const::Number(text)) => {
                    Some(seconds(text).map(Const::Timestamp))
                }
                (Function::Duration, Const::Str(text)) => Some(duration(text).map(Const::Duration)),
                (Function::Duration, Const::Number(text)) => {
                    Some(seconds(text).map(Const::Duration))
                }
                (Function::Duration, Const::Duration(_))
                | (Function::Timestamp, Const::Timestamp(_)) => Some(Some(constant)),
                _ => None,
            };
            match folded {
                Some(Some(constant)) => {
                    let id = self.tables.constant(constant);
                    return Val::new(id, gives);
                }
                Some(None) => {
                    let help = if function == Function::Timestamp {
                        "a moment is written as in `2026-11-30T10:00:00Z`, between the years 1678 and 2262"
                    } else {
                        "a duration is written as in `500ms`, `30s`, `10min`, `2h`, `1d`"
                    };
                    self.error(
                        "E0512",
                        format!("this is no {name}"),
                        arg.span,
                        format!("no {name}"),
                        help,
                        scope,
                    );
                    return self.bad();
                }
                None => {}
            }
        }
        let id = self.tables.expr(IrExpr::Call(function, vec![value.id]));
        Val::new(id, gives)
    }

    fn has(&mut self, arg: &'a Expr, scope: &Scope<'a>) -> Val {
        self.lenient += 1;
        let value = self.value(arg, scope);
        self.lenient -= 1;
        let id = self.tables.expr(IrExpr::Has(value.id));
        let result = Val::new(id, Type::Bool);
        if value.bad {
            return result;
        }
        if value.set {
            self.set_misused(arg.span, scope);
            return result;
        }
        let path = matches!(
            self.tables.get_expr(value.id),
            Some(IrExpr::Path { .. } | IrExpr::Root(_) | IrExpr::Read { .. } | IrExpr::Lookup(..))
        );
        if !path {
            self.error(
                "E0513",
                "`has` asks whether a field is there, and this is no field",
                arg.span,
                "no field",
                "write a field, `has(args.amount)`",
                scope,
            );
        }
        result
    }

    /// A call of a declared lookup.
    pub(super) fn lookup(
        &mut self,
        lookup: &LookupSym,
        path: &'a ast::Path,
        args: &'a [Expr],
        whole: &'a Expr,
        scope: &Scope<'a>,
    ) -> Val {
        let name = path.parts.last().map_or("", |p| p.name.as_str());
        if args.len() != lookup.params.len() {
            self.error(
                "E0407",
                format!(
                    "the lookup `{name}` takes {}, and {} given",
                    count(lookup.params.len(), "argument"),
                    given(args.len())
                ),
                whole.span,
                "here",
                "",
                scope,
            );
            return self.bad();
        }
        let mut ids = Vec::new();
        let mut bad = false;
        for (arg, (param, wanted)) in args.iter().zip(&lookup.params) {
            let value = self.value(arg, scope);
            bad |= value.bad;
            ids.push(value.id);
            if value.bad {
                continue;
            }
            if value.set {
                self.set_misused(arg.span, scope);
                bad = true;
            } else if !typing::classes(&value.ty).meets(typing::classes(wanted)) {
                self.error(
                    "E0511",
                    format!(
                        "`{param}` of `{name}` is {}, and {} is given",
                        typing::described(wanted),
                        typing::described(&value.ty)
                    ),
                    arg.span,
                    typing::described(&value.ty),
                    "",
                    scope,
                );
                bad = true;
            }
        }
        let mut id = self.tables.expr(IrExpr::Lookup(lookup.id, ids));
        let coerce = typing::coerce(&lookup.result);
        if coerce != Coerce::None {
            id = self.tables.expr(IrExpr::Path {
                base: id,
                steps: Vec::new(),
                coerce,
            });
        }
        let mut value = Val::new(id, lookup.result.clone());
        value.bad = bad;
        value
    }
}

/// Nanoseconds of a number of seconds, where they are exact.
fn seconds(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let nanos = decimal(digits, SECOND)?;
    Some(if negative {
        nanos.checked_neg()?
    } else {
        nanos
    })
}

/// `digits[.digits]` times a unit, where that is a whole number.
fn decimal(text: &str, unit: i64) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(fraction) || text.ends_with('.') {
        return None;
    }
    let mut total: i128 = whole.parse::<i128>().ok()?.checked_mul(i128::from(unit))?;
    if !fraction.is_empty() {
        let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = fraction
            .parse::<i128>()
            .ok()?
            .checked_mul(i128::from(unit))?;
        if part % scale != 0 {
            return None;
        }
        total = total.checked_add(part / scale)?;
    }
    i64::try_from(total).ok()
}

/// Nanoseconds of `500ms`, `30s`, `10min`, `2h`, `1d`.
pub(super) fn duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let unit = match unit {
        "ms" => SECOND / 1000,
        "s" => SECOND,
        "min" => 60 * SECOND,
        "h" => 3600 * SECOND,
        "d" => 86_400 * SECOND,
        _ => return None,
    };
    decimal(number, unit)
}

/// Nanoseconds since 1970 of an RFC 3339 text.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    let mut date = date.split('-');
    let number = |s: Option<&str>, length: usize| -> Option<i64> {
        let s = s?;
        (s.len() == length && s.bytes().all(|b| b.is_ascii_digit()))
            .then(|| s.parse().ok())
            .flatten()
    };
    let (year, month, day) = (
        number(date.next(), 4)?,
        number(date.next(), 2)?,
        number(date.next(), 2)?,
    );
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, mut rest) = rest.split_at_checked(8)?;
    let mut clock = clock.split(':');
    let (hour, minute, second) = (
        number(clock.next(), 2)?,
        number(clock.next(), 2)?,
        number(clock.next(), 2)?,
    );
    let mut nanos = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, tail) = fraction.split_at_checked(length)?;
        if length == 0 {
            return None;
        }
        // Finer than a nanosecond is cut off.
        let mut padded: String = digits.chars().take(9).collect();
        while padded.len() < 9 {
            padded.push('0');
        }
        nanos = padded.parse::<i64>().ok()?;
        rest = tail;
    }
    let offset = match rest {
        "Z" | "z" => 0,
        _ => {
            let sign = if rest.starts_with('+') {
                1
            } else if rest.starts_with('-') {
                -1
            } else {
                return None;
            };
            let (hours, minutes) = rest.get(1..)?.split_once(':')?;
            let (hours, minutes) = (number(Some(hours), 2)?, number(Some(minutes), 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            sign * (hours * 3600 + minutes * 60)
        }
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=days_in_month).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted - era * 400;
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    let total = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    total.checked_mul(SECOND)?.checked_add(nanos)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{duration, seconds, timestamp};

    #[test]
    fn times_are_read() {
        assert_eq!(timestamp("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(
            timestamp("2026-11-30T10:00:00.5+01:00"),
            Some(1_796_029_200_500_000_000)
        );
        assert_eq!(
            timestamp("2024-02-29T00:00:00Z").unwrap() / 1_000_000_000,
            1_709_164_800
        );
        for wrong in [
            "",
            "2026-11-30",
            "2026-13-01T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2026-11-30T10:00:00",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(timestamp(wrong), None, "{wrong}");
        }
        assert_eq!(duration("1.5s"), Some(1_500_000_000));
        assert_eq!(duration("2h"), Some(7_200_000_000_000));
        assert_eq!(duration("2 weeks"), None);
        assert_eq!(seconds("-0.5"), Some(-500_000_000));
    }
}
