//! Another call in place of a refused one: redirect and repair (language reference, section 5).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Session;
use super::propose::Cause;
use crate::decision::{Decision, Instead, Objection, Repairs, Verb};
use crate::eval::{Evaluator, Host, KeyView};
use crate::event::{Event, EventKind, Meta};
use crate::format::ActionRef;
use crate::value::{Record, Value};

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
        let (instead, repairs) = match verb {
            Verb::Redirect => (self.redirect(event, &objections, &causes, host), None),
            Verb::Repair => {
                let (instead, repairs) = self.repaired(event, &objections, host);
                (instead, Some(repairs))
            }
            _ => (None, None),
        };
        if matches!(verb, Verb::Redirect | Verb::Repair) && instead.is_none() {
            for objection in &mut objections {
                if objection.verb == verb {
                    objection.verb = Verb::Block;
                    if let (None, Some(repairs)) = (&objection.detail, repairs) {
                        objection.detail = Some(how_many(repairs));
                    }
                }
            }
            verb = strictest(&objections);
        }
        let free_at = match verb < Verb::Warn && event.meta.time.is_some() {
            true => self.free_at(event, &objections, host),
            false => None,
        };
        Decision {
            verb,
            objections,
            instead,
            free_at,
            repairs,
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
                &mut self.work,
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

    /// Whether nothing but warnings objects to a call.
    pub(crate) fn is_accepted(&mut self, call: &Event<'_>, host: &mut dyn Host) -> bool {
        let Ok(subject) = self.resolve(call) else {
            return false;
        };
        let frames = [subject.frame(call)];
        let (found, assessments) = self.objections(call, &subject, &frames, host, false);
        self.scratch.take(assessments);
        found.iter().all(|(o, _)| o.verb >= Verb::Warn)
    }

    /// Without the search for repairs none is known, and a contract that asks for one blocks.
    #[cfg(not(feature = "narrowing"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    fn repaired(
        &mut self,
        _: &Event<'_>,
        _: &[Objection],
        _: &mut dyn Host,
    ) -> (Option<Instead>, Repairs) {
        let none = Repairs {
            found: 0,
            unbounded: false,
            complete: false,
        };
        (None, none)
    }

    /// The same of a call in place of another.
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
        self.is_accepted(&call, host)
    }
}

/// Why a call is not repaired.
fn how_many(repairs: Repairs) -> String {
    let Repairs {
        found,
        unbounded,
        complete,
    } = repairs;
    match (found, unbounded, complete) {
        (_, true, _) => "many changes of an argument would make the call compliant".to_string(),
        (0, false, true) => "no change of one argument makes the call compliant".to_string(),
        (0, false, false) => {
            "no change of one argument is known to make the call compliant".to_string()
        }
        (1, false, _) => {
            "a change of one argument makes the call compliant, but there may be others".to_string()
        }
        (n, false, _) => format!("{n} changes of one argument make the call compliant"),
    }
}
