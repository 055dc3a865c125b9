//! Judging a recorded session, in either view.

use std::collections::BTreeMap;
use std::sync::Arc;

use ctr_runtime::decision::{ContractOutcome, Decision, Outcome, Value3, Verb, Violation};
use ctr_runtime::format::Library;
use ctr_runtime::session::{EventError, Host, Plan, Recorded, Session, gate};
use ctr_runtime::value::Value;

use crate::{self as trace, Format, Step, Traced, detect};

/// What judging a session gave.
#[derive(Clone, Debug)]
pub struct Report {
    /// The session's name.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// The reward that a benchmark gave.
    pub reward: Option<f64>,
    /// Verdicts and violations; event numbers are those of the recording.
    pub outcome: Outcome,
    /// Events in the recording.
    pub events: u64,
    /// In the gated view: every decision but allow.
    pub decisions: Vec<Decided>,
    /// Events that make no sense where they stand.
    pub malformed: Vec<Malformed>,
    /// Returns whose call was guessed from the order.
    pub ambiguous: u64,
}

/// A decision about an event of a recording.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The event's number in the recording.
    pub event: u64,
    /// The id of its call.
    pub id: Option<String>,
    /// The decision.
    pub decision: Decision,
}

/// The names of the contracts that object, each once, in order of the library.
#[must_use]
pub fn objecting(library: &Library<'_>, decision: &Decision) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for objection in &decision.objections {
        let name = library.contract(objection.contract).name();
        if !names.iter().any(|seen| seen == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// An event that was left out because it makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The event's number in the recording.
    pub event: u64,
    /// The line or message that it came from.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Report {
    /// Whether there is anything to tell but a clean verdict.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        !self.decisions.is_empty()
            || self
                .outcome
                .contracts
                .iter()
                .any(|contract| contract.value != Value3::Active || contract.assumption.is_some())
    }
}

/// Answers lookups from a recording.
#[derive(Debug, Default)]
pub struct Recording {
    answers: BTreeMap<(String, String), Value>,
}

impl Recording {
    /// Remembers an answer; a later one for the same arguments replaces it.
    pub fn answer(&mut self, name: &str, args: &[Value], value: Value) {
        self.answers.insert((name.to_owned(), key(args)), value);
    }
}

/// Arguments as one text: equal values give equal texts.
fn key(args: &[Value]) -> String {
    ctr_runtime::json::to_string(&Value::List(args.to_vec()))
}

impl Host for Recording {
    fn lookup(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        self.answers.get(&(name.to_owned(), key(args))).cloned()
    }
}

/// The recorded view: every event happened. For several recordings a [`Grader`] is faster.
#[must_use]
pub fn recorded(library: &Library<'_>, plan: &Arc<Plan>, recording: &trace::Session) -> Report {
    Grader::new(library, plan).recorded(recording)
}

/// The gated view: what enforcement would have let through.
#[must_use]
pub fn gated(library: &Library<'_>, plan: &Arc<Plan>, recording: &trace::Session) -> Report {
    Grader::new(library, plan).gated(recording)
}

/// Replays lines of the native trace format as a user would: a session that `ctr-check` shows. `name` says in errors what it
/// is for.
///
/// # Errors
///
/// Where they cannot be read, or an event makes no sense: a fault of the program that made them.
pub fn shown(library: &Library<'_>, name: &str, lines: &[String]) -> Result<Report, String> {
    let fault = |what: &str| format!("the session for {name} {what}");
    let text = lines.join("\n");
    let pieces = detect::split("session.jsonl", &text)
        .map_err(|error| fault(&format!("cannot be read: {error}")))?;
    let [piece] = pieces.as_slice() else {
        return Err(fault("is not one session"));
    };
    let session =
        detect::read(piece).map_err(|error| fault(&format!("cannot be read: {error}")))?;
    let plan = Arc::new(Plan::new(library));
    let report = recorded(library, &plan, &session);
    match report.malformed.first() {
        Some(malformed) => Err(fault(&format!("makes no sense: {}", malformed.what))),
        None => Ok(report),
    }
}

/// Looks on while a recording is judged. `()` does not.
pub trait Onlooker {
    /// An event is next. The session may be asked, also by [`Session::propose`], but not moved.
    fn before(&mut self, _session: &mut Session<'_>, _event: &Traced, _host: &mut Recording) {}
    /// The session took the event.
    fn after(&mut self, _session: &Session<'_>, _event: &Traced, _acted: &Acted) {}
    /// The event makes no sense where it stands.
    fn malformed(&mut self, _event: &Traced, _error: &EventError) {}
}

impl Onlooker for () {}

/// What became of an event.
#[derive(Debug)]
pub struct Acted {
    /// In the gated view: the decision.
    pub decision: Option<Decision>,
    /// Whether it was recorded.
    pub kept: bool,
    /// Whether it was left out only because its call had been.
    pub left_out: bool,
    /// What came of it.
    pub recorded: Recorded,
}

/// Judges recordings one after another; what one needs of memory serves the next.
#[derive(Debug)]
pub struct Grader<'l> {
    session: Session<'l>,
    numbers: Numbers,
}

impl<'l> Grader<'l> {
    /// Judges against a library; `plan` must have been made from it.
    #[must_use]
    pub fn new(library: &'l Library<'l>, plan: &Arc<Plan>) -> Self {
        Self {
            session: Session::with_plan(library, Arc::clone(plan)),
            numbers: Numbers::default(),
        }
    }

    /// [`recorded`].
    pub fn recorded(&mut self, recording: &trace::Session) -> Report {
        self.recorded_before(recording, &mut ())
    }

    /// [`gated`].
    pub fn gated(&mut self, recording: &trace::Session) -> Report {
        self.gated_before(recording, &mut ())
    }

    /// [`recorded`], while somebody looks on.
    pub fn recorded_before(
        &mut self,
        recording: &trace::Session,
        onlooker: &mut impl Onlooker,
    ) -> Report {
        self.judge(recording, onlooker, |session, event, host| {
            Ok(Acted {
                decision: None,
                kept: true,
                left_out: false,
                recorded: session.record(&event.as_event(), host)?,
            })
        })
    }

    /// [`gated`], while somebody looks on.
    pub fn gated_before(
        &mut self,
        recording: &trace::Session,
        onlooker: &mut impl Onlooker,
    ) -> Report {
        self.judge(recording, onlooker, |session, event, host| {
            let gated = gate(session, &event.as_event(), host)?;
            Ok(Acted {
                decision: Some(gated.decision),
                kept: gated.recorded,
                left_out: gated.left_out,
                recorded: gated.report,
            })
        })
    }

    /// Plays a recording to the session.
    fn judge(
        &mut self,
        recording: &trace::Session,
        onlooker: &mut impl Onlooker,
        mut act: impl FnMut(&mut Session<'_>, &Traced, &mut Recording) -> Result<Acted, EventError>,
    ) -> Report {
        let Self { session, numbers } = self;
        session.restart();
        numbers.restart();
        let mut host = Recording::default();
        let mut decisions = Vec::new();
        let mut malformed = Vec::new();
        let mut ambiguous = 0;
        for step in &recording.steps {
            let event = match step {
                Step::Context(fields) => {
                    session.set_context(fields);
                    continue;
                }
                Step::Lookup { name, args, value } => {
                    host.answer(name, args, value.clone());
                    continue;
                }
                Step::Event(event) => event,
            };
            let number = numbers.seen;
            numbers.seen += 1;
            onlooker.before(session, event, &mut host);
            match act(session, event, &mut host) {
                Err(error) => {
                    onlooker.malformed(event, &error);
                    malformed.push(Malformed {
                        event: number,
                        line: event.line,
                        what: error.to_string(),
                    });
                }
                Ok(acted) => {
                    onlooker.after(session, event, &acted);
                    if let Some(decision) = acted.decision
                        && decision.verb != Verb::Allow
                    {
                        decisions.push(Decided {
                            event: number,
                            id: event.id().map(str::to_owned),
                            decision,
                        });
                    }
                    numbers.taken.push(number);
                    ambiguous += u64::from(acted.recorded.ambiguous);
                }
            }
        }
        let mut outcome = session.finish();
        numbers.restore(&mut outcome, recording);
        Report {
            name: recording.name.clone(),
            format: recording.format,
            reward: recording.reward,
            outcome,
            events: numbers.seen,
            decisions,
            malformed,
            ambiguous,
        }
    }
}

/// The session numbers the events that it could take; a recording numbers all.
#[derive(Debug, Default)]
struct Numbers {
    seen: u64,
    /// For each event that the session took, its number in the recording.
    taken: Vec<u64>,
}

impl Numbers {
    fn restart(&mut self) {
        self.seen = 0;
        self.taken.clear();
    }

    /// Gives the events of an outcome their numbers in the recording.
    fn restore(&self, outcome: &mut Outcome, recording: &trace::Session) {
        let told = |contract: &ContractOutcome| {
            !contract.violations.is_empty()
                || !contract.pending.is_empty()
                || contract.assumption.is_some()
        };
        if !outcome.contracts.iter().any(told) {
            return;
        }
        let events: Vec<&Traced> = recording
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Event(event) => Some(event),
                _ => None,
            })
            .collect();
        let id_of = |number: u64| {
            let event = usize::try_from(number).ok().and_then(|n| events.get(n))?;
            event.id().map(str::to_owned)
        };
        for contract in &mut outcome.contracts {
            let violations = contract
                .violations
                .iter_mut()
                .chain(&mut contract.assumption);
            for Violation { event, id, .. } in violations {
                *event = self.of(*event);
                // What is told at the end names the event at which it began.
                if id.is_none() {
                    *id = event.and_then(id_of);
                }
            }
            for pending in &mut contract.pending {
                pending.event = self.of(pending.event);
            }
        }
    }

    fn of(&self, taken: Option<u64>) -> Option<u64> {
        let index = usize::try_from(taken?).ok()?;
        self.taken.get(index).copied()
    }
}
