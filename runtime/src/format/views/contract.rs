//! Contracts, their clauses, deadlines, actions and messages.

use core::fmt;
use core::ops::Range;

use super::lists::{Ids, Texts};
use super::{join, optional};
use crate::format::index::KindClass;
use crate::format::layout::{self, Section, action, contract};
use crate::format::library::Library;
use crate::format::model::{Place, Side};

/// A clause as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseRef<'l> {
    /// Which side.
    pub side: Side,
    /// Its text.
    pub text: &'l str,
    /// Where it stands.
    pub place: Place,
}

impl<'l> ClauseRef<'l> {
    fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [side, text, source, start, end] = library.tables().record(Section::Clauses, id, 0);
        Self {
            side: layout::value(&layout::SIDE, side).unwrap_or(Side::Guarantee),
            text: library.tables().text(text),
            place: Place { source, start, end },
        }
    }
}

/// `P leads to Q within d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineRef<'l> {
    /// The contract that has it.
    pub contract: u32,
    /// Which side.
    pub side: Side,
    /// Boolean combination of patterns.
    pub trigger: u32,
    /// Boolean combination of patterns.
    pub response: u32,
    /// Nanoseconds.
    pub within: i64,
    /// As written.
    pub text: &'l str,
}

impl<'l> DeadlineRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        let [contract, side, trigger, response, low, high, text] =
            library.tables().record(Section::Deadlines, id, 0);
        Self {
            contract,
            side: layout::value(&layout::SIDE, side).unwrap_or(Side::Guarantee),
            trigger,
            response,
            within: join(low, high),
            text: library.tables().text(text),
        }
    }
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePartRef<'l> {
    /// Text.
    Text(&'l str),
    /// The value of an expression.
    Expr(u32),
}

/// An action.
#[derive(Clone, Copy, Debug)]
pub enum ActionRef<'l> {
    /// Refuse.
    Block,
    /// Record and tell.
    Warn,
    /// Hold for the host.
    Escalate,
    /// Another call instead.
    Redirect {
        /// The tool's id.
        tool: u32,
        /// Its arguments.
        args: RedirectArgs<'l>,
    },
    /// Change arguments where exactly one change complies.
    Repair,
}

/// The arguments of a redirected call.
#[derive(Clone, Copy)]
pub struct RedirectArgs<'l> {
    library: &'l Library<'l>,
    /// Pairs: name, expression.
    words: Ids<'l>,
}

impl<'l> RedirectArgs<'l> {
    /// The number of arguments.
    #[must_use]
    pub const fn len(self) -> usize {
        self.words.len() / 2
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// Names and expressions, in order.
    pub fn iter(self) -> impl Iterator<Item = (&'l str, u32)> + Clone + 'l {
        (0..self.len()).filter_map(move |n| {
            let name = self.words.get(2 * n)?;
            let expr = self.words.get(2 * n + 1)?;
            Some((self.library.tables().text(name), expr))
        })
    }
}

impl fmt::Debug for RedirectArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A contract.
#[derive(Clone, Copy)]
pub struct ContractRef<'l> {
    library: &'l Library<'l>,
    id: u32,
}

impl<'l> ContractRef<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, id: u32) -> Self {
        Self { library, id }
    }

    fn words<const N: usize>(self, from: usize) -> [u32; N] {
        self.library
            .tables()
            .record(Section::Contracts, self.id, from)
    }

    fn text(self, at: usize) -> &'l str {
        let [text] = self.words(at);
        self.library.tables().text(text)
    }

    fn optional_text(self, at: usize) -> Option<&'l str> {
        let [text] = self.words(at);
        optional(text).map(|text| self.library.tables().text(text))
    }

    fn ids(self, at: usize) -> Ids<'l> {
        let [start, count] = self.words(at);
        Ids::new(self.library, start, count)
    }

    fn texts(self, at: usize) -> Texts<'l> {
        Texts {
            library: self.library,
            ids: self.ids(at),
        }
    }

    /// Its number in the library.
    #[must_use]
    pub const fn id(self) -> u32 {
        self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'l str {
        self.text(contract::NAME)
    }

    /// Its module.
    #[must_use]
    pub fn module(self) -> &'l str {
        self.text(contract::MODULE)
    }

    /// Its documentation.
    #[must_use]
    pub fn doc(self) -> &'l str {
        self.text(contract::DOC)
    }

    /// Where it stands.
    #[must_use]
    pub fn place(self) -> Place {
        let [source, start, end] = self.words(contract::PLACE);
        Place { source, start, end }
    }

    /// Its keys' names.
    #[must_use]
    pub fn keys(self) -> Texts<'l> {
        self.texts(contract::KEYS)
    }

    /// The number of its keys.
    #[must_use]
    pub fn key_count(self) -> u32 {
        let [_, count] = self.words(contract::KEYS);
        count
    }

    /// Whether events of a kind are steps of it.
    #[must_use]
    pub fn watches(self, kind: KindClass) -> bool {
        let [bits] = self.words(contract::WATCH);
        match kind {
            KindClass::Call => bits & 1 != 0,
            KindClass::Return => bits & 2 != 0,
            KindClass::Input => bits & 4 != 0,
            KindClass::Output => bits & 8 != 0,
            KindClass::Declared(event) => self.watched_events().contains_sorted(event),
        }
    }

    /// The declared events that are steps of it, ascending.
    #[must_use]
    pub fn watched_events(self) -> Ids<'l> {
        self.ids(contract::WATCH_EVENTS)
    }

    /// The patterns of its formulas and deadlines.
    #[must_use]
    pub fn patterns(self) -> Ids<'l> {
        self.ids(contract::PATTERNS)
    }

    /// Its clauses.
    pub fn clauses(self) -> impl ExactSizeIterator<Item = ClauseRef<'l>> + 'l {
        let [first, count] = self.words(contract::CLAUSES);
        (first..first.saturating_add(count)).map(move |id| ClauseRef::new(self.library, id))
    }

    /// Its deadlines' numbers in the library.
    #[must_use]
    pub fn deadlines(self) -> Range<u32> {
        let [first, count] = self.words(contract::DEADLINES);
        first..first.saturating_add(count)
    }

    /// The assumption's automaton; `None`: true.
    #[must_use]
    pub fn assume(self) -> Option<u32> {
        let [id] = self.words(contract::ASSUME);
        optional(id)
    }

    /// The guarantee's automaton; `None`: true.
    #[must_use]
    pub fn guarantee(self) -> Option<u32> {
        let [id] = self.words(contract::GUARANTEE);
        optional(id)
    }

    /// What happens where the guarantee would be violated.
    #[must_use]
    pub fn action(self) -> ActionRef<'l> {
        let [code, tool] = self.words(contract::ACTION);
        match code {
            action::WARN => ActionRef::Warn,
            action::ESCALATE => ActionRef::Escalate,
            action::REDIRECT => ActionRef::Redirect {
                tool,
                args: RedirectArgs {
                    library: self.library,
                    words: self.ids(contract::REDIRECT_ARGS),
                },
            },
            action::REPAIR => ActionRef::Repair,
            _ => ActionRef::Block,
        }
    }

    /// What is told, in parts.
    pub fn message(self) -> impl Iterator<Item = MessagePartRef<'l>> + Clone + 'l {
        let words = self.ids(contract::MESSAGE);
        (0..words.len() / 2).filter_map(move |n| {
            let code = words.get(2 * n)?;
            let operand = words.get(2 * n + 1)?;
            Some(match code {
                1 => MessagePartRef::Expr(operand),
                _ => MessagePartRef::Text(self.library.tables().text(operand)),
            })
        })
    }

    /// `@id`
    #[must_use]
    pub fn rule_id(self) -> Option<&'l str> {
        self.optional_text(contract::ID)
    }

    /// `@severity`
    #[must_use]
    pub fn severity(self) -> Option<&'l str> {
        self.optional_text(contract::SEVERITY)
    }

    /// `@source`: the document, and the section where it is said.
    #[must_use]
    pub fn source(self) -> Option<(&'l str, Option<&'l str>)> {
        let document = self.optional_text(contract::SOURCE)?;
        Some((document, self.optional_text(contract::SOURCE + 1)))
    }

    /// `@tags`
    #[must_use]
    pub fn tags(self) -> Texts<'l> {
        self.texts(contract::TAGS)
    }

    /// `@agents`: globs; empty: all.
    #[must_use]
    pub fn agents(self) -> Texts<'l> {
        self.texts(contract::AGENTS)
    }
}

impl fmt::Debug for ContractRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContractRef({:?})", self.name())
    }
}
