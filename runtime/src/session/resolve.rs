//! From an event as the host reports it to one that conditions can read: its number and time, its
//! tool, and for a return its call.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use super::calls::{CallState, OpenCall, Paired};
use super::{EventError, MAX_CACHED_NAME, MAX_TOOL_CACHE, Session};
use crate::eval::frame::{Frame, FrameKind, Slot, ToolFit, wire_name};
use crate::event::{Event, EventKind, Status};
use crate::json;
use crate::value::Value;

/// What an event's frame borrows from.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) seq: u64,
    time: Option<i64>,
    kind: FrameKind,
    fit: Option<Arc<ToolFit>>,
    pub(crate) paired: Option<Paired>,
    /// The error of a failure without result, which is what came back.
    error: Option<Value>,
    /// For a call, whether its id is still that of another one.
    pub(crate) reused: bool,
}

impl Subject {
    pub(crate) fn frame<'e>(&'e self, event: &'e Event<'_>) -> Frame<'e> {
        let call = self.paired.as_ref().map(|p| &*p.call);
        let meta = &event.meta;
        let mut frame = Frame {
            seq: self.seq,
            kind: self.kind,
            tools: self.fit.as_deref(),
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

/// The return that a call would have if it succeeded `now`, the time of the proposed call, with a
/// result that nobody knows.
pub(crate) fn imagined<'e>(seq: u64, call: &'e OpenCall, now: Slot<i64>) -> Frame<'e> {
    Frame {
        seq,
        kind: FrameKind::Return(Status::Success),
        tools: Some(&call.fit),
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

    /// The library's tools that a name stands for.
    pub(super) fn fit(&mut self, server: Option<&str>, name: &str) -> Arc<ToolFit> {
        let at = server.unwrap_or_default();
        let known = self.tools.get(at);
        if let Some(fit) = known.and_then(|names| names.get(name)) {
            return fit.clone();
        }
        let fit = Arc::new(ToolFit::resolve(self.library, server, name));
        let size: usize = self.tools.values().map(BTreeMap::len).sum();
        if size >= MAX_TOOL_CACHE {
            self.tools.clear();
        }
        if at.len() + name.len() > MAX_CACHED_NAME {
            return fit;
        }
        let names = self.tools.entry(at.to_owned()).or_default();
        names.insert(name.to_owned(), fit.clone());
        fit
    }

    /// Finds out what an event is about. Moves the clock, and nothing else.
    pub(super) fn resolve(&mut self, event: &Event<'_>) -> Result<Subject, EventError> {
        let mut subject = Subject {
            seq: self.next,
            time: None,
            kind: FrameKind::Input,
            fit: None,
            paired: None,
            error: None,
            reused: false,
        };
        let value = match &event.kind {
            EventKind::Call { args, .. } => Some(*args),
            EventKind::Return { result, .. } => *result,
            EventKind::Declared { fields, .. } => Some(*fields),
            EventKind::Input { .. } | EventKind::Output { .. } => None,
        };
        if value.is_some_and(|value| value.is_deeper_than(json::MAX_DEPTH)) {
            return Err(EventError::TooDeep);
        }
        match &event.kind {
            EventKind::Call { id, tool, .. } => {
                if !self.calls.has_room(&self.limits) {
                    return Err(EventError::TooManyOpenCalls);
                }
                subject.kind = FrameKind::Call;
                subject.fit = Some(self.fit(event.meta.server, tool));
                subject.reused = match recorded_id(*id) {
                    Some(id) => self.calls.is_live(id),
                    None => false,
                };
            }
            EventKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => {
                subject.kind = FrameKind::Return(*status);
                let id = recorded_id(*id);
                let paired = self.calls.pair(id, *tool).ok_or(EventError::NoSuchCall {
                    id: id.map(ToOwned::to_owned),
                })?;
                if let Some(tool) = tool {
                    let server = event.meta.server.or(paired.call.server.as_deref());
                    let name = |name| wire_name(self.library, server, name).1;
                    if name(tool.trim()) != name(&paired.call.tool) {
                        return Err(EventError::OtherTool {
                            id: paired.call.id.clone(),
                            tool: tool.trim().to_owned(),
                            called: paired.call.tool.clone(),
                        });
                    }
                }
                subject.fit = Some(match (event.meta.server, &paired.call.server) {
                    // A return that records a server where its call has none says which it was.
                    (Some(server), None) => {
                        let tool = paired.call.tool.clone();
                        self.fit(Some(server), &tool)
                    }
                    _ => paired.call.fit.clone(),
                });
                subject.paired = Some(paired);
                if result.is_none() && *status == Status::Failure {
                    subject.error = error.map(Value::from);
                }
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
        let EventKind::Call { id, tool, args } = &event.kind else {
            return;
        };
        let call = OpenCall {
            id: recorded_id(*id).map(ToOwned::to_owned),
            tool: tool.trim().to_owned(),
            server: event.meta.server.map(ToOwned::to_owned),
            agent: event.meta.agent.map(ToOwned::to_owned),
            args: (*args).clone(),
            fit: subject.fit.clone().unwrap_or_default(),
        };
        self.calls.insert(subject.seq, Arc::new(call), state);
    }
}
