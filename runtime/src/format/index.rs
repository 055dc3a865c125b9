//! What an event may concern, so that it costs nothing to all else.
//!
//! The index is built when an artifact is loaded: checking a stored one would take as long, and a
//! wrong one would silently switch contracts off.

use alloc::vec;
use alloc::vec::Vec;

use super::error::LoadError;
use super::layout::Section;
use super::library::Library;
use super::model::RegisterKind;
use super::validate::{Facts, MAX_WORK};
use super::views::{ExprRef, ToolsRef};

/// A kind of event, without the status of returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KindClass {
    /// A call.
    Call,
    /// A return.
    Return,
    /// A message to the agent.
    Input,
    /// A message from the model.
    Output,
    /// A declared event, by its id.
    Declared(u32),
}

/// Lists of ascending ids, one a slot.
#[derive(Clone, Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The lists of (slot, item) pairs.
    fn new(slots: u32, mut pairs: Vec<(u32, u32)>) -> Self {
        crate::order::sort(&mut pairs);
        pairs.dedup();
        let mut starts = Vec::with_capacity(slots as usize + 1);
        let mut at = 0_usize;
        for slot in 0..=slots {
            while pairs.get(at).is_some_and(|(owner, _)| *owner < slot) {
                at += 1;
            }
            starts.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        Self {
            starts,
            items: pairs.into_iter().map(|(_, item)| item).collect(),
        }
    }

    fn get(&self, slot: u32) -> &[u32] {
        let bounds = self.starts.get(slot as usize..);
        match bounds {
            Some([start, end, ..]) => self
                .items
                .get(*start as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The index of a library.
#[derive(Clone, Default)]
pub(super) struct Index {
    tools: u32,
    events: u32,
    contracts: Lists,
    registers: Lists,
    deadlines: Lists,
    restless: Lists,
    /// Tools by name, then id.
    tools_by_name: Vec<u32>,
    /// An open hash table of the first positions of names in `tools_by_name`; `EMPTY` elsewhere.
    tool_table: Vec<u32>,
    /// Tools that have a server, one for each server, by server.
    servers: Vec<u32>,
    events_by_name: Vec<u32>,
    lookups_by_name: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
/// Slots before those of declared events.
const KINDS: u32 = 4;

/// FNV-1a, of short names.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Collects what belongs to which slots.
struct Collector<'c, 'a> {
    library: &'c Library<'a>,
    facts: &'c [Facts],
    tools: u32,
    events: u32,
    pairs: Vec<(u32, u32)>,
    /// Steps left before the artifact is refused.
    work: u32,
    /// Per expression the last item for which it was visited.
    seen: Vec<u32>,
    stack: Vec<u32>,
}

impl Collector<'_, '_> {
    /// The slot of all events of a kind.
    fn any(kind: KindClass) -> u32 {
        match kind {
            KindClass::Call => 0,
            KindClass::Return => 1,
            KindClass::Input => 2,
            KindClass::Output => 3,
            KindClass::Declared(event) => KINDS + event,
        }
    }

    fn pattern(&mut self, id: u32, item: u32) {
        let pattern = self.library.pattern(id);
        let kind = pattern.kind_class();
        match (pattern.tools, tool_slots(kind, self.tools, self.events)) {
            (ToolsRef::OneOf(list), Some(first)) => {
                if !self.spend(list.len()) {
                    return;
                }
                self.pairs
                    .extend(list.iter().map(|tool| (first + tool, item)));
            }
            _ => self.pairs.push((Self::any(kind), item)),
        }
    }

    /// Whether that much more may be done.
    fn spend(&mut self, steps: usize) -> bool {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        match self.work.checked_sub(steps) {
            Some(left) => {
                self.work = left;
                true
            }
            None => {
                self.work = 0;
                false
            }
        }
    }

    /// The slot of what all events concern.
    fn every(&self) -> u32 {
        KINDS + self.events + 2 * self.tools
    }

    /// The patterns of a Boolean combination. Where it holds without any of them, every event counts.
    fn formula(&mut self, expr: u32, item: u32, whole_kinds: bool) {
        if self
            .facts
            .get(expr as usize)
            .is_some_and(|facts| facts.bare)
        {
            self.pairs.push((self.every(), item));
        }
        self.stack.push(expr);
        while let Some(expr) = self.stack.pop() {
            if !self.spend(1) {
                self.stack.clear();
                return;
            }
            match self.seen.get_mut(expr as usize) {
                Some(seen) if *seen != item => *seen = item,
                _ => continue,
            }
            match self.library.expr(expr) {
                ExprRef::Pattern(id) if whole_kinds => {
                    let kind = self.library.pattern(id).kind_class();
                    self.pairs.push((Self::any(kind), item));
                }
                ExprRef::Pattern(id) => self.pattern(id, item),
                ExprRef::Not(a) => self.stack.push(a),
                ExprRef::And(list) | ExprRef::Or(list) if self.spend(list.len()) => {
                    self.stack.extend(list.iter());
                }
                ExprRef::Iff(a, b) => self.stack.extend([a, b]),
                _ => {}
            }
        }
    }

    fn finish(&mut self) -> Lists {
        self.seen.fill(EMPTY);
        let slots = self.every() + 1;
        Lists::new(slots, core::mem::take(&mut self.pairs))
    }
}

/// The slot of a kind's tool 0.
fn tool_slots(kind: KindClass, tools: u32, events: u32) -> Option<u32> {
    match kind {
        KindClass::Call => Some(KINDS + events),
        KindClass::Return => Some(KINDS + events + tools),
        KindClass::Input | KindClass::Output | KindClass::Declared(_) => None,
    }
}

impl Index {
    pub(super) fn build(library: &Library<'_>, facts: &[Facts]) -> Result<Self, LoadError> {
        let (tools, events) = (library.tool_count(), library.event_count());
        let mut collector = Collector {
            library,
            facts,
            tools,
            events,
            pairs: Vec::new(),
            work: MAX_WORK,
            seen: vec![EMPTY; facts.len()],
            stack: Vec::new(),
        };
        for contract in library.contracts() {
            for pattern in contract.patterns().iter() {
                if !collector.spend(1) {
                    break;
                }
                collector.pattern(pattern, contract.id());
            }
        }
        let contracts = collector.finish();
        for id in 0..library.register_count() {
            let register = library.register(id);
            // A streak ends at an event of its kinds that is no member.
            let whole_kinds = register.kind == RegisterKind::Streak;
            collector.formula(register.member, id, whole_kinds);
        }
        let registers = collector.finish();
        for id in 0..library.deadline_count() {
            let deadline = library.deadline(id);
            collector.formula(deadline.trigger, id, false);
            collector.formula(deadline.response, id, false);
        }
        let deadlines = collector.finish();
        let moving: Vec<bool> = (0..library.automaton_count())
            .map(|id| library.automaton(id).states().any(|state| !state.idle))
            .collect();
        let moves = |id: Option<u32>| {
            id.and_then(|id| moving.get(id as usize))
                .is_some_and(|moves| *moves)
        };
        for contract in library.contracts() {
            if !moves(contract.assume()) && !moves(contract.guarantee()) {
                continue;
            }
            if !collector.spend(contract.watched_events().len()) {
                break;
            }
            let kinds = [
                KindClass::Call,
                KindClass::Return,
                KindClass::Input,
                KindClass::Output,
            ];
            let watched = kinds
                .into_iter()
                .filter(|kind| contract.watches(*kind))
                .chain(contract.watched_events().iter().map(KindClass::Declared))
                .map(|kind| (Collector::any(kind), contract.id()));
            collector.pairs.extend(watched);
        }
        let restless = collector.finish();
        if collector.work == 0 {
            return Err(LoadError::new(
                Section::Contracts.name(),
                0,
                "its contracts name more tools and patterns than a library may",
            ));
        }
        let mut index = Self {
            tools,
            events,
            contracts,
            registers,
            deadlines,
            restless,
            events_by_name: sorted(events, |id| library.event_name(id)),
            lookups_by_name: sorted(library.lookup_count(), |id| library.lookup(id).name),
            tools_by_name: sorted(tools, |id| library.tool(id).name),
            ..Self::default()
        };
        index.servers = sorted(tools, |id| library.tool(id).server.unwrap_or_default());
        index
            .servers
            .retain(|id| library.tool(*id).server.is_some());
        index
            .servers
            .dedup_by_key(|id| library.tool(*id).server.unwrap_or_default());
        index.hash_tools(library);
        Ok(index)
    }

    fn hash_tools(&mut self, library: &Library<'_>) {
        let size = (self.tools_by_name.len() * 2).next_power_of_two().max(2);
        self.tool_table = vec![EMPTY; size];
        let mut last = None;
        for (position, id) in (0_u32..).zip(&self.tools_by_name) {
            let name = library.tool(*id).name;
            if last == Some(name) {
                continue;
            }
            last = Some(name);
            let mut at = hash(name) as usize & (size - 1);
            // At most half of the table is taken.
            while self.tool_table.get(at).is_some_and(|entry| *entry != EMPTY) {
                at = (at + 1) & (size - 1);
            }
            if let Some(entry) = self.tool_table.get_mut(at) {
                *entry = position;
            }
        }
    }

    pub(super) fn tools_named(&self, library: &Library<'_>, name: &str) -> &[u32] {
        let mask = self.tool_table.len().wrapping_sub(1);
        let mut at = hash(name) as usize & mask;
        loop {
            let Some(position) = self.tool_table.get(at).filter(|entry| **entry != EMPTY) else {
                return &[];
            };
            let from = self
                .tools_by_name
                .get(*position as usize..)
                .unwrap_or_default();
            let count = from
                .iter()
                .take_while(|id| library.tool(**id).name == name)
                .count();
            if count > 0 {
                return from.get(..count).unwrap_or_default();
            }
            at = (at + 1) & mask;
        }
    }

    pub(super) fn has_server(&self, library: &Library<'_>, server: &str) -> bool {
        self.servers
            .binary_search_by(|id| library.tool(*id).server.unwrap_or_default().cmp(server))
            .is_ok()
    }

    pub(super) fn event_named(&self, library: &Library<'_>, name: &str) -> Option<u32> {
        find(&self.events_by_name, name, |id| library.event_name(id))
    }

    pub(super) fn lookup_named(&self, library: &Library<'_>, name: &str) -> Option<u32> {
        find(&self.lookups_by_name, name, |id| library.lookup(id).name)
    }

    pub(super) fn dispatch<'l>(&'l self, kind: KindClass, tools: &'l [u32]) -> Dispatch<'l> {
        let any = match kind {
            // A slot beyond the last is empty.
            KindClass::Declared(event) if event >= self.events => u32::MAX,
            kind => Collector::any(kind),
        };
        Dispatch {
            index: self,
            any,
            first_tool: tool_slots(kind, self.tools, self.events),
            tools,
        }
    }
}

/// All ids, by name, then id.
fn sorted<'n>(count: u32, name: impl Fn(u32) -> &'n str) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..count).collect();
    crate::order::sort_by(&mut ids, |a, b| name(*a).cmp(name(*b)));
    ids
}

fn find<'n>(ids: &[u32], wanted: &str, name: impl Fn(u32) -> &'n str) -> Option<u32> {
    let at = ids.partition_point(|id| name(*id) < wanted);
    ids.get(at).copied().filter(|id| name(*id) == wanted)
}

/// What an event of a kind and tool may concern. Everything else need not be asked: the event is no
/// member of other registers, and moves other contracts only if they are [`Self::restless`].
#[derive(Clone, Copy)]
pub struct Dispatch<'l> {
    index: &'l Index,
    any: u32,
    first_tool: Option<u32>,
    tools: &'l [u32],
}

impl<'l> Dispatch<'l> {
    /// Contracts of which a pattern names the kind and a tool of the event, or any tool: ascending.
    /// The status of a return is not looked at.
    pub fn contracts(&self) -> impl Iterator<Item = u32> + 'l {
        self.merge(&self.index.contracts)
    }

    /// Registers of which the event may be a member, and streaks that it may end: ascending, so that
    /// a register comes after those that it reads.
    pub fn registers(&self) -> impl Iterator<Item = u32> + 'l {
        self.merge(&self.index.registers)
    }

    /// Deadlines (by their number in the library) whose trigger or response the event may be:
    /// ascending.
    pub fn deadlines(&self) -> impl Iterator<Item = u32> + 'l {
        self.merge(&self.index.deadlines)
    }

    /// Contracts that watch the kind and have a state that is not idle, whether or not they are in
    /// [`Self::contracts`]: ascending.
    pub fn restless(&self) -> impl Iterator<Item = u32> + 'l {
        self.index.restless.get(self.any).iter().copied()
    }

    fn merge(&self, lists: &'l Lists) -> Merge<'l> {
        let mut heads: [&[u32]; HEADS] = [&[]; HEADS];
        let slot = |tool: &u32| match self.first_tool {
            // A tool that does not exist has no slot.
            Some(first) if *tool < self.index.tools => first + tool,
            _ => u32::MAX,
        };
        let (now, rest) = self
            .tools
            .split_at_checked(HEADS - 2)
            .unwrap_or((self.tools, &[]));
        let every = KINDS + self.index.events + 2 * self.index.tools;
        let slots = [self.any, every].into_iter().chain(now.iter().map(slot));
        for (head, slot) in heads.iter_mut().zip(slots) {
            *head = lists.get(slot);
        }
        Merge {
            heads,
            lists,
            first_tool: self.first_tool,
            tool_count: self.index.tools,
            rest,
            bound: 0,
        }
    }
}

/// How many lists are merged from their heads; an event rarely fits more than two tools.
const HEADS: usize = 4;

/// Merges ascending lists, without duplicates.
struct Merge<'l> {
    heads: [&'l [u32]; HEADS],
    lists: &'l Lists,
    first_tool: Option<u32>,
    tool_count: u32,
    /// Tools whose lists are searched at each step.
    rest: &'l [u32],
    bound: u32,
}

impl Iterator for Merge<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut next = self
            .heads
            .iter()
            .filter_map(|head| head.first())
            .min()
            .copied();
        for tool in self.rest {
            if let Some(first) = self.first_tool
                && *tool < self.tool_count
            {
                let list = self.lists.get(first + tool);
                let at = list.partition_point(|item| *item < self.bound);
                next = match (next, list.get(at)) {
                    (Some(a), Some(b)) => Some(a.min(*b)),
                    (a, b) => a.or(b.copied()),
                };
            }
        }
        let next = next?;
        for head in &mut self.heads {
            if let Some((first, tail)) = head.split_first()
                && *first == next
            {
                *head = tail;
            }
        }
        self.bound = next.saturating_add(1);
        Some(next)
    }
}
