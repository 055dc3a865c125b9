//! An event as conditions see it: with its call, its resolved tool, and what nobody knows yet.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::Workspace;
use super::datum::Truth;
use super::datum::{Gap, WhyKind};
use super::symbolic::Symbols;
use crate::event::Status;
use crate::format::model;
use crate::format::{KindClass, Library, PatternRef, ToolsRef};
use crate::json::{self, Selection};
use crate::recycle::Recycler;
use crate::text;
use crate::value::Value;

/// Memory of an event's text is kept up to so many bytes.
const MAX_KEPT_TEXT: usize = 1 << 20;

/// A part of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot<T> {
    /// It was recorded.
    Known(T),
    /// It was not.
    Missing,
    /// It is still to come.
    Unknown,
}

impl<T> From<Option<T>> for Slot<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Known)
    }
}

impl<T> Slot<T> {
    /// The value, or the gap.
    pub(crate) fn get(self, expr: u32, missing: WhyKind) -> Result<T, Gap> {
        match self {
            Self::Known(value) => Ok(value),
            Self::Missing => Err(Gap::new(expr, missing)),
            Self::Unknown => Err(Gap::Unknown),
        }
    }
}

/// Which tools of the library the event's tool is: those that it certainly is, and those that it may
/// be (a server-qualified tool where the server was not recorded and is not the only one).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFit {
    /// Ascending.
    pub sure: Vec<u32>,
    /// Ascending.
    pub maybe: Vec<u32>,
    /// Both, ascending.
    pub all: Vec<u32>,
}

impl ToolFit {
    /// Resolves a tool's name as the host gave it, with the recorded server where there is one
    /// (language reference, section 3).
    #[must_use]
    pub fn resolve(library: &Library<'_>, server: Option<&str>, name: &str) -> Self {
        let name = name.trim();
        let server = server.map(str::trim).filter(|s| !s.is_empty());
        let (server, name) = wire_name(library, server, name);
        Self::of(library, server, name)
    }

    /// The same for a name that [`wire_name`] has taken apart.
    pub(crate) fn of(library: &Library<'_>, server: Option<&str>, name: &str) -> Self {
        let named = library.tools_named(name);
        let mut servers: Vec<&str> = Vec::new();
        for id in named {
            if let Some(s) = library.tool(*id).server
                && !servers.contains(&s)
            {
                servers.push(s);
            }
        }
        let mut fit = Self::default();
        for id in named {
            match (library.tool(*id).server, server) {
                (None, _) => fit.sure.push(*id),
                (Some(wanted), Some(given)) if wanted == given => fit.sure.push(*id),
                (Some(_), Some(_)) => {}
                (Some(_), None) if servers.len() == 1 => fit.sure.push(*id),
                (Some(_), None) => fit.maybe.push(*id),
            }
        }
        fit.all.extend(fit.sure.iter().chain(&fit.maybe));
        crate::order::sort(&mut fit.all);
        fit
    }
}

/// Splits `mcp__server__tool`: the recorded server wins, and then the prefix is dropped only where it
/// names that server; otherwise known servers are tried, the longest first, then the first `__`.
pub(crate) fn wire_name<'n>(
    library: &Library<'_>,
    server: Option<&'n str>,
    name: &'n str,
) -> (Option<&'n str>, &'n str) {
    let Some(rest) = name.strip_prefix("mcp__") else {
        return (server, name);
    };
    if let Some(server) = server {
        let tool = rest
            .strip_prefix(server)
            .and_then(|r| r.strip_prefix("__"))
            .filter(|t| !t.is_empty());
        return (Some(server), tool.unwrap_or(name));
    }
    let mut first = None;
    let mut longest = None;
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|r| r.find("__")) {
        let at = from + at;
        let (Some(head), Some(tail)) = (rest.get(..at), rest.get(at + 2..)) else {
            break;
        };
        if !head.is_empty() && !tail.is_empty() {
            if first.is_none() {
                first = Some((head, tail));
            }
            if library.has_server(head) {
                longest = Some((head, tail));
            }
        }
        from = at + 1;
    }
    match longest.or(first) {
        Some((server, tool)) => (Some(server), tool),
        None => (None, name),
    }
}

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A call.
    Call,
    /// A return.
    Return(Status),
    /// A message to the agent.
    Input,
    /// A message from the model.
    Output,
    /// A declared event; `None` where the library does not know its name.
    Declared(Option<u32>),
}

impl FrameKind {
    /// The kind without the status; `None` for events that no contract can name.
    #[must_use]
    pub fn class(self) -> Option<KindClass> {
        match self {
            Self::Call => Some(KindClass::Call),
            Self::Return(_) => Some(KindClass::Return),
            Self::Input => Some(KindClass::Input),
            Self::Output => Some(KindClass::Output),
            Self::Declared(id) => id.map(KindClass::Declared),
        }
    }

    /// Whether the agent decides it.
    #[must_use]
    pub fn is_agents(self) -> bool {
        matches!(self, Self::Call | Self::Output)
    }
}

/// An event.
#[derive(Debug)]
pub struct Frame<'e> {
    /// Its number in the session.
    pub seq: u64,
    /// Its kind.
    pub kind: FrameKind,
    /// Its tool; `None` for events without one.
    pub tools: Option<&'e ToolFit>,
    /// The arguments of the call.
    pub args: Option<&'e Value>,
    /// The result of the return.
    pub result: Slot<&'e Value>,
    /// The text of a message, or the error of a failure.
    pub text: Option<&'e str>,
    /// The fields of a declared event.
    pub fields: Option<&'e Value>,
    /// `event.agent`
    pub agent: Option<&'e str>,
    /// `event.server`
    pub server: Option<&'e str>,
    /// `event.time`, never earlier than the session's clock.
    pub time: Slot<i64>,
    /// `event.turn`
    pub turn: Slot<i64>,
    /// `event.depth`
    pub depth: Slot<i64>,
    /// `event.tokens`
    pub tokens: Slot<i64>,
    /// Where the arguments are left open: what is assumed of them.
    pub(crate) symbols: Option<&'e Symbols>,
    /// The result, where it is a text that holds a JSON list or record.
    pub(crate) parsed: OnceCell<Option<Value>>,
    /// The event's text for `mentioned`.
    pub(crate) normal: OnceCell<String>,
}

impl<'e> Frame<'e> {
    /// An event of which nothing is known, as messages at the end of a session see it.
    #[must_use]
    pub fn blank() -> Self {
        Self {
            seq: 0,
            kind: FrameKind::Declared(None),
            tools: None,
            args: None,
            result: Slot::Missing,
            text: None,
            fields: None,
            agent: None,
            server: None,
            time: Slot::Missing,
            turn: Slot::Missing,
            depth: Slot::Missing,
            tokens: Slot::Missing,
            symbols: None,
            parsed: OnceCell::new(),
            normal: OnceCell::new(),
        }
    }

    /// The result as its fields are read: parsed where it is a text that holds JSON, and then only what is
    /// wanted of it.
    pub(crate) fn structured(
        &self,
        result: &'e Value,
        wanted: &Selection,
        recycler: &mut Recycler,
    ) -> &Value {
        let Value::Str(text) = result else {
            return result;
        };
        let parsed = self.parsed.get_or_init(|| {
            let start = text.trim_start().chars().next();
            if !matches!(start, Some('{' | '[')) {
                return None;
            }
            json::parse_selected(text, wanted, recycler)
                .ok()
                .filter(|v| matches!(v, Value::List(_) | Value::Record(_)))
        });
        parsed.as_ref().unwrap_or(result)
    }

    /// The text of the event, lower case and without white space; for results that are JSON also the
    /// strings in them. Parts are kept apart by line breaks, which the text itself cannot hold.
    pub(crate) fn normal_text(
        &self,
        wanted: &Selection,
        work: &mut Workspace,
    ) -> Result<&str, Gap> {
        if self.result == Slot::Unknown {
            return Err(Gap::Unknown);
        }
        let normal = self.normal.get_or_init(|| {
            let mut out = core::mem::take(&mut work.text);
            match self.kind {
                FrameKind::Call => add(self.args, &mut out),
                FrameKind::Return(_) => {
                    if let Slot::Known(result) = self.result {
                        add(Some(result), &mut out);
                        // Where texts of results are searched, all of them is wanted.
                        let structured = self.structured(result, wanted, &mut work.recycler);
                        if !matches!(structured, Value::Str(_)) {
                            leaves(structured, &mut out);
                        }
                    }
                    if let Some(error) = self.text {
                        text::normalise_into(error, &mut out);
                        out.push('\n');
                    }
                }
                FrameKind::Input | FrameKind::Output => {
                    text::normalise_into(self.text.unwrap_or_default(), &mut out);
                    out.push('\n');
                }
                FrameKind::Declared(_) => add(self.fields, &mut out),
            }
            out
        });
        Ok(normal)
    }

    /// Gives back the memory of what was worked out.
    pub(crate) fn release(self, work: &mut Workspace) {
        if let Some(Some(parsed)) = self.parsed.into_inner() {
            work.recycler.take(parsed);
        }
        if let Some(mut text) = self.normal.into_inner()
            && text.capacity() <= MAX_KEPT_TEXT
        {
            text.clear();
            work.text = text;
        }
    }

    /// Whether the event's kind fits the pattern's, status included.
    pub(crate) fn fits_kind(&self, kind: model::EventKind) -> bool {
        match (kind, self.kind) {
            (model::EventKind::Call, FrameKind::Call)
            | (model::EventKind::Input, FrameKind::Input)
            | (model::EventKind::Output, FrameKind::Output)
            | (model::EventKind::Return(None), FrameKind::Return(_)) => true,
            (model::EventKind::Return(Some(wanted)), FrameKind::Return(status)) => wanted == status,
            (model::EventKind::Declared(wanted), FrameKind::Declared(Some(id))) => wanted == id,
            _ => false,
        }
    }

    /// Whether the event's tool fits the pattern's; the gap names no expression.
    pub(crate) fn fits_tools(&self, tools: ToolsRef<'_>) -> Truth {
        let one_of = |ids: crate::format::Ids<'_>| {
            let Some(fit) = self.tools else {
                return Truth::False;
            };
            if fit.sure.iter().any(|id| ids.contains_sorted(*id)) {
                Truth::True
            } else if fit.maybe.iter().any(|id| ids.contains_sorted(*id)) {
                Truth::Open(Gap::new(u32::MAX, WhyKind::UncertainTool))
            } else {
                Truth::False
            }
        };
        match tools {
            ToolsRef::Any => Truth::True,
            ToolsRef::OneOf(ids) => one_of(ids),
            ToolsRef::Except(ids) => one_of(ids).not(),
        }
    }

    /// Whether the pattern names the event's kind (status aside) and may name its tool.
    pub(crate) fn named_by(&self, pattern: PatternRef<'_>) -> bool {
        self.kind.class() == Some(pattern.kind_class())
            && self.fits_tools(pattern.tools) != Truth::False
    }
}

fn add(value: Option<&Value>, out: &mut String) {
    if let Some(value) = value {
        text::normalise_into(&text::text(value), out);
        out.push('\n');
    }
}

/// The strings in a value, each on its own line.
fn leaves(value: &Value, out: &mut String) {
    let mut open = Vec::from([value]);
    while let Some(value) = open.pop() {
        match value {
            Value::Str(s) => {
                text::normalise_into(s, out);
                out.push('\n');
            }
            Value::List(items) => open.extend(items.iter().rev()),
            Value::Record(record) => open.extend(record.fields().iter().rev().map(|(_, v)| v)),
            _ => {}
        }
    }
}
