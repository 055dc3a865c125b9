//! Values that are written out.

use ctr_grammar::ast::{Expr, ExprKind, UnaryOp};

use super::bare;

/// A value that is written out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Literal<'e> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number: its sign and its decimal text without idle zeros.
    Number(bool, String),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A text.
    Str(&'e str),
}

impl<'e> Literal<'e> {
    /// The value that an expression writes out; none where it reads something.
    pub(super) fn of(expr: &'e Expr) -> Option<Self> {
        Some(match &bare(expr).kind {
            ExprKind::Null => Self::Null,
            ExprKind::Bool(value) => Self::Bool(*value),
            ExprKind::Number(text) => Self::Number(false, decimal(text)?),
            ExprKind::Duration(nanos) => Self::Duration(*nanos),
            ExprKind::Str(text) => Self::Str(text),
            ExprKind::Unary(UnaryOp::Neg, inner) => match Self::of(inner)? {
                Self::Number(minus, text) => Self::Number(!minus && text != "0", text),
                Self::Duration(nanos) => Self::Duration(nanos.saturating_neg()),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Less than, equal to or greater than nothing, where it is an amount.
    pub(super) fn sign(&self) -> Option<std::cmp::Ordering> {
        match self {
            Self::Number(true, _) => Some(std::cmp::Ordering::Less),
            Self::Number(false, text) if text == "0" => Some(std::cmp::Ordering::Equal),
            Self::Number(false, _) => Some(std::cmp::Ordering::Greater),
            Self::Duration(nanos) => Some(nanos.cmp(&0)),
            _ => None,
        }
    }

    /// Whether it is a number with a fraction.
    pub(super) fn is_fraction(&self) -> bool {
        matches!(self, Self::Number(_, text) if text.contains('.'))
    }
}

/// A plain decimal number without zeros that say nothing; none for one with an exponent.
fn decimal(text: &str) -> Option<String> {
    if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    })
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn equal_numbers_have_one_text() {
        for (text, wanted) in [
            ("1.0", "1"),
            ("007", "7"),
            ("0.50", "0.5"),
            ("0", "0"),
            ("00.0", "0"),
        ] {
            assert_eq!(decimal(text).as_deref(), Some(wanted));
        }
        assert_eq!(decimal("1e3"), None);
    }
}
