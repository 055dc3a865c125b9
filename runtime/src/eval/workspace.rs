//! What evaluation keeps between events.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::datum::{Key, Remembered};
use crate::recycle::Recycler;
use crate::regex::together::Searches;
use crate::registers::Delta;
use crate::value::Value;

/// What evaluation keeps between events and within one: answers of lookups, and memory to use again.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The lookups that the present event has asked for.
    pub(super) lookups: Vec<(u32, Vec<Value>, Option<Value>)>,
    pub(crate) recycler: Recycler,
    /// Memory for an event's text.
    pub(crate) text: String,
    /// Memory for a list of keys.
    pub(crate) key_list: Vec<Key>,
    keys: Vec<Key>,
    /// Memory for what `mentioned` looks for.
    pub(super) needle: String,
    pub(super) mentions: Mentions,
    items: Vec<Vec<Remembered>>,
    /// What regular expressions have found in the last messages.
    pub(crate) searches: Searches,
}

/// What `mentioned` has been asked already, of registers without keys and windows.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    asked: Vec<Mention>,
    /// The one that is asked now.
    at: usize,
}

#[derive(Clone, Debug)]
struct Mention {
    register: u32,
    needle: String,
    /// How many of the register's texts have been searched.
    searched: usize,
    found: bool,
}

/// How many questions are kept; the oldest goes first.
const MAX_MENTIONS: usize = 64;

impl Mentions {
    /// How many texts have been searched, and whether one had the words.
    pub(super) fn of(&mut self, register: u32, needle: &str) -> (usize, bool) {
        let known = self
            .asked
            .iter()
            .position(|m| m.register == register && m.needle == needle);
        self.at = known.unwrap_or_else(|| {
            let mut question = match self.asked.len() < MAX_MENTIONS {
                true => Mention {
                    register,
                    needle: String::new(),
                    searched: 0,
                    found: false,
                },
                false => self.asked.remove(0),
            };
            question.needle.clear();
            question.needle.push_str(needle);
            (question.register, question.searched, question.found) = (register, 0, false);
            self.asked.push(question);
            self.asked.len() - 1
        });
        self.asked
            .get(self.at)
            .map_or((0, false), |question| (question.searched, question.found))
    }

    pub(super) fn note(&mut self, searched: usize, found: bool) {
        if let Some(question) = self.asked.get_mut(self.at) {
            (question.searched, question.found) = (searched, found);
        }
    }
}

/// How many keys' memory is kept.
const MAX_KEYS: usize = 16;

impl Workspace {
    /// Forgets what was asked.
    pub(crate) fn restart(&mut self) {
        self.lookups.clear();
        for question in self.mentions.asked.drain(..) {
            self.recycler.take_string(question.needle);
        }
    }

    /// Forgets the answers of lookups.
    pub(crate) fn forget_lookups(&mut self) {
        self.lookups.clear();
    }

    /// A key of so many values, of one that nobody holds any more where there is such; `None` where
    /// memory for one has to be made.
    pub(super) fn key(&mut self, len: usize) -> Option<Key> {
        let at = self
            .keys
            .iter_mut()
            .position(|key| key.len() == len && Arc::get_mut(key).is_some())?;
        Some(self.keys.swap_remove(at))
    }

    /// An empty list for values that are kept.
    pub(super) fn items(&mut self) -> Vec<Remembered> {
        self.items.pop().unwrap_or_default()
    }

    /// Takes the memory of a change back.
    pub(crate) fn take_delta(&mut self, delta: Delta) {
        let Delta {
            value, mut items, ..
        } = delta;
        if let Ok(value) = value {
            value.recycle(&mut self.recycler);
        }
        for item in items.drain(..) {
            item.recycle(&mut self.recycler);
        }
        if items.capacity() > 0 && self.items.len() < MAX_KEYS {
            self.items.push(items);
        }
    }

    /// Keeps a key's memory for the time when nobody else holds it.
    pub(super) fn keep_key(&mut self, key: &Key) {
        if self.keys.len() >= MAX_KEYS {
            self.keys.remove(0);
        }
        self.keys.push(key.clone());
    }
}
