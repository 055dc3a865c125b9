//! Exact comparison and rounding of JSON number texts.

use std::cmp::Ordering;

/// Bounds beyond so many digits are not rounded: no value that a policy computes with reaches them.
const MAX_WHOLE_DIGITS: i64 = 200;

/// Exponents beyond this are taken for it, so that sums of them do not overflow.
const MAX_EXPONENT: i64 = 1 << 40;

/// A decimal: `0.digits * 10^point`, no zeros at either end of `digits`; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    point: i64,
}

/// `text` is a JSON number.
fn decimal(text: &str) -> Decimal {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    // An exponent that does not fit 64 bits is as good as the largest.
    let exponent = exponent
        .parse::<i64>()
        .unwrap_or(if exponent.starts_with('-') {
            -MAX_EXPONENT
        } else {
            MAX_EXPONENT
        })
        .clamp(-MAX_EXPONENT, MAX_EXPONENT);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let leading = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0').to_owned();
    if digits.is_empty() {
        return Decimal {
            negative: false,
            digits,
            point: 0,
        };
    }
    Decimal {
        negative,
        digits,
        point: exponent + length(whole) - i64::try_from(leading).unwrap_or(i64::MAX / 2),
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX / 4)
}

/// Compares two numbers by their values.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (decimal(a), decimal(b));
    let sign = |d: &Decimal| match (d.digits.is_empty(), d.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let size = a.point.cmp(&b.point).then_with(|| a.digits.cmp(&b.digits));
    match (sign(&a), sign(&b)) {
        (-1, -1) => size.reverse(),
        (1, 1) => size,
        (a, b) => a.cmp(&b),
    }
}

/// Equal for numbers of equal value, such as `1`, `1.0` and `10e-1`.
pub(super) fn key(text: &str) -> String {
    let d = decimal(text);
    format!(
        "{}{}e{}",
        if d.negative { "-" } else { "" },
        d.digits,
        d.point
    )
}

/// Whether the value is an integer.
pub(super) fn is_integer(text: &str) -> bool {
    let d = decimal(text);
    length(&d.digits) <= d.point || d.digits.is_empty()
}

/// How to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// The least integer at least the number.
    Up,
    /// The least integer above the number.
    Above,
    /// The greatest integer at most the number.
    Down,
    /// The greatest integer below the number.
    Below,
}

/// The integer next to a number; the number as it is where it has more than [`MAX_WHOLE_DIGITS`].
pub(super) fn round(text: &str, how: Round) -> String {
    let d = decimal(text);
    if d.point > MAX_WHOLE_DIGITS {
        return text.to_owned();
    }
    let exact = is_integer(text);
    let kept = usize::try_from(d.point.max(0)).unwrap_or(0);
    let mut whole: String = d.digits.chars().take(kept).collect();
    while whole.len() < kept {
        whole.push('0');
    }
    if whole.is_empty() {
        whole.push('0');
    }
    // `whole` is rounded towards zero; steps away from it remain.
    let up = match how {
        Round::Up => !exact && !d.negative,
        Round::Above => exact || !d.negative,
        Round::Down | Round::Below => false,
    };
    let down = match how {
        Round::Down => !exact && d.negative,
        Round::Below => exact || d.negative,
        Round::Up | Round::Above => false,
    };
    let zero = whole == "0";
    let (negative, whole) = match (up, down) {
        (true, _) if d.negative && !zero => (true, less_one(&whole)),
        (true, _) => (false, plus_one(&whole)),
        (_, true) if d.negative || zero => (true, plus_one(&whole)),
        (_, true) => (false, less_one(&whole)),
        _ => (d.negative, whole),
    };
    if negative && whole != "0" {
        format!("-{whole}")
    } else {
        whole
    }
}

fn plus_one(digits: &str) -> String {
    let kept = digits.trim_end_matches('9');
    let nines = digits.len() - kept.len();
    let mut out: String = kept.to_owned();
    match out.pop() {
        Some(last) => out.push(char::from_u32(last as u32 + 1).unwrap_or('9')),
        None => out.push('1'),
    }
    out.extend(std::iter::repeat_n('0', nines));
    out
}

/// `digits` is above zero.
fn less_one(digits: &str) -> String {
    let kept = digits.trim_end_matches('0');
    let zeros = digits.len() - kept.len();
    let mut out: String = kept.to_owned();
    if let Some(last) = out.pop() {
        out.push(char::from_u32((last as u32).saturating_sub(1)).unwrap_or('0'));
    }
    out.extend(std::iter::repeat_n('9', zeros));
    let trimmed = out.trim_start_matches('0');
    if trimmed.is_empty() {
        "0".to_owned()
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparison_is_exact() {
        for (a, b, want) in [
            ("1", "1.0", Ordering::Equal),
            ("1e3", "1000", Ordering::Equal),
            ("-0.0", "0", Ordering::Equal),
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("0.1", "0.09", Ordering::Greater),
            ("-2", "-10", Ordering::Greater),
            ("-1", "1", Ordering::Less),
            ("1e400", "1e399", Ordering::Greater),
            ("1e99999999999999999999", "1e400", Ordering::Greater),
            ("1e-99999999999999999999", "0", Ordering::Greater),
            ("0.001", "1e-3", Ordering::Equal),
        ] {
            assert_eq!(compare(a, b), want, "{a} {b}");
            assert_eq!(compare(b, a), want.reverse(), "{b} {a}");
            assert_eq!(key(a) == key(b), want == Ordering::Equal, "{a} {b}");
        }
    }

    /// Against the definition, over all numbers with one decimal between -12 and 12.
    #[test]
    fn rounding_is_that_of_the_definition() {
        for tenths in -120_i64..=120 {
            let sign = if tenths < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10);
            for (how, want) in [
                (Round::Up, (tenths + 9).div_euclid(10)),
                (Round::Above, tenths.div_euclid(10) + 1),
                (Round::Down, tenths.div_euclid(10)),
                (Round::Below, (tenths + 9).div_euclid(10) - 1),
            ] {
                assert_eq!(round(&text, how), want.to_string(), "{text} {how:?}");
            }
            assert_eq!(is_integer(&text), tenths % 10 == 0, "{text}");
        }
        assert_eq!(round("1e3", Round::Above), "1001");
        assert_eq!(round("999.5", Round::Up), "1000");
        assert_eq!(round("1e999", Round::Up), "1e999");
    }
}
