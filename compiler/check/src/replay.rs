//! Concrete sessions, and what the runtime says of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use ctr_front::ir::{Library, Status};
use ctr_front::types::{Range, Record as RecordType, Type};
use ctr_runtime::decimal::Decimal;
use ctr_runtime::decision::{ContractOutcome, Value3};
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::session::{Host, Plan, Session};
use ctr_runtime::value::{Record, Value};

use crate::hints;
use crate::problem::Problem;
use crate::theory::{ELEMENT, Path, START, Values};
use crate::universe::Class;

/// The name of a tool that no policy names.
const SOME_TOOL: &str = "another_tool";

/// A session with values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Concrete {
    steps: Vec<ConcreteStep>,
    /// What the host answers: before which event, the lookup's name and arguments, the answer. Known once it was replayed.
    answers: Vec<Answer>,
}

/// An answer of the host: the event that asks, name, arguments, value.
type Answer = (usize, String, Vec<Value>, Value);

#[derive(Clone, Debug)]
struct ConcreteStep {
    class: Class,
    /// The call's id, of calls and returns.
    id: Option<String>,
    tool: String,
    server: Option<String>,
    body: Value,
    values: Values,
    context: Value,
}

/// Answers lookups as the solver chose; an answer stays until there is another, as in recorded sessions.
#[derive(Default)]
struct Answers<'a> {
    names: Vec<&'a str>,
    at: usize,
    given: &'a [(u32, Value)],
    told: Vec<Answer>,
}

impl Host for Answers<'_> {
    fn lookup(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let before = self
            .told
            .iter()
            .rev()
            .find(|(_, other, others, _)| other == name && others == args)
            .map(|(.., value)| value.clone());
        let given = self
            .given
            .iter()
            .find(|(id, _)| self.names.get(*id as usize) == Some(&name))
            .map(|(_, value)| value.clone());
        if let Some(value) = &given
            && given != before
        {
            self.told
                .push((self.at, name.to_owned(), args.to_vec(), value.clone()));
        }
        given.or(before)
    }
}

/// A record of values at paths.
fn record(fields: &[(Vec<String>, Value)]) -> Value {
    let mut out = Record::new();
    for (path, value) in fields {
        insert(&mut out, path, value);
    }
    Value::Record(out)
}

fn insert(record: &mut Record, path: &[String], value: &Value) {
    match path {
        [] => {}
        [last] => {
            if record.get(last).is_none() {
                record.insert(last.as_str(), value.clone());
            }
        }
        // A list of one element.
        [name, element, rest @ ..] if element == ELEMENT => {
            let before = match record.get(name) {
                Some(Value::List(items)) => items.first().and_then(Value::as_record).cloned(),
                _ => None,
            };
            let item = if rest.is_empty() {
                value.clone()
            } else {
                let mut item = before.unwrap_or_default();
                insert(&mut item, rest, value);
                Value::Record(item)
            };
            record.insert(name.as_str(), Value::List(vec![item]));
        }
        [first, rest @ ..] => {
            let mut inner = match record.get(first) {
                Some(Value::Record(inner)) => inner.clone(),
                _ => Record::new(),
            };
            insert(&mut inner, rest, value);
            record.insert(first.as_str(), Value::Record(inner));
        }
    }
}

/// Whether a contract is kept: its assumption and its guarantee.
pub(crate) fn is_kept(contract: &ContractOutcome) -> bool {
    contract.value == Value3::Active
}

/// Some value of a type, for what no condition reads.
fn example(ty: &Type, depth: usize) -> Value {
    let number = |range: &Range| {
        let bound = range.min.as_ref().or(range.max.as_ref());
        let zero = Decimal::ZERO;
        Value::Number(bound.and_then(|text| Decimal::parse(text)).unwrap_or(zero))
    };
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Int(range) | Type::Number(range) => number(range),
        Type::Timestamp => Value::Str("2026-01-01T00:00:00Z".to_owned()),
        Type::Duration => Value::Str("1s".to_owned()),
        Type::Enum(values) => match values.first() {
            Some(ctr_front::ir::Json::Str(text)) => Value::Str(text.clone()),
            Some(ctr_front::ir::Json::Bool(flag)) => Value::Bool(*flag),
            _ => Value::Null,
        },
        Type::List(_) => Value::List(Vec::new()),
        Type::Map(_) => Value::Record(Record::new()),
        Type::Record(fields) => Value::Record(filled(Record::new(), fields, depth + 1)),
        Type::Union(parts) => parts
            .first()
            .map_or(Value::Null, |part| example(part, depth + 1)),
        Type::Null => Value::Null,
        Type::Any | Type::String => Value::Str("x".to_owned()),
    }
}

/// The record with its required fields.
fn filled(mut record: Record, ty: &RecordType, depth: usize) -> Record {
    if depth > 16 {
        return record;
    }
    for field in ty.fields.iter().filter(|field| !field.optional) {
        if record.get(&field.name).is_none() {
            record.insert(field.name.as_str(), example(&field.ty, depth));
        }
    }
    record
}

impl Concrete {
    /// The session of an abstract one with these values.
    pub(crate) fn new(problem: &Problem<'_>, path: &Path, values: Vec<Values>) -> Option<Self> {
        let mut values = values;
        hints::fill(problem, path, &mut values);
        let mut steps: Vec<ConcreteStep> = Vec::new();
        for (step, values) in path.steps.iter().zip(values) {
            let (id, tool, server, body) = match step.class {
                Class::Call(tool) | Class::Return(tool, _) => {
                    let tool = problem.universe.tools.get(tool)?;
                    let name = tool.name.clone().unwrap_or_else(|| SOME_TOOL.to_owned());
                    let id = Some(format!("c{}", step.owner + 1));
                    let body = if matches!(step.class, Class::Call(_)) {
                        let Value::Record(mut args) = record(&values.args) else {
                            return None;
                        };
                        let declared = problem
                            .library
                            .declared
                            .iter()
                            .find(|declared| declared.name == name);
                        if let Some(Type::Record(ty)) = declared.map(|declared| &declared.args) {
                            args = filled(args, ty, 0);
                        }
                        Value::Record(args)
                    } else {
                        match values.result.iter().find(|(path, _)| path.is_empty()) {
                            Some((_, whole)) if values.result.len() == 1 => whole.clone(),
                            _ => record(&values.result),
                        }
                    };
                    (id, name, tool.server.clone(), body)
                }
                Class::Declared(event) => {
                    let name = problem.library.events.get(event.0 as usize)?.name.clone();
                    (None, name, None, record(&values.fields))
                }
                Class::Input | Class::Output => (None, String::new(), None, Value::Null),
            };
            let context = record(&values.context);
            steps.push(ConcreteStep {
                class: step.class,
                id,
                tool,
                server,
                body,
                values,
                context,
            });
        }
        Some(Self {
            steps,
            answers: Vec::new(),
        })
    }

    /// What the runtime says of each contract.
    pub(crate) fn replay(
        &mut self,
        library: &Library,
        artifact: &Artifact<'_>,
        plan: &Arc<Plan>,
    ) -> Option<Vec<ContractOutcome>> {
        let record =
            &mut |session: &mut Session<'_>, _: usize, event: &Event<'_>, host: &mut dyn Host| {
                session.record(event, host).is_ok()
            };
        let session = self.run(library, artifact, plan, record)?;
        Some(session.finish().contracts)
    }

    /// Adds a message that comes so many nanoseconds after the last event.
    pub(crate) fn wait(&mut self, nanoseconds: i64) {
        let last = self.steps.iter().filter_map(|step| step.values.time).max();
        let values = Values {
            time: Some(last.unwrap_or(START).saturating_add(nanoseconds)),
            ..Values::default()
        };
        self.steps.push(ConcreteStep {
            class: Class::Input,
            id: None,
            tool: String::new(),
            server: None,
            body: Value::Null,
            values,
            context: Value::Record(Record::new()),
        });
    }

    /// Gives the last call a value for each of these fields that nothing has been said of.
    pub(crate) fn fill_last(&mut self, fields: &[Vec<String>]) {
        if let Some(step) = self.steps.last_mut()
            && let (Class::Call(_), Value::Record(args)) = (step.class, &mut step.body)
        {
            for path in fields {
                insert(args, path, &Value::Str("x".to_owned()));
            }
        }
    }

    /// How many events it has.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The same with so many nanoseconds more before an event.
    pub(crate) fn delayed(&self, from: usize, by: i64) -> Self {
        let mut out = self.clone();
        for step in out.steps.iter_mut().skip(from) {
            step.values.time = step.values.time.map(|time| time.saturating_add(by));
        }
        out
    }

    /// The sessions that differ in one field that is missing, or a result that is; `required` tells which arguments must stay.
    pub(crate) fn without_fields(&self, required: &dyn Fn(&str, &str) -> bool) -> Vec<Self> {
        let mut out = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let mut changed = |body: Value| {
                let mut other = self.clone();
                if let Some(step) = other.steps.get_mut(at) {
                    step.body = body;
                    out.push(other);
                }
            };
            let Some(record) = step.body.as_record() else {
                continue;
            };
            let is_call = matches!(step.class, Class::Call(_));
            for name in record.iter().map(|(name, _)| name) {
                if is_call && required(&step.tool, name) {
                    continue;
                }
                let mut left = Record::new();
                for (other, value) in record.iter().filter(|(other, _)| *other != name) {
                    left.insert(other, value.clone());
                }
                changed(Value::Record(left));
            }
        }
        out
    }

    /// This session and then another one: ids stay apart, and time goes on.
    pub(crate) fn then(mut self, other: &Self) -> Self {
        let before = self.steps.len();
        let time = |steps: &[ConcreteStep]| steps.iter().filter_map(|s| s.values.time).max();
        let begins = other.steps.iter().find_map(|s| s.values.time);
        let shift = match (time(&self.steps), begins) {
            (Some(end), Some(begins)) => end.saturating_add(1_000_000_000).saturating_sub(begins),
            _ => 0,
        };
        for step in &other.steps {
            let mut step = step.clone();
            if let Some(number) = step.id.as_deref().and_then(|id| id.get(1..)?.parse().ok()) {
                let number: usize = number;
                step.id = Some(format!("c{}", number + before));
            }
            step.values.time = step.values.time.map(|time| time.saturating_add(shift));
            self.steps.push(step);
        }
        self.answers.clear();
        self
    }

    /// Hands each event to `see`, with its number, until that says no. Whether all were seen.
    pub(crate) fn play<'a>(
        &mut self,
        library: &Library,
        artifact: &'a Artifact<'a>,
        plan: &Arc<Plan>,
        see: &mut dyn FnMut(&mut Session<'a>, usize, &Event<'_>, &mut dyn Host) -> bool,
    ) -> bool {
        self.run(library, artifact, plan, see).is_some()
    }

    /// The same; the session where all were seen.
    fn run<'a>(
        &mut self,
        library: &Library,
        artifact: &'a Artifact<'a>,
        plan: &Arc<Plan>,
        see: &mut dyn FnMut(&mut Session<'a>, usize, &Event<'_>, &mut dyn Host) -> bool,
    ) -> Option<Session<'a>> {
        let mut session = Session::with_plan(artifact, Arc::clone(plan));
        let mut host = Answers {
            names: library.lookups.iter().map(|l| l.name.as_str()).collect(),
            ..Answers::default()
        };
        for (at, step) in self.steps.iter().enumerate() {
            if step
                .context
                .as_record()
                .is_some_and(|record| !record.is_empty())
            {
                session.set_context(&step.context);
            }
            host.at = at;
            host.given = &step.values.lookups;
            if !see(&mut session, at, &step.event(), &mut host) {
                return None;
            }
        }
        self.answers = host.told;
        Some(session)
    }

    /// The events in a few words each, as a policy would name them.
    pub(crate) fn in_words(&self) -> Vec<String> {
        self.steps
            .iter()
            .map(|step| match step.class {
                Class::Call(_) => format!("call {}", step.tool),
                Class::Return(_, Status::Success) => format!("success {}", step.tool),
                Class::Return(_, Status::Failure) => format!("failure {}", step.tool),
                Class::Return(_, Status::Unknown) => format!("return {}", step.tool),
                Class::Input => "input".to_owned(),
                Class::Output => "output".to_owned(),
                Class::Declared(_) => step.tool.clone(),
            })
            .collect()
    }

    /// The tools that are called, by name.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&Option<String>, &str)> {
        self.steps
            .iter()
            .filter(|step| matches!(step.class, Class::Call(_)))
            .map(|step| (&step.server, step.tool.as_str()))
    }

    /// Whether an event is of this kind and tool.
    pub(crate) fn has(&self, class: Class) -> bool {
        self.steps.iter().any(|step| step.class == class)
    }

    /// Lines of the native trace format.
    #[must_use]
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            for (_, name, args, value) in self.answers.iter().filter(|(asks, ..)| *asks == at) {
                out.push(line(&[
                    ("kind", "lookup".into()),
                    ("name", Value::from(name.as_str())),
                    ("args", Value::List(args.clone())),
                    ("value", value.clone()),
                ]));
            }
            if step
                .context
                .as_record()
                .is_some_and(|record| !record.is_empty())
            {
                out.push(line(&[
                    ("kind", "context".into()),
                    ("set", step.context.clone()),
                ]));
            }
            out.push(step.line());
        }
        out
    }
}

/// A JSON object with its fields in this order.
fn line(fields: &[(&str, Value)]) -> String {
    let parts: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("\"{name}\":{}", ctr_runtime::json::to_string(value)))
        .collect();
    format!("{{{}}}", parts.join(","))
}

impl ConcreteStep {
    fn meta(&self) -> Meta<'_> {
        Meta {
            agent: self.values.agent.as_deref(),
            server: self.values.server.as_deref().or(self.server.as_deref()),
            time: self.values.time,
            turn: self.values.turn,
            depth: self.values.depth,
            tokens: self.values.tokens,
        }
    }

    fn event(&self) -> Event<'_> {
        let id = self.id.as_deref();
        let text = self.values.text.as_deref().unwrap_or("ok");
        let kind = match self.class {
            Class::Call(_) => EventKind::Call {
                id,
                tool: &self.tool,
                args: &self.body,
            },
            Class::Return(_, status) => EventKind::Return {
                id,
                tool: Some(&self.tool),
                status: match status {
                    Status::Success => ctr_runtime::event::Status::Success,
                    Status::Failure => ctr_runtime::event::Status::Failure,
                    Status::Unknown => ctr_runtime::event::Status::Unknown,
                },
                result: (status != Status::Unknown).then_some(&self.body),
                error: None,
            },
            Class::Input => EventKind::Input { text },
            Class::Output => EventKind::Output { text },
            Class::Declared(_) => EventKind::Declared {
                name: &self.tool,
                fields: &self.body,
            },
        };
        Event {
            kind,
            meta: self.meta(),
        }
    }

    fn line(&self) -> String {
        let mut fields: Vec<(&str, Value)> = Vec::new();
        let text = || Value::from(self.values.text.as_deref().unwrap_or("ok"));
        match self.class {
            Class::Call(_) => {
                fields.push(("kind", "call".into()));
                fields.push(("id", Value::from(self.id.as_deref().unwrap_or_default())));
                fields.push(("tool", Value::from(self.tool.as_str())));
                fields.push(("args", self.body.clone()));
            }
            Class::Return(_, status) => {
                let name = match status {
                    Status::Success => "success",
                    Status::Failure => "failure",
                    Status::Unknown => "unknown",
                };
                fields.push(("kind", "return".into()));
                fields.push(("id", Value::from(self.id.as_deref().unwrap_or_default())));
                fields.push(("status", name.into()));
                if status != Status::Unknown {
                    fields.push(("result", self.body.clone()));
                }
            }
            Class::Input => fields.extend([("kind", Value::from("input")), ("text", text())]),
            Class::Output => fields.extend([("kind", Value::from("output")), ("text", text())]),
            Class::Declared(_) => {
                fields.push(("kind", "event".into()));
                fields.push(("name", Value::from(self.tool.as_str())));
                fields.push(("fields", self.body.clone()));
            }
        }
        let meta = self.meta();
        let number = |n: i64| Value::Number(Decimal::from(n));
        let facts: BTreeMap<&str, Option<Value>> = BTreeMap::from([
            ("agent", meta.agent.map(Value::from)),
            ("server", meta.server.map(Value::from)),
            (
                "time",
                meta.time
                    .map(|t| Value::Str(ctr_runtime::time::format_rfc3339(t))),
            ),
            ("turn", meta.turn.map(number)),
            ("depth", meta.depth.map(number)),
            ("tokens", meta.tokens.map(number)),
        ]);
        for (name, value) in facts {
            if let Some(value) = value {
                fields.push((name, value));
            }
        }
        line(&fields)
    }
}
