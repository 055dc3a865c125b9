//! One point of a session: a schema, and what the session says of many calls.

use ctr_runtime::decision::Verb;
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::session::{Extent, Narrowed, Session};
use ctr_runtime::value::Value;

pub use crate::live::{Owners, artifact, attempt, context, event, feed, load, value};

/// What was found over many calls.
#[derive(Debug, Default)]
pub struct Tally {
    /// Calls that both accept.
    pub accepted: usize,
    /// Calls that both refuse.
    pub refused: usize,
    /// Calls that the schema leaves out, and says so.
    pub left_out: usize,
    /// Schemas without anything left out.
    pub complete: usize,
    /// Schemas.
    pub schemas: usize,
    /// Tools whose extent was not decided.
    pub unknown: usize,
}

/// Compares a tool's schema with the session's answers.
pub fn compare(
    session: &mut Session<'_>,
    tool: &str,
    meta: &Meta<'_>,
    calls: &[(serde_json::Value, Value)],
    about: &dyn Fn() -> String,
    tally: &mut Tally,
) -> Narrowed {
    let narrowed = session.schema(tool, meta, &mut Owners).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&narrowed.schema.to_string()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let allowed = session.allowed_tool(None, tool, meta, &mut Owners).unwrap();
    let complete = narrowed.incomplete.is_empty();
    tally.schemas += 1;
    tally.complete += usize::from(complete);
    tally.unknown += usize::from(allowed.extent == Extent::Unknown);
    for (plain, args) in calls {
        let event = Event {
            kind: EventKind::Call {
                id: None,
                tool,
                args,
            },
            meta: *meta,
        };
        let decision = session.propose(&event, &mut Owners).unwrap();
        let proceeds = decision.verb >= Verb::Warn;
        let accepts = validator.is_valid(plain);
        let told = || {
            format!(
                "{tool}({plain}): schema {accepts}, session {decision:?}\n{schema}\n{:?}\n{}",
                narrowed.incomplete,
                about()
            )
        };
        assert!(
            proceeds || !accepts,
            "the schema accepts too much: {}",
            told()
        );
        // Schemas speak of arguments that are objects.
        if complete && plain.is_object() {
            assert!(
                !proceeds || accepts,
                "the schema accepts too little: {}",
                told()
            );
        }
        match allowed.extent {
            Extent::All => assert!(
                proceeds || !plain.is_object(),
                "not with any arguments: {}",
                told()
            ),
            Extent::No => assert!(!proceeds, "with some arguments: {}", told()),
            Extent::Some | Extent::Unknown => {}
        }
        match (accepts, proceeds) {
            (true, _) => tally.accepted += 1,
            (false, true) => tally.left_out += 1,
            (false, false) => tally.refused += 1,
        }
    }
    narrowed
}
