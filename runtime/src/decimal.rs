//! Exact decimal numbers with a 128-bit coefficient (language reference, section 6).
//!
//! A number is `coefficient * 10^exponent`. It is kept normalised (the coefficient has no factor of
//! ten, zero has the exponent 0), so that equality and hash by parts are equality and hash by value:
//! `1.5 == 1.50`, `1 == 1.0`, `-0 == 0`. What does not fit is `None`, never a rounded number: a
//! comparison that depends on it is undefined and so fails closed.

use alloc::string::String;
use core::cmp::Ordering;
use core::fmt::{self, Write};

/// The largest magnitude of an exponent. It is far beyond what 128 bits can be aligned with; it
/// only keeps the arithmetic on exponents from overflowing.
pub const MAX_EXPONENT: i32 = 1_000_000_000;

/// Numbers whose first digit stands at most so many places before the point are written without an
/// exponent, so that identifiers keep the look of integers.
const PLAIN_DIGITS: i64 = 40;

/// An exact decimal number; equality, order and hash are by value.
// The coefficient is held in two words because an `i128` would align every value to 16 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    hi: i64,
    lo: u64,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self {
        hi: 0,
        lo: 0,
        exponent: 0,
    };

    /// `coefficient * 10^exponent`; `None` where the normalised exponent is beyond
    /// [`MAX_EXPONENT`] or the coefficient is `i128::MIN`, which has no opposite.
    #[must_use]
    pub fn new(mut coefficient: i128, exponent: i32) -> Option<Self> {
        if coefficient == i128::MIN {
            return None;
        }
        if coefficient == 0 {
            return Some(Self::ZERO);
        }
        let mut exponent = i64::from(exponent);
        // Most numbers are short: arithmetic on 64 bits is several times faster.
        if let Ok(mut small) = i64::try_from(coefficient) {
            while small % 10 == 0 {
                small /= 10;
                exponent += 1;
            }
            coefficient = i128::from(small);
        } else {
            while coefficient % 10 == 0 {
                coefficient /= 10;
                exponent += 1;
            }
        }
        let exponent = i32::try_from(exponent).ok()?;
        if !(-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return None;
        }
        Some(Self::from_parts(coefficient, exponent))
    }

    const fn from_parts(coefficient: i128, exponent: i32) -> Self {
        Self {
            hi: (coefficient >> 64) as i64,
            lo: coefficient as u64,
            exponent,
        }
    }

    /// The coefficient, without a factor of ten.
    #[must_use]
    pub const fn coefficient(self) -> i128 {
        ((self.hi as i128) << 64) | self.lo as i128
    }

    /// The exponent of ten; 0 for zero.
    #[must_use]
    pub const fn exponent(self) -> i32 {
        self.exponent
    }

    /// The value of a text that is exactly a JSON number (RFC 8259, section 6), with nothing around
    /// it. `None` where it is not one, or does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.as_bytes();
        let negative = match rest {
            [b'-', tail @ ..] => {
                rest = tail;
                true
            }
            _ => false,
        };
        let (whole, after) = split_digits(rest);
        match whole {
            [] | [b'0', _, ..] => return None,
            _ => rest = after,
        }
        let mut fraction: &[u8] = &[];
        if let [b'.', tail @ ..] = rest {
            (fraction, rest) = split_digits(tail);
            if fraction.is_empty() {
                return None;
            }
        }
        let mut exponent: i64 = 0;
        if let [b'e' | b'E', tail @ ..] = rest {
            let (minus, tail) = match tail {
                [b'-', tail @ ..] => (true, tail),
                [b'+', tail @ ..] => (false, tail),
                _ => (false, tail),
            };
            let (digits, tail) = split_digits(tail);
            if digits.is_empty() {
                return None;
            }
            for digit in digits {
                // Saturation keeps the number out of range, which is all that matters then.
                exponent = exponent
                    .saturating_mul(10)
                    .saturating_add(i64::from(digit - b'0'));
            }
            if minus {
                exponent = -exponent;
            }
            rest = tail;
        }
        if !rest.is_empty() {
            return None;
        }
        Self::from_digits(negative, whole, fraction, exponent)
    }

    fn from_digits(negative: bool, whole: &[u8], fraction: &[u8], exponent: i64) -> Option<Self> {
        let mut coefficient: u128 = 0;
        // Zeros are held back until another digit follows, so that `1.000...0` of any length fits.
        let mut zeros: u32 = 0;
        for digit in whole.iter().chain(fraction) {
            if *digit == b'0' {
                zeros = zeros.checked_add(1)?;
                continue;
            }
            if coefficient != 0 {
                let factor = 10_u128.checked_pow(zeros.checked_add(1)?)?;
                coefficient = coefficient.checked_mul(factor)?;
            }
            zeros = 0;
            coefficient = coefficient.checked_add(u128::from(digit - b'0'))?;
        }
        if coefficient == 0 {
            return Some(Self::ZERO);
        }
        let exponent = exponent
            .checked_sub(i64::try_from(fraction.len()).ok()?)?
            .checked_add(i64::from(zeros))?;
        let coefficient = i128::try_from(coefficient).ok()?;
        Self::new(
            if negative { -coefficient } else { coefficient },
            i32::try_from(exponent).ok()?,
        )
    }

    /// The decimal that the shortest text of a float denotes; `None` where it is not finite.
    ///
    /// For hosts whose numbers are binary: `0.1` becomes 0.1.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let mut text = String::new();
        write!(text, "{value:e}").ok()?;
        Self::parse(&text)
    }

    /// The sum; `None` where the operands, aligned to the lower exponent, or the sum exceed 128
    /// bits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (a, b) = (self.coefficient(), other.coefficient());
        if a == 0 {
            return Some(other);
        }
        if b == 0 {
            return Some(self);
        }
        let exponent = self.exponent.min(other.exponent);
        let a = scale(a, self.exponent - exponent)?;
        let b = scale(b, other.exponent - exponent)?;
        Self::new(a.checked_add(b)?, exponent)
    }

    /// The difference; `None` as for [`Self::checked_add`].
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(other.neg())
    }

    /// The product; `None` where the product of the coefficients exceeds 128 bits.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let coefficient = self.coefficient().checked_mul(other.coefficient())?;
        Self::new(coefficient, self.exponent.checked_add(other.exponent)?)
    }

    /// The opposite.
    #[must_use]
    pub const fn neg(self) -> Self {
        // `i128::MIN` is never a coefficient (see `new`), so the opposite exists.
        Self::from_parts(self.coefficient().wrapping_neg(), self.exponent)
    }

    /// The opposite; always there. For symmetry with the other operations.
    #[must_use]
    pub const fn checked_neg(self) -> Option<Self> {
        Some(self.neg())
    }

    /// The magnitude.
    #[must_use]
    pub const fn abs(self) -> Self {
        if self.hi < 0 { self.neg() } else { self }
    }

    /// The magnitude; always there. For symmetry with the other operations.
    #[must_use]
    pub const fn checked_abs(self) -> Option<Self> {
        Some(self.abs())
    }

    /// Whether it is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.hi == 0 && self.lo == 0
    }

    /// Whether it has no fraction.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    /// The integer; `None` where it has a fraction or exceeds 64 bits.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        if self.exponent < 0 {
            return None;
        }
        i64::try_from(scale(self.coefficient(), self.exponent)?).ok()
    }

    /// Seconds as nanoseconds, rounded down to a whole nanosecond; `None` where they exceed 64
    /// bits (292 years).
    #[must_use]
    pub fn seconds_to_nanos(self) -> Option<i64> {
        let shift = self.exponent.checked_add(9)?;
        let coefficient = self.coefficient();
        let nanos = if shift >= 0 {
            scale(coefficient, shift)?
        } else {
            match 10_i128.checked_pow(shift.unsigned_abs()) {
                Some(divisor) => coefficient.div_euclid(divisor),
                // Beyond 10^38 below a nanosecond: only the sign is left.
                None if coefficient < 0 => -1,
                None => 0,
            }
        };
        i64::try_from(nanos).ok()
    }

    /// Nanoseconds as seconds, exactly.
    #[must_use]
    pub fn from_nanos(nanos: i64) -> Self {
        Self::new(i128::from(nanos), -9).unwrap_or(Self::ZERO)
    }

    /// Appends the canonical text: the shortest JSON number, with an exponent only where the first
    /// digit stands more than 40 places before or 6 places after the point (as RFC 8785 has it,
    /// which switches at 21 places).
    pub fn write(self, out: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(out, "{self}");
    }
}

/// The leading digits, and what follows them.
fn split_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(bytes.len());
    bytes.split_at(end)
}

/// `coefficient * 10^by`, for `by >= 0`.
fn scale(coefficient: i128, by: i32) -> Option<i128> {
    if by == 0 || coefficient == 0 {
        return Some(coefficient);
    }
    coefficient.checked_mul(10_i128.checked_pow(by.unsigned_abs())?)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.coefficient(), other.coefficient());
        if self.exponent == other.exponent || a.signum() != b.signum() {
            return a.cmp(&b);
        }
        let order = compare_magnitudes(
            a.unsigned_abs(),
            self.exponent,
            b.unsigned_abs(),
            other.exponent,
        );
        if a < 0 { order.reverse() } else { order }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two numbers that are not zero, without computing either.
fn compare_magnitudes(a: u128, a_exponent: i32, b: u128, b_exponent: i32) -> Ordering {
    let places =
        |coefficient: u128, exponent: i32| i64::from(coefficient.ilog10()) + i64::from(exponent);
    places(a, a_exponent)
        .cmp(&places(b, b_exponent))
        .then_with(|| {
            // Equally many digits before the point: the exponents differ by less than 39, and a
            // coefficient that does not fit once aligned is the greater one.
            let difference = a_exponent.abs_diff(b_exponent);
            let aligned = |coefficient: u128| {
                10_u128
                    .checked_pow(difference)
                    .and_then(|factor| coefficient.checked_mul(factor))
            };
            if a_exponent > b_exponent {
                aligned(a).map_or(Ordering::Greater, |a| a.cmp(&b))
            } else {
                aligned(b).map_or(Ordering::Less, |b| a.cmp(&b))
            }
        })
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self::new(i128::from(value), 0).unwrap_or(Self::ZERO)
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self::new(i128::from(value), 0).unwrap_or(Self::ZERO)
    }
}

impl From<i32> for Decimal {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<u32> for Decimal {
    fn from(value: u32) -> Self {
        Self::from(i64::from(value))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coefficient = self.coefficient();
        if coefficient == 0 {
            return f.write_str("0");
        }
        if coefficient < 0 {
            f.write_str("-")?;
        }
        let mut buffer = [0; 39];
        let digits = digits(coefficient.unsigned_abs(), &mut buffer);
        let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        // The number of digits before the point.
        let point = count + i64::from(self.exponent);
        if (1..=PLAIN_DIGITS).contains(&point) {
            match usize::try_from(point)
                .ok()
                .and_then(|at| digits.split_at_checked(at))
            {
                Some((whole, "")) => f.write_str(whole),
                Some((whole, fraction)) => write!(f, "{whole}.{fraction}"),
                None => {
                    f.write_str(digits)?;
                    zeros(f, point - count)
                }
            }
        } else if (-5..=0).contains(&point) {
            f.write_str("0.")?;
            zeros(f, -point)?;
            f.write_str(digits)
        } else {
            match digits.split_at_checked(1) {
                Some((_, "")) | None => f.write_str(digits)?,
                Some((first, rest)) => write!(f, "{first}.{rest}")?,
            }
            write!(f, "e{:+}", point - 1)
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The digits of a number that is not zero; 128 bits have at most 39.
fn digits(mut number: u128, buffer: &mut [u8; 39]) -> &str {
    let mut start = buffer.len();
    for (at, digit) in buffer.iter_mut().enumerate().rev() {
        if number == 0 {
            break;
        }
        // Most numbers are short: division of 64 bits is several times faster.
        let last = match u64::try_from(number) {
            Ok(small) => {
                number = u128::from(small / 10);
                (small % 10) as u8
            }
            Err(_) => {
                let last = (number % 10) as u8;
                number /= 10;
                last
            }
        };
        *digit = b'0' + last;
        start = at;
    }
    let digits = buffer.get(start..).unwrap_or_default();
    core::str::from_utf8(digits).unwrap_or_default()
}

fn zeros(f: &mut fmt::Formatter<'_>, count: i64) -> fmt::Result {
    (0..count).try_for_each(|_| f.write_str("0"))
}
