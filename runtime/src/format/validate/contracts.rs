//! Checks contracts, their clauses and deadlines.

use alloc::format;

use super::record::Record;
use super::{Checker, Fault};
use crate::format::layout::{self, Section, action, contract};
use crate::format::model::Place;
use crate::format::views::{join, optional};

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn contracts(&self) -> Result<(), Fault> {
        let (mut clauses, mut deadlines) = (0, 0);
        for record in self.records(Section::Contracts) {
            self.contract(&record, &mut clauses, &mut deadlines)?;
        }
        let all = self.tables.count(Section::Clauses) == clauses
            && self.tables.count(Section::Deadlines) == deadlines;
        self.record(Section::Contracts, 0)
            .require(all, "there are clauses or deadlines of no contract")?;
        for record in self.records(Section::Clauses) {
            let [side, text, source, start, end] = record.words();
            record.require(
                layout::value(&layout::SIDE, side).is_some(),
                "there is no such side",
            )?;
            record.text(text)?;
            record.place(Place { source, start, end })?;
        }
        Ok(())
    }

    fn contract(
        &self,
        record: &Record<'c, 'a>,
        clauses: &mut u32,
        deadlines: &mut u32,
    ) -> Result<(), Fault> {
        let words: [u32; contract::WORDS] = record.words();
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let pair = |at: usize| (word(at), word(at + 1));
        for at in [contract::NAME, contract::MODULE, contract::DOC] {
            record.text(word(at))?;
        }
        let (source, start) = pair(contract::PLACE);
        let end = word(contract::PLACE + 2);
        record.place(Place { source, start, end })?;
        let (start, keys) = pair(contract::KEYS);
        record.text_list(start, keys)?;
        record.require(word(contract::WATCH) < 16, "it watches no such kind")?;
        let (start, count) = pair(contract::WATCH_EVENTS);
        let events = record.ids(start, count, self.tables.count(Section::Events), "event")?;
        record.ascending(events, "the watched events are not ascending")?;
        let (start, count) = pair(contract::PATTERNS);
        let patterns = record.ids(
            start,
            count,
            self.tables.count(Section::Patterns),
            "pattern",
        )?;
        for id in patterns.iter() {
            let bound = self.library.pattern(id).keys.len();
            record.require(
                bound == 0 || bound == keys as usize,
                "a pattern binds some of the keys",
            )?;
        }
        for (at, next, section) in [
            (contract::CLAUSES, &mut *clauses, Section::Clauses),
            (contract::DEADLINES, &mut *deadlines, Section::Deadlines),
        ] {
            let (first, count) = pair(at);
            let end = first.saturating_add(count);
            record.require(
                first == *next && end <= self.tables.count(section),
                "its clauses or deadlines do not follow those before",
            )?;
            *next = end;
        }
        let (first, count) = pair(contract::DEADLINES);
        for id in first..first.saturating_add(count) {
            self.deadline(&self.record(Section::Deadlines, id), record.id, keys)?;
        }
        for at in [contract::ASSUME, contract::GUARANTEE] {
            if let Some(id) = optional(word(at)) {
                let Some(needs) = self.automaton_keys.get(id as usize) else {
                    return Err(record.fault(format!("there is no automaton {id}")));
                };
                record.require(*needs <= keys, "a formula reads keys that it does not have")?;
            }
        }
        self.action(record, keys, word)?;
        let (start, count) = pair(contract::MESSAGE);
        let message = record.list(start, count)?;
        record.require(message.len().is_multiple_of(2), "its message is cut")?;
        for n in (0..message.len()).step_by(2) {
            let operand = message.get(n + 1).unwrap_or(0);
            match message.get(n) {
                Some(0) => record.text(operand)?,
                Some(1) => self.closed(record, operand, keys).map(|_| ())?,
                _ => return Err(record.fault("there is no such part of a message")),
            }
        }
        for at in [
            contract::ID,
            contract::SEVERITY,
            contract::SOURCE,
            contract::SOURCE + 1,
        ] {
            record.optional_text(word(at))?;
        }
        record.require(
            word(contract::SOURCE) != 0 || word(contract::SOURCE + 1) == 0,
            "its source has a section and no document",
        )?;
        for at in [contract::TAGS, contract::AGENTS] {
            let (start, count) = pair(at);
            record.text_list(start, count)?;
        }
        Ok(())
    }

    fn action(
        &self,
        record: &Record<'c, 'a>,
        keys: u32,
        word: impl Fn(usize) -> u32,
    ) -> Result<(), Fault> {
        let code = word(contract::ACTION);
        record.require(code <= action::REPAIR, "there is no such action")?;
        let tool = word(contract::REDIRECT_TOOL);
        let start = word(contract::REDIRECT_ARGS);
        let args = record.list(start, word(contract::REDIRECT_ARGS + 1))?;
        if code != action::REDIRECT {
            return record.require(
                tool == 0 && args.is_empty(),
                "only a redirection has another call",
            );
        }
        record.below(tool, self.tables.count(Section::Tools), "tool")?;
        record.require(args.len().is_multiple_of(2), "an argument is cut")?;
        for n in (0..args.len()).step_by(2) {
            record.text(args.get(n).unwrap_or(u32::MAX))?;
            self.closed(record, args.get(n + 1).unwrap_or(u32::MAX), keys)?;
        }
        Ok(())
    }

    fn deadline(&self, record: &Record<'c, 'a>, contract: u32, keys: u32) -> Result<(), Fault> {
        let [owner, side, trigger, response, low, high, text] = record.words();
        record.require(owner == contract, "it is another contract's")?;
        record.require(
            layout::value(&layout::SIDE, side).is_some(),
            "there is no such side",
        )?;
        for id in [trigger, response] {
            let facts = self.closed(record, id, keys)?;
            record.require(
                facts.formula,
                "its trigger or response is no Boolean combination of patterns",
            )?;
        }
        record.require(join(low, high) >= 0, "its time is negative")?;
        record.text(text)
    }
}
