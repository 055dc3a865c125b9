//! Timestamps and durations (language reference, sections 2 and 6).
//!
//! Both are `i64` nanoseconds; timestamps count from 1970-01-01T00:00:00Z, so that they reach from
//! 1677 to 2262.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use crate::decimal::Decimal;

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;

/// The units of durations, the longest first: name, nanoseconds.
const UNITS: [(&str, i64); 5] = [
    ("d", 86_400 * SECOND),
    ("h", 3_600 * SECOND),
    ("min", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
];

/// Reads an RFC 3339 date-time: `2026-11-30T10:00:00.5+01:00`, `T` and `Z` in either case.
///
/// Digits below the nanosecond are dropped; the leap second `23:59:60` UTC is the next second.
/// `None` where the text is anything else, or the time is out of range.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    date_time(text, false)
}

/// Reads a timestamp as values of events hold it: RFC 3339, with a space in place of the `T`
/// allowed, and UTC where the zone is missing. A date without a time is no timestamp.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<i64> {
    date_time(text, true)
}

/// A reader of fixed-width fields.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |value, digit| {
            digit
                .is_ascii_digit()
                .then(|| value * 10 + i64::from(digit - b'0'))
        })
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }
}

fn date_time(text: &str, lenient: bool) -> Option<i64> {
    let mut fields = Fields(text.as_bytes());
    let year = fields.digits(4)?;
    fields.one_of(b"-")?;
    let month = fields.digits(2)?;
    fields.one_of(b"-")?;
    let day = fields.digits(2)?;
    fields.one_of(if lenient { b"Tt " } else { b"Tt" })?;
    let hour = fields.digits(2)?;
    fields.one_of(b":")?;
    let minute = fields.digits(2)?;
    fields.one_of(b":")?;
    let second = fields.digits(2)?;
    if !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let mut nanos = 0;
    if fields.one_of(b".").is_some() {
        let mut weight = SECOND;
        nanos = fields.digits(1)? * (weight / 10);
        weight /= 10;
        while fields.0.first().is_some_and(u8::is_ascii_digit) {
            weight /= 10;
            nanos += fields.digits(1)? * weight;
        }
    }
    let offset = match fields.one_of(b"Zz+-") {
        Some(sign @ (b'+' | b'-')) => {
            let hours = fields.digits(2)?;
            fields.one_of(b":")?;
            let minutes = fields.digits(2)?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 3600 + minutes * 60;
            if sign == b'-' { -offset } else { offset }
        }
        Some(_) => 0,
        None if lenient => 0,
        None => return None,
    };
    if !fields.0.is_empty() {
        return None;
    }
    let seconds =
        days_from_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    // A leap second exists at the end of a UTC day alone.
    if second == 60 && seconds.rem_euclid(86_400) != 0 {
        return None;
    }
    let total = i128::from(seconds) * i128::from(SECOND) + i128::from(nanos);
    i64::try_from(total).ok()
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `days_from_civil`).
const fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_epoch`]: year, month, day (`civil_from_days`).
const fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Writes a timestamp as RFC 3339 in UTC, with as many digits of a second as it has:
/// `2026-11-30T10:00:00.5Z`.
#[must_use]
pub fn format_rfc3339(nanos: i64) -> String {
    let seconds = nanos.div_euclid(SECOND);
    let fraction = nanos.rem_euclid(SECOND);
    let (year, month, day) = date_from_days(seconds.div_euclid(86_400));
    let time = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction != 0 {
        let digits = format!("{fraction:09}");
        // Writing to a string does not fail.
        let _ = write!(out, ".{}", digits.trim_end_matches('0'));
    }
    out.push('Z');
    out
}

/// Reads a duration: a number that is not negative and a unit, `500ms`, `1.5s`, `10min`, `2h`, `1d`.
/// `None` where the text is anything else, or out of range.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number = Decimal::parse(number)?;
    let in_unit = Decimal::from_nanos(*nanos);
    number.checked_mul(in_unit)?.seconds_to_nanos()
}

/// Writes a duration in the longest unit in which it is a whole number: `90s`, `2h`; what is no
/// whole number of milliseconds as seconds, `0.0000005s`.
#[must_use]
pub fn format_duration(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".into();
    }
    for (name, unit) in UNITS {
        if nanos % unit == 0 {
            return format!("{}{name}", nanos / unit);
        }
    }
    let digits = format!("{:09}", nanos.unsigned_abs() % SECOND.unsigned_abs());
    format!(
        "{}{}.{}s",
        if nanos < 0 { "-" } else { "" },
        nanos.unsigned_abs() / SECOND.unsigned_abs(),
        digits.trim_end_matches('0')
    )
}
