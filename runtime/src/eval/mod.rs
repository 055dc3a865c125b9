//! Evaluation of expressions and patterns (language reference, section 6).
//!
//! Boolean expressions have Kleene's three values, and a fourth for what only a future result can
//! tell; other expressions have a value or the reason why there is none. Nothing here changes the
//! session: aggregates are read as the remembered state plus this event, and plus imagined ones
//! where a call's outcome is anticipated.

mod aggregates;
pub mod datum;
pub mod frame;
mod functions;
mod operators;
#[cfg(feature = "narrowing")]
pub(crate) mod symbolic;
#[cfg(not(feature = "narrowing"))]
#[path = "concrete.rs"]
pub(crate) mod symbolic;
pub(crate) use operators::text_of;
pub use workspace::Workspace;
pub(crate) mod wanted;
pub mod words;
mod workspace;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::decimal::Decimal;
use crate::format::model::{Coerce, Root};
use crate::format::{ConstRef, ExprRef, Library, StepRef, Steps};
use crate::registers::Registers;
use crate::value::{Record, Value};
use datum::{Datum, Gap, Key, Truth, TypeName, View, WhyKind, equal};
use frame::{Frame, FrameKind};

/// How deep expressions may nest: as deep as the artifact's may.
pub use crate::format::MAX_DEPTH;

/// What the evaluator asks of the host.
pub trait Host {
    /// The answer of a declared lookup; `None` where there is none, which makes the condition that
    /// needs it undefined. Asked at most once for each event and arguments.
    fn lookup(&mut self, name: &str, args: &[Value]) -> Option<Value>;
}

/// Answers nothing.
impl Host for () {
    fn lookup(&mut self, _name: &str, _args: &[Value]) -> Option<Value> {
        None
    }
}

/// Whose eyes see the event.
#[derive(Clone, Debug)]
pub enum KeyView {
    /// A contract or register without keys.
    None,
    /// The instance of this key.
    Known(Key),
    /// Any instance whose key the event does not bind: keyed patterns are false, and nothing may
    /// depend on the key.
    Other,
    /// The instance of a key that has not occurred yet.
    Fresh,
}

/// Evaluates expressions for one event.
pub struct Evaluator<'a, 'm> {
    pub(crate) library: &'a Library<'a>,
    pub(crate) context: &'a Record,
    pub(crate) registers: &'a Registers,
    /// The events since the remembered state; imagined ones after the first.
    pub(crate) frames: &'a [Frame<'a>],
    /// Which of them is meant.
    pub(crate) at: usize,
    /// Those that aggregates take not to have happened.
    pub(crate) absent: Vec<usize>,
    pub(crate) key: KeyView,
    pub(crate) host: &'m mut dyn Host,
    pub(crate) space: &'m mut Workspace,
    vars: Vec<Datum<'a>>,
    depth: u32,
    /// What the present outermost evaluation has cost; see [`Limits::work`](crate::limits::Limits).
    work: u64,
    /// Inside `values(...)`: elements without a value are left out.
    lenient: bool,
    /// The first event's arguments are open.
    symbolic: bool,
}

impl<'a, 'm> Evaluator<'a, 'm> {
    pub(crate) fn new(
        library: &'a Library<'a>,
        context: &'a Record,
        registers: &'a Registers,
        frames: &'a [Frame<'a>],
        host: &'m mut dyn Host,
        space: &'m mut Workspace,
    ) -> Self {
        Self {
            library,
            context,
            registers,
            frames,
            at: 0,
            absent: Vec::new(),
            key: KeyView::None,
            host,
            space,
            vars: Vec::new(),
            depth: 0,
            work: 0,
            lenient: false,
            symbolic: frames.first().is_some_and(|f| f.symbols.is_some()),
        }
    }

    /// The event that is meant.
    pub(crate) fn frame(&self) -> Result<&'a Frame<'a>, Gap> {
        // An index beyond the frames is a fault of the caller; undefined fails closed.
        self.frames
            .get(self.at)
            .ok_or(Gap::new(u32::MAX, WhyKind::Limit))
    }

    /// Whether one more expression may be evaluated. An agent chooses how long its lists and texts are,
    /// so quantifiers inside of each other could ask for any amount of work.
    fn may_enter(&mut self) -> bool {
        if self.depth == 0 {
            self.work = 0;
        }
        self.work += 1;
        self.depth < MAX_DEPTH && self.work <= self.registers.limits().work
    }

    /// Notes that so many elements are looked at.
    pub(super) fn spend(&mut self, elements: usize) {
        self.work = self.work.saturating_add(elements as u64);
    }

    /// Notes that so many bytes are searched.
    pub(super) fn spend_text(&mut self, bytes: usize) {
        self.spend(bytes / 16);
    }

    /// The truth value of a Boolean expression.
    pub fn truth(&mut self, expr: u32) -> Truth {
        if !self.may_enter() {
            return Truth::Open(Gap::new(expr, WhyKind::Limit));
        }
        self.depth += 1;
        let truth = self.truth_of(expr);
        self.depth -= 1;
        truth
    }

    fn truth_of(&mut self, expr: u32) -> Truth {
        if cfg!(feature = "narrowing")
            && self.symbolic
            && let Some(truth) = self.symbolic_truth(expr)
        {
            return truth;
        }
        match self.library.expr(expr) {
            ExprRef::Not(a) => self.truth(a).not(),
            ExprRef::And(parts) => {
                let mut whole = Truth::True;
                for part in parts.iter() {
                    whole = whole.and(self.truth(part));
                    if whole == Truth::False {
                        break;
                    }
                }
                whole
            }
            ExprRef::Or(parts) => {
                let mut whole = Truth::False;
                for part in parts.iter() {
                    whole = whole.or(self.truth(part));
                    if whole == Truth::True {
                        break;
                    }
                }
                whole
            }
            ExprRef::Iff(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                match (a, b) {
                    (Truth::True, other) | (other, Truth::True) => other,
                    (Truth::False, other) | (other, Truth::False) => other.not(),
                    // Undefined where one of them surely is, otherwise anything.
                    (Truth::Open(a), Truth::Open(b)) => match (a, b) {
                        (Gap::Undefined(_), _) => Truth::Open(a),
                        (_, Gap::Undefined(_)) => Truth::Open(b),
                        (Gap::Partly { why, .. }, _) | (_, Gap::Partly { why, .. }) => {
                            Truth::Open(Gap::Partly {
                                why,
                                yes: true,
                                no: true,
                            })
                        }
                        (Gap::Unknown, Gap::Unknown) => Truth::Open(Gap::Unknown),
                    },
                }
            }
            ExprRef::Compare(op, a, b) => self.compare(op, a, b).into(),
            ExprRef::In(a, b) => self.is_in(expr, a, b).into(),
            ExprRef::Contains(a, b) => self.contains(expr, a, b).into(),
            ExprRef::Matches(a, regex) => self.matches(expr, a, regex).into(),
            ExprRef::Like(a, b) => self
                .texts(a, b, |x, y| Some(crate::text::like(x, y)))
                .into(),
            ExprRef::StartsWith(a, b) => self.texts(a, b, |x, y| Some(x.starts_with(y))).into(),
            ExprRef::EndsWith(a, b) => self.texts(a, b, |x, y| Some(x.ends_with(y))).into(),
            ExprRef::Inside(a, b) => self.texts(a, b, crate::path::inside).into(),
            ExprRef::Has(a) => match self.value(a) {
                Ok(_) => Truth::True,
                Err(gap) if gap.is_limit() => Truth::Open(gap),
                Err(Gap::Undefined(_)) => Truth::False,
                Err(Gap::Unknown | Gap::Partly { .. }) => Truth::Open(Gap::Unknown),
            },
            ExprRef::Every(list, body) => self.quantify(list, body, true),
            ExprRef::Some(list, body) => self.quantify(list, body, false),
            ExprRef::Mentioned {
                register,
                value,
                earlier,
            } => self.mentioned(register, value, earlier).into(),
            ExprRef::Fresh { register, within } => self.fresh(expr, register, within).into(),
            ExprRef::Pattern(pattern) => self.pattern(pattern),
            // The same expression, so no level deeper.
            _ => match self.value_of(expr) {
                Ok(value) => match value.view() {
                    View::Bool(b) => b.into(),
                    other => Truth::Open(not_a(expr, TypeName::Boolean, other.type_name())),
                },
                Err(gap) => Truth::Open(gap),
            },
        }
    }

    /// Whether the event fits a pattern: its kind, tool, key and condition. Without a value for the
    /// key it is undefined whatever the condition says.
    pub fn pattern(&mut self, pattern: u32) -> Truth {
        let p = self.library.pattern(pattern);
        let frame = match self.frame() {
            Ok(frame) => frame,
            Err(gap) => return Truth::Open(gap),
        };
        if !frame.fits_kind(p.kind) {
            return Truth::False;
        }
        let mut whole = frame.fits_tools(p.tools);
        if whole == Truth::False {
            return whole;
        }
        if !p.keys.is_empty() {
            match &self.key {
                KeyView::Other | KeyView::Fresh => return Truth::False,
                KeyView::None => {}
                KeyView::Known(key) => {
                    let key = key.clone();
                    for (n, expr) in p.keys.iter().enumerate() {
                        let bound = match self.value(expr) {
                            Ok(bound) => bound,
                            Err(Gap::Unknown | Gap::Partly { .. }) => {
                                whole = whole.and(Truth::Open(Gap::Unknown));
                                continue;
                            }
                            Err(gap) => return Truth::Open(gap),
                        };
                        let wanted = key.get(n).map_or(View::Null, View::from);
                        match equal(bound.view(), wanted) {
                            Some(true) => {}
                            Some(false) => return Truth::False,
                            None => return Truth::Open(Gap::new(expr, WhyKind::TooLarge)),
                        }
                    }
                }
            }
        }
        match p.condition {
            Some(condition) => whole.and(self.truth(condition)),
            None => whole,
        }
    }

    /// The values of a keyed pattern's keys on this event.
    pub(crate) fn bound_key(&mut self, keys: crate::format::Ids<'_>) -> Result<Key, Gap> {
        let mut key = self
            .space
            .key(keys.len())
            .unwrap_or_else(|| keys.iter().map(|_| Value::Null).collect());
        let filled = self.fill_key(keys, &mut key);
        self.space.keep_key(&key);
        filled.map(|()| key)
    }

    fn fill_key(&mut self, keys: crate::format::Ids<'_>, key: &mut Key) -> Result<(), Gap> {
        let Some(slots) = Arc::get_mut(key) else {
            return Err(Gap::new(u32::MAX, WhyKind::Limit));
        };
        for (expr, slot) in keys.iter().zip(slots) {
            let value = self.value(expr)?;
            match (value.view(), &mut *slot) {
                (View::Str(text), Value::Str(old)) => {
                    old.clear();
                    old.push_str(text);
                }
                _ => *slot = value.into_value(),
            }
            if slot.has_huge() {
                return Err(Gap::new(expr, WhyKind::TooLarge));
            }
        }
        Ok(())
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: u32) -> Result<Datum<'a>, Gap> {
        if !self.may_enter() {
            return Err(Gap::new(expr, WhyKind::Limit));
        }
        self.depth += 1;
        let value = self.value_of(expr);
        self.depth -= 1;
        value
    }

    /// Does the work of an expression's evaluation, where there may be one more.
    fn enter<T>(
        &mut self,
        expr: u32,
        work: impl FnOnce(&mut Self) -> Result<T, Gap>,
    ) -> Result<T, Gap> {
        if !self.may_enter() {
            return Err(Gap::new(expr, WhyKind::Limit));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn value_of(&mut self, expr: u32) -> Result<Datum<'a>, Gap> {
        Ok(match self.library.expr(expr) {
            ExprRef::Const(constant) => match constant {
                ConstRef::Null => Datum::Own(Value::Null),
                ConstRef::Bool(b) => Datum::Own(Value::Bool(b)),
                ConstRef::Number(n) => Datum::Own(Value::Number(n)),
                ConstRef::Str(s) => Datum::Text(s),
                ConstRef::Duration(d) => Datum::Duration(d),
                ConstRef::Timestamp(t) => Datum::Timestamp(t),
            },
            ExprRef::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items.iter() {
                    list.push(self.value(item)?);
                }
                Datum::List(list)
            }
            ExprRef::Root(root) => self.root(expr, root)?,
            ExprRef::Path {
                base,
                steps,
                coerce,
            } => self.path(expr, base, steps, coerce)?,
            ExprRef::Coalesce(a, b) => match self.value(a) {
                Err(gap) if gap.is_limit() => return Err(gap),
                Err(Gap::Undefined(_)) => self.value(b)?,
                Err(Gap::Partly { .. }) => return Err(Gap::Unknown),
                other => other?,
            },
            ExprRef::Add(a, b) => self.add(expr, a, b, false)?,
            ExprRef::Sub(a, b) => self.add(expr, a, b, true)?,
            ExprRef::Mul(a, b) => self.multiply(expr, a, b)?,
            ExprRef::Neg(a) => self.negate(expr, a)?,
            ExprRef::Call(function, args) => self.call(expr, function, args)?,
            ExprRef::Lookup(lookup, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args.iter() {
                    values.push(self.value(arg)?.into_value());
                }
                self.lookup(expr, lookup, values)?
            }
            ExprRef::Read { register, earlier } => self.read(expr, register, earlier)?,
            _ => match self.truth_of(expr) {
                Truth::True => Datum::Own(Value::Bool(true)),
                Truth::False => Datum::Own(Value::Bool(false)),
                Truth::Open(gap) => return Err(gap),
            },
        })
    }

    fn root(&mut self, expr: u32, root: Root) -> Result<Datum<'a>, Gap> {
        let frame = self.frame()?;
        let missing = WhyKind::Missing(0);
        Ok(match root {
            Root::Args => Datum::Ref(frame.args.ok_or(Gap::new(expr, missing))?),
            Root::Result => Datum::Ref(frame.result.get(expr, missing)?),
            Root::Text => Datum::Text(
                frame
                    .text
                    .filter(|_| matches!(frame.kind, FrameKind::Input | FrameKind::Output))
                    .ok_or(Gap::new(expr, missing))?,
            ),
            Root::Fields => Datum::Ref(frame.fields.ok_or(Gap::new(expr, missing))?),
            Root::Agent => Datum::Text(frame.agent.ok_or(Gap::new(expr, missing))?),
            Root::Server => Datum::Text(frame.server.ok_or(Gap::new(expr, missing))?),
            Root::Time => Datum::Timestamp(frame.time.get(expr, WhyKind::NoTime)?),
            Root::Turn => number(frame.turn.get(expr, missing)?),
            Root::Depth => number(frame.depth.get(expr, missing)?),
            Root::Tokens => number(frame.tokens.get(expr, missing)?),
            Root::Context => Datum::Own(Value::Record(self.context.clone())),
            Root::Key(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                match &self.key {
                    KeyView::Known(key) if n < key.len() => Datum::Key(key.clone(), n),
                    KeyView::Fresh | KeyView::Other => return Err(Gap::Unknown),
                    _ => return Err(Gap::new(expr, WhyKind::NoKey)),
                }
            }
            Root::Var(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                let index = self
                    .vars
                    .len()
                    .checked_sub(1)
                    .and_then(|l| l.checked_sub(n));
                index
                    .and_then(|i| self.vars.get(i))
                    .cloned()
                    .ok_or(Gap::new(expr, missing))?
            }
        })
    }

    fn path(
        &mut self,
        expr: u32,
        base: u32,
        steps: Steps<'a>,
        coerce: Coerce,
    ) -> Result<Datum<'a>, Gap> {
        if cfg!(feature = "narrowing")
            && self.symbolic
            && matches!(self.library.expr(base), ExprRef::Root(Root::Args))
            && self.frame()?.symbols.is_some()
        {
            return self.symbolic_path(expr, steps, coerce);
        }
        let (start, from) = self.start(expr, base, steps)?;
        self.walk(expr, start, steps, from, coerce)
    }

    /// Where a path starts: a value, and the first of the steps that lead on from it.
    fn start(&mut self, expr: u32, base: u32, steps: Steps<'a>) -> Result<(Datum<'a>, usize), Gap> {
        // Roots that records hang on are walked in place, without a copy.
        let start = match self.library.expr(base) {
            ExprRef::Root(Root::Context) => {
                let mut rest = steps.iter();
                let Some(StepRef::Field(name)) = rest.next() else {
                    return Err(Gap::new(expr, WhyKind::Missing(0)));
                };
                let value = self
                    .context
                    .get(name)
                    .ok_or(Gap::new(expr, WhyKind::Missing(1)))?;
                return Ok((Datum::Ref(value), 1));
            }
            ExprRef::Root(Root::Args) => match self.frame()?.args {
                // A call whose arguments are not an object has no fields.
                Some(value @ Value::Record(_)) => Datum::Ref(value),
                _ if steps.is_empty() => self.value(base)?,
                _ => return Err(Gap::new(expr, WhyKind::Missing(1))),
            },
            ExprRef::Root(Root::Result) if !steps.is_empty() => {
                let frame = self.frame()?;
                let result = frame.result.get(expr, WhyKind::Missing(0))?;
                match frame.structured(result, self.library.wanted(), &mut self.space.recycler) {
                    value @ (Value::Record(_) | Value::List(_)) => Datum::Ref(value),
                    _ if matches!(steps.get(0), Some(StepRef::Field(_))) => {
                        return Err(Gap::new(expr, WhyKind::Missing(1)));
                    }
                    value => Datum::Ref(value),
                }
            }
            _ => self.value(base)?,
        };
        Ok((start, 0))
    }

    /// Gives the ends of a path's branches one by one: what [`Evaluator::walk`] puts into a list where the path
    /// leads to several values.
    fn branches(
        &mut self,
        expr: u32,
        start: Datum<'a>,
        steps: Steps<'a>,
        from: usize,
        coerce: Coerce,
        give: &mut dyn FnMut(&mut Self, Datum<'a>),
    ) -> Result<(), Gap> {
        let first = (from..steps.len()).find(|n| matches!(steps.get(*n), Some(StepRef::All)));
        let Some(at) = first else {
            let end = self.walk(expr, start, steps, from, coerce)?;
            give(self, end);
            return Ok(());
        };
        let list = self.walk_to(expr, start, steps, (from, at), Coerce::None)?;
        if let Datum::Ref(Value::List(items)) = list {
            self.spend(items.len());
            for item in items {
                self.branch(expr, Datum::Ref(item), steps, at + 1, coerce, give)?;
            }
            return Ok(());
        }
        let items = list
            .into_items()
            .map_err(|found| wrong(expr, at, TypeName::List, found))?;
        self.spend(items.len());
        for item in items {
            self.branch(expr, item, steps, at + 1, coerce, give)?;
        }
        Ok(())
    }

    /// One element's part of [`Evaluator::branches`].
    fn branch(
        &mut self,
        expr: u32,
        item: Datum<'a>,
        steps: Steps<'a>,
        from: usize,
        coerce: Coerce,
        give: &mut dyn FnMut(&mut Self, Datum<'a>),
    ) -> Result<(), Gap> {
        match self.branches(expr, item, steps, from, coerce, give) {
            // Where it is left out nothing was given: what is undefined within it was left out there.
            Err(gap @ Gap::Undefined(_)) if self.lenient && !gap.is_limit() => Ok(()),
            other => other,
        }
    }

    /// Follows a path from its `from`-th step on.
    fn walk(
        &mut self,
        expr: u32,
        start: Datum<'a>,
        steps: Steps<'a>,
        from: usize,
        coerce: Coerce,
    ) -> Result<Datum<'a>, Gap> {
        self.walk_to(expr, start, steps, (from, steps.len()), coerce)
    }

    /// The same up to a step.
    fn walk_to(
        &mut self,
        expr: u32,
        start: Datum<'a>,
        steps: Steps<'a>,
        (from, to): (usize, usize),
        coerce: Coerce,
    ) -> Result<Datum<'a>, Gap> {
        let mut value = start;
        for n in from..to {
            let Some(step) = steps.get(n) else { break };
            let here = step_number(n);
            let missing = Gap::new(expr, WhyKind::Missing(here.saturating_add(1)));
            let wrong = |wanted, found| wrong(expr, n, wanted, found);
            value = match step {
                StepRef::Field(name) => field(value, name).map_err(|found| match found {
                    Some(found) => wrong(TypeName::Record, found),
                    None => missing,
                })?,
                StepRef::Index(index) => {
                    let index = usize::try_from(index).unwrap_or(usize::MAX);
                    element(value, index).map_err(|found| match found {
                        Some(found) => wrong(TypeName::List, found),
                        None => missing,
                    })?
                }
                StepRef::All => {
                    let items = value
                        .into_items()
                        .map_err(|found| wrong(TypeName::List, found))?;
                    self.spend(items.len());
                    let nested = steps.iter().skip(n + 1).any(|s| matches!(s, StepRef::All));
                    let mut list = Vec::with_capacity(items.len());
                    for item in items {
                        match self.walk(expr, item, steps, n + 1, coerce) {
                            Ok(Datum::List(inner)) if nested => list.extend(inner),
                            Ok(found) => list.push(found),
                            Err(gap @ Gap::Undefined(_)) if self.lenient && !gap.is_limit() => {}
                            Err(gap) => return Err(gap),
                        }
                    }
                    return Ok(Datum::List(list));
                }
            };
        }
        Ok(coerced(value, coerce))
    }

    fn quantify(&mut self, list: u32, body: u32, every: bool) -> Truth {
        match self.value(list) {
            Ok(Datum::Ref(Value::List(items))) => {
                self.spend(items.len());
                self.quantify_over(items.iter().map(Datum::Ref), body, every)
            }
            Ok(other) => match other.into_items() {
                Ok(items) => {
                    self.spend(items.len());
                    self.quantify_over(items.into_iter(), body, every)
                }
                Err(found) => Truth::Open(not_a(list, TypeName::List, found)),
            },
            Err(gap) => Truth::Open(gap),
        }
    }

    fn quantify_over(
        &mut self,
        items: impl Iterator<Item = Datum<'a>>,
        body: u32,
        every: bool,
    ) -> Truth {
        let mut whole = Truth::from(every);
        for item in items {
            self.vars.push(item);
            let one = self.truth(body);
            self.vars.pop();
            whole = if every { whole.and(one) } else { whole.or(one) };
            if whole == Truth::from(!every) {
                break;
            }
        }
        whole
    }

    fn lookup(&mut self, expr: u32, lookup: u32, args: Vec<Value>) -> Result<Datum<'a>, Gap> {
        let none = Gap::new(expr, WhyKind::NoAnswer);
        self.spend(self.space.lookups.len());
        let known = self
            .space
            .lookups
            .iter()
            .find(|(id, a, _)| *id == lookup && *a == args);
        if let Some((_, _, answer)) = known {
            return answer.clone().map(Datum::Own).ok_or(none);
        }
        let answer = self
            .host
            .lookup(self.library.lookup(lookup).name, &args)
            .filter(|answer| !answer.is_deeper_than(crate::json::MAX_DEPTH));
        self.space.lookups.push((lookup, args, answer.clone()));
        answer.map(Datum::Own).ok_or(none)
    }
}

/// A step's number in the reason for a gap.
fn step_number(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX - 1)
}

/// The gap where a step finds something else than it needs.
fn wrong(expr: u32, step: usize, wanted: TypeName, found: TypeName) -> Gap {
    let kind = WhyKind::NotA {
        steps: step_number(step),
        wanted,
        found,
    };
    Gap::new(expr, kind)
}

fn number<'a>(n: i64) -> Datum<'a> {
    Datum::Own(Value::Number(Decimal::from(n)))
}

pub(crate) fn not_a(expr: u32, wanted: TypeName, found: TypeName) -> Gap {
    Gap::new(
        expr,
        WhyKind::NotA {
            steps: u16::MAX,
            wanted,
            found,
        },
    )
}

/// A record's field; the error is the type of what is no record, or nothing for a missing field.
fn field<'a>(value: Datum<'a>, name: &str) -> Result<Datum<'a>, Option<TypeName>> {
    match value {
        Datum::Ref(Value::Record(record)) => record.get(name).map(Datum::Ref).ok_or(None),
        Datum::Own(Value::Record(mut record)) => record.remove(name).map(Datum::Own).ok_or(None),
        Datum::Key(key, n) => match key.get(n) {
            Some(Value::Record(record)) => record.get(name).cloned().map(Datum::Own).ok_or(None),
            other => Err(Some(
                other.map_or(TypeName::Null, |v| View::from(v).type_name()),
            )),
        },
        other => Err(Some(other.view().type_name())),
    }
}

/// A list's element; the error as in [`field`].
fn element<'a>(value: Datum<'a>, index: usize) -> Result<Datum<'a>, Option<TypeName>> {
    match value {
        Datum::Ref(Value::List(items)) => items.get(index).map(Datum::Ref).ok_or(None),
        other => other
            .into_items()
            .map_err(Some)?
            .into_iter()
            .nth(index)
            .ok_or(None),
    }
}

/// Reads a value as its field's declared type says; what cannot be read so stays as it is.
fn coerced(value: Datum<'_>, coerce: Coerce) -> Datum<'_> {
    let read = match (coerce, value.view()) {
        (Coerce::None, _) => None,
        (Coerce::Number, View::Str(s)) => Decimal::parse(s).map(|n| Datum::Own(Value::Number(n))),
        (Coerce::Timestamp, View::Str(s)) => crate::time::parse_rfc3339(s).map(Datum::Timestamp),
        (Coerce::Timestamp, View::Number(n)) => n.seconds_to_nanos().map(Datum::Timestamp),
        (Coerce::Duration, View::Str(s)) => crate::time::parse_duration(s).map(Datum::Duration),
        (Coerce::Duration, View::Number(n)) => n.seconds_to_nanos().map(Datum::Duration),
        _ => None,
    };
    read.unwrap_or(value)
}
