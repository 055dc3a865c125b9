//! Sorting, and small sorted sets.
//!
//! The standard library's sorts are the fastest, and made anew for each type that is sorted: some 3 kB of
//! code each. With the feature `small` all types share one heap sort of places.

#[cfg(any(feature = "small", test))]
use alloc::vec::Vec;
use core::cmp::Ordering;

#[cfg(feature = "small")]
pub(crate) use crate::map::Map;
#[cfg(not(feature = "small"))]
pub(crate) use alloc::collections::BTreeMap as Map;

/// Numbers that have been met. A map, so that there is one of them.
pub(crate) type Seen = Map<u64, ()>;

/// Sorts; equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(not(feature = "small"))]
    items.sort_by(compare);
    #[cfg(feature = "small")]
    shared(items, &mut { compare });
}

/// Sorts by a key that is cheap to make; equal items keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items that are the same where they are equal.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    #[cfg(not(feature = "small"))]
    items.sort_unstable();
    #[cfg(feature = "small")]
    shared(items, &mut T::cmp);
}

/// As [`sort_by`], with little code for each type.
#[cfg(any(feature = "small", test))]
fn shared<T>(items: &mut [T], compare: &mut dyn FnMut(&T, &T) -> Ordering) {
    let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let mut compare = |a: u32, b: u32| match (items.get(a as usize), items.get(b as usize)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    };
    if let Some(mut places) = places(count, &mut compare) {
        permute(&mut places, &mut |a, b| items.swap(a, b));
    }
}

/// Which item comes where; nothing where all stand right already. Of equal ones the first comes first.
#[cfg(any(feature = "small", test))]
fn places(count: u32, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Option<Vec<u32>> {
    if (1..count).all(|i| compare(i - 1, i) != Ordering::Greater) {
        return None;
    }
    let mut heap: Vec<u32> = (0..count).collect();
    let mut less = |a: u32, b: u32| compare(a, b).then(a.cmp(&b)) == Ordering::Less;
    let mut sift = |heap: &mut [u32], mut at: usize| {
        loop {
            let first = 2 * at + 1;
            let Some(mut largest) = heap.get(first).copied() else {
                return;
            };
            let mut down = first;
            if let Some(second) = heap.get(first + 1)
                && less(largest, *second)
            {
                (largest, down) = (*second, first + 1);
            }
            match heap.get(at) {
                Some(own) if less(*own, largest) => heap.swap(at, down),
                _ => return,
            }
            at = down;
        }
    };
    for at in (0..heap.len() / 2).rev() {
        sift(&mut heap, at);
    }
    for end in (1..heap.len()).rev() {
        heap.swap(0, end);
        if let Some(rest) = heap.get_mut(..end) {
            sift(rest, 0);
        }
    }
    Some(heap)
}

/// Moves each item to its place, one swap an item.
#[cfg(any(feature = "small", test))]
fn permute(places: &mut [u32], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        while let Some(place) = places.get_mut(at) {
            let from = *place as usize;
            // It is right from now on.
            *place = u32::try_from(at).unwrap_or(u32::MAX);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

/// A set of few items, sorted. What takes items by the thousand collects and sorts them instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set<T> {
    items: alloc::vec::Vec<T>,
}

impl<T: Ord> Set<T> {
    pub(crate) const fn new() -> Self {
        Self {
            items: alloc::vec::Vec::new(),
        }
    }

    /// Whether it was not there yet.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        match self.items.binary_search(&item) {
            Ok(_) => false,
            Err(at) => {
                self.items.insert(at, item);
                true
            }
        }
    }

    pub(crate) fn contains(&self, item: &T) -> bool {
        self.items.binary_search(item).is_ok()
    }

    pub(crate) const fn len(&self) -> usize {
        self.items.len()
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items: alloc::vec::Vec<T> = items.into_iter().collect();
        sort(&mut items);
        items.dedup();
        Self { items }
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = alloc::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
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

    #[test]
    fn the_shared_sort_is_the_stable_one() {
        let mut random = crate::chance::numbers(7);
        for round in 0..if cfg!(miri) { 40 } else { 2_000 } {
            let count = random(match round % 50 {
                0 if cfg!(miri) => 300,
                0 => 3_000,
                _ => 20,
            });
            let keys = 1 + random(40);
            let items: Vec<(u64, u64)> = (0..count).map(|i| (random(keys), i)).collect();
            let (mut own, mut std) = (items.clone(), items);
            shared(&mut own, &mut |a, b| a.0.cmp(&b.0));
            std.sort_by_key(|i| i.0);
            assert_eq!(own, std);
        }
    }

    #[test]
    fn sets_hold_each_item_once() {
        let mut set: Set<u32> = [5, 1, 5, 3].into_iter().collect();
        assert!(set.insert(4));
        assert!(!set.insert(1));
        assert!(set.contains(&3) && !set.contains(&2));
        assert_eq!(set.len(), 4);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 3, 4, 5]);
    }
}
