//! Conditions as formulas of Z3.
//!
//! A value is a kind with one component for each kind: a number, a text, and so on. A comparison reads
//! the component that it is about, whatever the kind: on a value of another kind it is undefined, and
//! what is undefined may be completed in any way. Equality reads the kind too, since it is defined
//! for any two values. A condition that has no counterpart here has no formula: it may be true or false.

use std::collections::BTreeMap;

use ctr_front::ir::Json;
use ctr_front::ir::{Coerce, CompareOp, Const, Expr, ExprId, Function, RegisterKind, Root};
use ctr_front::types::{Range, Type};
use z3::ast::{Bool, Int, Real, String as Text};

use super::regex;
use crate::problem::{Leaf, Problem, number_of, operator_of};
use crate::theory::{Path, START};
use crate::walk;

/// Kinds of value.
pub(super) const NULL: i64 = 0;
pub(super) const BOOL: i64 = 1;
pub(super) const NUMBER: i64 = 2;
pub(super) const TEXT: i64 = 3;
pub(super) const OTHER: i64 = 4;
pub(super) const TIMESTAMP: i64 = 5;
pub(super) const DURATION: i64 = 6;

/// A value.
#[derive(Clone, Debug)]
pub(super) struct Val {
    pub(super) kind: Int,
    pub(super) number: Real,
    pub(super) text: Text,
    /// Stands for the text where only equality of texts matters.
    pub(super) code: Int,
    pub(super) flag: Bool,
    /// Tells lists and records apart.
    pub(super) id: Int,
}

/// Stands in the place of a way to read a value for whether it is there.
pub(super) const DEFINED: u8 = 8;

/// Where a variable stands in an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    Args(usize),
    Result(usize),
    Fields(usize),
    Context(usize),
    Text(usize),
    Agent(usize),
    Server(usize),
    Time(usize),
    Turn(usize),
    Depth(usize),
    Tokens(usize),
    Key(u32),
    /// An expression without counterpart, at a step.
    Opaque(ExprId, usize, Vec<u32>),
}

pub(super) type Variable = (Home, Vec<String>, u8);

pub(super) struct Encoder<'e> {
    pub(super) problem: &'e Problem<'e>,
    pub(super) path: &'e Path,
    /// Aggregates have their values along the path, rather than any value.
    pub(super) unrolled: bool,
    /// Characters beyond ASCII may be left out: the values are checked afterwards.
    pub(super) approximate: bool,
    /// Texts are numbers: equal or not, and nothing else is known of them. Z3 is far faster without its theory of texts.
    pub(super) coded: bool,
    /// The numbers of constant texts.
    pub(super) codes: BTreeMap<String, i64>,
    /// What is so: types, the order of time.
    pub(super) facts: Vec<Bool>,
    /// What a witness should have besides: values of the kinds that conditions expect.
    pub(super) wishes: Vec<Bool>,
    /// Events that follow soon after each other.
    pub(super) soon: Vec<Bool>,
    /// What reads best: values that are no null and no list, small numbers, a second between events.
    pub(super) natural: Vec<Bool>,
    pub(super) variables: BTreeMap<Variable, Val>,
}

fn rational(text: &str) -> Option<Real> {
    // Plain decimal notation alone.
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fine = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !fine(whole) || !fine(fraction) || text.len() > 60 {
        return None;
    }
    let denominator = format!("1{}", "0".repeat(fraction.len()));
    Real::from_rational_str(&format!("{sign}{whole}{fraction}"), &denominator)
}

/// Whether values of any kind stand there.
fn path_has_values(home: &Home) -> bool {
    matches!(
        home,
        Home::Args(_) | Home::Result(_) | Home::Fields(_) | Home::Context(_) | Home::Opaque(..)
    )
}

pub(super) fn real(n: i64) -> Option<Real> {
    Real::from_rational_str(&n.to_string(), "1")
}

pub(super) fn text(s: &str) -> Option<Text> {
    regex::escaped(s).map(|s| Text::from(s.as_str()))
}

impl<'e> Encoder<'e> {
    pub(super) fn new(problem: &'e Problem<'e>, path: &'e Path, unrolled: bool) -> Self {
        let mut new = Self {
            problem,
            path,
            unrolled,
            approximate: false,
            coded: !unrolled,
            codes: BTreeMap::new(),
            facts: Vec::new(),
            wishes: Vec::new(),
            soon: Vec::new(),
            natural: Vec::new(),
            variables: BTreeMap::new(),
        };
        if unrolled {
            for at in 0..path.steps.len() {
                let now = new.variable(Home::Time(at), Vec::new(), 0);
                if at == 0 {
                    new.soon
                        .extend(real(START).map(|start| now.number.eq(start)));
                    continue;
                }
                let before = new.variable(Home::Time(at - 1), Vec::new(), 0);
                new.facts.push(now.number.ge(&before.number));
                if let Some(second) = real(1_000_000_000) {
                    let later = Real::add(&[before.number, second]);
                    new.natural.push(now.number.ge(&later));
                    new.soon.push(now.number.le(later));
                }
            }
        }
        new
    }

    pub(super) fn library(&self) -> &'e ctr_front::ir::Library {
        self.problem.library
    }

    pub(super) fn node(&self, id: ExprId) -> Option<&'e Expr> {
        self.library().exprs.get(id.0 as usize)
    }

    /// A variable; what is known of it is added to the facts once.
    pub(super) fn variable(&mut self, home: Home, path: Vec<String>, coerce: u8) -> Val {
        let key = (home, path, coerce);
        if let Some(found) = self.variables.get(&key) {
            return found.clone();
        }
        let n = self.variables.len();
        let declared = match &key.0 {
            Home::Args(at) if key.2 != DEFINED => self.declared(*at, &key.1),
            _ => None,
        };
        // Z3 is stronger on whole numbers than on real ones that are whole.
        let number = if key.2 == 1 && matches!(declared, Some(Type::Int(_))) {
            Real::from_int(&Int::new_const(format!("whole {n}")))
        } else {
            Real::new_const(format!("number {n}"))
        };
        let val = Val {
            kind: Int::new_const(format!("kind {n}")),
            number,
            text: Text::new_const(format!("text {n}")),
            code: Int::new_const(format!("code {n}")),
            flag: Bool::new_const(format!("flag {n}")),
            id: Int::new_const(format!("id {n}")),
        };
        self.facts.push(val.kind.ge(NULL));
        self.facts.push(val.kind.le(DURATION));
        let (home, _, coerce) = &key;
        match home {
            Home::Text(_) | Home::Agent(_) | Home::Server(_) => self.facts.push(val.kind.eq(TEXT)),
            Home::Turn(_) | Home::Depth(_) | Home::Tokens(_) => {
                self.facts.push(val.kind.eq(NUMBER));
                self.facts.push(val.number.is_int());
            }
            Home::Time(_) => {
                self.facts.push(val.kind.eq(TIMESTAMP));
                self.facts.push(val.number.is_int());
            }
            _ => {}
        }
        // Whole numbers read best.
        self.soon.push(val.number.is_int());
        if path_has_values(home)
            && let (Some(one), Some(many)) = (real(1), real(100))
        {
            self.natural.push(val.kind.ne(NULL));
            self.natural.push(val.kind.ne(OTHER));
            self.natural.push(val.kind.ne(BOOL));
            self.natural.push(val.kind.le(TEXT));
            let number = val.kind.eq(NUMBER);
            self.natural.push(number.implies(val.number.ge(one)));
            self.natural.push(number.implies(val.number.le(many)));
        }
        if let Some(ty) = declared {
            let fact = self.typed(&val, &ty, *coerce);
            self.facts.extend(fact);
        }
        self.variables.insert(key, val.clone());
        val
    }

    /// The declared type of an argument of the call at a step.
    fn declared(&self, at: usize, path: &[String]) -> Option<Type> {
        let step = self.path.steps.get(at)?;
        self.problem.argument_type(step.group, path).cloned()
    }

    /// That an expression at a step is this text.
    pub(super) fn is_text(&mut self, expr: ExprId, at: usize, is: &str) -> Option<Bool> {
        let value = self.value(expr, at, &[])?;
        let same = self.same_text(&value, is)?;
        Some(Bool::and(&[value.kind.eq(TEXT), same]))
    }

    /// That a value's text is this one.
    fn same_text(&mut self, value: &Val, is: &str) -> Option<Bool> {
        if self.coded {
            let code = self.code(is);
            Some(value.code.eq(code))
        } else {
            Some(value.text.eq(text(is)?))
        }
    }

    /// The number of a constant text.
    fn code(&mut self, text: &str) -> i64 {
        let next = i64::try_from(self.codes.len()).unwrap_or(i64::MAX);
        *self.codes.entry(text.to_owned()).or_insert(next)
    }

    /// Equality of any two values.
    pub(super) fn equal(&self, a: &Val, b: &Val) -> Bool {
        let when = |kind: i64, same: Bool| a.kind.eq(kind).implies(same);
        let texts = if self.coded {
            a.code.eq(&b.code)
        } else {
            a.text.eq(&b.text)
        };
        Bool::and(&[
            a.kind.eq(&b.kind),
            when(BOOL, a.flag.iff(&b.flag)),
            when(NUMBER, a.number.eq(&b.number)),
            when(TEXT, texts),
            when(OTHER, a.id.eq(&b.id)),
            when(TIMESTAMP, a.number.eq(&b.number)),
            when(DURATION, a.number.eq(&b.number)),
        ])
    }

    /// A leaf at a step.
    pub(super) fn leaf(&mut self, leaf: u32, at: usize) -> Option<Bool> {
        let leaf = self.problem.leaves.get(leaf as usize)?.clone();
        match leaf {
            Leaf::Condition(expr, keys) => self.condition(expr, at, &keys),
            Leaf::Compare(op, a, b, keys) => self.compare(operator_of(op), a, b, at, &keys),
            Leaf::Key(path, key) => {
                let value = self.value(path, at, &[])?;
                let key = self.variable(Home::Key(key), Vec::new(), 0);
                Some(self.equal(&value, &key))
            }
            Leaf::Agents(_) => None,
        }
    }

    fn condition(&mut self, expr: ExprId, at: usize, keys: &[u32]) -> Option<Bool> {
        match self.node(expr)? {
            Expr::Const(Const::Bool(value)) => Some(Bool::from_bool(*value)),
            Expr::Not(a) => Some(self.condition(*a, at, keys)?.not()),
            Expr::And(parts) => {
                let parts: Option<Vec<Bool>> =
                    parts.iter().map(|p| self.condition(*p, at, keys)).collect();
                Some(Bool::and(&parts?))
            }
            Expr::Or(parts) => {
                let parts: Option<Vec<Bool>> =
                    parts.iter().map(|p| self.condition(*p, at, keys)).collect();
                Some(Bool::or(&parts?))
            }
            Expr::Iff(a, b) => Some(
                self.condition(*a, at, keys)?
                    .iff(self.condition(*b, at, keys)?),
            ),
            Expr::Compare(op, a, b) => self.compare(*op, *a, *b, at, keys),
            Expr::In(a, set) => match self.node(*set)? {
                Expr::List(items) => {
                    let value = self.value(*a, at, keys)?;
                    let mut any = Vec::new();
                    for item in items {
                        let item = self.value(*item, at, keys)?;
                        any.push(self.equal(&value, &item));
                    }
                    Some(Bool::or(&any))
                }
                Expr::Read { register, earlier } if self.unrolled => {
                    let value = self.value(*a, at, keys)?;
                    self.in_values(&value, *register, *earlier, at, keys)
                }
                _ => None,
            },
            Expr::Matches(a, re) => {
                let pattern = &self.library().regexes.get(re.0 as usize)?.pattern;
                let re = regex::search(pattern, self.approximate)?;
                let value = self.text_of(*a, at, keys)?;
                Some(value.regex_matches(&re))
            }
            Expr::Like(a, b) => {
                let Expr::Const(Const::Str(pattern)) = self.node(*b)? else {
                    return None;
                };
                let re = regex::like(pattern)?;
                let value = self.text_of(*a, at, keys)?;
                Some(value.regex_matches(&re))
            }
            Expr::StartsWith(a, b) => {
                let (a, b) = (self.text_of(*a, at, keys)?, self.text_of(*b, at, keys)?);
                Some(b.prefix(a))
            }
            Expr::EndsWith(a, b) => {
                let (a, b) = (self.text_of(*a, at, keys)?, self.text_of(*b, at, keys)?);
                Some(b.suffix(a))
            }
            Expr::Contains(a, b) => {
                // Of lists it says something else.
                let whole = self.value(*a, at, keys)?;
                let part = self.text_of(*b, at, keys)?;
                let inside = whole.text.contains(part);
                let opaque = self.opaque(expr, at, keys);
                Some(whole.kind.eq(TEXT).ite(&inside, &opaque.flag))
            }
            Expr::Has(a) => {
                let there = self.defined(*a, at)?;
                let _ = self.value(*a, at, keys);
                Some(there)
            }
            Expr::Path { .. } => Some(self.value(expr, at, keys).map(|value| {
                self.wishes.push(value.kind.eq(BOOL));
                value.flag
            })?),
            Expr::Fresh { register, within } if self.unrolled => {
                let times = self.times(*register, true, at, keys)?;
                let now = self.variable(Home::Time(at), Vec::new(), 0).number;
                Some(match times.last() {
                    None => Bool::from_bool(false),
                    Some(then) => now.le(Real::add(&[then.clone(), real(*within)?])),
                })
            }
            Expr::Fresh { register, within } => {
                // How old the latest member is, the same for all bounds.
                let mut whose = vec![u32::MAX];
                if self.register(*register)?.keys > 0 {
                    whose.extend(keys);
                }
                let home = Home::Opaque(ExprId(register.0), at, whose);
                let age = self.variable(home, Vec::new(), 0).number;
                Some(age.le(real(*within)?))
            }
            _ => None,
        }
    }

    fn compare(
        &mut self,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
        at: usize,
        keys: &[u32],
    ) -> Option<Bool> {
        let (x, y) = (self.value(a, at, keys)?, self.value(b, at, keys)?);
        let texts = [a, b]
            .iter()
            .any(|id| matches!(self.node(*id), Some(Expr::Const(Const::Str(_)))));
        if op == CompareOp::Eq || op == CompareOp::Ne {
            let same = self.equal(&x, &y);
            return Some(if op == CompareOp::Eq {
                same
            } else {
                same.not()
            });
        }
        let numbers = [a, b].iter().any(|id| {
            matches!(
                self.node(*id),
                Some(Expr::Const(
                    Const::Number(_) | Const::Duration(_) | Const::Timestamp(_)
                ))
            )
        });
        let by_text = match op {
            CompareOp::Lt => x.text.str_lt(&y.text),
            CompareOp::Le => x.text.str_le(&y.text),
            CompareOp::Gt => y.text.str_lt(&x.text),
            _ => y.text.str_le(&x.text),
        };
        let by_number = match op {
            CompareOp::Lt => x.number.lt(&y.number),
            CompareOp::Le => x.number.le(&y.number),
            CompareOp::Gt => x.number.gt(&y.number),
            _ => x.number.ge(&y.number),
        };
        self.wishes.push(x.kind.eq(&y.kind));
        if texts {
            (!self.coded).then_some(by_text)
        } else if numbers {
            Some(by_number)
        } else {
            // What has no order makes the comparison undefined.
            for unordered in [NULL, BOOL, OTHER] {
                self.wishes.push(x.kind.ne(unordered));
            }
            let both = Bool::and(&[x.kind.eq(TEXT), y.kind.eq(TEXT)]);
            let by_text = if self.coded {
                self.free(a, b, op, at, keys)
            } else {
                by_text
            };
            Some(both.ite(&by_text, &by_number))
        }
    }

    /// The text of a value that an operator on texts reads.
    fn text_of(&mut self, expr: ExprId, at: usize, keys: &[u32]) -> Option<Text> {
        let value = self.value(expr, at, keys)?;
        self.wishes.push(value.kind.eq(TEXT));
        (!self.coded).then_some(value.text)
    }

    /// Whether one text is before another, of which nothing is known.
    fn free(&mut self, a: ExprId, b: ExprId, op: CompareOp, at: usize, keys: &[u32]) -> Bool {
        let mut pair = vec![b.0, u32::from(number_of(op))];
        pair.extend(keys);
        self.variable(Home::Opaque(a, at, pair), Vec::new(), 9).flag
    }

    /// A value without counterpart: the same wherever the same expression stands.
    pub(super) fn opaque(&mut self, expr: ExprId, at: usize, keys: &[u32]) -> Val {
        self.variable(Home::Opaque(expr, at, keys.to_vec()), Vec::new(), 0)
    }

    pub(super) fn constant(&mut self, value: &Const) -> Option<Val> {
        let (kind, number, string, flag) = match value {
            Const::Null => (NULL, None, None, None),
            Const::Bool(b) => (BOOL, None, None, Some(*b)),
            Const::Number(n) => (NUMBER, Some(rational(n)?), None, None),
            Const::Str(s) => {
                // A text that Z3 cannot hold has a number all the same.
                let known = if self.coded { text("") } else { text(s) };
                (TEXT, None, Some(known?), None)
            }
            Const::Duration(n) => (DURATION, Some(real(*n)?), None, None),
            Const::Timestamp(n) => (TIMESTAMP, Some(real(*n)?), None, None),
        };
        Some(Val {
            kind: Int::from_i64(kind),
            number: number.or_else(|| real(0))?,
            code: Int::from_i64(match value {
                Const::Str(s) => self.code(s),
                _ => 0,
            }),
            text: string.or_else(|| text(""))?,
            flag: Bool::from_bool(flag.unwrap_or(false)),
            id: Int::from_i64(0),
        })
    }

    pub(super) fn numeric(&mut self, number: Real, kind: i64) -> Option<Val> {
        let mut val = self.constant(&Const::Null)?;
        val.kind = Int::from_i64(kind);
        val.number = number;
        Some(val)
    }

    /// A value at a step.
    pub(super) fn value(&mut self, expr: ExprId, at: usize, keys: &[u32]) -> Option<Val> {
        let node = self.node(expr)?;
        match node {
            Expr::Const(value) => self.constant(value),
            Expr::Root(root) => self.root(*root, expr, Vec::new(), 0, at, keys),
            Expr::Path {
                base,
                steps,
                coerce,
            } => {
                let coerce = match coerce {
                    Coerce::None => 0,
                    Coerce::Number => 1,
                    Coerce::Timestamp => 2,
                    Coerce::Duration => 3,
                };
                let fields: Option<Vec<String>> = walk::fields(steps);
                match (self.node(*base)?, fields) {
                    (Expr::Root(root), Some(fields)) => {
                        self.root(*root, expr, fields, coerce, at, keys)
                    }
                    _ => Some(self.opaque(expr, at, keys)),
                }
            }
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) => {
                let (x, y) = (self.value(*a, at, keys)?, self.value(*b, at, keys)?);
                let number = match node {
                    Expr::Add(..) => Real::add(&[x.number, y.number]),
                    Expr::Sub(..) => Real::sub(&[x.number, y.number]),
                    _ => Real::mul(&[x.number, y.number]),
                };
                // Of numbers, times and durations: the kind is that of the side that is no duration.
                let kind = x.kind.eq(DURATION).ite(&y.kind, &x.kind);
                let mut out = self.numeric(number, NUMBER)?;
                out.kind = kind;
                Some(out)
            }
            Expr::Neg(a) => {
                let x = self.value(*a, at, keys)?;
                let mut out = self.numeric(x.number.unary_minus(), NUMBER)?;
                out.kind = x.kind;
                Some(out)
            }
            Expr::Call(Function::Len, args) => {
                let x = self.value(*args.first()?, at, keys)?;
                let other = self.opaque(expr, at, keys);
                let number = if self.coded {
                    other.number
                } else {
                    let length = Real::from_int(&x.text.length());
                    x.kind.eq(TEXT).ite(&length, &other.number)
                };
                self.facts.push(number.ge(real(0)?));
                self.facts.push(number.is_int());
                let group = self.path.steps.get(at)?.group;
                let measured = *args.first()?;
                if !matches!(self.problem.type_of(group, measured), Some(Type::List(_))) {
                    self.wishes.push(x.kind.eq(TEXT));
                }
                self.numeric(number, NUMBER)
            }
            Expr::Call(Function::Text, args) => {
                let x = self.value(*args.first()?, at, keys)?;
                let other = self.opaque(expr, at, keys);
                let mut out = self.constant(&Const::Null)?;
                out.kind = Int::from_i64(TEXT);
                out.text = x.kind.eq(TEXT).ite(&x.text, &other.text);
                out.code = x.kind.eq(TEXT).ite(&x.code, &other.code);
                self.wishes.push(x.kind.eq(TEXT));
                Some(out)
            }
            Expr::Read { register, earlier } if self.unrolled => self
                .aggregate(*register, *earlier, at, keys)
                .or_else(|| Some(self.opaque(expr, at, keys))),
            Expr::Read { register, .. } => {
                let out = self.opaque(expr, at, keys);
                if self
                    .register(*register)
                    .is_some_and(|r| matches!(r.kind, RegisterKind::Count | RegisterKind::Streak))
                {
                    self.facts.push(out.number.ge(real(0)?));
                    self.facts.push(out.number.is_int());
                    self.wider_windows(expr, at, keys, &out);
                }
                Some(out)
            }
            Expr::Coalesce(a, b) => self
                .coalesce(*a, *b, at, keys)
                .or_else(|| Some(self.opaque(expr, at, keys))),
            // What the host is asked about has to be there.
            Expr::Lookup(_, args) => {
                for arg in args {
                    let _ = self.value(*arg, at, keys);
                }
                Some(self.opaque(expr, at, keys))
            }
            _ => Some(self.opaque(expr, at, keys)),
        }
    }

    pub(super) fn root(
        &mut self,
        root: Root,
        expr: ExprId,
        path: Vec<String>,
        coerce: u8,
        at: usize,
        keys: &[u32],
    ) -> Option<Val> {
        let owner = self.path.steps.get(at).map_or(at, |step| step.owner);
        let home = match root {
            Root::Args => Home::Args(owner),
            Root::Result => Home::Result(at),
            Root::Fields => Home::Fields(at),
            Root::Context => Home::Context(at),
            Root::Text => Home::Text(at),
            Root::Agent => Home::Agent(at),
            Root::Server => Home::Server(at),
            Root::Time => Home::Time(at),
            Root::Turn => Home::Turn(at),
            Root::Depth => Home::Depth(at),
            Root::Tokens => Home::Tokens(at),
            Root::Key(n) if path.is_empty() => Home::Key(*keys.get(n as usize)?),
            Root::Key(_) | Root::Var(_) => return Some(self.opaque(expr, at, keys)),
        };
        Some(self.variable(home, path, coerce))
    }

    /// What a declared type says of a value, where it can be said.
    fn typed(&mut self, val: &Val, ty: &Type, coerce: u8) -> Option<Bool> {
        let kind = |kind: i64| Some(val.kind.eq(kind));
        let range = |range: &Range, whole: bool| {
            // As it stands a number may also be written as a text.
            if coerce != 1 {
                return None;
            }
            let mut all = vec![val.kind.eq(NUMBER)];
            if whole {
                all.push(val.number.is_int());
            }
            if let Some(min) = &range.min {
                all.push(val.number.ge(rational(min)?));
            }
            if let Some(max) = &range.max {
                all.push(val.number.le(rational(max)?));
            }
            Some(Bool::and(&all))
        };
        match ty {
            Type::Null => kind(NULL),
            Type::Bool => kind(BOOL),
            Type::String => kind(TEXT),
            Type::Int(bounds) => range(bounds, true),
            Type::Number(bounds) => range(bounds, false),
            Type::Timestamp if coerce == 2 => kind(TIMESTAMP),
            Type::Duration if coerce == 3 => kind(DURATION),
            Type::List(_) | Type::Map(_) | Type::Record(_) => kind(OTHER),
            Type::Enum(values) => {
                let mut any = Vec::new();
                for value in values {
                    let Json::Str(value) = value else { return None };
                    any.push(self.same_text(val, value)?);
                }
                Some(Bool::and(&[val.kind.eq(TEXT), Bool::or(&any)]))
            }
            Type::Union(parts) => {
                let parts: Option<Vec<Bool>> = parts
                    .iter()
                    .map(|part| self.typed(val, part, coerce))
                    .collect();
                Some(Bool::or(&parts?))
            }
            Type::Any | Type::Timestamp | Type::Duration => None,
        }
    }
}
