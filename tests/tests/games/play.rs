//! Events of plays, and what `ctrc check` finds in a policy.

use ctr_front::diagnostic::Diagnostic;
use ctr_front::world::MemoryWorld;
use ctr_runtime::event::{Event, EventKind, Meta, Status};
use ctr_runtime::value::{Record, Value};

/// An event of a play. Calls have the number of their place as id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    Call(&'static str, bool),
    Output,
    Return(usize, Status3, bool),
    Input,
    Alarm(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status3 {
    Success,
    Failure,
}

fn record(name: &str, value: bool) -> Value {
    let mut record = Record::new();
    record.insert(name, Value::Bool(value));
    Value::Record(record)
}

/// Hands the event to `see`; `at` is its place, and its time in seconds unless `late`.
pub fn event<T>(play: &[Act], at: usize, late: bool, see: impl FnOnce(&Event<'_>) -> T) -> T {
    let seconds = i64::try_from(at).unwrap() + if late { 1_000 } else { 0 };
    let meta = Meta {
        time: Some(1_700_000_000_000_000_000 + seconds * 1_000_000_000),
        ..Meta::default()
    };
    let id = match play[at] {
        Act::Return(call, ..) => format!("c{call}"),
        _ => format!("c{at}"),
    };
    let body = match play[at] {
        Act::Call(_, fast) => record("fast", fast),
        Act::Return(_, _, ok) => record("ok", ok),
        Act::Alarm(loud) => record("loud", loud),
        _ => Value::Null,
    };
    let kind = match play[at] {
        Act::Call(tool, _) => EventKind::Call {
            id: Some(&id),
            tool,
            args: &body,
        },
        Act::Return(_, status, _) => EventKind::Return {
            id: Some(&id),
            tool: None,
            status: match status {
                Status3::Success => Status::Success,
                Status3::Failure => Status::Failure,
            },
            result: Some(&body),
            error: None,
        },
        Act::Input => EventKind::Input { text: "hello" },
        Act::Output => EventKind::Output { text: "hello" },
        Act::Alarm(_) => EventKind::Declared {
            name: "alarm",
            fields: &body,
        },
    };
    see(&Event { kind, meta })
}

pub fn check(policy: &str) -> Option<(Vec<Diagnostic>, Vec<u8>)> {
    let world = MemoryWorld::new().with("p.ctr", policy);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let library = compiled.library?;
    let built = ctr_emit::build(&library, "test", &ctr_logic::Limits::default()).ok()?;
    let options = ctr_check::Options {
        timeout: std::time::Duration::from_secs(60),
        ..ctr_check::Options::default()
    };
    let report = ctr_check::check(&library, &built.model, &built.bytes, &options).unwrap();
    Some((report.findings, built.bytes))
}

/// The finding of a kind about a contract, and whether the question stayed open.
pub fn found<'d>(
    findings: &'d [Diagnostic],
    kind: &'static str,
    about: &str,
) -> (Option<&'d Diagnostic>, bool) {
    let finding = findings.iter().find(|finding| {
        let proof = finding.proof.as_ref();
        proof.is_some_and(|proof| proof.kind == kind)
            && finding.message.contains(&format!("`{about}`"))
    });
    let open = findings.iter().any(|finding| {
        let proof = finding.proof.as_ref();
        proof.is_some_and(|proof| {
            proof.question == Some(kind) && proof.contracts.iter().any(|c| c == about)
        })
    });
    (finding, open)
}
