//! Checks an artifact's tables completely, each when all that it refers to has been checked.
//!
//! After this, evaluation cannot loop, recurse deeper than [`MAX_DEPTH`], or ask for an id that is
//! not there; a key that an instance does not have, and a variable outside of its quantifier, do not
//! occur. Regular expressions are checked by the library that searches them.

mod contracts;
mod exprs;
mod record;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use record::Record;

use super::error::LoadError;
use super::layout::{self, NODE_BIT, Section, kind, tools};
use super::library::{Library, Tables};
use super::model::RegisterKind;
use super::views::{join, low_byte, optional, second_byte};

/// How deep expressions may be nested, those of the patterns that they name included.
pub const MAX_DEPTH: u32 = 128;

/// How many expressions the evaluation of one may visit, each as often as it is referred to: a
/// bound on the work that an artifact can ask for.
pub const MAX_SIZE: u32 = 1 << 20;

/// How many list entries the records may have in all (lists may be shared), and how many steps
/// building the dispatch index may take: a bound on the time that loading takes.
pub const MAX_WORK: u32 = 1 << 22;

/// Patterns that bind different numbers of keys.
const MIXED: u32 = u32::MAX;

/// What is known of a checked expression.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    depth: u32,
    size: u32,
    /// How many enclosing quantifiers its variables need.
    vars: u32,
    /// How many keys it needs.
    keys: u32,
    /// How many keys its patterns bind: 0 where none is keyed, [`MIXED`] where they differ.
    binds: u32,
    /// One more than the highest register that it reads.
    registers: u32,
    /// Whether it is a Boolean combination of patterns.
    pub(super) formula: bool,
    /// For such a combination: whether it holds where no pattern does.
    pub(super) bare: bool,
}

/// An error on its way: one word, so that handing it on takes little code.
type Fault = Box<LoadError>;

/// Checks the tables.
pub(super) fn tables(library: &Library<'_>) -> Result<Vec<Facts>, LoadError> {
    checked(library).map_err(|fault| *fault)
}

fn checked(library: &Library<'_>) -> Result<Vec<Facts>, Fault> {
    let tables = library.tables();
    texts(tables)?;
    let work = Cell::new(MAX_WORK);
    let mut checker = Checker {
        library,
        tables,
        texts: tables.count(Section::TextStarts).saturating_sub(1),
        work: &work,
        facts: Vec::with_capacity(tables.count(Section::Expressions) as usize),
        automaton_keys: Vec::new(),
    };
    checker.names()?;
    checker.pattern_shapes()?;
    checker.register_shapes()?;
    checker.expressions()?;
    checker.patterns()?;
    checker.registers()?;
    checker.atoms()?;
    checker.automata()?;
    checker.contracts()?;
    Ok(checker.facts)
}

fn fault(tables: &Tables<'_>, section: Section, id: u32, what: impl Into<String>) -> Fault {
    Box::new(LoadError::new(
        section.name(),
        tables.offset(section, id),
        what,
    ))
}

/// The texts' starts are ascending, at characters, and end where the texts end.
fn texts(tables: &Tables<'_>) -> Result<(), Fault> {
    let count = tables.count(Section::TextStarts);
    let words = tables.words(Section::TextStarts, 0, count as usize);
    let all = tables.texts();
    let mut last = None;
    for (id, word) in (0_u32..).zip(words.as_chunks().0) {
        let start = u32::from_le_bytes(*word) as usize;
        let good = match last {
            None => start == 0,
            Some(last) => start >= last,
        };
        if !good || !all.is_char_boundary(start) {
            let what = format!("text {id} starts at a wrong place");
            return Err(fault(tables, Section::TextStarts, id, what));
        }
        last = Some(start);
    }
    if last != Some(all.len()) {
        let what = "the last text does not end where the texts end";
        return Err(fault(tables, Section::TextStarts, count, what));
    }
    Ok(())
}

struct Checker<'c, 'a> {
    library: &'c Library<'a>,
    tables: &'c Tables<'a>,
    /// The number of texts.
    texts: u32,
    /// List entries that may still be looked at.
    work: &'c Cell<u32>,
    facts: Vec<Facts>,
    automaton_keys: Vec<u32>,
}

fn takes_value(kind: RegisterKind) -> bool {
    match kind {
        RegisterKind::Sum
        | RegisterKind::Min
        | RegisterKind::Max
        | RegisterKind::Latest
        | RegisterKind::First
        | RegisterKind::Values => true,
        RegisterKind::Count
        | RegisterKind::Streak
        | RegisterKind::Elapsed
        | RegisterKind::Texts => false,
    }
}

impl<'c, 'a> Checker<'c, 'a> {
    fn record(&self, section: Section, id: u32) -> Record<'c, 'a> {
        Record {
            tables: self.tables,
            section,
            id,
            texts: self.texts,
            work: self.work,
        }
    }

    fn records(&self, section: Section) -> impl Iterator<Item = Record<'c, 'a>> + use<'c, 'a> {
        let (tables, texts, work) = (self.tables, self.texts, self.work);
        (0..tables.count(section)).map(move |id| Record {
            tables,
            section,
            id,
            texts,
            work,
        })
    }

    /// The sections that refer to texts and lists alone.
    fn names(&self) -> Result<(), Fault> {
        let one = self.tables.count(Section::Artifact) == 1;
        let artifact = self.record(Section::Artifact, 0);
        artifact.require(one, "it does not have exactly one record")?;
        let [compiler] = artifact.words();
        artifact.text(compiler)?;
        for record in self.records(Section::Sources) {
            let [path, _, _, _, _, _, _, _, _, start, count] = record.words();
            record.text(path)?;
            let lines = record.list(start, count)?;
            record.ascending(lines, "the line starts are not ascending")?;
            record.require(
                matches!(lines.get(0), None | Some(0)),
                "the first line does not start at 0",
            )?;
        }
        for record in self.records(Section::Tools) {
            let [server, name] = record.words();
            record.optional_text(server)?;
            record.text(name)?;
        }
        for record in self.records(Section::Declared) {
            let [server, name, input] = record.words();
            record.optional_text(server)?;
            record.text(name)?;
            record.optional_text(input)?;
        }
        for record in self.records(Section::Events) {
            let [name] = record.words();
            record.text(name)?;
        }
        for record in self.records(Section::Lookups) {
            let [name, _] = record.words();
            record.text(name)?;
        }
        let mut end = 0;
        for record in self.records(Section::Regexes) {
            let [pattern, start, length, ecma] = record.words();
            record.text(pattern)?;
            record.optional_text(ecma)?;
            let inside = self.tables.regex_bytes(start, length).is_some();
            record.require(start == end && inside, "its automaton is out of range")?;
            end = start.saturating_add(length);
        }
        let mut outputs = 0;
        for record in self.records(Section::Together) {
            let [output, first, count, start, length] = record.words();
            record.require(
                output >= outputs && output < 2,
                "it has no messages of its own",
            )?;
            outputs = output + 1;
            let members = record.list(first, count)?;
            record.ascending(members, "its expressions are not ascending")?;
            let below = self.tables.count(Section::Regexes);
            let known = members.iter().all(|id| id < below);
            record.require(known, "there is no such regular expression")?;
            let inside = self.tables.regex_bytes(start, length).is_some();
            record.require(start == end && inside, "its automaton is out of range")?;
            end = start.saturating_add(length);
        }
        let rest = self.tables.regex_bytes(end, 1).is_none();
        let section = self.record(Section::RegexAutomata, 0);
        section.require(rest, "something follows the last automaton")
    }

    /// The parts of patterns that stand alone; their expressions are in range.
    fn pattern_shapes(&self) -> Result<(), Fault> {
        let exprs = self.tables.count(Section::Expressions);
        for record in self.records(Section::Patterns) {
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
            ] = record.words();
            let (code, status) = (low_byte(first), second_byte(first));
            record.require(
                code <= kind::DECLARED && first >> 16 == 0,
                "there is no such kind of event",
            )?;
            let known = match code {
                kind::RETURN => layout::value(&layout::STATUS, status).is_some(),
                _ => status == 0,
            };
            record.require(known, "there is no such status")?;
            match code {
                kind::DECLARED => {
                    record.below(declared, self.tables.count(Section::Events), "event")?;
                }
                _ => record.require(declared == 0, "only declared events have a name")?,
            }
            let has_tools = matches!(code, kind::CALL | kind::RETURN);
            record.require(
                choice == tools::ANY || choice <= tools::EXCEPT && has_tools,
                "its tools are not those of its kind",
            )?;
            let limit = self.tables.count(Section::Tools);
            let list = record.ids(tools_start, tools_count, limit, "tool")?;
            record.require(
                choice != tools::ANY || list.is_empty(),
                "a pattern of any tool names tools",
            )?;
            record.ascending(list, "the tools are not ascending")?;
            record.ids(keys_start, keys_count, exprs, "expression")?;
            if let Some(condition) = optional(condition) {
                record.below(condition, exprs, "expression")?;
            }
            record.text(text)?;
        }
        Ok(())
    }

    fn register_shapes(&self) -> Result<(), Fault> {
        let exprs = self.tables.count(Section::Expressions);
        for record in self.records(Section::Registers) {
            let [code, member, value, windowed, low, high, _] = record.words();
            let kind = layout::value(&layout::REGISTER, code)
                .ok_or_else(|| record.fault("there is no such kind of register"))?;
            record.below(member, exprs, "expression")?;
            let value = optional(value);
            if let Some(value) = value {
                record.below(value, exprs, "expression")?;
            }
            record.require(
                value.is_some() == takes_value(kind),
                "it takes no value of its members, or must take one",
            )?;
            let window = join(low, high);
            record.require(
                windowed == 1 && window >= 0 || windowed == 0 && window == 0,
                "there is no such window",
            )?;
        }
        Ok(())
    }

    fn fact(&self, record: &Record<'c, 'a>, id: u32) -> Result<Facts, Fault> {
        self.facts
            .get(id as usize)
            .copied()
            .ok_or_else(|| record.fault(format!("there is no expression {id}")))
    }

    /// An expression that is evaluated on its own.
    fn closed(&self, record: &Record<'c, 'a>, id: u32, keys: u32) -> Result<Facts, Fault> {
        let facts = self.fact(record, id)?;
        record.require(
            facts.vars == 0,
            "a variable stands outside of its quantifier",
        )?;
        record.require(facts.keys <= keys, "it reads keys that it does not have")?;
        Ok(facts)
    }

    fn patterns(&self) -> Result<(), Fault> {
        for record in self.records(Section::Patterns) {
            let pattern = self.library.pattern(record.id);
            for id in pattern.keys.iter().chain(pattern.condition) {
                self.closed(&record, id, u32::MAX)?;
            }
        }
        Ok(())
    }

    fn registers(&self) -> Result<(), Fault> {
        for record in self.records(Section::Registers) {
            let register = self.library.register(record.id);
            let member = self.closed(&record, register.member, register.keys)?;
            record.require(
                member.formula,
                "its member is no Boolean combination of patterns",
            )?;
            record.require(
                member.binds == 0 || member.binds == register.keys,
                "a pattern binds some of its keys",
            )?;
            let mut reads = member.registers;
            if let Some(value) = register.value {
                reads = reads.max(self.closed(&record, value, register.keys)?.registers);
            }
            record.require(
                reads <= record.id,
                "it reads a register that is not below it",
            )?;
        }
        Ok(())
    }

    fn atoms(&self) -> Result<(), Fault> {
        for record in self.records(Section::Atoms) {
            let [expr, text, remedy] = record.words();
            record.text(text)?;
            record.optional_text(remedy)?;
            self.closed(&record, expr, u32::MAX)?;
        }
        Ok(())
    }

    fn automata(&mut self) -> Result<(), Fault> {
        let (mut first_state, mut first_node) = (0_u32, 0_u32);
        for record in self.records(Section::Automata) {
            let [states, state_count, initial, nodes, node_count] = record.words();
            let end = |first: u32, count: u32, section| {
                first
                    .checked_add(count)
                    .filter(|end| *end <= self.tables.count(section))
            };
            let state_end = end(states, state_count, Section::States);
            let node_end = end(nodes, node_count, Section::Nodes);
            let (Some(state_end), Some(node_end)) = (state_end, node_end) else {
                return Err(record.fault("its states or nodes are out of range"));
            };
            record.require(
                states == first_state && nodes == first_node,
                "its states or nodes do not follow those before",
            )?;
            record.require(state_count > 0, "it has no states")?;
            record.require(
                state_count < NODE_BIT && node_count < NODE_BIT,
                "it has too many states or nodes",
            )?;
            record.below(initial, state_count, "state")?;
            (first_state, first_node) = (state_end, node_end);
            let mut keys = 0;
            for (n, id) in (nodes..node_end).enumerate() {
                let node = self.record(Section::Nodes, id);
                let [atom, low, high] = node.words();
                node.below(atom, self.tables.count(Section::Atoms), "atom")?;
                let limit = u32::try_from(n).unwrap_or(u32::MAX);
                reference(&node, low, state_count, limit)?;
                reference(&node, high, state_count, limit)?;
                let [expr] = self.tables.record(Section::Atoms, atom, 0);
                keys = keys.max(self.fact(&node, expr)?.keys);
            }
            for id in states..state_end {
                let state = self.record(Section::States, id);
                let [first, root] = state.words();
                let label = layout::value(&layout::LABEL, u32::from(low_byte(first)));
                state.require(label.is_some() && first >> 8 <= 1, "there is no such label")?;
                reference(&state, root, state_count, node_count)?;
            }
            self.automaton_keys.push(keys);
        }
        let all = self.tables.count(Section::States) == first_state
            && self.tables.count(Section::Nodes) == first_node;
        self.record(Section::Automata, 0)
            .require(all, "there are states or nodes of no automaton")
    }
}

/// A reference to a state, or to a node below a limit.
fn reference(record: &Record<'_, '_>, word: u32, states: u32, nodes: u32) -> Result<(), Fault> {
    if word & NODE_BIT == 0 {
        record.below(word, states, "state")
    } else if word & !NODE_BIT < nodes {
        Ok(())
    } else {
        Err(record.fault("it refers to a node that is not below it"))
    }
}
