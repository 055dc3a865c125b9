//! One step of the gated view: what enforcement lets through (language reference, section 5).

use super::calls::CallState;
use super::quick::Haste;
use super::{EventError, Recorded, Session};
use crate::decision::{Decision, Verb};
use crate::eval::Host;
use crate::event::{Event, EventKind};

/// What the gate has done with an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Gated {
    /// The event's number.
    pub event: u64,
    /// The decision; [`Verb::Allow`] without objections for the return of a refused call.
    pub decision: Decision,
    /// Whether the event was recorded (for a repair: with its changed arguments).
    pub recorded: bool,
    /// Whether it was left out only because its call had been.
    pub left_out: bool,
    /// What came of it: contracts that have failed all the same.
    pub report: Recorded,
}

/// Proposes an event and then records it or leaves it out, as the decision says. Escalations count
/// as not approved; a redirected call is not made here. A host that asks somebody, or makes the
/// other call, proposes and commits by itself instead. A host whose refused calls never return
/// calls [`Session::forget_refused`] afterwards.
///
/// # Errors
/// Where the event cannot be taken; see [`EventError`].
pub fn gate(
    session: &mut Session<'_>,
    event: &Event<'_>,
    host: &mut dyn Host,
) -> Result<Gated, EventError> {
    if let Some(seq) = session.hasten(event, Haste::Gate) {
        return Ok(Gated {
            event: seq,
            decision: Decision::allow(),
            recorded: true,
            left_out: false,
            report: Recorded::clean(seq, false),
        });
    }
    closely(session, event, host)
}

/// [`gate()`] of an event that is not decided quickly.
#[inline(never)]
fn closely(
    session: &mut Session<'_>,
    event: &Event<'_>,
    host: &mut dyn Host,
) -> Result<Gated, EventError> {
    let mut subject = session.resolve(event)?;
    let answers_refused = subject
        .paired
        .as_ref()
        .is_some_and(|paired| paired.state == CallState::Skipped);
    if answers_refused {
        let report = session.skip(event, host)?;
        return Ok(Gated {
            event: report.event,
            decision: Decision::allow(),
            recorded: false,
            left_out: true,
            report,
        });
    }
    session.expire(event, host);
    if session.leap(event, &subject, true) {
        let report = session.land(event, &subject);
        return Ok(Gated {
            event: report.event,
            decision: Decision::allow(),
            recorded: true,
            left_out: false,
            report,
        });
    }
    subject.keep_error(event, &mut session.work.recycler);
    let frames = [subject.frame(event)];
    let (decision, mut assessments) = session.judge(event, &subject, &frames, host);
    if decision.verb != Verb::Allow {
        session.scratch.take(core::mem::take(&mut assessments));
    }
    let (recorded, report) = match decision.verb {
        // Nothing has changed since, so that what was judged need not be judged again.
        Verb::Allow => (
            true,
            session.write(event, &subject, &frames, Some(assessments), host),
        ),
        Verb::Warn => (true, session.commit(event, host)?),
        Verb::Repair => match (&decision.instead, event.kind) {
            (Some(instead), EventKind::Call { id, tool, .. }) => {
                let repaired = Event {
                    kind: EventKind::Call {
                        id,
                        tool,
                        args: &instead.args,
                    },
                    meta: event.meta,
                };
                (true, session.commit(&repaired, host)?)
            }
            _ => (false, session.skip(event, host)?),
        },
        Verb::Suppress | Verb::Block | Verb::Escalate | Verb::Redirect => {
            (false, session.skip(event, host)?)
        }
    };
    session.release(frames);
    subject.release(&mut session.work.recycler);
    Ok(Gated {
        event: report.event,
        decision,
        recorded,
        left_out: false,
        report,
    })
}
