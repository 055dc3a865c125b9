//! Expressions.

use super::lists::{Ids, Steps};
use super::{join, low_byte, second_byte};
use crate::decimal::Decimal;
use crate::format::layout::{self, Section, constant, op, root};
use crate::format::library::Library;
use crate::format::model::{Coerce, CompareOp, Function, Root};

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstRef<'l> {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A string.
    Str(&'l str),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since the epoch.
    Timestamp(i64),
}

/// An expression, as [`Expr`](crate::format::model::Expr); ids of children are lower than its own.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "`model::Expr` says what each is")]
pub enum ExprRef<'l> {
    Const(ConstRef<'l>),
    List(Ids<'l>),
    Root(Root),
    Path {
        base: u32,
        steps: Steps<'l>,
        coerce: Coerce,
    },
    Not(u32),
    And(Ids<'l>),
    Or(Ids<'l>),
    Iff(u32, u32),
    Compare(CompareOp, u32, u32),
    In(u32, u32),
    Matches(u32, u32),
    Like(u32, u32),
    Contains(u32, u32),
    StartsWith(u32, u32),
    EndsWith(u32, u32),
    Inside(u32, u32),
    Has(u32),
    Coalesce(u32, u32),
    Every(u32, u32),
    Some(u32, u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Neg(u32),
    Call(Function, Ids<'l>),
    Lookup(u32, Ids<'l>),
    Read {
        register: u32,
        earlier: bool,
    },
    Mentioned {
        register: u32,
        value: u32,
        earlier: bool,
    },
    Fresh {
        register: u32,
        within: i64,
    },
    Pattern(u32),
}

/// The exponent and the coefficient of a number's words in `lists`.
pub(in crate::format) fn number_words(words: Ids<'_>) -> (i32, i128) {
    let mut words = words.iter();
    let exponent = words.next().unwrap_or(0).cast_signed();
    let bits = words.take(4).enumerate().fold(0_u128, |bits, (n, word)| {
        bits | u128::from(word) << (32 * n)
    });
    (exponent, bits.cast_signed())
}

pub(in crate::format) fn decode_root(code: u8, operand: u32) -> Option<Root> {
    Some(match code {
        root::ARGS => Root::Args,
        root::RESULT => Root::Result,
        root::TEXT => Root::Text,
        root::FIELDS => Root::Fields,
        root::AGENT => Root::Agent,
        root::SERVER => Root::Server,
        root::TIME => Root::Time,
        root::TURN => Root::Turn,
        root::DEPTH => Root::Depth,
        root::TOKENS => Root::Tokens,
        root::CONTEXT => Root::Context,
        root::KEY => Root::Key(operand),
        root::VAR => Root::Var(operand),
        _ => return None,
    })
}

impl<'l> ExprRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [first, a, b, c] = library.tables().record(Section::Expressions, id, 0);
        let small = second_byte(first);
        match low_byte(first) {
            op::LIST => Self::List(Ids::new(library, a, b)),
            op::ROOT => Self::Root(decode_root(small as u8, a).unwrap_or(Root::Args)),
            op::PATH => Self::Path {
                base: a,
                steps: Steps {
                    library,
                    words: Ids::new(library, b, c),
                },
                coerce: layout::value(&layout::COERCE, small).unwrap_or_default(),
            },
            op::NOT => Self::Not(a),
            op::AND => Self::And(Ids::new(library, a, b)),
            op::OR => Self::Or(Ids::new(library, a, b)),
            op::IFF => Self::Iff(a, b),
            op::COMPARE => Self::Compare(
                layout::value(&layout::COMPARE, small).unwrap_or(CompareOp::Eq),
                a,
                b,
            ),
            op::IN => Self::In(a, b),
            op::MATCHES => Self::Matches(a, b),
            op::LIKE => Self::Like(a, b),
            op::CONTAINS => Self::Contains(a, b),
            op::STARTS_WITH => Self::StartsWith(a, b),
            op::ENDS_WITH => Self::EndsWith(a, b),
            op::INSIDE => Self::Inside(a, b),
            op::HAS => Self::Has(a),
            op::COALESCE => Self::Coalesce(a, b),
            op::EVERY => Self::Every(a, b),
            op::SOME => Self::Some(a, b),
            op::ADD => Self::Add(a, b),
            op::SUB => Self::Sub(a, b),
            op::MUL => Self::Mul(a, b),
            op::NEG => Self::Neg(a),
            op::CALL => Self::Call(
                layout::value(&layout::FUNCTION, small).unwrap_or(Function::Len),
                Ids::new(library, a, b),
            ),
            op::LOOKUP => Self::Lookup(a, Ids::new(library, b, c)),
            op::READ => Self::Read {
                register: a,
                earlier: small != 0,
            },
            op::MENTIONED => Self::Mentioned {
                register: a,
                value: b,
                earlier: small != 0,
            },
            op::FRESH => Self::Fresh {
                register: a,
                within: join(b, c),
            },
            op::PATTERN => Self::Pattern(a),
            // Validation leaves `CONST` alone.
            _ => Self::Const(match small as u8 {
                constant::BOOL => ConstRef::Bool(a != 0),
                constant::NUMBER => {
                    let (exponent, coefficient) = number_words(Ids::new(library, a, b));
                    ConstRef::Number(Decimal::new(coefficient, exponent).unwrap_or_default())
                }
                constant::STR => ConstRef::Str(library.tables().text(a)),
                constant::DURATION => ConstRef::Duration(join(a, b)),
                constant::TIMESTAMP => ConstRef::Timestamp(join(a, b)),
                _ => ConstRef::Null,
            }),
        }
    }
}
