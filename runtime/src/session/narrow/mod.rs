//! A tool's JSON Schema narrowed to the calls that the contracts accept now.
//!
//! Each contract that the call could concern is asked by itself: the gate judges a call whose arguments are
//! open ([`Symbols`]), once for every combination of assumptions that it turns out to need. The
//! accepted combinations are the contract's shape; the call is accepted where every contract accepts it.
//! Where an assumption has no equal in JSON Schema the calls that need it are left out, and
//! [`Narrowed::incomplete`] says so: the schema never accepts what the session refuses.

pub(crate) mod declared;
pub(crate) mod render;
mod repair;
pub(crate) mod shape;
pub(crate) mod witness;

use alloc::string::String;
use alloc::vec::Vec;

use super::plan::collect;
use super::resolve::{Subject, imagined, imagined_own};
use super::{EventError, Session};
use crate::decision::Verb;
use crate::eval::datum::View;
use crate::eval::frame::Frame;
use crate::eval::symbolic::{Fact, Held, Literal, Need, Outcome, Part, Place, Symbols};
use crate::eval::words::Words;
use crate::eval::{Evaluator, Host};
use crate::event::{Event, EventKind, Meta};
use crate::format::model::Coerce;
use crate::format::{ExprRef, KindClass, PatternRef};
use crate::order::Set;
use crate::session::assess::Monitor;
use crate::value::{Record, Value};
use shape::{ALL_KINDS, RECORD, STR, Shape, Step, and, kind, or};

/// How often the gate is asked for one contract.
const MAX_RUNS: usize = 4096;
/// How many assumptions one combination has.
const MAX_FACTS: usize = 48;
/// How many values of keys are told apart.
const MAX_KEYS: usize = 256;
/// The largest shape that becomes a schema, in parts.
const MAX_PARTS: usize = 20_000;

/// Why some accepted calls are left out of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// Arithmetic that is not linear in one argument, or whose bound is not exact.
    Arithmetic,
    /// Two arguments are compared with each other.
    TwoArguments,
    /// A condition on the text of an argument that is not the argument itself: a function of it, or the
    /// canonical text of a value.
    Text,
    /// Texts are ordered.
    TextOrder,
    /// A regular expression without an equal in ECMA 262.
    Regex,
    /// Numbers that are given as texts.
    NumbersAsText,
    /// Paths with `.`, `..` or empty components.
    Paths,
    /// Times and durations.
    Times,
    /// A lookup is asked about an argument.
    Lookup,
    /// Whether a text was mentioned before.
    Mentioned,
    /// An aggregate remembers an argument of this call.
    Remembered,
    /// A condition on the elements of a list that cannot be told for each element alone.
    Elements,
    /// The arguments as a whole.
    Whole,
    /// More values of a key are known than a schema lists.
    Keys,
    /// The schema would be too large.
    TooLarge,
    /// Something else.
    Other,
}

impl Why {
    /// The name in reports: `two_arguments`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::TwoArguments => "two_arguments",
            Self::Text => "text",
            Self::TextOrder => "text_order",
            Self::Regex => "regex",
            Self::NumbersAsText => "numbers_as_text",
            Self::Paths => "paths",
            Self::Times => "times",
            Self::Lookup => "lookup",
            Self::Mentioned => "mentioned",
            Self::Remembered => "remembered",
            Self::Elements => "elements",
            Self::Whole => "whole_arguments",
            Self::Keys => "keys",
            Self::TooLarge => "too_large",
            Self::Other => "other",
        }
    }
}

/// Calls that the session may accept and the narrowed schema does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// Index of the contract in the library.
    pub contract: u32,
    /// The condition that the schema cannot say, as a policy would write it.
    pub condition: String,
    /// Why.
    pub why: Why,
}

/// A tool's schema as the contracts narrow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowed {
    /// A JSON Schema (draft 2020-12) of the call's arguments: the tool's own, where the library knows it,
    /// with what the contracts accept now. `false` where no call is accepted.
    pub schema: Value,
    /// What is left out; empty where the schema accepts every call that the session accepts (and the
    /// tool's own schema).
    pub incomplete: Vec<Incomplete>,
    /// The contracts that accept no call at all now, as far as shapes can tell.
    pub forbidding: Vec<u32>,
}

/// What a search knows of one contract.
struct Search<'s, 'e> {
    subject: &'s Subject,
    event: &'s Event<'e>,
    symbols: Symbols,
    keys: Keys,
    runs: usize,
}

/// The values that a contract's keys have had.
#[derive(Default)]
struct Keys {
    values: Vec<Value>,
    /// Values that keys of other contracts have had, as many as there is room for.
    others: Vec<Value>,
    /// There are more.
    more: bool,
    /// One key is bound by different arguments: two new values of it may be the same.
    entangled: bool,
}

impl Keys {
    fn add(&mut self, value: &Value) {
        if self.values.contains(value) {
            return;
        }
        if self.values.len() >= MAX_KEYS {
            self.more = true;
        } else {
            self.values.push(value.clone());
        }
    }
}

/// The accepted arguments under some assumptions.
#[derive(Clone)]
struct Found {
    shape: Shape,
    /// What is left out: the expression, and why.
    notes: Vec<(u32, Why)>,
}

impl Found {
    fn cut(expr: u32, why: Why) -> Self {
        Self {
            shape: Shape::Never,
            notes: Vec::from([(expr, why)]),
        }
    }
}

/// One outcome of an assumption.
struct Branch {
    part: Part,
    fact: Fact,
    expr: u32,
    why: Option<Why>,
}

/// The arguments that all contracts accept.
pub(crate) struct Accepted {
    pub(crate) shape: Shape,
    pub(crate) incomplete: Vec<Incomplete>,
    pub(crate) forbidding: Vec<u32>,
}

impl Session<'_> {
    /// A tool's JSON Schema narrowed to what the contracts accept now.
    ///
    /// `meta` is what the host would record with the call (its time decides windows, its agent and server
    /// which contracts look), `host` answers lookups that do not depend on the arguments. Nothing is changed
    /// but the clock, as by [`Session::propose`].
    ///
    /// A call whose arguments the schema accepts is allowed, or warned about, by [`Session::propose`] at
    /// this point of the session, provided that the session reads its numbers exactly (at most 38
    /// digits, and where the contract does arithmetic at most 18 before and after the point). The
    /// reverse holds where [`Narrowed::incomplete`] is empty.
    ///
    /// ```
    /// # use ctr_runtime::doc::{library, Value};
    /// use ctr_runtime::event::Meta;
    /// use ctr_runtime::session::Session;
    ///
    /// // guarantee call pay only if amount <= 100
    /// let library = library();
    /// let mut session = Session::new(&library);
    /// let narrowed = session.schema("pay", &Meta::default(), &mut ())?;
    /// assert_eq!(
    ///     narrowed.schema.to_string(),
    ///     r#"{"properties":{"amount":{"maximum":100,"type":"number"}},"required":["amount"],"type":"object"}"#
    /// );
    /// assert!(narrowed.incomplete.is_empty());
    /// # Ok::<(), ctr_runtime::session::EventError>(())
    /// ```
    ///
    /// # Errors
    /// Where a call could not be taken at all; see [`EventError`].
    pub fn schema(
        &mut self,
        tool: &str,
        meta: &Meta<'_>,
        host: &mut dyn Host,
    ) -> Result<Narrowed, EventError> {
        let input = declared::input(self.library, meta.server, tool);
        let accepted = self.accepted(tool, meta, input.as_ref(), host)?;
        let shape = and(Vec::from([kind(RECORD), accepted.shape]));
        let schema = match (input, shape) {
            (_, Shape::Never) => Value::Bool(false),
            (Some(input), Shape::Kind(_)) => input,
            (Some(input), shape) => declared::merged(input, render::schema(&shape)),
            (None, shape) => render::schema(&shape),
        };
        Ok(Narrowed {
            schema,
            incomplete: accepted.incomplete,
            forbidding: accepted.forbidding,
        })
    }

    /// What all contracts accept of a call of a tool.
    pub(crate) fn accepted(
        &mut self,
        tool: &str,
        meta: &Meta<'_>,
        input: Option<&Value>,
        host: &mut dyn Host,
    ) -> Result<Accepted, EventError> {
        let args = Value::Record(Record::new());
        let event = Event {
            kind: EventKind::Call {
                id: None,
                tool,
                args: &args,
            },
            meta: *meta,
        };
        let subject = self.resolve(&event)?;
        self.expire(&event, host);
        self.work.forget_lookups();
        self.lookups_for = None;
        let textless = input.map(declared::textless).unwrap_or_default();
        let accepted = self.accept(&event, &subject, None, &textless, host);
        self.work.forget_lookups();
        Ok(accepted)
    }

    /// The same once the event is resolved; `free` is the one open argument, or all are.
    fn accept(
        &mut self,
        event: &Event<'_>,
        subject: &Subject,
        free: Option<&[Step]>,
        textless: &Set<Vec<Step>>,
        host: &mut dyn Host,
    ) -> Accepted {
        let mut accepted = Accepted {
            shape: Shape::Any,
            incomplete: Vec::new(),
            forbidding: Vec::new(),
        };
        let mut shapes = Vec::new();
        let mut closed = false;
        for contract in self.could_concern(&subject.frame(event), subject) {
            let keys = self.keys(contract, subject, event, host);
            let mut search = Search {
                subject,
                event,
                symbols: Symbols::new(contract, free.map(<[Step]>::to_vec), textless.clone()),
                keys,
                runs: 0,
            };
            let found = search.explore(self, host, &Shape::Any);
            if found.shape == Shape::Never {
                accepted.forbidding.push(contract);
                closed |= found.notes.is_empty();
            }
            let words = Words::new(self.library, Some(contract));
            for (expr, why) in found.notes {
                let condition = match expr {
                    u32::MAX => String::new(),
                    expr => words.expr(expr),
                };
                let note = Incomplete {
                    contract,
                    condition,
                    why,
                };
                if !accepted.incomplete.contains(&note) {
                    accepted.incomplete.push(note);
                }
            }
            shapes.push(found.shape);
        }
        accepted.shape = and(shapes);
        if closed {
            // Whatever the others leave out is refused all the same.
            accepted.incomplete.clear();
        }
        accepted
    }

    /// The contracts that a call of a tool, or what is imagined after it, could concern.
    fn could_concern(&self, frame: &Frame<'_>, subject: &Subject) -> Vec<u32> {
        let tools = frame.tools.map_or(&[][..], |fit| &fit.all);
        let library = self.library;
        let mut contracts = Vec::new();
        self.concerned(frame, subject, &mut contracts);
        contracts.extend(library.dispatch(KindClass::Return, tools).contracts());
        contracts.extend(self.restless.iter().copied());
        for (_, call, _) in self.calls.in_flight() {
            let tools = &self.plan.steps.fit(call.fit).tools.all;
            let returns = library.dispatch(KindClass::Return, tools);
            contracts.extend(returns.contracts());
        }
        crate::order::sort(&mut contracts);
        contracts.dedup();
        contracts
    }

    /// The values that the keys of a contract have had, in the session or in calls in flight.
    fn keys(
        &mut self,
        contract: u32,
        subject: &Subject,
        event: &Event<'_>,
        host: &mut dyn Host,
    ) -> Keys {
        let library = self.library;
        let c = library.contract(contract);
        let mut keys = Keys::default();
        if c.key_count() == 0 {
            keys.others = self.other_keys(contract, &keys.values);
            return keys;
        }
        let state = usize::try_from(contract)
            .ok()
            .and_then(|n| self.contracts.get(n));
        if let Some(state) = state
            && let Monitor::Many(groups) = &state.monitor
        {
            for instance in 1..u32::try_from(groups.len()).unwrap_or(u32::MAX) {
                groups.get(instance).key.iter().for_each(|v| keys.add(v));
                if keys.more {
                    break;
                }
            }
        }
        // Its patterns, and its registers with theirs.
        let mut patterns: Vec<u32> = c.patterns().iter().collect();
        let mut registers: Vec<u32> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for automaton in [c.assume(), c.guarantee()].into_iter().flatten() {
            let automaton = library.automaton(automaton);
            let atoms: Set<u32> = (0..automaton.node_count())
                .map(|node| automaton.node(node).atom)
                .collect();
            open.extend(atoms.into_iter().map(|atom| library.atom(atom).expr));
        }
        for deadline in c.deadlines() {
            let d = library.deadline(deadline);
            open.extend([d.trigger, d.response]);
        }
        while let Some(expr) = open.pop() {
            let mut more = Vec::new();
            collect(library, expr, &mut patterns, &mut more);
            for register in more {
                if !registers.contains(&register) {
                    registers.push(register);
                    let r = library.register(register);
                    open.push(r.member);
                    open.extend(r.value);
                }
            }
        }
        for register in &registers {
            if library.register(*register).keys == 0 {
                continue;
            }
            for key in self.registers.keys(*register) {
                key.iter().for_each(|v| keys.add(v));
                if keys.more {
                    break;
                }
            }
        }
        crate::order::sort(&mut patterns);
        patterns.dedup();
        patterns.retain(|p| !library.pattern(*p).keys.is_empty());
        let frame = subject.frame(event);
        let own = imagined_own(&frame);
        let time = frame.time;
        let mut bound: Vec<Vec<u32>> = Vec::new();
        for pattern in &patterns {
            let p = library.pattern(*pattern);
            if !frame.named_by(p) && !own.named_by(p) {
                continue;
            }
            for (n, expr) in p.keys.iter().enumerate() {
                if bound.len() <= n {
                    bound.resize(n + 1, Vec::new());
                }
                if let Some(exprs) = bound.get_mut(n)
                    && !exprs.contains(&expr)
                {
                    exprs.push(expr);
                }
            }
        }
        let argument = |expr: &u32| match library.expr(*expr) {
            ExprRef::Path { base, steps, .. } => match library.expr(base) {
                ExprRef::Root(root) => Some((root, steps.iter().collect::<Vec<_>>())),
                _ => None,
            },
            _ => None,
        };
        keys.entangled = bound.iter().any(|exprs| {
            let first = exprs.first().and_then(argument);
            exprs
                .iter()
                .any(|expr| argument(expr) != first || first.is_none())
        });
        let calls: Vec<_> = self
            .calls
            .in_flight()
            .map(|(seq, call, _)| (seq, call.clone()))
            .collect();
        for (seq, call) in &calls {
            let frames = [imagined(&self.plan, *seq, call, time)];
            let mut eval = Evaluator::new(
                library,
                &self.context,
                &self.registers,
                &frames,
                host,
                &mut self.work,
            );
            for pattern in &patterns {
                let p: PatternRef<'_> = library.pattern(*pattern);
                let named = frames.first().is_some_and(|f| f.named_by(p));
                if named && let Ok(key) = eval.bound_key(p.keys) {
                    key.iter().for_each(|v| keys.add(v));
                }
            }
        }
        keys.others = self.other_keys(contract, &keys.values);
        keys
    }

    /// Values that keys of other contracts have had: what a host can be asked about.
    fn other_keys(&self, contract: u32, known: &[Value]) -> Vec<Value> {
        let mut others: Vec<Value> = Vec::new();
        for (id, state) in (0_u32..).zip(&self.contracts) {
            let Monitor::Many(groups) = &state.monitor else {
                continue;
            };
            if id == contract {
                continue;
            }
            for instance in 1..u32::try_from(groups.len()).unwrap_or(u32::MAX) {
                for value in groups.get(instance).key.iter() {
                    if known.len() + others.len() >= MAX_KEYS {
                        return others;
                    }
                    if !known.contains(value) && !others.contains(value) {
                        others.push(value.clone());
                    }
                }
            }
        }
        others
    }
}

impl Search<'_, '_> {
    /// The accepted arguments under the assumptions made so far, of which `known` is the shape.
    fn explore(&mut self, session: &mut Session<'_>, host: &mut dyn Host, known: &Shape) -> Found {
        self.runs += 1;
        if self.runs > MAX_RUNS || self.symbols.facts.len() > MAX_FACTS {
            return Found::cut(u32::MAX, Why::TooLarge);
        }
        self.symbols.reset();
        let frames = [Frame {
            symbols: Some(&self.symbols),
            ..self.subject.frame(self.event)
        }];
        let (_, assessments) = session.objections(self.event, self.subject, &frames, host, false);
        session.scratch.take(assessments);
        let need = match self.symbols.outcome() {
            Ok(verb) => {
                return Found {
                    shape: match verb >= Verb::Warn {
                        true => Shape::Any,
                        false => Shape::Never,
                    },
                    notes: Vec::new(),
                };
            }
            Err(need) => need,
        };
        let branches = match need {
            Need::Stuck(why, expr) => return Found::cut(expr, why),
            Need::Literal(literal) => outcomes(&literal),
            Need::Value(place, expr, wide) => match self.values(place, expr, wide) {
                Some(branches) => branches,
                None => return Found::cut(expr, Why::Times),
            },
        };
        let mut found: Vec<(Branch, Found)> = Vec::with_capacity(branches.len());
        for branch in branches {
            // A part of a case says nothing of the rest of it.
            let inner = match branch.part.exact {
                true => and(Vec::from([known.clone(), branch.part.shape.clone()])),
                false => known.clone(),
            };
            // Nothing is there to be accepted or refused.
            if inner == Shape::Never {
                continue;
            }
            self.symbols.facts.push(branch.fact.clone());
            let one = self.explore(session, host, &inner);
            self.symbols.facts.pop();
            found.push((branch, one));
        }
        join(found)
    }

    /// The values that a key can have.
    fn values(&self, place: Place, expr: u32, wide: bool) -> Option<Vec<Branch>> {
        let coerced = match place.coerce {
            Coerce::None => false,
            Coerce::Number => !self.symbols.textless.contains(&place.steps),
            Coerce::Timestamp | Coerce::Duration => return None,
        };
        let reads_as_number = |v: &Value| {
            place.coerce == Coerce::Number
                && matches!(v, Value::Str(text) if crate::decimal::Decimal::parse(text).is_some())
        };
        let is_number = |v: &Value| matches!(View::from(v), View::Number(_));
        let others = self.keys.others.iter().filter(|_| wide);
        let values: Vec<&Value> = self
            .keys
            .values
            .iter()
            .chain(others)
            .filter(|v| !reads_as_number(v))
            .collect();
        let mut branches: Vec<Branch> = values
            .iter()
            .map(|v| {
                let inexact = coerced && is_number(v);
                Branch {
                    part: Part {
                        shape: Shape::at(&place.steps, Shape::one((*v).clone())),
                        exact: !inexact,
                    },
                    fact: Fact::Holds(place.clone(), Held::Value((*v).clone())),
                    expr,
                    why: inexact.then_some(Why::NumbersAsText),
                }
            })
            .collect();
        branches.push(Branch {
            part: Part {
                shape: Shape::at(&place.steps, Shape::Any).not(),
                exact: true,
            },
            fact: Fact::Holds(place.clone(), Held::Missing),
            expr,
            why: None,
        });
        let other_is_new = self.symbols.facts.iter().any(
            |fact| matches!(fact, Fact::Holds(other, Held::Fresh) if other.steps != place.steps),
        );
        let (shape, why) = if self.keys.more {
            (Shape::Never, Some(Why::Keys))
        } else if self.keys.entangled && other_is_new {
            (Shape::Never, Some(Why::TwoArguments))
        } else {
            let new = match values.is_empty() {
                true => Shape::Any,
                false => Shape::Enum(values.iter().map(|v| (*v).clone()).collect()).not(),
            };
            // A text could be one of the known numbers.
            match coerced && values.iter().any(|v| is_number(v)) {
                true => (
                    Shape::at(&place.steps, and(Vec::from([new, kind(ALL_KINDS & !STR)]))),
                    Some(Why::NumbersAsText),
                ),
                false => (Shape::at(&place.steps, new), None),
            }
        };
        branches.push(Branch {
            part: Part {
                shape,
                exact: why.is_none(),
            },
            fact: Fact::Holds(place, Held::Fresh),
            expr,
            why,
        });
        Some(branches)
    }
}

fn outcomes(literal: &Literal) -> Vec<Branch> {
    [
        (Outcome::Yes, literal.triple.yes.clone()),
        (Outcome::No, literal.triple.no.clone()),
        (Outcome::Undefined, literal.triple.undefined.clone()),
    ]
    .into_iter()
    .map(|(outcome, part)| Branch {
        part,
        expr: literal.expr,
        why: literal.why,
        fact: Fact::Is(literal.clone(), outcome),
    })
    .collect()
}

/// What is accepted over all outcomes of an assumption.
fn join(found: Vec<(Branch, Found)>) -> Found {
    let mut notes: Vec<(u32, Why)> = Vec::new();
    let note = |notes: &mut Vec<(u32, Why)>, one: (u32, Why)| {
        if !notes.contains(&one) {
            notes.push(one);
        }
    };
    for (_, one) in &found {
        one.notes.iter().for_each(|n| note(&mut notes, *n));
    }
    // Where it makes no difference it is none.
    let Some((_, first)) = found.first() else {
        return Found {
            shape: Shape::Never,
            notes,
        };
    };
    if found.iter().all(|(_, one)| one.shape == first.shape) {
        return Found {
            shape: first.shape.clone(),
            notes,
        };
    }
    let mut groups: Vec<(Shape, Vec<Shape>)> = Vec::new();
    for (branch, one) in found {
        if one.shape == Shape::Never {
            continue;
        }
        if !branch.part.exact {
            note(&mut notes, (branch.expr, branch.why.unwrap_or(Why::Other)));
        }
        match groups.iter_mut().find(|(shape, _)| *shape == one.shape) {
            Some((_, parts)) => parts.push(branch.part.shape),
            None => groups.push((one.shape, Vec::from([branch.part.shape]))),
        }
    }
    let shape = or(groups
        .into_iter()
        .map(|(shape, parts)| and(Vec::from([or(parts), shape])))
        .collect());
    if shape.size() > MAX_PARTS {
        note(&mut notes, (u32::MAX, Why::TooLarge));
        return Found {
            shape: Shape::Never,
            notes,
        };
    }
    Found { shape, notes }
}
