//! Lists of ids, of texts and of a path's steps.

use core::fmt;

use crate::format::layout::{self, Section, step};
use crate::format::library::Library;

/// A list of ids in the artifact.
#[derive(Clone, Copy, Default)]
pub struct Ids<'l> {
    pub(super) bytes: &'l [u8],
}

impl<'l> Ids<'l> {
    pub(in crate::format) fn new<'a>(library: &'l Library<'a>, start: u32, count: u32) -> Self {
        Self {
            bytes: library
                .tables()
                .words(Section::Lists, start as usize, count as usize),
        }
    }

    pub(in crate::format) const fn from_bytes(bytes: &'l [u8]) -> Self {
        Self { bytes }
    }

    /// The number of ids.
    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len() / layout::WORD
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The n-th id.
    #[must_use]
    pub fn get(self, index: usize) -> Option<u32> {
        let (words, _) = self.bytes.as_chunks();
        words.get(index).map(|word| u32::from_le_bytes(*word))
    }

    /// The ids, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone + 'l {
        let (words, _) = self.bytes.as_chunks();
        words.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// Whether an ascending list (of tools, of events) has an id.
    #[must_use]
    pub fn contains_sorted(self, id: u32) -> bool {
        let (words, _) = self.bytes.as_chunks();
        words
            .binary_search_by(|word| u32::from_le_bytes(*word).cmp(&id))
            .is_ok()
    }
}

impl fmt::Debug for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A list of texts.
#[derive(Clone, Copy)]
pub struct Texts<'l> {
    pub(super) library: &'l Library<'l>,
    pub(super) ids: Ids<'l>,
}

impl<'l> Texts<'l> {
    /// The number of texts.
    #[must_use]
    pub const fn len(self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The n-th text.
    #[must_use]
    pub fn get(self, index: usize) -> Option<&'l str> {
        let id = self.ids.get(index)?;
        Some(self.library.tables().text(id))
    }

    /// The texts, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = &'l str> + ExactSizeIterator + Clone + 'l {
        self.ids
            .iter()
            .map(move |id| self.library.tables().text(id))
    }
}

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The steps of a path.
#[derive(Clone, Copy)]
pub struct Steps<'l> {
    pub(super) library: &'l Library<'l>,
    /// Pairs: kind, operand.
    pub(super) words: Ids<'l>,
}

impl<'l> Steps<'l> {
    /// The number of steps.
    #[must_use]
    pub const fn len(self) -> usize {
        self.words.len() / 2
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The n-th step.
    #[must_use]
    pub fn get(self, index: usize) -> Option<StepRef<'l>> {
        let first = index.checked_mul(2)?;
        let code = self.words.get(first)?;
        let operand = self.words.get(first + 1)?;
        Some(match code {
            step::INDEX => StepRef::Index(operand),
            step::ALL => StepRef::All,
            _ => StepRef::Field(self.library.tables().text(operand)),
        })
    }

    /// The steps, in order.
    pub fn iter(self) -> impl Iterator<Item = StepRef<'l>> + Clone + 'l {
        (0..self.len()).filter_map(move |n| self.get(n))
    }
}

impl fmt::Debug for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRef<'l> {
    /// A record's field.
    Field(&'l str),
    /// A list's element.
    Index(u32),
    /// All elements of a list.
    All,
}
