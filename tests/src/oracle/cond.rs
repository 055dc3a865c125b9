//! Conditions, event patterns and aggregates: their text and their three-valued meaning.

use super::model::{Event, Kind, Status};
use serde_json::Value;
use std::cell::Cell;

/// Where a field is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// As the pattern's verb says.
    Bare,
    /// In the arguments.
    Args,
    /// In the result.
    Result,
}

/// A field of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Where.
    pub scope: Scope,
    /// Its name.
    pub name: String,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Equal.
    Eq,
    /// Unequal.
    Ne,
    /// Below.
    Lt,
    /// Below or equal.
    Le,
    /// Above.
    Gt,
    /// Above or equal.
    Ge,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A field.
    Field(Field),
    /// A literal.
    Lit(Value),
    /// A fact of the session.
    Ctx(String),
    /// A field, or a literal where it is missing.
    Default(Field, Value),
    /// An aggregate.
    Agg(Box<Agg>),
    /// An aggregate that a `let` of the contract names.
    Let(String, Box<Agg>),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// A comparison.
    Cmp(Operand, Op, Operand),
    /// `has(field)`.
    Has(Field),
    /// A boolean field that stands alone.
    Truth(Field),
    /// `text matches /.../` with a plain text.
    Text(String),
    /// `field in values(...)`.
    In(Field, Agg),
    /// Conjunction.
    And(Box<Cond>, Box<Cond>),
    /// Disjunction.
    Or(Box<Cond>, Box<Cond>),
    /// Negation.
    Not(Box<Cond>),
}

/// The verb of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `call`.
    Call,
    /// `return`: any status.
    Return,
    /// `success`.
    Success,
    /// `failure`.
    Failure,
    /// `unknown`.
    Unknown,
    /// `input`.
    Input,
    /// `output`.
    Output,
    /// A declared event.
    Declared(String),
}

/// The tools of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tools {
    /// These.
    Named(Vec<String>),
    /// Every tool.
    Any,
    /// Every tool but these.
    AnyExcept(Vec<String>),
}

/// An event pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Its verb.
    pub verb: Verb,
    /// Its tools; without meaning for messages and declared events.
    pub tools: Tools,
    /// Its conditions, joined by `and`.
    pub conds: Vec<Cond>,
    /// The field that binds the contract's key, if it binds it.
    pub key: Option<Field>,
}

/// The function of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fun {
    /// How many.
    Count,
    /// Length of the current run.
    Streak,
    /// Sum.
    Sum,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Latest value.
    Latest,
    /// First value.
    First,
    /// Set of all values.
    Values,
}

/// An aggregate over the session so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Agg {
    /// Its function.
    pub fun: Fun,
    /// Which events it remembers.
    pub pattern: Pattern,
    /// Whether the present event is left out.
    pub earlier: bool,
    /// What it remembers of them.
    pub expr: Option<Field>,
}

/// The name of the key variable in generated contracts.
pub const KEY: &str = "kk";

/// A point of a session at which conditions are evaluated.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// All events of the session that are recorded.
    pub events: &'a [Event],
    /// The present event.
    pub at: usize,
    /// The instance's key.
    pub key: Option<&'a Value>,
    /// Set where the language reference leaves the value open.
    pub open: &'a Cell<bool>,
}

impl<'a> Moment<'a> {
    fn event(&self) -> &'a Event {
        &self.events[self.at]
    }
}

/// Kleene's negation.
#[must_use]
pub fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

/// Kleene's conjunction.
#[must_use]
pub fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Kleene's disjunction.
#[must_use]
pub fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}

impl Field {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        match self.scope {
            Scope::Bare => self.name.clone(),
            Scope::Args => format!("args.{}", self.name),
            Scope::Result => format!("result.{}", self.name),
        }
    }

    /// Its value in an event, if it has one.
    #[must_use]
    pub fn value(&self, event: &Event) -> Option<Value> {
        let record = match (self.scope, &event.kind) {
            (Scope::Args, _) | (Scope::Bare, Kind::Call) => &event.args,
            (Scope::Result, _) | (Scope::Bare, Kind::Return) => event.result.as_ref()?,
            (Scope::Bare, _) => &event.fields,
        };
        record.as_object()?.get(&self.name).cloned()
    }
}

impl Op {
    fn text(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    fn holds(self, a: &Value, b: &Value) -> Option<bool> {
        match self {
            Self::Eq => Some(a == b),
            Self::Ne => Some(a != b),
            _ => {
                // Numbers, or strings by code point; nothing else has an order.
                let order = match (a.as_str(), b.as_str()) {
                    (Some(a), Some(b)) => a.cmp(b),
                    _ => a.as_i64()?.cmp(&b.as_i64()?),
                };
                Some(match self {
                    Self::Lt => order.is_lt(),
                    Self::Le => order.is_le(),
                    Self::Gt => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
        }
    }
}

impl Operand {
    fn text(&self) -> String {
        match self {
            Self::Field(field) => field.text(),
            Self::Lit(value) => value.to_string(),
            Self::Ctx(name) => format!("ctx.{name}"),
            Self::Default(field, value) => format!("({} ?? {value})", field.text()),
            Self::Agg(agg) => agg.text(),
            Self::Let(name, _) => name.clone(),
        }
    }

    fn value(&self, m: Moment<'_>) -> Option<Value> {
        match self {
            Self::Field(field) => field.value(m.event()),
            Self::Lit(value) => Some(value.clone()),
            Self::Ctx(name) => m.event().ctx.get(name).cloned(),
            Self::Default(field, value) => {
                Some(field.value(m.event()).unwrap_or_else(|| value.clone()))
            }
            Self::Agg(agg) | Self::Let(_, agg) => agg.value(m),
        }
    }
}

impl Cond {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        let side = |c: &Self| match c {
            Self::And(..) | Self::Or(..) => format!("({})", c.text()),
            _ => c.text(),
        };
        match self {
            Self::Cmp(a, op, b) => format!("{} {} {}", a.text(), op.text(), b.text()),
            Self::Has(field) => format!("has({})", field.text()),
            Self::Truth(field) => field.text(),
            Self::Text(text) => format!("text matches /{text}/"),
            Self::In(field, agg) => format!("{} in {}", field.text(), agg.text()),
            Self::And(a, b) => format!("{} and {}", side(a), side(b)),
            Self::Or(a, b) => format!("{} or {}", side(a), side(b)),
            Self::Not(a) => format!("not ({})", a.text()),
        }
    }

    /// Its three-valued truth at a moment.
    #[must_use]
    pub fn holds(&self, m: Moment<'_>) -> Option<bool> {
        match self {
            Self::Cmp(a, op, b) => op.holds(&a.value(m)?, &b.value(m)?),
            Self::Has(field) => {
                let value = field.value(m.event());
                // Whether a field has a value that is null: readers may differ.
                m.open.set(m.open.get() || value == Some(Value::Null));
                Some(value.is_some())
            }
            Self::Truth(field) => field.value(m.event())?.as_bool(),
            Self::Text(text) => m.event().text.as_ref().map(|t| t.contains(text)),
            Self::In(field, agg) => {
                let set = agg.value(m)?;
                let value = field.value(m.event())?;
                Some(set.as_array()?.contains(&value))
            }
            Self::And(a, b) => and(a.holds(m), b.holds(m)),
            Self::Or(a, b) => or(a.holds(m), b.holds(m)),
            Self::Not(a) => not(a.holds(m)),
        }
    }
}

impl Verb {
    /// The kind of event that it names.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Call => Kind::Call,
            Self::Return | Self::Success | Self::Failure | Self::Unknown => Kind::Return,
            Self::Input => Kind::Input,
            Self::Output => Kind::Output,
            Self::Declared(name) => Kind::Declared(name.clone()),
        }
    }

    fn word(&self) -> &str {
        match self {
            Self::Call => "call",
            Self::Return => "return",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Unknown => "unknown",
            Self::Input => "input",
            Self::Output => "output",
            Self::Declared(name) => name,
        }
    }
}

impl Pattern {
    /// A pattern without conditions.
    #[must_use]
    pub fn new(verb: Verb, tools: Tools) -> Self {
        Self {
            verb,
            tools,
            conds: Vec::new(),
            key: None,
        }
    }

    /// A pattern of one tool.
    #[must_use]
    pub fn of(verb: Verb, tool: &str) -> Self {
        Self::new(verb, Tools::Named(vec![tool.to_owned()]))
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.verb.word().to_owned();
        if matches!(self.verb.kind(), Kind::Call | Kind::Return) {
            text.push(' ');
            text.push_str(&match &self.tools {
                Tools::Named(names) => names.join(" | "),
                Tools::Any => "any".to_owned(),
                Tools::AnyExcept(names) => format!("any except {}", names.join(" | ")),
            });
        }
        let mut conds: Vec<String> = Vec::new();
        if let Some(field) = &self.key {
            conds.push(format!("{} == {KEY}", field.text()));
        }
        conds.extend(self.conds.iter().map(Cond::text));
        if !conds.is_empty() {
            text = format!("{text}({})", conds.join(", "));
        }
        text
    }

    /// Whether an event is of its kind and one of its tools.
    #[must_use]
    pub fn names(&self, event: &Event) -> bool {
        let tool = || match &self.tools {
            Tools::Named(names) => names.contains(&event.tool),
            Tools::Any => true,
            Tools::AnyExcept(names) => !names.contains(&event.tool),
        };
        self.verb.kind() == event.kind
            && (!matches!(event.kind, Kind::Call | Kind::Return) || tool())
    }

    /// Whether it is such an event, at a moment.
    #[must_use]
    pub fn holds(&self, m: Moment<'_>) -> Option<bool> {
        let event = m.event();
        let status = match self.verb {
            Verb::Success => Some(Status::Success),
            Verb::Failure => Some(Status::Failure),
            Verb::Unknown => Some(Status::Unknown),
            _ => event.status,
        };
        if !self.names(event) || status != event.status {
            return Some(false);
        }
        let mut all = Some(true);
        if let Some(field) = &self.key {
            let bound = field.value(event).map(|v| Some(&v) == m.key);
            all = and(all, bound);
        }
        for cond in &self.conds {
            all = and(all, cond.holds(m));
        }
        all
    }
}

impl Agg {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        let name = match self.fun {
            Fun::Count => "count",
            Fun::Streak => "streak",
            Fun::Sum => "sum",
            Fun::Min => "min",
            Fun::Max => "max",
            Fun::Latest => "latest",
            Fun::First => "first",
            Fun::Values => "values",
        };
        let earlier = if self.earlier { "earlier " } else { "" };
        let expr = self
            .expr
            .as_ref()
            .map(|e| format!(", {}", e.text()))
            .unwrap_or_default();
        format!("{name}({earlier}{}{expr})", self.pattern.text())
    }

    /// Its value at a moment; undefined while it is undefined whether some event belongs to it.
    #[must_use]
    pub fn value(&self, m: Moment<'_>) -> Option<Value> {
        let last = if self.earlier { m.at } else { m.at + 1 };
        let mut members = Vec::new();
        let mut unsure = false;
        let mut run = 0_i64;
        for at in 0..last {
            let event = &m.events[at];
            match self.pattern.holds(Moment { at, ..m }) {
                Some(true) => {
                    members.push(event);
                    run += 1;
                }
                Some(false) if event.kind == self.pattern.verb.kind() => run = 0,
                Some(false) => {}
                None => unsure = true,
            }
        }
        if unsure {
            // The latest value may be seen as settled again by a later member, and a run by a
            // later event that breaks it.
            if matches!(self.fun, Fun::Latest | Fun::First | Fun::Streak) {
                m.open.set(true);
            }
            return None;
        }
        let of = |event: &Event| self.expr.as_ref().and_then(|e| e.value(event));
        match self.fun {
            Fun::Count => Some(Value::from(members.len())),
            Fun::Streak => Some(Value::from(run)),
            Fun::Latest => members.last().and_then(|e| of(e)),
            Fun::First => members.first().and_then(|e| of(e)),
            Fun::Values => Some(Value::from(
                members.iter().filter_map(|e| of(e)).collect::<Vec<_>>(),
            )),
            Fun::Sum | Fun::Min | Fun::Max => {
                let numbers: Option<Vec<i64>> = members
                    .iter()
                    .map(|e| of(e).and_then(|v| v.as_i64()))
                    .collect();
                let numbers = numbers?;
                match self.fun {
                    Fun::Sum => Some(Value::from(numbers.iter().sum::<i64>())),
                    _ if numbers.is_empty() => {
                        m.open.set(true);
                        None
                    }
                    Fun::Min => numbers.iter().min().map(|v| Value::from(*v)),
                    _ => numbers.iter().max().map(|v| Value::from(*v)),
                }
            }
        }
    }
}
