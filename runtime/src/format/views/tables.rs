//! Patterns, registers, atoms, names and sources.

use core::cmp::Ordering;
use core::fmt;

use super::lists::Ids;
use super::{join, low_byte, optional, second_byte};
use crate::format::index::KindClass;
use crate::format::layout::{self, Section, kind, tools};
use crate::format::library::Library;
use crate::format::model::{EventKind, RegisterKind};

/// Which tools a pattern names; the lists are ascending.
#[derive(Clone, Copy, Debug)]
pub enum ToolsRef<'l> {
    /// Any, and events without a tool.
    Any,
    /// These.
    OneOf(Ids<'l>),
    /// All others.
    Except(Ids<'l>),
}

/// An event pattern.
#[derive(Clone, Copy)]
pub struct PatternRef<'l> {
    /// The kind.
    pub kind: EventKind,
    /// The tools.
    pub tools: ToolsRef<'l>,
    /// One expression a key, or none.
    pub keys: Ids<'l>,
    /// The other conditions.
    pub condition: Option<u32>,
    library: &'l Library<'l>,
    text: u32,
}

impl<'l> PatternRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [
            first,
            declared,
            choice,
            tools_start,
            tools_count,
            keys_start,
            keys_count,
            condition,
            text,
        ] = library.tables().record(Section::Patterns, id, 0);
        let kind = match low_byte(first) {
            kind::CALL => EventKind::Call,
            kind::RETURN => EventKind::Return(
                layout::value(&layout::STATUS, second_byte(first)).unwrap_or_default(),
            ),
            kind::INPUT => EventKind::Input,
            kind::OUTPUT => EventKind::Output,
            _ => EventKind::Declared(declared),
        };
        let list = Ids::new(library, tools_start, tools_count);
        Self {
            kind,
            tools: match choice {
                tools::ONE_OF => ToolsRef::OneOf(list),
                tools::EXCEPT => ToolsRef::Except(list),
                _ => ToolsRef::Any,
            },
            keys: Ids::new(library, keys_start, keys_count),
            condition: optional(condition),
            library,
            text,
        }
    }

    /// The pattern for people.
    #[must_use]
    pub fn text(self) -> &'l str {
        self.library.tables().text(self.text)
    }

    /// The kind without the status.
    #[must_use]
    pub const fn kind_class(self) -> KindClass {
        match self.kind {
            EventKind::Call => KindClass::Call,
            EventKind::Return(_) => KindClass::Return,
            EventKind::Input => KindClass::Input,
            EventKind::Output => KindClass::Output,
            EventKind::Declared(event) => KindClass::Declared(event),
        }
    }
}

impl fmt::Debug for PatternRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PatternRef({:?})", self.text())
    }
}

/// What an aggregate remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterRef {
    /// What of it.
    pub kind: RegisterKind,
    /// A Boolean combination of patterns.
    pub member: u32,
    /// The value taken of a member.
    pub value: Option<u32>,
    /// Only members at most so many nanoseconds old.
    pub window: Option<i64>,
    /// Number of keys.
    pub keys: u32,
}

impl RegisterRef {
    pub(in crate::format) fn new(library: &Library<'_>, id: u32) -> Self {
        let [kind, member, value, windowed, low, high, keys] =
            library.tables().record(Section::Registers, id, 0);
        Self {
            kind: layout::value(&layout::REGISTER, kind).unwrap_or(RegisterKind::Count),
            member,
            value: optional(value),
            window: (windowed != 0).then(|| join(low, high)),
            keys,
        }
    }
}

/// An atom of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomRef<'l> {
    /// Its expression: a pattern, or a condition.
    pub expr: u32,
    /// For people.
    pub text: &'l str,
    /// What has to hold for it to be false, where the policy says so itself.
    pub remedy: Option<&'l str>,
}

impl<'l> AtomRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [expr, text, remedy] = library.tables().record(Section::Atoms, id, 0);
        Self {
            expr,
            text: library.tables().text(text),
            remedy: optional(remedy).map(|text| library.tables().text(text)),
        }
    }
}

/// A tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolRef<'l> {
    /// Its server, where the policy says.
    pub server: Option<&'l str>,
    /// Its name.
    pub name: &'l str,
}

impl<'l> ToolRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [server, name] = library.tables().record(Section::Tools, id, 0);
        Self {
            server: optional(server).map(|text| library.tables().text(text)),
            name: library.tables().text(name),
        }
    }
}

/// A declared tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredRef<'l> {
    /// Its server, where declared.
    pub server: Option<&'l str>,
    /// Its name.
    pub name: &'l str,
    /// The JSON Schema of its arguments, as JSON text.
    pub input: Option<&'l str>,
}

impl<'l> DeclaredRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [server, name, input] = library.tables().record(Section::Declared, id, 0);
        Self {
            server: optional(server).map(|text| library.tables().text(text)),
            name: library.tables().text(name),
            input: optional(input).map(|text| library.tables().text(text)),
        }
    }
}

/// A lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookupRef<'l> {
    /// Its name.
    pub name: &'l str,
    /// Number of arguments.
    pub arity: u32,
}

impl<'l> LookupRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [name, arity] = library.tables().record(Section::Lookups, id, 0);
        Self {
            name: library.tables().text(name),
            arity,
        }
    }
}

/// A source file of the policy.
#[derive(Clone, Copy, Debug)]
pub struct SourceRef<'l> {
    /// Its path, with `/`.
    pub path: &'l str,
    /// SHA-256 of its text.
    pub sha256: [u8; 32],
    /// Offsets of its line starts in bytes, ascending from 0.
    pub lines: Ids<'l>,
}

impl<'l> SourceRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [path] = library.tables().record(Section::Sources, id, 0);
        let [start, count] = library.tables().record(Section::Sources, id, 9);
        let mut sha256 = [0; 32];
        let first = (id as usize) * Section::Sources.words() + 1;
        let bytes = library.tables().words(Section::Sources, first, 8);
        for (to, from) in sha256.iter_mut().zip(bytes) {
            *to = *from;
        }
        Self {
            path: library.tables().text(path),
            sha256,
            lines: Ids::new(library, start, count),
        }
    }

    /// Line and column (in bytes), both from 1, of a byte offset.
    #[must_use]
    pub fn line_col(self, offset: u32) -> (u32, u32) {
        let (words, _) = self.lines.bytes.as_chunks();
        let line = words
            .partition_point(|word| u32::from_le_bytes(*word).cmp(&offset) != Ordering::Greater);
        let start = line
            .checked_sub(1)
            .and_then(|line| self.lines.get(line))
            .unwrap_or(0);
        let line = u32::try_from(line.max(1)).unwrap_or(u32::MAX);
        (line, (offset - start).saturating_add(1))
    }
}
