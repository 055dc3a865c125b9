//! `ctrc.replay`: a recorded session, step by step.

use std::collections::HashMap;
use std::sync::Arc;

use ctr_front::ir::{Place, Side};
use ctr_front::world::World as _;
use ctr_runtime::decision::{Reason, Verb, Violation};
use ctr_runtime::event::Status;
use ctr_runtime::format::Library;
use ctr_runtime::session::{EventError, Plan, Session, Standing};
use ctr_runtime::value::Value as Datum;
use ctr_trace::judge::{Acted, Grader, Onlooker, Report};
use ctr_trace::{OwnedKind, Step, Traced, detect, files};
use lsp_types::{Range, Uri};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clauses::Clauses;
use super::policy::Policy;
use super::telling;
use super::tests::json;
use crate::overlay::{self, Overlay};
use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;
use crate::uri;

/// So many instances of a keyed contract are followed.
const MAX_INSTANCES: usize = 500;

/// So many events of a session are listed.
const MAX_STEPS: usize = 10_000;

/// So many sessions of a file are listed.
const MAX_SESSIONS: usize = 200;

/// A summary is cut to so many characters.
const LINE: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object is taken")]
pub(super) struct Args {
    uri: Uri,
    #[serde(default)]
    contract: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    view: View,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum View {
    #[default]
    Recorded,
    Gated,
}

#[derive(Debug, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<String>,
    sessions: Vec<Told>,
    /// Sessions of the file that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Told {
    name: String,
    format: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Stand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instances: Option<Vec<Option<String>>>,
    steps: Vec<Shown>,
    end: Vec<Owed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<usize>,
}

/// The states of a contract's automata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct States {
    #[serde(skip_serializing_if = "Option::is_none")]
    assume: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
struct Stand {
    states: States,
    standing: &'static str,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    kind: &'static str,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Change>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<States>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    violations: Vec<Owed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    malformed: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Change {
    instance: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<States>,
    states: States,
    standing: &'static str,
}

/// What is told of a contract: at an event, or at the end.
#[derive(Clone, Debug, Serialize)]
struct Owed {
    contract: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
    /// The clause that is broken or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<Spot>,
}

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
struct Spot {
    uri: Uri,
    range: Range,
}

pub(super) fn run(snapshot: &Snapshot, args: &Args, desk: &Desk) -> Result<Value, Failure> {
    let tell = |failure: &Failure| telling::failure(snapshot, desk, failure);
    let policy = Policy::open(snapshot, &args.uri, "not replayed").inspect_err(tell)?;
    let contract = match &args.contract {
        Some(name) => Some(policy.contract(name).inspect_err(tell)?),
        None => None,
    };
    let library = policy.loaded()?;
    let plan = Arc::new(Plan::new(&library));
    let (name, text) = text(snapshot, args).inspect_err(tell)?;
    let unreadable = |error: ctr_trace::Unreadable| Failure::Refused(error.to_string());
    let pieces = detect::split(&name, &text)
        .map_err(unreadable)
        .inspect_err(tell)?;
    let mut sessions = Vec::new();
    for piece in pieces.iter().take(MAX_SESSIONS) {
        if desk.is_given_up() {
            return Err(Failure::GivenUp);
        }
        let session = detect::read(piece).map_err(unreadable).inspect_err(tell)?;
        let judged = Judged {
            snapshot,
            policy: &policy,
            library: &library,
            plan: &plan,
            only: contract.and_then(|index| u32::try_from(index).ok()),
        };
        sessions.push(told(&judged, contract, &session, args.view));
    }
    let verdicts: Vec<String> = sessions
        .iter()
        .map(|session| format!("{}: {}", session.name, session.verdict))
        .collect();
    telling::info(snapshot, desk, &verdicts.join("\n"));
    json(&Answer {
        contract: args.contract.clone(),
        sessions,
        truncated: pieces.len().checked_sub(MAX_SESSIONS).filter(|n| *n > 0),
    })
}

/// The session's name and text: as it is given, as the editor has it, or as it lies on the disk.
fn text(snapshot: &Snapshot, args: &Args) -> Result<(String, String), Failure> {
    match (&args.path, &args.text) {
        (path, Some(text)) => {
            let name = path.as_deref().unwrap_or("session");
            Ok((
                uri::path(name).unwrap_or_else(|| name.to_owned()),
                text.clone(),
            ))
        }
        (Some(path), None) => {
            let path = uri::path(path).unwrap_or_else(|| path.clone());
            if snapshot.documents.contains_key(&overlay::canonical(&path)) {
                let world = Overlay::new(&snapshot.documents);
                let bytes = world.read(&path).unwrap_or_default();
                return Ok((path, String::from_utf8_lossy(&bytes).into_owned()));
            }
            // Nobody writes to a pipe while an editor waits.
            let is_file = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
            if !is_file {
                return Err(Failure::Refused(format!("{path}: no such file")));
            }
            let text = files::read(&path).map_err(|error| Failure::Refused(error.to_string()))?;
            Ok((path, text))
        }
        (None, None) => Err(Failure::Parameters(
            "`ctrc.replay` takes `path` or `text`".to_owned(),
        )),
    }
}

/// By what sessions are judged.
struct Judged<'j> {
    snapshot: &'j Snapshot,
    policy: &'j Policy,
    library: &'j Library<'static>,
    plan: &'j Arc<Plan>,
    /// The contract that is asked about.
    only: Option<u32>,
}

fn told(
    judged: &Judged<'_>,
    contract: Option<usize>,
    session: &ctr_trace::Session,
    view: View,
) -> Told {
    let Judged {
        policy,
        library,
        plan,
        only: number,
        ..
    } = *judged;
    let fresh = Session::with_plan(library, Arc::clone(plan));
    let initial = |id: Option<u32>| {
        let automata = &policy.artifact.model.automata;
        id.and_then(|id| automata.get(id as usize))
            .map(|a| a.initial)
    };
    let model = contract.and_then(|index| policy.artifact.model.contracts.get(index));
    let start = number.map(|number| Stand {
        states: States {
            assume: initial(model.and_then(|contract| contract.assume)),
            guarantee: initial(model.and_then(|contract| contract.guarantee)),
        },
        standing: words(fresh.standing(number)),
    });
    let mut watch = Watch::new(number, &fresh);
    let mut grader = Grader::new(library, plan);
    let report = match view {
        View::Recorded => grader.recorded_before(session, &mut watch),
        View::Gated => grader.gated_before(session, &mut watch),
    };
    let verdict = match contract.and_then(|index| report.outcome.contracts.get(index)) {
        Some(outcome) => outcome.value,
        None => report.outcome.agent,
    };
    let clauses = Clauses::of(policy, &report, &mut |grader| match view {
        View::Recorded => grader.recorded(session),
        View::Gated => grader.gated(session),
    });
    let (at, end) = violations(judged, &report, &clauses);
    let instances = number.map(|_| watch.keys.iter().map(key_text).collect());
    let (steps, events) = steps(session, &mut watch, start.as_ref(), at, number.is_some());
    Told {
        name: session.name.clone(),
        format: session.format.name(),
        verdict: verdict.name(),
        start,
        instances,
        truncated: events.checked_sub(MAX_STEPS).filter(|n| *n > 0),
        steps,
        end,
    }
}

/// What is told of events, by their numbers, and of the end.
fn violations(
    judged: &Judged<'_>,
    report: &Report,
    clauses: &Clauses,
) -> (HashMap<u64, Vec<Owed>>, Vec<Owed>) {
    let mut at: HashMap<u64, Vec<Owed>> = HashMap::new();
    let mut end = Vec::new();
    let Judged { library, only, .. } = *judged;
    let spot = |place: Place| {
        let (uri, range) = judged.policy.location(judged.snapshot, place)?;
        Some(Spot { uri, range })
    };
    let mut tell = |violation: &Violation, side: Side, message: String| {
        if only.is_some_and(|only| only != violation.contract) {
            return;
        }
        let owed = Owed {
            contract: library.contract(violation.contract).name().to_owned(),
            key: key_text(&violation.key),
            message,
            event: violation.event,
            clause: clauses
                .get(violation.contract, side, violation.event, &violation.key)
                .and_then(spot),
        };
        match (violation.reason, violation.event) {
            (Reason::PendingAtEnd, _) | (_, None) => end.push(owed),
            (_, Some(event)) => at.entry(event).or_default().push(Owed {
                event: None,
                ..owed
            }),
        }
    };
    for outcome in &report.outcome.contracts {
        for violation in &outcome.violations {
            let message = match &violation.detail {
                Some(detail) => format!("{} ({detail})", violation.message),
                None => violation.message.clone(),
            };
            tell(violation, Side::Guarantee, message);
        }
        if let Some(broken) = &outcome.assumption {
            tell(
                broken,
                Side::Assume,
                "the assumption is broken: nothing is asked any more".to_owned(),
            );
        }
    }
    for decided in &report.decisions {
        for objection in &decided.decision.objections {
            if only.is_some_and(|only| only != objection.contract) {
                continue;
            }
            let verb = decided.decision.verb.name();
            at.entry(decided.event).or_default().push(Owed {
                contract: library.contract(objection.contract).name().to_owned(),
                key: key_text(&objection.key),
                message: format!("{verb}: {}", objection.message),
                event: None,
                clause: clauses
                    .get(
                        objection.contract,
                        Side::Guarantee,
                        Some(decided.event),
                        &objection.key,
                    )
                    .and_then(spot),
            });
        }
    }
    (at, end)
}

/// The steps, and how many events there are.
fn steps(
    session: &ctr_trace::Session,
    watch: &mut Watch,
    start: Option<&Stand>,
    mut at: HashMap<u64, Vec<Owed>>,
    follows: bool,
) -> (Vec<Shown>, usize) {
    let mut out = Vec::new();
    let mut moments = std::mem::take(&mut watch.moments).into_iter();
    let mut number = 0;
    let mut tools: HashMap<&str, &str> = HashMap::new();
    let mut shown = start.cloned();
    let mut key = None;
    for step in &session.steps {
        let is_event = matches!(step, Step::Event(_));
        if out.len() >= MAX_STEPS {
            number += u64::from(is_event);
            continue;
        }
        let mut told = summary(step, &mut tools);
        if let Step::Event(event) = step {
            told.event = Some(number);
            told.line = Some(event.line);
            let moment = moments.next().unwrap_or_default();
            if let Some(change) = moment.changes.first() {
                key = watch.keys.get(change.instance).and_then(key_text);
                shown = Some(Stand {
                    states: change.states,
                    standing: change.standing,
                });
            }
            if follows {
                told.changes = Some(moment.changes);
                told.key.clone_from(&key);
                told.states = shown.as_ref().map(|place| place.states);
                told.standing = shown.as_ref().map(|place| place.standing);
            }
            told.left_out = moment.left_out.then_some(true);
            told.malformed = moment.malformed;
            told.violations = at.remove(&number).unwrap_or_default();
            told.message = told.violations.first().map(|v| v.message.clone());
            told.violated = (!told.violations.is_empty()).then_some(true);
            number += 1;
        }
        out.push(told);
    }
    (out, usize::try_from(number).unwrap_or(usize::MAX))
}

fn summary<'s>(step: &'s Step, tools: &mut HashMap<&'s str, &'s str>) -> Shown {
    let (kind, tool, text): (&'static str, Option<&str>, String) = match step {
        Step::Context(fields) => ("context", None, format!("context {fields}")),
        Step::Lookup { name, args, value } => {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            let text = format!("lookup {name}({}) = {value}", args.join(", "));
            ("lookup", None, text)
        }
        Step::Event(event) => match &event.kind {
            OwnedKind::Call { id, tool, args } => {
                if let Some(id) = id {
                    tools.insert(id, tool);
                }
                ("call", Some(tool), format!("call {tool} {args}"))
            }
            OwnedKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => {
                let known = id.as_deref().and_then(|id| tools.get(id).copied());
                let tool = tool.as_deref().or(known);
                let word = match status {
                    Status::Success => "success",
                    Status::Failure => "failure",
                    Status::Unknown => "unknown",
                };
                let said = match (error, result) {
                    (Some(error), _) => error.clone(),
                    (None, Some(result)) => result.to_string(),
                    (None, None) => String::new(),
                };
                let text = format!("{word} {} {said}", tool.unwrap_or_default());
                ("return", tool, text)
            }
            OwnedKind::Input { text } => ("input", None, format!("input {text}")),
            OwnedKind::Output { text } => ("output", None, format!("output {text}")),
            OwnedKind::Declared { name, fields } => {
                ("event", None, format!("event {name} {fields}"))
            }
        },
    };
    Shown {
        kind,
        summary: brief(&text),
        tool: tool.map(str::to_owned),
        ..Shown::default()
    }
}

/// On one line, cut where it is long.
fn brief(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == LINE {
            out.push('…');
            break;
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

#[expect(clippy::ptr_arg, reason = "keys are kept as they come")]
fn key_text(key: &Vec<Datum>) -> Option<String> {
    let parts: Vec<String> = key.iter().map(ToString::to_string).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn words(standing: Option<Standing>) -> &'static str {
    standing.map_or("no instance yet", Standing::name)
}

#[derive(Debug, Default)]
struct Moment {
    changes: Vec<Change>,
    left_out: bool,
    malformed: Option<String>,
}

/// Follows a contract through a session.
struct Watch {
    contract: Option<u32>,
    moments: Vec<Moment>,
    /// The keys of the instances, in order of occurrence.
    keys: Vec<Vec<Datum>>,
    known: HashMap<u32, usize>,
    last: Vec<Option<(States, Standing)>>,
}

impl Watch {
    fn new(contract: Option<u32>, fresh: &Session<'_>) -> Self {
        let mut watch = Self {
            contract,
            moments: Vec::new(),
            keys: Vec::new(),
            known: HashMap::new(),
            last: Vec::new(),
        };
        // The one instance of a contract without keys is there from the start.
        watch.look(fresh);
        watch
    }

    /// The instances that are not as they were.
    fn look(&mut self, session: &Session<'_>) -> Vec<Change> {
        let Some(contract) = self.contract else {
            return Vec::new();
        };
        let mut now: Vec<(usize, Standing)> = Vec::new();
        session.standings(contract, |n, key, standing| {
            if self.keys.len() >= MAX_INSTANCES && !self.known.contains_key(&n) {
                return;
            }
            let at = *self.known.entry(n).or_insert_with(|| {
                self.keys.push(key.to_vec());
                self.last.push(None);
                self.keys.len() - 1
            });
            now.push((at, standing));
        });
        let mut states: HashMap<usize, States> = HashMap::new();
        session.states(contract, |n, _, assume, guarantee| {
            if let Some(at) = self.known.get(&n) {
                states.insert(*at, States { assume, guarantee });
            }
        });
        let mut changes = Vec::new();
        for (at, standing) in now {
            let Some(last) = self.last.get_mut(at) else {
                continue;
            };
            let from = last.map(|(states, _)| states);
            let mut to = states.get(&at).copied().unwrap_or_default();
            // Once the assumption is broken the automata are not looked at: they are shown where they stood.
            if to == States::default() {
                to = from.unwrap_or_default();
            }
            if *last == Some((to, standing)) {
                continue;
            }
            *last = Some((to, standing));
            changes.push(Change {
                instance: at,
                from,
                states: to,
                standing: standing.name(),
            });
        }
        changes
    }
}

impl Onlooker for Watch {
    fn after(&mut self, session: &Session<'_>, _event: &Traced, acted: &Acted) {
        if self.moments.len() >= MAX_STEPS {
            return;
        }
        let changes = self.look(session);
        let refused = acted.decision.as_ref().map(|decision| decision.verb);
        self.moments.push(Moment {
            changes,
            left_out: !acted.kept && refused != Some(Verb::Warn),
            malformed: None,
        });
    }

    fn malformed(&mut self, _event: &Traced, error: &EventError) {
        self.moments.push(Moment {
            malformed: Some(error.to_string()),
            ..Moment::default()
        });
    }
}
