//! From an event as the host reports it to one that conditions can read: its number and time, its
//! tool, and for a return its call.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;

use super::calls::{CallState, OpenCall, Paired};
use super::plan::Plan;
use super::steps::{Concern, Fit, UNFIT, UNNAMED, WIRED};
use super::{EventError, Session};
use crate::eval::frame::{Frame, FrameKind, Slot, wire_name};
use crate::event::{Event, EventKind, Status};
use crate::format::Library;
use crate::json;
use crate::recycle::Recycler;
use crate::value::Value;

/// What an event's frame borrows from.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) seq: u64,
    time: Option<i64>,
    kind: FrameKind,
    /// What its tool's name stands for; for most returns it is that of the call.
    fit: Option<Arc<Fit>>,
    /// The number of that.
    fit_number: u32,
    /// Whether the return may ask for the call's arguments.
    keeps_args: bool,
    /// How much the arguments of a call count for.
    weight: usize,
    pub(crate) paired: Option<Paired>,
    /// The error of a failure without result, which is what came back.
    error: Option<Value>,
    /// For a call, whether its id is still that of another one.
    pub(crate) reused: bool,
}

impl Subject {
    fn fit(&self) -> Option<&Fit> {
        self.fit.as_deref()
    }

    /// What the event concerns; `None` for events that the library does not know.
    pub(crate) fn concern<'s>(&'s self, plan: &'s Plan) -> Option<&'s Concern> {
        match self.kind {
            FrameKind::Call => self.fit().map(|fit| &fit.call),
            FrameKind::Return(status) => self.fit().map(|fit| fit.returned(status)),
            FrameKind::Input => Some(&plan.steps.input),
            FrameKind::Output => Some(&plan.steps.output),
            FrameKind::Declared(event) => event.and_then(|event| plan.steps.event(event)),
        }
    }

    pub(crate) fn kind(&self) -> FrameKind {
        self.kind
    }

    /// Keeps the error of a failure without result as a value, for conditions that read the result.
    pub(super) fn keep_error(&mut self, event: &Event<'_>, recycler: &mut Recycler) {
        if let EventKind::Return {
            status: Status::Failure,
            result: None,
            error: Some(error),
            ..
        } = event.kind
        {
            self.error = Some(Value::Str(recycler.text(error)));
        }
    }

    /// Gives the memory of the error back.
    pub(super) fn release(self, recycler: &mut Recycler) {
        if let Some(error) = self.error {
            recycler.take(error);
        }
    }

    pub(crate) fn frame<'e>(&'e self, event: &'e Event<'_>) -> Frame<'e> {
        let call = self.paired.as_ref().map(|p| &*p.call);
        let meta = &event.meta;
        let mut frame = Frame {
            seq: self.seq,
            kind: self.kind,
            tools: self.fit().map(|fit| &fit.tools),
            agent: meta.agent.or(call.and_then(|c| c.agent.as_deref())),
            server: meta.server.or(call.and_then(|c| c.server.as_deref())),
            time: self.time.into(),
            turn: meta.turn.into(),
            depth: meta.depth.into(),
            tokens: meta.tokens.into(),
            ..Frame::blank()
        };
        match &event.kind {
            EventKind::Call { args, .. } => frame.args = Some(args),
            EventKind::Return { result, error, .. } => {
                frame.args = call.map(|c| &c.args);
                frame.result = match (result, &self.error) {
                    (Some(result), _) => Slot::Known(result),
                    (None, Some(error)) => Slot::Known(error),
                    (None, None) => Slot::Missing,
                };
                frame.text = *error;
            }
            EventKind::Input { text } | EventKind::Output { text } => frame.text = Some(text),
            EventKind::Declared { fields, .. } => frame.fields = Some(fields),
        }
        frame
    }
}

/// Memory for an id has at least so many bytes: they grow with the number of calls.
const MIN_ID: usize = 32;

/// The number of what a name stands for.
pub(super) fn find_fit(
    library: &Library<'_>,
    plan: &Plan,
    server: Option<&str>,
    name: &str,
) -> u32 {
    let server = server.map(str::trim).filter(|server| !server.is_empty());
    let name = trimmed(name);
    if !name.starts_with(WIRED) {
        return plan.steps.named(server, name);
    }
    let (server, name) = wire_name(library, server, name);
    plan.steps.named(server, name)
}

/// The return that a call would have if it succeeded `now`, the time of the proposed call, with a
/// result that nobody knows.
pub(crate) fn imagined<'e>(
    plan: &'e Plan,
    seq: u64,
    call: &'e OpenCall,
    now: Slot<i64>,
) -> Frame<'e> {
    Frame {
        seq,
        kind: FrameKind::Return(Status::Success),
        tools: Some(&plan.steps.fit(call.fit).tools),
        args: Some(&call.args),
        result: Slot::Unknown,
        agent: call.agent.as_deref(),
        server: call.server.as_deref(),
        time: now,
        turn: Slot::Unknown,
        depth: Slot::Unknown,
        tokens: Slot::Unknown,
        ..Frame::blank()
    }
}

/// The same for a call that is only proposed.
pub(crate) fn imagined_own<'e>(call: &Frame<'e>) -> Frame<'e> {
    Frame {
        seq: call.seq,
        kind: FrameKind::Return(Status::Success),
        tools: call.tools,
        args: call.args,
        result: Slot::Unknown,
        agent: call.agent,
        server: call.server,
        symbols: call.symbols,
        time: call.time,
        turn: Slot::Unknown,
        depth: Slot::Unknown,
        tokens: Slot::Unknown,
        ..Frame::blank()
    }
}

/// The text without white space around it. Most names have none, which their ends show.
pub(super) fn trimmed(name: &str) -> &str {
    match name.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => name,
        _ => name.trim(),
    }
}

/// An id as recorded; an empty one is none.
pub(crate) fn recorded_id(id: Option<&str>) -> Option<&str> {
    id.filter(|id| !id.is_empty())
}

impl Session<'_> {
    /// Moves the clock: time never runs backwards, an earlier stamp counts as the latest one seen.
    pub(super) fn clamp(&mut self, time: Option<i64>) -> Option<i64> {
        let time = time?;
        let clamped = self.clock.map_or(time, |clock| clock.max(time));
        self.clock = Some(clamped);
        Some(clamped)
    }

    /// Notes what a name stands for.
    fn find(&self, subject: &mut Subject, server: Option<&str>, name: &str) {
        let number = find_fit(self.library, &self.plan, server, name);
        subject.fit_number = number;
        subject.fit = Some(self.plan.steps.fit(number).clone());
    }

    /// Finds out what an event is about. Moves the clock, and nothing else.
    pub(super) fn resolve(&mut self, event: &Event<'_>) -> Result<Subject, EventError> {
        let mut subject = Subject {
            seq: self.next,
            time: None,
            kind: FrameKind::Input,
            fit: None,
            fit_number: UNFIT,
            keeps_args: true,
            weight: 0,
            paired: None,
            error: None,
            reused: false,
        };
        let value = match &event.kind {
            // Its depth is found when it is weighed.
            EventKind::Call { .. } => None,
            EventKind::Return { result, .. } => *result,
            EventKind::Declared { fields, .. } => Some(*fields),
            EventKind::Input { .. } | EventKind::Output { .. } => None,
        };
        if value.is_some_and(|value| value.is_deeper_than(json::MAX_DEPTH)) {
            return Err(EventError::TooDeep);
        }
        match &event.kind {
            EventKind::Call { id, tool, args } => {
                subject.weight = args.weight().ok_or(EventError::TooDeep)?;
                if !self.calls.has_room(&self.limits) {
                    return Err(EventError::TooManyOpenCalls);
                }
                subject.kind = FrameKind::Call;
                self.find(&mut subject, event.meta.server, tool);
                // Without a server such a name is read in another way than with one, which the return may
                // record.
                let ambiguous = event.meta.server.is_none() && trimmed(tool).starts_with(WIRED);
                subject.keeps_args = ambiguous || subject.fit().is_some_and(|fit| fit.keeps_args);
                subject.reused = match recorded_id(*id) {
                    Some(id) => self.calls.is_live(id),
                    None => false,
                };
            }
            EventKind::Return {
                id, tool, status, ..
            } => {
                subject.kind = FrameKind::Return(*status);
                let id = recorded_id(*id);
                let paired = self
                    .calls
                    .pair(&self.plan.steps, id, *tool)
                    .ok_or_else(|| EventError::NoSuchCall {
                        id: id.map(ToOwned::to_owned),
                    })?;
                let called = paired.call.tool(&self.plan.steps);
                if let Some(tool) = tool
                    // Under the name of its call it needs no closer look.
                    && trimmed(tool) != called
                {
                    let server = event.meta.server.or(paired.call.server.as_deref());
                    let name = |name| wire_name(self.library, server, name).1;
                    if name(tool.trim()) != name(called) {
                        return Err(EventError::OtherTool {
                            id: paired.call.id().map(ToOwned::to_owned),
                            tool: tool.trim().to_owned(),
                            called: called.to_owned(),
                        });
                    }
                }
                // A return that records a server where its call has none says which it was.
                match (event.meta.server, &paired.call.server) {
                    (Some(server), None) => self.find(&mut subject, Some(server), called),
                    _ => {
                        subject.fit_number = paired.call.fit;
                        subject.fit = Some(self.plan.steps.fit(paired.call.fit).clone());
                    }
                }
                subject.paired = Some(paired);
            }
            EventKind::Input { .. } => {}
            EventKind::Output { .. } => subject.kind = FrameKind::Output,
            EventKind::Declared { name, .. } => {
                subject.kind = FrameKind::Declared(self.library.event_named(name.trim()));
            }
        }
        subject.time = self.clamp(event.meta.time);
        Ok(subject)
    }

    /// Notes a call as open.
    pub(super) fn open_call(&mut self, event: &Event<'_>, subject: &Subject, state: CallState) {
        let EventKind::Call { tool, .. } = event.kind else {
            return;
        };
        let fit = subject.fit();
        let opening = Opening {
            name: self.plan.steps.number(trimmed(tool)),
            fit: subject.fit_number,
            endangers: fit.is_some_and(|fit| !fit.endangered.is_empty()),
            keeps_args: subject.keeps_args,
            weight: subject.weight,
        };
        let Self {
            calls, plan, work, ..
        } = self;
        calls.insert(&plan.steps, subject.seq, state, |call| {
            opening.fill(call, event, &mut work.recycler);
        });
    }
}

/// What is noted of a call beside what its event holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The number of its tool's name.
    pub(super) name: u32,
    pub(super) fit: u32,
    pub(super) endangers: bool,
    pub(super) keeps_args: bool,
    pub(super) weight: usize,
}

impl Opening {
    /// Writes a call into memory that another one may have left.
    #[inline(always)]
    pub(super) fn fill(self, call: &mut OpenCall, event: &Event<'_>, recycler: &mut Recycler) {
        let EventKind::Call { id, tool, args } = event.kind else {
            return;
        };
        let id = id.unwrap_or_default();
        call.id.clear();
        if id.len() > call.id.capacity() {
            call.id.reserve(id.len().max(MIN_ID));
        }
        call.id.push_str(id);
        call.name = self.name;
        call.text.clear();
        if self.name == UNNAMED {
            call.text.push_str(trimmed(tool));
        }
        let texts = [
            (&mut call.server, event.meta.server),
            (&mut call.agent, event.meta.agent),
        ];
        for (to, from) in texts {
            match (&mut *to, from) {
                (None, None) => {}
                (Some(old), Some(text)) => {
                    old.clear();
                    old.push_str(text);
                }
                (None, Some(text)) => *to = Some(recycler.text(text)),
                (Some(_), None) => {
                    if let Some(old) = to.take() {
                        recycler.take_string(old);
                    }
                }
            }
        }
        (call.fit, call.endangers) = (self.fit, self.endangers);
        if !matches!(call.args, Value::Null) {
            recycler.take(core::mem::take(&mut call.args));
        }
        call.args_weight = self.weight;
        if self.keeps_args {
            call.args = recycler.copy(args);
        }
    }
}
