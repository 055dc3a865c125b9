//! The texts that `mentioned` searches, in one piece of memory.

use alloc::collections::VecDeque;
use alloc::string::String;

/// So much memory of texts that are gone is kept at the front.
const MAX_GONE: usize = 4096;

/// Normalised texts with their times, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    all: String,
    /// The time of each, and where it ends, counted from the first text ever.
    ends: VecDeque<(i64, usize)>,
    /// Where the oldest one begins, and the memory.
    start: usize,
    base: usize,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How long they are together, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ends.back().map_or(0, |(_, end)| end - self.start)
    }

    pub(super) fn push(&mut self, time: i64, text: &str) {
        self.all.push_str(text);
        self.ends.push_back((time, self.base + self.all.len()));
    }

    /// Drops the texts at the front that are older.
    pub(super) fn drop_before(&mut self, cutoff: i64) {
        while let Some((time, end)) = self.ends.front().copied()
            && time < cutoff
        {
            self.ends.pop_front();
            self.start = end;
        }
        let gone = self.start - self.base;
        if gone > MAX_GONE && gone > self.all.len() / 2 {
            // Texts end between characters.
            self.all = self.all.split_off(gone.min(self.all.len()));
            self.base = self.start;
        }
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
        (self.start, self.base) = (0, 0);
    }

    fn get(&self, n: usize) -> Option<(i64, &str)> {
        let (time, end) = *self.ends.get(n)?;
        let start = match n.checked_sub(1) {
            Some(before) => self.ends.get(before)?.1,
            None => self.start,
        };
        let text = self.all.get(start - self.base..end - self.base)?;
        Some((time, text))
    }

    /// From the so-manieth on, with their times.
    pub(super) fn from(&self, first: usize) -> impl DoubleEndedIterator<Item = (i64, &str)> {
        (first.min(self.len())..self.len()).filter_map(|n| self.get(n))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn texts_come_and_go() {
        let mut texts = Texts::default();
        let mut model: VecDeque<(i64, String)> = VecDeque::new();
        // Under Miri a step takes a thousand times as long, here and elsewhere.
        let (steps, kept, wave) = if cfg!(miri) {
            (60, 5, 20)
        } else {
            (2_000_i64, 40, 300)
        };
        for n in 0..steps {
            let text = "\u{e9}x".repeat(usize::try_from(n % 37).unwrap());
            texts.push(n, &text);
            model.push_back((n, text));
            let cutoff = n - kept - n % wave;
            texts.drop_before(cutoff);
            model.retain(|(time, _)| *time >= cutoff);
            assert_eq!(texts.len(), model.len());
            assert_eq!(texts.bytes(), model.iter().map(|(_, t)| t.len()).sum());
            let all: Vec<(i64, String)> = texts.from(0).map(|(t, s)| (t, s.to_string())).collect();
            assert_eq!(all, Vec::from(model.clone()));
            assert!(texts.all.len() <= 2 * texts.bytes() + 2 * MAX_GONE);
        }
        texts.clear();
        assert_eq!((texts.len(), texts.bytes()), (0, 0));
        assert_eq!(texts.from(0).count(), 0);
    }
}
