//! Policies as text, compiled in the process, and sessions that the runtime's own interface is fed with: for
//! tests that ask it thousands of times.
#![allow(dead_code, reason = "each test crate takes what it needs")]

use ctr_front::world::MemoryWorld;
use ctr_runtime::event::{Event, EventKind, Meta, Status};
use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::session::{Host, Session, gate};
use ctr_runtime::value::Value;
use ctr_tests::oracle::model::{Line, Status as LineStatus};

pub fn artifact(policy: &str) -> Vec<u8> {
    attempt(policy).unwrap_or_else(|found| panic!("{found}\n{policy}"))
}

/// The same where the policy may be wrong.
pub fn attempt(policy: &str) -> Result<Vec<u8>, String> {
    let world = MemoryWorld::new().with("p.ctr", policy);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let Some(library) = compiled.library else {
        return Err(format!("{:#?}", compiled.diagnostics));
    };
    let built = ctr_emit::build(&library, "test", &ctr_logic::Limits::default());
    Ok(built.unwrap().bytes)
}

/// Answers lookups about known values.
pub struct Owners;

impl Host for Owners {
    fn lookup(&mut self, _name: &str, args: &[Value]) -> Option<Value> {
        match args {
            [Value::Str(text)] if text == "A" => Some(Value::from("me")),
            [Value::Str(_)] => Some(Value::from("you")),
            _ => None,
        }
    }
}

pub fn value(text: &serde_json::Value) -> Value {
    json::parse(&text.to_string()).unwrap()
}

pub fn status(status: LineStatus) -> Status {
    match status {
        LineStatus::Success => Status::Success,
        LineStatus::Failure => Status::Failure,
        LineStatus::Unknown => Status::Unknown,
    }
}

/// Takes a line as the gate would; what is malformed is passed over.
pub fn feed(session: &mut Session<'_>, line: &Line, time: Option<i64>) {
    if let Some(fields) = context(line) {
        session.set_context(&fields);
    }
    event(line, time, |event| {
        drop(gate(session, event, &mut Owners));
    });
}

/// The facts that a line sets.
pub fn context(line: &Line) -> Option<Value> {
    let Line::Context(name, new) = line else {
        return None;
    };
    let mut record = ctr_runtime::value::Record::new();
    record.insert(name.as_str(), value(new));
    Some(Value::Record(record))
}

/// Does something with the event of a line, where it is one; `time` is in milliseconds.
pub fn event<T>(line: &Line, time: Option<i64>, act: impl FnOnce(&Event<'_>) -> T) -> Option<T> {
    let meta = Meta {
        time: time.map(|t| t * 1_000_000),
        ..Meta::default()
    };
    let take = |kind| Some(act(&Event { kind, meta }));
    match line {
        Line::Context(..) => None,
        Line::Call(id, tool, args) => take(EventKind::Call {
            id: Some(id),
            tool,
            args: &value(args),
        }),
        Line::Return(id, how, result) => {
            let result = result.as_ref().map(value);
            take(EventKind::Return {
                id: Some(id),
                tool: None,
                status: status(*how),
                result: result.as_ref(),
                error: None,
            })
        }
        Line::Input(text) => take(EventKind::Input { text }),
        Line::Output(text) => take(EventKind::Output { text }),
        Line::Declared(name, fields) => take(EventKind::Declared {
            name,
            fields: &value(fields),
        }),
    }
}

pub fn load(bytes: &[u8]) -> Library<'_> {
    Library::load(bytes).unwrap()
}
