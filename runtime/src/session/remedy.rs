//! Another call in place of a refused one: redirect and repair (language reference, section 5).

use alloc::string::ToString;
use alloc::vec::Vec;

use super::Session;
use super::plan::{asked, children};
use super::propose::Cause;
use super::resolve::imagined_own;
use crate::decision::{Decision, Instead, Objection, Verb};
use crate::eval::frame::Frame;
use crate::eval::{Evaluator, Host, KeyView};
use crate::event::{Event, EventKind, Meta};
use crate::format::model::{CompareOp, Root};
use crate::format::{ActionRef, ExprRef, StepRef, Steps};
use crate::value::{Record, Value};

/// How many changes of arguments are tried.
const MAX_CHANGES: usize = 64;
/// How many atoms of a state are searched for comparisons.
const MAX_ATOMS: usize = 64;

impl Session<'_> {
    /// The decision that objections come to. Where a redirected or repaired call does not hold, the
    /// contract blocks.
    pub(super) fn decide(
        &mut self,
        event: &Event<'_>,
        found: Vec<(Objection, Cause)>,
        host: &mut dyn Host,
    ) -> Decision {
        let (mut objections, causes): (Vec<Objection>, Vec<Cause>) = found.into_iter().unzip();
        let strictest = |objections: &[Objection]| {
            objections
                .iter()
                .map(|o| o.verb)
                .min()
                .unwrap_or(Verb::Allow)
        };
        let mut verb = strictest(&objections);
        let instead = match verb {
            Verb::Redirect => self.redirect(event, &objections, &causes, host),
            Verb::Repair => self.repair(event, &objections, &causes, host),
            _ => None,
        };
        if matches!(verb, Verb::Redirect | Verb::Repair) && instead.is_none() {
            for objection in &mut objections {
                if objection.verb == verb {
                    objection.verb = Verb::Block;
                }
            }
            verb = strictest(&objections);
        }
        Decision {
            verb,
            objections,
            instead,
        }
    }

    /// The first redirected call, where its arguments have values and nothing objects to it.
    fn redirect(
        &mut self,
        event: &Event<'_>,
        objections: &[Objection],
        causes: &[Cause],
        host: &mut dyn Host,
    ) -> Option<Instead> {
        let (objection, cause) = objections
            .iter()
            .zip(causes)
            .find(|(o, _)| o.verb == Verb::Redirect)?;
        let library = self.library;
        let ActionRef::Redirect { tool, args } = library.contract(objection.contract).action()
        else {
            return None;
        };
        let tool = library.tool(tool);
        let subject = self.resolve(event).ok()?;
        let mut record = Record::new();
        {
            let frames = [subject.frame(event)];
            let mut eval = Evaluator::new(
                library,
                &self.context,
                &self.registers,
                &frames,
                host,
                &mut self.lookups,
            );
            if let Some(key) = &cause.key {
                eval.key = KeyView::Known(key.clone());
            }
            for (name, expr) in args.iter() {
                let value = eval.value(expr).ok()?.into_value();
                record.insert(name, value);
            }
        }
        let args = Value::Record(record);
        let meta = Meta {
            server: tool.server,
            ..event.meta
        };
        self.complies(event, tool.name, &args, meta, host)
            .then(|| Instead {
                server: tool.server.map(ToString::to_string),
                tool: tool.name.to_string(),
                args,
            })
    }

    /// The one change of an argument that makes the call compliant.
    fn repair(
        &mut self,
        event: &Event<'_>,
        objections: &[Objection],
        causes: &[Cause],
        host: &mut dyn Host,
    ) -> Option<Instead> {
        let EventKind::Call { tool, args, .. } = event.kind else {
            return None;
        };
        let mut changed: Vec<Value> = Vec::new();
        for (objection, cause) in objections.iter().zip(causes) {
            if objection.verb == Verb::Repair {
                self.changes(event, objection.contract, cause, args, host, &mut changed)?;
            }
        }
        let mut compliant = changed
            .into_iter()
            .filter(|args| self.complies(event, tool, args, event.meta, host));
        let only = compliant.next()?;
        if compliant.next().is_some() {
            return None;
        }
        Some(Instead {
            server: event.meta.server.map(ToString::to_string),
            tool: tool.trim().to_string(),
            args: only,
        })
    }

    /// Whether nothing but warnings objects to a call.
    fn complies(
        &mut self,
        event: &Event<'_>,
        tool: &str,
        args: &Value,
        meta: Meta<'_>,
        host: &mut dyn Host,
    ) -> bool {
        let EventKind::Call { id, .. } = event.kind else {
            return false;
        };
        let call = Event {
            kind: EventKind::Call { id, tool, args },
            meta,
        };
        let Ok(subject) = self.resolve(&call) else {
            return false;
        };
        let frames = [subject.frame(&call)];
        self.objections(&call, &subject, &frames, host, false)
            .0
            .iter()
            .all(|(o, _)| o.verb >= Verb::Warn)
    }

    /// Arguments that differ from the call's in one value, taken from the comparisons of the
    /// contract's conditions. `None` where there are too many to try.
    fn changes(
        &mut self,
        event: &Event<'_>,
        contract: u32,
        cause: &Cause,
        args: &Value,
        host: &mut dyn Host,
        out: &mut Vec<Value>,
    ) -> Option<()> {
        let library = self.library;
        let (Some(label), Some(guarantee)) = (cause.label, library.contract(contract).guarantee())
        else {
            return Some(());
        };
        let subject = self.resolve(event).ok()?;
        let frames = [subject.frame(event)];
        let mut eval = Evaluator::new(
            library,
            &self.context,
            &self.registers,
            &frames,
            host,
            &mut self.lookups,
        );
        if let Some(key) = &cause.key {
            eval.key = KeyView::Known(key.clone());
        }
        let frame = frames.first()?;
        let own = imagined_own(frame);
        let mut open: Vec<u32> = asked(library.automaton(guarantee), label.guarantee, MAX_ATOMS)
            .into_iter()
            .map(|atom| library.atom(atom).expr)
            .collect();
        while let Some(expr) = open.pop() {
            let values: Vec<(Steps<'_>, Value)> = match library.expr(expr) {
                // A Boolean argument has one other value.
                ExprRef::Path { .. } => match argument(library, expr) {
                    Some(steps) => other_bool(args, steps).into_iter().collect(),
                    None => continue,
                },
                ExprRef::Compare(CompareOp::Ne, a, b) => [a, b]
                    .into_iter()
                    .filter_map(|field| other_bool(args, argument(library, field)?))
                    .collect(),
                ExprRef::Pattern(p) => {
                    let p = library.pattern(p);
                    // The call, or the success that it would have.
                    let fits = |f: &Frame<'_>| f.fits_kind(p.kind) && f.named_by(p);
                    if fits(frame) || fits(&own) {
                        open.extend(p.condition);
                    }
                    continue;
                }
                ExprRef::Compare(_, a, b) => {
                    let mut values = Vec::new();
                    for (field, bound) in [(a, b), (b, a)] {
                        if let Some(steps) = argument(library, field)
                            && let Ok(value) = eval.value(bound)
                        {
                            values.push((steps, value.into_value()));
                        }
                    }
                    values
                }
                ExprRef::In(a, b) => {
                    let Some(steps) = argument(library, a) else {
                        continue;
                    };
                    match eval.value(b).map(|list| list.into_value()) {
                        Ok(Value::List(items)) => {
                            items.into_iter().map(|item| (steps, item)).collect()
                        }
                        _ => continue,
                    }
                }
                other => {
                    children(other, |child| open.push(child));
                    continue;
                }
            };
            for (steps, value) in values {
                let mut copy = args.clone();
                let Some(place) = place(&mut copy, steps) else {
                    continue;
                };
                if *place == value {
                    continue;
                }
                *place = value;
                if !out.contains(&copy) {
                    if out.len() >= MAX_CHANGES {
                        return None;
                    }
                    out.push(copy);
                }
            }
        }
        Some(())
    }
}

/// The path of an expression that is a part of the call's arguments.
fn argument<'l>(library: &'l crate::format::Library<'_>, expr: u32) -> Option<Steps<'l>> {
    match library.expr(expr) {
        ExprRef::Path { base, steps, .. } => {
            matches!(library.expr(base), ExprRef::Root(Root::Args)).then_some(steps)
        }
        _ => None,
    }
}

/// The other value of an argument that is Boolean.
fn other_bool<'l>(args: &Value, steps: Steps<'l>) -> Option<(Steps<'l>, Value)> {
    let mut copy = args.clone();
    match place(&mut copy, steps)? {
        Value::Bool(b) => Some((steps, Value::Bool(!*b))),
        _ => None,
    }
}

/// The place of an argument that is there; lists as a whole are no single value.
fn place<'v>(args: &'v mut Value, steps: Steps<'_>) -> Option<&'v mut Value> {
    if steps.is_empty() {
        return None;
    }
    let mut at = args;
    for step in steps.iter() {
        at = match (step, at) {
            (StepRef::Field(name), Value::Record(record)) => record.get_mut(name)?,
            (StepRef::Index(n), Value::List(items)) => items.get_mut(usize::try_from(n).ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}
