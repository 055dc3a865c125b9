//! One step of the gated view: what enforcement lets through (language reference, section 5).

use alloc::vec::Vec;

use super::calls::CallState;
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
    let subject = session.resolve(event)?;
    let answers_refused = subject
        .paired
        .as_ref()
        .is_some_and(|paired| paired.state == CallState::Skipped);
    if answers_refused {
        let report = session.skip(event, host)?;
        return Ok(Gated {
            event: report.event,
            decision: Decision {
                verb: Verb::Allow,
                objections: Vec::new(),
                instead: None,
                free_at: None,
                repairs: None,
            },
            recorded: false,
            left_out: true,
            report,
        });
    }
    let frames = [subject.frame(event)];
    let (decision, assessments) = session.judge(event, &subject, &frames, host);
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
    Ok(Gated {
        event: report.event,
        decision,
        recorded,
        left_out: false,
        report,
    })
}
