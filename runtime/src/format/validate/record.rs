//! What the checks of single records have in common.

use alloc::format;
use alloc::string::String;
use core::cell::Cell;

use super::{Fault, MAX_WORK, fault};
use crate::format::layout::{self, Section};
use crate::format::library::Tables;
use crate::format::model::Place;
use crate::format::views::{Ids, optional};

/// A record that is being checked.
pub(super) struct Record<'c, 'a> {
    pub(super) tables: &'c Tables<'a>,
    pub(super) section: Section,
    pub(super) id: u32,
    pub(super) texts: u32,
    pub(super) work: &'c Cell<u32>,
}

impl<'c> Record<'c, '_> {
    pub(super) fn words<const N: usize>(&self) -> [u32; N] {
        self.tables.record(self.section, self.id, 0)
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> Fault {
        fault(self.tables, self.section, self.id, what)
    }

    pub(super) fn require(&self, good: bool, what: &str) -> Result<(), Fault> {
        if good { Ok(()) } else { Err(self.fault(what)) }
    }

    pub(super) fn text(&self, id: u32) -> Result<(), Fault> {
        self.below(id, self.texts, "text")
    }

    pub(super) fn optional_text(&self, word: u32) -> Result<(), Fault> {
        optional(word).map_or(Ok(()), |id| self.text(id))
    }

    pub(super) fn below(&self, id: u32, count: u32, what: &str) -> Result<(), Fault> {
        if id < count {
            return Ok(());
        }
        Err(self.fault(format!("there is no {what} {id}")))
    }

    /// A list, whose range is checked.
    pub(super) fn list(&self, start: u32, count: u32) -> Result<Ids<'c>, Fault> {
        let Some(left) = self.work.get().checked_sub(count) else {
            return Err(self.fault(format!("all lists have more than {MAX_WORK} entries")));
        };
        self.work.set(left);
        let words = self
            .tables
            .words(Section::Lists, start as usize, count as usize);
        if words.len() == count as usize * layout::WORD && (count > 0 || start == 0) {
            return Ok(Ids::from_bytes(words));
        }
        Err(self.fault("a list is out of range"))
    }

    pub(super) fn ids(
        &self,
        start: u32,
        count: u32,
        limit: u32,
        what: &str,
    ) -> Result<Ids<'c>, Fault> {
        let list = self.list(start, count)?;
        list.iter().try_for_each(|id| self.below(id, limit, what))?;
        Ok(list)
    }

    pub(super) fn ascending(&self, list: Ids<'_>, what: &str) -> Result<(), Fault> {
        self.require(list.iter().is_sorted_by(|a, b| a < b), what)
    }

    pub(super) fn text_list(&self, start: u32, count: u32) -> Result<(), Fault> {
        self.ids(start, count, self.texts, "text").map(|_| ())
    }

    pub(super) fn place(&self, place: Place) -> Result<(), Fault> {
        if place == Place::default() {
            return Ok(());
        }
        self.below(place.source, self.tables.count(Section::Sources), "source")?;
        self.require(place.start <= place.end, "a place ends before it starts")
    }
}
