//! A hash table of numbers: what they stand for lies with its owner, who compares.

use alloc::vec::Vec;

/// A hash of bytes: multiply and fold, eight bytes at a time. Nothing depends on its order.
#[inline(always)]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut hash = K ^ bytes.len() as u64;
    if let Some(last) = bytes.last_chunk::<8>() {
        // The last eight bytes may overlap those before.
        let mut rest = bytes;
        while rest.len() > 8
            && let Some((chunk, others)) = rest.split_first_chunk::<8>()
        {
            hash = fold(hash ^ u64::from_le_bytes(*chunk), K);
            rest = others;
        }
        hash = fold(hash ^ u64::from_le_bytes(*last), K);
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        hash = fold(hash ^ u64::from(first) ^ (u64::from(last) << 32), K);
    } else {
        let word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        hash = fold(hash ^ word, K);
    }
    hash ^ (hash >> 32)
}

/// Open addressing with linear probing; at most half full, so that a search ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// The hash's lower half, and the number plus one; 0 where free.
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl Table {
    fn mask(&self) -> usize {
        self.slots.len().wrapping_sub(1)
    }

    /// The first number under a hash that is the one meant.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let short = hash as u32;
        let mut at = short as usize & self.mask();
        loop {
            match self.slots.get(at) {
                None | Some((_, 0)) => return None,
                Some((found, number)) if *found == short && is(number - 1) => {
                    return Some(number - 1);
                }
                Some(_) => at = (at + 1) & self.mask(),
            }
        }
    }

    /// Adds a number that is not there; numbers are below `u32::MAX`.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.put((hash as u32, number.saturating_add(1)));
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = core::mem::replace(&mut self.slots, alloc::vec![(0, 0); size]);
        for slot in old {
            if slot.1 != 0 {
                self.put(slot);
            }
        }
    }

    #[inline]
    fn put(&mut self, slot: (u32, u32)) {
        let mask = self.mask();
        let mut at = slot.0 as usize & mask;
        while self.slots.get(at).is_some_and(|(_, number)| *number != 0) {
            at = (at + 1) & mask;
        }
        if let Some(free) = self.slots.get_mut(at) {
            *free = slot;
        }
    }

    /// Puts another number in the place of one that is there.
    pub(crate) fn replace(&mut self, hash: u64, number: u32, with: u32) {
        if let Some(slot) = self
            .place(hash, number)
            .and_then(|at| self.slots.get_mut(at))
        {
            slot.1 = with.saturating_add(1);
        }
    }

    #[inline]
    fn place(&self, hash: u64, number: u32) -> Option<usize> {
        let short = hash as u32;
        let mut at = short as usize & self.mask();
        loop {
            match self.slots.get(at) {
                None | Some((_, 0)) => return None,
                Some((found, n)) if *found == short && *n == number.saturating_add(1) => {
                    return Some(at);
                }
                Some(_) => at = (at + 1) & self.mask(),
            }
        }
    }

    /// Removes a number; what stands behind it in its run moves up.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u64, number: u32) {
        let Some(mut free) = self.place(hash, number) else {
            return;
        };
        let mask = self.mask();
        let mut at = free;
        loop {
            at = (at + 1) & mask;
            let Some(slot) = self.slots.get(at).copied().filter(|slot| slot.1 != 0) else {
                break;
            };
            let home = slot.0 as usize & mask;
            // It may move up where its home does not lie between the free place and its own.
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(free) & mask) {
                if let Some(place) = self.slots.get_mut(free) {
                    *place = slot;
                }
                free = at;
            }
        }
        if let Some(place) = self.slots.get_mut(free) {
            *place = (0, 0);
        }
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::string::ToString;

    /// Against a map, with hashes that collide.
    #[test]
    fn agrees_with_a_map() {
        let mut random = crate::chance::numbers(11);
        let mut table = Table::default();
        let mut map: BTreeMap<u32, u64> = BTreeMap::new();
        for _ in 0..if cfg!(miri) { 500 } else { 50_000 } {
            let number = random(400) as u32;
            let hash = u64::from(number) % 37 * 5;
            if map.remove(&number).is_some() {
                table.remove(hash, number);
            } else {
                map.insert(number, hash);
                table.insert(hash, number);
            }
            let asked = random(400) as u32;
            let found = table.find(u64::from(asked) % 37 * 5, |n| n == asked);
            assert_eq!(found.is_some(), map.contains_key(&asked));
        }
        assert_eq!(table.len, map.len());
    }

    #[test]
    fn short_texts_differ() {
        let mut seen = BTreeMap::new();
        let count = if cfg!(miri) { 500 } else { 100_000_u32 };
        for n in 0..count {
            *seen
                .entry(hash(n.to_string().as_bytes()) as u32)
                .or_insert(0) += 1;
        }
        assert!(seen.len() > count as usize * 999 / 1000, "{}", seen.len());
    }
}
