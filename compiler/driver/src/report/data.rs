//! What a page shows of a session, gathered while it is judged.

use std::sync::Arc;

use ctr_runtime::decision::{Objection, Reason, Violation};
use ctr_runtime::format::Library;
use ctr_runtime::session::{EventError, Plan, Session, Standing};
use ctr_runtime::value::Value;
use ctr_trace::judge::{Acted, Grader, Onlooker, Recording, Report};
use ctr_trace::{self as trace, OwnedKind, Traced};
use rustc_hash::FxHashMap;

use crate::cli::View;

/// A session with its result and its history.
#[derive(Debug)]
pub struct Told {
    /// The recording.
    pub session: trace::Session,
    /// Its result.
    pub report: Report,
    /// How it went.
    pub story: Story,
}

impl Told {
    /// Judges a recording and keeps its history.
    #[must_use]
    pub fn judge(
        library: &Library<'_>,
        plan: &Arc<Plan>,
        view: View,
        session: trace::Session,
    ) -> Self {
        let mut story = Story::new(library, plan, view);
        let mut grader = Grader::new(library, plan);
        let report = match view {
            View::Recorded => grader.recorded_before(&session, &mut story),
            View::Gated => grader.gated_before(&session, &mut story),
        };
        Self {
            session,
            report,
            story,
        }
    }
}

/// What happened at each event of a recording.
#[derive(Debug)]
pub struct Story {
    /// Whether the recorded view is shown.
    explains: bool,
    /// One for each event of the recording.
    pub moments: Vec<Moment>,
    /// One for each contract.
    pub tracks: Vec<Track>,
    /// Calls that have not returned, by their ids.
    open: FxHashMap<String, u64>,
}

/// An event.
#[derive(Debug, Default)]
pub struct Moment {
    /// Whether enforcement left it out.
    pub left_out: bool,
    /// Whether only because its call had been.
    pub with_its_call: bool,
    /// Whether its call was guessed from the order.
    pub ambiguous: bool,
    /// Why the event makes no sense.
    pub malformed: Option<String>,
    /// In the recorded view: what the contracts that failed by the event would have said of it; of a call also those that
    /// its success would violate.
    pub objections: Vec<Objection>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// For a return: the event of its call.
    pub call: Option<u64>,
}

/// A contract, or an instance of it, that stands otherwise after an event.
#[derive(Clone, Debug)]
pub struct Change {
    /// The contract.
    pub contract: u32,
    /// The instance's key.
    pub key: Vec<Value>,
    /// Before; `None` where the instance begins.
    pub from: Option<Standing>,
    /// After.
    pub to: Standing,
}

/// How something stood over time: from so many events on, how. `None`: no instance yet.
pub type Runs = Vec<(u64, Option<Standing>)>;

/// So many instances of a contract are followed one by one: each is looked at after each event, and no reader goes
/// through thousands. How the contract stands as a whole counts all of them.
pub const MAX_FOLLOWED: usize = 500;

/// A contract over time.
#[derive(Debug, Default)]
pub struct Track {
    /// Before the first event.
    pub start: Option<Standing>,
    /// The contract as a whole; entries are the numbers of the events at which it changed.
    pub whole: Runs,
    /// The instances of a keyed contract, in order of occurrence; of more than [`MAX_FOLLOWED`] the first.
    pub instances: Vec<Instance>,
    /// How many instances there are.
    pub occurred: usize,
    /// By the session's number of the instance.
    known: FxHashMap<u32, usize>,
}

/// An instance of a keyed contract.
#[derive(Debug)]
pub struct Instance {
    /// Its key.
    pub key: Vec<Value>,
    /// How it stood.
    pub runs: Runs,
}

impl Track {
    /// How the contract stands at the end.
    #[must_use]
    pub fn end(&self) -> Option<Standing> {
        self.whole.last().map_or(self.start, |(_, last)| *last)
    }
}

impl Story {
    fn new(library: &Library<'_>, plan: &Arc<Plan>, view: View) -> Self {
        let session = Session::with_plan(library, Arc::clone(plan));
        Self {
            explains: view == View::Recorded,
            moments: Vec::new(),
            tracks: (0..library.contract_count())
                .map(|contract| Track {
                    start: session.standing(contract),
                    ..Track::default()
                })
                .collect(),
            open: FxHashMap::default(),
        }
    }

    fn number(&self) -> u64 {
        self.moments.len() as u64
    }

    /// The event of the call that a return answers, by the ids; calls are remembered.
    fn pair(&mut self, event: &Traced) -> Option<u64> {
        let id = event.id().filter(|id| !id.is_empty())?;
        match &event.kind {
            OwnedKind::Call { .. } => {
                let number = self.number();
                self.open.insert(id.to_owned(), number);
                None
            }
            _ => self.open.remove(id),
        }
    }

    fn look(&mut self, session: &Session<'_>) -> Vec<Change> {
        let number = self.number();
        let mut changes = Vec::new();
        for (contract, track) in (0..).zip(&mut self.tracks) {
            let keyed = session.library().contract(contract).key_count() > 0;
            let before = track.end();
            let after = session.standing(contract);
            if before != after {
                track.whole.push((number, after));
                if let (false, Some(to)) = (keyed, after) {
                    changes.push(Change {
                        contract,
                        key: Vec::new(),
                        from: before,
                        to,
                    });
                }
            }
            if !keyed {
                continue;
            }
            let Track {
                instances,
                known,
                occurred,
                ..
            } = track;
            *occurred = 0;
            session.standings(contract, |n, key, to| {
                *occurred += 1;
                if instances.len() >= MAX_FOLLOWED && !known.contains_key(&n) {
                    return;
                }
                let at = *known.entry(n).or_insert_with(|| {
                    instances.push(Instance {
                        key: key.to_vec(),
                        runs: Vec::new(),
                    });
                    instances.len() - 1
                });
                let Some(instance) = instances.get_mut(at) else {
                    return;
                };
                let from = instance.runs.last().and_then(|(_, last)| *last);
                if from != Some(to) {
                    instance.runs.push((number, Some(to)));
                    changes.push(Change {
                        contract,
                        key: instance.key.clone(),
                        from,
                        to,
                    });
                }
            });
        }
        changes
    }
}

impl Onlooker for Story {
    fn before(&mut self, session: &mut Session<'_>, event: &Traced, host: &mut Recording) {
        let mut moment = Moment {
            call: self.pair(event),
            ..Moment::default()
        };
        // What is recorded tells that a contract failed; a proposal also tells what it saw.
        if self.explains
            && let Ok(decision) = session.propose(&event.as_event(), host)
        {
            moment.objections = decision.objections;
        }
        self.moments.push(moment);
    }

    fn after(&mut self, session: &Session<'_>, _event: &Traced, acted: &Acted) {
        let Some(mut moment) = self.moments.pop() else {
            return;
        };
        moment.left_out = !acted.kept;
        moment.with_its_call = acted.left_out;
        moment.ambiguous = acted.recorded.ambiguous;
        let failed = &acted.recorded.violations;
        moment
            .objections
            .retain(|o| o.reason == Reason::Anticipated || failed.iter().any(|v| concerns(o, v)));
        moment.changes = self.look(session);
        self.moments.push(moment);
    }

    fn malformed(&mut self, _event: &Traced, error: &EventError) {
        if let Some(moment) = self.moments.last_mut() {
            moment.objections.clear();
            moment.malformed = Some(error.to_string());
        }
    }
}

/// The moment of an event.
#[must_use]
pub fn event_at(moments: &[Moment], event: Option<u64>) -> Option<&Moment> {
    moments.get(usize::try_from(event?).ok()?)
}

/// Whether an objection is about what a violation is about.
#[must_use]
pub fn concerns(objection: &Objection, violation: &Violation) -> bool {
    objection.contract == violation.contract && objection.key == violation.key
}
