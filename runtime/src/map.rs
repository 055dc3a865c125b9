//! A sorted map whose search is one piece of code for all types.
//!
//! The standard library's B-tree is faster, and made anew for each type of keys: some 6 kB of code each. With
//! the feature `small` this stands in for it (see [`crate::order::Map`]).

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;

/// How many numbers a chunk has at most; the cost of an insertion, and that of so many chunks.
const CHUNK: usize = 512;

/// Numbers of entries in the order of their keys, in chunks of which none is empty.
#[derive(Clone, Default)]
struct Sequence {
    chunks: Vec<Vec<u32>>,
}

/// A place in a sequence: chunk, and number in it.
type Place = (usize, usize);

impl Sequence {
    /// The place and number of the entry that compares as equal to what is sought, or where it belongs. `compare` orders an entry
    /// against what is sought.
    fn find(&self, compare: &mut dyn FnMut(u32) -> Ordering) -> Result<(Place, u32), Place> {
        // The last chunk that does not begin beyond it.
        let beyond = |chunk: &Vec<u32>| chunk.first().is_some_and(|n| compare(*n).is_gt());
        let after = partition(&self.chunks, beyond);
        let at = after.saturating_sub(1);
        let Some(chunk) = self.chunks.get(at) else {
            return Err((0, 0));
        };
        let below = partition(chunk, |n| compare(*n).is_ge());
        match chunk.get(below) {
            Some(n) if compare(*n).is_eq() => Ok(((at, below), *n)),
            _ => Err((at, below)),
        }
    }

    fn insert(&mut self, (chunk, at): Place, entry: u32) {
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        let Some(list) = self.chunks.get_mut(chunk) else {
            return;
        };
        list.insert(at.min(list.len()), entry);
        if list.len() > CHUNK {
            let half = list.split_off(CHUNK / 2);
            self.chunks.insert(chunk + 1, half);
        }
    }

    fn remove(&mut self, (chunk, at): Place) {
        if let Some(list) = self.chunks.get_mut(chunk)
            && at < list.len()
        {
            list.remove(at);
            if list.is_empty() {
                self.chunks.remove(chunk);
            }
        }
    }
}

/// The first item of which `is` holds; it holds of all later ones.
fn partition<T>(items: &[T], mut is: impl FnMut(&T) -> bool) -> usize {
    items.partition_point(|item| !is(item))
}

/// A map, as `alloc::collections::BTreeMap` in what it has of its functions, but for
/// [`iter_mut`](Self::iter_mut), which gives the entries in any order.
#[derive(Clone)]
pub(crate) struct Map<K, V> {
    order: Sequence,
    /// Entries, and gaps where some were removed.
    entries: Vec<Option<(K, V)>>,
    gaps: Vec<u32>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Map<K, V> {
    pub(crate) const fn new() -> Self {
        Self {
            order: Sequence { chunks: Vec::new() },
            entries: Vec::new(),
            gaps: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.gaps.len()
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    fn entry_at(&self, entry: u32) -> Option<&(K, V)> {
        self.entries.get(entry as usize)?.as_ref()
    }

    fn value_at(&mut self, entry: u32) -> Option<&mut V> {
        let (_, value) = self.entries.get_mut(entry as usize)?.as_mut()?;
        Some(value)
    }

    /// An entry without content at a place that [`Self::find`] has found to lack one; it is filled at once.
    fn reserve(&mut self, place: Place) -> u32 {
        let entry = self.gaps.pop().unwrap_or_else(|| {
            self.entries.push(None);
            // What a session remembers is bounded far below.
            u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
        });
        self.order.insert(place, entry);
        entry
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            map: self,
            order: self.order.chunks.iter().flatten(),
        }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        let entries = self.entries.iter_mut().flatten();
        entries.map(|(key, value)| (&*key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let Self {
            order,
            entries,
            gaps,
        } = self;
        for chunk in &mut order.chunks {
            chunk.retain(|n| {
                let Some(slot) = entries.get_mut(*n as usize) else {
                    return false;
                };
                let kept = slot.as_mut().is_some_and(|(key, value)| keep(key, value));
                if !kept {
                    *slot = None;
                    gaps.push(*n);
                }
                kept
            });
        }
        order.chunks.retain(|chunk| !chunk.is_empty());
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<(Place, u32), Place>
    where
        K: Borrow<Q>,
    {
        self.order.find(&mut |n| match self.entry_at(n) {
            Some((own, _)) => own.borrow().cmp(key),
            None => Ordering::Equal,
        })
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (_, entry) = self.find(key).ok()?;
        self.entry_at(entry).map(|(_, value)| value)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (_, entry) = self.find(key).ok()?;
        self.value_at(entry)
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets a key's value, and returns the one that it had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok((_, entry)) => self
                .value_at(entry)
                .map(|old| core::mem::replace(old, value)),
            Err(place) => {
                let entry = self.reserve(place);
                if let Some(slot) = self.entries.get_mut(entry as usize) {
                    *slot = Some((key, value));
                }
                None
            }
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (place, entry) = self.find(key).ok()?;
        self.order.remove(place);
        self.gaps.push(entry);
        let (_, value) = self.entries.get_mut(entry as usize)?.take()?;
        Some(value)
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry {
            place: self.find(&key).map(|(_, entry)| entry),
            map: self,
            key,
        }
    }
}

/// The place of a key, which may be missing there.
pub(crate) struct Entry<'m, K, V> {
    map: &'m mut Map<K, V>,
    place: Result<u32, Place>,
    key: K,
}

impl<'m, K, V> Entry<'m, K, V> {
    #[expect(
        clippy::indexing_slicing,
        reason = "`find` gives entries that are there, and `reserve` makes its own"
    )]
    pub(crate) fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        let Self { map, place, key } = self;
        let entry = place.unwrap_or_else(|place| map.reserve(place));
        let slot = &mut map.entries[entry as usize];
        let (_, value) = slot.get_or_insert_with(|| (key, make()));
        value
    }

    pub(crate) fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The entries, by key.
pub(crate) struct Iter<'m, K, V> {
    map: &'m Map<K, V>,
    order: core::iter::Flatten<core::slice::Iter<'m, Vec<u32>>>,
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.map.entry_at(*self.order.next()?)?;
        Some((key, value))
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        missing_docs,
        reason = "tests"
    )]

    use super::*;
    use alloc::collections::BTreeMap;

    /// Every function, against the standard map.
    #[test]
    fn is_the_standard_map() {
        let mut random = crate::chance::numbers(5);
        let (rounds, steps) = if cfg!(miri) { (2, 200) } else { (20, 10_000) };
        for round in 0..rounds {
            let keys = [8, 300, 4_000][round as usize % 3];
            let (mut own, mut std) = (Map::new(), BTreeMap::new());
            for step in 0..steps {
                let key = random(keys);
                match random(if round % 2 == 0 { 6 } else { 9 }) {
                    0 => assert_eq!(own.remove(&key), std.remove(&key)),
                    1 => assert_eq!(own.get_mut(&key), std.get_mut(&key)),
                    2 => {
                        *own.entry(key).or_default() += 3;
                        *std.entry(key).or_default() += 3;
                    }
                    3 => assert_eq!(own.contains_key(&key), std.contains_key(&key)),
                    _ => assert_eq!(own.insert(key, step), std.insert(key, step)),
                }
                if step % (steps / 4) == steps / 4 - 1 {
                    let rest = random(7);
                    own.retain(|k, v| (*k + *v) % 7 >= rest);
                    std.retain(|k, v| (*k + *v) % 7 >= rest);
                }
                assert_eq!(own.len(), std.len());
                assert_eq!(own.get(&key), std.get(&key));
            }
            assert!(own.iter().eq(std.iter()));
            assert!(own.keys().eq(std.keys()) && own.values().eq(std.values()));
            let mut changed: Vec<_> = own.iter_mut().map(|(k, v)| (*k, *v)).collect();
            crate::order::sort(&mut changed);
            assert!(changed.into_iter().eq(std.clone()));
            let copy = own.clone();
            own.clear();
            assert!(own.is_empty() && copy.iter().eq(&std));
        }
    }

    /// Inserting in order, in reverse, and removing all again.
    #[test]
    fn chunks_stay_in_order() {
        let count = if cfg!(miri) { 200 } else { 5_000_u32 };
        for reverse in [false, true] {
            let mut own = Map::new();
            for n in 0..count {
                own.insert(if reverse { count - n } else { n }, ());
            }
            assert!(own.keys().is_sorted() && own.len() == count as usize);
            for n in 0..=count {
                own.remove(&n);
            }
            assert!(own.is_empty() && own.order.chunks.is_empty());
        }
    }
}
