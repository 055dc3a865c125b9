//! Sets of small numbers: members, conjuncts.

/// A set of numbers below a bound that is fixed when it is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    /// The numbers of `members`, all below `bound`.
    pub(crate) fn of(bound: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self {
            words: vec![0; bound.div_ceil(64)],
        };
        for member in members {
            set.insert(member);
        }
        set
    }

    pub(crate) fn insert(&mut self, member: usize) {
        if let Some(word) = self.words.get_mut(member / 64) {
            *word |= 1 << (member % 64);
        }
    }

    pub(crate) fn remove(&mut self, member: usize) {
        if let Some(word) = self.words.get_mut(member / 64) {
            *word &= !(1 << (member % 64));
        }
    }

    pub(crate) fn contains(&self, member: usize) -> bool {
        self.words
            .get(member / 64)
            .is_some_and(|word| word >> (member % 64) & 1 == 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.all(|(a, b)| a & !b == 0)
    }

    /// The member that is not in `other`, if there is exactly one.
    pub(crate) fn only_one_outside(&self, other: &Self) -> Option<usize> {
        let mut only = None;
        for (i, (a, b)) in self.words.iter().zip(&other.words).enumerate() {
            let outside = a & !b;
            if outside != 0 {
                if only.is_some() || !outside.is_power_of_two() {
                    return None;
                }
                only = Some(i * 64 + outside.trailing_zeros() as usize);
            }
        }
        only
    }

    /// The members, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i * 64 + bit)
        })
    }

    pub(crate) fn to_vec(&self) -> Vec<usize> {
        self.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(missing_docs, reason = "tests")]

    use super::*;

    #[test]
    fn members_across_words() {
        let mut set = Set::of(130, [0, 63, 64, 129]);
        assert_eq!(set.to_vec(), [0, 63, 64, 129]);
        set.remove(63);
        assert!(!set.contains(63) && set.contains(129) && set.len() == 3);
        let other = Set::of(130, [0, 64]);
        assert!(other.is_subset(&set) && !set.is_subset(&other));
        assert_eq!(set.only_one_outside(&other), Some(129));
        assert_eq!(other.only_one_outside(&set), None);
        assert_eq!(Set::of(130, [1, 63, 64]).only_one_outside(&other), None);
    }
}
