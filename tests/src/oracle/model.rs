//! Sessions: what a trace file says, and the events that result from it.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It achieved what it says.
    Success,
    /// It did not.
    Failure,
    /// Nobody knows.
    Unknown,
}

/// A line of a trace.
#[derive(Clone, Debug)]
pub enum Line {
    /// A change of the session's facts; no event.
    Context(String, Value),
    /// A call: id, tool, arguments.
    Call(String, String, Value),
    /// A return: id of its call, status, result.
    Return(String, Status, Option<Value>),
    /// A message that reaches the agent.
    Input(String),
    /// A message that the model writes.
    Output(String),
    /// A declared event: name, fields.
    Declared(String, Value),
}

/// A recorded session.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Its lines.
    pub lines: Vec<Line>,
    /// The time of each line in milliseconds; empty where none is recorded.
    pub times: Vec<i64>,
}

/// What a contract watches (language reference, section 2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Calls.
    Call,
    /// Returns.
    Return,
    /// Inputs.
    Input,
    /// Outputs.
    Output,
    /// Each declared event on its own.
    Declared(String),
}

/// An event with all that a pattern or a condition can read.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its kind.
    pub kind: Kind,
    /// Id of the call.
    pub id: String,
    /// Tool, for calls and returns.
    pub tool: String,
    /// Arguments, for calls and returns.
    pub args: Value,
    /// Status, for returns.
    pub status: Option<Status>,
    /// Result, for returns that have one.
    pub result: Option<Value>,
    /// Text, for inputs and outputs.
    pub text: Option<String>,
    /// Fields, for declared events.
    pub fields: Value,
    /// The time in milliseconds; 0 where none is recorded.
    pub time: i64,
    /// The session's facts at this event.
    pub ctx: BTreeMap<String, Value>,
}

impl Event {
    fn bare(kind: Kind, ctx: &BTreeMap<String, Value>) -> Self {
        Self {
            kind,
            id: String::new(),
            tool: String::new(),
            args: Value::Null,
            status: None,
            result: None,
            text: None,
            fields: Value::Object(Map::new()),
            time: 0,
            ctx: ctx.clone(),
        }
    }

    /// The successful return of a call, with a result that nobody knows.
    #[must_use]
    pub fn success_of(&self) -> Self {
        Self {
            kind: Kind::Return,
            status: Some(Status::Success),
            ..self.clone()
        }
    }
}

impl Session {
    /// The trace file, in the native format.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (i, line) in self.lines.iter().enumerate() {
            let mut value = match line {
                Line::Context(name, value) => json!({"kind": "context", "set": {name: value}}),
                Line::Call(id, tool, args) => {
                    json!({"kind": "call", "id": id, "tool": tool, "args": args})
                }
                Line::Return(id, Status::Success, result) => {
                    json!({"kind": "return", "id": id, "status": "success", "result": result})
                }
                Line::Return(id, Status::Failure, _) => {
                    json!({"kind": "return", "id": id, "status": "failure", "error": "failed"})
                }
                Line::Return(id, Status::Unknown, _) => {
                    json!({"kind": "return", "id": id, "status": "unknown"})
                }
                Line::Input(t) => json!({"kind": "input", "text": t}),
                Line::Output(t) => json!({"kind": "output", "text": t}),
                Line::Declared(name, fields) => {
                    json!({"kind": "event", "name": name, "fields": fields})
                }
            };
            if let (Some(time), false) = (self.times.get(i), matches!(line, Line::Context(..))) {
                value["time"] = if time % 1000 == 0 {
                    json!(time / 1000)
                } else {
                    // Seconds with three decimals, without a detour through binary fractions.
                    let digits = format!("{}.{:03}", time / 1000, time % 1000);
                    serde_json::from_str(&digits).expect("a number")
                };
            }
            text.push_str(&value.to_string());
            text.push('\n');
        }
        text
    }

    /// The events. A return carries the tool and the arguments of the call that it answers.
    ///
    /// # Panics
    /// Where a return answers no call.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        let mut ctx = BTreeMap::new();
        let mut calls: BTreeMap<&str, (&str, &Value)> = BTreeMap::new();
        let mut events = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let before = events.len();
            match line {
                Line::Context(name, value) => {
                    ctx.insert(name.clone(), value.clone());
                }
                Line::Call(id, tool, args) => {
                    calls.insert(id, (tool, args));
                    let mut event = Event::bare(Kind::Call, &ctx);
                    event.id.clone_from(id);
                    event.tool.clone_from(tool);
                    event.args = args.clone();
                    events.push(event);
                }
                Line::Return(id, status, result) => {
                    let (tool, args) = calls.get(id.as_str()).expect("a return answers a call");
                    let mut event = Event::bare(Kind::Return, &ctx);
                    event.id.clone_from(id);
                    event.tool = (*tool).to_owned();
                    event.args = (*args).clone();
                    event.status = Some(*status);
                    event.result.clone_from(result);
                    events.push(event);
                }
                Line::Input(text) => {
                    let mut event = Event::bare(Kind::Input, &ctx);
                    event.text = Some(text.clone());
                    events.push(event);
                }
                Line::Output(text) => {
                    let mut event = Event::bare(Kind::Output, &ctx);
                    event.text = Some(text.clone());
                    events.push(event);
                }
                Line::Declared(name, fields) => {
                    let mut event = Event::bare(Kind::Declared(name.clone()), &ctx);
                    event.fields = fields.clone();
                    events.push(event);
                }
            }
            if let (Some(event), Some(time)) = (events.get_mut(before), self.times.get(i)) {
                event.time = *time;
            }
        }
        events
    }

    /// The session without one line, and without the return of a call that goes.
    #[must_use]
    pub fn without(&self, index: usize) -> Self {
        let gone = match self.lines.get(index) {
            Some(Line::Call(id, ..)) => Some(id.clone()),
            _ => None,
        };
        let kept = |i: usize| {
            let orphan =
                matches!(&self.lines[i], Line::Return(id, ..) if Some(id) == gone.as_ref());
            i != index && !orphan
        };
        let all: Vec<usize> = (0..self.lines.len()).filter(|i| kept(*i)).collect();
        Self {
            lines: all.iter().map(|i| self.lines[*i].clone()).collect(),
            times: all
                .iter()
                .filter_map(|i| self.times.get(*i).copied())
                .collect(),
        }
    }
}
