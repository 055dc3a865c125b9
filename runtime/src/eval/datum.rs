//! What an expression can come to: a value, borrowed wherever possible, or the reason why there is
//! none.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;

use crate::decimal::Decimal;
use crate::recycle::Recycler;
use crate::value::{Record, Value};

/// Why an expression has no value: which expression, and what is wrong with it. Kept this small
/// because most reasons are never shown; [`super::words`] turns one into plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Why {
    /// Index of the expression in the library.
    pub expr: u32,
    /// What is wrong.
    pub kind: WhyKind,
}

/// The ways in which a value can be missing or unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhyKind {
    /// A path leads nowhere: the part of it with so many steps is missing.
    Missing(u16),
    /// The part of a path with so many steps (`u16::MAX`: the whole expression) has the wrong type.
    NotA {
        /// How many steps of the path.
        steps: u16,
        /// What was needed.
        wanted: TypeName,
        /// What is there.
        found: TypeName,
    },
    /// A conversion failed.
    Unreadable(TypeName),
    /// A number does not fit, or arithmetic overflowed.
    TooLarge,
    /// A path is relative and no base is given.
    RelativePath,
    /// A lookup had no answer.
    NoAnswer,
    /// The time of the event was not recorded.
    NoTime,
    /// An aggregate has no member yet.
    NothingYet,
    /// It is undefined whether some event belongs to an aggregate.
    UncertainMember,
    /// The event has no value for the contract's key.
    NoKey,
    /// Which tool the event is of is not certain.
    UncertainTool,
    /// A named limit was reached.
    Limit,
    /// An event before the key's first occurrence depended on the key.
    LateKey,
}

/// The types that messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum TypeName {
    Null,
    Boolean,
    Number,
    String,
    List,
    Record,
    Timestamp,
    Duration,
    Comparable,
}

impl TypeName {
    /// All, in the order of their codes.
    const ALL: [Self; 9] = [
        Self::Null,
        Self::Boolean,
        Self::Number,
        Self::String,
        Self::List,
        Self::Record,
        Self::Timestamp,
        Self::Duration,
        Self::Comparable,
    ];

    /// With its article: `a number`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Record => "a record",
            Self::Timestamp => "a timestamp",
            Self::Duration => "a duration",
            Self::Comparable => "a number, string, timestamp or duration",
        }
    }

    fn code(self) -> u32 {
        Self::ALL
            .iter()
            .position(|t| *t == self)
            .map_or(0, |n| u32::try_from(n).unwrap_or(0))
    }

    fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

impl WhyKind {
    /// As one number, for saved sessions.
    #[must_use]
    pub fn to_code(self) -> u32 {
        match self {
            Self::Missing(steps) => u32::from(steps) << 16,
            Self::NotA {
                steps,
                wanted,
                found,
            } => 1 | wanted.code() << 4 | found.code() << 8 | u32::from(steps) << 16,
            Self::Unreadable(wanted) => 2 | wanted.code() << 4,
            Self::TooLarge => 3,
            Self::RelativePath => 4,
            Self::NoAnswer => 5,
            Self::NoTime => 6,
            Self::NothingYet => 7,
            Self::UncertainMember => 8,
            Self::NoKey => 9,
            Self::UncertainTool => 10,
            Self::Limit => 11,
            Self::LateKey => 12,
        }
    }

    /// The reverse of [`WhyKind::to_code`]; `None` for other numbers.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        let steps = u16::try_from(code >> 16).ok()?;
        Some(match code & 15 {
            0 => Self::Missing(steps),
            1 => Self::NotA {
                steps,
                wanted: TypeName::from_code(code >> 4 & 15)?,
                found: TypeName::from_code(code >> 8 & 15)?,
            },
            2 => Self::Unreadable(TypeName::from_code(code >> 4 & 15)?),
            3 => Self::TooLarge,
            4 => Self::RelativePath,
            5 => Self::NoAnswer,
            6 => Self::NoTime,
            7 => Self::NothingYet,
            8 => Self::UncertainMember,
            9 => Self::NoKey,
            10 => Self::UncertainTool,
            11 => Self::Limit,
            12 => Self::LateKey,
            _ => return None,
        })
    }
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Undefined (language reference, section 6).
    Undefined(Why),
    /// Nobody knows yet: it depends on a result that is still to come.
    Unknown,
    /// Undefined, or by what is still to come true (`yes`) or false (`no`): `and`, `or` of the two above.
    Partly {
        /// Why it may be undefined.
        why: Why,
        /// It may become true.
        yes: bool,
        /// It may become false.
        no: bool,
    },
}

impl Gap {
    pub(crate) fn new(expr: u32, kind: WhyKind) -> Self {
        Self::Undefined(Why { expr, kind })
    }

    /// Whether a limit of the runtime was reached, so that nothing is known of what is not there: it is
    /// no "missing" that `has`, `??` and projections may pass over.
    pub(crate) fn is_limit(self) -> bool {
        matches!(
            self,
            Self::Undefined(Why {
                kind: WhyKind::Limit,
                ..
            })
        )
    }

    /// What it can come to: undefined, true, false.
    pub(crate) fn ways(self) -> (Option<Why>, bool, bool) {
        match self {
            Self::Undefined(why) => (Some(why), false, false),
            Self::Unknown => (None, true, true),
            Self::Partly { why, yes, no } => (Some(why), yes, no),
        }
    }

    /// The conjunction of two truth values that are open for these reasons: every way of the one with every
    /// way of the other, by Kleene's tables.
    fn and(self, other: Self) -> Self {
        let ((a, a_yes, a_no), (b, b_yes, b_no)) = (self.ways(), other.ways());
        // Undefined with undefined or true; false with anything.
        let why = match (a, b) {
            (Some(why), Some(_)) => Some(why),
            (Some(why), None) if b_yes => Some(why),
            (None, Some(why)) if a_yes => Some(why),
            _ => None,
        };
        let (yes, no) = (a_yes && b_yes, a_no || b_no);
        match why {
            None => Self::Unknown,
            Some(why) if !yes && !no => Self::Undefined(why),
            Some(why) => Self::Partly { why, yes, no },
        }
    }
}

/// A truth value of Kleene's logic, with two kinds of "neither": undefined, and not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// True.
    True,
    /// False.
    False,
    /// Neither.
    Open(Gap),
}

impl Truth {
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, x) | (x, Self::True) => x,
            (Self::Open(a), Self::Open(b)) => Self::Open(a.and(b)),
        }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub(crate) fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Open(Gap::Partly { why, yes, no }) => Self::Open(Gap::Partly {
                why,
                yes: no,
                no: yes,
            }),
            gap @ Self::Open(_) => gap,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl From<Result<bool, Gap>> for Truth {
    fn from(value: Result<bool, Gap>) -> Self {
        value.map_or_else(Self::Open, Self::from)
    }
}

/// The values of a contract's keys.
pub type Key = Arc<[Value]>;

/// A value under evaluation.
#[derive(Clone, Debug)]
pub enum Datum<'a> {
    /// Part of the event or the context.
    Ref(&'a Value),
    /// A text of the event or the library.
    Text(&'a str),
    /// A key's value.
    Key(Key, usize),
    /// Made on the way.
    Own(Value),
    /// A list of such values: a projection, a list written in the policy.
    List(Vec<Datum<'a>>),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since the epoch.
    Timestamp(i64),
}

/// A value as the operators see it.
#[derive(Clone, Copy, Debug)]
pub enum View<'v> {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A number that does not fit.
    Huge,
    /// A string.
    Str(&'v str),
    /// A list of JSON values.
    Values(&'v [Value]),
    /// A list of data.
    Data(&'v [Datum<'v>]),
    /// A record.
    Record(&'v Record),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since the epoch.
    Timestamp(i64),
}

impl<'v> From<&'v Value> for View<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(*b),
            Value::Number(n) => Self::Number(*n),
            Value::Huge(_) => Self::Huge,
            Value::Str(s) => Self::Str(s),
            Value::List(items) => Self::Values(items),
            Value::Record(record) => Self::Record(record),
        }
    }
}

impl View<'_> {
    pub(crate) fn type_name(self) -> TypeName {
        match self {
            Self::Null => TypeName::Null,
            Self::Bool(_) => TypeName::Boolean,
            Self::Number(_) | Self::Huge => TypeName::Number,
            Self::Str(_) => TypeName::String,
            Self::Values(_) | Self::Data(_) => TypeName::List,
            Self::Record(_) => TypeName::Record,
            Self::Duration(_) => TypeName::Duration,
            Self::Timestamp(_) => TypeName::Timestamp,
        }
    }
}

impl<'a> Datum<'a> {
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Self::Ref(value) => View::from(*value),
            Self::Text(text) => View::Str(text),
            Self::Key(key, n) => key.get(*n).map_or(View::Null, View::from),
            Self::Own(value) => View::from(value),
            Self::List(items) => View::Data(items),
            Self::Duration(d) => View::Duration(*d),
            Self::Timestamp(t) => View::Timestamp(*t),
        }
    }

    /// The elements of a list; gives the value back where it is none.
    pub(crate) fn into_items(self) -> Result<Vec<Datum<'a>>, TypeName> {
        match self {
            Self::List(items) => Ok(items),
            Self::Ref(Value::List(items)) => Ok(items.iter().map(Datum::Ref).collect()),
            Self::Own(Value::List(items)) => Ok(items.into_iter().map(Datum::Own).collect()),
            Self::Key(key, n) => match key.get(n) {
                Some(Value::List(items)) => Ok(items.iter().cloned().map(Datum::Own).collect()),
                other => Err(other.map_or(TypeName::Null, |v| View::from(v).type_name())),
            },
            other => Err(other.view().type_name()),
        }
    }

    /// The value on its own; times become numbers of seconds in lists, since JSON has no times.
    pub(crate) fn into_remembered(self) -> Remembered {
        match self {
            Self::Duration(d) => Remembered::Duration(d),
            Self::Timestamp(t) => Remembered::Timestamp(t),
            other => Remembered::Value(other.into_value()),
        }
    }

    /// [`Datum::into_remembered`] into memory that was used before.
    pub(crate) fn keep(self, recycler: &mut Recycler) -> Remembered {
        match self {
            Self::Ref(value) => Remembered::Value(recycler.copy(value)),
            Self::Text(text) => Remembered::Value(Value::Str(recycler.text(text))),
            other => other.into_remembered(),
        }
    }

    /// As a JSON value; times as texts.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Ref(value) => value.clone(),
            Self::Text(text) => Value::from(text),
            Self::Key(key, n) => key.get(n).cloned().unwrap_or_default(),
            Self::Own(value) => value,
            Self::List(items) => Value::List(items.into_iter().map(Datum::into_value).collect()),
            Self::Duration(d) => Value::Str(crate::time::format_duration(d)),
            Self::Timestamp(t) => Value::Str(crate::time::format_rfc3339(t)),
        }
    }
}

/// Equality of any two values, unlike types being unequal; `None` where a number that does not fit
/// stands in one of them.
pub(crate) fn equal(a: View<'_>, b: View<'_>) -> Option<bool> {
    match (a, b) {
        (View::Huge, _) | (_, View::Huge) => None,
        (View::Null, View::Null) => Some(true),
        (View::Bool(x), View::Bool(y)) => Some(x == y),
        (View::Number(x), View::Number(y)) => Some(x == y),
        (View::Str(x), View::Str(y)) => Some(x == y),
        (View::Duration(x), View::Duration(y)) | (View::Timestamp(x), View::Timestamp(y)) => {
            Some(x == y)
        }
        (View::Values(x), View::Values(y)) => {
            if x.iter().chain(y).any(Value::has_huge) {
                return None;
            }
            Some(x == y)
        }
        (View::Record(x), View::Record(y)) => {
            if x.iter().chain(y.iter()).any(|(_, v)| v.has_huge()) {
                return None;
            }
            Some(x == y)
        }
        (View::Data(x), View::Data(y)) => {
            if x.len() != y.len() {
                return Some(false);
            }
            all_equal(x.iter().zip(y).map(|(p, q)| equal(p.view(), q.view())))
        }
        (View::Data(x), View::Values(y)) | (View::Values(y), View::Data(x)) => {
            if x.len() != y.len() {
                return Some(false);
            }
            all_equal(x.iter().zip(y).map(|(p, q)| equal(p.view(), View::from(q))))
        }
        _ => Some(false),
    }
}

fn all_equal(pairs: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut whole = Some(true);
    for pair in pairs {
        match pair {
            Some(true) => {}
            Some(false) => return Some(false),
            None => whole = None,
        }
    }
    whole
}

/// A value that a session keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remembered {
    /// A JSON value.
    Value(Value),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since the epoch.
    Timestamp(i64),
}

impl Remembered {
    pub(crate) fn datum<'a>(&self) -> Datum<'a> {
        match self {
            Self::Value(value) => Datum::Own(value.clone()),
            Self::Duration(d) => Datum::Duration(*d),
            Self::Timestamp(t) => Datum::Timestamp(*t),
        }
    }

    pub(crate) fn has_huge(&self) -> bool {
        matches!(self, Self::Value(v) if v.has_huge())
    }
}

impl Ord for Remembered {
    fn cmp(&self, other: &Self) -> Ordering {
        order_views(self.view(), other.view())
    }
}

impl Remembered {
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Self::Value(value) => View::from(value),
            Self::Duration(d) => View::Duration(*d),
            Self::Timestamp(t) => View::Timestamp(*t),
        }
    }

    /// Gives its memory back.
    pub(crate) fn recycle(self, recycler: &mut Recycler) {
        if let Self::Value(value) = self {
            recycler.take(value);
        }
    }
}

/// Something that is looked for among what a session keeps.
pub(crate) trait Sought {
    /// What it is; no list of data.
    fn sought(&self) -> View<'_>;
}

impl Sought for Remembered {
    fn sought(&self) -> View<'_> {
        self.view()
    }
}

impl Sought for View<'_> {
    fn sought(&self) -> View<'_> {
        *self
    }
}

impl<'b> Borrow<dyn Sought + 'b> for Remembered {
    fn borrow(&self) -> &(dyn Sought + 'b) {
        self
    }
}

impl PartialEq for dyn Sought + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for dyn Sought + '_ {}

impl PartialOrd for dyn Sought + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Sought + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        order_views(self.sought(), other.sought())
    }
}

impl PartialOrd for Remembered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A total order of JSON values that agrees with their equality; it has no meaning beyond maps.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Huge(x), Value::Huge(y)) => x.cmp(y),
        _ => order_views(View::from(a), View::from(b)),
    }
}

/// The order of [`order`] on what a session keeps; times come last. Lists of data have none, and numbers
/// that do not fit are kept nowhere.
pub(crate) fn order_views(a: View<'_>, b: View<'_>) -> Ordering {
    fn rank(view: View<'_>) -> u8 {
        match view {
            View::Null => 0,
            View::Bool(_) => 1,
            View::Number(_) => 2,
            View::Huge => 3,
            View::Str(_) => 4,
            View::Values(_) | View::Data(_) => 5,
            View::Record(_) => 6,
            View::Duration(_) => 7,
            View::Timestamp(_) => 8,
        }
    }
    match (a, b) {
        (View::Str(x), View::Str(y)) => x.cmp(y),
        (View::Bool(x), View::Bool(y)) => x.cmp(&y),
        (View::Number(x), View::Number(y)) => x.cmp(&y),
        (View::Values(x), View::Values(y)) => order_all(x, y),
        (View::Record(x), View::Record(y)) => {
            for ((k, v), (l, w)) in x.iter().zip(y.iter()) {
                let found = k.cmp(l).then_with(|| order(v, w));
                if found != Ordering::Equal {
                    return found;
                }
            }
            x.len().cmp(&y.len())
        }
        (View::Duration(x), View::Duration(y)) | (View::Timestamp(x), View::Timestamp(y)) => {
            x.cmp(&y)
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Whether a number that does not fit stands in a value.
pub(crate) fn has_huge(view: View<'_>) -> bool {
    match view {
        View::Huge => true,
        View::Values(items) => items.iter().any(Value::has_huge),
        View::Data(items) => items.iter().any(|item| has_huge(item.view())),
        View::Record(record) => record.iter().any(|(_, value)| value.has_huge()),
        _ => false,
    }
}

/// The order of [`order`] on tuples.
pub(crate) fn order_all(a: &[Value], b: &[Value]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        let found = order(x, y);
        if found != Ordering::Equal {
            return found;
        }
    }
    a.len().cmp(&b.len())
}

/// A key as a map's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered(pub Key);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        order_all(&self.0, &other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
