//! A session as a `test` block: its steps, each with what the runtime says to it.

use std::collections::BTreeSet;

use ctr_front::world::World;
use ctr_grammar::ast::ItemKind;
use ctr_grammar::written;
use ctr_project::compiled;
use ctr_project::tests::Runner;
use ctr_runtime::decision::Verb;
use ctr_runtime::event::Status;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Session, gate};
use ctr_runtime::time::format_rfc3339;
use ctr_runtime::value::{Record, Value};
use ctr_trace::judge::Recording;
use ctr_trace::{OwnedKind, Step, Traced, detect};

use super::Kind;
use crate::features::commands::Policy;
use crate::overlay::Overlay;
use crate::snapshot::Snapshot;

/// Where the clock of tests starts: 2026-01-01T00:00:00Z, in nanoseconds.
const START: i64 = 1_767_225_600 * 1_000_000_000;

/// The block; `None` where a test cannot say the session, or does not come to the same.
pub(super) fn of(
    snapshot: &Snapshot,
    policy: &Policy,
    contract: usize,
    lines: &[String],
    kind: Kind,
) -> Option<String> {
    let world = Overlay::new(&snapshot.documents);
    let text = String::from_utf8(world.read(&policy.path).ok()?).ok()?;
    let name = policy.library.contracts.get(contract)?.name.clone();
    let title = title(&text, &name, kind);
    let steps = steps(policy, contract, lines, kind)?;
    let block = format!(
        "test {} for {} {{\n{steps}}}\n",
        written::string(&title),
        written::name(&name)
    );
    let block = ctr_grammar::format(&block).ok()?;
    passes(&world, policy, &format!("{text}\n\n{block}"), &title).then_some(block)
}

/// A name that no test of the file has.
fn title(text: &str, contract: &str, kind: Kind) -> String {
    let parse = ctr_grammar::parse(text);
    let taken: BTreeSet<&str> = parse
        .file
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Test(test) => Some(test.name.value.as_str()),
            _ => None,
        })
        .collect();
    let base = match kind {
        Kind::Accepting => format!("a session that keeps {contract}"),
        Kind::Rejecting => format!("a session that breaks {contract}"),
    };
    std::iter::once(base.clone())
        .chain((2..).map(|n| format!("{base} ({n})")))
        .find(|title| !taken.contains(title.as_str()))
        .unwrap_or(base)
}

/// Whether a text with the block in it has no errors and the block passes.
fn passes(world: &Overlay<'_>, policy: &Policy, text: &str, title: &str) -> bool {
    let with = With {
        world,
        path: &policy.path,
        text,
    };
    let paths = std::slice::from_ref(&policy.path);
    let compiled = compiled::compile(&with, paths, compiled::default_max_states());
    let Some((library, artifact)) = &compiled.built else {
        return false;
    };
    let mut runner = Runner::new(library, &artifact.model);
    let test = library.tests.iter().find(|test| test.name == title);
    test.and_then(|test| runner.run(test).ok())
        .is_some_and(|result| result.has_passed())
}

/// The buffers with one text replaced.
struct With<'w> {
    world: &'w Overlay<'w>,
    path: &'w str,
    text: &'w str,
}

impl World for With<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ctr_front::world::ReadError> {
        if self.world.canonical(path) == self.path {
            return Ok(self.text.as_bytes().to_vec());
        }
        self.world.read(path)
    }

    fn canonical(&self, path: &str) -> String {
        self.world.canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.world.names(folder)
    }
}

/// The steps, played to the contract alone.
fn steps(policy: &Policy, contract: usize, lines: &[String], kind: Kind) -> Option<String> {
    let mut model = policy.artifact.model.clone();
    model.contracts = vec![model.contracts.get(contract)?.clone()];
    let bytes = ctr_runtime::format::encode(&model).ok()?;
    let library = Library::load(bytes).ok()?;
    let text = lines.join("\n");
    let pieces = detect::split("session.jsonl", &text).ok()?;
    let [piece] = pieces.as_slice() else {
        return None;
    };
    let read = detect::read(piece).ok()?;
    let mut player = Player {
        session: Session::new(&library),
        host: Recording::default(),
        name: written::name(&policy.library.contracts.get(contract)?.name),
        clock: START,
        refused: BTreeSet::new(),
        out: Vec::new(),
    };
    for step in &read.steps {
        player.step(step)?;
    }
    player.end(kind);
    let mut out = String::new();
    for line in player.out {
        out.push_str("  ");
        out.push_str(&line.text);
        out.push_str(&line.facts);
        out.push_str(&line.time);
        out.push_str(&line.expected);
        out.push('\n');
    }
    Some(out)
}

/// A step of the block.
#[derive(Default)]
struct Line {
    text: String,
    /// What was recorded beside what happened.
    facts: String,
    time: String,
    expected: String,
    /// The id and the tool of a call that has not returned.
    call: Option<(String, String)>,
}

struct Player<'l> {
    session: Session<'l>,
    host: Recording,
    name: String,
    clock: i64,
    /// Calls that were left out.
    refused: BTreeSet<String>,
    out: Vec<Line>,
}

impl Player<'_> {
    fn say(&mut self, text: String) {
        self.out.push(Line {
            text,
            ..Line::default()
        });
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Context(fields) => {
                self.session.set_context(fields);
                let Value::Record(record) = fields else {
                    return None;
                };
                for (name, value) in record.iter() {
                    self.say(format!(
                        "context {} = {}",
                        written::name(name),
                        literal(value)?
                    ));
                }
            }
            Step::Lookup { name, args, value } => {
                self.host.answer(name, args, value.clone());
                let args: Option<Vec<String>> = args.iter().map(literal).collect();
                let args = args?.join(", ");
                let value = literal(value)?;
                self.say(format!("lookup {}({args}) = {value}", written::name(name)));
            }
            Step::Event(event) => self.event(event)?,
        }
        Some(())
    }

    fn event(&mut self, event: &Traced) -> Option<()> {
        let mut event = event.clone();
        let mut line = Line {
            facts: facts(&event),
            time: self.time(&event),
            ..Line::default()
        };
        event.time = Some(self.clock);
        let id = event.id().unwrap_or_default().to_owned();
        let is_return = matches!(event.kind, OwnedKind::Return { .. });
        if is_return && self.refused.contains(&id) {
            return Some(());
        }
        let gated = gate(&mut self.session, &event.as_event(), &mut self.host).ok()?;
        let said = match gated.decision.verb {
            Verb::Allow if gated.report.violations.is_empty() => None,
            Verb::Allow => Some("violation"),
            verb => Some(verb.name()),
        };
        if let Some(said) = said {
            line.expected = format!(" expect {said} by {}", self.name);
        }
        match &event.kind {
            OwnedKind::Call { tool, args, .. } => {
                let tool = match &event.server {
                    Some(server) => format!("{}.{}", written::name(server), written::name(tool)),
                    None => written::name(tool),
                };
                line.text = format!("call {tool}({})", arguments(args)?);
                if gated.recorded {
                    line.call = Some((id, tool));
                } else {
                    self.refused.insert(id);
                }
            }
            OwnedKind::Return {
                status,
                result,
                error,
                ..
            } => {
                let outcome = match status {
                    Status::Success => literal(result.as_ref().unwrap_or(&Value::Null))?,
                    Status::Failure => {
                        format!(
                            "failure {}",
                            written::string(error.as_deref().unwrap_or_default())
                        )
                    }
                    Status::Unknown => "unknown".to_owned(),
                };
                let of = |line: &Line| line.call.as_ref().is_some_and(|(call, _)| *call == id);
                // A return right behind its call is said with it, if nothing else is to be said of the two apart.
                let joined = self.out.last_mut().filter(|call| {
                    of(call)
                        && call.facts == line.facts
                        && call.expected.is_empty()
                        && line.time.is_empty()
                });
                if let Some(call) = joined {
                    call.text.push_str(&format!(" -> {outcome}"));
                    call.expected = line.expected;
                    call.call = None;
                    return Some(());
                }
                let call = self.out.iter_mut().find(|line| of(line))?;
                let (_, tool) = call.call.take()?;
                line.text = format!("return {tool} -> {outcome}");
            }
            OwnedKind::Input { text } => line.text = format!("input {}", written::string(text)),
            OwnedKind::Output { text } => line.text = format!("output {}", written::string(text)),
            OwnedKind::Declared { name, fields } => {
                line.text = format!("event {}({})", written::name(name), arguments(fields)?);
            }
        }
        self.out.push(line);
        Some(())
    }

    /// When an event happened, if the clock of the test says otherwise; moves the clock.
    fn time(&mut self, event: &Traced) -> String {
        match event.time.filter(|time| *time != self.clock) {
            Some(time) => {
                self.clock = time;
                format!(" at \"{}\"", format_rfc3339(time))
            }
            None => String::new(),
        }
    }

    fn end(&mut self, kind: Kind) {
        let outcome = self.session.finish();
        let pending = outcome.contracts.iter().any(|c| !c.pending.is_empty());
        if pending {
            self.say(format!("end expect pending by {}", self.name));
        } else if kind == Kind::Accepting {
            self.say(format!("end expect satisfied by {}", self.name));
        }
    }
}

/// What was recorded of an event beside what happened and when.
fn facts(event: &Traced) -> String {
    let mut facts = Vec::new();
    if let Some(agent) = &event.agent {
        facts.push(format!("agent = {}", written::string(agent)));
    }
    for (name, value) in [
        ("turn", event.turn),
        ("depth", event.depth),
        ("tokens", event.tokens),
    ] {
        if let Some(value) = value {
            facts.push(format!("{name} = {value}"));
        }
    }
    match facts.is_empty() {
        true => String::new(),
        false => format!(" with {}", facts.join(", ")),
    }
}

/// A value as a policy writes it.
fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        // A test has no such numbers.
        Value::Huge(_) => return None,
        Value::Str(text) => written::string(text),
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Record(record) if record.fields().is_empty() => "{}".to_owned(),
        Value::Record(record) => format!("{{ {} }}", fields(record)?),
    })
}

/// Arguments between brackets.
fn arguments(args: &Value) -> Option<String> {
    match args {
        Value::Record(record) => fields(record),
        _ => None,
    }
}

fn fields(record: &Record) -> Option<String> {
    let parts: Option<Vec<String>> = record
        .iter()
        .map(|(name, value)| {
            let name = match written::is_identifier(name) {
                true => name.to_owned(),
                false => written::string(name),
            };
            Some(format!("{name}: {}", literal(value)?))
        })
        .collect();
    Some(parts?.join(", "))
}
