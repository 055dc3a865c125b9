//! Events, decisions and verdicts as JSON: what hosts in other languages exchange with a session.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::decision::{ContractOutcome, Decision, Objection, Outcome, Reason, Violation};
use crate::event::{Event, EventKind, Meta, Status};
use crate::format::Library;
use crate::limits::Limits;
use crate::session::Recorded;
#[cfg(feature = "narrowing")]
use crate::session::{Allowed, Incomplete, Narrowed};
use crate::value::{Record, Value};

mod log;

pub use log::{OwnedEntry, findings};

/// An event that owns its parts: [`OwnedEvent::as_event`] is what a session takes.
///
/// ```
/// use ctr_runtime::wire::OwnedEvent;
///
/// let json = ctr_runtime::json::parse(
///     r#"{"kind": "call", "id": "c1", "tool": "pay", "args": {"amount": 20}, "time": 1700000000}"#,
/// )?;
/// let event = OwnedEvent::read(&json)?;
/// assert_eq!(event.as_event().meta.time, Some(1_700_000_000_000_000_000));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedEvent {
    /// What happened.
    pub kind: OwnedKind,
    /// `event.agent`
    pub agent: Option<String>,
    /// `event.server`
    pub server: Option<String>,
    /// Nanoseconds since the epoch.
    pub time: Option<i64>,
    /// `event.turn`
    pub turn: Option<i64>,
    /// `event.depth`
    pub depth: Option<i64>,
    /// `event.tokens`
    pub tokens: Option<i64>,
}

/// The kinds of event.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "as in `EventKind`")]
pub enum OwnedKind {
    Call {
        id: Option<String>,
        tool: String,
        args: Value,
    },
    Return {
        id: Option<String>,
        tool: Option<String>,
        status: Status,
        result: Option<Value>,
        error: Option<String>,
    },
    Input {
        text: String,
    },
    Output {
        text: String,
    },
    Declared {
        name: String,
        fields: Value,
    },
}

/// JSON that is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnEvent {
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for NotAnEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl core::error::Error for NotAnEvent {}

fn wrong(what: impl Into<String>) -> NotAnEvent {
    NotAnEvent { what: what.into() }
}

fn text(json: &Value, name: &str) -> Result<Option<String>, NotAnEvent> {
    match json.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(format!("`{name}` is not a string"))),
    }
}

fn needed(json: &Value, name: &str) -> Result<String, NotAnEvent> {
    text(json, name)?.ok_or_else(|| wrong(format!("`{name}` is missing")))
}

fn integer(json: &Value, name: &str) -> Result<Option<i64>, NotAnEvent> {
    match json.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_number().and_then(crate::decimal::Decimal::to_i64) {
            Some(n) => Ok(Some(n)),
            None => Err(wrong(format!("`{name}` is not an integer"))),
        },
    }
}

/// A time: RFC 3339, or seconds since the epoch as a number.
fn time(json: &Value) -> Result<Option<i64>, NotAnEvent> {
    let found = match json.get("time") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(n)) => n.seconds_to_nanos(),
        Some(Value::Str(text)) => crate::time::parse_rfc3339(text),
        Some(_) => None,
    };
    let wanted = "`time` is neither RFC 3339 nor seconds as a number";
    found.map(Some).ok_or_else(|| wrong(wanted))
}

impl OwnedEvent {
    /// An event with nothing recorded but what happened.
    #[must_use]
    pub fn new(kind: OwnedKind) -> Self {
        Self {
            kind,
            agent: None,
            server: None,
            time: None,
            turn: None,
            depth: None,
            tokens: None,
        }
    }

    /// The id of the call that it is or answers.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match &self.kind {
            OwnedKind::Call { id, .. } | OwnedKind::Return { id, .. } => id.as_deref(),
            _ => None,
        }
    }

    /// Reads an event of the native trace format (`kind` is `call`, `return`, `input`, `output` or `event`), but
    /// without the fields of other tools that a recording may have.
    ///
    /// # Errors
    /// Where a field is missing or of the wrong type, or one is there that no such event has.
    pub fn read(json: &Value) -> Result<Self, NotAnEvent> {
        let Value::Record(fields) = json else {
            return Err(wrong("an event is an object"));
        };
        let kind = needed(json, "kind")?;
        let own: &[&str] = match kind.as_str() {
            "call" => &["id", "tool", "args"],
            "return" => &["id", "tool", "status", "result", "error"],
            "input" | "output" => &["text"],
            "event" => &["name", "fields"],
            other => return Err(wrong(format!("there is no kind `{other}` of event"))),
        };
        let common = ["kind", "agent", "server", "time", "turn", "depth", "tokens"];
        // A misspelt field must not pass for one that was not recorded.
        for (name, _) in fields.iter() {
            if !common.contains(&name) && !own.contains(&name) {
                return Err(wrong(format!("`{kind}` events have no field `{name}`")));
            }
        }
        let empty = || Value::Record(Record::new());
        let kind = match kind.as_str() {
            "call" => OwnedKind::Call {
                id: text(json, "id")?,
                tool: needed(json, "tool")?,
                args: json.get("args").cloned().unwrap_or_else(empty),
            },
            "return" => OwnedKind::Return {
                id: text(json, "id")?,
                tool: text(json, "tool")?,
                status: match needed(json, "status")?.as_str() {
                    "success" => Status::Success,
                    "failure" => Status::Failure,
                    "unknown" => Status::Unknown,
                    other => return Err(wrong(format!("there is no status `{other}`"))),
                },
                result: json.get("result").cloned(),
                error: text(json, "error")?,
            },
            "input" => OwnedKind::Input {
                text: needed(json, "text")?,
            },
            "output" => OwnedKind::Output {
                text: needed(json, "text")?,
            },
            _ => OwnedKind::Declared {
                name: needed(json, "name")?,
                fields: json.get("fields").cloned().unwrap_or_else(empty),
            },
        };
        Ok(Self {
            kind,
            agent: text(json, "agent")?,
            server: text(json, "server")?,
            time: time(json)?,
            turn: integer(json, "turn")?,
            depth: integer(json, "depth")?,
            tokens: integer(json, "tokens")?,
        })
    }

    /// What a host records with a call: an object with any of `agent`, `server`, `time`, `turn`,
    /// `depth`, `tokens`. Gives an event of which only [`OwnedEvent::meta`] means anything.
    ///
    /// # Errors
    /// As [`OwnedEvent::read`].
    pub fn read_meta(json: &Value) -> Result<Self, NotAnEvent> {
        let Value::Record(fields) = json else {
            return Err(wrong("what is recorded with a call is an object"));
        };
        let mut fields = fields.clone();
        fields.insert("kind", Value::from("input"));
        fields.insert("text", Value::from(""));
        Self::read(&Value::Record(fields))
    }

    /// What was recorded with it.
    #[must_use]
    pub fn meta(&self) -> Meta<'_> {
        Meta {
            agent: self.agent.as_deref(),
            server: self.server.as_deref(),
            time: self.time,
            turn: self.turn,
            depth: self.depth,
            tokens: self.tokens,
        }
    }

    /// As a session takes it.
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        let kind = match &self.kind {
            OwnedKind::Call { id, tool, args } => EventKind::Call {
                id: id.as_deref(),
                tool,
                args,
            },
            OwnedKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => EventKind::Return {
                id: id.as_deref(),
                tool: tool.as_deref(),
                status: *status,
                result: result.as_ref(),
                error: error.as_deref(),
            },
            OwnedKind::Input { text } => EventKind::Input { text },
            OwnedKind::Output { text } => EventKind::Output { text },
            OwnedKind::Declared { name, fields } => EventKind::Declared { name, fields },
        };
        Event {
            kind,
            meta: self.meta(),
        }
    }
}

impl From<&Event<'_>> for OwnedEvent {
    /// A copy, for logs that outlive what they were made of.
    fn from(event: &Event<'_>) -> Self {
        let own = |text: Option<&str>| text.map(ToString::to_string);
        let kind = match event.kind {
            EventKind::Call { id, tool, args } => OwnedKind::Call {
                id: own(id),
                tool: tool.to_string(),
                args: args.clone(),
            },
            EventKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => OwnedKind::Return {
                id: own(id),
                tool: own(tool),
                status,
                result: result.cloned(),
                error: own(error),
            },
            EventKind::Input { text } => OwnedKind::Input {
                text: text.to_string(),
            },
            EventKind::Output { text } => OwnedKind::Output {
                text: text.to_string(),
            },
            EventKind::Declared { name, fields } => OwnedKind::Declared {
                name: name.to_string(),
                fields: fields.clone(),
            },
        };
        let meta = &event.meta;
        Self {
            kind,
            agent: own(meta.agent),
            server: own(meta.server),
            time: meta.time,
            turn: meta.turn,
            depth: meta.depth,
            tokens: meta.tokens,
        }
    }
}

/// Limits: an object with any of the fields of [`Limits`]; the others have their defaults.
///
/// # Errors
/// Where it is no object, a field is no whole number of a fitting size, or there is no such limit.
pub fn read_limits(json: &Value) -> Result<Limits, NotAnEvent> {
    let Value::Record(fields) = json else {
        return Err(wrong("limits are an object"));
    };
    let mut limits = Limits::DEFAULT;
    for (name, value) in fields.iter() {
        let number = value.as_number().and_then(crate::decimal::Decimal::to_i64);
        let size = number.and_then(|n| usize::try_from(n).ok());
        let size = size.ok_or_else(|| wrong(format!("`{name}` is no size")))?;
        let place = match name {
            "keys" => &mut limits.keys,
            "key_bytes" => &mut limits.key_bytes,
            "window" => &mut limits.window,
            "values" => &mut limits.values,
            "text" => &mut limits.text,
            "remembered" => &mut limits.remembered,
            "open_calls" => &mut limits.open_calls,
            "open_bytes" => &mut limits.open_bytes,
            "triggers" => &mut limits.triggers,
            "violations" => &mut limits.violations,
            "violation_bytes" => &mut limits.violation_bytes,
            "work" => {
                limits.work = size as u64;
                continue;
            }
            _ => return Err(wrong(format!("there is no limit `{name}`"))),
        };
        *place = size;
    }
    Ok(limits)
}

/// Makes a record.
fn record<const N: usize>(mut fields: [(&str, Value); N]) -> Value {
    taken(&mut fields)
}

/// One piece of code for all numbers of fields; the values are moved out.
fn taken(fields: &mut [(&str, Value)]) -> Value {
    let mut out = Record::new();
    for (name, value) in fields {
        out.insert(*name, core::mem::take(value));
    }
    Value::Record(out)
}

fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

fn texts<'t>(all: impl IntoIterator<Item = &'t str>) -> Value {
    Value::List(all.into_iter().map(Value::from).collect())
}

fn number(n: impl Into<crate::decimal::Decimal>) -> Value {
    Value::Number(n.into())
}

fn key(library: &Library<'_>, contract: u32, values: &[Value]) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    let mut out = Record::new();
    for (name, value) in library.contract(contract).keys().iter().zip(values) {
        out.insert(name, value.clone());
    }
    Value::Record(out)
}

/// A decision with all that it knows: the verb, and for each objection the contract, its rule and place, the
/// conditions with the values that they saw, what would be accepted, and what to wait for.
#[must_use]
pub fn decision(library: &Library<'_>, decision: &Decision) -> Value {
    let objections = decision.objections.iter().map(|o| objection(library, o));
    let time = |nanos: i64| Value::Str(crate::time::format_rfc3339(nanos));
    record([
        ("decision", Value::from(decision.verb.name())),
        (
            "proceeds",
            Value::Bool(decision.verb >= crate::decision::Verb::Warn),
        ),
        ("objections", Value::List(objections.collect())),
        ("free_at", decision.free_at.map_or(Value::Null, time)),
        (
            "instead",
            decision.instead.as_ref().map_or(Value::Null, |instead| {
                record([
                    ("server", optional(instead.server.as_deref())),
                    ("tool", Value::from(instead.tool.as_str())),
                    ("args", instead.args.clone()),
                ])
            }),
        ),
        (
            "repairs",
            decision.repairs.map_or(Value::Null, |repairs| {
                record([
                    ("found", number(u64::from(repairs.found))),
                    ("unbounded", Value::Bool(repairs.unbounded)),
                    ("complete", Value::Bool(repairs.complete)),
                ])
            }),
        ),
    ])
}

fn objection(library: &Library<'_>, o: &Objection) -> Value {
    let contract = library.contract(o.contract);
    let place = contract.place();
    let source = library.source(place.source);
    let (line, _) = source.line_col(place.start);
    let seen = o.seen.iter().map(|s| {
        let mut values = Record::new();
        let mut undefined = Vec::new();
        for (name, value) in &s.values {
            match value {
                Some(value) => drop(values.insert(name.as_str(), value.clone())),
                None => undefined.push(name.as_str()),
            }
        }
        record([
            ("condition", Value::from(s.condition.as_str())),
            ("holds", s.holds.map_or(Value::Null, Value::Bool)),
            ("values", Value::Record(values)),
            ("undefined", texts(undefined)),
        ])
    });
    record([
        ("contract", Value::from(contract.name())),
        ("rule", optional(contract.rule_id())),
        ("severity", optional(contract.severity())),
        ("clauses", texts(contract.clauses().map(|c| c.text))),
        ("source", Value::from(source.path)),
        ("line", number(u64::from(line))),
        ("key", key(library, o.contract, &o.key)),
        ("decision", Value::from(o.verb.name())),
        ("reason", Value::from(reason(o.reason))),
        ("message", Value::from(o.message.as_str())),
        ("detail", optional(o.detail.as_deref())),
        ("accepted", texts(o.accepted.iter().map(String::as_str))),
        ("seen", Value::List(seen.collect())),
        (
            "waiting_for",
            texts(o.waiting_for.iter().map(String::as_str)),
        ),
    ])
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Anticipated => "anticipated",
        reason => reason.name(),
    }
}

/// A violation, or a broken assumption.
#[must_use]
pub fn violation(library: &Library<'_>, v: &Violation) -> Value {
    record([
        ("contract", Value::from(library.contract(v.contract).name())),
        ("key", key(library, v.contract, &v.key)),
        ("event", v.event.map_or(Value::Null, number)),
        ("id", optional(v.id.as_deref())),
        ("reason", Value::from(v.reason.name())),
        ("message", Value::from(v.message.as_str())),
        ("detail", optional(v.detail.as_deref())),
    ])
}

/// What came of a recorded or skipped event.
#[must_use]
pub fn recorded(library: &Library<'_>, report: &Recorded) -> Value {
    let all =
        |list: &[Violation]| Value::List(list.iter().map(|v| violation(library, v)).collect());
    record([
        ("event", number(report.event)),
        ("violations", all(&report.violations)),
        ("assumptions", all(&report.assumptions)),
        ("ambiguous", Value::Bool(report.ambiguous)),
    ])
}

/// A contract's value at the end of a session, with its violations and what was open; `untold` counts the
/// violations that were not kept because of a limit.
#[must_use]
pub fn contract(library: &Library<'_>, contract: u32, outcome: &ContractOutcome) -> Value {
    let violations = outcome.violations.iter().map(|v| violation(library, v));
    let pending = outcome.pending.iter().map(|p| {
        record([
            ("key", key(library, contract, &p.key)),
            ("event", p.event.map_or(Value::Null, number)),
            ("awaits", texts(p.awaits.iter().map(String::as_str))),
        ])
    });
    let assumption = outcome.assumption.as_ref();
    record([
        ("contract", Value::from(library.contract(contract).name())),
        ("value", Value::from(outcome.value.name())),
        ("violations", Value::List(violations.collect())),
        ("untold", number(outcome.untold)),
        ("pending", Value::List(pending.collect())),
        (
            "assumption",
            assumption.map_or(Value::Null, |v| violation(library, v)),
        ),
    ])
}

/// The verdicts of a finished session.
#[must_use]
pub fn outcome(library: &Library<'_>, outcome: &Outcome) -> Value {
    let contracts = outcome.contracts.iter().zip(library.contracts());
    let contracts = contracts.map(|(c, of)| contract(library, of.id(), c));
    record([
        ("environment", Value::from(outcome.environment.name())),
        ("agent", Value::from(outcome.agent.name())),
        ("events", number(outcome.events)),
        ("undetermined", number(outcome.undetermined)),
        ("contracts", Value::List(contracts.collect())),
    ])
}

#[cfg(feature = "narrowing")]
fn incomplete(library: &Library<'_>, list: &[Incomplete]) -> Value {
    let all = list.iter().map(|i| {
        record([
            ("contract", Value::from(library.contract(i.contract).name())),
            ("condition", Value::from(i.condition.as_str())),
            ("why", Value::from(i.why.name())),
        ])
    });
    Value::List(all.collect())
}

#[cfg(feature = "narrowing")]
fn names(library: &Library<'_>, contracts: &[u32]) -> Value {
    let names = contracts
        .iter()
        .map(|c| library.contract(*c).name().to_string());
    Value::List(names.map(Value::Str).collect())
}

/// A narrowed schema: `schema`, `incomplete`, `forbidding`.
#[must_use]
#[cfg(feature = "narrowing")]
pub fn narrowed(library: &Library<'_>, narrowed: &Narrowed) -> Value {
    record([
        ("schema", narrowed.schema.clone()),
        ("incomplete", incomplete(library, &narrowed.incomplete)),
        ("forbidding", names(library, &narrowed.forbidding)),
    ])
}

/// How far tools can be called: a list.
#[must_use]
#[cfg(feature = "narrowing")]
pub fn allowed(library: &Library<'_>, tools: &[Allowed]) -> Value {
    let all = tools.iter().map(|tool| {
        record([
            ("server", optional(tool.server.as_deref())),
            ("tool", Value::from(tool.tool.as_str())),
            ("allowed", Value::from(tool.extent.name())),
            ("forbidding", names(library, &tool.forbidding)),
            ("example", tool.example.clone().unwrap_or_default()),
            ("incomplete", incomplete(library, &tool.incomplete)),
        ])
    });
    Value::List(all.collect())
}
