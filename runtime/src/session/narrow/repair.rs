//! Repair: the one change of an argument's value that makes a call compliant, proven to be the only one
//! (Symbolic Constraint Agents, 2026).
//!
//! One argument at a time is left open, the others keep their values, and the accepted values are those of
//! the narrowed schema. A repair is unique where over all arguments that the objecting contracts speak
//! of exactly one value is accepted, and no accepted value could have been left out. Keys are not
//! changed: another order is another matter.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::shape::{BOOL, NULL, NUMBER, Shape, Step, and, kind};
use super::{declared, render};
use crate::decimal::Decimal;
use crate::decision::{Instead, Objection, Repairs, Verb};
use crate::eval::Host;
use crate::eval::frame::Frame;
use crate::eval::symbolic::walk;
use crate::event::{Event, EventKind};
use crate::format::model::Root;
use crate::format::{ExprRef, StepRef, Steps};
use crate::session::Session;
use crate::session::plan::{children, collect};
use crate::session::resolve::imagined_own;
use crate::value::Value;

/// How many arguments are looked at.
const MAX_PLACES: usize = 16;
/// How many values of one argument are listed.
const MAX_VALUES: usize = 64;

impl Session<'_> {
    /// The only compliant change of one argument, and how many there are.
    pub(crate) fn repaired(
        &mut self,
        event: &Event<'_>,
        objections: &[Objection],
        host: &mut dyn Host,
    ) -> (Option<Instead>, Repairs) {
        let mut repairs = Repairs {
            found: 0,
            unbounded: false,
            complete: true,
        };
        let EventKind::Call { id, tool, args } = event.kind else {
            return (None, repairs);
        };
        let Ok(subject) = self.resolve(event) else {
            return (None, repairs);
        };
        let mut places: Vec<Vec<Step>> = Vec::new();
        for objection in objections.iter().filter(|o| o.verb == Verb::Repair) {
            self.places(event, objection.contract, args, &mut places);
        }
        for key in self.key_places(&subject.frame(event)) {
            places.retain(|place| {
                // An argument that a key is a part of could be changed and leave the key as it is.
                repairs.complete &= place.len() >= key.len() || !key.starts_with(place);
                !place.starts_with(&key) && !key.starts_with(place)
            });
        }
        if places.len() > MAX_PLACES {
            places.truncate(MAX_PLACES);
            repairs.complete = false;
        }
        let input = declared::input(self.library, event.meta.server, tool);
        let textless = input.as_ref().map(declared::textless).unwrap_or_default();
        let mut changed: Vec<Value> = Vec::new();
        for steps in &places {
            let accepted = self.accept(event, &subject, Some(steps), &textless, host);
            repairs.complete &= accepted.incomplete.is_empty();
            let own = input.as_ref().map(|input| declared::shape(input, steps));
            let whole = input
                .as_ref()
                .is_some_and(|input| declared::is_whole(input, steps));
            let shape = and(Vec::from([
                project(&accepted.shape, steps),
                own.unwrap_or(Shape::Any),
            ]));
            let Some(values) = finite(&shape, whole) else {
                repairs.unbounded = true;
                continue;
            };
            for value in values {
                if walk(args, steps) == Some(&value) {
                    continue;
                }
                let mut copy = args.clone();
                let Some(place) = place(&mut copy, steps) else {
                    continue;
                };
                *place = value;
                let call = Event {
                    kind: EventKind::Call {
                        id,
                        tool,
                        args: &copy,
                    },
                    meta: event.meta,
                };
                if !changed.contains(&copy) && self.is_accepted(&call, host) {
                    changed.push(copy);
                }
            }
        }
        repairs.found = u32::try_from(changed.len()).unwrap_or(u32::MAX);
        let unique = repairs.is_unique();
        let instead = changed.pop().filter(|_| unique).map(|args| Instead {
            server: event.meta.server.map(ToString::to_string),
            tool: tool.trim().to_string(),
            args,
        });
        (instead, repairs)
    }

    /// The arguments of a call, or of its success, that are keys of some contract or aggregate.
    fn key_places(&self, frame: &Frame<'_>) -> Vec<Vec<Step>> {
        let library = self.library;
        let own = imagined_own(frame);
        let mut out = Vec::new();
        for pattern in (0..library.pattern_count()).map(|n| library.pattern(n)) {
            if !frame.named_by(pattern) && !own.named_by(pattern) {
                continue;
            }
            for key in pattern.keys.iter() {
                if let ExprRef::Path { base, steps, .. } = library.expr(key)
                    && matches!(library.expr(base), ExprRef::Root(Root::Args))
                    && let Some(steps) = plain(steps)
                    && !out.contains(&steps)
                {
                    out.push(steps);
                }
            }
        }
        out
    }

    /// The arguments that a contract's conditions on the call, or on its success, speak of, and that the call
    /// has.
    fn places(&mut self, event: &Event<'_>, contract: u32, args: &Value, out: &mut Vec<Vec<Step>>) {
        let library = self.library;
        let Ok(subject) = self.resolve(event) else {
            return;
        };
        let frame = subject.frame(event);
        let own = imagined_own(&frame);
        let Some(guarantee) = library.contract(contract).guarantee() else {
            return;
        };
        let guarantee = library.automaton(guarantee);
        let mut atoms: Vec<u32> = (0..guarantee.node_count())
            .map(|node| guarantee.node(node).atom)
            .collect();
        crate::order::sort(&mut atoms);
        atoms.dedup();
        let mut patterns = Vec::new();
        let mut registers = Vec::new();
        let mut open = Vec::new();
        for atom in atoms {
            collect(
                library,
                library.atom(atom).expr,
                &mut patterns,
                &mut registers,
            );
        }
        let mut seen = 0;
        while let Some(register) = registers.get(seen).copied() {
            seen += 1;
            let r = library.register(register);
            let mut more = Vec::new();
            collect(library, r.member, &mut patterns, &mut more);
            open.extend(r.value);
            registers.extend(more.into_iter().filter(|m| *m < register));
            registers.dedup();
        }
        for pattern in patterns {
            let p = library.pattern(pattern);
            if frame.named_by(p) || own.named_by(p) {
                open.extend(p.condition);
            }
        }
        while let Some(expr) = open.pop() {
            let ExprRef::Path { base, steps, .. } = library.expr(expr) else {
                children(library.expr(expr), |child| open.push(child));
                continue;
            };
            if !matches!(library.expr(base), ExprRef::Root(Root::Args)) {
                open.push(base);
                continue;
            }
            if let Some(steps) = plain(steps)
                && !steps.is_empty()
                && walk(args, &steps).is_some()
                && !out.contains(&steps)
            {
                out.push(steps);
            }
        }
    }
}

/// A path without projections.
fn plain(steps: Steps<'_>) -> Option<Vec<Step>> {
    steps
        .iter()
        .map(|step| match step {
            StepRef::Field(name) => Some(Step::Field(name.into())),
            StepRef::Index(n) => Some(Step::Index(n)),
            StepRef::All => None,
        })
        .collect()
}

/// What a shape of the arguments asks of the value at a path that is there.
fn project(shape: &Shape, steps: &[Step]) -> Shape {
    match (shape, steps) {
        (_, []) => shape.clone(),
        (Shape::Not(inner), _) => project(inner, steps).not(),
        (Shape::All(parts), _) => and(parts.iter().map(|p| project(p, steps)).collect()),
        (Shape::One(parts), _) => {
            super::shape::or(parts.iter().map(|p| project(p, steps)).collect())
        }
        (Shape::Field(name, inner), [Step::Field(first), rest @ ..]) if name == first => {
            project(inner, rest)
        }
        (Shape::Index(n, inner), [Step::Index(first), rest @ ..]) if n == first => {
            project(inner, rest)
        }
        // Of the other arguments nothing is asked: they are what they are.
        _ => shape.clone(),
    }
}

/// All values of a shape, where these are few; `whole` where only whole numbers are meant.
fn finite(shape: &Shape, whole: bool) -> Option<Vec<Value>> {
    let found = match shape {
        Shape::Never => Vec::new(),
        Shape::Enum(values) => values.clone(),
        Shape::Kind(kinds) if kinds & !(NULL | BOOL) == 0 => {
            let mut all = Vec::new();
            if kinds & NULL != 0 {
                all.push(Value::Null);
            }
            if kinds & BOOL != 0 {
                all.extend([Value::Bool(false), Value::Bool(true)]);
            }
            all
        }
        Shape::One(parts) => {
            let mut all: Vec<Value> = Vec::new();
            for part in parts {
                for value in finite(part, whole)? {
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
            }
            all
        }
        Shape::All(parts) => {
            let mut all = parts
                .iter()
                .find_map(|part| finite(part, whole))
                .or_else(|| interval(parts).filter(|_| whole))?;
            all.retain(|value| shape.has(value) != Some(false));
            all
        }
        _ => return None,
    };
    (found.len() <= MAX_VALUES).then_some(found)
}

/// The whole numbers between two bounds.
fn interval(parts: &[Shape]) -> Option<Vec<Value>> {
    let least = parts.iter().find_map(|part| match part {
        Shape::Least(n, _) => Some(*n),
        _ => None,
    })?;
    let most = parts.iter().find_map(|part| match part {
        Shape::Most(n, _) => Some(*n),
        _ => None,
    })?;
    // Towards zero; one further down is where to start.
    let mut start = least.coefficient();
    if least.exponent() < -38 || least.exponent() > 18 {
        return None;
    }
    for _ in least.exponent()..0 {
        start /= 10;
    }
    for _ in 0..least.exponent() {
        start = start.checked_mul(10)?;
    }
    let mut out = Vec::new();
    let mut n = start.checked_sub(1)?;
    loop {
        let value = Decimal::new(n, 0)?;
        if value > most {
            return Some(out);
        }
        out.push(Value::Number(value));
        if out.len() > MAX_VALUES + 2 {
            return None;
        }
        n = n.checked_add(1)?;
    }
}

/// The place of an argument that is there.
fn place<'v>(args: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(args, |at, step| match (step, at) {
        (Step::Field(name), Value::Record(record)) => record.get_mut(name),
        (Step::Index(n), Value::List(items)) => items.get_mut(usize::try_from(*n).ok()?),
        _ => None,
    })
}

impl Shape {
    /// The types of a JSON Schema's `type`.
    pub(crate) fn named(name: &str) -> Self {
        match render::NAMES.iter().find(|(_, known)| *known == name) {
            Some((bit, _)) => kind(*bit),
            None if name == "integer" => kind(NUMBER),
            None => Self::Any,
        }
    }
}
