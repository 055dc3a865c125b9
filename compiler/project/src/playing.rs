//! The steps of a test, played to a session.

use std::collections::{BTreeSet, VecDeque};

use ctr_front::ir::{self, Expected, Json, Outcome, TestStepKind};
use ctr_runtime::decision::{Value3, Verb};
use ctr_runtime::event::Status;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Session, gate};
use ctr_runtime::value::{Record, Value};

use ctr_trace::judge::{Recording, objecting};
use ctr_trace::{OwnedKind, Traced};

/// Where a test's clock starts: 2026-01-01T00:00:00Z, in nanoseconds.
const START: i64 = 1_767_225_600 * 1_000_000_000;

/// Plays the steps; gives what went wrong and where.
pub(crate) fn steps(
    policy: &ir::Library,
    library: &Library<'_>,
    test: &ir::Test,
) -> Vec<(ir::Place, String)> {
    let mut player = Player {
        policy,
        library,
        session: Session::new(library),
        host: Recording::default(),
        clock: START,
        calls: 0,
        open: VecDeque::new(),
    };
    let mut failures = Vec::new();
    for step in &test.steps {
        match player.play(step) {
            Err(what) => {
                failures.push((step.place, what));
                // What follows would only tell of the same mistake.
                break;
            }
            Ok(seen) => {
                for what in player.compare(step, &seen) {
                    failures.push((step.place, what));
                }
            }
        }
    }
    failures
}

/// What was seen of a step.
#[derive(Debug, Default)]
struct Seen {
    /// What was decided, with the contracts that asked for it and their messages.
    decisions: Vec<(Verb, Vec<String>, String)>,
    /// Contracts that failed by what was recorded.
    violated: Vec<String>,
    /// At the end: contracts with an open obligation.
    pending: Option<Vec<String>>,
    /// At the end: contracts that had failed before.
    failed: Vec<String>,
}

struct Player<'l> {
    policy: &'l ir::Library,
    library: &'l Library<'l>,
    session: Session<'l>,
    host: Recording,
    clock: i64,
    calls: u64,
    /// Calls without a return: tool, id.
    open: VecDeque<(ir::Tool, String)>,
}

impl Player<'_> {
    fn play(&mut self, step: &ir::TestStep) -> Result<Seen, String> {
        let mut seen = Seen::default();
        match &step.kind {
            TestStepKind::Context(path, value) => {
                let (first, rest) = path.split_first().ok_or("the context has no name")?;
                let mut value = to_value(value)?;
                for name in rest.iter().rev() {
                    value = record([(name.as_str(), value)]);
                }
                self.session.set_context(&record([(first.as_str(), value)]));
            }
            TestStepKind::Lookup(lookup, args, value) => {
                let name = self
                    .policy
                    .lookups
                    .get(lookup.0 as usize)
                    .map(|lookup| lookup.name.as_str())
                    .unwrap_or_default();
                let args = args.iter().map(to_value).collect::<Result<Vec<_>, _>>()?;
                self.host.answer(name, &args, to_value(value)?);
            }
            TestStepKind::After(nanos) => self.clock = self.clock.saturating_add(*nanos),
            TestStepKind::Input(text) => {
                self.event(
                    step,
                    OwnedKind::Input { text: text.clone() },
                    None,
                    &mut seen,
                )?;
            }
            TestStepKind::Output(text) => {
                self.event(
                    step,
                    OwnedKind::Output { text: text.clone() },
                    None,
                    &mut seen,
                )?;
            }
            TestStepKind::Event(event, fields) => {
                let name = self
                    .policy
                    .events
                    .get(event.0 as usize)
                    .map(|event| event.name.clone())
                    .unwrap_or_default();
                let mut record = Record::new();
                for (name, value) in fields {
                    record.insert(name.as_str(), to_value(value)?);
                }
                let fields = Value::Record(record);
                self.event(step, OwnedKind::Declared { name, fields }, None, &mut seen)?;
            }
            TestStepKind::Call(tool, args, outcome) => {
                self.calls += 1;
                let id = format!("call {}", self.calls);
                let kind = OwnedKind::Call {
                    id: Some(id.clone()),
                    tool: tool.name.clone(),
                    args: to_value(args)?,
                };
                let made = self.event(step, kind, tool.server.as_deref(), &mut seen)?;
                match outcome {
                    Some(outcome) if made => self.answer(step, tool, &id, outcome, &mut seen)?,
                    None if made => self.open.push_back((tool.clone(), id)),
                    _ => {}
                }
            }
            TestStepKind::Return(tool, outcome) => {
                let at = self
                    .open
                    .iter()
                    .position(|(open, _)| open == tool)
                    .ok_or_else(|| format!("no call of `{}` is open", tool.name))?;
                let (_, id) = self.open.remove(at).ok_or("no call is open")?;
                self.answer(step, tool, &id, outcome, &mut seen)?;
            }
            TestStepKind::End => {
                let outcome = self.session.finish();
                let mut pending = Vec::new();
                for (contract, outcome) in self.library.contracts().zip(&outcome.contracts) {
                    if !outcome.pending.is_empty() {
                        pending.push(contract.name().to_owned());
                    } else if outcome.value == Value3::Fail {
                        seen.failed.push(contract.name().to_owned());
                    }
                }
                seen.pending = Some(pending);
            }
        }
        Ok(seen)
    }

    /// The return of a call.
    fn answer(
        &mut self,
        step: &ir::TestStep,
        tool: &ir::Tool,
        id: &str,
        outcome: &Outcome,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let (status, result, error) = match outcome {
            Outcome::Success(value) => (Status::Success, Some(to_value(value)?), None),
            Outcome::Failure(text) => (Status::Failure, None, Some(text.clone())),
            Outcome::Unknown => (Status::Unknown, None, None),
        };
        let kind = OwnedKind::Return {
            id: Some(id.to_owned()),
            tool: Some(tool.name.clone()),
            status,
            result,
            error,
        };
        self.event(step, kind, tool.server.as_deref(), seen)?;
        Ok(())
    }

    /// Gates an event; gives whether it was recorded.
    fn event(
        &mut self,
        step: &ir::TestStep,
        kind: OwnedKind,
        server: Option<&str>,
        seen: &mut Seen,
    ) -> Result<bool, String> {
        let mut event = Traced::new(kind, 0);
        event.server = server.map(str::to_owned);
        event.time = Some(self.clock);
        facts(&mut event, &step.meta)?;
        self.clock = event.time.unwrap_or(self.clock);
        let gated = gate(&mut self.session, &event.as_event(), &mut self.host)
            .map_err(|error| error.to_string())?;
        if gated.decision.verb != Verb::Allow {
            let contracts = objecting(self.library, &gated.decision);
            let message = gated
                .decision
                .objections
                .iter()
                .find(|objection| objection.verb == gated.decision.verb)
                .map(|objection| match &objection.detail {
                    Some(detail) => format!("{} ({detail})", objection.message),
                    None => objection.message.clone(),
                })
                .unwrap_or_default();
            seen.decisions
                .push((gated.decision.verb, contracts, message));
        }
        // A warning is a violation that the decision has told of already.
        if gated.decision.verb != Verb::Warn {
            for violation in &gated.report.violations {
                seen.violated
                    .push(self.library.contract(violation.contract).name().to_owned());
            }
        }
        Ok(gated.recorded)
    }

    /// What a step was to show against what it showed.
    fn compare(&self, step: &ir::TestStep, seen: &Seen) -> Vec<String> {
        let mut wrong = Vec::new();
        if step.expect.is_empty() {
            if matches!(step.kind, TestStepKind::End) {
                let open = seen.pending.iter().flatten().chain(&seen.failed);
                for contract in open {
                    wrong.push(format!(
                        "expected nothing open at the end, but `{contract}` is not satisfied"
                    ));
                }
                return wrong;
            }
            for (verb, contracts, message) in &seen.decisions {
                wrong.push(format!(
                    "expected to be allowed, but got {} by {}: {message}",
                    verb.name(),
                    quoted(contracts)
                ));
            }
            if !seen.violated.is_empty() {
                wrong.push(format!(
                    "expected to be allowed, but it violates {}",
                    quoted(&seen.violated)
                ));
            }
            return wrong;
        }
        for expect in &step.expect {
            if let Some(what) = self.unmet(expect, seen) {
                wrong.push(what);
            }
        }
        wrong
    }

    /// Why an expectation is not met.
    fn unmet(&self, expect: &ir::Expect, seen: &Seen) -> Option<String> {
        let by: BTreeSet<String> = expect
            .by
            .iter()
            .filter_map(|index| self.policy.contracts.get(*index as usize))
            .map(|contract| contract.name.clone())
            .collect();
        let (name, verb) = match expect.what {
            Expected::Allow => {
                return (!seen.decisions.is_empty() || !seen.violated.is_empty())
                    .then(|| format!("expected allow, but {}", in_words(seen)));
            }
            Expected::Satisfied => {
                let open: Vec<String> = seen
                    .pending
                    .iter()
                    .flatten()
                    .chain(&seen.failed)
                    .filter(|name| by.is_empty() || by.contains(*name))
                    .cloned()
                    .collect();
                return (!open.is_empty())
                    .then(|| format!("expected satisfied, but {} is not", quoted(&open)));
            }
            Expected::Pending => {
                let pending: BTreeSet<String> = seen.pending.iter().flatten().cloned().collect();
                let met = if by.is_empty() {
                    !pending.is_empty()
                } else {
                    by.is_subset(&pending)
                };
                return (!met).then(|| {
                    format!(
                        "expected {} to be pending, but {}",
                        some(&by),
                        if pending.is_empty() {
                            "nothing is".to_owned()
                        } else {
                            format!("{} is", quoted(&pending.into_iter().collect::<Vec<_>>()))
                        }
                    )
                });
            }
            Expected::Violation => {
                let violated: BTreeSet<String> = seen.violated.iter().cloned().collect();
                let met = if by.is_empty() {
                    !violated.is_empty()
                } else {
                    by.is_subset(&violated)
                };
                return (!met).then(|| {
                    format!(
                        "expected a violation of {}, but {}",
                        some(&by),
                        in_words(seen)
                    )
                });
            }
            Expected::Block => ("block", Verb::Block),
            Expected::Warn => ("warn", Verb::Warn),
            Expected::Escalate => ("escalate", Verb::Escalate),
            Expected::Redirect => ("redirect", Verb::Redirect),
            Expected::Repair => ("repair", Verb::Repair),
            Expected::Suppress => ("suppress", Verb::Suppress),
        };
        let met = seen.decisions.iter().any(|(seen, contracts, _)| {
            *seen == verb && by.iter().all(|name| contracts.contains(name))
        });
        (!met).then(|| {
            let by = if by.is_empty() {
                String::new()
            } else {
                format!(" by {}", some(&by))
            };
            format!("expected {name}{by}, but {}", in_words(seen))
        })
    }
}

/// What was seen, in words.
fn in_words(seen: &Seen) -> String {
    let mut parts: Vec<String> = seen
        .decisions
        .iter()
        .map(|(verb, contracts, message)| {
            format!("got {} by {}: {message}", verb.name(), quoted(contracts))
        })
        .collect();
    if !seen.violated.is_empty() {
        parts.push(format!("it violates {}", quoted(&seen.violated)));
    }
    if parts.is_empty() {
        "it was allowed".to_owned()
    } else {
        parts.join("; ")
    }
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn some(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        "some contract".to_owned()
    } else {
        quoted(&names.iter().cloned().collect::<Vec<_>>())
    }
}

/// What a step says of its event beside what happens.
fn facts(event: &mut Traced, meta: &[(String, Json)]) -> Result<(), String> {
    for (name, value) in meta {
        let value = to_value(value)?;
        let integer = || {
            value
                .as_number()
                .and_then(ctr_runtime::decimal::Decimal::to_i64)
                .ok_or_else(|| format!("`{name}` is no integer"))
        };
        let text = || {
            value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("`{name}` is no string"))
        };
        match name.as_str() {
            "agent" => event.agent = Some(text()?),
            "server" => event.server = Some(text()?),
            "turn" => event.turn = Some(integer()?),
            "depth" => event.depth = Some(integer()?),
            "tokens" => event.tokens = Some(integer()?),
            "time" => {
                event.time = Some(
                    match &value {
                        Value::Number(seconds) => seconds.seconds_to_nanos(),
                        Value::Str(text) => ctr_runtime::time::parse_timestamp(text),
                        _ => None,
                    }
                    .ok_or("`time` is no RFC 3339 time and no number of seconds")?,
                );
            }
            other => {
                return Err(format!(
                    "`{other}` is none of agent, server, time, turn, depth, tokens"
                ));
            }
        }
    }
    Ok(())
}

fn record<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut record = Record::new();
    for (name, value) in fields {
        record.insert(name, value);
    }
    Value::Record(record)
}

/// A value of the policy in the runtime's terms.
fn to_value(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(text) => Value::Number(
            ctr_runtime::decimal::Decimal::parse(text)
                .ok_or_else(|| format!("the number `{text}` does not fit"))?,
        ),
        Json::Str(text) => Value::Str(text.clone()),
        Json::List(items) => Value::List(items.iter().map(to_value).collect::<Result<_, _>>()?),
        Json::Record(fields) => {
            let mut record = Record::new();
            for (name, value) in fields {
                if record.insert(name.as_str(), to_value(value)?).is_some() {
                    return Err(format!("the field `{name}` stands twice"));
                }
            }
            Value::Record(record)
        }
    })
}
