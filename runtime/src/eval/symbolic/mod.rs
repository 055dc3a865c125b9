//! Conditions on a call whose arguments are not known yet.
//!
//! The gate runs as always; only where a condition depends on an argument, an assumption about it takes
//! the value's place ([`Symbols`]). A run that needs an assumption that was not made says which
//! one, and is then repeated for each of its outcomes: true, false and undefined, or the values that
//! a contract's key can have. What comes out is a tree of assumptions with the gate's own answers at its
//! leaves, so that nothing here has to know how the gate decides.

mod compare;
mod leaf;
mod shapes;
mod triple;
mod values;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::datum::{Datum, Gap, Truth, WhyKind};
use super::{Evaluator, KeyView, coerced};
use crate::decimal::Decimal;
use crate::decision::Verb;
use crate::format::model::{Coerce, Function, Root};
use crate::format::{ExprRef, StepRef, Steps};
use crate::order::Set;
use crate::session::narrow::Why;
use crate::session::narrow::shape::{Shape, Step};
use crate::session::plan::children;
use crate::value::{Record, Value};
use triple::nothing;
pub(crate) use triple::{Part, Triple};

/// Where a value stands: in the arguments, or in an element of a list under a quantifier.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    /// 0: the arguments; else one more than the number of variables around the quantifier.
    base: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) coerce: Coerce,
}

/// A condition that a run needs an assumption about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Literal {
    pub(crate) triple: Triple,
    /// For conditions without shapes: which one it is (expression and event).
    opaque: Option<(u32, usize)>,
    /// Why it has no shapes, or not all.
    pub(crate) why: Option<Why>,
    /// For people.
    pub(crate) expr: u32,
}

impl Literal {
    fn same(&self, other: &Self) -> bool {
        self.opaque == other.opaque
            && self.triple.yes == other.triple.yes
            && self.triple.no == other.triple.no
    }
}

/// The three outcomes of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Yes,
    No,
    Undefined,
}

/// What is assumed of the value at a place that binds a contract's key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Held {
    /// It is this one.
    Value(Value),
    /// There is none.
    Missing,
    /// It is none that the session knows.
    Fresh,
}

/// An assumption.
#[derive(Clone, Debug)]
pub(crate) enum Fact {
    Is(Literal, Outcome),
    Holds(Place, Held),
}

/// What a run could not go on without.
#[derive(Clone, Debug)]
pub(crate) enum Need {
    Literal(Box<Literal>),
    /// The value at a place, for a key; or for a lookup (then also values that other keys have had).
    Value(Place, u32, bool),
    /// It needs a value that no assumption can stand for.
    Stuck(Why, u32),
}

/// The assumptions of a run, and what comes of it.
#[derive(Debug)]
pub(crate) struct Symbols {
    pub(crate) contract: u32,
    pub(crate) facts: Vec<Fact>,
    /// The one argument that is open; none: all are.
    pub(crate) free: Option<Vec<Step>>,
    /// Arguments that the tool's own schema allows no texts for.
    pub(crate) textless: Set<Vec<Step>>,
    need: RefCell<Option<Need>>,
    verb: RefCell<Verb>,
}

impl Symbols {
    pub(crate) fn new(contract: u32, free: Option<Vec<Step>>, textless: Set<Vec<Step>>) -> Self {
        Self {
            contract,
            facts: Vec::new(),
            free,
            textless,
            need: RefCell::new(None),
            verb: RefCell::new(Verb::Allow),
        }
    }

    pub(crate) const fn contract(&self) -> u32 {
        self.contract
    }

    /// Before a run.
    pub(crate) fn reset(&self) {
        *self.need.borrow_mut() = None;
        *self.verb.borrow_mut() = Verb::Allow;
    }

    /// After a run: what it needed, or the strictest of what was objected.
    pub(crate) fn outcome(&self) -> Result<Verb, Need> {
        match self.need.borrow().clone() {
            Some(need) => Err(need),
            None => Ok(*self.verb.borrow()),
        }
    }

    /// Notes an objection.
    pub(crate) fn object(&self, verb: Verb) {
        let mut strictest = self.verb.borrow_mut();
        *strictest = verb.min(*strictest);
    }

    fn is_over(&self) -> bool {
        self.need.borrow().is_some()
    }

    fn ask(&self, need: Need) {
        self.need.borrow_mut().get_or_insert(need);
    }

    fn decide(&self, literal: Literal) -> Option<Outcome> {
        let known = self.facts.iter().find_map(|fact| match fact {
            Fact::Is(other, outcome) if other.same(&literal) => Some(*outcome),
            _ => None,
        });
        if known.is_none() {
            self.ask(Need::Literal(Box::new(literal)));
        }
        known
    }

    fn held(&self, place: &Place) -> Option<(usize, &Held)> {
        self.facts
            .iter()
            .enumerate()
            .find_map(|(n, fact)| match fact {
                Fact::Holds(other, held) if other == place => Some((n, held)),
                _ => None,
            })
    }

    /// The value that stands for one that the session does not know.
    fn stand_in(n: usize) -> Value {
        let mut record = Record::new();
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        record.insert(ARGUMENT, Value::from(n));
        Value::Record(record)
    }

    /// The place that a stand-in stands for.
    fn stands_for(&self, value: &Value) -> Option<Place> {
        let n = mark(value, ARGUMENT)?;
        match self.facts.get(n) {
            Some(Fact::Holds(place, Held::Fresh)) => Some(place.clone()),
            _ => None,
        }
    }
}

/// Names of fields that no argument has: stand-ins never meet values that do not come from here.
const ARGUMENT: &str = "\u{0}argument";
const ITEM: &str = "\u{0}item";

fn mark(value: &Value, name: &str) -> Option<usize> {
    let Value::Record(record) = value else {
        return None;
    };
    match record.fields() {
        [(field, Value::Number(n))] if field == name => usize::try_from(n.to_i64()?).ok(),
        _ => None,
    }
}

/// Why a condition cannot be told in shapes.
enum Stuck {
    /// An assumption is missing.
    Over,
    /// There is no shape.
    Opaque(Why),
}

/// An expression's value with arguments left open.
enum Sym<'a> {
    Value(Result<Datum<'a>, Gap>),
    Arg(Place),
    /// `times * argument + plus`; undefined where the argument is no number.
    Linear(Place, Decimal, Decimal),
    Apply(Function, Place),
    /// A part of each element of a list.
    Each(Place, Vec<Step>),
}

enum Leaf {
    Known(Truth),
    Test(Place, Triple, Option<Why>),
}

type Sought<T> = Result<T, Stuck>;

impl<'a> Evaluator<'a, '_> {
    fn symbols(&self) -> Option<&'a Symbols> {
        self.frames.first()?.symbols
    }

    fn open_at(&self, at: usize) -> bool {
        self.frames.get(at).is_some_and(|f| f.symbols.is_some())
    }

    /// The truth of a condition that depends on open arguments; `None` where it is to be evaluated
    /// as always.
    pub(super) fn symbolic_truth(&mut self, expr: u32) -> Option<Truth> {
        let symbols = self.symbols()?;
        match self.library.expr(expr) {
            ExprRef::Not(_)
            | ExprRef::And(_)
            | ExprRef::Or(_)
            | ExprRef::Iff(..)
            | ExprRef::Pattern(_) => return None,
            ExprRef::Every(list, _) | ExprRef::Some(list, _) if !self.depends(list) => return None,
            _ => {}
        }
        let unknown = Truth::Open(Gap::Unknown);
        if symbols.is_over() {
            return Some(unknown);
        }
        if !self.depends(expr) {
            return None;
        }
        let found = self.leaf(expr);
        Some(self.settle(expr, found))
    }

    fn settle(&mut self, expr: u32, found: Sought<Leaf>) -> Truth {
        let unknown = Truth::Open(Gap::Unknown);
        let Some(symbols) = self.symbols() else {
            return unknown;
        };
        let (triple, opaque, why) = match found {
            Ok(Leaf::Known(truth)) => return truth,
            Ok(Leaf::Test(place, triple, why)) if place.base == 0 => (triple, None, why),
            Ok(Leaf::Test(..)) => (nothing(), Some((expr, self.at)), Some(Why::Elements)),
            Err(Stuck::Opaque(why)) => (nothing(), Some((expr, self.at)), Some(why)),
            Err(Stuck::Over) => return unknown,
        };
        if symbols.is_over() {
            return unknown;
        }
        let literal = Literal {
            triple,
            opaque,
            why,
            expr,
        };
        match symbols.decide(literal) {
            Some(Outcome::Yes) => Truth::True,
            Some(Outcome::No) => Truth::False,
            Some(Outcome::Undefined) => Truth::Open(Gap::new(expr, WhyKind::Missing(0))),
            None => unknown,
        }
    }

    /// The value of an argument where nothing but a value will do.
    pub(super) fn symbolic_path(
        &mut self,
        expr: u32,
        steps: Steps<'a>,
        coerce: Coerce,
    ) -> Result<Datum<'a>, Gap> {
        let Some(symbols) = self.symbols() else {
            return Err(Gap::Unknown);
        };
        let Some(place) = place(0, &[], steps, coerce) else {
            symbols.ask(Need::Stuck(Why::Elements, expr));
            return Err(Gap::Unknown);
        };
        match self.argument(expr, place) {
            Ok(Sym::Value(value)) => value,
            Ok(Sym::Arg(place)) => {
                if let Some((n, Held::Fresh)) = symbols.held(&place) {
                    return Ok(Datum::Own(Symbols::stand_in(n)));
                }
                symbols.ask(Need::Value(place, expr, false));
                Err(Gap::Unknown)
            }
            Ok(_) => Err(Gap::Unknown),
            Err(Stuck::Opaque(why)) => {
                symbols.ask(Need::Stuck(why, expr));
                Err(Gap::Unknown)
            }
            Err(Stuck::Over) => Err(Gap::Unknown),
        }
    }

    /// Whether an expression's value could depend on open arguments, patterns in it aside.
    fn depends(&self, expr: u32) -> bool {
        match self.library.expr(expr) {
            ExprRef::Root(Root::Args) => self.open_at(self.at),
            ExprRef::Root(Root::Key(n)) => self.key_place(n).is_some(),
            ExprRef::Root(Root::Var(n)) => self.item(n).is_some(),
            ExprRef::Read { register, earlier } => {
                let value = self.library.register(register).value;
                value.is_some_and(|v| self.speaks_of_arguments(v))
                    && self.layers(earlier).any(|at| self.open_at(at))
            }
            ExprRef::Mentioned { value, earlier, .. } => {
                self.depends(value) || self.layers(earlier).any(|at| self.open_at(at))
            }
            ExprRef::Pattern(_) | ExprRef::Fresh { .. } | ExprRef::Const(_) => false,
            other => {
                let mut any = false;
                children(other, |child| any = any || self.depends(child));
                any
            }
        }
    }

    fn speaks_of_arguments(&self, expr: u32) -> bool {
        match self.library.expr(expr) {
            ExprRef::Root(Root::Args | Root::Key(_)) => true,
            other => {
                let mut any = false;
                children(other, |child| any = any || self.speaks_of_arguments(child));
                any
            }
        }
    }

    fn key_place(&self, n: u32) -> Option<Place> {
        let KeyView::Known(key) = &self.key else {
            return None;
        };
        let value = key.get(usize::try_from(n).ok()?)?;
        self.symbols()?.stands_for(value)
    }

    fn item(&self, n: u32) -> Option<Place> {
        let n = usize::try_from(n).ok()?;
        let at = self.vars.len().checked_sub(1)?.checked_sub(n)?;
        let base = match self.vars.get(at)? {
            Datum::Own(value) => mark(value, ITEM)?,
            _ => return None,
        };
        Some(Place {
            base,
            steps: Vec::new(),
            coerce: Coerce::None,
        })
    }

    /// An argument: its value where it is assumed or not open.
    fn argument(&mut self, expr: u32, place: Place) -> Sought<Sym<'a>> {
        let Some(symbols) = self.symbols() else {
            return Err(Stuck::Over);
        };
        if place.base != 0 {
            return Ok(Sym::Arg(place));
        }
        if let Some(free) = &symbols.free
            && !place.steps.starts_with(free)
        {
            if free.starts_with(&place.steps) {
                return Err(Stuck::Opaque(Why::Whole));
            }
            let missing = Gap::new(expr, WhyKind::Missing(0));
            let args = self.frames.first().and_then(|f| f.args);
            let value = match args {
                Some(args @ Value::Record(_)) => walk(args, &place.steps),
                _ => None,
            };
            let value = value.map(|v| coerced(Datum::Ref(v), place.coerce));
            return Ok(Sym::Value(value.ok_or(missing)));
        }
        Ok(match symbols.held(&place) {
            Some((_, Held::Value(value))) => {
                Sym::Value(Ok(coerced(Datum::Own(value.clone()), place.coerce)))
            }
            Some((_, Held::Missing)) => Sym::Value(Err(Gap::new(expr, WhyKind::Missing(1)))),
            _ => Sym::Arg(place),
        })
    }

    /// Asks for the value of an argument, for a lookup: the host can be asked about values that are known.
    fn ask_value(&mut self, expr: u32, place: Place) -> Stuck {
        let Some(symbols) = self.symbols() else {
            return Stuck::Over;
        };
        if place.base != 0 || symbols.held(&place).is_some() {
            return Stuck::Opaque(Why::Lookup);
        }
        symbols.ask(Need::Value(place, expr, true));
        Stuck::Over
    }

    /// Whether an argument is there, by an assumption.
    fn is_there(&mut self, expr: u32, place: &Place) -> Sought<bool> {
        let there = Shape::at(&place.steps, Shape::Any);
        let triple = Triple {
            yes: Part::exact(there.clone()),
            no: Part::exact(there.not()),
            undefined: Part::exact(Shape::Never),
        };
        if place.base != 0 {
            return Err(Stuck::Opaque(Why::Elements));
        }
        let found = Ok(Leaf::Test(place.clone(), triple, None));
        match self.settle(expr, found) {
            Truth::True => Ok(true),
            Truth::False => Ok(false),
            Truth::Open(Gap::Undefined(_)) => Ok(false),
            Truth::Open(_) => Err(Stuck::Over),
        }
    }
}

fn undefined(expr: u32) -> Truth {
    Truth::Open(Gap::new(expr, WhyKind::Missing(0)))
}

/// The place at the end of a path; `None` for projections.
fn place(base: usize, from: &[Step], steps: Steps<'_>, coerce: Coerce) -> Option<Place> {
    let mut all = from.to_vec();
    for step in steps.iter() {
        all.push(match step {
            StepRef::Field(name) => Step::Field(name.into()),
            StepRef::Index(n) => Step::Index(n),
            StepRef::All => return None,
        });
    }
    Some(Place {
        base,
        steps: all,
        coerce,
    })
}

/// The value at the end of a path.
pub(crate) fn walk<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Index(n) => value.at(usize::try_from(*n).ok()?),
    })
}
